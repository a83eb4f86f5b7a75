"""Find, read and extend the frontmatter of a note. An addition changes no other byte.

The YAML is composed into nodes, never constructed: a template's `date: {{date}}` breaks PyYAML's constructor but
not its composer, and only nodes have their positions in the source (in characters).

Rules: docs/development/links.md, section 2.
"""

import functools
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from zkmem.util.characters import without_halves
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    import frontmatter as python_frontmatter
    import yaml
else:
    python_frontmatter = LazyModule("frontmatter")
    yaml = LazyModule("yaml")

BOM = b"\xef\xbb\xbf"
LARGEST = 1_000_000  # characters; longer frontmatter is not read: YAML takes a hundred times longer than text
_DEEP = 1_000  # levels; the C composer is recursive, and deeper YAML would crash a process with a small stack
_FAULTY_LINE = re.compile(r"line (\d+): ")
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")  # JSON leaves them as they are, and YAML does not take all of them
TAGS = {"tags", "tag"}  # the names of properties in lower case
LISTS = TAGS | {"aliases", "alias", "cssclasses", "cssclass"}
"""The properties that may be a text or a list, in lower case."""
BETWEEN_TAGS = re.compile(r"[\s,]+")
_CLOSING = re.compile(rb"\n---\r*(?:\n|\Z)")
_OPENED = re.compile(rb"---\r?\n[^\s#:-][^\n:]*:(?:\s|\Z)")  # without a property below it, `---` is a thematic break


@functools.cache
def _loader() -> type:
    """Return the loader of YAML: the one in C, if PyYAML has it."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def split(data: bytes) -> tuple[int, int, int]:
    """Return the byte offsets of the YAML's start and end and of the body's start; all equal if there is none.

    Frontmatter opens with `---` in the very first line (after a BOM, if any) and closes at the next line `---`.
    """
    start = len(BOM) if data.startswith(BOM) else 0
    opening = data[start : start + 5]
    if not (opening.startswith(b"---\n") or opening == b"---\r\n"):
        return start, start, start
    first = data.index(b"\n", start) + 1
    closing = _CLOSING.search(data, first - 1)
    return (first, closing.start() + 1, closing.end()) if closing else (start, start, start)


def is_unclosed(data: bytes) -> bool:
    """Return whether the first line of a note opens properties that no line closes, so that they are text."""
    start, _, body = split(data)
    return start == body and _OPENED.match(data, start) is not None


def compose(source: str) -> "yaml.Node | None":
    """Return the YAML tree of a frontmatter's source; None if it is empty, not YAML, too long or nested too deep."""
    try:
        return None if _unfit(source) else yaml.compose(source, Loader=_loader())
    except (yaml.YAMLError, RecursionError, UnicodeEncodeError):  # the last for bytes that are not UTF-8
        return None  # the text of the note is still read; only its properties are not


def fault(data: bytes) -> str | None:
    """Return why the frontmatter of a note cannot be read, with the line of the file; None if it can."""
    if is_unclosed(data):
        return "line 1: no line `---` ends the properties that begin here"
    first, last, _ = split(data)
    source = data[first:last].decode(errors="replace")
    if is_comment(source) or compose(source) is not None:
        return None
    try:
        if unfit := _unfit(source):
            return unfit
        yaml.compose(source, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1  # lines count from 1, and `---` is the first
        return f"line {line}: {error.problem or error.context}"
    except (yaml.YAMLError, RecursionError) as error:
        return f"{error}"[:100]
    return None


def line_of_fault(fault: str) -> int | None:
    """Return the number of the line that a result of `fault` names; None if it names none."""
    match = _FAULTY_LINE.match(fault)
    return int(match[1]) if match else None


def is_comment(source: str) -> bool:
    """Return whether a frontmatter's source holds only comments and blank lines."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in source.splitlines())


def comments_below(source: str) -> str:
    """Return the comments and blank lines at the end of a property's source, which may be those above the next one."""
    *lines, rest = source.split("\n")
    first = len(lines)
    while first > 1 and is_comment(lines[first - 1]):
        first -= 1
    return "" if rest else "".join(f"{line}\n" for line in lines[first:])


def _unfit(source: str) -> str | None:
    """Return why a source is too long or nested too deep to be composed; None if it is neither."""
    if len(source) > LARGEST:
        return f"longer than {LARGEST:,} characters, so none of it is read"
    if sum(map(source.count, ("[", "{", "- ", "-\t", "? ", ": "))) <= _DEEP:  # too few to be deep, as nearly always
        return None
    depth = 0
    for event in yaml.parse(source, Loader=_loader()):  # the events come without recursion
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEP:
            return f"nested more than {_DEEP:,} levels deep"
    return None


class _NoMapping(Exception):
    """The frontmatter of a note is no YAML mapping."""


class _Composer:
    """A handler of python-frontmatter that returns values as YAML nodes: constructing them could fail."""

    def split(self, head: str) -> tuple[str, str]:
        """Return the YAML and the body of a text."""
        data = head.encode(errors="surrogateescape")
        first, last, body = split(data)
        return data[first:last].decode(errors="surrogateescape"), data[body:].decode(errors="surrogateescape")

    def load(self, source: str) -> "dict[str, yaml.Node]":
        """Return the value of each property; of a name that comes twice, the last one."""
        tree = compose(source)
        if not isinstance(tree, yaml.MappingNode) and not is_comment(source):
            raise _NoMapping
        return dict(named(tree))


def read(head: str) -> "dict[str, yaml.Node] | None":
    """Return the value of each property in the frontmatter of a note; None if that is no YAML mapping.

    `head`: the frontmatter with its `---` lines. All code that reads values calls this function. Code that needs the
    place of a value in the source, for a link or a change, composes the source itself.
    """
    handler: Any = _Composer()  # no subclass of a handler: the package would have to be imported for it
    try:
        return cast("dict[str, yaml.Node]", python_frontmatter.parse(head, handler=handler)[0] if head else {})
    except _NoMapping:
        return None


def head_of(data: bytes) -> str:
    """Return the frontmatter of a note with its `---` lines; "" if there is none."""
    first, _, body = split(data)
    return data[:body].decode(errors="replace") if first < body else ""


def aliases(data: bytes) -> list[str]:
    """Return the names in a note's `aliases` property, as written, each once; none if its frontmatter is not YAML."""
    value = (read(head_of(data)) or {}).get("aliases")
    items = value.value if isinstance(value, yaml.SequenceNode) else [value]
    texts = (one for one in items if isinstance(one, yaml.ScalarNode) and not one.tag.endswith(":null"))
    return list(dict.fromkeys(without_halves(one.value) for one in texts if one.value))


def names(tree: "yaml.Node | None") -> list[str]:
    """Return the names of the properties in the YAML tree of a frontmatter, in order; a name may come twice."""
    return [name for name, _ in named(tree)]


def pairs(tree: "yaml.Node | None") -> "Iterator[tuple[yaml.ScalarNode, yaml.Node]]":
    """Yield the key and the value of each property. A key that is a list or a mapping names no property."""
    for key, value in tree.value if isinstance(tree, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode):
            yield key, value


def named(tree: "yaml.Node | None") -> "Iterator[tuple[str, yaml.Node]]":
    """Yield the name and the value of each property."""
    return ((without_halves(str(key.value)), value) for key, value in pairs(tree))


def fields(tree: "yaml.Node | None") -> "Iterator[tuple[str, yaml.ScalarNode]]":
    """Yield the name and the value of each property whose value is neither a list nor a mapping."""
    for name, value in named(tree):
        if isinstance(value, yaml.ScalarNode):
            yield name, value


def strings(*nodes: "yaml.Node | None") -> "Iterator[yaml.ScalarNode]":
    """Yield each scalar value below some nodes once, in the order of the source; not the keys."""
    seen: set[int] = set()
    for each in _values(*nodes):
        if isinstance(each, yaml.ScalarNode) and id(each) not in seen:
            seen.add(id(each))
            yield each


def _values(*nodes: "yaml.Node | None") -> "Iterator[yaml.Node]":
    """Yield every value below some nodes; for an alias (`*x`), the node that it names, but not those below it again."""
    pending = [node for node in reversed(nodes) if node]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        yield node
        if id(node) in seen:  # YAML allows cycles
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending.extend(reversed(node.value))
        elif isinstance(node, yaml.MappingNode):
            pending.extend(value for _, value in reversed(node.value))


def merged(kept: str, added: str, newline: str) -> str | None:
    """Return the source `kept` with the keys of `added` that it lacks, and the list items of `added` that it lacks.

    If both have a value, and one is a list or the property may be a list, the result is a list with the items of both.
    Otherwise the value in `kept` stays: see `left_out`. Returns None if one of the two is not a YAML mapping in block
    style, which leaves no place to add to, or has aliases, which mean nothing in another source.
    """
    if not kept.strip() or not added.strip():
        return kept if kept.strip() else added
    ours, theirs = compose(kept), compose(added)
    if not isinstance(ours, yaml.MappingNode) or not isinstance(theirs, yaml.MappingNode):
        return None
    if ours.flow_style or theirs.flow_style or has_aliases(ours) or has_aliases(theirs):
        return None
    both = _added(kept, added, ours, theirs, newline)
    result = compose(both)
    keys = {*_keys(ours), *_keys(theirs)}
    return both if isinstance(result, yaml.MappingNode) and set(_keys(result)) == keys else None


def left_out(kept: str, added: str) -> list[str]:
    """Return the properties of `added` whose values `kept` lacks, as `name: value`; of a list, only these items."""
    have = dict(named(compose(kept)))
    lacking = []
    for name, value in dict(named(compose(added))).items():
        own = have.get(name)
        own_values = set(map(value_of, _items(name, own) if own else ()))
        if items := [one_line(item) for item in _items(name, value) if value_of(item) not in own_values]:
            lacking.append(f"{name}: {', '.join(items)}")
    return lacking


def _items(name: str, value: "yaml.Node") -> "list[yaml.Node]":
    """Return the items of a list, or a single value as a list.

    The list is empty for an empty value, and has each tag of a text of tags.
    """
    if isinstance(value, yaml.SequenceNode):
        return list(value.value)
    if _is_empty(value):
        return []
    if name.lower() in TAGS and isinstance(value, yaml.ScalarNode):
        return [yaml.ScalarNode(value.tag, tag) for tag in BETWEEN_TAGS.split(value.value) if tag]
    return [value]


def _is_empty(value: "yaml.Node") -> bool:
    return isinstance(value, yaml.ScalarNode) and (value.tag.endswith(":null") or not value.value)


def _keys(node: "yaml.MappingNode") -> list[object]:
    return [value_of(key) for key, _ in node.value]


def _added(kept: str, added: str, ours: "yaml.MappingNode", theirs: "yaml.MappingNode", newline: str) -> str:
    mine = {value_of(key): value for key, value in ours.value}
    splices: list[tuple[int, int, str]] = []
    tail = ""
    for position, (key, value) in enumerate(theirs.value):
        have = mine.get(value_of(key))
        if have is None:
            following = theirs.value[position + 1 :]
            end = following[0][0].start_mark.index if following else len(added)
            tail += _lines(added[key.start_mark.index : end], newline)
        else:
            splices.extend(_united(kept, str(key.value), have, value, newline))
    for at, end, text in sorted(splices, reverse=True):
        kept = kept[:at] + text + kept[end:]
    return _lines(kept, newline) + tail


def as_scalar(value: str) -> str:
    """Return a text as a value of YAML, with quotation marks if it needs them in a block or in a list in brackets."""
    for source in (f"- {value}", f"[{value}]"):
        tree = compose(source)
        items = tree.value if isinstance(tree, yaml.SequenceNode) else []
        if len(items) != 1 or not isinstance(items[0], yaml.ScalarNode) or items[0].value != value:
            return '"' + in_quotes(value, '"') + '"'
    return value


def in_quotes(text: str, quote: str) -> str:
    """Return a text as it is written inside a YAML string with this quotation mark; any other style changes nothing."""
    if quote == "'":
        return text.replace("'", "''")
    if quote == '"':
        return _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", json.dumps(text, ensure_ascii=False)[1:-1])
    return text


def has_aliases(node: "yaml.Node") -> bool:
    """Return whether the value of a node uses an alias (`*x`), which means nothing in another source."""
    nodes = [id(value) for value in _values(node)]
    return len(nodes) != len(set(nodes))


def _lines(text: str, newline: str) -> str:
    """Return the text with a line end after its last line."""
    return text if text.endswith("\n") else text + newline


def _united(kept: str, name: str, have: "yaml.Node", more: "yaml.Node", newline: str) -> Iterator[tuple[int, int, str]]:
    """Yield ranges in `kept` and their new texts, so that the value `have` gets the items of `more`, too, if it can."""
    own = _items(name, have)
    present = set(map(value_of, own))
    items = {value_of(item): item for item in _items(name, more) if value_of(item) not in present}.values()
    if not items:
        return
    if isinstance(have, yaml.ScalarNode):
        if _is_empty(have):
            value = one_line(more)
        elif isinstance(more, yaml.SequenceNode) or name.lower() in LISTS:
            value = f"[{', '.join(map(_in_list, (*own, *items)))}]"
        else:
            return
        start, end = have.start_mark.index, have.end_mark.index
        lead = "" if kept[start - 1 : start].isspace() else " "
        yield start, end, lead + value + newline * kept[start:end].endswith("\n")
    elif isinstance(have, yaml.SequenceNode) and have.flow_style:
        separator = ", " if have.value else ""
        yield (at := have.end_mark.index - 1), at, separator + ", ".join(map(_in_list, items))
    elif isinstance(have, yaml.SequenceNode):
        last = have.value[-1].end_mark.index
        at = kept.find("\n", max(last - 1, 0)) + 1 or len(kept)
        indent = " " * have.start_mark.column
        lead = "" if kept[:at].endswith("\n") else newline
        yield at, at, lead + "".join(f"{indent}- {one_line(item)}{newline}" for item in items)


def _in_list(item: "yaml.Node") -> str:
    """Return a node as an item of a list in brackets."""
    source = one_line(item)
    tree = compose(f"[{source}]")
    if isinstance(tree, yaml.SequenceNode) and list(map(value_of, tree.value)) == [value_of(item)]:
        return source
    return as_scalar(item.value) if isinstance(item, yaml.ScalarNode) else source


def value_of(node: "yaml.Node") -> object:
    """Return the value of a node without its style, so that equal values compare equal."""
    if isinstance(node, yaml.ScalarNode):
        return node.tag, node.value
    if isinstance(node, yaml.MappingNode):
        return "map", tuple((value_of(key), value_of(value)) for key, value in node.value)
    return "list", tuple(map(value_of, node.value))


def one_line(node: "yaml.Node") -> str:
    """Return a node as one line of YAML, which fits into a list of either style."""
    if isinstance(node, yaml.CollectionNode):
        node.flow_style = True
    elif isinstance(node, yaml.ScalarNode) and (node.style in {"|", ">"} or "\n" in node.value):
        node.style = '"'
    return str(yaml.serialize(node, width=float("inf"), allow_unicode=True)).removesuffix("...\n").strip()
