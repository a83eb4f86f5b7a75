"""Read the body of each request, within limits: its size, its speed, and how many large ones are in memory."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import NamedTuple

import anyio
from starlette.types import Message, Receive, Scope

from zkmem.errors import TooLarge, TooMany, TooSlow, ZkError
from zkmem.serve.shares import Sender
from zkmem.serve.turns import Turns
from zkmem.vault.files import MOST_BYTES

_ATTACHMENTS = "/api/attachments"  # a request that stores a file may be larger than others
_LARGEST_BODY = MOST_BYTES // 3 * 4 + 20_000  # bytes: the file in base64, its name and that of the note
_LARGE = 4  # how many bodies above `max_body_mb` may be in memory at once; each user may have one
_DISCARDED = 4  # times the largest body; of a refused one so much is read, since many clients send all before they read


class Pace(NamedTuple):
    """How slowly a body may arrive, and how long a large one may wait.

    A body must arrive within `stall` seconds plus its size at `speed`, and must not stop for `stall` seconds, even if
    it was fast before.
    """

    stall: float = 30.0  # seconds
    speed: int = 64_000  # bytes a second
    turn: float = 40.0  # seconds that a large body waits for others; longer than one of them can stall


class Bodies:
    """Reads the bodies of the requests to one server."""

    def __init__(self, most: int, pace: Pace) -> None:
        """Allow `most` bytes, and more for an attachment."""
        self.most = most
        self.pace = pace
        self._large = Turns(threads=_LARGE, each=1, reserved=1)

    async def wait_for_turn(self, caller: Sender, until: AsyncExitStack) -> None:
        """Wait until the caller may have a large body in memory; its turn ends when `until` is closed."""
        with anyio.move_on_after(self.pace.turn) as waiting:
            await until.enter_async_context(self._large.turn(caller))
        if waiting.cancelled_caught:
            raise TooMany(
                f"The server reads one large file of each caller at a time, and {_LARGE} in all; this one has waited"
                f" {self.pace.turn:g} s for the others. Send it again later."
            )


class Body:
    """The body of one request, read as it arrives."""

    def __init__(self, bodies: Bodies, scope: Scope, headers: Mapping[str, str], receive: Receive) -> None:
        self._bodies = bodies
        self._receive = receive
        length = headers.get("content-length", "")
        self._declared = int(length) if length.isdecimal() else 0
        self._is_attachment = scope["method"] == "POST" and scope["path"] == _ATTACHMENTS
        self._most = max(bodies.most, _LARGEST_BODY) if self._is_attachment else bodies.most
        self._more = True
        self._latest = anyio.current_time() + bodies.pace.stall  # when the next part must be here

    async def read(self, caller: Sender, until: AsyncExitStack) -> Receive:
        """Read the body to its end. Return a `receive` that hands out the body as one message.

        A large body gets its turn only once it is larger than others may be: a sender that announces a large one and
        sends nothing keeps nobody waiting. The turn ends when `until` is closed.
        """
        if self._declared > self._most:
            raise self._too_large()
        body, is_large = bytearray(), False
        try:
            while self._more:
                body += await self._next()
                if len(body) > self._most:
                    raise self._too_large()
                if len(body) > self._bodies.most and not is_large:
                    is_large = True
                    await self._bodies.wait_for_turn(caller, until)
                    self._latest = anyio.current_time() + self._bodies.pace.stall
        except ZkError:
            body.clear()  # the error refers to it through its traceback
            raise
        messages: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def again() -> Message:
            return messages.pop() if messages else await self._receive()

        return again

    async def discard(self) -> None:
        """Read the rest and forget it, up to a limit: many clients read an answer only after they have sent all."""
        self._latest = anyio.current_time() + self._bodies.pace.stall
        bytes_left = _DISCARDED * self._most
        try:
            while self._more and bytes_left > 0:
                bytes_left -= len(await self._next())
        except TooSlow:
            return

    async def _next(self) -> bytes:
        """Return the next part of the body; it is the last one if the client has disconnected."""
        stall, speed, _ = self._bodies.pace
        with anyio.CancelScope(deadline=self._latest) as waiting:
            message = await self._receive()
        if waiting.cancelled_caught:
            self._more = False
            raise TooSlow(
                f"The body of the request arrives too slowly: it stopped for {stall:g} s, or has fewer than"
                f" {speed:,} bytes a second. Send it again over a better connection, or send less at once."
            )
        self._more = message.get("more_body", False)
        part: bytes = message.get("body", b"")
        self._latest = min(self._latest + len(part) / speed, anyio.current_time() + stall)
        return part

    def _too_large(self) -> TooLarge:
        way = "send a smaller file" if self._is_attachment else "send less at once, or raise max_body_mb"
        return TooLarge(f"The request is larger than {self._most:,} bytes; {way}.")
