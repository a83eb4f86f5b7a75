"""Fetch the document at a client's id (Client ID Metadata Document), from public addresses only.

A stranger chooses the address, so the fetch must not reach what only this machine can reach (SSRF): the name is
resolved once, every address must be public, the connection goes to an address that was checked, and no redirect is
followed. The draft is draft-ietf-oauth-client-id-metadata-document.
"""

import json
import logging
import socket
import ssl
import time
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2

from zkmem.errors import BadArgument
from zkmem.serve.access.signin.attempts import Quota
from zkmem.serve.networks import Recent, stranger_at
from zkmem.serve.turns import Turns
from zkmem.vault.journal.log import MALFORMED

_LONGEST_URL = 500
_MOST_BYTES = 5_000
_PATIENCE_S = 5.0
_FRESH_S, _FAULTY_S = 3_600.0, 60.0  # how long a document, or a failure, is remembered
_MOST_KEPT = 100
_MOST_AT_ONCE = 4
_MOST_WAITING = 4  # fetches for one network
_NAT64, _SITE = 96, 0x64_FF9B
_UNREACHED = f"no public server with this name has sent it within {_PATIENCE_S:g} s; the log of this server says why"

_log = logging.getLogger(__name__)

Address = IPv4Address | IPv6Address


class _Kept(NamedTuple):
    until: float
    document: dict[str, object]
    fault: str = ""


def is_document_url(client_id: str) -> bool:
    """Return whether a client's id is the address of a document and not a registered id."""
    return client_id.lower().startswith(("https:", "http:"))


def is_public(address: Address) -> bool:
    """Return whether an address is on the internet. An address that contains another one does not count."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or address.teredo
        if inner or address.is_site_local or int(address) >> _NAT64 == _SITE << 32:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class _Faulty(ValueError):
    """A public server has sent something other than the document."""


class ClientDocuments:
    """Fetches the documents of clients, and remembers the last ones. Only the event loop uses this."""

    def __init__(self, tls: ssl.SSLContext | None = None, *, only_public: bool = True) -> None:
        """`tls` checks certificates; `only_public`: whether requests go to public addresses only."""
        self._only_public = only_public
        self._tls = tls
        self._kept: Recent[str, _Kept] = Recent(_MOST_KEPT)
        self._turns = Turns(threads=_MOST_AT_ONCE, each=1, waiting=_MOST_WAITING)
        self.quota = Quota(120, "addresses of documents")  # of requests to other servers

    async def fetch(self, url: str, address: str = "") -> dict[str, object]:
        """Return the document at a client's id, for a sender at `address`.

        The widest networks of the senders take turns.
        """
        host, port = _checked(url)
        kept = self._kept.get(url)
        if kept is None or kept.until < time.monotonic():
            self.quota.take(address)
            async with self._turns.turn(stranger_at(address)):
                self._kept[url] = kept = await self._fetched(url, host, port)
        if kept.fault:
            raise BadArgument(f"The client's document {url} cannot be used: {kept.fault}.")
        return kept.document

    async def _fetched(self, url: str, host: str, port: int) -> _Kept:
        """Fetch a document. Only the log has the reason if no public server sent it: it may be about our network."""
        try:
            with anyio.fail_after(_PATIENCE_S):
                address = await self._address(host, port)
                document = _document(await self._body(url, host, address), url)
            return _Kept(time.monotonic() + _FRESH_S, document)
        except _Faulty as error:
            fault = str(error)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, *MALFORMED) as error:
            _log.warning("the client's document %s was not fetched: %r", url, error)
            fault = _UNREACHED
        return _Kept(time.monotonic() + _FAULTY_S, {}, fault)

    async def _address(self, host: str, port: int) -> Address:
        """Return an address of a host. Raise ValueError if one of its addresses must not be reached."""
        rows = await anyio.to_thread.run_sync(_resolved, host, port, abandon_on_cancel=True)
        addresses = [ip_address(row[4][0]) for row in rows]
        if bad := [one for one in addresses if self._only_public and not is_public(one)]:
            raise ValueError(f"{host} has the address {bad[0]}, which is not public")
        return addresses[0]

    async def _body(self, url: str, host: str, address: Address) -> bytes:
        """Return the bytes of a document, fetched from this address of its host."""
        pinned = httpx2.URL(url).copy_with(host=str(address))
        headers = {"Host": urlsplit(url).netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
        async with (
            httpx2.AsyncClient(
                verify=self._tls or ssl.create_default_context(),
                trust_env=False,
                follow_redirects=False,
                timeout=_PATIENCE_S,
            ) as client,
            client.stream("GET", pinned, headers=headers, extensions={"sni_hostname": host}) as answer,
        ):
            if answer.status_code != 200:
                raise _Faulty(f"its server answers with {answer.status_code}")
            body = b""
            async for part in answer.aiter_raw():
                body += part
                if len(body) > _MOST_BYTES:
                    raise _Faulty(f"it is larger than {_MOST_BYTES // 1_000} kB")
            return body


def _document(body: bytes, url: str) -> dict[str, object]:
    """Return the document in what the server at its address has sent. Raise _Faulty if it is none."""
    try:
        document = json.loads(body)
    except MALFORMED as error:
        raise _Faulty("it is not JSON") from error
    if not isinstance(document, dict):
        raise _Faulty("it is not a JSON object")
    if document.get("client_id") != url:
        raise _Faulty("its client_id is not its address")
    return document


def _resolved(host: str, port: int) -> list[tuple[object, object, object, object, tuple[str, int]]]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)  # type: ignore[return-value]


def _checked(url: str) -> tuple[str, int]:
    """Return the host and the port in a client's id."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError as error:
        raise BadArgument(f"The client's id {url[:200]!r} is not an address.") from error
    dots = any(part in {".", ".."} for part in parts.path.split("/"))
    if (
        len(url) > _LONGEST_URL
        or not (url.isascii() and url.isprintable())
        or " " in url
        or not url.startswith("https://")
        or not host
        or parts.path in {"", "/"}
        or dots
        or "#" in url
        or "@" in parts.netloc
    ):
        raise BadArgument(
            f"The client's id {url[:200]!r} cannot be used: it must be https://HOST/PATH, without a user, a fragment "
            f"or dots as a part of the path, and of at most {_LONGEST_URL} characters."
        )
    return host, port
