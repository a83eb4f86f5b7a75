"""Sign what a browser brings back soon, such as a client's request for access, and limit how often it is used.

Nothing is stored before it is used. So however many of these values strangers ask for, each one stays valid.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jwt

from zkmem.serve.access.signin.store import RegisteredClient
from zkmem.serve.networks import crowding
from zkmem.util.locks import Rank, lock
from zkmem.vault.journal.log import MALFORMED

LASTS_S = 900.0
_MOST = 2_000  # values that were used and are still valid
_ALGORITHM = "HS256"
_MOST_TRIES = 10  # of a password, on the page that asks


class _Use(NamedTuple):
    number: int
    address: str  # of its last user
    until: float


class Signed:
    """Signs values that last 15 minutes, and counts their uses. Thread-safe. After a restart none is valid."""

    def __init__(self, uses: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        """Let each value be used `uses` times."""
        self._most_uses = uses
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._uses: dict[str, _Use] = {}  # the last used is the last
        self._lock = lock(Rank.LEAF)

    def sign(self, values: Mapping[str, object]) -> str:
        """Return a text from which `read` returns the values, with a random `id`."""
        claims = {**values, "id": secrets.token_urlsafe(16), "until": self._clock() + LASTS_S}
        return jwt.encode(claims, self._key, _ALGORITHM)

    def read(self, text: str) -> dict[str, Any] | None:
        """Return the values in a text; None if this object has not signed it, or it is too old or used up."""
        try:
            claims = jwt.decode(text, self._key, [_ALGORITHM])
        except (jwt.PyJWTError, *MALFORMED):  # a stranger may send anything
            return None
        used = self._uses.get(claims["id"])
        if claims.pop("until") <= self._clock() or (used and used.number >= self._most_uses):
            return None
        return claims

    def secret_of(self, value_id: str) -> str:
        """Return a text that only this object can make of the id of a value."""
        return hmac.new(self._key, value_id.encode(), hashlib.sha256).hexdigest()

    def use(self, value_id: str, address: str, number: int = 0) -> bool:
        """Count `number` uses of a value; 0 uses it up. Return whether it was not used up before.

        If too many used values are stored, forget the newest of the largest network. If that is this value, return
        False. So strangers cannot make a value of another network valid again.
        """
        with self._lock:
            used = self._uses.pop(value_id, _Use(0, address, self._clock() + LASTS_S))
            self._uses[value_id] = used._replace(number=used.number + (number or self._most_uses), address=address)
            if len(self._uses) > _MOST:
                self._make_room()
            return used.number < self._most_uses and value_id in self._uses

    def _make_room(self) -> None:
        now = self._clock()
        self._uses = {value_id: use for value_id, use in self._uses.items() if use.until > now}
        if len(self._uses) > _MOST:
            crowded = crowding([use.address for use in self._uses.values()])
            del self._uses[list(self._uses)[crowded]]


class Waiting(NamedTuple):
    """A client's request for access."""

    client_id: str
    client_name: str
    is_verified: bool
    challenge: str  # of PKCE, with S256
    redirect: str
    state: str | None
    may_write: bool
    id: str = ""  # random

    @property
    def client(self) -> RegisteredClient:
        """The client, as far as this request describes it."""
        return RegisteredClient(self.client_id, self.client_name, (self.redirect,), time.time())


class Questions:
    """The requests that wait for a user. Each can be allowed or refused once. A restart ends all of them."""

    def __init__(self) -> None:
        self._signed = Signed(_MOST_TRIES)

    def add(self, waiting: Waiting) -> str:
        """Return the last part of the address of the page that asks."""
        return self._signed.sign(waiting._asdict())

    def find(self, question: str) -> Waiting | None:
        """Return the request in an address; None if it no longer waits."""
        values = self._signed.read(question)
        return Waiting(**values) if values else None

    def csrf_of(self, waiting: Waiting) -> str:
        """Return the secret in the form of a request, without which an answer is refused."""
        return self._signed.secret_of(waiting.id)

    def count_try(self, waiting: Waiting, address: str) -> None:
        """Count a wrong password from an address. After ten, the client must begin again."""
        self._signed.use(waiting.id, address, 1)

    def end(self, waiting: Waiting, address: str) -> bool:
        """End a request that was answered from an address. Return whether it had not ended before."""
        return self._signed.use(waiting.id, address)
