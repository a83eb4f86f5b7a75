"""Find what a person can rename at a place in a note. Plan to rename a heading or a block, with every link to it.

A note can be renamed with its first heading and its title.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.edit.properties import plan_properties
from zkmem.edit.relink import Relinker
from zkmem.edit.rename import plan_rename_at
from zkmem.errors import BadArgument, Inexpressible, NoSection, Taken, TooLarge
from zkmem.index.catalog import Catalog
from zkmem.index.resolve import plain_name, resolve
from zkmem.index.respell import Aim, Parts
from zkmem.markdown import frontmatter
from zkmem.markdown.links import Link, as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.properties import typed_properties
from zkmem.markdown.rewrite import Splice, apply, retarget
from zkmem.markdown.sections import Outline, heading_key, names_part
from zkmem.names import base_of, check_text, fold, is_note, name_of
from zkmem.util.spelling import quoted
from zkmem.vault.files import Read

_BLOCK_ID = re.compile(r"[A-Za-z0-9-]+")
_MOST_PASSES = 4  # a heading may have a link to the renamed one in its text, another heading a link to that, and so on
TITLE = "title"


def plan_rename_heading(view: View, path: str, number: int, text: str) -> Plan:
    """Plan to give the heading with this number, from 0, of the note at `path` another text.

    The links to it get the new text. A link to another heading that would then lead to this one, or to none, is
    rewritten so that it keeps its meaning.

    Raises:
        BadArgument: when there is no such heading, or when the text would not be that of a heading.
        Inexpressible: when a link could not lead to its heading.
    """
    check_text(text, "the new text")
    text = text.strip()
    data = view.read(path)
    old = _outline(data)
    if not 0 <= number < len(old.headings):
        raise BadArgument(f"{name_of(path)!r} has no heading with the number {number}; it may have changed. Try again.")
    draft = _spliced(data, old.title(number), text)
    new = _outline(draft)
    is_kept = _shape(old) == _shape(new) and new.title_text(number) == text
    if not text or "\n" in text or "\r" in text or not is_kept:
        raise BadArgument(f"{quoted(text, 80)} cannot be the text of a heading here; give one line of plain text.")
    plan = _relinked(view, path, draft, lambda after: _Headings(path, old, after, number))
    return _with_anchors(view, plan, old, number)


def plan_rename_block(view: View, path: str, block_id: str, new_id: str) -> Plan:
    """Plan to give a block of the note at `path` another id, and to change the links to it.

    Raises:
        NoSection: when there is no such block. BadArgument: when the id has other characters than letters of ASCII,
            digits and hyphens. Taken: when another block has it.
    """
    old_id, new_id = block_id.removeprefix("^").strip().lower(), new_id.strip().removeprefix("^")
    data = view.read(path)
    old = _outline(data)
    block = old.block(old_id)
    if block is None:
        raise NoSection(name_of(path), f"#^{block_id}", ())
    if not _BLOCK_ID.fullmatch(new_id):
        raise BadArgument(
            f"A block cannot have the id {quoted(new_id, 80)}; use the letters a to z, digits and hyphens."
        )
    if new_id.lower() != old_id and any(one.text == new_id.lower() for one in old.ids()):
        raise Taken(f"{name_of(path)!r} has a block ^{new_id} already; choose another id.").about(path)

    def part(aim: Aim) -> Aim | None:
        is_block = aim.path == path and aim.subpath.startswith("#^") and aim.subpath[2:].strip().lower() == old_id
        return Aim(path, f"#^{new_id}") if is_block else None

    return _relinked(view, path, _spliced(data, (block[1].start, block[1].end), new_id), lambda _: part)


def _outline(data: bytes) -> Outline:
    return Outline(as_utf8(body_of(data)))


def _spliced(data: bytes, span: tuple[int, int], text: str) -> bytes:
    """Return a note with another text in a range of its body."""
    begin = len(data) - len(body_of(data))
    return apply(data, [Splice(begin + span[0], begin + span[1], text.encode())])


def _shape(outline: Outline) -> list[object]:
    """Return the levels of the headings and the block ids, which stay when a heading gets another text."""
    return [*((one.level, one.depth) for one in outline.headings), *(one.text for one in outline.ids())]


def _relinked(view: View, path: str, draft: bytes, parts: Callable[[Outline], Parts]) -> Plan:
    """Return the plan to write the note at `path` as `draft`, and to update the links to its parts.

    `parts` returns the new targets of links, for the outline of the note after the edit. It is called again if that
    edit changes a link inside a heading.
    """
    drafted, text = view.with_open({path: draft}), draft
    for _ in range(_MOST_PASSES):
        after = _outline(text)
        changed = Relinker(drafted, {}, parts=parts(after), of=path).changed()
        text = changed.get(path, draft)
        if [one.text for one in _outline(text).headings] == [one.text for one in after.headings]:
            return _plan(view, path, {path: draft} | changed)
    raise Inexpressible(f"Headings of {name_of(path)!r} hold links to each other; change one of them by hand first.")


def _plan(view: View, path: str, texts: Mapping[str, bytes]) -> Plan:
    changed = {one: data for one, data in texts.items() if data != view.read(one)}
    puts = tuple(Put(one, data, view.base(one)) for one, data in changed.items())
    return Plan(path, "changed" if puts else "unchanged", puts, tuple(one for one in changed if one != path))


class _Headings:
    """Computes the new targets of links to the headings of a note, after one heading has got another text."""

    def __init__(self, path: str, old: Outline, new: Outline, number: int) -> None:
        self._path, self._old, self._new, self._number = path, old, new, number

    def __call__(self, aim: Aim) -> Aim | None:
        """Return the new target of a link; None if it does not lead to a heading of the note."""
        if aim.path != self._path or aim.subpath.startswith("#^"):
            return None
        at = self._old.heading(aim.subpath)
        if at is None:
            return None
        subpath = self._subpath(at, aim.subpath)
        if subpath is None:
            raise Inexpressible(
                f"A link leads to {aim.subpath!r} of {name_of(self._path)!r}, and with the new text no link could lead "
                "there; choose another text."
            )
        return Aim(self._path, subpath)

    def _subpath(self, at: int, written: str) -> str | None:
        renamed = "#" + "#".join(self._part(part) for part in written.split("#") if part.strip())
        spelled = (renamed, written) if at == self._number else (written, renamed)
        exact = next((one for one in spelled if self._new.heading(one) == at), None)
        return exact or self._new.subpath_to(at, spelled[0])

    def _part(self, part: str) -> str:
        is_old = heading_key(part) == self._old.headings[self._number].text
        return self._new.headings[self._number].linked if is_old else part


def _with_anchors(view: View, plan: Plan, old: Outline, number: int) -> Plan:
    """Return the plan with changed Markdown links that name a heading of the note as code hosts do: `n.md#a-heading`.

    `old`: the outline of the note before the edit, which changes the heading with this number.
    """
    texts = {step.path: step.data for step in plan.steps if isinstance(step, Put)}
    new = _outline(texts[plan.path]) if texts else old
    for source, data in _notes(view, {plan.path, *view.links.backlinks(plan.path), *view.unindexed}, texts):
        splices = []
        for link in find_links(data):
            at = old.with_anchor(link.subpath) if link.kind != "wiki" and old.find(link.subpath) is None else None
            if at is None or resolve(view.catalog, link.target, source).path != plan.path:
                continue
            if (at == number or new.with_anchor(link.subpath) != at) and (anchor := new.anchor(at)):
                splices += retarget(data, link, None, None, f"#{anchor}")
        texts[source] = apply(data, splices)
    return _plan(view, plan.path, texts)


def _notes(view: View, paths: Iterable[str], texts: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield notes with their texts after the edit; notes that are too large to be read are left out."""
    for path in sorted(filter(is_note, paths)):
        try:
            yield path, texts[path] if path in texts else view.read(path)
        except TooLarge:  # its links are not known; `check` lists it
            continue


def plan_rename_titled(view: View, path: str, new_name: str, merging: str) -> Plan:
    """Plan to rename the note at a path to a free name, and to change its first heading and its property `title`.

    Each of the two is changed only if it is the name of the note; links to the heading follow it. `merging`: how to
    merge two notes instead.

    Raises:
        The errors of `plan_rename`, `plan_rename_heading` and `plan_properties`.
    """
    paths = (path, view.new_place(path, new_name)[0])
    old, new = (plain_name(view.catalog, one) for one in paths)
    data, texts = view.read(path), dict[str, bytes]()
    if is_title(heading_title(data), old):
        texts |= _texts(plan_rename_heading(view, path, 0, new))
    if is_title(typed_properties(data).get(TITLE), old):
        texts |= _texts(plan_properties(view.with_open(texts), [path], {TITLE: new}))
    return _both(view, texts, plan_rename_at(view.with_open(texts), path, new_name, merging))


def _texts(plan: Plan) -> dict[str, bytes]:
    return {step.path: step.data for step in plan.steps if isinstance(step, Put)}


def heading_title(data: bytes) -> str | None:
    """Return the text of the first heading of a note; None if it has none."""
    outline = Outline(as_utf8(body_of(data)))
    return outline.title_text(0) if outline.headings else None


def is_title(text: object, name: str) -> bool:
    """Return whether a title of a note is the last part of its name."""
    return isinstance(text, str) and fold(text.strip()) == fold(name)


def _both(view: View, texts: dict[str, bytes], renamed: Plan) -> Plan:
    """Return the plan to write texts, and then to rename a note, as one plan. The rename is computed from the texts."""
    moves = {step.path: step.to for step in renamed.steps if isinstance(step, Move)}
    written = {moves.get(path, path): data for path, data in texts.items()}
    written |= _texts(renamed)
    before = {new: old for old, new in moves.items()}
    steps = [Move(old, new, view.base(old)) for old, new in moves.items()]
    puts = [Put(path, data, view.base(before.get(path, path))) for path, data in written.items()]
    return renamed._replace(steps=(*steps, *puts))


class Renamable(NamedTuple):
    """Something that can be renamed, and where its name is written.

    The kinds: note; title (a note whose titles are renamed with it); heading; block; missing (a note that does not
    exist); file (any other file).
    """

    kind: Literal["note", "title", "heading", "block", "missing", "file"]
    path: str  # of the note or file; of the note with the heading or block; of the note with a link to a missing one
    shown: str  # the present name
    start: int  # the range of bytes that shows the name
    end: int
    number: int = 0  # of the heading, from 0


def renamable_at(catalog: Catalog, path: str, data: bytes, offset: int, read: Read) -> Renamable | None:
    """Return what can be renamed at a byte of the note at `path`, which has the text `data`; None if there is nothing.

    `read` returns the bytes of another note; it raises `OSError` if there is none.
    """
    link = next((one for one in find_links(data) if one.start <= offset <= one.end), None)
    if link is not None:
        return _Linked(catalog, path, data, link, read).at(offset)
    name = plain_name(catalog, path)
    return _title_property(path, name, data, offset) or _part_at(path, name, data, offset)


class _Linked(NamedTuple):
    """A link of the note at `path`, which has the text `data`."""

    catalog: Catalog
    path: str
    data: bytes
    link: Link
    read: Read

    def at(self, offset: int) -> Renamable | None:
        """Return what the link means at a byte: the heading or block if the byte is in the subpath, else the note."""
        link = self.link
        target = resolve(self.catalog, link.target, self.path).path
        if target is None:
            span = self._span(link.path_at, link.path_end)
            return Renamable("missing", self.path, link.target, *span) if link.counts_when_missing else None
        if not is_note(target):
            return Renamable("file", target, base_of(target), *self._span(link.path_at, link.path_end))
        is_part = names_part(link.subpath) and (not link.target or link.sub_at <= offset <= link.sub_end)
        if is_part:
            return self._part(target)
        span = self._span(link.path_at, link.path_end)
        return Renamable("note", target, plain_name(self.catalog, target), *span) if link.target else None

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Return a range in the link, or the range of the whole link if the source spells the part otherwise."""
        return (start, end) if start >= 0 else (self.link.start, self.link.end)

    def _part(self, target: str) -> Renamable | None:
        outline = Outline(as_utf8(body_of(self.data if target == self.path else self.read(target))))
        link, (start, end) = self.link, self._span(self.link.sub_at + 1, self.link.sub_end)
        if link.subpath.startswith("#^"):
            block = outline.block(link.subpath[1:])
            return Renamable("block", target, block[1].text, start, end) if block else None
        at = outline.heading(link.subpath)
        if at is None and link.kind != "wiki":
            at = outline.with_anchor(link.subpath)
        return None if at is None else Renamable("heading", target, outline.title_text(at), start, end, at)


def _title_property(path: str, name: str, data: bytes, offset: int) -> Renamable | None:
    """Return the note if a byte is in its property `title`, and that is its name."""
    first, last, _ = frontmatter.split(data)
    if not first <= offset < last:
        return None
    source = as_utf8(data[first:last]).decode()
    for key, value in frontmatter.fields(frontmatter.compose(source)):
        start, end = (first + len(source[:mark].encode()) for mark in (value.start_mark.index, value.end_mark.index))
        if key.lower() == TITLE and start <= offset <= end and is_title(value.value, name):
            return Renamable("title", path, name, start, end)
    return None


def _part_at(path: str, name: str, data: bytes, offset: int) -> Renamable | None:
    """Return the heading or the block whose text or id is at a byte."""
    body = as_utf8(body_of(data))
    begin, outline = len(data) - len(body), Outline(body)
    for id_ in outline.ids():
        if id_.start - 1 <= offset - begin <= id_.end:
            return Renamable("block", path, id_.text, begin + id_.start, begin + id_.end)
    for at, heading in enumerate(outline.headings):
        if heading.start <= offset - begin <= outline.title(at)[1]:
            start, end = outline.title(at)
            is_name = at == 0 and is_title(heading_title(data), name)
            shown = outline.title_text(at)
            return Renamable("title" if is_name else "heading", path, shown, begin + start, begin + end, at)
    return None
