"""Several vaults on one server: each at its own address, with its own tokens, and one sign-in for all."""

import http.client
import os
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple

import anyio
import httpx2
import pytest
from click.testing import CliRunner
from mcp import Client

from tests.tools.servers import ERAS, http_server
from tests.tools.signing_in import PASSWORD, Flow, Storage, add_user, public_server, signed_in
from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.cli.serve_http import ServeOptions, _opened
from zkmem.cli.tokens import tokens_of
from zkmem.errors import BadArgument, NoVault
from zkmem.memory import Memory
from zkmem.serve.access.gate import Limits
from zkmem.serve.access.signin.store import Right
from zkmem.serve.app import Application, application
from zkmem.serve.common import Common, Reach
from zkmem.serve.mcp.servers import Offer
from zkmem.serve.vaults import Vaults

SECRET = "xyzzy"


class Served(NamedTuple):
    """The folders of two vaults, and the address of the server that has both."""

    notes: str
    work: str
    base: str

    def get(self, path: str, token: str = "") -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.get(self.base + path, headers=headers, timeout=30)

    def session(self, name: str, **form: str) -> httpx2.Response:
        return httpx2.post(f"{self.base}/v/{name}/session", data=form, timeout=30)

    def token(self, name: str, user: str) -> str:
        """Sign in to the page of a vault with the password, and return the token."""
        token: str = self.session(name, user=user, password=PASSWORD).json()["token"]
        return token


def two(folder: Path) -> tuple[str, str]:
    notes = write(folder / "notes", {"hint.md": "Notes [[plan]].\n"})
    return notes, write(folder / "w", {"hint.md": f"Work {SECRET}.\n"})


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without tokens, with one vault that is not there."""
    folder = tmp_path_factory.mktemp("several")
    notes, work = two(folder)
    with http_server(notes, "zettel", f"work={work}", f"gone={folder}/none") as url:
        yield Served(notes, work, url.removesuffix("/v/notes/mcp"))


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on which ann may sign in to both vaults, and bob to one."""
    notes, work = two(tmp_path_factory.mktemp("public"))
    for vault, name in ((notes, "ann"), (work, "ann"), (notes, "bob")):
        add_user(vault, name)
    with public_server(notes, f"work={work}") as url:
        yield Served(notes, work, url)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_each_vault_has_its_own_endpoint(open_server: Served, era: str) -> None:
    for name, vault in (("notes", open_server.notes), ("work", open_server.work)):
        async with Client(f"{open_server.base}/v/{name}/mcp", mode=ERAS[era]) as client:
            await client.call_tool("set_content", {"name": f"by-{era}", "content": f"in {name}"})
        assert Path(vault, f"by-{era}.md").read_text("utf-8") == f"in {name}"


def test_each_vault_has_its_own_page_and_the_server_leads_to_the_first(open_server: Served) -> None:
    assert open_server.get("/").headers["location"] == "/v/notes/"
    assert open_server.get("/v/work").headers["location"] == "/v/work/"
    for name in ("notes", "work"):
        page = open_server.get(f"/v/{name}/")
        assert page.status_code == 200
        [script] = re.findall(r'<script type="module" src="(.*?)"', page.text)
        assert open_server.get(f"/v/{name}/{script}").status_code == 200
        assert open_server.get(f"/v/{name}/api/vault").json()["name"] == name


def test_a_vault_that_is_not_there_stops_no_other_one(open_server: Served) -> None:
    for path in ("/v/gone/", "/v/gone/mcp", "/v/gone/api/vault"):
        answer = open_server.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        sentence = "The vault 'gone' cannot be opened now; the log of the server says why. Try again later."
        assert answer.json()["error"]["message"] == sentence
    shown = httpx2.get(f"{open_server.base}/v/gone/", headers={"Accept": "text/html,*/*"})
    assert shown.text == f"{sentence}\n"
    assert open_server.get("/v/work/api/vault").json()["vaults"] == ["notes", "work"]


@pytest.mark.parametrize(
    "path",
    ["/mcp", "/api/vault", "/v/", "/v/other/mcp", "/v/work/../notes/x", "/v/work//mcp", "/V/work/mcp",
     "/v/work%0A/mcp", "/v%2Fwork/mcp", "/v/work%2Fmcp",
     "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/v/other/mcp"],
)  # fmt: skip
def test_nothing_is_at_another_address(open_server: Served, path: str) -> None:
    with closing(http.client.HTTPConnection(open_server.base.removeprefix("http://"), timeout=30)) as connection:
        connection.request("GET", path)  # as it is: other clients would take out the dots
        assert connection.getresponse().status == 404


def test_a_page_of_another_host_learns_no_name(open_server: Served) -> None:
    for path in ("/", "/v/work", "/v/gone/"):
        answer = httpx2.get(open_server.base + path, headers={"Host": "evil.example"})
        assert answer.status_code == 421
        assert "location" not in answer.headers


def test_a_page_of_another_host_gets_nothing_from_a_vault(open_server: Served) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        answer = httpx2.get(f"{open_server.base}/v/work/api/notes/hint", headers=headers)
        assert answer.status_code in {403, 421}
        assert SECRET not in answer.text


# --- tokens and sign-ins


def test_a_token_is_for_its_own_vault_and_shows_no_other(tmp_path: Path) -> None:
    notes, work = two(tmp_path)
    token = tokens_of(notes).add("ann")
    with http_server(notes, "zettel", f"work={work}") as url:
        served = Served(notes, work, url.removesuffix("/v/notes/mcp"))
        assert served.get("/v/notes/api/vault", token).json()["vaults"] == []
        assert served.get("/v/notes/api/vault").status_code == 401
        assert served.get("/v/work/api/vault").json()["vaults"] == ["work"], "it needs no token"
        other = tokens_of(work).add("ann")  # of the same name
        assert served.get("/v/work/api/notes/hint", token).status_code == 401
        assert served.get("/v/work/api/notes/hint", other).status_code == 200
        assert served.get("/v/notes/api/notes/hint", other).status_code == 401


@pytest.mark.anyio
async def test_a_client_signs_in_to_the_vault_that_it_asks_for(public: Served) -> None:
    storage = Storage()
    async with signed_in(f"{public.base}/v/work", "2026-07-28", storage) as client:
        assert SECRET in str(await client.call_tool("get_content", {"name": "hint"}))
    assert storage.tokens
    access = storage.tokens.access_token
    assert public.get("/v/work/api/vault", access).json()["vaults"] == [], "a program learns of no other vault"
    assert public.get("/v/notes/api/vault", access).status_code == 401
    assert public.session("notes", token=access).status_code == 403, "only the page has one sign-in for all"


def test_the_metadata_are_those_of_the_vault(public: Served) -> None:
    refused = public.get("/v/work/mcp")
    found = re.search(r'resource_metadata="(.*?)"', refused.headers["www-authenticate"])
    assert found
    resource = httpx2.get(found[1]).json()
    assert resource["resource"] == f"{public.base}/v/work/mcp"
    assert resource["authorization_servers"] == [f"{public.base}/v/work"]
    server = public.get("/.well-known/oauth-authorization-server/v/work").json()
    assert server["issuer"] == f"{public.base}/v/work"
    assert server["token_endpoint"] == f"{public.base}/v/work/token"


def test_a_request_for_another_vault_is_refused(public: Served) -> None:
    flow = Flow(f"{public.base}/v/notes")
    for resource in (f"{public.base}/v/work/mcp", f"{public.base}/mcp", public.base):
        assert flow.authorize(resource=resource).status_code == 400
    code = flow.code()
    assert Flow(f"{public.base}/v/work").exchange(code).status_code == 400
    assert flow.exchange(code).status_code == 200


def test_one_sign_in_opens_the_pages_of_all_vaults_of_the_user(public: Served) -> None:
    ann, bob = public.token("notes", "ann"), public.token("notes", "bob")
    assert public.get("/v/notes/api/vault", ann).json()["vaults"] == ["notes", "work"]
    assert public.get("/v/notes/api/vault", bob).json()["vaults"] == ["notes"]
    other = public.session("work", token=ann).json()["token"]
    assert public.get("/v/work/api/vault", other).json()["vaults"] == ["notes", "work"]
    assert public.get("/v/work/api/vault", ann).status_code == 401, "each page has a token of its own"
    assert public.session("notes", token=ann).status_code == 403, "a copied token makes no further one"
    assert public.session("work", token=bob).status_code == 403
    led = public.session("work", user="bob", password=PASSWORD).json()
    assert led["vault"] == "notes", "he is no user of the vault whose page he has opened"
    assert public.get("/v/notes/api/vault", led["token"]).status_code == 200
    assert public.get("/v/work/api/vault", led["token"]).status_code == 401
    assert public.session("work", user="bob", password="wrong").status_code == 403
    assert public.session("work", token="zkma_unknown").status_code == 403
    httpx2.post(f"{public.base}/v/notes/revoke", data={"client_id": "page", "token": ann})
    assert public.session("work", token=ann).status_code == 403


@pytest.mark.parametrize("way", ["sign out", "sign out of the other", "on the page", "by command"])
def test_a_sign_in_and_those_made_from_it_end_together(public: Served, way: str) -> None:
    phone, laptop = public.token("notes", "ann"), public.token("notes", "ann")
    other = public.session("work", token=phone).json()["token"]
    if way.startswith("sign out"):
        name, token = ("work", other) if way.endswith("other") else ("notes", phone)
        httpx2.post(f"{public.base}/v/{name}/revoke", data={"client_id": "page", "token": token}, timeout=30)
    else:
        headers = {"Authorization": f"Bearer {laptop}"}
        listed = httpx2.get(f"{public.base}/v/notes/api/signins", headers=headers, timeout=30).json()["sign_ins"]
        name = [one["name"] for one in listed][-2]  # before that of the laptop
        if way == "on the page":
            httpx2.delete(f"{public.base}/v/notes/api/signins/{name}", headers=headers, timeout=30)
        else:
            CliRunner().invoke(cli, ["token", "remove", name, "--vault", public.notes], catch_exceptions=False)
    assert public.get("/v/notes/api/vault", phone).status_code == 401
    assert public.get("/v/work/api/vault", other).status_code == 401
    assert public.session("notes", token=other).status_code == 403
    assert public.get("/v/notes/api/vault", laptop).status_code == 200
    httpx2.post(f"{public.base}/v/notes/revoke", data={"client_id": "page", "token": laptop}, timeout=30)


def test_the_rights_of_a_user_are_those_in_each_vault(tmp_path: Path) -> None:
    notes, work = two(tmp_path)
    add_user(notes, "ann")
    add_user(work, "ann", Right(read_only=True))
    with public_server(notes, f"work={work}") as url:
        served = Served(notes, work, url)
        other = served.session("work", token=served.token("notes", "ann")).json()["token"]
        assert served.get("/v/work/api/vault", other).json()["can_write"] is False


def test_a_sign_in_on_another_server_opens_no_vault_of_this_one(public: Served, tmp_path: Path) -> None:
    elsewhere = write(tmp_path / "elsewhere", {"a.md": "A.\n"})
    add_user(elsewhere, "ann")
    with public_server(elsewhere) as url:
        form = {"user": "ann", "password": PASSWORD}
        token = httpx2.post(f"{url}/session", data=form, timeout=30).json()["token"]
        assert httpx2.post(f"{url}/session", data={"token": token}).status_code == 403, "it has one vault"
    assert public.session("notes", token=token).status_code == 403


def test_wrong_passwords_are_counted_for_all_vaults_together(tmp_path: Path) -> None:
    notes, work = two(tmp_path)
    for vault in (notes, work):
        add_user(vault, "ann")
    with public_server(notes, f"work={work}") as url:
        served = Served(notes, work, url)
        answers = [served.session(("notes", "work")[at % 2], user="ann", password="wrong") for at in range(8)]
    assert {one.status_code for one in answers} == {403, 429}, "four at each vault cost no wait"


# --- a vault that cannot be opened, or fails


@asynccontextmanager
async def running(vaults: Vaults) -> AsyncIterator[httpx2.AsyncClient]:
    async with vaults._alive(vaults._starlette):
        transport = httpx2.ASGITransport(app=vaults)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


def opener(vault: str, name: str) -> Callable[[], Application]:
    def opened() -> Application:
        if not os.path.isdir(vault):
            raise NoVault(f"{vault} is not there")
        memory = Memory(vault)
        return application(memory, tokens_of(memory.vault), Offer(["zettel"]), name=name)

    return opened


@pytest.mark.anyio
async def test_a_vault_that_comes_later_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    notes, later = write(tmp_path / "notes", {"a.md": "A.\n"}), str(tmp_path / "later")
    vaults = Vaults({"notes": opener(notes, "notes"), "later": opener(later, "later")})
    assert list(vaults.open()) == ["later"]
    async with running(vaults) as client:
        assert (await client.get("/v/later/api/vault")).status_code == 503
        os.mkdir(later)
        assert (await client.get("/v/later/api/vault")).status_code == 503, "it is not tried for each request"
        assert caplog.records == []
        monkeypatch.setattr("zkmem.serve.vaults._AGAIN_S", 0)
        assert (await client.get("/v/later/api/vault")).status_code == 200
        assert (await client.get("/v/notes/api/vault")).status_code == 200


@pytest.mark.anyio
async def test_a_vault_that_fails_stops_no_other_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = write(tmp_path / "notes", {"a.md": "A.\n"})
    fails = True

    @asynccontextmanager
    async def alive() -> AsyncIterator[None]:
        if fails:
            raise RuntimeError("the disk is on fire")
        async with sound.alive():
            yield

    sound = opener(write(tmp_path / "bad", {"a.md": "A."}), "bad")()
    vaults = Vaults({"notes": opener(notes, "notes"), "bad": lambda: sound._replace(alive=alive)})
    assert vaults.open() == {}
    async with running(vaults) as client:
        assert (await client.get("/v/bad/api/vault")).status_code == 503
        assert (await client.get("/v/notes/api/vault")).status_code == 200
        fails = False
        monkeypatch.setattr("zkmem.serve.vaults._AGAIN_S", 0)
        assert (await client.get("/v/bad/api/vault")).status_code == 200


@pytest.mark.anyio
async def test_a_vault_is_opened_once_however_many_ask_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.serve.vaults._AGAIN_S", 0)
    vault, tries, may_open = write(tmp_path / "slow", {"a.md": "A.\n"}), [], threading.Event()

    def opened() -> Application:
        tries.append(1)
        if len(tries) == 1:
            raise NoVault("not yet")
        may_open.wait(60)
        return opener(vault, "slow")()

    vaults = Vaults({"slow": opened})
    assert list(vaults.open()) == ["slow"]
    async with running(vaults) as client, anyio.create_task_group() as tasks:
        answers: list[int] = []

        async def ask() -> None:
            answers.append((await client.get("/v/slow/api/vault")).status_code)
            may_open.set()

        for _ in range(5):
            tasks.start_soon(ask)
    assert sorted(answers) == [200, 503, 503, 503, 503]
    assert len(tries) == 2


def deep(config: Path) -> None:
    config.write_text("a = " + "[" * 2_000)


def pipe(config: Path) -> None:
    os.mkfifo(config)


@pytest.mark.parametrize("spoil", [deep, pipe])
def test_a_file_of_settings_that_cannot_be_read_keeps_no_vault_from_being_served(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    notes, bad = two(tmp_path)
    os.mkdir(f"{bad}/.zkmem")
    spoil(Path(bad, ".zkmem/config.toml"))
    with http_server(notes, "zettel", f"bad={bad}") as url:
        served = Served(notes, bad, url.removesuffix("/v/notes/mcp"))
        assert served.get("/v/notes/api/vault").status_code == 200
        assert served.get("/v/bad/api/vault").status_code == 200


def test_tokens_that_cannot_be_read_in_one_vault_do_not_disturb_the_page_of_another(tmp_path: Path) -> None:
    notes, bad = two(tmp_path)
    with http_server(notes, "zettel", f"bad={bad}") as url:
        served = Served(notes, bad, url.removesuffix("/v/notes/mcp"))
        assert served.get("/v/bad/api/vault").status_code == 200  # it is open before its tokens are spoilt
        tokens_of(bad).add("ann")
        os.chmod(f"{bad}/.zkmem/tokens.json", 0o644)
        assert served.get("/v/notes/api/vault").status_code == 200
        assert served.get("/v/bad/api/vault").status_code == 500


@pytest.mark.anyio
async def test_a_vault_that_is_opened_again_needs_a_token_as_before(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"a.md": "A.\n"})
    tokens, common = tokens_of(notes), Common(Limits())
    tokens.add("ann")
    statuses = []
    for _ in range(2):
        served = application(Memory(notes), tokens, Offer(["zettel"]), common=common, name="notes")
        async with (
            served.alive(),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=served.serve), base_url="http://localhost") as client,
        ):
            statuses.append((await client.get("/api/vault")).status_code)
        if statuses == [401]:
            tokens.remove("ann")
    assert statuses == [401, 401]


def test_a_folder_that_became_another_vault_is_not_opened(tmp_path: Path) -> None:
    notes, _ = two(tmp_path)
    common = Common(Limits())
    application(Memory(notes), tokens_of(notes), Offer(["zettel"]), common=common, name="notes")
    os.symlink(notes, tmp_path / "alias")
    with pytest.raises(BadArgument, match="are one folder"), socket.socket() as sock:
        _opened("alias", str(tmp_path / "alias"), "http://localhost", ServeOptions({}), Reach(), common, sock)


# --- the command


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{0}", "{0}"], "The vaults 'notes' and 'notes' are one folder"),
        (["{0}", "x={0}"], "The vaults 'notes' and 'x' are one folder"),
        (["{0}", "x={0}/../notes/"], "The vaults 'notes' and 'x' are one folder"),
        (["{0}", "x={2}"], "The vaults 'notes' and 'x' are one folder"),
        (["{0}", "in={0}/sub"], "The vault 'in' is in the folder of the vault 'notes'"),
        (["in={0}/sub", "{0}"], "The vault 'in' is in the folder of the vault 'notes'"),
        (["{0}", "Notes={1}"], "Two vaults have the name 'notes'"),
        (["{0}", "a b={1}"], "'a b' cannot be the name of a vault in an address."),
        (["{0}", ".={1}"], "'.' cannot be the name of a vault in an address."),
        (["{0}", "Ø={1}"], "'Ø' cannot be the name of a vault in an address."),
        (["{0}", "{1}", "--mode", "stdio"], "A server over stdio or with --per-project has only one vault"),
        (["{0}", "{1}", "--per-project"], "A server over stdio or with --per-project has only one vault"),
        (["{0}/none", "x={1}/none"], "none' does not exist"),
        (["{0}", "{1}", "--allow-host", "notes.example.org"], "make a token first"),
        (["{0}", "{1}", "--oauth-issuer", "https://i.example", "--oauth-resource", "https://n.example/x"],
         "give an address that ends with /mcp"),
    ],
)  # fmt: skip
def test_vaults_that_cannot_be_served_together_are_refused(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    notes, work = two(tmp_path)
    os.mkdir(f"{notes}/sub")
    os.symlink(notes, tmp_path / "link")
    words = [one.format(notes, work, tmp_path / "link") for one in arguments]
    result = CliRunner().invoke(cli, ["serve", "--mode", "http", "--port", "0", *words])
    assert result.exit_code != 0
    assert sentence in str(result.exception)


def test_a_folder_whose_name_looks_like_a_named_vault_is_one_vault(tmp_path: Path) -> None:
    vault = write(tmp_path / "a=b", {"a.md": "A.\n"})
    with http_server(vault) as url:
        assert url.endswith("/mcp")
        assert "/v/" not in url
        assert httpx2.get(url.removesuffix("mcp") + "api/vault").json()["vaults"] == []


def test_one_named_vault_has_the_address_that_it_keeps_when_others_join(tmp_path: Path) -> None:
    notes, _ = two(tmp_path)
    with http_server(f"mine={notes}") as url:
        assert url.endswith("/v/mine/mcp")
