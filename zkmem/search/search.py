"""Find the notes that contain words of a query and pass its filters, the best first.

Any word of the query counts; `search.relevance` says what makes a note come first. `search.query` says how a query
is written, and `search.search_index` keeps the index.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from zkmem.index.graph import LinkGraph, counts
from zkmem.index.index import Progress
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness, Session
from zkmem.markdown.links import body_links
from zkmem.markdown.note import body_of
from zkmem.names import below, fold, is_note, normal
from zkmem.search import retrieval
from zkmem.search.places import Alias, HeadingPlace, TagCount, headings
from zkmem.search.places import matches as places_in
from zkmem.search.query import Query, matches, read_query
from zkmem.search.rerank import MOST, Reranker
from zkmem.search.retrieval import Counts, Match, Scope
from zkmem.search.search_index import SearchIndex
from zkmem.search.spellings import MOST_READ, signed_first, with_signs
from zkmem.search.stems import terms_of
from zkmem.vault.store import Store

_T = TypeVar("_T")

_READ = 2_000  # characters of a note that a model reads; it cuts them to its own length
_EVERYWHERE = Scope()
_SPARE = 2  # more hits than needed, in case notes were removed after they were indexed
_MOST_LINKING = 20  # hits whose links count
_MOST_LINKS = 100  # of one of these, the first in its text
_EASE = 5  # the greater it is, the less the rank of a hit counts
_MOST_LOOKED_AT = 2_000  # links around a note, and as many around its neighbours


class Hit(NamedTuple):
    """A note that contains words of the query."""

    path: str
    name: str
    score: float  # higher is better
    snippet: str  # a passage or property with words of the query: at most ~200 characters, one line, whole words
    words: list[str]  # the words of the note that match, as the index stores them: in lower case and without accents
    date: str  # such as 2026-11-20
    date_source: str  # where the date is from: "property", "name", or "file" for the day on which the file was changed


class Hits(list[Hit]):
    """The hits of a search, the best first, remarks on them for the reader, and names of notes that they link to."""

    def __init__(self, hits: Iterable[Hit] = (), remarks: Iterable[str] = (), linked: Iterable[str] = ()) -> None:
        """Make a list of hits with remarks, which are sentences, and the names that `Search.linked` returns."""
        super().__init__(hits)
        self.remarks = list(remarks)
        self.linked = list(linked)


class Places(NamedTuple):
    """Aliases, headings and tags that contain a text, the best of each first, and remarks for the reader."""

    aliases: list[Alias]
    headings: list[HeadingPlace]
    tags: list[TagCount]
    remarks: list[str]


class Search:
    """Search over the notes of a vault, or only over those below one folder. Thread-safe."""

    def __init__(self, session: Session, store: Store, folder: str = "", *, reranker: Reranker | None = None) -> None:
        """Search the notes below `folder`; "" stands for all. The index is made at the first search.

        `reranker`: scores the best hits again.
        """
        self._reranker = reranker
        self.session = session
        self._store = store
        self.folder = folder
        self._index = SearchIndex(session, store, folder)
        self._within: dict[str, Search] = {}

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        folders: Collection[str] | None = None,
        without: Collection[str] = (),
        filters: bool = True,
        linked: int = 0,
        near: str = "",
        rendered: bool = False,
        progress: Progress | None = None,
        wait_s: float | None = None,
    ) -> Hits:
        """Return at most `limit` notes that pass a query, the best first: see `query.py`.

        A query that has filters alone returns the notes with the latest dates first.

        `folders`: below which to search (None: everywhere); `without`: below which not to search; `filters`: whether
        the query may have filters; `linked`: the most notes to name because the hits link to them; `near`: the path of
        a note (hits within two links of it come first); `rendered`: see `note_snippet`; `wait_s`: how long to wait at
        most while notes are indexed (None: to the end).
        """
        text = query.encode(errors="replace").decode()
        parsed = read_query(text) if filters else Query(text, [])
        terms = terms_of(parsed.words)
        if limit < 1 or not (parsed.filters or terms):
            return Hits([], ["The query has no word to look for."] * (limit > 0))
        scope = Scope(None if folders is None else tuple(map(_cleaned, folders)), tuple(map(_cleaned, without)))

        reranker = self._reranker if terms else None
        most = max(limit, MOST) if reranker else limit
        signed = with_signs(parsed.words)
        wanted = max(most + _SPARE, MOST_READ) if signed else most + _SPARE
        nearby = self._within_two_links(near, scope, progress) if near else set()

        def find(connection: sqlite3.Connection) -> tuple[list[Match], list[str]]:
            return matches(connection, parsed, wanted, scope, nearby, filters=filters)

        (found, remarks), incomplete = self.read(find, progress, wait_s)
        if signed:
            found, more = signed_first(found, signed, len(terms), lambda path: self._store.read(path)[0])
            found = sorted(found, key=lambda each: each.path not in nearby)
            remarks = [*remarks, *more]
        keys = [one.key for one in parsed.filters if one.kind == "property" and not one.negative]
        passages: dict[str, str] = {}
        hits = list(self._hits(found, most, keys, passages if rendered else None))
        if reranker:
            hits = self._reranked(reranker, parsed.words, hits)
            hits = sorted(hits, key=lambda hit: hit.path not in nearby)[:limit]
        shown = [(hit.path, passages.get(hit.path, hit.snippet)) for hit in hits]
        names = self.linked(shown, linked, scope) if linked else ()
        return Hits(hits, [*(remarks or ["Nothing was found."] * (not hits)), *incomplete], names)

    def linked(self, shown: Sequence[tuple[str, str]], count: int, scope: Scope = _EVERYWHERE) -> list[str]:
        """Return the names of at most `count` other notes that some notes link to: see `best_linked`.

        `shown`: the path of each note, the best first, and the part of its text that the reader sees. Notes that a link
        in these texts names are left out, and so are those outside of the scope.
        """
        shown = [one for one in shown if below(one[0], self.folder)]
        with self.session.hold() as index:
            catalog = index.catalog
            seen = {
                resolve(catalog, link.target, path).path
                for path, text in shown
                if "[" in text
                for link in body_links(text.encode(errors="replace"))
            }
            others = (
                path
                for path in best_linked(index.links, list(dict.fromkeys(path for path, _ in shown)))
                if is_note(path) and path in catalog and path not in seen and self._has(path, scope)
            )
            return [name_for(catalog, path) for path in islice(others, count)]

    def _has(self, path: str, scope: Scope) -> bool:
        """Return whether a note is in the scope of a search."""
        if scope == _EVERYWHERE and not self.folder:  # the usual case, for eight notes of each search
            return True
        if not below(path, self.folder):
            return False
        inside = (below(fold(path), fold(folder)) for folder in ([""] if scope.folders is None else scope.folders))
        return any(inside) and not any(below(fold(path), fold(folder)) for folder in scope.without)

    def _within_two_links(self, path: str, scope: Scope, progress: Progress | None) -> set[str]:
        """Return the nodes within two links of a note, as if the folder were the whole vault.

        Links of notes in folders that are left out do not count; those of notes outside of the folders to search do.
        """
        everywhere = scope._replace(folders=None)
        self.session.prepare(Freshness.LINKS, progress)
        with self.session.hold() as index:
            return within_two_links(index.links, path, lambda source: self._has(source, everywhere))

    def _reranked(self, reranker: Reranker, query: str, hits: list[Hit]) -> list[Hit]:
        """Return the hits with the scores of a model: first the best `MOST` in their new order, then the others."""
        first = hits[:MOST]
        scores = reranker.scores(query, [f"{each.name}\n{self._text(each)}" for each in first])
        scored = [each._replace(score=score) for each, score in zip(first, scores, strict=True)]
        return sorted(scored, key=lambda each: -each.score) + hits[MOST:]

    def _text(self, hit: Hit) -> str:
        """Return the beginning of a note, and its best passage if that is not in it; a model reads no more."""
        try:
            text = body_of(self._store.read(hit.path)[0])[: 4 * _READ].decode(errors="replace")[:_READ]
        except OSError:  # it was removed meanwhile
            text = ""
        return text if hit.snippet.strip("…") in text else f"{hit.snippet}\n{text}"

    def read(
        self, work: Callable[[sqlite3.Connection], _T], progress: Progress | None, wait_s: float | None
    ) -> tuple[_T, list[str]]:
        """Return the result of `work` on the search index, and a sentence if notes are not in it yet.

        `wait_s`: as for `find`.
        """
        self.session.prepare(Freshness.LINKS, progress)
        result, backlog = self._index.read(work, progress, wait_s)
        total = backlog.indexed + backlog.left
        remark = (
            f"Only {backlog.indexed:,} of {total:,} notes are indexed so far. Search again later to include the others."
        )
        return result, [remark] if backlog.left else []

    def places(self, text: str, limit: int, progress: Progress | None, wait_s: float | None) -> Places:
        """Return at most `limit` aliases, headings and tags that contain a text. `wait_s`: as for `find`."""
        text = text.encode(errors="replace").decode()
        (aliases, tags, candidates), remarks = self.read(
            lambda connection: places_in(connection, text, limit), progress, wait_s
        )
        heads = headings(candidates, lambda path: self._store.read(path)[0], text, limit)
        with self.session.hold() as index:
            aliases = [one._replace(name=name_for(index.catalog, one.name)) for one in aliases]
            places = [
                HeadingPlace(one.text, name_for(index.catalog, one.name), one.subpath, one.level) for one in heads
            ]
        return Places(aliases, places, tags, remarks)

    def load(self, progress: Progress | None = None) -> None:
        """Index all notes in this thread, or wait until another thread has."""
        self.read(lambda _: None, progress, None)

    def find_soon(self, query: str, limit: int, folder: str) -> list[Hit]:
        """Return hits as `find` does, but quickly: index at most 1,000 changed notes first, and never wait long.

        Return no hits while the index of links is built, or while another thread searches. A query is plain text.
        """
        words = terms_of(query.encode(errors="replace").decode())
        scope = Scope((_cleaned(folder),) if folder else None)
        if not words or not self.session.live.index.ready:
            return []
        matched = self._index.read_soon(
            lambda connection: retrieval.find(Counts(connection, scope), words, limit + _SPARE)[0]
        )
        return list(self._hits(matched or (), limit))

    def glance(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Return the result of `work` on the search index as it is: see `SearchIndex.glance`.

        The result is None while the index of links is built, too.
        """
        return self._index.glance(work) if self.session.live.index.ready else None

    def peek(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Return the result of `work` on the search index, or None while it is not ready: see `SearchIndex.peek`."""
        return self._index.peek(work) if self.session.live.index.ready else None

    def within(self, folder: str) -> "Search":
        """Return a search over the notes below a folder, for callers who may see no others.

        It has a separate index, so that no score and no order depends on a note outside the folder.
        """
        with self.session.hold():
            if folder not in self._within:
                self._within[folder] = Search(self.session, self._store, folder, reranker=self._reranker)
            return self._within[folder]

    def close(self) -> None:
        """Close the index."""
        for part in list(self._within.values()):
            part.close()
        self._index.close()

    def _hits(
        self, found: Iterable[Match], limit: int, keys: Collection[str] = (), passages: dict[str, str] | None = None
    ) -> Iterator[Hit]:
        """Yield the first matches as hits. `keys`: the properties that the query names.

        With `passages`, the snippets are rendered, and it gets their sources by path.
        """
        from zkmem.search.snippet import note_snippet  # noqa: PLC0415 - slow to import

        found = list(found)
        with self.session.hold() as index:
            names = [name_for(index.catalog, each.path) for each in found]
        for each, name in zip(found, names, strict=True):
            if not limit:
                return
            try:
                data, _ = self._store.read(each.path)
            except OSError:  # it was removed, or replaced by a symbolic link
                continue
            passage = note_snippet(data, each.words, keys)
            if passages is not None:
                passages[each.path] = passage
                passage = note_snippet(data, each.words, keys, rendered=True)
            yield Hit(each.path, name, each.score, passage, each.words, *each.dated)
            limit -= 1


def _cleaned(folder: str) -> str:
    return normal(folder).strip("/")


def best_linked(links: LinkGraph, ranked: Sequence[str]) -> list[str]:
    """Return the nodes to which some notes link, without these notes. `ranked`: their paths, the best first.

    The nodes to which most of the notes link come first; the links of better notes count a little more.
    """
    weights: dict[str, float] = {}
    for rank, path in enumerate(ranked[:_MOST_LINKING], 1):
        for node in islice(links.targets([path]), _MOST_LINKS):
            weights[node] = weights.get(node, 0.0) + 1 / (_EASE + rank)
    for path in ranked:
        weights.pop(path, None)
    return sorted(weights, key=weights.__getitem__, reverse=True)


def within_two_links(links: LinkGraph, path: str, has: Callable[[str], bool]) -> set[str]:
    """Return the nodes within two links of a note, in either direction, and the note itself.

    Only the links of notes for which `has` is true count, and none to attachments. At most some thousands of links are
    read, those of the neighbours with few links first.
    """

    def around(nodes: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the source of each link from or to the nodes, and its other end."""
        for node in nodes:
            yield from ((node, target) for target in links.targets([node]))
            yield from ((source, source) for source in links.leading(node))

    def next_to(nodes: Iterable[str]) -> set[str]:
        return {one for source, one in islice(around(nodes), _MOST_LOOKED_AT) if has(source) and counts(one)}

    first = next_to([path])
    fewest = sorted(first, key=lambda node: (len(links.following(node)) + len(links.leading(node)), node))
    return {path} | first | next_to(fewest)
