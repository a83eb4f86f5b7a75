"""Signing in to the page and out of it, in a real browser on a real server."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import faults, needs_browser, opened, served
from tests.tools.vaults import write
from zkmem.cli.tokens import tokens_of

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
        assert page.evaluate("() => Object.values(localStorage).join()").count(token) == 0
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
            assert tab.get_by_text("Start here.").count() == 0
        stored = "() => [...Object.values(localStorage), ...Object.values(sessionStorage)].join()"
        assert token not in page.evaluate(stored) + third.evaluate(stored)


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_question_can_be_closed_and_opened_again(browser: "Browser", server: tuple[str, str], scheme: str) -> None:
    url, token = server
    with opened(browser, url, expected=REFUSED, color_scheme=scheme) as page:
        question(page).get_by_label("Remember on this device").check()
        assert faults(page) == []
        page.keyboard.press("Escape")
        back = page.get_by_role("region", name="Signed out").get_by_role("button")
        assert back.inner_text() == f"Sign in to {url.split('/')[2]}"
        assert faults(page) == []
        back.click()
        sign_in(page, token)
        assert page.get_by_role("region", name="Signed out").count() == 0


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
