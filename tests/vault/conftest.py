"""Fixtures of the tests of a vault's files."""

import os
import pathlib
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the folder of a test: on the disk that ZKMEM_TEST_DISK names, unless the test is slow.

    CI keeps the folders of all other tests in memory, which is faster. A disk differs a little: a new file may get the
    inode of a deleted one.
    """
    disk = os.environ.get("ZKMEM_TEST_DISK")
    if disk is None or request.node.get_closest_marker("slow") or request.config.getoption("--names"):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=disk, prefix="zkmem-", ignore_cleanup_errors=True) as folder:
        yield pathlib.Path(folder).resolve()
