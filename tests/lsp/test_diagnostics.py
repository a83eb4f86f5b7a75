"""Diagnostics: those of a text are the findings of `zkmem check` once it is saved."""

import pathlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from tests.tools.counts import calls_of
from tests.tools.lsp_process import Client
from tests.tools.vaults import write
from zkmem.index.resolve import missing_key
from zkmem.markdown.links import find_links
from zkmem.memory import Memory
from zkmem.recall.faults import faults
from zkmem.recall.meant import Meant
from zkmem.recall.suggested import part_like

NOTES = {
    "a.md": "# A\n\n## One\n\n- x ^blk\n",
    "one/dup.md": "",
    "two/dup.md": "",
    "t.md": "",
}
PIECES = st.sampled_from(
    [
        "---\nx: 1\n---\n", "---\nx: [\n---\n", "---\nx: 1\nx: 2\n---\n", "---\nup: '[[gone]]'\n---\n",
        "[[a]] ", "[[gone]] ", "[[Gone.md]] ", "[[dup]] ", "[[a#One]] ", "[[a#two]] ", "[[a#^blk]] ", "[[a#^none]] ",
        "[x](a.md#one) ", "[x](a.md#no) ", "[x](gone.png) ", "![[gone.png]] ", "[[Gone.PDF]] ",
        "[x](https://a.b/c.png) ", "`[[gone]]` ", "[[#Here]] ",
        "\n# Here\n", "\n\n", "\u00e9 ", "\n> [!conflict] there\n> x\n\n", "\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
        "[[one/dup]] ", "[[ ]] ", "ghp_Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4 ", "---\nprivate: true\n---\n",
    ]
)  # fmt: skip
CHECKED = {
    "missing", "missing-file", "missing-heading", "missing-block", "ambiguous", "properties", "unreadable", "conflict",
    "secret",
}  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(write(tmp_path_factory.mktemp("faults") / "vault", NOTES), durable=False) as memory:
        yield memory


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_faults_of_a_text_are_what_check_finds_once_it_is_saved(memory: Memory, text: str) -> None:
    data, notes = text.encode(), memory.in_editor()
    faults = notes.faults("t.md", data, lambda path: data if path == "t.md" else notes.read(path))
    pathlib.Path(memory.vault, "t.md").write_bytes(data)
    memory.wait_ready()
    here = [one for one in memory.check() if one.note == "t" and one.kind in CHECKED]
    mine, theirs = [], []
    for fault in faults:
        name = (
            fault.path.removesuffix(".md") + fault.subpath if "missing-" in fault.kind and fault.path else fault.target
        )
        mine.append((fault.kind, missing_key(name, "t.md") if fault.kind == "missing" else name))
        assert 0 <= fault.start <= fault.end <= len(data)
    for finding in here:
        key = missing_key(finding.target, "t.md") if finding.kind == "missing" else finding.target
        theirs.append((finding.kind, key))
    assert set(mine) == set(theirs), (faults, here)


def test_diagnostics_come_with_the_document_after_changes_and_go_with_it(tmp_path: pathlib.Path) -> None:
    with Client(write(tmp_path, NOTES)) as client:
        client.start()
        about = client.open("t.md", "\u00e9 [[a#gone]] [[dup]] [[new]]\n")
        found = client.diagnostics("t.md")
        assert [(one.code, one.severity) for one in found] == [
            ("missing-heading", types.DiagnosticSeverity.Warning),
            ("ambiguous", types.DiagnosticSeverity.Information),
            ("missing", types.DiagnosticSeverity.Information),
        ]
        assert found[0].range == types.Range(types.Position(0, 2), types.Position(0, 12))
        assert found[1].data == {"target": "dup", "subpath": "", "path": "one/dup.md",
                                 "choices": ["one/dup.md", "two/dup.md"]}  # fmt: skip
        client.change("t.md", 2, types.TextDocumentContentChangeWholeDocument("[[a]] [[new]]"))
        assert [one.code for one in client.diagnostics("t.md", 2)] == ["missing"]
        with Memory(str(tmp_path)) as other:  # another process, such as the server of a model
            other.write("new", "Text.\n")
        assert client.diagnostics("t.md", 2) == []
        client.change("t.md", 3, types.TextDocumentContentChangeWholeDocument("---\na: b: c\n---\n"))
        (fault,) = client.diagnostics("t.md", 3)
        assert (fault.code, fault.range.start.line) == ("properties", 1)
        client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about))
        assert client.diagnostics("t.md") == []


def test_each_line_that_looks_like_a_key_is_reported_with_the_sentence_of_check(memory: Memory) -> None:
    key = "ghp_Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4"
    data, notes = f"One.\n{key}\n\ntoken: {key}\n".encode(), memory.in_editor()
    found = [
        (one.kind, data[one.start : one.end].decode(), one.sentence) for one in notes.faults("k.md", data, notes.read)
    ]
    assert found == [
        ("secret", key, "This looks like a token (line 2)."),
        ("secret", f"token: {key}", "This looks like a token (line 4)."),
    ]


MANY = {
    "headings": ("[[#x{0}]]\n", "# h{0}\n"),
    "chains": ("[[#h1#x{0}]]\n", "# h{0}\n"),
    "blocks": ("[[#^x{0}]]\n", "h ^h{0}\n\n"),
    "anchors": ("[x](#h-{0})\n", "# h\n"),
}


@pytest.mark.parametrize("what", MANY)
def test_the_work_for_many_links_to_parts_grows_as_their_number(what: str) -> None:
    def work(count: int) -> None:
        data = "".join(line.format(number) for line in MANY[what] for number in range(count)).encode()
        faults("a.md", data, [Meant(link, "a.md") for link in find_links(data)], lambda _: data)

    few, many = (calls_of(lambda count=count: work(count)) for count in (200, 400))  # type: ignore[misc]
    assert many < 2.5 * few


@pytest.mark.parametrize(("lines", "wanted"), [("# h{0}\n", "#h-7"), ("# h\n", "#h-")])
def test_the_work_for_a_suggestion_grows_as_the_number_of_headings(lines: str, wanted: str) -> None:
    def work(count: int) -> None:
        data = "".join(lines.format(number) for number in range(count)).encode()
        assert part_like(data, wanted)

    few, many = (calls_of(lambda count=count: work(count)) for count in (1_000, 2_000))  # type: ignore[misc]
    assert many < 2.5 * few


def test_a_note_with_very_many_problems_says_how_many_it_has(tmp_path: pathlib.Path) -> None:
    with Client(write(tmp_path, {"t.md": ""})) as client:
        client.start()
        client.open("t.md", "[[gone]]\n" * 600)
        found = client.diagnostics("t.md")
        assert len(found) == 501
        assert found[-1].message == "Only the first 500 of 600 problems of this note are shown; zkmem check lists all."
