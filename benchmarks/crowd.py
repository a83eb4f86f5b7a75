"""Measure how much a caller that uses as much as it can slows the owner and another caller, at the usual limits.

`python -m benchmarks.crowd` prints, for each kind of such a caller (a crowd), the median time of each call without and
with the crowd, in turn. Each call is on a connection of its own, so that a full server would refuse it.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import httpx2

from benchmarks.crowd_callers import _INITIALIZE, _MCP
from benchmarks.place import HUB, Place
from benchmarks.process import end_on_sigterm
from tests.tools.servers import drained
from tests.tools.signing_in import PASSWORD, free_port

KINDS = ("streams", "connections", "tables", "searches", "sessions", "proposals", "signin")
_MOST_TIMES = 2.0  # the quiet median: what a call may take beside a crowd
_PAUSE_S = 0.03  # between two calls: each caller stays below its rate
_ROUNDS = 4  # of a measurement
_SETTLE_S = 2.0  # of a crowd, before anything is measured
_QUIET_S = 20.0  # after a crowd: its calls that wait still take their turns
_BOB = "bob"
_PREPARE = """\
import sys
from zkmem.cli.tokens import tokens_of
from zkmem.serve.access.signin.store import Right, Store
from zkmem.serve.access.signin.users import Users
vault, password, folder = sys.argv[1:]
tokens = tokens_of(vault)
made = {
    "owner": tokens.add("owner"), "other": tokens.add("other", folder=folder), "sessions": tokens.add("sessions"),
    "reader": tokens.add("reader", read_only=True), "proposer": tokens.add("proposer", propose=True),
}
for user, right in (("bob", Right(folder)), ("ann", Right())):
    Users(Store(), vault).add(user, password, right)
print("\\n".join(f"{name} {secret}" for name, secret in made.items()))
"""


class Server(NamedTuple):
    """A server that people can sign in to: its address, and the tokens of its callers."""

    base: str
    tokens: Mapping[str, str]

    def page_token(self, user: str) -> str:
        """Sign in to the page; return the token."""
        form = {"user": user, "password": PASSWORD}
        answer = httpx2.post(f"{self.base}/session", data=form, headers={"Origin": self.base}, timeout=60)
        return str(answer.json()["token"])

    def crowd_of(self, kind: str) -> list[str]:
        """Return the tokens of the caller that is the crowd."""
        if kind in {"streams", "connections"}:
            return [self.page_token(_BOB) for _ in range(4)]
        names = {"tables": "reader", "searches": "reader", "sessions": "sessions", "proposals": "proposer"}
        return [self.tokens[names[kind]]] if kind in names else []


@contextlib.contextmanager
def serving(place: Place) -> Iterator[Server]:
    """Run a server with the usual limits during the block."""
    made = place.python("-c", _PREPARE, place.vault, PASSWORD, "work").decode().split("\n")
    tokens = dict(line.split() for line in made if line)
    base = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "zkmem", "serve", place.vault, "--mode", "http", "--public-url", base]
    command += ["--port", base.rpartition(":")[2], "--toolsets", "zettel,vault"]
    with subprocess.Popen(command, env=place.environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            next(line for line in process.stderr if re.match("Indexed", line))
            with drained(process):
                yield Server(base, tokens)
        finally:
            process.terminate()


Call = Callable[[httpx2.AsyncClient], Awaitable[int]]


class Caller:
    """Somebody with a few calls, one after the other."""

    def __init__(self, server: Server, token: str, folder: str) -> None:
        self._base, self._folder = server.base, folder
        headers, limits = (
            {"Authorization": f"Bearer {token}"} if token else {},
            httpx2.Limits(max_keepalive_connections=0),
        )
        self._http = httpx2.AsyncClient(headers=headers, limits=limits, timeout=60, trust_env=False)
        self.took: dict[str, list[float]] = defaultdict(list)
        self.refused: Counter[str] = Counter()

    @property
    def calls(self) -> list[Call]:
        """The calls that the caller makes in turn."""
        return [self.read, self.search, self.table, self.save, self.listen, self.open_session]

    async def measure(self, call: Call) -> None:
        """Make a call, and note how long it took or how it was refused."""
        began, status = time.perf_counter(), 0
        with contextlib.suppress(httpx2.HTTPError):
            status = await call(self._http)
        self.took[call.__name__].append((time.perf_counter() - began) * 1000)
        if status not in {200, 201}:
            self.refused[f"{call.__name__}: {status or 'no answer'}"] += 1

    async def read(self, http: httpx2.AsyncClient) -> int:
        return (await http.get(f"{self._base}/api/notes/{self._folder}one")).status_code

    async def search(self, http: httpx2.AsyncClient) -> int:
        return (await http.get(f"{self._base}/api/search", params={"q": "time water", "count": 10})).status_code

    async def table(self, http: httpx2.AsyncClient) -> int:
        params = {"filter": 'file.inFolder("work")', "columns": '["file.mtime"]'}
        return (await http.get(f"{self._base}/api/table", params=params)).status_code

    async def save(self, http: httpx2.AsyncClient) -> int:
        address = f"{self._base}/api/notes/{self._folder}two"
        etag = (await http.get(address)).json()["etag"]
        content = {"content": f"Saved {time.monotonic_ns()}.\n"}
        return (await http.put(address, json=content, headers={"If-Match": f'"{etag}"'})).status_code

    async def listen(self, http: httpx2.AsyncClient) -> int:
        async with http.stream("GET", f"{self._base}/api/events") as stream:
            if stream.status_code == 200:
                await anext(stream.aiter_lines())
            return stream.status_code

    async def open_session(self, http: httpx2.AsyncClient) -> int:
        opened = await http.post(f"{self._base}/mcp", json=_INITIALIZE, headers=_MCP)
        if opened.status_code == 200:
            headers = {**_MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
            await http.delete(f"{self._base}/mcp", headers=headers)
        return opened.status_code


class Person(Caller):
    """Somebody who signs in to the page, from a network of their own, again and again."""

    @property
    def calls(self) -> list[Call]:
        return [self.sign_in]

    async def sign_in(self, http: httpx2.AsyncClient) -> int:
        form, headers = {"user": "ann", "password": PASSWORD}, {"Origin": self._base, "X-Forwarded-For": "198.51.100.7"}
        return (await http.post(f"{self._base}/session", data=form, headers=headers)).status_code


@contextlib.contextmanager
def beside(place: Place, server: Server, kind: str) -> Iterator[Counter[str]]:
    """Let a crowd in during the block. Afterwards, the counter has the statuses that it got."""
    statuses: Counter[str] = Counter()
    command = [sys.executable, "-m", "benchmarks.crowd_callers", kind, server.base, *server.crowd_of(kind)]
    with subprocess.Popen(command, env=place.environment(), stdout=subprocess.PIPE) as process:
        try:
            time.sleep(_SETTLE_S)
            yield statuses
        finally:
            process.terminate()
            output = process.communicate()[0]
            statuses.update(json.loads(output or "{}"))


def felt_by(server: Server, kind: str) -> dict[str, Caller]:
    """Return the callers that use the server beside a kind of crowd."""
    owner, other = (Caller(server, server.tokens[name], folder) for name, folder in (("owner", ""), ("other", "work/")))
    return {"owner": owner, "other": other, **({"person": Person(server, "", "")} if kind == "signin" else {})}


async def use(callers: Mapping[str, Caller], seconds: float) -> None:
    """Let the callers use the server for some time, one call after the other, so that they do not slow each other."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for caller in callers.values():
            for call in caller.calls:
                await caller.measure(call)
                await asyncio.sleep(_PAUSE_S)


async def is_fine(place: Place, server: Server, kind: str, seconds: float) -> bool:
    """Measure and print one kind of crowd; return whether nobody was refused, and no median more than doubled.

    The crowd comes and goes several times, so that other load on the machine counts for both sides.
    """
    quiet, crowded, statuses = felt_by(server, kind), felt_by(server, kind), Counter[str]()
    for _ in range(_ROUNDS):
        await use(quiet, seconds / _ROUNDS)
        with beside(place, server, kind) as got:
            await use(crowded, seconds / _ROUNDS)
        statuses += got
        await asyncio.sleep(_QUIET_S)
    print(f"\n{kind}: the crowd got {dict(statuses.most_common(4))}")
    fine = True
    for name, caller in crowded.items():
        parts = []
        for call, took in caller.took.items():
            before, after = statistics.median(quiet[name].took[call]), statistics.median(took)
            parts.append(f"{call} {before:.1f} -> {after:.1f} ms ({after / before:.1f})")
            fine = fine and after <= _MOST_TIMES * before
        fine = fine and not caller.refused
        print(f"  {name}: {', '.join(parts)}; refused {dict(caller.refused) or 'nothing'}", flush=True)
    return fine


async def all_kinds(place: Place, server: Server, kinds: Sequence[str], seconds: float) -> list[bool]:
    """Measure some kinds of crowds; return for each whether it is fine."""
    await use(felt_by(server, ""), 3)  # else the first measurement has what is computed once
    return [await is_fine(place, server, kind, seconds) for kind in kinds]


def main() -> None:
    """Measure each kind of crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=32, help="of each measurement, in all")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this one; may be repeated")
    options = parser.parse_args()
    end_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        place = Place.make(folder, options.notes, seed=1)
        for note in ("one", "two", "work/one", "work/two"):
            path = os.path.join(place.vault, f"{note}.md")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"# {note}\n\nAbout [[{HUB}]] and the time.\n")
        with serving(place) as server:
            fine = asyncio.run(all_kinds(place, server, options.kind or KINDS, options.seconds))
    times = f"at most {_MOST_TIMES:g} times the quiet one"
    print(f"\n{sum(fine)} of {len(fine)} crowds leave each median {times}, and refuse nobody")


if __name__ == "__main__":
    main()
