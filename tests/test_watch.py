"""The index keeps in step with edits by hand, through the real watcher on a real disk."""

import logging
import os
import pathlib
import random
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.vaults import fresh_index, random_files, read, write
from zkmem.index.sync import difference
from zkmem.memory import Memory
from zkmem.vault.watch import Watcher

PATIENCE = 30.0


class Watched:
    """A memory that watches, and a way to wait until a condition on it holds."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.memory = Memory(root)
        self._news = threading.Condition()
        self.memory.listen(self._hear)
        self.memory.start()
        self.memory.counts()

    def _hear(self, names: list[str]) -> None:
        with self._news:
            self._news.notify_all()

    def until(self, holds: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(holds, timeout=PATIENCE), "the index did not follow"

    def until_in_step(self) -> None:
        self.until(lambda: not difference(self.memory._live.index, fresh_index(self.root)))

    def names(self) -> set[str]:
        return set(self.memory.complete("")[0])


@pytest.fixture
def watched(tmp_path: pathlib.Path) -> Iterator[Watched]:
    root = tmp_path / "vault"
    root.mkdir()
    found = Watched(write(root, {"a.md": "[[b]]", "b.md": "", "d/c.md": "[[a]]"}))
    yield found
    found.memory.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("zkmem")]


def test_create_change_move_and_delete_of_a_note(watched: Watched) -> None:
    write(watched.root, {"new.md": "[[a]] [[later]]"})
    watched.until(lambda: "new" in watched.names())
    with open(os.path.join(watched.root, "new.md"), "a", encoding="utf-8") as file:
        file.write(" [[b]]")
    watched.until(lambda: watched.memory.read("b").linked_from == ["a", "new"])
    os.rename(os.path.join(watched.root, "new.md"), os.path.join(watched.root, "d", "later.md"))
    watched.until(lambda: "d/later" in watched.names() and "new" not in watched.names())
    os.remove(os.path.join(watched.root, "d", "later.md"))
    watched.until(lambda: "d/later" not in watched.names())
    watched.until_in_step()


def test_atomic_replace_as_editors_do_it(watched: Watched) -> None:
    temp = os.path.join(watched.root, ".a.md.swp")
    pathlib.Path(temp).write_text("[[c]]")
    os.replace(temp, os.path.join(watched.root, "a.md"))
    watched.until(lambda: watched.memory.read("c").linked_from == ["a"])
    watched.until_in_step()


def test_folders_made_moved_in_and_out_and_deleted(watched: Watched, tmp_path: pathlib.Path) -> None:
    write(watched.root, {f"deep/{x}/{y}/n{x}{y}.md": f"[[a]] [[n{y}{x}]]" for x in range(4) for y in range(4)})
    watched.until(lambda: len(watched.names()) == 19)
    os.rename(os.path.join(watched.root, "deep"), os.path.join(watched.root, "moved"))
    watched.until(lambda: "moved/3/3/n33" in watched.names() and "deep/3/3/n33" not in watched.names())
    os.rename(os.path.join(watched.root, "moved"), tmp_path / "outside")
    watched.until(lambda: len(watched.names()) == 3)
    os.rename(tmp_path / "outside", os.path.join(watched.root, "back"))
    watched.until(lambda: len(watched.names()) == 19)
    shutil.rmtree(os.path.join(watched.root, "back"))
    watched.until(lambda: len(watched.names()) == 3)
    watched.until_in_step()


def test_hidden_files_and_folders_are_not_seen(watched: Watched) -> None:
    write(watched.root, {".trash/t.md": "[[a]]", ".x.md": "", ".git/y.md": "", "seen.md": ""})
    watched.until(lambda: "seen" in watched.names())
    assert watched.names() == {"a", "b", "d/c", "seen"}


def test_a_git_checkout_of_many_files(watched: Watched) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=watched.root, check=True, capture_output=True)

    rng = random.Random(1)
    git("init", "-b", "main")
    git("add", "-A")
    git("commit", "-m", "one")
    git("checkout", "-b", "other")
    write(watched.root, random_files(rng, 1500))
    os.remove(os.path.join(watched.root, "a.md"))
    git("add", "-A")
    git("commit", "-m", "two")
    watched.until_in_step()
    git("checkout", "main")
    watched.until(lambda: watched.names() == {"a", "b", "d/c"})
    git("checkout", "other")
    watched.until_in_step()
    assert len(watched.memory._live.index.catalog.rows) > 500


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
        path = os.path.join(watched.root, name + ".md")
        if number % 2:
            watched.memory.write("/" + name, links)
        elif rng.random() < 0.3 and os.path.exists(path):
            os.remove(path)
        else:
            pathlib.Path(path).write_text(links + " by hand")
    watched.until_in_step()


def test_lost_events_bring_a_comparison_with_the_whole_vault(tmp_path: pathlib.Path) -> None:
    handed: list[list[str] | None] = []
    done = threading.Event()

    def take(paths: list[str] | None) -> None:
        handed.append(paths)
        done.set()

    watcher = Watcher(str(tmp_path), take)
    watcher.start()
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")  # all that watchdog tells
    assert done.wait(PATIENCE)
    watcher.stop()
    assert handed == [None]


def test_polling_sees_changes_where_nothing_else_does(tmp_path: pathlib.Path) -> None:
    seen = threading.Event()
    watcher = Watcher(str(tmp_path), lambda paths: seen.set() if paths and "new.md" in paths else None, poll=True)
    watcher.start()
    write(tmp_path, {"new.md": ""})
    assert seen.wait(PATIENCE)
    watcher.stop()


def test_a_listener_that_fails_once_costs_no_change(tmp_path: pathlib.Path) -> None:
    handed: list[list[str] | None] = []
    done = threading.Event()

    def take(paths: list[str] | None) -> None:
        handed.append(paths)
        if len(handed) == 1:
            raise RuntimeError("the first time")
        done.set()

    watcher = Watcher(str(tmp_path), take)
    watcher.start()
    while not handed:
        write(tmp_path, {"one.md": ""})
    write(tmp_path, {"two.md": ""})
    assert done.wait(PATIENCE)
    watcher.stop()
    assert handed[1] is None
