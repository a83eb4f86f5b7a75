"""Notes as pages: properties, a body and a name of their own, for toolsets that keep records in notes."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from zkmem.errors import Changed, Damaged, Taken, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Catalog
from zkmem.index.resolve import anchored, cleaned, is_anchored, is_same_everywhere, resolve
from zkmem.markdown.links import body_links
from zkmem.markdown.note import Text, read_text
from zkmem.markdown.properties import NoteParts, parts
from zkmem.names import NOTE_SUFFIX, base_of, fold, folder_of, folders_of, is_note, name_of, new_path, path_of
from zkmem.records.encoded_names import decoded, encodings
from zkmem.records.tables import AnyTable, Tables
from zkmem.vault.files import Stamp, etag


class Page:
    """A note in parts. Each part is computed when it is first used, since many edits need only some of them."""

    def __init__(self, path: str, data: bytes) -> None:
        """Make the page of a note from its bytes."""
        self.path = path
        self.data = data

    @functools.cached_property
    def etag(self) -> str:
        """The etag of the bytes."""
        return etag(self.data)

    @functools.cached_property
    def text(self) -> Text:
        """The text, with the line ends and the encoding that it has on disk."""
        return read_text(self.data)

    @functools.cached_property
    def _parts(self) -> NoteParts:
        return parts(self.text)

    @functools.cached_property
    def _values(self) -> Mapping[str, Any] | None:
        return self._parts.properties

    @property
    def properties(self) -> Mapping[str, Any]:
        """The properties, with strings for all scalars; empty if the frontmatter is not YAML."""
        return self._values or {}

    @property
    def body(self) -> str:
        """The text below the frontmatter."""
        return self._parts.body

    @functools.cached_property
    def fault(self) -> str | None:
        """The fault because of which the note must not be edited; None if there is none."""
        if self._values is None:
            return "its frontmatter is not YAML"
        return "it is not UTF-8" if self.text.lossy else None

    @property
    def name(self) -> str:
        """The name of the note: its property `name` if the file name is made from it, else the decoded file name."""
        name, base = self.properties.get("name"), base_of(name_of(self.path))
        ours = isinstance(name, str) and fold(base) in map(fold, encodings(name))
        return str(name) if ours else decoded(base)

    @property
    def shown(self) -> str:
        """The body as a reader gets it: with U+FFFD for bytes that are not UTF-8."""
        return self.body.encode(errors="surrogateescape").decode(errors="replace")

    @property
    def exact_body(self) -> str:
        """The body with the line ends that it has on disk."""
        return self.body.replace("\n", "\r\n") if self.text.crlf else self.body

    def sound(self) -> "Page":
        """Return this page; raise Damaged if it has a fault."""
        if self.fault:
            raise Damaged(f"The note {name_of(self.path)!r} is damaged: {self.fault}. It was left as it is; mend it.")
        return self


class Mention(NamedTuple):
    """A link in a text: its range in characters, its target as written, and the text that it shows instead."""

    start: int
    end: int
    target: str
    display: str | None = None


def links_in(text: str) -> list[Mention]:
    """Return the links of a text, in order. A `---` at its start opens no frontmatter."""
    data = text.encode(errors="surrogateescape")
    links = body_links(data) if "[" in text else []
    located = [(len(data[: link.start].decode(errors="surrogateescape")), link) for link in links]
    return [
        Mention(at, at + len(data[link.start : link.end].decode(errors="surrogateescape")), link.target, link.display)
        for at, link in located
    ]


@dataclass(eq=False, slots=True)
class Pages:
    """The notes of a vault as pages. The calling thread must hold the index."""

    _catalog: Catalog
    _read: Callable[[str], bytes]  # returns the bytes of the file at a path
    _stamp: Callable[[str], Stamp | None]
    _tables: Tables
    saw: Callable[[Page], object] = lambda _: None
    """Gets each page whose text the caller gets: an edit that is made from it is merged with later changes."""

    def table(self, kind: type[AnyTable]) -> AnyTable:
        """Return a table of all notes. It shows the vault on disk, without the changes of a draft."""
        return self._tables.of(kind)

    def page(self, path: str) -> Page | None:
        """Return the note at a path; None if there is none."""
        if path not in self._catalog.rows:
            return None
        try:
            return Page(path, self._read(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error

    def check_known(self, paths: Iterable[str]) -> None:
        """Check that notes have not changed since the index read them."""
        for path in paths:
            row = self._catalog.rows.get(path)
            if row is None or row.stamp != self._stamp(path):
                raise Changed(f"{path!r} has changed, or is gone.")

    def below(self, folder: str) -> list[str]:
        """Return the paths of the notes below a folder, in alphabetical order."""
        folders = self._catalog.folders_at(fold(folder)) if folder else [""]
        return sorted(path for path in self._catalog.below(folders) if is_note(path))

    def has_folder(self, folder: str) -> bool:
        """Return whether there are files below a folder, in any case."""
        return bool(self._catalog.folders_at(fold(folder)))

    def namesakes(self, file: str) -> list[str]:
        """Return the paths of the files with a name in all folders, in any case."""
        return [path for path in self._catalog.named(fold(file)) if path in self.at(path)]

    def called(self, name: str) -> list[Page]:
        """Return the notes in all folders with exactly this name."""
        pages = (self.page(path) for part in encodings(name) for path in self.namesakes(part + NOTE_SUFFIX))
        return [page for page in pages if page and page.name == name]

    def resolve(self, target: str, source: str = "", *, sure: bool = False) -> str | None:
        """Return the path of the file that a link to `target` in `source` means; None if there is none.

        `sure`: return None if several files have the name.
        """
        resolved = resolve(self._catalog, target, source)
        return None if sure and resolved.rivals else resolved.path

    def exact(self, target: str, source: str) -> str | None:
        """Return the path of the file that a link means in the very folder that it names; None if there is none."""
        path = self.resolve(target, source, sure=True)
        return path if path and fold(folder_of(path)) == self.target_folder(target, source) else None

    def target_folder(self, target: str, source: str) -> str:
        """Return the folded folder that the target of a link in `source` names, from the root; "" if it names none."""
        written = cleaned(target)
        path = anchored(written, source) if is_anchored(written) else written
        return fold(folder_of(path or ""))

    def meaning(self, target: str, source: str) -> tuple[str | None, str | None]:
        """Return the path of the file that a link in `source` means, and the folded file name that decides it.

        As long as no file with this name comes or goes, every link to `target` means the same file. The name is None
        if the meaning depends on more than that.
        """
        resolved = resolve(self._catalog, target, source)
        last = base_of(fold(cleaned(target)))
        decided = is_same_everywhere(target, resolved) and last and "." not in last and not self._catalog.pages
        return resolved.path, last + NOTE_SUFFIX if decided else None

    def link(self, path: str) -> str:
        """Return the shortest target that means the note at a path in every note."""
        return lookup.name_for(self._catalog, path)

    def place(self, name: str) -> str:
        """Return the path of the note with a name; if there is none, the path for a new one.

        The name counts from the root of the vault. Case does not count. Existing folders keep their spelling.
        """
        exact = path_of(name)
        if paths := self.at(exact):
            return exact if exact in paths else paths[0]
        path = new_path(name)
        for folder in folders_of(path):
            if homes := self._catalog.folders_at(fold(folder)):
                return (folder if folder in homes else homes[0]) + path[len(folder) :]
        return path

    def named(self, name: str, folder: str = "") -> Page | None:
        """Return the note in a folder whose name is exactly `name`; None if there is none."""
        for path in self._places(name, folder):
            for path_there in self.at(path):
                page = self.page(path_there)
                if page and page.name == name:
                    return page
        return None

    def free(self, name: str, folder: str = "") -> str:
        """Return a free path in a folder for a new note with a name."""
        for path in self._places(name, folder):
            if not self.at(path):
                return path
        raise Taken(f"Other notes have every path that {name!r} could be kept at; rename or delete {path!r}.")

    def at(self, path: str) -> Sequence[str]:
        """Return the paths that are equal to this one but for case."""
        return self._catalog.at(fold(path))

    def _places(self, name: str, folder: str) -> Iterator[str]:
        home = next(iter(self._catalog.folders_at(fold(folder))), folder) if folder else ""
        for part in encodings(name):
            yield f"{home}/{part}{NOTE_SUFFIX}" if home else part + NOTE_SUFFIX
