"""Describe the changes of an edit, file by file, without making it: for a caller, or for a text editor to make."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.plan import LeftEdit, Move, Plan, Put, Remove, View
from zkmem.errors import Taken
from zkmem.index.lookup import name_for
from zkmem.markdown.note import read_text
from zkmem.util.threeway import unified
from zkmem.vault.files import is_large


class FileChange(NamedTuple):
    """The change of one file: its new path if it moves, and a unified diff of its text."""

    path: str
    to: str | None
    diff: str


class Preview(NamedTuple):
    """The outcome of an edit, its changes, and remarks for the caller, before it is made.

    For an undo or a redo, `undoes` has the numbers of the edits that it takes back, and `edits` describes the edits
    that are undone or redone. `left`: the edits of a sitting that a partial undo leaves.
    """

    outcome: str
    changes: list[FileChange]
    remarks: list[str]
    undoes: tuple[int, ...] = ()
    edits: Sequence[str] = ()
    left: Sequence[LeftEdit] = ()
    name: str = ""  # the note that is edited, by its name after the edit
    texts: Sequence[tuple[bytes | None, bytes | None]] = ()
    """Of the changed files, in the order of `changes`: before and after the edit, None if the file is not there."""

    @classmethod
    def of(cls, plan: Plan, view: View) -> "Preview":
        """Return what a plan would do."""
        moves = {step.to: step.path for step in plan.steps if isinstance(step, Move)}
        before: dict[str, bytes] = {}
        after: dict[str, bytes] = {}
        for step in plan.steps:
            path = moves.get(step.path, step.path)
            readable = step.base is not None and not is_large(step.base)
            before.setdefault(path, view.read(path) if readable else b"")
            after[path] = step.data if isinstance(step, Put) else before[path] if isinstance(step, Move) else b""
        to = {path: new for new, path in moves.items()}
        changes = [FileChange(path, to.get(path), _diff(path, to.get(path, path), old, after[path]))
                   for path, old in before.items()]  # fmt: skip
        remarks = [*plan.remarks, *_about_empty(plan, before)]
        name, texts = name_for(view.catalog, plan.path), _texts(plan, before, after)
        return cls(plan.outcome, changes, remarks, plan.undoes, left=plan.left, name=name, texts=texts)


def _texts(
    plan: Plan, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> list[tuple[bytes | None, bytes | None]]:
    new = {step.path for step in plan.steps if isinstance(step, Put) and step.base is None}
    gone = {step.path for step in plan.steps if isinstance(step, Remove)}
    return [(None if path in new else old, None if path in gone else after[path]) for path, old in before.items()]


def _about_empty(plan: Plan, before: Mapping[str, bytes]) -> Iterator[str]:
    """Yield a sentence for each file that is created or removed and is empty: it has no diff."""
    for step in plan.steps:
        if isinstance(step, Put) and step.base is None and not step.data:
            yield f"{step.path!r} is created, and is empty."
        elif isinstance(step, Remove) and not is_large(step.base) and before.get(step.path) == b"":
            yield f"{step.path!r}, which is empty, is removed."


def _diff(path: str, to: str, before: bytes, after: bytes) -> str:
    old, new = (read_text(data).shown.splitlines(keepends=True) for data in (before, after))
    lines = unified(old, new, (path, to))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


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
