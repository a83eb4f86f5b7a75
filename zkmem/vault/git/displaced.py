"""Find files that were moved to the paths of other files, as when two files swap their names. git does not detect that.

A text proves such a move only if it is the whole text of another file. That file must have left its path, too: it is
gone, or a third file has the path. If its path has a new text, the move may be a copy of the text.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

_MOST_COMPARED = 1_000  # pairs of texts


class PathTexts(NamedTuple):
    """The hashes of the texts that a path had before some changes and has after them; "" stands for no file."""

    before: str
    after: str


def moved_onto_files(changes: Mapping[str, PathTexts], are_versions: Callable[[str, str], bool]) -> dict[str, str]:
    """Return the moves in which a file took the path of another one: new path -> old path of each file.

    git detects other moves. `changes`: the changed files, by path; `are_versions`: returns whether two texts with these
    hashes are versions of one text.
    """
    olds, news = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for path, texts in changes.items():
        olds[texts.before].append(path)
        news[texts.after].append(path)
    pairs = [(new, olds[text]) for text, new in news.items() if text and len(new) == len(olds.get(text, ())) == 1]
    moves = {new: old for (new,), (old,) in pairs if new != old}
    for new, old in itertools.islice(_may_be_moves(moves, changes), _MOST_COMPARED):
        if new not in moves and old not in moves.values() and are_versions(changes[old].before, changes[new].after):
            moves[new] = old
    while stays := [new for new, old in moves.items() if changes[old].after and old not in moves]:
        for new in stays:
            del moves[new]
    return moves if any(changes[new].before for new in moves) else {}


def _may_be_moves(moves: Mapping[str, str], changes: Mapping[str, PathTexts]) -> Iterator[tuple[str, str]]:
    """Yield the new and old paths of moves that others need: to paths that these left, or from paths that they took."""
    left = {old for old in moves.values() if changes[old].after}
    taken = {new for new in moves if changes[new].before}
    yield from itertools.product(left, (path for path, texts in changes.items() if not texts.after or path in taken))
    yield from itertools.product((path for path, texts in changes.items() if not texts.before), taken)


def is_version(one: bytes, other: bytes) -> bool:
    """Return whether half of a text is equal to half of another one, line by line."""
    if one == other:
        return True
    lines, others = (Counter(text.splitlines(keepends=True)) for text in (one, other))
    return 2 * sum(len(line) * count for line, count in (lines & others).items()) >= max(len(one), len(other))
