"""Clients as the MCP SDK wants them: which redirects and scopes they may use."""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from mcp.shared.auth import InvalidRedirectUriError, InvalidScopeError, OAuthClientInformationFull
from pydantic import AnyUrl

from zkmem.errors import BadArgument
from zkmem.serve.access.issuer import READ, SCOPES, WRITE
from zkmem.serve.access.public import LOOPBACK
from zkmem.serve.access.signin.store import RegisteredClient

_MOST_REDIRECTS = 10
_LONGEST_REDIRECT = 500
_LONGEST_NAME = 60
_EDITORS = frozenset({"cursor", "vscode", "vscode-insiders", "windsurf", "zed", "goose", "lmstudio", "claude"})
"""Schemes of programs on the user's machine, besides those that contain a dot (RFC 8252, 7.1)."""


class ClientInformation(OAuthClientInformationFull):
    """A client that proves who it is only by its redirect and by PKCE."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Return the redirect to use. On this machine, a client may listen on any port (RFC 8252, 7.3)."""
        if redirect_uri is None:
            return super().validate_redirect_uri(None)
        address = _without_port(str(redirect_uri))
        registered = [_without_port(str(one)) for one in self.redirect_uris or ()]
        if address not in registered or _split(str(redirect_uri)) is None:
            raise InvalidRedirectUriError(f"Redirect URI '{redirect_uri}' not registered for client")
        return redirect_uri

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """Return the scopes that this server has among the requested ones; the user decides about them."""
        scopes = [one for one in (requested_scope or "").split() if one in SCOPES]
        if requested_scope and requested_scope.strip() and not scopes:
            raise InvalidScopeError(f"This server has the scopes {READ} and {WRITE}")
        return scopes or None


def information_of(client: RegisteredClient) -> ClientInformation:
    """Return a client as the SDK wants it."""
    return ClientInformation(
        client_id=client.id,
        client_name=client.name,
        redirect_uris=[AnyUrl(one) for one in client.redirects],
        token_endpoint_auth_method="none",  # noqa: S106 - a method, not a secret
    )


def client_of(client_id: str, name: object, redirects: object, created: float) -> RegisteredClient:
    """Return a client with the name and the redirects that it gives itself."""
    if not isinstance(redirects, list | tuple) or not 1 <= len(redirects) <= _MOST_REDIRECTS:
        raise BadArgument(f"redirect_uris must be a list of 1 to {_MOST_REDIRECTS} addresses.")
    for one in redirects:
        _check_redirect(one)
    text = " ".join(name.split()) if isinstance(name, str) else ""
    shown = "".join(char for char in text if char.isprintable())[:_LONGEST_NAME].strip()
    return RegisteredClient(client_id, shown or "A client without a name", tuple(map(str, redirects)), created)


def client_in(document: Mapping[str, object], created: float) -> RegisteredClient:
    """Return the client that a document describes."""
    if "client_secret" in document or document.get("token_endpoint_auth_method", "none") != "none":
        raise BadArgument("The client's document asks for a secret; this server has only the method none, with PKCE.")
    return client_of(str(document["client_id"]), document.get("client_name"), document.get("redirect_uris"), created)


def shown_redirect(redirect: str) -> str:
    """Return where a redirect leads, for a person: a host, this device, or a program on it."""
    parts = urlsplit(redirect)
    if parts.scheme not in {"http", "https"}:
        return f"a program on your device ({parts.scheme}:)"
    return f"a program on your device ({parts.hostname})" if parts.hostname in LOOPBACK else parts.netloc


def _check_redirect(redirect: object) -> None:
    """Check an address to which a code may be sent."""
    parts = None
    if isinstance(redirect, str) and len(redirect) <= _LONGEST_REDIRECT and redirect.isascii():
        parts = _split(redirect)
    if parts is None or "#" in str(redirect) or "\\" in str(redirect) or not str(redirect).isprintable():
        raise BadArgument(
            f"The redirect {str(redirect)[:200]!r} cannot be used: it must be an address in ASCII without a user or a "
            f"fragment, of at most {_LONGEST_REDIRECT} characters."
        )
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        if parts.hostname:
            return
    elif "." in parts.scheme or parts.scheme in _EDITORS:
        return
    raise BadArgument(
        f"The redirect {str(redirect)[:200]!r} cannot be used: it must begin with https://, lead to this device "
        "(http://127.0.0.1, http://localhost), or have the scheme of a program (com.example.app:)."
    )


def _split(address: str) -> SplitResult | None:
    """Return the parts of an address; None if it is not one, or names a user."""
    try:
        parts = urlsplit(address)
        is_usable = "@" not in parts.netloc and " " not in address and (parts.port or 1) > 0
    except ValueError:
        return None
    return parts if is_usable else None


def _without_port(redirect: str) -> str:
    """Return a redirect without its port if it leads to this device; else as it is."""
    parts = urlsplit(redirect)
    if parts.scheme != "http" or parts.hostname not in LOOPBACK:
        return redirect
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return parts._replace(netloc=host).geturl()
