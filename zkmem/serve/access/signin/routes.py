"""The HTTP routes of the sign-in: metadata, registration, consent, tokens and revocation.

The MCP SDK checks requests and their PKCE; its handlers are used here with stricter rules where the SDK has none.
"""

import json
import logging
import os
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread
from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import AuthenticationError, ClientAuthenticator
from mcp.server.auth.provider import construct_redirect_uri
from mcp.server.auth.settings import ClientRegistrationOptions
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from zkmem.errors import BadArgument, TooMany, Unauthorized, ZkError
from zkmem.names import below, composed
from zkmem.serve.access.gate import address_of
from zkmem.serve.access.issuer import SCOPES
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin import page
from zkmem.serve.access.signin.desk import Desk
from zkmem.serve.access.signin.endpoints import NO_STORE, as_page, check_once, form_of, in_json, oauth_error, route
from zkmem.serve.access.signin.page import DAYS, READING, WRITING, ConsentQuestion, FormChoice
from zkmem.serve.access.signin.provider import Provider, is_for
from zkmem.serve.access.signin.signed import Waiting
from zkmem.serve.access.signin.signins import AccessRequest as SignInRequest
from zkmem.serve.access.signin.store import Passkey, Right
from zkmem.serve.access.tokens import folder_of_right

_MOST_QUERY = 5_000  # characters: the page's address holds them, and proxies take some 8,000
_DAY_S = 86_400
_OVER = "This sign-in was answered already, has expired, or was never begun. Begin again in the client."

_log = logging.getLogger(__name__)


class SignInRoutes:
    """Answers the requests of the sign-in to one vault."""

    def __init__(self, desk: Desk, name: str) -> None:
        """`name`: the one under which people see the vault."""
        self._desk = desk
        self._name = name

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route(f"/.well-known/oauth-authorization-server{self._desk.public.path}", self._metadata, methods=["GET"]),
            route("/register", in_json(self._register), "POST"),
            route("/authorize", as_page(self._authorize), "GET"),
            route("/signin/{question}", as_page(self._show), "GET"),
            route("/signin/{question}", as_page(self._answer), "POST"),
            route("/token", in_json(self._token), "POST"),
            route("/revoke", in_json(self._revoke), "POST"),
        ]

    async def _metadata(self, _: Request) -> Response:
        return JSONResponse(metadata(self._desk.public))

    async def _register(self, request: Request) -> Response:
        handler = RegistrationHandler(self._provider(request), ClientRegistrationOptions(enabled=True))
        return await handler.handle(request)

    async def _authorize(self, request: Request) -> Response:
        """Send the browser to the page that asks the user. Send it nowhere else before the user has answered.

        Anybody can register a client with any redirect. If an error went there at once, this server would send people
        to any address (RFC 9700, 4.11).
        """
        check_once(request.query_params.multi_items())
        if len(request.url.query) > _MOST_QUERY:
            raise BadArgument("The client's request is too long.")
        provider = self._provider(request, may_fetch=True)
        await provider.client(request.query_params.get("client_id", ""))  # its errors say why
        answer = await AuthorizationHandler(provider).handle(request)
        location = answer.headers.get("location", "")
        if location.startswith(f"{self._desk.public.base}/signin/"):
            return answer
        if location:
            faults = parse_qs(urlsplit(location).query)
            reason = faults.get("error_description", faults.get("error", [""]))[0]
        else:
            reason = str(json.loads(bytes(answer.body)).get("error_description"))
        return page.message("The sign-in cannot begin", reason, 400, location)

    async def _show(self, request: Request) -> Response:
        waiting = self._waiting(request)
        right = WRITING if waiting.may_write else READING
        return await self._form(request, waiting, FormChoice(right=right))

    async def _answer(self, request: Request) -> Response:
        """Make the sign-in that the user allows, and send the browser back to the client with a code."""
        waiting, questions, address = self._waiting(request), self._desk.questions, address_of(request.scope)
        form = await form_of(request)
        if form.get("csrf") != questions.csrf_of(waiting):
            raise BadArgument("The form is not the one that this server has sent. Begin again in the client.")
        if form.get("answer") == "deny":
            questions.end(waiting, address)
            return self._back(waiting, "The client gets no access.", error="access_denied")
        choice = FormChoice(*(str(form.get(one, "")) for one in FormChoice._fields))
        passkey = None
        try:
            if answer := str(form.get("passkey", "")):
                user, passkey = await self._desk.check_passkey(answer, _purpose_of(waiting), address)
                choice = choice._replace(user=user)
            else:
                await self._desk.check_password(choice.user, str(form.get("password", "")), address)
            right = self._right(choice, waiting)
        except Unauthorized as error:
            questions.count_try(waiting, address)
            _log.warning("wrong name, password or passkey of a user from %s", address)
            return await self._form(request, waiting, choice, str(error), 403)
        except TooMany as error:
            response = await self._form(request, waiting, choice, str(error), error.http_status)
            response.headers["Retry-After"] = "60"
            return response
        except BadArgument as error:
            return await self._form(request, waiting, choice, str(error), error.http_status)
        if not questions.end(waiting, address):  # the form was sent twice at once
            raise BadArgument(_OVER)
        return await self._allowed(waiting, choice, right, address, passkey)

    async def _allowed(
        self, waiting: Waiting, choice: FormChoice, right: Right, address: str, passkey: Passkey | None
    ) -> Response:
        asked = SignInRequest(waiting.client, waiting.challenge, waiting.redirect)
        desk, lasts = self._desk, int(choice.days) * _DAY_S
        signin, code = await anyio.to_thread.run_sync(
            desk.signins.begin, asked, choice.user, right, lasts, desk.taken_names()
        )
        desk.audit.add_event(
            signin.name, address, "sign-in", user=signin.user, client=signin.client_name, client_id=signin.client,
            folder=signin.folder, read_only=signin.read_only, expires=signin.expires,
            **({"passkey": passkey.name} if passkey else {}),
        )  # fmt: skip
        return self._back(waiting, f"{waiting.client_name} has access now.", code=code)

    async def _token(self, request: Request) -> Response:
        form = await form_of(request)
        resource = form.get("resource")
        if not is_for(self._desk.public, None if resource is None else str(resource)):
            return oauth_error("invalid_target", f"This server gives access to {self._desk.public.resource} only")
        provider = self._provider(request)
        answer: Response = await TokenHandler(provider, ClientAuthenticator(provider)).handle(request)
        return answer

    async def _revoke(self, request: Request) -> Response:
        """End the sign-in of a token of the client (RFC 7009). The SDK's handler requires a secret of the client."""
        form = await form_of(request)
        provider = self._provider(request)
        try:
            client = await ClientAuthenticator(provider).authenticate_request(request)
        except AuthenticationError as error:
            return oauth_error("invalid_client", error.message, 401)
        secret = str(form.get("token", ""))
        token = await provider.load_access_token(secret) or await provider.load_refresh_token(client, secret)
        if token and token.client_id == client.client_id:
            await provider.revoke_token(token)
        return Response(headers=NO_STORE)

    def _right(self, choice: FormChoice, waiting: Waiting) -> Right:
        """Return the right that the user gives: of what was chosen, as much as the user and the client may have."""
        if choice.days not in DAYS:
            raise BadArgument("Choose how long the access lasts.")
        own = self._desk.users.right_of(choice.user)
        folder = composed(choice.folder.strip().strip("/")) or own.folder
        if own.folder and not below(f"{folder}/", own.folder):  # one learns nothing about folders outside of one's own
            raise BadArgument(f"You may give access to {own.folder}/ and to folders in it only.")
        vault = self._desk.signins.vault
        folder = folder_of_right(vault, folder)
        if folder and not os.path.isdir(os.path.join(vault, folder)):
            raise BadArgument(f"The vault has no folder {folder!r}.")
        return Right(folder, own.read_only or choice.right != WRITING or not waiting.may_write)

    def _waiting(self, request: Request) -> Waiting:
        waiting = self._desk.questions.find(request.path_params["question"])
        if waiting is None:
            raise _Over(_OVER)
        return waiting

    async def _form(
        self, request: Request, waiting: Waiting, choice: FormChoice, fault: str = "", status: int = 200
    ) -> Response:
        """Return the page that asks. If users have passkeys, it has a new question for one."""
        public, passkeys, question = self._desk.public, self._desk.passkeys, request.path_params["question"]
        asked = None
        if passkeys.are_used():
            asked = await anyio.to_thread.run_sync(passkeys.question, _purpose_of(waiting))
        return page.form(
            ConsentQuestion(
                waiting.client, waiting.is_verified, waiting.redirect, waiting.may_write, self._name,
                public.netloc, f"{public.path}/signin/{question}",
                self._desk.questions.csrf_of(waiting), asked, public.base,
            ),
            choice, fault, status,
        )  # fmt: skip

    def _back(self, waiting: Waiting, sentence: str, **values: str) -> Response:
        address = construct_redirect_uri(waiting.redirect, **values, state=waiting.state, iss=self._desk.public.base)
        return page.gone_back(address, sentence)

    def _provider(self, request: Request, *, may_fetch: bool = False) -> Provider:
        return Provider(self._desk, address_of(request.scope), may_fetch=may_fetch)


def _purpose_of(waiting: Waiting) -> str:
    """Return the purpose of a passkey's challenge on the page that asks."""
    return f"question {waiting.id}"


class _Over(ZkError):
    http_status = 404


def metadata(public: PublicUrl) -> dict[str, object]:
    """Return what clients must know about this authorization server (RFC 8414).

    Claude uses a client's document only if this names both the document and the method `none`; else it registers.
    """
    return {
        "issuer": public.base,
        "authorization_endpoint": f"{public.base}/authorize",
        "token_endpoint": f"{public.base}/token",
        "registration_endpoint": f"{public.base}/register",
        "revocation_endpoint": f"{public.base}/revoke",
        "scopes_supported": SCOPES,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }
