"""An edit for a text editor to make: the texts that change, and the files that move. The editor writes them."""

from collections.abc import Mapping
from typing import NamedTuple

from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.errors import Taken


class TextChange(NamedTuple):
    """The text of a file before and after an edit."""

    path: str  # before the edit
    before: bytes | None  # as the editor shows it, or as it is on the disk; None for a new file
    after: bytes


class EditorEdit(NamedTuple):
    """What a text editor must change: the texts of files, each under its path before the edit, and then their paths."""

    texts: tuple[TextChange, ...] = ()
    moves: Mapping[str, str] = {}  # old path -> new path
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan, view: View) -> "EditorEdit":
        """Return what an editor must change so that the files are as after a plan, which was computed from the view.

        Raises:
            Taken: when a new path is that of a document that is open in the editor, and not saved yet.
        """
        moves = {step.path: step.to for step in plan.steps if isinstance(step, Move)}
        before_moves = {new: old for old, new in moves.items()}
        puts = [step for step in plan.steps if isinstance(step, Put)]
        new = {put.path for put in puts if put.base is None} | before_moves.keys() - moves.keys()
        if clash := min(new & view.unindexed, default=None):
            raise Taken(f"{clash!r} is open in the editor, and not saved yet; save it or close it.").about(clash)
        changes = []
        for put in puts:
            path = before_moves.get(put.path, put.path)
            before = None if put.base is None else view.read(path)
            if put.data != before:
                changes.append(TextChange(path, before, put.data))
        return cls(tuple(changes), moves, plan.remarks)
