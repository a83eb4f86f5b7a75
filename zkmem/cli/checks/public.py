"""Play a client of the public address from the first request to the last: how far does it get, and why no further?"""

import base64
import hashlib
import re
import secrets
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2

from zkmem.cli.checks.target import CheckedVault, Trouble
from zkmem.errors import BadSettings, ZkError
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.store import Right, SignInStore
from zkmem.serve.access.signin.users import Users

_PATIENCE_S = 20.0
_REDIRECT = "http://127.0.0.1/zkmem-doctor"  # nobody calls it
_STATE = "doctor"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "zkmem doctor", "version": "1"},
    },
}
_JSON_RPC = {"Accept": "application/json, text/event-stream"}
_SAME_MACHINE = (
    "run this on the server's machine, as its user and with its ZKMEM and XDG variables, for the vault that it serves"
)
_GATEWAY = {502, 503, 504}
_METADATA = "/.well-known/oauth-authorization-server"

Step = Callable[[], str]


class Play:
    """A client that does one step after another. Each step returns its finding, or raises Trouble."""

    def __init__(self, address: str, user: str, password: str, client: httpx2.Client) -> None:
        """`user`: the name of the user who signs in; `client` follows no redirects."""
        self._address = address
        self._user, self._password = user, password
        self._http = client
        self._public = PublicUrl("", "", "")
        self._resource_metadata = ""
        self._metadata: dict[str, Any] = {}
        self._id = self._question = self._csrf = self._code = self._access = self._refresh = ""
        self._verifier = secrets.token_urlsafe(48)

    def steps(self) -> dict[str, Step]:
        """Return the steps by name, in their order. Each needs the ones before it."""
        return {
            "address": self.address,
            "connection": self.connection,
            "challenge": self.challenge,
            "resource metadata": self.resource_metadata,
            "server metadata": self.server_metadata,
            "registration": self.registration,
            "sign-in page": self.sign_in_page,
            "sign-in": self.sign_in,
            "token": self.token,
            "call": self.call,
            "sign-out": self.sign_out,
        }

    def address(self) -> str:
        """Check the address itself."""
        try:
            whole = self._address.rstrip("/").removesuffix("/mcp")
            address, _, name = whole.partition("/v/")  # a server may have several vaults
            self._public = PublicUrl.of(address).at(f"/v/{name}" if name else "")
        except BadSettings as error:
            raise Trouble(
                str(error), "give another address: zkmem doctor --public https://notes.example.org"
            ) from error
        return self._public.base

    def connection(self) -> str:
        """Connect to the address, and check its certificate."""
        answer = self._send("GET", "/")
        return f"answers with {answer.status_code}" + (", certificate valid" if self._public.scheme == "https" else "")

    def challenge(self) -> str:
        """Call the endpoint without a token."""
        answer = self._send("POST", "/mcp", json=_INITIALIZE, headers=_JSON_RPC)
        match = re.search(r'resource_metadata="(.*?)"', answer.headers.get("www-authenticate", ""))
        if answer.status_code == 401 and match:
            self._resource_metadata = match[1]
            return "a request without a token is refused, and gets the address of the metadata"
        if answer.status_code == 401:
            raise self._wrong(answer, f"serve with --public-url {self._public.origin}")
        if "several vaults" in answer.text:
            raise self._wrong(answer, f"give the address of one: zkmem doctor --public {self._public.origin}/v/NAME")
        raise self._wrong(answer, "check that the proxy passes every path on to zkmem, unchanged")

    def resource_metadata(self) -> str:
        """Read which authorization server the endpoint names."""
        values = self._json(self._send("GET", self._resource_metadata))
        if values.get("resource") != self._public.resource:
            raise Trouble(
                f"the server thinks that it is at {values.get('resource')}, not {self._public.resource}",
                f"serve with --public-url {self._public.origin}, or give the address that the server has",
            )
        return f"resource {self._public.resource}"

    def server_metadata(self) -> str:
        """Read what the authorization server offers."""
        values = self._metadata = self._json(self._send("GET", f"{self._public.origin}{_METADATA}{self._public.path}"))
        expected = {
            "issuer": values.get("issuer") == self._public.base,
            "client_id_metadata_document_supported": values.get("client_id_metadata_document_supported") is True,
            "token_endpoint_auth_methods_supported": "none" in values.get("token_endpoint_auth_methods_supported", []),
            "code_challenge_methods_supported": "S256" in values.get("code_challenge_methods_supported", []),
            "registration_endpoint": bool(values.get("registration_endpoint")),
        }
        if wrong := [name for name, is_right in expected.items() if not is_right]:
            raise Trouble(
                f"the metadata are not those of zkmem: {', '.join(wrong)}",
                f"check which program answers at {_METADATA}",
            )
        return "documents of clients, registration and PKCE are offered"

    def registration(self) -> str:
        """Register as a client."""
        body = {"client_name": "zkmem doctor", "redirect_uris": [_REDIRECT]}
        answer = self._send("POST", self._metadata["registration_endpoint"], json=body)
        if answer.status_code != 201:
            raise self._wrong(answer, "read the log of the server")
        self._id = str(self._json(answer)["client_id"])
        return "a client can register"

    def sign_in_page(self) -> str:
        """Ask for access, and load the page that asks the user."""
        digest = hashlib.sha256(self._verifier.encode()).digest()
        params = {
            "response_type": "code",
            "client_id": self._id,
            "redirect_uri": _REDIRECT,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "scope": "zkmem:read",
            "state": _STATE,
            "resource": self._public.resource,
        }
        answer = self._send("GET", self._metadata["authorization_endpoint"], params=params)
        self._question = answer.headers.get("location", "")
        if answer.status_code != 302 or not self._question.startswith(f"{self._public.base}/signin/"):
            raise self._wrong(answer, "read the log of the server")
        page = self._send("GET", self._question)
        if page.status_code != 200 or 'name="csrf"' not in page.text:
            raise self._wrong(page, "check that the proxy passes /signin/ on to zkmem")
        self._csrf = re.findall(r'name="csrf" value="([\w-]+)"', page.text)[0]
        return "the page is shown"

    def sign_in(self) -> str:
        """Sign in on the page, as a browser does, with a user made for this check."""
        form = {
            "csrf": self._csrf,
            "right": "read",
            "folder": "",
            "days": "1",
            "user": self._user,
            "password": self._password,
            "answer": "allow",
        }
        answer = self._send("POST", self._question, data=form, headers={"Origin": self._public.origin})
        match = re.search(r"code=(zkmc_[\w-]+)", answer.text)
        if answer.status_code == 200 and match:
            self._code = match[1]
            return "a user can sign in, and is led back to the client"
        alert = re.search(r'role="alert">(.*?)<', answer.text)
        if alert and answer.status_code == 403:
            raise Trouble("the server does not know a user who was just added on this machine", _SAME_MACHINE)
        if alert:
            raise Trouble(f"the server refuses the sign-in: {alert[1]}", "try again later")
        raise self._wrong(answer, "check that the proxy passes the Origin of a request on, unchanged")

    def token(self) -> str:
        """Exchange the code for tokens."""
        body = {
            "grant_type": "authorization_code",
            "client_id": self._id,
            "code": self._code,
            "redirect_uri": _REDIRECT,
            "code_verifier": self._verifier,
            "resource": self._public.resource,
        }
        answer = self._send("POST", self._metadata["token_endpoint"], data=body)
        if answer.status_code != 200:
            raise self._wrong(answer, "read the log of the server")
        values = self._json(answer)
        self._access, self._refresh = str(values["access_token"]), str(values["refresh_token"])
        return "the code is exchanged for tokens"

    def call(self) -> str:
        """Call the endpoint with the token."""
        answer = self._send("POST", "/mcp", json=_INITIALIZE, headers={**_JSON_RPC, **self._bearer()})
        if answer.status_code != 200:
            raise self._wrong(answer, "check that the proxy passes the header Authorization on")
        if session := answer.headers.get("mcp-session-id"):
            self._send("DELETE", "/mcp", headers={**self._bearer(), "Mcp-Session-Id": session})
        return "the endpoint answers the client"

    def sign_out(self) -> str:
        """End the sign-in, and check that its token is no longer valid."""
        self._send("POST", self._metadata["revocation_endpoint"], data={"client_id": self._id, "token": self._refresh})
        answer = self._send("POST", "/mcp", json=_INITIALIZE, headers={**_JSON_RPC, **self._bearer()})
        if answer.status_code != 401:
            raise self._wrong(answer, "read the log of the server")
        return "the client can sign out"

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._access}"}

    def _send(self, method: str, where: str, **options: Any) -> httpx2.Response:
        """Send a request to an address of the server, or to a path below that of the vault, and to no other server."""
        url = where if "://" in where else f"{self._public.base}{where}"
        if f"{urlsplit(url).scheme}://{urlsplit(url).netloc}" != self._public.origin:
            raise Trouble(f"the server names the address {url}", f"serve with --public-url {self._public.origin}")
        try:
            answer = self._http.request(method, url, **options)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise Trouble(f"no connection to {self._public.origin}: {error}", _advice(error)) from error
        if answer.status_code == 421 and "WrongHost" in answer.text:
            raise Trouble(_sentence(answer), "let the proxy and --public-url name the same address")
        if answer.status_code in _GATEWAY:
            raise self._wrong(answer, "start zkmem, and check the port to which the proxy sends requests")
        return answer

    @staticmethod
    def _json(answer: httpx2.Response) -> dict[str, Any]:
        """Return the JSON object in an answer. Raise Trouble if there is none."""
        try:
            values = answer.json()
        except ValueError:
            values = None
        if answer.status_code >= 300 or not isinstance(values, dict):
            raise Play._wrong(answer, "check that the proxy passes every path on to zkmem, unchanged")
        return values

    @staticmethod
    def _wrong(answer: httpx2.Response, fix: str) -> Trouble:
        request = answer.request
        return Trouble(f"{request.method} {request.url.path} is answered with {_sentence(answer)}", fix)


@contextmanager
def play(address: str, target: CheckedVault) -> Iterator[Play]:
    """Yield a client that can sign in to the vault at this address; by default, the one in the settings.

    Its user is made for this, may only read, and is removed at the end.
    """
    address = address or target.settings().public_url
    if not address:
        raise Trouble("no address is given, and none is set", "zkmem doctor --public https://notes.example.org")
    users = Users(SignInStore(), target.vault)
    user, password = f"doctor-{secrets.token_hex(4)}", secrets.token_urlsafe(24)
    try:
        users.add(user, password, Right(read_only=True))
    except ZkError as error:
        raise Trouble(f"no user can be added: {error}", _SAME_MACHINE) from error
    try:
        with httpx2.Client(timeout=_PATIENCE_S, follow_redirects=False, trust_env=False) as client:
            yield Play(address, user, password, client)
    finally:
        users.remove(user)


def _sentence(answer: httpx2.Response) -> str:
    """Return the status of an answer, and what it says."""
    try:
        values = answer.json()
    except ValueError:
        values = {}
    error = values.get("error") if isinstance(values, dict) else None
    text = error.get("message") if isinstance(error, dict) else values.get("error_description") if error else ""
    if not text and (match := re.search(r"<p[^>]*>(.*?)</p>", answer.text, re.DOTALL)):
        text = match[1].strip()
    return f"{answer.status_code}" + (f": {str(text)[:300]}" if text else "")


def _advice(error: Exception) -> str:
    """Return what to do about a connection that fails."""
    causes: list[BaseException] = [error]
    while causes[-1].__cause__ or causes[-1].__context__:
        causes.append(causes[-1].__cause__ or causes[-1].__context__ or error)
    text = str(error)
    if any(isinstance(one, ssl.SSLError) for one in causes):
        return "give the proxy a certificate for this name that is valid everywhere"
    if "Name or service" in text or "nodename" in text or "No address" in text:
        return "let the name lead to the proxy: a DNS record, or the name that the tunnel shows"
    return "start the proxy or the tunnel, and open its port in the firewall; some routers do not let you call yourself"
