"""Reading and editing through a session: how fresh the index is, and what is done again."""

import pathlib

import pytest

import zkmem
from tests.tools.vaults import write
from zkmem.engine import Engine
from zkmem.errors import Changed, UnknownNote
from zkmem.index.index import Index
from zkmem.index.live import Behind
from zkmem.index.lookup import known_note
from zkmem.index.session import Freshness
from zkmem.memory import Memory

LINKED = {"a.md": "[[b]]", "b.md": ""}


@pytest.fixture
def engine(tmp_path: pathlib.Path) -> Engine:
    return Engine(write(tmp_path, LINKED))


def names(index: Index) -> list[str]:
    return sorted(index.catalog.notes())


def test_no_other_code_takes_the_lock_of_the_index() -> None:
    house = pathlib.Path(zkmem.__file__).parent
    takers = {str(path.relative_to(house)) for path in house.rglob("*.py") if ".as_it_is" in path.read_text("utf-8")}
    assert takers == {"index/session.py"}


def test_names_are_known_before_links(engine: Engine) -> None:
    assert engine.session.read(names, Freshness.NAMES) == ["a.md", "b.md"]
    assert not engine.live.index.ready
    assert engine.session.read(lambda index: list(index.links.backlinks("b.md"))) == ["a.md"]


def test_each_freshness_reflects_what_it_says(engine: Engine) -> None:
    engine.session.read(names)
    root = engine.store.root
    Memory(root).write("other", "by another process")
    pathlib.Path(root, "hand.md").write_text("by hand")
    assert engine.session.read(names) == ["a.md", "b.md"]
    assert engine.session.read(names, Freshness.EDITS) == ["a.md", "b.md", "other.md"]
    assert engine.session.read(names, Freshness.FILES) == ["a.md", "b.md", "hand.md", "other.md"]


def test_work_that_met_a_changed_file_is_done_again_from_all_files(engine: Engine) -> None:
    seen: list[list[str]] = []

    def work(index: Index) -> int:
        seen.append(names(index))
        if len(seen) == 1:
            pathlib.Path(engine.store.root, "new.md").write_text("")
            raise Changed("a file has changed")
        return len(seen)

    assert engine.session.read(work) == 2
    assert seen == [["a.md", "b.md"], ["a.md", "b.md", "new.md"]]


def test_a_note_that_is_missing_is_looked_for_among_the_files_once(engine: Engine) -> None:
    engine.session.read(names)
    pathlib.Path(engine.store.root, "new.md").write_text("")
    assert engine.session.read(lambda index: known_note(index.catalog, "new")) == "new.md"
    calls = []

    def work(index: Index) -> str:
        calls.append(index)
        return known_note(index.catalog, "none")

    with pytest.raises(UnknownNote):
        engine.session.read(work)
    assert len(calls) == 1, "the files hold no change"


def test_a_table_that_is_behind_is_filled_while_nothing_is_held(engine: Engine) -> None:
    free: list[bool] = []

    def fill() -> None:
        free.append(engine.live.index.ready)
        engine.session.read(names)  # takes the locks in order, which a thread that held the index would not

    def work(_: Index) -> str:
        if not free:
            raise Behind(fill)
        return "done"

    assert engine.session.read(work) == "done"
    assert free == [True]
