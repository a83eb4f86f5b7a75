"""Remember which clients wait for the consent of a user, until the user has answered. A restart forgets them."""

import secrets
import time
from collections import OrderedDict
from typing import NamedTuple

from zkmem.serve.access.signin.store import Client

_LASTS_S = 900.0
_MOST = 1_000
_MOST_OF_ADDRESS = 50
_MOST_TRIES = 10


class Waiting(NamedTuple):
    """A client's request for access."""

    client: Client
    is_verified: bool
    challenge: str  # of PKCE, with S256
    redirect: str
    state: str | None
    may_write: bool
    csrf: str
    network: str  # of the browser that the client has sent here
    until: float
    tries: int = 0


class Questions:
    """The requests that wait for a user, by a random id. Only the event loop uses this."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()

    def add(
        self, client: Client, challenge: str, redirect: str, state: str | None, network: str, *,
        is_verified: bool, may_write: bool,
    ) -> str:  # fmt: skip
        """Remember a request and return its id. Forget the oldest one of the same network, or of all, if need be."""
        question = secrets.token_urlsafe(32)
        self._waiting[question] = Waiting(
            client,
            is_verified,
            challenge,
            redirect,
            state,
            may_write,
            csrf=secrets.token_urlsafe(32),
            network=network,
            until=time.monotonic() + _LASTS_S,
        )
        same = [one for one, waiting in self._waiting.items() if waiting.network == network]
        for old in same[:-_MOST_OF_ADDRESS]:
            del self._waiting[old]
        while len(self._waiting) > _MOST:
            self._waiting.popitem(last=False)
        return question

    def find(self, question: str) -> Waiting | None:
        """Return a request that still waits."""
        waiting = self._waiting.get(question)
        if waiting and waiting.until < time.monotonic():
            del self._waiting[question]
            return None
        return waiting

    def count_try(self, question: str) -> None:
        """Count a wrong password. After ten, the client must begin again."""
        if waiting := self._waiting.get(question):
            self._waiting[question] = waiting._replace(tries=waiting.tries + 1)
            if waiting.tries + 1 >= _MOST_TRIES:
                del self._waiting[question]

    def answered(self, question: str) -> Waiting | None:
        """Forget a request, and return it; None if it was answered before."""
        return self._waiting.pop(question, None)
