"""Strangers with many addresses: a real server, to which a proxy on this machine names the address of each sender."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.tools.signing_in import CALLBACK, PASSWORD, Flow, add_user, allowed, public_server
from tests.tools.vaults import write
from zkmem.serve.access.signin.store import SignInStore

CROWDS = {
    "20 /64 in one /56": [f"2001:db8:1:{number:x}::" for number in range(20)],
    "20 /56 in one /48": [f"2001:db8:2:{number:x}00::" for number in range(20)],
    "20 /48": [f"2001:db8:3{number:02x}::" for number in range(20)],
    "20 networks of IPv4": [f"198.51.{number}." for number in range(20)],
    "1,000 /48": [f"2001:db8:{number:x}::" for number in range(4_096, 5_096)],
}


def crowd(networks: list[str]) -> Iterator[dict[str, str]]:
    """The headers of requests from these networks in turn, each time from another address."""
    for number in itertools.count():
        network, host = networks[number % len(networks)], number // len(networks) + 1
        yield {"X-Forwarded-For": f"{network}{host:x}" if ":" in network else f"{network}{host % 250}"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    vault = write(tmp_path_factory.mktemp("strangers") / "notes", {"hint.md": "Start here.\n"})
    add_user(vault, "ann")
    with public_server(vault) as url:
        yield url


def ask(flow: Flow, http: httpx2.Client, headers: dict[str, str]) -> str:
    """Ask for access from an address, and return the address of the page that asks the user."""
    params = {
        "response_type": "code",
        "client_id": flow.id,
        "redirect_uri": flow.redirect,
        "code_challenge": flow.challenge,
        "code_challenge_method": "S256",
        "state": "s-1",
    }
    answer = http.get(f"{flow.url}/authorize", params=params, headers=headers)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


@pytest.mark.slow
@pytest.mark.parametrize("networks", CROWDS)
def test_a_thousand_pages_of_strangers_end_no_page_of_somebody_else(url: str, networks: str) -> None:
    flow = Flow(url)
    before = flow.question()
    with httpx2.Client(timeout=30) as http:
        for headers in itertools.islice(crowd(CROWDS[networks]), 1_000):
            ask(flow, http, headers)
    for question in (before, flow.question()):
        assert allowed(question).startswith(f"{CALLBACK}?code=")
        assert httpx2.get(question).status_code == 404, "it is answered once"


def test_pages_that_strangers_refuse_open_no_answered_page_again(url: str) -> None:
    flow = Flow(url)
    question = flow.question()
    allowed(question)
    for headers in itertools.islice(crowd(CROWDS["20 /48"]), 40):
        with httpx2.Client(timeout=30, headers=headers) as http:
            other = ask(flow, http, headers)
            csrf = http.get(other).text.partition('name="csrf" value="')[2].partition('"')[0]
            assert http.post(other, data={"csrf": csrf, "answer": "deny"}).status_code == 200
            assert http.get(other).status_code == 404
    assert httpx2.get(question).status_code == 404


def test_a_changed_address_of_a_page_leads_nowhere(url: str) -> None:
    flow = Flow(url)
    question = flow.question()
    head, signed, mark = question.rpartition("/signin/")[2].split(".")
    other = flow.question().rpartition("/signin/")[2].split(".")
    for parts in ((head, other[1], mark), (head, signed, other[2]), (head, signed, ""), (head, signed[:-4], mark)):
        assert httpx2.get(f"{url}/signin/{'.'.join(parts)}").status_code == 404
    for made_up in ("x", "a.b.c", "...", "%ff%fe", "%00", "5.5.5", "W10." * 2, "[" * 9_000, "e30.e30."):
        assert httpx2.get(f"{url}/signin/{made_up}").status_code == 404, made_up
    assert allowed(question)


def test_the_page_of_the_longest_request_has_an_address_that_proxies_take(url: str) -> None:
    flow = Flow(url, redirect="https://client.example/" + "r" * 400, name="\N{GRINNING FACE}" * 60)
    room = 5_000 - len(flow.authorize(state="").url.query)
    question = flow.question(state="s" * room)
    assert 6_000 < len(question) < 8_000
    assert f"state={'s' * room}" in allowed(question)
    assert "too long" in flow.authorize(state="s" * (room + 1)).text


@pytest.mark.parametrize("networks", ["20 /64 in one /56", "20 /48", "20 networks of IPv4"])
def test_registrations_of_strangers_push_out_nobody_who_has_just_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, networks: str
) -> None:
    vault = write(tmp_path / "notes", {"hint.md": "Start here.\n"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    add_user(vault, "ann")
    with public_server(vault) as url:
        first = Flow(url)
        with httpx2.Client(timeout=30) as http:
            body = {"redirect_uris": [CALLBACK], "client_name": "Stranger"}
            answers = [
                http.post(f"{url}/register", json=body, headers=headers).status_code
                for headers in itertools.islice(crowd(CROWDS[networks][:4]), 220)
            ]
            later = Flow(url)
            assert http.post(f"{url}/register", json=body, headers={"X-Forwarded-For": "2001:db9::"}).status_code == 201
        one_network = networks == "20 /64 in one /56"
        assert answers == [201] * (120 if one_network else 220) + [429] * (100 if one_network else 0)
        assert len(SignInStore().load().clients) <= 200
        assert first.code()
        assert later.code()
    assert {one.address for one in SignInStore().load().clients if one.used} == {""}


@pytest.mark.slow
@pytest.mark.parametrize("networks", ["20 /64 in one /56", "20 /48", "20 networks of IPv4", "1,000 /48"])
def test_made_up_names_keep_nobody_from_signing_in(url: str, networks: str) -> None:
    count = 4 if networks.startswith("20") else 1_000
    checked, over, seen = threading.Semaphore(0), threading.Event(), list[int]()

    def guess(number: int) -> None:
        with httpx2.Client(timeout=60) as http:
            for attempt, headers in enumerate(itertools.islice(crowd(CROWDS[networks][:count]), number, None, 10)):
                values = {"user": f"nobody-{number}-{attempt}", "password": "x" * 12}
                seen.append(http.post(f"{url}/session", data=values, headers=headers).status_code)
                checked.release()
                if over.is_set():
                    return

    threads = [threading.Thread(target=guess, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    checked.acquire()
    values = {"user": "ann", "password": PASSWORD}
    own = {"X-Forwarded-For": "203.0.113.7"}
    answers = [httpx2.post(f"{url}/session", data=values, headers=own, timeout=60).status_code for _ in range(3)]
    over.set()
    for thread in threads:
        thread.join()
    assert answers == [200] * 3
    assert set(seen) <= {403, 429}
