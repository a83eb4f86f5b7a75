"""Describe edits in words: the same words in the history of a vault and in the brief of what is new."""

from collections.abc import Collection, Sequence

from zkmem.names import name_of
from zkmem.util.spelling import number_of
from zkmem.vault.journal.log import Change, Edit
from zkmem.vault.paths import is_hidden

KINDS = (
    "deleted", "overwritten", "merged", "extracted", "renamed", "restored", "created", "changed", "relinked",
)  # fmt: skip
"""What can happen to a note; what destroys text comes first. "relinked": only links in it were updated."""

_RANKS = {"deleted": -2, "overwrote": -1}  # what destroys comes first, and is not among those that are left out
_MOST = 3  # files, or numbers of edits, that are named


def in_words(edit: Edit, overwritten: Collection[str] = ()) -> str:
    """Return what an edit did, as the predicate of a sentence: `renamed tea to green tea`.

    Notes whose links were only updated for another note are left out. `overwritten`: the paths of notes of whose text
    little is left.
    """
    undone = _undone(edit) if edit.undoes else "undid a part: " if edit.tool == "undo" else ""
    return undone + _deeds(edit, overwritten)


def as_title(edit: Edit, overwritten: Collection[str] = ()) -> str:
    """Return what an edit did in words, for a heading or a list."""
    words = in_words(edit, overwritten)
    return words[0].upper() + words[1:]


def with_number(edit: Edit) -> str:
    """Return the number of an edit, and what it did: `3: renamed tea to green tea`."""
    return f"{edit.number}: {in_words(edit)}"


def happened(
    kinds: Sequence[str],
    was: str = "",
    merged: Sequence[str] = (),
    extracted: Sequence[str] = (),
    gone: int | None = None,
    times: int = 1,
    *,
    is_appended: bool = False,
) -> str:
    """Return what happened to one note: `merged from tea; renamed from cup`.

    `was`: its earlier name; `merged`, `extracted`: the other notes; `gone`: how many words of it are gone; `times`: in
    how many edits; `is_appended`: whether its earlier text is the beginning of its text now.
    """
    lost = f": {number_of(gone, 'word')} gone" if gone else ""
    often = f" {times} times" if times > 1 else ""
    words = {
        "deleted": f"deleted{lost}",
        "overwritten": f"overwritten{lost}",
        "merged": f"merged from {_named(merged)}",
        "extracted": f"extracted to {_named(extracted)}",
        "renamed": f"renamed from {was}",
        "changed": ("appended" if is_appended else "changed") + often,
    }
    return "; ".join(words.get(kind, kind) for kind in kinds)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST]) + _more(len(names) - _MOST)


def _undone(edit: Edit) -> str:
    """Return which edits an edit has undone; a redo has undone undos."""
    what = ("the undo" if edit.tool == "redo" else "edit") + ("" if len(edit.undoes) == 1 else "s")
    return f"undid {what} {', '.join(map(str, edit.undoes[:_MOST]))}{_more(len(edit.undoes) - _MOST)}: "


def _deeds(edit: Edit, overwritten: Collection[str]) -> str:
    """Return what an edit did to files."""
    deeds = [
        *(("merged", f"{name_of(one.path)} into {name_of(one.to)}") for one in edit.merged),
        *(("extracted", f"{name_of(one.to)} from {name_of(one.path)}") for one in edit.extracted),
    ]
    said = {path for pair in (*edit.merged, *edit.extracted) for path in pair}
    changes = [one for one in edit.changes if not edit.relinks(one)]
    deeds += [
        ("overwrote", name_of(one.path)) if one.path in overwritten else _deed(one)
        for one in changes
        if said.isdisjoint({one.path, one.to}) and not _is_inner(one)
    ]
    deeds.sort(key=lambda deed: _RANKS.get(deed[0], 0))
    grouped: dict[str, list[str]] = {}
    for verb, names in deeds[:_MOST]:
        grouped.setdefault(verb, []).append(names)
    parts = [f"{verb} {', '.join(names)}" for verb, names in grouped.items()]
    return (", ".join(parts) or "changed nothing") + _more(max(0, len(deeds) - _MOST) + edit.more)


def _deed(change: Change) -> tuple[str, str]:
    """Return a verb for the change of a file, and its object."""
    path, before, after, to = change
    if to is None:
        return "created" if before is None else "deleted" if after is None else "changed", name_of(path)
    if is_hidden(path):
        return "restored", name_of(to)
    return ("deleted", name_of(path)) if is_hidden(to) else ("renamed", f"{name_of(path)} to {name_of(to)}")


def _is_inner(change: Change) -> bool:
    """Return whether a change is within hidden folders such as the trash."""
    return is_hidden(change.path) and is_hidden(change.to or change.path)


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
