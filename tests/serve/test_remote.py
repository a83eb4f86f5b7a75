"""Who gets in over HTTP: every route and every tool, with a token, with another's, and with none."""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import jwt
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import rsa
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.tools.forked import zkmem_command, zkmem_program
from tests.tools.servers import ERAS, INITIALIZE, MCP, PARAMETERS, http_server, serving
from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.cli.tokens import tokens_of
from zkmem.errors import BadArgument, BadSettings
from zkmem.serve.access.issuer import Issuer as TokenIssuer
from zkmem.serve.access.tokens import TokenFile
from zkmem.serve.api.contract import operations
from zkmem.toolsets.table import TOOLSETS
from zkmem.trust import TokenTrust
from zkmem.vault.files import Stamp
from zkmem.vault.files import read as read_file

SECRET = "xyzzy"
NOTES: dict[str, str | bytes] = {
    "topics/vue.md": "About [[plan]].\n",
    "plan.md": f"{SECRET} plan of [[topics/vue]].\n",
    "picture.png": b"\x89PNG" + SECRET.encode(),
    "topics/own.png": b"\x89PNG own",
}


class Server:
    """A server with three tokens: everything, reading only, one folder."""

    def __init__(self, vault: str, url: str, tokens: dict[str, str]) -> None:
        self.vault, self.mcp, self.tokens = vault, url, tokens
        self.base = url.removesuffix("/mcp")

    def ask(self, method: str, path: str, token: str | None = None, **options: Any) -> httpx2.Response:
        headers = {**options.pop("headers", {})}
        if token:
            headers["Authorization"] = f"Bearer {self.tokens.get(token, token)}"
        return httpx2.request(method, self.base + path, headers=headers, timeout=30, **options)


def made_tokens(vault: str) -> dict[str, str]:
    tokens = tokens_of(vault)
    return {
        "all": tokens.add("all"),
        "reader": tokens.add("reader", read_only=True),
        "topics": tokens.add("topics", folder="topics"),
        "kg": tokens.add("kg", toolsets=("kg",)),
        "expired": tokens.add("expired", expires=time.time() - 1),
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    vault = write(tmp_path_factory.mktemp("remote") / "vault", NOTES)
    tokens = made_tokens(vault)
    with http_server(vault, "zettel", ZKMEM_RATE="100000") as url:
        yield Server(vault, url, tokens)


def requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A request for each operation of the API, about a note outside of the folder `topics`."""
    values = {"edit": "1", "q": SECRET, "name": "plan", "rev": "1", "kind": "missing", "folder": "", "depth": "2"}
    bodies = {
        "/rename": {"name": "plan", "new_name": "topics/stolen"},
        "/extract": {"name": "plan", "content": SECRET, "new_name": "topics/stolen"},
        "/restore": {"name": "plan", "rev": "1"},
        "/resolve": {"name": "plan", "number": 0, "other": True, "etag": "000000000000"},
        "/notes/{name}": {"content": "gone"},
        "/properties": {"names": ["plan"], "properties": {"x": "gone"}},
        "/seen": {"edit": 1},
        "/unseen": {"edits": [[1, 1]]},
        "/viewed": {"lines": [{"note": "plan", "edit": 1}], "viewed": True},
        "/proposed/accept": {"client": "bot"},
        "/proposed/drop": {"client": "bot"},
        "/link": {"name": "plan", "passage": SECRET, "start": 0, "to": "plan", "etag": "000000000000"},
        "/repoint": {"names": ["plan"], "target": "plan", "to": "topics/stolen"},
        "/attachments": {"note": "plan", "data": "R0lGODlh"},
        "/attachments/discard": {"paths": ["picture.png"]},
    }
    for path, methods in operations().items():
        for method, operation in methods.items():
            options: dict[str, Any] = {"params": {key: values[key] for key in operation.query if key in values}}
            if operation.body:
                options["json"] = bodies.get(path, {})
            if path == "/notes/{name}" and method != "GET":
                options["headers"] = {"If-Match": '"000000000000"'}
            yield method, "/api" + path.replace("{name}", "plan").replace("{path}", "picture.png"), options


def files(vault: str) -> dict[str, bytes]:
    return {name: Path(vault, name).read_bytes() for name in NOTES if Path(vault, name).exists()}


@pytest.mark.parametrize("token", [None, "zkm_wrong", "expired", "", "a.b.c"])
def test_every_route_is_refused_without_a_token_that_counts(server: Server, token: str | None) -> None:
    asked = [*requests(), ("POST", "/mcp", {"json": INITIALIZE, "headers": MCP}), ("GET", "/mcp", {"headers": MCP}),
             ("DELETE", "/mcp", {}), ("GET", "/api/nothing", {}), ("GET", "/api", {})]  # fmt: skip
    assert len(asked) > 24
    for method, path, options in asked:
        answer = server.ask(method, path, token, **options)
        assert answer.status_code == 401, (method, path)
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert SECRET not in answer.text
    assert files(server.vault) == NOTES_BYTES


@pytest.mark.parametrize(
    "path", ["/mcp%0A", "/mcp%0D%0A", "/mcp%20", "//mcp", "/MCP", "/x/../mcp", "/mcp;x", "/mcp%00"]
)
def test_no_other_spelling_of_the_endpoint_leads_past_the_gate(server: Server, path: str) -> None:
    answer = server.ask("POST", path, json=INITIALIZE, headers=MCP)
    assert answer.status_code in {401, 404, 405}
    assert "mcp-session-id" not in answer.headers


def test_a_token_for_a_folder_gets_and_changes_nothing_outside_by_any_route(server: Server) -> None:
    for method, path, options in requests():
        if path == "/api/events":
            continue
        answer = server.ask(method, path, "topics", **options)
        assert answer.status_code < 500
        assert "zkmem-version" not in answer.headers
        assert SECRET not in answer.text.replace("xyzzy", "", answer.request.url.query.count(b"xyzzy")), (method, path)
        if path in {"/api/merge", "/api/hint"}:  # of the texts in the request alone; of the notes in the folder alone
            continue
        if "/plan" in path or "picture" in path or "json" in options:
            assert answer.status_code in {403, 404, 409}, (method, path, answer.text)
    assert files(server.vault) == NOTES_BYTES
    assert server.ask("GET", "/api/notes/topics/vue", "topics").json()["backlinks"] == []
    assert server.ask("GET", "/api/files/topics/own.png", "topics").content == NOTES_BYTES["topics/own.png"]
    assert server.ask("GET", "/api/graph", "topics").json()["names"] == ["topics/vue"]


def test_a_token_for_reading_reads_all_and_changes_nothing_by_any_route(server: Server) -> None:
    for method, path, options in requests():
        if path != "/api/events":
            status = server.ask(method, path, "reader", **options).status_code
            writes = method != "GET" and path not in {
                "/api/seen",
                "/api/unseen",
                "/api/viewed",
            }  # one who reads may mark what was read
            is_for_people = path in {"/api/signins", "/api/passkeys"}  # not for a token, whatever it may do
            assert (status == 403) == (writes or is_for_people), (method, path, status)
    assert SECRET in server.ask("GET", "/api/notes/plan", "reader").text
    assert files(server.vault) == NOTES_BYTES


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[", "localhost@evil", "evil@localhost",
     "localhost#evil", "localhost?evil", "localhost/evil", "localhost:x", "a:b@localhost:80"],
)  # fmt: skip
def test_a_request_to_another_host_is_refused(server: Server, host: str) -> None:
    for path in ("/api/vault", "/mcp", "/"):
        answer = server.ask("GET", path, "all", headers={"Host": host})
        assert answer.status_code in {400, 421}, (path, host)
        assert SECRET not in answer.text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1.evil.example", "http://[evil"]
)
def test_a_page_of_another_origin_is_refused(server: Server, origin: str) -> None:
    for method, path, options in [*requests(), ("GET", "/", {})]:
        headers = {**options.pop("headers", {}), "Origin": origin}
        assert server.ask(method, path, "all", headers=headers, **options).status_code == 403, (method, path)
    if origin != "http://localhost:1":  # an inspector in a browser may speak MCP
        answer = server.ask("POST", "/mcp", "all", json=INITIALIZE, headers={**MCP, "Origin": origin})
        assert answer.status_code == 403
    assert server.ask("GET", "/api/vault", "all", headers={"Origin": server.base}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_cannot_show_or_load_what_is_served(server: Server, site: str) -> None:
    headers = {"Sec-Fetch-Site": site}
    for path in ("/api/files/picture.png", "/api/events", "/api/notes/plan", "/mcp"):
        assert server.ask("GET", path, "all", headers=headers).status_code == 403
    assert server.ask("GET", "/", headers=headers).status_code == 200, "it may link to the page"
    for own in ("same-origin", "none"):
        assert server.ask("GET", "/api/vault", "all", headers={"Sec-Fetch-Site": own}).status_code == 200


@pytest.mark.slow
def test_strangers_who_hold_connections_open_keep_nobody_from_writing(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    serve = f"{sys.executable} -m zkmem serve '{vault}' --mode http --port 0"
    with serving(["sh", "-c", f"ulimit -n 512; exec {serve}"]) as url, ExitStack() as held:
        found = re.match(r"http://(.+):(\d+)/", url)
        assert found
        address = found[1], int(found[2])
        writer = held.enter_context(socket.create_connection(address, timeout=30))
        head = f"Host: {address[0]}\r\nIf-None-Match: *\r\nContent-Type: application/json\r\nContent-Length: 15"
        writer.sendall(f'PUT /api/notes/new HTTP/1.1\r\n{head}\r\n\r\n{{"content"'.encode())
        for _ in range(600):
            stranger = held.enter_context(socket.create_connection(address))
            with suppress(ConnectionError):
                stranger.sendall(b"GET / HTTP/1.1\r\n")
        writer.sendall(b':"x"}')
        assert writer.recv(100).startswith(b"HTTP/1.1 201"), "files can still be opened"


def told(url: str, request: str) -> bytes:
    """What a server answers to some bytes, until it closes the connection."""
    found = re.match(r"http://(.+):(\d+)/", url)
    assert found
    with socket.create_connection((found[1], int(found[2])), timeout=30) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize(
    "headers",
    ["Content-Length: 5\nTransfer-Encoding: chunked", "Authorization: Bearer x\nAuthorization: Bearer {token}",
     "Authorization: Bearer {token}\nAuthorization: Bearer {token}", "Origin: http://evil\nOrigin: {origin}",
     "Content-Type: text/plain\nContent-Type: application/json", "Mcp-Session-Id: a\nMcp-Session-Id: b"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/mcp", "/api/rename", "/"])
def test_a_request_that_can_be_read_in_two_ways_is_refused_and_its_connection_closed(
    server: Server, path: str, headers: str
) -> None:
    given = headers.format(token=server.tokens["all"], origin=server.base)
    smuggled = f"GET /api/vault HTTP/1.1\nHost: localhost\nAuthorization: Bearer {server.tokens['all']}\n\n"
    answer = told(server.mcp, f"POST {path} HTTP/1.1\nHost: localhost\n{given}\n\n0\n\n{smuggled}")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "beginning",
    ["GET /", "GET / HTTP/1.1\nHost: localhost\nX: ",
     "POST / HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n5;",
     "POST / HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n2\n{}\n0\nX: "],
    ids=["line", "header", "chunk", "trailer"],
)  # fmt: skip
def test_the_connection_of_a_request_whose_head_does_not_end_is_closed(server: Server, beginning: str) -> None:
    address = urlsplit(server.mcp)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(beginning.replace("\n", "\r\n").encode())
        with suppress(ConnectionError):  # the server does not read to the end
            for _ in range(20):
                connection.sendall(b"x" * 1_000_000)
            raise AssertionError("the server took 20 MB")


def test_a_body_that_is_not_http_ends_its_request_without_an_error_in_the_log(tmp_path: Path) -> None:
    command = [zkmem_program(), "serve", write(tmp_path, NOTES), "--mode", "http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        url = next(found[1] for line in process.stderr if (found := re.match(r"Address: (\S+)", line)))
        for path in ("/", "/mcp", "/api/vault"):
            begun = f"POST {path} HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n"
            assert told(url, begun + "no chunk\n").startswith(b"HTTP/1.1 400 ")
        process.terminate()
        said = process.stderr.read()
    assert said.count("Invalid HTTP request") == 3
    assert "Traceback" not in said


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_strangers_who_hold_connections_keep_nobody_out(tmp_path: Path, guarded: bool) -> None:
    vault = write(tmp_path / "vault", NOTES)
    token = tokens_of(vault).add("all") if guarded else ""
    serve = f"{sys.executable} -m zkmem serve '{vault}' --mode http --port 0"
    with serving(["sh", "-c", f"ulimit -n 512; exec {serve}"]) as url, ExitStack() as held:
        found = re.match(r"http://(.+):(\d+)/", url)
        assert found
        address = found[1], int(found[2])

        def status(connection: http.client.HTTPConnection) -> int:
            connection.request("GET", "/api/vault", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            return answer.status

        early, late = (http.client.HTTPConnection(*address, timeout=30) for _ in range(2))
        for connection in (early, late):
            held.callback(connection.close)
        assert status(early) == 200
        for _ in range(600):
            stranger = held.enter_context(socket.create_connection(address, timeout=30))
            with suppress(ConnectionError):
                stranger.sendall(b"GET / HTTP/1.1\r\n")
        assert status(late) == 200, "who comes later gets in"
        assert status(early) == 200, "who was let in stays in"


def test_one_caller_gets_a_part_of_the_connections(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = {name: tokens_of(vault).add(name) for name in ("greedy", "other")}
    serve = f"{sys.executable} -m zkmem serve '{vault}' --mode http --port 0"
    with serving(["sh", "-c", f"ulimit -n 256; exec {serve}"]) as url, ExitStack() as held:
        found = re.match(r"http://(.+):(\d+)/", url)
        assert found

        def status(caller: str) -> int:
            connection = held.enter_context(socket.create_connection((found[1], int(found[2])), timeout=30))
            head = f"Host: localhost\r\nAuthorization: Bearer {tokens[caller]}"
            connection.sendall(f"GET /api/openapi.json HTTP/1.1\r\n{head}\r\n\r\n".encode())
            return int(connection.recv(65_536).split()[1])

        assert [status("greedy") for _ in range(40)] == [200] * 32 + [429] * 8
        assert status("other") == 200


def test_bodies_beyond_the_limit_are_refused_declared_or_not(server: Server) -> None:
    large = b" " * 4_000_001

    def chunks() -> Iterator[bytes]:
        for _ in range(5):
            yield large[:1_000_000]

    for path in ("/api/rename", "/mcp"):
        headers = {**MCP, "Content-Type": "application/json"}
        for body in (large, chunks()):
            assert server.ask("POST", path, "all", content=body, headers=headers).status_code == 413


def test_a_picture_may_be_larger_than_other_requests_but_not_too_large(server: Server) -> None:
    def store(count: int) -> httpx2.Response:
        data = base64.b64encode(b"\xff\xd8\xff" + bytes(count - 3)).decode()
        return server.ask("POST", "/api/attachments", "all", json={"note": "plan", "title": "photo.jpg", "data": data})

    with ThreadPoolExecutor(3) as pool:  # of one caller, one after the other
        stored = list(pool.map(store, [16_000_000, 8_000_000, 8_000_000]))
    assert [one.status_code for one in stored] == [201] * 3
    assert sorted(os.path.getsize(f"{server.vault}/{one.json()['path']}") for one in stored) == [8_000_000] * 2 + [
        16_000_000
    ]
    for count, sentence in ((16_000_001, "send one of at most 16,000,000"), (17_000_000, "send a smaller file")):
        answer = store(count)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "TooLarge")
        assert sentence in answer.json()["error"]["message"]
    for one in stored:
        os.remove(f"{server.vault}/{one.json()['path']}")


@pytest.mark.slow
def test_a_client_follows_no_more_than_a_server_can_remember(server: Server) -> None:
    opened = server.ask("POST", "/mcp", "topics", json=INITIALIZE, headers=MCP)
    session = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    session["Authorization"] = f"Bearer {server.tokens['topics']}"
    with httpx2.Client(headers=session, timeout=30) as http:

        def follow(name: str) -> str:
            params = {"uri": f"zkmem://note/{name}"}
            request = {"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": params}
            return http.post(server.mcp, json=request).text

        assert "1000 resources" in follow("x" * 3_000_000)
        for number in range(1_000):
            assert '"result"' in follow(f"topics/{number}")
        assert "1000 resources" in follow("topics/one-more")


@asynccontextmanager
async def connected(server: Server, token: str, era: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {server.tokens[token]}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http_client,
        Client(streamable_http_client(server.mcp, http_client=http_client), mode=ERAS[era]) as client,
    ):
        yield client


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_the_list_of_resources_names_the_notes_that_the_token_reaches(server: Server, era: str) -> None:
    for token, names in {
        "all": {"plan", "topics/vue"},
        "reader": {"plan", "topics/vue"},
        "topics": {"topics/vue"},
    }.items():
        async with connected(server, token, era) as client:
            listed = (await client.list_resources()).resources
            assert {one.name for one in listed if one.uri.startswith("zkmem://note/")} == names
            for one in listed:
                await client.read_resource(one.uri)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_tools_are_those_that_the_token_gives_and_reach_as_far(server: Server, era: str) -> None:
    async def names(token: str) -> set[str]:
        async with connected(server, token, era) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    zettel = {tool.name for tool in TOOLSETS["zettel"].tools}
    assert await names("all") == zettel
    assert await names("topics") == zettel
    assert await names("kg") == {tool.name for tool in TOOLSETS["kg"].tools}
    assert await names("reader") == {"get_content", "get_hints", "get_suggestions"}
    async with connected(server, "reader", era) as client:
        assert (await client.call_tool("set_content", {"name": "plan", "content": "gone"})).is_error
        assert SECRET in str((await client.call_tool("get_content", {"name": "plan"})).content)
    async with connected(server, "topics", era) as client:
        calls: dict[str, dict[str, Any]] = {
            "get_content": {"name": "plan", "depth": 3},
            "set_content": {"name": "plan", "content": "gone"},
            "delete_content": {"name": "plan"},
            "rename_content": {"name": "plan", "new_name": "topics/stolen"},
            "extract_content": {"name": "plan", "content": SECRET, "new_name": "topics/stolen"},
        }
        for tool, arguments in calls.items():
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error
            assert SECRET not in str(answer)
        told = [await client.call_tool(tool, {}) for tool in ("get_hints", "get_suggestions")]
        assert not any("plan" in str(one) for one in told)
        assert SECRET not in str(await client.call_tool("get_content", {"name": "topics/vue", "depth": 3}))
        with pytest.raises(Exception, match="no note"):
            await client.read_resource("zkmem://note/plan")
    assert files(server.vault) == NOTES_BYTES


def test_a_session_is_of_the_caller_who_opened_it(server: Server) -> None:
    opened = server.ask("POST", "/mcp", "all", json=INITIALIZE, headers=MCP)
    session = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert server.ask("POST", "/mcp", "all", json=listing, headers=session).status_code == 200
    for other in ("topics", "reader", "kg"):
        assert server.ask("POST", "/mcp", other, json=listing, headers=session).status_code == 404
    again = tokens_of(server.vault).add("again")  # with the same rights, but another caller
    assert server.ask("POST", "/mcp", again, json=listing, headers=session).status_code == 404


def test_a_session_is_not_of_a_new_token_with_the_name_of_a_removed_one(server: Server) -> None:
    tokens = tokens_of(server.vault)
    opened = server.ask("POST", "/mcp", tokens.add("short"), json=INITIALIZE, headers=MCP)
    session = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    tokens.remove("short")
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert server.ask("POST", "/mcp", tokens.add("short"), json=listing, headers=session).status_code == 404


def test_each_edit_is_in_the_audit_log_and_the_history_under_the_name_of_its_caller(server: Server) -> None:
    answer = server.ask("PUT", "/api/notes/by-all", "all", json={"content": "x\n"}, headers={"If-None-Match": "*"})
    assert answer.status_code == 201
    assert server.ask("GET", "/api/log", "all").json()["edits"][0]["client"] == "all: api"
    path = Path(server.vault, ".zkmem/audit.jsonl")
    line = json.loads(path.read_text("utf-8").splitlines()[-1])
    assert (line["caller"], line["address"], line["client"]) == ("all", "127.0.0.1", "all: api")
    assert line["changes"][0][0] == "by-all.md"
    assert path.stat().st_mode & 0o077 == 0
    headers = {"If-None-Match": "*", "X-Forwarded-For": "root refused: nobody"}
    assert server.ask("PUT", "/api/notes/by-nobody", "all", json={"content": "x\n"}, headers=headers).status_code == 201
    assert json.loads(path.read_text("utf-8").splitlines()[-1])["address"] == ""


def test_a_client_with_a_very_long_name_cannot_fill_the_history_of_others(server: Server) -> None:
    client = {"name": "y" * 1_000_000, "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    opened = server.ask("POST", "/mcp", "all", json={**INITIALIZE, "params": params}, headers=MCP)
    session = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    params = {"name": "set_content", "arguments": {"name": "by-long", "content": "x"}}
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    assert "created by-long" in server.ask("POST", "/mcp", "all", json=request, headers=session).text
    for path in (".zkmem/audit.jsonl", ".zkmem/versions/log"):
        line = Path(server.vault, path).read_text("utf-8").splitlines()[-1]
        assert json.loads(line)["client"].startswith("all: yyy")
        assert len(line) < 1_000


@pytest.mark.anyio
async def test_an_edit_over_mcp_is_told_with_its_caller(server: Server) -> None:
    async with connected(server, "all", "2026-07-28") as client:
        assert not (await client.call_tool("set_content", {"name": "by-mcp", "content": "x"})).is_error
    line = json.loads(Path(server.vault, ".zkmem/audit.jsonl").read_text("utf-8").splitlines()[-1])
    assert line["caller"] == "all"
    assert line["tool"] == "set_content"
    assert line["client"].startswith("all: ")


def test_a_token_that_is_taken_away_counts_no_more_and_its_streams_end(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = tokens_of(vault)
    secret, other = tokens.add("gone"), tokens.add("other")
    with http_server(vault) as url:
        server = Server(vault, url, {"gone": secret, "other": other})
        headers = {"Authorization": f"Bearer {secret}"}
        with httpx2.stream("GET", server.base + "/api/events", headers=headers, timeout=30) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: hello"
            tokens.remove("gone")
            assert server.ask("GET", "/api/vault", "gone").status_code == 401
            write(vault, {"new.md": "x"})
            for line in lines:  # to its end, which comes
                assert "new" not in line
        tokens.remove("other")
        assert server.ask("GET", "/api/vault").status_code == 401, "a server that has asked for tokens goes on to"


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_greedy_caller_does_not_keep_another_waiting(tmp_path: Path) -> None:
    many = {f"n{number}.md": f"{SECRET} {number} " * 50 for number in range(300)}
    vault = write(tmp_path / "vault", NOTES | many)
    tokens = made_tokens(vault)
    with http_server(vault, "zettel", ZKMEM_RATE="100000") as url:
        base = url.removesuffix("/mcp") + "/api"
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(limits=limits, timeout=60) as http, anyio.create_task_group() as tasks:

            async def ask(caller: str, path: str) -> None:
                answer = await http.get(base + path, headers={"Authorization": f"Bearer {tokens[caller]}"})
                assert answer.status_code == 200
                answered.append(caller)

            answered: list[str] = []
            await ask("all", f"/search?q={SECRET}")  # the index is built
            for _ in range(100):
                tasks.start_soon(ask, "all", f"/search?q={SECRET}&count=100")
            while len(answered) < 10:
                await anyio.wait_all_tasks_blocked()
            before = len(answered)
            await ask("reader", "/hints")
            assert len(answered) - before < 20, "some of those that were begun, and not all that waited"


def test_who_sends_too_much_is_told_to_wait(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = made_tokens(vault)
    with http_server(vault, ZKMEM_RATE="1") as url:
        server = Server(vault, url, tokens)
        answers = [server.ask("GET", "/api/openapi.json", "all") for _ in range(30)]
        assert [answer.status_code for answer in answers[:4]] == [200] * 4, (
            "the requests of four seconds may come at once"
        )
        assert {answer.status_code for answer in answers} == {200, 429}
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.headers["retry-after"] == "1"
        assert server.ask("GET", "/api/openapi.json", "reader").status_code == 200, "others are not held up"


def refusal(*arguments: str, **environ: str) -> str:
    """What `zkmem serve` says before it ends."""
    words = ("serve", *arguments, "--mode", "http", "--port", "0")
    done = zkmem_command(*words, environ={**os.environ, **environ})
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.slow
def test_a_bind_beyond_this_machine_needs_a_token_and_a_name(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    assert "--allow-host" in refusal(vault, "--host", "0.0.0.0")
    assert "zkmem token add" in refusal(vault, "--host", "0.0.0.0", "--allow-host", "notes.test")
    assert "zkmem token add" in refusal(vault, "--allow-host", "notes.test"), "a proxy may stand before it"
    secret = tokens_of(vault).add("me")
    assert "no address" in refusal(vault, "--host", "no.such.host.invalid", "--allow-host", "notes.test")
    with http_server(vault, "zettel", "--host", "0.0.0.0", "--allow-host", "notes.test") as url:
        assert url.startswith("http://notes.test:")
        server = Server(vault, url.replace("notes.test", "127.0.0.1"), {"me": secret})
        for host in ("notes.test", "notes.test:8000", "127.0.0.1:1"):
            assert server.ask("GET", "/api/vault", "me", headers={"Host": host}).status_code == 200
        assert server.ask("GET", "/api/vault", headers={"Host": "notes.test"}).status_code == 401
        assert server.ask("GET", "/api/vault", "me", headers={"Host": "other.test"}).status_code == 421


def test_a_port_in_use_is_told_in_a_sentence(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = zkmem_command("serve", vault, "--mode", "http", "--port", port)
    assert done.returncode == 2
    assert re.fullmatch(
        rf"Error: Port {port} of 127.0.0.1 cannot be used \(.*\); choose another with --port.\n", done.stderr
    )


def test_an_address_of_another_machine_is_told_in_a_sentence(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens_of(vault).add("all")
    options = ["--host", "192.0.2.1", "--allow-host", "x"]  # an address for documents, which no machine has
    done = zkmem_command("serve", vault, "--mode", "http", *options)
    assert done.returncode == 2
    assert done.stderr == "Error: 192.0.2.1 is not an address of this machine; choose another with --host.\n"


def test_a_stream_ends_when_its_token_is_for_less_than_it_was(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    secret = tokens_of(vault).add("all")
    path = Path(vault, ".zkmem/tokens.json")
    text = path.read_text("utf-8")
    less = text.replace('"folder": ""', '"folder": "topics"')
    TokenTrust(os.path.realpath(vault)).allow(*(hashlib.sha256(one.encode()).hexdigest() for one in (text, less)))
    with http_server(vault) as url:
        server = Server(vault, url, {"all": secret})
        headers = {"Authorization": f"Bearer {secret}"}
        with httpx2.stream("GET", server.base + "/api/events", headers=headers, timeout=30) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: hello"
            path.write_text(less, "utf-8")
            write(vault, {"outside.md": "x"})
            assert not any("outside" in line for line in lines)


@pytest.mark.slow
def test_a_token_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = made_tokens(vault)
    path = os.path.join(vault, ".zkmem/tokens.json")
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert not any(secret in Path(path).read_text("utf-8") for secret in tokens.values())
    with http_server(vault) as url:
        server = Server(vault, url, tokens)
        assert server.ask("GET", "/api/vault", "all").status_code == 200
        os.chmod(path, 0o644)
        assert server.ask("GET", "/api/vault", "all").status_code == 500
        assert vault not in server.ask("GET", "/api/vault", "all").text
    assert "chmod 600" in refusal(vault)
    os.chmod(path, 0o600)
    Path(path).write_text("[]", "utf-8")
    assert "zkmem token add" in refusal(vault)


def test_tokens_are_named_apart_and_taken_away_by_name(tmp_path: Path) -> None:
    tokens = tokens_of(write(tmp_path / "vault", NOTES))
    tokens.add("one")
    with pytest.raises(BadArgument, match="already"):
        tokens.add("one")
    with pytest.raises(BadArgument, match="The tokens are: one"):
        tokens.remove("two")
    os.symlink(tmp_path / "elsewhere", tmp_path / "vault/.zkmem/audit.jsonl")
    with pytest.raises(Exception, match="symbolic link"):
        tokens.add("two")
    Path(tmp_path / "vault/.zkmem/tokens.json").write_text('{"tokens": [{"name": 1}]}')
    with pytest.raises(BadSettings):
        tokens.load()


def test_the_list_of_tokens_tells_of_none_and_of_expired_ones(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)

    def listed() -> tuple[str, str]:
        done = CliRunner().invoke(cli, ["token", "list", "--vault", vault])
        return done.stdout, done.stderr

    assert listed() == ("", "There are no tokens and no sign-ins. To make a token: zkmem token add NAME\n")
    tokens_of(vault).add("carl", expires=0.0)
    told, _ = listed()
    assert re.fullmatch(r"carl: reads and writes the whole vault, expired \d{4}-\d\d-\d\d \d\d:\d\d\n", told)


def test_a_token_for_a_folder_that_is_not_there_yet_is_made_with_a_remark(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)

    def added(name: str, *options: str) -> tuple[int, bool, bool]:
        done = CliRunner().invoke(cli, ["token", "add", name, "--vault", vault, *options])
        return done.exit_code, done.stdout.startswith("zkm_"), "has no folder 'nosuch' yet" in done.stderr

    assert added("ann", "--vault-path", "nosuch") == (0, True, True)
    assert added("bob", "--vault-path", "topics") == (0, True, False)
    assert added("carl") == (0, True, False)
    assert [one.folder for one in tokens_of(vault).load().tokens] == ["nosuch", "topics", ""]


@pytest.mark.parametrize("command", [["token", "add"], ["user", "add"]])
def test_access_from_the_internet_to_keys_needs_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    key = "ghp_" + "Zq7Lw2Nx9Rt4" * 3
    notes = {
        "keys.md": f"# Keys\n\n{key}\n",
        "own/x.md": f"---\nprivate: true\n---\n{key}\n",
        "topics/tea.md": "Tea.\n",
    }
    vault = write(tmp_path / "vault", notes)
    monkeypatch.setenv("ZKMEM_PUBLIC_URL", "https://notes.test")

    def added(name: str, *options: str) -> tuple[int, str]:
        password = "correct horse battery staple\n"
        done = CliRunner().invoke(cli, [*command, name, "--vault", vault, *options], input=password)
        assert key not in done.output + str(done.exception)
        return done.exit_code, done.stderr + str(done.exception or "")

    code, said = added("ann")
    assert code != 0
    assert "(line 3 of keys)" in said
    assert "(line 4 of own/x)" in said
    assert "Nothing was done: 2 notes look as if they hold" in said
    assert added("ann", "--vault-path", "topics")[0] == 0
    assert added("bob", "--yes")[0] == 0
    monkeypatch.delenv("ZKMEM_PUBLIC_URL")
    assert (added("carl")[0] == 0) == (command[0] == "token"), "such a token is for this machine and its network"


class Issuer:
    """A real issuer on this machine: it publishes its keys, and signs what it is asked to."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.asked: list[str] = []
        self.keys: dict[str, Any] | None = None  # what it tells instead of its key
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                body = json.dumps(issuer.published().get(self.path, {})).encode()
                self.send_response(200 if self.path in issuer.published() else 404)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/realm"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def published(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {
            "/realm/.well-known/openid-configuration": {"issuer": self.url, "jwks_uri": self.url + "/keys"},
            "/realm/keys": self.keys or {"keys": [public | {"kid": "k1", "use": "sig", "alg": "RS256"}]},
        }

    def token(self, key: Any = None, algorithm: str = "RS256", kid: str = "k1", **claims: object) -> str:
        told = {
            "iss": self.url, "aud": RESOURCE, "sub": "ann", "exp": int(time.time()) + 600,
            "scope": "zkmem:read zkmem:write", **claims,
        }  # fmt: skip
        told = {name: value for name, value in told.items() if value is not None}
        return jwt.encode(told, key or self.key, algorithm, headers={"kid": kid})


def hand_signed(issuer: Issuer, secret: bytes) -> str:
    """A token that is signed with what is public, as no library would."""
    _, body, _ = issuer.token().split(".")
    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "k1"}).encode()).rstrip(b"=").decode()
    signature = hmac.digest(secret, f"{head}.{body}".encode(), "sha256")
    return f"{head}.{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


RESOURCE = "https://notes.test/mcp"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    found = Issuer()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture(scope="module")
def resource_server(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[Server]:
    vault = write(tmp_path_factory.mktemp("oauth") / "vault", NOTES)
    environ = {"ZKMEM_OAUTH_ISSUER": issuer.url, "ZKMEM_OAUTH_RESOURCE": RESOURCE}
    with http_server(vault, **environ) as url:
        yield Server(vault, url, {})


def test_a_client_without_a_token_is_told_where_the_issuer_is(resource_server: Server, issuer: Issuer) -> None:
    refused = resource_server.ask("POST", "/mcp", json=INITIALIZE, headers=MCP)
    assert refused.status_code == 401
    address = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])
    assert address
    assert address[1] == "https://notes.test/.well-known/oauth-protected-resource/mcp"
    metadata = resource_server.ask("GET", "/.well-known/oauth-protected-resource/mcp").json()
    assert metadata["resource"] == RESOURCE
    assert metadata["authorization_servers"] == [issuer.url]
    assert metadata["scopes_supported"] == ["zkmem:read", "zkmem:write"]


def test_the_issuer_is_told_letter_by_letter(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    named = {"ZKMEM_OAUTH_ISSUER": "https://login.test", "ZKMEM_OAUTH_RESOURCE": "https://notes.test"}
    with http_server(vault, **named) as url:
        metadata = Server(vault, url, {}).ask("GET", "/.well-known/oauth-protected-resource").json()
    assert metadata["resource"] == "https://notes.test"
    assert metadata["authorization_servers"] == ["https://login.test"], "clients compare it with what the issuer says"


def test_the_issuers_tokens_open_what_their_scopes_say(resource_server: Server, issuer: Issuer) -> None:
    put = {"json": {"content": "x"}, "headers": {"If-None-Match": "*"}}
    assert resource_server.ask("PUT", "/api/notes/ann", issuer.token(), **put).status_code == 201
    reading = issuer.token(scope="openid zkmem:read")
    assert resource_server.ask("GET", "/api/notes/plan", reading).status_code == 200
    assert resource_server.ask("DELETE", "/api/notes/plan", reading, headers={"If-Match": '"0"'}).status_code == 403
    folder = issuer.token(zkmem_folder="/topics/")
    assert resource_server.ask("GET", "/api/notes/plan", folder).status_code == 404
    assert resource_server.ask("GET", "/api/notes/topics/vue", folder).status_code == 200
    assert resource_server.ask("POST", "/mcp", issuer.token(), json=INITIALIZE, headers=MCP).status_code == 200
    line = json.loads(Path(resource_server.vault, ".zkmem/audit.jsonl").read_text("utf-8").splitlines()[0])
    assert line["caller"] == "ann"


def test_no_other_token_counts(resource_server: Server, issuer: Issuer) -> None:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    secret = json.dumps(issuer.published()["/realm/keys"]).encode()
    worthless = {
        "expired": issuer.token(exp=int(time.time()) - 600),
        "without expiry": issuer.token(exp=None),
        "for another server": issuer.token(aud="https://other.test/mcp"),
        "for nobody": issuer.token(aud=None),
        "of another issuer": issuer.token(iss="https://other.test"),
        "without a subject": issuer.token(sub=None),
        "without a right": issuer.token(scope="openid"),
        "not yet valid": issuer.token(nbf=int(time.time()) + 600),
        "signed by another": issuer.token(key=other),
        "of an unknown key": issuer.token(key=other, kid="k2"),
        "signed with the public key": hand_signed(issuer, secret),
        "not signed": jwt.encode({"iss": issuer.url, "aud": RESOURCE, "sub": "ann", "exp": 2**40}, "", "none"),
        "a folder of another type": issuer.token(zkmem_folder=["topics"]),
        **{f"the folder {one!r}": issuer.token(zkmem_folder=one) for one in ("", "/", " ", "..", ".zkmem", "a/../b")},
        "very long": issuer.token(junk="x" * 20_000),
        "of an empty subject": issuer.token(sub=""),
        "very deep": f"{base64.urlsafe_b64encode(b'[' * 9_000).rstrip(b'=').decode()}.e30.e30",
    }
    for why, token in worthless.items():
        assert resource_server.ask("GET", "/api/vault", token).status_code in {401, 431, 400}, why
    before = issuer.asked.count("/realm/keys")
    for _ in range(20):
        resource_server.ask("GET", "/api/vault", worthless["of an unknown key"])
    assert issuer.asked.count("/realm/keys") <= before + 1, "a stranger cannot make us ask the issuer again and again"


def test_tokens_count_on_while_the_issuer_is_away_whatever_strangers_send(issuer: Issuer) -> None:
    checks = TokenIssuer(issuer.url, RESOURCE)
    token = issuer.token()
    assert checks.caller(token)
    assert checks._keys
    checks._keys.cooldown_duration = 0  # else it asks for unknown keys only half a minute later
    issuer.keys = {"nonsense": True}
    try:
        assert checks.caller(issuer.token(kid="k2")) is None
        assert checks.caller(token), "its key is known"
        asked = issuer.asked.count("/realm/keys")
        assert checks.caller(issuer.token(kid="k3")) is None
        assert issuer.asked.count("/realm/keys") == asked, "it is left alone for a while"
    finally:
        issuer.keys = None


def test_a_server_that_others_reach_stays_shut_when_the_last_token_is_taken_away(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens = tokens_of(vault)
    tokens.add("only")
    with http_server(vault, ZKMEM_ALLOW_HOSTS="notes.test") as url:
        server = Server(vault, url, {})
        tokens.remove("only")
        assert server.ask("GET", "/api/vault").status_code == 401, "nobody has asked before"


def test_the_last_token_may_be_removed_while_the_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = write(tmp_path / "vault", NOTES)
    tokens_of(vault).add("only")
    removals = []

    def read_late(full: str, most: int) -> tuple[bytes, Stamp]:
        command = [sys.executable, "-m", "zkmem", "token", "remove", "only", "--vault", vault]
        removals.append(subprocess.run(command, check=True, capture_output=True))
        return read_file(full, most)

    monkeypatch.setattr("zkmem.serve.access.tokens.read", read_late)
    assert tokens_of(vault).load() == TokenFile()
    assert removals


NOTES_BYTES = {name: text if isinstance(text, bytes) else text.encode() for name, text in NOTES.items()}


def test_a_server_without_tokens_has_no_more_streams_than_it_may(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with http_server(vault, ZKMEM_MAX_SESSIONS="2") as url, httpx2.Client(timeout=30) as http, ExitStack() as streams:
        events = url.removesuffix("/mcp") + "/api/events"
        for _ in range(2):
            lines = streams.enter_context(http.stream("GET", events)).iter_lines()
            assert next(lines) == "event: hello"
            streams.callback(lines.close)  # type: ignore[attr-defined]  # else it is closed here and now
        with http.stream("GET", events) as third:
            assert third.status_code == 429


@pytest.mark.slow
def test_a_client_that_opens_no_stream_of_its_own_is_asked_over_that_of_its_call(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    lending = {**INITIALIZE, "params": {**PARAMETERS, "capabilities": {"sampling": {}}}}
    call = {"name": "memory_chat", "arguments": {"message": "I live in Bern."}}
    with http_server(vault, "mirix") as url, httpx2.Client(timeout=30) as http:
        opened = http.post(url, json=lending, headers=MCP)
        headers = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
        http.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
        asking = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        with http.stream("POST", url, json=asking, headers=headers) as stream:
            told = next(line for line in stream.iter_lines() if line.startswith("data: {"))
        assert '"sampling/createMessage"' in told
