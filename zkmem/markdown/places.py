"""The parts of a text as an editor shows them: headings and blocks, parts that can be folded, footnotes."""

import functools
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

from zkmem.markdown import frontmatter
from zkmem.markdown.labels import BY_LABEL, label_key
from zkmem.markdown.links import Link, as_text, as_utf8, events, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline, find_comments

_LONG_LIST, _LONG_CODE = 10, 3  # lines from which these can be folded
_LONGEST = 200  # characters of a heading
_MOST = 10_000


class Symbol(NamedTuple):
    """A heading with its section, or a block with an id; all offsets are bytes of the text."""

    kind: Literal["heading", "block"]
    name: str
    level: int  # of a heading; a block is deeper than any
    start: int
    end: int
    shown: int  # the range that shows the name
    shown_end: int


class Fold(NamedTuple):
    """A part that can be folded: from the line with the byte `start` to the one with the byte `end`."""

    kind: Literal["region", "comment"]
    start: int
    end: int


def symbols(data: bytes) -> list[Symbol]:
    """Return the headings and the block ids of a note, in order."""
    body = as_utf8(body_of(data))
    before, outline = len(data) - len(body), Outline(body)
    ends = _section_ends(outline)
    parts = [
        Symbol("heading", one.raw.strip()[:_LONGEST], one.level, before + one.start, before + end, before + one.start,
               before + one.start + len(body[one.start : one.end].rstrip()))
        for one, end in zip(outline.headings[:_MOST], ends, strict=False)
    ]  # fmt: skip
    for one in outline.ids():
        start = before + one.start - 1
        parts.append(Symbol("block", f"^{body[one.start : one.end].decode()}", 7, start, before + one.end, start,
                            before + one.end))  # fmt: skip
    return sorted(parts[:_MOST], key=lambda one: (one.start, one.level))


def _section_ends(outline: Outline) -> list[int]:
    """Return where the section of each heading ends; unlike `Outline.section`, for all of them at once."""
    ends, last = [0] * len(outline.headings), [len(outline.body)] * 7  # where a section of a level ends, from below
    for at in range(len(outline.headings) - 1, -1, -1):
        heading = outline.headings[at]
        ends[at] = last[heading.level]
        for level in range(heading.level, 7):
            last[level] = heading.start
    return ends


def folds(data: bytes) -> list[Fold]:
    """Return the parts that can be folded: frontmatter, sections, quotes, callouts, long lists and code, comments."""
    first, last, _ = frontmatter.split(data)
    body = as_utf8(body_of(data))
    before = len(data) - len(body)
    outline = Outline(body)
    ranges = [Fold("region", 0, last)] if first < last else []
    line_ends = [match.start() for match in re.finditer(b"\n", body)]
    trimmed = functools.cache(functools.partial(_trimmed, body))  # nested parts may end at one place
    ranges += [
        Fold("region", before + one.start, before + trimmed(end))
        for one, end in zip(outline.headings, _section_ends(outline), strict=True)
    ]
    for block in outline.blocks:
        lines = bisect_left(line_ends, block.end) - bisect_left(line_ends, block.start)
        is_long = {"BlockQuote": lines > 1, "List": lines >= _LONG_LIST, "CodeBlock": lines >= _LONG_CODE}
        if is_long.get(block.kind):
            ranges.append(Fold("region", before + block.start, before + trimmed(block.end)))
    ranges += [Fold("comment", before + start, before + end) for start, end in find_comments(body, outline.blocks)]
    return ranges[:_MOST]


def _trimmed(body: bytes, end: int) -> int:
    """Return the end of a part without the blank lines at its end."""
    while end and body[end - 1 : end].isspace():
        end -= 1
    return end


class Footnote(NamedTuple):
    """A reference to a footnote or its definition, as a range of bytes."""

    label: str
    start: int
    end: int
    is_definition: bool


def footnotes(data: bytes) -> Iterator[Footnote]:
    """Yield the references to footnotes and their definitions, in order."""
    body = body_of(data)
    if b"[^" not in body:
        return
    before = len(data) - len(body)
    for event, span in events(as_text(body)):
        if not isinstance(event, dict):
            continue
        start = event.get("Start")
        label = event.get("FootnoteReference") or (start.get("FootnoteDefinition") if isinstance(start, dict) else None)
        if label is not None:
            yield Footnote(label.lower(), before + span["start"], before + span["end"], bool(start))


def link_by_label(data: bytes, at: int) -> Link | None:
    """Return the link at a byte that names its target by a label: `[text][label]`, with `[label]: note.md` elsewhere.

    The range is that of `[text][label]`; the rest is that of the definition. None if there is no such link.
    """
    body = body_of(data)
    if b"]:" not in body:
        return None
    before = len(data) - len(body)
    for event, span in events(as_text(body)):
        start, end = before + span["start"], before + span["end"]
        end += 2 * data.startswith(b"[]", end)  # the parser leaves them out of `[label][]`
        tag = event.get("Start") if isinstance(event, dict) and start <= at <= end else None
        link = (tag.get("Link") or tag.get("Image")) if isinstance(tag, dict) else None
        if link and str(link["link_type"]) in BY_LABEL:
            label = label_key(link["id"])
            links = (one for one in find_links(data) if one.kind == "ref" and label_key(one.display or "") == label)
            return next((one._replace(start=start, end=end) for one in links), None)
    return None
