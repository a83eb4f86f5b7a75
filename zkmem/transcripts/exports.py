"""Read the exports of ChatGPT and Claude: a zip with `conversations.json`, or that file.

The services do not name a version. Written from the shape that they have published since 2023 (ChatGPT: `mapping`, a
tree of messages) and 2024 (Claude: `chat_messages`), and tried with files of that shape.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from zkmem.transcripts.clients import text_of
from zkmem.transcripts.conversation import LeftOut, Transcript, TranscriptBuilder
from zkmem.transcripts.streams import exports_in, items, mapping, string

_MOST_MESSAGES = 100_000  # of one conversation
_OTHER = "items that are no conversation of this service"


def exported(
    service: str, path: str, shown: str, in_notes: Mapping[str, int], left_out: LeftOut
) -> Iterator[Transcript]:
    """Yield the conversations in an export of a service. `shown`: the path as a note shows it."""
    for member, stream in exports_in(path, left_out):
        for number, item in enumerate(items(stream, left_out), 1):
            builder = TranscriptBuilder(
                service, ":".join(filter(None, (shown, member, str(number)))), in_notes, left_out
            )
            if isinstance(item, dict) and _READERS[service](item, builder):
                yield builder.done()
            else:
                left_out[_OTHER] += 1


def _read_chatgpt(item: Mapping[str, Any], into: TranscriptBuilder) -> bool:
    tree = item.get("mapping")
    if not isinstance(tree, dict):
        return False
    into.id, into.title = string(item.get("conversation_id")) or string(item.get("id")), string(item.get("title"))
    into.at(item.get("create_time"))
    for message in _branch(tree, item.get("current_node")):
        author, content, about = (mapping(message.get(key)) for key in ("author", "content", "metadata"))
        if string(content.get("content_type")) not in {"text", "multimodal_text"}:
            continue
        if about.get("is_visually_hidden_from_conversation"):
            continue
        into.at(message.get("create_time"))
        parts = content.get("parts")
        text = "\n\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
        if author.get("role") == "user":
            into.by_person(text)
        elif author.get("role") == "assistant":
            into.by_model(text)
    into.at(item.get("update_time"))
    return bool(into.id)


def _branch(tree: dict[str, Any], last: object) -> list[Mapping[str, Any]]:
    """Return the messages of the branch that the person saw last, the first one first."""
    name, messages, seen = string(last), list[Mapping[str, Any]](), set[str]()
    if name not in tree:
        name = next(reversed(tree), "")
    while name in tree and name not in seen and len(seen) < _MOST_MESSAGES:
        seen.add(name)
        node = mapping(tree[name])
        messages.append(mapping(node.get("message")))
        name = string(node.get("parent"))
    return messages[::-1]


def _read_claude(item: Mapping[str, Any], into: TranscriptBuilder) -> bool:
    messages = item.get("chat_messages")
    if not isinstance(messages, list):
        return False
    into.id, into.title = string(item.get("uuid")), string(item.get("name"))
    into.project = string(mapping(item.get("project")).get("name"))
    into.at(item.get("created_at"))
    for message in map(mapping, messages):
        into.at(message.get("created_at"))
        text = text_of(message.get("content")) or string(message.get("text"))
        if message.get("sender") == "human":
            into.by_person(text)
        elif message.get("sender") == "assistant":
            into.by_model(text)
        else:
            into.left_out["messages of an unknown sender"] += 1
    into.at(item.get("updated_at"))
    return bool(into.id)


_READERS: Mapping[str, Callable[[Mapping[str, Any], TranscriptBuilder], bool]] = {
    "chatgpt": _read_chatgpt,
    "claude": _read_claude,
}
SERVICES = tuple(_READERS)
