"""Take edits back, put an older text back: as plans, from the log of edits and the texts that are kept."""

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
    """The last `count` edits that are not undone yet, last first; of all edits, first first.

    Raises:
        NothingToUndo: when there are fewer.
    """
    return _last(_stacks(edits)[0], count, "edit", "undo")


def to_redo(edits: Iterable[Edit], count: int) -> list[Edit]:
    """The last `count` undos that no edit has followed, last first; of all edits, first first.

    Raises:
        NothingToUndo: when there are fewer.
    """
    return _last(_stacks(edits)[1], count, "undo", "redo")


def plan_undo_last(view: View, edits: Sequence[Edit], count: int) -> Plan:
    """Take back the last of these edits, which are all, first first."""
    return plan_undo(view, to_undo(edits, count), UNDO)


def plan_redo_last(view: View, edits: Sequence[Edit], count: int) -> Plan:
    """Make again what the last undos among these edits, which are all, took back."""
    return plan_undo(view, to_redo(edits, count), REDO)


def undone_by(plan: Plan, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that a plan takes back or makes again, as the user knows them: in the order in which it does."""
    undoes = set(plan.undoes)
    if plan.outcome == REDO:
        undoes = {number for undo in edits if undo.number in undoes for number in undo.undoes}
        return [edit for edit in edits if edit.number in undoes]
    return [edit for edit in reversed(edits) if edit.number in undoes]


def _last(edits: list[Edit], count: int, what: str, action: str) -> list[Edit]:
    there = len(edits)
    if not there:
        raise NothingToUndo(f"There is nothing to {action}.")
    if there < count:
        raise NothingToUndo(f"There {f'are {there} {what}s' if there > 1 else f'is one {what}'} to {action}.")
    return edits[: -count - 1 : -1]


def _stacks(edits: Iterable[Edit]) -> tuple[list[Edit], list[Edit]]:
    """The edits that stand, and the undos that can be redone. A redo stands as an edit of its own."""
    done: list[Edit] = []
    undone: list[Edit] = []
    for edit in edits:
        gone = set(edit.undoes)
        if edit.tool == UNDO:
            done = [one for one in done if one.number not in gone]
            undone.append(edit)
        elif edit.tool == REDO:
            undone = [one for one in undone if one.number not in gone]
            done.append(edit)
        else:
            done.append(edit)
            undone = []
    return done, undone


def plan_undo(view: View, edits: Sequence[Edit], outcome: str) -> Plan:
    """Put every file back as it was before these edits, the last of which comes first.

    Raises:
        EditedSince: when one of the files is not as the edits left it. NoVersion: when its text is not kept any more.
    """
    now: dict[str, str | None] = {}
    then: dict[str, str | None] = {}
    for edit in edits:
        for path, before, after in _effects(edit):
            if then.get(path, after) != after:
                raise EditedSince(name_of(path), edit.number)
            now.setdefault(path, after)
            then[path] = before
    there = {path: view.base(path) if view.taken(path) else None for path in now}
    for path, tag in now.items():
        if there[path] != tag and is_hidden(path):  # people empty their trash, which is theirs
            del then[path]
        elif there[path] != tag:
            raise EditedSince(name_of(path), edits[-1].number)
    known = {tag: path for path, tag in there.items() if tag}
    steps: list[Put | Move | Remove] = []
    large = [(known[tag], path) for path, tag in then.items() if tag in known and is_large(tag)]  # no text is kept
    for to, path in [*_moves(edits), *large]:  # back again, so that a file stays the same file
        base = then.get(to, "") is None and now[to]
        if base and now.get(path, "") is None and then[path] is not None:
            steps.append(Move(to, path, base))
            now[to], now[path] = None, base
    for path, tag in then.items():
        base = now[path]
        if tag is None and base is not None:
            steps.append(Remove(path, base))
        elif tag is not None and tag != base:
            steps.append(Put(path, _text(view, path, tag, known), base))
    shown = list(dict.fromkeys(p for step in steps for p in (step.path, step.path_after) if not is_hidden(p)))
    about = shown[0] if shown else edits[0].changes[0].path
    return Plan(about, outcome, tuple(steps), tuple(shown), undoes=tuple(edit.number for edit in edits))


def _moves(edits: Iterable[Edit]) -> list[tuple[str, str]]:
    """The moves in some edits, as (to, from)."""
    return [(change.to, change.path) for edit in edits for change in edit.changes if change.to]


def _effects(edit: Edit) -> list[tuple[str, str | None, str | None]]:
    """What an edit did, the last thing first: path, etag before, etag after; a move is two of them."""
    found: list[tuple[str, str | None, str | None]] = []
    for change in reversed(edit.changes):
        if change.to is not None:
            found += [(change.to, None, change.before), (change.path, change.before, None)]
        else:
            found.append((change.path, change.before, change.after))
    return found


def _text(view: View, path: str, tag: str, known: dict[str, str]) -> bytes:
    data = view.read(known[tag]) if tag in known else view.version(tag)
    if data is None:
        raise NoVersion(f"The text that {name_of(path)!r} had (etag {tag}) is not kept any more; nothing was changed.")
    return data


def plan_restore(view: View, path: str, data: bytes) -> Plan:
    """Give a note the bytes that it had once; make it anew if it is gone."""
    if path in view.catalog.rows:
        same = data == view.read(path)
        steps = () if same else (Put(path, data, view.base(path)),)
        return Plan(path, "unchanged" if same else "restored", steps)
    changed = Relinker(view, {}, born=[path]).changed()
    puts = [Put(other, text, view.base(other)) for other, text in changed.items()]
    return Plan(path, "restored", (*puts, Put(path, data, None)), tuple(changed))
