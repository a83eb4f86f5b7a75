"""Make vaults of several machines that share a git remote."""

import subprocess
from pathlib import Path

from tests.sync.machines import git
from tests.tools.vaults import write
from zkmem.memory import Memory
from zkmem.sync.report import Report


class Shared:
    """A remote, and a clone of it for each machine."""

    def __init__(self, folder: Path, notes: dict[str, str], machines: tuple[str, ...] = ("laptop", "desktop")) -> None:
        self.folder = folder
        self.remote = folder / "remote.git"
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        first = folder / machines[0]
        first.mkdir()
        git(first, "init", "-q", "-b", "main")
        git(first, "remote", "add", "origin", "../remote.git")
        write(first, {**notes, ".gitignore": ".trash/\n.zkmem/\n"})
        self.sync(machines[0])
        for name in machines[1:]:
            git(folder, "clone", "-q", str(self.remote), str(folder / name))
            git(folder / name, "remote", "set-url", "origin", "../remote.git")  # so that the folder can be copied

    def root(self, machine: str) -> Path:
        """Return the vault on a machine."""
        return self.folder / machine

    def memory(self, machine: str, **options: object) -> Memory:
        """Return the memory of a machine."""
        return Memory(str(self.root(machine)), git=True, machine=machine, **options)  # type: ignore[arg-type]

    def sync(self, machine: str, **options: bool) -> Report:
        """Synchronise a machine once."""
        with self.memory(machine) as memory:
            return memory.sync(**options)  # type: ignore[arg-type]

    def notes(self, machine: str) -> dict[str, str]:
        """Return the text of each file of a machine that is not hidden, by path."""
        paths = (path for path in self.root(machine).rglob("*") if path.is_file())
        here = {str(path.relative_to(self.root(machine))): path for path in paths}
        return {name: path.read_text() for name, path in sorted(here.items()) if not name.startswith(".")}

    def head(self, machine: str) -> str:
        """Return the commit that is checked out on a machine."""
        return git(self.root(machine), "rev-parse", "HEAD").strip()

    def status(self, machine: str) -> str:
        """Return the output of `git status` on a machine; "" if no file differs from the last commit."""
        return git(self.root(machine), "status", "--porcelain")


def hook(remote: Path, name: str, script: str) -> None:
    """Make a script a hook of a remote."""
    path = remote / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)


def run(*command: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end."""
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
