"""Plan to undo edits and to restore older texts, from the log of edits and the kept texts."""

from collections.abc import Collection, Iterable, Sequence

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.edit.undo_plan import plan_undo
from zkmem.errors import NothingToUndo, UnknownEdit
from zkmem.vault.journal.log import Edit, undone_numbers
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
    return _plan(view, edits, {edit.number for edit in to_undo(edits, count)}, UNDO)


def plan_redo_last(view: View, edits: Sequence[Edit], count: int) -> Plan:
    """Plan to redo the edits of the last `count` undos. `edits` are all edits, the oldest first."""
    return _plan(view, edits, {edit.number for edit in to_redo(edits, count)}, REDO)


def plan_undo_edit(view: View, edits: Sequence[Edit], number: int, *, sitting: bool = False) -> Plan:
    """Plan to undo the edit with this number or, with `sitting`, all edits of its sitting that are not undone.

    `edits` are all edits, the oldest first.

    Raises:
        UnknownEdit: when there is no such edit. NothingToUndo: when it is undone already, or cannot be undone.
    """
    edit, undone = _edit(edits, number), undone_numbers(reversed(edits))
    if not sitting:
        _check_can_be_undone(edit, edits, undone)
        return _plan(view, edits, _with_redos(edits, {number}, undone), UNDO)
    whole = sitting_with(reversed(edits), number)
    members = {one.number: one for one in whole.edits if not one.commit} if whole else {}
    standing = {
        key
        for key, one in members.items()
        if key not in undone and not (one.undoes and members.keys() >= {*one.undoes})
    }
    if not standing:
        raise NothingToUndo(f"The sitting of edit {number} is undone already.")
    return _plan(view, edits, _with_redos(edits, standing, undone), UNDO)


def plan_redo_edit(view: View, edits: Sequence[Edit], number: int) -> Plan:
    """Plan to redo the edits that the undo with this number has undone. `edits` are all edits, the oldest first.

    Raises:
        UnknownEdit: when there is no such edit. NothingToUndo: when it is no undo, or is redone already.
    """
    undo = _edit(edits, number)
    if undo.tool != UNDO:
        raise NothingToUndo(f"Edit {number} is no undo, so there is nothing to redo.")
    if number in undone_numbers(reversed(edits)):
        raise NothingToUndo(f"Undo {number} is redone already, by edit {_last_undo_of(edits, number)}.")
    return _plan(view, edits, {number}, REDO)


def _edit(edits: Iterable[Edit], number: int) -> Edit:
    for edit in edits:
        if edit.number == number:
            return edit
    raise UnknownEdit(number)


def _check_can_be_undone(edit: Edit, edits: Sequence[Edit], undone: Collection[int]) -> None:
    if edit.tool == UNDO:
        raise NothingToUndo(f"Edit {edit.number} is an undo; to make the undone edits again, redo it.")
    if edit.commit:
        raise NothingToUndo(
            f"Edit {edit.number} brought the changes of other machines, which cannot be undone as one edit. To give a "
            "single note an older text, use restore."
        )
    if edit.number in undone:
        raise NothingToUndo(f"Edit {edit.number} is undone already, by edit {_last_undo_of(edits, edit.number)}.")


def _with_redos(edits: Iterable[Edit], numbers: Collection[int], undone: Collection[int]) -> set[int]:
    """Return the numbers of edits to undo, with each redo of nothing but some of them in their place."""
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


def _plan(view: View, edits: Sequence[Edit], chosen: Collection[int], outcome: str) -> Plan:
    first = next(at for at, edit in enumerate(edits) if edit.number in chosen)
    return plan_undo(view, edits[first:], chosen, outcome)


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
