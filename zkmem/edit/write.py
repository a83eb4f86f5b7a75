"""Create and replace the text of a note, as plans."""

from zkmem.edit.passage import find_exact
from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.errors import BadArgument, NoPassage, StaleEtag, Unwritable
from zkmem.index.lookup import find_note, free_path, known_note
from zkmem.markdown.note import Text, read_text, write_text
from zkmem.vault.names import name_of


def plan_write(
    view: View, name: str, content: str, *, old: str | None = None, append: bool = False, etag: str | None = None
) -> Plan:
    """Create or replace a note; with `old`, one passage of it; with `append`, add to its end.

    Raises:
        BadName, AmbiguousName, UnknownNote: when `name` means no one note, or none that can be made.
        Taken: when its folder would be the twin of another one.
        NoPassage: when `old` is not there exactly once. StaleEtag: when `etag` is not the note's.
        EditedExpansion: when expanded text comes back changed inside.
    """
    check_text(content, "content")
    if old == "":
        raise BadArgument("`old` is empty; leave it out to replace the whole note.")
    if old is not None and append:
        raise BadArgument("`old` and `append` exclude each other; give one of them.")
    path = find_note(view.catalog, name) if old is None else known_note(view.catalog, name)
    if path is None:
        path = free_path(view.catalog, name)
        _check_etag(view, path, etag)
        return _created(view, path, view.collapse(content, path))
    _check_etag(view, path, etag)
    text = view.collapse(content, path)
    if old is not None:
        return _passage_replaced(view, path, old, text)
    return _appended(view, path, text) if append else _replaced(view, path, text)


def _created(view: View, path: str, text: str) -> Plan:
    """A new note must not change what the links of others mean: those it would take over are widened."""
    changed = Relinker(view, {}, born=[path]).changed()
    puts = [Put(other, data, view.base(other)) for other, data in changed.items()]
    return Plan(path, "created", (*puts, Put(path, write_text(text, Text("")), None)), tuple(changed))


def _replaced(view: View, path: str, text: str) -> Plan:
    old = read_text(view.read(path))
    if old.lossy:
        raise Unwritable(
            f"{name_of(path)!r} holds bytes that are not UTF-8, which replacing all of it would lose. "
            "Edit passages of it with `old`, or convert the file."
        )
    if view.read_in_part(path):
        raise BadArgument(
            f"{name_of(path)!r} was read only in part, so replacing all of it would lose the rest. "
            "Edit passages of it with `old`, add with `append`, or read on to its end with `offset` first."
        )
    return _put(view, path, text, old, "replaced")


def _passage_replaced(view: View, path: str, passage: str, text: str) -> Plan:
    old = read_text(view.read(path))
    try:
        start, end = find_exact(old.shown, passage, name_of(path))
    except NoPassage:  # quoted, perhaps, from expanded text
        plain = view.collapse(passage, path)
        if plain == passage:
            raise
        start, end = find_exact(old.shown, plain, name_of(path))
    if old.text[start:end] != old.shown[start:end]:
        raise Unwritable(f"The passage holds bytes that are not UTF-8, which {name_of(path)!r} would lose; quote less.")
    return _put(view, path, old.text[:start] + text + old.text[end:], old, "replaced")


def _appended(view: View, path: str, text: str) -> Plan:
    old = read_text(view.read(path))
    gap = "" if not old.text or old.text.endswith("\n") else "\n"
    return _put(view, path, old.text + gap + text, old, "appended")


def _put(view: View, path: str, text: str, like: Text, outcome: str) -> Plan:
    """Replace a note's text, in its own line ends."""
    data = write_text(text, like)
    if data == view.read(path):
        return Plan(path, "unchanged", ())
    return Plan(path, outcome, (Put(path, data, view.base(path)),))


def _check_etag(view: View, path: str, etag: str | None) -> None:
    """Refuse an edit that was made from another version of the note.

    Raises:
        StaleEtag: when the note has another etag, or is not there any more.
    """
    if etag is None:
        return
    if path not in view.catalog.rows:
        raise StaleEtag(f"{name_of(path)!r} does not exist (any more); leave out the etag to create it.")
    if view.base(path) != etag:
        raise StaleEtag(
            f"{name_of(path)!r} has changed since etag {etag}: it is {view.base(path)} now. "
            "Read it again and make the edit on what it says now."
        )


def check_text(text: str, what: str) -> None:
    """Refuse text that no UTF-8 file can hold.

    Raises:
        BadArgument: when it holds half of a surrogate pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(f"`{what}` holds half a character at position {error.start}; send whole ones.") from None
