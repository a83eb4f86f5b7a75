"""The pictures of the page in the documents; `python -m tests.tools.screenshots` makes them, of the sample vault."""

import io
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_types import Implementation

from tests.tools.browser import called, choose, chromium, opened, served, settled
from tests.tools.vaults import write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
_NOTE = "#/note/Hub%20notes"
_DESK = {"width": 1280, "height": 800}
_LOW = {"width": 1280, "height": 520}
_PHONE = {"width": 390, "height": 780}


class Picture(NamedTuple):
    """What is shown: where, in which colours and how large, what somebody has done before, and what has changed.

    `notes` are new notes; `edits` are what an assistant has added to notes, by their names.
    """

    address: str
    colours: str
    size: Mapping[str, int]
    done: Callable[["Page"], object]
    notes: Mapping[str, str] = {}
    edits: Mapping[str, Sequence[str]] = {}


def _nothing(page: "Page") -> None:
    page.locator(".passages p").first.wait_for()  # the sentences of the backlinks come last


def _depth(page: "Page") -> None:
    _nothing(page)
    choose(page, "1")
    page.locator("details.expansion").first.wait_for()


def _rename(page: "Page") -> None:
    choose(page, "Rename…")
    page.locator("dialog[open] input").fill("method/Maps of notes")
    page.locator("dialog[open] .diff").first.wait_for(state="attached")
    page.evaluate("document.querySelectorAll('dialog[open] details').forEach(one => { one.open = true })")


def _conflict(page: "Page") -> None:
    page.get_by_role("button", name="Use the other").wait_for()


def _past(page: "Page") -> None:
    choose(page, "As it was…")
    page.locator(".note-page[aria-busy=false] .body").wait_for()
    page.get_by_role("slider").blur()


_CONFLICT = """\
Read the fleeting notes on Friday, before the [[Hub notes]].

> [!conflict] Also written on laptop, 2026-11-22 10:14
> Read the fleeting notes on Sunday, before the [[Hub notes]].
"""


_ADDITIONS = (
    "Sleep helps, too: what was learned in the evening is replayed at night.\n",
    "A short test shows sooner than a second reading what is fading.\n",
    "The intervals may grow: a day, a week, a month.\n",
    "It holds for movements as it does for words.\n",
)

PICTURES = {
    "page-light.png": Picture(_NOTE, "light", _DESK, _nothing),
    "page-dark.png": Picture(_NOTE, "dark", _DESK, _depth),
    "page-phone.png": Picture(_NOTE, "light", _PHONE, _nothing),
    "page-rename.png": Picture(_NOTE, "light", _DESK, _rename),
    "page-conflict.png": Picture(
        "#/note/Weekly%20review", "light", _DESK, _conflict, {"Weekly review.md": _CONFLICT}
    ),  # after the others, because its note would be in them
    "page-past.png": Picture(
        "#/note/memory%2FSpacing%20effect", "light", _LOW, _past, edits={"memory/Spacing effect": _ADDITIONS}
    ),
}


FILM = "page-live.webp"
"""A model writes, and the page shows it: the edits are real calls over MCP."""

_FILM_SIZE = {"width": 1280, "height": 760}
_WIDTH = 900  # pixels of the film
_MODEL = Implementation(name="assistant", version="1.0")
_ADDED = "Sleep helps, too: what was learned in the evening is replayed at night, see [[Sleep and replay]].\n"
_NEW = """\
While we sleep, the brain replays what it learned during the day. A memory that is replayed fades more slowly, so sleep
belongs to every schedule that uses the [[Spacing effect]].
"""


def film(path: pathlib.Path, browser: "Browser") -> None:
    """Make the film."""
    from PIL import Image  # noqa: PLC0415 - only the film needs it

    frames: list[tuple[bytes, int]] = []  # pictures, and for how many milliseconds each is shown
    with tempfile.TemporaryDirectory() as place:
        vault = shutil.copytree(ROOT / "sample_vault", pathlib.Path(place, "notes")).as_posix()
        with served(vault) as url, opened(browser, f"{url}#/note/Spacing%20effect", viewport=_FILM_SIZE) as page:
            settled(page)

            def shoot(milliseconds: int, times: int = 1) -> None:
                frames.extend((page.screenshot(), milliseconds) for _ in range(times))

            page.locator(".connection.live").wait_for(state="attached")
            shoot(1_500)
            called(url, "set_content", _MODEL, name="memory/Sleep and replay", content=_NEW)
            shoot(150, 8)
            called(url, "set_content", _MODEL, name="memory/Spacing effect", content=_ADDED, append=True)
            page.get_by_text("replayed at night").scroll_into_view_if_needed()
            shoot(150, 8)
            shoot(2_000)
            page.get_by_role("link", name="Review (2)").click()
            page.get_by_role("button", name="Open all").click()
            page.get_by_role("region", name="memory/Sleep and replay", exact=True).wait_for()
            shoot(3_000)
            page.get_by_role("button", name="Undo…").first.click()
            page.locator("dialog[open] .preview :is(ins, del)").first.wait_for()
            shoot(1_500)
            page.locator("dialog[open]").get_by_role("button", name="Undo", exact=True).click()
            page.locator("dialog[open]").wait_for(state="detached")
            shoot(2_500)
    images = [Image.open(io.BytesIO(data)) for data, _ in frames]
    height = round(images[0].height * _WIDTH / images[0].width)
    first, *others = [image.resize((_WIDTH, height), Image.Resampling.LANCZOS) for image in images]
    durations = [milliseconds for _, milliseconds in frames]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, quality=80, method=6)


def make(folder: pathlib.Path, browser: "Browser") -> None:
    """Make every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    film(folder / FILM, browser)
    with tempfile.TemporaryDirectory() as place:
        vault = shutil.copytree(ROOT / "sample_vault", pathlib.Path(place, "notes")).as_posix()
        assistant = Memory(vault).on_behalf(client="assistant")
        with served(vault) as url:
            for name, picture in PICTURES.items():
                options: dict[str, Any] = {"color_scheme": picture.colours, "viewport": picture.size}
                write(pathlib.Path(vault), picture.notes)
                for note, additions in picture.edits.items():
                    for text in additions:
                        assistant.write(note, text, append=True)
                with opened(browser, url + picture.address, reduced_motion="reduce", **options) as page:
                    settled(page)
                    picture.done(page)
                    page.screenshot(path=folder / name)


if __name__ == "__main__":
    with chromium(is_whole=True) as found:
        make(FOLDER, found)
    sys.stderr.write(f"made {', '.join([FILM, *PICTURES])} in {FOLDER}\n")
