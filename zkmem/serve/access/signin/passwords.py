"""Hash and check passwords with scrypt: a check takes some 32 MB and a quarter of a second."""

import base64
import hashlib
import secrets
import unicodedata

from zkmem.errors import BadArgument

SHORTEST, _LONGEST = 12, 1_000  # characters
_LOG_N, _R, _P = 15, 8, 3  # of OWASP's list, with the least memory: a server at home may be small
_SALT, _HASH = 16, 32  # bytes


def hashed(password: str) -> str:
    """Return a text from which `matches` recognises the password, and nobody else can find it."""
    if not SHORTEST <= len(password) <= _LONGEST:
        raise BadArgument(f"A password has {SHORTEST} to {_LONGEST:,} characters; several words are a good one.")
    salt = secrets.token_bytes(_SALT)
    key = _scrypt(password, salt, _LOG_N, _R, _P)
    return "$".join(["scrypt", str(_LOG_N), str(_R), str(_P), _text(salt), _text(key)])


def matches(password: str, hashed_password: str | None) -> bool:
    """Return whether the password is the hashed one. With None, return False after as long a time."""
    password = password[: _LONGEST + 1]
    if hashed_password is None:
        _scrypt(password, b"\0" * _SALT, _LOG_N, _R, _P)
        return False
    _, log_n, r, p, salt, key = hashed_password.split("$")
    found = _scrypt(password, base64.b64decode(salt), int(log_n), int(r), int(p))
    return secrets.compare_digest(found, base64.b64decode(key))


def _scrypt(password: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    written = unicodedata.normalize("NFC", password).encode(errors="surrogatepass")  # keyboards differ in the form
    return hashlib.scrypt(written, salt=salt, n=1 << log_n, r=r, p=p, maxmem=256 << 20, dklen=_HASH)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
