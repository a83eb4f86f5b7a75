"""A step of a transaction: one change to one file that can be done and undone; the files on disk show its state.

A step has a *slot*, a file in the journal that first holds the new bytes. The step swaps the slot and the file, and the
slot then holds the old bytes. If a person saved the file at that moment, the slot shows it, and the step swaps back.
"""

import enum
from typing import NamedTuple

from zkmem.errors import Changed, Taken
from zkmem.names import base_of
from zkmem.vault import files, platform
from zkmem.vault.paths import DiskNames


class Step(NamedTuple):
    """A change from the etag `before` to `after` (None: there is no file), or a move."""

    path: str
    before: str | None
    after: str | None
    to: str | None = None  # the new path, if the step is a move; the bytes stay as they are

    @property
    def has_bytes(self) -> bool:
        """Whether the slot holds new bytes before the step is done."""
        return self.to is None and self.after is not None


class StepState(enum.Enum):
    """The state of a step."""

    OPEN = "it can still be done"
    DONE = "it is done"
    BLOCKED = "it is not done, and another program has changed the file"


class StepOnDisk:
    """A step, and the paths of its files on disk."""

    def __init__(
        self,
        root: str,
        slot: str,
        step: Step,
        source: str,
        becomes: str | None,
        known: files.Version | None = None,
        like: str | None = None,
    ) -> None:
        """Find the paths of a step's files.

        `source`: the path of the step's file before another step moves it to `step.path`. `becomes`: for a move, the
        etag that a later step gives the moved file, if any. `known`: the version of the file that the caller has read.
        `like`: the file whose permissions the new file gets instead of those of the file that it replaces.
        """
        self.step = step
        self.slot = slot
        self.written: files.Stamp | None = None  # the stamp of the new file, once it is in place
        self._known = known
        self.old: files.Version | None = None  # the version of the old file, once it is in the slot
        self.source = f"{root}/{source}"
        self._becomes = becomes
        self._like = f"{root}/{like}" if like else None
        self._full = f"{root}/{step.path}"
        self._to = f"{root}/{step.to or step.path}"

    @property
    def like(self) -> str | None:
        """The file whose permissions and owner the new file gets; None if there is none."""
        return self._like or (self.source if self.step.before is not None else None)

    def do(self) -> None:
        """Carry out the step."""
        step = self.step
        new = _stamp(self.slot) if step.has_bytes else None
        try:
            if step.before is not None and not self._is_as_before():  # a person's text must stay
                raise Changed(f"{step.path!r} was changed while it was being edited.").about(step.path)
            if step.to is not None:
                files.move(self._full, self._to)
            elif step.before is None:
                files.move(self.slot, self._full)
            elif step.after is None:
                files.move(self._full, self.slot)
            else:
                files.exchange(self.slot, self._full)
        except FileExistsError:
            if step.to is None and step.before is not None:  # somebody saved the file when its name was free
                raise Changed(f"{step.path!r} was changed while it was being edited.").about(step.path) from None
            raise Taken(f"There is a file at {step.to or step.path!r} already; nothing was overwritten.") from None
        except (FileNotFoundError, NotADirectoryError):
            raise Changed(f"{step.path!r} was removed while it was being edited.").about(step.path) from None
        if new and (now := _stamp(self._full)) and (now.inode, now.mtime_ns) == (new.inode, new.mtime_ns):
            self.written = now  # else somebody has saved the file since
        if step.to is None and step.before is not None:
            self.old = _version(self.slot)
            if self.old is None or self.old.tag != step.before:
                self._give_back()
                raise Changed(f"{step.path!r} was changed while it was being edited.").about(step.path)

    def _is_as_before(self) -> bool:
        """Return whether the file has the etag that the step expects; read it only if its stamp does not show that."""
        known, before = self._known, self.step.before
        return (known is not None and known == (before, _stamp(self._full))) or _tag(self._full, before) == before

    def _give_back(self) -> None:
        """Put back a file that a person saved just before the step, unless they have saved it again since."""
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

    def state(self, *, crashed: bool) -> StepState:
        """Return the state of the step. First repair the files if a crash interrupted the step between two renames."""
        step = self.step
        if step.to is not None:
            return self._state_of_move(crashed)
        if step.before is None:
            files.settle_move(self.slot, self._full, crashed=crashed)
            return (
                _open_unless(platform.current.exists(self._full))
                if platform.current.exists(self.slot)
                else StepState.DONE
            )
        if step.after is None:
            files.settle_move(self._full, self.slot, crashed=crashed)
        elif not files.settle(self.slot, self._full):
            return StepState.BLOCKED
        in_slot = _tag(self.slot)
        if in_slot == step.before or (in_slot is None and (step.has_bytes or not platform.current.exists(self._full))):
            return StepState.DONE
        if in_slot != step.after:
            self._give_back()
            return StepState.BLOCKED
        return _open_unless(step.before not in {_tag(self._full), _tag(self.source)})

    def _state_of_move(self, crashed: bool) -> StepState:
        files.settle_move(self._full, self._to, crashed=crashed)
        if not platform.current.exists(self._full):
            return StepState.DONE if platform.current.exists(self._to) else StepState.BLOCKED
        if not platform.current.exists(self._to) or (
            platform.current.is_one_file(self._full, self._to) and self._has_old_name()
        ):
            return _open_unless(_tag(self._full, self.step.before) != self.step.before)
        return (
            StepState.DONE
            if _tag(self._to, self.step.before) in {self.step.before, self._becomes}
            else StepState.BLOCKED
        )

    def _has_old_name(self) -> bool:
        """Return whether a file has the old one of two names that the disk takes for one."""
        folder, name = self._to.rpartition("/")[::2]
        return base_of(self._full) == name or DiskNames(folder).spelled(name) != name

    def undo(self) -> bool:
        """Undo the step, which must be done; return False if another program has changed the file since."""
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


def _open_unless(blocked: bool) -> StepState:
    return StepState.BLOCKED if blocked else StepState.OPEN


def _tag(full: str, like: str | None = None) -> str | None:
    """Return the tag of a file as `files.tag_of` does; None if there is no file, "" if it cannot be read."""
    try:
        return files.tag_of(full, like)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""


def _version(full: str) -> files.Version | None:
    """Return the version of a file; None if it cannot be read."""
    try:
        return files.version_of(full, None)
    except OSError:
        return None


def _stamp(full: str) -> files.Stamp | None:
    """Return the stamp of a file; None if there is none."""
    try:
        return files.Stamp.of(platform.current.info(full))
    except OSError:
        return None
