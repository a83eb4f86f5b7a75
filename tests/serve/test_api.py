"""The API as programs meet it: a real server process, a real client, real files."""

import asyncio
import contextlib
import functools
import gzip
import json
import os
import random
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx2 as httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from tests.tools import story
from tests.tools.servers import http_server
from tests.tools.vaults import Files, fresh_index, random_files, read, write
from zkmem import errors
from zkmem.caller import Grant
from zkmem.edit import preview
from zkmem.index.graph import is_missing
from zkmem.markdown.note import read_text
from zkmem.memory import Memory
from zkmem.past.revisions import difference
from zkmem.recall.overview import Overview
from zkmem.records.outcome import Edited, Extracted
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import ADMITTED_KEY, Admitted, Limits
from zkmem.serve.access.tokens import Identity
from zkmem.serve.api.exchange import encoded, error_response
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.routes import api_routes
from zkmem.serve.common import Common
from zkmem.serve.process import bind
from zkmem.util.threeway import propose
from zkmem.vault.journal.state import StateFolder

FILES: Files = {
    "hint.md": '---\ntags: [a, b]\nodd: "\\u263a"\nsize: 12\n---\nSee [[Deep]], [[No Such]] and ![[p.png]].\n',
    "a/Deep.md": "# Deep\n\nBack to [[hint]] and [[Other]].\n",
    "a/Other.md": "one\ntwo\nthree\nfour\n",
    "Loose.md": "long " * 500 + "[[Loose]]",
    "p.png": b"\x89PNG",
    "a/page.html": "<script>alert(1)</script>",
    ".hidden/x.png": b"secret",
}
CREATE = {"If-None-Match": "*"}


@contextlib.contextmanager
def serving(vault: Path) -> Iterator[httpx.Client]:
    with http_server(write(vault, FILES)) as url, httpx.Client(base_url=url.replace("/mcp", "/api")) as client:
        yield client


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """For tests that change nothing."""
    with serving(tmp_path_factory.mktemp("vault")) as client:
        yield client


@pytest.fixture
def own(tmp_path: Path) -> Iterator[httpx.Client]:
    with serving(tmp_path) as client:
        yield client


def told(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def refused(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    error: dict[str, Any] = told(answer, status)["error"]
    assert error["kind"] == kind
    assert " " in error["message"]
    return error


def matching(answer: httpx.Response) -> dict[str, str]:
    return {"If-Match": answer.headers["etag"]}


def test_the_vault_is_described_without_saying_where_it_is(shared: httpx.Client) -> None:
    about = told(shared.get("/vault"))
    assert (about["notes"], about["links"], about["can_write"], about["folder"]) == (4, 5, True, "")
    assert (about["token"], about["git"], about["max_chars"]) == (None, False, 24_000)
    assert "/" not in about["name"]


def test_a_vault_that_was_never_synchronised_has_no_last_time(shared: httpx.Client) -> None:
    assert told(shared.get("/sync")) == {"last": None}


def test_the_graph_tells_notes_weights_missing_ones_and_links(shared: httpx.Client) -> None:
    answer = shared.get("/graph", headers={"Accept-Encoding": "identity"})
    graph = told(answer)
    assert graph["names"] == ["Loose", "a/Deep", "a/Other", "hint"]
    assert graph["weights"] == [1.0, 2.0, 1.0, 2.0]
    assert graph["missing"] == ["No Such"]
    assert graph["links"] == [1, 3, 1, 2, 3, 1, 3, 4]
    assert shared.get("/graph", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    with shared.stream("GET", "/graph", headers={"Accept-Encoding": "gzip"}) as packed:
        assert packed.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(b"".join(packed.iter_raw()))) == graph
    with shared.stream("GET", "/graph", headers={"Accept-Encoding": "gzip;q=0, identity"}) as plain:
        assert "content-encoding" not in plain.headers
        assert json.loads(b"".join(plain.iter_raw())) == graph


def test_the_graph_is_another_one_after_an_edit_of_links_alone(own: httpx.Client) -> None:
    before = own.get("/graph")
    told(own.put("/notes/Plain", json={"content": "x"}, headers=CREATE), 201)
    after = own.get("/graph")
    assert after.headers["etag"] != before.headers["etag"]
    told(own.put("/notes/Plain", json={"content": "y"}, headers=matching(own.get("/notes/Plain"))))
    assert own.get("/graph").content == after.content


def test_a_note_comes_with_what_is_around_it(shared: httpx.Client) -> None:
    answer = shared.get("/notes/hint")
    note = told(answer)
    assert answer.headers["etag"] == f'"{note["etag"]}"'
    assert note["text"] == FILES["hint.md"]
    assert note["properties"] == [["tags", "a, b"], ["odd", "\u263a"], ["size", "12"]]
    assert note["links"] == [{"target": "a/Deep", "name": "a/Deep"}, {"target": "No Such", "name": None}]
    assert note["backlinks"] == ["a/Deep"]
    assert note["weight"] == 2.0
    loose = told(shared.get("/notes/Loose"))
    assert (loose["links"], loose["backlinks"]) == ([], [])  # a link to itself is none
    assert '<a class="note" data-note="a/Deep" href="#/note/a%2FDeep">Deep</a>' in note["html"]
    assert told(shared.get("/notes/a/Deep"))["name"] == told(shared.get("/notes/a%2FDeep"))["name"] == "a/Deep"


def test_a_note_is_expanded_as_deep_as_asked(shared: httpx.Client) -> None:
    html = told(shared.get("/notes/hint", params={"depth": 2}))["html"]
    assert re.findall('<details class="expansion" open="" data-note="([^"]+)"', html) == ["a/Deep", "a/Other"]
    assert '<a class="note" data-note="hint"' in html
    refused(shared.get("/notes/hint", params={"depth": 11}), 422, "BadArgument")


def test_a_note_is_read_as_it_was_with_its_links_of_that_time(own: httpx.Client) -> None:
    for name, text in (("a", "See [[b]].\n"), ("b", "Old.\n")):
        own.put(f"/notes/{name}", json={"content": text}, headers={"If-None-Match": "*"}).raise_for_status()
    at = own.get("/log").json()["edits"][0]["rev"]
    own.post("/rename", json={"name": "b", "new_name": "c"}).raise_for_status()
    note = own.get("/notes/a", params={"at": at, "depth": 1}).json()
    assert note["text"] == "See [[b]].\n"
    assert "Old." in note["html"]
    assert note["links"] == [{"target": "b", "name": "b"}]
    earlier = own.get("/notes/c", params={"at": at}).json()
    assert (earlier["name"], earlier["backlinks"]) == ("b", ["a"])
    assert (earlier["earlier"]["rev"], earlier["earlier"]["now"]) == (at, "c")
    assert "earlier" not in own.get("/notes/a").json()
    response = own.get("/notes/nowhere", params={"at": at})
    assert response.status_code == 404
    assert "at that time" in response.json()["error"]["message"]


def test_a_long_note_is_sent_in_parts(own: httpx.Client) -> None:
    told(own.put("/notes/Long", json={"content": "See [[hint]].\n\n" * 2_500}, headers=CREATE), 201)
    note = told(own.get("/notes/Long"))
    assert (note["link_count"], note["backlink_count"]) == (1, 0)
    rest = told(own.get("/parts/Long", params={"offset": note["next_offset"]}))
    assert (rest["etag"], rest["next_offset"]) == (note["etag"], None)
    assert note["html"].count('data-note="hint"') == 2_000
    assert rest["html"].count('data-note="hint"') == 500
    assert told(own.get("/parts/Long", params={"offset": 10**12}))["html"] == ""
    refused(own.get("/parts/Long", params={"offset": -1}), 422, "BadArgument")


def test_a_text_that_is_known_is_not_sent_again(shared: httpx.Client) -> None:
    tag = shared.get("/notes/hint").headers["etag"]
    assert shared.get("/notes/hint", headers={"If-None-Match": tag}).status_code == 304
    assert shared.get("/notes/hint", headers={"If-None-Match": f'"0", W/{tag}'}).status_code == 304
    assert shared.get("/notes/hint?depth=1", headers={"If-None-Match": tag}).status_code == 200


def test_a_note_is_created_once_and_replaced_by_whoever_knows_it(own: httpx.Client, tmp_path: Path) -> None:
    made = own.put("/notes/new/One", json={"content": "x [[Gone]]\n"}, headers=CREATE)
    assert told(made, 201)["missing"] == ["Gone"]
    error = refused(own.put("/notes/new/One", json={"content": "y"}, headers=CREATE), 412, "StaleEtag")
    assert f'"{error["etag"]}"' == made.headers["etag"]
    assert error["proposal"]["conflicts"] == [{"line": 1, "mine": ["y"], "theirs": ["x [[Gone]]"]}]
    done = own.put("/notes/new/One", json={"content": "z\n"}, headers=matching(made))
    assert told(done)["outcome"] == "replaced"
    assert read(tmp_path)["new/One.md"] == b"z\n"
    assert done.headers["etag"] == own.get("/notes/new/One").headers["etag"]


@pytest.mark.parametrize("name", ["hint.md/x", "p.png/x/y", "a/page.html/x.md"])
def test_a_name_below_a_file_is_refused_as_a_file_in_the_way(own: httpx.Client, tmp_path: Path, name: str) -> None:
    before = read(tmp_path)
    refused(own.put(f"/notes/{quote(name, safe='')}", json={"content": "x"}, headers=CREATE), 409, "FileInTheWay")
    assert read(tmp_path) == before


def test_a_change_meanwhile_is_merged_or_refused_with_the_etag_of_now(own: httpx.Client, tmp_path: Path) -> None:
    known = own.get("/notes/Other")
    (tmp_path / "a/Other.md").write_text("one\ntwo\nthree\nFOUR\n", "utf-8")
    done = told(own.put("/notes/Other", json={"content": "ONE\ntwo\nthree\nfour\n"}, headers=matching(known)))
    assert done["merged"] == ["-four", "+FOUR"]
    assert read(tmp_path)["a/Other.md"] == b"ONE\ntwo\nthree\nFOUR\n"
    mine = {"content": "one\ntwo\nMORE\nthree\nmine\n"}
    error = refused(own.put("/notes/Other", json=mine, headers=matching(known)), 412, "StaleEtag")
    assert error["etag"] == done["etag"]
    assert error["proposal"] == {
        "text": "ONE\ntwo\nMORE\nthree\nmine\n",
        "conflicts": [{"line": 5, "mine": ["mine"], "theirs": ["FOUR"]}],
    }
    assert read(tmp_path)["a/Other.md"] == b"ONE\ntwo\nthree\nFOUR\n"
    gone = own.put("/notes/Nowhere", json={"content": "x"}, headers={"If-Match": '"0123456789ab"'})
    assert refused(gone, 412, "StaleEtag")["etag"] is None


def test_a_merge_of_texts_answers_a_proposal_and_writes_nothing(own: httpx.Client, tmp_path: Path) -> None:
    before = read(tmp_path)
    sides = {"base": "a\nb\nc\n", "mine": "A\nb\nc\n", "theirs": "a\nb\nC\n"}
    assert told(own.post("/merge", json=sides)) == {"text": "A\nb\nC\n", "conflicts": []}
    refused(own.post("/merge", json={**sides, "mine": 5}), 422, "BadArgument")
    assert told(own.post("/merge", json={**sides, "keep_both": True})) == {"text": "A\nb\nC\n", "conflicts": []}
    both = told(own.post("/merge", json={**sides, "theirs": "X\nb\nC\n", "keep_both": True}))
    pattern = r"A\nb\nC\n\n> \[!conflict\] Also written by others, [\d: -]{16}\n> X\n"
    assert re.fullmatch(pattern, both["text"])
    assert both["conflicts"] == []
    assert read(tmp_path) == before


def test_a_proposal_too_large_to_send_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.serve.api.exchange.MOST_SENT", 100)
    error = errors.StaleEtag("Sentence.", "12", propose("", "mine " * 100, "theirs"))
    answer = error_response(error)
    assert answer.status_code == 412
    assert json.loads(bytes(answer.body))["error"] == {"kind": "StaleEtag", "message": "Sentence.", "etag": "12"}


def test_an_edit_must_say_what_it_replaces_and_send_json_that_can_be_used(own: httpx.Client, tmp_path: Path) -> None:
    before, headers = read(tmp_path), matching(own.get("/notes/hint"))
    put = own.build_request
    typed = {**headers, "Content-Type": "application/json"}
    refused(own.put("/notes/hint", json={"content": "x"}), 428, "NoEtag")
    refused(own.delete("/notes/hint"), 428, "NoEtag")
    refused(own.put("/notes/hint", json={"content": "x"}, headers={"If-Match": "abc"}), 422, "BadArgument")
    refused(own.put("/notes/hint", json={"content": "x"}, headers={**headers, **CREATE}), 422, "BadArgument")
    refused(own.put("/notes/hint", json={"content": "x"}, headers={"If-None-Match": '"1"'}), 422, "BadArgument")
    refused(own.put("/notes/hint", content='{"content": "x"}', headers=headers), 415, "BadType")
    refused(own.put("/notes/hint", content="{", headers=typed), 400, "BadBody")
    refused(own.put("/notes/hint", content=b"\xff", headers=typed), 400, "BadBody")
    refused(own.put("/notes/hint", content="[" * 100_000, headers=typed), 400, "BadBody")
    refused(own.put("/notes/hint", content='{"content": "\\ud800"}', headers=typed), 422, "BadArgument")
    refused(own.post("/rename", content='{"name": "\\udfff", "new_name": "x"}', headers=typed), 422, "BadArgument")
    refused(own.put("/notes/hint", json={"content": "x", "more": 1}, headers=headers), 422, "BadArgument")
    refused(own.put("/notes/hint", json=["x"], headers=headers), 422, "BadArgument")
    refused(own.put("/notes/hint", json={"content": 5}, headers=headers), 422, "BadArgument")
    refused(own.put("/notes/a%3Fb", json={"content": "x"}, headers=CREATE), 422, "BadName")
    refused(own.send(put("PUT", "/notes/%2e%2e%2fx", json={"content": "x"}, headers=CREATE)), 422, "BadName")
    assert read(tmp_path) == before


def test_a_note_is_deleted_in_the_version_that_is_known(own: httpx.Client, tmp_path: Path) -> None:
    known = own.get("/notes/Deep")
    (tmp_path / "a/Deep.md").write_text("changed\n", "utf-8")
    error = refused(own.delete("/notes/Deep", headers=matching(known)), 412, "StaleEtag")
    gone = told(own.delete("/notes/Deep", headers={"If-Match": f'"{error["etag"]}"'}))
    assert (gone["dangling"], gone["trash"]) == (["hint"], ".trash/Deep.md")
    refused(own.delete("/notes/Deep", headers=matching(known)), 404, "UnknownNote")


def test_the_brief_its_filters_its_lines_and_ticks(tmp_path: Path) -> None:
    story.story(tmp_path / "vault")
    with (
        http_server(str(tmp_path / "vault")) as url,
        httpx.Client(base_url=url.replace("/mcp", "/api"), headers={"Zkmem-Client": "page"}) as page,
    ):
        brief = told(page.get("/brief", params={"count": 2}))
        assert (brief["edits"], brief["total"], brief["next"], len(brief["lines"])) == (46, 38, 2, 2)
        assert brief["counts"][:2] == [{"kind": "deleted", "notes": 1}, {"kind": "overwritten", "notes": 1}]
        for filters, total in (
            ("kind=overwritten", 1),
            ("client=codex", 17),
            ("client=hand", 3),
            ("folder=projects", 6),
            ("kind=renamed&client=codex", 2),
            ("sitting=20&kind=changed", 5),
        ):
            answer = told(page.get(f"/brief?{filters}"))
            assert (answer["total"], len(answer["lines"])) == (total, total)
        line = told(page.get("/brief", params={"kind": "overwritten"}))["lines"][0]
        place = {key: line[key] for key in ("note", "edit", "first")}
        (note,) = told(page.get("/brief/change", params=place))["notes"]
        assert "".join(one["html"] for one in note["passages"]) == note["html"]
        assert told(page.post("/viewed", json={"lines": [place], "viewed": True})) == {"done": True}
        assert told(page.get("/brief"))["edits"] == 45
        undo = {"note": "plans/garden", "edit": story.IN_THE_MIDDLE}
        preview = told(page.post("/undo", json=undo | {"passage": 0, "preview": True}))
        assert [one["path"] for one in preview["changes"]] == ["plans/garden.md"]
        (note,) = preview["notes"]
        assert (note["name"], note["outcome"]) == ("plans/garden", "changed")
        assert '<del class="marked">Everything waits until the ground is dry</del> <ins' in note["html"]
        outcomes = {
            edit: {one["name"]: one["outcome"] for one in told(page.post("/undo", json=body))["notes"]}
            for edit in (1, 17, 29)
            for body in [{"edit": edit, "preview": True}]
        }
        assert outcomes[1] == {"projects/idea 0": "deleted"}
        assert outcomes[17] == {"people/ann": "renamed", "hint": "changed"}
        assert outcomes[29] == {story.DELETED: "restored"}
        assert told(page.post("/undo", json=undo))["edits"] == ["22: changed plans/garden"]
        assert told(page.get("/brief"))["edits"] == 44
        refused(page.post("/undo", json=undo), 409, "NothingToUndo")
        refused(page.post("/undo", json={"note": "hint"}), 422, "BadArgument")
        everything = {"edit": brief["last"], "earlier": True}
        assert told(page.post("/seen", json=everything)) == {"edits": [[1, 17], [19, 46]]}  # 18 was ticked before
        assert told(page.get("/brief"))["sentence"] == "Nothing is new."
        assert told(page.post("/unseen", json={"edits": [[1, 17], [19, 46]]})) == {"done": True}
        assert told(page.get("/brief"))["edits"] == 44
        told(page.post("/seen", json=everything))
        refused(page.get("/brief/change", params={"note": "hint", "edit": 99}), 404, "UnknownEdit")
        refused(page.post("/viewed", json={"lines": [{"note": "x", "edit": 1}], "viewed": True}), 404, "NoVersion")
        refused(page.get("/brief", params={"kind": "worse"}), 422, "BadArgument")
        assert told(page.get("/replay")) == {"edits": 0, "steps": [], "nodes": []}
        replay = told(page.get("/replay", params={"sitting": 46}))
        pulled, undone = replay["steps"]
        assert (pulled["edit"], pulled["outside"], pulled["own"]) == (46, "git pull", False)
        assert [replay["nodes"][number]["name"] for number in pulled["new"]] == ["places/bakery", "places/tower"]
        assert (undone["edit"], undone["edits"]) == (None, 1)
        (undo,) = told(page.get("/replay", params={"since": "46"}))["steps"]
        assert (undo["own"], undo["words"]) == (True, "undid edit 22: changed plans/garden")
        refused(page.get("/replay", params={"since": "soon"}), 422, "BadArgument")
        refused(page.get("/replay", params={"sitting": 99}), 404, "UnknownEdit")


def test_a_preview_tells_what_the_edit_will_do_and_does_nothing(own: httpx.Client, tmp_path: Path) -> None:
    before = read(tmp_path)
    body = {"name": "Deep", "new_name": "b/Deeper"}
    foretold = told(own.post("/rename", json={**body, "preview": True}))
    assert read(tmp_path) == before
    changes = {one["path"]: one for one in foretold["changes"]}
    assert set(changes) == {"a/Deep.md", "hint.md"}
    assert changes["a/Deep.md"] == {"path": "a/Deep.md", "to": "b/Deeper.md", "diff": ""}
    assert "-See [[Deep]]," in changes["hint.md"]["diff"]
    assert "+See [[Deeper]]," in changes["hint.md"]["diff"]
    done = told(own.post("/rename", json=body))
    assert done["relinked"] == ["hint"]
    after = read(tmp_path)
    assert {path for path in before | after if before.get(path) != after.get(path)} == {*changes, "b/Deeper.md"}


def test_a_merge_and_an_extraction_are_previewed_too(own: httpx.Client, tmp_path: Path) -> None:
    before = read(tmp_path)
    merge = told(own.post("/rename", json={"name": "Other", "new_name": "Loose", "preview": True}))
    assert merge["outcome"] == "merged"
    assert {(one["path"], one["to"]) for one in merge["changes"]} >= {("a/Other.md", ".trash/Other.md")}
    body = {"name": "Other", "content": "two\nthree", "new_name": "/Middle"}
    cut = told(own.post("/extract", json={**body, "preview": True}))
    assert [(one["path"], one["to"]) for one in cut["changes"]] == [("Middle.md", None), ("a/Other.md", None)]
    assert (cut["name"], merge["name"], cut["remarks"]) == ("Middle", "Loose", [])
    assert "+[[Middle]]" in cut["changes"][1]["diff"]
    assert read(tmp_path) == before
    done = told(own.post("/extract", json=body))
    assert (done["note"]["name"], done["source"]["name"]) == ("Middle", "a/Other")
    assert read(tmp_path)["a/Other.md"] == b"one\n[[Middle]]\nfour\n"
    refused(own.post("/extract", json={**body, "content": "no such"}), 409, "NoPassage")


@pytest.mark.parametrize("seed", range(4))
def test_the_graph_around_a_note_is_the_part_of_the_whole_one_link_away(tmp_path: Path, seed: int) -> None:
    memory = Memory(write(tmp_path, random_files(random.Random(seed), 20)))
    whole = memory.graph()

    def ends(graph: Overview) -> list[str]:
        return [*graph.names, *("?" for _ in graph.missing)]  # the spelling of a missing one is that of its first link

    links = list(zip(whole.links[::2], whole.links[1::2], strict=True))
    for at, name in enumerate(whole.names):
        near = {at, *(end for link in links if at in link for end in link)}
        graph = memory.graph(around=name)
        assert Counter(ends(graph)) == Counter(ends(whole)[one] for one in near)
        pairs = zip(graph.links[::2], graph.links[1::2], strict=True)
        assert Counter((ends(graph)[source], ends(graph)[target]) for source, target in pairs) == Counter(
            (ends(whole)[source], ends(whole)[target]) for source, target in links if {source, target} <= near
        )
        assert graph.weights == [whole.weights[whole.names.index(one)] for one in graph.names]
        assert graph.shared == whole.shared


def test_the_tree_has_the_rows_of_the_open_folders(tmp_path: Path) -> None:
    files = {
        "a/x/One.md": "",
        "a/x/Two.md": "",
        "a/3.md": "",
        "a/10.md": "",
        "Top.md": "",
        "all.base": "",
        "a/p.png": "",
    }
    memory = Memory(write(tmp_path, files))
    root, other = memory.tree(["", "a"]).folders
    assert root == ("", [("a", 4)], ["Top"], 2)
    assert other == ("a", [("a/x", 2)], ["a/3", "a/10"], 3)
    assert memory.tree(["a"], 1).folders == [("a", [("a/x", 2)], ["a/3"], 3)]
    assert memory.tree(["none", "a/x"]).folders == [("none", [], [], 0), ("a/x", [], ["a/x/One", "a/x/Two"], 2)]
    assert memory.tree().has_bases
    assert not memory.restricted(Grant("a")).tree().has_bases
    assert memory.restricted(Grant("a/x")).tree(["", "a"]).folders == [
        ("", [("a", 2)], [], 1), ("a", [("a/x", 2)], [], 1)
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_the_graph_is_that_of_a_fresh_index_after_any_edits(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    memory = Memory(write(tmp_path, random_files(rng, 20)), durable=False)
    for step in range(8):
        names = memory.graph().names
        one, other = rng.sample(names, 2)
        edits: list[Callable[[], object]] = [
            functools.partial(memory.rename, one, rng.choice([f"z/{step}", other])),
            functools.partial(memory.delete, one),
            functools.partial(memory.write, f"new {step}", f"[[{one}]] [[{other}]] [[gone {step % 2}]]"),
            functools.partial(memory.undo, rng.choice([1, 2])),
        ]
        with contextlib.suppress(errors.ZkError):
            rng.choice(edits)()
        graph, links = memory.graph(), fresh_index(str(tmp_path)).links.graph
        notes = [f"{name}.md" for name in graph.names]
        assert notes == sorted(node for node in links if not is_missing(node) and node.endswith(".md"))
        ends = [*notes, *("?" for _ in graph.missing)]
        pairs = zip(graph.links[::2], graph.links[1::2], strict=True)
        assert Counter((ends[source], ends[target]) for source, target in pairs) == Counter(
            (source, "?" if is_missing(target) else target)
            for source, target in links.edges
            if source != target and (is_missing(target) or target in notes)
        )
        assert graph == Memory(str(tmp_path)).graph()


@pytest.mark.parametrize("seed", range(8))
def test_what_a_preview_tells_is_what_the_edit_does(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    memory = Memory(write(tmp_path, random_files(rng, 25)), durable=False)
    names = memory.graph().names
    for name in rng.sample(names, 4):
        new_name = rng.choice([f"new/{name.rpartition('/')[2]} x", rng.choice(names)])
        before = read(tmp_path, hidden=True)
        ask: Callable[[], preview.Preview] = functools.partial(memory.preview_rename, name, new_name)
        do: Callable[[], Edited | Extracted] = functools.partial(memory.rename, name, new_name)
        if rng.random() < 0.5 and f"{name}.md" in before:
            lines = read_text(before[f"{name}.md"]).shown.split("\n")
            passage = "\n".join(lines[rng.randrange(len(lines)) :])
            ask = functools.partial(memory.preview_extract, name, passage, new_name)
            do = functools.partial(memory.extract, name, passage, new_name)
        try:
            foretold = ask()
        except errors.ZkError as error:
            with pytest.raises(type(error)):
                do()
            continue
        assert read(tmp_path, hidden=True) == before
        done = do()
        assert (done.note if isinstance(done, Extracted) else done).outcome == foretold.outcome
        assert as_told(before, read(tmp_path, hidden=True), foretold.changes) == foretold.changes


def as_told(
    before: dict[str, bytes], after: dict[str, bytes], changes: list[preview.FileChange]
) -> list[preview.FileChange]:
    """How the files of some changes differ; fails if others do, too."""
    known = {path for one in changes for path in (one.path, one.to)}
    assert {path for path in before | after if before.get(path) != after.get(path)} <= known
    found = []
    for one in changes:
        to = one.to or one.path
        assert (one.path in after) == (one.to is None)
        old, new = (read_text(text).shown for text in (before.get(one.path, b""), after[to]))
        found.append(one._replace(diff=difference(old, new, (one.path, to))))
    return found


def test_lists_are_bounded_and_refuse_what_they_do_not_know(shared: httpx.Client) -> None:
    assert told(shared.get("/names", params={"q": "e", "count": 2})) == {"names": ["a/Deep", "a/Other"], "total": 3}
    assert [one["name"] for one in told(shared.get("/hints?count=2"))["hints"]] == ["a/Deep", "hint"]
    assert [one["name"] for one in told(shared.get("/hints?folder=a"))["hints"]] == ["a/Deep", "a/Other"]
    assert [one["name"] for one in told(shared.get("/suggestions"))["suggestions"]] == ["Loose"]
    assert told(shared.get("/suggestions?threshold=0")) == {"suggestions": []}
    missing = {"kind": "missing", "note": "hint", "detail": "[[No Such]]", "target": "No Such", "choices": []}
    counts = {"missing": 1, "ambiguous": 0, "conflict": 0, "other": 0, "suggestions": 1}
    expected = {"findings": [missing], "kind": "missing", "total": 1, "counts": counts, "complete": True}
    assert told(shared.get("/findings?kind=missing")) == expected
    assert told(shared.get("/findings?kind=first")) == expected
    assert told(shared.get("/findings?kind=first&look=index")) == expected | {"complete": False}
    none = {"findings": [], "kind": "other", "total": 0}
    assert told(shared.get("/findings?kind=other")) == expected | none
    assert told(shared.get("/findings")) == expected | {"kind": ""}
    assert [one["name"] for one in told(shared.get("/search?q=three"))["hits"]] == ["a/Other"]
    for query in ("count=0", "count=1001", "count=x", "count=1.5", "count=1e3000", "count=1&count=2", "cnt=1"):
        refused(shared.get(f"/hints?{query}"), 422, "BadArgument")
    for query in ("nan", "inf", "-1", "", "٣"):
        refused(shared.get("/suggestions", params={"threshold": query}), 422, "BadArgument")
    refused(shared.get("/search"), 422, "BadArgument")
    refused(shared.get("/findings?kind=odd"), 422, "BadArgument")


def test_a_table_has_the_types_of_its_cells_groups_and_pages(tmp_path: Path) -> None:
    base = (
        "views: [{name: V, order: [size, tags, formula.twice], summaries: {size: Sum}}]\nformulas: {twice: size * 2}\n"
    )
    (tmp_path / "v.base").write_text(base, encoding="utf-8")
    (tmp_path / "bad.base").write_text("filters: [", encoding="utf-8")
    with serving(tmp_path) as own:
        bases = told(own.get("/bases"))["bases"]
        assert bases == [{"path": "bad.base", "views": []}, {"path": "v.base", "views": ["V"]}]
        table = told(own.get("/table", params={"base": "v.base", "filter": "size > 1"}))
        assert [(one["key"], one["title"], one["editable"]) for one in table["columns"]] == [
            ("size", "size", True), ("tags", "tags", True), ("formula.twice", "formula.twice", False)
        ]  # fmt: skip
        cells = [{"text": "12", "type": "number"}, {"text": "a, b", "type": "list"}, {"text": "24", "type": "number"}]
        assert table["rows"] == [{"note": "hint", "group": "", "cells": cells}]
        assert (table["total"], table["next"], table["groups"], table["remarks"]) == (1, None, [], [])
        assert table["summaries"] == [{"column": "size", "title": "size", "name": "Sum", "value": "12"}]
        asked: dict[str, str | int] = {
            "columns": '["file.ext"]',
            "sort": "-file.name",
            "group": "file.folder",
            "count": 2,
        }
        page = told(own.get("/table", params=asked))
        assert [(row["note"], row["group"]) for row in page["rows"]] == [("a/Other", "a"), ("a/Deep", "a")]
        assert (page["groups"], page["next"]) == ([{"value": "a", "size": 2}, {"value": "", "size": 2}], 2)
        assert [row["note"] for row in told(own.get("/table", params={**asked, "from": 2}))["rows"]] == [
            "Loose",
            "hint",
        ]
        refused(own.get("/table?filter=nope()"), 422, "BadArgument")
        refused(own.get("/table?columns=size"), 422, "BadArgument")
        refused(own.get("/table?base=bad.base"), 422, "BadArgument")
        refused(own.get("/table?base=v.base&view=W"), 422, "BadArgument")
        assert "the bases are: bad.base, v.base" in refused(own.get("/table?base=no"), 404, "UnknownBase")["message"]


def test_properties_are_set_in_all_of_some_notes_or_in_none(own: httpx.Client, tmp_path: Path) -> None:
    names = ["hint", "a/Deep"]
    done = told(own.post("/properties", json={"names": names, "properties": {"size": 3, "tags": None}}))
    assert sorted(done["changed"]) == ["a/Deep", "hint"]
    before = read(tmp_path)
    assert before["hint.md"].startswith(b'---\nodd: "\\u263a"\nsize: 3\n---\nSee')
    assert before["a/Deep.md"].startswith(b"---\nsize: 3\n---\n# Deep")
    for properties in ({}, {"": 1}, {"x": {"y": 1}}):
        refused(own.post("/properties", json={"names": names, "properties": properties}), 422, "BadArgument")
    refused(own.post("/properties", json={"names": ["hint", "nobody"], "properties": {"x": 1}}), 404, "UnknownNote")
    body = '{"names": ["hint"], "properties": {"x": %s}}'
    for number in ("1e999", "-1e999", "NaN", "1" * 200):
        refused(
            own.post("/properties", content=body % number, headers={"Content-Type": "application/json"}),
            422,
            "BadArgument",
        )
    refused(own.post("/properties", json={"names": [], "properties": {"x": 1}}), 422, "BadArgument")
    assert read(tmp_path) == before


def test_the_past_is_told_and_taken_back(own: httpx.Client, tmp_path: Path) -> None:
    known = own.get("/notes/Other")
    told(own.put("/notes/Other", json={"content": "new\n"}, headers=matching(known)))
    (edit,) = told(own.get("/log", params={"name": "Other"}))["edits"]
    assert "a/Other" in edit["title"]
    assert edit["time"] > 1_000_000_000
    old = told(own.get("/revision", params={"name": "Other", "rev": known.headers["etag"].strip('"')}))
    assert old["text"] == FILES["a/Other.md"]
    assert "+new" in told(own.get("/diff", params={"name": "Other"}))["diff"]
    assert told(own.post("/undo", json={}))["notes"] == ["a/Other"]
    assert read(tmp_path)["a/Other.md"] == b"one\ntwo\nthree\nfour\n"
    assert told(own.post("/redo", json={"count": 1.0}))["notes"] == ["a/Other"]
    assert told(own.post("/restore", json={"name": "Other", "rev": old["rev"]}))["outcome"] == "restored"
    refused(own.post("/undo", json={"count": 50}), 409, "NothingToUndo")
    refused(own.get("/revision", params={"name": "Other", "rev": "4711"}), 404, "NoVersion")


def test_a_conflict_is_resolved_and_what_was_written_meanwhile_stays(own: httpx.Client, tmp_path: Path) -> None:
    text = "---\na: b\n---\nGreen.\r\n\n> [!conflict] laptop\n> Black.\n\nEnd.\n"
    made = own.put("/notes/Tea", json={"content": text}, headers={"If-None-Match": "*"})
    note = told(own.get("/notes/Tea"))
    assert note["conflicts"] == [{"title": "laptop", "here": "Green.\r", "other": "Black."}]
    own.put("/notes/Tea", json={"content": text + "More.\n"}, headers={"If-Match": made.headers["etag"]})
    choice = {"name": "Tea", "number": 0, "other": True, "etag": note["etag"]}
    assert told(own.post("/resolve", json=choice))["merged"] == ["+More."]
    now = told(own.get("/notes/Tea"))
    assert (now["text"], now["conflicts"]) == ("---\na: b\n---\nBlack.\n\nEnd.\nMore.\n", [])
    refused(own.post("/resolve", json={**choice, "etag": now["etag"]}), 409, "NoConflict")
    told(own.post("/undo", json={}))
    assert told(own.get("/notes/Tea"))["text"] == text + "More.\n"


def test_the_log_names_what_an_edit_moved_and_what_it_took_back(own: httpx.Client) -> None:
    told(own.post("/rename", json={"name": "Other", "new_name": "a/New"}))
    told(own.post("/undo", json={}))
    told(own.post("/redo", json={}))
    told(own.delete("/notes/Loose", headers=matching(own.get("/notes/Loose"))))
    edits = told(own.get("/log"))["edits"]
    assert told(own.get("/log", params={"edit": edits[0]["rev"]}))["edits"] == edits[:1]
    assert own.get("/log", params={"edit": 99}).status_code == 404
    assert told(own.get("/given")) == {"given": []}
    assert [(one["tool"], one["moves"], one["undoes"]) for one in edits] == [
        ("", [], []),  # the trash holds no notes
        ("redo", [{"from": "a/Other", "to": "a/New"}], ["2"]),
        ("undo", [{"from": "a/New", "to": "a/Other"}], ["1"]),
        ("", [{"from": "a/Other", "to": "a/New"}], []),
    ]


def test_an_attachment_is_sent_so_that_it_cannot_act(shared: httpx.Client) -> None:
    picture, site = shared.get("/files/p.png"), shared.get("/files/a%2Fpage.html")
    assert (picture.content, picture.headers["content-type"]) == (b"\x89PNG", "image/png")
    for answer in (picture, site):
        assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_is_no_attachment_is_not_sent(own: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "out.png").symlink_to("/etc/passwd")
    (tmp_path / "in.png").symlink_to(tmp_path / ".hidden/x.png")
    (tmp_path / "far").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe.png")
    names = ["hint.md", ".hidden/x.png", ".zkmem/lock", "a", "", "none.png", "out.png", "in.png", "far/passwd"]
    names += [
        "pipe.png",
        "p.png/",
        "p.png/x.png",
        "hint.md/",
        "../secret",
        "/etc/passwd",
        "a/../.hidden/x.png",
        "a\0.png",
        "a\n.png",
        "%2e%2e/x",
        "x" * 5_000,
    ]
    for name in names:
        quoted = "".join(f"%{byte:02X}" for byte in name.encode())
        refused(own.get(f"/files/{quoted}"), 404, "UnknownFile")


def test_an_attachment_that_is_too_large_is_refused_with_a_sentence(own: httpx.Client, tmp_path: Path) -> None:
    with open(tmp_path / "film.mp4", "wb") as film:
        film.truncate(64_000_001)
    refused(own.get("/files/film.mp4"), 413, "TooLarge")


def test_what_is_not_there_is_told_in_json_too(shared: httpx.Client) -> None:
    refused(shared.get("/nothing"), 404, "NoRoute")
    refused(shared.get("/a%0Ab"), 404, "NoRoute")
    refused(shared.get("/notes/no%0Ane"), 404, "UnknownNote")
    near = refused(shared.get("/notes/hind"), 404, "UnknownNote")
    assert near["names"] == ["hint"]
    assert "Nearest names: hint." in near["message"]
    wrong = shared.delete("/vault")
    refused(wrong, 405, "NoMethod")
    assert wrong.headers["allow"] == "GET"
    assert shared.head("/vault").status_code == 200
    assert shared.head("/events").status_code == 405
    assert told(shared.get("/openapi.json"))["openapi"].startswith("3.1")


def lines_of(stream: httpx.Response) -> Iterator[dict[str, Any]]:
    """The events of a stream, each with its kind."""
    kind = ""
    for line in stream.iter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield {"event": kind, **json.loads(line.removeprefix("data: "))}


def test_changes_are_told_as_they_happen_by_whoever(own: httpx.Client, tmp_path: Path) -> None:
    own.get("/vault")  # the index is there
    with own.stream("GET", "/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = lines_of(stream)
        hello = next(events)
        assert hello["event"] == "hello"
        with httpx.Client(base_url=own.base_url) as other:
            assert int(other.get("/home").headers["zkmem-version"]) == hello["version"]
            told(other.put("/notes/Fresh", json={"content": "x"}, headers=CREATE), 201)
            assert int(other.get("/home").headers["zkmem-version"]) > hello["version"]
        assert next(events) == {"event": "changed", "names": ["Fresh"], "by": "api"}
        (tmp_path / "ByHand.md").write_text("x", "utf-8")
        assert next(events) == {"event": "changed", "names": ["ByHand"], "by": None}
        (tmp_path / "Fresh.md").write_text("by hand", "utf-8")
        assert next(events) == {"event": "changed", "names": ["Fresh"], "by": None}, "not by who wrote it before"


def test_a_server_that_is_told_to_stop_ends_its_streams_and_stops(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zkmem", "serve", write(tmp_path, FILES), "--mode", "http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        url = next(found[1] for line in process.stderr if (found := re.match(r"Address: (\S+)/mcp", line)))
        with httpx.stream("GET", f"{url}/api/events") as stream:
            events = lines_of(stream)
            assert next(events)["event"] == "hello"
            process.terminate()
            assert list(events) == []  # it ends well, it is not cut
        process.wait(30)
        assert "Traceback" not in process.stderr.read()


async def accepted_option(level: int, option: int) -> int:
    """Return the value of an option of a socket that a server on a bound socket has accepted."""
    set_to: asyncio.Queue[int] = asyncio.Queue()

    async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        set_to.put_nowait(writer.get_extra_info("socket").getsockopt(level, option))
        writer.close()

    sock = bind("127.0.0.1", 0)
    async with await asyncio.start_server(accepted, sock=sock):
        _, writer = await asyncio.open_connection(*sock.getsockname())
        value = await set_to.get()
        writer.close()
    return value


@pytest.mark.anyio
async def test_an_answer_is_sent_at_once_and_does_not_wait_for_more() -> None:
    """Nagle's algorithm would keep back its second half until the first one is acknowledged, which takes 40 ms."""
    assert await accepted_option(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.anyio
async def test_a_stream_of_a_caller_whose_network_is_gone_ends_soon() -> None:
    """It would count as this caller's for 15 minutes or, as long as nothing changes, for two hours."""
    assert await accepted_option(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    if sys.platform == "linux":
        assert await accepted_option(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30
        assert await accepted_option(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000


@pytest.mark.anyio
async def test_a_stream_that_is_not_read_holds_no_more_than_a_mark_to_load_all_anew(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    feed = Feed(memory)
    stream = feed.events(Grant())
    memory.write("early", "x")  # before anyone listens: `hello` counts it
    assert await anext(stream) == b'event: hello\ndata: {"version": %d}\n\n' % memory.version
    (one,) = feed._streams
    one.add([f"note {number}" for number in range(600)], "")
    one.add([f"note {number}" for number in range(600)], "")
    assert one.names is not None
    one.add([f"other {number}" for number in range(600)], "")
    assert one.names is None
    assert await anext(stream) == b'event: changed\ndata: {"names": null, "by": null}\n\n'
    feed.close()
    assert [event async for event in stream] == []
    assert not feed._streams


@pytest.mark.anyio
async def test_a_confined_stream_tells_of_its_folder_alone(tmp_path: Path) -> None:
    feed = Feed(Memory(str(tmp_path)))
    stream = feed.events(Grant("a"))
    await anext(stream)
    (one,) = feed._streams
    one.add(["ab", "b/x"], "")
    one.add(["a/x"], "ann")
    assert await anext(stream) == b'event: changed\ndata: {"names": ["a/x"], "by": "ann"}\n\n'
    await stream.aclose()
    assert not feed._streams


@pytest.mark.anyio
async def test_a_stream_reports_proposed_edits_to_those_who_may_accept_them(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))  # without a watcher: edits that this process proposes are sent at once
    bot = memory.restricted(Grant(proposes_as="bot"))
    feed = Feed(memory)
    person, confined, other = (feed.events(grant) for grant in (Grant(), Grant("a"), Grant(proposes_as="other")))
    told_of_it = b"event: proposed\ndata: {}\n\n"
    for stream in (person, confined, other):
        await anext(stream)
    for name in ("b/x", "a/x"):
        bot.write(name, "x")
        assert await anext(person) == told_of_it
    assert await anext(confined) == told_of_it
    memory.drop("bot", [1])
    assert await anext(person) == told_of_it
    (one,) = (stream for stream in feed._streams if stream._grant.folder)
    assert not await one.take_proposed(), "it was outside of the folder"
    memory.accept("bot")
    assert await anext(person) == told_of_it
    assert await anext(confined) in {told_of_it, b'event: changed\ndata: {"names": ["a/x"], "by": null}\n\n'}
    (one,) = (stream for stream in feed._streams if stream._grant.proposes_as)
    assert not await one.take_proposed()
    for stream in (person, confined, other):
        await stream.aclose()


class Failing(Memory):
    def restricted(self, grant: Grant) -> Self:
        raise RuntimeError(f"no {self.vault}")


def inside(memory: Memory, *, read_only: bool = False) -> httpx.AsyncClient:
    """A client of the API alone, in this process."""
    app = Starlette(routes=api_routes(memory, Audit(StateFolder(memory.vault)), Feed(memory), Common(Limits())))
    caller = Identity("", Grant("", read_only))

    async def admitting(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, ADMITTED_KEY: Admitted.of(caller, scope, {})}, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(app=admitting), base_url="http://t/api")


@pytest.mark.anyio
async def test_who_may_only_read_writes_nothing(tmp_path: Path) -> None:
    async with inside(Memory(write(tmp_path, FILES)), read_only=True) as client:
        assert told(await client.get("/vault"))["can_write"] is False
        for answer in (
            await client.put("/notes/x", json={"content": "x"}, headers=CREATE),
            await client.post("/undo", json={}),
            await client.post("/rename", json={"name": "hint", "new_name": "x", "preview": True}),
            await client.delete("/notes/hint"),
        ):
            refused(answer, 403, "Forbidden")


@pytest.mark.anyio
async def test_an_answer_that_is_too_large_to_be_sent_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkmem.serve.api.exchange.MOST_SENT", 10_000)
    async with inside(Memory(write(tmp_path, {"a.md": "words", "large.md": "words " * 2_000}))) as client:
        assert told(await client.get("/notes/a"))["text"] == "words"
        assert "the most is 10,000" in refused(await client.get("/notes/large"), 413, "TooLarge")["message"]


@pytest.mark.anyio
async def test_a_failure_that_nobody_expected_is_told_without_details(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with inside(Failing(write(tmp_path, FILES))) as client:
        error = refused(await client.get("/vault"), 500, "Failure")
    assert str(tmp_path) not in str(error)
    assert f"no {tmp_path}" in caplog.text


@pytest.mark.anyio
async def test_a_vault_that_is_gone_is_told_without_saying_where_it_was(tmp_path: Path) -> None:
    vault = tmp_path / "private" / "notes"
    vault.mkdir(parents=True)
    async with inside(Memory(str(vault))) as client:
        vault.rmdir()
        error = refused(await client.get("/vault"), 503, "NoVault")
        assert "private" not in error["message"]


STATUSES = {
    400: [errors.BadBody],
    404: [errors.UnknownNote, errors.UnknownFile, errors.NoVersion, errors.NoRoute, errors.UnknownEntity],
    403: [errors.Forbidden],
    405: [errors.NoMethod],
    409: [
        *[errors.AmbiguousName, errors.NoPassage, errors.EditedExpansion, errors.Changed, errors.EditedSince],
        *[errors.NothingToUndo, errors.Taken, errors.Damaged, errors.Inexpressible, errors.NoConflict],
    ],
    412: [errors.StaleEtag],
    415: [errors.BadType],
    422: [errors.BadArgument, errors.BadName],
    428: [errors.NoEtag],
    500: [errors.Unreadable, errors.Unwritable, errors.BadSettings],
    503: [errors.Busy, errors.Closed, errors.NoVault],
}


@pytest.mark.parametrize(("status", "kinds"), STATUSES.items())
def test_each_failure_has_its_status(status: int, kinds: list[type[errors.ZkError]]) -> None:
    for kind in kinds:
        error = kind.__new__(kind)
        Exception.__init__(error, "Sentence.")
        answer = error_response(error)
        assert answer.status_code == status
        assert json.loads(bytes(answer.body))["error"] == {"kind": kind.__name__, "message": "Sentence."}
    assert error_response(errors.StaleEtag("Sentence.", "12")).body == (
        b'{"error":{"kind":"StaleEtag","message":"Sentence.","etag":"12"}}'
    )


@pytest.mark.anyio
async def test_a_note_that_is_not_utf_8_is_shown_but_not_replaced(tmp_path: Path) -> None:
    data = "naïve [[x]]\n".encode("latin-1")
    async with inside(Memory(write(tmp_path, {"n.md": data}))) as client:
        known = await client.get("/notes/n")
        assert told(known)["text"] == "na\ufffdve [[x]]\n"
        refused(await client.put("/notes/n", json={"content": "x"}, headers=matching(known)), 409, "Inexpressible")
    assert read(tmp_path)["n.md"] == data


def test_half_a_character_is_no_failure() -> None:
    assert encoded({"a\ud800": ["\udfff", "\U0001f600"]}) == '{"a\ufffd":["\ufffd","\U0001f600"]}'.encode()


def test_who_has_read_a_note_in_part_elsewhere_does_not_keep_the_page_from_saving_it(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, FILES), max_chars=100)
    assert memory.read("Loose").next_offset
    with pytest.raises(errors.BadArgument, match="in part"):
        memory.write("Loose", "short")
    page = memory.page("Loose")
    assert memory.save("Loose", "short", page.etag).outcome == "replaced"
    assert read(tmp_path)["Loose.md"] == b"short"
