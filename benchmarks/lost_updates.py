"""Count what becomes of calls when several server processes share one memory: persisted, refused, lost, doubled.

Each process is a client's own, over stdio, and gets all its calls without a wait for answers. When every one has been
answered and the servers have ended, as they do with their input, the files tell what was kept. `--peers` installs
other servers, in fixed versions, and puts them through the same rounds. Figures are told, never judged.
"""

import argparse
import contextlib
import ctypes
import itertools
import json
import os
import platform
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, NamedTuple

import zkmem

_PATIENCE = 120  # seconds without any answer, after which a server's open calls count as unanswered
_GRACE = 20  # seconds that a server may take to end
_PAUSE = 0.005  # seconds between two saves by hand
_REFERRERS = [f"referrer {number}" for number in range(20)]
_SETTINGS = ("ZKMEM_", "FASTMCP_", "MARKDOWN_VAULT_MCP_", "MEMORY_FILE_PATH")  # no server gets those of the caller
_TOKEN = re.compile(r"\b(?:p\d+|hand)-\d+\b")
_CLIENT = {"name": "zkmem-benchmark", "version": "1"}
_INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}

Call = tuple[str, dict[str, object]]
"""A tool and its arguments, in which `$` stands for a token: the line, the note or the new name that a call makes."""

Answers = dict[str, str | None]
"""By token: "" for what was done, why it was refused, None for no answer."""


class Notes:
    """A memory of Markdown notes in a folder, and what its files tell: which tokens are there, and how often."""

    shared = "log.md"  # the file that every append goes to

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, self.shared)

    def prepare(self, renames: Sequence[str]) -> None:
        """What is there before the first call."""
        _make(self.path, "# Log\n")
        for token in renames:
            _make(f"{self.folder}/was {token}.md", "A note.\n")
        for name in _REFERRERS if renames else []:
            _make(f"{self.folder}/{name}.md", "".join(f"- [[was {token}]]\n" for token in renames))

    def by_hand(self, token: str) -> str:
        """The line that a person adds to the shared file."""
        return token

    def appended(self, data: bytes) -> Counter[str]:
        """What was added to the shared file, by whomever."""
        return Counter(data.decode().splitlines())

    def created(self) -> Counter[str]:
        """The notes made: a token is the name of one, and all of its text."""
        paths = _notes(f"{self.folder}/made")
        return Counter(token for path in paths if path.endswith(f"/{(token := _read(path).decode().strip())}.md"))

    def renamed(self, tokens: Iterable[str]) -> Counter[str]:
        """The renames that are whole: the note has moved, and every referrer's link with it (once, or so often)."""
        texts = [_read(f"{self.folder}/{name}.md").decode() for name in _REFERRERS]
        linked = [Counter(re.findall(r"\[\[(.+?)]]", text)) for text in texts]
        notes = {os.path.basename(path) for path in _notes(self.folder)}
        moved = [token for token in tokens if f"{token}.md" in notes and f"was {token}.md" not in notes]
        whole = [token for token in moved if all(links[token] and not links[f"was {token}"] for links in linked)]
        return Counter({token: max(links[token] for links in linked) for token in whole})


class Graph(Notes):
    """A memory of entities in one file, a line of JSON for each. What is appended is an observation."""

    shared = "memory.jsonl"

    def prepare(self, renames: Sequence[str]) -> None:
        assert not renames
        _make(self.path, json.dumps({"type": "entity", "name": "log", "entityType": "note", "observations": []}))

    def by_hand(self, token: str) -> str:
        return json.dumps({"type": "entity", "name": token, "entityType": "note", "observations": [token]})

    def appended(self, data: bytes) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in data.decode().splitlines():
            with contextlib.suppress(ValueError):  # a line that cannot be read keeps nothing
                found.update(json.loads(line)["observations"])
        return found

    def created(self) -> Counter[str]:
        return self.appended(_read(self.path))


class Records(Notes):
    """A vault in which a toolset keeps records: what was added is found by its tokens, wherever it stands."""

    text = ""  # of the shared note

    def prepare(self, renames: Sequence[str]) -> None:
        assert not renames
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        _make(self.path, self.text)

    def by_hand(self, token: str) -> str:
        return f"- {token}"

    def appended(self, data: bytes) -> Counter[str]:
        return Counter(_TOKEN.findall(data.decode()))

    def created(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for folder, _, files in os.walk(self.folder):
            if "/.zkmem" not in folder:
                found.update({token for name in files for token in self.appended(_read(os.path.join(folder, name)))})
        return found


class Entities(Records):
    """The notes of the toolset kg."""

    text = "---\nentityType: note\n---\n"


class Raws(Records):
    """The notes of the toolset think: a raw text, and a list whose elements count if the list names them."""

    text = "---\ntype: raw\ndescription: log\n---\n"

    def prepare(self, renames: Sequence[str]) -> None:
        super().prepare(renames)
        _make(f"{self.folder}/made.md", "---\ntype: list\nrole: array\ndescription: made\n---\n")

    def created(self) -> Counter[str]:
        named = _read(f"{self.folder}/made.md").decode()
        paths = [path for path in _notes(f"{self.folder}/made") if os.path.basename(path)[:-3] in named]
        return Counter(token for path in paths for token in {*self.appended(_read(path))})


class Memories(Records):
    """The notes of the toolset mirix: every memory is a note, also one that begins like others."""


class Agents(Records):
    """The notes of the toolset text."""

    shared = "agents/log/relationship.md"
    text = "# Agent Relationship\n\n## Memory Points\n"


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _make(path: str, text: str) -> None:
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def _notes(folder: str) -> list[str]:
    """The notes in a folder, if there is one."""
    return [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".md")] if os.path.isdir(folder) else []


class Subject(NamedTuple):
    """A server under test. In command and environment `$` stands for the folder of the memory."""

    name: str
    memory: type[Notes]
    command: list[str]
    environment: dict[str, str]
    calls: dict[str, Call]  # by round
    by_hand: bool = True  # whether a person may edit what is shared


ZKMEM = Subject(
    f"zkmem {zkmem.__version__}",
    Notes,
    [sys.executable, "-m", "zkmem", "serve", "$"],
    {},
    {
        "appends": ("set_content", {"name": "log", "content": "$", "append": True}),
        "creations": ("set_content", {"name": "made/$", "content": "$"}),
        "renames": ("rename_content", {"name": "was $", "new_name": "$"}),
    },
)


def _of_toolset(name: str, memory: type[Notes], calls: dict[str, Call], *, by_hand: bool = True) -> Subject:
    command = [*ZKMEM.command, "--toolsets", name]
    return Subject(f"{ZKMEM.name} {name}", memory, command, {}, calls, by_hand)


TOOLSETS = [
    _of_toolset(
        "kg",
        Entities,
        {
            "appends": ("add_observations", {"observations": [{"entityName": "log", "contents": ["$"]}]}),
            "creations": ("create_entities", {"entities": [{"name": "$", "entityType": "n", "observations": ["$"]}]}),
        },
    ),
    _of_toolset(
        "think",
        Raws,
        {
            "appends": ("writeRaw", {"namePath": "log", "data": "$\n", "isAppend": True}),
            "creations": ("appendListElement", {"name": "made", "data": "$", "description": "$"}),
        },
    ),
    _of_toolset(
        "mirix",
        Memories,
        {"creations": ("memory_add", {"content": "the same words\n$", "memory_type": "episodic"})},
        by_hand=False,
    ),
    _of_toolset(
        "text",
        Agents,
        {
            "appends": ("add_agent_memory", {"agent_id": "log", "memory": "$"}),
            "creations": ("create_topic", {"topic": "$", "content": "$"}),
        },
    ),
]


def peers(folder: str) -> list[Subject]:
    """The other servers, installed below a folder if they are not there yet."""
    vault, graph = os.path.join(folder, "markdown-vault-mcp-5.1.0"), os.path.join(folder, "server-memory-2026.8.31")
    packages = "markdown-vault-mcp[file-watcher]==5.1.0", "@modelcontextprotocol/server-memory@2026.8.31"
    _install(vault, [sys.executable, "-m", "venv", vault], [f"{vault}/bin/pip", "install", "-qq", packages[0]])
    _install(graph, ["npm", "install", "--silent", "--no-audit", "--prefix", graph, packages[1]])
    quiet = {"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_SHOW_SERVER_BANNER": "false"}
    in_vault: dict[str, Call] = {
        "appends": ("append", {"path": "log.md", "content": "$"}),
        "creations": ("write", {"path": "made/$.md", "content": "$"}),
        "renames": ("rename", {"old_path": "was $.md", "new_path": "$.md", "update_links": True}),
    }
    in_graph: dict[str, Call] = {
        "appends": ("add_observations", {"observations": [{"entityName": "log", "contents": ["$"]}]}),
        "creations": ("create_entities", {"entities": [{"name": "$", "entityType": "note", "observations": ["$"]}]}),
    }
    serve, environment = [f"{vault}/bin/markdown-vault-mcp", "serve"], {"MARKDOWN_VAULT_MCP_SOURCE_DIR": "$"} | quiet
    memory, path = [f"{graph}/node_modules/.bin/mcp-server-memory"], {"MEMORY_FILE_PATH": f"$/{Graph.shared}"}
    return [
        Subject("markdown-vault-mcp 5.1.0", Notes, serve, environment, in_vault),
        Subject("server-memory 2026.8.31", Graph, memory, path, in_graph),
    ]


def _install(folder: str, *commands: Sequence[str]) -> None:
    done = os.path.join(folder, "installed")
    if not os.path.exists(done):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for command in commands:
            subprocess.run(command, check=True, stdout=sys.stderr)
        _make(done, "")


class Client:
    """A server process, and the client's end of it in raw lines.

    A thread sends and a thread reads, so a server that reads no further until its answers are taken stops nobody.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: BinaryIO) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env={**kept, **environment}, stdin=pipe, stdout=pipe, stderr=log)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.last = 0.0

    def handshake(self) -> None:
        """Wait until it is there."""
        self._send([{"id": "hello", "method": "initialize", "params": _INITIALIZE}])
        if next(self._answers(), None) != ("hello", ""):
            raise SystemExit(f"{self._process.args!r} did not start.")
        self._send([{"method": "notifications/initialized"}])

    def call(self, call: Call, tokens: Sequence[str]) -> Answers:
        """Send the call for every token at once, then take the answers."""
        tool, arguments = call
        params = [{"name": tool, "arguments": _with(token, arguments)} for token in tokens]
        lines = [
            {"id": token, "method": "tools/call", "params": one} for token, one in zip(tokens, params, strict=True)
        ]
        threading.Thread(target=self._send, args=[lines], daemon=True).start()
        answers: Answers = dict.fromkeys(tokens)
        for token, answer in itertools.islice(self._answers(), len(tokens)):
            answers[token] = answer
            self.last = time.perf_counter()
        return answers

    def end(self) -> None:
        """Let it end as its input does."""
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._process.kill()
        self._process.wait()

    def _send(self, messages: Iterable[dict[str, object]]) -> None:
        assert self._process.stdin
        with contextlib.suppress(OSError):  # it has ended, and answers no more
            for message in messages:
                self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _answers(self) -> Iterator[tuple[str, str]]:
        """Answers as they come, until the server ends or patience does."""
        with contextlib.suppress(queue.Empty):
            while line := self._lines.get(timeout=_PATIENCE):
                message = json.loads(line)
                if "id" in message and "method" not in message:
                    yield message["id"], _refusal(message)
        self._process.kill()


def _with(value: str, template: Any) -> Any:
    """A template with a value in the place of every `$`."""
    return json.loads(json.dumps(template).replace("$", json.dumps(value)[1:-1]))


def _refusal(message: Mapping[str, Any]) -> str:
    """The first sentence of why a call was refused; "" if it was not."""
    if "error" in message:
        text = message["error"]["message"]
    elif message["result"].get("isError"):
        text = " ".join(block.get("text", "") for block in message["result"]["content"])
    else:
        return ""
    return re.split(r"(?<=[.;])\s|\n", text.strip())[0] or "(no reason)"


def edit(memory: Notes, stop: threading.Event, saved: Answers, overwritten: set[str]) -> None:
    """Be a person at an editor, over and over: read the shared file, add a line, save all of it."""
    temp = f"{memory.folder}/.by-hand.tmp"
    while not stop.wait(_PAUSE):
        token = f"hand-{len(saved):05}"
        base = _read(memory.path)
        gap = b"" if base.endswith(b"\n") else b"\n"
        with open(temp, "wb") as file:
            file.write(base + gap + memory.by_hand(token).encode() + b"\n")
        if _read(memory.path) != base:
            continue  # a good editor looks before it saves, and begins again
        # What a server writes between that look and the next line is overwritten, and this is the editor's doing: no
        # server can prevent it. It is counted apart, but only what is seen in the very file that was replaced.
        try:
            replaced = _replace(temp, memory.path)
        except FileNotFoundError:  # it has just become another one
            continue
        saved[token] = ""
        overwritten |= memory.appended(replaced).keys() - memory.appended(base).keys()


def _replace(temp: str, path: str) -> bytes:
    """Put one file in the place of another in one step, as `os.replace` does; the bytes that were there till then.

    Linux swaps the names, which leaves the replaced file, whichever it is by then, to be read. Elsewhere it gets a
    second name just before, and a file that comes between these two steps is not seen: what it held counts as lost.
    """
    swap = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2
    if not swap or swap(here, os.fsencode(temp), here, os.fsencode(path), exchange):
        os.link(path, f"{temp}.old")
        os.replace(temp, path)
        os.rename(f"{temp}.old", temp)
    replaced = _read(temp)
    os.unlink(temp)  # not to be written again: a server may still be reading it
    return replaced


def count(answers: Answers, found: Counter[str], overwritten: set[str]) -> dict[str, Any]:
    """What was answered, compared with what was found. The acknowledged are those persisted, overwritten or lost."""
    acknowledged = {token for token, answer in answers.items() if answer == ""}
    refusals = [answer for answer in answers.values() if answer]
    gone = {token for token in acknowledged if not found[token]}
    return {
        "sent": len(answers),
        "acknowledged": len(acknowledged),
        "refused": len(refusals),
        "unanswered": sum(answer is None for answer in answers.values()),
        "persisted": len(acknowledged - gone),
        "overwritten": len(gone & overwritten),  # it was in a file that the editor replaced
        "lost": len(gone - overwritten),
        "doubled": sum(found[token] > 1 for token in answers),
        "disowned": sum(found[token] > 0 for token in answers.keys() - acknowledged),  # found, but not acknowledged
        "refusal": next(iter(refusals), ""),
    }


ROUNDS = ("appends", "creations", "renames", "hand")
"""One note for all; a note each; a note each, but the same referrers; one note, and a person writes it too."""


def run(subject: Subject, what: str, processes: int, calls: int) -> Iterator[dict[str, Any]]:
    """One round on a fresh memory; where the editor takes part, a second row is its own."""
    each = max(1, calls // processes) if what == "renames" else calls
    tokens = [[f"p{process}-{number:04}" for number in range(each)] for process in range(processes)]
    every = list(itertools.chain(*tokens))
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as outer, contextlib.ExitStack() as ends:
        folder = os.path.join(outer, "memory")
        os.mkdir(folder)
        memory = subject.memory(folder)
        memory.prepare(every if what == "renames" else [])
        saved: Answers = {}
        overwritten: set[str] = set()
        stop = threading.Event()
        editor = threading.Thread(target=edit, args=(memory, stop, saved, overwritten))
        log = ends.enter_context(open(os.path.join(outer, "stderr"), "wb"))
        clients = []
        for _ in tokens:
            clients.append(Client(_with(folder, subject.command), _with(folder, subject.environment), log))
            ends.callback(clients[-1].end)
        with ThreadPoolExecutor(processes) as pool:
            list(pool.map(Client.handshake, clients))
            began = time.perf_counter()
            if what == "hand":
                editor.start()
                ends.callback(editor.join)
                ends.callback(stop.set)  # runs first, and both before the servers end
            call = subject.calls["appends" if what == "hand" else what]
            done = list(pool.map(Client.call, clients, itertools.repeat(call), tokens))
        ends.close()
        found = memory.created() if what == "creations" else memory.appended(_read(memory.path))
        if what == "renames":
            found = memory.renamed(every)
    answers = {token: answer for part in done for token, answer in part.items()}
    about = {"server": subject.name, "round": what}
    seconds = round(max(0.0, max(client.last for client in clients) - began), 2)
    yield about | count(answers, found, overwritten) | {"seconds": seconds}
    if what == "hand":
        yield about | {"round": "its editor"} | count(saved, found, set()) | {"seconds": seconds}


def _print(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows as they come, and in the end the first refusal of each."""
    refusals = []
    for number, row in enumerate(rows):
        columns = [name for name in row if name not in {"server", "round", "refusal"}]
        if not number:
            print(f"{'':36}", *columns)
        values = " ".join(f"{row[name]:{len(name)}}" for name in columns)
        print(f"{row['server']:25} {row['round']:10} {values}", flush=True)
        if row["refusal"]:
            refusals.append(f"{row['server']}, {row['round']}: {row['refusal']}")
    print("", *refusals, sep="\n")


def main() -> None:
    """Count as the command line says."""
    parser = argparse.ArgumentParser(description="Count the updates that servers lose which share one memory.")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    parser.add_argument("--processes", type=int, default=4, help="how many servers (default: %(default)s)")
    parser.add_argument("--calls", type=int, default=100, help="of each; renames: of all (default: %(default)s)")
    parser.add_argument("--peers", action="store_true", help="other servers too (from PyPI and npm)")
    parser.add_argument("--peers-dir", default=os.path.join(cache, "zkmem-bench"), help="where they are installed")
    parser.add_argument("--only", default="", help="only servers with this in their names")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if arguments.processes < 1 or arguments.calls < 1:
        parser.error("--processes and --calls must be 1 or more.")
    subjects = [ZKMEM, *TOOLSETS, *(peers(os.path.abspath(arguments.peers_dir)) if arguments.peers else [])]
    subjects = [subject for subject in subjects if arguments.only in subject.name]
    tasks = [
        (subject, what)
        for subject in subjects
        for what in ROUNDS
        if (what == "hand" and subject.by_hand) or what in subject.calls
    ]
    rows = itertools.chain.from_iterable(run(*task, arguments.processes, arguments.calls) for task in tasks)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.platform()}"
    if arguments.json:
        about = {"machine": machine, "processes": arguments.processes, "calls": arguments.calls}
        print(json.dumps(about | {"rows": list(rows)}, indent=2))
    else:
        print(f"{machine}\n{arguments.processes} processes, {arguments.calls} calls each (renames: in all)\n")
        _print(rows)


if __name__ == "__main__":
    main()
