"""Slow down those who guess passwords, and limit how often strangers may do what costs the server something."""

import time
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from zkmem.errors import TooMany
from zkmem.serve.networks import Recent, networks_of
from zkmem.serve.turns import Turns
from zkmem.util.spelling import number_of

_FREE = 5  # failures in a row before the first wait
_FORGET_S = 86_400.0
_LONGEST_NAME = 100  # characters: more than any name has; a stranger may send a longer one
_MOST_CHECKS = 8  # passwords from one network that wait to be checked
LONGEST_S = {"address": 900.0, "user": 60.0}
"""The longest wait. For a user's name it is short, since strangers could keep the user from signing in."""

Clock = Callable[[], float]


class _Failures(NamedTuple):
    number: int
    last: float


class _Key(NamedTuple):
    """What failures are counted for."""

    kind: str
    name: str
    free: int
    longest: float


class Attempts:
    """Counts failed sign-ins by user and by each network of the sender. Only the event loop uses this.

    Each kind of key has its own rows. So nobody can drop the row of a wide network, or of a user, by filling up those
    of small networks.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._failures: defaultdict[str, Recent[str, _Failures]] = defaultdict(Recent)

    def begin(self, user: str, address: str) -> None:
        """Count an attempt as failed before the password or the passkey is checked: many may come at once.

        `user` is empty for a passkey, which says only once it is checked whose it is.
        """
        keys = _keys(user, address)
        wait = max(map(self._wait, keys))
        if wait > 0:
            raise TooMany(f"Too many sign-ins have failed. Try again in {_spoken(wait)}.")
        now = self._clock()
        for key in keys:
            failures = self._failures[key.kind].get(key.name)
            number = failures.number if failures and now - failures.last < _FORGET_S else 0
            self._failures[key.kind][key.name] = _Failures(number + 1, now)

    def succeeded(self, user: str, address: str) -> None:
        """Forget the failures of a user and an address after a right password or passkey."""
        for key in _keys(user, address):
            self._failures[key.kind].pop(key.name, None)

    def _wait(self, key: _Key) -> float:
        failures = self._failures[key.kind].get(key.name)
        if failures is None or failures.number < key.free:
            return 0.0
        pause = min(2.0 ** min(failures.number - key.free + 1, 20), key.longest)
        return failures.last + pause - self._clock()


class Quota:
    """Lets each sender do something a number of times in an hour. Only the event loop uses this."""

    def __init__(self, an_hour: int, what: str, clock: Clock = time.monotonic) -> None:
        """`what` names the things in the error. Wide networks may do it more often."""
        self._most = an_hour
        self._what = what
        self._clock = clock
        self._used: defaultdict[int, Recent[str, tuple[float, float]]] = defaultdict(Recent)

    def take(self, address: str) -> None:
        """Count one use by an address. Raise TooMany, and count nothing, if its network has used up the quota."""
        now, networks = self._clock(), networks_of(address)
        rows = []
        for name, size in networks:
            used, then = self._used[size].get(name, (0.0, now))
            rows.append(max(0.0, used - (now - then) * size * self._most / 3_600) + 1)
        if any(used > size * self._most for used, (_, size) in zip(rows, networks, strict=True)):
            raise TooMany(f"Your network has sent too many {self._what}. Try again in some minutes.")
        for used, (name, size) in zip(rows, networks, strict=True):
            self._used[size][name] = (used, now)


class Counters:
    """What strangers have done to the sign-in of one server, in all its vaults. Only the event loop uses this."""

    def __init__(self) -> None:
        self.passwords = Attempts()
        self.registrations = Quota(60, "clients to register")
        self.checks = Turns(threads=1, waiting=_MOST_CHECKS)  # a check of a password takes much memory


def _keys(user: str, address: str) -> list[_Key]:
    keys = [_Key(f"network {size}", name, _FREE * size, LONGEST_S["address"]) for name, size in networks_of(address)]
    return [*keys, _Key("user", user[:_LONGEST_NAME], _FREE, LONGEST_S["user"])] if user else keys


def _spoken(seconds: float) -> str:
    whole = int(seconds) + 1
    return number_of(whole, "second") if whole < 120 else number_of(whole // 60 + 1, "minute")
