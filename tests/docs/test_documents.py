"""The documents say what the code does: what they show is run, what they list is made from it, links lead somewhere."""

import ast
import functools
import pathlib
import re
from urllib.parse import unquote

import pytest

from tests.tools import film, layers, pictures, reference, transcripts
from zkmem.memory import Memory
from zkmem.settings import Settings, about

ROOT = pathlib.Path(__file__).parents[2]
TESTS = ROOT / "tests" / "README.md"
PAGES = [*sorted(ROOT.glob("*.md")), TESTS, *sorted((ROOT / "docs").rglob("*.md"))]
DEVELOPMENT = [ROOT / "CONTRIBUTING.md", TESTS, *sorted((ROOT / "docs" / "development").glob("*.md"))]
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")


def named(page: pathlib.Path) -> str:
    return str(page.relative_to(ROOT))


def test_one_module_of_the_tests_names_the_private_parts_of_a_memory(tmp_path: pathlib.Path) -> None:
    parts = {name for name in dir(Memory(str(tmp_path))) if re.match("_[a-z]", name)}
    assert {"_engine", "_rights"} <= parts
    texts = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")}
    private = re.compile(rf"\.({'|'.join(parts)})\b")
    naming = {
        named(path)
        for path, text in texts.items()
        for node in ast.walk(ast.parse(text if private.search(text) else ""))
        if isinstance(node, ast.Attribute) and node.attr in parts and getattr(node.value, "id", "") != "self"
    }
    assert naming == {"tests/tools/inner.py"}


@pytest.mark.slow
@pytest.mark.parametrize("page", transcripts.pages(), ids=named)
def test_every_command_and_call_in_the_documents_answers_what_they_say(page: pathlib.Path) -> None:
    text = page.read_text("utf-8")
    assert transcripts.rerun(text) == text


def test_an_answer_that_is_not_what_is_shown_is_found_and_a_time_is_not() -> None:
    page = "```console\n$ echo 2026-11-20 09:30 $HOME; echo two\n{}\n```\n"
    as_it_is = page.format("2025-01-01 00:00 /home/you\ntwo")
    assert transcripts.rerun(as_it_is) == as_it_is
    assert "/home/you\ntwo\n" in transcripts.rerun(page.format("2026-11-20 09:30 /home/you\n2"))


@pytest.mark.slow
def test_an_answer_of_a_tool_that_is_not_what_is_shown_is_found_and_a_time_is_not() -> None:
    page = '```mcp zkmem serve zkmem/sample_vault --toolsets zettel,history\n> set_content(name="a", content="{}")\n'
    page += "created a; etag f6b7b5ea9d0d\n\n> log()\n1  2025-01-01 00:00  Created a  (assistant)\n```\n"
    as_it_is = transcripts.rerun(page.format("x"))
    assert as_it_is != page.format("x")
    assert transcripts.rerun(as_it_is) == as_it_is
    assert "  2025-01-01 00:00  " in as_it_is


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_made_from_the_code(name: str) -> None:
    assert (reference.FOLDER / f"{name}.md").read_text("utf-8") == reference.page(name)


def test_every_setting_says_what_it_is_for() -> None:
    assert all(about(name).meaning for name in Settings._fields)


def test_the_page_about_trust_names_each_setting_that_a_vault_may_not_simply_set() -> None:
    page = (ROOT / "docs" / "how-to" / "trust.md").read_text("utf-8")
    rows = [line.split("|")[1:3] for line in page.splitlines() if " effect" in line and line.startswith("| `")]
    phrases = {
        "to raise it, else after `zkmem trust`": "have effect if they raise",
        "after `zkmem trust`": "have effect after",
        "never": "never have effect",
    }
    for place, phrase in phrases.items():
        [names] = [row for row, what in rows if what.strip().startswith(phrase)]
        assert set(re.findall(r"`(\w+)`", names)) == {
            name for name in Settings._fields if about(name).in_vault_file == place
        }


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_the_pictures_of_the_ranking_are_drawn_from_real_weights(name: str) -> None:
    assert (pictures.FOLDER / f"{name}.svg").read_text("utf-8") == pictures.drawn(name)


def test_the_table_of_weights_is_what_zkmem_computes() -> None:
    text = pictures.PAGE.read_text("utf-8")
    assert pictures.with_table(text) == text
    assert text.count("index → note 1") == 5


def test_the_picture_of_the_layers_is_drawn_from_the_import_contracts() -> None:
    assert layers.FILE.read_text("utf-8") == layers.drawn()


def test_the_pictures_of_hooks_show_what_commands_print() -> None:
    assert film.FILE.read_text("utf-8") == film.drawn()


def test_the_architecture_describes_each_part_of_the_import_contracts_in_their_order() -> None:
    text = (ROOT / "docs" / "development" / "architecture.md").read_text("utf-8")
    described = re.findall(r"^\| `(\w+)` \| ", text, re.MULTILINE)
    assert described == [part for layer in layers.layers_of_parts() for part in layer]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_in_the_documents_leads_to_what_is_there(page: pathlib.Path) -> None:
    for target in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = unquote(target).partition("#")
        found = page.parent / path if path else page
        assert found.exists(), target
        if fragment:
            assert fragment in anchors(found), target


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_document_is_reached_from_the_index() -> None:
    reached, new = set(), [ROOT / "docs" / "README.md"]
    while new:
        page = new.pop().resolve()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            targets = _LINK.findall(_CODE.sub("", page.read_text("utf-8")))
            new += [page.parent / unquote(each).partition("#")[0] for each in targets if ":" not in each]
    assert not set((ROOT / "docs").rglob("*.md")) - reached


_CITED = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"[a-z_]+/[\w./-]*|\w+\.(?:py|toml)")
_TEST = re.compile(r"(tests/(?:\w+/)*\w+\.py)((?:::\w+)+)")
_CLASS = re.compile(r"([A-Z]\w*[a-z]\w*)(?:\.(\w+))?")


def cited(page: pathlib.Path) -> list[str]:
    """Return what a page shows as code, outside of fenced blocks."""
    return _CITED.findall(_FENCED.sub("", page.read_text("utf-8")))


@pytest.mark.parametrize("page", DEVELOPMENT, ids=named)
def test_each_path_that_the_documents_for_developers_cite_is_there(page: pathlib.Path) -> None:
    paths = filter(_PATH.fullmatch, cited(page))
    assert [path for path in paths if not any((ROOT / top / path).exists() for top in ("", "zkmem"))] == []


def has_member(modules: list[str], name: str, member: str) -> bool:
    """Return whether a module has a class with this name that has, or inherits, a member."""
    inside = rf"^class {name}\b(?s:.*)(?:\bdef {member}\b|\b{member}:|self\.{member}\b)"
    if any(re.search(inside, module, re.MULTILINE) for module in modules):
        return True
    above = [match for module in modules for match in re.findall(rf"^class {name}\(([\w, ]+)\)", module, re.MULTILINE)]
    return any(has_member(modules, base, member) for bases in above for base in bases.split(", "))


@pytest.mark.parametrize("page", DEVELOPMENT, ids=named)
def test_each_class_and_member_that_the_documents_for_developers_cite_is_there(page: pathlib.Path) -> None:
    modules = [path.read_text("utf-8") for path in sorted((ROOT / "zkmem").rglob("*.py"))]
    wrong = []
    for name, member in (match.groups() for one in cited(page) if (match := _CLASS.fullmatch(one))):
        is_there = any(re.search(rf"\b{name}\b", module) for module in modules) or (ROOT / name).exists()
        if not (has_member(modules, name, member) if member else is_there):
            wrong.append(f"{name}.{member}" if member else name)
    assert wrong == []


@functools.cache
def parsed(file: str) -> ast.AST | None:
    return ast.parse((ROOT / file).read_text("utf-8")) if (ROOT / file).exists() else None


def has_test(file: str, names: list[str]) -> bool:
    """Return whether a file of tests has a test under these names, such as a class and its method."""
    node = parsed(file)
    for name in names:
        node = next((one for one in getattr(node, "body", ()) if getattr(one, "name", "") == name), None)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


@pytest.mark.parametrize("page", DEVELOPMENT, ids=named)
def test_each_test_that_the_documents_for_developers_cite_is_there(page: pathlib.Path) -> None:
    tests = [match.groups() for one in cited(page) if (match := _TEST.fullmatch(one))]
    assert [(file, names) for file, names in tests if not has_test(file, names.split("::")[1:])] == []


def test_each_invariant_has_a_reason_and_a_test() -> None:
    text = (ROOT / "docs" / "development" / "invariants.md").read_text("utf-8")
    for part in text.split("\n## ")[1:]:
        assert "\n*Why:* " in part, part
        assert any(map(_TEST.fullmatch, _CITED.findall(part))), part
