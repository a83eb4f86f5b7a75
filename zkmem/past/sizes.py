"""How many words edits have added to notes and removed, and which notes they have overwritten.

A note is *overwritten* if it is still there and most of the words of its text are gone, and at least 20. Properties do
not count.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from zkmem.markdown.note import body_of, read_text
from zkmem.past.files import EditedFile
from zkmem.util.alignment import common_ends

_LEAST_GONE = 20  # words; a short note whose few words are replaced is changed
_MOST_BYTES = 500_000  # of a text that is compared
_WORDS_OF_NOTE = 500  # that count as one note
_MOST_KNOWN = 20_000  # changes whose sizes are remembered
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")  # scripts without blanks by the character

TextOf = Callable[[str, str], bytes | None]
"""Returns the bytes that the note at a path had, by their etag; None if they are not kept."""

TextsOf = tuple[tuple[str, str], ...]
"""Texts before or after some edits: the path and the etag of each."""


def words_of(line: str) -> list[str]:
    """Return the words of a line."""
    return _WORD.findall(line)


class Sizes(NamedTuple):
    """How the words of a text differ from those of an earlier one.

    Between the first and the last difference, a word is gone if the later text has neither the pair of it and the word
    before it, nor the pair of it and the word after it. So words that moved with their neighbours are not gone, and
    common words that the later text has in other places do not count as kept. The end of a line counts as a word, or
    not: the items of a list may be sorted, and lines may be wrapped anew.
    """

    added: int
    removed: int
    before: int  # words of the earlier text
    is_appended: bool  # whether the later text begins with the earlier one

    @classmethod
    def of(cls, before: str, after: str) -> "Sizes":
        """Compare two texts."""
        old, new = map(_words_and_ends, (before, after))
        first, last = common_ends(old, new)
        mine, theirs = old[first : len(old) - last], new[first : len(new) - last]
        is_appended = bool(before.strip()) and after.startswith(before.rstrip())
        return cls(_gone(theirs, mine), _gone(mine, theirs), sum(map(bool, old)), is_appended)

    @property
    def is_overwriting(self) -> bool:
        """Whether most of the words of the earlier text are gone, and not only a few."""
        return self.is_much_gone and 2 * self.removed > self.before

    @property
    def is_much_gone(self) -> bool:
        """Whether more than a few words of the earlier text are gone."""
        return self.removed >= _LEAST_GONE


def _words_and_ends(text: str) -> list[str]:
    """Return the words of a text, with "" around those of each line that has any."""
    return ["", *(word for line in text.splitlines() if (words := words_of(line)) for word in (*words, ""))]


def _gone(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many of some words are gone from others. Both have "" at the ends of lines."""
    plain = (list(filter(None, words)) for words in (old, new))
    return min(_alone(old, new), _alone(*plain))


def _alone(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many words have none of their neighbours in another list of words."""
    left = Counter(itertools.pairwise(new))
    kept = [not word for word in old]
    for at, pair in enumerate(itertools.pairwise(old)):
        if left[pair] > 0:
            left[pair] -= 1
            kept[at] = kept[at + 1] = True
    return kept.count(False)


class Compared:
    """The sizes of changes. They are remembered, since the bytes with an etag never change."""

    def __init__(self) -> None:
        self._known: dict[tuple[TextsOf, TextsOf], Sizes] = {}
        self.briefs: dict[Hashable, Any] = {}  # the last briefs that were told; `memory/past.py` fills this

    def knows(self, files: Sequence[EditedFile]) -> bool:
        """Return whether the sizes of a change are known without reading its texts."""
        return sides_of(files) in self._known or not all(file.is_note for file in files)

    def sizes(self, files: Sequence[EditedFile], text: TextOf) -> Sizes | None:
        """Return the sizes of the change of a note, which several files may share; None if a text is not known.

        It is not known if it is not kept, has more than 500,000 bytes, or is that of another file than a note.
        """
        if not all(file.is_note for file in files):
            return None
        sides = sides_of(files)
        if sides not in self._known:
            before, after = (joined(side, text) for side in sides)
            if before is None or after is None:
                return None
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[sides] = Sizes.of(before, after)
        return self._known.get(sides)


class SizeReader:
    """Compares texts for one answer, until too much work was done."""

    def __init__(self, compared: Compared, text: TextOf, most: int) -> None:
        """`most`: how many notes to compare; a note of thousands of words counts for several."""
        self._compared = compared
        self._text = text
        self._left = most
        self.missed = 0  # changes that were not compared, because there were too many

    def sizes(self, files: Sequence[EditedFile]) -> Sizes | None:
        """Return the sizes of a change; None if a text is not known, or if too much work was done."""
        if self._compared.knows(files):
            return self._compared.sizes(files, self._text)
        if self._left <= 0:
            self.missed += 1
            return None
        sizes = self._compared.sizes(files, self._text)
        self._left -= 1 + ((sizes.before + sizes.added) // _WORDS_OF_NOTE if sizes else 0)
        return sizes


def sides_of(files: Iterable[EditedFile]) -> tuple[TextsOf, TextsOf]:
    """Return the texts of some files before and after the edits that changed them."""
    before, after = list[tuple[str, str]](), list[tuple[str, str]]()
    for file in files:
        segments = file.segments or [(file.before.etag, file.after.etag)]
        if not file.is_there:
            segments = [(file.etag_lost, None)]
        before += [(file.after.path, tag) for tag, _ in segments if tag is not None]
        after += [(file.after.path, tag) for _, tag in segments if tag is not None]
    return tuple(before), tuple(after)


def joined(side: TextsOf, text: TextOf) -> str | None:
    """Return some texts, without their properties, as one; None if one of them is not known."""
    texts = list[str]()
    for path, tag in side:
        data = text(path, tag)
        if data is None or len(data) > _MOST_BYTES:
            return None
        texts.append(read_text(body_of(data)).shown)
    return "\n".join(texts)
