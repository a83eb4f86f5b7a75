"""Keep edits that a client proposes, until a person accepts or drops them.

The proposed edits of one client are in a folder below `.zkmem/proposed/`, which has the form of a small vault: the
files that the edits change, and a `.zkmem/` with a journal, a log and the texts before and after each edit. The client
works with an engine whose store lays these files over those of the vault, so it reads what it has proposed. No other
client reads that.
"""

import contextlib
import hashlib
import json
import logging
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from zkmem.edit.journal import Applied, Journal, Planned, Steps
from zkmem.edit.plan import Move, Put, Remove
from zkmem.errors import Changed, NothingProposed, TooMany, Unwritable, ZkError
from zkmem.names import folders_of
from zkmem.util.replacing import replace_file
from zkmem.vault.files import Stamp, Version, create, etag, read
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import MALFORMED, Edit, Log
from zkmem.vault.journal.state import FOLDER, State, unwritable
from zkmem.vault.journal.versions import Bounds
from zkmem.vault.nofollow import info, make_folder, opened, rename, unlink
from zkmem.vault.overlay import OverlayStore
from zkmem.vault.store import Store

_log = logging.getLogger(__name__)

_FOLDER = "proposed"
_ABOUT = "about.json"
_TORN = "unsettled"
_GONE = ".gone"  # at the end of the name of a folder that is being removed
_NAME, _REST = re.compile(r"[0-9a-f]{16}"), re.compile(r"[0-9a-f]{16}\.gone")
_MOST_EDITS = 2_000
_MOST_LOG = 2_000_000  # bytes; a log is never cut below this size, so no proposed edit is lost
_MOST_LOGS = 16_000_000  # bytes of the logs of all clients that are read
_MOST_ABOUT = 100_000  # bytes
_MOST_CLIENTS = 100
_KEPT = Bounds(days=36_500, megabytes=1_000_000)  # a proposed edit needs its texts, however long it waits


class ProposedLog(Log):
    """The log of the proposed edits of one client. The overlay follows it."""

    def __init__(self, state: State, store: OverlayStore) -> None:
        self._store, self._format = store, state.path("format")
        self._read: tuple[tuple[int, int], list[Edit]] = (-1, -1), []  # the log's end, and its edits
        super().__init__(state)
        store.follow(self.edits())

    def edits(self) -> list[Edit]:
        """Return the edits, the oldest first. There are none in a log that is larger than zkmem makes it."""
        end = self._end()
        if self._read[0] != end:
            self._read = end, [] if end[1] > 2 * _MOST_LOG else list(super().backwards())[::-1]
        return list(self._read[1])

    def backwards(self) -> Iterator[Edit]:
        """Yield the edits, the last one first."""
        return reversed(self.edits())

    def news(self) -> list[Edit] | None:
        """Return the edits since the last call: see `Log.news`."""
        news = super().news()
        if news is None or news:
            self._store.follow(self.edits())
        return news

    def append(self, edits: Sequence[Edit]) -> None:
        """Add edits: see `Log.append`."""
        super().append(edits)
        self._store.follow(self.edits())

    def replace(self, edits: Sequence[Edit]) -> None:
        """Replace the content of the log: see `Log.replace`."""
        super().replace(edits)
        os.utime(self._format)
        self._store.follow(edits)

    def _mark(self, inode: int, size: int) -> tuple[int, int]:
        """Return a value that differs for each state of the log.

        A log that is removed and made again may get the same inode, so the value depends on the time of another file.
        """
        with contextlib.suppress(OSError):
            return hash((inode, info(self._format).st_mtime_ns)), size
        return inode, size


class ProposedJournal(Journal):
    """The journal of the edits that one client proposes. It writes nothing outside of its own folder."""

    def __init__(
        self, vault: Store, accepted: Journal, client: str, *, durable: bool = True, lock_timeout_s: float = 10.0
    ) -> None:
        """Open the proposed edits of a client; write nothing yet. `accepted` is the journal of the vault."""
        state = State(vault.root)
        self.client = client
        self.store = OverlayStore(vault, state.path(_FOLDER, _key(client)))
        super().__init__(self.store, durable=durable, lock_timeout_s=lock_timeout_s, bounds=_KEPT)
        self.pending = ProposedLog(self.state, self.store)
        self.log = self.pending
        self.lock = VaultLock(state, lock_timeout_s)  # that of the vault: the folder of these edits may be removed
        self._accepted = accepted
        self._is_settled = False

    def left(self) -> list[Edit]:
        """Return the edits that a person has neither accepted nor dropped, the oldest first."""
        accepted = {edit.proposed for edit in self.later()} if self.pending.size() else set()
        return [edit for edit in self.pending.edits() if self.key(edit) not in accepted]

    def later(self) -> list[Edit]:
        """Return the edits, and changes by other programs, in the vault since the client began to propose, in order."""
        begun = min((number for edit in self.pending.edits() for _, number in edit.since), default=0)
        logs = (self._accepted.log, self._accepted.outside)
        edits = [edit for log in logs for edit in takewhile(lambda edit: edit.number > begun, log.backwards())]
        return sorted(edits, key=lambda edit: edit.number)

    def text(self, tag: str) -> bytes | None:
        """Return the text with an etag that a file had before or after a proposed edit; None if there is none."""
        data = self.versions.text(tag)
        if data is None:
            paths = [path for edit in self.pending.edits() for path, after in edit.etags().items() if after == tag]
            data = next((text for text in map(self._read, paths) if text is not None and etag(text) == tag), None)
        return data

    def key(self, edit: Edit) -> str:
        """Return the key of a proposed edit, which no other one ever has."""
        return f"{_key(self.client)} {edit.number} {edit.time}"

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
            TooMany: when too many edits wait for a person.
        """
        if len(self.pending.edits()) >= _MOST_EDITS or self.pending.size() > _MOST_LOG:
            raise TooMany(
                f"{self.client!r} has proposed {len(self.pending.edits()):,} edits, and no more can wait; nothing was "
                "changed. Ask a person to accept or drop them first, on the page or with: zkmem proposed"
            )
        return super().apply(plans)

    def discard(self, numbers: Collection[int]) -> None:
        """Remove edits from the log.

        With each edit, the caller gives all later edits of the same files, or all earlier ones.
        """
        with self.hold():
            left = [edit for edit in self.left() if edit.number not in numbers]
            try:
                self._settle_on(left)
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
            about = json.dumps({"client": self.client}, ensure_ascii=False).encode(errors="replace")
            replace_file(self.state.path(_ABOUT), about, durable=False)

    def _completed(self, edit: Edit) -> Edit:
        """Return an edit with the number of the last edit of the vault that the client knew, for each path.

        "" stands for all other paths. A file that the client has changed is known to it as it was then.
        """
        known: dict[str, int] = {}
        for one in self.pending.edits():
            known |= dict(one.since)
        last = self._accepted.last()
        known[""] = last.number if last else 0
        origins = {change.to: change.path for change in edit.changes if change.to is not None}
        since = {path: known.get(path, known.get(origins.get(path, ""), known[""])) for path in edit.paths()}
        return edit._replace(since=(*since.items(), ("", known[""])))

    def _commit(self, steps: Steps, edits: Sequence[Edit], known: Mapping[str, Version]) -> dict[str, Stamp]:
        """Carry out steps on copies of the files."""
        if self.pending.size() + sum(len(edit.line()) for edit in edits) > 2 * _MOST_LOG:
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
                raise Unwritable(f"{path!r} cannot be written: {folder!r} is a file. Nothing was changed.")

    def _copy(self, path: str, base: str) -> None:
        data, _ = self.store.below.read(path)
        if etag(data) != base:
            raise Changed(f"{path!r} was changed while it was being edited (now etag {etag(data)}).")
        self._write(path, data)

    def _write(self, path: str, data: bytes) -> None:
        full = f"{self.store.root}/{path}"
        _make_folders(os.path.dirname(full), self.store.root)
        with contextlib.suppress(FileNotFoundError):
            unlink(full)
        create(full, data, durable=False)

    def _settle_on(self, left: Sequence[Edit]) -> None:
        """Keep only these edits in the log, and write the files as they leave them. The caller holds the lock."""
        if left and len(left) == len(self.pending.edits()):
            return
        if not left:
            with contextlib.suppress(FileNotFoundError):
                unlink(self.state.path("versions", "log"))
            self.store.follow(())
            return
        for full in self._copies():
            data = read(full, self.store.most_bytes)[0]
            self.versions.keep(data, etag(data))
        os.close(opened(self.state.path(_TORN), os.O_WRONLY | os.O_CREAT, 0o666))
        self.pending.replace(left)
        self._settle(left)

    def _remove(self) -> None:
        """Remove the folder. If the process is killed meanwhile, `proposers` removes the rest."""
        gone = self.store.root + _GONE
        _remove_tree(gone)
        rename(self.store.root, gone)
        self.store.follow(())
        _remove_tree(gone)
        with contextlib.suppress(OSError):  # others have proposed edits, too
            os.rmdir(os.path.dirname(gone))

    def _settle(self, edits: Sequence[Edit]) -> None:
        """Write the files as these edits leave them. The versions have all the texts."""
        wanted: dict[str, str | None] = {}
        for edit in edits:
            wanted.update(edit.etags())
        for full in self._copies():
            if wanted.get(os.path.relpath(full, self.store.root)) is None:
                unlink(full)
        for path, tag in wanted.items():
            data = None if tag is None else self.versions.text(tag)
            present = self._read(path)
            if data is not None and (present is None or etag(present) != tag):
                self._write(path, data)
        unlink(self.state.path(_TORN))

    def _read(self, path: str) -> bytes | None:
        """Return the bytes of a changed file; None if it is gone."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return read(f"{self.store.root}/{path}", self.store.most_bytes)[0]
        return None

    def _copies(self) -> list[str]:
        """Return the full paths of the changed files."""
        found = []
        for folder, folders, names in os.walk(self.store.root):
            folders[:] = [name for name in folders if folder != self.store.root or name != FOLDER]
            found += [os.path.join(folder, name) for name in names]
        return found


def proposers(journal: Journal) -> list[str]:
    """Return the clients that have proposed edits in the vault of a journal, in alphabetical order.

    Raises:
        Unwritable: when there is a symbolic link in the place of the folder.
    """
    journal.state.check()
    folder, left, clients = journal.state.path(_FOLDER), _MOST_LOGS, list[str]()
    if any(map(_REST.fullmatch, _listed(folder))):  # a killed process has left it
        with journal.hold():
            for name in filter(_REST.fullmatch, _listed(folder)):
                _remove_tree(f"{folder}/{name}")
    for name in sorted(filter(_NAME.fullmatch, _listed(folder))):
        client = _client_of(f"{folder}/{name}")
        with contextlib.suppress(OSError):
            left -= info(f"{folder}/{name}/{FOLDER}/versions/log").st_size
        if client and _key(client) == name and left > 0 and len(clients) < _MOST_CLIENTS:
            clients.append(client)
    return sorted(clients)


def proposed_by(vault: Store, accepted: Journal, client: str) -> ProposedJournal:
    """Return the journal of the edits that a client has proposed.

    Raises:
        NothingProposed: when it has proposed nothing.
    """
    if client not in proposers(accepted):
        raise NothingProposed(client)
    journal = ProposedJournal(vault, accepted, client)
    journal.recover()
    return journal


def needs_of(edits: Sequence[Edit]) -> dict[int, set[int]]:
    """Return, for each edit, the earlier ones that changed the same files: it can only be accepted after these.

    `edits` begins with the oldest. Of several earlier edits of a file, the result has only the last one.
    """
    last: dict[str, int] = {}
    needs: dict[int, set[int]] = {}
    for edit in edits:
        needs[edit.number] = {last[path] for path in edit.paths() if path in last}
        last.update(dict.fromkeys(edit.paths(), edit.number))
    return needs


def with_needed(edits: Sequence[Edit], numbers: Collection[int]) -> list[Edit]:
    """Return the edits with these numbers and all that they need, the oldest first."""
    needs, wanted = needs_of(edits), set(numbers)
    for edit in reversed(edits):
        if edit.number in wanted:
            wanted |= needs[edit.number]
    return [edit for edit in edits if edit.number in wanted]


def with_dependent(edits: Sequence[Edit], numbers: Collection[int]) -> list[Edit]:
    """Return the edits with these numbers and all that need them, the oldest first."""
    needs, wanted = needs_of(edits), set(numbers)
    for edit in edits:
        if needs[edit.number] & wanted:
            wanted.add(edit.number)
    return [edit for edit in edits if edit.number in wanted]


def _with_usual_permissions(step: Put | Move) -> Put | Move:
    """Return the step without `like`: the permissions of a copy do not matter, and that file may have no copy."""
    return step._replace(like="") if isinstance(step, Move) else replace(step, like="")


def _make_folders(full: str, above: str) -> None:
    """Make a folder and its missing parents below the folder `above`, and follow no symbolic link."""
    for part in os.path.relpath(full, above).split("/"):
        above = f"{above}/{part}"
        with contextlib.suppress(FileExistsError):
            make_folder(above)


def _client_of(root: str) -> str:
    """Return the client whose edits are in a folder; "" if unknown."""
    with contextlib.suppress(OSError, *MALFORMED):
        client = json.loads(read(f"{root}/{FOLDER}/{_ABOUT}", _MOST_ABOUT)[0])["client"]
        return client if type(client) is str else ""
    return ""


def _listed(folder: str) -> list[str]:
    """Return the names in a folder; none if it is missing."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return os.listdir(folder)
    return []


def _remove_tree(full: str) -> None:
    """Remove a folder, or what is in its place; follow no symbolic link."""
    if os.path.islink(full) or os.path.isfile(full):
        unlink(full)
    else:
        shutil.rmtree(full, ignore_errors=True)


def _key(client: str) -> str:
    """Return the name of a client's folder: a client may have any name."""
    return hashlib.blake2b(client.encode(errors="replace"), digest_size=8).hexdigest()
