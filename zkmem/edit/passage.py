"""Find a passage that a model quotes, exactly once or not at all."""

import bisect
import difflib
import itertools
import re
from collections.abc import Iterator

from zkmem.errors import NoPassage

_GAP = "..."
_MOST_HITS = 100
_MOST_COMPARED = 150  # characters of a line; from 200 on, difflib leaves out the common ones
_MOST_LINES = 5_000  # how far the search for the nearest line goes


def find_exact(text: str, passage: str, name: str) -> tuple[int, int]:
    """Where the passage stands in the text.

    Raises:
        NoPassage: when it is not there, or there more than once; the sentence says where, or what is nearest.
    """
    return _only(list(itertools.islice(_exact(text, passage), _MOST_HITS)), text, passage, name)


def find_quoted(text: str, passage: str, name: str, lines_before: int = 0) -> tuple[int, int]:
    """Where the passage stands: exactly, else with other white space, else from its first lines to its last.

    `lines_before`: how many lines of the note come before the text, for the sentences of errors.

    The third form is a passage with a line that holds only `...` in place of its middle.

    Raises:
        NoPassage: when it is not there, or there more than once; the sentence says where, or what is nearest.
    """
    passage = passage.strip("\n")
    for way in (_exact, _spaced, _gapped):
        found = list(itertools.islice(way(text, passage), _MOST_HITS))
        if found:
            break
    return _only(found, text, passage, name, lines_before)


def _only(found: list[tuple[int, int]], text: str, passage: str, name: str, lines_before: int = 0) -> tuple[int, int]:
    if len(found) == 1:
        return found[0]
    if found:
        numbers = dict.fromkeys(text.count("\n", 0, start) + 1 + lines_before for start, _ in found)
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, list(numbers)[:10]))}"
        raise NoPassage(
            f"The passage {_short(passage)} is {_times(len(found))} in {name!r}, at {lines}; quote more of it."
        )
    raise NoPassage(f"The passage {_short(passage)} is not in {name!r}. {_nearest(text, passage, lines_before)}")


def _times(hits: int) -> str:
    return f"{hits} times" if hits < _MOST_HITS else f"{hits} times or more"


def _exact(text: str, passage: str) -> Iterator[tuple[int, int]]:
    at = text.find(passage) if passage else -1
    while at >= 0:
        yield at, at + len(passage)
        at = text.find(passage, at + 1)


def _spaced(text: str, passage: str) -> Iterator[tuple[int, int]]:
    words = passage.split()
    if words:
        for match in re.finditer(r"\s+".join(map(re.escape, words)), text):
            yield match.span()


def _gapped(text: str, passage: str) -> Iterator[tuple[int, int]]:
    """From the line that the head begins to the line that the tail ends: whole lines."""
    lines = passage.split("\n")
    gaps = [number for number, line in enumerate(lines) if line.strip() == _GAP]
    if len(gaps) != 1:
        return
    head, tail = "\n".join(lines[: gaps[0]]), "\n".join(lines[gaps[0] + 1 :])
    ends = [end for _, end in _spaced(text, tail) if text[end : end + 1] in {"", "\n"}]
    for start, after in _spaced(text, head):
        if not start or text[start - 1] in "\n \t":
            later = bisect.bisect_right(ends, after)
            yield from ((start, end) for end in ends[later : later + _MOST_HITS])


def _short(passage: str) -> str:
    first = passage.strip().split("\n")[0]
    return repr(first if len(first) <= 60 else first[:57] + "...")


def _nearest(text: str, passage: str, lines_before: int) -> str:
    wanted = next((line.strip() for line in passage.split("\n") if line.strip()), "")
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    if wanted:
        for number, line in enumerate(lines, 1 + lines_before):
            if wanted in line:
                return f"Its first line is like line {number}: compare blanks, and what follows."
    begins = [line[:_MOST_COMPARED] for line in lines]
    near = difflib.get_close_matches(wanted[:_MOST_COMPARED], begins, n=1, cutoff=0.5)
    if not near:
        return "Nothing in the note is like it; read the note again."
    number = begins.index(near[0])
    return f"The nearest text is line {number + 1 + lines_before}: {_short(lines[number])}."
