"""Links to headings and blocks that are not there: told by `check`, and by the edit that brings them about."""

import pathlib

import pytest

from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.vault.files import Stamp

SET = next(tool for tool in TOOLSETS["zettel"].tools if tool.name == "set_content")


def told(memory: Memory) -> list[tuple[str, str, str]]:
    return [(one.kind, one.note, one.target) for one in memory.check() if one.kind.startswith("missing-")]


def reads(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the path of each note that is read from now on."""
    paths: list[str] = []
    real = engine(memory).store.read

    def read(path: str) -> tuple[bytes, Stamp]:
        paths.append(path)
        return real(path)

    monkeypatch.setattr(engine(memory).store, "read", read)
    return paths


class TestCheck:
    def test_tells_of_headings_and_blocks_that_their_notes_do_not_have(self, tmp_path: pathlib.Path) -> None:
        there = "# First `x`\n\n## Second\n\ntext ^id\n\n```\n# Code ^code\n```\n"
        links = (
            "---\nup: '[[there#Up]]'\n---\n[[there#first x]] [[there#First x#Second]] [[there#Second#First x]] "
            "![[there#^ID]] [[there#^code]] [[there#Code]] [[#Own]] [t](there.md#Not) [[there#]] `[[there#In]]`\n"
        )
        memory = Memory(write(tmp_path, {"d/there.md": there, "a.md": links}))
        assert told(memory) == [
            ("missing-block", "a", "d/there#^code"),
            ("missing-heading", "a", "a#Own"),
            ("missing-heading", "a", "d/there#Code"),
            ("missing-heading", "a", "d/there#Not"),
            ("missing-heading", "a", "d/there#Second#First x"),
            ("missing-heading", "a", "d/there#Up"),
        ]

    def test_knows_how_code_hosts_name_headings_in_markdown_links(self, tmp_path: pathlib.Path) -> None:
        text = "# What's new, *really*?\n\n[a](#whats-new-really) [b](#whats-new-really-1) [[#whats-new-really]]\n"
        assert told(Memory(write(tmp_path, {"a.md": text}))) == [("missing-heading", "a", "a#whats-new-really")]

    def test_attachments_and_missing_notes_have_no_headings(self, tmp_path: pathlib.Path) -> None:
        assert told(Memory(write(tmp_path, {"a.md": "[[x.pdf#page=3]] [[gone#H]]\n", "x.pdf": ""}))) == []

    def test_follows_edits_and_reads_only_what_has_changed(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files = {f"{name}.md": "# H\n[[b#H]] [[c#None]]\n" for name in "abc"}
        memory = Memory(write(tmp_path, files))
        assert [one[2] for one in told(memory)] == ["c#None"] * 3
        read = reads(memory, monkeypatch)
        assert len(told(memory)) == 3
        assert read == []
        monkeypatch.undo()
        memory.write("c", "# None\n")
        memory.write("b", "# Other\n")
        assert [one[1:] for one in told(memory)] == [("a", "b#H")]


class TestEdits:
    """The answer to an edit tells of headings and blocks that are not there."""

    @staticmethod
    def said(memory: Memory, name: str, content: str, **arguments: object) -> str:
        text = SET.call(memory, {"name": name, "content": content, **arguments}).texts[0]
        return text.partition("; etag ")[2].partition("; ")[2].removeprefix(f"nothing links to {name} yet; ")

    def test_that_the_written_note_links_to(self, tmp_path: pathlib.Path) -> None:
        memory = Memory(write(tmp_path, {"b.md": "# H\n\ntext ^id\n"}))
        links = "[[b#H]] [[b#None]] [[b#^ID]] [t](b.md#^no) [[#Own]] [[gone#H]]\n"
        expected = "missing: gone; missing headings: b#None, b#^no, #Own"
        assert self.said(memory, "a", links) == expected
        assert self.said(memory, "a", "# Own\n", append=True) == expected.removesuffix(", #Own")
        assert self.said(memory, "b", "# None\n\nx ^no\n", append=True) == ""
        assert self.said(memory, "a", "[[b#None]]", old="[[b#H]]") == "missing: gone"

    def test_that_others_link_to_and_the_edit_takes_away(self, tmp_path: pathlib.Path) -> None:
        files = {
            "b.md": "# H\n\n## Old\n\ntext ^id\n",
            "s.md": "[[b#Old]] ![[b#H#Old]] [t](b.md#^id) [[b#Never]]\n",
            "t.md": "[[b#Old]] [[b#H]]\n",
            "u.md": "[[b]]\n",
        }
        memory = Memory(write(tmp_path, files))
        assert self.said(memory, "b", "\nmore\n", append=True) == ""
        assert self.said(memory, "b", "## New", old="## Old") == (
            "links to it that lost their heading: #Old in s, t, #H#Old in s"
        )
        done = memory.write("b", "text\n")
        assert done.cut_off == {"#^id": ["s"], "#H": ["t"]}

    @pytest.mark.parametrize("old", ["text ^id\n", "- text ^id\n", "> text ^id\n", "text\n^id"])
    @pytest.mark.parametrize("new", ["more\n", "  more\n", "> more\n", "- more\n", "---\n"])
    def test_an_end_that_is_added_takes_no_id_away(self, tmp_path: pathlib.Path, old: str, new: str) -> None:
        memory = Memory(write(tmp_path, {"b.md": old, "s.md": "[[b#^id]]\n"}))
        assert memory.write("b", new, append=True).cut_off == {}
        assert "text" in memory.read("b#^id").text

    def test_no_more_than_a_few_notes_are_read_for_that(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files = {f"n{number:03}.md": "[[b#H]]\n" for number in range(80)}
        memory = Memory(write(tmp_path, {**files, "b.md": "# H\n"}))
        memory.load()
        read = reads(memory, monkeypatch)
        done = memory.write("b", "text\n")
        assert len(done.cut_off["#H"]) == 50
        assert done.remarks == ["30 more notes that link to it were not checked for links to its headings"]
        assert len([path for path in read if path != "b.md"]) == 50
        read.clear()
        memory.write("b", "more text\n")
        assert [path for path in read if path != "b.md"] == [], "it has no heading that could be lost"

    def test_one_with_a_folder_learns_nothing_of_headings_outside(self, tmp_path: pathlib.Path) -> None:
        files = {"in/b.md": "# H\n", "out/s.md": "[[in/b#H]] \n# Secret\n", "in/t.md": "[[b#H]]\n"}
        confined = Memory(write(tmp_path, files)).restricted(Grant("in"))
        done = confined.write("in/b", "[[out/s#Secret]] [[out/s#None]] [[t#None]]\n")
        assert (done.missing_headings, done.cut_off) == (["in/t#None"], {"#H": ["in/t"]})
