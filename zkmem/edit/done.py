"""The result of an edit, from which answers are made."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.plan import Plan, View
from zkmem.index import lookup
from zkmem.names import base_of, fold, is_note
from zkmem.util.spelling import told_apart
from zkmem.vault.journal.log import Edit

_log = logging.getLogger(__name__)

_MOST_UNREAD = 10  # notes and folders to name
_MOST_MERGED = 2_000  # characters of other people's changes to show with an edit


class Done(NamedTuple):
    """A finished edit: its plan, the view that the plan was computed from, its entry in the log, and remarks."""

    plan: Plan
    view: View
    edit: Edit | None
    remarks: list[str]  # for example, that git could not commit
    targets: frozenset[str] = frozenset()  # paths that the edited notes linked to before the edit
    has: Callable[[str], bool] = lambda _: True  # whether the caller may see the file at a path
    warnings: Sequence[str] = ()  # sentences about the new text, such as that it looks like a key; never logged
    outdated: Sequence[Mapping[str, str]] = ()
    """Sentences of other notes that still have a replaced value: see `recall/outdated.py`."""

    def warn(self) -> Sequence[str]:
        """Log all remarks, as the answers of some tools cannot contain them; return those about the edit itself."""
        for remark in [*self.remarks, *self.unchecked()]:
            _log.warning("%s", remark)
        return [*self.plan.remarks, *self.warnings]

    def unread(self) -> list[str]:
        """Return the notes that cannot be read, and the folders, with a slash at their end."""
        return [
            path if path.endswith("/") else self.names([path])[0] for path in self.view.index.unread() if self.has(path)
        ]

    def unchecked(self) -> list[str]:
        """Return a remark if the edit takes a name away from links, and some notes with links cannot be read."""
        unread = told_apart(self.unread()) if self.plan.takes_names else []
        more = f" and {len(unread) - _MOST_UNREAD} more" if len(unread) > _MOST_UNREAD else ""
        return [f"not checked, unreadable: {', '.join(unread[:_MOST_UNREAD])}{more}"] if unread else []

    @property
    def merges_much(self) -> bool:
        """Return whether the changes of others are too long to be shown with the edit."""
        return sum(map(len, self.plan.merged)) > _MOST_MERGED

    def is_linked(self, path: str) -> bool:
        """Return whether another note links to the note at `path`."""
        return any(source != path and self.has(source) for source in self.view.links.leading(path))

    def unlinked(self) -> list[str]:
        """Return the names of the notes whose last backlink the edit removed."""
        notes = (path for path in sorted(self.targets) if is_note(path) and path in self.view.catalog)
        return self.names(path for path in notes if self.has(path) and not self.is_linked(path))

    def namesakes(self) -> list[str]:
        """Return the names of other notes with the same last part as a note that the edit created or moved."""
        if self.plan.outcome not in {"created", "moved"}:
            return []
        others = self.view.catalog.named(base_of(fold(self.plan.path)))
        return self.names(path for path in sorted(others) if path != self.plan.path and self.has(path))

    def names(self, paths: Iterable[str]) -> list[str]:
        """Return the names of the notes at some paths."""
        return [lookup.name_for(self.view.catalog, path) for path in paths]
