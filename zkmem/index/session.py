"""How everything above the index uses it: wait until it is fresh enough, hold it, and begin again if files changed."""

import enum
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from zkmem.errors import Changed, Taken, UnknownNote
from zkmem.index.live import Behind, LiveIndex
from zkmem.index.sync import Index, Progress
from zkmem.vault.journal.log import Log

_PATIENCE_S = 10.0  # how long work is repeated that meets changed files again and again
_PAUSE_S = 0.002

_T = TypeVar("_T")


class Freshness(enum.IntEnum):
    """What the index must know before it is used. Each value asks for more than the one before it."""

    NAMES = enum.auto()  # the names of all files
    LINKS = enum.auto()  # the links of all notes; changes by other programs are known soon after they are made
    EDITS = enum.auto()  # also each edit that another process of zkmem has made
    FILES = enum.auto()  # also each change that any program has made: every file is compared


class Session:
    """The use of one index by many threads. No other code but `LiveIndex` itself takes the lock of the index."""

    def __init__(self, live: LiveIndex, log: Log, check: Callable[[], None]) -> None:
        """`log`: the log of edits; `check`: raises an error if there is no vault."""
        self.live = live
        self._log = log
        self._check = check

    def read(
        self, work: Callable[[Index], _T], freshness: Freshness = Freshness.LINKS, progress: Progress | None = None
    ) -> _T:
        """Return what `work` returns, which gets the index and holds it.

        `work` may be called several times (see `edit`), so it must change nothing. `progress` is called with how far
        the index is built.

        Raises:
            NoVault: when links are needed, and the vault is gone.
        """
        if freshness is not Freshness.NAMES:
            self._check()
        return self.edit(work, freshness, nullcontext, progress)

    def edit(
        self,
        work: Callable[[Index], _T],
        freshness: Freshness,
        hold: Callable[[], AbstractContextManager[None]],
        progress: Progress | None = None,
    ) -> _T:
        """Return what `work` returns, which holds what `hold` takes, then the index.

        It is called again if it finds that a file has changed, that a name which it needs is missing or taken, or that
        a table is behind. Before that, the index or the table is updated, while nothing is held. After ten seconds the
        error is raised.
        """
        self.prepare(freshness, progress)
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            version = self.live.version
            try:
                with hold(), self.live.as_it_is() as index:
                    if freshness >= Freshness.EDITS:
                        self._take_in_edits()
                    return work(index)
            except Behind as behind:
                behind.catch_up()
            except Changed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_S)  # whoever writes the file in these very moments may be done then
                self.live.refresh()
            except (Taken, UnknownNote):
                if not self.live.index.ready or time.monotonic() > deadline:
                    raise
                self.live.refresh()
                if self.live.version == version:  # the watcher may have been faster
                    raise

    def hold(self) -> AbstractContextManager[Index]:
        """Hold the index as it is, for data that follow it. This thread may hold it already."""
        return self.live.as_it_is()

    def prepare(self, freshness: Freshness, progress: Progress | None = None) -> None:
        """Make the index as fresh as asked, except for the edits of other processes; hold nothing afterwards."""
        if freshness is Freshness.NAMES:
            self.live.need_names()
        else:
            self.live.need_links(progress)
        if freshness is Freshness.FILES:  # before any lock is taken: comparing a large vault takes long
            self.live.refresh()

    def _take_in_edits(self) -> None:
        """Update the index with what other processes have written. This thread holds it."""
        news = self._log.news()
        if news is None or news:
            self.live.take_in(None if news is None else {path for edit in news for path in edit.paths()})
