"""Write the audit log, `.zkmem/audit.jsonl`: a line of JSON for each edit and each sign-in over HTTP.

With `zkmem serve --audit`, it also has each request over MCP, and the edits over stdio.

The log of edits (`zkmem log`) holds what undo needs, and loses its older half when it is large. The audit log is for
the person who is responsible for the vault. It also names the caller and the address, and zkmem never shortens it.
"""

import json
import logging
import os
import time

from zkmem.vault import platform
from zkmem.vault.files import write_all
from zkmem.vault.journal.log import Edit
from zkmem.vault.journal.state import StateFolder

_FILE = "audit.jsonl"

_log = logging.getLogger(__name__)


class Audit:
    """The audit log of one vault. Several threads and processes may write to it."""

    def __init__(self, state: StateFolder) -> None:
        """Prepare the log. The file is made with the first entry."""
        self._state = state

    def add(self, caller: str, address: str, edit: Edit) -> None:
        """Add an edit by a caller from an address; `caller` is empty if the server needs no tokens."""
        self._write({"caller": caller, "address": address, **edit._asdict()})

    def add_event(self, caller: str, address: str, event: str, **details: object) -> None:
        """Add what has become of a caller's access, such as a sign-in."""
        self._write({"caller": caller, "address": address, "time": time.time(), "event": event, **details})

    def _write(self, entry: dict[str, object]) -> None:
        line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        try:
            handle = self._open_log()
            try:
                write_all(handle, line)
            finally:
                os.close(handle)
        except OSError as error:  # the edit is made all the same; the server's log has its entry
            _log.warning("the audit log cannot be written (%s): %s", error.strerror or error, line.decode())

    def _open_log(self) -> int:
        """Open the log for appending, make it if it is missing, and return its handle."""
        full, how = self._state.path(_FILE), os.O_WRONLY | os.O_APPEND
        try:
            return platform.current.opened(full, how)
        except FileNotFoundError:
            self._state.ensure()
            return platform.current.opened(full, how | os.O_CREAT, 0o600)
