"""The HTTP routes by which a person signs in to the page of the notes, and adds passkeys."""

import time
from collections.abc import Mapping

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from zkmem.errors import Unauthorized
from zkmem.serve.access.gate import address_of
from zkmem.serve.access.headers import bearer_in
from zkmem.serve.access.signin.desk import Desk
from zkmem.serve.access.signin.endpoints import NO_STORE, for_the_page, form_of, route
from zkmem.serve.access.signin.store import SignIn
from zkmem.serve.access.tokens import Identity

_DAY_S = 86_400
_TAB_S, _REMEMBERED_S = _DAY_S // 2, 90 * _DAY_S  # how long the page stays signed in

_PURPOSE = "session"  # of the challenges for signing in to the page


class PageSessions:
    """The sign-ins to the page of one vault."""

    def __init__(self, desk: Desk, name: str = "") -> None:
        """`name` is that of the vault if the server has several."""
        self.name = name
        self.vault = desk.signins.vault
        self.desk = desk

    def has(self, user: str) -> bool:
        """Return whether the vault has a user with this name. Raise BadSettings when the file cannot be read."""
        return self.desk.users.has(user)

    async def begin(self, user: str, lasts_s: float, address: str, root: str = "", **way: str) -> str:
        """Make a sign-in for a user who comes from `address`, and return its token.

        `root` is the id of the sign-in that it ends with; `way` is for the audit log.
        """
        desk = self.desk
        signin, access = await anyio.to_thread.run_sync(
            desk.signins.begin_page, user, desk.users.right_of(user), lasts_s, desk.taken_names(), root
        )
        desk.audit.add_event(signin.name, address, "sign-in", user=user, client=signin.client_name, **way)
        return access


class PageRoutes:
    """Answers the requests of the page of one vault."""

    def __init__(self, sessions: PageSessions, all_sessions: Mapping[str, PageSessions]) -> None:
        """`all_sessions` are those of all vaults of the server by name, if it has several."""
        self._desk = sessions.desk
        self._sessions = sessions
        self._all_sessions = all_sessions

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            route("/session", for_the_page(self._session), "POST"),
            route("/session/passkey", for_the_page(self._ask_for_passkey), "POST"),
            route("/passkeys/begin", for_the_page(self._begin_passkey), "POST"),
            route("/passkeys", for_the_page(self._add_passkey), "POST"),
        ]

    async def _session(self, request: Request) -> Response:
        """Give the page of this vault a token for a name and a password, or a passkey. It can sign out at `/revoke`.

        The page of another vault of the server has a token already, which serves as well.
        """
        form = await form_of(request)
        sessions, user, address = self._sessions, str(form.get("user", "")), address_of(request.scope)
        lasts: float = _REMEMBERED_S if form.get("remember") == "true" else _TAB_S
        root, way = "", {}
        if secret := str(form.get("token", "")):
            elsewhere = self._signed_in_elsewhere(secret)
            user, lasts, root = elsewhere.user, elsewhere.expires - time.time(), elsewhere.root or elsewhere.id
        elif answer := str(form.get("passkey", "")):
            user, passkey = await self._desk.check_passkey(answer, _PURPOSE, address)
            way = {"passkey": passkey.name}
        else:
            sessions = self._sessions_of(user)
            await sessions.desk.check_password(user, str(form.get("password", "")), address)
        access = await sessions.begin(user, lasts, address, root, **way)
        return JSONResponse({"token": access, "vault": sessions.name}, headers=NO_STORE)

    def _sessions_of(self, user: str) -> PageSessions:
        """Return the sessions of this vault; if it has no such user, those of another vault that has the user."""
        with_user = (one for one in (self._sessions, *self._all_sessions.values()) if one.has(user))
        return next(with_user, self._sessions)

    async def _ask_for_passkey(self, _: Request) -> Response:
        """Return what the browser needs to ask for a passkey."""
        options = await anyio.to_thread.run_sync(self._desk.passkeys.question, _PURPOSE)
        return JSONResponse(options, headers=NO_STORE)

    async def _begin_passkey(self, request: Request) -> Response:
        """Return what the browser needs to make a passkey.

        The person gives the password again: a stolen token of the page, which ends, must not get a key that does not.
        """
        person, address = await self._person(request), address_of(request.scope)
        form = await form_of(request)
        await self._desk.check_password(person.person, str(form.get("password", "")), address)
        options = await anyio.to_thread.run_sync(self._desk.passkeys.begin, person.person, _purpose_of(person))
        return JSONResponse(options, headers=NO_STORE)

    async def _add_passkey(self, request: Request) -> Response:
        """Add the passkey that the browser has made."""
        person, address = await self._person(request), address_of(request.scope)
        form = await form_of(request)
        answer, name = str(form.get("passkey", "")), str(form.get("name", "")).strip()
        passkey = await anyio.to_thread.run_sync(
            self._desk.passkeys.add, person.person, answer, _purpose_of(person), name, address
        )
        self._desk.audit.add_event(person.name, address, "passkey added", user=person.person, passkey=passkey.name)
        return JSONResponse({"name": passkey.name}, headers=NO_STORE)

    async def _person(self, request: Request) -> Identity:
        """Return the person whose page has sent a request."""
        secret = bearer_in(request.headers) or ""
        person = await anyio.to_thread.run_sync(self._desk.signins.caller, secret)
        if person is None or not person.person:
            raise Unauthorized("Only people who have signed in to the page can add passkeys, and only their own.")
        return person

    def _signed_in_elsewhere(self, secret: str) -> SignIn:
        """Return the sign-in to the page of another vault that has a token."""
        vaults = {one.vault for one in self._all_sessions.values()}
        signin = self._desk.signins.page_elsewhere(secret, vaults)
        if signin is None:
            raise Unauthorized("The sign-in to the other vault has ended.")
        return signin


def _purpose_of(person: Identity) -> str:
    """Return the purpose of the challenge for a passkey that is added: in this sign-in only."""
    return f"add {person.id}"
