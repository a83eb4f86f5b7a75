"""Where a path of the vault is on disk, and the refusal of every path that leads out of it."""

import os

from zkmem.errors import BadName

TRASH = ".trash"  # Obsidian's own


def locate(root: str, path: str, *, follow: bool = True) -> str:
    """The absolute path of `path` below `root`; `root` must be real (no symlink in it).

    Symlinks are followed, so that writing through one reaches the file it means (without `follow`, the last
    component is not), and refused when they lead out. What this cannot stop is a symlink that another process swaps in
    between this check and the use.

    Raises:
        BadName: when the path is absolute, climbs, holds NUL, or leads through a symlink out of the vault or to what
            is hidden in it.
    """
    if path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise BadName(path, "it leads out of the vault")
    full = os.path.join(root, path)
    head, tail = os.path.split(full)
    real = os.path.realpath(full) if follow else os.path.join(os.path.realpath(head), tail)
    if not inside(root, real):
        raise BadName(path, "a symbolic link leads it out of the vault")
    if is_hidden(real[len(root) :].lstrip("/")) and not is_hidden(path):
        raise BadName(path, "a symbolic link leads it to what is hidden in the vault")
    return real


def inside(root: str, real: str) -> bool:
    """Whether the real path `real` is `root` or below it."""
    return real == root or real.startswith(root.rstrip("/") + "/")


def is_hidden(path: str) -> bool:
    """Whether a component starts with a dot: Obsidian's rule for what is not part of the vault."""
    return path.startswith(".") or "/." in path
