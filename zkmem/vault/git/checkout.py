"""Check out a commit whose visible files of the vault are on disk already, because the journal has written them.

Other files are written here: hidden ones, and those outside of the vault. zkmem writes no symbolic links and no
submodules. Paths are relative to the top of the repository.
"""

import contextlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping

from zkmem.names import composed, folders_of
from zkmem.vault import platform
from zkmem.vault.files import folder_modes
from zkmem.vault.git.attributes import is_rules
from zkmem.vault.git.command import TRANSFER_S, Git
from zkmem.vault.git.trees import Blob, Diff, Trees, index_lines, is_in_vault
from zkmem.vault.paths import is_hidden, path_below

_EXECUTABLE = "100755"


class Checkout:
    """The work tree of the repository that a vault is in."""

    def __init__(self, git: Git, trees: Trees) -> None:
        self._git = git
        self._trees = trees

    def check_out(self, commit: str) -> str:
        """Check out a commit whose visible files of the vault are on disk already.

        Return the reason if this cannot be done; "" if it is done now, or was done before. If the process is killed
        meanwhile, call this again.
        """
        head = self._trees.commits.rev("HEAD")
        if head and self._trees.commits.is_ancestor(commit, head):
            return ""
        if head and not self._trees.commits.is_ancestor(head, commit):
            return "something was committed meanwhile; the next synchronisation merges it"
        diffs = self._trees.raw_diffs(head or self._trees.empty(), commit)
        if blocked := self.blocked(diffs):
            return f"{blocked[0]!a} was edited meanwhile; the next synchronisation merges it"
        changed = {path: diff.after for path, diff in diffs.items()}
        data = index_lines(changed, "0" * self._git.where().digits)
        self._git.run("update-index", "-z", "--index-info", data=data)
        self._write_others(diffs, head or self._trees.empty(), commit)
        self._set_modes(diffs)
        self._set_spellings(diffs)
        self._git.run("update-ref", "-m", "zkmem: sync", "HEAD", commit, head)
        return ""

    def write_first(self, diffs: Mapping[str, Diff], head: str, commit: str) -> None:
        """Write some of the files that the journal does not write before the commit is checked out.

        `.gitattributes` files are written before others, because they say how those look on disk.
        """
        data = index_lines({path: diff.after for path, diff in diffs.items() if diff.after}, "")
        with self._git.index_for("first") as index:
            self._git.run("update-index", "-z", "--index-info", data=data, index=index)
            for rules in (True, False):
                part = {path: diff for path, diff in diffs.items() if is_rules(path) == rules}
                self._write_others(part, head, commit, index)

    def forget_stamps(self, files: Mapping[str, Blob | None]) -> None:
        """Let git compare some files with its index by their bytes: a file with another size would count as edited."""
        self._git.run("update-index", "-z", "--index-info", data=index_lines(files, ""))

    def blocked(self, diffs: Mapping[str, Diff]) -> list[str]:
        """Return the hidden files, and those outside of the vault, that `check_out` cannot write.

        `diffs`: the files that will change. A file cannot be written if its content on disk is that of neither version
        in `diffs`; if it is missing, and both versions have it; if a file is where it needs a folder; or if a folder is
        in its place that has files which the commit does not delete.
        """
        others = dict(self._others(diffs))
        hashes = {path: self._hash(path, _hashes_of(diff)) for path, diff in others.items()}
        gone = {path for path, diff in others.items() if not diff.after and hashes[path] in _hashes_of(diff)}
        return [path for path, diff in others.items() if not self._is_free(path, diff, hashes[path], gone)]

    def _is_free(self, path: str, diff: Diff, there: str | None, gone: Collection[str]) -> bool:
        """Return whether a file can be written or deleted. `there`: as from `_hash`; `gone`: files to be deleted."""
        above = (folder for folder in folders_of(path) if diff.after and self._hash(folder) is not None)
        if any(not self._is_folder(folder) and folder not in gone for folder in above):
            return False
        if there == "" and diff.after and self._is_folder(path):
            top = self._git.where().top
            files = (os.path.join(root, name) for root, _, names in os.walk(self._full(path)) for name in names)
            return all(path_below(file, top) in gone for file in files)
        return there in _hashes_of(diff)

    def _is_folder(self, path: str) -> bool:
        return os.path.isdir(self._full(path)) and not os.path.islink(self._full(path))

    def _others(self, diffs: Mapping[str, Diff]) -> Iterator[tuple[str, Diff]]:
        """Yield the files that the journal does not write."""
        prefix = self._git.where().prefix
        for path, diff in sorted(diffs.items()):
            visible = is_in_vault(path, prefix) and not is_hidden(path.removeprefix(prefix))
            if not visible and all(blob is None or blob.is_plain for blob in diff):
                yield path, diff

    def _origins(self, head: str, commit: str, others: Mapping[str, Diff]) -> dict[str, str]:
        """Return the old paths of those of some files that git detects as moved."""
        new = {path for path, diff in others.items() if diff.after and not diff.before}
        if not new or all(diff.after for diff in others.values()):
            return {}
        return {path: old for old, path in self._trees.renames(head, commit) if path in new}

    def _write_others(self, diffs: Mapping[str, Diff], head: str, commit: str, index: str = "") -> None:
        """Change the files that the journal does not write to those of the index; `blocked` has checked them."""
        others = dict(self._others(diffs))
        origins = self._origins(head, commit, others)
        umasks = self._umasks(others, origins)
        for path, diff in others.items():
            if not diff.after and self._hash(path):
                platform.current.unlink(self._full(path))
        for path in umasks:
            remove_empty(self._full(path))
        for path, old in origins.items():
            self._make_folders(old, path)
        for umask in sorted(set(umasks.values())):
            data = "".join(path + "\0" for path in umasks if umasks[path] == umask).encode(errors="surrogateescape")
            self._git.run(
                *("checkout-index", "-f", "-z", "--stdin"),
                data=data,
                top=True,
                index=index,
                patience_s=TRANSFER_S,
                umask=umask,
            )

    def _umasks(self, others: Mapping[str, Diff], origins: Mapping[str, str]) -> dict[str, int]:
        """Return the permissions that each file to be written must not get, because its earlier version lacks them.

        They are -1, for the usual ones, if there is no earlier version. `origins`: the old paths of moved files.
        """
        return {path: self._umask(origins.get(path, path)) for path, diff in others.items() if diff.after}

    def _umask(self, path: str) -> int:
        try:
            mode = platform.current.info(self._full(path)).st_mode
        except OSError:
            return -1
        return ~mode & 0o777 if stat.S_ISREG(mode) else -1

    def _make_folders(self, old: str, path: str) -> None:
        """Make the missing folders of a moved file, with the permissions of those that it comes from."""
        modes = folder_modes(self._git.where().top, [(old, path)])
        for folder in reversed(list(folders_of(path))):
            if not platform.current.exists(self._full(folder)):
                platform.current.make_folder(self._full(folder), modes.get(folder))

    def _hash(self, path: str, known: Collection[str | None] = ()) -> str | None:
        """Return the hash that a file on disk would have in git; "" for what is no regular file, None for nothing.

        `known`: hashes that it may have, as for `Trees.hash_on_disk`.
        """
        try:
            plain = stat.S_ISREG(platform.current.info(self._full(path)).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except platform.Linked:
            return ""
        return self._trees.hash_on_disk(self._full(path), path, known) if plain else ""

    def _set_modes(self, diffs: Mapping[str, Diff]) -> None:
        """Make the files executable that became so, and the others not."""
        for path, (before, after) in diffs.items():
            if after and after.is_plain and (before is None or before.mode != after.mode):
                with contextlib.suppress(OSError):  # a file system without modes; git ignores them there
                    self._set_mode(self._full(path), executable=after.mode == _EXECUTABLE)

    def _set_mode(self, full: str, *, executable: bool) -> None:
        handle = platform.current.opened(full, os.O_RDONLY)
        try:
            old = stat.S_IMODE(os.fstat(handle).st_mode)
            new = old | (old & 0o444) >> 2 if executable else old & ~0o111
            if new != old:
                platform.current.set_mode(handle, new)
        finally:
            os.close(handle)

    def _set_spellings(self, diffs: Mapping[str, Diff]) -> None:
        """Give the files the names that they have in git: the journal writes new names in NFC, and keeps older ones."""
        gone = {composed(path): path for path, diff in diffs.items() if not path.isascii() and not diff.after}
        for path, diff in diffs.items():
            if diff.after and not path.isascii() and not platform.current.exists(self._full(path)):
                for old in (gone.get(composed(path)), composed(path)):
                    if old and platform.current.exists(self._full(old)):
                        self._make_folders(old, path)
                        os.renames(self._full(old), self._full(path))
                        break

    def _full(self, path: str) -> str:
        return os.path.join(self._git.where().top, path)


def _hashes_of(diff: Diff) -> set[str | None]:
    """Return the hashes of both versions of a file; None stands for no file."""
    return {blob.hash if blob else None for blob in diff}


def remove_empty(full: str) -> None:
    """Remove a folder if there is no file in it or below it."""
    if os.path.isdir(full) and not os.path.islink(full) and not any(files for _, _, files in os.walk(full)):
        with contextlib.suppress(OSError):  # somebody uses it now
            for folder, _, _ in os.walk(full, topdown=False):
                platform.current.remove_folder(folder)
