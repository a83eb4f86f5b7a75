"""The methods of a memory for tables of notes and for `.base` files."""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zkmem.bases.table import Table
from zkmem.errors import AmbiguousBase, BadArgument, BadName, UnknownBase, UnknownFile, UnknownNote, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Visible
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.memory.reading import NoteReading
from zkmem.names import BASE_SUFFIX, check_text, name_of

if TYPE_CHECKING:
    from zkmem.bases.base_file import Base, ShownBase, TableQuery


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
            return [one.view for one in read_base(self.read_file(base).decode(errors="replace"), base).views]
        return []

    def _view(self, base: str, view: str | None) -> "TableQuery":
        from zkmem.bases.base_file import read_base  # noqa: PLC0415 - slow to import, seldom needed

        path, part = self._base_named(base)
        if part and view:
            raise BadArgument(f"The base {base!r} names a view already; leave out `view`.")
        wanted = view or part.removeprefix("#") or None
        if path.endswith(BASE_SUFFIX):
            return read_base(self.read_file(path).decode(errors="replace"), path).view(wanted)
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
        from zkmem.bases.base_file import bytes_of_part  # noqa: PLC0415 - slow to import, seldom needed

        data = self._rights.read(path)
        shown = self._shown_bases(data, path)
        if not shown:
            raise BadArgument(
                f"The note {name_of(path)!r} has no code block `base`, and embeds no `.base` file of the vault."
            )
        if view is None:
            return self._base_shown(*shown[0], path).view(shown[0][0].view)
        names, faults = list[str](), list[BadArgument]()
        for one, file in shown:
            try:
                base = self._base_shown(one, file, path)
            except BadArgument as error:  # another base may have the view
                faults.append(error)
                continue
            with contextlib.suppress(BadArgument):
                return base.view(view)
            names += [query.view for query in base.views]
        place = bytes_of_part(data, f"#{view}") or range(0)
        for one, file in shown:
            if one.start in place:
                return self._base_shown(one, file, path).view(one.view)
        if faults:
            raise faults[0]
        raise BadArgument(f"The bases of {name_of(path)!r} have no view {view!r}; their views are: {', '.join(names)}.")

    def _shown_bases(self, data: bytes, path: str) -> list[tuple["ShownBase", str]]:
        """Return the bases that a note shows, in order, and the path of each that is embedded."""
        from zkmem.bases.base_file import ShownBase, base_blocks, base_links  # noqa: PLC0415 - slow to import

        embeds = [link for link in base_links(data) if link.embed]
        files = self._with_names(
            lambda index: [resolve(Visible(index.catalog, self._rights.has), one.target, path).path for one in embeds]
        )
        embedded = [(ShownBase(link.start, link=link), file) for link, file in zip(embeds, files, strict=True) if file]
        return sorted([*((block, "") for block in base_blocks(data)), *embedded], key=lambda one: one[0].start)

    def _base_shown(self, shown: "ShownBase", file: str, path: str) -> "Base":
        """Return a base that the note at a path shows. `file`: its path if it is embedded."""
        source = self.read_file(file).decode(errors="replace") if file else shown.source
        return shown.base(source, path)
