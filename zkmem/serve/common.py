"""What the vaults of one server share: threads, limits against strangers, and who may see which of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from zkmem.serve.access.body import Bodies
from zkmem.serve.access.caller import Access, Identity
from zkmem.serve.access.gate import Limits
from zkmem.serve.access.signin.attempts import Counters
from zkmem.serve.access.signin.documents import Documents
from zkmem.serve.access.signin.store import Store
from zkmem.serve.shares import Streams
from zkmem.serve.turns import WorkerThreads

if TYPE_CHECKING:
    from zkmem.serve.access.signin.page_sessions import PageSessions


class Place(NamedTuple):
    """The name of a vault on its server, and which vaults there a caller may open."""

    name: str = ""  # "" if the server has one vault, without a name
    open_to: Callable[[Identity], list[str]] = lambda _: []  # the names of the vaults that a caller may open


class Common:
    """What the vaults of one server share. Only the event loop uses the limits."""

    def __init__(self, limits: Limits, documents: Documents | None = None) -> None:
        """Read nothing yet. `documents` fetches those of OAuth clients; without it, from public addresses only."""
        self.limits = limits
        self.threads = WorkerThreads()
        self.streams = Streams(limits.sessions)
        self.bodies = Bodies(limits.body, limits.pace)
        self.documents = documents or Documents()
        self.counters = Counters()
        self.store = Store()
        self.roots: dict[str, str] = {}
        """The real paths of the vaults by name, if there are several."""
        self.sessions: dict[str, PageSessions] = {}
        """The sign-ins to the pages of the vaults by name, if there are several."""
        self._admits: dict[str, Callable[[Identity], bool]] = {}
        self._access: dict[str, Access] = {}

    def was_guarded(self, name: str) -> bool:
        """Return whether the vault with this name needed a token before it was opened again."""
        return name in self._access and self._access[name].is_known_guarded

    def place(self, name: str, root: str, access: Access, admits: Callable[[Identity], bool]) -> Place:
        """Return the place of the vault with this name, at this real path; the name is "" if the server has one vault.

        `admits` returns whether a caller of another vault may open this one. It reads no file of the vault, which may
        be on a drive that does not answer.
        """
        if not name:
            return Place()
        self.roots[name] = root
        self._access[name] = access
        self._admits[name] = admits
        return Place(name, self._open_to)

    def _open_to(self, caller: Identity) -> list[str]:
        """Return the names of the vaults that a caller of one of them may open, in alphabetical order."""
        return sorted(name for name, admits in self._admits.items() if admits(caller))
