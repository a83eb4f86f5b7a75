"""Commit the edits by hand in a vault.

Files that git ignored stay private, even if a `.gitignore` from another machine ignores them no longer.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterable
from typing import NamedTuple

from zkmem.names import fold, folders_of, is_note
from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.git.attributes import encodings, garbled
from zkmem.vault.git.command import TRANSFER_S, EncodingRefused, Git, GitTrouble
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import FOLDER, StateFolder
from zkmem.vault.paths import TRASH

_PLAIN_INDEX = 2  # the last version of an index in which git cannot mark files that it leaves out of the work tree
_VERSIONED = (f"{FOLDER}/.gitignore", f"{FOLDER}/config.toml")  # the files in `.zkmem/` that machines share
_NOTHING, _LINK, _REPOSITORY = "000000", "120000", "160000"  # modes: no file, a symbolic link, another repository

_HEADS = "refs/heads/"


DETACHED = (
    "no branch is checked out (a detached HEAD), so commits are in no branch; `git switch -c NAME` puts them in a new "
    "one, and `git switch BRANCH` alone would leave them and their notes behind"
)


def is_of_one_machine(path: str) -> bool:
    """Return whether a file belongs to one machine only: zkmem's state, or the trash."""
    return fold(path).split("/")[0] in {FOLDER, TRASH} and path not in _VERSIONED


class Edits(NamedTuple):
    """The files that differ from the last commit: their paths from the top of the repository."""

    saved: list[str]  # to be committed as they are on disk, deleted files first: a folder may have the path of one
    dropped: list[str]  # that somebody removed from git and left on disk, where git ignores them
    missing: int  # how many files of the last commit are deleted or dropped
    are_all: bool  # whether the user's index differs from the last commit in no other file
    refused: tuple[str, ...] = ()  # changed files that git cannot store, because a rule gives them another encoding

    @property
    def paths(self) -> list[str]:
        """All these files."""
        return [*self.saved, *self.dropped]


class Worktree:
    """The files of a vault, as git sees them."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def branch(self) -> str:
        """Return the name of the branch that is checked out."""
        place = self._git.where()
        if reason := place.in_use():
            raise GitTrouble(reason)
        if os.path.exists(os.path.join(place.common, "shallow")):
            raise GitTrouble("this clone has only a part of the history; complete it with `git fetch --unshallow`")
        self._check_whole()
        ref = self._git.run("symbolic-ref", "--quiet", "HEAD", failing=True).strip()  # a short name may be a tag's
        if not ref.startswith(_HEADS):
            raise GitTrouble(DETACHED)
        return ref.removeprefix(_HEADS)

    def _check_whole(self) -> None:
        """Check that git leaves no file of the last commit out of the work tree: no merge could update its links."""
        if self._index_version() <= _PLAIN_INDEX:
            return
        entries = self._git.run("ls-files", "-t", "-z", top=True).split("\0")
        if path := next((entry[2:] for entry in entries if entry.startswith("S ")), ""):
            raise GitTrouble(
                f"git leaves {path!a} out of the work tree (a sparse checkout), so its links could not be updated; "
                "`git sparse-checkout disable` checks all files out"
            )

    def _index_version(self) -> int:
        """Return the version of the format of the user's index; 0 if there is none."""
        try:
            with open(os.path.join(self._git.where().folder, "index"), "rb") as file:
                return int.from_bytes(file.read(8)[4:])
        except FileNotFoundError:
            return 0

    def edited(self, is_private: Callable[[str], bool] = lambda _: False) -> Edits:
        """Return the files of the vault that differ from the last commit.

        Files that git ignores are left out, and so are symbolic links, submodules, files of one machine only, and new
        files for which `is_private` returns true.
        """
        prefix = self._git.where().prefix
        options = ("--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
        output = self._git.run("status", *options, "--", ".", patience_s=TRANSFER_S)
        saved: dict[str, None] = {}
        gone: list[str] = []
        are_all = not prefix
        for entry in output.split("\0")[:-1]:
            kind, _, rest = entry.partition(" ")
            if kind == "u":
                raise GitTrouble("the index has a conflict; resolve it, then run `git add`")
            modes, path = (rest.split(" ", 7)[2:5], rest.split(" ", 7)[7]) if kind == "1" else ([], rest)
            is_missing = modes[2:] == [_NOTHING]
            own = path.startswith(prefix) and not is_of_one_machine(path.removeprefix(prefix)) and self._is_plain(path)
            if own and is_missing and modes[0] not in {_NOTHING, _LINK, _REPOSITORY}:
                gone.append(path)
            elif own and kind == "?" and is_private(path):
                continue
            elif own and not is_missing and modes[2:] != [_REPOSITORY]:
                saved[path] = None
            else:
                are_all &= kind != "1" or rest.startswith(".")  # else it is staged
        self._check_folders(gone)
        on_disk = {path for path in gone if os.path.isfile(self._full(path))}
        deleted = [path for path in gone if path not in on_disk]
        dropped = [path for path in gone if path in on_disk and path not in saved]
        refused = self._refused(saved) if saved else ()
        stored = [path for path in saved if path not in refused]
        return Edits([*deleted, *stored], dropped, len(gone), are_all and not refused, refused)

    def _refused(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return those files that git cannot store as they are, because a rule gives them another encoding."""
        encodings_of = encodings(self._git, paths)
        texts = ((path, read(self._full(path))[0]) for path in filter(is_note, encodings_of))
        lost = garbled(self._git, encodings_of, texts)
        return tuple(path for path in encodings_of if path in lost or not self._is_storable(path))

    def _is_storable(self, path: str) -> bool:
        """Return whether git can store a file in the encoding that it has on disk."""
        try:
            self._git.run(
                "hash-object", "-w", f"--path={path}", "--", self._full(path), top=True, patience_s=TRANSFER_S
            )
        except EncodingRefused:
            return False
        return True

    def _is_plain(self, path: str) -> bool:
        """Return whether a path is not that of another repository, nor of a symbolic link."""
        return not path.endswith("/") and not os.path.islink(self._full(path))

    def _check_folders(self, gone: list[str]) -> None:
        """Check that no missing file is missing because its folder became a symbolic link."""
        top = self._git.where().top
        for folder in {folder for path in gone for folder in folders_of(path)}:
            if os.path.islink(os.path.join(top, folder)):
                raise GitTrouble(
                    f"{folder!a} is a symbolic link here, and a folder in the last commit; zkmem follows no links. Put "
                    "the folder back, or remove it from git with `git rm -r --cached`"
                )

    def _full(self, path: str) -> str:
        return os.path.join(self._git.where().top, path)

    def tree(self, edits: Edits, head: str, use: str = "sync") -> str:
        """Write a tree that is the commit `head` with some edits; return its hash. `use`: as for `Git.index_for`."""
        with self._git.index_for(use) as index:
            users_index = os.path.join(self._git.where().folder, "index")
            if edits.are_all and head and os.path.exists(users_index):  # it has the hashes of most trees
                shutil.copy2(users_index, index)  # with its time: git reads files that are as new as that
            else:
                self._git.run("read-tree", "--no-recurse-submodules", head or "--empty", index=index)
            self._update(edits.saved, "--add", "--remove", index=index)
            if edits.dropped:
                self._update(edits.dropped, "--force-remove", index=index)
            return self._git.run("write-tree", index=index).strip()

    def stage(self, edits: Edits) -> None:
        """Put the present bytes of some files into the user's index."""
        self._update(edits.saved, "--add", "--remove")

    def staged_tree(self) -> str:
        """Write the tree of the user's index; return its hash."""
        return self._git.run("write-tree").strip()

    def _update(self, paths: list[str], *options: str, index: str = "") -> None:
        data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
        command = ("update-index", *options, "-z", "--stdin")
        self._git.run(*command, data=data, top=True, index=index, patience_s=TRANSFER_S)

    def commit(self, tree: str, head: str, message: str) -> str:
        """Commit a tree as the user in git's configuration, else as zkmem; make it the head, return its hash."""
        new = self._git.commit_tree(tree, head, message)
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


class Private:
    """The files here that git ignored until another machine changed a `.gitignore`. They are not committed.

    The list is in `.zkmem/private.json`. Paths are relative to the top of the repository; the name of a folder ends
    in "/" and stands for all its files. A file that somebody adds to git, or removes from the list, is committed as
    any other.
    """

    def __init__(self, git: Git, state: StateFolder) -> None:
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
        remaining = [path for path in listed if path not in ignored]
        self._save(remaining)
        return remaining

    def _ignored(self) -> list[str]:
        options = ("--others", "--ignored", "--exclude-standard", "--directory", "--full-name", "-z")
        return self._git.run("ls-files", *options, top=True, patience_s=TRANSFER_S).split("\0")[:-1]

    def _listed(self) -> list[str]:
        with contextlib.suppress(FileNotFoundError, *MALFORMED):
            values = json.loads(read(self._place)[0])
            if isinstance(values, list) and all(isinstance(path, str) for path in values):
                return values
        return []

    def _save(self, paths: Iterable[str]) -> None:
        paths = list(dict.fromkeys(paths))
        if paths != self._listed():
            replace_file(self._place, json.dumps(paths).encode() + b"\n", opener=platform.current.opened)
