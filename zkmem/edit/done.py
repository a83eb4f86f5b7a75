"""What an edit did, as it is told to whoever made it."""

import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple

from zkmem.edit.plan import Plan, View
from zkmem.index import lookup
from zkmem.names import base_of, fold, is_note
from zkmem.vault.journal.log import Edit

_log = logging.getLogger(__name__)

_MOST_MERGED = 2_000  # characters of what others changed, shown with an edit


class Done(NamedTuple):
    """An edit that was made: its plan and what that was computed from, how it is logged, what else there is to say."""

    plan: Plan
    view: View
    edit: Edit | None
    remarks: list[str]  # that merged lines must be read first, that git took no commit
    targets: frozenset[str] = frozenset()  # what the notes of the plan linked to before
    has: Callable[[str], bool] = lambda _: True  # whether the caller may know of a file

    def warn(self) -> None:
        """Log the remarks, where the answer of a tool has no room for them."""
        for remark in self.remarks:
            _log.warning("%s", remark)

    @property
    def merges_much(self) -> bool:
        """Whether others had changed more of the note than is shown with the edit."""
        return sum(map(len, self.plan.merged)) > _MOST_MERGED

    def is_linked(self, path: str) -> bool:
        """Whether another note links to this one."""
        return any(source != path and self.has(source) for source in self.view.links.leading(path))

    def unlinked(self) -> list[str]:
        """The names of the notes to which the edit took away the last link."""
        there = (path for path in sorted(self.targets) if is_note(path) and path in self.view.catalog)
        return self.names(path for path in there if self.has(path) and not self.is_linked(path))

    def namesakes(self) -> list[str]:
        """The names of other notes that end like that of the note that was made."""
        if self.plan.outcome != "created":
            return []
        others = self.view.catalog.named(base_of(fold(self.plan.path)))
        return self.names(path for path in sorted(others) if path != self.plan.path and self.has(path))

    def names(self, paths: Iterable[str]) -> list[str]:
        """The names of the notes at some paths."""
        return [lookup.name_for(self.view.catalog, path) for path in paths]
