"""Tag the lines that a side moved from one note to another, if both notes are one note in the merged tree.

The other side still has these lines at their old place. Without tags, the merge would take the line at the old place
and the line at the new one for one line. The change that removed it from the old place would then remove both.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from zkmem.markdown import frontmatter
from zkmem.names import is_note
from zkmem.sync.placement import BASE, Id, Placement
from zkmem.sync.sides import Side
from zkmem.sync.states import States

_LINE = re.compile(rb"[^\r\n]+")
_TAG = b"\0zkmem moved this line\0"  # a text that no note has
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]")  # lines without a word, such as the end of code, shape the text


class Tags:
    """The moved lines of two sides."""

    def __init__(self, states: States, sides: Mapping[int, Side]) -> None:
        self._states = states
        self._placement = states.placement
        self._sides = sides
        self._sources = {state: _sources(states.placement, state, side) for state, side in sides.items()}

    def tagged(self, text: bytes, state: int, at: str, path: str) -> bytes:
        """Return a text of a note with a tag at the end of each line that the side moved to the note.

        `at`: the path of the note on the side; `path`: its path in the merged tree, for which the text is respelled.
        """
        sources = self._sources[state].get(at)
        if not sources:
            return text
        moved = _lines(each for source in sources for each in self._former_texts(state, source, path))
        moved -= _lines(self._former_texts(state, at, path))
        begin = frontmatter.split(text)[2]
        return text[:begin] + _LINE.sub(lambda line: line[0] + _TAG * (line[0] in moved), text[begin:])

    def _former_texts(self, state: int, at: str, path: str) -> list[bytes]:
        """Return the texts of the base that are in a side's note: its own, and those of the notes merged into it."""
        one = self._placement.identity(state, at)
        merged = self._sides[state].merged.items()
        absorbed = [old for old, to in merged if self._placement.identity(state, to) == one]
        own = [one.path] if one.state == BASE else []
        return [self._states.text(BASE, old, path) for old in (*absorbed, *own)]


def untagged(text: bytes) -> bytes:
    """Return a text without tags."""
    return text.replace(_TAG, b"")


def _sources(placement: Placement, state: int, side: Side) -> dict[str, Collection[str]]:
    """Return the notes that each note of a side got passages from, by the paths on the side.

    Only notes that are one note in the merged tree count. A passage may have been extracted several times in a row.
    """

    def root(path: str) -> Id:
        return placement.root(placement.identity(state, path))

    sources: dict[str, set[str]] = {}
    for source, to in side.extracted:
        if is_note(source) and is_note(to):
            sources.setdefault(to, set()).update({source, *sources.get(source, ())})
    return {to: [one for one in sorted(notes - {to}) if root(one) == root(to)] for to, notes in sources.items()}


def _lines(texts: Iterable[bytes]) -> set[bytes]:
    return {line for text in texts for line in _LINE.findall(text) if _WORD.search(line)}
