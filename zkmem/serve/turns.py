"""Share worker threads fairly: a caller has a few at once, and waiting callers take turns.

`Shares` is for what callers hold for long: there a caller is refused, and does not wait.
"""

import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable
from typing import TypeVar, TypeVarTuple, Unpack

import anyio
import anyio.to_thread

from zkmem.errors import TooMany
from zkmem.serve.shares import Sender
from zkmem.util.waiting import WouldWait, without_waiting

THREADS = 40  # of one set, for all callers
_EACH = 4  # for one token
_EDITS = 32  # for the edits of one token: more than for reads, since edits that wait are made together
_QUERIES = 4  # calls that evaluate expressions, which may take seconds; each user has one
_OF_OWNERS = 4  # threads that are reserved for callers who may change all notes
_OF_USER = 2  # all tokens of a user may have so many times the reads of one token
_WAITING = 1_000  # calls of one token that may wait

_TOKEN, _USER = "token", "user"  # the two kinds of keys of what is busy

_T = TypeVar("_T")
_Arguments = TypeVarTuple("_Arguments")


class WorkerThreads:
    """The threads of a server: one set for reads, one for edits, and one for calls that evaluate expressions."""

    def __init__(self, reads: int = _EACH, edits: int = _EDITS) -> None:
        """Allow one token so many threads for its reads, and so many for its edits."""
        self._reads = Turns(each=reads, of_user=_OF_USER * reads, of_owners=_OF_OWNERS)
        self._edits = Turns(each=edits, of_owners=_OF_OWNERS)
        self._queries = Turns(_QUERIES, each=1, of_owners=1)
        self.questions = Turns(each=reads, of_user=_OF_USER * reads, of_owners=_OF_OWNERS)
        """The turns of questions to a model. They take no thread, but the endpoint answers only some at once."""

    def of(self, *, writes: bool, evaluates: bool = False) -> "Turns":
        """Return the set for calls that evaluate expressions, for others that write, or for all others."""
        return self._queries if evaluates else self._edits if writes else self._reads


class Turns:
    """Run work in threads for many callers, from one event loop."""

    def __init__(
        self,
        threads: int = THREADS,
        each: int = _EACH,
        waiting: int = _WAITING,
        *,
        of_user: int | None = None,
        of_owners: int = 0,
    ) -> None:
        """Allow `threads` in all, `each` for one token and `of_user` for one user (default: as many).

        `waiting` more calls of one token may wait. `of_owners`: how many of the threads are reserved for owners.
        """
        self._each = each
        self._of_user = of_user or each
        self._of_owners = of_owners
        self._most_waiting = waiting
        self._free = threads
        self._threads = threads
        self._busy: Counter[Hashable] = Counter()  # of each token and each user
        self._waiting: OrderedDict[Sender, deque[anyio.Event]] = OrderedDict()  # the next caller is first
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, caller: Sender, work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments) -> _T:
        """Run `work` in a thread when it is the caller's turn; return its result.

        Raises:
            TooMany: when too many calls of this caller wait already. Any error of `work`.
        """
        async with self.turn(caller):
            if self._limiter is None:  # the limiter needs a running loop
                self._limiter = anyio.CapacityLimiter(self._threads)
            return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

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

    def _may_have_one(self, caller: Sender) -> bool:
        """Return whether a thread is free for the caller, and it has fewer than it may have."""
        has_free = self._free > (0 if caller.is_owner else self._of_owners)
        of_token, of_user = self._busy[_TOKEN, caller.token], self._busy[_USER, caller.user]
        return has_free and of_token < self._each and of_user < self._of_user

    def _grant(self, caller: Sender) -> None:
        self._free -= 1
        self._busy.update(((_TOKEN, caller.token), (_USER, caller.user)))

    def _give_back(self, caller: Sender) -> None:
        """Give the thread to the first waiting caller that may have one; then go on, as others may have one, too."""
        self._free += 1
        for key in ((_TOKEN, caller.token), (_USER, caller.user)):
            self._busy[key] -= 1
            if not self._busy[key]:
                del self._busy[key]
        while following := next(filter(self._may_have_one, self._waiting), None):
            queue = self._waiting[following]
            queue.popleft().set()
            self._grant(following)
            self._waiting.move_to_end(following)
            if not queue:
                del self._waiting[following]
