"""Keep the graph in the form that is sent. It is encoded and compressed once after each change."""

import gzip
from collections import OrderedDict
from typing import NamedTuple

from zkmem.caller import Grant
from zkmem.memory import Memory
from zkmem.serve.api.responses import encoded
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import etag

_MOST_GRAPHS = 8  # one for each set of rights


class SentGraph(NamedTuple):
    """A graph in JSON, with its version and etag."""

    version: int  # the last version of the memory that is known to have this graph
    etag: str
    body: bytes
    compressed: bytes  # `body` with gzip


class Graphs:
    """The graphs of one memory, by the rights of the caller. Thread-safe."""

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
