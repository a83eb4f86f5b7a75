"""From which conversation an edit came: real clients on a real server, and the hooks that these clients run."""

import json
import os
import pathlib
import stat
from collections.abc import Mapping
from typing import Any, cast

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation, RequestParamsMeta

from tests.tools.forked import zkmem_command, zkmem_program
from tests.tools.servers import http_server
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.clients.events import HOOK_CLIENTS
from zkmem.errors import BadArgument, Forbidden
from zkmem.memory import Memory
from zkmem.vault.journal import origins
from zkmem.vault.journal.state import StateFolder

pytestmark = pytest.mark.anyio

INFO = {"claude-code": "claude-code", "codex": "codex-mcp-client", "gemini": "gemini-cli-mcp-client"}
SLOW = {"ZKMEM_HOOK_MS": "10000"}


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "vault", {"hint.md": "Start here.\n"})


def hook(vault: str, client: str, event: str, **environ: str) -> Any:
    """A function that runs the hook of an event in a process, as the client does."""

    def run(session: str, **values: object) -> None:
        data = json.dumps({"session_id": session, **values})
        command = ("hook", event, "--client", client, "--vault", vault)
        zkmem_command(*command, given=data, environ={**os.environ, **SLOW, **environ}, check=True)

    return run


class Talk:
    """A conversation with a client: what the person says, and the tools that the client calls."""

    def __init__(self, vault: str, name: str, session: str, model: Client, **environ: str) -> None:
        self.name, self.session, self.model = name, session, model
        self.prompt, self.used = (hook(vault, name, event, **environ) for event in ("prompt", "tool-used"))

    def say(self, text: str) -> None:
        self.prompt(self.session, prompt=text)

    async def call(self, tool: str, call: str, arguments: Mapping[str, object]) -> None:
        key = HOOK_CLIENTS[self.name].call
        await self.model.call_tool(tool, dict(arguments), meta=cast("RequestParamsMeta", {key: call}) if key else None)

    def told(self, tool: str, call: str, arguments: Mapping[str, object]) -> None:
        self.used(self.session, tool_name=f"mcp__zkmem__{tool}", tool_input=arguments, tool_use_id=call)

    async def write(self, note: str, text: str, call: str) -> None:
        arguments = {"name": note, "content": text}
        await self.call("set_content", call, arguments)
        self.told("set_content", call, arguments)


def origin(vault: str, note: str) -> tuple[str, str, str]:
    """The client of the only passage of a note, and what the person had said first and last."""
    [passage] = Memory(vault).why(note)
    return passage.client, passage.title, passage.said


def info(name: str) -> Implementation:
    return Implementation(name=INFO[name], version="2.1")


@pytest.mark.parametrize("name", ["claude-code", "codex"])
async def test_two_conversations_at_once_are_told_apart(vault: str, name: str) -> None:
    with http_server(vault) as url:
        async with Client(url, client_info=info(name)) as one, Client(url, client_info=info(name)) as other:
            tea, sleep = Talk(vault, name, "tea", one), Talk(vault, name, "sleep", other)
            tea.say("Let us talk about tea.")
            sleep.say("I sleep badly.")
            tea.say("Never above 80 °C,\nit gets bitter.")
            arguments = {"name": "log", "content": "The same words.\n"}
            await tea.call("set_content", "t1", arguments)
            await sleep.call("set_content", "s1", {"name": "sleep", "content": "Badly.\n"})
            await sleep.call("set_content", "s2", arguments)  # changes nothing
            sleep.told("set_content", "s2", arguments)
            sleep.told("set_content", "s1", arguments)
            assert origin(vault, "log") == (INFO[name], "", "")  # the hook of its call has not run
            tea.told("set_content", "t1", arguments)
            await tea.write("tea", "At 80 °C.\n", "t2")
    said = "Never above 80 °C, it gets bitter."
    assert origin(vault, "log") == origin(vault, "tea") == (INFO[name], "Let us talk about tea.", said)
    assert origin(vault, "sleep") == (INFO[name], "", "I sleep badly.")  # the first message is the last one
    [passage] = Memory(vault).why("tea")
    assert passage.in_words.endswith(
        f"edit 3 (created tea), in the conversation {passage.session}, which began with 'Let us talk about tea.': "
        f"you had said {said!r}"
    )
    for session in ("tea", passage.session, f"{name}/tea"):
        assert [one.edit for one in Memory(vault).edits_of_session(session)] == [3, 1]


async def test_an_edit_is_of_no_conversation_unless_the_ids_and_the_client_agree(vault: str) -> None:
    command = StdioServerParameters(command=zkmem_program(), args=["serve", vault])
    async with Client(command, client_info=info("claude-code")) as model:
        talk = Talk(vault, "claude-code", "tea", model)
        talk.say("I like tea.")
        await talk.call("set_content", "1", {"name": "other id", "content": "x"})
        talk.told("set_content", "2", {"name": "other id", "content": "x"})
        await talk.call("set_content", "3", {"name": "other client", "content": "x"})
        Talk(vault, "codex", "tea", model).told("set_content", "3", {})
        await talk.call("set_content", "4", {"name": "two sessions", "content": "x"})
        for session in ("one", "two"):
            Talk(vault, "claude-code", session, model).told("set_content", "4", {})
        no_id = cast("RequestParamsMeta", {"claudecode/toolUseId": 5})
        await model.call_tool("set_content", {"name": "odd", "content": "x"}, meta=no_id)
        talk.told("get_content", "6", {"name": "odd"})  # reads
    for note in ("other id", "other client", "two sessions", "odd"):
        assert origin(vault, note) == ("claude-code", "", ""), note
        assert [one.session for one in Memory(vault).why(note)] == [""], note
    async with Client(command, client_info=info("gemini")) as model:  # it gives calls no id
        await Talk(vault, "gemini", "tea", model).write("mate", "x", "7")
    assert origin(vault, "mate") == (INFO["gemini"], "", "")


async def test_what_is_kept_is_bounded_without_secrets_and_off_by_a_setting(vault: str) -> None:
    key = "sk-" + "4fJ8x2Lq" * 5
    async with Client(
        StdioServerParameters(command=zkmem_program(), args=["serve", vault]), client_info=info("claude-code")
    ) as model:
        talk = Talk(vault, "claude-code", "tea", model, ZKMEM_HOOK_PROMPT="false")
        talk.say(f"My key is {key}")
        await talk.write("a", "x\n", "1")
        talk.say("Wörter " * 1_000)
        await talk.write("b", "x\n", "2")
        off = Talk(vault, "claude-code", "other", model, ZKMEM_HOOK_ORIGINS="false")
        off.say("Nothing of this.")
        await off.write("c", "x\n", "3")
    assert origin(vault, "a") == ("claude-code", "", "(left out: it looks like it has a key)")
    assert origin(vault, "b")[2].startswith("Wörter Wörter")
    assert len(origin(vault, "b")[2].encode()) <= 300
    assert origin(vault, "c") == ("claude-code", "", "")
    kept = [path.read_bytes() for path in pathlib.Path(vault, ".zkmem").rglob("*") if path.is_file()]
    assert not any(words in data for data in kept for words in (key.encode(), b"Nothing of this."))
    assert stat.S_IMODE(pathlib.Path(vault, ".zkmem/origins.jsonl").stat().st_mode) == 0o600


def made_up(vault: str, **values: object) -> Memory:
    """A memory whose next edits are of a conversation."""
    memory = Memory(vault)
    memory.write("x", "x\n")
    about = {"client": "claude-code", "session": "s", "title": "t", "said": "T!"}
    line = {"call": origins.hash_of("1"), "time": 0.0, **about}
    with pathlib.Path(vault, ".zkmem/origins.jsonl").open("a") as file:
        file.write(json.dumps(line | values, separators=(",", ":")) + "\n")
    return memory.on_behalf(client="claude-code 2.1", call="1")


def test_a_caller_with_a_folder_and_a_model_with_a_private_note_are_not_told_what_was_said(vault: str) -> None:
    memory = made_up(vault)
    memory.write("topics/tea", "Tea.\n")
    memory.write("topics/mine", "---\nprivate: true\n---\nMine.\n")
    confined, model = memory.restricted(Grant("topics")), memory.on_behalf(tools=["why"])
    for note, who, said in (
        ("tea", memory, "T!"), ("tea", model, "T!"), ("tea", confined, ""), ("mine", memory, "T!"), ("mine", model, ""),
    ):  # fmt: skip
        [*_, passage] = who.why(f"topics/{note}")
        assert (passage.said, bool(passage.session)) == (said, bool(said)), (note, said)
    for call in (confined.edits_of_session, lambda session: confined.undo(session=session)):
        with pytest.raises(Forbidden):
            call("s")


@pytest.mark.parametrize("count", [1, 30])
def test_an_accepted_edit_keeps_the_conversation_that_proposed_it(vault: str, count: int) -> None:
    memory = made_up(vault)
    for number in range(count):
        memory.restricted(Grant(proposes_as="local")).write(f"tea {number}", "Tea.\n")
    assert len(Memory(vault).on_behalf(client="page", call="2").accept("local").accepted) == count
    assert {origin(vault, f"tea {number}") for number in range(count)} == {("claude-code", "t", "T!")}


def test_what_a_session_wrote_is_taken_back_and_nothing_else(vault: str) -> None:
    before = read(vault)
    memory = made_up(vault)
    memory.write("tea", "Tea.\n")
    Memory(vault).on_behalf(client="claude-code 2.1", call="2").write("cup", "Cup.\n")
    memory.write("hint", "See [[tea]].\n", append=True)
    assert {change.path for change in memory.preview_undo(session="s").changes} == {"hint.md", "tea.md"}
    zkmem_command("undo", "--session", "s", "-C", vault, check=True)
    assert read(vault) == before | {"x.md": b"x\n", "cup.md": b"Cup.\n"}
    assert [one.undone for one in memory.edits_of_session("s")] == [True, True]
    for wrong in ({"session": "nobody"}, {"session": "s", "edit": 1}, {"session": "s", "count": 2}):
        with pytest.raises(BadArgument):
            memory.undo(**wrong)


def test_the_file_of_conversations_is_bounded_and_made_up_lines_are_passed_over(
    vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for values in ({"said": 1}, {"said": "x" * 301}, {"said": "a\nb"}, {"time": float("inf")}, {"more": 1}):
        memory = made_up(vault, **values)
    memory.write("tea", "Tea.\n")
    assert origin(vault, "tea") == ("claude-code", "", "")
    monkeypatch.setattr(origins, "_MOST_BYTES", 10_000)
    known = origins.Conversations(StateFolder(vault))
    for number in range(1_000):
        known.add(origins.Conversation(origins.hash_of(str(number)), 0.0, "codex", "s", "t", "Said."))
    assert pathlib.Path(vault, ".zkmem/origins.jsonl").stat().st_size <= 10_200
    assert known.of_session("s").keys() > {origins.hash_of("999")}
