"""Share worker threads fairly: a caller has one or a few at once, and waiting callers take turns.

`Shares` is for what callers hold for long: there a caller is refused, and does not wait.
"""

import asyncio
import contextlib
import math
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from typing import TypeVar, TypeVarTuple, Unpack

import anyio
import anyio.to_thread

from zkmem.errors import TooMany
from zkmem.serve.networks import Recent
from zkmem.serve.shares import Sender
from zkmem.util.waiting import WouldWait, without_waiting

THREADS = 40  # of one set, for all callers
_EDITS = 32  # for the edits of one owner's token: more than for reads, since edits that wait are made together
_QUESTIONS = 4  # to a model, of one token
_QUERIES = 4  # calls that evaluate expressions, which may take seconds; each user has one
_OF_OWNERS = 4  # threads that are reserved for callers who may change all notes
_LONG_S = 0.1  # a call that takes longer lets the next one of its user begin beside it
_WAITING = 1_000  # calls of one token that may wait
_LATEST = 40  # callers whose last turns are known

_TOKEN, _USER = "token", "user"  # the two kinds of keys of what is busy

_T = TypeVar("_T")
_Arguments = TypeVarTuple("_Arguments")


class WorkerThreads:
    """The threads of a server: one set for reads, one for edits, and one for calls that evaluate expressions."""

    def __init__(self, reads: int = 1, edits: int = _EDITS) -> None:
        """Allow one user so many threads for reads, and one owner's token so many for edits; others have one.

        Threads of Python take turns to compute: two searches at once end later than one after the other.
        """
        self._reads = Turns(each=reads, of_owners=_OF_OWNERS, long_s=_LONG_S)
        self._edits = Turns(of_owner=edits, of_owners=_OF_OWNERS, long_s=_LONG_S)
        self._queries = Turns(_QUERIES, of_owners=1)
        self.questions = Turns(each=_QUESTIONS, of_user=2 * _QUESTIONS, of_owners=_OF_OWNERS)
        """The turns of questions to a model. They take no thread, but the endpoint answers only some at once."""

    def of(self, *, writes: bool, evaluates: bool = False) -> "Turns":
        """Return the set for calls that evaluate expressions, for others that write, or for all others."""
        return self._queries if evaluates else self._edits if writes else self._reads


class Turns:
    """Run work in threads for many callers, from one event loop."""

    def __init__(
        self,
        threads: int = THREADS,
        each: int = 1,
        waiting: int = _WAITING,
        *,
        of_owner: int | None = None,
        of_user: int | None = None,
        of_owners: int = 0,
        long_s: float = math.inf,
    ) -> None:
        """Allow `threads` in all, `each` for one token, and `of_owner` for a token that may change all notes.

        All tokens of one user may have `of_user`. By default, the last two are like that of a token. `waiting` more
        calls of one token may wait. `of_owners`: how many of the threads are reserved for owners. Beside one call of a
        user that has run for `long_s` seconds, another one may begin.
        """
        self._each = each
        self._of_owner = of_owner or each
        self._of_user = of_user
        self._of_owners = of_owners
        self._long_s = long_s
        self._most_waiting = waiting
        self._free = threads
        self._threads = threads
        self._busy: Counter[Hashable] = Counter()  # of each token and each user
        self._long: set[Hashable] = set()  # the users of whom one call runs long, and does not count as busy
        self._waiting: dict[Sender, deque[anyio.Event]] = {}
        self._ranks: dict[Sender, int] = {}  # of the callers that wait; the lowest comes first
        self._turn_count = 0
        self._last_turns = Recent[Sender, int](_LATEST)
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, caller: Sender, work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments) -> _T:
        """Run `work` in a thread when it is the caller's turn; return its result.

        Raises:
            TooMany: when too many calls of this caller wait already. Any error of `work`.
        """
        async with self.turn(caller):
            if self._limiter is None:  # the limiter needs a running loop
                self._limiter = anyio.CapacityLimiter(self._threads)
            with self._letting_another_in(caller):
                return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

    @contextlib.contextmanager
    def _letting_another_in(self, caller: Sender) -> Iterator[None]:
        """Let another call of the user begin if the block takes long, and no other one does so."""
        if self._long_s == math.inf:
            yield
            return
        loop, is_long = asyncio.get_running_loop(), False
        timer: asyncio.TimerHandle

        def let_in() -> None:
            nonlocal timer, is_long
            is_long = caller.user not in self._long
            if is_long:
                self._long.add(caller.user)
                self._count(caller, -1)
                self._wake()
            else:
                timer = loop.call_later(self._long_s, let_in)

        timer = loop.call_later(self._long_s, let_in)
        try:
            yield
        finally:
            timer.cancel()
            if is_long:
                self._long.remove(caller.user)
                self._count(caller, 1)

    @contextlib.asynccontextmanager
    async def turn(self, caller: Sender) -> AsyncIterator[None]:
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
        self, caller: Sender, work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments
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

    async def _take(self, caller: Sender) -> None:
        """Wait until the caller may have one more thread."""
        if self._may_have_one(caller):
            self._grant(caller)
            return
        queue = self._waiting.setdefault(caller, deque())
        if len(queue) >= self._most_waiting:
            raise TooMany(f"{self._most_waiting} of your calls wait already; send fewer at once.")
        turn = anyio.Event()
        queue.append(turn)
        # other callers rank as if they had a turn so long ago, not before all others: ever new ones keep nobody out
        self._ranks.setdefault(caller, self._last_turns.get(caller, self._turn_count - _LATEST))
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():  # cancelled just after it got a thread
                self._give_back(caller)
            else:
                queue.remove(turn)
                if not queue:
                    del self._waiting[caller], self._ranks[caller]
            raise

    def forget(self, caller: Sender) -> None:
        """Forget the turns that a caller has had: the next one comes before those of others."""
        self._last_turns.pop(caller, None)

    def _may_have_one(self, caller: Sender) -> bool:
        """Return whether a thread is free for the caller, and it has fewer than it may have."""
        has_free = self._free > (0 if caller.is_owner else self._of_owners)
        most = self._of_owner if caller.is_owner else self._each
        of_token, of_user = self._busy[_TOKEN, caller.token], self._busy[_USER, caller.user]
        return has_free and of_token < most and of_user < (self._of_user or most)

    def _grant(self, caller: Sender) -> None:
        self._free -= 1
        self._count(caller, 1)
        self._turn_count += 1
        self._last_turns[caller] = self._turn_count

    def _count(self, caller: Sender, change: int) -> None:
        """Count one busy thread more, or one less, for a caller."""
        for key in ((_TOKEN, caller.token), (_USER, caller.user)):
            self._busy[key] += change
            if not self._busy[key]:
                del self._busy[key]

    def _give_back(self, caller: Sender) -> None:
        """Take back the thread of a caller; then give threads to those that wait."""
        self._free += 1
        self._count(caller, -1)
        self._wake()

    def _wake(self) -> None:
        """Give threads to waiting callers that may have one: to that first whose last turn was longest ago."""
        while ready := list(filter(self._may_have_one, self._waiting)):
            following = min(ready, key=self._ranks.__getitem__)
            queue = self._waiting[following]
            queue.popleft().set()
            self._grant(following)
            self._ranks[following] = self._turn_count
            if not queue:
                del self._waiting[following], self._ranks[following]
