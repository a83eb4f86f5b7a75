"""Read notes into rows for the index. Up to four other processes read them if there are many."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from zkmem.index.catalog import CatalogRow
from zkmem.markdown.note import NoteFacts, parse
from zkmem.util.workers import cores
from zkmem.vault import files, platform
from zkmem.vault.files import MOST_BYTES, LargeFile, Stamp, etag

_MANY = 20_000  # notes; reading so many takes longer than starting the processes
_SLICE = 64
_SLICE_SENT = 512
_NEEDED = ("pyromark", "yaml")  # the installed packages that this module imports


class Job(NamedTuple):
    """A note to be read: its full path, its stamp, and its last known row."""

    full: str
    stamp: Stamp
    known: CatalogRow | None = None
    most: int = MOST_BYTES  # a larger one is not read


def row_of(job: Job) -> CatalogRow:
    """Read a note, and return its row. For a note that cannot be read, the row has a fault and no links.

    The row of a note that is too large also has a fault and no links, and its count of characters is its size in bytes.
    Such a note is read again only when its stamp has changed.
    """
    now = time.time_ns()  # before the read: a write during the read must make the row racy
    try:
        data, stamp = files.read(job.full, job.most)
    except LargeFile as error:
        size, fault = max(job.stamp.size, job.most + 1), f"{error.strerror}: its links are not read"
        return CatalogRow(job.stamp, NoteFacts(characters=size, fault=fault), racy=job.stamp.is_racy(now))
    except OSError as error:
        return CatalogRow(job.stamp, NoteFacts(fault=f"cannot be read: {error.strerror or error}"), unread=True)
    return row_with(data, stamp, job.known, racy=stamp.is_racy(now))


def row_with(data: bytes, stamp: Stamp, known: CatalogRow | None = None, *, racy: bool) -> CatalogRow:
    """Return the row of a note with these bytes. If its last `known` row has their etag, they are not parsed again."""
    tag = etag(data)
    facts = known.facts if known and known.facts and tag == known.etag else parse(data)
    return CatalogRow(stamp, facts, etag=tag, racy=racy)


def rows_of(jobs: Sequence[Job]) -> Iterator[list[CatalogRow]]:
    """Read notes; yield their rows in order, some at a time."""
    if len(jobs) < _MANY or cores() < 2:
        yield from map(_rows, _parts(jobs, _SLICE))
        return
    from zkmem.util.workers import Workers  # noqa: PLC0415 - seldom needed

    with Workers(__name__, _NEEDED, _answer) as workers:
        for answer in workers.answers(list(map(_plain_job, part)) for part in _parts(jobs, _SLICE_SENT)):
            yield list(map(_row, answer))


def _rows(jobs: Sequence[Job]) -> list[CatalogRow]:
    """Read some notes."""
    with platform.current.folders_kept():
        return [row_of(job) for job in jobs]


def _parts(jobs: Sequence[Job], size: int) -> Iterator[Sequence[Job]]:
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


def _answer(request: list[Any]) -> list[Any]:
    """Read some notes for another process."""
    return list(map(_plain, _rows(list(map(_job, request)))))


def _plain_job(job: Job) -> tuple[object, ...]:
    """Return a job as plain tuples, which `marshal` accepts."""
    return job.full, tuple(job.stamp), _plain(job.known), job.most


def _job(plain: Any) -> Job:
    full, stamp, known, most = plain
    return Job(full, Stamp._make(stamp), known and _row(known), most)


def _plain(row: CatalogRow | None) -> tuple[object, ...] | None:
    """Return a row as plain tuples, which `marshal` accepts."""
    return row and (tuple(row.stamp), row.facts and tuple(row.facts), *row[2:])


def _row(plain: Any) -> CatalogRow:
    stamp, facts, *rest = plain
    return CatalogRow(Stamp._make(stamp), facts and NoteFacts._make(facts), *rest)


def main() -> None:
    """Answer the requests of another process: lists of files with lists of rows."""
    from zkmem.util.workers import serve  # noqa: PLC0415 - only in a process of its own

    serve(_answer)
