"""The notes that changed last, kept at hand while files come, change and go."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zkmem.index.catalog import LATEST_KEPT, Catalog, CatalogRow
from zkmem.names import below, is_note
from zkmem.vault.files import Stamp


def row(time: int) -> CatalogRow:
    return CatalogRow(Stamp(time, time, 1, 1))


def sorted_anew(catalog: Catalog, folder: str) -> list[str]:
    notes = [path for path in catalog.rows if is_note(path) and below(path, folder)]
    return sorted(notes, key=lambda path: (catalog.rows[path].stamp.mtime_ns, path), reverse=True)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), ordered=st.booleans(), removals=st.floats(0, 0.9))
def test_they_are_those_that_a_sort_of_all_notes_finds(seed: int, ordered: bool, removals: float) -> None:
    rng, catalog = random.Random(seed), Catalog()
    times = list(range(-200, 5_800))
    if not ordered:
        rng.shuffle(times)
    paths = [f"{rng.choice(['', 'a/', 'a/b/'])}{number}{rng.choice(['.md', '.md', '.png'])}" for number in range(900)]
    for number, time in enumerate(times):
        path = rng.choice(paths)
        if path in catalog and rng.random() < removals:
            catalog.remove(path)
        else:
            catalog.put(path, row(time))
        if number % 100 == 0:
            for folder in ("", "a", "a/b", "none"):
                count = rng.choice([1, 10, LATEST_KEPT])
                assert catalog.latest(count, folder) == sorted_anew(catalog, folder)[:count]


def test_they_are_not_read_anew_for_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = Catalog()
    for number in range(3 * LATEST_KEPT):
        catalog.put(f"{number}.md", row(number))
    assert len(catalog.latest(10)) == 10
    monkeypatch.setattr("zkmem.index.catalog.Latest", None)  # making one would fail
    for number in range(LATEST_KEPT):
        catalog.put(f"{number}.md", row(10_000 + number))
        assert catalog.latest(1) == [f"{number}.md"]
    catalog.remove(f"{LATEST_KEPT - 1}.md")
    assert catalog.latest(2) == [f"{LATEST_KEPT - 2}.md", f"{LATEST_KEPT - 3}.md"]
