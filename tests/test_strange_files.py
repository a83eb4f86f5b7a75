"""A file in a vault that a command reads, in whatever state another machine has left it, stops no command."""

import contextlib
import os
import pathlib
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.errors import ZkError
from zkmem.memory import Memory

FILES = {
    "files of zkmem and git": [
        ".zkmem/config.toml", ".zkmem/.gitignore", ".zkmem-vault", ".gitignore", ".gitattributes", ".gitmodules",
    ],
    "other files": [".obsidian/app.json", "tables.base", "map.canvas"],
    "settings of daily notes": [".obsidian/daily-notes.json", ".obsidian/templates.json"],
    "settings of periodic notes": [".obsidian/plugins/periodic-notes/data.json"],
    "the template": ["template.md"],  # which the settings of daily notes name
}  # fmt: skip

TEXTS = {
    "nothing": b"",
    "no text": b"\xff\xfe\x00\x80",
    "half of it": b'{"a": [1, ',
    "a list": b"[]\n",
    "other types": b'{"folder": [], "format": 5, "daily": [{}], "template": {}, "attachmentFolderPath": {}}',
    "deep brackets": b"a = " + b"[" * 100_000,
    "deep tables": b"a" + b".a" * 40_000 + b" = 1\n",
    "a long number": b"rate = " + b"9" * 10_000,
    "much": b"x" * 3_000_000,
}


def folder(path: pathlib.Path) -> None:
    """Make a folder in the place of a file."""
    write(path, {"x": "x"})


def link(path: pathlib.Path) -> None:
    """Make a symbolic link that leads out of the vault."""
    path.symlink_to("/etc/passwd")


def loop(path: pathlib.Path) -> None:
    """Make a symbolic link to itself."""
    path.symlink_to(path)


STATES: dict[str, Callable[[pathlib.Path], object]] = {
    **{name: lambda path, data=data: path.write_bytes(data) for name, data in TEXTS.items()},  # type: ignore[misc]
    "a folder": folder,
    "a link": link,
    "a link to itself": loop,
    "a pipe": os.mkfifo,
}
COMMANDS = ("get hint", "set new text", "search tea", "mv hint first", "daily more", "daily", "undo", "log", "trust")


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", FILES)
def test_it_stops_no_command(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, kind: str, state: str) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("ZKMEM_DURABILITY", "normal")
    vault = tmp_path / "vault"
    others = {".obsidian/daily-notes.json": '{"template": "template"}', "template.md": "T\n"}
    write(vault, {"hint.md": "tea [[a]]\n", "a.md": "A\n", **others})
    with Memory(str(vault)) as memory:
        memory.write("a", "B\n")
    monkeypatch.chdir(vault)
    for file in FILES[kind]:
        place = vault / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        STATES[state](place)
    for command in COMMANDS:
        may_refuse = command.startswith("daily") and kind != "files of zkmem and git"  # else it would make another note
        with contextlib.suppress(*([ZkError] if may_refuse else [])):
            done = CliRunner().invoke(cli, command.split(), catch_exceptions=False)
            assert done.exit_code == 0, (command, done.output)
            assert len(done.stderr) < 5_000
