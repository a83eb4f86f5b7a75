"""Weights, hints and suggestions: the definition in docs/explanation/ranking.md."""

import json
import math
import pathlib
import random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.memory import Memory
from zkmem.recall.ranking import Order, Ranking, balanced
from zkmem.recall.weights import CAP, pagerank, weights
from zkmem.vault.paths import Patterns


def every(_: str) -> bool:
    return True


def weight_of(root: pathlib.Path, links: dict[str, list[str]]) -> dict[str, float]:
    files = {name + ".md": " ".join(f"[[{target}]]" for target in targets) for name, targets in links.items()}
    hints = Memory(write(root, files)).hints(1000)
    return {hint.name: hint.weight for hint in hints}


LEAVES: dict[str, list[str]] = {"B": [], "C": [], "D": [], "E": [], "F": []}


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({"A": []}, {"A": 1}),
        ({"A": ["B"], "B": []}, {"A": 1}),
        ({"A": ["B", "C"], **LEAVES}, {"A": 2}),
        ({"A": ["B", "C", "D"], **LEAVES}, {"A": 1.5}),
        ({**LEAVES, "A": ["B", "C"], "B": ["D", "E"]}, {"A": 3, "B": 2}),
        ({"A": ["gone", "gone too"]}, {"A": 2}),
        ({"A": ["B"], "B": ["A"]}, {"A": 2, "B": 2}),
        ({"A": ["B"], "B": ["C"], "C": ["A"]}, {"A": 2, "B": 2, "C": 2}),
        ({"index": list(LEAVES), **{name: ["index"] for name in LEAVES}}, {"index": 6, "B": 2, "F": 2}),
        ({"index": list(LEAVES), **LEAVES}, {"index": 1.25}),
        ({"P": ["A"], "A": ["B"], "B": ["A"]}, {"P": 1}),
    ],
)
def test_the_table_of_the_design(
    tmp_path: pathlib.Path, links: dict[str, list[str]], expected: dict[str, float]
) -> None:
    found = weight_of(tmp_path, links)
    assert {name: found[name] for name in expected} == expected


def plain(graph: "nx.DiGraph[str]", node: str) -> float:
    """The recursion as the seed document has it, for a graph without loops."""
    linked = [plain(graph, target) for target in graph.successors(node)]
    return math.fsum(linked) / max(1, len(linked) - 1) if linked else 1.0


@given(st.integers(0, 10**9), st.integers(1, 14))
def test_equals_the_plain_recursion_on_every_acyclic_graph(seed: int, size: int) -> None:
    rng = random.Random(seed)
    names = [f"n{number}" for number in range(size)]
    rng.shuffle(names)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.4]
    rng.shuffle(pairs)
    graph.add_edges_from(pairs)
    assert weights(graph, every) == {node: plain(graph, node) for node in names}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), st.randoms(use_true_random=False))
def test_does_not_depend_on_the_order_of_notes_or_links(edges: list[tuple[int, int]], rng: random.Random) -> None:
    one: nx.DiGraph[str] = nx.DiGraph()
    one.add_nodes_from(map(str, range(10)))
    one.add_edges_from((str(a), str(b)) for a, b in edges)
    nodes, links = list(one.nodes), list(one.edges)
    rng.shuffle(nodes)
    rng.shuffle(links)
    other: nx.DiGraph[str] = nx.DiGraph()
    other.add_nodes_from(nodes)
    other.add_edges_from(links)
    assert weights(one, every) == weights(other, every)


def test_a_chain_of_100_000_notes() -> None:
    chain: nx.DiGraph[str] = nx.path_graph(100_000, create_using=nx.DiGraph)
    assert set(weights(chain, every).values()) == {1.0}


def test_weights_are_capped() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for level in range(60):
        graph.add_edges_from([(f"{level}{side}", f"{level + 1}{to}") for side in "ab" for to in "ab"])
    found = weights(graph, every)
    assert max(found.values()) == CAP


def test_a_self_link_is_no_link(tmp_path: pathlib.Path) -> None:
    assert weight_of(tmp_path, {"A": ["A", "B", "C"], **LEAVES})["A"] == 2


def test_a_link_to_an_attachment_does_not_count(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"A.md": "[[B]] [[C]] ![[p.png]]", "B.md": "", "C.md": "", "p.png": ""})
    assert Memory(str(tmp_path)).hints(1)[0] == ("A", 2.0, 2, 0)


def test_what_counts_as_a_missing_target(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path, {"A.md": "[[x]] [[X]] [[x.md]] [m](y.md) [n](page.html) [o](https://e.org/z.md)", "B.md": "[[./x]]"}
    )
    hint = Memory(str(tmp_path)).hints(1)[0]
    assert (hint.name, hint.links) == ("A", 2)


def test_hints_break_ties_by_backlinks_then_name(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"b.md": "", "a.md": "", "c.md": "", "x.md": "[[c]]"})
    assert [hint.name for hint in Memory(str(tmp_path)).hints()] == ["c", "a", "b", "x"]


def test_a_self_link_breaks_no_tie(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "", "b.md": "[[b]]"})
    assert [(hint.name, hint.backlinks) for hint in Memory(str(tmp_path)).hints()] == [("a", 0), ("b", 0)]


def pages(links: dict[str, list[str]]) -> dict[str, str]:
    return {f"{name}.md": " ".join(f"[[{target}]]" for target in targets) for name, targets in links.items()}


def unanswered(topics: int = 10, days: int = 40) -> dict[str, str]:
    """A vault as imports make them: index pages that no note links back to, and a diary, a chain of two-link notes."""
    notes = {f"index {topic}": [f"note {topic}-{i}" for i in range(10 + topic)] for topic in range(topics)}
    notes |= {f"note {topic}-{i}": [] for topic in range(topics) for i in range(10 + topic)}
    notes |= {f"day {day}": [f"day {day - 1}", f"note {day % topics}-1"] for day in range(1, days)}
    return pages({**notes, "day 0": []})


def names(memory: Memory, count: int = 10) -> list[str]:
    return [hint.name for hint in memory.hints(count)]


class TestBalanced:
    def test_brings_the_index_pages_that_nobody_links_back_to(self, tmp_path: pathlib.Path) -> None:
        vault = write(tmp_path, unanswered())
        assert not any(name.startswith("index") for name in names(Memory(vault))), "by weight a chain comes first"
        assert names(Memory(vault, hints_order="balanced")) == [f"index {topic}" for topic in range(9, -1, -1)]

    def test_keeps_what_loops_say(self, tmp_path: pathlib.Path) -> None:
        links: dict[str, list[str]] = {
            "woven": [f"w{i}" for i in range(8)], **{f"w{i}": ["woven"] for i in range(8)},
            "list": [f"l{i}" for i in range(12)], **{f"l{i}": [] for i in range(12)},
        }  # fmt: skip
        hints = Memory(write(tmp_path, pages(links)), hints_order="balanced").hints(2)
        assert [(hint.name, hint.weight) for hint in hints] == [("woven", 9), ("list", pytest.approx(12 / 11))]

    @given(st.floats(0, CAP), st.integers(0, 10_000))
    def test_lies_within_the_bounds_of_the_links(self, weight: float, links: int) -> None:
        value = balanced(weight, links)
        assert links / 2 <= value <= links + 1
        assert value == weight or value in {links / 2, links + 1}


@pytest.mark.parametrize("order", ["weight", "links", "pagerank", "balanced"])
def test_the_first_hints_are_the_same_however_many_are_asked_for(tmp_path: pathlib.Path, order: Order) -> None:
    rng = random.Random(7)
    targets = [*(f"n{i}" for i in range(40)), *(f"gone {i}" for i in range(10)), *(f"p{i}.png" for i in range(10))]
    files = pages({f"n{i}": rng.sample(targets, rng.choice([0, 1, 2, 5, 20])) for i in range(40)})
    memory = Memory(write(tmp_path, {**files, **{f"p{i}.png": "" for i in range(10)}}), hints_order=order)
    everything = memory.hints(1000)
    assert len(everything) == 40
    assert all(memory.hints(count) == everything[:count] for count in range(1, 41))


class TestTemplates:
    @pytest.mark.parametrize("order", ["weight", "links", "pagerank", "balanced"])
    def test_are_no_hints(self, tmp_path: pathlib.Path, order: Order) -> None:
        files = {
            "a.md": "[[b]]", "Templates/Day.md": "[[a]] [[b]] [[c]] [[d]]", "x/templates/Book.md": "[[a]] [[b]] [[c]]",
            "{{date}} {{title}}.md": "[[a]] [[b]] [[c]]", "My templates.md": "[[a]] [[b]]", "b.md": "",
        }  # fmt: skip
        memory = Memory(write(tmp_path, files), hints_order=order)
        assert [set(names(memory)), len(names(memory, 2))] == [{"My templates", "a", "b"}, 2]
        assert memory.hints(folder="x") == []

    @pytest.mark.parametrize(
        ("file", "key"),
        [
            (".obsidian/templates.json", "folder"),
            (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
        ],
    )
    def test_are_in_the_folder_of_obsidians_settings(self, tmp_path: pathlib.Path, file: str, key: str) -> None:
        memory = Memory(write(tmp_path, {"a.md": "", "Extras/Moulds/Day.md": "[[a]] [[b]]", "Extras/b.md": "[[a]]"}))
        assert names(memory, 1) == ["Extras/Moulds/Day"]
        write(tmp_path, {file: json.dumps({key: "extras/moulds/"})})
        assert names(memory) == ["a", "Extras/b"]
        write(tmp_path, {file: "{"})
        assert names(memory, 1) == ["Extras/Moulds/Day"], "damaged settings name no folder"

    def test_leave_no_gap_however_many_they_are(self, tmp_path: pathlib.Path) -> None:
        moulds = {f"Templates/{number}.md": "[[a]] [[b]] [[c]]" for number in range(150)}
        memory = Memory(write(tmp_path, {**moulds, **{f"n{number}.md": "" for number in range(120)}}))
        assert len(memory.hints(100)) == 100
        memory.write("Templates/new", "[[a]] [[b]] [[c]] [[d]]")
        assert names(memory, 3) == ["n0", "n1", "n10"]


def test_notes_are_ranked_once_and_then_only_those_that_changed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(write(tmp_path, unanswered()), hints_order="balanced")
    memory.hints(10)
    looked: list[str] = []
    plain = Ranking._links

    def counted(self: Ranking, node: str) -> int:
        looked.append(node)
        return plain(self, node)

    monkeypatch.setattr(Ranking, "_links", counted)
    assert len(memory.hints(10)) == 10
    assert len(looked) == 10, "of 195 notes"
    memory.write("one more", "[[two more]]")
    assert len(memory.hints(10)) == 10
    assert len(looked) < 30


@pytest.mark.parametrize("order", ["weight", "links", "pagerank", "balanced"])
def test_hints_follow_edits(tmp_path: pathlib.Path, order: Order) -> None:
    rng = random.Random(order)
    names = [*(f"n{number}" for number in range(150)), *(f"in/n{number}" for number in range(20)), "gone"]
    write(tmp_path, {"p.png": ""})

    def text() -> str:
        return " ".join(f"[[{rng.choice([*names, 'p.png'])}]]" for _ in range(rng.choice([0, 0, 1, 2, 4, 12])))

    memory = Memory(write(tmp_path, {f"{name}.md": text() for name in names[:-1]}), hints_order=order, durable=False)
    own = memory.restricted(Grant("in"))
    for _ in range(25):
        for _ in range(rng.choice([1, 1, 1, 5])):
            name = rng.choice(names[:-1])
            what = rng.random()
            if what < 0.8 or name not in names:
                memory.write(name, text())
            elif what < 0.9:
                memory.delete(name)
                names.remove(name)
            else:
                names[names.index(name)] = f"{name} again"
                memory.rename(name, f"{name} again")
        fresh = Memory(str(tmp_path), hints_order=order)
        count = rng.choice([1, 10, 100, 130, 300])
        assert memory.hints(count) == fresh.hints(count)
        assert memory.hints(10, folder="in") == fresh.hints(10, folder="in")
        assert own.hints(count) == fresh.restricted(Grant("in")).hints(count)


class TestAdvice:
    def test_names_the_wide_notes_that_weight_hides_and_the_first_in_the_other_order(
        self, tmp_path: pathlib.Path
    ) -> None:
        found = Memory(write(tmp_path, unanswered())).advice()
        assert found is not None
        assert (found.hints_order, found.wide) == ("balanced", ["index 9", "index 8", "index 7"])
        assert found.first == [f"index {topic}" for topic in range(9, -1, -1)]
        assert 'hints_order = "balanced"' in found.sentence

    def test_says_nothing_where_the_notes_link_back(self, tmp_path: pathlib.Path) -> None:
        files = unanswered(topics=10, days=5)
        answers = {path: f"[[index {path[5]}]]" for path in files if path.startswith("note")}
        assert Memory(write(tmp_path, files | answers)).advice() is None

    def test_says_nothing_of_notes_with_few_links(self, tmp_path: pathlib.Path) -> None:
        files = pages({f"list {i}": [f"x{i}-{j}" for j in range(9)] for i in range(5)}) | pages(
            {f"pair {i}": ["a", "b"] for i in range(20)}
        )
        assert Memory(write(tmp_path, files)).advice() is None

    @pytest.mark.parametrize("order", ["links", "pagerank", "balanced"])
    def test_says_nothing_to_one_who_has_chosen(self, tmp_path: pathlib.Path, order: Order) -> None:
        assert Memory(write(tmp_path, unanswered()), hints_order=order).advice() is None

    def test_of_a_folder_names_no_note_outside(self, tmp_path: pathlib.Path) -> None:
        files = {f"own/{path}": text.replace("[[", "[[own/") for path, text in unanswered(3).items()}
        vault = write(tmp_path, files | unanswered())
        found = Memory(vault).restricted(Grant("own")).advice()
        assert found is not None
        assert found.first[:3] == ["own/index 2", "own/index 1", "own/index 0"]
        assert all(name.startswith("own/") for name in [*found.wide, *found.first])


def test_hints_order_can_be_links_or_pagerank(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"index.md": "[[a]] [[b]] [[c]] [[d]]", "a.md": "[[e]] [[f]]", **{f"{n}.md": "" for n in "bcdef"}})
    assert Memory(str(tmp_path)).hints(1)[0].name == "a"
    assert Memory(str(tmp_path), hints_order="links").hints(1)[0].name == "index"
    assert Memory(str(tmp_path), hints_order="pagerank").hints(1)[0].name == "index"


def test_pagerank_sums_to_one_and_prefers_what_links_to_much() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("hub", "a"), ("hub", "b"), ("hub", "c"), ("a", "b"), ("b", "hub")])
    rank = pagerank(graph, every)
    assert math.isclose(sum(rank.values()), 1)
    assert max(rank, key=rank.__getitem__) == "hub"
    uniform = pagerank(nx.cycle_graph(4, create_using=nx.DiGraph), every)
    assert all(math.isclose(value, 0.25) for value in uniform.values())


def test_suggestions_are_the_least_valued_below_the_threshold(tmp_path: pathlib.Path) -> None:
    files = {"long.md": "x" * 5000, "longer.md": "---\nk: v\n---\n" + "字" * 9000, "short.md": "x", "empty.md": ""}
    found = Memory(write(tmp_path, files)).suggestions()
    assert [(one.name, one.characters) for one in found] == [("longer", 9000), ("long", 5000)]
    assert found[0].value == 1 / 9000
    assert Memory(str(tmp_path)).suggestions(threshold=10.0, limit=1)[0].name == "longer"
    assert "empty" not in {one.name for one in Memory(str(tmp_path)).suggestions(threshold=10.0)}


DRAWINGS = {
    "Flow.excalidraw.md": "x" * 9000, "a/b/Map.Excalidraw.md": "x" * 8000, "logs/2024/run.md": "x" * 7000,
    "excalidraw.md": "x" * 6000,
}  # fmt: skip


class TestSuggestionsSkip:
    def skipped(self, root: pathlib.Path, *patterns: str) -> set[str]:
        """The notes that no suggestion names."""
        memory = Memory(write(root, DRAWINGS), suggestions_skip=patterns)
        return {name[:-3] for name in DRAWINGS} - {one.name for one in memory.suggestions()}

    def test_leaves_drawings_out_by_default(self, tmp_path: pathlib.Path) -> None:
        memory = Memory(write(tmp_path, DRAWINGS))
        assert [one.name for one in memory.suggestions()] == ["logs/2024/run", "excalidraw"]
        assert memory.read("Flow.excalidraw").text == "x" * 9000

    def test_the_count_is_filled_from_the_other_notes(self, tmp_path: pathlib.Path) -> None:
        drawings = {f"{i}.excalidraw.md": "x" * 9000 for i in range(30)}
        found = Memory(write(tmp_path, {**drawings, "long.md": "x" * 2000})).suggestions(limit=1)
        assert [one.name for one in found] == ["long"]

    @pytest.mark.parametrize(
        ("pattern", "skipped"),
        [
            ("logs/*", {"logs/2024/run"}),
            ("/logs/*", {"logs/2024/run"}),
            ("2024/*", set()),
            ("run.md", {"logs/2024/run"}),
            ("RUN.*", {"logs/2024/run"}),
            ("[fr]*", {"Flow.excalidraw", "logs/2024/run"}),
            ("*", {"Flow.excalidraw", "a/b/Map.Excalidraw", "logs/2024/run", "excalidraw"}),
            ("", set()),
            ("[", set()),
            ("(x+x+)+y", set()),
        ],
    )
    def test_patterns_are_matched_with_the_last_part_or_with_a_slash_with_the_path(
        self, tmp_path: pathlib.Path, pattern: str, skipped: set[str]
    ) -> None:
        assert self.skipped(tmp_path, pattern) == skipped

    def test_no_pattern_takes_long(self) -> None:
        assert not Patterns(["*a" * 100 + "b", "*?" * 100 + "/b"]).match("a" * 900)

    def test_hints_do_not_change(self, tmp_path: pathlib.Path) -> None:
        vault = write(tmp_path, DRAWINGS)
        assert len(Memory(vault, suggestions_skip=("*",)).hints()) == 4


def test_weights_follow_an_edit(tmp_path: pathlib.Path) -> None:
    m = Memory(write(tmp_path, {"a.md": "", "b.md": ""}))
    assert m.hints(1)[0].weight == 1
    m.write("a", "[[b]] [[c]]")
    assert m.hints(1)[0] == ("a", 2.0, 2, 0)
