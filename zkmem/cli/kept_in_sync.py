"""Keep a vault in sync with its git remote while it is served."""

from typing import TYPE_CHECKING

import click

from zkmem.memory import Memory
from zkmem.settings import Settings
from zkmem.vault.git.troubles import without_password

if TYPE_CHECKING:
    from zkmem.sync.keeper import Keeper


def kept_in_sync(memory: Memory, settings: Settings) -> "Keeper":
    """Return the thread that synchronises the vault during a `with` block. Print which remote it uses."""
    from zkmem.sync.keeper import Keeper  # noqa: PLC0415 - few servers need it

    keeper = Keeper(
        lambda: memory.sync(settings.sync_remote, settings.sync_branch), settings.sync_every, settings.sync_after
    )
    memory.listen(keeper.touch)
    remote, every, after = without_password(settings.sync_remote), settings.sync_every, settings.sync_after
    click.echo(f"Synchronises with {remote} every {every} s, and {after} s after an edit (see: zkmem doctor)", err=True)
    return keeper
