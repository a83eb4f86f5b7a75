"""The HTTP routes by which a person signs in to the page of the notes."""

import time
from collections.abc import Collection

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from zkmem.errors import Unauthorized
from zkmem.serve.access.gate import address_of
from zkmem.serve.access.signin.authentication import Authentication
from zkmem.serve.access.signin.endpoints import NO_STORE, for_the_page, form_of, route
from zkmem.serve.access.signin.provider import Desk
from zkmem.serve.access.signin.store import SignIn
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Tokens

_DAY_S = 86_400
_TAB_S, _REMEMBERED_S = _DAY_S // 2, 90 * _DAY_S  # how long the page stays signed in


class PageRoutes:
    """Answers the requests of the page of one vault."""

    def __init__(self, desk: Desk, users: Users, tokens: Tokens, others: Collection[str] = ()) -> None:
        """`tokens` are those of the vault; `others` the real paths of all vaults of the server, if it has several."""
        self._desk = desk
        self._users = users
        self._tokens = tokens
        self._others = others
        self._authentication = Authentication(users, desk.counters)

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [route("/session", for_the_page(self._session), "POST")]

    async def _session(self, request: Request) -> Response:
        """Give the page of this vault a token for a name and a password. It can sign out at `/revoke`.

        The page of another vault of the server has a token already, which serves as well.
        """
        form = await form_of(request)
        user, address = str(form.get("user", "")), address_of(request.scope)
        root = ""
        if secret := str(form.get("token", "")):
            elsewhere = self._signed_in_elsewhere(secret)
            user, lasts, root = elsewhere.user, elsewhere.expires - time.time(), elsewhere.root or elsewhere.id
        else:
            await self._authentication.check_password(user, str(form.get("password", "")), address)
            lasts = _REMEMBERED_S if form.get("remember") == "true" else _TAB_S
        taken = [one.name for one in self._tokens.load().tokens]
        signin, access = await anyio.to_thread.run_sync(
            self._desk.signins.begin_page, user, self._users.right_of(user), lasts, taken, root
        )
        self._desk.audit.add_event(signin.name, address, "sign-in", user=user, client=signin.client_name)
        return JSONResponse({"token": access}, headers=NO_STORE)

    def _signed_in_elsewhere(self, secret: str) -> SignIn:
        """Return the sign-in to the page of another vault that has a token.

        Raises:
            Unauthorized: when the token is not one of such a sign-in.
        """
        signin = self._desk.signins.page_elsewhere(secret, self._others)
        if signin is None:
            raise Unauthorized("The sign-in to the other vault has ended.")
        return signin
