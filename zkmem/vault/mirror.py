"""Brings the edits in the log into git, one commit each, beside the edits and never in their way."""

import contextlib
import itertools
import logging
import os
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import NamedTuple

from zkmem.vault.files import create, etag, read
from zkmem.vault.git import GitTrouble
from zkmem.vault.history import Change, History, Merge
from zkmem.vault.log import Edit, Log
from zkmem.vault.paths import is_hidden
from zkmem.vault.state import State
from zkmem.vault.versions import Versions

_WAIT_S = 0.5  # an edit waits so long for its commit, to tell what became of it
_LOCK_S = 10.0

_log = logging.getLogger(__name__)


class Mirror:
    """The commits of one vault. An edit whose commit cannot be made now is committed with the next one that can."""

    def __init__(self, root: str, state: State, log: Log, versions: Versions, merge: Merge) -> None:
        self.history = History(root, state, merge)
        self._root = root
        self._state = state
        self._edits = log
        self._versions = versions
        self._worker: ThreadPoolExecutor | None = None

    def commit(self, edit: Edit) -> str:
        """Commit an edit, and those that wait; why it could not be done, or "" (it may still be under way then)."""
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, "zkmem-git")
        waiting: Future[str] = self._worker.submit(self._catch_up, edit)
        try:
            return waiting.result(_WAIT_S)
        except NotYet:
            waiting.add_done_callback(_tell)
            return ""

    def close(self) -> None:
        """Wait for the commits under way."""
        if self._worker:
            self._worker.shutdown()

    def _catch_up(self, edit: Edit) -> str:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - see `lock`

        try:
            with FileLock(self._state.path("git.lock"), timeout=_LOCK_S, fallback_to_soft=False):
                left = [sentence for one in self._waiting(edit) for sentence in self._commit(one)]
        except (GitTrouble, OSError, Timeout) as error:
            return f"not committed to git: {error}"
        except Exception:  # noqa: BLE001 - the edit stands, whatever this is
            _log.exception("the commit failed")
            return "not committed to git: zkmem's log on stderr says why"
        return f"not committed to git: {'; '.join(left)}" if left else ""

    def pending(self) -> list[Edit]:
        """The edits that have no commit yet, last first."""
        done = self._committed()
        if done is None:
            return []
        return list(itertools.takewhile(lambda edit: edit.number > done, self._edits.backwards()))

    def _committed(self) -> int | None:
        """Up to which edit there are commits; None where that is not known."""
        try:
            return int(read(self._pointer())[0])
        except (OSError, ValueError):
            return None

    def _waiting(self, edit: Edit) -> list[Edit]:
        """The edits without a commit, first first."""
        done, last = self._committed(), self._edits.last()
        if done is None or last is None or done > last.number:
            self._remember(edit.number - 1)  # what was done before there was git, or before this log, does not count
        return self.pending()[::-1]

    def _commit(self, edit: Edit) -> list[str]:
        """Commit an edit; what cannot be, as sentences."""
        changes = self._changes(edit)
        message = f"{edit.title()}\n\nZkmem-Edit: {edit.number}\nZkmem-Tool: {edit.tool}\nZkmem-Client: {edit.client}\n"
        left = self.history.commit(changes, message, edit.client) if changes else []
        self._remember(edit.number)
        return left

    def _changes(self, edit: Edit) -> dict[str, Change]:
        """What an edit did to each file, as bytes, as far as they are known and not older than the last commit."""
        done = {path: one for path, one in _effects(edit).items() if not is_hidden(path)}
        now = {path: self._now(path) for path in done}
        late = [path for path, one in done.items() if now[path] is not None and _etag(now[path]) != one.after]
        taken = self.history.unchanged(late)
        changes: dict[str, Change] = {}
        for path, (before, after, source) in done.items():
            texts = {None: None, _etag(now[path]): now[path]}
            for tag in (before, after):
                texts.setdefault(tag, self._versions.text(tag) if tag else None)
            if path not in taken and (after is None or texts[after] is not None):
                changes[path] = Change(texts[before], texts[after], source)
        return changes

    def _now(self, path: str) -> bytes | None:
        try:
            return read(os.path.join(self._root, path))[0]
        except OSError:
            return None

    def _remember(self, number: int) -> None:
        """Remember up to which edit there are commits."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._pointer())
        create(self._pointer(), b"%d\n" % number, durable=False)

    def _pointer(self) -> str:
        return self._state.path("committed")


def _tell(done: "Future[str]") -> None:
    """Log what comes too late for the answer to an edit."""
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
    """What an edit did to each file."""
    found: dict[str, _Effect] = {}
    for change in edit.changes:
        if change.to is not None:
            found[change.path] = _Effect(change.before, None)
            found[change.to] = _Effect(change.before, change.before, change.path)
        else:
            known = found.get(change.path, _Effect(change.before, None))
            found[change.path] = known._replace(after=change.after)
    return found
