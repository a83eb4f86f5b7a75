"""Read the files of a commit from git's objects, without a checkout: no filter runs, and links are not followed.

Objects come from others. Every output of git is therefore read up to a bound, in bytes and in time.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.names import composed
from zkmem.util.locks import Rank, lock
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.commits import seconds_in
from zkmem.vault.git.objects import Objects
from zkmem.vault.git.trees import is_in_vault
from zkmem.vault.journal.log import printable_name
from zkmem.vault.paths import is_hidden

_MOST_TREE = 100_000_000  # bytes of a list of files: about a million of them
_MOST_FOLLOWED = 10_000_000  # bytes of the commits in which a file is followed
_MOST_CHARS = 300  # of an author or another text in a commit
_PATIENCE_S = 30.0
_MOST_TREES = 8  # whose files are kept in memory
_MOST_FILES = 300_000  # of one commit, and of all commits whose files are kept in memory
_MOST_TEXTS = 32_000_000  # bytes of texts that are kept in memory
_FILE = re.compile(r"100[0-7]{3} blob ([0-9a-f]{40,64})")


class Point(NamedTuple):
    """A commit: its hash, its time in seconds since 1970, its author, and the edit that it was made for."""

    rev: str
    time: float
    author: str
    edit: int | None  # the number in the log of this machine


class Snapshots:
    """The commits of the repository that a vault is in, as the files of the vault at earlier times."""

    def __init__(self, git: Git, machine: str, most_bytes: int) -> None:
        """`machine`: the name of this machine in commits; `most_bytes`: larger files are not read."""
        self._git = git
        self._lock = lock(Rank.LEAF)
        self._machine = machine
        self._most_bytes = most_bytes
        self._files: OrderedDict[str, Mapping[str, str]] = OrderedDict()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0  # bytes of these texts

    def head(self) -> str:
        """Return the hash of the last commit; "" if there is none."""
        return self._git.run("rev-parse", "--quiet", "--verify", "HEAD^{commit}", failing=True).strip()

    def point(self, name: str) -> Point | None:
        """Return the commit that a name means; None if it means none. The caller has checked the name's form."""
        return self._point("--no-walk", "--end-of-options", name + "^{commit}")

    def at(self, end: float) -> Point | None:
        """Return the commit that was the last one before a time, on the first-parent line of the present branch."""
        last = int(end) - 1  # git's times are whole seconds
        return self._point("--first-parent", "-1", f"--min-age={last}", "HEAD") if last > 0 else None

    def of_edit(self, number: int, made: float) -> Point | None:
        """Return the commit for an edit in the log of this machine, which was made at a time."""
        form = f"--grep=^Zkmem-Edit: {number}$"
        found = self._point("--first-parent", "-1", f"--max-age={max(0, int(made) - 1)}", form, "HEAD")
        return found if found and found.edit == number else None

    def first_with(self, path: str, after: float) -> float | None:
        """Return the time of the first commit after a time that has another version of a file; None without one."""
        only = (f"--max-age={max(0, int(after))}", "--first-parent", "--reverse")
        options = ("--no-show-signature", "--format=%ct", *only, "HEAD", "--", self._git.where().prefix + path)
        command = ("--literal-pathspecs", "log", *options)
        output = self._git.read(*command, most_bytes=_MOST_FOLLOWED, patience_s=_PATIENCE_S, top=True)
        times = output.split()
        return seconds_in(times[0]) if times else None

    def _point(self, *which: str) -> Point | None:
        trailers = [f"%(trailers:key=Zkmem-{key},valueonly,separator=%x20)" for key in ("Edit", "Machine")]
        texts = [f"%<({_MOST_CHARS},trunc){one}" for one in ("%an", *trailers)]
        form = "--format=" + "%x00".join(["%H", "%ct", *texts])
        options = ("--no-show-signature", "--encoding=UTF-8", form)
        output = self._git.run("log", *options, *which, "--", failing=True, patience_s=_PATIENCE_S)
        parts = output.rstrip("\n").split("\0")
        if len(parts) != len(Point._fields) + 1:
            return None
        rev, time, author, edit, machine = map(str.strip, parts)  # git has padded the texts
        is_own = machine == self._machine and edit.isdecimal() and len(edit) < len("1000000000")
        author = printable_name(author.encode(errors="replace").decode())
        return Point(rev, seconds_in(time), author, int(edit) if is_own else None)

    def files(self, commit: str) -> Mapping[str, str]:
        """Return the hash of each visible file of the vault in a commit, by path.

        Symbolic links, other repositories, and names that are not UTF-8 are left out.
        """
        with self._lock:
            files = self._files.get(commit)
        if files is None:
            files = self._listed(commit)
        with self._lock:
            self._files[commit] = files
            self._files.move_to_end(commit)
            while len(self._files) > _MOST_TREES or self._is_too_much():
                self._files.popitem(last=False)
        return files

    def _is_too_much(self) -> bool:
        return len(self._files) > 1 and sum(map(len, self._files.values())) > _MOST_FILES

    def _listed(self, commit: str) -> dict[str, str]:
        prefix = self._git.where().prefix
        only = ["--", prefix] if prefix else []
        command = ("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, *only)
        output = self._git.read(*command, most_bytes=_MOST_TREE, patience_s=_PATIENCE_S)
        hashes: dict[str, str] = {}
        for line in output.split("\0"):
            about, _, full = line.partition("\t")
            match = _FILE.fullmatch(about)
            if match and is_in_vault(full, prefix):
                path = composed(full.removeprefix(prefix))
                if path and not is_hidden(path):
                    hashes.setdefault(path, match[1])
                    if len(hashes) > _MOST_FILES:
                        raise GitTrouble(f"the commit {commit[:10]} has more than {_MOST_FILES:,} files")
        return hashes

    def earlier_path(self, path: str, commit: str) -> str:
        """Return the path that git finds for a file of the last commit in an earlier commit."""
        prefix = self._git.where().prefix
        options = ("--follow", "-M50%", "-l1000", "--no-show-signature", "--format=", "--name-status", "-z")
        command = ("--literal-pathspecs", "log", *options, f"^{commit}", "HEAD", "--", prefix + path)
        output = self._git.read(*command, most_bytes=_MOST_FOLLOWED, patience_s=_PATIENCE_S, top=True)
        fields = iter(output.split("\0"))
        old = prefix + path
        for status in fields:  # the newest commit first
            if status.lstrip("\n").startswith(("R", "C")):
                old, _ = next(fields, old), next(fields, "")
            elif status.strip():
                next(fields, "")
        return composed(old.removeprefix(prefix))

    def texts(self, hashes: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the bytes of some files; None for one that is too large or cannot be read."""
        return self.objects().files(hashes)

    def objects(self) -> Objects:
        """Return a reader of single objects; use it in a `with` block."""
        return Objects(self._git, self._most_bytes)

    def text(self, hash_: str, objects: Objects) -> bytes | None:
        """Return the bytes of a file; None if it is too large. The last texts are kept in memory."""
        with self._lock:
            if hash_ in self._kept:
                self._kept.move_to_end(hash_)
                return self._kept[hash_]
        data = objects.file(hash_)
        with self._lock:
            if data is not None and hash_ not in self._kept:
                self._kept[hash_] = data
                self._size += len(data)
            while self._size > _MOST_TEXTS:
                self._size -= len(self._kept.popitem(last=False)[1])
        return data
