"""The methods of a memory for tables of notes and for `.base` files."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zkmem.bases.table import Table
from zkmem.edit.write import check_text
from zkmem.errors import AmbiguousBase, BadArgument, BadName, UnknownBase, UnknownFile, UnknownNote, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Visible
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.memory.reading import NoteReading
from zkmem.names import BASE_SUFFIX, name_of

if TYPE_CHECKING:
    from zkmem.bases.base_file import Base, TableQuery
    from zkmem.markdown.links import Link


class Queries(NoteReading):
    """Tables of the notes that a caller may see."""

    def query(
        self,
        filter: str = "",  # noqa: A002 - the word for it in Bases
        *,
        search: str = "",
        base: str = "",
        view: str | None = None,
        this: str = "",
        columns: Sequence[str] = (),
        sort: Sequence[str] = (),
        group: str = "",
        first: int = 0,
        limit: int = 100,
        wait_s: float | None = None,
    ) -> Table:
        """Return a table of the notes that pass a filter: at most `limit` rows, from the row `first` on.

        `filter`: an expression of Bases; `search`, `wait_s`: as the query and `wait_s` of the method `search`;
        `columns`, `sort`, `group`: properties or expressions, and a `-` before one of `sort` and `group` reverses the
        order; `base`: the path or name of a `.base` file, or of a note with bases in code blocks or embeds; the query
        adds to its `view` (default: the first), also written as `X.base#View`; `this`: the name of the note that the
        word `this` means in the base (default: the note with the base, or the base itself).

        Raises:
            UnknownBase, AmbiguousBase: when `base` does not mean exactly one base. BadArgument: when the base cannot be
                read, has no such view, or when an expression is wrong or takes too long.
        """
        from zkmem.bases.answer import answer  # noqa: PLC0415 - slow to import, seldom needed
        from zkmem.bases.base_file import TableQuery, extended  # noqa: PLC0415

        texts = {"filter": filter, "search": search, "base": base, "view": view or "", "this": this, "group": group}
        for name, text in [*texts.items(), *(("columns", one) for one in columns), *(("sort", one) for one in sort)]:
            check_text(text, name)
        if view and not base:
            raise BadArgument("A view is a part of a base; name the base, too.")
        query = extended(filter, search, columns, sort, group, self._view(base, view) if base else TableQuery())
        if this:
            note = self._rights.note(this)
            path = self._with_names(lambda index: lookup.known_note(index.catalog, note))
            query = query._replace(this=path)
        self._with_links(lambda _: None, Freshness.EDITS)
        return answer(self._rights.search, query, first, limit, self._caller.progress, wait_s)

    def bases(self) -> list[tuple[str, list[str]]]:
        """Return the path of each `.base` file, and the names of its views; none if it cannot be read."""
        return [(path, self._view_names(path)) for path in self._bases()]

    def _bases(self) -> list[str]:
        paths = self._with_names(lambda index: [path for path in index.catalog.rows if path.endswith(BASE_SUFFIX)])
        return sorted(filter(self._rights.has, paths))

    def _view_names(self, base: str) -> list[str]:
        from zkmem.bases.base_file import read_base  # noqa: PLC0415 - slow to import, seldom needed

        with contextlib.suppress(BadArgument, UnknownFile, Unreadable):
            return [view.name for view in read_base(self.read_file(base).decode(errors="replace")).views]
        return []

    def _view(self, base: str, view: str | None) -> "TableQuery":
        from zkmem.bases.base_file import of_base  # noqa: PLC0415 - slow to import, seldom needed

        path, part = self._base_named(base)
        if part and view:
            raise BadArgument(f"The base {base!r} names a view already; leave out `view`.")
        wanted = view or part.removeprefix("#") or None
        if path.endswith(BASE_SUFFIX):
            return of_base(self.read_file(path).decode(errors="replace"), wanted, path)
        return self._view_in(path, wanted)

    def _base_named(self, base: str) -> tuple[str, str]:
        """Return the path of a `.base` file or of a note, and the subpath after it: the name of a view."""
        has = self._rights.has

        def find(index: Index) -> tuple[str | None, tuple[str, ...], str, str]:
            catalog = Visible(index.catalog, has)
            for name, part in ((base, ""), lookup.split(catalog, base)):
                written = name.removesuffix(BASE_SUFFIX) + BASE_SUFFIX
                path, rivals = resolve(catalog, written, "")
                if path is not None:
                    return path, () if path == written.removeprefix("/") else rivals, written, part
            return None, (), name, part

        path, rivals, written, part = self._with_names(find)
        if path is None:
            with contextlib.suppress(UnknownNote, BadName):
                note = self._rights.note(written)
                return self._with_names(lambda index: lookup.known_note(index.catalog, note)), part
            raise UnknownBase(written.removesuffix(BASE_SUFFIX) + BASE_SUFFIX, self._bases())
        if rivals:
            raise AmbiguousBase(written, sorted([path, *rivals]))
        return path, part

    def _view_in(self, path: str, view: str | None) -> "TableQuery":
        """Return the query of a view of a base that the note at a path has in a code block, or embeds.

        `view`: its name, or a heading above the base; None for the first view.
        """
        from zkmem.bases.base_file import (  # noqa: PLC0415 - slow to import, seldom needed
            base_blocks,
            base_in,
            base_links,
            bytes_of_part,
            of_view,
            read_base,
        )

        data, has = self._rights.read(path), self._rights.has
        embeds = [link for link in base_links(data) if link.embed]
        files = self._with_names(
            lambda index: [resolve(Visible(index.catalog, has), link.target, path).path for link in embeds]
        )

        def embedded(link: "Link", file: str) -> "Base":
            try:
                return read_base(self.read_file(file).decode(errors="replace"))
            except BadArgument as error:
                raise BadArgument(f"{link.raw}: {error}") from error

        shown: list[tuple[int, Callable[[], Base], str | None]] = [
            (one.start, functools.partial(base_in, one), None) for one in base_blocks(data)
        ]
        for link, file in zip(embeds, files, strict=True):
            if file is not None:
                shown.append((link.start, functools.partial(embedded, link, file), link.subpath[1:] or None))
        if not shown:
            raise BadArgument(
                f"The note {name_of(path)!r} has no code block `base`, and embeds no `.base` file of the vault."
            )
        shown.sort(key=lambda one: one[0])
        if view is None:
            _, read, own = shown[0]
            base = read()
            return of_view(base, base.view(own), path)
        sound, faults = [], []
        for _, read, _ in shown:
            try:
                sound.append(base := read())
            except BadArgument as error:  # another base may have the view
                faults.append(error)
                continue
            with contextlib.suppress(BadArgument):
                return of_view(base, base.view(view), path)
        place = bytes_of_part(data, f"#{view}") or range(0)
        for start, read, own in shown:
            if start in place:
                base = read()
                return of_view(base, base.view(own), path)
        if faults:
            raise faults[0]
        names = ", ".join(view.name for base in sound for view in base.views)
        raise BadArgument(f"The bases of {name_of(path)!r} have no view {view!r}; their views are: {names}.")
