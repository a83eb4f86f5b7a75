"""Find a passage that a model quotes. It must be in the text exactly once."""

import bisect
import difflib
import itertools
import re
from collections.abc import Iterator

from zkmem.errors import NoPassage

_GAP = "..."
_MOST_HITS = 100
_MOST_COMPARED = 150  # characters of a line: from 200 on, difflib ignores frequent characters
_MOST_LINES = 5_000  # lines to search for the nearest one


def find_exact(text: str, passage: str, name: str) -> tuple[int, int]:
    """Return the begin and the end of the passage in the text.

    Raises:
        NoPassage: when it is missing, or there more than once; the sentence names the lines, or the nearest text.
    """
    return _only(list(itertools.islice(_exact(text, passage), _MOST_HITS)), text, passage, name)


def find_quoted(text: str, passage: str, name: str, lines_before: int = 0) -> tuple[int, int]:
    """Return the begin and the end of a passage: exact, else with other white space, else from its first to last lines.

    The third form is for a passage with a line `...` in place of its middle. `lines_before` is the number of lines of
    the note before the text, for the line numbers in errors.

    Raises:
        NoPassage: when it is missing, or there more than once; the sentence names the lines, or the nearest text.
    """
    passage = passage.strip("\n")
    for way in (_exact, _spaced, _gapped):
        hits = list(itertools.islice(way(text, passage), _MOST_HITS))
        if hits:
            break
    return _only(hits, text, passage, name, lines_before)


def _only(hits: list[tuple[int, int]], text: str, passage: str, name: str, lines_before: int = 0) -> tuple[int, int]:
    """Return the only hit.

    Raises:
        NoPassage: when there is none, or more than one.
    """
    if len(hits) == 1:
        return hits[0]
    if hits:
        numbers = dict.fromkeys(text.count("\n", 0, start) + 1 + lines_before for start, _ in hits)
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, list(numbers)[:10]))}"
        raise NoPassage(
            f"The passage {_short(passage)} is {_times(len(hits))} in {name!r}, at {lines}; quote more of it."
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
    """Yield ranges of the text that have the words of the passage, with any white space between them."""
    wanted = " ".join(passage.split())
    joined = " ".join(text.split())
    starts = [word.start() for word in re.finditer(r"\S+", text)]
    starts_joined = [0, *(blank.end() for blank in re.finditer(" ", joined))]

    def place(at: int) -> int:
        number = bisect.bisect_right(starts_joined, at) - 1
        return starts[number] + at - starts_joined[number]

    at = joined.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        yield place(at), place(end - 1) + 1
        at = joined.find(wanted, end)


def _gapped(text: str, passage: str) -> Iterator[tuple[int, int]]:
    """Yield ranges of whole lines that begin and end like the passage, which has a line `...` in its middle."""
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
    """Return a sentence about the line that is most like the first line of the passage."""
    first_line = next((line.strip() for line in passage.split("\n") if line.strip()), "")
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    if first_line:
        for number, line in enumerate(lines, 1 + lines_before):
            if first_line in line:
                return f"Its first line is like line {number}: compare the blanks, and the next lines."
    begins = [line[:_MOST_COMPARED] for line in lines]
    near = difflib.get_close_matches(first_line[:_MOST_COMPARED], begins, n=1, cutoff=0.5)
    if not near:
        return "Nothing in the note is like it; read the note again."
    number = begins.index(near[0])
    return f"The nearest text is line {number + 1 + lines_before}: {_short(lines[number])}."
