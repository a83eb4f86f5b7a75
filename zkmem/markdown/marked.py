"""Show what changed between two texts as HTML: block by block, with the changed words marked as `<ins>` and `<del>`."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkmem.markdown.sections import Block, find_blocks
from zkmem.util.threeway import hunks

_TOKEN = re.compile(r"<[^>]*>|&[^;\s<]{1,30};|\w+|\s+|[^\w\s<&]+|.", re.DOTALL)
_TAG_NAME = re.compile(r"</?[^\s>]*")
_WORD = re.compile(r"\w+")
_MOST_TOKENS = 4_000  # of two blocks: difflib takes quadratic time
_MOST_BLOCKS = 60  # that are shown
_MOST_PAIRS = 400  # blocks that are compared with each other
_ALIKE = 0.4  # of the words of two blocks, for one to be a new version of the other

Render = Callable[[bytes], str]
"""Returns a block of Markdown as HTML that is safe to show."""


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


def marked(before: bytes, after: bytes, render: Render) -> Marked:
    """Return the changes from one text to another."""
    old, pieces = blocks(before), list[str]()
    new = blocks(after)
    added = removed = shown = left = end = 0
    for hunk in hunks(old, new):
        for earlier, later in _pairs(old[hunk.start : hunk.end], hunk.lines):
            words = _words(earlier, later)
            removed, added = removed + words[0], added + words[1]
            if shown == _MOST_BLOCKS:
                left += 1
                continue
            if not pieces or hunk.start > end:
                pieces.append('<p class="gap">⋯</p>' if hunk.start else "")
            end, shown = hunk.end, shown + 1
            pieces.append(_marked(_rendered(earlier, render), _rendered(later, render)))
    return Marked("".join(pieces), added, removed, left)


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


def _words(old: str | None, new: str | None) -> tuple[int, int]:
    """Return how many words were removed and added."""
    mine, theirs = _WORD.findall(old or ""), _WORD.findall(new or "")
    if len(mine) + len(theirs) > _MOST_TOKENS:
        return max(0, len(mine) - len(theirs)), max(0, len(theirs) - len(mine))
    same = sum(size for _, _, size in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks())
    return len(mine) - same, len(theirs) - same


def _marked(old: str, new: str) -> str:
    """Return the HTML of a block with the changed words marked, or both versions if their structures differ."""
    if old and new:
        mine, theirs = _TOKEN.findall(old), _TOKEN.findall(new)
        if len(mine) + len(theirs) <= _MOST_TOKENS:
            keys = [_key(token) for token in mine], [_key(token) for token in theirs]
            codes = SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes()
            changed = [(mine[a:b], theirs[c:d]) for code, a, b, c, d in codes if code != "equal"]
            if not any(_has_tags(one) for one, _ in changed) or not any(_has_tags(one) for _, one in changed):
                return "".join(
                    "".join(theirs[c:d]) if code == "equal" else _changed(mine[a:b], theirs[c:d])
                    for code, a, b, c, d in codes
                )
    removed = f'<div class="removed">{old}</div>' if old else ""
    return removed + (f'<div class="added">{new}</div>' if new else "")


def _key(token: str) -> str:
    """Return the part of a token that is compared: for a tag its name, because a renaming changes only its address."""
    return _TAG_NAME.match(token)[0] if token.startswith("<") else token  # type: ignore[index]  # a tag has a name


def _has_tags(tokens: Sequence[str]) -> bool:
    return any(token.startswith("<") for token in tokens)


def _changed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return changed tokens as HTML. At most one side has tags, which remain; the text between them is marked."""
    return "".join((*_wrapped(old, "del"), *_wrapped(new, "ins")))


def _wrapped(tokens: Sequence[str], mark: str) -> Iterator[str]:
    """Yield tokens with the runs of text between tags marked."""
    for is_tag, run in itertools.groupby(tokens, lambda token: token.startswith("<")):
        text = "".join(run)
        yield text if is_tag or not text.strip() else f"<{mark}>{text}</{mark}>"
