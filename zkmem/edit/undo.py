"""Plan to undo edits and to restore older texts, from the log of edits and the kept texts."""

from collections.abc import Iterable, Sequence

from zkmem.edit.plan import Move, Plan, Put, Remove, View
from zkmem.edit.relink import Relinker
from zkmem.errors import EditedSince, NothingToUndo, NoVersion
from zkmem.names import name_of
from zkmem.vault.files import is_large
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import is_hidden

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
    return plan_undo(view, to_undo(edits, count), UNDO)


def plan_redo_last(view: View, edits: Sequence[Edit], count: int) -> Plan:
    """Plan to redo the edits of the last `count` undos. `edits` are all edits, the oldest first."""
    return plan_undo(view, to_redo(edits, count), REDO)


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


def plan_undo(view: View, edits: Sequence[Edit], outcome: str) -> Plan:
    """Plan to restore every file as it was before these edits. The newest edit comes first.

    Raises:
        EditedSince: when one of the files has changed since the edits. NoVersion: when its text is no longer kept.
    """
    current: dict[str, str | None] = {}  # path -> etag after these edits; None: no file
    earlier: dict[str, str | None] = {}  # path -> etag before these edits
    newest: dict[str, int] = {}  # path -> the number of the last of these edits that changed it
    for edit in edits:
        for path, before, after in _effects(edit):
            if earlier.get(path, after) != after:
                raise EditedSince(name_of(path), edit.number)
            current.setdefault(path, after)
            newest.setdefault(path, edit.number)
            earlier[path] = before
    on_disk = {path: view.base(path) if view.taken(path) else None for path in current}
    for path, tag in current.items():
        if on_disk[path] != tag and is_hidden(path):  # the trash may be emptied by hand
            del earlier[path]
        elif on_disk[path] != tag:
            raise EditedSince(name_of(path), newest[path])
    path_with = {tag: path for path, tag in on_disk.items() if tag}
    steps: list[Put | Move | Remove] = []
    # no text of a large file is kept
    large = [(path_with[tag], path) for path, tag in earlier.items() if tag in path_with and is_large(tag)]
    for to, path in [*_moves(edits), *large]:  # move files back, so that each stays the same file
        base = earlier.get(to, "") is None and current[to]
        if base and current.get(path, "") is None and earlier[path] is not None:
            steps.append(Move(to, path, base))
            current[to], current[path] = None, base
    for path, tag in earlier.items():
        base = current[path]
        if tag is None and base is not None:
            steps.append(Remove(path, base))
        elif tag is not None and tag != base:
            steps.append(Put(path, _text(view, path, tag, path_with), base))
    shown = list(dict.fromkeys(p for step in steps for p in (step.path, step.path_after) if not is_hidden(p)))
    about = shown[0] if shown else edits[0].changes[0].path
    return Plan(about, outcome, tuple(steps), tuple(shown), undoes=tuple(edit.number for edit in edits))


def _moves(edits: Iterable[Edit]) -> list[tuple[str, str]]:
    """Return the moves in some edits, as pairs of the new and the old path."""
    return [(change.to, change.path) for edit in edits for change in edit.changes if change.to]


def _effects(edit: Edit) -> list[tuple[str, str | None, str | None]]:
    """Return the changes of an edit, the last first: path, etag before, etag after. A move is two changes."""
    effects: list[tuple[str, str | None, str | None]] = []
    for change in reversed(edit.changes):
        if change.to is not None:
            effects += [(change.to, None, change.before), (change.path, change.before, None)]
        else:
            effects.append((change.path, change.before, change.after))
    return effects


def _text(view: View, path: str, tag: str, path_with: dict[str, str]) -> bytes:
    data = view.read(path_with[tag]) if tag in path_with else view.version(tag)
    if data is None:
        raise NoVersion(f"The text that {name_of(path)!r} had (etag {tag}) is not kept any more; nothing was changed.")
    return data


def plan_restore(view: View, path: str, data: bytes) -> Plan:
    """Plan to give a note older bytes, or to create it again if it is gone."""
    if path in view.catalog.rows:
        same = data == view.read(path)
        steps = () if same else (Put(path, data, view.base(path)),)
        return Plan(path, "unchanged" if same else "restored", steps)
    changed = Relinker(view, {}, born=[path]).changed()
    puts = [Put(other, text, view.base(other)) for other, text in changed.items()]
    return Plan(path, "restored", (*puts, Put(path, data, None)), tuple(changed))
