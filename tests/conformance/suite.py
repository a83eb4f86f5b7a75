"""The suite on one server: what it said, and how many of its scenarios passed, failed, or failed as expected."""

import json
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from tests.conformance import node

ERAS = ("2025-11-25", "2026-07-28")
_BAD = ("FAILURE", "WARNING")


class Verdict(NamedTuple):
    """What the suite found: the scenarios that an era requires, by how they went, and the others that it tried."""

    passed: list[str]
    failed: list[str]
    expected: list[str]  # they failed, and a line in the list of expected failures says why
    beyond: dict[str, bool]  # not required by the era: whether they passed
    faults: list[str]  # each check behind `failed`, with what it says
    code: int  # the suite's own word: 0 if nothing failed but what was expected, and all that was expected failed
    summary: str


def baseline(era: str) -> pathlib.Path:
    """The list of what plain zkmem is expected to fail."""
    return pathlib.Path(__file__).with_name(f"expected-{era}.yml")


def judged(url: str, era: str, expected: pathlib.Path | None = None) -> Verdict:
    """Run what an era requires against the server at a URL."""
    command = ["conformance", "server", "--url", url, "--requirements", era]
    if expected:
        command += ["--expected-failures", str(expected)]
    with tempfile.TemporaryDirectory() as home:
        done = node.run(*command, "--output-dir", home, home=pathlib.Path(home))
        found = {_scenario(path): json.loads(path.read_text()) for path in pathlib.Path(home).glob("*/checks.json")}
    return _counted(found, _required(era), expected, done)


def scenario_checks(url: str, scenario: str) -> dict[str, str]:
    """Run one scenario against the server at a URL; return the status of each check, with what it says of a fault."""
    with tempfile.TemporaryDirectory() as home:
        options = ["--url", url, "--scenario", scenario, "--output-dir", home]
        node.run("conformance", "server", *options, home=pathlib.Path(home))
        (path,) = pathlib.Path(home).glob("*/checks.json")
        checks = json.loads(path.read_text())
    return {one["id"]: " ".join([one["status"], one.get("errorMessage", "")]).strip() for one in checks}


def _scenario(path: pathlib.Path) -> str:
    """The name in `server-NAME-2026-01-31T01-02-03-456Z/checks.json`."""
    return re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", path.parent.name)


def _required(era: str) -> list[str]:
    """The scenarios that a server of an era has to pass, as the suite lists them."""
    package = node.installed().parent / "@modelcontextprotocol/conformance"
    required: list[str] = yaml.safe_load((package / f"requirements/{era}.yaml").read_text())["server"]
    return required


def _counted(
    found: Mapping[str, list[dict[str, Any]]],
    required: list[str],
    expected: pathlib.Path | None,
    done: subprocess.CompletedProcess[str],
) -> Verdict:
    excused = set(yaml.safe_load(expected.read_text())["server"]) if expected else set()
    bad = {
        name: {f"{name}:{check['id']}": check.get("errorMessage", "") for check in checks if check["status"] in _BAD}
        for name, checks in found.items()
    }
    failed = [name for name in required if name not in bad or bad[name].keys() - excused]
    return Verdict(
        passed=[name for name in required if name in bad and not bad[name]],
        failed=failed,
        expected=[name for name in required if bad.get(name) and name not in failed],
        beyond={name: not bad[name] for name in sorted(bad) if name not in required},
        faults=[f"{key}: {bad[name][key]}" for name in failed for key in bad.get(name, {}) if key not in excused],
        code=done.returncode,
        summary=done.stdout.partition("=== SUMMARY ===")[2] + done.stderr,
    )
