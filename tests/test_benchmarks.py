"""The benchmarks: that they run and draw. How long anything takes is not looked at."""

import json
import os
import pathlib
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from benchmarks import growth, results
from benchmarks.rows import FLOORS, GROUPS, SPECS


def test_every_row_is_of_a_group_and_stands_on_floors_that_are_shown() -> None:
    assert {spec.group for spec in SPECS} == set(GROUPS)
    assert {floor for spec in SPECS for floor in spec.floors} <= FLOORS.keys()
    assert len({spec.id for spec in SPECS}) == len(SPECS)


@pytest.mark.long
@pytest.mark.slow
def test_a_part_of_the_benchmark_runs_and_finds_what_it_wrote(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-m", "benchmarks.measure", "--notes", "30", "--runs", "1", "--rows", "calls", "--json"]
    root = pathlib.Path(__file__).parents[1]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=300, cwd=root,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["vault"].startswith("31 notes, ")
    assert [row["key"] for row in result["rows"]] == [spec.id for spec in SPECS if spec.group == "calls"]
    for row in result["rows"]:
        assert row["ratio"] == (row["median"] / row["floor_median"] if row["floor"] else None)
    assert "rename over 30 referrers, durable" in [row["what"] for row in result["rows"]]
    assert [line for line in results.size_table(result) if line.startswith("| rename over 30 referrers")]
    assert not list(tmp_path.iterdir())


def test_growth_is_drawn_with_a_line_and_a_label_for_each_row_measured_at_two_sizes() -> None:
    def size(*values: float) -> dict[str, list[dict[str, object]]]:
        rows = [{"key": f"k{number}", "what": f"row <{number}>", "unit": "s", "median": value}
                for number, value in enumerate(values)]  # fmt: skip
        return {"rows": rows[:2], "floors": rows[2:]}

    lines = growth.lines({"1000": size(1, 2, 0.5), "10000": size(10, 3, 0.5), "100": size(0.5)}, ["k0", "k1"], ["k2"])
    assert [(line.name, [*line.points], line.is_floor) for line in lines] == [
        ("row <0>", [(100, 500), (1000, 1000), (10000, 10000)], False),
        ("row <1>", [(1000, 2000), (10000, 3000)], False),
        ("floor: row <2>", [(1000, 500), (10000, 500)], True),
    ]
    picture = ET.fromstring(growth.drawn(lines))
    texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"row <0>: 10 s", "row <1>: 3 s", "floor: row <2>: 500 ms", "10,000 notes", "100 ms", "1 s"} <= set(texts)
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}polyline"))) == 3
