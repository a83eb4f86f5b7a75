"""What an edit did, as it is told to whoever made it."""

import logging
from collections.abc import Iterable
from typing import NamedTuple

from zkmem.edit.plan import Plan, View
from zkmem.index import lookup
from zkmem.vault.journal.log import Edit

_log = logging.getLogger(__name__)

_MOST_MERGED = 2_000  # characters of what others changed, shown with an edit


class Done(NamedTuple):
    """An edit that was made: its plan and what that was computed from, how it is logged, what else there is to say."""

    plan: Plan
    view: View
    edit: Edit | None
    remarks: list[str]  # that merged lines must be read first, that git took no commit

    def warn(self) -> None:
        """Log the remarks, where the answer of a tool has no room for them."""
        for remark in self.remarks:
            _log.warning("%s", remark)

    @property
    def merges_much(self) -> bool:
        """Whether others had changed more of the note than is shown with the edit."""
        return sum(map(len, self.plan.merged)) > _MOST_MERGED

    def names(self, paths: Iterable[str]) -> list[str]:
        """The names of the notes at some paths."""
        return [lookup.name_for(self.view.catalog, path) for path in paths]
