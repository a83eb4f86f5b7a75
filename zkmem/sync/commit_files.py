"""Follow the paths of files from commit to commit, through moves and merges."""

from collections.abc import Collection, Iterable, Mapping

from zkmem.names import composed
from zkmem.vault.git.trailers import Trailers

NEW = "\0"
"""Separates the path and the commit in the name of a file whose path an earlier file had."""


class CommitFiles:
    """The paths of the files in one commit.

    The name of a file is the first path that it had. If an earlier file had left that path, the commit that moved the
    earlier one is part of the name. If two branches made a file at one path, the commit that merged them is part of one
    name.
    """

    def __init__(self) -> None:
        self.paths: dict[str, str] = {}  # file -> path, for each file that is not at its first path, and some others
        self.at: dict[str, str] = {}  # path -> file, for the same files
        self.into: dict[str, str] = {}  # file -> the file that it was merged into
        self.left: dict[str, str] = {}  # path that a file has left -> the commit that moved it
        self.back: set[tuple[str, str]] = set()  # a file that was merged, and the commit that took the merge back
        self.copies: set[str] = set()  # paths at which a late commit has a copy of a file that was moved before
        self.just_merged: set[str] = set()  # files that the last call of `take` has merged

    def copy(self) -> "CommitFiles":
        """Return an independent copy."""
        other = CommitFiles()
        other.paths, other.at, other.into = dict(self.paths), dict(self.at), dict(self.into)
        other.left, other.back, other.copies = dict(self.left), set(self.back), set(self.copies)
        return other

    def file(self, path: str) -> str:
        """Return the file at a path."""
        if path not in self.at:
            self.put(f"{path}{NEW}{self.left[path]}" if path in self.left else path, path)
        return self.at[path]

    def put(self, file: str, path: str) -> None:
        """Set the path of a file."""
        self.paths[file] = path
        self.at[path] = file

    def take(self, said: Trailers, rev: str) -> None:
        """Apply the moves and merges of a commit."""
        merged = [(self.file(composed(old)), composed(old), composed(new)) for old, new in said.merged]
        moved = [(self.file(composed(old)), composed(old), composed(new)) for old, new in said.moved]
        for _, old, _ in (*merged, *moved):
            self.leave(old, rev)
        for file, _, new in moved:
            self.put(file, new)
        self.just_merged = {file for file, _, _ in merged}
        for file, _, new in merged:
            target = self.file(new)
            if file != self.target(target):
                self.into[file] = target

    def leave(self, path: str, rev: str) -> None:
        """Remember that a commit has moved the file away from a path."""
        self.at.pop(path, None)
        self.left[path] = rev

    def at_other_paths(self, other: "CommitFiles") -> set[str]:
        """Return the files that the other parent of a merge has at other paths.

        The merge's trailers were applied to both parents, so a file that both have is at one path now. These files were
        deleted on one branch, or each branch made a file with that name.
        """
        files = (file for file in (*self.paths, *self.into) if NEW not in file)
        return {file for file in files if self.path(file) != other.path(file)}

    def give_other_names(self, names: Mapping[str, str]) -> None:
        """Give files new names, because files of another branch have the same ones. `names`: old -> new."""
        self.paths = {names.get(file, file): path for file, path in self.paths.items()}
        self.at = {path: names.get(file, file) for path, file in self.at.items()}
        self.into = {names.get(file, file): names.get(into, into) for file, into in self.into.items()}
        self.back = {(names.get(file, file), rev) for file, rev in self.back}

    def restore(self, paths: Iterable[str], rev: str) -> None:
        """Set the files at some paths to those that an undo brought back."""
        for path in map(composed, paths):
            self._take_back({path}, rev)
            self.put(path, path)

    def _take_back(self, files: Collection[str], rev: str) -> None:
        """Separate files that were merged into others. `rev`: the commit that took the merges back."""
        self.back |= {(file, rev) for file in files if file in self.into}
        self.into = {file: into for file, into in self.into.items() if file not in files}

    def keep(self, file: str, path: str, rev: str) -> None:
        """Take back the merge or deletion of a file. Files that earlier commits merged into it become separate.

        `path`: where it is now; `rev`: the commit that keeps it.
        """
        stay = {part: self.into.pop(part) for part in self.just_merged - {file} if part in self.into}
        self._take_back({file, *(part for part, into in self.into.items() if self.target(into) == file)}, rev)
        self.into |= stay
        there = self.at.get(path, file)
        self.into |= {there: file} if there != file else {}  # what the same commit has merged into the file at the path
        self.at = {place: one for place, one in self.at.items() if one != file}
        self.put(file, path)

    def join(self, other: "CommitFiles") -> None:
        """Add the paths that the files have in the other parent of a merge. Files with one path become one file.

        If only one parent knows that a merge of notes was taken back, it stays taken back.
        """
        gone = {file for file, _ in other.back - self.back}
        self.into = {file: into for file, into in self.into.items() if file not in gone}
        gone = {file for file, _ in self.back - other.back}
        for path, file in other.at.items():
            there = self.at.get(path)
            if there is not None and self.target(there) == self.target(file):  # they are one file already
                continue
            if there is not None:
                stays, part = (there, file) if NEW not in there or NEW in file else (file, there)
                self.into[part] = stays
                self.put(stays, path)
            elif file not in self.paths or self.paths[file] == file:
                self.put(file, path)
        for file, target in other.into.items():  # if both merged a file, the second parent's choice counts
            if file in gone:
                continue
            own = self.into.pop(file, None)
            self.into[file] = target
            if self.target(target) == file:
                del self.into[file]
                self.into |= {} if own is None else {file: own}
        self.left |= other.left
        self.back |= other.back
        self.copies |= other.copies

    def target(self, file: str) -> str:
        """Return the file that a file is part of, or the file itself."""
        seen = {file}
        while (following := self.into.get(file)) is not None and following not in seen:
            file = following
            seen.add(file)
        return file

    def path(self, file: str) -> str:
        """Return the path of a file, or of the file that it is part of."""
        file = self.target(file)
        return self.paths.get(file, file.partition(NEW)[0])

    def may_have(self, file: str) -> bool:
        """Return whether a file can be in this commit. It cannot if a later commit freed its first path for it."""
        first, _, rev = file.partition(NEW)
        return file in self.paths or rev == self.left.get(first, "")

    def has(self, file: str, path: str) -> bool:
        """Return whether the file at a path is this one, or the one that it is part of, as far as is known."""
        file = self.target(file)
        return self.at.get(path, file) == file
