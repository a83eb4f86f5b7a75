"""Merge the notes of two sides and their links: a pure function of three trees.

The links of the base and of both sides are respelled for the files of the merged tree. The remaining differences are
edits, which are merged note by note. The result does not depend on the machine that computes it.
"""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.merge import merged
from zkmem.errors import TooLarge
from zkmem.index.catalog import CANVAS
from zkmem.names import base_of, fold, is_note, name_of
from zkmem.sync.canvases import merged_canvas
from zkmem.sync.division import MovedEdit, Tags, divide_edits, divided_by_notes, untagged
from zkmem.sync.notes import MergedNote, as_merged, joined_note, merged_note, names_after_merge
from zkmem.sync.placement import BASE, FIRST, SECOND, Id, Placement, Side, beside, other_side
from zkmem.sync.states import LocalFiles, Read, States
from zkmem.util.union import pieces
from zkmem.vault.git.trees import Blob, NewFile
from zkmem.vault.paths import is_hidden

_NEWER_STANDS = (".json", ".base", ".css", ".toml")  # settings: nobody would read a second version beside them


class MergedTree(NamedTuple):
    """The files that a merge changes, and what it reports."""

    files: Mapping[str, Blob | NewFile | None]  # every path that may differ from the base; None if it has no file
    placement: Placement
    conflicts: tuple[str, ...]  # notes with a new callout
    kept: tuple[str, ...]  # files that one side deleted and the other edited
    beside: tuple[str, ...]  # files of which both versions are kept


def merge_trees(first: Side, second: Side, here: LocalFiles, read: Read) -> MergedTree:
    """Return the merge of two sides, of which `first` is the older one."""
    return _Merge(first, second, here, read).result()


class _Merge:
    def __init__(self, first: Side, second: Side, here: LocalFiles, read: Read) -> None:
        self.sides = {FIRST: first, SECOND: second}
        self.states = States(first, second, here, read)
        self.placement = self.states.placement
        self.divided = divide_edits(self.states, self.sides)
        self.tags = Tags(self.states, self.sides)
        self.conflicts: list[str] = []
        self.beside: dict[str, Blob | NewFile | None] = {}

    def result(self) -> MergedTree:
        files: dict[str, Blob | NewFile | None] = dict.fromkeys(self.states.touched)
        roots: dict[Id, list[Id]] = {}
        for one, to in self.placement.joined.items():
            roots.setdefault(self.placement.root(to), []).append(one)
        for one, path in sorted(self.placement.paths.items(), key=lambda item: item[1]):
            files[path] = self._file(one, path, sorted(roots.get(one, ())))
        files |= self.states.respelled_untouched()
        kept = sorted({self.placement.paths[self.placement.root(one)] for one in self.placement.kept})
        return MergedTree(
            files | self.beside, self.placement, tuple(sorted(self.conflicts)), tuple(kept), tuple(sorted(self.beside))
        )

    def _file(self, one: Id, path: str, joined: Sequence[Id]) -> Blob | NewFile | None:
        base, *blobs = (self._blob(state, one) for state in (BASE, *self.sides))
        present = [blob for blob in blobs if blob]
        if not present or not all(blob.is_plain for blob in present):
            return self._standing(one)
        first, second = (blob and blob.mode for blob in blobs)
        mode = (first if first and second in {None, base and base.mode} else second) or present[0].mode
        try:
            if is_hidden(path):
                return self._hidden(one, path, joined, mode)
            if is_note(path):
                return self._note(one, path, joined, mode)
            if fold(path).endswith(CANVAS):
                return self._canvas(one, path, mode)
        except TooLarge:
            pass
        return self._other(one, path, joined)

    def _blob(self, state: int, one: Id) -> Blob | None:
        """Return a file as it is in a state; None if it is not there."""
        at = self.placement.on(state, one)
        return None if at is None else self.states.blob(state, at)

    def _hidden(self, one: Id, path: str, joined: Sequence[Id], mode: str) -> Blob | NewFile | None:
        """Return a hidden file: if both sides changed it, the lines of both; of settings and binary files the newer.

        Files that got one path are treated in the same way.
        """
        stands, *others = (self._standing(each) for each in (*joined, one)[::-1])
        sides = [self._blob(state, one) for state in (BASE, FIRST, SECOND)]
        hashes = {blob and blob.hash for blob in sides}
        if not any(others) and (None in sides[1:] or len(hashes) < len(sides)):
            return stands
        texts = [self._lines(blob) for blob in sides]
        parts = [self._lines(blob) for blob in others]
        if fold(path).endswith(_NEWER_STANDS) or any(text is None for text in (*texts, *parts)):
            return next(filter(None, (*others[::-1], stands)), None)
        base, first, second = (text or [""] for text in texts)
        lines = _union(base, first, second)
        for part in parts:
            lines = _union([""], lines, part or [""])
        return NewFile(mode, "\n".join(lines).encode("latin-1"))

    def _lines(self, blob: Blob | None) -> list[str] | None:
        """Return the lines of a file, of which each byte is a character; None if it is a binary file."""
        text = self.states.data(blob).decode("latin-1") if blob else ""
        return None if "\0" in text else text.split("\n")

    def _standing(self, one: Id) -> Blob | None:
        """Return the version of the side that changed the file; the second side's if both did.

        The mode and the bytes are merged separately. If one side replaced the file by a symbolic link, return the other
        side's file.
        """
        base, first, second = (self._blob(state, one) for state in (BASE, FIRST, SECOND))
        if first is None or second is None:
            return first or second
        if first.is_plain != second.is_plain:
            return first if first.is_plain else second
        if not first.is_plain or base is None:
            return first if second == base else second
        mode = first.mode if second.mode == base.mode else second.mode
        return Blob(mode, first.hash if second.hash == base.hash else second.hash)

    def _other(self, one: Id, path: str, joined: Iterable[Id]) -> Blob | None:
        """Return the version of an attachment for its path; if both sides changed it, put the first's beside it.

        A note whose text cannot be merged is an attachment, too. Other notes that got its path, or that a side merged
        into it and the other side edited, are put beside it.
        """
        one, *others = sorted((one, *joined), key=lambda each: -each.state)
        blobs = [self._blob(state, one) for state in (BASE, FIRST, SECOND)]
        hashes = {blob and blob.hash for blob in blobs}
        if None not in blobs[1:] and len(hashes) == len(blobs) and not fold(path).endswith(_NEWER_STANDS):
            self._put_beside(path, FIRST, blobs[1])
        stands = self._standing(one)
        for other in others:
            if (blob := self._standing(other)) != stands:
                self._put_beside(path, other.state or FIRST, blob)
        for other in (each for root in (one, *others) for each in self._absorbed(root)):
            for state in self.sides:
                if (blob := self._blob(state, other)) not in {None, self._blob(BASE, other)}:
                    self._put_beside(other.path, state, blob)
        return stands

    def _put_beside(self, path: str, state: int, blob: Blob | NewFile | None) -> None:
        """Put a side's version of a file beside the file at a path."""
        while (path := beside(path, self.sides[state].label)) in self.beside:
            pass
        self.beside[path] = blob

    def _canvas(self, one: Id, path: str, mode: str) -> NewFile:
        at = {state: self.placement.on(state, one) for state in (BASE, FIRST, SECOND)}
        base, first, second = (self.states.text(state, place, path) if place else None for state, place in at.items())
        if first is None or second is None:
            return NewFile(mode, first or second or b"")
        data = merged_canvas(base or b"", first, second)
        if data is None and (older := self._blob(FIRST, one)):
            self._put_beside(path, FIRST, NewFile(older.mode, first))
        return NewFile(mode, second if data is None else data)

    def _note(self, one: Id, path: str, joined: Iterable[Id], mode: str) -> NewFile:
        note = self._own_text(one, path)
        for other in joined:
            added = self._own_text(other, path)
            if one.state != BASE != other.state:  # both sides created it
                first, second = (note, added) if one.state == FIRST else (added, note)
                both = merged_note(b"", first.data, second.data, self.sides[FIRST].title)
            else:
                both = joined_note(note.data, added.data, self._title(other, path))
            note = MergedNote(both.data, both.in_conflict or note.in_conflict or added.in_conflict)
        data = note.data
        for name in sorted({base_of(name_of(old)) for each in (one, *joined) for old in self._old_names(each)}):
            if name != base_of(name_of(path)):
                data = merged(data, f"---\naliases:\n  - {json.dumps(name, ensure_ascii=False)}\n---\n".encode())
        if note.in_conflict:
            self.conflicts.append(path)
        return NewFile(mode, data)

    def _title(self, other: Id, path: str) -> str:
        """Return the title of a callout with lines of a note that a side moved or made at a path."""
        state = other.state or next((s for s in self.sides if self.placement.on(s, other) == path), FIRST)
        return self.sides[state].title

    def _old_names(self, one: Id) -> list[str]:
        return [self.placement.aliases[one]] if one in self.placement.aliases else []

    def _own_text(self, one: Id, path: str) -> MergedNote:
        """Return a note with the edits of both sides, and with those in the notes that were merged into it.

        An edit of text that was in another note is applied to the side's text that contains it, before the two sides
        are merged: lines that are in both texts stand only once afterwards, and the edit may be about one of them.
        """
        base = self.states.text(BASE, one.path, path) if one.state == BASE else b""
        notes = {state: MergedNote(self._side_text(one, state, path, base)) for state in self.sides}
        absorbed = self._absorbed(one)
        parts = {state: {each for each in absorbed if self._merged_into(state, each) == one} for state in self.sides}
        lacking = {other: [state for state in self.sides if other not in parts[state]] for other in absorbed if base}
        added = {
            other: self.states.text(BASE, other.path, path)
            for other, states in lacking.items()
            # a side without this note, but with other merged notes, could get all of them in another order
            if len(states) < len(self.sides) and not any(parts[state] for state in states)
        }
        merging = [state for state in self.sides if parts[state]]
        # in the order of the side that has merged notes into this one; if both have, the orders may differ
        whole = notes[merging[0]].data if len(merging) == 1 else b""
        for other in _in_order_of(whole, {one: base} | added) if whole else added:
            if other != one:
                base = merged(base, added[other])
                # with the same text on all sides, no line of it is taken for a new version of a line above
                notes |= {state: MergedNote(merged(notes[state].data, added[other])) for state in lacking[other]}
        edits = [edit for other in absorbed for edit in self._edits(other, path)]
        for edit in (*edits, *self.divided.moved.get(one, ())):
            state = self._side_with_text(edit)
            notes[state] = self._applied(notes[state], edit, path)
        texts = {state: note.data for state, note in notes.items()}
        if base and (self.states.has_lost_moves or base not in texts.values()):
            texts = {state: self.states.spelled_like(base, text, path, state) for state, text in texts.items()}
        note = merged_note(base, texts[FIRST], texts[SECOND], self.sides[FIRST].title)
        in_conflict = note.in_conflict or any(each.in_conflict for each in notes.values())
        return MergedNote(untagged(note.data), in_conflict)

    def _side_with_text(self, edit: MovedEdit) -> int:
        """Return the side whose note contains the text that an edit changed."""
        one = edit.note
        while (into := self.placement.into.get(one)) in self.placement.into:
            one = into
        holders = [state for state in self.sides if into and self._merged_into(state, one) == into]
        return holders[0] if len(holders) == 1 else other_side(edit.state)

    def _merged_into(self, state: int, one: Id) -> Id | None:
        """Return the note into which a side merged a note; None if it did not."""
        to = self.sides[state].merged.get(one.path)
        return None if to is None else self.placement.identity(state, to)

    def _side_text(self, one: Id, state: int, path: str, base: bytes) -> bytes:
        """Return the text of a note on a side; the base's if that side deleted the note."""
        at = self.placement.on(state, one)
        if at is None:
            return base if one.state == BASE else b""
        is_same = one.state == BASE and self.states.blob(state, at) == self.states.blob(BASE, one.path)
        return base if is_same and (one, state) not in self.divided.rest else self._edited(one, state, at, path)

    def _edited(self, one: Id, state: int, at: str, path: str) -> bytes:
        """Return the text of the note that a side has at a path, without the edits that belong to other notes."""
        rest = self.divided.rest.get((one, state))
        return self.tags.tagged(self.states.text(state, at, path) if rest is None else rest, state, at, path)

    def _absorbed(self, root: Id) -> list[Id]:
        """Return the notes that were merged into a note, those that were merged directly first."""

        def depth(one: Id) -> int:
            steps = 0
            while one != root:
                one, steps = self.placement.into[one], steps + 1
            return steps

        below = (one for one in self.placement.into if self.placement.holder(one) == root)
        return sorted(below, key=lambda one: (depth(one), one))

    def _edits(self, other: Id, path: str) -> Iterator[MovedEdit]:
        """Yield the edits of the note `other`, which one side merged into the note at `path` and the other edited."""
        for state, side in self.sides.items():
            at = side.path(other.path)
            if at is None:
                continue
            parts = {other: self.states.text(BASE, other.path, path)}
            for back, to in sorted(side.merged.items()):  # its text may be in the result already
                into = self.placement.into.get(Id(BASE, back))
                to_there = self._merged_into(other_side(state), Id(BASE, back))
                is_there = into is None or (
                    to_there is not None
                    and self.placement.root(to_there) == self.placement.root(other)
                    # else both an edit of the note `to_there` and this one would take the text for theirs
                    and (to_there == into or to_there not in self.placement.into)
                )
                if is_there and self.placement.identity(state, to) == other:
                    parts[Id(BASE, back)] = self.states.text(BASE, back, path)
            whole = functools.reduce(merged, parts.values())
            edited = self.states.spelled_like(whole, self._edited(other, state, at, path), path, state)
            parts = {other: parts[other]} | {one: parts[one] for one in _in_order_of(edited, parts)}
            # the other side may have put the parts together in another order
            edits = divided_by_notes([*parts.values()], edited, self.sides[FIRST].title)
            for one, (base, text) in zip(parts, edits, strict=True):
                yield self._renamed(MovedEdit(base, text, state, one), path)

    def _renamed(self, edit: MovedEdit, path: str) -> MovedEdit:
        """Return an edit of a merged note with the footnotes, labels and block ids that the merge renamed."""
        side = other_side(edit.state)
        to = self.sides[side].merged.get(edit.note.path)
        target = self.placement.identity(side, to) if to else edit.note
        if to is None or target.state != BASE:
            return edit
        names = names_after_merge(edit.base, self.states.text(BASE, target.path, path))
        if not any(names):
            return edit
        base = as_merged(edit.base, names)
        there = self.states.text(side, to, path)
        if not _lines_of(base) - _lines_of(edit.base) <= _lines_of(there):  # the side's text had other names by then
            return edit
        return edit._replace(base=base, edited=as_merged(edit.edited, names))

    def _applied(self, note: MergedNote, edit: MovedEdit, path: str) -> MergedNote:
        """Return a note with an edit of a part of it."""
        texts = {other_side(edit.state): note.data, edit.state: edit.edited}
        spelled = {state: self.states.spelled_like(edit.base, text, path, state) for state, text in texts.items()}
        both = merged_note(edit.base, spelled[FIRST], spelled[SECOND], self.sides[FIRST].title)
        return MergedNote(both.data, both.in_conflict or note.in_conflict)


def _in_order_of(text: bytes, parts: Mapping[Id, bytes]) -> list[Id]:
    """Return the parts of a text in the order in which they stand there, by the first line that only they have."""
    known = Counter(line for part in parts.values() for line in _lines_of(part) if line.strip())
    at = {line: -number for number, line in enumerate(text.splitlines()[::-1]) if known[line] == 1}
    return sorted(parts, key=lambda one: min((at[line] for line in _lines_of(parts[one]) if line in at), default=1))


def _lines_of(text: bytes) -> set[bytes]:
    return set(text.splitlines())


def _union(base: Sequence[str], first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the merged lines of a text that is no note: where both sides changed it, the lines of both."""
    merged = pieces(base, first, second, levels=None)
    return [line for piece in merged for line in (*piece.first_lines, *piece.lines)]
