"""The toolset `memory`: Claude's memory tool on a folder of the vault, six commands on the paths below `/memories`.

The commands and their texts are those of the file tool in the Python package `anthropic` 2.14 (`memory_20250818`);
docs/memory.md lists the differences.
"""

import itertools
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Self

from zkmem.errors import BadArgument, BadName, BadSettings, Taken, UnknownFile, ZkError
from zkmem.memory import Memory
from zkmem.memory.files import FileSize
from zkmem.names import below, check_path, name_of
from zkmem.toolsets.tool import Effects, Parameter, Result, Tool
from zkmem.toolsets.toolset import Guide, Toolset

ROOT = "/memories"
FOLDER = "memories"
"""The default folder of the vault whose files have paths below `ROOT`."""

_WIDTH = 6  # of a line's number
_AROUND = 2  # lines on each side of a change
_LEVELS = 2
_MOST_LISTED = 1_000
_MOST_PLACES = 1_000
_LONGEST = 1_000  # characters of a passage in an error, and of a line around a change
_UNITS = "BKMG"
_ELSEWHERE = f"a file outside of {ROOT}"


class MemoryDirectory(NamedTuple):
    """A folder of a vault, as the memory directory of a model."""

    memory: Memory
    folder: str

    @classmethod
    def of(cls, memory: Memory, folder: str = FOLDER) -> Self:
        """Return the memories in a folder of the vault."""
        path = folder.strip("/")
        try:
            check_path(path)
        except BadName as error:
            raise BadSettings(f"memories_folder cannot be {folder!r}: {error.reason}.") from None
        return cls(memory, path)

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return the lines of a file with their numbers, or the files of a folder.

        `view_range`: the numbers of the first and the last line; -1 as the last means the end.
        """
        place = self._place(path)
        try:
            with self._paths_of_model(place):
                files = self.memory.files(place)
                if files or place == self.folder:
                    return _listing(path.rstrip("/"), len(place) + 1, files)
                lines = self.memory.text_of(place).split("\n")
        except UnknownFile:
            raise BadArgument(f"The path {path} does not exist. Please provide a valid path.") from None
        first, last = _bounds(view_range, len(lines))
        shown = _within(_numbered(lines, first, last), self.memory.max_chars)
        head = f"Here's the content of {path} with line numbers:"
        rest = last - first + 1 - len(shown)
        more = [f"... {rest} more lines; view them with view_range [{first + len(shown)}, {last}]"] if rest > 0 else []
        return f"{head}\n" + "\n".join([*shown, *more])

    def create(self, path: str, file_text: str) -> str:
        """Create a file."""
        place = self._place(path)
        exists = f"File {path} already exists"
        if place == self.folder:
            raise BadArgument(exists)
        try:
            with self._paths_of_model(place):
                remarks = self.memory.create_files({place: file_text.encode()})
        except UnicodeEncodeError:
            raise BadArgument("`file_text` holds half a character; send whole ones.") from None
        except Taken as error:
            raise BadArgument(str(error) if error.path else exists) from None
        return "\n".join([f"File created successfully at: {path}", *remarks])

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replace a passage that a file has exactly once; return the lines around it."""
        if not old_str:
            raise BadArgument("`old_str` is empty. Give the text to replace, or use the command insert.")
        snippet: list[str] = []

        def replaced(text: str) -> str:
            count = text.count(old_str)
            if not count:
                raise BadArgument(
                    f"No replacement was performed, old_str `{_cut(old_str)}` did not appear verbatim in {path}."
                )
            lines = list(_lines_with(text, old_str))
            if count > 1:
                where = ", ".join(map(str, lines))
                raise BadArgument(
                    f"No replacement was performed. Multiple occurrences of old_str `{_cut(old_str)}` in lines: "
                    f"{where}. Please ensure it is unique"
                )
            new = text.replace(old_str, new_str)
            every = new.split("\n")
            first, last = max(1, lines[0] - _AROUND), min(len(every), lines[0] + _AROUND)
            shown = "\n".join(map(_cut, _numbered(every, first, last)))
            snippet[:] = [shown.encode(errors="surrogateescape").decode(errors="replace")]
            return new

        remarks = self._rewrite(path, replaced)
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([head, *snippet, *remarks])

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert text after a line; 0 is the beginning."""

        def inserted(text: str) -> str:
            lines = text.removesuffix("\n").split("\n") if text else []
            if not 0 <= insert_line <= len(lines):
                raise BadArgument(
                    f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
                )
            lines.insert(insert_line, insert_text.rstrip("\n"))
            new = "\n".join(lines)
            return new if new.endswith("\n") else new + "\n"  # as the package does, also after an empty last line

        remarks = self._rewrite(path, inserted)
        return "\n".join([f"The file {path} has been edited.", *remarks])

    def delete(self, path: str) -> str:
        """Move a file, or a folder with all below, to the trash of the vault."""
        place = self._place(path)
        if place == self.folder:
            raise BadArgument(f"Cannot delete the {ROOT} directory itself")
        try:
            with self._paths_of_model(place):
                self.memory.delete_files(place)
        except UnknownFile:
            raise BadArgument(f"The path {path} does not exist") from None
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Rename or move a file or a folder, and update the links to what it holds."""
        old, new = self._place(old_path), self._place(new_path)
        if old == self.folder:
            raise BadArgument(f"Cannot rename the {ROOT} directory itself")
        exists = f"The destination {new_path} already exists"
        if new == self.folder:
            raise BadArgument(exists)
        try:
            with self._paths_of_model(old, new):
                self.memory.move_files(old, new)
        except UnknownFile:
            raise BadArgument(f"The path {old_path} does not exist") from None
        except Taken as error:
            raise BadArgument(str(error) if error.path else exists) from None
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Move all files to the trash of the vault."""
        try:
            with self._paths_of_model():
                if self.memory.files(self.folder):
                    self.memory.delete_files(self.folder)
        except UnknownFile:
            raise BadArgument(f"Not all of {ROOT} is in the folder that your token reaches.") from None
        return "All memory cleared"

    def _rewrite(self, path: str, change: Callable[[str], str]) -> Sequence[str]:
        place = self._place(path)
        refusals: list[ZkError] = []

        def changed(text: str) -> str:
            try:
                return change(text)
            except ZkError as error:
                refusals.append(error)
                raise

        try:
            with self._paths_of_model(place, exempt=refusals):
                return self.memory.rewrite_file(place, changed)
        except UnknownFile:
            if place == self.folder or self.memory.files(place):
                raise BadArgument(f"The path {path} is not a file.") from None
            raise BadArgument(f"The path {path} does not exist. Please provide a valid path.") from None

    @contextmanager
    def _paths_of_model(self, *places: str, exempt: Sequence[ZkError] = ()) -> Iterator[None]:
        """Reword the errors of the block: they name files by their paths below `ROOT`, and name no file elsewhere.

        `places`: the files of the command; `exempt`: errors that stay as they are.
        """
        try:
            yield
        except ZkError as error:
            if error not in exempt:
                error.args = (self._reworded(str(error), [*places, *([error.path] if error.path else [])]),)
            raise

    def _reworded(self, sentence: str, named: Sequence[str]) -> str:
        """Return a sentence with the paths of the model in place of those of the vault, which are in quotes there."""
        for path in named:
            own = repr(ROOT + path.removeprefix(self.folder)) if below(f"{path}/", self.folder) else _ELSEWHERE
            for written in (path, name_of(path)):
                sentence = sentence.replace(repr(written), own)
        return re.sub(rf"""(['"]){re.escape(self.folder)}(?=/|\1)""", rf"\1{ROOT}", sentence)

    def _place(self, path: str) -> str:
        """Return the path in the vault for a path below `ROOT`."""
        if "\0" in path or not path.isprintable():
            raise BadArgument(f"Path {path!r} has a character that no path can have")
        inside = posixpath.normpath(path)
        if path != ROOT and not path.startswith(ROOT + "/"):
            raise BadArgument(f"Path must start with {ROOT}, got: {path}")
        if inside != ROOT and not inside.startswith(ROOT + "/"):
            raise BadArgument(f"Path {path} would escape {ROOT} directory")
        return self.folder + inside.removeprefix(ROOT)


def _lines_with(text: str, passage: str) -> Iterator[int]:
    """Yield the numbers of the lines in which a passage begins, for its first places. Places may overlap."""
    line, counted, start = 1, 0, text.find(passage)
    for _ in range(_MOST_PLACES):
        if start < 0:
            return
        line, counted = line + text.count("\n", counted, start), start
        yield line
        start = text.find(passage, start + 1)


def _cut(text: str, most: int = _LONGEST) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= most else text[:most] + "..."


def _bounds(view_range: Sequence[int] | None, lines: int) -> tuple[int, int]:
    """Return the first and the last line to show."""
    first, last = view_range if view_range and len(view_range) == 2 else (1, -1)
    if last < -1:
        raise BadArgument(f"Invalid `view_range` parameter: {view_range}. Give the last line; -1 is the end.")
    return max(1, first), lines if last == -1 else min(last, lines)


def _numbered(lines: Sequence[str], first: int, last: int) -> list[str]:
    """Return some lines with their numbers."""
    return [f"{number:>{_WIDTH}}\t{lines[number - 1]}" for number in range(first, last + 1)]


def _within(lines: list[str], characters: int | None) -> list[str]:
    """Return as many first lines as have at most `characters` characters; a first line that has more is cut.

    With None, return all lines.
    """
    if characters is None or not lines:
        return lines
    lines = [_cut(lines[0], characters), *lines[1:]]
    ends = itertools.accumulate(len(line) + 1 for line in lines)
    return [line for number, (line, end) in enumerate(zip(lines, ends, strict=True)) if end <= characters or not number]


def _listing(path: str, cut: int, files: Sequence[FileSize]) -> str:
    """Return the list of the files in a folder, two levels deep. `cut`: characters of a path before its part in it."""
    inside = [(file.path[cut:].split("/"), file.size) for file in files]
    entries = list(itertools.islice(_entries(inside, path, 1), _MOST_LISTED + 1))
    more = (
        [f"... more than {_MOST_LISTED:,} files and directories; view a directory"]
        if len(entries) > _MOST_LISTED
        else []
    )
    return "\n".join(
        [
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:",
            f"{_size(sum(size for _, size in inside))}\t{path}",
            *entries[:_MOST_LISTED],
            *more,
        ]
    )


def _entries(files: Sequence[tuple[list[str], int]], path: str, level: int) -> Iterator[str]:
    """Yield a line for each file and folder, sorted by name, each folder before what is in it."""
    by_name = defaultdict[str, list[tuple[list[str], int]]](list)
    for (name, *rest), size in files:
        by_name[name].append((rest, size))
    for name, some in sorted(by_name.items()):
        below = [one for one in some if one[0]]
        total = _size(sum(size for _, size in some))
        yield f"{total}\t{path}/{name}{'/' if below else ''}"
        if level < _LEVELS:
            yield from _entries(below, f"{path}/{name}", level + 1)


def _size(count: int) -> str:
    """Return a number of bytes, rounded, with its unit."""
    unit = min(max(0, count.bit_length() - 1) // 10, len(_UNITS) - 1)
    size = count / 1024**unit
    return f"{int(size)}{_UNITS[unit]}" if size == int(size) else f"{size:.1f}{_UNITS[unit]}"


_NEEDED = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
_OPTIONAL = {"view": ("view_range",)}
_INSTEAD = {"insert_text": "new_str", "old_path": "path"}  # what models also send
_MAY_BE_LEFT_OUT = {"new_str": ""}  # to remove a passage


def run(memory: Memory, command: str, memories_folder: str, **given: object) -> Result:
    """Run one of the six commands."""
    return Result((execute(MemoryDirectory.of(memory, memories_folder), command, given),), {})


def execute(memories: MemoryDirectory, command: str, given: Mapping[str, object]) -> str:
    """Call the method of a command with its arguments; None stands for one that is missing."""
    values = {name: given.get(name) for name in (*_NEEDED[command], *_OPTIONAL.get(command, ()))}
    for name, other in _INSTEAD.items():
        if name in values and values[name] is None:
            values[name] = given.get(other)
    values |= {name: value for name, value in _MAY_BE_LEFT_OUT.items() if name in values and values[name] is None}
    for name, value in values.items():
        if value is None and name in _NEEDED[command]:
            raise BadArgument(f"The command {command} needs `{name}`.")
        if value is not None:
            PARAMETERS[name].check(name, value)
    method: Callable[..., str] = getattr(memories, command)
    return method(**values)


_TEXT = Parameter("string", default=None)

PARAMETERS = {
    "command": Parameter("string", choices=tuple(_NEEDED)),
    "path": Parameter("string", "such as /memories/name.md", default=None),
    "view_range": Parameter("array", default=None, inner={"type": "integer"}),
    "file_text": _TEXT,
    "old_str": Parameter("string", "must be in the file exactly once", default=None),
    "new_str": _TEXT,
    "insert_line": Parameter("integer", "the line to insert after; 0 is the beginning", default=None),
    "insert_text": _TEXT,
    "old_path": _TEXT,
    "new_path": _TEXT,
}

TOOLSET = Toolset(
    (
        Tool(
            "memory",
            "Your long-term memory, the directory /memories: view it before you answer, and write into it as soon as "
            "you learn what will matter later.",
            PARAMETERS,
            run,
            Effects(destructive=True),
            title="Memory",
            always=True,
            options={"memories_folder": FOLDER},
        ),
    ),
    (
        Guide(
            "memory for your own files in /memories",
            start="view /memories with memory",
            use="Keep the files in /memories short and current; name them after their topic, as /memories/topic.md.",
        ),
    ),
)
