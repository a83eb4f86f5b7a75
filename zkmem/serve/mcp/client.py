"""Talk to the client while a call runs: report progress, and put a tool's question to the client's own model.

A client of protocol 2026-07-28 gets the question as the result of its call, and calls again with the answer. An earlier
client gets a separate request while its call waits. Sampling is an optional capability that few clients have.
"""

import base64
import binascii
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import anyio
import anyio.from_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import is_version_at_least

from zkmem.model.question import Answer, Question

_KEY = "model"
_MODERN = "2026-07-28"
_PATIENCE_S = 120.0
_EVERY_S = 0.5  # reports of progress


class Endpoint(Protocol):
    """A model that zkmem itself connects to."""

    async def ask(self, question: Question) -> Answer:
        """Return the model's answer, or an answer that says why there is none."""


async def ask_client(
    ctx: ServerRequestContext[Any], params: types.CallToolRequestParams, question: Question
) -> Answer | types.InputRequiredResult | None:
    """Return the answer to a question, or the result that makes the client ask its model and call again.

    Return None if the client has no model.
    """
    response = (params.input_responses or {}).get(_KEY)
    if response is not None:
        return _read(response)
    if not _samples(ctx):
        return None
    request = _request(question)
    if is_version_at_least(ctx.session.protocol_version or "", _MODERN):
        return types.InputRequiredResult(input_requests={_KEY: request})
    try:
        with anyio.fail_after(_PATIENCE_S):
            related = ServerMessageMetadata(related_request_id=ctx.request_id)  # otherwise it needs another stream
            return _read(await ctx.session.send_request(request, types.CreateMessageResult, metadata=related))
    except TimeoutError:
        return Answer(trouble=f"the client's model took more than {_PATIENCE_S:g} s")
    except MCPError as error:
        return Answer(trouble=f"the client refused to ask its model ({error})")


def _samples(ctx: ServerRequestContext[Any]) -> bool:
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.sampling is not None


def _request(question: Question) -> types.CreateMessageRequest:
    blocks: list[Any] = [types.TextContent(type="text", text=question.text)]
    blocks += [block for uri in question.images if (block := _image(uri))]
    message = types.SamplingMessage(role="user", content=blocks if len(blocks) > 1 else blocks[0])
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[message], system_prompt=question.system, max_tokens=question.max_tokens
        )
    )


def _image(uri: str) -> types.ImageContent | None:
    """Return the image in a `data:` URI; None for another URI, which the protocol cannot send to a client's model."""
    head, comma, data = uri.partition(",")
    if not comma or not head.startswith("data:image/") or not head.endswith(";base64"):
        return None
    try:
        base64.b64decode(data, validate=True)
    except binascii.Error:
        return None
    return types.ImageContent(type="image", data=data, mime_type=head.removeprefix("data:").removesuffix(";base64"))


def _read(response: object) -> Answer:
    content = getattr(response, "content", None)
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, types.TextContent):
            return Answer(block.text)
    return Answer(trouble="the client's model answered without text")


Report = Callable[[float, float, str], Coroutine[Any, Any, None]]
"""Sends the progress, the total and a message to the client, if it has asked for reports."""


class ProgressReporter:
    """Reports progress from a worker thread, at most twice a second; the reported numbers never fall."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._next = time.monotonic() + _EVERY_S
        self._earlier = 0  # steps of the earlier tasks of the same call
        self._last = (0, 0)

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` notes are done."""
        if (done, total) == self._last:
            return
        if done < self._last[0]:  # the next task has begun
            self._earlier += self._last[0]
        self._last = (done, total)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            task = "Indexing words" if self._earlier else "Reading notes"  # a call waits for these two tasks alone
            self.report(self._earlier + done, self._earlier + total, f"{task}: {done} of {total}")

    def report(self, done: int, total: int, message: str) -> None:
        """Send a report, from a worker thread."""
        anyio.from_thread.run(self._report, done, total, message)
