"""Make, refresh, find and end sign-ins: the access that a user has given to a client in one vault.

A client first exchanges a code for tokens. An access token is valid for an hour. A refresh token is exchanged for the
next one and a new access token. A code that comes back was copied, so it ends the sign-in. So does a refresh token
(RFC 9700, 4.14.2), except while nobody has used the tokens that it was exchanged for: then the answer may have been
lost. In that case, the exchange is made again, and the tokens of the earlier answer are not valid any more. So at most
one of two programs with copies of one refresh token can go on.
"""

import contextlib
import secrets
import time
from collections.abc import Collection, Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from zkmem.caller import Grant
from zkmem.errors import TooMany, Unauthorized, Unwritable
from zkmem.serve.access.signin.store import (
    AccessToken,
    Code,
    RegisteredClient,
    Right,
    SignIn,
    SignInStore,
    StoreChange,
    StoredSignIns,
)
from zkmem.serve.access.tokens import Identity, hash_of
from zkmem.util.spelling import unused

ACCESS_S = 3_600
_CODE_S = 60
_USED_S = 3_600  # the time of the last use is stored so often
_ACCESS, _REFRESH, _CODE = "zkma_", "zkmr_", "zkmc_"  # so that scanners for leaked secrets can recognise them
_FAMILY = 22  # characters: 128 bits
_MOST_ACCESS = 4  # access tokens of a sign-in: a client's other processes may still use the older ones
_MOST = 1_000  # sign-ins on this machine
_MOST_PAGES = 20  # sign-ins of a user to the page of a vault
PAGE_ID = "page"  # the client id of the page, which has no redirect: nobody can ask for access with it


class AccessRequest(NamedTuple):
    """What a client has asked for, as far as it outlives the consent of the user."""

    client: RegisteredClient
    challenge: str
    redirect: str


class IssuedTokens(NamedTuple):
    """The secrets that a client gets, and the sign-in that they belong to."""

    signin: SignIn
    access: str
    refresh: str


class SignIns:
    """The sign-ins of one vault. Thread-safe; several processes may use them."""

    def __init__(self, store: SignInStore, vault: str, issuer: str = "") -> None:
        """`vault` is a real path; `issuer` is the public address of the server, empty for the command line."""
        self._store = store
        self.vault = vault
        self._issuer = issuer

    def all(self) -> tuple[SignIn, ...]:
        """Return the sign-ins of the vault that are valid. Raise BadSettings when the file cannot be read."""
        return self._store.load().of_vault(self.vault)

    def may_wait(self, secret: str) -> bool:
        """Return whether `caller` writes to the file for this token. Raise BadSettings when it cannot be read."""
        signin = self.of_access_token(secret)
        return signin is not None and (_is_first_use(signin, secret) or _is_use_old(signin))

    def caller(self, secret: str) -> Identity | None:
        """Return the caller that an access token identifies; None if it is not valid here. Note that it was used."""
        signin = self.of_access_token(secret)
        if signin and _is_first_use(signin, secret):
            signin = self._use(secret)
        elif signin and _is_use_old(signin):
            with contextlib.suppress(Unwritable):  # a full disk is no reason to refuse a reader
                signin = self._use(secret)
        if signin is None:
            return None
        grant, person = Grant(signin.folder, signin.read_only), signin.user if signin.client == PAGE_ID else ""
        return Identity(signin.name, grant, issuer=self._issuer, id=signin.id, person=person, user=signin.user)

    def _use(self, secret: str) -> SignIn | None:
        """Note that an access token was used. Return its sign-in; None if it is not valid any more."""
        with self._store.changing() as change:
            signin = _of_access_token(change.state.of_vault(self.vault), secret)
            if signin is None:
                return None
            previous = "" if _is_first_use(signin, secret) else signin.previous
            return change.put(signin, signin._replace(used=time.time(), previous=previous))

    def begin(
        self, request: AccessRequest, user: str, right: Right, lasts_s: float, taken: Iterable[str]
    ) -> tuple[SignIn, str]:
        """Make a sign-in. Return it, and the code that its client exchanges for tokens within a minute.

        `taken` are names that it must not have: those of the vault's tokens.
        """
        code, now = _CODE + secrets.token_urlsafe(32), time.time()
        with self._store.changing() as change:
            state = change.state
            self._check_room(state, user)
            names = {*taken, *(one.name for one in state.signins)}
            signin = SignIn(
                name=unused(f"{user}@{_host(request.redirect)}", names),
                user=user,
                client=request.client.id,
                client_name=request.client.name,
                vault=self.vault,
                created=now,
                expires=now + lasts_s,
                code=Code(hash_of(code), now + _CODE_S, request.challenge, request.redirect),
                folder=right.folder,
                read_only=right.read_only,
            )
            known = next((one for one in state.clients if one.id == request.client.id), request.client)
            others = tuple(one for one in state.clients if one.id != known.id)
            client = known._replace(used=now, address="")
            change.state = state._replace(clients=(*others, client), signins=(*state.signins, signin))
        return signin, code

    def begin_page(
        self, user: str, right: Right, lasts_s: float, taken: Iterable[str], root: str = ""
    ) -> tuple[SignIn, str]:
        """Make a sign-in to the page of this server. Return it, and its one token. `taken`: as for `begin`.

        `root` is the id of the sign-in to another vault that it ends with, if it was made from one.

        A user's oldest such sign-in ends if there are too many: a browser may forget its token.
        """
        access, now = _ACCESS + secrets.token_urlsafe(32), time.time()
        client = RegisteredClient(PAGE_ID, "the page", (), now, used=now)
        no_code = Code(hash_of(secrets.token_urlsafe(32)), now, challenge="", redirect="", used=True)
        with self._store.changing() as change:
            state = change.state
            self._check_room(state, user)
            if root and not any(one.first == root for one in state.signins):
                raise Unauthorized("The sign-in to the other vault has ended.")
            own = [one for one in state.of_vault(self.vault) if (one.user, one.client) == (user, PAGE_ID)]
            ended = own[: max(0, len(own) - _MOST_PAGES + 1)]
            remaining = tuple(one for one in state.signins if one not in ended)
            signin = SignIn(
                name=unused(f"{user}@{PAGE_ID}", {*taken, *(one.name for one in remaining)}),
                user=user,
                client=client.id,
                client_name=client.name,
                vault=self.vault,
                created=now,
                expires=now + lasts_s,
                code=no_code,
                folder=right.folder,
                read_only=right.read_only,
                access=(AccessToken(hash_of(access), now + lasts_s),),
                root=root,
            )
            clients = tuple(one for one in state.clients if one.id != client.id)
            change.state = state._replace(clients=(*clients, client), signins=(*remaining, signin))
        return signin, access

    def page_elsewhere(self, secret: str, vaults: Collection[str]) -> SignIn | None:
        """Return the sign-in with this token to the page of another vault; None if it is not valid.

        `vaults`: the real paths of the vaults to look at. This vault is left out.
        """
        now = time.time()
        signins = (one for one in self._store.load().signins if one.vault in vaults and one.vault != self.vault)
        return _of_access_token((one for one in signins if one.client == PAGE_ID and not one.is_over(now)), secret)

    def of_code(self, code: str) -> SignIn | None:
        """Return the sign-in that a code belongs to, whether or not the code was used."""
        return _of_code(self.all(), code)

    def of_access_token(self, secret: str) -> SignIn | None:
        """Return the sign-in of an access token that is valid; None if it is not."""
        return _of_access_token(self.all(), secret) if secret.startswith(_ACCESS) else None

    def of_refresh_token(self, secret: str) -> SignIn | None:
        """Return the sign-in that a refresh token belongs or belonged to; None if there is none."""
        return _of_family(self.all(), _family(secret)) if secret.startswith(_REFRESH) else None

    def exchange(self, code: str) -> IssuedTokens | None:
        """Exchange a code for the first tokens. If it was used before, end the sign-in, and return None."""
        with self._store.changing() as change:
            signin = _of_code(change.state.of_vault(self.vault), code)
            if signin is None:
                return None
            if signin.code.used:
                change.end(signin)
                return None
            after = signin._replace(code=signin.code._replace(used=True))
            return _renewed(change, signin, after, secrets.token_urlsafe(16))

    def refresh(self, secret: str) -> IssuedTokens | None:
        """Exchange a refresh token for the next tokens. If those were used before, end the sign-in, and return None."""
        sha256, family = hash_of(secret), _family(secret)
        with self._store.changing() as change:
            signin = _of_family(change.state.of_vault(self.vault), family)
            if signin is None:
                return None
            if signin.refresh == sha256:
                return _renewed(change, signin, signin._replace(previous=sha256), family)
            if signin.previous == sha256:  # the answer may have been lost; what was in it is not valid any more
                return _renewed(change, signin, signin._replace(access=signin.access[:-1]), family)
            change.end(signin)
            return None

    def end(self, name: str, user: str | None = None) -> SignIn | None:
        """End a sign-in of the vault, if it is one of this user's. Return it; None if there is none with this name."""
        with self._store.changing() as change:
            named = (one for one in change.state.of_vault(self.vault) if one.name == name)
            signin = next((one for one in named if user in {None, one.user}), None)
            if signin:
                change.end(signin)
        return signin

    def end_one(self, signin: SignIn) -> None:
        """End a sign-in, and no later one that has its name."""
        with self._store.changing() as change:
            if signin.id in {one.id for one in change.state.of_vault(self.vault)}:
                change.end(signin)

    def _check_room(self, state: StoredSignIns, user: str) -> None:
        """Check that a user can make one more sign-in."""
        if not state.user(user, self.vault):
            raise Unauthorized("The user has been removed.")
        if len(state.signins) >= _MOST:
            raise TooMany(f"There are {_MOST:,} sign-ins, the most there can be; end some: zkmem token remove NAME")


def _renewed(change: StoreChange, before: SignIn, signin: SignIn, family: str) -> IssuedTokens:
    """Give a sign-in its next tokens, and put it in the place of the one before."""
    now = time.time()
    access = _ACCESS + secrets.token_urlsafe(32)
    refresh = _REFRESH + family + secrets.token_urlsafe(32)
    token = AccessToken(hash_of(access), min(now + ACCESS_S, signin.expires))
    valid = [one for one in signin.access if one.expires > now]
    after = signin._replace(access=(*valid, token)[-_MOST_ACCESS:], family=hash_of(family), refresh=hash_of(refresh))
    return IssuedTokens(change.put(before, after), access, refresh)


def _of_code(signins: Iterable[SignIn], code: str) -> SignIn | None:
    sha256 = hash_of(code)
    return next((one for one in signins if one.code.sha256 == sha256), None)


def _of_family(signins: Iterable[SignIn], family: str) -> SignIn | None:
    """Return the sign-in whose refresh tokens have this part in common."""
    sha256 = hash_of(family)
    return next((one for one in signins if one.family == sha256), None)


def _of_access_token(signins: Iterable[SignIn], secret: str) -> SignIn | None:
    """Return the sign-in that has an access token which has not expired."""
    sha256, now = hash_of(secret), time.time()
    with_token = (one for one in signins for token in one.access if token.sha256 == sha256 and token.expires > now)
    return next(with_token, None)


def _is_first_use(signin: SignIn, secret: str) -> bool:
    """Return whether the use of an access token shows that its client has got the answer to its last refresh."""
    return bool(signin.previous) and signin.access[-1].sha256 == hash_of(secret)


def _is_use_old(signin: SignIn) -> bool:
    return signin.used + _USED_S <= time.time()


def _family(refresh_token: str) -> str:
    """Return the part that all refresh tokens of a sign-in share. It is secret, too."""
    return refresh_token[len(_REFRESH) :][:_FAMILY]


def _host(redirect: str) -> str:
    parts = urlsplit(redirect)
    return (parts.hostname if parts.scheme in {"http", "https"} else parts.scheme) or parts.scheme
