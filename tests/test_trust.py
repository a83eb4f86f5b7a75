"""What a vault's own file may set, where the other settings come from, and `zkmem trust`."""

import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.tools.forked import forked_serving, zkmem_command, zkmem_program
from tests.tools.models import completion, endpoint
from tests.tools.vaults import write
from zkmem.cli.checks.table import CHECKS, result_of
from zkmem.cli.checks.target import CheckedVault
from zkmem.cli.group import open_memory
from zkmem.cli.tokens import tokens_of
from zkmem.settings import Settings, about

HOSTILE = 'llm_url = "URL"\nllm_model = "m"\ntoolsets = ["mirix"]\ngit = true\n'
HARMLESS = "max_chars = 5000\nhints_order = 'links'\n"


class Desk:
    """A user with a home folder of their own, and a vault that they were given."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.home, self.vault = folder / "home", folder / "vault"
        self.own = self.home / ".config/zkmem"
        write(self.vault, {"hint.md": "one\n"})
        self.home.mkdir()
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ZKMEM_", "GIT_"))}
        self.environ: Mapping[str, str] = {**kept, "HOME": str(self.home)}

    def run(self, *arguments: str, given: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        environ = {**self.environ, "ZKMEM_VAULT": str(self.vault), **environ}
        return zkmem_command(*arguments, given=given, environ=environ, cwd=self.vault)

    def ok(self, *arguments: str, **environ: str) -> str:
        done = self.run(*arguments, **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=P", "-c", "user.email=p@x", *arguments],
            cwd=self.vault, check=True, capture_output=True, text=True, env=dict(self.environ),
        ).stdout  # fmt: skip

    def trusted(self) -> list[object]:
        told = json.loads(self.ok("trust", "--list", "--json"))["trusted"]
        assert isinstance(told, list)
        return told

    def token(self, name: str, *options: str) -> str:
        """A token that the user makes for the vault."""
        return self.ok("token", "add", name, *options).strip()

    @contextmanager
    def serving(self) -> Iterator["Served"]:
        """A server over HTTP, as the user starts it."""
        words = ("serve", str(self.vault), "--mode", "http", "--port", "0")
        with forked_serving(words, HOME=str(self.home), XDG_CONFIG_HOME=str(self.home / ".config")) as url:
            yield Served(url.removesuffix("/mcp"))

    def served_lines(self) -> list[str]:
        """What a server says on stderr until it has read the notes."""
        command = [zkmem_program(), "serve", str(self.vault), "--mode", "http", "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(self.environ)) as process:
            assert process.stderr
            lines = []
            for line in process.stderr:
                lines.append(line.rstrip("\n"))
                if line.startswith("Indexed"):
                    break
            process.terminate()
        return lines

    @contextmanager
    def here(self, **environ: str) -> Iterator[None]:
        """Give this process the environment of the user during the block."""
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - self.environ.keys():
                patch.delenv(name)
            for name, value in {**self.environ, **environ}.items():
                patch.setenv(name, value)
            yield

    def settings(self, **environ: str) -> Settings:
        """The settings that a command has."""
        with self.here(**environ):
            memory, found = open_memory(str(self.vault))
            memory.close()
        return found


class Served(str):
    """The address of a server."""

    def status(self, token: str = "") -> int:
        """How the server answers a request with this token, or with none."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.get(f"{self}/api/vault", headers=headers, timeout=30).status_code


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path.resolve())


class TestWhatAVaultMaySet:
    def test_what_reaches_out_has_no_effect_and_one_line_says_so(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": HOSTILE.replace("URL", "http://127.0.0.1:9/v1") + HARMLESS})
        found = desk.settings()
        assert (found.toolsets, found.git, found.llm_url, found.llm_model) == (("zettel",), False, "", "")
        assert (found.max_chars, found.hints_order) == (5000, "links")
        done = desk.run("get", "hint")
        assert (done.returncode, done.stdout) == (0, "one\n")
        assert done.stderr.splitlines(keepends=True)[0] == (
            "These settings in .zkmem/config.toml have no effect: llm_url, llm_model, toolsets, git "
            f"(`zkmem trust {desk.vault}` shows and allows them)\n"
        )

    def test_what_the_user_decides_and_what_is_in_effect_anyway_is_not_named(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": 'git = true\nhost = "0.0.0.0"\n'})
        desk.git("init", "-q")
        own = 'host = "::1"\n'
        for general, table, told in (
            ("", "", "host, git"),
            ("git = true\n", "", "host"),
            ("", "git = true\n", "host"),
            ("", "git = false\n", "host"),
            ("git = true\n", own, ""),
            (own, "", "git, host"),
        ):
            write(desk.own, {"config.toml": f'{general}[vaults."{desk.vault}"]\n{table}'})
            done = desk.run("set", "hint", f"{general!r} {table!r}")
            named = [name for name in ("git", "host") if f"{name} (" in done.stderr]
            assert named == sorted(filter(None, told.split(", ")))
            assert ("git = true in .zkmem/config.toml needs" in done.stdout) == ("git" in named)
            assert ("git does not run in this vault" in done.stdout) == ("git = true" in general + table)
        for environ in ({"ZKMEM_GIT": "true"}, {"ZKMEM_GIT": "false"}):
            assert "git (" not in desk.run("get", "hint", **environ).stderr

    @pytest.mark.parametrize(
        "line",
        ["toolsets = ['kgg']", "toolsets = ['zettel', 'kgg']", "toolsets = []", "git = 'yes'", "llm_url = 'ftp://x'",
         "hints_order = 'foo'", "rate = 0", "host = 5", "no_such_setting = 1", "memories_folder = '../x'",
         "[git]", "rate = 0x" + "f" * 9000, "port.x = 1", "port = [" + "{}, " * 9000 + "]"],
    )  # fmt: skip
    def test_a_wrong_value_is_left_out_and_reported(self, desk: Desk, line: str) -> None:
        write(desk.vault, {".zkmem/config.toml": f"max_chars = 5000\nllm_model = 'm'\n{line}\n"})
        done = desk.run("get", "hint")
        sentence = done.stderr.splitlines()[0]
        assert (done.returncode, sentence.startswith("Ignored: .zkmem/config.toml: ")) == (0, True)
        assert line.strip("[]").partition(" ")[0].partition(".")[0] in sentence
        assert len(sentence) < 1000
        assert "zkmem trust" not in sentence
        assert desk.settings().max_chars == 5000

    def test_wrong_values_are_reported_everywhere_and_never_offered(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "toolsets = ['kgg']\nllm_model = 'm'\ngit = 'yes'\n"})
        done = [desk.run(*words) for words in (["get", "hint"], ["set", "hint", "x"], ["trust", "--yes"])]
        told = done[0].stderr.splitlines()[:2]
        assert [line.split()[:2] for line in told] == [["Ignored:", ".zkmem/config.toml:"]] * 2
        assert [(one.returncode, one.stderr.splitlines()[:2]) for one in done] == [(0, told)] * 3
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {"llm_model": "m"}, "git": False, "tokens": False, "skills": False}
        ]

    def test_of_many_wrong_values_a_few_are_named(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "".join(f"no_such_{number} = 1\n" for number in range(9000))})
        done = desk.run("get", "hint")
        assert (done.returncode, done.stdout) == (0, "one\n")
        assert [line.partition(" 'no_such")[2][:4] for line in done.stderr.splitlines()[:3]] == ["_0';", "_1';", "_2';"]
        assert done.stderr.splitlines()[3:4] == ["Ignored: .zkmem/config.toml: 8997 more settings."]

    @pytest.mark.parametrize(
        "lower",
        [
            ["versions_days = 29", "durability = 'normal'", "rate = 1", "max_body_mb = 1", "versions_mb = 0"],
            ["versions_days = 0", "lock_timeout = 0", "max_note_mb = 1", "max_sessions = 1"],
        ],
        ids=["lower", "lowest"],
    )
    def test_what_protects_texts_and_service_is_only_raised(self, desk: Desk, lower: list[str]) -> None:
        defaults = {line.partition(" ")[0]: Settings._field_defaults[line.partition(" ")[0]] for line in lower}
        write(desk.vault, {".zkmem/config.toml": "\n".join(lower)})
        found = desk.settings()
        assert {name: getattr(found, name) for name in defaults} == defaults
        told = desk.run("get", "hint").stderr.splitlines()[0]
        has_no_effect, names = "These settings in .zkmem/config.toml have no effect: ", ", ".join(defaults)
        assert told == f"{has_no_effect}{names} (`zkmem trust {desk.vault}` shows and allows them)"
        shown = desk.ok("trust", "--yes")
        assert all(f"{name} = " in shown for name in defaults)
        found = desk.settings()
        assert not [name for name, default in defaults.items() if getattr(found, name) == default]
        assert "no effect" not in desk.run("get", "hint").stderr

    @pytest.mark.parametrize(
        ("own", "in_vault", "effective"),
        [(None, 365, 365), (365, 400, 400), (365, 364, 365), (365, 30, 365), (7, 10, 10), (7, 5, 7), (0, 0, 0)],
    )
    def test_it_is_raised_above_what_the_user_says(
        self, desk: Desk, own: int | None, in_vault: int, effective: int
    ) -> None:
        write(desk.vault, {".zkmem/config.toml": f"versions_days = {in_vault}\n"})
        write(desk.own, {"config.toml": f"versions_days = {own}\n" if own is not None else ""})
        assert desk.settings().versions_days == effective
        asks = "versions_days" in desk.run("get", "hint").stderr
        assert asks == (in_vault != effective)
        assert asks == ("versions_days" in desk.run("trust", "--json").stdout)

    def test_what_the_user_says_for_this_vault_is_not_raised(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "versions_days = 365\ndurability = 'full'\n"})
        write(desk.own, {"config.toml": f'[vaults."{desk.vault}"]\nversions_days = 0\n'})
        found = desk.settings(ZKMEM_DURABILITY="normal")
        assert (found.versions_days, found.durability) == (0, "normal")

    def test_who_can_reach_a_server_is_never_said_by_a_vault(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": 'host = "0.0.0.0"\nallow_hosts = ["evil.example.org"]\n'})
        desk.run("trust", "--yes")
        assert desk.settings().host == "127.0.0.1"
        assert desk.settings().allow_hosts == ()
        told = desk.run("get", "hint").stderr
        assert "host, allow_hosts (set them in the environment, or in " in told

    @pytest.mark.parametrize("name", [name for name in Settings._fields if about(name).in_vault_file == "yes"])
    def test_every_other_setting_is_a_limit_or_an_order(self, name: str) -> None:
        """A new setting is to be put into one of the classes: this list is to be changed by hand."""
        assert name in {
            "port", "max_body_mb", "max_sessions", "rate", "max_chars", "hints_order", "lock_timeout",
            "suggestions_skip", "auto_categorize", "default_memory_type",
            "search_limit", "search_linked", "memories_folder", "max_note_mb", "sync_every", "sync_after",
            "logseq_names", "skills_folder",  # a skill itself needs permission
        }  # fmt: skip

    @pytest.mark.anyio
    async def test_no_prompt_and_no_key_goes_to_a_stranger(self, desk: Desk) -> None:
        with endpoint(lambda _: (200, json.dumps(completion("{}")).encode())) as (url, asked):
            write(desk.vault, {".zkmem/config.toml": HOSTILE.replace("URL", url)})
            server = StdioServerParameters(
                command=zkmem_program(),
                args=["serve", str(desk.vault), "--toolsets", "mirix"],
                env={**desk.environ, "ZKMEM_LLM_KEY": "the owner's"},
            )
            async with Client(server) as client:
                result = await client.call_tool("memory_chat", {"message": "tea?"})
        assert result.structured_content is not None
        assert result.structured_content["reply"] is None
        assert asked == []

    def test_an_edit_that_is_not_committed_says_so(self, desk: Desk) -> None:
        desk.git("init", "-q")
        write(desk.vault, {".zkmem/config.toml": "git = true\n"})
        told = desk.ok("set", "hint", "two")
        assert "not committed to git: git = true in .zkmem/config.toml needs `zkmem trust`" in told
        told = desk.ok("set", "hint", "three", ZKMEM_GIT="true")
        assert "not committed to git: git does not run in this vault, whose repository you have not allowed" in told
        desk.ok("trust", "--yes")
        assert "committed" not in desk.ok("set", "hint", "four")
        assert desk.git("log", "--format=%s") == 3 * "set_content hint\n"


class TestOrder:
    def test_the_places_in_their_order(self, desk: Desk) -> None:
        own, vault = desk.own / "config.toml", desk.vault / ".zkmem/config.toml"
        write(desk.own, {"config.toml": "max_chars = 1001\n"})
        assert desk.settings().max_chars == 1001
        write(desk.vault, {".zkmem/config.toml": "max_chars = 1002\n"})
        assert desk.settings().max_chars == 1002
        (desk.home / "alias").symlink_to(desk.vault)
        for name in (str(desk.vault), "~/alias"):
            own.write_text(
                f'max_chars = 1001\n[vaults."{name}"]\nmax_chars = 1003\n[vaults."/else"]\nmax_chars = 9999\n'
            )
            assert desk.settings().max_chars == 1003
        assert desk.settings(ZKMEM_MAX_CHARS="1004").max_chars == 1004
        vault.unlink()
        assert desk.settings().max_chars == 1003

    def test_the_users_own_file_may_set_everything(self, desk: Desk) -> None:
        write(desk.own, {"config.toml": f'git = true\n[vaults."{desk.vault}"]\nllm_url = "http://x/v1"\nport = 1\n'})
        found = desk.settings()
        assert (found.git, found.llm_url, found.port) == (True, "http://x/v1", 1)

    @pytest.mark.parametrize(
        ("text", "told"),
        [("max_chars = 1\n", "max_chars must be"), ("vaults = 3\n", "vaults must hold"), ("= x", "cannot be read"),
         ("[vaults]\nx = 1\n", "vaults must hold"), ('[vaults."/x"]\nnonsense = 1\n', "")],
    )  # fmt: skip
    def test_a_mistake_in_it_is_reported_with_its_path(self, desk: Desk, text: str, told: str) -> None:
        write(desk.own, {"config.toml": text})
        done = desk.run("get", "hint")
        assert told in done.stderr
        assert (done.returncode == 2) == bool(told)
        assert not told or str(desk.own / "config.toml") in done.stderr


class TestTrust:
    def test_it_shows_what_it_allows_and_it_is_allowed_here_alone(self, desk: Desk, tmp_path: pathlib.Path) -> None:
        write(desk.vault, {".zkmem/config.toml": HOSTILE.replace("URL", "http://x/v1")})
        desk.git("init", "-q")
        desk.git("config", "filter.evil.clean", "run \x1b[2J me")
        write(desk.vault, {".git/objects/info/alternates": "/else\n"})
        done = desk.run("trust")
        assert done.returncode == 2
        assert done.stdout == (
            f"{desk.vault} asks for:\n"
            '  llm_url = "http://x/v1" in .zkmem/config.toml: notes are sent to it, with the key in ZKMEM_LLM_KEY\n'
            '  llm_model = "m" in .zkmem/config.toml: the model at llm_url that gets them\n'
            '  toolsets = ["mirix"] in .zkmem/config.toml: a model may use these tools\n'
            "  git = true in .zkmem/config.toml: each edit is committed to the git repository that the vault is in\n"
            f"  git runs in the repository {desk.vault} if git is on: each edit is committed there\n"
            f"  {desk.vault}/.git/objects/info/alternates names another repository: git reads and writes there\n"
            "  filter.evil.clean = run \\x1b[2J me in its git repository: git follows it, and may start a program\n"
            "  filters in your own git configuration, such as Git LFS: git runs those that the vault's .gitattributes "
            "names\n"
        )
        assert "Give --yes to allow it" in done.stderr
        shown = [line.strip() for line in done.stdout.splitlines()[1:]]
        assert json.loads(desk.ok("trust", "--json"))["asks"] == shown, "a program sees what a person does"
        assert desk.trusted() == []
        assert desk.ok("trust", "--yes").endswith("\nallowed\n")
        assert desk.settings().toolsets == ("mirix",)
        assert desk.settings().llm_url == "http://x/v1"
        assert "have no effect" not in desk.run("get", "hint").stderr
        assert not (desk.vault / ".zkmem/trust.json").exists()
        assert (desk.own / "trust.json").stat().st_mode & 0o077 == 0
        shutil.copytree(desk.vault, tmp_path / "copy")
        assert "have no effect" in desk.run("get", "hint", "-C", str(tmp_path / "copy")).stderr

    def test_what_changes_later_has_to_be_allowed_anew(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": 'llm_url = "http://x/v1"\nllm_model = "m"\n'})
        desk.ok("trust", "--yes")
        write(desk.vault, {".zkmem/config.toml": 'llm_url = "http://evil/v1"\nllm_model = "m"\nmax_chars = 2000\n'})
        found = desk.settings()
        assert (found.llm_url, found.llm_model, found.max_chars) == ("", "m", 2000)
        assert "llm_url (`zkmem trust" in desk.run("get", "hint").stderr

    def test_the_repository_is_trusted_as_it_was_shown(self, desk: Desk) -> None:
        write(desk.vault, {".gitattributes": "*.md filter=up\n", ".zkmem/config.toml": "git = true\n"})
        desk.git("init", "-q")
        desk.git("config", "filter.up.clean", "tr a-z A-Z")
        desk.ok("trust", "--yes")
        desk.ok("set", "x", "tea\n")
        assert desk.git("cat-file", "blob", "HEAD:x.md") == "TEA\n"
        desk.git("config", "user.name", "Ann")
        desk.ok("set", "y", "soup\n")
        assert desk.git("cat-file", "blob", "HEAD:y.md") == "SOUP\n"
        desk.git("config", "filter.up.smudge", "rm -rf x")
        told = desk.run("set", "z", "water\n")
        sentence = (
            "git does not run in this vault, whose repository asks for other things than you allowed; "
            f"`zkmem trust {desk.vault}` shows what it asks for, and allows it for commands and servers that start "
            "after that\n"
        )
        assert told.stderr == "", "the answer says it already"
        assert told.stdout.endswith(f"; not committed to git: {sentence}")
        assert desk.git("log", "--format=%s") == "set_content y\nset_content x\n"
        told = desk.run("log")
        assert told.stderr == sentence
        assert "z" in told.stdout
        told = desk.run("sync")
        assert told.stderr.count("git does not run") == 1
        assert f"The vault cannot be synchronised: {sentence.removesuffix(chr(10))}." in told.stderr

    def test_a_terminal_is_asked(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "git = true\n"})
        for answer, allowed in (("n", 0), ("y", 1)):
            ours, theirs = pty.openpty()
            os.write(ours, answer.encode() + b"\n")
            done = subprocess.run(
                [sys.executable, "-m", "zkmem", "trust", str(desk.vault)], stdin=theirs, capture_output=True,
                text=True, check=False, env=dict(desk.environ), timeout=120,
            )  # fmt: skip
            os.close(ours)
            os.close(theirs)
            assert "Allow this? [y/N]" in done.stdout
            assert (done.returncode, len(desk.trusted())) == (1 - allowed, allowed)

    def test_notes_are_skills_once_the_user_has_seen_their_names(self, desk: Desk) -> None:
        nothing = f"{desk.vault} asks for nothing.\n"
        assert desk.ok("trust") == nothing + "When it has a note that is to be a skill, run this again.\n"
        many = {f"skills/s{number:02}.md": "Do.\n" for number in range(12)}
        write(desk.vault, {"oolong.md": "---\nskill: true\n---\nSteep.\n"})
        assert "skills: 1 note: oolong; none is a skill until `zkmem trust" in desk.run("doctor").stdout, (
            "there is no folder skills/"
        )
        (desk.vault / "oolong.md").unlink()
        hint = f"skills/s00 is no skill until `zkmem trust {desk.vault}` allows that\n"
        assert desk.run("set", "skills/s00", "Do.").stderr == hint
        assert desk.run("set", "other", "Do.").stderr == ""
        write(desk.vault, {**many, "tea.md": "---\nskill: true\n---\nSteep.\n", "a\x1bb.md": "---\nskill: true\n---\n"})
        assert "; none is a skill until `zkmem trust" in desk.run("doctor").stdout
        refused = desk.run("trust")
        assert refused.returncode != 0
        line = refused.stdout.splitlines()[1]
        assert line.startswith("  notes as skills, which tell a model what to do, these and later ones: a\\x1bb, ")
        assert line.endswith(" and 4 more")
        assert desk.trusted() == []
        assert "allowed\n" in desk.ok("trust", "--yes")
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {}, "git": False, "tokens": False, "skills": True}
        ]
        write(desk.vault, {"skills/later.md": "Do.\n"})
        assert "allowed already\n" in desk.ok("trust")
        assert "no skills until" not in desk.run("doctor").stdout
        assert desk.run("set", "skills/s00", "Do it.").stderr == ""
        for note in desk.vault.glob("skills/*.md"):
            note.unlink()
        (desk.vault / "tea.md").unlink()
        (desk.vault / "a\x1bb.md").unlink()
        assert desk.ok("trust") == nothing
        desk.token("reader")
        desk.ok("init", "--git", str(desk.vault))
        assert [one["skills"] for one in json.loads(desk.ok("trust", "--list", "--json"))["trusted"]] == [True]
        desk.ok("untrust", str(desk.vault))
        assert desk.trusted() == []

    def test_it_is_listed_and_taken_back(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "git = true\n"})
        assert json.loads(desk.ok("trust", "--json")) == {
            "vault": str(desk.vault), "trusted": False, "settings": {"git": True}, "git": None, "tokens": [],
            "skills": [],
            "asks": [
                "git = true in .zkmem/config.toml: each edit is committed to the git repository that the vault is in"
            ],
        }  # fmt: skip
        assert desk.trusted() == []
        assert json.loads(desk.ok("trust", "--json", "--yes"))["trusted"] is True
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {"git": True}, "git": False, "tokens": False, "skills": False}
        ]
        assert desk.ok("trust", "--list") == f"{desk.vault}: git = true\n"
        assert desk.ok("untrust") == f"no longer trusted: {desk.vault}\n", "like trust, it takes the vault around it"
        done = desk.run("untrust", ".")
        assert (done.returncode, "has no permissions" in done.stderr) == (2, True)
        assert desk.settings().git is False

    def test_a_repository_that_git_cannot_read_is_not_allowed_and_that_is_said(self, desk: Desk) -> None:
        desk.git("init", "-q")
        write(desk.vault, {".git/config": "[core\n"})
        for arguments in (["trust"], ["trust", "--yes"], ["trust", "--json"]):
            done = desk.run(*arguments)
            assert done.returncode == 1
            assert done.stderr.startswith("The git repository cannot be read, so it is not allowed: fatal: bad config")
        assert desk.run("trust").stdout.startswith(f"{desk.vault} asks for nothing else.\n")
        assert "the command git is not installed" in desk.run("trust", PATH=str(desk.home)).stderr
        write(desk.vault, {".zkmem/config.toml": 'toolsets = ["kg"]\n'})
        done = desk.run("trust", "--yes")
        assert (done.returncode, done.stdout.endswith("\nallowed\n")) == (1, True)
        assert desk.settings().toolsets == ("kg",), "the rest can be allowed"
        shutil.rmtree(desk.vault / ".git")
        assert desk.run("trust", PATH=str(desk.home)).stderr == ""

    def test_a_vault_that_asks_for_nothing(self, desk: Desk) -> None:
        assert desk.ok("trust").startswith(f"{desk.vault} asks for nothing.\n")
        assert desk.trusted() == []

    def test_a_damaged_file_allows_nothing(self, desk: Desk) -> None:
        for text in ("{", "[]", '{"/x": 3}', '{"/x": {"settings": {}}}', '{"/x": {"settings": 3, "git": ""}}'):
            write(desk.own, {"trust.json": text})
            done = desk.run("get", "hint")
            assert (done.returncode, "trust.json cannot be read" in done.stderr) == (2, True)


class TestInit:
    def test_a_vault_that_its_user_made_is_trusted_where_it_is(self, desk: Desk) -> None:
        desk.ok("init", "--git", ".")
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {"git": True}, "git": True, "tokens": False, "skills": False}
        ]
        done = desk.run("set", "x", "1\n")
        assert done.stderr == ""
        assert desk.git("log", "-1", "--format=%s") == "set_content x\n"

    def test_edits_made_while_it_is_not_trusted_are_committed_once_it_is(self, desk: Desk) -> None:
        """As those in a vault that was made before there was trust."""
        desk.ok("init", "--git", ".")
        desk.ok("set", "x", "1\n")
        desk.ok("untrust", ".")
        assert "not committed to git" in desk.ok("set", "y", "2\n")
        desk.ok("trust", "--yes")
        desk.ok("set", "z", "3\n")
        told = desk.git("log", "-3", "--format=%s").splitlines()
        assert told == ["set_content z", "set_content y", "set_content x"]

    def test_edits_made_before_somebody_elses_vault_was_ever_trusted_are_committed_once_it_is(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "git = true\n"})
        desk.git("init", "-q")
        for text in ("1\n", "2\n"):
            assert "not committed to git" in desk.ok("set", "x", text)
        desk.ok("trust", "--yes")
        desk.ok("set", "z", "3\n")
        told = desk.git("log", "--format=%s").splitlines()
        assert told == ["set_content z", "set_content x", "set_content x"]
        assert desk.git("show", "HEAD~2:x.md") == "1\n"

    def test_git_that_was_on_already_is_allowed_and_that_is_said(self, desk: Desk) -> None:
        desk.ok("init", "--git", ".")
        desk.ok("untrust", ".")
        told = desk.ok("init", "--git", ".").splitlines()
        why = "which was set already, is allowed: each edit by a tool will be a commit"
        assert f"git = true in .zkmem/config.toml, {why}" in told
        assert told[-1].endswith(f"git runs only after: zkmem trust {desk.vault}")
        assert "not committed to git: git does not run in this vault" in desk.ok("set", "x", "1\n")
        desk.ok("trust", "--yes")
        assert "committed" not in desk.ok("set", "y", "1\n")
        assert desk.git("log", "-2", "--format=%s") == "set_content y\nset_content x\n"

    def test_a_repository_made_in_somebody_elses_vault_does_not_choose_filters_of_the_user(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": "max_chars = 5000\n", ".gitattributes": "*.md filter=up\n"})
        write(desk.home, {".gitconfig": '[filter "up"]\n\tclean = tr a-z A-Z\n'})
        desk.ok("init", "--git", ".")
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {"git": True}, "git": False, "tokens": False, "skills": False}
        ]
        assert "git does not run in this vault" in desk.ok("set", "x", "tea\n")
        assert desk.git("ls-tree", "--name-only", "HEAD", "x.md") == ""

    def test_nothing_else_of_somebody_elses_vault_is_allowed_by_it(self, desk: Desk) -> None:
        write(desk.vault, {".zkmem/config.toml": 'llm_url = "http://x/v1"\nllm_model = "m"\n'})
        desk.git("init", "-q")
        desk.git("config", "core.fsmonitor", str(desk.home / "evil"))
        told = desk.ok("init", "--git", ".")
        assert f"git runs only after: zkmem trust {desk.vault}\n" in told
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {"git": True}, "git": False, "tokens": False, "skills": False}
        ]
        found = desk.settings()
        assert (found.git, found.llm_url) == (True, "")


def unpacked(desk: Desk, folder: pathlib.Path) -> str:
    """Replace the vault by one from an archive, which somebody else has made; return the token that they kept."""
    stranger = Desk(folder / "stranger")
    secret = stranger.token("eve", "--vault-path", "topics")
    with tarfile.open(folder / "vault.tar", "w") as archive:
        archive.add(stranger.vault, ".")
    shutil.rmtree(desk.vault)
    with tarfile.open(folder / "vault.tar") as archive:
        archive.extractall(desk.vault, filter="data")
    assert (desk.vault / TOKENS).stat().st_mode & 0o777 == 0o600
    return secret


def doctor_row(desk: Desk) -> dict[str, Any]:
    """What the check of `zkmem doctor` finds about the tokens."""
    with desk.here():
        return result_of("tokens", CHECKS["tokens"], CheckedVault.of(str(desk.vault)), fix=False)._asdict()


TOKENS = ".zkmem/tokens.json"
NOT_VALID = "The tokens in .zkmem/tokens.json are not valid"


@pytest.mark.slow
class TestTokens:
    def test_the_token_of_a_stranger_counts_only_once_the_user_has_allowed_it(
        self, desk: Desk, tmp_path: pathlib.Path
    ) -> None:
        secret = unpacked(desk, tmp_path)
        with desk.serving() as server:
            assert server.status(secret) == 401
            assert server.status() == 401, "the vault is not open to everybody either"
            shown = desk.run("trust").stdout
            assert shown.splitlines()[1:] == ["  the token 'eve' in .zkmem/tokens.json: reads and writes below topics/"]
            assert server.status(secret) == 401, "it was only shown"
            desk.ok("trust", "--yes")
            assert server.status(secret) == 200
            assert server.status() == 401
            assert desk.ok("trust", "--list") == f"{desk.vault}: its tokens\n"
            desk.ok("untrust", ".")
            assert server.status(secret) == 401
        with desk.serving() as server:
            assert server.status(secret) == 401

    def test_a_token_of_ones_own_counts_at_once_and_until_it_is_removed(self, desk: Desk) -> None:
        with desk.serving() as server:
            assert server.status() == 200
            first = desk.token("first")
            assert (server.status(first), server.status()) == (200, 401)
            second = desk.token("second")
            assert (server.status(first), server.status(second)) == (200, 200)
            desk.ok("token", "remove", "first")
            assert (server.status(first), server.status(second)) == (401, 200)
        with desk.serving() as server:
            assert (server.status(first), server.status(second), server.status()) == (401, 200, 401)

    def test_a_file_that_another_program_has_changed_counts_no_more_until_it_is_allowed(self, desk: Desk) -> None:
        secret, path = desk.token("ann"), desk.vault / TOKENS
        with desk.serving() as server:
            assert server.status(secret) == 200
            path.write_bytes(path.read_bytes() + b"\n")
            assert server.status(secret) == 401
            desk.ok("trust", "--yes")
            assert server.status(secret) == 200

    def test_an_older_file_that_comes_back_does_not_bring_a_removed_token_back(self, desk: Desk) -> None:
        secret, path = desk.token("ann"), desk.vault / TOKENS
        before = path.read_bytes()
        desk.ok("token", "remove", "ann")
        assert desk.trusted() == []
        path.write_bytes(before)
        path.chmod(0o600)
        with desk.serving() as server:
            assert server.status(secret) == 401

    def test_a_vault_that_is_moved_has_to_be_trusted_again(self, desk: Desk, tmp_path: pathlib.Path) -> None:
        secret = desk.token("ann")
        desk.vault = desk.vault.rename(tmp_path / "moved")
        with desk.serving() as server:
            assert server.status(secret) == 401
            desk.ok("trust", "--yes")
            assert server.status(secret) == 200

    @pytest.mark.slow
    def test_every_place_tells_that_they_do_not_count_and_how_to_go_on(
        self, desk: Desk, tmp_path: pathlib.Path
    ) -> None:
        unpacked(desk, tmp_path)
        for told in (desk.served_lines(), desk.run("token", "list").stderr.splitlines()):
            (line,) = (line for line in told if line.startswith(NOT_VALID))
            assert f"`zkmem trust {desk.vault}`" in line
            assert "remove the file" in line
        assert desk.ok("token", "list") == "eve: reads and writes below topics/\n"
        assert json.loads(desk.ok("token", "list", "--json"))["trusted"] is False
        row = doctor_row(desk)
        assert (row["ok"], f"`zkmem trust {desk.vault}`" in row["fix"]) == (False, True)
        desk.ok("trust", "--yes")
        assert doctor_row(desk)["ok"]
        assert not any(NOT_VALID in line for line in desk.served_lines())
        assert desk.run("token", "list").stderr == ""
        assert json.loads(desk.ok("token", "list", "--json"))["trusted"] is True

    def test_making_a_token_does_not_allow_those_of_a_stranger(self, desk: Desk, tmp_path: pathlib.Path) -> None:
        secret = unpacked(desk, tmp_path)
        before = (desk.vault / TOKENS).read_bytes()
        done = desk.run("token", "add", "ann")
        assert (done.returncode, NOT_VALID in done.stderr, done.stdout) == (2, True, "")
        assert (desk.vault / TOKENS).read_bytes() == before
        (desk.vault / TOKENS).unlink()
        own = desk.token("ann")
        with desk.serving() as server:
            assert (server.status(secret), server.status(own)) == (401, 200)

    def test_removing_a_token_of_a_stranger_does_not_allow_the_others(self, desk: Desk, tmp_path: pathlib.Path) -> None:
        stranger = Desk(tmp_path / "stranger")
        kept = stranger.token("eve")
        stranger.token("mallory")
        write(desk.vault, {TOKENS: (stranger.vault / TOKENS).read_bytes()})
        (desk.vault / TOKENS).chmod(0o600)
        done = desk.run("token", "remove", "mallory")
        assert (done.returncode, NOT_VALID in done.stderr) == (0, True)
        with desk.serving() as server:
            assert (server.status(kept), server.status()) == (401, 401)
            assert desk.run("token", "remove", "eve").stderr == ""
            own = desk.token("ann")
            assert (server.status(kept), server.status(own)) == (401, 200)

    def test_a_token_counts_all_the_time_while_others_are_made(self, desk: Desk, tmp_path: pathlib.Path) -> None:
        vault = write(tmp_path / "busy", {"a.md": ""})
        secret = tokens_of(vault).add("ann")
        made = threading.Thread(target=lambda: [tokens_of(vault).add(str(number)) for number in range(40)])
        known = tokens_of(vault)
        made.start()
        try:
            while made.is_alive():
                assert known.find(secret)
        finally:
            made.join()
        assert len(known.load().tokens) == 41

    @pytest.mark.slow
    def test_an_empty_file_of_a_stranger_does_not_open_the_vault(self, desk: Desk) -> None:
        write(desk.vault, {TOKENS: '{"tokens": []}'})
        (desk.vault / TOKENS).chmod(0o600)
        with desk.serving() as server:
            assert server.status() == 401
            assert "a .zkmem/tokens.json without any token" in desk.ok("trust", "--yes")
            assert doctor_row(desk)["ok"]
            desk.ok("untrust", ".")
            assert server.status(desk.token("ann")) == 200

    def test_what_a_file_of_a_stranger_says_cannot_act_on_a_terminal(self, desk: Desk) -> None:
        far = {"name": "eve\x1b[2J", "sha256": "0" * 64, "created": 0, "expires": 1e300}
        write(desk.vault, {TOKENS: json.dumps({"tokens": [far, {**far, "name": "old", "expires": -1e300}]})})
        (desk.vault / TOKENS).chmod(0o600)
        for shown in (desk.run("trust").stdout, desk.ok("token", "list")):
            assert "\x1b" not in shown
            assert "eve\\x1b[2J" in shown
            assert "until 9999-" in shown
            assert "expired 1970-" in shown

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "text",
        [
            '{"tokens": [{"name": "x", "sha256": "\\u00e9", "created": 0}]}',
            '{"tokens": [{"\\u001b[2J": 1}]}',
            "[" * 100_000,
            '{"tokens": []}' + " " * 10_000_000,
        ],
    )
    def test_a_file_that_is_no_list_of_tokens_is_told_and_nobody_is_let_in(self, desk: Desk, text: str) -> None:
        write(desk.vault, {TOKENS: text})
        (desk.vault / TOKENS).chmod(0o600)
        done = desk.run("trust")
        assert (done.returncode, "tokens.json cannot be read" in done.stderr, "\x1b" in done.stderr) == (2, True, False)
        assert len(done.stderr) < 500
        assert not doctor_row(desk)["ok"]

    def test_doctor_tells_that_the_users_trust_cannot_be_read(self, desk: Desk) -> None:
        desk.token("ann")
        write(desk.own, {"trust.json": "{"})
        row = doctor_row(desk)
        assert (row["ok"], "trust.json cannot be read" in row["found"], bool(row["fix"])) == (False, True, True)

    def test_one_who_asks_in_json_sees_the_tokens(self, desk: Desk, tmp_path: pathlib.Path) -> None:
        unpacked(desk, tmp_path)
        told = json.loads(desk.ok("trust", "--json"))
        assert told == {
            "vault": str(desk.vault), "trusted": False, "settings": {}, "git": None, "skills": [],
            "asks": ["the token 'eve' in .zkmem/tokens.json: reads and writes below topics/"],
            "tokens": [
                {"name": "eve", "folder": "topics", "read_only": False, "toolsets": [], "expires": None,
                 "propose": False},
            ],
        }  # fmt: skip
        assert json.loads(desk.ok("trust", "--json", "--yes"))["trusted"] is True
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {}, "git": False, "tokens": True, "skills": False}
        ]

    def test_other_commands_that_allow_something_keep_the_tokens(self, desk: Desk) -> None:
        secret = desk.token("ann")
        desk.ok("init", "--git", ".")
        with desk.serving() as server:
            assert server.status(secret) == 200
        assert desk.trusted() == [
            {"vault": str(desk.vault), "settings": {"git": True}, "git": True, "tokens": True, "skills": False}
        ]
