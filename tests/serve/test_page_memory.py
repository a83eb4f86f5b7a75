"""What the page keeps of the views that a person has left: nothing, however long it is used."""

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.serve.test_page_notes import content, edit, save
from tests.tools.browser import called, expect, mapped, needs_browser, opened, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

pytestmark = [pytest.mark.browser, needs_browser]

TEXT = "# {0}\n\n- [ ] A task\n- [[Note {1}]]\n\n```python\nprint({0})\n```\n\n$x^{0}$\n\n[[Gone]]\n\n## End\n\nText.\n"
MOST = 3  # notes: what stays of one stays of each
NOTES = {f"Note {number}.md": TEXT.format(number, (number + 1) % MOST) for number in range(MOST)}
VIEWS = ("#/review", "#/history", "#/history/Note 1", "#/tidy", "#/list/hints", "#/note/Note 2?at=1", "#/note/Gone")


def shown(page: "Page", address: str) -> None:
    """Go to an address, and wait until what it names is loaded."""
    page.evaluate("address => { location.hash = address; return new Promise(requestAnimationFrame); }", address)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(page.locator("main .waiting")).to_have_count(0)


def use(page: "Page") -> None:
    """Use most of the page once, and leave it at its beginning."""
    for number in range(MOST):
        shown(page, f"#/note/Note {number}")
        page.get_by_role("heading", name=f"Note {number}").wait_for()
        page.mouse.move(1, 1)
        page.locator(".body").get_by_role("link").first.hover()
        expect(page.locator(".hover-card")).to_have_count(1)
    edit(page, "More.")
    save(page)
    page.get_by_role("button", name="Done").click()
    expect(content(page)).to_have_count(0)
    for address in VIEWS:
        shown(page, address)
    page.get_by_label("Search notes").fill("text")
    page.get_by_role("option").first.wait_for()
    page.get_by_label("Search notes").fill("")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("option").first.wait_for()
    page.keyboard.press("Escape")
    mapped(page)
    page.keyboard.press("g")
    page.evaluate("location.hash = '#/map?replay=yesterday'")
    page.get_by_role("slider", name="Edit").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator(".replay")).to_have_count(0)
    shown(page, "#/")
    page.mouse.move(1, 1)
    page.evaluate("document.activeElement.blur()")


def counts(session: "CDPSession") -> "Counter[str]":
    """Collect the garbage, and count the nodes, the listeners, and the elements that are in no document any more."""
    session.send("HeapProfiler.collectGarbage")
    session.send("DOM.enable")
    session.send("DOM.getDocument")
    left = session.send("DOM.getDetachedDomNodes")["detachedNodes"]
    session.send("DOM.disable")  # it holds on to nodes, too
    return Counter(session.send("Memory.getDOMCounters")) + Counter(
        f"<{node['treeNode']['nodeName']}> that is left" for node in left
    )


def test_nothing_stays_of_the_views_that_were_left(browser: "Browser", url: str) -> None:
    called(url, "set_content", name="Note 1", content="\nOf a client.\n", append=True)
    with opened(browser, url, expected=("404",)) as page:
        settled(page)
        session = page.context.new_cdp_session(page)
        use(page)
        before = counts(session)
        assert [key for key in before if "left" in key] == []
        use(page)
        grown = counts(session)
        grown.subtract(before)
        assert grown.pop("nodes") <= 1  # the browser keeps what is typed into a field, to undo it
        assert max(grown.values()) <= 0, grown  # a message of the first round may go later on
