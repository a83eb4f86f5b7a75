"""Check the tokens of an OAuth 2.1 issuer: JWTs for this server, signed with the keys that the issuer publishes.

The rules are in RFC 9068 (JWT access tokens) and RFC 8707 (`aud` is this server). RFC 8414 and OpenID Connect Discovery
say where the keys are.
"""

import json
import logging
import time
import urllib.request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import jwt

from zkmem.caller import Grant
from zkmem.serve.access.tokens import Identity
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
]  # all with a public key, so nobody but the issuer can sign
_PATIENCE_S = 5.0
_PAUSE_S = 10.0  # without a request to an issuer that did not answer
_LEEWAY_S = 30  # the issuer's clock may differ from ours
_LONGEST = 16_384  # characters of a token

_log = logging.getLogger(__name__)


class Issuer:
    """Checks the tokens of one issuer. Thread-safe."""

    def __init__(self, issuer: str, audience: str) -> None:
        """Send no request yet. `audience` is the address of this server's MCP endpoint, which tokens must name."""
        self._issuer = issuer
        self._audience = audience
        self._keys: _Keys | None = None
        self._next_try = 0.0
        self._lock = lock(Rank.LEAF)

    def may_wait(self, secret: str) -> bool:
        """Return whether a token looks like one of an issuer: its keys may have to be fetched."""
        return _may_be_token(secret)

    def caller(self, secret: str) -> Identity | None:
        """Return the caller of a token; None if it is not from this issuer, not for this server, or has expired."""
        if not _may_be_token(secret):
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
        """Return the issuer's keys; None while its metadata cannot be read."""
        with self._lock:
            if time.monotonic() < self._next_try:
                return None
            if self._keys is None:
                try:
                    self._keys = _Keys(_keys_address(self._issuer), timeout=_PATIENCE_S)
                except (OSError, *MALFORMED, jwt.PyJWTError) as error:
                    self._next_try = _pause(self._issuer, error)
            return self._keys


class _Keys(jwt.PyJWKClient):
    """The keys of an issuer. While it does not answer, its last keys stay valid, and it gets no further request."""

    _next_try = 0.0

    def fetch_data(self) -> object:
        """Request the keys from the issuer. PyJWT's errors pass through."""
        if time.monotonic() < self._next_try:
            raise jwt.PyJWKClientConnectionError("the issuer did not answer a moment ago")
        try:
            return super().fetch_data()
        except (OSError, *MALFORMED, jwt.PyJWTError) as error:
            self._next_try = _pause(self.uri, error)
            raise


def _may_be_token(secret: str) -> bool:
    return len(secret) <= _LONGEST and secret.count(".") == 2


def _pause(address: str, error: Exception) -> float:
    """Return the time of the next try, so that not every caller waits for an issuer that does not answer."""
    _log.warning("the issuer's keys cannot be read from %s: %s", address, error)
    return time.monotonic() + _PAUSE_S


def _keys_address(issuer: str) -> str:
    """Return the address of the issuer's keys, from its metadata."""
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
                error.close()  # it holds a connection
            continue
        if metadata.get("issuer") != issuer:
            raise ValueError(f"its metadata name the issuer {metadata.get('issuer')!r}")
        return str(metadata["jwks_uri"])
    raise last


def _caller(claims: dict[str, object]) -> Identity | None:
    """Return the caller that the claims describe; None if they give no rights here."""
    scope_claim = claims.get("scope", claims.get("scp", ""))
    if isinstance(scope_claim, str):
        scope_claim = scope_claim.split()
    scopes = scope_claim if isinstance(scope_claim, list) else []
    if READ not in scopes and WRITE not in scopes:
        return None
    folder = ""
    if FOLDER_CLAIM in claims:  # a malformed folder must not open the whole vault
        folder = str(claims[FOLDER_CLAIM]).strip("/ ")
        if not isinstance(claims[FOLDER_CLAIM], str) or any(part[:1] in {"", "."} for part in folder.split("/")):
            return None
    grant = Grant(folder, WRITE not in scopes)
    if not claims["sub"]:  # an empty name stands for a caller without a token
        return None
    return Identity(str(claims["sub"]), grant, issuer=str(claims["iss"]))
