"""The programs in examples/, run as their users run them."""

import asyncio
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from tests.tools.models import completion, endpoint
from zkmem import Memory

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> pathlib.Path:
    root = tmp_path / "vault"
    root.mkdir()
    return root


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_short_and_in_the_document() -> None:
    page = (EXAMPLES.parent / "docs" / "how-to" / "python.md").read_text("utf-8")
    for file in EXAMPLES.glob("*.py"):
        assert len(file.read_text("utf-8").splitlines()) < 100
        assert f"(../../examples/{file.name})" in page


def test_the_script_collects_what_all_notes_have_decided(vault: pathlib.Path) -> None:
    (vault / "monday.md").write_text("# Monday\n\n- decided: green tea\n- decided: no sugar\n")
    (vault / "other.md").write_text("Nothing was decided.\n")
    for outcome in ("created", "unchanged"):
        command = [sys.executable, str(EXAMPLES / "note_script.py"), str(vault)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == f"{outcome} Decisions: 2 decisions\n"
    assert (vault / "Decisions.md").read_text() == (
        "# Decisions\n\n- green tea ([[monday]])\n- no sugar ([[monday]])\n"
    )


def test_the_loop_gives_a_model_the_tools_and_every_answer(vault: pathlib.Path) -> None:
    def wish(tool: str, **arguments: Any) -> dict[str, Any]:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        return {"id": f"call {tool}", "type": "function", "function": function}

    first, second = [wish("set_content", name="tea", content="Green.")], [wish("get_content", name="none"), wish("foo")]

    def answer(body: dict[str, Any]) -> tuple[int, bytes]:
        calls = [first, second, []][sum(one["role"] == "assistant" for one in body["messages"])]
        reply = completion("Green tea.")
        if calls:
            reply["choices"][0]["message"] |= {"content": None, "tool_calls": calls}
        return 200, json.dumps(reply).encode()

    loop = example("agent_loop")
    with endpoint(answer) as (url, asked), Memory(str(vault)) as memory:
        import openai  # noqa: PLC0415 - a second for each worker of the tests

        client = openai.OpenAI(base_url=url, api_key="x")
        assert loop.answer(memory, client, "m", "What tea?") == "Green tea."
        assert (vault / "tea.md").read_text() == "Green."
        told = [one["content"] for one in asked[-1]["messages"] if one["role"] == "tool"]
    assert told[0].startswith("created tea")
    assert told[1].startswith("Error: There is no note 'none'.")
    assert told[2] == "Error: 'foo'"
    assert {one["function"]["name"] for one in asked[0]["tools"]} >= {"get_content", "set_content"}


def test_langgraph_keeps_its_items_as_notes(vault: pathlib.Path) -> None:
    if not os.environ.get("ZKMEM_TEST_CLIENTS"):
        pytest.importorskip("langgraph.store.base", reason="pip install langgraph-checkpoint")
    with Memory(str(vault)) as memory:
        store = example("langgraph_store").NoteStore(memory, "agents")
        ann, bob = ("users", "ann"), ("users", "bob/x")
        store.put(ann, "tea", {"text": "She prefers [[green tea]].", "rating": 5, "tags": ["drink"]})
        store.put(ann, "~hidden.md", {"rating": 1})
        store.put(bob, "tea", {"text": "He has coffee."})
        assert (vault / "agents/users/ann/tea.md").read_text().endswith("---\n\nShe prefers [[green tea]].\n")
        item = store.get(ann, "tea")
        assert item.value == {"text": "She prefers [[green tea]].", "rating": 5, "tags": ["drink"]}
        assert (item.namespace, item.key) == (ann, "tea")
        assert item.updated_at >= item.created_at
        assert {one.key for one in store.search(ann)} == {"tea", "~hidden.md"}
        assert [one.namespace for one in store.search(("users",), query="coffee")] == [bob]
        assert [one.key for one in store.search((), filter={"rating": 5})] == ["tea"]
        assert len(store.search((), limit=2)) == 2
        assert store.list_namespaces() == [ann, bob]
        assert store.list_namespaces(prefix=("users", "ann")) == [ann]
        assert store.list_namespaces(suffix=("ann",)) == [ann]
        assert store.list_namespaces(max_depth=1) == [("users",)]
        store.put(ann, "Tea", {"content": "another key", "text": "---\nno: property\n---"})
        store.put(("users", "Ann"), "k", {"text": "---"})
        assert store.get(ann, "Tea").value == {"content": "another key", "text": "---\nno: property\n---"}
        assert store.get(ann, "tea").value["rating"] == 5
        assert store.get(("users", "Ann"), "k").value == {"text": "---"}
        store.put(ann, "tea", {"text": "She has none now."})
        assert asyncio.run(store.aget(ann, "tea")).value == {"text": "She has none now."}
        store.delete(ann, "tea")
        store.delete(ann, "tea")
        assert store.get(ann, "tea") is None
        memory.undo()
        assert store.get(ann, "tea") is not None
    assert sorted(path.name for path in vault.parent.iterdir()) == ["vault"]
