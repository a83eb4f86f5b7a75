"""How an edit is made: planned from the vault as it is, carried out, and planned anew if a file changed meanwhile."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from zkmem.edit.done import Done
from zkmem.edit.journal import Author, Journal
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.edit.read_tracker import ReadTracker
from zkmem.errors import Changed, Taken, UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.live import Behind, LiveIndex
from zkmem.vault.store import Store
from zkmem.vault.watch.pause import own_edits

_PATIENCE_S = 10.0  # how long an edit is tried that meets other edits again and again
_PAUSE_S = 0.002

_T = TypeVar("_T")


class Editor:
    """Makes edits in one vault, one after the other."""

    def __init__(
        self,
        store: Store,
        live: LiveIndex,
        journal: Journal,
        served: ReadTracker,
        collapser: Callable[[Catalog], Callable[[str, str], str]],
        version: Callable[[str, str], bytes | None],
    ) -> None:
        """`collapser`: what undoes expansions; `version`: a text that the note at a path had, by its etag."""
        self._store = store
        self._live = live
        self._journal = journal
        self._served = served
        self._collapser = collapser
        self._version = version

    def apply(self, planner: Callable[[View], Plan], by: Author, *, refresh: bool = False) -> Done:
        """Plan an edit and carry it out; again, from the new state, if a file changed meanwhile.

        With `refresh` the index is brought up to the whole vault first.
        """
        self._prepare(refresh=refresh)

        def plan_and_apply() -> Done:
            self.catch_up()
            view = self.view()
            plan = self._planned(planner, view)
            targets = frozenset(view.links.targets(plan.paths()))
            with own_edits.hold():
                edit = self._journal.apply(plan, by)
                self._live.take_in(plan.paths())
            return self._served.edited(Done(plan, view, edit, list(plan.remarks), targets))

        return self.retry_if_changed(plan_and_apply, self._journal.hold)

    def preview(self, planner: Callable[[View], Plan], *, refresh: bool = False) -> Preview:
        """Return what an edit would change."""
        self._prepare(refresh=refresh)

        def preview() -> Preview:
            self.catch_up()
            view = self.view()
            return Preview.of(self._planned(planner, view), view)

        return self.retry_if_changed(preview)

    def _planned(self, planner: Callable[[View], Plan], view: View) -> Plan:
        plan = planner(view)
        plan.check_sizes(self._store.most_bytes)
        return plan

    def _prepare(self, *, refresh: bool) -> None:
        """Complete the index before taking any lock: checking every file of a large vault takes long."""
        if refresh:
            self._live.refresh()
        else:
            self._live.need_links()

    def view(self) -> View:
        """What plans are computed from now."""
        index = self._live.index
        return View(
            index,
            lambda path: self._store.read(path)[0],
            self._store.stamp,
            self._store.taken,
            self._collapser(index.catalog),
            self._served.in_part,
            self._journal.versions.text,
            self._known,
        )

    def _known(self, path: str, tag: str) -> bytes | None:
        """The text of a note with an etag: one that was served here, or that a tool has replaced or left."""
        served = self._served.text(path, tag)
        return served if served is not None else self._version(path, tag)

    def catch_up(self) -> None:
        """Take in what other processes have written. The calling thread holds the index, which is complete."""
        news = self._journal.log.news()
        if news is None or news:
            self._live.take_in(None if news is None else {path for edit in news for path in edit.paths()})

    def retry_if_changed(
        self, work: Callable[[], _T], hold: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> _T:
        """Do some work under the lock; repeat it if a file changed meanwhile, or the index or a table was behind."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            version = self._live.version
            try:
                with hold(), self._live.as_it_is():
                    return work()
            except Behind as behind:
                behind.catch_up()
            except Changed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_S)  # whoever writes the file in these very moments may be done then
                self._live.refresh()
            except (Taken, UnknownNote):
                if not self._live.index.ready or time.monotonic() > deadline:
                    raise
                self._live.refresh()
                if self._live.version == version:  # the watcher may have been faster
                    raise
