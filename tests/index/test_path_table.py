"""The table of paths by key: equal to a plain dictionary of lists, and as fast for many paths under one key."""

import gc
import sys
from threading import Thread

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zkmem.index.catalog import PathTable

Plain = dict[str, list[str]]

runs = st.lists(st.tuples(st.sampled_from("aab"), st.integers(0, 20), st.integers(1, 30)), max_size=6)


def contents(table: PathTable) -> Plain:
    return {key: list(table[key]) for key in list(table.keys())}


def toggle(table: PathTable, plain: Plain, key: str, path: str) -> None:
    """Add a path, or discard it if it is there."""
    if path in plain.get(key, []):
        table.discard(key, path)
        plain[key].remove(path)
        if not plain[key]:
            del plain[key]
    else:
        table.add(key, path)
        plain.setdefault(key, []).append(path)


@given(runs, st.integers(0, 100))
@example([("a", 0, 17), ("a", 0, 16)], 17)
def test_after_any_changes_it_has_the_paths_in_order_and_a_snapshot_stays(
    parts: list[tuple[str, int, int]], moment: int
) -> None:
    table, plain = PathTable(), Plain()
    snapshot, then = table.snapshot(), Plain()
    steps = [(key, path) for key, first, count in parts for path in range(first, first + count)]
    for number, (key, path) in enumerate(steps):
        if number == moment:
            snapshot, then = table.snapshot(), {key: list(paths) for key, paths in plain.items()}
        toggle(table, plain, key, f"{path}/{key}")
    assert contents(table) == plain
    assert sorted(map(list, table.several())) == sorted(paths for paths in plain.values() if len(paths) > 1)
    assert list(table["c"]) == []
    assert contents(snapshot) == then
    toggle(snapshot, then, "a", "1/a")
    assert (contents(snapshot), contents(table)) == (then, plain)


class Counted(dict[str, object]):
    """A dictionary that counts the members of the collections that are put into it."""

    members = 0

    def __setitem__(self, key: str, value: object) -> None:
        self.members += 1 if isinstance(value, str) else len(value)  # type: ignore[arg-type]
        super().__setitem__(key, value)


@pytest.mark.parametrize("count", [1_000, 10_000])
def test_a_change_copies_few_paths_however_many_share_the_key(count: int) -> None:
    table = PathTable()
    table._paths = counted = Counted()  # type: ignore[assignment]
    for number in range(count):
        table.add("index.md", f"{number}/index.md")
    for number in range(count):
        table.discard("index.md", f"{number}/index.md")
    assert list(table.keys()) == []
    assert counted.members < 500


def test_a_lookup_during_changes_finds_the_paths_from_before_or_after() -> None:
    table = PathTable()
    table.add("a", "stays/a")
    states = {("stays/a", *(f"{number}/a" for number in range(count))) for count in range(31)}
    interval, found = sys.getswitchinterval(), set[tuple[str, ...]]()

    def change() -> None:
        for _ in range(300):
            for number in range(30):
                table.add("a", f"{number}/a")
            for number in reversed(range(30)):
                table.discard("a", f"{number}/a")

    writer = Thread(target=change)
    sys.setswitchinterval(1e-6)
    try:
        writer.start()
        while writer.is_alive():
            found.add(tuple(table["a"]))
    finally:
        sys.setswitchinterval(interval)
        writer.join()
    assert found <= states


def test_a_lookup_of_many_paths_survives_a_change_during_garbage_collection() -> None:
    table = PathTable()
    for number in range(40):
        table.add("a", f"{number}/a")
    added: list[str] = []

    def change(phase: str, info: dict[str, int]) -> None:
        table.add("a", f"{len(added)}/new")
        added.append(f"{len(added)}/new")

    threshold = gc.get_threshold()
    gc.callbacks.append(change)
    gc.set_threshold(1)
    try:
        counts = {len(table["a"]) for _ in range(50)} | {len(paths) for paths in table.several()}
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(change)
    assert added
    assert min(counts) >= 40
