"""The replay of edits on the map: which notes and links came and went with each."""

import contextlib
import pathlib
import random
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools import story
from zkmem.caller import Grant
from zkmem.errors import BadArgument, UnknownEdit, ZkError
from zkmem.memory import Memory
from zkmem.recall import replay as module
from zkmem.recall.replay import Replay

State = tuple[frozenset[str], frozenset[tuple[str, str]]]
"""The names of the notes, and the links between notes and missing notes; these are folded, with a `?`."""

NAMES = ["tea", "cup", "drinks/tea", "drinks/mate", "old/cup"]


def state(memory: Memory) -> State:
    """The map as it is."""
    names, _, missing, links, _ = memory.graph()
    nodes = names + [f"{one.lower()}?" for one in missing]
    pairs = zip(links[::2], links[1::2], strict=True)
    return frozenset(names), frozenset((nodes[source], nodes[target]) for source, target in pairs)


def states(replay: Replay, now: State) -> list[State]:
    """The map before the first step and after each of them, from what it is now."""
    nodes = [f"{one.name.lower()}?" if one.missing else one.name for one in replay.nodes]

    def named(numbers: list[int]) -> set[str]:
        return {nodes[number] for number in numbers}

    def pairs(numbers: list[int]) -> set[tuple[str, str]]:
        return {(nodes[a], nodes[b]) for a, b in zip(numbers[::2], numbers[1::2], strict=True)}

    found = [now]
    for step in reversed(replay.steps):
        names, links = found[-1]
        came, went = named(step.new + step.renamed[1::2]), named(step.gone + step.renamed[::2])
        assert (came - names, went & names, pairs(step.links) - links, pairs(step.cut) & links) == (set(),) * 4, step
        found.append((names - came | went, links - pairs(step.links) | pairs(step.cut)))
    return found[::-1]


def edit(memory: Memory, rng: random.Random) -> None:
    """Make one edit."""
    name, other = rng.sample(NAMES, 2)
    text = " ".join(f"[[{rng.choice([*NAMES, 'leaf', 'Pot'])}]]" for _ in range(rng.randrange(4)))
    edits: list[Callable[[], object]] = [
        lambda: memory.write(name, f"{text} {rng.random()}\n"),
        lambda: memory.append(name, f"{text} {rng.random()}\n"),
        lambda: memory.delete(name),
        lambda: memory.rename(name, other, merge=rng.random() < 0.5),
        memory.undo,
    ]
    with contextlib.suppress(ZkError):  # there is no such note, or nothing to undo
        rng.choice(edits)()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_each_step_leads_from_one_state_of_the_map_to_the_next(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng, vault = random.Random(seed), tmp_path_factory.mktemp("vault")
    (vault / "drinks").mkdir()
    (vault / "tea.md").write_text("[[cup]] [[drinks/mate]] [[leaf]]\n")
    with Memory(str(vault)) as memory:
        seen = {0: state(memory)}
        for _ in range(14):
            edit(memory, rng)
            edits = memory.log(limit=1)
            seen[int(edits[0].rev) if edits else 0] = state(memory)
        replay = memory.replay()
        numbers = [step.edit for step in replay.steps if step.edit is not None]
        begin, *after = states(replay, state(memory))
        assert len(numbers) == len(replay.steps) == replay.edits
        assert after == [seen[number] for number in numbers]
        assert begin in [seen[number] for number in seen if number < min(numbers, default=1)]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("story") / "vault"
    story.story(folder)
    return folder


def named(replay: Replay, *lists: Iterable[int]) -> list[list[str]]:
    return [[replay.nodes[number].name for number in one] for one in lists]


def test_the_steps_say_what_came_went_and_changed(day: pathlib.Path) -> None:
    with Memory(str(day)) as memory:
        replay = memory.replay()
        steps = {step.edit: step for step in replay.steps}
        assert list(steps) == list(range(1, story.EDITS + 1))
        assert (steps[18].client, steps[18].words) == ("claude-code", f"overwrote {story.OVERWRITTEN}")
        assert named(replay, steps[18].changed) == [[story.OVERWRITTEN]]
        assert named(replay, steps[19].new, steps[19].changed, steps[19].links) == [
            ["reading/essays"],
            ["reading/books"],
            ["reading/books", "reading/essays"],
        ]
        assert named(replay, steps[29].gone, steps[29].cut) == [[story.DELETED], ["hint", story.DELETED]]
        assert replay.nodes[steps[29].links[1]] == (story.DELETED, True)
        renamed = ["places/harbour", "places/old harbour"]
        assert named(replay, steps[37].renamed, steps[37].new, steps[37].changed) == [renamed, [], []]
        assert (steps[46].client, steps[46].outside, len(steps[46].new)) == ("", "git pull", 2)


def test_a_sitting_ends_with_what_others_did_since(day: pathlib.Path) -> None:
    with Memory(str(day)) as memory:
        now = state(memory)
        replay = memory.replay(sitting=3)
        assert [step.edit for step in replay.steps] == [*range(1, 25), None]
        last = replay.steps[-1]
        assert (last.edits, last.words, len(last.new), len(last.renamed)) == (22, "", 11, 0)
        assert states(replay, now)[0] == states(memory.replay(), now)[0]
        between = memory.replay(sitting=43)  # by hand
        assert [(step.edit, step.edits) for step in between.steps] == [(43, 1), (44, 1), (45, 1), (None, 1)]
        assert memory.replay(since="44").edits == 2
        memory.mark_seen("x", story.EDITS, earlier=True)
        assert memory.replay("x") == (0, [], [])
        with pytest.raises(UnknownEdit):
            memory.replay(sitting=99)
        with pytest.raises(BadArgument):
            memory.replay(since="soon")


def test_of_very_many_edits_the_last_have_steps(day: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 10)
    with Memory(str(day)) as memory:
        replay = memory.replay()
        assert (replay.edits, [step.edit for step in replay.steps]) == (46, list(range(37, 47)))
        assert states(replay, state(memory))[-1] == state(memory)


def test_a_caller_with_a_folder_sees_only_what_is_in_it(day: pathlib.Path) -> None:
    with Memory(str(day)) as memory:
        work = memory.restricted(Grant("work"))
        replay = work.replay()
        assert {step.edit for step in replay.steps} == {24, 25, 26, 27, 28, 32, 39, 40, 41}
        assert all(node.name.startswith("work/") for node in replay.nodes)
