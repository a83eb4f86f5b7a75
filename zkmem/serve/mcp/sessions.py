"""Bound the MCP sessions of each caller: a caller that opens more loses the one that it has not used for longest."""

from anyio.abc import TaskGroup
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Message, Receive, Scope, Send

from zkmem.serve.shares import Sender, Shares, TokenQuota

_ID, _VERSION = MCP_SESSION_ID_HEADER.encode(), MCP_PROTOCOL_VERSION_HEADER.encode()
_GONE = 404  # the answer to a request in a session that has ended


class _Session:
    """A session, from the request that opens it. The SDK ends it if it is idle for long, without a message."""

    def __init__(self, manager: StreamableHTTPSessionManager, sender: Sender, user: object) -> None:
        self._manager, self._user = manager, user
        self.sender = sender
        self.id = b""  # until the answer to the request that opens it
        self.requests = 0  # under way
        self.has_ended = False

    async def end(self) -> None:
        """End the session as its client would."""
        scope = {
            "type": "http", "method": "DELETE", "path": "/mcp", "query_string": b"", "headers": [(_ID, self.id)],
            **({"user": self._user} if self._user else {}),
        }  # fmt: skip
        await self._manager.handle_request(scope, _receive_nothing, _send_nowhere)


class Sessions:
    """The sessions of all callers in one vault. Only the event loop uses this."""

    tasks: TaskGroup  # in which sessions end; set before the first request

    def __init__(self, most: int) -> None:
        """Allow `most` sessions in all."""
        self._by_id: dict[bytes, _Session] = {}
        self._shares = Shares[_Session](
            most, TokenQuota.of(most), "MCP sessions", is_idle=lambda one: not one.requests, replaces=True
        )

    async def serve(
        self, manager: StreamableHTTPSessionManager, sender: Sender, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve a request. If it opens a session of a caller that has too many, end another one of this caller."""
        session = self._session(manager, sender, scope)
        if session is None:
            await manager.handle_request(scope, receive, send)
            return

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(session, scope["method"], message)
            await send(message)

        session.requests += 1
        try:
            await manager.handle_request(scope, receive, noting)
        finally:
            session.requests -= 1
            if not session.id:  # the request has opened none
                self._forget(session)

    def _session(self, manager: StreamableHTTPSessionManager, sender: Sender, scope: Scope) -> _Session | None:
        """Return the session of a request, perhaps a new one; None if it has none, or one that is not the caller's."""
        headers = dict(scope["headers"])
        if headers.get(_VERSION, b"").decode("latin-1") not in {"", *HANDSHAKE_PROTOCOL_VERSIONS}:
            return None  # the SDK does not look at the id of a session in these
        if _ID in headers:
            session = self._by_id.get(headers[_ID])
            if session is None or session.sender != sender:
                return None
            self._shares.use(session)
            return session
        session = _Session(manager, sender, scope.get("user"))
        if ended := self._shares.enter(session, sender):
            self._end(ended)
        return session

    def _note(self, session: _Session, method: str, answer: Message) -> None:
        """Note that a session has begun or ended, as the beginning of an answer shows."""
        if not session.id:
            session.id = dict(answer["headers"]).get(_ID, b"") if answer["status"] < 400 else b""
            if session.id and session.has_ended:
                self.tasks.start_soon(session.end)
            elif session.id:
                self._by_id[session.id] = session
        elif answer["status"] == _GONE or (method == "DELETE" and answer["status"] < 400):
            self._forget(session)

    def _end(self, session: _Session) -> None:
        session.has_ended = True
        self._forget(session)
        if session.id:
            self.tasks.start_soon(session.end)

    def _forget(self, session: _Session) -> None:
        self._by_id.pop(session.id, None)
        self._shares.leave(session)


async def _receive_nothing() -> Message:
    return {"type": "http.request"}


async def _send_nowhere(_: Message) -> None:
    """Drop an answer that nobody waits for."""
