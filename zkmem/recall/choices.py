"""Offer choices to a person who types a link: notes, missing notes and attachments, and the parts of a note."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, is_missing, written_targets
from zkmem.index.lookup import shortest
from zkmem.index.resolve import resolve
from zkmem.index.sync import Index
from zkmem.markdown.links import as_utf8, body_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import fold, is_note, name_of
from zkmem.recall.name_table import NameTable

_PLAIN = re.compile(r"\w(?:[\w /.,'()+-]*\w)?")
_LONGEST = 200  # characters of a passage that is shown
_MOST_ALIKE = 100  # headings of one text that are tried: no subpath leads to most of them, and each takes time
_TRIED = 5  # notes with a link to a missing note that are looked at for its spelling


class Choice(NamedTuple):
    """A text to write, and what it means."""

    written: str  # outside of a YAML string: see `Typed.written`
    label: str  # the text as a person looks for it
    kind: Literal["note", "missing", "file", "alias", "heading", "block", "tag", "property", "value"]
    detail: str = ""  # for the person: the whole name of a note, the passage of a block, the number of notes


def names(index: Index, table: NameTable, source: str, text: str, most: int) -> tuple[list[Choice], bool]:
    """Return at most `most` names that hold a text, as links in the note at `source`, and whether there are more."""
    nodes, whole = table.find(index, text), "/" in text
    choices = filter(None, (_choice(index, node, source, whole=whole) for node in nodes))
    found = list(itertools.islice(choices, most + 1))
    return found[:most], len(found) > most


def _choice(index: Index, node: str, source: str, *, whole: bool) -> Choice | None:
    """Return the choice for a node of the graph or an attachment; None if no link can mean it.

    `whole`: whether to write the whole name, as somebody does who types its folder.
    """
    if is_missing(node):
        written = _spelling(index, node)
        return Choice(written, written, "missing", "no such note yet") if is_linkable(written) else None
    target = target_of(index.catalog, node, source)
    if target is None:
        return None
    name = name_of(node)
    if whole and resolve(index.catalog, name, source) == (node, ()):
        target = name
    return Choice(target, target, "note" if is_note(node) else "file", name if name != target else "")


def target_of(catalog: Catalog, path: str, source: str) -> str | None:
    """Return the shortest target of a wikilink in the note at `source` to a file; None if no wikilink can mean it."""
    target = shortest(catalog, path, source) if path in catalog else None
    return target if target is not None and is_linkable(target) else None


def _spelling(index: Index, node: str) -> str:
    """Return the name of a missing note as one of the first notes with a link to it spells it."""
    for path in itertools.islice(index.links.leading(node), _TRIED):
        written = written_targets(index.catalog, path, index.catalog.facts(path), [node])
        if node in written:
            return written[node]
    return node.removeprefix(MISSING)


def is_linkable(target: str, display: str | None = None) -> bool:
    """Return whether `[[target]]`, or `[[target|display]]`, is a link with this target and this display text."""
    if _PLAIN.fullmatch(target) and (display is None or _PLAIN.fullmatch(display)):  # nearly all
        return True
    links = body_links(f"[[{target}{'' if display is None else '|' + display}]]".encode(errors="replace"))
    return len(links) == 1 and (links[0].target, links[0].subpath, links[0].display) == (target, "", display)


def headings(data: bytes, text: str, most: int) -> list[Choice]:
    """Return at most `most` headings of a note that hold a text, with the subpaths that lead to them.

    Of headings with the same text, only the first 100 are looked at.
    """
    return list(itertools.islice(_headings(Outline(as_utf8(body_of(data))), fold(text)), most))


def _headings(outline: Outline, wanted: str) -> Iterator[Choice]:
    tried = Counter[str]()
    for at, heading in enumerate(outline.headings):
        if not heading.text or wanted not in fold(heading.raw) or tried[heading.text] == _MOST_ALIKE:
            continue
        tried[heading.text] += 1
        subpath = outline.subpath_to(at, f"#{heading.linked}")
        if subpath is not None:
            yield Choice(subpath[1:], heading.raw[:_LONGEST], "heading", "#" * heading.level)


def blocks(data: bytes, text: str, most: int) -> list[Choice]:
    """Return at most `most` block ids of a note that hold a text, each with the beginning of its block."""
    return list(itertools.islice(_blocks(Outline(as_utf8(body_of(data))), text.lower()), most))


def _blocks(outline: Outline, wanted: str) -> Iterable[Choice]:
    for block_id in outline.ids():
        if wanted in block_id.text:
            begin = outline.body.rfind(b"\n", 0, block_id.start) + 1
            line = outline.body[max(begin, block_id.start - _LONGEST) : block_id.start - 1]
            written = outline.body[block_id.start : block_id.end].decode()
            yield Choice(f"^{written}", f"^{written}", "block", line.decode(errors="ignore").strip())
