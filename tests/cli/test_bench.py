"""`zkmem bench`: what it prints, and what it leaves behind; and the benchmarks, that they run and draw.

How long anything takes is not looked at.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from benchmarks import growth, results
from benchmarks.rows import FLOORS, GROUPS, SPECS
from tests.tools.vaults import read, write
from zkmem.cli.measures import PYTHON, READ, WRITE, Row, slow_parts

FILES = {
    "hint.md": "[[a]] [[gone]]\n",
    "x/a.md": "alpha beta\n",
    "b.md": "---\ntags: [x]\n---\nsee [[a]]\n",
    "two/same.md": "one of two\n",
    "three/same.md": "the other\n",
    "board.canvas": '{"nodes": []}',
    "picture.png": "not looked into",
    ".obsidian/app.json": "{}",
    ".zkmem/config.toml": "max_chars = 5000\n",
}
ROWS = [
    "load, no cache",
    "load, with cache",
    "100,000 steps of Python",
    "get_content, depth 0",
    "get_content, depth 2",
    "set_content, a link appended",
    "get_hints after it",
    "rename over 2 backlinks",
    "first search, which indexes the words",
    "search, one to three words",
]


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "vault", FILES)


@pytest.fixture
def temp(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder for temporary files, to see what is left in it."""
    (tmp_path / "temp").mkdir()
    return tmp_path / "temp"


def start(*arguments: str, temp: pathlib.Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "zkmem", "bench", *arguments]
    environment = {**os.environ, "TMPDIR": str(temp)}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )  # fmt: skip


def everything(folder: str) -> dict[str, tuple[bytes, int]]:
    """Each file, also a hidden one, with its bytes and its time."""
    paths = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def test_a_row_for_each_thing_beside_its_floor(vault: str, temp: pathlib.Path) -> None:
    with start(vault, "--runs", "2", temp=temp) as process:
        output, progress = process.communicate(timeout=120)
    assert process.returncode == 0, progress
    lines = output.splitlines()
    assert lines[0] == "5 notes, 88 bytes"
    assert lines[2].split() == ["ratio", "median", "least", "most", "floor"]
    assert [line[: len(row)] for line, row in zip(lines[3:-2], ROWS, strict=True)] == ROWS
    assert lines[3].endswith("walk and read every byte")
    assert re.fullmatch(r"No part of this machine is slow\.|Slow here: .* ms is usual\)\.", lines[-1])
    assert progress.splitlines()[:2] == ["Copied 5 notes, 88 bytes", "Measuring: the index"]


def test_json_has_the_rows(vault: str, temp: pathlib.Path) -> None:
    with start(vault, "--runs", "1", "--json", temp=temp) as process:
        data = json.loads(process.communicate(timeout=120)[0])
    size = sum(len(text) for name, text in FILES.items() if name.endswith((".md", ".canvas")))
    assert (data["vault"], data["notes"], data["bytes"]) == (vault, 5, size)
    rows = {row["what"]: row for row in data["rows"]}
    assert list(rows) == ROWS
    for row in rows.values():
        assert row["min"] <= row["median"] <= row["max"]
        assert row["unit"] == "ms"
        assert bool(row["floor"]) == bool(row["ratio"])
    load = rows["load, no cache"]
    assert load["ratio"] == load["median"] / load["floor_median"]
    assert (load["samples"], rows["rename over 2 backlinks"]["samples"]) == (1, 2)


def test_the_vault_stays_byte_for_byte_and_nothing_is_left(vault: str, temp: pathlib.Path) -> None:
    before, kept = everything(vault), read(os.environ["XDG_CACHE_HOME"])
    with start(vault, "--runs", "1", temp=temp) as process:
        process.communicate(timeout=120)
    assert everything(vault) == before
    assert read(os.environ["XDG_CACHE_HOME"]) == kept
    assert not list(temp.iterdir())


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_copy_is_gone_when_it_is_interrupted(vault: str, temp: pathlib.Path, how: signal.Signals) -> None:
    with start(vault, "--runs", "100000", temp=temp) as process:
        assert process.stderr
        assert process.stderr.readline().startswith("Copied")
        assert list(temp.iterdir())
        process.send_signal(how)
        process.communicate(timeout=120)
    assert process.returncode == 128 + how
    assert not list(temp.iterdir())
    assert sorted(everything(vault)) == sorted(os.path.join(vault, name) for name in FILES)


@pytest.mark.parametrize(
    ("name", "says"), [("none", "does not exist"), ("empty", "There is no note in"), ("file", "is a file")]
)
def test_no_such_vault_is_one_sentence(tmp_path: pathlib.Path, temp: pathlib.Path, name: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    with start(str(tmp_path / name), temp=temp) as process:
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert says in errors
    assert len(errors.splitlines()) == 1
    assert output == ""


def test_a_disk_without_room_is_one_sentence_and_nothing_is_copied(vault: str, temp: pathlib.Path) -> None:
    program = (
        "import collections, shutil; from zkmem.__main__ import main\n"
        "shutil.disk_usage = lambda folder: collections.namedtuple('Usage', 'free')(1)\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "bench", vault], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "TMPDIR": str(temp)},
    )  # fmt: skip
    assert done.returncode == 5
    assert done.stderr.startswith("Error: The copy needs 64 MB in ")
    assert "TMPDIR" in done.stderr
    assert not list(temp.iterdir())


def test_the_slow_parts_of_a_machine_are_named() -> None:
    def sentence(python: float, write: float, read: float, *, remote: bool = False) -> str:
        rows = [
            Row.of(PYTHON, "ms", [python]),
            Row.of("load", "ms", [1e6], READ, [read]),
            Row.of("set", "ms", [1e6], WRITE, [write]),
        ]
        return slow_parts(rows, 1_000, remote=remote)

    assert sentence(5, 1, 20) == "No part of this machine is slow."
    assert sentence(30, 1, 20) == "Slow here: the processor (100,000 steps of Python: 30.0 ms; 3.00 ms is usual)."
    assert sentence(5, 8, 20) == "Slow here: the disk (a durable write: 8.00 ms; 0.50 ms is usual)."
    assert "(walk and read every byte: 900 ms; 12.0 ms is usual)" in sentence(5, 1, 900)
    assert sentence(5, 8, 900, remote=True).count("; ") == 5
    assert "the vault itself, which is on a network drive" in sentence(5, 1, 20, remote=True)


# --- the benchmarks on made vaults


def test_every_row_is_of_a_group_and_stands_on_floors_that_are_shown() -> None:
    assert {spec.group for spec in SPECS} == set(GROUPS)
    assert {floor for spec in SPECS for floor in spec.floors} <= FLOORS.keys()
    assert len({spec.id for spec in SPECS}) == len(SPECS)


@pytest.mark.slow
def test_a_part_of_the_benchmark_runs_and_finds_what_it_wrote(temp: pathlib.Path) -> None:
    command = [sys.executable, "-m", "benchmarks.measure", "--notes", "30", "--runs", "1", "--rows", "calls", "--json"]
    root = pathlib.Path(__file__).parents[2]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=300, cwd=root,
        env={**os.environ, "TMPDIR": str(temp)},
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["vault"].startswith("31 notes, ")
    assert [row["key"] for row in result["rows"]] == [spec.id for spec in SPECS if spec.group == "calls"]
    for row in result["rows"]:
        assert row["ratio"] == (row["median"] / row["floor_median"] if row["floor"] else None)
    assert "rename over 30 referrers, durable" in [row["what"] for row in result["rows"]]
    assert [line for line in results.size_table(result) if line.startswith("| rename over 30 referrers")]
    assert not list(temp.iterdir())


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
