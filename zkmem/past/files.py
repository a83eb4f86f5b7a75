"""Find what each edit did to each file: its path and etag before and after."""

import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from zkmem.errors import NoVersion
from zkmem.names import is_note, name_of
from zkmem.util.spelling import quoted
from zkmem.vault.journal.log import Change, Edit
from zkmem.vault.paths import is_hidden

BRING_BACK = {"undo", "redo", "restore"}
"""The tools that bring files back: after their edits, a file that was gone is the same file again."""


class FileState(NamedTuple):
    """The path and the etag of a file before or after an edit; no etag if there was no file."""

    path: str
    etag: str | None


@dataclass(eq=False)
class EditedFile:
    """All changes of one file by an edit, or by several edits that follow each other."""

    before: FileState
    after: FileState
    changes: list[tuple[Edit, Change]]
    is_shared: bool = False  # whether others have changed its text between these edits

    @property
    def was_there(self) -> bool:
        """Whether the file was in the vault before the edits, and not in the trash."""
        return self.before.etag is not None and not is_hidden(self.before.path)

    @property
    def is_there(self) -> bool:
        """Whether the file is in the vault after the edits, and not in the trash."""
        return self.after.etag is not None and not is_hidden(self.after.path)

    @property
    def is_note(self) -> bool:
        """Whether the file is a note, or was one."""
        return is_note(self.before.path) or is_note(self.after.path)

    @property
    def is_deleted(self) -> bool:
        """Whether the edits moved the file to the trash, or removed it."""
        return self.was_there and not self.is_there

    @property
    def etag_lost(self) -> str | None:
        """The etag of the text that is gone if the file is: that before the edits, else the last one."""
        return self.before.etag if self.was_there else self.changes[-1][1].before

    @property
    def is_relinked(self) -> bool:
        """Whether the text changed only because other notes were renamed, merged or split."""
        return all(edit.relinks(change) for edit, change in self.changes if change.to is None)

    @property
    def segments(self) -> list[tuple[str | None, str | None]]:
        """The changes of the text, as etags before and after; those that follow each other are one."""
        segments: list[tuple[str | None, str | None]] = []
        for change in (change for _, change in self.changes if change.to is None):
            if segments and segments[-1][1] == change.before:
                segments[-1] = segments[-1][0], change.after
            else:
                segments.append((change.before, change.after))
        return segments


def edited_files(*edits: Edit) -> list[EditedFile]:
    """Return the files that some edits, the oldest first, have changed."""
    at: dict[str, EditedFile] = {}
    files: list[EditedFile] = []
    for edit, change in ((one, change) for one in edits for change in one.changes):
        file = at.pop(change.path, None)
        after = FileState(change.to or change.path, change.after if change.to is None else change.before)
        if file is None or (file.after.etag is None and change.before is None):
            file = EditedFile(FileState(change.path, change.before), after, [])
            files.append(file)
        elif change.before != file.after.etag:
            file.is_shared = True
        file.after = after
        file.changes.append((edit, change))
        at[after.path] = file
    return files


def effective(edits: Sequence[Edit], chosen: Collection[int] = ()) -> Iterator[Edit]:
    """Yield edits, the newest first. Leave out each undo and the edits that it has undone: together they do nothing.

    `edits`: in order. If a `chosen` edit was made between an undo and what it has undone, these are not left out: the
    chosen edit may have changed a file under a name of that time.
    """
    first, undone = edits[0].number if edits else 0, set[int]()
    numbers = sorted(chosen)
    for edit in reversed(edits):
        if edit.number in undone:
            continue
        begin = min(edit.undoes, default=0)
        is_between = bisect.bisect_left(numbers, begin) < bisect.bisect_right(numbers, edit.number)
        if edit.undoes and begin >= first and not is_between:
            undone.update(edit.undoes)
        else:
            yield edit


def trail(edits: Iterable[Edit], path: str) -> Iterator[tuple[Edit, EditedFile]]:
    """Yield the edits that changed the note at a path, each with what it did to it; follow the note to earlier paths.

    `path`: its present or last one; `edits`: the newest first. If an earlier note had this path, its edits follow.
    """
    asked = path
    for edit in edits:
        files = [one for one in edited_files(edit) if path in (one.after.path, one.before.path)]
        if not files:
            continue
        file = max(files, key=lambda one: one.after.path == path and one.after.etag is not None)  # not one that left
        yield edit, file
        path = file.before.path
        if path != asked and file.before.etag is None and edit.tool not in BRING_BACK:
            return  # before that, the path was that of another note


def state_after(edits: Iterable[Edit], path: str, number: int) -> FileState:
    """Return the note at `path` as it was after the edit `number`.

    `edits` are all edits, the newest first.
    """
    state: FileState | None = None
    for edit, file in trail(edits, path):
        if edit.number <= number:
            at = state.path if state else path
            return file.after if file.after.path == at else FileState(at, None)
        state = file.before
    if state is None:
        raise NoVersion(f"No edit of {quoted(name_of(path))} is known.")
    return state


def written(edits: Iterable[Edit], state: FileState, number: int) -> tuple[str, int]:
    """Return the path of a note when its text was written, and the number of the entry that wrote it.

    `state`: the note after the entry `number`; `edits`: all, the newest first. If no entry wrote the text, return
    the first moment at which the note is known to have had it.
    """
    path = state.path
    for edit, file in trail((edit for edit in edits if edit.number <= number), path):
        if file.after.etag != state.etag:
            break
        if file.before.etag != state.etag:
            return file.after.path, edit.number
        path, number = file.before.path, edit.number - 1
    return path, number
