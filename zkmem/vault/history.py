"""The git repository of a vault: each edit by a tool is one commit of exactly the files it touched.

The `git` command is used, so that the user's filters, signing and hooks (pre-commit, post-commit) count. Commits are
made from the log of edits, with an index of our own: what the user has staged or changed is not looked at.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from zkmem.vault.files import create, read
from zkmem.vault.paths import TRASH
from zkmem.vault.state import State

_PATIENCE_S = 10.0
_GONE, _PLAIN = "0" * 40, "100644"
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
_EMAIL = "zkmem@localhost"


class GitTrouble(Exception):
    """git could not do it; the sentence is git's own where it gave one."""


class Commit(NamedTuple):
    """A commit that touched a file, and the path that the file had in it."""

    rev: str
    time: float
    author: str
    subject: str
    path: str


class Git:
    """The git repository that a vault is in, or is."""

    def __init__(self, root: str, state: State) -> None:
        self._root = root
        self._index = state.path("git-index")
        self._place: tuple[str, str] | None = None  # the folder .git, and the vault's path in the work tree
        self._committer: dict[str, str] | None = None

    def init(self) -> bool:
        """Make a repository of the vault, unless it is in one already; returns whether it did.

        Raises:
            GitTrouble.
        """
        with contextlib.suppress(GitTrouble):
            self._where()
            return False
        self._run("init", "--quiet")
        with contextlib.suppress(FileExistsError):
            create(os.path.join(self._root, ".gitignore"), f"{TRASH}/\n".encode(), durable=False)
        return True

    def commit(self, files: Mapping[str, bytes | None], message: str, author: str) -> str | None:
        """Commit some files as these bytes, or as gone (None); the commit's hash, or None if it would change nothing.

        Raises:
            GitTrouble: when it cannot be made now; nothing was committed.
        """
        folder, prefix = self._where()
        for name in _BUSY:
            if os.path.exists(os.path.join(folder, name)):
                raise GitTrouble(f"a merge, rebase or bisect is under way ({name})")
        if os.path.exists(os.path.join(folder, "index.lock")):
            raise GitTrouble("another git process is at work, or left its index.lock behind")
        with contextlib.suppress(FileNotFoundError):  # of a process that died: we alone use this index
            os.unlink(self._index + ".lock")
        head = self._run("rev-parse", "--quiet", "--verify", "HEAD^{commit}", failing=True).strip()
        self._run("read-tree", head or "--empty", own_index=True)
        entries = self._entries({prefix + path: data for path, data in files.items()}, head)
        if not entries:
            return None
        self._run("update-index", "-z", "--index-info", own_index=True, data=entries)
        tree = self._run("write-tree", own_index=True).strip()
        if head and tree == self._run("rev-parse", "HEAD^{tree}").strip():
            return None
        self._run("hook", "run", "--ignore-missing", "pre-commit", own_index=True)
        new = self._commit_tree(tree, head, message, author)
        self._run("update-ref", "-m", f"zkmem: {message.splitlines()[0]}", "HEAD", new, head or _GONE)
        self._run("update-index", "-z", "--index-info", data=entries)
        self._run("hook", "run", "--ignore-missing", "post-commit", failing=True)
        return new

    def _commit_tree(self, tree: str, head: str, message: str, author: str) -> str:
        sign = ["-S"] if self._run("config", "--type=bool", "commit.gpgsign", failing=True).strip() == "true" else []
        parent = ["-p", head] if head else []
        names = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": _EMAIL} | self._committed_by()
        return self._run("commit-tree", *sign, *parent, tree, data=message.encode(), environment=names).strip()

    def _committed_by(self) -> dict[str, str]:
        """The committer is the user, as git knows them, else we are."""
        if self._committer is None:
            known = self._run("config", "user.email", failing=True).strip() or os.environ.get("GIT_COMMITTER_EMAIL")
            self._committer = {} if known else {"GIT_COMMITTER_NAME": "zkmem", "GIT_COMMITTER_EMAIL": _EMAIL}
        return self._committer

    def _entries(self, files: Mapping[str, bytes | None], head: str) -> bytes:
        """The lines for `update-index --index-info`; what git ignores or does not know anyway is left out."""
        known = self._known(files, head)
        ignored = self._ignored(path for path, data in files.items() if data is not None and path not in known)
        wanted = {path: data for path, data in files.items() if data is not None and path not in ignored}
        lines = [f"{known.get(path, _PLAIN)} {blob}\t{path}\0" for path, blob in self._blobs(wanted).items()]
        lines += [f"0 {_GONE}\t{path}\0" for path, data in files.items() if data is None and path in known]
        return "".join(lines).encode()

    def _known(self, files: Iterable[str], head: str) -> dict[str, str]:
        """Those of some files that HEAD has, with their modes."""
        listed = self._run("ls-tree", "-z", "--full-tree", head, "--", *files) if head else ""
        lines = (line.partition("\t") for line in listed.split("\0") if line)
        return {path: about.split()[0] for about, _, path in lines}

    def _blobs(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Some bytes as git stores them, after the filters for their paths: many at once where they are on disk so."""
        on_disk = [path for path, data in files.items() if "\n" not in path and self._read(path) == data]
        told = self._run("hash-object", "-w", "--stdin-paths", data="\n".join(on_disk).encode(), top=True)
        blobs = dict(zip(on_disk, told.split(), strict=True))
        for path in files.keys() - blobs.keys():
            blobs[path] = self._run("hash-object", "-w", "--path", path, "--stdin", data=files[path], top=True).strip()
        return blobs

    def _read(self, path: str) -> bytes | None:
        try:
            return read(os.path.join(self._top(), path))[0]
        except OSError:
            return None

    def _ignored(self, paths: Iterable[str]) -> set[str]:
        data = "".join(path + "\0" for path in paths).encode()
        if not data:
            return set()
        told = self._run("check-ignore", "-z", "--stdin", "--no-index", data=data, failing=True, top=True)
        return set(told.split("\0"))

    def log(self, path: str | None, count: int) -> list[Commit]:
        """The last commits, or those of one file under whatever name it had; last first.

        Raises:
            GitTrouble.
        """
        form = "--format=%x1e%H%x1f%at%x1f%an%x1f%s"
        only = ["--follow", "--", path] if path else ["--", "."]
        told = self._run("log", "-z", f"-{count}", form, "--name-only", "--relative", *only, failing=True)
        found = []
        for record in told.split("\x1e")[1:]:
            about, *names = [part for part in record.replace("\n", "\0").split("\0") if part]
            rev, when, author, subject = about.split("\x1f")
            found.append(Commit(rev, float(when), author, subject, names[0] if names else path or ""))
        return found

    def text(self, rev: str, path: str) -> bytes | None:
        """The bytes that a file had in a revision, under whatever name; None where there is no such revision or file.

        Raises:
            GitTrouble.
        """
        full = self._run(
            "rev-parse", "--quiet", "--verify", "--end-of-options", rev + "^{commit}", failing=True
        ).strip()
        if not full:
            return None
        names = [path, *(one.path for one in self.log(path, 10_000) if one.rev == full)]
        for name in dict.fromkeys(names):
            done = self._call(["cat-file", "--filters", f"{full}:./{name}"])
            if done.returncode == 0:
                return done.stdout
        return None

    def _where(self) -> tuple[str, str]:
        if self._place is None:
            told = self._run("rev-parse", "--absolute-git-dir", "--show-prefix").split("\n")
            self._place = told[0], told[1]
        return self._place

    def _run(
        self,
        *arguments: str,
        data: bytes = b"",
        own_index: bool = False,
        top: bool = False,
        failing: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """What a git command prints; with `failing`, nothing where it fails.

        It works on the user's index or our `own_index`, and runs in the vault or at the `top` of the work tree.
        """
        more = dict(environment or {}) | ({"GIT_INDEX_FILE": self._index} if own_index else {})
        done = self._call(["-C", self._top(), *arguments] if top else list(arguments), data, more)
        if done.returncode and not failing:
            told = done.stderr.decode(errors="replace").strip()
            raise GitTrouble(told.splitlines()[-1] if told else f"git {arguments[0]} failed")
        return done.stdout.decode(errors="surrogateescape") if not done.returncode else ""

    def _top(self) -> str:
        return os.path.join(self._root, "/".join([".."] * self._where()[1].count("/")))

    def _call(
        self, arguments: list[str], data: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "_COMMITTER" in name
        }
        kept |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", **(environment or {})}
        try:
            return subprocess.run(  # noqa: S603 - no shell, and paths stand after "--" or in the input
                ["git", *arguments],  # noqa: S607 - which git is the user's choice
                cwd=self._root,
                env=kept,
                input=data,
                capture_output=True,
                check=False,
                timeout=_PATIENCE_S,
            )
        except FileNotFoundError:
            raise GitTrouble("the command git is not installed") from None
        except subprocess.TimeoutExpired:
            raise GitTrouble(f"git {arguments[0]} took longer than {_PATIENCE_S:g} s") from None
