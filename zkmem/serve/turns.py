"""Share worker threads fairly: a caller has a few at once, and waiting callers take turns."""

import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable
from typing import TypeVar, TypeVarTuple, Unpack

import anyio
import anyio.to_thread

from zkmem.errors import TooMany
from zkmem.util.waiting import WouldWait, without_waiting

THREADS = 40  # of one set, for all callers
_EACH = 4  # for one caller
_EDITS = 32  # for the edits of one caller: more than for reads, since edits that wait are made together
_WAITING = 1_000  # calls of one caller that may wait

_T = TypeVar("_T")
_Arguments = TypeVarTuple("_Arguments")


class WorkerThreads:
    """The threads of a server: one set for reads, and one for edits."""

    def __init__(self, reads: int = _EACH, edits: int = _EDITS) -> None:
        """Allow one caller so many threads for its reads, and so many for its edits."""
        self._reads = Turns(each=reads)
        self._edits = Turns(each=edits)

    def of(self, *, writes: bool) -> "Turns":
        """Return the set for calls that write, or for those that do not."""
        return self._edits if writes else self._reads


class Turns:
    """Run work in threads for many callers, from one event loop."""

    def __init__(self, threads: int = THREADS, each: int = _EACH, waiting: int = _WAITING) -> None:
        """Allow `threads` in all and `each` for one caller; `waiting` more calls of one caller may wait."""
        self._each = each
        self._most_waiting = waiting
        self._free = threads
        self._threads = threads
        self._busy: Counter[Hashable] = Counter()
        self._waiting: OrderedDict[Hashable, deque[anyio.Event]] = OrderedDict()  # the next caller is first
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, caller: Hashable, work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments) -> _T:
        """Run `work` in a thread when it is the caller's turn; return its result.

        Raises:
            TooMany: when too many calls of this caller wait already. Any error of `work`.
        """
        async with self.turn(caller):
            if self._limiter is None:  # the limiter needs a running loop
                self._limiter = anyio.CapacityLimiter(self._threads)
            return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

    @contextlib.asynccontextmanager
    async def turn(self, caller: Hashable) -> AsyncIterator[None]:
        """Wait until it is the caller's turn. The turn ends when the block ends.

        Raises:
            TooMany: as `run`.
        """
        await self._take(caller)
        try:
            yield
        finally:
            self._give_back(caller)

    async def try_in_loop(
        self, caller: Hashable, work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments
    ) -> _T:
        """Try `work` in the event loop's thread; if it would wait or take long, repeat it as `run` does.

        Handing work to another thread takes longer than the shortest work does.

        Raises:
            TooMany: as `run`. Any error of `work`.
        """
        try:
            return without_waiting(work, *arguments)
        except WouldWait:
            return await self.run(caller, work, *arguments)

    async def _take(self, caller: Hashable) -> None:
        """Wait until the caller may have one more thread."""
        if self._free and self._busy[caller] < self._each:
            self._grant(caller)
            return
        queue = self._waiting.setdefault(caller, deque())
        if len(queue) >= self._most_waiting:
            raise TooMany(f"{self._most_waiting} of your calls wait already; send fewer at once.")
        turn = anyio.Event()
        queue.append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():  # cancelled just after it got a thread
                self._give_back(caller)
            else:
                queue.remove(turn)
                if not queue:
                    del self._waiting[caller]
            raise

    def _grant(self, caller: Hashable) -> None:
        self._free -= 1
        self._busy[caller] += 1

    def _give_back(self, caller: Hashable) -> None:
        """Give the thread to the first waiting caller that has fewer threads than it may have."""
        self._free += 1
        self._busy[caller] -= 1
        if not self._busy[caller]:
            del self._busy[caller]
        for following, queue in self._waiting.items():
            if self._busy[following] < self._each:
                queue.popleft().set()
                self._grant(following)
                self._waiting.move_to_end(following)
                if not queue:
                    del self._waiting[following]
                return
