"""Add, change, list and remove the users of a vault, and check their passwords."""

import base64
import hashlib
import secrets
import time
import unicodedata
from typing import NamedTuple

from zkmem.errors import BadArgument, Unauthorized
from zkmem.serve.access.signin.store import Passkey, Right, SignIn, SignInStore, StoredSignIns, User
from zkmem.util.spelling import number_of, told_apart

_MOST = 100
_LONGEST_NAME = 40
SHORTEST, _LONGEST = 12, 1_000  # characters of a password
_LOG_N, _R, _P = 15, 8, 3  # of scrypt; from OWASP's list, with the least memory: a server at home may be small
_SALT, _HASH = 16, 32  # bytes


class Ended(NamedTuple):
    """What has ended with a change of a user."""

    signins: list[SignIn]
    passkeys: tuple[Passkey, ...]


class Users:
    """The users of one vault. A user of several vaults has one password."""

    def __init__(self, store: SignInStore, vault: str) -> None:
        """Remember the real path of the vault; read nothing yet."""
        self._store = store
        self._vault = vault

    def all(self) -> list[User]:
        """Return the users of the vault, in alphabetical order. Raise BadSettings when the file cannot be read."""
        return sorted(one for one in self._store.load().users if self._vault in one.vaults)

    def has_password(self, name: str) -> bool:
        """Return whether a user has this name, in any vault."""
        return any(one.name == name for one in self._store.load().users)

    def has(self, name: str) -> bool:
        """Return whether the vault has a user with this name. Raise BadSettings when the file cannot be read."""
        return self._store.load().user(name, self._vault) is not None

    def right_of(self, name: str) -> Right:
        """Return what a user of the vault may do, at most."""
        user = self._store.load().user(name, self._vault)
        if user is None:
            raise Unauthorized("The user has been removed.")
        return user.vaults[self._vault]

    def add(self, name: str, password: str | None, right: Right) -> None:
        """Add a user to the vault. `password`: None for a user of another vault, who keeps the password from there."""
        _check_name(name)
        secret = None if password is None else hashed(password)
        with self._store.changing() as change:
            state = change.state
            if state.user(name, self._vault):
                raise BadArgument(f"There is a user {name!r} already. To set a new password: zkmem user password NAME")
            existing = next((one for one in state.users if one.name == name), None)
            if existing is None and secret is None:
                raise BadArgument(f"There is no user {name!r} yet; give a password.")
            if len(state.users) >= _MOST and existing is None:
                raise BadArgument(f"There are {_MOST} users, the most there can be; remove one first.")
            user = existing or User(name, secret or "", time.time(), {})
            others = tuple(one for one in state.users if one.name != name)
            change.state = state._replace(users=(*others, user._replace(vaults={**user.vaults, self._vault: right})))

    def set_password(self, name: str, password: str) -> Ended:
        """Give a user a new password, remove this user's passkeys and end the sign-ins. Return these, of all vaults."""
        secret = hashed(password)
        with self._store.changing() as change:
            state = change.state
            self._check_known(state, name)
            passkeys = next(one.passkeys for one in state.users if one.name == name)
            users = tuple(
                one._replace(password=secret, passkeys=()) if one.name == name else one for one in state.users
            )
            ended = [one for one in state.signins if one.user == name]
            remaining = tuple(one for one in state.signins if one not in ended)
            change.state = state._replace(users=users, signins=remaining)
        return Ended(ended, passkeys)

    def remove(self, name: str) -> Ended:
        """Remove a user from the vault, and end this user's sign-ins there. Return those.

        With the last vault, the password and the passkeys go, too.
        """
        with self._store.changing() as change:
            state = change.state
            self._check_known(state, name)
            users: list[User] = []
            passkeys: tuple[Passkey, ...] = ()
            for user in state.users:
                vaults = {
                    vault: right for vault, right in user.vaults.items() if user.name != name or vault != self._vault
                }
                if vaults:
                    users.append(user._replace(vaults=vaults))
                else:
                    passkeys = user.passkeys
            ended = [one for one in state.signins if (one.user, one.vault) == (name, self._vault)]
            remaining = tuple(one for one in state.signins if one not in ended)
            change.state = state._replace(users=tuple(users), signins=remaining)
        return Ended(ended, passkeys)

    def knows(self, name: str, password: str) -> bool:
        """Return whether the vault has a user with this name and password. It takes as long for an unknown name."""
        user = self._store.load().user(name, self._vault)
        return matches(password, user.password if user else None)

    def _check_known(self, state: StoredSignIns, name: str) -> None:
        if not state.user(name, self._vault):
            names = ", ".join(told_apart(sorted(one.name for one in state.users if self._vault in one.vaults)))
            those = f"The users of this vault are: {names}." if names else "The vault has no users."
            raise BadArgument(f"There is no user {name!r}. {those}")


def ended(number: int) -> str:
    """Return a sentence about the sign-ins that have ended; "" for none."""
    return f"{number_of(number, 'sign-in')} ended; the clients must sign in again." if number else ""


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME or "@" in name or name != name.strip():
        raise BadArgument(
            f"A user needs a name of 1 to {_LONGEST_NAME} printable characters, without @ and without blanks at the "
            "ends: the history shows it with each edit."
        )


def hashed(password: str) -> str:
    """Return a text by which `matches` recognises the password, but from which nobody can compute the password."""
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
    computed = _scrypt(password, base64.b64decode(salt), int(log_n), int(r), int(p))
    return secrets.compare_digest(computed, base64.b64decode(key))


def _scrypt(password: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    written = unicodedata.normalize("NFC", password).encode(errors="surrogatepass")  # keyboards differ in the form
    return hashlib.scrypt(written, salt=salt, n=1 << log_n, r=r, p=p, maxmem=256 << 20, dklen=_HASH)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
