"""Divide the edits of notes whose text is partly in another note in the merged tree.

This is so if one side extracted a passage that the other side edited (either side may have merged the rest of the note
into another one), or if the two sides merged one note into different notes. The part of an edit that is about the moved
text then belongs to the note that has it.

If both notes are one note in the merged tree, the lines that a side moved are tagged. The other side still has them at
their old place. Without tags, the merge would take the line at the old place and the line at the new one for one line.
The change that removed it from the old place would then remove both.
"""

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.merge import merged
from zkmem.errors import TooLarge
from zkmem.markdown import frontmatter
from zkmem.markdown.note import read_text, write_text
from zkmem.names import is_note
from zkmem.sync.notes import merged_note
from zkmem.sync.placement import BASE, FIRST, Id, Placement, Side, other_side
from zkmem.sync.states import States
from zkmem.util.hunks import Hunk, applied, divided_hunks
from zkmem.util.threeway import hunks


class DividedEdit(NamedTuple):
    """An edit in two parts: the base with the changes outside of a passage, and the base with those inside it."""

    rest: str
    passage: str


class MovedEdit(NamedTuple):
    """An edit of text that is in another note now: the text before and after it, and the side that made it."""

    base: bytes
    edited: bytes
    state: int
    note: Id  # the note that has the text on the other side


class DividedEdits(NamedTuple):
    """The parts of the divided edits."""

    rest: dict[tuple[Id, int], bytes]  # by the edited note and the side: its text with the changes that stay
    moved: dict[Id, list[MovedEdit]]  # by the note that contains the text now: see `Placement.holder`


def divide_edits(states: States, sides: Mapping[int, Side]) -> DividedEdits:
    """Divide all edits of text that is partly in another note in the merged tree; return the parts."""
    division = _Division(states, sides)
    for state in sides:
        division.divide_merges(state)
    for state in sides:
        division.divide_extractions(state)
    return division.edits


class _Passage(NamedTuple):
    """A passage of a note that is in another note now, and the edit to divide."""

    one: Id  # the note that had it
    to: Id  # the note that has it on the other side
    state: int  # the side that edited it
    at: str  # the path of `one` on that side
    texts: Callable[[str], tuple[bytes, bytes, bytes]]
    """Returns the note, the note without the passage, and the passage, respelled for a path in the merged tree."""
    own_targets: Sequence[str] = ()  # the notes on that side to which it extracted passages of `one`


class _Division:
    def __init__(self, states: States, sides: Mapping[int, Side]) -> None:
        self._states = states
        self._placement = states.placement
        self._sides = sides
        self._title = sides[FIRST].title
        self.edits = DividedEdits({}, {})

    def divide_merges(self, state: int) -> None:
        """Divide the edits of the target notes, for notes that the sides merged into different notes.

        If the other side's target counts, take the merged text out of this side's target. Edits of this text go to the
        other side's target.
        """
        other = other_side(state)
        for path, to in sorted(self._sides[state].merged.items()):
            target, root = self._placement.identity(state, to), self._placement.root(Id(BASE, path))
            to_there = self._sides[other].merged.get(path)
            if to_there is None or target.state != BASE or self._placement.root(target) == root:
                continue
            if {self._placement.root(target), root} <= self._placement.paths.keys():
                texts = functools.partial(self._both, target, Id(BASE, path))
                there = self._placement.identity(other, to_there)
                self._divide(_Passage(target, there, state, to, texts), takes_out=True)

    def _both(self, target: Id, lost: Id, place: str) -> tuple[bytes, bytes, bytes]:
        target_text, lost_text = (self._states.text(BASE, each.path, place) for each in (target, lost))
        return merged(target_text, lost_text), target_text, lost_text

    def divide_extractions(self, state: int) -> None:
        """Divide the edits of the notes from which a side extracted passages that the other side edited."""
        for source, target in self._sides[state].extracted:
            to = self._placement.identity(state, target)
            if is_note(source) and is_note(target) and self._placement.root(to) in self._placement.paths:
                for one in self._sources(state, source):
                    self._divide_extraction(state, source, target, one)

    def _divide_extraction(self, state: int, source: str, target: str, one: Id) -> None:
        """Divide the edits of a note from which a side extracted a passage. `source`: the path of the rest there."""
        other, place = other_side(state), self._placement
        to, at, into = place.identity(state, target), place.on(other, one), self._sides[other].merged.get(one.path)
        own = [new for old, new in self._sides[other].extracted if place.identity(other, old) == one]
        is_gone = self._states.blob(state, source) is None
        if at:
            merged_there = sorted(self._sides[other].merged.items())
            absorbed = [path for path, note in merged_there if place.identity(other, note) == one]
            texts = functools.partial(self._extracted, one, state, source, target, absorbed)
            self._divide(_Passage(one, to, other, at, texts, own), takes_out=is_gone)
        elif into and (note := place.identity(other, into)).state == BASE and place.root(note) in place.paths:
            texts = functools.partial(self._extracted_and_merged, note, one, state, source, target)
            self._divide(_Passage(note, to, other, into, texts, own), takes_out=is_gone)

    def _sources(self, state: int, source: str) -> Iterator[Id]:
        """Yield the notes of the base from which a side may have extracted passages of the note at `source`.

        These are the note itself, and the notes that the side merged into it, perhaps after the extraction. The side
        may have deleted it with their text.
        """
        one, side = self._placement.identity(state, source), self._sides[state]
        into = {**side.merged, **side.deleted_with}
        merged_here = (Id(BASE, path) for path, to in sorted(into.items()) if to == source)
        notes = (each for each in (one, *merged_here) if each.state == BASE)
        yield from (each for each in notes if self._placement.root(each) in self._placement.paths)

    def _extracted(
        self, one: Id, state: int, source: str, target: str, absorbed: Sequence[str], place: str
    ) -> tuple[bytes, bytes, bytes]:
        """Return a note, the note without the extracted passage, and the passage, respelled for a path.

        `absorbed`: the notes that the editing side merged into the note; their text is added to the first two, so that
        it is no change.
        """
        text = self._states.text
        base, passage = text(BASE, one.path, place), text(state, target, place)
        without = self._rest(base, passage, state, source, place)
        for lost in (text(BASE, path, place) for path in absorbed):
            base, without = merged(base, lost), merged(without, lost)
        return base, without, passage

    def _extracted_and_merged(
        self, one: Id, lost: Id, state: int, source: str, target: str, place: str
    ) -> tuple[bytes, bytes, bytes]:
        """Return the texts as `_extracted` does, of a note into which the editing side merged the note `lost`."""
        text = self._states.text
        note, before, passage = text(BASE, one.path, place), text(BASE, lost.path, place), text(state, target, place)
        return merged(note, before), merged(note, self._rest(before, passage, state, source, place)), passage

    def _rest(self, base: bytes, passage: bytes, state: int, source: str, place: str) -> bytes:
        """Return the text that an extraction has left; or if it is deleted, the lines not in the passage."""
        if self._states.blob(state, source):
            return self._states.text(state, source, place)
        text = read_text(base)
        lines = text.text.split("\n")
        left = hunks(lines, read_text(passage).text.split("\n"))
        return write_text("\n".join(line for hunk in left for line in lines[hunk.start : hunk.end]), text)

    def _divide(self, passage: _Passage, *, takes_out: bool) -> None:
        """Divide an edit. `takes_out`: take the passage out of the note."""
        key = passage.one, passage.state
        root = self._placement.root(passage.to)
        own, place = (self._placement.paths[one] for one in (self._placement.root(passage.one), root))
        try:
            base, without, _ = passage.texts(own)
            rest = self._divided(passage, own, self.edits.rest.get(key))[0]
            moved = MovedEdit(passage.texts(place)[0], self._divided(passage, place)[1], passage.state, passage.to)
        except TooLarge:
            return
        self.edits.rest[key] = merged_note(base, rest, without, self._title).data if takes_out else rest
        if moved.edited != moved.base:
            self.edits.moved.setdefault(self._placement.holder(passage.to), []).append(moved)

    def _divided(self, passage: _Passage, place: str, edited: bytes | None = None) -> tuple[bytes, bytes]:
        """Return both parts of an edit, respelled for a path. `edited`: the edited text, if it was divided before."""
        base, *others = passage.texts(place)
        others.append(self._states.text(passage.state, passage.at, place) if edited is None else edited)
        others += [self._states.text(passage.state, path, place) for path in passage.own_targets if is_note(path)]
        states = [other_side(passage.state)] * 2 + [passage.state] * (len(others) - 2)
        spelled = [self._states.spelled_like(base, data, place, of) for data, of in zip(others, states, strict=True)]
        texts = list(map(read_text, spelled))
        source, target, like, *own = texts
        edit = divided(read_text(base).text, source.text, target.text, like.text, [text.text for text in own])
        return write_text(edit.rest, like), write_text(edit.passage, like)


def divided(base: str, source: str, target: str, edited: str, own_targets: Sequence[str] = ()) -> DividedEdit:
    """Divide the edit of a note from `base` to `edited`. The other side extracted a passage of the note.

    `source`: the other side's text without the passage. `target`: the text of the note that got the passage. A change
    belongs to the passage if the lines of the base that it changes are not in `source`, but unchanged in `target`. A
    new paragraph below a changed one is a change of its own.
    `own_targets`: the notes to which the edit itself extracted passages. Lines that it moved there are not deleted, so
    this change stays.
    """
    lines = base.split("\n")
    out, kept = hunks(lines, source.split("\n")), hunks(lines, target.split("\n"))
    moved = _moved_lines(lines, out, own_targets)
    rest: list[Hunk] = []
    passage: list[Hunk] = []
    for hunk in divided_hunks(lines, hunks(lines, edited.split("\n")), out)[0]:
        follows = _meets(hunk, out) and not _meets(hunk, kept) and moved.isdisjoint(range(hunk.start, hunk.end))
        (passage if follows else rest).append(hunk)
    return DividedEdit(*("\n".join(applied(lines, part, 0, len(lines))) for part in (rest, passage)))


def divided_by_notes(parts: Sequence[bytes], edited: bytes, title: str) -> list[tuple[bytes, bytes]]:
    """Return, for each of the notes that were merged into one, its text before and after an edit of that one.

    `parts`: the notes before the edit, in the order of their texts in the merged note; `edited`: the merged note after
    the edit; `title`: the title of the callouts. The result is in the order of `parts`.
    """
    wholes = list(itertools.accumulate(parts, merged))
    edits = []
    for part, before, whole in [*zip(parts[1:], wholes, wholes[1:], strict=False)][::-1]:
        source, target, like = map(read_text, (part, before, edited))
        edit = divided(read_text(whole).text, source.text, target.text, like.text)
        edits.append((part, merged_note(whole, write_text(edit.rest, like), part, title).data))
        edited = merged_note(whole, write_text(edit.passage, like), before, title).data
    return [(parts[0], edited), *edits[::-1]]


def _moved_lines(lines: Sequence[str], out: Sequence[Hunk], targets: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that some hunks remove and that are in one of the targets."""
    gone = {number for hunk in out for number in range(hunk.start, hunk.end) if lines[number].strip()}
    changed = (hunks(lines, target.split("\n")) for target in targets)
    return {number for each in changed for number in gone - {at for hunk in each for at in range(hunk.start, hunk.end)}}


def _meets(hunk: Hunk, others: Sequence[Hunk]) -> bool:
    """Return whether a hunk touches lines of the base that other hunks change."""
    return any(hunk.start < one.end and one.start < hunk.end for one in others if one.start < one.end) or any(
        hunk.start < one.start < hunk.end for one in others
    )


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
