"""What the API answers: values as JSON, failures as JSON with the status of their class."""

import contextlib
import json
import logging
import os
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from zkmem.errors import TooLarge, ZkError
from zkmem.util.halves import without_halves
from zkmem.util.threeway import Proposal

MOST_SENT = 32_000_000  # bytes of one answer: a browser can do nothing with more

_log = logging.getLogger(__name__)


def encoded(data: object) -> bytes:
    """The data as JSON; half a character, which UTF-8 cannot hold, becomes U+FFFD."""
    return without_halves(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)).encode()


def json_response(data: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that is not to be kept by anyone on the way.

    Raises:
        TooLarge: when it is.
    """
    body = encoded(data)
    if len(body) > MOST_SENT:
        raise TooLarge(f"The answer has {len(body):,} bytes, more than the {MOST_SENT:,} that are sent; ask for less.")
    given = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **(headers or {})}
    return Response(body, status, given, "application/json")


def error_response(error: Exception, vault: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """The answer for a failure; one that nobody expected is told in the log alone."""
    if not isinstance(error, ZkError):
        _log.error("a request failed", exc_info=error)
        told_error: dict[str, Any] = {
            "kind": "Failure",
            "message": "The server failed; its log says why. Nothing is known to have changed.",
        }
        return json_response({"error": told_error}, 500, headers)
    message = str(error).replace(vault, os.path.basename(vault)) if vault else str(error)  # where it is, is our affair
    failure: dict[str, Any] = {"kind": type(error).__name__, "message": message}
    if hasattr(error, "etag"):
        failure["etag"] = error.etag
    proposal = getattr(error, "proposal", None)
    if proposal is not None:
        with contextlib.suppress(TooLarge):  # the rest of the answer is worth more than the proposal
            whole = {**failure, "proposal": proposal_of(proposal)}
            return json_response({"error": whole}, error.http_status, headers)
    return json_response({"error": failure}, error.http_status, headers)


def proposal_of(proposal: Proposal) -> dict[str, Any]:
    """Return a merged text and its conflicts as the API shows them."""
    return {"text": proposal.text, "conflicts": [place._asdict() for place in proposal.conflicts]}
