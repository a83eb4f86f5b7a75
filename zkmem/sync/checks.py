"""Check what a synchronisation is about to do: which files a remote may add, and how many notes may be deleted."""

import os
from collections.abc import Iterable, Mapping

from zkmem.errors import NotSynced, SecretsRefused, SyncRefused
from zkmem.markdown.secret import described, secrets_in
from zkmem.names import base_of, composed, folder_of, folders_of, name_of
from zkmem.vault.git.attributes import BadRule, bad_rule
from zkmem.vault.git.command import Git
from zkmem.vault.git.trees import Diff, Trees, has_forms
from zkmem.vault.git.worktree import is_of_one_machine
from zkmem.vault.paths import fits_on_disk

MANY_DELETED, _ONE_IN = 20, 5
"""A deletion of more than 20 notes that is also more than a fifth of all notes needs permission."""

_MOST_SECRET = 5  # notes with secrets that are named
_SHOWN = 40  # characters of a long path at its beginning, and at its end
_DIGITS = 10  # of the hash of a commit in a message
_FORBIDDEN = {"", ".", "..", ".git"}  # parts of a path


def check_files(git: Git, trees: Trees, diffs: Mapping[str, Diff], base: str, commit: str) -> None:
    """Check the files that a commit of a remote changes, before any is written.

    `diffs`: the files that it changes since the commit or tree `base`, by path from the top of the repository.
    """
    place = git.where()
    if path := _too_long(place.top, diffs):
        raise _refused(
            trees, commit, path, f"The remote has the file {_short(path)}, whose path is too long for the disk here; "
            "rename it, or a folder that it is in, on the machine that made it",
        )  # fmt: skip
    for path, diff in diffs.items():
        if not _FORBIDDEN.isdisjoint(path.lower().split("/")):
            what = f"The remote has a file with the path {path!a}, which no vault may have; remove it there"
            raise _refused(trees, commit, path, what)
        if diff.after and path.startswith(place.prefix) and is_of_one_machine(path.removeprefix(place.prefix)):
            remedy = f"remove it there with `git rm --cached {path!a}`"
            what = f"The remote has {path!a}, which belongs to one machine only; {remedy}"
            raise _refused(trees, commit, path, what)
    if same := trees.equal_in_nfc(commit, diffs):
        names = " and ".join(map(ascii, same))
        what = f"The remote has {names}, which are one name in different Unicode forms; rename one there"
        raise _refused(trees, commit, same[0], what)
    if rule := bad_rule(git, trees, base, commit, diffs, place.prefix):
        raise _refused(trees, commit, rule.rules, f"On the remote, {_described(rule)}")


def _described(rule: BadRule) -> str:
    """Return what is wrong with a rule, and what to do there."""
    if not rule.value:
        return f"{rule.rules!a} is too large for a file of attributes; shorten it there"
    whom, value = ascii(rule.path) if rule.path else "every new note", rule.value.removesuffix("=set")
    return (
        f"{rule.rules!a} has the rule {value!a} for {whom}, so it could not be read or committed here; remove the "
        "rule there, or limit it to files that are no notes"
    )


def _refused(trees: Trees, commit: str, path: str, what: str) -> NotSynced:
    """Return the error for a file of a remote: what is wrong, and the last commit that changed the file."""
    came_with = trees.commits.last_with(commit, path)
    where = f"came with the commit {came_with[:_DIGITS]}" if came_with else f"is in the commit {commit[:_DIGITS]}"
    return NotSynced(f"{what}. It {where}; nothing of it was written here.")


def check_lengths(top: str, diffs: Mapping[str, Diff]) -> None:
    """Check that the disk can have the paths of the files that a merge makes, below the folder `top`.

    `diffs`: as for `check_files`.
    """
    if path := _too_long(top, diffs):
        raise NotSynced(
            f"The path {_short(path)}, which a file would get by the renames here and on the remote, is too long for "
            "the disk here; give one of the folders a shorter name."
        )


def _too_long(top: str, diffs: Mapping[str, Diff]) -> str:
    """Return the first path of a file that is too long for the disk; "" if there is none."""
    fits = fits_on_disk(top)
    return next((path for path, diff in diffs.items() if diff.after and not fits(path)), "")


def _short(path: str) -> str:
    """Return a long path for a message."""
    return ascii(path if len(path) <= 2 * _SHOWN else f"{path[:_SHOWN]}...{path[-_SHOWN:]}")


def check_forms(top: str, edited: Iterable[str]) -> None:
    """Check that no edited file is beside one whose name differs only in Unicode form: other machines refuse the two.

    `top`: the folder of the repository; the edited files are given by their paths in it.
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
    """Check that only a few of the notes were deleted. `where`: the side that deleted them."""
    if deleted > MANY_DELETED and deleted * _ONE_IN > notes:
        raise SyncRefused(
            f"{deleted} of {notes} notes were deleted {where}, so nothing was synchronised. To accept that, run "
            "`zkmem sync --accept-deletions` in the vault"
        )


def check_secrets(trees: Trees, notes: Iterable[tuple[str, str, bytes]], base: str, diffs: Mapping[str, Diff]) -> None:
    """Check that no commit would give the remote a note with a new text that looks like a key.

    `notes`: those that the remote does not have, also of older commits: see `Trees.brought`; `base`: a commit that the
    remote has, or ""; `diffs`: the files that differ between that one and what would be pushed, by path.
    """
    suspects = [(path, hash_, data) for path, hash_, data in notes if secrets_in(data)]
    if not suspects:
        return
    old = {diff.before.hash: diff.before for diff in diffs.values() if diff.before}
    if base:  # a note whose text is as before has a key there that the commits between have, too
        old |= {blob.hash: blob for blob in trees.blobs(base, {path for path, _, _ in suspects}).values()}
    old_texts = b"\n".join(trees.data(blob) or b"" for blob in old.values())
    present = {(path, diff.after.hash) for path, diff in diffs.items() if diff.after}
    sentences: list[str] = []
    for path, hash_, data in sorted(suspects, key=lambda one: (one[:2] not in present, one)):
        where = "" if (path, hash_) in present else " in an older commit"
        sentences += [one + where for one in described(secrets_in(data, old_texts), name_of(path))]
    if sentences:
        shown = "; ".join(sentences[:_MOST_SECRET])
        more = f"; and {len(sentences) - _MOST_SECRET} more" if len(sentences) > _MOST_SECRET else ""
        raise SecretsRefused(shown + more)
