"""The brief: what became of each note in the edits that a person has not seen."""

import contextlib
import pathlib
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools import story
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import EditedSince, NothingToUndo, NoVersion, UnknownEdit
from zkmem.memory import Memory
from zkmem.past import brief as module
from zkmem.past import unseen
from zkmem.past.brief import Brief, BriefLine
from zkmem.past.sizes import Sizes

WORDS = " ".join(f"word{number}" for number in range(60))
OTHER = " ".join(f"other{number}" for number in range(60))


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    return Memory(str(tmp_path))


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Brief:
    folder = tmp_path_factory.mktemp("story") / "vault"
    story.story(folder)
    with Memory(str(folder)) as memory:
        return memory.brief()


def by(memory: Memory, client: str) -> Memory:
    return memory.on_behalf(client=client)


def kinds(brief: Brief) -> list[tuple[str, str]]:
    return [(line.kind, line.note) for line in brief.lines]


def only(brief: Brief) -> BriefLine:
    (line,) = brief.lines
    return line


def test_a_day_is_told_in_one_sentence_and_what_destroys_comes_first(day: Brief) -> None:
    assert day.sentence.startswith("2 clients, changes by hand and by git pull, 46 edits since ")
    assert day.sentence.endswith(
        ": 1 note deleted, 1 overwritten, 2 merged, 1 extracted, 3 renamed, 15 created, 13 changed, 2 relinked."
    )
    assert kinds(day)[:3] == [
        ("deleted", story.DELETED),
        ("overwritten", story.OVERWRITTEN),
        ("merged", "kitchen/bread"),
    ]
    assert (day.edits, day.notes, day.total, day.next, day.last) == (story.EDITS, 38, 38, None, story.EDITS)
    assert Counter(line.kind for line in day.lines) == dict(day.counts)
    folders = Counter(line.note.split("/")[0] if "/" in line.note else "" for line in day.lines)
    assert [tuple(one) for one in day.folders] == folders.most_common()


def test_a_client_is_its_name(day: Brief) -> None:
    assert [one[:4] for one in day.clients] == [
        ("claude-code", "2.1.330, 2.1.332", "", 24),
        ("codex", "0.46.0", "", 18),
        ("", "", "hand", 3),
        ("", "", "git pull", 1),
    ]
    assert len({line.sitting for line in day.lines if line.client == "claude-code"}) == 1


@pytest.mark.parametrize(
    ("note", "words", "added", "removed", "others"),
    [
        (story.DELETED, "deleted: 425 words gone", 0, 425, []),
        (story.OVERWRITTEN, "overwritten: 426 words gone", 9, 426, []),
        ("kitchen/tea", "merged from inbox/tea", 0, 0, ["inbox/tea"]),
        ("reading/books", "extracted to reading/essays", 2, 0, ["reading/essays"]),
        ("people/Ann Lee", "renamed from people/ann", 0, 0, ["people/ann"]),
        ("journal/log", "appended 10 times", 112, 0, []),
        ("plans/garden", "changed", 7, 12, []),
        ("work/talk 0", "created", 94, 0, []),
        ("places/mill", "appended 2 times", 23, 0, []),
    ],
)  # fmt: skip
def test_a_line_says_what_happened_to_its_note(
    day: Brief, note: str, words: str, added: int, removed: int, others: list[str]
) -> None:
    (line,) = [one for one in day.lines if one.note == note]
    assert (line.words, line.added, line.removed, line.others) == (words, added, removed, others)


def test_equal_edits_are_one_line(day: Brief) -> None:
    (line,) = [one for one in day.lines if one.note == "journal/log"]
    assert (line.times, line.first, line.edit, line.edits) == (10, 7, 16, list(range(16, 6, -1)))
    assert line.began < line.ended


def test_each_number_is_a_filter(m: Memory) -> None:
    by(m, "one 1.0").write("a/x", WORDS)
    by(m, "two 2.0").write("b/y", WORDS)
    by(m, "two 2.1").delete("b/y")
    by(m, "two 2.1").write("a/z", WORDS)
    assert kinds(m.brief()) == [("created", "a/z"), ("created", "a/x")], "b/y came and went"
    assert m.brief().edits == 2
    assert kinds(m.brief(client="two")) == [("created", "a/z")]
    assert kinds(m.brief(folder="A/")) == [("created", "a/z"), ("created", "a/x")]
    assert kinds(m.brief(folder="b")) == kinds(m.brief(kind="deleted")) == []
    page = m.brief(limit=1, client="two")
    assert (page.notes, page.total, page.next) == (2, 1, None)
    page = m.brief(limit=1)
    assert (kinds(page), page.next) == ([("created", "a/z")], 1)
    assert kinds(m.brief(first=1)) == [("created", "a/x")]


_NOTES = st.sampled_from(["a", "b", "in/c"])
_DEEDS = st.one_of(
    st.tuples(st.just("write"), _NOTES, st.sampled_from(["one", "two", "page"])),
    st.tuples(st.just("all"), st.just(""), st.sampled_from(["one", "two"])),
    st.tuples(st.just("tick"), _NOTES, st.just("")),
    st.tuples(st.just("untick"), _NOTES, st.just("")),
    st.tuples(st.just("see"), st.just(""), st.just("")),
    st.tuples(st.just("undo"), st.just(""), st.just("")),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(_DEEDS, min_size=2, max_size=12))
def test_each_number_says_how_many_lines_its_filter_shows(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, str, str]]
) -> None:
    with Memory(str(tmp_path_factory.mktemp("vault"))) as m:
        for deed, note, client in [("all", "", "one"), *deeds]:
            if deed == "write":
                by(m, client).append(note, f"{WORDS}\n")
            elif deed == "all":
                by(m, client).append("a", "x\n")
                by(m, client).append("b", "y\n")
                by(m, client).set_properties({"x": m.log(limit=1)[0].rev}, ["a", "b"])
            elif deed == "tick":
                m.mark_viewed("", [(one.note, one.first, one.edit) for one in m.brief().lines if one.note == note])
            elif deed == "untick":
                told = m.brief(sitting=int(m.log(limit=1)[0].rev)).lines
                places = [(one.note, one.first, one.edit) for one in told if one.note == note and not one.undone]
                m.mark_viewed("", places, viewed=False)
            elif deed == "see":
                before = m.brief()
                m.mark_unseen("", m.mark_seen("", before.last, earlier=True))
                assert m.brief() == before, "the marks before are there again"
                m.mark_seen("", before.last, earlier=True)
            else:
                with contextlib.suppress(NothingToUndo, EditedSince):
                    m.undo()
        for sitting in (None, int(m.log(limit=1)[0].rev)):
            brief = m.brief("", {"page"}, sitting=sitting)
            numbers = dict(brief.counts)
            assert {kind: m.brief("", {"page"}, sitting=sitting, kind=kind).total for kind in numbers} == numbers
            assert sum(numbers.values()) == brief.notes == brief.total == len(brief.lines)
            left = [line for line in brief.lines if sitting or not line.viewed]
            assert {one.client for one in brief.clients} == {line.client for line in left}
            of_clients = {one.client: one.notes for one in brief.clients if one.client}
            assert of_clients == {one: m.brief("", {"page"}, sitting=sitting, client=one).total for one in of_clients}
            assert len(left) == brief.total - numbers.get("viewed", 0)
            of_folders = {one.folder: one.notes for one in brief.folders if one.folder}
            assert of_folders == {one: m.brief("", {"page"}, sitting=sitting, folder=one).total for one in of_folders}
            assert sum(one.edits for one in brief.clients) == brief.edits
            assert bool(left) == bool(brief.edits) == (brief.sentence != "Nothing is new.")
            assert sitting or not any(line.seen for line in brief.lines), "all edits of a line are seen"
            assert m.brief("", {"page"}, sitting=sitting, viewed=False).total == len(left)


def test_folders_that_differ_only_in_case_count_as_one_as_in_the_filter(m: Memory, tmp_path: pathlib.Path) -> None:
    for folder in ("Plans", "plans"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.md").write_text(f"{WORDS}\n")
    by(m, "model").append("Plans/Plans", "x\n")
    by(m, "model").append("plans/plans", "x\n")
    (count,) = m.brief().folders
    assert count.notes == m.brief(folder=count.folder).total == 2


def test_of_an_edit_what_is_left_to_look_at_is_told(m: Memory) -> None:
    for name in ("a", "b", "c"):
        by(m, "model").write(name, WORDS)
    m.mark_seen("", 3, earlier=True)
    by(m, "model").set_properties({"x": 1}, ["a", "b", "c"])
    m.mark_viewed("", [("a", 4, 4), ("b", 4, 4)])
    assert m.brief().sentence.endswith(": 1 note changed, 2 viewed.")
    assert kinds(m.brief(viewed=False)) == kinds(m.brief(kind="changed")) == [("changed", "c")]


def test_an_edit_that_is_new_again_brings_back_no_edit_that_was_seen(m: Memory) -> None:
    m.write("plan", f"{WORDS}\n")
    model = by(m, "model")
    model.write("plan", OTHER)
    model.append("tea", f"{WORDS}\n")
    model.append("cup", f"{WORDS}\n")
    m.mark_seen("", 4, earlier=True)
    m.mark_viewed("", [("plan", 2, 2)], viewed=False)
    assert kinds(m.brief()) == [("changed", "plan")], "its text has moved to a note that was seen"
    assert m.brief().sentence.endswith(": 1 note changed.")


class TestOverwritten:
    """A note is overwritten if most of the words of its text are gone, and at least 20."""

    @pytest.mark.parametrize(
        ("before", "after", "kind"),
        [
            (WORDS, OTHER, "overwritten"),
            (WORDS, "", "overwritten"),
            (WORDS, f"{WORDS}\n{OTHER}", "changed"),
            (WORDS, f"{OTHER}\n\n{WORDS}", "changed"),
            (WORDS, " ".join(WORDS.split()[:31]), "changed"),  # 29 of 60 are gone
            (WORDS, " ".join(WORDS.split()[:29]), "overwritten"),
            ("status: open, nobody has looked", "status: closed for good", "changed"),  # a short note
            (f"---\nlong: {WORDS}\n---\nx", "---\nlong: y\n---\nx", "changed"),  # properties do not count
            (f"{WORDS}\n\n{OTHER}", f"{OTHER}\n\n{WORDS}", "changed"),  # moved within the note
            (WORDS, WORDS.replace(" ", "\n"), "changed"),  # lines are wrapped anew
            ("\n".join(sorted(WORDS.split())), "\n".join(WORDS.split()), "changed"),  # a list is sorted
            ("a cat is in the house and a dog is out " * 5, "in a dog out the is and house a is " * 9, "overwritten"),
            ("你好世界今天天气很好我们去公园散步吧明天再说", "完全不同的内容写在这里没有留下任何东西", "overwritten"),
        ],
    )  # fmt: skip
    def test_the_rule(self, m: Memory, before: str, after: str, kind: str) -> None:
        m.write("a", before)
        m.mark_seen("", 1)
        by(m, "one").write("a", after)
        assert only(m.brief()).kind == kind
        assert [note.outcome for note in m.change(None, 2).notes] == [kind]  # in the history, too

    def test_text_that_moved_to_another_note_is_not_gone(self, m: Memory) -> None:
        m.write("a", f"# A\n\n{WORDS}\n\n{OTHER}\n")
        m.mark_seen("", 1)
        by(m, "one").write("a", "# A\n")
        assert only(m.brief()).kind == "overwritten"
        by(m, "one").write("b", f"# B\n\n{WORDS}\n\n{OTHER}\n")
        assert kinds(m.brief()) == [("created", "b"), ("changed", "a")]

    def test_what_is_lost_in_a_merge_is_overwritten(self, m: Memory) -> None:
        m.write("a", f"{WORDS}\n")
        m.write("b", f"{OTHER}\n")
        m.mark_seen("", 2)
        by(m, "one").rename("a", "b", merge=True)
        assert (only(m.brief()).words, only(m.brief()).removed) == ("merged from a", 0)
        by(m, "one").write("b", "nothing\n")
        assert only(m.brief()).words == "overwritten: 120 words gone; merged from a"

    @pytest.mark.parametrize("first", ["a", "b"])
    def test_the_text_of_one_of_two_merged_notes_is_lost(self, m: Memory, first: str) -> None:
        long = " ".join(f"long{number}" for number in range(500))
        m.write("a", f"{WORDS}\n")
        m.write("b", f"{long}\n")
        m.mark_seen("", 2)
        by(m, "one").rename(first, {"a": "b", "b": "a"}[first], merge=True)
        assert only(m.brief()).kind == "merged"
        by(m, "one").write({"a": "b", "b": "a"}[first], f"{long}\nand\n")
        assert only(m.brief()).words == f"overwritten: 60 words gone; merged from {first}"

    def test_the_text_of_a_note_that_was_merged_into_a_new_one_is_lost(self, m: Memory) -> None:
        m.write("a", f"{WORDS}\n")
        m.mark_seen("", 1)
        by(m, "one").write("b", "new\n")
        by(m, "one").rename("a", "b", merge=True)
        assert only(m.brief()).kind == "merged"
        by(m, "one").write("b", "new\n\nother\n")
        assert only(m.brief()).kind == "overwritten"

    def test_what_others_wrote_in_a_new_note_is_lost(self, m: Memory) -> None:
        for name in ("a", "b", "c"):
            by(m, "one").write(name, "new\n")
        for name in ("a", "b"):
            m.write(name, f"{WORDS}\n", append=True)
        by(m, "one").read("a")
        by(m, "one").write("a", "other\n")
        by(m, "one").delete("b")
        by(m, "one").delete("c")
        brief = m.brief(client="one")
        assert [(line.note, line.words) for line in brief.lines] == [
            ("b", "deleted: 61 words gone"),
            ("a", "overwritten: 60 words gone; created"),
        ]
        assert "word59" in m.change("b", brief.lines[0].edit, first=brief.lines[0].first).notes[0].html

    def test_text_that_moved_to_a_note_that_is_undone_is_gone(self, m: Memory) -> None:
        m.write("a", f"{WORDS}\n")
        by(m, "one").write("b", f"{WORDS}\n")
        by(m, "one").write("a", f"{OTHER}\n")
        assert kinds(m.brief(sitting=3)) == [("created", "b"), ("changed", "a")]
        by(m, "page").undo(edit=2)
        assert kinds(m.brief(sitting=3)) == [("overwritten", "a"), ("created", "b")]

    def test_what_came_back_is_no_news(self, m: Memory) -> None:
        m.write("a", WORDS)
        m.mark_seen("", 1)
        by(m, "one").write("a", OTHER)
        by(m, "one").write("a", WORDS)
        assert m.brief().sentence == "Nothing is new."

    @given(st.text("ab \n你", max_size=60), st.text("ab \n你", max_size=60))
    def test_the_sizes_are_those_of_the_words(self, before: str, after: str) -> None:
        sizes, back = Sizes.of(before, after), Sizes.of(after, before)
        assert (sizes.added, sizes.removed) == (back.removed, back.added)
        assert 0 <= sizes.removed <= sizes.before
        assert Sizes.of(before, before)[:2] == (0, 0)

    def test_texts_that_are_not_compared_are_counted(self, m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("a", "b"):
            m.write(name, WORDS)
        m.mark_seen("", 2, earlier=True)
        for name in ("a", "b"):
            by(m, "one").write(name, OTHER)
        monkeypatch.setattr(module, "_MOST_COMPARED", 1)
        brief = m.brief()
        assert (brief.unread, sorted(line.kind for line in brief.lines)) == (1, ["changed", "overwritten"])
        assert brief.sentence.endswith("1 note overwritten, 1 changed. Not compared, so perhaps overwritten: 1 note.")
        assert m.brief().unread == 0, "what was compared once is known"


def test_a_deleted_picture_is_told_of_and_can_be_brought_back(m: Memory) -> None:
    m.write("a", "![[p.png]]\n")
    write(m.vault, {"x/p.png": b"\x89PNG" + b"words " * 100, "x/t.txt": WORDS})
    model = by(m, "model")
    model.delete_files("x/p.png")
    model.rewrite_file("x/t.txt", lambda _: OTHER)
    deleted, _, changed = m.brief().lines
    assert (deleted.kind, deleted.note, deleted.is_note, deleted.words) == ("deleted", "x/p.png", False, "deleted")
    assert (changed.words, changed.added) == ("changed", None)
    assert m.brief().unread == 0
    change = m.change(None, 2).notes[0]
    assert (change.name, change.is_note, change.trouble) == (
        *("x/p.png", False),
        "It is no note, so its changes are not shown.",
    )
    m.undo_line("x/p.png", 2)
    assert m.brief(kind="deleted").total == 0


class TestNews:
    """What is new to a person."""

    def test_an_undone_edit_hides_nothing_else(self, m: Memory) -> None:
        m.write("a", WORDS)
        m.write("b", WORDS)
        m.mark_seen("", 2)
        model = by(m, "model")
        model.write("a", OTHER)
        model.delete("b")
        by(m, "page").undo(edit=3)
        assert kinds(m.brief("", {"page"})) == [("deleted", "b")]
        assert [(line.kind, line.note, line.undone) for line in m.brief("", sitting=4).lines] == [
            ("deleted", "b", False),
            ("overwritten", "a", True),
        ]
        assert [tuple(one) for one in m.brief("", sitting=4).counts] == [("deleted", 1), ("undone", 1)]

    def test_an_undo_by_a_client_is_new_if_it_took_back_what_the_person_knew(self, m: Memory) -> None:
        by(m, "page").write("mine", WORDS)
        model = by(m, "model")
        model.write("other", WORDS)
        model.undo()
        assert m.brief("", {"page"}).edits == 0, "nobody has seen what was undone"
        model.undo(edit=1)
        assert kinds(m.brief("", {"page"})) == [("deleted", "mine")]
        (note,) = m.change("mine", 4).notes
        assert (note.outcome, note.removed) == ("deleted", 60)

    def test_an_undo_in_the_sitting_of_what_it_undid_can_be_looked_at_and_ticked(self, m: Memory) -> None:
        model = by(m, "model")
        model.write("a", WORDS)
        m.mark_seen("", 1)
        model.undo()
        line = only(m.brief())
        assert (line.kind, line.edit) == ("deleted", 2)
        assert m.change("a", 2).notes[0].outcome == "deleted"
        m.mark_viewed("", [("a", 2, 2)])
        assert m.brief().edits == 0

    def test_own_edits_and_accepted_proposals_are_settled(self, m: Memory) -> None:
        m.restricted(Grant(proposes_as="model")).write("a", WORDS)
        by(m, "page").write("b", WORDS)
        m.accept("model")
        assert m.brief("", {"page"}).edits == 0
        assert m.brief("", {"page"}).last == 2

    def test_only_what_follows_what_was_seen_is_told(self, m: Memory) -> None:
        model = by(m, "model")
        model.write("a", "one\n")
        m.mark_seen("", 1)
        model.append("a", "two\n")
        line = only(m.brief())
        assert (line.words, line.first, line.edit, line.sitting) == ("appended", 2, 2, 2)
        assert only(m.brief(sitting=2)).words == "created"

    def test_many_edits_are_looked_at_up_to_a_bound(self, m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(unseen, "_MOST_EDITS", 2)
        for name in ("a", "b", "c"):
            m.write(name, WORDS)
        assert (kinds(m.brief()), m.brief().older) == ([("created", "c"), ("created", "b")], True)
        assert "2 edits or more since" in m.brief().sentence
        m.mark_seen("", 1, earlier=True)
        assert not m.brief().older

    def test_an_unknown_sitting_is_an_error(self, m: Memory) -> None:
        m.write("a", WORDS)
        with pytest.raises(UnknownEdit):
            m.brief(sitting=9)

    def test_a_caller_with_a_folder_gets_only_what_is_there(self, m: Memory) -> None:
        for name in ("in/a", "in/b", "out/c", "out/secret"):
            m.write(name, f"{WORDS} in {name}")
        m.mark_seen("", 4, earlier=True)
        model = by(m, "model")
        model.rename("in/a", "in/b", merge=True)
        model.rename("out/c", "out/secret", merge=True)
        model.write("out/new", OTHER)
        brief = m.restricted(Grant("in")).brief()
        assert kinds(brief) == [("merged", "in/b")]
        assert brief.edits == brief.notes == sum(one.edits for one in brief.clients) == 1
        assert not any(name in repr(brief) for name in ("out/", "secret"))
        with pytest.raises(UnknownEdit):
            m.restricted(Grant("in")).change("out/new", 7)


class TestTicks:
    """The ticks of a person: lines that were looked at."""

    def test_a_caller_with_a_folder_takes_marks_back_to_the_ticks_before(self, m: Memory) -> None:
        for name in ("in/a", "in/b"):
            m.write(name, WORDS)
        m.mark_seen("ann", 2, earlier=True)
        by(m, "model").set_properties({"x": 1}, ["in/a", "in/b"])
        caller = m.restricted(Grant("in"))
        caller.mark_viewed("ann", [("in/a", 3, 3)])
        before = m.brief("ann")
        marks = caller.mark_seen("ann", 3, earlier=True)
        assert m.brief("ann").edits == 0
        caller.mark_unseen("ann", marks)
        assert m.brief("ann") == before

    def test_an_edit_is_seen_when_all_of_its_lines_are_ticked(self, m: Memory, tmp_path: pathlib.Path) -> None:
        by(m, "person").write("a", WORDS)
        by(m, "person").write("b", WORDS)
        m.mark_seen("ann", 2, earlier=True)
        by(m, "model").set_properties({"x": 1}, ["a", "b"])
        assert [line.viewed for line in m.brief("ann").lines] == [False, False]
        m.mark_viewed("ann", [("a", 3, 3)])
        assert {line.note: line.viewed for line in m.brief("ann").lines} == {"a": True, "b": False}
        assert m.brief("bob").edits == 3, "each person has ticks of their own"
        assert m.brief("ann").edits == 1
        m.mark_viewed("ann", [("a", 3, 3)], viewed=False)
        m.mark_viewed("ann", [("b", 3, 3), ("a", 3, 3)])
        assert Memory(str(tmp_path)).brief("ann").edits == 0
        m.mark_viewed("ann", [("b", 3, 3)], viewed=False)
        assert {line.note: line.viewed for line in m.brief("ann").lines} == {"a": True, "b": False}

    def test_the_tick_of_a_merge_is_for_both_notes(self, m: Memory) -> None:
        for name in ("a", "b"):
            m.write(name, f"{WORDS} {name}")
        m.mark_seen("", 2, earlier=True)
        by(m, "one").append("a", "more\n")
        by(m, "one").rename("a", "b", merge=True)
        line = only(m.brief())
        assert (line.first, line.edit) == (3, 4)
        m.mark_viewed("", [(line.note, line.first, line.edit)])
        assert m.brief().edits == 0

    def test_a_line_that_grows_is_no_longer_ticked(self, m: Memory) -> None:
        model = by(m, "model")
        model.write("a", "one\n")
        write(m.vault, {"b.md": "[[a]]\n"})
        model.rename("a", "c")
        m.mark_viewed("", [("c", 1, 2)])
        assert {line.note: line.viewed for line in m.brief().lines} == {"c": True, "b": False}
        model.append("c", "two\n")
        assert {line.note: line.viewed for line in m.brief().lines} == {"c": False, "b": False}

    def test_lines_of_several_sittings_are_ticked_at_once(self, m: Memory) -> None:
        for client in ("one", "two"):
            for name in ("a", "b"):
                by(m, client).append(name, f"{WORDS}\n")
        m.mark_viewed("", [(line.note, line.first, line.edit) for line in m.brief().lines if line.note == "a"])
        assert kinds(m.brief()) == [("created", "b"), ("changed", "b")]
        assert len(m.brief(sitting=1).lines) == 2
        m.mark_viewed("", [("a", 1, 1), ("a", 3, 3)], viewed=False)
        assert m.brief().edits == 4

    def test_only_lines_can_be_ticked(self, m: Memory) -> None:
        m.write("a", WORDS)
        with pytest.raises(NoVersion, match="did nothing to 'b'"):
            m.mark_viewed("", [("b", 1, 1)])
        with pytest.raises(UnknownEdit):
            m.mark_viewed("", [("a", 5, 5)])

    def test_a_damaged_file_of_ticks_is_written_anew(self, m: Memory, tmp_path: pathlib.Path) -> None:
        by(m, "model").write("a", WORDS)
        for text in ("no json", '{"": [["a", 1]]}', '{"": [[1]]}', "[]"):
            (tmp_path / ".zkmem/viewed.json").write_text(text)
            assert not only(m.brief()).viewed
        m.mark_viewed("", [("a", 1, 1)])
        assert m.brief().edits == 0


class TestChange:
    """The change of one line, rendered."""

    def test_it_has_passages_with_their_heading_and_what_is_around(self, m: Memory) -> None:
        before = (
            "# Title\n\nIntro.\n\n## Plan\n\nFirst stays.\n\nSecond is old.\n\nThird stays.\n\n## End part\n\nLast.\n"
        )
        m.write("a", before)
        by(m, "one").write("a", before.replace("Second is old", "Second is new").replace("## End part", "## End piece"))
        (note,) = m.change("a", 2).notes
        plan, end = note.passages
        assert (plan.number, plan.under, end.number, end.under) == (0, "Plan", 1, "Plan")
        assert plan.html.count('class="context"') == 2
        assert ("First stays" in plan.html, "Third stays" in plan.html, "Intro" in plan.html) == (True, True, False)
        assert '<ins class="marked">new</ins>' in plan.html
        assert '<ins class="marked">piece</ins>' in end.html

    def test_an_extraction_shows_both_notes(self, m: Memory) -> None:
        m.write("a", f"# A\n\n{WORDS}\n\n{OTHER}\n")
        by(m, "one").extract("a", OTHER, "b")
        assert [(one.name, one.outcome) for one in m.change("a", 2).notes] == [("a", "extracted"), ("b", "created")]

    def test_only_the_edits_of_the_line_are_shown(self, m: Memory) -> None:
        for text in ("one\n", "two\n", "three\n"):
            by(m, "one").write("a", text)
        (note,) = m.change("a", 2).notes
        assert ("two" in note.html, "one" in note.html, "three" in note.html) == (True, True, False)
        (note,) = m.change("a", 3, first=2).notes
        assert ("two" in note.html, "three" in note.html) == (False, True)

    def test_without_a_note_it_has_every_note_of_an_edit_seen_or_undone(self, m: Memory) -> None:
        for number in range(25):
            m.write(f"n{number:02}", "x\n")
        m.set_properties({"x": 1}, [f"n{number:02}" for number in range(25)])
        m.mark_seen("", 26, earlier=True)
        m.undo(edit=26)
        change = m.change(None, 26)
        assert ([one.name for one in change.notes][:2], len(change.notes), change.more) == (["n00", "n01"], 20, 5)
        with pytest.raises(UnknownEdit):
            m.change(None, 99)


def test_a_card_of_a_sitting_counts_what_happened(m: Memory) -> None:
    m.write("a", WORDS)
    m.write("b", WORDS)
    by(m, "one 1.2").write("a", OTHER)
    by(m, "one 1.3").delete("b")
    by(m, "one 1.3").write("c", WORDS)
    by(m, "page").undo(edit=5)
    card = m.review().sittings[1]
    assert (card.client, card.version, [tuple(one) for one in card.counts]) == (
        "one",
        "1.2, 1.3",
        [("deleted", 1), ("overwritten", 1)],
    )
