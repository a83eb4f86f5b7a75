"""Limit the open connections of a server, and choose which one to end at the limit.

Each connection is an open file, and a process can have only a limited number. A connection is a stranger's until the
gate admits a request on it. Strangers may hold one half of the limit. When that half is full, each new connection ends
the oldest connection of the address that has the most. Strangers therefore cannot keep out a caller with a token.
"""

from collections import Counter
from ipaddress import ip_address, ip_network
from typing import Generic, TypeVar

_Connection = TypeVar("_Connection")


class Connections(Generic[_Connection]):
    """The open connections of one server."""

    def __init__(self, most: int) -> None:
        """Allow `most` connections: one half for strangers, the other half for admitted callers.

        One caller with a token may hold at most half of the second half.
        """
        self._most = max(1, most // 2)
        self._strangers: dict[str, dict[_Connection, None]] = {}  # by address, the oldest first
        self._count = 0  # strangers' connections
        self._callers: dict[_Connection, str] = {}  # admitted connections -> names of their callers
        self._held: Counter[str] = Counter()

    def enter(self, connection: _Connection, address: str) -> _Connection | None:
        """Count a new connection; return the connection that must end for it, if any."""
        ended = self._oldest() if self._count >= self._most else None
        self._strangers.setdefault(address, {})[connection] = None
        self._count += 1
        return ended

    def admit(self, connection: _Connection, address: str, caller: str) -> bool:
        """Count a connection as a caller's, unless the limit is reached; return whether it is counted.

        `caller` is "" if no token is needed. Return true for a connection that has ended meanwhile.
        """
        if connection not in self._strangers.get(address, {}):  # it is a caller's already, or has ended
            return True
        allowed = self._most // 2 if caller else self._most
        if len(self._callers) >= self._most or self._held[caller] >= max(1, allowed):
            return False
        self._forget(connection, address)
        self._callers[connection] = caller
        self._held[caller] += 1
        return True

    def leave(self, connection: _Connection, address: str) -> None:
        """Stop counting a connection that has ended."""
        caller = self._callers.pop(connection, None)
        if caller is None:
            self._forget(connection, address)
        else:
            self._held[caller] -= 1

    def _oldest(self) -> _Connection:
        """Remove and return the oldest connection of the address with the most."""
        address = max(self._strangers, key=lambda one: len(self._strangers[one]))
        connection = next(iter(self._strangers[address]))
        self._forget(connection, address)
        return connection

    def _forget(self, connection: _Connection, address: str) -> None:
        """Remove a stranger's connection, if it is still there."""
        held = self._strangers.get(address, {})
        if connection in held:
            del held[connection]
            self._count -= 1
            if not held:
                del self._strangers[address]


def network_of(address: str) -> str:
    """Return the key of a sender: its IPv4 address, or the first half of its IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ip_network((address.partition("%")[0], 64), strict=False))
