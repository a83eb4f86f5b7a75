"""What one caller may hold of a server, from streams to questions to a model. Others get in beside it."""

import json
import re
import select
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx2
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.tools.models import completion, endpoint
from tests.tools.servers import INITIALIZE, MCP, http_server, serving
from tests.tools.signing_in import PASSWORD, add_user, free_port, public_server
from tests.tools.vaults import write
from zkmem.cli.tokens import tokens_of
from zkmem.errors import TooMany
from zkmem.serve.access.signin.store import Right
from zkmem.serve.shares import Sender, Shares, TokenQuota

NOTES: dict[str, str | bytes] = {"plan.md": "The plan.\n", "work/task.md": "A task.\n"}
PATIENCE = 30
QUICK = ("/api/search?q=task", "/api/table?filter=true", "/api/notes/task", "/api/places?q=task")
MOST, PART = 6, TokenQuota(2, 3)


class SharesMachine(RuleBasedStateMachine):
    """Items that callers hold and give up, compared with a plain list of them."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[tuple[int, Sender]] = []  # the oldest first
        self.shares = Shares[int](MOST, PART, "things")
        self.next = 0

    def count(self, user: object) -> int:
        return sum(by.user == user for _, by in self.held)

    @rule(token=st.sampled_from("abcdefgh"))
    def enter(self, token: str) -> None:
        user = {"b": "a", "c": "a"}.get(token, token)  # a user with three tokens; each other one has one
        sender = Sender(token, user, is_owner=token in "gh")
        counts = Counter(by.user for _, by in self.held)
        of_token = sum(by.token == token for _, by in self.held)
        others = [by for _, by in self.held if not by.is_owner and by.user != user]
        is_full = len(self.held) == MOST
        has_claim = not is_full or max(counts.values()) > counts[user] or (sender.is_owner and others)
        try:
            one = self.shares.enter(self.next, sender)
        except TooMany:
            assert of_token == PART.token or counts[user] == PART.user or not has_claim
            return
        assert of_token < PART.token
        assert counts[user] < PART.user
        if one is not None:
            assert is_full
            by = dict(self.held)[one]
            assert one == next(first for first, other in self.held if other.user == by.user)
            self.held.remove((one, by))
        self.held.append((self.next, sender))
        self.next += 1

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        if self.held:
            one = data.draw(st.sampled_from(self.held))
            self.held.remove(one)
            self.shares.leave(one[0])
            self.shares.leave(one[0])

    @invariant()
    def no_more_than_all_are_held(self) -> None:
        assert len(self.held) <= MOST
        assert all(one in self.shares for one, _ in self.held)


TestShares = SharesMachine.TestCase


def until(connection: socket.socket, end: bytes) -> str:
    """Read from a connection until there is a text; return all that was read."""
    data = b""
    while end not in data:
        part = connection.recv(65_536)
        assert part, data
        data += part
    return data.decode()


class Server:
    """The address of a server, with connections that stay open until the test ends."""

    def __init__(self, url: str, held: ExitStack) -> None:
        self.base = url.removesuffix("/mcp")
        parts = urlsplit(url)
        self._address = parts.hostname, parts.port
        self._held = held

    def open(self, token: str, path: str = "/api/vault", body: str = "", *headers: str) -> socket.socket:
        """Send a request, and keep its connection open."""
        connection = self._held.enter_context(socket.create_connection(self._address, timeout=PATIENCE))
        first = f"{'POST' if body else 'GET'} {path} HTTP/1.1"
        about = [f"Authorization: Bearer {token}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        accept = f"Accept: {MCP['Accept']}"
        connection.sendall("\r\n".join((first, "Host: localhost", accept, *about, *headers, "", body)).encode())
        return connection

    def status(self, token: str, path: str = "/api/vault") -> int:
        return int(self.open(token, path).recv(65_536).split()[1])

    def ask(self, token: str, method: str = "GET", path: str = "/api/vault", **options: object) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token or '-'}", **options.pop("headers", {})}  # type: ignore[dict-item]
        return httpx2.request(method, self.base + path, headers=headers, timeout=PATIENCE, **options)  # type: ignore[arg-type]

    def page_token(self, user: str) -> str:
        """Sign in to the page, which gives one more token of the same user."""
        form = {"user": user, "password": PASSWORD}
        answer = httpx2.post(f"{self.base}/session", data=form, headers={"Origin": self.base}, timeout=PATIENCE)
        return str(answer.json()["token"])


@contextmanager
def served(vault: str, files: int = 0, **environ: str) -> Iterator[Server]:
    """Serve a vault during the block. `files`: how many the process may open; half of them may be connections."""
    limited = ["sh", "-c", f"ulimit -n {files}; exec {sys.executable} -m zkmem serve '{vault}' --mode http --port 0"]
    process = serving(limited, **environ) if files else http_server(vault, **environ)
    with process as url, ExitStack() as held:
        yield Server(url, held)


@contextmanager
def served_to_users(tmp_path: Path, **environ: str) -> Iterator[tuple[Server, str]]:
    """Serve a vault to bob, a user of one folder, and to its owner; yield the server and the owner's token."""
    vault = write(tmp_path / "vault", NOTES)
    add_user(vault, "bob", Right("work"))
    owner = tokens_of(vault).add("owner")
    with public_server(vault, port=free_port(), **environ) as url, ExitStack() as held:
        yield Server(url, held), owner


def test_a_user_with_several_tokens_has_a_few_streams_and_the_owner_gets_in(tmp_path: Path) -> None:
    with served_to_users(tmp_path, ZKMEM_RATE="1000") as (server, owner):
        tokens = [server.page_token("bob") for _ in range(4)]
        assert [server.status(tokens[0], "/api/events") for _ in range(20)] == [200] * 16 + [429] * 4
        others = [server.status(token, "/api/events") for token in tokens[1:] for _ in range(20)]
        assert Counter(others) == {200: 16, 429: 44}
        assert [server.status(owner, path) for path in ("/api/events", "/api/vault")] == [200, 200]
        assert [server.status(token) for token in tokens] == [200] * 4
        refusal = server.ask(tokens[0], path="/api/events").json()["error"]
        assert refusal["kind"] == "TooMany"
        assert "a token may have 16, all tokens of a user 32, all callers 1,000; close some" in refusal["message"]


def test_streams_of_many_users_keep_nobody_out(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = {name: tokens_of(vault).add(name, folder="work") for name in ("a", "b", "other")}
    owner = tokens_of(vault).add("owner")
    with served(vault, ZKMEM_MAX_SESSIONS="20") as server:
        assert [server.status(tokens["a"], "/api/events") for _ in range(16)] == [200] * 16
        assert [server.status(tokens["b"], "/api/events") for _ in range(16)] == [200] * 10 + [429] * 6
        assert server.status(tokens["other"], "/api/events") == 200
        assert server.status(owner, "/api/events") == 200


def test_a_stream_that_gives_way_to_another_caller_ends_in_order(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    greedy, other = tokens_of(vault).add("greedy", folder="work"), tokens_of(vault).add("other")
    with served(vault, ZKMEM_MAX_SESSIONS="2") as server:
        stream = server.open(greedy, "/api/events")
        assert until(stream, b"hello")
        assert [server.status(other, "/api/events") for _ in range(2)] == [200, 200]
        assert until(stream, b"0\r\n\r\n"), "the last chunk: the answer is whole"


def test_connections_of_many_users_keep_nobody_out(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = {name: tokens_of(vault).add(name, folder="work") for name in ("a", "b", "c", "other")}
    owner = tokens_of(vault).add("owner")
    with served(vault, files=256) as server:  # 64 connections for callers, and 32 for each
        for name in "abc":
            statuses = Counter(server.status(tokens[name]) for _ in range(40))
            assert statuses[200] >= 64 // 3
            assert set(statuses) == {200, 429}
        assert [server.status(tokens["other"]) for _ in range(5)] == [200] * 5
        assert [server.status(owner) for _ in range(5)] == [200] * 5


def test_the_tokens_of_a_user_share_its_connections(tmp_path: Path) -> None:
    with served_to_users(tmp_path, ZKMEM_RATE="100000") as (server, owner):
        tokens = [server.page_token("bob") for _ in range(3)]
        statuses = [server.status(token) for _ in range(250) for token in tokens]
        assert Counter(statuses) == {200: 500, 429: 250}
        assert server.status(owner) == 200


def listen(server: Server, token: str) -> str:
    """Listen for changes as a client of the newer MCP protocol does; return the first event."""
    about = {"protocolVersion": "2026-07-28", "clientInfo": {"name": "t", "version": "1"}, "clientCapabilities": {}}
    params = {
        "notifications": {"resourcesListChanged": True},
        "_meta": {f"io.modelcontextprotocol/{key}": value for key, value in about.items()},
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
    version = ("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
    return until(server.open(token, "/mcp", body, *version), b'"jsonrpc"')


def test_streams_of_mcp_count_like_those_of_the_api(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    greedy, other = (tokens_of(vault).add(name) for name in ("greedy", "other"))
    with served(vault) as server:
        assert [server.status(greedy, "/api/events") for _ in range(8)] == [200] * 8
        answers = [listen(server, greedy) for _ in range(10)]
        assert ["acknowledged" in one for one in answers] == [True] * 8 + [False] * 2
        assert "a token may have 16" in answers[-1]
        assert "acknowledged" in listen(server, other)


def opened(server: Server, token: str) -> str:
    """Open a session of MCP; return its id."""
    answer = server.ask(token, "POST", "/mcp", json=INITIALIZE, headers=MCP)
    assert answer.status_code == 200, answer.text
    return str(answer.headers["mcp-session-id"])


def is_open(server: Server, token: str, session: str) -> bool:
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    headers = {**MCP, "Mcp-Session-Id": session}
    status = server.ask(token, "POST", "/mcp", json=listing, headers=headers).status_code
    assert status in {200, 404}
    return status == 200


def test_a_token_that_opens_too_many_sessions_loses_the_one_not_used_for_longest(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    greedy, other = (tokens_of(vault).add(name) for name in ("greedy", "other"))
    with served(vault, ZKMEM_MAX_SESSIONS="8") as server:  # two for each token
        kept = opened(server, other)
        first, second = opened(server, greedy), opened(server, greedy)
        assert is_open(server, greedy, first)
        third = opened(server, greedy)
        assert [is_open(server, greedy, one) for one in (first, second, third)] == [True, False, True]
        for _ in range(10):
            opened(server, greedy)
        assert not is_open(server, greedy, third)
        assert is_open(server, other, kept)
        opened(server, other)


def test_no_header_opens_or_hides_sessions_beyond_those_of_a_token(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    token = tokens_of(vault).add("greedy")
    modern = "MCP-Protocol-Version: 2026-07-28"
    with served(vault, ZKMEM_MAX_SESSIONS="8") as server:  # two for each token
        twice = server.open(token, "/mcp", json.dumps(INITIALIZE), "MCP-Protocol-Version: 2025-06-18", modern)
        assert twice.recv(65_536).startswith(b"HTTP/1.1 400 ")
        sessions = []
        for _ in range(4):
            sessions.append(opened(server, token))
            headers = {"Mcp-Session-Id": sessions[-1], "MCP-Protocol-Version": "2026-07-28"}
            assert server.ask(token, "DELETE", "/mcp", headers=headers).status_code == 405
        assert [is_open(server, token, one) for one in sessions] == [False, False, True, True]


def test_a_session_in_which_a_request_is_under_way_ends_after_those_that_are_idle(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    token = tokens_of(vault).add("greedy")
    with served(vault, ZKMEM_MAX_SESSIONS="8") as server:
        busy = opened(server, token)
        stream = server.open(token, "/mcp", "", f"Mcp-Session-Id: {busy}")
        assert stream.recv(65_536).startswith(b"HTTP/1.1 200 ")
        idle = opened(server, token)
        opened(server, token)
        assert [is_open(server, token, one) for one in (busy, idle)] == [True, False]


def test_sessions_that_are_ended_or_never_begin_do_not_count(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    token = tokens_of(vault).add("one")
    with served(vault, ZKMEM_MAX_SESSIONS="8") as server:
        kept = opened(server, token)
        for _ in range(3):
            gone = opened(server, token)
            server.ask(token, "DELETE", "/mcp", headers={**MCP, "Mcp-Session-Id": gone})
            assert server.ask(token, "POST", "/mcp", content="{", headers=MCP).status_code == 400
        assert is_open(server, token, kept)


def test_a_server_without_tokens_gives_up_the_session_not_used_for_longest(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with http_server(vault, ZKMEM_MAX_SESSIONS="2") as url, ExitStack() as held:
        server = Server(url, held)
        first, second, third = (opened(server, "") for _ in range(3))
        assert [is_open(server, "", one) for one in (first, second, third)] == [False, True, True]


def test_the_tokens_of_a_user_share_twice_the_requests_of_one(tmp_path: Path) -> None:
    with served_to_users(tmp_path, ZKMEM_RATE="1") as (server, owner):
        tokens = [server.page_token("bob") for _ in range(5)]
        answers = [server.ask(token) for _ in range(4) for token in tokens]
        refused = [one for one in answers if one.status_code == 429]
        assert refused, "each token has sent no more than it may"
        assert "The user of 'bob@page" in refused[0].text
        assert server.ask(owner).status_code == 200


def test_requests_beyond_the_rate_of_a_token_cost_the_other_tokens_of_its_user_none(tmp_path: Path) -> None:
    with served_to_users(tmp_path, ZKMEM_RATE="1") as (server, _):
        greedy, page = server.page_token("bob"), server.page_token("bob")
        statuses = [server.ask(greedy).status_code for _ in range(40)]
        assert statuses.count(429) > 20
        assert server.ask(page).status_code == 200


SLOW = quote("x.map(x.map(x.map(value))).length > 0")  # 1,000,000 steps for a note


def test_queries_that_take_long_keep_nobody_waiting_and_are_made_one_at_a_time(tmp_path: Path) -> None:
    lists = {f"slow{number}.md": f"---\nx: {list(range(100))}\n---\n" for number in range(3)}
    vault = write(tmp_path / "vault", NOTES | lists)
    reader, other = tokens_of(vault).add("reader", read_only=True), tokens_of(vault).add("other", folder="work")
    owner = tokens_of(vault).add("owner")
    with served(vault) as server:
        for token in (owner, other):
            assert server.ask(token, path="/api/search?q=task").status_code == 200, "the index is built"
        slow = [server.open(reader, f"/api/table?filter={SLOW}") for _ in range(4)]
        answers = [server.ask(token, path=path) for token in (owner, other) for path in QUICK]
        assert [one.status_code for one in answers] == [200] * len(answers)
        assert not select.select(slow, [], [], 0)[0], "no query has ended yet"
        assert server.ask(reader, path="/api/search?q=task").status_code == 200, "nor do its own searches wait"
        until(slow[0], b"The expressions take too long")
        assert len(select.select(slow[1:], [], [], 0)[0]) == 0, "they are made one after the other"


def chat(server: Server, token: str, message: str) -> dict[str, object]:
    """Have a message answered by the model behind the endpoint."""
    about = {"protocolVersion": "2026-07-28", "clientInfo": {"name": "t", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{key}": value for key, value in about.items()}
    params = {"name": "memory_chat", "arguments": {"message": message, "memorizing": False}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {**MCP, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "memory_chat"}
    answer = server.ask(token, "POST", "/mcp", json=body, headers=headers)
    found = re.search(r"\{.*\}", answer.text)
    assert found, answer.text
    return dict(json.loads(found[0])["result"])


def test_a_caller_has_a_few_questions_to_a_model_at_a_time(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    greedy, other = (tokens_of(vault).add(name) for name in ("greedy", "other"))
    may_answer = threading.Event()

    def answer(request: dict[str, object]) -> tuple[int, bytes]:
        if "greedy" in str(request["messages"]):
            assert may_answer.wait(PATIENCE)
        return 200, json.dumps(completion('{"reply": "Yes.", "memories": []}')).encode()

    def of_greedy() -> int:
        return sum("greedy" in str(one["messages"]) for one in questions)

    with endpoint(answer) as (model, questions), ThreadPoolExecutor(12) as threads:
        options = {"ZKMEM_LLM_URL": model, "ZKMEM_LLM_MODEL": "small"}
        with http_server(vault, "mirix", **options) as url, ExitStack() as held:
            server = Server(url, held)
            calls = [threads.submit(chat, server, greedy, f"greedy {number}") for number in range(12)]
            try:
                while of_greedy() < 4:
                    chat(server, other, "me")
                for _ in range(5):
                    assert "Yes." in str(chat(server, other, "me"))
                assert of_greedy() == 4
            finally:
                may_answer.set()
            assert all("Yes." in str(call.result()) for call in calls)
    assert of_greedy() == 12


@pytest.mark.parametrize("path", ["/api/openapi.json", "/api/vault"])
def test_an_idle_connection_gives_way_before_one_with_a_stream(tmp_path: Path, path: str) -> None:
    vault = write(tmp_path / "vault", NOTES)
    greedy, second, other = (tokens_of(vault).add(name) for name in ("greedy", "second", "other"))
    with served(vault, files=64) as server:  # 16 connections for callers, and 8 for each
        stream = server.open(greedy, "/api/events")
        assert stream.recv(65_536).startswith(b"HTTP/1.1 200 ")
        assert [server.status(greedy, path) for _ in range(7)] == [200] * 7
        assert [server.status(second, path) for _ in range(8)] == [200] * 8
        assert server.status(other, path) == 200
        write(Path(vault), {"new.md": "x"})
        assert until(stream, b'"new"')
