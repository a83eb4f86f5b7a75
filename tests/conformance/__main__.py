"""Run the suite for both eras against zkmem with the suite's fixtures and against plain zkmem, and print a table.

Nothing is written into the repository; the exit status is 0 if nothing failed but what was expected.
"""

import sys
import tempfile

from tests.conformance.node import NoNpm, installed
from tests.conformance.servers import SERVERS
from tests.conformance.suite import ERAS, baseline, judged


def main() -> int:
    """Judge each server in each era; what the suite says, where it is not content."""
    installed()
    print(f"{'server':14}{'era':12}{'passed':>8}{'failed':>8}{'expected':>10}{'beyond':>16}")
    worst = 0
    for name, server in SERVERS.items():
        for era in ERAS:
            with tempfile.TemporaryDirectory() as folder, server(folder) as url:
                found = judged(url, era, baseline(era) if name == "plain" else None)
            beyond = f"{sum(found.beyond.values())} of {len(found.beyond)}"
            print(
                f"{name:14}{era:12}{len(found.passed):8}{len(found.failed):8}{len(found.expected):10}{beyond:>16}",
                flush=True,
            )
            if found.code:
                print(*found.faults, found.summary, sep="\n")
            worst = max(worst, found.code)
    return worst


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NoNpm as error:
        sys.exit(str(error))
