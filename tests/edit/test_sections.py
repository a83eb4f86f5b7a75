"""Edits below a heading, at a block id, of properties, and of daily notes."""

import datetime
import json
import os
import pathlib
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.test_cli import zkmem
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.edit.daily import CORE, PERIODIC
from zkmem.errors import BadArgument, Forbidden, NoSection, StaleEtag, UnknownNote, Unreadable, Unwritable
from zkmem.markdown.properties import read_value, typed_properties
from zkmem.markdown.section_edit import How, with_section
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.vault.obsidian import TEMPLATES

NOTE = "---\nx: 1\n---\n# Top\n\nintro\n\n## Tasks\n\n- a\n- b ^id\n\n### Sub\n\nsub\n\n## Empty\n\n## End\nlast"
TOOLS = {tool.name: tool for tool in TOOLSETS["vault"].tools}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path, {"a.md": NOTE, "other.md": "[[a#Tasks]] [[a#^id]]\n"}))


def text(memory: Memory, name: str = "a") -> str:
    return memory.read(name).text


@pytest.mark.parametrize(
    ("section", "how", "content", "old", "new"),
    [
        ("Tasks", "append", "- c", "- b ^id\n\n### Sub", "- b ^id\n- c\n\n### Sub"),
        ("tasks", "append", "text", "- b ^id\n\n### Sub", "- b ^id\n\ntext\n\n### Sub"),
        ("Tasks", "prepend", "- c", "## Tasks\n\n- a", "## Tasks\n\n- c\n- a"),
        ("Top#Tasks", "replace", "new", "- a\n- b ^id\n", "new\n"),
        ("Tasks", "insert", "## Between\n\nx", "sub\n\n## Empty", "sub\n\n## Between\n\nx\n\n## Empty"),
        ("Tasks#Sub", "append", "more", "sub\n\n## Empty", "sub\n\nmore\n\n## Empty"),
        ("Empty", "append", "x", "## Empty\n\n## End", "## Empty\n\nx\n\n## End"),
        ("Empty", "replace", "", "## Empty\n\n## End", "## Empty\n\n## End"),
        ("End", "append", "x", "## End\nlast", "## End\nlast\n\nx\n"),
        ("End", "prepend", "x\n", "## End\nlast", "## End\nx\n\nlast"),
        ("^id", "append", "more", "- b ^id", "- b\n  more ^id"),
        ("#^ID", "prepend", "more", "- b ^id", "- more\n  b ^id"),
        ("^id", "replace", "new", "- b ^id", "- new ^id"),
        ("^id", "insert", "- c", "- b ^id", "- b ^id\n- c"),
    ],
)
def test_the_text_of_a_section_is_changed_and_nothing_else(
    memory: Memory, section: str, how: How, content: str, old: str, new: str
) -> None:
    assert NOTE.count(old) == 1
    memory.edit_section("a", section, content, how)
    assert text(memory) == NOTE.replace(old, new)
    if new != old:
        memory.undo()
    assert text(memory) == NOTE


@pytest.mark.parametrize(
    ("body", "section", "how", "content", "result"),
    [
        # A heading in a list or a quote ends no text.
        ("# A\n\nx\n\n- # B\n\n# C\n", "A", "append", "y", "# A\n\nx\n\n- # B\n\ny\n\n# C\n"),
        ("# A\n\n> x\n> # B\n> y\n", "A", "insert", "z", "# A\n\n> x\n> # B\n> y\n\nz\n"),
        ("# A\n\n   # B\n", "A", "append", "x", "# A\n\nx\n\n   # B\n"),
        # The blank lines and the line ends around the change stay.
        ("# A\n\n\ntext\n\n\n\n# B\n", "A", "append", "x", "# A\n\n\ntext\n\nx\n\n\n\n# B\n"),
        ("# A\n\n\ntext\n\n\n\n# B\n", "A", "prepend", "x", "# A\n\n\nx\n\ntext\n\n\n\n# B\n"),
        ("# A\n\n\ntext\n\n\n\n# B\n", "A", "replace", "x", "# A\n\n\nx\n\n\n\n# B\n"),
        ("# A\n\n\ntext\n\n\n\n# B\n", "A", "replace", "", "# A\n\n\n\n# B\n"),
        ("# A\n\n\ntext\n\n\n\n# B\n", "A", "insert", "x", "# A\n\n\ntext\n\nx\n\n\n\n# B\n"),
        ("# A\n \n    code\n \n# B\n", "A", "replace", "x", "# A\n \nx\n \n# B\n"),
        ("# A\r\ntext\n# B\r\nx", "A", "append", "y", "# A\r\ntext\n\ny\n\n# B\r\nx"),
        ("# A\ntext\r\n\r\n# B\n", "A", "insert", "y", "# A\ntext\r\n\ny\n\r\n# B\n"),
        ("# A\ntext", "A", "append", "", "# A\ntext"),
        ("# A\ntext\n\n\n", "A", "append", "x", "# A\ntext\n\nx\n\n\n"),
        ("# A\n\n\n", "A", "append", "x", "# A\n\nx\n\n\n"),
        ("# A", "A", "append", "x", "# A\n\nx\n"),
        # Each line gets the marks of the quote or the list that the block is in.
        ("> [!note] x\n> y ^c\n", "^c", "append", "a\nb", "> [!note] x\n> y\n> a\n> b ^c\n"),
        ("> x\n> ^q\n", "^q", "append", "y", "> x\n> y\n> ^q\n"),
        ("- a\n  - b ^i\n", "^i", "append", "c", "- a\n  - b\n    c ^i\n"),
        ("> - a ^i\n> - b\n", "^i", "insert", "- c", "> - a ^i\n> - c\n> - b\n"),
        ("> - a ^i\n> - b\n", "^i", "insert", "c", "> - a ^i\n>\n> c\n>\n> - b\n"),
        # What is below an item stays.
        ("- a ^i\n  - b\n", "^i", "replace", "c", "- c ^i\n  - b\n"),
        ("- a ^i\n  - b\n- d\n", "^i", "insert", "- c", "- a ^i\n  - b\n- c\n- d\n"),
        ("- [ ] a ^i\n- b\n", "^i", "replace", "- [x] a", "- [x] a ^i\n- b\n"),
        # Text after a block does not become a part of it.
        ("- a ^i\n- b\n", "^i", "insert", "c", "- a ^i\n\nc\n\n- b\n"),
        ("x ^i\n- b\n", "^i", "insert", "c", "x ^i\n\nc\n\n- b\n"),
        ("| a |\n|---|\n| 1 |\n\n^t\n", "^t", "insert", "x", "| a |\n|---|\n| 1 |\n\n^t\n\nx\n"),
        ("| a |\n|---|\n| 1 |\n\n^t\n", "^t", "append", "| 2 |", "| a |\n|---|\n| 1 |\n| 2 |\n\n^t\n"),
        # The id stays the id of the block.
        ("x ^i\n\ny\n", "^i", "replace", "```\nz\n```", "```\nz\n```\n\n^i\n\ny\n"),
        ("x ^i\n", "^i", "replace", "y ^i", "y ^i\n"),
        ("x ^i\n", "^i", "append", "y ^I", "x\ny ^i\n"),
    ],
)
def test_nothing_around_a_change_is_broken(body: str, section: str, how: How, content: str, result: str) -> None:
    assert with_section(body.encode(), "n", section, content, how, create=False).decode() == result


@pytest.mark.parametrize(
    ("body", "section", "how", "content", "problem"),
    [
        ("- # A\n", "A", "append", "x", "The heading 'A' is in a list or a quote"),
        ("> # A\n", "A", "insert", "x", "The heading 'A' is in a list or a quote"),
        ("# A\n\nx\n\n# B\n", "A", "append", "```\ny", "does not close it"),
        ("# A\n\nx\n\n# B\n", "A", "replace", "<!-- y", "does not close it"),
        ("# A\n\nx\n\n# B\n", "A", "prepend", "%%\ny", "does not close it"),
        ("# A\n\nx\n", "A", "prepend", "```\ny", "does not close it"),
        ("x ^i\n\ny\n", "^i", "insert", "~~~\nz", "does not close it"),
        ("```\nx\n", "## New", "append", "y", "it ends in code or a comment that is not closed"),
        ("# A ^i\n", "^i", "append", "x", "is the id of a heading"),
        ("- a ^i\n", "^i", "append", "- b", "To add an item after it, give `insert` as `how`"),
        ("x ^i\n", "^i", "append", "```\ny\n```", "would belong to other text"),
        ("x ^i\n", "^i", "append", "y\n\nz", "would belong to other text"),
        ("x ^i\n", "^i", "replace", "y ^j", "ends with the id ^j, but the block has the id ^i. Leave ^j out."),
    ],
)
def test_a_change_that_would_break_the_note_is_refused(
    body: str, section: str, how: How, content: str, problem: str
) -> None:
    with pytest.raises(BadArgument, match=re.escape(problem)):
        with_section(body.encode(), "n", section, content, how, create=True)


@pytest.mark.parametrize(
    ("section", "new"),
    [
        ("New", NOTE + "\n\n## New\n\nx\n"),
        ("#### New", NOTE + "\n\n#### New\n\nx\n"),
        ("Tasks#New", NOTE.replace("sub\n\n## Empty", "sub\n\n### New\n\nx\n\n## Empty")),
    ],
)
def test_a_missing_heading_is_made_if_told_so(memory: Memory, section: str, new: str) -> None:
    with pytest.raises(NoSection, match="Its headings: Top, Tasks, Sub, Empty, End"):
        memory.edit_section("a", section, "x", "append")
    assert text(memory) == NOTE
    memory.edit_section("a", section, "x", "append", create=True)
    assert text(memory) == new


def test_a_missing_note_is_made_if_told_so(memory: Memory) -> None:
    with pytest.raises(UnknownNote):
        memory.edit_section("log", "Today", "x", "append")
    done = memory.edit_section("log", "Today", "x", "append", create=True)
    assert (done.outcome, text(memory, "log")) == ("created", "## Today\n\nx\n")


def test_a_section_that_is_gone_is_told_and_so_are_lost_links(memory: Memory) -> None:
    with pytest.raises(NoSection, match="has no block with the id"):
        memory.edit_section("a", "^nope", "x", "append")
    with pytest.raises(BadArgument, match="`section` is '# '"):
        memory.edit_section("a", "# ", "x", "append")
    done = memory.edit_section("a", "Tasks", "x", "replace")
    assert done.cut_off == {"#^id": ["other"]}


def test_an_edit_of_a_section_merges_and_refuses_by_the_etag(memory: Memory) -> None:
    etag = memory.read("a").etag
    memory.edit_section("a", "End", "theirs", "append")
    done = memory.edit_section("a", "Tasks", "- mine", "append", etag=etag)
    assert "- mine" in text(memory)
    assert "theirs" in text(memory)
    assert done.merged
    memory.edit_section("a", "Top", "theirs", "replace")
    with pytest.raises(StaleEtag):
        memory.edit_section("a", "Top", "mine", "replace", etag=etag)


def test_line_ends_and_odd_bytes_stay(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf# A\r\n\r\nold \xff\r\n\r\n# B\r\n")
    memory = Memory(str(tmp_path))
    memory.edit_section("a", "A", "new\nlines", "append")
    assert (tmp_path / "a.md").read_bytes() == b"\xef\xbb\xbf# A\r\n\r\nold \xff\r\n\r\nnew\r\nlines\r\n\r\n# B\r\n"


@pytest.mark.parametrize("how", ["append", "prepend", "insert"])
def test_bytes_that_are_no_utf8_stay(how: How) -> None:
    body = b"\xff\n\n- x\xff ^i\n- \xfe\n\n# A\xff\n"
    new = with_section(body, "n", "^i", "- y" if how == "insert" else "y", how, create=False)
    assert (new.count(b"\xff"), new.count(b"\xfe"), b"\xef\xbf\xbd" in new) == (3, 1, False)


PARTS = st.lists(
    st.sampled_from(
        ["# A", "## B", "### C", "text", "- item", "- x ^id", "", "```\n# no\n```", "%%\n# no\n%%", "- # A",
         "> y\n> # B", "> q\n> ^q", "   # C", "  - z ^z", "y ^p"]
    ), max_size=12,
)  # fmt: skip
SECTION = st.sampled_from(["A", "B", "A#B", "C", "^id", "^q", "^z", "^p"])
HOW = st.sampled_from(["append", "prepend", "insert"])
CONTENT = st.sampled_from(["NEW", "NEW\nNEW", "- NEW", "> NEW", "```\nNEW\n```", "```\nNEW", "NEW\n\nNEW"])


@given(parts=PARTS, section=SECTION, how=HOW, content=CONTENT)
def test_no_other_line_is_lost(parts: list[str], section: str, how: How, content: str) -> None:
    body = "\n".join(parts).encode()
    try:
        new = with_section(body, "n", section, content, how, create=False)
    except (NoSection, BadArgument):
        return
    assert new.count(b"NEW") == content.count("NEW")
    lines = iter(_bare(new))
    assert all(line in lines for line in _bare(body))
    before, after = Outline(body), Outline(new)
    assert [one.text for one in after.headings] == [one.text for one in before.headings]
    assert [one.text for one in after.ids()] == [one.text for one in before.ids()]


def _bare(body: bytes) -> list[bytes]:
    """Return the lines of a body without ids, blanks, and the marks of quotes and lists."""
    lines = (re.sub(rb"^[\s>]*([-]\s+)?|\s*\^\w+$", b"", line) for line in body.split(b"\n"))
    return [line for line in lines if line]


# --- properties


def properties(memory: Memory, name: str) -> dict[str, object]:
    return memory.properties(name)


@pytest.mark.parametrize(
    "value",
    [
        "text", "5", "true", "null", "", " x ", "a: b", "#x", "2026-11-20", "[[Ann]]", "it's \"quoted\"", "two\nlines",
        "yes", 5, -0.5, True, False, ["a", "5", 5, True, "x: y"], "1e3", "é", "- a", "{a}", "0x1F", "12:30",
        [], "a\tb",
    ],
)  # fmt: skip
def test_a_property_is_read_back_with_its_type_and_all_else_stays(tmp_path: pathlib.Path, value: object) -> None:
    before = "---\n# comment\nkeep:   [a,  b]  # why\nset: old\nlast: 'x'\n---\nBody\n"
    memory = Memory(write(tmp_path, {"a.md": before, "b.md": "Body\n"}))
    memory.set_properties({"set": value, "new key": value}, ["a", "b"])
    known = typed_properties((tmp_path / "a.md").read_bytes())
    assert known == {"keep": ["a", "b"], "set": value, "last": "x", "new key": value}
    after = (tmp_path / "a.md").read_text("utf-8")
    assert after.startswith("---\n# comment\nkeep:   [a,  b]  # why\nset:")
    assert "\nlast: 'x'\n" in after
    assert after.endswith("---\nBody\n")
    assert properties(memory, "b") == {"set": value, "new key": value}
    memory.set_properties({"set": None, "new key": None}, ["b"])
    assert (tmp_path / "b.md").read_text("utf-8") == "Body\n"


def test_a_date_is_written_as_obsidian_does(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "Body\n"}))
    day, hour = datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 1, 9, 5, 0, 123)
    values = {"due": day, "at": hour, "days": [day, "x"]}
    assert "+due: 2026-03-01\n" in memory.preview_properties(values, ["a"]).changes[0].diff
    memory.set_properties(values, ["a"])
    text = "---\ndue: 2026-03-01\nat: 2026-03-01T09:05:00\ndays:\n  - 2026-03-01\n  - x\n---\nBody\n"
    assert (tmp_path / "a.md").read_text("utf-8") == text
    assert memory.set_properties(values, ["a"]).changed == []
    with pytest.raises(BadArgument, match="The value of 'at' must be"):
        memory.set_properties({"at": datetime.time(9, 5)}, ["a"])


@pytest.mark.parametrize(
    ("text", "value"),
    [("#recipe", "#recipe"), ("# Heading", "# Heading"), ("a # b", "a # b"), ("&a b", "&a b"), ("!foo bar", "!foo bar"),
     ("", ""), ("5", 5), ("[a, 1]", ["a", 1]), ("'5'", "5"), ("true", True), ("null", None), ("a: b", "a: b"),
     ("*****", "*****"), ("@home", "@home"), ("Tea: a story", "Tea: a story"), ("50% [off]", "50% [off]")],
)  # fmt: skip
def test_a_value_of_the_command_line_is_yaml_or_a_text(text: str, value: object) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize("text", ["[1, 2", "{a: 1", "'open", '"open', ' "a" b'])
def test_a_value_that_begins_like_yaml_and_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="is not YAML"):
        read_value(text)


def test_the_comment_in_the_line_of_a_property_stays(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nstatus: open  # keep\ntags: [a] # too\nx: 1 # away\n---\n"}))
    memory.set_properties({"status": "done", "tags": ["b"], "x": None}, ["a"])
    assert (tmp_path / "a.md").read_text() == "---\nstatus: done  # keep\ntags: # too\n  - b\n---\n"


@pytest.mark.parametrize(
    "name", ["null", "true", "5", "2026-11-20", "a: b", "#a", "a\tb", "=", "<<", " a ", "é", "- a"]
)
def test_every_parser_reads_the_name_of_a_property_as_a_text(tmp_path: pathlib.Path, name: str) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nx: 1\n---\n"}))
    memory.set_properties({name: "v"}, ["a"])
    assert yaml.safe_load((tmp_path / "a.md").read_text("utf-8").strip("-\n")) == {"x": 1, name: "v"}


def test_a_property_in_another_case_is_the_same_one(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nStatus: open\n---\n", "b.md": "---\nx: 1\nX: 2\n---\n"}))
    memory.set_properties({"status": "done", "x": 3}, ["a", "b"])
    assert properties(memory, "a") == {"Status": "done", "x": 3}
    assert properties(memory, "b") == {"x": 3, "X": 2, "status": "done"}
    memory.set_properties({"STATUS": None}, ["a", "b"])
    assert properties(memory, "b") == {"x": 3, "X": 2}
    with pytest.raises(BadArgument, match="Two names differ only in case: 'x'"):
        memory.set_properties({"x": 1, "X": 2}, ["a"])


@pytest.mark.parametrize(
    ("head", "fault"),
    [
        ("---\na: 1\nb: [x\n---\n", r"\(line 4: .*\)"),
        ("---\na: b: c\n---\n", r"\(line 2: .*\)"),
        ("---\na: 1\n\ntext\n", r"\(line 1: no line `---` ends .*\)"),
    ],
)
def test_properties_that_cannot_be_read_are_not_read_as_none(tmp_path: pathlib.Path, head: str, fault: str) -> None:
    none = {"none.md": "---\n# no property\n---\n", "blank.md": "---\n\n---\n"}
    memory = Memory(write(tmp_path, {"bad.md": head, **none}))
    with pytest.raises(Unreadable, match=rf"^The properties of 'bad' cannot be read {fault}; mend them\.$"):
        memory.properties("bad")
    assert memory.properties("none") == memory.properties("blank") == {}
    done = zkmem("props", "bad", "-C", str(tmp_path))
    assert (done.returncode, done.stdout) == (Unreadable.exit_code, "")
    assert "Error: The properties of 'bad' cannot be read (line " in done.stderr


def test_properties_of_all_notes_that_pass_a_filter(tmp_path: pathlib.Path) -> None:
    files = {f"{number}.md": f"---\nrating: {number}\n---\n" for number in range(5)}
    memory = Memory(write(tmp_path, files))
    preview = memory.preview_properties({"status": "good"}, filter="rating > 2")
    assert [change.path for change in preview.changes] == ["3.md", "4.md"]
    assert "+status: good" in preview.changes[0].diff
    assert read(tmp_path) == {path: text.encode() for path, text in files.items()}
    assert memory.set_properties({"status": "good"}, filter="rating > 2").changed == ["3", "4"]
    assert memory.set_properties({"status": "good"}, filter="rating > 2").changed == []
    assert properties(memory, "4") == {"rating": 4, "status": "good"}
    memory.undo()
    assert read(tmp_path) == {path: text.encode() for path, text in files.items()}


@pytest.mark.parametrize(
    ("given", "problem"),
    [({}, "`properties` is empty"), ({"a": {"b": 1}}, "must be a text, a number"),
     ({"": 1}, "A property cannot have the name"),
     ({"a": [None]}, "must be a text, a number"), ({"a\nb": 1}, "A property cannot have the name")],
)  # fmt: skip
def test_wrong_properties_are_refused(memory: Memory, given: dict[str, object], problem: str) -> None:
    with pytest.raises(BadArgument, match=problem):
        memory.set_properties(given, ["a"])


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -1e300, pytest.param(10**5000, id="huge")])
def test_a_value_that_cannot_be_read_back_is_refused(tmp_path: pathlib.Path, value: float) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nx: 1\n---\n", "b.md": ""}))
    with pytest.raises(BadArgument, match="is too large a number; write it as a text"):
        memory.set_properties({"x": value}, ["a", "b"])
    assert read(tmp_path) == {"a.md": b"---\nx: 1\n---\n", "b.md": b""}


def test_frontmatter_that_cannot_be_changed_changes_no_note(tmp_path: pathlib.Path) -> None:
    files = {"a.md": "---\nx: 1\n---\n", "b.md": "---\nx: [\n---\n", "c.md": "---\n{x: 1}\n---\n"}
    memory = Memory(write(tmp_path, files))
    for name in ("b", "c"):
        with pytest.raises(Unwritable, match=f"The note '{name}' cannot be edited"):
            memory.set_properties({"y": 1}, ["a", name])
    assert read(tmp_path) == {path: text.encode() for path, text in files.items()}


def test_a_property_is_renamed_where_it_stands(tmp_path: pathlib.Path) -> None:
    before = "---\n# first\nDue:  2026-03-01 # why\n'a b': [x,  y]\nlast: 1\n---\nBody\n"
    memory = Memory(write(tmp_path, {"a.md": before, "b.md": "---\nx: 1\nx: 2\n---\n"}))
    memory.set_properties({"last": 2}, ["a"], renames={"due": "by: when", "a b": "list"})
    after = before.replace("Due:", '"by: when":').replace("'a b'", "list").replace("last: 1", "last: 2")
    assert (tmp_path / "a.md").read_text() == after
    memory.set_properties({}, ["a"], renames={"list": "List"})
    assert "\nList: [x,  y]\n" in (tmp_path / "a.md").read_text()
    for renames, problem in (
        ({"no": "new"}, "has no property 'no'"),
        ({"List": "LAST"}, "has a property 'LAST' already"),
        ({"List": " "}, "cannot have the name"),
    ):
        with pytest.raises(BadArgument, match=problem):
            memory.set_properties({}, ["a"], renames=renames)
    with pytest.raises(Unwritable, match="cannot be renamed"):
        memory.set_properties({}, ["b"], renames={"x": "y"})


def test_a_property_that_has_changed_since_it_was_read_is_not_replaced(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nstatus: draft\nother: 1\n---\n"}))
    etag = memory.read("a").etag
    memory.set_properties({"other": 2}, ["a"])
    assert memory.set_properties({"status": "done"}, ["a"], etag=etag).etag == memory.read("a").etag
    with pytest.raises(StaleEtag, match="'STATUS' of 'a' has another value since"):
        memory.set_properties({"STATUS": "open"}, ["a"], etag=etag)
    with pytest.raises(StaleEtag, match="'status' of 'a' has another value since"):
        memory.set_properties({}, ["a"], renames={"status": "state"}, etag=etag)
    assert properties(memory, "a") == {"status": "done", "other": 2}


TYPED = """---
text: "5"
long: |
  two
  lines
number: 1.5
huge: 123456789012345678901
box: true
day: 2026-03-01
at: 2026-03-01T09:05
list: [a, 1, true]
deep: [[a]]
map: {x: 1}
tags: "#a, b"
aliases: One
alias: {x: 1}
none:
due:
Count:
steps:
plain: 2026-03-01
---
"""


def test_a_property_is_edited_by_its_type(tmp_path: pathlib.Path) -> None:
    declared = {"due": "date", "count": "number", "steps": "multitext", "plain": "text", "map": "text", "none": 7}
    files = {"in/a.md": TYPED, ".obsidian/types.json": json.dumps({"types": declared})}
    memory = Memory(write(tmp_path, files))
    page = memory.page("in/a")
    assert {one.key: tuple(field) for one, field in zip(page.values, page.editable_values(), strict=True)} == {
        "text": ("text", "5"), "long": ("other", None), "number": ("number", 1.5), "huge": ("other", None),
        "box": ("checkbox", True), "day": ("date", "2026-03-01"), "at": ("datetime", "2026-03-01T09:05"),
        "list": ("list", ["a", 1, True]), "deep": ("other", None), "map": ("other", None),
        "tags": ("tags", ["a", "b"]), "aliases": ("aliases", ["One"]), "alias": ("other", None),
        "none": ("text", ""), "due": ("date", ""),
        "Count": ("number", ""), "steps": ("list", []), "plain": ("text", "2026-03-01"),
    }  # fmt: skip
    own = memory.restricted(Grant("in")).page("in/a")
    assert [own.editable_values()[number].type for number in (14, 15, 17)] == ["text", "text", "date"], "not declared"
    write(tmp_path, {".obsidian/types.json": "{damaged"})
    assert memory.page("in/a").editable_values()[14].type == "text"


def test_the_tool_takes_either_a_name_or_a_filter(memory: Memory) -> None:
    for wrong in ({}, {"name": "a", "filter": "x"}):
        with pytest.raises(BadArgument, match="either `name` or `filter`"):
            TOOLS["set_properties"].call(memory, {"properties": {"y": 1}, **wrong})
    result = TOOLS["set_properties"].call(memory, {"properties": '{"y": 2}', "name": "a", "dry_run": True})
    assert "would change 1 note" in result.texts[0]
    assert "+y: 2" in result.texts[0]


def test_what_is_wrong_with_a_filter_is_told(memory: Memory) -> None:
    for dry_run, head in [(True, "would change 0 notes"), (False, "unchanged")]:
        given = {"properties": {"y": 1}, "filter": 'statsu == "open"', "dry_run": dry_run}
        result = TOOLS["set_properties"].call(memory, given)
        assert result.texts[0] == f"{head}; No note has the property statsu."
        assert result.data
        assert result.data["remarks"] == ["No note has the property statsu."]


# --- daily notes


@given(
    st.lists(
        st.sampled_from(["# A", "# B", "text", "- item", " ", "", "    code"]).flatmap(
            lambda line: st.sampled_from([line + "\n", line + "\r\n"])
        )
    ),
    st.sampled_from(["", "last", "# A"]),
    st.sampled_from(["append", "prepend", "insert"]),
    st.sampled_from(["", "new", "- new", "new\n\nmore"]),
)
def test_an_addition_to_a_section_keeps_each_line_as_it_is(lines: list[str], last: str, how: How, content: str) -> None:
    body = "".join(lines) + last
    result = with_section(body.encode(), "n", "A", content, how, create=True).decode()
    kept = iter(result.splitlines(keepends=True))
    for line in body.splitlines(keepends=True):
        assert any(one == line or (one == line + "\n" and line == last) for one in kept)
    assert content in result.replace("\r", "")


def daily(memory: Memory, **given: object) -> str:
    return TOOLS["daily"].call(memory, given).texts[0]


def test_a_daily_note_without_settings(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    name = datetime.date.today().isoformat()
    assert daily(memory) == f"There is no daily note {name} yet. Give content to create it."
    daily(memory, content="one")
    daily(memory, content="two")
    assert daily(memory) == "one\n\ntwo"
    assert read(tmp_path) == {f"{name}.md": b"one\n\ntwo"}


SETTINGS = {"folder": "journal/", "format": "YYYY/MM/DD dddd", "template": "templates/day"}
TEMPLATE = """---
day: {{date:dddd}}
---
# {{title}} {{date}} {{time:[at] HH}}

## Log

<< {{yesterday}} >> {{tomorrow}}
"""


@pytest.mark.parametrize("plugin", ["core", "periodic"])
def test_a_daily_note_follows_the_settings_of_obsidian(tmp_path: pathlib.Path, plugin: str) -> None:
    own = {
        "core": {".obsidian/daily-notes.json": json.dumps(SETTINGS)},
        "periodic": {
            ".obsidian/plugins/periodic-notes/data.json": json.dumps({"daily": SETTINGS | {"enabled": True}}),
            ".obsidian/daily-notes.json": '{"folder": "wrong"}',
        },
    }[plugin]
    files = own | {".obsidian/templates.json": '{"dateFormat": "D.M.YYYY"}', "templates/day.md": TEMPLATE}
    memory = Memory(write(tmp_path, files))
    daily(memory, date="2026-11-20", content="- met Ann", section="Log")
    written = (tmp_path / "journal/2026/11/20 Friday.md").read_text("utf-8")
    assert re.sub(r"at \d\d\n", "at 12\n", written) == (
        "---\nday: Friday\n---\n# 20 Friday 20.11.2026 at 12\n\n## Log\n\n"
        "<< 2026/11/19 Thursday >> 2026/11/21 Saturday\n\n- met Ann\n"
    )
    daily(memory, date="2026-11-20", content="- and Bob", section="Log")
    assert "- met Ann\n- and Bob\n" in daily(memory, date="2026-11-20")
    daily(memory, date="2026-11-20", content="x", section="New")
    assert daily(memory, date="2026-11-20").endswith("## New\n\nx\n")


def test_a_localised_format_gives_each_day_a_note(tmp_path: pathlib.Path) -> None:
    template = "{{date:LL}} {{time:L}} {{date:dddd, ll}}"
    memory = Memory(write(tmp_path, {CORE: '{"format": "LL", "template": "t"}', "t.md": template}))
    for day in ("2026-01-01", "2026-01-02"):
        memory.write_daily(day, "x")
    assert sorted(read(tmp_path)) == ["January 1, 2026.md", "January 2, 2026.md", "t.md"]
    assert read(tmp_path)["January 2, 2026.md"].startswith(b"January 2, 2026 01/02/2026 Friday, Jan 2, 2026\n")


@pytest.mark.parametrize("broken", ["{", "[]", "", "5", "[" * 100_000])
@pytest.mark.parametrize("path", [CORE, PERIODIC, TEMPLATES])
def test_damaged_settings_make_no_note(tmp_path: pathlib.Path, path: str, broken: str) -> None:
    memory = Memory(write(tmp_path, {CORE: '{"template": "t"}', "t.md": "{{date}}"} | {path: broken}))
    with pytest.raises(BadArgument, match=f"The settings in '{path}' are damaged"):
        memory.write_daily("2026-11-20", "x")
    assert read(tmp_path) == {"t.md": b"{{date}}"}


def test_settings_of_templates_matter_only_for_a_template(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {TEMPLATES: "{"}))
    memory.write_daily("2026-11-20", "x")
    assert memory.read(memory.daily_name("2026-11-20")).text == "x"


@pytest.mark.parametrize("link", [".obsidian", CORE])
def test_settings_behind_a_symbolic_link_make_no_note(tmp_path: pathlib.Path, link: str) -> None:
    elsewhere = write(tmp_path / "elsewhere", {CORE: '{"folder": "Daily"}'})
    vault = tmp_path / "vault"
    (vault / link).parent.mkdir(parents=True)
    (vault / link).symlink_to(os.path.join(elsewhere, link))
    with pytest.raises(BadArgument, match=r"The settings in .* cannot be read: a symbolic link"):
        Memory(str(vault)).write_daily("2026-11-20", "x")
    assert read(vault) == {}


@pytest.mark.parametrize(
    "wrong", [{"format": "HH:mm"}, {"format": "[J#]YYYY"}, {"format": "[con]"}, {"folder": "a\\b"}]
)
def test_settings_that_make_a_wrong_name_are_told(tmp_path: pathlib.Path, wrong: dict[str, str]) -> None:
    memory = Memory(write(tmp_path, {CORE: json.dumps(wrong), "J.md": "# 2026\n"}))
    for work in (memory.daily_name, lambda day: memory.write_daily(day, "x")):
        with pytest.raises(BadArgument, match="The settings of daily notes give a wrong name"):
            work("2026-11-20")


def test_settings_of_another_type_count_as_none(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {CORE: '{"folder": 5, "format": null}'}))
    assert memory.daily_name("2026-11-20") == "2026-11-20"


@pytest.mark.parametrize("content", [" ", "\n", " \t\n"])
def test_blanks_are_not_added_to_a_daily_note(tmp_path: pathlib.Path, content: str) -> None:
    memory = Memory(str(tmp_path))
    with pytest.raises(BadArgument, match="has only blanks"):
        daily(memory, content=content)
    with pytest.raises(BadArgument, match="give `content`, too"):
        daily(memory, section="Log")
    assert read(tmp_path) == {}


@pytest.mark.parametrize("section", ["#", "a\nb", "Log#"])
def test_a_wrong_section_of_a_new_daily_note_is_named(tmp_path: pathlib.Path, section: str) -> None:
    with pytest.raises(BadArgument, match=f"`section` is {re.escape(repr(section))}"):
        daily(Memory(str(tmp_path)), content="x", section=section)
    assert read(tmp_path) == {}


def test_an_addition_to_a_section_is_called_one(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    assert daily(memory, content="x", section="Log").startswith("created ")
    assert daily(memory, content="y", section="Log").startswith("appended ")


def test_a_missing_template_and_a_wrong_day_are_told(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {".obsidian/daily-notes.json": '{"template": "nope"}'}))
    with pytest.raises(BadArgument, match="The template 'nope' of the daily notes cannot be read"):
        memory.write_daily("", "x")
    (tmp_path / "nope.md").write_bytes(b"caf\xe9\n")
    with pytest.raises(BadArgument, match="The template 'nope' of the daily notes cannot be read: it is not UTF-8"):
        memory.write_daily("", "x")
    (tmp_path / "nope.md").write_bytes(b"\n")
    with pytest.raises(NoSection, match="'2026-11-20' has no block"):
        memory.write_daily("2026-11-20", "x", "^id")
    with pytest.raises(BadArgument, match="'soon' is no day"):
        memory.daily_name("soon")
    assert memory.daily_name("yesterday") == (datetime.date.today() - datetime.timedelta(days=1)).isoformat()


def test_daily_notes_leave_neither_the_vault_nor_the_folder_of_a_caller(tmp_path: pathlib.Path) -> None:
    settings = {"folder": "../..", "format": "[../../out]", "template": "../secret"}
    memory = Memory(write(tmp_path / "vault", {".obsidian/daily-notes.json": json.dumps(settings), "in/a.md": ""}))
    with pytest.raises(BadArgument, match=r"^The settings of daily notes give a wrong name\. .*\.\."):
        memory.write_daily("", "x")
    assert list(tmp_path.glob("*")) == [tmp_path / "vault"]
    own = memory.restricted(Grant("in"))
    assert own.daily_name("2026-11-20") == "in/2026-11-20"
    own.write_daily("2026-11-20", "x")
    assert (tmp_path / "vault/in/2026-11-20.md").read_text("utf-8") == "x"
    with pytest.raises(Forbidden):
        memory.restricted(Grant("in", read_only=True)).write_daily("", "x")
