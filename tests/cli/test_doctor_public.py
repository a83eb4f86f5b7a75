"""`zkmem doctor --public`: a client from outside, and what it says about a server or a proxy that is not right."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.tools.forked import zkmem_command
from tests.tools.servers import http_server
from tests.tools.signing_in import PASSWORD, add_user, free_port, public_server
from tests.tools.vaults import write
from zkmem.cli.checks.public import Play
from zkmem.cli.checks.target import Trouble
from zkmem.serve.access.signin.store import SignInStore

Change = Callable[[str, dict[str, str]], None]
"""Changes the headers of a request that the proxy passes on; gets the path, too."""


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> str:
    vault = write(tmp_path_factory.mktemp("doctor") / "notes", {"hint.md": "Start here.\n"})
    add_user(vault, "ann")
    return vault


@pytest.fixture(scope="module")
def url(vault: str) -> Iterator[str]:
    with public_server(vault) as address:
        yield address


def looked(vault: str, *arguments: str) -> list[dict[str, Any]]:
    done = zkmem_command("doctor", "--vault", vault, "--json", *arguments)
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["ok"] else 1)
    rows: list[dict[str, Any]] = told["checks"]
    return rows


def test_a_server_that_is_right_is_right_at_every_step_and_nothing_is_left_behind(vault: str, url: str) -> None:
    rows = looked(vault, "--public", url)
    assert [row["check"] for row in rows if not row["ok"]] == []
    assert rows[-1]["check"] == "sign-out"
    state = SignInStore().load()
    assert [one.name for one in state.users if one.name.startswith("doctor")] == []
    assert state.of_vault(vault) == ()


def test_one_of_several_vaults_is_checked_at_its_own_address(vault: str, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"a.md": "A.\n"})
    add_user(other, "ann")
    with public_server(vault, other) as url:
        assert [row["check"] for row in looked(other, "--public", f"{url}/v/other/") if not row["ok"]] == []
        [fault] = [row for row in looked(other, "--public", url) if not row["ok"]]
    assert "This server has several vaults" in fault["found"]
    assert fault["fix"] == f"give the address of one: zkmem doctor --public {url}/v/NAME"


@contextmanager
def proxy(url: str, change: Change) -> Iterator[str]:
    """A proxy in front of a server, which changes requests; yields its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.pop("content-length", 0)))
            change(self.path, headers)
            try:
                answer = httpx2.request(self.command, url + self.path, headers=headers, content=body)
            except httpx2.HTTPError:
                self.send_error(502)
                return
            self.send_response(answer.status_code)
            for name in ("content-type", "www-authenticate", "location", "mcp-session-id"):
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_POST = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def stopped(address: str, vault: str | None = None) -> tuple[str, str, str]:
    """The step at which a client stops, the problem and the fix."""
    password = PASSWORD if vault else "another password"
    with httpx2.Client(timeout=30) as client:
        for name, step in Play(address, "ann", password, client).steps().items():
            try:
                step()
            except Trouble as trouble:
                return name, trouble.problem, trouble.fix
    raise AssertionError("it did not stop")


def test_an_address_without_tls_is_told(url: str) -> None:
    assert stopped("http://notes.example.org")[0] == "address"


def test_a_port_where_nobody_listens_is_told() -> None:
    step, problem, fix = stopped(f"http://127.0.0.1:{free_port()}")
    assert step == "connection"
    assert "no connection" in problem
    assert "proxy" in fix


def test_a_server_behind_a_proxy_that_does_not_run_is_told() -> None:
    with proxy(f"http://127.0.0.1:{free_port()}", lambda *_: None) as address:
        step, problem, fix = stopped(address)
    assert step == "connection"
    assert "502" in problem
    assert "port" in fix


def test_a_server_with_another_public_address_is_told(url: str) -> None:
    with proxy(url, lambda *_: None) as address:
        step, problem, fix = stopped(address)
    assert step == "resource metadata"
    assert url in problem
    assert f"--public-url {address}" in fix


def test_a_proxy_that_names_another_host_is_told(url: str) -> None:
    def change(_: str, headers: dict[str, str]) -> None:
        headers["x-forwarded-host"] = "internal.example"

    with proxy(url, change) as address:
        step, problem, _ = stopped(address)
    assert step == "connection"
    assert "internal.example" in problem
    assert url in problem


def test_a_server_without_sign_in_is_told(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", {"hint.md": "Start here.\n"})
    with http_server(vault) as mcp:
        step, _, fix = stopped(mcp.removesuffix("/mcp"))
    assert step == "challenge"
    assert "passes every path" in fix


def test_a_server_with_other_users_is_told(url: str) -> None:
    step, _, fix = stopped(url)
    assert step == "sign-in"
    assert "on the server's machine" in fix


def test_a_proxy_that_drops_the_token_is_told(vault: str) -> None:
    def change(_: str, headers: dict[str, str]) -> None:
        headers.pop("authorization", None)

    inner, outer = free_port(), 0
    with proxy(f"http://127.0.0.1:{inner}", change) as address:
        outer = int(address.rpartition(":")[2])
        with public_server(vault, "--public-url", f"http://127.0.0.1:{outer}", port=inner):
            step, problem, fix = stopped(address, vault)
    assert step == "call"
    assert "401" in problem
    assert "Authorization" in fix


def test_without_an_address_it_says_how_to_give_one(vault: str) -> None:
    (row,) = looked(vault, "--public")
    assert not row["ok"]
    assert "zkmem doctor --public https://" in row["fix"]
