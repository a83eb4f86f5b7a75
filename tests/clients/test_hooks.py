"""`zkmem install` and `zkmem uninstall`: hooks of Claude Code, Codex and Gemini CLI; those of others stay."""

import json
import os
import pathlib
import shlex
from typing import Any

import pytest

from tests.tools.configurations import Desk, samples
from tests.tools.vaults import write
from zkmem.clients import jsonc
from zkmem.clients.entry import made
from zkmem.clients.events import EVENTS
from zkmem.clients.install import Installation
from zkmem.clients.table import CLIENTS, UserHome

HOOKED = ["claude-code", "codex", "gemini"]
THEIRS = """{
  // mine
  "model": "x",
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]} // first
    ],
    "Other": [],
    "STOP": [{"hooks": [{"type": "command", "command": "zkmem-like hook"}, {"type": "http", "url": "x"}]}]
  } /* end */
}
"""


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    made = Desk(tmp_path / "home")
    write(made.folder, {"notes/hint.md": "", "my work/a.md": ""})
    return made


def hooks_file(desk: Desk, client: str) -> pathlib.Path:
    desk.put(client, None)
    own = CLIENTS[client].hooks_file(UserHome(desk.environ, "linux"))
    return pathlib.Path(own) if own else desk.file(client)


def theirs(client: str) -> bytes:
    events = CLIENTS[client].hooks
    assert events
    return THEIRS.replace("STOP", events.events["turn-end"]).encode()


def commands(path: pathlib.Path) -> dict[str, list[list[str]]]:
    """The words of each command that is a zkmem's, by the client's event."""
    events = jsonc.parse(path.read_text("utf-8")).data.get("hooks", {})
    hooks = {event: [hook for group in groups for hook in group["hooks"]] for event, groups in events.items()}
    words = {event: [shlex.split(one["command"]) for one in each if "command" in one] for event, each in hooks.items()}
    return {event: ours for event, each in words.items() if (ours := [one for one in each if "--client" in one])}


def run(desk: Desk, *words: str) -> str:
    done = desk.run(*words)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return done.stdout


@pytest.mark.parametrize("client", HOOKED)
def test_each_event_runs_the_hook_of_this_vault_and_the_others_stay(client: str, desk: Desk) -> None:
    path, row = hooks_file(desk, client), CLIENTS[client].hooks
    assert row
    path.write_bytes(theirs(client))
    before = run(desk, "install", client, "--vault", "my work", "--name", "work", "--print", "--json")
    shown = run(desk, "install", client, "--vault", "my work", "--name", "work")
    for event in row.events.values():
        assert f"hooks.{event}" in shown.partition("work in")[0], "what it writes is said before"
    found = commands(path)
    for event, own_name in row.events.items():
        (words,) = found[own_name]
        assert words[-6:] == ["hook", event, "--client", client, "--vault", str(desk.folder / "my work")]
        assert os.path.isabs(words[0])
    text = path.read_text("utf-8")
    matched = {one["matcher"] for one in jsonc.parse(text).data["hooks"][row.events["tool-used"]]}
    assert matched == {row.tools.format("work")}
    assert json.loads(before)["hooks"][row.events["prompt"]][0] in jsonc.parse(text).data["hooks"][row.events["prompt"]]
    rest = iter(text)
    assert all(one in rest for one in theirs(client).decode()), "no byte of theirs is gone"
    again = run(desk, "install", client, "--vault", "my work", "--name", "work")
    assert again.startswith(f"work in {CLIENTS[client].title}: unchanged ({desk.file(client)})\n")
    assert f"hooks in {CLIENTS[client].title}: unchanged ({path})" in again
    assert path.read_text("utf-8") == text
    path.write_text(text.replace('"model": "x"', '"model": "y"'))  # so that the copy cannot be put back
    assert f"hooks.{row.events['prompt']}" in run(desk, "uninstall", client, "--name", "work")
    assert path.read_bytes() == theirs(client).replace(b'"model": "x"', b'"model": "y"')


@pytest.mark.parametrize(("client", "kind"), [(client, kind) for client in HOOKED for kind in samples("gemini")])
def test_the_removal_of_entry_and_hooks_gives_the_same_bytes(client: str, kind: str, desk: Desk) -> None:
    path, entry_path, row = hooks_file(desk, client), desk.file(client), CLIENTS[client]
    old = samples("gemini")[kind]  # all hooks are in JSON
    if old is not None:
        path.write_bytes(old)
    own = row.hooks_file(UserHome(desk.environ, "linux"))
    place = Installation(row, str(entry_path), "zkmem", hooks_path=own)
    new_entry = made(row, ["/opt/zkmem", "serve", "/v"])
    place.add(new_entry, place.wiring(["/opt/zkmem"], "/v", hooked=True))
    text = path.read_bytes()
    assert list(commands(path)) == list(row.hooks.events.values())  # type: ignore[union-attr]
    assert text.count(b"\r\n") == (text.count(b"\n") if kind == "crlf" else 0)
    assert text.startswith(b"\xef\xbb\xbf") is (kind == "byte order mark")
    assert place.to_add(new_entry, place.wiring(["/opt/zkmem"], "/v", hooked=True)) == []
    assert sum(
        one.change == "unchanged" for one in place.add(new_entry, place.wiring(["/opt/zkmem"], "/v", hooked=True))
    )
    place.remove()
    assert (path.read_bytes() if path.exists() else None) == old
    assert place.to_remove() == []


@pytest.mark.parametrize("client", HOOKED)
def test_a_file_that_install_made_is_removed_again(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    run(desk, "install", client, "--vault", "notes")
    assert list(commands(path)) == list(CLIENTS[client].hooks.events.values())  # type: ignore[union-attr]
    run(desk, "uninstall", client)
    assert (path.exists(), desk.file(client).exists()) == (False, False)
    run(desk, "install", client, "--vault", "notes", "--no-hooks")
    assert path.exists() is (path == desk.file(client))
    run(desk, "install", client, "--vault", "notes")
    run(desk, "install", client, "--vault", "notes", "--no-hooks")
    assert not path.exists() or commands(path) == {}


@pytest.mark.parametrize("client", HOOKED)
def test_hooks_that_install_removes_are_said_to_be_removed(client: str, desk: Desk) -> None:
    path, row = hooks_file(desk, client), CLIENTS[client]
    run(desk, "install", client, "--vault", "notes")
    names = ", ".join(f"hooks.{event}" for event in row.hooks.events.values())  # type: ignore[union-attr]
    lines = run(desk, "install", client, "--vault", "notes", "--no-hooks").splitlines()
    assert lines[0] == f"Removes {names} ({path})"
    assert lines[1:3] == [
        f"zkmem in {row.title}: unchanged ({desk.file(client)})",
        f"hooks in {row.title}: removed ({path})",
    ]
    lines = run(desk, "install", client, "--vault", "notes").splitlines()
    assert lines[:3] == [
        f"Writes {names} ({path})",
        f"zkmem in {row.title}: unchanged ({desk.file(client)})",
        f"hooks in {row.title}: set ({path})",
    ]
    told = json.loads(run(desk, "install", client, "--vault", "notes", "--no-hooks", "--json"))
    assert told["written"] == [{"file": str(path), "names": [], "removed": names.split(", ")}]


@pytest.mark.parametrize("client", HOOKED)
def test_hooks_have_the_option_read_only_if_the_entry_has_it(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    for options in ((), ("--read-only",), ()):
        run(desk, "install", client, "--vault", "notes", *options)
        words = [one for each in commands(path).values() for one in each]
        assert len(words) == len(EVENTS)
        assert {"--read-only" in one for one in words} == {bool(options)}


def test_an_entry_whose_vault_a_project_may_change_has_no_hooks(desk: Desk) -> None:
    path = hooks_file(desk, "codex")
    run(desk, "install", "codex", "--vault", "notes")
    run(desk, "install", "codex", "--vault", "notes", "--per-project")
    assert not path.exists()
    assert "--per-project" in desk.file("codex").read_text()


@pytest.mark.parametrize("client", HOOKED)
def test_a_second_install_replaces_the_command_and_keeps_what_was_set_beside_it(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    run(desk, "install", client, "--vault", "notes")
    text = path.read_text("utf-8")
    path.write_text(text.replace('"timeout": 5', '"mine": 1,\n            "timeout": 5'))
    run(desk, "install", client, "--vault", "my work")
    assert path.read_text("utf-8").count('"mine": 1') == 4
    for (words,) in commands(path).values():
        assert words[-1] == str(desk.folder / "my work")


@pytest.mark.parametrize("client", HOOKED)
def test_two_vaults_have_hooks_until_no_entry_serves_the_vault(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    notes, work = (str(desk.folder / name) for name in ("notes", "my work"))
    for name, vault in (("zkmem", notes), ("work", work), ("again", notes)):
        run(desk, "install", client, "--vault", vault, "--name", name)
    used = CLIENTS[client].hooks.events["tool-used"]  # type: ignore[union-attr]

    def vaults() -> list[str]:
        return [words[-1] for words in commands(path)[used]]

    def matchers() -> list[str]:
        return [one["matcher"] for one in jsonc.parse(path.read_text("utf-8")).data["hooks"][used]]

    assert (vaults(), "(again|zkmem)" in matchers()[0], "work" in matchers()[1]) == ([notes, work], True, True)
    said = run(desk, "uninstall", client)
    assert f"Writes hooks.{used} ({path})" in said
    assert f"hooks in {CLIENTS[client].title}: set ({path})" in said, "those of the other entry"
    assert (vaults(), matchers()[0]) == ([notes, work], CLIENTS[client].hooks.tools.format("again"))  # type: ignore[union-attr]
    run(desk, "uninstall", client, "--name", "again")
    assert vaults() == [work]
    run(desk, "uninstall", client, "--name", "work")
    assert not path.exists() or commands(path) == {}


def test_a_hook_knows_the_toolsets_of_the_entry(desk: Desk) -> None:
    path = hooks_file(desk, "codex")
    run(desk, "install", "codex", "--vault", "notes", "--toolsets", "kg,history")
    assert [each[-2:] for (each,) in commands(path).values()] == [["--toolsets", "kg,history"]] * 4
    run(desk, "install", "codex", "--vault", "notes")
    assert [each[-2] for (each,) in commands(path).values()] == ["--vault"] * 4


def test_only_our_hook_is_removed_from_a_group_with_others(desk: Desk) -> None:
    path = hooks_file(desk, "claude-code")
    run(desk, "install", "claude-code", "--vault", "notes")
    events: Any = json.loads(path.read_text())
    events["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "date"})
    path.write_text(json.dumps(events))
    run(desk, "uninstall", "claude-code")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "date"}]}]}}


@pytest.mark.parametrize("client", HOOKED)
@pytest.mark.parametrize(
    ("data", "says"),
    [
        ('{"hooks": []}', "hooks is not an object"),
        ('{"hooks": {"SessionStart": {}}}', "hooks.SessionStart is not an array"),
        ("{\n1", "line 2"),
    ],
)
def test_a_file_that_cannot_have_hooks_is_left_alone_and_so_is_the_entry(
    client: str, data: str, says: str, desk: Desk
) -> None:
    path = hooks_file(desk, client)
    path.write_text(data)
    done = desk.run("install", client, "--vault", "notes")
    assert (done.returncode, done.stdout, says in done.stderr) == (2, "", True), done.stderr
    assert path.read_text() == data
    assert path == desk.file(client) or not desk.file(client).exists()
    if path != desk.file(client):
        assert "--no-hooks" in done.stderr
        run(desk, "install", client, "--vault", "notes", "--no-hooks")
        assert path.read_text() == data


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_removal_says_which_file_with_hooks_is_broken_and_changes_nothing(client: str, desk: Desk) -> None:
    path, entry_path = hooks_file(desk, client), desk.file(client)
    run(desk, "install", client, "--vault", "notes")
    sound = path.read_text()
    path.write_text(sound + "oops")
    before = entry_path.read_text()
    for command in (["uninstall", client], ["install", client, "--vault", "notes", "--no-hooks"]):
        done = desk.run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {path} cannot be read: line ")
        assert done.stderr.endswith(". Nothing was changed: correct it and try again.\n")
        assert (entry_path.read_text(), path.read_text()) == (before, sound + "oops")
    path.write_text("oops")  # without hooks of ours
    run(desk, "uninstall", client)
    assert (entry_path.exists(), path.read_text()) == (False, "oops")


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_a_file_with_hooks_that_the_client_does_not_read_gets_a_remark(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    path.write_bytes(theirs(client))
    done = desk.run("install", client, "--vault", "notes")
    assert done.returncode == 0
    remark = f"does not read {path}, so its hooks may be missing: line 2 has a comment"
    assert remark in done.stderr
    assert remark in desk.run("doctor", "--vault", "notes").stdout


def test_codex_says_that_it_reads_hooks_from_two_files(desk: Desk) -> None:
    desk.put("codex", b'[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "date"\n')
    done = desk.run("install", "codex", "--vault", "notes")
    assert (done.returncode, "config.toml has hooks, too" in done.stderr, "/hooks" in done.stdout) == (0, True, True)


def test_a_plug_in_that_is_on_beside_the_entry_is_named(desk: Desk) -> None:
    path = hooks_file(desk, "claude-code")
    path.write_text('{"enabledPlugins": {"other@x": true, "zkmem@zkmem": true}}')
    done = desk.run("install", "claude-code", "--vault", "notes")
    assert (done.returncode, "`claude plugin uninstall zkmem@zkmem`" in done.stderr) == (0, True)
    path.write_text(path.read_text().replace('"zkmem@zkmem": true', '"zkmem@zkmem": false'))
    assert desk.run("install", "claude-code", "--vault", "notes").stderr == ""


@pytest.mark.parametrize(
    ("client", "file", "data", "named", "removal"),
    [
        ("claude-code", ".claude/settings.json", '{"enabledPlugins": {"zkmem@zkmem": true}}',
         "plug-in zkmem@zkmem", "`claude plugin uninstall zkmem@zkmem`"),
        ("gemini", ".gemini/extensions/zkmem/gemini-extension.json", '{"name": "zkmem"}',
         "extension zkmem", "`gemini extensions uninstall zkmem`"),
    ],
)  # fmt: skip
def test_a_plug_in_or_extension_that_serves_zkmem_is_named(
    client: str, file: str, data: str, named: str, removal: str, desk: Desk
) -> None:
    hooks_file(desk, client)
    write(desk.folder, {file: data})
    listed = next(line for line in run(desk, "install", "--list").splitlines() if line.startswith(f"{client} "))
    assert f"  added by the {named} (" in listed
    done = desk.run("install", client, "--vault", "notes", "--no-hooks")
    assert (done.returncode, done.stderr.startswith(f"The {named} is on, too: "), removal in done.stderr) == (
        0,
        True,
        True,
    )
    listed = next(line for line in run(desk, "install", "--list").splitlines() if line.startswith(f"{client} "))
    assert f"  added as zkmem, by the {named} (" in listed


def test_the_entry_is_not_added_if_the_file_of_the_hooks_is_read_only(desk: Desk) -> None:
    path = hooks_file(desk, "claude-code")
    path.write_text("{}")
    path.chmod(0o444)
    done = desk.run("install", "claude-code", "--vault", "notes")
    assert (done.returncode != 0, done.stdout, "is read-only" in done.stderr) == (True, "", True)
    assert not desk.file("claude-code").exists()


def test_the_entry_is_not_added_if_the_folder_of_the_hooks_takes_no_new_file(desk: Desk) -> None:
    path = hooks_file(desk, "claude-code")
    path.with_name(path.name + ".zkmem-new").mkdir()  # root may write into any folder
    done = desk.run("install", "claude-code", "--vault", "notes")
    assert (done.returncode, done.stdout, "Nothing was changed" in done.stderr) == (5, "", True), done.stderr
    assert not desk.file("claude-code").exists()


def test_a_project_has_hooks_of_its_own(desk: Desk) -> None:
    project = desk.folder / "project"
    project.mkdir()
    for client in HOOKED:
        row = CLIENTS[client]
        assert row.hooks
        assert desk.run("install", client, "--vault", "../notes", "--project", cwd=project).returncode == 0
        path = project / (row.hooks.project or row.project or "")
        assert list(commands(path)) == list(row.hooks.events.values())
        assert not list(desk.folder.glob(".c*/*"))
        assert desk.run("uninstall", client, "--project", cwd=project).returncode == 0
        assert not path.exists()


@pytest.mark.parametrize("client", HOOKED)
def test_a_folder_that_the_user_has_set_limits_the_hooks_after_a_second_install(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    run(desk, "install", client, "--vault", "notes", "--force")
    path.write_text(path.read_text().replace(" --client ", " --folder 'my work' --client "))
    run(desk, "install", client, "--vault", "notes", "--force")
    for (words,) in commands(path).values():
        assert words[words.index("--folder") + 1] == "my work"


@pytest.mark.parametrize("client", HOOKED)
def test_the_hooks_know_the_toolsets_of_the_entry(client: str, desk: Desk) -> None:
    path = hooks_file(desk, client)
    run(desk, "install", client, "--vault", "notes", "--toolsets", "kg,history", "--force")
    for (words,) in commands(path).values():
        assert words[words.index("--toolsets") + 1] == "kg,history"
    run(desk, "install", client, "--vault", "notes", "--force")
    assert not any("--toolsets" in words for (words,) in commands(path).values())


@pytest.mark.parametrize("client", HOOKED)
@pytest.mark.parametrize("more", ["", ', "hooks": {}', ', "hooks": {"EVENT": []}', ', "mcpServers": {}, "hooks": {}'])
def test_what_was_empty_before_install_stays_after_uninstall(client: str, more: str, desk: Desk) -> None:
    path, row = hooks_file(desk, client), CLIENTS[client]
    before = ('{"model": "x"' + more + "}").replace("EVENT", row.hooks.events["turn-end"])  # type: ignore[union-attr]
    path.write_text(before)
    run(desk, "install", client, "--vault", "notes")
    path.write_text(path.read_text().replace('"x"', '"y"'))  # so that the copy is not put back
    run(desk, "uninstall", client)
    assert path.read_text() == before.replace('"x"', '"y"')


@pytest.mark.parametrize(
    "last",
    ['"hooks": {"Stop": [MINE]}, "hooks": {}', '"hooks": {"Stop": [MINE], "Stop": []}', '"hooks": {"Stop": [MINE]}'],
)
def test_hooks_below_a_key_that_comes_twice_stay(last: str, desk: Desk) -> None:
    path, mine = hooks_file(desk, "claude-code"), '{"hooks": [{"type": "command", "command": "date"}]}'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"model": "x", ' + last.replace("MINE", mine) + "}")
    before = path.read_text().replace('"x"', '"y"')
    run(desk, "install", "claude-code", "--vault", "notes", "--force")
    path.write_text(path.read_text().replace('"x"', '"y"'))  # so that the copy is not put back
    run(desk, "uninstall", "claude-code")
    assert path.read_text() == before


def test_hooks_have_no_option_that_makes_the_command_slow_and_able_to_fail(desk: Desk) -> None:
    path = hooks_file(desk, "claude-code")
    run(desk, "--any-folder", "install", "claude-code", "--vault", ".", "--force")
    for (words,) in commands(path).values():
        assert "--any-folder" not in words
