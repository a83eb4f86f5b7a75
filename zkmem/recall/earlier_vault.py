"""Find and read the notes of the vault at one earlier moment, as far as their texts are known."""

import errno
import itertools
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from zkmem.errors import AmbiguousName, NoVersion, UnknownThen
from zkmem.index import lookup
from zkmem.index.catalog import Row, Visible
from zkmem.index.sync import Index
from zkmem.names import is_note, name_of, path_of
from zkmem.past.earlier_files import EarlierFiles
from zkmem.past.earlier_texts import EarlierTexts, Instant, Version
from zkmem.util.spelling import number_of
from zkmem.vault.files import Read

_MOST_NAMED = 10  # names in a remark


class NameQuery(NamedTuple):
    """A name that a caller has given for a note of an earlier moment, with the rights of the caller."""

    has: Callable[[str], bool]  # whether the caller may know of the file at a path
    is_whole: bool  # whether it may know of all files
    folder: str  # the folder whose backlinks it sees
    present: Callable[[str], str | None]  # returns the path of the note that a name means now, if there is one
    name: str
    subpath: str | None = None
    then_first: bool = False  # whether the name is first that of a note of that time, and then a present one


class _Place(NamedTuple):
    path: str
    subpath: str
    now: str | None


class EarlierVault:
    """The vault at one moment, while one caller reads it."""

    def __init__(
        self,
        index: Index,
        files: EarlierFiles,
        texts: EarlierTexts,
        instant: Instant,
        versions: Mapping[str, Version],
        rows: Mapping[str, Row],
    ) -> None:
        self.index = index
        self.instant = instant
        self._files = files
        self._source = texts
        self._versions = versions
        self._rows = rows
        self._texts: dict[str, bytes] = {}
        self._unknown: dict[str, None] = {}  # notes that were to be expanded, and whose texts are not known

    def place(self, query: NameQuery) -> _Place:
        """Return the note that the caller means, and check that its text is known."""
        own = Visible(self.index.catalog, query.has)
        name, subpath = (query.name, query.subpath) if query.subpath else lookup.split(own, query.name)
        present = query.present(name)
        same = None if query.then_first else self._once(own, present)
        path = same or self._named(own, name)
        if path is None:
            last = path_of(lookup.unlinked(name))  # of a deleted note
            same = self._once(own, present)
            path = same or self._once(own, last if present is None and query.has(last) else None)
        if path is None:
            near = [one for one in lookup.nearest(own, name) if one != name]
            raise UnknownThen(name, near, is_newer=present is not None)
        self._texts[path] = self._text(path)
        return _Place(path, subpath or "", name_of(present) if same and present else self._now(path, query.has))

    def _once(self, own: Visible, path: str | None) -> str | None:
        """Return the path that a file had, by its present or last one; None if it was not there."""
        old = self._files.earlier_path(self.instant, path) if path is not None else None
        return old if old is not None and old in own and is_note(old) else None

    def _named(self, own: Visible, name: str) -> str | None:
        """Return the path of the note that had a name."""
        paths = lookup.candidates(own, name)
        if len(paths) > 1:
            raise AmbiguousName(name, [lookup.name_for(own, path) for path in paths])
        return paths[0] if paths else None

    def _now(self, path: str, has: Callable[[str], bool]) -> str | None:
        """Return the present name of the note that was at a path; if it is gone, that of a note that is there now."""
        now = self._files.logged.names.later_path(path, self.instant.traced)
        there = (one for one in (now, path) if one is not None and one in self._rows and has(one))
        return next(map(name_of, there), None)

    def reader(self, has: Callable[[str], bool]) -> Read:
        """Return a function that returns the bytes of a note, if the caller may know of it."""

        def read(path: str) -> bytes:
            if path not in self._versions or not has(path):
                raise FileNotFoundError(path)
            if path not in self._texts:
                try:
                    self._texts[path] = self._text(path)
                except NoVersion as error:
                    self._unknown[path] = None
                    raise OSError(errno.ENODATA, "its text of that time is not known", path) from error
            return self._texts[path]

        return read

    def _text(self, path: str) -> bytes:
        version = self._versions[path]
        row = self._rows.get(path)
        if version.etag and (row is None or row.etag != version.etag):
            place = next((one for one, row in self._rows.items() if row.etag == version.etag), None)
        else:
            place = path
        return self._source.text(self.instant, path, version, place)

    def _is_newer(self, path: str) -> bool:
        """Return whether a text was written after the edit or commit that the moment is named by, and not by it."""
        instant, tag, row = self.instant, self._versions[path].etag, self._rows.get(path)
        if not tag or row is None or row.etag != tag or row.stamp.written <= instant.moment.time:
            return False
        if self._files.logged.left_at(path, instant.number or 0) == tag:
            return False
        committed = self._source.committed(instant, path)  # git may write other line ends when it checks a file out
        return committed is None or committed.splitlines() != self._texts[path].splitlines()

    def remarks(self, query: NameQuery) -> list[str]:
        """Return sentences about what is not known of that time."""
        remarks = []
        if trouble := self.instant.trouble:
            reason = f": {trouble}" if query.is_whole else ""  # it may name any file
            remarks.append(f"This is from the log of edits alone, since git cannot be read{reason}.")
        committed = [path for path in self._texts if self._versions[path].blob and self.instant.number is not None]
        if committed:
            remarks.append(f"As committed, since what was on the disk then is not known: {_listed(committed)}.")
        # the moment of the last edit is told only to a caller who may know of every edit
        if query.is_whole and (changed := [path for path in self._texts if self._is_newer(path)]):
            remarks.append(f"Changed by hand since the last edit or commit: {_listed(changed)}.")
        if self.instant.is_ahead:
            remarks.append("That is in the future; this is the present text.")
        if self._unknown:
            remarks.append(f"Not known or not kept any more, so these stay links: {_listed(self._unknown)}.")
        unread = sum(map(query.has, self.index.catalog.unread)) if self.index.ready else 0
        if unread:
            remarks.append(f"The texts of {number_of(unread, 'note')} at that time are not known, nor are their links.")
        return remarks


def _listed(paths: Collection[str]) -> str:
    """Return the names of some notes for a sentence."""
    names = ", ".join(map(name_of, itertools.islice(paths, _MOST_NAMED)))
    left = len(paths) - _MOST_NAMED
    return names + (f" and {left} more" if left > 0 else "")
