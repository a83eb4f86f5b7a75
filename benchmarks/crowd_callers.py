"""Be a caller that uses as much of a server as it can. `benchmarks.crowd` measures how much each kind slows others.

`python -m benchmarks.crowd_callers KIND BASE TOKEN...` goes on until the process is ended, and then prints how many
answers had each status. The tokens are those of one user.
"""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import quote

import httpx2

_EACH = 500  # streams or connections that one token tries to hold
_AT_ONCE = 8  # tasks that open them
_PAUSE_S = 0.05  # after a refusal
_MCP = {"Accept": "application/json, text/event-stream"}
_ME = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"}}
_INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _ME}
_SLOW = "file.links.map(file.links.map(file.links.map(value))).length > 0"  # ends at the bound of a query
_WORDS = ("time people way water", "years world life part", "house day place work", "number time water life")
_LARGE = "A line of a note that fills the disk. " * 13_000  # some 500 kB


class Crowd:
    """One user's clients, which go on for ever."""

    def __init__(self, base: str, tokens: Sequence[str]) -> None:
        self._base, self._tokens = base, tokens
        self._http = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), timeout=None)
        self._numbers = itertools.count()
        self.statuses: Counter[int] = Counter()

    async def streams(self) -> None:
        """Open streams of changes, hold them, and try again for each that is refused or ends."""
        await self._hold("/api/events")

    async def connections(self) -> None:
        """Open connections, and hold them by a request from time to time."""
        await self._hold("/api/openapi.json")

    async def tables(self) -> None:
        """Keep four tables under way whose filter takes as long as a query may."""
        await self._together(4, lambda: self._get("/api/table", filter=_SLOW))

    async def searches(self) -> None:
        """Keep 60 searches under way."""
        await self._together(60, lambda: self._get("/api/search", q=_WORDS[next(self._numbers) % 4], count=100))

    async def sessions(self) -> None:
        """Open sessions of MCP."""
        await self._together(_AT_ONCE, lambda: self._send("POST", "/mcp", json=_INITIALIZE, headers=_MCP))

    async def proposals(self) -> None:
        """Propose new notes of half a megabyte."""

        async def propose() -> int:
            path = f"/api/notes/{quote(f'proposed {os.getpid()} {next(self._numbers)}')}"
            return await self._send("PUT", path, json={"content": _LARGE}, headers={"If-None-Match": "*"})

        await self._together(_AT_ONCE, propose)

    async def signin(self) -> None:
        """Guess passwords of made-up users, and register clients, from many networks."""

        async def guess() -> int:
            number = next(self._numbers)
            headers = {"Origin": self._base, "X-Forwarded-For": f"2001:db8:{number % 20:x}:{number:x}::1"}
            form = {"user": f"nobody{number}", "password": "a wrong password"}
            if number % 2:
                return await self._send("POST", "/session", data=form, headers=headers)
            client = {"redirect_uris": ["https://client.example/cb"], "client_name": "crowd"}
            return await self._send("POST", "/register", json=client, headers=headers)

        await self._together(10, guess)

    async def _together(self, count: int, work: Callable[[], Awaitable[int]]) -> None:
        """Repeat some work in `count` tasks. Pause after a refusal, as `Retry-After` asks, but not for long."""

        async def repeat() -> None:
            while True:
                status = 0
                with contextlib.suppress(httpx2.HTTPError):
                    status = await work()
                self.statuses[status] += 1
                if status >= 400 or not status:
                    await asyncio.sleep(_PAUSE_S)

        async with asyncio.TaskGroup() as tasks:
            for _ in range(count):
                tasks.create_task(repeat())

    async def _get(self, path: str, **params: str | int) -> int:
        return await self._send("GET", path, params=params)

    async def _send(self, method: str, path: str, **options: object) -> int:
        token = self._tokens[next(self._numbers) % len(self._tokens)] if self._tokens else ""
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **options.pop("headers", {})}  # type: ignore[dict-item]
        answer = await self._http.request(method, self._base + path, headers=headers, **options)  # type: ignore[arg-type]
        return answer.status_code

    async def _hold(self, path: str) -> None:
        """Open as many connections for each token as the server allows, each with an answer that has begun."""
        places = asyncio.Semaphore(_AT_ONCE)
        url = httpx2.URL(self._base + path)
        request = f"GET {path} HTTP/1.1\r\nHost: {url.netloc.decode()}\r\nAuthorization: Bearer %s\r\n\r\n"

        async def hold(token: str) -> None:
            while True:
                async with places:
                    reader, writer = await asyncio.open_connection(url.host, url.port)
                    writer.write((request % token).encode())
                    status = (await reader.readline()).split()
                    self.statuses[int(status[1]) if status else 0] += 1
                    await asyncio.sleep(_PAUSE_S if status[1:2] != [b"200"] else 0)
                with contextlib.suppress(OSError):
                    while status[1:2] == [b"200"] and await reader.read(65_536):
                        pass
                writer.close()

        async with asyncio.TaskGroup() as tasks:
            for token in self._tokens:
                for _ in range(_EACH):
                    tasks.create_task(hold(token))


def main() -> None:
    """Be a crowd until SIGTERM."""
    kind, base, *tokens = sys.argv[1:]
    os.nice(5)  # the server, not the crowd, gets the processor
    crowd = Crowd(base, tokens)

    async def run() -> None:
        task = asyncio.ensure_future(getattr(crowd, kind)())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
    print(json.dumps(crowd.statuses))


if __name__ == "__main__":
    main()
