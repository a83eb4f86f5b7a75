"""`zkmem config`, as a process."""

import json
import os
import pathlib
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.test_cli import zkmem
from tests.tools.forked import zkmem_command
from tests.tools.vaults import write
from zkmem.settings import Settings


class Desk:
    """A vault, and a user with a folder of settings."""

    def __init__(self, folder: pathlib.Path) -> None:
        """Make an empty vault."""
        self.vault = write(folder / "vault", {".zkmem/config.toml": ""})
        self.own = folder / "own" / "zkmem" / "config.toml"
        self.shared = folder / "vault" / ".zkmem" / "config.toml"
        self._environ = {"XDG_CONFIG_HOME": str(folder / "own"), "ZKMEM_VAULT": self.vault}

    def config(self, *arguments: str, **environ: str) -> str:
        """Run the command, which has to succeed; return what it prints."""
        done = zkmem("config", *arguments, **self._environ, **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def row(self, *arguments: str, **environ: str) -> dict[str, object]:
        """Return the answer of the command with --json."""
        answer: dict[str, object] = json.loads(self.config(*arguments, "--json", **environ))
        return answer

    def refused(self, *arguments: str) -> str:
        """Return the sentence of a refusal, which changes no file."""
        before = [path.read_text() if path.exists() else None for path in (self.own, self.shared)]
        done = zkmem("config", *arguments, **self._environ)
        assert (done.returncode, done.stdout) == (2, "")
        assert before == [path.read_text() if path.exists() else None for path in (self.own, self.shared)]
        return done.stderr


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path)


def test_each_setting_is_listed_with_the_place_that_decides(desk: Desk) -> None:
    write(desk.own.parent, {"config.toml": f'rate = 5\nport = 1\n[vaults."{desk.vault}"]\nhook_end = true\n'})
    desk.shared.write_text("max_chars = 5000\nport = 2\n")
    environ = {"ZKMEM_HOOK_PROMPT": "off", "ZKMEM_LLM_KEY": "sk-1234567890"}
    listed = desk.config(**environ)
    assert "sk-1234567890" not in listed
    assert tomllib.loads(listed).keys() == set(Settings._fields), "what is printed can be copied to a file"
    for line in (
        "hook_start = true  # default",
        "hook_prompt = false  # ZKMEM_HOOK_PROMPT",
        f"hook_end = true  # {desk.own}, for this vault",
        f"rate = 5  # {desk.own}",
        "port = 2  # .zkmem/config.toml",
        "max_chars = 5000  # .zkmem/config.toml",
        'toolsets = ["zettel"]  # default',
    ):
        assert line in listed.splitlines()
    assert desk.config("rate") == f"rate = 5  # {desk.own}\n"
    assert desk.row("rate") == {"name": "rate", "value": 5, "from": str(desk.own)}


def test_without_a_vault_the_users_own_settings_are_shown_and_changed(tmp_path: pathlib.Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "own")}
        return zkmem_command("config", *arguments, environ=environ, cwd=tmp_path)

    assert run("rate", "6").returncode == 0
    assert run("rate").stdout == f"rate = 6  # {tmp_path / 'own/zkmem/config.toml'}\n"
    for option in ("--here", "--shared"):
        assert "No vault is named" in run("rate", "7", option).stderr
    assert run("rate", "-C", str(tmp_path / "gone")).returncode != 0


def test_a_value_is_written_and_removed_and_the_rest_of_the_file_stays(desk: Desk) -> None:
    text = '# mine\nrate = 5 # slow\n\n[vaults."/elsewhere"]\n# theirs\ngit = true\n'
    write(desk.own.parent, {"config.toml": text})
    said = desk.config("hook_prompt", "false")
    assert said == f"hook_prompt was written to {desk.own}\nin effect: hook_prompt = false  # {desk.own}\n"
    assert tomllib.loads(desk.own.read_text())["hook_prompt"] is False
    assert [line for line in desk.own.read_text().splitlines() if line and "hook_prompt" not in line] == [
        line for line in text.splitlines() if line
    ]
    desk.config("toolsets", "zettel,text")
    assert tomllib.loads(desk.own.read_text())["toolsets"] == ["zettel", "text"]
    desk.config("toolsets", "--unset")
    assert desk.config("hook_prompt", "--unset").endswith("in effect: hook_prompt = true  # default\n")
    assert tomllib.loads(desk.own.read_text()) == tomllib.loads(text)
    assert "# slow" in desk.own.read_text()


def test_a_value_for_one_vault_goes_to_its_table(desk: Desk) -> None:
    desk.config("hook_start", "false", "--here")
    desk.config("hook_end", "true", "--here")
    assert tomllib.loads(desk.own.read_text()) == {"vaults": {desk.vault: {"hook_start": False, "hook_end": True}}}
    assert desk.row("hook_start", "true")["value"] is False, "the vault's table decides"
    assert tomllib.loads(desk.own.read_text())["hook_start"] is True
    desk.config("hook_start", "--unset", "--here")
    assert desk.row("hook_start")["value"] is True


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("# mine\nrate = 5\n", "# mine\nrate = 5\n"),
        ("", ""),
        ('[vaults."/elsewhere"]\ngit = true\n', '[vaults."/elsewhere"]\ngit = true\n'),
        ('[vaults."HERE"]\n# mine\n\n# theirs\n[vaults."/elsewhere"]\ngit = true\n', None),
        ('vaults."HERE".rate = 5\n', 'vaults."HERE".rate = 5\n'),
    ],
)
def test_the_table_of_a_vault_goes_with_its_last_value(desk: Desk, text: str, rest: str | None) -> None:
    write(desk.own.parent, {"config.toml": text.replace("HERE", desk.vault)})
    desk.config("hook_start", "false", "--here")
    desk.config("hook_start", "--unset", "--here")
    text, rest = desk.own.read_text(), rest and rest.replace("HERE", desk.vault)
    if rest is None:
        assert "\n# theirs\n[" in text
        assert "# mine\n" in text
        assert tomllib.loads(text) == {"vaults": {"/elsewhere": {"git": True}}}
    else:
        assert text == rest


def test_commands_at_once_keep_the_values_of_each_other(desk: Desk) -> None:
    values = {"rate": 5, "max_chars": 5000, "hook_ms": 50, "sync_after": 9}
    with ThreadPoolExecutor(len(values)) as users:
        list(users.map(lambda one: desk.config(one[0], str(one[1]), "--here"), values.items()))
    assert tomllib.loads(desk.own.read_text()) == {"vaults": {desk.vault: values}}


def test_a_value_for_the_vaults_file(desk: Desk) -> None:
    desk.shared.write_text("# ours\n")
    desk.config("max_chars", "5000", "--shared")
    assert desk.shared.read_text() == "# ours\nmax_chars = 5000\n"
    assert desk.row("git", "true", "--shared") == {
        "name": "git", "value": False, "from": "default", "changed": ".zkmem/config.toml",
    }  # fmt: skip
    assert "a vault's file cannot set host" in desk.refused("host", "::1", "--shared").lower()


def test_what_is_wrong_is_refused_and_changes_nothing(desk: Desk) -> None:
    write(desk.own.parent, {"config.toml": "rate = 5\n"})
    assert "There is no setting 'hook_promt'. Did you mean `zkmem config hook_prompt`" in desk.refused("hook_promt")
    assert "There is no setting" in desk.refused("hook_promt", "false")
    assert "hook_ms must be a whole number from 20 to 10000, not 5" in desk.refused("hook_ms", "5")
    assert "hook_prompt must be true or false, not 'perhaps'" in desk.refused("hook_prompt", "perhaps")
    assert desk.refused("hook_ms", "--unset").endswith("; nothing was changed.\n"), "the name is right"
    assert "Did you mean `hook_ms`" in desk.refused("hok_ms", "--unset")
    assert "NAME" in desk.refused("--unset")
    assert "either" in desk.refused("rate", "6", "--unset")
    assert "either" in desk.refused("rate", "6", "--here", "--shared")
    assert "VALUE" in desk.refused("rate", "--here")
    desk.own.write_text("= broken\n")
    assert "cannot be" in desk.refused("rate", "6")
    assert "cannot be" in desk.refused()


def test_a_wrong_line_of_the_users_file_can_be_mended(desk: Desk) -> None:
    write(desk.own.parent, {"config.toml": "hooks = true\nrate = 0\n"})
    desk.config("rate", "5")
    assert desk.own.read_text() == "hooks = true\nrate = 5\n"
    assert desk.config("hooks", "--unset") == f"hooks was removed from {desk.own}\n"
    assert desk.own.read_text() == "rate = 5\n"


def test_a_linked_file_of_the_user_stays_a_link(desk: Desk, tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"dotfiles/zkmem.toml": "rate = 5\n"})
    desk.own.parent.mkdir(parents=True)
    desk.own.symlink_to(tmp_path / "dotfiles/zkmem.toml")
    desk.config("rate", "6")
    assert desk.own.is_symlink()
    assert (tmp_path / "dotfiles/zkmem.toml").read_text() == "rate = 6\n"


def test_a_folder_of_settings_that_is_a_link_is_left_alone(desk: Desk, tmp_path: pathlib.Path) -> None:
    shutil.move(desk.shared.parent, tmp_path / "program")
    desk.shared.parent.symlink_to(tmp_path / "program")
    done = zkmem("config", "max_chars", "5000", "--shared", ZKMEM_VAULT=desk.vault)
    assert (done.returncode, done.stdout) == (5, "")
    assert ".zkmem is a symbolic link" in done.stderr
    assert zkmem("init", desk.vault, "--git").returncode == 5
    assert (tmp_path / "program/config.toml").read_text() == ""


def test_the_password_in_an_address_is_not_printed(desk: Desk) -> None:
    write(desk.own.parent, {"config.toml": 'llm_url = "https://ann:hunter2@example.org/v1"\n'})
    assert desk.config("llm_url") == f'llm_url = "https://***@example.org/v1"  # {desk.own}\n'
    assert "hunter2" not in desk.config("--json")
    desk.own.write_text('sync_remote = "https://ann:hunter2@example.org/notes.git"\n')
    assert desk.config("sync_remote") == f'sync_remote = "https://***@example.org/notes.git"  # {desk.own}\n'
    assert "hunter2" not in desk.config("--json")
    assert desk.refused("llm_url", "htp://ann:hunter2@example.org").endswith("not '***@example.org'.\n")
