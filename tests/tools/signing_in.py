"""A server on which users sign in, a person who answers its page, and clients that ask for access."""

import base64
import contextlib
import hashlib
import html
import itertools
import os
import re
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.tools.forked import forked_serving
from tests.tools.servers import ERAS
from zkmem.serve.access.signin.store import Right, SignInStore
from zkmem.serve.access.signin.users import Users

PASSWORD = "correct horse battery staple"
CALLBACK = "https://client.example/callback"


_PORTS = itertools.count(os.getpid() * 500)  # each worker of the tests has some of its own


def free_port() -> int:
    """Return a port that nobody uses. The system gives none of its range to a connection in the meantime."""
    while True:
        port = 10_000 + next(_PORTS) % 20_000
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


def add_user(vault: str, name: str, right: Right | None = None) -> None:
    users = Users(SignInStore(), vault)
    users.add(name, None if users.has_password(name) else PASSWORD, right or Right())


@contextlib.contextmanager
def public_server(vault: str, *options: str, port: int = 0, host: str = "127.0.0.1", **environ: str) -> Iterator[str]:
    """A server process whose public address is that of this machine; yields it, without a slash at the end.

    Browsers have passkeys for names only, such as `localhost`.
    """
    port = port or free_port()
    url = f"http://{host}:{port}"
    words = ("serve", vault, "--mode", "http", "--port", str(port), "--public-url", url, *options)
    with forked_serving(words, **environ):
        yield url


_NETWORKS = itertools.count()


def elsewhere() -> dict[str, str]:
    """Return the headers of a request from a network that no other request came from: each has a quota."""
    number = next(_NETWORKS)
    return {"X-Forwarded-For": f"10.{number // 256 % 256}.{number % 256}.1"}


class Flow:
    """A client that registers, asks for access and exchanges its code, step by step."""

    def __init__(self, url: str, redirect: str = CALLBACK, name: str = "Tester") -> None:
        self.url = url
        self.redirect = redirect
        self.verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        self.challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        answer = self.register(redirect_uris=[redirect], client_name=name)
        assert answer.status_code == 201, answer.text
        self.id: str = answer.json()["client_id"]

    def register(self, **metadata: object) -> httpx2.Response:
        return httpx2.post(f"{self.url}/register", json=metadata, headers=elsewhere(), timeout=30)

    def authorize(self, **changes: str | None) -> httpx2.Response:
        """Ask for access as a browser does. A change of None leaves a parameter out."""
        values: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.redirect,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": "s-1",
            "resource": f"{self.url}/mcp",
        }
        values |= changes
        params = {key: value for key, value in values.items() if value is not None}
        return httpx2.get(f"{self.url}/authorize", params=params, timeout=30)

    def question(self, **changes: str | None) -> str:
        """Return the address of the page that asks the user."""
        answer = self.authorize(**changes)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]

    def code(self, **choice: str) -> str:
        """Let a person allow access, and return the code."""
        values = parse_qs(urlsplit(allowed(self.question(), **choice)).query)
        assert values["state"] == ["s-1"]
        assert values["iss"] == [self.url]
        return values["code"][0]

    def exchange(self, code: str, **changes: str) -> httpx2.Response:
        values = {
            "grant_type": "authorization_code",
            "client_id": self.id,
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            "resource": f"{self.url}/mcp",
        }
        return httpx2.post(f"{self.url}/token", data=values | changes, timeout=30)

    def refresh(self, token: str, **changes: str) -> httpx2.Response:
        values = {"grant_type": "refresh_token", "client_id": self.id, "refresh_token": token}
        return httpx2.post(f"{self.url}/token", data=values | changes, timeout=30)

    def tokens(self, **choice: str) -> dict[str, Any]:
        answer = self.exchange(self.code(**choice))
        assert answer.status_code == 200, answer.text
        values: dict[str, Any] = answer.json()
        return values

    def call(self, access: str, path: str = "/api/vault", method: str = "GET", **options: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {access}", **options.pop("headers", {})}
        return httpx2.request(method, f"{self.url}{path}", headers=headers, timeout=30, **options)


def fields(page: str) -> dict[str, str]:
    """The hidden fields of a form."""
    return {
        html.unescape(k): html.unescape(v) for k, v in re.findall(r'type="hidden" name="(.*?)" value="(.*?)"', page)
    }


def answered(question: str, answer: str = "allow", **choice: str) -> httpx2.Response:
    """Fill in the page that asks the user, and send it."""
    with httpx2.Client(timeout=30) as browser:
        page = browser.get(question)
        assert page.status_code == 200, page.text
        values = fields(page.text) | {"right": "write", "days": "90", "user": "ann", "password": PASSWORD}
        origin = "/".join(question.split("/")[:3])
        return browser.post(question, data=values | {"answer": answer} | choice, headers={"Origin": origin})


def allowed(question: str, **choice: str) -> str:
    """Allow access, and return the address to which the page leads back."""
    answer = answered(question, **choice)
    assert answer.status_code == 200, answer.text
    return led_back(answer)


def led_back(answer: httpx2.Response) -> str:
    found = re.search(r'http-equiv="refresh" content="0; url=(.*?)"', answer.text)
    assert found, answer.text
    return html.unescape(found[1])


class Storage(TokenStorage):
    """Keeps what the SDK's client has got."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@contextlib.asynccontextmanager
async def signed_in(
    url: str, era: str, storage: Storage, document: str | None = None, redirect: str = CALLBACK, **choice: str
) -> AsyncIterator[Client]:
    """The SDK's own client, whose user answers the page of the server. `document`: the address that is its id."""
    led: list[str] = []

    async def to_page(address: str) -> None:
        answer = httpx2.get(address, timeout=30)
        assert answer.status_code == 302, answer.text
        led.append(allowed(answer.headers["location"], **choice))

    async def back() -> AuthorizationCodeResult:
        values = parse_qs(urlsplit(led.pop()).query)
        return AuthorizationCodeResult(code=values["code"][0], state=values["state"][0], iss=values["iss"][0])

    metadata = OAuthClientMetadata.model_validate({"redirect_uris": [redirect], "client_name": "SDK client"})
    auth = OAuthClientProvider(f"{url}/mcp", metadata, storage, to_page, back, document)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=ERAS[era]) as client,
    ):
        yield client
