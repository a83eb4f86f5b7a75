"""Write the memory: each edit adds new lines to their section, and creates default notes that are missing."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from zkmem.errors import BadArgument, ZkError
from zkmem.memory import Memory
from zkmem.names import name_of
from zkmem.records.draft import Draft
from zkmem.toolsets.text import layout
from zkmem.toolsets.text.append import clean_title, closed, merged, points, says_something, tidy
from zkmem.toolsets.text.sections import FIELD, MARKS, SECTION, FieldRange, key, split, values, with_value

MEMORY_POINTS = "Memory Points"
_STATUS, _MOOD = "Basic Status", "Current Mood"
_HUNDRED = 100
_NOT_MORE = r"(?![0-9A-Za-z/%+-])(?![.,]\d)"  # else the digits are the beginning of something else
_AMOUNT = re.compile(rf"\d+(?:\.\d+)?(?:[ \t]*/[ \t]*\d+(?:\.\d+)?|[ \t]*[%％分])?{_NOT_MORE}")
_NUMBER = re.compile(rf"\d{{1,15}}{_NOT_MORE}")


class WriteOutcome(NamedTuple):
    """The outcome for a note: "created", "changed", or "unchanged" because it had all of the text already."""

    note: str
    outcome: str


def initialize_text_memory(memory: Memory) -> str | None:
    """Create the notes of the core that are missing; return the reason if they could not be created."""
    try:
        if memory.look(layout.missing_defaults):
            memory.edit(layout.make_defaults)
    except ZkError as error:  # a memory on a disk that cannot be written can be read
        return str(error)
    return None


def update_user_profile(memory: Memory, section: str, content: str) -> WriteOutcome:
    """Add the new lines of `content` to a section of the profile, which is created if it is missing.

    A line `- Key: value` replaces the line with the same key in the section.

    Raises:
        BadArgument: when `section` or `content` is empty. Damaged: when the note is damaged.
    """
    return memory.edit(lambda draft: add_to_core(draft, layout.PROFILE, section, content))


def update_user_preferences(memory: Memory, section: str, content: str) -> WriteOutcome:
    """Add the new lines of `content` to a section of the preferences, which is created if it is missing.

    A line `- Key: value` replaces the line with the same key in the section.

    Raises:
        BadArgument: when `section` or `content` is empty. Damaged: when the note is damaged.
    """
    return memory.edit(lambda draft: add_to_core(draft, layout.PREFERENCES, section, content))


def create_topic_file(memory: Memory, topic: str, content: str) -> WriteOutcome:
    """Create a topic, or add the new lines of `content` to an existing one, each part to the section of its heading.

    Raises:
        BadArgument, BadName: when the name is not valid for a topic. Damaged: when the note is damaged.
    """
    return memory.edit(lambda draft: add_to_topic(draft, topic, content))


def add_agent_memory_point(memory: Memory, agent_id: str, text: str) -> WriteOutcome:
    """Add a point to the memory of an agent.

    Raises:
        BadArgument: when the id is not valid, or the text is empty. Damaged: when the note is damaged.
    """
    return memory.edit(lambda draft: add_to_agent(draft, agent_id, text))


def update_agent_relationship(
    memory: Memory,
    agent_id: str,
    *,
    trust: int | None = None,
    familiarity: int | None = None,
    mood: str | None = None,
    notes: str | None = None,
) -> WriteOutcome:
    """Set the given fields of an agent's relationship, and count one more interaction.

    Raises:
        BadArgument: when the id is not valid, or a number is not from 0 to 100. Damaged: when the note is damaged.
    """
    for name, number in (("trust", trust), ("familiarity", familiarity)):
        if number is not None and not 0 <= number <= _HUNDRED:
            raise BadArgument(f"`{name}` must be from 0 to {_HUNDRED}, not {number!r:.60}.")
    fields = [
        (_STATUS, "Trust Level", None if trust is None else f"{trust}/{_HUNDRED}"),
        (_STATUS, "Familiarity", None if familiarity is None else f"{familiarity}/{_HUNDRED}"),
        (_MOOD, "Status", mood),
        (_MOOD, "Notes", notes),
    ]

    def change(text: str) -> str:
        for section, name, value in fields:
            if value:
                text = set_field(text, section, name, " ".join(value.split()))
        return count_up(text, _STATUS, "Total Interactions")

    def work(draft: Draft) -> WriteOutcome:
        return _change(draft, layout.relationship_path(draft, agent_id), change, born=layout.RELATIONSHIP)

    return memory.edit(work)


def add_to_core(draft: Draft, name: str, section: str, content: str) -> WriteOutcome:
    """Add to a section of a core note; a fact replaces the one with the same key."""
    title = clean_title(section)
    _need(content, "content")
    return _change(draft, draft.place(name), lambda text: merged(text, content, title, by_key=True))


def add_to_topic(draft: Draft, topic: str, content: str, section: str | None = None) -> WriteOutcome:
    """Create a topic, or add to it; with `section`, to that section."""
    _need(content, "content")
    path, properties, title = layout.topic_place(draft, topic)

    def change(text: str) -> str:
        if text.strip():
            return merged(text, content, section)
        if section:
            return merged(f"{text}# {title}\n", content, section)
        return text + _headed(tidy(content), title)

    return _change(draft, path, change, properties=properties)


def add_to_agent(draft: Draft, agent_id: str, text: str) -> WriteOutcome:
    """Add a point to the memory of an agent."""
    _need(text, "memory")
    path = layout.relationship_path(draft, agent_id)
    return _change(draft, path, lambda old: merged(old, points(text), MEMORY_POINTS), born=layout.RELATIONSHIP)


def _change(
    draft: Draft, path: str, change: Callable[[str], str], *, born: str = "", properties: Mapping[str, object] = {}
) -> WriteOutcome:
    """Change the text of a note; a missing one is created from `born`, with its properties."""
    layout.make_defaults(draft)
    page = draft.page(path)
    if page is None:
        page = draft.write(path, properties, change(born))
        return WriteOutcome(name_of(page.path), "created")
    body = change(page.sound().body)
    if body == page.body:
        return WriteOutcome(name_of(path), "unchanged")
    draft.write(path, body=body)
    return WriteOutcome(name_of(path), "changed")


def _headed(content: str, title: str) -> str:
    """Return the text of a new topic, below a title if it has none."""
    first = next((one for one in split(content) if one.text.strip()), None)
    return closed(content if first and first.level == 1 else f"# {title}\n\n{content}")


def _need(text: str, what: str) -> None:
    if not says_something(text):
        raise BadArgument(f"`{what}` is empty; say what to remember.")


def set_field(text: str, section: str, name: str, value: str) -> str:
    """Return a text with a field of a section set, or added if it is missing.

    If the old and the new value begin with a number, only the number is replaced, and a remark after it stays.
    """
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: {value}", section)
    start = MARKS.match(text, at.start, at.end)
    number = _AMOUNT.match(text, start.end(), at.end) if start and _AMOUNT.fullmatch(value) else None
    if number:
        return text[: number.start()] + value + text[number.end() :]
    return with_value(text, at, value)


def count_up(text: str, section: str, name: str) -> str:
    """Return a text with the number in a field increased by one: added if missing, unchanged if it is no number."""
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: 1", section)
    if at.start == at.end_below:
        return set_field(text, section, name, "1")
    start = MARKS.match(text, at.start, at.end)
    number = _NUMBER.match(text, start.end(), at.end) if start else None
    return f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}" if number else text


def _find(text: str, section: str, name: str) -> FieldRange | None:
    """Return the value of a field; of the outermost one, if there are several."""
    at = 0
    fields: list[FieldRange] = []
    for one in split(text):
        if one.level == SECTION and key(one.title) == key(section):
            fields += values(one.lines, at, name, FIELD)
        at += len(one.text)
    return min(fields, key=lambda value: value.indent, default=None)
