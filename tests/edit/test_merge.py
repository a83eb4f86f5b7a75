"""Stale writes: what was saved meanwhile is merged by lines, or the edit is refused and nothing changes."""

import pathlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.vaults import read, write
from zkmem.edit import read_tracker
from zkmem.errors import BadArgument, StaleEtag
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.util.threeway import Conflict, merged, merged_bytes, propose

TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}

lines = st.lists(st.text("ab \r\x0b\u2028é", max_size=4), max_size=8)


def joined(some: list[str], last: str) -> str:
    return "\n".join(some) + last


class TestLines:
    @given(st.integers(1, 9), st.data(), st.sampled_from(["", "\n"]))
    def test_changes_of_different_lines_are_both_in_the_result(self, count: int, data: st.DataObject, end: str) -> None:
        base = [f"line {number}" for number in range(count)]
        owner = data.draw(st.lists(st.sampled_from(["none", "mine", "theirs"]), min_size=count, max_size=count))
        change = st.lists(st.text("xyz", min_size=1, max_size=3), max_size=3)
        changed = [data.draw(change) for _ in base]

        def side(who: str) -> list[str]:
            rows = [new if owner[n] == who else [base[n]] for n, new in enumerate(changed)]
            return [line for row in rows for line in row]

        both = [line for n, new in enumerate(changed) for line in (new if owner[n] != "none" else [base[n]])]
        result = merged(joined(base, end), joined(side("mine"), end), joined(side("theirs"), end))
        assert [line for line in result.split("\n") if line] == both

    @given(st.integers(1, 9), st.data())
    def test_different_changes_of_one_line_are_a_conflict(self, count: int, data: st.DataObject) -> None:
        base = [f"line {number}\n" for number in range(count)]
        at = data.draw(st.integers(0, count - 1))
        mine, theirs = list(base), list(base)
        mine[at], theirs[at] = "mine\n", data.draw(st.sampled_from(["theirs\n", "", "mine too\n"]))
        with pytest.raises(Conflict):
            merged("".join(base), "".join(mine), "".join(theirs))
        assert merged_bytes("".join(base).encode(), "".join(mine).encode(), "".join(theirs).encode()) is None

    @given(lines, lines, st.sampled_from(["", "\n"]))
    def test_one_side_alone_is_taken_as_it_is(self, base: list[str], changed: list[str], end: str) -> None:
        old, new = joined(base, end), joined(changed, end)
        assert merged(old, new, old) == new
        assert merged(old, old, new) == new
        assert merged(old, new, new) == new

    @given(lines, lines, lines)
    def test_no_line_comes_from_nowhere_and_sides_are_equal(
        self, base: list[str], mine: list[str], theirs: list[str]
    ) -> None:
        texts = [joined(some, "\n") for some in (base, mine, theirs)]
        try:
            result = merged(*texts)
        except Conflict:
            with pytest.raises(Conflict):
                merged(texts[0], texts[2], texts[1])
            return
        assert result == merged(texts[0], texts[2], texts[1])
        assert set(result.split("\n")) <= {line for text in texts for line in text.split("\n")}

    @given(lines, lines, lines)
    def test_a_proposal_has_every_line_of_mine_and_names_each_conflict(
        self, base: list[str], mine: list[str], theirs: list[str]
    ) -> None:
        text, conflicts = propose(*(joined(some, "\n") for some in (base, mine, theirs)))
        proposed = text.split("\n")
        assert not Counter(mine) - Counter(base) - Counter(proposed)
        for place in conflicts:
            assert place.mine != place.theirs
            assert proposed[place.line - 1 :][: len(place.mine)] == place.mine

    @pytest.mark.parametrize(
        ("base", "mine", "theirs", "text", "conflicts"),
        [
            ("a\nb\nc\nd\n", "M\nb\nc\nd\n", "T\nb\nc\nD\n", "M\nb\nc\nD\n", [(1, ["M"], ["T"])]),
            ("a\nb\n", "a\nmine\nb\n", "0\na\ntheirs\nb\n", "0\na\nmine\nb\n", [(3, ["mine"], ["theirs"])]),
            ("a\nb\nc\n", "M\nb\nN\n", "T\n", "M\nb\nN\n", [(1, ["M", "b", "N"], ["T"])]),
            ("a\nb\nc\n", "M\n", "T\nb\nU\n", "M\n", [(1, ["M"], ["T", "b", "U"])]),
            ("", "mine\n", "theirs\n", "mine\n", [(1, ["mine"], ["theirs"])]),
        ],
        ids=["a line", "after a line of theirs", "one of theirs over two", "one of mine over two", "no base"],
    )
    def test_a_proposal_by_example(
        self, base: str, mine: str, theirs: str, text: str, conflicts: list[tuple[int, list[str], list[str]]]
    ) -> None:
        assert propose(base, mine, theirs) == (text, conflicts)

    @pytest.mark.parametrize(
        ("base", "mine", "theirs", "result"),
        [
            ("a\nb\nc\n", "a\nB\nc\n", "A\nb\nc\n", "A\nB\nc\n"),  # neighbours
            ("a\n", "a\nmine", "THEIRS\na\n", "THEIRS\na\nmine"),
            ("a\nb", "a\nB", "a\nb", "a\nB"),
            ("a\nb\n", "a\nB", "a\nb\nc\n", "a\nB\nc"),  # a lost line end must not join two lines
            ("", "mine", "", "mine"),
        ],
    )
    def test_by_example(self, base: str, mine: str, theirs: str, result: str) -> None:
        assert merged(base, mine, theirs) == result

    def test_a_line_put_between_lines_that_the_other_side_replaced_is_a_conflict(self) -> None:
        with pytest.raises(Conflict):
            merged("a\nb\nc\nd\n", "a\nX\nY\nd\n", "a\nb\nnew\nc\nd\n")
        with pytest.raises(Conflict):
            merged("a\nb\nc\nd\n", "a\nb\nnew\nc\nd\n", "a\nX\nY\nd\n")

    def test_a_long_list_with_empty_lines_between_is_fast(self) -> None:
        base = "".join(f"- task {n}\n\n" for n in range(1500))
        mine = base.replace("task", "TASK", 1).replace("task 1499", "mine")
        theirs = base.replace("- task 7\n\n", "")
        assert merged(base, mine, theirs) == mine.replace("- task 7\n\n", "")

    def test_a_long_text_is_fast(self) -> None:
        base = "".join(f"{n % 7}\n" for n in range(50_000))
        assert merged(base, "mine\n" + base, base + "theirs\n") == "mine\n" + base + "theirs\n"


class TestNotes:
    @pytest.fixture
    def m(self, tmp_path: pathlib.Path) -> Memory:
        return Memory(write(tmp_path, {"a.md": "one\r\ntwo\r\nthree\r\n"}))

    def test_what_a_person_saved_meanwhile_is_merged_and_shown(self, m: Memory, tmp_path: pathlib.Path) -> None:
        tag = m.read("a").etag
        (tmp_path / "a.md").write_bytes(b"one\r\ntwo\r\nTHREE\r\n")
        result = TOOLS["set_content"].call(m, {"name": "a", "content": "ONE\ntwo\nthree\n", "etag": tag})
        assert read(tmp_path)["a.md"] == b"ONE\r\ntwo\r\nTHREE\r\n"
        assert result.texts[1] == "These changes of others were merged into it:\n-three\n+THREE"

    @pytest.mark.parametrize("named", ["content", "old"])
    def test_a_conflict_is_refused_with_both_sides_and_the_new_etag(
        self, m: Memory, tmp_path: pathlib.Path, named: str
    ) -> None:
        tag = m.read("a").etag
        (tmp_path / "a.md").write_bytes(b"one\r\nby hand\r\nthree\r\n")
        now = Memory(str(tmp_path)).read("a").etag
        edit = {"content": "by model", "old": "two"} if named == "old" else {"content": "one\nby model\nthree\n"}
        with pytest.raises(StaleEtag) as told:
            TOOLS["set_content"].call(m, {"name": "a", "etag": tag, **edit})
        for part in ("from line 2", "by hand", "by model", now):
            assert part in str(told.value)
        assert read(tmp_path)["a.md"] == b"one\r\nby hand\r\nthree\r\n"

    def test_a_passage_of_the_text_that_was_read_is_found_though_it_moved(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        tag = m.read("a").etag
        (tmp_path / "a.md").write_bytes(b"two\r\none\r\ntwo\r\nthree\r\n")
        m.write("a", "2", old="two", etag=tag)
        assert read(tmp_path)["a.md"] == b"two\r\none\r\n2\r\nthree\r\n"

    def test_an_end_has_room_for_everybody(self, m: Memory, tmp_path: pathlib.Path) -> None:
        tag = m.read("a").etag
        (tmp_path / "a.md").write_bytes(b"one\r\nhand\r\n")
        m.write("a", "model\n", append=True, etag=tag)
        assert read(tmp_path)["a.md"] == b"one\r\nhand\r\n\r\nmodel\r\n"

    @pytest.mark.parametrize("how", [{}, {"append": True}, {"old": "one"}], ids=["whole", "append", "old"])
    def test_an_etag_that_is_not_known_is_refused_however_it_is_written(
        self, m: Memory, tmp_path: pathlib.Path, how: dict[str, Any]
    ) -> None:
        before = read(tmp_path)
        with pytest.raises(StaleEtag, match="has changed since etag WRONG, whose text is no longer known"):
            TOOLS["set_content"].call(m, {"name": "a", "content": "model\n", "etag": "WRONG", **how})
        assert read(tmp_path) == before

    def test_another_process_knows_what_a_tool_has_replaced(self, m: Memory, tmp_path: pathlib.Path) -> None:
        tag = m.read("a").etag
        m.write("a", "TWO", old="two")
        Memory(str(tmp_path)).write("a", "ONE\ntwo\nthree\n", etag=tag)
        assert read(tmp_path)["a.md"] == b"ONE\r\nTWO\r\nthree\r\n"

    def test_the_etag_of_another_note_is_no_base(self, m: Memory, tmp_path: pathlib.Path) -> None:
        tag = m.read("a").etag
        m.write("a", "1", old="one")
        m.write("b", "one\n")
        for known in (m, Memory(str(tmp_path))):
            with pytest.raises(StaleEtag, match="no longer known"):
                known.write("b", "x", etag=tag)

    def test_what_was_read_of_another_version_does_not_count(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": "line\n" * 1000}), max_chars=3000)
        first = m.read("a")
        (tmp_path / "a.md").write_text("new\n" * 700 + "line\n" * 300)
        assert first.next_offset
        m.read("a", offset=first.next_offset)
        with pytest.raises(BadArgument, match="read only in part"):
            m.write("a", "all of it")

    def test_a_base_that_nobody_knows_is_refused(self, m: Memory, tmp_path: pathlib.Path) -> None:
        with pytest.raises(StaleEtag, match="no longer known"):
            m.write("a", "x", etag="0123456789ab")
        with pytest.raises(StaleEtag, match="does not exist"):
            m.write("new", "x", etag="0123456789ab")
        assert read(tmp_path) == {"a.md": b"one\r\ntwo\r\nthree\r\n"}

    def test_after_a_large_merge_the_note_must_be_read_before_it_is_replaced(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": "one\n"}))
        tag = m.read("a").etag
        (tmp_path / "a.md").write_text("one\n" + "a long line by hand\n" * 300)
        done = m.write("a", "ONE\n", etag=tag)
        assert done.merged == []
        assert "read it before you replace it" in done.remarks[0]
        with pytest.raises(BadArgument, match="read only in part"):
            m.write("a", "ONE\nmore\n", etag=done.etag)
        m.read("a")
        m.write("a", "ONE\nmore\n")

    def test_bytes_that_are_not_utf8_come_through_a_merge(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": b"one\ntwo\n\xff\n"}))
        tag = m.read("a").etag
        (tmp_path / "a.md").write_bytes(b"one\ntwo\n\xff\xfe\n")
        m.write("a", "ONE", old="one", etag=tag)
        assert read(tmp_path)["a.md"] == b"ONE\ntwo\n\xff\xfe\n"


class TestAWholeTextWithoutAnEtag:
    """It counts as made from what the same session has read or written last."""

    TEXT = "one\ntwo\nthree\n"

    @pytest.fixture
    def m(self, tmp_path: pathlib.Path) -> Memory:
        return Memory(write(tmp_path, {"a.md": self.TEXT, "hint.md": "[[a]]\n", "b.md": "[[a]] b\n"}))

    def test_is_merged_with_what_a_person_saved_since_it_was_read(self, m: Memory) -> None:
        m.read("a")
        write(m.vault, {"a.md": "one\ntwo\nTHREE by hand\n"})
        result = TOOLS["set_content"].call(m, {"name": "a", "content": "ONE\ntwo\nthree\n"})
        assert read(m.vault)["a.md"] == b"ONE\ntwo\nTHREE by hand\n"
        assert result.texts[1] == "These changes of others were merged into it:\n-three\n+THREE by hand"

    @pytest.mark.parametrize(
        "reads",
        [
            lambda m: m.read("a"),
            lambda m: m.read("a", bounded=False),
            lambda m: m.read("hint", depth=1),
            lambda m: m.write("a", TestAWholeTextWithoutAnEtag.TEXT + "four\n"),
            lambda m: m.write("a", "four\n", append=True),
            lambda m: (m.read("a"), m.rename("hint", "start"), m.rename("a", "c"), m.rename("c", "a")),
            lambda m: (m.read("b"), m.read("a"), m.extract("a", "one", "new")),
            lambda m: (m.read("a"), m.write("a", "ONE", old="one"), m.undo()),
        ],
        ids=["read", "whole", "expanded", "written", "appended", "renamed", "extracted", "undone"],
    )
    @pytest.mark.parametrize("by_hand", [True, False], ids=["by hand", "by another client"])
    def test_is_refused_if_others_changed_the_same_lines_since(
        self, m: Memory, by_hand: bool, reads: Callable[[Memory], object]
    ) -> None:
        mine = m.on_behalf(client="me")
        reads(mine)
        if by_hand:
            write(m.vault, {"a.md": "theirs\n"})
        else:
            m.on_behalf(client="you").write("a", "theirs\n", etag=m.read("a").etag)
        before = read(m.vault)
        with pytest.raises(StaleEtag, match="'a' has changed since you read it, in the same lines") as told:
            mine.write("a", "mine\n")
        now = m.read("a").etag
        assert all(part in str(told.value) for part in ("theirs", "mine", now))
        assert read(m.vault) == before
        assert mine.write("a", "mine\n", etag=now).outcome == "replaced", "as the error says"
        mine.write("a", "theirs\n")
        mine.read("a")
        assert mine.write("a", "mine\n").outcome == "replaced"

    @pytest.mark.parametrize(
        "writes",
        [
            lambda m: m.write("a", "four\n", append=True),
            lambda m: m.write("a", "ONE", old="one"),
            lambda m: (m.write("a", "# H\n", append=True), m.edit_section("a", "H", "x", "append")),
        ],
        ids=["append", "passage", "section"],
    )
    def test_is_merged_with_what_others_saved_before_the_session_wrote_a_part(
        self, m: Memory, writes: Callable[[Memory], object]
    ) -> None:
        m.read("a")
        write(m.vault, {"a.md": "one\ntwo\nTHREE by hand\n"})
        writes(m)
        m.write("a", "one\nTWO\nthree\n")
        assert b"TWO\nTHREE by hand\n" in read(m.vault)["a.md"]

    def test_replaces_a_note_that_the_session_has_not_read_and_undo_has_the_text(self, m: Memory) -> None:
        m.on_behalf(client="other").read("a")
        m.on_behalf(session="other").read("a")
        m.rename("hint", "start")  # which writes no link to this note
        write(m.vault, {"a.md": "by hand\n"})
        assert m.write("a", "mine\n").outcome == "replaced"
        m.undo()
        assert read(m.vault)["a.md"] == b"by hand\n"

    def test_of_a_note_whose_links_alone_the_session_has_updated_replaces_it(self, m: Memory) -> None:
        m.rename("a", "c")  # which `b` links to
        write(m.vault, {"b.md": "by hand\n"})
        assert m.write("b", "mine\n").outcome == "replaced"

    def test_is_not_refused_for_links_that_the_session_itself_has_updated(self, m: Memory) -> None:
        m.read("b")
        m.rename("a", "c")
        assert m.write("b", "[[c]] all mine\n").outcome == "replaced"
        write(m.vault, {"b.md": "by hand\n"})
        with pytest.raises(StaleEtag):
            m.write("b", "mine\n")

    @pytest.mark.parametrize("other", [{"client": "you"}, {"client": "me", "session": 2}], ids=["client", "session"])
    def test_is_not_made_from_what_another_session_has_read(self, m: Memory, other: dict[str, Any]) -> None:
        mine, yours = m.on_behalf(client="me", session=1), m.on_behalf(**other)
        mine.read("a")
        write(m.vault, {"a.md": "by hand\n"})
        yours.read("a")
        with pytest.raises(StaleEtag):
            mine.write("a", "mine\n")
        assert yours.write("a", "yours\n").outcome == "replaced"

    def test_is_not_refused_for_what_another_session_has_read_in_part(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": "line\n" * 1000}), max_chars=3000)
        assert m.on_behalf(client="you").read("a").next_offset
        with pytest.raises(BadArgument, match="read only in part"):
            m.on_behalf(client="you").write("a", "yours")
        assert m.on_behalf(client="me").write("a", "mine").outcome == "replaced"

    def test_of_a_note_that_was_seen_in_an_expansion_and_then_in_part_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": "line\n" * 1000, "hint.md": "[[a]]\n"}), max_chars=3000)
        m.read("hint", depth=1)
        m.read("a")
        m.read("hint", depth=1)
        with pytest.raises(BadArgument, match="read only in part"):
            m.write("a", "mine")

    def test_whose_base_is_forgotten_is_refused(self, m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(read_tracker, "_MOST_BYTES", 10)
        m.read("a")
        write(m.vault, {"a.md": "by hand\n"})
        with pytest.raises(StaleEtag, match="whose text is no longer known"):
            m.write("a", "mine\n")

    def test_replaces_a_note_whose_reading_is_forgotten(self, m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(read_tracker, "_MOST_READS", 1)
        m.read("a")
        m.read("b")
        write(m.vault, {"a.md": "by hand\n", "b.md": "by hand\n"})
        assert m.write("a", "mine\n").outcome == "replaced"
        m.read("b")
        write(m.vault, {"b.md": "again\n"})
        with pytest.raises(StaleEtag):
            m.write("b", "mine\n")

    def test_of_a_section_is_merged_or_refused_too(self, m: Memory) -> None:
        write(m.vault, {"s.md": "# One\n\ntext\n\n# Two\n\nmore\n"})
        m.read("s#One")
        write(m.vault, {"s.md": "# One\n\ntext\n\n# Two\n\nmore by hand\n"})
        m.edit_section("s", "One", "mine\n", "replace")
        assert read(m.vault)["s.md"] == b"# One\n\nmine\n\n# Two\n\nmore by hand\n"
        write(m.vault, {"s.md": "# One\n\nmine by hand\n\n# Two\n\nmore by hand\n"})
        with pytest.raises(StaleEtag):
            m.edit_section("s", "One", "mine again\n", "replace")
        assert m.edit_section("s", "One", "added\n", "append").outcome == "appended"


@settings(max_examples=60)
@given(steps=st.lists(st.tuples(st.sampled_from(["read", "write", "hand", "tool"]), st.integers(0, 9)), max_size=12))
def test_no_line_that_a_session_has_not_read_is_lost_by_its_whole_texts(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    root = tmp_path_factory.mktemp("vault")
    m = Memory(write(root, {"a.md": "first\n"}), durable=False)
    mine, known = m.on_behalf(client="me"), m.on_behalf(client="me").read("a").text
    for number, (step, place) in enumerate(steps):
        text = (root / "a.md").read_text()
        lines = (known if step == "write" else text).splitlines()
        lines.insert(place % (len(lines) + 1), f"{step} {number}")
        new = "\n".join(lines) + "\n"
        if step == "hand":
            write(root, {"a.md": new})
        elif step == "tool":
            m.write("a", new, etag=m.read("a").etag)
        elif step == "write":
            try:
                mine.write("a", new)
            except StaleEtag:
                assert (root / "a.md").read_text() == text
            else:
                assert set((root / "a.md").read_text().splitlines()) == {*text.splitlines(), f"write {number}"}
        if step in {"read", "write"}:
            known = mine.read("a").text


def test_a_long_text_of_lines_that_come_twice_is_merged() -> None:
    base = [f"line {number}" for number in range(1_100)] * 2
    mine, theirs = base.copy(), base.copy()
    mine[5], mine[-5], theirs[1_000] = "mine", "mine too", "theirs"
    both = mine.copy()
    both[1_000] = "theirs"
    assert merged(*("\n".join(lines) + "\n" for lines in (base, mine, theirs))) == "\n".join(both) + "\n"


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "both"),
    [
        ("one\n", "", "one\ntwo\nthree\n", "two\nthree\n"),
        ("one\n", "one\ntwo\nthree\n", "", "two\nthree\n"),
        ("one", "", "one\ntwo", "two"),
        ("", "one", "", "one"),
        ("", "", "one\n", "one\n"),
    ],
)
def test_an_empty_text_does_not_take_the_end_of_the_last_line(base: str, mine: str, theirs: str, both: str) -> None:
    assert merged(base, mine, theirs) == both
