"""The notes of the memory in the vault: `_core/`, `topics/`, `agents/{agentId}/`."""

from collections.abc import Iterable
from typing import NamedTuple

from zkmem.errors import BadArgument, BadName, Unreadable
from zkmem.names import base_of, folder_of, name_of
from zkmem.records.draft import Draft
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.text.keywords import normal
from zkmem.util.characters import has_half

CORE = "_core"
PROFILE = "_core/profile"
PREFERENCES = "_core/preferences"
TOPICS = "topics"
AGENTS = "agents"
DEFAULTS = {
    PROFILE: "# User Profile\n\n## Basic Info\n\n## Background\n",
    PREFERENCES: "# User Preferences\n\n## Communication Style\n\n## Technical Preferences\n",
}
RELATIONSHIP = """\
# Agent Relationship

## Basic Status
- Trust Level: 50/100
- Familiarity: 0/100
- Total Interactions: 0

## Current Mood
- Status: neutral

## Memory Points
"""
_MOST_NAMED = 20


class Topic(NamedTuple):
    """A topic as the index holds it for searches: its own name, its text in the form for comparison, its fault."""

    name: str
    text: str
    fault: str | None


def read(pages: Pages, path: str, damaged: dict[str, str]) -> Page | None:
    """Return the note at a path, or None; add its fault, if it has one, to `damaged`."""
    try:
        page = pages.page(path)
    except Unreadable as error:
        damaged[name_of(path)] = str(error)
        return None
    if page and page.fault:
        damaged[name_of(path)] = page.fault
    return page


def core_paths(pages: Pages) -> list[str]:
    """Return the notes that are always loaded: those directly in `_core/`, the profile and the preferences first."""
    first = {name: at for at, name in enumerate(DEFAULTS)}
    paths = [path for path in pages.below(CORE) if path.count("/") == 1]
    return sorted(paths, key=lambda path: (first.get(name_of(path).lower(), len(first)), path))


def make_defaults(draft: Draft) -> None:
    """Create the notes of the core that are missing."""
    for path, text in missing_defaults(draft).items():
        draft.write(path, body=text)


def missing_defaults(pages: Pages) -> dict[str, str]:
    """Return the notes of the core that are missing, with their first texts."""
    places = {pages.place(name): text for name, text in DEFAULTS.items()}
    paths = set(pages.below(CORE))
    return {path: text for path, text in places.items() if path not in paths}


def agents(pages: Pages) -> list[str]:
    """Return the ids of the agents that have notes."""
    return sorted({path.split("/")[1] for path in pages.below(AGENTS) if path.count("/") > 1}, key=str.lower)


def relationship_path(pages: Pages, agent_id: str) -> str:
    """Return the path for the relationship of an agent, even if there is no note yet."""
    wrong = "it has more than one part"
    if "/" not in agent_id:
        try:
            return pages.place(f"{AGENTS}/{agent_id}/relationship")
        except BadName as error:
            wrong = error.reason
    raise BadArgument(f"`agent_id` must be one safe name of a folder, not {agent_id!r:.60}: {wrong}.")


def agent_folder(pages: Pages, agent_id: str) -> str | None:
    """Return the folder of an agent as it is spelled in the vault; None if the agent has no notes."""
    folder = folder_of(relationship_path(pages, agent_id))
    return folder if pages.below(folder) else None


def known_agent_folder(pages: Pages, agent_id: str) -> str:
    """Return the folder of an agent that has notes."""
    folder = agent_folder(pages, agent_id)
    if folder is None:
        ids = agents(pages)
        more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
        listed = ", ".join(ids[:_MOST_NAMED]) + more or "none yet"
        raise BadArgument(f"There are no notes of an agent {agent_id!r:.60}; agents: {listed}.")
    return folder


def topics(pages: Pages, folder: str | None, damaged: dict[str, str]) -> dict[str, Topic]:
    """Return the topics by path: those that all agents share, then those in the folder of an agent.

    Their faults are added to `damaged`.
    """
    table = pages.table(Topics)
    by_path: dict[str, Topic] = {}
    for path in (*pages.below(TOPICS), *(pages.below(f"{folder}/{TOPICS}") if folder else ())):
        topic = table.at.get(path)
        if topic:
            by_path[path] = topic
        if topic is None or topic.fault:
            damaged[name_of(path)] = topic.fault if topic and topic.fault else "it cannot be read"
    return by_path


def first(names: Iterable[str], most: int, characters: int) -> list[str]:
    """Return the first names: at most `most`, with at most `characters` in all."""
    chosen: list[str] = []
    for name in names:
        characters -= len(name)
        if len(chosen) == most or characters < 0:
            break
        chosen.append(name)
    return chosen


def topic_name(path: str, topic: Topic) -> str:
    """Return the name of a topic: its path in `topics/`, or for one of an agent its path in the vault."""
    top, *folders, _ = path.split("/")
    return "/".join([*([] if top.lower() == TOPICS else [top]), *folders, topic.name])


def topic_place(pages: Pages, name: str) -> tuple[str, dict[str, str], str]:
    """Return the path of a topic, the property for a name that its file cannot have, and its title."""
    *folders, title = name_of(name.strip()).split("/")
    folders = folders[1:] if folders and folders[0].lower() == TOPICS else folders
    if has_half(name) or not all(part.strip() and part not in {".", ".."} for part in (*folders, title)):
        raise BadArgument(f"`topic` must be a name like rust or projects/my-app, not {name!r:.60}.")
    own = [folder.lower() for folder in folders[:3:2]] == [AGENTS, TOPICS]
    home = "/".join((AGENTS, folders[1], TOPICS, *folders[3:]) if own else (TOPICS, *folders))
    try:
        return pages.place(f"{home}/{title}"), {}, title
    except BadName:
        page = pages.named(title, home)
        return (page.path if page else pages.free(title, home)), {"name": title}, title


class Topics:
    """Every note that may be a topic: a table that the index updates whenever a note changes."""

    def __init__(self) -> None:
        self.at: dict[str, Topic] = {}

    @staticmethod
    def wants(path: str) -> bool:
        """Return whether a file is a note in a folder of topics."""
        parts = path.lower().split("/")
        return parts[0] == TOPICS or parts[::2][:2] == [AGENTS, TOPICS]

    def put(self, path: str, data: bytes) -> None:
        """Add a note."""
        page = Page(path, data)
        base = base_of(name_of(path))
        name = page.name if "%" in base or base.startswith("~") else base
        self.at[path] = Topic(name, normal(page.shown), page.fault)

    def drop(self, path: str) -> None:
        """Remove a note."""
        self.at.pop(path, None)
