"""Remember which conversations were proposed, so that what a person has dropped is not proposed again.

The file `.zkmem/imported` has a line with the key of each. Lines that begin with `facts` say how many messages of a
conversation a model has read. The notes have the keys, too: see `ConversationNotes`.
"""

import contextlib
import os
import time
from collections.abc import Iterable

from zkmem.caller import IMPORT
from zkmem.hooks.sessions import HookSessions
from zkmem.records.pages import Page
from zkmem.records.tables import RecordTable
from zkmem.transcripts.conversation import Transcript
from zkmem.transcripts.note import COUNT, KEY
from zkmem.transcripts.worth import title_of
from zkmem.vault import platform
from zkmem.vault.files import read, write_all
from zkmem.vault.journal.origins import Conversation, hash_of, session_of
from zkmem.vault.journal.state import StateFolder, unwritable

_MOST_BYTES = 100_000_000
_ASKED = "facts "  # how a line begins that says how many messages a model has read


def call_of(one: Transcript) -> str:
    """Return the hash that edits which import a conversation have in place of the call of a tool."""
    return hash_of(f"import {one.key}")


def _about(one: Transcript) -> str:
    return ", ".join(filter(None, (one.client, one.began)))


class ConversationNotes(RecordTable):
    """The notes of conversations, by the keys of the conversations."""

    def __init__(self) -> None:
        self.by_key: dict[str, tuple[str, int]] = {}  # the path, and how many messages of the person the note counts
        self._keys: dict[str, str] = {}  # by path

    def put(self, path: str, data: bytes) -> None:
        """Add a note."""
        if f"\n{KEY}:".encode() not in data:
            return
        properties = Page(path, data).properties
        key, count = properties.get(KEY), properties.get(COUNT)
        if isinstance(key, str) and isinstance(count, str) and count.isdecimal() and len(count) < 10:
            self.by_key[key], self._keys[path] = (path, int(count)), key

    def drop(self, path: str) -> None:
        """Remove a note."""
        self.by_key.pop(self._keys.pop(path, ""), None)


class ProposedBefore:
    """The keys of all that was proposed in a vault, including what was dropped."""

    def __init__(self, vault: str) -> None:
        self._vault, self._state = vault, StateFolder(vault)
        self._path = self._state.path("imported")
        self.keys = set[str]()
        with contextlib.suppress(FileNotFoundError):
            self.keys.update(read(self._path, _MOST_BYTES)[0].decode(errors="replace").splitlines())

    def asked(self) -> dict[str, int]:
        """Return how many messages of each conversation a model has read for facts, by the key."""
        lines = (key.split(" ", 2) for key in self.keys if key.startswith(_ASKED))
        counts = dict[str, int]()
        for _, count, key in (parts for parts in lines if len(parts) == 3 and parts[1].isdecimal()):
            counts[key] = max(counts.get(key, 0), int(count[:9]))
        return counts

    def add_asked(self, key: str, messages: int) -> None:
        """Remember that a model has read so many messages of a conversation for facts."""
        self.add([f"{_ASKED}{messages} {key}"])

    def add_origins(self, conversations: Iterable[Transcript]) -> None:
        """Remember that the edits with the `call_of` each conversation come from it."""
        now = time.time()
        HookSessions(self._vault).keep(
            Conversation(call_of(one), now, IMPORT, session_of(one.client, one.id), title_of(one), "", _about(one))
            for one in conversations
        )

    def add(self, keys: Iterable[str]) -> None:
        """Add keys."""
        data = "".join(f"{key}\n" for key in keys).encode(errors="replace")
        self._state.ensure()
        try:
            handle = platform.current.opened(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                write_all(handle, data)
            finally:
                os.close(handle)
        except OSError as error:
            raise unwritable(error) from error
