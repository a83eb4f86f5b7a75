"""Move a passage to a note of its own and leave a link, as a plan."""

from typing import NamedTuple

from zkmem.edit.passage import find_quoted
from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.edit.write import check_text
from zkmem.errors import BadArgument, Inexpressible, NoPassage
from zkmem.index.lookup import known_note, new_note
from zkmem.index.resolve import resolve
from zkmem.markdown import frontmatter
from zkmem.markdown.links import Link, as_text, body_links, find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.rewrite import apply, retarget
from zkmem.markdown.sections import find_section
from zkmem.vault.names import name_of


class _Cut(NamedTuple):
    """A note's bytes and the range of the passage in them."""

    data: bytes
    start: int
    end: int
    links: list[Link]  # of the note


def plan_extract(view: View, name: str, passage: str, new_name: str) -> Plan:
    """Move a passage of a note to the note `new_name`, which is made, or gets it at its end, and leave a link.

    Links inside the passage keep their meaning, and so do links of others that the new name would take over.

    Raises:
        NoPassage: when the passage is not there exactly once. BadArgument: when the two notes are one.
        UnknownNote, AmbiguousName, BadName, Taken: when a name means no one note, or none that can be made.
    """
    check_text(passage, "content")
    if not passage.strip():
        raise BadArgument("`content` is empty; quote the passage to move.")
    path = known_note(view.catalog, name)
    new, there = new_note(view.catalog, new_name)
    if new == path:
        raise BadArgument(f"`new_name` is {name_of(path)!r} itself; give the name of another note.")
    cut = _find(view, path, view.collapse(passage, path))
    relinker = Relinker(view, {}, born=[] if there else [new])
    changed = {} if there else relinker.changed()
    changed.pop(path, None)
    steps = [
        _target(view, new, _moved_passage(relinker, cut, path, new), b"\r\n" if b"\r\n" in cut.data else b"\n"),
        Put(path, _remainder(relinker, cut, path, new), view.base(path)),
        *(Put(other, data, view.base(other)) for other, data in changed.items()),
    ]
    before = [(path, cut.data), *([(new, view.read(new))] if there else [])]
    relinker.check_kept(before, [(step.path, step.data) for step in steps[:2]])
    return Plan(new, "appended" if there else "created", tuple(steps), tuple(changed))


def _find(view: View, path: str, passage: str) -> _Cut:
    data = view.read(path)
    text = read_text(data)
    begin = len(text.shown) - len(body_of(text.shown.encode()).decode())
    lines_before = text.shown.count("\n", 0, begin)
    start, end = find_quoted(text.shown[begin:], passage, name_of(path), lines_before)
    cut = _Cut(data, text.offset(begin + start), text.offset(begin + end), find_links(data))
    for link in cut.links:
        if link.start < cut.start < link.end or link.start < cut.end < link.end:
            raise NoPassage(f"The passage cuts through the link {link.raw}; quote all of it, or none.")
    return cut


def _moved_passage(relinker: Relinker, cut: _Cut, path: str, new: str) -> bytes:
    """The passage with its links as the new note needs them.

    What stood in code, or in another place where it was no link, is left alone even if it becomes one. A link to a
    heading or block that stays behind, `[[#Heading]]`, names its note now.
    """
    passage = cut.data[cut.start : cut.end]
    counted = {link.start - cut.start for link in cut.links}
    links = body_links(passage)
    own = [
        splice
        for link in links
        if link.start in counted and not link.target and _stays_behind(cut, link.subpath)
        for splice in retarget(passage, link, name_of(path))
    ]
    skip = {number for number, link in enumerate(links) if link.start not in counted}
    return relinker.rewrite(apply(passage, own), path, new, skip, scan=body_links)


def _stays_behind(cut: _Cut, subpath: str) -> bool:
    """Whether the heading or block that a subpath means in its note is outside of the passage."""
    body = body_of(cut.data)
    section = find_section(as_text(body).encode(), subpath)
    if section is None:
        return False
    start = section[0] + len(cut.data) - len(body)
    return not cut.start <= start < cut.end


def _remainder(relinker: Relinker, cut: _Cut, path: str, new: str) -> bytes:
    """The note with a link in the place of the passage, its own links kept right."""
    for spelling in (name_of(new), "/" + name_of(new), new, "/" + new):
        if resolve(relinker.after, spelling, path).path != new:
            continue
        left = cut.data[: cut.start] + f"[[{spelling}]]".encode() + cut.data[cut.end :]
        for number, link in enumerate(find_links(left)):
            if link.start == cut.start and link.target == spelling:
                return relinker.rewrite(left, path, path, {number})
    raise Inexpressible(
        f"A link to {name_of(new)!r} in place of the passage would not be read as one: is the passage inside code?"
    )


def _target(view: View, new: str, passage: bytes, newline: bytes) -> Put:
    """The new note, or the existing one with the passage after a blank line."""
    if new not in view.catalog.rows:
        return Put(new, _no_properties(passage + (b"" if passage.endswith(b"\n") else newline), newline), None)
    data = view.read(new)
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    body = passage.replace(b"\r\n", b"\n").replace(b"\n", newline)
    gap = b"" if not data.strip() or data.endswith(newline * 2) else newline if data.endswith(b"\n") else newline * 2
    body += b"" if body.endswith(b"\n") else newline
    return Put(new, data + gap + body if data.strip() else data + _no_properties(body, newline), view.base(new))


def _no_properties(body: bytes, newline: bytes) -> bytes:
    """The text as the first of a note: a passage between two rules must not become its properties."""
    first, last, _ = frontmatter.split(body)
    return newline + body if last > first else body
