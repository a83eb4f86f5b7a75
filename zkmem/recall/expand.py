"""Recursive expansion: a note's text with the texts that its links lead to. Rules: docs/explanation/links.md.

Breadth first from the root, each note at most once, at its shallowest depth, in order of mention; a note on the way
already stays a link. So the result grows with the number of notes, never with the number of paths.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from zkmem.errors import NoSection
from zkmem.index.catalog import Catalog
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.markdown import markers
from zkmem.markdown.links import Link, body_links, find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.sections import Outline, find_section
from zkmem.names import is_note, name_of
from zkmem.recall.share import LEAST, Bound, Wish
from zkmem.recall.tree import Node, Place

Read = Callable[[str], bytes]
"""The bytes of the note at a path; raises OSError where it cannot be read."""

_MOST_READ = 20_000_000  # bytes, for one bounded result
_AHEAD = 10_000  # characters after a cut that are parsed too: a code span may begin before the cut and end after it


class Expansion(NamedTuple):
    """An expanded text, and what is not in it."""

    text: str
    left: list[str]  # names of the notes that the bound left as links, in order of mention
    next_offset: int | None  # where in the note's own text to read on; None at its end
    length: int  # characters of the note's own text
    begins: int  # where in the note's own text it begins
    ends: int  # and where it ends


class Part(NamedTuple):
    """What an expansion can show of a note: its text, or a section of it, without blank lines around it."""

    text: str
    begins: int  # its offset in the note, in characters


def expand(
    catalog: Catalog,
    read: Read,
    path: str,
    *,
    depth: int,
    offset: int = 0,
    max_chars: int | None = None,
    subpath: str = "",
) -> Expansion:
    """The text of the note at `path` from the character `offset` on, expanded `depth` levels deep.

    With a `subpath`, `#heading` or `#^block`, it is the text of that part alone; `offset` counts in the whole note.

    `max_chars` bounds the result in characters: the note's own text is cut at a line end, and the linked notes share
    the rest.

    Raises:
        OSError: when the note itself cannot be read; a linked one that cannot stays a link.
        NoSection: when it has no such part.
    """
    text = read_text(read(path)).shown
    first, last = _part_of(text, path, subpath) if subpath else (0, len(text))
    offset = max(offset, first)
    window = text[offset:last] if max_chars is None else _cut(text[:last], offset, max_chars)
    end = offset + len(window)
    source, skipped = window.encode(), len(text[:offset].encode())
    whole = text.encode() if depth else b""
    links, body_begins = find_links(whole, skipped + len(source)), len(whole) - len(body_of(whole))
    inside = [
        link._replace(start=link.start - skipped, end=link.end - skipped)
        for link in links
        if skipped + len(source) >= link.end and link.start >= max(skipped, body_begins)
    ]
    begins = skipped - body_begins
    root = Node(path, source, _places(catalog, path, inside), body=whole[body_begins:], begins=begins)
    left = _grow(catalog, read, root, depth, Bound(max_chars, len(window)))
    return Expansion(root.render(), left, end if end < last else None, len(text), offset, end)


def grown(
    catalog: Catalog, read: Read, path: str, body: bytes, *, depth: int, max_chars: int | None
) -> tuple[Node, list[str]]:
    """The text without frontmatter of the note at `path`, expanded; and the names that the bound left as links.

    The bound is on what the expansion adds.
    """
    root = Node(path, body, _places(catalog, path, body_links(body) if depth else []), body=body)
    return root, _grow(catalog, read, root, depth, Bound(max_chars, 0))


def shown_part(read: Read, link: Link, target: str) -> Part | None:
    """What an expansion of `link` to the note `target` shows: its text without frontmatter, or the part it names.

    None where the link names a part that is not there. An empty note shows nothing, but counts as shown.
    """
    whole = read_text(read(target)).shown.encode()
    body = body_of(whole)
    span = find_section(body, link.subpath) if link.subpath else (0, len(body))
    if span is None:
        return None
    text = body[span[0] : span[1]].decode()
    before = len(whole) - len(body) + span[0]
    begins = len(whole[:before].decode()) + len(text) - len(text.lstrip("\r\n"))
    return Part(text.strip("\r\n"), begins)


def collapser(catalog: Catalog, read: Read) -> Callable[[str, str], str]:
    """Return a function that undoes the expansions in a text of the note at a path."""
    look_up = lookup(catalog, read)
    return lambda text, path: markers.collapse(text, path, look_up)


def lookup(catalog: Catalog, read: Read) -> markers.Lookup:
    """For collapse: what a link means and shows, None where it would never have been expanded."""

    def look_up(raw: str, source: str) -> markers.Shown | None:
        link = find_links(raw.encode())[0]
        target = resolve(catalog, link.target, source).path
        if target is None or not is_note(target):
            return None
        try:
            part = shown_part(read, link, target)
        except OSError:  # it cannot be read: then it was not expanded either
            return None
        return part and markers.Shown(target, part.text, part.begins)

    return look_up


def _part_of(text: str, path: str, subpath: str) -> tuple[int, int]:
    """Return where the part of a note begins and ends that a subpath names, in characters.

    Raises:
        NoSection: when there is none.
    """
    whole = text.encode()
    body = body_of(whole)
    outline = Outline(body)
    span = outline.find(subpath)
    if span is None:
        raise NoSection(name_of(path), subpath, (one.linked for one in outline.headings if one.linked))
    before = len(whole) - len(body)
    first = len(whole[: before + span[0]].decode())
    return first, first + len(body[span[0] : span[1]].decode())


def _cut(text: str, offset: int, most: int) -> str:
    """At most `most` characters from `offset` on, up to a line end where there is one."""
    if len(text) - offset <= most:
        return text[offset:]
    end = text.rfind("\n", offset, offset + most) + 1
    return text[offset : end or offset + most]


def _places(catalog: Catalog, path: str, links: Iterable[Link]) -> list[Place]:
    """Return the links of a text that lead to notes."""
    places = []
    for link in links:
        target = resolve(catalog, link.target, path).path
        if target is not None and is_note(target):
            places.append(Place(link, target))
    return places


def _is_framable(link: Link) -> bool:
    """Return whether markers can hold the link: they must hold all of it, and be able to show where it ends."""
    return len(link.raw.encode()) == link.end - link.start and markers.is_framable(link.raw)


class _Found(NamedTuple):
    """A linked note that is to be shown, and where."""

    node: Node
    number: int  # index of the link in its node
    part: Part
    wish: Wish


def _grow(catalog: Catalog, read: Read, root: Node, depth: int, bound: Bound) -> list[str]:
    """Add blocks to the tree, level by level; return the names of the notes that the bound left out."""
    search = _Search(catalog, read, root.path, bound)
    level = [root]
    for remaining in range(depth, 0, -1):
        found = list(search.level(level))
        most = bound.share([one.wish for one in found])
        level = [_child(catalog, one, most, linked=remaining > 1) for one in found]
        for one, child in zip(found, level, strict=True):
            one.node.add(one.number, child)
        bound.take(sum(_cost(one, child) for one, child in zip(found, level, strict=True)))
    return search.left()


class _Search:
    """Finds the notes to show, level by level, and reads each of them once."""

    def __init__(self, catalog: Catalog, read: Read, root: str, bound: Bound) -> None:
        self._catalog, self._read, self._bound = catalog, read, bound
        self._seen, self._left = {root}, dict[str, None]()
        self._bytes = 0  # read so far

    def left(self) -> list[str]:
        """Return the names of the notes that did not fit, in order of mention."""
        return [name_of(path) for path in self._left if path not in self._seen]

    def level(self, nodes: list[Node]) -> Iterator[_Found]:
        """Yield the notes that these nodes link to and that fit the bound, in order of mention."""
        for node in nodes:
            for number, place in enumerate(node.places):
                if place.target in self._seen or not _is_framable(place.link):
                    continue
                if not self._may_fit(place):
                    self._left[place.target] = None
                elif part := self._part(place):
                    found = _Found(node, number, part, self._wish(node, number, part))
                    if self._bound.fits(found.wish):
                        self._bound.promise(found.wish)
                        self._seen.add(place.target)
                        yield found
                    else:
                        self._left[place.target] = None

    def _may_fit(self, place: Place) -> bool:
        """Return whether a note may fit the bound, as far as that is known before reading it."""
        row, raw = self._catalog.rows[place.target], place.link.raw
        if self._bound.is_bounded and self._bytes + row.stamp.size > _MOST_READ:
            return False
        characters = row.facts.characters if row.facts else row.stamp.size
        return self._bound.fits(Wish(min(characters, LEAST), len(markers.framed(raw, "")) - len(raw), 0))

    def _part(self, place: Place) -> Part | None:
        try:
            return shown_part(self._counted, place.link, place.target)
        except OSError:  # `check` reports it; its link stays a link
            return None

    def _counted(self, path: str) -> bytes:
        data = self._read(path)
        self._bytes += len(data)
        return data

    def _wish(self, node: Node, number: int, part: Part) -> Wish:
        place = node.places[number]
        start, end = node.range_of(number)
        frame = len(markers.framed(place.link.raw, "")) + (1 if start == end else -len(place.link.raw))
        return Wish(len(part.text), frame, len(_ending(self._catalog, place, part.begins + len(part.text))))


def _child(catalog: Catalog, found: _Found, most: int | None, *, linked: bool) -> Node:
    """Return the node of a linked note, cut to `most` characters if that saves any; without links unless `linked`."""
    place, (text, begins) = found.node.places[found.number], found.part
    end, cut = len(text), ""
    if most is not None and found.wish.is_cut(most):
        end = _cut_at(text, most)
        cut = _ending(catalog, place, begins + end)
    source = text[:end].rstrip("\r\n").encode()
    body = text[: end + _AHEAD].encode() if linked else b""
    links = (link for link in body_links(body, len(source)) if link.end <= len(source))
    return Node(place.target, source, _places(catalog, place.target, links), body=body, cut=cut)


def _cut_at(text: str, most: int) -> int:
    """Return where to cut a text: at the last line end or blank in the second half of `most`, else at `most`."""
    for mark in "\n", " ":
        end = text.rfind(mark, most // 2, most) + 1
        if end:
            return end
    return most


def _ending(catalog: Catalog, place: Place, offset: int) -> str:
    """Return the end of a note that is cut at the character `offset`."""
    return "\n\n" + markers.cut_line(name_for(catalog, place.target), offset)


def _cost(found: _Found, child: Node) -> int:
    """Return how many characters a block has added."""
    return found.wish.frame + len(child.source.decode()) + len(child.cut)
