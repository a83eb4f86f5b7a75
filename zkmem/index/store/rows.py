"""Save the rows of the catalog and a snapshot of the graph in the cache, and load them.

Each row is valid on its own, as long as the file has the stamp in the row, whatever other processes have written. The
snapshot is valid for the notes whose etags it holds; the links of other notes are computed again when it is loaded.
"""

import hashlib
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping

from zkmem.index.catalog import Row
from zkmem.index.graph import MISSING, UNCOUNTED
from zkmem.index.store.snapshot import Snapshot
from zkmem.markdown.note import Facts
from zkmem.vault.files import Stamp

_END = "\0"  # the end of a path: no path contains it
_LARGEST = 1 << 63  # one more than a column can hold; a file may be dated after the year 2262


def rows(connection: sqlite3.Connection) -> Iterator[tuple[str, Row]]:
    """Yield the saved notes and their rows, without damaged ones."""
    new = tuple.__new__  # the constructors of named tuples, which are written in Python, would take a fifth of the time
    for path, mtime, ctime, size, inode, *given, etag, racy, checksum in connection.execute("SELECT * FROM notes"):
        facts, unread = new(Facts, given), False
        if checksum == _checksum(*facts, etag):
            yield path, new(Row, (new(Stamp, (mtime, ctime, size, inode)), facts, unread, etag, bool(racy)))


def _checksum(characters: int, counted: str, uncounted: str, fault: str | None, callouts: str, etag: str | None) -> int:
    """Return a checksum, since SQLite has none. It leaves out the stamp: with a damaged one, a row matches no file."""
    return zlib.crc32(f"{etag} {characters} {fault} {counted}\1{uncounted}\1{callouts}".encode())


def save_rows(connection: sqlite3.Connection, rows: Mapping[str, Row | None]) -> None:
    """Save the rows of notes. Delete a note whose row is None, or that must be read again anyway."""
    saved = [
        (path, row, row.facts) for path, row in rows.items() if row and row.facts and row.etag and _fits(row.stamp)
    ]
    gone = rows.keys() - {path for path, _, _ in saved}
    connection.executemany("DELETE FROM notes WHERE path = ?", [(path,) for path in gone])
    connection.executemany(
        "INSERT OR REPLACE INTO notes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((path, *row.stamp, *facts, row.etag, row.racy, _checksum(*facts, row.etag)) for path, row, facts in saved),
    )


def _fits(stamp: Stamp) -> bool:
    return max(stamp) < _LARGEST and min(stamp) >= -_LARGEST


def save_snapshot(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Save a snapshot in place of the last one."""
    keys = [[node[1:] for node in nodes] for nodes in (snapshot.missing, snapshot.uncounted)]
    texts = [_END.join([*part, ""]) for part in (snapshot.files, snapshot.etags, *keys)]  # each ends with `_END`
    numbers = [part.tobytes() for part in (snapshot.ends, snapshot.targets, snapshot.source_ends, snapshot.sources)]
    parts: list[str | bytes] = [*texts, *numbers, sys.byteorder]
    digest = _digest(*parts)
    connection.execute("DELETE FROM snapshot")
    connection.execute("DELETE FROM derived")
    connection.execute("INSERT INTO snapshot VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*parts, digest))
    for name, data in snapshot.derived.items():
        connection.execute("INSERT INTO derived VALUES(?, ?, ?)", (name, data, _digest(digest, name, data)))


def snapshot(connection: sqlite3.Connection) -> Snapshot | None:
    """Return the saved snapshot; None if there is none, or a machine with another byte order saved it."""
    connection.execute("BEGIN")  # so that both tables are read in the same state
    try:
        row = connection.execute("SELECT * FROM snapshot").fetchone()
        derived = connection.execute("SELECT * FROM derived").fetchall()
    finally:
        connection.execute("ROLLBACK")
    if row is None or row[-2] != sys.byteorder:
        return None
    *parts, digest = row
    if _digest(*parts) != digest or any(_digest(digest, name, data) != checksum for name, data, checksum in derived):
        raise sqlite3.DatabaseError("the snapshot in it is damaged")
    texts = [text.split(_END)[:-1] for text in parts[:4]]
    missing, uncounted = [MISSING + key for key in texts[2]], [UNCOUNTED + key for key in texts[3]]
    ends, targets, source_ends, sources = (array("i", part) for part in parts[4:8])
    named = {name: data for name, data, _ in derived}
    return Snapshot(texts[0], texts[1], missing, uncounted, ends, targets, source_ends, sources, named)


def _digest(*parts: str | bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.digest()
