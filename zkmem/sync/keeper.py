"""Keep a vault in sync while it is served: fetch regularly, and push soon after an edit."""

import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Self

from zkmem.errors import ZkError
from zkmem.sync.report import Report

_LONGEST_S = 900.0  # between two attempts while they fail
_PATIENCE_S = 5.0  # how long `__exit__` waits for a synchronisation under way

_log = logging.getLogger(__name__)


class Keeper:
    """A thread that synchronises a vault. It runs during a `with` block."""

    def __init__(self, sync: Callable[[], Report], every: float, after: float) -> None:
        """Prepare the thread.

        `sync`: synchronises once; `every`: seconds between two synchronisations; `after`: seconds from an edit to
        the synchronisation that sends it.
        """
        self._sync = sync
        self._every, self._after = every, after
        self._pause = every
        self._last_trouble = ""
        self._wake = threading.Condition()
        self._stopped = False
        self._due = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="zkmem-sync", daemon=True)

    def __enter__(self) -> Self:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the thread. Wait at most 5 s for a synchronisation under way; the next one finishes what is cut off."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self._thread.join(_PATIENCE_S)

    def touch(self, _: object = None) -> None:
        """Synchronise soon, because there was an edit. While attempts fail, this changes nothing."""
        with self._wake:
            if not self._last_trouble:  # while attempts fail, edits must not shorten the pauses
                self._due = min(self._due, time.monotonic() + self._after)
                self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._stopped and (seconds := self._due - time.monotonic()) > 0:
                    self._wake.wait(seconds)
                if self._stopped:
                    return
                self._due = time.monotonic() + self._pause
            self._once()
            with self._wake:
                spread = random.uniform(0.9, 1.1)  # noqa: S311 - so that machines do not all fetch at once
                self._due = min(self._due, time.monotonic() + self._pause * spread)

    def _once(self) -> None:
        """Synchronise once. Log remarks, new conflicts and unexpected errors each time.

        Log any other failure when it first occurs, and the first success after failures.
        """
        try:
            report = self._sync()
            trouble = report.offline
            for line in report.remarks:
                _log.warning("%s", line)
            if report.conflicts:
                _log.warning("conflicts to resolve: %s", ", ".join(report.conflicts))
        except ZkError as error:
            trouble = str(error)
        except Exception:  # noqa: BLE001 - after one failed attempt, the server must try again
            _log.exception("the synchronisation failed")
            trouble = "an unexpected error; the log has its traceback"
        if trouble and trouble != self._last_trouble:
            _log.warning("not synchronised: %s", trouble)
        elif self._last_trouble and not trouble:
            _log.warning("synchronised again")
        self._pause = min(_LONGEST_S, self._pause * 2) if trouble else self._every
        self._last_trouble = trouble
