"""Check who a person is, and slow down those who guess."""

import anyio.to_thread

from zkmem.errors import Unauthorized
from zkmem.serve.access.signin.passkeys import CopiedPasskey
from zkmem.serve.access.signin.provider import Desk
from zkmem.serve.access.signin.store import Passkey
from zkmem.serve.access.signin.users import Users
from zkmem.serve.networks import stranger_at

_WRONG = "The name or the password is wrong."


class Authentication:
    """Checks the users of one vault."""

    def __init__(self, users: Users, desk: Desk) -> None:
        """The desk is that of the vault."""
        self._users = users
        self._desk = desk

    async def check_password(self, user: str, password: str, address: str) -> None:
        """Check a user's password, one password at a time.

        The widest networks take turns. A network whose last password was right, or that has sent none, comes first.
        """
        counters = self._desk.counters
        stranger = stranger_at(address)
        async with counters.checks.turn(stranger):
            counters.passwords.begin(user, address)
            if not await anyio.to_thread.run_sync(self._users.knows, user, password):
                raise Unauthorized(_WRONG)
            counters.passwords.succeeded(user, address)
            counters.checks.forget(stranger)

    async def check_passkey(self, answer: str, purpose: str, address: str) -> tuple[str, Passkey]:
        """Return the user whom a browser's answer to a question for this purpose names, and the passkey."""
        counter = self._desk.counters.passwords
        counter.begin("", address)
        try:
            user, passkey = await anyio.to_thread.run_sync(self._desk.passkeys.check, answer, purpose, address)
        except CopiedPasskey as error:
            self._desk.audit.add_event("", address, "passkey refused", user=error.user, passkey=error.passkey,
                                       reason="its count of uses has gone back: there is a copy of it")  # fmt: skip
            raise
        counter.succeeded("", address)
        return user, passkey
