"""Apply several changes to files as one: either all of them happen or none, even after a crash.

A transaction has files in `.zkmem/journal/`: a slot for each step, and the *record* of all steps, written last. A
process that finds the record can therefore finish the steps, or undo them.
"""

import contextlib
import errno
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from zkmem.errors import BadName, Changed, Taken
from zkmem.vault import files, platform
from zkmem.vault.files import MB, LargeFile, Stamp, Version
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.step import Step, StepOnDisk, StepState
from zkmem.vault.paths import TRASH, fits_on_disk, is_hidden, locate, respellings

_RECORD, _REFUSED = ".record", ".refused"
_MANY, _AT_ONCE = 8, 8  # from this many slots on, use this many threads
_PART = 12  # slots that a thread makes durable together
_MOST_PARTS = 8  # of these, whose files are open while another one is made
_IMPOSSIBLE = {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}  # the file system cannot have such a path
_LONGEST = 50 * MB  # the longest record, of about 200 bytes for each file of an edit; a line of the log is shorter


Take = Callable[[str, Version | None], object]
"""A function of a file and, if known, the version that it had. It moves or removes the file."""


class DamagedRecord(Exception):
    """A record cannot be read, or its steps cannot be carried out."""


class Transaction:
    """Steps on files below `root`. The transaction's own files begin with `base`. Paths are spelled as on disk."""

    def __init__(
        self,
        root: str,
        base: str,
        steps: Iterable[Step],
        made: Mapping[str, int | None],
        respelled: Mapping[str, str],
        *,
        durable: bool,
        known: Mapping[str, Version] = {},
        like: Mapping[str, str] = {},
    ) -> None:
        self._root = root
        self._base = base
        self._steps = tuple(steps)
        sources = {step.to: step.path for step in self._steps if step.to}
        results = {step.path: step.after for step in self._steps if not step.to}
        self._on_disk = [
            StepOnDisk(
                root,
                f"{base}.{number}",
                step,
                sources.get(step.path, step.path),
                results.get(step.to or ""),
                known.get(step.path),
                like.get(step.path),
            )
            for number, step in enumerate(self._steps)
        ]
        self._made = made  # folders that did not exist, outermost first, and their permissions; None for the usual ones
        self._respelled = respelled  # folders that get another spelling, outermost first, and their old spelling
        self._durable = durable
        self._refused = False
        self._crashed = False

    @classmethod
    def begin(
        cls,
        root: str,
        journal: str,
        steps: Iterable[Step],
        data: Mapping[str, bytes],
        about: Sequence[object],
        *,
        durable: bool,
        known: Mapping[str, Version] = {},
        like: Mapping[str, str] = {},
    ) -> "Transaction":
        """Write the record and the slots of the steps to the journal; change no file of the vault.

        `data`: the new bytes of files, by path. `about`: values that are stored in the record as JSON, at least one.
        `known`: the versions of files that the caller has read, by path; a file with the stamp of its version is not
        read again.
        `like`: the files whose permissions new files get, by the path of the new file.
        """
        steps = tuple(steps)
        fits = fits_on_disk(root)
        for path in (path for step in steps for path in (step.path, step.to) if path):
            _check_path(root, path)
            if not fits(path):
                reason = "its path is too long for the disk; choose a shorter one"
                raise OSError(errno.ENAMETOOLONG, reason, f"{root}/{path}")
        new = [step.to or step.path for step in steps if step.before is None or step.to]
        origins = {step.to: step.path for step in steps if step.to} | dict(like)
        made, respelled = _missing_folders(root, new, origins), respellings(root, new)
        base = f"{journal}/{secrets.token_hex(6)}"
        self = cls(root, base, steps, made, respelled, durable=durable, known=known, like=like)
        try:
            self._fill_slots(data)
            self._write_record(about, durable=durable and len(steps) > 1)
        except FileNotFoundError as error:  # a file to be replaced is gone
            self.discard()
            raise Changed(f"A file was removed while the edit was being made: {error.filename}.") from None
        except BaseException:
            self.discard()
            raise
        return self

    def _fill_slots(self, data: Mapping[str, bytes]) -> None:
        """Write the new bytes of files to the slots, and make them durable."""
        filled = [on_disk for on_disk in self._on_disk if on_disk.step.has_bytes]
        if not self._durable or len(filled) < _MANY:
            for on_disk in filled:
                files.create(on_disk.slot, data[on_disk.step.path], like=on_disk.like, durable=self._durable)
            return
        from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - seldom needed

        with ThreadPoolExecutor(_AT_ONCE) as pool:  # its threads take no lock, and end before the block does
            syncs: list[Future[None]] = []
            for start in range(0, len(filled), _PART):
                if len(syncs) >= _MOST_PARTS:
                    syncs[-_MOST_PARTS].result()
                handles: list[int] = []
                try:
                    handles.extend(
                        files.created(on_disk.slot, data[on_disk.step.path], like=on_disk.like)
                        for on_disk in filled[start : start + _PART]
                    )
                finally:
                    syncs.append(pool.submit(files.sync, handles))
            for sync in syncs:
                sync.result()

    def _write_record(self, about: Sequence[object], *, durable: bool) -> None:
        """Write the record. For one step it need not be durable: a power cut leaves the old file or the new one."""
        first, *more = about  # an older zkmem reads the first only
        record = json.dumps(
            {
                "about": first,
                "more": more,
                "made": list(self._made),
                "modes": self._made,
                "respelled": self._respelled,
                "steps": self._steps,
            }
        ).encode()
        if len(record) > _LONGEST:  # `load` would refuse it after a crash
            raise OSError(errno.EFBIG, "the edit changes too many files at once")
        full = self._base + _RECORD
        files.create(full + ".new", record, durable=durable)
        platform.current.rename(full + ".new", full)
        if durable:
            self._sync_journal()

    @classmethod
    def load(cls, root: str, base: str, *, durable: bool) -> tuple["Transaction", list[Any]] | None:
        """Return a transaction that a crash interrupted, and the `about` of its record; None if there is no record."""
        refused = platform.current.exists(base + _REFUSED)
        try:
            data = files.read(base + (_REFUSED if refused else _RECORD), _LONGEST)[0]
        except FileNotFoundError:
            data = b""
        except LargeFile:
            raise DamagedRecord(f"its record has more than {_LONGEST // MB} MB") from None
        if not data:
            return None
        try:
            record = json.loads(data)
            steps = [Step(*step) for step in record["steps"]]
            respelled = dict(record.get("respelled", {}))
            folders = [*record["made"], *respelled, *respelled.values()]
            for path in [*(path for step in steps for path in (step.path, step.to) if path), *folders]:
                _check_path(root, path)
            modes = dict(record.get("modes", {}))  # an older record has none
            made = {folder: _mode(modes.get(folder)) for folder in record["made"]}
            self = cls(root, base, steps, made, respelled, durable=durable)
            self._refused, self._crashed = refused, True
            return self, [record["about"], *record.get("more", [])]  # an older record has none
        except (*MALFORMED, BadName) as error:
            raise DamagedRecord(f"its record cannot be read ({error})") from error

    def commit(self) -> None:
        """Carry out every step in order, and make all of them durable."""
        self._commit(self._on_disk)

    def written(self) -> dict[str, Stamp]:
        """Return the stamps of the files that `commit` wrote, by path, as they were when each came into place."""
        return {on_disk.step.path: on_disk.written for on_disk in self._on_disk if on_disk.written}

    def finish(self) -> list[str] | None:
        """Carry out the steps that a crash left undone; roll back if the transaction was refused or a file changed.

        Returns: None if all steps are done, else the result of `roll_back`.
        """
        states = self._states()
        if self._refused or StepState.BLOCKED in states:
            return self.roll_back()
        try:
            self._commit(
                on_disk for on_disk, state in zip(self._on_disk, states, strict=True) if state is StepState.OPEN
            )
        except (Changed, Taken, FileNotFoundError, NotADirectoryError):  # for example, a folder was moved
            return self.roll_back()
        except OSError as error:
            if error.errno not in _IMPOSSIBLE:  # else it would fail each time
                raise
            return self.roll_back()
        return None

    def refuse(self) -> None:
        """Mark the transaction so that it is never finished, even if it cannot be rolled back now."""
        platform.current.rename(self._base + _RECORD, self._base + _REFUSED)
        self._refused = True

    def roll_back(self) -> list[str]:
        """Undo the steps that are done, last step first; return a sentence for each file that was changed since."""
        states = self._states()
        sentences = [
            f"{on_disk.step.to or on_disk.step.path!r} was changed meanwhile and was left as it is"
            for on_disk, state in reversed(list(zip(self._on_disk, states, strict=True)))
            if state is StepState.DONE and not on_disk.undo()
        ]
        for folder in reversed(list(self._made)):
            with contextlib.suppress(OSError):  # the folder now holds other files, too
                platform.current.remove_folder(self._full(folder))
        for folder, old in reversed(list(self._respelled.items())):
            self._respell(folder, old)
        self._sync()
        return sentences

    def _states(self) -> list[StepState]:
        """Repair the files that an interruption has left between two renames, and return the state of each step.

        The last step comes first: on a disk that cannot swap files, it may have put aside the file of an earlier one.
        """
        return [on_disk.state(crashed=self._crashed) for on_disk in reversed(self._on_disk)][::-1]

    def discard(self, take: Take | None = None) -> None:
        """Remove the transaction's files; pass the files in its slots to `take`, if given."""
        with contextlib.suppress(FileNotFoundError):
            platform.current.unlink(self._base + (_REFUSED if self._refused else _RECORD))
            if self._durable and len(self._steps) > 1:
                self._sync_journal()  # a power cut must not bring back the record without its slots
        if take is None:  # `begin` has failed
            sweep([self._base + _RECORD + ".new"])
        for on_disk in self._on_disk:
            sweep([on_disk.slot], take, on_disk.old)
            if self._refused or self._crashed:  # else every exchange came to its end
                sweep([on_disk.slot + platform.ASIDE], take)

    def _commit(self, steps: Iterable[StepOnDisk]) -> None:
        for folder, old in self._respelled.items():
            self._respell(old, folder)
        for folder, mode in self._made.items():
            with contextlib.suppress(FileExistsError):
                platform.current.make_folder(self._full(folder), mode)
        for on_disk in steps:
            on_disk.do()
        if replaced := platform.current.replaced_folder():
            raise Changed(f"The folder {replaced[len(self._root) + 1 :] or '.'!r} was moved while it was being edited.")
        self._sync()

    def _respell(self, old: str, new: str) -> None:
        """Give a folder another spelling of its name, on a disk that ignores case."""
        if platform.current.is_one_file(self._full(old), self._full(new)):
            platform.current.rename(self._full(old), self._full(new))

    def _sync(self) -> None:
        """Make the names durable in every folder that a step, or its undoing, may have changed."""
        if self._durable:
            paths = [path for step in self._steps for path in (step.path, step.to) if path] + list(self._made)
            for folder in dict.fromkeys(os.path.dirname(self._full(path)) for path in paths):
                try:
                    platform.current.sync_folder(folder)
                except (FileNotFoundError, NotADirectoryError):
                    continue
                except OSError as error:
                    if error.errno not in _IMPOSSIBLE:  # else there is no such folder
                        raise

    def _sync_journal(self) -> None:
        platform.current.sync_folder(os.path.dirname(self._base))

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}"


def sweep(left: Iterable[str], take: Take | None = None, version: Version | None = None) -> None:
    """Remove those of the files `left` that exist. If `take` is given, pass old texts to it instead.

    These are the slots, which have the version `version` if it is given, and the files that an exchange put aside.
    """
    for full in left:
        with contextlib.suppress(FileNotFoundError):
            if take is not None and full.removesuffix(platform.ASIDE).rpartition(".")[2].isdigit():
                take(full, version)
            else:
                platform.current.unlink(full)


def _missing_folders(root: str, paths: Iterable[str], origins: Mapping[str, str]) -> dict[str, int | None]:
    """Return the folders that must be made for some new files, outermost first, and their permissions.

    `origins`: new path -> old path of moved files, whose folders' permissions count; None stands for the usual ones.
    """
    missing: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(len(parts), 0, -1):
            folder = "/".join(parts[:depth])
            full = f"{root}/{folder}"
            if folder in missing or os.path.isdir(full):
                break
            if platform.current.exists(full):
                if _is_folder(full):  # Python may not find it on Windows: its path is long
                    break
                reason = f"a file stands where the folder {parts[depth - 1]!r} should be"
                raise OSError(errno.ENOTDIR, reason, f"{root}/{path}")
            missing[folder] = None
    moves = ((old, new) for new, old in origins.items() if missing and new != TRASH and not new.startswith(TRASH + "/"))
    modes = files.folder_modes(root, moves)
    return {folder: modes.get(folder) for folder in sorted(missing)}


def _is_folder(full: str) -> bool:
    try:
        return stat.S_ISDIR(platform.current.info(full).st_mode)
    except OSError:
        return False


def _mode(value: object) -> int | None:
    """Return the permissions in a record."""
    if value is None:
        return None
    if isinstance(value, int) and stat.S_IMODE(value) == value:
        return value | stat.S_IRWXU
    raise ValueError(f"{value!r} are no permissions")


def _check_path(root: str, path: str) -> None:
    """Refuse a path that no step may change."""
    if is_hidden(path.removeprefix(TRASH + "/")) and path != TRASH:
        raise BadName(path, "it is hidden")
    if locate(root, path) != f"{root}/{path}":
        raise BadName(path, "it leads through a symbolic link")
