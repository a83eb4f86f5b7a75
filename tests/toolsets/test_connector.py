"""The toolset `connector`: search and fetch as ChatGPT's connectors expect them."""

import json
import pathlib
from typing import Any

import pytest

from tests.tools.servers import IN_MEMORY, client
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import UnknownNote
from zkmem.memory import Memory
from zkmem.toolsets.table import chosen

NOTES: dict[str, str | bytes] = {
    "tea/Green tea.md": "Steep it at 75 °C.\n\n# How long\n\nTwo minutes.\n",
    "Was it (really) 50% & 'more'?.md": "Tea, perhaps.\n",
    "long.md": "word " * 10_000,
}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path / "vault", NOTES), max_chars=24_000)


def called(memory: Memory, name: str, settings: dict[str, object] | None = None, **given: object) -> dict[str, Any]:
    (tool,) = (one for one in chosen(["connector"], settings or {}).tools if one.name == name)
    (text,) = tool.call(memory, given).texts
    values: dict[str, Any] = json.loads(text)
    return values


@pytest.mark.anyio
@pytest.mark.parametrize("way", IN_MEMORY)
async def test_each_answer_is_one_text_that_holds_json_and_nothing_else(
    way: tuple[str, str], tmp_path: pathlib.Path
) -> None:
    vault = write(tmp_path / "vault", NOTES)
    async with client(*way, vault, "connector") as connected:
        assert [tool.name for tool in (await connected.list_tools()).tools] == ["search", "fetch"]
        found = await connected.call_tool("search", {"query": "steep"})
        (block,) = found.content
        (hit,) = json.loads(block.text)["results"]  # type: ignore[union-attr]
        assert set(hit) == {"id", "title", "url"}
        (block,) = (await connected.call_tool("fetch", {"id": hit["id"]})).content
        document = json.loads(block.text)  # type: ignore[union-attr]
        assert document["text"].startswith("Steep it at 75 °C.")
        assert {key: document[key] for key in hit} == hit
        assert all(type(value) is str for value in document["metadata"].values())
        assert found.structured_content is None


def test_the_address_is_that_of_the_note_on_the_page(memory: Memory) -> None:
    cases: tuple[tuple[dict[str, object], str], ...] = (
        ({"public_url": "https://notes.example.org"}, "https://notes.example.org"),
        ({"public_url": "https://notes.example.org/"}, "https://notes.example.org"),
        ({"oauth_resource": "https://other.example:444/mcp"}, "https://other.example:444"),
        ({"port": 8_000}, "http://127.0.0.1:8000"),
    )
    for settings, base in cases:
        url = called(memory, "fetch", settings, id="Green tea")["url"]
        assert url == f"{base}/#/note/tea/Green%20tea"
    url = called(memory, "fetch", id="Was it (really) 50% & 'more'?")["url"]
    assert url.endswith("/#/note/Was%20it%20(really)%2050%25%20%26%20'more'%3F")


def test_a_section_is_fetched_by_its_heading_and_a_long_note_says_so(memory: Memory) -> None:
    part = called(memory, "fetch", id="Green tea#How long")
    assert part["id"] == "tea/Green tea#How long"
    assert "Two minutes." in part["text"]
    assert "Steep" not in part["text"]
    assert part["url"].endswith("/tea/Green%20tea?%23How%20long")
    whole = called(memory, "fetch", id="long")
    assert len(whole["text"]) <= 24_000
    assert "50000 characters" in whole["metadata"]["cut"]
    assert "long#HEADING" in whole["metadata"]["cut"]


def test_a_query_is_plain_words_and_may_find_nothing(memory: Memory) -> None:
    assert called(memory, "search", query="tag:x path:( -minutes")["results"]
    assert called(memory, "search", query="zebra") == {
        "results": [],
        "remarks": [
            "Nothing was found. The latest notes: [[Was it (really) 50% & 'more'?]], [[long]], [[tea/Green tea]]."
        ],
    }


def test_a_caller_of_a_folder_finds_nothing_outside(memory: Memory) -> None:
    inside = memory.restricted(Grant("tea"))
    assert [hit["id"] for hit in called(inside, "search", query="tea perhaps word minutes")["results"]] == [
        "tea/Green tea"
    ]
    with pytest.raises(UnknownNote):
        called(inside, "fetch", id="long")
