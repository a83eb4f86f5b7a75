"""Keep the tokens of a vault: who may use it over HTTP, and with which rights. Identify the caller of a request.

The file is `.zkmem/tokens.json`; only its owner can read it. It has only hashes. A token is random (256 bits), so
nobody can find it from its SHA-256, and a slow hash is not needed.

A vault may be somebody else's, and so may the file. Its tokens are valid only while the user has allowed the
fingerprint of its content. `zkmem token` allows the content that it writes.
"""

import hashlib
import json
import os
import secrets
import shlex
import stat
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from zkmem.caller import Grant, proposer
from zkmem.errors import BadArgument, BadSettings, Unauthorized
from zkmem.names import composed, fold
from zkmem.util.locks import Rank, lock
from zkmem.util.replacing import replace_file
from zkmem.util.spelling import told_apart
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import FOLDER, StateFolder, unwritable

_NAME = "tokens.json"
FILE = f"{FOLDER}/{_NAME}"
DOUBT = (
    f"The tokens in {FILE} are not valid: the file came with the vault, or was last written by another program or an "
    "older zkmem"
)
"""Why tokens are not valid; `Tokens.remedy` says what to do."""

_PREFIX = "zkm_"  # so that scanners for leaked secrets can recognise a token
_PATIENCE_S = 10.0
_MOST_BYTES = 10_000_000  # some 40,000 tokens
_LATEST = 253_402_214_400.0  # the last day of the year 9999; later times cannot be shown


class Token(NamedTuple):
    """A token as the file describes it, without its secret."""

    name: str
    sha256: str
    created: float  # seconds since 1970
    folder: str = ""  # the token gives access to the notes below it; spelled as on disk; empty for all notes
    read_only: bool = False
    toolsets: tuple[str, ...] = ()  # empty for the toolsets of the server
    expires: float | None = None  # seconds since 1970
    propose: bool = False  # edits are proposed, and not made

    @property
    def is_expired(self) -> bool:
        """Return whether the token has expired."""
        return self.expires is not None and self.expires <= time.time()

    @classmethod
    def of(cls, values: dict[str, object]) -> "Token":
        """Return the token that a JSON object describes."""
        token = cls(**values)  # type: ignore[arg-type]
        token = token._replace(created=float(token.created), toolsets=tuple(token.toolsets))
        texts = (token.name, token.sha256, token.folder, *token.toolsets)
        if {type(token.read_only), type(token.propose)} != {bool} or not all(type(one) is str for one in texts):
            raise ValueError("a value has the wrong type")
        if not token.sha256.isascii():  # secrets.compare_digest accepts nothing else
            raise ValueError("a hash is not ASCII")
        expires = None if token.expires is None else min(max(0.0, float(token.expires)), _LATEST)
        return token._replace(expires=expires)


class TokenFile(NamedTuple):
    """The content of a vault's file of tokens."""

    tokens: tuple[Token, ...] = ()  # expired ones too
    fingerprint: str = ""  # of the content; empty without a file
    is_allowed: bool = True  # by the user; otherwise no token is valid

    @property
    def guards(self) -> bool:
        """Return whether requests need a token. A file that is not allowed must not open the vault to everybody."""
        return bool(self.tokens) or not self.is_allowed


class Approval(Protocol):
    """Remembers outside the vault which contents of the file the user has allowed, by their fingerprints."""

    def allows(self, fingerprint: str) -> bool:
        """Return whether the content with this fingerprint is allowed now."""

    def allow(self, *fingerprints: str) -> None:
        """Allow these contents and no others."""


class Tokens:
    """The tokens of one vault. They are read again whenever the file has changed. Thread-safe."""

    def __init__(self, state: StateFolder, approval: Approval) -> None:
        self._state = state
        self._approval = approval
        self._full = state.path(_NAME)
        self._stamp: tuple[int, int, int] | None = None
        self._last: tuple[tuple[Token, ...], str] = ((), "")
        self._lock = lock(Rank.LEAF)

    def load(self) -> TokenFile:
        """Return the content of the file, and whether it is allowed."""
        file = self._load()
        while not file.is_allowed and (again := self._load()) != file:  # it was replaced before the trust was read
            file = again
        return file

    def find(self, secret: str) -> Token | None:
        """Return the token with this secret; None if there is none, or it has expired or is not valid."""
        file, sha256 = self.load(), hash_of(secret)
        hits = [one for one in file.tokens if file.is_allowed and secrets.compare_digest(one.sha256, sha256)]
        return hits[0] if hits and not hits[0].is_expired else None

    def add(
        self,
        name: str,
        *,
        folder: str = "",
        read_only: bool = False,
        toolsets: tuple[str, ...] = (),
        expires: float | None = None,
        propose: bool = False,
    ) -> str:
        """Make a token and return its secret, which is stored nowhere."""
        secret = _PREFIX + secrets.token_urlsafe(32)
        token = Token(name, hash_of(secret), time.time(), folder, read_only, toolsets, expires, propose)
        with self._one_at_a_time():
            file = self.load()
            if file.tokens and not file.is_allowed:
                raise BadSettings(f"{DOUBT}. To go on, {self.remedy}. No token was made.")
            if any(one.name == name for one in file.tokens):
                raise BadArgument(f"There is a token {name!r} already; remove it first, or choose another name.")
            self._write((*file.tokens, token), file)
        return secret

    def remove(self, name: str) -> None:
        """Remove a token from the file. If the other tokens were not allowed, they are not allowed afterwards."""
        with self._one_at_a_time():
            file = self.load()
            if all(one.name != name for one in file.tokens):
                names = ", ".join(told_apart(one.name for one in file.tokens))
                those = f"The tokens are: {names}." if names else "No tokens exist."
                raise BadArgument(f"There is no token {name!r}. {those}")
            self._write(tuple(one for one in file.tokens if one.name != name), file)

    @property
    def remedy(self) -> str:
        """Return what a user can do about tokens that are not valid, as part of a sentence."""
        root = shlex.quote(os.path.dirname(self._state.folder))
        return f"see and allow them with `zkmem trust {root}`, or remove the file"

    @property
    def is_open_to_others(self) -> bool:
        """Return whether the file exists, and others can read or change it."""
        try:
            mode = os.lstat(self._full).st_mode
        except OSError:
            return False
        return platform.current.has_modes and stat.S_ISREG(mode) and bool(mode & 0o077)

    def close_to_others(self) -> None:
        """Let only the owner read and change the file. This does not make its tokens valid; only trust does."""
        handle = platform.current.opened(self._full, os.O_RDONLY | platform.current.wait_free)
        try:
            platform.current.set_mode(handle, 0o600)
        finally:
            os.close(handle)

    def _load(self) -> TokenFile:
        with self._lock:
            try:
                info = os.lstat(self._full)
                stamp = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns)
                if self._stamp != stamp:
                    self._last = self._read(info)
                    self._stamp = stamp
            except FileNotFoundError:  # the last token was removed, perhaps just now
                return TokenFile()
            tokens, fingerprint = self._last
        return TokenFile(tokens, fingerprint, self._approval.allows(fingerprint))

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
        except FileNotFoundError:
            raise
        except (OSError, *MALFORMED) as error:
            why = str(error).encode("unicode_escape").decode()[:200]  # it may quote a stranger's file
            raise BadSettings(
                f"{FILE} cannot be read ({why}); remove it, and make new tokens with zkmem token add."
            ) from error

    def _write(self, tokens: tuple[Token, ...], before: TokenFile) -> None:
        """Replace the file, and allow the new content unless it has tokens that were not allowed.

        The new content is allowed before it is in place, and the old one until then: a server may read either.
        """
        text = json.dumps({"tokens": [one._asdict() for one in tokens]}, ensure_ascii=False, indent=1)
        data = text.encode() + b"\n"
        allows = before.is_allowed or not before.tokens or not tokens
        if allows:
            old = (before.fingerprint,) if before.is_allowed and before.fingerprint else ()
            self._approval.allow(*old, _fingerprint(data))
        try:
            replace_file(self._full, data, mode=0o600, opener=platform.current.opened)
        except OSError as error:
            raise unwritable(error) from error
        if allows:
            self._approval.allow(_fingerprint(data))
        if not tokens:  # as before the first token: no file, and no permission
            self._forget()

    def _forget(self) -> None:
        """Remove the file, which has no tokens, and the permission for it."""
        try:
            os.unlink(self._full)
        except OSError as error:
            raise unwritable(error) from error
        self._approval.allow()


def _fingerprint(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def described(folder: str, *, read_only: bool, propose: bool = False, toolsets: Sequence[str] = ()) -> str:
    """Describe what a caller may do."""
    parts = [
        "reads" if read_only else "reads and proposes edits in" if propose else "reads and writes",
        f"below {folder}/" if folder else "the whole vault",
        *([f"with {', '.join(toolsets)}"] if toolsets else []),
    ]
    return " ".join(parts)


def folder_of_right(root: str, folder: str) -> str:
    """Return the path of a folder that somebody is to have access to, spelled as on disk; "" for the whole vault."""
    path = folder.strip("/")
    if folder and any(part[:1] in {"", "."} for part in path.split("/")):
        raise BadArgument(f"There is no access to {folder!r}; give the path of a folder from the root of the vault.")
    return folder_on_disk(root, path) if path else ""


def folder_on_disk(root: str, path: str) -> str:
    """Return the path of a folder in the vault at `root`, spelled as on disk; a token names it in this spelling.

    A folder that does not exist yet is spelled in NFC, as zkmem would make it.
    """
    folder = ""
    for part in path.split("/"):
        folder = os.path.join(folder, _spelled(root, folder, part))
    return folder


def _spelled(root: str, folder: str, name: str) -> str:
    """Return the name on disk of the folder in `folder` that a user calls `name`."""
    above = os.path.join(root, folder)
    alike = [one for one in _folders_in(above) if fold(one) == fold(name)]
    same = [
        one
        for one in alike
        if composed(one) == composed(name)
        or platform.current.is_one_file(os.path.join(above, one), os.path.join(above, name))
    ]
    if len(same) > 1:
        raise BadArgument(
            f"There are two folders {name!r}, which differ only in Unicode form ({' and '.join(map(ascii, same))}); "
            "rename one of them first."
        )
    if alike and not same:
        raise BadArgument(
            f"There is no folder {os.path.join(folder, name)!r}, but {os.path.join(folder, alike[0])!r}: a token "
            "gives access only to the folder with exactly its name, so spell it like that."
        )
    return same[0] if same else composed(name)


def _folders_in(full: str) -> list[str]:
    """Return the names of the folders in a folder; none if it does not exist."""
    try:
        with os.scandir(full) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def hash_of(secret: str) -> str:
    """Return the hash under which a random secret is stored."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


class Identity(NamedTuple):
    """The sender of a request, as its token shows, and what the token allows."""

    name: str = ""  # the token's name, or the subject of an issuer's token; empty if the server needs no tokens
    grant: Grant = Grant()
    toolsets: tuple[str, ...] = ()  # empty for the toolsets of the server
    issuer: str = ""  # of the token; empty for a token of the vault
    id: str = ""  # of the token or sign-in: a later one may have the same name; empty for an issuer's token
    person: str = ""  # the user who has signed in to the page; empty for a client, and for a token
    user: str = ""  # the user who has signed in, to the page or for a client; empty for other tokens


class Verifier(Protocol):
    """Checks tokens that are not those of the vault."""

    def may_wait(self, secret: str) -> bool:
        """Return whether `caller` may take long for this token."""

    def caller(self, secret: str) -> Identity | None:
        """Return the caller that a token identifies; None if it is not valid here. This may take seconds."""


class Access:
    """Decides which requests are allowed. Thread-safe."""

    def __init__(self, tokens: Tokens, verifier: Verifier | None = None, *, guarded: bool = False) -> None:
        """Require a token from every request if `guarded`, if there is a verifier, or once the vault has tokens.

        From then on, requests need a token even if the last one is removed.
        """
        self._tokens = tokens
        self._verifier = verifier
        self.is_known_guarded = guarded or verifier is not None  # as far as is known without reading a file

    def may_wait(self, secret: str | None) -> bool:
        """Return whether `caller` may take seconds for this token."""
        return bool(secret and self._verifier and self._verifier.may_wait(secret))

    def caller(self, secret: str | None) -> Identity:
        """Return the caller of a request with this token; None stands for a request without one."""
        self.is_known_guarded = self.is_known_guarded or self._tokens.load().guards
        if not self.is_known_guarded:
            return Identity()
        if not secret:
            raise Unauthorized("This server needs a token: send it as Authorization: Bearer TOKEN.")
        if token := self._tokens.find(secret):
            grant = Grant(token.folder, token.read_only, proposer(token.name) if token.propose else "")
            return Identity(token.name, grant, token.toolsets, id=token.sha256)
        if self._verifier and (caller := self._verifier.caller(secret)):
            return caller
        if not self._tokens.load().is_allowed:
            raise Unauthorized("The tokens of this vault are not valid until its owner allows them: zkmem trust.")
        raise Unauthorized("This token is unknown, or has expired; see zkmem token list.")
