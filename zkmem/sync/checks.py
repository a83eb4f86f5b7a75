"""Check what a synchronisation is about to do: which files a remote may add, and how many notes may be deleted."""

import os
from collections.abc import Iterable, Mapping

from zkmem.errors import NotSynced, SyncRefused
from zkmem.names import base_of, composed, folder_of, folders_of
from zkmem.vault.git.trees import Diff, Trees, has_forms
from zkmem.vault.git.worktree import is_of_one_machine
from zkmem.vault.paths import fits_on_disk

MANY_DELETED, _ONE_IN = 20, 5
"""A deletion of more than 20 notes that is also more than a fifth of all notes needs permission."""

_SHOWN = 40  # characters of a long path at its beginning, and at its end
_FORBIDDEN = {"", ".", "..", ".git"}  # parts of a path


def check_files(trees: Trees, diffs: Mapping[str, Diff], commit: str, top: str, prefix: str) -> None:
    """Check the paths of the files that a commit of a remote changes.

    `diffs`: these files, by path from the top of the repository, which is the folder `top`; `prefix`: the vault's path
    there, or "".

    Raises:
        NotSynced: when no vault may have one of the paths, when one is too long for the disk, when a file belongs to
            one machine only, or when two paths are one name in different Unicode forms.
    """
    if path := _too_long(top, diffs):
        raise NotSynced(
            f"The remote has the file {path}, whose path is too long for the disk here; rename it, or a folder that it "
            "is in, on the machine that made it."
        )
    for path, diff in diffs.items():
        if not _FORBIDDEN.isdisjoint(path.lower().split("/")):
            raise NotSynced(f"The remote has a file with the path {path!a}, which no vault may have; remove it there.")
        if diff.after and path.startswith(prefix) and is_of_one_machine(path.removeprefix(prefix)):
            remedy = f"remove it there with `git rm --cached {path!a}`"
            raise NotSynced(f"The remote has {path!a}, which belongs to one machine only; {remedy}.")
    if same := trees.equal_in_nfc(commit, diffs):
        names = " and ".join(map(ascii, same))
        raise NotSynced(f"The remote has {names}, which are one name in different Unicode forms; rename one there.")


def check_lengths(top: str, diffs: Mapping[str, Diff]) -> None:
    """Check that the disk can have the paths of the files that a merge makes. The arguments are as in `check_files`.

    Raises:
        NotSynced.
    """
    if path := _too_long(top, diffs):
        raise NotSynced(
            f"The path {path}, which a file would get by the renames here and on the remote, is too long for the disk "
            "here; give one of the folders a shorter name."
        )


def _too_long(top: str, diffs: Mapping[str, Diff]) -> str:
    """Return the first path of a file that is too long for the disk, shortened; "" if there is none."""
    fits = fits_on_disk(top)
    path = next((path for path, diff in diffs.items() if diff.after and not fits(path)), "")
    return ascii(path if len(path) <= 2 * _SHOWN else f"{path[:_SHOWN]}...{path[-_SHOWN:]}") if path else ""


def check_forms(top: str, edited: Iterable[str]) -> None:
    """Check that no edited file is beside one whose name differs only in Unicode form: other machines refuse the two.

    `top`: the folder of the repository; the edited files are given by their paths in it.

    Raises:
        NotSynced.
    """
    names_by_folder: dict[str, set[str]] = {}  # folder -> names, in NFC
    for path in filter(has_forms, edited):
        for one in (path, *folders_of(path)):
            names_by_folder.setdefault(folder_of(one), set()).add(composed(base_of(one)))
    for folder, names in names_by_folder.items():
        spelling: dict[str, str] = {}  # by NFC
        for name in _entries(os.path.join(top, folder)):
            if (one := composed(name)) in names and spelling.setdefault(one, name) != name:
                both = f"{spelling[one]!a} and {name!a}"
                raise NotSynced(f"{both}, here, are one name in different Unicode forms; rename one.")


def _entries(folder: str) -> list[str]:
    """Return the names in a folder; none if it was deleted."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def check_deletions(deleted: int, notes: int, where: str) -> None:
    """Check that only a few of the notes were deleted. `where`: the side that deleted them.

    Raises:
        SyncRefused.
    """
    if deleted > MANY_DELETED and deleted * _ONE_IN > notes:
        raise SyncRefused(
            f"{deleted} of {notes} notes were deleted {where}, so nothing was synchronised. To accept that, run "
            "`zkmem sync --accept-deletions` in the vault"
        )
