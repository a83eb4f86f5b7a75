"""Remember the random texts that passkeys must sign, until each is answered. A restart forgets them."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from zkmem.util.locks import Rank, lock

LASTS_S = 900.0  # as long as the page that asks for consent
_MOST = 1_000
_MOST_OF_NETWORK = 50
_BYTES = 32


class _Open(NamedTuple):
    purpose: str
    network: str
    until: float


class Challenges:
    """The challenges that wait for an answer. Each is for one purpose, and taken once. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: OrderedDict[bytes, _Open] = OrderedDict()
        self._lock = lock(Rank.LEAF)

    def new(self, purpose: str, network: str) -> bytes:
        """Return a new challenge. Forget the oldest one of the same network, or of all, if need be."""
        challenge = secrets.token_bytes(_BYTES)
        with self._lock:
            self._open[challenge] = _Open(purpose, network, self._clock() + LASTS_S)
            same = [one for one, known in self._open.items() if known.network == network]
            for old in same[:-_MOST_OF_NETWORK]:
                del self._open[old]
            while len(self._open) > _MOST:
                self._open.popitem(last=False)
        return challenge

    def take(self, challenge: bytes, purpose: str) -> bool:
        """Forget a challenge. Return whether it was open for this purpose."""
        with self._lock:
            known = self._open.pop(challenge, None)
        return known is not None and known.purpose == purpose and known.until > self._clock()
