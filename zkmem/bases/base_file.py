"""Read bases, which Obsidian keeps as YAML in `.base` files and in notes, and the queries of their views.

Source: https://help.obsidian.md/bases/syntax.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from zkmem.bases.syntax import Node, OperatorCall, joined, parse
from zkmem.errors import BadArgument
from zkmem.markdown import frontmatter
from zkmem.markdown.links import Link, as_text, as_utf8, events, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.properties import typed
from zkmem.markdown.sections import Outline, names_part
from zkmem.names import BASE_SUFFIX, fold

_NAME = re.compile(r"\w[\w-]*(?: \w[\w-]*)*")
_NAME_COLUMNS = {"file", "file.name", "file.basename", "file.path"}  # columns of a view that show the note's name
_NO_PROPERTY = {"file", "note", "formula", "this", "true", "false", "null"}
_DEEPEST = 20  # levels of filters
_MOST = 1_000  # views, formulas, and parts of a filter
_MOST_BLOCKS = 100  # code blocks of a note; more would take seconds, and no reader wants so many tables


class Order(NamedTuple):
    """A property to sort or to group by."""

    property: str
    descending: bool = False


class TableQuery(NamedTuple):
    """Which notes to list, and with which columns. Each text is an expression of Bases, or a property."""

    filters: Sequence[Node] = ()  # a note must pass all
    words: str = ""  # a query of the search; without `sort`, the best notes come first
    columns: Sequence[str] = ()
    sort: Sequence[Order] = ()
    group: Order | None = None
    limit: int | None = None  # how many notes to list at most
    formulas: Mapping[str, str] = {}
    names: Mapping[str, str] = {}  # column -> the name that is shown for it
    title: str = "note"  # of the column with the names of the notes
    summaries: Mapping[str, str] = {}  # column -> the name of its summary
    summary_formulas: Mapping[str, str] = {}  # name -> a formula over `values`, those of a column
    view: str = ""  # the name of the view
    this: str | None = None  # the path of the note that the table is shown in, or of the base


class Base(NamedTuple):
    """What a `.base` file has: formulas as in `TableQuery`, and the queries of its views."""

    formulas: Mapping[str, str]
    summary_formulas: Mapping[str, str]
    views: list[TableQuery]

    def view(self, name: str | None) -> TableQuery:
        """Return the view with this name, or else one whose name differs only in case. None stands for the first."""
        if name is None:
            return self.views[0]
        for form in (str, fold):
            for query in self.views:
                if form(query.view) == form(name):
                    return query
        raise BadArgument(f"The base has no view {name!r}; its views are: {', '.join(one.view for one in self.views)}.")


def yaml_fault(source: str, above: int = 0) -> str | None:
    """Return a sentence that says why a base is not YAML, with the line of its file; None if it is YAML.

    `above`: how many lines of the file are above the base.
    """
    fault = frontmatter.fault(f"---\n{source}\n---\n".encode(errors="replace"))
    if fault and (line := frontmatter.line_of_fault(fault)):  # it counts the `---` above
        last = source.rstrip().count("\n") + 1
        fault = f"line {above + min(line - 1, last)}:{fault.partition(':')[2]}"
    return f"The base is not YAML: {fault}." if fault else None


def read_base(source: str, path: str) -> Base:
    """Return the base in the text of a `.base` file or of a code block. `path`: the path of the file or note."""
    if fault := yaml_fault(source):
        raise BadArgument(fault)
    root = frontmatter.compose(source) if source.strip() else None
    if source.strip() and not frontmatter.is_comment(source) and not isinstance(root, yaml.MappingNode):
        raise BadArgument("The base must be one YAML mapping, such as `views: []`.")
    data = typed(dict(frontmatter.named(root)), len(source))
    views = data.get("views") or [{}]
    if not isinstance(views, list):
        raise BadArgument("`views` of the base must be a list.")
    names = {
        key: str(value["displayName"])
        for key, value in _mapping(data, "properties").items()
        if isinstance(value, Mapping) and value.get("displayName")
    }
    base = TableQuery(
        list(_filters(data.get("filters"), "`filters` of the base", 0)),
        formulas=_texts(data, "formulas"),
        names=names,
        summary_formulas=_texts(data, "summaries"),
        this=path,
    )
    queries = [_view(view, number, base) for number, view in enumerate(views[:_MOST], 1)]
    return Base(base.formulas, base.summary_formulas, queries)


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadArgument(f"`{key}` of the base must be a mapping.")
    if len(value) > _MOST:
        raise BadArgument(f"`{key}` of the base has more than {_MOST:,} entries.")
    return value


def _texts(data: Mapping[str, Any], key: str) -> dict[str, str]:
    return {name: _text(value, f"`{key}.{name}` of the base") for name, value in _mapping(data, key).items()}


def _text(value: Any, where: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise BadArgument(f"{where} must be a text.")


def _view(data: Any, number: int, base: TableQuery) -> TableQuery:
    """Return the query of a view. `base`: what all views of the base have."""
    if not isinstance(data, Mapping):
        raise BadArgument(f"View {number} of the base must be a mapping.")
    name = _text(data.get("name") or f"View {number}", f"`name` of view {number}")
    where = f"the view {name!r}"
    limit = data.get("limit")
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise BadArgument(f"`limit` of {where} must be a whole number of at least 1.")
    group = data.get("groupBy")
    columns = [_text(column, f"`order` of {where}") for column in _list(data.get("order"), f"`order` of {where}")]
    titles = (base.names[text] for text in (*columns, "file.name") if text in _NAME_COLUMNS and text in base.names)
    return base._replace(
        view=name,
        filters=[*base.filters, *_filters(data.get("filters"), f"`filters` of {where}", 0)],
        columns=[column for column in columns if column not in _NAME_COLUMNS],
        title=next(titles, "note"),
        sort=[_order(one, f"`sort` of {where}") for one in _list(data.get("sort"), f"`sort` of {where}")],
        group=_order(group, f"`groupBy` of {where}") if group else None,
        limit=limit,
        summaries=_texts(data, "summaries"),
    )


def _list(value: Any, where: str) -> Sequence[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadArgument(f"{where} must be a list.")
    return value[:_MOST]


def _order(value: Any, where: str) -> Order:
    if isinstance(value, str):
        return Order(value)
    if isinstance(value, Mapping) and (name := value.get("property") or value.get("column")):
        return Order(_text(name, where), str(value.get("direction", "ASC")).upper() == "DESC")
    raise BadArgument(f"{where} has an entry without a `property`.")


def _filters(value: Any, where: str, level: int) -> Iterator[Node]:
    """Yield the expressions that a note must pass: one, or those below `and`, `or` and `not`."""
    if value is None:
        return
    if level > _DEEPEST:
        raise BadArgument(f"{where} is nested more than {_DEEPEST} levels deep.")
    if isinstance(value, list):
        for one in _list(value, where):
            yield from _filters(one, where, level + 1)
    elif isinstance(value, Mapping):
        for key, parts in value.items():
            if key not in {"and", "or", "not"}:
                raise BadArgument(f"{where} has {key!r}; write `and`, `or` or `not`.")
            nodes = [_all(list(_filters(part, where, level + 1))) for part in _list(_as_list(parts), where)]
            if key == "and":
                yield from nodes
            elif nodes and key == "or":
                yield joined("||", nodes)
            elif nodes:  # not: none of them
                yield OperatorCall("!", None, joined("||", nodes))
    else:
        text = _text(value, where)
        try:
            yield parse(text)
        except BadArgument as error:
            raise BadArgument(f"{where}: {error}") from error


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) or value is None else [value]


def _all(nodes: list[Node]) -> Node:
    """Return the expression that is true if all the nodes are."""
    return joined("&&", nodes) if nodes else parse("true")


class ShownBase(NamedTuple):
    """A base that a note shows: in a code block, or as an embedded file."""

    start: int  # the byte of the note at which it begins
    line: int = 0  # of a code block
    source: str = ""  # the YAML of a code block
    link: Link | None = None  # an embed

    @property
    def view(self) -> str | None:
        """The name of the view that the note embeds; None for the first view."""
        return self.link.subpath[1:] or None if self.link else None

    def base(self, source: str, path: str) -> Base:
        """Return the base. `source`: its YAML; `path`: the path of the note."""
        try:
            return read_base(source, path)
        except BadArgument as error:
            if self.link:
                raise BadArgument(f"{self.link.raw}: {error}") from error
            fault = yaml_fault(source, self.line)
            raise BadArgument(fault or f"The code block in line {self.line}: {error}") from error


def base_blocks(data: bytes) -> Iterator[ShownBase]:
    """Yield the first `_MOST_BLOCKS` code blocks `base` of a note, in order."""
    body = as_utf8(body_of(data))
    before = len(data) - len(body)
    counted, line = 0, 1
    for at, text in itertools.islice(_code_blocks(body), _MOST_BLOCKS):
        start = before + at
        line += data.count(b"\n", counted, start)
        counted = start
        yield ShownBase(start, line, text)


def _code_blocks(body: bytes) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each code block `base` of a body, also inside quotes and lists."""
    pieces: list[str] | None = None
    for event, span in events(as_text(body)) if b"base" in body else ():
        start = event.get("Start") if isinstance(event, dict) else None
        fence = start.get("CodeBlock") if isinstance(start, dict) else None
        if isinstance(fence, dict) and str(fence.get("Fenced")).split()[:1] == ["base"]:
            pieces = []
        elif pieces is not None and isinstance(event, dict) and event.get("End") == "CodeBlock":
            yield span["start"], "".join(pieces)
            pieces = None
        elif pieces is not None and isinstance(event, dict):
            pieces.append(event.get("Text", ""))


def base_links(data: bytes) -> list[Link]:
    """Return the links of a note to `.base` files, in order."""
    return [link for link in find_links(data) if link.target.lower().endswith(BASE_SUFFIX)]


def bytes_of_part(data: bytes, subpath: str) -> range | None:
    """Return the bytes of the part of a note that a subpath leads to; None if it has no such part."""
    body = as_utf8(body_of(data))
    before = len(data) - len(body)
    span = Outline(body).find(subpath) if names_part(subpath) else None
    return range(before + span[0], before + span[1]) if span else None


def extended(
    text: str,
    words: str,
    columns: Sequence[str],
    sort: Sequence[str],
    group: str,
    base: TableQuery,
) -> TableQuery:
    """Return the query of a base's view with one more filter, and with other columns, order and group if given.

    `text`: the filter, an expression; `sort`, `group`: properties, each with a `-` before it for descending order.
    """
    return base._replace(
        filters=[*base.filters, *([parse(text)] if text.strip() else [])],
        words=words,
        columns=columns or base.columns,
        sort=[_order_of(one) for one in sort] or base.sort,
        group=_order_of(group) if group else base.group,
    )


def _order_of(text: str) -> Order:
    return Order(text.removeprefix("-"), text.startswith("-"))


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a property or of a formula."""
    return _NAME.fullmatch(text) is not None


def property_of(key: str) -> str | None:
    """Return the name of the property that the key of a column stands for; None if it is something else."""
    name = key.removeprefix("note.")
    return name if is_name(name) and (name != key or name not in _NO_PROPERTY) else None
