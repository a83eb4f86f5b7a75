"""The errors that zkmem explains to its user: one class for each meaning, one sentence for each instance."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from zkmem.util.spelling import quoted, told_apart

if TYPE_CHECKING:
    from zkmem.util.threeway import Proposal

_MOST_OF_HEADING = 80  # characters of a heading that a sentence quotes


def _listed(names: Iterable[str], most: int = 10) -> str:
    names = told_apart(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class ZkError(Exception):
    """A failure with a sentence that says what is wrong and what to do.

    Nothing was changed, unless the class says otherwise.
    """

    exit_code = 1  # of the command line
    http_status = 400
    path: str | None = None  # a file that the message names although the caller did not name it

    def __init_subclass__(cls, *, exit_code: int | None = None, http_status: int | None = None) -> None:
        """Set the exit code and the HTTP status of a class; by default, it has those of its base."""
        super().__init_subclass__()
        cls.exit_code = exit_code or cls.exit_code
        cls.http_status = http_status or cls.http_status

    def about(self, path: str) -> Self:
        """Set the file that the message is about; callers who may not see the file do not get the message."""
        self.path = path
        return self


class BadArgument(ZkError, exit_code=2, http_status=422):
    """An argument is missing, of the wrong type, or out of its range."""


class BadRequest(ZkError, exit_code=2, http_status=400):
    """The headers of an HTTP request contradict each other, or one is given twice."""


class BadBody(BadArgument, http_status=400):
    """The body of a request is not JSON."""


class BadType(BadArgument, http_status=415):
    """The body of a request has a media type that the API does not accept."""


class NoRoute(ZkError, http_status=404):
    """The API has nothing at this path."""


class NoMethod(ZkError, http_status=405):
    """The API does not know this method at this path."""


class BadSettings(ZkError, exit_code=2, http_status=500):
    """A setting has a value that is not allowed: in a file, in the environment or as an option."""


class NoVault(ZkError, exit_code=2, http_status=503):
    """The vault's folder does not exist, or is not a folder."""


class Unauthorized(ZkError, exit_code=2, http_status=401):
    """The server requires a token, and the request has no valid one."""


class WrongHost(ZkError, exit_code=2, http_status=421):
    """The `Host` of a request is not a name of this server, as in a request from a page of another site."""


class WrongOrigin(ZkError, exit_code=2, http_status=403):
    """A page of another site sent the request."""


class TooLarge(ZkError, exit_code=2, http_status=413):
    """A request, an answer or a note is larger than the settings allow."""


class TooSlow(ZkError, exit_code=4, http_status=408):
    """The body of a request arrives too slowly, or has stopped."""


class TooMany(ZkError, exit_code=4, http_status=429):
    """A caller sends or holds more than the server allows, for example requests in a second, streams or connections."""


class Forbidden(ZkError, exit_code=2, http_status=403):
    """The caller's token does not allow this."""


class BadName(ZkError, exit_code=2, http_status=422):
    """No note can have this name, or it leads out of the vault."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The name {quoted(name)} cannot be used: {reason}.")
        self.reason = reason


class UnknownNote(ZkError, exit_code=3, http_status=404):
    """No note has this name. `names` are the notes that the sentence proposes."""

    def __init__(self, name: str, nearest: Iterable[str], advice: str = "", named: Iterable[str] = ()) -> None:
        """`named`: the notes that the advice names."""
        self.name, self.nearest = name, list(nearest)
        self.names = [*self.nearest, *named]
        near = _listed(self.nearest)
        hint = f" Nearest names: {near}." if near else ""
        super().__init__(f"There is no note {quoted(name)}.{hint}{' ' * bool(advice)}{advice}")


class UnknownThen(UnknownNote):
    """No note is known that had this name at the moment that was asked for."""

    def __init__(self, name: str, nearest: Iterable[str], *, is_newer: bool = False) -> None:
        """`nearest`: names of that time; `is_newer`: whether a note has the name now."""
        self.name, self.nearest, self.names = name, list(nearest), []
        near = _listed(self.nearest)
        hint = f" Nearest names of that time: {near}." if near else ""
        newer = " The note that has this name now is known only from later on; give a later moment." if is_newer else ""
        ZkError.__init__(self, f"No note {quoted(name)} is known to have existed at that time.{newer}{hint}")


class UnknownFile(ZkError, exit_code=3, http_status=404):
    """No attachment has this path."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no attachment {quoted(path)}.")


class UnknownBase(UnknownFile):
    """No `.base` file has this path or name."""

    def __init__(self, path: str, bases: Iterable[str]) -> None:
        known = _listed(bases)
        has = f"the bases are: {known}" if known else "there are no bases"
        ZkError.__init__(self, f"There is no base {quoted(path)}; {has}.")


class AmbiguousBase(ZkError, exit_code=3, http_status=409):
    """Several `.base` files share the name."""

    def __init__(self, name: str, candidates: Iterable[str]) -> None:
        super().__init__(f"Several bases are called {quoted(name)}; give one of: {_listed(candidates)}.")


class UnknownSignIn(ZkError, exit_code=3, http_status=404):
    """The caller has no sign-in with this name."""


class UnknownPasskey(ZkError, exit_code=3, http_status=404):
    """The caller has no passkey with this id."""


class UnknownEntity(ZkError, exit_code=3, http_status=404):
    """The knowledge graph has no entity of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Entity with name {name} not found")  # the words of server-memory, which clients know


class AmbiguousName(ZkError, exit_code=3, http_status=409):
    """Several notes share the name."""

    def __init__(self, name: str, candidates: Iterable[str], advice: str = "") -> None:
        self.name, self.names = name, list(candidates)
        listed = _listed(self.names)
        super().__init__(f"Several notes are called {quoted(name)}; give one of: {listed}.{' ' * bool(advice)}{advice}")


class NoPassage(ZkError, exit_code=3, http_status=409):
    """A passage to edit or extract is not in the note, or is there more than once."""


class NoConflict(ZkError, exit_code=3, http_status=409):
    """A note has no such conflict callout, or it is not certain which lines of the note the callout is about."""


class NoSection(ZkError, exit_code=3, http_status=404):
    """A note has no such heading or block."""

    def __init__(self, name: str, subpath: str, headings: Iterable[str]) -> None:
        """`headings`: those of the note, the nearest first."""
        if subpath.startswith("#^"):
            sentence = f"{quoted(name)} has no block with the id {quoted(subpath[2:])}."
        else:
            listed = _listed(heading[:_MOST_OF_HEADING] for heading in headings)
            those = f"Its headings: {listed}." if listed else "It has no headings."
            sentence = f"{quoted(name)} has no heading {quoted(subpath[1:])}. {those}"
        super().__init__(sentence)


class EditedExpansion(ZkError, exit_code=4, http_status=409):
    """A text to save contains the expanded text of another note, changed or without its markers."""


class Closed(ZkError, http_status=503):
    """The memory is being closed."""


class Busy(ZkError, exit_code=4, http_status=503):
    """Another process has held the vault's lock for longer than an edit waits."""


class Changed(ZkError, exit_code=4, http_status=409):
    """A file changed again and again between reading and replacing it."""


class StaleEtag(ZkError, exit_code=4, http_status=412):
    """The edit was made from another version of the note than the current one.

    `etag` is the etag of the current version; None if there is no note. `proposal` is a merge of the two texts; None if
    the text that the edit was made from is not known, or the edit has no text.
    """

    def __init__(self, sentence: str, etag: str | None, proposal: "Proposal | None" = None) -> None:
        super().__init__(sentence)
        self.etag = etag
        self.proposal = proposal


class NoEtag(ZkError, http_status=428):
    """An edit over HTTP does not say which version of the note it was made from."""


class EditedSince(ZkError, exit_code=4, http_status=409):
    """A later change is in the way of an undo, a redo or a proposed edit."""

    def __init__(self, sentence: str, verb: str) -> None:
        """`sentence` says what is in the way; `verb` is "undone", "redone" or "accepted"."""
        self.reason = sentence
        advice = f" Nothing was {verb}. To give a single note an older text, use restore."
        super().__init__(sentence + advice * (verb != "accepted"))


class UnknownEdit(ZkError, exit_code=3, http_status=404):
    """The log has no edit with the given number."""

    def __init__(self, number: int) -> None:
        """`number` is what the caller gave."""
        super().__init__(
            f"There is no edit {number}. `zkmem log --by tools`, or the tool `log` with by=tools, lists the edits with "
            f"their numbers."
        )


class NothingProposed(ZkError, exit_code=3, http_status=404):
    """A client has no proposed edits, or none with the given number."""

    def __init__(self, client: str, number: int | None = None, group: str = "") -> None:
        """`client`, `number` and `group`, a project and a month, are what the caller gave."""
        what = "no proposed edits" if number is None else f"no proposed edit {number}"
        what += f" of {quoted(group)}" if group else ""
        super().__init__(f"{quoted(client)} has {what}. To list all proposed edits: zkmem proposed list")


class NothingToUndo(ZkError, exit_code=3, http_status=409):
    """The given edits cannot be undone or redone."""


class NoVersion(ZkError, exit_code=3, http_status=404):
    """There is no such older text of the note, or it is no longer kept."""


class NoGitHistory(NoVersion):
    """An older text is not known without git, which cannot be read. Only a caller with all notes gets the reason."""

    def __init__(self, reason: str, sentence: str = "") -> None:
        """`reason` is what git says, and may name any file; `sentence` says what is not known without git."""
        self.reason, self.sentence = reason, sentence
        super().__init__(f"{sentence} git cannot read the history: {reason}.".lstrip())


class Taken(ZkError, exit_code=4, http_status=409):
    """A file already exists at the path of a new one."""


class Unreadable(ZkError, exit_code=5, http_status=500):
    """The note cannot be read from the disk, or its properties are not YAML."""


class BadAnswer(ZkError, exit_code=1, http_status=502):
    """A model gave no answer to a question, or one that cannot be used."""


class Damaged(ZkError, exit_code=5, http_status=409):
    """A note holds a record of a toolset, and an edit by hand has made the record unreadable."""


class NotSynced(ZkError, exit_code=5, http_status=409):
    """The vault cannot be synchronised. Edits may have been committed or merged already; none is lost."""


class SyncRefused(NotSynced, exit_code=1):
    """A synchronisation needs permission: it deletes many notes, or the remote's history is rewritten or unrelated."""


class SecretsRefused(SyncRefused):
    """A synchronisation needs permission: it would push what looks like a key for the first time."""

    def __init__(self, found: str, remark: str = "") -> None:
        """`found` says what was found in which notes; `remark` says what was done all the same."""
        self.found = found
        self.remark = remark
        super().__init__(
            f"Nothing was pushed, since the remote would get what looks like a key: {found}. Take it out of the notes "
            f"and of these commits, or, to push it, run `zkmem sync --yes` in the vault{remark}"
        )


class Unwritable(ZkError, exit_code=5, http_status=500):
    """The edit cannot be written: the disk refuses it, or the content of a file does not allow it."""


class FileInTheWay(Unwritable, exit_code=4, http_status=409):
    """A file stands where a folder of the new path should be."""


class Inexpressible(Unwritable, http_status=409):
    """The edit cannot be written in Markdown, or not in a note with bytes that are not UTF-8."""


class CannotInEditor(ZkError, exit_code=4, http_status=409):
    """A text editor cannot make the changes that an edit needs."""


class NewerState(Unwritable):
    """A newer zkmem made the vault's `.zkmem` folder, and this version must not write to it."""


class NoClient(ZkError, exit_code=3, http_status=404):
    """The client is not installed."""


class BadClientFile(ZkError, exit_code=2, http_status=409):
    """A client's configuration file cannot be read, or cannot be edited without damage."""


class ForeignEntry(ZkError, exit_code=4, http_status=409):
    """A client's configuration already has another server under the name that zkmem would use."""
