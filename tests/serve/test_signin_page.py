"""The page on which a person signs in and allows access, in a real browser on a real server."""

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.tools.browser import eventually, expect, faults, needs_browser, until
from tests.tools.signing_in import CALLBACK, PASSWORD, Flow, add_user, public_server
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    vault = write(tmp_path_factory.mktemp("signin") / "notes", {"hint.md": "Start here.\n", "work/plan.md": "x\n"})
    add_user(vault, "ann")
    with public_server(vault) as address:
        yield address


def can_be_used_by_everybody(page: "Page") -> None:
    """Check that the page has no fault and is not too wide: on a phone, in dark colours, on a wide screen."""
    for width, scheme in ((360, "light"), (1280, "dark"), (1280, "light")):
        page.set_viewport_size({"width": width, "height": 700})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert faults(page) == []
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")


@contextmanager
def asked(browser: "Browser", question: str, **options: Any) -> Iterator[tuple["Page", list[str]]]:
    """The page that asks, and the errors on its console. The client's site answers for itself."""
    context = browser.new_context(**options)
    context.route(f"{CALLBACK}**", lambda route: route.fulfill(body="<p>Back at the client.", content_type="text/html"))
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(question)
    try:
        yield page, errors
    finally:
        context.close()


def fill_in(page: "Page", password: str = PASSWORD) -> None:
    page.get_by_label("Your name").fill("ann")
    page.get_by_label("Your password").fill(password)


def test_a_person_allows_access_below_a_folder_and_is_led_back_with_a_code(browser: "Browser", url: str) -> None:
    flow = Flow(url)
    with asked(browser, flow.question()) as (page, errors):
        page.get_by_label("read the notes").check()
        page.get_by_label("Only the notes below this folder").fill("work")
        page.get_by_label("For", exact=True).select_option("a day")
        fill_in(page)
        page.keyboard.press("Enter")  # allows, and does not refuse
        page.get_by_text("Back at the client.").wait_for()
        found = re.search(r"code=(zkmc_[\w-]+)&state=s-1", page.url)
        assert found
        assert errors == []
    access = flow.exchange(found[1]).json()["access_token"]
    assert flow.call(access, "/api/notes/work/plan").status_code == 200
    assert flow.call(access, "/api/notes/hint").status_code == 404


def test_a_person_who_refuses_is_led_back_without_a_password(browser: "Browser", url: str) -> None:
    with asked(browser, Flow(url).question()) as (page, errors):
        page.get_by_role("button", name="Do not allow").click()
        page.get_by_text("Back at the client.").wait_for()
        assert "error=access_denied" in page.url
        assert errors == []


def test_a_wrong_password_is_explained_and_the_choice_is_kept(browser: "Browser", url: str) -> None:
    with asked(browser, Flow(url).question()) as (page, _):
        page.get_by_label("Only the notes below this folder").fill("work")
        fill_in(page, "not the password")
        page.get_by_role("button", name="Allow", exact=True).click()
        page.get_by_role("alert").get_by_text("The name or the password is wrong.").wait_for()
        expect(page.get_by_label("Only the notes below this folder")).to_have_value("work")
        expect(page.get_by_label("Your password")).to_have_value("")
        fill_in(page)
        page.get_by_role("button", name="Allow", exact=True).click()
        page.get_by_text("Back at the client.").wait_for()


def test_everybody_can_use_the_page(browser: "Browser", url: str) -> None:
    with asked(browser, Flow(url, name="W" * 60).question()) as (page, errors):
        can_be_used_by_everybody(page)
        assert errors == []
        page.goto(f"{url}/signin/unknown")
        can_be_used_by_everybody(page)


@contextmanager
def another_site(body: str) -> Iterator[str]:
    """A site that shows this HTML; yields its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield f"http://localhost:{site.server_address[1]}/"
        site.shutdown()
        thread.join()


def test_no_other_page_can_show_it_in_a_frame_or_send_its_form(browser: "Browser", url: str) -> None:
    question = Flow(url).question()
    with asked(browser, question) as (page, errors):
        form = page.locator("form").evaluate("(form) => form.innerHTML")
        body = f'<iframe src="{question}"></iframe><form method="post" action="{question}">{form}</form>'
        with another_site(body) as evil:
            page.goto(evil)
            eventually(page, lambda: any("frame-ancestors" in one for one in errors), True)
            expect(page.frame_locator("iframe").get_by_label("Your password")).to_have_count(0)
            fill_in(page)
            with page.expect_response(question) as response:
                page.get_by_role("button", name="Allow", exact=True).click()
            assert response.value.status == 403


def test_the_page_of_the_notes_is_opened_with_the_same_name_and_password(browser: "Browser", url: str) -> None:
    with asked(browser, f"{url}/#/note/hint", service_workers="block") as (page, _):
        dialog = page.get_by_role("dialog", name="Sign in to")
        dialog.get_by_label("Name").fill("ann")
        dialog.get_by_label("Password").fill("not the password")
        page.keyboard.press("Enter")
        dialog.get_by_role("alert").get_by_text("The name or the password is wrong.").wait_for()
        assert faults(page) == []
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_label("Remember on this device").check()
        dialog.get_by_role("button", name="Sign in").click()
        page.get_by_text("Start here.").wait_for()
        assert PASSWORD not in page.evaluate("() => Object.values(localStorage).join()")
        tab = page.context.new_page()
        tab.goto(f"{url}/#/note/hint")
        tab.get_by_text("Start here.").wait_for()
        with tab.expect_response(f"{url}/revoke") as response:
            tab.get_by_role("button", name="Sign out").click()
        assert response.value.status == 200
        dialog.wait_for()


def test_a_person_sees_who_has_access_and_ends_it(browser: "Browser", url: str) -> None:
    flow = Flow(url, "https://phone.example/cb", name="<b>Phone</b> " + "W" * 50)
    access = flow.tokens(right="read", folder="work")["access_token"]
    name = flow.call(access).json()["token"]
    with asked(browser, f"{url}/#/note/hint", service_workers="block") as (page, errors):
        dialog = page.get_by_role("dialog", name="Sign in to")
        dialog.get_by_label("Name").fill("ann")
        dialog.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_text("Start here.").wait_for()
        errors.clear()  # of the requests before the sign-in
        page.get_by_role("button", name="Sign-ins").click()
        dialog = page.get_by_role("dialog", name="Your sign-ins")
        row = dialog.get_by_role("listitem").filter(has_text=f"{name}:")
        row.get_by_text("<b>Phone</b>").wait_for()
        for part in ("phone.example", "reads the notes below work/", "signed in", "last used", "ends"):
            expect(row).to_contain_text(part)
        current = dialog.get_by_role("listitem").filter(has_text="you are using this one")
        expect(current).to_contain_text("reads and writes the whole vault")
        expect(current.get_by_role("button")).to_have_count(0)  # Sign out ends it
        can_be_used_by_everybody(page)
        row.get_by_role("button", name=f"End {name}").click()
        row.wait_for(state="detached")
        dialog.get_by_role("status").get_by_text(f"Ended: {name}.").wait_for()
        assert flow.call(access).status_code == 401
        expect(dialog.locator(":focus")).to_have_count(1)
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        assert errors == []


def test_the_page_of_the_notes_still_takes_a_token(browser: "Browser", url: str) -> None:
    access = Flow(url).tokens()["access_token"]
    with asked(browser, f"{url}/#/note/hint", service_workers="block") as (page, _):
        dialog = page.get_by_role("dialog", name="Sign in to")
        dialog.get_by_role("button", name="Use a token").click()
        dialog.get_by_label("Token").fill(access)
        page.keyboard.press("Enter")
        page.get_by_text("Start here.").wait_for()
        expect(page.get_by_role("button", name="Sign out")).to_have_count(1)
        expect(page.get_by_role("button", name="Sign-ins")).to_have_count(0)  # a client is not a person
