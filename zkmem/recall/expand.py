"""Expand a note: its text, with the texts of the notes that it links to. The rules are in docs/explanation/links.md.

The notes are visited breadth first, in the order of their links. Each note, and each part of one that a link names, is
shown at most once, at its smallest depth; a link to text that is shown already stays a link. The length of the result
therefore depends on the number of notes and parts, not on that of the paths between them.
"""

import bisect
import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.errors import NoSection
from zkmem.index.catalog import Catalog
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.index.shown_parts import ShownPart, ShownParts
from zkmem.markdown import markers
from zkmem.markdown.links import Link, body_links, find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.sections import Outline
from zkmem.names import is_note, name_of
from zkmem.recall.tree import ExpandableLink, Node
from zkmem.vault.files import Read

_LEAST = 200  # characters: a text is not cut to fewer
CutLine = Callable[[str, int], str]
"""Returns the last line of a block that is cut, for the name of its note and the offset of the cut."""

_MOST_READ = 20_000_000  # bytes, for one result with a limit
_PARTS_AS_READ = 16  # parts of a note that are found in the time that reading it takes
_WHOLE = (0, math.inf)  # the range of all characters of a note
_AHEAD = 10_000  # characters after a cut to parse as well: a code span may begin before the cut and end after it
OUTLINE_SUBPATH = "#"
"""The subpath that stands for the outline of a note."""

_MOST_HEADINGS = 50  # headings; with more, the deepest ones are left out


class Need(NamedTuple):
    """The space that a linked note would need, in characters."""

    text: int  # the length of the text
    frame: int  # the length of the rest of its block
    cut: int  # the length of the line that says where the text is cut

    def is_cut(self, most: int) -> bool:
        """Return whether cutting the text to `most` characters makes the block shorter."""
        return self.text > most + self.cut

    def cost(self, most: int) -> int:
        """Return the length of the block if its text is cut to `most` characters, or whole if that is shorter."""
        return self.frame + min(self.text, most + self.cut)


class Limit:
    """The number of characters that may still be shown; no limit if `most` is None.

    The linked notes share it. Each note, in the order of the text, reserves its first 200 characters while there is
    space. The space that remains is shared so that short notes are whole and all others are cut at the same length. A
    note without space is left out.
    """

    def __init__(self, most: int | None, used: int) -> None:
        self._free = None if most is None else most - used
        self._reserved = 0

    @property
    def exists(self) -> bool:
        """Return whether there is a limit."""
        return self._free is not None

    def fits(self, need: Need) -> bool:
        """Return whether the first 200 characters of a text still fit."""
        return self._free is None or self._reserved + need.cost(_LEAST) <= self._free

    def reserve(self, need: Need) -> None:
        """Reserve space for the first 200 characters of a text."""
        self._reserved += need.cost(_LEAST)

    def share(self, needs: Sequence[Need]) -> int | None:
        """Return the length to cut each text to. `reserve` must have reserved space for each."""
        if self._free is None:
            return None
        longest = max((need.text for need in needs), default=0)
        lengths = range(_LEAST, max(longest, _LEAST) + 1)
        fitting = bisect.bisect_right(lengths, self._free, key=lambda most: sum(need.cost(most) for need in needs))
        return lengths[fitting - 1]

    def take(self, used: int) -> None:
        """Subtract the characters that a level has used, and drop its reservations."""
        if self._free is not None:
            self._free -= used
        self._reserved = 0


class Expansion(NamedTuple):
    """An expanded text, with its place in the note and the notes that are left out of it."""

    text: str
    left: list[str]  # names of the notes that stayed links because of the limit, in the order of the text
    next_offset: int | None  # the character of the note's own text to read on from; None at its end
    length: int  # characters of the note's own text
    begins: int  # the first character of the note's own text that is shown
    ends: int  # the character after the last one that is shown
    expanded: Mapping[str, bytes] = {}  # the bytes of the notes that are shown in it, by path


def expand(
    catalog: Catalog,
    read: Read,
    path: str,
    *,
    depth: int,
    offset: int = 0,
    max_chars: int | None = None,
    subpath: str = "",
    cut_line: CutLine = markers.cut_line,
) -> Expansion:
    """Return the text of the note at `path` from the character `offset` on, expanded `depth` levels deep.

    With a `subpath`, `#heading` or `#^block`, return only that part; `offset` still counts from the start of the note.
    With `#`, return the outline of the note.

    The result has at most `max_chars` characters. The note's own text is cut at a line end, and the linked notes share
    the characters that remain.
    """
    text = read_text(read(path)).shown
    if subpath == OUTLINE_SUBPATH:
        return Expansion(outline(text, name_of(path)), [], None, len(text), 0, 0)
    first, last = part_of(text, path, subpath) if subpath else (0, len(text))
    offset = max(offset, first)
    window = text[offset:last] if max_chars is None else _cut(text[:last], offset, max_chars)
    end = offset + len(window)
    next_offset = end if end < last else None
    if not depth:
        shown = markers.escaped(window, begins_line=True, ends_line=True)
        return Expansion(shown, [], next_offset, len(text), offset, end)
    source, skipped = window.encode(), len(text[:offset].encode())
    whole = text.encode()
    links, body_begins = find_links(whole, skipped + len(source)), len(whole) - len(body_of(whole))
    inside = [
        link._replace(start=link.start - skipped, end=link.end - skipped)
        for link in links
        if skipped + len(source) >= link.end and link.start >= max(skipped, body_begins)
    ]
    begins = skipped - body_begins
    root = Node(path, source, _places(catalog, path, inside), body=whole[body_begins:], begins=begins)
    stayed_links, expanded = _grow(
        _Search(catalog, read, root.path, Limit(max_chars, len(window)), cut_line), root, depth
    )
    return Expansion(root.render(), stayed_links, next_offset, len(text), offset, end, expanded)


def grown(
    catalog: Catalog, read: Read, path: str, body: bytes, *, depth: int, max_chars: int | None
) -> tuple[Node, list[str]]:
    """Expand `body`, the text without frontmatter of the note at `path`, to at most `max_chars` more characters.

    Return the tree of the expansion, and the names of the notes that stayed links because of the limit.
    """
    root = Node(path, body, _places(catalog, path, body_links(body) if depth else []), body=body)
    return root, _grow(_Search(catalog, read, root.path, Limit(max_chars, 0)), root, depth)[0]


def part_of(text: str, path: str, subpath: str) -> tuple[int, int]:
    """Return the begin and the end, in characters, of the part of a note that `subpath` names."""
    whole = text.encode()
    body = body_of(whole)
    outline = Outline(body)
    span = outline.find_named(subpath)
    if span is None:
        raise NoSection(name_of(path), subpath, outline.nearest(subpath))
    before = len(whole) - len(body)
    first = len(whole[: before + span[0]].decode())
    return first, first + len(body[span[0] : span[1]].decode())


def _cut(text: str, offset: int, most: int) -> str:
    """Return at most `most` characters from `offset` on, up to a line end if there is one."""
    if len(text) - offset <= most:
        return text[offset:]
    end = text.rfind("\n", offset, offset + most) + 1
    return text[offset : end or offset + most]


def _places(catalog: Catalog, path: str, links: Iterable[Link]) -> list[ExpandableLink]:
    """Return the links of a text that lead to notes."""
    places = []
    for link in links:
        target = resolve(catalog, link.target, path).path
        if target is not None and is_note(target):
            places.append(ExpandableLink(link, target))
    return places


def _is_framable(link: Link) -> bool:
    """Return whether markers can contain the whole link, and show where it ends."""
    return len(link.raw.encode()) == link.end - link.start and markers.is_framable(link.raw)


class _Shown(NamedTuple):
    """A linked note to show, and the place of its link."""

    node: Node
    number: int  # index of the link in its node
    part: ShownPart
    need: Need


def _grow(search: "_Search", root: Node, depth: int) -> tuple[list[str], dict[str, bytes]]:
    """Add blocks to the tree, level by level.

    Return the names of the notes that the limit left out, and the bytes of the others by path.
    """
    level, limit = [root], search.limit
    for remaining in range(depth, 0, -1):
        linked_notes = list(search.level(level))
        if not linked_notes:
            break
        most = limit.share([one.need for one in linked_notes])
        level = [search.child(one, most, linked=remaining > 1) for one in linked_notes]
        for one, child in zip(linked_notes, level, strict=True):
            one.node.add(one.number, child)
        limit.take(sum(_cost(one, child) for one, child in zip(linked_notes, level, strict=True)))
    return search.left(), search.shown()


class _Search:
    """Finds the notes to show, level by level, and reads each note once."""

    def __init__(
        self, catalog: Catalog, read: Read, root: str, limit: Limit, cut_line: CutLine = markers.cut_line
    ) -> None:
        self._catalog, self._read, self.limit, self._cut_line = catalog, read, limit, cut_line
        self._shown: dict[str, list[tuple[int, float]]] = {root: [_WHOLE]}  # the ranges in characters, by path
        self._left = dict[tuple[str, str], None]()  # path and subpath
        self._found: dict[tuple[str, str], ShownPart | None] = {}  # path and subpath -> part
        self._parts: dict[str, ShownParts] = {}
        self._data: dict[str, bytes] = {}
        self._bytes = 0  # read so far; looking for a part counts as reading a part of the note

    def shown(self) -> dict[str, bytes]:
        """Return the bytes of the notes that are shown, by path."""
        return {path: data for path, data in self._data.items() if path in self._shown}

    def left(self) -> list[str]:
        """Return the names of the notes that did not fit, in the order of the text."""
        left = (key[0] for key in self._left if not self._is_shown(key[0], self._found.get(key)))
        return list(dict.fromkeys(map(name_of, left)))

    def _is_shown(self, path: str, part: ShownPart | None) -> bool:
        """Return whether a part of a note, or all of it, is shown already: alone or within a larger part."""
        first, last = part.span if part else _WHOLE
        return any(begins <= first and last <= ends for begins, ends in self._shown.get(path, ()))

    def level(self, nodes: list[Node]) -> Iterator[_Shown]:
        """Yield the linked notes of these nodes that fit the limit, in the order of the text."""
        for node in nodes:
            for number, place in enumerate(node.places):
                key = place.target, place.link.subpath
                if self._is_shown(place.target, self._found.get(key)) or not _is_framable(place.link):
                    continue
                if not self._may_fit(place):
                    self._left[key] = None
                elif (part := self._part(place)) and not self._is_shown(place.target, part):
                    linked_note = _Shown(node, number, part, self._need(node, number, part))
                    if self.limit.fits(linked_note.need):
                        self.limit.reserve(linked_note.need)
                        span = part.span if place.link.subpath else _WHOLE
                        self._shown.setdefault(place.target, []).append(span)
                        yield linked_note
                    else:
                        self._left[key] = None

    def _may_fit(self, place: ExpandableLink) -> bool:
        """Return whether a note may fit the limit. Its size alone decides, so that it need not be read."""
        row, raw = self._catalog.rows[place.target], place.link.raw
        if self.limit.exists and self._bytes + row.stamp.size > _MOST_READ:
            return False
        characters = row.facts.characters if row.facts else row.stamp.size
        return self.limit.fits(Need(min(characters, _LEAST), len(markers.framed(raw, "")) - len(raw), 0))

    def _part(self, place: ExpandableLink) -> ShownPart | None:
        key = place.target, place.link.subpath
        if key not in self._found:
            self._found[key] = None
            with contextlib.suppress(OSError):  # the link stays a link, and `check` reports the note
                self._found[key] = self._parts_of(place.target).find(place.link.subpath)
        return self._found[key]

    def _parts_of(self, path: str) -> ShownParts:
        if path not in self._parts:
            self._data[path] = self._read(path)
            self._bytes += len(self._data[path])
            self._parts[path] = ShownParts(self._data[path])
        self._bytes += len(self._data[path]) // _PARTS_AS_READ
        return self._parts[path]

    def _need(self, node: Node, number: int, part: ShownPart) -> Need:
        place = node.places[number]
        start, end = node.range_of(number)
        frame = len(markers.framed(place.link.raw, "")) + (1 if start == end else -len(place.link.raw))
        return Need(len(part.text), frame, len(self._ending(place, part.span[1])))

    def child(self, shown: _Shown, most: int | None, *, linked: bool) -> Node:
        """Return the node of a linked note, cut to `most` characters if that shortens it.

        `linked`: whether the node has links.
        """
        place, (text, begins, _) = shown.node.places[shown.number], shown.part
        end, cut = len(text), ""
        if most is not None and shown.need.is_cut(most):
            end = _cut_at(text, most)
            cut = self._ending(place, begins + end)
        source = text[:end].rstrip("\r\n").encode()
        body = text[: end + _AHEAD].encode() if linked else b""
        links = (link for link in body_links(body, len(source)) if link.end <= len(source))
        return Node(place.target, source, _places(self._catalog, place.target, links), body=body, cut=cut)

    def _ending(self, place: ExpandableLink, offset: int) -> str:
        """Return the end of a note that is cut at the character `offset`."""
        return "\n\n" + self._cut_line(name_for(self._catalog, place.target), offset)


def _cut_at(text: str, most: int) -> int:
    """Return where to cut a text: at the last line end or blank in the second half of `most`, else at `most`."""
    for mark in "\n", " ":
        end = text.rfind(mark, most // 2, most) + 1
        if end:
            return end
    return most


def _cost(shown: _Shown, child: Node) -> int:
    """Return how many characters a block has added."""
    return shown.need.frame + len(child.source.decode()) + len(child.cut)


def outline(text: str, name: str) -> str:
    """Return a line for each heading of a note, with the number of characters of the section below it."""
    parsed = Outline(body_of(text.encode()))
    headings = parsed.headings
    if not any(one.linked for one in headings):
        return f"{name} has no headings."
    places = _characters(parsed.body, [one.start for one in headings])
    sizes, later = [0] * len(headings), list[int]()
    for at in range(len(headings) - 1, -1, -1):  # `later` has the next heading of each level that ends a section
        while later and headings[later[-1]].level > headings[at].level:
            later.pop()
        sizes[at] = (places[later[-1]] if later else places[-1]) - places[at]
        later.append(at)
    levels = sorted({one.level for one in headings})
    deepest = next(
        (n for n in reversed(levels) if sum(one.level <= n for one in headings) <= _MOST_HEADINGS), levels[0]
    )
    lines = [
        f"{'#' * one.level} {one.linked} ({size})"
        for one, size in zip(headings, sizes, strict=True)
        if one.linked and one.level <= deepest
    ]
    left_out = sum(bool(one.linked) for one in headings) - len(lines[:_MOST_HEADINGS])
    more = [f"{left_out} more headings are left out."] if left_out else []
    return "\n".join(
        [f"Sections of {name}, with their characters; read one as {name}#HEADING:", *lines[:_MOST_HEADINGS], *more]
    )


def _characters(body: bytes, starts: list[int]) -> list[int]:
    """Return how many characters are before each of these bytes, and how many there are."""
    places, count = [0], 0
    for start, end in zip([0, *starts], [*starts, len(body)], strict=True):
        count += len(body[start:end].decode(errors="replace"))
        places.append(count)
    return places[1:]
