"""The clients' own memories of a project: Claude Code's, with the setting that moves its folder, and Codex's files.

Seen in the requests of Claude Code 2.1.332: the folder is `projects/NAME/memory` in the user's `.claude`, and `NAME` is
made from the path of the repository. `autoMemoryDirectory` moves it. The setting is written to the user's own settings
of the project, `.claude/settings.local.json`: `.claude/settings.json` is shared with others, who have other paths. In
the user's `settings.json` it counts for all projects that have no setting of their own.

Codex writes `memories` in its folder anew from what it has kept of earlier sessions, with a git repository in it, and
has no setting for another folder. Its tools refuse symbolic links (codex-rs/memories/ in openai/codex). So the folder
can neither be moved nor linked.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from zkmem.clients import jsonc
from zkmem.clients.files import ClientFile
from zkmem.clients.jsonc import NotParsed
from zkmem.clients.table import UserHome
from zkmem.errors import BadArgument, BadClientFile

INDEX = "MEMORY.md"
MOST_LINES, MOST_BYTES = 200, 25_000
"""How much of the index Claude Code reads at the start."""

_KEY = ("autoMemoryDirectory",)
_LONGEST = 200  # characters of a project's name; of a longer one, the rest is a hash
_MOST_FILES = 10_000
_MOST_SIZE = 16_000_000  # bytes of a file
_CODEX_READS = ("MEMORY.md", "memory_summary.md", "rollout_summaries/")  # Codex makes these from the other files


class Project(NamedTuple):
    """A folder in which somebody uses Claude Code."""

    root: str  # a real path
    settings: str  # the path of the settings that say where the memory is

    @classmethod
    def of(cls, folder: str) -> "Project":
        """Return the project of a folder: the repository that it is in, or the folder itself.

        Its settings are the user's own for the project.
        """
        root = os.path.realpath(folder)
        if not os.path.isdir(root):
            raise BadArgument(f"There is no folder {folder!r}.")
        above = root
        while not os.path.lexists(os.path.join(above, ".git")):
            if above == os.path.dirname(above):
                return cls._with_settings(root)
            above = os.path.dirname(above)
        if not os.path.isdir(os.path.join(above, ".git")):
            raise BadArgument(
                f"{above} is a further working tree, or a submodule, of a git repository. Claude Code has one memory "
                "for the whole repository: give the folder of its main working tree with --project."
            )
        return cls._with_settings(above)

    @classmethod
    def _with_settings(cls, root: str) -> "Project":
        return cls(root, os.path.join(root, ".claude", "settings.local.json"))

    def shared(self, home: UserHome) -> "Project":
        """Return the project with the user's settings for all projects."""
        return self._replace(settings=os.path.join(home.or_else("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"))

    @property
    def name(self) -> str:
        """The name of the project's folder. The folder for its memory in the vault gets the same name."""
        return os.path.basename(self.root) or "root"

    def memory(self, home: UserHome) -> str:
        """Return the path of the folder in which Claude Code keeps the memory, unless the setting says another."""
        projects = os.path.join(home.or_else("CLAUDE_CONFIG_DIR", ".claude"), "projects")
        name = re.sub("[^a-zA-Z0-9]", "-", self.root)
        if len(name) > _LONGEST:
            beginning = name[:_LONGEST] + "-"
            names = os.listdir(projects) if os.path.isdir(projects) else []
            matches = [one for one in names if one.startswith(beginning)]
            if len(matches) != 1:
                raise BadArgument(
                    f"The folder of Claude Code for {self.root} is not certain: {len(matches)} folders in {projects} "
                    f"begin with {beginning!r}. Start Claude Code in the project once, or remove the others."
                )
            name = matches[0]
        return os.path.join(projects, name, "memory")

    def others(self, home: UserHome) -> list[str]:
        """Return the folders of other projects' memories that have an index."""
        own = self.memory(home)
        projects = os.path.dirname(os.path.dirname(own))
        names = sorted(os.listdir(projects)) if os.path.isdir(projects) else []
        folders = [os.path.join(projects, name, "memory") for name in names]
        return [one for one in folders if one != own and os.path.exists(os.path.join(one, INDEX))]

    def directory(self) -> str | None:
        """Return the folder that the setting names; None if it is not set."""
        value = _parsed(self.settings, ClientFile(self.settings).read() or "")
        return value if isinstance(value, str) else None

    def check(self) -> None:
        """Check that the settings can be written."""
        ClientFile(self.settings).check()

    def set_directory(self, directory: str | None) -> None:
        """Set the folder of the memory; with None, remove the setting. All else in the file stays as it is.

        A file in which nothing is left is removed, and its folder, if that is empty then.
        """

        def changed(text: str | None) -> str | None:
            _parsed(self.settings, text or "")
            if directory is not None:
                return jsonc.put(text or "", _KEY, directory)
            rest = jsonc.drop(text, _KEY) if text is not None else ""
            return None if rest.strip() in {"", "{}"} else rest

        ClientFile(self.settings).change(changed, backup=lambda _: False)
        if directory is None:
            with contextlib.suppress(OSError):  # it is not empty
                os.rmdir(os.path.dirname(self.settings))


def files_in(folder: str) -> dict[str, bytes]:
    """Return the files below a folder by their relative paths. Hidden files and symbolic links are left out."""
    files: dict[str, bytes] = {}
    for path in _paths(folder):
        full = os.path.join(folder, *path.split("/"))
        if os.path.getsize(full) > _MOST_SIZE or len(files) == _MOST_FILES:
            raise BadArgument(
                f"{folder} has more than {_MOST_FILES:,} files, or one of more than {_MOST_SIZE // 1_000_000} MB; "
                "move some elsewhere."
            )
        with open(full, "rb") as file:
            files[path] = file.read()
    return files


def excess(index: bytes) -> str:
    """Return a sentence if an index is longer than Claude Code reads; "" if it is not."""
    lines = index.count(b"\n")
    if lines <= MOST_LINES and len(index) <= MOST_BYTES:
        return ""
    return (
        f"{INDEX} has {lines:,} lines and {len(index):,} bytes. Claude Code reads only the first {MOST_LINES} lines "
        f"and {MOST_BYTES:,} bytes: shorten it."
    )


def _paths(folder: str) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            full = os.path.join(root, name)
            if not name.startswith(".") and os.path.isfile(full) and not os.path.islink(full):
                yield os.path.relpath(full, folder).replace(os.sep, "/")


def _parsed(path: str, text: str) -> object:
    try:
        return jsonc.get(text, _KEY)
    except NotParsed as error:
        raise BadClientFile(
            f"{path} cannot be edited: line {error.line}: {error.reason}. Nothing was changed: mend it first."
        ) from error


def codex_memory(home: UserHome) -> str:
    """Return the path of Codex's folder."""
    return os.path.join(home.or_else("CODEX_HOME", ".codex"), "memories")


def codex_notes(home: UserHome) -> dict[str, bytes]:
    """Return the notes that Codex reads, by their relative paths."""
    return {
        path: data
        for path, data in files_in(codex_memory(home)).items()
        if path.startswith(_CODEX_READS) and path[-3:] == ".md"
    }
