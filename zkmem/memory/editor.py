"""The methods of a memory for a text editor: what the links and names in a text mean, which may not be saved yet."""

import itertools
import sqlite3
from collections.abc import Collection
from typing import Literal, NamedTuple

from zkmem.edit.parts import Renamable
from zkmem.edit.preview import EditorEdit, TextChange
from zkmem.index.catalog import CANVAS
from zkmem.index.graph import MISSING
from zkmem.index.index import Index
from zkmem.index.lookup import name_for
from zkmem.index.resolve import missing_key, resolve
from zkmem.index.session import Freshness
from zkmem.markdown.links import find_links
from zkmem.markdown.markers import as_quotes
from zkmem.markdown.places import Fold, Footnote, Symbol, folds, footnotes, link_by_label, symbols
from zkmem.markdown.tags import tag_places
from zkmem.markdown.typed import Typed, typed_at
from zkmem.memory.editor_edits import EditorEdits
from zkmem.names import composed, is_note, name_of
from zkmem.recall import choices
from zkmem.recall.choices import Choice
from zkmem.recall.faults import Fault, faults
from zkmem.recall.meant import (
    MOST_SOURCES,
    Meant,
    References,
    Subject,
    canvas_links,
    in_order,
    meanings,
    part_of,
    references,
    sources,
    subpath_of,
)
from zkmem.recall.preview import TextPreview, harmless, preview
from zkmem.search.filters import paths_with_tag
from zkmem.search.places import Alias, aliases, headings, with_heading
from zkmem.vault.files import Read
from zkmem.vault.paths import is_hidden

__all__ = [
    "Choice",
    "EditorEdit",
    "Fault",
    "InEditor",
    "Meant",
    "Renamable",
    "Symbol",
    "TextChange",
    "Typed",
    "as_quotes",
    "harmless",
]

_ALIASES = 10  # that are offered beside the names
_PATIENCE_S = 5.0  # for the search index
_LONGEST = 200  # characters of a text that is looked for


class EditorMatch(NamedTuple):
    """A note, an alias or a heading that contains a text. The heading is at the bytes from `start` to `end`."""

    kind: Literal["note", "alias", "heading"]
    text: str
    path: str
    start: int = 0
    end: int = 0


class InEditor(EditorEdits):
    """A vault as a text editor uses it. All methods take the paths of files in the vault, and the bytes of texts.

    `text_of` returns the text of a file: in the editor if it is open, else on the disk.
    """

    def prepare(self, *, complete: bool = True) -> None:
        """Make what a first completion needs. `complete`: wait for the index; else only names can be completed."""
        self._engine.session.prepare(Freshness.LINKS if complete else Freshness.NAMES)
        self._engine.names.prepare()
        if complete:
            self._engine.search.glance(lambda _: None)

    def path(self, spelled: str) -> str | None:
        """Return the path of a file that is spelled so on disk; None for one that is hidden, or has no valid name."""
        path = self._engine.store.adopt(spelled)
        return None if path is None or is_hidden(path) else path

    def full_path(self, path: str) -> str:
        """Return the full path of a file, as it is spelled on disk."""
        return self._engine.store.full(composed(path))

    def subject(self, path: str, data: bytes, at: int, text_of: Read) -> Subject:
        """Return what is at a byte of a text: a tag, what a link means, a heading, a block; anywhere else, the note."""
        if tag := next((one.tag for one in tag_places(data) if one.start <= at <= one.end), ""):
            return Subject(path, tag=tag)
        if link := link_by_label(data, at):  # then look at the target in the definition of the label
            at = link.sub_at + 1 if link.subpath else link.path_at
        found = self.renamable(path, data, at, text_of)
        if found is None:
            return Subject(path)
        if found.kind == "missing":
            return Subject(path, missing=found.shown)
        if found.kind == "block":
            return Subject(found.path, f"#^{found.shown}")
        if found.kind == "heading":
            return Subject(found.path, subpath_of(text_of(found.path), found.number))
        return Subject(found.path)

    @staticmethod
    def typed(data: bytes, at: int) -> Typed | None:
        """Return what is being typed at a byte of a text; None for anything that is not completed."""
        return typed_at(data, at)

    def choices(self, path: str, typed: Typed, most: int, text_of: Read) -> tuple[list[Choice], bool]:
        """Return at most `most` choices for what is being typed in the file at a path, and whether more may fit."""
        if typed.kind == "name":
            chosen, more = self._names(path, typed, most)
        else:
            parts = self._parts(path, typed, most + 1, text_of)
            chosen, more = (parts or [])[:most], parts is None or len(parts) > most
        texts = ((one, typed.written(one.written)) for one in chosen)
        return [one._replace(written=text) for one, text in texts if text is not None], more

    def _parts(self, path: str, typed: Typed, most: int, text_of: Read) -> list[Choice] | None:
        """Return headings or blocks of a note, or tags, properties or values in use; None if these are not known."""
        if typed.kind in {"heading", "block"}:
            target = self._with_names(lambda index: resolve(index.catalog, typed.target, path).path)
            data = text_of(target) if target and is_note(target) else b""
            heads = choices.headings(data, typed.text) if typed.kind == "heading" else ()
            return list(itertools.islice(itertools.chain(heads, choices.blocks(data, typed.text)), most))
        return self._engine.search.glance(lambda connection: _used(connection, typed, most))

    def _names(self, path: str, typed: Typed, most: int) -> tuple[list[Choice], bool]:
        """Return names of notes and files, and aliases of notes that are not among them."""
        table, search = self._engine.names, self._engine.search
        self._engine.session.prepare(Freshness.NAMES)
        table.prepare()
        known_aliases = (
            search.glance(lambda connection: aliases(connection, typed.text, _ALIASES + 1)) if typed.text else []
        )

        def found(index: Index) -> tuple[list[Choice], bool]:
            names, more = choices.names(index, table, path, typed, most)
            more = more or known_aliases is None or len(known_aliases) > _ALIASES
            return [*names, *_as_links(index, path, (known_aliases or [])[:_ALIASES], typed)], more

        return self._with_names(found)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        return self._rights.read(path)

    def links(self, path: str, data: bytes) -> list[Meant]:
        """Return the links in a text of the file at a path, and what they lead to."""
        links = find_links(data) if is_note(path) else canvas_links(data) if path.endswith(CANVAS) else []
        return self._with_names(lambda index: meanings(index.catalog, path, links)) if links else []

    def link_at(self, path: str, data: bytes, at: int) -> Meant | None:
        """Return the link at a byte of a text, `[text][label]` too, and what it means; None if there is none."""
        meant = next((one for one in self.links(path, data) if one.link.start <= at <= one.link.end), None)
        if meant is None and is_note(path) and (link := link_by_label(data, at)):
            (meant,) = self._with_names(lambda index: meanings(index.catalog, path, [link]))
        return meant

    @staticmethod
    def part(data: bytes, subpath: str, *, slugs: bool) -> tuple[int, int] | None:
        """Return the range of a heading with its section, or of a block, in a text; None if it has none."""
        return part_of(data, subpath, slugs=slugs)

    def references(self, subject: Subject, text_of: Read, also: Collection[str], most: int) -> References:
        """Return at most `most` links to a subject, or uses of a tag. `also`: notes that are open in the editor."""
        unindexed: list[str] = []  # a remark if notes are not indexed yet
        if subject.tag:
            tagged, unindexed = self._engine.search.read(
                lambda connection: paths_with_tag(connection, subject.tag, MOST_SOURCES + 1), None, _PATIENCE_S
            )
            paths = in_order([*tagged, *filter(is_note, also)], subject)
        else:
            paths = self._with_links(lambda index: sources(index, subject, also))
        uses = references(self.links, text_of, subject, paths, most)
        return uses._replace(are_cut=uses.are_cut or bool(unindexed))

    def faults(self, path: str, data: bytes, text_of: Read) -> list[Fault]:
        """Return the faults of a text of the note at a path."""
        return faults(path, data, self.links(path, data), text_of)

    def links_to_missing(self, path: str, target: str) -> int:
        """Return how many notes link to the missing note that a target in the file at a path stands for."""
        node = MISSING + missing_key(target, path)
        return self._with_links(lambda index: len(index.links.leading(node)))

    def preview(self, path: str, subpath: str, most: int, text_of: Read, *, slugs: bool) -> TextPreview:
        """Return the beginning of a note or a part of it: see `recall.preview`."""
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

    def find(self, text: str, text_of: Read, most: int = 50) -> tuple[list[EditorMatch], bool]:
        """Return notes, aliases and headings that have the words of a text, at most `most` of each; and if more do.

        Those that have only its letters, in their order, come last. A very long text is cut.
        """
        text = text[:_LONGEST]
        table, search = self._engine.names, self._engine.search
        self._engine.session.prepare(Freshness.NAMES)
        table.prepare()

        def look(connection: sqlite3.Connection) -> tuple[list[Alias], list[str]]:
            some_aliases, paths = aliases(connection, text, most + 1), with_heading(connection, text)
            some_aliases += aliases(connection, text, most + 1, loose=True) if len(some_aliases) <= most else []
            return some_aliases, [*paths, *(with_heading(connection, text, loose=True) if len(paths) <= most else [])]

        alias_matches, candidates = (search.glance(look) if text else None) or ([], [])
        paths = self._with_names(
            lambda index: list(itertools.islice(filter(is_note, table.find(index, text, loose=True)), most + 1))
        )
        alias_matches = list(dict.fromkeys(alias_matches))
        heads = headings(dict.fromkeys(candidates), text_of, text, most + 1, loose=True)
        matches = [
            *(EditorMatch("note", name_of(path), path) for path in paths[:most]),
            *(EditorMatch("alias", alias.text, alias.name) for alias in alias_matches[:most]),
            *(EditorMatch("heading", one.text, one.name, one.start, one.end) for one in heads[:most]),
        ]
        return matches, max(len(paths), len(alias_matches), len(heads)) > most


def _as_links(index: Index, source: str, some_aliases: list[Alias], typed: Typed) -> list[Choice]:
    """Return aliases as links to their notes."""
    pairs = [(alias, choices.target_of(index.catalog, alias.name, source, typed)) for alias in some_aliases]
    return [
        Choice(
            target if typed.markdown else f"{target}{typed.bar}{alias.text}",
            alias.text,
            "alias",
            name_for(index.catalog, alias.name),
        )
        for alias, target in pairs
        if target and (typed.markdown or _is_display(target, alias.text))
    ]


def _is_display(target: str, text: str) -> bool:
    return not any(mark in text for mark in "|[]\n") and choices.is_linkable(target, text)


def _used(connection: sqlite3.Connection, typed: Typed, most: int) -> list[Choice]:
    """Return tags, properties, or values of a property that are in use."""
    if typed.kind == "tag":
        return choices.tags(connection, typed.text, most)
    if typed.kind == "property":
        return choices.keys(connection, typed.text, most)
    return choices.values(connection, typed.key, typed.text, most)
