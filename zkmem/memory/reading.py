"""The methods of a memory for reading, searching and checking notes."""

import contextlib
import sqlite3
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from zkmem.errors import BadName, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Catalog, Visible
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.markdown import frontmatter
from zkmem.markdown.properties import typed_properties
from zkmem.memory.base import MemoryBase
from zkmem.names import BASE_SUFFIX, ENTRY, below, check_text, is_note, name_of
from zkmem.recall.overview import Advice, Home, Overview, Tree, advice_on, home, overview, shared_folder, tree
from zkmem.recall.ranking import Hint, Suggestion
from zkmem.recall.reading import NoteText, read_attachment
from zkmem.util.waiting import check_may_wait
from zkmem.vault.obsidian import property_types

if TYPE_CHECKING:
    from zkmem.index.check import Finding
    from zkmem.recall.choices import Choice
    from zkmem.recall.mentions import Mentions
    from zkmem.recall.page import NotePage
    from zkmem.search.search import Hits, Places

_LONG = 1_000  # characters of a name
LINKED = 8
"""The most notes that the tools and the command line name by default because the hits of a search link to them."""


class NoteReading(MemoryBase):
    """The notes that a caller may see."""

    def read(
        self, name: str, depth: int = 0, offset: int = 0, *, bounded: bool = True, subpath: str | None = None
    ) -> NoteText:
        """Return the text of a note from the character `offset` on, expanded `depth` levels deep.

        If `bounded`, the text has at most `max_chars` characters; otherwise it goes on to the end of the note. A note
        of more than `max_note_bytes` always comes in parts, and `offset` counts its bytes. `subpath`: return only the
        part of the note under this `#heading`, or this `#^block`, or the outline of the note (`#`); by default, the one
        that follows the name in `name`.

        Raises:
            UnknownNote: when there is none, with the nearest names. AmbiguousName: when there are several.
            NoSection: when the note has no such heading or block.
        """
        if depth or subpath or "#" in name or len(name) > _LONG:  # many notes, a parser, or a long search
            check_may_wait()
        rights = self._rights
        name, subpath = rights.part(name, subpath)
        with rights.errors():
            note = self._engine.reader.text(
                rights.read, name, depth, offset, bounded=bounded, subpath=subpath, reader=self._caller.reader
            )
        return rights.note_text(note)

    def page(self, name: str, depth: int = 0, offset: int = 0) -> "NotePage":
        """Return a note for a person: its text, properties and links, and one part for HTML, from the byte `offset` on.

        The expansion adds at most `max_chars` characters. The next part begins at `NotePage.next_offset`. If the note
        is too large to be read whole, the result has one part of its text, and neither properties nor links.
        """
        rights, progress = self._rights, self._caller.progress
        name, seen = rights.note(name), rights.folder
        with rights.errors():
            page = self._engine.reader.page(rights.read, name, depth, offset, seen=seen, progress=progress)
        declared = property_types(self._engine.read) if rights.sees_all else {}
        return rights.note_page(page)._replace(declared=declared)

    def mentions(self, name: str, *, wait_s: float | None = None) -> "Mentions":
        """Return the first sentences that link to a note, and some that name it or an alias without a link.

        `wait_s`: about how long to wait for the search index, as for `search`.
        """
        from zkmem.recall.mentions import Searcher  # noqa: PLC0415 - only the page needs it

        rights, name = self._rights, self._rights.note(name)

        def linking(index: Index) -> tuple[str, set[str]]:
            path = lookup.known_note(index.catalog, name)
            return path, {one for one in index.links.leading(path) if one != path and rights.has(one)}

        with rights.errors():
            path, sources = self._with_links(linking, Freshness.EDITS)
            data = rights.read(path)
        searcher = Searcher(path, data, sources, rights.read, self._engine.session)
        return searcher.mentions(rights.search, self._caller.progress, wait_s)

    def home(self, limit: int = 10) -> Home:
        """Return the notes to start from and those that changed last, at most `limit` of each, with first lines."""
        rights, folder = self._rights, self._rights.folder
        catalog, hints = self._with_links(
            lambda index: (index.catalog, self._engine.ranking.hints(limit, folder, seen=folder))
        )
        return self._with_names(lambda _: home(catalog, hints, folder, rights.read, limit))

    def graph(self, folder: str = "", *, around: str = "") -> Overview:
        """Return the notes below a folder (by default, all notes) with their weights and links.

        `around`: return only this note and those one link away.
        """
        folder, ranking = self._rights.below(folder), self._engine.ranking
        note = self._rights.note(around) if around else ""

        def copied(index: Index) -> tuple[Catalog, dict[str, tuple[str, ...]], dict[str, float], str]:
            shared = shared_folder(path for path in index.catalog.rows if below(path, folder))
            if not note:
                return index.catalog, index.links.copy(folder), ranking.weights().copy(), shared
            near = index.links.around(lookup.known_note(index.catalog, note), folder)
            weights = ranking.weights()
            return index.catalog, near, {node: weights[node] for node in near if node in weights}, shared

        with self._rights.errors():
            return overview(*self._with_links(copied))

    def tree(self, opened: Collection[str] = ("",), limit: int = 100) -> Tree:
        """Return what is in some folders of notes: their folders with the number of notes in each, and their notes.

        "" stands for the vault. At most `limit` folders and as many notes of each are named.
        """
        has = self._rights.has
        catalog, paths = self._with_names(lambda index: (index.catalog, list(filter(has, index.catalog.rows))))
        return tree(catalog, paths, opened, limit)

    def read_file(self, path: str) -> bytes:
        """Return the bytes of an attachment: a file that is neither a note nor hidden."""
        return read_attachment(self._engine.store, self._rights.file(path))

    def hints(self, limit: int = 10, *, folder: str = "") -> list[Hint]:
        """Return the `limit` best notes to start reading from, in the vault or below a folder."""
        folder, seen = self._rights.below(folder), self._rights.folder
        return self._with_links(lambda _: self._engine.ranking.hints(limit, folder, seen=seen))

    def entries(self, limit: int = 10, *, wait_s: float = 0.0) -> list[str]:
        """Return the names of at most `limit` notes to start from: `hint` if there is one, then the best hints.

        `wait_s`: how long to wait at most until another thread has read the links; if it has not, only `hint` is
        returned. Of a caller who sees one folder, `hint` is that of the folder.
        """
        entry = f"{self._rights.folder}/{ENTRY}".removeprefix("/")
        first = [name for name in self.complete(ENTRY)[0] if name == entry]
        best = self.hints(limit) if self._engine.live.wait_for_links(wait_s) else []
        return list(dict.fromkeys([*first, *(one.name for one in best)]))[:limit]

    def suggestions(self, threshold: float = 0.001, limit: int = 10, *, folder: str = "") -> list[Suggestion]:
        """Return the notes that are worth tidying, in the vault or below a folder: those with the lowest values."""
        folder = self._rights.below(folder)
        return self._with_links(lambda _: self._engine.ranking.suggestions(threshold, limit, folder))

    def unlinked(self, limit: int = 10, *, folder: str = "") -> tuple[list[str], int]:
        """Return at most `limit` names of notes that no other note links to, and the number of all such notes.

        They are in the order of `suggestions`. The entry note, `hint`, is not among them.
        """
        folder, seen = self._rights.below(folder), self._rights.folder
        return self._with_links(lambda _: self._engine.ranking.unlinked(limit, folder, seen))

    def conflicts(self, limit: int = 10, *, folder: str = "") -> tuple[list[str], int]:
        """Return at most `limit` names of notes with a conflict callout, and the number of all such notes."""
        folder = self._rights.below(folder)
        return self._with_links(lambda _: self._engine.ranking.conflicts(limit, folder))

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        folders: Collection[str] | None = None,
        without: Collection[str] = (),
        filters: bool = True,
        linked: int = 0,
        near: str = "",
        rendered: bool = False,
        wait_s: float | None = None,
    ) -> "Hits":
        """Return at most `limit` notes that contain any word of the query and pass its filters, the best first.

        The filters are `"a phrase"`, `-word`, `tag:x`, `path:x`, `name:x`, `[property:value]`, `before:2026`,
        `after:yesterday` and `on:2026-11-20`; with `filters` False, they are plain words. Search only below
        `folders` (None: everywhere), and not below the folders `without`.

        `Hits.linked` has the names of at most `linked` other notes there to which the hits link, without those that
        a link in a snippet names; finding them takes some 0.2 ms. `near`: the name of a note; the hits within two links
        of it, in either direction, come first. `rendered`: give the snippets as a person reads them, without the marks
        of Markdown. If there are no hits, a remark says how to go on.

        The first search of a vault reads all notes; `wait_s` is about how many seconds it waits for that at most
        (None: until all are read), and a remark says if notes are left.

        Raises:
            BadArgument: when a filter of the query is wrong. UnknownNote, AmbiguousName: when `near` does not mean
                exactly one note.
        """
        folders, search, progress = self._rights.folders(folders), self._rights.search, self._caller.progress
        self._with_links(lambda _: None, Freshness.EDITS)
        return search.find(
            query,
            limit=limit,
            folders=folders,
            without=without,
            filters=filters,
            linked=linked,
            near=self.path(near) if near else "",
            rendered=rendered,
            progress=progress,
            wait_s=wait_s,
        )

    def linked(self, shown: Sequence[tuple[str, str]], count: int = LINKED) -> list[str]:
        """Return the names of at most `count` other notes that some notes link to, the best first.

        The notes to which most of them link come first. `shown`: the path of each of them, the most important first,
        and the part of its text that the reader sees. Notes that a link in these texts names are left out.
        """
        return self._with_links(lambda _: self._rights.search.linked(shown, count))

    def places(self, text: str, *, limit: int = 20, wait_s: float | None = None) -> "Places":
        """Return aliases of notes, headings in notes, and tags that contain a text: at most `limit` of each.

        `wait_s`: as for the method `search`. A heading whose words are in very many notes may be missing.
        """
        check_text(text, "text")
        search, progress = self._rights.search, self._caller.progress
        self._with_links(lambda _: None, Freshness.EDITS)
        return search.places(text, limit, progress, wait_s)

    def in_use(self, text: str = "", *, key: str = "", limit: int = 20, wait_s: float | None = None) -> list[str]:
        """Return the names of properties that contain `text` or, with `key`, values of that property.

        The values begin with `text`; those that most notes have come first. For the key `tags`, they are the tags in
        properties and in texts. `wait_s`: as for the method `search`.
        """
        from zkmem.recall import choices  # noqa: PLC0415 - only a person who types a property needs it

        check_text(text, "text")
        check_text(key, "key")
        self._with_links(lambda _: None, Freshness.EDITS)

        def chosen(connection: sqlite3.Connection) -> "list[Choice]":
            if not key:
                return choices.keys(connection, text, limit)
            if key.lower() in frontmatter.TAGS:
                return choices.tags(connection, text.removeprefix("#"), limit)
            return choices.values(connection, key, text, limit)

        found, _ = self._rights.search.read(chosen, self._caller.progress, wait_s)
        return [one.label for one in found]

    def load_search(self) -> None:
        """Index the words of all notes in this thread, or wait until another thread has."""
        self._rights.search.load(self._caller.progress)

    def has_folder(self, folder: str) -> bool:
        """Return whether the caller may know of any file below a folder. Case does not matter in the folder's name."""
        paths = self._with_names(lambda index: lookup.files_below(index.catalog, folder))
        return not folder.strip("/") or any(map(self._rights.has, paths))

    def check(self, *, known: bool = False) -> "list[Finding]":
        """Return the findings about the vault that a person should look at.

        `known`: only what the index knows, without a look into the notes. That is quick at once after the start.
        """
        from zkmem.bases.check import broken, broken_in  # noqa: PLC0415
        from zkmem.index.check import Properties, check  # noqa: PLC0415 - slow to import, seldom needed

        rights, tables, pause = self._rights, self._engine.tables, self._engine.live.pause
        damaged = rights.faults()

        def findings(index: Index) -> "tuple[list[Finding], list[str], list[str]]":
            if known:
                return check(index, None, rights.read, damaged, rights.has, pause), [], []
            bases = [path for path in index.catalog.rows if path.endswith(BASE_SUFFIX) and rights.has(path)]
            found = check(index, tables.of(Properties), rights.read, damaged, rights.has, pause)
            return found, sorted(bases), sorted(filter(rights.has, tables.of(Properties).bases))

        def resolved(target: str, path: str) -> str | None:
            return self._with_names(lambda index: resolve(Visible(index.catalog, rights.has), target, path).path)

        found, bases, notes = self._with_links(findings)
        in_notes = broken_in(notes, rights.read, self.read_file, resolved)
        return [*broken(bases, self.read_file), *in_notes, *found]

    def secrets(self, folder: str = "") -> list[str]:
        """Return sentences about what looks like a key in the notes below a folder, one for each such note.

        They name the note and the lines, not the secrets. Private notes count, too.
        """
        from zkmem.markdown.secret import described, secrets_in  # noqa: PLC0415 - 5 ms that few commands need

        folder, rights, sentences = self._rights.below(folder), self._rights, []
        for path in self._with_names(lambda index: sorted(lookup.files_below(index.catalog, folder))):
            with contextlib.suppress(OSError):  # it is gone, or cannot be read
                if is_note(path) and rights.has(path) and (places := secrets_in(rights.read(path))):
                    sentences.append("; ".join(described(places, name_of(path))))
        return sentences

    def advice(self, *, folder: str = "") -> Advice | None:
        """Return advice to use another order of hints; None if the present order suits the vault, or the folder."""
        folder, seen = self._rights.below(folder), self._rights.folder
        return self._with_links(lambda _: advice_on(self._engine.ranking, folder, seen))

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the notes in the vault or below a folder, sorted."""
        folder, has = self._rights.below(folder), self._rights.has

        def named(index: Index) -> list[str]:
            paths = lookup.files_below(index.catalog, folder)
            return sorted(lookup.name_for(index.catalog, path) for path in paths if is_note(path) and has(path))

        return self._with_names(named)

    def exists(self, name: str) -> bool:
        """Return whether at least one note has this name."""
        has = self._rights.has
        try:
            return self._with_names(lambda index: bool(lookup.candidates(Visible(index.catalog, has), name)))
        except BadName:
            return False

    def links(self, name: str) -> list[str]:
        """Return the names of the other notes that a note links to, sorted.

        Raises:
            UnknownNote, AmbiguousName: when `name` does not mean exactly one note.
        """
        return self._neighbours(name, back=False)

    def backlinks(self, name: str) -> list[str]:
        """Return the names of the other notes that link to a note, sorted.

        Raises:
            UnknownNote, AmbiguousName: when `name` does not mean exactly one note.
        """
        return self._neighbours(name, back=True)

    def _neighbours(self, name: str, *, back: bool) -> list[str]:
        """Return the names of the other notes that a note links to, sorted; with `back`, of those that link to it."""
        name, has = self._rights.note(name), self._rights.has

        def named(index: Index) -> list[str]:
            path = lookup.known_note(index.catalog, name)
            nodes = index.links.leading(path) if back else filter(is_note, index.links.following(path))
            others = (one for one in nodes if one != path and one in index.catalog and has(one))
            return sorted(lookup.name_for(index.catalog, one) for one in others)

        with self._rights.errors():
            return self._with_links(named)

    def complete(self, beginning: str, *, folder: str = "") -> tuple[list[str], int]:
        """Return at most 100 names that contain `beginning`, and the number of all such names."""
        folder = self._rights.below(folder)
        return self._with_names(lambda index: lookup.complete(index.catalog, beginning, folder=folder))

    def counts(self, *, folder: str = "") -> tuple[int, int]:
        """Return the number of notes in the vault or below a folder, and the number of their distinct links."""
        folder = self._rights.below(folder)
        return self._with_links(lambda index: (index.catalog.note_count(folder), index.links.link_count(folder)))

    def properties(self, name: str) -> dict[str, Any]:
        """Return the properties of a note: texts, numbers, booleans, None, lists and mappings.

        Raises:
            UnknownNote, AmbiguousName: when `name` does not mean exactly one note. Unreadable: when the properties are
                not YAML, or no line ends them.
        """
        name = self._rights.note(name)
        with self._rights.errors():
            path = self._with_names(lambda index: lookup.known_note(index.catalog, name))
            data = self._rights.read(path)
        properties = typed_properties(data)
        if not properties and (fault := frontmatter.fault(data)):
            raise Unreadable(f"The properties of {name_of(path)!r} cannot be read ({fault}); mend them.")
        return properties

    def path(self, name: str) -> str:
        """Return the path of a note's file, relative to the vault's folder.

        Raises:
            UnknownNote, AmbiguousName: when `name` does not mean exactly one note.
        """
        name = self._rights.note(name)
        with self._rights.errors():
            return self._with_names(lambda index: lookup.known_note(index.catalog, name))

    def reaches(self, name: str) -> bool:
        """Return whether the caller may know of the note that has this name, or of the file at this path."""
        return self._rights.reaches(name)
