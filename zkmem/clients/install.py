"""Add, remove and find zkmem in a client's configuration file."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from zkmem.clients import entry
from zkmem.clients.files import File
from zkmem.clients.jsonc import NotParsed
from zkmem.clients.table import Client
from zkmem.errors import BadClientFile

_T = TypeVar("_T")


class Outcome(NamedTuple):
    """The result of a change to a configuration file."""

    change: str  # added, replaced, unchanged; removed, not there
    file: str
    backup: str | None  # the path of the copy of the old file, if there is one


class Target:
    """One entry: of a client, in its configuration file, under a name."""

    def __init__(self, client: Client, path: str, name: str, *, shared: bool = False) -> None:
        """Read nothing yet. A new file is for its user alone, unless it is `shared`."""
        self.client = client
        self.name = name
        self._file = File(path, shared=shared)

    def add(self, wanted: dict[str, Any], *, force: bool = False) -> Outcome:
        """Add our entry, or set the command of an existing one.

        Raises:
            BadClientFile, Changed, ForeignEntry, Unwritable: nothing was changed then.
        """
        had = self.command() is not None
        changed = self._file.change(
            lambda text: self._read(lambda: entry.added(text or "", self.client, self.name, wanted, force=force)),
            backup=lambda text: not self._came_from_copy(text),
        )
        return self._outcome(("replaced" if had else "added") if changed else "unchanged")

    def remove(self, *, force: bool = False) -> Outcome:
        """Remove our entry. If nothing else was changed since it was added, the file becomes what it was before.

        Raises:
            BadClientFile, Changed, ForeignEntry, Unwritable: nothing was changed then.
        """
        restored = False

        def without(text: str | None) -> str | None:
            nonlocal restored
            if restored := text is not None and self._came_from_copy(text):
                return self._file.saved_copy()
            return None if text is None else entry.removed(text, self.client, self.name, force=force)

        changed = self._file.change(lambda text: self._read(lambda: without(text)), backup=lambda _: not restored)
        if changed and restored:
            self._file.forget()
        return self._outcome("removed" if changed else "not there")

    def command(self) -> list[str] | None:
        """Return the command of our entry; None if there is none.

        Raises:
            BadClientFile: when the file cannot be read.
        """
        text = self._file.read() or ""
        return self._read(lambda: entry.command_of(text, self.client, self.name))

    def remark(self) -> str:
        """Return a sentence that says why the client does not read its file; "" if it reads it.

        Raises:
            BadClientFile: when the file cannot be read.
        """
        text = self._file.read()
        if not (self.client.plain_json and text):
            return ""
        try:
            json.loads(text)  # it refuses a byte order mark first
        except json.JSONDecodeError as error:
            reason = f"line {error.lineno} has a comment, or a comma too many"
            if text.startswith("\ufeff"):
                reason = "it begins with a byte order mark"
            return f"{self.client.title} does not read {self._file.path}, so its servers may be missing: {reason}."
        return ""

    def _came_from_copy(self, text: str) -> bool:
        """Return whether the text is the copy (or no file at all) with our entry added."""
        try:
            return entry.came_from(text, self._file.saved_copy() or "", self.client, self.name)
        except (NotParsed, BadClientFile):  # the copy is no file that could be edited
            return False

    def _read(self, work: Callable[[], _T]) -> _T:
        try:
            return work()
        except NotParsed as error:
            raise BadClientFile(
                f"{self._file.path} cannot be edited: line {error.line}: {error.reason}. Nothing was changed: mend it, "
                "or see to the entry by hand (install --print shows it)."
            ) from error

    def _outcome(self, change: str) -> Outcome:
        backup = self._file.backup if self._file.saved_copy() is not None else None
        return Outcome(change, self._file.path, backup)


def installed(client: Client, path: str) -> list[Target]:
    """Return every entry of ours in a configuration file.

    Raises:
        BadClientFile: when the file cannot be read.
    """
    text = File(path).read() or ""
    try:
        return [Target(client, path, name) for name in entry.ours(text, client)]
    except NotParsed as error:
        raise BadClientFile(f"{path} cannot be read: line {error.line}: {error.reason}.") from error
