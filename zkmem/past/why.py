"""Say where each passage of a note comes from: the edit that wrote it, and the conversation of that edit."""

import contextlib
import copy
import itertools
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from zkmem.errors import NoVersion
from zkmem.markdown.note import read_text
from zkmem.names import name_of
from zkmem.past.blame import UNSEEN, Blame, WordOrigin, commit_origins
from zkmem.past.flow import MarkedText
from zkmem.past.revisions import Past, Revision
from zkmem.util.spelling import clock, quoted
from zkmem.vault.files import etag
from zkmem.vault.journal.log import HAND, Edit, client_name, client_version, origin
from zkmem.vault.journal.origins import Conversation, Conversations
from zkmem.vault.journal.words import in_words
from zkmem.vault.paths import is_hidden

_WORD = re.compile(r"\S+")
_MOST_COMMITS = 50  # commits of a note that are searched for text that a synchronisation brought
_LONGEST_CALL_S = 3_600.0  # the hook notes the time after the call, so the edit is earlier
_OLDER = "before the first edit that zkmem knows"
_NOT_SEEN = "in an edit that also changed notes outside of your folder"


class WrittenPassage(NamedTuple):
    """Words of a note that one edit wrote."""

    first: int  # the numbers of its first and its last line, from 1
    last: int
    text: str
    edit: int | None  # its number; 0 if no server saw the change; None if it is older than the log, or may not be seen
    earliest: int | None  # if an earlier edit may have written it: the number of the first that may, 0 if unknown
    time: float | None  # of the edit, in seconds since 1970
    client: str
    version: str  # of the client
    outside: str  # if another program made the change, its kind: see `Edit`
    did: str  # what the edit did, in the words of the history
    note: str = ""  # the name of the note in which the edit wrote it; "" if that is this note
    session: str = ""  # the hash of the conversation; "" if it is not known
    title: str = ""  # the beginning of the person's first message in it
    said: str = ""  # the person's last message before the edit
    imported: str = ""  # if the edit imports this conversation: the client that had it, and the date

    @property
    def in_words(self) -> str:
        """A line that says where the passage comes from, in local time."""
        if self.time is None:
            return self.did
        who = "you, by hand" if self.outside == HAND else origin(self.outside) or self.client
        about = ", ".join(filter(None, (who, clock(self.time) if self.time else "", self._edits, self._conversation)))
        return about + (f": you had said {quoted(self.said)}" if self.said else "")

    @property
    def _edits(self) -> str:
        if self.earliest is None:
            return f"edit {self.edit} ({self.did})" if self.edit else ""
        if self.edit:
            edits = (
                f"one of the edits {self.earliest} to {self.edit}" if self.earliest else f"edit {self.edit} or before"
            )
        else:  # no server saw the last change that may have written it
            edits = f"edit {self.earliest} or later" if self.earliest else "this change or before"
        return f"in {edits}: older texts are not kept"

    @property
    def _conversation(self) -> str:
        if self.imported:
            return f"from the conversation {quoted(self.title)} with {self.imported} ({self.session})"
        began = f", which began with {quoted(self.title)}" if self.title else ""
        return f"in the conversation {self.session}{began}" if self.session else ""


def why(
    past: Past,
    has: Callable[[str], bool],
    path: str,
    data: bytes,
    lines: tuple[int, int],
    conversations: Conversations | None,
) -> list[WrittenPassage]:
    """Return the passages of a note, in order, each with the edit that wrote it.

    `has`: says whether the caller may see the file at a path; `data`: the present bytes of the note; `lines`: the
    numbers of the first and the last line of interest; `conversations`: None if the caller may not know of them.
    """
    text = read_text(data).shown
    first, last = lines
    words, marked, begin = list[tuple[int, int, int]](), MarkedText(text), 0
    for number, shown in enumerate(marked.lines, 1):
        spans = [one.span() for one in _WORD.finditer(shown)] if first <= number <= last else []
        marked.marks[number - 1] = tuple((at,) for at in range(len(words), len(words) + len(spans))) or None
        words += ((number, begin + start, begin + end) for start, end in spans)
        begin += len(shown) + 1
    present = copy.copy(marked)
    blame = Blame(path, etag(data), marked, past.texts_of(()), has)
    for edit in past.entries():
        if blame.is_done:
            break
        blame.back(edit)
    blame.finish()
    commits = _commits(past, path) if any(one.edit and one.edit.commit for one in blame.origins.values()) else {}
    texts = ((rev, one.data) for rev, one in commits.items())
    blame.origins |= commit_origins(present, blame.origins, texts) if commits else {}
    runs = [list(run) for _, run in itertools.groupby(range(len(words)), blame.origins.__getitem__)]
    origins = [blame.origins[run[0]] for run in runs]
    seen = past.visible({one.edit.number: one.edit for one in origins if one.edit and one.edit.number})
    calls = {*(one.call for one in seen.values()), *(one.call for one in commits.values())} - {""}
    of_calls = conversations.of_calls(calls) if conversations else {}
    passages = []
    for run, one in zip(runs, origins, strict=True):
        (line, start, _), (end_line, _, end) = words[run[0]], words[run[-1]]
        shown_edit = one.edit if one.edit is UNSEEN else one.edit and seen.get(one.edit.number)
        passage = WrittenPassage(
            line, end_line, text[start:end], None, None, None, "", "", "", _NOT_SEEN if one.edit else _OLDER
        )
        if shown_edit:
            passage = _with_edit(passage, one, shown_edit, path, of_calls.get(shown_edit.call))
        if shown_edit and one.commit:
            passage = _with_commit(passage, commits[one.commit], of_calls)
        passages.append(passage)
    return passages


class _Commit(NamedTuple):
    """A commit of a note."""

    revision: Revision
    call: str  # the hash of the call that made its edit; "" if it is not known
    data: bytes  # the note


def _commits(past: Past, path: str) -> dict[str, _Commit]:
    """Return the last commits of a note by their names, the newest first; empty without git."""
    commits = dict[str, _Commit]()
    for one, call in past.commits(path, _MOST_COMMITS):
        with contextlib.suppress(NoVersion):
            commits[one.rev] = _Commit(one, call, past.text(path, one.rev).data)
    return commits


def _with_commit(passage: WrittenPassage, commit: _Commit, of_calls: Mapping[str, Conversation]) -> WrittenPassage:
    """Return a passage that a synchronisation brought, with the author and the conversation of the commit."""
    one, did = commit.revision, f"{commit.revision.words}; brought by a synchronisation"
    passage = passage._replace(time=one.time, client=one.author, version=one.version, did=did)
    return _with_conversation(passage, of_calls.get(commit.call), commit.call, one.author)


def _with_edit(
    passage: WrittenPassage, one: WordOrigin, edit: Edit, path: str, conversation: Conversation | None
) -> WrittenPassage:
    """Return a passage with its edit, and the conversation of that. `path`: that of the note now."""
    passage = passage._replace(
        edit=edit.number,
        earliest=one.earliest,
        time=edit.time,
        client=client_name(edit.client),
        version=client_version(edit.client),
        outside=edit.outside,
        did=in_words(edit) if edit.number else "",
        note=name_of(one.path) if one.path != path and not is_hidden(one.path) else "",
    )
    return _with_conversation(passage, conversation, edit.call, edit.client)


def _with_conversation(
    passage: WrittenPassage, conversation: Conversation | None, call: str, client: str
) -> WrittenPassage:
    """Return a passage with a conversation, if the edit with this call and this client came from it."""
    if conversation is None or not conversation.made(call, client):
        return passage
    _, _, _, session, title, said, imported = conversation
    shown = "" if said.startswith(title) else title
    return passage._replace(session=session, title=shown, said=said, imported=imported)


class SessionEdit(NamedTuple):
    """An edit of a conversation."""

    edit: int
    time: float  # seconds since 1970
    client: str
    did: str  # in the words of the history
    undone: bool
    title: str  # of the conversation: the beginning of the person's first message
    said: str  # the person's last message before it

    @property
    def in_words(self) -> str:
        """The edit as a line of a list, in local time."""
        about = ", ".join(filter(None, (self.client, "undone" if self.undone else "")))
        said = f": you had said {quoted(self.said)}" if self.said else ""
        return f"{self.edit}  {clock(self.time)}  {self.did}  ({about}){said}"


def edits_of(past: Past, calls: Mapping[str, Conversation]) -> list[SessionEdit]:
    """Return the edits that some calls have made, the newest first."""
    began, undone, edits = min((one.time for one in calls.values()), default=0.0) - _LONGEST_CALL_S, set[int](), []
    for edit in itertools.takewhile(lambda edit: edit.time >= began, past.backwards()) if calls else ():
        if edit.number not in undone:
            undone.update(edit.undoes)
        one = calls.get(edit.call)
        if one and one.made(edit.call, edit.client):
            about = edit.number, edit.time, client_name(edit.client), in_words(edit), edit.number in undone
            edits.append(SessionEdit(*about, one.title, one.said))
    return edits
