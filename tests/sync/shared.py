"""Make vaults of several machines that share a git remote."""

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Self
from unittest import mock

from tests.sync.edits import Clone, Edit
from tests.sync.machines import git
from tests.tools.vaults import write
from zkmem.memory import Memory
from zkmem.sync.report import Report

_PREPARED = tempfile.TemporaryDirectory(prefix="zkmem-shared-")  # until the tests end


class Shared:
    """A remote, and a clone of it for each machine."""

    day: int | None = None  # of a month in the future, on which edits and merges are made; None: they are made now

    def __init__(self, folder: Path, notes: dict[str, str], machines: tuple[str, ...] = ("laptop", "desktop")) -> None:
        self.folder = folder
        self.remote = folder / "remote.git"
        template = self._template(tuple(notes.items()), machines)
        samples = shutil.ignore_patterns("*.sample")  # of git's hooks
        shutil.copytree(template, folder, symlinks=True, ignore=samples, dirs_exist_ok=True)

    @classmethod
    @functools.cache
    def _template(cls, notes: tuple[tuple[str, str], ...], machines: tuple[str, ...]) -> Path:
        """Return a folder with a remote and clones, to be copied: that takes a tenth of the time that git needs."""
        folder = Path(tempfile.mkdtemp(dir=_PREPARED.name))
        git(folder, "init", "-q", "--bare", "-b", "main", "remote.git")
        git(folder, "init", "-q", "-b", "main", machines[0])
        git(folder / machines[0], "remote", "add", "origin", "../remote.git")
        write(folder / machines[0], {**dict(notes), ".gitignore": ".trash/\n.zkmem/\n"})
        cls.at(folder).sync(machines[0])
        for name in machines[1:]:
            git(folder, "clone", "-q", "remote.git", name)
            git(folder / name, "remote", "set-url", "origin", "../remote.git")  # so that the folder can be copied
        return folder

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return the remote and the clones that are in a folder."""
        shared = cls.__new__(cls)
        shared.folder, shared.remote = folder, folder / "remote.git"
        return shared

    def root(self, machine: str) -> Path:
        """Return the vault on a machine."""
        return self.folder / machine

    def memory(self, machine: str, **options: object) -> Memory:
        """Return the memory of a machine."""
        return Memory(str(self.root(machine)), git=True, machine=machine, **options)  # type: ignore[arg-type]

    def edit(self, machine: str, *edits: Edit) -> None:
        """Make edits on a machine."""
        with self._dated(), contextlib.closing(Clone(str(self.root(machine)), machine)) as at:
            for edit in edits:
                edit(at)

    def sync(self, *machines: str, **options: bool) -> Report:
        """Synchronise machines, one after the other; return the report of the last."""
        for machine in machines:
            with self._dated(), self.memory(machine) as memory:
                report = memory.sync(**options)  # type: ignore[arg-type]
        return report

    def send(self, machine: str, *edits: Edit) -> Report:
        """Make edits on a machine, and synchronise it."""
        self.edit(machine, *edits)
        return self.sync(machine)

    def _dated(self) -> contextlib.AbstractContextManager[object]:
        dates = {f"GIT_{role}_DATE": f"2040-01-{self.day:02}T00:00Z" for role in ("AUTHOR", "COMMITTER") if self.day}
        return mock.patch.dict(os.environ, dates)

    def meet(self, *first: str) -> dict[str, str]:
        """Synchronise these machines, then the desktop and the laptop until they agree; return the notes of both."""
        self.sync(*first, "desktop", "laptop")
        if self.head("laptop") != self.head("desktop"):
            self.sync("desktop")
        assert self.head("laptop") == self.head("desktop")
        notes = self.notes("laptop")
        assert notes == self.notes("desktop")
        assert self.status("laptop") == self.status("desktop") == ""
        return notes

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
