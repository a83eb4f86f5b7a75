"""The order of the locks: threads never wait for each other in a circle."""

import contextlib
import inspect
import os
import pathlib
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.hooks.answers import HookParts
from zkmem.index import reader
from zkmem.markdown.note import NoteFacts, parse
from zkmem.memory import Memory
from zkmem.memory.editor import InEditor
from zkmem.util.locks import Lock, OutOfOrder, Rank, expect, lock

PATIENCE = 30.0

CALLS: dict[str, Callable[[Memory], object]] = {
    "advice": lambda memory: memory.advice(),
    "append": lambda memory: memory.append("in/a", "x"),
    "backlinks": lambda memory: memory.backlinks("in/a"),
    "check": lambda memory: memory.check(),
    "secrets": lambda memory: memory.secrets(),
    "complete": lambda memory: memory.complete("a"),
    "in_use": lambda memory: memory.in_use("a"),
    "places": lambda memory: memory.places("a"),
    "conflicts": lambda memory: memory.conflicts(),
    "copies": lambda memory: memory.copies(),
    "counts": lambda memory: memory.counts(),
    "delete": lambda memory: memory.delete("in/c"),
    "diff": lambda memory: memory.diff("in/a"),
    "edit": lambda memory: memory.edit(lambda _: None),
    "edit_each": lambda memory: memory.edit_each([lambda _: None]),
    "entries": lambda memory: memory.entries(9, wait_s=9),
    "exists": lambda memory: memory.exists("in/a"),
    "extract": lambda memory: memory.extract("in/a", "passage", "in/e"),
    "answer_hook": lambda memory: memory.answer_hook("session-start", "codex", b"{}", HookParts()),
    "given": lambda memory: memory.given(),
    "graph": lambda memory: memory.graph(),
    "tree": lambda memory: memory.tree(),
    "has_folder": lambda memory: memory.has_folder("in"),
    "hints": lambda memory: memory.hints(),
    "hint_state": lambda memory: memory.hint_state(),
    "draft_hint": lambda memory: memory.draft_hint(),
    "propose_hint": lambda memory: memory.propose_hint(),
    "links": lambda memory: memory.links("in/a"),
    "names": lambda memory: memory.names(folder="in"),
    "path": lambda memory: memory.path("in/a"),
    "load": lambda memory: memory.load(),
    "load_names": lambda memory: memory.load_names(),
    "log": lambda memory: memory.log("in/a"),
    "look": lambda memory: memory.look(lambda _: None),
    "merge_copy": lambda memory: memory.merge_copy("in/a"),
    "page": lambda memory: memory.page("in/a"),
    "preview_extract": lambda memory: memory.preview_extract("in/a", "passage", "in/e"),
    "preview_rename": lambda memory: memory.preview_rename("in/a", "in/d"),
    "read": lambda memory: memory.read("in/a", 1),
    "read_file": lambda memory: memory.read_file("in/x.txt"),
    "redo": lambda memory: memory.redo(),
    "rename": lambda memory: memory.rename("in/b", "in/d"),
    "resolve": lambda memory: memory.resolve("in/a"),
    "restore": lambda memory: memory.restore("in/a", "1"),
    "save": lambda memory: memory.save("in/new", "", None),
    "search": lambda memory: memory.search("passage"),
    "linked": lambda memory: memory.linked([("in/a.md", "")]),
    "load_search": lambda memory: memory.load_search(),
    "query": lambda memory: memory.query("x > 1"),
    "files": lambda memory: memory.files("in"),
    "text_of": lambda memory: memory.text_of("in/a.md"),
    "data_of": lambda memory: memory.data_of("in/a.md"),
    "create_files": lambda memory: memory.create_files({"in/new.txt": b"x"}),
    "rewrite_file": lambda memory: memory.rewrite_file("in/a.md", str.upper),
    "delete_files": lambda memory: memory.delete_files("in"),
    "move_files": lambda memory: memory.move_files("in/a.md", "in/moved.md"),
    "attach": lambda memory: memory.attach("in/a", "x", b"GIF89a"),
    "detach": lambda memory: memory.detach(["in/x.txt"]),
    "bases": lambda memory: memory.bases(),
    "properties": lambda memory: memory.properties("in/a"),
    "set_properties": lambda memory: memory.set_properties({"x": 1}, ["in/a"]),
    "preview_properties": lambda memory: memory.preview_properties({"x": 1}, ["in/a"]),
    "edit_section": lambda memory: memory.edit_section("in/a", "New", "x", "append", create=True),
    "daily_name": lambda memory: memory.daily_name(),
    "write_daily": lambda memory: memory.write_daily("", "x"),
    "show": lambda memory: memory.show("in/a", "1"),
    "why": lambda memory: memory.why("in/a"),
    "edits_of_session": lambda memory: memory.edits_of_session("s"),
    "read_earlier": lambda memory: memory.read_earlier("in/a", "1"),
    "page_earlier": lambda memory: memory.page_earlier("in/a", "1"),
    "target_earlier": lambda memory: memory.target_earlier("b", "in/a", "1"),
    "suggestions": lambda memory: memory.suggestions(),
    "unlinked": lambda memory: memory.unlinked(),
    "sync": lambda memory: memory.sync(),
    "sync_state": lambda memory: memory.sync_state(),
    "undo": lambda memory: memory.undo(),
    "preview_undo": lambda memory: memory.preview_undo(edit=1),
    "undo_line": lambda memory: memory.undo_line("in/a", 1),
    "preview_undo_line": lambda memory: memory.preview_undo_line("in/a", 1),
    "previewed_notes": lambda memory: memory.previewed_notes(memory.preview_undo(edit=1)),
    "preview_redo": lambda memory: memory.preview_redo(),
    "review": lambda memory: memory.review(),
    "mentions": lambda memory: memory.mentions("in/a"),
    "home": lambda memory: memory.home(),
    "link": lambda memory: memory.link("in/a", "x", 0, "in/b", ""),
    "repoint": lambda memory: memory.repoint(["in/a"], "b", "in/b"),
    "brief": lambda memory: memory.brief(),
    "replay": lambda memory: memory.replay(),
    "change": lambda memory: memory.change("in/a", 1),
    "mark_viewed": lambda memory: memory.mark_viewed("", [("in/a", 1, 1)]),
    "mark_seen": lambda memory: memory.mark_seen("", 1),
    "mark_unseen": lambda memory: memory.mark_unseen("", [(1, 1)]),
    "proposed": lambda memory: memory.proposed(),
    "blocked": lambda memory: memory.blocked("bot"),
    "proposed_changes": lambda memory: memory.proposed_changes("bot"),
    "proposed_versions": lambda memory: memory.proposed_versions("bot", 1),
    "proposed_numbers": lambda memory: memory.proposed_numbers("bot"),
    "proposed_diff": lambda memory: memory.proposed_diff("bot"),
    "accept": lambda memory: memory.accept("bot", [1]),
    "drop": lambda memory: memory.drop("bot"),
    "in_editor": lambda memory: _in_editor(memory.in_editor()),
    "wait_ready": lambda memory: memory.wait_ready(),
    "write": lambda memory: memory.write("in/a", "a line", append=True),
}
NO_CALLS = {
    "close", "last_author", "listen", "listen_to_proposed", "on_behalf", "reaches", "restricted", "set_up", "start",
    "stop", "vault", "version", "proposes", "reads_only", "person",
}  # fmt: skip


def test_every_method_of_the_door_is_called_here() -> None:
    methods = {name for name, _ in inspect.getmembers(Memory) if not name.startswith("_")}
    assert methods - NO_CALLS == set(CALLS)


@pytest.mark.parametrize("grant", [Grant(), Grant("in"), Grant(read_only=True)], ids=["all", "folder", "reading"])
def test_no_call_stops_the_others_while_the_index_is_built(
    tmp_path: pathlib.Path, grant: Grant, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = {f"in/{name}.md": f"[[{name}1]] a passage of {name}" for name in "abc"}
    memory = Memory(write(tmp_path, notes | {"in/x.txt": "x"}))
    reached, go_on = threading.Event(), threading.Event()

    def held(data: bytes) -> NoteFacts:
        reached.set()
        go_on.wait(PATIENCE)
        return parse(data)

    monkeypatch.setattr(reader, "parse", held)
    memory.start(watch=False)
    assert reached.wait(PATIENCE)
    door = memory.restricted(grant)
    wrong: list[BaseException] = []
    threads = [threading.Thread(target=_call, args=(one, door, wrong), daemon=True) for one in CALLS.values()]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []
    memory.close()


def _in_editor(notes: InEditor) -> None:
    """Call the methods for a text editor that use the index."""
    data = b"[[b]] [["
    typed = notes.typed(data, len(data))
    assert typed
    notes.prepare()
    notes.choices("in/a.md", typed, 5, notes.read)
    notes.faults("in/a.md", data, notes.read)
    notes.find("a", notes.read)
    notes.links_to_missing("in/a.md", "b1")
    notes.preview("in/a.md", "", 100, notes.read, slugs=False)
    notes.references(notes.subject("in/a.md", data, 3, notes.read), notes.read, [], 5)
    notes.references(notes.subject("in/a.md", b"#x", 1, notes.read), notes.read, [], 5)


def _call(call: Callable[[Memory], object], door: Memory, wrong: list[BaseException]) -> None:
    """Make a call, which may be refused, but not for a lock."""
    try:
        call(door)
    except OutOfOrder as error:
        wrong.append(error)
    except Exception:  # noqa: BLE001 - what else it says is tested elsewhere
        pass


@contextlib.contextmanager
def breach() -> Iterator[None]:
    """Expect one breach of the order, and take it out of the report that fails a test."""
    with pytest.raises(OutOfOrder):
        yield
    report = pathlib.Path(os.environ["ZKMEM_CHECK_LOCKS"])
    assert "wanted by a thread that holds" in report.read_text("utf-8")
    report.write_text("", encoding="utf-8")


@pytest.fixture
def locks() -> tuple[Lock, Lock]:
    return lock(Rank.LOAD), lock(Rank.INDEX, reentrant=True)


def test_a_lock_is_not_taken_by_a_thread_that_holds_a_later_one(locks: tuple[Lock, Lock]) -> None:
    load, index = locks
    with load, index:
        pass
    with index, breach():
        load.acquire()
    with load:
        pass


def test_a_lock_that_is_only_taken_now_and_then_is_checked_always(locks: tuple[Lock, Lock]) -> None:
    load, index = locks
    expect(load)
    with index, breach():
        expect(load)


def test_two_locks_of_one_rank_are_not_held_together() -> None:
    with lock(Rank.LEAF), breach():
        lock(Rank.LEAF).acquire()


def test_only_a_reentrant_lock_is_taken_twice(locks: tuple[Lock, Lock]) -> None:
    load, index = locks
    with index, index:
        pass
    with load, breach():
        load.acquire()


def test_without_the_check_locks_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.util.locks._REPORT", "")
    assert type(lock(Rank.LEAF)) is type(threading.Lock())
    assert type(lock(Rank.LEAF, reentrant=True)) is type(threading.RLock())
