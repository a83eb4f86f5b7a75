"""The changes of one side of a merge since the base: the files that differ, were moved and were merged."""

import copy
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

from zkmem.names import is_note
from zkmem.vault.git.trees import Blob, Diff
from zkmem.vault.journal.log import Pair
from zkmem.vault.paths import is_hidden


def _is_visible_note(path: str) -> bool:
    """Return whether a path is that of a visible note."""
    return is_note(path) and not is_hidden(path)


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
            if _is_visible_note(old) and _is_visible_note(new)  # trailers in commits of others may name any file
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
