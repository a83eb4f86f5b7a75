"""Share worker threads fairly: a caller has one or a few at once, and waiting callers take turns.

`Shares` is for what callers hold for long: it refuses a caller instead of letting it wait.
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
_RESERVED = 4  # threads that are reserved for callers who may change all notes
_LONG_S = 0.1  # a call that takes longer lets the next one of its user begin beside it
_WAITING = 1_000  # calls of one token that may wait
_LATEST = 40  # callers whose last turns are known

_TOKEN, _USER = "token", "user"  # the two kinds of keys of what is busy

_T = TypeVar("_T")
_Arguments = TypeVarTuple("_Arguments")


class WorkerThreads:
    """The threads of a server: one set for reads, one for edits, and one for calls that evaluate expressions."""

    def __init__(self, reads: int = 1, edits: int = _EDITS) -> None:
        """Allow one user `reads` threads for reads, and a token that may change all notes `edits` threads for edits.

        Others have one thread for edits. Threads of Python take turns to compute, so two searches at the same time
        take longer than one after the other.
        """
        self._reads = Turns(each=reads, reserved=_RESERVED, long_s=_LONG_S)
        self._edits = Turns(of_owner=edits, reserved=_RESERVED, long_s=_LONG_S)
        self._queries = Turns(_QUERIES, reserved=1)
        self.questions = Turns(each=_QUESTIONS, of_user=2 * _QUESTIONS, reserved=_RESERVED)
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
        reserved: int = 0,
        long_s: float = math.inf,
    ) -> None:
        """Allow `threads` in all, `each` for one token, and `of_owner` for a token that may change all notes.

        `of_owner` is `each` by default. `of_user`: how many all tokens of one user may have together; by default, as
        many as one of them. `waiting` more calls of one token may wait. `reserved`: how many of the threads are
        reserved for tokens that may change all notes. While a call takes longer than `long_s` seconds, one more call
        of its user may run.
        """
        self._each = each
        self._of_owner = of_owner or each
        self._of_user = of_user
        self._reserved = reserved
        self._long_s = long_s
        self._most_waiting = waiting
        self._free = threads
        self._threads = threads
        self._busy: Counter[Hashable] = Counter()  # of each token and each user
        self._long: set[Hashable] = set()  # users with a long call, which does not count as busy
        self._waiting: dict[Sender, deque[anyio.Event]] = {}
        self._ranks: dict[Sender, int] = {}  # of the callers that wait; the lowest comes first
        self._turn_count = 0
        self._last_turns = Recent[Sender, int](_LATEST)
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, caller: Sender, work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments) -> _T:
        """Run `work` in a thread when it is the caller's turn; return its result."""
        async with self.turn(caller):
            if self._limiter is None:  # the limiter needs a running loop
                self._limiter = anyio.CapacityLimiter(self._threads)
            with self._letting_another_in(caller):
                return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

    @contextlib.contextmanager
    def _letting_another_in(self, caller: Sender) -> Iterator[None]:
        """Let one more call of the same user begin if the block takes long, unless another long call has done so."""
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
        """Wait until it is the caller's turn. The turn ends when the block ends."""
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
        # A caller whose last turn is not known ranks as if it was `_LATEST` turns ago. If it came before all others,
        # ever new callers could keep out one that waits.
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
        """Forget when a caller had its last turn, so that its next one comes before those of other recent callers."""
        self._last_turns.pop(caller, None)

    def _may_have_one(self, caller: Sender) -> bool:
        """Return whether a thread is free for the caller, and it has fewer than it may have."""
        has_free = self._free > (0 if caller.is_owner else self._reserved)
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
        """Give threads to waiting callers that may have one, first to the caller whose last turn was longest ago."""
        while ready := list(filter(self._may_have_one, self._waiting)):
            following = min(ready, key=self._ranks.__getitem__)
            queue = self._waiting[following]
            queue.popleft().set()
            self._grant(following)
            self._ranks[following] = self._turn_count
            if not queue:
                del self._waiting[following], self._ranks[following]
