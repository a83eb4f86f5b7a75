"""Brings the edits in the log into git, one commit each, beside the edits and never in their way."""

import contextlib
import logging
import os
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet

from zkmem.vault.files import create, etag, read
from zkmem.vault.history import Git, GitTrouble
from zkmem.vault.log import Edit, Log
from zkmem.vault.paths import is_hidden
from zkmem.vault.state import State
from zkmem.vault.versions import Versions

_WAIT_S = 0.5  # an edit waits so long for its commit, to tell what became of it
_LOCK_S = 10.0

_log = logging.getLogger(__name__)


class Mirror:
    """The commits of one vault. An edit whose commit cannot be made now is committed with the next one that can."""

    def __init__(self, root: str, state: State, log: Log, versions: Versions) -> None:
        self.git = Git(root, state)
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
            return ""

    def close(self) -> None:
        """Wait for the commits under way."""
        if self._worker:
            self._worker.shutdown()

    def _catch_up(self, edit: Edit) -> str:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - see `lock`

        try:
            with FileLock(self._state.path("git.lock"), timeout=_LOCK_S, fallback_to_soft=False):
                for one in self._waiting(edit):
                    self._commit(one)
        except (GitTrouble, OSError, Timeout) as error:
            _log.warning("not committed to git: %s", error)
            return f"not committed to git: {error}"
        return ""

    def _waiting(self, edit: Edit) -> list[Edit]:
        """The edits without a commit, first first; what was done before there was git does not count."""
        try:
            done = int(read(self._pointer())[0])
        except (FileNotFoundError, ValueError):
            done = edit.number - 1
        waiting: list[Edit] = []
        for one in self._edits.backwards():
            if one.number <= done:
                break
            waiting.insert(0, one)
        return waiting

    def _commit(self, edit: Edit) -> None:
        files: dict[str, bytes | None] = {}
        for path, tag in _after(edit).items():
            known, data = self._bytes(path, tag)
            if known and not is_hidden(path):
                files[path] = data
        message = f"{edit.title()}\n\nZkmem-Edit: {edit.number}\nZkmem-Tool: {edit.tool}\nZkmem-Client: {edit.client}\n"
        if files:
            self.git.commit(files, message, edit.client or "zkmem")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._pointer())
        create(self._pointer(), b"%d\n" % edit.number, durable=False)

    def _bytes(self, path: str, tag: str | None) -> tuple[bool, bytes | None]:
        """The bytes that an edit left at a path (None: no file), if they are known and not older than the last commit.

        A user may have edited and committed the file since: git must not go back behind that.
        """
        try:
            now = read(os.path.join(self._root, path))[0]
        except OSError:
            now = None
        if (etag(now) if now is not None else None) == tag:
            return True, now
        data = self._versions.text(tag) if tag else None
        if (tag and data is None) or (now is not None and self.git.text("HEAD", path) == now):
            return False, None
        return True, data

    def _pointer(self) -> str:
        return self._state.path("committed")


def _after(edit: Edit) -> dict[str, str | None]:
    """Every path that an edit touched, with the etag it left there."""
    after: dict[str, str | None] = {}
    for change in edit.changes:
        after[change.path] = None if change.to else change.after
        if change.to:
            after[change.to] = change.before
    return after
