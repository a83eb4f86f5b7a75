"""The caller of a memory and its rights, as plain values."""

import re
import unicodedata
from collections.abc import Callable, Collection, Hashable
from typing import NamedTuple

from zkmem.edit.journal import Author
from zkmem.errors import Forbidden
from zkmem.index.index import Progress
from zkmem.names import below
from zkmem.vault.journal.log import OUTSIDE, Edit, client_name, origin, printable_name

LOCAL = "local"
"""The name under which the edits of clients without a token are proposed."""

IMPORT = "import"
"""The name under which the notes of `zkmem import` are proposed."""

DRAFTER = "zkmem-hint"
"""The name under which drafts of `hint` are proposed."""

PAGE = "page"
"""The client name of the page in the log."""

CHAT = "review in a chat"
"""The client name in the log of a person who decides in the view of the tool `review`."""

_OF_A_PERSON = (PAGE, CHAT)
_IN_WORDS = ("you", "you in another window", "somebody", "somebody else", "synchronisation")  # the page's authors
_TAKEN = {*_OF_A_PERSON, *_IN_WORDS, *OUTSIDE, *(origin(one).casefold() for one in OUTSIDE)}  # no program is called so
_OWN_PROPOSER = re.compile(f"(?:client )*(?:{'|'.join(map(re.escape, (LOCAL, IMPORT, DRAFTER)))})")
_FILLERS = dict.fromkeys(map(ord, "\u115f\u1160"))  # letters without a shape

OnEdit = Callable[[Edit], object]
"""Gets an edit that was made, in the thread that made it."""

OnRemark = Callable[[str], object]
"""Gets a sentence about an edit that was made, in the thread that made it."""


def by_program(name: str, program: str) -> str:
    """Return the client of an edit for the log: the name of the token, if there is one, and the program.

    A program chooses its name, but does not get that of a person's own edits, or of changes without a client.
    """
    program = printable_name(program)
    client = printable_name(_joined(name, program))
    is_taken = _look(client_name(client).rpartition(": ")[2]) in _TAKEN
    return _joined(name, f"program {program}".strip()) if is_taken else client


def proposer(name: str) -> str:
    """Return the name under which the edits of a token or a user with this name are proposed.

    Who proposes under a name reads what waits under it, so nobody gets a name of zkmem's own.
    """
    return f"client {name}" if _OWN_PROPOSER.fullmatch(name) else name


def by_person(person: str, client: str) -> str:
    """Return the client of an edit that a person makes through `PAGE` or `CHAT`, for the log."""
    return _joined(person, client)


def own_clients(person: str) -> set[str]:
    """Return the clients through which a person edits: those whose edits are no news to the person."""
    return {by_person(person, client) for client in _OF_A_PERSON}


def _look(name: str) -> str:
    """Return a name as a person sees it: without case, width, and characters that leave no mark."""
    shown = unicodedata.normalize("NFKC", name).casefold().translate(_FILLERS)
    return " ".join("".join(char for char in shown if char.isalnum() or char in " -").split())


def _joined(name: str, client: str) -> str:
    return ": ".join(part for part in (name, client) if part)


class Grant(NamedTuple):
    """The rights of a caller."""

    folder: str = ""  # the caller may use the notes below it; spelled as on disk; empty for all notes
    read_only: bool = False
    proposes_as: str = ""  # the client whose edits are proposed, and not made; "" if they are made

    def restricted(self, other: "Grant") -> "Grant":
        """Return what both grants allow."""
        if below(f"{other.folder}/", self.folder):
            folder = other.folder
        elif below(f"{self.folder}/", other.folder):
            folder = self.folder
        else:
            raise Forbidden(f"The folder {other.folder!r} is outside of {self.folder!r}, which is all that is allowed.")
        return Grant(folder, self.read_only or other.read_only, self.proposes_as or other.proposes_as)


class Caller(NamedTuple):
    """A caller of a memory, and its rights."""

    grant: Grant = Grant()
    tool: str = ""  # the name of the tool that makes the edits
    client: str = ""  # the program that calls the tool
    person: str = ""  # whose marks on edits are used: the name of a user or of a token
    session: Hashable = None  # one of several sessions of that program in this process
    call: str = ""  # the hash of the id that the client gave the call of the tool
    tools: Collection[str] | None = None  # the names of the tools that it can call; None: it is no model
    progress: Progress | None = None  # gets the number of notes read, and the number to read, while a call waits
    on_edit: OnEdit | None = None  # is called with each edit that is made
    on_remark: OnRemark | None = None  # is called with each sentence about an edit that a toolset makes from a draft

    @property
    def reader(self) -> Hashable:
        """The key of the session, by which it is remembered what it has read."""
        return self.client, self.session

    def author(self, tool: str = "", client: str = "", call: str = "") -> Author:
        """Return who makes an edit; the arguments replace what is known of the caller. `call`: a hash."""
        return Author(tool or self.tool, client or self.client, self.reader, call or self.call)
