"""The vault state: the hidden folder `.zkmem/` in the vault. The first write creates it; reading never does."""

import contextlib
import errno
import os
import time

from zkmem.errors import NewerState, Unwritable
from zkmem.vault import platform
from zkmem.vault.files import Stamp, create, read

FOLDER = ".zkmem"
FORMAT = 1  # raised when a change would make writes by an older zkmem harmful

_FOLDERS = ("journal", "versions")
_FILES = {"format", "lock", "turn", "git-index", "git.lock", "committed", "sync.lock", "sync.json", "tokens.json",
          "audit.jsonl", "seen.json", "viewed.json", "proposed", "proposed-number", "imported", "recorder",
          "sessions", "sessions.lock", "given.jsonl", "origins.jsonl"}  # fmt: skip
_IGNORE = b"# zkmem: only the settings are worth versioning\n*\n!.gitignore\n!config.toml\n"


class StateFolder:
    """The folder `.zkmem/` of a vault."""

    def __init__(self, root: str) -> None:
        self.folder = f"{root}/{FOLDER}"
        self._checked_folder: Stamp | None = None  # the folder's stamp when it was last found complete
        self._checked_format: Stamp | None = None  # of the file `format`, when it last named a format that we can write

    def path(self, *parts: str) -> str:
        """Return the path on disk of a file in the folder."""
        return "/".join((self.folder, *parts))  # `os.path.join` would take a tenth of the time of an edit

    def ensure(self) -> None:
        """Create missing parts of the folder, and check that this zkmem can write its format."""
        stamp = _reliable_stamp(self.folder)
        if stamp is None or stamp != self._checked_folder:
            self.check()
            try:
                if not all(os.path.isdir(self.path(name)) for name in _FOLDERS):
                    self._make()
            except OSError as error:
                raise unwritable(error) from error
            self._checked_folder = stamp
        self.check_format()

    def check_format(self) -> None:
        """Check that this zkmem can write the format of the folder. If it has none, create the missing parts."""
        stamp = _reliable_stamp(self.path("format"))
        if stamp is not None and stamp == self._checked_format:
            return
        try:
            version = self._format()
            if version is None:
                self._make()
        except OSError as error:
            raise unwritable(error) from error
        if version is not None and version > FORMAT:
            raise NewerState(
                f"The folder {FOLDER}/ of this vault is of format {version}, made by a newer zkmem; this one knows "
                f"format {FORMAT}. Nothing was changed: update this zkmem to write here."
            )
        self._checked_format = stamp

    def check(self) -> None:
        """Check that no symbolic link leads out of the folder: vault and folder may come from anywhere."""
        if (linked := self._linked()) is not None:
            raise Unwritable(
                f"{os.path.relpath(linked, os.path.dirname(self.folder))} is a symbolic link; zkmem keeps its state "
                "inside the vault. Remove the link."
            )

    def _linked(self) -> str | None:
        """Return the path of the folder, or of a part of it, that is a symbolic link; None if there is none."""
        if os.path.islink(self.folder):
            return self.folder
        try:
            with os.scandir(self.folder) as entries:  # one call, not one for each part
                for entry in entries:
                    if entry.is_symlink() and (entry.name in _FILES or entry.name in _FOLDERS):
                        return entry.path
        except (FileNotFoundError, NotADirectoryError):
            return None
        logs = (self.path("versions", name) for name in ("log", "outside"))
        return next(filter(os.path.islink, logs), None)

    def _format(self) -> int | None:
        """Return the number of the folder's format; None if it has none yet."""
        try:
            text = read(self.path("format"))[0].strip()
            return int(text) if text else None  # another process is about to write it
        except FileNotFoundError:
            return None
        except ValueError:
            raise Unwritable(f"{FOLDER}/format holds no number; write {FORMAT} into it, or remove it.") from None

    def _make(self) -> None:
        for folder in ("", *_FOLDERS):
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.path(folder))
        for name, data in ((".gitignore", _IGNORE), ("format", b"%d\n" % FORMAT)):
            with contextlib.suppress(FileExistsError):  # another process was faster, or the user has one
                create(self.path(name), data, durable=False)


def _reliable_stamp(full: str) -> Stamp | None:
    """Return the stamp of a file or folder; None if there is none, or if it may change again without a new stamp."""
    try:
        stamp = Stamp.of(platform.current.info(full))
    except OSError:
        return None
    return None if stamp.is_racy(time.time_ns()) else stamp


def unwritable(error: OSError) -> Unwritable:
    """Return the error to raise when nothing can be written to the vault."""
    if error.errno == errno.EROFS:
        return Unwritable("The vault is on a read-only disk: notes can be read, not changed.")
    return Unwritable(f"The vault's folder {FOLDER}/ cannot be written: {error.strerror or error}.")
