"""Commit the edits in the log to git, one commit each, in a thread that does not delay the edits."""

import contextlib
import itertools
import logging
import os
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from zkmem.errors import ZkError
from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import etag, is_large, read
from zkmem.vault.git.checkout import Checkout
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.commits import CommittedChange, History
from zkmem.vault.git.hand_moves import HandMoves
from zkmem.vault.git.trailers import Trailers, is_by_zkmem, machine_trailer, message_by_hand
from zkmem.vault.git.trees import Trees
from zkmem.vault.journal.log import Edit, Log, Pair
from zkmem.vault.journal.state import StateFolder, unwritable
from zkmem.vault.journal.versions import Versions
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_WAIT_S = 0.5  # how long an edit waits for its commit, to report the result
_LOCK_S = 10.0

_log = logging.getLogger(__name__)


class Mirror:
    """Commits the edits in the log to git, one commit for each edit.

    If an edit cannot be committed now, a later call commits it.
    """

    def __init__(
        self,
        store: Store,
        state: StateFolder,
        log: Log,
        outside: Log,
        versions: Versions,
        hold: Callable[[], contextlib.AbstractContextManager[None]],
        allowed: str | None = None,
        waits: str = "",
        machine: str = "",
        *,
        shares_origins: bool = False,
    ) -> None:
        """`allowed`: see `Git`. `waits`: the reason to leave all commits to another process.

        `hold`: holds the vault's lock in a block. `machine`: the name of this machine in the commits.
        `shares_origins`: whether other machines may know from which conversation an edit came.
        """
        self.shares_origins = shares_origins
        self.machine = " ".join(machine.split()) or socket.gethostname()
        self.history = History(store.root, state, versions.most_bytes, allowed)
        self.moves = HandMoves(self.history, log, outside, versions, store)
        self._root = store.root
        self._waits = waits
        self._state = state
        self._edits = log
        self._versions = versions
        self._hold = hold
        self._worker: ThreadPoolExecutor | None = None
        self._started = False

    def start(self, recover: Callable[[], object]) -> None:
        """Commit the edits that an earlier process left without a commit, in a thread; return at once.

        `recover` completes an interrupted edit, which may then need a commit too.
        """
        if not self._started and not self._waits:
            self._started = True

            def catch_up() -> str:
                recover()
                return self.catch_up() if self.pending() else ""

            self._submit(catch_up).add_done_callback(_log_trouble)

    def begin(self) -> None:
        """Remember the last edit made without git, if that is not known yet. Call this before each edit.

        If this process is killed, another process can then commit every later edit.
        """
        if self._begins_at() is None:
            return
        self._state.ensure()
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError, Timeout, NotImplementedError):  # no lock to be had must refuse no edit
                stack.enter_context(self._turn())
            number = self._begins_at()  # another thread or process may have made its first edit meanwhile
            if number is not None:
                try:
                    self._remember(number)
                except OSError as error:
                    raise unwritable(error) from error

    def _begins_at(self) -> int | None:
        """Return the number of the last edit made without git; None if it is known already."""
        done, last = self._committed(), self._edits.last()
        number = last.number if last else 0
        return number if done is None or done > number else None  # no commit was made yet, or the log was removed

    def _turn(self) -> FileLock:
        """Return the lock that a process holds while it commits."""
        return FileLock(self._state.path("git.lock"), timeout=_LOCK_S, fallback_to_soft=False)

    def commit(self, edit: Edit) -> str:
        """Commit an edit and all earlier ones without a commit; return why that failed.

        Return "" if it succeeded, or is still under way.
        """
        if self._waits:
            return f"not committed to git: {self._waits}"

        def catch_up() -> str:
            return self.catch_up(edit)

        waiting = self._submit(catch_up)
        try:
            return waiting.result(_WAIT_S)
        except TimeoutError:
            waiting.add_done_callback(_log_trouble)
            return ""

    def close(self) -> None:
        """Wait for the commits under way."""
        if self._worker:
            self._worker.shutdown()

    def _submit(self, work: Callable[[], str]) -> "Future[str]":
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only if git is used

        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, "zkmem-git")
        return self._worker.submit(work)

    def catch_up(self, edit: Edit | None = None) -> str:
        """Commit every edit that has no commit, oldest first; return a message about what could not be committed."""
        try:
            with self._turn():
                if edit is not None and self._committed() is None:  # somebody removed the file since the edit began
                    self._remember(edit.number - 1)
                pending = self.pending()[::-1]
                last = self.history.last_message() if any(not one.commit for one in pending) else ""
                if last and last.strip() == self._message(pending[0]).strip():  # a process was killed after its commit
                    self._remember(pending.pop(0).number)
                after_user = bool(pending) and not is_by_zkmem(last)
                sentences = [sentence for one in pending for sentence in self._commit(one, after_user=after_user)]
        except (GitTrouble, OSError, Timeout, ZkError) as error:
            return f"not committed to git: {error}"
        except Exception:  # noqa: BLE001 - no error in the commit may fail the edit
            _log.exception("the commit failed")
            return "not committed to git: zkmem's log on stderr says why"
        return f"not committed to git: {'; '.join(sentences)}" if sentences else ""

    def pending(self) -> list[Edit]:
        """Return the edits that have no commit yet, last first."""
        done = self._committed()
        if done is None:
            return []
        return list(itertools.takewhile(lambda edit: edit.number > done, self._edits.backwards()))

    def _committed(self) -> int | None:
        """Return the number of the last edit that has a commit; None if it is not known."""
        try:
            return int(read(self._pointer())[0])
        except (OSError, ValueError):
            return None

    def _commit(self, edit: Edit, *, after_user: bool) -> list[str]:
        """Commit an edit; return a sentence for each file that was left out.

        `after_user`: whether the user made the last commit, so that it may have what this edit and later ones did.
        """
        if edit.commit:  # a synchronisation has made the commit already
            with Trees(self.history.git, 0) as trees:
                trouble = Checkout(self.history.git, trees).check_out(edit.commit)
            self._remember(edit.number)
            return [trouble] if trouble else []
        changes = self._changes(edit, after_user=after_user)

        def moved_first(found: Mapping[str, bytes]) -> bool:
            try:
                moves = self.moves.found_by(edit.number, found, after_user=after_user)
            except GitTrouble as error:  # all edits by hand cannot be committed now, but this edit can
                _log.info("files renamed by hand were not looked for: %s", error)
                return False
            return self._commit_moves(moves)

        sentences = self.history.commit(changes, self._message(edit), edit.client, moved_first) if changes else []
        self._remember(edit.number)
        return sentences

    def _commit_moves(self, moves: Mapping[Pair, bytes]) -> bool:
        """Commit moves by hand, each with the text of the file; return whether there are any.

        Otherwise, the commit of the edit that found the files there would contain them a second time.
        """
        before = {old: self.history.text("HEAD", old) for old, _ in moves}
        changes = {old: CommittedChange(data, None) for old, data in before.items()}
        changes |= {new: CommittedChange(before[old], data, old) for (old, new), data in moves.items()}
        if changes:
            lines = Trailers(tuple(moves)).lines(self.history.prefix)
            self.history.commit(changes, message_by_hand(lines, self.machine), None)
        return bool(changes)

    def _message(self, edit: Edit) -> str:
        about = f"{edit.title()}\n\nZkmem-Edit: {edit.number}\nZkmem-Tool: {edit.tool}\nZkmem-Client: {edit.client}\n"
        about += f"Zkmem-Call: {edit.call}\n" if self.shares_origins and edit.call else ""
        lines = Trailers.of_edit(edit).lines(self.history.prefix)
        return about + "".join(lines) + machine_trailer(self.machine)

    def _changes(self, edit: Edit, *, after_user: bool) -> dict[str, CommittedChange]:
        """Return the change of each file by an edit, as bytes. `after_user`: as for `_commit`.

        Leave out a file whose bytes are not known, that the last commit already has as it is on disk, or that is too
        large to be read. The user can commit large files.
        """
        done = {path: one for path, one in _effects(edit).items() if not (is_hidden(path) or is_large(one.before))}
        now, texts = self._read(done)
        if any(tag and texts[tag] is None for one in done.values() if one.after for tag in one[:2]):
            with self._hold():  # a later edit that is being made may have a text in the journal, where nobody finds it
                now, texts = self._read(done)
        late = [path for path, one in done.items() if now[path] is not None and _etag(now[path]) != one.after]
        taken = self.history.unchanged(late)
        if after_user:
            taken |= self.history.absent([path for path, one in done.items() if now[path] is None and one.after])
        return {
            path: CommittedChange(texts[before], texts[after], source)
            for path, (before, after, source) in done.items()
            if path not in taken and (after is None or texts[after] is not None)
        }

    def _read(self, done: Mapping[str, "_Effect"]) -> tuple[dict[str, bytes | None], dict[str | None, bytes | None]]:
        """Return the bytes of each file as it is now, by path, and the texts before and after an edit, by etag.

        None stands for no file, and for a text that is not known.
        """
        now = {path: self._now(path) for path in done}
        for path, one in done.items():
            if one.source and platform.current.is_one_file(f"{self._root}/{one.source}", f"{self._root}/{path}"):
                now[one.source] = None  # the disk ignores case, and finds the file under its old name, too
        texts = {_etag(data): data for data in (None, *now.values())}
        for tag in {tag for one in done.values() for tag in one[:2] if tag} - texts.keys():
            texts[tag] = self._versions.text(tag)
        return now, texts

    def _now(self, path: str) -> bytes | None:
        try:
            return read(os.path.join(self._root, path), self._versions.most_bytes)[0]
        except OSError:
            return None

    def _remember(self, number: int) -> None:
        """Save the number of the last edit that has a commit. A process killed meanwhile leaves the old or new one."""
        replace_file(self._pointer(), b"%d\n" % number, durable=False, opener=platform.current.opened)

    def _pointer(self) -> str:
        return self._state.path("committed")


def _log_trouble(done: "Future[str]") -> None:
    """Log a message that comes too late for the answer to an edit."""
    if trouble := done.result():
        _log.warning("%s", trouble)


def _etag(data: bytes | None) -> str | None:
    return None if data is None else etag(data)


class _Effect(NamedTuple):
    """The etags of a file before and after an edit, and the path it was moved from."""

    before: str | None
    after: str | None
    source: str | None = None


def _effects(edit: Edit) -> dict[str, _Effect]:
    """Return the effect of an edit on each file."""
    effects: dict[str, _Effect] = {}
    for change in edit.changes:
        if change.to is not None:
            effects[change.path] = _Effect(change.before, None)
            effects[change.to] = _Effect(change.before, change.before, change.path)
        else:
            effect = effects.get(change.path, _Effect(change.before, None))
            effects[change.path] = effect._replace(after=change.after)
    return effects
