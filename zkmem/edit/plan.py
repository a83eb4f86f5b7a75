"""Describe an edit as a value: steps over files, each with the etag that it was computed from.

Plans are pure: they are computed from a `View` and change nothing. `journal.py` applies them.
"""

import copy
import functools
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from zkmem.errors import Changed, TooLarge, Unwritable
from zkmem.index.catalog import Visible
from zkmem.index.index import Index
from zkmem.index.lookup import check_folders, destination
from zkmem.index.shown_parts import collapsed
from zkmem.names import LONGEST, base_of, is_note, name_of
from zkmem.past.old_texts import OldText, OldTexts
from zkmem.vault.files import MB, LargeFile, Stamp, Version, etag
from zkmem.vault.journal.log import Pair
from zkmem.vault.journal.versions import Versions
from zkmem.vault.paths import TRASH
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.edit.read_tracker import ReadTracker


@dataclass(frozen=True)
class Put:
    """Replace the bytes of the file that has the etag `base`; with None, create it."""

    path: str
    data: bytes
    base: str | None
    like: str = ""  # the file whose permissions the file gets, if not those of the file that it replaces

    @property
    def path_after(self) -> str:
        """Return the path of the file after the step."""
        return self.path

    @functools.cached_property
    def after(self) -> str:
        """The etag of the new bytes."""
        return etag(self.data)


class Remove(NamedTuple):
    """Remove the file that has the etag `base`; its text is kept in the versions."""

    path: str
    base: str
    after: None = None

    @property
    def path_after(self) -> str:
        """Return the path of the removed file."""
        return self.path


class Move(NamedTuple):
    """Rename the file that has the etag `base` to a free path."""

    path: str
    to: str
    base: str
    like: str = ""  # the file whose folders' permissions new folders get, if not those of the moved file

    @property
    def path_after(self) -> str:
        """Return the path of the file after the step."""
        return self.to


class Fallout(NamedTuple):
    """The effects of an edit on links that it does not rewrite; the values are paths."""

    dangling: tuple[str, ...] = ()  # notes with a link that is then broken
    repointed: Mapping[str, str] = {}  # notes with a link that then means another note, and that note
    absent: tuple[str, ...] = ()  # missing `Note#Heading` and `Note#^block` that the note links to
    cut_off: Mapping[str, tuple[str, ...]] = {}  # removed `#Heading` and `#^block`, and the notes that link there
    unchecked: int = 0  # notes that link to the note and were not checked


class LeftEdit(NamedTuple):
    """An edit that an undo of a part of a sitting leaves as it is."""

    edit: int
    reason: str  # a sentence


class Plan(NamedTuple):
    """The steps of an edit in their order, and the facts about it for the answer."""

    path: str  # the note that is edited, by its path after the edit
    outcome: str  # created, replaced, appended, changed, unchanged, moved, merged, deleted, restored, undo or redo
    steps: tuple[Put | Move | Remove, ...]
    relinked: tuple[str, ...] = ()  # the other files with rewritten links; for an undo, all files that it changes
    fallout: Fallout = Fallout()
    merged: tuple[str, ...] = ()  # changes of others in the same note that were merged, as lines of a diff
    undoes: tuple[int, ...] = ()  # the numbers of the edits that this one undoes
    left: tuple[LeftEdit, ...] = ()  # of an undo of a part of a sitting: the edits that stay, the newest first
    remarks: tuple[str, ...] = ()  # sentences for the caller about the edit
    is_part: bool = False  # whether the writer gave only a part of the new text, and so need not know the rest
    source: str = ""  # of an extraction: the note that the passage comes from
    merges: tuple[Pair, ...] = ()  # the notes whose text is added to another note, and that note
    commit: str = ""  # of a synchronisation: the commit whose files the vault has after the plan
    trash: str = ""  # of a deletion: where the file goes
    proposed: str = ""  # the key of the proposed edit that this plan accepts
    since: tuple[tuple[str, int], ...] = ()  # that of the proposed edit: see `Edit`

    def data(self, path: str, view: "View") -> bytes:
        """Return the bytes at `path` after the plan."""
        for step in reversed(self.steps):
            if step.path_after == path and not isinstance(step, Remove):
                return step.data if isinstance(step, Put) else view.read(step.path)
        return view.read(path)

    def tag(self, path: str, view: "View") -> str:
        """Return the etag of the file at `path` after the plan."""
        for step in reversed(self.steps):
            if step.path_after == path and not isinstance(step, Remove):
                return step.after if isinstance(step, Put) else step.base
        return view.base(path)

    @property
    def only_writes(self) -> bool:
        """Whether the plan only writes files, and is not computed from the log of edits."""
        return all(isinstance(step, Put) for step in self.steps) and not self.undoes and not self.commit

    @property
    def takes_names(self) -> bool:
        """Whether links can need to be updated: a note gets another name or is removed, or a part of it moves."""
        return bool(self.source) or not all(isinstance(step, Put) for step in self.steps)

    def extracted_notes(self) -> list[Pair]:
        """Return the note that loses a passage and the note that gets it, as one pair; empty if there is none."""
        return [Pair(self.source, self.path)] if self.source else []

    def check_sizes(self, most: int) -> None:
        """Check that no file becomes larger than `most` bytes, the limit for notes.

        Raises:
            TooLarge: when one does.
        """
        for step in self.steps:
            if isinstance(step, Put) and len(step.data) > most:
                way = "Write another note, and link the two." if is_note(step.path) else "Make it smaller."
                raise TooLarge(
                    f"{name_of(step.path)!r} would have {len(step.data):,} bytes, more than the {most // MB} MB of "
                    f"max_note_mb; nothing was changed. {way}"
                ).about(step.path)

    def written(self, stamps: Mapping[str, Stamp]) -> dict[str, tuple[bytes, Stamp]]:
        """Return the new bytes and the stamp of each written file that has a stamp, by path."""
        puts = (step for step in self.steps if isinstance(step, Put))
        return {step.path: (step.data, stamps[step.path]) for step in puts if step.path in stamps}

    def texts(self) -> list[Put]:
        """Return the steps that write a new text of a note, not those that update links, undo, or follow a commit."""
        if self.undoes or self.commit:
            return []
        puts = (step for step in self.steps if isinstance(step, Put) and step.path not in self.relinked)
        return [step for step in puts if is_note(step.path)]

    def paths(self) -> list[str]:
        """Return every path that the plan changes."""
        return [path for step in self.steps for path in dict.fromkeys((step.path, step.path_after))]


class LastRead(NamedTuple):
    """The version of a note that a session has read or written last, and how far it has read that without a gap."""

    etag: str  # "" if no version is known
    reached: int | None  # in characters; None for the end
    glimpsed: bool = False  # whether it was read in the expansion of another note, perhaps not all of it


def combined(plans: Sequence[Plan]) -> tuple[Put | Move | Remove, ...]:
    """Return the steps of a plan, or of several that only write files: then each file is written once."""
    if len(plans) == 1:
        return plans[0].steps
    puts: dict[str, Put] = {}
    for step in (step for plan in plans for step in plan.steps if isinstance(step, Put)):
        first = puts.get(step.path, step)
        puts[step.path] = Put(step.path, step.data, first.base, first.like)
    return tuple(puts.values())


class View:
    """The state from which a plan is computed: the index, and the bytes of files. Each file is read once."""

    def __init__(
        self,
        index: Index,
        store: Store,
        versions: Versions,
        past: OldTexts,
        read_tracker: "ReadTracker",
        reader: Hashable,
    ) -> None:
        """Make a view of the vault as it is now.

        `past`: the earlier texts of its notes; `reader`: the session that makes the edit, for the `read_tracker`.
        """
        self.index = index
        self.catalog = index.catalog
        self.links = index.links
        self.store = store
        self.version: Callable[[str], bytes | None] = versions.text
        self.past = past
        self.has: Callable[[str], bool] = lambda _: True  # whether the caller may see the file at a path
        self.unindexed: frozenset[str] = frozenset()  # files whose links the index may not know
        self._read_tracker = read_tracker
        self._reader = reader
        self._texts: dict[str, bytes] = {}
        self._stamps: dict[str, Stamp] = {}  # of the texts; without stamps that a later write may not change
        self._tags: dict[str, str] = {}

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            Changed: when it is gone. TooLarge: when it is larger than `max_note_mb`. Unwritable: when it cannot be read
                for another reason, since its links could not be updated.
        """
        if path not in self._texts:
            now = time.time_ns()
            try:
                self._texts[path], stamp = self.store.read_settled(path)
            except (FileNotFoundError, NotADirectoryError):
                raise Changed(f"{path!r} was removed while it was being edited.").about(path) from None
            except LargeFile as error:
                raise TooLarge(
                    f"{name_of(path)!r} cannot be edited: {error.strerror}. It can be moved and deleted; to edit it, "
                    "split it by hand or raise max_note_mb."
                ).about(path) from error
            except OSError as error:
                sentence = f"{path!r} cannot be read ({error.strerror or error}), so the edit was not begun."
                raise Unwritable(sentence).about(path) from error
            if not stamp.is_racy(now):
                self._stamps[path] = stamp
        return self._texts[path]

    def add_versions(self, text: Callable[[str], bytes | None]) -> None:
        """Let `version` also return the bytes that `text` returns, for an etag that it does not know."""
        known = self.version

        def version(tag: str) -> bytes | None:
            data = known(tag)
            return text(tag) if data is None else data

        self.version = version

    def collapse(self, text: str, path: str) -> str:
        """Return a text of the note at a path, in which the blocks of expanded notes are links again."""
        return collapsed(self.catalog, self._read_visible, text, path)

    def _read_visible(self, path: str) -> bytes:
        """Return the bytes of a file; one that the caller may not see does not exist."""
        if not self.has(path):
            raise FileNotFoundError(path)
        return self.store.read(path)[0]

    def last_read(self, path: str) -> LastRead | None:
        """Return what the session has read of a note; None if that is nothing, or forgotten."""
        return self._read_tracker.last(self._reader, path)

    def shown(self, path: str) -> OldText | None:
        """Return the older text of a note that the session was shown last; None if there is none any more."""
        return self._read_tracker.shown(self._reader, path)

    def with_etag(self, path: str, tag: str) -> OldText | None:
        """Return the text with an etag that a note had; None if it was not read or written here, and is not kept."""
        return self.past.with_etag(path, tag, self._read_tracker.text(path, tag))

    def base(self, path: str) -> str:
        """Return the etag of a file when it was read; for a file that is too large to be read, the tag of its stamp."""
        if path not in self._tags:
            try:
                self._tags[path] = etag(self.read(path))
            except TooLarge:
                stamp = self.store.stamp(path)
                if stamp is None:
                    raise Changed(f"{path!r} was removed while it was being edited.").about(path) from None
                self._tags[path] = stamp.tag
        return self._tags[path]

    def before(self, step: Put) -> bytes:
        """Return the bytes that a file had before a step; empty if it is new, or if they are not kept."""
        data = self._texts.get(step.path)
        if data is not None and etag(data) == step.base:
            return data
        return self.version(step.base) or b"" if step.base else b""

    @property
    def names(self) -> Visible:
        """The files that the caller may know of, to look up the names that it gives."""
        return Visible(self.catalog, self.has)

    def new_place(self, path: str, new_name: str) -> tuple[str, bool]:
        """Return the path that a new name for the note at `path` means, and whether another note is there.

        Raises:
            Taken: when a new folder would be a twin of another. The errors of `destination`.
        """
        to, exists = destination(self.names, path, new_name)
        check_folders(self.catalog, to)
        return to, exists

    def versions(self) -> dict[str, Version]:
        """Return the versions of the files whose etag the plan needed, by path.

        A file that still has the stamp of its version has the etag, too.
        """
        return {path: Version(tag, self._stamps[path]) for path, tag in self._tags.items() if path in self._stamps}

    def with_texts(self, texts: Mapping[str, bytes]) -> "View":
        """Return a view in which some files have other bytes."""
        other = copy.copy(self)
        other._texts = {**self._texts, **texts}  # noqa: SLF001 - it has the same class
        other._stamps, other._tags = {}, {}  # noqa: SLF001
        return other

    def with_open(self, texts: Mapping[str, bytes]) -> "View":
        """Return a view in which some files have texts that are not saved, so that the index does not know them."""
        other = self.with_texts(texts)
        other.unindexed = self.unindexed.union(texts)
        return other


Planner = Callable[[View], Plan]
"""Computes the plan of an edit and changes nothing. It is called again if a file has changed, and for a preview."""


class TrashPaths:
    """Chooses free paths in the trash for files of a view; no path is chosen twice."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._chosen = set[str]()

    def choose(self, path: str) -> str:
        """Return a path for the file at `path`, with a number if its name is taken in the trash.

        The number is found by doubling and halving, so the thousandth file of one name tries about twenty paths.
        """
        used, free = -1, 0
        while self._is_taken(path, free):
            used, free = free, max(1, 2 * free)
        while free - used > 1:
            middle = (used + free) // 2
            used, free = (middle, free) if self._is_taken(path, middle) else (used, middle)
        self._chosen.add(_in_trash(path, free))
        return _in_trash(path, free)

    def _is_taken(self, path: str, number: int) -> bool:
        place = _in_trash(path, number)
        return place in self._chosen or self._view.store.taken(place)


def _in_trash(path: str, number: int) -> str:
    """Return the path in the trash of a file whose name gets this number; 0 for none."""
    if not number:
        return f"{TRASH}/{base_of(path)}"
    stem, dot, suffix = base_of(path).rpartition(".")
    ending = f" {number}{dot}{suffix}"
    short = stem.encode()[: LONGEST - len(ending.encode())].decode(errors="ignore")
    return f"{TRASH}/{short}{ending}"


def to_trash(view: View, paths: Iterable[str]) -> list[Move]:
    """Return the moves of some files to different paths in the trash."""
    trash = TrashPaths(view)
    return [Move(path, trash.choose(path), view.base(path)) for path in paths]
