"""Gather the edits that wait at the same time, so that one thread can make all of them durable together."""

import threading
from collections import deque
from collections.abc import Callable

from zkmem.edit.done import Done
from zkmem.edit.journal import Author
from zkmem.edit.plan import Plan, View
from zkmem.util.locks import Rank, lock
from zkmem.vault.journal.lock import VaultLock


class Request:
    """An edit that a thread has asked for: how to plan it, and its author. Later it has a result, or an error."""

    def __init__(self, planner: Callable[[View], Plan], by: Author) -> None:
        self.planner = planner
        self.by = by
        self.wake = threading.Event()  # set when the request is answered, or when its thread is to lead
        self._outcome: Done | BaseException | None = None

    @property
    def answered(self) -> bool:
        """Whether the edit was made, or has failed."""
        return self._outcome is not None

    def succeed(self, done: Done) -> None:
        """Tell the thread of the request that its edit is made."""
        self._outcome = done
        self.wake.set()

    def fail(self, error: BaseException) -> None:
        """Raise an error in the thread of the request."""
        self._outcome = error
        self.wake.set()

    def result(self) -> Done:
        """Return the result, or raise the error."""
        if isinstance(self._outcome, Done):
            return self._outcome
        raise self._outcome or RuntimeError("the edit was not made")


class Requests:
    """The edits that wait. One thread at a time leads: it answers the requests that wait, the others wait for it."""

    def __init__(self, vault: VaultLock) -> None:
        """`vault` is the lock that a thread takes to answer requests."""
        self._vault = vault
        self._lock = lock(Rank.LEAF)
        self._waiting: deque[Request] = deque()
        self._taken: list[Request] = []  # the requests that the leading thread has taken
        self._has_leader = False
        self._rounds = 0  # how often a thread has led

    def __len__(self) -> int:
        """Return the number of requests that no thread has taken."""
        return len(self._waiting)

    def carry_out(self, request: Request, lead: Callable[[], None]) -> Done:
        """Queue a request, wait until it is answered or call `lead`, and return its result or raise its error.

        `lead` takes requests with `next`, the one of this thread first, and answers all that it takes.

        Raises:
            Busy: when another thread has led for longer than the time-out of the lock, and has not taken the request.
        """
        self._vault.expect()
        with self._lock:
            self._waiting.append(request)
            leads, self._has_leader = not self._has_leader, True
        if not leads:
            self._wait(request)
        if not request.answered:
            try:
                lead()
            except BaseException as error:
                for each in self._taken:
                    if not each.answered:
                        each.fail(error)
                raise
            finally:
                self._hand_over(request)
        return request.result()

    def _wait(self, request: Request) -> None:
        """Wait until a request is answered, or its thread is to lead."""
        before = self._rounds
        while not request.wake.wait(self._vault.timeout_s):
            with self._lock:
                is_stuck = self._rounds == before and request in self._waiting
                before = self._rounds
                if is_stuck:
                    self._waiting.remove(request)
            if is_stuck:
                raise self._vault.busy()

    def next(self) -> Request | None:
        """Take the request that has waited longest; None if no request waits."""
        with self._lock:
            request = self._waiting.popleft() if self._waiting else None
        if request is not None:
            self._taken.append(request)
        return request

    def fail(self, error: BaseException) -> None:
        """Raise an error in all threads that wait."""
        while (request := self.next()) is not None:
            request.fail(error)

    def _hand_over(self, request: Request) -> None:
        """Have the next thread lead, if one waits."""
        self._taken = []
        with self._lock:
            self._rounds += 1
            if request in self._waiting:  # `lead` failed before it took any
                self._waiting.remove(request)
            self._has_leader = bool(self._waiting)
            following = self._waiting[0] if self._waiting else None
        if following:
            following.wake.set()
