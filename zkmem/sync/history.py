"""Find out which files of a base became which files of a later commit.

The commits of zkmem say in trailers what they moved, merged and extracted. For what they do not explain, take the
renames that git detects. A trailer is only a hint: it counts if the trees agree with it.
"""

from collections.abc import Iterable, Mapping, Sequence

from zkmem.names import composed
from zkmem.sync.sides import Structure
from zkmem.vault.git.trailers import Trailers
from zkmem.vault.git.trees import CommitInfo, Diff
from zkmem.vault.journal.log import Pair


def structure(
    commits: Iterable[CommitInfo], prefix: str, diffs: Mapping[str, Diff], renames: Sequence[Pair]
) -> Structure:
    """Return the structure of a side with these commits, oldest first.

    `prefix`: the path of the vault in the repository; `diffs`: the files that differ; `renames`: what git detects.
    """
    walk = _Walk()
    for commit in commits:
        walk.take(Trailers.of_message(commit.message, prefix), commit.rev)
    return walk.structure(diffs, renames)


class _Walk:
    """Where each file is while commits are read. A file is known by the first path that it had."""

    def __init__(self) -> None:
        self._at: dict[str, str] = {}  # path now -> file
        self._paths: dict[str, str] = {}  # file -> path now, of the files that moved
        self._into: dict[str, str] = {}  # file -> the file that it was merged into
        self._extracted: list[Pair] = []
        self._left: set[str] = set()  # paths that a file has left

    def take(self, trailers: Trailers, rev: str) -> None:
        """Take in what a commit says."""
        for old, new in trailers.merged:
            self._into[self._file(old, rev)] = self._file(new, rev)
            self._leave(old)
        for old, new in trailers.extracted:
            self._extracted.append(Pair(self._file(old, rev), self._file(new, rev)))
        moved = [(self._file(old, rev), old, new) for old, new in trailers.moved]
        for _, old, _ in moved:
            self._leave(old)
        for file, _, new in moved:
            self._paths[file] = composed(new)
            self._at[composed(new)] = file

    def _file(self, path: str, rev: str) -> str:
        """Return the file at a path; a new one, with the commit in its name, if the file that was there has left."""
        path = composed(path)
        if path not in self._at:
            self._at[path] = f"{path}\0{rev}" if path in self._left else path
            self._paths[self._at[path]] = path
        return self._at[path]

    def _leave(self, path: str) -> None:
        self._at.pop(composed(path), None)
        self._left.add(composed(path))

    def structure(self, diffs: Mapping[str, Diff], renames: Sequence[Pair]) -> Structure:
        """Return what the commits say, as far as the trees agree, and what git detects for other files."""

        def is_new(path: str) -> bool:
            return path in diffs and diffs[path].before is None and diffs[path].after is not None

        def is_gone(path: str) -> bool:
            return path in diffs and diffs[path].before is not None and diffs[path].after is None

        def exists(path: str) -> bool:
            return path not in diffs or diffs[path].after is not None

        moved = {old: new for old, new in self._paths.items() if new != old and old in diffs and exists(new)}
        moved = {old: new for old, new in moved.items() if diffs[old].before is not None and new in diffs}
        targets = {old: self._paths[self._target(old)] for old in self._into}
        merged = {old: new for old, new in targets.items() if old not in moved and is_gone(old) and exists(new)}
        taken = set(moved.values())
        for old, new in renames:
            if old not in moved and old not in merged and is_gone(old) and is_new(new) and new not in taken:
                moved[old] = new
        pairs = (Pair(self._paths[one], self._paths[other]) for one, other in self._extracted)
        extracted = tuple(dict.fromkeys(pair for pair in pairs if all(map(exists, pair))))
        return Structure(moved, merged, extracted)

    def _target(self, file: str) -> str:
        """Return the file that a file is part of in the end."""
        seen = {file}
        while file in self._into and self._into[file] not in seen:
            file = self._into[file]
            seen.add(file)
        return file
