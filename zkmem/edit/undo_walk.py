"""Follow files back through the log of edits: where each file is now, and which edits changed it.

Some of the edits are *chosen*: they are to be undone. The others stay.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from zkmem.errors import EditedSince
from zkmem.names import name_of
from zkmem.past.files import BRING_BACK, FileState, effective
from zkmem.vault.journal.log import Change, Edit, client_name, origin
from zkmem.vault.paths import is_hidden

ACCEPT = "accept"
"""The tool of an edit that takes a proposed edit back: to undo it is to accept the proposed edit."""

_VERBS = {"undo": "redone", ACCEPT: "accepted"}


@dataclass(eq=False)
class Segment:
    """Chosen changes of the text of one file that follow each other.

    `before` and `after` are the file before the first and after the last of them.
    """

    first: Edit
    last: Edit
    before: FileState
    after: FileState
    later: int  # how many of the file's edits that stay came after it
    is_closed: bool = False  # whether an edit that stays wrote the text before

    @property
    def is_relinking(self) -> bool:
        """Whether the changes only updated links, because of a renaming."""
        return self.first is self.last and self.last.is_renaming


@dataclass(eq=False)
class PastFile:
    """A file that edits have changed. The lists have the newest first."""

    now: str | None  # its path on the disk; None if an edit has removed it
    path: str  # its path without the chosen edits
    deleted_from: str = ""  # its path before an edit that stays moved it to the trash
    segments: list[Segment] = field(default_factory=list)
    moves: list[tuple[Edit, Change]] = field(default_factory=list)  # the chosen ones
    later: list[tuple[Edit, FileState]] = field(default_factory=list)  # that stay, each with the file after it
    later_moves: list[Edit] = field(default_factory=list)
    is_chosen: bool = False  # whether a chosen edit has changed it
    etag_now: str | None = None  # of its present text; `undo_plan.py` looks it up

    @property
    def is_created(self) -> bool:
        """Whether a chosen edit has created the file."""
        return bool(self.segments) and self.segments[-1].before.etag is None

    @property
    def is_deleted(self) -> bool:
        """Whether an edit that stays has deleted the file."""
        if self.now is None:
            return not self.segments or self.segments[0].after.etag is not None
        return bool(self.later_moves) and is_hidden(self.now) and self.path == self.now

    @property
    def deletion(self) -> tuple[Edit, Change] | None:
        """The chosen edit that moved the file to the trash, and its change; None if there is none."""
        newest = self.moves[0] if self.moves else None
        return newest if newest and is_hidden(newest[1].to or "") and not is_hidden(newest[1].path) else None

    def later_than(self, segment: Segment) -> Iterator[tuple[Edit, FileState]]:
        """Yield the edits that stay and came after a segment, the oldest first, with the file after each."""
        return reversed(self.later[: segment.later])


class UndoWalk:
    """The way back through the log, from now to the first chosen edit."""

    def __init__(
        self,
        edits: Sequence[Edit],
        chosen: Collection[int],
        is_foreign: Callable[[PastFile], bool] = lambda _: False,
        whole: Sequence[Edit] = (),
    ) -> None:
        """Go back through `edits`, all edits since the first chosen one, in order. `chosen` are the numbers of those.

        `is_foreign`: whether the caller may not see what the edits that stay have done with a file; `whole`: the edits
        with all of their changes, if some of `edits` have only a part.

        Raises:
            EditedSince: when an edit that stays has moved a file that a chosen edit had moved or created.
        """
        self._chosen = frozenset(chosen)
        self._is_foreign = is_foreign
        self._at: dict[str, PastFile] = {}  # by the path at the time that the walk has reached
        self.files: list[PastFile] = []  # that chosen edits have changed
        self.edits: list[Edit] = []  # the chosen ones, the newest first
        self.etags_before: dict[str, str | None] = {}  # before all edits, at each path that one has changed
        for change in (change for edit in whole or edits for change in edit.changes):
            self.etags_before.setdefault(change.path, change.before)
            if change.to is not None:
                self.etags_before.setdefault(change.to, None)
        for edit in effective(edits, self._chosen):
            self._back(edit)

    def _back(self, edit: Edit) -> None:
        """Go back to the time before an edit."""
        is_chosen = edit.number in self._chosen
        if is_chosen:
            self.edits.append(edit)
        for change in reversed(edit.changes):
            file = self._after(change)
            if is_chosen and not file.is_chosen:
                file.is_chosen = True
                self.files.append(file)
            if change.to is not None or change.before is not None or edit.tool in BRING_BACK:
                self._at[change.path] = file
            if not is_chosen:
                _keep(edit, change, file)
            elif change.to is not None:
                self._take_move(edit, change, file)
            else:
                self._take_text(edit, change, file)

    def _after(self, change: Change) -> PastFile:
        """Return the file as a change has left it."""
        path = change.to or change.path
        file = self._at.pop(path, None)
        if file is None:
            is_removed = change.to is None and change.after is None
            file = PastFile(None if is_removed else path, path)
        return file

    def _take_move(self, edit: Edit, change: Change, file: PastFile) -> None:
        file.moves.append((edit, change))
        if file.is_deleted:
            return
        if not (edit.tool == ACCEPT and is_hidden(change.path)):  # a proposed deletion follows a note to its new name
            self._check_place(edit, change.to or "", file)
        elif self._is_foreign(file):
            raise beyond(edit)
        file.path = change.path

    def _take_text(self, edit: Edit, change: Change, file: PastFile) -> None:
        if change.before is None and not file.is_deleted and change.after is not None:
            self._check_place(edit, change.path, file)
        oldest = file.segments[-1] if file.segments else None
        before, after = FileState(change.path, change.before), FileState(change.path, change.after)
        if oldest is not None and oldest.before.etag == after.etag and not oldest.is_closed:
            oldest.first, oldest.before = edit, before
        else:
            file.segments.append(Segment(edit, edit, before, after, len(file.later)))

    def _check_place(self, edit: Edit, path: str, file: PastFile) -> None:
        """Check that no edit that stays has moved the file away from the path where `edit` has put it."""
        if file.path == path:
            return
        if self._is_foreign(file):
            raise beyond(edit)
        by, here = described(file.later_moves[-1]), name_of(file.path)
        raise refusal(edit, f"{by} has renamed {name_of(path)!r} to {here!r}.")


def _keep(edit: Edit, change: Change, file: PastFile) -> None:
    if change.to is not None:
        file.later_moves.append(edit)
        file.deleted_from = change.path if is_hidden(change.to) else file.deleted_from
    elif file.segments:
        file.segments[-1].is_closed = True
    state = FileState(change.path, change.after) if change.to is None else FileState(change.to, change.before)
    file.later.append((edit, state))


def refusal(edit: Edit, reason: str, of: str = "") -> EditedSince:
    """Return the error for an edit that cannot be undone, or an undo that cannot be redone; `of`: in which file."""
    verb = _VERBS.get(edit.tool, "undone")
    where = f" in {name_of(of)!r}" if of else ""
    return EditedSince(f"{described(edit).capitalize()} cannot be {verb}{where}: {reason}", verb)


def beyond(edit: Edit) -> EditedSince:
    """Return the error for an edit of a file with which later edits did what the caller may not see."""
    return refusal(edit, "a later edit has also changed notes outside of your folder.")


def described(edit: Edit) -> str:
    """Return an edit in words: its number, its tool and its client."""
    if edit.tool == ACCEPT:
        return f"the proposed edit of {client_name(edit.client)}" if edit.client else "the proposed edit"
    if edit.outside:
        return f"change {edit.number} ({origin(edit.outside)})"
    kind = edit.tool if edit.tool in {"undo", "redo"} else "edit"
    about = " by ".join(filter(None, (edit.tool if kind == "edit" else "", client_name(edit.client))))
    return f"{kind} {edit.number}" + (f" ({about})" if about else "")
