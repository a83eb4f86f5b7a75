"""`zkmem doctor`: each thing that can be wrong, made wrong, is found, with a way to fix it."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
from typing import Any

import pytest

from tests.recall.test_ranking import unanswered
from tests.sync.shared import Shared
from tests.tools.configurations import Desk
from tests.tools.vaults import allow_git, read, write
from tests.vault.test_lock import holder
from tests.vault.test_watch import LIMITED, unshared
from zkmem.cli.checks.table import CHECKS, CheckResult, result_of
from zkmem.cli.checks.target import CheckedVault, Trouble, Warned
from zkmem.clients.table import CLIENTS, UserHome
from zkmem.memory import Memory

FILES: dict[str, str | bytes] = {"hint.md": "[[a]]\n", "x/a.md": "text\n"}


@pytest.fixture
def desk(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A user's folder; checks that are called in this process see it, too."""
    desk = Desk(tmp_path / "home")
    for name in os.environ.keys() - desk.environ.keys():
        monkeypatch.delenv(name)
    for name, value in desk.environ.items():
        monkeypatch.setenv(name, value)
    return desk


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "notes", FILES)


def looked(desk: Desk, vault: str, *before: str, **environ: str) -> dict[str, dict[str, Any]]:
    """The rows of a run, by check."""
    done = subprocess.run(
        [*before, sys.executable, "-m", "zkmem", "doctor", "--vault", vault, "--json"],
        capture_output=True, text=True, check=False, env={**desk.environ, **environ}, timeout=120,
    )  # fmt: skip
    told = json.loads(done.stdout)
    rows = {row["check"]: row for row in told["checks"]}
    assert done.returncode == (0 if told["ok"] else 1)
    assert told["ok"] == all(row["ok"] for row in rows.values())
    assert all(bool(row["fix"]) != row["ok"] for row in rows.values())
    return rows


def trouble(check: str, vault: str) -> Trouble:
    """What a check alone finds wrong; a whole run starts a server, too."""
    with pytest.raises(Trouble) as raised:
        CHECKS[check](CheckedVault.of(vault))
    return raised.value


def wrong(rows: dict[str, dict[str, Any]]) -> list[str]:
    return [name for name, row in rows.items() if not row["ok"]]


@pytest.mark.slow
def test_a_sound_vault_is_said_to_be_and_stays_as_it_is(desk: Desk, vault: str) -> None:
    rows = looked(desk, vault)
    assert (list(rows), wrong(rows)) == (list(CHECKS), [])
    assert "2 notes in 2 folders" in rows["vault"]["found"]
    assert "7 tools" in rows["handshake"]["found"]
    assert "mcp 2." in rows["environment"]["found"]
    assert read(vault, hidden=True) == {name: str(text).encode() for name, text in FILES.items()}
    assert sorted(os.listdir(vault)) == ["hint.md", "x"]
    done = desk.run("doctor", "--vault", vault)
    assert (done.returncode, done.stdout.count("\nok ") + 1) == (0, len(CHECKS))


@pytest.mark.slow
def test_a_mode_in_the_environment_that_clients_would_take_is_warned_of(
    vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKMEM_MODE", "http")
    warned = trouble("handshake", vault)
    assert isinstance(warned, Warned)
    assert "because ZKMEM_MODE is 'http'" in warned.problem


def test_another_order_of_hints_is_advised_where_it_would_serve_better(tmp_path: pathlib.Path, vault: str) -> None:
    assert CHECKS["hints"](CheckedVault.of(vault)) == "hints_order = weight"
    target = CheckedVault.of(write(tmp_path / "wide", unanswered()))
    row = result_of("hints", CHECKS["hints"], target, fix=False)
    assert (row.ok, row.warning, row.fix) == (True, True, 'put hints_order = "balanced" into .zkmem/config.toml')
    assert row.found.startswith("the first 10 hints leave out the notes with the most links: index 9")
    write(tmp_path / "wide", {".zkmem/config.toml": 'hints_order = "balanced"\n'})
    assert CHECKS["hints"](CheckedVault.of(str(tmp_path / "wide"))) == "hints_order = balanced"


def test_a_vault_that_is_not_there_is_told_and_the_rest_is_looked_at(desk: Desk, tmp_path: pathlib.Path) -> None:
    rows = looked(desk, str(tmp_path / "nowhere"))
    assert (list(rows), wrong(rows)) == (["environment", "vault", "clients"], ["vault"])
    done = desk.run("doctor", "--vault", str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert "FAIL vault: The vault " in done.stdout
    assert "     fix: make the folder" in done.stdout


@pytest.mark.slow
def test_a_setting_that_cannot_be_is_told_once_and_what_depends_on_it_is_not_checked(desk: Desk, vault: str) -> None:
    write(vault, {".zkmem/config.toml": "max_chars = 1\n"})
    rows = looked(desk, vault)
    assert wrong(rows) == ["settings"]
    assert "ignored: .zkmem/config.toml: max_chars must be" in rows["settings"]["found"]
    assert rows["settings"]["fix"] == "correct it there, or remove it"
    assert "not checked" not in str(rows)
    rows = looked(desk, vault, ZKMEM_MAX_CHARS="1")
    assert wrong(rows) == ["settings"]
    assert "ZKMEM_MAX_CHARS: max_chars must be" in rows["settings"]["found"]
    for name in ("git", "hints", "handshake"):
        assert rows[name]["found"] == "not checked: the settings are wrong"
    write(vault, {".zkmem/config.toml": "max_chars = 5000\n"})
    assert CHECKS["settings"](CheckedVault.of(vault)) == "max_chars set"


def test_settings_of_the_vaults_file_that_have_no_effect_are_told(
    desk: Desk, vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'git = true\nmax_chars = 5000\nhost = "0.0.0.0"\n'
    target = CheckedVault.of(write(vault, {".zkmem/config.toml": text}))
    assert CHECKS["settings"](target).startswith(  # it is not wrong: the user may leave it so
        "max_chars set. These settings in .zkmem/config.toml have no effect: "
        f"git (`zkmem trust {vault}` shows and allows them); host (set them in the environment, or in "
    )
    told = f"not used: git = true in .zkmem/config.toml has no effect until `zkmem trust {vault}` allows it"
    assert CHECKS["git"](target) == told
    monkeypatch.setenv("ZKMEM_GIT", "false")
    assert CHECKS["git"](target) == "not used (git = false)"
    monkeypatch.delenv("ZKMEM_GIT")
    write(vault, {".zkmem/config.toml": f"{text}port = 'none'\n"})
    with pytest.raises(Trouble, match=r"^ignored: .*port must be .* These settings in .* have no effect: git "):
        CHECKS["settings"](target)  # what is wrong does not hide what has no effect


def test_a_lock_that_is_held_is_told_with_its_holder(desk: Desk, vault: str) -> None:
    with holder(pathlib.Path(vault)) as process:
        assert f"process {process.pid} on " in trouble("lock", vault).problem
    assert CHECKS["lock"](CheckedVault.of(vault)) == "free"


def test_an_interrupted_edit_is_told_and_mended_as_is_said(vault: str) -> None:
    write(vault, {".zkmem/journal/1.new": "half"})
    place = CheckedVault.of(vault)
    with pytest.raises(Trouble, match="interrupted") as told:
        CHECKS["journal"](place)
    assert "zkmem check" in told.value.fix
    Memory(vault).load()
    assert CHECKS["journal"](place) == "empty"
    os.mkdir(os.path.join(vault, ".zkmem", "damaged-1-2"))
    with pytest.raises(Trouble, match=r"put aside: \.zkmem/damaged-1-2"):
        CHECKS["journal"](place)


@pytest.mark.parametrize(("most", "of"), [pytest.param(0, "instances", marks=pytest.mark.slow), (1, "watches")])
def test_a_vault_of_more_folders_than_may_be_watched_is_told(desk: Desk, vault: str, most: int, of: str) -> None:
    rows = looked(desk, vault, *unshared("sh", "-c", LIMITED, "sh", str(most), of))
    assert wrong(rows) == ["watcher"]
    assert "sysctl fs.inotify" in rows["watcher"]["fix"]


def git(vault: str, *arguments: str) -> None:
    subprocess.run(["git", "-C", vault, *arguments], check=True, capture_output=True)


@pytest.mark.usefixtures("desk")
def test_the_commits_that_wait_are_counted(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    shared = Shared(tmp_path, {"tea.md": "Green.\n"})
    with shared.memory("laptop") as memory:
        allow_git(memory.vault)
        assert CHECKS["sync"](CheckedVault.of(memory.vault)).endswith("; nothing waits")
        memory.write("mate", "Hot.\n")
        assert CHECKS["sync"](CheckedVault.of(memory.vault)).endswith("; 1 commit to push")
        memory.write("mate", "Cold.\n", append=True)
        state = memory.sync_state()
    assert state is not None
    assert (state.ahead, state.behind) == (2, 0)
    with shared.memory("desktop") as memory:
        memory.write("new", "Soon.\n")
    shared.sync("desktop")
    git(str(shared.root("laptop")), "fetch", "-q")
    assert CHECKS["sync"](CheckedVault.of(str(shared.root("laptop")))).endswith(
        "; 2 commits to push; 1 commit to fetch"
    )
    (shared.root("laptop") / ".git").rename(tmp_path / "away")
    assert CHECKS["sync"](CheckedVault.of(str(shared.root("laptop")))).endswith("; nothing waits")  # as it was saved


def test_git_is_looked_at_where_edits_are_commits(desk: Desk, vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def mend() -> str:
        with pytest.raises(Trouble) as told:
            CHECKS["git"](CheckedVault.of(vault))
        return f"{told.value.problem}; {told.value.fix}"

    for name in ("HOME", "XDG_CONFIG_HOME"):  # the user's own settings of git must not count
        monkeypatch.setenv(name, str(desk.folder))
    write(desk.folder, {"zkmem/config.toml": "git = true\n"})
    assert mend() == (
        "git = true, but the vault is in no git repository that you have allowed "
        f"(`zkmem init --git {vault}` makes one); correct that, or set git = false"
    )
    git(vault, "init", "-b", "main")
    assert "git does not run in this vault, whose repository you have not allowed; `zkmem trust" in mend()
    assert desk.run("trust", "--yes", vault, XDG_CONFIG_HOME=str(desk.folder)).returncode == 0
    assert "git config --global user.email" in mend()
    git(vault, "config", "user.email", "me@example.org")
    assert CHECKS["git"](CheckedVault.of(vault)) == f"commits go to {vault}/.git"
    git(vault, "config", "core.fsmonitor", "evil")
    remedy = f"`zkmem trust {vault}` shows what it asks for, and allows it for "
    later = "commands and servers that start after that"
    assert mend() == (
        "git = true, but git does not run in this vault, whose repository asks for other things than you allowed; "
        f"{remedy}{later}"
    )
    git(vault, "config", "--unset", "core.fsmonitor")
    pathlib.Path(vault, ".git", "MERGE_HEAD").touch()
    assert "MERGE_HEAD" in mend()
    pathlib.Path(vault, ".git", "MERGE_HEAD").unlink()
    pathlib.Path(vault, ".git", "index.lock").touch()
    assert "index.lock" in mend()
    pathlib.Path(vault, ".git", "index.lock").unlink()
    git(vault, "commit", "-q", "--allow-empty", "-m", "one")
    git(vault, "checkout", "-q", "--detach")
    assert "git switch -c NAME" in mend()
    monkeypatch.setenv("PATH", str(desk.folder))
    assert "not installed" in mend()


def test_tokens_that_others_can_read_or_that_are_damaged_are_told(desk: Desk, vault: str) -> None:
    target = CheckedVault.of(vault)
    assert CHECKS["tokens"](target) == "none: over HTTP, callers on this machine need none"
    for name, days in (("ann", 1.0), ("ben", 1e-9)):
        assert desk.run("token", "add", name, "-C", vault, "--days", str(days)).returncode == 0
    assert CHECKS["tokens"](target) == "2 tokens, 1 expired (`zkmem token list` names them)"
    file = pathlib.Path(vault, ".zkmem", "tokens.json")
    file.chmod(0o644)
    assert f"chmod 600 {file}" in trouble("tokens", vault).fix
    file.write_text("{")
    file.chmod(0o600)
    assert "tokens.json" in trouble("tokens", vault).problem


def test_a_cache_folder_that_cannot_be_is_told(desk: Desk, vault: str) -> None:
    pathlib.Path(desk.folder, "cache").write_text("")
    assert "XDG_CACHE_HOME" in trouble("cache", vault).fix


@pytest.mark.long
@pytest.mark.slow
def test_a_vault_that_cannot_be_written_is_told(desk: Desk, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "mounted"
    folder.mkdir()
    mounted = 'mount -t tmpfs tmpfs "$1" && echo text > "$1/a.md" && mount -o remount,ro "$1" && shift && exec "$@"'
    rows = looked(desk, str(folder), *unshared("sh", "-c", mounted, "sh", str(folder)))
    assert wrong(rows) == ["file system"]
    assert "notes can be read, not changed" in rows["file system"]["found"]
    mounted = mounted.replace("> ", '> "$1/b.md" && mkdir "$1/.zkmem" && echo text > ', 1)
    rows = looked(desk, str(folder), *unshared("sh", "-c", mounted, "sh", str(folder)))
    assert wrong(rows) == ["file system", "lock"]
    assert "writable" in rows["lock"]["fix"], "no process is to be ended for that"


def test_a_client_that_would_run_what_is_not_there_is_told(
    desk: Desk, vault: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> str:
        with pytest.raises(Trouble) as told:
            CHECKS["clients"](CheckedVault.of(vault))
        return f"{told.value.problem}; {told.value.fix}"

    monkeypatch.setenv("HOME", str(desk.folder))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert "was added to no client" in CHECKS["clients"](CheckedVault.of(vault))
    assert desk.run("install", "codex", "--vault", vault, "--force").returncode == 0
    assert desk.run("install", "cursor", "--vault", vault, "--force", "--name", "work").returncode == 0
    assert CHECKS["clients"](CheckedVault.of(vault)) == "Cursor (work), Codex (zkmem)"
    path = desk.file("codex")
    text = path.read_text()
    path.write_text(text.replace(vault, str(tmp_path / "gone")))
    assert "gone, which is not a folder; run `zkmem install codex --name zkmem" in found()
    path.write_text(text.replace('command = "', 'command = "/gone'))
    assert "which does not exist; run `zkmem install codex" in found()
    path.write_text("[")
    assert f"{path} cannot be read: line 1" in found()


def fixed(vault: str, check: str) -> CheckResult:
    """The row of a check alone, as `doctor --fix` comes to it."""
    return result_of(check, CHECKS[check], CheckedVault.of(vault), fix=True)


@pytest.mark.slow
def test_fix_finishes_what_was_interrupted_and_says_so(desk: Desk, vault: str) -> None:
    write(vault, {".zkmem/journal/1.new": "half"})
    assert "interrupted" in trouble("journal", vault).problem
    row = fixed(vault, "journal")
    assert (row.ok, row.found, row.fix) == (True, "empty", "")
    assert row.fixed == "the interrupted edit was finished or undone"
    write(vault, {".zkmem/journal/1.new": "half"})
    done = desk.run("doctor", "--vault", vault, "--fix")
    assert "ok   journal: empty\n     fixed: the interrupted edit was finished or undone\n" in done.stdout


@pytest.mark.slow
def test_fix_closes_a_file_of_tokens_to_others_and_trusts_nothing(desk: Desk, vault: str) -> None:
    assert desk.run("token", "add", "ann", "-C", vault).returncode == 0
    file = pathlib.Path(vault, ".zkmem", "tokens.json")
    file.chmod(0o644)
    shown = json.loads(desk.run("doctor", "--vault", vault, "--json", "--fix").stdout)
    fixes = {row["check"]: row["fixed"] for row in shown["checks"] if row["fixed"]}
    assert (shown["ok"], fixes) == (True, {"tokens": "only you can read and change .zkmem/tokens.json now"})
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text(file.read_text() + "\n")  # another hand
    file.chmod(0o666)
    row = fixed(vault, "tokens")
    assert (row.ok, bool(row.fixed), "zkmem trust" in row.fix) == (False, True, True)
    file.unlink()
    outside = pathlib.Path(write(desk.folder / "outside", {"tokens.json": "{}"})) / "tokens.json"
    outside.chmod(0o644)
    file.symlink_to(outside)
    row = fixed(vault, "tokens")
    assert (row.ok, row.fixed, outside.stat().st_mode & 0o777) == (False, "", 0o644)


def test_fix_gives_clients_this_zkmem_and_leaves_a_folder_that_is_gone(
    desk: Desk, vault: str, tmp_path: pathlib.Path
) -> None:
    for client in ("codex", "cursor"):
        assert desk.run("install", client, "--vault", vault, "--force", "--toolsets", "kg").returncode == 0
        path = desk.file(client)
        path.write_text(
            path.read_text().replace('command = "', 'command = "/gone').replace('"command": "', '"command": "/gone')
        )
    hooks = desk.file("codex").with_name("hooks.json")
    hooks.write_text(hooks.read_text().replace('"command": "', '"command": "/gone'))
    assert "/gone" in trouble("clients", vault).problem
    row = fixed(vault, "clients")
    assert (row.ok, row.found, row.fixed.count("/zkmem now (")) == (True, "Cursor (zkmem), Codex (zkmem)", 2)
    for client in ("codex", "cursor"):
        text = desk.file(client).read_text()
        assert "/gone" not in text
        assert '"--toolsets", "kg"' in text
    assert ("/gone" in hooks.read_text(), hooks.read_text().count(" hook ")) == (False, 4)
    path.write_text(path.read_text().replace(vault, str(tmp_path / "nowhere")))
    row = fixed(vault, "clients")
    assert (row.ok, row.fixed, "which is not a folder" in row.found) == (False, "", True)


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_the_hooks_that_install_wrote_are_checked(client: str, desk: Desk, vault: str) -> None:
    row = CLIENTS[client]
    desk.put(client, None)
    again = f"zkmem install {client} --name work --vault {vault} --read-only"
    assert desk.run(*shlex.split(again)[1:]).returncode == 0
    named = f"{row.title} (work)"
    assert CHECKS["clients"](CheckedVault.of(vault)) == named
    path = pathlib.Path(row.hooks_file(UserHome(desk.environ, sys.platform)) or desk.file(client))
    sound = path.read_text()
    used = row.hooks.events["tool-used"]  # type: ignore[union-attr]
    for broken in (
        json.dumps(without(json.loads(sound), used)),
        sound.replace("/zkmem hook tool-used", "/other/zkmem hook tool-used"),
    ):
        path.write_text(broken)
        told = trouble("clients", vault)
        assert not isinstance(told, Warned)
        assert told.problem.endswith(f"run another program than the entry work: {used}")
        assert told.fix == f"run `{again}`"
        row_after = fixed(vault, "clients")
        assert (row_after.ok, row_after.found) == (True, named)
        assert path.read_text().count(" hook ") == 4
    data = json.loads(sound)
    del data["hooks"]
    path.write_text(json.dumps(data))
    for _ in range(2):
        told = trouble("clients", vault)
        assert (isinstance(told, Warned), told.problem) == (True, f"{named}; no hooks: {named}")
        assert told.fix == f"so that the model is given notes before it asks, run `{again}`"
        if client == "gemini":
            return  # the file has the entry, too
        path.unlink(missing_ok=True)
    path.write_text("{ bad")
    told = trouble("clients", vault)
    assert told.problem.startswith(f"{path} cannot be read: line 1: a key in double quotes")
    assert told.problem.endswith(f" is expected. {row.title} may run no hooks of this file")
    assert told.fix == f"correct the file, then run `{again}`"
    path.unlink()
    assert desk.run("install", client, "--vault", vault, "--name", "work", "--per-project").returncode == 0
    assert CHECKS["clients"](CheckedVault.of(vault)) == named, "it has no hooks by choice"


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_a_file_that_cannot_have_hooks_is_told(client: str, desk: Desk, vault: str) -> None:
    row = CLIENTS[client]
    desk.put(client, None)
    again = f"zkmem install {client} --name zkmem --vault {vault}"
    assert desk.run(*shlex.split(again)[1:], "--no-hooks").returncode == 0
    path = pathlib.Path(row.hooks_file(UserHome(desk.environ, sys.platform)) or desk.file(client))
    event = row.hooks.events["turn-end"]  # type: ignore[union-attr]
    entry = json.loads(path.read_text()) if path.exists() else {}
    for hooks, problem in (([], "hooks is not an object"), ({event: {}}, f"hooks.{event} is not an array")):
        path.write_text(json.dumps({**entry, "hooks": hooks}))
        told = trouble("clients", vault)
        assert not isinstance(told, Warned)
        assert told.problem.startswith(f"{path} cannot be read: line 1: {problem}. ")
        assert told.fix == f"correct the file, then run `{again}`"


@pytest.mark.parametrize(
    ("client", "file", "data", "named"),
    [
        ("claude-code", ".claude/settings.json", '{"enabledPlugins": {"zkmem@zkmem": true}}', "plug-in zkmem@zkmem"),
        ("gemini", ".gemini/extensions/zkmem/gemini-extension.json", "{}", "extension zkmem"),
    ],
)
def test_a_plug_in_is_named_and_warned_of_beside_an_entry(
    client: str, file: str, data: str, named: str, desk: Desk, vault: str
) -> None:
    write(desk.folder, {file: data})
    title = CLIENTS[client].title
    assert CHECKS["clients"](CheckedVault.of(vault)) == f"{title} ({named})"
    done = desk.run("install", client, "--vault", vault, "--name", "work", "--no-hooks", "--force")
    told = trouble("clients", vault)
    assert isinstance(told, Warned)
    assert told.problem.startswith(f"{title} (work), {title} ({named}); the {named} is on, too: {title} starts ")
    assert told.fix.startswith("keep one: `")
    assert told.fix.endswith(f" uninstall {named.split()[1]}`, or `zkmem uninstall {client} --name work`")
    assert told.fix in done.stderr


def test_hooks_that_two_entries_share_run_the_program_of_one_of_them(desk: Desk, vault: str) -> None:
    other = desk.folder / "other" / "zkmem"
    desk.put("claude-code", None)
    for name in ("home", "work"):
        assert desk.run("install", "claude-code", "--vault", vault, "--name", name).returncode == 0
    file = desk.file("claude-code")
    entries = json.loads(file.read_text())
    other.parent.mkdir()
    other.symlink_to(entries["mcpServers"]["work"]["command"])
    entries["mcpServers"]["work"]["command"] = str(other)
    file.write_text(json.dumps(entries))
    assert CHECKS["clients"](CheckedVault.of(vault)) == "Claude Code (home), Claude Code (work)"
    hooks = pathlib.Path(CLIENTS["claude-code"].hooks_file(UserHome(desk.environ, sys.platform)) or "")
    hooks.write_text(hooks.read_text().replace("/zkmem hook tool-used", "/third/zkmem hook tool-used"))
    assert "run another program than the entry home: PostToolUse" in trouble("clients", vault).problem


def without(configuration: dict[str, Any], event: str) -> dict[str, Any]:
    del configuration["hooks"][event]
    return configuration


ALL = "import sys, click; from zkmem.cli.group import cli; cli.get_help(click.Context(cli))"
ONE = "import sys; from zkmem.cli.group import cli; cli(['get', 'x/a', '-C', sys.argv[1]], standalone_mode=False)"


@pytest.mark.parametrize(("code", "heavy"), [(ALL, "mcp tomlkit watchdog"), (ONE, "mcp watchdog zkmem.clients.table")])
def test_a_command_does_not_load_what_it_does_not_need(code: str, heavy: str, vault: str) -> None:
    told = f"{code}; sys.exit(7 if {{*{heavy.split()}}} & {{*sys.modules}} else 0)"
    assert subprocess.run([sys.executable, "-c", told, vault], check=False).returncode == 0
