"""The folders below `.zkmem/proposed/` with the edits that clients propose, one for each client; notice changes."""

import contextlib
import hashlib
import itertools
import json
import os
import re
import shutil
import stat
from collections.abc import Callable

from zkmem.edit.journal import Journal
from zkmem.util.locks import Rank, lock
from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import LargeFile, read
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import FOLDER, StateFolder

ABOUT = "about.json"
"""The name of the file that names the client."""

GONE = ".gone"
"""The end of the name of a folder that is being removed."""

_FOLDER = "proposed"
_NAME, _REST = re.compile(r"[0-9a-f]{16}"), re.compile(r"[0-9a-f]{16}\.gone")
_NUMBER = "proposed-number"  # the name of the file with the highest number of an accepted or dropped edit
_MOST_DIGITS = 15
_MOST_LOGS = 16_000_000  # bytes of the logs of all clients that are read
_MOST_ABOUT = 100_000  # bytes
_MOST_CLIENTS = 100
_MOST_LISTED = 1_000  # names that are read of the folder with all clients

LogStamp = tuple[int, int, int]
"""The inode, size and time of a log; it differs after each change."""
Listener = Callable[[], object]
"""A function that is called after a change of the proposed edits. It may be called in any thread, and must not wait."""


def folder_of(state: StateFolder, client: str) -> str:
    """Return the full path of the folder of a client."""
    return state.path(_FOLDER, key_of(client))


def about(client: str) -> bytes:
    """Return the content of the file that names a client."""
    return json.dumps({"client": client}, ensure_ascii=False).encode(errors="replace")


def last_number(state: StateFolder) -> int:
    """Return the highest number that an accepted or dropped edit of any client had; 0 if there was none."""
    with contextlib.suppress(FileNotFoundError, LargeFile, ValueError):
        return max(0, int(read(state.path(_NUMBER), _MOST_DIGITS)[0]))
    return 0


def keep_last_number(state: StateFolder, number: int) -> None:
    """Store the number of an edit that is about to be accepted or dropped, so that no later edit gets it."""
    if number > last_number(state):
        replace_file(state.path(_NUMBER), str(number).encode())


def proposers(journal: Journal) -> list[str]:
    """Return the clients that have proposed edits in the vault of a journal, in alphabetical order.

    Raises:
        Unwritable: when there is a symbolic link in the place of the folder.
    """
    journal.state.check()
    folder, bytes_left, clients = journal.state.path(_FOLDER), _MOST_LOGS, list[str]()
    if any(map(_REST.fullmatch, _listed(folder))):  # a killed process has left it
        with journal.hold():
            for name in filter(_REST.fullmatch, _listed(folder)):
                remove_tree(f"{folder}/{name}")
    for name in sorted(filter(_NAME.fullmatch, _listed(folder))):
        client = _client_of(f"{folder}/{name}")
        with contextlib.suppress(OSError):
            bytes_left -= platform.current.info(f"{folder}/{name}/{FOLDER}/versions/log").st_size
        if client and key_of(client) == name and bytes_left > 0 and len(clients) < _MOST_CLIENTS:
            clients.append(client)
    return sorted(clients)


def log_stamps(state: StateFolder) -> dict[str, LogStamp]:
    """Return the stamp of the log of each client, by the name of its folder; no file is opened."""
    folder, stamps = state.path(_FOLDER), dict[str, LogStamp]()
    with contextlib.suppress(OSError):  # nothing was proposed yet, or the vault is gone
        if stat.S_ISDIR(platform.current.info(folder).st_mode):
            with os.scandir(folder) as entries:
                names = sorted(one.name for one in itertools.islice(entries, _MOST_LISTED))
            for name in list(filter(_NAME.fullmatch, names))[:_MOST_CLIENTS]:
                with contextlib.suppress(OSError):
                    log = platform.current.info(f"{folder}/{name}/{FOLDER}/versions/log")
                    stamps[name] = log.st_ino, log.st_size, log.st_mtime_ns
    return stamps


def remove_tree(full: str) -> None:
    """Remove a folder, or what is in its place; follow no symbolic link."""
    if os.path.islink(full) or os.path.isfile(full):
        platform.current.unlink(full)
    else:
        shutil.rmtree(full, ignore_errors=True)


def key_of(client: str) -> str:
    """Return the name of a client's folder: a client may have any name."""
    return hashlib.blake2b(client.encode(errors="replace"), digest_size=8).hexdigest()


def _client_of(root: str) -> str:
    """Return the client whose edits are in a folder; "" if unknown."""
    with contextlib.suppress(OSError, *MALFORMED):
        client = json.loads(read(f"{root}/{FOLDER}/{ABOUT}", _MOST_ABOUT)[0])["client"]
        return client if type(client) is str else ""
    return ""


def _listed(folder: str) -> list[str]:
    """Return the names in a folder; none if it is missing."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return os.listdir(folder)
    return []


class ProposedWatch:
    """Calls listeners when the proposed edits have changed. A look costs a few system calls, so it may be frequent."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._listeners: list[Listener] = []
        self._lock = lock(Rank.LEAF)  # guards `_last`
        self._last: dict[str, LogStamp] = {}

    def listen(self, listener: Listener) -> None:
        """Call `listener` after each later change."""
        if not self._listeners:
            self._has_changed()
        self._listeners.append(listener)

    def look(self) -> None:
        """Call the listeners if the proposed edits have changed since the last look."""
        if self._listeners and self._has_changed():
            for listener in self._listeners:
                listener()

    def _has_changed(self) -> bool:
        with self._lock:
            before, self._last = self._last, log_stamps(self._state)
            return before != self._last
