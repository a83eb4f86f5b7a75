"""Machines that share a vault through a git remote, each in its own way: a server, commands, or plain git."""

import contextlib
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from tests.sync.edits import Clone
from tests.tools.inner import commit_edits, engine
from zkmem.memory import Memory
from zkmem.names import is_note
from zkmem.toolsets.table import TOOLSETS

_TOOLS = {tool.name: tool for toolset in TOOLSETS.values() for tool in toolset.tools}


def git(root: str | Path, *arguments: str) -> str:
    """Run git and return its output."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


class Ways(NamedTuple):
    """The ways in which the people of a machine work."""

    tools: bool = True  # models edit with tools
    git: bool = True  # each edit by a tool is a commit
    serves: bool = False  # a server watches the vault, and records the changes by hand
    pulls: str = ""  # "merge" or "rebase": they pull and push with plain git; "": with `zkmem sync`


WAYS = {
    "commands": Ways(),
    "server": Ways(serves=True),
    "without git": Ways(git=False),
    "server without git": Ways(git=False, serves=True),
    "plain git, merges": Ways(tools=False, pulls="merge"),
    "plain git, rebases": Ways(tools=False, pulls="rebase"),
    "tools and plain git, merges": Ways(pulls="merge"),
    "tools and plain git, rebases": Ways(pulls="rebase"),
}


class Machine(Clone):
    """One clone of the shared vault, and the ways in which it is used."""

    def __init__(self, root: Path, ways: Ways) -> None:
        super().__init__(str(root), root.name)
        self.root, self.name, self.ways = root, root.name, ways
        for key, value in (("name", self.name), ("email", f"{self.name}@example.org")):
            git(root, "config", f"user.{key}", value)
        self._memory = self._opened(ways.git)
        if ways.serves:
            self.memory.start()
            self.memory.wait_ready()
            assert engine(self.memory).recorder.ready.wait(60)

    def _opened(self, with_git: bool) -> Memory:
        return Memory(str(self.root), git=with_git, machine=self.name, durable=False)

    def tool(self, name: str, /, **arguments: object) -> Any:
        """Call a tool; return the data of its answer."""
        return _TOOLS[name].call(self.memory, arguments).data

    def settle(self) -> None:
        """Wait until a server has recorded the changes by hand, and until the edits by tools are committed."""
        if self.ways.serves:
            self.memory.wait_ready()
            engine(self.memory).recorder.flush()
        if self.ways.git:
            commit_edits(self.memory)

    def notes(self) -> dict[str, str]:
        """Return the text of each note, by path."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            folders[:] = [one for one in folders if not one.startswith(".")]
            for file in filter(is_note, files):
                full = Path(folder, file)
                found[str(full.relative_to(self.root))] = full.read_text()
        return found

    def commit(self) -> None:
        """Commit all that is on disk, as a plain user of git."""
        self.settle()
        git(self.root, "add", "-A")
        if git(self.root, "status", "--porcelain"):
            git(self.root, "commit", "-qm", "plain")

    def sync(self) -> None:
        """Exchange the edits with the remote in the machine's own way."""
        self.settle()
        if not (self.ways.pulls and self._pull_and_push()):
            self._zkmem_sync()

    def _zkmem_sync(self) -> None:
        if self.ways.git:
            self.memory.sync()
        else:
            with self._opened(True) as memory:
                memory.sync()

    def _pull_and_push(self) -> bool:
        """Pull and push with plain git; return whether that succeeded. Nobody resolves conflicts: they need zkmem."""
        self.commit()
        pull = ("merge", "-q", "--no-edit") if self.ways.pulls == "merge" else ("rebase", "-q")
        for _ in range(3):
            git(self.root, "fetch", "-q", "origin")
            try:
                git(self.root, *pull, "origin/main")
            except subprocess.CalledProcessError:
                git(self.root, pull[0], "--abort")
                return False
            with contextlib.suppress(subprocess.CalledProcessError):
                git(self.root, "push", "-q", "origin", "HEAD:main")
                return True
        return False

    def head(self) -> str:
        """Return the commit that is checked out."""
        return git(self.root, "rev-parse", "HEAD").strip()
