"""Write a client's request for access into the address of the page that asks a user, and read it from there."""

import time
from typing import NamedTuple

from zkmem.serve.access.signin.signed import Signed
from zkmem.serve.access.signin.store import Client

_MOST_TRIES = 10


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
    def client(self) -> Client:
        """The client, as far as this request describes it."""
        return Client(self.client_id, self.client_name, (self.redirect,), time.time())


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
