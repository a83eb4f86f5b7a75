"""The methods of a memory for tables of notes and for `.base` files."""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zkmem.edit.write import check_text
from zkmem.errors import AmbiguousBase, BadArgument, UnknownBase, UnknownFile, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Visible
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.memory.reading import Reading
from zkmem.names import BASE_SUFFIX
from zkmem.recall.bases.table import Table

if TYPE_CHECKING:
    from zkmem.recall.bases.table_query import TableQuery


class Queries(Reading):
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
        order; `base`: the path or name of a `.base` file, whose `view` (default: its first) the query adds to; `this`:
        the name of the note that the word `this` means in the base (default: the base itself).

        Raises:
            UnknownBase, AmbiguousBase: when `base` does not mean exactly one base. BadArgument: when the base cannot be
                read, has no such view, or when an expression is wrong or takes too long.
        """
        from zkmem.recall.bases.table_query import TableQuery, extended  # noqa: PLC0415 - slow to import, seldom needed

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
        folders, progress = self._rights.folders(None), self._caller.progress
        return self._rights.search.table(query, first, limit, folders=folders, progress=progress, wait_s=wait_s)

    def bases(self) -> list[tuple[str, list[str]]]:
        """Return the path of each `.base` file, and the names of its views; none if it cannot be read."""
        return [(path, self._view_names(path)) for path in self._bases()]

    def _bases(self) -> list[str]:
        paths = self._with_names(lambda index: [path for path in index.catalog.rows if path.endswith(BASE_SUFFIX)])
        return sorted(filter(self._rights.has, paths))

    def _view_names(self, base: str) -> list[str]:
        from zkmem.recall.bases.base_file import read_base  # noqa: PLC0415 - slow to import, seldom needed

        with contextlib.suppress(BadArgument, UnknownFile, Unreadable):
            return [view.name for view in read_base(self.read_file(base).decode(errors="replace")).views]
        return []

    def _view(self, base: str, view: str | None) -> "TableQuery":
        from zkmem.recall.bases.table_query import of_base  # noqa: PLC0415 - slow to import, seldom needed

        written = base if base.endswith(BASE_SUFFIX) else base + BASE_SUFFIX
        path, rivals = self._with_names(lambda index: resolve(Visible(index.catalog, self._rights.has), written, ""))
        if path is None:
            raise UnknownBase(written, self._bases())
        if rivals and path != written.removeprefix("/"):
            raise AmbiguousBase(written, sorted([path, *rivals]))
        return of_base(self.read_file(path).decode(errors="replace"), view, path)
