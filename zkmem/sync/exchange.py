"""Exchange the edits of a vault with a git remote: commit, fetch, merge, write, push. See docs/development/sync.md."""

import contextlib
import functools
import itertools
import os
import random
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from zkmem.edit.editor import Editor
from zkmem.edit.journal import Author, Journal
from zkmem.edit.plan import Plan, View
from zkmem.errors import NotSynced, SyncRefused
from zkmem.index.session import Session
from zkmem.index.sync import Progress
from zkmem.names import is_note, name_of
from zkmem.sync.combining import Combined, Combiner, explained
from zkmem.sync.labels import machine_of
from zkmem.sync.report import Report
from zkmem.sync.state import SyncState
from zkmem.sync.writing import OnDisk, SavedMeanwhile, plan_sync
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.mirror import Mirror
from zkmem.vault.git.remote import Address, Offline, Rejected, Remote, local_path, without_password
from zkmem.vault.git.trailers import Trailers, machine_trailer
from zkmem.vault.git.trees import Blob, Diff, Trees
from zkmem.vault.git.worktree import Worktree
from zkmem.vault.journal.state import FOLDER
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store

SYNC = "sync"
"""The name of the tool in the log."""

_ROUNDS = 12
_LOCK_S = 60.0
_SHORTEST_S, _LONGEST_S = 0.02, 0.4  # the pause after a push that came too late
_MANY_DELETED, _SHARE_DELETED = 20, 5  # to delete more than 20 notes and more than 1 of 5 needs permission
_OF_A_NEW_VAULT = {".gitignore", f"{FOLDER}/.gitignore", f"{FOLDER}/config.toml"}
_MOST_EDITS = 1_000  # in which moves are looked for
_BY_HAND = "edits by hand"


class Options(NamedTuple):
    """The remote of a synchronisation, and what the synchronisation may do."""

    remote: str = "origin"  # the name of a remote of the repository, or an address
    branch: str = ""  # the branch on the remote; "" for the one that is checked out here
    accept_deletions: bool = False
    accept_rewritten: bool = False
    dry_run: bool = False


class Exchange:
    """One synchronisation of a vault with a remote."""

    def __init__(
        self,
        store: Store,
        journal: Journal,
        session: Session,
        editor: Editor,
        mirror: Mirror,
        options: Options,
        progress: Progress | None = None,
    ) -> None:
        """Use the parts of an engine. `mirror` commits the edits by tools."""
        self._store = store
        self._journal = journal
        self._session = session
        self._editor = editor
        self._mirror = mirror
        self._options = options
        self._progress = progress
        self._git = mirror.history.git
        self._trees = Trees(self._git, store.most_bytes)
        self._worktree = Worktree(self._git)
        self._combiner = Combiner(self._git, self._trees, session)
        self._report = Report(without_password(options.remote), options.branch, dry_run=options.dry_run)

    def run(self) -> Report:
        """Synchronise the vault once, and return what was done.

        If the remote cannot be reached, the report says so; that is no error.

        Raises:
            NotSynced: when that is impossible; edits may have been committed or merged already, and none is lost.
            SyncRefused: when it needs permission.
        """
        with explained(), self._alone():
            try:
                self._report.branch = self._remote.address.branch
                if self._options.dry_run:
                    self._preview()
                else:
                    self._exchange()
                self._count()
            except Offline as error:
                self._report.offline = str(error)
                self._count()
            except (GitTrouble, NotSynced) as error:
                with contextlib.suppress(GitTrouble):  # the first error is reported
                    self._count()
                self._save(str(error).removesuffix("."))
                raise
            self._save()
        return self._report

    @functools.cached_property
    def _remote(self) -> Remote:
        return Remote(self._git, _address(self._git, self._options.remote, self._options.branch))

    def _save(self, trouble: str = "") -> None:
        """Save the result for `zkmem doctor` and the page. `trouble`: why the synchronisation failed."""
        if not self._options.dry_run:
            state = self._journal.state
            SyncState.after(self._report, trouble, SyncState.load(state)).save(state)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock that lets only one process at a time synchronise this vault."""
        from filelock import FileLock, Timeout  # noqa: PLC0415 - 50 ms that no other command needs

        self._journal.state.ensure()
        try:
            with FileLock(self._journal.state.path("sync.lock"), timeout=_LOCK_S, fallback_to_soft=False):
                yield
        except Timeout:
            raise GitTrouble("another process is synchronising this vault; try again later") from None

    def _exchange(self) -> None:
        """Commit, fetch, merge and push until the remote and the vault have the same commit."""
        for number in range(_ROUNDS):
            if number:
                longest = min(_LONGEST_S, _SHORTEST_S * 2**number)
                time.sleep(random.uniform(_SHORTEST_S, longest))  # noqa: S311 - to keep machines from colliding again
            try:
                head = self._commit_here()
                theirs = self._fetched()
                if theirs and not (head and self._trees.is_ancestor(theirs, head)):
                    self._take_in(head, theirs)
                    return
                if theirs and head != theirs:
                    head = self._update_links(theirs, head)
                if head and head != theirs:
                    self._push(head, theirs)
            except (Rejected, SavedMeanwhile):
                continue
            return
        self._report.left.append("other edits came first each time; synchronise again")

    def _preview(self) -> None:
        """Report what a synchronisation would fetch and push."""
        head, theirs = self._worktree.head(), self._fetched()
        if theirs and not (head and self._trees.is_ancestor(theirs, head)):
            incoming = self._combiner.incoming(head, theirs)
            self._report.machines = list(dict.fromkeys(map(machine_of, incoming.commits)))
            self._tell(incoming.diffs, incoming.structure.moved)
        self._report.uncommitted = sorted(map(name_of, self._worktree.edited()))

    def _commit_here(self) -> str:
        """Commit the edits by tools that have no commit yet, and the edits by hand. Return the head."""
        self._journal.recover()
        trouble = self._mirror.catch_up()
        if self._mirror.pending():
            raise GitTrouble(trouble or "some edits by tools have no commit yet; try again later")
        edited = self._worktree.edited()
        if not edited:
            return self._worktree.head()
        with self._journal.hold():  # so that no edit of a tool is half done
            if self._mirror.pending():
                raise SavedMeanwhile
            head = self._worktree.head()
            tree = self._worktree.tree(edited, head)
            if head:
                self._guard(self._worktree.deleted_notes(head, tree), head, "here")
            about = "".join(self._by_tools(edited)) + machine_trailer(self._mirror.machine)
            message = f"{_BY_HAND}\n\n{about}"
            new = self._worktree.commit(tree, head, message)
            self._worktree.stage(edited)
        return new

    def _by_tools(self, edited: Collection[str]) -> Iterator[str]:
        """Return trailers of moves and merges by tools in files that were also edited by hand."""
        prefix = self._git.where().prefix
        paths = {path.removeprefix(prefix) for path in edited}
        deleted = {path for path in paths if not os.path.lexists(self._store.full(path))}
        last = list(itertools.islice(self._journal.log.backwards(), _MOST_EDITS))[::-1] if deleted else []
        return Trailers.since_commit(last, deleted, paths - deleted).lines(prefix)

    def _fetched(self) -> str:
        """Fetch, and return the last commit on the remote's branch; "" if there is none.

        Raises:
            SyncRefused: when the remote's history was rewritten and `accept_rewritten` is not set.
        """
        before = self._trees.rev(self._remote.tracking)
        self._remote.fetch()
        theirs = self._trees.rev(self._remote.tracking)
        if before and not self._trees.is_ancestor(before, theirs) and not self._options.accept_rewritten:
            self._git.run("update-ref", self._remote.tracking, before)
            raise SyncRefused(
                f"The history on {self._report.remote!r} was rewritten: it lacks commits that it had. No file "
                "was changed. To merge it with the vault, which brings those commits back: "
                "zkmem sync --accept-rewritten"
            )
        return theirs

    def _take_in(self, head: str, theirs: str) -> None:
        """Merge the remote's commit with the vault's, push the merge, and write its files.

        The push comes first: if another machine was faster, no file needs to be written for nothing. If the remote
        takes no push, the files are written all the same.

        Raises:
            Rejected: when another machine was faster. GitTrouble: when the remote takes no push.
        """
        incoming = self._combiner.incoming(head, theirs)
        if not (head and self._trees.bases(head, theirs)):
            self._check_is_vault(theirs)
        else:
            self._guard(len(incoming.deleted_notes()), head, "on the remote")
        combined = self._combiner.combined(head, theirs, incoming, self._progress)
        refusal = self._refusal(combined.commit, theirs)
        self._report.machines = list(dict.fromkeys(map(machine_of, incoming.commits)))
        raw = self._trees.raw_diffs(head or self._trees.empty(), combined.commit)
        diffs = self._trees.in_vault(raw)
        self._write(combined, diffs, head)
        left = self._worktree.update({path: diff for path, diff in raw.items() if not self._is_of_vault(path)})
        self._report.left += [f"{path!a} was edited here and is not committed, so it was not updated" for path in left]
        self._tell(diffs, combined.moves)
        self._report.add(combined)
        if refusal:
            raise refusal

    def _refusal(self, commit: str, theirs: str) -> GitTrouble | None:
        """Push a commit; return the error if the remote takes no push.

        Raises:
            Rejected: when another machine was faster.
        """
        try:
            if commit != theirs:
                self._push(commit, theirs)
        except Rejected:
            raise
        except GitTrouble as error:
            return error
        return None

    def _update_links(self, base: str, head: str) -> str:
        """Update the links to files that were moved by hand since the commit `base`. Return the new head."""
        if not any(came.renamed for came in self._trees.arrivals([base], head).values()):
            return head
        since = self._combiner.incoming(base, head)
        if not since.structure.moved_by_hand:
            return head
        combined = self._combiner.with_updated_links(base, head, since, head, self._progress)
        if combined.commit != head:
            self._write(combined, self._trees.in_vault(self._trees.raw_diffs(head, combined.commit)), head)
        return combined.commit

    def _is_of_vault(self, path: str) -> bool:
        """Return whether a file, given by its path in the repository, is in the vault and not hidden."""
        prefix = self._git.where().prefix
        return path.startswith(prefix) and not is_hidden(path.removeprefix(prefix))

    def _check_is_vault(self, theirs: str) -> None:
        """Check that a remote that shares no commit with this vault has notes, or only the files of a new vault.

        Raises:
            NotSynced: when it has other files only.
        """
        files = self._trees.raw_diffs(self._trees.empty(), theirs).keys() - _OF_A_NEW_VAULT
        if files and not self._worktree.note_count(theirs):
            raise NotSynced(
                f"The remote {self._report.remote!r} has no notes, and nothing in common with this vault. If it "
                "is the right one, put a note there first."
            )

    def _guard(self, deleted: int, head: str, where: str) -> None:
        """Refuse to delete many of the notes of the commit `head` without permission.

        Raises:
            SyncRefused.
        """
        if deleted <= _MANY_DELETED or self._options.accept_deletions:
            return
        notes = self._worktree.note_count(head)
        if deleted * _SHARE_DELETED > notes:
            raise SyncRefused(
                f"{deleted} of {notes} notes were deleted {where}, so nothing was synchronised. To accept these "
                "deletions: zkmem sync --accept-deletions"
            )

    def _write(self, combined: Combined, diffs: Mapping[str, Diff], head: str) -> None:
        """Change the files of the vault from the commit `head` to the combined commit, and check that commit out.

        Raises:
            SavedMeanwhile: when a file that must change was saved, or a commit made, since `head`.
        """
        fetched: list[str] = []

        def fetch(blob: Blob, path: str) -> str:
            fetched.append(f"{TRASH}/incoming-{secrets.token_hex(4)}")
            os.makedirs(self._store.full(TRASH), exist_ok=True)
            self._trees.save(blob, path, self._store.full(fetched[-1]))
            return fetched[-1]

        try:
            with self._trees.disk_reader() as read:
                on_disk = OnDisk(read, fetch, self._trees.is_on_disk)

                def plan(view: View) -> Plan:
                    if self._mirror.pending() or self._worktree.head() != head:
                        raise SavedMeanwhile
                    return plan_sync(view, diffs, combined.moves, on_disk, combined.commit)

                self._apply(plan)
        finally:
            for path in fetched:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._store.full(path))
        trouble = self._mirror.catch_up() or self._worktree.take_over(combined.commit)
        if trouble:
            raise GitTrouble(trouble)

    def _apply(self, planner: Callable[[View], Plan]) -> None:
        """Carry out a plan. If this process has no index yet, build none."""
        by = Author(SYNC, ", ".join(self._report.machines))
        if self._session.live.named:
            self._editor.apply(planner, by)
            return
        with self._journal.hold():
            view = self._editor.view()
            plan = planner(view)
            self._journal.apply(plan, by, view.versions())

    def _push(self, head: str, theirs: str) -> None:
        self._remote.push(head)
        self._report.pushed += self._trees.apart(head, theirs)[0]

    def _tell(self, diffs: Mapping[str, Diff], moves: Mapping[str, str]) -> None:
        """Add the fetched changes to the report.

        `diffs`: the files that change in the vault; `moves`: old path -> new path of the files that are renamed in it.
        """
        report = self._report
        notes = {path: diff for path, diff in sorted(diffs.items()) if is_note(path) and not is_hidden(path)}
        new = set(moves.values())
        report.renamed |= {name_of(old): name_of(path) for old, path in moves.items() if old in notes}
        report.created += [name_of(path) for path, diff in notes.items() if not diff.before and path not in new]
        report.deleted += [name_of(path) for path, diff in notes.items() if not diff.after and path not in moves]
        report.changed += [name_of(path) for path, diff in notes.items() if diff.before and diff.after]

    def _count(self) -> None:
        """Report how many commits are only here, and how many only on the remote."""
        head, theirs = self._worktree.head(), self._trees.rev(self._remote.tracking)
        self._report.ahead, self._report.behind = self._trees.apart(head, theirs)


def _address(git: Git, remote: str, branch: str = "") -> Address:
    """Return the address of a remote of a repository, given by its name or as a URL.

    `branch`: the branch on the remote; "" for the one that is checked out.

    Raises:
        GitTrouble: when there is no repository or no such remote, or `Worktree.branch` fails.
    """
    own = Worktree(git).branch()
    urls = [one.value for one in git.where().values if one.key == f"remote.{remote}.url"]
    if not urls and ":" not in remote and "/" not in remote:
        raise GitTrouble(f"the repository has no remote {remote!r}; add one with `git remote add {remote} URL`")
    url = urls[-1] if urls else remote
    place = local_path(url, git.where().top)
    if place is not None and (place + os.sep).startswith(os.path.realpath(git.where().top) + os.sep):
        raise GitTrouble(
            f"the remote {remote!r} is in the vault itself, and its programs would run; choose another one"
        )
    return Address(remote, url, branch or own)
