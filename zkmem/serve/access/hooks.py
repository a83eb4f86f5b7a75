"""Admit the hooks of clients on this machine: they know the secret that the server has noted for its user."""

import hmac
import secrets
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple

from zkmem.errors import Unauthorized
from zkmem.hooks.answers import Parts
from zkmem.serve.access.headers import bearer_in
from zkmem.settings import Settings


class HookAccess(NamedTuple):
    """The secret for hooks, which is in a file that only the server's user can read, and the answered parts."""

    secret: str
    parts: Parts

    @classmethod
    def of(cls, settings: Settings) -> "HookAccess":
        """Return the access of a server with these settings, with a new secret."""
        return cls(secrets.token_urlsafe(), Parts.of(settings))

    def check(self, headers: Mapping[str, str], address: str) -> None:
        """Check that a request comes from this machine and has the secret."""
        is_here = bool(address) and ip_address(address).is_loopback
        token = bearer_in(headers) or ""
        if not is_here or not hmac.compare_digest(token.encode(), self.secret.encode()):
            raise Unauthorized("This path is for the hooks of clients on the server's own machine.")
