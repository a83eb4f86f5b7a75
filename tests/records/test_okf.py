"""Bundles of the Open Knowledge Format: what a vault becomes, and that it comes back without a loss."""

import os
import pathlib
import posixpath
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.errors import Forbidden
from zkmem.markdown import frontmatter
from zkmem.markdown.links import Link, body_links
from zkmem.markdown.okf import packed, unpacked
from zkmem.markdown.properties import typed_properties
from zkmem.memory import Memory

VAULT = {
    "hint.md": "See [[people/Ann|her]], [[Ann#Tea]] and ![[tea.png]]. `[[no]]` [[not there]]\n",
    "people/Ann.md": "---\ntype: person\ndescription: A friend.\n---\n# Tea\n\n[Start](hint.md), [[index]].\n",
    "index.md": "---\ntags: [a]\n---\n[[log]]\n",
    "people/log.md": "[[people/log]]\n",
    "tea.png": "picture",
    "broken.md": "---\nx: [\n---\n[[hint]]\n",
}


def empty(folder: pathlib.Path) -> str:
    folder.mkdir()
    return str(folder)


def exported(memory: Memory) -> dict[str, bytes]:
    return dict(memory.export_okf())


def test_each_document_has_a_type_and_relative_links(tmp_path: pathlib.Path) -> None:
    files = exported(Memory(write(tmp_path, VAULT)))
    assert files.keys() == {
        "hint.md", "people/Ann.md", "index-note.md", "people/log-note.md", "tea.png", "broken.md", "index.md",
        "people/index.md",
    }  # fmt: skip
    for path, data in files.items():
        if not path.endswith(".md") or path.endswith("index.md"):
            continue
        assert typed_properties(data)["type"], path
        for link in body_links(data[frontmatter.split(data)[2] :]):
            assert link.kind == "md"
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), link.target))
            assert place in files or "not there" in place
    assert b'[her](people/Ann.md "wiki:people/Ann&#124;her")' in files["hint.md"]
    assert b"`[[no]]`" in files["hint.md"]
    assert b"* [Ann](Ann.md) - A friend.\n" in files["people/index.md"]
    assert b"* [people](people/index.md)\n" in files["index.md"]


def test_a_round_trip_loses_nothing(tmp_path: pathlib.Path) -> None:
    first = Memory(write(tmp_path / "one", VAULT))
    second = Memory(empty(tmp_path / "two"))
    done = second.import_okf(exported(first))
    assert (done.added, done.unchanged, done.faults) == (6, 0, [])
    assert read(tmp_path / "two") == read(tmp_path / "one")
    assert second.import_okf(exported(first)).unchanged == 6
    second.undo()
    assert read(tmp_path / "two") == {}


def test_names_that_a_new_note_may_not_have_come_back(tmp_path: pathlib.Path) -> None:
    files = {
        "x [y].md": "[[a]]\n",
        "10:30.md": "x\n",
        "p [1].png": "x",
        " a .md": "x\n",
        "q?/con.md": "[t](<../x [y].md>)\n",
    }
    first, second = Memory(write(tmp_path / "one", files)), Memory(empty(tmp_path / "two"))
    assert second.import_okf(exported(first)).faults == []
    assert read(tmp_path / "two") == read(tmp_path / "one")


def test_folders_with_the_names_of_files_of_a_bundle(tmp_path: pathlib.Path) -> None:
    files = {
        "index.md/a.md": "x\n",
        "b/index.md/c.md": "x\n",
        "log.md": "x\n",
        "log-note.md/d.md": "x\n",
        "b/index.md/index.md": "",
    }
    first, second = Memory(write(tmp_path / "one", files)), Memory(empty(tmp_path / "two"))
    bundle = exported(first)
    assert "log-note-2.md" in bundle
    write(tmp_path / "bundle", bundle)  # it fits on a disk
    assert second.import_okf(bundle).faults == []
    assert read(tmp_path / "two") == read(tmp_path / "one")


def test_a_listing_that_a_person_has_changed_becomes_a_note(tmp_path: pathlib.Path) -> None:
    bundle = exported(Memory(write(tmp_path / "one", VAULT)))
    bundle["people/index.md"] += b"* [Bob](Bob.md)\n"
    bundle["index.md"] = bundle["index.md"].replace(b"\n", b"\r\n")  # git may do that
    second = Memory(empty(tmp_path / "two"))
    assert second.import_okf(bundle).added == 7
    assert read(tmp_path / "two")["people/index.md"] == bundle["people/index.md"]


def test_an_import_replaces_nothing_and_leaves_the_vault(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path / "vault", {"a.md": "mine", "b.md": "[[new]]"}))
    bad = [
        "../out.md",
        ".hidden/x.md",
        "a//b.md",
        "/etc/x.md",
        "x/../../y.md",
        "a\n.md",
        "a\0.md",
        "\udce9.md",
        "./c.md",
    ]
    done = memory.import_okf({"a.md": b"theirs", "new.md": b"x"} | dict.fromkeys(bad, b"x"))
    assert (done.added, len(done.faults)) == (1, 1 + len(bad))
    assert read(tmp_path / "vault", hidden=True).get("a.md") == b"mine"
    assert os.listdir(tmp_path) == ["vault"]


def test_a_caller_with_a_folder_exports_and_imports_below_it_alone(tmp_path: pathlib.Path) -> None:
    files: dict[str, str | bytes] = {
        "in/a.md": "[[secret]] [[b]]\n",
        "in/b.md": "x\n",
        "out/secret.md": "s\n",
        "out/p.png": b"x",
    }
    own = Memory(write(tmp_path, files)).restricted(Grant("in"))
    bundle = dict(own.export_okf())
    assert sorted(bundle) == ["in/a.md", "in/b.md", "in/index.md", "index.md"]
    assert bundle["in/a.md"].endswith(b'---\n[secret](secret.md "wiki:secret") [b](b.md "wiki:b")\n')
    before, said = read(tmp_path), set()
    for path in ("out/secret.md", "out/Secret.md", "out/new.md", "out/p.png", "out/q.png", "new.md"):
        with pytest.raises(Forbidden) as refused:
            own.import_okf({"in/c.md": b"y\n", path: b"s\n"})
        said.add(str(refused.value))
    assert (len(said), read(tmp_path)) == (1, before)


def test_files_of_a_bundle_that_are_in_the_place_of_others_are_named(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"file": "f"}))
    named = b'---\ntype: note\nzkmem_okf: "name same"\n---\n'
    bundle = {
        "a.md": named + b"1", "b.md": named + b"2", "same.md": b"3", "T.md": b"4", "t.md": b"5", "s": b"6",
        "s/x.md": b"7", "file/y.md": b"8", "d/z.md": b"9", "d": b"0",
    }  # fmt: skip
    done = memory.import_okf(bundle)
    assert [fault.partition(":")[0] for fault in done.faults] == ["b.md", "same.md", "t.md", "s/x.md", "file/y.md", "d"]
    assert read(tmp_path) == {
        "file": b"f", "same.md": b"---\n---\n1", "T.md": b"4", "s": b"6", "d/z.md": b"9",
    }  # fmt: skip


def test_a_foreign_bundle_is_imported_as_it_is(tmp_path: pathlib.Path) -> None:
    bundle = {
        "index.md": b"# Listing\n\n* [A](a.md) - about\n", "log.md": b"## 2026-11-20\n",
        "a.md": b'---\ntype: concept\nodd: {x: 1}\n---\n[b](sub/b.md "title") [c](/c.md)\n',
        "sub/b.md": b"---\ntype: t\n---\n",
    }  # fmt: skip
    memory = Memory(str(tmp_path))
    assert memory.import_okf(bundle).added == 4
    assert read(tmp_path) == bundle
    assert dict(memory.export_okf())["a.md"].startswith(b"---\ntype: concept\n")


PIECES = st.sampled_from(
    ["[[A]]", "[[x/B|b]]", "![[p.png]]", "[[A#H]]", "[a](b.md)", '[a](b.md "t")', "| [[A\\|b]] |", '[[a&b"c]]',
     '[z](A.md "wiki:A")', "[", "]", "(", ")", '"', "|", "\\", "`", "$", "<b>", "\n", "\r\n", " ", "text", "é",
     "- [ ] ", "wiki:", "---\n", "type: note\n", "&amp;"]
)  # fmt: skip
HEADS = st.sampled_from(
    [
        *("", "---\n---\n", "---\na: 1\n---\n", "---\ntype: x\n---\n", "---\ntype:\n---\n", "---\n- a\n---\n"),
        *("---\nx: [\n---\n", "\ufeff---\r\na: 1\r\n---\r\n", '---\ntype: note\nzkmem_okf: ""\na: 1\n---\n'),
        *("---\n{a: 1}\n---\n", "---\n# only\n---\n"),
    ]
)


@settings(max_examples=500)
@given(head=HEADS, pieces=st.lists(PIECES, max_size=10), name=st.sampled_from([None, "index", 'a"b', "log"]))
def test_any_note_is_read_back_from_its_document(head: str, pieces: list[str], name: str | None) -> None:
    data = (head + "".join(pieces)).encode()

    def place(link: Link) -> str:
        return f"../{link.target or 'self'}.md"

    document = packed(data, place, name)
    assert unpacked(document) == (data, name)
    assert typed_properties(document).get("type")
    assert frontmatter.fault(document) is None


def test_check_names_what_is_no_document(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, VAULT | {"good.md": "---\ntype: x\n---\n[a](hint.md)\n"}))
    findings = {(one.note, one.detail.split(";")[0]) for one in memory.check_okf()}
    assert ("hint", "it has no properties") in findings
    assert ("broken", "its properties are not YAML (line 3: did not find expected node content)") in findings
    assert ("index", "OKF reserves index.md for a file without properties") in findings
    assert ("people/Ann", "1 link written as [[...]]") in findings
    assert not any(note == "good" for note, _ in findings)
    assert {one.note for one in memory.restricted(Grant("people")).check_okf()} == {"people/Ann"}


def zkmem(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "zkmem", *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.mark.slow
def test_the_commands_write_and_read_a_folder(tmp_path: pathlib.Path) -> None:
    vault, bundle, other = (str(tmp_path / name) for name in ("vault", "bundle", "other"))
    write(vault, VAULT)
    empty(tmp_path / "other")
    assert zkmem("export", "--format", "okf", "-o", bundle, "-C", vault).stdout == f"wrote 8 files to {bundle}\n"
    again = zkmem("export", "--format", "okf", "-o", bundle, "-C", vault)
    assert (again.returncode, "is not an empty folder" in again.stderr) == (4, True)
    inside = zkmem("export", "--format", "okf", "-o", f"{vault}/x", "-C", vault)
    assert "is in the vault" in inside.stderr
    os.symlink("/etc/hosts", f"{bundle}/link.md")
    os.mkfifo(f"{bundle}/pipe.md")  # reading it would wait for good
    assert zkmem("import", bundle, "-C", other).stdout == "added 6, unchanged 0, not imported 0\n"
    assert read(other) == read(vault)
    assert "okf: hint: it has no properties" in zkmem("check", "--okf", "-C", vault).stdout
