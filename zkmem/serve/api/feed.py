"""Send many clients the names of changed notes, and an event when proposed edits have changed.

There is one listener of the memory for all clients, and a bounded set of names for each.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator

import anyio.to_thread

from zkmem.caller import Grant
from zkmem.errors import ZkError
from zkmem.memory import Memory

_MOST = 1_000  # names that wait for a slow client; beyond that, the client must load everything again
_HEARTBEAT_S = 15.0


class _Stream:
    """The changes that one client has not received yet: names with their authors; None for too many to name."""

    def __init__(self, memory: Memory, grant: Grant) -> None:
        self._grant = grant
        self._memory = memory.restricted(Grant(grant.folder))
        self.names: dict[str, str] | None = {}
        self._summary: tuple[object, ...] | None = None  # of the proposed edits, for a client with a folder
        self._may_differ = False  # whether they have changed, perhaps outside of the client's folder
        self.wake_up = asyncio.Event()

    def add(self, names: list[str], author: str) -> None:
        reached = list(filter(self._memory.reaches, names))
        if names and not reached:  # a call without names wakes the stream so that it ends
            return
        if self.names is not None:
            self.names |= dict.fromkeys(reached, author)
            if len(self.names) > _MOST:
                self.names = None
        self.wake_up.set()

    def add_proposed(self) -> None:
        """Remember that the proposed edits of some client have changed."""
        if not self._grant.proposes_as:
            self._may_differ = True
            self.wake_up.set()

    def take(self) -> dict[str, str] | None:
        names, self.names = self.names, {}
        self.wake_up.clear()
        return names

    async def begin(self) -> None:
        """Look at the proposed edits for the first time."""
        if self._grant.folder and not self._grant.proposes_as:
            self._summary = await anyio.to_thread.run_sync(self._summarised)

    async def take_proposed(self) -> bool:
        """Return whether the proposed edits that the client may see have changed since the last call."""
        if not self._may_differ:
            return False
        self._may_differ = False
        if not self._grant.folder:
            return True
        before, self._summary = self._summary, await anyio.to_thread.run_sync(self._summarised)
        return before != self._summary

    def _summarised(self) -> tuple[object, ...] | None:
        """Return a value that differs after each change of the proposed edits that the client may see."""
        with contextlib.suppress(ZkError):
            return tuple((one.client, one.total, one.began, one.ended) for one in self._memory.proposed())
        return None


class Feed:
    """The changes of one memory, for all clients that listen."""

    def __init__(self, memory: Memory) -> None:
        """Listen to the memory."""
        self._memory = memory
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams: set[_Stream] = set()
        self._closed = False
        memory.listen(self._changed)
        memory.listen_to_proposed(self._proposed)

    def close(self) -> None:
        """End all streams. Any thread and a signal handler may call this."""
        self._closed = True
        self._send([], "")

    def _changed(self, names: list[str]) -> None:
        if self._streams:
            self._send(names, self._memory.last_author(names))

    def _proposed(self) -> None:
        self._send(None, "")

    def _send(self, names: list[str] | None, author: str) -> None:
        """Add names to each stream, in their event loop; None for a change of the proposed edits."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended, and the streams with it
                loop.call_soon_threadsafe(self._add, names, author)

    def _add(self, names: list[str] | None, author: str) -> None:
        for stream in self._streams:
            if names is None:
                stream.add_proposed()
            else:
                stream.add(names, author)

    async def events(self, grant: Grant) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events until the feed closes.

        The first is `hello` with the version. `changed` has the names of changed notes; `proposed` is sent after a
        change of the proposed edits.
        """
        self._loop = asyncio.get_running_loop()
        stream = _Stream(self._memory, grant)
        self._streams.add(stream)
        try:
            await stream.begin()
            yield _event("hello", {"version": self._memory.version})  # later changes are sent as `changed`
            while not self._closed:
                try:
                    await asyncio.wait_for(stream.wake_up.wait(), _HEARTBEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                changed = stream.take()
                if await stream.take_proposed():
                    yield _event("proposed", {})
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
