"""Count how often a function is called."""

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
