"""Read the transcripts that clients keep: Claude Code, Codex and Gemini CLI. To add a client, add a row to `FORMATS`.

Tried with files that the clients wrote themselves: Claude Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0 (`TRIED`).
Records of earlier versions are read as vshulcz/deja-vu describes them in `docs/registry/`, and as the source of each
client has them.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

from zkmem.clients.table import UserHome
from zkmem.transcripts.conversation import LeftOut, Transcript, TranscriptBuilder, leave_out
from zkmem.transcripts.streams import MOST_LINE, mapping, parsed, records, string

SUB_AGENT = "transcripts of sub-agents"
_MOST_MESSAGES = 20_000  # of a transcript of Gemini CLI, which can be rewound
_MOST_TEXT = 8_000  # characters of each
_MOST_PATH = 4_096  # characters of a folder that is looked for
_TAG = re.compile(r"<(/?)(system-reminder|ide_[a-z_]+|session_context)>")
_BY_CLIENT = re.compile(
    r"<[A-Za-z][\w-]*[ >]|\[Request interrupted|Caveat: The messages below|# AGENTS\.md instructions|/[a-z][\w:-]*\s*$"
    r"|This session is being continued from a previous"
)
"""The beginning of a message that the client wrote, not the person: a tag, a notice, a command such as `/clear`."""

_CLAUDE_KINDS = frozenset(
    ("system", "attachment", "queue-operation", "last-prompt", "mode", "file-history-snapshot", "progress", "summary",
     "custom-title", "ai-title", "permission-mode", "agent-name", "agent-color", "agent-setting", "pr-link", "tag",
     "worktree-state", "content-replacement", "task-summary", "saved_hook_context")
)  # fmt: skip
_CODEX_KINDS = frozenset(
    ("event_msg", "turn_context", "compacted", "world_state", "token_usage_record", "reasoning", "function_call",
     "function_call_output", "local_shell_call", "ghost_snapshot", "inter_agent_communication", "state")
)  # fmt: skip
_GEMINI_KINDS = frozenset(("info", "error", "warning", "about", "help", "stats", "quit", "compression"))


class ClientVersions(NamedTuple):
    """Versions of a client. A prefix such as `2.` stands for all versions that begin with it."""

    tried: str
    alike: tuple[str, ...]  # prefixes of versions whose records have the same shape


TRIED: Mapping[str, ClientVersions] = {
    "claude-code": ClientVersions("2.1.197", ("1.", "2.")),
    "codex": ClientVersions("0.171.0", ("0.",)),
    "gemini": ClientVersions("0.61.0", ()),  # its files do not name the version
}


class TranscriptFile(NamedTuple):
    """A transcript on the disk."""

    path: str
    shown: str  # as a note shows it: with ~ for the user's own folder


ReadTranscript = Callable[[IO[bytes], str, TranscriptBuilder], object]
"""Reads a transcript from a stream, and adds its messages to a builder. The text is the path of the file."""

_Messages = dict[str, tuple[int, dict[str, Any]]]  # by id: the line, and the message


class ClientFormat(NamedTuple):
    """Where a client keeps its transcripts, and how one of them is read."""

    folder: Callable[[UserHome], str]
    is_transcript: Callable[[str], bool]  # by the path below the folder
    read: ReadTranscript


def conversations(
    client: str, files: Iterable[TranscriptFile], in_notes: Mapping[str, int], left_out: LeftOut, versions: set[str]
) -> Iterator[Transcript]:
    """Yield the conversations in transcripts of a client, one from each file."""
    for file in files:
        builder = TranscriptBuilder(client, file.shown, in_notes, left_out)
        try:
            with open(file.path, "rb") as stream:
                FORMATS[client].read(stream, file.path, builder)
        except OSError as error:
            left_out[f"files that cannot be read: {error.strerror}"] += 1
            continue
        versions.add(builder.version[:100])
        builder.id = builder.id or os.path.splitext(os.path.basename(file.path))[0]
        yield builder.done()


def transcripts(client: str, folder: str, home: str, left_out: LeftOut) -> Iterator[TranscriptFile]:
    """Yield the transcripts of a client below a folder, or the one file that is given. No symbolic link is followed."""
    if os.path.isfile(folder):
        yield TranscriptFile(folder, _shown(folder, home))
        return
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(root, name)
            below = os.path.relpath(full, folder).replace(os.sep, "/")
            if not FORMATS[client].is_transcript(below) or not is_plain_file(full):
                left_out[SUB_AGENT] += name.endswith(".jsonl") and ("/subagents/" in below or name.startswith("agent-"))
                continue
            yield TranscriptFile(full, _shown(full, home))


def _shown(path: str, home: str) -> str:
    path = os.path.abspath(path)
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def project_of(folder: object) -> str:
    """Return the name of the project in a folder: that of the repository, else that of the folder.

    The folder comes from a transcript. If it begins with two slashes, it is on another machine, and is not looked up.
    """
    if not isinstance(folder, str) or not folder.strip("/\\"):
        return ""
    above = "" if len(folder) > _MOST_PATH or re.match(r"[/\\]{2}", folder) else folder
    while os.path.isabs(above) and above != os.path.dirname(above):
        if os.path.lexists(os.path.join(above, ".git")):
            folder = above
            break
        above = os.path.dirname(above)
    return re.split(r"[/\\]", folder.rstrip("/\\"))[-1]


def text_of(content: object, kinds: Iterable[str] = ("text", "input_text", "output_text", "")) -> str:
    """Return the text of a message, whose content is a string, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type", "") in kinds)
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def own_words(text: str) -> str:
    """Return a message of the person without what the client added to it; "" if the client wrote all of it."""
    text = _without_tags(text[:200_000]).strip()
    return "" if _BY_CLIENT.match(text) else text


def _without_tags(text: str) -> str:
    """Return a text without the tags of clients and the text in them. A tag without an end tag stays."""
    last = {tag[2]: tag.start() for tag in _TAG.finditer(text) if tag[1]}
    parts, at = list[str](), 0
    for tag in _TAG.finditer(text):
        if not tag[1] and at <= tag.start() < last.get(tag[2], -1):
            parts.append(text[at : tag.start()])
            end = f"</{tag[2]}>"
            at = text.index(end, tag.end()) + len(end)
    return "".join((*parts, text[at:]))


def _read_claude_code(stream: IO[bytes], _: str, into: TranscriptBuilder) -> None:
    for line, record in records(stream, into.left_out):
        kind, message = string(record.get("type")), record.get("message")
        if kind not in {"user", "assistant"} or not isinstance(message, dict):
            for key in ("customTitle", "aiTitle", "summary"):
                title = record.get(key)
                into.title = title if isinstance(title, str) and title and kind != "system" else into.title
            _count_unknown(kind, _CLAUDE_KINDS, into.left_out)
            continue
        if record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary"):
            continue
        into.version = string(record.get("version")) or into.version
        into.project = into.project or project_of(record.get("cwd"))
        into.at(record.get("timestamp"))
        if kind == "assistant":
            into.by_model(text_of(message.get("content")))
        else:
            into.by_person(own_words(text_of(message.get("content"))), line, string(record.get("uuid")))


def _read_codex(stream: IO[bytes], _: str, into: TranscriptBuilder) -> None:
    for line, record in records(stream, into.left_out):
        payload = mapping(record.get("payload")) or record
        kind = string(record.get("type"))
        if kind == "session_meta" or (not kind and isinstance(record.get("id"), str)):
            source, thread = payload.get("source"), payload.get("thread_source")
            if (isinstance(source, dict) and "subagent" in source) or thread == "subagent":
                into.left_out[SUB_AGENT] += 1
                return
            into.id = into.id or string(payload.get("id")) or string(payload.get("session_id"))
            into.project = into.project or project_of(payload.get("cwd"))
            into.version = string(payload.get("cli_version")) or into.version
            into.at(payload.get("timestamp"))
        elif payload.get("type") == "message":
            into.at(record.get("timestamp"))
            text = text_of(payload.get("content"))
            if payload.get("role") == "assistant":
                into.by_model(text)
            elif payload.get("role") == "user":
                into.by_person(own_words(text), line)
        elif kind != "response_item":
            _count_unknown(kind or string(record.get("record_type")), _CODEX_KINDS, into.left_out)


def _read_gemini(stream: IO[bytes], path: str, into: TranscriptBuilder) -> None:
    messages: _Messages = {}
    if path.endswith(".jsonl"):
        lines: Iterable[tuple[int, dict[str, Any]]] = records(stream, into.left_out)
    else:
        lines = [(0, _whole(stream, into.left_out))]
    for line, record in lines:
        if string(record.get("kind")) not in {"", "main"}:
            into.left_out[SUB_AGENT] += 1
            return
        into.id = into.id or string(record.get("sessionId"))
        _apply(record, line, messages)
    into.project = _gemini_project(path)
    for line, one in messages.values():
        into.at(one.get("timestamp"))
        if one["type"] == "user":
            into.by_person(own_words(one["content"]), line)
        elif one["type"] in {"gemini", "model"}:
            into.by_model(one["content"])
        else:
            _count_unknown(one["type"], _GEMINI_KINDS, into.left_out)


def _apply(record: Mapping[str, Any], line: int, messages: "_Messages") -> None:
    """Add the messages of a record, or remove those that it takes back, as Gemini CLI does."""
    change = mapping(record.get("$set")) or record
    whole = change.get("messages")
    if isinstance(whole, list):
        messages.clear()
    if (back := string(record.get("$rewindTo"))) in messages:
        for key in list(messages)[list(messages).index(back) :]:
            del messages[key]
    for one in filter(_is_message, whole if isinstance(whole, list) else [record]):
        text = text_of(one.get("content"))[:_MOST_TEXT]
        key = string(one.get("id")) or f"{len(messages)} without an id"
        messages[key] = line, {"type": one["type"], "content": text, "timestamp": one.get("timestamp")}
        if len(messages) > _MOST_MESSAGES:
            del messages[next(iter(messages))]


def _is_message(one: object) -> bool:
    return isinstance(one, dict) and isinstance(one.get("type"), str) and "content" in one


def _whole(stream: IO[bytes], left_out: LeftOut) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if the file has none or is too long."""
    data = stream.read(MOST_LINE + 1)
    if len(data) > MOST_LINE:
        left_out[f"files of more than {MOST_LINE // 1_000_000} MB"] += 1
        return {}
    try:
        value = parsed(data)
    except ValueError:
        left_out["broken files"] += 1
        return {}
    return value if isinstance(value, dict) else {}


def _gemini_project(path: str) -> str:
    """Return the project of a transcript: from the file `.project_root` beside its folder, else the folder's name."""
    folder = os.path.dirname(os.path.dirname(path))
    root, name = os.path.join(folder, ".project_root"), os.path.basename(folder)
    with contextlib.suppress(OSError):
        if is_plain_file(root):
            with open(root, encoding="utf-8", errors="replace") as file:
                return project_of(file.read(_MOST_PATH).strip())
    return "" if re.fullmatch("[0-9a-f]{64}", name) else name  # a hash of the path tells nothing


def is_plain_file(path: str) -> bool:
    """Return whether a path is a regular file: no symbolic link, no device, no pipe (which may block a reader)."""
    return os.path.isfile(path) and not os.path.islink(path)


def _count_unknown(kind: str, expected: frozenset[str], left_out: LeftOut) -> None:
    if kind not in expected:
        shown = kind if re.fullmatch(r"[\w./-]{1,40}", kind) else "?"
        leave_out(left_out, "records of an unknown kind", shown)


FORMATS: Mapping[str, ClientFormat] = {
    "claude-code": ClientFormat(
        lambda home: home.join(home.or_else("CLAUDE_CONFIG_DIR", ".claude"), "projects"),
        lambda below: below.endswith(".jsonl") and below.count("/") <= 1 and "/agent-" not in f"/{below}",
        _read_claude_code,
    ),
    "codex": ClientFormat(
        lambda home: home.join(home.or_else("CODEX_HOME", ".codex"), "sessions"),
        lambda below: re.fullmatch(r"(?:.*/)?rollout-[^/]*\.jsonl", below) is not None,
        _read_codex,
    ),
    "gemini": ClientFormat(
        lambda home: home.join(home.or_else("GEMINI_CLI_HOME"), ".gemini", "tmp"),
        lambda below: re.fullmatch(r"(?:.*/)?chats/session-[^/]*\.jsonl?", below) is not None,
        _read_gemini,
    ),
}
