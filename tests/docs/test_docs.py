"""The documents keep to the code, and the tools to their budget of tokens."""

import json
import pathlib
import re
from itertools import combinations

import click
import pytest
from rs_bpe.bpe import openai

from tests.tools.exchanges import DOCS, SESSIONS, exchange, page
from tests.tools.vaults import fresh_index
from zkmem import __version__
from zkmem.cli.group import cli
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS, chosen

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
TOOLSETS_PAGE = (ROOT / "docs/toolsets.md").read_text("utf-8")
COMMANDS_PAGE = (ROOT / "docs/how-to/command-line.md").read_text("utf-8")
SAMPLE = str(ROOT / "sample_vault")


def tokens(text: str) -> int:
    return len(openai.o200k_base().encode(text))


def zettel_tokens() -> int:
    """Counted over the JSON of name, description and inputSchema as Python writes it, blanks included."""
    return sum(
        tokens(json.dumps({"name": tool.name, "description": tool.description, "inputSchema": tool.schema}))
        for tool in TOOLSETS["zettel"].tools
    )


def test_seven_tools_in_660_tokens_and_the_readme_says_how_many() -> None:
    assert zettel_tokens() <= 660
    assert f"{zettel_tokens()} tokens" in README


def counted(name: str) -> tuple[int, int]:
    """The tokens of a toolset's tools: as Python writes JSON, and without blanks."""
    found = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
        for tool in TOOLSETS[name].tools
    ]
    return (
        sum(tokens(json.dumps(one)) for one in found),
        sum(tokens(json.dumps(one, separators=(",", ":"))) for one in found),
    )


BUDGETS = {"zettel": 660, "kg": 936, "think": 2_300, "mirix": 600, "text": 800, "vault": 650, "connector": 130}


@pytest.mark.parametrize("name", TOOLSETS)
def test_each_toolset_keeps_to_its_budget_and_the_documents_say_what_it_costs(name: str) -> None:
    padded, bare = counted(name)
    if name in BUDGETS:  # that of kg: 901 tokens of the schemas that it copies, and 35 of two sentences of ours
        assert (bare if name == "kg" else padded) <= BUDGETS[name]
    assert tokens(chosen([name]).guide) <= 200
    (row,) = (line for line in TOOLSETS_PAGE.splitlines() if line.startswith(f"| [`{name}`]({name}.md)"))
    assert f"| {padded} ({bare}) |" in row
    assert re.findall(r"`(\w+)`", row.rpartition(" | ")[2]) == [tool.name for tool in TOOLSETS[name].tools]
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    assert f"{padded} tokens" in page.replace(",", "") or f"{bare} tokens" in page
    for tool in TOOLSETS[name].tools:
        assert f"`{tool.name}" in page, tool.name


@pytest.mark.anyio
@pytest.mark.parametrize("name", SESSIONS)
async def test_the_exchanges_in_the_docs_are_real(name: str) -> None:
    assert (DOCS / f"{name}.md").read_text("utf-8") == await page(name)
    assert "is refused" not in await exchange(name) or name == "kg"


def test_no_two_toolsets_have_a_tool_of_one_name() -> None:
    names = [tool.name for toolset in TOOLSETS.values() for tool in toolset.tools]
    assert len(set(names)) == len(names) > 60


def test_the_instructions_say_where_to_start_and_the_readme_what_they_cost() -> None:
    guide = chosen(["zettel"]).guide
    assert f"{tokens(guide)} tokens for the instructions" in README
    assert "[[hint]]" in guide
    assert len(chosen(TOOLSETS).guide) < 2_500
    assert chosen(TOOLSETS).guide.count("not instructions to you") == 1


@pytest.mark.parametrize("names", [(name,) for name in TOOLSETS] + [*combinations(TOOLSETS, 2), tuple(TOOLSETS)])
def test_instructions_have_one_opening_and_for_several_toolsets_one_sentence_that_routes(
    names: tuple[str, ...],
) -> None:
    guide = chosen(names).guide
    parts = [part for name in names for part in TOOLSETS[name].guides]
    starts = [part.start for part in parts if part.start]
    opening = f"Recall before you answer what may be known: {'; '.join(starts)}.\n"
    assert guide.count("Recall before") == guide.count(opening) == (1 if starts else 0)
    routing = f"Use {'; '.join(part.purpose for part in parts)}.\n"
    assert guide.startswith(routing) == (len(names) > 1)
    assert guide.count("\nUse ") == 0
    if len(names) > 1:
        assert len(parts) == len(names)
        assert not any(part.about and part.about in guide for part in parts)
    assert all(part.use in guide for part in parts)
    assert not any(word in "".join(part.use for part in parts) for word in ("Begin with", "At the start", "Recall"))


def test_what_a_toolset_is_for_names_tools_of_its_own() -> None:
    for toolset in TOOLSETS.values():
        (guide,) = toolset.guides
        known = {tool.name for tool in toolset.tools}
        named, what = guide.purpose.split(" for ", 1)
        assert set(re.findall(r"\w+", named)) - {"and"} <= known
        assert what
        said = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", guide.about + guide.start + guide.use))
        assert said <= known | {"knowledge_vault"}


def test_instructions_for_one_toolset_have_not_grown() -> None:
    most = {"zettel": 163, "think": 119, "mirix": 94, "text": 99, "memory": 90}
    assert {name: count for name in TOOLSETS if (count := tokens(chosen([name]).guide)) > most.get(name, 0)} == {}


def test_log_show_and_diff_say_that_they_are_about_the_history_of_notes() -> None:
    told = {tool.name: tool.description for tool in TOOLSETS["history"].tools}
    assert all(told[name].startswith(("History of notes: ", "History of a note: ")) for name in ("log", "show", "diff"))


def test_the_documents_name_every_tool_command_and_prompt_and_every_argument_of_zettel() -> None:
    page = (ROOT / "docs" / "zettel.md").read_text("utf-8")
    for tool in TOOLSETS["zettel"].tools:
        assert f"`{tool.name}`" in TOOLSETS_PAGE
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{tool.name}` |"))
        for parameter in tool.parameters:
            assert f"`{parameter}`" in row, f"{tool.name} {parameter}"
    for name in cli.list_commands(click.Context(cli)):
        assert f"zkmem {name}" in COMMANDS_PAGE, name
    for prompt in TOOLSETS["zettel"].prompts:
        assert f"`{prompt.name}`" in TOOLSETS_PAGE


def test_every_command_and_option_has_help() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command
        assert command.help
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{command.name} {option.name}"


def test_the_tool_call_shown_in_the_documents_is_what_the_tool_answers() -> None:
    shown = re.search(r"`get_hints\(count=3\)` answers:\n\n```text\n(.*?)```", TOOLSETS_PAGE, re.DOTALL)
    assert shown
    hints = next(tool for tool in TOOLSETS["zettel"].tools if tool.name == "get_hints")
    assert hints.call(Memory(SAMPLE), {"count": 3}).texts[0] + "\n" == shown[1]
    shown = re.search(r"answers:\n\n```markdown\n(.*?)\n```\n", TOOLSETS_PAGE, re.DOTALL)
    assert shown
    call = re.search(r'`get_content\(name="([^"]+)", depth=1\)`', TOOLSETS_PAGE)
    assert call
    assert Memory(SAMPLE).read(call[1], depth=1).text.rstrip("\n") == shown[1]


def test_the_decisions_give_a_reason_for_each_dependency() -> None:
    decisions = (ROOT / "docs" / "development" / "decisions.md").read_text("utf-8")
    rows = [line.partition(" | ")[0] for line in decisions.splitlines() if line.startswith("| `")]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    listed = re.search(r"\ndependencies = \[(.*?)\]", project, re.DOTALL)
    assert listed
    for name in re.findall(r'"([a-z0-9-]+)', listed[1]):
        assert any(f"`{name}`" in row for row in rows), name


def test_the_changelog_has_a_heading_for_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    unreleased, latest = re.findall(r"^## (.*)$", changelog, re.MULTILINE)[:2]
    assert unreleased == "Unreleased"
    assert re.fullmatch(re.escape(__version__) + r" - \d{4}-\d\d-\d\d", latest)


def test_the_sample_vault_is_sound_and_shows_what_it_should() -> None:
    index = fresh_index(SAMPLE)
    notes = list(index.catalog.notes())
    assert 40 <= len(notes) <= 45
    assert [finding.kind for finding in Memory(SAMPLE).check()] == ["missing"]
    assert "hint.md" in notes
    assert any("\u4e00" <= char <= "\u9fff" for path in notes for char in path)
    texts = "\n".join(pathlib.Path(SAMPLE, path).read_text("utf-8") for path in notes)
    for sign in ("aliases:", "\n![[", "#^", 'up: "[['):
        assert sign in texts


CITED = re.compile(
    r"(?P<page>[\w./-]*\w\.md), section (?P<number>\d+)|(?P<file>docs/[\w./-]+\.md)|(?P<old>[A-Z]{4,}\.md)"
)
KNOWN = {
    "README.md",
    "CHANGELOG.md",
    "RESULTS.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "MEMORY.md",
    "SKILL.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "memory_summary.md",
    "raw_memories.md",
}  # those from MEMORY.md on are files of clients


def citations() -> list[tuple[str, re.Match[str]]]:
    """Every document that the code names, with the file that does."""
    found = [path for folder in ("zkmem", "tests", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))]
    files = [path for path in found if ".peers" not in path.parts]  # other servers, which `make bench-peers` installs
    return [
        (str(path.relative_to(ROOT)), match)
        for path in files
        if "node_modules" not in path.parts
        for match in CITED.finditer(re.sub(r"\s+", " ", path.read_text("utf-8")))
    ]


def test_each_document_and_section_that_code_cites_is_there() -> None:
    found, wrong = citations(), []
    for file, match in found:
        page, old = ROOT / (match["page"] or match["file"] or match["old"]), match["old"]
        text = page.read_text("utf-8") if page.exists() else ""
        if (match["number"] and f"\n## {match['number']}. " not in text) or not (text or old in KNOWN):
            wrong.append(f"{file}: {match[0]}")
    assert wrong == []
    assert any(match["number"] for _, match in found)
