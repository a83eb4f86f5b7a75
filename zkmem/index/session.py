"""Use the index: wait until it is fresh enough, hold it, and repeat the work if files have changed."""

import enum
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from zkmem.errors import Changed, Taken, UnknownFile, UnknownNote
from zkmem.index.index import Index, Progress
from zkmem.index.live import Behind, LiveIndex
from zkmem.util.waiting import check_may_wait
from zkmem.vault.journal.log import Log

_PATIENCE_S = 10.0  # how long work is repeated if files change each time
_PAUSE_S = 0.002

_T = TypeVar("_T")


class Freshness(enum.IntEnum):
    """The state that the index must have before it is used. Each value includes those before it."""

    NAMES = enum.auto()  # the names of all files
    LINKS = enum.auto()  # the links of all notes; changes by other programs are known soon after they are made
    EDITS = enum.auto()  # also each edit that another process of zkmem has made
    FILES = enum.auto()  # also each change that any program has made: every file is compared


class Session:
    """The use of one index by many threads. Only this class, `LiveIndex` and its `CacheWriter` lock the index."""

    def __init__(
        self, live: LiveIndex, log: Log, check: Callable[[], None], least: Freshness = Freshness.NAMES
    ) -> None:
        """`log`: the log of edits; `check`: raises an error if there is no vault; `least`: see `read`."""
        self.live = live
        self.least = least
        self._log = log
        self._check = check

    def read(
        self, work: Callable[[Index], _T], freshness: Freshness = Freshness.LINKS, progress: Progress | None = None
    ) -> _T:
        """Call `work` with the index, which this thread holds meanwhile; return the result.

        `work` may be called several times (see `repeated`), so it must change nothing. The index has at least the
        freshness `least` of the session. `progress` gets the number of notes read, and the number to read.
        """
        freshness = max(freshness, self.least)
        if freshness is not Freshness.NAMES:
            self._check()

        def attempt() -> _T:
            with self.held(freshness) as index:
                return work(index)

        return self.repeated(attempt, freshness, progress)

    def repeated(self, attempt: Callable[[], _T], freshness: Freshness, progress: Progress | None = None) -> _T:
        """Bring the index to a freshness, call `attempt`, and return its result.

        `attempt` is called again if a file has changed, if a name is missing or taken, or if a table is behind. Before
        that the index or the table is updated, while this thread holds nothing. An error is raised after ten seconds;
        an error about a name is raised at once if the update has changed nothing.
        """
        self.prepare(freshness, progress)
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            version = self.live.version
            try:
                return attempt()
            except Behind as behind:
                check_may_wait()
                behind.catch_up()
            except Changed:
                check_may_wait()
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_S)  # a program that is writing the file may have finished by then
                self.live.refresh()
            except (Taken, UnknownFile, UnknownNote):
                check_may_wait()
                if not self.live.index.ready or time.monotonic() > deadline:
                    raise
                self.live.refresh()
                if self.live.version == version:  # compared, because the watcher may have updated the index first
                    raise

    @contextmanager
    def held(self, freshness: Freshness) -> Iterator[Index]:
        """Hold the index. If `freshness` asks for it, take in the edits of other processes first.

        The caller has called `prepare`.
        """
        with self.live.as_it_is() as index:
            if freshness >= Freshness.EDITS:
                self._take_in_edits()
            yield index

    def hold(self) -> AbstractContextManager[Index]:
        """Hold the index in its present state, to update data derived from it. This thread may hold it already."""
        return self.live.as_it_is()

    def prepare(self, freshness: Freshness, progress: Progress | None = None) -> None:
        """Bring the index to a freshness, without the edits of other processes. No lock is held afterwards."""
        if freshness is Freshness.NAMES:
            self.live.need_names()
        else:
            self.live.need_links(progress)
        if freshness is Freshness.FILES:  # before any lock is taken: comparing a large vault takes long
            check_may_wait()
            self.live.refresh()
        else:
            self.live.look_again()

    def _take_in_edits(self) -> None:
        """Update the index with the edits of other processes. This thread holds the index."""
        check_may_wait()
        news = self._log.news()
        if news is None or news:
            self.live.take_in(None if news is None else {path for edit in news for path in edit.paths()})
