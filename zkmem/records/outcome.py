"""The results of edits and imports, for toolsets, the API and the command line."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from zkmem.edit.done import Done
from zkmem.edit.plan import LeftEdit
from zkmem.index.graph import missing_targets
from zkmem.markdown.note import parse
from zkmem.names import EMBEDDED, name_of
from zkmem.util.spelling import number_of
from zkmem.vault.files import is_large
from zkmem.vault.journal.log import Edit
from zkmem.vault.journal.words import with_number


class Edited(NamedTuple):
    """The result of an edit of one note."""

    name: str
    outcome: str  # "created", "replaced", "appended", "changed", "unchanged", "moved", "merged" or "restored"
    etag: str
    characters: int  # the number of bytes, if the note is too large to be read
    missing: list[str]  # targets in the note that mean no note, as written
    missing_headings: list[str]  # missing `Note#Heading` and `Note#^block` that it links to
    cut_off: dict[str, list[str]]  # `#Heading` and `#^block` that the edit removed, and the notes that link there
    relinked: list[str]
    unread: list[str]  # notes, and folders with a slash at the end, that cannot be read: their links were not updated
    merged: list[str]  # the changes that others had saved meanwhile and that were merged, as lines of a diff
    linked: bool  # whether another note links to it
    unlinked: list[str]  # notes whose last link the edit removed
    namesakes: list[str]  # other notes with the same last part of the name, if the edit created or moved the note
    remarks: list[str]
    outdated: list[Mapping[str, str]]  # sentences of other notes that have an older value: see `Outdated`

    @classmethod
    def by(cls, done: Done) -> "Edited":
        """Return the result of an edit, from the bytes that it wrote: the file may have changed since."""
        plan, view = done.plan, done.view
        tag, row = plan.tag(plan.path, view), view.catalog.rows.get(plan.path)
        is_known = is_large(tag) or (row and row.etag == tag)
        facts = row.facts if is_known and row and row.facts else parse(plan.data(plan.path, view))
        return cls(
            name=done.names([plan.path])[0],
            outcome=plan.outcome,
            etag=tag,
            characters=facts.characters,
            missing=missing_targets(view.catalog, plan.path, facts),
            missing_headings=list(plan.fallout.absent),
            cut_off={subpath: done.names(notes) for subpath, notes in plan.fallout.cut_off.items()},
            relinked=done.names(plan.relinked),
            unread=done.unread(),
            merged=[] if done.merges_much else list(plan.merged),
            linked=done.is_linked(plan.path),
            unlinked=done.unlinked(),
            namesakes=done.namesakes(),
            remarks=[*done.remarks, *_unchecked(plan.fallout.unchecked), *done.unchecked(), *done.warnings],
            outdated=list(done.outdated),
        )


class LeftOut(NamedTuple):
    """A proposed edit that was not accepted."""

    edit: int
    reason: str  # a sentence
    gone: bool  # whether a note that it changes is gone, so that it can be kept as a new note
    note: str = ""  # the note, by its name now, whose text is all that it changes: a person can merge the two versions


class BothVersions(NamedTuple):
    """The two versions of a note that a proposed edit changes, for a person who merges them."""

    name: str  # the note's name now
    etag: str
    base: str  # the text that the client has changed; "" if it made a new note
    mine: str  # the client's text
    theirs: str  # the text now


class Accepted(NamedTuple):
    """The result of accepting proposed edits."""

    accepted: list[int]  # the numbers of the edits that were made
    left: list[LeftOut]


class Blocked(NamedTuple):
    """The proposed edits that cannot be accepted as the notes are now."""

    edits: list[LeftOut]
    unchecked: int  # how many more edits wait that were not checked


def _unchecked(notes: int) -> list[str]:
    more = number_of(notes, "more note that links to it was", "more notes that link to it were")
    return [f"{more} not checked for links to its headings"] if notes else []


class Extracted(NamedTuple):
    """The results of an extraction for the new note, and for the note that had the passage."""

    note: Edited
    source: Edited

    @classmethod
    def by(cls, done: Done) -> "Extracted":
        """Return the result of an extraction."""
        source = done.plan._replace(path=done.plan.source, outcome="changed", relinked=(), source="")
        return cls(
            Edited.by(done),
            Edited.by(done._replace(plan=source, remarks=[], targets=frozenset(), warnings=(), outdated=())),
        )


class PropertiesSet(NamedTuple):
    """The notes whose properties an edit changed, and the etag of the first one; empty if there is none."""

    changed: list[str]
    etag: str
    remarks: list[str]

    @classmethod
    def by(cls, done: Done) -> "PropertiesSet":
        """Return the result of an edit of properties."""
        plan, view = done.plan, done.view
        tag = plan.tag(plan.path, view) if plan.steps else ""
        return cls(done.names(step.path for step in plan.steps), tag, [*done.remarks, *done.warnings])


class Repointed(NamedTuple):
    """The names of the notes in which an edit gave links another target."""

    changed: list[str]
    remarks: list[str]

    @classmethod
    def by(cls, done: Done) -> "Repointed":
        """Return the result of an edit of links."""
        return cls(done.names(step.path for step in done.plan.steps), done.remarks)


class Deleted(NamedTuple):
    """The path of a deleted note in the trash, and what the links to it mean now."""

    name: str
    trash: str
    dangling: list[str]  # notes with a link to it that means no note now
    repointed: dict[str, str]  # notes with a link to it that means another note now, and that note
    unlinked: list[str]  # notes whose last link was in it
    remarks: list[str]

    @classmethod
    def by(cls, done: Done) -> "Deleted":
        """Return the result of a deletion."""
        fallout = done.plan.fallout
        repointed = dict(zip(done.names(fallout.repointed), done.names(fallout.repointed.values()), strict=True))
        name, trash = done.names([done.plan.path])[0], done.plan.trash
        remarks = [*done.remarks, *done.unchecked()]
        return cls(name, trash, done.names(fallout.dangling), repointed, done.unlinked(), remarks)


class Attached(NamedTuple):
    """The path of a stored attachment, and the text that embeds it in a note or links to it."""

    path: str
    embed: str
    remarks: list[str]

    @classmethod
    def by(cls, done: Done) -> "Attached":
        """Return the result of storing an attachment."""
        path = done.plan.path
        mark = "!" if path.lower().endswith(EMBEDDED) else ""
        return cls(path, f"{mark}[[{name_of(path)}]]", done.remarks)


class Undone(NamedTuple):
    """The edits that were undone or redone, and the notes that were written or removed for it."""

    edits: list[str]
    notes: list[str]
    remarks: list[str]
    left: list[LeftEdit]  # the edits of a sitting that an undo of a part of it left, the newest first

    @classmethod
    def by(cls, done: Done, edits: Iterable[Edit]) -> "Undone":
        """Return the result of an undo or redo; `edits` are the edits in the log that were undone or redone."""
        remarks = [*done.remarks, *done.unchecked()]
        return cls(list(map(with_number, edits)), done.names(done.plan.relinked), remarks, list(done.plan.left))


Progress = Callable[[int, int], None]
"""(records done, records in all)"""


class Imported(NamedTuple):
    """The numbers of records that were added and that existed already, and a sentence for each that failed."""

    added: int
    unchanged: int
    faults: list[str]
