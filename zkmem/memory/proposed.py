"""The methods of a memory for a person who looks at the edits that clients have proposed."""

import contextlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from zkmem.edit.accept import (
    needs_of,
    only_creates,
    plan_accept,
    plan_accept_chain,
    plan_accept_merged,
    plan_accept_new,
    with_dependent,
    with_needed,
)
from zkmem.edit.done import Done
from zkmem.edit.plan import Plan, Planner, View
from zkmem.edit.proposed import ProposedJournal
from zkmem.edit.proposed_folders import proposers
from zkmem.edit.proposed_names import LaterEdits
from zkmem.errors import BadArgument, Busy, Forbidden, NothingProposed, NoVault, NoVersion, ZkError
from zkmem.markdown.note import read_text
from zkmem.memory.base import MemoryBase
from zkmem.names import is_note, name_of
from zkmem.past.revisions import Past
from zkmem.records.outcome import Accepted, Blocked, BothVersions, LeftOut
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Edit

if TYPE_CHECKING:
    from zkmem.recall.change_sets import ChangeSet
    from zkmem.recall.changes import ChangedNote

_MOST_CHECKED = 100  # proposed edits, whose plans `blocked` makes
_MOST_BYTES = 50_000_000  # of the texts that these plans change; the first plan may have more
_FEWEST_TOGETHER, _MOST_TOGETHER = 3, 250  # new notes that are accepted at once
_MOST_MERGED = 1_000_000  # bytes of a text that a person merges
_PAUSE_S = 0.0005  # without the pause, this thread would take the index again at once, and others would wait


class ProposedEdits(MemoryBase):
    """The proposed edits of other callers."""

    def proposed(
        self, client: str | None = None, *, project: str | None = None, month: str | None = None, first: int = 0
    ) -> "list[ChangeSet]":
        """Return the edits that each client has proposed and that nobody has accepted or dropped.

        `client`: only those of this client. `project`, `month`: only edits of imported notes of this project, and of
        this month, such as 2026-11 ("" for notes without a date). `first`: list the edits from this one on, counted
        from 0.

        Raises:
            Forbidden: when the edits of this caller are proposed, too.
        """
        from zkmem.recall.change_sets import change_set, groups_of, is_of_group  # noqa: PLC0415 - only a reviewer needs it

        self._rights.check_decides()
        sets, compared = [], self._rights.past.compared
        clients = (one for one in proposers(self._engine.journal) if client in {None, one})
        for one in clients:
            with contextlib.suppress(NothingProposed):  # somebody may accept or drop them just now
                journal = self._engine.proposed_by(one)
                edits = self._edits_left(journal)
                if chosen := [edit for edit in edits if is_of_group(edit, project, month)]:
                    text, groups = self._past(journal).texts_of(chosen), groups_of(edits)
                    sets.append(change_set(one, chosen, needs_of(edits), text, compared, groups, first))
        return sets

    def listen_to_proposed(self, listener: Callable[[], object]) -> None:
        """Call `listener` after any process has proposed, accepted or dropped edits, also outside the caller's folder.

        The call comes at once if this process did it, else within about a second. It may come from any thread, and the
        listener must not wait for anything.
        """
        self._engine.proposed_watch.listen(listener)

    def proposed_changes(
        self, client: str, edits: Collection[int] = (), *, first: int = 0, limit: int = 20
    ) -> "list[ChangedNote]":
        """Return what proposed edits of a client would do to each note, from the note numbered `first` on.

        `edits`: the numbers of the edits; by default, all.

        Raises:
            NothingProposed: when the client has not proposed these edits. Forbidden: as for `proposed`.
        """
        from zkmem.past.review import note_changes  # noqa: PLC0415
        from zkmem.recall.changes import changed_notes  # noqa: PLC0415 - only a reviewer needs it

        journal, chosen = self._chosen(client, edits)
        text, reaches = self._past(journal).texts_of(chosen), self._rights.reaches
        session = self._engine.session
        return changed_notes(note_changes(chosen), text, session, reaches, lambda *_: [], first, limit)

    def blocked(self, client: str) -> Blocked:
        """Return which proposed edits of a client cannot be accepted as the notes are now.

        The first 100 edits are checked, or fewer if their notes are long. Nothing is written. An edit that needs others
        is checked together with them. If the notes change, or if such an edit alone is in conflict, `accept` may leave
        out more edits.

        Raises:
            NothingProposed: when the client has proposed nothing. Forbidden: as for `proposed`.
        """
        journal, waiting = self._to_decide(client, ())
        checked = self._checkable(journal, waiting)
        needs, later, blocked = needs_of(checked), journal.later(), dict[int, LeftOut]()
        foreign = self._foreign(later)
        self._catch_up()
        for edit in checked:
            if missing := needs[edit.number] & blocked.keys():
                reason = f"It needs proposed edit {min(missing)}, which cannot be accepted."
                blocked[edit.number] = LeftOut(edit.number, reason, False)
                continue
            chain = with_needed(checked, {edit.number})

            def plan(view: View, chain: list[Edit] = chain) -> Plan:
                return plan_accept_chain(view, chain, later, journal.text, foreign)

            try:
                with self._rights.errors():
                    self._engine.editor.check(self._rights.planner(plan))
            except (Busy, NoVault):
                raise
            except ZkError as error:
                blocked[edit.number] = self._left_out(edit, error)
            time.sleep(_PAUSE_S)
        return Blocked(list(blocked.values()), len(waiting) - len(checked))

    def _checkable(self, journal: ProposedJournal, waiting: Sequence[Edit]) -> Sequence[Edit]:
        """Return the first edits whose plans, each with those of the edits that it needs, are not too much work."""
        first, left = waiting[:_MOST_CHECKED], _MOST_BYTES
        for at, edit in enumerate(first):
            paths = {path for one in with_needed(first, {edit.number}) for path in one.paths()}
            stamps = (stamp for path in paths if (stamp := journal.store.stamp(path)) is not None)
            left -= sum(stamp.size for stamp in stamps)
            if left < 0 and at:
                return first[:at]
        return first

    def proposed_numbers(self, client: str, *, project: str | None = None, month: str | None = None) -> list[int]:
        """Return the numbers of all edits of a client that wait, in ascending order.

        `project`, `month`: as for `proposed`.

        Raises:
            NothingProposed: when the client has proposed no such edit. Forbidden: as for `proposed`.
        """
        from zkmem.recall.change_sets import is_of_group  # noqa: PLC0415 - only a reviewer needs it

        waiting = self._to_decide(client, ())[1]
        numbers = [edit.number for edit in waiting if is_of_group(edit, project, month)]
        if not numbers:
            raise NothingProposed(client, group=" ".join(filter(None, (project, month))))
        return numbers

    def proposed_diff(self, client: str, edits: Collection[int] = ()) -> str:
        """Return what proposed edits of a client (default: all) would do to the text of each note, as unified diffs.

        Raises:
            NothingProposed: when the client has not proposed these edits. Forbidden: as for `proposed`.
        """
        from zkmem.past.review import note_changes  # noqa: PLC0415
        from zkmem.recall.change_sets import differences  # noqa: PLC0415 - only a reviewer needs it

        journal, chosen = self._chosen(client, edits)
        return "".join(differences(note_changes(chosen), self._past(journal).texts_of(chosen)))

    def proposed_versions(self, client: str, edit: int) -> BothVersions:
        """Return the two versions of a note, of which a proposed edit changes nothing but the text.

        Raises:
            NothingProposed: when the client has not proposed this edit. Forbidden: as for `proposed`. BadArgument: when
                the edit changes something else, too, when the note is gone, or when a text is too long.
        """
        journal, [chosen] = self._chosen(client, [edit])
        path = self._mergeable(chosen)
        if path is None:
            raise BadArgument(f"Proposed edit {edit} is not only about the text of a note that is there.")
        [change] = chosen.changes
        now = self._rights.read(path)
        base = journal.text(change.before) if change.before else b""
        mine = journal.text(change.after or "")
        if base is None or mine is None:
            raise NoVersion(f"The texts of proposed edit {edit} are not kept any more.")
        if len(base) + len(mine) > 2 * _MOST_MERGED:
            raise BadArgument(f"The texts of proposed edit {edit} are too long to be merged by a person.")
        texts = (read_text(data).shown for data in (base, mine, now))
        return BothVersions(name_of(path), etag(now), *texts)

    def accept(
        self,
        client: str,
        edits: Collection[int] = (),
        *,
        as_new: bool = False,
        seen: float | None = None,
        merged: tuple[str, str] | None = None,
    ) -> Accepted:
        """Accept proposed edits of a client, and those that they need; by default, all.

        Each edit is made whole or not at all. What others have written since is merged, as with an edit that was made
        from an older text. With `as_new`, each note that is gone is created as a new note. `seen`: the time
        of the last edit that the person has seen, in seconds since 1970; later ones are not accepted. `merged`: the
        text that the note gets by the one edit in `edits`, made by a person of `proposed_versions`, and their etag.

        Raises:
            NothingProposed: when the client has not proposed these edits. Forbidden: when the caller may not edit.
        """
        self._rights.check_edit()
        if merged and len(edits) != 1:
            raise BadArgument("Give one edit with its merged text; nothing was accepted.")
        journal, waiting = self._to_decide(client, edits, seen)
        needs, left = needs_of(waiting), dict[int, LeftOut]()
        chosen = with_needed(waiting, edits) if edits else waiting
        self._catch_up()
        later = journal.later()
        accepted = dict.fromkeys(self._accept_new(journal, [] if merged else chosen, needs, later))
        chosen = [edit for edit in chosen if edit.number not in accepted]
        for at, edit in enumerate(chosen):
            if missing := needs[edit.number] & left.keys():
                left[edit.number] = LeftOut(
                    edit.number, f"It needs proposed edit {min(missing)}, which was not made.", False
                )
                continue
            try:
                earlier = [one for one in waiting if one.number < edit.number and one.number not in accepted]
                whole = merged if edit.number in edits else None
                self._accept(journal, edit, earlier, later, as_new=as_new, merged=whole)
                accepted[edit.number] = None
            except (Busy, NoVault) as error:
                if not accepted:
                    raise
                left |= {one.number: LeftOut(one.number, str(error), False) for one in chosen[at:]}
                break
            except ZkError as error:
                left[edit.number] = self._left_out(edit, error)
        if accepted:
            journal.discard(accepted)
            self._engine.proposed_watch.look()
        return Accepted(sorted(accepted), list(left.values()))

    def drop(self, client: str, edits: Collection[int] = (), *, seen: float | None = None) -> list[int]:
        """Drop proposed edits of a client, and those that need them; by default, all. Return their numbers.

        `seen`: as for `accept`. A later edit is dropped if it needs one that is dropped.

        Raises:
            NothingProposed: when the client has not proposed these edits. Forbidden: when the caller may not edit.
        """
        self._rights.check_edit()
        journal, waiting = self._to_decide(client, edits, seen)
        every = journal.left()
        dropped = [one.number for one in with_dependent(every, edits or [one.number for one in waiting])]
        if set(dropped) - {one.number for one in self._edits_left(journal)}:
            raise Forbidden("Edits that change notes outside of your folder need these edits; nothing was dropped.")
        journal.discard(dropped)
        self._engine.proposed_watch.look()
        return dropped

    def _to_decide(
        self, client: str, edits: Collection[int], seen: float | None = None
    ) -> tuple[ProposedJournal, list[Edit]]:
        """Return the journal of a client, and its edits that wait; check that `edits` are among them."""
        self._rights.check_decides()
        journal = self._engine.proposed_by(client)
        waiting = self._edits_left(journal, seen)
        _check_known(client, waiting, edits)
        return journal, waiting

    def _chosen(self, client: str, edits: Collection[int]) -> tuple[ProposedJournal, list[Edit]]:
        """Return the journal of a client and the edits with these numbers, or all that wait."""
        journal, waiting = self._to_decide(client, edits)
        return journal, [one for one in waiting if not edits or one.number in edits]

    def _accept_new(
        self, journal: ProposedJournal, edits: Sequence[Edit], needs: Mapping[int, set[int]], later: LaterEdits
    ) -> list[int]:
        """Accept those edits that only create notes, many in one transaction; return the numbers of those accepted.

        None is accepted here if others have moved or removed files since: their links may need another name.
        """
        new = [edit for edit in edits if not needs[edit.number] and only_creates(edit)]
        if len(new) < _FEWEST_TOGETHER or later.move_files:
            return []
        accepted = list[int]()
        for start in range(0, len(new), _MOST_TOGETHER):
            some = new[start : start + _MOST_TOGETHER]
            authors = (self._caller.author(edit.tool, edit.client, edit.call) for edit in some)
            plans = list(zip((self._plan_new(journal, edit) for edit in some), authors, strict=True))
            done = self._apply_all(plans)
            accepted += [edit.number for edit, one in zip(some, done, strict=True) if isinstance(one, Done)]
        later.follow()
        return accepted

    def _plan_new(self, journal: ProposedJournal, edit: Edit) -> Planner:
        return lambda view: plan_accept_new(view, edit, journal.text, journal.key(edit))

    def _accept(
        self,
        journal: ProposedJournal,
        edit: Edit,
        earlier: Sequence[Edit],
        later: LaterEdits,
        *,
        as_new: bool,
        merged: tuple[str, str] | None,
    ) -> None:
        key, path = journal.key(edit), self._mergeable(edit) if merged else None
        if merged and path is None:
            raise BadArgument(f"Proposed edit {edit.number} is not only about the text of a note that is there.")

        def plan(view: View) -> Plan:
            later.follow()
            if merged and path and key not in later.accepted:
                return plan_accept_merged(view, edit, path, *merged, key)
            return plan_accept(view, edit, earlier, later, journal.text, key, self._foreign(later), as_new=as_new)

        self._apply(plan, Done.warn, tool=edit.tool, client=edit.client, call=edit.call)

    def _foreign(self, later: LaterEdits) -> set[int]:
        """Return the numbers of those edits that the caller may not see."""
        past = self._rights.past
        return {one.number for one in later.others if not past.sees(one)}

    def _past(self, journal: ProposedJournal) -> Past:
        past = Past(journal.store, journal.log, journal.outside, journal.versions, None, self._engine.as_of.files)
        return past if self._rights.sees_all else past.within(self._rights.has)

    def _edits_left(self, journal: ProposedJournal, seen: float | None = None) -> list[Edit]:
        """Return the edits that wait and that change only what the caller may see, the oldest first."""
        left = {edit.number for edit in journal.left() if seen is None or edit.time <= seen}
        return [edit for edit in self._past(journal).edits() if edit.number in left]

    def _left_out(self, edit: Edit, error: ZkError) -> LeftOut:
        path = self._mergeable(edit)
        return LeftOut(edit.number, str(error), self._is_gone(edit), name_of(path) if path else "")

    def _mergeable(self, edit: Edit) -> str | None:
        """Return the present path of the note whose text is all that an edit changes; None if it changes more."""
        [change, *more] = edit.changes
        if more or change.to is not None or change.after is None or not is_note(change.path):
            return None
        store = self._engine.store
        path = change.path if store.stamp(change.path) else self._rights.past.renamed(change.path)
        stamp = store.stamp(path) if path and self._rights.has(path) else None
        return path if stamp and stamp.size <= _MOST_MERGED else None

    def _is_gone(self, edit: Edit) -> bool:
        """Return whether a note whose text the edit changes is gone."""
        texts = [one.path for one in edit.changes if one.to is None and None not in {one.before, one.after}]
        store, past = self._engine.store, self._rights.past
        return any(store.stamp(path) is None and past.renamed(path) is None for path in texts)


def _check_known(client: str, waiting: Sequence[Edit], numbers: Collection[int]) -> None:
    """Check that a client has proposed these edits, or any edit."""
    if not waiting:
        raise NothingProposed(client)
    if unknown := set(numbers) - {edit.number for edit in waiting}:
        raise NothingProposed(client, min(unknown))
