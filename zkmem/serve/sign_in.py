"""Let people sign in to one vault of a server with a public address: clients in their name, and the page."""

import os

from starlette.routing import BaseRoute

from zkmem.serve import site
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.own import Ways
from zkmem.serve.access.signin.page_routes import PageRoutes
from zkmem.serve.access.signin.page_sessions import PageSessions
from zkmem.serve.access.signin.passkeys import Passkeys
from zkmem.serve.access.signin.provider import Desk
from zkmem.serve.access.signin.routes import SignInRoutes
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Tokens
from zkmem.serve.common import Common


class SignIn:
    """The sign-in to one vault."""

    def __init__(
        self, public: PublicUrl, common: Common, vault: str, name: str, users: Users, tokens: Tokens, audit: Audit
    ) -> None:
        """`vault` is a real path; `name` its name if the server has several, else "". `users`, `tokens` are its own."""
        self.signins = SignIns(common.store, vault, public.base)
        self._passkeys = Passkeys(common.store, vault, public)
        self.ways = Ways(self.signins, self._passkeys, audit)
        desk = Desk(public, common.store, self.signins, audit, common.documents, common.counters, self._passkeys)
        sessions = PageSessions(desk, users, tokens, name)
        if name:
            common.sessions[name] = sessions
        self._of_clients = SignInRoutes(desk, users, tokens, vault, name or os.path.basename(vault))
        self._of_page = PageRoutes(desk, sessions, common.sessions)

    def routes(self) -> list[BaseRoute]:
        """Return the routes for clients and for the page."""
        return [*self._of_clients.routes(), *self._of_page.routes()]

    def kind(self) -> site.SignIn:
        """Return how the page asks people to sign in. Raise BadSettings when the users cannot be read."""
        return site.SignIn.PASSKEY if self._passkeys.are_used() else site.SignIn.PASSWORD
