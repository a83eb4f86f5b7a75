"""Find what a git repository's own files ask git to use: programs to start, addresses, paths outside the repository.

A vault and its `.git` may come from another person. A fingerprint identifies what the user has allowed.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_USER = ("global", "system")
_HARMLESS = re.compile(
    r"core\.(repositoryformatversion|bare|filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf"
    r"|logallrefupdates|quotepath|abbrev|compression|commitgraph|untrackedcache|longpaths|fscache)"
    r"|extensions\.(objectformat|refstorage|noop|preciousobjects|relativeworktrees|worktreeconfig)"
    r"|(user|author|committer)\.(name|email)"
    r"|remote\..*\.(url|pushurl|fetch|push|tagopt|prune)|branch\..*|submodule\..*\.(url|active)"
    r"|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.prune|gc\.auto|gc\.autodetach"
    r"|color\..*|init\.defaultbranch|merge\.conflictstyle|rerere\.enabled|lfs\.repositoryformatversion",
    re.DOTALL,
)
"""Keys of a repository's configuration that make no git command start a program or leave the repository."""

_UNDER_WAY = {
    "MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "rebase-merge": "rebase",
    "rebase-apply": "rebase", "BISECT_LOG": "",
}  # fmt: skip
"""Files in a repository that show that an operation is under way, and the command that ends it; "" for bisect."""

_SHA1_DIGITS = 40
_LINKS_MATTER = ("refs", "logs", "info", "reftable", "objects")


class GitSetting(NamedTuple):
    """A value in a configuration: the scope of its file, the key in lower case (except the middle part), the value."""

    scope: str
    key: str
    value: str

    @property
    def local(self) -> bool:
        """Whether it is set in the repository, and not in the user's or the system's files."""
        return self.scope not in (*_USER, "command")


class Repository(NamedTuple):
    """The properties of a repository, read once in each process."""

    folder: str  # .git; for a linked worktree, its own folder in the main repository's .git
    common: str  # .git; for a linked worktree, the main repository's .git
    top: str  # the root of the work tree
    prefix: str  # the vault's path in the work tree, with a "/" at its end, or ""
    digits: int  # the length of a hash
    values: tuple[GitSetting, ...]  # the whole configuration, as git reads it
    outside: tuple[str, ...]  # a line for each path that leads out of the repository

    @property
    def sets(self) -> tuple[str, ...]:
        """A line for each setting in the repository's own configuration that the user has to allow."""
        local = [one for one in self.values if one.local]
        fetches = any(one.key.startswith("remote.") and not _is_harmless(one) for one in local)
        shown = [one for one in local if not _is_harmless(one) or (fetches and one.key.startswith("remote."))]
        return tuple(f"{one.key} = {one.value}" for one in shown)

    @property
    def asks(self) -> tuple[str, ...]:
        """A line for each thing that the repository's own files ask of git and that the user has to allow."""
        return (*self.outside, *self.sets)

    @property
    def fingerprint(self) -> str:
        """A hash of the lines in `asks`."""
        return hashlib.sha256("\0".join(self.asks).encode(errors="surrogateescape")).hexdigest()

    def hasher(self, size: int, kind: str = "blob") -> "hashlib._Hash":
        """Return the beginning of the hash that git gives a file of so many bytes if it does not convert them.

        `kind`: of another object than a file.
        """
        algorithm = hashlib.sha256 if self.digits > _SHA1_DIGITS else hashlib.sha1
        return algorithm(f"{kind} {size}\0".encode(), usedforsecurity=False)

    def plain_hash(self, data: bytes) -> str:
        """Return the hash that git gives a file with these bytes if it does not convert them."""
        digest = self.hasher(len(data))
        digest.update(data)
        return digest.hexdigest()

    @property
    def signs(self) -> bool:
        """Whether commits are to be signed."""
        return _is_true(next((one.value for one in reversed(self.values) if one.key == "commit.gpgsign"), "false"))

    @property
    def knows_user(self) -> bool:
        """Whether git knows who commits."""
        return any(one.key == "user.email" for one in self.values) or "GIT_COMMITTER_EMAIL" in os.environ

    def in_use(self) -> str:
        """Return why nothing can be committed now, and what to do; "" if nothing stands against it."""
        for name, command in _UNDER_WAY.items():
            if os.path.exists(os.path.join(self.folder, name)):
                what = command or "bisect"
                end = f"`git {command} --continue` or `git {command} --abort`" if command else "`git bisect reset`"
                return f"a {what} is under way ({name}); end it with {end}"
        lock = next(filter(os.path.exists, self._locks()), "")
        return f"{lock} exists: wait for the other git process; if none runs, remove the file" if lock else ""

    def _locks(self) -> Iterator[str]:
        """Yield the lock files that keep git from making a commit."""
        yield os.path.join(self.folder, "index.lock")
        head = os.path.join(self.folder, "HEAD")
        yield f"{head}.lock"
        with contextlib.suppress(OSError, UnicodeDecodeError), open(head, encoding="utf-8") as file:
            yield os.path.join(self.common, f"{file.read().removeprefix('ref: ').strip()}.lock")

    def hooks(self) -> list[str]:
        """Return the names of the hooks that the configuration defines (possible since git 2.54)."""
        keys = (one.key.split(".") for one in self.values)
        return list(dict.fromkeys(".".join(parts[1:-1]) for parts in keys if parts[0] == "hook" and len(parts) > 2))


def parsed(output: str) -> tuple[GitSetting, ...]:
    """Return the values that `git config --list --show-scope -z` prints."""
    scopes, pairs = output.split("\0")[:-1:2], output.split("\0")[1::2]
    parts = (pair.partition("\n") for pair in pairs)
    return tuple(
        GitSetting(scope, key, value if equals else "true")
        for scope, (key, equals, value) in zip(scopes, parts, strict=False)
    )


def leads_outside(folder: str, common: str, top: str, values: Iterable[GitSetting]) -> Iterator[str]:
    """Yield a line for each part of a repository that leads outside: with such a path, git could write anywhere.

    The repository of a linked worktree or a submodule is outside too, but is allowed, because it names the work tree.
    """
    own = os.path.join(top, ".git")
    if not _is_below(folder, top) and not _knows(folder, own) and not _submodule(folder, top, values):
        yield f"{own} leads to {folder}"
    if common != folder and not (
        _is_below(common, top) or os.path.dirname(folder) == os.path.join(common, "worktrees")
    ):
        yield f"{folder}/commondir leads to {common}"
    if os.path.lexists(os.path.join(common, "objects", "info", "alternates")):
        yield f"{common}/objects/info/alternates names another repository"
    for place in dict.fromkeys((folder, common)):
        yield from (f"{link} leads to {os.path.realpath(link)}" for link in _links(place))


def _knows(folder: str, own: str) -> bool:
    """Return whether a linked worktree's part of a repository names the `.git` file of that worktree."""
    try:
        with open(os.path.join(folder, "gitdir"), encoding="utf-8", errors="surrogateescape") as file:
            named = file.read(5_000).strip()
    except OSError:
        return False
    return os.path.realpath(os.path.join(folder, named)) == os.path.realpath(own)


def _submodule(folder: str, top: str, values: Iterable[GitSetting]) -> bool:
    """Return whether a repository outside the work tree names it as its own work tree."""
    named = [one.value for one in values if one.key == "core.worktree" and one.local]
    return bool(named) and os.path.realpath(os.path.join(folder, named[-1])) == top


def _links(folder: str) -> Iterator[str]:
    """Yield the symbolic links through which git would write."""
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                if entry.is_symlink():
                    if os.path.dirname(entry.path) != folder or entry.name not in ("hooks", "description"):
                        yield entry.path
                elif entry.is_dir() and _matters(os.path.relpath(entry.path, folder).split(os.sep)):
                    folders.append(entry.path)


def _matters(parts: list[str]) -> bool:
    """Return whether to look for links in a folder of a repository; there may be very many objects."""
    return parts[0] in _LINKS_MATTER and (parts[0] != "objects" or len(parts) == 1 or parts[1] in ("info", "pack"))


def _is_harmless(one: GitSetting) -> bool:
    return bool(_HARMLESS.fullmatch(one.key)) or (one.key == "commit.gpgsign" and not _is_true(one.value))


def _is_true(value: str) -> bool:
    return value.lower() in {"true", "yes", "on", "1"}


def _is_below(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder
