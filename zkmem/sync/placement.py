"""Decide which files a merged tree has, and the path of each, from the changes of two sides since their base.

A side is described by the files that differ from the base, were moved and were merged.

A file keeps its identity through renames: a file of the base is known by its path there, and a new file by its side
and its path. The rules:

- A file that one side moved has the path that this side gave it. If both sides moved it, the second side's path counts.
- A file that one side deleted is gone, unless the other side edited it.
- A note that one side merged into another note is part of that note. If both did, the second side's choice counts.
- A new file in a folder that the other side renamed is put into the renamed folder, unless an untouched file has its
  path there.
- Notes that get one path become one note. If other files get one path and differ, one is put beside the other.
"""

import copy
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import NamedTuple

from zkmem.names import fold, folder_of, folders_of, is_note
from zkmem.vault.git.trees import Blob, Diff
from zkmem.vault.journal.log import Pair
from zkmem.vault.paths import is_hidden, is_visible_note


class Structure(NamedTuple):
    """The files of the base that a side moved, merged into others, or extracted passages from."""

    moved: Mapping[str, str] = {}  # base path -> path on the side
    merged: Mapping[str, str] = {}  # base path -> path on the side of the note that contains the text now
    extracted: tuple[Pair, ...] = ()
    """The note that lost a passage, and the note that got it: paths on the side, or in the base if it was deleted."""
    moved_by_hand: Mapping[str, str] = {}  # old path -> path on the side; links to these files may have the old path
    repaired: Mapping[str, str] = {}
    """Old path -> base path, of files that were moved by hand before the base. The side has updated their links."""
    deleted_at: Mapping[str, str] = {}  # path of a file that was moved there and then deleted -> base path
    formerly_at: Mapping[str, str] = {}
    """Former path of a file, or of a note that was merged into it, on any branch -> base path of the file."""
    deleted_with: Mapping[str, str] = {}  # merged note -> the note that got its text and was deleted: base paths
    replaced: Collection[str] = ()  # base paths of files that are gone, at which the side has new files
    former: Mapping[str, str] = {}  # old path -> path on the side, of files that were moved, perhaps before the base
    brought: Collection[str] = ()  # files on the side with text of somebody who may have known only the former names


class Side:
    """One side of a merge."""

    def __init__(self, diffs: Mapping[str, Diff], structure: Structure, title: str, label: str) -> None:
        """`title`: the title of callouts with lines of this side; `label`: its short name, for the names of files."""
        self.diffs = diffs
        self.title, self.label = title, label
        self.extracted = structure.extracted
        self.moved_by_hand, self.repaired = structure.moved_by_hand, structure.repaired
        self.deleted_with, self.formerly_at = structure.deleted_with, structure.formerly_at
        self.former, self.brought = structure.former, frozenset(structure.brought)
        self._replaced = frozenset(structure.replaced)
        moves = sorted(structure.moved.items(), reverse=True)
        origins = {new: old for old, new in moves if self._had(old) and self._has(new)}
        self.moved = {old: new for new, old in origins.items()}  # a trailer may move two files to one path
        self.merged = {
            old: new
            for old, new in structure.merged.items()
            if old not in self.moved and (old != new or new in origins) and self._had(old) and self._has(new)
            if is_visible_note(old) and is_visible_note(new)  # trailers in commits of others may name any file
        }
        deleted = (path for path, diff in diffs.items() if not diff.after and self.path(path) is None)
        self.deleted_at = {**{path: path for path in deleted if path not in self.merged}, **structure.deleted_at}

    def without_former_names(self) -> "Side":
        """Return the side without the former names of files: a new link that has one does not mean such a file."""
        other = copy.copy(self)
        other.former, other.brought, other.moved_by_hand = {}, frozenset(), {}
        return other

    def _had(self, path: str) -> bool:
        return path in self.diffs and self.diffs[path].before is not None

    def _has(self, path: str) -> bool:
        return path not in self.diffs or self.diffs[path].after is not None

    @cached_property
    def _origins(self) -> dict[str, str]:
        return {new: old for old, new in self.moved.items()}

    @cached_property
    def deleted_elsewhere(self) -> dict[str, str]:
        """The files that the side moved and then deleted: base path -> the path at which it deleted the file."""
        return {old: path for path, old in self.deleted_at.items() if old != path}

    def origin(self, path: str) -> str | None:
        """Return the path that a file of this side had in the base; None if the side created it."""
        if path in self._origins:
            return self._origins[path]
        diff = self.diffs.get(path)
        is_new = path in self.moved or path in self.merged or path in self._replaced
        return None if diff and (diff.before is None or is_new) else path

    def path(self, base_path: str) -> str | None:
        """Return the path on this side of a file of the base; None if it was deleted, or merged into another."""
        if base_path in self.moved:
            return self.moved[base_path]
        gone = base_path in self.merged or base_path in self._origins or base_path in self._replaced
        return None if gone or not self._has(base_path) else base_path

    def blob(self, path: str) -> Blob | None:
        """Return the file at a path if the side changed or created it; None otherwise."""
        diff = self.diffs.get(path)
        return diff.after if diff else None

    def created(self) -> list[str]:
        """Return the paths of the files that this side created."""
        return sorted(path for path, diff in self.diffs.items() if diff.after and self.origin(path) is None)


BASE, FIRST, SECOND = range(3)
_SUFFIXES = re.compile(r"(?<=.)(\.[a-z][a-z0-9]{0,9})*\.[^.]*\Z", re.DOTALL)
_LONGEST_NAME = 255  # bytes, on nearly all file systems


class Id(NamedTuple):
    """The identity of a file: the state in which it first was, and its path there."""

    state: int
    path: str


class Placement:
    """The paths in a merged tree of the files that a side touched."""

    def __init__(
        self,
        first: Side,
        second: Side,
        is_edited: Callable[[int, str], bool],
        untouched: Callable[[str], Collection[str]],
    ) -> None:
        """`is_edited`: returns whether a side (FIRST or SECOND) changed more than links in the file at a base path.

        `untouched`: returns the files below a folder that no side touched; "" is the whole vault.
        """
        self.sides = {FIRST: first, SECOND: second}
        self._untouched = untouched
        self.into: dict[Id, Id] = {}  # notes that a side merged into another note -> that note
        self.joined: dict[Id, Id] = {}  # files that got the path of another file -> that file
        self.paths: dict[Id, str] = {}  # of the files that exist in the merged tree
        self.aliases: dict[Id, str] = {}  # the first side's path of a file that both sides moved
        self.kept: set[Id] = set()  # files that one side deleted and the other edited
        self._touched = {path for side in (first, second) for path, diff in side.diffs.items() if diff.before}
        self._absorb()
        for path in sorted(self._touched):
            self._place(Id(BASE, path), is_edited)
        for state, side in self.sides.items():
            for path in side.created():
                self.paths[Id(state, path)] = self._along(path, self.sides[other_side(state)])
        self._resolve_collisions()

    def identity(self, state: int, path: str) -> Id:
        """Return the identity of the file at a path of the base or of a side."""
        origin = path if state == BASE else self.sides[state].origin(path)
        return Id(BASE, origin) if origin is not None else Id(state, path)

    def path(self, state: int, path: str) -> str | None:
        """Return the path in the merged tree of a file of the base or of a side; None if it is gone."""
        one = self.root(self.identity(state, path))
        return self.paths.get(one, None if self._is_touched(one) else one.path)

    def root(self, one: Id) -> Id:
        """Return the file that a file was merged into or joined with; the file itself if there is none."""
        while (other := self.into.get(one) or self.joined.get(one)) is not None:
            one = other
        return one

    def holder(self, one: Id) -> Id:
        """Return the note that a note was merged into; the note itself if there is none.

        Unlike the result of `root`, this note may be joined with another one.
        """
        while one in self.into:
            one = self.into[one]
        return one

    def on(self, state: int, one: Id) -> str | None:
        """Return the path of a file in the base or on a side; None if the state does not have the file."""
        if one.state == BASE:
            return one.path if state == BASE else self.sides[state].path(one.path)
        return one.path if one.state == state else None

    def deleted_elsewhere(self, side: int, one: Id) -> str | None:
        """Return the path at which a side deleted a file that it had moved; None if it did not do both."""
        return self.sides[side].deleted_elsewhere.get(one.path) if one.state == BASE else None

    def _is_touched(self, one: Id) -> bool:
        return one.state != BASE or any(one.path in side.diffs for side in self.sides.values())

    def _absorb(self) -> None:
        for state in (SECOND, FIRST):
            for path, to in sorted(self.sides[state].merged.items()):
                one, target = Id(BASE, path), self.identity(state, to)
                if one not in self.into and self.root(target) != one:
                    self.into[one] = target

    def _place(self, one: Id, is_edited: Callable[[int, str], bool]) -> None:
        if one in self.into:
            return
        first, second = self.on(FIRST, one), self.on(SECOND, one)
        lost = any(one.path in side.merged for side in self.sides.values())  # into a note that is part of it now
        if first is None and second is None:
            if lost:
                self.paths[one] = one.path
            return
        if first is not None and second is not None:
            self.paths[one] = first if second == one.path else second
            if one.path != first != second != one.path:
                self.aliases[one] = first
            return
        state, path = (FIRST, first) if first is not None else (SECOND, second)
        if path is not None and (lost or is_edited(state, one.path)):
            self.paths[one] = path
            self.kept.update([] if lost else [one])

    def _along(self, path: str, other: Side) -> str:
        """Return the path of a new file. If the other side renamed its folder, that is a path in the renamed folder."""
        for folder in folders_of(path):
            renamed = self._renamed(folder, other)
            if renamed is not None:
                new = (f"{renamed}/" if renamed else "") + path[len(folder) + 1 :]
                return path if self._is_used(new) else new
        return path

    def _is_used(self, path: str) -> bool:
        """Return whether a file that no side touched has this path, or has it in another case."""
        return fold(path) in map(fold, self._untouched(folder_of(path)))

    def _renamed(self, folder: str, side: Side) -> str | None:
        """Return the folder that a folder became on a side: most files were moved there, and the folder is new.

        Return None if the side moved no file, still uses the old folder, or moved the files to a folder that existed.
        """
        places: Counter[str] = Counter()
        for old, new in side.moved.items():
            rest = old[len(folder) :]
            if old.startswith(folder + "/") and ("/" + new).endswith(rest):
                places[new[: len(new) - len(rest)] if new.endswith(rest) else ""] += 1
        if not places:
            return None
        renamed = min(places, key=lambda place: (-places[place], place))
        others = (path for path in self._touched if not path.startswith(folder + "/"))
        if self._untouched(renamed) or any(path.startswith(f"{renamed}/" * bool(renamed)) for path in others):
            return None
        stay = self._untouched(folder) or any(
            side.path(path) == path for path in self._touched if path.startswith(folder + "/")
        )
        come = any(path.startswith(folder + "/") for path in (*side.created(), *side.moved.values()))
        return None if stay or come else renamed

    def _resolve_collisions(self) -> None:
        claims: dict[str, list[Id]] = {}
        for one in sorted(self.paths, key=lambda one: (self._has_moved(one), one)):
            claims.setdefault(fold(self.paths[one]), []).append(one)
        for group in claims.values():
            for number, one in enumerate(group):
                rivals = [other for other in group[:number] if other in self.paths and not self._coexist(one, other)]
                if rivals and self._can_join(one, rivals[0]):
                    self.joined[one] = rivals[0]
                    del self.paths[one]
                elif rivals:
                    loser = min(one, rivals[0], key=self._state)
                    self.paths[loser] = self._beside(loser)
        self._clear_folders()

    def _can_join(self, one: Id, other: Id) -> bool:
        """Return whether two files with one path can become one file."""
        path = self.paths[one]
        if is_hidden(path):
            return path == self.paths[other]
        return is_note(path) or self._equal(one, other)

    def _equal(self, one: Id, other: Id) -> bool:
        """Return whether two new files have the same bytes."""
        blobs = [self.sides[each.state].blob(each.path) for each in (one, other) if each.state]
        return len(blobs) > 1 and blobs[0] == blobs[1]

    def _has_moved(self, one: Id) -> bool:
        return any(self.on(state, one) not in {None, self.paths[one]} for state in (BASE, FIRST, SECOND))

    def _coexist(self, one: Id, other: Id) -> bool:
        """Return whether one state has both files, at paths that are equal except for case."""
        pairs = ((self.on(state, one), self.on(state, other)) for state in (BASE, FIRST, SECOND))
        return any(a is not None and b is not None and fold(a) == fold(b) for a, b in pairs)

    def _state(self, one: Id) -> int:
        """Return the side whose path of a file is the one in the merged tree; BASE if there is none."""
        states = [state for state in (SECOND, FIRST) if self.on(state, one) == self.paths[one]]
        return one.state or (states[0] if states else BASE)

    def _beside(self, one: Id) -> str:
        """Return a path in the same folder as a file, with the label of the file's side in the name."""
        return beside(self.paths[one], self.sides[self._state(one) or FIRST].label)

    def _clear_folders(self) -> None:
        """Give another path to each file whose path is also that of a folder."""
        folders = {folder for path in self.paths.values() for folder in folders_of(path)}
        for one in sorted(self.paths):
            if self.paths[one] in folders:
                self.paths[one] = self._beside(one)


def beside(path: str, label: str) -> str:
    """Return a path for another version of the file at a path: `a.png` becomes `a (label).png`. Shorten a long name.

    Several suffixes stay together, as in `a.secret.md`: a filter of git may be for files with such names.
    """
    folder, name = folder_of(path), path.rpartition("/")[2]
    suffix = _SUFFIXES.search(name)
    stem, end = (name[: suffix.start()], f" ({label}){suffix[0]}") if suffix else (name, f" ({label})")
    stem = stem.encode()[: max(_LONGEST_NAME - len(end.encode()), 1)].decode(errors="ignore")
    return f"{folder}/{stem}{end}" if folder else stem + end


def other_side(state: int) -> int:
    """Return the other side."""
    return FIRST + SECOND - state
