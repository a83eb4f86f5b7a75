"""Identify the caller of a request by its token: one of the vault, of a sign-in, or of an OAuth issuer."""

from typing import NamedTuple, Protocol

from zkmem.caller import Grant
from zkmem.errors import Unauthorized
from zkmem.serve.access.tokens import Token, Tokens


class Identity(NamedTuple):
    """The sender of a request, as its token shows, and what the token allows."""

    name: str = ""  # of the token, or the subject of an issuer's; empty if the server needs no tokens
    grant: Grant = Grant()
    toolsets: tuple[str, ...] = ()  # empty for the toolsets of the server
    issuer: str = ""  # of the token; empty for a token of the vault
    id: str = ""  # of the token or sign-in, whose name a later one may have; empty for an issuer's token
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
        self._guarded = guarded or verifier is not None

    @property
    def is_known_guarded(self) -> bool:
        """Return whether a request needs a token, as far as is known without reading a file."""
        return self._guarded

    @property
    def guarded(self) -> bool:
        """Return whether a request needs a token."""
        self._guarded = self._guarded or self._tokens.load().guards
        return self._guarded

    def may_wait(self, secret: str | None) -> bool:
        """Return whether `caller` may take seconds for this token."""
        return bool(secret and self._verifier and self._verifier.may_wait(secret))

    def caller(self, secret: str | None) -> Identity:
        """Return the caller of a request with this token; None stands for a request without one."""
        if not self.guarded:
            return Identity()
        if not secret:
            raise Unauthorized("This server needs a token: send it as Authorization: Bearer TOKEN.")
        if token := self._tokens.find(secret):
            return caller_of(token)
        if self._verifier and (caller := self._verifier.caller(secret)):
            return caller
        if not self._tokens.load().is_allowed:
            raise Unauthorized("The tokens of this vault are not valid until its owner allows them: zkmem trust.")
        raise Unauthorized("This token is unknown, or has expired; see zkmem token list.")


def caller_of(token: Token) -> Identity:
    """Return the caller that one of the vault's own tokens identifies."""
    grant = Grant(token.folder, token.read_only, token.name if token.propose else "")
    return Identity(token.name, grant, token.toolsets, id=token.sha256)
