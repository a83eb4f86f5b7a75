"""What runs on the code host: the workflow, the scripts that it calls, the forms for issues."""

import os
import pathlib
import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest
import yaml

ROOT = pathlib.Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def load(path: pathlib.Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = load(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    return found


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_the_workflow_calls_the_script_that_runs_everything_on_each_system_and_python() -> None:
    job = jobs()["all"]
    assert commands(job) == [".ci/run"]
    matrix = job["strategy"]["matrix"]
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]
    assert f">={matrix['python'][0]}" == PROJECT["requires-python"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert set(named) <= set(matrix["python"])


def test_windows_may_fail_and_nothing_else() -> None:
    assert {name for name, job in jobs().items() if "continue-on-error" in job} == {"windows"}
    job = jobs()["windows"]
    assert job["runs-on"] == "windows-latest"
    assert any("-m pytest" in command for command in commands(job))
    pythons = job["strategy"]["matrix"]["python"]
    assert set(pythons) <= set(jobs()["all"]["strategy"]["matrix"]["python"])
    assert f">={pythons[0]}" == PROJECT["requires-python"]
    assert all(job["strategy"]["fail-fast"] is False for job in (job, jobs()["all"]))


def test_the_oldest_dependencies_are_tested_on_the_oldest_python() -> None:
    job = jobs()["oldest"]
    assert commands(job) == [".ci/oldest"]
    versions = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    assert versions == [PROJECT["requires-python"].removeprefix(">=")]


@pytest.mark.parametrize("name", jobs())
def test_each_script_of_the_workflow_is_there_and_may_be_run(name: str) -> None:
    for script in commands(jobs()[name]) if name != "windows" else []:
        assert os.access(ROOT / script, os.X_OK), script


def test_dependabot_looks_where_there_are_dependencies() -> None:
    places = {"github-actions": ".github/workflows", "pip": "pyproject.toml", "npm": "package.json"}
    updates = load(ROOT / ".github" / "dependabot.yml")["updates"]
    assert {one["package-ecosystem"] for one in updates} == set(places)
    for one in updates:
        for folder in one.get("directories", [one.get("directory")]):
            assert (ROOT / folder.strip("/") / places[one["package-ecosystem"]]).exists(), folder


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_each_form_for_issues_has_what_the_host_needs(form: pathlib.Path) -> None:
    content = load(form)
    if form.stem == "config":
        assert all(set(link) == {"name", "url", "about"} for link in content["contact_links"])
        return
    assert {"name", "description", "body"} <= set(content)
    fields = [one for one in content["body"] if one["type"] != "markdown"]
    assert len({one["id"] for one in fields}) == len(fields)
    assert all(one["attributes"]["label"] for one in fields)


def _pytest(*options: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Run pytest with the settings and the hooks of our tests."""
    ours = ("-c", "pyproject.toml", "-p", "tests.conftest", "-n", "1")
    command = [sys.executable, "-m", "pytest", *ours, *options]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, check=False)


def test_make_test_says_how_many_tests_it_leaves_out(tmp_path: pathlib.Path) -> None:
    (expression,) = re.findall(r"^SLOW +:= (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    marks = expression.split(" or ")
    tests = [f"@pytest.mark.{mark}\ndef test_{mark}():\n    pass\n" for mark in [*marks, "anyio"]]
    file = tmp_path / "test_some.py"
    file.write_text("import pytest\n\n" + "\n".join(tests), "utf-8")
    done = _pytest("-m", f"not ({expression})", str(file))
    assert done.returncode == 0, done.stdout
    assert f"{len(marks)} tests were left out" in done.stdout
    assert "`make test-all` runs them, too" in done.stdout


def test_ci_runs_a_failed_test_of_the_page_once_more_and_no_other_test(tmp_path: pathlib.Path) -> None:
    for mark in ("browser", "slow"):
        ran = tmp_path / mark
        lines = ["import pathlib", "import pytest", f"@pytest.mark.{mark}", "def test_it():"]
        lines += [f"    ran = pathlib.Path({str(ran)!r})", "    if not ran.exists():", "        ran.touch()"]
        lines += [f"        raise AssertionError('the first run: {mark}')"]
        (tmp_path / f"test_{mark}.py").write_text("\n".join(lines), "utf-8")
    (name,) = re.findall(r"^export (ZKMEM_TEST_RERUN)=1", (ROOT / ".ci/run").read_text("utf-8"), re.MULTILINE)
    done = _pytest("--tb=short", str(tmp_path), **{name: "1"})
    assert "1 failed, 1 passed, 1 rerun" in done.stdout
    assert "the first run: browser" in done.stdout
    assert re.search(r"^FAILED .*test_slow.py", done.stdout, re.MULTILINE)
