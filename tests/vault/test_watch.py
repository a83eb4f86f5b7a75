"""The index keeps in step with edits by hand, through the real watcher on a real disk."""

import contextlib
import logging
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

import pytest

from tests.tools.inner import difference, engine, index_faults, index_lock, wait_started
from tests.tools.vaults import fresh_index, git, random_files, read, write
from zkmem.errors import NoVault
from zkmem.index import reader
from zkmem.index.index import Index
from zkmem.markdown.note import NoteFacts, parse
from zkmem.memory import Memory
from zkmem.vault import files, platform
from zkmem.vault import watch as watch_module
from zkmem.vault.files import MOST_BYTES
from zkmem.vault.platform.linux import is_remote, kind_of
from zkmem.vault.store import Store
from zkmem.vault.watch import Batch, Pause, Watcher, own_edits

PATIENCE = 30.0
FILES = {"a.md": "[[b]]", "b.md": "", "d/c.md": "[[a]]"}
OVERFLOW = "Inotify queue overflowed; filesystem events were lost"


class Watched:
    """A memory that watches, and a way to wait until a condition on it holds."""

    def __init__(self, root: str, *, poll: bool) -> None:
        self.root = root
        self.poll = poll
        self.memory = Memory(root)
        self.live = engine(self.memory).live
        self.handed: list[list[str] | None] = []
        self.heard: set[str] = set()
        self._news = threading.Condition()
        self._follow = self.live._follow
        self.live._follow = self._followed  # type: ignore[method-assign]
        self.memory.listen(self.heard.update)
        self.live.start(watch=True, poll=poll)
        self.memory.counts()
        wait_started(self.memory)
        self.handed.clear()

    def _followed(self, paths: Iterable[str] | None = None) -> None:
        try:
            self._follow(paths)
        finally:
            with self._news:
                self.handed.append(None if paths is None else list(paths))
                self._news.notify_all()

    def until(self, holds: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(holds, timeout=PATIENCE), "the index did not follow"

    def until_in_step(self) -> None:
        self.until(lambda: not self.differs())

    def differs(self) -> list[str]:
        fresh = fresh_index(self.root)
        with index_lock(self.memory):
            return difference(self.live.index, fresh)

    def names(self) -> set[str]:
        with index_lock(self.memory):
            return {path.removesuffix(".md") for path in self.live.index.catalog.notes()}

    def seen(self) -> set[str]:
        """The paths of all events."""
        return {path for paths in self.handed if paths for path in paths}

    def links_to(self, name: str) -> list[str]:
        return self.memory.read(name).linked_from or []

    def at(self, path: str) -> str:
        return os.path.join(self.root, path)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done every second, done many times a second."""
    monkeypatch.setattr(watch_module, "LOOK_S", 0.05)
    monkeypatch.setattr(watch_module, "POLL_S", 0.05)
    monkeypatch.setattr(watch_module, "POLL_SHARE", 1)


def watching(tmp_path: pathlib.Path, *, poll: bool) -> Iterator[Watched]:
    before = set(threading.enumerate())
    root = tmp_path / ".hidden" / "vault"
    root.mkdir(parents=True)
    found = Watched(write(root, FILES), poll=poll)
    yield found
    found.memory.close()
    assert set(threading.enumerate()) <= before


@pytest.fixture(params=["native", "poll"])
def watched(request: pytest.FixtureRequest, tmp_path: pathlib.Path, soon: None) -> Iterator[Watched]:
    yield from watching(tmp_path, poll=request.param == "poll")


@pytest.fixture
def native(tmp_path: pathlib.Path) -> Iterator[Watched]:
    yield from watching(tmp_path, poll=False)


class Warnings(logging.Handler):
    """What the watcher warned of, and a way to wait for it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []
        self.came = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())
        self.came.set()


@pytest.fixture
def warned() -> Iterator[Warnings]:
    handler, log = Warnings(), logging.getLogger(watch_module.__name__)
    log.addHandler(handler)
    yield handler
    log.removeHandler(handler)


# --- what a person does, seen natively and by polling


def test_create_change_move_and_delete_of_a_note(watched: Watched) -> None:
    write(watched.root, {"new.md": "[[a]] [[later]]"})
    watched.until(lambda: "new" in watched.names())
    with open(watched.at("new.md"), "a", encoding="utf-8") as file:
        file.write(" [[b]]")
    watched.until(lambda: watched.links_to("b") == ["a", "new"])
    os.rename(watched.at("new.md"), watched.at("d/later.md"))
    watched.until(lambda: "d/later" in watched.names() and "new" not in watched.names())
    os.remove(watched.at("d/later.md"))
    watched.until(lambda: "d/later" not in watched.names())
    watched.until_in_step()


def test_folders_made_moved_in_and_out_and_deleted(watched: Watched, tmp_path: pathlib.Path) -> None:
    write(watched.root, {f"deep/{x}/{y}/n{x}{y}.md": f"[[a]] [[n{y}{x}]]" for x in range(4) for y in range(4)})
    watched.until(lambda: len(watched.names()) == 19)
    os.rename(watched.at("deep"), watched.at("moved"))
    watched.until(lambda: "moved/3/3/n33" in watched.names() and "deep/3/3/n33" not in watched.names())
    write(watched.root, {"moved/3/3/n33.md": "[[b]]", "moved/3/new/x.md": "[[n33]]"})
    watched.until(lambda: watched.links_to("b") == ["a", "moved/3/3/n33"] and "moved/3/new/x" in watched.names())
    os.rename(watched.at("moved"), tmp_path / "outside")
    watched.until(lambda: len(watched.names()) == 3)
    write(tmp_path / "outside", {"3/3/n33.md": "[[a]]", "4.md": "[[b]]"})
    os.rename(tmp_path / "outside", watched.at("back"))
    watched.until(lambda: len(watched.names()) == 21)
    watched.until_in_step()
    shutil.rmtree(watched.at("back"))
    watched.until(lambda: len(watched.names()) == 3)
    watched.until_in_step()


def test_folders_that_are_moved_about_are_not_lost_sight_of(watched: Watched, tmp_path: pathlib.Path) -> None:
    """Moves that make watchdog 7.1 deaf, and kill its thread."""
    numbers = range(20)
    write(watched.root, {f"{name}{number}/s/n.md": "" for name in "px" for number in numbers})
    watched.until_in_step()
    for number in numbers:
        os.rename(watched.at(f"p{number}"), tmp_path / f"p{number}")
        os.mkdir(watched.at(f"p{number}"))
        os.rename(watched.at(f"p{number}"), watched.at(f"q{number}"))
        os.rename(watched.at(f"x{number}"), watched.at(f"p{number}"))
        os.rename(watched.at(f"p{number}"), watched.at(f"y{number}"))
        shutil.rmtree(tmp_path / f"p{number}")
        write(watched.root, {f"q{number}/one.md": "[[a]]"})
    watched.until_in_step()
    write(watched.root, {f"{name}{number}/two.md": "[[b]]" for name in "qy" for number in numbers})
    watched.until_in_step()


def test_a_folder_that_goes_takes_what_was_wrong_in_it_along(watched: Watched, tmp_path: pathlib.Path) -> None:
    write(watched.root, {"new/n.md": ""})
    os.symlink("n.md", watched.at("new/alias.md"))
    os.rename(watched.at("new"), watched.at("sub"))  # so that a whole folder comes
    watched.until(lambda: "sub/alias.md" in watched.live.index.faults)
    os.rename(watched.at("sub"), tmp_path / "outside")
    watched.until(lambda: "sub/n" not in watched.names())
    assert watched.live.index.faults == {}


@pytest.mark.skipif(sys.platform != "linux", reason="inotify")
def test_what_is_hidden_costs_no_watch(native: Watched) -> None:
    def folders() -> set[str]:
        assert native.live._watcher
        assert native.live._watcher._native
        watch: Any = native.live._watcher._native
        group: Any = vars(next(iter(watch._observer.emitters)))["_inotify"]
        return {os.path.relpath(os.fsdecode(path), native.root) for path in group._active_callbacks_by_path}

    write(native.root, {".git/objects/aa/x": "", "new/.trash/x.md": "", ".later/sub/n.md": "[[a]]"})
    native.until(lambda: folders() == {".", "d", "new"})
    os.rename(native.at(".later"), native.at("later"))
    native.until(lambda: folders() == {".", "d", "new", "later", "later/sub"})
    native.until_in_step()


def test_a_folder_that_may_not_be_written_to_is_read(watched: Watched) -> None:
    os.chmod(watched.at("d"), 0o555)
    write(watched.root, {"d/c.md": "[[b]]"})
    watched.until(lambda: watched.links_to("b") == ["a", "d/c"])
    watched.until_in_step()
    os.chmod(watched.at("d"), 0o755)


def test_hidden_files_and_folders_are_not_seen(watched: Watched) -> None:
    write(watched.root, {".trash/t.md": "[[a]]", ".x.md": "", ".git/y.md": "", "seen.md": ""})
    watched.until(lambda: "seen" in watched.names())
    assert watched.names() == {"a", "b", "d/c", "seen"}


@pytest.mark.slow
def test_a_git_checkout_of_thousands_of_files(watched: Watched) -> None:
    git(watched.root, "init", "-b", "main")
    git(watched.root, "add", "-A")
    git(watched.root, "commit", "-m", "one")
    git(watched.root, "checkout", "-b", "other")
    write(watched.root, {f"many/{number % 40}/n{number}.md": f"[[n{number * 7 % 2000}]]" for number in range(2000)})
    write(watched.root, random_files(random.Random(1), 300))
    os.remove(watched.at("a.md"))
    git(watched.root, "add", "-A")
    git(watched.root, "commit", "-m", "two")
    watched.until_in_step()
    assert len(watched.names()) > 2000
    git(watched.root, "checkout", "main")
    watched.until(lambda: watched.names() == {"a", "b", "d/c"})
    watched.until_in_step()
    git(watched.root, "checkout", "other")
    watched.until(lambda: len(watched.names()) > 2000)
    watched.until_in_step()


def test_names_in_another_unicode_form(watched: Watched) -> None:
    write(watched.root, {"Cafe\u0301.md": "[[a]]", "link.md": "[[Caf\u00e9]]"})
    watched.until(lambda: "Caf\u00e9" in watched.names())
    watched.until_in_step()
    watched.memory.write("Caf\u00e9", "new")
    assert read(watched.root)["Cafe\u0301.md"] == b"new"
    watched.memory.rename("Caf\u00e9", "x")
    assert read(watched.root)["link.md"] == b"[[x]]"


def test_500_edits_by_tools_and_by_hand_in_turn(watched: Watched) -> None:
    rng = random.Random(5)
    for number in range(500):
        name = f"n{rng.randrange(40)}"
        links = " ".join(f"[[n{rng.randrange(60)}]]" for _ in range(rng.randrange(4)))
        path = watched.at(name + ".md")
        if number % 2:
            watched.memory.on_behalf(session=number).write("/" + name, links)  # which has not read what it replaces
        elif rng.random() < 0.3 and os.path.exists(path):
            os.remove(path)
        else:
            pathlib.Path(path).write_text(links + " by hand")
    watched.until_in_step()


# --- how editors save


def test_an_editor_that_writes_beside_and_renames(watched: Watched) -> None:
    temp = watched.at(".a.md.swp")
    pathlib.Path(temp).write_text("[[c]]")
    os.replace(temp, watched.at("a.md"))
    watched.until(lambda: watched.links_to("c") == ["a"])
    watched.until_in_step()


def test_an_editor_that_tries_the_folder_and_keeps_a_backup(watched: Watched) -> None:
    write(watched.root, {".a.md.swp": "[[b]]", "4913": "", "#a.md#": "[[d/c]]"})
    os.remove(watched.at("4913"))
    os.rename(watched.at("a.md"), watched.at("a.md~"))
    write(watched.root, {"a.md": "[[c]]"})
    watched.until(lambda: watched.links_to("c") == ["a"])
    os.remove(watched.at("a.md~"))
    os.remove(watched.at(".a.md.swp"))
    os.remove(watched.at("#a.md#"))
    write(watched.root, {"last.md": ""})
    watched.until(lambda: "last" in watched.names())
    watched.until_in_step()
    assert watched.heard == {"a", "last"}


@pytest.mark.parametrize("name", ["a", "new"])
def test_a_note_that_is_seen_half_written_is_read_again(watched: Watched, name: str) -> None:
    with open(watched.at(f"{name}.md"), "w", encoding="utf-8") as file:
        file.write("[[d/c]] [[")
        file.flush()
        watched.live.refresh()  # as any call might, at the wrong moment
        assert watched.links_to("c") == [name]
        file.write("b]]")
    watched.until(lambda: name in watched.links_to("b"))
    watched.until_in_step()


# --- the vault's folder itself


def test_another_folder_in_the_vaults_place(watched: Watched, tmp_path: pathlib.Path) -> None:
    os.rename(watched.root, tmp_path / "old")
    write(watched.root, {"a.md": "[[z]]", "z/z.md": "[[a]]"})
    watched.until_in_step()
    write(tmp_path / "old", {"b.md": "[[z]]", "stray.md": ""})
    write(watched.root, {"z/new.md": "[[z]]", "later/x.md": "[[a]]"})
    watched.until(lambda: watched.names() == {"a", "z/z", "z/new", "later/x"})
    watched.until(lambda: watched.poll or "z/new.md" in watched.seen())
    watched.until_in_step()


def test_a_vault_that_is_removed_and_made_again(watched: Watched) -> None:
    shutil.rmtree(watched.at("d"))  # so that no other folder goes with it
    watched.until_in_step()
    for number in range(3):  # most file systems give the new folder the inode of the old one
        watched.handed.clear()
        shutil.rmtree(watched.root)
        write(watched.root, {f"n{number}.md": "[[a]]"})
        watched.until(lambda number=number: watched.names() == {f"n{number}"})  # type: ignore[misc]
        write(watched.root, {"new.md": ""})
        watched.until(lambda: "new" in watched.names() and (watched.poll or "new.md" in watched.seen()))
    watched.until_in_step()


@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_a_vault_that_is_gone_for_a_while(
    watched: Watched, tmp_path: pathlib.Path, warned: Warnings, monkeypatch: pytest.MonkeyPatch, instead: str
) -> None:
    looks = threading.Semaphore(0)
    look = watch_module._identity

    def seen(root: str) -> tuple[int, int] | None:
        looks.release()
        return look(root)

    os.rename(watched.root, tmp_path / "elsewhere")
    if instead == "a file":
        pathlib.Path(watched.root).write_text("")
    assert warned.came.wait(PATIENCE)
    monkeypatch.setattr(watch_module, "_identity", seen)
    assert all(looks.acquire(timeout=PATIENCE) for _ in range(5))
    with pytest.raises(NoVault):
        watched.live.refresh()
    with pytest.raises(NoVault):
        watched.live.take_in(["a.md", "d"])
    with pytest.raises(NoVault):
        watched.memory.hints()
    assert watched.names() == {"a", "b", "d/c"}
    assert warned.said == [f"the vault {watched.root} is gone, or cannot be read; zkmem keeps what it knows of it"]

    write(tmp_path / "elsewhere", {"a.md": "[[c]]", "new.md": ""})
    os.remove(tmp_path / "elsewhere" / "b.md")
    if instead == "a file":
        os.remove(watched.root)
    os.rename(tmp_path / "elsewhere", watched.root)
    watched.until(lambda: watched.names() == {"a", "new", "d/c"})
    write(watched.root, {"last.md": "[[new]]"})
    watched.until(lambda: "last" in watched.names())
    watched.until_in_step()
    assert len(warned.said) == 1


def test_a_vault_that_is_gone_when_the_watch_begins(tmp_path: pathlib.Path, soon: None, warned: Warnings) -> None:
    root = write(tmp_path / "vault", {"a.md": "[[b]]"})
    memory = Memory(root)
    os.rename(root, tmp_path / "elsewhere")
    memory.start()
    assert warned.came.wait(PATIENCE)
    wait_started(memory)
    there = threading.Event()
    memory.listen(lambda names: there.set() if "new" in names else None)
    os.rename(tmp_path / "elsewhere", root)
    end = time.monotonic() + PATIENCE
    while not there.wait(0.05):  # whether it comes before or after the index was built
        assert time.monotonic() < end
        os.rename(write(root, {".new.md": "[[a]]"}) + "/.new.md", root + "/new.md")
    memory.close()
    assert not index_faults(memory)


REMOUNT = """
import os, sys, queue
from tests.tools.vaults import write
from zkmem.memory import Memory

def mount():
    assert not os.system(f"mount -t tmpfs none {root}")

def unmount():
    assert any(not os.system(f"umount {root} 2> /dev/null") for _ in range(500))  # a note may be being read

def hear(name):
    while heard.get(timeout=30) != name:
        pass

root, heard = sys.argv[1], queue.Queue()
mount()
memory = Memory(write(root, {"a.md": ""}))
memory.listen(lambda names: [heard.put(name) for name in names])
memory.start()
memory.counts()
for turn in "xyz":
    unmount()
    if turn == "y":
        hear("x2")  # there is an empty folder now
    mount()
    write(root, {f"{turn}.md": ""})
    hear(turn)
    write(root, {f"{turn}2.md": ""})
    hear(f"{turn}2")
memory.close()
unmount()
"""


def unshared(*arguments: str) -> list[str]:
    """A command in a namespace of its own, where anyone may mount and set limits."""
    command = ["unshare", "--map-root-user", "--mount", *arguments]
    if not shutil.which("unshare") or subprocess.run([*command[:3], "true"], capture_output=True).returncode:  # noqa: PLW1510
        pytest.skip("no namespaces here")
    return command


@pytest.mark.slow
def test_a_vault_that_is_unmounted_and_mounted(tmp_path: pathlib.Path) -> None:
    root = tmp_path / "mounted"
    root.mkdir()
    done = subprocess.run(
        unshared(sys.executable, "-c", REMOUNT, str(root)), capture_output=True, text=True, check=False, timeout=100
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- events of our own writes


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The bytes of every note that the index parses."""
    seen: list[bytes] = []

    def parsing(data: bytes) -> NoteFacts:
        seen.append(data)
        return parse(data)

    monkeypatch.setattr(reader, "parse", parsing)
    return seen


def test_the_event_of_an_own_write_costs_no_parse(native: Watched, parsed: list[bytes]) -> None:
    for number in range(5):
        native.memory.write("own", f"{number} [[a]]")
    write(native.root, {"last.md": "by hand"})  # events keep their order
    native.until(lambda: "last.md" in native.seen())
    assert "own.md" in native.seen()
    own = [data for data in parsed if data.endswith(b"[[a]]")]
    assert own == [b"0 [[a]]", b"1 [[a]]", b"2 [[a]]", b"3 [[a]]", b"4 [[a]]"]


def test_a_note_that_was_just_written_is_looked_at_once_more(
    tmp_path: pathlib.Path, parsed: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(Store(write(tmp_path, {"a.md": "[[b]]"})))
    monkeypatch.setattr(files, "RACY_NS", 10**15)  # its stamp may stay the same for long
    index.build()
    assert index.catalog.rows["a.md"].racy
    assert not any(index.refresh())
    stamp = os.stat(tmp_path / "a.md").st_mtime_ns
    (tmp_path / "a.md").write_text("[[c]]")
    os.utime(tmp_path / "a.md", ns=(stamp, stamp))
    assert index.refresh(["a.md"]).modified == ["a.md"]
    assert not difference(index, fresh_index(str(tmp_path)))
    assert parsed == [b"[[b]]", b"[[c]]", b"[[c]]"]
    monkeypatch.setattr(files, "RACY_NS", 0)
    assert not any(index.refresh())
    assert not index.catalog.rows["a.md"].racy
    assert len(parsed) == 3


def test_a_change_that_leaves_stamp_and_links_as_they_were_is_news(tmp_path: pathlib.Path) -> None:
    index = fresh_index(write(tmp_path, {"a.md": "one"}))
    stamp = os.stat(tmp_path / "a.md").st_mtime_ns
    (tmp_path / "a.md").write_text("two")
    os.utime(tmp_path / "a.md", ns=(stamp, stamp))
    assert index.refresh(["a.md"]).modified == ["a.md"]
    assert not difference(index, fresh_index(str(tmp_path)))


def test_a_clock_of_whole_seconds_deceives_nobody(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, {"a.md": "[[b]]"})
    monkeypatch.setattr(files, "RACY_NS", 0)
    now = 1_700_000_000_000_000_000
    monkeypatch.setattr("time.time_ns", lambda: now + 1_900_000_000)
    os.utime(tmp_path / "a.md", ns=(now, now))
    index = fresh_index(root)
    (tmp_path / "a.md").write_text("[[c]]")
    os.utime(tmp_path / "a.md", ns=(now, now))
    assert index.refresh(["a.md"]).modified == ["a.md"]


def test_notes_of_old_are_read_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, {"a.md": "[[b]]", "x.png": ""})
    for path in ("a.md", "x.png"):
        os.utime(tmp_path / path, ns=(10**18, 10**18))
    assert fresh_index(root).catalog.rows["a.md"].racy  # its inode has just been written to
    later = time.time_ns() + 10**9
    monkeypatch.setattr("time.time_ns", lambda: later)
    assert not any(row.racy for row in fresh_index(root).catalog.rows.values())


# --- lost events


@pytest.mark.parametrize("level", [logging.NOTSET, logging.CRITICAL])
def test_lost_events_bring_one_comparison_with_the_whole_vault(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, level: int
) -> None:
    log = logging.getLogger("watchdog.observers.inotify_c")
    monkeypatch.setattr(log, "level", logging.NOTSET)
    monkeypatch.setattr(log.parent, "level", level)
    handed: list[list[str] | None] = []
    news = threading.Semaphore(0)

    def take(paths: list[str] | None) -> None:
        handed.append(paths)
        news.release()

    watch = Watcher(str(tmp_path), take)
    watch.start()
    log.warning(OVERFLOW)  # all that watchdog tells
    assert news.acquire(timeout=PATIENCE)
    os.rename(write(tmp_path, {".n.md": ""}) + "/.n.md", tmp_path / "n.md")  # one event
    assert news.acquire(timeout=PATIENCE)
    watch.stop()
    assert handed == [None, ["n.md"]]
    assert not log.handlers


def test_events_that_keep_coming_do_not_put_a_comparison_off(native: Watched) -> None:
    logging.getLogger("watchdog.observers.inotify_c").warning(OVERFLOW)
    number, end = 0, time.monotonic() + PATIENCE
    while None not in native.handed:
        assert time.monotonic() < end
        write(native.root, {f"n{number % 50}.md": f"[[n{number}]]"})
        number += 1
    native.until_in_step()
    assert native.handed.count(None) == 1


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """A process with its stdout and stderr, which end when patience does."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        end = threading.Timer(PATIENCE, process.kill)
        end.start()
        try:
            yield process, process.stdout, process.stderr
        finally:
            end.cancel()
            process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the queue of inotify")
def test_a_queue_that_really_overflows(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, FILES)
    room = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if room > 200_000:
        pytest.skip("the queue is too long to be filled")
    command = [sys.executable, "-m", "zkmem", "watch", "-C", root]
    with running(command) as (process, told, said):
        assert said.readline().startswith("watching")
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        names = [os.path.join(root, ".x"), os.path.join(root, ".y")]
        write(root, {".x": ""})
        for number in range(room // 2 + 1):  # two events each, about nothing
            os.rename(names[number % 2], names[1 - number % 2])
        write(root, {"late.md": "", "late/er.md": ""})  # no event has room for these
        process.send_signal(signal.SIGCONT)
        assert {told.readline(), told.readline()} == {"late\n", "late/er\n"}
        write(root, {"late/est.md": ""})  # the new folder is watched
        assert told.readline() == "late/est\n"


@pytest.mark.parametrize("failure", [RuntimeError("the first time"), NoVault("It went this very moment.")])
def test_a_listener_that_fails_once_costs_no_change(
    tmp_path: pathlib.Path, soon: None, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    failed, done = threading.Event(), threading.Event()

    def take(paths: list[str] | None) -> None:
        if not failed.is_set():
            failed.set()
            raise failure
        if paths is None:
            done.set()

    watch = Watcher(str(tmp_path), take)
    watch.start()
    write(tmp_path, {"one.md": ""})
    assert done.wait(PATIENCE)
    watch.stop()
    assert len(caplog.records) == isinstance(failure, RuntimeError)


def test_events_that_get_lost_without_a_sign_are_made_up_for(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform.current, "rescan_s", 0.1)
    seen, done = threading.Event(), threading.Event()

    def take(paths: list[str] | None) -> None:
        if paths is None:
            seen.set()
        elif seen.is_set() and "n.md" in paths:  # the new watch works
            done.set()

    watch = Watcher(str(tmp_path), take)
    watch.start()
    first = watch._native
    assert seen.wait(PATIENCE)
    assert watch._native is not first
    monkeypatch.setattr(platform.current, "rescan_s", 300.0)
    end = time.monotonic() + PATIENCE
    while not done.wait(0.05):
        assert time.monotonic() < end
        write(tmp_path, {"n.md": ""})
    watch.stop()


# --- where there are no events


MOUNTS = rb"""30 22 0:26 / /mnt/with\040blank rw shared:9 - nfs4 server:/x rw,vers=4.2
31 22 0:27 / /mnt/share rw - fuse.sshfs me@host:/ rw,user_id=0
32 31 8:2 / /mnt/share/local rw master:2 propagate_from:1 - xfs /dev/sdb rw
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
33 22 0:28 / /media/drive rw - ext4 /dev/sdc rw
34 33 0:29 / /media/drive rw - cifs //host/drive rw
nonsense
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "ext4"),
        ("/home/me/notes", "ext4"),
        ("/mnt/with blank", "nfs4"),
        ("/mnt/with blanket", "ext4"),
        ("/mnt/share/notes", "fuse.sshfs"),
        ("/mnt/share/local/notes", "xfs"),
        ("/media/drive/notes", "cifs"),
    ],
)
def test_the_file_system_of_a_folder(folder: str, kind: str) -> None:
    assert kind_of(folder.encode(), MOUNTS) == kind


def test_a_network_drive_is_polled(tmp_path: pathlib.Path, soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_remote(str(tmp_path))
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:9 / {tmp_path}/vault rw - nfs4 server:/x rw\n")
    monkeypatch.setattr("zkmem.vault.platform.linux._MOUNTS", str(mounts))
    before = set(threading.enumerate())
    handed: list[list[str] | None] = []
    twice = threading.Event()

    def take(paths: list[str] | None) -> None:
        handed.append(paths)
        if len(handed) == 2:
            twice.set()

    (tmp_path / "vault").mkdir()
    watch = Watcher(str(tmp_path / "vault"), take)
    watch.start()
    assert twice.wait(PATIENCE)
    assert [thread.name for thread in set(threading.enumerate()) - before] == ["zkmem-watch"]
    watch.stop()
    assert set(handed) == {None}


def test_a_slow_comparison_is_made_less_often(tmp_path: pathlib.Path) -> None:
    watch = Watcher(str(tmp_path), print, poll=True)
    for took, pause_s in ((0.0, 1.0), (0.04, 1.0), (3.0, 60.0)):
        watch._whole_at = 0.0
        began = time.monotonic()
        watch._plan(took)
        assert began + pause_s <= watch._whole_at <= time.monotonic() + pause_s


def test_a_watch_that_is_refused_leaves_no_thread(tmp_path: pathlib.Path) -> None:
    before = set(threading.enumerate())
    files = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with pytest.raises(OSError, match="No such file"):
        platform.current.watch(str(tmp_path / "missing"), Batch())
    assert set(threading.enumerate()) <= before
    assert not files or len(os.listdir("/proc/self/fd")) <= files  # other tests may have left some to be closed


LIMITED = 'echo "$1" > /proc/sys/user/max_inotify_"$2" && shift 2 && exec "$@"'


@pytest.mark.parametrize(("most", "of"), [(0, "instances"), (0, "watches"), (3, "watches")])
def test_a_vault_of_more_folders_than_may_be_watched_is_polled(tmp_path: pathlib.Path, most: int, of: str) -> None:
    limited = unshared("sh", "-c", LIMITED, "sh", str(most), of)
    root = write(tmp_path, {f"d{number}/n.md": "" for number in range(9)})
    command = [*limited, sys.executable, "-m", "zkmem", "watch", "-C", root]
    with running(command) as (_, told, said):
        assert {said.readline().split(" (")[0] for _ in range(2)} == {
            "no native watch of the vault",
            f"watching {root}\n",
        }
        write(root, {"d8/new.md": ""})
        assert told.readline() == "d8/new\n"


def test_a_note_that_grows_beyond_the_bound_loses_its_links_and_gets_them_back(watched: Watched) -> None:
    with open(watched.at("a.md"), "r+b") as file:
        file.truncate(MOST_BYTES + 1)
    watched.until(lambda: watched.links_to("b") == [])
    watched.until_in_step()
    assert [(one.kind, one.note) for one in watched.memory.check()] == [("large", "a")]
    write(watched.root, {"a.md": "[[b]]"})
    watched.until(lambda: watched.links_to("b") == ["a"])
    watched.until_in_step()
    assert watched.memory.check() == []


# --- events during an edit of this process


def test_whoever_waits_for_a_pause_goes_on_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "_LONGEST_S", PATIENCE)
    paused = Pause()
    waiting = threading.Thread(target=paused.wait)
    with paused.hold():
        waiting.start()
        waiting.join(timeout=0.05)
        assert waiting.is_alive()
    waiting.join(timeout=PATIENCE)
    assert not waiting.is_alive()


def test_events_are_read_when_the_next_edit_begins_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "_READING_S", 2 * PATIENCE)
    paused = Pause()
    with paused.hold():
        paused.wait()  # for as long as events wait at most
    monkeypatch.setattr(watch_module, "_LONGEST_S", PATIENCE)
    monkeypatch.setattr(watch_module, "_ANSWER_S", PATIENCE)
    reading = threading.Thread(target=paused.wait)
    with paused.hold():
        reading.start()
        reading.join(timeout=PATIENCE / 2)
        assert not reading.is_alive()


def test_pauses_that_follow_each_other_do_not_hold_up_the_events_for_ever() -> None:
    paused = Pause()
    waiting = threading.Thread(target=paused.wait, daemon=True)
    ends = time.monotonic() + PATIENCE
    with paused.hold():
        waiting.start()
    while waiting.is_alive() and time.monotonic() < ends:
        with paused.hold():
            waiting.join(timeout=0.02)
    assert not waiting.is_alive()


def test_a_change_by_hand_is_seen_after_a_pause(native: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "_LONGEST_S", PATIENCE)
    with own_edits.hold():
        write(native.root, {"by hand.md": "[[x]]"})
        with native._news:
            assert not native._news.wait_for(lambda: native.handed, timeout=0.3)
    native.until(lambda: "by hand" in native.heard)


def test_a_change_by_hand_is_seen_even_if_a_pause_never_ends(native: Watched) -> None:
    with own_edits.hold():
        write(native.root, {"by hand.md": "[[x]]"})
        native.until(lambda: "by hand" in native.heard)


def test_events_are_not_read_while_this_process_makes_an_edit(native: Watched) -> None:
    paused: list[bool] = []
    native.memory.listen(lambda _: paused.append(own_edits._held))
    native.memory.write("note", "text")
    assert paused == [True]
    assert not own_edits._held
