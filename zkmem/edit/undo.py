"""Plan to undo edits and to restore older texts, from the log of edits and the kept texts."""

from collections.abc import Collection, Iterable, Sequence

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.edit.takeout import plan_takeout
from zkmem.errors import NothingToUndo, UnknownEdit
from zkmem.vault.journal.log import Edit
from zkmem.vault.journal.sittings import sitting_with

UNDO, REDO = "undo", "redo"


def to_undo(edits: Iterable[Edit], count: int) -> list[Edit]:
    """Return the last `count` edits that are not undone, the newest first. `edits` are all edits, the oldest first.

    Raises:
        NothingToUndo: when there are fewer.
    """
    return _last(_stacks(edits)[0], count, "edit", "undo")


def to_redo(edits: Iterable[Edit], count: int) -> list[Edit]:
    """Return the last `count` undos without a later edit, the newest first. `edits` are all edits, the oldest first.

    Raises:
        NothingToUndo: when there are fewer.
    """
    return _last(_stacks(edits)[1], count, "undo", "redo")


def plan_undo_last(view: View, edits: Sequence[Edit], count: int) -> Plan:
    """Plan to undo the last `count` edits. `edits` are all edits, the oldest first."""
    return _plan(view, edits, to_undo(edits, count), UNDO)


def plan_redo_last(view: View, edits: Sequence[Edit], count: int) -> Plan:
    """Plan to redo the edits of the last `count` undos. `edits` are all edits, the oldest first."""
    return _plan(view, edits, to_redo(edits, count), REDO)


def plan_undo_edit(view: View, edits: Sequence[Edit], number: int, *, sitting: bool = False) -> Plan:
    """Plan to undo the edit with this number or, with `sitting`, all edits of its sitting that are not undone.

    `edits` are all edits, the oldest first.

    Raises:
        UnknownEdit: when there is no such edit. NothingToUndo: when it is undone already, or cannot be undone.
    """
    edit = _edit(edits, number)
    done = {one.number for one in _stacks(edits)[0]}
    if not sitting:
        _check_is_done(edit, edits, done)
        return _plan(view, edits, [edit], UNDO)
    whole = sitting_with(reversed(edits), number)
    numbers = {one.number for one in whole.edits} if whole else set()
    chosen = [
        one for one in edits if one.number in numbers and (one.number in done or _is_foreign(one, numbers, edits))
    ]
    if not chosen:
        raise NothingToUndo(f"The sitting of edit {number} is undone already.")
    return _plan(view, edits, chosen, UNDO)


def plan_redo_edit(view: View, edits: Sequence[Edit], number: int) -> Plan:
    """Plan to redo the edits that the undo with this number has undone. `edits` are all edits, the oldest first.

    Raises:
        UnknownEdit: when there is no such edit. NothingToUndo: when it is no undo, or is redone already.
    """
    undo = _edit(edits, number)
    if undo.tool != UNDO:
        raise NothingToUndo(f"Edit {number} is no undo, so there is nothing to redo.")
    if by := _undone_by(edits, number):
        raise NothingToUndo(f"Undo {number} is redone already, by edit {by}.")
    return _plan(view, edits, [undo], REDO)


def _edit(edits: Iterable[Edit], number: int) -> Edit:
    for edit in edits:
        if edit.number == number:
            return edit
    raise UnknownEdit(number)


def _check_is_done(edit: Edit, edits: Sequence[Edit], done: Collection[int]) -> None:
    """Check that an edit can be undone."""
    if edit.number in done:
        return
    if edit.tool == UNDO:
        raise NothingToUndo(f"Edit {edit.number} is an undo; to make the undone edits again, redo it.")
    if edit.commit:
        raise NothingToUndo(
            f"Edit {edit.number} brought the changes of other machines, which cannot be undone at once. To give a "
            "single note an older text, use restore."
        )
    raise NothingToUndo(f"Edit {edit.number} is undone already, by edit {_undone_by(edits, edit.number)}.")


def _is_foreign(edit: Edit, numbers: Collection[int], edits: Sequence[Edit]) -> bool:
    """Return whether an edit is an undo, still in effect, of edits that are not all in `numbers`."""
    return edit.tool == UNDO and not _undone_by(edits, edit.number) and not set(edit.undoes).issubset(numbers)


def _undone_by(edits: Sequence[Edit], number: int) -> int:
    """Return the number of the last edit that undid an edit; 0 if none did."""
    return next((edit.number for edit in reversed(edits) if number in edit.undoes), 0)


def _plan(view: View, edits: Sequence[Edit], chosen: Sequence[Edit], outcome: str) -> Plan:
    numbers = {edit.number for edit in chosen}
    first = next(at for at, edit in enumerate(edits) if edit.number in numbers)
    return plan_takeout(view, edits[first:], numbers, outcome)


def undone_by(plan: Plan, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that a plan undoes or redoes, in the order in which it does so."""
    undoes = set(plan.undoes)
    if plan.outcome == REDO:
        undoes = {number for undo in edits if undo.number in undoes for number in undo.undoes}
        return [edit for edit in edits if edit.number in undoes]
    return [edit for edit in reversed(edits) if edit.number in undoes]


def _last(edits: list[Edit], count: int, noun: str, action: str) -> list[Edit]:
    number = len(edits)
    if not number:
        raise NothingToUndo(f"There is nothing to {action}.")
    if number < count:
        raise NothingToUndo(f"There {f'are {number} {noun}s' if number > 1 else f'is one {noun}'} to {action}.")
    return edits[: -count - 1 : -1]


def _stacks(edits: Iterable[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Return the edits that are not undone, and the undos that can be redone. A redo counts as an edit."""
    done: list[Edit] = []
    undone: list[Edit] = []
    for edit in edits:
        numbers = set(edit.undoes)
        if edit.tool == UNDO:
            done = [one for one in done if one.number not in numbers]
            undone.append(edit)
        elif edit.tool == REDO:
            undone = [one for one in undone if one.number not in numbers]
            done.append(edit)
        elif not edit.commit:  # what came from other machines is not the caller's to undo
            done.append(edit)
            undone = []
    return done, undone


def plan_restore(view: View, path: str, data: bytes) -> Plan:
    """Plan to give a note older bytes, or to create it again if it is gone."""
    if path in view.catalog.rows:
        same = data == view.read(path)
        steps = () if same else (Put(path, data, view.base(path)),)
        return Plan(path, "unchanged" if same else "restored", steps)
    changed = Relinker(view, {}, born=[path]).changed()
    puts = [Put(other, text, view.base(other)) for other, text in changed.items()]
    return Plan(path, "restored", (*puts, Put(path, data, None)), tuple(changed))
