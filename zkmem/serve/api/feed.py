"""Send the names of changed notes to many clients.

There is one listener of the memory for all clients, and a bounded set of names for each.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable

from zkmem.caller import Grant
from zkmem.errors import TooMany
from zkmem.memory import Memory

_MOST = 1_000  # names that wait for a slow client; beyond that, the client must load everything again
_HEARTBEAT_S = 15.0


class _Stream:
    """The changes that one client has not received yet: names with their authors; None for too many to name."""

    def __init__(self, reaches: Callable[[str], bool]) -> None:
        self._reaches = reaches
        self.names: dict[str, str] | None = {}
        self.wake_up = asyncio.Event()

    def add(self, names: list[str], author: str) -> None:
        reached = list(filter(self._reaches, names))
        if names and not reached:  # a call without names wakes the stream so that it ends
            return
        if self.names is not None:
            self.names |= dict.fromkeys(reached, author)
            if len(self.names) > _MOST:
                self.names = None
        self.wake_up.set()

    def take(self) -> dict[str, str] | None:
        names, self.names = self.names, {}
        self.wake_up.clear()
        return names


class Feed:
    """The changes of one memory, for all clients that listen."""

    def __init__(self, memory: Memory, most: int = 1_000) -> None:
        """Listen to the memory. At most `most` streams can be open at once."""
        self._memory = memory
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams: set[_Stream] = set()
        self._closed = False
        memory.listen(self._changed)

    def close(self) -> None:
        """End all streams. Any thread and a signal handler may call this."""
        self._closed = True
        self._add_soon([], "")

    def _changed(self, names: list[str]) -> None:
        if self._streams:
            self._add_soon(names, self._memory.last_author(names))

    def _add_soon(self, names: list[str], author: str) -> None:
        """Add changes to the streams, in their event loop."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended, and the streams with it
                loop.call_soon_threadsafe(self._add, names, author)

    def _add(self, names: list[str], author: str) -> None:
        for stream in self._streams:
            stream.add(names, author)

    def check_limit(self) -> None:
        """Check that one more stream can be opened.

        Raises:
            TooMany: when the limit is reached.
        """
        if len(self._streams) >= self._most:
            raise TooMany(f"{self._most} clients listen for changes already; try again later.")

    async def events(self, folder: str = "") -> AsyncGenerator[bytes, None]:
        """Yield server-sent events until the feed closes: `hello` with the version, then `changed` with names."""
        self._loop = asyncio.get_running_loop()
        stream = _Stream(self._memory.restricted(Grant(folder)).reaches)
        self._streams.add(stream)
        try:
            yield _event("hello", {"version": self._memory.version})  # later changes are sent as `changed`
            while not self._closed:
                try:
                    await asyncio.wait_for(stream.wake_up.wait(), _HEARTBEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                changed = stream.take()
                if changed is None:
                    yield _event("changed", {"names": None, "by": None})
                elif changed:
                    authors = set(changed.values())
                    yield _event(
                        "changed",
                        {"names": list(changed), "by": (authors.pop() or None) if len(authors) == 1 else None},
                    )
        finally:
            self._streams.discard(stream)


def _event(kind: str, data: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()
