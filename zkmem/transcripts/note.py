"""Make the note of a conversation: its name, its properties and its text.

What people and models said is data. A text without any character that means something in Markdown becomes a quotation;
any other text becomes a block of code, in which nothing is a link, a tag, a property, an embed, a callout or HTML.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.records.encoded_names import first_words
from zkmem.transcripts.conversation import MOST_SHOWN, Transcript
from zkmem.transcripts.worth import title_of

KEY, COUNT = "conversation", "messages"
"""The properties by which the note of a conversation is recognised."""

FOLDER = "conversations"
"""The folder of the notes."""

_ACTIVE = re.compile(r"[\[\]<>&#%$^`~|\\={}]|::|(?m:^[ \t]*(?:[-+*_][ \t]*)+$)|(?m:^ {4}|^\t)")
_FENCE = re.compile("`{3,}")


class ConversationNote(NamedTuple):
    """The parts of a note."""

    folder: str
    name: str  # without the folder
    properties: dict[str, object]
    body: str


def note_of(one: Transcript, links: Sequence[str], project_target: str | None) -> ConversationNote:
    """Return the note of a conversation.

    `links`: the targets of its links. `project_target`: that of the link to the project; None for no link.
    """
    project = first_words(one.project)
    shown = f"[[{project_target}]]" if project_target else project
    properties: dict[str, object] = {
        KEY: _plain(one.key), "transcript": _plain(one.place), "date": one.began or None, "project": shown or None,
        COUNT: one.messages,
    }  # fmt: skip
    name = f"{one.began} {title_of(one)}".strip()
    return ConversationNote(f"{FOLDER}/{project or one.client}", name, properties, _body(one, links))


def _body(one: Transcript, links: Sequence[str]) -> str:
    parts = ["## You said", *map(quoted, one.said)]
    if one.messages > MOST_SHOWN:
        parts.append(f"And {one.messages - MOST_SHOWN} more in the transcript.")
    if one.answer:
        parts += ["## The last answer", quoted(one.answer)]
    if links:
        parts.append(f"About {', '.join(f'[[{target}]]' for target in links)}.")
    return "\n\n".join(parts) + "\n"


def has_markup(text: str) -> bool:
    """Return whether a text has a character that means something in Markdown."""
    return _ACTIVE.search(text) is not None


def as_code(line: str) -> str:
    """Return Markdown that shows a line as code."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{ticks} {line} {ticks}" if len(ticks) > 1 else f"`{line}`"


def quoted(text: str) -> str:
    """Return Markdown that only shows a text, as a quotation or as code."""
    text = text.strip("\n")
    if has_markup(text):
        fence = "`" * (1 + max((len(run) for run in _FENCE.findall(text)), default=2))
        return f"{fence}text\n{text}\n{fence}"
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _plain(value: str) -> str:
    """Return a text for a property, with its brackets escaped so that it is no link."""
    return value.replace("[", "%5B").replace("]", "%5D")
