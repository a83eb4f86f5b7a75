"""What to list of the notes: a query that a caller gives in parts, or a view of a base."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from zkmem.recall.bases.base_file import Base, Order, View, read_base
from zkmem.recall.bases.syntax import Node, parse

_NAME = re.compile(r"\w[\w-]*(?: \w[\w-]*)*")
_IS_NAME = {"file", "file.name", "file.basename", "file.path"}  # columns of a view that show the note's name
_NO_PROPERTY = {"file", "note", "formula", "this", "true", "false", "null"}


class TableQuery(NamedTuple):
    """Which notes to list, and what of them. Each text is an expression of Bases, or a property."""

    filters: Sequence[Node] = ()  # a note must pass all
    words: str = ""  # a query of the search; without `sort`, the best notes come first
    columns: Sequence[str] = ()
    sort: Sequence[Order] = ()
    group: Order | None = None
    limit: int | None = None  # of the notes in all
    formulas: Mapping[str, str] = {}
    names: Mapping[str, str] = {}  # column -> the name that is shown for it
    title: str = "note"  # of the column with the names of the notes
    summaries: Mapping[str, str] = {}  # column -> the name of its summary
    summary_formulas: Mapping[str, str] = {}  # name -> a formula over `values`, those of a column
    this: str | None = None  # the path of the note that the table is shown in, or of the base


def extended(
    text: str,
    words: str,
    columns: Sequence[str],
    sort: Sequence[str],
    group: str,
    base: TableQuery,
) -> TableQuery:
    """Return the query of a base's view with one more filter, and with other columns, order and group if given.

    `text`: the filter, an expression; `sort`, `group`: a `-` before one reverses the order.
    """
    return base._replace(
        filters=[*base.filters, *([parse(text)] if text.strip() else [])],
        words=words,
        columns=columns or base.columns,
        sort=[_order(one) for one in sort] or base.sort,
        group=_order(group) if group else base.group,
    )


def _order(text: str) -> Order:
    return Order(text.removeprefix("-"), text.startswith("-"))


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a property or of a formula."""
    return _NAME.fullmatch(text) is not None


def property_of(key: str) -> str | None:
    """Return the name of the property that the key of a column stands for; None if it is something else."""
    name = key.removeprefix("note.")
    return name if is_name(name) and (name != key or name not in _NO_PROPERTY) else None


def of_base(source: str, view_name: str | None, path: str) -> TableQuery:
    """Return the query of a view of a base, by default of the first."""
    base = read_base(source)
    return of_view(base, base.view(view_name), path)


def of_view(base: Base, view: View, path: str) -> TableQuery:
    """Return the query of a view of the base at a path."""
    titles = (base.names[text] for text in (*view.columns, "file.name") if text in _IS_NAME and text in base.names)
    return TableQuery(
        [*base.filters, *view.filters],
        columns=[column for column in view.columns if column not in _IS_NAME],
        sort=view.sort,
        group=view.group,
        limit=view.limit,
        formulas=base.formulas,
        names=base.names,
        title=next(titles, "note"),
        summaries=view.summaries,
        summary_formulas=base.summaries,
        this=path,
    )
