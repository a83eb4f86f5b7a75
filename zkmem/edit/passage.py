"""Find a passage that a model quotes. It must be in the text exactly once."""

import bisect
import difflib
import functools
import itertools
import re
from collections.abc import Iterator

from zkmem.errors import NoPassage

_GAP = "..."
_MOST_SHOWN = 60  # characters of a line in an error
_MOST_HITS = 100
_MOST_COMPARED = 150  # characters of a line: from 200 on, difflib ignores frequent characters
_MOST_LINES = 5_000  # lines to search for the nearest one
_MOST_WORDS = 25  # of a passage, to look for in the text
_MOST_SEARCHED = 1_000_000  # characters to look for them in
_HEADING = re.compile(r"#{1,6}[ \t]")


def find_exact(text: str, passage: str, name: str) -> tuple[int, int]:
    """Return the begin and the end of the passage in the text.

    Raises:
        NoPassage: when it is missing, or there more than once; the sentence names the lines, or the nearest text.
    """
    return _only(list(itertools.islice(_exact(text, passage), _MOST_HITS)), text, passage, name)


def find_quoted(text: str, passage: str, name: str, lines_before: int = 0) -> tuple[int, int]:
    """Return the begin and the end of a passage: exact, else with other white space, else from its first to last lines.

    The third form is for a passage with a line `...` in place of its middle. It is looked for in whole lines first, and
    then inside of lines. `lines_before` is the number of lines of the note before the text, for the line numbers
    in errors.

    Raises:
        NoPassage: when it is missing, or there more than once; the sentence names the lines, or the nearest text.
    """
    passage = passage.strip("\n")
    for way in (_exact, _spaced, _gapped, functools.partial(_gapped, inside=True)):
        hits = list(itertools.islice(way(text, passage), _MOST_HITS))
        if hits:
            break
    return _only(hits, text, passage, name, lines_before)


def _only(hits: list[tuple[int, int]], text: str, passage: str, name: str, lines_before: int = 0) -> tuple[int, int]:
    """Return the only hit, or the only one that is a heading if the passage begins like one."""
    if len(hits) > 1 and _HEADING.match(passage):
        for marks in ("", "#"):  # `# Plan` is in `## Plan`, and `## Plan` in `## Planning`
            whole = [hit for hit in hits if _is_line(text, *hit, marks)]
            if len(whole) == 1:
                return whole[0]
    if len(hits) == 1:
        return hits[0]
    if hits:
        numbers = dict.fromkeys(text.count("\n", 0, start) + 1 + lines_before for start, _ in hits)
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, list(numbers)[:10]))}"
        raise NoPassage(
            f"The passage {_short(passage)} is {_times(len(hits))} in {name!r}, at {lines}; quote more of it."
        )
    raise NoPassage(f"The passage {_short(passage)} is not in {name!r}. {_nearest(text, passage, lines_before)}")


def _is_line(text: str, start: int, end: int, marks: str) -> bool:
    """Return whether a range is one or more whole lines, apart from the characters `marks` before it."""
    return not text[text.rfind("\n", 0, start) + 1 : start].strip(marks) and text[end : end + 1] in {"", "\n"}


def _times(hits: int) -> str:
    return f"{hits} times" if hits < _MOST_HITS else f"{hits} times or more"


def _exact(text: str, passage: str) -> Iterator[tuple[int, int]]:
    at = text.find(passage) if passage else -1
    while at >= 0:
        yield at, at + len(passage)
        at = text.find(passage, at + 1)


def _spaced(text: str, passage: str) -> Iterator[tuple[int, int]]:
    """Yield ranges of the text that have the words of the passage, with any white space between them."""
    words = " ".join(passage.split())
    joined = " ".join(text.split())
    starts = [word.start() for word in re.finditer(r"\S+", text)]
    starts_joined = [0, *(blank.end() for blank in re.finditer(" ", joined))]

    def place(at: int) -> int:
        number = bisect.bisect_right(starts_joined, at) - 1
        return starts[number] + at - starts_joined[number]

    at = joined.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        yield place(at), place(end - 1) + 1
        at = joined.find(words, end)


def _gapped(text: str, passage: str, *, inside: bool = False) -> Iterator[tuple[int, int]]:
    """Yield ranges that begin and end like the passage, which has a line `...` in its middle.

    They are whole lines or, with `inside`, may begin and end inside of lines.
    """
    lines = passage.split("\n")
    gaps = [number for number, line in enumerate(lines) if line.strip() == _GAP]
    if len(gaps) != 1:
        return
    head, tail = "\n".join(lines[: gaps[0]]), "\n".join(lines[gaps[0] + 1 :])
    ends = [end for _, end in _spaced(text, tail) if inside or text[end : end + 1] in {"", "\n"}]
    for start, after in _spaced(text, head):
        if inside or not start or text[start - 1] in "\n \t":
            later = bisect.bisect_right(ends, after)
            yield from ((start, end) for end in ends[later : later + _MOST_HITS])


def _short(passage: str) -> str:
    first, newline, _ = passage.strip().partition("\n")
    return repr(first[: _MOST_SHOWN - 3] + "..." if newline or len(first) > _MOST_SHOWN else first)


def _nearest(text: str, passage: str, lines_before: int) -> str:
    """Return a sentence about the text that is most like the passage: its first line that differs, or the first one."""
    passage_lines = [line.strip() for line in passage.strip().split("\n")]
    first_line = passage_lines[0]
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    begins = [at for at, line in enumerate(lines) if first_line and line.rstrip().endswith(first_line)]
    if begins:
        first = next((at for at in begins if lines[at].strip() == first_line), begins[0])
        begin, there = first + 1 + lines_before, [line.strip() for line in lines[first : first + len(passage_lines)]]
        for number, (own, other) in enumerate(
            itertools.zip_longest(passage_lines[1:], there[1:], fillvalue=""), begin + 1
        ):
            if own != other:
                return f"It begins like line {begin}, but line {number} is {_short(other)}, not {_short(own)}."
        return f"It is like the text from line {begin}, but for the blanks."
    at = _fragment(text[:_MOST_SEARCHED], first_line)
    if at is None:
        words = set(_words(first_line))
        headings = (line for line in lines if _HEADING.match(line) and words and words <= set(_words(line)))
        at = next((text.find(heading) for heading in headings), None)
    if at is not None:
        number, begin = text.count("\n", 0, at), text.rfind("\n", 0, at) + 1
        end = text.find("\n", at) if "\n" in text[at:] else len(text)
        return _nearest_is(
            number + 1 + lines_before, text[begin if end - begin <= _MOST_SHOWN else max(begin, at) : end]
        )
    compared = [line[:_MOST_COMPARED] for line in lines]
    near = difflib.get_close_matches(first_line[:_MOST_COMPARED], compared, n=1, cutoff=0.5)
    if not near:
        return "Nothing in the note is like it; read the note again."
    number = compared.index(near[0])
    return _nearest_is(number + 1 + lines_before, lines[number])


def _nearest_is(number: int, line: str) -> str:
    return f"The nearest text is line {number}: {_short(line)}."


def _fragment(text: str, line: str) -> int | None:
    """Return where to begin to show the text that is most like a line; None if no text is like it.

    The text has the longest run of words of the line that it can have, but at least half of the words. It is shown from
    where the line should begin, or, if the run is too long, so that the end of the run and the text after it are seen.
    """
    words, most, place, before = line.split()[:_MOST_WORDS], 0, 0, 0
    for first in range(len(words)):
        while first + most < len(words) and (at := text.find(" ".join(words[first : first + most + 1]))) >= 0:
            most, place, before = most + 1, at, first
    if most < 2 or 2 * most < len(words):
        return None
    lead, run = len(" ".join(words[:before])), len(" ".join(words[before : before + most]))
    if before:
        place -= lead + 1
    elif run > _MOST_SHOWN - 20:
        place += run - _MOST_SHOWN // 2
    while place > 0 and not text[place - 1].isspace():
        place -= 1
    return max(0, place)


def _words(line: str) -> list[str]:
    return re.findall(r"\w+", line.casefold())
