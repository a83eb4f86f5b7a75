"""Plan to undo edits and to restore older texts, from the log of edits and the kept texts."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from zkmem.edit.plan import LeftEdit, Plan, Put, View
from zkmem.edit.preview import Preview
from zkmem.edit.relink import Relinker
from zkmem.edit.undo_plan import plan_undo
from zkmem.edit.undo_walk import described
from zkmem.errors import BadArgument, EditedSince, NothingToUndo, NoVersion, UnknownEdit, ZkError
from zkmem.names import name_of
from zkmem.past.files import EditedFile
from zkmem.past.names import Names, PlannedMoves
from zkmem.past.old_texts import OldText
from zkmem.past.present_names import LINKS_UPDATED, PresentNames
from zkmem.past.visible_edits import VisibleEdits
from zkmem.util.spelling import number_of, quoted
from zkmem.vault.files import etag
from zkmem.vault.journal.log import GIT, Change, Edit, Pair, sitting_with, undone_numbers

if TYPE_CHECKING:
    from zkmem.past.lines import LineAddress

UNDO, REDO, RESTORE = "undo", "redo", "restore"

_SECOND_NS = 1_000_000_000
_MOST_NAMED = 3  # edits in a remark
_MOST_TRIES = 100  # plans to find the part of a sitting that can be undone; one edit in the way takes about ten
_IN_THE_WAY = (EditedSince, NoVersion, NothingToUndo)


class Undoable(NamedTuple):
    """The edits of a vault, the oldest first: all of them, and those that the caller may see and undo."""

    every: Sequence[Edit]
    own: Sequence[Edit]
    foreign: frozenset[int]  # the numbers of those that the caller may not see

    @classmethod
    def of(cls, past: VisibleEdits) -> "Undoable":
        """Return the edits of a vault for the caller of `past`."""
        every = past.since(0)
        own = past.own(every)
        return cls(every, own, frozenset({edit.number for edit in every} - {edit.number for edit in own}))


def plan_undo_last(view: View, edits: Undoable, count: int) -> Plan:
    """Plan to undo the last `count` edits that are not undone.

    Raises:
        NothingToUndo: when there are fewer, or when the undo of one would change nothing.
    """
    return _plan(view, edits, _last(_stacks(edits.own)[0], count, "edit", "undo"), UNDO)


def plan_redo_last(view: View, edits: Undoable, count: int) -> Plan:
    """Plan to redo the edits of the last `count` undos without a later edit.

    Raises:
        NothingToUndo: when there are fewer, or when the redo of one would change nothing.
    """
    undos = _stacks(edits.own)[1]
    undone = undone_numbers(reversed(edits.own))
    last = next((one.number for one in reversed(edits.own) if one.tool == UNDO and one.number not in undone), 0)
    if not undos and last:
        raise NothingToUndo(f"Edits were made after the last undo. To redo it nevertheless, give its number: {last}.")
    return _plan(view, edits, _last(undos, count, "undo", "redo"), REDO)


def plan_undo_edit(view: View, edits: Undoable, number: int, *, sitting: bool = False, partial: bool = False) -> Plan:
    """Plan to undo the edit with this number or, with `sitting`, all edits of its sitting that are not undone.

    With `partial`, edits of the sitting that cannot be undone are left.

    Raises:
        UnknownEdit: when there is no such edit. NothingToUndo: when it is undone already, cannot be undone, or has
            no effect any more.
        The errors of `plan_undo`; with `partial`, when none of the edits can be undone.
    """
    own = edits.own
    edit, undone = _edit(own, number), undone_numbers(reversed(own))
    if not sitting:
        _check_can_be_undone(edit, own, undone)
        return _plan(view, edits, _with_redos(own, {number}, undone), UNDO)
    whole = sitting_with(reversed(own), number)
    for one in whole.edits if whole and whole.outside else ():
        _check_outside(one)
    return _plan_undo_all(view, edits, whole.edits if whole else (), f"The sitting of edit {number}", partial=partial)


def plan_undo_session(view: View, edits: Undoable, numbers: Collection[int], *, partial: bool) -> Plan:
    """Plan to undo the edits of a conversation, by their numbers, that are not undone.

    Raises: as `plan_undo_edit` for a sitting.
    """
    chosen = set(numbers)
    members = [edit for edit in edits.own if edit.number in chosen]
    return _plan_undo_all(view, edits, members, "What this session wrote", partial=partial)


def _plan_undo_all(view: View, edits: Undoable, some: Iterable[Edit], what: str, *, partial: bool) -> Plan:
    """Plan to undo those of some edits that are not undone; with `partial`, those that can be undone together."""
    own, undone = edits.own, undone_numbers(reversed(edits.own))
    members = {one.number: one for one in some if not one.commit}
    within = {key for key, one in members.items() if one.undoes and members.keys() >= set(one.undoes)}
    standing = members.keys() - undone - within
    if not standing:
        raise NothingToUndo(f"{what} is undone already.")
    chosen = _with_redos(own, standing, undone)
    return _Part(view, edits).plan(chosen) if partial else _plan(view, edits, chosen, UNDO)


def plan_undo_line(view: View, edits: Undoable, place: "LineAddress", passage: int | None = None) -> Plan:
    """Plan to undo what the edits of a line of the brief did to its note or, of that, one passage.

    An edit that did nothing else is undone as a whole. Of another one, or for a passage, the plan has no number to mark
    as undone.

    Raises:
        UnknownEdit, NoVersion: when there is no such line. NothingToUndo: when one of its edits cannot be undone, is
            undone already, or has no such passage. The errors of `plan_undo`.
    """
    from zkmem.past.lines import line_at  # noqa: PLC0415 - few undos need it

    changed, own = line_at(reversed(edits.own), place)
    undone = undone_numbers(reversed(edits.own))
    for edit in own:
        _check_can_be_undone(edit, edits.own, undone, whole=False)
    numbers, changes = {edit.number for edit in own}, _changes_of(changed.files)
    if passage is None and all(_only_changes(edit, changes[edit.number]) for edit in own):
        return _plan(view, edits, _with_redos(edits.own, numbers, undone), UNDO)
    if passage is None:
        parts = {edit.number: _part_of(edit, changes[edit.number]) for edit in own}
    else:
        part = _with_passage(view, changed.file, passage)
        parts = {part.number: part}
    since = [edit for edit in edits.every if edit.number >= min(parts)]
    names = Names.since(since, parts.keys())
    partial = [parts.get(one.number, one) for one in since]
    plan = plan_undo(view, partial, parts, UNDO, edits.foreign, names, whole=since)
    listed = " and ".join(f"edit {number}" for number in sorted(parts)[:_MOST_NAMED])
    more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    what = f"what it did to {place.note}" if passage is None else f"one passage of {place.note}"
    if not plan.steps:
        raise NothingToUndo(f"Nothing was undone: {quoted(place.note)} is as it was before {listed}{more} already.")
    return plan._replace(undoes=(), remarks=(*plan.remarks, f"Of {listed}{more}, only {what} is undone."))


def _changes_of(files: Iterable[EditedFile]) -> dict[int, set[Change]]:
    """Return what each edit did to some files. At the time of another edit, a path may be that of another file."""
    changes: dict[int, set[Change]] = {}
    for edit, change in (pair for file in files for pair in file.changes):
        changes.setdefault(edit.number, set()).add(change)
    return changes


def _only_changes(edit: Edit, changes: Collection[Change]) -> bool:
    """Return whether an edit has no other changes; updated links do not count."""
    return not edit.more and all(edit.relinks(change) or change in changes for change in edit.changes)


def _part_of(edit: Edit, changes: Collection[Change]) -> Edit:
    """Return an edit with these changes only."""
    paths = {path for change in changes for path in (change.path, change.to) if path}
    return edit._replace(
        changes=tuple(one for one in edit.changes if one in changes),
        merged=tuple(pair for pair in edit.merged if set(pair) <= paths),
        extracted=tuple(pair for pair in edit.extracted if set(pair) <= paths),
    )


def _with_passage(view: View, file: EditedFile, passage: int) -> Edit:
    """Return an edit that only wrote one passage of a file, and let the view have the text before it.

    The passages of the changes of the file are counted as the page counts them: see `ChangedNote.passages`.
    """
    from zkmem.markdown.marked import changes_in, with_change_reverted  # noqa: PLC0415 - few undos need it

    text, path = view.past.texts_of(()), file.after.path
    for before, after in file.segments if file.is_there else ():
        old, new = (b"" if tag is None else text(path, tag) for tag in (before, after))
        if old is None or new is None or after is None:
            raise NoVersion(f"The text of {quoted(name_of(path))} before or after these edits is not stored.")
        count = changes_in(old, new)
        if passage >= count:
            passage -= count
            continue
        data = with_change_reverted(old, new, passage)
        edit, written = next(pair for pair in reversed(file.changes) if pair[1].after == after and not pair[1].to)
        view.add_versions({etag(data): data}.get)
        return edit._replace(changes=(written._replace(before=etag(data)),), merged=(), extracted=())
    raise NothingToUndo(f"The change of {quoted(name_of(path))} has no such passage; look at it again.")


def plan_redo_edit(view: View, edits: Undoable, number: int) -> Plan:
    """Plan to redo the edits that the undo with this number has undone.

    Raises:
        UnknownEdit: when there is no such edit. NothingToUndo: when it is no undo, was redone already, or
            has no effect any more.
    """
    undo = _edit(edits.own, number)
    if undo.tool != UNDO:
        raise NothingToUndo(f"Edit {number} is no undo, so there is nothing to redo.")
    chain = [number]  # the undo, its redo, the undo of that, and so on
    while last := _last_undo_of(edits.own, chain[-1]):
        chain.append(last)
    if len(chain) % 2 == 0:
        raise NothingToUndo(f"Undo {number} is redone already, by edit {chain[-1]}.")
    if len(chain) > 1:
        raise NothingToUndo(
            f"Undo {number} was redone, and undo {chain[-1]} has undone that: redo {chain[-1]} instead."
        )
    return _plan(view, edits, {number}, REDO)


def _edit(edits: Iterable[Edit], number: int) -> Edit:
    for edit in edits:
        if edit.number == number:
            return edit
    raise UnknownEdit(number)


def _check_can_be_undone(edit: Edit, edits: Sequence[Edit], undone: Collection[int], *, whole: bool = True) -> None:
    if edit.tool == UNDO:
        raise NothingToUndo(f"Edit {edit.number} is an undo; to make the undone edits again, redo it.")
    if edit.commit:
        raise NothingToUndo(
            f"Edit {edit.number} brought the changes of other machines, which cannot be undone as one edit. To give a "
            "single note an older text, use restore."
        )
    _check_outside(edit, whole=whole)
    if edit.number in undone:
        raise NothingToUndo(f"Edit {edit.number} is undone already, by edit {_last_undo_of(edits, edit.number)}.")


def _check_outside(edit: Edit, *, whole: bool = True) -> None:
    """Check that a change by another program, if it is one, can be undone; as a `whole`, it must be known."""
    if edit.outside in GIT:
        raise NothingToUndo(f"Change {edit.number} was made by git ({edit.outside}); undo it with git.")
    if edit.more and whole:
        raise NothingToUndo(
            f"Change {edit.number} has {number_of(edit.more, 'note')} more than zkmem has listed, so it cannot be "
            "undone as a whole. To give a single note an older text, use restore."
        )


def _with_redos(edits: Iterable[Edit], numbers: Collection[int], undone: Collection[int]) -> set[int]:
    """Return the numbers of edits to undo. A redo of some of these edits, and of no others, takes their place."""
    chosen = set(numbers)
    undos = {edit.number: edit for edit in edits if edit.tool == UNDO}
    for redo in edits:
        if redo.tool != REDO or redo.number in undone:
            continue
        redone = {number for undo in redo.undoes if undo in undos for number in undos[undo].undoes}
        if redone and redone <= chosen:
            chosen = chosen - redone | {redo.number}
    return chosen


def _last_undo_of(edits: Sequence[Edit], number: int) -> int:
    """Return the number of the last edit that undid an edit; 0 if none did."""
    return next((edit.number for edit in reversed(edits) if number in edit.undoes), 0)


def _plan(view: View, edits: Undoable, chosen: Collection[int], outcome: str) -> Plan:
    first = next(at for at, edit in enumerate(edits.every) if edit.number in chosen)
    since = edits.every[first:]
    merged = {edit.number: edit.merged for edit in edits.every if edit.merged}

    def with_again(edit: Edit) -> Edit:
        """Return a chosen undo or redo with the merges or extractions that it repeated added."""
        pairs = tuple(pair for number in edit.undoes for pair in merged.get(number, ()))
        if outcome == REDO:  # what was merged is merged again
            return edit._replace(merged=pairs)
        return edit._replace(extracted=(*edit.extracted, *(Pair(to, path) for path, to in pairs)))

    since = [with_again(edit) if edit.number in chosen and edit.undoes else edit for edit in since]
    plan = plan_undo(view, since, chosen, outcome, edits.foreign)
    if not plan.steps:
        last = _edit(since, max(chosen))
        if len(chosen) == 1 and last.changes:  # if it were logged as undone, it could not be undone later
            done = "redone" if outcome == REDO else "undone"
            raise NothingToUndo(
                f"Nothing was {done}: without {described(last)}, the notes would be as they are now. "
                f"To {outcome} another one, give its number."
            )
        plan = plan._replace(remarks=(*plan.remarks, "the notes stay as they are"))
    return plan


class _Part:
    """The edits of a sitting that can be undone together, as far as they are found."""

    def __init__(self, view: View, edits: Undoable) -> None:
        self._view, self._edits = view, edits
        self._chosen = frozenset[int]()
        self._plan: Plan | None = None  # to undo the chosen edits
        self._left: list[LeftEdit] = []
        self._tries = 0
        self._first: ZkError | None = None  # why not all edits can be undone

    def plan(self, numbers: Collection[int]) -> Plan:
        """Return the plan to undo those of some edits that can be undone."""
        self._add(sorted(numbers, reverse=True))
        if self._plan is None:
            raise self._first or NothingToUndo("There is nothing left to undo.")
        return self._plan._replace(left=tuple(self._left))

    def _add(self, numbers: Sequence[int]) -> None:
        """Choose those of some edits, the newest first, that can be undone together with the chosen ones.

        The newest come first, so an edit stays if an edit that stays was made to what it wrote.
        """
        self._tries += 1
        if self._tries > _MOST_TRIES:
            raise EditedSince("Too many edits of this sitting cannot be undone. Undo single edits instead.", "undone")
        try:
            self._plan = self._planned(self._chosen.union(numbers))
            self._chosen = self._chosen.union(numbers)
        except _IN_THE_WAY as error:
            self._first = self._first or error
            if len(numbers) == 1:
                self._left.append(LeftEdit(numbers[0], self._reason(numbers[0], error)))
                return
            half = len(numbers) // 2
            self._add(numbers[:half])
            self._add(numbers[half:])

    def _planned(self, numbers: Collection[int]) -> Plan:
        return _plan(self._view, self._edits, numbers, UNDO)

    def _reason(self, number: int, error: ZkError) -> str:
        """Return why an edit stays; `error` is that of the undo of this edit and the chosen ones."""
        try:
            self._planned({number})
        except _IN_THE_WAY as own:
            return _sentence(own)
        edit = described(_edit(self._edits.own, number)).capitalize()
        return f"{edit} cannot be undone together with the others: {_sentence(error)}"


def _sentence(error: ZkError) -> str:
    return error.reason if isinstance(error, EditedSince) else str(error)


def undone_by(plan: Plan | Preview, past: VisibleEdits) -> list[Edit]:
    """Return the edits that a plan undoes or redoes, in the order in which it does so."""

    def numbered(numbers: Iterable[int]) -> list[Edit]:
        chosen = set(numbers)
        return [edit for edit in past.since(min(chosen, default=0) - 1) if edit.number in chosen]

    edits = numbered(plan.undoes)
    if plan.outcome == REDO:
        return numbered(number for undo in edits for number in undo.undoes)
    return edits[::-1]


def _last(numbers: list[int], count: int, noun: str, action: str) -> list[int]:
    """Return the last `count` numbers."""
    if count < 1:
        raise BadArgument(f"To {action} {count} {noun}s is not possible; give 1 or more.")
    number = len(numbers)
    if not number:
        raise NothingToUndo(f"There is nothing to {action}.")
    if number < count:
        raise NothingToUndo(f"There {f'are {number} {noun}s' if number > 1 else f'is one {noun}'} to {action}.")
    return numbers[-count:]


def _stacks(edits: Iterable[Edit]) -> tuple[list[int], list[int]]:
    """Return the numbers of the edits that are not undone, and of the undos that can be redone. A redo is an edit."""
    done: dict[int, None] = {}
    undone: dict[int, None] = {}
    for edit in edits:
        if edit.tool == UNDO:
            _discard(done, edit.undoes)
            undone[edit.number] = None
        elif edit.tool == REDO:
            _discard(undone, edit.undoes)
            done[edit.number] = None
        elif (
            not edit.commit and not edit.outside
        ):  # what came from other machines or programs is not the caller's to undo
            done[edit.number] = None
            undone.clear()
    return list(done), list(undone)


def _discard(numbers: dict[int, None], others: Iterable[int]) -> None:
    for number in others:
        numbers.pop(number, None)


def plan_restore(view: View, path: str, text: OldText, since: Sequence[Edit]) -> Plan:
    """Plan to give a note an older text, with links to the files that they meant; create the note if it is gone.

    `since`: all edits since the moment of the text or since an earlier moment, in order.
    """
    is_there = path in view.catalog.rows
    relinker = Relinker(view, {}, born=[] if is_there else [path])
    past = Names.since(since, {text.number})
    last, removed = past.last_path(text.path, text.number)
    planned = PlannedMoves(restored={(removed, last): path})  # links of the note to itself
    names = PresentNames(past, view.catalog, planned, relinker.after, view.has)
    data = names.text(text.data, text.path, text.number, path)
    if is_there and data == view.read(path):
        return Plan(path, "unchanged", ())
    remarks = (LINKS_UPDATED,) if data != text.data else ()
    changed = relinker.changed() if not is_there else {}
    removal = next((edit for edit in since if edit.number == removed), None)
    if removal is not None and path == last:
        changed = {other: new for other, new in changed.items() if _is_written_since(view, past, other, removal)}
    puts = [Put(other, updated, view.base(other)) for other, updated in changed.items()]
    own = Put(path, data, view.base(path) if is_there else None)
    return Plan(path, "restored", (*puts, own), tuple(changed), remarks=remarks)


def _is_written_since(view: View, past: Names, path: str, removal: Edit) -> bool:
    """Return whether a file has another text than when an edit removed a note, as far as is known.

    If it has the same text, its links to this note must lead to it again.
    """
    then = past.earlier_path(path, removal.number - 1)
    if then is None:
        return True
    _, later = past.steps_until(then, removal.number - 1)
    if later:
        return later[0].before != view.base(path)
    stamp = view.store.stamp(path)
    return stamp is not None and stamp.mtime_ns > removal.time * _SECOND_NS
