"""Find the tags of a note: those in its text, such as `#recipe/soup`, and those in its properties.

The rules are Obsidian's (https://help.obsidian.md/tags): a tag follows a blank or begins a line, has letters, digits,
`_`, `-`, `/` and most symbols, and at least one character that is no digit. Code, math, HTML and links have no tags.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from zkmem.markdown import frontmatter
from zkmem.markdown.frontmatter import BETWEEN_TAGS, TAGS
from zkmem.markdown.links import as_text, edge, events
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    import yaml
else:
    yaml = LazyModule("yaml")

_TAG = re.compile(r"(?<!\S)#([^\s#\\'\"!$%&()*+,.:;<=>?@^`{|}~\[\]\u2000-\u206f\u2e00-\u2e7f]+)")
# A heading has a blank after its marks. Bytes beyond ASCII may be a blank. `re` finds a literal first fast.
_HASH = re.compile(rb"#(?<![^\s*_\x80-\xff]#)[^\s#]")
_NOT_PLAIN = (
    b"`",
    b"~~~",
    b"<",
    b"$",
    b"[",
    b"\\",
    b"\t",
    b"    ",
    b"*#",
    b"_#",
)  # of code, HTML, math, links and so on
_NO_TEXT = {"CodeBlock", "HtmlBlock", "Link", "Image"}
_EMPHASIS = {"Emphasis", "Strong"}


def inline_tags(body: bytes) -> list[str]:
    """Return the tags in the body of a note without their `#`, in order, each once."""
    if not _HASH.search(body):
        return []
    is_plain = not any(mark in body for mark in _NOT_PLAIN)
    texts = [(0, body.decode(errors="replace"))] if is_plain else _texts(as_text(body))
    return list(dict.fromkeys(tag for _, text in texts for _, _, tag in tag_spans(text)))


class TagPlace(NamedTuple):
    """A tag without its `#`, and the bytes of a note that it stands at."""

    tag: str
    start: int
    end: int


def tag_places(data: bytes) -> Iterator[TagPlace]:
    """Yield the tags of a note: those of its properties that the YAML spells as they are, then those of its text."""
    first, last, body = frontmatter.split(data)
    source = as_text(data[first:last])
    yield from _placed(_property_spans(source), source, first)
    if _HASH.search(data, body):
        for at, text in _texts(as_text(data[body:])):
            yield from _placed(tag_spans(text), text, body + at)


def _property_spans(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield the begin and the end of each tag in the source of a frontmatter, and the tag."""
    for name, value in frontmatter.named(frontmatter.compose(source)):
        for node in frontmatter.strings(value) if name.lower() in TAGS else ():
            end = source.find(node.value, node.start_mark.index, node.end_mark.index)
            parts = [node.value] if isinstance(value, yaml.SequenceNode) else BETWEEN_TAGS.split(node.value)
            for part in parts if end >= 0 else ():
                start = source.index(part, end)
                end = start + len(part)
                yield from ((start, end, tag) for tag in listed_tags([part]))


def _placed(spans: Iterable[tuple[int, int, str]], text: str, at: int) -> Iterator[TagPlace]:
    """Yield tags with their bytes. `at`: the byte at which the text begins."""
    done = 0  # the character that the byte `at` belongs to
    for start, end, tag in spans:
        at += len(text[done:start].encode()) - len(text[start:done].encode())
        done = start
        yield TagPlace(tag, at, at + len(text[start:end].encode()))


def tag_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the begin and the end of each tag in a text, with its `#`, and the tag without it."""
    for match in _TAG.finditer(text):
        tag = match[1].strip("/")
        if tag and not tag.isdecimal():
            yield match.start(), match.start() + 1 + len(match[1].rstrip("/")), tag


def listed_tags(value: Any) -> list[str]:
    """Return the tags in the value of a property: a list, or a string with blanks or commas between them."""
    parts = value if isinstance(value, list) else BETWEEN_TAGS.split(value) if isinstance(value, str) else []
    tags = (part.strip().removeprefix("#").strip("/") for part in parts if isinstance(part, str))
    return [tag for tag in tags if tag]


def _texts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the stretches of a body that may have tags, each with the byte at which it begins.

    A stretch has the character before it if a tag must follow a blank.
    """
    source = text.encode()
    closed: list[str] = []  # the elements around an event that have no tags
    opened = ""  # the element that began just before the event
    for event, span in events(text):
        if not isinstance(event, dict):
            continue
        if "Text" in event and not closed:
            start = span["start"]
            before = "" if opened in _EMPHASIS else source[max(0, start - 4) : start].decode(errors="ignore")[-1:]
            yield start - len(before.encode()), before + source[start : span["end"]].decode()
        kind, begins = edge(event) or ("", False)
        opened = kind if begins else ""
        if opened in _NO_TEXT:
            closed.append(opened)
        elif closed and not begins and kind == closed[-1]:
            closed.pop()
