"""Views in a chat, without a browser: who is told of them, and who may call what only they call."""

import pathlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, TextResourceContents

from tests.tools.servers import IN_MEMORY, WAYS, client, http_server
from tests.tools.vaults import read, write
from zkmem.caller import by_program, own_clients
from zkmem.cli.tokens import tokens_of
from zkmem.errors import Forbidden
from zkmem.memory import Memory
from zkmem.serve.mcp.views import Tickets
from zkmem.toolsets.table import TOOLSETS
from zkmem.vault.journal.log import OUTSIDE, client_name, next_edit, origin

pytestmark = pytest.mark.anyio

APPS = [advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})]
TOOLSETS_SERVED = "zettel,history,vault"
OF_VIEWS = {"review_change", "review_decide"}
EVERY = ["cup", "in/a", "tea"]  # what destroys first, then the newest
TEXTS = {"tea.md": "At 80 °C, in a [[cup]].\n", "cup.md": "Of clay.\n", "in/a.md": "One.\n", "in/b.md": "Two.\n"}


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    """A vault with two edits of a client, and one in a folder."""
    folder = write(tmp_path / "vault", TEXTS)
    with Memory(folder) as memory:
        model = memory.on_behalf(client="codex 0.46.0")
        model.write("tea", "At 75 °C, in a [[cup]].\n")
        model.delete("cup")
        model.write("in/a", "Another one.\n")
    return folder


@asynccontextmanager
async def connected(url: str, token: str = "", mode: Literal["auto", "legacy"] = "auto") -> AsyncIterator[Client]:
    """A client that shows views."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, extensions=APPS) as found,
    ):
        yield found


async def shown(view: Client, tool: str = "review", **arguments: object) -> dict[str, Any]:
    """What the view of a tool gets."""
    result = await view.call_tool(tool, arguments)
    assert not result.is_error, result.content
    data: dict[str, Any] = (result.meta or {})["zkmem/view"]
    return data


async def refused(view: Client, tool: str, **arguments: object) -> str:
    result = await view.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


@pytest.mark.parametrize("where", WAYS)
async def test_a_client_without_views_sees_text_and_no_tool_of_a_view(where: tuple[str, str], vault: str) -> None:
    async with client(*where, vault, TOOLSETS_SERVED) as found:
        tools = {tool.name: tool for tool in (await found.list_tools()).tools}
        assert not OF_VIEWS & tools.keys()
        assert tools["review"].meta is None
        result = await found.call_tool("review", {})
        assert getattr(result.content[0], "text", "").splitlines()[1].startswith("cup: deleted")
        assert result.meta is None or "zkmem/view" not in result.meta
        assert result.structured_content is None
        assert (await refused(found, "review_decide", action="keep all", edit=3)).startswith("Unknown tool")


@pytest.mark.parametrize("where", IN_MEMORY)
async def test_a_client_with_views_gets_them_and_their_tools_for_the_view_alone(
    where: tuple[str, str], vault: str
) -> None:
    async with client(*where, vault, TOOLSETS_SERVED, extensions=APPS) as host:
        tools = {tool.name: tool for tool in (await host.list_tools()).tools}
        about = {name: one.meta["ui"] for name, one in tools.items() if one.meta and "ui" in one.meta}
        assert about.keys() == {*OF_VIEWS, "review", "show_map"}
        assert {name for name, one in about.items() if one.get("visibility") == ["app"]} == OF_VIEWS
        for name in ("review", "show_map"):
            [content] = (await host.read_resource(about[name]["resourceUri"])).contents
            assert isinstance(content, TextResourceContents)
            assert content.mime_type == "text/html;profile=mcp-app"
            assert content.meta == {"ui": {"csp": {}, "prefersBorder": True}}
            assert "default-src 'none'" in content.text
            assert "<script src" not in content.text
        with pytest.raises(MCPError, match="no such view"):
            await host.read_resource("ui://zkmem/other.html")
        state = await shown(host)
        assert [line["note"] for line in state["lines"]] == EVERY
        assert state["can_edit"]


async def test_a_person_keeps_undoes_and_is_named_in_the_log(vault: str) -> None:
    with http_server(vault, TOOLSETS_SERVED) as url:
        async with connected(url) as host:
            state = await shown(host)
            cup, _, tea = ({"note": one["note"], "edit": one["edit"], "first": one["first"]} for one in state["lines"])
            ticket = state["ticket"]
            change = await shown(host, "review_change", ticket=ticket, **tea)
            assert "<ins" in change["notes"][0]["passages"][0]["html"]
            preview = await shown(host, "review_change", ticket=ticket, undo=True, **cup)
            assert [(note["name"], note["outcome"]) for note in preview["notes"]] == [("cup", "restored")]
            state = await shown(host, "review_decide", ticket=ticket, action="keep", **tea)
            assert [one["note"] for one in state["lines"]] == ["cup", "in/a"]
            state = await shown(host, "review_decide", ticket=ticket, action="undo", **cup)
            assert [one["note"] for one in state["lines"]] == ["in/a"]
            assert "cup.md" in read(vault)
            state = await shown(host, "review_decide", ticket=ticket, action="keep all", edit=state["last"])
            assert (state["lines"], state["sentence"]) == ([], "Nothing is new.")
            assert not (await shown(host))["lines"]
    with Memory(vault) as memory:
        [undo] = memory.log(limit=1)
        assert (undo.tool, undo.author) == ("undo", "review in a chat")


async def test_without_the_ticket_of_its_own_session_nothing_is_done(vault: str) -> None:
    with http_server(vault, TOOLSETS_SERVED) as url:
        async with connected(url, mode="legacy") as host, connected(url, mode="legacy") as other:
            ticket = (await shown(host))["ticket"]
            end, _, signature = ticket.partition(".")
            given = {"action": "keep all", "edit": 3}
            for wrong in (None, "", "x", "é", 7, f"{int(end) + 9}.{signature}", f"9e9.{signature}"):
                sentence = await refused(host, "review_decide", ticket=wrong, **given)
                assert sentence.startswith("Only a person can call this tool"), wrong
            assert (await refused(other, "review_decide", ticket=ticket, **given)).startswith("Only a person")
            assert len((await shown(host))["lines"]) == 3


def test_a_ticket_ends() -> None:
    ended, lasting = Tickets(lasts_s=-1), Tickets()
    lasting.check(lasting.make(("ann", "1")), ("ann", "1"))
    for tickets, holder in ((ended, ("ann", "1")), (lasting, ("ann", "2"))):
        with pytest.raises(Forbidden):
            tickets.check(tickets.make(("ann", "1")), holder)


async def test_the_rights_of_a_token_hold_for_the_view(vault: str) -> None:
    tokens = tokens_of(vault)
    reader, guest, model = tokens.add("r", read_only=True), tokens.add("g", folder="in"), tokens.add("m", propose=True)
    owner = tokens.add("ann")
    cup = {"note": "cup", "edit": 2, "first": 2}
    with http_server(vault, TOOLSETS_SERVED) as url:
        async with connected(url, guest) as host:
            state = await shown(host)
            assert [one["note"] for one in state["lines"]] == ["in/a"]
            assert "cup" not in str(state)
            assert await refused(host, "review_change", ticket=state["ticket"], **cup)
            assert await refused(host, "review_decide", ticket=state["ticket"], action="undo", **cup)
        async with connected(url, reader) as host:
            state = await shown(host)
            assert not state["can_edit"]
            assert "reading only" in await refused(host, "review_decide", ticket=state["ticket"], action="undo", **cup)
            state = await shown(host, "review_decide", ticket=state["ticket"], action="keep", **cup)
            assert [one["note"] for one in state["lines"]] == EVERY[1:]
        async with connected(url, model) as host:
            await host.call_tool("set_content", {"name": "mug", "content": "Big.\n"})
            state = await shown(host)
            assert (state["can_edit"], state["proposed"]) == (False, [])
            assert [one["note"] for one in state["lines"]] == ["mug"]
            assert state["remark"].startswith("These edits are proposed")
            accept = {"ticket": state["ticket"], "action": "accept", "client": "m"}
            assert "you cannot accept" in await refused(host, "review_decide", **accept)
        async with connected(url, owner) as host:
            state = await shown(host)
            assert [one["note"] for one in state["lines"]] == EVERY, "each person has marks of their own"
            [proposed] = state["proposed"]
            assert proposed["total"] == 1
            accept = {"ticket": state["ticket"], "action": "accept", "client": "m", "seen": proposed["ended"]}
            assert (await shown(host, "review_decide", **accept))["proposed"] == []
    assert read(vault)["mug.md"] == b"Big.\n"


@pytest.mark.parametrize(
    "client",
    [
        ("review  in a", "chat"),
        ("Page", "1.0"),
        ("ann: page", ""),
        ("You", "2"),
        ("by hand", ""),
        ("you\u034f", ""),
        ("\uff59ou\u3164", ""),
    ],
)
async def test_no_client_has_the_name_of_a_persons_own_edits(vault: str, client: tuple[str, str]) -> None:
    name, version = client
    with http_server(vault, TOOLSETS_SERVED) as url:
        async with Client(url, client_info=Implementation(name=name, version=version)) as model:
            await model.call_tool("set_content", {"name": "mug", "content": "Big.\n"})
    with Memory(vault) as memory:
        assert memory.log(limit=1)[0].author == client_name(f"program {' '.join(f'{name} {version}'.split())}")


@given(
    st.sampled_from(["", "ann", "page", "ann: page", "x" * 294]),
    st.lists(st.sampled_from(["page", "review in a chat", "hand", ": ", " ", "\x00", "\u200b", "x" * 290, "1.0", "2"])),
)
async def test_no_program_is_called_as_a_person_is(name: str, parts: list[str]) -> None:
    edit = next_edit(None, "", by_program(name, "".join(parts)), ())
    assert client_name(edit.client).casefold() not in own_clients("") | own_clients("ann") | own_clients(name)
    assert client_name(edit.client) not in {*OUTSIDE, *map(origin, OUTSIDE)}


def test_the_map_names_the_neighbours_and_bounds_them(tmp_path: pathlib.Path) -> None:
    many = {f"n{number}.md": "[[hub]]\n" for number in range(60)}
    folder = write(tmp_path, {"hub.md": "[[a/tea]] [[gone]]\n", "a/tea.md": "[[hub]]\n", **many})
    tool = next(one for one in TOOLSETS["vault"].tools if one.name == "show_map")
    with Memory(folder) as memory:
        result = tool.call(memory, {"name": "hub"})
    assert result.texts[0].startswith("hub; weight ")
    assert "links to: a/tea, gone; linked from: " in result.texts[0]
    assert len(result.texts[0]) <= 500
    notes = {one["name"]: one for one in result.data["notes"]}  # type: ignore[attr-defined]
    assert (len(notes), result.data["more"]) == (40, 22)
    assert (notes["a/tea"]["to"], notes["a/tea"]["from"], notes["a/tea"]["missing"]) == (True, True, False)
