"""Where deleted and merged notes go."""

from collections.abc import Callable

from zkmem.vault.names import LONGEST, base_of
from zkmem.vault.paths import TRASH


def trash_path(path: str, taken: Callable[[str], bool]) -> str:
    """A free path for a file in the trash, numbered where its name is taken there."""
    stem, dot, suffix = base_of(path).rpartition(".")
    numbered, number = f"{TRASH}/{base_of(path)}", 0
    while taken(numbered):
        number += 1
        ending = f" {number}{dot}{suffix}"
        short = stem.encode()[: LONGEST - len(ending.encode())].decode(errors="ignore")
        numbered = f"{TRASH}/{short}{ending}"
    return numbered
