"""What other notes still say after a value was replaced."""

import pathlib
import threading
from collections.abc import Iterator

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.memory import Memory

NOTES = {
    "green tea.md": "# Green tea\n\nBrew it at 80 °C for 2 minutes: [[brewing]]. Ann Olsen sold it on 2026-10-03.\n",
    "brewing.md": "# Brewing\n\n- Green tea: 80 °C\n- Black tea: 95 °C\n",
    "steeping green tea.md": "Steeping green tea at 80 °C is best. Green tea needs 80 °Celsius.\n",
    "oven.md": "The bread is warm at 80 °C.\n",
    "own/tea.md": "---\nprivate: true\n---\nGreen tea: brew at 80 °C.\n",
    "shop.md": "Ann Olsen sold the green tea on 2026-10-03, and we brew it.\n",
}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Iterator[Memory]:
    with Memory(write(tmp_path / "vault", NOTES)) as memory:
        memory.search("tea")
        yield memory


def test_notes_that_still_have_a_number_are_named_with_their_sentences(memory: Memory) -> None:
    done = memory.write("green tea", "75 °C", old="80 °C")
    assert done.remarks == ["80 °C still in: brewing, steeping green tea"]
    passage, mended = "- Green tea: 80 °C", "- Green tea: 75 °C"
    assert done.outdated[0] == {"note": "brewing", "passage": passage, "mended": mended, "old": "80 °C", "new": "75 °C"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2026-10-03", "2026-11-03", ["2026-10-03 still in: shop"]),
        ("Ann Olsen", "Eve Olsen", ["Ann Olsen still in: shop"]),
        ("80 °C", "80 °C or less", []),
        ("at 80 °C ", "", []),
        ("Brew it", "Steep it", []),
        ("80 °C for 2 minutes", "75 °C for 3 minutes", ["80 °C still in: brewing, steeping green tea"]),
    ],
)
def test_only_what_has_another_value_in_its_place_was_replaced(
    memory: Memory, old: str, new: str, said: list[str]
) -> None:
    assert memory.write("green tea", new, old=old).remarks == said


def test_a_value_that_the_note_still_has_elsewhere_was_not_replaced(memory: Memory) -> None:
    memory.append("green tea", "The second time at 80 °C, too.\n")
    text = memory.read("green tea").text
    assert memory.write("green tea", text.replace("80 °C for", "75 °C for")).outdated == []


def test_a_whole_text_is_compared_sentence_by_sentence(memory: Memory) -> None:
    text = "# Green tea\n\nIt is from Japan.\n\nBrew it at 75 °C for 2 minutes, says [[brewing]]. Ann Olsen sold it.\n"
    assert memory.write("green tea", text).remarks == ["80 °C still in: brewing, steeping green tea"]


def test_nothing_is_said_while_the_index_is_not_there(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.search.search_index._SMALL", 3)
    with Memory(write(tmp_path / "vault", NOTES)) as memory:
        assert memory.write("green tea", "75 °C", old="80 °C").outdated == []
        for thread in threading.enumerate():
            if thread.name == "zkmem-words":
                thread.join()
        assert len(memory.write("brewing", "90 °C", old="80 °C").outdated) == 1


def test_a_note_outside_of_the_folder_is_not_named(tmp_path: pathlib.Path) -> None:
    notes = {f"{folder}/{path}": text for path, text in NOTES.items() for folder in ("here", "there")}
    with Memory(write(tmp_path / "vault", notes)) as whole:
        memory = whole.restricted(Grant("here"))
        memory.search("tea")
        done = memory.write("here/green tea", "75 °C", old="80 °C")
        (change,) = memory.change(None, memory.review().sittings[0].edit, first=1).notes
    for outdated in (done.outdated, change.outdated):
        assert [one["note"] for one in outdated] == ["here/brewing", "here/steeping green tea"]
