"""Notes as the vault was: what is read at a moment equals what was read at that moment."""

import contextlib
import datetime
import os
import pathlib
import random
import re
import subprocess
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import AmbiguousName, BadArgument, NoVersion, UnknownNote, UnknownThen, ZkError
from zkmem.memory import Memory
from zkmem.vault.files import etag
from zkmem.vault.git import objects, snapshots
from zkmem.vault.journal.log import Change, Edit

NAMES = ["a", "b", "Tea", "tea b", "x/a", "x/c", "y/z/a"]
DEPTH = 2


def read_now(memory: Memory, name: str) -> tuple[Any, ...]:
    note = memory.read(name, DEPTH)
    return note.text, note.etag, note.links, note.missing, note.linked_from, note.left


def read_then(memory: Memory, name: str, at: str) -> tuple[Any, ...]:
    note = memory.read_earlier(name, at, DEPTH, then_first=True, backlinks=True).note
    return note.text, note.etag, note.links, note.missing, note.linked_from, note.left


class Lived:
    """A vault that is edited at random, and what was read after each edit."""

    def __init__(self, root: str, seed: int, *, git: bool, watched: bool) -> None:
        self.root, self.random, self.watched = root, random.Random(seed), watched
        self.memory = Memory(root, git=git, durable=False)
        self.memory.set_up(git=git, settings=".zkmem/config.toml")
        self.texts = 0
        self.inside: set[int] = set()  # the texts that ever were in the folder x
        self.read: dict[int, dict[str, tuple[Any, ...]]] = {}
        self.memory.load()
        if watched:
            engine(self.memory).recorder.start()
            engine(self.memory).recorder.flush()

    def names(self) -> list[str]:
        return sorted(self.memory.graph().names)

    def text(self) -> str:
        links = " ".join(f"[[{self.random.choice(NAMES)}]]" for _ in range(self.random.randrange(3)))
        self.texts += 1  # no text comes back: nobody can know of one that was changed by hand, and changed back
        return f"text {self.texts}\n\nSee {links}.\n"

    def full(self, name: str) -> str:
        return os.path.join(self.root, f"{name}.md")

    def edit(self) -> None:
        random_, memory = self.random, self.memory
        names = self.names()
        what = random_.choice(["write", "append", "rename", "merge", "delete", "undo", "hand", "hand move", "hand rm"])
        one = random_.choice(names or ["a"])
        if what == "write":
            memory.write(random_.choice(NAMES), self.text())
        elif what == "append":
            memory.write(one, self.text(), append=True)
        elif what in {"rename", "merge"}:
            memory.rename(one, random_.choice(NAMES), merge=what == "merge")
        elif what == "delete":
            memory.delete(one)
        elif what == "undo":
            memory.undo()
        else:
            self.by_hand(what, one)

    def by_hand(self, what: str, one: str) -> None:
        new = self.full(self.random.choice(NAMES))
        if what == "hand":
            os.makedirs(os.path.dirname(new), exist_ok=True)
            pathlib.Path(new).write_text(self.text(), "utf-8")
        elif what == "hand rm" and os.path.exists(self.full(one)):
            os.unlink(self.full(one))
        elif what == "hand move" and os.path.exists(self.full(one)) and not os.path.exists(new):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            os.rename(self.full(one), new)
        engine(self.memory).live.refresh()
        if self.watched:
            engine(self.memory).recorder.flush()

    def step(self) -> None:
        try:
            self.edit()
        except ZkError:
            return
        for folder, _, names in os.walk(os.path.join(self.root, "x")):
            for name in names:
                found = pathlib.Path(folder, name).read_text("utf-8")
                self.inside.update(map(int, re.findall(r"text (\d+)\n", found)))
        last = engine(self.memory).journal.last()
        if last is not None and last.number not in self.read:  # else somebody changed a note by hand, unrecorded
            self.read[last.number] = {name: read_now(self.memory, name) for name in self.names()}


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1 << 32), st.booleans(), st.booleans())
def test_a_note_of_an_edit_is_what_was_read_right_after_it(seed: int, git: bool, watched: bool) -> None:
    with tempfile.TemporaryDirectory() as root:
        lived = Lived(root, seed, git=git, watched=watched)
        for _ in range(14):
            lived.step()
        for number, notes in lived.read.items():
            for name in notes:
                check(lived, number, name)
        lived.memory.close()


def check(lived: Lived, number: int, name: str) -> None:
    wanted = lived.read[number][name]
    if lived.watched:
        if engine(lived.memory).as_of.files.logged.entry(number) is None:
            return  # a later save of the same note has joined this one, so the log has it no more
        assert read_then(lived.memory, name, str(number)) == wanted, (number, name)
        return
    try:  # changes by hand were not recorded: a text is the right one or none
        found = lived.memory.read_earlier(name, str(number), then_first=True)
    except (NoVersion, UnknownNote, AmbiguousName):
        return
    is_committed = lived.memory.git and found.remarks  # and not what was on the disk
    assert found.note.name != name or found.note.etag == wanted[1] or is_committed, (number, name)


# --- which moment, and which note


def git(memory: Memory, *arguments: str, data: str = "", date: str = "") -> str:
    who = {"NAME": "Ann", "EMAIL": "ann@localhost"} | ({"DATE": date} if date else {})
    more = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=memory.vault, input=data, text=True, check=True, capture_output=True, env=os.environ | more
    )
    return done.stdout.strip()


def text(memory: Memory, name: str, at: str, depth: int = 0, *, then_first: bool = False) -> str:
    return memory.read_earlier(name, at, depth, then_first=then_first).note.text


def test_neighbours_are_those_of_that_time(m: Memory) -> None:
    m.write("a", "See [[b]].\n")
    m.write("b", "Old, see [[c]].\n")
    m.write("c", "Far.\n")
    m.rename("b", "new b")
    m.write("new b", "New.\n")
    m.delete("c")
    shown = text(m, "a", "3", 2)
    assert "Old, see [[c]]." in shown
    assert "Far." in shown
    assert "New." not in shown
    assert m.target_earlier("b", "a", "3") == "b"
    assert m.target_earlier("b", "a", "4") is None


def test_a_note_is_found_by_its_present_name_and_by_its_old_one(m: Memory) -> None:
    m.write("old", "one\n")
    m.rename("old", "middle")
    m.rename("middle", "new")
    m.write("old", "another\n")
    found = m.read_earlier("new", "1")
    assert (found.note.name, found.note.text, found.now) == ("old", "one\n", "new")
    assert text(m, "middle", "1") == "one\n", "the last name of no note"
    assert text(m, "old", "1") == "one\n", "the note that has the name now is newer"
    assert text(m, "old", "4") == "another\n"
    with pytest.raises(UnknownThen, match="known only from later on"):
        m.read_earlier("old", "2")


def test_of_two_notes_with_a_name_the_one_of_that_time_is_read_if_asked_for(m: Memory) -> None:
    m.write("tea", "of then\n")
    m.write("green", "of now\n")
    m.rename("tea", "old tea")
    m.rename("green", "tea")
    assert text(m, "tea", "2") == "of now\n"
    assert text(m, "tea", "2", then_first=True) == "of then\n"


def test_a_deleted_note_is_read_and_an_unknown_name_gets_names_of_that_time(m: Memory) -> None:
    m.write("tea", "one\n")
    m.rename("tea", "teas")
    m.delete("teas")
    assert text(m, "teas", "1") == "one\n"
    assert m.read_earlier("teas", "2").now is None
    with pytest.raises(UnknownThen, match=r"Nearest names of that time: tea\.") as error:
        m.read_earlier("te", "1")
    assert "te" not in error.value.nearest


def test_a_text_that_was_dropped_is_refused_with_the_edit_from_which_on_it_is_known(m: Memory) -> None:
    m.write("a", "See [[b]].\n")
    m.write("b", "one\n")
    m.write("b", "two\n")
    versions = pathlib.Path(m.vault, ".zkmem", "versions")
    (versions / etag(b"one\n")).unlink()
    with pytest.raises(NoVersion, match="known from edit 3 on"):
        m.read_earlier("b", "2")
    found = m.read_earlier("a", "2", 1)
    assert (found.note.text, found.remarks) == (
        "See [[b]].\n",
        ["Not known or not kept any more, so these stay links: b."],
    )


def test_a_change_by_hand_that_nobody_recorded_makes_a_text_unknown(m: Memory) -> None:
    m.write("a", "one\n")
    m.write("b", "beside\n")
    pathlib.Path(m.vault, "a.md").write_text("by hand\n")
    m.write("a", "after\n", append=True)
    assert text(m, "a", "1") == "one\n"
    for read in (m.read_earlier, m.show, m.restore, m.diff):
        with pytest.raises(NoVersion, match="known from edit 3 on"):
            read("a", "2")
    assert text(m, "a", "3") == m.show("a", "3") == "by hand\n\nafter\n"


@pytest.mark.parametrize("moments", [("1", "2999-01-01"), ("2999-01-01", "1")])
def test_two_moments_after_the_same_edit_are_not_mixed_up(m: Memory, moments: tuple[str, str]) -> None:
    m.write("a", "See [[b]].\n")
    pathlib.Path(m.vault, "b.md").write_text("later, by hand\n")
    engine(m).live.refresh()
    shown = {at: text(m, "a", at, 1) for at in moments}
    assert "later" not in shown["1"]
    assert "later" in shown["2999-01-01"]


def test_a_log_that_begins_with_a_note_saved_twice_is_whole(m: Memory) -> None:
    write(m.vault, {"b.md": "beside\n"})
    m.load()
    engine(m).recorder.start()
    engine(m).recorder.flush()
    for number in range(3):
        write(m.vault, {"a.md": "line\n" * number})
        engine(m).live.refresh()
        engine(m).recorder.flush()
    assert text(m, "b", "2999-01-01") == "beside\n"
    with pytest.raises(UnknownThen):
        m.read_earlier("a", "2020-01-01")


def test_a_log_that_was_cut_says_where_it_begins(m: Memory) -> None:
    for number in range(5):
        m.write("a", f"{number}\n")
    log = pathlib.Path(m.vault, ".zkmem", "versions", "log")
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[3:]))
    with Memory(m.vault) as other:
        assert text(other, "a", "4") == "3\n"
        for at in ("2", "2020-01-01"):
            with pytest.raises(NoVersion, match="begins with edit 4"):
                other.read_earlier("a", at)


def test_a_made_up_log_whose_numbers_fall_ends_every_search(m: Memory) -> None:
    log = pathlib.Path(m.vault, ".zkmem", "versions", "log")
    moves = [(3, "a.md", "b.md"), (1, "b.md", "a.md"), (2, "b.md", "a.md")]
    lines = [Edit(number, 1.0, "", "", (Change(path, "0" * 12, None, to),)).line() for number, path, to in moves]
    log.write_bytes(b"".join(lines))
    for name in ("a", "b"):
        with pytest.raises(ZkError):
            m.read_earlier(name, "2000-01-01")


def test_a_log_that_began_anew_with_as_many_edits_is_read_again(m: Memory) -> None:
    m.write("a", "one\n")
    assert text(m, "a", "1") == "one\n"
    log = pathlib.Path(m.vault, ".zkmem", "versions", "log")
    log.rename(log.with_name("log.old"))  # keeps its inode, which the new log could get
    with Memory(m.vault) as other:
        other.write("b", "two\n")
    assert text(m, "b", "1") == "two\n"
    assert m.read_earlier("b", "1").moment.time == m.log(edit=1)[0].time


def test_dates_are_taken_by_show_diff_and_restore(m: Memory) -> None:
    m.write("tea", "80\n")
    entry = m.log(edit=1)[0] if m.log(edit=1) else None
    assert entry
    m.rename("tea", "green")
    day = datetime.datetime.fromtimestamp(entry.time).strftime("%Y-%m-%d")
    assert m.show("green", day) == "80\n"
    assert m.diff("green", "2020-01-01").endswith("+80\n")
    m.write("green", "75\n")
    tomorrow = "2999-01-01"
    assert m.show("green", tomorrow) == "75\n"
    with pytest.raises(NoVersion, match="did not exist"):
        m.restore("green", "2020-01-01")
    assert m.restore("green", tomorrow).outcome == "unchanged"


def test_a_rename_that_comes_before_a_restore_is_followed(m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    m.write("x/tea", "80\n")
    m.write("x/tea", "75\n")
    apply = engine(m).apply

    def renamed_first(*arguments: Any) -> Any:
        monkeypatch.undo()
        m.rename("x/tea", "y/tea")
        return apply(*arguments)

    monkeypatch.setattr(engine(m), "apply", renamed_first)
    m.restore("tea", "1")
    assert m.read("y/tea").text == "80\n"
    assert m.graph().names == ["y/tea"]


# --- with git


def test_a_commit_a_branch_and_a_date_name_a_moment(g: Memory) -> None:
    write(g.vault, {"a.md": "See [[b]].\n", "b.md": "one\n"})
    git(g, "add", "-A")
    git(g, "commit", "-qm", "first", date="2026-05-01T12:00:00+0000")
    first = git(g, "rev-parse", "HEAD")
    write(g.vault, {"b.md": "two\n"})
    git(g, "commit", "-qam", "second", date="2026-05-03T12:00:00+0000")
    git(g, "branch", "2026-05-01", "HEAD")
    git(g, "branch", "12", first)
    assert "one" in text(g, "a", first[:30], 1)
    assert "one" in text(g, "a", "HEAD~1", 1)
    assert "one" in text(g, "a", "2026-05-01T12:00Z", 1)
    assert "two" in text(g, "a", "refs/heads/2026-05-01", 1), "a branch with the form of a date needs its full name"
    assert "one" in text(g, "a", "12", 1), "there is no edit 12"
    found = g.read_earlier("a", "2026-05-02T00:00Z").moment
    assert (found.rev, found.author) == (first, "Ann")
    with pytest.raises(BadArgument):
        g.read_earlier("a", "--output=x")


def test_edits_that_are_not_committed_yet_count(g: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    g.write("a", "committed\n")
    lock = pathlib.Path(g.vault, ".git", "index.lock")
    lock.touch()
    g.write("a", "not committed\n")
    assert text(g, "a", "2") == "not committed\n"
    assert text(g, "a", "2999-01-01") == "not committed\n"
    assert text(g, "a", "HEAD") == "committed\n"
    assert text(g, "a", "1") == "committed\n"
    lock.unlink()


def test_a_text_that_was_dropped_comes_from_git(g: Memory) -> None:
    g.write("a", "one\n")
    g.write("a", "two\n")
    for full in pathlib.Path(g.vault, ".zkmem", "versions").glob("?" * 12):
        full.unlink()
    assert text(g, "a", "1") == "one\n"


def test_a_rename_by_hand_is_followed_in_git(g: Memory) -> None:
    long = "".join(f"line {number}\n" for number in range(20))
    write(g.vault, {"old.md": long})
    git(g, "add", "-A")
    git(g, "commit", "-qm", "first")
    git(g, "mv", "old.md", "new.md")
    git(g, "commit", "-qm", "second")
    assert g.read_earlier("new", "HEAD~1").note.name == "old"
    assert text(g, "old", "HEAD~1") == long


def test_a_text_that_a_person_wrote_after_an_edit_is_not_that_of_the_edit(g: Memory) -> None:
    long = "".join(f"line {number}\n" for number in range(20))
    g.write("old", long)
    git(g, "mv", "old.md", "new.md")
    git(g, "commit", "-qm", "renamed")
    write(g.vault, {"new.md": long + "By hand.\n"})
    git(g, "commit", "-qam", "changed")
    g.write("new", "By a tool.\n", append=True)
    for read in (g.read_earlier, g.show, g.restore, g.diff):
        with pytest.raises(NoVersion, match="known from edit 2 on"):
            read("new", "1")
    assert text(g, "new", "HEAD~3") == g.show("new", "HEAD~3") == long


def test_a_text_of_an_edit_before_a_change_by_hand_comes_from_git(g: Memory) -> None:
    write(g.vault, {"a.md": "one\n"})
    git(g, "add", "-A")
    git(g, "commit", "-qm", "first")
    g.write("b", "beside\n")
    write(g.vault, {"a.md": "two\n"})
    g.write("a", "three\n", append=True)
    assert text(g, "a", "1") == g.show("a", "1") == "one\n"


def test_a_text_of_a_branch_that_was_merged_into_the_rename_of_its_note(g: Memory) -> None:
    g.write("old", "one\n")
    git(g, "checkout", "-qb", "side")
    g.rename("old", "new")
    git(g, "checkout", "-q", "-")
    write(g.vault, {"old.md": "one by hand\n"})
    git(g, "commit", "-qam", "by hand")
    commit = git(g, "rev-parse", "HEAD")
    git(g, "merge", "-qm", "merge", "side")
    write(g.vault, {"new.md": "two\n"})
    assert text(g, "new", commit) == g.show("new", commit) == "one by hand\n"
    assert "-one by hand\n" in g.diff("new", commit)
    g.restore("new", commit)
    assert g.read("new").text == "one by hand\n"


def test_odd_entries_of_a_tree_are_left_out(g: Memory) -> None:
    blob = git(g, "hash-object", "-w", "--stdin", data="See [[b]].\n")
    commit = git(g, "rev-parse", "HEAD")
    entries = [
        f"100644 blob {blob}\ta.md", f"120000 blob {blob}\tb.md", f"160000 commit {commit}\tsub",
        f"100755 blob {blob}\tB.MD", f"100644 blob {blob}\t.hidden.md", f'100644 blob {blob}\t"\\377.md"',
        f"100644 blob {'1' * 40}\tlost.md",
    ]  # fmt: skip
    tree = git(g, "mktree", "--missing", data="\n".join(entries) + "\n")
    made = git(g, "commit-tree", tree, "-m", "odd")
    found = g.read_earlier("a", made, 2, backlinks=True)
    assert found.note.text.startswith("See [[b]].")
    assert found.note.linked_from == []
    assert g.read_earlier("B", made, backlinks=True).note.linked_from == ["a"]
    with pytest.raises(NoVersion, match="fsck"):
        g.read_earlier("lost", made)
    with pytest.raises(UnknownThen):
        g.read_earlier(".hidden", made)


@pytest.mark.parametrize("time", ["99999999999999999", "9" * 30, "-5", "never"])
def test_a_commit_with_any_time_is_shown(g: Memory, time: str) -> None:
    write(g.vault, {"a.md": "text\n"})
    git(g, "add", "a.md")
    who = f"A <a@localhost> {time} +0000"
    data = f"tree {git(g, 'write-tree')}\nauthor {who}\ncommitter {who}\n\nodd\n"
    made = git(g, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=data)
    git(g, "update-ref", "HEAD", made)
    assert g.read_earlier("a", made).moment.in_words
    assert [one.line for one in g.log("a")]


def test_an_entry_of_the_log_with_an_impossible_time_is_skipped(m: Memory) -> None:
    m.write("a", "one\n")
    log = pathlib.Path(m.vault, ".zkmem", "versions", "log")
    log.write_bytes(log.read_bytes() + Edit(2, 1e300, "", "", (Change("a.md", "0" * 12, None),)).line())
    with Memory(m.vault) as other:
        assert [one.rev for one in other.log("a") if one.line] == ["1"]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
@pytest.mark.parametrize("folder", [":(top)x", "[ab]*", "-x"])
def test_a_vault_in_a_folder_with_any_name_gets_the_files_of_that_folder(g: Memory, folder: str) -> None:
    write(g.vault, {f"{folder}/a.md": "inside\n", "b.md": "outside\n"})
    git(g, "add", "-A")
    git(g, "commit", "-qm", "both")
    with Memory(f"{g.vault}/{folder}", git=True) as memory:
        assert text(memory, "a", "HEAD") == "inside\n"
        with pytest.raises(UnknownThen):
            memory.read_earlier("b", "HEAD")


def test_a_tree_that_stands_for_very_many_files_is_refused(g: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_MOST_TREE", 100_000)
    tree = git(g, "mktree", data=f"100644 blob {git(g, 'hash-object', '-w', '--stdin', data='x')}\ta.md\n")
    for _ in range(6):
        tree = git(g, "mktree", data="".join(f"040000 tree {tree}\t{number}\n" for number in range(10)))
    made = git(g, "commit-tree", tree, "-m", "a million files")
    with pytest.raises(NoVersion, match="printed more than"):
        g.read_earlier("a", made)


def test_a_commit_with_too_many_files_for_an_index_is_refused(g: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    write(g.vault, {"a.md": "one\n", "b.md": "two\n"})
    git(g, "add", "a.md", "b.md")
    git(g, "commit", "-qm", "two files")
    monkeypatch.setattr(snapshots, "_MOST_FILES", 1)
    with pytest.raises(NoVersion, match="more than 1 files"):
        g.read_earlier("a", "HEAD")


def test_a_text_at_many_paths_is_read_once(g: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    blob = git(g, "hash-object", "-w", "--stdin", data="See [[0]].\n")
    tree = git(g, "mktree", data="".join(f"100644 blob {blob}\t{number}.md\n" for number in range(50)))
    made = git(g, "commit-tree", tree, "-m", "fifty notes")
    requested, texts = list[str](), snapshots.Snapshots.texts

    def counted(self: snapshots.Snapshots, hashes: Sequence[str]) -> Iterator[bytes | None]:
        requested.extend(hashes)
        return texts(self, hashes)

    monkeypatch.setattr(snapshots.Snapshots, "texts", counted)
    assert len(g.read_earlier("0", made, backlinks=True).note.linked_from or []) == 49
    assert requested == [blob]


def test_a_file_that_is_too_large_is_not_read(g: Memory) -> None:
    write(g.vault, {"big.md": b"x" * 2_000_000, "a.md": "See [[big]].\n"})
    git(g, "add", "-A")
    git(g, "commit", "-qm", "big")
    with Memory(g.vault, git=True, max_note_bytes=1_000_000) as memory:
        found = memory.read_earlier("a", "HEAD", 1, backlinks=True)
        assert found.note.text == "See [[big]].\n"
        with pytest.raises(NoVersion, match="'big' was larger than max_note_mb at that time"):
            memory.read_earlier("big", "HEAD")


def test_a_note_that_is_too_large_now_is_not_said_to_be_known_now(tmp_path: pathlib.Path) -> None:
    with Memory(str(tmp_path), durable=False) as memory:
        memory.write("big", "small\n")
        memory.write("a", "See [[big]].\n")
    write(str(tmp_path), {"big.md": b"x" * 2_000_000})
    later = datetime.datetime.now().timestamp() + 5
    os.utime(tmp_path / "big.md", (later, later))
    with Memory(str(tmp_path), max_note_bytes=1_000_000) as memory:
        with pytest.raises(NoVersion, match="Its present text is larger than max_note_mb"):
            memory.read_earlier("big", "2")
        assert memory.read_earlier("big", "1").note.text == "small\n"


@pytest.mark.parametrize("linked", [False, True])
def test_a_damaged_object_that_announces_more_bytes_than_it_has_ends_the_wait(
    g: Memory, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    monkeypatch.setattr(objects, "PATIENCE_S", 0.3)
    damage(g, zlib.compress(b"blob 600\0Tea.\n"))
    with pytest.raises(NoVersion, match="git fsck"):
        g.read_earlier("b", "HEAD", backlinks=linked)


def test_a_damaged_object_does_not_keep_the_other_neighbours_from_being_read(g: Memory) -> None:
    damage(g, zlib.compress(b"blob 5\0Tea.\n")[:-4])
    found = g.read_earlier("a", "HEAD", 1)
    assert "![[c]]start\n\nSoup.\n" in found.note.text
    assert found.remarks == ["Not known or not kept any more, so these stay links: b."]


ENDS_GIT, STOPS_GIT = zlib.compress(b"blob 5\0Tea.\n")[:-4], zlib.compress(b"blob 600\0Tea.\n")


@pytest.mark.parametrize("data", [ENDS_GIT, STOPS_GIT, b"", b"no zlib"], ids=["short", "endless", "empty", "no zlib"])
def test_a_damaged_object_hides_only_its_own_links_from_the_backlinks(
    g: Memory, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(objects, "PATIENCE_S", 0.3)
    write(g.vault, {f"d{number}.md": f"[[c]] {number}\n" + "one two three\n" * 60 for number in range(20)})
    damage(g, data)
    found = g.read_earlier("c", "HEAD", backlinks=True)
    assert found.note.linked_from == ["a", *sorted(f"d{number}" for number in range(20))]
    assert found.remarks == ["The texts of 1 note at that time are not known, nor are their links."]


def test_many_damaged_objects_are_too_many(g: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_MOST_DAMAGED", 0)
    damage(g, ENDS_GIT)
    with pytest.raises(NoVersion, match="git fsck"):
        g.read_earlier("c", "HEAD", backlinks=True)


def damage(memory: Memory, data: bytes) -> None:
    """Commit three notes, and give the object of one of them other bytes."""
    write(memory.vault, {"a.md": "[[b]]\n\n[[c]]\n", "b.md": "Tea.\n", "c.md": "Soup.\n"})
    git(memory, "add", "-A")
    git(memory, "commit", "-qm", "one")
    hash_ = git(memory, "rev-parse", "HEAD:b.md")
    file = pathlib.Path(memory.vault, ".git/objects", hash_[:2], hash_[2:])
    file.unlink()
    file.write_bytes(data)
    write(memory.vault, {"b.md": "Now.\n"})


def test_no_filter_and_no_replaced_object_has_effect(g: Memory) -> None:
    write(g.vault, {"a.md": "real\n", ".gitattributes": "*.md filter=x diff=x\n"})
    git(g, "add", "-A")
    git(g, "commit", "-qm", "one")
    mark = pathlib.Path(g.vault, "started")
    for key in ("filter.x.smudge", "diff.x.textconv", "core.fsmonitor"):
        git(g, "config", key, f"touch {mark}; cat")
    other = git(g, "hash-object", "-w", "--stdin", data="replaced\n")
    git(g, "replace", git(g, "rev-parse", "HEAD:a.md"), other)
    with Memory(g.vault, git=True) as memory:
        assert text(memory, "a", "HEAD") == "real\n"
    assert not mark.exists()


# --- rights


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1 << 32), st.booleans())
def test_a_caller_with_a_folder_gets_nothing_from_outside(seed: int, git: bool) -> None:
    with tempfile.TemporaryDirectory() as root:
        lived = Lived(root, seed, git=git, watched=True)
        for _ in range(10):
            lived.step()
        inside = {f"text {number}\n" for number in lived.inside}
        memory = lived.memory.restricted(Grant("x"))
        last = max(lived.read, default=0)
        for number in [*range(1, last + 1), "2999-01-01", "HEAD~1"]:
            for name in NAMES:
                with contextlib.suppress(ZkError):
                    found = memory.read_earlier(name, str(number), DEPTH, then_first=True, backlinks=True)
                    assert found.note.name.startswith("x/")
                    assert set(re.findall(r"text \d+\n", found.note.text)) <= inside
                    assert all(one.startswith("x/") for one in found.note.linked_from or [])
                    assert not found.now or found.now.startswith("x/")
        lived.memory.close()


def test_a_caller_with_a_folder_cannot_learn_where_a_note_went(m: Memory) -> None:
    m.write("x/tea", "one\n")
    m.rename("x/tea", "out/green")
    memory = m.restricted(Grant("x"))
    assert memory.read_earlier("x/tea", "1").now is None
    for name in ("out/green", "green"):
        with pytest.raises(UnknownThen):
            memory.read_earlier(name, "1")
