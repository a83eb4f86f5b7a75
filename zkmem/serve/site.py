"""The page: its files as they lie in the package, under a strict Content-Security-Policy."""

import gzip
import hashlib
import secrets
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from zkmem.serve.negotiation import accepts_gzip

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_BUILD = {"node_modules", "entries"}  # what makes the bundles is no part of the page
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class _File:
    body: bytes
    media_type: str

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.blake2b(self.body, digest_size=12).hexdigest()}"'

    @cached_property
    def packed(self) -> bytes:
        return gzip.compress(self.body, mtime=0)


def routes() -> list[BaseRoute]:
    """The page's routes, to be mounted last, at `/`."""
    page = dict(_walk(files("zkmem.serve") / "page"))
    start = page.pop("index.html")

    def answer(request: Request) -> Response:
        path = request.path_params["path"]
        if path in {"", "index.html"}:
            return _start(start)
        found = page.get(path)  # a table of what there is: no path of a request ever reaches the disk
        return _asset(request, found) if found else Response("Not found\n", 404, _SAFE, "text/plain")

    return [Route("/{path:path}", answer, methods=["GET"], name="page")]


def _walk(folder: Traversable, prefix: str = "") -> list[tuple[str, _File]]:
    """Each file that a browser may have, by its path."""
    found: list[tuple[str, _File]] = []
    for entry in folder.iterdir():
        media_type = _TYPES.get(entry.name[entry.name.rfind(".") :])
        if entry.is_dir() and entry.name not in _BUILD:
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif media_type and entry.is_file():
            found.append((prefix + entry.name, _File(entry.read_bytes(), media_type)))
    return found


def _start(file: _File) -> Response:
    """The HTML, with a nonce of its own; so it is never kept: an old nonce does not fit a new policy."""
    nonce = secrets.token_urlsafe(16)
    body = file.body.replace(b"{{nonce}}", nonce.encode())
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": _POLICY.format(nonce=nonce)}
    return Response(body, 200, _SAFE | headers, file.media_type)


def _asset(request: Request, file: _File) -> Response:
    """A file that may be kept, but is asked for each time: after an upgrade nothing is stale."""
    policy = _POLICY.replace(" 'nonce-{nonce}'", "")  # a worker takes the policy of its own script
    headers = _SAFE | {
        "Cache-Control": "no-cache",
        "ETag": file.etag,
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": policy,
    }
    known = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if file.etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(file.packed, 200, headers | {"Content-Encoding": "gzip"}, file.media_type)
    return Response(file.body, 200, headers, file.media_type)
