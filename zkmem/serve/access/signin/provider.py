"""The sign-ins as the MCP SDK's request handlers want them: one provider for each request."""

import logging
import time

import anyio.to_thread
from mcp.server.auth.provider import AccessToken as AccessTokenModel
from mcp.server.auth.provider import (
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl

from zkmem.errors import BadArgument
from zkmem.serve.access.issuer import READ, SCOPES, WRITE
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.clients import client_in, client_of, information_of
from zkmem.serve.access.signin.desk import Desk
from zkmem.serve.access.signin.documents import is_document_url
from zkmem.serve.access.signin.signed import Waiting
from zkmem.serve.access.signin.signins import ACCESS_S, IssuedTokens
from zkmem.serve.access.signin.store import RegisteredClient, SignIn

_NO_CODE = "The code is unknown, was used before, or has expired"
_NO_REFRESH = "The refresh token is unknown, was used before, or has expired"

_log = logging.getLogger(__name__)


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessTokenModel]):
    """Answers the SDK's handlers for one request from `address`."""

    def __init__(self, desk: Desk, address: str, *, may_fetch: bool = False) -> None:
        """With `may_fetch`, a client may be looked up at the address that is its id."""
        self._desk = desk
        self._address = address
        self._may_fetch = may_fetch

    async def client(self, client_id: str) -> RegisteredClient:
        """Return a client by its id."""
        desk = self._desk
        if self._may_fetch and is_document_url(client_id):
            return client_in(await desk.documents.fetch(client_id, self._address), time.time())
        registered = next((one for one in desk.store.load().clients if one.id == client_id), None)
        if registered is None:
            raise BadArgument(
                "This server does not know the client. Remove the server in the client, and add it again."
            )
        return registered

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a client by its id; None if it is unknown."""
        try:
            return information_of(await self.client(client_id))
        except BadArgument:
            return None

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Remember a client that registers itself. It gets no secret, whatever it has asked for: PKCE is required."""
        self._desk.counters.registrations.take(self._address)
        redirects = [str(one) for one in client_info.redirect_uris or ()]
        try:
            client = client_of(client_info.client_id, client_info.client_name, redirects, time.time())
        except BadArgument as error:
            raise RegistrationError("invalid_redirect_uri", str(error)) from error
        client = client._replace(address=self._address)
        await anyio.to_thread.run_sync(self._desk.store.add_client, client)
        client_info.token_endpoint_auth_method = "none"  # noqa: S105 - a method, not a secret
        client_info.client_secret = client_info.client_secret_expires_at = None
        client_info.scope = " ".join(SCOPES)

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Return the address of the page that asks the user."""
        desk = self._desk
        if not is_for(desk.public, params.resource):
            raise AuthorizeError("invalid_target", f"This server gives access to {desk.public.resource} only")
        registered = await self.client(client.client_id)
        waiting = Waiting(
            registered.id,
            registered.name,
            is_verified=is_document_url(registered.id),
            challenge=params.code_challenge,
            redirect=str(params.redirect_uri),
            state=params.state,
            may_write=params.scopes is None or WRITE in params.scopes,
        )
        return f"{desk.public.base}/signin/{desk.questions.add(waiting)}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code that was not used; end the sign-in of one that was."""
        signin = self._desk.signins.of_code(authorization_code)
        if signin is None or signin.client != client.client_id:
            return None
        if signin.code.used:
            await self._end(signin, "its code was used twice")
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=_scopes(signin),
            expires_at=signin.code.expires,
            client_id=signin.client,
            code_challenge=signin.code.challenge,
            redirect_uri=AnyUrl(signin.code.redirect),
            redirect_uri_provided_explicitly=True,
            resource=self._desk.public.resource,
        )

    async def exchange_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002 - the handler has compared it
        authorization_code: AuthorizationCode,
    ) -> OAuthToken:
        """Exchange a code for the first tokens."""
        signin = self._desk.signins.of_code(authorization_code.code)
        tokens = await anyio.to_thread.run_sync(self._desk.signins.exchange, authorization_code.code)
        if tokens is None:
            if signin:
                await self._end(signin, "its code was used twice")
            raise TokenError("invalid_grant", _NO_CODE)
        return _answer(tokens)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """Return a refresh token of the client, even if it was used before."""
        signin = self._desk.signins.of_refresh_token(refresh_token)
        if signin is None or signin.client != client.client_id:
            return None
        return RefreshToken(
            token=refresh_token, client_id=signin.client, scopes=_scopes(signin), expires_at=int(signin.expires)
        )

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002 - the handler has compared it
        refresh_token: RefreshToken,
        scopes: list[str],  # noqa: ARG002 - the answer names those of the sign-in
    ) -> OAuthToken:
        """Exchange a refresh token for the next tokens, with the rights of the sign-in."""
        signin = self._desk.signins.of_refresh_token(refresh_token.token)
        tokens = await anyio.to_thread.run_sync(self._desk.signins.refresh, refresh_token.token)
        if tokens is None:
            if signin:
                await self._end(signin, "its refresh token was used twice")
            raise TokenError("invalid_grant", _NO_REFRESH)
        return _answer(tokens)

    async def load_access_token(self, token: str) -> AccessTokenModel | None:
        """Return an access token that is valid."""
        signin = self._desk.signins.of_access_token(token)
        if signin is None:
            return None
        return AccessTokenModel(token=token, client_id=signin.client, scopes=_scopes(signin))

    async def revoke_token(self, token: AccessTokenModel | RefreshToken) -> None:
        """End the sign-in of a token."""
        signins = self._desk.signins
        signin = signins.of_access_token(token.token) or signins.of_refresh_token(token.token)
        if signin:
            await self._end(signin, "its client has signed out")

    async def _end(self, signin: SignIn, reason: str) -> None:
        await anyio.to_thread.run_sync(self._desk.signins.end_one, signin)
        self._desk.audit.add_event(signin.name, self._address, "sign-in ended", reason=reason)
        _log.warning("the sign-in %s has ended: %s", signin.name, reason)


def is_for(public: PublicUrl, resource: str | None) -> bool:
    """Return whether a resource indicator names this server; a client that sends none means it."""
    return resource is None or resource in {public.resource, f"{public.resource}/", public.base, f"{public.base}/"}


def _scopes(signin: SignIn) -> list[str]:
    return [READ] if signin.read_only else SCOPES


def _answer(tokens: IssuedTokens) -> OAuthToken:
    signin = tokens.signin
    lasts = min(ACCESS_S, int(signin.expires - time.time()))
    return OAuthToken(
        access_token=tokens.access,
        token_type="Bearer",  # noqa: S106 - a type, not a secret
        expires_in=max(0, lasts),
        scope=" ".join(_scopes(signin)),
        refresh_token=tokens.refresh,
    )
