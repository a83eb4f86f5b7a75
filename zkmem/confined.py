"""A memory of which a caller may use a part: the notes below one folder, or reading alone, or both.

What a confined caller is told and may change is decided here, between the door and the toolsets: it reads no text, is
told no backlink and changes no note outside its folder. It may learn that a file outside has a name that it gives, or
that its own notes link to; and weights, which come from all notes.

Paths compare exactly, including case and Unicode form: `topics/` is not `Topics/`. The catalog has all paths in NFC. So
the caller's folder is the one with the grant's path in the catalog and with the grant's spelling on disk.
"""

import contextlib
import copy
import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, TypeVar

from zkmem.edit.done import Done
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.errors import AmbiguousName, BadName, Forbidden, NoVersion, Taken, UnknownFile, UnknownNote, ZkError
from zkmem.index import lookup
from zkmem.index.catalog import Visible
from zkmem.index.check import Finding
from zkmem.index.live import Listener
from zkmem.index.session import Freshness
from zkmem.index.sync import Index
from zkmem.markdown.html import Anchor
from zkmem.markdown.links import Link
from zkmem.memory import Memory
from zkmem.names import base_of, below, composed, path_of
from zkmem.recall import absent
from zkmem.recall.expand import collapser
from zkmem.recall.overview import Overview
from zkmem.recall.page import NotePage, Part, Target
from zkmem.recall.ranking import Hint, Suggestion
from zkmem.recall.reading import NoteText
from zkmem.recall.revisions import Revision, revisions
from zkmem.recall.search import Hit, Search
from zkmem.recall.shape import Advice
from zkmem.records.draft import Draft
from zkmem.records.outcome import Deleted, Edited, Extracted
from zkmem.records.pages import Pages
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import TRASH, is_hidden

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_NOWHERE = "."  # a folder that no path of the catalog is below


class Grant(NamedTuple):
    """What a caller may do."""

    folder: str = ""  # the caller may use the notes below it; spelled as on disk; empty for all notes
    read_only: bool = False

    def memory(self, memory: Memory) -> Memory:
        """The memory as the caller may use it."""
        return Confined(memory, self) if self != Grant() else memory


class Confined(Memory):
    """A memory as one with a grant may use it."""

    def __init__(self, memory: Memory, grant: Grant) -> None:
        vars(self).update(vars(memory))  # it is the same memory: one index, one journal, one lock
        self._grant = grant
        self._path = composed(grant.folder)
        self._past = memory._past.within(self._has)  # noqa: SLF001 - it is one of us

    @property
    def _folder(self) -> str:
        """The caller's folder in the catalog; `_NOWHERE` if that has another Unicode form on disk."""
        path = self._path
        if path.isascii():  # it has only one Unicode form
            return path
        if not self._engine.live.named:  # the spellings on disk are not known yet
            self._engine.live.need_names()
        return path if self._engine.store.is_spelled(path, self._grant.folder) else _NOWHERE

    @property
    def _seen(self) -> str:
        return self._folder

    def _has(self, path: str) -> bool:
        return below(path, self._folder)

    def reaches(self, name: str) -> bool:
        """Return whether a name or path belongs to a file in the folder."""
        return self._has(name.removeprefix("/"))

    def listen(self, listener: Listener) -> None:
        """Call `listener` with the names of notes of the folder that changed."""

        def told(names: list[str]) -> None:
            if own := list(filter(self._has, names)):
                listener(own)

        super().listen(told)

    def read(
        self, name: str, depth: int = 0, offset: int = 0, *, bounded: bool = True, subpath: str | None = None
    ) -> NoteText:
        """The text of a note of the folder; links that lead out of it stay links."""
        if subpath is None and self._grant.folder:
            name, subpath = self._with_names(lambda index: lookup.split(Visible(index.catalog, self._has), name))
        name = self._known(name)
        with self._discreet():
            note = super().read(name, depth, offset, bounded=bounded, subpath=subpath)
        return note._replace(linked_from=note.linked_from and self._own(note.linked_from), left=self._own(note.left))

    def page(self, name: str, depth: int = 0, offset: int = 0) -> NotePage:
        """A note of the folder as a person reads it; a link that leads out of it looks as one to nothing."""
        name = self._known(name)
        with self._discreet():
            page = super().page(name, depth, offset)
        links = [
            one if one.name is None or self._own([one.name]) else Target(base_of(one.name), None) for one in page.links
        ]
        return page._replace(links=links, left=self._own(page.left), part=self._veiled(page.part))

    def _veiled(self, part: Part) -> Part:
        links = [
            (link, anchor if anchor.kind in {"missing", "nothing"} or self._own([anchor.name]) else _leading_out(link))
            for link, anchor in part.links
        ]
        return part._replace(links=links, inside={number: self._veiled(one) for number, one in part.inside.items()})

    def graph(self, folder: str = "") -> Overview:
        """The notes of the folder and the links among them."""
        return super().graph(self._below(folder))

    def read_file(self, path: str) -> bytes:
        """The bytes of an attachment of the folder."""
        if not self._has(path):
            raise UnknownFile(path)
        return super().read_file(path)

    def hints(self, count: int = 10, *, folder: str = "") -> list[Hint]:
        """Where to start reading in the folder."""
        return super().hints(count, folder=self._below(folder))

    def suggestions(self, threshold: float = 0.001, count: int = 10, *, folder: str = "") -> list[Suggestion]:
        """What to tidy in the folder."""
        return super().suggestions(threshold, count, folder=self._below(folder))

    def unlinked(self, count: int = 10, *, folder: str = "") -> tuple[list[str], int]:
        """Return names of notes of the folder that no other note of it links to, and how many there are."""
        return super().unlinked(count, folder=self._below(folder))

    def search(
        self, query: str, *, limit: int = 10, folders: Collection[str] | None = None, without: Collection[str] = ()
    ) -> list[Hit]:
        """The notes of the folder that hold any word of the query."""
        folders = [self._below(folder) for folder in ([""] if folders is None else folders)]
        whole = self._path in folders
        return super().search(query, limit=limit, folders=None if whole else folders, without=without)

    def _searched(self) -> Search:
        return self._engine.search.within(self._path) if self._path else self._engine.search

    def check(self) -> list[Finding]:
        """What a person should look at in the folder."""
        if not self._grant.folder:
            return super().check()
        return self._findings((), self._has)

    def advice(self, *, folder: str = "") -> Advice | None:
        """Return the order of hints that would serve the folder better than the default; None if none."""
        return super().advice(folder=self._below(folder))

    def complete(self, beginning: str, *, folder: str = "") -> tuple[list[str], int]:
        """Names of notes in the folder."""
        return super().complete(beginning, folder=self._below(folder))

    def counts(self, *, folder: str = "") -> tuple[int, int]:
        """How many notes the folder has, and how many links they have."""
        return super().counts(folder=self._below(folder))

    def write(
        self, name: str, content: str, *, old: str | None = None, append: bool = False, etag: str | None = None
    ) -> Edited:
        """Create or replace a note of the folder."""
        return self._told(super().write(self._place(name), content, old=old, append=append, etag=etag))

    def save(self, name: str, content: str, etag: str | None) -> Edited:
        """Replace all of a note of the folder, or create it."""
        return self._told(super().save(self._place(name), content, etag))

    def delete(self, name: str, etag: str | None = None) -> Deleted:
        """Move a note of the folder to the trash."""
        gone = super().delete(self._known(name), etag)
        return gone._replace(
            dangling=self._own(gone.dangling),
            repointed={one: now for one, now in gone.repointed.items() if self._own([one, now]) == [one, now]},
        )

    def rename(self, name: str, new_name: str, *, merge: bool = True) -> Edited:
        """Rename a note of the folder within the folder."""
        return self._told(super().rename(self._known(name), self._goal(new_name), merge=merge))

    def extract(self, name: str, content: str, new_name: str) -> Extracted:
        """Move a passage from one note of the folder to another."""
        return Extracted(*map(self._told, super().extract(self._known(name), content, self._goal(new_name))))

    def preview_rename(self, name: str, new_name: str) -> Preview:
        """What `rename` would change."""
        return super().preview_rename(self._known(name), self._goal(new_name))

    def preview_extract(self, name: str, content: str, new_name: str) -> Preview:
        """What `extract` would change."""
        return super().preview_extract(self._known(name), content, self._goal(new_name))

    def look(self, work: Callable[[Pages], _T]) -> _T:
        """Refuse for a caller with a folder, since toolsets derive their data from all notes."""
        self._need_whole()
        return super().look(work)

    def edit(self, work: Callable[[Draft], _T]) -> _T:
        """Refuse for a caller with a folder, as `look` does."""
        self._need_whole()
        return super().edit(work)

    def log(self, name: str | None = None, count: int = 10) -> list[Revision]:
        """The last edits that touched nothing else, or those of one note of the folder."""
        if not self._grant.folder:
            return super().log(name, count)
        return revisions(reversed(self._edits()), self._past_path(name) if name else None, count)

    def show(self, name: str, rev: str) -> str:
        """The text that a note of the folder had in a revision."""
        return super().show(name, self._revision(name, rev))

    def diff(self, name: str, rev: str | None = None, other: str | None = None) -> str:
        """How a note of the folder changed."""
        return super().diff(name, rev and self._revision(name, rev), other and self._revision(name, other))

    def restore(self, name: str, rev: str) -> Edited:
        """Give a note of the folder the text that it had in a revision."""
        return self._told(super().restore(name, self._revision(name, rev)))

    def _apply(
        self,
        planner: Callable[[View], Plan],
        tell: Callable[[Done], _T],
        freshness: Freshness = Freshness.EDITS,
        *,
        tool: str = "",
    ) -> _T:
        """Every edit comes this way: its plan is carried out if it stays within the grant."""
        if self._grant.read_only:
            raise Forbidden("You may read here, but change nothing: your token is for reading only.")
        with self._discreet():
            return super()._apply(self._guarded(planner), tell, freshness, tool=tool)

    def _preview(self, planner: Callable[[View], Plan], freshness: Freshness = Freshness.EDITS) -> Preview:
        with self._discreet():
            return super()._preview(self._guarded(planner), freshness)

    def _told_of_git(self, trouble: str) -> str:
        """Leave out the reason, which may name files of other edits that wait for their commit."""
        if not self._grant.folder:
            return trouble
        _log.warning("%s", trouble)
        return "not committed to git: zkmem's log on stderr says why"

    @contextlib.contextmanager
    def _discreet(self) -> Iterator[None]:
        """Replace errors about files outside of the folder, or with names of notes there."""
        try:
            yield
        except (UnknownNote, AmbiguousName) as error:  # the note was removed, or got a twin, a moment ago
            if not self._grant.folder:
                raise
            raise UnknownNote(error.name, ()) from None
        except ZkError as error:
            if error.path is None or self._has(error.path):
                raise
            raise self._beyond() from None

    def _guarded(self, planner: Callable[[View], Plan]) -> Callable[[View], Plan]:
        """Return a planner that makes the plans of another one, and refuses those that go beyond the folder."""

        def plan(view: View) -> Plan:
            view = copy.copy(view)
            view.collapse = collapser(view.catalog, self._read)
            view.has = self._has
            found = planner(view)
            # an undo, of edits that it owns, may also empty a place in the trash
            if not self._owns(((step.path, step.path_after) for step in found.steps), trash=bool(found.undoes)):
                raise self._beyond()
            return found

        return plan

    def _edits(self) -> list[Edit]:
        """The edits that have touched nothing else."""
        return [edit for edit in super()._edits() if self._owns((one.path, one.to or one.path) for one in edit.changes)]

    def _owns(self, changes: Iterable[tuple[str, str]], *, trash: bool = False) -> bool:
        """Whether changes, paths before and after, are all in the folder, or between it and the trash (or in that)."""
        pairs = ([path for path in pair if not path.startswith(TRASH + "/")] for pair in changes)
        return not self._grant.folder or all((paths or trash) and all(map(self._has, paths)) for paths in pairs)

    def _known(self, name: str) -> str:
        """Return what `_meant` returns; explain an unknown note in its error."""
        with self._explaining():
            return self._meant(name)

    def _advice_on_absent(self, name: str) -> str:
        may_write = not self._grant.read_only
        return absent.advice(name, self._engine.store, self._past, folder=self._grant.folder, may_write=may_write)

    def _meant(self, name: str) -> str:
        """Return an unambiguous name of the note in the folder that `name` means.

        Raises:
            UnknownNote, AmbiguousName: when the folder has no such note, or several.
        """
        return lookup.name_for(self._engine.live.index.catalog, self._find(name)) if self._grant.folder else name

    def _find(self, name: str) -> str:
        """Return the path of the note that `name` means, as if the folder were the whole vault."""

        def find(index: Index) -> str:
            own = Visible(index.catalog, self._has)
            found = lookup.candidates(own, name)
            if len(found) > 1:
                raise AmbiguousName(name, [lookup.name_for(own, path) for path in found])
            if not found:
                raise UnknownNote(name, lookup.nearest(own, name))
            return found[0]

        return self._with_names(find)

    def _place(self, name: str) -> str:
        """The name of a note of the folder that is there, or of a new one, and of none that is outside."""
        try:
            return self._meant(name)
        except UnknownNote:
            rooted = "/" + name.removeprefix("/")  # without the "/" a path elsewhere with this ending would match
            if not self._has(path_of(name)) or lookup.candidates(self._engine.live.need_names().catalog, rooted):
                raise self._beyond() from None
            return rooted

    def _goal(self, new_name: str) -> str:
        """Return a new name; refuse one that belongs to a file outside of the folder, before a plan reads that file."""
        try:
            path, _ = lookup.new_note(self._engine.live.need_names().catalog, new_name)
        except AmbiguousName as error:
            if not all(map(self.reaches, error.candidates)):
                raise self._beyond() from None
            raise
        except (BadName, Taken):
            return new_name  # the plan reports these
        if not self._has(path):
            raise self._beyond()
        return new_name

    def _beyond(self) -> Forbidden:
        return Forbidden(
            f"This would change something outside of the folder {self._grant.folder!r}. Your token "
            f"reaches only that folder (names in it begin with {self._grant.folder}/); nothing was changed."
        )

    def _own(self, names: Iterable[str]) -> list[str]:
        """Those of some names that are of notes in the folder."""
        return list(filter(self.reaches, names))

    def _told(self, edited: Edited) -> Edited:
        return edited._replace(unread=self._own(edited.unread))

    def _below(self, folder: str) -> str:
        """A folder that was asked for, as far as it is in the caller's."""
        folder = composed(folder).strip("/")
        if below(self._folder + "/", folder):
            return self._folder
        if not below(folder + "/", self._folder):
            raise Forbidden(
                f"The folder {folder!r} is outside of {self._grant.folder!r}, the only folder that your token reaches."
            )
        return folder

    def _past_path(self, name: str) -> str:
        if not self._grant.folder:
            return super()._past_path(name)
        with contextlib.suppress(UnknownNote):
            return self._find(name)
        path = path_of(lookup.unlinked(name))  # the note may have been deleted
        if is_hidden(path):
            raise BadName(name, "it is hidden")
        if not self._has(path):
            raise UnknownNote(name, ())
        return path

    def _revision(self, name: str, rev: str) -> str:
        """A revision, unless it is the etag of another note's text."""
        if not self._grant.folder or self._engine.journal.versions.text(rev) is None:
            return rev
        if self._past.version(self._past_path(name), rev) is None:
            raise NoVersion(f"{name!r} has no revision {rev!r}, or it is not kept any more. See the log.")
        return rev

    def _need_whole(self) -> None:
        if self._grant.folder:
            raise Forbidden(f"This needs the whole vault; your token reaches only the folder {self._grant.folder!r}.")

    def _read(self, path: str) -> bytes:
        """What an expansion reads: a note outside is none."""
        if not self._has(path):
            raise FileNotFoundError(path)
        return super()._read(path)


def _leading_out(link: Link) -> Anchor:
    return Anchor("missing", link.target)
