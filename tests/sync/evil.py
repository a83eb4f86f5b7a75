"""Trees that no honest machine pushes, and a commit of one of them on a remote."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.sync.machines import git
from tests.sync.shared import Shared

FILE, LINK, REPOSITORY = "100644", "120000", "160000"
Entry = tuple[str, bytes]
"""The mode of a file, and its bytes; for a repository of its own, the hash of a commit."""

SUB, OTHER = (REPOSITORY, b"1" * 40), (REPOSITORY, b"2" * 40)
"""Two commits of another repository."""


def text(data: str | bytes) -> Entry:
    """Return a regular file with some bytes."""
    return FILE, data.encode(errors="surrogateescape") if isinstance(data, str) else data


def link(to: str) -> Entry:
    """Return a symbolic link."""
    return LINK, to.encode()


def attributes(rules: str, path: str = ".gitattributes") -> dict[str, Entry]:
    """Return a file of attributes."""
    return {path: text(rules)}


def push(shared: Shared, entries: Mapping[str, Entry | None]) -> str:
    """Add a commit to the remote that changes some files, without any check of git's; return its hash."""
    return _committed(shared.remote, _tree(shared.remote, "main^{tree}", entries))


def _committed(remote: Path, tree: str) -> str:
    commit = git(remote, "commit-tree", "-p", "main", "-m", "by a stranger", tree).strip()
    git(remote, "update-ref", "refs/heads/main", commit)
    return commit


def push_billions(shared: Shared) -> str:
    """Add a commit to the remote that has ten billion files, in a few objects; return its hash."""
    tree = _tree(shared.remote, "", {str(number): text("x") for number in range(10)})
    for _ in range(9):
        data = b"".join(b"040000 tree %s\t%d\0" % (tree.encode(), number) for number in range(10))
        tree = _run(shared.remote, "mktree", "-z", data=data).decode().strip()
    return _committed(shared.remote, tree)


def _tree(remote: Path, base: str, entries: Mapping[str, Entry | None]) -> str:
    """Write a tree that is `base` with some files changed, and return its hash. A path may have several parts."""
    listed = _run(remote, "ls-tree", "-z", base) if base else b""
    lines = {line.partition(b"\t")[2]: line for line in listed.split(b"\0") if line}
    below: dict[str, dict[str, Entry | None]] = {}
    for path, entry in entries.items():
        name, slash, rest = path.partition("/")
        raw = name.encode(errors="surrogateescape")
        if slash:
            below.setdefault(name, {})[rest] = entry
        elif entry is None:
            lines.pop(raw, None)
        else:
            mode, data = entry
            hash_ = data if mode == REPOSITORY else _run(remote, "hash-object", "-w", "--stdin", data=data).strip()
            kind = b"commit" if mode == REPOSITORY else b"blob"
            lines[raw] = b"%s %s %s\t%s" % (mode.encode(), kind, hash_, raw)
    for name, inside in below.items():
        raw = name.encode(errors="surrogateescape")
        old = lines.get(raw, b"")
        made = _tree(remote, old.split()[2].decode() if b" tree " in old[:14] else "", inside)
        lines[raw] = b"040000 tree %s\t%s" % (made.encode(), raw)
    data = b"".join(line + b"\0" for line in lines.values())
    return _run(remote, "mktree", "-z", "--missing", data=data).decode().strip()


def _run(remote: Path, *arguments: str, data: bytes = b"") -> bytes:
    return subprocess.run(["git", "-C", str(remote), *arguments], input=data, capture_output=True, check=True).stdout
