"""What a subpath means inside a note: `#Heading`, `#H1#H2`, `#^block`. Rules: docs/development/links.md, section 4.

All offsets are bytes of the body that is given, which is UTF-8 without frontmatter.
"""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from zkmem.markdown.links import events

_IGNORED = str.maketrans(dict.fromkeys('!"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n', " "))
_BLOCK_ID = re.compile(rb"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_ATX = re.compile(r"#{1,6}(?:[ \t]+|$)(.*?)(?:[ \t]+#+)?[ \t]*", re.DOTALL)
_UNDERLINE = re.compile(r"\n[^\n]*\Z")
_UNLINKABLE = re.compile(r"[#|^:\\\[\]\s]+|%%")
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")
_NUMBERED = re.compile(r"-\d+\Z")
_NEAR = 50  # preceding headings to try, each alone, for telling a heading from another with the same text
_DEEPEST = 6


class Heading(NamedTuple):
    """A heading: its level, its raw text as it compares, and where its source stands."""

    level: int
    text: str
    start: int
    end: int
    raw: str = ""  # its source without the heading marks

    @property
    def linked(self) -> str:
        """Its text as a subpath can hold it (docs/development/links.md, section 4)."""
        return _UNLINKABLE.sub(" ", self.raw).strip()


class Block(NamedTuple):
    """A block of the document: the parser's name for it, its range, and how deep it is nested."""

    kind: str
    start: int
    end: int
    depth: int


class BlockId(NamedTuple):
    """A block id `^id`: its text in lower case, and its range without the `^`."""

    text: str
    start: int
    end: int


class Outline:
    """What links can name in a body: its headings and its blocks, parsed once for any number of subpaths."""

    def __init__(self, body: bytes) -> None:
        """Parse a body: UTF-8 without frontmatter."""
        self.body = body
        self.blocks = find_blocks(body)
        self.headings = list(_headings(body, self.blocks))

    def find(self, subpath: str) -> tuple[int, int] | None:
        """Return the range that a subpath means, a block or a section with its heading; None if there is none."""
        if subpath.startswith("#^"):
            return self._find_block(subpath[2:].strip().lower())
        at = self.heading(subpath)
        return None if at is None else self.section(at)

    def has(self, subpath: str, *, slugs: bool) -> bool:
        """Return whether a subpath means something here; `slugs`: allow the form that code hosts give headings.

        That form is lower case, has `-` for blanks and no other punctuation, and has a number if several are alike.
        """
        if self.find(subpath) is not None:
            return True
        known = {_slug(heading.raw) for heading in self.headings} if slugs else set()
        wanted = subpath[1:].lower()
        return wanted in known or _NUMBERED.sub("", wanted) in known

    def section(self, at: int) -> tuple[int, int]:
        """Return the range of the heading with the index `at`, with everything below it."""
        level = self.headings[at].level
        end = next((later.start for later in self.headings[at + 1 :] if later.level <= level), len(self.body))
        return self.headings[at].start, end

    def heading(self, subpath: str) -> int | None:
        """Return the index of the heading that a subpath `#Heading` or `#H1#H2` leads to."""
        return _walk(self.headings, [heading_key(part) for part in subpath.split("#") if part.strip()])

    def subpath_to(self, at: int, written: str) -> str | None:
        """Return a subpath that leads to the heading with the index `at`; None if none can.

        `written`: the subpath that led to it in another text; the result is as close to it as possible.
        """
        return next((subpath for subpath in self._subpaths(at, written) if self.heading(subpath) == at), None)

    def _subpaths(self, at: int, written: str) -> Iterator[str]:
        """Yield candidates: as written, with fewer leading headings, with parent headings, with one heading before."""
        parts = [part for part in written.split("#") if part.strip()]
        for number in range(len(parts)):
            yield "#" + "#".join(parts[number:])
        above: list[str] = []
        before: list[str] = []
        level = self.headings[at].level
        for heading in reversed(self.headings[:at]):
            if heading.text and heading.level < level:
                level = heading.level
                above.insert(0, heading.linked)
            if heading.text and len(before) < _NEAR:
                before.append(heading.linked)
        subsets = (some for size in range(1, _DEEPEST) for some in itertools.combinations(above, size))
        for lead in itertools.chain(subsets, ((one,) for one in before)):
            yield "#" + "#".join([*lead, *parts[-1:]])

    def ids(self) -> Iterator[BlockId]:
        """Yield the block ids outside of code, in order; an id that the text has twice comes twice."""
        code = [(block.start, block.end) for block in self.blocks if block.kind in {"Code", "CodeBlock"}]
        for match in _BLOCK_ID.finditer(self.body):
            if not any(start <= match.start() < end for start, end in code):
                yield BlockId(match[1].decode().lower(), match.start(1), match.end(1))

    def _find_block(self, wanted: str) -> tuple[int, int] | None:
        """Return the block with the id `wanted`: the one that ends with it, or the one above if the id stands alone."""
        for found in self.ids():
            if found.text == wanted:
                line_end = self.body.find(b"\n", found.end)
                end = len(self.body) if line_end < 0 else line_end
                named = _named_by(self.body, self.blocks, found.start - 1, end)
                if named:
                    return named.start, _without_blank_end(self.body, named)
        return None


def find_section(body: bytes, subpath: str) -> tuple[int, int] | None:
    """Return the range that a subpath means, as `Outline.find` does."""
    return Outline(body).find(subpath)


def names_part(subpath: str) -> bool:
    """Return whether a subpath names a heading or a block; not if it is empty, or names a footnote."""
    return bool(heading_key(subpath)) and not subpath.startswith("#[^")


def _slug(text: str) -> str:
    return _NOT_IN_SLUGS.sub("", text.lower()).strip().replace(" ", "-")


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


def _headings(body: bytes, blocks: list[Block]) -> Iterator[Heading]:
    """The headings of a body, in order, without those that a `%%` block comment hides."""
    hidden = list(_block_comments(body, blocks))
    for block in blocks:
        if not (block.kind[0] == "H" and block.kind[1:].isdigit()):
            continue
        if any(start <= block.start < end for start, end in hidden):
            continue
        source = body[block.start : block.end].decode(errors="replace").strip()
        atx = _ATX.fullmatch(source)
        text = atx[1] if atx else _UNDERLINE.sub("", source)
        yield Heading(int(block.kind[1]), heading_key(text), block.start, block.end, text)


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
