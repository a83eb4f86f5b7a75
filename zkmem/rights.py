"""Decide what a caller may do with a vault. `Memory` uses this module, and no other module decides about rights.

A caller may be limited to the notes below one folder, or to reading, or to both. A caller with a folder reads no text,
gets no backlink and changes no note outside it. It may learn whether a file outside has a name that the caller gives,
or that the caller's own notes link to. It also gets weights, which are computed from all notes.

Paths compare exactly, including case and Unicode form: `topics/` is not `Topics/`. The catalog has all paths in NFC.
The caller's folder therefore has the path of the grant in the catalog, and the spelling of the grant on disk.
"""

import contextlib
import copy
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from zkmem.caller import Grant
from zkmem.edit.plan import Plan, Planner, View
from zkmem.engine import Engine
from zkmem.errors import AmbiguousName, BadName, Forbidden, NoGitHistory, UnknownFile, UnknownNote, ZkError
from zkmem.index import lookup
from zkmem.index.catalog import Catalog, Visible
from zkmem.index.index import Index
from zkmem.index.live import Listener
from zkmem.index.session import Freshness
from zkmem.names import below, composed, is_note, path_of
from zkmem.past.earlier_texts import Instant, Moment
from zkmem.past.moments import end_of
from zkmem.past.old_texts import no_revision
from zkmem.recall import absent
from zkmem.recall.as_of import NameQuery
from zkmem.recall.reading import NoteText
from zkmem.records.outcome import Deleted
from zkmem.util.waiting import check_may_wait
from zkmem.vault.journal.log import client_name, origin
from zkmem.vault.paths import is_hidden

if TYPE_CHECKING:
    from zkmem.recall.page import NotePage
    from zkmem.search.search import Search

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_NOWHERE = "."  # a folder that no path of the catalog is below
_IN_LOG = "zkmem's log on stderr says why"


class Rights:
    """The rights of one caller: which names it may give, which plans it may make, and what an answer may contain."""

    def __init__(self, engine: Engine, grant: Grant, tools: Collection[str] | None = None) -> None:
        """`tools`: the names of the tools that the caller can call; None if it is no model."""
        self._engine = engine
        self._grant = grant
        self._tools = tools
        self._path = composed(grant.folder)
        self.sees_all = not grant.folder
        self.past = engine.past if self.sees_all else engine.past.within(self.has)

    # --- which files

    @property
    def folder(self) -> str:
        """The caller's folder in the catalog; `_NOWHERE` if that has another Unicode form on disk; "" for all notes."""
        path = self._path
        if path.isascii():  # it has only one Unicode form
            return path
        if not self._engine.live.named:  # the spellings on disk are not known yet
            self._engine.session.prepare(Freshness.NAMES)
        return path if self._engine.store.is_spelled(path, self._grant.folder) else _NOWHERE

    def has(self, path: str) -> bool:
        """Return whether the caller may know of the file at this path."""
        return self.sees_all or below(path, self.folder)

    def reaches(self, name: str) -> bool:
        """Return whether the caller may know of the note that has this name, or of the file at this path."""
        return self.has(name.removeprefix("/"))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. A file that the caller may not know of does not exist."""
        if not self.has(path):
            raise FileNotFoundError(path)
        return self._engine.store.read(path)[0]

    @property
    def search(self) -> "Search":
        """The search over the notes that the caller may know of."""
        return self._engine.search if self.sees_all else self._engine.search.within(self.folder)

    def faults(self) -> list[str]:
        """Return the damaged files of the journal, if the caller may know of them."""
        return self._engine.journal.faults() if self.sees_all else []

    # --- what the caller may give: folders, names, revisions, plans

    def below(self, folder: str) -> str:
        """Return the part of a folder that is in the caller's folder."""
        folder = composed(folder).strip("/")
        if self.sees_all:
            return folder
        if below(self.folder + "/", folder):
            return self.folder
        if not below(folder + "/", self.folder):
            raise Forbidden(
                f"The folder {folder!r} is outside of {self._grant.folder!r}, the only folder that your token reaches."
            )
        return folder

    def folders(self, folders: Collection[str] | None) -> Collection[str] | None:
        """Return the parts of some folders that are in the caller's folder; None stands for that whole folder."""
        if self.sees_all:
            return folders
        parts = [self.below(folder) for folder in ([""] if folders is None else folders)]
        return None if self._path in parts else parts

    def file(self, path: str) -> str:
        """Return the path of a file that the caller may read."""
        if not self.has(path):
            raise UnknownFile(path)
        return path

    def new_file(self, path: str) -> str:
        """Return the path of a file that the caller may write, so that no plan looks at a file outside the folder."""
        if not self.has(path):
            raise self._beyond()
        return path

    def note(self, name: str) -> str:
        """Return an unambiguous name of the note that `name` means to the caller."""
        if self.sees_all:
            return name
        with self._advised():
            return self._name(name)

    def part(self, name: str, subpath: str | None) -> tuple[str, str | None]:
        """Return an unambiguous name of the note that `name` means, and the subpath that `name` has without one."""
        if subpath is None and not self.sees_all:
            name, subpath = self._names(lambda index: lookup.split(self._visible(index.catalog), name))
        return self.note(name), subpath

    def place(self, name: str) -> str:
        """Return the name to write: of a note that the caller may know of, or of a new note in the caller's folder."""
        if self.sees_all:
            return name
        try:
            return self._name(name)
        except UnknownNote:
            rooted = "/" + name.removeprefix("/")  # without the "/", a path that only ends with the name would match
            inside = self.has(path_of(name))
            if not inside or self._names(lambda index: lookup.candidates(index.catalog, rooted)):
                raise self._beyond() from None
            return rooted

    def check_new_name(self, name: str, new_name: str) -> None:
        """Check that a new name for a note means a path in the caller's folder, so that no plan looks at another file.

        `name`: an unambiguous name of the note.
        """

        def path(index: Index) -> str:
            return lookup.destination(self._visible(index.catalog), self._found(index.catalog, name), new_name)[0]

        if not self.sees_all and not self.has(self._names(path)):
            raise self._beyond()

    def past_path(self, name: str) -> str:
        """Return the path of a note that exists, or may have existed."""
        return self._names(lambda index: self.past_path_in(index.catalog, name))

    def past_path_in(self, catalog: Catalog, name: str) -> str:
        """Return the path of a note that is in the catalog, or may have existed."""
        path = path_of(lookup.unlinked(name))  # the note may have been deleted
        if self.sees_all:
            path = lookup.find_note(catalog, name) or path
        else:
            with contextlib.suppress(UnknownNote):
                return self._found(catalog, name)
        if is_hidden(path):
            raise BadName(name, "it is hidden")
        if not self.has(path):
            raise UnknownNote(name, ())
        return path

    def present_path(self, name: str) -> str | None:
        """Return the path of the note that `name` means now; None if it means none, or several."""
        with contextlib.suppress(UnknownNote, AmbiguousName, BadName):
            return self._names(lambda index: self._found(index.catalog, name))
        return None

    def name_query(self, name: str, subpath: str | None = None, *, then_first: bool = False) -> NameQuery:
        """Return a name with the rights of the caller, for a note of an earlier moment: see `NameQuery`."""
        return NameQuery(self.has, self.sees_all, self.folder, self.present_path, name, subpath, then_first)

    def moment(self, at: str, instant: Instant) -> Moment:
        """Return the moment that a caller has given as `at`, without what the caller may not know of it."""
        if self.sees_all:
            return instant.moment
        if instant.number is None:
            end = end_of(at)
            return Moment("", end, "") if end is not None else Moment(at.strip(), instant.until, "")
        edits = (one for one in self.past.changes() if one.number <= instant.number)
        last = next(edits, None)
        author = client_name(last.client) or origin(last.outside) if last else ""
        return Moment(str(last.number), last.time, author) if last else Moment("", 0.0, "")

    def revision(self, path: str, rev: str) -> str:
        """Return a revision of the note at a path; refuse the etag of another note's text."""
        rev = rev.strip()
        is_etag = not self.sees_all and self._engine.journal.versions.text(rev) is not None
        if is_etag and self.past.version(path, rev) is None:
            raise no_revision(path, rev)
        return rev

    def check_whole(self) -> None:
        """Check that the caller may use all notes."""
        if not self.sees_all:
            raise Forbidden(f"This needs the whole vault; your token reaches only the folder {self._grant.folder!r}.")

    def check_edit(self) -> None:
        """Check that the caller may change notes at all."""
        if self._grant.read_only:
            raise Forbidden("Your token is for reading only: you cannot change anything.")

    def check_decides(self) -> None:
        """Check that the caller may see, accept and drop what others have proposed."""
        if self._grant.proposes_as:
            raise Forbidden("Your edits are proposed, so you cannot accept or drop any. A person does so on the page.")

    def planner(self, planner: Planner) -> Planner:
        """Return a planner that refuses those plans of `planner` that change files outside the folder."""
        if self.sees_all:
            return planner

        def plan(view: View) -> Plan:
            view = copy.copy(view)
            view.has = self.has
            view.version = self.past.kept()
            planned = planner(view)
            # an undo of the caller's own edits may also remove a file from the trash
            if not self.past.owns(((step.path, step.path_after) for step in planned.steps), trash=bool(planned.undoes)):
                raise self._beyond()
            return planned

        return plan

    # --- what the caller gets: names, notes, results of edits, errors

    def names(self, names: Iterable[str]) -> list[str]:
        """Return those of some names that the caller may know of."""
        return list(filter(self.reaches, names))

    def listener(self, listener: Listener) -> Listener:
        """Return a listener that passes on the names that the caller may know of."""

        def pass_on(names: Sequence[str]) -> None:
            if own := self.names(names):
                listener(own)

        return listener if self.sees_all else pass_on

    def note_text(self, note: NoteText) -> NoteText:
        """Return a note's text without the names of notes outside."""
        return note._replace(linked_from=note.linked_from and self.names(note.linked_from), left=self.names(note.left))

    def note_page(self, page: "NotePage") -> "NotePage":
        """Return a page on which a link that leads out of the folder looks like a link to a missing note."""
        return page if self.sees_all else page.limited(self.reaches)

    def deleted(self, gone: Deleted) -> Deleted:
        """Return what a deletion did without the names of notes outside."""
        inside = {one: now for one, now in gone.repointed.items() if self.reaches(one) and self.reaches(now)}
        return gone._replace(dangling=self.names(gone.dangling), repointed=inside)

    def trouble(self, trouble: str) -> str:
        """Return why an edit was not committed. The full reason may name files outside, so it goes to the log."""
        if self.sees_all:
            return trouble
        _log.warning("%s", trouble)
        return f"not committed to git: {_IN_LOG}"

    @contextlib.contextmanager
    def git_errors(self) -> Iterator[None]:
        """Leave out of an error what git says, which may name files outside of the folder. It goes to the log."""
        try:
            yield
        except NoGitHistory as error:
            if self.sees_all:
                raise
            _log.warning("%s", error)
            raise NoGitHistory(_IN_LOG, error.sentence) from None

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Add advice to the error about a missing note. Replace errors that name files outside of the folder."""
        try:
            with self._advised(), self.git_errors():
                yield
        except (UnknownNote, AmbiguousName) as error:  # a moment ago the note was removed, or another note got its name
            if self.sees_all:
                raise
            raise UnknownNote(error.name, ()) from None
        except ZkError as error:
            if error.path is None or self.has(error.path):
                raise
            raise self._beyond() from None

    @contextlib.contextmanager
    def _advised(self) -> Iterator[None]:
        """Add advice to the error about a missing note."""
        try:
            yield
        except UnknownNote as error:
            if type(error) is not UnknownNote:  # the error of a toolset contains its own advice
                raise
            name = error.name
            paths = self._names(lambda index: lookup.files_below(index.catalog, name))
            if notes := [path for path in paths if is_note(path) and self.has(path)]:
                raise UnknownNote(name, (), *absent.below_folder(name, notes)) from None
            grant = self._grant
            ways = absent.Ways(grant.folder, not grant.read_only, bool(grant.proposes_as), self._tools)
            advice = absent.advice(error.name, self._engine.store, self.past, ways)
            more = (advice, []) if advice else absent.mentions(error.name, self.search, self.folder, error.nearest)
            raise UnknownNote(error.name, error.nearest, *more) from None

    def _beyond(self) -> Forbidden:
        return Forbidden(
            f"This would change something outside of the folder {self._grant.folder!r}. Your token "
            f"reaches only that folder (names in it begin with {self._grant.folder}/); nothing was changed."
        )

    # --- look-ups as if the folder were the whole vault

    def _names(self, work: Callable[[Index], _T]) -> _T:
        return self._engine.session.read(work, Freshness.NAMES)

    def _visible(self, catalog: Catalog) -> Visible:
        return Visible(catalog, self.has)

    def _name(self, name: str) -> str:
        return self._names(lambda index: lookup.name_for(index.catalog, self._found(index.catalog, name)))

    def _found(self, catalog: Catalog, name: str) -> str:
        """Return the path of the note that `name` means."""
        own = self._visible(catalog)
        paths = lookup.candidates(own, name)
        if len(paths) > 1:
            check_may_wait()
            raise AmbiguousName(name, [lookup.name_for(own, path) for path in paths])
        if not paths:
            raise UnknownNote(name, lookup.nearest(own, name))
        return paths[0]
