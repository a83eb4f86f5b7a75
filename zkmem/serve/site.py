"""Serve the files of the page from the package, with a strict Content-Security-Policy."""

import functools
import gzip
import hashlib
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
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
_BUNDLE = "bundle/"
_BELOW = re.compile(rb"\bb/[0-9a-f]{16}/")  # where the bundle is: the digest of its sources is in each address
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

    @functools.cached_property
    def body(self) -> bytes:
        return self.source.read_bytes()

    @functools.cached_property
    def etag(self) -> str:
        return f'"{hashlib.blake2b(self.body, digest_size=12).hexdigest()}"'

    @functools.cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.body, mtime=0)


class Credential(StrEnum):
    """What the page asks a person for."""

    TOKEN = "token"  # noqa: S105 - the kind
    PASSWORD = "password"  # noqa: S105 - the kind; with a name
    PASSKEY = "passkey"  # or a name and a password


def routes(passkeys: Passkeys | None = None, *, modules: bool = False) -> list[BaseRoute]:
    """Return the routes of the page. They match every path, so they must be the last ones.

    `passkeys`: those of the users who sign in; None if they have tokens. `modules`: whether the page runs as modules,
    each of which the browser asks for again at each visit, and not as a bundle, which it keeps.
    """
    page, bundle = _page_files()
    start = (page if modules else bundle)["index.html"]
    below = _BELOW.search(start.body)
    kept = {below[0].decode() + path: file for path, file in bundle.items() if path[-5:] != ".html"} if below else {}

    def answer(request: Request) -> Response:
        path = request.path_params["path"]
        if path in {"", "index.html"}:
            return _document(start, _POLICY, _credential(passkeys))
        if path == "diagram.html":
            return _document(page[path], _FRAME_POLICY)
        file = kept.get(path) or page.get(path)  # only from these tables: the path of a request never reaches the disk
        if not file:
            return Response("Not found\n", 404, _SAFE, "text/plain")
        return _asset(request, file, is_kept=path in kept)

    return [Route("/{path:path}", answer, methods=["GET"], name="page")]


def _credential(passkeys: Passkeys | None) -> Credential:
    """Return what the page asks for. Raise BadSettings when the users cannot be read."""
    if passkeys is None:
        return Credential.TOKEN
    return Credential.PASSKEY if passkeys.are_used() else Credential.PASSWORD


@functools.cache
def _page_files() -> tuple[dict[str, _File], dict[str, _File]]:
    """Return the files of the page by path, and those that the bundle has or loads. All vaults share them."""
    page = dict(_walk(files("zkmem.serve") / "page"))
    made = {path: page.pop(path) for path in list(page) if path.startswith(_BUNDLE)}
    return page, page | {path.removeprefix(_BUNDLE): file for path, file in made.items()}


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


def _asset(request: Request, file: _File, *, is_kept: bool) -> Response:
    """Return a file. If its path changes with it, browsers keep it; else they must ask each time, so none is stale."""
    policy = _POLICY.replace(" 'nonce-{nonce}'", "")  # a worker has the policy of its own script
    headers = _SAFE | {
        "Cache-Control": "public, max-age=31536000, immutable" if is_kept else "no-cache",
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
