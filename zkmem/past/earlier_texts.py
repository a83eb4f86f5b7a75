"""Read the texts of files at earlier moments: from the disk, from the versions that are kept, and from git's objects.

A text that is found by its etag counts only if its bytes have that etag.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from zkmem.errors import NoGitHistory, NoVersion
from zkmem.names import name_of
from zkmem.past.logged import Logged
from zkmem.past.moments import is_number
from zkmem.util.spelling import clock, quoted
from zkmem.vault.files import etag
from zkmem.vault.journal.versions import Versions
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.git.objects import Objects
    from zkmem.vault.git.snapshots import Snapshots

UNREAD = "unread"
"""Stands for the etag of a file that is no note, or was not read. No etag equals it."""


class Texts:
    """The texts of one vault, by etag."""

    def __init__(self, store: Store, versions: Versions) -> None:
        self._store = store
        self._versions = versions

    def text(self, tag: str, *paths: str) -> bytes | None:
        """Return the bytes with an etag; None if they are neither kept nor in one of the files at these paths."""
        data = self._versions.text(tag)
        for path in paths:
            if data is not None:
                break
            with contextlib.suppress(OSError):
                present = self._store.read(path)[0]
                data = present if etag(present) == tag else None
        return data


class Moment(NamedTuple):
    """The edit, the change by another program or the commit whose notes are shown, and when and by whom it was made."""

    rev: str  # its number or hash; "" for the time before the first one
    time: float  # seconds since 1970
    author: str

    @property
    def in_words(self) -> str:
        """The moment for a person, in local time."""
        when = clock(self.time)
        what = (
            f"edit {self.rev}"
            if is_number(self.rev)
            else f"commit {self.rev[:10]}"
            if self.rev
            else "before the first edit"
        )
        return f"{what}, {when}" + (f" ({self.author})" if self.author else "")


class Instant(NamedTuple):
    """A moment, and where the files of that moment are found."""

    moment: Moment
    number: int | None  # the last entry of the logs at that time; None if the files are those of the commit alone
    commit: str  # the commit with the files that the logs do not know; "" without git
    until: float  # files that have not changed since this time are the same
    traced: int  # the entry of the logs from which on files are followed to their present names
    is_ahead: bool = False  # whether it is in the future
    trouble: str = ""  # why git cannot be read, so that only the log is; "" if it can, or is off


class EarlierVersion(NamedTuple):
    """The version of a file at a moment: its etag, or its hash in git, or since when a later version is known."""

    etag: str = ""
    blob: str = ""
    since: str = ""


class EarlierTexts(contextlib.AbstractContextManager["EarlierTexts"]):
    """The texts of one vault at earlier moments. Use this in a `with` block, which ends its git process."""

    def __init__(
        self,
        store: Store,
        texts: Texts,
        logged: Logged,
        git: "Snapshots | None",
        tree: Callable[[Instant], Mapping[str, str]],
    ) -> None:
        """`tree`: returns the files of a moment in git, by path."""
        self._store = store
        self._texts = texts
        self._logged = logged
        self._git = git
        self._tree = tree
        self._objects: Objects | None = None

    def __exit__(self, *_: object) -> None:
        """End the git process, if one was started."""
        if self._objects is not None:
            self._objects.__exit__()

    def text(self, instant: Instant, path: str, version: EarlierVersion, place: str | None = None) -> bytes:
        """Return the bytes of a file at a moment. `place`: a path at which the index has seen this version."""
        if version.since:
            raise not_known(
                f"What {quoted(name_of(path))} was at that time is not known: another program changed it, and nobody "
                f"recorded when.{self._known_from(instant, path, version.since)}",
                instant.trouble,
            )
        with git_errors():
            data = self._in_git(version.blob) if version.blob else self._kept(instant, path, version.etag, place)
        if data is None and (version.blob or (version.etag == UNREAD and self._is_large(path))):
            sentence = f"{quoted(name_of(path))} was larger than max_note_mb at that time."
            raise NoVersion(f"{sentence} To read its text, raise max_note_mb.")
        if data is None:
            raise not_known(self._lost(instant, path), instant.trouble)
        return data

    def _is_large(self, path: str) -> bool:
        return self._store.is_large(path, self._store.most_bytes)

    def blobs(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield some files of git with their bytes; None for one that is too large or cannot be read."""
        with git_errors():
            if self._git and hashes:
                yield from zip(hashes, self._git.texts(hashes), strict=True)

    def committed(self, instant: Instant, path: str) -> bytes | None:
        """Return the bytes of a file in the commit of a moment; None if it is not there, or too large."""
        with git_errors():
            blob = self._tree(instant).get(path)
            return self._in_git(blob) if blob else None

    def _in_git(self, blob: str) -> bytes | None:
        if self._git is None:
            return None
        if self._objects is None:
            self._objects = self._git.objects()
        return self._git.text(blob, self._objects)

    def _kept(self, instant: Instant, path: str, tag: str, place: str | None) -> bytes | None:
        data = self._texts.text(tag, *filter(None, (place, path)))
        if data is None and (blob := self._tree(instant).get(path)):
            data = self._in_git(blob)
        return data if data is not None and etag(data) == tag else None

    def _known_from(self, instant: Instant, path: str, since: str) -> str:
        """Return a sentence about when the texts at a path begin to be known: `since`, or an earlier commit."""
        with git_errors():
            git = None if instant.trouble else self._git
            first = git.first_with(path, instant.until) if git and git.head() else None
        steps = self._logged.later_steps(path, instant.number or 0)
        entry = self._logged.entry(steps[0].number) if steps else None
        logged = clock(entry.time) if entry else since  # "now" comes after each date
        if first is not None and clock(first) < logged:
            since = clock(first)
        elif entry is None and self._is_large(path):
            return " Its present text is larger than max_note_mb; raise that to read it."
        return f" It is known from {since} on."

    def _lost(self, instant: Instant, path: str) -> str:
        """Return a sentence about a text that is not kept: from when on the texts of the note are known."""
        later = self._logged.later_steps(path, instant.number or 0)
        kept = (one.number for one in later if one.after and self._texts.text(one.after) is not None)
        since = next((f"from edit {number} on" for number in kept), "now")
        return (
            f"The text that {quoted(name_of(path))} had at that time is not kept any more. Its text is known {since}."
        )


@contextlib.contextmanager
def git_errors(sentence: str = "") -> Iterator[None]:
    """Turn a failure of git into the error that a reader gets. `sentence`: what is not known without git."""
    from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - slow to import

    try:
        yield
    except GitTrouble as error:
        raise NoGitHistory(str(error), sentence) from error


def not_known(sentence: str, trouble: str) -> NoVersion:
    """Return the error about what the log does not know. `trouble`: why git, which may know it, cannot be read."""
    return NoGitHistory(trouble, sentence) if trouble else NoVersion(sentence)
