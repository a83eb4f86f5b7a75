"""One change to one file that can be done, undone, and told from the files alone: the grain of a transaction.

A step has a *slot*, a file in the journal. New bytes wait in it; the step swaps slot and file, so that the slot holds
what was there. What a person saved at the very moment is seen in the slot then, and swapped back.
"""

import contextlib
import enum
import os
from typing import NamedTuple

from zkmem.errors import Changed, Taken
from zkmem.vault import files
from zkmem.vault.nofollow import exists, info


class Step(NamedTuple):
    """A change from the etag `before` to `after` (None: there is no file), or a move."""

    path: str
    before: str | None
    after: str | None
    to: str | None = None  # of a move; its bytes stay as they are

    @property
    def has_bytes(self) -> bool:
        """Whether new bytes wait in its slot."""
        return self.to is None and self.after is not None


class State(enum.Enum):
    """How a step stands."""

    OPEN = "it can still be done"
    DONE = "it is done"
    BLOCKED = "it is not done, and somebody has changed the file since"


class StepOnDisk:
    """A step, and where its files are on disk."""

    def __init__(self, root: str, slot: str, step: Step, source: str, becomes: str | None) -> None:
        """Place a step.

        Its file is at the path `source` until another step moves it here; a file that it moves gets the etag `becomes`
        in a step after it, if any.
        """
        self.step = step
        self.slot = slot
        self._seen: tuple[str, files.Stamp] | None = None  # the etag and the stamp of what came into the slot
        self.source = os.path.join(root, source)
        self._becomes = becomes
        self._full = os.path.join(root, step.path)
        self._to = os.path.join(root, step.to or step.path)

    @property
    def like(self) -> str | None:
        """The file whose permissions and owner its new bytes get, if it replaces one."""
        return self.source if self.step.before is not None else None

    @property
    def holds(self) -> str | None:
        """The etag of what is in the slot, if it is still what the step has put there."""
        with contextlib.suppress(OSError):
            if self._seen and files.Stamp.of(info(self.slot)) == self._seen[1]:
                return self._seen[0]
        return None

    def do(self) -> None:
        """Do it.

        Raises:
            Changed, Taken: when the file is not as the step expects it. OSError: when the disk refuses.
        """
        step = self.step
        try:
            if step.before is not None and _tag(self._full, step.before) != step.before:  # a person's text must stay
                raise Changed(f"{step.path!r} was changed while it was being edited.")
            if step.to is not None:
                files.move(self._full, self._to)
            elif step.before is None:
                files.move(self.slot, self._full)
            elif step.after is None:
                files.move(self._full, self.slot)
            else:
                files.exchange(self.slot, self._full)
        except FileExistsError:
            raise Taken(f"There is a file at {step.to or step.path!r} already; nothing was overwritten.") from None
        except (FileNotFoundError, NotADirectoryError):
            raise Changed(f"{step.path!r} was removed while it was being edited.") from None
        if step.to is None and step.before is not None:
            self._seen = _seen(self.slot)
            if self._seen is None or self._seen[0] != step.before:
                self._give_back()
                raise Changed(f"{step.path!r} was changed while it was being edited.")

    def _give_back(self) -> None:
        """Put back what somebody saved in the very moment before the step; a still later save of theirs wins."""
        try:
            if self.step.after is None:
                files.move(self.slot, self._full)
                return
            files.exchange(self.slot, self._full)
            if _tag(self.slot) != self.step.after:
                files.exchange(self.slot, self._full)
        except FileExistsError:
            return
        except FileNotFoundError:
            files.move(self.slot, self._full)

    def state(self, *, crashed: bool) -> State:
        """How it stands; what is left between two renames of one step, by a crash perhaps, is mended first.

        Raises:
            OSError: when the disk refuses.
        """
        step = self.step
        if step.to is not None:
            return self._state_of_move(crashed)
        if step.before is None:
            files.settle_move(self.slot, self._full, crashed=crashed)
            return _open_unless(exists(self._full)) if exists(self.slot) else State.DONE
        if step.after is None:
            files.settle_move(self._full, self.slot, crashed=crashed)
        else:
            files.settle(self.slot)
        waiting = _tag(self.slot)
        if waiting == step.before or (waiting is None and (step.has_bytes or not exists(self._full))):
            return State.DONE
        if waiting != step.after:
            self._give_back()
            return State.BLOCKED
        return _open_unless(step.before not in {_tag(self._full), _tag(self.source)})

    def _state_of_move(self, crashed: bool) -> State:
        files.settle_move(self._full, self._to, crashed=crashed)
        if not exists(self._full):
            return State.DONE if exists(self._to) else State.BLOCKED
        if not exists(self._to) or files.is_one_file(self._full, self._to):
            return _open_unless(_tag(self._full, self.step.before) != self.step.before)
        return State.DONE if _tag(self._to, self.step.before) in {self.step.before, self._becomes} else State.BLOCKED

    def undo(self) -> bool:
        """Take it back, if it is done; False where somebody has changed the file since.

        Raises:
            OSError: when the disk refuses.
        """
        step = self.step
        try:
            if step.to is not None:
                files.move(self._to, self._full)
            elif step.after is None:
                files.move(self.slot, self._full)
            elif _tag(self._full) != step.after:
                return False
            elif step.before is None:
                files.move(self._full, self.slot)
                if _tag(self.slot) != step.after:
                    files.move(self.slot, self._full)
                    return False
            else:
                files.exchange(self.slot, self._full)
                if _tag(self.slot) != step.after:
                    files.exchange(self.slot, self._full)
                    return False
        except (FileExistsError, FileNotFoundError):
            return False
        return True


def _open_unless(blocked: bool) -> State:
    return State.BLOCKED if blocked else State.OPEN


def _tag(full: str, like: str | None = None) -> str | None:
    """The etag of a file, in the manner of `like`; None where there is none, "" where it cannot be read."""
    try:
        return files.tag_of(full, like)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""


def _seen(full: str) -> tuple[str, files.Stamp] | None:
    """The etag and the stamp of a file; None where it cannot be read."""
    try:
        return files.tag_and_stamp_of(full, None)
    except OSError:
        return None
