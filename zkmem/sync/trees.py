"""Merge the notes of two sides and their links: a pure function of three trees.

The texts of all three states are respelled for the files of the merged tree. What then differs is what people wrote,
and is merged note by note. The result does not depend on which machine computes it.
"""

import functools
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from zkmem.edit.merge import merged
from zkmem.edit.respell import Respeller
from zkmem.errors import Inexpressible, TooLarge
from zkmem.index.catalog import CANVAS, Catalog, ProjectedCatalog
from zkmem.index.resolve import Files, resolve
from zkmem.markdown.links import Link, as_utf8, find_links
from zkmem.markdown.note import body_of, read_text, write_text
from zkmem.markdown.sections import Outline
from zkmem.names import base_of, fold, is_note, name_of
from zkmem.sync.canvases import merged_canvas
from zkmem.sync.extraction import split_edit
from zkmem.sync.meanings import Extracted, parts_of, respellers
from zkmem.sync.notes import MergedNote, merged_note
from zkmem.sync.placement import BASE, FIRST, SECOND, Id, Placement, beside
from zkmem.sync.sides import Side
from zkmem.util.threeway import hunks
from zkmem.vault.git.trees import Blob, Diff, NewFile
from zkmem.vault.paths import is_hidden

_NEWER_STANDS = (".json", ".base", ".css")  # files of programs, of which two versions side by side would mean nothing

_MOST_TARGETS = 20_000  # notes whose links in the base are remembered

Read = Callable[[Blob], bytes]
"""Returns the bytes of a file.

Raises TooLarge when it is larger than a note may be.
"""


class Here(NamedTuple):
    """What a machine knows of the files that neither side touched."""

    catalog: Catalog  # the files of the vault
    diffs: Mapping[str, Diff]  # the files that differ in the base and in the vault
    blobs: Callable[[Collection[str]], Mapping[str, Blob]]  # returns untouched files, by path
    could_mean: Callable[[Collection[str]], Iterable[str]]  # the notes with a link that may mean one of these paths
    ignored: Collection[str] = ()  # files of the vault that are in no tree


class MergedTree(NamedTuple):
    """What a merge changes."""

    files: Mapping[str, Blob | NewFile | None]  # every path that may differ from the base; None: there is no file
    placement: Placement
    conflicts: tuple[str, ...]  # notes with a new callout
    kept: tuple[str, ...]  # files that one side deleted and the other edited
    beside: tuple[str, ...]  # files of which both versions are kept


def merge_trees(first: Side, second: Side, here: Here, read: Read) -> MergedTree:
    """Return the merge of two sides, of which `first` is the older one."""
    return _Merge(first, second, here, read).result()


class _Pending(NamedTuple):
    """The part of an edit that follows a passage into another note: the texts before and after, and the side."""

    base: bytes
    edited: bytes
    state: int


class _Merge:
    def __init__(self, first: Side, second: Side, here: Here, read: Read) -> None:
        self.sides = {FIRST: first, SECOND: second}
        self.here = here
        self.blobs = read
        self.touched = {*first.diffs, *second.diffs}
        self.placement = Placement(first, second, self.is_edited, self.base_below)
        self.final = set(self.placement.paths.values())
        self.touched |= self.final
        files = {state: self._files(self._present(state)) for state in (BASE, FIRST, SECOND)}
        self.after = self._files(self.final)
        parts = {state: parts_of(self._extracted(state)) for state in files}
        targets = functools.lru_cache(maxsize=_MOST_TARGETS)(self._targets)
        self.respell = respellers(files, self.after, self.placement, targets, parts)
        self.pending: dict[Id, list[_Pending]] = {}
        self.rest: dict[tuple[Id, int], bytes] = {}  # the part of an edit that stays, by note and side
        self.conflicts: list[str] = []
        self.beside: dict[str, Blob | NewFile | None] = {}

    # The files of each state

    def _present(self, state: int) -> set[str]:
        return {path for path in self.touched if self.blob(state, path) is not None}

    def _files(self, present: Collection[str]) -> Files:
        """Return the files of a state, of which `present` are those that a side touched."""
        others = self.here.diffs.keys() - self.touched
        present = {*present, *(path for path in others if self.here.diffs[path].before)}
        own = {path for path in (*self.touched, *others) if path in self.here.catalog}
        gone = dict.fromkeys([*(own - present), *self.here.ignored])
        return ProjectedCatalog(self.here.catalog, gone, [path for path in present - own if not is_hidden(path)])

    def blob(self, state: int, path: str) -> Blob | None:
        """Return the file at a touched path in a state; None if there is none."""
        side = self.sides.get(state)
        if side and path in side.diffs:
            return side.diffs[path].after
        for one in self.sides.values():
            if path in one.diffs:
                return one.diffs[path].before
        return None

    def base_below(self, folder: str) -> list[str]:
        """Return the files of the base below a folder."""
        below = folder + "/"
        here = (path for path in self.here.catalog.below([folder]) if path not in self.touched)
        return [*here, *(path for path in self.touched if path.startswith(below) and self.blob(BASE, path))]

    # Texts

    def read(self, state: int, path: str | None) -> bytes:
        """Return the bytes of the file at a path in a state; no bytes if there is none."""
        blob = self.blob(state, path) if path is not None else None
        return self.blobs(blob) if blob else b""

    def _targets(self, state: int, path: str) -> frozenset[str]:
        """Return the targets of the links in the lines that a note has in the base, too."""
        origin = self.placement.identity(state, path)
        if origin.state != BASE or not is_note(path):
            return frozenset()
        try:
            base, data = self.read(BASE, origin.path), self.read(state, path)
        except TooLarge:
            return frozenset()
        lines = set(data.split(b"\n"))
        return frozenset(link.target for link in find_links(base) if lines.issuperset(_lines_of(base, link)))

    def is_edited(self, state: int, base_path: str) -> bool:
        """Return whether a side changed more than links in a file of the base."""
        path = self.sides[state].path(base_path)
        one, other = self.blob(BASE, base_path), self.blob(state, path) if path else None
        if path is None or one == other:
            return False
        if not is_note(base_path) or is_hidden(base_path):
            return one != other
        try:
            return self._without_links(BASE, base_path) != self._without_links(state, path)
        except TooLarge:
            return True

    def _without_links(self, state: int, path: str) -> bytes:
        """Return the text of a note without the targets of its links."""
        data, result, at = self.read(state, path), b"", 0
        for link in find_links(data):
            result += data[at : link.start] + b"[]"
            at = link.end
        return result + data[at:]

    def text(self, state: int, path: str, to: str) -> bytes:
        """Return the text of a note in a state, respelled for its path in the merged tree."""
        return self._respelled(self.respell[state], self.read(state, path), path, to)

    def _respelled(self, respeller: Respeller, data: bytes, path: str, to: str) -> bytes:
        try:
            return respeller.rewrite(data, path, to) if is_note(path) else respeller.canvas(data, path, to)
        except Inexpressible:  # a link cannot be written at its place: it stays, and `check` tells of it
            return data

    # The merge

    def result(self) -> MergedTree:
        self._split_edits()
        files: dict[str, Blob | NewFile | None] = dict.fromkeys(self.touched)
        roots: dict[Id, list[Id]] = {}
        for one, to in self.placement.joined.items():
            roots.setdefault(self.placement.root(to), []).append(one)
        for one, path in sorted(self.placement.paths.items(), key=lambda item: item[1]):
            files[path] = self._file(one, path, sorted(roots.get(one, ())))
        for path, blob in self.here.blobs(self._unchanged_with_new_links()).items():
            new = self._respelled_untouched(path, blob)
            if new is not None:
                files[path] = new
        kept = sorted({self.placement.paths[self.placement.root(one)] for one in self.placement.revived})
        return MergedTree(
            files | self.beside, self.placement, tuple(sorted(self.conflicts)), tuple(kept), tuple(sorted(self.beside))
        )

    def _respelled_untouched(self, path: str, blob: Blob) -> NewFile | None:
        """Return a file that no side touched with respelled links; None if it needs no change."""
        try:
            data = self.blobs(blob)
        except TooLarge:
            return None
        new = self._respelled(self.respell[BASE], data, path, path) if blob.is_plain else data
        return NewFile(blob.mode, new) if new != data else None

    def _unchanged_with_new_links(self) -> list[str]:
        """Return the notes and canvases that no side touched and that have a link whose target may change."""
        base = self._present(BASE)
        renamed = {path for path in base ^ self.final if not is_hidden(path)}
        if not renamed:
            return []
        found = {*self.here.could_mean(renamed), *self.here.catalog.canvases}
        return sorted(path for path in found if path not in self.touched and path not in self.here.ignored)

    def _file(self, one: Id, path: str, joined: Iterable[Id]) -> Blob | NewFile | None:
        blobs = [self.blob(state, at) if (at := self.placement.on(state, one)) else None for state in self.sides]
        present = [blob for blob in blobs if blob]
        if not present or not all(blob.is_plain for blob in present) or is_hidden(path):
            return self._standing(one)
        try:
            if is_note(path):
                return self._note(one, path, joined, present[-1].mode)
            if fold(path).endswith(CANVAS):
                return self._canvas(one, path, present[-1].mode)
        except TooLarge:
            pass
        return self._other(one, path)

    def _standing(self, one: Id) -> Blob | None:
        """Return the version of a file of the side that changed it, the second's if both did."""
        at = {state: self.placement.on(state, one) for state in (BASE, FIRST, SECOND)}
        base, first, second = (self.blob(state, path) if path else None for state, path in at.items())
        if at[FIRST] is None or at[SECOND] is None:
            return first or second
        return first if second == base else second

    def _other(self, one: Id, path: str) -> Blob | None:
        """Return the version of an attachment that stands; keep the first side's beside it if both changed it."""
        stands = self._standing(one)
        at = {state: self.placement.on(state, one) for state in (BASE, FIRST, SECOND)}
        base, first, second = (self.blob(state, place) if place else None for state, place in at.items())
        if first and second and len({base, first, second}) == 3 and not fold(path).endswith(_NEWER_STANDS):
            self.beside[beside(path, self.sides[FIRST].label)] = first
        return stands

    def _canvas(self, one: Id, path: str, mode: str) -> NewFile:
        at = {state: self.placement.on(state, one) for state in (BASE, FIRST, SECOND)}
        base, first, second = (self.text(state, place, path) if place else None for state, place in at.items())
        if first is None or second is None:
            return NewFile(mode, first or second or b"")
        return NewFile(mode, merged_canvas(base or b"", first, second))

    def _note(self, one: Id, path: str, joined: Iterable[Id], mode: str) -> NewFile:
        note = self._own_text(one, path)
        for other in joined:
            added = self._own_text(other, path)
            if one.state != BASE != other.state:  # both sides created it
                first, second = (note, added) if one.state == FIRST else (added, note)
                both = merged_note(b"", first.data, second.data, self.sides[FIRST].title)
            else:
                both = MergedNote(note.data if added.data == note.data else merged(note.data, added.data))
            note = MergedNote(both.data, both.in_conflict or note.in_conflict or added.in_conflict)
        data = note.data
        for name in sorted({base_of(name_of(old)) for each in (one, *joined) for old in self._old_names(each)}):
            if name != base_of(name_of(path)):
                data = merged(data, f"---\naliases:\n  - {json.dumps(name, ensure_ascii=False)}\n---\n".encode())
        if note.in_conflict:
            self.conflicts.append(path)
        return NewFile(mode, data)

    def _old_names(self, one: Id) -> list[str]:
        return [self.placement.aliases[one]] if one in self.placement.aliases else []

    def _own_text(self, one: Id, path: str) -> MergedNote:
        """Return the text of a note with the edits of both sides, and of the notes that became part of it."""
        base = self.text(BASE, one.path, path) if one.state == BASE else b""
        sides = {state: self._side_text(one, state, path, base) for state in self.sides}
        absorbed = self._absorbed(one)
        for other in absorbed:
            if base and all(self._merged_into(state, other) == one for state in self.sides):
                base = merged(base, self.text(BASE, other.path, path))
        if base and base not in sides.values():
            sides = {state: self._spelled_like(base, text, path) for state, text in sides.items()}
        note = merged_note(base, sides[FIRST], sides[SECOND], self.sides[FIRST].title)
        for other in absorbed:
            note = self._with_edits(note, other, path)
        for edit in self.pending.get(one, ()):
            note = self._applied(note, edit)
        return note

    def _spelled_like(self, base: bytes, side: bytes, path: str) -> bytes:
        """Return the text of a side with the base's spelling of lines in which only the spelling of links differs."""
        lines, own = base.split(b"\n"), side.split(b"\n")
        meant, own_meant = (self._meant(text, path) for text in (base, side))
        result: list[bytes] = []
        at = 0
        for hunk in hunks(meant, own_meant):
            result += lines[at : hunk.start]
            result += own[len(result) : len(result) + len(hunk.lines)]
            at = hunk.end
        return b"\n".join([*result, *lines[at:]])

    def _meant(self, data: bytes, path: str) -> list[str]:
        """Return the lines of a text in the merged tree with what each link means in place of its target."""
        result, at = "", 0
        for link in find_links(data):
            meaning = resolve(self.after, link.target, path).path if link.target else None
            if meaning is not None:
                lines = data.count(b"\n", link.start, link.end)
                result += data[at : link.start].decode(errors="surrogateescape")
                result += f"\0{meaning}\0{link.subpath}\0{link.display}\0{link.embed}" + "\n" * lines
                at = link.end
        return (result + data[at:].decode(errors="surrogateescape")).split("\n")

    def _merged_into(self, state: int, one: Id) -> Id | None:
        """Return the note into which a side merged a note; None if it did not."""
        to = self.sides[state].merged.get(one.path)
        return None if to is None else self.placement.identity(state, to)

    def _side_text(self, one: Id, state: int, path: str, base: bytes) -> bytes:
        """Return the text of a note on a side; the base's if that side deleted the note."""
        at = self.placement.on(state, one)
        if at is None:
            return base if one.state == BASE else b""
        if (one, state) in self.rest:
            return self.rest[one, state]
        same = one.state == BASE and self.blob(state, at) == self.blob(BASE, one.path)
        return base if same else self.text(state, at, path)

    def _absorbed(self, root: Id) -> list[Id]:
        """Return the notes that became part of a note, those that did so directly first."""

        def depth(one: Id) -> int:
            steps = 0
            while one != root:
                one, steps = self.placement.into[one], steps + 1
            return steps

        def is_below(one: Id) -> bool:
            while one in self.placement.into:
                one = self.placement.into[one]
            return one == root

        return sorted(filter(is_below, self.placement.into), key=lambda one: (depth(one), one))

    def _with_edits(self, note: MergedNote, other: Id, path: str) -> MergedNote:
        """Return a note with the edits that a side made in another note, which the other side merged into it."""
        for state, side in self.sides.items():
            at = side.path(other.path)
            if at is None:
                continue
            base, edited = self.text(BASE, other.path, path), self.text(state, at, path)
            for back, to in side.merged.items():  # what the side merged into this note may be in the result already
                is_root = Id(BASE, back) not in self.placement.into
                there = is_root or back in self.sides[_other(state)].merged
                if there and self.placement.identity(state, to) == other:
                    base = merged(base, self.text(BASE, back, path))
            note = self._applied(note, _Pending(base, edited, state))
        return note

    def _applied(self, note: MergedNote, edit: _Pending) -> MergedNote:
        """Return a note with an edit of one of its parts."""
        first, second = (note.data, edit.edited) if edit.state == SECOND else (edit.edited, note.data)
        both = merged_note(edit.base, first, second, self.sides[FIRST].title)
        return MergedNote(both.data, both.in_conflict or note.in_conflict)

    # Extractions

    def _extracted(self, state: int) -> dict[str, Extracted]:
        """Return the parts that extractions moved, by the path in a state of the note that they were in."""
        found: dict[str, Extracted] = {}
        for side_state, side in self.sides.items():
            for source, target in side.extracted if side_state != state else ():
                one, to = self.placement.identity(side_state, source), self.placement.path(side_state, target)
                if one.state != BASE or to is None or not (is_note(source) and is_note(target)):
                    continue
                try:
                    before = self._outline(BASE, one.path)
                    parts = Extracted(before, self._outline(side_state, source), self._outline(side_state, target), to)
                except TooLarge:
                    continue
                found |= {path: parts for each in (BASE, state) if (path := self.placement.on(each, one))}
        return found

    def _outline(self, state: int, path: str) -> Outline:
        return Outline(as_utf8(body_of(self.read(state, path))))

    def _split_edits(self) -> None:
        """Let each edit of a passage that the other side extracted follow the passage."""
        for state, side in self.sides.items():
            other = _other(state)
            for source, target in side.extracted:
                one, to = self.placement.identity(state, source), self.placement.identity(state, target)
                at, path = self.placement.on(other, one), self.placement.path(state, target)
                own = self.placement.paths.get(one)
                if one.state == BASE and at and path and own and is_note(source) and is_note(target):
                    self._split(one, at, own, self.placement.root(to), path, (state, source, target))

    def _split(self, one: Id, at: str, own: str, to: Id, path: str, extraction: tuple[int, str, str]) -> None:
        """Split the edit of the note `one`, which the other side has at `at`. The passage is in the note `to` now."""
        state, source, target = extraction
        other = _other(state)
        try:
            parts = []
            for place in (own, path):
                base = self.text(BASE, one.path, place)
                edited = self.rest.get((one, other)) if place == own else None
                texts = [
                    base,
                    self.text(state, source, place),
                    self.text(state, target, place),
                    edited or self.text(other, at, place),
                ]
                like = read_text(texts[-1])
                split = split_edit(*(read_text(each).text for each in texts))
                parts.append((base, write_text(split.rest, like), write_text(split.passage, like)))
        except TooLarge:
            return
        self.rest[one, other] = parts[0][1]
        base, _, passage = parts[1]
        if passage != base:
            self.pending.setdefault(to, []).append(_Pending(base, passage, other))


def _other(state: int) -> int:
    """Return the other side."""
    return FIRST + SECOND - state


def _lines_of(data: bytes, link: Link) -> list[bytes]:
    """Return the lines of a text in which a link stands."""
    start, end = data.rfind(b"\n", 0, link.start) + 1, data.find(b"\n", link.end)
    return data[start : end if end >= 0 else len(data)].split(b"\n")
