"""The notes that other processes read for the search index."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.tools.inner import search_cache, search_dump, search_of
from tests.tools.vaults import write
from zkmem.memory import Memory
from zkmem.search import readahead, search_index
from zkmem.search.entry import IndexEntry, entry_of
from zkmem.search.readahead import Readahead
from zkmem.vault.files import etag
from zkmem.vault.store import Store

TEXT = "---\ntags: [t{0}]\nx: {0}\n---\n[[n{1}]] café 茶 word{0} only{2}\n"
NOTES = {
    f"{'sub/' * (number % 3)}n{number}.md": TEXT.format(number, number + 1, chr(256 + number)) for number in range(400)
}


def old(root: str) -> None:
    """Give all notes the date of yesterday, so that nothing can have changed behind their stamps."""
    for path in NOTES:
        when = os.stat(os.path.join(root, path)).st_mtime_ns - 86_400 * 10**9
        os.utime(os.path.join(root, path), ns=(when, when))


@pytest.fixture
def ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Readahead:
    monkeypatch.setattr("zkmem.vault.files.RACY_NS", 0)  # the files were written a moment ago
    return Readahead(Store(write(tmp_path, NOTES)))


def read(ahead: Readahead, *paths: str) -> None:
    """Read notes ahead, until other processes have done it."""
    ahead.want(paths)
    for path in paths:
        ahead._requests[path][0].result()


def test_other_processes_read_what_this_one_would(ahead: Readahead) -> None:
    read(ahead, *NOTES)
    for path, text in NOTES.items():
        taken = ahead.take(path)
        assert taken
        assert taken[0]._replace(vocabulary="") == entry_of(path, text.encode(), etag(text.encode()))._replace(
            vocabulary=""
        )
        assert ahead.take(path) is None
    ahead.close()


def test_a_note_that_has_changed_since_is_read_again(ahead: Readahead, tmp_path: Path) -> None:
    read(ahead, "n0.md", "n3.md", "n6.md", "gone.md")
    (tmp_path / "n0.md").write_text("new\n")
    (tmp_path / "n3.md").unlink()
    assert [ahead.take(path) for path in ("n0.md", "n3.md", "gone.md", "never.md")] == [None] * 4
    assert ahead.take("n6.md")
    ahead.close()


def words(connection: sqlite3.Connection) -> list[str]:
    return [word for (word,) in connection.execute("SELECT word FROM search_vocabulary ORDER BY word")]


def test_the_index_is_that_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here: list[str] = []

    def counted(path: str, data: bytes, tag: str) -> IndexEntry:
        here.append(path)
        return entry_of(path, data, tag)

    monkeypatch.setattr(search_index, "entry_of", counted)
    monkeypatch.setattr(search_index, "_SLICE", 90)
    dumps = []
    for name, many in (("one", 10**9), ("two", 1)):
        root = write(tmp_path / name, NOTES)
        old(root)
        monkeypatch.setattr(readahead, "_MANY", many)
        monkeypatch.setattr(readahead, "cores", lambda: 2)
        memory = Memory(root)
        memory.load_search()
        dumps.append(search_dump(search_of(memory)) + search_cache(search_of(memory)).use(words))
        memory.close()
    assert dumps[0] == dumps[1]
    assert len(NOTES) <= len(here) < 2 * len(NOTES) - 50


def test_processes_that_die_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readahead, "_MANY", 1)
    monkeypatch.setattr(readahead, "cores", lambda: 2)
    monkeypatch.setattr(readahead, "_NEEDED", ())  # they cannot import what they need
    memory = Memory(write(tmp_path, NOTES))
    memory.load_search()
    assert len(memory.search("café", limit=1_000)) == len(NOTES)
    assert search_of(memory)._index._ahead is None
    memory.close()
