"""Edits that a client proposes: it reads them as made, nobody else does, and a person accepts or drops them."""

import contextlib
import json
import logging
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.crashes import killed
from tests.tools.inner import difference, engine
from tests.tools.vaults import read, write
from zkmem.caller import Caller, Grant
from zkmem.edit.proposed import ProposedJournal
from zkmem.edit.proposed_folders import key_of
from zkmem.edit.proposed_log import LARGEST
from zkmem.errors import EditedSince, Forbidden, NothingProposed, TooMany, ZkError
from zkmem.index.index import Index
from zkmem.memory import Memory
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Edit

VAULT = {
    "tea.md": "# Tea\n\nSteep it at 80 °C.\n\nDrink it, see [[cup]].\n",
    "cup.md": "# Cup\n\nOf clay.\n",
    "talk.md": "About [[tea]] and [[cup]].\n",
    "work/plan.md": "Buy [[tea]].\n",
}
BOT = Caller(Grant(proposes_as="bot"), client="claude")


@pytest.fixture
def root(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "vault", VAULT)


@pytest.fixture
def me(root: str) -> Iterator[Memory]:
    with Memory(root).on_behalf(client="me") as memory:
        yield memory


@pytest.fixture
def bot(root: str) -> Iterator[Memory]:
    with Memory(root, BOT) as memory:
        yield memory


def test_what_is_proposed_is_told_in_the_words_of_a_brief(me: Memory, bot: Memory) -> None:
    old, new = (" ".join(f"{word}{number}" for number in range(40)) for word in ("old", "new"))
    me.write("long", old)
    me.write("both", "Stays.\n\nGoes to another note.\n")
    bot.write("long", new, etag=me.read("long").etag)
    bot.extract("both", "Goes to another note.", "part")
    bot.append("cup", "Blue.\n")
    (proposed,) = me.proposed()
    rows = [(one.name, one.outcome, one.words, one.added, one.removed) for one in proposed.notes]
    assert rows == [
        ("long", "overwritten", "overwritten: 40 words gone", 40, 40),
        ("both", "extracted", "extracted to part", 1, 0),
        ("cup", "changed", "appended", 1, 0),
    ]
    for one in proposed.notes:
        changes = me.proposed_changes("bot", first=one.first, limit=one.notes)
        assert [change.name for change in changes] == [one.name, *(["part"] if one.name == "both" else [])]


def notes_of(memory: Memory) -> dict[str, str]:
    """Return what a caller reads: the text of each note."""
    return {name: memory.read(name).text for name in memory.complete("")[0]}


def files(root: str) -> dict[str, bytes]:
    """Return all files of a vault but those in `.zkmem`."""
    return {path: data for path, data in read(root, hidden=True).items() if not path.startswith(".zkmem/")}


def faults(memory: Memory) -> list[str]:
    """Return the differences between the index of a caller and one that is made anew."""
    memory.wait_ready()
    fresh = Index(engine(memory).store)
    fresh.build()
    return difference(engine(memory).live.index, fresh)


def lines_read(call: Callable[[], object]) -> int:
    """Return how many lines of logs a call reads."""
    calls = 0

    def profile(frame: types.FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is Edit.of.__func__.__code__  # type: ignore[attr-defined]

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


class TestTheClient:
    def test_it_reads_its_own_edits_as_made_and_nobody_else_does(self, me: Memory, bot: Memory, root: str) -> None:
        before = files(root)
        bot.write("tea", "At 70", old="at 80")
        bot.write("new/mug", "Like a [[cup]].\n")
        bot.rename("cup", "bowl")
        bot.delete("work/plan")
        assert "At 70 °C" in bot.read("tea").text
        assert "[[bowl]]" in bot.read("tea").text
        assert bot.read("new/mug").text == "Like a [[bowl]].\n"
        assert [hit.name for hit in bot.search("mug")] == ["new/mug"]
        assert bot.read("tea", depth=1).text.count("Of clay") == 1
        assert sorted(bot.complete("")[0]) == ["bowl", "new/mug", "talk", "tea"]
        assert {hint.name for hint in bot.hints()} == {"bowl", "new/mug", "talk", "tea"}
        assert faults(bot) == []
        assert files(root) == before
        assert notes_of(me).keys() == {"tea", "cup", "talk", "work/plan"}
        assert me.search("mug") == []
        assert me.log() == []

    def test_it_finds_them_again_after_a_restart(self, root: str) -> None:
        with Memory(root, BOT) as bot:
            bot.write("tea", "Black.\n")
            bot.rename("cup", "bowl")
        with Memory(root, BOT) as bot:
            assert bot.read("tea").text == "Black.\n"
            assert sorted(bot.complete("")[0]) == ["bowl", "talk", "tea", "work/plan"]
            bot.undo(2)
            assert bot.read("tea").text == VAULT["tea.md"]

    def test_another_process_of_it_sees_them_at_once(self, bot: Memory, root: str) -> None:
        with Memory(root, BOT) as other:
            assert other.read("cup").text == VAULT["cup.md"]
            bot.write("cup", "Glass.\n")
            assert other.read("cup").text == "Glass.\n"
            other.write("cup", "Steel.\n")
            assert bot.read("cup").text == "Steel.\n"

    def test_it_sees_what_others_change_in_other_notes(self, bot: Memory, me: Memory) -> None:
        bot.write("tea", "Black.\n")
        me.write("cup", "Glass.\n")
        me.rename("talk", "speech")
        me.wait_ready()
        bot.wait_ready()
        assert bot.read("cup").text == "Glass.\n"
        assert "About" in bot.read("speech").text
        assert bot.read("tea").text == "Black.\n"

    def test_another_client_does_not_see_them(self, bot: Memory, root: str) -> None:
        bot.write("tea", "Black.\n")
        with Memory(root, Caller(Grant(proposes_as="other"))) as other:
            assert other.read("tea").text == VAULT["tea.md"]

    def test_it_cannot_accept_or_drop_or_look_at_what_is_proposed(self, bot: Memory) -> None:
        bot.write("tea", "Black.\n")
        for call in (
            lambda: bot.accept("bot"),
            lambda: bot.drop("bot"),
            bot.proposed,
            lambda: bot.proposed_changes("bot"),
        ):
            with pytest.raises(Forbidden, match="Your edits are proposed"):
                call()

    def test_a_grant_that_proposes_stays_one(self, me: Memory, root: str) -> None:
        bot = me.restricted(Grant("work", proposes_as="bot"))
        bot.on_behalf(client="x").write("work/plan", "Buy nothing.\n")
        assert files(root)["work/plan.md"] == VAULT["work/plan.md"].encode()
        assert bot.restricted(Grant()).read("work/plan").text == "Buy nothing.\n"
        with pytest.raises(ZkError, match="no note"):
            bot.read("tea")

    def test_too_many_edits_are_refused_and_the_others_stay(
        self, bot: Memory, me: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zkmem.edit.proposed._MOST_EDITS", 2)
        bot.write("one", "1")
        bot.write("two", "2")
        with pytest.raises(TooMany, match="'bot' has proposed 2 edits, and no more can wait"):
            bot.write("three", "3")
        assert me.accept("bot").accepted == [1, 2]
        bot.write("three", "3")
        assert me.proposed()[0].total == 1

    def test_edits_that_take_too_much_of_the_disk_are_refused_and_the_others_stay(
        self, bot: Memory, me: Memory, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zkmem.edit.proposed._MOST_MB", 1)
        bot.write("small", "x")
        sentence = (
            "take 0 MB, this one would take 1.2 MB more, and at most 1 MB can wait; nothing was changed. Ask a person"
        )
        for _ in range(3):
            with pytest.raises(TooMany, match=sentence):
                bot.write("large", "x" * 600_000)
        folder = pathlib.Path(root, ".zkmem/proposed")
        assert size_of(folder) < 50_000, "what is refused takes no space"
        made = []
        for number in range(20):  # each text is kept, also of a note that is replaced
            with contextlib.suppress(TooMany):
                made.append(bot.write("note", f"{number} " + "x" * 100_000))
        assert 5 <= len(made) <= 9
        assert 500_000 < size_of(folder) <= 1_000_000
        assert bot.read("note").text.startswith(f"{len(made) - 1} x")
        with pytest.raises(TooMany, match="zkmem proposed"):
            Memory(root).restricted(Grant(proposes_as="bot")).write("other", "x" * 200_000)
        assert len(me.accept("bot").accepted) > 5
        bot.write("note", "x" * 100_000)
        assert me.proposed()[0].total == 1

    def test_old_texts_count_towards_the_space_that_proposed_edits_take(
        self, bot: Memory, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zkmem.edit.proposed._MOST_MB", 1)
        pathlib.Path(root, "picture.png").write_bytes(bytes(900_000))
        bot.write("before", "x" * 200_000)
        with pytest.raises(TooMany, match="1 MB can wait"):
            bot.move_files("picture.png", "pictures/picture.png")
        assert size_of(pathlib.Path(root, ".zkmem/proposed")) < 500_000

    @given(st.lists(st.sampled_from(["write", "again", "drop", "accept"]), max_size=8))
    @settings(max_examples=15, deadline=None)
    def test_the_bound_that_is_kept_is_never_below_the_space_that_the_texts_take(self, works: list[str]) -> None:
        with tempfile.TemporaryDirectory() as root:
            for number, work in enumerate(["write", *works]):
                me = Memory(root, durable=False)
                bot = me.restricted(Grant(proposes_as="bot"))
                waiting = me.proposed_numbers("bot") if me.proposed() else []
                if work in {"write", "again"}:
                    bot.write("note 0" if work == "again" else f"note {number}", f"{number}" * 3_000)
                elif waiting:
                    (me.drop if work == "drop" else me.accept)("bot", [waiting[0]])
                folder = pathlib.Path(root, ".zkmem/proposed", key_of("bot"))
                if not (folder / ".zkmem/size").exists():
                    continue
                log, bound = map(int, (folder / ".zkmem/size").read_text().split())
                assert log == (folder / ".zkmem/versions/log").stat().st_size
                assert bound + log + 10_000 >= size_of(folder)


def size_of(folder: pathlib.Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


class TestAPerson:
    def test_sees_what_each_client_proposes(self, bot: Memory, me: Memory) -> None:
        assert me.proposed() == []
        bot.write("tea", "At 70", old="at 80")
        bot.rename("cup", "bowl")
        bot.write("mug", "[[bowl]]\n")
        [found] = me.proposed()
        assert (found.client, found.total, found.more) == ("bot", 3, 0)
        assert [(one.edit, one.client, one.needs) for one in found.edits] == [
            (1, "claude", []), (2, "claude", [1]), (3, "claude", []),
        ]  # fmt: skip
        assert {(one.name, one.outcome) for one in found.notes} == {
            ("tea", "changed"), ("bowl", "renamed"), ("mug", "created"), ("talk", "relinked"),
        }  # fmt: skip
        changes = {one.name: one for one in me.proposed_changes("bot")}
        assert ">at 80</del>" in changes["tea"].html
        assert [one.name for one in me.proposed_changes("bot", [3])] == ["mug"]

    def test_accepts_all_with_the_client_as_the_author(self, bot: Memory, me: Memory, root: str) -> None:
        bot.write("tea", "At 70", old="at 80")
        bot.rename("cup", "bowl")
        bot.delete("work/plan")
        seen = notes_of(bot)
        done = me.accept("bot")
        assert (done.accepted, done.left) == ([1, 2, 3], [])
        assert notes_of(me) == seen
        assert faults(me) == []
        assert [one.author for one in me.log()] == ["claude"] * 3
        assert files(root)[".trash/plan.md"] == VAULT["work/plan.md"].encode()
        assert me.proposed() == []
        assert not os.path.exists(f"{root}/.zkmem/proposed")
        me.undo(3)
        assert files(root) == {path: text.encode() for path, text in VAULT.items()}

    def test_accepts_one_edit_with_those_that_it_needs(self, bot: Memory, me: Memory) -> None:
        bot.write("cup", "Glass.\n")
        bot.write("mug", "Big.\n")
        bot.write("cup", "Glass, blue.\n")
        assert me.accept("bot", [3]).accepted == [1, 3]
        assert me.read("cup").text == "Glass, blue.\n"
        assert [one.edit for one in me.proposed()[0].edits] == [2]
        assert bot.read("mug").text == "Big.\n"
        assert bot.read("cup").text == "Glass, blue.\n"

    def test_drops_one_edit_with_those_that_need_it(self, bot: Memory, me: Memory, root: str) -> None:
        bot.write("cup", "Glass.\n")
        bot.write("mug", "Big.\n")
        bot.rename("cup", "bowl")
        assert me.drop("bot", [1]) == [1, 3]
        assert bot.read("cup").text == VAULT["cup.md"]
        assert bot.read("mug").text == "Big.\n"
        assert sorted(bot.complete("")[0]) == ["cup", "mug", "talk", "tea", "work/plan"]
        assert faults(bot) == []
        assert me.accept("bot").accepted == [2]
        assert files(root) == {path: text.encode() for path, text in VAULT.items()} | {"mug.md": b"Big.\n"}

    def test_drops_the_later_half_of_the_edits_of_a_note(self, bot: Memory, me: Memory) -> None:
        bot.write("cup", "Glass.\n")
        bot.write("cup", "Steel.\n")
        bot.rename("cup", "bowl")
        assert me.drop("bot", [2]) == [2, 3]
        assert bot.read("cup").text == "Glass.\n"
        bot.write("cup", "Glass, blue.\n")
        me.accept("bot")
        assert me.read("cup").text == "Glass, blue.\n"

    def test_what_others_wrote_meanwhile_is_merged(self, bot: Memory, me: Memory, root: str) -> None:
        bot.write("tea", "At 70", old="at 80")
        me.write("tea", "More.\n", append=True)
        with open(f"{root}/tea.md", "a", encoding="utf-8") as file:
            file.write("By hand.\n")
        me.accept("bot")
        assert me.read("tea").text == VAULT["tea.md"].replace("at 80", "At 70") + "\nMore.\nBy hand.\n"

    def test_a_note_that_was_renamed_meanwhile_is_found(self, bot: Memory, me: Memory) -> None:
        bot.write("tea", "At 70", old="at 80")
        me.rename("tea", "drinks/tea")
        me.accept("bot")
        assert "At 70" in me.read("drinks/tea").text
        assert "tea" not in files(me.vault)

    @pytest.mark.parametrize("how", ["by a tool", "by hand"])
    def test_a_proposed_deletion_follows_a_renaming(self, bot: Memory, me: Memory, root: str, how: str) -> None:
        bot.delete("cup")
        if how == "by hand":
            me.start()
            me.wait_ready()
            assert engine(me).recorder.ready.wait(30)
            os.rename(f"{root}/cup.md", f"{root}/bowl.md")
            me.wait_ready()
            assert [one.what for one in me.log()] == ["change cup -> bowl"]
        else:
            me.rename("cup", "bowl")
        before = files(root)
        assert me.blocked("bot").edits == []
        assert me.accept("bot").left == []
        gone = before.pop("bowl.md")
        assert files(root) == before | {".trash/cup.md": gone}
        me.undo()
        assert files(root) == before | {"bowl.md": gone}

    def test_a_proposed_deletion_of_a_note_that_was_renamed_and_changed_is_refused(
        self, bot: Memory, me: Memory
    ) -> None:
        bot.delete("cup")
        me.rename("cup", "bowl")
        me.write("bowl", "Mine.\n", append=True)
        before = files(me.vault)
        assert "has changed 'bowl' since" in me.accept("bot").left[0].reason
        assert files(me.vault) == before

    def test_links_that_were_written_meanwhile_follow_a_proposed_renaming(self, bot: Memory, me: Memory) -> None:
        bot.rename("cup", "bowl")
        me.write("new", "A [[cup]].\n")
        me.accept("bot")
        assert me.read("new").text == "A [[bowl]].\n"

    def test_the_same_lines_are_in_the_way_and_the_other_edits_are_accepted(self, bot: Memory, me: Memory) -> None:
        bot.write("tea", "At 70", old="at 80")
        bot.write("mug", "Big.\n")
        bot.write("tea", "More.\n", append=True)
        me.write("tea", "at 60", old="at 80")
        blocked = me.blocked("bot").edits
        done = me.accept("bot")
        assert done.accepted == [2]
        assert blocked[0] == done.left[0]
        assert blocked[1:] == [(3, "It needs proposed edit 1, which cannot be accepted.", False, "")]
        assert [(one.edit, one.gone) for one in done.left] == [(1, False), (3, False)]
        assert done.left[0].reason == (
            "The proposed edit of claude cannot be accepted in 'tea': edit 1 (me) has changed the same lines. Around "
            "line 3 it has 'Steep it at 60 °C.'; with the edit it would have 'Steep it At 70 °C.'."
        )
        assert done.left[1].reason == "It needs proposed edit 1, which was not made."
        assert [one.edit for one in me.proposed()[0].edits] == [1, 3]
        assert bot.read("tea").text == VAULT["tea.md"].replace("at 80", "At 70") + "\nMore.\n"

    @pytest.mark.parametrize("gone", ["by a tool", "by hand"])
    def test_a_note_that_is_gone_can_be_kept_as_a_new_one(self, bot: Memory, me: Memory, root: str, gone: str) -> None:
        bot.write("cup", "Glass.\n")
        if gone == "by hand":
            os.unlink(f"{root}/cup.md")
        else:
            me.delete("cup")
        before = files(root)
        blocked = me.blocked("bot").edits
        done = me.accept("bot")
        assert [(one.edit, one.gone) for one in done.left] == [(1, True)]
        assert blocked == done.left
        assert files(root) == before
        assert me.accept("bot", as_new=True).accepted == [1]
        assert me.read("cup").text == "Glass.\n"

    def test_a_renamed_note_is_not_gone(self, bot: Memory, me: Memory, root: str) -> None:
        bot.write("tea", "At 70", old="at 80")
        me.write("tea", "at 60", old="at 80")
        me.rename("tea", "green tea")
        before = files(root)
        for as_new in (False, True):
            assert [(one.edit, one.gone) for one in me.accept("bot", as_new=as_new).left] == [(1, False)]
        assert files(root) == before

    def test_a_name_that_is_taken_meanwhile_is_in_the_way(self, bot: Memory, me: Memory) -> None:
        bot.write("mug", "Big.\n")
        me.write("mug", "Small.\n")
        [left] = me.accept("bot").left
        assert "there is another file called 'mug' now" in left.reason
        assert me.read("mug").text == "Small.\n"

    def test_an_edit_of_a_new_note_or_after_a_renaming_is_checked_with_the_edits_that_it_needs(
        self, bot: Memory, me: Memory
    ) -> None:
        bot.write("mug", "Big.\n")
        bot.write("mug", "Blue.\n", append=True)
        bot.rename("cup", "bowl")
        bot.write("bowl", "Flat.\n", append=True)
        bot.delete("bowl")
        assert me.blocked("bot") == ([], 0)
        me.write("mug", "Small.\n")
        assert [one.edit for one in me.blocked("bot").edits] == [1, 2]

    @pytest.mark.parametrize("merge", [False, True])
    def test_a_note_that_was_brought_back_and_renamed_is_in_the_way_of_no_other_edit(
        self, bot: Memory, me: Memory, merge: bool
    ) -> None:
        bot.delete("cup")
        bot.undo()
        bot.rename("cup", "bowl")
        if merge:
            bot.rename("bowl", "tea", merge=True)
        bot.write("talk", "New.\n")
        bot.write("tea", "New.\n")
        assert me.blocked("bot") == ([], 0)
        assert me.accept("bot").left == []

    def test_a_text_with_a_link_to_a_note_that_was_deleted_later_is_replaced(self, bot: Memory, me: Memory) -> None:
        bot.rename("cup", "bowl")
        bot.write("new", "See [[bowl]].\n")
        bot.delete("bowl")
        bot.write("new", "New.\n")
        assert me.accept("bot", [2, 4]) == ([2, 4], [])
        assert me.read("new").text == "New.\n"

    def test_a_name_that_another_note_had_meanwhile_is_not_taken_for_it(self, bot: Memory, me: Memory) -> None:
        bot.rename("work/plan", "bowl")
        bot.undo()
        bot.rename("cup", "bowl")
        bot.delete("bowl")
        bot.write("tea", "New.\n")
        assert me.accept("bot").left == []

    def test_a_note_is_deleted_whose_link_leads_nowhere_by_now(self, bot: Memory, me: Memory) -> None:
        bot.write("new", "See [[work/plan]].\n")
        bot.delete("new")
        bot.rename("work/plan", "cup", merge=True)
        bot.rename("cup", "bots/bowl")
        bot.delete("bots/bowl")
        for number in (1, 5, 2):
            assert me.accept("bot", [number]).left == []

    def test_notes_of_one_name_are_deleted_by_edits_that_need_each_other(self, bot: Memory, me: Memory) -> None:
        for _ in range(2):
            bot.write("mug", "Big.\n")
            bot.delete("mug")
        bot.undo()
        bot.delete("mug")
        assert me.blocked("bot") == ([], 0)
        assert me.accept("bot").left == []

    def test_notes_of_one_name_are_deleted_by_one_edit(self, bot: Memory, me: Memory, root: str) -> None:
        for folder in ("a", "b"):
            me.write(f"work/{folder}/mug", f"Mug {folder}.\n")
        bot.delete_files("work")
        assert me.blocked("bot") == ([], 0)
        assert me.accept("bot").left == []
        kept = {data for path, data in files(root).items() if path.startswith(".trash/")}
        assert kept == {b"Mug a.\n", b"Mug b.\n", VAULT["work/plan.md"].encode()}

    @pytest.mark.parametrize("is_alone", [True, False])
    def test_the_deletion_of_a_note_that_is_deleted_is_accepted(
        self, bot: Memory, me: Memory, caplog: pytest.LogCaptureFixture, is_alone: bool
    ) -> None:
        if not is_alone:
            bot.rename("cup", "bowl")  # this changes a link in the note
        bot.delete("talk")
        me.delete("talk")
        edits = [1] if is_alone else [1, 2]
        assert me.blocked("bot") == ([], 0)
        assert me.accept("bot") == (edits, [])
        assert me.proposed() == []
        told = [one.getMessage() for one in caplog.records]
        assert told == [f"accepted edit {number} of claude: talk stays deleted" for number in edits]

    @pytest.mark.parametrize("is_alone", [True, False])
    def test_the_renaming_of_a_note_that_is_deleted_is_blocked_and_left(
        self, bot: Memory, me: Memory, is_alone: bool
    ) -> None:
        if not is_alone:
            bot.rename("cup", "bowl")
        bot.rename("talk", "speech")
        me.delete("talk")
        [blocked] = me.blocked("bot").edits
        [left] = me.accept("bot").left
        assert blocked == left
        assert left.reason.startswith(
            "The proposed edit of claude cannot be accepted: edit 1 (me) has deleted 'talk'; undo that first."
        )

    def test_only_the_first_edits_are_checked(self, bot: Memory, me: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("zkmem.memory.proposed._MOST_CHECKED", 2)
        for name in ("a", "b", "c"):
            bot.write(name, "New.\n")
            me.write(name, "Mine.\n")
        blocked = me.blocked("bot")
        assert ([one.edit for one in blocked.edits], blocked.unchecked) == ([1, 2], 1)

    def test_fewer_edits_of_long_notes_are_checked(
        self, bot: Memory, me: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zkmem.memory.proposed._MOST_BYTES", 25_000)
        for _ in range(5):
            bot.write("mug", "word " * 1_000, append=True)
        assert me.blocked("bot").unchecked == 4
        bot.write("jar", "Small.\n")
        assert me.blocked("bot").unchecked == 5

    def test_an_edit_is_accepted_once_even_if_it_is_asked_for_twice(self, bot: Memory, me: Memory) -> None:
        bot.write("cup", "More.\n", append=True)
        journal = engine(me).proposed_by("bot")
        me.accept("bot")
        assert me.log()[0].rev == "1"
        with pytest.raises(NothingProposed, match="'bot' has no proposed edits"):
            me.accept("bot")
        assert journal.left() == []
        assert me.read("cup").text == VAULT["cup.md"] + "\nMore.\n"

    def test_the_log_is_not_read_anew_for_each_edit(self, bot: Memory, me: Memory) -> None:
        few, many = 8, 32
        for number in range(few + many):
            bot.write(f"n{number}", "A note.\n")
        read_few = lines_read(lambda: me.accept("bot", range(1, few + 1)))
        read_many = lines_read(lambda: me.accept("bot"))
        assert me.proposed() == []
        assert read_many / many <= read_few / few

    def test_the_cost_of_proposing_an_edit_does_not_grow(self, bot: Memory) -> None:
        first, *others, last = (lines_read(lambda: bot.write("tea", "One more line.\n", append=True)) for _ in range(9))
        assert {*others, last} == {first}

    def test_edits_that_another_process_proposes_are_read_once(self, bot: Memory, root: str) -> None:
        with Memory(root, BOT) as other:
            for number in range(5):
                other.write(f"n{number}", "A note.\n")
        journal = engine(bot).journal
        assert isinstance(journal, ProposedJournal)
        assert lines_read(journal.pending.edits) == 5
        assert (lines_read(journal.pending.edits), journal.pending.count()) == (0, 5)
        bot.write("n5", "A note.\n")
        assert [edit.number for edit in journal.pending.edits()] == [1, 2, 3, 4, 5, 6]

    def test_a_line_that_is_written_in_parts_is_read_and_a_torn_one_is_skipped(self, bot: Memory) -> None:
        bot.write("n0", "A note.\n")
        journal = engine(bot).journal
        assert isinstance(journal, ProposedJournal)
        log = pathlib.Path(journal.state.path("versions", "log"))
        line = journal.pending.edits()[0]._replace(number=2).line()
        for part, count in ((line[:40], 1), (line[40:], 2), (b'{"number":3,"ti', 2)):
            with log.open("ab") as file:
                file.write(part)
            assert journal.pending.count() == count
        bot.write("n1", "A note.\n")
        assert [edit.paths() for edit in journal.pending.edits()] == [["n0.md"], ["n0.md"], ["n1.md"]]

    def test_what_others_write_between_two_accepted_edits_is_read(self, bot: Memory, me: Memory) -> None:
        bot.write("tea", "at 70", old="at 80")
        bot.write("cup", "Of glass", old="Of clay")
        journal = engine(me).proposed_by("bot")
        later, first = journal.later(), journal.key(journal.left()[0])
        assert me.accept("bot", [1]).left == []
        me.write("cup", "My own line.\n", append=True)
        later.follow()
        later.follow()  # this finds nothing new
        assert [one.client for one in later.others] == ["me"]
        assert later.accepted == {first}
        assert me.accept("bot").left == []
        assert me.read("cup").text == "# Cup\n\nOf glass.\n\nMy own line.\n"

    def test_unknown_clients_and_edits_are_named(self, bot: Memory, me: Memory) -> None:
        with pytest.raises(NothingProposed, match="'nobody' has no proposed edits"):
            me.accept("nobody")
        bot.write("cup", "Glass.\n")
        for call in (
            lambda: me.accept("bot", [1, 7]),
            lambda: me.drop("bot", [7]),
            lambda: me.proposed_changes("bot", [7]),
        ):
            with pytest.raises(NothingProposed, match="'bot' has no proposed edit 7"):
                call()
        assert me.proposed()[0].total == 1

    def test_a_caller_with_a_folder_sees_and_accepts_only_what_is_in_it(
        self, bot: Memory, me: Memory, root: str
    ) -> None:
        bot.write("tea", "Black.\n")
        bot.write("work/plan", "Buy nothing.\n")
        bot.rename("work/plan", "/plan")
        bot.write("work/new", "New.\n")
        worker = me.restricted(Grant("work"))
        [found] = worker.proposed()
        assert [one.edit for one in found.edits] == [2, 4]
        assert "tea" not in repr(found)
        with pytest.raises(NothingProposed):
            worker.accept("bot", [1])
        with pytest.raises(Forbidden, match="outside of your folder need these edits"):
            worker.drop("bot", [2])
        assert worker.accept("bot").accepted == [2, 4]
        assert files(root)["tea.md"] == VAULT["tea.md"].encode()
        assert [one.edit for one in me.proposed()[0].edits] == [1, 3]
        with pytest.raises(Forbidden, match="for reading only"):
            me.restricted(Grant(read_only=True)).accept("bot")

    @pytest.mark.parametrize("others", [{}, {"work/other": "Other.\n"}, {"secret": "Other.\n"}])
    def test_a_caller_with_a_folder_is_told_no_name_of_a_note_outside(
        self, bot: Memory, me: Memory, root: str, others: dict[str, str]
    ) -> None:
        for name, text in others.items():
            me.write(name, text)
        bot.rename("work/plan", "work/goal")
        worker = me.restricted(Grant("work"))
        worker.write("work/sheet", "New.\n")
        own = worker.rename("work/sheet", "work/page")
        assert own.name == "work/page"
        number = int(worker.log()[0].rev)
        me.rename("work/plan", "/secret", merge=True)
        me.rename("work/page", "/secret page")
        told = [repr(worker.blocked("bot")), repr(worker.accept("bot"))]
        for call in (lambda: worker.undo(edit=number), worker.undo, lambda: worker.preview_undo(edit=number)):
            with pytest.raises(EditedSince, match="has also changed notes outside of your folder") as error:
                call()
            told.append(str(error.value))
        assert not any("secret" in one for one in told)
        with pytest.raises(EditedSince, match="secret page"):
            me.undo(edit=number)

    def test_a_symbolic_link_in_the_place_of_the_folder_is_refused(self, root: str, tmp_path: pathlib.Path) -> None:
        (tmp_path / "outside").mkdir()
        os.mkdir(f"{root}/.zkmem")
        os.symlink(tmp_path / "outside", f"{root}/.zkmem/proposed")
        with pytest.raises(ZkError, match="symbolic link"):
            Memory(root, BOT).write("cup", "Glass.\n")
        assert os.listdir(tmp_path / "outside") == []


# --- always

Step = Callable[[Memory, random.Random], object]
STEPS: list[Step] = [
    lambda m, rng: m.write(_any(m, rng), f"\nBot line {rng.random()}.\n", append=True),
    lambda m, rng: m.write(_any(m, rng), f"# Bot {rng.random()}\n\nSee [[{_any(m, rng)}]].\n"),
    lambda m, rng: m.write(f"bot {rng.randrange(4)}", f"Bot, [[{_any(m, rng)}]] {rng.random()}.\n"),
    lambda m, rng: m.rename(_any(m, rng), f"bots/name {rng.randrange(6)}", merge=False),
    lambda m, rng: m.rename(_any(m, rng), _any(m, rng), merge=True),
    lambda m, rng: m.delete(_any(m, rng)),
    lambda m, rng: m.undo(),
]


def _any(memory: Memory, rng: random.Random) -> str:
    return rng.choice(sorted(memory.complete("")[0]) or ["none"])


def propose(root: str, seed: int, count: int) -> dict[str, str]:
    """Propose some edits; return what the client then reads."""
    rng = random.Random(seed)
    with Memory(root, BOT) as bot:
        for _ in range(count):
            try:
                rng.choice(STEPS)(bot, rng)
            except ZkError:
                continue
        assert faults(bot) == []
        return notes_of(bot)


def accept_in_parts(root: str, rng: random.Random) -> None:
    with Memory(root) as me:
        while waiting := me.proposed():
            numbers = [one.edit for one in waiting[0].edits]
            done = me.accept("bot", rng.sample(numbers, rng.randint(1, len(numbers))))
            assert done.left == []


def _shown(root: str, *, links: bool) -> dict[str, bytes]:
    """Return the notes without the folders in their links: those that a link needs depend on the order.

    Without `links`, leave out the names in the links, too.
    """
    left_out = rb"\[\[[^\[\]]*/" if links else rb"\[\[[^\[\]]*"
    return {path: re.sub(left_out, b"[[", data) for path, data in files(root).items() if not path.startswith(".trash/")}


def _is_a_name_used_twice(memory: Memory) -> bool:
    """Return whether two notes that a client proposes have one name, one after the other.

    A link to the second one leads to the first one if that is accepted alone.
    """
    changes = [change for edit in engine(memory).proposed_by("bot").left() for change in edit.changes]
    new = [change.to or change.path for change in changes if change.to or change.before is None]
    return len(new) > len({*new})


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 12))
def test_accepted_in_parts_in_any_order_equals_accepted_whole_and_dropped_leaves_no_byte(seed: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(f"{folder}/vault", VAULT)
        before = files(root)
        seen = propose(root, seed, count)
        assert files(root) == before
        parts = shutil.copytree(root, f"{folder}/parts")
        dropped = shutil.copytree(root, f"{folder}/dropped")
        links = True
        with Memory(root) as me:
            if me.proposed():
                links = not _is_a_name_used_twice(me)
                assert me.blocked("bot") == ([], 0)
                assert files(root) == before
                assert me.accept("bot").left == []
            assert notes_of(me) == seen
        accept_in_parts(parts, random.Random(seed))
        assert _shown(parts, links=links) == _shown(root, links=links)
        with Memory(dropped) as me:
            for found in me.proposed():
                me.drop(found.client)
        assert files(dropped) == before
        assert not os.path.exists(f"{dropped}/.zkmem/proposed")
        assert not [path for path, data in read(dropped, hidden=True).items() if b"Bot" in data]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 8))
def test_what_others_write_meanwhile_is_never_lost(seed: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(f"{folder}/vault", VAULT)
        propose(root, seed, count)
        rng = random.Random(seed)
        written = []
        with Memory(root).on_behalf(client="me") as me:
            for name in ["tea", "cup", "talk", "plan"]:
                if rng.random() < 0.6:
                    written.append(f"Mine {rng.random()}.")
                    me.write(name, f"\n{written[-1]}\n", append=True)
            for found in me.proposed():
                blocked = {one.edit for one in me.blocked(found.client).edits}
                left = {one.edit for one in me.accept(found.client).left}
                assert blocked <= left
                alone = {edit.edit for edit in found.edits if not edit.needs}
                assert blocked & alone == left & alone
            texts = "\n".join(data.decode() for path, data in files(root).items() if not path.startswith(".trash/"))
            assert [line for line in written if line not in texts] == []
            assert faults(me) == []


# --- many new notes at once

MEANWHILE: dict[str, Callable[[Memory], object]] = {
    "nothing": lambda me: None,
    "a note with one of the names": lambda me: me.write("n/3", "Mine.\n"),
    "a note to which one of them links": lambda me: me.write("saucer", "Flat.\n"),
    "a rename of such a note": lambda me: me.rename("cup", "bowl"),
    "a note that is gone": lambda me: me.delete("cup"),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_many_new_notes_accepted_at_once_equal_those_accepted_one_by_one(
    bot: Memory, root: str, tmp_path: pathlib.Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        bot.write(f"n/{number}", f"{number}: [[cup]], [[saucer]], [[{number + 1}]].\n")
    bot.write("n/5", "More.\n", append=True)
    bot.write("x/tea", "Another [[tea]].\n")
    with Memory(root) as me:
        MEANWHILE[what](me)
    other = str(shutil.copytree(root, tmp_path / "other"))
    with Memory(root) as me:
        at_once = me.accept("bot")
        log = [(one.author, one.tool, one.notes) for one in me.log(limit=20)]
    monkeypatch.setattr("zkmem.memory.proposed._FEWEST_TOGETHER", 100)
    with Memory(other) as me:
        assert me.accept("bot") == at_once
        assert sorted((one.author, one.tool, one.notes) for one in me.log(limit=20)) == sorted(log)
    assert files(other) == files(root)
    assert len(at_once.left) == (what == "a note with one of the names")


# --- killed

KILLED: dict[str, Callable[[Memory], object]] = {
    "propose": lambda me: me.restricted(BOT.grant).rename("cup", "bowl"),
    "accept": lambda me: me.accept("bot"),
    "accept one": lambda me: me.accept("bot", [1]),
    "accept new notes": lambda me: me.accept("bot", [2, 4, 5]),
    "drop": lambda me: me.drop("bot"),
    "drop one": lambda me: me.drop("bot", [3]),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("what", KILLED)
def test_killed_at_every_call_every_edit_waits_or_is_made_or_dropped(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture, what: str
) -> None:
    caplog.set_level(logging.ERROR)
    template = write(tmp_path / "template", VAULT)
    with Memory(template, BOT) as bot:
        bot.write("tea", "at 70", old="at 80")
        bot.write("mug", "Big, [[cup]].\n")
        bot.write("tea", "More.\n", append=True)
        if what == "accept new notes":
            bot.write("saucer", "Flat, [[mug]].\n")
            bot.write("spoon", "Small.\n")
    whole = shutil.copytree(template, tmp_path / "whole")
    KILLED[what](Memory(str(whole)))
    results = {state_of(template), state_of(str(whole))}
    found, fatal, alive = set(), 0, False
    while not alive:
        fatal += 2 if what == "accept" and fatal else 1  # of its many calls, every second one
        root = str(shutil.copytree(template, tmp_path / str(fatal)))
        alive = not killed(root, KILLED[what], fatal)
        found.add(state := state_of(root))
        if (
            what.startswith("accept") and what != "accept one"
        ):  # one after the other, so some may be made while the others wait
            with contextlib.suppress(NothingProposed):
                KILLED[what](Memory(root))
            assert state_of(root) == state_of(str(whole))
        else:
            assert state in results, fatal
        shutil.rmtree(root)
    assert results <= found


def state_of(root: str) -> tuple[str, ...]:
    """Return what a person and the client read, and what waits, after new processes have opened the vault."""
    with Memory(root) as me, Memory(root, BOT) as bot:
        me.load()
        waiting = [one.edit for found in me.proposed() for one in found.edits]
        assert faults(bot) == []
        left = repr(os.listdir(f"{root}/.zkmem/proposed") if os.path.exists(f"{root}/.zkmem/proposed") else [])
        return repr(sorted(notes_of(me).items())), repr(sorted(notes_of(bot).items())), repr(waiting), left


class TestASomebodyElsesVault:
    """A vault may be made up, and so may the proposed edits in it."""

    @staticmethod
    def planted(root: str, changes: list[object], **files: bytes) -> None:
        """Plant proposed edits of the client `bot`."""
        state = f"{root}/.zkmem/proposed/{key_of('bot')}/.zkmem"
        line = {"number": 1, "time": 1.0, "tool": "x", "client": "x", "changes": changes}
        about = json.dumps({"client": "bot"}).encode()
        write(state, {"about.json": about, "versions/log": json.dumps(line) + "\n", "format": "1\n", **files})

    @pytest.mark.parametrize(
        "path", ["../../../../victim.md", "../../../tea.md", "/victim.md", ".zkmem/config.toml", "a//b.md", "\ud800.md"]
    )
    def test_a_path_that_leads_out_of_it_is_no_edit(self, root: str, tmp_path: pathlib.Path, path: str) -> None:
        (tmp_path / "victim.md").write_text("precious")
        before, tag = files(root), etag(b"pwned")
        self.planted(root, [[path, None, tag]], unsettled=b"", **{f"versions/{tag}": b"pwned"})
        with Memory(root) as me:
            assert me.proposed() == []
            with pytest.raises(NothingProposed):
                me.accept("bot")
        assert (tmp_path / "victim.md").read_text() == "precious"
        assert files(root) == before

    def test_a_link_in_the_place_of_the_folder_removes_nothing(self, root: str, tmp_path: pathlib.Path) -> None:
        write(tmp_path / "home", {f"{key_of('bot')}.gone/precious": "x", "work.gone/precious": "x"})
        os.mkdir(f"{root}/.zkmem")
        os.symlink(tmp_path / "home", f"{root}/.zkmem/proposed")
        with Memory(root) as me, pytest.raises(ZkError, match="symbolic link"):
            me.proposed()
        assert read(tmp_path / "home").keys() == {f"{key_of('bot')}.gone/precious", "work.gone/precious"}

    def test_a_file_in_the_place_of_a_rest_is_removed(self, root: str) -> None:
        with Memory(root, BOT) as bot:
            bot.write("cup", "Glass.\n")
        write(f"{root}/.zkmem/proposed", {f"{key_of('bot')}.gone": "x", "other.gone/x": "x"})
        with Memory(root) as me:
            assert me.drop("bot") == [1]
            assert me.proposed() == []
        assert os.listdir(f"{root}/.zkmem/proposed") == ["other.gone"]

    def test_a_log_that_is_larger_than_zkmem_makes_it_is_not_read(self, root: str) -> None:
        self.planted(root, [["tea.md", None, "0" * 12]])
        with open(f"{root}/.zkmem/proposed/{key_of('bot')}/.zkmem/versions/log", "ab") as log:
            log.truncate(LARGEST + 1)
        with Memory(root) as me:
            assert me.proposed() == []


class TestWhatIsBehindAnEdit:
    def test_a_note_with_a_link_to_itself_or_a_relative_one_is_renamed(
        self, bot: Memory, me: Memory, root: str
    ) -> None:
        write(root, {"self.md": "See [[self]].\n", "a/rel.md": "See [cup](../cup.md).\n"})
        bot.wait_ready()
        bot.rename("self", "own")
        bot.rename("a/rel", "b/c/rel")
        bot.write("own", "More.\n", append=True)
        bot.undo(3)
        assert bot.read("self").text == "See [[self]].\n"
        bot.redo()
        seen = notes_of(bot)
        assert me.accept("bot").left == []
        assert notes_of(me) == seen

    def test_an_edit_is_made_to_the_note_that_the_client_read(self, bot: Memory, me: Memory) -> None:
        bot.write("cup", "Glass.\n")  # another edit waits
        me.write("inbox", "# Inbox\n\nOld.\n")
        me.rename("inbox", "archive/inbox")
        me.write("/inbox", "# Inbox\n\nNew.\n")
        bot.wait_ready()
        bot.write("/inbox", "# Inbox of today", old="# Inbox")
        assert me.accept("bot").left == []
        assert me.read("/inbox").text == "# Inbox of today\n\nNew.\n"
        assert me.read("archive/inbox").text == "# Inbox\n\nOld.\n"

    def test_what_the_client_has_seen_is_not_in_the_way(self, bot: Memory, me: Memory) -> None:
        bot.write("cup", "Glass.\n")
        me.delete("talk")
        me.write("talk", "Again.\n")
        me.rename("tea", "chai")
        bot.wait_ready()
        bot.write("talk", "More.\n", append=True)
        bot.write("tea", "A new tea.\n")
        bot.rename("tea", "green tea")
        assert me.accept("bot").left == []
        assert me.read("talk").text == "Again.\n\nMore.\n"
        assert me.read("green tea").text == "A new tea.\n"

    def test_an_undo_of_a_renaming_and_an_edit_takes_out_both(self, bot: Memory, me: Memory) -> None:
        bot.rename("tea", "chai")
        bot.write("cup", "Of glass", old="Of clay")
        bot.undo(2)
        me.write("cup", "My own line.\n", append=True)
        assert me.accept("bot").left == []
        assert me.read("cup").text == VAULT["cup.md"] + "\nMy own line.\n"

    def test_an_edit_of_a_note_whose_accepted_renaming_was_undone_is_made_to_it(self, bot: Memory, me: Memory) -> None:
        bot.rename("cup", "bowl")
        bot.write("bowl", "Of glass", old="Of clay")
        me.accept("bot", [1])
        me.undo()
        assert me.accept("bot").left == []
        assert me.read("cup").text == "# Cup\n\nOf glass.\n"

    def test_an_accepted_renaming_that_was_undone_and_redone_stays(self, bot: Memory, me: Memory) -> None:
        bot.rename("cup", "bowl")
        bot.write("bowl", "Of glass", old="Of clay")
        me.accept("bot", [1])
        me.undo()
        me.redo()
        assert me.accept("bot").left == []
        assert me.read("bowl").text == "# Cup\n\nOf glass.\n"

    def test_an_accepted_edit_that_was_undone_is_named_where_it_is_in_the_way(self, bot: Memory, me: Memory) -> None:
        bot.write("mug", "Big.\n")
        bot.write("cup", "Of glass", old="Of clay")
        bot.write("mug", "More.\n", append=True)
        bot.write("cup", "Of thin glass", old="Of glass")
        assert me.accept("bot", [1, 2]).left == []
        me.undo(2)
        reasons = [one.reason for one in me.accept("bot").left]
        assert len(reasons) == 2
        assert "undo 3 (" in reasons[0]
        assert "has deleted 'mug'; undo that first" in reasons[0]
        assert "undo 3 (" in reasons[1]
        assert "has changed the same lines" in reasons[1]

    def test_only_what_was_seen_is_accepted_or_dropped(self, bot: Memory, me: Memory) -> None:
        bot.write("cup", "Glass.\n")
        seen = me.proposed()[0].ended
        bot.delete("tea")
        assert me.accept("bot", seen=seen).accepted == [1]
        assert me.read("tea").text == VAULT["tea.md"]
        me.drop("bot")
        bot.write("talk", "Other.\n")  # it has the number 1 again
        for call in (me.accept, me.drop):
            with pytest.raises(NothingProposed):
                call("bot", [1], seen=seen)

    @pytest.mark.parametrize("how", ["accept", "drop"])
    def test_a_number_is_used_once(self, bot: Memory, me: Memory, root: str, how: str) -> None:
        def decide(numbers: list[int]) -> None:
            assert (me.accept("bot", numbers).accepted if how == "accept" else me.drop("bot", numbers)) == numbers

        def numbers_of_all() -> list[int]:
            return [edit.edit for found in me.proposed() for edit in found.edits]

        for name in ["n1", "n2", "n3"]:
            bot.write(name, "Bot.\n")
        decide([3])
        bot.write("n4", "Bot.\n")
        assert numbers_of_all() == [1, 2, 4]
        decide([1, 2, 4])
        with Memory(root).restricted(BOT.grant) as again:
            again.write("n5", "Bot.\n")
        with Memory(root).restricted(Grant(proposes_as="other")) as other:
            other.write("n6", "Bot.\n")
        assert numbers_of_all() == [5, 5]
        decide([5])
        with Memory(root).restricted(BOT.grant) as again:
            again.write("n7", "Bot.\n")
        assert numbers_of_all() == [6, 5]

    @pytest.mark.parametrize("data", [b"many", b"", b"-7", b"9" * 5_000])
    def test_a_damaged_file_with_the_last_number_is_not_in_the_way(
        self, bot: Memory, me: Memory, root: str, data: bytes
    ) -> None:
        bot.write("n1", "Bot.\n")
        pathlib.Path(root, ".zkmem/proposed-number").write_bytes(data)
        bot.write("n2", "Bot.\n")
        assert me.accept("bot").accepted == [1, 2]
        assert pathlib.Path(root, ".zkmem/proposed-number").read_bytes() == b"2"

    def test_an_edit_that_cannot_be_written_leaves_the_others(self, bot: Memory, me: Memory, root: str) -> None:
        bot.write("new/a", "A.\n")
        bot.write("cup", "Glass.\n")
        write(root, {"new": "a file"})
        done = me.accept("bot")
        assert done.accepted == [2]
        assert "cannot be written" in done.left[0].reason
        bot.wait_ready()
        with pytest.raises(ZkError, match="cannot be written"):
            bot.write("new/b", "B.\n")

    def test_files_that_are_no_notes_are_named(self, bot: Memory, me: Memory, root: str) -> None:
        write(root, {"map.canvas": '{"nodes":[{"id":"1","type":"file","file":"cup.md"}],"edges":[]}'})
        bot.wait_ready()
        bot.rename("cup", "bowl")
        assert me.proposed()[0].files == ["map.canvas"]

    def test_clients_that_list_meanwhile_disturb_nothing(self, bot: Memory, root: str) -> None:
        wrong: list[BaseException] = []

        def list_them() -> None:
            with Memory(root) as other:
                while not done.is_set():
                    try:
                        other.proposed()
                    except BaseException as error:  # noqa: BLE001 - the test shows it
                        wrong.append(error)

        done = threading.Event()
        threads = [threading.Thread(target=list_them) for _ in range(2)]
        for thread in threads:
            thread.start()
        with Memory(root) as me:
            for number in range(15):
                bot.write("cup", f"Glass {number}.\n", etag=bot.read("cup").etag)  # it may have been dropped
                me.accept("bot") if number % 2 else me.drop("bot")
        done.set()
        for thread in threads:
            thread.join()
        assert wrong == []
