"""The methods of a memory for callers who use a folder of the vault as a file system."""

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

from zkmem.edit.done import Done
from zkmem.edit.files import plan_create_files, plan_delete_files, plan_move_files, plan_rewrite_file
from zkmem.errors import Inexpressible, TooLarge, UnknownFile
from zkmem.index.session import Freshness
from zkmem.markdown.note import read_text
from zkmem.memory.access import Access
from zkmem.names import composed, is_note
from zkmem.vault.files import LargeFile
from zkmem.vault.paths import is_hidden


class FileSize(NamedTuple):
    """A file of the vault, for a list."""

    path: str
    size: int  # bytes


class Files(Access):
    """The files of the vault by their paths. A folder exists as long as a file is below it; hidden files do not exist.

    An edit of a file is computed from its present text while no other edit is made, so none is lost.
    """

    def files(self, folder: str) -> list[FileSize]:
        """Return the files below a folder, by path.

        Raises:
            Forbidden: when the folder has no file in common with the caller's folder.
        """
        folder = self._rights.below(folder)
        with self._rights.errors():
            rows = self._with_names(
                lambda index: [(one, index.catalog.rows[one]) for one in index.catalog.below([folder])]
            )
        return sorted(FileSize(path, row.stamp.size) for path, row in rows)

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
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise UnknownFile(path) from None
        except LargeFile as error:
            raise TooLarge(f"{path!r} cannot be read: {error.strerror}.") from error

    def text_of(self, path: str) -> str:
        r"""Return the text of a note or another text file, with `\n` as line ends.

        Raises:
            UnknownFile, TooLarge: as for `data_of`. Inexpressible: when it is not a text file.
        """
        text = read_text(self.data_of(path))
        if not is_note(path) and (text.lossy or "\0" in text.text):
            raise Inexpressible(f"{path!r} is not a text file.")
        return text.shown

    def create_files(self, files: Mapping[str, bytes]) -> None:
        """Create notes and other files in one edit.

        Raises:
            Taken: when a file or a folder is at a path. BadName: when no file can have a path.
        """
        if files:
            own = {self._rights.new_file(composed(path)): data for path, data in files.items()}
            self._apply(functools.partial(plan_create_files, files=own), Done.warn)

    def rewrite_file(self, path: str, change: Callable[[str], str]) -> None:
        """Replace the text of a file by what `change` makes of it. `change` may be called several times.

        Raises:
            UnknownFile: when there is no such file. What `change` raises.
        """
        path = self._rights.file(composed(path))
        self._apply(functools.partial(plan_rewrite_file, path=path, change=change), Done.warn)

    def delete_files(self, path: str) -> None:
        """Move a file, or a folder with all below, to the trash.

        Raises:
            UnknownFile: when there is neither.
        """
        path = self._rights.file(composed(path))
        self._apply(functools.partial(plan_delete_files, path=path), Done.warn)

    def move_files(self, path: str, to: str) -> None:
        """Rename a file or a folder, and update every link.

        Raises:
            UnknownFile: when there is neither. Taken: when a file or a folder has the new path.
            BadName: when no file can have it. BadArgument: when a folder would move into itself.
        """
        path, to = self._rights.file(composed(path)), self._rights.new_file(composed(to))
        self._apply(functools.partial(plan_move_files, path=path, to=to), Done.warn, Freshness.FILES)
