"""The edits that people and models make on a machine: by tools, by hand, and with plain git."""

import os
import subprocess
from collections.abc import Callable

from zkmem.memory import Memory


class Clone:
    """A clone of a vault on one machine, and the ways to edit it."""

    def __init__(self, vault: str, name: str) -> None:
        self.vault = vault
        self._name = name
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The vault as tools use it; each edit is committed."""
        if self._memory is None:
            self._memory = Memory(self.vault, git=True, machine=self._name)
        return self._memory

    def close(self) -> None:
        """Wait for the commits of the tools' edits."""
        if self._memory:
            self._memory.close()

    def full(self, path: str) -> str:
        """Return the path of a file on disk, whose folder exists afterwards."""
        full = os.path.join(self.vault, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        with open(self.full(path), "rb") as file:
            return file.read()

    def put(self, path: str, text: str | bytes) -> None:
        """Write a file by hand."""
        with open(self.full(path), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def git(self, *arguments: str) -> None:
        """Run a git command in the vault, as a user of plain git does."""
        subprocess.run(["git", *arguments], cwd=self.vault, capture_output=True, check=True)


Edit = Callable[[Clone], object]


# Edits by tools


def rename(name: str, new_name: str) -> Edit:
    """Rename a note, or merge it into the note that has the new name."""
    return lambda clone: clone.memory.rename(name, new_name, merge=True)


def set_note(name: str, text: str) -> Edit:
    """Create or replace a note."""
    return lambda clone: clone.memory.write(name, text)


def append(name: str, text: str) -> Edit:
    """Add to the end of a note."""
    return lambda clone: clone.memory.write(name, text, append=True)


def replace(name: str, old: str, new: str) -> Edit:
    """Replace a passage of a note."""
    return lambda clone: clone.memory.write(name, new, old=old)


def extract(name: str, passage: str, new_name: str) -> Edit:
    """Move a passage to another note."""
    return lambda clone: clone.memory.extract(name, passage, new_name)


def delete(name: str) -> Edit:
    """Move a note to the trash."""
    return lambda clone: clone.memory.delete(name)


def undo() -> Edit:
    """Undo the last edit."""
    return lambda clone: clone.memory.undo()


# Edits by hand


def put(path: str, text: str | bytes) -> Edit:
    """Write a file."""
    return lambda clone: clone.put(path, text)


def add(path: str, text: str) -> Edit:
    """Add to the end of a file."""
    return lambda clone: clone.put(path, clone.read(path) + text.encode())


def swap(path: str, *pairs: tuple[str, str]) -> Edit:
    """Replace passages that a file has once."""

    def edit(clone: Clone) -> None:
        text = clone.read(path).decode()
        for old, new in pairs:
            assert text.count(old) == 1, (path, old)
            text = text.replace(old, new)
        clone.put(path, text)

    return edit


def remove(path: str) -> Edit:
    """Delete a file."""
    return lambda clone: os.unlink(clone.full(path))


def move(old: str, new: str) -> Edit:
    """Move a file or folder, and update no link."""
    return lambda clone: os.rename(clone.full(old), clone.full(new))


# Edits by a user of plain git


def git_move(old: str, new: str) -> Edit:
    """Move a file or folder with git, update no link, and commit it."""

    def edit(clone: Clone) -> None:
        clone.full(new)
        clone.git("mv", old, new)
        clone.git("commit", "-q", "-m", f"move {old}")

    return edit


def git_commit(path: str, text: str) -> Edit:
    """Write a file and commit it with git."""

    def edit(clone: Clone) -> None:
        clone.put(path, text)
        clone.git("add", path)
        clone.git("commit", "-q", "-m", f"edit {path}")

    return edit
