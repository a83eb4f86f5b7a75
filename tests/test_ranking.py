"""Weights, hints and suggestions: the definition of DESIGN.md section 5."""

import math
import pathlib
import random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vaults import write
from zkmem.memory import Memory
from zkmem.recall.weights import CAP, pagerank, weights


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
    assert Memory(str(tmp_path)).suggestions(threshold=10.0, count=1)[0].name == "longer"
    assert "empty" not in {one.name for one in Memory(str(tmp_path)).suggestions(threshold=10.0)}


def test_weights_follow_an_edit(tmp_path: pathlib.Path) -> None:
    m = Memory(write(tmp_path, {"a.md": "", "b.md": ""}))
    assert m.hints(1)[0].weight == 1
    m.write("a", "[[b]] [[c]]")
    assert m.hints(1)[0] == ("a", 2.0, 2, 0)
