"""Build the responses of the API: values as JSON, errors as JSON with the status of their class."""

import contextlib
import json
import logging
import os
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from zkmem.errors import TooLarge, ZkError
from zkmem.records.outcome import Edited
from zkmem.util.characters import without_halves
from zkmem.util.threeway import Proposal

MOST_SENT = 32_000_000  # bytes of one response: a browser cannot handle more

_log = logging.getLogger(__name__)


def encoded(data: object) -> bytes:
    """Encode data as JSON. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    return without_halves(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)).encode()


def json_response(data: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return data as a JSON response that must not be cached."""
    body = encoded(data)
    if len(body) > MOST_SENT:
        raise TooLarge(f"The answer would have {len(body):,} bytes; the most is {MOST_SENT:,}. Ask for less.")
    all_headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **(headers or {})}
    return Response(body, status, all_headers, "application/json")


def error_response(error: Exception, vault: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """Return the response for an error. For an unexpected error it names no cause; the log has the traceback."""
    if not isinstance(error, ZkError):
        _log.error("a request failed", exc_info=error)
        unexpected: dict[str, Any] = {
            "kind": "Failure",
            "message": "The server failed; its log says why. Nothing is known to have changed.",
        }
        return json_response({"error": unexpected}, 500, headers)
    message = (
        str(error).replace(vault, os.path.basename(vault)) if vault else str(error)
    )  # a caller need not know where the vault is
    failure: dict[str, Any] = {"kind": type(error).__name__, "message": message}
    if hasattr(error, "etag"):
        failure["etag"] = error.etag
    proposal = getattr(error, "proposal", None)
    if proposal is not None:
        with contextlib.suppress(TooLarge):  # send the rest without the proposal
            with_proposal = {**failure, "proposal": proposal_of(proposal)}
            return json_response({"error": with_proposal}, error.http_status, headers)
    return json_response({"error": failure}, error.http_status, headers)


def proposal_of(proposal: Proposal) -> dict[str, Any]:
    """Return a merged text and its conflicts as values for JSON."""
    return {"text": proposal.text, "conflicts": [place._asdict() for place in proposal.conflicts]}


def edited(done: Edited) -> Response:
    """Return the response to an edit of a note."""
    return json_response(done._asdict(), 201 if done.outcome == "created" else 200, {"ETag": f'"{done.etag}"'})


def previewed(preview: Any) -> Response:
    """Return the response with what an edit would change."""
    about = {key: getattr(preview, key) for key in ("outcome", "name", "remarks", "edits")}
    return json_response({**about, "changes": objects(preview.changes), "left": objects(preview.left)})


def objects(values: Any) -> list[dict[str, Any]]:
    """Return values as JSON objects."""
    return [one._asdict() for one in values]
