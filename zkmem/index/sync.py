"""The index, and how it is brought up to the vault: a scan, a difference, and only what differs is read."""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from zkmem.index.catalog import Catalog, Row
from zkmem.index.graph import LinkGraph, links_of
from zkmem.markdown.note import Facts, parse
from zkmem.vault.files import Stamp
from zkmem.vault.names import is_note
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

RACY_NS = 20_000_000  # a file system's clock may tick as slowly as this: two writes within it can share a stamp

Progress = Callable[[int, int], None]
"""(notes read, notes to read)"""


class Changes(NamedTuple):
    """How the vault differs from the index: paths."""

    added: list[str]
    modified: list[str]
    removed: list[str]

    def all(self) -> list[str]:
        """Every path that differs."""
        return [*self.added, *self.modified, *self.removed]


class Index:
    """Catalog and graph of one vault. Not thread-safe: `memory` guards it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.catalog = Catalog()
        self.links = LinkGraph()
        self.faults: dict[str, str] = {}
        self.ready = False

    def load_names(self) -> None:
        """Fill the catalog with the names of the files, reading none of them."""
        found = self.store.scan()
        self.faults = found.faults
        for path, stamp in found.stamps.items():
            self.catalog.put(path, Row(stamp))

    def read(self, path: str) -> None:
        """Read a note whose name is known already, for its facts."""
        if path in self.catalog.rows:
            self.catalog.put(path, self._row(path, self.catalog.rows[path].stamp))

    def build_graph(self) -> None:
        """Link all notes, once every one of them has been read."""
        for path in self.catalog.rows:
            self.links.add(path)
        for path, row in self.catalog.rows.items():
            if row.facts:
                self.links.set_links(path, links_of(self.catalog, path, row.facts))
        self.ready = True

    def build(self, progress: Progress | None = None) -> None:
        """Fill catalog and graph from nothing."""
        self.load_names()
        notes = list(self.catalog.notes())
        for count, path in enumerate(notes, 1):
            self.read(path)
            if progress and (count % 256 == 0 or count == len(notes)):
                progress(count, len(notes))
        self.build_graph()

    def refresh(self, paths: Iterable[str] | None = None) -> Changes:
        """Bring the index up to the vault, for these files and folders or (with None) for all of it.

        A path that is neither a file nor a folder any more takes whatever was below it out of the index.
        """
        known, found = self._both_sides(paths)
        rows = self.catalog.rows
        changes = Changes(
            added=[path for path in found if path not in rows],
            modified=[path for path, stamp in found.items() if path in rows and self._may_differ(rows[path], stamp)],
            removed=[path for path in known if path not in found],
        )
        same = self._take(changes, found)
        return changes._replace(modified=[path for path in changes.modified if path not in same])

    @staticmethod
    def _may_differ(row: Row, stamp: Stamp) -> bool:
        """Whether a file must be read again; permissions, which may give an unread one back, are in no stamp."""
        return row.stamp != stamp or row.racy or row.unread

    def _both_sides(self, paths: Iterable[str] | None) -> tuple[list[str], dict[str, Stamp]]:
        """The files that the index knows and those that the vault holds, at or below the paths."""
        if paths is None:
            scanned = self.store.scan()
            self.faults = scanned.faults
            return list(self.catalog.rows), scanned.stamps
        known: set[str] = set()
        found: dict[str, Stamp] = {}
        folders: set[str] = set()  # or what may have been one
        for spelled in paths:
            path = self.store.adopt(spelled)
            if path is None or is_hidden(path):
                continue
            folders.add(path)
            self.faults.pop(path, None)
            if path in self.catalog.rows:
                known.add(path)
            if self.store.is_folder(path):
                scanned = self.store.scan(path)
                self.faults.update(scanned.faults)
                found.update(scanned.stamps)
            elif stamp := self.store.stamp(path):
                found[path] = stamp
        known.update(self.catalog.below(folders))
        return sorted(known), found

    def _take(self, changes: Changes, found: dict[str, Stamp]) -> set[str]:
        """Apply a difference: rows first, then the edges of every note whose links may mean something else now.

        Returns the paths that were read again to be sure, and turned out to be as they were known.
        """
        same: set[str] = set()
        stale: set[str] = set()
        for path in [*changes.added, *changes.removed]:
            stale |= self.links.who_could_mean(path, self.catalog)
        for path in changes.removed:
            self.catalog.remove(path)
        for path in [*changes.added, *changes.modified]:
            before, row = self.catalog.rows.get(path), self._row(path, found[path])
            if before and before.stamp == row.stamp and before.facts == row.facts:
                same.add(path)
            self.catalog.put(path, row)
            self.links.add(path)
            stale.add(path)
        for path in sorted(stale.difference(changes.removed)):
            self.links.set_links(path, links_of(self.catalog, path, self.catalog.facts(path)))
        for path in changes.removed:
            self.links.remove(path)
        return same

    def _row(self, path: str, stamp: Stamp) -> Row:
        """Read a file. One that cannot be read is kept, as a note without links and with its fault."""
        if not is_note(path):
            return Row(stamp)
        try:
            data, stamp = self.store.read_found(path)
        except OSError as error:
            return Row(stamp, Facts(fault=f"cannot be read: {error.strerror or error}"), unread=True)
        return Row(stamp, parse(data), racy=abs(time.time_ns() - stamp.mtime_ns) < RACY_NS)


def difference(one: Index, other: Index) -> list[str]:
    """How two indexes differ, a line each; empty when they are equal."""
    lines = []
    left, right = one.catalog.rows, other.catalog.rows
    for path in sorted(left.keys() | right.keys()):
        mine, theirs = left.get(path), right.get(path)
        if mine is None or theirs is None:
            lines.append(f"{path}: only in the {'second' if mine is None else 'first'} catalog")
        elif mine.facts != theirs.facts:
            lines.append(f"{path}: {mine.facts} / {theirs.facts}")
    for name, edges in (
        ("first", set(one.links.graph.edges) - set(other.links.graph.edges)),
        ("second", set(other.links.graph.edges) - set(one.links.graph.edges)),
    ):
        lines.extend(f"{edge}: only in the {name} graph" for edge in sorted(edges))
    nodes = set(one.links.graph.nodes) ^ set(other.links.graph.nodes)
    lines.extend(f"{node!r}: a node of one graph only" for node in sorted(nodes))
    return lines
