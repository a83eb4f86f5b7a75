"""The notes of a vault as expressions see them: from the search index and the index of links, not from files."""

import datetime
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from zkmem.bases.values import Date, File, LinkValue, Value, are_equal, of_json, read_date
from zkmem.errors import BadArgument
from zkmem.index.catalog import Visible
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.index.session import Session
from zkmem.names import base_of, below, folder_of, is_note, name_of
from zkmem.search.fulltext import unpacked_fields
from zkmem.vault.files import Stamp

_MOST_STEPS = 2_000_000  # of the evaluation of one query
_QUICK_STEPS = 20_000  # of a query without a pause
_PAUSE_STEPS, _PAUSE_S = 300, 0.0002  # then a pause after so many steps, a third of a millisecond of work
_ROWS = "SELECT path, date, dated, fields FROM search_notes"
_AT_ONCE = 500  # numbers in one statement


class _Note(NamedTuple):
    """What the search index has of a note."""

    date: str
    dated: str
    fields: str  # JSON


class Notes:
    """The notes below a folder. A query reads through one object, in one thread."""

    _steps = 0
    _next_pause = _QUICK_STEPS

    def __init__(self, connection: sqlite3.Connection, session: Session, folder: str) -> None:
        """`folder`: "" stands for the whole vault."""
        self.now = datetime.datetime.now()
        self.connection = connection
        self._session = session
        self._folder = folder
        self._known: dict[str, _Note] = {}
        self._read: dict[str, Mapping[str, Any]] = {}

    def paths(self, numbers: Iterable[int] | None) -> Iterator[str]:
        """Yield the paths of the notes with these numbers, or of all."""
        if numbers is None:
            yield from self._take(self.connection.execute(_ROWS))
            return
        wanted = sorted(numbers)
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            yield from self._take(self.connection.execute(f"{_ROWS} WHERE id IN ({marks})", part))

    def _take(self, rows: Iterable[tuple[str, str, str, str]]) -> Iterator[str]:
        for path, *note in rows:
            self._known[path] = _Note(*note)
            yield path

    def linking(self, target: str) -> set[int] | None:
        """Return the numbers of the notes that link to a target; None if they cannot be looked up.

        They cannot if no note has the target, if a relative target means another note in each folder, or if the caller
        may see only a folder.
        """
        file = None if self._folder or target.startswith(".") else self.file(target, "")
        if file is None:
            return None
        with self._session.hold() as index:
            paths = index.links.backlinks(file.path)
        found = (self.connection.execute("SELECT id FROM search_notes WHERE path = ?", (path,)) for path in paths)
        return {number for rows in found for (number,) in rows}

    def name(self, file: File) -> str:
        """Return the name of a note, which tools take."""
        with self._session.hold() as index:
            return name_for(index.catalog, file.path)

    def spend(self, steps: int) -> None:
        """Count steps of the evaluation, and let other threads run after some of them.

        Without a pause, each of them would wait until the interpreter takes Python's lock away from this thread.
        """
        self._steps += steps
        if self._steps >= self._next_pause:
            self._next_pause = self._steps + _PAUSE_STEPS
            time.sleep(_PAUSE_S)
        if self._steps > _MOST_STEPS:
            raise BadArgument(
                "The expressions take too long on so many notes; filter by a tag, a folder or a property first."
            )

    def same(self, left: Value, right: Value) -> bool:
        """Return whether two values are equal; links and files are equal if they mean the same note."""
        if isinstance(left, LinkValue | File) or isinstance(right, LinkValue | File):
            return self._mean_the_same(left, right)
        if isinstance(left, list) and isinstance(right, list):
            self.spend(len(left))
            return len(left) == len(right) and all(map(self.same, left, right))
        return are_equal(left, right)

    def _mean_the_same(self, left: Value, right: Value) -> bool:
        if isinstance(left, str) or isinstance(right, str):
            return (
                isinstance(left, LinkValue | str)
                and isinstance(right, LinkValue | str)
                and _written(left) == _written(right)
            )
        if not (isinstance(left, LinkValue | File) and isinstance(right, LinkValue | File)):
            return False
        one, other = self.file(left, ""), self.file(right, "")
        if one is not None and other is not None:
            return one == other
        return one is other and _written(left) == _written(right)

    def file(self, value: Value, source: str) -> File | None:
        """Return the note that a link, a path or a file stands for; None if there is none below the folder.

        All files come from here, from `paths` or from the caller's `this`: none is outside of the folder.
        """
        if isinstance(value, File):
            return value
        if not isinstance(value, LinkValue | str):
            return None
        target = _written(value).partition("#")[0]
        with self._session.hold() as index:
            files = Visible(index.catalog, lambda path: below(path, self._folder)) if self._folder else index.catalog
            path = resolve(files, target, value.source if isinstance(value, LinkValue) else source).path
        return File(path) if path is not None and target and is_note(path) else None

    def has_link(self, file: File, other: Value, source: str) -> bool:
        """Return whether a note links to another."""
        target = self.file(other, source)
        if target is None:
            return any(self.same(link, other) for link in self.links_of(file))
        with self._session.hold() as index:
            return target.path in index.links.following(file.path)

    def tags(self, file: File) -> list[str]:
        """Return the tags of a note, without `#`."""
        return list(self._fields(file)["tags"])

    def properties(self, file: File) -> Mapping[str, Value]:
        """Return the properties of a note."""
        given = self._fields(file)["properties"]
        return {key: of_json(value, file.path) for key, value in given.items()}

    def property(self, file: File, name: str) -> Value:
        """Return a property of a note by its name in any case; None if it is missing."""
        given = self._fields(file)["properties"]
        if name not in given:
            lower_name = name.lower()
            name = next((key for key in given if key.lower() == lower_name), "")
            if not name:
                return None
        value = given[name]
        return of_json(value, file.path)

    def field(self, file: File, name: str) -> Value:
        """Return a field of a note: one of `FILE_FIELDS`."""
        return FILE_FIELDS[name].compute(self, file)

    def count_of(self, file: File, what: str) -> int:
        """Return the number of "tasks" or of "open_tasks" of a note."""
        return int(self._fields(file)[what])

    def _stamp(self, file: File) -> Stamp | None:
        with self._session.hold() as index:
            row = index.catalog.rows.get(file.path)
        return row.stamp if row else None

    def size_of(self, file: File) -> Value:
        """Return the size of a note in bytes."""
        stamp = self._stamp(file)
        return stamp.size if stamp else None

    def changed_of(self, file: File) -> Value:
        """Return when the file of a note was changed."""
        stamp = self._stamp(file)
        return Date(datetime.datetime.fromtimestamp(stamp.mtime_ns // 1_000_000_000), has_time=True) if stamp else None

    def created_of(self, file: File) -> Value:
        """Return the date of a note, else when its file was changed."""
        note = self._note(file)
        return read_date(note.date) if note and note.dated != "file" else self.changed_of(file)

    def links_of(self, file: File) -> list[LinkValue]:
        """Return the links of a note."""
        with self._session.hold() as index:
            row = index.catalog.rows.get(file.path)
        if row is None or row.facts is None:
            return []
        return [LinkValue(target, None, file.path) for target in [*row.facts.targets, *row.facts.others]]

    def embeds_of(self, file: File) -> list[LinkValue]:
        """Return the embeds of a note."""
        return [LinkValue(target, None, file.path) for target in self._fields(file)["embeds"]]

    def backlinks_of(self, file: File) -> list[LinkValue]:
        """Return links to the notes that link to a note."""
        with self._session.hold() as index:
            paths = index.links.backlinks(file.path)
        return [LinkValue(name_of(path), None, "") for path in paths if below(path, self._folder)]

    def _note(self, file: File) -> _Note | None:
        if file.path not in self._known:
            for _ in self._take(self.connection.execute(f"{_ROWS} WHERE path = ?", (file.path,))):
                pass
        return self._known.get(file.path)

    def _fields(self, file: File) -> Mapping[str, Any]:
        """Return the fields of a note as JSON has them; a note that is not in the index has none."""
        fields = self._read.get(file.path)
        if fields is None:
            note = self._note(file)
            fields = self._read[file.path] = unpacked_fields(note.fields) if note else _NO_FIELDS
        return fields


class FileField(NamedTuple):
    """A field of a file: its meaning, for the documents, and the function that computes it."""

    meaning: str
    compute: Callable[[Notes, File], Value]


FILE_FIELDS = {
    "backlinks": FileField("the notes that link to it", Notes.backlinks_of),
    "basename": FileField("its name without folders and `.md`", lambda _, file: base_of(name_of(file.path))),
    "ctime": FileField("the date in its properties or its name, else the time of its last change", Notes.created_of),
    "embeds": FileField("its embeds, such as `![[picture.png]]`", Notes.embeds_of),
    "ext": FileField("`md`", lambda _, file: base_of(file.path).rpartition(".")[2].lower()),
    "file": FileField("the note itself", lambda _, file: file),
    "folder": FileField("the path of its folder; empty for the root", lambda _, file: folder_of(file.path)),
    "links": FileField("its links", Notes.links_of),
    "mtime": FileField("the time of its last change", Notes.changed_of),
    "name": FileField("the name of its file", lambda _, file: base_of(file.path)),
    "openTasks": FileField(
        "the number of open tasks, `[ ]` (only in zkmem)", lambda notes, file: notes.count_of(file, "open_tasks")
    ),
    "path": FileField("its path in the vault", lambda _, file: file.path),
    "properties": FileField("all its properties", Notes.properties),
    "size": FileField("its size in bytes", Notes.size_of),
    "tags": FileField("its tags, with `#`", lambda notes, file: [f"#{tag}" for tag in notes.tags(file)]),
    "tasks": FileField(
        "the number of tasks, `[ ]` and `[x]` (only in zkmem)", lambda notes, file: notes.count_of(file, "tasks")
    ),
}
"""The fields of a file."""

_NO_FIELDS: Mapping[str, Any] = {"tags": [], "properties": {}, "tasks": 0, "open_tasks": 0, "embeds": []}


class NoteValues:
    """The values of a note that expressions use."""

    def __init__(self, notes: Notes, path: str) -> None:
        self.notes = notes
        self.file = File(path)
        self.formulas: dict[str, Value] = {}  # the computed ones
        self.computing: list[str] = []

    @property
    def properties(self) -> Mapping[str, Value]:
        """The properties of the note."""
        return self.notes.properties(self.file)

    def property(self, name: str) -> Value:
        """Return a property by its name in any case; None if it is missing."""
        return self.notes.property(self.file, name)


def _written(value: Value) -> str:
    """Return the target that a link, a text or a file has."""
    if isinstance(value, LinkValue):
        return value.target
    if isinstance(value, File):
        return value.path
    return str(value).strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
