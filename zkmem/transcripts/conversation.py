"""The one shape of a conversation, whatever wrote it down, and what was left out while it was read."""

import datetime
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from zkmem.markdown.secret import without_secrets
from zkmem.util.characters import without_halves

MOST_SHOWN = 10
"""How many messages of the person are in a note."""

_MOST_MESSAGE, _MOST_ANSWER = 1_200, 2_500  # characters in a note
_MOST_READ = 8_000  # characters of a message that are looked at; more than a note has, so that no secret is cut in two
_MOST_ANSWERS = 500  # that are remembered while a conversation is read
_LAST_SECOND = 253_402_300_800  # the end of the year 9999

LeftOut = Counter[str]
"""How many files, records and conversations were left out, by the reason."""


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
    earlier: str  # the last answer when the person had sent as many messages as the present note knows
    secrets: int  # how many were left out
    root: str  # the same for conversations that continue one another in two files

    @property
    def key(self) -> str:
        """The name of the conversation in a note's properties."""
        return f"{self.client}/{self.id}"

    def first(self, count: int) -> "Transcript":
        """Return the conversation as it was when the person had sent `count` messages."""
        return self._replace(said=self.said[:count], messages=count, answer=self.earlier)


class TranscriptReader:
    """Collects what a reader finds of one conversation."""

    def __init__(self, client: str, place: str, known: Mapping[str, int], left_out: LeftOut) -> None:
        """`place`: the file; `known`: how many messages of each conversation the notes have, by the key."""
        self.client, self.place, self.left_out, self._known = client, place, left_out, known
        self.version = ""  # of the client
        self.id, self.project, self.title, self.root = "", "", "", ""
        self._line = 0
        self._times: list[float] = []  # the first and the last one
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
        """Add a text of the model. Of several after one message of the person, the last one counts."""
        if text.strip() and self._count:
            self._last = text.strip()[:_MOST_READ]
            if self._count <= _MOST_ANSWERS:
                self._answers[-1] = self._last

    def at(self, when: object) -> None:
        """Note a time: ISO 8601, or seconds or milliseconds since 1970. Anything else is no time."""
        if (seconds := _seconds(when)) is not None:
            self._times = [self._times[0] if self._times else seconds, seconds]

    def done(self) -> Transcript:
        """Return the conversation."""
        name = _cleaned(self.id, 100)[0].replace("\n", " ").strip()
        known = self._known.get(f"{self.client}/{name}", 0)
        answers = [answer for answer in self._answers[:known] if answer]
        said = [_cleaned(text, _MOST_MESSAGE) for text in self._said]
        last, earlier = (_cleaned(text, _MOST_ANSWER) for text in (self._last, answers[-1] if answers else ""))
        title, _ = _cleaned(self.title, 200)
        began, ended = map(_day, self._times) if self._times else ("", "")
        place = f"{self.place}:{self._line}" if self._line else self.place
        return Transcript(
            self.client, name, place, began, ended, self.project, title, [text for text, _ in said], self._count,
            self._words, last[0], earlier[0], last[1] + sum(count for _, count in said), self.root or name,
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


def _seconds(when: object) -> float | None:
    if isinstance(when, str):
        try:
            return datetime.datetime.fromisoformat(when).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(when, bool) or not isinstance(when, int | float):
        return None
    seconds = when / 1000 if when > _LAST_SECOND / 100 else when
    return float(seconds) if 0 < seconds < _LAST_SECOND else None


def _day(seconds: float) -> str:
    """Return the day of a time since 1970, in local time."""
    return datetime.datetime.fromtimestamp(seconds).date().isoformat()
