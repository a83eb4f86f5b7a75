"""The one door: what faces and toolsets may ask of a memory. It composes the floors below and computes nothing.

Safe to use from several threads: one lock guards the index, and is held while an edit is planned and applied.
"""

import contextlib
import copy
import functools
from collections.abc import Callable, Collection, Iterator
from typing import Self, TypeVar, Unpack

from zkmem.edit.done import Done
from zkmem.edit.extract import plan_extract
from zkmem.edit.journal import Author
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.edit.rename import plan_delete, plan_rename
from zkmem.edit.undo import REDO, UNDO, plan_redo_last, plan_restore, plan_undo_last, undone_by
from zkmem.edit.write import plan_save, plan_write
from zkmem.engine import Engine, Options
from zkmem.errors import BadName, UnknownNote
from zkmem.index import lookup
from zkmem.index.check import Finding, Properties, check
from zkmem.index.live import Listener
from zkmem.index.session import Freshness
from zkmem.index.sync import Index, Progress
from zkmem.markdown.note import read_text
from zkmem.names import below, fold, path_of
from zkmem.recall import absent
from zkmem.recall.attachment import read_attachment
from zkmem.recall.overview import Overview, overview
from zkmem.recall.page import NotePage, page_of, part_of
from zkmem.recall.ranking import Hint, Order, Suggestion
from zkmem.recall.reading import NoteText, read_alone, read_large, read_note
from zkmem.recall.revisions import Revision
from zkmem.recall.search import Hit, Search
from zkmem.recall.shape import FIRST, Advice, advice
from zkmem.records.draft import Draft
from zkmem.records.outcome import Deleted, Edited, Extracted, Undone
from zkmem.records.pages import Pages
from zkmem.vault.files import LargeFile
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import is_hidden

_T = TypeVar("_T")

OnEdit = Callable[[Edit], object]
"""Gets an edit that was made, in the thread that made it."""


class Memory:
    """The memory in one vault. A `with` block closes it at its end."""

    def __init__(self, vault: str, **options: Unpack[Options]) -> None:
        """Open a vault, with the options of an `Engine`; nothing is read yet.

        Raises:
            NoVault: when it is not a folder.
        """
        self._engine = Engine(vault, **options)
        self.max_chars, self.git = self._engine.max_chars, self._engine.git
        self._past = self._engine.past
        self._by = Author()
        self._progress: Progress | None = None
        self._on_edit: OnEdit | None = None

    def __enter__(self) -> Self:
        """Return the memory, which is closed at the end of the `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the memory."""
        self.close()

    def on_behalf(
        self,
        *,
        tool: str | None = None,
        client: str | None = None,
        progress: Progress | None = None,
        on_edit: OnEdit | None = None,
    ) -> Self:
        """Return this memory for one tool or one client.

        `progress` is told how far it is while a call waits for it, `on_edit` of each edit that is made.
        """
        other = copy.copy(self)
        other._by = Author(tool or self._by.tool, client or self._by.client)  # noqa: SLF001 - it is one of us
        other._progress = progress or self._progress  # noqa: SLF001
        other._on_edit = on_edit or self._on_edit  # noqa: SLF001
        return other

    @property
    def version(self) -> int:
        """A number that changes whenever a note does; it begins anew in each process."""
        return self._engine.live.version

    @property
    def vault(self) -> str:
        """The vault's folder, absolute and without symlinks."""
        return self._engine.store.root

    def set_up(self, *, git: bool, settings: str) -> list[str]:
        """Make the vault state, and with `git` a repository that holds the file with the `settings`; what was done."""
        return self._engine.set_up(git=git, settings=settings)

    def start(self, *, watch: bool = True) -> None:
        """Build the index in a thread, and keep it in step with edits by hand; return at once.

        With git, also commit the edits that a killed process left without a commit.
        """
        self._engine.start(watch=watch)

    def load(self, progress: Progress | None = None) -> None:
        """Build the index here and now."""
        self._engine.session.prepare(Freshness.LINKS, progress)

    def wait_ready(self) -> None:
        """Wait until the index is complete and has taken in every change of the files, also one made just now.

        Without `start`, this thread builds the index.

        Raises:
            Closed: when the memory is closed before that.
        """
        self._with_links(lambda _: None, Freshness.FILES)

    def load_names(self) -> None:
        """Get to know the names of all files here and now: what it takes to tell links from missing ones."""
        self._engine.session.prepare(Freshness.NAMES)

    def stop(self) -> None:
        """Make the build of a first index or search end soon; return at once. Call `close` afterwards."""
        self._engine.stop()

    def close(self) -> None:
        """Stop watching, and wait for the threads."""
        self._engine.close()

    def listen(self, listener: Listener) -> None:
        """Call `listener`, in any thread, with the names of notes that changed, by whoever."""
        self._engine.live.listen(listener)

    def read(
        self, name: str, depth: int = 0, offset: int = 0, *, bounded: bool = True, subpath: str | None = None
    ) -> NoteText:
        """Return the text of a note from the character `offset` on, expanded `depth` levels deep.

        The text is `bounded` by the memory's `max_chars`, or whole. A note that is too large to be read whole is given
        in parts either way, from the byte `offset` on. `subpath`: the `#heading` or `#^block` whose text alone is
        wanted; by default, the one that stands after the `name`.

        Raises:
            UnknownNote: when there is none, with the nearest names. AmbiguousName: when there are several.
            NoSection: when the note has no such heading or block.
        """
        live, store = self._engine.live, self._engine.store
        most, keep = self.max_chars if bounded else None, self._engine.read_tracker.keep
        in_time = live.wait_briefly_for_links()
        if not (in_time or depth or subpath or live.named) and (path := lookup.spelled_out(store, name)):
            with contextlib.suppress(LargeFile):
                note = read_alone(self._read, path, offset=offset, max_chars=most, keep=keep)
                return self._serve(path, note, bounded=bounded)

        def read(index: Index) -> NoteText:
            target, part = lookup.split(index.catalog, name) if subpath is None else (name, subpath)
            path = lookup.known_note(index.catalog, target)
            try:
                note = read_note(
                    index, self._read, path, depth=depth, offset=offset, max_chars=most, keep=keep, subpath=part
                )
            except LargeFile:
                return read_large(index, store, path, offset=offset, max_chars=most, subpath=part)
            return self._serve(path, note, bounded=bounded)

        with self._explaining():
            return self._engine.session.read(read, Freshness.NAMES)

    def page(self, name: str, depth: int = 0, offset: int = 0) -> NotePage:
        """Return a note as a person reads it: one part of it, from the byte `offset` on, and what is around it.

        The part is expanded by at most `max_chars` characters. `NotePage.next_offset` tells where the next one begins.
        Of a note that is too large to be read whole, a part is its text alone.
        """
        store, seen = self._engine.store, self._seen

        def page(index: Index) -> NotePage:
            path, weights, most = lookup.known_note(index.catalog, name), self._engine.ranking.weights(), self.max_chars
            try:
                return page_of(
                    index, self._read, path, depth=depth, offset=offset, max_chars=most, weights=weights,
                    keep=self._engine.read_tracker.keep, seen=seen,
                )  # fmt: skip
            except LargeFile:
                return part_of(index, store, path, offset=offset, max_chars=most, weights=weights, seen=seen)

        with self._explaining():
            return self._with_links(page)

    def graph(self, folder: str = "") -> Overview:
        """The notes, below a folder if one is given, with their weights and links."""
        catalog, following, weights = self._with_links(
            lambda index: (index.catalog, index.links.copy(folder), self._engine.ranking.weights().copy())
        )
        return overview(catalog, following, weights)

    def read_file(self, path: str) -> bytes:
        """The bytes of an attachment: of a file that is no note, and not hidden."""
        return read_attachment(self._engine.store, path)

    def _serve(self, path: str, note: NoteText, *, bounded: bool) -> NoteText:
        """Remember how much of a note a reader knows now, and say when its file was changed."""
        if bounded:
            ends = note.ends if note.ends < note.characters else None
            self._engine.read_tracker.note(path, note.etag, note.begins, ends)
        stamp = self._engine.store.stamp(path)
        return note._replace(changed=stamp.day if stamp else "")

    def hints(self, count: int = 10, *, folder: str = "") -> list[Hint]:
        """Where to start reading, in the vault or below a folder."""
        seen = self._seen
        return self._with_links(lambda _: self._engine.ranking.hints(count, folder, seen=seen))

    def suggestions(self, threshold: float = 0.001, count: int = 10, *, folder: str = "") -> list[Suggestion]:
        """What to tidy, in the vault or below a folder."""
        return self._with_links(lambda _: self._engine.ranking.suggestions(threshold, count, folder))

    def unlinked(self, count: int = 10, *, folder: str = "") -> tuple[list[str], int]:
        """Return names of notes that no other note links to, and how many there are, in the vault or below a folder.

        The first have the least value, as `suggestions` counts it. The entry, `hint`, is not among them.
        """
        seen = self._seen
        return self._with_links(lambda _: self._engine.ranking.unlinked(count, folder, seen))

    def search(
        self, query: str, *, limit: int = 10, folders: Collection[str] | None = None, without: Collection[str] = ()
    ) -> list[Hit]:
        """The notes that hold any word of the query, best first; those below `folders`, none of those `without`.

        The first search of a vault reads all notes.
        """
        self._with_links(lambda _: None, Freshness.EDITS)
        search = self._searched()
        return search.find(query, limit=limit, folders=folders, without=without, progress=self._progress)

    def _searched(self) -> Search:
        """Return the search over the notes that the caller may see."""
        return self._engine.search

    def has_folder(self, folder: str) -> bool:
        """Return whether the caller may know of a file below a folder, which is compared as `search` does."""
        wanted = fold(folder).strip("/")
        paths = self._with_names(lambda index: index.catalog.below(index.catalog.folders_at(wanted)))
        return not wanted or any(map(self.reaches, paths))

    def check(self) -> list[Finding]:
        """What a person should look at."""
        damaged = self._engine.journal.faults()
        return self._findings(damaged)

    def _findings(self, damaged: Collection[str], has: Callable[[str], bool] = lambda _: True) -> list[Finding]:
        """Return what is wrong with the notes that the caller may know of; other threads get their turn meanwhile."""

        def look(index: Index) -> list[Finding]:
            return check(index, self._engine.tables.of(Properties), self._read, damaged, has, self._engine.live.pause)

        return self._with_links(look)

    def advice(self, *, folder: str = "") -> Advice | None:
        """Return the order of hints that would serve the vault, or a folder, better than the default; None if none."""
        if self._engine.ranking.order != "weight":
            return None
        orders: tuple[Order, ...] = ("weight", "balanced")
        seen = self._seen
        ranking = self._engine.ranking
        return advice(*self._with_links(lambda _: [ranking.hints(FIRST, folder, order, seen) for order in orders]))

    def complete(self, beginning: str, *, folder: str = "") -> tuple[list[str], int]:
        """Names for what was typed, at most 100, and how many there are, in the vault or below a folder."""
        return self._with_names(lambda index: lookup.complete(index.catalog, beginning, folder=folder))

    def counts(self, *, folder: str = "") -> tuple[int, int]:
        """How many notes there are, in the vault or below a folder, and how many distinct links they have."""
        return self._with_links(
            lambda index: (
                sum(1 for path in index.catalog.notes() if below(path, folder)),
                index.links.link_count(folder),
            )
        )

    def write(
        self, name: str, content: str, *, old: str | None = None, append: bool = False, etag: str | None = None
    ) -> Edited:
        """Create or replace a note; with `old`, one passage of it; with `append`, add to its end."""
        plan = functools.partial(plan_write, name=name, content=content, old=old, append=append, etag=etag)
        return self._apply(plan, Edited.by)

    def save(self, name: str, content: str, etag: str | None) -> Edited:
        """Replace all of a note by one who has read all of it; without an etag, create it."""
        return self._apply(lambda view: plan_save(view, name, content, etag), Edited.by)

    def delete(self, name: str, etag: str | None = None) -> Deleted:
        """Move a note to the trash; with an etag, only that version of it."""
        return self._apply(lambda view: plan_delete(view, name, etag), Deleted.by)

    def rename(self, name: str, new_name: str, *, merge: bool = True) -> Edited:
        """Rename a note, or merge it into the one that has the new name, and keep every link right.

        Raises:
            Taken: when another note has the new name and it is not to `merge`.
        """
        # a note that was linked by hand a moment ago must not be missed
        return self._apply(lambda view: plan_rename(view, name, new_name, merge=merge), Edited.by, Freshness.FILES)

    def extract(self, name: str, content: str, new_name: str) -> Extracted:
        """Move a passage of a note into another note, a new one or one that is there, and leave a link."""
        return self._apply(lambda view: plan_extract(view, name, content, new_name), Extracted.by)

    def preview_rename(self, name: str, new_name: str) -> Preview:
        """What `rename` would change."""
        return self._preview(lambda view: plan_rename(view, name, new_name), Freshness.FILES)

    def preview_extract(self, name: str, content: str, new_name: str) -> Preview:
        """What `extract` would change."""
        return self._preview(lambda view: plan_extract(view, name, content, new_name))

    def look(self, work: Callable[[Pages], _T]) -> _T:
        """What `work` finds in the pages; it may be called again, so it must not change anything."""
        store, tables = self._engine.store, self._engine.tables
        return self._with_links(
            lambda index: work(Pages(index.catalog, self._read, store.stamp, tables)), Freshness.EDITS
        )

    def edit(self, work: Callable[[Draft], _T]) -> _T:
        """Apply what `work` writes to a draft, whole or not at all; it is called again if a note changed meanwhile."""
        results: list[_T] = []

        def plan(view: View) -> Plan:
            draft = Draft(view, self._engine.tables)
            results[:] = [work(draft)]
            return draft.plan()

        self._apply(plan, Done.warn)
        return results[0]

    def log(self, name: str | None = None, count: int = 10) -> list[Revision]:
        """The last edits, or those of one note (which may be deleted by now), last first."""
        return self._past.revisions(self._past_path(name) if name else None, count)

    def reaches(self, name: str) -> bool:  # noqa: ARG002 - `Confined` uses it
        """Return whether the caller may know of the note that has this name, or of the file at this path."""
        return True

    def _has(self, path: str) -> bool:  # noqa: ARG002 - `Confined` uses it
        """Return whether the caller may know of the file at this path."""
        return True

    def last_author(self, names: Collection[str]) -> str:
        """Who made the last edit by a tool, if that changed all of these notes; else empty."""
        return self._past.last_author(names)

    def show(self, name: str, rev: str) -> str:
        """The text that a note had in a revision: after the edit of this number, with this etag, in this commit."""
        return read_text(self._past.text(self._past_path(name), rev)).shown

    def diff(self, name: str, rev: str | None = None, other: str | None = None) -> str:
        """How a note changed from one revision to another (else to now); by default, in its last edit."""
        return self._past.difference(self._past_path(name), rev, other)

    def restore(self, name: str, rev: str) -> Edited:
        """Give a note the text that it had in a revision; make it anew if it was deleted."""
        path = self._past_path(name)
        return self._apply(lambda view: plan_restore(view, path, self._past.text(path, rev)), Edited.by)

    def undo(self, count: int = 1) -> Undone:
        """Take back the last edits, as one step, over all their files."""
        return self._apply(lambda view: plan_undo_last(view, self._edits(), count), self._undone, tool=UNDO)

    def redo(self, count: int = 1) -> Undone:
        """Make again what the last undos took back."""
        return self._apply(lambda view: plan_redo_last(view, self._edits(), count), self._undone, tool=REDO)

    def _undone(self, done: Done) -> Undone:
        return Undone.by(done, undone_by(done.plan, self._edits()))

    def _edits(self) -> list[Edit]:
        """The edits that can be taken back, first first."""
        return self._past.edits()

    def _past_path(self, name: str) -> str:
        """The path of a note that is there, or may have been."""
        path = self._with_names(lambda index: lookup.find_note(index.catalog, name))
        path = path or path_of(lookup.unlinked(name))
        if is_hidden(path):
            raise BadName(name, "it is hidden")
        return path

    @property
    def _seen(self) -> str:
        """The folder whose notes the caller may know of; empty for all."""
        return ""

    def _with_names(self, work: Callable[[Index], _T]) -> _T:
        return self._engine.session.read(work, Freshness.NAMES)

    def _with_links(self, work: Callable[[Index], _T], freshness: Freshness = Freshness.LINKS) -> _T:
        return self._engine.session.read(work, freshness, self._progress)

    def _read(self, path: str) -> bytes:
        return self._engine.read(path)

    def _apply(
        self,
        planner: Callable[[View], Plan],
        tell: Callable[[Done], _T],
        freshness: Freshness = Freshness.EDITS,
        *,
        tool: str = "",
    ) -> _T:
        """Make an edit, commit it and tell of it."""
        self._engine.session.prepare(Freshness.LINKS, self._progress)
        if self._engine.mirror:
            self._engine.mirror.begin()
        with self._explaining():
            done = self._engine.editor.apply(planner, Author(tool or self._by.tool, self._by.client), freshness)
        if self._on_edit and done.edit:
            self._on_edit(done.edit)
        if self._engine.mirror and done.edit and (trouble := self._engine.mirror.commit(done.edit)):
            done.remarks.append(self._told_of_git(trouble))
        with self._engine.session.hold():
            return tell(done._replace(has=self._has))

    def _told_of_git(self, trouble: str) -> str:
        """Return why an edit has no commit yet, as far as the caller may know."""
        return trouble

    def _preview(self, planner: Callable[[View], Plan], freshness: Freshness = Freshness.EDITS) -> Preview:
        with self._explaining():
            return self._engine.editor.preview(planner, freshness)

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """Add advice to the error about a missing note."""
        try:
            yield
        except UnknownNote as error:
            if type(error) is not UnknownNote:  # a toolset's own error explains itself
                raise
            advice = self._advice_on_absent(error.name)
            advice = advice or absent.mentions(error.name, self._searched(), self._seen, error.nearest)
            raise UnknownNote(error.name, error.nearest, advice) from None

    def _advice_on_absent(self, name: str) -> str:
        return absent.advice(name, self._engine.store, self._past)
