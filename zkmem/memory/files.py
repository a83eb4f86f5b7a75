"""The methods of a memory for callers who use a folder of the vault as a file system."""

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.attach import plan_detach
from zkmem.edit.done import Done
from zkmem.edit.files import plan_create_files, plan_delete_files, plan_move_files, plan_rewrite_file, text_in
from zkmem.errors import TooLarge, UnknownFile, Unreadable
from zkmem.index.session import Freshness
from zkmem.memory.base import MemoryBase
from zkmem.names import composed, normal
from zkmem.vault.files import LargeFile
from zkmem.vault.paths import is_hidden


class FileSize(NamedTuple):
    """A file of the vault, for a list."""

    path: str
    size: int  # bytes


_MISSING = {None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG}
"""What the system says where no file can be read; None: a folder, a device or the like is there."""


def _moved(done: Done) -> list[str]:
    return [step.path for step in done.plan.steps]


class VaultFiles(MemoryBase):
    """The files of the vault by their paths. A folder exists as long as a file is below it.

    Hidden files and symbolic links are treated as missing. Each edit is computed from the present text while no other
    edit is made, so it overwrites no other edit.
    """

    def files(self, folder: str) -> list[FileSize]:
        """Return the files below a folder, by path.

        Raises:
            Forbidden: when the folder has no file in common with the caller's folder.
        """
        folder = self._rights.below(folder)
        if is_hidden(f"{folder}/x"):
            return []
        stamps = self._engine.store.scan(folder).stamps
        return sorted(FileSize(path, stamp.size) for path, stamp in stamps.items())

    def data_of(self, path: str) -> bytes:
        """Return the bytes of a note or another file.

        Raises:
            UnknownFile: when there is no such file. TooLarge: when it has more than `max_note_mb`.
        """
        path = self._rights.file(composed(path))
        if is_hidden(path):
            raise UnknownFile(path)
        try:
            return self._rights.read(path)
        except LargeFile as error:
            raise TooLarge(f"{path!r} cannot be read: {error.strerror}.") from error
        except OSError as error:
            if error.errno in _MISSING:
                raise UnknownFile(path) from None
            raise Unreadable(f"{path!r} cannot be read: {error.strerror}.") from error

    def text_of(self, path: str) -> str:
        r"""Return the text of a note or another text file, with `\n` as line ends.

        Raises:
            UnknownFile, TooLarge: as for `data_of`. Inexpressible: when it is not a text file.
        """
        return text_in(path, self.data_of(path)).shown

    def create_files(self, files: Mapping[str, bytes]) -> Sequence[str]:
        """Create notes and other files in one edit; return remarks about them.

        Raises:
            Taken: when a file or a folder is at a path. BadName: when no file can have a path.
        """
        self._rights.check_edit()
        own = {self._rights.new_file(normal(path)): data for path, data in files.items()}
        return self._apply(lambda view: plan_create_files(view, own), Done.warn) if own else ()

    def rewrite_file(self, path: str, change: Callable[[str], str]) -> Sequence[str]:
        """Replace the text of a file by what `change` makes of it, perhaps in several calls; return remarks.

        Raises:
            UnknownFile: when there is no such file. Inexpressible: when it is not a text file. Also the errors of
                `change`.
        """
        path = self._rights.file(composed(path))
        return self._apply(lambda view: plan_rewrite_file(view, path, change), Done.warn)

    def delete_files(self, path: str) -> None:
        """Move a file, or a folder with all below, to the trash.

        Raises:
            UnknownFile: when no file and no folder has this path.
        """
        path = self._rights.file(composed(path))
        self._apply(lambda view: plan_delete_files(view, path), Done.warn, Freshness.FILES)
        self._remove_folder(path)

    def detach(self, paths: Sequence[str]) -> list[str]:
        """Move attachments of a text that was discarded to the trash; return the paths of those that were moved.

        A file stays if another file links to it, even one that the caller may not see. The answer leaves out such a
        file, and one that is no longer there: it does not tell them apart.
        """
        own = [self._rights.file(composed(path)) for path in paths]
        moved = self._apply(lambda view: plan_detach(view, own), _moved, Freshness.FILES)
        for path in moved:
            self._remove_folder(path)
        return moved

    def move_files(self, path: str, to: str) -> None:
        """Rename a file or a folder, and update every link.

        Raises:
            UnknownFile: when no file and no folder has this path. Taken: when a file or a folder has the new path.
            BadName: when no file can have it. BadArgument: when a folder would move into itself.
        """
        path, to = self._rights.file(composed(path)), self._rights.new_file(normal(to))
        self._apply(lambda view: plan_move_files(view, path, to), Done.warn, Freshness.FILES)
        self._remove_folder(path)

    def _remove_folder(self, path: str) -> None:
        """Remove the folders that an edit has emptied. A proposed edit empties none."""
        if not self._caller.grant.proposes_as:
            with self._engine.journal.hold():
                self._engine.store.remove_empty_folders(path, self._rights.folder)
