"""The past: undo and redo, older texts, and the git repository of a vault."""

import contextlib
import errno
import os
import pathlib
import random
import re

import pytest

from tests.tools.vaults import git, read, write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, BadName, EditedSince, NothingToUndo, NoVersion, Unwritable
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.vault.files import etag
from zkmem.vault.journal.step import StepOnDisk
from zkmem.vault.journal.versions import Bounds

HISTORY = {tool.name: tool for tool in TOOLSETS["history"].tools}


def memory(root: pathlib.Path, *, git: bool = False) -> Memory:
    return Memory(str(root), git=git).on_behalf(client="tester 1")


class TestUndo:
    def test_an_edit_over_many_notes_is_taken_back_and_made_again(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("a", "A [[b]]")
        m.write("b", "B [[b]]")
        before = read(tmp_path)
        m.rename("b", "deep/c")
        after = read(tmp_path)
        assert m.undo().notes == ["deep/c", "b", "a"]
        assert read(tmp_path) == before
        assert m.hints()[0].name in {"a", "b"}
        m.redo()
        assert read(tmp_path) == after
        m.undo()
        assert read(tmp_path) == before

    def test_any_sequence_of_edits_is_taken_back_edit_by_edit_and_at_once(self, tmp_path: pathlib.Path) -> None:
        for seed in range(6):
            rng = random.Random(seed)
            root = tmp_path / str(seed)
            root.mkdir()
            m = memory(root)
            states = [read(root, hidden=True)]
            names = ["a", "b", "c/d", "e"]
            for number in range(12):
                known = [name for name in names if (root / f"{name}.md").exists()]
                name, other = rng.choice(names), rng.choice(names)
                action = rng.choice(["write", "write", "append", "rename", "delete", "extract"])
                if action == "write" or name not in known:
                    m.write(name, f"text {number} of [[{other}]]\npassage {number}\nend {name}\n")
                elif action == "append":
                    m.write(name, f"more {number} [[{other}]]\n", append=True)
                elif action == "rename" and name != other:
                    m.rename(name, other, merge=True)
                elif action == "delete":
                    m.delete(name)
                elif name != other and (root / f"{name}.md").read_text().count(f"end {name}\n") == 1:
                    m.extract(name, f"end {name}\n", other)
                if read(root, hidden=True) != states[-1]:
                    states.append(read(root, hidden=True))
            for state in reversed(states[:-1]):
                m.undo()
                assert read(root, hidden=True) == state
            m.redo(len(states) - 1)
            assert read(root, hidden=True) == states[-1]
            Memory(str(root)).undo(1)
            assert read(root, hidden=True) == states[0]
            with pytest.raises(NothingToUndo, match="There is nothing to undo"):
                m.undo()

    def test_what_a_person_changed_since_is_not_overwritten(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("a", "[[b]]")
        m.write("b", "B")
        (tmp_path / "b.md").write_text("B by hand")
        m.write("a", "[[b]] again")
        (tmp_path / "a.md").write_text("[[b]] by hand")
        state = read(tmp_path)
        for count, number in ((1, 3), (2, 3), (3, 1)):
            with pytest.raises(EditedSince, match=f"Edit {number} .*a change by hand has changed"):
                m.undo(count)
        assert read(tmp_path) == state
        with pytest.raises(NothingToUndo, match="There is nothing to redo"):
            m.redo()

    def test_a_file_that_took_the_place_of_a_deleted_note_is_not_overwritten(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("a", "old")
        m.delete("a")
        (tmp_path / "a.md").write_text("new by hand")
        with pytest.raises(EditedSince):
            m.undo()
        assert read(tmp_path) == {"a.md": b"new by hand"}

    def test_a_deleted_note_comes_back_from_an_emptied_trash(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("a", "old")
        m.delete("a")
        os.unlink(tmp_path / ".trash/a.md")
        m.undo()
        assert read(tmp_path, hidden=True) == {"a.md": b"old"}
        m.undo()
        m.restore("a", "1")
        assert read(tmp_path) == {"a.md": b"old"}

    def test_a_file_stays_the_same_file(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        write(tmp_path, {"a.md": "private [[a]]", "b.md": "[[a]]"})
        os.chmod(tmp_path / "a.md", 0o600)
        m.rename("a", "c")
        m.undo()
        m.delete("a")
        m.undo()
        assert os.stat(tmp_path / "a.md").st_mode & 0o777 == 0o600
        kept = [path for path in (tmp_path / ".zkmem/versions").iterdir() if path.read_bytes().startswith(b"private")]
        assert kept
        assert all(os.stat(path).st_mode & 0o077 == 0 for path in kept)

    def test_edits_that_cancel_each_other_out_are_undone_once(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        for text in ("0", "1", "2", "1"):
            m.write("a", text)
        m.undo(2)
        assert read(tmp_path) == {"a.md": b"1"}
        m.undo()
        assert read(tmp_path) == {"a.md": b"0"}

    def test_a_new_edit_ends_what_can_be_redone(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("a", "1")
        m.undo()
        m.write("b", "2")
        with pytest.raises(NothingToUndo):
            m.redo()

    def test_the_edits_of_all_clients_count(self, tmp_path: pathlib.Path) -> None:
        one, other = memory(tmp_path), memory(tmp_path)
        one.write("a", "1")
        other.write("a", "2")
        one.undo()
        assert read(tmp_path) == {"a.md": b"1"}


class TestPast:
    @pytest.fixture
    def m(self, tmp_path: pathlib.Path) -> Memory:
        m = memory(tmp_path)
        for text in ("one\n", "two\n"):
            m.write("a", text)
        m.rename("a", "b")
        m.write("b", "three\n")
        m.write("other", "x\n")
        return m

    def test_a_note_is_followed_through_its_names(self, m: Memory) -> None:
        assert [one.rev for one in m.log("b")] == ["4", "3", "2", "1"]
        assert [one.rev for one in m.log(limit=2)] == ["5", "4"]
        assert [m.show("b", rev) for rev in "1234"] == ["one\n", "two\n", "two\n", "three\n"]

    def test_an_etag_is_a_revision_too(self, m: Memory) -> None:
        first = m.write("e", "first\n").etag
        m.write("e", "second\n")
        assert m.show("e", first) == "first\n"

    def test_an_empty_text_is_a_text(self, m: Memory, tmp_path: pathlib.Path) -> None:
        tag = m.write("e", "").etag
        m.write("e", "x\n")
        assert m.show("e", tag) == ""
        assert m.show("e", "6") == ""
        Memory(str(tmp_path)).write("e", "y\n", etag=m.read("e").etag)

    def test_the_difference(self, m: Memory) -> None:
        assert "-two\n+three\n" in m.diff("b")
        assert "-one\n+three\n" in m.diff("b", "1")
        assert "-one\n+two\n" in m.diff("b", "1", "2")
        with pytest.raises(NoVersion, match="no revision '99999999'"):
            m.diff("b", "99999999")

    def test_restore(self, m: Memory, tmp_path: pathlib.Path) -> None:
        assert m.restore("b", "1").outcome == "restored"
        assert read(tmp_path)["b.md"] == b"one\n"
        assert m.restore("b", "1").outcome == "unchanged"
        m.delete("b")
        m.restore("b", "4")
        assert read(tmp_path)["b.md"] == b"three\n"

    def test_the_text_that_an_edit_left_can_be_had_back_after_a_person_changed_it(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        (tmp_path / "b.md").write_text("by hand\n")
        assert m.show("b", "4") == "three\n"
        assert "-two\n+by hand\n" in m.diff("b")
        m.write("n", "new\n")
        assert "+new\n" in m.diff("n")
        write(tmp_path, {"hand.md": "hand\n"})
        m.rename("hand", "moved")
        (tmp_path / "moved.md").write_text("changed\n")
        assert m.show("moved", "7") == "hand\n"
        with pytest.raises(NoVersion, match="No edit that changed 'moved'"):
            m.diff("moved")
        with pytest.raises(BadName, match="hidden"):
            m.restore(".trash/x", "1")

    def test_what_is_not_known(self, m: Memory) -> None:
        for rev in ("0", "6", "99", "nonsense", "aaaaaaaaaaaa"):
            with pytest.raises(NoVersion):
                m.show("other", rev)
        with pytest.raises(NoVersion, match="has no revision '3'"):
            m.show("never", "3")
        assert m.log("never") == []

    def test_a_note_that_was_not_there_yet_is_told_with_the_name_that_was_asked_for(
        self, tmp_path: pathlib.Path
    ) -> None:
        m = memory(tmp_path)
        m.write("other", "x")
        m.write("j", "x")
        with pytest.raises(NoVersion, match=r"^'j' did not exist after edit 1\.$"):
            m.restore("j", "1")
        m.rename("j", "k")
        for ask in (m.restore, m.show, m.diff):
            with pytest.raises(NoVersion, match=r"^'k', called 'j' before, did not exist after edit 1\.$"):
                ask("k", "1")

    def test_a_deleted_note_whose_name_another_one_has_got_is_named_in_the_error(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("tea", "one\n")
        m.write("cup", "Glass.\n")
        m.delete("tea")
        m.write("old/tea", "Black.\n")
        for rev in ("1", "3"):
            for ask in (m.restore, m.show):
                with pytest.raises(NoVersion, match=rf"edit {rev}\. For the other note of that name, give '/tea'\.$"):
                    ask("tea", rev)
        within = m.restricted(Grant(folder="old"))
        with pytest.raises(NoVersion, match=r"did not exist after edit 1\.$"):
            within.show("tea", "1")
        m.restore("/tea", "1")
        assert read(tmp_path)["tea.md"] == b"one\n"

    def test_the_revision_that_deleted_a_note_has_the_text_that_was_deleted(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path)
        m.write("tea", "one\n")
        m.write("tea", "two\n")
        m.delete("tea")
        m.write("other", "x")
        assert m.show("tea", "3") == "two\n"
        assert [line for line in m.diff("tea", "2", "3").splitlines() if line[0] == "-"][1:] == ["-two"]
        assert m.diff("tea", "3") == ""
        with pytest.raises(NoVersion, match=r"^'tea' did not exist after edit 4\.$"):
            m.show("tea", "4")
        m.restore("tea", "3")
        assert m.read("tea").text == "two\n"

    def test_the_bounds_of_what_is_kept(self, tmp_path: pathlib.Path) -> None:
        m = Memory(str(tmp_path), versions=Bounds(days=30, megabytes=0))
        for text in ("one", "two", "three"):
            m.write("a", text)
        os.utime(tmp_path / ".zkmem/versions/tidied", (0, 0))
        m.write("b", "x")
        with pytest.raises(NoVersion, match="not kept any more"):
            m.show("a", "1")
        with pytest.raises(NoVersion, match="cannot be given back"):
            memory(tmp_path).undo(3)
        assert read(tmp_path) == {"a.md": b"three", "b.md": b"x"}

    @pytest.mark.parametrize("bounds", [Bounds(days=0), Bounds(megabytes=0), Bounds(days=0, megabytes=0)])
    def test_the_last_change_of_each_note_can_be_undone_whatever_the_bounds_are(
        self, tmp_path: pathlib.Path, bounds: Bounds
    ) -> None:
        m = Memory(str(tmp_path), versions=bounds)
        for number in range(3):
            m.write("a", f"one {number}\n\nfirst\n")
            m.write("b", f"two {number}\n")
            m.write("c", f"three {number}\n")
        m.write("a", "one 2\n\nFIRST\n")
        m.rename("b", "d")
        m.delete("c")
        m.write("e", "mine")
        m.delete("e")
        (tmp_path / "a.md").write_text("one 2\n\nFIRST\n\nby hand\n")
        for _ in range(2):
            os.utime(tmp_path / ".zkmem/versions/tidied", (0, 0))
            m.write("other", f"{_}\n")
        for edit in (14, 13, 12, 11, 10):
            m.undo(edit=edit)
        assert read(tmp_path) == {
            "a.md": b"one 2\n\nfirst\n\nby hand\n", "b.md": b"two 2\n", "c.md": b"three 2\n", "other.md": b"1\n",
        }  # fmt: skip
        m.undo(edit=8)
        assert read(tmp_path)["b.md"] == b"two 1\n"
        with pytest.raises(NoVersion):
            m.undo(edit=5)

    def test_the_texts_of_the_last_changes_take_no_more_than_their_room(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zkmem.vault.journal.versions._ROOM_OF_LAST", 100)
        m = Memory(str(tmp_path), versions=Bounds(days=0))
        for number in range(20):
            m.write(f"n{number}", f"before {number}\n")
            m.write(f"n{number}", f"after {number}\n")
        os.utime(tmp_path / ".zkmem/versions/tidied", (0, 0))
        m.write("other", "x\n")
        sizes = [path.stat().st_size for path in (tmp_path / ".zkmem/versions").glob("*.z")]
        assert 0 < sum(sizes) <= 100

    def test_the_tools(self, m: Memory, tmp_path: pathlib.Path) -> None:
        def call(tool: str, **arguments: object) -> str:
            return HISTORY[tool].call(m, arguments).texts[0]

        assert call("log", name="b", count=1).endswith("(tester)")
        assert call("show", name="b", rev="1") == "one\n"
        assert "+three" in call("diff", name="b")
        assert call("restore", name="b", rev="1").startswith("restored b; etag ")
        assert call("undo") == "undid 6: changed b; notes: b"
        assert call("redo") == "redid 6: changed b; notes: b"
        assert call("undo", count=2) == "undid 8: undid the undo 7: changed b; undid 5: created other; notes: other, b"
        with pytest.raises(BadArgument, match="1 to 100"):
            call("undo", count=0)


class TestGit:
    @pytest.fixture
    def repository(self, tmp_path: pathlib.Path) -> pathlib.Path:
        write(
            tmp_path,
            {"a.md": "one\nsee [[b]]\nthree\nfour\n", "b.md": "B\n", "c.md": "C\n", ".gitignore": ".trash/\n.zkmem/\n"},
        )
        git(tmp_path, "init", "-q", "-b", "main")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "all")
        return tmp_path

    def test_each_edit_is_one_commit_of_its_files(self, repository: pathlib.Path) -> None:
        m = memory(repository, git=True)
        m.write("new", "N\n")
        m.rename("b", "d")
        m.delete("c")
        m.undo()
        told = git(repository, "log", "--format=%an: %s", "--name-status", "-4").split()
        shown = (
            "undo of 3: c A c.md {0} edit c -> .trash/c D c.md "
            "{0} edit b -> d, a M a.md R100 b.md d.md {0} edit new A new.md"
        )
        assert told == f"tester 1: {shown.format('tester 1:')}".split()
        assert git(repository, "status", "--porcelain") == ""
        assert "Zkmem-Client: tester 1" in git(repository, "log", "-1", "--format=%b")

    def test_what_a_person_staged_or_changed_stays_theirs(self, repository: pathlib.Path) -> None:
        (repository / "a.md").write_text("ONE\nsee [[b]]\nthree\nfour\n")
        (repository / "staged.md").write_text("s\n")
        git(repository, "add", "-A")
        (repository / "a.md").write_text("ONE\nsee [[b]]\nthree\nFOUR\n")
        (repository / "c.md").write_text("changed\n")
        memory(repository, git=True).rename("b", "d")
        assert git(repository, "show", "HEAD:a.md") == "one\nsee [[d]]\nthree\nfour\n"
        assert git(repository, "show", ":a.md") == "ONE\nsee [[d]]\nthree\nfour\n"
        assert (repository / "a.md").read_text() == "ONE\nsee [[d]]\nthree\nFOUR\n"
        assert git(repository, "status", "--porcelain").splitlines() == ["MM a.md", " M c.md", "A  staged.md"]

    def test_a_moved_note_keeps_what_is_staged_and_changed_in_it(self, repository: pathlib.Path) -> None:
        (repository / "a.md").write_text("ONE\nsee [[b]]\nthree\nfour\n")
        git(repository, "add", "-A")
        (repository / "a.md").write_text("ONE\nsee [[b]]\nthree\nFOUR\n")
        memory(repository, git=True).rename("a", "moved")
        assert git(repository, "show", "HEAD:moved.md") == "one\nsee [[b]]\nthree\nfour\n"
        assert git(repository, "show", ":moved.md") == "ONE\nsee [[b]]\nthree\nfour\n"
        assert git(repository, "status", "--porcelain").splitlines() == ["MM moved.md"]

    def test_a_file_that_is_only_meant_to_be_added_or_was_taken_out_of_the_index(
        self, repository: pathlib.Path
    ) -> None:
        write(repository, {"u.md": "one\ntwo\n"})
        git(repository, "add", "-N", "u.md")
        git(repository, "rm", "-q", "--cached", "c.md")
        m = memory(repository, git=True)
        m.write("u", "three\n", append=True)
        m.write("c", "more\n", append=True)
        assert git(repository, "show", "HEAD:u.md") == "one\ntwo\n\nthree\n"
        assert git(repository, "show", ":u.md") == "one\ntwo\n\nthree\n"
        assert git(repository, "status", "--porcelain").splitlines() == ["D  c.md", "?? c.md"]

    def test_edits_without_a_commit_are_in_the_log_too(self, repository: pathlib.Path) -> None:
        m = memory(repository, git=True)
        m.write("new", "1\n")
        (repository / ".git/index.lock").touch()
        m.write("new", "2\n", append=True)
        assert [one.what for one in m.log("new")] == ["edit new", "edit new"]
        assert next(one.rev for one in m.log("new")) == "2"
        (repository / ".git/index.lock").unlink()
        os.rename(repository / ".git", repository / ".gone")
        assert [one.rev for one in memory(repository, git=True).log()] == ["2", "1"]

    def test_where_a_change_meets_what_is_not_committed_the_note_is_left_to_its_user(
        self, repository: pathlib.Path
    ) -> None:
        (repository / "a.md").write_text("one\nsee [[b]] and mine\nthree\nfour\n")
        git(repository, "add", "a.md")
        m = memory(repository, git=True)
        done = m.rename("b", "d")
        assert done.remarks == [
            "not committed to git: changes of yours that are not committed are in the same lines of 'a.md'"
        ]
        assert git(repository, "show", "HEAD:a.md") == "one\nsee [[b]]\nthree\nfour\n"
        assert git(repository, "show", ":a.md") == "one\nsee [[b]] and mine\nthree\nfour\n"
        assert git(repository, "show", "HEAD:d.md") == "B\n"

    def test_a_moved_note_whose_new_text_is_left_to_its_user_is_moved_all_the_same(
        self, repository: pathlib.Path
    ) -> None:
        write(repository, {"self.md": "one\n[[self]]\n"})
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "self")
        (repository / "self.md").write_text("one\n[[self]] and mine\n")
        done = memory(repository, git=True).rename("self", "me")
        assert "same lines of 'me.md'" in done.remarks[0]
        assert (repository / "me.md").read_text() == "one\n[[me]] and mine\n"
        assert git(repository, "show", "HEAD:me.md") == "one\n[[self]]\n"
        assert git(repository, "show", ":me.md") == "one\n[[self]]\n"
        assert git(repository, "status", "--porcelain") == " M me.md\n"

    def test_a_submodule_and_a_repository_inside_are_left_alone(self, repository: pathlib.Path) -> None:
        write(repository, {"inner/x.md": "x\n"})
        git(repository / "inner", "init", "-q")
        before = git(repository, "status", "--porcelain")
        assert memory(repository, git=True).write("inner/x", "y\n", append=True).remarks == []
        assert git(repository, "log", "--format=%s") == "all\n"
        assert git(repository, "status", "--porcelain") == before

    def test_odd_names_and_clients(self, repository: pathlib.Path) -> None:
        write(repository, {'"q" x.md': "1\n", "*.md": "2\n", "-d.md": "3\n"})
        for name, client in (('"q" x', "<>"), ("*", "a\0b"), ("-d", "..")):
            m = Memory(str(repository), git=True).on_behalf(client=client)
            assert m.write(name, "more\n", append=True).remarks == []
        assert git(repository, "status", "--porcelain") == ""
        assert git(repository, "show", 'HEAD:"q" x.md') == "1\n\nmore\n"
        assert next(one.what for one in m.log("*")) == "edit *"

    def test_sha256(self, tmp_path: pathlib.Path) -> None:
        git(tmp_path, "init", "-q", "--object-format=sha256")
        m = memory(tmp_path, git=True)
        assert m.write("a", "1\n").remarks == []
        assert m.rename("a", "b").remarks == []
        assert m.delete("b").remarks == []
        assert len(git(tmp_path, "log", "--format=%s").splitlines()) == 3

    def test_a_client_cannot_write_into_the_message(self, repository: pathlib.Path) -> None:
        m = Memory(str(repository), git=True).on_behalf(client="evil\n\nZkmem-Tool: other <a@b>")
        m.write("new", "x")
        trailers = git(repository, "log", "-1", "--format=%(trailers:key=Zkmem-Tool,valueonly)").split()
        assert "other" not in trailers

    @pytest.mark.parametrize(
        ("trouble", "told"),
        [
            (lambda root: (root / ".git/index.lock").touch(), "wait for the other git process"),
            (lambda root: (root / ".git/MERGE_HEAD").write_text("x"), "under way"),
            (lambda root: (root / ".git/HEAD").unlink(), "not a git repository"),
        ],
    )
    def test_a_commit_that_cannot_be_made_is_told_and_the_edit_stands(
        self, repository: pathlib.Path, trouble: object, told: str
    ) -> None:
        head = git(repository, "rev-parse", "HEAD")
        saved = (repository / ".git/HEAD").read_bytes()
        trouble(repository)  # type: ignore[operator]
        m = memory(repository, git=True)
        done = m.write("new", "N\n")
        m.close()
        assert any(told in remark for remark in done.remarks)
        assert (repository / "new.md").read_text() == "N\n"
        for left in ("index.lock", "MERGE_HEAD"):
            (repository / ".git" / left).unlink(missing_ok=True)
        (repository / ".git/HEAD").write_bytes(saved)
        assert git(repository, "rev-parse", "HEAD") == head
        m = memory(repository, git=True)
        assert m.write("new", "more\n", append=True).remarks == []
        m.close()
        assert git(repository, "log", "--format=%s", "-2").splitlines() == ["edit new", "edit new"]
        assert git(repository, "show", "HEAD~1:new.md") == "N\n"
        assert git(repository, "status", "--porcelain") == ""

    def test_the_commit_that_deleted_a_note_has_the_text_that_was_deleted(self, repository: pathlib.Path) -> None:
        (repository / "tea.md").write_text("two\n")
        git(repository, "add", ".")
        git(repository, "commit", "-qm", "tea")
        git(repository, "rm", "-q", "tea.md")
        git(repository, "commit", "-qm", "no tea")
        m = memory(repository, git=True)
        assert m.show("tea", "HEAD") == "two\n"
        assert "\n-two\n" in m.diff("tea", "HEAD~1", "HEAD")
        m.restore("tea", "HEAD")
        m.close()
        assert (repository / "tea.md").read_text() == "two\n"

    def test_a_vault_below_the_top_of_a_repository(self, tmp_path: pathlib.Path) -> None:
        write(tmp_path, {"code.py": "x", "notes/a.md": "[[b]]\n", "notes/b.md": "B\n"})
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "all")
        (tmp_path / "code.py").write_text("y")
        m = memory(tmp_path / "notes", git=True)
        m.rename("b", "日记/ü")
        assert git(tmp_path, "-c", "core.quotePath=false", "log", "-1", "--format=", "--name-only").split() == [
            "notes/a.md", "notes/日记/ü.md"
        ]  # fmt: skip
        assert [one.what for one in m.log("日记/ü")] == ["edit b -> 日记/ü, a", "all"]
        assert [one.words for one in m.log("日记/ü")] == ["Renamed b to 日记/ü", "all"]
        assert m.show("日记/ü", "HEAD~1") == "B\n"
        assert m.show("a", "HEAD~1") == "[[b]]\n"
        assert "-[[b]]\n" in m.diff("a", "HEAD~1")

    def test_no_repository(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, git=True)
        told = f"the vault is in no git repository (`zkmem init --git {m.vault}` makes one)"
        assert m.write("a", "A").remarks[0] == f"not committed to git: {told}"
        with pytest.raises(NoVersion, match=re.escape(told)):
            m.show("a", "HEAD")

    def test_ignored_files_stay_out(self, repository: pathlib.Path) -> None:
        write(repository, {".gitignore": "private/\n.trash/\n.zkmem/\n"})
        git(repository, "commit", "-qam", "ignore")
        m = memory(repository, git=True)
        m.write("private/x", "secret")
        assert git(repository, "log", "-1", "--format=%s") == "ignore\n"
        assert git(repository, "ls-files", "private") == ""

    def test_filters_count(self, repository: pathlib.Path) -> None:
        git(repository, "config", "core.autocrlf", "true")
        memory(repository, git=True).write("crlf", "one\r\ntwo\r\n")
        assert git(repository, "cat-file", "blob", "HEAD:crlf.md") == "one\ntwo\n"
        assert git(repository, "status", "--porcelain") == ""

    def test_an_edit_of_a_note_from_before_a_setting_of_line_ends_is_committed(self, repository: pathlib.Path) -> None:
        m = memory(repository, git=True)
        m.write("lf", "one\ntwo\n")
        git(repository, "config", "core.autocrlf", "true")
        assert not memory(repository, git=True).write("lf", "one\n2\n").remarks
        assert git(repository, "cat-file", "blob", "HEAD:lf.md") == "one\n2\n"

    def test_what_a_person_committed_meanwhile_is_not_undone_by_a_late_commit(self, repository: pathlib.Path) -> None:
        m = memory(repository, git=True)
        (repository / ".git/index.lock").touch()
        m.write("a", "by tool\n")
        (repository / ".git/index.lock").unlink()
        (repository / "a.md").write_text("by hand, later\n")
        git(repository, "commit", "-qam", "mine")
        m.write("b", "B2\n")
        assert git(repository, "show", "HEAD:a.md") == "by hand, later\n"
        assert git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("refused", [False, True])
def test_a_save_into_a_replaced_file_is_kept_under_its_own_etag(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, *, refused: bool
) -> None:
    """An editor has a note open, and writes into it when the edit has replaced it already."""
    write(tmp_path, {"a.md": "A [[b]]", "b.md": "B", "z.md": "Z [[b]]"})
    m = memory(tmp_path)
    for text in ("first", "A [[b]]", "second", "A [[b]]"):  # so that the versions have this text already
        m.write("a", text)
    editor, do = os.open(tmp_path / "a.md", os.O_WRONLY), StepOnDisk.do

    def step(self: StepOnDisk) -> None:
        if self.step.path == "z.md" and refused:
            raise PermissionError(errno.EACCES, "It is refused.")
        do(self)
        if self.step.path == "a.md":
            os.pwrite(editor, b"saved by hand", 0)

    with monkeypatch.context() as patch:
        patch.setattr(StepOnDisk, "do", step)
        with pytest.raises(Unwritable) if refused else contextlib.nullcontext():
            m.rename("b", "c")
    os.close(editor)
    kept = {path.name: path.read_bytes() for path in (tmp_path / ".zkmem/versions").glob("?" * 12)}
    assert {name: etag(data) for name, data in kept.items()} == {name: name for name in kept}
    assert b"A [[b]]" in kept.values()
    assert b"saved by hand" in {*kept.values(), (tmp_path / "a.md").read_bytes()}
