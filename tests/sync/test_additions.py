"""What two machines add to one note stands below the headings that each of them meant, and once."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sync.shared import Shared
from zkmem.markdown.callouts import conflict_titles
from zkmem.sync.notes import merged_note
from zkmem.toolsets.table import TOOLSETS

TITLE = "Also written on laptop, 2026-11-22 10:14"


def merged(base: str, first: str, second: str) -> str:
    return merged_note(base.encode(), first.encode(), second.encode(), TITLE).data.decode()


def by_heading(text: str) -> dict[str, list[str]]:
    """Return the lines below each heading, in the order of the alphabet."""
    found: dict[str, list[str]] = {"": []}
    for line in text.split("\n"):
        if line.startswith("#"):
            assert line not in found
            found[line] = []
        elif line:
            found[list(found)[-1]].append(line)
    return {title: sorted(lines) for title, lines in found.items() if title or lines}


OLD = "# Ann\n\n- x\n\n## Notes\n\nOld.\n"
RELATIONS = "\n## Relations\n"


@pytest.mark.parametrize(
    ("base", "first", "second", "expected"),
    [
        pytest.param("- x\n- y\n", f"- y\n- z a\n{RELATIONS}- knows [[Tom]]\n",
                     f"- x\n- z b\n{RELATIONS}- likes [[tea]]\n",
                     f"- z a\n- z b\n{RELATIONS}- knows [[Tom]]\n- likes [[tea]]\n", id="at the end"),
        pytest.param("- x\n", f"- x\n{RELATIONS}- a\n- b\n", f"- x\n{RELATIONS}- b\n- a\n",
                     f"- x\n{RELATIONS}- b\n- a\n",
                     id="the same lines in another order"),
        pytest.param("- x\n", f"- x\n{RELATIONS}- a\n", "- x\n- y\n", f"- x\n- y\n{RELATIONS}- a\n",
                     id="only one adds a section"),
        pytest.param("", "## Relations\n- a\n", "- y\n", "- y\n## Relations\n- a\n", id="of an empty note"),
        pytest.param(OLD, OLD.replace("\n## Notes", "\n## Tea\n\nGreen.\n\n## Notes"), f"{OLD}\n## Tea\n\nBlack.\n",
                     f"{OLD}\n## Tea\n\nGreen.\n\nBlack.\n", id="in different places"),
        pytest.param(OLD, f"{OLD}\n## P\n\np1\n\n### S\n\ns1\n\n## Q\n\nq1\n",
                     f"{OLD}\n## Q\n\nq2\n\n## P\n\n### S\n\ns2\n",
                     f"{OLD}\n## Q\n\nq1\n\nq2\n\n## P\n\np1\n\n### S\n\ns1\n\ns2\n", id="several in another order"),
        pytest.param("", "# D\n\n## Tasks\n- a\n\n## Log\n- b\n", "# D\n\n## Tasks\n- c\n\n## Log\n- b\n- d\n",
                     "# D\n\n## Tasks\n- a\n- c\n\n## Log\n- b\n- d\n", id="a note from a template"),
        pytest.param("# A\n\n## B\n\nb\n", "# A\n\n## B\n\nb\n\n## C\n\nc\n", "# A\n\n## B\n\nb\n\n### Sub\n\ns\n",
                     "# A\n\n## B\n\nb\n\n### Sub\n\ns\n\n## C\n\nc\n", id="a section of the section above"),
        pytest.param(f"- x\n{RELATIONS}- a\n", "- z\n", f"- x\n{RELATIONS}- a\n- b\n", f"- z\n{RELATIONS}- b\n",
                     id="one removes the section to which the other adds"),
        pytest.param("## R\n- a\n", "## R\n## L\n", "## R\n- b\n", "## R\n- b\n## L\n",
                     id="a section in the place of the last item"),
        pytest.param(f"- x\n{RELATIONS}- a\n", "- x\n\n## Links\n- a\n", f"- x\n{RELATIONS}- a\n- b\n",
                     "- x\n\n## Links\n- a\n- b\n", id="one renames the section to which the other adds"),
    ],
)  # fmt: skip
def test_new_sections_with_one_heading_are_one(base: str, first: str, second: str, expected: str) -> None:
    assert merged(base, first, second) == expected
    assert by_heading(merged(base, second, first)) == by_heading(expected)


@pytest.mark.parametrize(
    ("base", "first", "second", "expected"),
    [
        pytest.param(OLD, OLD.replace("\n## Notes", "\n## tea\n- b\n\n## Notes"), f"{OLD}\n## Tea #\n- a\n",
                     f"{OLD}\n## Tea #\n- b\n- a\n", id="written in two ways"),
        pytest.param("# A\n", "# A\n## M\n### S\n- a\n## N\n### S\n- b\n", "# A\n## N\n### S\n- c\n## M\n### S\n- d\n",
                     "# A\n## N\n### S\n- b\n- c\n## M\n### S\n- a\n- d\n", id="sections within sections"),
        pytest.param("a\n", "a\n\n```sh\n# one\nls\n```\n", "a\n\n```sh\n# one\ncd\n```\n\n# one\n\nb\n",
                     "a\n\n```sh\n# one\nls\ncd\n```\n\n# one\n\nb\n", id="no heading in code"),
    ],
)  # fmt: skip
def test_a_heading_is_known_by_the_headings_above_it(base: str, first: str, second: str, expected: str) -> None:
    assert merged(base, first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected", "quoted"),
    [
        ("- Tone: short\n", "- Tone: long\n", "- Tone: long\n", ["- Tone: short"]),
        ("- a\n- **Tone**: short\n  - very\n- b\n", "- c\n- tone:: long\n", "- a\n- b\n- c\n- tone:: long\n",
         ["- **Tone**: short", "  - very"]),
        ("- Tone: ok\n- knows [[Tom]]\n", "- knows [[Tom]]\n- Tone: ok\n", "- knows [[Tom]]\n- Tone: ok\n", []),
        ("- Tom\n  - a\n", "- Tom\n  - b\n", "- Tom\n  - a\n  - b\n", []),
        ("- Tom: hi\n- Tom: bye\n", "- Tom: yes\n", "- Tom: hi\n- Tom: bye\n- Tom: yes\n", []),
        ("- 2026-11-22: a\n", "- 2026-11-22: b\n", "- 2026-11-22: a\n- 2026-11-22: b\n", []),
        ("- [ ] Tom: call\n", "- [ ] Tom: write\n", "- [ ] Tom: call\n- [ ] Tom: write\n", []),
        ("- Mail: b\n", "- Mail: c\n", "- Mail: b\n- Mail: c\n", []),
        ("Mon\n- Mood: ok\n", "Tue\n- Mood: bad\n", "Mon\n- Mood: ok\nTue\n- Mood: bad\n", []),
    ],
    ids=["key", "key with lines below", "order", "lines below", "list of a key", "dates", "tasks", "known", "lists"],
)  # fmt: skip
@pytest.mark.parametrize("above", ["- Mail: a\n", "## Ann\n- Mail: a\n", ""])
def test_an_item_that_both_add_stands_once_and_a_key_has_one_value(
    first: str, second: str, expected: str, quoted: list[str], above: str
) -> None:
    base, above = above, above or "## New\n\n"
    if above == "## New\n\n":
        first, second, expected = (f"- Mail: a\n{text}" for text in (first, second, expected))
    lines = merged(base, above + first, above + second).split("\n")
    assert [line for line in lines if line and not line.startswith(">")] == [
        line for line in (above + expected).split("\n") if line
    ]
    assert [line[2:] for line in lines if line.startswith("> ") and TITLE not in line] == quoted


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path, {"Tom.md": "Tom.\n"}, ("one", "two", "three"))


def call(shared: Shared, machine: str, tool: str, **arguments: Any) -> Any:
    """Call a tool of `kg` on a machine."""
    tools = {each.name: each for each in TOOLSETS["kg"].tools}
    with shared.memory(machine) as memory:
        return dict(tools[tool].call(memory, arguments).data)


def relate(shared: Shared, machine: str, kind: str, to: str) -> None:
    call(shared, machine, "create_relations", relations=[{"from": "Ann", "relationType": kind, "to": to}])


def observe(shared: Shared, machine: str, old: str, new: str) -> None:
    if old:
        call(shared, machine, "delete_observations", deletions=[{"entityName": "Ann", "observations": [old]}])
    call(shared, machine, "add_observations", observations=[{"entityName": "Ann", "contents": [new]}])


def agreed(shared: Shared, *order: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Synchronise all machines and check that they agree; return the observations and relations of Ann."""
    for machine in (*order, *order, *order):
        shared.sync(machine)
    assert len({json.dumps(shared.notes(machine)) for machine in order}) == 1
    assert not any(conflict_titles(text.encode()) for text in shared.notes("one").values())
    graph = call(shared, "one", "read_graph")
    (ann,) = [one for one in graph["entities"] if one["name"] == "Ann"]
    assert len(set(ann["observations"])) == len(ann["observations"])
    pairs = [(one["relationType"], one["to"]) for one in graph["relations"]]
    assert len(set(pairs)) == len(pairs)
    return set(ann["observations"]), set(pairs)


def test_a_graph_that_two_machines_change_has_all_that_they_added(shared: Shared) -> None:
    call(shared, "one", "create_entities", entities=[{"name": "Ann", "entityType": "p", "observations": ["x", "y"]}])
    for machine in ("one", "two"):
        shared.sync(machine)
    relate(shared, "one", "knows", "Tom")
    observe(shared, "one", "x", "z a")
    relate(shared, "two", "likes", "Tom")
    observe(shared, "two", "y", "z b")
    assert agreed(shared, "one", "two") == ({"z a", "z b"}, {("knows", "Tom"), ("likes", "Tom")})


def test_a_graph_that_three_machines_make_has_each_relation_once(shared: Shared) -> None:
    for machine, to in (("one", "Tom"), ("two", "Lee"), ("three", "Kim")):
        own = [machine, "all"] if machine == "one" else ["all", machine]
        call(shared, machine, "create_entities", entities=[{"name": "Ann", "entityType": "p", "observations": own}])
        for kind, name in (("knows", "Tom"), (machine, to))[:: 1 if machine == "two" else -1]:
            relate(shared, machine, kind, name)
    seen = agreed(shared, "three", "one", "two")
    relations = {("knows", "Tom"), ("one", "Tom"), ("two", "Lee"), ("three", "Kim")}
    assert seen == ({"all", "one", "two", "three"}, relations)


def test_a_relation_stays_one_if_the_other_machine_removes_the_only_other_one(shared: Shared) -> None:
    call(shared, "one", "create_entities", entities=[{"name": "Ann", "entityType": "p", "observations": ["x"]}])
    relate(shared, "one", "knows", "Tom")
    for machine in ("one", "two"):
        shared.sync(machine)
    call(shared, "one", "delete_relations", relations=[{"from": "Ann", "relationType": "knows", "to": "Tom"}])
    observe(shared, "one", "x", "z a")
    relate(shared, "two", "likes", "Tom")
    assert agreed(shared, "one", "two") == ({"z a"}, {("likes", "Tom")})


TITLES = ("## Relations", "## Log", "### Sub", "## Notes")


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[str], dict[str, list[str]], list[dict[str, list[str]]]]:
    """Draw what stands above the sections, the sections of the base, and those of each side, by heading."""
    old = {title: [f"- old{title[-3:]}{at}" for at in "xyz"[: draw(st.integers(0, 2))]]
           for title in draw(st.lists(st.sampled_from(TITLES), unique=True, max_size=2))}  # fmt: skip
    both = []
    for side in ("a", "b"):
        now = {title: [line for line in lines if draw(st.integers(0, 3))] for title, lines in old.items()}
        for title in draw(st.permutations(TITLES)):
            if title in now or draw(st.booleans()):
                now.setdefault(title, [])
                now[title] += [f"- {side}{title[-3:]}{at}" for at in "xyz"[: draw(st.integers(0, 2))]]
                now[title] += [f"- both{title[-3:]}"] * draw(st.integers(0, 1))
        both.append(now)
    return draw(st.lists(st.sampled_from(["- x", "- y"]), unique=True)), old, both


def written(above: list[str], sections: dict[str, list[str]], gap: str) -> str:
    """Return a text with some sections; `Sub` is always in `Log`."""
    blocks = {title: "\n".join([title, *lines]) + "\n" for title, lines in {"# Ann": above, **sections}.items()}
    sub = blocks.pop("### Sub", "")
    if sub:
        blocks["## Log"] = gap.join([blocks.get("## Log", "## Log\n"), sub])
    return gap.join(blocks.values())


class TestAlways:
    @given(sides(), st.sampled_from(["", "\n"]), st.lists(st.sampled_from(["- top a", "- top b"]), unique=True))
    def test_each_line_stands_once_below_its_heading(self, drawn: Any, gap: str, tops: list[str]) -> None:
        above, old, both = drawn
        own = [[*above, *(top for top in tops if top.endswith(side))] for side in "ab"]
        texts = [written(above, old, gap), *(written(*pair, gap) for pair in zip(own, both, strict=True))]
        expected = {"# Ann": sorted({*above, *tops})}
        for title in {**both[0], **both[1], **({"## Log": []} if any("### Sub" in one for one in both) else {})}:
            lines = [set(one.get(title, ())) for one in (old, *both)]
            expected[title] = sorted((lines[1] & lines[2]) | ((lines[1] | lines[2]) - lines[0]))
        result = merged(*texts)
        assert by_heading(result) == by_heading(merged(texts[0], *texts[:0:-1])) == expected
        assert merged(texts[1], texts[1], result) == merged(texts[2], result, texts[2]) == result
