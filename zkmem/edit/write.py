"""Plan to create a note, or to replace its text or that of a section."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

from zkmem.edit.passage import find_exact
from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker, fallout
from zkmem.errors import BadArgument, Inexpressible, NoConflict, NoPassage, StaleEtag
from zkmem.index.lookup import find_note, free_path, known_note
from zkmem.index.resolve import Files
from zkmem.markdown.callouts import resolved
from zkmem.markdown.layout import would_join
from zkmem.markdown.links import body_links
from zkmem.markdown.note import Text, read_text, write_text
from zkmem.markdown.properties import changed, parts
from zkmem.markdown.section_edit import How, with_section
from zkmem.names import check_text, name_of
from zkmem.past.names import NOW, Names, PlannedMoves
from zkmem.past.old_texts import OldText
from zkmem.past.present_names import LINKS_UPDATED, PresentNames, Sources
from zkmem.util import threeway
from zkmem.vault.files import etag as etag_of
from zkmem.vault.files import is_large


class BaseText(NamedTuple):
    """The text that an edit was made from, and older texts of the note from which links of the new text can come."""

    text: Text
    sources: Sources = Sources()


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
    """Plan to create or replace a note; with `old`, to replace one passage; with `append`, to add at its end.

    Without an `etag`, a whole text counts as made from the version that its writer has read last. `whole` says that the
    writer has read all of the note, so this is not checked.

    Raises:
        BadName, AmbiguousName, UnknownNote: when `name` does not mean exactly one note, or is not allowed.
        Taken: when the folder would differ from another one only in case or Unicode form.
        NoPassage: when the note does not have `old` exactly once. StaleEtag: when the note has changed since `etag`,
            and the two changes cannot be merged.
        EditedExpansion: when the text inside an expanded block was changed.
    """
    check_text(content, "content")
    if old == "":
        raise BadArgument("`old` is empty; leave it out to replace the whole note.")
    if old is not None and append:
        raise BadArgument("`old` and `append` exclude each other; give one of them.")
    path = find_note(view.catalog, name) if old is None else known_note(view.catalog, name)
    if path is None:
        if etag is not None:
            raise StaleEtag(
                f"{name!r} does not exist (any more). To create it, leave out the etag (HTTP: If-None-Match: *).",
                None,
            )
        path = free_path(view.catalog, name)
        text = view.collapse(content, path)
        return with_fallout(view, _created(view, path, text), None)
    if old is None and not append and not whole:
        _check_read(view, path)
        etag = etag or read_etag(view, path)
    base = base_text(view, path, etag)
    text = view.collapse(content, path)
    now = view.read(path)
    if append:
        return with_fallout(view, _plan_append(view, path, base, text), None)  # nothing of the note is lost
    if old is not None:
        new = _with_passage(view, path, base.text, old, text)
    else:
        _check_utf8(path, base.text)
        new = text
    base = _with_older(view, path, base, None if old else new)
    plan = put(view, path, base, new, "replaced" if old is None else "changed")
    return with_fallout(view, plan._replace(is_part=old is not None), now)


def _plan_append(view: View, path: str, base: BaseText, text: str) -> Plan:
    """Plan to add text at the end of a note. Later changes do not matter, but its links can have names of the base.

    Without a base, that is the version that the writer has read last.
    """
    tag = read_etag(view, path)
    read = view.with_etag(path, tag) if tag and tag != view.base(path) else None
    made_from = BaseText(base.text, Sources(base.sources.base or read, view.shown(path)))
    names = _present_names(view, made_from)
    new = names.edited(text, path, made_from.sources, body_links) if names else text
    base = base_text(view, path, None)
    if "\0" in base.text.text:  # UTF-16, for example: the added text would be in UTF-8
        _check_utf8(path, base.text)
    plan = put(view, path, base, appended(base.text, new), "appended")
    return plan._replace(remarks=_remarks(names, path, made_from, text, new), is_part=True)


def with_fallout(view: View, plan: Plan, before: bytes | None) -> Plan:
    """Return the plan with its effects on links to headings and blocks; `before` is a text that may lose some."""
    if not plan.steps:
        return plan
    return plan._replace(fallout=fallout(view, plan.path, plan.data(plan.path, view), before))


def plan_save(view: View, name: str, content: str, etag: str | None) -> Plan:
    """Plan to replace a note for a writer who has read all of it; without an etag, to create it.

    Raises:
        StaleEtag: when the note exists already, has changed since, or is gone. The errors of `plan_write`.
    """
    path = find_note(view.catalog, name) if etag is None else None
    if path is not None:
        sentence = f"{name_of(path)!r} exists already; edit it, or choose another name."
        present = view.base(path)
        proposal = None if is_large(present) else threeway.propose("", content, read_text(view.read(path)).shown)
        raise StaleEtag(sentence, present, proposal)
    return plan_write(view, name, content, etag=etag, whole=True)


def plan_resolve(view: View, name: str, number: int, *, other: bool, etag: str | None) -> Plan:
    """Plan to remove a note's conflict callout of this number; with `other`, to put its lines in place of the note's.

    Raises:
        UnknownNote, AmbiguousName: when `name` does not mean exactly one note. StaleEtag: as for `plan_write`.
        NoConflict: when there is no such callout, or, with `other`, when its place in the note is not certain.
    """
    path = known_note(view.catalog, name)
    base = base_text(view, path, etag)
    lines = resolved(parts(base.text).body.split("\n"), number, other=other)
    if lines is None:
        what = "conflict callout whose lines have a certain place" if other else "conflict callout"
        raise NoConflict(f"{name_of(path)!r} has no {what} with the number {number}. Read the note again and edit it.")
    plan = put(view, path, base, changed(base.text, {}, "\n".join(lines)), "changed")
    return with_fallout(view, plan, view.read(path))


def base_text(view: View, path: str, etag: str | None) -> BaseText:
    """Return the text that an edit was made from: see `base_version`."""
    text = base_version(view, path, etag)
    return BaseText(read_text(text.data), Sources(None if text.number == NOW else text))


def base_version(view: View, path: str, etag: str | None) -> OldText:
    """Return the text that an edit was made from: that with the etag or, without one, the present one.

    Raises:
        StaleEtag: when the text with the etag is no longer known.
    """
    if etag is None or view.base(path) == etag:
        return OldText(view.read(path), path, NOW)
    version = view.with_etag(path, etag)
    if version is None:
        raise StaleEtag(
            f"{name_of(path)!r} has changed since etag {etag}, whose text is no longer known; its etag is now "
            f"{view.base(path)}. Read it again and edit the new text.",
            view.base(path),
        )
    return version


def _with_older(view: View, path: str, base: BaseText, whole: str | None) -> BaseText:
    """Return the base of a new text, with the other texts from which its links can come.

    These are the older text that the session was shown last or, without one, an older text that equals the new one.
    `whole`: the new text if it replaces the whole note.
    """
    shown = view.shown(path)
    stale = base.sources.base
    if shown is not None:
        present = OldText(view.read(path), path, NOW) if path in view.catalog.rows else None
        return base._replace(sources=Sources(stale or present, shown))
    is_old = whole is not None and "[" in whole and stale is None
    same = view.past.with_etag(path, etag_of(write_text(whole, base.text))) if whole and is_old else None
    return base._replace(sources=Sources(stale, same=same))


def _present_names(view: View, base: BaseText, after: Files | None = None) -> PresentNames | None:
    """Return the present names for a text that was made from a base; None if no older text is a source of it.

    `after`: the files after the edit, if it makes one.
    """
    texts = base.sources.texts
    if not texts:
        return None
    names = Names.since(view.past.since(min(one.number for one in texts)))
    return PresentNames(names, view.catalog, PlannedMoves(), after or view.catalog, view.has)


def _remarks(names: PresentNames | None, path: str, base: BaseText, text: str, new: str) -> tuple[str, ...]:
    """Return remarks about the links of a text. `new`: the text with the present names."""
    remarks = [LINKS_UPDATED] if new != text else []
    data = new.encode(errors="surrogateescape")
    same = base.sources.same
    if names and same and names.text(same.data, same.path, same.number, path) != data:
        remarks.append("the note had this text before, but with links to other notes; restore it to get those links")
    return tuple(remarks)


def _created(view: View, path: str, text: str) -> Plan:
    """Return the plan for a new note. A link to another note that would then lead to the new one gets a full path."""
    relinker, base = Relinker(view, {}, born=[path]), _with_older(view, path, BaseText(Text("")), text)
    changed = relinker.changed()
    puts = [Put(other, data, view.base(other)) for other, data in changed.items()]
    names = _present_names(view, base, relinker.after)
    new = names.edited(text, path, base.sources) if names else text
    remarks = _remarks(names, path, base, text, new)
    return Plan(path, "created", (*puts, Put(path, write_text(new, Text("")), None)), tuple(changed), remarks=remarks)


def read_etag(view: View, path: str) -> str | None:
    """Return the etag of the version that the writer has read or written last; None if it is not known."""
    read = view.last_read(path)
    return read.etag or None if read else None


def _check_read(view: View, path: str) -> None:
    """Refuse to replace a note of which the writer has read only a part."""
    read = view.last_read(path)
    if read is not None and read.reached is not None:
        raise BadArgument(
            f"{name_of(path)!r} was read only in part, so replacing all of it would lose the rest. "
            "Edit passages of it with `old`, add with `append`, or read on to its end with `offset` first."
        )


def _check_utf8(path: str, base: Text) -> None:
    if base.lossy or base.wide:
        raise Inexpressible(
            f"{name_of(path)!r} has bytes that are not UTF-8. This edit would lose them, or add UTF-8 to them. "
            "Edit passages of it with `old`, or convert the file."
        )


def _with_passage(view: View, path: str, base: Text, passage: str, text: str) -> str:
    try:
        start, end = find_exact(base.shown, passage, name_of(path))
    except NoPassage:  # it may be quoted from expanded text
        plain = view.collapse(passage, path)
        if plain == passage:
            raise
        start, end = find_exact(base.shown, plain, name_of(path))
    if base.text[start:end] != base.shown[start:end]:
        raise Inexpressible(
            f"The passage has bytes that are not UTF-8, which {name_of(path)!r} would lose; quote less."
        )
    return base.text[:start] + text + base.text[end:]


def appended(base: Text, text: str) -> str:
    """Return a text with another one below it, after a blank line if the two would otherwise become one block."""
    gap = "" if not base.text or base.text.endswith("\n") else "\n"
    above, below = (one.encode(errors="surrogateescape") for one in (parts(base).body + gap, text))
    return base.text + gap + ("\n" if would_join(above, below) else "") + text


def put(view: View, path: str, base: BaseText, text: str, outcome: str) -> Plan:
    """Return the plan to replace a note's text, with its own line ends, merged with the changes since the base.

    Links with earlier names get the present names.
    """
    now = read_text(view.read(path))
    theirs: tuple[str, ...] = ()
    names = _present_names(view, base)
    old, new = (names.edited(one, path, base.sources) if names else one for one in (base.text.text, text))
    remarks = _remarks(names, path, base, text, new)
    if now.text != base.text.text:
        is_respelled = (old, new) != (base.text.text, text)
        new, theirs = with_theirs(view, path, old, new, now.text, names if is_respelled else None)
    data = write_text(new, now)
    if data == view.read(path):
        return Plan(path, "unchanged", (), merged=theirs, remarks=remarks)
    return Plan(path, outcome, (Put(path, data, view.base(path)),), merged=theirs, remarks=remarks)


def with_theirs(
    view: View, path: str, base: str, mine: str, theirs: str, names: PresentNames | None = None
) -> tuple[str, tuple[str, ...]]:
    """Merge both changes into one text; return it, and the changes of the other side as lines of a diff.

    With `names`, lines that differ only in the spelling of links are equal.

    Raises:
        StaleEtag: when both changed the same lines.
    """
    try:
        text = names.merged(base, mine, theirs, path) if names else threeway.merged(base, mine, theirs)
    except threeway.Conflict as conflict:
        place = conflict.proposal.conflicts[0]
        raise StaleEtag(
            f"{name_of(path)!r} has changed since you read it, in the same lines (from line {place.line}); nothing "
            f"was written. The note now has:\n{_shown(place.theirs)}\nYou wrote:\n"
            f"{_shown(place.mine)}\nIts etag is now {view.base(path)}: edit the new text.",
            view.base(path),
            conflict.proposal,
        ) from None
    return text, threeway.changed_lines(base, theirs)


def _shown(lines: Sequence[str], most: int = 300) -> str:
    """Join some lines for a message, and shorten them."""
    text = "\n".join(lines) or "(nothing)"
    return text if len(text) <= most else text[: most - 3] + "..."


def plan_section(
    view: View, name: str, section: str, content: str, how: How, *, create: bool = False, etag: str | None = None
) -> Plan:
    """Plan to change the text below a heading, or of a block: see `with_section`. `create`: make a missing note, too.

    Raises:
        UnknownNote, AmbiguousName: when `name` does not mean exactly one note. StaleEtag: as for `plan_write`. The
            errors of `with_section`.
    """
    check_text(content, "content")
    if how not in get_args(How):
        raise BadArgument(f"`how` is {how!r}; give append, prepend, replace or insert.")
    check_section(section)
    path = find_note(view.catalog, name) if create else known_note(view.catalog, name)
    if path is None:
        body = with_section(b"", name, section, content, how, create=True)
        return plan_write(view, name, body.decode(), etag=etag)
    base = base_text(view, path, etag or (read_etag(view, path) if how == "replace" else None))
    body = parts(base.text).body.encode(errors="surrogateescape")
    new = with_section(body, name_of(path), section, view.collapse(content, path), how, create=create)
    text = changed(base.text, {}, new.decode(errors="surrogateescape"))
    plan = put(view, path, base, text, "appended" if how == "append" else "changed")
    return with_fallout(view, plan._replace(is_part=True), view.read(path))


def check_section(section: str) -> None:
    """Check that a section is a heading in one line, or a block id.

    Raises:
        BadArgument: when it is not.
    """
    check_text(section, "section")
    if not section.strip("#^ \t\n") or "\n" in section:
        raise BadArgument(f"`section` is {section!r:.60}; give a heading in one line, or a block id: ^id.")
