"""Show what a sitting changed in each note, as rendered text with the changed words marked."""

import html
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from zkmem.index.session import Freshness, Session
from zkmem.markdown.html import Renderer
from zkmem.markdown.marked import Budget, ChangedBlock, marked
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.properties import parts
from zkmem.names import is_note, name_of
from zkmem.past.files import EditedFile
from zkmem.past.review import NoteChange, NoteEdits
from zkmem.recall.page import placed_links
from zkmem.recall.property_values import shown_value
from zkmem.recall.warned import new_secrets
from zkmem.vault.paths import is_hidden

_MOST_BYTES = 500_000  # of a text that is compared
_MOST_BLOCK = 20_000  # bytes of a block
_MOST_PROPERTIES = 50
_NO_NOTE = "It is no note, so its changes are not shown."
_TOO_LONG = "The note has more than 500,000 bytes, so its changes are not shown."
_UNSEEN = "Only text that the page does not show has changed, such as blank lines or unreadable properties."

Still = Callable[[str, bytes, bytes], list[Mapping[str, str]]]
"""Returns the sentences of other notes with what an edit of the note at a path has replaced."""


FileTexts = tuple[str, str, bytes | None, bytes | None]
"""The path of a file before and after an edit, and its bytes; None if it is not there."""


class ChangedNote(NamedTuple):
    """The change of one note."""

    name: str  # after the edits; of another file than a note, its path
    is_note: bool
    was: str  # its name before the edits; "" if it was not there
    outcome: str  # see `NoteChange`
    added: int  # words
    removed: int
    passages: list[ChangedBlock]  # the changed blocks, with `<ins>` and `<del>`; safe to show
    left: int  # changed blocks that are not in the HTML
    trouble: str  # why the text cannot be shown; "" if it can
    warnings: list[str]  # sentences on what was added, such as that it looks like a key
    outdated: list[
        Mapping[str, str]
    ]  # sentences of other notes that still have what the edits replaced: see `Outdated`

    @property
    def html(self) -> str:
        """All passages."""
        return "".join(one.html for one in self.passages)


class RenderedChanges(NamedTuple):
    """What some edits did to notes."""

    notes: list[ChangedNote]
    more: int  # how many notes are left out


def changed_notes(
    notes: Iterable[NoteEdits],
    text: Callable[[str, str], bytes | None],
    session: Session,
    reaches: Callable[[str], bool],
    still: Still,
    first: int,
    count: int,
    *,
    context: bool = False,
) -> list[ChangedNote]:
    """Return what became of some notes, from the one numbered `first` on.

    `text` returns the bytes of an earlier version of a note, by path and etag; None if they are not stored. `reaches`:
    whether the reader may know of a note. With `context`, each passage has the unchanged blocks around it.
    """
    budget, rendered = Budget(), _renderer(session, reaches)
    chosen = islice((note for one in notes for note in one.notes), first, first + count)
    return [_changed_note(file, change, text, rendered, still, budget, context=context) for file, change in chosen]


def previewed_notes(
    files: Iterable[FileTexts], session: Session, reaches: Callable[[str], bool], count: int
) -> list[ChangedNote]:
    """Return what an edit would do to the first `count` files, with the unchanged blocks around each passage."""
    budget, rendered = Budget(), _renderer(session, reaches)
    return [_previewed(file, rendered, budget) for file in islice(files, count)]


def _previewed(file: FileTexts, rendered: Callable[[bytes, str], str], budget: Budget) -> ChangedNote:
    was, to, old, new = file
    before = None if is_hidden(was) else old
    after = None if is_hidden(to) else new
    outcome = "restored" if before is None else "deleted" if after is None else "renamed" if was != to else "changed"
    path = was if after is None else to
    note = ChangedNote(
        name_of(path), is_note(path), "" if before is None else name_of(was), outcome, 0, 0, [], 0, "", [], []
    )
    if not note.is_note:
        return note._replace(trouble=_NO_NOTE)
    old, new = before or b"", after or b""
    if max(len(old), len(new)) > _MOST_BYTES:
        return note._replace(trouble=_TOO_LONG)
    return _with_segment(note, old, new, lambda block: rendered(block, path), budget, context=True)


def _renderer(session: Session, reaches: Callable[[str], bool]) -> Callable[[bytes, str], str]:
    """Return a function that renders a block of the file at a path."""

    def rendered(block: bytes, path: str) -> str:
        if len(block) > _MOST_BLOCK:
            return "<p>(This block is too long to be shown here.)</p>"
        links = session.read(lambda index: placed_links(index.catalog, block, path, reaches), Freshness.NAMES)
        renderer = Renderer()
        return renderer.finished(renderer.part(block, links))

    return rendered


def _changed_note(
    file: EditedFile,
    change: NoteChange,
    text: Callable[[str, str], bytes | None],
    rendered: Callable[[bytes, str], str],
    still: Still,
    budget: Budget,
    *,
    context: bool,
) -> ChangedNote:
    note = ChangedNote(change.name, file.is_note, change.was, change.outcome, 0, 0, [], 0, "", [], [])
    if not note.is_note:
        return note._replace(trouble=_NO_NOTE)
    segments = file.segments
    if change.outcome == "deleted":
        segments = [(file.etag_lost, None)]
    path = file.before.path if is_hidden(file.after.path) else file.after.path
    for before, after in segments:
        old, new = (b"" if tag is None else text(file.after.path, tag) for tag in (before, after))
        if old is None or new is None:
            return note._replace(trouble="The text before or after these edits is not stored.")
        if max(len(old), len(new)) > _MOST_BYTES:
            return note._replace(trouble=_TOO_LONG)
        note = _with_segment(note, old, new, lambda block: rendered(block, path), budget, context=context)
        note = note._replace(outdated=[*note.outdated, *still(file.after.path, old, new)])
    return note


def _with_segment(
    note: ChangedNote, old: bytes, new: bytes, render: Callable[[bytes], str], budget: Budget, *, context: bool
) -> ChangedNote:
    before, after = (body_of(read_text(data).shown.encode()) for data in (old, new))
    result, properties = marked(before, after, render, budget, context=context), _properties(old, new)
    begin = sum(one.number is not None for one in note.passages) + note.left  # a change of each segment has a number
    passages = [one._replace(number=begin + (one.number or 0)) for one in result.passages]
    is_unseen = old != new and not passages and not properties
    return note._replace(
        passages=[*note.passages, *([ChangedBlock(None, "", properties)] if properties else ()), *passages],
        added=note.added + result.added,
        removed=note.removed + result.removed,
        left=note.left + result.left,
        trouble=_UNSEEN if is_unseen else note.trouble,
        warnings=[*note.warnings, *new_secrets(note.name, old, new)],
    )


def _properties(old: bytes, new: bytes) -> str:
    """Return the changed properties of a note as HTML."""
    before, after = (parts(read_text(data)).properties or {} for data in (old, new))
    changed = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
    shown = changed[:_MOST_PROPERTIES]
    more = f"<p>and {len(changed) - len(shown)} more properties</p>" if len(changed) > len(shown) else ""
    return (
        "".join(
            f'<p class="property"><b>{html.escape(shown_value(key))}</b> {_sides(before, after, key)}</p>'
            for key in shown
        )
        + more
    )


def _sides(before: Mapping[str, object], after: Mapping[str, object], key: str) -> str:
    sides = (("del", before), ("ins", after))
    return " ".join(
        f'<{mark} class="marked">{html.escape(shown_value(side[key]))}</{mark}>' for mark, side in sides if key in side
    )
