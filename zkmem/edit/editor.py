"""Make edits: plan each one from the present vault, carry it out, and plan it again if a file changed meanwhile."""

from collections.abc import Callable

from zkmem.edit.done import Done
from zkmem.edit.journal import Author, Journal
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.edit.read_tracker import ReadTracker
from zkmem.index.catalog import Catalog
from zkmem.index.session import Freshness, Session
from zkmem.index.sync import Index
from zkmem.vault.store import Store
from zkmem.vault.watch.pause import own_edits


class Editor:
    """Makes edits in one vault, one after the other."""

    def __init__(
        self,
        store: Store,
        session: Session,
        journal: Journal,
        served: ReadTracker,
        collapser: Callable[[Catalog], Callable[[str, str], str]],
        version: Callable[[str, str], bytes | None],
    ) -> None:
        """`collapser` makes a function that undoes expansions; `version` returns a text that a note had."""
        self._store = store
        self._session = session
        self._journal = journal
        self._served = served
        self._collapser = collapser
        self._version = version

    def apply(self, planner: Callable[[View], Plan], by: Author, freshness: Freshness = Freshness.EDITS) -> Done:
        """Plan an edit and carry it out. If a file changed meanwhile, repeat both from the new state."""

        def plan_and_apply(_: Index) -> Done:
            view = self.view()
            plan = self._planned(planner, view)
            targets = frozenset(view.links.targets(plan.paths()))
            with own_edits.hold():
                edit, stamps = self._journal.apply(plan, by, view.versions())
                self._session.live.take_in(plan.paths(), plan.written(stamps))
            return self._served.edited(Done(plan, view, edit, list(plan.remarks), targets))

        return self._session.edit(plan_and_apply, freshness, self._journal.hold)

    def preview(self, planner: Callable[[View], Plan], freshness: Freshness = Freshness.EDITS) -> Preview:
        """Return what an edit would change."""

        def preview(_: Index) -> Preview:
            view = self.view()
            return Preview.of(self._planned(planner, view), view)

        return self._session.read(preview, freshness)

    def _planned(self, planner: Callable[[View], Plan], view: View) -> Plan:
        plan = planner(view)
        plan.check_sizes(self._store.most_bytes)
        return plan

    def view(self) -> View:
        """Return the present view of the vault, for planners."""
        index = self._session.live.index
        return View(
            index,
            self._store.read,
            self._store.stamp,
            self._store.taken,
            self._collapser(index.catalog),
            self._served.in_part,
            self._journal.versions.text,
            self._known,
        )

    def _known(self, path: str, tag: str) -> bytes | None:
        """Return the text of a note with an etag, if it was read or written here, or kept when a tool replaced it."""
        served = self._served.text(path, tag)
        return served if served is not None else self._version(path, tag)
