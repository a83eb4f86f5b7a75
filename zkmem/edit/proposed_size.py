"""Bound how much of the disk the proposed edits of one client take."""

import contextlib
import os
from collections.abc import Sequence

from zkmem.edit.journal import Planned
from zkmem.edit.plan import Put
from zkmem.errors import TooMany
from zkmem.vault import platform
from zkmem.vault.overlay import OverlayStore

_MOST_MB = 200
_LEAST = 4_096  # bytes that a file takes, however short it is


class ProposedSize:
    """The space that the folder of a client takes: its files, and the texts before and after each edit."""

    def __init__(self, store: OverlayStore, client: str) -> None:
        self._store, self._client = store, client
        self._bytes = 0  # an upper bound, from when the log had the size below
        self._log_size = -1

    def check(self, plans: Sequence[Planned], log_size: int) -> None:
        """Check that there is space for some edits. The caller holds the lock.

        The files are measured only if the estimate is above the limit, or if the log is not as `made` knows it.

        Raises:
            TooMany: when there is not enough space.
        """
        more = sum(map(self._estimate, plans))
        if log_size != self._log_size or self._bytes + more > _MOST_MB * 1_000_000:
            self._bytes, self._log_size = _size_below(self._store.root), log_size
        if self._bytes + more > _MOST_MB * 1_000_000:
            raise TooMany(
                f"The proposed edits of {self._client!r} take {self._bytes / 1e6:,.0f} MB, this one would take"
                f" {more / 1e6:,.1f} MB more, and at most {_MOST_MB} MB can wait; nothing was changed. Ask a person"
                " to accept or drop some first, on the page or with: zkmem proposed"
            )
        self._bytes += more

    def made(self, log_size: int) -> None:
        """Note the size of the log after the edits that were checked last."""
        self._log_size = log_size

    def _estimate(self, planned: Planned) -> int:
        """Return how many bytes an edit takes at most: each new text, which may be kept twice, and each old one."""
        total = 0
        for step in planned.plan.steps:
            if isinstance(step, Put):
                total += 2 * max(len(step.data), _LEAST)
            if step.base is not None and not self._store.has_copy(step.path):
                stamp = self._store.below.stamp(step.path)
                total += max(stamp.size if stamp else 0, _LEAST)
        return total


def _size_below(root: str) -> int:
    """Return the bytes that the files below a folder take; 0 if there is none."""
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += max(platform.current.info(f"{folder}/{name}").st_size, _LEAST)
    return total
