"""Propose the notes that clients keep for themselves: Claude Code's for each project, and Codex's.

They are Markdown already, so they become notes as they are, in the folders that `zkmem adopt` uses.
"""

import functools
import itertools
import os
from collections.abc import Iterator

from zkmem.caller import IMPORT, Grant
from zkmem.clients.own_memories import codex_notes, files_in
from zkmem.clients.table import UserHome
from zkmem.errors import BadArgument
from zkmem.markdown.secret import without_secrets
from zkmem.memory import Memory
from zkmem.names import base_of, fold, folder_of, is_note
from zkmem.records.draft import Draft
from zkmem.transcripts.clients import is_plain_file, project_of
from zkmem.transcripts.conversation import LeftOut, leave_out_for
from zkmem.transcripts.imported import ProposedBefore
from zkmem.transcripts.importing import ImportGroup, ImportReport
from zkmem.transcripts.streams import records

_AT_ONCE = 250
_MOST_RECORDS = 50  # of a transcript that are looked at


def import_memories(memory: Memory, project: str, home: UserHome, *, dry_run: bool) -> ImportReport:
    """Propose the notes of all clients, or those of one project. A note whose name is taken is left out."""
    proposing = memory.restricted(Grant(proposes_as=IMPORT)).on_behalf(tool="import", client=IMPORT)
    before, left_out, secrets, read = ProposedBefore(memory.vault), LeftOut(), 0, 0
    proposed, works = before.keys, dict[str, functools.partial[None]]()
    there = proposing.look(lambda pages: {fold(path) for path in pages.below("")})
    for path, text in _notes(home):
        read += 1
        if project and fold(project) not in map(fold, path.split("/")[1:-1]):
            left_out[f"notes of other projects than {project}"] += 1
        elif fold(path) in there or path in works:
            left_out["notes that are in the vault"] += 1
        elif f"memories/{path}" in proposed:
            left_out["notes that you have dropped before"] += 1
        else:
            plain, count = without_secrets(text)
            secrets += count
            works[path] = functools.partial(_create, path, plain)
    made = list(works)
    for start in range(0, 0 if dry_run else len(works), _AT_ONCE):
        some = list(works)[start : start + _AT_ONCE]
        for path, error in zip(some, proposing.edit_each([works[path] for path in some]), strict=True):
            if error:
                leave_out_for(left_out, error)
                made.remove(path)
        before.add(f"memories/{path}" for path in some if path in made)
    groups = _groups(made)
    return ImportReport(read, len(made), 0, groups, dict(sorted(left_out.items())), secrets, [])


def _notes(home: UserHome) -> Iterator[tuple[str, str]]:
    """Yield the path in the vault and the text of each note."""
    projects = os.path.join(home.or_else("CLAUDE_CONFIG_DIR", ".claude"), "projects")
    names = sorted(os.listdir(projects)) if os.path.isdir(projects) else []
    folders = [(name, os.path.join(projects, name, "memory")) for name in names]
    files = [
        (f"claude-code/{_project(projects, name)}", files_in(full)) for name, full in folders if os.path.isdir(full)
    ]
    files.append(("codex", codex_notes(home)))
    if not any(notes for _, notes in files):
        raise BadArgument("Neither Claude Code nor Codex keeps notes of its own here.")
    for folder, notes in files:
        for path, data in notes.items():
            if is_note(path):
                yield f"{folder}/{path}", data.decode(errors="replace")


def _project(projects: str, name: str) -> str:
    """Return the name of a project, which a transcript beside the notes has: that of the folder is ambiguous."""
    folder = os.path.join(projects, name)
    for one in sorted(os.listdir(folder)):
        full = os.path.join(folder, one)
        if one.endswith(".jsonl") and is_plain_file(full):
            with open(full, "rb") as stream:
                for _, record in itertools.islice(records(stream, LeftOut()), _MOST_RECORDS):
                    if project := project_of(record.get("cwd")):
                        return project
    return name.strip("-")


def _create(path: str, text: str, draft: Draft) -> None:
    draft.write(path, {}, text, exact=True)


def _groups(paths: list[str]) -> list[ImportGroup]:
    folders = [base_of(folder_of(path)) for path in paths]
    return [ImportGroup(one, "", folders.count(one)) for one in sorted(set(folders))]
