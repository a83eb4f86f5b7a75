"""Show what changed between two texts as HTML: block by block, with the changed words marked as `<ins>` and `<del>`."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkmem.markdown.note import body_of, read_text, write_text
from zkmem.markdown.sections import Block, find_blocks
from zkmem.util.alignment import common_ends, level_of
from zkmem.util.threeway import hunks

_TOKEN = re.compile(r"<[^>]*>|&[^;\s<]{1,30};|\w+|\s+|[^\w\s<&]+|.", re.DOTALL)
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"<h[1-6][ >]")
_MOST_PAIRED = 40_000  # pairs of tokens: difflib takes cubic time where the same tokens come again and again
_MOST_BLOCKS = 60  # that are shown
_MOST_TOGETHER = 5  # changes of headings, and of the block below them, in one passage
_MOST_CONTEXT = 2_000  # characters of an unchanged block that is shown
_MOST_PAIRS = 400  # blocks that are compared with each other
_ALIKE = 0.4  # of the words of two blocks, for one to be a new version of the other, and to be marked in it

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


class ChangedBlock(NamedTuple):
    """A changed block, with the changed headings directly above it."""

    number: int | None  # which passage it is, counted from 0: see `reverted`; None for a change of properties
    under: str  # the text of the heading above it; "" if there is none
    html: str


class Marked(NamedTuple):
    """Changes as HTML, and how many words they add and remove."""

    passages: list[ChangedBlock]
    added: int
    removed: int
    left: int  # passages that are not shown

    @property
    def html(self) -> str:
        """All passages."""
        return "".join(one.html for one in self.passages)


class _Change(NamedTuple):
    """A block that became another one, by their numbers; None for a block that was added or removed."""

    old: int | None
    new: int | None
    at: int  # the number of the block in the new text, or of the one before which the old block was
    is_first: bool  # whether equal blocks, or none, are before it
    is_last: bool  # whether equal blocks, or none, are after it


def blocks(body: bytes) -> list[str]:
    """Return the outermost blocks of a text, such as paragraphs and headings. Each item of a list is a block."""
    return [text for text, _ in _blocks(body)]


def _blocks(body: bytes) -> list[tuple[str, bytes]]:
    """Return the outermost blocks of a text, each with all its bytes up to the next one."""
    found = (block.start for block in find_blocks(body, rules=True) if _is_outermost(block))
    starts = [body.rfind(b"\n", 0, start) + 1 for start in found]  # the blanks before a block are a part of it
    pieces = [body[start:end] for start, end in itertools.pairwise([0, *starts[1:], len(body)])]
    texts = [(piece.strip(b"\r\n").rstrip().decode("utf-8", "surrogateescape"), piece) for piece in pieces]
    return [(text, piece) for text, piece in texts if text]


def _is_outermost(block: Block) -> bool:
    return block.kind != "List" if block.depth == 0 else (block.depth, block.kind) == (1, "Item")


def marked(before: bytes, after: bytes, render: Render, budget: Budget, *, context: bool = False) -> Marked:
    """Return the changes from one text to another. With `context`, each has the unchanged blocks around it."""
    old, new, passages = blocks(before), blocks(after), list[ChangedBlock]()
    added = removed = hidden = shown = 0
    for number, passage in enumerate(_passages(old, new)):
        html, shown = "", shown + len(passage)
        for change in passage:
            earlier = None if change.old is None else old[change.old]
            later = None if change.new is None else new[change.new]
            words = _words(earlier, later, budget)
            removed, added = removed + words[0], added + words[1]
            if shown <= _MOST_BLOCKS:
                html += _marked(_rendered(earlier, render), _rendered(later, render), budget)
        if shown > _MOST_BLOCKS:
            hidden += 1
            continue
        first, last = passage[0], passage[-1]
        if context:
            end = last.at + (last.new is not None)
            above = _context(new[first.at - 1 : first.at], render) if first.is_first and first.at else ""
            html = above + html + (_context(new[end : end + 1], render) if last.is_last else "")
        elif first.is_first and (first.at if first.old is None else first.old):
            html = '<p class="gap">⋯</p>' + html
        passages.append(ChangedBlock(number, _heading_above(new, first.at), html))
    return Marked(passages, added, removed, hidden)


def _context(block: Sequence[str], render: Render) -> str:
    """Return an unchanged block, if there is one that is neither a heading nor long."""
    shown = [one for one in block if not level_of(one) and len(one) <= _MOST_CONTEXT]
    return "".join(f'<div class="context">{_rendered(one, render)}</div>' for one in shown)


def _heading_above(new: Sequence[str], at: int) -> str:
    heading = next((block for block in reversed(new[:at]) if level_of(block)), "")
    return heading.partition("\n")[0].strip("# \t")


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    """Yield how some blocks became others, in the order of the later text."""
    moved = 0  # by how many blocks the later text is ahead
    for hunk in hunks(old, new):
        pairs = list(_pairs(old[hunk.start : hunk.end], hunk.lines))
        at, begin = hunk.start + moved, hunk.start + moved
        for count, (earlier, later) in enumerate(pairs):
            ends = count == 0, count == len(pairs) - 1
            one = None if earlier is None else hunk.start + earlier
            yield _Change(one, None if later is None else begin + later, at, *ends)
            at += later is not None
        moved += len(hunk.lines) - (hunk.end - hunk.start)


def _passages(old: Sequence[str], new: Sequence[str]) -> Iterator[list[_Change]]:
    """Yield the changes in passages; a change of a heading goes with the next one, if that is of a block below it."""
    passage = list[_Change]()
    for change in _changes(old, new):
        if passage and (len(passage) == _MOST_TOGETHER or not _is_headed(passage[-1], change, old, new)):
            yield passage
            passage = []
        passage.append(change)
    if passage:
        yield passage


def _is_headed(heading: _Change, change: _Change, old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether two changes are of a heading and the block below it, or of a heading and the one in its place."""
    earlier = ["" if one.old is None else old[one.old] for one in (heading, change)]
    later = ["" if one.new is None else new[one.new] for one in (heading, change)]
    are_headings = all(level_of(one or other) for one, other in zip(earlier, later, strict=True))
    return not heading.is_last and (are_headings or any(level_of(head) and block for head, block in (earlier, later)))


def reverted(before: bytes, after: bytes, number: int) -> bytes | None:
    """Return the later text with one passage as it was before; None if there is no passage with this number."""
    old, new = _blocks(before), _blocks(after)
    passages = _passages([text for text, _ in old], [text for text, _ in new])
    passage = next(itertools.islice(passages, number, None), None)
    if passage is None:
        return None
    pieces = [piece for _, piece in new]
    for change in reversed(passage):
        if change.old is None:
            del pieces[change.at]
        elif change.new is None:
            pieces.insert(change.at, old[change.old][1])
        else:
            text, earlier = (one.encode("utf-8", "surrogateescape") for one in (new[change.at][0], old[change.old][0]))
            pieces[change.at] = pieces[change.at].replace(text, earlier, 1)
    first, last = passage[0].at, passage[-1].at + len(passage)
    ended = [piece if piece.endswith(b"\n") else piece + b"\n" for piece in pieces[:-1]] + pieces[-1:]
    text = b"".join(ended)
    if len(_blocks(text)) == len(pieces):
        return text
    for at in range(max(0, first - 1), min(last, len(pieces) - 1)):  # blocks that would be one
        ended[at] = ended[at].rstrip(b"\r\n") + b"\n\n"
    return b"".join(ended)


def changes_in(before: bytes, after: bytes) -> int:
    """Return how many passages differ between two files, without their properties: see `ChangedBlock.number`."""
    return sum(1 for _ in _passages(*(blocks(_shown_body(data)) for data in (before, after))))


def with_change_reverted(before: bytes, after: bytes, number: int) -> bytes:
    """Return the bytes of the later file with one passage as it was before. Its properties stay."""
    later, body = read_text(after), _shown_body(after)
    text = reverted(_shown_body(before), body, number)
    shown = later.shown.encode("utf-8", "surrogateescape")
    head = shown[: len(shown) - len(body)]
    whole = head + b"\n" * bool(text and head and not head.endswith(b"\n")) + (body if text is None else text)
    return write_text(whole.decode("utf-8", "surrogateescape"), later)


def _shown_body(data: bytes) -> bytes:
    """Return the text of a file without its properties, with line ends as in every text that is shown."""
    return body_of(read_text(data).shown.encode("utf-8", "surrogateescape"))


def _rendered(block: str | None, render: Render) -> str:
    return "" if block is None else render(block.encode("utf-8", "surrogateescape"))


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield each block with its new version, by their numbers. An added block has None before it, a removed one after.

    The new versions are in order; between two of them, what was removed comes before what was added.
    """
    at, shown = 0, 0
    for later, block in enumerate(new):
        near = range(at, len(old)) if len(old) * len(new) <= _MOST_PAIRS else range(at, min(at + 1, len(old)))
        match = next((number for number in near if _are_alike(old[number], block)), None)
        if match is None:
            continue
        yield from _replaced(range(at, match), range(shown, later))
        yield match, later
        at, shown = match + 1, later + 1
    yield from _replaced(range(at, len(old)), range(shown, len(new)))


def _replaced(removed: range, added: range) -> Iterator[tuple[int | None, int | None]]:
    yield from ((earlier, None) for earlier in removed)
    yield from ((None, later) for later in added)


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
    """Return the HTML of a block with the changed words marked, or both versions if little of it stays."""
    if old and new:
        mine, theirs = _TOKEN.findall(old), _TOKEN.findall(new)
        codes = _joined(budget.opcodes(list(map(_key, mine)), list(map(_key, theirs))) or (), mine, theirs)
        changed = [(mine[a:b], theirs[c:d]) for code, a, b, c, d in codes if code != "equal"]
        one_sided = not any(_has_tags(one) for one, _ in changed) or not any(_has_tags(one) for _, one in changed)
        has_words = any(_has_text(side) for pair in changed for side in pair)
        kept = sum(_count(mine[a:b]) for code, a, b, _, _ in codes if code == "equal")
        if has_words and one_sided and 2 * kept >= _ALIKE * (_count(mine) + _count(theirs)):
            return "".join(
                "".join(theirs[c:d]) if code == "equal" else _changed(mine[a:b], theirs[c:d])
                for code, a, b, c, d in codes
            )
    removed = f'<div class="removed">{old}</div>' if old else ""
    return removed + (f'<div class="added">{new}</div>' if new else "")


def _joined(codes: Iterable[Opcode], old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """Return opcodes with replacements joined that have few words between them, so that each can be read whole."""
    runs = list[Opcode]()
    for code in codes:
        runs.append(code)
        while len(runs) > 2 and _are_one(runs[-3], runs[-2], runs[-1], old, new):
            (_, start, _, begin, _), _, (_, _, stop, _, end) = runs[-3:]
            runs[-3:] = [("replace", start, stop, begin, end)]
    return runs


def _are_one(first: Opcode, kept: Opcode, last: Opcode, old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether two changes are read as one: they replace words, with less than half as many words between them.

    If there are words between them, each of the two replaces words. Tags stay where they are.
    """
    if kept[0] != "equal" or "equal" in (first[0], last[0]):
        return False
    if _has_tags(old[first[1] : last[2]]) or _has_tags(new[first[3] : last[4]]):
        return False
    between = _count(old[kept[1] : kept[2]])
    removed = [_count(old[a:b]) for _, a, b, _, _ in (first, last)]
    added = [_count(new[c:d]) for _, _, _, c, d in (first, last)]
    replaces = all((*removed, *added)) if between else any(removed) and any(added)
    return replaces and 2 * between < sum(map(max, removed, added))


def _count(tokens: Iterable[str]) -> int:
    return sum(bool(_WORD.match(token)) for token in tokens)


def _key(token: str) -> str:
    """Return the part of a token that is compared.

    That is not the address of a link to a note, which a renaming changes, nor the name by which a heading is linked.
    """
    if _HEADING.match(token):
        return token[:3]
    return "<a>" if token.startswith("<a ") and " data-note=" in token else token


def _has_tags(tokens: Sequence[str]) -> bool:
    return any(token.startswith("<") for token in tokens)


def _has_text(tokens: Sequence[str]) -> bool:
    return any(token.strip() and not token.startswith("<") for token in tokens)


def _changed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return changed tokens as HTML, with a space between the old and the new words.

    At most one side has tags, which remain; the text between them is marked.
    """
    are_close = _has_text(old) and _has_text(new) and not (old[-1][-1].isspace() or new[0][0].isspace())
    return "".join((*_wrapped(old, "del"), " " * are_close, *_wrapped(new, "ins")))


def _wrapped(tokens: Sequence[str], mark: str) -> Iterator[str]:
    """Yield tokens with the runs of text between tags marked, by a class that a note cannot have."""
    for is_tag, run in itertools.groupby(tokens, lambda token: token.startswith("<")):
        text = "".join(run)
        yield text if is_tag or not text.strip() else f'<{mark} class="marked">{text}</{mark}>'
