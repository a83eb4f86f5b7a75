"""A configuration file on disk: changed in one step, with a backup copy beside it."""

import contextlib
import errno
import os
from collections.abc import Callable

from zkmem.errors import BadClientFile, Changed, Unwritable
from zkmem.util.replacing import replace_file

SUFFIX = ".zkmem-backup"
_TRIES = 5  # the client itself may write at any time


class ClientFile:
    """One configuration file; `path` is the file itself, not a symbolic link to it."""

    def __init__(self, path: str, *, shared: bool = False) -> None:
        """Read nothing yet. A new file is for its user alone, unless it is `shared`."""
        self._mode = 0o666 if shared else 0o600  # it may get the keys of other servers
        self.path = os.path.realpath(path)
        self.backup = self.path + SUFFIX

    def read(self) -> str | None:
        """Return the text; None if there is no file."""
        return _read(self.path)

    def has(self, word: str) -> bool:
        """Return whether a word is in the file, which need not be JSON or TOML; false if the file cannot be read."""
        try:
            with open(self.path, "rb") as file:
                return word.encode() in file.read()
        except OSError:
            return False

    def saved_copy(self) -> str | None:
        """Return the text of the backup; None if there is none."""
        return _read(self.backup)

    def change(self, work: Callable[[str | None], str | None], *, backup: Callable[[str], bool]) -> bool:
        """Replace the text of the file by the result of `work` (None for no file). Return whether it changed.

        If `backup` returns true for the old text, that text is saved as the backup first.
        """
        for _ in range(_TRIES):
            old = self.read()
            new = work(old)
            if new == old:
                return False
            try:
                if old is not None:
                    self._expect_writable()
                if old is not None and backup(old):
                    replace_file(self.backup, old.encode(), like=self.path, mode=self._mode)
                if self._put(old, new):
                    return True
            except OSError as error:
                raise self._unwritable(error) from error
        raise Changed(f"{self.path} is being written by another program all the time; close it and try again.")

    def check(self) -> None:
        """Check that the file can be written: it is not read-only, and its folder takes a new file."""
        folder, name = os.path.split(self.path)
        while not os.path.lexists(folder) and folder != os.path.dirname(folder):  # a drive may be missing
            folder = os.path.dirname(folder)
        try:
            with contextlib.suppress(FileNotFoundError):
                self._expect_writable()
            replace_file(os.path.join(folder, name), b"", durable=False, unless=lambda: True)  # removes it again
        except OSError as error:
            raise self._unwritable(error) from error

    def forget(self) -> None:
        """Remove the backup."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.backup)

    def _expect_writable(self) -> None:
        if not os.stat(self.path).st_mode & 0o222:
            raise PermissionError(errno.EROFS, "it is read-only")  # although it could be replaced

    def _unwritable(self, error: OSError) -> Unwritable:
        return Unwritable(f"{self.path} cannot be written: {error.strerror or error}. Nothing was changed.")

    def _put(self, old: str | None, new: str | None) -> bool:
        """Write the text, or remove the file. Return False if the file has changed since it was read."""
        if new is not None:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            return replace_file(
                self.path, new.encode(), like=self.path, mode=self._mode, unless=lambda: self.read() != old
            )
        if self.read() != old:
            return False
        os.unlink(self.path)
        return True


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadClientFile(f"{path} is not UTF-8 in line {line}; nothing was changed. Save it as UTF-8.") from error
    except OSError as error:
        raise BadClientFile(f"{path} cannot be read: {error.strerror}; nothing was changed.") from error
