"""Show what changed between two texts as HTML: block by block, with the changed words marked as `<ins>` and `<del>`."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkmem.markdown.sections import Block, find_blocks
from zkmem.util.alignment import common_ends
from zkmem.util.threeway import hunks

_TOKEN = re.compile(r"<[^>]*>|&[^;\s<]{1,30};|\w+|\s+|[^\w\s<&]+|.", re.DOTALL)
_WORD = re.compile(r"\w+")
_MOST_PAIRED = 40_000  # pairs of tokens: difflib takes cubic time where the same tokens come again and again
_MOST_BLOCKS = 60  # that are shown
_MOST_PAIRS = 400  # blocks that are compared with each other
_ALIKE = 0.4  # of the words of two blocks, for one to be a new version of the other

Opcode = tuple[str, int, int, int, int]
"""See `difflib.SequenceMatcher.get_opcodes`."""

Render = Callable[[bytes], str]
"""Returns a block of Markdown as HTML that is safe to show."""


class Budget:
    """How many pairs of tokens may still be compared, for the texts of one answer."""

    def __init__(self, left: int = 600_000) -> None:
        self._left = left

    def opcodes(self, old: Sequence[str], new: Sequence[str]) -> list[Opcode] | None:
        """Return how one list of tokens becomes the other, as difflib does; None if that would take too long."""
        first, last = common_ends(old, new)
        mine, theirs = old[first : len(old) - last], new[first : len(new) - last]
        cost = len(mine) * len(theirs)
        if cost > min(_MOST_PAIRED, self._left):
            return None
        self._left -= cost
        inner = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
        ends = len(old) - last, len(new) - last
        return [
            ("equal", 0, first, 0, first),
            *((code, a + first, b + first, c + first, d + first) for code, a, b, c, d in inner),
            ("equal", ends[0], len(old), ends[1], len(new)),
        ]


class Marked(NamedTuple):
    """Changes as HTML, and how many words they add and remove."""

    html: str
    added: int
    removed: int
    left: int  # changed blocks that are not shown


def blocks(body: bytes) -> list[str]:
    """Return the outermost blocks of a text, such as paragraphs and headings. Each item of a list is a block."""
    starts = [block.start for block in find_blocks(body, rules=True) if _is_outermost(block)]
    bounds = [0, *starts[1:], len(body)]
    pieces = [body[start:end].strip(b"\r\n").rstrip() for start, end in itertools.pairwise(bounds)]
    return [piece.decode("utf-8", "surrogateescape") for piece in pieces if piece]


def _is_outermost(block: Block) -> bool:
    return block.kind != "List" if block.depth == 0 else (block.depth, block.kind) == (1, "Item")


def marked(before: bytes, after: bytes, render: Render, budget: Budget) -> Marked:
    """Return the changes from one text to another."""
    old, pieces = blocks(before), list[str]()
    new = blocks(after)
    added = removed = shown = hidden = end = 0
    for hunk in hunks(old, new):
        for earlier, later in _pairs(old[hunk.start : hunk.end], hunk.lines):
            words = _words(earlier, later, budget)
            removed, added = removed + words[0], added + words[1]
            if shown == _MOST_BLOCKS:
                hidden += 1
                continue
            if not pieces or hunk.start > end:
                pieces.append('<p class="gap">⋯</p>' if hunk.start else "")
            end, shown = hunk.end, shown + 1
            pieces.append(_marked(_rendered(earlier, render), _rendered(later, render), budget))
    return Marked("".join(pieces), added, removed, hidden)


def _rendered(block: str | None, render: Render) -> str:
    return "" if block is None else render(block.encode("utf-8", "surrogateescape"))


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str | None, str | None]]:
    """Yield each block with its new version. An added block has None before it, a removed one None after it."""
    at = 0
    for block in new:
        near = range(at, len(old)) if len(old) * len(new) <= _MOST_PAIRS else range(at, min(at + 1, len(old)))
        match = next((number for number in near if _are_alike(old[number], block)), None)
        if match is None:
            yield None, block
            continue
        yield from ((one, None) for one in old[at:match])
        yield old[match], block
        at = match + 1
    yield from ((one, None) for one in old[at:])


def _are_alike(one: str, other: str) -> bool:
    mine, theirs = set(_WORD.findall(one)), set(_WORD.findall(other))
    return 2 * len(mine & theirs) >= _ALIKE * (len(mine) + len(theirs))


def _words(old: str | None, new: str | None, budget: Budget) -> tuple[int, int]:
    """Return how many words were removed and added; if comparing them takes too long, at least how many."""
    mine, theirs = _WORD.findall(old or ""), _WORD.findall(new or "")
    codes = budget.opcodes(mine, theirs)
    if codes is None:
        return max(0, len(mine) - len(theirs)), max(0, len(theirs) - len(mine))
    same = sum(b - a for code, a, b, _, _ in codes if code == "equal")
    return len(mine) - same, len(theirs) - same


def _marked(old: str, new: str, budget: Budget) -> str:
    """Return the HTML of a block with the changed words marked, or both versions if their structures differ."""
    if old and new:
        mine, theirs = _TOKEN.findall(old), _TOKEN.findall(new)
        codes = budget.opcodes([_key(token) for token in mine], [_key(token) for token in theirs])
        changed = [(mine[a:b], theirs[c:d]) for code, a, b, c, d in codes or () if code != "equal"]
        one_sided = not any(_has_tags(one) for one, _ in changed) or not any(_has_tags(one) for _, one in changed)
        has_words = any(token.strip() and token[0] != "<" for pair in changed for side in pair for token in side)
        if codes is not None and has_words and one_sided:
            return "".join(
                "".join(theirs[c:d]) if code == "equal" else _changed(mine[a:b], theirs[c:d])
                for code, a, b, c, d in codes
            )
    removed = f'<div class="removed">{old}</div>' if old else ""
    return removed + (f'<div class="added">{new}</div>' if new else "")


def _key(token: str) -> str:
    """Return the part of a token that is compared: of a link to a note, not its address, which a renaming changes."""
    return "<a>" if token.startswith("<a ") and " data-note=" in token else token


def _has_tags(tokens: Sequence[str]) -> bool:
    return any(token.startswith("<") for token in tokens)


def _changed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return changed tokens as HTML. At most one side has tags, which remain; the text between them is marked."""
    return "".join((*_wrapped(old, "del"), *_wrapped(new, "ins")))


def _wrapped(tokens: Sequence[str], mark: str) -> Iterator[str]:
    """Yield tokens with the runs of text between tags marked, by a class that a note cannot have."""
    for is_tag, run in itertools.groupby(tokens, lambda token: token.startswith("<")):
        text = "".join(run)
        yield text if is_tag or not text.strip() else f'<{mark} class="marked">{text}</{mark}>'
