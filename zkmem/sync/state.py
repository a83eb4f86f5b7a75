"""The result of the last synchronisation, for `zkmem doctor` and the page. It is saved in `.zkmem/sync.json`."""

import contextlib
import json
import time
from typing import TYPE_CHECKING, NamedTuple, Self

from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import State

if TYPE_CHECKING:
    from zkmem.sync.report import Report
    from zkmem.vault.git.command import Git


class SyncState(NamedTuple):
    """The result of the last synchronisation."""

    time: float  # seconds since 1970
    succeeded: float  # the time of the last one that succeeded; 0 if there was none
    remote: str
    branch: str
    ahead: int  # commits that were only here; see `counted`
    behind: int  # commits that were only on the remote
    offline: str  # why the remote could not be reached; "" if it was reached
    trouble: str  # why it failed for another reason; "" if it did not fail for one

    @classmethod
    def after(cls, report: "Report", trouble: str, before: "SyncState | None") -> Self:
        """Return the state after a synchronisation. `trouble`: why it failed; `before`: the state before it."""
        now = time.time()
        failed = trouble or report.offline
        succeeded = (before.succeeded if before else 0.0) if failed else now
        return cls(now, succeeded, report.remote, report.branch, report.ahead, report.behind, report.offline, trouble)

    @classmethod
    def load(cls, state: State) -> Self | None:
        """Return the state that was saved last; None if there is none."""
        with contextlib.suppress(OSError, *MALFORMED):
            found = cls(**json.loads(read(state.path("sync.json"))[0]))
            if [type(value) for value in found] == [float, float, str, str, int, int, str, str]:
                return found
        return None

    def counted(self, git: "Git") -> Self:
        """Return the state with the numbers of commits that wait now; those on the remote are from the last fetch.

        If git cannot tell, the numbers stay as they were saved. `git`: the git command for the vault.
        """
        from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - only a vault that was synchronised needs git
        from zkmem.vault.git.remote import Address, Remote  # noqa: PLC0415

        tracking = Remote(git, Address(self.remote, "", self.branch)).tracking
        with contextlib.suppress(GitTrouble):
            ahead, behind = git.run("rev-list", "--count", "--left-right", f"HEAD...{tracking}", "--").split()
            return self._replace(ahead=int(ahead), behind=int(behind))
        return self

    def save(self, state: State) -> None:
        """Save the state. If the process is killed meanwhile, the file has the old or the new state."""
        data = json.dumps(self._asdict(), ensure_ascii=False).encode() + b"\n"
        replace_file(state.path("sync.json"), data, durable=False, opener=platform.current.opened)
