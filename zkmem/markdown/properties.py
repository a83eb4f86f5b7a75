"""Read a note's properties without guessing at types, and set some without touching the others.

Every scalar is read as a string, as written: `created: 2026-11-20` is no date and `name: 123` is no number. `typed`
alone tells numbers, checkboxes and empty values apart, as Obsidian does.
"""

import datetime
import functools
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from zkmem.errors import BadArgument, Unwritable
from zkmem.markdown import frontmatter
from zkmem.markdown.note import Text
from zkmem.util.characters import without_halves
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    import yaml
else:
    yaml = LazyModule("yaml")

_SHORT = 2_000  # characters; longer frontmatter is not cached
_LONGEST_NUMBER = 40  # characters
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?")
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_UNPRINTABLE = re.compile("[\t\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


class NoteParts(NamedTuple):
    """The source of a note's frontmatter, without its `---` lines, and the body of the note."""

    source: str
    body: str

    @property
    def properties(self) -> Mapping[str, Any] | None:
        """The properties; None if the frontmatter is no YAML mapping."""
        properties = _cached_values(self.source) if len(self.source) <= _SHORT else _values(self.source)
        return None if properties is None else dict(properties)


def parts(text: Text) -> NoteParts:
    """Return the source of a note's frontmatter and the body of the note."""
    data = text.text.encode(errors="surrogateescape")
    first, last, start = frontmatter.split(data)
    return NoteParts(data[first:last].decode(errors="surrogateescape"), data[start:].decode(errors="surrogateescape"))


def _values(source: str) -> Mapping[str, Any] | None:
    if not source.strip():
        return {}
    nodes = frontmatter.read(f"---\n{source}---\n")
    return None if nodes is None else _of_nodes(nodes, len(source), typed=False)


def typed(nodes: "Mapping[str, yaml.Node] | None", length: int) -> Mapping[str, Any]:
    """Return the values of properties, which are nodes: strings, numbers, booleans, None, lists and mappings.

    `length`: that of the source, in characters. Text in quotes is always a string, and so is a date.
    """
    return _of_nodes(nodes or {}, length, typed=True) or {}


def typed_properties(data: bytes) -> dict[str, Any]:
    """Return the properties of a note with the types that `typed` tells apart; none if its frontmatter is no YAML."""
    head = frontmatter.head_of(data)
    return dict(typed(frontmatter.read(head), len(head)))


def read_value(text: str) -> Any:
    """Return the value that YAML has for a text, with the types that `typed` tells apart.

    Return the text itself if it is not YAML, or if YAML has more than a value there: a comment, an anchor or a tag.
    """
    if not text.strip() or text.lstrip()[0] in "#&!*" or " #" in text:
        return text
    source = f"value: {text}\n"
    if text.lstrip()[0] in "[{\"'" and frontmatter.fault(f"---\n{source}---\n".encode(errors="replace")):
        raise BadArgument(f"{text!r:.60} is not YAML; close the bracket or the quote, or put the text in quotes.")
    properties = typed(dict(frontmatter.named(frontmatter.compose(source))), len(source))
    return properties["value"] if properties.keys() == {"value"} else text


def with_dates_as_texts(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties with dates as Obsidian writes them, such as 2026-11-20 and 2026-11-20T10:30:00."""

    def written(value: Any) -> Any:
        if isinstance(value, datetime.datetime):
            return value.isoformat(timespec="seconds")
        return value.isoformat() if isinstance(value, datetime.date) else value

    return {
        name: [*map(written, value)] if isinstance(value, list) else written(value)
        for name, value in properties.items()
    }


def _of_nodes(nodes: "Mapping[str, yaml.Node]", length: int, *, typed: bool) -> dict[str, Any] | None:
    """Return the values of properties, scalars with their types or as written; None if they are nested too deep."""
    budget = [length]  # each value takes at least one character; aliases could multiply values without end
    try:
        return {name: _value(node, budget, typed) for name, node in nodes.items()}
    except RecursionError:
        return None


_cached_values = functools.lru_cache(maxsize=1_000)(_values)  # an edit reads the properties of a note three times


def changed(text: Text, properties: Mapping[str, object], body: str | None = None) -> str:
    """Return the text of a note with some properties set, or removed if their value is None, and with a new body.

    A value is a string, a number, a boolean, or a list of these or of mappings of strings and numbers.
    """
    source, old_body = parts(text)
    head = text.text[: len(text.text) - len(old_body)]
    if properties:
        if not head and frontmatter.is_unclosed(old_body.encode(errors="surrogateescape")):
            raise Unwritable("No line `---` ends the properties that begin in its first line; add that line first.")
        head = _headed(head, source, properties)
    new_body = old_body if body is None else body
    safe = not head and old_body.startswith("---") and parts(Text(new_body)).body == new_body
    if not head and new_body.startswith("---") and not safe:  # it would be read as frontmatter, now or once it closes
        head = "---\n---\n"
    return head + ("\n" if head and new_body and not head.endswith("\n") else "") + new_body


def with_name(text: Text, old: str, new: str) -> str:
    """Return the text of a note in which a property has another name, at the same place.

    Raises:
        Unwritable: when the frontmatter is not YAML that can be changed.
    """
    source, _ = parts(text)
    root = frontmatter.compose(source)
    is_block = isinstance(root, yaml.MappingNode) and not root.flow_style
    names = [name for name, _ in root.value if name.value == old] if root and is_block else []
    if len(names) != 1:
        raise Unwritable(f"Its property {old!r} cannot be renamed; edit it by hand.")
    start, end = names[0].start_mark.index, names[0].end_mark.index
    renamed = source[:start] + (new if _is_plain(new) else _quoted(new)) + source[end:]
    before, after = (parts(Text(f"---\n{one}---\n")).properties for one in (source, renamed))
    if list((after or {}).items()) != [(new if key == old else key, value) for key, value in (before or {}).items()]:
        raise Unwritable(f"Its property {old!r} cannot be renamed without losing something; edit it by hand.")
    return text.text.replace(source, renamed, 1)


def _headed(head: str, source: str, properties: Mapping[str, object]) -> str:
    """Return the frontmatter and its `---` lines with some properties set or removed."""
    new = source
    for key, value in properties.items():
        new = _with(new, key, value)
    _check_kept(source, new, properties)
    if not new and source:
        return ""
    return head.replace(source, new, 1) if source else f"---\n{new}---\n" if new else head


def _check_kept(before: str, after: str, properties: Mapping[str, object]) -> None:
    """Check that the new source has the new values and loses no other: an anchor may be gone, a key may stand twice."""
    old, new = (parts(Text(f"---\n{source}---\n")).properties for source in (before, after))
    others = {key: value for key, value in (old or {}).items() if key not in properties}
    if new is None or {key: value for key, value in new.items() if key not in properties} != others:
        raise Unwritable("Its frontmatter cannot be added to without losing something; edit it by hand.")
    for key, value in properties.items():
        if (value is None) == (key in new) or (isinstance(value, str) and new[key] != value):
            raise Unwritable(
                f"Its property {key!r} cannot be set, perhaps because the note has it twice; edit it by hand."
            )


def _value(node: "yaml.Node", budget: list[int], typed: bool) -> Any:
    budget[0] -= 1
    if budget[0] < 0:
        return ""
    if isinstance(node, yaml.ScalarNode):
        return _typed(node) if typed else _as_written(node)
    if isinstance(node, yaml.MappingNode):
        return {name: _value(value, budget, typed) for name, value in frontmatter.named(node)}
    return [_value(item, budget, typed) for item in node.value]


def _as_written(node: "yaml.ScalarNode") -> str:
    return without_halves(str(node.value))  # half a character can be escaped in YAML


def _typed(node: "yaml.ScalarNode") -> str | float | bool | None:
    text = _as_written(node)
    if node.style or not _is_typed(text):  # quoted and block scalars have a style
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _is_typed(text: str) -> bool:
    """Return whether a plain scalar is a number, a boolean or null in Obsidian."""
    return text in _WORDS or (len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None)


def _with(source: str, key: str, value: object) -> str:
    root = (
        frontmatter.compose(source)
        if source.strip() and not frontmatter.is_comment(source)
        else yaml.MappingNode("", [])
    )
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise Unwritable("Its frontmatter is not YAML that can be added to; mend it by hand, or remove it.")
    written = "" if value is None else _written(key, value)
    for number, (name, value_there) in enumerate(root.value):
        if name.value == key:
            start = name.start_mark.index
            written = written.replace("\n", f"{_comment_after(source, name, value_there)}\n", 1)
            end = root.value[number + 1][0].start_mark.index if number + 1 < len(root.value) else len(source)
            return source[:start] + written + frontmatter.comments_below(source[start:end]) + source[end:]
    return source + ("" if not source or source.endswith("\n") else "\n") + written


def _comment_after(source: str, name: "yaml.Node", value: "yaml.Node") -> str:
    """Return the comment in the line of a property whose value is in that line, too; empty if there is none."""
    if value.end_mark.line != name.start_mark.line:
        return ""
    rest = source[value.end_mark.index :].partition("\n")[0]
    return rest if re.fullmatch(r"[ \t]+#.*", rest) else ""


def _written(key: str, value: object) -> str:
    name = key if _is_plain(key) else _quoted(key)
    if isinstance(value, list) and value:
        return f"{name}:\n" + "".join(f"  - {_item(item)}\n" for item in value)
    return f"{name}: {_item(value)}\n"


def _is_plain(key: str) -> bool:
    """Return whether YAML reads a key without quotes as this text."""
    node = None if _UNPRINTABLE.search(key) or "\n" in key else frontmatter.compose(f"{key}: x\n")
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1 or node.flow_style:
        return False
    name = node.value[0][0]
    return bool(name.value == key and name.tag.endswith(":str")) and not _is_typed(key)


def _item(value: object) -> str:
    """Return a value as one line of YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return _scalar(value) if isinstance(value, str) else _quoted(value)


def _scalar(text: str) -> str:
    """Return a string as YAML: plain if it reads back as the same string, else in double quotes."""
    if "\n" not in text and not _UNPRINTABLE.search(text):
        node = frontmatter.compose(f"k: {text}\n")
        if isinstance(node, yaml.MappingNode) and len(node.value) == 1 and not node.flow_style:
            value = node.value[0][1]
            is_text = isinstance(value, yaml.ScalarNode) and value.tag.endswith((":str", ":timestamp"))
            if is_text and value.value == text and not _is_typed(text):
                return text
    return _quoted(text)


def _quoted(value: object) -> str:
    """Return a value as JSON in which unprintable characters are escaped, which makes it YAML, too."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
