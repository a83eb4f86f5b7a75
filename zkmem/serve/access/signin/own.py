"""Let a person who has signed in to the page see and end the own sign-ins: who has access in this person's name.

Nobody else can: not a client, which could keep out others or itself stay unseen, and not the holder of a token of the
vault. The sign-ins of all users are for the person who runs the server: `zkmem token list`.
"""

from typing import NamedTuple

from zkmem.errors import Forbidden, UnknownSignIn
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.caller import Identity
from zkmem.serve.access.signin.clients import shown_redirect
from zkmem.serve.access.signin.signins import PAGE_ID, SignIns


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


class OwnSignIns:
    """The sign-ins to one vault, for the people who have made them. Thread-safe."""

    def __init__(self, signins: SignIns | None = None, audit: Audit | None = None) -> None:
        """Without `signins`, nobody can sign in. What a person ends is added to `audit`."""
        self._signins = signins
        self._audit = audit

    def all(self, caller: Identity) -> list[OwnSignIn]:
        """Return the sign-ins of the caller, the oldest first.

        Raises:
            Forbidden: when the caller has not signed in to the page. BadSettings: when the file cannot be read.
        """
        signins = self._of(caller)
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
        """End one of the caller's sign-ins. `address` is that of the caller, for the audit log.

        Raises:
            Forbidden, BadSettings: as for `all`. UnknownSignIn: when the caller has none with this name. Unwritable:
            when the disk refuses.
        """
        if self._of(caller).end(name, caller.person) is None:
            raise UnknownSignIn(f"You have no sign-in {name[:100]!r}; it may have ended already.")
        if self._audit:
            self._audit.add_event(name, address, "sign-in ended", reason=f"{caller.name} has ended it")

    def _of(self, caller: Identity) -> SignIns:
        if self._signins is None or not caller.person:
            raise Forbidden(
                "Only people who have signed in to the page with their name and password can see and end sign-ins, and "
                "only their own. On the server's machine, zkmem token list shows all of them."
            )
        return self._signins
