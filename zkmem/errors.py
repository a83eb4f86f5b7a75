"""Every failure that zkmem explains to its user: one class a meaning, one sentence an instance.

The class carries what a face needs to translate it: the exit code of the command line and the HTTP status.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from zkmem.util.spelling import told_apart

if TYPE_CHECKING:
    from zkmem.util.threeway import Proposal

_MOST_OF_HEADING = 80  # characters in a sentence


def _listed(names: Iterable[str], most: int = 10) -> str:
    names = told_apart(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _quoted(name: str, most: int = 300) -> str:
    return repr(name if len(name) <= most else name[:most] + "...")


class ZkError(Exception):
    """A failure with a sentence that says what is wrong and what to do; nothing was changed."""

    exit_code = 1
    http_status = 400
    path: str | None = None  # the file in the message, if the caller may not have named it

    def about(self, path: str) -> Self:
        """Set the file that the message is about; callers who may not know of the file do not get the message."""
        self.path = path
        return self


class BadArgument(ZkError):
    """An argument is missing, of the wrong type, or out of its range."""

    exit_code = 2
    http_status = 422


class BadRequest(ZkError):
    """An HTTP request whose headers contradict each other, or are given twice."""

    exit_code = 2
    http_status = 400


class BadBody(BadArgument):
    """The body of a request is not JSON."""

    http_status = 400


class BadType(BadArgument):
    """The body of a request is of another media type than the one that is taken."""

    http_status = 415


class NoRoute(ZkError):
    """The API has nothing at this path."""

    http_status = 404


class NoMethod(ZkError):
    """The API does not do this at this path."""

    http_status = 405


class BadSettings(ZkError):
    """A setting, in the file, the environment or a flag, has a value that it cannot have."""

    exit_code = 2
    http_status = 500


class NoVault(ZkError):
    """The vault's folder is not there, or is not a folder."""

    exit_code = 2
    http_status = 503


class Unauthorized(ZkError):
    """The server wants a token, and the request has none that counts."""

    exit_code = 2
    http_status = 401


class WrongHost(ZkError):
    """A request to a name that the server does not go by, as a page of another site may send it."""

    exit_code = 2
    http_status = 421


class WrongOrigin(ZkError):
    """A request from a page of another site."""

    exit_code = 2
    http_status = 403


class TooLarge(ZkError):
    """A request, an answer or a note is larger than the settings allow."""

    exit_code = 2
    http_status = 413


class TooMany(ZkError):
    """More requests than the server takes in a time, or from one caller at once."""

    exit_code = 4
    http_status = 429


class Forbidden(ZkError):
    """The caller's token does not reach that far."""

    exit_code = 2
    http_status = 403


class BadName(ZkError):
    """A name that no note can have, or that leads out of the vault."""

    exit_code = 2
    http_status = 422

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The name {_quoted(name)} cannot be used: {reason}.")
        self.reason = reason


class UnknownNote(ZkError):
    """No note has this name."""

    exit_code = 3
    http_status = 404

    def __init__(self, name: str, nearest: Iterable[str], advice: str = "") -> None:
        self.name, self.nearest = name, list(nearest)
        near = _listed(self.nearest)
        hint = f" Nearest names: {near}." if near else ""
        super().__init__(f"There is no note {_quoted(name)}.{hint}{' ' * bool(advice)}{advice}")


class UnknownFile(ZkError):
    """No attachment has this path."""

    exit_code = 3
    http_status = 404

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no attachment {_quoted(path)}.")


class UnknownEntity(ZkError):
    """The knowledge graph has no entity of this name."""

    exit_code = 3
    http_status = 404

    def __init__(self, name: str) -> None:
        super().__init__(f"Entity with name {name} not found")  # the words of server-memory, which clients know


class AmbiguousName(ZkError):
    """Several notes share the name."""

    exit_code = 3
    http_status = 409

    def __init__(self, name: str, candidates: Iterable[str]) -> None:
        self.name, self.candidates = name, list(candidates)
        super().__init__(f"Several notes are called {_quoted(name)}; give one of: {_listed(self.candidates)}.")


class NoPassage(ZkError):
    """A passage to edit or extract is not in the note, or is there more than once."""

    exit_code = 3
    http_status = 409


class NoSection(ZkError):
    """A note has no such heading or block."""

    exit_code = 3
    http_status = 404

    def __init__(self, name: str, subpath: str, headings: Iterable[str]) -> None:
        if subpath.startswith("#^"):
            sentence = f"{name!r} has no block with the id {_quoted(subpath[2:])}."
        else:
            listed = _listed(heading[:_MOST_OF_HEADING] for heading in headings)
            those = f"Its headings: {listed}." if listed else "It has no headings."
            sentence = f"{name!r} has no heading {_quoted(subpath[1:])}. {those}"
        super().__init__(sentence)


class EditedExpansion(ZkError):
    """Expanded text came back with a block that no longer equals its note."""

    exit_code = 4
    http_status = 409


class Closed(ZkError):
    """The memory is being closed."""

    http_status = 503


class Busy(ZkError):
    """Another process holds the vault's lock for longer than we wait."""

    exit_code = 4
    http_status = 503


class Changed(ZkError):
    """A file changed between reading it and replacing it; the edit is computed again, as long as patience lasts."""

    exit_code = 4
    http_status = 409


class StaleEtag(ZkError):
    """The edit was made from another version of the note than the one there is.

    `etag` is that of the one there is; None where there is none. `proposal` merges the two texts; None where the text
    that the edit was made from is not known, or the edit has no text.
    """

    exit_code = 4
    http_status = 412

    def __init__(self, sentence: str, etag: str | None, proposal: "Proposal | None" = None) -> None:
        super().__init__(sentence)
        self.etag = etag
        self.proposal = proposal


class NoEtag(ZkError):
    """An edit over HTTP does not say which version of the note it was made from."""

    http_status = 428


class EditedSince(ZkError):
    """A file is not as an edit left it, so that the edit cannot be taken back."""

    exit_code = 4
    http_status = 409

    def __init__(self, name: str, number: int) -> None:
        super().__init__(
            f"{name!r} has changed since edit {number}; nothing was undone. Single notes can be given an older text "
            "with restore."
        )


class NothingToUndo(ZkError):
    """There are fewer edits to take back, or to make again, than were asked for."""

    exit_code = 3
    http_status = 409


class NoVersion(ZkError):
    """An older text is not there, or not any more."""

    exit_code = 3
    http_status = 404


class Taken(ZkError):
    """There is a file already where a new one should go."""

    exit_code = 4
    http_status = 409


class Unreadable(ZkError):
    """The disk does not give the note."""

    exit_code = 5
    http_status = 500


class BadAnswer(ZkError):
    """A model that was asked gave no answer, or one that cannot be used."""

    exit_code = 1
    http_status = 502


class Damaged(ZkError):
    """A note that a toolset keeps a record in, and that was edited so that the record cannot be read."""

    exit_code = 5
    http_status = 409


class Unwritable(ZkError):
    """The edit cannot be written: the disk refuses it, or what is there does not allow it."""

    exit_code = 5
    http_status = 500


class Inexpressible(Unwritable):
    """Markdown, or the bytes that a note has, leave no way to write the edit."""

    http_status = 409


class NewerState(Unwritable):
    """The vault state was made by a newer zkmem, which this one must not disturb."""


class NoClient(ZkError):
    """A client that zkmem is to be added to is not installed."""

    exit_code = 3
    http_status = 404


class BadClientFile(ZkError):
    """A client's configuration file cannot be read, or not be edited without harm."""

    exit_code = 2
    http_status = 409


class ForeignEntry(ZkError):
    """A client's configuration has another server under the name that ours is to have."""

    exit_code = 4
    http_status = 409
