"""How an edit is made: planned from the vault as it is, carried out, and planned anew if a file changed meanwhile."""

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
        """`collapser`: what undoes expansions; `version`: a text that the note at a path had, by its etag."""
        self._store = store
        self._session = session
        self._journal = journal
        self._served = served
        self._collapser = collapser
        self._version = version

    def apply(self, planner: Callable[[View], Plan], by: Author, freshness: Freshness = Freshness.EDITS) -> Done:
        """Plan an edit and carry it out; again, from the new state, if a file changed meanwhile."""

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
        """What plans are computed from now."""
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
        """The text of a note with an etag: one that was served here, or that a tool has replaced or left."""
        served = self._served.text(path, tag)
        return served if served is not None else self._version(path, tag)
