"""The files of a vault as some edits would leave them. The files that the edits change are in a folder of their own."""

import errno
import os
from collections.abc import Iterable

from zkmem.errors import Unwritable
from zkmem.vault.files import Stamp
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import check_inside, is_hidden
from zkmem.vault.store import Scan, Store


class OverlayStore(Store):
    """A store that reads changed files from its own folder, and all others from the store of the vault.

    In its folder, each changed file has the path that it has in the vault, in NFC. A removed file is in neither place.
    """

    def __init__(self, below: Store, root: str) -> None:
        """Lay the files in the folder `root` over those of the store `below`."""
        self.below = below
        self._changed: dict[str, bool] = {}  # paths of changed files, and whether there is a file; copied when read
        super().__init__(root, below.most_bytes)
        if self.root != root:
            raise Unwritable(f"{os.path.relpath(root, below.root)} has a symbolic link on its path. Remove the link.")

    def follow(self, edits: Iterable[Edit]) -> None:
        """Show the files as these edits, the oldest first, have left them."""
        self._changed = changed_by(edits)

    def follow_on(self, edits: Iterable[Edit]) -> None:
        """Show the files as these further edits have left them."""
        self._changed.update(changed_by(edits))

    def has_copy(self, path: str) -> bool:
        """Return whether the file at `path` is in the folder of changed files."""
        return self._changed.get(path, False)

    @property
    def watched(self) -> str:
        """The folder whose files other programs change."""
        return self.below.watched

    def check(self) -> None:
        """Check that the vault exists: see `Store.check`."""
        self.below.check()

    def has_more_files_than(self, limit: int) -> bool:
        """Return whether the vault has more than `limit` files that are not hidden."""
        return self.below.has_more_files_than(limit)

    def scan(self, under: str = "") -> Scan:
        """Return the files below the folder `under`: see `Store.scan`."""
        scan = self.below.scan(under)
        beginning = f"{under}/" if under else ""
        for path in [path for path in self._changed.copy() if path.startswith(beginning) and not is_hidden(path)]:
            stamp, _ = super().look(path)
            if stamp is None:
                scan.stamps.pop(path, None)
            else:
                scan.stamps[path] = stamp
                scan.faults.pop(path, None)
        return scan

    def adopt(self, spelled: str) -> str | None:
        """Return the path of a file or folder with this spelling on disk: see `Store.adopt`."""
        return spelled if spelled in self._changed else self.below.adopt(spelled)

    def is_spelled(self, path: str, spelled: str) -> bool:
        """Return whether the file or folder at a path has this spelling on disk."""
        return self.below.is_spelled(path, spelled)

    def ignores_case(self, path: str) -> bool:
        """Return whether the file system also finds the file at `path` with upper and lower case swapped."""
        return path not in self._changed and self.below.ignores_case(path)

    def look(self, path: str) -> tuple[Stamp | None, bool]:
        """Return the stamp of the file at `path`, or None, and whether a folder is there."""
        stamp, is_folder = super().look(path)
        return stamp, is_folder or (stamp is None and self._has_below(path))

    def full(self, path: str) -> str:
        """Return the full path of `path` on disk."""
        check_inside(path)
        is_there = self._changed.get(path)
        if is_there is None:
            return self.below.full(path)
        if not is_there:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return f"{self.root}/{path}"

    def taken(self, path: str) -> bool:
        """Return whether there is a file, folder or link at `path`."""
        stamp, is_folder = self.look(path)
        return stamp is not None or is_folder or (path not in self._changed and self.below.taken(path))

    def _has_below(self, folder: str) -> bool:
        return any(is_there and path.startswith(f"{folder}/") for path, is_there in self._changed.copy().items())


def changed_by(edits: Iterable[Edit]) -> dict[str, bool]:
    """Return the paths that edits, the oldest first, have changed, and whether there is a file afterwards."""
    return {path: tag is not None for edit in edits for path, tag in edit.etags().items()}
