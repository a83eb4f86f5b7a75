"""The one door: what faces and toolsets may ask of a memory. It composes the floors below and computes nothing.

Safe to use from several threads: one lock guards the index, and is held while an edit is planned and applied.
"""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from zkmem.edit import journal
from zkmem.edit.extract import plan_extract
from zkmem.edit.plan import Plan, View
from zkmem.edit.rename import plan_delete, plan_rename
from zkmem.edit.write import plan_write
from zkmem.errors import Changed, Taken, UnknownNote
from zkmem.index import lookup
from zkmem.index.check import Finding, check
from zkmem.index.graph import missing_targets
from zkmem.index.live import Listener, LiveIndex
from zkmem.index.sync import Index, Progress
from zkmem.markdown import markers
from zkmem.markdown.note import parse
from zkmem.recall import expand
from zkmem.recall.ranking import Hint, Order, Ranking, Suggestion
from zkmem.recall.reading import NoteText, read_note
from zkmem.recall.served import Served
from zkmem.vault.files import etag
from zkmem.vault.store import Store

_PATIENCE_S = 10.0  # how long an edit is tried that meets other edits again and again
_PAUSE_S = 0.002

_T = TypeVar("_T")


class Edited(NamedTuple):
    """What an edit did: the note it was about, its new etag, and the notes whose links were rewritten with it."""

    name: str
    outcome: str  # "created", "replaced", "appended", "unchanged", "moved" or "merged"
    etag: str
    characters: int
    missing: list[str]  # targets of the note without a note, as written
    relinked: list[str]
    unread: list[str]  # notes that cannot be read, so that no link in them could be kept right


class Extracted(NamedTuple):
    """What an extraction did to the note it made, and to the one it took the passage from."""

    note: Edited
    source: Edited


class Deleted(NamedTuple):
    """Where a deleted note went, and what links to it mean now."""

    name: str
    trash: str
    dangling: list[str]  # notes with a link that means nothing now
    repointed: dict[str, str]  # notes with a link that means another note now, and that note


class Memory:
    """The memory in one vault."""

    def __init__(self, vault: str, *, max_chars: int | None = 24_000, hints_order: Order = "weight") -> None:
        """Open a vault; nothing is read yet.

        Raises:
            NoVault: when it is not a folder.
        """
        self._store = Store(vault)
        self._live = LiveIndex(self._store)
        self._ranking = Ranking(self._live.index, hints_order)
        self._served = Served()
        self._max_chars = max_chars

    @property
    def vault(self) -> str:
        """The vault's folder, absolute and without symlinks."""
        return self._store.root

    def start(self, *, watch: bool = True) -> None:
        """Build the index in a thread, and keep it in step with edits by hand; returns at once."""
        self._live.start(watch=watch)

    def load(self, progress: Progress | None = None) -> None:
        """Build the index here and now."""
        self._live.need_links(progress)

    def close(self) -> None:
        """Stop watching, and wait for the threads."""
        self._live.close()

    def listen(self, listener: Listener) -> None:
        """Call `listener`, in any thread, with the names of notes that changed, by whoever."""
        self._live.listen(listener)

    def read(self, name: str, depth: int = 0, offset: int = 0, *, bounded: bool = True) -> NoteText:
        """The text of a note from the character `offset` on, expanded `depth` levels deep.

        It is `bounded` by the memory's `max_chars`, or whole.

        Raises:
            UnknownNote: when there is none, with the nearest names. AmbiguousName: when there are several.
        """
        index = self._live.hope_for_links()
        most = self._max_chars if bounded else None

        def read() -> NoteText:
            path = lookup.known_note(index.catalog, name)
            note = read_note(index, self._read, path, depth=depth, offset=offset, max_chars=most)
            if bounded:
                self._served.note(path, note.etag, offset, note.next_offset)
            return note

        return self._fresh(read)

    def hints(self, count: int = 10) -> list[Hint]:
        """Where to start reading."""
        self._need_links()
        with self._live.lock:
            return self._ranking.hints(count)

    def suggestions(self, threshold: float = 0.001, count: int = 10) -> list[Suggestion]:
        """What to tidy."""
        self._need_links()
        with self._live.lock:
            return self._ranking.suggestions(threshold, count)

    def check(self) -> list[Finding]:
        """What a person should look at."""
        index = self._need_links()
        with self._live.lock:
            return check(index)

    def complete(self, beginning: str) -> tuple[list[str], int]:
        """Names for what was typed, at most 100, and how many there are."""
        index = self._live.need_names()
        with self._live.lock:
            return lookup.complete(index.catalog, beginning)

    def counts(self) -> tuple[int, int]:
        """How many notes there are, and how many distinct links they have."""
        index = self._need_links()
        with self._live.lock:
            return sum(1 for _ in index.catalog.notes()), index.links.link_count()

    def write(
        self, name: str, content: str, *, old: str | None = None, append: bool = False, etag: str | None = None
    ) -> Edited:
        """Create or replace a note; with `old`, one passage of it; with `append`, add to its end."""
        plan, view = self._apply(lambda view: plan_write(view, name, content, old=old, append=append, etag=etag))
        return self._edited(plan, view)

    def delete(self, name: str) -> Deleted:
        """Move a note to the trash."""
        plan, _ = self._apply(lambda view: plan_delete(view, name))
        repointed = {self._name(source): self._name(now) for source, now in plan.fallout.repointed.items()}
        return Deleted(self._name(plan.path), plan.steps[0].path_after, self._names(plan.fallout.dangling), repointed)

    def rename(self, name: str, new_name: str) -> Edited:
        """Rename a note, or merge it into the one that has the new name, and keep every link right."""
        self._live.refresh()  # a note that was linked by hand a moment ago must not be missed
        return self._edited(*self._apply(lambda view: plan_rename(view, name, new_name)))

    def extract(self, name: str, content: str, new_name: str) -> Extracted:
        """Move a passage of a note into another note, a new one or one that is there, and leave a link."""
        plan, view = self._apply(lambda view: plan_extract(view, name, content, new_name))
        source = plan._replace(path=plan.steps[1].path, outcome="replaced", relinked=())
        return Extracted(self._edited(plan, view), self._edited(source, view))

    def _need_links(self) -> Index:
        self._store.check()
        return self._live.need_links()

    def _read(self, path: str) -> bytes:
        return self._store.read(path)[0]

    def _view(self) -> View:
        index = self._live.index
        look_up = expand.lookup(index.catalog, self._read)

        def collapse(text: str, path: str) -> str:
            return markers.collapse(text, path, look_up)

        return View(index, self._read, self._store.taken, collapse, self._served.in_part)

    def _apply(self, planner: Callable[[View], Plan]) -> tuple[Plan, View]:
        """Plan an edit and carry it out; again, from the new state, if a file changed meanwhile."""
        self._live.need_links()

        def plan_and_apply() -> tuple[Plan, View]:
            view = self._view()
            plan = planner(view)
            journal.apply(self._store, plan)
            self._live.refresh(plan.paths())
            for step in plan.steps:
                self._served.moved(step.path, step.path_after)
                data = plan.data(step.path_after, view)
                if self._max_chars is not None and len(data) > self._max_chars:  # else it is never served in part
                    self._served.wrote(step.path_after, etag(data))
            return plan, view

        return self._fresh(plan_and_apply)

    def _fresh(self, work: Callable[[], _T]) -> _T:
        """Do some work under the lock; again if a file changed meanwhile, or the index was behind the vault."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                with self._live.lock:
                    return work()
            except Changed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_S)  # whoever writes the file in these very moments may be done then
                self._live.refresh()
            except (Taken, UnknownNote):
                if not self._live.index.ready or time.monotonic() > deadline or not any(self._live.refresh()):
                    raise

    def _edited(self, plan: Plan, view: View) -> Edited:
        """What to tell of a plan, from the bytes that it wrote: the file may be another one by now."""
        data = plan.data(plan.path, view)
        facts = parse(data)
        with self._live.lock:
            return Edited(
                name=self._name(plan.path),
                outcome=plan.outcome,
                etag=etag(data),
                characters=facts.characters,
                missing=missing_targets(view.catalog, plan.path, facts),
                relinked=self._names(plan.relinked),
                unread=self._names(sorted(view.catalog.unread)),
            )

    def _name(self, path: str) -> str:
        return lookup.name_for(self._live.index.catalog, path)

    def _names(self, paths: Iterable[str]) -> list[str]:
        return [self._name(path) for path in paths]
