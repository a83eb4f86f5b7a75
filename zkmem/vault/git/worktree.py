"""Commit the edits by hand in a vault, and check out a commit whose files are on disk already."""

import os
from collections.abc import Mapping

from zkmem.names import is_note
from zkmem.vault.git.command import TRANSFER_S, Git, GitTrouble
from zkmem.vault.git.trees import Diff, Trees, index_lines
from zkmem.vault.journal.state import FOLDER
from zkmem.vault.paths import TRASH

_VERSIONED = (f"{FOLDER}/.gitignore", f"{FOLDER}/config.toml")  # the files in `.zkmem/` that machines share
_NOT_PLAIN = {"120000", "160000"}  # the modes of symbolic links and of other repositories
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")

_NOBODY = {"GIT_AUTHOR_NAME": "zkmem", "GIT_AUTHOR_EMAIL": "zkmem@localhost"}
_NOBODY |= {"GIT_COMMITTER_NAME": "zkmem", "GIT_COMMITTER_EMAIL": "zkmem@localhost"}


def is_of_one_machine(path: str) -> bool:
    """Return whether a file belongs to one machine only: zkmem's state, or the trash."""
    return path.startswith((f"{FOLDER}/", f"{TRASH}/")) and path not in _VERSIONED


class Worktree:
    """The files of a vault, as git sees them."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def branch(self) -> str:
        """Return the name of the branch that is checked out.

        Raises:
            GitTrouble: when there is none, when a merge or another operation of git is under way, or when the clone has
                only a part of the history.
        """
        place = self._git.where()
        for name in _BUSY:
            if os.path.exists(os.path.join(place.folder, name)):
                raise GitTrouble(f"a merge, rebase or bisect is under way ({name}); finish or abort it first")
        if os.path.exists(os.path.join(place.folder, "index.lock")):
            raise GitTrouble(
                f"another git process is at work; if there is none, remove {os.path.join(place.folder, 'index.lock')}"
            )
        if os.path.exists(os.path.join(place.common, "shallow")):
            raise GitTrouble("this clone has only a part of the history; complete it with `git fetch --unshallow`")
        ref = self._git.run("symbolic-ref", "--quiet", "--short", "HEAD", failing=True).strip()
        if not ref:
            raise GitTrouble("no branch is checked out (a detached HEAD); check one out with `git switch BRANCH`")
        return ref

    def head(self) -> str:
        """Return the commit that is checked out; "" if there is none yet."""
        return self._git.run("rev-parse", "--quiet", "--verify", "HEAD^{commit}", failing=True).strip()

    def edited(self) -> list[str]:
        """Return the files of the vault that differ from the last commit: their paths from the top of the repository.

        Files that git ignores are left out, and so are symbolic links, submodules and files of one machine only.

        Raises:
            GitTrouble: when there are conflicts in the index.
        """
        prefix = self._git.where().prefix
        options = ("--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
        output = self._git.run("status", *options, "--", ".", patience_s=TRANSFER_S)
        paths = []
        for entry in output.split("\0")[:-1]:
            kind, _, rest = entry.partition(" ")
            if kind == "u":
                raise GitTrouble("the index has a conflict; resolve it, then run `git add`")
            modes, path = (rest.split(" ", 7)[2:5], rest.split(" ", 7)[7]) if kind == "1" else ([], rest)
            full = os.path.join(self._git.where().top, path)
            plain = not path.endswith("/") and not os.path.islink(full) and not set(modes) & _NOT_PLAIN
            if plain and path.startswith(prefix) and not is_of_one_machine(path.removeprefix(prefix)):
                paths.append(path)
        return paths

    def tree(self, paths: list[str], head: str) -> str:
        """Write a tree that is the commit `head` with the present bytes of some files; return its hash.

        Raises:
            GitTrouble: when git cannot write it.
        """
        data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
        add = ("update-index", "--add", "--remove", "-z", "--stdin")
        index = {"GIT_INDEX_FILE": self._git.index + ".sync"}
        try:
            self._git.run("read-tree", "--no-recurse-submodules", head or "--empty", environment=index)
            self._git.run(*add, data=data, top=True, environment=index, patience_s=TRANSFER_S)
            return self._git.run("write-tree", environment=index).strip()
        finally:
            for path in (index["GIT_INDEX_FILE"], index["GIT_INDEX_FILE"] + ".lock"):
                if os.path.exists(path):
                    os.unlink(path)

    def stage(self, paths: list[str]) -> None:
        """Put the present bytes of some files into the user's index."""
        data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
        self._git.run("update-index", "--add", "--remove", "-z", "--stdin", data=data, top=True, patience_s=TRANSFER_S)

    def commit(self, tree: str, head: str, message: str) -> str:
        """Commit a tree as the user in git's configuration, else as zkmem; make it the head, return its hash."""
        sign = ["-S"] if self._git.signs else []
        parent = ["-p", head] if head else []
        environment = {} if self._git.where().knows_user else _NOBODY
        new = self._git.run("commit-tree", *sign, *parent, tree, data=message.encode(), environment=environment).strip()
        self._git.run("update-ref", "-m", f"zkmem: {message.splitlines()[0]}", "HEAD", new, head)
        return new

    def deleted_notes(self, before: str, after: str) -> int:
        """Return how many notes of `before` are deleted in `after`, without the renames that git detects."""
        prefix = self._git.where().prefix
        options = ("-r", "-z", "-M50%", "-l3000", "--diff-filter=D", "--name-only")
        gone = self._git.run("diff-tree", *options, before, after, "--", f"{prefix}.", top=True).split("\0")
        return sum(map(is_note, gone))

    def note_count(self, commit: str) -> int:
        """Return how many notes of the vault a commit has."""
        prefix = self._git.where().prefix
        only = ["--", prefix] if prefix else []
        paths = self._git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, *only)
        return sum(map(is_note, paths.split("\0")))

    def take_over(self, commit: str) -> str:
        """Check out a commit whose files are on disk already, without writing them.

        Return the reason if this cannot be done; "" if it is done now, or was done before.
        """
        head = self.head()
        if head and self._is_ancestor(commit, head):
            return ""
        if head and not self._is_ancestor(head, commit):
            return "something was committed meanwhile; the next synchronisation merges it"
        trees = Trees(self._git, 0)
        changed = {path: diff.after for path, diff in trees.raw_diffs(head or trees.empty(), commit).items()}
        data = index_lines(changed, "0" * self._git.where().digits)
        self._git.run("update-index", "-z", "--index-info", data=data)
        self._git.run("update-ref", "-m", "zkmem: sync", "HEAD", commit, head)
        return ""

    def _is_ancestor(self, one: str, other: str) -> bool:
        return self._git.call(["merge-base", "--is-ancestor", one, other]).returncode == 0

    def update(self, diffs: Mapping[str, Diff]) -> list[str]:
        """Change hidden files and files outside of the vault to those of the index; return the paths that were left.

        A file that a person has edited is left as it is. Paths count from the top of the repository.
        """
        left, wanted = [], []
        trees = Trees(self._git, 0)
        for path, diff in sorted(diffs.items()):
            if any(blob and not blob.is_plain for blob in diff):
                continue
            full = os.path.join(self._git.where().top, path)
            there = trees.hash_on_disk(full, path) if os.path.isfile(full) else None
            if there not in {diff.before and diff.before.hash, diff.after and diff.after.hash}:
                left.append(path)
            elif diff.after:
                wanted.append(path)
            elif there:
                os.unlink(full)
        data = "".join(path + "\0" for path in wanted).encode(errors="surrogateescape")
        if wanted:
            self._git.run("checkout-index", "-f", "-z", "--stdin", data=data, top=True, patience_s=TRANSFER_S)
        return left
