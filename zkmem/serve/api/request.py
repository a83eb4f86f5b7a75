"""A request to the API, and what several operations read from it."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response

from zkmem.memory import Memory
from zkmem.serve.access.caller import Identity
from zkmem.serve.access.signin.own import OwnSignIns
from zkmem.serve.api.graphs import Graphs
from zkmem.serve.common import Place

ETAG = re.compile(r'(?:W/)?"([^"]*)"')
"""An etag in a header."""

SEARCH_WAIT_S = 2.0
"""The time to wait for the search index; after that, a search uses what is indexed."""


class Context(NamedTuple):
    """What the operations on one vault use besides its memory."""

    graphs: Graphs
    signins: OwnSignIns
    place: Place


class ApiRequest(NamedTuple):
    """One request: the memory for its caller, the caller, the name in the path, the query, the body and the headers."""

    memory: Memory
    caller: Identity
    address: str  # of the caller
    name: str
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    headers: Headers
    context: Context

    @property
    def limit(self) -> int:
        """The number of items that a list may have."""
        return int(self.query["count"])


Operation = Callable[[ApiRequest], Response]
"""Answers a request. It runs in a thread: it reads its arguments, calls the memory, builds a response."""


def etags(header: str | None) -> list[str]:
    """Return the etags in a header."""
    return ETAG.findall(header or "")
