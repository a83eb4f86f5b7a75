"""Keep the users, the clients and the sign-ins of this machine in one file of the user's configuration folder.

The file is `~/.config/zkmem/signin.json`; only its owner can read it. It never is in a vault, which may be somebody
else's. It holds no secret: passwords are hashed slowly, tokens and codes are random, so that their SHA-256 is enough,
and passkeys are public keys.
"""

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from zkmem import trust
from zkmem.errors import BadSettings, Unwritable
from zkmem.serve.networks import crowding
from zkmem.util.locks import Rank, lock
from zkmem.util.replacing import replace_file
from zkmem.vault.journal.log import MALFORMED

_FILE = "signin.json"
_PATIENCE_S = 10.0
_MOST_BYTES = 10_000_000
_DAY_S = 86_400.0
_UNUSED_S, _USED_S = _DAY_S, 90 * _DAY_S  # a client without a sign-in is remembered for so long
_MOST_UNUSED = 200  # clients that nobody has given access


class Right(NamedTuple):
    """What a user may do in a vault, at most."""

    folder: str = ""  # the user may use the notes below it; spelled as on disk; empty for all notes
    read_only: bool = False


class Passkey(NamedTuple):
    """A public key, whose private key a device of its user has. Both texts of bytes are in base64url."""

    id: str  # of the credential
    key: str  # in COSE
    uses: int  # as the device counts them; 0 if it does not
    name: str
    created: float  # seconds since 1970
    used: float = 0.0  # 0 for never


class User(NamedTuple):
    """A person who may sign in."""

    name: str
    password: str  # see `passwords.hashed`
    created: float  # seconds since 1970
    vaults: Mapping[str, Right]  # by the real path of the vault
    handle: str = ""  # random, in base64url: names the user to the devices with passkeys; empty before the first one
    passkeys: tuple[Passkey, ...] = ()  # the oldest first


class RegisteredClient(NamedTuple):
    """A program that asks for access, as it describes itself."""

    id: str
    name: str
    redirects: tuple[str, ...]
    created: float
    used: float = 0.0  # when a user has last given it access; 0 for never
    address: str = ""  # from which it has registered; empty once a user has given it access


class Code(NamedTuple):
    """The code that a client exchanges for its first tokens, once. It is kept afterwards, to notice a second use."""

    sha256: str
    expires: float
    challenge: str  # of PKCE, with S256
    redirect: str
    used: bool = False


class AccessToken(NamedTuple):
    """A token that is sent with each request."""

    sha256: str
    expires: float


class SignIn(NamedTuple):
    """The access that a user has given to a client."""

    name: str  # unique on this machine; it names the caller in the history and in `zkmem token list`
    user: str
    client: str  # the id of the client
    client_name: str
    vault: str
    created: float
    expires: float
    code: Code
    folder: str = ""
    read_only: bool = False
    access: tuple[AccessToken, ...] = ()  # the newest last
    root: str = ""  # the id of the sign-in to the page of another vault that this one was made from; they end together
    family: str = ""  # the hash of the part that all refresh tokens of this sign-in share
    refresh: str = ""  # the hash of the newest refresh token
    previous: str = ""  # the hash of the one before, as long as neither token that it was exchanged for was used
    used: float = 0.0  # when a request last had one of its access tokens, to the hour; 0 for never

    @property
    def id(self) -> str:
        """A text that no other sign-in has; a later one may have the name of this one."""
        return self.code.sha256

    @property
    def first(self) -> str:
        """The id of the sign-in that this one was made from; its own id if it was made from none."""
        return self.root or self.id

    def is_over(self, now: float) -> bool:
        """Return whether it has expired, or its client has not fetched its first tokens in time."""
        return self.expires <= now or (not self.code.used and self.code.expires <= now)


class StoredSignIns(NamedTuple):
    """The content of the file."""

    users: tuple[User, ...] = ()
    clients: tuple[RegisteredClient, ...] = ()
    signins: tuple[SignIn, ...] = ()

    def user(self, name: str, vault: str) -> User | None:
        """Return the user of a vault with this name; None if there is none."""
        return next((one for one in self.users if one.name == name and vault in one.vaults), None)

    def of_vault(self, vault: str) -> tuple[SignIn, ...]:
        """Return the sign-ins of a vault that are not over."""
        now = time.time()
        return tuple(one for one in self.signins if one.vault == vault and not one.is_over(now))


@dataclass(slots=True)
class StoreChange:
    """The content of the file while nobody else can change it."""

    state: StoredSignIns

    def put_user(self, before: User, after: User) -> User:
        """Replace a user; return the new one."""
        users = tuple(after if one is before else one for one in self.state.users)
        self.state = self.state._replace(users=users)
        return after

    def put(self, before: SignIn, after: SignIn) -> SignIn:
        """Replace a sign-in; return the new one."""
        signins = tuple(after if one is before else one for one in self.state.signins)
        self.state = self.state._replace(signins=signins)
        return after

    def end(self, signin: SignIn) -> None:
        """End a sign-in, and the sign-ins to other vaults that have the same first sign-in."""
        signins = tuple(one for one in self.state.signins if one.first != signin.first)
        self.state = self.state._replace(signins=signins)


class SignInStore:
    """The file. It is read again whenever it has changed. Thread-safe; several processes may use it."""

    def __init__(self) -> None:
        self.path = os.path.join(trust.folder(), _FILE)
        self._stamp: tuple[int, ...] | None = None
        self._last = StoredSignIns()
        self._lock = lock(Rank.LEAF)

    def load(self) -> StoredSignIns:
        """Return the content of the file."""
        with self._lock:
            try:
                info = os.lstat(self.path)
                stamp = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
                if stamp != self._stamp:
                    self._last, self._stamp = self._read(info), stamp
            except (FileNotFoundError, NotADirectoryError):
                return StoredSignIns()
            return self._last

    @contextmanager
    def changing(self) -> Iterator["StoreChange"]:
        """Lock the file during the block. Then write the new state without expired parts, but not after an error."""
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only a change needs it

        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=_PATIENCE_S, mode=0o600):
                change = StoreChange(before := self.load())
                yield change
                if (after := _pruned(change.state)) != before:
                    text = json.dumps(_as_json(after), indent=1, ensure_ascii=False)
                    replace_file(self.path, f"{text}\n".encode(errors="surrogatepass"), mode=0o600)
        except Timeout as error:
            raise Unwritable(f"{self.path} cannot be written: another process holds its lock.") from error
        except OSError as error:
            raise Unwritable(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def add_client(self, client: RegisteredClient) -> None:
        """Remember a client that has registered itself."""
        with self.changing() as change:
            change.state = change.state._replace(clients=(*change.state.clients, client))

    def _read(self, info: os.stat_result) -> StoredSignIns:
        """Return the content of the file."""
        if not stat.S_ISREG(info.st_mode) or info.st_mode & 0o077:
            raise BadSettings(
                f"{self.path} can be read or changed by others; make it yours alone: chmod 600 {self.path}"
            )
        try:
            with open(self.path, "rb") as file:
                data = file.read(_MOST_BYTES + 1)
            if len(data) > _MOST_BYTES:
                raise ValueError(f"it is larger than {_MOST_BYTES // 1_000_000} MB")
            return _of_json(json.loads(data))
        except FileNotFoundError:
            raise
        except (OSError, *MALFORMED) as error:
            raise BadSettings(
                f"{self.path} cannot be read: {error}. Remove it; then add the users again and sign in again."
            ) from error


def _pruned(state: StoredSignIns) -> StoredSignIns:
    """Return the state without the sign-ins that are over, and without clients that nobody uses."""
    now = time.time()
    signins = tuple(one for one in state.signins if not one.is_over(now))
    needed = {one.client for one in signins}
    clients = [
        one for one in state.clients if one.id in needed or one.used + _USED_S > now or one.created + _UNUSED_S > now
    ]
    unused = [one for one in clients if one.id not in needed and not one.used]
    while len(unused) > _MOST_UNUSED:  # keep the last: it has just registered. Without an address, each is a network
        clients.remove(unused.pop(crowding([one.address or one.id for one in unused[:-1]])))
    return state._replace(signins=signins, clients=tuple(clients))


def _as_json(state: StoredSignIns) -> dict[str, object]:
    users = [
        one._asdict()
        | {
            "vaults": {vault: right._asdict() for vault, right in one.vaults.items()},
            "passkeys": [passkey._asdict() for passkey in one.passkeys],
        }
        for one in state.users
    ]
    signins = [
        one._asdict() | {"code": one.code._asdict(), "access": [token._asdict() for token in one.access]}
        for one in state.signins
    ]
    return {"users": users, "clients": [one._asdict() for one in state.clients], "signins": signins}


def _of_json(values: Mapping[str, Any]) -> StoredSignIns:
    """Return the content that a JSON object describes."""
    return StoredSignIns(
        tuple(_user(one) for one in values["users"]),
        tuple(_checked(RegisteredClient(**one | {"redirects": tuple(one["redirects"])})) for one in values["clients"]),
        tuple(_signin(one) for one in values["signins"]),
    )


def _user(values: Mapping[str, Any]) -> User:
    vaults = {vault: _checked(Right(**right)) for vault, right in values["vaults"].items()}
    passkeys = tuple(_checked(Passkey(**one)) for one in values.get("passkeys", ()))
    return _checked(User(**{**values, "vaults": vaults, "passkeys": passkeys}))


def _signin(values: Mapping[str, Any]) -> SignIn:
    access = tuple(_checked(AccessToken(**one)) for one in values["access"])
    return _checked(SignIn(**{**values, "code": _checked(Code(**values["code"])), "access": access}))


_Record = TypeVar("_Record", Right, Passkey, User, RegisteredClient, Code, AccessToken, SignIn)


def _checked(record: _Record) -> _Record:
    """Return a record whose fields have the types that they are declared with."""
    for name, kind in type(record).__annotations__.items():
        value = getattr(record, name)
        allowed = {str: (str,), bool: (bool,), int: (int,), float: (float, int)}.get(kind)
        if allowed and type(value) not in allowed:
            raise ValueError(f"{name!r} is not of its type")
    return record
