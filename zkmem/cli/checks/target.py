"""The vault that the checks examine, and the exception for a problem."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from zkmem import config
from zkmem.cli.vault_folder import vault_folder
from zkmem.errors import BadSettings, NoVault
from zkmem.settings import Settings
from zkmem.util.spelling import told_apart
from zkmem.vault.store import Store

_MOST = 3


class Trouble(Exception):
    """A problem, an instruction to fix it and, if the user has nothing to decide, a function that fixes it."""

    def __init__(self, problem: str, fix: str, repair: Callable[[], str] | None = None) -> None:
        """Describe a problem. `repair` fixes it and returns a sentence about that, or raises ZkError or OSError."""
        super().__init__(problem)
        self.problem = problem
        self.fix = fix
        self.repair = repair


class Warned(Trouble):
    """Something that works, and that the user may want to change."""


class CheckedVault(NamedTuple):
    """The vault to examine. If there is none, `root` is None and `fault` says why."""

    root: str | None
    fault: str = ""

    @classmethod
    def of(cls, named: str | None) -> "CheckedVault":
        """Return the vault that the user has named; if that is None, the nearest one."""
        try:
            return cls(Store(vault_folder(named)).root)
        except NoVault as error:
            return cls(None, str(error))

    @property
    def vault(self) -> str:
        """Return the folder of the vault, for checks that need one."""
        assert self.root is not None  # noqa: S101 - checks that need a vault are not called without one
        return self.root

    @property
    def has_settings(self) -> bool:
        """Whether the user's own settings are correct. Faults in the vault's file do not count."""
        try:
            self.settings()
        except BadSettings:
            return False
        return True

    def settings(self) -> Settings:
        """Return the settings of the vault, for checks that need correct settings."""
        return config.load(self.vault, {})


def few(names: Sequence[str]) -> str:
    """List the first three names, and how many more there are."""
    return ", ".join(told_apart(names[:_MOST])) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
