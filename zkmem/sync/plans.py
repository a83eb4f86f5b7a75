"""Plan to change the files of a vault to those of a merged tree."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.edit.trash import TrashPaths
from zkmem.errors import TooLarge
from zkmem.names import folders_of, is_note
from zkmem.vault.git.trees import Blob, Diff
from zkmem.vault.journal.log import Pair
from zkmem.vault.paths import is_hidden


class SavedMeanwhile(Exception):
    """Somebody has saved a file of the vault, or has made a commit, since the synchronisation began.

    The message is the path of a file that is not as in the last commit, if that is the reason.
    """


class OnDisk(NamedTuple):
    """Functions that read and write the files of a tree as they are on disk, where filters may change the bytes."""

    read: Callable[[Blob, str], bytes | None]  # returns the bytes that a file has at a path; None if it is too large
    # writes a file of any size to a hidden path of the vault, with the permissions of another file or "" for the usual
    # ones, and returns that path
    fetch: Callable[[Blob, str, str], str]
    is_at: Callable[[Blob, str], bool]  # returns whether git would store the file at a path as this blob


def plan_sync(
    view: View,
    diffs: Mapping[str, Diff],
    moves: Mapping[str, str],
    merges: Mapping[str, str],
    on_disk: OnDisk,
    commit: str,
    anew: Collection[str] = (),
) -> Plan:
    """Plan to change the files of the vault, which `check_unchanged` has checked, to those of a commit.

    Hidden files are left out. `diffs`: the files that differ from the last commit; `moves`: old path -> new path of the
    moved files; `merges`: those of the files that became part of another one, and its new path; `anew`: files that have
    other bytes on disk now, even if git stores the same ones.
    """
    before, after = _before_and_after(diffs)
    sources = {new: old for old, new in moves.items() if old in before}
    moves = _ordered({old: new for old, new in moves.items() if old in before and new in after})
    merges = {old: new for old, new in merges.items() if old in before and not is_hidden(new)}
    paths, trash = TrashPaths(view), list[Move]()
    moved = [Move(old, new, view.base(old)) for old, new in moves.items()]
    puts: list[Put | Move] = []

    def discard(path: str) -> None:
        trash.append(Move(path, paths.choose(path), view.base(path)))

    origins = {new: old for old, new in moves.items()}
    for path in sorted(before.keys() - moves.keys()):
        if path not in after or path in origins or path in merges:
            discard(path)
    for path, blob in sorted(after.items()):
        # the file that becomes this one; "" for a new one
        old = origins.get(path, "" if path in moves or path in merges else path)
        if before.get(old) == blob and path not in anew:
            continue
        data, like = on_disk.read(blob, path), sources.get(path, old if old in before else "")
        if data is not None and not _is_large(view, old, before):
            put = Put(path, data, view.base(old) if old in before else None, "" if like == old else like)
            puts.append(put)
            continue
        if old in before:
            moved = [move for move in moved if move.path != old]
            discard(old)
        fetched = on_disk.fetch(blob, path, like)
        puts.append(Move(fetched, path, view.base(fetched), like))
    steps = (*trash, *moved, *puts)
    shown = [path for path in sorted({*before, *after}) if is_note(path)]
    pairs = tuple(Pair(*pair) for pair in merges.items())
    return Plan(shown[0] if shown else "", "synced", steps, tuple(shown), merges=pairs, commit=commit)


def _ordered(moves: Mapping[str, str]) -> dict[str, str]:
    """Return the moves in an order in which each path is free when a file is moved to it.

    Files that exchange their paths have no such order. They are left out: they get each other's text.
    """
    ordered, waiting = dict[str, str](), dict(sorted(moves.items()))
    while free := {old: new for old, new in waiting.items() if new not in waiting}:
        ordered |= free
        waiting = {old: new for old, new in waiting.items() if old not in free}
    return ordered


def check_unchanged(view: View, diffs: Mapping[str, Diff], on_disk: OnDisk) -> None:
    """Check that the files that must change are on disk as in the last commit. For the arguments, see `plan_sync`."""
    before, after = _before_and_after(diffs)
    for path, blob in before.items():
        _check(view, path, blob, on_disk)
    for path in after.keys() - before.keys():
        if view.taken(path):
            raise SavedMeanwhile(path)


def _before_and_after(diffs: Mapping[str, Diff]) -> tuple[dict[str, Blob], dict[str, Blob]]:
    """Return the visible regular files before and after a change, by path."""
    diffs = {path: diff for path, diff in diffs.items() if not is_hidden(path) and _is_plain(diff)}
    before = {path: diff.before for path, diff in diffs.items() if diff.before}
    return before, {path: diff.after for path, diff in diffs.items() if diff.after}


def plan_to_make_room(view: View, diffs: Mapping[str, Diff], moves: Mapping[str, str]) -> Plan | None:
    """Plan to move away the files that the commit removes and that stand in the way of new ones.

    Such a file is where a folder must be, or in a folder that is where a file must be. The arguments are those of
    `plan_sync`, whose plan can be carried out after this one. Return None if no file is in the way.
    """
    before = {path for path, diff in diffs.items() if diff.before and not is_hidden(path)}
    after = {path for path, diff in diffs.items() if diff.after and not is_hidden(path)}
    folders = {folder for path in after for folder in folders_of(path)}
    gone = before - after
    blocked = sorted(path for path in gone if path in folders or not after.isdisjoint(folders_of(path)))
    trash = TrashPaths(view)
    steps = [Move(path, moves.get(path) or trash.choose(path), view.base(path)) for path in blocked]
    return Plan(steps[0].to, "synced", tuple(steps)) if steps else None


def _is_plain(diff: Diff) -> bool:
    """Return whether both versions of a file are regular files: zkmem changes no symbolic links and no submodules."""
    return all(blob is None or blob.is_plain for blob in diff)


def _check(view: View, path: str, blob: Blob, on_disk: OnDisk) -> None:
    data = on_disk.read(blob, path)
    if not view.taken(path):
        raise SavedMeanwhile(path)
    try:
        same = data is not None and view.read(path) == data
    except TooLarge:
        same = False
    if not same and not on_disk.is_at(blob, path):  # for example, both kinds of line ends are the same text for git
        raise SavedMeanwhile(path)


def _is_large(view: View, path: str, before: Mapping[str, Blob]) -> bool:
    """Return whether there is a file at a path that is too large to be read."""
    if path not in before:
        return False
    try:
        view.read(path)
    except TooLarge:
        return True
    return False
