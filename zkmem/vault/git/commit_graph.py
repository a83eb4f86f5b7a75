"""Find commits of a repository and how they descend from each other, and make new ones."""

import functools
import re
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.vault.git.command import TRANSFER_S, Git
from zkmem.vault.git.objects import Objects

_CRUD = " .,:;<>\"\\'"
MOST_LOG = 100_000_000  # bytes of the messages of all commits of a merge
PULL = "; merge with `git pull`, then try again"


class Signature(NamedTuple):
    """Who made a commit, and when."""

    name: str
    email: str
    time: int  # seconds since 1970
    zone: str  # the offset from UTC, as +0130

    def variables(self, role: str) -> dict[str, str]:
        """Return the environment that gives a commit this author or committer."""
        date = f"@{self.time} {self.zone}"
        return {f"GIT_{role}_NAME": self.name, f"GIT_{role}_EMAIL": self.email, f"GIT_{role}_DATE": date}


class CommitInfo(NamedTuple):
    """A commit: its hash, the hashes of its parents, the name of its author, its committer and its message."""

    rev: str
    parents: tuple[str, ...]
    author: str
    committer: Signature
    message: str
    written: int = 0  # when its author wrote it, in seconds since 1970; a rebase leaves this time as it was


class CommitGraph:
    """The commits of a repository. What git says of them is kept: commits never change."""

    def __init__(self, git: Git, objects: Objects) -> None:
        self._git = git
        self._objects = objects
        self._commits: dict[str, CommitInfo] = {}
        self.since = functools.cache(self._since)
        self._bases_of = functools.cache(self._found_bases)

    def rev(self, name: str) -> str:
        """Return the hash of a commit; "" if there is none of this name."""
        return self._objects.hash(name + "^{commit}")

    def bases(self, one: str, other: str) -> tuple[str, ...]:
        """Return the best common ancestors of two commits. After merges in both directions there may be several."""
        return (one,) if one == other else self._bases_of(*sorted((one, other)))

    def _found_bases(self, one: str, other: str) -> tuple[str, ...]:
        for commit, parent in ((one, other), (other, one)):  # usually one is the next commit after the other
            if parent in self._objects.parents(commit):
                return (parent,)
        return tuple(self._git.run("merge-base", "--all", one, other, failing=True).split())

    def fork(self, revs: Sequence[str]) -> str:
        """Return the last commit that is in the histories of all these commits; "" if there is none."""
        return self._git.run("merge-base", "--octopus", *revs, failing=True).strip()

    def is_ancestor(self, one: str, other: str) -> bool:
        """Return whether the commit `one` is in the history of the commit `other`."""
        return one in self.bases(one, other)

    def _since(self, bases: tuple[str, ...], head: str) -> list[CommitInfo]:
        """Return the commits in the history of `head` that are not in that of the bases, oldest first."""
        return self._log("--topo-order", "--reverse", head, *(f"^{base}" for base in bases))

    def last(self, revs: Sequence[str], count: int) -> list[CommitInfo]:
        """Return the last commits in the history of some commits, the last one first."""
        return self._log("--topo-order", f"--max-count={count}", *revs)

    def last_with(self, commit: str, path: str) -> str:
        """Return the last commit up to `commit` that changed a file; `path` is from the top of the repository.

        Return "" if git can look for no such path.
        """
        options = ("--no-show-signature", "--no-renames", "--max-count=1", "--format=%H")
        command = ("--literal-pathspecs", "log", *options, commit, "--", path)
        return self._git.run(*command, top=True, failing=True, patience_s=TRANSFER_S).strip()

    def commit(self, rev: str) -> CommitInfo:
        """Return a commit."""
        if rev not in self._commits:
            self._log("--no-walk", rev)
        return self._commits[rev]

    def _log(self, *arguments: str) -> list[CommitInfo]:
        mark = secrets.token_hex(8)  # a message may contain any text
        form = f"--format={mark}%H%x00%P%x00%an%x00%ad%x00%cn%x00%ce%x00%cd%x00%B%x00"
        options = ("--encoding=UTF-8", "--no-show-signature", "--date=raw", form)
        output = self._git.read("log", *options, *arguments, "--", most_bytes=MOST_LOG, remedy=PULL)
        commits = []
        for record in output.split(mark)[1:]:
            rev, parents, author, written, name, email, date, message, _ = record.split("\0")
            name = name if name.strip(_CRUD) else "unknown"  # git refuses a name of only these characters
            committer = Signature(name, email, *_time(date))
            info = CommitInfo(rev, tuple(parents.split()), author, committer, message, _time(written)[0])
            commits.append(info)
        self._commits |= {commit.rev: commit for commit in commits}
        return commits

    def commit_tree(self, tree: str, parents: Sequence[str], message: str, author: Signature) -> str:
        """Make a commit, unsigned, with one author and committer; return its hash."""
        by = author.variables("AUTHOR") | author.variables("COMMITTER")
        arguments = [part for parent in parents for part in ("-p", parent)]
        settings = ("-c", "i18n.commitEncoding=UTF-8", "commit-tree", "--no-gpg-sign")
        data = message.encode(errors="surrogateescape")
        return self._git.run(*settings, *arguments, tree, data=data, environment=by).strip()

    def apart(self, one: str, other: str) -> tuple[int, int]:
        """Return how many commits only `one` has in its history, and how many only `other`. "" stands for no commit."""
        if one == other:
            return 0, 0
        if not (one and other):
            count = int(self._git.run("rev-list", "--count", one or other))
            return (count, 0) if one else (0, count)
        here, there = self._git.run("rev-list", "--count", "--left-right", f"{one}...{other}").split()
        return int(here), int(there)


def _time(date: str) -> tuple[int, str]:
    """Return the seconds since 1970 and the zone of a date as git prints it; 0 and "+0000" for an impossible date."""
    match = re.fullmatch(r"(\d{1,11}) ([+-]\d{4})", date)
    return (int(match[1]), match[2]) if match else (0, "+0000")
