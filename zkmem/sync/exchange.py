"""Exchange the edits of a vault with a git remote: commit, fetch, merge, write, push. See docs/development/sync.md."""

import contextlib
import random
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from zkmem.errors import NotSynced, SecretsRefused, SyncRefused
from zkmem.index.index import Progress
from zkmem.names import name_of
from zkmem.sync.checks import MANY_DELETED, check_deletions, check_lengths, check_secrets
from zkmem.sync.combining import Combined, Combiner, errors_explained
from zkmem.sync.commits import machine_of
from zkmem.sync.committing import LocalEdits
from zkmem.sync.report import Report, SyncState
from zkmem.sync.writing import EngineParts, MergeWriter, SavedMeanwhile
from zkmem.util.spelling import number_of
from zkmem.vault.git.attributes import encoding_refused
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.remote import (
    Address,
    Offline,
    Rejected,
    Remote,
    address_of,
    is_cloned_from,
    known_address,
    without_password,
)
from zkmem.vault.git.trees import Diff, Trees
from zkmem.vault.git.worktree import Private, Worktree
from zkmem.vault.journal.state import FOLDER
from zkmem.vault.paths import is_visible_note

_ROUNDS = 12
_LOCK_S = 60.0
_SHORTEST_S, _LONGEST_S = 0.02, 5.0  # the pause after a push that came too late
_MERGED = "; what came from the remote was merged here"
_OF_A_NEW_VAULT = {".gitignore", f"{FOLDER}/.gitignore", f"{FOLDER}/config.toml"}


class Options(NamedTuple):
    """The remote of a synchronisation, and what the synchronisation may do."""

    remote: str = "origin"  # the name of a remote of the repository, or an address
    branch: str = ""  # the branch on the remote; "" for the one that is checked out here
    accept_deletions: bool = False
    accept_rewritten: bool = False
    accept_unrelated: bool = False
    accept_secrets: bool = False
    dry_run: bool = False


class Exchange:
    """One synchronisation of a vault with a remote."""

    def __init__(self, parts: EngineParts, options: Options, progress: Progress | None) -> None:
        self._options = options
        self._progress = progress
        self._state = parts.journal.state
        self._git = parts.mirror.history.git
        self._trees = Trees(self._git, parts.store.most_bytes)
        self._worktree = Worktree(self._git)
        self._private = Private(self._git, self._state)
        self._combiner = Combiner(self._git, self._trees, parts.session)
        self._local = LocalEdits(
            parts, self._trees, self._private, self._combiner, accept_deletions=options.accept_deletions
        )
        self._writer = MergeWriter(parts, self._trees)
        self._turn = contextlib.ExitStack()
        self._asked_for_turn = self._has_pushed = self._is_rewritten = False
        self._report = Report(without_password(options.remote), options.branch, dry_run=options.dry_run)

    def run(self) -> Report:
        """Synchronise the vault once, and return what was done.

        If the remote cannot be reached, the report says so; that is no error.
        """
        with errors_explained(), self._alone(), self._trees:
            try:
                self._connect()
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

    def _connect(self) -> None:
        """Find the branch and the address of the remote."""
        last = SyncState.load(self._state)
        name = self._options.branch or (last.branch if last else "")
        self._remote = Remote(self._git, Address(self._options.remote, "", name))  # to count with if this fails
        self._report.branch = self._options.branch or self._worktree.branch()
        url = address_of(self._git, self._options.remote)
        self._remote = Remote(self._git, Address(self._options.remote, url, self._report.branch))

    def _save(self, trouble: str = "") -> None:
        """Save the result for `zkmem doctor` and the page. `trouble`: why the synchronisation failed.

        The result of a dry run is not saved. The result with a remote that has no name in the repository is saved only
        if the last saved result was with the same remote.
        """
        last = SyncState.load(self._state)
        is_usual = last is not None and last.remote == self._options.remote
        if not self._options.dry_run and (is_usual or known_address(self._git, self._options.remote)):
            SyncState.after(self._report, trouble, last).save(self._state)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock that lets only one process at a time synchronise this vault."""
        from filelock import FileLock, Timeout  # noqa: PLC0415 - 50 ms that no other command needs

        self._state.ensure()
        try:
            with FileLock(self._state.path("sync.lock"), timeout=_LOCK_S, fallback_to_soft=False):
                yield
        except Timeout:
            raise GitTrouble("another process is synchronising this vault; try again later") from None

    def _exchange(self) -> None:
        """Commit, fetch, merge, push and write. Begin again if somebody saves a file, commits or pushes meanwhile.

        Push at most once: what is saved after that stays here until the next synchronisation.
        """
        heads: tuple[str, str] = ("", "")  # here and on the remote
        stuck: tuple[str, str, str] | None = None
        refused: dict[str, Rejected] = {}  # by the commit on the remote
        with self._turn:
            for _ in range(_ROUNDS):
                began = time.monotonic()
                try:
                    heads = self._commit_and_take_turn(), self._fetched()
                    self._meet(*heads)
                except SavedMeanwhile as error:
                    path = str(error)
                    if path and stuck == (*heads, path):
                        raise self._stuck(path) from None
                    stuck = (*heads, path)
                    time.sleep(_SHORTEST_S)
                except Rejected as error:
                    refused[heads[1]] = error
                    # the more machines push at once, and the slower they are, the longer they must keep apart
                    longest = min(_LONGEST_S, (time.monotonic() - began) * 2 ** len(refused))
                    time.sleep(random.uniform(_SHORTEST_S, max(_SHORTEST_S, longest)))  # noqa: S311 - no secret
                else:
                    return
        if len(refused) == 1 and heads[1] in refused:
            raise refused[heads[1]]
        raise NotSynced(
            f"Files here or commits on the remote changed during each of {_ROUNDS} attempts; synchronise again later."
        )

    def _commit_and_take_turn(self) -> str:
        """Commit what is new here, and return the head. If there is something to push, take a turn at the remote."""
        head = self._local.commit()
        if not self._asked_for_turn and head != self._trees.commits.rev(self._remote.tracking):
            self._asked_for_turn = True
            turn = self._turn.enter_context(self._remote.turn())
            if turn.has_timed_out:
                where = ascii(self._report.remote)
                self._report.remarks.append(
                    f"waited {turn.waited_s:.0f} s for another process that uses {where}, then went on"
                )
            return self._local.commit() if turn.waited_s else head  # there may be new edits since
        return head

    def _meet(self, head: str, theirs: str) -> None:
        """Bring the vault, whose last commit is `head`, and the remote, whose last one is `theirs`, to one commit."""
        secrets = self._secrets(head, theirs)
        if self._remote_has_new_commits(head, theirs):
            self._combiner.remember_links(self._take_in(head, theirs, secrets))
            return
        if secrets:
            raise secrets
        updated = self._current(head, theirs)
        if updated.commit != head:
            raw = self._changes(head, updated.commit)
            self._writer.write(updated, raw, head, "")
            self._report_merge(raw, updated)
        head = updated.commit
        if head and head != theirs:
            self._push(head, theirs)
        self._combiner.remember_links(head)

    def _secrets(self, head: str, theirs: str) -> SecretsRefused | None:
        """Return the error if a commit that the remote lacks has a new secret, unless these are accepted."""
        if head and head != theirs and not self._options.accept_secrets:
            base = next(iter(self._trees.commits.bases(theirs, head)), "") if theirs else ""
            diffs = self._trees.in_vault(self._changes(base, head))
            try:
                check_secrets(self._trees, self._trees.brought(head, theirs), base, diffs)
            except SecretsRefused as error:
                return error
        return None

    def _remote_has_new_commits(self, head: str, theirs: str) -> bool:
        """Return whether the remote has commits that are not here."""
        return bool(theirs) and not (head and self._trees.commits.is_ancestor(theirs, head))

    def _preview(self) -> None:
        """Report what a synchronisation would do. Raise its errors."""
        theirs, edits = self._fetched(), self._local.find()
        self._report.uncommitted = sorted(map(name_of, edits.paths))
        head = self._local.preview(edits)
        if secrets := self._secrets(head, theirs):
            raise secrets
        if self._remote_has_new_commits(head, theirs):
            combined = self._combined(head, theirs)
            raw = self._changes(head, combined.commit)
            if path := self._writer.in_the_way(combined, raw):
                raise self._stuck(path)
        else:
            combined = self._current(head, theirs)
            raw = self._changes(head, combined.commit) if head else {}
        self._report_merge(raw, combined)
        self._report.pushed = self._trees.commits.apart(combined.commit, theirs)[0]

    def _changes(self, head: str, commit: str) -> Mapping[str, Diff]:
        """Return the files that differ between two commits, by path from the top. `head` may be "", for no commit."""
        return self._trees.raw_diffs(head or self._trees.empty(), commit)

    def _fetched(self) -> str:
        """Fetch, and return the last commit on the remote's branch; "" if there is none."""
        before = self._trees.commits.rev(self._remote.tracking)
        self._remote.fetch()
        theirs = self._trees.commits.rev(self._remote.tracking)
        if not before or self._trees.commits.is_ancestor(before, theirs):
            return theirs
        self._remote.remember(before)  # else the next synchronisation would accept it, even if this one fails
        self._is_rewritten = True
        if not self._options.accept_rewritten:
            if not self._trees.commits.bases(before, theirs):
                raise SyncRefused(
                    f"The remote {self._report.remote!r} was made anew, or all of its history was rewritten: it has "
                    "none of its earlier commits. No file was changed. To put its files and those of the vault "
                    "together, run `zkmem sync --accept-rewritten --accept-unrelated` in the vault"
                )
            raise SyncRefused(
                f"The history on {self._report.remote!r} was rewritten: it lacks commits that it had. No file "
                "was changed. To merge it with the vault, which brings those commits back, run "
                "`zkmem sync --accept-rewritten` in the vault"
            )
        return theirs

    def _take_in(self, head: str, theirs: str, secrets: SecretsRefused | None) -> str:
        """Merge the remote's commit with the vault's, push the merge, and write its files; return the merge.

        The push comes first: if another machine was faster, no file needs to be written for nothing. If the remote
        takes no push, or `secrets` forbids one, the files are written all the same.
        """
        combined = self._combined(head, theirs)
        raw = self._changes(head, combined.commit)
        refusal = secrets or self._refusal(combined.commit, theirs)
        rules = any(path.rpartition("/")[2] == ".gitignore" for path in raw)
        if rules:
            self._private.add_ignored()
        self._writer.write(combined, raw, head, ", ".join(self._report.machines))
        if self._trees.commits.rev(self._remote.tracking) not in {theirs, combined.commit}:
            self._remote.remember(theirs)  # its history was rewritten
        if rules and (private := self._private.prune()):
            self._report.remarks.append(
                f"private, because git ignored it until now (`git add` shares a file): {', '.join(map(ascii, private))}"
            )
        self._report_merge(raw, combined)
        if isinstance(refusal, Offline):
            raise refusal
        if secrets:
            raise SecretsRefused(secrets.found, _MERGED)
        if refusal:
            raise GitTrouble(f"{refusal}{_MERGED}")
        return combined.commit

    def _combined(self, head: str, theirs: str) -> Combined:
        """Return the merge of the remote's commit and the vault's."""
        incoming = self._combiner.incoming(head, theirs)
        if not (head and self._trees.commits.bases(head, theirs)):
            self._check_unrelated(head, theirs)
        else:
            deleted = len(incoming.deleted_notes())
            if deleted > MANY_DELETED and not self._options.accept_deletions:
                check_deletions(deleted, self._worktree.note_count(head), "on the remote")
        self._report.machines = list(dict.fromkeys(map(machine_of, incoming.commits)))
        combined = self._combiner.combined(head, theirs, self._progress)
        changes = self._changes(head, combined.commit)
        check_lengths(self._git.where().top, changes)
        if same := self._trees.equal_in_nfc(combined.commit, changes):
            names = " and ".join(map(ascii, same))
            raise NotSynced(f"{names}, here and on the remote, are one name in different Unicode forms; rename one.")
        return combined

    def _refusal(self, commit: str, theirs: str) -> GitTrouble | None:
        """Push a commit; return the error if the remote takes no push."""
        try:
            if commit != theirs:
                self._push(commit, theirs)
        except Rejected:
            raise
        except GitTrouble as error:
            return error
        return None

    def _current(self, head: str, theirs: str) -> Combined:
        """Return a commit with the files of the vault, in which links lead to the files that were moved by hand.

        If no link needs an update, that is `head`.
        """
        last = self._combiner.links_known(head) or theirs
        return self._combiner.current(last, head, head, self._progress) if last and head else Combined(head)

    def _check_unrelated(self, head: str, theirs: str) -> None:
        """Check that a vault and a remote without a common commit may be merged.

        One of them must be new, or the vault must be a clone that was made when the remote had no commit.
        """
        here, there = (
            self._trees.raw_diffs(self._trees.empty(), commit).keys() - _OF_A_NEW_VAULT if commit else set()
            for commit in (head, theirs)
        )
        is_clone = is_cloned_from(self._git, self._remote.address) and not self._is_rewritten
        if here and there and not (is_clone or self._options.accept_unrelated):
            also = "--accept-rewritten " * self._is_rewritten
            raise SyncRefused(
                f"The vault and the remote {self._report.remote!r} have no commit in common, so the remote may be "
                f"another project: it has {number_of(self._worktree.note_count(theirs), 'note')} in "
                f"{number_of(len(there), 'file')}. No file was changed. To put all files of both together, run "
                f"`zkmem sync {also}--accept-unrelated` in the vault"
            )
        if there and not here and not self._worktree.note_count(theirs):
            raise NotSynced(
                f"The remote {self._report.remote!r} has no notes, and nothing in common with this vault. If it "
                "is the right one, put a note there first."
            )

    def _push(self, head: str, theirs: str) -> None:
        """Push a commit, and end the turn. If this synchronisation has pushed before, do nothing.

        What is saved after the push is merged with the files that came, and pushed by the next synchronisation.
        Otherwise, somebody who saves all the time could keep this one from ending.
        """
        if self._has_pushed:
            return
        try:
            self._remote.push(head)
        except (Rejected, Offline):
            raise
        except GitTrouble as error:
            raise GitTrouble(f"{error}; the edits here are committed, and wait for a push that succeeds") from error
        self._has_pushed = True
        self._turn.close()
        self._report.pushed += self._trees.commits.apart(head, theirs)[0]

    def _report_merge(self, raw: Mapping[str, Diff], combined: Combined) -> None:
        """Add a merge to the report. `raw`: the files that change, by path from the top of the repository."""
        report, moves, diffs = self._report, combined.moves, self._trees.in_vault(raw)
        notes = {path: diff for path, diff in sorted(diffs.items()) if is_visible_note(path)}
        new = set(moves.values())
        report.renamed |= {name_of(old): name_of(path) for old, path in moves.items() if old in notes}
        report.created += [name_of(path) for path, diff in notes.items() if not diff.before and path not in new]
        report.deleted += [name_of(path) for path, diff in notes.items() if not diff.after and path not in moves]
        changed = (name_of(path) for path, diff in notes.items() if diff.before and diff.after)
        report.changed += [name for name in changed if name not in report.changed]  # its links can be updated earlier
        report.add(combined)

    def _count(self) -> None:
        """Report how many commits are only here, and how many only on the remote."""
        self._report.remarks += [one for one in self._local.left_out if one not in self._report.remarks]
        head, theirs = self._trees.commits.rev("HEAD"), self._trees.commits.rev(self._remote.tracking)
        self._report.ahead, self._report.behind = self._trees.commits.apart(head, theirs)

    def _stuck(self, path: str) -> NotSynced:
        """Return the error for a file of the vault that must change, but has edits that were not committed."""
        refusal = encoding_refused(self._git.where().prefix + path)
        if refusal in self._local.left_out:
            return NotSynced(f"The remote has another {path!a}, and the one here cannot be committed: {refusal}.")
        return NotSynced(
            f"{path!a} must change, but it is not as in the last commit, and git does not count it as edited: it may "
            "be ignored, or a symbolic link. Move it away or put it back, and synchronise again."
        )
