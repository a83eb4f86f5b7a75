"""Create and replace the text of a note, as plans."""

from collections.abc import Sequence

from zkmem.edit.headings import fallout
from zkmem.edit.passage import find_exact
from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.errors import BadArgument, Inexpressible, NoPassage, StaleEtag
from zkmem.index.lookup import find_note, free_path, known_note
from zkmem.markdown.note import Text, read_text, write_text
from zkmem.names import name_of
from zkmem.util import threeway
from zkmem.vault.files import is_large


def plan_write(
    view: View,
    name: str,
    content: str,
    *,
    old: str | None = None,
    append: bool = False,
    etag: str | None = None,
    whole: bool = False,
) -> Plan:
    """Create or replace a note; with `old`, one passage of it; with `append`, add to its end.

    `whole`: the writer has read all of it, whatever others were served in part.

    Raises:
        BadName, AmbiguousName, UnknownNote: when `name` means no one note, or none that can be made.
        Taken: when its folder would be the twin of another one.
        NoPassage: when `old` is not there exactly once. StaleEtag: when the note has changed since `etag`, and the
            two changes cannot be merged.
        EditedExpansion: when expanded text comes back changed inside.
    """
    check_text(content, "content")
    if old == "":
        raise BadArgument("`old` is empty; leave it out to replace the whole note.")
    if old is not None and append:
        raise BadArgument("`old` and `append` exclude each other; give one of them.")
    path = find_note(view.catalog, name) if old is None else known_note(view.catalog, name)
    if path is None:
        if etag is not None:
            raise StaleEtag(f"{name!r} does not exist (any more); leave out the etag to create it.", None)
        path = free_path(view.catalog, name)
        return _with_fallout(view, _created(view, path, view.collapse(content, path)), None)
    base = _base(view, path, etag)
    if append:  # whatever was written since the etag, the end of the note has room for more
        base = read_text(view.read(path))
    text = view.collapse(content, path)
    if old is not None:
        new, outcome = _with_passage(view, path, base, old, text), "replaced"
    elif append:
        new, outcome = _appended(base, text), "appended"
    else:
        _check_replaceable(view, path, base, whole=whole)
        new, outcome = text, "replaced"
    now = view.read(path)
    # Appended text takes something away only if it continues a paragraph that ends with a block id.
    takes_away = not append or b"^" in now.rstrip().rpartition(b"\n")[2]
    return _with_fallout(view, _put(view, path, base, new, outcome), now if takes_away else None)


def _with_fallout(view: View, plan: Plan, before: bytes | None) -> Plan:
    """Return the plan with its effects on links to headings and blocks; `before`: the text that may lose some."""
    if not plan.steps:
        return plan
    return plan._replace(fallout=fallout(view, plan.path, plan.data(plan.path, view), before))


def plan_save(view: View, name: str, content: str, etag: str | None) -> Plan:
    """Replace all of a note by one who has read all of it; without an etag, create it.

    Raises:
        StaleEtag: when it is there already, or has changed since, or is gone. And what `plan_write` raises.
    """
    there = find_note(view.catalog, name) if etag is None else None
    if there is not None:
        sentence = f"{name_of(there)!r} exists already; edit it, or choose another name."
        tag = view.base(there)
        proposal = None if is_large(tag) else threeway.propose("", content, read_text(view.read(there)).shown)
        raise StaleEtag(sentence, tag, proposal)
    return plan_write(view, name, content, etag=etag, whole=True)


def _base(view: View, path: str, etag: str | None) -> Text:
    """Return the text that an edit was made from: the one with the etag, if there is one, else the note's.

    Raises:
        StaleEtag: when that text is known no more.
    """
    if etag is None or view.base(path) == etag:
        return read_text(view.read(path))
    known = view.known(path, etag)
    if known is None:
        raise StaleEtag(
            f"{name_of(path)!r} has changed since etag {etag}, which is not known any more: it is {view.base(path)} "
            "now. Read it again and make the edit on what it says now.",
            view.base(path),
        )
    return read_text(known)


def _created(view: View, path: str, text: str) -> Plan:
    """A new note must not change what the links of others mean: those it would take over are widened."""
    changed = Relinker(view, {}, born=[path]).changed()
    puts = [Put(other, data, view.base(other)) for other, data in changed.items()]
    return Plan(path, "created", (*puts, Put(path, write_text(text, Text("")), None)), tuple(changed))


def _check_replaceable(view: View, path: str, base: Text, *, whole: bool) -> None:
    if base.lossy:
        raise Inexpressible(
            f"{name_of(path)!r} holds bytes that are not UTF-8, which replacing all of it would lose. "
            "Edit passages of it with `old`, or convert the file."
        )
    if not whole and view.read_in_part(path):
        raise BadArgument(
            f"{name_of(path)!r} was read only in part, so replacing all of it would lose the rest. "
            "Edit passages of it with `old`, add with `append`, or read on to its end with `offset` first."
        )


def _with_passage(view: View, path: str, base: Text, passage: str, text: str) -> str:
    try:
        start, end = find_exact(base.shown, passage, name_of(path))
    except NoPassage:  # quoted, perhaps, from expanded text
        plain = view.collapse(passage, path)
        if plain == passage:
            raise
        start, end = find_exact(base.shown, plain, name_of(path))
    if base.text[start:end] != base.shown[start:end]:
        raise Inexpressible(
            f"The passage holds bytes that are not UTF-8, which {name_of(path)!r} would lose; quote less."
        )
    return base.text[:start] + text + base.text[end:]


def _appended(base: Text, text: str) -> str:
    gap = "" if not base.text or base.text.endswith("\n") else "\n"
    return base.text + gap + text


def _put(view: View, path: str, base: Text, text: str, outcome: str) -> Plan:
    """Replace a note's text, in its own line ends; what changed since the base is merged with it."""
    now = read_text(view.read(path))
    theirs: tuple[str, ...] = ()
    if now.text != base.text:
        text, theirs = _merged(view, path, base.text, text, now.text)
    data = write_text(text, now)
    if data == view.read(path):
        return Plan(path, "unchanged", ())
    return Plan(path, outcome, (Put(path, data, view.base(path)),), merged=theirs)


def _merged(view: View, path: str, base: str, mine: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    """Both changes in one text, and what the other side changed as lines of a diff.

    Raises:
        StaleEtag: when both changed the same lines.
    """
    try:
        text = threeway.merged(base, mine, theirs)
    except threeway.Conflict as conflict:
        place = conflict.proposal.conflicts[0]
        raise StaleEtag(
            f"{name_of(path)!r} has changed since, in the same lines (from line {place.line}); nothing "
            f"was written. Now there is:\n{_shown(place.theirs)}\nYou wrote:\n"
            f"{_shown(place.mine)}\nIts etag is {view.base(path)} now: edit what it says now.",
            view.base(path),
            conflict.proposal,
        ) from None
    return text, threeway.changed_lines(base, theirs)


def _shown(lines: Sequence[str], most: int = 300) -> str:
    """Some lines for a message, shortened."""
    text = "\n".join(lines) or "(nothing)"
    return text if len(text) <= most else text[: most - 3] + "..."


def check_text(text: str, what: str) -> None:
    """Refuse text that no UTF-8 file can hold.

    Raises:
        BadArgument: when it holds half of a surrogate pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(f"`{what}` holds half a character at position {error.start}; send whole ones.") from None
