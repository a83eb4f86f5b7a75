"""The vault that is looked at, and what a check says when something is wrong."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from zkmem import config
from zkmem.cli.vault_folder import vault_folder
from zkmem.errors import NoVault
from zkmem.settings import Settings
from zkmem.util.spelling import told_apart
from zkmem.vault.store import Store

_MOST = 3


class Trouble(Exception):
    """Something is wrong: what was found, how to fix it, and what fixes it where the user has nothing to decide."""

    def __init__(self, found: str, fix: str, repair: Callable[[], str] | None = None) -> None:
        """`repair` returns a sentence about what it has done, and raises ZkError or OSError if it cannot."""
        super().__init__(found)
        self.found = found
        self.fix = fix
        self.repair = repair


class Target(NamedTuple):
    """The vault that is looked at; `root` is None where there is none, and `fault` says why."""

    root: str | None
    fault: str = ""

    @classmethod
    def of(cls, given: str | None) -> "Target":
        """Return the vault that the user has named, or the nearest one."""
        try:
            return cls(Store(vault_folder(given)).root)
        except NoVault as error:
            return cls(None, str(error))

    @property
    def vault(self) -> str:
        """The folder of the vault, for checks that need one."""
        assert self.root is not None  # noqa: S101 - the others are not called without one
        return self.root

    def settings(self) -> Settings:
        """Its settings, for checks that are not made where they are wrong."""
        return config.load(self.vault, {})


def few(names: Sequence[str]) -> str:
    """The first of some names, and how many there are more."""
    return ", ".join(told_apart(names[:_MOST])) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
