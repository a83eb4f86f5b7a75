"""Keep from which conversation edits came, in `.zkmem/origins.jsonl`: beside the log, never in notes or commits.

A client gives each call of a tool an id. The server adds a hash of it to the edit in the log; the client's hook, which
runs after the call, adds a line here with the same hash. An edit belongs to a conversation only if both agree.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Iterator
from typing import NamedTuple

from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read_part, write_all
from zkmem.vault.journal.log import MALFORMED, MOST_S, Edit
from zkmem.vault.journal.state import StateFolder

_NAME = "origins.jsonl"
_MOST_BYTES = 8_000_000  # a longer file is cut to its newer half
_LONGEST = 300  # characters of a text in a line that is read: somebody else may have written it
_HASH = 16  # digits
_BEFORE = len('{"call":"')


class Conversation(NamedTuple):
    """The conversation in which a client made an edit."""

    call: str  # the hash of the id of the call that made the edit
    time: float  # seconds since 1970
    client: str  # how the client's name begins in the log
    session: str  # a hash of the client's name for the conversation
    title: str  # the beginning of the person's first message
    said: str  # the person's last message before the edit

    def made(self, edit: Edit) -> bool:
        """Return whether this client has made an edit with this call."""
        return edit.call == self.call and edit.client.rpartition(": ")[2].startswith(self.client)


def hash_of(call: object) -> str:
    """Return the hash of the id of a call; "" if it is no id."""
    is_id = isinstance(call, str) and 0 < len(call) <= _LONGEST
    return hashlib.blake2b(str(call).encode(errors="replace"), digest_size=_HASH // 2).hexdigest() if is_id else ""


def session_of(client: str, name: str) -> str:
    """Return the hash of a client's own name for a conversation, which may be any text."""
    return hashlib.blake2b(f"{client} {name}".encode(errors="replace"), digest_size=_HASH // 2).hexdigest()


class Conversations:
    """The conversations from which the edits of one vault came."""

    def __init__(self, state: StateFolder) -> None:
        self._full = state.path(_NAME)

    def add(self, one: Conversation) -> None:
        """Add a line. The caller holds the lock of the sessions."""
        handle = platform.current.opened(self._full, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            line = json.dumps(one._asdict(), ensure_ascii=False, separators=(",", ":"))
            write_all(handle, line.encode(errors="replace") + b"\n")
            size = platform.current.info_of(handle).st_size
        finally:
            os.close(handle)
        if size > _MOST_BYTES:
            data, _ = read_part(self._full, size // 2, size)
            lines, like = data[data.index(b"\n") + 1 :], self._full
            replace_file(self._full, lines, like=like, durable=False, opener=platform.current.opened)

    def of_calls(self, calls: Collection[str]) -> dict[str, Conversation]:
        """Return the conversations of some calls, by call. A call that several name is of none."""
        found = dict[str, Conversation]()
        several = set[str]()
        for one in self._parsed({call.encode() for call in calls}):
            if one.call in found and found[one.call].session != one.session:
                several.add(one.call)
            found[one.call] = one
        return {call: one for call, one in found.items() if call not in several}

    def of_session(self, session: str) -> dict[str, Conversation]:
        """Return the calls of a conversation."""
        return self.of_calls([one.call for one in self._parsed() if one.session == session])

    def _parsed(self, calls: Collection[bytes] | None = None) -> Iterator[Conversation]:
        """Yield the lines that can be read: those of some calls, or all."""
        data = b""
        with contextlib.suppress(OSError):
            data, _ = read_part(self._full, 0, 2 * _MOST_BYTES)
        for line in data.split(b"\n"):
            if calls is None or line[_BEFORE : _BEFORE + _HASH] in calls:
                with contextlib.suppress(*MALFORMED):
                    yield _conversation(json.loads(line))


def _conversation(values: dict[str, object]) -> Conversation:
    one = Conversation(**values)  # type: ignore[arg-type]
    texts = (one.call, one.client, one.session, one.title, one.said)
    if not all(type(text) is str and len(text) <= _LONGEST and text.isprintable() for text in texts):
        raise ValueError("a text is of another type, or too long")
    if not 0 <= float(one.time) <= MOST_S:
        raise ValueError("its time is no time")
    return one._replace(time=float(one.time))
