"""The cache: one SQLite file for each vault, in the user's cache folder. Disposable: the files of the vault win.

It holds the text of notes, so nobody but its user may read it. Any doubt about it (damage, another version) is
answered by dropping it; where it cannot be kept at all, a database in memory takes the place of the search's part.
"""

import contextlib
import fcntl
import functools
import hashlib
import logging
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

from zkmem.index.store import fulltext, rows
from zkmem.vault.mounts import is_remote

SCHEMA = 4  # to be raised with every change to a table, or to how what is in it is made

PATIENCE_MS = 5_000  # how long to wait for another process that writes
_IMPATIENT_MS = 50  # how long for one that was waited for in vain
_ALONE_S = 2.0  # how long for one that makes or drops the file
_PAUSE_S = 0.002
_DAMAGED = {  # a file that was cut short may end in an error of input
    sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_IOERR,
}  # fmt: skip
_MEMORY = ":memory:"
_TABLES = f"{rows.TABLES};{fulltext.TABLES}"


class NoCache(Exception):
    """There can be no file to keep anything in, and why."""


_log = logging.getLogger(__name__)
_T = TypeVar("_T")


def cache_file(root: str) -> str:
    """Where the cache of the vault at `root` is; that is an absolute path without symlinks."""
    import platformdirs  # noqa: PLC0415 - it takes longer than the reading of a note, which does without it

    key = hashlib.blake2b(os.fsencode(root), digest_size=16).hexdigest()
    return os.path.join(platformdirs.user_cache_dir("zkmem", appauthor=False), f"{key}.sqlite3")


class Cache:
    """A database that may vanish at any time: opened when it is first used, made anew when it is damaged.

    Not thread-safe, but it may go from one thread to another.
    """

    def __init__(self, path: str | Callable[[], str], patience_ms: int = PATIENCE_MS) -> None:
        """The cache in this file, or one that is told when it is needed; so long it waits for others that write."""
        self._patience_ms = patience_ms
        self.generation = 0  # another number, another database: nothing that was put into the last one is in it
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._seen = 0  # the inode of the file that is, or was last, open

    def use(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do some work on the database; again on a new one if it proves damaged.

        The work must look at `generation`, to find out what the database may lack.

        Raises:
            NoCache: when the disk refuses.
            sqlite3.OperationalError: when another process writes for long; see `is_busy`.
        """
        try:
            return work(self._open())
        except sqlite3.Error as error:
            self._drop(error)
        try:
            return work(self._open())
        except sqlite3.Error as error:
            self._give_up(error)

    def tell(self, error: Exception) -> None:
        """Say that there can be no file; once, though several caches of a process share one."""
        _tell_once(self._path, str(error))

    def close(self) -> None:
        """Let go of the file."""
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
        """Where the file is, which is there and private then.

        Raises:
            NoCache: when the disk refuses.
        """
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
        """Begin anew, if an error is about what is in the file."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code not in _DAMAGED or self._path == _MEMORY:
            self._give_up(error)
        self.close()
        _log.info("The cache %s is built anew: %s.", self._path, error)
        path = str(self._path)
        try:
            with _alone(path):
                if _inode(path) == self._seen:  # else another process has made it anew, and works with it
                    for suffix in ("", "-wal", "-shm"):
                        with contextlib.suppress(FileNotFoundError):
                            os.remove(path + suffix)
        except OSError as refusal:
            raise NoCache(refusal.strerror or str(refusal)) from refusal


class SpareCache(Cache):
    """A cache whose place a database in memory takes, where there can be no file."""

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
def _tell_once(path: object, reason: str) -> None:
    _log.warning("There is no cache at %s: %s. All works without it, but slower.", path, reason)


def _prepare(connection: sqlite3.Connection, patience_ms: int) -> None:
    """See that the database is one of ours, with its tables."""
    connection.execute(f"PRAGMA busy_timeout = {_IMPATIENT_MS}")
    with _unless_busy():  # another process makes it one
        connection.execute("PRAGMA journal_mode = WAL")
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


@contextlib.contextmanager
def _alone(path: str) -> Iterator[None]:
    """See that nobody else makes or drops the file meanwhile; given up after a while, since somebody may be stuck."""
    try:  # the folder's: of the file itself SQLite has locks, which it would lose
        handle = os.open(os.path.dirname(path), os.O_RDONLY)
    except OSError:  # there is no folder, and no file
        yield
        return
    try:
        deadline = time.monotonic() + _ALONE_S
        while not _locked(handle) and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody else has it, or the file system knows no locks
        return False
    return True


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _make_private(path: str) -> None:
    """Make the file and its folder, for their user alone; SQLite gives its other files the same mode.

    Raises:
        OSError: when the disk refuses.
    """
    folder = os.path.dirname(path)
    if not os.path.isabs(folder):
        raise FileNotFoundError("there is no cache folder")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if is_remote(folder):
        raise OSError("it is on a network drive, where SQLite cannot keep processes apart")
    os.chmod(folder, 0o700)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:  # never opened here: to close it would give up the locks that SQLite has on it (POSIX)
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise
        os.chmod(path, 0o600)


def is_busy(error: Exception) -> bool:
    """Whether the error is that another process writes."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


@contextlib.contextmanager
def _unless_busy() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise


@contextlib.contextmanager
def writing(connection: sqlite3.Connection, patience_ms: int = PATIENCE_MS) -> Iterator[None]:
    """One transaction, in which no other process writes; taken back if it fails."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if is_busy(error):  # it may be stuck: who comes next need not wait as long
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
