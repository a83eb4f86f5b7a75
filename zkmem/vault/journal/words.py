"""Describe edits in words."""

from zkmem.names import name_of
from zkmem.vault.journal.log import Change, Edit
from zkmem.vault.paths import is_hidden

_MOST = 3  # files, or numbers of edits, that are named


def in_words(edit: Edit) -> str:
    """Return what an edit did, as the predicate of a sentence: `renamed tea to green tea`.

    Notes whose links were only updated for a renaming are left out.
    """
    return (_undone(edit) if edit.undoes else "") + _deeds(edit)


def as_title(edit: Edit) -> str:
    """Return what an edit did in words, for a heading or a list."""
    words = in_words(edit)
    return words[0].upper() + words[1:]


def with_number(edit: Edit) -> str:
    """Return the number of an edit, and what it did: `3: renamed tea to green tea`."""
    return f"{edit.number}: {in_words(edit)}"


def _undone(edit: Edit) -> str:
    """Return which edits an edit has undone; a redo has undone undos."""
    what = ("the undo" if edit.tool == "redo" else "edit") + ("" if len(edit.undoes) == 1 else "s")
    return f"undid {what} {', '.join(map(str, edit.undoes[:_MOST]))}{_more(len(edit.undoes) - _MOST)}: "


def _deeds(edit: Edit) -> str:
    """Return what an edit did to files."""
    deeds = [
        *(("merged", f"{name_of(one.path)} into {name_of(one.to)}") for one in edit.merged),
        *(("extracted", f"{name_of(one.to)} from {name_of(one.path)}") for one in edit.extracted),
    ]
    said = {path for pair in (*edit.merged, *edit.extracted) for path in pair}
    changes = [one for one in edit.changes if not edit.is_renaming or one.to is not None]
    deeds += [_deed(one) for one in changes if said.isdisjoint({one.path, one.to}) and not _is_inner(one)]
    grouped: dict[str, list[str]] = {}
    for verb, names in deeds[:_MOST]:
        grouped.setdefault(verb, []).append(names)
    parts = [f"{verb} {', '.join(names)}" for verb, names in grouped.items()]
    return (", ".join(parts) or "changed nothing") + _more(max(0, len(deeds) - _MOST) + edit.more)


def _deed(change: Change) -> tuple[str, str]:
    """Return a verb for the change of a file, and its object."""
    path, before, after, to = change
    if to is None:
        return "added" if before is None else "deleted" if after is None else "changed", name_of(path)
    if is_hidden(path):
        return "restored", name_of(to)
    return ("deleted", name_of(path)) if is_hidden(to) else ("renamed", f"{name_of(path)} to {name_of(to)}")


def _is_inner(change: Change) -> bool:
    """Return whether a change is within hidden folders such as the trash."""
    return is_hidden(change.path) and is_hidden(change.to or change.path)


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
