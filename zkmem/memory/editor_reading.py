"""The methods of a memory for text editors that read: what links mean, what a text contains, which notes link to it."""

import sqlite3
from collections.abc import Collection
from itertools import islice
from typing import Literal, NamedTuple

from zkmem.index.catalog import CANVAS
from zkmem.index.graph import MISSING
from zkmem.index.resolve import missing_key
from zkmem.index.session import Freshness
from zkmem.markdown.links import find_links
from zkmem.markdown.places import Fold, Footnote, Symbol, folds, footnotes, link_by_label, symbols
from zkmem.memory.access import Access
from zkmem.names import is_note, name_of
from zkmem.recall.faults import Fault, faults
from zkmem.recall.meant import Meant, canvas_links, meanings, part_of
from zkmem.recall.places import Alias, aliases, headings, with_heading
from zkmem.recall.preview import Preview, preview
from zkmem.recall.references import MOST_SOURCES, References, Subject, in_order, references, sources
from zkmem.vault.files import Read

_PATIENCE_S = 5.0  # for the search index
_LONGEST = 200  # characters of a text that is looked for


class Match(NamedTuple):
    """A note, an alias or a heading that contains a text. The heading is at the bytes from `start` to `end`."""

    kind: Literal["note", "alias", "heading"]
    text: str
    path: str
    start: int = 0
    end: int = 0


class EditorReading(Access):
    """What a text editor shows. `text_of` returns the text of a file: in the editor if it is open, else on the disk."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            OSError: when it cannot be read. LargeFile: when it is larger than a note may be.
        """
        return self._rights.read(path)

    def links(self, path: str, data: bytes) -> list[Meant]:
        """Return the links in a text of the file at a path, and what they lead to."""
        links = find_links(data) if is_note(path) else canvas_links(data) if path.endswith(CANVAS) else []
        return self._with_names(lambda index: meanings(index.catalog, path, links)) if links else []

    def link_at(self, path: str, data: bytes, at: int) -> Meant | None:
        """Return the link at a byte of a text, `[text][label]` too, and what it means; None if there is none."""
        found = next((one for one in self.links(path, data) if one.link.start <= at <= one.link.end), None)
        if found is None and is_note(path) and (link := link_by_label(data, at)):
            (found,) = self._with_names(lambda index: meanings(index.catalog, path, [link]))
        return found

    @staticmethod
    def part(data: bytes, subpath: str, *, slugs: bool) -> tuple[int, int] | None:
        """Return the range of a heading with its section, or of a block, in a text; None if it has none."""
        return part_of(data, subpath, slugs=slugs)

    def references(self, subject: Subject, text_of: Read, also: Collection[str], most: int) -> References:
        """Return at most `most` links to a subject, or uses of a tag. `also`: notes that are open in the editor.

        Raises:
            OSError: when the note with the heading or block cannot be read.
        """
        is_known = True
        if subject.tag:
            tagged, is_known = self._engine.search.tagged(subject.tag, MOST_SOURCES + 1, _PATIENCE_S)
            paths = in_order([*tagged, *filter(is_note, also)], subject)
        else:
            paths = self._with_links(lambda index: sources(index, subject, also))
        found = references(self.links, text_of, subject, paths, most)
        return found._replace(are_cut=found.are_cut or not is_known)

    def faults(self, path: str, data: bytes, text_of: Read) -> list[Fault]:
        """Return the faults of a text of the note at a path."""
        return faults(path, data, self.links(path, data), text_of)

    def links_to_missing(self, path: str, target: str) -> int:
        """Return how many notes link to the missing note that a target in the file at a path stands for."""
        node = MISSING + missing_key(target, path)
        return self._with_links(lambda index: len(index.links.leading(node)))

    def preview(self, path: str, subpath: str, most: int, text_of: Read, *, slugs: bool) -> Preview:
        """Return the beginning of a note or a part of it: see `recall.preview`.

        Raises:
            OSError: when the note cannot be read.
        """
        return self._with_names(lambda index: preview(index, text_of, path, subpath, most, slugs=slugs))

    @staticmethod
    def symbols(data: bytes) -> list[Symbol]:
        """Return the headings and the block ids of a note, in order."""
        return symbols(data)

    @staticmethod
    def folds(data: bytes) -> list[Fold]:
        """Return the parts of a note that can be folded."""
        return folds(data)

    @staticmethod
    def footnote(data: bytes, at: int) -> list[Footnote]:
        """Return the definition of the footnote whose reference is at a byte, or the references of a definition."""
        every = list(footnotes(data))
        here = next((one for one in every if one.start <= at <= one.end and not one.is_definition), None)
        here = here or next((one for one in every if one.start <= at < one.end), None)
        return [one for one in every if here and one.label == here.label and one.is_definition != here.is_definition]

    def find(self, text: str, text_of: Read, most: int = 50) -> tuple[list[Match], bool]:
        """Return notes, aliases and headings that have the words of a text, at most `most` of each; and if more do.

        Those that have only its letters, in their order, come last. A very long text is cut.
        """
        text = text[:_LONGEST]
        table, search = self._engine.names, self._engine.search
        self._engine.session.prepare(Freshness.NAMES)
        table.prepare()

        def look(connection: sqlite3.Connection) -> tuple[list[Alias], list[str]]:
            known, paths = aliases(connection, text, most + 1), with_heading(connection, text)
            known += aliases(connection, text, most + 1, loose=True) if len(known) <= most else []
            return known, [*paths, *(with_heading(connection, text, loose=True) if len(paths) <= most else [])]

        known, candidates = (search.glance(look) if text else None) or ([], [])
        paths = self._with_names(
            lambda index: list(islice(filter(is_note, table.find(index, text, loose=True)), most + 1))
        )
        known = list(dict.fromkeys(known))
        heads = headings(dict.fromkeys(candidates), text_of, text, most + 1, loose=True)
        found = [
            *(Match("note", name_of(path), path) for path in paths[:most]),
            *(Match("alias", alias.text, alias.name) for alias in known[:most]),
            *(Match("heading", one.text, one.name, one.start, one.end) for one in heads[:most]),
        ]
        return found, max(len(paths), len(known), len(heads)) > most
