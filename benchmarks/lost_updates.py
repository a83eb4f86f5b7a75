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
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from benchmarks import others
from benchmarks.memories import Notes, read
from benchmarks.place import plain_environment
from benchmarks.subjects import TOOLSETS, ZKMEM, Call, Subject, with_token

_PATIENCE = 120  # seconds without any answer, after which a server's open calls count as unanswered
_GRACE = 20  # seconds that a server may take to end
_PAUSE = 0.005  # seconds between two saves by hand
_CLIENT = {"name": "zkmem-benchmark", "version": "1"}
_INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}

Answers = dict[str, str | None]
"""By token: "" for what was done, why it was refused, None for no answer."""


class Client:
    """A server process, and the client's end of it in raw lines.

    A thread sends and a thread reads, so a server that reads no further until its answers are taken stops nobody.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: BinaryIO) -> None:
        kept = plain_environment()
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
        params = [{"name": tool, "arguments": with_token(token, arguments)} for token in tokens]
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
        base = read(memory.path)
        gap = b"" if base.endswith(b"\n") else b"\n"
        with open(temp, "wb") as file:
            file.write(base + gap + memory.by_hand(token).encode() + b"\n")
        if read(memory.path) != base:
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
    replaced = read(temp)
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
        for _ in tokens:  # one after the other: what they find or make at their first start is not what is counted
            clients.append(Client(with_token(folder, subject.command), with_token(folder, subject.environment), log))
            ends.callback(clients[-1].end)
            clients[-1].handshake()
        with ThreadPoolExecutor(processes) as pool:
            began = time.perf_counter()
            if what == "hand":
                editor.start()
                ends.callback(editor.join)
                ends.callback(stop.set)  # runs first, and both before the servers end
            call = subject.calls["appends" if what == "hand" else what]
            done = list(pool.map(Client.call, clients, itertools.repeat(call), tokens))
        ends.close()
        found = memory.created() if what == "creations" else memory.appended(read(memory.path))
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
    parser.add_argument("--processes", type=int, default=4, help="how many servers (default: %(default)s)")
    parser.add_argument("--calls", type=int, default=100, help="of each; renames: of all (default: %(default)s)")
    parser.add_argument("--peers", action="store_true", help="other servers too (from PyPI and npm)")
    parser.add_argument("--peers-dir", default=others.FOLDER, help="where they are installed")
    parser.add_argument("--only", default="", help="only servers with this in their names")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if arguments.processes < 1 or arguments.calls < 1:
        parser.error("--processes and --calls must be 1 or more.")
    chosen = [peer for peer in others.PEERS if arguments.peers and arguments.only in peer.name]
    installed = (peer.installed(os.path.abspath(arguments.peers_dir)) for peer in chosen)
    subjects = [subject for subject in (ZKMEM, *TOOLSETS) if arguments.only in subject.name]
    subjects += [subject for subject in installed if subject]
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
