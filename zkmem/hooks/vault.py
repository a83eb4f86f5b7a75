"""Read notes and the log of a vault without an index of links: a hook has no time to build one.

A note is found by its path, or in the cache, which other processes have written. Private notes are never read.
"""

import contextlib
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import quote

from zkmem.index.store.database import SCHEMA, cache_file
from zkmem.markdown import frontmatter
from zkmem.names import NOTE_SUFFIX, base_of, below, fold, is_note, name_of, normal, path_of
from zkmem.vault.files import MOST_BYTES, read
from zkmem.vault.journal.log import AWAY, HAND, Edit, Log
from zkmem.vault.journal.outside import OutsideLog
from zkmem.vault.journal.state import StateFolder
from zkmem.vault.paths import is_hidden, is_inside

_T = TypeVar("_T")

_MOST_EDITS = 1_000  # of each log, from its end
_MOST_PATHS = 20
_MOST_ENTRIES = 1_000  # of a folder, without an index
_LONGEST = 120  # characters of a name that is given
_MAY_BE_PRIVATE = (b"private", b"knowledge_vault")
_PERSON = ("page", "command line")  # the clients through which a person edits
_BY_PATTERNS = r"""
SELECT path FROM search_notes
WHERE path LIKE ? ESCAPE '\' OR path LIKE ? ESCAPE '\' OR path LIKE ? ESCAPE '\' OR path LIKE ? ESCAPE '\' LIMIT ?
"""


class Glance(Protocol):
    """A look at the search index as it is."""

    def __call__(self, work: Callable[[sqlite3.Connection], _T], /) -> _T | None:
        """Return the result of `work` on a connection to the index; None if there is none, or it cannot be read."""


class HookVault(NamedTuple):
    """The notes below a folder of a vault, as a hook may read them."""

    root: str  # the real path of the vault
    folder: str  # "" stands for the whole vault
    glance: Glance
    read_file: Callable[[str], bytes]  # returns the bytes of a file, or raises `OSError`

    def read(self, path: str) -> bytes:
        """Return the bytes of a note."""
        if not (is_note(path) and is_inside(path) and below(path, self.folder)) or is_hidden(path):
            raise FileNotFoundError(path)
        data = self.read_file(path)
        if _is_private(path, data):
            raise PermissionError(path)
        return data

    def body(self, path: str) -> str | None:
        """Return the text of a note without its properties; None if it may not be given to a model, or has none."""
        try:
            data = self.read(path)
        except (OSError, ValueError):  # no file can have some paths
            return None
        return data[frontmatter.split(data)[2] :].decode(errors="replace").strip() or None

    def named(self, base: str) -> list[str]:
        """Return the paths of the notes with a name, in any folder, then of the notes in folders with that name.

        Without an index, look only at the top of the vault and in the folders there.
        """
        base = normal(base)
        if not base or not is_inside(base) or base.startswith("."):
            return []
        first = f"{self.folder}/{base}{NOTE_SUFFIX}".removeprefix("/")
        at_top = [first] if self.body(first) is not None else []
        like = base.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        patterns = (f"{like}{NOTE_SUFFIX}", f"%/{like}{NOTE_SUFFIX}", f"{like}/%", f"%/{like}/%")

        def find(connection: sqlite3.Connection) -> list[str]:
            return [path for (path,) in connection.execute(_BY_PATTERNS, (*patterns, _MOST_PATHS))]

        paths = self.glance(find)
        hits = sorted(
            self._near_the_top(base) if paths is None else paths,
            key=lambda path: (fold(base_of(name_of(path))) != fold(base), path),
        )
        return list(dict.fromkeys([*at_top, *hits]))

    def _near_the_top(self, base: str) -> Iterator[str]:
        """Yield the paths of notes with a name, and of notes in folders with that name, without an index."""
        top = f"{self.folder}/".removeprefix("/")
        for place in (top, *(f"{top}{name}/" for name in self._entries(top, folders=True))):
            if os.path.lexists(f"{self.root}/{place}{base}{NOTE_SUFFIX}"):
                yield f"{place}{base}{NOTE_SUFFIX}"
            yield from (f"{place}{base}/{name}" for name in self._entries(f"{place}{base}", folders=False))

    def _entries(self, folder: str, *, folders: bool) -> list[str]:
        """Return the names of folders or files in a folder, without hidden ones. At most `_MOST_ENTRIES` are read."""
        with contextlib.suppress(OSError), os.scandir(f"{self.root}/{folder}") as entries:
            some = itertools.islice(entries, _MOST_ENTRIES)
            is_one = os.DirEntry.is_dir if folders else os.DirEntry.is_file
            return sorted(one.name for one in some if one.name[0] != "." and is_one(one, follow_symlinks=False))
        return []

    def allowed_at(self, paths: Iterable[str], most: int) -> list[str]:
        """Return the names of the first `most` notes at these paths that may be given to a model."""
        fit = (path for path in paths if is_linkable(path) and self.body(path) is not None)
        return list(map(name_of, itertools.islice(fit, most)))

    def allowed_names(self, names: Iterable[str], most: int) -> list[str]:
        """Return the first `most` of some names, as a client has used them, whose notes may be given to a model."""
        linkable = [name for name in names if name and is_linkable(name)]
        elsewhere = {name for name in linkable if not os.path.lexists(f"{self.root}/{path_of(name)}")}
        places = dict[str, str]()

        def find(connection: sqlite3.Connection) -> None:
            for (path,) in connection.execute("SELECT path FROM search_notes"):
                name = name_of(path)
                places.update((one, path) for one in (name, base_of(name)) if one in elsewhere)

        if elsewhere:
            self.glance(find)
        fit = (name for name in linkable if self.body(places.get(name, path_of(name))) is not None)
        return list(itertools.islice(fit, most))

    def changed_by_person(self, log_name: str) -> list[str]:
        """Return the paths of the notes that the person has changed since a client's last edit, the newest first.

        There are none if the client has made no edit. `log_name`: how its name begins.
        """
        last = next((edit for edit in self._edits("log") if _is_by(edit, log_name)), None)
        if last is None:
            return []
        later = [
            edit
            for name in ("log", "outside")
            for edit in itertools.takewhile(lambda edit: edit.number > last.number, self._edits(name))
            if _program(edit) in _PERSON or edit.outside in (HAND, AWAY)
        ]
        later.sort(key=lambda edit: -edit.number)
        return list(dict.fromkeys(path for edit in later for path, etag in edit.etags().items() if etag))

    def has_written(self, log_name: str, since: float) -> bool:
        """Return whether a client has made an edit since a time in seconds since 1970."""
        edits = itertools.takewhile(lambda edit: edit.time >= since, self._edits("log"))
        return any(_is_by(edit, log_name) for edit in edits)

    def _edits(self, name: str) -> Iterator[Edit]:
        """Return the last edits of a log, the newest first."""
        state = StateFolder(self.root)
        log = OutsideLog(state) if name == "outside" else Log(state)
        return itertools.islice(log.backwards(), _MOST_EDITS)


def is_linkable(name: str) -> bool:
    """Return whether a name is short, in one line, and stays inside `[[...]]`."""
    return name.isprintable() and len(name) <= _LONGEST and "]]" not in name


def local(root: str, folder: str = "") -> HookVault:
    """Return the notes below a folder of the vault at a real path, as this process finds them without an index."""
    return HookVault(root, folder, _in_cache(root, folder), lambda path: read(f"{root}/{path}", MOST_BYTES)[0])


def _in_cache(root: str, folder: str) -> Glance:
    """Return a function that reads the search index in the cache of a vault, as other processes have left it."""

    def glance(work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        with contextlib.suppress(sqlite3.Error, OSError, UnicodeDecodeError):
            address = f"file:///{quote(_cache(root, folder).replace(os.sep, '/').lstrip('/'))}?mode=ro"
            with contextlib.closing(sqlite3.connect(address, timeout=0.05, isolation_level=None, uri=True)) as one:
                if one.execute("PRAGMA user_version").fetchone()[0] == SCHEMA:
                    return work(one)
        return None

    return glance


def _cache(root: str, folder: str) -> str:
    if not folder:
        return cache_file(root)
    from zkmem.index.store.database import folder_cache  # noqa: PLC0415 - few hooks are for one folder

    return folder_cache(root, folder)


def _is_private(path: str, data: bytes) -> bool:
    """Return whether a note is private. Most notes have neither of two words; for these, nothing is imported."""
    text = data.lower()
    if not any(word in text for word in _MAY_BE_PRIVATE) and "knowledge_vault" not in path.lower():
        return False
    from zkmem.markdown.private import is_private  # noqa: PLC0415 - see above

    return is_private(path, data)


def _is_by(edit: Edit, log_name: str) -> bool:
    return _program(edit).startswith(log_name)


def _program(edit: Edit) -> str:
    """Return the name of the program that made an edit, without the name of a token before it."""
    return edit.client.rpartition(": ")[2]
