"""The tokens of an OAuth 2.1 issuer: JWTs for this server, checked with the keys that the issuer publishes.

What is asked of them: RFC 9068 (JWT access tokens), RFC 8707 (`aud` is this server), RFC 8414 and OpenID Connect
Discovery (where the keys are).
"""

import json
import logging
import time
import urllib.request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import jwt

from zkmem.confined import Grant
from zkmem.serve.access.caller import Caller
from zkmem.util.locks import Rank, lock
from zkmem.vault.journal.log import MALFORMED

READ, WRITE = "zkmem:read", "zkmem:write"
SCOPES = [READ, WRITE]
FOLDER_CLAIM = "zkmem_folder"

_ALGORITHMS = [
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
]  # with keys apart
_PATIENCE_S = 5.0
_PAUSE_S = 10.0  # after an issuer did not answer
_LEEWAY_S = 30  # between its clock and ours
_LONGEST = 16_384  # characters of a token

_log = logging.getLogger(__name__)


class Issuer:
    """Checks the tokens of one issuer. Thread-safe."""

    def __init__(self, issuer: str, audience: str) -> None:
        """`audience`: the address of this server's MCP endpoint, which its tokens must be for. Nothing is asked yet."""
        self._issuer = issuer
        self._audience = audience
        self._keys: _Keys | None = None
        self._next_try = 0.0
        self._lock = lock(Rank.LEAF)

    def caller(self, secret: str) -> Caller | None:
        """Who a token is for; None if it is none of the issuer's, has expired, or is not for this server."""
        if len(secret) > _LONGEST or secret.count(".") != 2:
            return None
        try:
            claims = self._claims(secret)
        except (jwt.PyJWTError, *MALFORMED) as error:  # a stranger may send anything
            _log.info("a token was refused: %s", error)
            return None
        return _caller(claims) if claims else None

    def _claims(self, secret: str) -> dict[str, object] | None:
        keys = self._known_keys()
        if keys is None:
            return None
        return jwt.decode(
            secret,
            keys.get_signing_key_from_jwt(secret),
            algorithms=_ALGORITHMS,
            issuer=self._issuer,
            audience=self._audience,
            leeway=_LEEWAY_S,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )

    def _known_keys(self) -> "_Keys | None":
        """The issuer's keys; None while it does not say where they are."""
        with self._lock:
            if time.monotonic() < self._next_try:
                return None
            if self._keys is None:
                try:
                    self._keys = _Keys(_keys_address(self._issuer), timeout=_PATIENCE_S)
                except (OSError, *MALFORMED, jwt.PyJWTError) as error:
                    self._next_try = _rest(self._issuer, error)
            return self._keys


class _Keys(jwt.PyJWKClient):
    """The keys of an issuer. While it does not answer, those that it told count on, and it is asked for no other."""

    _next_try = 0.0

    def fetch_data(self) -> object:
        """The keys as the issuer tells them now."""
        if time.monotonic() < self._next_try:
            raise jwt.PyJWKClientConnectionError("the issuer did not answer a moment ago")
        try:
            return super().fetch_data()
        except (OSError, *MALFORMED, jwt.PyJWTError) as error:
            self._next_try = _rest(self.uri, error)
            raise


def _rest(address: str, error: Exception) -> float:
    """When to ask again where there was no answer: each caller would wait for it."""
    _log.warning("%s does not tell the issuer's keys: %s", address, error)
    return time.monotonic() + _PAUSE_S


def _keys_address(issuer: str) -> str:
    """Where the issuer's keys are, by its metadata.

    Raises:
        OSError: when it does not answer. MALFORMED: when it answers with something else.
    """
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    origin = f"{parts.scheme}://{parts.netloc}"
    last: Exception = URLError("no metadata")
    for address in (
        f"{origin}/.well-known/oauth-authorization-server{path}",
        f"{issuer.rstrip('/')}/.well-known/openid-configuration",
    ):
        try:
            with urllib.request.urlopen(address, timeout=_PATIENCE_S) as answer:  # noqa: S310 - a setting, http or https
                metadata = json.load(answer)
        except (OSError, *MALFORMED) as error:
            last = error
            if isinstance(error, HTTPError):
                error.close()  # it is an answer, with a connection
            continue
        if metadata.get("issuer") != issuer:
            raise ValueError(f"its metadata are of {metadata.get('issuer')!r}")
        return str(metadata["jwks_uri"])
    raise last


def _caller(claims: dict[str, object]) -> Caller | None:
    """Who the claims are about; None if they give no right to anything here."""
    given = claims.get("scope", claims.get("scp", ""))
    scopes = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
    if READ not in scopes and WRITE not in scopes:
        return None
    folder = ""
    if FOLDER_CLAIM in claims:  # one that names no folder must not open the whole vault
        folder = str(claims[FOLDER_CLAIM]).strip("/ ")
        if not isinstance(claims[FOLDER_CLAIM], str) or any(part[:1] in {"", "."} for part in folder.split("/")):
            return None
    grant = Grant(folder, WRITE not in scopes)
    if not claims["sub"]:  # "" would be nobody
        return None
    return Caller(str(claims["sub"]), grant, issuer=str(claims["iss"]))
