"""The extension in a real Visual Studio Code, in a browser (code-server): a person links, reads and renames notes.

It runs where ZKMEM_TEST_EDITORS names `code-server`; npm carries it.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.lsp.test_editors import NOTES, WANTED, saved
from tests.tools.browser import chromium, expect
from tests.tools.vaults import allow_git, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = pathlib.Path(__file__).parents[2]
ZKMEM = str(pathlib.Path(sys.executable).parent / "zkmem")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("code-server" not in WANTED, reason="ZKMEM_TEST_EDITORS does not name code-server"),
]


@pytest.fixture(scope="module")
def packed() -> pathlib.Path:
    """Return the extension, as `make vscode` packs it."""
    subprocess.run(["make", "vscode"], cwd=ROOT, check=True, capture_output=True)
    return ROOT / "dist" / "zkmem.vsix"


@contextlib.contextmanager
def code(vault: pathlib.Path, home: pathlib.Path, packed: pathlib.Path, command: str = ZKMEM) -> Iterator["Page"]:
    """Open a folder in the editor, with the extension and without settings of a person except the command."""
    settings = {
        "zkmem.command": command,
        "workbench.startupEditor": "none",
        "files.autoSave": "off",
        "diffEditor.useInlineViewWhenSpaceIsLimited": False,
    }
    write(home, {"data/User/settings.json": json.dumps(settings)})
    program = [str(shutil.which("code-server")), f"--user-data-dir={home}/data", f"--extensions-dir={home}/extensions"]
    environ = {**os.environ, "HOME": str(home)}
    subprocess.run([*program, f"--install-extension={packed}"], check=True, capture_output=True, env=environ)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--auth=none", f"--bind-addr=127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    options += ["--disable-workspace-trust", str(vault)]
    with subprocess.Popen([*program, *options], env=environ, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            next(line for line in server.stdout if "HTTP server listening" in line)
            with chromium(is_whole=True) as browser:
                page = browser.new_page(viewport={"width": 1000, "height": 640})
                page.goto(f"http://127.0.0.1:{port}/?folder={vault}")
                yield page
        finally:
            server.terminate()


def open_note(page: "Page", name: str) -> None:
    """Open a note by a double click in the tree."""
    page.get_by_role("treeitem", name=name, exact=True).dblclick()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


def go_to(page: "Page", text: str) -> None:
    """Put the cursor into a text of the note."""
    page.locator(".view-line", has_text=text).first.wait_for()
    page.keyboard.press("Control+f")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")


def test_a_person_links_reads_renames_and_moves_notes(tmp_path: pathlib.Path, packed: pathlib.Path) -> None:
    vault = tmp_path / "vault"
    write(vault, NOTES)
    with code(vault, tmp_path / "home", packed) as page:
        open_note(page, "start.md")
        expect(page.locator(".squiggly-warning, .squiggly-error, .squiggly-info").first).to_be_attached()

        page.keyboard.press("Control+End")
        page.keyboard.type("Go [[Bay")
        expect(page.locator(".suggest-widget .monaco-list-row", has_text="Bay leaf").first).to_be_visible()
        page.keyboard.press("Enter")
        page.keyboard.type(" on")
        expect(page.locator(".view-line", has_text="Go [[Bay leaf]] on")).to_be_visible()

        go_to(page, "Apple")
        page.keyboard.press("Control+k")
        page.keyboard.press("Control+i")
        expect(page.locator(".monaco-hover", has_text="A pie with cloves").first).to_be_visible()
        page.keyboard.press("Escape")

        page.keyboard.press("F2")
        box = page.locator(".rename-box input")
        expect(box).to_be_visible()
        box.fill("Tart")
        page.keyboard.press("Enter")
        expect(page.locator(".view-line", has_text="See [[Tart]]")).to_be_visible()
        page.keyboard.press("Control+k")
        page.keyboard.press("s")
        saved(vault / "other.md", "Bake the [[Tart|pie]].\n")
        saved(vault / "Tart.md", "A pie with cloves.\n")
        assert not (vault / "Apple pie.md").exists()

        page.get_by_role("treeitem", name="Tart.md", exact=True).click()
        page.keyboard.press("F2")
        page.keyboard.press("Control+a")
        page.keyboard.type("Cake.md")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="OK").click()  # the editor asks whether the links shall be changed, too
        expect(page.get_by_role("treeitem", name="Cake.md")).to_be_visible()
        open_note(page, "other.md")
        expect(page.locator(".view-line", has_text="Bake the [[Cake|pie]]")).to_be_visible()
        page.keyboard.press("Control+k")
        page.keyboard.press("s")
        saved(vault / "other.md", "Bake the [[Cake|pie]].\n")
        saved(vault / "Cake.md", "A pie with cloves.\n")


def test_a_workspace_does_not_choose_the_program_that_is_started(tmp_path: pathlib.Path, packed: pathlib.Path) -> None:
    vault, sign = tmp_path / "vault", tmp_path / "sign"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {sign}\n", encoding="utf-8")
    program.chmod(0o755)
    write(vault, {**NOTES, ".vscode/settings.json": json.dumps({"zkmem.command": str(program)})})
    with code(vault, tmp_path / "home", packed) as page:
        open_note(page, "start.md")
        expect(page.locator(".squiggly-warning, .squiggly-error, .squiggly-info").first).to_be_attached()
        assert not sign.exists()


def test_links_on_the_old_side_of_a_diff_lead_to_the_notes_of_that_time(
    tmp_path: pathlib.Path, packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKMEM_GIT", "true")
    vault = tmp_path / "vault"
    write(vault, NOTES)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", "-C", vault, "-c", "user.name=a", "-c", "user.email=a@b", *command], check=True)
    allow_git(vault)
    (vault / "Apple pie.md").rename(vault / "Tart.md")
    write(vault, {"start.md": "# Start\n\nSee [[Tart]] and [[Missing note]].\n"})
    with code(vault, tmp_path / "home", packed) as page:
        open_note(page, "start.md")
        expect(page.locator(".squiggly-info").first).to_be_attached()  # the server is ready
        page.get_by_role("button", name="Open Changes").first.click()
        old = page.locator(".editor.original .view-line")
        link = old.locator("span", has_text="Apple").last
        hover = page.locator(".monaco-hover", has_text="A pie with cloves").first
        link.hover()
        expect(hover).to_contain_text("Apple pie (HEAD)")
        expect(page.locator(".editor.original .squiggly-info")).to_have_count(0)  # no problems of that time
        link.click()
        page.keyboard.press("F12")
        expect(page.get_by_role("tab", name="Apple pie.md")).to_have_attribute("aria-selected", "true")
        expect(page.locator(".view-line", has_text="A pie with cloves")).to_be_visible()


@pytest.mark.parametrize("fault", ["no program", "no library", "no vault", "too old"])
def test_one_sentence_says_why_it_does_not_start(fault: str, tmp_path: pathlib.Path, packed: pathlib.Path) -> None:
    vault, command, sentence = tmp_path / "vault", ZKMEM, "is no vault of notes"
    write(vault, NOTES)
    if fault == "no vault":
        shutil.rmtree(vault / ".obsidian")
    if fault == "no program":
        command, sentence = str(tmp_path / "zkmem"), "is not found. Install zkmem with its language server"
    if fault == "too old":
        program, command = tmp_path / "program", str(tmp_path / "program")
        program.write_text("#!/bin/sh\necho \"Error: There is no command 'lsp'.\" >&2; exit 2\n", encoding="utf-8")
        program.chmod(0o755)
        sentence = "is too old: it has no language server."
    if fault == "no library":
        write(tmp_path, {"pygls/__init__.py": "raise ModuleNotFoundError('no', name='pygls')"})
        program, command = tmp_path / "program", str(tmp_path / "program")
        path = os.pathsep.join([str(tmp_path), *sys.path])
        program.write_text(f"#!/bin/sh\nPYTHONPATH='{path}' exec {ZKMEM} \"$@\"\n", encoding="utf-8")
        program.chmod(0o755)
        sentence = "The language server needs a library that is not installed."
    with code(vault, tmp_path / "home", packed, command) as page:
        open_note(page, "start.md")
        notices = page.locator(".notifications-toasts .notification-list-item", has_text=re.compile("zkmem|rejected"))
        expect(notices.filter(has_text=sentence)).to_be_visible()
        expect(notices).to_have_count(1)
