"""Read notes as the vault was at an earlier moment: expanded, with their links and backlinks of that time.

One index is kept for this. It moves from one moment to another by the files that differ, and resolves links as the
index of the present does.
"""

import contextlib
import errno
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from zkmem.errors import AmbiguousName, NoVersion, UnknownThen
from zkmem.index import lookup
from zkmem.index.catalog import CatalogRow, Visible
from zkmem.index.graph import MANY
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness, Session
from zkmem.markdown.markers import cut_line_then
from zkmem.markdown.note import NoteFacts, parse
from zkmem.names import is_note, name_of, path_of
from zkmem.past.earlier_files import EarlierFiles
from zkmem.past.earlier_texts import EarlierTexts, EarlierVersion, Instant, Moment
from zkmem.past.old_texts import OldText
from zkmem.recall.reading import NoteText, read_note
from zkmem.util.locks import Rank, lock
from zkmem.util.spelling import number_of
from zkmem.vault.files import Read, Stamp, etag

if TYPE_CHECKING:
    from zkmem.recall.page import NotePage

_MOST_NAMED = 10  # names in a remark
_NO_STAMP = Stamp(0, 0, 0, 0)
_MOST_FACTS = 300_000  # notes whose facts are kept, beside those of the present


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
        versions: Mapping[str, EarlierVersion],
        rows: Mapping[str, CatalogRow],
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
        """Return whether a text was written after the edit or commit for which the moment stands."""
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
    left_out = len(paths) - _MOST_NAMED
    return names + (f" and {left_out} more" if left_out > 0 else "")


class Earlier(NamedTuple):
    """A note as it was at a moment."""

    note: NoteText
    moment: Moment
    now: str | None  # the present name of the note; None if it is gone, or its present name is not known
    remarks: list[str]  # sentences about what is not known of that time


class EarlierPage(NamedTuple):
    """A note as it was at a moment, for a person: see `Earlier`."""

    page: "NotePage"
    moment: Moment
    now: str | None
    remarks: list[str]


class AsOf:
    """The vault as it was, at one moment after another."""

    def __init__(self, session: Session, files: EarlierFiles, max_chars: int | None) -> None:
        self._session = session
        self.files = files
        self._max_chars = max_chars
        self._lock = lock(Rank.PAST)
        self._facts: dict[str, tuple[str, NoteFacts]] = {}  # by etag or hash in git, with the etag
        self._start()

    def _start(self) -> None:
        live = self._session.live
        self._index = Index(live.index.store, live.check_open, pages=live.index.catalog.pages)
        self._versions: Mapping[str, EarlierVersion] = {}
        self._key: tuple[object, ...] = ()

    def read(
        self, query: NameQuery, at: str, depth: int, offset: int, *, bounded: bool, backlinks: bool
    ) -> tuple[Earlier, OldText, Instant]:
        """Return a note as it was, the whole text of the note alone, and the moment: see `Memory.read_earlier`."""
        most = self._max_chars if bounded else None
        with self._at(query, at, linked=backlinks) as vault:
            place = vault.place(query)
            note = read_note(
                vault.index, vault.reader(query.has), place.path, depth=depth, offset=offset, max_chars=most,
                keep=_forget, subpath=place.subpath, cut_line=cut_line_then,
            )  # fmt: skip
            text = OldText(vault.reader(query.has)(place.path), place.path, vault.instant.traced)
            return Earlier(note, vault.instant.moment, place.now, vault.remarks(query)), text, vault.instant

    def page(self, query: NameQuery, at: str, depth: int, offset: int) -> tuple[EarlierPage, Instant]:
        """Return a note as it was, as a person reads it, and the moment: see `Memory.page_earlier`."""
        from zkmem.recall.page import page_of  # noqa: PLC0415 - slow to import, and only a person needs it

        with self._at(query, at, linked=True) as vault:
            place = vault.place(query)
            page = page_of(
                vault.index, vault.reader(query.has), place.path, depth=depth, offset=offset,
                max_chars=self._max_chars, weights={}, keep=_forget, seen=query.folder,
            )  # fmt: skip
            return EarlierPage(page, vault.instant.moment, place.now, vault.remarks(query)), vault.instant

    def target(self, query: NameQuery, target: str, at: str) -> str | None:
        """Return what a link in a note meant: see `Memory.target_earlier`."""
        with self._at(query, at, linked=False) as vault:
            catalog, source = vault.index.catalog, vault.place(query).path
            path = resolve(catalog, target, source).path
            if path is None or not query.has(path):
                return None
            return lookup.name_for(catalog, path) if is_note(path) else path

    @contextlib.contextmanager
    def _at(self, query: NameQuery, at: str, *, linked: bool) -> Iterator[EarlierVault]:
        """Hold the index of a moment. `linked`: whether backlinks are needed."""
        instant = self.files.instant(at, hashes_only=not query.is_whole)
        is_logged = instant.number is not None
        freshness = Freshness.EDITS if is_logged else Freshness.NAMES

        def present(index: Index) -> tuple[tuple[object, ...], dict[str, CatalogRow]]:
            last = self.files.logged.update()
            return (instant.until, last, self._session.live.version), dict(index.catalog.rows)

        known, rows = self._session.read(present, freshness)
        key = (instant.number, instant.commit, known if is_logged else ())
        now = rows if is_logged else {}
        with self._lock, self.files.texts() as texts:
            if key != self._key:
                self._move(texts, instant, self.files.versions(instant, rows), now, linked=linked)
                self._key = key
            elif linked and not self._index.ready:
                self._link(texts, instant, now)
            yield EarlierVault(self._index, self.files, texts, instant, self._versions, rows)

    def _move(
        self,
        texts: EarlierTexts,
        instant: Instant,
        versions: Mapping[str, EarlierVersion],
        rows: Mapping[str, CatalogRow],
        *,
        linked: bool,
    ) -> None:
        """Bring the index to other versions of the files. `rows`: the files that are there now."""
        old, self._key = self._versions, ()
        differing = [path for path in old.keys() | versions.keys() if old.get(path) != versions.get(path)]
        if len(differing) > MANY:
            self._start()
            differing = list(versions)
        new = {path: versions[path] for path in differing if path in versions}
        was_linked = self._index.ready
        if was_linked or linked:
            self._learn(texts, instant, new, rows)
        self._index.put({path: self._row(path, versions[path]) if path in versions else None for path in differing})
        self._versions = versions
        if linked and not was_linked:
            self._link(texts, instant, rows)

    def _link(self, texts: EarlierTexts, instant: Instant, rows: Mapping[str, CatalogRow]) -> None:
        """Add the links of all notes to the index."""
        self._learn(texts, instant, self._versions, rows)
        self._index.put({path: self._row(path, version) for path, version in self._versions.items() if is_note(path)})
        self._index.build_graph()

    def _learn(
        self,
        texts: EarlierTexts,
        instant: Instant,
        versions: Mapping[str, EarlierVersion],
        rows: Mapping[str, CatalogRow],
    ) -> None:
        """Find the facts of some notes: from the present rows, from before, or from their texts."""
        present = {row.etag: row.facts for row in rows.values() if row.facts and row.etag}
        places = {row.etag: path for path, row in rows.items() if row.etag}
        blobs, facts = dict[str, None](), self._facts  # a text may be at very many paths
        for path, version in versions.items():
            if not is_note(path) or version.since or (version.etag or version.blob) in facts:
                continue
            if version.blob:
                blobs[version.blob] = None
            elif known := present.get(version.etag):
                facts[version.etag] = version.etag, known
            else:
                with contextlib.suppress(NoVersion):
                    place = places.get(version.etag)
                    facts[version.etag] = version.etag, parse(texts.text(instant, path, version, place))
        for blob, data in texts.blobs(list(blobs)):
            if data is not None:
                facts[blob] = etag(data), parse(data)
        if len(facts) > _MOST_FACTS:
            used = {version.etag or version.blob for version in (*self._versions.values(), *versions.values())}
            self._facts = {key: one for key, one in facts.items() if key in used}

    def _row(self, path: str, version: EarlierVersion) -> CatalogRow:
        known = self._facts.get(version.etag or version.blob)
        if known is None:
            return CatalogRow(_NO_STAMP, unread=is_note(path))
        return CatalogRow(_NO_STAMP, known[1], etag=known[0])


def _forget(*_: object) -> None:
    """Remember nothing of what was read: no edit is made from an older text."""
