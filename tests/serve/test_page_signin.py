"""Signing in to the page and out of it, in a real browser on a real server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import eventually, expect, faults, faults_in_both, needs_browser, opened, served
from tests.tools.servers import http_server
from tests.tools.signing_in import PASSWORD, add_user, public_server
from tests.tools.vaults import write
from zkmem.cli.tokens import tokens_of
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.store import SignInStore

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]

REFUSED = ("401 (Unauthorized)",)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server, and a token that it accepts."""
    vault = write(tmp_path_factory.mktemp("vaults") / "notes", {"hint.md": "Start here.\n"})
    token = tokens_of(vault).add("ann")
    with served(vault) as url:
        yield f"{url}#/note/hint", token


def question(page: "Page") -> "Locator":
    return page.get_by_role("dialog", name="Sign in to")


def sign_in(page: "Page", token: str, *, remember: bool = False) -> None:
    question(page).get_by_label("Token").fill(token)
    if remember:
        question(page).get_by_label("Remember on this device").check()
    question(page).get_by_role("button", name="Sign in").click()
    page.get_by_text("Start here.").wait_for()


def another_tab(page: "Page", url: str) -> "Page":
    tab = page.context.new_page()
    tab.goto(url)
    return tab


def test_a_token_stays_in_its_tab_unless_it_is_to_be_remembered(browser: "Browser", server: tuple[str, str]) -> None:
    url, token = server
    with opened(browser, url, expected=REFUSED) as page:
        sign_in(page, token)
        page.reload()
        page.get_by_text("Start here.").wait_for()
        assert token not in page.evaluate("() => Object.values(localStorage).join()")
        question(another_tab(page, url)).wait_for()


def test_a_remembered_token_opens_new_tabs_until_one_of_them_signs_out(
    browser: "Browser", server: tuple[str, str]
) -> None:
    url, token = server
    with opened(browser, url, expected=REFUSED) as page:
        waiting = another_tab(page, url)
        question(waiting).wait_for()
        sign_in(page, token, remember=True)
        waiting.get_by_text("Start here.").wait_for()  # it has the token from the other tab
        third = another_tab(page, url)
        third.get_by_text("Start here.").wait_for()
        third.get_by_role("button", name="Sign out").click()
        for tab in (page, waiting, third):
            question(tab).wait_for()
            expect(tab.get_by_text("Start here.")).to_have_count(0)
        stored = "() => [...Object.values(localStorage), ...Object.values(sessionStorage)].join()"
        eventually(page, lambda: token in page.evaluate(stored) + third.evaluate(stored), False)


def test_unsaved_text_outlives_signing_out_in_another_tab(browser: "Browser", server: tuple[str, str]) -> None:
    url, token = server
    with opened(browser, url, expected=REFUSED) as page:
        sign_in(page, token, remember=True)
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".cm-content:focus").wait_for()
        page.keyboard.type("Unsaved. ")
        other = another_tab(page, url)
        other.get_by_role("button", name="Sign out").click()
        question(page).get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        page.locator(".cm-content", has_text="Unsaved. Start here.").wait_for()


def test_the_question_can_be_closed_and_opened_again(browser: "Browser", server: tuple[str, str]) -> None:
    url, token = server
    with opened(browser, url, expected=REFUSED) as page:
        question(page).get_by_label("Remember on this device").check()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        back = page.get_by_role("region", name="Signed out").get_by_role("button")
        expect(back).to_have_text(f"Sign in to {url.split('/')[2]}")
        assert faults_in_both(page) == []
        back.click()
        sign_in(page, token)
        expect(page.get_by_role("region", name="Signed out")).to_have_count(0)


def test_the_command_for_a_client_of_a_guarded_vault_has_a_place_for_a_token(
    browser: "Browser", tmp_path: Path
) -> None:
    (tmp_path / "vault").mkdir()
    vault = str(tmp_path / "vault")
    token = tokens_of(vault).add("ann")
    with served(vault) as url, opened(browser, url, expected=(*REFUSED, "404")) as page:
        question(page).get_by_label("Token").fill(token)
        question(page).get_by_role("button", name="Sign in").click()
        page.get_by_text(f'zkmem {url}mcp --header "Authorization: Bearer TOKEN"').wait_for()


def test_a_person_signs_in_once_and_opens_all_vaults_of_the_server(browser: "Browser", tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"hint.md": "Start here.\n"})
    work = write(tmp_path / "work", {"hint.md": "Work here.\n"})
    for vault in (notes, work):
        add_user(vault, "ann")
    add_user(work, "bob")
    with public_server(notes, work) as base, opened(browser, f"{base}/#/note/hint", expected=REFUSED) as page:
        ask = question(page)
        ask.get_by_label("Name", exact=True).fill("ann")
        ask.get_by_label("Password", exact=True).fill(PASSWORD)
        ask.get_by_label("Remember on this device").check()
        ask.get_by_role("button", name="Sign in").click()
        page.get_by_text("Start here.").wait_for()
        page.wait_for_url(f"{base}/v/notes/#/note/hint")
        assert faults(page) == []
        page.get_by_label("Vault", exact=True).select_option("work")
        page.wait_for_url(f"{base}/v/work/")
        page.get_by_label("Vault", exact=True).wait_for()
        page.goto(f"{base}/v/work/#/note/hint")
        page.get_by_text("Work here.").wait_for()
        second = another_tab(page, f"{base}/v/notes/#/note/hint")
        second.get_by_text("Start here.").wait_for()  # it has signed in from the other vault, whose token is remembered
        second.get_by_role("button", name="Sign out").click()
        question(second).wait_for()
        question(page).wait_for()
        page.goto(f"{base}/v/notes/#/note/hint")
        question(page).wait_for()
        expect(page.get_by_text("Start here.")).to_have_count(0)
        question(page).get_by_label("Name", exact=True).fill("bob")
        question(page).get_by_label("Password", exact=True).fill(PASSWORD)
        question(page).get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{base}/v/work/")  # his only vault
        page.get_by_role("button", name="Sign out").click()
        question(page).wait_for()
        signins = SignIns(SignInStore(), notes).all() + SignIns(SignInStore(), work).all()
        assert signins == ()


def test_another_vault_is_opened_after_unsaved_text_is_saved(browser: "Browser", tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"hint.md": "Start here.\n"})
    work = write(tmp_path / "work", {"hint.md": "Work here.\n"})
    with http_server(notes, "zettel", work) as url, opened(browser, f"{url[:-3]}#/note/hint") as page:
        page.get_by_text("Start here.").wait_for()
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".cm-content:focus").wait_for()
        page.keyboard.type("Unsaved. ")
        choice = page.get_by_label("Vault", exact=True)
        choice.select_option("work")
        page.get_by_role("button", name="Keep editing").click()
        expect(choice).to_have_value("notes")
        choice.select_option("work")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        page.wait_for_url(re.compile("/v/work/"))
        assert Path(notes, "hint.md").read_text("utf-8") == "Unsaved. Start here.\n"
        assert Path(work, "hint.md").read_text("utf-8") == "Work here.\n"
