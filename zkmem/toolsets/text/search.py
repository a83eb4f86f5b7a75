"""Search topics: whole where a keyword is in their name, else by section, the best ones first."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from zkmem.memory import Memory
from zkmem.names import name_of, path_of
from zkmem.records.pages import Pages
from zkmem.toolsets.text import layout
from zkmem.toolsets.text.keywords import normal
from zkmem.toolsets.text.sections import split

MOST_CHARACTERS = 24_000
_MOST_KEYWORDS = 100
_MOST_LOOKED_AT = 100  # notes that may be topics
_LEAST_CUT = 500  # characters: less of a note is not worth its name
_GAP = 2  # the blank line between two texts
_LABEL = 2 * _GAP + len("[[]]")


class MemorySection(NamedTuple):
    """A part of a topic that holds a keyword; `section` is empty for a whole note and for text above the sections."""

    topic: str
    note: str  # the name of its note
    section: str
    text: str


class TopicHits(NamedTuple):
    """The hits of a search: the parts of topics, best ones first."""

    sections: list[MemorySection]
    left_out: int  # topics that did not fit, or not whole
    damaged: dict[str, str]  # what is wrong with notes, by name


def search_topics(
    memory: Memory, keywords: Sequence[str], agent_id: str | None = None, *, max_chars: int = MOST_CHARACTERS
) -> TopicHits:
    """Return the topics with a keyword: whole if it is in the name, else the sections that hold it.

    Raises:
        BadArgument: when there are no notes of the agent.
    """
    words = list(dict.fromkeys(filter(None, (normal(" ".join(word.split())) for word in keywords))))

    def search(pages: Pages) -> TopicHits:
        folder = layout.known_agent_folder(pages, agent_id) if agent_id else None
        room = CharBudget(max_chars)
        damaged: dict[str, str] = {}
        return TopicHits(list(find(pages, words, folder, room, damaged)), room.left_out, damaged)

    return memory.look(search)


def linked_topics(memory: Memory, hits: TopicHits, agent_id: str | None, most: int) -> list[str]:
    """Return the names of at most `most` other topics to which those that were found link: see `Memory.linked`."""
    linked = memory.linked([(path_of(one.note), one.text) for one in hits.sections], _MOST_LOOKED_AT) if most else []

    def names(pages: Pages) -> list[str]:
        topics = layout.topics(pages, layout.agent_folder(pages, agent_id) if agent_id else None, {})
        paths = (path for name in linked if (path := pages.resolve(name)) in topics)
        return [layout.topic_name(path, topics[path]) for path in islice(paths, most)]

    return memory.look(names) if linked else []


def list_existing_topics(memory: Memory, agent_id: str | None = None) -> list[str]:
    """Return the names of the topics, those that all agents share first.

    Raises:
        BadArgument: when there are no notes of the agent.
    """
    return list_topics(memory, agent_id)[0]


def list_topics(memory: Memory, agent_id: str | None = None) -> tuple[list[str], dict[str, str]]:
    """Return the names of the topics, and the faults of damaged ones by the name of the note.

    Raises:
        BadArgument: when there are no notes of the agent.
    """

    def names(pages: Pages) -> tuple[list[str], dict[str, str]]:
        folder = layout.known_agent_folder(pages, agent_id) if agent_id else None
        damaged: dict[str, str] = {}
        topics = layout.topics(pages, folder, damaged)
        return [layout.topic_name(path, topic) for path, topic in topics.items()], damaged

    return memory.look(names)


@dataclass(eq=False, slots=True)
class CharBudget:
    """The characters left in the bound on a result, for texts and the names above them."""

    characters: int
    _cost: Callable[[str], int] = len  # returns how many characters a text takes, at least its length
    left_out: int = 0
    _last: str = ""

    def take(self, text: str, name: str) -> str | None:
        """Return the text of a note, as far as there is room; None after the first note that does not fit."""
        room = self.characters - (_GAP if name == self._last else len(name) + _LABEL)
        if len(text) <= room and (cost := self._cost(text)) <= room:
            self.characters, self._last = room - cost, name
            return text
        self.characters = 0
        self.left_out += 1
        remark = f"\n(Cut here: [[{name}]] goes on.)"
        room -= len(remark)
        return f"{text[: self._end(text, room)]}{remark}" if room >= _LEAST_CUT else None

    def _end(self, text: str, room: int) -> int:
        """Return how many characters of a text fit, counted from its beginning."""
        return bisect_right(range(min(len(text), room) + 1), room, key=lambda end: self._cost(text[:end])) - 1


def find(
    pages: Pages, keywords: Sequence[str], folder: str | None, room: CharBudget, damaged: dict[str, str]
) -> Iterator[MemorySection]:
    """Return the parts of topics that hold keywords, as far as there is room."""
    searched = keywords[:_MOST_KEYWORDS]
    for named, path, topic in _ranked(layout.topics(pages, folder, damaged), searched):
        page = layout.read(pages, path, damaged) if room.characters else None
        if page is None:
            room.left_out += not room.characters
            continue
        name, text = name_of(path), page.shown
        for title, part in [("", text)] if named else _holding(text, searched):
            left_out = room.left_out
            fitting = room.take(part.strip(), name)
            if fitting is not None:
                yield MemorySection(topic, name, title, fitting)
            if room.left_out > left_out:
                break


def _ranked(topics: dict[str, layout.Topic], keywords: Sequence[str]) -> list[tuple[bool, str, str]]:
    """Return the topics with keywords: those with most in their names first, then those with most in their texts.

    Return for each whether a keyword is in its name, its path, and its name.
    """
    passages = []
    for path, topic in topics.items():
        named, held = (sum(word in text for word in keywords) for text in (normal(topic.name), topic.text))
        if named or held:
            passages.append((-named, -held, path))
    return [(bool(named), path, layout.topic_name(path, topics[path])) for named, _, path in sorted(passages)]


def _holding(text: str, keywords: Sequence[str]) -> Iterator[tuple[str, str]]:
    for section in split(text):
        if any(word in normal(section.text) for word in keywords):
            yield section.title if section.level == 2 else "", section.text
