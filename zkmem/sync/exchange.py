"""Exchange the edits of a vault with a git remote: commit, fetch, merge, write, push. See docs/development/sync.md."""

import contextlib
import itertools
import os
import random
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.edit.editor import Editor
from zkmem.edit.journal import Author, Journal
from zkmem.edit.plan import Plan, View
from zkmem.errors import Changed, NotSynced, SyncRefused, Taken
from zkmem.index.session import Session
from zkmem.index.sync import Progress
from zkmem.names import folder_of, folders_of, is_note, name_of
from zkmem.sync.combining import Combined, Combiner, explained
from zkmem.sync.labels import machine_of
from zkmem.sync.report import Report
from zkmem.sync.state import SyncState
from zkmem.sync.writing import OnDisk, SavedMeanwhile, plan_room, plan_sync
from zkmem.vault.git.attributes import check_filters
from zkmem.vault.git.checkout import Checkout, remove_empty
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.ignores import Private
from zkmem.vault.git.mirror import Mirror
from zkmem.vault.git.remote import Address, Offline, Rejected, Remote, local_path, without_password
from zkmem.vault.git.trailers import Trailers, machine_trailer
from zkmem.vault.git.trees import Blob, Diff, Trees
from zkmem.vault.git.worktree import Edits, Worktree
from zkmem.vault.journal.state import FOLDER
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store

SYNC = "sync"
"""The name of the tool in the log."""

_ROUNDS = 12
_LOCK_S = 60.0
_SHORTEST_S, _LONGEST_S = 0.02, 5.0  # the pause after a push that came too late
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
        self._checkout = Checkout(self._git, self._trees)
        self._private = Private(self._git, journal.state)
        self._combiner = Combiner(self._git, self._trees, session)
        self._report = Report(without_password(options.remote), options.branch, dry_run=options.dry_run)

    def run(self) -> Report:
        """Synchronise the vault once, and return what was done.

        If the remote cannot be reached, the report says so; that is no error.

        Raises:
            NotSynced: when that is impossible; edits may have been committed or merged already, and none is lost.
            SyncRefused: when it needs permission.
        """
        with explained(), self._alone(), self._trees:
            url = _url(self._git, self._options.remote)
            try:
                own = self._worktree.branch()
            except GitTrouble as error:
                self._save(str(error))
                raise
            self._report.branch = self._options.branch or own
            self._remote = Remote(self._git, Address(self._options.remote, url, self._report.branch))
            try:
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

    def _save(self, trouble: str = "") -> None:
        """Save the result for `zkmem doctor` and the page, but not that of a dry run or with an address without a name.

        `trouble`: why the synchronisation failed.
        """
        if not self._options.dry_run and _urls(self._git, self._options.remote):
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
        """Commit, fetch, merge and push until the remote and the vault have the same commit.

        Raises:
            NotSynced: when a file that must change is never as in the last commit, although git reports no edit.
            GitTrouble: when the remote refuses each push, although nobody else pushes.
        """
        heads: tuple[str, str] = ("", "")  # here and on the remote
        stuck: tuple[str, str, str] | None = None
        refused: dict[str, Rejected] = {}  # by the commit on the remote
        took = 0.0
        for number in range(_ROUNDS):
            if number:  # the more machines push at once, and the slower they are, the longer they must keep apart
                longest = min(_LONGEST_S, max(_SHORTEST_S, took * 2**number))
                time.sleep(random.uniform(_SHORTEST_S, longest))  # noqa: S311 - to keep machines from colliding again
            began = time.monotonic()
            try:
                heads = self._commit_here(), self._fetched()
                self._meet(*heads)
            except SavedMeanwhile as error:
                path = str(error)
                if path and stuck == (*heads, path):
                    raise NotSynced(
                        f"{path!a} must change, but it is not as in the last commit, and git does not count it as "
                        "edited: it may be ignored, a symbolic link, or outside of a sparse checkout. Move it away or "
                        "put it back, and synchronise again."
                    ) from None
                stuck = (*heads, path)
            except Rejected as error:
                refused[heads[1]] = error
            else:
                return
            took = time.monotonic() - began
        if len(refused) == 1 and heads[1] in refused:
            raise refused[heads[1]]
        self._report.left.append("other edits came first each time; synchronise again")

    def _meet(self, head: str, theirs: str) -> None:
        """Bring the vault, whose last commit is `head`, and the remote, whose last commit is `theirs`, to one commit.

        Raises:
            Rejected: when another machine was faster. SavedMeanwhile: as `_write`. GitTrouble, NotSynced: as `run`.
        """
        if self._is_new(head, theirs):
            self._take_in(head, theirs)
            return
        if theirs and head != theirs:
            head = self._update_links(theirs, head)
        if head and head != theirs:
            self._push(head, theirs)

    def _is_new(self, head: str, theirs: str) -> bool:
        """Return whether the remote has commits that are not here."""
        return bool(theirs) and not (head and self._trees.is_ancestor(theirs, head))

    def _preview(self) -> None:
        """Report what a synchronisation would do. Raise its errors."""
        theirs, edits, head = self._fetched(), self._edited(), self._trees.rev("HEAD")
        self._report.uncommitted = sorted(map(name_of, edits.paths))
        if edits.paths:
            head = self._worktree.committed(self._tree(edits, head), head, self._message(edits), signed=False)
        if self._is_new(head, theirs):
            combined = self._combined(head, theirs)
            self._tell(self._trees.raw_diffs(head or self._trees.empty(), combined.commit), combined)

    def _commit_here(self) -> str:
        """Commit the edits by tools that have no commit yet, and the edits by hand. Return the head."""
        self._journal.recover()
        trouble = self._mirror.catch_up()
        if self._mirror.pending():
            raise GitTrouble(trouble or "some edits by tools have no commit yet; try again later")
        edits = self._edited()
        if not edits.paths:
            return self._trees.rev("HEAD")
        with self._journal.hold():  # so that no edit of a tool is half done
            if self._mirror.pending():
                raise SavedMeanwhile
            head = self._trees.rev("HEAD")
            new = self._worktree.commit(self._tree(edits, head), head, self._message(edits))
            self._worktree.stage(edits)
        return new

    def _edited(self) -> Edits:
        """Return the edits by hand, without private files."""
        return self._worktree.edited(self._private.test())

    def _tree(self, edits: Edits, head: str) -> str:
        """Write the tree of the commit `head` with some edits; return its hash.

        Raises:
            GitTrouble: when the edited files have filters that do not run. SyncRefused: when they delete many notes.
        """
        check_filters(self._git, edits.paths)
        tree = self._worktree.tree(edits, head)
        if head and edits.missing > _MANY_DELETED:
            self._guard(self._worktree.deleted_notes(head, tree), head, "here")
        return tree

    def _message(self, edits: Edits) -> str:
        """Return the message of a commit of edits by hand."""
        return f"{_BY_HAND}\n\n{''.join(self._by_tools(edits.paths))}{machine_trailer(self._mirror.machine)}"

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
        if not before or self._trees.is_ancestor(before, theirs):
            return theirs
        if self._options.dry_run or not self._options.accept_rewritten:
            self._git.run("update-ref", self._remote.tracking, before)  # else the next synchronisation would accept it
        if not self._options.accept_rewritten:
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
        combined = self._combined(head, theirs)
        raw = self._trees.raw_diffs(head or self._trees.empty(), combined.commit)
        check_filters(self._git, raw)
        refusal = self._refusal(combined.commit, theirs)
        rules = any(path.rpartition("/")[2] == ".gitignore" for path in raw)
        if rules:
            self._private.add_ignored()
        self._write(combined, raw, head)
        if rules and (private := self._private.prune()):
            self._report.left.append(
                f"{', '.join(map(ascii, private))}: git ignored this until now, so it stays private; to share it, use "
                "`git add`"
            )
        self._tell(raw, combined)
        if refusal:
            raise refusal

    def _combined(self, head: str, theirs: str) -> Combined:
        """Return the merge of the remote's commit and the vault's.

        Raises:
            NotSynced: when the remote has files that no vault may have. SyncRefused: when it deletes many notes.
        """
        incoming = self._combiner.incoming(head, theirs)
        if not (head and self._trees.bases(head, theirs)):
            self._check_is_vault(theirs)
        else:
            self._guard(len(incoming.deleted_notes()), head, "on the remote")
        self._report.machines = list(dict.fromkeys(map(machine_of, incoming.commits)))
        combined = self._combiner.combined(head, theirs, incoming, self._progress)
        changed = self._trees.raw_diffs(head or self._trees.empty(), combined.commit)
        if twins := self._trees.twins(combined.commit, changed):
            names = " and ".join(map(ascii, twins))
            raise NotSynced(f"{names}, here and on the remote, are one name in different Unicode forms; rename one.")
        return combined

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
            self._write(combined, self._trees.raw_diffs(head, combined.commit), head)
        return combined.commit

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

    def _write(self, combined: Combined, raw: Mapping[str, Diff], head: str) -> None:
        """Change the files of the vault from the commit `head` to the combined commit, and check that commit out.

        `raw`: the files that differ between the two, by path from the top of the repository.

        Raises:
            SavedMeanwhile: when a file that must change was saved, or a commit made, since `head`.
        """
        diffs, fetched = self._trees.in_vault(raw), list[str]()

        def fetch(blob: Blob, path: str) -> str:
            fetched.append(f"{TRASH}/incoming-{secrets.token_hex(4)}")
            os.makedirs(self._store.full(TRASH), exist_ok=True)
            self._trees.save(blob, path, self._store.full(fetched[-1]))
            return fetched[-1]

        def is_at(blob: Blob, path: str) -> bool:
            return self._trees.is_on_disk(blob, path, self._store.full(path))

        self._learn_spellings(raw)
        self._make_room(diffs, combined.moves)
        try:
            with self._trees.disk_reader() as read:
                on_disk = OnDisk(read, fetch, is_at)

                def plan(view: View) -> Plan:
                    if self._mirror.pending() or self._trees.rev("HEAD") != head:
                        raise SavedMeanwhile
                    for path in self._checkout.blocked(raw):
                        raise SavedMeanwhile(path)
                    return plan_sync(view, diffs, combined.moves, on_disk, combined.commit)

                self._apply(plan)
        finally:
            for path in fetched:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._store.full(path))
        if self._checkout.take_over(combined.commit):  # the next round merges what was saved or committed meanwhile
            raise SavedMeanwhile
        trouble = self._mirror.catch_up()
        for folder in {folder_of(path) for path, diff in diffs.items() if folder_of(path) and not diff.after}:
            remove_empty(self._store.full(folder))
        self._learn_spellings(raw)
        if trouble:
            raise GitTrouble(trouble)

    def _learn_spellings(self, raw: Iterable[str]) -> None:
        """Let the store know how the names of these files are spelled on disk: a scan may not have come by."""
        prefix = self._git.where().prefix
        for path in raw:
            if path.startswith(prefix):
                self._store.adopt(path.removeprefix(prefix))

    def _make_room(self, diffs: Mapping[str, Diff], moves: Mapping[str, str]) -> None:
        """Move away what stands in the way: a file where a folder must be, or a folder where a file must be.

        Raises:
            SavedMeanwhile: when files were moved; they must be committed first.
        """
        plan = plan_room(self._editor.view(), diffs, moves)
        if plan:
            self._apply(lambda _: plan)
            raise SavedMeanwhile
        for path, diff in diffs.items():
            if diff.after and not diff.before and not is_hidden(path):
                remove_empty(self._store.full(path))
                for folder in folders_of(path):
                    full = self._store.full(folder)
                    if os.path.lexists(full) and (os.path.islink(full) or not os.path.isdir(full)):
                        raise SavedMeanwhile(folder)

    def _apply(self, planner: Callable[[View], Plan]) -> None:
        """Carry out a plan. If this process has no index yet, build none.

        Raises:
            SavedMeanwhile: when a file was saved while the plan was carried out.
        """
        by = Author(SYNC, ", ".join(self._report.machines))
        try:
            if self._session.live.named:
                self._editor.apply(planner, by)
                return
            with self._journal.hold():
                view = self._editor.view()
                self._journal.apply(planner(view), by, view.versions())
        except (Changed, Taken) as error:
            raise SavedMeanwhile from error

    def _push(self, head: str, theirs: str) -> None:
        self._remote.push(head)
        self._report.pushed += self._trees.apart(head, theirs)[0]

    def _tell(self, raw: Mapping[str, Diff], combined: Combined) -> None:
        """Add a merge to the report. `raw`: the files that change, by path from the top of the repository."""
        report, moves, diffs = self._report, combined.moves, self._trees.in_vault(raw)
        notes = {path: diff for path, diff in sorted(diffs.items()) if is_note(path) and not is_hidden(path)}
        new = set(moves.values())
        report.renamed |= {name_of(old): name_of(path) for old, path in moves.items() if old in notes}
        report.created += [name_of(path) for path, diff in notes.items() if not diff.before and path not in new]
        report.deleted += [name_of(path) for path, diff in notes.items() if not diff.after and path not in moves]
        report.changed += [name_of(path) for path, diff in notes.items() if diff.before and diff.after]
        report.add(combined)

    def _count(self) -> None:
        """Report how many commits are only here, and how many only on the remote."""
        head, theirs = self._trees.rev("HEAD"), self._trees.rev(self._remote.tracking)
        self._report.ahead, self._report.behind = self._trees.apart(head, theirs)


def _urls(git: Git, remote: str) -> list[str]:
    """Return the addresses that a repository has for the remote of a name."""
    return [one.value for one in git.where().values if one.key == f"remote.{remote}.url"]


def _url(git: Git, remote: str) -> str:
    """Return the address of a remote, given by its name in the repository or as a URL.

    Raises:
        GitTrouble: when there is no repository or no such remote, or the remote is inside the vault.
    """
    url = (*_urls(git, remote), remote)[0]
    if url == remote and ":" not in remote and "/" not in remote:
        raise GitTrouble(
            f"the repository has no remote {remote!r}; `git remote add NAME URL` adds one, and ./NAME is a folder"
        )
    place = local_path(url, git.where().top)
    if place is not None and (place + os.sep).startswith(os.path.realpath(git.where().top) + os.sep):
        raise GitTrouble(
            f"the remote {remote!r} is in the vault itself, and its programs would run; choose another one"
        )
    return url
