"""Read what has happened in the vault since a client began to propose edits."""

import contextlib
from collections.abc import Collection
from itertools import takewhile
from typing import NamedTuple

from zkmem.edit.journal import Journal
from zkmem.past.files import effective
from zkmem.vault.journal.log import Edit


class Own(NamedTuple):
    """An accepted edit of a client: the number and the time of its proposal, and its entry in the vault's log."""

    number: int
    time: float
    edit: Edit


class LaterEdits:
    """The edits, and changes by other programs, in the vault since a client began to propose.

    The logs are read once. After that, `follow` reads only what is new, so many edits can be accepted one by one.
    """

    def __init__(self, accepted: Journal, begun: int, client: str) -> None:
        """Read the logs of the vault after the number `begun`.

        `client`: the beginning of the keys of the client's edits.
        """
        self._logs = (accepted.log, accepted.outside)
        self._last = begun
        self._client = client
        self.own = list[Own]()
        """The accepted edits of the client."""
        self.accepted = set[str]()
        """The keys of the proposed edits of the client that were accepted."""
        self.others = list[Edit]()
        """What others have changed, in order."""
        self.follow()

    def follow(self) -> None:
        """Read the entries that the logs got since the last call."""
        begun = self._last
        news = [edit for log in self._logs for edit in takewhile(lambda edit: edit.number > begun, log.backwards())]
        for edit in sorted(news, key=lambda edit: edit.number):
            self._last = edit.number
            if edit.proposed.startswith(self._client):
                self.accepted.add(edit.proposed)
                with contextlib.suppress(ValueError):  # the log may be made up
                    _, number, proposed_at = edit.proposed.rsplit(" ", 2)
                    self.own.append(Own(int(number), float(proposed_at), edit))
            else:
                self.others.append(edit)
        if replaced := {edit.replaces for edit in news if edit.replaces}:
            self.others = [edit for edit in self.others if edit.number not in replaced]

    def entries(self, moments: Collection[int]) -> list[Edit]:
        """Return these entries, in order. Leave out undos and what they have undone: see `effective`."""
        entries = sorted([*self.others, *(one.edit for one in self.own)], key=lambda edit: edit.number)
        return list(effective(entries, moments))[::-1]
