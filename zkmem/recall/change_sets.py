"""Describe the edits that a client has proposed, for a person who accepts or drops them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.markdown.note import read_text
from zkmem.names import base_of, fold, folder_of, is_note
from zkmem.past.lines import NoteWork, note_work
from zkmem.past.review import NoteChange, NoteEdits, note_changes
from zkmem.past.revisions import difference
from zkmem.past.sizes import Compared, TextOf
from zkmem.vault.journal.log import Edit, client_name, client_version
from zkmem.vault.journal.words import as_title
from zkmem.vault.paths import is_hidden

IMPORTED = "import"
"""The tool of the edits that are grouped."""

_MONTH = re.compile(r"(\d{4}-\d{2})-\d{2} ")
_MOST_EDITS = 500
_MOST_NOTES = 20  # of one edit
_MOST_FILES = 100
_MOST_ALL = 500  # notes of all edits


class ProposedEdit(NamedTuple):
    """One proposed edit."""

    edit: int
    time: float  # seconds since 1970
    tool: str
    client: str
    version: str
    title: str
    notes: list[NoteChange]  # at most 20
    needs: list[int]  # the edits that must be accepted before it
    project: str | None  # of its group; None if it is in none
    month: str | None


class ProposedGroup(NamedTuple):
    """The proposed edits of notes that `zkmem import` has made of conversations, of one project in one month."""

    project: str  # the last part of the notes' folder
    month: str  # such as 2026-11; "" if the names do not begin with a date
    total: int


class ChangeSet(NamedTuple):
    """All edits that one client has proposed, the oldest first."""

    client: str  # who proposes: the name of a token, or of a server
    name: str  # the clients that made the edits, by the names that they have everywhere
    began: float  # seconds since 1970
    ended: float
    total: int  # how many edits there are
    edits: list[ProposedEdit]  # at most 500
    notes: list[NoteWork]  # what the edits together do; at most 500
    more: int  # how many notes are left out
    files: list[str]  # the paths of changed files that are no notes; at most 100
    groups: list[ProposedGroup]  # of all edits; none if the notes are not imported


def change_set(
    client: str,
    edits: Sequence[Edit],
    needs: Mapping[int, set[int]],
    text: TextOf,
    compared: Compared,
    groups: Sequence[ProposedGroup] = (),
    first: int = 0,
) -> ChangeSet:
    """Describe edits, at least one, the oldest first. `needs`: the edits that each one needs.

    `groups`: those of all edits; `first`: list the edits from this one on, counted from 0.
    """
    notes, count = note_work(edits, text, compared, _MOST_ALL)
    return ChangeSet(
        client=client,
        name=", ".join(dict.fromkeys(client_name(edit.client) for edit in edits if edit.client)) or client,
        began=edits[0].time,
        ended=edits[-1].time,
        total=len(edits),
        edits=[_proposed_edit(edit, needs[edit.number]) for edit in edits[first : first + _MOST_EDITS]],
        notes=notes,
        more=count - len(notes),
        files=_other_files(edits)[:_MOST_FILES],
        groups=list(groups),
    )


def groups_of(edits: Iterable[Edit]) -> list[ProposedGroup]:
    """Return the groups of the edits that an import has proposed."""
    groups = Counter(group for edit in edits if (group := group_of(edit)))
    return [ProposedGroup(*group, total) for group, total in sorted(groups.items())]


def group_of(edit: Edit) -> tuple[str, str] | None:
    """Return the project and the month of the note that an import proposes or changes; None for any other edit."""
    if edit.tool != IMPORTED or not edit.changes:
        return None
    path = edit.changes[0].path
    date = _MONTH.match(base_of(path))
    return base_of(folder_of(path)), date[1] if date else ""


def is_of_group(edit: Edit, project: str | None, month: str | None) -> bool:
    """Return whether an edit is of a project and a month, of which None stands for any. Case does not count."""
    if project is None and month is None:
        return True
    if (group := group_of(edit)) is None:
        return False
    return (project is None or fold(project) == fold(group[0])) and month in {None, group[1]}


def _other_files(edits: Sequence[Edit]) -> list[str]:
    """Return the paths of changed files that are no notes, in alphabetical order."""
    return sorted({path for edit in edits for path in edit.paths() if not is_note(path) and not is_hidden(path)})


def differences(changed: Iterable[NoteEdits], text: Callable[[str, str], bytes | None]) -> Iterator[str]:
    """Yield the changes of some notes as unified diffs, each after a line that says what becomes of the note.

    `text` returns the bytes with an etag that the note at a path had; None if they are not kept.
    """
    for whole, file, change in ((one, *note) for one in changed for note in one.notes):
        earlier = {"renamed": change.was, "merged": ", ".join(whole.merged_names)}.get(change.outcome, "")
        was = f" {earlier} ->" if earlier else ""
        yield f"{change.outcome}{was} {change.name}\n"
        for before, after in file.segments:
            old, new = (b"" if tag is None else text(file.after.path, tag) for tag in (before, after))
            if old is None or new is None:
                yield "(a text is no longer stored)\n"
            elif change.outcome != "deleted":
                names = change.was or change.name, change.name
                yield difference(read_text(old).shown, read_text(new).shown, names)


def _proposed_edit(edit: Edit, needs: set[int]) -> ProposedEdit:
    notes = [one.change for one in note_changes([edit])][:_MOST_NOTES]
    return ProposedEdit(
        edit.number,
        edit.time,
        edit.tool,
        client_name(edit.client),
        client_version(edit.client),
        as_title(edit),
        notes,
        sorted(needs),
        *(group_of(edit) or (None, None)),
    )
