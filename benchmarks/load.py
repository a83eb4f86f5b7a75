"""Many clients on one HTTP server: what each call takes, whether all that was acknowledged is there, and what is left.

`python -m benchmarks.load`: clients of both protocol eras and of the API, each with one call after the other and no
pause, and streams of news beside them. The clients run in this process, on the same cores as the server.

With `--appends 40` each client appends that many lines to one note, all at the same time, and does nothing else.

With `--clients 8 --reads 500` eight clients read notes, from this server and from one that does nothing.

With `--greedy 60` one more caller, with a token of its own, keeps 60 searches under way: what the others feel of it.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import operator
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2

from benchmarks.place import Place
from benchmarks.process import end_on_sigterm
from tests.tools.servers import drained

_SHARED = 40  # notes that all clients append to
_ONE = "shared/0"
_CALLS_A_SESSION = 100  # then the client says good-bye and comes again
_GONE_S = 5.0
_ROUNDS = 5  # of reads, in turn with those of bare servers
_LEGACY, _MODERN = "2025-11-25", "2026-07-28"
_WORDS = ("time", "people", "way", "water", "years", "world", "life", "part", "house", "day", "place", "work", "number")
_ACCEPT = {"Accept": "application/json, text/event-stream"}
_TOKENS = """\
import sys
from zkmem.cli.tokens import tokens_of
for name in sys.argv[2:]:
    print(tokens_of(sys.argv[1]).add(name))
"""
_ME = {"name": "load", "version": "1"}


class Refused(Exception):
    """The server answered that it would not, or not at all."""


class Tally:
    """What came of the calls."""

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = {"read": [], "hints": [], "append": [], "expand": []}
        self.kept: list[tuple[str, str]] = []  # the note, and the line that was acknowledged
        self.refused: Counter[str] = Counter()
        self.news = 0
        self.searches = 0  # of the greedy caller


class McpClient:
    """A client of one era, in raw requests."""

    def __init__(self, http: httpx2.AsyncClient, base: str, era: str) -> None:
        self._http, self._url, self._era = http, base + "/mcp", era
        self._headers: dict[str, str] = {}
        self._numbers = itertools.count(1)

    @contextlib.asynccontextmanager
    async def session(self) -> AsyncIterator[None]:
        """A session, which the newer era has none of."""
        if self._era == _MODERN:
            yield
            return
        self._headers = {}
        params = {"protocolVersion": _LEGACY, "capabilities": {}, "clientInfo": _ME}
        answer = await self._post({"id": 0, "method": "initialize", "params": params})
        self._headers = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
        await self._post({"method": "notifications/initialized"})
        yield
        await self._http.delete(self._url, headers=self._headers)

    async def read(self, name: str, depth: int) -> None:
        await self._call("get_content", {"name": name, "depth": depth})

    async def hints(self) -> None:
        await self._call("get_hints", {})

    async def append(self, name: str, line: str) -> None:
        await self._call("set_content", {"name": name, "content": line, "append": True})

    async def _call(self, tool: str, arguments: dict[str, object]) -> None:
        params: dict[str, object] = {"name": tool, "arguments": arguments}
        if self._era == _MODERN:
            about = {"protocolVersion": _MODERN, "clientInfo": _ME, "clientCapabilities": {}}
            params["_meta"] = {f"io.modelcontextprotocol/{key}": value for key, value in about.items()}
            self._headers = {"MCP-Protocol-Version": _MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
        answer = await self._post({"id": next(self._numbers), "method": "tools/call", "params": params})
        found = re.search(r"\{.*\}", answer.text)
        result = json.loads(found[0]).get("result") if found else None
        if not result or result.get("isError"):
            raise Refused(str(result)[:80])

    async def _post(self, message: dict[str, object]) -> httpx2.Response:
        answer = await self._http.post(
            self._url, json={"jsonrpc": "2.0", **message}, headers={**_ACCEPT, **self._headers}
        )
        if answer.status_code >= 400:
            raise Refused(f"HTTP {answer.status_code}")
        return answer


class LightClient:
    """A client of the newer era that does as little work as possible: it shares the processors with the server."""

    def __init__(self, base: str, token: str) -> None:
        self._address = urlsplit(base)
        self._head = (
            f"POST /mcp HTTP/1.1\r\nHost: {self._address.netloc}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nAccept: {_ACCEPT['Accept']}\r\nMCP-Protocol-Version: {_MODERN}\r\n"
            "Mcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n"
        )
        about = {"protocolVersion": _MODERN, "clientInfo": _ME, "clientCapabilities": {}}
        self._meta = {f"io.modelcontextprotocol/{key}": value for key, value in about.items()}

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """A connection that stays open."""
        self._reader, self._writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        yield
        self._writer.close()
        await self._writer.wait_closed()

    async def call(self, tool: str, arguments: dict[str, object]) -> bytes:
        """Call a tool; return the body of the answer."""
        params = {"name": tool, "arguments": arguments, "_meta": self._meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        self._writer.write((self._head % (tool, len(body))).encode() + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        answer = await self._reader.readexactly(int(length[1])) if length else b""
        if b" 200 " not in head[:20] or b'"result"' not in answer or b'"isError":true' in answer:
            raise Refused(f"{head[:20]!r} {answer[:80]!r}")
        return answer


class ApiClient:
    """A client of the API."""

    def __init__(self, http: httpx2.AsyncClient, base: str) -> None:
        self._http, self._base = http, base + "/api"

    @contextlib.asynccontextmanager
    async def session(self) -> AsyncIterator[None]:
        yield

    async def read(self, name: str, depth: int) -> None:
        await self._get(f"/notes/{name}", depth=min(depth, 3))

    async def hints(self) -> None:
        await self._get("/hints")

    async def append(self, name: str, line: str) -> None:
        """Read, change, save: merged with what others have added meanwhile, else made again from what is there."""
        while True:
            note = (await self._get(f"/notes/{name}")).json()
            save = await self._http.put(
                f"{self._base}/notes/{name}",
                json={"content": f"{note['text'].rstrip()}\n{line}\n"},
                headers={"If-Match": f'"{note["etag"]}"'},
            )
            if save.status_code == 200:
                return
            if save.status_code != 412:
                raise Refused(f"HTTP {save.status_code}")

    async def _get(self, path: str, **params: int) -> httpx2.Response:
        answer = await self._http.get(self._base + path, params=params)
        if answer.status_code >= 400:
            raise Refused(f"HTTP {answer.status_code}")
        return answer


async def _use(client: McpClient | ApiClient, number: int, place: Place, tally: Tally, until: float) -> None:
    """Call after call, some sessions long."""
    rng, names = random.Random(number), list(place.paths)
    while time.monotonic() < until:
        async with client.session():
            for turn in range(_CALLS_A_SESSION):
                if time.monotonic() >= until:
                    break
                kind = rng.choices(["read", "expand", "hints", "append"], [55, 10, 10, 25])[0]
                line = f"line {number} {turn} {time.monotonic_ns()}"
                shared = f"shared/{rng.randrange(_SHARED)}"
                began = time.perf_counter()
                try:
                    if kind == "append":
                        await client.append(shared, line)
                    elif kind == "hints":
                        await client.hints()
                    else:
                        await client.read(rng.choice(names), rng.randrange(1, 4) if kind == "expand" else 0)
                except Refused as refusal:
                    tally.refused[f"{kind}: {refusal}"] += 1
                    continue
                tally.took[kind].append((time.perf_counter() - began) * 1000)
                if kind == "append":
                    tally.kept.append((shared, line))


async def _listen(http: httpx2.AsyncClient, base: str, tally: Tally, until: float) -> None:
    """Follow the news."""
    async with http.stream("GET", base + "/api/events", timeout=60) as stream:
        async for line in stream.aiter_lines():
            tally.news += line.startswith("event: changed")
            if time.monotonic() > until:
                return


async def _search(http: httpx2.AsyncClient, base: str, tally: Tally, until: float) -> None:
    """Search again and again, for much."""
    rng = random.Random(tally.searches)
    while time.monotonic() < until:
        query = " ".join(rng.sample(_WORDS, 4))
        answer = await http.get(base + "/api/search", params={"q": query, "count": 100})
        if answer.status_code == 200:
            tally.searches += 1
        else:
            tally.refused[f"search: HTTP {answer.status_code}"] += 1


async def _load(server: "_Server", place: Place, clients: int, minutes: float, greedy: int = 0) -> Tally:
    tally, until, base = Tally(), time.monotonic() + minutes * 60, server.base
    async with contextlib.AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        callers = [await stack.enter_async_context(server.client(str(number))) for number in range(clients)]
        other = await stack.enter_async_context(server.client("greedy"))
        for _ in range(greedy):
            tasks.create_task(_search(other, base, tally, until))
        for number, http in enumerate(callers):
            kinds: list[McpClient | ApiClient] = [
                McpClient(http, base, _LEGACY),
                McpClient(http, base, _MODERN),
                ApiClient(http, base),
            ]
            tasks.create_task(_use(kinds[number % 3], number, place, tally, until))
        for _ in range(5):
            tasks.create_task(_listen(callers[0], base, tally, until))
    return tally


async def _append(server: "_Server", clients: int, lines: int) -> Tally:
    """Have each client append lines to one note."""
    tally = Tally()

    async def append(number: int) -> None:
        client = LightClient(server.base, server.tokens[str(number)])
        async with client.connected():
            for turn in range(lines):
                line = f"line {number} {turn}"
                began = time.perf_counter()
                try:
                    await client.call("set_content", {"name": _ONE, "content": line, "append": True})
                except Refused as refusal:
                    tally.refused[f"append: {refusal}"] += 1
                    continue
                tally.took["append"].append((time.perf_counter() - began) * 1000)
                tally.kept.append((_ONE, line))

    async with asyncio.TaskGroup() as tasks:
        for number in range(clients):
            tasks.create_task(append(number))
    return tally


async def _reads(base: str, tokens: Sequence[str], tool: str, names: Sequence[str]) -> tuple[float, int]:
    """Have one client for each token read notes; return the reads in a second, and the bytes of an answer (median)."""
    sizes: list[int] = []

    async def read(token: str, names: Sequence[str]) -> None:
        client = LightClient(base, token)
        async with client.connected():
            sizes.extend([len(await client.call(tool, {"name": name})) for name in names])

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number, token in enumerate(tokens):
            tasks.create_task(read(token, names[number :: len(tokens)]))
    return len(names) / (time.perf_counter() - began), int(statistics.median(sizes))


class Held(dict[str, float]):
    """What a process holds: memory in MB, files, threads."""

    @classmethod
    def by(cls, pid: int) -> "Held":
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            status = dict(line.split(":", 1) for line in file)
        return cls(
            megabytes=int(status["VmRSS"].split()[0]) / 1024,
            files=len(os.listdir(f"/proc/{pid}/fd")),
            threads=int(status["Threads"]),
        )

    def __str__(self) -> str:
        return ", ".join(f"{value:.0f} {key}" for key, value in self.items())


class _Server(NamedTuple):
    """A server over HTTP: its address, its process, and the tokens of its callers."""

    base: str
    pid: int
    tokens: dict[str, str]

    def client(self, caller: str) -> httpx2.AsyncClient:
        """An HTTP client of a caller."""
        headers = {"Authorization": f"Bearer {self.tokens[caller]}"}
        return httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), timeout=120, headers=headers)


@contextlib.contextmanager
def _serving(place: Place, clients: int) -> Iterator[_Server]:
    """A server that callers need a token for: each client has one."""
    names = [*map(str, range(clients)), "greedy"]
    made = place.python("-c", _TOKENS, place.vault, *names).decode().split()
    tokens = dict(zip(names, made, strict=True))
    command = [sys.executable, "-m", "zkmem", "serve", place.vault, "--mode", "http", "--port", "0"]
    environment = {**place.environment(), "ZKMEM_RATE": "100000"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            base = next(found[1] for line in process.stderr if (found := re.match(r"Address: (\S+)/mcp", line)))
            next(line for line in process.stderr if line.startswith("Indexed"))
            with drained(process):
                yield _Server(base, process.pid, tokens)
        finally:
            process.terminate()


def _lost(place: Place, tally: Tally) -> tuple[int, int]:
    """How many acknowledged lines are not there, and how many are there more than once."""
    there = Counter[tuple[str, str]]()
    for number in range(_SHARED):
        name = f"shared/{number}"
        with open(os.path.join(place.vault, name + ".md"), encoding="utf-8") as file:
            there.update((name, line.rstrip("\n")) for line in file)
    return sum(not there[one] for one in tally.kept), sum(there[one] > 1 for one in tally.kept)


def _print_appends(place: Place, clients: int, lines: int) -> None:
    """Print how fast many clients append to one note."""
    with _serving(place, clients) as server:
        asyncio.run(_append(server, clients, 2))
        with open(os.path.join(place.vault, _ONE + ".md"), "w", encoding="utf-8") as file:
            file.write("# Shared\n")
        began = time.monotonic()
        tally = asyncio.run(_append(server, clients, lines))
        seconds = time.monotonic() - began
    cuts = statistics.quantiles(tally.took["append"], n=100)
    lost, doubled = _lost(place, tally)
    print(f"{clients} clients, {lines} appends each, to one note: {len(tally.kept) / seconds:.0f} acknowledged "
          f"a second, p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms; refused {sum(tally.refused.values())} "
          f"{dict(tally.refused.most_common(3))}, lost {lost}, there more than once {doubled}")  # fmt: skip


@contextlib.contextmanager
def _bare(place: Place, size: int) -> Iterator[str]:
    """Start a server that does nothing, and yield its address. Its answers have `size` bytes."""
    command = [sys.executable, "-m", "benchmarks.bare", str(size)]
    with subprocess.Popen(command, env=place.environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def _print_reads(place: Place, clients: int, reads: int) -> None:
    """Print how fast some clients read notes, and how fast a server is that does nothing."""
    names = random.Random(1).choices(list(place.paths), k=clients * reads)
    ours: list[float] = []
    bare: list[float] = []
    with _serving(place, clients) as server:
        tokens = [server.tokens[str(number)] for number in range(clients)]
        _, size = asyncio.run(_reads(server.base, tokens, "get_content", names))
        for _ in range(_ROUNDS):
            ours.append(asyncio.run(_reads(server.base, tokens, "get_content", names))[0])
            with _bare(place, size) as base:
                asyncio.run(_reads(base, tokens, "echo", names[: len(names) // 4]))
                bare.append(asyncio.run(_reads(base, tokens, "echo", names))[0])
    print(f"{clients} clients read {statistics.median(map(operator.truediv, ours, bare)):.2f} times as many notes as a "
          f"bare server answers calls: {statistics.median(ours):.0f} of {size} bytes a second, and "
          f"{statistics.median(bare):.0f}; medians of {_ROUNDS}")  # fmt: skip


def main() -> None:
    """Load a server and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--appends", type=int, default=0, help="lines that each client appends to one note")
    parser.add_argument("--reads", type=int, default=0, help="notes that each client reads, and nothing else")
    parser.add_argument("--greedy", type=int, default=0, help="searches that one more caller keeps under way")
    parser.add_argument("--warm-up", type=float, default=0.5, help="minutes before the memory is looked at first")
    options = parser.parse_args()
    end_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        place = Place.make(folder, options.notes, seed=1)
        for number in range(_SHARED):
            os.makedirs(os.path.join(place.vault, "shared"), exist_ok=True)
            with open(os.path.join(place.vault, f"shared/{number}.md"), "w", encoding="utf-8") as file:
                file.write("# Shared\n")
        if options.appends:
            _print_appends(place, options.clients, options.appends)
        if options.reads:
            _print_reads(place, options.clients, options.reads)
        if options.appends or options.reads:
            return
        with _serving(place, options.clients) as server:
            warm = asyncio.run(_load(server, place, options.clients, options.warm_up, greedy=min(1, options.greedy)))
            before = Held.by(server.pid)
            tally = asyncio.run(_load(server, place, options.clients, options.minutes, options.greedy))
            after, began = Held.by(server.pid), time.monotonic()
            while after["files"] > before["files"] and time.monotonic() < began + _GONE_S:  # it has yet to hang up
                time.sleep(0.1)
                after = Held.by(server.pid)
        calls = sum(map(len, tally.took.values()))
        print(f"{options.clients} clients, {options.minutes:g} minutes, {options.notes} notes: {calls} calls, "
              f"{calls / options.minutes / 60:.0f} a second, {tally.news} news told")  # fmt: skip
        if options.greedy:
            print(f"beside them, {tally.searches / options.minutes / 60:.0f} searches a second for the greedy caller")
        for kind, took in tally.took.items():
            cuts = statistics.quantiles(took, n=100)
            p50, p99 = cuts[49], cuts[98]
            print(f"{kind}: {len(took)} calls, p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {max(took):.0f} ms")
        print(f"refused: {sum(tally.refused.values())} {dict(tally.refused.most_common(5))}")
        warm.kept += tally.kept
        lost, doubled = _lost(place, warm)
        print(f"acknowledged appends: {len(warm.kept)}, lost {lost}, there more than once {doubled}")
        print(f"the server held after the warm-up {before}; at the end {after}")


if __name__ == "__main__":
    main()
