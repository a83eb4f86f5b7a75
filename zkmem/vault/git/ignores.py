"""Keep files private that git ignored, even if a `.gitignore` from another machine ignores them no longer."""

import contextlib
import json
from collections.abc import Callable, Iterable

from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.git.command import TRANSFER_S, Git
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import State


class Private:
    """The files here that git ignored until another machine changed a `.gitignore`. They are not committed.

    The list is in `.zkmem/private.json`. Paths are relative to the top of the repository; the name of a folder ends
    in "/" and stands for all its files. A file that somebody adds to git, or removes from the list, is committed as
    any other.
    """

    def __init__(self, git: Git, state: State) -> None:
        self._git = git
        self._place = state.path("private.json")

    def test(self) -> Callable[[str], bool]:
        """Return a function that returns whether a file is private."""
        listed = set(self._listed())
        folders = tuple(path for path in listed if path.endswith("/"))
        return lambda path: path in listed or path.startswith(folders)

    def add_ignored(self) -> None:
        """Add all files that git ignores now. If the process is killed later, they stay private."""
        self.add(self._ignored())

    def add(self, paths: Iterable[str]) -> None:
        """Add some files."""
        self._save([*self._listed(), *paths])

    def prune(self) -> list[str]:
        """Remove from the list the files that git ignores now; return the files that stay in it."""
        listed = self._listed()
        ignored = set(self._ignored()) if listed else set()
        left = [path for path in listed if path not in ignored]
        self._save(left)
        return left

    def _ignored(self) -> list[str]:
        options = ("--others", "--ignored", "--exclude-standard", "--directory", "--full-name", "-z")
        return self._git.run("ls-files", *options, top=True, patience_s=TRANSFER_S).split("\0")[:-1]

    def _listed(self) -> list[str]:
        with contextlib.suppress(FileNotFoundError, *MALFORMED):
            found = json.loads(read(self._place)[0])
            if isinstance(found, list) and all(isinstance(path, str) for path in found):
                return found
        return []

    def _save(self, paths: Iterable[str]) -> None:
        paths = list(dict.fromkeys(paths))
        if paths != self._listed():
            replace_file(self._place, json.dumps(paths).encode() + b"\n", opener=platform.current.opened)
