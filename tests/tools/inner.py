"""The parts behind a memory, for tests that look at the index, the cache or a lock. Other tests use `Memory` alone."""

import sqlite3
from collections.abc import Callable
from typing import Any

from tests.tools.vaults import fresh_index
from zkmem.edit.plan import Planner
from zkmem.edit.unexplained import KeptTexts, PathStep
from zkmem.engine import Engine
from zkmem.index.index import Index
from zkmem.index.store.database import Cache
from zkmem.index.store.writer import CacheWriter
from zkmem.memory import Memory
from zkmem.records.outcome import Edited
from zkmem.search.search import Search
from zkmem.util.locks import Lock


def engine(memory: Memory) -> Engine:
    """Return the engine of a memory."""
    return memory._engine


def untold(memory: Memory) -> None:
    """Let no call look for what other programs have changed, as if a watcher had not yet told it."""
    memory._engine.live._watched = True


def catch_up(memory: Memory) -> None:
    """Take in what other programs have changed, and record it."""
    memory._catch_up()


def edit_with(memory: Memory, planner: Planner) -> Edited:
    """Make an edit that a function plans."""
    return memory._apply(planner, Edited.by)


def replace_rights(memory: Memory, rights: Any) -> None:
    """Let a memory ask something else what its caller may do."""
    memory._rights = rights


def search_of(memory: Memory) -> Search:
    """Return the search over the notes that the caller of a memory may see."""
    return memory._rights.search


def search_cache(search: Search) -> Cache:
    """Return the cache in which a search keeps its words."""
    return search._index._cache


def _dump(connection: sqlite3.Connection) -> list[str]:
    """Return the contents of the index: a line for each note, for each fact, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute(
        "SELECT path || ' ' || etag || ' ' || iif(dated = 'file', '', date) || dated || fields || hex(words)"
        " FROM search_notes JOIN search_texts USING(id)"
    )
    facts = connection.execute(
        "SELECT key || ' ' || value || ' ' || path FROM search_facts JOIN search_notes USING(id)"
    )
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *facts, *places]]


def search_dump(search: Search) -> list[str]:
    """Return the contents of the index of words, in order."""
    return sorted(search_cache(search).use(_dump))


def search_cache_path(search: Search) -> str:
    """Return the path of that cache."""
    return str(search_cache(search)._path)


def cache_writer(memory: Memory) -> CacheWriter:
    """Return what saves the index of a memory in the cache."""
    return engine(memory).live._cache_writer


def unsaved(memory: Memory) -> set[str]:
    """Return the paths of the files whose rows are not in the cache yet."""
    return cache_writer(memory)._unsaved


def index_lock(memory: Memory) -> Lock:
    """Return the lock of a memory's index."""
    return engine(memory).live._lock


def recorder_reads(memory: Memory) -> Callable[[], list[str]]:
    """Return a function that returns the paths which the recorder of a memory has read since the last call."""
    recorder, paths = engine(memory).recorder, list[str]()
    read = recorder._read

    def counted(path: str) -> tuple[bytes | None, int]:
        paths.append(path)
        return read(path)

    def since() -> list[str]:
        recent = paths.copy()
        paths.clear()
        return recent

    recorder._read = counted  # type: ignore[method-assign]
    return since


def entries_in_memory(memory: Memory) -> dict[str, list[PathStep]]:
    """Return the entries of the logs that a memory's recorder has not compared yet, by path."""
    return engine(memory).recorder._steps


def texts_in_memory(memory: Memory) -> KeptTexts:
    """Return the last texts of notes that a memory's recorder has seen."""
    return engine(memory).recorder._texts


def wait_started(memory: Memory) -> None:
    """Wait for the thread that `start` began, whether it could build the index or not."""
    starter = engine(memory).live._starter
    assert starter
    starter.join()


def index_faults(memory: Memory) -> list[str]:
    """Return how a memory's index differs from one that is built from the files."""
    return difference(engine(memory).live.index, fresh_index(memory.vault))


def commit_edits(memory: Memory) -> str:
    """Commit the edits that have no commit yet, as the thread for git does; return what could not be committed."""
    mirror = engine(memory)._mirror
    assert mirror
    return mirror.catch_up()


def difference(one: Index, other: Index) -> list[str]:
    """Return the differences of two indexes, one line for each; none if they are equal."""
    lines = []
    left, right = one.catalog.rows, other.catalog.rows
    for path in sorted(left.keys() | right.keys()):
        mine, theirs = left.get(path), right.get(path)
        if mine is None or theirs is None:
            lines.append(f"{path}: only in the {'second' if mine is None else 'first'} catalog")
        elif (mine.etag, mine.facts) != (theirs.etag, theirs.facts):
            lines.append(f"{path}: {mine.etag} {mine.facts} / {theirs.etag} {theirs.facts}")
    for name, edges in (
        ("first", set(one.links.graph.edges) - set(other.links.graph.edges)),
        ("second", set(other.links.graph.edges) - set(one.links.graph.edges)),
    ):
        lines.extend(f"{edge}: only in the {name} graph" for edge in sorted(edges))
    for name, index in (("first", one), ("second", other)):
        backlinks = {(source, node) for node, sources in index.links.graph.pred.items() for source in sources}
        unpaired = sorted(backlinks ^ set(index.links.graph.edges))
        lines.extend(f"{edge}: the {name} graph has the link or the backlink, but not both" for edge in unpaired)
    nodes = set(one.links.graph.nodes) ^ set(other.links.graph.nodes)
    lines.extend(f"{node!r}: a node of one graph only" for node in sorted(nodes))
    return lines
