"""How an edit is made: planned from the vault as it is, carried out, and planned anew if a file changed meanwhile."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from zkmem.edit.journal import By, Journal
from zkmem.edit.outcome import Done
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.errors import Changed, Taken, UnknownNote
from zkmem.index.live import LiveIndex

_PATIENCE_S = 10.0  # how long an edit is tried that meets other edits again and again
_PAUSE_S = 0.002

_T = TypeVar("_T")


class Editor:
    """Makes edits in one vault, one after the other."""

    def __init__(
        self, live: LiveIndex, journal: Journal, view: Callable[[], View], wrote: Callable[[Done], Done]
    ) -> None:
        """`view`: what plans are computed from; `wrote` is called with each edit, before another one can be made."""
        self._live = live
        self._journal = journal
        self._view = view
        self._wrote = wrote

    def apply(self, planner: Callable[[View], Plan], by: By, *, refresh: bool = False) -> Done:
        """Plan an edit and carry it out; again, from the new state, if a file changed meanwhile.

        With `refresh` the index is brought up to the whole vault first.
        """
        self._live.need_links()

        def plan_and_apply() -> Done:
            self.catch_up(whole=refresh)
            view = self._view()
            plan = planner(view)
            edit = self._journal.apply(plan, by)
            self._live.refresh(plan.paths())
            return self._wrote(Done(plan, view, edit, []))

        return self.fresh(plan_and_apply, self._journal.hold)

    def preview(self, planner: Callable[[View], Plan], *, refresh: bool = False) -> Preview:
        """What an edit would change."""
        self._live.need_links()

        def preview() -> Preview:
            self.catch_up(whole=refresh)
            view = self._view()
            return Preview.of(planner(view), view)

        return self.fresh(preview)

    def catch_up(self, *, whole: bool = False) -> None:
        """Take in what other processes have written, if not the `whole` vault; the index is locked."""
        news = self._journal.log.news()
        if whole or news is None:
            self._live.refresh()
        elif news:
            self._live.refresh({path for edit in news for path in edit.paths()})

    def fresh(self, work: Callable[[], _T], hold: Callable[[], AbstractContextManager[None]] = nullcontext) -> _T:
        """Do some work under the lock; again if a file changed meanwhile, or the index was behind the vault."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            version = self._live.version
            try:
                with hold(), self._live.lock:
                    return work()
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
