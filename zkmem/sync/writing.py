"""Write a merge to the files of a vault: with the journal, and then by checking out the commit."""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.edit.editor import Editor
from zkmem.edit.journal import Author, Journal, Planned
from zkmem.edit.plan import Plan, View
from zkmem.errors import Changed, Taken, Unwritable
from zkmem.index.session import Session
from zkmem.names import folder_of, folders_of
from zkmem.sync import SYNC
from zkmem.sync.combining import Combined
from zkmem.sync.plans import OnDisk, SavedMeanwhile, check_unchanged, plan_sync, plan_to_make_room
from zkmem.vault.git.attributes import is_rules, reconverted
from zkmem.vault.git.checkout import Checkout, remove_empty
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.mirror import Mirror
from zkmem.vault.git.trees import Blob, Diff, Trees
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store


class Parts(NamedTuple):
    """The parts of an engine that a synchronisation uses."""

    store: Store
    journal: Journal
    session: Session
    editor: Editor
    mirror: Mirror  # commits the edits by tools


class Writer:
    """Writes merges to the files of one vault."""

    def __init__(self, parts: Parts, trees: Trees) -> None:
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
            read, fetch = stack.enter_context(self._trees.disk_reader()), stack.enter_context(self._large_files())
            on_disk = OnDisk(read, fetch, self._is_at)

            def plan(view: View) -> Plan:
                if self._mirror.pending() or self._trees.rev("HEAD") != head:
                    raise SavedMeanwhile
                for path in self._checkout.blocked({**raw, **first}):
                    raise SavedMeanwhile(path)
                check_unchanged(view, diffs, on_disk)
                now = on_disk
                if first:
                    stack.enter_context(self._written_first(first, head, combined.commit))
                    now = on_disk._replace(read=stack.enter_context(self._trees.disk_reader()))
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

    @contextlib.contextmanager
    def _large_files(self) -> Iterator[Callable[[Blob, str, str], str]]:
        """Yield the function `OnDisk.fetch`; remove the files that it wrote and nobody moved."""
        fetched: list[str] = []

        def fetch(blob: Blob, path: str, like: str) -> str:
            fetched.append(f"{TRASH}/incoming-{secrets.token_hex(4)}")
            os.makedirs(self._store.full(TRASH), exist_ok=True)
            try:
                self._trees.save(blob, path, self._store.full(fetched[-1]), self._store.full(like) if like else "")
            except OSError as error:
                raise Unwritable(f"{path!r} cannot be written: {error.strerror or error}.") from error
            return fetched[-1]

        try:
            yield fetch
        finally:
            for path in fetched:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._store.full(path))

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
            with self._trees.disk_reader() as read:
                if not plan_to_make_room(view, diffs, combined.moves):
                    self._check_folders(diffs)
                    check_unchanged(view, diffs, OnDisk(read, lambda _, path, __: path, self._is_at))
        except SavedMeanwhile as error:
            return str(error)
        return ""

    def _is_at(self, blob: Blob, path: str) -> bool:
        return self._trees.is_on_disk(blob, path, self._store.full(path))

    def _apply(self, planner: Callable[[View], Plan], author: Author) -> None:
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
