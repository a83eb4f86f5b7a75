"""Write a merge to the files of a vault: plan it, write it with the journal, and then check out the commit."""

import contextlib
import os
import pathlib
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.edit.editor import Editor
from zkmem.edit.journal import Author, Journal, Planned
from zkmem.edit.plan import Move, Plan, Planner, Put, TrashPaths, View
from zkmem.errors import Changed, Taken, TooLarge, Unwritable
from zkmem.index.session import Session
from zkmem.names import folder_of, folders_of, is_note
from zkmem.sync import SYNC
from zkmem.sync.combining import Combined
from zkmem.vault.git.attributes import is_rules, reconverted
from zkmem.vault.git.checkout import Checkout, remove_empty
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.mirror import Mirror
from zkmem.vault.git.trees import Blob, Diff, Trees
from zkmem.vault.journal.log import Pair
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store


class SavedMeanwhile(Exception):
    """Somebody has saved a file of the vault, or has made a commit, since the synchronisation began.

    The message is the path of a file that is not as in the last commit, if that is the reason.
    """


class OnDisk(contextlib.AbstractContextManager["OnDisk"]):
    """The files of trees as they are on disk, where filters may change the bytes. Use this in a `with` block."""

    def __init__(self, trees: Trees, store: Store) -> None:
        self._trees, self._store = trees, store
        self._filtered = trees.filtered()
        self._fetched: list[str] = []

    def __exit__(self, *_: object) -> None:
        """End the process that reads, and remove the files that `fetch` wrote and nobody moved."""
        self._filtered.close()
        for path in self._fetched:
            pathlib.Path(self._store.full(path)).unlink(missing_ok=True)

    def read(self, blob: Blob, path: str) -> bytes | None:
        """Return the bytes that a file has at a path; None if it is too large."""
        return self._filtered.read(blob.hash, self._trees.whole(path))

    def fetch(self, blob: Blob, path: str, like: str) -> str:
        """Write a file of any size to a hidden path of the vault, and return that path.

        It gets the permissions of the file at the path `like`, or the usual ones if that is "".
        """
        self._fetched.append(f"{TRASH}/incoming-{secrets.token_hex(4)}")
        full = self._store.full(self._fetched[-1])
        os.makedirs(self._store.full(TRASH), exist_ok=True)
        try:
            self._filtered.save(blob.hash, self._trees.whole(path), full, self._store.full(like) if like else "")
        except OSError as error:
            raise Unwritable(f"{path!r} cannot be written: {error.strerror or error}.") from error
        return self._fetched[-1]

    def is_at(self, blob: Blob, path: str) -> bool:
        """Return whether git would store the file at a path as this blob."""
        return self._trees.is_on_disk(blob, path, self._store.full(path))


def plan_sync(
    view: View,
    diffs: Mapping[str, Diff],
    moves: Mapping[str, str],
    merges: Mapping[str, str],
    on_disk: OnDisk,
    commit: str,
    anew: Collection[str],
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
        if view.store.taken(path):
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
    if not view.store.taken(path):
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


class EngineParts(NamedTuple):
    """The parts of an engine that a synchronisation uses."""

    store: Store
    journal: Journal
    session: Session
    editor: Editor
    mirror: Mirror  # commits the edits by tools


class MergeWriter:
    """Writes merges to the files of one vault."""

    def __init__(self, parts: EngineParts, trees: Trees) -> None:
        self._store, self._journal, self._session, self._editor, self._mirror = parts
        self._git = self._mirror.history.git
        self._trees = trees
        self._checkout = Checkout(self._git, trees)

    def write(self, combined: Combined, raw: Mapping[str, Diff], head: str, by: str) -> None:
        """Change the files of the vault from the commit `head` to the combined commit, and check that commit out.

        `raw`: the files that differ between the two, by path from the top of the repository; `by`: who made the edits.
        """
        author = Author(SYNC, by)
        first, anew = self._reconverted(raw, head, combined.commit)
        diffs = anew | self._trees.in_vault(raw)
        self._learn_spellings(raw)
        self._make_room(diffs, combined.moves, author)
        with contextlib.ExitStack() as stack:
            on_disk = stack.enter_context(OnDisk(self._trees, self._store))

            def plan(view: View) -> Plan:
                if self._mirror.pending() or self._trees.commits.rev("HEAD") != head:
                    raise SavedMeanwhile
                for path in self._checkout.blocked({**raw, **first}):
                    raise SavedMeanwhile(path)
                check_unchanged(view, diffs, on_disk)
                now = on_disk
                if first:
                    stack.enter_context(self._written_first(first, head, combined.commit))
                    now = stack.enter_context(OnDisk(self._trees, self._store))  # converted by the new `.gitattributes`
                return plan_sync(view, diffs, combined.moves, combined.merges, now, combined.commit, anew)

            self._apply(plan, author)
        if anew:
            self._checkout.forget_stamps({self._trees.whole(path): diff.after for path, diff in anew.items()})
        if self._checkout.check_out(combined.commit):  # the next round merges what was saved or committed meanwhile
            raise SavedMeanwhile
        trouble = self._mirror.catch_up()
        for folder in {folder_of(path) for path, diff in diffs.items() if folder_of(path) and not diff.after}:
            remove_empty(self._store.full(folder))
        self._learn_spellings(raw)
        if trouble:
            raise GitTrouble(trouble)

    def _reconverted(self, raw: Mapping[str, Diff], head: str, commit: str) -> tuple[dict[str, Diff], dict[str, Diff]]:
        """Return the files to write first, and the untouched files that have another encoding on disk now.

        If the commit changes `.gitattributes` files, these must be on disk before the files that they are about are
        read or written. So must hidden files that are converted in another way now: git compares them by the new rules.
        """
        changed, prefix = reconverted(self._git, self._trees, head, commit, raw), self._git.where().prefix
        first = {
            path: diff
            for path, diff in raw.items()
            if is_rules(path) or (path in changed.new and is_hidden(path.removeprefix(prefix)))
        }
        there = self._trees.in_vault({path: Diff(None, None) for path in changed.other_encodings - raw.keys()})
        anew = {path: Diff(blob, blob) for path, blob in self._trees.blobs(commit, there).items() if blob.is_plain}
        first |= {self._trees.whole(path): diff for path, diff in anew.items() if is_hidden(path)}
        return first, anew

    @contextlib.contextmanager
    def _written_first(self, first: Mapping[str, Diff], head: str, commit: str) -> Iterator[None]:
        """Write some files before the journal writes the others. If an error ends the block, put them back."""
        try:
            self._checkout.write_first(first, head, commit)
            yield
        except BaseException:
            self._checkout.write_first({path: Diff(*diff[::-1]) for path, diff in first.items()}, commit, head)
            raise

    def _learn_spellings(self, raw: Iterable[str]) -> None:
        """Let the store know how the names of these files are spelled on disk: perhaps no scan has seen them yet."""
        prefix = self._git.where().prefix
        for path in raw:
            if path.startswith(prefix):
                self._store.adopt(path.removeprefix(prefix))

    def _make_room(self, diffs: Mapping[str, Diff], moves: Mapping[str, str], author: Author) -> None:
        """Move away what stands in the way: a file where a folder must be, or a folder where a file must be."""
        plan = plan_to_make_room(self._editor.view(), diffs, moves)
        if plan:
            self._apply(lambda _: plan, author)
            raise SavedMeanwhile
        for path in _new(diffs):
            remove_empty(self._store.full(path))
        self._check_folders(diffs)

    def _check_folders(self, diffs: Mapping[str, Diff]) -> None:
        """Check that no file or link is where a new file needs a folder."""
        for folder in {folder for path in _new(diffs) for folder in folders_of(path)}:
            full = self._store.full(folder)
            if os.path.lexists(full) and (os.path.islink(full) or not os.path.isdir(full)):
                raise SavedMeanwhile(folder)

    def in_the_way(self, combined: Combined, raw: Mapping[str, Diff]) -> str:
        """Return the path of a file because of which `write` would fail; "" if there is none. Change nothing."""
        diffs, view = self._trees.in_vault(raw), self._editor.view()
        if blocked := self._checkout.blocked(raw):
            return blocked[0]
        try:
            if not plan_to_make_room(view, diffs, combined.moves):
                self._check_folders(diffs)
                with OnDisk(self._trees, self._store) as on_disk:
                    check_unchanged(view, diffs, on_disk)
        except SavedMeanwhile as error:
            return str(error)
        return ""

    def _apply(self, planner: Planner, author: Author) -> None:
        """Carry out a plan. If this process has no index yet, build none."""
        try:
            if self._session.live.named:
                self._editor.apply(planner, author)
                return
            with self._journal.hold():
                view = self._editor.view()
                self._journal.apply([Planned(planner(view), author, view.versions())])
        except (Changed, Taken) as error:
            raise SavedMeanwhile from error


def _new(diffs: Mapping[str, Diff]) -> list[str]:
    """Return the paths of the new visible files."""
    return [path for path, diff in diffs.items() if diff.after and not diff.before and not is_hidden(path)]
