"""Let people who have signed in to the page see and end their own sign-ins, and see and remove their own passkeys.

Nobody else can: not a client, which could keep out others or itself stay unseen, and not the holder of a token of the
vault. The sign-ins of all users are for the person who runs the server: `zkmem token list`.
"""

from typing import NamedTuple

from zkmem.errors import Forbidden, UnknownSignIn
from zkmem.serve.access.signin.clients import shown_redirect
from zkmem.serve.access.signin.desk import Desk
from zkmem.serve.access.signin.signins import PAGE_ID
from zkmem.serve.access.tokens import Identity


class OwnSignIn(NamedTuple):
    """A sign-in, as the page shows it."""

    name: str
    client: str
    place: str  # where the client was led back to; empty for the page
    folder: str
    read_only: bool
    created: float  # seconds since 1970
    used: float | None  # to the hour
    expires: float
    is_current: bool  # whether it is the one of this request


class OwnPasskey(NamedTuple):
    """A passkey, as the page shows it."""

    id: str
    name: str
    created: float  # seconds since 1970
    used: float | None


class OwnSignIns:
    """The sign-ins to one vault and the passkeys, for the people whose they are. Thread-safe."""

    def __init__(self, desk: Desk | None = None) -> None:
        """Without a desk, nobody can sign in. What a person ends or removes is added to the audit log."""
        self._desk = desk

    def all(self, caller: Identity) -> list[OwnSignIn]:
        """Return the sign-ins of the caller, the oldest first."""
        signins = self._of(caller).signins
        return [
            OwnSignIn(
                one.name,
                one.client_name,
                "" if one.client == PAGE_ID else shown_redirect(one.code.redirect),
                one.folder,
                one.read_only,
                one.created,
                one.used or None,
                one.expires,
                is_current=one.id == caller.id,
            )
            for one in signins.all()
            if one.user == caller.person
        ]

    def end(self, caller: Identity, name: str, address: str) -> None:
        """End one of the caller's sign-ins. `address` is that of the caller, for the audit log."""
        desk = self._of(caller)
        if desk.signins.end(name, caller.person) is None:
            raise UnknownSignIn(f"You have no sign-in {name[:100]!r}; it may have ended already.")
        desk.audit.add_event(name, address, "sign-in ended", reason=f"{caller.name} has ended it")

    def passkeys(self, caller: Identity) -> list[OwnPasskey]:
        """Return the passkeys of the caller, the oldest first."""
        passkeys = self._of(caller).passkeys.of(caller.person)
        return [OwnPasskey(one.id, one.name, one.created, one.used or None) for one in passkeys]

    def offers_passkeys(self, caller: Identity) -> bool:
        """Return whether the caller can add passkeys here. Raise Forbidden as `all` does."""
        return self._of(caller).passkeys.is_offered

    def remove_passkey(self, caller: Identity, passkey_id: str, address: str) -> None:
        """Remove one of the caller's passkeys, for all vaults. `address` is that of the caller, for the audit log."""
        desk = self._of(caller)
        passkey = desk.passkeys.remove(caller.person, passkey_id)
        desk.audit.add_event(caller.name, address, "passkey removed", user=caller.person, passkey=passkey.name)

    def _of(self, caller: Identity) -> Desk:
        if self._desk is None or not caller.person:
            raise Forbidden(
                "Only people who have signed in to the page as themselves can see and end sign-ins and passkeys, and "
                "only their own. On the server's machine, zkmem token list shows all sign-ins."
            )
        return self._desk
