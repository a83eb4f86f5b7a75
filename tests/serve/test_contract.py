"""What the command line, MCP over each transport, and the API must do alike: one test class, run on each of them."""

import json
import os
import pathlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import httpx2 as httpx
import pytest
from anyio.from_thread import start_blocking_portal

from tests.tools.forked import zkmem_command
from tests.tools.servers import client, http_server
from tests.tools.vaults import read, write
from zkmem.memory import Memory

FILES = {"hint.md": "[[animals]]\n", "animals.md": "Cats.\n"}


class Answer(NamedTuple):
    refused: bool
    text: str


Ask = Callable[..., Answer]
"""Calls a tool with its arguments."""


@contextmanager
def command_line(vault: str) -> Iterator[Ask]:
    def ask(tool: str, **given: str) -> Answer:
        words = [f"{name}={value}" for name, value in given.items()]
        done = zkmem_command("call", "-C", vault, "--", tool, *words)
        return Answer(done.returncode != 0, done.stdout + done.stderr)

    yield ask


@contextmanager
def mcp(transport: str, vault: str) -> Iterator[Ask]:
    connection = client(transport, "2026-07-28", vault)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connection) as connected:

        def ask(tool: str, **given: str) -> Answer:
            result = portal.call(connected.call_tool, tool, given)
            return Answer(bool(result.is_error), "\n".join(block.text for block in result.content))

        yield ask


@contextmanager
def api(vault: str) -> Iterator[Ask]:
    with http_server(vault) as url, httpx.Client(base_url=url.replace("/mcp", "/api")) as http:

        def ask(tool: str, **given: str) -> Answer:
            path = f"/notes/{given['name']}"
            if tool == "get_content":
                answer = http.get(path)
            elif tool == "set_content":
                match = {"If-Match": f'"{given["etag"]}"'} if "etag" in given else {"If-None-Match": "*"}
                answer = http.put(path, json={"content": given["content"]}, headers=match)
            else:
                answer = http.post("/rename" if tool == "rename_content" else "/extract", json=given)
            return Answer(answer.is_error, json.dumps(answer.json(), ensure_ascii=False))

        yield ask


FACES = {
    "command line": command_line,
    "MCP in memory": lambda vault: mcp("memory", vault),
    "MCP over stdio": lambda vault: mcp("stdio", vault),
    "MCP over HTTP": lambda vault: mcp("http", vault),
    "API": api,
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("vault"), FILES)


@pytest.fixture(scope="module", params=FACES)
def ask(request: pytest.FixtureRequest, vault: str) -> Iterator[Ask]:
    with FACES[request.param](vault) as ask:
        yield ask


@pytest.fixture
def before(vault: str) -> dict[str, bytes]:
    return read(vault)


class TestEachWayToAsk:
    def test_a_note_that_is_written_is_in_its_file_and_can_be_read(self, ask: Ask, vault: str) -> None:
        name = f"new {len(os.listdir(vault))}"
        assert not ask("set_content", name=name, content="[[hint]] é\n").refused
        assert read(vault)[f"{name}.md"] == "[[hint]] é\n".encode()
        answer = ask("get_content", name=name)
        assert (answer.refused, "[[hint]] é" in answer.text) == (False, True)

    def test_an_edit_is_in_the_log_of_every_process(self, ask: Ask, vault: str) -> None:
        name = f"logged {len(os.listdir(vault))}"
        ask("set_content", name=name, content="x")
        assert Memory(vault).log()[0].notes == (name,)

    def test_a_rename_rewrites_links(self, ask: Ask, vault: str) -> None:
        number = len(os.listdir(vault))
        write(vault, {f"from {number}.md": f"[[to {number}]]", f"to {number}.md": ""})
        assert not ask("rename_content", name=f"to {number}", new_name=f"elsewhere {number}").refused
        assert read(vault)[f"from {number}.md"] == f"[[elsewhere {number}]]".encode()

    def test_a_new_name_without_a_folder_stays_in_the_folder_and_one_that_a_note_has_means_that_note(
        self, ask: Ask, vault: str
    ) -> None:
        number = len(os.listdir(vault))
        folder, other = f"in {number}", f"other {number}"
        write(vault, {f"{folder}/a.md": "A. Words.\n", f"{folder}/b.md": "B.\n", f"{other}/c{number}.md": "C.\n"})
        answer = ask("extract_content", name=f"{folder}/a", content="Words.", new_name=f"new {number}")
        assert (answer.refused, f"{folder}/new {number}" in answer.text) == (False, True)
        assert f"{folder}/d.md" not in read(vault)
        answer = ask("rename_content", name=f"{folder}/a", new_name="d")
        assert (answer.refused, "new folder" in answer.text) == (False, False)
        assert f"{folder}/d.md" in read(vault)
        answer = ask("rename_content", name=f"{folder}/d", new_name=f"/d {number}")
        assert (answer.refused, f"new folder: the root (before: {folder})" in answer.text) == (False, True)
        assert f"d {number}.md" in read(vault)
        answer = ask("rename_content", name=f"{folder}/b", new_name=f"{other}/")
        assert (answer.refused, f"new folder: {other}" in answer.text) == (False, True)
        answer = ask("rename_content", name=f"{other}/b", new_name=f"C{number}")
        assert (answer.refused, f"{other}/c{number}" in answer.text) == (False, True)
        assert read(vault)[f"{other}/c{number}.md"] == b"C.\n\n---\n\nB.\n"

    def test_a_stale_etag_is_refused_and_nothing_changes(self, ask: Ask, vault: str, before: dict[str, bytes]) -> None:
        answer = ask("set_content", name="animals", content="Dogs.\n", etag="0" * 12)
        assert (answer.refused, "changed" in answer.text) == (True, True)
        assert read(vault) == before

    def test_a_whole_text_overwrites_nothing_that_a_person_has_saved_since_the_note_was_read(
        self, ask: Ask, vault: str, request: pytest.FixtureRequest
    ) -> None:
        name = f"read {len(os.listdir(vault))}"
        write(vault, {f"{name}.md": "As it was read.\n"})
        assert not ask("get_content", name=name).refused
        write(vault, {f"{name}.md": "By hand.\n"})
        answer = ask("set_content", name=name, content="By a model.\n")
        if request.node.callspec.params["ask"] == "command line":  # each command is a session that has read nothing
            assert not answer.refused
            Memory(vault).undo()
        else:
            assert (answer.refused, "By hand." in answer.text) == (True, True)
        assert read(vault)[f"{name}.md"] == b"By hand.\n"

    def test_an_unknown_note_is_refused_with_the_nearest_name(
        self, ask: Ask, vault: str, before: dict[str, bytes]
    ) -> None:
        answer = ask("get_content", name="animal")
        assert (answer.refused, "animals" in answer.text) == (True, True)
        answer = ask("rename_content", name="animal", new_name="beasts")
        assert (answer.refused, "animals" in answer.text) == (True, True)
        assert read(vault) == before

    def test_a_name_outside_of_the_vault_is_refused_and_nothing_changes(
        self, ask: Ask, vault: str, before: dict[str, bytes]
    ) -> None:
        assert ask("rename_content", name="animals", new_name="../animals").refused
        assert read(vault) == before
        assert not os.path.exists(pathlib.Path(vault).parent / "animals.md")
