"""Clients that are known by a document at their address: a real client, and documents that must not be fetched."""

import datetime
import http.server
import ipaddress
import json
import ssl
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.tools.servers import ERAS, serving
from tests.tools.signing_in import CALLBACK, Flow, Storage, add_user, free_port, public_server, signed_in
from tests.tools.vaults import write
from zkmem.errors import BadArgument, TooMany
from zkmem.serve.access.signin.attempts import Quota
from zkmem.serve.access.signin.documents import ClientDocuments, is_public


class Site(http.server.ThreadingHTTPServer):
    """A web server with TLS, whose answers a test sets by path: a status, headers and a body."""

    answers: dict[str, tuple[int, dict[str, str], bytes]]
    asked: list[str]
    certificate: str
    held: threading.Event  # once it is set, `/held?` is answered

    @property
    def url(self) -> str:
        return f"https://localhost:{self.server_address[1]}"

    def offer(self, path: str, **changes: object) -> str:
        """Offer the document of a client, and return its address."""
        url = f"{self.url}{path}"
        document = {"client_id": url, "client_name": "Documented", "redirect_uris": [CALLBACK]} | changes
        self.answers[path] = (200, {}, json.dumps(document).encode())
        return url


class Handler(http.server.BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/slow":
            self.rfile.read(1)  # nothing comes, until the client gives up
            return
        if self.path.startswith("/held?"):
            self.server.held.wait(60)
        status, headers, body = self.server.answers.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    path = certificate(tmp_path_factory.mktemp("tls"))
    site = Site(("127.0.0.1", 0), Handler)
    site.answers, site.asked, site.certificate, site.held = {}, [], str(path), threading.Event()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    site.socket = context.wrap_socket(site.socket, server_side=True)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    yield site
    site.shutdown()
    thread.join()
    site.server_close()


def certificate(folder: Path) -> Path:
    """A file with a key and a certificate for this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "certificate.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture(scope="module")
def url(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    vault = write(tmp_path_factory.mktemp("documents") / "notes", {"hint.md": "Start here.\n"})
    add_user(vault, "ann")
    port = free_port()
    with serving([sys.executable, "-m", "tests.tools.trusting_server", vault, str(port), site.certificate]) as mcp:
        yield mcp.removesuffix("/mcp")


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_the_sdks_client_signs_in_with_its_document_and_does_not_register(url: str, site: Site, era: str) -> None:
    document = site.offer(f"/{era}.json", redirect_uris=[CALLBACK])
    storage = Storage()
    async with signed_in(url, era, storage, document) as client:
        assert "Start here." in str(await client.call_tool("get_content", {"name": "hint"}))
    assert storage.client
    assert storage.client.client_id == document
    assert site.asked.count(f"/{era}.json") == 1, "it is kept for a while"


def test_the_page_says_whose_document_it_is(url: str, site: Site) -> None:
    flow = Flow(url)
    flow.id = site.offer("/named.json")
    page = httpx2.get(flow.question()).text
    assert f"the client of localhost:{site.server_address[1]}" in page
    assert "Documented" in page


def test_a_client_with_a_document_is_remembered_for_its_refresh_tokens(url: str, site: Site) -> None:
    flow = Flow(url)
    flow.id = site.offer("/remembered.json")
    tokens = flow.tokens()
    del site.answers["/remembered.json"]
    assert flow.refresh(tokens["refresh_token"]).status_code == 200


@pytest.mark.parametrize(
    ("path", "answer", "reason"),
    [
        ("/redirect", (302, {"Location": "/named.json"}, b""), "answers with 302"),
        ("/absent", (404, {}, b""), "answers with 404"),
        ("/large", (200, {}, b" " * 6_000 + b"{}"), "larger than 5 kB"),
        ("/zipped", (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b not JSON"), "cannot be used"),
        ("/list", (200, {}, b"[]"), "not a JSON object"),
        ("/other", (200, {}, b'{"client_id": "https://other.example/x"}'), "client_id is not its address"),
    ],
)
def test_a_document_that_is_not_one_is_refused(
    url: str, site: Site, path: str, answer: tuple[int, dict[str, str], bytes], reason: str
) -> None:
    site.answers[path] = answer
    refused = Flow(url).authorize(client_id=f"{site.url}{path}")
    assert refused.status_code == 422
    assert reason in refused.text


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"client_secret": "x"}, "asks for a secret"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "asks for a secret"),
        ({"redirect_uris": ["http://evil.example/"]}, "cannot be used"),
        ({"redirect_uris": []}, "redirect_uris"),
        ({"redirect_uris": "x"}, "redirect_uris"),
        ({"redirect_uris": [{}]}, "cannot be used"),
    ],
)
def test_a_document_that_this_server_cannot_serve_is_refused(
    url: str, site: Site, changes: dict[str, object], reason: str
) -> None:
    document = site.offer(f"/bad{len(site.answers)}.json", **changes)
    refused = Flow(url).authorize(client_id=document)
    assert refused.status_code == 422
    assert reason in refused.text


@pytest.mark.slow
def test_a_document_that_does_not_come_is_not_waited_for(url: str, site: Site) -> None:
    refused = Flow(url).authorize(client_id=f"{site.url}/slow")
    assert refused.status_code == 422
    assert "no public server with this name has sent it within 5 s" in refused.text


def test_a_redirect_that_the_document_does_not_name_is_refused(url: str, site: Site) -> None:
    document = site.offer("/strict.json")
    refused = Flow(url).authorize(client_id=document, redirect_uri="https://evil.example/")
    assert refused.status_code == 400
    assert "location" not in refused.headers


def test_a_server_fetches_no_document_from_its_own_network(site: Site, tmp_path: Path) -> None:
    vault = write(tmp_path / "notes", {"hint.md": "Start here.\n"})
    add_user(vault, "ann")
    asked = len(site.asked)
    with public_server(vault) as url:
        flow = Flow(url)
        for address in ("localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "169.254.169.254"):
            document = f"https://{address}:{site.server_address[1]}/named.json"
            refused = flow.authorize(client_id=document)
            assert refused.status_code == 422, address
            assert "no public server with this name has sent it" in refused.text, refused.text
    assert len(site.asked) == asked


@pytest.mark.anyio
async def test_who_asks_for_a_name_of_the_inner_network_learns_nothing_about_it(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    inner, open_to_all = ClientDocuments(), ClientDocuments(only_public=False)
    cases = [
        (inner, f"{site.url}/named.json", "which is not public"),
        (inner, "https://127.0.0.1/x", "which is not public"),
        (inner, "https://no-such-name.invalid/x", "gaierror"),
        (inner, f"https://{'long' * 20}.example/x", "UnicodeError"),
        (open_to_all, f"https://localhost:{free_port()}/x", "ConnectError"),
        (open_to_all, f"{site.url}/named.json", "CERTIFICATE_VERIFY_FAILED"),
    ]
    for documents, url, reason in cases:
        caplog.clear()
        with pytest.raises(BadArgument) as refused:
            await documents.fetch(url)
        assert str(refused.value) == (
            f"The client's document {url} cannot be used: no public server with this name has sent it within 5 s; the "
            "log of this server says why."
        )
        assert reason in caplog.text


def test_documents_that_do_not_come_for_strangers_hold_up_nobody_else(url: str, site: Site) -> None:
    flow, refused = Flow(url), threading.Semaphore(0)
    flow.id = site.offer("/quick.json")

    def ask(number: int) -> None:
        values = {"response_type": "code", "client_id": f"{site.url}/held?{number}"}
        network = {"X-Forwarded-For": f"2001:db8:{number % 3}:{number:x}::1"}
        answer = httpx2.get(f"{url}/authorize", params=values, headers=network, timeout=60)
        if answer.status_code == 429:
            refused.release()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    assert refused.acquire(timeout=60), "one network has no room left"
    assert flow.authorize().status_code == 302
    site.held.set()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "172.16.0.1", "192.168.1.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "255.255.255.255", "198.18.0.1", "::1", "::", "fd00::1", "fe80::1", "ff02::1", "fec0::1", "::ffff:10.0.0.1",
     "::ffff:8.8.8.8", "2002:7f00:1::", "2001::1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1"],
)  # fmt: skip
def test_an_address_that_is_not_of_the_internet_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.anyio
@pytest.mark.parametrize(
    "client_id",
    ["http://client.example/x", "https://client.example", "https://client.example/", "https://a:b@client.example/x",
     "https://client.example/x#y", "https://client.example/a/../x", "https://client.example/a b", "HTTPS://a.example/x",
     "https:///x", "https://[::1/x", "https://client.example:x/y", "https://client.example/" + "x" * 600],
)  # fmt: skip
async def test_an_id_that_is_no_address_of_a_document_is_refused(client_id: str) -> None:
    documents = ClientDocuments()
    documents.quota = Quota(0, "documents")  # so that nothing is sent
    with pytest.raises(BadArgument):
        await documents.fetch(client_id)


@pytest.mark.anyio
async def test_who_asks_for_too_many_documents_must_wait() -> None:
    documents = ClientDocuments()
    documents.quota = Quota(0, "documents")
    with pytest.raises(TooMany):
        await documents.fetch("https://client.example/x")
