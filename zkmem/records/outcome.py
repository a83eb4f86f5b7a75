"""What an edit did, as toolsets and faces tell of it."""

from collections.abc import Iterable
from typing import NamedTuple

from zkmem.edit.done import Done
from zkmem.index.graph import missing_targets
from zkmem.markdown.note import parse
from zkmem.util.spelling import number_of
from zkmem.vault.files import is_large
from zkmem.vault.journal.log import Edit


class Edited(NamedTuple):
    """What an edit did: the note it was about, its new etag, and the notes whose links were rewritten with it."""

    name: str
    outcome: str  # "created", "replaced", "appended", "unchanged", "moved", "merged" or "restored"
    etag: str
    characters: int  # of a note that is too large to be read, its bytes
    missing: list[str]  # targets of the note without a note, as written
    missing_headings: list[str]  # missing `Note#Heading` and `Note#^block` that it links to
    cut_off: dict[str, list[str]]  # `#Heading` and `#^block` that the edit removed, and the notes that link there
    relinked: list[str]
    unread: list[str]  # notes that cannot be read, so that no link in them could be kept right
    merged: list[str]  # what others had changed meanwhile in the same note, and is in it now: lines of a diff
    linked: bool  # whether another note links to it
    unlinked: list[str]  # notes to which the edit took away the last link
    namesakes: list[str]  # other notes whose names end like that of the note, if the edit made it
    remarks: list[str]

    @classmethod
    def by(cls, done: Done) -> "Edited":
        """Told from the bytes that were written: the file may be another one by now."""
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
            unread=done.names(sorted(view.catalog.unread)),
            merged=[] if done.merges_much else list(plan.merged),
            linked=done.is_linked(plan.path),
            unlinked=done.unlinked(),
            namesakes=done.namesakes(),
            remarks=[*done.remarks, *_unchecked(plan.fallout.unchecked)],
        )


def _unchecked(notes: int) -> list[str]:
    more = number_of(notes, "more note that links to it was", "more notes that link to it were")
    return [f"{more} not checked for links to its headings"] if notes else []


class Extracted(NamedTuple):
    """What an extraction did to the note it made, and to the one it took the passage from."""

    note: Edited
    source: Edited

    @classmethod
    def by(cls, done: Done) -> "Extracted":
        """Return what the plan of an extraction did."""
        source = done.plan._replace(path=done.plan.source, outcome="replaced", relinked=())
        return cls(Edited.by(done), Edited.by(done._replace(plan=source, remarks=[], targets=frozenset())))


class Deleted(NamedTuple):
    """Where a deleted note went, and what links to it mean now."""

    name: str
    trash: str
    dangling: list[str]  # notes with a link that means nothing now
    repointed: dict[str, str]  # notes with a link that means another note now, and that note
    unlinked: list[str]  # notes to which the last link was in it
    remarks: list[str]

    @classmethod
    def by(cls, done: Done) -> "Deleted":
        """Return what the plan of a deletion did."""
        fallout = done.plan.fallout
        repointed = dict(zip(done.names(fallout.repointed), done.names(fallout.repointed.values()), strict=True))
        name, trash = done.names([done.plan.path])[0], done.plan.trash
        return cls(name, trash, done.names(fallout.dangling), repointed, done.unlinked(), done.remarks)


class Undone(NamedTuple):
    """What an undo or a redo did: the edits that it took back or made again, and the notes it wrote or removed."""

    edits: list[str]
    notes: list[str]
    remarks: list[str]

    @classmethod
    def by(cls, done: Done, edits: Iterable[Edit]) -> "Undone":
        """With the edits as the log has them."""
        return cls([f"{edit.number} {edit.title()}" for edit in edits], done.names(done.plan.relinked), done.remarks)
