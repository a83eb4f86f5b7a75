"""Several changes to files as one: all of them happen or none, whatever dies in between.

A transaction has files in `.zkmem/journal/`: a slot for each step, and the *record* of all steps, written last. So
whoever finds the record can finish the steps, or take them back.
"""

import contextlib
import errno
import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from zkmem.errors import BadName, Changed, Taken
from zkmem.vault import files, nofollow
from zkmem.vault.files import MB, LargeFile
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.step import State, Step, StepOnDisk
from zkmem.vault.paths import TRASH, is_hidden, locate

_RECORD, _REFUSED = ".record", ".refused"
_MANY, _AT_ONCE = 8, 8  # from this many slots on, use this many threads
_MOST_GROUPS = 12  # of that many slots, which are open until they are durable
_LONGEST = 50 * MB  # of a record: some 200 bytes for each file of an edit; a line of the log is shorter


Take = Callable[[str, str], object]
"""(file, its etag): takes the file away."""


class Damaged(Exception):
    """A record that says nothing that could be carried out."""


class Transaction:
    """Steps over files below `root`, whose own files begin with `base`. Paths are spelled as they are on disk."""

    def __init__(self, root: str, base: str, steps: Iterable[Step], made: Iterable[str], *, durable: bool) -> None:
        self._root = root
        self._base = base
        self._steps = tuple(steps)
        came = {step.to: step.path for step in self._steps if step.to}
        become = {step.path: step.after for step in self._steps if not step.to}
        self._placed = [
            StepOnDisk(root, f"{base}.{number}", step, came.get(step.path, step.path), become.get(step.to or ""))
            for number, step in enumerate(self._steps)
        ]
        self._made = tuple(made)  # folders that did not exist, outermost first
        self._durable = durable
        self._refused = False
        self._crashed = False

    @classmethod
    def begin(
        cls, root: str, journal: str, steps: Iterable[Step], data: Mapping[str, bytes], about: object, *, durable: bool
    ) -> "Transaction":
        """Write everything down that is needed to carry the steps out; no file of the vault is touched.

        `data` has, by path, the new bytes of the files that get some; `about` is kept in the record, as JSON.

        Raises:
            OSError: when the disk refuses; nothing is left behind then.
        """
        steps = tuple(steps)
        for step in steps:
            _check_path(root, step.path)
            if step.to:
                _check_path(root, step.to)
        made = _missing_folders(root, (step.to or step.path for step in steps if step.before is None or step.to))
        self = cls(root, os.path.join(journal, secrets.token_hex(6)), steps, made, durable=durable)
        try:
            self._fill_slots(data)
            self._write_record(about, durable=durable and len(steps) > 1)
        except FileNotFoundError as error:  # of a file that is to be replaced
            self.discard()
            raise Changed(f"A file was removed while the edit was being made: {error.filename}.") from None
        except BaseException:
            self.discard()
            raise
        return self

    def _fill_slots(self, data: Mapping[str, bytes]) -> None:
        """Write the new bytes of files; threads make many of them durable while the next ones are written."""
        filled = [placed for placed in self._placed if placed.step.has_bytes]
        if not self._durable or len(filled) < _MANY:
            for placed in filled:
                files.create(placed.slot, data[placed.step.path], like=placed.like, durable=self._durable)
            return
        from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - seldom needed

        with ThreadPoolExecutor(_AT_ONCE) as pool:  # its threads take no lock, and end before the block does
            syncs: list[Future[None]] = []
            for start in range(0, len(filled), _MANY):
                if len(syncs) >= _MOST_GROUPS:
                    syncs[-_MOST_GROUPS].result()
                handles: list[int] = []
                try:
                    handles.extend(
                        files.created(placed.slot, data[placed.step.path], like=placed.like)
                        for placed in filled[start : start + _MANY]
                    )
                finally:
                    syncs.append(pool.submit(files.sync, handles))
            for sync in syncs:
                sync.result()

    def _write_record(self, about: object, *, durable: bool) -> None:
        """One step needs no durable record: a power cut leaves its file as it was or as it should be."""
        record = json.dumps({"about": about, "made": self._made, "steps": self._steps}).encode()
        if len(record) > _LONGEST:  # it would not be read after a crash
            raise OSError(errno.EFBIG, "the edit changes too many files at once")
        full = self._base + _RECORD
        files.create(full + ".new", record, durable=durable)
        os.rename(full + ".new", full)
        if durable:
            self._sync_journal()

    @classmethod
    def load(cls, root: str, base: str, *, durable: bool) -> tuple["Transaction", Any] | None:
        """A transaction as a crash left it, and what it is about; None if its record was never written.

        Raises:
            Damaged: when the record makes no sense.
        """
        refused = os.path.exists(base + _REFUSED)
        try:
            data = files.read(base + (_REFUSED if refused else _RECORD), _LONGEST)[0]
        except FileNotFoundError:
            data = b""
        except LargeFile:
            raise Damaged(f"its record has more than {_LONGEST // MB} MB") from None
        if not data:
            return None
        try:
            record = json.loads(data)
            steps = [Step(*step) for step in record["steps"]]
            for path in [*(path for step in steps for path in (step.path, step.to) if path), *record["made"]]:
                _check_path(root, path)
            found = cls(root, base, steps, record["made"], durable=durable)
            found._refused, found._crashed = refused, True
            return found, record["about"]
        except (*MALFORMED, BadName) as error:
            raise Damaged(f"its record cannot be read ({error})") from error

    def commit(self) -> None:
        """Do every step, in order, and make them durable.

        Raises:
            Changed, Taken: when a file is not as the step expects it. OSError: when the disk refuses. What was done
            until then is for `roll_back`.
        """
        self._commit(self._placed)

    def finish(self) -> list[str] | None:
        """Carry out, after a crash, what is left to do; or take all back if it was refused, or a file was changed.

        Returns: None if all is done now, else what `roll_back` returns.

        Raises:
            Changed, Taken, OSError: as `commit`.
        """
        states = [placed.state(crashed=self._crashed) for placed in self._placed]
        if self._refused or State.BLOCKED in states:
            return self.roll_back()
        try:
            self._commit(placed for placed, state in zip(self._placed, states, strict=True) if state is State.OPEN)
        except (Changed, Taken, FileNotFoundError, NotADirectoryError):  # folders were moved about, say
            return self.roll_back()
        return None

    def refuse(self) -> None:
        """Make sure that it is never finished, even if it cannot be taken back now.

        Raises:
            OSError: when the disk refuses.
        """
        os.rename(self._base + _RECORD, self._base + _REFUSED)
        self._refused = True

    def roll_back(self) -> list[str]:
        """Undo, last step first, what is done; returns a sentence for each file that somebody changed since.

        Raises:
            OSError: when the disk refuses.
        """
        states = [placed.state(crashed=self._crashed) for placed in self._placed]
        kept = [
            f"{placed.step.to or placed.step.path!r} was changed meanwhile and was left as it is"
            for placed, state in reversed(list(zip(self._placed, states, strict=True)))
            if state is State.DONE and not placed.undo()
        ]
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # not ours alone any more
                nofollow.remove_folder(self._full(folder))
        self._sync()
        return kept

    def discard(self, take: Take | None = None) -> None:
        """Remove the transaction's files; what is in its slots is for `take` to keep, if given."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._base + (_REFUSED if self._refused else _RECORD))
            if self._durable and len(self._steps) > 1:
                self._sync_journal()  # without its slots, a record that came back would mislead
        sweep([self._base + _RECORD + ".new"])
        for placed in self._placed:
            sweep([placed.slot], take, placed.holds)

    def _commit(self, steps: Iterable[StepOnDisk]) -> None:
        for folder in self._made:
            with contextlib.suppress(FileExistsError):
                nofollow.make_folder(self._full(folder))
        for placed in steps:
            placed.do()
        if replaced := nofollow.replaced_folder():
            raise Changed(f"The folder {os.path.relpath(replaced, self._root)!r} was moved while it was being edited.")
        self._sync()

    def _sync(self) -> None:
        """Make the names in every folder durable that a step, or its undoing, may have touched."""
        if self._durable:
            paths = [path for step in self._steps for path in (step.path, step.to) if path] + list(self._made)
            for folder in dict.fromkeys(os.path.dirname(self._full(path)) for path in paths):
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    files.sync_folder(folder)

    def _sync_journal(self) -> None:
        files.sync_folder(os.path.dirname(self._base))

    def _full(self, path: str) -> str:
        return os.path.join(self._root, path)


def sweep(left: Iterable[str], take: Take | None = None, tag: str | None = None) -> None:
    """Remove files of a transaction, as far as they are there; a slot is for `take` to keep, if given.

    `tag`: the etag of the bytes in the slots, where it is known.
    """
    for full in left:
        with contextlib.suppress(FileNotFoundError):
            if take is not None and full.rpartition(".")[2].isdigit():
                take(full, tag or files.tag_of(full, None))
            else:
                os.unlink(full)


def _missing_folders(root: str, paths: Iterable[str]) -> list[str]:
    """The folders that must be made for some new files, outermost first.

    Raises:
        OSError: when a file stands where one of them should be.
    """
    missing: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(len(parts), 0, -1):
            folder = "/".join(parts[:depth])
            full = os.path.join(root, folder)
            if os.path.isdir(full) or folder in missing:
                break
            if os.path.lexists(full):
                raise OSError(errno.ENOTDIR, f"a file stands where the folder {parts[depth - 1]!r} should be")
            missing[folder] = None
    return sorted(missing)


def _check_path(root: str, path: str) -> None:
    """Refuse a path that leads to where no step has any business.

    Raises:
        BadName.
    """
    if is_hidden(path.removeprefix(TRASH + "/")) and path != TRASH:
        raise BadName(path, "it is hidden")
    if locate(root, path) != os.path.join(root, path):
        raise BadName(path, "a symbolic link is on its way")
