"""The vault that the editor shows: its memory, and its files by their addresses in the editor."""

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pygls.uris import from_fs_path, to_fs_path

from zkmem.memory import Memory

if TYPE_CHECKING:
    from zkmem.memory.editor import InEditor

_CARRY_OUT_S = 10.0  # the longest time that an editor takes to make an edit

OpenVault = Callable[[str | None], Memory]
"""Opens the vault of a folder, or of the current one; raises a `ZkError` if there is none."""


class Spelling(NamedTuple):
    """A folder as the editor spells it, and its real path. They differ if a symbolic link is on the way."""

    editor: str
    real: str

    @classmethod
    def of(cls, folder: str) -> "Spelling":
        """Return the spelling of a folder that the editor names."""
        return cls(os.path.normpath(folder), os.path.realpath(folder))


class Workspace:
    """An open vault, with the addresses of its files as the editor spells them."""

    def __init__(self, memory: Memory, folder: Spelling | None) -> None:
        """`folder`: the folder that the editor shows, which may be the vault, inside of it or around it."""
        self.memory = memory
        self.notes: InEditor = memory.in_editor()
        root = memory.vault
        self._spelling = folder if folder and (_within(root, folder.real) or _within(folder.real, root)) else None
        self._root = root
        self._moves: Mapping[str, str] = {}  # those of the last edit that moves files
        self._moves_until = 0.0

    def expect_moves(self, moves: Mapping[str, str]) -> None:
        """Remember the moves of an edit, which the editor carries out next: old path -> new path."""
        self._moves, self._moves_until = moves, time.monotonic() + _CARRY_OUT_S

    def expects_moves(self, moves: Mapping[str, str]) -> bool:
        """Return whether moves are those of the last edit, which changes the links, too.

        An editor asks about the files that it moves for an edit as if a person moved them. Helix may ask before it has
        told the server about all changes of that edit. The answer would change the links a second time.
        """
        return moves.items() <= self._moves.items() and time.monotonic() < self._moves_until

    def path(self, uri: str) -> str | None:
        """Return the path of a file in the vault; None if the file is outside, or hidden."""
        return self.path_at(full_path_of(uri))

    def path_at(self, full: str | None) -> str | None:
        """Return the path in the vault of a file with a full path; None as for `path`."""
        if not full or "\0" in full or not os.path.isabs(full):
            return None
        full = os.path.normpath(full)
        for spelled in (
            self._real(full),
            os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full)),
        ):
            if spelled != self._root and _within(spelled, self._root):
                return self.notes.path(os.path.relpath(spelled, self._root).replace(os.sep, "/"))
        return None

    def uri(self, path: str) -> str:
        """Return the address of a file of the vault."""
        full = self.notes.full_path(path)
        if self._spelling and _within(full, self._spelling.real):
            full = os.path.join(self._spelling.editor, os.path.relpath(full, self._spelling.real))
        return from_fs_path(full) or ""

    def _real(self, full: str) -> str:
        """Return a path with the real path of the editor's folder."""
        if self._spelling and _within(full, self._spelling.editor):
            return os.path.normpath(os.path.join(self._spelling.real, os.path.relpath(full, self._spelling.editor)))
        return full


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def full_path_of(uri: str | None) -> str | None:
    """Return the full path that an address names; None if it names none on this machine."""
    with contextlib.suppress(ValueError):
        full = to_fs_path(uri) if uri else None
        return full if full and os.path.isabs(full) else None
    return None
