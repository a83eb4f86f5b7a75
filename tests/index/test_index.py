"""The index in the cache: what a start, an edit and a damage cost, in counts, and that nothing stale is served."""

import contextlib
import gc
import logging
import math
import multiprocessing
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.inner import cache_writer, difference, engine, index_faults, index_lock, unsaved
from tests.tools.lives import Life
from tests.tools.servers import ERAS, client
from tests.tools.vaults import fresh_index, random_files, write
from zkmem.errors import AmbiguousName, Closed, ZkError
from zkmem.index import graph, live, reader
from zkmem.index.catalog import Catalog, CatalogRow
from zkmem.index.digraph import LinkDiGraph
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.index.store import writer
from zkmem.index.store.database import cache_file
from zkmem.index.store.snapshot import links_of, snapshot_of
from zkmem.markdown import links, plain
from zkmem.memory import Memory
from zkmem.recall.weights import Weights, components, weights
from zkmem.serve.mcp import client as mcp_client
from zkmem.util import workers
from zkmem.util.waiting import WouldWait, without_waiting
from zkmem.vault import files, platform
from zkmem.vault.store import Store

_opened: list[str] | None = None


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _opened is not None and event == "open":
        _opened.append(os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else "")


sys.addaudithook(_audit)  # which stays


@contextlib.contextmanager
def opened(root: str) -> Iterator[list[str]]:
    """The notes that this process opens meanwhile."""
    global _opened  # noqa: PLW0603 - a hook has no other place
    every: list[str] = []
    found: list[str] = []
    _opened = every
    try:
        yield found
    finally:
        _opened = None
        found += [path for path in every if path.startswith(root) and path.endswith(".md") and "/.zkmem" not in path]


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets that are resolved for the graph."""
    seen: list[str] = []
    original = resolve

    def resolving(files: Any, target: str, source: str) -> Any:
        seen.append(target)
        return original(files, target, source)

    monkeypatch.setattr(graph, "resolve", resolving)
    return seen


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was just written can be told by its stamp."""
    monkeypatch.setattr(files, "RACY_NS", 0)
    monkeypatch.setattr(files, "_RACY_WHOLE_NS", 0)


def vault_of(folder: pathlib.Path, notes: int) -> str:
    return write(
        folder / str(notes), {f"n{number}.md": f"[[n{number // 2}]] [[gone{number}]]\n" for number in range(notes)}
    )


def left(root: str) -> None:
    """Start, ask for what is kept, and stop."""
    memory = Memory(root)
    memory.hints()
    memory.close()


def statements(memory: Memory, work: Callable[[], object]) -> list[str]:
    """What is written to the cache by some work."""
    seen: list[str] = []
    connection = cache_writer(memory)._cache._connection
    assert connection
    connection.set_trace_callback(seen.append)
    work()
    connection.set_trace_callback(None)
    return [statement for statement in seen if statement.startswith(("INSERT", "DELETE", "UPDATE"))]


# --- counts


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("notes", [30, 300])
def test_a_start_without_changes_reads_no_note_and_resolves_no_link(
    tmp_path: pathlib.Path, resolved: list[str], notes: int
) -> None:
    root = vault_of(tmp_path, notes)
    left(root)
    resolved.clear()
    memory = Memory(root)
    with opened(root) as seen:
        hints = memory.hints(notes)
    assert (seen, resolved) == ([], [])
    assert not index_faults(memory)
    assert [hint.weight for hint in hints] == sorted(engine(memory).ranking.weights()[f"{h.name}.md"] for h in hints)[
        ::-1
    ]
    assert statements(memory, cache_writer(memory).save) == []


@pytest.mark.usefixtures("calm")
def test_a_first_start_reads_each_note_once(tmp_path: pathlib.Path) -> None:
    root = vault_of(tmp_path, 30)
    memory = Memory(root)
    with opened(root) as seen:
        memory.hints()
    assert sorted(seen) == sorted(f"{root}/n{number}.md" for number in range(30))


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("notes", [30, 300])
def test_a_start_after_an_edit_by_hand_costs_that_note(tmp_path: pathlib.Path, resolved: list[str], notes: int) -> None:
    root = vault_of(tmp_path, notes)
    left(root)
    resolved.clear()
    write(root, {"n7.md": "[[n1]] [[n2]]\n"})
    memory = Memory(root)
    with opened(root) as seen:
        memory.load()
    assert seen == [f"{root}/n7.md"]
    assert sorted(resolved) == ["n1", "n2"]
    assert not index_faults(memory)
    assert len(statements(memory, cache_writer(memory).save)) == 1


@pytest.mark.usefixtures("calm")
def test_an_edit_costs_the_same_in_any_vault(tmp_path: pathlib.Path, resolved: list[str]) -> None:
    costs = []
    for notes in (30, 300):
        root = vault_of(tmp_path, notes)
        memory = Memory(root)
        memory.hints()
        cache_writer(memory).save()
        resolved.clear()
        with opened(root) as seen:
            memory.write("n9", "[[n3]]\n", append=True)
            memory.write("new", "[[n9]]\n")
            memory.write("gone9", "Here now.\n")
            memory.delete("new")
        costs.append((len(resolved), len(seen)))
        assert len(statements(memory, cache_writer(memory).save)) == 3
    assert costs[0] == costs[1]
    assert max(costs[0]) < 12


@pytest.mark.usefixtures("calm")
def test_a_note_that_was_only_touched_is_read_but_not_parsed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_of(tmp_path, 30)
    left(root)
    os.utime(os.path.join(root, "n7.md"), ns=(1, 1))
    monkeypatch.setattr(reader, "parse", None)
    memory = Memory(root)
    with opened(root) as seen:
        memory.load()
    assert seen == [f"{root}/n7.md"]


def test_weights_are_computed_anew_only_for_what_an_edit_reaches(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_of(tmp_path, 300)
    memory = Memory(root)
    memory.hints()
    monkeypatch.setattr(Weights, "_compute", None)
    memory.write("n9", "Words.\n", append=True)
    memory.write("n9", "[[leaf]]\n", append=True)
    memory.write("leaf", "A leaf.\n")
    memory.write("n9", "[[n4]]\n", old="[[n4]] [[gone9]]")
    memory.delete("leaf")
    found = engine(memory).ranking.weights()
    monkeypatch.undo()
    assert found == weights(fresh_index(root).links.graph, graph.counts)


# --- in step with the files


def test_after_restarts_and_damage_the_index_equals_one_from_scratch(tmp_path: pathlib.Path) -> None:
    for seed in range(2):
        Life(str(tmp_path / str(seed)), seed).live(200)


@pytest.mark.usefixtures("calm")
def test_other_bytes_under_the_old_date_and_size_are_seen(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": "[[b]]"})
    left(root)
    info = os.stat(tmp_path / "a.md")
    with open(tmp_path / "a.md", "r+b") as file:
        file.write(b"[[c]]")
    os.utime(tmp_path / "a.md", ns=(info.st_atime_ns, info.st_mtime_ns))
    memory = Memory(root)
    memory.load()
    assert memory.read("a").missing == ["c"]
    assert not index_faults(memory)


@pytest.mark.parametrize("ahead_s", [-3_600, 3_600])
def test_a_clock_that_jumps_deceives_nobody(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, ahead_s: int
) -> None:
    root = write(tmp_path, {"a.md": "[[b]]"})
    with monkeypatch.context() as patch:
        now = os.stat(tmp_path / "a.md").st_mtime_ns
        patch.setattr("time.time_ns", lambda: now + ahead_s * 10**9)
        left(root)
    write(root, {"a.md": "[[c]]"})
    memory = Memory(root)
    memory.load()
    assert not index_faults(memory)


def test_a_note_that_was_written_within_a_tick_is_read_again_by_the_next_process(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "RACY_NS", 10**15)
    root = vault_of(tmp_path, 3)
    left(root)
    with opened(root) as seen:
        Memory(root).load()
    assert len(seen) == 3


def test_dates_beyond_what_the_cache_can_hold(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": "[[b]]", "b.md": ""})
    os.utime(tmp_path / "a.md", ns=(10**19, 10**19))  # the year 2286, and ext4 goes further
    for _ in range(2):
        left(root)
    memory = Memory(root)
    memory.load()
    assert not index_faults(memory)


# --- the cache itself


DAMAGES = [
    "DROP TABLE notes",
    "DELETE FROM notes",
    "UPDATE notes SET size = 'x', mtime_ns = NULL",
    "UPDATE snapshot SET targets = zeroblob(length(targets))",
    "UPDATE snapshot SET files = 'nobody'",
    "UPDATE snapshot SET etags = NULL",
    "UPDATE snapshot SET byteorder = 'middle'",
    "UPDATE derived SET data = zeroblob(length(data))",
    "UPDATE derived SET data = NULL",
    "DELETE FROM derived",
    "DELETE FROM snapshot",
    "PRAGMA user_version = 1",
    # SQLite says what is wrong with a statement that is no text
    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = CAST(x'43524541544520ff' AS TEXT) WHERE name = 'notes'",
]


@pytest.mark.parametrize("how", DAMAGES)
def test_what_is_damaged_is_made_anew_in_silence(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    root = write(tmp_path, random_files(random.Random(1), 30))
    left(root)
    with contextlib.closing(sqlite3.connect(cache_file(root))) as connection, connection:
        connection.executescript(how)
    for _ in range(2):
        memory = Memory(root)
        memory.hints()
        assert not index_faults(memory)
        assert engine(memory).ranking.weights() == weights(engine(memory).live.index.links.graph, graph.counts)
        memory.close()
    assert caplog.text == ""


@pytest.mark.parametrize("refusal", ["a file in the way", "a network drive", "a full disk"])
def test_without_a_cache_all_works_and_it_is_said_once(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, refusal: str
) -> None:
    root = write(tmp_path / "vault", {"a.md": "[[b]] orchard"})
    if refusal == "a file in the way":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "vault" / "a.md"))
    elif refusal == "a network drive":
        monkeypatch.setattr(platform.current, "is_remote", lambda folder: folder != root)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", "/dev/full")
    memory = Memory(root)
    assert memory.hints()[0].name == "a"
    assert len(memory.search("orchard")) == 1
    memory.write("b", "orchard\n")
    assert len(memory.search("orchard")) == 2
    memory.close()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_cache_that_others_keep_locked_is_done_without(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = vault_of(tmp_path, 30)
    left(root)
    with contextlib.closing(sqlite3.connect(cache_file(root), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        memory = Memory(root)
        memory.write("n7", "[[n1]]")
        cache_writer(memory).save()
        assert "n7.md" in unsaved(memory)
        other.execute("ROLLBACK")
    cache_writer(memory).save()
    assert unsaved(memory) == set()
    assert caplog.text == ""


def test_a_server_saves_what_is_new_without_being_stopped(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = threading.Event()
    original = writer.CacheWriter.save

    def save(self: writer.CacheWriter, *, idle: bool = True) -> bool:
        done = original(self, idle=idle)
        saved.set()
        return done

    monkeypatch.setattr(writer.CacheWriter, "save", save)
    monkeypatch.setattr("zkmem.index.live._QUIET_S", 0.01)
    root = vault_of(tmp_path, 3)
    memory = Memory(root)
    memory.start()
    memory.load()
    assert saved.wait(60)
    with contextlib.closing(sqlite3.connect(cache_file(root))) as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (3,)
    memory.close()


def _work(root: str, number: int) -> None:
    rng = random.Random(number)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    for _ in range(6):
        memory = Memory(root)
        memory.start()
        for turn in range(10):
            memory.write(f"p{number} {rng.randrange(9)}", f"[[n{rng.randrange(60)}]] word{number}\n", append=True)
            memory.hints()
            if turn % 5 == 0:
                cache_writer(memory).save()
                assert memory.search(f"word{number}")
        memory.close()


@pytest.mark.slow
def test_processes_on_one_cache_do_not_disturb_each_other(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = vault_of(tmp_path, 60)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_work, args=(root, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert capfd.readouterr().err == ""
    memory = Memory(root)
    memory.load()
    assert not index_faults(memory)


def test_processes_read_many_notes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, {**random_files(random.Random(2), 60), "bad.md": b"\xff [[b]]"})
    os.mkdir(tmp_path / "folder")
    expected = fresh_index(root)
    monkeypatch.setattr(reader, "_MANY", 0)
    monkeypatch.setattr(reader, "_SLICE_SENT", 7)
    monkeypatch.setattr(reader, "parse", None)  # not in this process
    found = Index(Store(root))
    steps: list[tuple[int, int]] = []
    found.build(lambda *step: steps.append(step))
    assert not difference(found, expected)
    assert steps[-1] == (len(list(found.catalog.notes())),) * 2


@pytest.mark.parametrize("command", ["nothing", "false", "echo this is no answer"])
def test_processes_that_fail_are_done_without(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    root = write(tmp_path, random_files(random.Random(2), 60))
    monkeypatch.setattr(reader, "_MANY", 0)
    tool = tmp_path / ".bin"
    tool.write_text(f"#!/bin/sh\n{command}\n" if command != "nothing" else "")
    tool.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tool))
    found = Index(Store(root))
    found.build()
    monkeypatch.undo()
    assert not difference(found, fresh_index(root))


@pytest.mark.usefixtures("calm")
def test_another_process_that_ends_takes_nothing_from_this_one(tmp_path: pathlib.Path) -> None:
    root = vault_of(tmp_path, 30)
    memory = Memory(root)
    memory.search("gone")  # with a connection of its own
    cache_writer(memory).save()
    file = cache_file(root)
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM notes').fetchall(); c.close()"
    )
    subprocess.run([sys.executable, "-c", code, file], check=True)
    assert os.path.exists(file + "-wal")  # the last one to close would have removed it
    memory.close()
    assert not os.path.exists(file + "-wal")


def test_a_cache_that_others_could_read_is_made_private(tmp_path: pathlib.Path) -> None:
    root = vault_of(tmp_path, 3)
    left(root)
    os.chmod(cache_file(root), 0o644)
    left(root)
    assert os.stat(cache_file(root)).st_mode & 0o777 == 0o600


def test_a_cache_that_is_damaged_under_a_process_is_made_whole_by_its_next_edit(tmp_path: pathlib.Path) -> None:
    root = vault_of(tmp_path, 30)
    memory = Memory(root)
    memory.load()
    cache_writer(memory).save()
    with contextlib.closing(sqlite3.connect(cache_file(root))) as connection, connection:
        connection.execute("DROP TABLE notes")
    memory.write("n7", "[[n1]]\n")
    memory.close()
    with contextlib.closing(sqlite3.connect(cache_file(root))) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("notes", "snapshot")]
    assert counts == [30, 1]


def test_a_row_with_one_bit_turned_is_not_believed(tmp_path: pathlib.Path) -> None:
    root = vault_of(tmp_path, 30)
    left(root)
    with contextlib.closing(sqlite3.connect(cache_file(root))) as connection, connection:
        changed = connection.execute(
            "UPDATE notes SET counted = replace(counted, 'gone7', 'gone6') WHERE path = 'n7.md'"
        )
        assert changed.rowcount == 1
    memory = Memory(root)
    memory.load()
    assert not index_faults(memory)


@pytest.mark.usefixtures("calm")
def test_an_edit_after_a_busy_moment_costs_what_it_did_before(tmp_path: pathlib.Path) -> None:
    root = vault_of(tmp_path, 30)
    memory = Memory(root)
    memory.load()
    assert cache_writer(memory).save()
    with contextlib.closing(sqlite3.connect(cache_file(root), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        memory.write("n7", "[[n1]]")
        assert not cache_writer(memory).save()
        other.execute("ROLLBACK")
    assert len(statements(memory, cache_writer(memory).save)) == 1


def test_what_could_not_be_saved_is_tried_again(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [False, False, True]
    done = threading.Event()

    def save(_: writer.CacheWriter, *, idle: bool = True) -> bool:
        answer = answers.pop(0) if answers else True
        if not answers:
            done.set()
        return answer

    monkeypatch.setattr(writer.CacheWriter, "save", save)
    monkeypatch.setattr("zkmem.index.live._QUIET_S", 0.01)
    memory = Memory(vault_of(tmp_path, 3))
    memory.start()
    assert done.wait(60)
    memory.close()


@pytest.mark.usefixtures("calm")
def test_a_snapshot_is_renewed_when_much_has_changed_and_rows_of_what_is_gone_are_removed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_FEW", 3)
    root = vault_of(tmp_path, 30)
    left(root)

    def kept() -> tuple[object, ...]:
        with contextlib.closing(sqlite3.connect(cache_file(root))) as connection:
            digest = connection.execute("SELECT hex(digest) FROM snapshot").fetchone()
            return (*digest, *connection.execute("SELECT count(*) FROM notes").fetchone())

    first = kept()
    os.remove(os.path.join(root, "n29.md"))
    left(root)
    assert kept() == (first[0], 29)
    for number in range(20, 29):
        os.remove(os.path.join(root, f"n{number}.md"))
    left(root)
    assert kept()[1] == 20
    assert kept()[0] != first[0]
    memory = Memory(root)
    memory.hints()
    assert not index_faults(memory)
    for number in range(9):
        memory.write(f"n{number}", "[[n1]]\n")
    keeps = cache_writer(memory)
    assert not any("snapshot" in each for each in statements(memory, lambda: keeps.save(idle=False)))
    assert any("snapshot" in each for each in statements(memory, lambda: keeps.save(idle=True)))


def test_what_was_read_of_a_build_that_was_stopped_is_kept(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_of(tmp_path, 200)
    memory = Memory(root)
    calls: list[tuple[int, int]] = []

    def stop(*step: int) -> None:
        calls.append((step[0], step[1]))
        memory.stop()

    with pytest.raises(Closed):
        memory.load(stop)
    memory.close()
    with contextlib.closing(sqlite3.connect(cache_file(root))) as connection:
        assert 0 < connection.execute("SELECT count(*) FROM notes").fetchone()[0] < 200
    late = Memory(root)
    late.load()
    assert not index_faults(late)


def test_a_snapshot_is_of_one_moment(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.index.store.snapshot._PIECE", 200)
    root = vault_of(tmp_path, 250)
    found = fresh_index(root)
    taken = links_of(found.catalog.rows, found.links, {})
    expected = snapshot_of(taken, lambda: None)
    pauses = 0

    def edit() -> None:
        nonlocal pauses
        pauses += 1
        write(root, {f"n{pauses}.md": "[[n9]] [[elsewhere]]\n", f"new{pauses}.md": "[[n1]]\n"})
        os.remove(os.path.join(root, f"n{240 + pauses}.md"))
        found.refresh()

    assert snapshot_of(taken, edit) == expected
    assert pauses == 3 + 2 + 3  # to number the links, to group them by target, and to join the groups
    assert not difference(found, fresh_index(root))


def test_saving_rests_unless_the_process_is_about_to_end(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    monkeypatch.setattr("zkmem.index.store.writer.time.sleep", rests.append)
    first, second = (Memory(vault_of(tmp_path / name, 300)) for name in ("one", "two"))
    for memory in (first, second):
        memory.load()
    cache_writer(first).save()
    assert len(rests) == 300 / writer._PIECE + 2  # for the rows, for the links, and for the backlinks
    cache_writer(second).hurry()
    cache_writer(second).save()
    assert len(rests) == 300 / writer._PIECE + 2
    for memory in (first, second):
        memory.close()
        left(memory.vault)


def test_a_closed_memory_is_not_kept_from_the_collector(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkmem.index.live._FREEZE_FROM", 0)
    memory = Memory(vault_of(tmp_path, 3))
    memory.load()
    assert gc.isenabled()
    assert gc.get_freeze_count()
    catalog = weakref.ref(engine(memory).live.index.catalog)
    memory.close()
    del memory
    gc.collect()
    assert catalog() is None


def test_no_code_is_run_that_lies_where_a_command_is_started(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_of(tmp_path, 30)
    for name in ("zkmem/__init__.py", "queue.py", "yaml.py", "sitecustomize.py"):
        write(root, {name: f"open({str(tmp_path / 'run')!r}, 'w').close()"})
    monkeypatch.chdir(root)
    monkeypatch.setattr(reader, "_MANY", 0)
    monkeypatch.setattr(reader, "parse", None)  # not in this process
    found = Index(Store(root))
    found.build()
    assert not (tmp_path / "run").exists()


def test_a_process_that_stands_still_is_not_waited_for(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, {f"{'long ' * 40}{number}.md": "" for number in range(600)})  # more than a pipe holds
    monkeypatch.setattr(reader, "_MANY", 0)
    monkeypatch.setattr(workers, "_PATIENCE_S", 0.01)
    tool = tmp_path / ".bin"
    tool.write_text("#!/bin/sh\nexec sleep 600\n")
    tool.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tool))
    found = Index(Store(root))
    found.build()
    assert not difference(found, fresh_index(root))


# --- before the index is there


def test_a_note_is_read_while_the_names_are_not_known(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": "[[b]]", "v1.2.md": "x", "sub/c.md": "y", "é.md": "z"})
    memory = Memory(root)
    got: list[str] = []

    def read() -> None:
        got.extend(memory.read(name).text for name in ("a", "v1.2", "sub/c", "/a", "a.md", "é"))

    with index_lock(memory):  # as it is while the vault is scanned
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(60)
    assert got == ["[[b]]", "x", "y", "[[b]]", "[[b]]", "z"]
    assert memory.read("a").links is None
    memory.load_names()
    assert (memory.read("a").links, memory.read("a").missing) == (1, ["b"])


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_the_first_read_of_a_small_vault_tells_what_links_to_the_note(tmp_path: pathlib.Path, era: str) -> None:
    async with client("stdio", era, vault_of(tmp_path, 3_000)) as connected:
        answer = await connected.call_tool("get_content", {"name": "n20"})
    assert answer.structured_content is None
    assert str(answer.content[-1]).count("linked from: n40, n41")


def test_a_read_does_not_wait_for_the_links_of_a_large_vault(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_SMALL", 3)
    monkeypatch.setattr(live, "_PATIENCE_S", threading.TIMEOUT_MAX)
    may_go_on = threading.Event()

    def rows_of(jobs: list[reader.Job]) -> Iterator[list[CatalogRow]]:
        may_go_on.wait()
        yield from reader.rows_of(jobs)

    monkeypatch.setattr("zkmem.index.index.rows_of", rows_of)
    with Memory(vault_of(tmp_path, 4)) as memory:
        memory.start()
        try:
            assert memory.read("n1").linked_from is None
        finally:
            may_go_on.set()
        memory.wait_ready()
        assert memory.read("n1").linked_from == ["n2", "n3"]


def test_a_read_ends_when_the_memory_stops_though_the_links_are_not_known(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_PATIENCE_S", threading.TIMEOUT_MAX)
    memory = Memory(vault_of(tmp_path, 4))
    memory.start()
    memory.stop()
    assert memory.read("n1").text
    memory.close()


NAMES = st.lists(
    st.sampled_from(["a", "A", "b", "/", ".", " ", "é", "e\u0301", ".md", "..", "#", "[", "\\", "x"]), max_size=5
)


@settings(max_examples=300)
@given(NAMES.map("".join), st.sets(NAMES.map("".join), max_size=5))
def test_a_note_that_is_read_early_is_the_one_that_is_read_late(
    tmp_path_factory: pytest.TempPathFactory, name: str, others: set[str]
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    for other in others:
        with contextlib.suppress(OSError, ValueError):
            full = os.path.join(folder, other + ".md" if len(other) % 2 else other)
            if os.path.realpath(full).startswith(str(folder)):
                write(folder, {os.path.relpath(full, folder): other})
    early, late = Memory(str(folder)), Memory(str(folder))
    late.load_names()

    def read(memory: Memory) -> tuple[str, str]:
        try:
            note = memory.read(name)
        except Exception as error:  # noqa: BLE001 - to be compared
            return type(error).__name__, str(error)
        return note.name, note.text

    assert read(early) == read(late)


def test_a_name_with_half_a_character_is_of_no_note(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "x"}))
    with open(os.fsencode(tmp_path) + b"/\xff.md", "wb"):
        pass
    for name in ("\ud800", "\udcff"):
        with pytest.raises(ZkError):
            memory.read(name)


def test_a_note_that_is_read_early_has_a_name_that_means_it(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": "x", "a.md.md": "y"})
    assert Memory(root).read("a.md.md").name == "a.md.md"


def test_twins_of_which_one_ends_in_capitals(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"n.md": "x", "N.MD": "[[n]]"}))
    assert len(memory.hints()) == 2
    assert memory.read("n").text == "x"
    with pytest.raises(AmbiguousName):
        memory.read("N")


def test_half_a_character_in_the_properties_stops_nothing(tmp_path: pathlib.Path) -> None:
    deep = "[" * 3_000 + "]" * 3_000
    memory = Memory(write(tmp_path, {"a.md": f'---\nup: "[[a\\ud800]]"\ndeep: {deep}\n---\n[[b]]', "b.md": ""}))
    memory.load()
    assert memory.read("b").linked_from == ["a"]


def test_a_long_link_in_the_properties_is_rewritten_whole(tmp_path: pathlib.Path) -> None:
    long = "x" * 3_000
    root = write(tmp_path, {"a.md": f'---\nup: "[[b|caf\\u00e9 {long}]]"\n---\n', "b.md": ""})
    Memory(root).rename("b", "c")
    assert (tmp_path / "a.md").read_text("utf-8") == f'---\nup: "[[c|café {long}]]"\n---\n'


def test_a_link_that_was_typed_a_moment_ago_keeps_its_meaning_when_a_note_is_made(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a/Note.md": "", "src.md": "[[a/Note]]"})
    memory = Memory(root)
    memory.load()
    (tmp_path / "src.md").write_text("[[a/Note]]\n[[Note]]")
    assert memory.write("/Note", "new\n").relinked == ["src"]
    assert (tmp_path / "src.md").read_text() == "[[a/Note]]\n[[a/Note]]"


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_who_waits_for_the_index_is_told_how_far_it_is(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    monkeypatch.setattr(mcp_client, "_EVERY_S", 0)
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    monkeypatch.setattr("zkmem.serve.mcp.server._HANDSHAKE_S", 60)  # nobody else builds it
    monkeypatch.setattr(Memory, "start", lambda _: None)
    async with client("memory", era, vault_of(tmp_path, 200)) as connected:
        await connected.call_tool("get_hints", {}, progress_callback=tell)
    assert told[-1] == (200, 200, "Reading notes: 200 of 200")
    assert [done for done, _, _ in told] == sorted({done for done, _, _ in told})


def test_progress_never_goes_back() -> None:
    steps = [(1, 4), (1, 4), (4, 4), (2, 8), (8, 8), (8, 8)]
    reports: list[tuple[float, float]] = []

    class Loud(mcp_client.ProgressReporter):
        def report(self, done: int, total: int, _: str) -> None:
            reports.append((done, total))

    reporter = Loud(None)  # type: ignore[arg-type]
    reporter._next = 0
    for step in steps:
        reporter(*step)
        reporter._next = 0
    assert reports == [(1, 4), (4, 4), (6, 12), (12, 12)]


# --- the parts


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_components_are_those_of_networkx_each_after_those_it_links_to(edges: list[tuple[int, int]]) -> None:
    made: nx.DiGraph[str] = nx.DiGraph([(str(a), str(b)) for a, b in edges])
    found = list(components({node: list(made.successors(node)) for node in made}))
    assert {frozenset(each) for each in found} == {frozenset(each) for each in nx.strongly_connected_components(made)}
    seen: set[str] = set()
    for component in found:
        seen.update(component)
        assert all(target in seen for node in component for target in made.successors(node))


EDIT = st.tuples(st.integers(0, 11), st.lists(st.integers(0, 14), max_size=4) | st.none())


@settings(max_examples=200)
@given(st.lists(st.lists(EDIT, min_size=1, max_size=3), max_size=12), st.sampled_from([0, 4, 12, 2_000]))
def test_weights_that_follow_edits_equal_those_from_scratch(
    turns: list[list[tuple[int, list[int] | None]]], most: int
) -> None:
    kept = graph.LinkGraph()
    for number in range(12):
        kept.add(f"{number}.md")
    changed = kept.follow()
    follow = Weights(kept.graph, graph.counts)
    for turn in turns:
        for number, targets in turn:
            path = f"{number}.md"
            if targets is not None:
                kept.add(path)
                nodes = [f"{t}.md" if t < 12 else ("\0gone" if t == 12 else f"{t}.png") for t in targets]
                for node in nodes:
                    if not node.startswith("\0"):
                        kept.add(node)
                kept.set_links(path, dict.fromkeys(nodes))
            elif path in kept.graph and not kept.graph.pred[path]:
                kept.remove(path)
        before = (dict(follow.of), dict(follow._base), dict(follow._component))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("zkmem.recall.weights._MOST_IN_LOOP", most)
            try:
                without_waiting(follow.update, dict(changed))
            except WouldWait:
                assert (follow.of, follow._base, follow._component) == before
                follow.update(dict(changed))
        changed.clear()
        scratch = Weights(kept.graph, graph.counts)
        assert follow.of == scratch.of
        assert follow._base == scratch._base
        nodes = list(kept.graph)
        again = Weights(kept.graph, graph.counts, nodes, follow.packed(nodes))
        assert (again.of, again._base, again._component) == (follow.of, follow._base, follow._component)


@pytest.mark.parametrize("seed", range(5))
def test_more_changes_than_are_noted_are_not_half_of_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MANY", 2)
    monkeypatch.setattr("zkmem.recall.weights.MANY", 2)
    rng = random.Random(seed)
    kept = graph.LinkGraph()
    for number in range(12):
        kept.add(f"{number}.md")
    changed = kept.follow()
    follow = Weights(kept.graph, graph.counts)
    for _ in range(30):
        for _ in range(rng.randrange(1, 6)):
            kept.set_links(
                f"{rng.randrange(12)}.md", {f"{rng.randrange(12)}.md": None for _ in range(rng.randrange(4))}
            )
        follow.update(dict(changed))
        changed.clear()
        assert follow.of == weights(kept.graph, graph.counts)


def test_the_best_of_a_folder_may_weigh_less_than_the_best_of_all(tmp_path: pathlib.Path) -> None:
    root = write(
        tmp_path, {"a.md": "[[x]] [[y]]", "b.md": "[[a]] [[x]]", "sub/c.md": "", "sub/d.md": "[[x]] [[y]] [[z]]"}
    )
    memory = Memory(root)
    assert [hint.name for hint in memory.hints(1)] == ["b"]
    assert [hint.name for hint in memory.hints(1, folder="sub")] == ["sub/d"]
    assert [hint.name for hint in memory.hints(9, folder="sub")] == ["sub/d", "sub/c"]


@pytest.mark.parametrize("seed", range(5))
def test_a_search_that_is_given_up_proves_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Weights, "_reaches", lambda *_: None)
    rng = random.Random(seed)
    kept = graph.LinkGraph()
    for number in range(9):
        kept.add(f"{number}.md")
    changed = kept.follow()
    follow = Weights(kept.graph, graph.counts)
    for _ in range(30):
        kept.set_links(f"{rng.randrange(9)}.md", {f"{rng.randrange(9)}.md": None for _ in range(rng.randrange(3))})
        follow.update(dict(changed))
        changed.clear()
        assert follow.of == weights(kept.graph, graph.counts)


@pytest.mark.parametrize("link", ["n", "./n"])
def test_a_target_that_means_another_note_elsewhere_is_resolved_for_each(tmp_path: pathlib.Path, link: str) -> None:
    root = write(tmp_path, {f"{folder}/{name}.md": f"[[{link}]]" for folder in "ab" for name in "nx"})
    assert fresh_index(root).links.graph.succ["a/x.md"].keys() == {"a/n.md"}
    assert fresh_index(root).links.graph.succ["b/x.md"].keys() == {"b/n.md"}


def test_what_reaches_too_far_is_computed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.recall.weights._FAR", 3)
    kept = graph.LinkGraph()
    for number in range(20):
        kept.add(f"{number}.md")
    for number in range(1, 20):
        kept.set_links(f"{number}.md", {f"{number - 1}.md": None, "\0x": None})
    changed = kept.follow()
    follow = Weights(kept.graph, graph.counts)
    kept.set_links("0.md", {"\0y": None, "\0z": None, "\0w": None})
    follow.update(dict(changed))
    assert follow.of == weights(kept.graph, graph.counts)
    assert max(map(math.ceil, follow.of.values())) > 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=30))
def test_a_graph_that_is_filled_equals_one_that_is_added_to(edges: list[tuple[int, int]]) -> None:
    added: nx.DiGraph[str] = nx.DiGraph()
    added.add_nodes_from(map(str, range(7)))
    added.add_edges_from((str(a), str(b)) for a, b in edges)
    filled = LinkDiGraph()
    filled.fill(map(str, range(7)), ((node, list(added.successors(node))) for node in added if added.succ[node]))
    assert set(filled.nodes) == set(added.nodes)
    assert set(filled.edges) == set(added.edges)
    assert {node: set(filled.pred[node]) for node in filled} == {node: set(added.pred[node]) for node in added}
    from_both = LinkDiGraph()
    both_ways = [[(node, list(neighbours[node])) for node in added] for neighbours in (added.succ, added.pred)]
    from_both.fill(added, *both_ways)
    assert (from_both._succ, from_both._pred, from_both._node) == (filled._succ, filled._pred, filled._node)
    filled.remove_nodes_from(list(filled))
    assert not filled.edges


PIECES = st.sampled_from(
    ["[[", "]]", "[", "]", "(", ")", "!", "a", "b.md", "x y", "\n", "\n\n", "- ", "  ", "#", "^", "|", "*", "_",
     "start", "end", "> ", "1. ", ":", "ä", "%20", "%", "%00", "&amp;", "---", "===", "+", "\r\n", "\r", "![[", "](", "http://x",
     "[ ] ", "|a", "~~~", "`", "<", ">", "$", "\\", "\0", "\t", "    ", "//", "'", '"', "{", "=", "# ", "\u00a0",
     "\ufeff"]
)  # fmt: skip


@settings(max_examples=1_000)
@given(st.lists(PIECES, max_size=16).map("".join))
def test_a_plain_text_has_the_links_that_the_parser_finds(text: str) -> None:
    check_plain_links(text)
    data = text.encode()
    found = links.find_links(data)
    counted = list(dict.fromkeys(link.target for link in found if link.counts_when_missing))
    others = [
        t for t in dict.fromkeys(link.target for link in found if not link.counts_when_missing) if t not in counted
    ]
    assert tuple(map(list, links.targets(data))) == (counted, others)


TEXTS: list[tuple[bytes, list[str]]] = [
    (b"See [[a|b]] and ![[c#d]] and [e](f.md).\n\n- [ ] to do: [[g]]\n", ["a", "c", "f.md", "g"]),
    (b"~~~\n[[a]]\n~~~\n[[b]]", ["b"]),
    (b"x\n\n    [[a]]\n\n[[b]]", ["b"]),
    (b"```\n[[a]]\n```\n`[[b]]` <!-- [[c]] --> $[[d]]$ \\[[e]] [[f]]", ["f"]),
    (b"[a](b&amp;c.md)", ["b&c.md"]),
    (b"[[a]] [[\xff]]", ["a", "?"]),
    (b"![a](b.md)start\n\n![a](b.md)end\n\n[[c]]", ["c"]),
    (b"![[a]]start\n\n![[a]]end\n[[b]]start", ["b"]),
    (b"[[a]] [a](a) [[b]]", ["a", "b"]),
    (b"[a]: b.md\n\n[[c]][^1]\n\n[^1]: [[d]]", ["b.md", "c", "d"]),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_the_targets_of_texts_plain_or_not(text: bytes, expected: list[str]) -> None:
    counted, others = links.targets(text)
    assert [*counted, *others] == expected
    assert set(expected) == {link.target for link in links.find_links(text)}


def test_most_texts_are_plain() -> None:
    assert plain.targets(TEXTS[0][0]) is not None


TOKENS = st.sampled_from(
    ["[[a]]", "[t](x.md)", "![t](x.md)", "![[b]]", "start", "end", "\n", "\n\n", "!", " ", "~~~", "> ", "- "]
)


@settings(max_examples=1_000)
@given(st.lists(TOKENS, max_size=9).map("".join))
def test_links_and_markers_are_told_apart_alike(text: str) -> None:
    found = [link.target for link in links.find_links(text.encode())]
    counted, others = links.targets(text.encode())
    assert [*counted, *others] == list(dict.fromkeys(found))


@settings(max_examples=1_000)
@given(st.lists(st.one_of(TOKENS, st.sampled_from(["`", "\\", "!", "[[c|!]]", "$"])), max_size=9).map("".join))
def test_links_and_their_ranges_in_plain_texts_are_those_that_the_parser_finds(text: str) -> None:
    check_plain_links(text)


def check_plain_links(text: str) -> None:
    source = text.encode()
    ranges = plain.ranges(source)
    assert ranges is None or list(links.plain_links(source, ranges)) == list(links.parsed_links(source, text))


def test_the_links_of_a_plain_text_are_found_without_the_parser() -> None:
    assert [found.end for found in plain.ranges(TEXTS[0][0]) or ()] == [11, 24, 38, 59]


def test_the_name_of_no_file_is_asked_of_the_parser(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": b"[[x\0y]] [z](w%00.md)", "x\ufffdy.md": ""})
    memory = Memory(root)
    assert memory.read("x\ufffdy").linked_from is None
    memory.load()
    assert memory.read("x\ufffdy").linked_from == ["a"]
    memory.rename("x\ufffdy", "v")
    assert (tmp_path / "a.md").read_bytes() == b"[[v]] [z](w%00.md)"


def test_no_module_of_the_start_brings_networkx() -> None:
    code = "import sys, zkmem.serve.mcp.server; print({'networkx', 'watchdog'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("started", [False, True])
def test_a_program_waits_for_what_it_has_written_itself(tmp_path: pathlib.Path, started: bool) -> None:
    with Memory(write(tmp_path, {"a.md": "[[b]]", "b.md": ""})) as memory:
        if started:
            memory.start(watch=False)
        memory.wait_ready()
        write(tmp_path, {"c.md": "[[b]]"})
        memory.wait_ready()
        assert memory.read("b").linked_from == ["a", "c"]


PATH_PARTS = st.lists(
    st.text("aAäÄ\u0130K.x", max_size=3).map(lambda name: name + ".md") | st.just("b.canvas"), min_size=1
)


@given(st.sets(PATH_PARTS.map("/".join), max_size=9))
def test_a_catalog_that_is_filled_equals_one_to_which_files_are_added(paths: set[str]) -> None:
    stamps = {path: files.Stamp(1, 2, 3, number) for number, path in enumerate(paths)}
    filled, added = Catalog(), Catalog()
    filled.fill(stamps.items())
    for path, stamp in stamps.items():
        added.put(path, CatalogRow(stamp))
    found, expected = (
        {name: vars(part) if name[0] == "_" else part for name, part in vars(catalog).items()}
        for catalog in (filled, added)
    )
    assert found == expected
