"""Slow down those who guess passwords, and limit how often strangers may do what costs the server something."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import anyio

from zkmem.errors import TooMany
from zkmem.util.spelling import number_of

_FREE = 5  # failures in a row before the first wait
_MOST_KEYS = 10_000
_FORGET_S = 86_400.0
LONGEST_S = {"address": 900.0, "user": 60.0}
"""The longest wait. For a user's name it is short, since strangers could keep the user from signing in."""

Clock = Callable[[], float]


class _Failures(NamedTuple):
    number: int
    last: float


class Attempts:
    """Counts failed sign-ins by user and by address. Only the event loop uses this."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def begin(self, user: str, address: str) -> None:
        """Count an attempt as failed before the password or the passkey is checked: many may come at once.

        `user` is empty for a passkey, which says only once it is checked whose it is.

        Raises:
            TooMany: when the user or the address has to wait. The attempt does not count then.
        """
        keys = [("address", address), *([("user", user)] if user else [])]
        wait = max(map(self._wait, keys))
        if wait > 0:
            raise TooMany(f"Too many sign-ins have failed. Try again in {_spoken(wait)}.")
        now = self._clock()
        for key in keys:
            known = self._failures.pop(key, None)
            number = known.number if known and now - known.last < _FORGET_S else 0
            self._failures[key] = _Failures(number + 1, now)
        while len(self._failures) > _MOST_KEYS:
            self._failures.popitem(last=False)

    def succeeded(self, user: str, address: str) -> None:
        """Forget the failures of a user and an address after a right password or passkey."""
        self._failures.pop(("user", user), None)
        self._failures.pop(("address", address), None)

    def _wait(self, key: tuple[str, str]) -> float:
        known = self._failures.get(key)
        if known is None or known.number < _FREE:
            return 0.0
        pause = min(2.0 ** min(known.number - _FREE + 1, 20), LONGEST_S[key[0]])
        return known.last + pause - self._clock()


class Quota:
    """Lets each key do something a number of times in an hour. Only the event loop uses this."""

    def __init__(self, an_hour: int, what: str, clock: Clock = time.monotonic) -> None:
        """`what` names the things in the error."""
        self._most = an_hour
        self._what = what
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Count one time.

        Raises:
            TooMany: when the key has none left.
        """
        now = self._clock()
        left, then = self._left.pop(key, (float(self._most), now))
        left = min(float(self._most), left + (now - then) * self._most / 3_600)
        self._left[key] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > _MOST_KEYS:
            self._left.popitem(last=False)
        if left < 1:
            raise TooMany(f"Your address has sent too many {self._what}. Try again in some minutes.")


class Counters:
    """What strangers have done to the sign-in of one server, in all its vaults. Only the event loop uses this."""

    def __init__(self) -> None:
        self.passwords = Attempts()
        self.registrations = Quota(60, "clients to register")
        self.fetches = Quota(120, "addresses of documents")
        self.checks = anyio.CapacityLimiter(1)  # a check of a password takes much memory


def _spoken(seconds: float) -> str:
    whole = int(seconds) + 1
    return number_of(whole, "second") if whole < 120 else number_of(whole // 60 + 1, "minute")
