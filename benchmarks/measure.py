"""Measure zkmem on made vaults: medians, each beside the floor it stands on. Times are told, never judged.

`--rows` measures only a part, `--save` keeps the results in `results.json`, `RESULTS.md` and `growth.svg`.
"""

import argparse
import json
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks import calls, language_server, results, rows, starts
from benchmarks.measures import files
from benchmarks.place import Place, Samples
from benchmarks.process import NoAnswer, end_on_sigterm


def measure(notes: int, runs: int, seed: int, groups: Sequence[str]) -> dict[str, Any]:
    """Make a vault and measure groups of rows on it."""
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        _say(f"{notes:,} notes: making the vault")
        place = Place.make(folder, notes, seed)
        size = sum(entry.stat().st_size for entry in files(place.vault))
        samples: Samples = {}
        for group in rows.GROUPS:
            if group == "costs" and not shutil.which("git"):
                _say("costs: left out, there is no git")
            elif group in groups:
                began = time.perf_counter()
                samples.update(_measured(place, group, runs))
                _say(f"{notes:,} notes: {group}: {time.perf_counter() - began:.0f} s")
        machine = results.machine(folder)
    return {
        **machine,
        "date": results.today(),
        "vault": f"{notes + 1:,} notes, {size / 1e6:.1f} MB, seed {seed}",
        "rows": rows.measured(samples, notes, len(place.referrers)),
        "floors": rows.floors(samples),
    }


def _measured(place: Place, group: str, runs: int) -> Samples:
    if group == "starts":
        return starts.measure(place, runs)
    if group == "calls":
        return calls.measure(place, runs)
    if group == "editor":
        return language_server.measure(place, runs)
    return place.task({"search": "queries", "costs": "costs"}[group])


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measure", description="Measure zkmem on made vaults.")
    parser.add_argument(
        "--notes", type=int, nargs="+", default=[10_000], help="how many, one vault each (default: 10000)"
    )
    parser.add_argument(
        "--runs", type=int, default=7, help="how many starts; twice as many renames (default: %(default)s)"
    )
    parser.add_argument("--rows", nargs="+", choices=rows.GROUPS, default=rows.GROUPS, help="only these (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the vaults (default: %(default)s)")
    parser.add_argument("--save", action="store_true", help="keep the results beside this file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if min(*arguments.notes, arguments.runs) < 1:
        parser.error("--notes and --runs must be 1 or more.")
    return arguments


def main() -> None:
    """Measure as the command line says."""
    arguments = _arguments()
    end_on_sigterm()
    for notes in arguments.notes:
        try:
            result = measure(notes, arguments.runs, arguments.seed, arguments.rows)
        except NoAnswer as error:
            raise SystemExit(f"zkmem at {notes:,} notes: {error}") from error
        result["command"] = shlex.join(["python", "-m", "benchmarks.measure", *sys.argv[1:]])
        if arguments.save:
            results.keep_size(notes, result)
        if arguments.json:
            print(json.dumps(result, indent=2))
        else:
            print(f"\n{result['vault']}. {result['machine']}; {result['python']}; {result['versions']}\n")
            print("\n".join(results.size_table(result)), flush=True)


if __name__ == "__main__":
    main()
