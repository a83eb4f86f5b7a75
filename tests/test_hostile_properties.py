"""No note, base or canvas, whatever is in it, makes an answer about other notes fail."""

import json
from collections.abc import Iterator

import httpx2 as httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.tools.servers import http_server
from tests.tools.vaults import write
from zkmem.memory import Memory

FILES = {
    "other.md": "---\nsize: 2\ntags: [t]\naliases: [Second]\n---\nSee [[nowhere]] and Jubilee.\n",
    "all.base": "filters: file.ext == 'md'\nviews: [{type: table, name: v, order: [file.name, size, aliases]}]\n",
}
LISTS = (
    "findings", "mentions/n", "mentions/other", "names?q=o", "home", "hints", "hint", "suggestions", "search?q=jubilee",
    "search?q=has:aliases", "places?q=o", "graph", "bases", "table?base=all.base", "table?filter=size>1",
    "table?filter=aliases.contains('Second')", "table?sort=size&group=aliases", "log", "review",
)  # fmt: skip

# Words that mean something else to YAML 1.1, names that a function may have for a parameter, and what YAML can do.
WORDS = (
    "2024", "0x1F", "1_0", "1e999", "9" * 5000, "on", "yes", "null", "~", "1.5", ".nan", ".inf", "2026-11-20",
    "2026-99-99", "10:00", "2001-01-01 00:00:00 +99:99", "<<", "=", "content", "handler", "self", "text", "encoding",
    "metadata", "cls", "key", "name", "path", "note", "file", "this", "aliases", "alias", "Aliases", "tags", "size",
    "properties", "__class__", "constructor", "a.b", '""', '"\\ud800"', '"\\0"', '"a\\nb"', '"[[other]]"', "'*'",
    '"\\u202e"', "{{date}}", "%x", "@x",
)  # fmt: skip
TAGGED = tuple(
    f"!!{tag} {value}"
    for tag in ("int", "float", "bool", "timestamp", "null", "binary", "set", "omap", "python/object:os.system")
    for value in ("''", "x", "[x]", "{x: y}")
)
scalars = st.sampled_from([*WORDS, *TAGGED]) | st.text(max_size=8).map(json.dumps)
keys = scalars | st.sampled_from(["? [a]\n", "? {a: b}\n", "? &k [*k]\n", "? *v\n", "&k key", "aliases", "size"])
values = st.recursive(
    scalars,
    lambda below: (
        st.lists(below, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(scalars, below), max_size=2).map(
            lambda pairs: f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
        )
    ),
    max_leaves=6,
) | st.sampled_from(["&v [*v]", "&v {a: *v}", "*v", "|\n  text", "- a\n- b", "", "x # y"])
lines = st.lists(st.tuples(keys, values).map(": ".join), min_size=1, max_size=4).map("\n".join)
canvases = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["n.md", "other.md", "[[other]]", "\ud800"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["nodes", "edges", "type", "file", "text", "id", "url"]), below, max_size=4)
    ),
    max_leaves=10,
).map(json.dumps)
LAUGHS = "k0: &a0 [ha]\n" + "\n".join(
    f"k{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 12)
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with (
        http_server(write(tmp_path_factory.mktemp("vault"), FILES)) as url,
        httpx.Client(base_url=url.replace("/mcp", "/api"), timeout=60) as http,
    ):
        yield http


@settings(max_examples=30)
@given(lines)
@example(LAUGHS + "\naliases: [*a11]\n? *a11\n: x")
@example("aliases: [*a11]\n" + LAUGHS)
@example("2024: a good year\naliases: [Jubilee]")
@example('aliases: ["\\ud800 x", "\\0abc", ".*"]\n"\\ud800": 1')
def test_no_property_of_a_note_makes_an_answer_about_other_notes_fail(client: httpx.Client, source: str) -> None:
    there = client.get("/notes/n")
    text = f"---\n{source}\n---\nSee [[other]].\n"
    headers = {"If-Match": there.headers["etag"]} if there.status_code == 200 else {"If-None-Match": "*"}
    saved = client.put("/notes/n", json={"content": text}, headers=headers)
    assert saved.is_success, saved.text
    for path in LISTS:
        answer = client.get(f"/{path}")
        assert answer.status_code == 200, (path, answer.text)
    assert "nowhere" in [one["target"] for one in client.get("/findings").json()["findings"]]
    assert "other" in [row["note"] for row in client.get("/table", params={"filter": "size == 2"}).json()["rows"]]


@settings(max_examples=20)
@given(lines, lines, canvases)
@example("2024: x", "filters: [&f {and: *f}]", '{"nodes": [{"type": "file", "file": {"n.md": 1}}]}')
@example("? *x", LAUGHS + "\nfilters: *a11\nviews: *a11", "[" * 100_000)
@example('"\\ud800": ["\\ud800"]', "views: [1, null, {name: [x]}, {order: 2024, filters: {or: 1}}]", '{"nodes": 1}')
def test_no_note_base_or_canvas_makes_a_check_or_a_query_fail(
    tmp_path_factory: pytest.TempPathFactory, note: str, base: str, canvas: str
) -> None:
    files = {"n.md": f"---\ntype: x\n{note}\n---\nSee [[other]].\n", "b.base": base, "c.canvas": canvas}
    with Memory(write(tmp_path_factory.mktemp("vault"), FILES | files)) as memory:
        assert "nowhere" in [one.target for one in memory.check()]
        assert "all.base" in dict(memory.bases())
        assert "other" in [row.note for row in memory.query("size == 2", sort=["aliases"], group="tags").rows]
        assert [one.name for one in memory.mentions("other").backlinks] == ["n"]
        assert [one.name for one in memory.search("jubilee")] == ["other"]
        assert memory.graph().names == ["n", "other"]
        assert memory.rename("other", "third").outcome == "moved"
        assert "third" in [hint.name for hint in memory.hints()]
