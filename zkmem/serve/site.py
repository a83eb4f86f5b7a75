"""Serve the files of the page from the package, with a strict Content-Security-Policy."""

import gzip
import hashlib
import secrets
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from zkmem.serve.access.headers import accepts_gzip
from zkmem.serve.access.signin.passkeys import Passkeys

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_BUILD = {"node_modules", "entries"}  # only used to build the bundles
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' blob: data:; "
    "media-src blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-src 'self'; frame-ancestors 'none'"
)
_FRAME_POLICY = (  # of the frame that draws diagrams: it has no origin, loads nothing, and runs what the page sends it
    "sandbox allow-scripts; default-src 'none'; script-src 'nonce-{nonce}' blob:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class _File:
    """A file of the package. It is read when it is first asked for: some are large, and few visits need them."""

    source: Traversable
    media_type: str

    @cached_property
    def body(self) -> bytes:
        return self.source.read_bytes()

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.blake2b(self.body, digest_size=12).hexdigest()}"'

    @cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.body, mtime=0)


class Credential(StrEnum):
    """What the page asks a person for."""

    TOKEN = "token"  # noqa: S105 - the kind
    PASSWORD = "password"  # noqa: S105 - the kind; with a name
    PASSKEY = "passkey"  # or a name and a password


def routes(passkeys: Passkeys | None = None) -> list[BaseRoute]:
    """Return the routes of the page. They match every path, so they must be the last ones.

    `passkeys`: those of the users who sign in; None if they have tokens.
    """
    page = dict(_walk(files("zkmem.serve") / "page"))
    start, frame = page.pop("index.html"), page.pop("diagram.html")

    def answer(request: Request) -> Response:
        path = request.path_params["path"]
        if path in {"", "index.html"}:
            return _document(start, _POLICY, _credential(passkeys))
        if path == "diagram.html":
            return _document(frame, _FRAME_POLICY)
        file = page.get(path)  # only from this table: the path of a request never reaches the disk
        return _asset(request, file) if file else Response("Not found\n", 404, _SAFE, "text/plain")

    return [Route("/{path:path}", answer, methods=["GET"], name="page")]


def _credential(passkeys: Passkeys | None) -> Credential:
    """Return what the page asks for. Raise BadSettings when the users cannot be read."""
    if passkeys is None:
        return Credential.TOKEN
    return Credential.PASSKEY if passkeys.are_used() else Credential.PASSWORD


def _walk(folder: Traversable, prefix: str = "") -> list[tuple[str, _File]]:
    """Return each file that a browser may load, with its path."""
    page_files: list[tuple[str, _File]] = []
    for entry in folder.iterdir():
        media_type = _TYPES.get(entry.name[entry.name.rfind(".") :])
        if entry.is_dir() and entry.name not in _BUILD:
            page_files += _walk(entry, f"{prefix}{entry.name}/")
        elif media_type and entry.is_file():
            page_files.append((prefix + entry.name, _File(entry, media_type)))
    return page_files


def _document(file: _File, policy: str, sign_in: str = "") -> Response:
    """Return the HTML with the kind of its sign-in, and a new nonce in it and in its policy.

    Browsers must not cache it: an old nonce does not match a new policy.
    """
    nonce = secrets.token_urlsafe(16)
    body = file.body.replace(b"{{nonce}}", nonce.encode()).replace(b"{{sign-in}}", sign_in.encode())
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": policy.format(nonce=nonce)}
    return Response(body, 200, _SAFE | headers, file.media_type)


def _asset(request: Request, file: _File) -> Response:
    """Return a file that browsers may cache but must revalidate each time, so no file is stale after an upgrade."""
    policy = _POLICY.replace(" 'nonce-{nonce}'", "")  # a worker has the policy of its own script
    headers = _SAFE | {
        "Cache-Control": "no-cache",
        "ETag": file.etag,
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": policy,
    }
    etags = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if file.etag in etags or "*" in etags:
        return Response(status_code=304, headers=headers)
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(file.compressed, 200, headers | {"Content-Encoding": "gzip"}, file.media_type)
    return Response(file.body, 200, headers, file.media_type)
