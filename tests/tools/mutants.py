"""Mutants: changes to the code, one at a time, that some test should notice.

`python -m tests.tools.mutants [COUNT [SEED [PREFIX]]]` draws COUNT places in the code at random (by default 40) and a
mutant at each; the places are in the modules below, or in those of them whose path begins with PREFIX. It runs on each
mutant the tests that should notice it, and prints those mutants that no test noticed. All of it happens in a copy of
the tree, and needs `cosmic-ray` (the extra `mutants`).
"""

import os
import pathlib
import random
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec, TestOutcome

ROOT = pathlib.Path(__file__).parents[2]

TESTS = {
    "zkmem/vault/": "tests/vault tests/edit/test_history.py tests/edit/test_edits.py",
    "zkmem/edit/": "tests/edit tests/past tests/recall/test_expand.py tests/vault tests/test_hostile.py",
    "zkmem/past/": "tests/past tests/edit",
    "zkmem/sync/": "tests/sync",
    "zkmem/util/": "tests/util tests/sync tests/edit",
    "zkmem/markdown/": "tests/markdown tests/sync tests/edit tests/recall/test_expand.py tests/records",
    "zkmem/index/resolve.py": "tests/markdown tests/index tests/edit tests/test_large.py tests/test_names.py",
    "zkmem/rights.py": "tests/test_confined.py tests/test_twins.py tests/recall/test_absent.py tests/test_names.py",
    "zkmem/serve/access/": "tests/serve/test_remote.py tests/test_trust.py tests/test_twins.py",
}
"""The tests that should notice a mutant of a module, by the beginning of its path."""

_SLOW = "slow or browser or node"
_SECONDS = 900  # a mutant that takes longer counts as noticed: it does not end
_LEFT_OUT = (".venv", ".git", "node_modules", ".*_cache", "__pycache__")
_TRIVIAL = ("core/ReplaceBinaryOperator_BitOr_",)  # in types, where nothing runs


def places(prefix: str) -> list[list[MutationSpec]]:
    """Return the mutants at each place of the modules below the current folder whose path begins with `prefix`."""
    paths = [path for path in sorted(pathlib.Path("zkmem").rglob("*.py")) if tests_of(path)]
    work = WorkDB(":memory:", WorkDB.Mode.create)
    init([path for path in paths if str(path).startswith(prefix)], work, {})
    found: dict[tuple[str, tuple[int, int], tuple[int, int]], list[MutationSpec]] = {}
    for one in (mutation for item in work.work_items for mutation in item.mutations):
        if not one.operator_name.startswith(_TRIVIAL):
            found.setdefault((str(one.module_path), one.start_pos, one.end_pos), []).append(one)
    return [sorted(found[place], key=lambda one: (one.operator_name, one.occurrence)) for place in sorted(found)]


def tests_of(path: pathlib.Path) -> str | None:
    """Return the tests that should notice a mutant of a module."""
    return next((tests for start, tests in TESTS.items() if str(path).startswith(start)), None)


def survivors(chosen: Iterable[MutationSpec]) -> list[str]:
    """Run the tests on each mutant; return the differences that those make which no test noticed."""
    left = []
    for number, one in enumerate(chosen, 1):
        tests, began = tests_of(one.module_path), time.monotonic()
        command = f"{shlex.quote(sys.executable)} -m pytest -x -q -p no:cacheprovider -m 'not ({_SLOW})' {tests}"
        result = mutate_and_test([one], command, _SECONDS)
        is_noticed = result.test_outcome != TestOutcome.SURVIVED
        where = f"{one.module_path}:{one.start_pos[0]} {one.operator_name}"
        took = time.monotonic() - began
        print(f"{number:4} {'noticed ' if is_noticed else 'SURVIVED'} {took:4.0f} s  {where}", flush=True)
        if not is_noticed:
            left.append(result.diff or where)
    return left


def main(count: str = "40", seed: str = "1", prefix: str = "") -> None:
    """Print what becomes of some mutants."""
    rng = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, os.path.join(folder, "zkmem"), ignore=shutil.ignore_patterns(*_LEFT_OUT))
        os.chdir(copy)
        os.environ.update(PYTHONPATH=copy, PYTHONDONTWRITEBYTECODE="1")
        every = places(prefix)
        chosen = [rng.choice(mutants) for mutants in rng.sample(every, min(int(count), len(every)))]
        left = survivors(chosen)
    print(f"{len(chosen) - len(left)} of {len(chosen)} mutants were noticed; there are {len(every)} places")
    for difference in left:
        print(difference)


if __name__ == "__main__":
    main(*sys.argv[1:])
