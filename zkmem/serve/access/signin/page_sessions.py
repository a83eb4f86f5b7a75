"""Let a person who has signed in use the page of a vault."""

import anyio.to_thread

from zkmem.serve.access.signin.authentication import Authentication
from zkmem.serve.access.signin.provider import Desk
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Tokens


class PageSessions:
    """The sign-ins to the page of one vault."""

    def __init__(self, desk: Desk, users: Users, tokens: Tokens, name: str = "") -> None:
        """`tokens` are those of the vault; `name` is its name if the server has several."""
        self.name = name
        self.vault = desk.signins.vault
        self.authentication = Authentication(users, desk)
        self._desk = desk
        self._users = users
        self._tokens = tokens

    def has(self, user: str) -> bool:
        """Return whether the vault has a user with this name. Raise BadSettings when the file cannot be read."""
        return self._users.has(user)

    async def begin(self, user: str, lasts_s: float, address: str, root: str = "", **way: str) -> str:
        """Make a sign-in for a user who comes from `address`, and return its token.

        `root` is the id of the sign-in that it ends with; `way` is for the audit log.
        """
        taken = [one.name for one in self._tokens.load().tokens]
        signin, access = await anyio.to_thread.run_sync(
            self._desk.signins.begin_page, user, self._users.right_of(user), lasts_s, taken, root
        )
        self._desk.audit.add_event(signin.name, address, "sign-in", user=user, client=signin.client_name, **way)
        return access
