"""The shape of a conversation, the same for all clients and exports, and the counts of what was left out."""

import contextlib
import datetime
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from zkmem.errors import StaleEtag, Taken, TooMany, ZkError
from zkmem.markdown.secret import without_secrets
from zkmem.records.encoded_names import nameable
from zkmem.util.characters import without_halves

MOST_SHOWN = 10
"""How many messages of the person are in a note."""

_MOST_MESSAGE, _MOST_ANSWER = 1_200, 2_500  # characters in a note
_MOST_READ = 8_000  # characters of a message that are looked at; more than a note has, so that no secret is cut in two
_MOST_ANSWERS = 500  # that are remembered while a conversation is read
_LONGEST = 200  # characters of a title, of a project, and of an id
_LAST_SECOND = 253_402_300_800  # the end of the year 9999
_MOST_REASONS = 60

UP_TO_DATE = "conversations that have a note, or a proposed one"
NO_ROOM = "conversations without a place among the proposed edits (accept or drop some, and import again)"

Progress = Callable[[str, int], object]
"""Gets what is counted, and how many of them are done."""

LeftOut = Counter[str]
"""How many files, records and conversations were left out, by the reason."""


def leave_out(left_out: LeftOut, reason: str, detail: str) -> None:
    """Count what is left out for a reason, with a detail from the transcript unless there are too many reasons."""
    whole = f"{reason}: {detail}"
    left_out[whole if whole in left_out or len(left_out) < _MOST_REASONS else f"{reason}: others"] += 1


class Transcript(NamedTuple):
    """A conversation with all that its note needs. Texts are bounded, and have no secrets."""

    client: str
    id: str
    place: str  # the transcript's file and line, or the export and the number of the conversation
    began: str  # a date such as 2026-11-30; "" if unknown
    ended: str
    project: str  # "" if unknown
    title: str  # as the client has it; "" if it has none
    said: list[str]  # the first messages of the person
    messages: int  # how many the person sent
    words: int  # in all of them
    answer: str  # the last one; "" if there is none
    earlier: str  # the answer that was the last one when the present note was made
    secrets: int  # how many were left out
    root: str  # an id that two transcripts share if one continues the other

    @property
    def key(self) -> str:
        """The name of the conversation in a note's properties."""
        return f"{self.client}/{self.id}"

    def first(self, count: int) -> "Transcript":
        """Return the conversation as it was when the person had sent `count` messages."""
        return self._replace(said=self.said[:count], messages=count, answer=self.earlier)


class TranscriptBuilder:
    """Builds a `Transcript` from the messages of one conversation."""

    def __init__(self, client: str, place: str, in_notes: Mapping[str, int], left_out: LeftOut) -> None:
        """`place`: the file; `in_notes`: how many messages of each conversation the notes count, by the key."""
        self.client, self.place, self.left_out, self._in_notes = client, place, left_out, in_notes
        self.version = ""  # of the client
        self.id, self.project, self.title, self.root = "", "", "", ""
        self._line = 0
        self._days: list[str] = []  # the first and the last one
        self._said: list[str] = []
        self._answers: list[str] = []  # after each message of the person
        self._count, self._words, self._last = 0, 0, ""

    def by_person(self, text: str, line: int = 0, root: str = "") -> None:
        """Add a message of the person."""
        text = text.strip()[:_MOST_READ]
        if not text:
            return
        self._count += 1
        self._words += len(text.split())
        self._line, self.root = self._line or line, self.root or root
        if len(self._said) < MOST_SHOWN:
            self._said.append(text)
        if self._count <= _MOST_ANSWERS:
            self._answers.append("")

    def by_model(self, text: str) -> None:
        """Add a text of the model. If several follow one message of the person, the last one counts."""
        if text.strip() and self._count:
            self._last = text.strip()[:_MOST_READ]
            if self._count <= _MOST_ANSWERS:
                self._answers[-1] = self._last

    def at(self, when: object) -> None:
        """Add a time at which somebody wrote: see `_day`."""
        if day := _day(when):
            self._days = [self._days[0] if self._days else day, day]

    def done(self) -> Transcript:
        """Return the conversation."""
        name = _cleaned(self.id, 100)[0].replace("\n", " ").strip()
        in_note = self._in_notes.get(f"{self.client}/{name}", 0)
        answers = [answer for answer in self._answers[:in_note] if answer]
        said = [_cleaned(text, _MOST_MESSAGE) for text in self._said]
        last, earlier = (_cleaned(text, _MOST_ANSWER) for text in (self._last, answers[-1] if answers else ""))
        title, _ = _cleaned(self.title, _LONGEST)
        project, _ = _cleaned(nameable(self.project[:_MOST_READ]), _LONGEST)
        began, ended = self._days or ("", "")
        place, _ = without_secrets(f"{self.place}:{self._line}" if self._line else self.place)
        return Transcript(
            self.client, name, place, began, ended, project, title, [text for text, _ in said], self._count,
            self._words, last[0], earlier[0], last[1] + sum(count for _, count in said), self.root[:_LONGEST] or name,
        )  # fmt: skip


def _cleaned(text: str, most: int) -> tuple[str, int]:
    """Return a text without secrets and unprintable characters, cut to a length, and how many secrets it had."""
    lines = without_halves(text[:_MOST_READ]).replace("\r\n", "\n").split("\n")
    plain = "\n".join(map(_printable, lines))
    plain, secrets = without_secrets(plain)
    return (plain if len(plain) <= most else f"{plain[:most].rstrip()} …"), secrets


def _printable(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() or char == "\t" else " " for char in line)


def _day(when: object) -> str:
    """Return the local day of a time: ISO 8601, or seconds or milliseconds since 1970; "" for anything else."""
    with contextlib.suppress(ValueError, OverflowError, OSError):  # of a day before the year 1 or after 9999
        if isinstance(when, str):
            return datetime.datetime.fromisoformat(when).astimezone().date().isoformat()
        if isinstance(when, int | float) and not isinstance(when, bool) and 0 < when < _LAST_SECOND * 1000:
            seconds = when / 1000 if when > _LAST_SECOND / 100 else when
            return datetime.datetime.fromtimestamp(seconds).date().isoformat()
    return ""


class AlreadyProposed(Taken):
    """Another import has proposed the conversation since this one read the notes."""


def leave_out_for(left_out: LeftOut, error: ZkError) -> None:
    """Count a note that could not be proposed, by the reason that the error says."""
    if isinstance(error, TooMany):
        left_out[NO_ROOM] += 1
    elif isinstance(error, AlreadyProposed):
        left_out[UP_TO_DATE] += 1
    elif isinstance(error, StaleEtag):
        left_out["conversations that went on, but whose notes have changes in the same lines"] += 1
    else:
        leave_out(left_out, "notes that could not be proposed", str(error))
