"""Shared by the tests of recall: vaults of which earlier moments are read."""

import pathlib
from collections.abc import Iterator

import pytest

from zkmem.memory import Memory


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Iterator[Memory]:
    """Return an empty vault without git."""
    with Memory(str(tmp_path), durable=False) as memory:
        memory.set_up(git=False, settings="")
        yield memory


@pytest.fixture
def g(tmp_path: pathlib.Path) -> Iterator[Memory]:
    """Return an empty vault with git."""
    with Memory(str(tmp_path), git=True, durable=False) as memory:
        memory.set_up(git=True, settings=".zkmem/config.toml")
        yield memory
