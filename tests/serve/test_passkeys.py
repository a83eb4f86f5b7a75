"""Signing in with a passkey: the device is one of the test, the server is real, and every attack is refused."""

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from tests.tools.authenticator import Authenticator, text
from tests.tools.servers import serving
from tests.tools.signing_in import PASSWORD, Flow, add_user, elsewhere, fields, free_port, led_back, public_server
from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.errors import Unauthorized
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.passkeys import MOST, Passkeys
from zkmem.serve.access.signin.store import Right, SignInStore
from zkmem.serve.access.signin.users import Users

NOTES: dict[str, str | bytes] = {"hint.md": "Start here.\n", "work/plan.md": "The plan.\n"}


class Server:
    """A server with the users ann and bob, who may read a folder."""

    def __init__(self, vault: str, url: str) -> None:
        self.vault, self.url = vault, url

    def post(self, path: str, values: dict[str, str], token: str = "", **headers: str) -> httpx2.Response:
        headers = {**elsewhere(), **headers}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return httpx2.post(f"{self.url}{path}", data=values, headers=headers, timeout=30)

    def token(self, user: str = "ann") -> str:
        answer = self.post("/session", {"user": user, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["token"])

    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = self.post("/session/passkey", {}).json()
        return options

    def begin(self, token: str, password: str = PASSWORD) -> dict[str, Any]:
        answer = self.post("/passkeys/begin", {"password": password}, token)
        assert answer.status_code == 200, answer.text
        options: dict[str, Any] = answer.json()
        return options

    def add(self, token: str, answer: str, name: str = "Phone") -> httpx2.Response:
        return self.post("/passkeys", {"passkey": answer, "name": name}, token)

    def device(self, user: str = "ann") -> Authenticator:
        """A device on which the user has a passkey."""
        device, token = Authenticator(self.url), self.token(user)
        for one in self.own(token):
            Flow(self.url).call(token, f"/api/passkeys/{one['id']}", "DELETE")
        added = self.add(token, device.create(self.begin(token)))
        assert added.status_code == 200, added.text
        return device

    def own(self, token: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = Flow(self.url).call(token, "/api/passkeys").json()["passkeys"]
        return rows

    def sign_in(self, answer: str) -> httpx2.Response:
        return self.post("/session", {"passkey": answer})

    def audit(self) -> list[dict[str, Any]]:
        lines = Path(self.vault, ".zkmem/audit.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def run(self, *arguments: str, text: str | None = None) -> str:
        return CliRunner().invoke(cli, [*arguments, "-C", self.vault], input=text, catch_exceptions=False).output


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    vault = write(tmp_path_factory.mktemp("passkeys") / "notes", NOTES)
    add_user(vault, "ann")
    add_user(vault, "bob", Right("work", read_only=True))
    with public_server(vault, host="localhost") as url:
        yield Server(vault, url)


def asked(page: httpx2.Response) -> dict[str, Any]:
    """What the page that asks for consent gives to the browser."""
    found = re.search(r'data-question="(.*?)"', page.text)
    assert found, page.text
    options: dict[str, Any] = json.loads(html.unescape(found[1]))
    return options


def consent(question: str, answer: str, **choice: str) -> httpx2.Response:
    """Answer the page that asks with a passkey, as its script does."""
    values = fields(httpx2.get(question).text) | {"right": "write", "days": "90", "passkey": answer} | choice
    return httpx2.post(question, data=values, headers=elsewhere(), timeout=30)


def refused(answer: httpx2.Response) -> None:
    assert answer.status_code == 403, answer.text
    assert "The passkey was refused" in answer.text


def test_a_person_adds_a_passkey_and_signs_in_to_the_page_with_it(server: Server) -> None:
    device, token = Authenticator(server.url), server.token()
    options = server.begin(token)
    assert options["rp"]["id"] == "localhost"
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert server.add(token, device.create(options), "My phone").json() == {"name": "My phone"}
    assert (server.audit()[-1]["event"], server.audit()[-1]["passkey"]) == ("passkey added", "My phone")
    options = server.options()
    assert options["userVerification"] == "required"
    assert not options.get("allowCredentials")
    given = server.sign_in(device.get(options)).json()["token"]
    about = Flow(server.url).call(given).json()
    assert (about["person"], about["can_write"]) == ("ann", True)
    assert (server.audit()[-1]["event"], server.audit()[-1]["passkey"]) == ("sign-in", "My phone")
    mine = next(one for one in server.own(given) if one["name"] == "My phone")
    assert mine["used"] >= mine["created"]


def test_a_passkey_gives_a_client_what_was_chosen_and_no_more_than_the_person_may(server: Server) -> None:
    device = server.device()
    flow = Flow(server.url)
    question = flow.question()
    page = httpx2.get(question)
    answer = consent(question, device.get(asked(page)), folder="work", right="read", days="1")
    code = re.search(r"code=(zkmc_[\w-]+)", led_back(answer))
    assert code
    access = flow.exchange(code[1]).json()["access_token"]
    assert flow.call(access, "/api/notes/work/plan").status_code == 200
    assert flow.call(access, "/api/notes/hint").status_code == 404
    event = server.audit()[-1]
    assert (event["user"], event["folder"], event["read_only"], event["passkey"]) == ("ann", "work", True, "Phone")
    assert event["expires"] - event["time"] == pytest.approx(86_400, abs=60)
    bob, question = server.device("bob"), Flow(server.url).question()
    answer = consent(question, bob.get(asked(httpx2.get(question))), folder="")
    assert answer.status_code == 200, answer.text
    event = server.audit()[-1]
    assert (event["user"], event["folder"], event["read_only"]) == ("bob", "work", True)


def test_a_wrong_choice_with_a_passkey_is_explained_and_the_passkey_is_asked_for_again(server: Server) -> None:
    device, question = server.device(), Flow(server.url).question()
    options = asked(httpx2.get(question))
    answer = consent(question, device.get(options), folder="nowhere")
    assert "no folder" in answer.text
    assert asked(answer)["challenge"] != options["challenge"]
    assert consent(question, device.get(asked(answer)), folder="work").status_code == 200


ATTACKS: dict[str, Callable[[Authenticator, dict[str, Any]], str]] = {
    "the page of another origin": lambda device, options: device.get(options, origin="http://localhost"),
    "the page of a host that begins alike": lambda device, options: device.get(options, origin=f"{device.origin}0"),
    "a passkey for another host": lambda device, options: device.get(options, rp_id="evil.example"),
    "nobody has shown who uses the device": lambda device, options: device.get(options, verified=False),
    "an invented challenge": lambda device, options: device.get(options, challenge=text(bytes(32))),
    "another key": lambda device, options: device.get(options, key=other_key()),
    "an unknown passkey": lambda device, options: device.get(
        options, credential=device.credentials[0]._replace(id=b"unknown")
    ),
    "the handle of another user": lambda device, options: device.get(options, handle=text(bytes(32))),
    "no handle": lambda device, options: device.get(options, handle=None),
    "what answers the question for a new passkey": lambda device, options: device.get(options, kind="webauthn.create"),
    "no JSON": lambda device, options: "x",
    "no object": lambda device, options: "[]",
    "deep JSON": lambda device, options: "[" * 5_000,
    "no response": lambda device, options: '{"response": {"clientDataJSON": "e30"}}',
}


def other_key() -> Any:
    other = Authenticator("")
    other.create({"user": {"id": ""}, "challenge": "", "rp": {"id": ""}})
    return other.credentials[0].key


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_answer_that_breaks_a_rule_of_passkeys_is_refused(server: Server, attack: str) -> None:
    device = server.device()
    refused(server.sign_in(ATTACKS[attack](device, server.options())))
    question = Flow(server.url).question()
    refused(consent(question, ATTACKS[attack](device, asked(httpx2.get(question)))))
    assert server.sign_in(device.get(server.options())).status_code == 200, "the device itself is as good as before"


def test_a_challenge_is_answered_once_and_only_where_it_was_asked(server: Server) -> None:
    device = server.device()
    answer = device.get(server.options())
    assert server.sign_in(answer).status_code == 200
    refused(server.sign_in(answer))
    one, other = Flow(server.url).question(), Flow(server.url, "https://evil.example/cb").question()
    answer = device.get(asked(httpx2.get(one)))
    refused(consent(other, answer))
    refused(consent(one, answer))  # the challenge has gone
    refused(server.sign_in(device.get(asked(httpx2.get(one)))))
    refused(consent(one, device.get(server.options())))
    token = server.token()
    assert (
        server.add(token, Authenticator(server.url).create(server.begin(token) | server.options())).status_code == 403
    )


def test_challenges_of_strangers_end_no_challenge_of_somebody_else(server: Server) -> None:
    device = server.device()
    answer = device.get(server.options())
    with httpx2.Client(timeout=30) as http:
        for number in range(1_020):
            network = {"X-Forwarded-For": f"2001:db8:{number % 20:x}::{number:x}"}
            assert http.post(f"{server.url}/session/passkey", headers=network).status_code == 200
    assert server.sign_in(answer).status_code == 200


def test_a_copied_passkey_is_noticed_by_its_count_of_uses(server: Server) -> None:
    device = server.device()
    assert server.sign_in(device.get(server.options())).status_code == 200
    for uses in (device.uses, device.uses - 1, 0):
        answer = server.sign_in(device.get(server.options(), uses=uses))
        assert answer.status_code == 403
        assert "there is a copy of it" in answer.text
    event = server.audit()[-1]
    assert (event["event"], event["user"], event["passkey"]) == ("passkey refused", "ann", "Phone")
    assert server.sign_in(device.get(server.options())).status_code == 200


def test_a_device_that_does_not_count_is_taken(server: Server) -> None:
    device, token = Authenticator(server.url), server.token()
    device.counts = False
    assert server.add(token, device.create(server.begin(token))).status_code == 200
    for _ in range(2):
        assert server.sign_in(device.get(server.options())).status_code == 200


def test_a_stolen_token_of_the_page_adds_no_passkey(server: Server) -> None:
    token, device = server.token(), Authenticator(server.url)
    answer = server.post("/passkeys/begin", {"password": "not the password"}, token)
    assert (answer.status_code, "wrong" in answer.text) == (403, True)
    assert server.post("/passkeys/begin", {}, token).status_code == 403
    options = server.begin(token)
    stolen = server.token()  # of another sign-in of the same person
    refused(server.add(stolen, device.create(options)))
    refused(server.add(token, device.create(options)))  # it was taken
    bob = server.token("bob")
    refused(server.add(bob, device.create(server.begin(token))))


def test_only_a_person_on_the_page_adds_sees_and_removes_passkeys_and_only_the_own_ones(server: Server) -> None:
    server.device()
    client = Flow(server.url).tokens()["access_token"]
    for secret in (client, "", "zkma_unknown"):
        for path in ("/passkeys/begin", "/passkeys"):
            answer = server.post(path, {"password": PASSWORD, "passkey": "x", "name": "x"}, secret)
            assert (answer.status_code, "Only people" in answer.text) == (403, True), path
    assert Flow(server.url).call(client, "/api/passkeys").status_code == 403
    ann, bob = server.token(), server.token("bob")
    mine = server.own(ann)[0]["id"]
    assert mine not in [one["id"] for one in server.own(bob)]
    assert Flow(server.url).call(bob, f"/api/passkeys/{mine}", "DELETE").status_code == 404
    assert Flow(server.url).call(client, f"/api/passkeys/{mine}", "DELETE").status_code == 403
    assert [one["id"] for one in server.own(ann)] == [mine]


def test_a_passkey_of_another_origin_host_or_unverified_person_is_not_added(server: Server) -> None:
    token = server.token()
    before = server.own(token)
    for changes in ({"origin": "http://evil.example"}, {"rp_id": "evil.example"}, {"verified": False}):
        refused(server.add(token, Authenticator(server.url).create(server.begin(token), **changes)))
    assert server.own(token) == before


def test_the_passkey_of_another_user_is_not_added(server: Server) -> None:
    known = server.device().credentials[0]
    bob = server.token("bob")
    answer = server.add(bob, Authenticator(server.url).create(server.begin(bob), id=known.id))
    assert (answer.status_code, "already" in answer.text) == (422, True)


def test_names_and_numbers_of_passkeys_have_bounds(server: Server) -> None:
    server.device()
    token, device = server.token(), Authenticator(server.url)
    for name in ("", " ", "x" * 61, "a\nb"):
        assert server.add(token, device.create(server.begin(token)), name).status_code == 422
    huge = device.create(server.begin(token), id=bytes(1_024))
    assert server.add(token, huge).status_code in {403, 422}
    for number in range(2, MOST + 1):
        assert server.add(token, device.create(server.begin(token))).json() == {"name": f"Phone-{number}"}
    answer = server.post("/passkeys/begin", {"password": PASSWORD}, token)
    assert (answer.status_code, "remove one first" in answer.text) == (422, True)
    assert len(server.begin(server.token("bob"))["excludeCredentials"]) == len(server.own(server.token("bob")))


def test_a_removed_passkey_signs_in_no_more(server: Server) -> None:
    device, token = server.device(), server.token()
    path = f"/api/passkeys/{server.own(token)[0]['id']}"
    assert Flow(server.url).call(token, path, "DELETE").json() == {"done": True}
    assert (server.audit()[-1]["event"], server.audit()[-1]["passkey"]) == ("passkey removed", "Phone")
    assert Flow(server.url).call(token, path, "DELETE").status_code == 404
    refused(server.sign_in(device.get(server.options())))


def test_a_new_password_removes_the_passkeys_and_so_does_removing_the_user(server: Server) -> None:
    add_user(server.vault, "carl")
    device = server.device("carl")
    assert "(since" in server.run("user", "list")
    assert ", 1 passkey)" in server.run("user", "list")
    rows = json.loads(server.run("user", "list", "--json"))["users"]
    assert [one["passkeys"] for one in rows if one["name"] == "carl"] == [1]
    assert "1 passkey removed; " in server.run("user", "password", "carl", text=f"{PASSWORD}\n")
    event = server.audit()[-1]
    assert (event["event"], event["user"], event["passkey"]) == ("passkey removed", "carl", "Phone")
    refused(server.sign_in(device.get(server.options())))
    device = server.device("carl")
    assert "1 passkey removed; " in server.run("user", "remove", "carl")
    assert str(server.audit()[-1]["reason"]).startswith("its user was removed")
    refused(server.sign_in(device.get(server.options())))
    add_user(server.vault, "carl")
    refused(server.sign_in(device.get(server.options())))
    server.run("user", "remove", "carl")


def test_a_passkey_is_for_all_vaults_of_its_user_and_for_no_other(tmp_path: Path) -> None:
    vaults = [write(tmp_path / name, NOTES) for name in ("notes", "work", "other")]
    for vault in vaults[:2]:
        add_user(vault, "ann")
    add_user(vaults[2], "bob")
    with public_server(*vaults, host="localhost") as base:
        notes, work, other = (Server(vault, f"{base}/v/{Path(vault).name}") for vault in vaults)
        token, device = notes.token(), Authenticator(base)
        assert notes.add(token, device.create(notes.begin(token))).status_code == 200
        refused(notes.sign_in(device.get(work.options())))  # the question was of another vault
        given = work.sign_in(device.get(work.options())).json()["token"]
        assert Flow(work.url).call(given).json()["person"] == "ann"
        refused(other.sign_in(device.get(other.options())))


def test_failed_passkeys_make_an_address_wait_and_end_the_question(server: Server) -> None:
    vault_address = {"X-Forwarded-For": "10.9.8.7"}
    for _ in range(5):
        assert server.post("/session", {"passkey": "{}"}, **vault_address).status_code == 403
    answer = server.post("/session", {"passkey": "{}"}, **vault_address)
    assert answer.status_code == 429
    assert "Try again in" in answer.text
    answer = server.post("/session", {"user": "ann", "password": PASSWORD}, **vault_address)
    assert answer.status_code == 429, "passwords and passkeys are counted together"
    question, statuses = Flow(server.url).question(), []
    csrf = re.findall(r'name="csrf" value="(.*?)"', httpx2.get(question).text)[0]
    for number in range(11):
        elsewhere = {"X-Forwarded-For": f"10.7.7.{number}"}
        statuses.append(
            httpx2.post(question, data={"csrf": csrf, "passkey": "{}", "days": "1"}, headers=elsewhere).status_code
        )
    assert statuses == [403] * 10 + [404]


def test_the_page_that_asks_runs_one_script_and_only_where_somebody_has_a_passkey(server: Server) -> None:
    flow = Flow(server.url, name="<script>alert(1)</script>")
    server.device()
    page = httpx2.get(flow.question())
    assert (
        f"script-src {server.url}/person/consent.js {server.url}/person/passkey.js; style-src"
        in page.headers["content-security-policy"]
    )
    assert "unsafe" not in page.headers["content-security-policy"]
    assert re.findall(r"<script.*?>", page.text) == [f'<script type="module" src="{server.url}/person/consent.js">']
    assert 'content="passkey"' in httpx2.get(f"{server.url}/").text
    for user in ("ann", "bob"):
        token = server.token(user)
        for one in server.own(token):
            assert Flow(server.url).call(token, f"/api/passkeys/{one['id']}", "DELETE").status_code == 200
    page = httpx2.get(flow.question())
    assert "script-src" not in page.headers["content-security-policy"]
    assert "<script" not in page.text
    assert 'content="password"' in httpx2.get(f"{server.url}/").text


def test_the_answer_of_another_page_is_refused_with_a_passkey_too(server: Server) -> None:
    device, question = server.device(), Flow(server.url).question()
    answer = device.get(asked(httpx2.get(question)))
    values = {"passkey": answer, "days": "1", "right": "read", "csrf": "x"}
    assert httpx2.post(question, data=values).status_code == 422
    assert httpx2.post(question, data=values, headers={"Origin": "http://evil.example"}).status_code == 403


def test_the_stored_file_holds_public_keys_only_and_one_without_passkeys_is_read(server: Server) -> None:
    device = server.device()
    stored = Path(SignInStore().path).read_text("utf-8")
    secret = device.credentials[0].key.private_numbers().private_value
    assert text(secret.to_bytes(32, "big")) not in stored
    values = json.loads(stored)
    for user in values["users"]:
        del user["passkeys"], user["handle"]
    Path(SignInStore().path).write_text(json.dumps(values), "utf-8")
    assert [one.passkeys for one in Users(SignInStore(), server.vault).all() if one.name != "carl"] == [(), ()]
    assert server.token()
    Path(SignInStore().path).write_text(stored, "utf-8")


def test_a_user_who_was_removed_meanwhile_gets_no_passkey(server: Server, tmp_path: Path) -> None:
    for user, vault in (("ann", str(tmp_path)), ("nobody", server.vault)):
        with pytest.raises(Unauthorized, match="has been removed"):
            Passkeys(SignInStore(), vault, PublicUrl.of(server.url)).begin(user, "add")


def test_browsers_have_no_passkeys_for_an_address_of_numbers(server: Server) -> None:
    assert Passkeys(SignInStore(), server.vault, PublicUrl.of(server.url)).is_offered
    for address in ("http://127.0.0.1:1", "https://[2001:db8::1]"):
        assert not Passkeys(SignInStore(), server.vault, PublicUrl.of(address)).is_offered


HIDE = """
from importlib.machinery import PathFinder
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name == "webauthn" else found(name, *more)
"""


def test_without_the_library_the_password_is_the_only_way(server: Server, tmp_path: Path) -> None:
    device = server.device()
    (tmp_path / "sitecustomize.py").write_text(HIDE, "utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    port = free_port()
    url = f"http://localhost:{port}"
    command = [sys.executable, "-m", "zkmem", "serve", server.vault, "--mode", "http", "--port", str(port)]
    with serving([*command, "--public-url", url], PYTHONPATH=path):
        bare = Server(server.vault, url)
        token = bare.token()
        assert [one["name"] for one in bare.own(token)] == ["Phone"]
        assert not Flow(url).call(token, "/api/passkeys").json()["can_add"]
        assert 'content="password"' in httpx2.get(f"{url}/").text
        assert "<script" not in httpx2.get(Flow(url).question()).text
        for path, values in (
            ("/session/passkey", {}),
            ("/session", {"passkey": device.get(server.options())}),
            ("/passkeys/begin", {"password": PASSWORD}),
            ("/passkeys", {"passkey": "{}", "name": "x"}),
        ):
            answer = bare.post(path, values, token)
            assert (answer.status_code, "has no passkeys" in answer.text) == (422, True), path


def test_the_library_is_not_imported_at_the_start() -> None:
    script = (
        "import sys, zkmem.serve.app, zkmem.cli.serve_http; print([one for one in sys.modules if 'webauthn' in one])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
