"""Signing in to zkmem itself: real clients and a person over HTTP, and everything that is refused."""

import json
import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from tests.tools.servers import ERAS, INITIALIZE, MCP, http_server
from tests.tools.signing_in import (
    CALLBACK,
    PASSWORD,
    Flow,
    Storage,
    add_user,
    allowed,
    answered,
    fields,
    free_port,
    led_back,
    public_server,
    signed_in,
)
from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.store import RegisteredClient, Right, SignIn, SignInStore
from zkmem.serve.access.signin.users import Users

NOTES: dict[str, str | bytes] = {"hint.md": "Start here.\n", "work/plan.md": "The plan.\n"}


class Server:
    def __init__(self, vault: str, url: str) -> None:
        self.vault, self.url = vault, url

    @property
    def signins(self) -> SignIns:
        return SignIns(SignInStore(), self.vault)

    def audit(self) -> list[dict[str, object]]:
        lines = Path(self.vault, ".zkmem/audit.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def run(self, *arguments: str, text: str | None = None) -> str:
        result = CliRunner().invoke(cli, [*arguments, "-C", self.vault], input=text, catch_exceptions=False)
        return result.output


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    vault = write(tmp_path_factory.mktemp("signin") / "notes", NOTES)
    add_user(vault, "ann")
    add_user(vault, "bob", Right("work", read_only=True))
    with public_server(vault) as url:
        yield Server(vault, url)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_the_sdks_client_registers_signs_in_and_edits_under_the_name_of_its_user(
    server: Server, era: str
) -> None:
    storage = Storage()
    async with signed_in(server.url, era, storage) as client:
        result = await client.call_tool("set_content", {"name": f"by-{era}", "content": "x"})
        assert not result.is_error, result
    assert storage.tokens
    assert storage.tokens.refresh_token
    edit = server.audit()[-1]
    assert str(edit["caller"]).startswith("ann@client.example")
    assert edit["tool"] == "set_content"


@pytest.mark.anyio
async def test_the_sdks_client_goes_on_with_its_refresh_token(server: Server) -> None:
    storage = Storage()
    async with signed_in(server.url, "2026-07-28", storage):
        pass
    assert storage.tokens
    first = storage.tokens.refresh_token
    storage.tokens.access_token = "zkma_unknown"
    flow = Flow(server.url)
    flow.id = storage.client.client_id if storage.client else ""
    answer = flow.refresh(first or "").json()
    storage.tokens = storage.tokens.model_copy(update=answer)
    async with signed_in(server.url, "2026-07-28", storage) as client:
        assert not (await client.call_tool("get_content", {"name": "hint"})).is_error


def test_the_page_says_who_asks_for_what_and_where_it_leads(server: Server) -> None:
    flow = Flow(server.url, name='Evil <script>alert(1)</script> "x"')
    page = httpx2.get(flow.question())
    assert "Evil &lt;script&gt;alert(1)&lt;/script&gt; &quot;x&quot;" in page.text
    assert "<script" not in page.text
    for part in ("client.example", "read and write the notes", "notes", server.url.partition("//")[2], "90 days"):
        assert part in page.text
    assert "given itself this name" in page.text
    reading = httpx2.get(flow.question(scope="zkmem:read")).text
    assert "read and write" not in reading


def test_no_other_page_can_show_it_in_a_frame_and_it_runs_no_script(server: Server) -> None:
    headers = httpx2.get(Flow(server.url).question()).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert "script-src" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"


def test_the_metadata_offer_documents_and_registration(server: Server) -> None:
    refused = httpx2.post(f"{server.url}/mcp")
    assert refused.status_code == 401
    found = re.search(r'resource_metadata="(.*?)"', refused.headers["www-authenticate"])
    assert found
    resource = httpx2.get(found[1]).json()
    assert resource["resource"] == f"{server.url}/mcp"
    assert resource["authorization_servers"] == [server.url]
    values = httpx2.get(f"{server.url}/.well-known/oauth-authorization-server").json()
    assert values["issuer"] == server.url
    assert values["client_id_metadata_document_supported"] is True
    assert values["token_endpoint_auth_methods_supported"] == ["none"]
    assert values["code_challenge_methods_supported"] == ["S256"]
    assert values["registration_endpoint"] == f"{server.url}/register"


def test_a_registered_client_gets_no_secret(server: Server) -> None:
    flow = Flow(server.url)
    answer = flow.register(redirect_uris=[CALLBACK], token_endpoint_auth_method="client_secret_post")
    assert answer.json().get("client_secret") is None
    assert answer.json()["token_endpoint_auth_method"] == "none"


@pytest.mark.parametrize(
    "redirect",
    ["http://client.example/cb", "javascript:alert(1)", "data:text/html,x", "https://a@evil.example/", "file:///etc",
     "https://client.example/cb#x", "https://x.example/" + "x" * 600, "evil:x"],
)  # fmt: skip
def test_a_redirect_that_leads_to_no_client_cannot_be_registered(server: Server, redirect: str) -> None:
    answer = Flow(server.url).register(redirect_uris=[redirect])
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize(
    "redirect", ["http://127.0.0.1:9999/cb", "http://localhost/cb", "http://[::1]:1/cb", "cursor://x/cb", "a.b.c:/cb"]
)
def test_a_program_on_the_users_device_can_be_a_client(server: Server, redirect: str) -> None:
    led = allowed(Flow(server.url, redirect).question())
    assert led.startswith(redirect.partition("?")[0])


def test_on_the_users_device_a_client_may_listen_on_another_port_than_it_has_registered(server: Server) -> None:
    flow = Flow(server.url, "http://localhost/cb")
    flow.redirect = "http://localhost:54321/cb"
    assert flow.exchange(flow.code()).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [{"redirect_uri": "https://evil.example/cb"}, {"redirect_uri": f"{CALLBACK}/more"}, {"client_id": "unknown"},
     {"redirect_uri": "https://client.example:444/callback"}, {"client_id": None}, {"redirect_uri": "nonsense"}],
)  # fmt: skip
def test_a_wrong_redirect_or_client_leads_nowhere(server: Server, changes: dict[str, str | None]) -> None:
    answer = Flow(server.url).authorize(**changes)
    assert answer.status_code in {400, 422}
    assert "location" not in answer.headers
    assert "evil.example" not in re.findall(r'href="(.*?)"', answer.text)


@pytest.mark.parametrize(
    "changes",
    [{"code_challenge": None}, {"code_challenge_method": "plain"}, {"response_type": "token"}, {"scope": "admin"},
     {"resource": "https://other.example/mcp"}],
)  # fmt: skip
def test_a_wrong_request_is_refused_and_redirects_nobody_by_itself(
    server: Server, changes: dict[str, str | None]
) -> None:
    answer = Flow(server.url).authorize(**changes)
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "refresh" not in answer.text, "anybody can register a redirect to anywhere"
    assert "Go back to client.example" in answer.text


def test_a_parameter_that_is_there_twice_is_refused(server: Server) -> None:
    flow = Flow(server.url)
    question = f"{flow.authorize().request.url}&redirect_uri=https://evil.example/"
    assert httpx2.get(question).status_code == 422


def test_a_code_is_for_the_client_with_the_verifier_the_redirect_and_the_resource(server: Server) -> None:
    flow = Flow(server.url)
    code = flow.code()
    other = Flow(server.url)
    assert flow.exchange(code, code_verifier="x" * 43).json()["error"] == "invalid_grant"
    assert flow.exchange(code, redirect_uri="https://client.example/other").json()["error"] == "invalid_request"
    assert flow.exchange(code, resource="https://other.example/mcp").json()["error"] == "invalid_target"
    assert flow.exchange(code, client_id=other.id).json()["error"] == "invalid_grant"
    assert flow.exchange(code, client_id="unknown").status_code == 401
    assert flow.exchange("zkmc_unknown").json()["error"] == "invalid_grant"
    assert flow.exchange(code).status_code == 200


def test_a_replayed_code_ends_what_it_has_given(server: Server) -> None:
    flow = Flow(server.url)
    code = flow.code()
    access = flow.exchange(code).json()["access_token"]
    assert flow.call(access).status_code == 200
    assert flow.exchange(code, code_verifier="x" * 43).json()["error"] == "invalid_grant"
    assert flow.call(access).status_code == 401
    assert server.audit()[-1]["reason"] == "its code was used twice"


def test_a_refresh_token_that_comes_back_after_its_successor_was_used_ends_the_sign_in(server: Server) -> None:
    for way in ("access token", "refresh token"):
        flow = Flow(server.url)
        first = flow.tokens()
        second = flow.refresh(first["refresh_token"]).json()
        assert flow.call(first["access_token"]).status_code == 200, "until it expires, for the client's other processes"
        if way == "access token":
            assert flow.call(second["access_token"]).status_code == 200
        else:
            assert flow.refresh(second["refresh_token"]).status_code == 200
        assert flow.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
        assert flow.call(second["access_token"]).status_code == 401
        assert flow.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
        assert server.audit()[-1]["reason"] == "its refresh token was used twice"


def test_a_refresh_token_of_another_client_or_resource_is_refused_and_an_invented_one_ends_the_sign_in(
    server: Server,
) -> None:
    flow = Flow(server.url)
    tokens = flow.tokens()
    refresh = tokens["refresh_token"]
    assert flow.refresh(refresh, resource="https://other.example/").json()["error"] == "invalid_target"
    assert flow.refresh(refresh, client_id=Flow(server.url).id).json()["error"] == "invalid_grant"
    assert flow.call(tokens["access_token"]).status_code == 200
    assert flow.refresh(refresh + "x").json()["error"] == "invalid_grant"
    assert flow.call(tokens["access_token"]).status_code == 401, "a wrong token of the family was a copied one"


def test_a_refresh_whose_answer_was_lost_can_be_tried_again(server: Server) -> None:
    flow = Flow(server.url)
    first = flow.tokens()
    lost = [flow.refresh(first["refresh_token"]).json() for _ in range(3)]
    again = flow.refresh(first["refresh_token"]).json()
    assert [flow.call(one["access_token"]).status_code for one in (*lost, again)] == [401, 401, 401, 200]
    assert flow.refresh(again["refresh_token"]).status_code == 200


def test_of_the_answers_to_one_refresh_only_the_last_is_valid_and_another_one_ends_the_sign_in(server: Server) -> None:
    flow = Flow(server.url)
    first = flow.tokens()
    copied = flow.refresh(first["refresh_token"]).json()
    own = flow.refresh(first["refresh_token"]).json()
    assert flow.call(own["access_token"]).status_code == 200
    assert flow.refresh(copied["refresh_token"]).json()["error"] == "invalid_grant"
    assert flow.call(own["access_token"]).status_code == 401


def test_a_lost_answer_and_its_second_try_survive_a_restart(small: str) -> None:
    user, port = user_of(small), free_port()
    with public_server(small, port=port) as url:
        flow = Flow(url)
        first = flow.tokens(user=user)
        flow.refresh(first["refresh_token"])
    with public_server(small, port=port):
        second = flow.refresh(first["refresh_token"]).json()
        assert flow.call(second["access_token"]).status_code == 200
    with public_server(small, port=port):
        assert flow.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
        assert flow.call(second["access_token"]).status_code == 401


def test_a_client_can_sign_out(server: Server) -> None:
    for kind in ("access_token", "refresh_token"):
        flow = Flow(server.url)
        tokens = flow.tokens()
        other = {"client_id": Flow(server.url).id, "token": tokens[kind]}
        assert httpx2.post(f"{server.url}/revoke", data=other).status_code == 200
        assert flow.call(tokens["access_token"]).status_code == 200, "it is not the other client's"
        assert httpx2.post(f"{server.url}/revoke", data={"token": "x"}).status_code == 401
        assert httpx2.post(f"{server.url}/revoke", data={**other, "client_id": flow.id}).status_code == 200
        assert flow.call(tokens["access_token"]).status_code == 401
        assert flow.refresh(tokens["refresh_token"]).status_code == 400


def test_an_expired_sign_in_gives_nothing(server: Server) -> None:
    flow = Flow(server.url)
    tokens = flow.tokens()
    code = flow.code()
    store = SignInStore()
    past = time.time() - 1

    def over(one: SignIn) -> SignIn:
        if one.client != flow.id:
            return one
        return one._replace(expires=past) if one.code.used else one._replace(code=one.code._replace(expires=past))

    with store.changing() as change:
        change.state = change.state._replace(signins=tuple(map(over, change.state.signins)))
    assert flow.call(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert flow.exchange(code).json()["error"] == "invalid_grant"


def test_an_access_token_lasts_an_hour_and_no_longer_than_the_sign_in(server: Server) -> None:
    flow = Flow(server.url)
    tokens = flow.tokens()
    assert tokens["expires_in"] <= 3_600

    with SignInStore().changing() as change:
        (signin,) = (one for one in change.state.signins if one.client == flow.id)
        access = tuple(one._replace(expires=time.time() - 1) for one in signin.access)
        change.put(signin, signin._replace(access=access))
    assert flow.call(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).status_code == 200


def test_reading_and_folders_are_what_the_user_has_allowed(server: Server) -> None:
    flow = Flow(server.url)
    reader = flow.tokens(right="read")["access_token"]
    body = {"json": {"content": "x"}, "headers": {"If-None-Match": "*"}}
    assert flow.call(reader, "/api/notes/hint").status_code == 200
    assert flow.call(reader, "/api/notes/by-reader", "PUT", **body).status_code == 403
    worker = flow.tokens(folder="work/")["access_token"]
    assert flow.call(worker, "/api/notes/work/plan").status_code == 200
    assert flow.call(worker, "/api/notes/hint").status_code == 404
    assert flow.call(worker, "/api/notes/work/by-worker", "PUT", **body).status_code == 201
    bob = flow.tokens(user="bob")
    assert bob["scope"] == "zkmem:read"
    assert flow.call(bob["access_token"], "/api/notes/hint").status_code == 404
    assert flow.call(bob["access_token"], "/api/notes/work/plan").status_code == 200
    assert flow.call(bob["access_token"], "/api/notes/work/by-bob", "PUT", **body).status_code == 403


def test_a_client_that_asks_for_reading_cannot_be_given_more_by_a_forged_field(server: Server) -> None:
    flow = Flow(server.url)
    led = allowed(flow.question(scope="zkmem:read"), right="write")
    tokens = flow.exchange(re.findall(r"code=([^&]+)", led)[0]).json()
    assert tokens["scope"] == "zkmem:read"


@pytest.mark.parametrize(
    ("choice", "fault"),
    [({"folder": "nowhere"}, "no folder"), ({"folder": "../x"}, "no access to"), ({"days": "9999"}, "how long"),
     ({"user": "bob", "folder": "secret"}, "work/"), ({"folder": ".zkmem"}, "no access to")],
)  # fmt: skip
def test_a_wrong_choice_is_explained_and_can_be_corrected(server: Server, choice: dict[str, str], fault: str) -> None:
    question = Flow(server.url).question()
    answer = answered(question, **choice)
    assert answer.status_code == 422
    assert fault in answer.text
    assert PASSWORD not in answer.text
    assert allowed(question)


def test_the_answer_of_another_page_is_refused(server: Server) -> None:
    question = Flow(server.url).question()
    page = httpx2.get(question).text
    form = {**fields(page), "right": "write", "days": "90", "user": "ann", "password": PASSWORD, "answer": "allow"}
    for origin in ("https://evil.example", "null"):
        assert httpx2.post(question, data=form, headers={"Origin": origin}).status_code == 403
    for token in ("", "x", fields(httpx2.get(Flow(server.url).question()).text)["csrf"]):
        answer = httpx2.post(question, data={**form, "csrf": token}, headers={"Origin": server.url})
        assert answer.status_code == 422
    assert allowed(question)


def test_a_question_is_answered_once(server: Server) -> None:
    question = Flow(server.url).question()
    page = httpx2.get(question).text
    allowed(question)
    assert httpx2.get(question).status_code == 404
    form = {**fields(page), "right": "write", "days": "90", "user": "ann", "password": PASSWORD, "answer": "allow"}
    assert httpx2.post(question, data=form, headers={"Origin": server.url}).status_code == 404
    assert httpx2.get(f"{server.url}/signin/unknown").status_code == 404


def test_of_many_answers_to_one_page_at_once_one_is_taken(server: Server) -> None:
    question = Flow(server.url).question()
    form = {"right": "write", "days": "90", "user": "ann", "password": PASSWORD, "answer": "allow"}
    form |= fields(httpx2.get(question).text)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: httpx2.post(question, data=form, timeout=60).status_code, range(6)))
    assert sorted(answers) in ([200, *[404] * at, *[422] * (5 - at)] for at in range(6))


def test_a_client_keeps_all_its_redirects_after_a_sign_in(server: Server) -> None:
    flow, other = Flow(server.url), "https://client.example/other"
    flow.id = flow.register(redirect_uris=[CALLBACK, other]).json()["client_id"]
    assert flow.tokens()
    flow.redirect = other
    assert flow.tokens()


def test_a_user_can_refuse_without_a_password(server: Server) -> None:
    question = Flow(server.url).question()
    led = led_back(answered(question, answer="deny", user="", password=""))
    assert led.startswith(f"{CALLBACK}?error=access_denied&state=s-1")
    assert httpx2.get(question).status_code == 404


def test_the_form_is_not_larger_than_it_must_be(server: Server) -> None:
    question = Flow(server.url).question()
    assert httpx2.post(question, data={"x": "y" * 20_000}, headers={"Origin": server.url}).status_code == 413


def test_sign_ins_are_listed_beside_tokens_and_ended_like_them(server: Server) -> None:
    flow = Flow(server.url, name="A phone")
    access = flow.tokens(right="read", folder="work")["access_token"]
    listed = json.loads(server.run("token", "list", "--json"))["signins"]
    name = next(one["name"] for one in listed if one["client"] == flow.id)
    assert f"{name}: reads below work/ until" in server.run("token", "list")
    assert "(A phone)" in server.run("token", "list")
    assert "sign-in" in str([one for one in server.audit() if one["caller"] == name])
    assert server.run("token", "remove", name) == f"removed {name}\n"
    assert flow.call(access).status_code == 401


def test_a_new_password_ends_the_sign_ins_of_the_user_and_so_does_removing_the_user(server: Server) -> None:
    add_user(server.vault, "carl")
    flow = Flow(server.url)
    first = flow.tokens(user="carl")["access_token"]
    new = "another horse battery staple"
    assert "1 sign-in ended" in server.run("user", "password", "carl", text=f"{new}\n")
    assert flow.call(first).status_code == 401
    second = flow.tokens(user="carl", password=new)["access_token"]
    assert flow.call(second).status_code == 200
    assert "1 sign-in ended" in server.run("user", "remove", "carl")
    assert flow.call(second).status_code == 401
    assert answered(flow.question(), user="carl", password=new).status_code == 403


def test_only_hashes_are_stored_and_nobody_else_can_read_them(server: Server) -> None:
    flow = Flow(server.url)
    code = flow.code()
    tokens = flow.exchange(code).json()
    store = Path(SignInStore().path)
    text = store.read_text("utf-8")
    for secret in (code, tokens["access_token"], tokens["refresh_token"], PASSWORD):
        assert secret not in text
        assert secret[5:40] not in text
    assert store.stat().st_mode & 0o077 == 0
    assert PASSWORD not in Path(server.vault, ".zkmem/audit.jsonl").read_text("utf-8")


def test_a_proxy_that_says_another_address_is_named(server: Server) -> None:
    port = server.url.rpartition(":")[2]
    wrong = httpx2.get(f"{server.url}/", headers={"Host": f"other.example:{port}"})
    assert wrong.status_code == 421
    assert server.url in wrong.text
    assert "other.example" in wrong.text
    wrong = httpx2.get(f"{server.url}/", headers={"X-Forwarded-Host": "other.example"})
    assert wrong.status_code == 421
    assert "X-Forwarded-Host" in wrong.text
    wrong = httpx2.get(f"{server.url}/", headers={"X-Forwarded-Proto": "https"})
    assert wrong.status_code == 421
    assert "X-Forwarded-Proto" in wrong.text
    fitting = {"X-Forwarded-Host": server.url.partition("//")[2], "X-Forwarded-Proto": "http"}
    assert httpx2.get(f"{server.url}/", headers=fitting).status_code == 200


@pytest.fixture
def small(tmp_path: Path) -> str:
    vault = write(tmp_path / "vault", NOTES)
    add_user(vault, f"eve-{tmp_path.name[-30:]}")
    return vault


def test_sign_ins_survive_a_restart(small: str) -> None:
    user = user_of(small)
    port = free_port()
    with public_server(small, port=port) as url:
        flow = Flow(url)
        tokens = flow.tokens(user=user)
        waiting = flow.question()
        code = flow.code(user=user)
    with public_server(small, port=port) as url:
        assert flow.call(tokens["access_token"]).status_code == 200
        assert flow.refresh(tokens["refresh_token"]).status_code == 200
        assert flow.exchange(code).status_code == 200
        assert httpx2.get(waiting).status_code == 404


def test_ten_wrong_passwords_keep_out_even_the_right_one_for_a_while(small: str) -> None:
    user = user_of(small)
    with public_server(small) as url:
        flow = Flow(url)
        question = flow.question()
        statuses = [answered(question, user=user, password=f"wrong {number}").status_code for number in range(10)]
        assert statuses == [403] * 5 + [429] * 5
        answer = answered(question, user=user)
        assert answer.status_code == 429
        assert answer.headers["retry-after"]
        assert "Try again in" in answer.text
        assert not SignIns(SignInStore(), small).all()


def test_an_unknown_user_is_refused_in_the_words_for_a_wrong_password(server: Server) -> None:
    question = Flow(server.url).question()
    headers = {"X-Forwarded-For": "203.0.113.9", "Origin": server.url}
    form = {
        **fields(httpx2.get(question).text),
        "right": "write",
        "days": "90",
        "answer": "allow",
        "password": "x" * 12,
    }
    pages = [httpx2.post(question, data={**form, "user": user}, headers=headers).text for user in ("zoe", "ann")]
    assert [re.findall(r'role="alert">(.*?)<', page) for page in pages] == [["The name or the password is wrong."]] * 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--public-url", "http://notes.example.org"], "not encrypted"),
        (["--public-url", "https://notes.example.org/path"], "only the scheme and the host"),
        (["--public-url", "https://notes.example.org"], "zkmem user add"),
        (["--public-url", "https://a.example", "--oauth-issuer", "https://b.example", "--oauth-resource",
          "https://a.example/mcp"], "exclude each other"),
    ],
)  # fmt: skip
def test_a_server_that_cannot_be_used_safely_does_not_start(tmp_path: Path, options: list[str], reason: str) -> None:
    vault = write(tmp_path / "vault", NOTES)
    result = CliRunner().invoke(cli, ["serve", vault, "--mode", "http", "--port", "0", *options])
    assert reason in str(result.exception)


def test_a_file_that_others_can_read_is_refused(small: str) -> None:
    store = SignInStore()
    os.chmod(store.path, 0o644)
    try:
        result = CliRunner().invoke(cli, ["user", "list", "-C", small])
        assert "chmod 600" in str(result.exception)
    finally:
        os.chmod(store.path, 0o600)


def test_a_server_without_a_public_address_has_no_sign_in(tmp_path: Path) -> None:
    with http_server(write(tmp_path / "vault", NOTES)) as url:
        base = url.removesuffix("/mcp")
        assert httpx2.get(f"{base}/.well-known/oauth-authorization-server").status_code == 404
        assert httpx2.post(f"{base}/register", json={"redirect_uris": [CALLBACK]}).status_code in {404, 405}


def user_of(vault: str) -> str:
    return Users(SignInStore(), vault).all()[0].name


def test_a_sign_in_is_for_one_vault(server: Server, tmp_path: Path) -> None:
    vault = write(tmp_path / "other", NOTES)
    add_user(vault, "ann")
    tokens = Flow(server.url).tokens()
    with public_server(vault) as url:
        assert Flow(url).call(tokens["access_token"]).status_code == 401
        assert Flow(url).call(Flow(url).tokens()["access_token"]).status_code == 200


def test_who_registers_too_often_must_wait(small: str) -> None:
    with public_server(small) as url:
        answers = [httpx2.post(f"{url}/register", json={"redirect_uris": [CALLBACK]}) for _ in range(61)]
    assert [answer.status_code for answer in answers] == [201] * 60 + [429]


def test_clients_that_nobody_uses_are_bounded_in_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    now = time.time()
    store = SignInStore()
    used = RegisteredClient("used", "Used", (CALLBACK,), now - 80 * 86_400, now - 80 * 86_400)
    old = [RegisteredClient("old", "Old", (CALLBACK,), now - 2 * 86_400)]
    new = [RegisteredClient(f"new-{number}", "New", (CALLBACK,), now) for number in range(300)]
    with store.changing() as change:
        change.state = change.state._replace(clients=(used, *old, *new))
    assert [one.id for one in SignInStore().load().clients] == [
        "used",
        *(f"new-{number}" for number in range(100, 300)),
    ]


def test_of_clients_that_nobody_uses_the_newest_of_the_largest_network_gives_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    store, now = SignInStore(), time.time()
    crowd = [RegisteredClient(f"new-{number}", "New", (CALLBACK,), now, address="10.0.0.1") for number in range(300)]

    for client in [RegisteredClient("other", "Other", (CALLBACK,), now, address="10.0.1.1"), *crowd]:
        store.add_client(client)
    kept = ["other", *(f"new-{number}" for number in range(198)), "new-299"]
    assert [one.id for one in SignInStore().load().clients] == kept, "one that has just registered is kept"


def session(server: Server, **values: str) -> httpx2.Response:
    return httpx2.post(f"{server.url}/session", data=values, headers={"Origin": server.url}, timeout=30)


def test_the_page_signs_in_with_a_name_and_a_password_and_signs_out(server: Server) -> None:
    answer = session(server, user="ann", password=PASSWORD)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers
    access = answer.json()["token"]
    flow = Flow(server.url)
    assert flow.call(access).json()["token"].startswith("ann@page")
    remembered = session(server, user="ann", password=PASSWORD, remember="true").json()["token"]
    lasts = sorted(one.expires - one.created for one in server.signins.all() if one.client == "page")
    assert (lasts[0], lasts[-1]) == (43_200, 90 * 86_400)
    assert access not in Path(SignInStore().path).read_text("utf-8")
    assert httpx2.post(f"{server.url}/revoke", data={"client_id": "page", "token": access}).status_code == 200
    assert flow.call(access).status_code == 401
    assert flow.call(remembered).status_code == 200
    assert flow.authorize(client_id="page", redirect_uri=None).status_code == 400, "nobody asks for access as the page"
    assert flow.authorize(client_id="page", redirect_uri=server.url).status_code == 400


def test_the_page_gets_no_more_than_its_user_may_and_nothing_for_a_wrong_password(server: Server) -> None:
    flow = Flow(server.url)
    access = session(server, user="bob", password=PASSWORD).json()["token"]
    assert flow.call(access, "/api/notes/hint").status_code == 404
    assert flow.call(access, "/api/notes/work/plan").status_code == 200
    body = {"json": {"content": "x"}, "headers": {"If-None-Match": "*"}}
    assert flow.call(access, "/api/notes/work/by-page", "PUT", **body).status_code == 403
    refused = session(server, user="bob", password="not the password")
    assert refused.status_code == 403
    assert refused.json()["error"]["message"] == "The name or the password is wrong."
    form = {"user": "bob", "password": PASSWORD}
    assert (
        httpx2.post(f"{server.url}/session", data=form, headers={"Origin": "https://evil.example"}).status_code == 403
    )


def test_a_user_has_at_most_twenty_sign_ins_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    add_user("/v", "ann")
    signins = SignIns(SignInStore(), "/v")
    given = [signins.begin_page("ann", Right(), 60, ()) for _ in range(22)]
    assert [signins.caller(access) is None for _, access in given] == [True] * 2 + [False] * 20


def test_of_many_exchanges_of_one_code_at_once_one_succeeds_at_most_and_the_sign_in_ends(server: Server) -> None:
    flow = Flow(server.url)
    code = flow.code()
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(flow.exchange, [code] * 6))
    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(good) <= 1
    assert {answer.status_code for answer in answers} <= {200, 400}
    for tokens in good:
        assert flow.call(tokens["access_token"]).status_code == 401
        assert flow.refresh(tokens["refresh_token"]).status_code == 400
    assert [one for one in server.signins.all() if one.client == flow.id] == []


def test_the_last_use_is_stored_to_the_hour_and_a_full_disk_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    add_user("/v", "ann")
    store = SignInStore()
    signins = SignIns(store, "/v")
    _, access = signins.begin_page("ann", Right(), 60, ())
    assert signins.may_wait(access)
    assert signins.caller(access)
    assert time.time() - signins.all()[0].used < 60
    assert not signins.may_wait(access), "it would write again with each request"
    with store.changing() as change:
        change.put(change.state.signins[0], change.state.signins[0]._replace(used=1.0))
    os.unlink(f"{store.path}.lock")
    os.mkdir(f"{store.path}.lock")  # from now on, no change can be stored
    assert signins.caller(access)
    assert signins.all()[0].used == 1.0


def test_many_uses_of_one_refresh_token_at_once_give_one_valid_pair_of_tokens(server: Server) -> None:
    flow = Flow(server.url)
    refresh = flow.tokens()["refresh_token"]
    with ThreadPoolExecutor(6) as pool:
        answers = [answer.json() for answer in pool.map(flow.refresh, [refresh] * 6)]
        statuses = list(pool.map(flow.call, [one["access_token"] for one in answers]))
    assert sorted(answer.status_code for answer in statuses) == [200] + [401] * 5
    assert flow.refresh(refresh).json()["error"] == "invalid_grant"


def test_a_session_of_mcp_ends_with_its_sign_in_and_is_not_of_a_new_one_with_the_same_name(server: Server) -> None:
    flow = Flow(server.url, "https://session.example/cb")
    old = flow.tokens()["access_token"]
    name = flow.call(old).json()["token"]
    opened = flow.call(old, "/mcp", "POST", json=INITIALIZE, headers=MCP)
    session = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert flow.call(old, "/mcp", "POST", json=listing, headers=session).status_code == 200
    server.run("token", "remove", name)
    new = flow.tokens()["access_token"]
    assert flow.call(new).json()["token"] == name
    assert flow.call(old, "/mcp", "POST", json=listing, headers=session).status_code == 401
    assert flow.call(new, "/mcp", "POST", json=listing, headers=session).status_code == 404


def test_a_refresh_keeps_the_session_of_mcp(server: Server) -> None:
    flow = Flow(server.url)
    tokens = flow.tokens()
    opened = flow.call(tokens["access_token"], "/mcp", "POST", json=INITIALIZE, headers=MCP)
    session = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    newer = flow.refresh(tokens["refresh_token"]).json()["access_token"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert flow.call(newer, "/mcp", "POST", json=listing, headers=session).status_code == 200


def test_behind_a_proxy_the_public_address_is_known_whatever_host_the_proxy_sends(small: str) -> None:
    port = free_port()
    with public_server(small, "--public-url", "https://notes.example.org", port=port):
        here = f"http://127.0.0.1:{port}"
        address = f"{here}/.well-known/oauth-authorization-server"
        for host in ("notes.example.org", f"127.0.0.1:{port}"):
            headers = {"Host": host, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "notes.example.org"}
            assert httpx2.get(address, headers=headers).json()["issuer"] == "https://notes.example.org"
            answer = httpx2.post(f"{here}/signin/x", headers={**headers, "Origin": "https://notes.example.org"})
            assert answer.status_code == 404, "it is not taken for a page of another site"
            answer = httpx2.post(f"{here}/signin/x", headers={**headers, "Origin": "https://evil.example.org"})
            assert answer.status_code == 403
        plain = httpx2.get(address, headers={"Host": "notes.example.org", "X-Forwarded-Proto": "http"})
        assert plain.status_code == 421
        assert "https://notes.example.org" in plain.text
        challenge = httpx2.post(f"{here}/mcp", headers={"Host": "notes.example.org"}).headers["www-authenticate"]
        assert '"https://notes.example.org/.well-known/oauth-protected-resource/mcp"' in challenge


def own(flow: Flow, access: str) -> dict[str, dict[str, object]]:
    answer = flow.call(access, "/api/signins")
    assert answer.status_code == 200, answer.text
    return {str(one["name"]): one for one in answer.json()["sign_ins"]}


def test_people_see_their_own_sign_ins_on_the_page_and_end_one(server: Server) -> None:
    flow = Flow(server.url, "https://phone.example/cb", name="A phone")
    client = flow.tokens(right="read", folder="work", days="30")["access_token"]
    name = flow.call(client).json()["token"]
    access = session(server, user="ann", password=PASSWORD).json()["token"]
    about = flow.call(access).json()
    assert (about["person"], flow.call(client).json()["person"]) == ("ann", None)
    listed = own(flow, access)
    assert all(one.startswith("ann@") for one in listed)
    one = listed[name]
    assert (one["client"], one["place"], one["folder"], one["read_only"]) == ("A phone", "phone.example", "work", True)
    times = [float(str(one[key])) for key in ("created", "used", "expires")]
    assert times[2] - times[0] == 30 * 86_400
    assert times[0] <= times[1] <= time.time()
    assert [key for key, one in listed.items() if one["is_current"]] == [about["token"]]
    path = f"/api/signins/{name}"
    assert flow.call(access, path, "DELETE").json() == {"done": True}
    assert flow.call(client).status_code == 401
    assert name not in own(flow, access)
    assert flow.call(access, path, "DELETE").status_code == 404
    assert (server.audit()[-1]["caller"], server.audit()[-1]["reason"]) == (name, f"{about['token']} has ended it")


def test_a_person_has_the_same_marks_on_all_devices_and_no_client_is_the_page(server: Server) -> None:
    add_user(server.vault, "cleo")
    phone, desk = (session(server, user="cleo", password=PASSWORD).json()["token"] for _ in range(2))
    flow, page = Flow(server.url), {"Zkmem-Client": "page"}
    model = flow.tokens(user="cleo")["access_token"]

    def write(access: str, name: str) -> None:
        sent = {"json": {"content": "x"}, "headers": {"If-None-Match": "*", **page}}
        assert flow.call(access, f"/api/notes/{name}", "PUT", **sent).status_code in {200, 201}

    def new(access: str) -> set[str]:
        return {line["note"] for line in flow.call(access, "/api/brief").json()["lines"]} & {"own", "other"}

    write(phone, "own")
    write(model, "other")
    assert [new(access) for access in (phone, desk)] == [{"other"}] * 2
    seen = {"edit": flow.call(phone, "/api/brief").json()["last"], "earlier": True}
    assert flow.call(model, "/api/seen", "POST", json=seen).status_code == 200
    assert [new(access) for access in (phone, desk, model)] == [
        {"other"},
        {"other"},
        set(),
    ]  # a program marks for itself
    assert flow.call(phone, "/api/seen", "POST", json=seen).status_code == 200
    assert [new(access) for access in (phone, desk)] == [set()] * 2
    bob = session(server, user="bob", password=PASSWORD).json()["token"]
    assert flow.call(bob, "/api/seen", "POST", json={"edit": seen["edit"]}).status_code == 404


def test_nobody_else_sees_or_ends_the_sign_ins_of_a_person(server: Server) -> None:
    flow = Flow(server.url)
    client = flow.tokens()["access_token"]
    path = f"/api/signins/{flow.call(client).json()['token']}"
    bob = session(server, user="bob", password=PASSWORD).json()["token"]
    assert all(one.startswith("bob@") for one in own(flow, bob))
    assert flow.call(bob, path, "DELETE").status_code == 404
    robot = server.run("token", "add", "robot").split()[0]
    for secret in (client, Flow(server.url).tokens()["access_token"], robot):
        for answer in (flow.call(secret, "/api/signins"), flow.call(secret, path, "DELETE")):
            assert answer.status_code == 403
            assert "zkmem token list" in answer.text
    assert flow.call(client).status_code == 200
    reader = session(server, user="bob", password=PASSWORD).json()["token"]
    name = next(key for key, one in own(flow, reader).items() if one["is_current"])
    assert flow.call(bob, f"/api/signins/{name}", "DELETE").status_code == 200, "who may only read may end access"
    assert flow.call(reader).status_code == 401


def test_the_audit_log_says_why_a_sign_in_has_ended(server: Server) -> None:
    add_user(server.vault, "dora")
    name = Flow(server.url).call(Flow(server.url).tokens(user="dora")["access_token"]).json()["token"]
    server.run("token", "remove", name)
    assert (server.audit()[-1]["caller"], server.audit()[-1]["reason"]) == (name, "removed with zkmem token remove")
    for command, reason in (("password", "a new password was set"), ("remove", "its user was removed")):
        Flow(server.url).tokens(user="dora")
        server.run("user", command, "dora", text=f"{PASSWORD}\n")
        assert str(server.audit()[-1]["reason"]).startswith(reason)
        assert str(server.audit()[-1]["caller"]).startswith("dora@")
