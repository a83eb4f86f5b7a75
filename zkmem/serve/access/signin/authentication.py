"""Check who a person is, and slow down those who guess."""

import anyio.to_thread

from zkmem.errors import TooMany, Unauthorized
from zkmem.serve.access.signin.attempts import Counters
from zkmem.serve.access.signin.users import Users
from zkmem.serve.connections import network_of

_MOST_CHECKS = 8  # passwords that wait to be checked
_WRONG = "The name or the password is wrong."


class Authentication:
    """Checks the users of one vault."""

    def __init__(self, users: Users, counters: Counters) -> None:
        """`counters` are those of the server."""
        self._users = users
        self._counters = counters

    async def check_password(self, user: str, password: str, address: str) -> None:
        """Check a user's password.

        Raises:
            Unauthorized: when the name or the password is wrong. TooMany: when the user must wait.
        """
        counters = self._counters
        if counters.checks.statistics().tasks_waiting >= _MOST_CHECKS:
            raise TooMany("Too many people sign in at this moment; try again.")
        network = network_of(address)
        counters.passwords.begin(user, network)
        if not await anyio.to_thread.run_sync(self._users.knows, user, password, limiter=counters.checks):
            raise Unauthorized(_WRONG)
        counters.passwords.succeeded(user, network)
