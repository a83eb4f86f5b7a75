"""Check who a person is, and slow down those who guess."""

import anyio.to_thread

from zkmem.errors import TooMany, Unauthorized
from zkmem.serve.access.signin.passkeys import CopiedPasskey
from zkmem.serve.access.signin.provider import Desk
from zkmem.serve.access.signin.store import Passkey
from zkmem.serve.access.signin.users import Users
from zkmem.serve.connections import network_of

_MOST_CHECKS = 8  # passwords that wait to be checked
_WRONG = "The name or the password is wrong."


class Authentication:
    """Checks the users of one vault."""

    def __init__(self, users: Users, desk: Desk) -> None:
        """The desk is that of the vault."""
        self._users = users
        self._desk = desk

    async def check_password(self, user: str, password: str, address: str) -> None:
        """Check a user's password.

        Raises:
            Unauthorized: when the name or the password is wrong. TooMany: when the user must wait.
        """
        counters = self._desk.counters
        if counters.checks.statistics().tasks_waiting >= _MOST_CHECKS:
            raise TooMany("Too many people sign in at this moment; try again.")
        network = network_of(address)
        counters.passwords.begin(user, network)
        if not await anyio.to_thread.run_sync(self._users.knows, user, password, limiter=counters.checks):
            raise Unauthorized(_WRONG)
        counters.passwords.succeeded(user, network)

    async def check_passkey(self, answer: str, purpose: str, address: str) -> tuple[str, Passkey]:
        """Return the user whom a browser's answer to a question for this purpose names, and the passkey.

        Raises:
            Unauthorized: when the answer is refused. TooMany: when the address must wait.
        """
        counter, network = self._desk.counters.passwords, network_of(address)
        counter.begin("", network)
        try:
            user, passkey = await anyio.to_thread.run_sync(self._desk.passkeys.check, answer, purpose, address)
        except CopiedPasskey as error:
            self._desk.audit.add_event("", address, "passkey refused", user=error.user, passkey=error.passkey,
                                       reason="its count of uses has gone back: there is a copy of it")  # fmt: skip
            raise
        counter.succeeded("", network)
        return user, passkey
