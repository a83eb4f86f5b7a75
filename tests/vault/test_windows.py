"""Edits on a fake of Windows, with its failures. `tests.tools.windows_proofs` has more of them."""

import os
import pathlib
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.tools import fake_windows
from tests.tools.between import WAYS, faults
from tests.tools.crashes import EDITS
from tests.tools.fake_windows import DELETE, READ, WRITE, FakeWin32, Trouble
from tests.tools.inner import index_faults
from tests.tools.vaults import read, write
from tests.tools.windows_proofs import beside, disk, kept_texts, killed
from zkmem.errors import Taken, Unwritable
from zkmem.memory import Memory
from zkmem.vault import platform
from zkmem.vault.platform import win32
from zkmem.vault.platform.win32 import Failed
from zkmem.vault.watch import Watcher

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fake is made of calls of Linux")

ALL = READ | WRITE | DELETE


@pytest.fixture
def folder() -> Iterator[str]:
    with disk() as folder:
        yield folder


@pytest.fixture
def calls(folder: str) -> FakeWin32:
    assert fake_windows.current
    return fake_windows.current.calls


class TestTheFake:
    """It fails as Windows does."""

    def test_a_file_that_is_open_without_sharing_cannot_be_opened_renamed_or_deleted(
        self, folder: str, calls: FakeWin32
    ) -> None:
        full = f"{write(folder, {'a': 'x'})}/a"
        handle = calls.create_file(full, win32.GENERIC_READ, READ, win32.OPEN_EXISTING, 0)
        for work in (
            lambda: calls.create_file(full, win32.GENERIC_WRITE, ALL, win32.OPEN_EXISTING, 0),
            lambda: calls.move_file(full, f"{folder}/b", 0),
            lambda: calls.delete_file(full),
            lambda: calls.replace_file(full, f"{write(folder, {'new': 'y'})}/new", f"{folder}/old"),
        ):
            with pytest.raises(Failed, match="32"):
                work()
        calls.close(calls.create_file(full, win32.GENERIC_READ, ALL, win32.OPEN_EXISTING, 0))
        calls.close(handle)
        calls.delete_file(full)
        assert os.listdir(folder) == ["new"]

    def test_a_deleted_file_keeps_its_name_until_it_is_closed(self, folder: str, calls: FakeWin32) -> None:
        full = f"{write(folder, {'a': 'x'})}/a"
        handle = calls.create_file(full, win32.GENERIC_READ, ALL, win32.OPEN_EXISTING, 0)
        calls.delete_file(full)
        with pytest.raises(Failed, match="5"):
            calls.create_file(full, win32.GENERIC_WRITE, ALL, win32.CREATE_NEW, 0)
        calls.close(handle)
        calls.close(calls.create_file(full, win32.GENERIC_WRITE, ALL, win32.CREATE_NEW, 0))

    def test_names_ignore_case_and_paths_are_short(self, folder: str, calls: FakeWin32) -> None:
        write(folder, {"Topics/Tea.md": "x"})
        calls.close(calls.create_file(f"{folder}/topics/TEA.md", win32.GENERIC_READ, ALL, win32.OPEN_EXISTING, 0))
        os.rename(f"{folder}/topics/tea.md", f"{folder}/topics/tea.md")
        assert os.listdir(f"{folder}/TOPICS") == ["tea.md"]
        with pytest.raises(FileExistsError):
            os.rename(f"{write(folder, {'b': ''})}/b", f"{folder}/Topics/TEA.md")
        with pytest.raises(FileNotFoundError, match="too long"):
            os.mkdir(f"{folder}/{'x' * 250}/{'y' * 250}")


@pytest.mark.parametrize("edit", ["create", "undo"])
def test_killed_at_every_call_the_vault_is_the_old_one_or_the_new_one(edit: str) -> None:
    assert killed(edit, 1).keys() == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_killed_at_some_calls_while_a_virus_scanner_opens_files(edit: str) -> None:
    assert killed(edit, 3, 3, Trouble(0.05)).keys() == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["replace", "truncate", "shared"])
def test_nothing_is_lost_beside_a_person_who_saves(way: str) -> None:
    outcome = beside(12, way, Trouble(0.02))
    assert (outcome.lost, outcome.saves_lost, outcome.damage) == (0, 0, []), outcome


@pytest.mark.parametrize("way", WAYS)
class TestASaveAtEachMomentOfAnEdit:
    """The person's text is in the note or in the history, never in part, and so is the edit."""

    @pytest.mark.parametrize(("edit", "gap"), [("append", 0), ("append", 1), ("rename", 0)])
    def test_on_windows(self, edit: str, way: str, gap: int) -> None:
        assert faults("windows", edit, way, gap) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("edit", ["append", "rename"])
    def test_when_the_edit_is_killed_soon_after_it(self, edit: str, way: str) -> None:
        assert faults("windows", edit, way, kill=1) == []

    @pytest.mark.parametrize("system", ["links", "plain"])
    def test_on_a_file_system_that_cannot_swap(self, system: str, way: str) -> None:
        assert faults(system, "append", way) == []


def test_a_file_that_is_made_when_the_name_is_free_stays_and_so_does_the_old_text(
    folder: str, calls: FakeWin32
) -> None:
    memory = Memory(write(f"{folder}/vault", {"a.md": "old\n"}))

    def save(name: str) -> None:
        if name == "replace_file, second half":
            calls.happens = lambda _: None
            handle = calls.create_file(f"{folder}/vault/a.md", win32.GENERIC_WRITE, ALL, win32.CREATE_ALWAYS, 0)
            os.write(handle, b"saved\n")
            calls.close(handle)

    calls.happens = save
    memory.write("a", "added", append=True)
    assert read(memory.vault) == {"a.md": b"saved\n\nadded"}
    assert b"old\n" in kept_texts(memory.vault)


REPLACING = [win32.NOT_REMOVED, win32.NOT_MOVED, win32.HALF_REPLACED]


@pytest.mark.parametrize("code", REPLACING)
def test_a_replacement_that_fails_is_tried_again_and_then_taken_back(
    folder: str, calls: FakeWin32, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(write(f"{folder}/vault", {"a.md": "one\n", "b.md": "[[a]]\n"}))
    calls.replacing = [code] * 2
    memory.rename("a", "c")
    assert read(memory.vault) == {"c.md": b"one\n", "b.md": b"[[c]]\n"}
    monkeypatch.setattr("zkmem.vault.platform.windows._PATIENCE_S", 0.01)
    calls.replacing = [code] * 100
    with pytest.raises(Unwritable, match=r"'b\.md' cannot be written"):
        memory.rename("c", "d")
    assert read(memory.vault, hidden=True) == {"c.md": b"one\n", "b.md": b"[[c]]\n"} | {
        path: data for path, data in read(memory.vault, hidden=True).items() if path.startswith(".zkmem/log")
    }


@pytest.mark.slow
@pytest.mark.parametrize("code", REPLACING)
def test_killed_at_every_call_while_replacements_fail(code: int) -> None:
    assert killed("rename", 2, trouble=Trouble(replacing=(code, code))).keys() == {"old", "new"}


def test_an_edit_waits_for_a_program_that_has_the_note_open(
    folder: str, calls: FakeWin32, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(write(f"{folder}/vault", {"a.md": "one\n", "b.md": "[[a]]\n"}))
    handle = calls.create_file(f"{folder}/vault/b.md", win32.GENERIC_READ, READ | WRITE, win32.OPEN_EXISTING, 0)
    before = read(memory.vault)
    with monkeypatch.context() as patch:
        patch.setattr("zkmem.vault.platform.windows._PATIENCE_S", 0.01)
        with pytest.raises(Unwritable, match=r"'b\.md' cannot be written: another program has it open"):
            memory.rename("a", "c")
    assert read(memory.vault) == before
    timer = threading.Timer(0.05, calls.close, [handle])
    timer.start()
    memory.rename("a", "c")
    timer.join()
    assert read(memory.vault) == {"c.md": b"one\n", "b.md": b"[[c]]\n"}


def test_a_note_gets_another_spelling_and_no_twin(folder: str) -> None:
    memory = Memory(write(f"{folder}/vault", {"topics/tea.md": "one\n", "b.md": "[[tea]]\n"}))
    memory.rename("tea", "topics/Tea")
    memory.move_files("topics", "Topics")
    assert list(read(memory.vault)) == ["b.md", "Topics/Tea.md"]
    assert index_faults(memory) == []
    with pytest.raises(Taken):
        memory.create_files({"topics/TEA.md": b""})
    memory.undo()
    memory.undo()
    assert list(read(memory.vault)) == ["b.md", "topics/tea.md"]


@pytest.mark.parametrize("name", ["con.txt.md", "a:b.md", "dot."])
def test_a_name_that_windows_reserves_is_refused(folder: str, name: str) -> None:
    with pytest.raises(OSError, match="Windows"):
        platform.current.make_folder(f"{folder}/{name}")


def test_a_vault_may_have_paths_of_more_than_260_characters(folder: str) -> None:
    memory = Memory(write(f"{folder}/vault", {"a.md": "one\n", "b.md": "[[a]]\n"}))
    deep = "/".join(["x" * 60] * 6)
    memory.rename("a", f"{deep}/c")
    memory.write(f"{deep}/c", "two\n")
    memory.write(f"{deep}/d", "three\n")
    assert [memory.read(name).text for name in "cd"] == ["two\n", "three\n"]
    memory.undo(3)
    assert memory.read("a").text == "one\n"


def test_changes_that_no_event_reports_are_found(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = threading.Event()
    with disk(Trouble(deaf=True)) as folder:
        monkeypatch.setattr(platform.current, "rescan_s", 0.05)
        watcher = Watcher(folder, lambda paths: found.set() if paths is None and os.listdir(folder) else None)
        watcher.start()
        write(folder, {"a.md": "x"})
        assert found.wait(30)
        watcher.stop()
