"""What an edit would change, file by file, told without making it."""

from typing import NamedTuple

from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.markdown.note import read_text
from zkmem.util.threeway import unified
from zkmem.vault.files import is_large


class FileChange(NamedTuple):
    """What becomes of one file: where it goes, if it moves, and how its text changes, in the unified format."""

    path: str
    to: str | None
    diff: str


class Preview(NamedTuple):
    """The outcome that an edit would have, and its changes."""

    outcome: str
    changes: list[FileChange]

    @classmethod
    def of(cls, plan: Plan, view: View) -> "Preview":
        """What a plan means."""
        moves = {step.to: step.path for step in plan.steps if isinstance(step, Move)}
        before: dict[str, bytes] = {}
        after: dict[str, bytes] = {}
        for step in plan.steps:
            path = moves.get(step.path, step.path)
            there = step.base is not None and not is_large(step.base)
            before.setdefault(path, view.read(path) if there else b"")
            after[path] = step.data if isinstance(step, Put) else before[path] if isinstance(step, Move) else b""
        to = {path: new for new, path in moves.items()}
        changes = [FileChange(path, to.get(path), _diff(path, to.get(path, path), old, after[path]))
                   for path, old in before.items()]  # fmt: skip
        return cls(plan.outcome, changes)


def _diff(path: str, to: str, before: bytes, after: bytes) -> str:
    old, new = (read_text(data).shown.splitlines(keepends=True) for data in (before, after))
    lines = unified(old, new, (path, to))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
