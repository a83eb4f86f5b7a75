"""Apply plans to the files of a vault: whole or not at all, under the vault's lock, with an entry in the log.

Every file is compared with its etag, or with the stamp of its version, before the first step and again in its step.
The old texts go to the versions. The next process that takes the lock finishes or undoes an interrupted plan.
"""

import contextlib
import errno
import logging
import os
import secrets
import stat
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.plan import Move, Plan, Put, Remove, combined
from zkmem.errors import FileInTheWay, Taken, Unwritable, ZkError
from zkmem.markdown.links import find_links
from zkmem.names import base_of, fold, name_of
from zkmem.vault import platform
from zkmem.vault.files import Stamp, Version, etag
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import MALFORMED, Change, Edit, Log, next_edit
from zkmem.vault.journal.outside import OutsideLog, newest
from zkmem.vault.journal.state import FOLDER, StateFolder, unwritable
from zkmem.vault.journal.step import Step
from zkmem.vault.journal.transaction import DamagedRecord, Transaction, sweep
from zkmem.vault.journal.versions import Bounds, Versions
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

_log = logging.getLogger(__name__)

Steps = Sequence[Put | Move | Remove]


class Author(NamedTuple):
    """The author of an edit."""

    tool: str = ""
    client: str = ""
    reader: Hashable = None  # the key of the session that makes the edit, by which it is known what it has read
    call: str = ""  # the hash of the id of the call: see `vault/journal/origins.py`


NOBODY = Author()
"""The author of an edit by an unknown caller."""


class Planned(NamedTuple):
    """A plan, its author, and the versions of files that it was computed from."""

    plan: Plan
    by: Author = NOBODY
    known: Mapping[str, Version] = {}  # a file that still has the stamp of its version is not read again


class Applied(NamedTuple):
    """Plans that were carried out: their edits, None for one without a change, and the stamps of the written files."""

    edits: Sequence[Edit | None]
    stamps: Mapping[str, Stamp] = {}  # by path, as they were when each file came into place


class Journal:
    """The journal of one vault: it carries out plans, and finishes or undoes interrupted ones."""

    def __init__(
        self, store: Store, *, durable: bool = True, lock_timeout_s: float = 10.0, bounds: Bounds = Bounds()
    ) -> None:
        """A finished edit survives a crash of its process and, if `durable`, a power cut."""
        self._store = store
        self._durable = durable
        self.state = StateFolder(store.root)
        self.versions = Versions(self.state, bounds, store.most_bytes)
        self.log = Log(self.state)
        self.outside = OutsideLog(self.state)
        self.lock = VaultLock(self.state, lock_timeout_s)

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the vault's lock; first finish or undo interrupted edits.

        Raises:
            Busy, NewerState, NoVault, Unwritable.
        """
        self._store.check()
        with self.lock.hold():
            self._recover()
            yield

    def recover(self) -> None:
        """Finish or undo interrupted edits. Wait for another process that is writing. Call this before any reading."""
        try:
            self.state.check()
            if self._interrupted():
                with self.hold():
                    pass
        except ZkError as error:  # the notes can still be read
            _log.warning("an interrupted edit was left as it is: %s", error)

    def faults(self) -> list[str]:
        """Return the folders with damaged parts of the journal that were put aside."""
        with contextlib.suppress(FileNotFoundError):
            return sorted(f"{FOLDER}/{name}" for name in os.listdir(self.state.folder) if name.startswith("damaged-"))
        return []

    def last(self) -> Edit | None:
        """Return the last edit or change by another program, if there is one."""
        return newest(self.log.last(), self.outside.last())

    def apply(self, plans: Sequence[Planned]) -> Applied:
        """Carry out plans in one transaction, and log the edit of each. The caller holds the lock.

        Each plan was computed from the state that the one before it leaves. Of several plans, each only writes files.

        Raises:
            Changed: when a file has changed since a plan was computed. Taken: when a file exists at the path of a
                new one. Unwritable: when the disk refuses. In each case the vault is as it was before.
        """
        if not any(plan.steps or plan.undoes for plan, _, _ in plans):
            return Applied([None] * len(plans))
        try:
            with platform.current.folders_kept():
                return self._apply(plans)
        except OSError as error:
            raise self._refused(error) from error

    def _apply(self, plans: Sequence[Planned]) -> Applied:
        steps = combined([plan for plan, _, _ in plans])
        known: dict[str, Version] = {}
        for one in reversed(plans):  # the first plan has read what is on the disk
            known.update(one.known)
        self._expect(steps, plans, known)
        self._keep(plans)
        edits: list[Edit | None] = []
        last = self.last()
        for plan, by, _ in plans:
            if not plan.steps and not plan.undoes:
                edits.append(None)
                continue
            last = next_edit(
                last,
                by.tool,
                by.client,
                [_change(step) for step in plan.steps],
                undoes=plan.undoes,
                merged=plan.merges,
                extracted=plan.extracted_notes(),
                commit=plan.commit,
                proposed=plan.proposed,
                since=plan.since,
                call=by.call,
            )
            last = self._completed(last)
            edits.append(last)
        made = [edit for edit in edits if edit is not None]
        if steps:
            return Applied(edits, self._commit(steps, made, known))
        self.log.append(made)  # the undone edits cancelled each other out, so no file changes
        return Applied(edits)

    def _completed(self, edit: Edit) -> Edit:
        """Return an edit as it is logged."""
        return edit

    def _expect(self, steps: Steps, plans: Sequence[Planned], known: Mapping[str, Version]) -> None:
        """Check that the files are as the steps expect them; keep the texts of moved files that no slot will hold."""
        edited = {plan.path for plan, _, _ in plans}
        moves = {step.path: step.to for step in steps if isinstance(step, Move)}
        moved = {*moves.values()}
        for step in steps:
            if step.base is None:
                if step.path not in moves and self._store.taken(step.path):
                    raise Taken(f"There is a file at {step.path!r} already; nothing was overwritten.")
            elif isinstance(step, Move) and (is_hidden(step.to) or step.to in edited):
                if (old := self._store.expect(step.path, step.base)) is not None:
                    self.versions.keep(old, step.base, like=self._store.full(step.path))
            elif step.path not in moved and known.get(step.path) != (step.base, self._store.stamp(step.path)):
                self._store.expect(step.path, step.base)

    def _keep(self, plans: Sequence[Planned]) -> None:
        """Keep the new text of each edited note, so that it can be restored later.

        Keep each text that a later plan replaces, too: no file will ever have it.
        """
        last = {step.path: number for number, (plan, _, _) in enumerate(plans) for step in plan.steps}
        for number, (plan, _, _) in enumerate(plans):
            for step in plan.steps:
                if isinstance(step, Put) and (step.path == plan.path or last[step.path] > number):
                    self.versions.keep(step.data, step.after)

    def _commit(self, steps: Steps, edits: Sequence[Edit], known: Mapping[str, Version]) -> dict[str, Stamp]:
        spelled = self._store.spelled
        changes = [_change(step) for step in steps]
        on_disk = [
            Step(spelled(one.path), one.before, one.after, spelled(one.to) if one.to else None) for one in changes
        ]
        data = {spelled(step.path): step.data for step in steps if isinstance(step, Put)}
        like = {spelled(one.path_after): spelled(one.like) for one in steps if not isinstance(one, Remove) and one.like}
        transaction = Transaction.begin(
            self._store.root,
            self.state.path("journal"),
            on_disk,
            data,
            edits,
            durable=self._durable,
            known={spelled(path): version for path, version in known.items()},
            like=like,
        )
        try:
            transaction.commit()
            self.log.append(edits)
        except BaseException as error:
            self._roll_back(transaction)
            if sentence := self._left_links(steps):
                if isinstance(error, ZkError):
                    error.args = (f"{error} {sentence}",)
                else:
                    error.add_note(sentence)
            raise
        self._tidy(transaction)
        self._store.forget(step.path for step in on_disk if step.to)
        paths = {step.path: one.path for one, step in zip(changes, on_disk, strict=True)}
        return {paths[spelled_path]: stamp for spelled_path, stamp in transaction.written().items()}

    def _left_links(self, steps: Steps) -> str:
        """Return a sentence about notes that somebody saved with links to the new name of a rename that failed.

        An editor may have read such a note after its links were rewritten, and saved it with the new links.
        """
        new_names = {base_of(fold(name_of(step.to))): name_of(step.to) for step in steps if isinstance(step, Move)}
        sentences = []
        for step in steps if new_names else ():
            with contextlib.suppress(OSError):
                if isinstance(step, Put) and (data := self._store.read(step.path)[0]) and etag(data) != step.base:
                    named = {base_of(fold(name_of(link.target))) for link in find_links(data)} & new_names.keys()
                    sentences += [
                        f"{step.path!r} was saved meanwhile and links to {new_names[name]!r}" for name in named
                    ]
        return f"{'; '.join(sentences)}, which does not exist: the rename was taken back." if sentences else ""

    def _roll_back(self, transaction: Transaction) -> None:
        try:
            transaction.refuse()
            for sentence in transaction.roll_back():
                _log.warning("an edit was refused; %s", sentence)
            transaction.discard(self.versions.take)
        except OSError as error:
            raise Unwritable(
                f"The disk fails ({error.strerror or error}): the edit could neither be made nor undone. When the disk "
                "works again, the next edit or start of zkmem finishes or undoes it."
            ) from error

    def _tidy(self, transaction: Transaction) -> None:
        """Remove the files of a finished transaction. If this fails, a later edit removes them."""
        try:
            transaction.discard(self.versions.take)
            self.versions.tidy(self._texts_of_last_changes)
        except OSError as error:
            _log.warning("the journal could not be tidied up: %s", error)

    def _texts_of_last_changes(self) -> set[str]:
        """Return the etags of the texts before and after the last change of each file, which an undo needs."""
        tags = set[str]()
        for log in (self.log, self.outside):
            changed = set[str]()
            for edit in log.backwards():
                new = [one for one in edit.changes if one.path not in changed and one.to is None]
                tags.update(tag for one in new for tag in (one.before, one.after) if tag)
                changed.update(one.path for one in new)
        return tags

    def _interrupted(self) -> list[str]:
        """Return the names of the files in the journal."""
        try:
            return sorted(os.listdir(self.state.path("journal")))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _recover(self) -> None:
        names = self._interrupted()
        for base in sorted({name.partition(".")[0] for name in names}):
            files = [self.state.path("journal", name) for name in names if name.partition(".")[0] == base]
            try:
                self._recover_one(self.state.path("journal", base), files)
            except DamagedRecord as error:
                aside = self.state.path(f"damaged-{base}-{secrets.token_hex(3)}")
                os.mkdir(aside)
                for full in files:
                    platform.current.rename(full, f"{aside}/{os.path.basename(full)}")
                _log.warning("an interrupted edit was put aside as %s/%s: %s", FOLDER, os.path.basename(aside), error)
            except OSError as error:
                raise Unwritable(
                    f"An interrupted edit could be neither finished nor taken back: {error.strerror or error}. "
                    "Nothing can be written until this problem is solved."
                ) from error

    def _recover_one(self, base: str, files: list[str]) -> None:
        if not all(_is_plain(full) for full in files):
            raise DamagedRecord("one of its parts is not a regular file")
        interrupted = Transaction.load(self._store.root, base, durable=self._durable)
        if interrupted is None:
            sweep(files, self.versions.take)
            return
        transaction, about = interrupted
        try:
            edits = [Edit.of(dict(zip(Edit._fields, one, strict=False))) for one in about]  # an older record has fewer
        except MALFORMED as error:
            raise DamagedRecord(f"its record cannot be read ({error})") from error
        tools = ", ".join(dict.fromkeys(edit.tool for edit in edits))
        if self._is_logged(edits):  # it is whole, and was answered: a later change by a person must not undo it
            transaction.discard(self.versions.take)
            return
        kept = transaction.finish()
        if kept is None:
            self.log.append(edits)
            _log.warning("an interrupted edit (%s) was finished", tools)
        else:
            _log.warning("; ".join([f"an interrupted edit ({tools}) was taken back", *kept]))
        transaction.discard(self.versions.take)

    def _is_logged(self, edits: Sequence[Edit]) -> bool:
        """Return whether edits whose record is left are in the log, to which no later edit was added."""
        last = self.log.last()
        return last is not None and (last.number, last.time) == (edits[-1].number, edits[-1].time)

    def _refused(self, error: OSError) -> Unwritable:
        """Return the error for a disk that refuses: with the file, if it is in the vault, and the reason."""
        reason = error.strerror or str(error)
        kind = FileInTheWay if error.errno == errno.ENOTDIR else Unwritable
        notes = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
        for full in (error.filename2, error.filename):
            if isinstance(full, str) and full.startswith(self._store.root + "/"):
                path = full.removeprefix(self._store.root + "/")
                if not path.startswith(".zkmem/"):
                    return kind(f"{path!r} cannot be written: {reason}. Nothing was changed.{notes}").about(path)
        return Unwritable(f"{unwritable(error)}{notes}") if notes else unwritable(error)


def _is_plain(full: str) -> bool:
    """Return whether a path is that of a regular file, not of a symbolic link."""
    return stat.S_ISREG(platform.current.info(full).st_mode)


def _change(step: Put | Move | Remove) -> Change:
    if isinstance(step, Move):
        return Change(step.path, step.base, step.base, step.to)
    return Change(step.path, step.base, step.after)
