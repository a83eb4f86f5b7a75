"""Read a `.base` file: the filters, formulas and views that Obsidian's Bases keep in YAML.

Source: https://help.obsidian.md/bases/syntax.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from zkmem.errors import BadArgument
from zkmem.markdown import frontmatter
from zkmem.markdown.properties import typed
from zkmem.names import fold
from zkmem.recall.bases.syntax import Node, Operation, joined, parse

_DEEPEST = 20  # levels of filters
_MOST = 1_000  # views, formulas, and parts of a filter


class Order(NamedTuple):
    """A property to sort or to group by."""

    property: str
    descending: bool = False


class View(NamedTuple):
    """A view of a base."""

    name: str
    filters: list[Node]  # a note must pass all
    columns: list[str]
    sort: list[Order]
    group: Order | None
    limit: int | None
    summaries: Mapping[str, str]  # property -> name of a summary


class Base(NamedTuple):
    """What a `.base` file has."""

    filters: list[Node]
    formulas: Mapping[str, str]
    names: Mapping[str, str]  # property -> the name that is shown for it
    summaries: Mapping[str, str]  # name -> the formula of a summary, over `values`
    views: list[View]

    def view(self, name: str | None) -> View:
        """Return the view of a name, in any case if none has it exactly; for None, the first view."""
        if name is None:
            return self.views[0]
        for form in (str, fold):
            for view in self.views:
                if form(view.name) == form(name):
                    return view
        raise BadArgument(
            f"The base has no view {name!r}; its views are: {', '.join(view.name for view in self.views)}."
        )


def yaml_fault(source: str, above: int = 0) -> str | None:
    """Return a sentence that says why a base is not YAML, with the line of its file; None if it is YAML.

    `above`: how many lines of the file are above the base.
    """
    fault = frontmatter.fault(f"---\n{source}\n---\n".encode(errors="replace"))
    if fault and (line := frontmatter.line_of_fault(fault)):  # counts `---`; at the end, it is that of the last `---`
        last = source.rstrip().count("\n") + 1
        fault = f"line {above + min(line - 1, last)}:{fault.partition(':')[2]}"
    return f"The base is not YAML: {fault}." if fault else None


def read_base(source: str) -> Base:
    """Return the contents of a `.base` file."""
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
    return Base(
        list(_filters(data.get("filters"), "`filters` of the base", 0)),
        _texts(data, "formulas"),
        names,
        _texts(data, "summaries"),
        [_view(view, number) for number, view in enumerate(views[:_MOST], 1)],
    )


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


def _view(data: Any, number: int) -> View:
    if not isinstance(data, Mapping):
        raise BadArgument(f"View {number} of the base must be a mapping.")
    name = _text(data.get("name") or f"View {number}", f"`name` of view {number}")
    where = f"the view {name!r}"
    limit = data.get("limit")
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise BadArgument(f"`limit` of {where} must be a whole number of at least 1.")
    group = data.get("groupBy")
    return View(
        name,
        list(_filters(data.get("filters"), f"`filters` of {where}", 0)),
        [_text(column, f"`order` of {where}") for column in _list(data.get("order"), f"`order` of {where}")],
        [_order(one, f"`sort` of {where}") for one in _list(data.get("sort"), f"`sort` of {where}")],
        _order(group, f"`groupBy` of {where}") if group else None,
        limit,
        _texts(data, "summaries"),
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
                yield Operation("!", None, joined("||", nodes))
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
