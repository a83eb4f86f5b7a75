"""Several changes to files as one: all of them happen or none, whatever dies in between.

A transaction has files in `.zkmem/journal/`: a *slot* for each step, and the *record* of all steps, written last.
New bytes wait in their slot; a step then swaps slot and file, so that the slot holds what was there. So every step
can be taken back, and what a person saved at the very moment is seen in the slot and swapped back. What is done and
what is not is told from the files alone; the same code finishes a step the first time and after a crash.
"""

import contextlib
import enum
import errno
import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from zkmem.errors import BadName, Changed, Taken
from zkmem.vault import files
from zkmem.vault.files import etag
from zkmem.vault.paths import TRASH, is_hidden, locate

_RECORD, _REFUSED = ".record", ".refused"


class Step(NamedTuple):
    """One change to one file: from the etag `before` to `after` (None: there is no file), or a move."""

    path: str
    before: str | None
    after: str | None
    to: str | None = None  # of a move; its bytes stay as they are

    @property
    def has_bytes(self) -> bool:
        """Whether new bytes wait in its slot."""
        return self.to is None and self.after is not None


class _Done(enum.Enum):
    NO = "it can still be done"
    YES = "it is done"
    BLOCKED = "it is not done, and somebody has changed the file since"


Take = Callable[[str, str], object]
"""(file, its etag): takes the file away."""


class Damaged(Exception):
    """A record that says nothing that could be carried out."""


class Transaction:
    """Steps over files below `root`, whose own files begin with `base`. Paths are spelled as they are on disk."""

    def __init__(self, root: str, base: str, steps: Iterable[Step], made: Iterable[str], *, durable: bool) -> None:
        self._root = root
        self._base = base
        self.steps = tuple(steps)
        self._made = tuple(made)  # folders that did not exist, outermost first
        self._durable = durable
        self._refused = False

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
            for number, step in enumerate(steps):
                if step.has_bytes:
                    like = self._full(step.path) if step.before is not None else None
                    if like and not os.path.lexists(like):  # it will only be there after a move
                        like = next(self._full(one.path) for one in steps if one.to == step.path)
                    files.create(self._slot(number), data[step.path], like=like, durable=durable)
            self._write_record(about, durable=durable and len(steps) > 1)
        except BaseException:
            self.discard()
            raise
        return self

    def _write_record(self, about: object, *, durable: bool) -> None:
        """One step needs no durable record: a power cut leaves its file as it was or as it should be."""
        record = {"about": about, "made": self._made, "steps": self.steps}
        full = self._base + _RECORD
        files.create(full + ".new", json.dumps(record).encode(), durable=durable)
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
            data = files.read(base + (_REFUSED if refused else _RECORD))[0]
        except FileNotFoundError:
            data = b""
        if not data:
            return None
        try:
            record = json.loads(data)
            steps = [Step(*step) for step in record["steps"]]
            for path in [*(path for step in steps for path in (step.path, step.to) if path), *record["made"]]:
                _check_path(root, path)
            found = cls(root, base, steps, record["made"], durable=durable)
            found._refused = refused
            return found, record["about"]
        except (ValueError, TypeError, KeyError, AttributeError, BadName) as error:
            raise Damaged(f"its record cannot be read ({error})") from error

    def carry_out(self) -> None:
        """Do every step, in order, and make them durable.

        Raises:
            Changed, Taken: when a file is not as the step expects it. OSError: when the disk refuses. What was done
            until then is for `take_back`.
        """
        self._carry_out(range(len(self.steps)))

    def finish(self) -> list[str] | None:
        """Carry out, after a crash, what is left to do; or take all back if it was refused, or a file was changed.

        Returns: None if all is done now, else what `take_back` returns.

        Raises:
            Changed, Taken, OSError: as `carry_out`.
        """
        found = [self._found(number, step) for number, step in enumerate(self.steps)]
        if self._refused or _Done.BLOCKED in found:
            return self.take_back()
        self._carry_out(number for number, done in enumerate(found) if done is _Done.NO)
        return None

    def refuse(self) -> None:
        """Make sure that it is never finished, even if it cannot be taken back now.

        Raises:
            OSError: when the disk refuses.
        """
        os.rename(self._base + _RECORD, self._base + _REFUSED)
        self._refused = True

    def take_back(self) -> list[str]:
        """Undo, last step first, what is done; returns a sentence for each file that somebody changed since.

        Raises:
            OSError: when the disk refuses.
        """
        found = [self._found(number, step) for number, step in enumerate(self.steps)]
        kept = [
            f"{step.to or step.path!r} was changed meanwhile and was left as it is"
            for number, step in reversed(list(enumerate(self.steps)))
            if found[number] is _Done.YES and not self._undo(number, step)
        ]
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # not ours alone any more
                os.rmdir(self._full(folder))
        self._sync()
        return kept

    def discard(self, take: Take | None = None) -> None:
        """Remove the transaction's files; what is in its slots is for `take` to keep, if given."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._base + (_REFUSED if self._refused else _RECORD))
            if self._durable and len(self.steps) > 1:
                self._sync_journal()  # without its slots, a record that came back would mislead
        sweep([self._base + _RECORD + ".new", *map(self._slot, range(len(self.steps)))], take)

    def _carry_out(self, numbers: Iterable[int]) -> None:
        for folder in self._made:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._full(folder))
        for number in numbers:
            self._do(number, self.steps[number])
        self._sync()

    def _do(self, number: int, step: Step) -> None:
        slot, full = self._slot(number), self._full(step.path)
        try:
            if step.before is not None and _tag(full) != step.before:  # what a person saved goes not even for a moment
                raise Changed(f"{step.path!r} was changed while it was being edited.")
            if step.to is not None:
                files.move(full, self._full(step.to))
            elif step.before is None:
                files.move(slot, full)
            elif step.after is None:
                files.move(full, slot)
            else:
                files.exchange(slot, full)
        except FileExistsError:
            raise Taken(f"There is a file at {step.to or step.path!r} already; nothing was overwritten.") from None
        except (FileNotFoundError, NotADirectoryError):
            raise Changed(f"{step.path!r} was removed while it was being edited.") from None
        if step.to is None and step.before is not None and _tag(slot) != step.before:
            self._give_back(slot, full, step)
            raise Changed(f"{step.path!r} was changed while it was being edited.")

    @staticmethod
    def _give_back(slot: str, full: str, step: Step) -> None:
        """Put back what somebody saved in the very moment before a step; a still later save of theirs wins."""
        try:
            if step.after is None:
                files.move(slot, full)
                return
            files.exchange(slot, full)
            if _tag(slot) != step.after:
                files.exchange(slot, full)
        except FileExistsError:
            return
        except FileNotFoundError:
            files.move(slot, full)

    def _found(self, number: int, step: Step) -> _Done:
        """How a step stands, as its files tell; what a crash left between two renames of one step is mended."""
        slot, full = self._slot(number), self._full(step.path)
        if step.to is not None:
            return self._found_move(step, full, self._full(step.to))
        if step.before is None:
            if files.is_half_moved(slot, full):
                os.unlink(slot)
            return _Done.YES if not os.path.lexists(slot) else _blocked_if(os.path.lexists(full))
        files.settle(slot)
        waiting = _tag(slot)
        if waiting == step.before or (waiting is None and (step.has_bytes or not os.path.lexists(full))):
            return _Done.YES
        if waiting != step.after:
            self._give_back(slot, full, step)
            return _Done.BLOCKED
        source = next((self._full(one.path) for one in self.steps if one.to == step.path), full)
        return _blocked_if(step.before not in {_tag(full), _tag(source)})

    def _found_move(self, step: Step, full: str, to: str) -> _Done:
        if files.is_half_moved(full, to):
            os.unlink(full)
        if not os.path.lexists(full):
            return _Done.YES
        if not os.path.lexists(to) or files.is_one_file(full, to):
            return _blocked_if(_tag(full) != step.before)
        ours = {step.before, *(one.after for one in self.steps if one.path == step.to)}
        return _Done.YES if _tag(to) in ours else _Done.BLOCKED

    def _undo(self, number: int, step: Step) -> bool:
        """Take back one step that is done; False where somebody has changed the file since."""
        slot, full = self._slot(number), self._full(step.path)
        try:
            if step.to is not None:
                files.move(self._full(step.to), full)
            elif step.after is None:
                files.move(slot, full)
            elif _tag(full) != step.after:
                return False
            elif step.before is None:
                files.move(full, slot)
            else:
                files.exchange(slot, full)
        except (FileExistsError, FileNotFoundError):
            return False
        return True

    def _sync(self) -> None:
        """Make the names in every folder durable that a step, or its undoing, may have touched."""
        if self._durable:
            paths = [path for step in self.steps for path in (step.path, step.to) if path] + list(self._made)
            for folder in dict.fromkeys(os.path.dirname(self._full(path)) for path in paths):
                with contextlib.suppress(FileNotFoundError):
                    files.sync_folder(folder)

    def _slot(self, number: int) -> str:
        return f"{self._base}.{number}"

    def _sync_journal(self) -> None:
        files.sync_folder(os.path.dirname(self._base))

    def _full(self, path: str) -> str:
        return os.path.join(self._root, path)


def sweep(left: Iterable[str], take: Take | None = None) -> None:
    """Remove files of a transaction, as far as they are there; a slot is for `take` to keep, if given."""
    for full in left:
        with contextlib.suppress(FileNotFoundError):
            if take is not None and full.rpartition(".")[2].isdigit():
                take(full, etag(files.read(full)[0]))
            else:
                os.unlink(full)


def _blocked_if(blocked: bool) -> _Done:
    return _Done.BLOCKED if blocked else _Done.NO


def _tag(full: str) -> str | None:
    """The etag of a file; None where there is none, "" where it cannot be read."""
    try:
        return etag(files.read(full)[0])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""


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
    if locate(root, path, follow=False) != os.path.join(root, path):
        raise BadName(path, "a symbolic link is on its way")
