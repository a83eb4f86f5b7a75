"""Check what a synchronisation is about to do: which files a remote may add, and how many notes may be deleted."""

from collections.abc import Mapping

from zkmem.errors import NotSynced, SyncRefused
from zkmem.vault.git.trees import Diff, Trees
from zkmem.vault.git.worktree import is_of_one_machine

MANY_DELETED, _SHARE_DELETED = 20, 5
"""To delete more than 20 notes, and more than 1 of 5, needs permission."""

_FORBIDDEN = {"", ".", "..", ".git"}  # parts of a path


def check_files(trees: Trees, diffs: Mapping[str, Diff], commit: str, prefix: str) -> None:
    """Check the paths of the files that a commit of a remote changes.

    `diffs`: these files, by path from the top of the repository; `prefix`: the vault's path there, or "".

    Raises:
        NotSynced: when no vault may have one of the paths, when a file belongs to one machine only, or when two paths
            are one name in different Unicode forms.
    """
    for path, diff in diffs.items():
        if not _FORBIDDEN.isdisjoint(path.lower().split("/")):
            raise NotSynced(f"The remote has a file with the path {path!a}, which no vault may have; remove it there.")
        if diff.after and path.startswith(prefix) and is_of_one_machine(path.removeprefix(prefix)):
            remedy = f"remove it there with `git rm --cached {path!a}`"
            raise NotSynced(f"The remote has {path!a}, which belongs to one machine only; {remedy}.")
    if same := trees.equal_in_nfc(commit, diffs):
        names = " and ".join(map(ascii, same))
        raise NotSynced(f"The remote has {names}, which are one name in different Unicode forms; rename one there.")


def check_deletions(deleted: int, notes: int, where: str) -> None:
    """Check that only a few of the notes were deleted. `where`: the side that deleted them.

    Raises:
        SyncRefused.
    """
    if deleted > MANY_DELETED and deleted * _SHARE_DELETED > notes:
        raise SyncRefused(
            f"{deleted} of {notes} notes were deleted {where}, so nothing was synchronised. To accept that, run "
            "`zkmem sync --accept-deletions` in the vault"
        )
