"""What a reader of an earlier moment is told: which note it was, what changed since, and why a moment is refused."""

import itertools
import pathlib
import re
import time
from collections.abc import Callable, Iterator

import pytest

from tests.recall.test_as_of import git, text
from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, NoVersion, UnknownEdit, UnknownThen, ZkError
from zkmem.memory import Memory
from zkmem.toolsets.history import restore, show_as_of
from zkmem.vault.files import etag


@pytest.fixture
def g(g: Memory) -> Memory:
    """Return a vault with three commits of the note x."""
    for month in (5, 6, 7):
        write(g.vault, {"x.md": f"A{month}\n" + "more\n" * 9})
        git(g, "add", "x.md")
        git(g, "commit", "-qm", f"month {month}", date=f"2026-0{month}-01T12:00:00+0000")
    return g


def line(memory: Memory, name: str, at: str) -> str:
    return show_as_of(memory, name, at, 0).texts[1]


# --- which note


@pytest.mark.parametrize("renamed", [False, True])
def test_a_restored_note_has_the_past_that_it_had_before_it_was_deleted(g: Memory, renamed: bool) -> None:
    g.delete("x")
    assert g.restore("x", "2026-06-15").outcome == "restored"
    assert g.show("x", "2026-05-15") == text(g, "x", "2026-05-15")
    assert g.show("x", "2026-05-15").startswith("A5\n")
    assert "-A5\n+A6\n more" in g.diff("x", "2026-05-15")
    assert line(g, "x", "2026-05-15").startswith("commit "), "no word about the name"
    assert "called" not in line(g, "x", "2026-05-15")
    if renamed:
        g.rename("x", "y")
        assert "called x then, now y" in line(g, "x", "2026-05-15")
        assert "called x then, now y" in line(g, "y", "2026-05-15")
        assert g.show("y", "2026-05-15").startswith("A5\n")
    assert g.restore("y" if renamed else "x", "2026-06-15").outcome == "unchanged"


def test_show_reads_the_note_that_get_reads(m: Memory) -> None:
    m.write("a", "one\n")  # 1
    m.write("b", "two\n")  # 2
    m.delete("a")  # 3
    m.rename("b", "a")  # 4
    m.delete("a")  # 5
    m.write("a", "three\n")  # 6
    entries = {number: m.log(edit=number)[0].time for number in range(1, 7)}
    for number, made in entries.items():
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(made))  # all edits are made in a second or two
        for name in ("a", "b"):
            try:
                wanted = text(m, name, at)
            except UnknownThen:
                with pytest.raises(NoVersion):
                    m.show(name, at)
            else:
                assert m.show(name, at) == wanted, (number, name)


def test_a_note_that_git_has_renamed_is_not_gone(g: Memory) -> None:
    git(g, "mv", "x.md", "q.md")
    git(g, "commit", "-qm", "renamed")
    assert "called x then, now q" in line(g, "q", "2026-06-15")
    assert "called x then; no note has that name now" in line(g, "x", "2026-06-15")


def test_a_restored_old_name_is_a_note_of_its_own_and_the_answer_says_so(m: Memory) -> None:
    m.write("old", "one\n")
    m.rename("old", "mid")
    m.rename("mid", "new")
    done = restore(m, "old", "1")
    assert "; the note that was called old is called new now, and stays as it is" in done.texts[0]
    assert m.read("new").text == m.read("old").text == "one\n"
    assert m.restore("old", "1").remarks == []
    m.write("other", "two\n")
    last = m.log(limit=1)[0].rev
    m.delete("other")
    assert m.restore("other", last).remarks == [], "a deleted note has no other name"


def test_a_caller_with_a_folder_is_not_told_where_a_restored_note_went(m: Memory) -> None:
    m.write("x/tea", "one\n")
    m.rename("x/tea", "out/green")
    assert m.restricted(Grant("x")).restore("x/tea", "1").remarks == []


# --- what changed since


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_text_that_no_edit_wrote_is_told_from_that_of_the_edit(g: Memory, end: str) -> None:
    g.write("a", "by a tool\n")
    today = time.strftime("%Y-%m-%d", time.localtime(time.time() + 5))
    assert "by hand" not in line(g, "a", today)
    pathlib.Path(g.vault, "x.md").write_bytes(f"A7{end}{f'more{end}' * 9}".encode())  # as git checks it out
    engine(g).live.refresh()
    assert "by hand" not in line(g, "x", today)
    write(g.vault, {"a.md": "by hand\n", "x.md": "by hand\n"})
    engine(g).live.refresh()
    for name in "ax":
        found = g.read_earlier(name, today)
        assert found.note.text == "by hand\n"
        assert found.remarks == [f"Changed by hand since the last edit or commit: {name}."]


def test_a_date_in_the_future_is_told(m: Memory) -> None:
    m.write("a", "one\n")
    today, tomorrow = (time.strftime("%Y-%m-%d", time.localtime(time.time() + seconds)) for seconds in (0, 90_000))
    assert m.read_earlier("a", today).remarks == []
    for at in (tomorrow, "2999-01-01T00:00", "2999-01-01T00:00:00Z"):
        assert m.read_earlier("a", at).remarks == ["That is in the future; this is the present text."]
        assert m.page_earlier("a", at).remarks == ["That is in the future; this is the present text."]


def test_before_the_first_commit_the_answer_says_since_when_a_text_is_known(g: Memory) -> None:
    g.write("x", "by a tool\n")
    for at in ("0001-01-01", "1969-12-31", "2026-04-30"):
        with pytest.raises(NoVersion, match=r"It is known from 2026-05-01 \d\d:\d\d on\."):
            g.read_earlier("x", at)


LONG = "x" * 50_000


@pytest.mark.parametrize("vault", ["m", "g"])
@pytest.mark.parametrize(
    "at",
    [LONG, "2026-5-1 " + LONG, "2026-02-30" + " " * 50_000, "2026-05-01" + " " * 50_000, "HEAD~" + LONG, "\0" * 50_000],
)
def test_no_error_repeats_more_than_the_beginning_of_what_the_caller_gave(
    request: pytest.FixtureRequest, vault: str, at: str
) -> None:
    whole: Memory = request.getfixturevalue(vault)
    whole.write("a", "one\n")
    for memory, name in itertools.product((whole, whole.restricted(Grant("x"))), ("a", LONG, f"x/{LONG}")):
        for call in (memory.read_earlier, memory.page_earlier, memory.show, memory.diff, memory.restore):
            assert len(answer(call, name, at)) < 2_000
        assert len(answer(memory.target_earlier, "b", name, at)) < 2_000


def answer(call: Callable[..., object], *arguments: str) -> str:
    """Return what a caller gets: the result of a call, or its error."""
    try:
        return str(call(*arguments))
    except ZkError as error:
        return str(error)


# --- git that is on and cannot be used


@pytest.fixture
def broken(m: Memory) -> Iterator[Memory]:
    """Return a vault with edits, for which git is on although there is no repository."""
    m.write("a", "one, see [[x/b]]\n")
    m.write("x/b", "beside\n")
    m.write("a", "two\n")
    with Memory(m.vault, git=True, durable=False) as memory:
        yield memory


def test_without_a_repository_the_log_answers_and_the_answer_says_so(broken: Memory) -> None:
    reason = f"the vault is in no git repository (`zkmem init --git {broken.vault}` makes one)"
    said = [f"This is from the log of edits alone, since git cannot be read: {reason}."]
    found = broken.read_earlier("a", "2", 1, backlinks=True)
    assert "beside" in found.note.text
    assert found.remarks == broken.page_earlier("a", "2").remarks == said
    today = time.strftime("%Y-%m-%d")
    assert text(broken, "a", today) == broken.show("a", today) == "two\n"
    assert broken.diff("a", "1", today).endswith("-one, see [[x/b]]\n+two\n")
    assert broken.target_earlier("x/b", "a", "1") is None
    assert broken.target_earlier("x/b", "a", "2") == "x/b"
    assert broken.read_earlier("a", "2999-01-01").remarks == [*said, "That is in the future; this is the present text."]


def test_without_a_repository_what_the_log_does_not_know_is_refused_with_the_reason(broken: Memory) -> None:
    broken.write("x/b", "after\n")
    pathlib.Path(broken.vault, ".zkmem", "versions", etag(b"beside\n")).unlink()
    for at in ("HEAD~1", "yesterday"):
        with pytest.raises(NoVersion, match="the vault is in no git repository"):
            broken.read_earlier("a", at)
    for read in (broken.read_earlier, broken.show):
        with pytest.raises(NoVersion, match=r"not kept any more\..* git cannot read the history: the vault is in no"):
            read("x/b", "2")
    with pytest.raises(UnknownEdit):
        broken.read_earlier("a", "99")
    with pytest.raises(BadArgument, match="is no date that zkmem reads"):
        broken.read_earlier("a", "2026/5/1")


def test_without_the_git_command_the_log_answers(broken: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = broken.read_earlier("a", "2")
    assert found.note.text == "one, see [[x/b]]\n"
    assert "the command git is not installed" in found.remarks[0]


# --- which moments are refused


@pytest.mark.parametrize("at", ["yesterday", "HEAD~1", "--output=x", "", "a b"])
def test_without_git_a_moment_is_a_date_or_a_number(m: Memory, at: str) -> None:
    with pytest.raises(BadArgument) as caught:
        m.read_earlier("a", at)
    assert str(caught.value) == (
        f"{at!r} is no moment: give a date such as 2026-05-01, or the number of an edit. Git is off for this vault, so "
        f"it has no commits, branches or tags."
    )


@pytest.mark.parametrize("at", ["2026-6-1", "01.05.2026", "1/5/26", "2026/05/01", "2026-6-1T10:00"])
@pytest.mark.parametrize("vault", ["m", "g"])
def test_a_date_in_another_form_gets_the_form(request: pytest.FixtureRequest, vault: str, at: str) -> None:
    memory: Memory = request.getfixturevalue(vault)
    with pytest.raises(BadArgument, match=re.escape(f"{at!r} is no date that zkmem reads: write it as YYYY-MM-DD")):
        memory.read_earlier("x", at)


def test_with_git_a_tag_with_the_form_of_a_date_is_a_moment(g: Memory) -> None:
    git(g, "tag", "1.5.26", "HEAD~1")
    assert text(g, "x", "1.5.26").startswith("A6\n")


def test_with_git_a_bad_moment_is_told_from_an_unknown_one(g: Memory) -> None:
    for at in ("--output=x", "yesterday"):
        with pytest.raises(BadArgument, match=r"number of an edit, a commit, a branch or a tag\.$"):
            g.read_earlier("x", at)
    for at in ("abcdef0", "HEAD~99"):
        with pytest.raises(NoVersion, match=f"There is no commit '{at}'"):
            g.read_earlier("x", at)
    with pytest.raises(UnknownEdit, match="`zkmem log --by tools`"):
        g.read_earlier("x", "99")
    inside = g.restricted(Grant("x"))
    for at in ("main", "HEAD~1"):
        with pytest.raises(BadArgument, match=r"or the hash of a commit\.$"):
            inside.read_earlier("x", at)
