"""What the requests of the sign-in to one vault share. It checks who a person is, and slows down those who guess."""

from dataclasses import dataclass, field

import anyio.to_thread

from zkmem.errors import Unauthorized
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.attempts import Counters
from zkmem.serve.access.signin.documents import ClientDocuments
from zkmem.serve.access.signin.passkeys import CopiedPasskey, Passkeys
from zkmem.serve.access.signin.signed import Questions
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.store import Passkey, SignInStore
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Tokens
from zkmem.serve.networks import stranger_at

_WRONG = "The name or the password is wrong."


@dataclass(frozen=True, slots=True)
class Desk:
    """What the requests of the sign-in to one vault share."""

    public: PublicUrl
    store: SignInStore
    signins: SignIns
    passkeys: Passkeys
    users: Users
    tokens: Tokens
    audit: Audit
    documents: ClientDocuments
    counters: Counters
    questions: Questions = field(default_factory=Questions)

    async def check_password(self, user: str, password: str, address: str) -> None:
        """Check a user's password, one password at a time.

        The widest networks take turns. A network whose last password was right, or that has sent none, comes first.
        """
        counters, stranger = self.counters, stranger_at(address)
        async with counters.checks.turn(stranger):
            counters.passwords.begin(user, address)
            if not await anyio.to_thread.run_sync(self.users.knows, user, password):
                raise Unauthorized(_WRONG)
            counters.passwords.succeeded(user, address)
            counters.checks.forget(stranger)

    async def check_passkey(self, answer: str, purpose: str, address: str) -> tuple[str, Passkey]:
        """Return the user and the passkey of a browser's answer. `purpose`: what the passkey was asked for."""
        counter = self.counters.passwords
        counter.begin("", address)
        try:
            user, passkey = await anyio.to_thread.run_sync(self.passkeys.check, answer, purpose, address)
        except CopiedPasskey as error:
            self.audit.add_event("", address, "passkey refused", user=error.user, passkey=error.passkey,
                                 reason="its count of uses has gone back: there is a copy of it")  # fmt: skip
            raise
        counter.succeeded("", address)
        return user, passkey

    def taken_names(self) -> list[str]:
        """Return the names of the vault's tokens, which no sign-in may have."""
        return [one.name for one in self.tokens.load().tokens]
