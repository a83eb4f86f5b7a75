"""Find out which old line became which new line, where several neighbouring lines were changed at once.

A diff only says that some lines became others. Here a new line is paired with the old line of which it is a version:
with the one that has the same key (`- Key: value`, the first cell of a table row), else with the one that has most
words in common. Words that few lines have count most. Lines of different sections are never paired.
"""

import itertools
import operator
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from zkmem.util.words import spaced

Range = tuple[int, int, int, int]
"""Begin and end in one list of lines, begin and end in another one."""

Counts = Mapping[str, int]
"""For each word of a text, how many lines have it."""

_Pair = tuple[int, int]
"""The numbers of two lines, or of two sections, that are versions of each other."""

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?")  # the mark of an item, and its box
_KEY = re.compile(r"[*_]{0,3}([^:：\n.,;!?|<`]{1,40}?)[*_]{0,3}(?:::?[*_]{0,3}(?=\s|$)|：)")
_CELL = re.compile(r"\s*\|([^|]*)\|")
_LINK = r"!?\[\[[^\[\]\n]*\]\]"
_ONLY_LINK = re.compile(rf"{_LINK}\s*")
_WORD = re.compile(rf"{_LINK}|[^\W\d_]+|\d+")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_RULE = re.compile(r"\s*([-*_])(?:[ \t]*\1){2,}\s*")
_WEIGHT = 10**9  # of a word that one line has; whole numbers, because sums of fractions depend on their order
_COMPARED, _COMPARED_BY_LINE = 50_000, 100  # pairs of lines with a word in common: the larger of the two bounds holds


def level_of(line: str) -> int:
    """Return the level of a heading that begins with `#`; 0 for any other line."""
    heading = "#" in line and _HEADING.match(line)
    return len(heading[1]) if heading else 0


def key_of(line: str) -> str:
    """Return the key of a line such as `- Key: value`, in the form for comparison; "" for any other line."""
    mark = _ITEM.match(line)
    key = _KEY.match(line, mark.end() if mark else 0)
    return " ".join(key[1].split()).casefold() if key else ""


def is_item(line: str) -> bool:
    """Return whether a line begins a list item."""
    return bool(_ITEM.match(line))


def has_box(line: str) -> bool:
    """Return whether a line begins a task."""
    return "[" in line[: len(line) - len(_content(line))]


def words_in(line: str) -> Set[str]:
    """Return the words of a line, in the form for comparison. A wikilink is one word."""
    return set(_WORD.findall(spaced(_content(line)).casefold()))


def adds_items(lines: Sequence[str], below: str) -> bool:
    """Return whether items that were put in the place of old ones are new items, and not versions of the old ones.

    That holds at the end of a list, and for items that are only a link. `lines`: the old and the new ones.
    """
    if not all(map(_is_of_list, lines)):
        return False
    return not _is_of_list(below) or all(_ONLY_LINK.fullmatch(_content(line)) for line in lines)


def changes(old: Sequence[str], new: Sequence[str], below: str, counts: Counts) -> Iterator[Range]:
    """Divide a change of the lines `old` to the lines `new`: yield the smallest ranges of lines that became others.

    List items and table rows that resemble none of the removed ones are added ones. `below`: the line below the old
    ones; `counts`: those of the whole old text.
    """
    before: Range | None = None
    for now in _by_section(old, new, below, counts):
        (a, b, _, d), (first, at, start, to) = now, before or now
        if before and at == a and (first == at == b or start == to == d):  # both only add lines, or only remove them
            before = (first, b, start, d)
            continue
        if before:
            yield before
        before = now
    if before:
        yield before


def _by_section(old: Sequence[str], new: Sequence[str], below: str, counts: Counts) -> Iterator[Range]:
    """Yield the ranges of lines that differ. Sections without a counterpart are a range of their own."""
    starts, new_starts = _section_starts(old), _section_starts(new)
    heads, new_heads = (
        [_heading(lines, at) for at in some[1:-1]] for lines, some in ((old, starts), (new, new_starts))
    )
    pairs = [(0, 0), *((one + 1, other + 1) for one, other in _pairs(heads, new_heads, counts))]
    for a, b, c, d in _runs(pairs, len(starts) - 1, len(new_starts) - 1):
        first, last, start, end = starts[a], starts[b], new_starts[c], new_starts[d]
        if b - a == d - c == 1:
            next_line = old[last] if last < len(old) else below
            yield from shifted(_in_section(old[first:last], new[start:end], next_line, counts), first, start)
        else:
            yield first, last, start, end


def _section_starts(lines: Sequence[str]) -> list[int]:
    """Return where the sections begin, with the blank lines above each heading, and the end.

    The first one has no heading, and may be empty.
    """
    starts = [0]
    for at, line in enumerate(lines):
        if level_of(line):
            starts.append(at - blanks(lines[starts[-1] : at][::-1]))
    return [*starts, len(lines)]


def _heading(lines: Sequence[str], start: int) -> str:
    """Return the heading of the section that begins at a line, which may be a blank one."""
    return next(lines[at] for at in range(start, len(lines)) if level_of(lines[at]))


def _in_section(old: Sequence[str], new: Sequence[str], below: str, counts: Counts) -> Iterator[Range]:
    """Yield the ranges of lines that differ in a section."""
    pairs = _certain(_pairs(old, new, counts), old, new, below, counts)
    changed = set(pairs)
    for first, last, start, end in _runs(pairs, len(old), len(new)):
        a, c = (at + _common(old[first:last], new[start:end]) for at in (first, start))
        same = _common(old[a:last][::-1], new[c:end][::-1])
        b, d = last - same, end - same
        replaces = a < b and c < d and (first, start) not in changed
        if replaces and all(map(is_entry, (*old[a:b], *new[c:d]))):
            yield from ((a, b, c, c), (b, b, c, d))
        elif a < b or c < d:
            yield from shifted(_by_paragraph(old[a:b], new[c:d]), a, c)


def _by_paragraph(old: Sequence[str], new: Sequence[str]) -> Iterator[Range]:
    """Yield the ranges of lines that became others. If there are more paragraphs than before, the last ones are new.

    A horizontal rule (`---`) in the place of another paragraph is new, and so is all below it.
    """
    ends, new_ends = (
        [*(at for at in range(1, len(some)) if some[at - 1].strip() and not some[at].strip()), len(some)]
        for some in (old, new)
    )
    a = c = 0
    for b, d in zip(ends, new_ends, strict=False) if len(ends) <= len(new_ends) else ():
        if is_horizontal_rule(*new[c:d]) and not is_horizontal_rule(*old[a:b]):  # tools put it above a merged note
            yield a, len(old), c, c
            a = len(old)
            break
        yield a, b, c, d
        a, c = b, d
    if a < len(old) or c < len(new):
        yield a, len(old), c, len(new)


def is_horizontal_rule(*lines: str) -> bool:
    """Return whether some lines are one horizontal rule, such as `---`, apart from blank lines."""
    return bool(_RULE.fullmatch("\n".join(lines)))


def blanks(lines: Iterable[str]) -> int:
    """Return how many lines are blank before the first one with text."""
    return sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), lines))


def _certain(
    pairs: Sequence[_Pair], old: Sequence[str], new: Sequence[str], below: str, counts: Counts
) -> Sequence[_Pair]:
    """Return the pairs, but none at the end of a list whose new item may be an added one."""
    to, end = len(old), len(new)
    for number in range(len(pairs), 0, -1):
        at, start = pairs[number - 1]
        if not adds_items((*old[at:to], *new[start:end]), below) or _is_changed(old[at], new[start], counts):
            return pairs[:number]
        to, end = at, start
    return ()


def _is_changed(old: str, new: str, counts: Counts) -> bool:
    """Return whether an item is certainly a changed one: it has a key, a box, the old rarest words, or no new word."""
    if key_of(old) or has_box(old) or has_box(new):
        return True
    words, new_words = words_in(old), words_in(new)
    least = min((counts.get(word, 0) for word in words), default=0)
    return new_words <= words or {word for word in words if counts.get(word, 0) == least} <= new_words


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    """Return how many lines are equal at the beginning of two texts."""
    return sum(1 for _ in itertools.takewhile(bool, map(operator.eq, one, other)))


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are equal at the beginning of two texts, and how many of the others at the end."""
    first = _common(one, other)
    return first, _common(reversed(one[first:]), reversed(other[first:]))


def is_entry(line: str) -> bool:
    """Return whether a line is of a list or of a table."""
    return _is_of_list(line) or line.lstrip().startswith("|")


def _is_of_list(line: str) -> bool:
    """Return whether a line begins a list item, or is indented as the other lines of an item are."""
    return is_item(line) or bool(line[:1].isspace() and line.strip())


def _content(line: str) -> str:
    """Return a line without the mark of an item."""
    mark = _ITEM.match(line)
    return line[mark.end() :] if mark else line


def shifted(ranges: Iterable[Range], old: int, new: int) -> Iterator[Range]:
    """Yield ranges of parts that begin at these lines of the whole texts as ranges of the whole texts."""
    return ((a + old, b + old, c + new, d + new) for a, b, c, d in ranges)


def _runs(pairs: Iterable[_Pair], old: int, new: int) -> Iterator[Range]:
    """Yield the range of each pair, and the ranges between pairs, for two lists of these lengths."""
    a = c = 0
    for one, other in (*pairs, (old, new)):
        if (a, c) != (one, other):
            yield a, one, c, other
        if one < old:
            yield one, one + 1, other, other + 1
        a, c = one + 1, other + 1


def _pairs(old: Sequence[str], new: Sequence[str], counts: Counts) -> list[_Pair]:
    """Return the pairs of lines, both in order, that are most likely versions of each other."""
    if not old or not new:
        return []
    words, new_words = [words_in(line) for line in old], [words_in(line) for line in new]
    new_counts = Counter(itertools.chain(*new_words))
    weights = {word: _WEIGHT // max(counts.get(word, 0), new_counts[word]) for word in set().union(*words, *new_words)}
    totals, new_totals = ([sum(map(weights.__getitem__, line)) for line in some] for some in (words, new_words))
    keys, new_keys = list(map(_name, old)), list(map(_name, new))
    likeness: dict[_Pair, int] = {}
    for (one, other), shared in _shared(words, new_words, weights).items():
        both, has_names = totals[one] + new_totals[other], bool(keys[one] and new_keys[other])
        is_alike = 4 * shared > both or 4 * shared > 3 * min(totals[one], new_totals[other])
        if keys[one] == new_keys[other] if has_names else is_alike:
            likeness[one, other] = _WEIGHT * has_names + 2 * _WEIGHT * shared // both
    return _heaviest(likeness)


def _name(line: str) -> str:
    """Return the first cell of a table row, or the key of another line; "" if it has none."""
    cell = _CELL.match(line)
    return (cell and cell[1].strip().casefold()) or key_of(line)


def _shared(
    words: Sequence[Set[str]], new_words: Sequence[Set[str]], weights: Mapping[str, int]
) -> Mapping[_Pair, int]:
    """Return the weight of the words that each pair of lines shares. If these are too many, only rare ones count."""
    places, new_places = _places(words), _places(new_words)
    shared: dict[_Pair, int] = defaultdict(int)
    compared, most = 0, max(_COMPARED, _COMPARED_BY_LINE * (len(words) + len(new_words)))
    for size, word in sorted((len(places[word]) * len(new_places[word]), word) for word in places.keys() & new_places):
        compared += size
        if compared > most:
            break
        for pair in itertools.product(places[word], new_places[word]):
            shared[pair] += weights[word]
    return shared


def _places(words: Iterable[Set[str]]) -> Mapping[str, list[int]]:
    """Return the numbers of the lines that have each word."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(words):
        for word in line:
            places[word].append(at)
    return places


def _heaviest(weights: Mapping[_Pair, int]) -> list[_Pair]:
    """Return the list of pairs with the greatest total weight in which both numbers rise."""
    ends: list[int] = []  # the second numbers at which a list may end, in order; a list with a later end weighs more
    best: list[tuple[int, _Pair]] = []  # for each end: the weight of the list, and its last pair
    before: dict[_Pair, _Pair] = {}
    for pair in sorted(weights, key=lambda pair: (pair[0], -pair[1])):
        at = bisect_left(ends, pair[1])
        total = weights[pair] + (best[at - 1][0] if at else 0)
        if at:
            before[pair] = best[at - 1][1]
        to = at
        while to < len(best) and best[to][0] <= total:
            to += 1
        if to > at or ends[at : at + 1] != [pair[1]]:
            ends[at:to], best[at:to] = [pair[1]], [(total, pair)]
    chain = [best[-1][1]] if best else []
    while chain and chain[-1] in before:
        chain.append(before[chain[-1]])
    return chain[::-1]
