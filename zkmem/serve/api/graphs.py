"""The graph as it is sent: made once for each change of it, and packed once."""

import gzip
from collections import OrderedDict
from typing import NamedTuple

from zkmem.memory import Memory
from zkmem.serve.api.responses import encoded
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import etag

_MOST_KEPT = 8  # folders


class SentGraph(NamedTuple):
    """A graph in JSON, with what tells it from another one."""

    seen: int  # the version of the memory that it was last found to be that of
    etag: str
    body: bytes
    packed: bytes


class Graphs:
    """The graphs of one memory, by the folder that they are of."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, SentGraph] = OrderedDict()
        self._lock = lock(Rank.GRAPHS)

    def of(self, memory: Memory, folder: str) -> SentGraph:
        """The graph of a memory that is confined to a folder ("": that is not)."""
        with self._lock:
            version, known = memory.version, self._kept.get(folder)
            if known is None or known.seen != version:
                known = self._made(memory, version, known)
            self._kept[folder] = known
            self._kept.move_to_end(folder)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
            return known

    def _made(self, memory: Memory, version: int, known: SentGraph | None) -> SentGraph:
        graph = memory.graph()._asdict()
        tag = etag(encoded(graph))
        if known and known.etag == tag:  # most edits change no link and, so to say, no weight
            return known._replace(seen=version)
        body = encoded({"version": version, **graph})
        return SentGraph(version, tag, body, gzip.compress(body, compresslevel=5, mtime=0))
