"""The catalog: every file of the vault by path and by name, with the facts of each note."""

import heapq
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.index.resolve import PAGE, Files
from zkmem.markdown.note import NoteFacts
from zkmem.names import base_of, below, fold, folder_of, folders_of, is_note, page_of
from zkmem.vault.files import Stamp

_FEW_PATHS = 16
LATEST_KEPT = 256
"""How many of the latest notes are kept at least, if there are as many."""
CANVAS = ".canvas"
_FEW_FOLDERS = 16
_MOST_FOLDERS = 8  # whose latest notes are kept at hand


class PathTable:
    """Paths by key. A value is the only path (nearly always), a tuple of a few, or a dictionary with many as its keys.

    So a change takes the same time whether a key has one path or 100,000. A thread may look up a key while another
    changes it: it finds the paths from before or after the change, since both make one step.
    """

    def __init__(self) -> None:
        self._paths: dict[str, str | tuple[str, ...] | dict[str, None]] = {}
        self._many: dict[str, dict[str, None]] = {}  # the dictionaries; all other values are replaced, never changed

    def snapshot(self) -> "PathTable":
        """Return a copy that does not change."""
        other = PathTable()
        other._paths, other._many = dict(self._paths), {key: dict(paths) for key, paths in self._many.items()}
        other._paths.update(other._many)
        return other

    def __getitem__(self, key: str) -> Sequence[str]:
        """Return the paths under a key, in the order in which they were added."""
        paths = self._paths.get(key)
        if paths is None:
            return ()
        return (paths,) if isinstance(paths, str) else _copied(paths)

    def add(self, key: str, path: str) -> None:
        """Add a path that is not there yet."""
        paths = self._paths.get(key)
        if paths is None:
            self._paths[key] = path
        elif isinstance(paths, str):
            self._paths[key] = (paths, path)
        elif isinstance(paths, dict):
            paths[path] = None
        elif len(paths) < _FEW_PATHS:
            self._paths[key] = (*paths, path)
        else:
            self._paths[key] = self._many[key] = dict.fromkeys((*paths, path))

    def discard(self, key: str, path: str) -> None:
        """Remove a path that is there."""
        paths = self._paths[key]
        if isinstance(paths, str):
            del self._paths[key]
        elif isinstance(paths, tuple):
            remaining = tuple([other for other in paths if other != path])
            self._paths[key] = remaining if len(remaining) > 1 else remaining[0]
        else:
            del paths[path]
            if len(paths) <= _FEW_PATHS:
                self._paths[key] = tuple(self._many.pop(key))

    def keys(self) -> Iterable[str]:
        """Return all keys."""
        return self._paths.keys()

    def several(self) -> Iterator[Sequence[str]]:
        """Yield the paths under each key that has more than one."""
        return (_copied(paths) for paths in self._paths.values() if not isinstance(paths, str))


def _copied(paths: tuple[str, ...] | dict[str, None]) -> tuple[str, ...]:
    """Return the paths as they are at one moment."""
    # A list takes its memory before it reads. A tuple takes it while it reads, which may start the garbage collector,
    # and the collector may let another thread change the dictionary.
    return tuple(list(paths)) if isinstance(paths, dict) else paths  # noqa: C414


class Latest:
    """The notes below a folder that changed last, so that a list of them does not need the time of every note.

    Its owner reports each change of a file.
    """

    def __init__(self, folder: str, files: Iterable[tuple[str, int]]) -> None:
        """Read all files of the vault: their paths, and the times of their last changes."""
        self._folder = folder
        self._times: dict[str, int] = {}
        self._before: int | None = None  # the time of the latest note that is left out; None if none is
        self._keep((time, path) for path, time in files if self._has(path))

    def put(self, path: str, time: int) -> None:
        """Record that a file was added, or changed at this time."""
        if not self._has(path):
            return
        if self._before is not None and time <= self._before:
            self._times.pop(path, None)
            return
        self._times[path] = time
        if len(self._times) > 2 * LATEST_KEPT:
            self._keep((time, path) for path, time in self._times.items())

    def remove(self, path: str) -> None:
        """Record that a file was removed."""
        self._times.pop(path, None)

    def first(self, count: int) -> list[str] | None:
        """Return the `count` notes that changed last, the latest first; None if fewer are known."""
        if self._before is not None and len(self._times) < count:
            return None
        return [path for _, path in heapq.nlargest(count, ((time, path) for path, time in self._times.items()))]

    def _keep(self, dated: Iterable[tuple[int, str]]) -> None:
        """Keep the latest of some notes, and forget the others."""
        latest = heapq.nlargest(LATEST_KEPT + 1, dated)
        self._times = {path: time for time, path in latest[:LATEST_KEPT]}
        if len(latest) > LATEST_KEPT:
            self._before = latest[LATEST_KEPT][0]

    def _has(self, path: str) -> bool:
        return below(path, self._folder) and is_note(path)


class CatalogRow(NamedTuple):
    """One file: its stamp, and its facts if it is a note that has been read."""

    stamp: Stamp
    facts: NoteFacts | None = None
    unread: bool = False  # whether it is a note that cannot be read
    etag: str | None = None  # the etag of a note that has been read
    racy: bool = False  # whether it was written so recently that its stamp may not show a later write


class Changes(NamedTuple):
    """The paths of the files that have changed."""

    added: list[str]
    modified: list[str]
    removed: list[str]

    def all(self) -> list[str]:
        """Return every path that has changed."""
        return [*self.added, *self.modified, *self.removed]


class Catalog:
    """The files of the vault. They are looked up by folded path (NFC, lower case), which several may share."""

    def __init__(self, *, pages: bool = False) -> None:
        """`pages`: whether a link may also mean a file by the title of its page in Logseq."""
        self.pages = pages
        self.rows: dict[str, CatalogRow] = {}
        self.canvases: set[str] = set()
        self.unread: set[str] = set()  # notes that cannot be read
        self.folders: dict[str, int] = {}  # folders with files below them -> number of files and such folders in them
        self._at = PathTable()
        self._named = PathTable()
        self._folders_at = PathTable()
        self._latest: OrderedDict[str, Latest] = OrderedDict()  # by folder, the one that was used last at the end

    def snapshot(self) -> "Catalog":
        """Return a copy that does not change. For 100,000 files this takes some 10 ms."""
        other = Catalog(pages=self.pages)
        other.rows, other.folders = dict(self.rows), dict(self.folders)
        other.canvases, other.unread = set(self.canvases), set(self.unread)
        other._at, other._named, other._folders_at = (
            paths.snapshot() for paths in (self._at, self._named, self._folders_at)
        )
        return other

    def fill(self, stamps: Iterable[tuple[str, Stamp]]) -> None:
        """Fill an empty catalog with files whose facts are not known yet."""
        rows, at, named = self.rows, self._at, self._named
        for path, stamp in stamps:  # calling `put` for each file would take twice as long
            rows[path] = CatalogRow(stamp)
            folded = fold(path)
            if folded == path:
                folded = path  # one string in memory, not two
            folder, _, base = folded.rpartition("/")
            if folder:
                self._enter(folder_of(path))
            at.add(folded, path)
            named.add(base, path)
            if self.pages and (page := page_of(folded)):
                named.add(PAGE + fold(page), path)
            if folded.endswith(CANVAS):
                self.canvases.add(path)

    def put(self, path: str, row: CatalogRow) -> None:
        """Add a file, or replace its row."""
        if path not in self.rows:
            folded = fold(path)
            self._enter(folder_of(path))
            self._at.add(folded, path)
            for key in _keys(folded, pages=self.pages):
                self._named.add(key, path)
            if folded.endswith(CANVAS):
                self.canvases.add(path)
        self.rows[path] = row
        (self.unread.add if row.unread else self.unread.discard)(path)
        for latest in self._latest.values():
            latest.put(path, row.stamp.mtime_ns)

    def remove(self, path: str) -> None:
        """Remove a file."""
        del self.rows[path]
        self.canvases.discard(path)
        self.unread.discard(path)
        folded = fold(path)
        self._at.discard(folded, path)
        for key in _keys(folded, pages=self.pages):
            self._named.discard(key, path)
        self._leave(folder_of(path))
        for latest in self._latest.values():
            latest.remove(path)

    def _enter(self, folder: str) -> None:
        """Count one more file or folder in a folder."""
        while folder:
            count = self.folders[folder] = self.folders.get(folder, 0) + 1
            if count > 1:
                return
            self._folders_at.add(fold(folder), folder)
            folder = folder_of(folder)

    def _leave(self, folder: str) -> None:
        """Count one file or folder less in a folder."""
        while folder:
            self.folders[folder] -= 1
            if self.folders[folder]:
                return
            del self.folders[folder]
            self._folders_at.discard(fold(folder), folder)
            folder = folder_of(folder)

    def at(self, folded: str) -> Sequence[str]:
        """Return the paths that fold to this path."""
        return self._at[folded]

    def named(self, folded: str) -> Sequence[str]:
        """Return the paths whose last component folds to this one."""
        return self._named[folded]

    def has_namesakes(self) -> bool:
        """Return whether any two files have one last component, so that a link may be ambiguous."""
        return next(self._named.several(), None) is not None

    def bases(self) -> Iterable[str]:
        """Return the folded last components of all paths, each once."""
        bases = self._named.keys()
        return (base for base in bases if not base.startswith(PAGE)) if self.pages else bases

    def folders_at(self, folded: str) -> Sequence[str]:
        """Return the folders with files below them that fold to this path."""
        return self._folders_at[folded]

    def below(self, folders: Collection[str]) -> list[str]:
        """Return the paths below any of these folders."""
        folders = {folder for folder in folders if not folder or folder in self.folders}
        if "" in folders:
            return list(self.rows)
        if not folders:
            return []
        if len(folders) <= _FEW_FOLDERS:  # faster: one call of a C function for each path
            beginnings = tuple(folder + "/" for folder in folders)
            return [path for path in self.rows if path.startswith(beginnings)]
        return [path for path in self.rows if any(folder in folders for folder in folders_of(path))]

    def __contains__(self, path: object) -> bool:
        """Return whether there is a file at this path."""
        return path in self.rows

    def notes(self) -> Iterator[str]:
        """Return the paths of the notes."""
        return (path for path in self.rows if is_note(path))

    def note_count(self, folder: str = "") -> int:
        """Return how many notes are below a folder."""
        return sum(1 for path in self.notes() if below(path, folder))

    def latest(self, count: int, folder: str = "") -> list[str]:
        """Return the notes below a folder that changed last, at most `count` and `LATEST_KEPT`, the latest first."""
        count, latest = min(count, LATEST_KEPT), self._latest.pop(folder, None)
        first = latest.first(count) if latest else None
        if latest is None or first is None:
            latest = Latest(folder, ((path, row.stamp.mtime_ns) for path, row in self.rows.items()))
            first = latest.first(count)
        self._latest[folder] = latest
        if len(self._latest) > _MOST_FOLDERS:
            self._latest.popitem(last=False)
        return first or []

    def facts(self, path: str) -> NoteFacts:
        """Return the facts of a note; empty facts for another file."""
        row = self.rows.get(path)
        return row.facts if row and row.facts else NoteFacts()

    def twins(self) -> Iterator[Sequence[str]]:
        """Yield each group of paths that differ only in case or in Unicode form."""
        return self._at.several()

    def twin_folders(self) -> Iterator[Sequence[str]]:
        """Yield each group of folders beside each other whose names differ only in case or in Unicode form."""
        for folders in self._folders_at.several():
            within: dict[str, list[str]] = {}
            for folder in folders:
                within.setdefault(folder_of(folder), []).append(folder)
            yield from (twins for twins in within.values() if len(twins) > 1)


def _keys(folded: str, *, pages: bool) -> Iterator[str]:
    """Yield the names by which the file at a folded path is found: its last component, and the title of its page."""
    yield base_of(folded)
    if pages and (page := page_of(folded)):
        yield PAGE + fold(page)


class Visible:
    """The files of a catalog that a caller may know of, with methods to look up names among them."""

    def __init__(self, catalog: Catalog, has: Callable[[str], bool]) -> None:
        """Restrict the catalog; `has` returns whether the caller may know of the file at a path."""
        self._catalog = catalog
        self._has = has
        self.pages = catalog.pages

    def __contains__(self, path: object) -> bool:
        """Return whether there is a visible file at this path."""
        return isinstance(path, str) and self._has(path) and path in self._catalog

    def at(self, folded: str) -> Sequence[str]:
        """Return the visible paths that fold to this path."""
        return list(filter(self._has, self._catalog.at(folded)))

    def named(self, folded: str) -> Sequence[str]:
        """Return the visible paths whose last component folds to this one."""
        return list(filter(self._has, self._catalog.named(folded)))

    def bases(self) -> Iterable[str]:
        """Return the folded last components of the visible paths, each once."""
        return (base for base in self._catalog.bases() if any(map(self._has, self._catalog.named(base))))

    def folders_at(self, folded: str) -> Sequence[str]:
        """Return the folders that fold to this path and could hold visible files."""
        return [folder for folder in self._catalog.folders_at(folded) if self._has(f"{folder}/")]


class ProjectedCatalog:
    """Files as an edit will leave them, with some moved, removed and added. For the resolver, without a copy."""

    def __init__(self, catalog: Files, moves: Mapping[str, str | None], born: Iterable[str] = ()) -> None:
        """Apply `moves` (old path -> new path, or None for a removed file) and the new paths `born`."""
        self._catalog = catalog
        self.pages = catalog.pages
        self._gone = frozenset(moves)
        come = {path for path in [*moves.values(), *born] if path is not None}
        self.come = sorted(path for path in come if path in self._gone or path not in catalog.at(fold(path)))
        self._at, self._named = PathTable(), PathTable()
        for path in self.come:
            self._at.add(fold(path), path)
            for key in _keys(fold(path), pages=self.pages):
                self._named.add(key, path)

    def at(self, folded: str) -> Sequence[str]:
        """Return the paths that will fold to this path."""
        return [*self._remaining(self._catalog.at(folded)), *self._at[folded]]

    def named(self, folded: str) -> Sequence[str]:
        """Return the paths whose last component will fold to this one."""
        return [*self._remaining(self._catalog.named(folded)), *self._named[folded]]

    def _remaining(self, paths: Sequence[str]) -> list[str]:
        return [path for path in paths if path not in self._gone]
