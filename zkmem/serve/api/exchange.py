"""A request to the API, and the responses: values as JSON, and errors as JSON with the status of their class."""

import contextlib
import gzip
import json
import logging
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response

from zkmem.caller import Grant
from zkmem.errors import TooLarge, ZkError
from zkmem.memory import Memory
from zkmem.records.outcome import Edited
from zkmem.serve.access.signin.own import OwnSignIns
from zkmem.serve.access.tokens import Identity
from zkmem.serve.common import Common
from zkmem.util.characters import without_halves
from zkmem.util.locks import Rank, lock
from zkmem.util.threeway import Proposal
from zkmem.vault.files import etag

ETAG = re.compile(r'(?:W/)?"([^"]*)"')
"""An etag in a header."""

SEARCH_WAIT_S = 2.0
"""The time to wait for the search index; after that, a search uses what is indexed."""

MOST_SENT = 32_000_000  # bytes of one response: a browser cannot handle more
_MOST_GRAPHS = 8  # one for each set of rights

_log = logging.getLogger(__name__)


class SentGraph(NamedTuple):
    """A graph in JSON, with its version and etag."""

    version: int  # the last version of the memory that is known to have this graph
    etag: str
    body: bytes
    compressed: bytes  # `body` with gzip


class Graphs:
    """The graphs of one memory in JSON: one for each set of rights that a caller may have. Thread-safe."""

    def __init__(self) -> None:
        self._graphs: OrderedDict[Grant, SentGraph] = OrderedDict()
        self._lock = lock(Rank.GRAPHS)

    def get(self, memory: Memory, grant: Grant) -> SentGraph:
        """Return the graph of a memory whose caller has the rights of `grant`."""
        with self._lock:
            version, graph = memory.version, self._graphs.get(grant)
            if graph is None or graph.version != version:
                graph = self._make(memory, version, graph)
            self._graphs[grant] = graph
            self._graphs.move_to_end(grant)
            if len(self._graphs) > _MOST_GRAPHS:
                self._graphs.popitem(last=False)
            return graph

    def _make(self, memory: Memory, version: int, previous: SentGraph | None) -> SentGraph:
        graph = memory.graph()._asdict()
        graph_etag = etag(encoded(graph))
        if previous and previous.etag == graph_etag:  # most edits change no link, so the graph is the same
            return previous._replace(version=version)
        body = encoded({"version": version, **graph})
        return SentGraph(version, graph_etag, body, gzip.compress(body, compresslevel=5, mtime=0))


class VaultContext(NamedTuple):
    """What the operations on one vault use besides its memory."""

    graphs: Graphs
    signins: OwnSignIns
    name: str  # of the vault; "" if the server has one
    server: Common


class ApiRequest(NamedTuple):
    """One request: the memory for its caller, the caller, the name in the path, the query, the body and the headers."""

    memory: Memory
    caller: Identity
    address: str  # of the caller
    name: str
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    headers: Headers
    context: VaultContext

    @property
    def limit(self) -> int:
        """The number of items that a list may have."""
        return int(self.query["count"])


Operation = Callable[[ApiRequest], Response]
"""Answers a request. It runs in a thread: it reads its arguments, calls the memory, builds a response."""


def etags(header: str | None) -> list[str]:
    """Return the etags in a header."""
    return ETAG.findall(header or "")


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
    # a caller need not know where the vault is
    message = str(error).replace(vault, os.path.basename(vault)) if vault else str(error)
    failure: dict[str, Any] = {"kind": type(error).__name__, "message": message}
    if hasattr(error, "etag"):
        failure["etag"] = error.etag
    if names := getattr(error, "names", None):
        failure["names"] = names
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


def previewed(preview: Any, notes: Sequence[Mapping[str, Any]] = ()) -> Response:
    """Return the response with what an edit would change. `notes`: the rendered changes of an undo or redo."""
    about = {key: getattr(preview, key) for key in ("outcome", "name", "remarks", "edits")}
    changes, left = objects(preview.changes), objects(preview.left)
    return json_response({**about, "changes": changes, "left": left, "notes": list(notes)})


def objects(values: Any) -> list[dict[str, Any]]:
    """Return values as JSON objects."""
    return [one._asdict() for one in values]
