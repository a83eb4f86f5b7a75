"""The cache: one SQLite file for each vault, in the user's cache folder. It can be deleted: the vault's files win.

It holds the text of notes, so only its user may read it. A cache that is damaged, or of another version, is deleted and
built again. If there can be no file, search uses a database in memory instead.
"""

import contextlib
import functools
import hashlib
import logging
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

from zkmem.util.locks import Turn, locked_folder
from zkmem.vault import platform

SCHEMA = 17  # raise it with every change to a table, or to how its contents are computed

PATIENCE_MS = 5_000  # how long to wait for another process that is writing
_IMPATIENT_MS = 50  # how long to wait after a wait in vain
_LOG_BYTES = 10_000_000  # the log of changes (WAL) is cut to this size whenever it begins again
_ALONE_S = 2.0  # how long to wait for a process that creates or deletes the file
_DAMAGED = {  # a file that was cut short may end in an error of input
    sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_IOERR,
}  # fmt: skip
_MEMORY = ":memory:"

_INDEX_TABLES = """
CREATE TABLE notes(
    path TEXT PRIMARY KEY, mtime_ns INTEGER, ctime_ns INTEGER, size INTEGER, inode INTEGER,
    characters INTEGER, counted TEXT, uncounted TEXT, fault TEXT, callouts TEXT, etag TEXT, racy INTEGER, mark INTEGER
) WITHOUT ROWID;
CREATE TABLE snapshot(
    files TEXT, etags TEXT, missing TEXT, uncounted TEXT, ends BLOB, targets BLOB, source_ends BLOB, sources BLOB,
    byteorder TEXT, digest BLOB
);
CREATE TABLE derived(name TEXT PRIMARY KEY, data BLOB, digest BLOB)
"""
"""The tables of the notes and their links."""

SEARCH_TABLES = """
CREATE TABLE search_notes(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, date TEXT NOT NULL, dated TEXT NOT NULL,
    fields TEXT NOT NULL
);
CREATE INDEX search_dates ON search_notes(date);
CREATE TABLE search_texts(id INTEGER PRIMARY KEY, words BLOB NOT NULL);
CREATE TABLE search_facts(key TEXT, value TEXT, id INTEGER, PRIMARY KEY(key, value, id)) WITHOUT ROWID;
CREATE TABLE search_size(words INTEGER NOT NULL);
INSERT INTO search_size VALUES(0);
CREATE VIRTUAL TABLE search_words USING fts5(title, text, marks, content = '', tokenize = 'ascii');
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864);
CREATE TABLE search_vocabulary(id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE search_grams USING fts5(grams, content = '', columnsize = 0, detail = none, tokenize = 'ascii')
"""
"""The tables of the search index."""

_TABLES = f"{_INDEX_TABLES};{SEARCH_TABLES}"
_FOLDER_KEPT_S = 30 * 86_400
_FILES = ("", "-wal", "-shm")  # the files of one database


class NoCache(Exception):
    """There can be no cache file; the message says why."""


_log = logging.getLogger(__name__)
_T = TypeVar("_T")


def cache_file(root: str) -> str:
    """Return the path of the cache of the vault at `root`, an absolute path without symlinks."""
    import platformdirs  # noqa: PLC0415 - importing it takes longer than reading a note, which does not need it

    key = hashlib.blake2b(os.fsencode(root), digest_size=16).hexdigest()
    return os.path.join(platformdirs.user_cache_dir("zkmem", appauthor=False), f"{key}.sqlite3")


class Cache:
    """A database that may be deleted at any time. It is opened when it is first used, and made again if damaged.

    Not thread-safe, but one thread may use it after another.
    """

    def __init__(self, path: str | Callable[[], str], patience_ms: int = PATIENCE_MS) -> None:
        """Remember the path, or a function that returns it; open nothing yet.

        `patience_ms`: how long to wait for another process that is writing.
        """
        self._patience_ms = patience_ms
        self.generation = 0  # changes when the database is opened, which may then be a new and empty one
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._seen = 0  # the inode of the file that is, or was last, open

    def use(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do some work on the database; if it is damaged, do the work again on a new one.

        The work must compare `generation` to find out whether the database lacks earlier data.
        """
        try:
            return work(self._open())
        except sqlite3.Error as error:
            self._drop(error)
        except UnicodeDecodeError as error:  # SQLite reports what is damaged with the damaged text
            self._drop(sqlite3.DatabaseError(str(error)))
        try:
            return work(self._open())
        except sqlite3.Error as error:
            self._give_up(error)

    def another(self) -> sqlite3.Connection | None:
        """Return one more connection to the same file, for reading; None without a file, or if it was replaced."""
        if self._connection is None or self._path == _MEMORY or _inode(str(self._path)) != self._seen:
            return None
        try:
            return sqlite3.connect(
                str(self._path), timeout=_IMPATIENT_MS / 1000, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error:
            return None

    def log_bytes(self) -> int:
        """Return the size of the log of changes (WAL) that readers of earlier states keep from being emptied."""
        with contextlib.suppress(OSError):
            return os.stat(f"{self._path}-wal").st_size
        return 0

    def tell(self, error: Exception) -> None:
        """Log that there can be no file; only once for each path and reason in a process."""
        _warn_once(self._path, str(error))

    def close(self) -> None:
        """Close the file."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            path = self._find()
            with _alone(path):
                self._seen = _inode(path)
                connection = sqlite3.connect(
                    path, timeout=self._patience_ms / 1000, isolation_level=None, check_same_thread=False
                )
                try:
                    _prepare(connection, self._patience_ms)
                except BaseException:
                    connection.close()
                    raise
            self._connection = connection
            self.generation += 1
        return self._connection

    def _find(self) -> str:
        """Create the file if needed, make it private, and return its path."""
        if not isinstance(self._path, str):
            self._path = self._path()
        if self._path != _MEMORY:
            try:
                _make_private(self._path)
            except OSError as error:
                raise NoCache(error.strerror or str(error)) from error
        return self._path

    def _give_up(self, error: sqlite3.Error) -> NoReturn:
        if is_busy(error):
            raise error
        self.close()
        raise NoCache(str(error)) from error

    def _drop(self, error: sqlite3.Error) -> None:
        """Delete the file if it is damaged; raise any other error."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code not in _DAMAGED or self._path == _MEMORY:
            self._give_up(error)
        self.close()
        _log.info("The cache %s is built anew: %s.", self._path, error)
        path = str(self._path)
        try:
            with _alone(path):
                if _inode(path) == self._seen:  # else another process has replaced it, and uses the new one
                    for part in _FILES:
                        with contextlib.suppress(FileNotFoundError):
                            os.remove(path + part)
        except OSError as refusal:
            raise NoCache(refusal.strerror or str(refusal)) from refusal


class SpareCache(Cache):
    """A cache that uses a database in memory if there can be no file."""

    def use(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do some work on the database, as `Cache` does."""
        try:
            return super().use(work)
        except (NoCache, sqlite3.OperationalError) as error:
            if self._path == _MEMORY:
                raise
            self.tell(error)
            self._path = _MEMORY
        return super().use(work)


@functools.cache
def _warn_once(path: object, reason: str) -> None:
    _log.warning("There is no cache at %s: %s. All works without it, but slower.", path, reason)


def _prepare(connection: sqlite3.Connection, patience_ms: int) -> None:
    """Set up the connection, and create the tables if the database is new."""
    connection.execute(f"PRAGMA busy_timeout = {_IMPATIENT_MS}")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
    except sqlite3.OperationalError as error:
        if not is_busy(error):  # else another process sets the mode
            raise
    connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA:
        return
    with writing(connection, patience_ms):
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == SCHEMA:  # another process was faster
            return
        if version or connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise sqlite3.DatabaseError(f"its version is {version}, not {SCHEMA}")
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _alone(path: str) -> contextlib.AbstractContextManager[Turn]:
    """Keep other processes from creating or deleting the file; go on without that after `_ALONE_S`."""
    # lock the folder: SQLite has locks on the file, and closing the file here would release them
    return locked_folder(os.path.dirname(path), _ALONE_S)


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _make_private(path: str) -> None:
    """Create the file and its folder for the user alone. SQLite gives its other files the same mode."""
    folder = os.path.dirname(path)
    if not os.path.isabs(folder):
        raise FileNotFoundError("there is no cache folder")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if platform.current.is_remote(folder):
        raise OSError("it is on a network drive, where SQLite cannot keep processes apart")
    os.chmod(folder, 0o700)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:  # do not open it: closing it would release the locks that SQLite has on it (POSIX)
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise
        os.chmod(path, 0o600)


def is_busy(error: Exception) -> bool:
    """Return whether an error means that another process is writing."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


@contextlib.contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one transaction, in which the changes of other processes are not seen."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextlib.contextmanager
def writing(connection: sqlite3.Connection, patience_ms: int = PATIENCE_MS) -> Iterator[None]:
    """Run the block as one transaction, in which no other process writes; roll back if the block fails."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if is_busy(error):  # the other process may be stuck, so the next call waits for less time
            connection.execute(f"PRAGMA busy_timeout = {_IMPATIENT_MS}")
        raise
    try:
        connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def folder_cache(root: str, folder: str) -> str:
    """Return the path of the cache for a folder of the vault at `root`; delete old caches of other folders.

    A caller who may see only one folder searches a separate index, in a file beside the cache of the vault. It is
    deleted if it has not been used for 30 days, for example because the caller's token was removed.
    """
    import glob  # noqa: PLC0415 - only a caller who may see one folder needs it

    vault = cache_file(root).removesuffix(".sqlite3")
    key = hashlib.blake2b(folder.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    path = f"{vault}-{key}.sqlite3"
    with contextlib.suppress(OSError):  # there is none yet
        os.utime(path)
    for other in glob.iglob(f"{glob.escape(vault)}-*.sqlite3"):
        if _last_used(other) < time.time() - _FOLDER_KEPT_S:
            _remove_database(other)
    return path


def _last_used(path: str) -> float:
    """Return when a database was last opened or written, in seconds since 1970."""
    times = [0.0]
    for part in _FILES:
        with contextlib.suppress(OSError):
            times.append(os.stat(path + part).st_mtime)
    return max(times)


def _remove_database(path: str) -> None:
    for part in _FILES:
        with contextlib.suppress(OSError):
            os.remove(path + part)
