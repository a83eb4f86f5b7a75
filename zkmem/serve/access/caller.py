"""Who a request is from, and what that caller may do: by a token of the vault, or by a token of an OAuth issuer."""

from typing import NamedTuple, Protocol

from zkmem.confined import Grant
from zkmem.errors import Unauthorized
from zkmem.serve.access.tokens import Token, Tokens


class Caller(NamedTuple):
    """A caller, as far as it is known."""

    name: str = ""  # of its token, or the subject of an issuer's; empty where nobody is asked
    grant: Grant = Grant()
    toolsets: tuple[str, ...] = ()  # those of the server, if empty
    issuer: str = ""  # of the token; empty for a token of the vault


class Verifier(Protocol):
    """Knows the tokens of somebody else."""

    def caller(self, secret: str) -> Caller | None:
        """Who the token is for; None if it is worthless here. Takes long at times."""


class Access:
    """Decides who may in. Thread-safe."""

    def __init__(self, tokens: Tokens, issuer: Verifier | None = None, *, guarded: bool = False) -> None:
        """Once there are tokens, or an issuer, every request needs one, for as long as this lives.

        If `guarded`, it does from the beginning, even should the last token be gone before anybody has asked.
        """
        self._tokens = tokens
        self._issuer = issuer
        self._guarded = guarded or issuer is not None

    @property
    def guarded(self) -> bool:
        """Whether a request needs a token.

        Raises:
            BadSettings: when the tokens cannot be read.
        """
        self._guarded = self._guarded or self._tokens.held().guards
        return self._guarded

    def may_wait(self, secret: str | None) -> bool:
        """Whether it may take long to say who comes with this token."""
        return self._issuer is not None and secret is not None

    def caller(self, secret: str | None) -> Caller:
        """Who comes with this token, or with none.

        Raises:
            Unauthorized: when it takes a token, and this is none. BadSettings: when the tokens cannot be read.
        """
        if not self.guarded:
            return Caller()
        if not secret:
            raise Unauthorized("This server wants a token: send it as Authorization: Bearer TOKEN.")
        if token := self._tokens.find(secret):
            return caller_of(token)
        if self._issuer and (caller := self._issuer.caller(secret)):
            return caller
        if not self._tokens.held().is_allowed:
            raise Unauthorized("The tokens of this vault do not count until its owner has allowed them: zkmem trust.")
        raise Unauthorized("This token is not known here, or has expired; see zkmem token list.")


def caller_of(token: Token) -> Caller:
    """The caller that has a token of the vault."""
    return Caller(token.name, Grant(token.folder, token.read_only), token.toolsets)
