"""One search for all: the first hits of a query are the same for every limit, and on every face."""

import contextlib
import json
import pathlib
import random
import tempfile

import httpx2 as httpx
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.servers import http_server
from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS

WORDS = ["go", "apple", "apples", "Berlin", "running", "run", "tea", "went", "orchard", "猫", "记忆", "cat", "C++", "c"]


def notes(rng: random.Random, count: int = 250) -> dict[str, str]:
    """Notes of few and many words, the first of which are common: many notes match, and FTS5 ranks them otherwise."""
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    texts = (" ".join(rng.choices(WORDS, weights, k=rng.choice([3, 30, 120]))) for _ in range(count))
    return {f"{rng.choice(['', 'a/', 'b/'])}{rng.choice(WORDS)} {at}.md": f"{text}\n" for at, text in enumerate(texts)}


def queries(rng: random.Random) -> list[str]:
    return [" ".join(rng.sample(WORDS, rng.randint(1, 4))) for _ in range(8)]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=2)
def test_the_first_hits_do_not_depend_on_the_limit(seed: int) -> None:
    rng = random.Random(seed)
    files = notes(rng)
    files["hub.md"] = " ".join(f"[[{path[:-3]}]]" for path in rng.sample(sorted(files), 30))
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Memory(write(folder, files))) as memory:
        for query in [*queries(rng)[:4], "tea -apple", "path:a/ go run", "C++ tea go"]:
            hits = memory.search(query, limit=260)
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)
            for limit in (1, 10, 40, 200):
                assert memory.search(query, limit=limit) == hits[:limit], (query, limit)
            close = memory.search(query, limit=260, near="hub")
            for limit in (5, 100):
                assert memory.search(query, limit=limit, near="hub") == close[:limit], (query, limit)


def test_every_face_gives_the_same_first_hits(tmp_path: pathlib.Path) -> None:
    rng = random.Random(5)
    vault = write(tmp_path, notes(rng))
    tools = {tool.name: tool for name in ("mirix", "connector") for tool in TOOLSETS[name].tools}
    with (
        http_server(vault) as url,
        httpx.Client(base_url=url.replace("/mcp", "/api")) as page,
        contextlib.closing(Memory(vault)) as memory,
    ):

        def faces(query: str) -> dict[str, list[dict[str, str]]]:
            few, many = (tools["memory_search"].call(memory, {"query": query, "limit": most}) for most in (10, 60))
            printed = CliRunner().invoke(cli, ["search", "-C", vault, query, "--count", "10", "--json"]).stdout
            return {
                "tool": few.data["results"],
                "tool, many": many.data["results"],
                "connector": json.loads(tools["search"].call(memory, {"query": query}).texts[0])["results"],
                "page": page.get("/search", params={"q": query, "count": 20}).json()["hits"],
                "command": json.loads(printed)["hits"],
            }

        for query in queries(rng):
            names = [hit.name for hit in memory.search(query, limit=10)]
            for face, hits in faces(query).items():
                assert [hit.get("name", hit.get("id")) for hit in hits[:10]] == names, (face, query)
