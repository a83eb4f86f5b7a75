"""Changes by other programs: by hand, by git, while no server runs. None is lost, and none is listed twice."""

import contextlib
import itertools
import os
import pathlib
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.inner import engine, entries_in_memory, index_lock, recorder_reads, texts_in_memory
from tests.tools.vaults import git
from zkmem.caller import Grant
from zkmem.edit import recorder
from zkmem.errors import BadArgument, NothingToUndo, NoVersion, UnknownEdit
from zkmem.index.catalog import Changes
from zkmem.memory import Memory
from zkmem.past.sittings import Card
from zkmem.vault.files import MOST_BYTES, Stamp, etag
from zkmem.vault.journal import log as edit_log


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a vault that a tool has edited: without that, nothing is recorded."""
    root = tmp_path / "vault"
    root.mkdir()
    for number in range(5):
        (root / f"n{number}.md").write_text(f"Note {number} with some words\n")
    Memory(str(root)).write("first", "by a tool\n")
    return root


@pytest.fixture
def m(vault: pathlib.Path) -> Iterator[Memory]:
    with running(vault) as memory:
        yield memory


def running(vault: pathlib.Path) -> Memory:
    """Return a memory that watches the vault as a server does."""
    memory = Memory(str(vault))
    memory.start()
    memory.wait_ready()
    assert engine(memory).recorder.ready.wait(30)
    return memory


def swap(path: pathlib.Path, text: str, mtime_ns: int | None = None) -> None:
    """Change a note in one step, so that nobody sees it empty, or with another time."""
    new = path.parent / f".{path.name}.new"
    new.write_text(text)
    if mtime_ns is not None:
        os.utime(new, ns=(mtime_ns, mtime_ns))
    new.replace(path)


def outside(memory: Memory) -> list[Card]:
    memory.wait_ready()  # the change may not be reported yet
    return [card for card in memory.review().sittings if card.outside]


def listed(memory: Memory) -> list[tuple[str, str]]:
    return [(one.name, one.outcome) for card in outside(memory) for one in card.notes]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_caller_with_a_folder_marks_only_what_it_may_see(m: Memory, vault: pathlib.Path, *, at_once: bool) -> None:
    (vault / "in").mkdir()
    m.write("out/b", "by a tool\n")
    (vault / "in/a.md").write_text("in\n")
    (vault / "n1.md").write_text("Note 1 with many words\n")
    m.wait_ready()
    m.write("in/b", "by a tool\n")
    inner = m.restricted(Grant("in"))
    brief = inner.brief("ann")
    assert {line.note for line in brief.lines} == {"in/a", "in/b"}
    if at_once:
        inner.mark_seen("ann", brief.last, earlier=True)
    else:
        inner.mark_viewed("ann", [(line.note, line.first, line.edit) for line in brief.lines])
    assert inner.brief("ann").sentence == "Nothing is new."
    assert {line.note for line in m.brief("ann", viewed=False).lines} == {"first", "out/b", "n1"}
    m.mark_viewed("ann", [(line.note, line.first, line.edit) for line in m.brief("ann").lines])
    assert not m.brief("ann").lines


def test_changes_by_hand_are_a_sitting_with_the_changed_words(m: Memory, vault: pathlib.Path) -> None:
    (vault / "n1.md").write_text("Note 1 with many words\n")
    (vault / "new.md").write_text("new\n")
    (vault / "n2.md").unlink()
    os.rename(vault / "n3.md", vault / "moved.md")
    (card,) = outside(m)
    assert (card.outside, card.client, card.seen) == ("hand", "", False)
    assert sorted(tuple(one) for one in card.notes) == [
        ("moved", "n3", "renamed"),
        ("n1", "n1", "changed"),
        ("n2", "n2", "deleted"),
        ("new", "", "created"),
    ]
    changes = {one.name: one for one in m.change(None, card.edit, first=1).notes}
    assert (changes["n1"].added, changes["n1"].removed) == (1, 1)
    assert not any(one.trouble for one in changes.values())


def test_changes_by_hand_that_left_every_note_as_it_was_are_not_shown(m: Memory, vault: pathlib.Path) -> None:
    (vault / "n1.md").write_text("Note 1 with many words\n")
    (vault / "new.md").write_text("new\n")
    assert len(outside(m)) == 1
    (vault / "n1.md").write_text("Note 1 with some words\n")
    (vault / "new.md").unlink()
    assert outside(m) == []
    review = m.review(limit=1)
    assert ([one.outside for one in review.sittings], review.next, m.brief().edits) == ([""], None, 1)


def test_a_note_that_cannot_be_read_for_a_while_is_not_forgotten(m: Memory, vault: pathlib.Path) -> None:
    """A note that another program renames just when the index reads it cannot be read, either."""
    os.truncate(vault / "n3.md", MOST_BYTES + 1)
    os.truncate(vault / "n4.md", MOST_BYTES + 1)
    assert listed(m) == []
    (vault / "n3.md").unlink()
    (vault / "n4.md").write_text("Note 4 with other words\n")
    assert sorted(listed(m)) == [("n3", "deleted"), ("n4", "changed")]


def test_a_note_that_could_not_be_read_at_first_is_not_listed_as_new(vault: pathlib.Path) -> None:
    os.truncate(vault / "n3.md", MOST_BYTES + 1)
    with running(vault) as memory:
        swap(vault / "n3.md", "Note 3 with other words\n")
        assert listed(memory) == []
        swap(vault / "n3.md", "Note 3 with more words\n")
        assert listed(memory) == [("n3", "changed")]


def test_a_note_that_another_process_makes_and_a_person_removes_at_once_is_not_lost(
    m: Memory, vault: pathlib.Path
) -> None:
    """The index sees none of it: when it looks, the note is not there, as before."""

    def make_and_remove(text: str) -> None:
        Memory(str(vault)).write("new", text)
        (vault / "new.md").unlink()

    unseen(m, lambda: make_and_remove("by another process\n"))
    assert listed(m) == [("new", "deleted")]
    unseen(m, lambda: make_and_remove("by another process again\n"))
    m.write("new", "by a tool\n")
    m.wait_ready()
    assert [(one.rev, one.what) for one in m.log("new", by="others")] == [("6", "change new"), ("3", "change new")]
    assert_path(edges_of(m, "new.md"), None, etag(b"by a tool\n"))


def unseen(memory: Memory, work: Callable[[], object]) -> None:
    """Do some work, and let the index of a memory see only what it leaves."""
    with index_lock(memory):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def edges_of(memory: Memory, path: str) -> list[tuple[str | None, str | None]]:
    """Return the etags before and after each edit and each change of a note, the oldest first."""
    entries = list(engine(memory).past.changes())[::-1]
    return [(one.before, one.after) for entry in entries for one in entry.changes if one.path == path]


def test_a_note_that_is_made_again_as_an_edit_left_it_is_listed_again(m: Memory, vault: pathlib.Path) -> None:
    m.write("n1", "by a tool\n")
    (vault / "n1.md").unlink()
    assert listed(m) == [("n1", "deleted")]
    (vault / "n1.md").write_text("by a tool\n")
    m.wait_ready()
    assert [one.rev for one in m.log("n1", by="others")] == ["4", "3"]


def test_files_that_are_no_notes_are_not_listed(m: Memory, vault: pathlib.Path) -> None:
    (vault / "picture.png").write_bytes(b"a picture")
    (vault / ".hidden.md").write_text("hidden\n")
    (vault / "new.md").write_text("new\n")
    m.wait_ready()
    assert [one.what for one in m.log(by="others")] == ["change new"]


def test_a_change_while_the_index_takes_in_an_edit_is_by_hand(
    m: Memory, vault: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first = engine(m).live, (vault / "n1.md").read_bytes()
    take_in = live.take_in

    def after_a_save(
        paths: Iterable[str], written: Mapping[str, tuple[bytes, Stamp]] = {}, *, patience_s: float = -1
    ) -> Changes:
        if written:  # by the edit; the watcher, and the thread that builds the index, give none
            monkeypatch.undo()
            swap(vault / "n1.md", "by hand\n")
        return take_in(paths, written, patience_s=patience_s)

    monkeypatch.setattr(live, "take_in", after_a_save)
    m.write("n1", "by a tool\n")
    assert listed(m) == [("n1", "changed")]
    assert_path(edges_of(m, "n1.md"), etag(first), etag(b"by hand\n"))


def test_a_change_that_the_index_sees_after_it_is_recorded_is_listed_once(vault: pathlib.Path) -> None:
    """Without a watcher, the index sees what has changed when a call compares the vault with it."""
    first = (vault / "n1.md").read_bytes()
    with Memory(str(vault)) as memory:
        engine(memory).recorder.start()
        memory.wait_ready()
        assert engine(memory).recorder.ready.wait(30)
        swap(vault / "n1.md", "by hand\n")
        Memory(str(vault)).write("n1", "by another process\n", append=True)
        assert [card.outside for card in memory.review().sittings] == ["hand", ""]
        memory.wait_ready()
        memory.review()
        assert_path(edges_of(memory, "n1.md"), etag(first), etag((vault / "n1.md").read_bytes()))


def test_what_the_logs_explain_is_not_read_again(m: Memory, vault: pathlib.Path) -> None:
    reads = recorder_reads(m)
    m.write("n1", "by a tool\n")
    m.rename("n2", "n2 renamed")
    m.review()
    m.review()
    assert (reads(), dict(entries_in_memory(m))) == ([], {})
    (vault / "n3.md").write_text("by hand\n")
    assert listed(m) == [("n3", "changed")]
    assert (set(reads()), dict(entries_in_memory(m))) == ({"n3.md"}, {})


def test_an_edit_by_a_tool_is_no_change_by_hand(m: Memory, vault: pathlib.Path) -> None:
    m.write("n1", "by a tool\n")
    m.rename("n1", "n1 renamed")
    m.delete("n2")
    Memory(str(vault)).write("n3", "by another process\n")
    m.undo(edit=2)
    assert outside(m) == []


def test_an_undo_that_takes_a_note_out_of_the_trash_is_no_change_by_hand(m: Memory, vault: pathlib.Path) -> None:
    bot, me = m.on_behalf(client="bot"), m.on_behalf(client="me")
    bot.write("new", "by the bot\n")
    bot.delete("n0")
    me.delete("n1")
    (vault / "hand.md").write_text("by hand\n")
    (vault / "n2.md").write_text("Note 2 with some words\nby hand\n")
    (card,) = outside(m)
    assert m.preview_undo(edit=card.edit, sitting=True).changes
    me.undo(edit=4)
    m.wait_ready()
    Memory(str(vault)).undo(edit=3, sitting=True)
    m.wait_ready()
    me.redo()
    me.undo()
    assert [(one.rev, one.what) for one in m.log(by="others")] == [("5", "change hand, n2")]
    assert [edit.number for edit in engine(m).past.changes() if edit.outside] == [5]
    assert [path.name for path in vault.glob("n[01].md")]


def test_a_change_before_an_edit_has_a_lower_number(m: Memory, vault: pathlib.Path) -> None:
    (vault / "n1.md").write_text("by hand\n")
    m.write("n1", "and by a tool\n", append=True)
    (vault / "n1.md").write_text("by hand again\n")
    outside(m)
    cards = [(card.edit, card.outside, card.edits) for card in m.review().sittings]
    assert cards == [(4, "hand", 2), (3, "", 2)]
    assert [edit.number for edit in engine(m).past.changes() if edit.outside] == [4, 2]
    assert m.show("n1", "2") == "by hand\n"
    first = m.change(None, 2, first=1).notes
    assert [one.trouble for one in first] == [""]
    assert "some" in first[0].html, "the text before is known"


def test_a_note_that_was_deleted_by_hand_is_shown_and_restored_by_the_number_of_the_deletion(
    m: Memory, vault: pathlib.Path
) -> None:
    tag = m.write("n1", "by a tool\n").etag
    (vault / "n1.md").unlink()
    m.wait_ready()
    [last, *_] = m.log("n1")
    assert last.outside == "hand"
    assert m.show("n1", last.rev) == "by a tool\n"
    assert m.diff("n1", last.rev) == ""
    assert "\n-by a tool\n" in m.diff("n1", m.log("n1")[1].rev, last.rev)
    assert m.restore("n1", last.rev).etag == tag
    for kept in (vault / ".zkmem/versions").glob(f"{tag}*"):
        kept.unlink()
    for call in (m.show, m.restore):
        with pytest.raises(NoVersion, match=f"Change {last.rev} deleted 'n1', and the text .* is not kept"):
            call("n1", last.rev)


def test_the_log_has_them_with_numbers_for_undo_and_show(m: Memory, vault: pathlib.Path) -> None:
    m.write("n1", "by a tool\n")
    (vault / "n1.md").write_text("by hand\n")
    (vault / "n2.md").write_text("by hand, too\n")
    m.wait_ready()
    assert [(one.rev, one.what, one.outside) for one in m.log(limit=2)] == [
        ("3", "change n1, n2", "hand"),
        ("2", "edit n1", ""),
    ]
    assert m.log()[0].line.endswith("  Changed n1, n2  (by hand)")
    assert [one.rev for one in m.log(by="tools", limit=1)] == [one.rev for one in m.log("n1", by="tools")] == ["2"]
    assert [one.rev for one in m.log(by="others")] == [one.rev for one in m.log("n2")] == ["3"]
    assert [m.show("n1", rev) for rev in "23"] == ["by a tool\n", "by hand\n"]
    with pytest.raises(BadArgument, match="all, tools, others"):
        m.log(by="me")
    below = m.restricted(Grant(folder="none"))
    assert below.log() == below.log(by="others") == []
    m.undo(edit=3)
    assert (vault / "n1.md").read_text() == "by a tool\n"
    assert [one.outside for one in m.log(limit=2)] == ["", "hand"]


def test_a_change_that_is_being_recorded_has_a_lower_number_than_an_edit_made_meanwhile(
    m: Memory, vault: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recorder releases the vault's lock between two groups of notes, so another thread can make an edit."""
    journal, before = engine(m).journal, (vault / "n0.md").read_bytes()
    hold, calls = journal.hold, itertools.count()

    @contextlib.contextmanager
    def held_later() -> Iterator[None]:
        if next(calls) == 1:
            m.write("n0", "by a tool\n", append=True)
        with hold():
            yield

    monkeypatch.setattr(recorder, "_SLICE", 1)
    monkeypatch.setattr(journal, "hold", held_later)
    for number in range(3):
        swap(vault / f"n{number}.md", "by hand\n")
    assert sorted(listed(m)) == [(f"n{number}", "changed") for number in range(3)]
    now = (vault / "n0.md").read_bytes()
    assert edges_of(m, "n0.md") == [(etag(before), etag(b"by hand\n")), (etag(b"by hand\n"), etag(now))]


def test_a_change_between_edits_of_another_process_is_found(m: Memory, vault: pathlib.Path) -> None:
    (vault / "n1.md").write_text("by hand\n")
    Memory(str(vault)).write("n1", "and by a tool\n", append=True)
    (card,) = outside(m)
    (change,) = m.change(None, card.edit, first=1).notes
    assert change.name == "n1"
    assert "by hand" in change.html
    assert "by a tool" not in change.html


def test_the_texts_before_a_change_are_those_that_tools_wrote_and_those_of_the_last_change(
    m: Memory, vault: pathlib.Path
) -> None:
    m.write("n1", "See [[first]].\n")
    m.rename("first", "second")  # this changes "n1", too
    ready = engine(m).recorder.ready
    ready.clear()
    (vault / "n2.md").write_text("by hand\n")
    m.wait_ready()
    assert ready.wait(30), "then it has read the texts that tools have written, too"
    swap(vault / "n1.md", "by hand, instead of what the tool wrote\n")
    assert not any(one.trouble for card in outside(m) for one in m.change(None, card.edit, first=1).notes)
    assert m.show("n1", "3") == "See [[second]].\n"
    m.write("n3", "by a tool\n")  # so that the next change does not continue the last one
    text = (vault / "n2.md").read_bytes()
    for version in (vault / ".zkmem/versions").glob(f"{etag(text)}*"):
        version.unlink()  # as if it had become too old
    (vault / "n2.md").write_text("by hand again\n")
    assert not any(one.trouble for one in m.change(None, outside(m)[0].edit, first=1).notes)
    last, first = (one.rev for one in m.log("n2", by="others"))
    assert "\n-by hand\n+by hand again\n" in m.diff("n2", first, last)
    (vault / "n2.md").unlink()
    outside(m)
    assert texts_in_memory(m).tag("n2.md") is None


@pytest.mark.parametrize(("name", "most"), [("_MOST_TEXTS", 2), ("_MOST_BYTES", 2 * (23 + 10))])
def test_the_texts_of_a_change_are_kept_within_bounds(
    m: Memory, vault: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    monkeypatch.setattr(recorder, "_SLICE", 1)
    monkeypatch.setattr(recorder, name, most)
    for number in range(4):
        swap(vault / f"n{number}.md", f"by hand {number}\n")
    (card,) = outside(m)
    assert sum(bool(one.trouble) for one in m.change(None, card.edit, first=1).notes) == 2


def test_the_texts_that_are_kept_have_the_permissions_of_the_note(m: Memory, vault: pathlib.Path) -> None:
    """Nobody may read a text in the versions who may not read the note. Those of a note that is gone are unknown."""
    before = (vault / "n2.md").read_bytes()
    (vault / "n1.md").write_text("by hand\n")
    (vault / "n1.md").chmod(0o640)
    (vault / "n2.md").unlink()
    assert sorted(listed(m)) == [("n1", "changed"), ("n2", "deleted")]
    modes = {text: (vault / ".zkmem/versions" / etag(text)).stat().st_mode & 0o777 for text in (b"by hand\n", before)}
    assert modes == {b"by hand\n": 0o640, before: 0o600}


def test_the_saves_of_a_note_within_minutes_are_one_change(m: Memory, vault: pathlib.Path) -> None:
    for number in range(4):
        (vault / "n1.md").write_text(f"Note 1 with {number} words\n")
        (card,) = outside(m)
        assert card.edits == 1
    (change,) = m.change(None, card.edit, first=1).notes
    assert (change.added, change.removed) == (1, 1)
    assert "3" in change.html


def test_a_change_by_hand_can_be_undone(m: Memory, vault: pathlib.Path) -> None:
    before = (vault / "n1.md").read_text()
    (vault / "n1.md").write_text(before + "\nAdded by hand.\n")
    (vault / "n2.md").unlink()
    (vault / "new.md").write_text("new\n")
    os.rename(vault / "n3.md", vault / "moved.md")
    (card,) = outside(m)
    m.write("n1", "\nAdded by a tool.\n", append=True)
    assert m.preview_undo(edit=card.edit, sitting=True).changes
    m.undo(edit=card.edit, sitting=True)
    assert (vault / "n1.md").read_text() == before + "\nAdded by a tool.\n"
    assert (vault / "n2.md").read_text() == "Note 2 with some words\n"
    assert (vault / "n3.md").exists()
    assert not (vault / "new.md").exists()
    (card,) = outside(m)
    assert card.undone
    m.redo()
    assert not outside(m)[0].undone
    assert "Added by hand" in (vault / "n1.md").read_text()


def test_undo_without_a_number_leaves_changes_by_hand(m: Memory, vault: pathlib.Path) -> None:
    (vault / "n1.md").write_text("by hand\n")
    assert outside(m)
    m.undo()
    assert not (vault / "first.md").exists()
    with pytest.raises(NothingToUndo):
        m.undo()
    assert (vault / "n1.md").read_text() == "by hand\n"


def test_of_two_servers_one_records(m: Memory, vault: pathlib.Path) -> None:
    with running(vault) as other:
        for number in range(3):
            (vault / f"n{number}.md").write_text("by hand\n")
            m.wait_ready()
            other.wait_ready()
            other.review()
            m.review()
        assert sorted(listed(m)) == sorted(listed(other)) == [(f"n{number}", "changed") for number in range(3)]
        m.write("n3", "by a tool\n")
        other.review()
        m.close()
        (vault / "n3.md").write_text("after the first one has ended\n")
        assert ("n3", "changed") in listed(other)
        for number in range(4):
            now = (vault / f"n{number}.md").read_bytes()
            assert_path(edges_of(other, f"n{number}.md"), etag(b"Note %d with some words\n" % number), etag(now))


def test_what_changes_while_no_server_runs_is_recorded_at_the_next_start(vault: pathlib.Path) -> None:
    running(vault).close()
    (vault / "n1.md").write_text("by hand\n")
    (vault / "n2.md").unlink()
    (vault / "new.md").write_text("new\n")
    Memory(str(vault)).write("n3", "by a tool\n")
    with running(vault) as memory:
        (card,) = outside(memory)
        assert card.outside == "away"
        assert sorted((one.name, one.outcome) for one in card.notes) == [
            ("n1", "changed"),
            ("n2", "deleted"),
            ("new", "created"),
        ]
    with running(vault) as memory:
        assert len(outside(memory)) == 1


def test_a_change_while_no_server_runs_is_found_before_an_edit_of_another_process(vault: pathlib.Path) -> None:
    """The other process makes its edit when the server has begun to record, but has not compared the notes yet."""
    running(vault).close()
    Memory(str(vault)).write("n2", "by a tool\n")
    for name in ("n1", "n2"):
        (vault / f"{name}.md").write_text("by hand\n")
    with Memory(str(vault)) as memory:
        engine(memory).recorder.start()
        for name in ("n1", "n2", "n3"):
            Memory(str(vault)).write(name, "by another process\n", append=True)
        memory.start()
        assert engine(memory).recorder.ready.wait(30)
        (card,) = outside(memory)
        assert (card.outside, sorted(one.name for one in card.notes)) == ("away", ["n1", "n2"])
        for name, first in (("n1", b"Note 1 with some words\n"), ("n2", b"Note 2 with some words\n")):
            now = (vault / f"{name}.md").read_bytes()
            assert_path(edges_of(memory, f"{name}.md"), etag(first), etag(now))


def test_a_server_that_is_killed_loses_no_change_and_lists_none_twice(vault: pathlib.Path) -> None:
    program = (
        "import os, sys; from zkmem.memory import Memory\n"
        "m = Memory(sys.argv[1]); m.start(); m.wait_ready()\n"
        "open(sys.argv[1] + '/n1.md', 'w').write('by hand'); m.wait_ready(); m.review()\n"
        "open(sys.argv[1] + '/n2.md', 'w').write('by hand'); m.wait_ready()\n"
        "m._engine.live._cache_writer.save(); os.kill(os.getpid(), 9)\n"
    )
    running(vault).close()
    subprocess.run([sys.executable, "-c", program, str(vault)], check=False)
    with running(vault) as memory:
        assert [one for one in listed(memory) if one[0] == "n1"] == [("n1", "changed")]
        assert len(listed(memory)) <= 2


def test_a_vault_that_no_tool_has_edited_stays_as_it_is(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.md").write_text("a\n")
    with running(tmp_path) as memory:
        (tmp_path / "a.md").write_text("b\n")
        assert outside(memory) == []
        assert not (tmp_path / ".zkmem").exists()
        memory.write("b", "by a tool\n")
        assert outside(memory) == [], "what came before the first edit is not recorded"
        (tmp_path / "a.md").write_text("c\n")
        assert listed(memory) == [("a", "changed")]


@pytest.fixture
def repository(vault: pathlib.Path) -> pathlib.Path:
    """Return a vault in which git can check out the branch "other", whose note "n1" differs, and "n4" is missing."""
    git(vault, "init", "-b", "main")
    git(vault, "add", ".")
    git(vault, "commit", "-m", "one")
    git(vault, "checkout", "-b", "other")
    (vault / "n1.md").write_text("on another branch\n")
    (vault / "n4.md").unlink()
    git(vault, "commit", "-a", "-m", "two")
    git(vault, "checkout", "main")
    return vault


def origins(memory: Memory) -> dict[str, str]:
    """Return the origin of the last change by another program of each note that has one."""
    return {note.name: card.outside for card in reversed(outside(memory)) for note in card.notes}


def test_what_changes_after_a_checkout_by_git_is_by_hand(repository: pathlib.Path) -> None:
    with running(repository) as memory:
        git(repository, "checkout", "other")
        later = (repository / ".git/logs/HEAD").stat().st_mtime_ns + 1
        swap(repository / "n2.md", "by hand\n", later)
        assert origins(memory) == {"n1": "git checkout", "n4": "git checkout", "n2": "hand"}
        (repository / "n0.md").unlink()
        assert origins(memory)["n0"] == "hand", "nothing that git wrote has changed with it"
        (repository / "n3.md").unlink()
        swap(repository / "n2.md", "by hand again\n", later)
        assert (origins(memory)["n3"], origins(memory)["n2"]) == ("hand", "hand")


def test_a_file_with_an_old_time_that_comes_long_after_a_checkout_is_by_hand(repository: pathlib.Path) -> None:
    with running(repository) as memory:
        git(repository, "checkout", "-b", "third")
        minute_ago = (repository / "n2.md").stat().st_mtime_ns - 60 * 10**9
        for name in ("index", "logs/HEAD"):
            os.utime(repository / ".git" / name, ns=(minute_ago, minute_ago))
        swap(repository / "n2.md", "by hand\n", minute_ago - 1)
        assert origins(memory) == {"n2": "hand"}


def test_git_has_not_made_what_changed_before_the_start(repository: pathlib.Path) -> None:
    running(repository).close()
    (repository / "n2.md").write_text("by hand\n")
    with Memory(str(repository)) as memory:
        engine(memory).recorder.start()
        git(repository, "checkout", "-b", "third")
        memory.start()
        assert engine(memory).recorder.ready.wait(30)
        assert origins(memory) == {"n2": "away"}


def test_a_checkout_by_git_is_one_bounded_change(vault: pathlib.Path) -> None:
    git(vault, "init", "-b", "main")
    git(vault, "add", ".")
    git(vault, "commit", "-m", "one")
    git(vault, "checkout", "-b", "other")
    for number in range(1_100):
        (vault / f"many {number}.md").write_text(f"{number}\n")
    (vault / "n1.md").write_text("on another branch\n")
    git(vault, "add", ".")
    git(vault, "commit", "-m", "two")
    git(vault, "checkout", "main")
    with running(vault) as memory:
        git(vault, "checkout", "other")
        (card,) = outside(memory)
        assert (card.outside, card.edits) == ("git checkout", 1)
        assert sum(one.notes for one in card.counts) + card.more == 1_101
        assert len(card.notes) == 20
        with pytest.raises(NothingToUndo, match="git"):
            memory.undo(edit=card.edit)
        (vault / "n2.md").write_text("by hand\n")
        sizes = [(card.outside, sum(one.notes for one in card.counts)) for card in outside(memory)]
        assert sizes == [("hand", 1), ("git checkout", 1_000)]


def test_a_caller_of_a_folder_sees_the_changes_there_alone(m: Memory, vault: pathlib.Path) -> None:
    (vault / "a").mkdir()
    (vault / "a/in.md").write_text("inside\n")
    (vault / "out.md").write_text("outside\n")
    os.rename(vault / "n1.md", vault / "a/n1.md")
    assert len(listed(m)) == 3
    restricted = m.restricted(Grant("a"))
    (card,) = restricted.review().sittings
    assert [one.name for one in card.notes] == ["a/in"]
    assert [one.name for one in restricted.change(None, card.edit, first=1).notes] == ["a/in"]
    brief = restricted.brief()
    assert ([one.note for one in brief.lines], brief.more, brief.clients[0].notes) == (["a/in"], 0, 1)
    restricted.undo(edit=card.edit)
    assert not (vault / "a/in.md").exists()
    assert (vault / "out.md").exists()
    (vault / "n2.md").write_text("outside\n")
    newest = outside(m)[0].edit
    with pytest.raises(UnknownEdit):
        restricted.change(None, newest, first=1)


def test_paging_reaches_the_first_change_of_both_logs(
    m: Memory, vault: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_log, "PAUSE_S", 0.0)
    for number in range(4):
        (vault / f"n{number}.md").write_text("by hand\n")
        m.write(f"n{number}", "by a tool\n", append=True)
    pages, before = [], None
    while True:
        page = m.review(before=before, limit=2)
        pages += [(card.edit, card.outside) for card in page.sittings]
        if page.next is None:
            break
        before = page.next
    assert pages == [(number, "hand" if number % 2 == 0 else "") for number in range(9, 0, -1)]
    m.mark_seen("ann", 5, earlier=True)
    assert m.brief("ann").edits == 4


STEPS = st.lists(
    st.tuples(st.sampled_from(["hand", "tool", "other", "remove", "look"]), st.integers(0, 2)), min_size=1, max_size=12
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_every_change_is_listed_once_in_the_order_of_time(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    """Check that the edits and changes of a note lead from its first text to its last, without a gap."""
    vault = tmp_path_factory.mktemp("vault")
    first = {f"n{number}.md": f"first {number}\n" for number in range(3)}
    for name, text in first.items():
        (vault / name).write_text(text)
    Memory(str(vault)).write("first", "by a tool\n")
    with running(vault) as memory:
        for count, (action, number) in enumerate(steps):
            file, text = vault / f"n{number}.md", f"{action} {count}\n"
            if action == "hand":
                file.write_text(text)
            elif action == "remove":
                file.unlink(missing_ok=True)
            elif action == "look":
                outside(memory)
            else:
                by = memory if action == "tool" else Memory(str(vault))
                unread = by.on_behalf(session=count)  # a session that has not read what it replaces
                unread.write(f"n{number}", text, append=count % 2 == 0)
        outside(memory)
        changes = list(engine(memory).past.changes())[::-1]
        times = [entry.time for entry in changes]
        assert times == sorted(times)
        for name, text in first.items():
            edges = [(c.before, c.after) for entry in changes for c in entry.changes if c.path == name]
            now = etag((vault / name).read_bytes()) if (vault / name).exists() else None
            assert_path(edges, etag(text.encode()), now)
            written = {entry.number for entry in changes if not entry.outside}
            assert len(written) == 1 + sum(action in {"tool", "other"} for action, _ in steps)


def assert_path(edges: list[tuple[str | None, str | None]], first: str | None, last: str | None) -> None:
    """Check that the edges are one way from `first` to `last`: each is used once, and none is missing."""
    degree = Counter(after for _, after in edges)
    degree.subtract(before for before, _ in edges)
    degree[first] += 1
    degree[last] -= 1
    assert not any(degree.values()), f"{edges} do not lead from {first} to {last}"
    assert len(set(edges)) == len(edges)


def test_a_memory_that_is_started_twice_has_one_thread_that_records_and_ends_it(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    memory.start()
    memory.start()
    memory.write("a", "Text.\n")
    assert [thread.name for thread in threading.enumerate()].count("zkmem-recorder") == 1
    memory.close()
    assert "zkmem-recorder" not in [thread.name for thread in threading.enumerate()]
