"""The methods of a memory for a text editor: what the links and names in a text mean, which may not be saved yet."""

import sqlite3

from zkmem.edit.editor_edit import EditorEdit, TextChange
from zkmem.edit.renamable import Renamable
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.index.sync import Index
from zkmem.markdown.harmless import harmless
from zkmem.markdown.markers import as_quotes
from zkmem.markdown.places import Symbol, link_by_label
from zkmem.markdown.tags import tag_places
from zkmem.markdown.typed import Typed, typed_at
from zkmem.memory.editor_edits import EditorEdits
from zkmem.memory.editor_reading import EditorReading
from zkmem.names import composed, is_note
from zkmem.recall import choices, vocabulary
from zkmem.recall.choices import Choice
from zkmem.recall.faults import Fault
from zkmem.recall.meant import Meant, subpath_of
from zkmem.recall.places import Alias, aliases
from zkmem.recall.references import Subject
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


class InEditor(EditorEdits, EditorReading):
    """A vault as a text editor uses it. All methods take the paths of files in the vault, and the bytes of texts."""

    def prepare(self, *, complete: bool = True) -> None:
        """Make what a first completion needs. `complete`: wait for the index; else only names can be completed.

        Raises:
            Closed: when the memory is closed meanwhile. NoVault: when the vault is gone.
        """
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
            found, more = self._names(path, typed, most)
        else:
            known = self._parts(path, typed, most + 1, text_of)
            found, more = (known or [])[:most], known is None or len(known) > most
        texts = ((one, typed.written(one.written)) for one in found)
        return [one._replace(written=text) for one, text in texts if text is not None], more

    def _parts(self, path: str, typed: Typed, most: int, text_of: Read) -> list[Choice] | None:
        """Return headings or blocks of a note, or tags, properties or values in use; None if these are not known."""
        if typed.kind in {"heading", "block"}:
            target = self._with_names(lambda index: resolve(index.catalog, typed.target, path).path)
            data = text_of(target) if target and is_note(target) else b""
            heads = choices.headings(data, typed.text, most) if typed.kind == "heading" else []
            return [*heads, *choices.blocks(data, typed.text, most)][:most]
        return self._engine.search.glance(lambda connection: _used(connection, typed, most))

    def _names(self, path: str, typed: Typed, most: int) -> tuple[list[Choice], bool]:
        """Return names of notes and files, and aliases of notes that are not among them."""
        table, search = self._engine.names, self._engine.search
        self._engine.session.prepare(Freshness.NAMES)
        table.prepare()
        known = search.glance(lambda connection: aliases(connection, typed.text, _ALIASES + 1)) if typed.text else []

        def found(index: Index) -> tuple[list[Choice], bool]:
            names, more = choices.names(index, table, path, typed, most)
            more = more or known is None or len(known) > _ALIASES
            return [*names, *_as_links(index, path, (known or [])[:_ALIASES], typed)], more

        return self._with_names(found)


def _as_links(index: Index, source: str, found: list[Alias], typed: Typed) -> list[Choice]:
    """Return aliases as links to their notes."""
    pairs = [(alias, choices.target_of(index.catalog, alias.name, source, typed)) for alias in found]
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
        return vocabulary.tags(connection, typed.text, most)
    if typed.kind == "property":
        return vocabulary.keys(connection, typed.text, most)
    return vocabulary.values(connection, typed.key, typed.text, most)
