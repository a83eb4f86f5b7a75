"""The answer to a new note, which names one that says nearly the same."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.memory import Memory

TEXT = "Sencha is steamed right after the harvest, which keeps its leaves green and its taste of grass and seaweed.\n"
AGAIN = "Right after its harvest Sencha is steamed: this keeps the leaves green, and the taste of seaweed and grass.\n"
NOTES = {
    "tea/Sencha.md": TEXT,
    "tea/Hojicha.md": "Hojicha is roasted over charcoal after the harvest, so its leaves are brown.\n",
    "own/Notes.md": f"---\nprivate: true\n---\n{TEXT.replace('Sencha', 'Gyokuro')}",
}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Iterator[Memory]:
    with Memory(write(tmp_path / "vault", NOTES)) as memory:
        memory.search("tea")
        yield memory


def test_the_answer_to_a_new_note_names_one_that_says_nearly_the_same(memory: Memory) -> None:
    assert memory.write("steamed tea", AGAIN).remarks == ["like: tea/Sencha"]
    assert memory.read("Sencha").text == TEXT


def test_at_most_one_note_is_named(memory: Memory) -> None:
    memory.write("tea/Sencha again", AGAIN)
    memory.search("tea")
    assert len(memory.write("third", TEXT).remarks) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Gyokuro is shaded before the harvest, which makes the leaves dark and the taste sweet, says the farmer.\n",
        f"{AGAIN}Another one is [[Sencha]].\n",
        AGAIN.replace("Sencha", "Gyokuro"),
        "Sencha, steamed.\n",
    ],
    ids=["same subject", "linked", "private", "short"],
)
def test_a_note_of_the_same_subject_a_linked_a_private_and_a_short_one_are_not_named(memory: Memory, text: str) -> None:
    memory.delete("Sencha") if "Gyokuro" in text else None
    assert memory.write("new", text).remarks == []


def test_a_changed_note_is_not_compared(memory: Memory) -> None:
    memory.write("new", "Words.\n")
    assert memory.write("new", AGAIN).remarks == []


def test_a_note_outside_of_the_folder_is_not_named(memory: Memory) -> None:
    within = memory.restricted(Grant("own"))
    within.search("tea")
    assert within.write("own/new", AGAIN).remarks == []
