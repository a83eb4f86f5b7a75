"""The description of the API holds for the code, and the code for it: real answers of a real server."""

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx2 as httpx
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from starlette.routing import Route

from tests.tools import api_answers, page_types
from tests.tools.servers import http_server
from tests.tools.vaults import Files, write
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import Limits
from zkmem.serve.api import routes
from zkmem.serve.api.contract import description, operations
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.routes import OPERATIONS
from zkmem.serve.common import Common
from zkmem.util.lazy import LazyModule
from zkmem.vault.journal.state import StateFolder

if TYPE_CHECKING:
    import schemathesis
    from schemathesis import checks, generation
else:  # for the tests of what is made up alone
    schemathesis, checks, generation = map(
        LazyModule, ("schemathesis", "schemathesis.checks", "schemathesis.generation")
    )

FILES: Files = {
    "hint.md": "---\ntags: [a, b]\nup: '[[a/Deep]]'\n---\n# Start\n\nSee [[a/Deep]], [[Missing]] and ![[p.png]].\n",
    "a/Deep.md": "Back to [[hint]]. " + "word " * 300 + "\n\n## Part\n\nmore\n",
    "a/b/Same.md": "[[Deep#Part]]\n\n> [!conflict] x\n> y\n\n> [!conflict]\n",
    "Same.md": "[[Same]] and [[a/b/Same]]\n",
    "p.png": b"\x89PNG",
}
SPECIFICATION = description()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    vault = write(tmp_path_factory.mktemp("vault"), FILES)
    with http_server(vault) as address:
        yield address.replace("/mcp", "/api")


def described() -> list[tuple[str, str]]:
    return [(method, path) for path, methods in operations().items() for method in methods]


def test_the_description_is_openapi_3_1_and_its_references_lead_somewhere() -> None:
    assert SPECIFICATION["openapi"].startswith("3.1.")
    for schema in SPECIFICATION["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for reference in re.findall(r"'\$ref': '#/components/(\w+)/(\w+)'", str(SPECIFICATION)):
        assert reference[1] in SPECIFICATION["components"][reference[0]]


def test_what_a_schema_requires_it_describes() -> None:
    for name, schema in SPECIFICATION["components"]["schemas"].items():
        assert set(schema.get("required", ())) <= set(schema.get("properties", ())), name


def test_every_operation_that_is_described_is_done_and_every_one_that_is_done_is_described() -> None:
    ids = [operation.id for methods in operations().values() for operation in methods.values()]
    assert len(ids) == len(set(ids))
    assert set(ids) == {*OPERATIONS, "listen"}


def test_every_path_is_routed_and_every_route_is_described(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    served = routes.api_routes(memory, Audit(StateFolder(memory.vault)), Feed(memory), Common(Limits()))
    assert all(isinstance(route, Route) for route in served)
    routed = {route.path.replace(":path}", "}") for route in served}
    assert routed == {"/api" + path for path in SPECIFICATION["paths"]} | {"/api/{rest}"}


@pytest.mark.parametrize(("method", "path"), described())
def test_every_parameter_has_a_meaning_and_every_answer_a_description(method: str, path: str) -> None:
    whole = SPECIFICATION["paths"][path]
    operation = whole[method.lower()]
    parameters = [*operation.get("parameters", []), *whole.get("parameters", [])]
    assert all(one["description"] for one in parameters)
    assert {one["name"] for one in parameters if one["in"] == "path"} == set(re.findall(r"{(\w+)}", path))
    module = OPERATIONS.get(operation["operationId"], routes.api_routes).__module__
    source = inspect.getsource(sys.modules[module])
    for one in parameters:
        if one["in"] == "query" and one["name"] != "count":
            assert f'query["{one["name"]}"]' in source or f'query.get("{one["name"]}")' in source
        if one["in"] == "header":
            assert f'"{one["name"].lower()}"' in source
    assert all("$ref" in one or one["description"] for one in operation["responses"].values())


def test_the_answers_are_described_as_the_classes_that_are_sent() -> None:
    assert api_answers.FILE.read_text(encoding="utf-8") == api_answers.text()


def test_the_page_has_the_types_of_the_messages_that_are_described() -> None:
    assert page_types.FILE.read_text(encoding="utf-8") == page_types.declarations()


def test_the_docs_list_every_route() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "api.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    listed = [tuple(one.split()) for row in rows for one in re.findall(r"`([A-Z]+ /[^`]*)`", row.split(" | ")[0])]
    assert sorted(listed) == sorted(described())


def answer_schema(method: str, path: str, status: int) -> dict[str, Any]:
    answer = SPECIFICATION["paths"][path][method]["responses"][str(status)]
    if "$ref" in answer:
        answer = SPECIFICATION["components"]["responses"][str(status)]
    schema: dict[str, Any] = answer["content"]["application/json"]["schema"]
    return {**schema, "components": SPECIFICATION["components"]}


READS = [
    ("/vault", "/vault"),
    ("/graph", "/graph"),
    ("/names", "/names?q=e"),
    ("/notes/{name}", "/notes/hint?depth=2"),
    ("/notes/{name}", "/notes/a%2FDeep"),
    ("/notes/{name}", "/notes/a%2Fb%2FSame"),
    ("/notes/{name}", "/notes/nowhere"),
    ("/notes/{name}", "/notes/hint?at=2999-01-01&depth=1&named=then"),
    ("/notes/{name}", "/notes/hint?at=7"),
    ("/notes/{name}", "/notes/hint?at=2026-02-30"),
    ("/parts/{name}", "/parts/hint?offset=5&depth=1"),
    ("/parts/{name}", "/parts/nowhere"),
    ("/parts/{name}", "/parts/hint?at=2999-01-01"),
    ("/hints", "/hints?folder=a"),
    ("/hint", "/hint"),
    ("/suggestions", "/suggestions?threshold=1"),
    ("/findings", "/findings"),
    ("/mentions/{name}", "/mentions/hint"),
    ("/home", "/home?count=3"),
    ("/search", "/search?q=word"),
    ("/search", "/search"),
    ("/table", "/table?filter=file.size>0&columns=%5B%22x%22%5D&group=file.folder"),
    ("/table", "/table?filter=nope()"),
    ("/table", "/table?base=nothing"),
    ("/bases", "/bases"),
    ("/log", "/log"),
    ("/diff", "/diff?name=hint"),
    ("/why", "/why?name=hint"),
    ("/session", "/session?session=nobody"),
    ("/revision", "/revision?name=hint&rev=7"),
    ("/files/{path}", "/files/nothing.png"),
    ("/openapi.json", "/openapi.json"),
]


@pytest.mark.parametrize(("path", "asked"), READS)
def test_real_answers_are_as_described(url: str, path: str, asked: str) -> None:
    answer = httpx.get(url + asked)
    assert answer.headers["content-type"] == "application/json"
    Draft202012Validator(answer_schema("get", path, answer.status_code)).validate(answer.json())


NOT_CHECKED = "positive_data_acceptance"  # there are no notes of such names
LONGEST_QUERY = 60_000  # the server closes the connection when the lines of a request have more than 64 KiB


@pytest.mark.parametrize(("method", "path"), [each for each in described() if each[1] != "/events"])
def test_what_is_made_up_gets_an_answer_that_is_described(method: str, path: str, url: str) -> None:
    operation = schemathesis.openapi.from_dict(SPECIFICATION)[path][method]
    excluded: Any = checks.CHECKS.get_by_names([NOT_CHECKED])

    @settings(max_examples=4, suppress_health_check=list(HealthCheck), derandomize=True, phases=[Phase.generate])
    @given(st.one_of(*map(operation.as_strategy, generation.GenerationMode)))
    def ask(case: "schemathesis.Case[Any]") -> None:
        assume(len(urlencode(dict(case.query or {}), doseq=True)) < LONGEST_QUERY)
        case.call_and_validate(base_url=url, excluded_checks=excluded)

    ask()


@pytest.mark.long
@pytest.mark.slow
def test_whatever_is_sent_gets_an_answer_that_is_described(url: str, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(SPECIFICATION), "utf-8")
    options = ["--phases=examples,coverage", "--generation-deterministic", "--exclude-path=/events", "--no-color"]
    command = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", f"--url={url}", *options]
    done = subprocess.run(
        [*command, f"--exclude-checks={NOT_CHECKED}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"(\d{4,}) generated, \1 passed", done.stdout)
