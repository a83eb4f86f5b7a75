"""Resolve a subpath inside a note: `#Heading`, `#H1#H2`, `#^block`. Rules: docs/development/links.md, section 4.

All offsets are bytes of the body, which is UTF-8 without frontmatter.
"""

import functools
import itertools
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.markdown.links import events
from zkmem.util.likeness import nearest_first

_IGNORED = str.maketrans(dict.fromkeys('!"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n', " "))
BLOCK_ID = r"\^([A-Za-z0-9-]+)[ \t]*\r?"
"""The pattern of a block id that ends its line. It begins a line, or a blank stands before it."""

_BLOCK_ID = re.compile(rb"(?:^|(?<=[ \t]))%s$" % BLOCK_ID.encode(), re.MULTILINE)
_OPENING = re.compile(r"#{1,6}(?:[ \t]+|$)")
_CLOSING = re.compile(r"(?<![ \t])[ \t]++#+\Z")  # a run of blanks is tried once: a heading may have very many
_TITLE_ID = re.compile(r"(?:^|(?<![ \t])[ \t]++)" + BLOCK_ID + r"\Z")
_UNDERLINE = re.compile(r"\n[^\n]*\Z")
BLANK_LINE = re.compile(rb"\n[ \t>]*\r?\n")
_UNLINKABLE = re.compile(r"[#|^:\\\[\]\s]+|%%")
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")
_NUMBERED = re.compile(r"-\d+\Z")
_NEAR = 50  # preceding headings that are tried, one at a time, to tell two headings of the same text apart
_DEEPEST = 6
_FEW = 10  # headings that an error lists


class Heading(NamedTuple):
    """A heading: its level, its text in the form for comparison, its range and its source."""

    level: int
    text: str
    start: int
    end: int
    raw: str = ""  # the source without the heading marks
    depth: int = 0  # in how many quotes, lists and items it is

    @property
    def linked(self) -> str:
        """The text in the form for a subpath (docs/development/links.md, section 4)."""
        return _UNLINKABLE.sub(" ", self.raw).strip()


class Block(NamedTuple):
    """A block of the document: the parser's name for it, its range, and its nesting depth."""

    kind: str
    start: int
    end: int
    depth: int

    @property
    def is_heading(self) -> bool:
        """Whether the block is a heading."""
        return self.kind[0] == "H" and self.kind[1:].isdigit()


class BlockId(NamedTuple):
    """A block id `^id`: its text in lower case, and its range without the `^`."""

    text: str
    start: int
    end: int


class Outline:
    """The headings and blocks of a body, parsed once for any number of subpaths."""

    def __init__(self, body: bytes) -> None:
        """Parse a body: UTF-8 without frontmatter."""
        self.body = body
        self.blocks = find_blocks(body)
        self._comments = find_comments(body, self.blocks)
        self.headings = list(find_headings(body, self.blocks, self._comments))

    def find(self, subpath: str) -> tuple[int, int] | None:
        """Return the range that a subpath means, a block or a section with its heading; None if there is none."""
        if subpath.startswith("#^"):
            named = self.block(subpath[1:])
            return (named[0].start, _without_blank_end(self.body, named[0])) if named else None
        at = self.heading(subpath)
        return None if at is None else self.section(at)

    def has(self, subpath: str, *, slugs: bool) -> bool:
        """Return whether a subpath names a heading or block here; `slugs`: accept the anchors of code hosts, too.

        Such an anchor is the heading in lower case with `-` for blanks, without other punctuation, and with a number
        if several headings are alike.
        """
        return self.find(subpath) is not None or (slugs and self.with_anchor(subpath) is not None)

    def with_anchor(self, subpath: str) -> int | None:
        """Return the index of the heading that has a subpath as its anchor; None if there is none: see `has`."""
        anchor = subpath[1:].lower()
        if anchor in self._anchors:
            return self._anchors[anchor][0]
        number = _NUMBERED.search(anchor)
        alike = self._anchors.get(anchor[: number.start()]) if number else None
        return alike[min(int(number[0][1:10]), len(alike) - 1)] if number and alike else None

    @functools.cached_property
    def _anchors(self) -> dict[str, list[int]]:
        """The indices of the headings, by their anchors without a number."""
        return _indices(_anchor(heading.raw) for heading in self.headings)

    @functools.cached_property
    def _places(self) -> dict[str, dict[int, list[int]]]:
        """The indices of the headings, by their texts in the form for comparison and by their levels."""
        places: dict[str, dict[int, list[int]]] = {}
        for at, heading in enumerate(self.headings):
            places.setdefault(heading.text, {}).setdefault(heading.level, []).append(at)
        return places

    @functools.cached_property
    def _above(self) -> list[list[int]]:
        """For each heading, the indices of its parent headings, the top one first. Those without text are left out."""
        above: list[list[int]] = []
        open_: list[int] = []
        for at, heading in enumerate(self.headings):
            above.append([one for one in open_ if self.headings[one].level < heading.level])
            open_ = [*above[-1], at] if heading.text else open_
        return above

    def anchor(self, at: int) -> str:
        """Return the anchor that code hosts give the heading with the index `at`; "" if it has none."""
        *before, own = (_anchor(heading.raw) for heading in self.headings[: at + 1])
        return f"{own}-{before.count(own)}" if own and own in before else own

    def section(self, at: int) -> tuple[int, int]:
        """Return the range of the section under the heading with the index `at`, heading included."""
        level = self.headings[at].level
        end = next((later.start for later in self.headings[at + 1 :] if later.level <= level), len(self.body))
        return self.headings[at].start, end

    def title(self, at: int) -> tuple[int, int]:
        """Return the range of the text of the heading with the index `at`, without its marks and its block id."""
        heading = self.headings[at]
        source = self.body[heading.start : heading.end].decode()
        first, last = _title(source)
        block_id = _TITLE_ID.search(source[first:last])
        last -= len(block_id[0]) if block_id else 0
        return heading.start + len(source[:first].encode()), heading.start + len(source[:last].encode())

    def title_text(self, at: int) -> str:
        """Return the text of the heading with the index `at`, without its marks and its block id."""
        start, end = self.title(at)
        return self.body[start:end].decode()

    def heading(self, subpath: str) -> int | None:
        """Return the index of the heading that a subpath `#Heading` or `#H1#H2` leads to."""
        at = None
        for text in (heading_key(part) for part in subpath.split("#") if part.strip()):
            at = self._first_below(at, text)
            if at is None:
                return None
        return at

    def named(self, heading: str) -> int | None:
        """Return the index of the heading with exactly this text, else of the one that it means in a link; or None."""
        written, key = heading.strip().lower(), heading_key(heading)
        hashed = [at for at, one in enumerate(self.headings) if "#" in one.raw] if "#" in heading else []
        exact = next((at for at in hashed if self.headings[at].raw.strip().lower() == written), None)
        at = self.heading(heading) if exact is None else exact
        return next((one for one in hashed if self.headings[one].text == key), None) if at is None else at

    def find_named(self, subpath: str) -> tuple[int, int] | None:
        """Return the range that `find` returns, but look for a heading by its exact text first: see `named`."""
        at = None if subpath.startswith("#^") else self.named(subpath[1:])
        return self.find(subpath) if at is None else self.section(at)

    def nearest(self, subpath: str) -> list[str]:
        """Return the headings, for the error about a missing one: if there are many, the most similar first."""
        names = {one.linked: heading_key(one.linked) for one in self.headings if one.linked}
        return [*names] if len(names) <= _FEW else nearest_first(heading_key(subpath.rpartition("#")[2]), names)

    def _first_below(self, above: int | None, text: str) -> int | None:
        """Return the index of the first heading `text` that is after the heading `above` and deeper; None if none is.

        `text`: in the form for comparison; `above`: an index, or None to look at all headings.
        """
        after, level = (-1, 0) if above is None else (above, self.headings[above].level)
        deeper = [places for each, places in self._places.get(text, {}).items() if each > level]
        later = [places[at] for places in deeper if (at := bisect_right(places, after)) < len(places)]
        return min(later, default=None)

    def subpath_to(self, at: int, written: str) -> str | None:
        """Return a subpath that leads to the heading with the index `at`; None if none can.

        `written`: the subpath that led to it in another text; the result is as close to it as possible.
        """
        return next((subpath for subpath in self._subpaths(at, written) if self.heading(subpath) == at), None)

    def _subpaths(self, at: int, written: str) -> Iterator[str]:
        """Yield candidates: `written`, then fewer leading headings, then parent headings, then one heading before."""
        parts = [part for part in written.split("#") if part.strip()]
        for number in range(len(parts)):
            yield "#" + "#".join(parts[number:])
        above = [self.headings[one].linked for one in self._above[at]]
        earlier = (self.headings[one] for one in range(at - 1, -1, -1))
        named = (heading.linked for heading in earlier if heading.text)
        before = itertools.islice(named, _NEAR)
        subsets = (some for size in range(1, _DEEPEST) for some in itertools.combinations(above, size))
        for lead in itertools.chain(subsets, ((one,) for one in before)):
            yield "#" + "#".join([*lead, *parts[-1:]])

    def ids(self) -> Iterator[BlockId]:
        """Yield the block ids outside of code, in order; an id that the text has twice is yielded twice."""
        code = _code(self.blocks)
        for match in _BLOCK_ID.finditer(self.body):
            if not is_within(code, match.start()):
                yield BlockId(match[1].decode().lower(), match.start(1), match.end(1))

    def block(self, block_id: str) -> tuple[Block, BlockId] | None:
        """Return the block with the id `block_id`, which may begin with `^`, and the id; None if there is none.

        It is the block that ends with the id, or the one above if the id stands alone.
        """
        name = block_id.removeprefix("^").strip().lower()
        for id_ in self._ids.get(name, ()):
            line_end = self.body.find(b"\n", id_.end)
            end = len(self.body) if line_end < 0 else line_end
            named = _named_by(self.body, self.blocks, id_.start - 1, end)
            if named:
                return named, id_
        return None

    @functools.cached_property
    def _ids(self) -> dict[str, list[BlockId]]:
        """The block ids, by their texts."""
        return {text: [*same] for text, same in itertools.groupby(sorted(self.ids()), key=lambda one: one.text)}

    def is_raw(self, at: int) -> bool:
        """Return whether an offset is inside a block of code or HTML, or a comment."""
        raw = ((block.start, block.end) for block in self.blocks if block.kind in {"CodeBlock", "HtmlBlock"})
        return any(start < at < end for start, end in itertools.chain(raw, self._comments))


def names_part(subpath: str) -> bool:
    """Return whether a subpath names a heading or a block; False if it is empty or names a footnote."""
    return bool(heading_key(subpath)) and not subpath.startswith("#[^")


def _indices(words: Iterable[str]) -> dict[str, list[int]]:
    """Return the indices of words, in order, by word."""
    indices: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        indices.setdefault(word, []).append(at)
    return indices


def _anchor(text: str) -> str:
    return _NOT_IN_SLUGS.sub("", text.lower()).strip().replace(" ", "-")


def heading_key(text: str) -> str:
    """Return the form in which headings are compared: lower case, single blanks, a blank for each punctuation mark."""
    return " ".join(text.translate(_IGNORED).split()).lower()


def find_headings(body: bytes, blocks: list[Block], comments: Sequence[tuple[int, int]]) -> Iterator[Heading]:
    """Yield the headings of a body, in order, except those in one of the comments, as `find_comments` returns them."""
    for block in blocks:
        if not block.is_heading:
            continue
        if is_within(comments, block.start):
            continue
        text = heading_text(body[block.start : block.end])
        yield Heading(int(block.kind[1]), heading_key(text), block.start, block.end, text, block.depth)


def heading_text(source: bytes) -> str:
    """Return the source of a heading without its marks."""
    text = source.decode(errors="replace")
    first, last = _title(text)
    return text[first:last]


def _title(source: str) -> tuple[int, int]:
    """Return the range of a heading's text in its source."""
    text = source.strip()
    before = source.find(text)
    opening = _OPENING.match(text)
    end = (_CLOSING if opening else _UNDERLINE).search(text)
    first, last = opening.end() if opening else 0, end.start() if end else len(text)
    return before + first, before + max(first, last)


def find_blocks(body: bytes, *, rules: bool = False) -> list[Block]:
    """Return the blocks of a body (paragraphs, headings `H1` to `H6`, lists, items and so on), outer ones first.

    `rules`: return the lines `---` too, each as a block `Rule`.
    """
    blocks: list[Block] = []
    depth = 0
    for event, span in events(body.decode(errors="replace")):
        if type(event) is not dict:
            if rules and event == "Rule":
                blocks.append(Block("Rule", span["start"], span["end"], depth))
            continue
        if "End" in event:
            depth -= 1
            continue
        start = event.get("Start")
        if start is None:
            if "Code" in event:
                blocks.append(Block("Code", span["start"], span["end"], depth))
            continue
        kind = start if type(start) is str else next(iter(start))
        if kind == "Heading":
            kind = start["Heading"]["level"]
        if kind not in {"Link", "Image", "Emphasis", "Strong"}:
            blocks.append(Block(kind, span["start"], span["end"], depth))
        depth += 1
    return blocks


def find_comments(body: bytes, blocks: list[Block]) -> list[tuple[int, int]]:
    """Return the ranges of `%%` comments whose opening mark begins a line, in order. No two of them overlap."""
    marks = _comment_marks(body, blocks)
    pairs = zip(marks[::2], [*marks[1::2], len(body)], strict=False)
    return [(opening, closing) for opening, closing in pairs if _begins_line(body, opening)]


def hidden(body: bytes, blocks: list[Block]) -> list[tuple[int, int]]:
    """Return the ranges of all `%%` comments with their marks, in order: what a reader does not see.

    A comment that begins a line ends at the next mark, or with the body. One inside a line ends in its paragraph, else
    its mark is text. `find_comments` takes such a mark for the beginning of a comment, so that no edit that removes it
    changes what is hidden.
    """
    marks, ranges, end = _comment_marks(body, blocks), [], 0
    for opening, closing in zip(marks, [*marks[1:], len(body)], strict=False):
        is_closed = closing < len(body) and not BLANK_LINE.search(body, opening, closing)
        if opening >= end and (is_closed or _begins_line(body, opening)):
            end = min(closing + 2, len(body))
            ranges.append((opening, end))
    return ranges


def _comment_marks(body: bytes, blocks: list[Block]) -> list[int]:
    """Return the offsets of the marks `%%` outside of code."""
    if b"%%" not in body:
        return []
    code = _code(blocks)
    return [mark.start() for mark in re.finditer(rb"%%", body) if not is_within(code, mark.start())]


def _begins_line(body: bytes, at: int) -> bool:
    return not at or body.startswith(b"\n", at - 1)


def is_within(ranges: Sequence[tuple[int, int]], at: int) -> bool:
    """Return whether an offset is in one of some ranges, which are in order and do not overlap."""
    before = bisect_right(ranges, (at, math.inf))
    return before > 0 and at < ranges[before - 1][1]


def _code(blocks: list[Block]) -> list[tuple[int, int]]:
    """Return the ranges of code, in order. No two of them overlap."""
    return [(block.start, block.end) for block in blocks if block.kind in {"Code", "CodeBlock"}]


def _named_by(body: bytes, blocks: list[Block], at: int, end: int) -> Block | None:
    """Return the block that the id at `at`..`end` names; None if the id is not at the end of a block."""
    around = [block for block in blocks if block.start <= at < block.end]
    own = next((block for block in reversed(around) if block.kind != "Code"), None)
    if own is None:
        return None
    inner = [block.start for block in blocks if block.depth > own.depth and end <= block.start < own.end]
    if body[end : min(inner, default=own.end)].strip(b"> \t\r\n"):  # in a quote, blank lines have its mark
        return None
    if own.kind == "Paragraph" and not body[own.start : at].strip():
        before = [block for block in blocks if block.depth == own.depth and block.end <= own.start]
        return before[-1] if before else None
    outer = next((block for block in reversed(around) if block.depth == own.depth - 1), None)
    if own.kind == "Paragraph" and outer and outer.kind == "Item":
        return outer
    return own


def _without_blank_end(body: bytes, block: Block) -> int:
    """Return the end of a block without the blank lines at its end, which the parser includes."""
    last = block.start + len(body[block.start : block.end].rstrip())
    newline = body.find(b"\n", last)
    return len(body) if newline < 0 else newline + 1
