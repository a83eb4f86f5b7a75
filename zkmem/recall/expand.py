"""Recursive expansion: a note's text with its links replaced by what they link to. Rules: DESIGN.md section 4.

Breadth first from the root, each note at most once, at its shallowest depth, in order of mention; a note on the way
already stays a link. So the result grows with the number of notes, never with the number of paths.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import resolve
from zkmem.markdown import markers
from zkmem.markdown.links import Link, body_links, find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.sections import find_section
from zkmem.vault.names import is_note, name_of

Read = Callable[[str], bytes]
"""The bytes of the note at a path; raises OSError where it cannot be read."""


_MOST_READ = 20_000_000  # bytes, for one bounded result


class Expansion(NamedTuple):
    """An expanded text, and what is not in it."""

    text: str
    left: list[str]  # names of the notes that the bound left as links, in order of mention
    next_offset: int | None  # where in the note's own text to read on; None at its end
    length: int  # characters of the note's own text


class _Budget:
    """How many characters may still come. It is spent when a note does not fit that would fit a fresh one.

    So it is, too, when very much has been read for the sake of little: large notes, for one section each.
    """

    def __init__(self, most: int | None, used: int) -> None:
        self.most, self.used, self.spent = most, used, False
        self._read = 0

    def reading(self, read: Read) -> Read:
        """The same way to read, which counts."""

        def counted(path: str) -> bytes:
            data = read(path)
            self._read += len(data)
            self.spent = self.spent or (self.most is not None and self._read > _MOST_READ)
            return data

        return counted

    def is_hopeless(self, characters: int) -> bool:
        """Whether a text of so many characters, line ends counted as two, would not fit even a fresh one."""
        return self.most is not None and characters > 2 * self.most

    def take(self, cost: int) -> bool:
        """Whether `cost` characters fit; if so, they are used."""
        if self.most is None or self.used + cost <= self.most:
            self.used += cost
            return True
        self.spent = cost <= self.most
        return False


class _Place(NamedTuple):
    """A link to replace: its range in the bytes of its node."""

    link: Link
    target: str


class Node:
    """A text in the tree of an expansion: its bytes, its links in order, and what has replaced them."""

    def __init__(self, path: str, source: bytes, places: list[_Place]) -> None:
        self.path, self.source, self.places = path, source, places
        self.children: dict[int, Node] = {}

    def child_at(self, start: int) -> "Node | None":
        """What has replaced the link that begins at this byte, if anything has."""
        return next((node for number, node in self.children.items() if self.places[number].link.start == start), None)

    def render(self) -> str:
        """The text with every child in its place."""
        pieces, at, begins = [], 0, True
        for number, place in enumerate(self.places):
            child = self.children.get(number)
            if child is None:
                continue
            lead = self.source[at : place.link.start].decode()
            pieces.append(markers.escaped(lead, begins_line=begins, ends_line=False))
            pieces.append(markers.framed(place.link.raw, child.render()))
            at, begins = place.link.end, False
        rest = self.source[at:].decode()
        return "".join([*pieces, markers.escaped(rest, begins_line=begins, ends_line=True)])


def expand(
    catalog: Catalog, read: Read, path: str, *, depth: int, offset: int = 0, max_chars: int | None = None
) -> Expansion:
    """The text of the note at `path` from the character `offset` on, expanded `depth` levels deep.

    `max_chars` bounds the result in characters: the note's own text is cut at a line end, and links that would
    exceed the bound stay links.

    Raises:
        OSError: when the note itself cannot be read; a linked one that cannot stays a link.
    """
    text = read_text(read(path)).shown
    window = text[offset:] if max_chars is None else _cut(text, offset, max_chars)
    end = offset + len(window)
    source, skipped = window.encode(), len(text[:offset].encode())
    whole = text.encode() if depth else b""
    links, body_begins = find_links(whole, skipped + len(source)), len(whole) - len(body_of(whole))
    inside = [
        link._replace(start=link.start - skipped, end=link.end - skipped)
        for link in links
        if skipped + len(source) >= link.end and link.start >= max(skipped, body_begins)
    ]
    root = Node(path, source, _places(catalog, path, source, inside))
    left = _grow(catalog, read, root, depth, _Budget(max_chars, len(window)))
    return Expansion(root.render(), left, end if end < len(text) else None, len(text))


def grown(
    catalog: Catalog, read: Read, path: str, body: bytes, *, depth: int, max_chars: int | None
) -> tuple[Node, list[str]]:
    """The text without frontmatter of the note at `path`, expanded; and the names that the bound left as links.

    The bound is on what the expansion adds.
    """
    root = Node(path, body, _places(catalog, path, body, body_links(body) if depth else []))
    return root, _grow(catalog, read, root, depth, _Budget(max_chars, 0))


def shown_part(read: Read, link: Link, target: str) -> str | None:
    """What an expansion of `link` to the note `target` shows: its text without frontmatter, or the part it names.

    None where the link names a part that is not there. An empty note shows nothing, but counts as shown.
    """
    body = body_of(read_text(read(target)).shown.encode())
    if link.subpath:
        span = find_section(body, link.subpath)
        if span is None:
            return None
        body = body[span[0] : span[1]]
    return markers.shown(body.decode())


def lookup(catalog: Catalog, read: Read) -> markers.Lookup:
    """For collapse: what a link means and shows, None where it would never have been expanded."""

    def look_up(raw: str, source: str) -> tuple[str, str] | None:
        link = find_links(raw.encode())[0]
        target = resolve(catalog, link.target, source).path
        if target is None or not is_note(target):
            return None
        try:
            text = shown_part(read, link, target)
        except OSError:  # it cannot be read: then it was not expanded either
            return None
        return None if text is None else (target, text)

    return look_up


def _cut(text: str, offset: int, most: int) -> str:
    """At most `most` characters from `offset` on, up to a line end where there is one."""
    if len(text) - offset <= most:
        return text[offset:]
    end = text.rfind("\n", offset, offset + most) + 1
    return text[offset : end or offset + most]


def _places(catalog: Catalog, path: str, source: bytes, links: list[Link]) -> list[_Place]:
    """Those of a text's links that can be replaced: inline ones to notes, not right after `!` or a backslash."""
    places = []
    for link in links:
        whole = len(link.raw.encode()) == link.end - link.start  # else it is too long to be kept, or to be framed
        if not whole or source[: link.start].endswith((b"!", b"\\")) or not markers.is_framable(link.raw):
            continue
        target = resolve(catalog, link.target, path).path
        if target is not None and is_note(target):
            places.append(_Place(link, target))
    return places


def _grow(catalog: Catalog, read: Read, root: Node, depth: int, budget: _Budget) -> list[str]:
    """Put children into the tree, level by level, while the budget lasts; returns the names of the notes left out."""
    seen, left = {root.path}, dict[str, None]()
    level = [root]
    for remaining in range(depth, 0, -1):
        grown = []
        for node, number, place in _open_places(level):
            if place.target in seen:
                continue
            hopeless = not place.link.subpath and budget.is_hopeless(catalog.facts(place.target).characters)
            if budget.spent or hopeless:  # then it is not read, however often it is linked
                left[name_of(place.target)] = None
                continue
            text = _readable(budget.reading(read), place)
            if text is not None and not budget.take(len(markers.framed(place.link.raw, text))):
                left[name_of(place.target)] = None
            elif text is not None:
                seen.add(place.target)
                source = text.encode()
                links = body_links(source) if remaining > 1 else []
                child = Node(place.target, source, _places(catalog, place.target, source, links))
                node.children[number] = child
                grown.append(child)
        level = grown
    return [name for name in left if name not in {name_of(path) for path in seen}]


def _open_places(level: list[Node]) -> Iterator[tuple[Node, int, _Place]]:
    for node in level:
        for number, place in enumerate(node.places):
            yield node, number, place


def _readable(read: Read, place: _Place) -> str | None:
    try:
        return shown_part(read, place.link, place.target)
    except OSError:  # `check` reports it; here it stays a link
        return None
