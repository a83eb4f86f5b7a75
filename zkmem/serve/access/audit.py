"""The audit log: who changed what over HTTP, one line of JSON for each edit, in `.zkmem/audit.jsonl`.

The log of edits (`zkmem log`) holds what undo needs, and loses its older half when it is large. This one is for whoever
has to answer for the vault: it tells the caller and the address too, and nothing here ever cuts it.
"""

import json
import logging
import os

from zkmem.vault.files import write_all
from zkmem.vault.journal.log import Edit
from zkmem.vault.journal.state import State
from zkmem.vault.nofollow import opened

_FILE = "audit.jsonl"

_log = logging.getLogger(__name__)


class Audit:
    """Writes the audit log of one vault; any thread and any process may."""

    def __init__(self, state: State) -> None:
        """Nothing is written, or made, before there is something to tell."""
        self._state = state

    def edited(self, caller: str, address: str, edit: Edit) -> None:
        """An edit was made, by a caller (empty where nobody is asked who it is) from an address."""
        told = {"caller": caller, "address": address, **edit._asdict()}
        line = json.dumps(told, separators=(",", ":")).encode() + b"\n"
        try:
            self._state.ensure()
            handle = opened(self._state.path(_FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                write_all(handle, line)
            finally:
                os.close(handle)
        except OSError as error:  # the edit is made; the operator sees both
            _log.warning("the audit log cannot be written (%s): %s", error.strerror or error, line.decode())
