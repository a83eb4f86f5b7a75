"""A memory of which a caller may use a part: the notes below one folder, or reading alone, or both.

What a confined caller is told and may change is decided here, between the door and the toolsets: it reads no text, is
told no backlink and changes no note outside its folder. What it may learn is that a name which it gives, or which a
note of its own links to, is taken outside.
"""

import contextlib
import copy
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, TypeVar

from zkmem.edit.draft import Draft
from zkmem.edit.outcome import Deleted, Done, Edited, Extracted
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.errors import AmbiguousName, Forbidden, Inexpressible, NoVersion, UnknownFile, UnknownNote
from zkmem.index import lookup
from zkmem.index.check import Finding, Properties, check
from zkmem.index.live import Listener
from zkmem.index.pages import Pages
from zkmem.markdown.html import Anchor
from zkmem.markdown.links import Link
from zkmem.memory import Memory
from zkmem.recall.history import Revision, revisions
from zkmem.recall.overview import Overview
from zkmem.recall.page import NotePage, Part, Target
from zkmem.recall.ranking import Hint, Suggestion
from zkmem.recall.reading import NoteText
from zkmem.recall.search import Hit
from zkmem.vault.log import Edit
from zkmem.vault.names import base_of, below, normal
from zkmem.vault.paths import TRASH

_T = TypeVar("_T")

_MOST_COMPARED, _MOST_NEAREST = 50, 5


class Grant(NamedTuple):
    """What a caller may do."""

    folder: str = ""  # the notes below it; all, if empty
    read_only: bool = False

    def memory(self, memory: Memory) -> Memory:
        """The memory as the caller may use it."""
        return Confined(memory, self) if self != Grant() else memory


class Confined(Memory):
    """A memory as one with a grant may use it."""

    def __init__(self, memory: Memory, grant: Grant) -> None:
        vars(self).update(vars(memory))  # it is the same memory: one index, one journal, one lock
        self._grant = grant
        self._folder = grant.folder
        self._past = memory._past.within(self._has)  # noqa: SLF001 - it is one of us

    def _has(self, path: str) -> bool:
        return below(path, self._folder)

    def listen(self, listener: Listener) -> None:
        """Call `listener` with the names of notes of the folder that changed."""

        def told(names: list[str]) -> None:
            if own := list(filter(self._has, names)):
                listener(own)

        super().listen(told)

    def read(self, name: str, depth: int = 0, offset: int = 0, *, bounded: bool = True) -> NoteText:
        """The text of a note of the folder; links that lead out of it stay links."""
        note = super().read(self._known(name), depth, offset, bounded=bounded)
        return note._replace(linked_from=note.linked_from and self._own(note.linked_from), left=self._own(note.left))

    def page(self, name: str, depth: int = 0) -> NotePage:
        """A note of the folder as a person reads it; a link that leads out of it looks as one to nothing."""
        page = super().page(self._known(name), depth)
        links = [
            one if one.name is None or self._own([one.name]) else Target(base_of(one.name), None) for one in page.links
        ]
        return page._replace(
            links=links, backlinks=self._own(page.backlinks), left=self._own(page.left), part=self._veiled(page.part)
        )

    def _veiled(self, part: Part) -> Part:
        links = [
            (link, anchor if anchor.kind in {"missing", "nothing"} or self._own([anchor.name]) else _leading_out(link))
            for link, anchor in part.links
        ]
        return Part(part.body, links, {number: self._veiled(one) for number, one in part.inside.items()})

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
        with self._live.lock:
            found = super().hints(count, folder=self._below(folder))
            return [one._replace(backlinks=self._backlinks(one)) for one in found] if self._folder else found

    def _backlinks(self, hint: Hint) -> int:
        """How many notes of the folder link to one of them."""
        path = lookup.known_note(self._live.index.catalog, hint.name)
        return sum(1 for source in self._live.index.links.backlinks(path) if source != path and self._has(source))

    def suggestions(self, threshold: float = 0.001, count: int = 10, *, folder: str = "") -> list[Suggestion]:
        """What to tidy in the folder."""
        return super().suggestions(threshold, count, folder=self._below(folder))

    def search(
        self, query: str, *, limit: int = 10, folders: Collection[str] | None = None, without: Collection[str] = ()
    ) -> list[Hit]:
        """The notes of the folder that hold any word of the query."""
        if self._folder:
            folders = [self._below(folder) for folder in ([""] if folders is None else folders)]
        return super().search(query, limit=limit, folders=folders, without=without)

    def check(self) -> list[Finding]:
        """What a person should look at in the folder."""
        if not self._folder:
            return super().check()
        index = self._need_links()
        with self._live.lock:
            return check(index, self._tables.of(Properties), has=self._has)

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

    def rename(self, name: str, new_name: str) -> Edited:
        """Rename a note of the folder within the folder."""
        return self._told(super().rename(self._known(name), new_name))

    def extract(self, name: str, content: str, new_name: str) -> Extracted:
        """Move a passage from one note of the folder to another."""
        return Extracted(*map(self._told, super().extract(self._known(name), content, new_name)))

    def preview_rename(self, name: str, new_name: str) -> Preview:
        """What `rename` would change."""
        return super().preview_rename(self._known(name), new_name)

    def preview_extract(self, name: str, content: str, new_name: str) -> Preview:
        """What `extract` would change."""
        return super().preview_extract(self._known(name), content, new_name)

    def look(self, work: Callable[[Pages], _T]) -> _T:
        """Not for one who may see only a part: what toolsets derive, they derive from all notes."""
        self._need_whole()
        return super().look(work)

    def edit(self, work: Callable[[Draft], _T]) -> _T:
        """Likewise."""
        self._need_whole()
        return super().edit(work)

    def log(self, name: str | None = None, count: int = 10) -> list[Revision]:
        """The last edits that touched nothing else, or those of one note of the folder."""
        if not self._folder:
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
        self, planner: Callable[[View], Plan], tell: Callable[[Done], _T], *, refresh: bool = False, tool: str = ""
    ) -> _T:
        """Every edit comes this way: its plan is carried out if it stays within the grant."""
        if self._grant.read_only:
            raise Forbidden("You may read here, but change nothing: your token is for reading only.")
        return super()._apply(self._guarded(planner), tell, refresh=refresh, tool=tool)

    def _preview(self, planner: Callable[[View], Plan], *, refresh: bool = False) -> Preview:
        return super()._preview(self._guarded(planner), refresh=refresh)

    def _guarded(self, planner: Callable[[View], Plan]) -> Callable[[View], Plan]:
        """The same planner, which refuses a plan that goes beyond the folder."""

        def plan(view: View) -> Plan:
            view = copy.copy(view)
            view.collapse = self._collapser(view.catalog)
            try:
                found = planner(view)
            except Inexpressible as error:
                if error.path is None or self._has(error.path):
                    raise
                raise self._beyond() from None  # the sentence names the note, and quotes it
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
        return not self._folder or all((paths or trash) and all(map(self._has, paths)) for paths in pairs)

    def _known(self, name: str) -> str:
        """The name of the one note of the folder that `name` can mean, so that it means no other.

        Raises:
            UnknownNote, AmbiguousName: when there is none, or several, in the folder.
        """
        if not self._folder:
            return name
        catalog = self._live.need_names().catalog

        def find() -> str:
            own = list(filter(self._has, lookup.candidates(catalog, name)))
            if len(own) > 1:
                raise AmbiguousName(name, [lookup.name_for(catalog, path) for path in own])
            if not own:
                raise UnknownNote(name, self._own(lookup.nearest(catalog, name, _MOST_COMPARED))[:_MOST_NEAREST])
            return lookup.name_for(catalog, own[0])

        return self._editor.fresh(find)

    def _place(self, name: str) -> str:
        """The name of a note of the folder that is there, or of a new one, and of none that is outside."""
        try:
            return self._known(name)
        except UnknownNote:
            if lookup.candidates(self._live.need_names().catalog, name):
                raise self._beyond() from None
            return name

    def _beyond(self) -> Forbidden:
        return Forbidden(
            f"This would change what is outside of the folder {self._folder!r}, which is all that your token reaches "
            f"(names in it begin with {self._folder}/); nothing was changed."
        )

    def _own(self, names: Iterable[str]) -> list[str]:
        """Those of some names that are of notes in the folder."""
        return [name for name in names if self._has(name.removeprefix("/"))]

    def _told(self, edited: Edited) -> Edited:
        return edited._replace(unread=self._own(edited.unread))

    def _below(self, folder: str) -> str:
        """A folder that was asked for, as far as it is in the caller's."""
        folder = normal(folder).strip("/")
        if below(self._folder + "/", folder):
            return self._folder
        if not below(folder + "/", self._folder):
            raise Forbidden(
                f"The folder {folder!r} is outside of {self._folder!r}, which is all that your token reaches."
            )
        return folder

    def _past_path(self, name: str) -> str:
        with contextlib.suppress(UnknownNote):  # it may be deleted
            name = self._known(name)
        try:
            path = super()._past_path(name)
        except AmbiguousName:
            path = ""
        if self._folder and not self._has(path):
            raise UnknownNote(name, ())
        return path

    def _revision(self, name: str, rev: str) -> str:
        """A revision, unless it is the etag of another note's text."""
        if not self._folder or self._journal.versions.text(rev) is None:
            return rev
        if self._past.version(self._past_path(name), rev) is None:
            raise NoVersion(f"{name!r} has no revision {rev!r}, or it is not kept any more. See the log.")
        return rev

    def _need_whole(self) -> None:
        if self._folder:
            raise Forbidden(f"This needs the whole vault; your token reaches the folder {self._folder!r} alone.")

    def _read(self, path: str) -> bytes:
        """What an expansion reads: a note outside is none."""
        if not self._has(path):
            raise FileNotFoundError(path)
        return super()._read(path)


def _leading_out(link: Link) -> Anchor:
    return Anchor("missing", link.target)
