"""The methods of a memory for hooks: what clients get without asking."""

from zkmem.hooks.answers import Parts, answer_json
from zkmem.hooks.sessions import Given, Sessions
from zkmem.hooks.vault import Vault
from zkmem.memory.access import Access

_ALL = 100_000  # more than the log has


class Hooks(Access):
    """What the sessions of clients are given from the notes that a caller may see."""

    def answer_hook(self, event: str, client: str, data: bytes, parts: Parts) -> bytes:
        """Return the JSON that answers a hook of a client, as the client reads it; empty if there is nothing to say.

        `event`: one of `clients.events.EVENTS`; `data`: what the client sent. This never waits for the index.

        Raises:
            BadArgument: when the event or the client is unknown, or the data is no JSON object.
            Busy: when there is no index to search, or another thread uses it.
            Unwritable: when the event cannot be written to the disk; the start of a session is answered all the same.
        """
        rights = self._rights
        vault = Vault(self._engine.vault, rights.folder, rights.search.glance, rights.read)
        return answer_json(event, client, data, vault, parts)

    def given(self, limit: int = 10) -> list[Given]:
        """Return what sessions were given last, the newest first; for a caller with a folder, only from that folder."""
        rights, sessions = self._rights, Sessions(self._engine.vault)
        if rights.sees_all:
            return sessions.given(limit)
        return [one for one in sessions.given(_ALL) if one.notes and all(map(rights.reaches, one.notes))][:limit]
