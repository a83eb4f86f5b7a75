"""Propose notes from the conversations that a person had with other programs. No note changes before they accept.

All transcripts are read first, one conversation at a time. What may be worth a note waits in a temporary file, because
two rules need all conversations: which names several of them mention, and which ones a program began. Then the notes
are proposed, the newest first.
"""

import functools
import itertools
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple

from zkmem.caller import IMPORT, Grant
from zkmem.clients.table import UserHome
from zkmem.errors import BadArgument, BadName, Taken, TooMany
from zkmem.memory import Memory
from zkmem.names import ENTRY, base_of, below, check_part, fold, name_of
from zkmem.records.draft import Draft
from zkmem.records.pages import Pages
from zkmem.transcripts.clients import FORMATS, TRIED, conversations, transcripts
from zkmem.transcripts.conversation import (
    NO_ROOM,
    UP_TO_DATE,
    AlreadyProposed,
    LeftOut,
    Progress,
    Transcript,
    leave_out_for,
)
from zkmem.transcripts.exports import SERVICES, exported
from zkmem.transcripts.facts import FactProposals
from zkmem.transcripts.imported import ConversationNotes, ProposedBefore, call_of
from zkmem.transcripts.note import COUNT, FOLDER, note_of
from zkmem.transcripts.worth import LEAST_SHARED, MOST_ALIKE, opening, phrases, proper_names, reason_against

if TYPE_CHECKING:
    from zkmem.model.endpoint import ChatEndpoint

_AT_ONCE = 250  # notes in one transaction
_MOST_NAMES = 500_000  # in all conversations, that are counted
_MOST_LINKS = 8  # in a note
_SHORTEST = 4  # characters of a lower-case name of a note that becomes a link
_DROPPED = "conversations that you have dropped before"


class ImportRequest(NamedTuple):
    """What to import."""

    source: str  # a client or a service: see `FORMATS` and `SERVICES`
    path: str = ""  # a folder, a transcript, or an export; "" for the client's own folder
    since: str = ""  # a date: conversations that ended before are left out
    project: str = ""  # only conversations of this project; "" for all
    dry_run: bool = False
    origins: bool = True  # whether to remember which conversation each edit came from
    facts: bool = False  # propose the facts that a model finds, not a note for each conversation


class ImportGroup(NamedTuple):
    """Proposed notes of one project in one month."""

    project: str
    month: str  # such as 2026-11; "" if unknown
    notes: int


class ImportReport(NamedTuple):
    """What an import has proposed."""

    read: int  # conversations
    proposed: int  # new notes
    changed: int  # notes of conversations that went on
    groups: list[ImportGroup]  # of both
    left_out: dict[str, int]  # how many were left out, by the reason
    secrets: int  # how many keys and passwords were left out of the notes
    remarks: list[str]
    asked: int = 0  # conversations that a model has read for facts; in a dry run, that it would read


class _Candidate(NamedTuple):
    """A conversation that may be worth a note; the rest of it waits in the temporary file."""

    began: str
    key: str
    root: str
    messages: int
    opening: bytes
    at: int


def import_conversations(
    memory: Memory,
    request: ImportRequest,
    home: UserHome,
    progress: Progress = lambda *_: None,
    endpoint: "ChatEndpoint | None" = None,
) -> ImportReport:
    """Propose notes from the conversations that a request names.

    `endpoint`: the model for facts. A dry run does not ask it.

    Raises:
        BadArgument: when there is nothing at the path.
    """
    proposing = memory.restricted(Grant(proposes_as=IMPORT)).on_behalf(tool="import", client=IMPORT)
    before = ProposedBefore(memory.vault)  # read before the notes, lest what another import proposes now seems dropped
    notes = proposing.look(lambda pages: dict(pages.table(ConversationNotes).by_key))
    with tempfile.TemporaryFile() as waiting:
        source = _Source(request, {key: count for key, (_, count) in notes.items()}, waiting)
        source.read(home, progress)
        if request.facts:
            asking = None if request.dry_run else endpoint
            facts = FactProposals(proposing, asking, before, source.left_out, origins=request.origins)
            facts.make(source.chosen(), progress)
            counts = facts.notes, 0, list[ImportGroup]()
        else:
            proposals = _Proposals(proposing, notes, before, source, proposing.look(_link_targets))
            proposals.make(progress, dry_run=request.dry_run)
            groups = [ImportGroup(*group, count) for group, count in sorted(proposals.groups.items())]
            counts = proposals.new, proposals.changed, groups
    left_out = {reason: count for reason, count in sorted(source.left_out.items()) if count}
    secrets, asked = (facts.secrets, facts.asked) if request.facts else (proposals.secrets, 0)
    return ImportReport(source.conversations, *counts, left_out, secrets, source.remarks(), asked)


class _Source:
    """The conversations of a client or a service: how many there are, and which may be worth a note."""

    def __init__(self, request: ImportRequest, in_notes: Mapping[str, int], waiting: IO[bytes]) -> None:
        self.request, self._in_notes, self._waiting = request, in_notes, waiting
        self.left_out = LeftOut()
        self.conversations = 0
        self.candidates: list[_Candidate] = []
        self.names, self.projects, self.openings = Counter[str](), Counter[str](), Counter[bytes]()
        self._versions = set[str]()

    def read(self, home: UserHome, progress: Progress) -> None:
        """Read all conversations of the source."""
        for one in self._all(home):
            self.conversations += 1
            progress("conversations read", self.conversations)
            if reason := self._reason_against(one):
                self.left_out[reason] += 1
                continue
            self.projects[one.project] += 1
            self.openings[opening(one)] += 1
            if len(self.names) < _MOST_NAMES:
                self.names.update(proper_names(one))
            self.candidates.append(
                _Candidate(one.began, one.key, one.root, one.messages, opening(one), self._waiting.tell())
            )
            self._waiting.write(json.dumps(one).encode() + b"\n")

    def _all(self, home: UserHome) -> Iterator[Transcript]:
        source, path = self.request.source, os.path.expanduser(self.request.path)
        own = os.path.abspath(home.path())
        if source in SERVICES:
            if not os.path.isfile(path):
                raise BadArgument(f"There is no export at {path!r}; give the zip that {source} has sent you.")
            shown = os.path.abspath(path).replace(own + os.sep, "~/", 1)
            yield from exported(source, path, shown, self._in_notes, self.left_out)
            return
        folder = path or FORMATS[source].folder(home)
        if not os.path.exists(folder):
            raise BadArgument(
                f"There are no transcripts of {source} at {folder!r}; give their folder after the options."
            )
        files = transcripts(source, folder, own, self.left_out)
        yield from conversations(source, files, self._in_notes, self.left_out, self._versions)

    def _reason_against(self, one: Transcript) -> str:
        since, project = self.request.since, self.request.project
        if since and one.ended < since:
            return f"conversations that ended before {since}"
        if project and fold(one.project) != fold(project):
            return f"conversations of other projects than {project}"
        return reason_against(one)

    def chosen(self) -> Iterator[Transcript]:
        """Yield the conversations that are worth a note, the newest first.

        Of several transcripts of one conversation, the one with the most messages counts.
        """
        longest: dict[tuple[str, str], _Candidate] = {}
        for one in self.candidates:
            same = one.key.partition("/")[0], one.root
            if same not in longest or one.messages > longest[same].messages:
                longest[same] = one
        self.left_out["transcripts that another one continues"] += len(self.candidates) - len(longest)
        for one in sorted(longest.values(), key=lambda one: (one.began, one.key), reverse=True):
            if self.openings[one.opening] > MOST_ALIKE:
                self.left_out[
                    f"conversations that a program began (more than {MOST_ALIKE} begin with the same words)"
                ] += 1
                continue
            self._waiting.seek(one.at)
            yield Transcript(*json.loads(self._waiting.readline()))

    def remarks(self) -> list[str]:
        """Return a remark if zkmem was not tried with a version of the client that wrote the transcripts."""
        tried = TRIED.get(self.request.source)
        others = sorted(one for one in self._versions if one and tried and not one.startswith(tried.alike))
        if not others or not tried:
            return []
        versions = ", ".join(others[:5])
        advice = f"Those of {versions} may have another form: look at what is proposed."
        return [f"zkmem was tried with transcripts of {self.request.source} {tried.tried}. {advice}"]


class _Proposals:
    """Proposes the notes of conversations."""

    def __init__(
        self,
        memory: Memory,
        notes: Mapping[str, tuple[str, int]],
        before: ProposedBefore,
        source: _Source,
        names: Mapping[str, str],
    ) -> None:
        """`notes`: the path of the note of each conversation, by its key; `names`: see `_link_targets`."""
        self._memory, self._notes, self._before, self._source, self._names = memory, notes, before, source, names
        self.new, self.changed, self.secrets, self._is_full = 0, 0, 0, False
        self.groups = Counter[tuple[str, str]]()

    def make(self, progress: Progress, *, dry_run: bool) -> None:
        """Propose all notes that are new, and all changes."""
        wanted = filter(self._is_new, self._source.chosen())
        while some := list(itertools.islice(wanted, _AT_ONCE)):
            if self._is_full:
                self._source.left_out[NO_ROOM] += len(some)
            else:
                self._propose(some, dry_run=dry_run)
                progress("notes proposed", self.new + self.changed)

    def _is_new(self, one: Transcript) -> bool:
        """Return whether a conversation has no note or has gone on since. If not, count it as left out."""
        left_out = self._source.left_out
        if one.key in self._notes:
            left_out[UP_TO_DATE] += (is_up_to_date := one.messages <= self._notes[one.key][1])
            return not is_up_to_date
        left_out[_DROPPED] += one.key in self._before.keys
        return one.key not in self._before.keys

    def _propose(self, some: Sequence[Transcript], *, dry_run: bool) -> None:
        works = [self._work(one) for one in some]
        calls = [call_of(one) for one in some]
        errors = [None] * len(some) if dry_run else self._memory.edit_each(works, calls)
        made = [one for one, error in zip(some, errors, strict=True) if error is None]
        for error in filter(None, errors):
            self._is_full |= isinstance(error, TooMany)
            leave_out_for(self._source.left_out, error)
        if not dry_run:
            self._before.add(one.key for one in made)
            if self._source.request.origins:
                self._before.add_origins(made)
        for one in made:
            is_change = one.key in self._notes
            self.changed += is_change
            self.new += not is_change
            self.secrets += one.secrets
            note = note_of(one, (), None)
            self.groups[base_of(note.folder), one.began[:7]] += 1

    def _work(self, one: Transcript) -> Callable[[Draft], object]:
        links = self._links(one)
        if (there := self._notes.get(one.key)) is not None:
            return functools.partial(_change, one, links, self._target(one.project), *there)
        return functools.partial(_create, one, links, self._target(one.project))

    def _links(self, one: Transcript) -> list[str]:
        """Return the targets of links: notes that the person named, and names that recur and have no note."""
        project = fold(one.project)
        there = (self._names.get(phrase) for phrase in map(fold, phrases(one)) if phrase != project)
        shared = (name for name in sorted(proper_names(one)) if self._source.names[name] >= LEAST_SHARED)
        new = (name for name in shared if fold(name) not in self._names and _is_name(name))
        return list(dict.fromkeys(target for target in (*there, *new) if target))[:_MOST_LINKS]

    def _target(self, project: str) -> str | None:
        """Return the target of the link to a project: its note, else its name if several conversations have it."""
        if target := self._names.get(fold(project)):
            return target
        is_shared = self._source.projects[project] > 1 and _is_name(project)
        return project if is_shared else None


def _link_targets(pages: Pages) -> dict[str, str]:
    """Return the target of a link to each note that is no conversation, by the last part of its name, folded."""
    targets = dict[str, str]()
    for path in pages.below(""):
        base = base_of(name_of(path))
        is_name = len(base) >= _SHORTEST or not base.isascii() or not base.islower()
        if is_name and base != ENTRY and not below(path, FOLDER) and len(pages.namesakes(f"{base}.md")) == 1:
            targets[fold(base)] = pages.link(path)
    return targets


def _is_name(text: str) -> bool:
    """Return whether a text can be the name of a note."""
    try:
        check_part(text, text)
    except BadName:
        return False
    return True


def _create(one: Transcript, links: Sequence[str], project: str | None, draft: Draft) -> None:
    if one.key in draft.table(ConversationNotes).by_key:
        raise AlreadyProposed(one.key)
    note = note_of(one, links, project)
    draft.write(_free(draft, note.name, note.folder), note.properties, note.body)


def _free(draft: Draft, name: str, folder: str) -> str:
    """Return a free path for a note, with a number if another note has the name."""
    if draft.named(name, folder) is None:
        return draft.free(name, folder)
    number = 2
    while draft.named(f"{name} {number}", folder) is not None:
        number += 1
    return draft.free(f"{name} {number}", folder)


def _change(one: Transcript, links: Sequence[str], project: str | None, path: str, in_note: int, draft: Draft) -> None:
    """Change the note of a conversation that has gone on. What others have written in the note stays."""
    page = draft.page(path)
    if page is None:
        raise Taken(f"The note {name_of(path)!r} is gone.")
    before, after = (note_of(state, links, project).body for state in (one.first(in_note), one))
    place = note_of(one, links, project).properties["transcript"]
    draft.write(path, {"transcript": place, COUNT: one.messages}, draft.merged(path, before, after, page.body))
