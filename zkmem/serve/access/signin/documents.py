"""Fetch the document at a client's id (Client ID Metadata Document), from public addresses only.

A stranger chooses the address, so the fetch must not reach what only this machine can reach (SSRF): the name is
resolved once, every address must be public, the connection goes to an address that was checked, and no redirect is
followed. The draft is draft-ietf-oauth-client-id-metadata-document.
"""

import json
import socket
import ssl
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2

from zkmem.errors import BadArgument, TooMany
from zkmem.vault.journal.log import MALFORMED

_LONGEST_URL = 500
_MOST_BYTES = 5_000
_PATIENCE_S = 5.0
_FRESH_S, _FAULTY_S = 3_600.0, 60.0  # how long a document, or a failure, is remembered
_MOST_KEPT = 100
_MOST_AT_ONCE = 4
_NAT64, _SITE = 96, 0x64_FF9B

Address = IPv4Address | IPv6Address


class _Kept(NamedTuple):
    until: float
    document: dict[str, object]
    fault: str = ""


def is_document_url(client_id: str) -> bool:
    """Return whether a client's id is the address of a document and not a registered id."""
    return client_id.lower().startswith(("https:", "http:"))


def is_public(address: Address) -> bool:
    """Return whether an address is one of the internet; one that stands for another address inside of it is not."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or address.teredo
        if inner or address.is_site_local or int(address) >> _NAT64 == _SITE << 32:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class Documents:
    """Fetches the documents of clients, and remembers the last ones. Only the event loop uses this."""

    def __init__(self, allowed: Callable[[Address], bool] = is_public, tls: ssl.SSLContext | None = None) -> None:
        """`allowed` says to which addresses a request may go; `tls` checks certificates."""
        self._allowed = allowed
        self._tls = tls
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._slots = anyio.Semaphore(_MOST_AT_ONCE)

    async def fetch(self, url: str, count: Callable[[], None] = lambda: None) -> dict[str, object]:
        """Return the document at a client's id; `count` is called before a request is sent.

        Raises:
            BadArgument: when the id cannot be used, or the document cannot be fetched. Errors of `count` pass through.
        """
        host, port = _checked(url)
        kept = self._kept.get(url)
        if kept is None or kept.until < time.monotonic():
            count()
            if self._slots.statistics().tasks_waiting > _MOST_AT_ONCE:
                raise TooMany("Too many documents of clients are being fetched; try again in a moment.")
            async with self._slots:
                kept = await self._fetched(url, host, port)
            self._kept[url] = kept
            self._kept.move_to_end(url)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        if kept.fault:
            raise BadArgument(f"The client's document {url} cannot be used: {kept.fault}.")
        return kept.document

    async def _fetched(self, url: str, host: str, port: int) -> _Kept:
        fault = ""
        try:
            with anyio.fail_after(_PATIENCE_S):
                address = await self._address(host, port)
                document = json.loads(await self._body(url, host, address))
            if not isinstance(document, dict):
                raise TypeError("it is not a JSON object")
            if document.get("client_id") != url:
                raise ValueError("its client_id is not its address")
            return _Kept(time.monotonic() + _FRESH_S, document)
        except TimeoutError:
            fault = f"it did not arrive within {_PATIENCE_S:g} s"
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, *MALFORMED) as error:
            fault = str(error).rstrip(".") or type(error).__name__
        return _Kept(time.monotonic() + _FAULTY_S, {}, fault)

    async def _address(self, host: str, port: int) -> Address:
        """Return an address of a host. Raise ValueError if one of its addresses must not be reached."""
        rows = await anyio.to_thread.run_sync(_resolved, host, port, abandon_on_cancel=True)
        addresses = [ip_address(row[4][0]) for row in rows]
        if bad := [one for one in addresses if not self._allowed(one)]:
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
                raise ValueError(f"its server answers with {answer.status_code}")
            body = b""
            async for part in answer.aiter_raw():
                body += part
                if len(body) > _MOST_BYTES:
                    raise ValueError(f"it is larger than {_MOST_BYTES // 1_000} kB")
            return body


def _resolved(host: str, port: int) -> list[tuple[object, object, object, object, tuple[str, int]]]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)  # type: ignore[return-value]


def _checked(url: str) -> tuple[str, int]:
    """Return the host and the port in a client's id.

    Raises:
        BadArgument: when the id cannot be the address of a document.
    """
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
