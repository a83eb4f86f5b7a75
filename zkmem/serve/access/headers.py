"""Read and check the headers of a request: its host, its origin, its token, and what the client accepts."""

import re
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.types import Scope

from zkmem.errors import BadRequest, WrongHost, WrongOrigin
from zkmem.serve.access.public import PublicUrl

_GUARDED = ("/mcp/", "/api/")
_HOST = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::[0-9]{1,5})?", re.ASCII)
_ONCE = frozenset({  # headers that every reader of a request must understand in the same way
    "authorization", "content-length", "content-type", "host", "mcp-protocol-version", "mcp-session-id", "origin",
    "sec-fetch-site", "transfer-encoding",
})  # fmt: skip
_ZERO = re.compile(r"0(\.0*)?")  # a weight
_OTHER_SITES = {"cross-site", "same-site"}  # `Sec-Fetch-Site` of a request from a page of another server


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers of a request by their names in lower case."""
    headers: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in headers and name in _ONCE:
            raise BadRequest(f"The request has the header {name!r} twice; send it once.")
        headers[name] = value.decode("latin-1")
    if "content-length" in headers and "transfer-encoding" in headers:  # RFC 9112, 6.1: a sign of request smuggling
        raise BadRequest("The request gives its length twice; send only Content-Length or only Transfer-Encoding.")
    return headers


def check_host(headers: Mapping[str, str], path: str, hosts: Collection[str], public: PublicUrl | None) -> None:
    """Refuse requests that name another host (DNS rebinding), and requests from pages of other sites.

    `hosts` are the names of the server.
    """
    host = headers.get("host", "")
    if not _HOST.fullmatch(host) or _name(f"//{host}") not in hosts:
        whose = f", whose public_url is {public.origin}" if public else ""
        raise WrongHost(f"{host[:100]!r} is not a name of this server{whose}; allow it with --allow-host.")
    if public:
        public.check(headers, hosts)
    origin = headers.get("origin")
    if not origin:
        if headers.get("sec-fetch-site") in _OTHER_SITES and is_guarded(path):  # for example an image or a script
            raise WrongOrigin("Pages of other sites may not use this server.")
        return
    name = _name(origin)
    if name and urlsplit(origin).netloc.lower() == host.lower():
        return
    if public and origin.lower() == public.origin:  # the proxy sends another `Host`
        return
    if path.startswith("/mcp") and name in hosts:  # the MCP Inspector, in a browser on this machine
        return
    raise WrongOrigin(f"Pages from {origin[:100]!r} may not use this server.")


def is_guarded(path: str) -> bool:
    """Return whether a request for a path needs a caller: the page and the sign-in do not."""
    return f"{path}/".startswith(_GUARDED)  # with its slash: "/apiary" is another path


def bearer_in(headers: Mapping[str, str]) -> str | None:
    """Return the token in the headers of a request; None without one."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def _name(url: str) -> str | None:
    """Return the host in a URL, without its port; None if there is none."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def accepts_gzip(accepted: str) -> bool:
    """Return whether an `Accept-Encoding` header names gzip with a weight above 0 (RFC 9110, 12.5.3)."""
    offers = (offer.replace(" ", "").lower().partition(";q=") for offer in accepted.split(","))
    return any(coding == "gzip" and not _ZERO.fullmatch(weight) for coding, _, weight in offers)
