"""A table of the names in a vault, for completion: the names of files and of missing notes, the heaviest first.

A search for a text goes through all names as one string of bytes, which takes about a millisecond for 100,000 names.
It stops when it has found enough; the heaviest come first. The table is made anew after many changes. Until then, the
few names that are newer are looked at one by one, and those that are gone are skipped.
"""

import itertools
import operator
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.index.graph import MISSING, is_missing
from zkmem.index.index import Index
from zkmem.index.session import Session
from zkmem.names import NOTE_SUFFIX, fold, name_of
from zkmem.util.locks import Rank, lock
from zkmem.util.words import has_letters

_MOST_NEW = 200  # names that have come since the table was made
_MOST_RANKED = 500  # names that are compared with a text
_MOST_LOOKED_AT = 5_000  # names that have the longest word of a text, but perhaps not the others
_BORDERS = (b"/", b" ", b"-", b"_", b"(", b".")  # begin a word inside a name


class _Names(NamedTuple):
    """The nodes of the graph and the other files, and their folded names in one string, in the same order."""

    nodes: list[str]
    text: bytes  # begins and ends with a line end
    starts: "array[int]"  # of each name in the text
    hashes: "array[int]"  # of the nodes, in ascending order

    @classmethod
    def of(cls, weights: Mapping[str, float]) -> "_Names":
        """Return the names of nodes and files with these weights."""
        nodes = sorted(weights)  # sorted twice, and one name after the other: keys and a list would take much memory
        nodes.sort(key=weights.__getitem__, reverse=True)
        text, starts = bytearray(b"\n"), array("I", [1])
        for node in nodes:
            text += _key(node) + b"\n"
            starts.append(len(text))
        return cls(nodes, bytes(text), starts, array("q", sorted(map(hash, nodes))))

    def find(self, words: list[bytes]) -> list[str]:
        """Return the nodes whose names have these words, the best first; of very many, the best of the heaviest."""
        longest, whole = max(words, key=len), b" ".join(words)
        ranked: list[tuple[int, int]] = []
        for number in itertools.islice(self._lines(longest), _MOST_LOOKED_AT):
            name = self.text[self.starts[number] : self.starts[number + 1] - 1]
            if all(word in name for word in words):
                ranked.append((_rank(name, whole), number))
                if len(ranked) == _MOST_RANKED:
                    break
        return [self.nodes[number] for _, number in sorted(ranked)]

    def find_letters(self, words: list[bytes]) -> list[str]:
        """Return the nodes whose names have the letters of each word in their order, the closest together first."""
        first, *rest = (re.escape(bytes([one])) for one in max(words, key=len))
        letters = b"".join(b"[^%b\n]*%b" % (mark, mark) for mark in rest)
        # A match begins at a line end, so each name is tried once. It has the first place of each letter.
        pattern = re.compile(b"\n[^%b\n]*(%b%b)" % (first, first, letters))
        ranked: list[tuple[int, int]] = []
        for match in itertools.islice(pattern.finditer(self.text), _MOST_LOOKED_AT):
            number = bisect_right(self.starts, match.start())
            name = self.text[self.starts[number] : self.starts[number + 1] - 1]
            if all(_has_letters(name, word) for word in words):
                ranked.append((match.end() - match.start(1), number))
        return [self.nodes[number] for _, number in sorted(ranked)[:_MOST_RANKED]]

    def _lines(self, word: bytes) -> Iterator[int]:
        """Yield the numbers of the names with a word, by weight."""
        at = self.text.find(word)
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            yield number
            at = self.text.find(word, self.starts[number + 1])

    def knows(self, node: str) -> bool:
        """Return whether the table has a node. A note may have one with many links, so this looks at no name."""
        wanted = hash(node)
        at = bisect_left(self.hashes, wanted)
        return at < len(self.hashes) and self.hashes[at] == wanted


def _rank(name: bytes, text: bytes) -> int:
    """Return the place of a name among those that have the words of a text; a lower one comes first."""
    base = name.rpartition(b"/")[2]
    if base == text:
        return 0
    if base.startswith(text) or name.startswith(text):
        return 1
    if text not in name:
        return 4
    return 2 if any(border + text in name for border in _BORDERS) else 3


def _has_letters(name: bytes, word: bytes) -> bool:
    return has_letters(name.decode(), word.decode())


def _key(node: str) -> bytes:
    """Return the name of a node as it is compared."""
    name = node.removeprefix(MISSING)
    return fold(name_of(name)).replace("\n", " ").encode(errors="replace")


class NameTable:
    """The table of one vault. Thread-safe."""

    def __init__(self, session: Session, weights: Callable[[], Mapping[str, float]]) -> None:
        """`weights`: returns the weight of each node of the complete graph; the thread holds the index."""
        self._session = session
        self._weights = weights
        self._news = session.live.follow()
        self._making = lock(Rank.SEARCH)
        self._names: _Names | None = None
        self._is_complete = False  # whether the names were made from the complete graph
        self._new: dict[str, None] = {}  # nodes that have come since

    def prepare(self) -> None:
        """Make the table if there is none yet, if it was made before the links were known, or after many changes."""
        with self._making:
            with self._session.hold() as index:
                if self._names is not None and (self._is_complete or not index.ready):
                    self._take_news(index)
                    if len(self._new) <= _MOST_NEW:
                        return
                is_complete, weights = index.ready, self._all(index)
                self._news.take()
                self._new = {}
            names = _Names.of(weights)
            with self._session.hold():
                self._names, self._is_complete = names, is_complete

    def _all(self, index: Index) -> dict[str, float]:
        """Return the weights of all names; that of an attachment is lower than any other."""
        weights = self._weights() if index.ready else {}
        return {**dict.fromkeys(index.catalog.rows, 0.0 if index.ready else 1.0), **weights}

    def _take_news(self, index: Index) -> None:
        """Add the names that have come since the last look. The thread holds the index."""
        for node in self._nodes_of(index, self._news.take() or ()):
            if self._names and not self._names.knows(node):
                self._new[node] = None
                if len(self._new) > _MOST_NEW:  # the table is made anew; until then, some are missing
                    break

    @staticmethod
    def _nodes_of(index: Index, paths: Iterable[str]) -> Iterator[str]:
        """Yield some notes that have changed, and the missing notes that they link to, or are now themselves."""
        for path in paths:
            if path in index.catalog:
                yield path
                yield from filter(is_missing, index.links.following(path))
            else:
                yield from filter(is_missing, index.links.missing_like(path))

    def find(self, index: Index, text: str, *, loose: bool = False) -> Iterator[str]:
        """Return the nodes whose names have all words of a text, the best first. The thread holds the index.

        `loose`: also, after them, those whose names have only the letters of each word in their order.
        """
        words = [word.encode(errors="replace") for word in fold(text).split()]
        has = _has_letters if loose else operator.contains
        new = [node for node in reversed(self._new) if all(has(_key(node), word) for word in words)]
        exact = index.catalog.named(f"{fold(text)}{NOTE_SUFFIX}")  # it may be too light to be among the known ones
        rows, graph = index.catalog.rows, index.links.graph if index.ready else {}
        seen = set[str]()
        for node in itertools.chain(new, exact, self._known(words, loose=loose)):
            if node not in seen and (node in rows or (is_missing(node) and node in graph)):
                seen.add(node)
                yield node

    def _known(self, words: list[bytes], *, loose: bool) -> Iterator[str]:
        """Yield the nodes of the table whose names have the words; look for letters only if that is not enough."""
        if names := self._names:
            yield from names.find(words) if words else names.nodes
            yield from names.find_letters(words) if words and loose else ()
