"""Limit the open connections of a server, and choose which one to end at the limit.

Each connection is an open file, and a process can have only a limited number. A connection is a stranger's until the
gate admits a request on it. Strangers may hold one half of the limit. When that half is full, each new connection ends
the oldest connection of the network that has the most. Strangers therefore cannot keep out a caller with a token.
Callers share the other half: see `Shares`.
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from zkmem.serve.networks import stranger_at
from zkmem.serve.shares import Part, Sender, Shares

_Connection = TypeVar("_Connection", bound=Hashable)


class Connections(Generic[_Connection]):
    """The open connections of one server."""

    def __init__(
        self, most: int, end: Callable[[_Connection], object], is_idle: Callable[[_Connection], bool] = lambda _: True
    ) -> None:
        """Allow `most` connections: one half for strangers, the other half for admitted callers.

        `end` ends a connection. Of a caller's connections, an idle one ends before the others.
        """
        half = max(1, most // 2)
        each = Part(max(1, half // 2), max(1, half // 2))
        self._strangers = Shares(half, Part(half, half), "connections", end, replaces=True)
        self._callers = Shares(half, each, "connections", end, is_idle=is_idle)

    def enter(self, connection: _Connection, address: str) -> None:
        """Count a new connection. End another one if there are too many."""
        self._strangers.enter(connection, stranger_at(address))

    def admit(self, connection: _Connection, sender: Sender) -> None:
        """Count a stranger's connection as a caller's. End another caller's if there are too many."""
        if connection in self._strangers:  # else it is a caller's already, or has ended meanwhile
            self._callers.enter(connection, sender)
            self._strangers.leave(connection)

    def leave(self, connection: _Connection) -> None:
        """Stop counting a connection that has ended."""
        self._strangers.leave(connection)
        self._callers.leave(connection)
