"""Proposed edits through real servers: a client proposes over stdio or with a token, a person accepts over HTTP."""

import os
import pathlib
import signal
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.tools.forked import zkmem_program
from tests.tools.servers import http_server
from tests.tools.vaults import read, write
from zkmem.caller import DRAFTER, IMPORT, LOCAL, Caller, Grant, proposer
from zkmem.cli.tokens import tokens_of
from zkmem.memory import Memory

pytestmark = pytest.mark.anyio

NOTES = {"tea.md": "Steep it at 80 °C.\n", "cup.md": "Of clay, for [[tea]].\n"}


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "vault", NOTES)


def ask(url: str, method: str, path: str, token: str = "", **options: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = httpx2.request(method, url.removesuffix("/mcp") + "/api" + path, headers=headers, timeout=30, **options)
    answer.raise_for_status()
    return answer.json()


async def test_a_client_over_stdio_proposes_and_a_person_accepts_over_http(vault: str) -> None:
    command = StdioServerParameters(command=zkmem_program(), args=["serve", vault, "--propose"])
    with http_server(vault) as url:
        async with Client(command) as model:
            assert "Your edits are proposed" in str(model.instructions)
            await model.call_tool("set_content", {"name": "tea", "content": "At 70 °C, in a [[cup]].\n"})
            await model.call_tool("set_content", {"name": "mug", "content": "Big.\n"})
            found = await model.call_tool("get_content", {"name": "tea"})
            assert "At 70" in str(found.content)
            assert read(vault) == {path: text.encode() for path, text in NOTES.items()}
            [proposed] = ask(url, "GET", "/proposed")["change_sets"]
            assert (proposed["client"], proposed["total"]) == ("local", 2)
            [note] = ask(url, "GET", "/proposed/changes?client=local&edit=2")["notes"]
            assert (note["name"], note["outcome"]) == ("mug", "created")
            assert ask(url, "POST", "/proposed/drop", json={"client": "local", "edits": [2]}) == {"dropped": [2]}
            gone = await model.call_tool("get_content", {"name": "mug"})
            assert gone.is_error
            done = ask(url, "POST", "/proposed/accept", json={"client": "local"})
            assert done == {"accepted": [1], "left": []}
            assert read(vault)["tea.md"].decode() == "At 70 °C, in a [[cup]].\n"
        assert ask(url, "GET", "/proposed") == {"change_sets": []}
        assert ask(url, "GET", "/log")["edits"][0]["tool"] == "set_content"


async def test_imported_notes_are_listed_and_chosen_by_project_and_month(vault: str) -> None:
    with Memory(vault, Caller(Grant(proposes_as="import"), tool="import")) as importing:
        for name in ("tea/2026-10-03 a", "tea/2026-10-04 b", "tea/2026-11-01 c", "garden/2026-11-02 d", "garden/e"):
            importing.write(f"conversations/{name}", "Said.\n")
    with http_server(vault) as url:
        [proposed] = ask(url, "GET", "/proposed?month=2026-10&from=1")["change_sets"]
        assert (proposed["total"], [one["edit"] for one in proposed["edits"]]) == (2, [2])
        assert proposed["groups"] == [
            {"project": "garden", "month": "", "total": 1},
            {"project": "garden", "month": "2026-11", "total": 1},
            {"project": "tea", "month": "2026-10", "total": 2},
            {"project": "tea", "month": "2026-11", "total": 1},
        ]
        assert ask(url, "GET", "/proposed?client=nobody") == {"change_sets": []}
        group = {"client": "import", "project": "Tea", "month": "2026-10"}
        assert ask(url, "POST", "/proposed/accept", json=group) == {"accepted": [1, 2], "left": []}
        assert ask(url, "POST", "/proposed/drop", json={"client": "import", "month": ""}) == {"dropped": [5]}
        assert ask(url, "POST", "/proposed/drop", json={"client": "import", "project": "garden"}) == {"dropped": [4]}
    assert "conversations/tea/2026-10-03 a.md" in read(vault)


async def test_a_person_gets_an_event_when_another_process_proposes_edits(vault: str) -> None:
    command = StdioServerParameters(command=zkmem_program(), args=["serve", vault, "--propose"])
    with http_server(vault) as url:
        async with (
            httpx2.AsyncClient(timeout=30) as http,
            http.stream("GET", url.removesuffix("/mcp") + "/api/events") as stream,
            Client(command) as model,
        ):
            events = (line async for line in stream.aiter_lines() if line.startswith("event: "))
            with anyio.fail_after(60):
                assert await anext(events) == "event: hello"
                for name in ("mug", "bowl"):
                    await model.call_tool("set_content", {"name": name, "content": "Big.\n"})
                    assert await anext(events) == "event: proposed"
                ask(url, "POST", "/proposed/drop", json={"client": "local"})
                assert await anext(events) == "event: proposed"


async def test_a_token_that_proposes_writes_nothing_over_mcp_or_the_api(vault: str) -> None:
    tokens = tokens_of(vault)
    model, person = tokens.add("model", propose=True), tokens.add("ann")
    with http_server(vault) as url:
        assert ask(url, "GET", "/vault", model)["proposes"]
        assert not ask(url, "GET", "/vault", person)["proposes"]
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {model}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            await client.call_tool("rename_content", {"name": "tea", "new_name": "green tea"})
        headers = {"If-None-Match": "*", "Authorization": f"Bearer {model}"}
        made = httpx2.put(
            url.removesuffix("/mcp") + "/api/notes/new", headers=headers, json={"content": "New.\n"}, timeout=30
        )
        assert made.status_code == 201
        assert read(vault) == {path: text.encode() for path, text in NOTES.items()}
        assert ask(url, "GET", "/names?q=&count=10", model)["names"] == ["cup", "green tea", "new"]
        assert set(ask(url, "GET", "/graph", model)["names"]) >= {"green tea", "new"}
        assert ask(url, "GET", "/names?q=&count=10", person)["names"] == ["cup", "tea"]
        refused = httpx2.post(
            url.removesuffix("/mcp") + "/api/proposed/accept",
            headers={"Authorization": f"Bearer {model}"},
            json={"client": "model"},
            timeout=30,
        )
        assert refused.status_code == 403
        assert ask(url, "POST", "/proposed/accept", person, json={"client": "model"})["accepted"] == [1, 2]
        assert read(vault).keys() == {"cup.md", "green tea.md", "new.md"}
        clients = {one["client"].split(" ")[1] for one in ask(url, "GET", "/log", person)["edits"]}
        assert clients == {"mcp", "api"}


async def test_over_http_the_whole_server_proposes_for_mcp_and_not_for_the_page(vault: str) -> None:
    with http_server(vault, "zettel", "--propose") as url:
        async with Client(url) as model:
            await model.call_tool("set_content", {"name": "mug", "content": "Big.\n"})
        assert not ask(url, "GET", "/vault")["proposes"]
        assert "mug.md" not in read(vault)
        assert ask(url, "POST", "/proposed/accept", json={"client": "local"})["accepted"] == [1]
        assert read(vault)["mug.md"] == b"Big.\n"


@pytest.mark.parametrize("own", [LOCAL, IMPORT, DRAFTER])
@pytest.mark.parametrize("propose", [True, False])
async def test_nobody_reads_what_zkmem_proposes_under_a_name_of_its_own(vault: str, own: str, propose: bool) -> None:
    with Memory(vault, Caller(Grant(proposes_as=own))) as waiting:
        waiting.write("waiting", "Said.\n")
    token = tokens_of(vault).add(own, propose=propose)
    with http_server(vault, "zettel", *([] if propose else ["--propose"])) as url:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as model,
        ):
            await model.call_tool("set_content", {"name": "mug", "content": "Big.\n"})
            answer = await model.call_tool("get_content", {"name": "waiting"})
            assert answer.is_error
    with Memory(vault) as person:
        assert [one.client for one in person.proposed()] == sorted([own, f"client {own}"])


def test_no_two_names_propose_as_one() -> None:
    names = ["local", "client local", "client client local", "client ann", "ann", "client  local", "local "]
    assert len({proposer(name) for name in names} | {LOCAL, IMPORT, DRAFTER}) == len(names) + 3


async def test_proposed_edits_survive_the_server(vault: str) -> None:
    token = tokens_of(vault).add("model", propose=True)
    headers = {"If-None-Match": "*"}
    with http_server(vault) as url:
        for name in ("a", "b", "c"):
            httpx2.put(
                url.removesuffix("/mcp") + f"/api/notes/{name}",
                headers=headers | {"Authorization": f"Bearer {token}"},
                json={"content": f"[[{name}]]\n"},
                timeout=30,
            ).raise_for_status()
        kill_server_of(vault)
    with http_server(vault) as url:
        assert ask(url, "GET", "/notes/b", token)["text"] == "[[b]]\n"
    assert read(vault).keys() == NOTES.keys()


def kill_server_of(vault: str) -> None:
    """Kill the server process that serves a vault."""
    for process in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if vault.encode() in file.read().split(b"\0"):
                    os.kill(int(process), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def test_a_person_merges_both_versions_of_a_note_that_a_blocked_edit_changes(vault: str) -> None:
    with http_server(vault) as url:
        with Memory(vault, Caller(Grant(proposes_as="night"), client="night: bot")) as bot:
            bot.write("tea", "Steep it at 70 °C.\n")
            bot.write("tea", "Then wait.\n", append=True)
        assert ask(url, "GET", "/proposed/blocked?client=night")["edits"] == []
        with Memory(vault) as person:
            person.write("tea", "Steep it at 90 °C.\n")
            person.rename("tea", "green tea")
        blocked = ask(url, "GET", "/proposed/blocked?client=night")["edits"]
        assert [(one["edit"], one["note"]) for one in blocked] == [(1, "green tea"), (2, "")]
        versions = ask(url, "GET", "/proposed/versions?client=night&edit=1")
        texts = ["Steep it at 80 °C.\n", "Steep it at 70 °C.\n", "Steep it at 90 °C.\n"]
        assert [versions[key] for key in ("name", "base", "mine", "theirs")] == ["green tea", *texts]
        merged = {"text": "Steep it at 75 °C.\n", "etag": versions["etag"]}
        done = ask(url, "POST", "/proposed/accept", json={"client": "night", "edits": [1], **merged})
        assert done == {"accepted": [1], "left": []}
        assert read(vault)["green tea.md"].decode() == "Steep it at 75 °C.\n"
        assert ask(url, "GET", "/log?count=1")["edits"][0]["client"] == "night: bot"
        assert ask(url, "POST", "/proposed/accept", json={"client": "night"}) == {"accepted": [2], "left": []}
        assert read(vault)["green tea.md"].decode() == "Steep it at 75 °C.\n\nThen wait.\n"
