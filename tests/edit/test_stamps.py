"""An edit reads each file once; after that the stamp shows whether the file is still the same."""

import os
import pathlib
from collections import Counter
from collections.abc import Callable

import pytest

from tests.tools.inner import engine, index_faults
from tests.tools.vaults import read, write
from zkmem.memory import Memory
from zkmem.vault import files, platform
from zkmem.vault.journal.transaction import Transaction

_REFERRERS = 20
_LONG_AGO = 1_700_000_000_000_000_000  # nanoseconds: no tick of the clock is still going on


def _old(root: pathlib.Path, texts: dict[str, str]) -> Memory:
    """Return a memory of notes that were written long ago, whose index is complete."""
    write(root, texts)
    for name in texts:
        os.utime(root / name, ns=(_LONG_AGO, _LONG_AGO))
    memory = Memory(str(root))
    memory.wait_ready()
    return memory


def _save_and_hide(full: pathlib.Path, text: str) -> None:
    """Write a text of the same length into a file and restore its time, until the system's own time differs."""
    before = full.stat()
    assert before.st_size == len(text)
    while full.stat().st_ctime_ns == before.st_ctime_ns:
        with open(full, "r+b") as file:
            file.write(text.encode())
        os.utime(full, ns=(before.st_mtime_ns, before.st_mtime_ns))


def _after(monkeypatch: pytest.MonkeyPatch, name: str, then: Callable[[], None]) -> None:
    """Make a method of a transaction call `then` when it is done, once."""
    real = getattr(Transaction, name)

    def wrapper(*arguments: object, **named: object) -> object:
        result = real(*arguments, **named)
        monkeypatch.setattr(Transaction, name, real)
        then()
        return result

    monkeypatch.setattr(Transaction, name, wrapper)


@pytest.fixture
def _no_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust the stamp of a file that was written a moment ago."""
    monkeypatch.setattr(files, "RACY_NS", 0)


@pytest.mark.usefixtures("_no_ticks")
def test_an_edit_reads_each_file_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = _old(tmp_path, {"a.md": "A", **{f"n{number}.md": "[[a]]" for number in range(_REFERRERS)}})
    reads: Counter[str] = Counter()
    real = files.read

    def counted(full: str, most: int = files.MOST_BYTES) -> tuple[bytes, files.Stamp]:
        reads[os.path.relpath(full, tmp_path)] += 1
        return real(full, most)

    monkeypatch.setattr(files, "read", counted)
    memory.rename("a", "b")
    assert {name: count for name, count in reads.items() if name.startswith("n")} == {
        f"n{number}.md": 1 for number in range(_REFERRERS)
    }
    monkeypatch.undo()
    assert not index_faults(memory)


@pytest.mark.usefixtures("_no_ticks")
@pytest.mark.parametrize("step", ["_fill_slots", "_write_record"])
def test_a_save_that_hides_its_time_before_the_step_is_not_overwritten(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    memory = _old(tmp_path, {"a.md": "one", "b.md": "[[a]] by a tool"})
    _after(monkeypatch, step, lambda: _save_and_hide(tmp_path / "b.md", "[[a]] by a hand"))
    memory.rename("a", "c")
    assert read(tmp_path) == {"c.md": b"one", "b.md": b"[[c]] by a hand"}


def test_the_index_has_a_save_that_hid_its_time_in_an_edit(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = _old(tmp_path, {"a.md": "A", "b.md": "[[a]] [[d]]"})
    _after(monkeypatch, "commit", lambda: _save_and_hide(tmp_path / "b.md", "[[c]] [[e]]"))
    memory.rename("a", "c")
    assert read(tmp_path)["b.md"] == b"[[c]] [[e]]"
    assert not index_faults(memory)


def test_the_index_has_a_save_right_after_the_swap(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = _old(tmp_path, {"a.md": "A", "b.md": "[[a]] [[d]]"})
    real = platform.current.exchange

    def exchange(slot: str, full: str) -> None:
        real(slot, full)
        write(tmp_path, {"saved": "[[c]] [[e]]"})
        os.replace(tmp_path / "saved", full)

    monkeypatch.setattr(platform.current, "exchange", exchange)
    memory.rename("a", "c")
    assert read(tmp_path)["b.md"] == b"[[c]] [[e]]"
    assert not index_faults(memory)


def test_a_note_that_an_edit_wrote_is_read_once_more(tmp_path: pathlib.Path) -> None:
    """A save within the same tick of the clock may have left the stamp as it was."""
    memory = _old(tmp_path, {"a.md": "one"})
    memory.write("a", "two [[b]]")
    assert engine(memory).live.index.catalog.rows["a.md"].racy
