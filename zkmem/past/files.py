"""Find what each edit did to each file: its path and etag before and after."""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from zkmem.errors import NoVersion
from zkmem.names import name_of
from zkmem.util.spelling import quoted
from zkmem.vault.journal.log import Change, Edit
from zkmem.vault.paths import is_hidden


class State(NamedTuple):
    """The path and the etag of a file before or after an edit; no etag if there was no file."""

    path: str
    etag: str | None


@dataclass
class EditedFile:
    """All changes of one file by one edit. Nobody has seen the file between these changes."""

    before: State
    after: State
    changes: list[Change]

    @property
    def is_deleted(self) -> bool:
        """Whether the edit moved the file to the trash, or removed it."""
        was_there = self.before.etag is not None and not is_hidden(self.before.path)
        return was_there and (self.after.etag is None or is_hidden(self.after.path))


def edited_files(edit: Edit) -> list[EditedFile]:
    """Return the files that an edit has changed."""
    at: dict[str, EditedFile] = {}
    files: list[EditedFile] = []
    for change in edit.changes:
        file = at.pop(change.path, None)
        after = State(change.to or change.path, change.after if change.to is None else change.before)
        if file is None:
            file = EditedFile(State(change.path, change.before), after, [])
            files.append(file)
        file.after = after
        file.changes.append(change)
        at[after.path] = file
    return files


def by_number(*logs: Iterator[Edit]) -> Iterator[Edit]:
    """Yield the entries of several logs, the highest number first."""
    return heapq.merge(*logs, key=lambda edit: edit.number, reverse=True)


def revision(edits: Iterable[Edit], path: str, number: int) -> tuple[str, str | None]:
    """Return the path and the etag of the note at `path` after the edit `number`; no etag if it did not exist then.

    `edits` are all edits, the newest first.

    Raises:
        NoVersion: when no edit has changed the note.
    """
    next_change: Change | None = None
    for edit in edits:
        for change in reversed(edit.changes):
            if path not in (change.to, change.path):
                continue
            if edit.number <= number:
                return path, change.before if change.to == path else None if change.to else change.after
            next_change, path = change, change.path
    if next_change is None:
        raise NoVersion(f"No edit of {quoted(name_of(path))} is known.")
    return path, next_change.before


def before_last_change(edits: Iterable[Edit], path: str) -> State | None:
    """Return the note at `path` as it was before the last change of its text; moves do not count. None if unknown."""
    for edit in edits:
        for file in edited_files(edit):
            if file.after.path != path:
                continue
            if file.before.etag != file.after.etag:
                return file.before
            path = file.before.path
            break
    return None
