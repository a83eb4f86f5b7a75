"""Bound the streams of changes of one server, those of the API and those of MCP together."""

from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from zkmem.serve.shares import Part, Sender, Shares

_PART = Part(token=16, user=32)  # a page has one for each of its tabs


class Streams:
    """The open streams. Each has a cancel scope, in which its task serves it. Only the event loop uses this."""

    def __init__(self, most: int = 1_000) -> None:
        """Allow `most` streams in all."""
        self._shares = Shares[anyio.CancelScope](most, _PART, "streams of changes", lambda scope: scope.cancel())

    def enter(self, sender: Sender) -> anyio.CancelScope:
        """Count one more stream, and return its scope, which is cancelled if another caller needs the place."""
        scope = anyio.CancelScope()
        self._shares.enter(scope, sender)
        return scope

    @contextmanager
    def serving(self, scope: anyio.CancelScope) -> Iterator[None]:
        """Run the block in the scope of a stream, which does not count any more afterwards."""
        try:
            with scope:
                yield
        finally:
            self._shares.leave(scope)
