"""The pictures of the page in the documents; `python -m tests.tools.screenshots` makes them, of the sample vault."""

import pathlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.tools.browser import choose, chromium, opened, served, settled
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
_NOTE = "#/note/Hub%20notes"
_DESK = {"width": 1280, "height": 800}
_PHONE = {"width": 390, "height": 780}


class Picture(NamedTuple):
    """What is shown: where, in which colours and how large, what somebody has done before, and which notes are new."""

    address: str
    colours: str
    size: Mapping[str, int]
    done: Callable[["Page"], object]
    notes: Mapping[str, str] = {}


def _nothing(page: "Page") -> None:
    page.locator(".title").wait_for()


def _depth(page: "Page") -> None:
    choose(page, "1")
    page.locator("details.expansion").first.wait_for()


def _rename(page: "Page") -> None:
    choose(page, "Rename…")
    page.locator("dialog[open] input").fill("method/Maps of notes")
    page.locator("dialog[open] .diff").first.wait_for(state="attached")
    page.evaluate("document.querySelectorAll('dialog[open] details').forEach(one => { one.open = true })")


def _conflict(page: "Page") -> None:
    page.get_by_role("button", name="Use the other").wait_for()


_CONFLICT = """\
Read the fleeting notes on Friday, before the [[Hub notes]].

> [!conflict] Also written on laptop, 2026-11-22 10:14
> Read the fleeting notes on Sunday, before the [[Hub notes]].
"""


PICTURES = {
    "page-light.png": Picture(_NOTE, "light", _DESK, _nothing),
    "page-dark.png": Picture(_NOTE, "dark", _DESK, _depth),
    "page-phone.png": Picture(_NOTE, "light", _PHONE, _nothing),
    "page-rename.png": Picture(_NOTE, "light", _DESK, _rename),
    "page-conflict.png": Picture(
        "#/note/Weekly%20review", "light", _DESK, _conflict, {"Weekly review.md": _CONFLICT}
    ),  # the last one, because its note would be in the others
}


def make(folder: pathlib.Path, browser: "Browser") -> None:
    """Make every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        vault = shutil.copytree(ROOT / "sample_vault", pathlib.Path(place, "notes")).as_posix()
        with served(vault) as url:
            for name, picture in PICTURES.items():
                options: dict[str, Any] = {"color_scheme": picture.colours, "viewport": picture.size}
                write(pathlib.Path(vault), picture.notes)
                with opened(browser, url + picture.address, reduced_motion="reduce", **options) as page:
                    settled(page)
                    picture.done(page)
                    page.screenshot(path=folder / name)


if __name__ == "__main__":
    with chromium() as found:
        make(FOLDER, found)
    sys.stderr.write(f"made {', '.join(PICTURES)} in {FOLDER}\n")
