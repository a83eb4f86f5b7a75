"""Count the calls of functions: a measure of work that does not depend on the machine."""

import sys
from collections.abc import Callable
from typing import Any

import pytest


class Counts:
    """How often a function was called, which does its work as before."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self.number = 0
        work = getattr(owner, name)

        def counted(*given: Any, **named: Any) -> Any:
            self.number += 1
            return work(*given, **named)

        monkeypatch.setattr(owner, name, counted)

    def of(self, work: Callable[[], object]) -> int:
        """The calls that some work makes."""
        before = self.number
        work()
        return self.number - before


def calls_of(act: Callable[[], object]) -> int:
    """Return how many functions `act` calls, with those of the interpreter."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count
