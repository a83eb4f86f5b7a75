"""Notes as pages: properties, a body and a name of their own, for toolsets that keep records in notes."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.errors import Changed, Damaged, Taken, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Catalog
from zkmem.index.resolve import cleaned, is_same_everywhere, resolve
from zkmem.markdown.links import body_links
from zkmem.markdown.note import Text, read_text
from zkmem.markdown.properties import Parts, parts
from zkmem.names import NOTE_SUFFIX, base_of, fold, folders_of, is_note, name_of, new_path, path_of
from zkmem.records.encoded_names import decoded, encodings
from zkmem.records.tables import AnyTable, Tables
from zkmem.vault.files import Stamp, etag


class Page:
    """A note in parts. Each part is computed when it is asked for the first time: many edits need a few."""

    def __init__(self, path: str, data: bytes) -> None:
        """The page in the bytes of a note."""
        self.path = path
        self.data = data

    @functools.cached_property
    def etag(self) -> str:
        """The etag of the bytes."""
        return etag(self.data)

    @functools.cached_property
    def text(self) -> Text:
        """The text, and what it takes to write it back byte for byte."""
        return read_text(self.data)

    @functools.cached_property
    def _parts(self) -> Parts:
        return parts(self.text)

    @property
    def properties(self) -> Mapping[str, Any]:
        """The properties, whose scalars are strings; none where the frontmatter is not YAML."""
        return self._parts.properties or {}

    @property
    def body(self) -> str:
        """The text below the frontmatter."""
        return self._parts.body

    @property
    def fault(self) -> str | None:
        """Why the note cannot be trusted, if so."""
        if self._parts.properties is None:
            return "its frontmatter is not YAML"
        return "it is not UTF-8" if self.text.lossy else None

    @property
    def name(self) -> str:
        """What it is called: its property `name` if its file is named after that, else what its file name says."""
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
        """The page itself.

        Raises:
            Damaged: when it has a fault.
        """
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
    """The links in a text that is not a note's beginning, in order."""
    data = text.encode(errors="surrogateescape")
    links = body_links(data) if "[" in text else []
    found = [(len(data[: link.start].decode(errors="surrogateescape")), link) for link in links]
    return [
        Mention(at, at + len(data[link.start : link.end].decode(errors="surrogateescape")), link.target, link.display)
        for at, link in found
    ]


class Pages:
    """The notes of a vault as pages. To be used under the lock of the index."""

    def __init__(
        self,
        catalog: Catalog,
        read: Callable[[str], bytes],
        stamp: Callable[[str], Stamp | None],
        tables: Tables,
    ) -> None:
        """`read`, `stamp`: the bytes at a path, and what tells whether they have changed."""
        self._catalog = catalog
        self._read = read
        self._stamp = stamp
        self._tables = tables

    def table(self, kind: type[AnyTable]) -> AnyTable:
        """What is derived from all notes: as the vault is, whatever a draft has in mind."""
        return self._tables.of(kind)

    def page(self, path: str) -> Page | None:
        """The note at a path, if there is one.

        Raises:
            Unreadable: when the disk does not give it.
        """
        if path not in self._catalog.rows:
            return None
        try:
            return Page(path, self._read(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error

    def check_known(self, paths: Iterable[str]) -> None:
        """See that notes are on disk as the tables know them.

        Raises:
            Changed: when one is not, so that all is done again from what is there.
        """
        for path in paths:
            row = self._catalog.rows.get(path)
            if row is None or row.stamp != self._stamp(path):
                raise Changed(f"{path!r} has changed, or is gone.")

    def below(self, folder: str) -> list[str]:
        """The paths of the notes below a folder, in order."""
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
        there = (self.page(path) for part in encodings(name) for path in self.namesakes(part + NOTE_SUFFIX))
        return [page for page in there if page and page.name == name]

    def resolve(self, target: str, source: str = "", *, sure: bool = False) -> str | None:
        """The path of the file that a link to `target` in `source` means; if `sure`, only one it must mean."""
        found = resolve(self._catalog, target, source)
        return None if sure and found.rivals else found.path

    def meaning(self, target: str, source: str) -> tuple[str | None, str | None]:
        """Return the path of the file that a link in `source` means, and the folded file name that decides it.

        As long as no file with this name comes or goes, every link to `target` means the same file. The name is None
        if the meaning depends on more than that.
        """
        found = resolve(self._catalog, target, source)
        last = base_of(fold(cleaned(target)))
        decided = is_same_everywhere(target, found) and last and "." not in last
        return found.path, last + NOTE_SUFFIX if decided else None

    def link(self, path: str) -> str:
        """The shortest target that means the note at a path from everywhere."""
        return lookup.name_for(self._catalog, path)

    def place(self, name: str) -> str:
        """The path that a name means, which is a path from the root: of a note that is there, else of a new one.

        Letters compare without regard to case; a folder that is there is spelled as it is.

        Raises:
            BadName: when there is no such note, and none can be made.
        """
        wanted = path_of(name)
        if there := self.at(wanted):
            return wanted if wanted in there else there[0]
        path = new_path(name)
        for folder in folders_of(path):
            if homes := self._catalog.folders_at(fold(folder)):
                return (folder if folder in homes else homes[0]) + path[len(folder) :]
        return path

    def named(self, name: str, folder: str = "") -> Page | None:
        """The note in a folder that is called `name`, exactly."""
        for path in self._places(name, folder):
            for there in self.at(path):
                page = self.page(there)
                if page and page.name == name:
                    return page
        return None

    def free(self, name: str, folder: str = "") -> str:
        """A path in a folder for a new note that is called `name`.

        Raises:
            Taken: when there is none.
        """
        for path in self._places(name, folder):
            if not self.at(path):
                return path
        raise Taken(f"Other notes have every path that {name!r} could be kept at; rename or delete {path!r}.")

    def at(self, path: str) -> Sequence[str]:
        """The paths of the files there, however their letters are written."""
        return self._catalog.at(fold(path))

    def _places(self, name: str, folder: str) -> Iterator[str]:
        home = next(iter(self._catalog.folders_at(fold(folder))), folder) if folder else ""
        for part in encodings(name):
            yield f"{home}/{part}{NOTE_SUFFIX}" if home else part + NOTE_SUFFIX
