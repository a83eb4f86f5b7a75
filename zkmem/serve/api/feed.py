"""News of changed notes for many listeners: one listener of the memory, and a bounded heap of names for each stream."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable

from zkmem.confined import Grant
from zkmem.errors import TooMany
from zkmem.memory import Memory

_MOST = 1_000  # names that are kept for a stream that is slow; then it is told to load everything anew
_HEARTBEAT_S = 15.0


class _Stream:
    """What one client has not been told yet: names, and by whom; None when there was too much."""

    def __init__(self, reaches: Callable[[str], bool]) -> None:
        self._reaches = reaches
        self.names: dict[str, str] | None = {}
        self.woken = asyncio.Event()

    def add(self, names: list[str], by: str) -> None:
        own = list(filter(self._reaches, names))
        if names and not own:  # without names it is woken because the feed is closed
            return
        if self.names is not None:
            self.names |= dict.fromkeys(own, by)
            if len(self.names) > _MOST:
                self.names = None
        self.woken.set()

    def take(self) -> dict[str, str] | None:
        names, self.names = self.names, {}
        self.woken.clear()
        return names


class Feed:
    """The news of one memory, for as many streams as there are."""

    def __init__(self, memory: Memory, most: int = 1_000) -> None:
        """At most so many streams at once."""
        self._memory = memory
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams: set[_Stream] = set()
        self._closed = False
        self._memory = memory
        memory.listen(self._changed)

    def close(self) -> None:
        """End all streams; from any thread, or a signal handler."""
        self._closed = True
        self._call([], "")

    def _changed(self, names: list[str]) -> None:
        if self._streams:
            self._call(names, self._memory.last_author(names))

    def _call(self, names: list[str], by: str) -> None:
        """Tell the streams, in their loop."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended, and the streams with it
                loop.call_soon_threadsafe(self._tell, names, by)

    def _tell(self, names: list[str], by: str) -> None:
        for stream in self._streams:
            stream.add(names, by)

    def check_room(self) -> None:
        """See that there may be one more stream.

        Raises:
            TooMany: when there may not.
        """
        if len(self._streams) >= self._most:
            raise TooMany(f"{self._most} clients follow the news already; try again later.")

    async def events(self, folder: str = "") -> AsyncGenerator[bytes, None]:
        """Server-sent events: `hello` with the version, then `changed` with names below a folder, until it closes."""
        self._loop = asyncio.get_running_loop()
        stream = _Stream(Grant(folder).memory(self._memory).reaches)
        self._streams.add(stream)
        try:
            yield _event("hello", {"version": self._memory.version})  # of now: what comes later is told
            while not self._closed:
                try:
                    await asyncio.wait_for(stream.woken.wait(), _HEARTBEAT_S)
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
