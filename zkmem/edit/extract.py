"""Plan an extraction: move a passage to another note and leave a link."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from zkmem.edit.passage import find_quoted
from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker, alike
from zkmem.errors import BadArgument, Inexpressible, NoPassage, Taken
from zkmem.index.lookup import known_note
from zkmem.index.resolve import page_title, resolve
from zkmem.index.respell import Aim
from zkmem.markdown import frontmatter
from zkmem.markdown.labels import Untangled, untangled
from zkmem.markdown.links import Link, as_utf8, body_links, find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.rewrite import apply, offset_after
from zkmem.markdown.sections import Outline, find_blocks
from zkmem.names import check_text, fold, name_of

_LINE_ENDS = b"\r\n"
_MARKER = re.compile(  # the marker of a list item, with the box of a task
    rb"[ \t]*((?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}(?=\S)|[ \t]))(?:\[.\][ \t]+)?"
)


class _Cut(NamedTuple):
    """A note's bytes and the range of the passage in them."""

    data: bytes
    start: int
    end: int
    links: list[Link]  # of the note
    remarks: tuple[str, ...] = ()
    lead: bytes = b""  # the marker of a list item, which stays in front of the link
    indent: int = 0  # columns of a list item's indentation, to remove from the lines of the passage

    @property
    def passage(self) -> bytes:
        """The bytes of the passage."""
        return self.data[self.start : self.end]


def plan_extract(view: View, name: str, passage: str, new_name: str) -> Plan:
    """Plan to move a passage of a note to a new note `new_name`, or to the end of an existing one, and to leave a link.

    If the passage is a heading, the section below it is moved, too.

    Links inside the passage keep their meaning. So do links of other notes to headings and blocks in the passage, and
    links that would otherwise mean the new note. The marker of a list item stays where it is.

    Raises:
        NoPassage: when the note does not have the passage exactly once. BadArgument: when the two notes are the same.
        UnknownNote, AmbiguousName, BadName, Taken: when a name does not mean exactly one note, or cannot be used.
        Inexpressible: when links could not keep their meaning.
    """
    check_text(passage, "content")
    if not passage.strip():
        raise BadArgument("`content` is empty; quote the passage to move.")
    path = known_note(view.catalog, name)
    new, exists = view.new_place(path, new_name)
    if not exists and fold(new) == fold(path):
        raise BadArgument(f"`new_name` is {name_of(path)!r} itself; give the name of another note.")
    return _plan(view, path, _find(view, path, view.collapse(passage, path)), new, exists=exists)


def plan_extract_range(view: View, path: str, start: int, end: int, new_name: str) -> Plan:
    """Plan to move the bytes `start`..`end` of a note to a new note, without the line ends around them.

    Raises:
        NoPassage: when the range is empty, or reaches into the properties. Taken: when a note has the name. The other
            errors of `plan_extract`.
    """
    data = view.read(path)
    start += len(data[start:end]) - len(data[start:end].lstrip(_LINE_ENDS))
    end = start + len(data[start:end].rstrip(_LINE_ENDS))
    if not data[start:end].strip() or start < len(data) - len(body_of(data)):
        raise NoPassage("Select text below the properties of the note.")
    new, exists = view.new_place(path, new_name)
    if exists:
        raise Taken(f"There is a note {name_of(new)!r} already; choose another name.").about(new)
    return _plan(view, path, _cut(data, start, end), new, exists=False)


def _plan(view: View, path: str, cut: _Cut, new: str, *, exists: bool) -> Plan:
    created = [] if exists else [new]
    old = view.read(new) if exists else b""
    names = untangled(as_utf8(cut.passage), as_utf8(body_of(old)), alike(view.catalog, path, new))
    plain = Relinker(view, {}, created)
    draft = _target(old, _moved_passage(plain, cut, path, new, names), cut.data)
    remainder = _remainder(plain, cut, path, new)
    parts = _Parts(cut, path, new, names.ids, (Outline(as_utf8(body_of(draft))), Outline(as_utf8(body_of(remainder)))))
    relinker = Relinker(view, {}, created, parts, of=path if parts.any_moved else None)
    changed = relinker.changed() if created or parts.any_moved else {}
    changed.pop(path, None)
    target = _target(changed.pop(new, old), _moved_passage(relinker, cut, path, new, names), cut.data)
    steps = [
        Put(new, target, view.base(new) if exists else None),
        Put(path, _remainder(relinker, cut, path, new), view.base(path)),
        *(Put(other, data, view.base(other)) for other, data in changed.items()),
    ]
    before = [(path, cut.data), *([(new, old)] if exists else [])]

    def is_left_out(source: str, link: Link) -> bool:
        return source == path and link.kind == "ref" and link.display in names.left_out

    relinker.check_kept(before, [(step.path, step.data) for step in steps[:2]], is_left_out)
    outcome = "appended" if exists else "created"
    return Plan(new, outcome, tuple(steps), tuple(changed), remarks=(*cut.remarks, *names.remarks), source=path)


def _find(view: View, path: str, passage: str) -> _Cut:
    data = view.read(path)
    text = read_text(data)
    begin = len(text.shown) - len(body_of(text.shown.encode()).decode())
    lines_before = text.shown.count("\n", 0, begin)
    start, end = find_quoted(text.shown[begin:], passage, name_of(path), lines_before)
    first, last = text.offset(begin + start), text.offset(begin + end)
    section = _section(data, first, last)
    if section is None or section[1] <= last:
        return _cut(data, first, last)
    return _cut(data, *section)._replace(remarks=("the section below the heading was moved with it",))


def _section(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of the section whose heading is from `start` to `end`; None if no whole heading is there."""
    outline = Outline(as_utf8(body_of(data)))
    before = len(data) - len(outline.body)
    for at, heading in enumerate(outline.headings):
        first, last = outline.title(at)
        is_whole = heading.start <= start - before <= first < last <= end - before <= heading.end
        if is_whole and not heading.depth:
            begin, after = outline.section(at)
            return before + begin, before + begin + len(outline.body[begin:after].rstrip())
    return None


def _cut(data: bytes, start: int, end: int) -> _Cut:
    """Return the cut of a range."""
    cut = _Cut(data, start, end, find_links(data))
    for link in cut.links:
        if link.start < cut.start < link.end or link.start < cut.end < link.end:
            raise NoPassage(f"The passage cuts through the link {link.raw}; take the whole link, or leave it out.")
    return _without_marker(cut)


def _without_marker(cut: _Cut) -> _Cut:
    """Return the cut without the marker of its first list item, unless the passage is the whole list.

    The marker stays in the old note. A single item is moved as plain text, several items as a list.
    """
    body = as_utf8(body_of(cut.data))
    before = len(cut.data) - len(body)
    start, end = cut.start - before, cut.end - before
    marker = _MARKER.match(body, start)
    if not marker or body[body.rfind(b"\n", 0, start) + 1 : start].strip():
        return cut
    blocks = find_blocks(body)
    first = next((block for block in blocks if (block.kind, block.start) == ("Item", marker.start(1))), None)
    if first is None:
        return cut
    whole = next(block for block in reversed(blocks) if block.kind == "List" and block.start <= first.start < block.end
                 and block.depth == first.depth - 1)  # fmt: skip
    items = [block.start for block in blocks if block.depth == first.depth and whole.start <= block.start < whole.end]
    moved = [at for at in items if first.start <= at < end]
    if len(moved) > 1:
        return cut if moved == items else cut._replace(lead=cut.data[cut.start : marker.end() + before])
    if body[first.end : end].strip():
        return cut._replace(lead=cut.data[cut.start : marker.end() + before])
    column = marker.start(1) - body.rfind(b"\n", 0, start) - 1
    return cut._replace(start=before + marker.end(), indent=column + len(marker[1]))


class _Parts:
    """Computes the new targets of links to headings and blocks of a note, after a passage has moved away."""

    def __init__(self, cut: _Cut, path: str, new: str, ids: Mapping[str, str], after: tuple[Outline, Outline]) -> None:
        """`after` are the outlines of the note that gets the passage, and of the remainder of the other note."""
        self._path, self._new, self._ids = path, new, ids
        body = as_utf8(body_of(cut.data))
        self._outline, (self._target, self._left) = Outline(body), after
        before = len(cut.data) - len(body)
        self._start, self._end = cut.start - before, cut.end - before
        inside = [at for at, heading in enumerate(self._outline.headings) if self._is_moved(heading.start)]
        self._moved = range(inside[0], inside[-1] + 1) if inside else range(0)
        split = any(one.start < at < one.end for one in self._outline.headings for at in (self._start, self._end))
        self.any_moved = split or bool(inside) or any(self._is_moved(one.start) for one in self._outline.ids())
        self._aims: dict[str, Aim | None] = {}

    def _is_moved(self, at: int) -> bool:
        return self._start <= at < self._end

    def __call__(self, aim: Aim) -> Aim | None:
        """Return the new target of a link; None if the edit does not affect it."""
        if aim.path != self._path:
            return None
        if aim.subpath not in self._aims:
            self._aims[aim.subpath] = self._aim(aim.subpath)
        return self._aims[aim.subpath]

    def _aim(self, subpath: str) -> Aim | None:
        span = self._outline.find(subpath)
        if span is None:
            return None
        if subpath.startswith("#^"):
            block_id = subpath[2:].strip()
            moved = Aim(self._new, "#^" + self._ids.get(block_id.lower(), block_id))
            return moved if self._is_moved(span[0]) else Aim(self._path, subpath)
        at = self._outline.heading(subpath) or 0
        if at in self._moved:
            path, outline = self._new, self._target
            at += len(outline.headings) - self._moved.stop
        else:
            path, outline = self._path, self._left
            at -= len(self._moved) if self._moved and at >= self._moved.stop else 0
        new_subpath = outline.subpath_to(at, subpath) if 0 <= at < len(outline.headings) else None
        if new_subpath is None:
            raise Inexpressible(
                f"A link leads to {subpath!r} of {name_of(self._path)!r}, and this edit could not update it; "
                "quote the whole heading, or rename it first."
            )
        return Aim(path, new_subpath)


def _moved_passage(relinker: Relinker, cut: _Cut, path: str, new: str, names: Untangled) -> bytes:
    """Return the passage for the new note: with updated links, and new names for footnotes, labels and ids in use.

    Text that was not a link before, for example in code, does not change, even if it becomes a link.
    """
    passage = apply(cut.passage, names.splices)
    counted = {offset_after(names.splices, link.start - cut.start) for link in cut.links}
    skip = {number for number, link in enumerate(body_links(passage)) if link.start not in counted}
    text = relinker.rewrite(passage, path, new, skip, scan=body_links)
    return re.sub(rb"(?m)^(?: {1,%d}|\t)" % cut.indent, b"", text) if cut.indent else text


def _remainder(relinker: Relinker, cut: _Cut, path: str, new: str) -> bytes:
    """Return the note with a link in place of the passage, and with its other links updated."""
    for spelling in filter(None, (page_title(relinker.after, new), name_of(new), "/" + name_of(new), new, "/" + new)):
        if resolve(relinker.after, spelling, path).path != new:
            continue
        remainder = cut.data[: cut.start] + cut.lead + f"[[{spelling}]]".encode() + cut.data[cut.end :]
        for number, link in enumerate(find_links(remainder)):
            if link.start == cut.start + len(cut.lead) and link.target == spelling:
                return relinker.rewrite(remainder, path, path, {number})
    raise Inexpressible(
        f"A link to {name_of(new)!r} would not work in place of the passage. Check whether the passage is inside code."
    )


def _target(data: bytes, passage: bytes, like: bytes) -> bytes:
    """Return `data`, a blank line and the passage; if `data` is empty, the passage with the line ends of `like`."""
    newline = b"\r\n" if b"\r\n" in (data or like) else b"\n"
    body = passage.replace(b"\r\n", b"\n").replace(b"\n", newline) if data else passage
    body += b"" if body.endswith(b"\n") else newline
    if not data.strip():
        return data + _no_properties(body, newline)
    gap = b"" if data.endswith(newline * 2) else newline if data.endswith(b"\n") else newline * 2
    return data + gap + body


def _no_properties(body: bytes, newline: bytes) -> bytes:
    """Return the text for the beginning of a note. A line end before it keeps two rules from becoming frontmatter."""
    first, last, _ = frontmatter.split(body)
    return newline + body if last > first else body
