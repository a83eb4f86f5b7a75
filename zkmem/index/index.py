"""The index, and its update from the vault: scan the files, compare their stamps, read only those that differ."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from zkmem.index.catalog import CANVAS, Catalog, CatalogRow, Changes
from zkmem.index.graph import MANY, LinkGraph, Nodes
from zkmem.index.reader import Job, row_of, row_with, rows_of
from zkmem.index.store.snapshot import Snapshot
from zkmem.names import composed, fold, is_note
from zkmem.vault import platform
from zkmem.vault.files import Stamp
from zkmem.vault.paths import DiskNames, is_hidden, is_visible_note
from zkmem.vault.store import SkippedFile, Store, unread_of

_LARGE = 1_000_000  # bytes
_OFTEN = 1_000  # files between two calls of `check_open`, which take some milliseconds

_T = TypeVar("_T")

Progress = Callable[[int, int], None]
"""(notes read, notes to read)"""


Observer = Callable[[Mapping[str, tuple[CatalogRow | None, CatalogRow | None]]], object]
"""A function of the rows of changed files before and after; None where there is no file. It must not wait."""


class Index:
    """The catalog and the graph of one vault. Not thread-safe: `LiveIndex` guards it with a lock."""

    def __init__(self, store: Store, check_open: Callable[[], object] = lambda: None, *, pages: bool = False) -> None:
        """Make an empty index. Filling it calls `check_open` regularly, which may raise to stop the work.

        `pages`: whether a link may also mean a file by the title of its page in Logseq.
        """
        self.store = store
        self._check_open = check_open
        self.catalog = Catalog(pages=pages)
        self.links = LinkGraph()
        self.faults: dict[str, SkippedFile] = {}
        self.ready = False
        self.observer: Observer | None = None
        self.restored: tuple[Sequence[str], Mapping[str, bytes]] = ((), {})  # a snapshot's nodes, and data

    def unread(self) -> list[str]:
        """Return the notes whose links are not known because they cannot be read, and such folders, with a slash."""
        hidden = (path for path in unread_of(self.faults) if path.endswith(("/", CANVAS)) or is_note(path))
        return sorted([*self.catalog.unread, *hidden])

    def load_names(self) -> None:
        """Fill the catalog with the names of the files, reading none of them."""
        self.catalog.fill(self._open(self._scan().items()))

    def read(self, paths: Sequence[str]) -> Iterator[int]:
        """Read the facts of notes whose names are in the catalog; yield repeatedly how many notes are read so far."""
        catalog, done = self.catalog, 0
        jobs = [self._job(path, catalog.rows[path].stamp) for path in self._open(paths)]
        for rows in rows_of(jobs):
            for path, row in zip(paths[done : done + len(rows)], rows, strict=True):
                catalog.put(path, row)
            done += len(rows)
            yield done

    def take_rows(self, rows: Mapping[str, CatalogRow]) -> list[str]:
        """Use saved rows of notes that have not changed; return the paths of the notes that must be read."""
        catalog, unread, most = self.catalog.rows, [], self.store.most_bytes
        for path, row in catalog.items():
            saved = rows.get(path)
            if saved is not None and saved.stamp == row.stamp and not saved.racy and row.stamp.size <= most:
                catalog[path] = saved
            elif is_note(path):
                unread.append(path)
                if saved is not None:  # its bytes may be the same although its stamp differs
                    catalog[path] = saved._replace(stamp=row.stamp)
        return unread

    def build_graph(self, snapshot: Snapshot | None = None) -> int | None:
        """Build the graph from the facts of all notes, or from a snapshot and the notes that differ from it.

        Return how many notes differ; None if there is no snapshot, or too many notes differ to use it.
        """
        differing = snapshot.differing(self.catalog.rows) if snapshot else None
        if snapshot and differing and len(differing.all()) <= MANY:
            snapshot = snapshot.spelled(self.catalog.rows)
            self.links.fill(snapshot.nodes, self._open(snapshot.links()), self._open(snapshot.backlinks()))
            self.restored = (snapshot.nodes, snapshot.derived)
            self._relink(differing)
        else:
            nodes, rows = Nodes(self.catalog), self.catalog.rows
            links = ((path, nodes.of(path, row.facts)) for path, row in rows.items() if row.facts)
            self.links.fill(rows, self._open(links))
            differing = None
        self.ready = True
        return len(differing.all()) if differing else None

    def _open(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield the items; call `check_open` regularly, which raises when the index is being closed."""
        for number, item in enumerate(items):
            if number % _OFTEN == 0:
                self._check_open()
            yield item

    def build(self, progress: Progress | None = None) -> None:
        """Fill the empty catalog and graph."""
        self.load_names()
        notes = list(self.catalog.notes())
        for done in self.read(notes):
            if progress:
                progress(done, len(notes))
        self.build_graph()

    def read_ahead(self, paths: Iterable[str]) -> dict[str, CatalogRow]:
        """Read those notes that are large and may have changed, for a refresh. Other calls may run meanwhile."""
        notes = [path for path in paths if is_visible_note(path) and self.store.is_large(path, _LARGE)]
        stamps = {path: stamp for path in notes if (stamp := self.store.stamp(path))}
        return {path: self._row(path, stamp) for path, stamp in stamps.items() if self._may_differ(path, stamp)}

    def rows_of(self, written: Mapping[str, tuple[bytes, Stamp]]) -> dict[str, CatalogRow]:
        """Return the rows of notes with these bytes, which got these stamps when they were written a moment ago.

        The rows are racy: another program may have written to a file since, in the same tick of the clock.
        """
        return {path: row_with(data, stamp, racy=True) for path, (data, stamp) in written.items() if is_note(path)}

    def refresh(self, paths: Iterable[str] | None = None, ahead: Mapping[str, CatalogRow] = {}) -> Changes:
        """Update the index from these files and folders or (with None) from the whole vault; return the changes.

        If nothing is at a path any more, all files below it are removed from the index. `ahead`: rows that were read
        before; each is used if the file has not changed since.
        """
        with platform.current.folders_kept():
            indexed, current = self._both_sides(paths)
            differing = {path: stamp for path, stamp in current.items() if self._may_differ(path, stamp)}
            read = {
                path: row if (row := ahead.get(path)) and row.stamp == stamp else self._row(path, stamp)
                for path, stamp in differing.items()
            }
        rows = self.catalog.rows
        removed = [path for path in indexed if path not in current]
        if removed or any(row.unread for row in read.values()):
            self.store.check()  # a vault that is unmounted must not count as empty
        same = {path for path, row in read.items() if path in rows and _equal(rows[path], row)}
        changes = Changes(
            added=[path for path in read if path not in rows],
            modified=[path for path in read if path in rows and path not in same],
            removed=removed,
        )
        self._take(changes, read)
        return changes

    def suspects(self, paths: Iterable[str] | None = None) -> list[str]:
        """Return those of these files and folders, or (with None) of all files, that a refresh would have to read.

        This changes only `faults`. With None, other calls may run meanwhile.
        """
        if paths is None:
            indexed: Iterable[str] = self.catalog.rows.copy()  # atomic: one step of the interpreter
            current = self._scan()
        else:
            indexed, current = self._both_sides(paths)
        differing = [path for path, stamp in current.items() if self._may_differ(path, stamp)]
        return [path for path in indexed if path not in current] + differing

    def _may_differ(self, path: str, stamp: Stamp) -> bool:
        """Return whether a file must be read again. An unread file must: new permissions do not change its stamp."""
        row = self.catalog.rows.get(path)
        return row is None or row.stamp != stamp or row.racy or row.unread

    def _scan(self) -> dict[str, Stamp]:
        scanned = self.store.scan()
        self.faults = scanned.faults
        return scanned.stamps

    def _both_sides(self, paths: Iterable[str] | None) -> tuple[list[str], dict[str, Stamp]]:
        """Return the files in the index, and the files in the vault with their stamps, at or below the paths."""
        if paths is None:
            return list(self.catalog.rows), self._scan()
        adopted = [path for path in map(self.store.adopt, paths) if path is not None and not is_hidden(path)]
        folders = set(adopted)  # a path that is no folder now may have been one
        current: dict[str, Stamp] = {}
        for path in adopted:
            self.faults.pop(path, None)
            stamp, is_folder = self.store.look(path)
            if is_folder:
                scanned = self.store.scan(path)
                self.faults.update(scanned.faults)
                current.update(scanned.stamps)
            elif stamp:
                current[path] = stamp
        indexed = {path for path in folders if path in self.catalog.rows}.union(self.catalog.below(folders))
        self._take_spellings_of_disk(indexed, current)
        return sorted(indexed), current

    def _take_spellings_of_disk(self, indexed: set[str], current: dict[str, Stamp]) -> None:
        """Correct both sides on a disk that ignores case: it finds a file under the name that it had before, too."""
        disk = DiskNames(self.store.watched)
        new = [path for path in current if path not in self.catalog.rows and self.store.ignores_case(path)]
        twins = (twin for path in new for twin in (path, *self.catalog.at(fold(path))))
        for path in dict.fromkeys(twins):
            spelled = composed(disk.spelled(self.store.spelled(path)) or "")
            if spelled != path:
                stamp = current.pop(path, None)
                if stamp and spelled:
                    current[spelled] = stamp
                if path in self.catalog.rows:
                    indexed.add(path)

    def _take(self, changes: Changes, read: dict[str, CatalogRow]) -> None:
        """Apply the changes: first the rows, then the links of every note whose links may have a new meaning."""
        rows = self.catalog.rows
        before = {path: rows.get(path) for path in changes.all()} if self.observer else {}
        for path in changes.removed:
            self.catalog.remove(path)
        for path, row in read.items():
            self.catalog.put(path, row)
        if self.ready:
            self._relink(changes)
        if self.observer and before:
            self.observer({path: (row, rows.get(path)) for path, row in before.items()})

    def put(self, rows: Mapping[str, CatalogRow | None]) -> None:
        """Replace some rows, whose texts are from elsewhere than the disk; None removes a file."""
        new = {path: row for path, row in rows.items() if row is not None}
        changes = Changes(
            added=[path for path in new if path not in self.catalog.rows],
            modified=[path for path in new if path in self.catalog.rows],
            removed=[path for path in rows if path not in new and path in self.catalog.rows],
        )
        self._take(changes, new)

    def copied(self) -> "Index":
        """Return an index with these files and links that does not follow the vault."""
        other = Index(self.store, self._check_open, pages=self.catalog.pages)
        other.catalog, other.ready = self.catalog.snapshot(), self.ready
        graph = self.links.graph
        other.links.fill(graph, self._open(graph.following.items()), self._open(graph.leading.items()))
        return other

    def _relink(self, changes: Changes) -> None:
        """Update the graph after these changes of the catalog."""
        stale: set[str] = set()
        for path in [*changes.added, *changes.removed]:
            stale |= self.links.who_could_mean(path, self.catalog)
        for path in [*changes.added, *changes.modified]:
            self.links.add(path)
            stale.add(path)
        nodes = Nodes(self.catalog)
        for path in sorted(stale.difference(changes.removed)):
            self.links.set_links(path, nodes.of(path, self.catalog.facts(path)))
        for path in changes.removed:
            self.links.remove(path)

    def _row(self, path: str, stamp: Stamp) -> CatalogRow:
        """Read a file, and return its row."""
        return row_of(self._job(path, stamp)) if is_note(path) else CatalogRow(stamp)

    def _job(self, path: str, stamp: Stamp) -> Job:
        return Job(self.store.full(path), stamp, self.catalog.rows.get(path), self.store.most_bytes)


def _equal(one: CatalogRow, other: CatalogRow) -> bool:
    """Return whether two rows of a file have the same stamp, etag and readability."""
    return (one.stamp, one.etag, one.unread) == (other.stamp, other.etag, other.unread)
