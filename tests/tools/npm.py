"""Programs from npm, for the tests that need them: each package is installed once in a run of the tests."""

import os
import pathlib
import re
import shutil
import subprocess

import filelock
import pytest


def installed(tmp_path_factory: pytest.TempPathFactory, *packages: str) -> pathlib.Path:
    """Return the folder with the programs of these packages; skip the test where there is no node."""
    npm = shutil.which("npm")
    if npm is None:
        assert "ZKMEM_TEST_NODE" not in os.environ, "CI has node"
        pytest.skip("needs node")
    own = tmp_path_factory.getbasetemp()
    of_all = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own  # the processes that run tests side by side
    folder = of_all / re.sub(r"\W+", "-", "-".join(["npm", *packages]))
    with filelock.FileLock(f"{folder}.lock"):
        if not folder.exists():
            order = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", f"{folder}.new", *packages]
            subprocess.run(order, check=True, stdout=subprocess.DEVNULL)
            os.rename(f"{folder}.new", folder)
    return folder / "node_modules" / ".bin"
