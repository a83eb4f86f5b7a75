"""The tokens of a vault: who may use it over HTTP, and how much of it. Only their hashes are kept.

They are in `.zkmem/tokens.json`, a file for its owner alone. A token is random (256 bits), so a plain SHA-256 of it
tells nothing about it and need not be slow.

A vault may be somebody else's, and the file with it. So its tokens count only while the fingerprint of its content is
one that the user has allowed; `zkmem token` allows what it writes itself.
"""

import hashlib
import json
import os
import secrets
import shlex
import stat
import time
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from zkmem.errors import BadArgument, BadSettings
from zkmem.names import composed, fold
from zkmem.util.locks import Rank, lock
from zkmem.util.spelling import told_apart
from zkmem.vault.files import create, is_one_file, read
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import FOLDER, State, unwritable

_NAME = "tokens.json"
FILE = f"{FOLDER}/{_NAME}"
DOUBT = (
    f"The tokens in {FILE} do not count: the file came with the vault, or was last written by another program or an "
    "older zkmem"
)
"""Why tokens do not count; `Tokens.remedy` says what to do."""

_PREFIX = "zkm_"  # so that scanners for leaked secrets can know one
_PATIENCE_S = 10.0
_MOST_BYTES = 10_000_000  # some 40,000 tokens
_LATEST = 253_402_214_400.0  # the last day of the year 9999; later times cannot be shown


class Token(NamedTuple):
    """What is known of a token."""

    name: str
    sha256: str
    created: float  # seconds since 1970
    folder: str = ""  # the token reaches the notes below it; spelled as on disk; empty for all notes
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
            MALFORMED: when it describes none.
        """
        token = cls(**values)  # type: ignore[arg-type]
        token = token._replace(created=float(token.created), toolsets=tuple(token.toolsets))
        texts = (token.name, token.sha256, token.folder, *token.toolsets)
        if type(token.read_only) is not bool or not all(type(one) is str for one in texts):
            raise ValueError("a value is of another type")
        if not token.sha256.isascii():  # secrets.compare_digest takes nothing else
            raise ValueError("a hash is none")
        expires = None if token.expires is None else min(max(0.0, float(token.expires)), _LATEST)
        return token._replace(expires=expires)


class Held(NamedTuple):
    """What a vault's file of tokens holds."""

    tokens: tuple[Token, ...] = ()  # expired ones too
    fingerprint: str = ""  # of the content; empty without a file
    is_allowed: bool = True  # by the user: else no token counts

    @property
    def guards(self) -> bool:
        """Whether every request needs a token: a file that does not count must not open a vault to everybody."""
        return bool(self.tokens) or not self.is_allowed


class Approval(Protocol):
    """Remembers, outside of the vault, which contents of the file the user has allowed, by their fingerprints."""

    def allows(self, fingerprint: str) -> bool:
        """Return whether the content is allowed now."""

    def allow(self, *fingerprints: str) -> None:
        """Allow these, and no others."""


class Tokens:
    """The tokens of one vault, read again whenever their file has changed. Thread-safe."""

    def __init__(self, state: State, approval: Approval) -> None:
        self._state = state
        self._approval = approval
        self._full = state.path(_NAME)
        self._mark: tuple[int, int, int] | None = None
        self._last: tuple[tuple[Token, ...], str] = ((), "")
        self._lock = lock(Rank.LEAF)

    def held(self) -> Held:
        """Return what the file holds, and whether it counts.

        Raises:
            BadSettings: when others can read or change the file, it is damaged, or the user's trust cannot be read.
        """
        held = self._held()
        while not held.is_allowed and (again := self._held()) != held:  # it was replaced before the trust was read
            held = again
        return held

    def find(self, secret: str) -> Token | None:
        """Return the token with this secret, unless it has expired or does not count."""
        held, wanted = self.held(), _hash(secret)
        hits = [one for one in held.tokens if held.is_allowed and secrets.compare_digest(one.sha256, wanted)]
        return hits[0] if hits and not hits[0].is_expired else None

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
            BadArgument: when the name is taken. BadSettings: see `held`; or when there are tokens that do not count,
            since the new file would. Unwritable: when the disk refuses.
        """
        secret = _PREFIX + secrets.token_urlsafe(32)
        token = Token(name, _hash(secret), time.time(), folder, read_only, toolsets, expires)
        with self._one_at_a_time():
            held = self.held()
            if held.tokens and not held.is_allowed:
                raise BadSettings(f"{DOUBT}. To go on, {self.remedy}. No token was made.")
            if any(one.name == name for one in held.tokens):
                raise BadArgument(f"There is a token {name!r} already; remove it first, or choose another name.")
            self._write((*held.tokens, token), held)
        return secret

    def remove(self, name: str) -> None:
        """Make a token worthless. Where the tokens do not count, the others still do not.

        Raises:
            BadArgument: when there is none of this name. BadSettings: see `held`. Unwritable: when the disk refuses.
        """
        with self._one_at_a_time():
            held = self.held()
            if all(one.name != name for one in held.tokens):
                names = ", ".join(told_apart(one.name for one in held.tokens)) or "none at all"
                raise BadArgument(f"There is no token {name!r}; there are: {names}.")
            self._write(tuple(one for one in held.tokens if one.name != name), held)

    @property
    def remedy(self) -> str:
        """What to do about tokens that do not count."""
        root = shlex.quote(os.path.dirname(self._state.folder))
        return f"see and allow them with `zkmem trust {root}`, or remove the file"

    @property
    def is_open_to_others(self) -> bool:
        """Whether the file is there, and others can read or change it."""
        try:
            mode = os.lstat(self._full).st_mode
        except OSError:
            return False
        return stat.S_ISREG(mode) and bool(mode & 0o077)

    def close_to_others(self) -> None:
        """Give the file to its owner alone. Whether the tokens in it count is another matter, which trust decides.

        Raises:
            OSError: when it is not ours, or a link by now.
        """
        handle = os.open(self._full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            os.fchmod(handle, 0o600)
        finally:
            os.close(handle)

    def _held(self) -> Held:
        with self._lock:
            try:
                info = os.lstat(self._full)
            except FileNotFoundError:
                return Held()
            mark = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns)
            if self._mark != mark:
                self._last = self._read(info)
                self._mark = mark
            tokens, fingerprint = self._last
        return Held(tokens, fingerprint, self._approval.allows(fingerprint))

    def _one_at_a_time(self) -> AbstractContextManager[None]:
        return VaultLock(self._state, _PATIENCE_S).hold()

    def _read(self, info: os.stat_result) -> tuple[tuple[Token, ...], str]:
        """Return the tokens in the file, and its fingerprint."""
        if not stat.S_ISREG(info.st_mode) or info.st_mode & 0o077:
            raise BadSettings(f"{FILE} can be read or changed by others; make it yours alone: chmod 600 {self._full}")
        try:
            if info.st_size > _MOST_BYTES:
                raise ValueError(f"it is larger than {_MOST_BYTES // 1_000_000} MB")
            data = read(self._full, _MOST_BYTES)[0]
            return tuple(Token.of(one) for one in json.loads(data)["tokens"]), _fingerprint(data)
        except (OSError, *MALFORMED) as error:
            why = str(error).encode("unicode_escape").decode()[:200]  # it may quote the file, which may be a stranger's
            raise BadSettings(
                f"{FILE} cannot be read ({why}); remove it, and make new tokens with zkmem token add."
            ) from error

    def _write(self, tokens: tuple[Token, ...], before: Held) -> None:
        """Replace the file, and allow the new content unless tokens that did not count are in it.

        The new content is allowed before it is in place, and the old one until then: a server may read either.
        """
        text = json.dumps({"tokens": [one._asdict() for one in tokens]}, ensure_ascii=False, indent=1)
        data = text.encode() + b"\n"
        allows = before.is_allowed or not before.tokens or not tokens
        if allows:
            old = (before.fingerprint,) if before.is_allowed and before.fingerprint else ()
            self._approval.allow(*old, _fingerprint(data))
        temp = f"{self._full}.{os.getpid()}"
        try:
            create(temp, data, durable=True, mode=0o600)
            os.replace(temp, self._full)
        except OSError as error:
            raise unwritable(error) from error
        if allows:
            self._approval.allow(_fingerprint(data))
        if not tokens:  # as before the first token: nothing is left that the user would have to know of
            self._forget()

    def _forget(self) -> None:
        """Remove the file, which holds no tokens, and what was allowed of it."""
        try:
            os.unlink(self._full)
        except OSError as error:
            raise unwritable(error) from error
        self._approval.allow()


def _fingerprint(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def folder_on_disk(root: str, path: str) -> str:
    """Return how a folder of the vault at `root` is spelled on disk, which is how a token names it.

    A folder that does not exist yet is spelled in NFC, as zkmem would make it.

    Raises:
        BadArgument: when there is only a folder in another case, or two that differ in Unicode form.
    """
    found = ""
    for part in path.split("/"):
        found = os.path.join(found, _spelled(root, found, part))
    return found


def _spelled(root: str, folder: str, name: str) -> str:
    """Return how the folder that a user calls `name` is spelled inside `folder`."""
    above = os.path.join(root, folder)
    alike = [one for one in _folders_in(above) if fold(one) == fold(name)]
    same = [
        one
        for one in alike
        if composed(one) == composed(name) or is_one_file(os.path.join(above, one), os.path.join(above, name))
    ]
    if len(same) > 1:
        raise BadArgument(
            f"There are two folders {name!r}, which differ only in Unicode form ({' and '.join(map(ascii, same))}); "
            "rename one of them first."
        )
    if alike and not same:
        raise BadArgument(
            f"There is no folder {os.path.join(folder, name)!r}, but {os.path.join(folder, alike[0])!r}: a token "
            "reaches only the folder that it names, so spell it like that."
        )
    return same[0] if same else composed(name)


def _folders_in(full: str) -> list[str]:
    """Return the names of the folders in a folder; none if it does not exist."""
    try:
        with os.scandir(full) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
