"""Passkeys in a real browser, with an authenticator in software that Chromium has for tests."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.tools.browser import expect, faults_in_both, needs_browser, opened, until
from tests.tools.signing_in import CALLBACK, PASSWORD, Flow, add_user, public_server
from tests.tools.vaults import write
from zkmem.serve.access.signin.store import SignInStore

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]

EXPECTED = ("401 (Unauthorized)", "403 (Forbidden)", CALLBACK)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    vault = write(tmp_path_factory.mktemp("passkeys") / "notes", {"hint.md": "Start here.\n", "work/plan.md": "x\n"})
    add_user(vault, "ann")
    with public_server(vault, host="localhost") as address:
        yield address


@contextmanager
def with_device(browser: "Browser", url: str, **options: Any) -> Iterator[tuple["Page", Any]]:
    """The page of the notes, and the session in which its device can be changed."""
    with opened(browser, f"{url}/#/note/hint", expected=EXPECTED, is_routed=True, **options) as page:
        page.context.route(
            f"{CALLBACK}**", lambda route: route.fulfill(body="<p>Back at the client.", content_type="text/html")
        )
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        device = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        added = session.send("WebAuthn.addVirtualAuthenticator", {"options": {**device, "isUserVerified": True}})
        yield (
            page,
            lambda method, **values: session.send(
                f"WebAuthn.{method}", {"authenticatorId": added["authenticatorId"], **values}
            ),
        )


def sign_in(page: "Page") -> None:
    dialog = page.get_by_role("dialog", name="Sign in to")
    dialog.get_by_label("Name").fill("ann")
    dialog.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("Start here.").wait_for()


def signins(page: "Page") -> "Locator":
    page.get_by_role("button", name="Sign-ins").click()
    return page.get_by_role("dialog", name="Your sign-ins")


def add_passkey(dialog: "Locator", name: str) -> None:
    dialog.get_by_role("button", name="Add a passkey").click()
    field = dialog.get_by_label("Name of the passkey")
    expect(field).to_be_focused()
    field.fill(name)
    dialog.get_by_label("Your password").fill(PASSWORD)
    dialog.get_by_role("button", name="Add", exact=True).click()


def remove_passkey(page: "Page") -> None:
    """Remove the only passkey of all, and sign out."""
    dialog = signins(page)
    row = dialog.get_by_role("listitem").filter(has_text="My phone")
    row.get_by_text("last used").wait_for()
    row.get_by_role("button", name="Remove My phone").click()
    dialog.get_by_role("status").get_by_text("Removed: My phone.").wait_for()
    assert SignInStore().load().users[0].passkeys == ()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog", name="Sign in to").wait_for()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)  # nobody has one


def test_a_person_adds_a_passkey_signs_in_with_it_and_gives_a_client_access(browser: "Browser", url: str) -> None:
    flow = Flow(url)
    with with_device(browser, url, viewport={"width": 360, "height": 700}) as (page, device):
        sign_in(page)
        dialog = signins(page)
        add_passkey(dialog, "My phone")
        dialog.get_by_role("status").get_by_text("Added: My phone.").wait_for()
        row = dialog.get_by_role("listitem").filter(has_text="My phone")
        row.get_by_text("not used yet").wait_for()
        assert faults_in_both(page) == []
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        add_passkey(dialog, "The same phone")
        dialog.get_by_role("alert").get_by_text("This device has a passkey of yours already.").wait_for()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Sign out").click()

        question = page.get_by_role("dialog", name="Sign in to")
        question.wait_for()
        expect(question.get_by_label("Name")).to_be_focused()
        assert faults_in_both(page) == []
        device("setUserVerified", isUserVerified=False)
        question.get_by_role("button", name="Sign in with a passkey").click()
        question.get_by_role("alert").get_by_text("No passkey came").wait_for()
        device("setUserVerified", isUserVerified=True)
        question.get_by_role("button", name="Sign in with a passkey").click()
        page.get_by_text("Start here.").wait_for()

        page.goto(flow.question())
        page.get_by_role("button", name="Allow with a passkey").wait_for()
        assert faults_in_both(page) == []
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        page.get_by_label("read the notes").check()
        page.get_by_label("Only the notes below this folder").fill("work")
        device("setUserVerified", isUserVerified=False)
        page.get_by_role("button", name="Allow with a passkey").click()
        page.get_by_role("alert").get_by_text("No passkey came").wait_for()
        device("setUserVerified", isUserVerified=True)
        page.get_by_role("button", name="Allow with a passkey").click()
        page.get_by_text("Back at the client.").wait_for()
        code = re.search(r"code=(zkmc_[\w-]+)", page.url)
        assert code
        access = flow.exchange(code[1]).json()["access_token"]
        assert flow.call(access, "/api/notes/work/plan").status_code == 200
        assert flow.call(access, "/api/notes/hint").status_code == 404

        page.goto(f"{url}/#/note/hint")
        page.get_by_text("Start here.").wait_for()
        remove_passkey(page)


def test_a_wrong_password_adds_no_passkey(browser: "Browser", url: str) -> None:
    with with_device(browser, url) as (page, device):
        sign_in(page)
        dialog = signins(page)
        dialog.get_by_role("button", name="Add a passkey").click()
        dialog.get_by_label("Your password").fill("not the password")
        page.keyboard.press("Enter")
        dialog.get_by_role("alert").get_by_text("The name or the password is wrong.").wait_for()
        assert device("getCredentials")["credentials"] == []


def test_without_scripts_the_page_that_asks_takes_the_password(browser: "Browser", url: str) -> None:
    with with_device(browser, url) as (page, _):
        sign_in(page)
        add_passkey(signins(page), "Phone")
        page.get_by_text("Added: Phone.").wait_for()
    with opened(browser, Flow(url).question(), expected=EXPECTED, java_script_enabled=False) as page:
        page.context.route(f"{CALLBACK}**", lambda route: route.fulfill(body="Back.", content_type="text/html"))
        expect(page.get_by_role("button", name="Allow with a passkey")).to_have_count(0)
        page.get_by_label("Your name").fill("ann")
        page.get_by_label("Your password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_text("Back.").wait_for()
