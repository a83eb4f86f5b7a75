"""The table of names for completion: what it finds, in which order, and that it follows the vault."""

import pathlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.index.graph import MISSING
from zkmem.memory import Memory
from zkmem.names import fold, name_of
from zkmem.recall.name_table import _Names

NAMES = ["tea", "green tea", "Tea ceremony", "teapot", "steam", "drinks/tea/black", "grün", "Übung tea", "a b c"]
LINKS = "[[tea]] [[green tea]] [[Not there]] [[tea time]]"


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Iterator[Memory]:
    notes = {f"{name}.md": "" for name in NAMES} | {"green tea.md": LINKS, "tea.md": "[[steam]]", "tea.png": ""}
    with Memory(write(tmp_path, notes), durable=False) as memory:
        yield memory


def found(memory: Memory, text: str) -> list[str]:
    names, session = engine(memory).names, engine(memory).session
    memory.load()
    names.prepare()
    return session.read(lambda index: list(names.find(index, text)))


def test_equal_names_come_first_then_those_that_begin_so_then_words_then_the_rest(memory: Memory) -> None:
    order = [name_of(one.removeprefix(MISSING)) for one in found(memory, "tea")]
    assert order[0] == "tea"
    ranks = {"tea": 0, "tea.png": 1, "Tea ceremony": 1, "teapot": 1, "tea time": 1, "green tea": 2, "Übung tea": 2,
             "drinks/tea/black": 2, "steam": 3}  # fmt: skip
    assert sorted(order) == sorted(ranks)
    assert [ranks[name] for name in order] == sorted(ranks.values())


def test_names_come_by_weight_and_attachments_last(memory: Memory) -> None:
    order = found(memory, "")
    assert order[0] == "green tea.md"
    assert order[-1] == "tea.png"
    assert f"{MISSING}not there" in order


def test_names_that_come_and_go_are_known_at_once(memory: Memory) -> None:
    assert found(memory, "new") == []
    memory.write("brand new", "[[newest]]")
    assert set(found(memory, "new")) == {"brand new.md", f"{MISSING}newest"}
    memory.delete("brand new")
    assert found(memory, "new") == []


def test_a_name_is_found_when_its_note_is_made_deleted_or_moved(memory: Memory) -> None:
    assert found(memory, "there") == [f"{MISSING}not there"]
    memory.write("Not there", "Now it is.")
    assert found(memory, "there") == ["Not there.md"]
    memory.delete("Not there")
    assert found(memory, "there") == [f"{MISSING}not there"]
    memory.delete("steam")
    assert found(memory, "stea") == [f"{MISSING}steam"]
    memory.write("folder/Steam", "Of another one.")
    assert found(memory, "stea") == ["folder/Steam.md"]


def test_a_note_with_very_many_links_costs_a_look_for_each_of_them_at_most(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[str]()
    knows = _Names.knows

    def counted(table: _Names, node: str) -> bool:
        looks.append(node)
        return knows(table, node)

    monkeypatch.setattr(_Names, "knows", counted)
    found(memory, "")
    many = "".join(f"[[missing {number}]]\n" for number in range(3_000))
    memory.write("hub", many)
    assert len(found(memory, "missing")) == 500
    assert len(looks) < 300  # there are more names than are looked at one by one
    looks.clear()
    memory.write("hub", many + "One more line.")
    found(memory, "missing")
    assert len(looks) == 3_001


def test_a_look_for_a_name_does_not_go_through_the_names() -> None:
    names = _Names.of({f"note {number}.md": 1.0 for number in range(50)} | {f"{MISSING}a": 2.0})
    bare = names._replace(text=b"", nodes=[], starts=names.starts[:0])
    assert all(bare.knows(node) for node in names.nodes)
    assert not any(bare.knows(node) for node in ("a.md", f"{MISSING}note 1", "other.md"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["t", "tea", "re", "é", "ü", "/", "b", "ing", "TE"]), max_size=3).map(" ".join))
def test_all_names_with_all_words_are_found_and_no_others(memory: Memory, text: str) -> None:
    nodes = found(memory, "")
    wanted = {one for one in nodes if all(word in fold(name_of(one)) for word in fold(text).split())}
    assert set(found(memory, text)) == wanted


def test_after_many_changes_the_table_is_made_anew(memory: Memory) -> None:
    found(memory, "")
    write(memory.vault, {f"many/n{number}.md": "" for number in range(300)})
    memory.wait_ready()
    assert len(found(memory, "many/n")) == 300
