"""What a subpath means inside a note: `#Heading`, `#H1#H2`, `#^block`. Rules: LINKS.md section 4.

All offsets are bytes of the body that is given, which is UTF-8 without frontmatter.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from zkmem.markdown.links import events

_IGNORED = str.maketrans(dict.fromkeys('!"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n', " "))
_BLOCK_ID = re.compile(rb"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_ATX = re.compile(r"#{1,6}(?:[ \t]+|$)(.*?)(?:[ \t]+#+)?[ \t]*", re.DOTALL)
_UNDERLINE = re.compile(r"\n[^\n]*\Z")


class Heading(NamedTuple):
    """A heading: its level, its raw text as it compares, and where its source stands."""

    level: int
    text: str
    start: int
    end: int


class Block(NamedTuple):
    """A block of the document: the parser's name for it, its range, and how deep it is nested."""

    kind: str
    start: int
    end: int
    depth: int


def find_section(body: bytes, subpath: str) -> tuple[int, int] | None:
    """The range that a subpath means, a heading's section with its heading or a block; None where there is none."""
    if subpath.startswith("#^"):
        return _find_block(body, subpath[2:].strip().lower())
    wanted = [heading_key(part) for part in subpath.split("#") if part.strip()]
    headings = list(find_headings(body))
    at = _walk(headings, wanted)
    if at is None:
        return None
    level = headings[at].level
    end = next((later.start for later in headings[at + 1 :] if later.level <= level), len(body))
    return headings[at].start, end


def heading_key(text: str) -> str:
    """The form in which headings compare: marks that a link cannot hold are blanks, blanks collapse, lower case."""
    return " ".join(text.translate(_IGNORED).split()).lower()


def _walk(headings: list[Heading], wanted: list[str]) -> int | None:
    """The index of the heading that a chain of headings leads to: each one deeper than, and after, the last."""
    level, found, step = 0, None, 0
    for at, heading in enumerate(headings):
        if step < len(wanted) and heading.level > level and heading.text == wanted[step]:
            level, found, step = heading.level, at, step + 1
    return found if wanted and step == len(wanted) else None


def find_headings(body: bytes) -> Iterator[Heading]:
    """The headings of a body, in order, without those that a `%%` block comment hides."""
    blocks = find_blocks(body)
    hidden = list(_block_comments(body, blocks))
    for block in blocks:
        if not (block.kind[0] == "H" and block.kind[1:].isdigit()):
            continue
        if any(start <= block.start < end for start, end in hidden):
            continue
        source = body[block.start : block.end].decode(errors="replace").strip()
        atx = _ATX.fullmatch(source)
        text = atx[1] if atx else _UNDERLINE.sub("", source)
        yield Heading(int(block.kind[1]), heading_key(text), block.start, block.end)


def find_blocks(body: bytes) -> list[Block]:
    """The paragraphs, headings (`H1` to `H6`), items, lists, quotes and code blocks of a body, outer ones first."""
    found: list[Block] = []
    depth = 0
    for event, span in events(body.decode(errors="replace")):
        if type(event) is not dict:
            continue
        if "End" in event:
            depth -= 1
            continue
        start = event.get("Start")
        if start is None:
            if "Code" in event:
                found.append(Block("Code", span["start"], span["end"], depth))
            continue
        kind = start if type(start) is str else next(iter(start))
        if kind == "Heading":
            kind = start["Heading"]["level"]
        if kind not in {"Link", "Image", "Emphasis", "Strong"}:
            found.append(Block(kind, span["start"], span["end"], depth))
        depth += 1
    return found


def _block_comments(body: bytes, blocks: list[Block]) -> Iterator[tuple[int, int]]:
    """The ranges of `%%` comments whose opening mark begins a line."""
    code = [(block.start, block.end) for block in blocks if block.kind in {"Code", "CodeBlock"}]
    marks = [
        mark.start()
        for mark in re.finditer(rb"%%", body)
        if not any(start <= mark.start() < end for start, end in code)
    ]
    for opening, closing in zip(marks[::2], [*marks[1::2], len(body)], strict=False):
        if body[:opening].endswith(b"\n") or not opening:
            yield opening, closing


def _find_block(body: bytes, wanted: str) -> tuple[int, int] | None:
    """The block whose id is `wanted`: the one that ends with it, or the one above it where it stands alone."""
    blocks = find_blocks(body)
    code = [(block.start, block.end) for block in blocks if block.kind in {"Code", "CodeBlock"}]
    for match in _BLOCK_ID.finditer(body):
        at = match.start()
        if match[1].decode().lower() == wanted and not any(start <= at < end for start, end in code):
            named = _named_by(body, blocks, at, match.end())
            if named:
                return named.start, _without_blank_end(body, named)
    return None


def _named_by(body: bytes, blocks: list[Block], at: int, end: int) -> Block | None:
    """The block that an id at `at`..`end` names; None where the id is not at the end of its block."""
    around = [block for block in blocks if block.start <= at < block.end]
    own = next((block for block in reversed(around) if block.kind != "Code"), None)
    if own is None:
        return None
    inner = [block.start for block in blocks if block.depth > own.depth and end <= block.start < own.end]
    if body[end : min(inner, default=own.end)].strip():
        return None
    if own.kind == "Paragraph" and not body[own.start : at].strip():
        before = [block for block in blocks if block.depth == own.depth and block.end <= own.start]
        return before[-1] if before else None
    outer = next((block for block in reversed(around) if block.depth == own.depth - 1), None)
    if own.kind == "Paragraph" and outer and outer.kind == "Item":
        return outer
    return own


def _without_blank_end(body: bytes, block: Block) -> int:
    """The end of a block without the blank lines that the parser counts to it."""
    kept = block.start + len(body[block.start : block.end].rstrip())
    newline = body.find(b"\n", kept)
    return len(body) if newline < 0 else newline + 1
