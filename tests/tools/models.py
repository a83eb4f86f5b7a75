"""Models that answer as they are told: behind a client's sampling, and behind an endpoint over HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, TextContent


class Sampled:
    """A client's model: keeps what it was asked, and answers always the same."""

    def __init__(self, answer: str | ErrorData) -> None:
        self.answer = answer
        self.asked: list[CreateMessageRequestParams] = []

    async def __call__(self, _: object, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        self.asked.append(params)
        if isinstance(self.answer, ErrorData):
            return self.answer
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text=self.answer), model="m", stop_reason="endTurn"
        )

    @property
    def text(self) -> str:
        """The text of the last question."""
        blocks = self.asked[-1].messages[0].content_as_list
        return "\n".join(block.text for block in blocks if isinstance(block, TextContent))


def completion(text: str) -> dict[str, Any]:
    """A completion as an endpoint sends it."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


@contextmanager
def endpoint(
    answer: Callable[[dict[str, Any]], tuple[int, bytes | Iterator[bytes]]],
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server of the chat-completions protocol on the loopback; yields its address and what it was sent.

    An answer in pieces is sent piece by piece, as far as the client listens.
    """
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(
                {"path": self.path, "key": self.headers["Authorization"], "headers": str(self.headers), **body}
            )
            status, data = answer(body)
            self.send_response(status)
            if status == 307:
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            is_stream = isinstance(data, bytes) and data.startswith(b"data: ")
            self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
            if isinstance(data, bytes):
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(ConnectionError):  # a client may have given up
                for piece in [data] if isinstance(data, bytes) else data:
                    self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", asked
        finally:
            server.shutdown()
            thread.join()
