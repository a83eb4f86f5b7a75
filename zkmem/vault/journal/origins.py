"""Remember which conversation each edit came from, in `.zkmem/origins.jsonl`: beside the log, never in notes.

A client gives each call of a tool an id. The server adds a hash of it to the edit in the log; the client's hook, which
runs after the call, adds a line here with the same hash. An edit belongs to a conversation only if both agree.

With the setting `sync_origins`, commits name the hash, too, and each machine has a copy of its newest lines in a file
of the vault that is synchronised. What other machines say counts only for calls that no line of this machine names.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from zkmem.errors import Unwritable
from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read, read_part, write_all
from zkmem.vault.journal.log import MALFORMED, MOST_S
from zkmem.vault.journal.state import StateFolder

SHARED = ".zkmem-origins"
"""The folder of the vault in which machines share conversations, if the person allows it."""

_NAME = "origins.jsonl"
_MOST_BYTES = 8_000_000  # a longer file is cut to its newer half
_LONGEST = 300  # characters of a text in a line that is read: somebody else may have written it
_HASH = 16  # digits
_MOST_SHARED = 1_000_000  # bytes of the file that a machine shares
_MOST_MACHINES = 50
_BEFORE = len('{"call":"')


class Conversation(NamedTuple):
    """The conversation in which a client made an edit."""

    call: str  # the hash of the id of the call that made the edit
    time: float  # seconds since 1970
    client: str  # how the client's name begins in the log
    session: str  # a hash of the client's name for the conversation
    title: str  # the beginning of the person's first message
    said: str  # the person's last message before the edit
    imported: str = ""  # if the edit imports this conversation: the client that had it, and the date

    def made(self, call: str, client: str) -> bool:
        """Return whether an edit came from this conversation, by its call and its client in the log."""
        return call == self.call and client.rpartition(": ")[2].startswith(self.client)


def hash_of(call: object) -> str:
    """Return the hash of the id of a call; "" if it is no id."""
    is_id = isinstance(call, str) and 0 < len(call) <= _LONGEST
    return hashlib.blake2b(str(call).encode(errors="replace"), digest_size=_HASH // 2).hexdigest() if is_id else ""


def session_of(client: str, name: str) -> str:
    """Return the hash of a client's own name for a conversation, which may be any text."""
    return hashlib.blake2b(f"{client} {name}".encode(errors="replace"), digest_size=_HASH // 2).hexdigest()


class Conversations:
    """The file with the conversations of the edits of one vault."""

    def __init__(self, state: StateFolder) -> None:
        self._full = state.path(_NAME)
        self._shared = f"{os.path.dirname(state.folder)}/{SHARED}"

    def add(self, *some: Conversation) -> None:
        """Add a line for each conversation. The caller holds the lock of the sessions."""
        handle = platform.current.opened(self._full, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            write_all(handle, b"".join(map(_line, some)))
            size = platform.current.info_of(handle).st_size
        finally:
            os.close(handle)
        if size > _MOST_BYTES:
            data, _ = read_part(self._full, size // 2, size)
            lines, like = data[data.index(b"\n") + 1 :], self._full
            replace_file(self._full, lines, like=like, durable=False, opener=platform.current.opened)

    def of_calls(self, calls: Collection[str]) -> dict[str, Conversation]:
        """Return the conversations of some calls, by call. A call that several conversations name is left out."""
        by_call = _by_call(_parsed(self._full, calls))
        others = {call for call in calls if call not in by_call}
        if others and not os.path.islink(self._shared):
            with contextlib.suppress(OSError):
                files = sorted(os.listdir(self._shared))[:_MOST_MACHINES]
                shared = (one for name in files for one in _parsed(f"{self._shared}/{name}", others, _MOST_SHARED))
                by_call |= _by_call(shared)
        return {call: one for call, one in by_call.items() if one is not None}

    def of_session(self, session: str) -> dict[str, Conversation]:
        """Return the entries of a conversation, by call. `session`: its hash."""
        return self.of_calls([one.call for one in _parsed(self._full) if one.session == session])

    def share(self, machine: str) -> None:
        """Write the newest conversations to this machine's own file in `SHARED`, which a synchronisation sends.

        Since each machine has its own file, there is nothing to merge.
        """
        try:
            size = os.path.getsize(self._full)
            data, _ = read_part(self._full, max(0, size - _MOST_SHARED), _MOST_SHARED)
        except FileNotFoundError:
            return
        lines = data[data.index(b"\n") + 1 :] if size > _MOST_SHARED else data
        if os.path.islink(self._shared):
            raise Unwritable(f"{SHARED} is a symbolic link; remove it, so that conversations can be synchronised.")
        os.makedirs(self._shared, exist_ok=True)
        full = f"{self._shared}/{re.sub(r'[^a-zA-Z0-9-]', '-', machine)[:60]}.jsonl"
        with contextlib.suppress(FileNotFoundError):
            if read(full, _MOST_SHARED)[0] == lines:
                return
        replace_file(full, lines, durable=False)


def _by_call(some: Iterable[Conversation]) -> dict[str, Conversation | None]:
    """Return the last entry of each call, but None for a call that several conversations name."""
    by_call = dict[str, Conversation | None]()
    for one in some:
        other = by_call.get(one.call, one)
        by_call[one.call] = one if other is not None and other.session == one.session else None
    return by_call


def _parsed(
    full: str, calls: Collection[str] | None = None, most_bytes: int = 2 * _MOST_BYTES
) -> Iterator[Conversation]:
    """Yield the conversations in a file: those of some calls, or all. A line that cannot be read is left out."""
    data, wanted = b"", None if calls is None else {call.encode() for call in calls}
    with contextlib.suppress(OSError):
        data, _ = read_part(full, 0, most_bytes)
    for line in data.split(b"\n"):
        if wanted is None or line[_BEFORE : _BEFORE + _HASH] in wanted:
            with contextlib.suppress(*MALFORMED):
                yield _conversation(json.loads(line))


def _line(one: Conversation) -> bytes:
    values = {key: value for key, value in one._asdict().items() if value or key not in Conversation._field_defaults}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"


def _conversation(values: dict[str, object]) -> Conversation:
    one = Conversation(**values)  # type: ignore[arg-type]
    texts = (one.call, one.client, one.session, one.title, one.said, one.imported)
    if not all(type(text) is str and len(text) <= _LONGEST and text.isprintable() for text in texts):
        raise ValueError("a text is of another type, or too long")
    if not 0 <= float(one.time) <= MOST_S:
        raise ValueError("the time is out of range")
    return one._replace(time=float(one.time))
