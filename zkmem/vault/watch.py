"""Report changes made by other programs, from batches of events, or from comparisons if there are no events.

Events may be lost: the queue was full, another folder took the vault's place, or a loss was not reported. Then a new
watch is started, and the whole vault is compared. This also happens every five minutes; on Windows, every minute.
"""

import contextlib
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator

from zkmem.errors import NoVault
from zkmem.vault import platform

LOOK_S = 1.0  # between two checks of the vault's folder: no event reports that another folder took its place
POLL_S = 1.0
_QUIET_S = 0.05
_LATEST_S = 0.5
POLL_SHARE = 20  # polling takes at most one part in this many of the time, however long each comparison takes

_LONGEST_S = 0.25  # the longest that the events wait for edits
_CHECK_S = 0.005  # how often the waiting thread checks whether the edit is over
_ANSWER_S = 0.005  # after an edit, while its answer is sent
_READING_S = 0.05  # after a pause, events are read for this time, even if the next edit has begun

_log = logging.getLogger(__name__)

OnChange = Callable[[list[str] | None], object]
"""A function of the paths of changed files and folders, or of None if any file may have changed."""


class Pause:
    """A pause: the thread that calls `wait` waits while another thread is in `hold`, and shortly after.

    The reading of events pauses while this process makes and answers an edit. The index does not need the events of
    that edit, and reading them would only delay the answer, so they wait in the system's queue. That queue is limited:
    a pause is short, and after it events are read for a while in any case.
    """

    def __init__(self) -> None:
        self._held = False
        self._ended = self._reads_until = 0.0

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Make the other thread wait during this block and shortly after it."""
        self._held = True
        try:
            yield
        finally:
            self._ended = time.monotonic()
            self._held = False

    def wait(self) -> None:
        """Wait until the pause is over, but for `_LONGEST_S` at most, however many pauses follow each other.

        For a while after it has waited, it returns at once.
        """
        now = time.monotonic()
        latest = now + _LONGEST_S
        if now < self._reads_until or not self._lasts(now):
            return
        while now < latest and self._lasts(now):
            time.sleep(_CHECK_S)  # waking this thread would take the interpreter from the thread that sends the answer
            now = time.monotonic()
        self._reads_until = now + _READING_S

    def _lasts(self, now: float) -> bool:
        """Return whether an edit is being made, or its answer is being sent."""
        return self._held or now < self._ended + _ANSWER_S


own_edits = Pause()
"""The only pause of this process, which also has only one thread that reads events."""


class Watcher:
    """A thread that watches a vault and calls `on_change` with the changed paths, until it is stopped.

    `on_look` is called after each such call, and at least once a second: it finds changes that no event reports.

    With `poll`, on a network drive, and if the system refuses to watch, there are no events: the whole vault is
    compared repeatedly instead. While the vault does not exist, `on_change` is not called.
    """

    def __init__(
        self, root: str, on_change: OnChange, on_look: Callable[[], object] = lambda: None, *, poll: bool = False
    ) -> None:
        self._root = root
        self._on_change = on_change
        self._on_look = on_look
        self._poll = poll
        self._batch = Batch()
        self._native: platform.Watch | None = None
        self._folder: tuple[int, int] | None = None  # the identity of the folder that is watched, or polled
        self._is_gone = False
        self._was_refused = False
        self._retry_s = LOOK_S
        self._renew_at = self._whole_at = 0.0  # when to start a new watch; when to compare the whole vault
        self._thread = threading.Thread(target=self._run, name="zkmem-watch", daemon=True)

    def start(self) -> None:
        """Start the thread; every later change is reported."""
        if folder := self._look():
            self._watch(folder)
            self._plan(0.0)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and wait for all threads to end."""
        self._batch.stop()
        self._thread.join()
        self._unwatch()

    def _run(self) -> None:
        while not self._batch.stopped:
            paths = self._batch.take(self._patience())
            if not self._batch.stopped:
                self._step(paths)
                self._on_look()

    def _patience(self) -> float:
        """Return the seconds until the next task that needs no event."""
        until = min(self._renew_at, self._whole_at) - time.monotonic() if self._folder else LOOK_S
        return max(0.0, min(LOOK_S, until))

    def _step(self, paths: list[str] | None) -> None:
        folder = self._look()
        if folder is None:
            return
        now = time.monotonic()
        needs_watch = paths is None or folder != self._folder or now >= self._renew_at
        if needs_watch:
            self._watch(folder)  # before the comparison, so that no change between the two is missed
        if needs_watch or now >= self._whole_at:
            started_at = time.monotonic()
            if self._hand_over(None):
                self._plan(time.monotonic() - started_at)
        elif paths:
            self._hand_over(paths)

    def _look(self) -> tuple[int, int] | None:
        """Return the identity of the vault's folder. If there is none, log that once and stop watching."""
        folder = _identity(self._root)
        if folder is None:
            self._unwatch()
            if not self._is_gone:
                _log.warning("the vault %s is gone, or cannot be read; zkmem keeps what it knows of it", self._root)
        elif self._is_gone:
            _log.info("the vault %s is back", self._root)
        self._is_gone = folder is None
        return folder

    def _watch(self, folder: tuple[int, int]) -> None:
        """Start a new watch; if the system refuses, polling replaces it."""
        self._unwatch()
        self._folder = folder
        self._renew_at = time.monotonic() + platform.current.rescan_s
        if self._poll or platform.current.is_remote(self._root):
            return
        try:
            self._native = platform.current.watch(self._root, self._batch)
            self._was_refused = False
        except OSError as error:  # the limit of inotify watches, most likely
            if _identity(self._root) and not self._was_refused:
                _log.warning("no native watch of the vault (%s); polling instead", error)
                self._was_refused = True

    def _unwatch(self) -> None:
        self._folder = None
        if self._native:
            self._native.stop()
            self._native = None

    def _plan(self, duration_s: float) -> None:
        """Set the time of the next comparison; `duration_s` is the duration of the last one in seconds."""
        self._whole_at = time.monotonic() + (
            platform.current.rescan_s if self._native else max(POLL_S, POLL_SHARE * duration_s)
        )

    def _hand_over(self, paths: list[str] | None) -> bool:
        try:
            self._on_change(paths)
        except NoVault:  # the vault was removed just now
            self._unwatch()
            return False
        except Exception:  # noqa: BLE001 - the thread must live on
            _log.exception("changes could not be handled; the whole vault is compared in %.0f s", self._retry_s)
            self._whole_at = time.monotonic() + self._retry_s
            self._retry_s = min(2 * self._retry_s, platform.current.rescan_s)
            return False
        if paths is None:
            self._retry_s = LOOK_S
        return True


def _identity(root: str) -> tuple[int, int] | None:
    """Return the device and inode of the folder at `root`; None if no readable folder is there."""
    with contextlib.suppress(OSError):
        info = os.stat(root)
        if stat.S_ISDIR(info.st_mode) and os.access(root, os.R_OK | os.X_OK):
            return info.st_dev, info.st_ino
    return None


class Batch:
    """A batch of paths. It is due when no path was added for `_QUIET_S`, or the first has waited for `_LATEST_S`."""

    def __init__(self) -> None:
        self.stopped = False
        self._paths: set[str] = set()
        self._lost = False
        self._first = self._last = 0.0  # when the first and the last path were added; 0 if there is none
        self._news = threading.Condition()

    def add(self, path: str) -> None:
        """Add a path."""
        with self._news:
            self._paths.add(path)
            self._note_time()

    def lose(self) -> None:
        """Note that paths were lost."""
        with self._news:
            self._lost = True
            self._note_time()

    def stop(self) -> None:
        """End every wait, now and later."""
        with self._news:
            self.stopped = True
            self._news.notify()

    def take(self, patience: float) -> list[str] | None:
        """Wait for the next batch and return it; None if paths were lost.

        Return an empty list after `patience` seconds without any path.
        """
        with self._news:
            self._news.wait_for(lambda: self._last or self.stopped, patience)
            while self._last and not self.stopped and (rest := self._due_in()) > 0:
                self._news.wait(rest)
            paths = None if self._lost else sorted(self._paths)
            self._paths, self._lost, self._last = set(), False, 0.0
            return paths

    def _note_time(self) -> None:
        now = time.monotonic()
        if not self._last:
            self._first = now
            self._news.notify()  # later paths of a batch need not wake the waiting thread
        self._last = now

    def _due_in(self) -> float:
        return min(self._last + _QUIET_S, self._first + _LATEST_S) - time.monotonic()
