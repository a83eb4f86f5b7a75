"""Real editors with the lines that the documents tell people to paste: a person links, reads and renames notes.

`ZKMEM_TEST_EDITORS=nvim,emacs,hx` names the editors that must be there; the others are skipped.
"""

import contextlib
import os
import pathlib
import re
import shutil
import sys
import time
from typing import NamedTuple

import pytest

from tests.tools.terminal import PATIENCE_S, TMUX, opened
from tests.tools.vaults import write

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "how-to" / "editors.md").read_text("utf-8")
WANTED = {name for name in os.environ.get("ZKMEM_TEST_EDITORS", "").split(",") if name}
NOTES = {
    ".obsidian/app.json": "{}",
    "start.md": "# Start\n\nSee [[Apple pie]] and [[Missing note]].\n",
    "Apple pie.md": "A pie with cloves.\n",
    "Bay leaf.md": "A spice.\n",
    "other.md": "Bake the [[Apple pie|pie]].\n",
}


class Editor(NamedTuple):
    """An editor in a terminal: where its settings are, and what a person types. `<Enter>` names a key."""

    heading: str  # of the lines to paste, in the page
    settings: str  # the file to paste them into, in the home folder
    command: tuple[str, ...]
    end: str  # goes to a new line at the end of the note, and types
    take: str  # takes the name that is offered
    find: str  # goes to the next text
    found: str
    problems: str  # shows the problem at the cursor
    hover: str
    follow: str
    append: str  # types on a new line
    save: str
    open_start: str  # opens start.md again, at its beginning
    rename: str
    prompt: str  # asks for the new name
    clear: str  # removes the name that is offered
    save_all: str
    offer: str | None = ""  # asks for the names; None if `take` does
    renames_files: bool = True  # for a language server


EDITORS = {
    "nvim": Editor(
        heading="Neovim", settings=".config/nvim/init.lua", command=("nvim", "-i", "NONE", "start.md"),
        end="Go", take="<C-y><Escape>", find="gg/", found="<Enter>", problems="<C-w>d", hover="K", follow="<C-]>",
        append="Go", save="<Escape>:w<Enter>", open_start=":w | e start.md<Enter>gg",
        rename="grn", prompt="New Name:", clear="<C-u>", save_all=":wa<Enter>",
    ),
    "hx": Editor(
        heading="Helix", settings=".config/helix/languages.toml", command=("hx", "start.md"),
        end="geo", take="<C-n><Enter><Escape>", find="gg/", found="<Enter>", problems="", hover=" k", follow="gd",
        append="geo", save="<Escape>:w<Enter>", open_start=":w<Enter>:o start.md<Enter>gg",
        rename=" r", prompt="rename-to:", clear="<C-u>", save_all=":wa<Enter>", offer="<C-x>",
    ),
    "emacs": Editor(
        heading="Emacs", settings=".emacs.d/init.el", command=("emacs", "-nw", "start.md"),
        end="<F6>", take="<C-M-i>", find="<F5><C-s>", found="<Enter>", problems="<F7>", hover="<F8>", follow="<M-.>",
        append="<F6>", save="<C-x><C-s>", open_start="<C-x>bstart.md<Enter>",
        rename="<F9>", prompt="Rename", clear="", save_all="<C-x>s!", offer=None, renames_files=False,
    ),
}  # fmt: skip

KEYS = """
(setq native-comp-async-report-warnings-errors nil)
(global-set-key [f5] 'beginning-of-buffer)
(global-set-key [f6] 'end-of-buffer)
(global-set-key [f7] 'flymake-show-buffer-diagnostics)
(global-set-key [f8] 'eldoc-doc-buffer)
(global-set-key [f9] 'eglot-rename)
"""  # Emacs loses keys that come at once after M-x and the name of a command


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITORS)
def test_a_person_links_reads_and_renames_notes(name: str, tmp_path: pathlib.Path) -> None:
    editor = EDITORS[name]
    if name not in WANTED:
        pytest.skip(f"ZKMEM_TEST_EDITORS does not name {name}")
    vault, home = tmp_path / "vault", tmp_path / "home"
    environ = environment(home)
    assert TMUX
    assert shutil.which(name, path=environ["PATH"])
    write(vault, NOTES)
    write(home, {editor.settings: pasted(editor.heading), ".emacs.d/early-init.el": KEYS})
    with opened(editor.command, vault, environ, tmp_path / "tmux") as terminal:
        terminal.until("See [[Apple pie]]")
        terminal.type(editor.find + "Missing" + editor.found)
        terminal.type_until(editor.problems, "No note has the name")

        terminal.type(editor.end + "Go [[")
        if editor.offer is not None:
            terminal.type_until(editor.offer, "Bay leaf")
        terminal.type("Bay" + editor.take)
        terminal.until("Go [[Bay leaf]]")

        terminal.type(editor.find + "Apple" + editor.found)
        terminal.type_until(editor.hover, "A pie with cloves")
        terminal.type(editor.follow)
        terminal.until("Apple pie.md")
        terminal.type(editor.append + "Hot." + editor.save)
        saved(vault / "Apple pie.md", "A pie with cloves.\nHot.\n")

        terminal.type(editor.open_start + editor.find + "Apple" + editor.found + editor.rename)
        terminal.until(editor.prompt)
        terminal.type(editor.clear + "Tart<Enter>")
        if not editor.renames_files:
            terminal.until("do it with zkmem, or another editor.")
            return
        terminal.until("See [[Tart]]")
        terminal.type(editor.save_all)
        saved(vault / "other.md", "Bake the [[Tart|pie]].\n")
        saved(vault / "Tart.md", "A pie with cloves.\nHot.\n")
        saved(vault / "start.md", "# Start\n\nSee [[Tart]] and [[Missing note]].\nGo [[Bay leaf]]\n")
        assert not (vault / "Apple pie.md").exists()


def pasted(heading: str) -> str:
    """Return the first lines to paste in a section of the page."""
    section = PAGE.partition(f"\n## {heading}\n")[2]
    found = re.search(r"```\w+\n(.*?)```", section, re.DOTALL)
    assert found, heading
    return found[1]


def environment(home: pathlib.Path) -> dict[str, str]:
    """Return the environment of a person with a home folder and zkmem on the path."""
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "XDG_CACHE_HOME") if name in os.environ}
    return {"HOME": str(home), "PATH": path, "TERM": "screen-256color", "LANG": "C.UTF-8", **kept}


def saved(path: pathlib.Path, text: str) -> None:
    """Wait until a file has a text."""
    end, found = time.monotonic() + PATIENCE_S, ""
    while found != text:
        with contextlib.suppress(FileNotFoundError):  # while an editor replaces it
            found = path.read_text("utf-8")
        assert time.monotonic() < end, f"{path.name} has {found!r}"
