"""The bodies of requests: how large they may be, how slowly they may arrive, and which of them wait for others."""

import base64
import http.client
import json
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from tests.tools.servers import serving
from tests.tools.vaults import write

PATIENCE = 30.0  # seconds
LONG = "600"  # seconds, longer than any test
TYPE = {"Content-Type": "application/json"}
ANNOUNCED = 21_000_000  # bytes


@contextmanager
def paced(tmp_path_factory: pytest.TempPathFactory, stall: str, turn: str) -> Iterator[tuple[str, int]]:
    vault = write(tmp_path_factory.mktemp("bodies") / "vault", {"n.md": "A note.\n"})
    with serving([sys.executable, "-m", "tests.tools.paced", vault, stall, turn]) as url:
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        yield parts.hostname, parts.port


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A server at which bodies may stall only for a short time."""
    with paced(tmp_path_factory, "1", LONG) as address:
        yield address


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A server at which bodies may stall, and wait only for a short time for other large ones."""
    with paced(tmp_path_factory, LONG, "0.3") as address:
        yield address


def picture(count: int) -> bytes:
    """A request that stores a picture of so many bytes."""
    data = base64.b64encode(b"\xff\xd8\xff" + bytes(count - 3)).decode()
    return json.dumps({"note": "n", "title": "photo.jpg", "data": data}).encode()


def ask(
    address: tuple[str, int], body: bytes | Iterator[bytes], caller: str = "t", path: str = "/api/attachments"
) -> tuple[int, str]:
    """Send a request with http.client, which reads the answer only after it has sent all; chunked for an iterator."""
    connection = http.client.HTTPConnection(*address, timeout=PATIENCE)
    connection.request("POST", path, body, {**TYPE, "User-Agent": caller})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def begun(address: tuple[str, int], beginning: bytes, caller: str = "t", path: str = "/api/attachments",
          size: int = ANNOUNCED) -> socket.socket:  # fmt: skip
    """Send the head of a request and the beginning of its body."""
    connection = socket.create_connection(address, timeout=PATIENCE)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: {caller}\r\nContent-Type: application/json\r\n"
    connection.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode() + beginning)
    return connection


def rest(connection: socket.socket) -> str:
    """What the server sends until it closes the connection."""
    return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def test_a_body_that_stops_is_refused_and_its_connection_closed(strict: tuple[str, int]) -> None:
    with ExitStack() as held:
        paths = ("/mcp", "/api/rename", "/api/attachments")
        connections = [held.enter_context(begun(strict, b"{", path=path, size=100)) for path in paths]
        answers = [rest(connection) for connection in connections]
    for answer in answers:
        assert answer.startswith("HTTP/1.1 408 ")
        assert json.loads(answer.split("\r\n\r\n")[1])["error"] == {
            "kind": "TooSlow",
            "message": "The body of the request arrives too slowly: it stopped for 1 s, or has fewer than 64,000 bytes"
            " a second. Send it again over a better connection, or send less at once.",
        }


def test_a_body_that_arrives_byte_by_byte_is_refused(strict: tuple[str, int]) -> None:
    with begun(strict, b"{") as connection:
        connection.settimeout(0.05)  # one byte follows each wait for an answer
        answer = b""
        for _ in range(int(PATIENCE / 0.05)):
            try:
                answer = connection.recv(65_536)
                break
            except TimeoutError:
                connection.sendall(b" ")
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_large_body_that_stops_leaves_its_turn_to_others(strict: tuple[str, int]) -> None:
    with ExitStack() as held:
        for caller in ("t", "b", "c", "d"):  # with so much of the body, each has its turn, and the server waits for all
            held.enter_context(begun(strict, bytes(20_000_000), caller))
        assert [ask(strict, picture(5_000_000), caller)[0] for caller in ("t", "e")] == [201, 201]


def test_announcing_a_large_body_takes_no_turn(patient: tuple[str, int]) -> None:
    with ExitStack() as held:
        for caller in ("t", "b", "c", "d", "t"):
            held.enter_context(begun(patient, b"{", caller))
        assert [ask(patient, picture(5_000_000), caller)[0] for caller in ("t", "e")] == [201, 201]


def test_waiting_for_other_large_bodies_ends_with_a_sentence(patient: tuple[str, int]) -> None:
    body = picture(15_000_000)
    with begun(patient, body[:-1], "t", size=len(body)) as connection:
        status, text = ask(patient, picture(5_000_000), "t")
        assert (status, json.loads(text)["error"]) == (429, {
            "kind": "TooMany",
            "message": "The server reads one large file of each caller at a time, and 4 in all; this one has waited"
            " 0.3 s for the others. Send it again later.",
        })  # fmt: skip
        assert ask(patient, picture(5_000_000), "other")[0] == 201
        assert ask(patient, picture(1_000_000), "t")[0] == 201
        connection.sendall(body[-1:])
        assert connection.recv(65_536).startswith(b"HTTP/1.1 201 ")
    assert ask(patient, picture(5_000_000), "t")[0] == 201


def chunks(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 100_000):
        yield body[start : start + 100_000]


def test_a_large_picture_may_come_in_chunks(patient: tuple[str, int]) -> None:
    assert ask(patient, chunks(picture(15_000_000)))[0] == 201


@pytest.mark.parametrize(("path", "size"), [("/api/rename", 14_000_000), ("/api/attachments", 30_000_000)])
@pytest.mark.parametrize("declared", [True, False])
def test_a_client_that_sends_all_first_reads_why_it_is_refused(
    patient: tuple[str, int], path: str, size: int, declared: bool
) -> None:
    body = bytes(size)
    status, text = ask(patient, body if declared else chunks(body), path=path)
    assert (status, json.loads(text)["error"]["kind"]) == (413, "TooLarge")


def test_a_body_that_announces_too_much_is_refused_before_it_is_sent(strict: tuple[str, int]) -> None:
    with begun(strict, b"", path="/api/rename", size=4_000_001) as connection:
        assert rest(connection).startswith("HTTP/1.1 413 ")


def test_a_picture_that_is_refused_leaves_its_turn_to_the_next(patient: tuple[str, int]) -> None:
    for body, status in ((chunks(bytes(22_000_000)), 413), (bytes(6_000_000), 400)):
        assert ask(patient, body)[0] == status
        assert ask(patient, picture(5_000_000))[0] == 201
