"""The text memory as tools: nine rows over the functions of the library, and the prompt `user_memory`."""

from collections.abc import Mapping, Sequence

from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.memory.reading import LINKED
from zkmem.model.question import Answer, Question
from zkmem.toolsets.text import extract, layout, retrieve, search, write
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool, line
from zkmem.toolsets.toolset import Guide, Prompt, PromptArgument, Toolset
from zkmem.util.spelling import number_of

_MOST_LISTED = 500
_MOST_CHARACTERS_LISTED = 10_000
_MOST_DAMAGED = 20
_NO_MODEL = """\
There is no model to ask, so nothing was written. A client that offers sampling is asked; else set llm_url and \
llm_model in the settings. Or judge the exchange yourself: keep what is worth it with update_profile, \
update_preferences or create_topic."""

GUIDE = Guide(
    purpose="update_profile and update_preferences for what you learn about the user",
    about="""\
A memory of the user in Markdown files: a core, topics, a file for each agent.
Keep what lasts: update_profile for facts, update_preferences for how the user likes things, \
create_topic for knowledge about a subject or project; or give the exchange to extract_memory.""",
    start="load_memory with the user's message, search_topics when the subject changes",
    use="Profile and topics hold short list lines.",
)


def load_memory(memory: Memory, message: str, agent_id: str | None) -> Result:
    """Load the memory for a message."""
    loaded = retrieve.load_memory_for_chat(memory, message, agent_id or None)
    unknown = agent_id and not loaded.agent_relationship
    remarks = [f"Nothing is stored yet about how the user and agent {agent_id} get on."] if unknown else []
    texts = (retrieve.user_memory_block(loaded), *remarks, *_damage(loaded.damaged))
    return Result(texts, loaded._asdict())


def search_topics(memory: Memory, keywords: Sequence[str], agent_id: str | None, search_linked: int) -> Result:
    """Find sections by keywords."""
    if not any(word.strip() for word in keywords):
        raise BadArgument("`keywords` is empty; give the words to look for, or call list_topics.")
    matches = search.search_topics(memory, keywords, agent_id or None)
    linked = search.linked_topics(memory, matches, agent_id or None, search_linked)
    data = matches._asdict() | {"sections": [section._asdict() for section in matches.sections], "linked": linked}
    text = retrieve.labelled((one.note, one.text) for one in matches.sections)
    if text is None:
        names = search.list_existing_topics(memory, agent_id or None)
        text = line([f"No topic holds {', '.join(map(repr, keywords))}"[:300]], [("topics", names)])
    left_out = number_of(matches.left_out, "topic")
    sentences = [line([], [("linked from these", linked)])] if linked else []
    sentences += [f"Left out for length, wholly or in part: {left_out}."] if matches.left_out else []
    return Result((text, *sentences, *_damage(matches.damaged)), data)


def update_profile(memory: Memory, section: str, content: str) -> Result:
    """Add to the profile."""
    return _written(write.update_user_profile(memory, section, content))


def update_preferences(memory: Memory, section: str, content: str) -> Result:
    """Add to the preferences."""
    return _written(write.update_user_preferences(memory, section, content))


def create_topic(memory: Memory, topic: str, content: str) -> Result:
    """Create a topic, or add to it."""
    return _written(write.create_topic_file(memory, topic, content))


def list_topics(memory: Memory, agent_id: str | None) -> Result:
    """List the topics."""
    names, damaged = search.list_topics(memory, agent_id or None)
    shown = layout.first(names, _MOST_LISTED, _MOST_CHARACTERS_LISTED)
    more = [f"and {len(names) - len(shown)} more: search_topics finds them"] if len(names) > len(shown) else []
    text = "\n".join([*shown, *more]) or "There are no topics yet."
    first_damaged = dict(list(damaged.items())[:_MOST_DAMAGED])
    return Result((text, *_damage(damaged)), {"topics": shown, "count": len(names), "damaged": first_damaged})


def add_agent_memory(vault: Memory, agent_id: str, memory: str) -> Result:
    """Add to the memory of an agent."""
    return _written(write.add_agent_memory_point(vault, agent_id, memory))


def update_agent_relationship(
    memory: Memory, agent_id: str, trust: int | None, familiarity: int | None, mood: str | None, notes: str | None
) -> Result:
    """Set the relationship of the user and an agent."""
    done = write.update_agent_relationship(
        memory, agent_id, trust=trust, familiarity=familiarity, mood=mood, notes=notes
    )
    return _written(done)


def extract_memory(
    memory: Memory, user_message: str, assistant_message: str, agent_id: str | None, answer: Answer
) -> Result:
    """Store what a model chooses to remember of an exchange."""
    done = extract.remember(memory, user_message, assistant_message, agent_id or None, answer)
    data: dict[str, object] = {"outcome": done.outcome, "reason": done.reason}
    data["notes"] = [note._asdict() for note in done.notes]
    if done.known is None:
        written = line([f"{note.outcome} {note.note}" for note in done.notes], [])
        return Result((written or f"Nothing was written: {done.reason}.",), data)
    lists = [("profile sections", done.known.profile), ("preferences sections", done.known.preferences)]
    return Result(
        (_NO_MODEL, line([], [*lists, ("topics", done.known.topics)])), data | {"known": done.known.bounded._asdict()}
    )


def question(memory: Memory, user_message: str, assistant_message: str, agent_id: str | None) -> Question | None:
    """Return the question to a model about an exchange."""
    return extract.question(memory, user_message, assistant_message, agent_id or None)


def user_memory(memory: Memory, given: Mapping[str, str]) -> str:
    """Return the prompt with the memory for a message."""
    return "\n".join(load_memory(memory, given["message"], given["agent_id"]).texts)


def _written(done: write.WriteOutcome) -> Result:
    what = "unchanged, all of it is there:" if done.outcome == "unchanged" else done.outcome
    return Result((f"{what} {done.note}",), done._asdict())


def _damage(damaged: Mapping[str, str]) -> tuple[str, ...]:
    """Return a line about damaged notes; none if there are none."""
    about = [f"{name}: {why.rstrip('.')}" for name, why in damaged.items()]
    return (line([], [("damaged, to be mended by hand", about)]),) if about else ()


_MESSAGE = Parameter("string", "the user's")
_AGENT = Parameter("string")
_ANY_AGENT = Parameter("string", default=None)
_SECTION = Parameter("string", "heading; made if missing")
_CONTENT = Parameter("string", "list lines")
_PERCENT = Parameter("integer", "0-100", None, minimum=0, maximum=100)
_TEXT = Parameter("string", default=None)
_SETS = Effects(destructive=True, idempotent=True)
_ADDS = Effects(idempotent=True)  # existing lines are not added again

TOOLS = (
    Tool(
        "load_memory",
        "Load what the user's long-term memory holds for a message, before you answer it: core, agent relationship, "
        "matching topics.",
        {"message": _MESSAGE, "agent_id": _ANY_AGENT},
        load_memory,
        READS,
        title="Read the user's memory",
        always=True,
    ),
    Tool(
        "search_topics",
        "Topic sections that hold any keyword; a topic named after one comes whole.",
        {"keywords": Parameter("array", inner={"type": "string"}, words=True), "agent_id": _ANY_AGENT},
        search_topics,
        READS,
        options={"search_linked": LINKED},
        title="Search the user's memory",
        finding="search memory by keywords",
    ),
    Tool(
        "update_profile",
        "Add lines about who the user is to the user's long-term memory, as soon as you learn them; `- Key: value` "
        "replaces the section's line with that key.",
        {"section": _SECTION, "content": _CONTENT},
        update_profile,
        _SETS,
        title="Write to the user's profile",
        always=True,
    ),
    Tool(
        "update_preferences",
        "Add lines about how the user likes things, by key like update_profile.",
        {"section": _SECTION, "content": _CONTENT},
        update_preferences,
        _SETS,
        title="Write to the user's preferences",
        finding="remember what the user likes",
    ),
    Tool(
        "create_topic",
        "Create a topic, or add to it section by section.",
        {
            "topic": Parameter("string", "e.g. rust, projects/my-app"),
            "content": Parameter("string", "## sections of list lines"),
        },
        create_topic,
        _ADDS,
        title="Write a topic of the user's memory",
        finding="remember knowledge about a subject or project",
    ),
    Tool(
        "list_topics",
        "Names of topics.",
        {"agent_id": _ANY_AGENT},
        list_topics,
        READS,
        title="List the topics of the user's memory",
        structured=True,
    ),
    Tool(
        "add_agent_memory",
        "Add a point to what an agent remembers of the user.",
        {"agent_id": _AGENT, "memory": Parameter("string")},
        add_agent_memory,
        _ADDS,
        title="Write to an agent's memory of the user",
    ),
    Tool(
        "update_agent_relationship",
        "After an interaction: count it, set what is given.",
        {"agent_id": _AGENT, "trust": _PERCENT, "familiarity": _PERCENT, "mood": _TEXT, "notes": _TEXT},
        update_agent_relationship,
        Effects(destructive=True),
        title="Write how the user and an agent get on",
    ),
    Tool(
        "extract_memory",
        "Have a model pick from an exchange what is worth keeping, and keep it.",
        {"user_message": Parameter("string"), "assistant_message": Parameter("string"), "agent_id": _ANY_AGENT},
        extract_memory,
        Effects(),
        title="Have a model write to the user's memory",
        finding="remember this exchange",
        structured=True,
        question=question,
    ),
)

PROMPTS = (
    Prompt(
        "user_memory",
        "What is remembered of the user, for a message",
        (
            PromptArgument("message", "The message; empty for the core alone"),
            PromptArgument("agent_id", "The agent who answers it"),
        ),
        user_memory,
    ),
)

TOOLSET = Toolset(TOOLS, (GUIDE,), PROMPTS)
