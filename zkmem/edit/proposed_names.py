"""Find what happened in the vault since a client began to propose, and the names that files had for the client."""

import contextlib
import functools
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.journal import Journal
from zkmem.index.catalog import Catalog, ProjectedCatalog
from zkmem.index.resolve import cleaned, resolve
from zkmem.names import NOTE_SUFFIX, base_of, fold
from zkmem.past.files import effective
from zkmem.past.names import FilesThen, LinkedFile, Names, PlannedMoves
from zkmem.vault.journal.log import Edit
from zkmem.vault.overlay import changed_by
from zkmem.vault.paths import is_hidden

_MOST_TRIED = 5  # removals before which a link is followed
_MOST_VIEWS = 200  # moments for one plan; each takes a look at all proposed edits


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
        news = [
            edit
            for log in self._logs
            for edit in itertools.takewhile(lambda edit: edit.number > begun, log.backwards())
        ]
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

    @property
    def move_files(self) -> bool:
        """Whether others have given files other names, or removed some."""
        return any(one.to is not None or one.after is None for edit in self.others for one in edit.changes)

    def entries(self, moments: Collection[int]) -> list[Edit]:
        """Return these entries, in order. Leave out undos and what they have undone: see `effective`."""
        entries = sorted([*self.others, *(one.edit for one in self.own)], key=lambda edit: edit.number)
        return list(effective(entries, moments))[::-1]


class _ClientView(NamedTuple):
    """What a client saw at a moment."""

    files: ProjectedCatalog
    waiting: Sequence[Edit]  # its earlier proposed edits, in order
    accepted: Sequence[Edit]  # those of its accepted edits that it did not read in the vault, in order
    known: int  # the last edit of the vault that it knew
    since: Mapping[str, int]  # that edit for a path which the client had changed, if it is another one


class ProposedNames(Names):
    """The names in the vault and, at negative moments, those that a client saw.

    The moment `-n` is the time right before its proposed edit `n`, after all its earlier ones.
    """

    def __init__(self, later: LaterEdits, proposed: Sequence[Edit]) -> None:
        """`proposed`: the proposed edits that are not accepted, in order, up to the one that is to be accepted."""
        accepted = [one.edit for one in later.own]
        moments = {number for edit in (*proposed, *accepted) for _, number in edit.since}
        moments.update(edit.number for edit in accepted)
        super().__init__(later.entries(moments))
        self._proposed = proposed
        self._accepted = later.own
        self._others = later.others
        self._views: dict[int, _ClientView] = {}  # by moment

    def target(
        self, catalog: Catalog, target: str, source: str, number: int, planned: PlannedMoves
    ) -> LinkedFile | None:
        """Return the file that a link meant at a moment: see `Names.target`."""
        if number >= 0:
            return super().target(catalog, target, source, number, planned)
        at_first = min((since for edit in self._proposed for _, since in edit.since), default=0)
        # a text that the client wrote or read earlier may have names of that time
        moments = (number, *self._before_removals(target, number), self._known(self._next(number)), at_first)
        targets = (self._target_at(moment, catalog, target, source, planned) for moment in moments)
        return next(filter(None, targets), None)

    def _next(self, number: int) -> Edit:
        """Return the first proposed edit after a moment."""
        return next((edit for edit in self._proposed if edit.number >= -number), self._proposed[-1])

    def _before_removals(self, target: str, number: int) -> Iterator[int]:
        """Yield the moments right before the client took away a file that a link could mean, the last one first.

        Each new moment costs a look at all edits, so there are no new ones after `_MOST_VIEWS`.
        """
        last = base_of(fold(cleaned(target)))
        until = self._next(number).time
        removals = sorted({*self._removals.get(last, ()), *self._removals.get(last + NOTE_SUFFIX, ())}, reverse=True)
        moments = (moment for time, moment in removals if (number < moment if moment < 0 else time < until))
        for moment in itertools.islice(moments, _MOST_TRIED):
            if moment >= 0 or moment in self._views or len(self._views) < _MOST_VIEWS:
                yield moment

    @functools.cached_property
    def _removals(self) -> Mapping[str, list[tuple[float, int]]]:
        """The moments right before the client took files away, and their times, by the folded last component."""
        edits = [(one.time, one.edit.number - 1, one.edit) for one in self._accepted]
        edits += [(edit.time, -edit.number, edit) for edit in self._proposed]
        removals = defaultdict[str, list[tuple[float, int]]](list)
        for time, moment, edit in edits:
            for change in edit.changes:
                if change.to is not None or change.after is None:
                    removals[base_of(fold(change.path))].append((time, moment))
        return removals

    def _target_at(
        self, number: int, catalog: Catalog, target: str, source: str, planned: PlannedMoves
    ) -> LinkedFile | None:
        """Return the file that a link meant for the client at this moment; None if it meant none."""
        if number >= 0:
            return super().target(catalog, target, source, number, planned)
        if number not in self._views:
            self._views[number] = self._view(catalog, number)
        view = self._views[number]
        path = resolve(view.files, target, source).path
        if path is None:
            return None
        known = min(view.known, view.since.get(path, view.known))
        return LinkedFile(path, self._present(path, view.waiting, view.accepted, known, planned))

    def _view(self, catalog: Catalog, number: int) -> _ClientView:
        """Return what the client saw at a moment. `catalog`: the present files."""
        last = self._next(number)
        waiting = [edit for edit in self._proposed if edit.number < -number]
        known = self._known(last)
        accepted = [one.edit for one in self._accepted if one.time < last.time and one.edit.number > known]
        # until an edit was accepted, the client read its own version of the notes that the edit changed
        unaccepted = (*(edit for edit in accepted if edit.time > last.time), *waiting)
        changed = changed_by([*map(_placing, accepted), *waiting])
        gone = {path: None for path, is_there in changed.items() if not is_there}
        come = [path for path, is_there in changed.items() if is_there and not is_hidden(path)]
        files = ProjectedCatalog(FilesThen(self, catalog, known), gone, come)
        since = {path: edit for one in unaccepted for path, edit in one.since}
        return _ClientView(files, waiting, accepted, known, since)

    def _known(self, edit: Edit) -> int:
        """Return the last edit of the vault that the client knew when it wrote the text that an edit has left.

        An undo brings back the text of the time before the edits that it undoes.
        """
        known = [dict(one.since).get("", 0) for one in self._proposed if one is edit or one.number in edit.undoes]
        for undone in self._accepted:
            if undone.number in edit.undoes and undone.time < edit.time:
                earlier = (one.number for one in reversed(self._others) if one.time < undone.time)
                known.append(next(earlier, 0))
        return min(known)

    def _present(
        self, path: str, waiting: Sequence[Edit], accepted: Sequence[Edit], known: int, planned: PlannedMoves
    ) -> str:
        """Return the path after the planned edit of the file that the client saw at a path.

        `waiting`, `accepted`: its earlier proposed edits, in order; `known`: the last edit of the vault that it knew
        when it read this file.
        """
        seen = path
        for edit in reversed(waiting):
            for change in reversed(edit.changes):
                if change.path == path and change.to is None and change.before is None:
                    return self._moved(seen, waiting)  # a waiting edit has made the file
                if change.to == path:
                    path = change.path
        if is_hidden(path):  # a waiting edit has brought it back
            return self._moved(seen, waiting)
        placed = (edit.number for edit in reversed(accepted) if _placing(edit).etags().get(path) is not None)
        return self.heir(path, max(known, next(placed, known)), planned)

    def _moved(self, path: str, waiting: Sequence[Edit]) -> str:
        """Return the path of a file that only proposed edits make, after the edits that follow the waiting ones."""
        for edit in self._proposed[len(waiting) :]:
            merged = dict(edit.merged)
            for change in edit.changes:
                if change.path == path and change.to:
                    path = merged.get(path) or (path if is_hidden(change.to) else change.to)
        return path


def _placing(edit: Edit) -> Edit:
    """Return an accepted edit with only the changes that create, move or remove files.

    Its changes of texts have the paths at the time of acceptance, which the client may not have known.
    """
    return edit._replace(changes=tuple(one for one in edit.changes if one.to or None in (one.before, one.after)))
