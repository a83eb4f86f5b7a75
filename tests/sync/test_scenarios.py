"""What the documents say of the scenarios of two machines: `zkmem sync` is right in all of them."""

from pathlib import Path

import pytest

from benchmarks import sync_scenarios
from benchmarks.sync_cases import SCENARIOS, Scenario


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.name for one in SCENARIOS])
def test_two_machines_agree_and_all_is_right(scenario: Scenario, tmp_path: Path) -> None:
    assert sync_scenarios.run(scenario, str(tmp_path), ways=["zkmem"])["zkmem"] == ""


def test_the_document_has_each_scenario_and_says_that_zkmem_is_right_in_it() -> None:
    document = Path(__file__).parents[2].joinpath("docs/reference/sync-scenarios.md").read_text("utf-8")
    rows = [line.split(" | ") for line in document.splitlines() if line.startswith("| ")][1:]
    assert [(row[0].removeprefix("| "), row[1]) for row in rows] == [(one.name, "right") for one in SCENARIOS]
