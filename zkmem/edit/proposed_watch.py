"""Notice that edits were proposed, accepted or dropped, in this process or in another one."""

from collections.abc import Callable

from zkmem.edit.proposed_folders import LogStamp, log_stamps
from zkmem.util.locks import Rank, lock
from zkmem.vault.journal.state import State

Listener = Callable[[], object]
"""A function that is called after a change of the proposed edits. It may be called in any thread, and must not wait."""


class ProposedWatch:
    """Calls listeners when the proposed edits have changed. A look costs a few system calls, so it may be frequent."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._listeners: list[Listener] = []
        self._lock = lock(Rank.LEAF)  # guards `_last`
        self._last: dict[str, LogStamp] = {}

    def listen(self, listener: Listener) -> None:
        """Call `listener` after each later change."""
        if not self._listeners:
            self._has_changed()
        self._listeners.append(listener)

    def look(self) -> None:
        """Call the listeners if the proposed edits have changed since the last look."""
        if self._listeners and self._has_changed():
            for listener in self._listeners:
                listener()

    def _has_changed(self) -> bool:
        with self._lock:
            before, self._last = self._last, log_stamps(self._state)
            return before != self._last
