"""Keep edits that a client proposes, until a person accepts or drops them.

The proposed edits of one client are in a folder below `.zkmem/proposed/`, which has the form of a small vault: the
files that the edits change, and a `.zkmem/` with a journal, a log and the texts before and after each edit. The client
works with an engine whose store lays these files over those of the vault, so it reads what it has proposed. No other
client reads that.
"""

import contextlib
import logging
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from zkmem.edit.journal import Applied, Journal, Planned, Steps
from zkmem.edit.plan import Move, Put, Remove
from zkmem.edit.proposed_folders import (
    ABOUT,
    GONE,
    about,
    folder_of,
    keep_last_number,
    key_of,
    last_number,
    proposers,
    remove_tree,
)
from zkmem.edit.proposed_log import LARGEST, LogContent, ProposedLog
from zkmem.edit.proposed_names import LaterEdits
from zkmem.errors import Changed, FileInTheWay, NothingProposed, TooMany, ZkError
from zkmem.names import folders_of
from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import Stamp, Version, create, etag, read
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import Edit
from zkmem.vault.journal.state import FOLDER, StateFolder, unwritable
from zkmem.vault.journal.versions import KEEP_ALL
from zkmem.vault.overlay import OverlayStore
from zkmem.vault.paths import path_below
from zkmem.vault.store import Store

_log = logging.getLogger(__name__)

_TORN, _SIZE = "unsettled", "size"
_MOST_DIGITS = 40  # bytes of the file with the size
_MOST_EDITS = 10_000
_MOST_MB = 200
_LEAST = 4_096  # bytes that a file takes, however short it is


class ProposedJournal(Journal):
    """The journal of the edits that one client proposes. It writes nothing outside of its own folder."""

    def __init__(
        self,
        vault: Store,
        accepted: Journal,
        client: str,
        *,
        durable: bool = True,
        lock_timeout_s: float = 10.0,
        known: LogContent | None = None,
    ) -> None:
        """`accepted` is the journal of the vault; `known`: what other journals of the client have read of the log."""
        state = self._vault_state = StateFolder(vault.root)
        self.client = client
        self.store = OverlayStore(vault, folder_of(state, client))
        # a proposed edit needs its texts, however long it waits
        super().__init__(self.store, durable=durable, lock_timeout_s=lock_timeout_s, bounds=KEEP_ALL)
        self.pending = ProposedLog(self.state, self.store, known)
        self.log = self.pending
        self.lock = VaultLock(state, lock_timeout_s)  # that of the vault: the folder of these edits may be removed
        self._accepted = accepted
        self._is_settled = False
        self._size = ProposedSize(self.store, client)

    def left(self) -> list[Edit]:
        """Return the edits that a person has neither accepted nor dropped, the oldest first."""
        accepted = self.later().accepted if self.pending.size() else set[str]()
        return [edit for edit in self.pending.edits() if self.key(edit) not in accepted]

    def later(self) -> LaterEdits:
        """Return the edits, and changes by other programs, in the vault since the client began to propose."""
        begun = min((number for edit in self.pending.edits() for _, number in edit.since), default=0)
        later = LaterEdits(self._accepted, begun, f"{key_of(self.client)} ")
        # when the client proposed what still waits, it read texts of this earlier time, if their edits also waited then
        earlier = min((number for one in later.own for _, number in one.edit.since), default=begun)
        return later if earlier >= begun else LaterEdits(self._accepted, earlier, f"{key_of(self.client)} ")

    def text(self, tag: str) -> bytes | None:
        """Return the text with an etag that a file had before or after a proposed edit; None if there is none."""
        data = self.versions.text(tag)
        if data is None:
            texts = map(self._read, self.pending.paths_with(tag))
            data = next((text for text in texts if text is not None and etag(text) == tag), None)
        return data

    def key(self, edit: Edit) -> str:
        """Return the key of a proposed edit, which no other one ever has."""
        return f"{key_of(self.client)} {edit.number} {edit.time}"

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the vault's lock, and make the folder of the proposed edits: see `Journal.hold`."""
        with super().hold():
            try:
                if not self._is_settled and self.pending.size() and self._is_behind():
                    self._settle_on(self.left())
                    self._make()
                self._is_settled = True  # from now on, this process itself removes the edits that it accepts
                yield
            finally:
                if not self.pending.size():
                    self._remove()

    def recover(self) -> None:
        """Finish or undo what a killed process has left: see `Journal.recover`."""
        super().recover()
        try:
            if os.path.lexists(self.state.path(_TORN)) or self._is_behind():
                with self.hold():
                    pass
        except ZkError as error:  # the notes can still be read
            _log.warning("the edits that %r has proposed were left as they are: %s", self.client, error)

    def _is_behind(self) -> bool:
        """Return whether accepted edits are still in the log, or whether the folder is there without any edit."""
        edits = self.pending.edits()
        return len(self.left()) < len(edits) or (not edits and os.path.lexists(self.store.root))

    def apply(self, plans: Sequence[Planned]) -> Applied:
        """Carry out plans in the folder of the proposed edits: see `Journal.apply`.

        Raises:
            TooMany: when too many edits wait for a person, or when they take too much of the disk.
        """
        if self.pending.count() >= _MOST_EDITS or self.pending.size() > LARGEST // 2:
            raise TooMany(
                f"{self.client!r} has proposed {self.pending.count():,} edits, and no more can wait; nothing was "
                "changed. Ask a person to accept or drop them first, on the page or with: zkmem proposed"
            )
        self._size.check(plans, self.pending.size())
        applied = super().apply(plans)
        self._size.keep(self.pending.size())
        return applied

    def discard(self, numbers: Collection[int]) -> None:
        """Remove edits from the log.

        With each edit, the caller gives all later edits of the same files, or all earlier ones.
        """
        with self.hold():
            remaining = [edit for edit in self.left() if edit.number not in numbers]
            try:
                self._settle_on(remaining)
            except OSError as error:
                raise unwritable(error) from error

    def _recover(self) -> None:
        """Make the folder, and finish what a killed process has left."""
        try:
            self._make()
            super()._recover()
            if os.path.lexists(self.state.path(_TORN)):
                self._settle(self.pending.edits())
        except OSError as error:
            raise unwritable(error) from error

    def _make(self) -> None:
        _make_folders(self.store.root, self.store.below.root)
        self.state.ensure()
        if not self.pending.size():
            replace_file(self.state.path(ABOUT), about(self.client), durable=False)

    def _completed(self, edit: Edit) -> Edit:
        """Return an edit with a number that no proposed edit had, and what the client knew of the vault.

        The client knew the vault up to a numbered edit, which is stored for each path; "" stands for all other paths. A
        file that the client has changed is known to it as it was then.
        """
        known, last = self.pending.since(), self._accepted.last()
        number = last.number if last else 0
        origins = {change.to: change.path for change in edit.changes if change.to is not None}
        since = {path: known.get(path, known.get(origins.get(path, path), number)) for path in edit.paths()}
        first = last_number(self._vault_state) + 1
        return edit._replace(number=max(edit.number, first), since=(*since.items(), ("", number)))

    def _commit(self, steps: Steps, edits: Sequence[Edit], known: Mapping[str, Version]) -> dict[str, Stamp]:
        """Carry out steps on copies of the files."""
        if self.pending.size() + sum(len(edit.line()) for edit in edits) > LARGEST:
            raise TooMany("The edit changes too many files to be proposed; nothing was changed.")
        come = set[str]()  # where earlier steps have put files
        for step in steps:
            if step.base is not None and step.path not in come and not self.store.has_copy(step.path):
                self._copy(step.path, step.base)
            come.add(step.path_after)
            self._check_folders(step.path_after)
        plain = [step if isinstance(step, Remove) else _with_usual_permissions(step) for step in steps]
        return super()._commit(plain, edits, known)

    def _check_folders(self, path: str) -> None:
        """Check that no folder of a path is a file in the vault."""
        for folder in folders_of(path):
            if self.store.stamp(folder) is not None:
                raise FileInTheWay(f"{path!r} cannot be written: {folder!r} is a file. Nothing was changed.")

    def _copy(self, path: str, base: str) -> None:
        data, _ = self.store.below.read(path)
        if etag(data) != base:
            raise Changed(f"{path!r} was changed while it was being edited (now etag {etag(data)}).")
        self._write(path, data)

    def _write(self, path: str, data: bytes) -> None:
        full = f"{self.store.root}/{path}"
        _make_folders(os.path.dirname(full), self.store.root)
        with contextlib.suppress(FileNotFoundError):
            platform.current.unlink(full)
        create(full, data, durable=False)

    def _settle_on(self, remaining: Sequence[Edit]) -> None:
        """Keep only these edits in the log, and write the files as they leave them. The caller holds the lock."""
        edits = self.pending.edits()
        if remaining and len(remaining) == len(edits):
            return
        if edits:
            keep_last_number(self._vault_state, edits[-1].number)
        if not remaining:
            with contextlib.suppress(FileNotFoundError):
                platform.current.unlink(self.state.path("versions", "log"))
            self.store.follow(())
            return
        for full in self._copies():
            data = read(full, self.store.most_bytes)[0]
            self.versions.keep(data, etag(data))
        os.close(platform.current.opened(self.state.path(_TORN), os.O_WRONLY | os.O_CREAT, 0o666))
        before = self.pending.size()
        self.pending.replace(remaining)
        self._size.removed(before, self.pending.size())
        self._settle(remaining)

    def _remove(self) -> None:
        """Remove the folder. If the process is killed meanwhile, `proposers` removes the rest."""
        gone = self.store.root + GONE
        remove_tree(gone)
        platform.current.rename(self.store.root, gone)
        self.store.follow(())
        remove_tree(gone)
        with contextlib.suppress(OSError):  # others have proposed edits, too
            os.rmdir(os.path.dirname(gone))

    def _settle(self, edits: Sequence[Edit]) -> None:
        """Write the files as these edits leave them. The versions have all the texts."""
        etags: dict[str, str | None] = {}
        for edit in edits:
            etags.update(edit.etags())
        for full in self._copies():
            if etags.get(path_below(full, self.store.root)) is None:
                platform.current.unlink(full)
        for path, tag in etags.items():
            data = None if tag is None else self.versions.text(tag)
            present = self._read(path)
            if data is not None and (present is None or etag(present) != tag):
                self._write(path, data)
        platform.current.unlink(self.state.path(_TORN))

    def _read(self, path: str) -> bytes | None:
        """Return the bytes of a changed file; None if it is gone."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return read(f"{self.store.root}/{path}", self.store.most_bytes)[0]
        return None

    def _copies(self) -> list[str]:
        """Return the full paths of the changed files."""
        copies = []
        for folder, folders, names in os.walk(self.store.root):
            folders[:] = [name for name in folders if folder != self.store.root or name != FOLDER]
            copies += [f"{folder}/{name}" for name in names]
        return copies


def proposed_by(vault: Store, accepted: Journal, client: str, known: LogContent | None = None) -> ProposedJournal:
    """Return the journal of the edits that a client has proposed. `known`: what was read of its log before.

    Raises:
        NothingProposed: when it has proposed nothing.
    """
    if client not in proposers(accepted):
        raise NothingProposed(client)
    journal = ProposedJournal(vault, accepted, client, known=known)
    journal.recover()
    return journal


def _with_usual_permissions(step: Put | Move) -> Put | Move:
    """Return the step without `like`: the permissions of a copy do not matter, and that file may have no copy."""
    return step._replace(like="") if isinstance(step, Move) else replace(step, like="")


def _make_folders(full: str, above: str) -> None:
    """Make a folder and its missing parents below the folder `above`, and follow no symbolic link."""
    for part in path_below(full, above).split("/"):
        above = f"{above}/{part}"
        with contextlib.suppress(FileExistsError):
            platform.current.make_folder(above)


class ProposedSize:
    """The space that the folder of a client takes: its files, and the texts before and after each edit.

    An upper bound is kept in a file of the folder, with the size that the log had then: to measure all files is slow.
    """

    def __init__(self, store: OverlayStore, client: str) -> None:
        self._store, self._client = store, client
        self._full = f"{store.root}/{FOLDER}/{_SIZE}"
        self._bytes = 0

    def check(self, plans: Sequence[Planned], log_size: int) -> None:
        """Check that there is space for some edits. The caller holds the lock.

        The files are measured only if the bound is above the limit, or if the log is not as `keep` knew it.

        Raises:
            TooMany: when there is not enough space.
        """
        more = sum(map(self._estimate, plans))
        known = self._kept(log_size)
        is_known = known is not None and known + more <= _MOST_MB * 1_000_000
        self._bytes = known if known is not None and is_known else _size_below(self._store.root)
        if self._bytes + more > _MOST_MB * 1_000_000:
            raise TooMany(
                f"The proposed edits of {self._client!r} take {self._bytes / 1e6:,.0f} MB, this one would take"
                f" {more / 1e6:,.1f} MB more, and at most {_MOST_MB} MB can wait; nothing was changed. Ask a person"
                " to accept or drop some first, on the page or with: zkmem proposed"
            )
        self._bytes += more

    def keep(self, log_size: int) -> None:
        """Keep the bound after the edits that were checked last. `log_size`: that of the log with them."""
        replace_file(self._full, f"{log_size} {self._bytes}".encode(), durable=False)

    def removed(self, before: int, after: int) -> None:
        """Keep the bound when edits were removed, which makes no file that it does not count. Arguments: log sizes."""
        known = self._kept(before)
        if known is not None:
            self._bytes = known
            self.keep(after)

    def _kept(self, log_size: int) -> int | None:
        """Return the bound for a log of this size; None if it is not known."""
        with contextlib.suppress(OSError, ValueError):
            size, total = map(int, read(self._full, _MOST_DIGITS)[0].split())
            return total if size == log_size and total >= 0 else None
        return None

    def _estimate(self, planned: Planned) -> int:
        """Return how many bytes an edit takes at most: each new text, which may be kept twice, and each old one."""
        total = 0
        for step in planned.plan.steps:
            if isinstance(step, Put):
                total += 2 * max(len(step.data), _LEAST)
            if step.base is not None and not self._store.has_copy(step.path):
                stamp = self._store.below.stamp(step.path)
                total += max(stamp.size if stamp else 0, _LEAST)
        return total


def _size_below(root: str) -> int:
    """Return the bytes that the files below a folder take; 0 if there is none."""
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += max(platform.current.info(f"{folder}/{name}").st_size, _LEAST)
    return total
