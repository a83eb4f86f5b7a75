"""Ask a model behind an OpenAI-compatible endpoint, for clients that offer no model of their own."""

import importlib
import importlib.util
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from zkmem.errors import BadSettings
from zkmem.model.question import Answer, Question

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PATIENCE_S = 120.0  # for a question in all: connecting, retries, the pauses between them, the answer
_RETRIES = 1
_HEADERS = {
    "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host", "user-agent",
}  # fmt: skip


class ChatEndpoint:
    """One model at one address, used with the chat-completions protocol."""

    def __init__(self, url: str, model: str, key: str, *, timeout_s: float = _PATIENCE_S) -> None:
        """Prepare the endpoint, and send nothing. A question may take `timeout_s` seconds in all, with retries."""
        if importlib.util.find_spec("openai") is None:
            raise BadSettings(
                "llm_url needs a library that is not installed; install it where zkmem is: pip install 'openai>=2'"
            )
        self._url = url
        self._shown = url.replace(urlsplit(url).netloc, urlsplit(url).netloc.rpartition("@")[2])
        self._model = model
        self._key = key
        self._timeout_s = timeout_s
        self._client: AsyncOpenAI | None = None

    async def ask(self, question: Question) -> Answer:
        """Return the model's answer, or an answer that says what went wrong and after how many seconds."""
        openai = await anyio.to_thread.run_sync(importlib.import_module, "openai")  # optional; half a second
        began = time.monotonic()
        try:
            with anyio.fail_after(self._timeout_s):  # the library's own timeout is for each try and each chunk
                completion = await self._connected().chat.completions.create(
                    model=self._model, messages=_messages(question), max_tokens=question.max_tokens
                )
            return _read(completion)
        except TimeoutError:
            why = "did not answer"
        except openai.APIError as error:
            why = f"failed: {' '.join(str(error).split())[:200].rstrip('.')}"
        except Exception as error:  # noqa: BLE001 - the library may fail anywhere on a malformed response
            why = f"does not answer as a chat-completions endpoint does ({type(error).__name__})"
        return Answer(trouble=f"{self._model} at {self._shown} {why}, after {time.monotonic() - began:.1f} s")

    def _connected(self) -> "AsyncOpenAI":
        import openai  # noqa: PLC0415 - loaded already

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                base_url=self._url,
                api_key=self._key or "none",
                timeout=None,
                max_retries=_RETRIES,
                http_client=openai.DefaultAsyncHttpxClient(
                    trust_env=False, follow_redirects=False, event_hooks={"request": [_remove_other_headers]}
                ),
            )
        return self._client


async def _remove_other_headers(request: Any) -> None:
    """Remove headers that the library takes from the environment, where they are meant for another address."""
    for name in list(request.headers):
        if name.lower() not in _HEADERS:
            del request.headers[name]


def _messages(question: Question) -> Any:
    content: Any = question.text
    if question.images:
        images = [{"type": "image_url", "image_url": {"url": uri}} for uri in question.images]
        content = [{"type": "text", "text": question.text}, *images]
    return [{"role": "system", "content": question.system}, {"role": "user", "content": content}]


def _read(completion: Any) -> Answer:
    choices = getattr(completion, "choices", None)
    message = getattr(choices[0], "message", None) if choices else None
    refusal = getattr(message, "refusal", None)
    text = getattr(message, "content", None)
    if refusal or not isinstance(text, str):
        return Answer(trouble=f"the model refused: {refusal}" if refusal else "the model answered without text")
    return Answer(text)
