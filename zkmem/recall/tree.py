"""The tree of an expansion: a text, and the blocks that show the notes of some of its links.

A block replaces an embed, or a link that stands alone. Inside a sentence, a table, a quote or a heading, a block would
break the text. There the link stays, and the block follows the paragraph, table, list or quote that contains the link.
"""

import functools
from typing import NamedTuple

from zkmem.markdown import markers
from zkmem.markdown.layout import Stand, last_line_end, stands
from zkmem.markdown.links import Link


class ExpandableLink(NamedTuple):
    """A link that can be expanded, with its range in the bytes of its node, and the path of the note it leads to."""

    link: Link
    target: str


class ExpandedNode(NamedTuple):
    """A node inside another one: the range of text that it replaces (empty if it stands below), and its link."""

    start: int
    end: int
    link: Link
    node: "Node"

    @property
    def is_below(self) -> bool:
        return self.start == self.end


class Node:
    """A text in the tree of an expansion: its bytes, its links in order, and the blocks for some of them.

    `body` is the text around the links, which decides where blocks can stand. The source begins at its byte `begins`,
    which is negative for a source that begins before the body. `cut` is the line after a source that is only a
    beginning; it says where to read on.
    """

    def __init__(
        self, path: str, source: bytes, places: list[ExpandableLink], *, body: bytes, begins: int = 0, cut: str = ""
    ) -> None:
        self.path, self.source, self.places, self.cut = path, source, places, cut
        self._body, self._begins = body, begins
        self._children: dict[int, Node] = {}

    @functools.cached_property
    def _stands(self) -> list[Stand]:
        """Return the surroundings of each link. This parses the text, so it is done only if the node gets blocks."""
        shift = self._begins
        links = [link._replace(start=link.start + shift, end=link.end + shift) for link, _ in self.places]
        return stands(self._body, links)

    def range_of(self, number: int) -> tuple[int, int]:
        """Return the range that the block of a link replaces: the link, or an empty range at a line end after it."""
        link, stand = self.places[number].link, self._stands[number]
        free = stand.replaceable and self.source[link.start - 1 : link.start] not in {b"!", b"\\"}
        if free and not markers.is_below(self.source, link.start, link.raw.encode()):
            return link.start, link.end
        below = stand.below - self._begins
        return (below, below) if below <= len(self.source) else (self._last_line_end, self._last_line_end)

    @functools.cached_property
    def _last_line_end(self) -> int:
        return last_line_end(self.source, 0, len(self.source))

    def add(self, number: int, node: "Node") -> None:
        """Add a node as the block of a link."""
        self._children[number] = node

    def blocks(self) -> list[ExpandedNode]:
        """Return the blocks in the order of the text; blocks at the same line end in the order of their links."""
        by_link = [ExpandedNode(*self.range_of(number), self.places[number].link, self._children[number])
                   for number in sorted(self._children)]  # fmt: skip
        return sorted(by_link, key=lambda block: block.start)

    def render(self) -> str:
        """Return the text with every block in its place."""
        pieces, at, begins = [], 0, True
        for block in self.blocks():
            lead = self.source[at : block.start].decode()
            pieces.append(markers.escaped(lead, begins_line=begins, ends_line=block.is_below))
            pieces.append("\n" if block.is_below else "")
            pieces.append(markers.framed(block.link.raw, block.node.render()))
            at, begins = block.end, False
        rest = self.source[at:].decode()
        pieces.append(markers.escaped(rest, begins_line=begins, ends_line=True))
        return "".join([*pieces, self.cut])
