"""What the vaults of one server have in common: who can reach it, its threads and limits, who may see which vault."""

import shlex
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.routing import BaseRoute

from zkmem.errors import BadSettings
from zkmem.serve.access.body import Bodies
from zkmem.serve.access.gate import Limits
from zkmem.serve.access.issuer import SCOPES
from zkmem.serve.access.public import LOOPBACK, PublicUrl
from zkmem.serve.access.signin.attempts import Counters
from zkmem.serve.access.signin.documents import ClientDocuments
from zkmem.serve.access.signin.store import SignInStore
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Access, Identity, Tokens
from zkmem.serve.shares import Streams
from zkmem.serve.turns import WorkerThreads

if TYPE_CHECKING:
    from zkmem.serve.access.signin.page_routes import PageSessions


class Reach(NamedTuple):
    """Who can reach a server, and the limits for their requests."""

    hosts: Sequence[str] = ()  # names of the server besides the loopback ones
    issuer: str = ""  # the address of the OAuth issuer; empty for none
    resource: str = ""  # the address of the MCP endpoint, the audience of OAuth tokens
    limits: Limits = Limits()
    public: PublicUrl | None = None  # the address at which users sign in; None if they cannot

    @property
    def names(self) -> list[str]:
        """Return the names of the server besides the loopback ones, with that of the public address."""
        return [*self.hosts, *([self.public.host] if self.public else [])]


THIS_MACHINE = Reach()
"""The reach of a server that only this machine can use."""


def check_reach(tokens: Tokens, host: str, reach: Reach, vault: str, *, has_users: bool = False) -> None:
    """Check that a server that others can reach requires tokens and has host names. `has_users`: some can sign in."""
    named = f" --vault {shlex.quote(vault)}"
    if reach.public and reach.issuer:
        raise BadSettings(
            "public_url and oauth_issuer exclude each other: with public_url, users sign in to zkmem itself."
        )
    if reach.public and not has_users:
        raise BadSettings(
            f"With public_url, users sign in with a name and a password; add one: zkmem user add NAME{named}"
        )
    if bool(reach.issuer) != bool(reach.resource):
        raise BadSettings(
            "oauth_issuer and oauth_resource belong together: set oauth_resource to the address of the MCP endpoint."
        )
    guarded = bool(reach.issuer) or reach.public is not None or tokens.load().guards
    beyond = host not in LOOPBACK
    if beyond and not reach.names:
        raise BadSettings(
            f"To serve on {host!r}, give the host name that clients will use: --allow-host notes.example.org"
        )
    if (beyond or reach.hosts) and not guarded:
        raise BadSettings(
            f"To serve beyond this machine, make a token first (zkmem token add NAME{named}), or set oauth_issuer."
        )


def metadata_routes(reach: Reach) -> Collection[BaseRoute]:
    """Return the routes at which clients look up the issuer (RFC 9728); none without an issuer."""
    resource, issuer = _resource_and_issuer(reach)
    if not issuer:
        return ()
    # without the option, it would add "/" at the end
    url = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True)).validate_python
    return create_protected_resource_routes(url(resource), [url(issuer)], SCOPES, "zkmem")


def _resource_and_issuer(reach: Reach) -> tuple[str, str]:
    """Return the address of the MCP endpoint and that of its OAuth issuer; empty texts without an issuer."""
    return (reach.public.resource, reach.public.base) if reach.public else (reach.resource, reach.issuer)


def challenge(reach: Reach) -> str:
    """Return the text after `Bearer` in the answer to a request without a token."""
    resource, issuer = _resource_and_issuer(reach)
    if not issuer:
        return ' realm="zkmem"'
    return f' resource_metadata="{build_resource_metadata_url(AnyHttpUrl(resource))}"'


class Common:
    """What the vaults of one server share. Only the event loop uses the limits."""

    def __init__(self, limits: Limits, documents: ClientDocuments | None = None, *, page_modules: bool = False) -> None:
        """Read nothing yet. `documents`: fetches documents of OAuth clients; by default, from public addresses only.

        `page_modules`: whether the page is served as modules, not as a bundle.
        """
        self.limits = limits
        self.threads = WorkerThreads()
        self.streams = Streams(limits.sessions)
        self.bodies = Bodies(limits.body, limits.pace)
        self.documents = documents or ClientDocuments()
        self.counters = Counters()
        self.page_modules = page_modules
        self.store = SignInStore()
        self.roots: dict[str, str] = {}
        """The real paths of the vaults by name, if there are several."""
        self.sessions: dict[str, PageSessions] = {}
        """The sign-ins to the pages of the vaults by name, if there are several."""
        self._access: dict[str, tuple[Access, Users]] = {}

    def was_guarded(self, name: str) -> bool:
        """Return whether the vault with this name needed a token before it was opened again."""
        return name in self._access and self._access[name][0].is_known_guarded

    def add(self, name: str, root: str, access: Access, users: Users) -> None:
        """Remember one of several vaults, with its real path, and who may open it."""
        self.roots[name] = root
        self._access[name] = access, users

    def open_to(self, caller: Identity) -> list[str]:
        """Return the names of the vaults that a caller of one of them may open, in alphabetical order.

        This reads no file of a vault, which may be on a drive that does not answer.
        """
        return sorted(name for name, (access, users) in self._access.items() if _admits(access, users, caller))


def _admits(access: Access, users: Users, caller: Identity) -> bool:
    """Return whether a caller of another vault may open this one."""
    return users.has(caller.person) if caller.person else not (caller.name or access.is_known_guarded)
