"""The tools as models see them: each toolset says what it is and when to call it, without the instructions."""

import json
import pathlib
import re

import pytest

from tests.tools.sent_tools import FILE, sent_tools
from tests.tools.servers import client
from zkmem.toolsets.table import TOOLSETS

SENT = json.loads(FILE.read_text("utf-8"))
OWN_MEMORY = ("zettel", "kg", "think", "mirix", "text", "memory", "connector")  # the others need one of these
ROLE = re.compile(r"\b(long-term|working) memory\b|\bthe user's memory\b")
READS = re.compile(r"\bbefore you (answer|go on)\b|\bwhen (you need|asked)\b")
WRITES = re.compile(r"\bas soon as\b|\bwhen only that part\b|\bwhen they were wrong\b")
LONGEST = 2_048  # characters, after which Claude Code cuts


def matching(name: str, moment: re.Pattern[str]) -> set[str]:
    """Return the tools of a toolset whose description, read alone, has the role and a moment to call them."""
    texts = {tool["name"]: tool["description"] for tool in SENT[name]}
    return {tool for tool, text in texts.items() if ROLE.search(text) and moment.search(text)}


@pytest.mark.parametrize("name", TOOLSETS)
def test_the_descriptions_alone_say_what_the_memory_is_when_to_read_and_when_to_write(name: str) -> None:
    assert matching(name, READS)
    if any(not one["annotations"]["readOnlyHint"] for one in SENT[name]):
        assert matching(name, WRITES)


@pytest.mark.parametrize("name", OWN_MEMORY)
def test_the_tools_that_say_when_to_read_and_write_are_loaded_at_the_start(name: str) -> None:
    always = {one["name"] for one in SENT[name] if one.get("_meta", {}).get("anthropic/alwaysLoad")}
    assert always & matching(name, READS)
    assert name == "connector" or always & matching(name, WRITES)
    assert len(always) <= 2


def test_the_tools_used_beside_a_memory_are_loaded_on_demand() -> None:
    assert not any(tool.always for name in set(TOOLSETS) - {*OWN_MEMORY} for tool in TOOLSETS[name].tools)


@pytest.mark.parametrize("name", TOOLSETS)
def test_every_tool_has_a_title_and_a_description_that_no_client_cuts(name: str) -> None:
    for tool in SENT[name]:
        assert tool["title"]
        assert "\n" not in tool["title"]
        assert len(tool["description"]) < LONGEST
        assert tool["annotations"].get("title") == (tool["title"] if name != "kg" else None)
    assert len({tool["title"] for tool in SENT[name]}) == len(SENT[name])


def test_the_list_of_tools_is_what_a_person_has_read() -> None:
    """What models see has changed: run `python -m tests.tools.sent_tools`, and read the diff."""
    assert sent_tools() == SENT


@pytest.mark.anyio
async def test_a_client_gets_the_list_that_a_person_has_read(tmp_path: pathlib.Path) -> None:
    async with client("stdio", "2025-11-25", str(tmp_path), ",".join(TOOLSETS)) as connected:
        tools = (await connected.list_tools()).tools
    sent = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in tools]
    assert sent == [tool for toolset in SENT.values() for tool in toolset]
