"""The 214 recorded and gathered rules of docs/development/links.md, each as a test."""

import json
import pathlib
from typing import Any

import pytest

from tests.tools.inner import engine
from tests.tools.vaults import apply_plan, read, write
from zkmem.edit.rename import plan_moves, plan_rename
from zkmem.errors import BadName, Taken
from zkmem.index.catalog import Catalog, CatalogRow
from zkmem.index.resolve import resolve
from zkmem.markdown.links import find_links
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.names import check_part, new_path, normal
from zkmem.vault.files import Stamp
from zkmem.vault.paths import is_hidden

CASES = json.loads((pathlib.Path(__file__).parents[1] / "cases" / "links.json").read_text("utf-8"))["cases"]


def cases(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["kind"] == kind])


def test_all_214_cases_are_run() -> None:
    assert len(CASES) == 214
    assert {case["kind"] for case in CASES} == {"parse", "resolve", "embed", "rename", "name"}


@cases("parse")
def test_parse(case: Any) -> None:
    data = case["input"].encode()
    found = find_links(data)
    assert [
        {
            "raw": link.raw,
            "target": link.target,
            "sub": link.subpath,
            "alias": link.display,
            "embed": link.embed,
            "type": link.kind,
        }
        for link in found
    ] == case["expect"]
    for link in found:
        if link.path_at >= 0:
            assert data[link.start : link.end].decode().replace("''", "'") == link.raw.replace("''", "'")


@cases("resolve")
def test_resolve(case: Any) -> None:
    catalog, spelled = Catalog(), {}
    for path in case["input"]["files"]:
        if not is_hidden(path):
            catalog.put(normal(path), CatalogRow(Stamp(0, 0, 0, 0)))
            spelled[normal(path)] = path
    found = resolve(catalog, case["input"]["link"], case["input"]["from"]).path
    assert (found and spelled[found]) == case["expect"]


@cases("embed")
def test_embed(case: Any, tmp_path: pathlib.Path) -> None:
    document, expect = case["input"]["doc"], case["expect"]
    if isinstance(document, dict):  # the cycle: each note once
        write(tmp_path, document)
        text = Memory(str(tmp_path)).read("A", depth=10).text
        assert text == "!![[B]]start\n\n![[A]]\n\n\n!![[B]]end"
        return
    body = document.encode()
    span = Outline(body).find(case["input"]["sub"])
    if expect is None:
        assert span is None
        return
    assert span is not None
    if "heading_line" in expect:
        assert document.encode()[: span[0]].count(b"\n") + 1 == expect["heading_line"]
    if "text" in expect:
        assert body[span[0] : span[1]].decode() == expect["text"]


@cases("rename")
def test_rename(case: Any, tmp_path: pathlib.Path) -> None:
    given = case["input"]
    root = write(tmp_path, given["files"])
    moves = {given["from"]: given["to"]}
    if given["op"] == "rename-folder":
        moves = {p: given["to"] + p[len(given["from"]) :] for p in given["files"] if p.startswith(given["from"] + "/")}
    memory = Memory(root)
    memory.load()
    view = engine(memory).editor.view()
    if "error" in case["expect"]:
        with pytest.raises(Taken, match=case["expect"]["error"]):
            plan_moves(view, moves)
        assert read(root) == {path: text.encode() for path, text in given["files"].items()}
        return
    merging = given["op"] == "merge"
    plan = plan_rename(view, given["from"], given["to"], merge=True) if merging else plan_moves(view, moves)
    apply_plan(root, plan)
    expect = {moves.get(path, path): text for path, text in given["files"].items()}
    if merging:
        expect = {path: text for path, text in expect.items() if path not in {given["from"], given["to"]}}
    now = {path: data.decode() for path, data in read(root).items()}
    for path, text in (expect | case["expect"]).items():
        assert now[path] == text


@cases("name")
def test_name(case: Any) -> None:
    name, expect = case["input"], case["expect"]

    def check() -> str:
        if "/" in name:  # the case means one component
            check_part(name, name)
        return new_path(name)

    if not expect["zkmem"]:
        with pytest.raises(BadName):
            check()
        return
    assert check() == expect.get("stored_as", expect.get("stem", name)) + ".md"
