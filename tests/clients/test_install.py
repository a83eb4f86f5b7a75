"""`zkmem install` and `zkmem uninstall`: one entry in a client's configuration, and every other byte as it was."""

import contextlib
import difflib
import functools
import json
import os
import pathlib
import pty
import re
import stat
import subprocess
import sys
import threading
import tomllib

import pytest

from tests.tools.configurations import Desk, form, samples
from tests.tools.forked import zkmem_program
from tests.tools.vaults import write
from zkmem.clients import entry, jsonc, launch
from zkmem.clients.install import InstalledFile
from zkmem.clients.table import CLIENTS, UserHome
from zkmem.errors import BadClientFile, Unwritable

NAMES = list(CLIENTS)
FORMS = ["cursor", "codex", "opencode"]  # each writes an entry in another way
KINDS = list(samples("cursor"))
COMMAND = ["/opt/bin/zkmem", "serve", "/home/me/my notes"]
BACKUP = ".zkmem-backup"


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path / "home")


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "notes", {"hint.md": "[[a]]\n"})


def meaning(client: str, data: bytes | None) -> dict[str, object]:
    """What the client reads in its file."""
    text = (data or b"").decode().removeprefix("\ufeff")
    if form(client) == "toml":
        return tomllib.loads(text)
    found = jsonc.parse(text).data if text.strip() else {}
    assert isinstance(found, dict)
    return found


def servers(client: str, data: bytes | None) -> dict[str, object]:
    found = meaning(client, data).get(CLIENTS[client].key, {})
    assert isinstance(found, dict)
    return found


def added_bytes(old: bytes, new: bytes) -> bytes:
    """What was put into the old bytes, none of which was taken away or moved."""
    added = b""
    for tag, start, end, begin, stop in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        assert tag in {"equal", "insert"}, (old[start:end], new[begin:stop])
        added += new[begin:stop] if tag == "insert" else b""
    return added


@pytest.mark.parametrize(("client", "kind"), [(client, kind) for client in NAMES for kind in KINDS])
def test_only_our_entry_is_added_and_its_removal_gives_the_same_bytes(client: str, kind: str, desk: Desk) -> None:
    old = samples(client)[kind]
    path = desk.put(client, old)
    row = CLIENTS[client]
    target = InstalledFile(row, str(path), "zkmem")
    wanted = entry.made(row, COMMAND)
    assert target.add(wanted).change == "added"
    new = path.read_bytes()
    assert servers(client, new) == {**servers(client, old), "zkmem": wanted}
    assert {**meaning(client, new), row.key: None} == {**meaning(client, old), row.key: None}
    if old and old.strip():
        added = added_bytes(old, new)
        assert added.count(b"\r\n") == (added.count(b"\n") if kind == "crlf" else 0)
        assert path.with_name(path.name + BACKUP).read_bytes() == old
    assert target.add(wanted).change == "unchanged"
    assert path.read_bytes() == new
    assert target.remove().change == "removed"
    assert (path.read_bytes() if path.exists() else None) == old
    assert target.remove().change == "not there"
    assert [one.name for one in path.parent.iterdir() if one.is_file()] == ([] if old is None else [path.name])


@pytest.mark.parametrize("client", NAMES)
def test_a_new_install_replaces_only_our_command_and_keeps_what_was_set_beside_it(client: str, desk: Desk) -> None:
    row = CLIENTS[client]
    path = desk.put(client, samples(client)["comments"])
    target = InstalledFile(row, str(path), "zkmem")
    target.add(entry.made(row, COMMAND))
    first = path.read_text("utf-8")
    assert target.add(entry.made(row, [*COMMAND, "--toolsets", "kg"])).change == "replaced"
    changed = [
        line for line in difflib.ndiff(first.split("\n"), path.read_text("utf-8").split("\n")) if line[0] in "+-"
    ]
    assert len(changed) == 2
    assert "--toolsets" in changed[1]
    target.remove()
    assert path.read_bytes() == samples(client)["comments"]

    target.add(entry.made(row, COMMAND))
    path.write_text(set_beside(client, path.read_text("utf-8")), "utf-8")
    target.add(entry.made(row, ["/new/zkmem", "serve", "/v"]))
    found = servers(client, path.read_bytes())["zkmem"]
    assert isinstance(found, dict)
    assert target.command() == ["/new/zkmem", "serve", "/v"]
    assert 9 in found.values()
    assert "mine" in path.read_text("utf-8")


def set_beside(client: str, text: str) -> str:
    """Add a setting of the user's, and a comment, to our entry in a text."""
    key = CLIENTS[client].words[0]
    if form(client) == "toml":
        return text.replace(f'{key} = "/opt', f'timeout = 9 # mine\n{key} = "/opt')
    return re.sub(rf'("{key}": \[?"/opt)', r'"timeout": 9, // mine\n\1', text)


@pytest.mark.parametrize("client", NAMES)
def test_what_was_changed_since_stays_when_ours_is_taken_out(client: str, desk: Desk) -> None:
    row = CLIENTS[client]
    path = desk.put(client, samples(client)["comments"])
    target = InstalledFile(row, str(path), "zkmem")
    target.add(entry.made(row, COMMAND))
    changed = path.read_bytes().replace(b"every day", b"each day")
    path.write_bytes(changed)
    assert target.remove().change == "removed"
    old = samples(client)["comments"]
    assert old
    assert path.read_bytes() == old.replace(b"every day", b"each day")
    assert path.with_name(path.name + BACKUP).read_bytes() == changed


@pytest.mark.parametrize("client", NAMES)
def test_a_copy_that_has_our_entry_is_not_what_there_was_before(client: str, desk: Desk) -> None:
    row = CLIENTS[client]
    path = desk.put(client, samples(client)["comments"])
    target = InstalledFile(row, str(path), "zkmem")
    target.add(entry.made(row, COMMAND))
    path.write_bytes(path.read_bytes().replace(b"every day", b"each day"))
    target.add(entry.made(row, [*COMMAND, "--toolsets", "kg"]))  # the copy is the file with the entry before this one
    target.remove()
    old = samples(client)["comments"]
    assert old
    assert path.read_bytes() == old.replace(b"every day", b"each day")


def test_two_vaults_have_two_entries_which_go_in_any_order(desk: Desk) -> None:
    for client in NAMES:
        row = CLIENTS[client]
        old = samples(client)["comments"]
        path = desk.put(client, old)
        home, work = InstalledFile(row, str(path), "zkmem"), InstalledFile(row, str(path), "work")
        home.add(entry.made(row, COMMAND))
        work.add(entry.made(row, COMMAND))
        home.remove()
        assert "work" in servers(client, path.read_bytes())
        work.remove()
        assert path.read_bytes() == old


def test_a_file_behind_a_link_is_changed_there_and_keeps_its_permissions(desk: Desk, tmp_path: pathlib.Path) -> None:
    row = CLIENTS["cursor"]
    link = desk.put("cursor", None)
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}')
    real.chmod(0o640)
    link.symlink_to(real)
    target = InstalledFile(row, str(link), "zkmem")
    target.add(entry.made(row, COMMAND))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / ("dotfiles.json" + BACKUP)).stat().st_mode) == 0o640
    target.remove()
    assert (link.is_symlink(), real.read_text()) == (True, '{"a": 1}')


def test_a_new_file_is_for_its_user_alone(desk: Desk) -> None:
    path = desk.put("cursor", None)
    InstalledFile(CLIENTS["cursor"], str(path), "zkmem").add(entry.made(CLIENTS["cursor"], COMMAND))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


BROKEN = {
    "json": [
        (b'{\n  "a": 1\n  "b": 2\n}', "line 3"),
        (b'{"a": 1', "line 1"),
        (b'{\n"a": /* no end', "line 2"),
        (b'{\n"a": "no end\n}', "line 2"),
        (b"[1]", "line 1: the whole is not an object"),
        (b'{"KEY": []}', "line 1: KEY is not an object"),
        (b"{} {}", "line 1"),
        (b'{"a": 01}', "line 1"),
        (b"{'a': 1}", "line 1"),
        (b"[" * 5_000, "nested too deeply"),
        (b'{\n"a": ' + b"9" * 5_000 + b"}", "line 2: a number is too long"),
        (b'{"a":\n"\xff"}', "line 2"),
    ],
    "toml": [
        (b"a = 1\nb = \n", "line 2"),
        (b"a = 1\na = 2\n", "line 2"),
        (b"x = [1\n", "line 2"),
        (b"KEY = 3\n", "KEY is not a table"),
        (b"a = '\xff'\n", "line 1"),
        (b"a = " + b"[" * 5_000, "nested too deeply"),
        (b"a = " + b"9" * 5_000, "a number is too long"),
    ],
}


@pytest.mark.parametrize("client", FORMS)
def test_a_file_that_does_not_parse_is_left_alone_and_the_line_is_told(client: str, desk: Desk, vault: str) -> None:
    row = CLIENTS[client]
    for data, says in BROKEN[form(client)]:
        broken = data.replace(b"KEY", row.key.encode())
        path = desk.put(client, broken)
        target = InstalledFile(row, str(path), "zkmem")
        for call in (target.remove, functools.partial(target.add, entry.made(row, COMMAND))):
            with pytest.raises(BadClientFile, match=r"[nN]othing was changed") as told:
                call()
            assert says.replace("KEY", row.key) in str(told.value), data[:100]
            assert str(path) in str(told.value)
        assert path.read_bytes() == broken
        assert not path.with_name(path.name + BACKUP).exists()
    done = desk.run("install", client, "--vault", vault, "--json")
    assert (done.returncode, done.stdout, json.loads(done.stderr)["error"]) == (2, "", "BadClientFile")


def test_the_commands_say_what_they_did(desk: Desk, vault: str) -> None:
    path = desk.put("gemini", b'{"theme": "x"}')
    done = desk.run("install", "gemini", "--vault", vault, "--toolsets", "kg,zettel")
    assert done.returncode == 0, done.stderr
    hooks = "hooks.SessionStart, hooks.BeforeAgent, hooks.AfterTool, hooks.AfterAgent"
    assert done.stdout.splitlines()[:2] == [
        f"Writes mcpServers.zkmem, {hooks} ({path})",
        f"zkmem in Gemini CLI: added ({path})",
    ]
    assert f"Copy of the file before the change: {path}{BACKUP}" in done.stdout
    found = servers("gemini", path.read_bytes())["zkmem"]
    assert isinstance(found, dict)
    assert found["args"][-4:] == ["serve", vault, "--toolsets", "kg,zettel"]
    assert os.path.isabs(found["command"])
    told = json.loads(desk.run("install", "gemini", "-C", vault, "--json").stdout)
    assert (told["change"], told["file"], told["command"]) == (
        "replaced",
        str(path),
        [found["command"], "serve", vault],
    )
    assert json.loads(desk.run("uninstall", "gemini", "--json").stdout)["change"] == "removed"
    assert path.read_bytes() == b'{"theme": "x"}'
    done = desk.run("uninstall", "gemini")
    assert (done.returncode, done.stdout) == (0, f"zkmem in Gemini CLI: not there ({path})\n")


@pytest.mark.slow
def test_a_project_has_a_file_of_its_own(desk: Desk, vault: str, tmp_path: pathlib.Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    plain = project / "plain"
    plain.touch()
    for client in NAMES:
        done = desk.run("install", client, "--vault", "../notes", "--project", cwd=project)
        place = CLIENTS[client].project
        if place is None:
            assert (done.returncode, "leave out --project" in done.stderr) == (2, True)
            continue
        assert done.returncode == 0, done.stderr
        command = InstalledFile(CLIENTS[client], str(project / place), "zkmem").command()
        assert command
        assert command[1:] == ["serve", vault]
        assert not desk.file(client).exists()
        assert stat.S_IMODE((project / place).stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
        assert desk.run("uninstall", client, "--project", cwd=project).returncode == 0
        assert not (project / place).exists()


@pytest.mark.parametrize("client", FORMS)
def test_print_shows_what_install_would_write_and_changes_nothing(client: str, desk: Desk, vault: str) -> None:
    done = desk.run("install", client, "--vault", vault, "--print", "--no-hooks")
    assert done.returncode == 0
    assert str(desk.file(client)) in done.stderr
    assert list(desk.folder.iterdir()) == []
    told = json.loads(desk.run("install", client, "--vault", vault, "--print", "--json", "--no-hooks").stdout)
    assert told["snippet"] == done.stdout
    assert servers(client, done.stdout.encode()) == {"zkmem": told["entry"]}
    path = desk.put(client, None)
    assert desk.run("install", client, "--vault", vault, "--no-hooks").returncode == 0
    assert path.read_text("utf-8") == done.stdout


@pytest.mark.parametrize("client", FORMS)
def test_a_client_that_is_not_there_is_refused_with_a_way_out(client: str, desk: Desk, vault: str) -> None:
    done = desk.run("install", client, "--vault", vault, PATH="/nowhere")
    assert done.returncode == 3
    assert "--print" in done.stderr
    assert "--force" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(desk.folder.iterdir()) == []
    forced = desk.run("install", client, "--vault", vault, "--force", PATH="/nowhere")
    assert forced.returncode == 0
    assert desk.file(client).exists()


def test_a_command_on_the_path_is_a_sign_of_the_client(desk: Desk, vault: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    assert desk.run("install", "codex", "--vault", vault, PATH=str(tmp_path)).returncode == 0


FOREIGN = {  # how a file holds an entry, and entries that are not ours
    "json": (
        '{"KEY": {"zkmem": %s}}',
        '{"command": "memory", "args": []}',
        '{"command": "a", "args": ["--zkmem"]}',
        '{"url": "http://x"}',
        "3",
    ),
    "toml": (
        "[KEY]\nzkmem = %s\n",
        '{command = "memory", args = []}',
        '{command = "a", args = ["--zkmem"]}',
        '{url = "http://x"}',
        "3",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("client", FORMS)
def test_another_server_under_our_name_is_neither_replaced_nor_removed(client: str, desk: Desk, vault: str) -> None:
    whole, *theirs = FOREIGN[form(client)]
    for value in theirs:
        data = whole.replace("KEY", CLIENTS[client].key) % value
        path = desk.put(client, data.encode())
        for order in (["install", client, "--vault", vault], ["uninstall", client]):
            done = desk.run(*order)
            assert (done.returncode, "--force" in done.stderr) == (4, True), done.stderr
            assert path.read_text() == data
    assert desk.run("install", client, "--vault", vault, "--force").returncode == 0
    assert CLIENTS[client].words[0] in str(servers(client, path.read_bytes())["zkmem"])
    assert desk.run("uninstall", client).returncode == 0
    assert path.read_text() == data  # what had been replaced is back
    assert desk.run("uninstall", client, "--force").returncode == 0
    assert servers(client, path.read_bytes()) == {}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["install", "cursor", "--vault", "nowhere"], 2, "does not exist"),
        (["install", "cursor", "--vault", "file"], 2, "is a file"),
        (["install", "cursor"], 2, "--vault"),
        (["install"], 2, "--list"),
        (["install", "--vault", "notes"], 2, "claude-code"),
        (["install", "cursor", "--vault", "notes", "--toolsets", "zettle"], 2, "one name or more of zettel"),
        (["install", "cursor", "--vault", "notes", "--name", "a b"], 2, "--name"),
        (["install", "emacs", "--vault", "notes"], 2, "claude-code"),
        (["completion", "tcsh"], 2, "bash"),
    ],
)
def test_bad_input_gets_one_sentence_and_changes_nothing(
    arguments: list[str], code: int, says: str, desk: Desk, vault: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "file").touch()
    path = desk.put("cursor", b"{}")
    done = desk.run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, says in done.stderr) == (code, "", True), done.stderr
    assert path.read_bytes() == b"{}"


def test_a_path_that_no_configuration_can_hold_is_refused(desk: Desk, tmp_path: pathlib.Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(folder)
    path = desk.put("cursor", b"{}")
    done = desk.run("install", "cursor", "--vault", folder)
    assert (done.returncode, "is not UTF-8" in done.stderr) == (2, True), done.stderr
    assert path.read_bytes() == b"{}"


def test_a_folder_that_nobody_named_is_added_only_if_it_is_a_vault(desk: Desk, vault: str) -> None:
    path, folder = desk.put("cursor", None), pathlib.Path(vault)
    assert desk.run("install", "cursor", cwd=folder).returncode == 2
    assert not path.exists()
    (folder / ".zkmem").mkdir()
    assert desk.run("install", "cursor", cwd=folder).returncode == 0
    assert vault in path.read_text()


def test_what_the_disk_refuses_is_told_and_nothing_is_left_behind(desk: Desk) -> None:
    row = CLIENTS["cursor"]
    path = desk.put("cursor", None).with_name("x" * 250)  # no room for the name of a copy
    path.write_bytes(b"{}")
    with pytest.raises(Unwritable, match="cannot be written: File name too long"):
        InstalledFile(row, str(path), "zkmem").add(entry.made(row, COMMAND))
    assert [(one.name, one.read_bytes()) for one in path.parent.iterdir()] == [(path.name, b"{}")]


def test_a_file_that_nobody_may_write_is_left_as_it_is(desk: Desk, vault: str) -> None:
    path = desk.put("cursor", b"{}")
    path.chmod(0o444)
    done = desk.run("install", "cursor", "--vault", vault)
    assert (done.returncode, done.stdout, path.read_bytes()) == (Unwritable.exit_code, "", b"{}")
    assert done.stderr == f"Error: {path} cannot be written: it is read-only. Nothing was changed.\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_client_that_writes_its_file_meanwhile_loses_nothing(desk: Desk) -> None:
    row = CLIENTS["claude-code"]
    path = desk.put("claude-code", b'{"starts": 1}')
    target = InstalledFile(row, str(path), "zkmem")
    seen: list[str | None] = []

    def work(text: str | None) -> str:
        if not seen:  # the client saves, between our look and our writing
            path.write_bytes(b'{"starts": 2}')
        seen.append(text)
        return entry.added(text or "", row, "zkmem", entry.made(row, COMMAND))

    assert target._file.change(work, backup=lambda _: True)
    assert seen == ['{"starts": 1}', '{"starts": 2}']
    assert meaning("claude-code", path.read_bytes())["starts"] == 2
    assert path.with_name(path.name + BACKUP).read_bytes() == b'{"starts": 2}'


PLACES = {  # on Linux, on macOS, on Windows (below, with the separators of Windows)
    "claude-code": ("/h/.claude.json",) * 3,
    "claude-desktop": (
        "/h/.config/Claude/claude_desktop_config.json",
        "/h/Library/Application Support/Claude/claude_desktop_config.json",
        "/r/Claude/claude_desktop_config.json",
    ),
    "cursor": ("/h/.cursor/mcp.json",) * 3,
    "vscode": (
        "/h/.config/Code/User/mcp.json",
        "/h/Library/Application Support/Code/User/mcp.json",
        "/r/Code/User/mcp.json",
    ),
    "codex": ("/h/.codex/config.toml",) * 3,
    "gemini": ("/h/.gemini/settings.json",) * 3,
    "opencode": ("/h/.config/opencode/opencode.json",) * 3,
    "cline": ("/h/.cline/data/settings/cline_mcp_settings.json",) * 3,
    "copilot": ("/h/.copilot/mcp-config.json",) * 3,
    "qwen": ("/h/.qwen/settings.json",) * 3,
    "amp": ("/h/.config/amp/settings.json",) * 3,
    "windsurf": ("/h/.codeium/windsurf/mcp_config.json",) * 3,
    "zed": ("/h/.config/zed/settings.json", "/h/.config/zed/settings.json", "/r/Zed/settings.json"),
    "kiro": ("/h/.kiro/settings/mcp.json",) * 3,
    "lmstudio": ("/h/.lmstudio/mcp.json",) * 3,
    "jan": (
        "/h/.local/share/Jan/data/mcp_config.json",
        "/h/Library/Application Support/Jan/data/mcp_config.json",
        "/r/Jan/data/mcp_config.json",
    ),
    "continue": ("/h/.continue/mcpServers/zkmem.json",) * 3,
}
MOVED = {  # by an environment variable
    "CLINE_DATA_DIR": ("cline", "/x/settings/cline_mcp_settings.json"),
    "CODEX_HOME": ("codex", "/x/config.toml"),
    "CLAUDE_CONFIG_DIR": ("claude-code", "/x/.claude.json"),
    "GEMINI_CLI_HOME": ("gemini", "/x/.gemini/settings.json"),
    "CLINE_MCP_SETTINGS_PATH": ("cline", "/x"),
    "COPILOT_HOME": ("copilot", "/x/mcp-config.json"),
    "QWEN_HOME": ("qwen", "/x/settings.json"),
    "LMSTUDIO_HOME": ("lmstudio", "/x/mcp.json"),
    "FLATPAK_XDG_CONFIG_HOME": ("zed", "/x/zed/settings.json"),
    "XDG_DATA_HOME": ("jan", "/x/Jan/data/mcp_config.json"),
}


@pytest.mark.parametrize("client", NAMES)
def test_each_client_has_its_file_where_its_system_has_it(client: str) -> None:
    *others, windows = PLACES[client]
    for platform, place in zip(("linux", "darwin"), others, strict=True):
        assert CLIENTS[client].file(UserHome({"HOME": "/h"}, platform)) == place
    user, roaming = r"C:\Users\Ann Müller", r"D:\Roaming"
    home = UserHome({"HOME": "/c/Users/ann", "USERPROFILE": user, "APPDATA": roaming}, "win32", lambda _: ())
    place = str(pathlib.PureWindowsPath({"h": user, "r": roaming}[windows[1]], windows[3:]))
    assert CLIENTS[client].file(home) == place
    assert "/" not in place


@pytest.mark.parametrize(
    ("packages", "place"),
    [
        (["Claude_pzs8sxrjxfjjc", "Other_1"], r"C:\L\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude"),
        (["Claudette_1", "NotClaude_2"], r"C:\R\Claude"),
        ([], r"C:\R\Claude"),
    ],
)
def test_claude_desktop_from_the_store_has_its_file_in_its_package(packages: list[str], place: str) -> None:
    listed = {r"C:\L\Packages": packages}
    row = CLIENTS["claude-desktop"]
    home = UserHome({"LOCALAPPDATA": r"C:\L", "APPDATA": r"C:\R", "USERPROFILE": r"C:\U"}, "win32", listed.__getitem__)
    assert row.folder(home) == place
    assert row.file(home) == rf"{place}\claude_desktop_config.json"
    elsewhere = home._replace(environ={"USERPROFILE": r"C:\U"}, names_in=lambda _: ())
    assert row.folder(elsewhere) == r"C:\U\AppData\Roaming\Claude"


def test_an_environment_variable_moves_the_file_as_in_the_client() -> None:
    for variable, (client, place) in MOVED.items():
        assert CLIENTS[client].file(UserHome({"HOME": "/h", variable: "/x"}, "linux")) == place
    moved = [
        name
        for name, row in CLIENTS.items()
        if row.file(UserHome({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "linux"))[1] == "x"
    ]
    assert moved == ["claude-desktop", "vscode", "opencode", "zed"]


def test_the_file_is_where_the_client_says_that_it_keeps_its_data(desk: Desk) -> None:
    home = UserHome(desk.environ, "linux")
    lmstudio, jan = CLIENTS["lmstudio"], CLIENTS["jan"]
    write(desk.folder, {".cache/lm-studio/x": "", ".local/share/Jan/settings.json": '{"data_folder": "/data/jan"}'})
    assert lmstudio.file(home) == f"{desk.folder}/.cache/lm-studio/mcp.json"
    assert jan.file(home) == "/data/jan/mcp_config.json"
    write(desk.folder, {".lmstudio-home-pointer": "/data/lms\n"})
    assert lmstudio.file(home) == "/data/lms/mcp.json"
    for bad in ("", "{", "[]", '{"data_folder": 3}', '{"data_folder": "./data"}', "[" * 50_000):
        write(desk.folder, {".lmstudio-home-pointer": bad, ".local/share/Jan/settings.json": bad})
        assert lmstudio.file(home) == f"{desk.folder}/.cache/lm-studio/mcp.json"
        assert jan.file(home) == f"{desk.folder}/.local/share/Jan/data/mcp_config.json"


@pytest.mark.parametrize("client", ["opencode", "amp"])
def test_a_file_with_the_ending_for_comments_is_used_if_it_is_the_only_one(client: str, desk: Desk, vault: str) -> None:
    plain = desk.put(client, None)
    other = plain.with_name(f"{plain.name}c")
    other.write_text("{} // mine\n")
    assert json.loads(desk.run("install", client, "--vault", vault, "--json").stdout)["file"] == str(other)
    assert "// mine" in other.read_text()
    assert not plain.exists()
    plain.write_text("{}")
    assert json.loads(desk.run("install", client, "--vault", vault, "--json").stdout)["file"] == str(plain)


def test_the_list_has_each_client_with_what_is_found_of_it(desk: Desk, vault: str, tmp_path: pathlib.Path) -> None:
    broken = desk.put("zed", b"{")
    desk.put("cursor", b'{"mcpServers": {"notes": {"command": "zkmem", "args": ["serve", "/v"]}, "x": {"url": "y"}}}')
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    done = desk.run("install", "--list", "--json", PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    listed = {one["client"]: one for one in json.loads(done.stdout)["clients"]}
    assert list(listed) == NAMES
    assert [name for name, one in listed.items() if one["found"]] == ["cursor", "codex", "zed"]
    assert [(name, one["entries"]) for name, one in listed.items() if one["entries"]] == [("cursor", ["notes"])]
    assert listed["codex"]["file"] == str(desk.file("codex"))
    assert [name for name, one in listed.items() if one["problem"]] == ["zed"]
    lines = desk.run("install", "--list", PATH=str(tmp_path)).stdout.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert "added as notes" in lines[NAMES.index("cursor")]
    assert str(broken) in lines[NAMES.index("zed")]


def test_the_list_names_the_file_that_is_broken_beside_what_is_added(desk: Desk, vault: str) -> None:
    path = desk.put("claude-code", None)
    hooks = desk.folder / ".claude" / "settings.json"
    assert desk.run("install", "claude-code", "--vault", vault, "--no-hooks").returncode == 0
    hooks.write_text("{\n")
    line = desk.run("install", "--list").stdout.splitlines()[NAMES.index("claude-code")]
    assert f"  added as zkmem ({path}); {hooks} cannot be read: line 2: " in line


def test_the_command_is_the_executable_that_runs_now(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "bin" / "zkmem"
    script.parent.mkdir()
    script.write_text("")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert launch.command(["bin/zkmem"]) == [str(script)]
    found = launch.command(["/somewhere/__main__.py"])
    assert os.path.isabs(found[0])
    assert launch.is_ours([*found, "serve", "/v"])


def test_what_runs_from_the_cache_of_uv_is_started_by_uvx(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("uv", "uvx"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("UV", str(tmp_path / "uv"))
    cached = os.path.join(tmp_path, "uv", "archive-v0", "x1")
    found = launch.command([os.path.join(cached, "bin", "zkmem")], cached)
    assert (found[0], found[-1]) == (str(tmp_path / "uvx"), "zkmem")
    assert launch.is_ours([*found, "serve", "/v"])


def test_only_what_starts_a_zkmem_counts_as_ours() -> None:
    for words in (
        ["zkmem", "serve", "v"],
        ["C:\\x\\zkmem.exe", "serve", "v"],
        [sys.executable, "-m", "zkmem", "serve"],
    ):
        assert launch.is_ours(words), words
    for other in ([], None, ["zkmem", 3], ["node", "zkmem.js"], ["other", "serve", "/x/zkmem"], ["my-zkmem", "serve"]):
        assert not launch.is_ours(other), other


def test_an_entry_can_let_the_client_only_read_or_propose(desk: Desk) -> None:
    write(desk.folder / "notes", {"tea.md": ""})
    for option in ("--read-only", "--propose"):
        done = desk.run("install", "cursor", "--force", "--vault", "notes", option, "--json", cwd=desk.folder)
        assert json.loads(done.stdout)["command"][-3:] == ["serve", str(desk.folder / "notes"), option]
    assert list(json.loads(desk.file("cursor").read_text())["mcpServers"]) == ["zkmem"]
    both = desk.run("install", "cursor", "--vault", "notes", "--propose", "--read-only", cwd=desk.folder)
    assert (both.returncode, both.stdout) == (2, "")
    assert both.stderr == ("Error: A client that can only read cannot propose; give either --read-only or --propose.\n")


BEGINS_WITH_A_MARK = '\ufeff{"mcpServers": {"other": {"command": "x"}}}'
HAS_A_COMMENT = '{\n  // mine\n  "mcpServers": {}\n}\n'


@pytest.mark.parametrize(
    ("client", "before", "reason"),
    [
        ("claude-desktop", BEGINS_WITH_A_MARK, "it begins with a byte order mark"),
        ("claude-code", BEGINS_WITH_A_MARK, "it begins with a byte order mark"),
        ("claude-desktop", HAS_A_COMMENT, "line 2 has a comment, or a comma too many"),
        ("claude-desktop", '{\n  "mcpServers": {},\n}\n', "has a comment, or a comma too many"),
        ("claude-desktop", '{"mcpServers": {}}', ""),
        ("vscode", BEGINS_WITH_A_MARK, ""),
        ("vscode", HAS_A_COMMENT, ""),
    ],
    ids=["mark", "mark in another client", "comment", "comma", "plain", "mark that is read", "comment that is read"],
)
def test_a_file_that_the_client_does_not_read_gets_a_remark(client: str, before: str, reason: str, desk: Desk) -> None:
    write(desk.folder / "notes", {"tea.md": ""})
    path = desk.put(client, before.encode())
    done = desk.run("install", client, "--vault", "notes", "--json", cwd=desk.folder)
    assert (done.returncode, path.read_text("utf-8")[0]) == (0, before[0]), "the file keeps what its owner wrote"
    remark = json.loads(done.stdout)["remark"]
    starts = f"{CLIENTS[client].title} does not read {path}, so its servers may be missing: "
    assert (remark.startswith(starts) and reason in remark) if reason else remark == ""


def test_install_and_doctor_report_a_file_that_the_client_does_not_read(desk: Desk) -> None:
    write(desk.folder / "notes", {"tea.md": ""})
    path = desk.put("claude-desktop", HAS_A_COMMENT.encode())
    done = desk.run("install", "claude-desktop", "--vault", "notes", cwd=desk.folder)
    assert f"zkmem in {CLIENTS['claude-desktop'].title}: added ({path})\n" in done.stdout
    answer = json.loads(desk.run("install", "claude-desktop", "--vault", "notes", "--json", cwd=desk.folder).stdout)
    assert answer["remark"] in done.stderr
    doctor = desk.run("doctor", "--vault", "notes", cwd=desk.folder)
    assert f"FAIL clients: {answer['remark']}" in doctor.stdout
    assert "fix: save the file as plain JSON in UTF-8" in doctor.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell: str, desk: Desk) -> None:
    done = desk.run("completion", shell)
    assert (done.returncode, "_ZKMEM_COMPLETE" in done.stdout) == (0, True)


def test_bash_completes_what_was_begun(desk: Desk) -> None:
    typed = 'COMP_LINE="zkmem install c"; COMP_WORDS=($COMP_LINE); COMP_CWORD=2; _zkmem_completion zkmem'
    typed += '; echo "${COMPREPLY[@]}"'
    path = f"{os.path.dirname(zkmem_program())}{os.pathsep}{desk.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f'eval "$(zkmem completion bash)"; {typed}'],
        capture_output=True, text=True, check=True, env={**desk.environ, "PATH": path}, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == [name for name in NAMES if name.startswith("c")]


def completions(desk: Desk, words: str) -> list[str]:
    """What a shell is told for the last word."""
    asked = {"COMP_WORDS": f"zkmem {words}", "COMP_CWORD": str(len(words.split())), "_ZKMEM_COMPLETE": "bash_complete"}
    done = desk.run(cwd=desk.folder, **asked)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip("\n").splitlines()


@pytest.mark.parametrize("words", ["get -C n", "serve n", "init n"])
def test_a_shell_completes_the_folder_of_the_vault(words: str, desk: Desk) -> None:
    assert completions(desk, words) == ["dir,n"]


NAMED = {"tea/green tea.md": "steeped\n", "tea/oolong.md": "", "plan.md": "", "hint.md": ""}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("get -C notes te", ["tea/green tea", "tea/oolong"]),
        ("get -C notes gre", ["green tea"]),
        ("mv -C notes hint p", ["plan"]),
        ("rm -C notes h", ["hint"]),
        ("show -C notes o", ["oolong"]),
        ("get -C nowhere te", []),
        ("get te", []),
        ("serve --toolsets ze", ["zettel"]),
        ("install cursor --toolsets zettel,kg,mi", ["zettel,kg,mirix"]),
        ("call --toolsets zettel,z", []),
        ("token add bot --toolsets hist", ["history"]),
        ("query -C notes --column stat", ["status"]),
        ("query -C notes --sort nosuch", []),
        ("query -C notes --group s", ["Stars", "status"]),
        ("props -C notes plan --remove st", ["Stars", "status"]),
        ("props -C notes plan stat", ["status="]),
        ("search -C notes tag:re", ["tag:red/deep", "tag:red"]),
        ("search -C notes some -- -tag:Red/", ["-tag:red/deep"]),
        ("search -C notes name:p", ["name:plan"]),
        ("search -C notes -- -on:this", ["-on:this-week", "-on:this-month", "-on:this-year"]),
        ("search -C notes after:y", ["after:yesterday"]),
        ("search -C notes re", []),
        ("search -C nowhere tag:re", []),
        ("show -C notes plan@", ["plan@2", "plan@1"]),
        ("diff -C notes plan@2", ["plan@2"]),
        ("restore -C notes nosuch@", []),
        ("props -C notes pl", ["plan"]),
        ("query -C nowhere --column s", []),
        ("query --column s", []),
    ],
)
def test_a_shell_completes_names_toolsets_and_properties(words: str, values: list[str], desk: Desk) -> None:
    write(desk.folder / "notes", NAMED | {"plan.md": "---\nstatus: new\nStars: 3\n---\n", "hint.md": "[[plan]]\n"})
    if "tag:" in words:
        write(desk.folder / "notes", {"a.md": "#red/deep", "b.md": "#red/deep #red"})
    if "@" in words:
        for text in ("one", "two"):
            desk.run("set", "-C", f"{desk.folder}/notes", "plan", "--append", text)
    assert completions(desk, words) == [f"plain,{one}" for one in values]


TYPED = {  # with what is shown then
    "zkmem get gre\t 2>&1": ["green\\ tea", "steeped"],
    "zkmem search tag:sour\t 2>&1": ["search tag:sour/very ", "oolong, "],
    "zkmem search 'tag:sour\t 2>&1": ["search 'tag:sour/very' ", "oolong, "],
    "zkmem search sweet -- -tag:\ts\t 2>&1": ["-- -tag:sour/very "],
    "zkmem show plan@\t 2>&1": ["show plan@1 ", "first text"],
    "zkmem show plan@1\t 2>&1": ["show plan@1 ", "first text"],
    "zkmem show tea/green\\ tea@\t 2>&1": ["show tea/green\\ tea@2 ", "steeped"],
    "zkmem props plan sta\tnew 2>&1": ["plan status=new "],
}


def test_bash_completes_what_a_person_types(desk: Desk) -> None:
    vault = desk.folder / "notes"
    write(
        vault, NAMED | {"tea/oolong.md": "---\ntags: [sour/very]\n---\noolong\n", "hint.md": "---\nstatus: new\n---\n"}
    )
    desk.run("set", "-C", str(vault), "plan", "first text")
    desk.run("set", "-C", str(vault), "tea/green tea", "--append", "more")
    desk.run("search", "-C", str(vault), "x")  # indexes the tags
    path = f"{os.path.dirname(zkmem_program())}{os.pathsep}{desk.environ['PATH']}"
    environ = {**desk.environ, "PATH": path, "ZKMEM_VAULT": f"{vault}", "PS1": "", "TERM": "dumb"}
    lines = ['eval "$(zkmem completion bash)"', *(f"{typed}; echo ne''xt" for typed in TYPED), "exit"]
    person, terminal = pty.openpty()
    with subprocess.Popen(
        ["bash", "--noprofile", "--norc", "-i"], stdin=terminal, stdout=terminal, stderr=terminal, env=environ,
        cwd=desk.folder, start_new_session=True,
    ) as shell:  # fmt: skip
        os.close(terminal)
        os.write(person, "".join(f"{line}\n" for line in lines).encode())
        end = threading.Timer(60, shell.kill)
        end.start()
        printed = b""
        with contextlib.suppress(OSError):  # the terminal is closed at the end
            while data := os.read(person, 1000):
                printed += data
        end.cancel()
    os.close(person)
    for shown, of_one in zip(TYPED.values(), printed.decode().split("next"), strict=False):
        assert [text for text in shown if text not in of_one] == [], printed.decode()


def test_the_readme_and_the_page_about_installing_list_all_clients() -> None:
    readme, page = (
        (pathlib.Path(__file__).parents[2] / path).read_text("utf-8")
        for path in ("README.md", "docs/how-to/install.md")
    )
    listed = readme.partition("The client can be ")[2].partition(";")[0]
    assert sorted(re.findall(r"`([a-z-]+)`", listed)) == sorted([*CLIENTS, "goose"])
    assert re.findall(r"^\| `([a-z-]+)` \| \w", page, re.MULTILINE) == [*CLIENTS, "goose"]
