"""The public address of a server: the one that clients on the internet use, through a proxy with TLS."""

from collections.abc import Collection, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from zkmem.errors import BadSettings, WrongHost

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names of this machine for itself."""


class PublicUrl(NamedTuple):
    """The parts of a public address."""

    scheme: str
    host: str
    netloc: str  # with the port, if it has one
    path: str = ""  # of a vault, if the server has several: /v/NAME

    @classmethod
    def of(cls, address: str) -> "PublicUrl":
        """Return the parts of an address."""
        parts = urlsplit(address)
        scheme, host, netloc = parts.scheme.lower(), parts.hostname or "", parts.netloc.lower()
        if scheme != "https" and host not in LOOPBACK:
            raise BadSettings(
                f"public_url is {address!r}, which is not encrypted: passwords and tokens could be read on their way. "
                "Put a proxy with TLS in front of this server, and give its address, which begins with https://"
            )
        if parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in netloc:
            raise BadSettings(f"public_url is {address!r}; give only the scheme and the host: {scheme}://{netloc}")
        return cls(scheme, host, netloc)

    def at(self, path: str) -> "PublicUrl":
        """Return the address of the vault at a path of the server."""
        return self._replace(path=path)

    @property
    def origin(self) -> str:
        """The scheme and the host, without a slash at the end."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def base(self) -> str:
        """The address of the page without a slash at the end, which is also the name of the OAuth issuer."""
        return f"{self.origin}{self.path}"

    @property
    def resource(self) -> str:
        """The address of the MCP endpoint."""
        return f"{self.base}/mcp"

    def check(self, headers: Mapping[str, str], names: Collection[str]) -> None:
        """Check that a request came to this address, or to another one of the server's `names`, as its proxy says."""
        host = _first(headers.get("x-forwarded-host"))
        if host and urlsplit(f"//{host}").hostname not in names:
            raise WrongHost(
                f"The proxy says that the request came to {host[:100]!r}, but public_url is {self.origin}. Correct "
                "--public-url, or the X-Forwarded-Host of the proxy."
            )
        scheme = _first(headers.get("x-forwarded-proto"))
        if scheme and scheme.lower() != self.scheme:
            raise WrongHost(
                f"The proxy says that the request came over {scheme[:20]!r}, but public_url is {self.origin}. Let the "
                f"proxy send {self.scheme} only, or correct its X-Forwarded-Proto."
            )


def _first(values: str | None) -> str:
    return (values or "").partition(",")[0].strip()
