"""The tokens of a vault: who may use it over HTTP, and how much of it. Only their hashes are kept.

They are in `.zkmem/tokens.json`, a file for its owner alone. A token is random (256 bits), so a plain SHA-256 of it
tells nothing about it and need not be slow.
"""

import hashlib
import json
import os
import secrets
import stat
import threading
import time
from contextlib import AbstractContextManager
from typing import NamedTuple

from zkmem.errors import BadArgument, BadSettings
from zkmem.vault.files import create
from zkmem.vault.lock import VaultLock
from zkmem.vault.log import NONSENSE
from zkmem.vault.state import FOLDER, State, unwritable

_FILE = "tokens.json"
_PREFIX = "zkm_"  # so that scanners for leaked secrets can know one
_PATIENCE_S = 10.0

Known = tuple[tuple[int, int, int] | None, tuple["Token", ...]]


class Token(NamedTuple):
    """What is known of a token."""

    name: str
    sha256: str
    created: float  # seconds since 1970
    folder: str = ""  # it reaches the notes below; all, if empty
    read_only: bool = False
    toolsets: tuple[str, ...] = ()  # those of the server, if empty
    expires: float | None = None  # seconds since 1970

    @property
    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and self.expires <= time.time()

    @classmethod
    def of(cls, values: dict[str, object]) -> "Token":
        """The token that a JSON object describes.

        Raises:
            NONSENSE: when it describes none.
        """
        token = cls(**values)  # type: ignore[arg-type]
        token = token._replace(created=float(token.created), toolsets=tuple(token.toolsets))
        texts = (token.name, token.sha256, token.folder, *token.toolsets)
        if type(token.read_only) is not bool or not all(type(one) is str for one in texts):
            raise ValueError("a value is of another type")
        return token._replace(expires=None if token.expires is None else float(token.expires))


class Tokens:
    """The tokens of one vault, read anew whenever their file has changed. Thread-safe."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._full = state.path(_FILE)
        self._known: Known = (None, ())
        self._lock = threading.Lock()

    def all(self) -> tuple[Token, ...]:
        """The tokens that there are, expired ones too.

        Raises:
            BadSettings: when others can read or change their file, or it is damaged.
        """
        with self._lock:
            try:
                info = os.lstat(self._full)
            except FileNotFoundError:
                self._known = (None, ())
                return ()
            mark = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns)
            if self._known[0] != mark:
                self._known = mark, self._read(info)
            return self._known[1]

    def find(self, secret: str) -> Token | None:
        """The token that this is, unless it has expired."""
        wanted = _hash(secret)
        found = [one for one in self.all() if secrets.compare_digest(one.sha256, wanted)]
        return found[0] if found and not found[0].is_expired else None

    def add(
        self,
        name: str,
        *,
        folder: str = "",
        read_only: bool = False,
        toolsets: tuple[str, ...] = (),
        expires: float | None = None,
    ) -> str:
        """Make a token and return it: it cannot be had again.

        Raises:
            BadArgument: when the name is taken. BadSettings: see `all`. Unwritable: when the disk refuses.
        """
        secret = _PREFIX + secrets.token_urlsafe(32)
        token = Token(name, _hash(secret), time.time(), folder, read_only, toolsets, expires)
        with self._one_at_a_time():
            there = self.all()
            if any(one.name == name for one in there):
                raise BadArgument(f"There is a token {name!r} already; remove it first, or choose another name.")
            self._write((*there, token))
        return secret

    def remove(self, name: str) -> None:
        """Make a token worthless.

        Raises:
            BadArgument: when there is none of this name. BadSettings: see `all`. Unwritable: when the disk refuses.
        """
        with self._one_at_a_time():
            there = self.all()
            if all(one.name != name for one in there):
                names = ", ".join(one.name for one in there) or "none at all"
                raise BadArgument(f"There is no token {name!r}; there are: {names}.")
            self._write(tuple(one for one in there if one.name != name))

    def _one_at_a_time(self) -> AbstractContextManager[None]:
        return VaultLock(self._state, _PATIENCE_S).hold()

    def _read(self, info: os.stat_result) -> tuple[Token, ...]:
        where = f"{FOLDER}/{_FILE}"
        if not stat.S_ISREG(info.st_mode) or info.st_mode & 0o077:
            raise BadSettings(f"{where} can be read or changed by others; make it yours alone: chmod 600 {self._full}")
        try:
            with open(self._full, encoding="utf-8") as file:
                return tuple(Token.of(one) for one in json.load(file)["tokens"])
        except (OSError, UnicodeDecodeError, *NONSENSE) as error:
            raise BadSettings(
                f"{where} cannot be read ({error}); remove it, and make new tokens with zkmem token add."
            ) from error

    def _write(self, tokens: tuple[Token, ...]) -> None:
        data = json.dumps({"tokens": [one._asdict() for one in tokens]}, ensure_ascii=False, indent=1).encode()
        temp = f"{self._full}.{os.getpid()}"
        try:
            create(temp, data + b"\n", durable=True, mode=0o600)
            os.replace(temp, self._full)
        except OSError as error:
            raise unwritable(error) from error


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
