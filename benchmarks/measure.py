"""Measure zkmem on a made vault: medians, each beside the floor it stands on. Times are told, never judged.

What starts or loads is measured in a process of its own, RUNS times in turn, after one round that does not count (it
warms the page cache and the bytecode); what is called often, in one process after a load.
"""

import argparse
import contextlib
import functools
import importlib
import importlib.metadata
import json
import os
import platform
import random
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.index.live import LiveIndex
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.toolsets.tool import Result
from zkmem.vault.store import Store

_HUB = "the hub of the vault"
_REFERRERS = 1000
_READS, _WRITES, _RANKINGS, _RENAMES = 200, 50, 10, 4
_PATIENCE = 120  # seconds that a server may take to answer
_TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}

Samples = dict[str, list[float]]
"""What was measured -> values, in the unit that ends its name: "(ms)", "(MB)", or "" for a ratio."""

LOAD = "Memory.load, fresh process (ms)"
FLOOR = "floor: walk and read every byte (ms)"


class Row(NamedTuple):
    """One line of the table."""

    what: str
    median: float
    min: float
    max: float
    samples: int

    @classmethod
    def of(cls, what: str, values: Sequence[float]) -> "Row":
        """The line for some values."""
        return cls(what, statistics.median(values), min(values), max(values), len(values))


def measure(notes: int, runs: int, seed: int) -> dict[str, Any]:
    """Make a vault and measure everything."""
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        vault = os.path.join(folder, "vault")
        importlib.import_module("generate").generate(vault, notes, seed)  # beside this file, but in no package
        referrers = _add_hub(vault, min(_REFERRERS, notes), seed)
        size = sum(os.path.getsize(path) for path in _files(vault))
        bench = Bench(vault, _environment(os.path.join(folder, "bytecode")), seed)
        bench.round()  # does not count
        samples: Samples = {}
        for _ in range(runs):
            _extend(samples, bench.round())
        _extend(samples, bench.child("costs"))
        _extend(samples, bench.child("calls"))
    return {
        "machine": _machine(),
        "vault": {"notes": notes + 1, "megabytes": round(size / 1e6, 1), "seed": seed, "referrers": referrers},
        "rows": [Row.of(what, values)._asdict() for what, values in samples.items()],
    }


def _extend(samples: Samples, more: Samples) -> None:
    for what, values in more.items():
        samples.setdefault(what, []).extend(values)


def _machine() -> dict[str, Any]:
    packages = ("zkmem", "mcp", "networkx", "pyromark")
    return {
        "cores": os.cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "bytecode": "cached",
        "packages": {name: importlib.metadata.version(name) for name in packages},
    }


def _environment(bytecode: str) -> dict[str, str]:
    """The environment for what is started: no settings of zkmem's, and bytecode kept in a folder of our own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ZKMEM_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {"PYTHONPYCACHEPREFIX": bytecode}


def _add_hub(vault: str, referrers: int, seed: int) -> int:
    """Add a note, and a link to it to so many others."""
    paths = sorted(_files(vault))
    for path in random.Random(seed).sample(paths, referrers):
        with open(path, "ab") as file:
            file.write(f"\nSee [[{_HUB}]].\n".encode())
    with open(os.path.join(vault, _HUB + ".md"), "xb") as file:
        file.write(f"# {_HUB}\n\nMany notes link here.\n".encode())
    return referrers


def _files(folder: str) -> Iterator[str]:
    """Every file below a folder that is not hidden."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            else:
                yield entry.path


def _names(vault: str) -> list[str]:
    """The names of the notes, in order."""
    return sorted(os.path.relpath(path, vault).replace(os.sep, "/").removesuffix(".md") for path in _files(vault))


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def _peak(pid: str = "self") -> list[float]:
    """The most memory a process has held so far, in MB; nothing where the system does not tell (Linux does).

    Not `getrusage`: its peak survives exec, so that a child starts with that of its parent.
    """
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return [int(line.split()[1]) / 1000 for line in file if line.startswith("VmHWM:")]
    return []


class Bench:
    """Measures a vault from outside, in processes that it starts."""

    def __init__(self, vault: str, environment: Mapping[str, str], seed: int) -> None:
        self._vault = vault
        self._environment = environment
        self._random = random.Random(seed)
        self._names = _names(vault)

    def round(self) -> Samples:
        """Everything that takes a process of its own, once."""
        name = self._random.choice(self._names)
        get = ["-m", "zkmem", "get", name, "-C", self._vault]
        return {
            **self.child("load"),
            **self.child("names"),
            **self._served(),
            "floor: python -c pass (ms)": [_milliseconds(functools.partial(self._python, ["-c", "pass"]))],
            "python -m zkmem get NAME (ms)": [_milliseconds(functools.partial(self._python, get))],
        }

    def child(self, task: str) -> Samples:
        """What one of `TASKS` measured in a process of its own."""
        samples: Samples = json.loads(self._python([__file__, "--task", task, "--vault", self._vault]))
        return samples

    def _python(self, arguments: Sequence[str]) -> bytes:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, check=False)
        if done.returncode:
            sys.stderr.buffer.write(done.stderr)
            raise SystemExit(f"{' '.join(command)} failed with exit code {done.returncode}.")
        return done.stdout

    def _served(self) -> Samples:
        """Two servers over stdio: one asked for a handshake, the other on to its first hints."""
        with self._server() as server:
            server.request("initialize", _INITIALIZE)
            handshake = server.milliseconds()
        with self._server() as server:
            server.request("initialize", _INITIALIZE)
            server.send({"method": "notifications/initialized"})
            answer = server.request("tools/call", {"name": "get_hints", "arguments": {}})
            hints = server.milliseconds()
            if answer.get("isError") or not answer["structuredContent"]["hints"]:
                raise SystemExit(f"get_hints answered: {answer}")
            peak = server.peak()
        samples = {"spawn to handshake, stdio (ms)": [handshake], "spawn to first get_hints, stdio (ms)": [hints]}
        return samples | ({"peak memory of the server after it (MB)": peak} if peak else {})

    @contextlib.contextmanager
    def _server(self) -> Iterator["Server"]:
        """A server over stdio, spawned now; it ends when its input does."""
        command = [sys.executable, "-m", "zkmem", "serve", self._vault]
        began = time.perf_counter()
        with subprocess.Popen(command, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            watchdog = threading.Timer(_PATIENCE, process.kill)
            watchdog.start()
            try:
                yield Server(process, began)
                assert process.stdin
                process.stdin.close()
                process.wait()
            finally:
                watchdog.cancel()
                process.kill()


_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "zkmem-benchmark", "version": "1"},
}


class Server:
    """The client's end of a server over stdio, in raw lines: no SDK takes part in the timing."""

    def __init__(self, process: "subprocess.Popen[bytes]", began: float) -> None:
        self._process = process
        self._began = began
        self._last = 0

    def milliseconds(self) -> float:
        """The time since it was spawned."""
        return (time.perf_counter() - self._began) * 1000

    def peak(self) -> list[float]:
        """The most memory it has held so far, in MB."""
        return _peak(str(self._process.pid))

    def send(self, message: Mapping[str, object]) -> None:
        """Send a line."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Send a request and wait for its result."""
        assert self._process.stdout
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._last:
                if "result" not in message:
                    raise SystemExit(f"{method} was answered with: {message}")
                result: dict[str, Any] = message["result"]
                return result
        raise SystemExit(f"The server ended before it answered {method}.")


def _read_all(vault: str) -> int:
    """Walk a vault and read every byte as fast as Python can; how many there are."""
    total = 0
    for path in _files(vault):
        handle = os.open(path, os.O_RDONLY)
        while block := os.read(handle, 65_536):
            total += len(block)
        os.close(handle)
    return total


def _load(vault: str) -> Samples:
    """The floor of a load, the load, and what the first hints take; for a fresh process."""
    floor = _milliseconds(functools.partial(_read_all, vault))
    memory = Memory(vault)
    load = _milliseconds(memory.load)
    hints = _milliseconds(memory.hints)
    peak = _peak()
    samples = {FLOOR: [floor], LOAD: [load], "  its ratio to the floor": [load / floor]}
    samples["first get_hints after it (ms)"] = [hints]
    return samples | ({"peak memory of that process (MB)": peak} if peak else {})


def _load_names(vault: str) -> Samples:
    """The time to the names of the notes, all that reading one takes; for a fresh process."""
    live = LiveIndex(Store(vault))
    return {"names only, fresh process (ms)": [_milliseconds(live.need_names)]}


def _calls(vault: str) -> Samples:
    """Calls of tools after a load; the vault is not the same afterwards."""
    names = [name for name in _names(vault) if name != _HUB]
    rng = random.Random(1)
    memory = Memory(vault)
    memory.load()
    call = functools.partial(_call, memory)

    def some(count: int) -> list[str]:
        return rng.sample(names, min(count, len(names)))

    def link() -> str:
        return f"See [[{rng.choice(names)}]]."

    append = functools.partial(call, "set_content", append=True)
    samples = {
        "get_content, depth 0 (ms)": [_timed(call, "get_content", name=name) for name in some(_READS)],
        "get_content, depth 2 (ms)": [_timed(call, "get_content", name=name, depth=2) for name in some(_READS)],
        "floor: one durable write (ms)": [_timed(_write_durably, vault, b"x" * 2000) for _ in range(_WRITES)],
        "set_content, append (ms)": [_timed(append, name=name, content="More.") for name in some(_WRITES)],
        "set_content, append a link (ms)": [_timed(append, name=name, content=link()) for name in some(_WRITES)],
    }
    memory.hints()
    rankings = samples["get_hints after an edit of links (ms)"] = []
    for name in some(_RANKINGS):
        append(name=name, content=link())
        rankings.append(_timed(call, "get_hints"))
    began = time.perf_counter()
    relinked = call("rename_content", name=_HUB, new_name=_HUB + " renamed").data["relinked"]
    took = (time.perf_counter() - began) * 1000
    assert isinstance(relinked, list)
    samples[f"rename of a note with {len(relinked)} referrers (ms)"] = [took]
    return samples


def _costs(vault: str) -> Samples:
    """What durability and git add to an edit and to a rename; in turn, so that a noisy disk is noisy for all."""
    kinds: dict[str, dict[str, Any]] = {"full": {}, "normal": {"durable": False}, "full, git": {"git": True}}
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=vault, check=True, capture_output=True)
    memories = {kind: Memory(vault, **options) for kind, options in kinds.items()}
    samples: Samples = {}
    for memory in memories.values():
        memory.load()
        _call(memory, "set_content", name="a small note", content="Begun.\n")
    for _ in range(_WRITES):
        for kind, memory in memories.items():
            append = functools.partial(_call, memory, "set_content", name="a small note", content="More.", append=True)
            samples.setdefault(f"set_content, {kind} (ms)", []).append(_milliseconds(append))
    names = [_HUB, _HUB + " renamed"]
    for _ in range(_RENAMES):
        for kind, memory in memories.items():
            rename = functools.partial(_call, memory, "rename_content", name=names[0], new_name=names[1])
            samples.setdefault(f"rename of a note with {_REFERRERS} referrers, {kind} (ms)", []).append(
                _milliseconds(rename)
            )
            names.reverse()
    for memory in memories.values():
        memory.close()
    return samples


def _call(memory: Memory, tool: str, **arguments: object) -> Result:
    return _TOOLS[tool].call(memory, arguments)


def _timed(work: Callable[..., object], *arguments: object, **named: object) -> float:
    return _milliseconds(functools.partial(work, *arguments, **named))


def _write_durably(folder: str, data: bytes) -> None:
    """What no durable write can do without: a new file, flushed, renamed over the old one; then its folder."""
    temp, full = os.path.join(folder, f".bench-{secrets.token_hex(6)}"), os.path.join(folder, ".bench")
    with open(temp, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temp, full)
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


TASKS: dict[str, Callable[[str], Samples]] = {"load": _load, "names": _load_names, "calls": _calls, "costs": _costs}


def _print(result: Mapping[str, Any]) -> None:
    """Print what was measured as a table."""
    machine, vault = result["machine"], result["vault"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    print(f"{machine['cores']} cores, {machine['python']}, {machine['system']}, bytecode {machine['bytecode']}")
    print(packages)
    print(f"{vault['notes']} notes, {vault['megabytes']} MB, seed {vault['seed']}\n")
    rows = [Row(**row) for row in result["rows"]]
    width = max(len(row.what) for row in rows)
    print(f"{'':{width}} {'median':>9} {'min':>9} {'max':>9} {'samples':>8}")
    for row in rows:
        values = " ".join(f"{value:9.2f}" for value in (row.median, row.min, row.max))
        print(f"{row.what:{width}} {values} {row.samples:8}")


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure zkmem on a made vault.")
    parser.add_argument("--notes", type=int, default=10_000, help="how many notes (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=7, help="how many of each (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the vault (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)  # what a process of its own is started for
    parser.add_argument("--vault", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.task:
        print(json.dumps(TASKS[arguments.task](arguments.vault)))
        return
    if arguments.notes < 1 or arguments.runs < 1:
        parser.error("--notes and --runs must be 1 or more.")
    result = measure(arguments.notes, arguments.runs, arguments.seed)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result)


if __name__ == "__main__":
    main()
