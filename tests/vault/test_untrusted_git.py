"""A git repository that somebody else has prepared starts no program, and reaches nothing, until it is trusted."""

import contextlib
import os
import pathlib
import shutil
import subprocess

import pytest

from tests.tools.vaults import write
from zkmem.errors import NoVersion, Unwritable
from zkmem.memory import Memory
from zkmem.vault.git.command import Git, GitTrouble

REAL_GIT = shutil.which("git")
LATER = "commands and servers that start after that"
HOOKS = ["reference-transaction", "post-index-change", "pre-commit", "post-commit", "commit-msg", "pre-auto-gc"]
ATTRIBUTES = "* filter=evil diff=evil merge=evil\n"

ATTACKS: dict[str, list[str]] = {
    "fsmonitor": ["core.fsmonitor=RUN"],
    "clean filter": ["filter.evil.clean=RUN"],
    "smudge filter": ["filter.evil.smudge=RUN", "filter.evil.clean=cat"],
    "filter process": ["filter.evil.process=RUN"],
    "signing": ["commit.gpgsign=true", "gpg.program=RUN"],
    "signing with a key of ssh": [
        "commit.gpgsign=true", "gpg.format=ssh", "gpg.ssh.program=RUN", "gpg.ssh.defaultkeycommand=RUN",
    ],
    "signatures in the log": ["log.showSignature=true", "gpg.program=RUN"],
    "hooks in a folder of its own": ["core.hooksPath=HOOKS"],
    "hooks in the configuration": ["hook.evil.command=RUN", "hook.evil.event=reference-transaction"],
    "a missing object of a promisor": [
        "core.repositoryFormatVersion=1", "extensions.partialClone=origin", "remote.origin.promisor=true",
        "remote.origin.url=ext::RUN %S", "protocol.ext.allow=always", "protocol.allow=always",
    ],
    "a missing object of a promisor near by": [
        "core.repositoryFormatVersion=1", "extensions.partialClone=origin", "remote.origin.promisor=true",
        "remote.origin.url=.", "remote.origin.uploadpack=RUN",
    ],
    "a missing object over ssh": [
        "core.repositoryFormatVersion=1", "extensions.partialClone=origin", "remote.origin.promisor=true",
        "remote.origin.url=ssh://example.invalid/x", "core.sshCommand=RUN",
    ],
    "an included file": ["include.path=INCLUDED"],
    "a condition that holds": ["includeIf.gitdir/i:**.path=INCLUDED"],
    "a configuration for the work tree": ["extensions.worktreeConfig=true"],
    "what shows a difference": ["diff.external=RUN", "diff.evil.textconv=RUN", "diff.evil.command=RUN"],
    "pagers and editors": [
        "core.pager=RUN", "pager.log=RUN", "pager.config=RUN", "core.editor=RUN", "sequence.editor=RUN",
        "alias.log=!RUN", "alias.update-ref=!RUN", "interactive.diffFilter=RUN",
    ],
    "what talks to others": [
        "core.askPass=RUN", "core.gitProxy=RUN", "credential.helper=!RUN", "core.alternateRefsCommand=RUN",
        "uploadpack.packObjectsHook=RUN", "submodule.evil.update=!RUN", "merge.evil.driver=RUN",
        "gc.recentObjectsHook=RUN",
    ],
}  # fmt: skip
LIVE = {"fsmonitor", "clean filter", "filter process", "smudge filter", "signing", "an included file",
        "a condition that holds", "a configuration for the work tree", "a missing object of a promisor",
        "a missing object of a promisor near by", "a missing object over ssh"}  # fmt: skip
"""Those that start their program when the repository is trusted: zkmem's own commands reach them."""


def git(root: str | os.PathLike[str], *arguments: str, given: bytes = b"") -> str:
    options = ["-c", "user.name=P", "-c", "user.email=p@example.org", "-c", "core.hooksPath=/dev/null"]
    done = subprocess.run(["git", *options, *arguments], cwd=root, check=True, capture_output=True, input=given)
    return done.stdout.decode()


class Hostile:
    """A vault in a repository whose programs, if they are started, say so in a file."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.root, self._canary = folder / "vault", folder / "canary"
        self._program = folder / "run.sh"
        self._program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self._canary}\nexit 1\n')
        self._program.chmod(0o755)
        write(self.root, {"a.md": "one\n", "b.md": "[[a]]\n", "gone.md": "gone\n", ".gitignore": ".zkmem/\n.trash/\n"})
        git(self.root, "init", "-q", "-b", "main")
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "all")
        self.first = git(self.root, "rev-parse", "HEAD").strip()
        git(self.root, "rm", "-q", "gone.md")
        git(self.root, "commit", "-qm", "gone")
        self._forge_signature()
        write(self.root, {".gitattributes": ATTRIBUTES})

    def _forge_signature(self) -> None:
        """Put a commit on top that says that it is signed."""
        commit = git(self.root, "cat-file", "commit", "HEAD")
        head, _, message = commit.partition("\n\n")
        signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}"
        made = git(self.root, "hash-object", "-t", "commit", "-w", "--stdin", given=signed.encode()).strip()
        git(self.root, "update-ref", "HEAD", made)

    def arm(self, settings: list[str]) -> None:
        """Set what the vault's maker would set, put hooks into its folders, and take an object away."""
        blob = git(self.root, "rev-parse", f"{self.first}:gone.md").strip()
        included, hooks = self.root / ".git/included", self.root / "hooks"
        included.write_text(f'[filter "evil"]\n\tclean = {self._program}\n')
        (self.root / ".git/config.worktree").write_text(f'[filter "evil"]\n\tclean = {self._program}\n')
        for folder in (hooks, self.root / ".git/hooks"):
            folder.mkdir(exist_ok=True)
            for name in HOOKS:
                (folder / name).write_bytes(self._program.read_bytes())
                (folder / name).chmod(0o755)
        with (self.root / ".git/config").open("a") as file:
            for setting in settings:
                key, _, value = setting.partition("=")
                section, _, rest = key.partition(".")
                middle, _, name = rest.rpartition(".")
                head = f'[{section} "{middle}"]' if middle else f"[{section}]"
                for word, path in (("RUN", self._program), ("HOOKS", hooks), ("INCLUDED", included)):
                    value = value.replace(word, str(path))
                file.write(f'{head}\n\t{name} = "{value}"\n')
        (self.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
        self._canary.unlink(missing_ok=True)

    def subjects(self) -> list[str]:
        """The subjects of the commits, last first."""
        return git(self.root, "-c", "log.showSignature=false", "log", "--format=%s").splitlines()

    def started(self) -> list[str]:
        """The programs that were started."""
        return self._canary.read_text().splitlines() if self._canary.exists() else []


@pytest.fixture
def hostile(tmp_path: pathlib.Path) -> Hostile:
    return Hostile(tmp_path)


def use(hostile: Hostile, allowed: str | None = None) -> list[str]:
    """Do with a vault all that zkmem does with git; returns the remarks on its edits."""
    memory = Memory(str(hostile.root), git=True, git_allowed=allowed).on_behalf(client="tester")
    memory.start(watch=False)
    remarks = memory.write("new", "N\n").remarks + memory.write("a", "two\n", append=True).remarks
    remarks += memory.rename("a", "c", merge=True).remarks + memory.delete("new").remarks
    memory.undo()
    memory.log("c")
    memory.log()
    for name, rev in (("c", "HEAD~2"), ("gone", hostile.first)):
        with contextlib.suppress(NoVersion):
            memory.show(name, rev)
    memory.close()
    return remarks


@pytest.fixture
def calls(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A file with a line for each git command; none yet."""
    write(tmp_path, {"bin/git": f"#!/bin/sh\necho $* >> {tmp_path}/calls\nexec {shutil.which('git')} $*\n"})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return tmp_path / "calls"


def test_no_git_command_runs_in_a_vault_that_is_not_trusted(hostile: Hostile, calls: pathlib.Path) -> None:
    hostile.arm(ATTACKS["filter process"])
    calls.unlink(missing_ok=True)
    remarks = use(hostile, "")
    assert not calls.exists()
    sentence = "git does not run in this vault, whose repository you have not allowed"
    remedy = f"`zkmem trust {hostile.root}` shows what it asks for, and allows it for {LATER}"
    assert set(remarks) == {f"not committed to git: {sentence}; {remedy}"}
    assert hostile.subjects() == ["gone", "all"]
    calls.unlink()
    use(hostile)
    assert calls.exists()


def test_no_git_command_runs_in_a_vault_that_is_itself_a_repository(
    tmp_path: pathlib.Path, calls: pathlib.Path
) -> None:
    """git takes a folder with the files of a bare repository for one, without a `.git`."""
    vault = write(tmp_path / "vault", {"a.md": "one\n"})
    git(vault, "init", "-q", "--bare")
    git(vault, "config", "core.bare", "false")
    git(vault, "config", "core.worktree", vault)
    assert Git(vault, "").look().folder == vault
    calls.unlink()
    with Memory(vault, git=True, git_allowed="") as memory:
        remarks = memory.write("a", "two\n").remarks
        memory.log()
    sentence = f"the vault is in no git repository that you have allowed (`zkmem init --git {vault}` makes one)"
    assert remarks == [f"not committed to git: {sentence}"]
    assert not calls.exists()


def test_no_transport_is_allowed_to_a_command_before_the_repository_is(
    hostile: Hostile, tmp_path: pathlib.Path, calls: pathlib.Path
) -> None:
    write(tmp_path, {"bin/git": f"#!/bin/sh\nenv | grep ^GIT_ >> {calls}\nexec {REAL_GIT} $*\n"})
    Git(str(hostile.root), "").look()
    settings = calls.read_text().splitlines()
    assert settings.count("GIT_ALLOW_PROTOCOL=") == settings.count("GIT_NO_LAZY_FETCH=1") == 2, "rev-parse and config"


def test_a_command_with_very_many_messages_comes_to_its_end(
    hostile: Hostile, tmp_path: pathlib.Path, calls: pathlib.Path
) -> None:
    """Else git would wait until somebody reads them: a pipe has room for 64 KiB."""
    write(tmp_path, {"bin/git": f"#!/bin/sh\nhead -c 200000 /dev/zero >&2\nexec {REAL_GIT} $*\n"})
    assert not calls.exists()
    repository = Git(str(hostile.root), "")
    assert repository.read("rev-list", "HEAD", "--", most_bytes=1_000, patience_s=10.0).count("\n") == 2
    with pytest.raises(GitTrouble, match="bad revision"):
        repository.read("rev-list", "none", "--", most_bytes=1_000, patience_s=10.0)


def test_no_command_for_a_vault_that_is_gone_works_in_the_repository_around_this_process(
    hostile: Hostile, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    shutil.copytree(hostile.root, project)
    write(project, {"a.md": "not committed\n"})
    monkeypatch.chdir(project)
    repository = Git(str(hostile.root), "")
    repository.where()
    hostile.root.rename(tmp_path / "elsewhere")
    for top in (True, False):
        with pytest.raises(GitTrouble, match="there is no"):
            repository.run("checkout-index", "-f", "-z", "--stdin", data=b"a.md\0", top=top)
        with pytest.raises(GitTrouble, match="there is no"):
            repository.read("rev-list", "HEAD", "--", most_bytes=1_000, top=top)
    with pytest.raises(GitTrouble, match="there is no"):
        Git(str(tmp_path / "none/vault"), "").clone(str(project))
    assert (project / "a.md").read_text() == "not committed\n"


def test_what_reaches_another_repository_starts_no_program_of_the_one_around_the_vault(hostile: Hostile) -> None:
    hostile.arm(["core.sshCommand=RUN", "credential.helper=!RUN", "core.gitProxy=RUN"])
    vault = Git(str(hostile.root / "vault"), "")
    for address in ("ssh://127.0.0.1:1/x", "git://127.0.0.1:1/x"):
        for command in (vault.heads, vault.default_branch, vault.clone):
            with pytest.raises(GitTrouble):
                command(address)
    assert hostile.started() == []


@pytest.mark.parametrize("attack", sorted(ATTACKS))
def test_a_repository_that_asks_for_more_than_was_allowed_starts_nothing(hostile: Hostile, attack: str) -> None:
    before = Git(str(hostile.root), "").look().fingerprint
    hostile.arm(ATTACKS[attack])
    remarks = use(hostile, before)
    assert remarks
    assert all("repository asks for other things than you allowed; `zkmem trust" in remark for remark in remarks)
    assert hostile.started() == []
    assert hostile.subjects() == ["gone", "all"]


@pytest.mark.parametrize("attack", sorted(LIVE))
def test_these_attacks_start_their_program_once_the_repository_is_trusted(hostile: Hostile, attack: str) -> None:
    """Else the test above would prove nothing."""
    hostile.arm(ATTACKS[attack])
    use(hostile, Git(str(hostile.root), "").look().fingerprint)
    assert hostile.started()
    assert not [line for line in hostile.started() if any(name in line for name in HOOKS)]


class TestARepositoryThatLeadsElsewhere:
    """Through a repository's files git could be made to read or write files outside of the vault."""

    @pytest.fixture
    def private(self, tmp_path: pathlib.Path) -> pathlib.Path:
        """A repository that the vault's maker knows the path of, and nothing else."""
        private = tmp_path / "private"
        write(private, {"secret.md": "secret\n"})
        git(private, "init", "-q", "-b", "main")
        git(private, "add", "-A")
        git(private, "commit", "-qm", "private")
        return private

    def refused(self, vault: pathlib.Path, private: pathlib.Path, about: str) -> None:
        (line,) = Git(str(vault), "").look().outside
        assert about in line
        with Memory(str(vault), git=True, git_allowed="that of another repository") as memory:
            remarks = memory.write("a", "two\n", append=True).remarks
            with pytest.raises(NoVersion, match="git cannot read the history"):
                memory.show("secret", "HEAD")
        assert len(remarks) == 1
        assert "zkmem trust" in remarks[0]
        assert git(private, "log", "--format=%s") == "private\n"

    def test_to_another_repository(self, tmp_path: pathlib.Path, private: pathlib.Path) -> None:
        vault = tmp_path / "vault"
        write(vault, {"a.md": "one\n", ".git": f"gitdir: {private}/.git\n"})
        self.refused(vault, private, f"leads to {private}/.git")

    def test_by_a_symbolic_link(self, tmp_path: pathlib.Path, private: pathlib.Path) -> None:
        vault = tmp_path / "vault"
        write(vault, {"a.md": "one\n"})
        (vault / ".git").symlink_to(private / ".git")
        self.refused(vault, private, f"leads to {private}/.git")

    def test_by_its_common_folder(self, hostile: Hostile, private: pathlib.Path) -> None:
        (hostile.root / ".git/commondir").write_text(f"{private}/.git\n")
        self.refused(hostile.root, private, "commondir")

    def test_by_the_objects_of_another(self, hostile: Hostile, private: pathlib.Path) -> None:
        (hostile.root / ".git/objects/info").mkdir(exist_ok=True)
        (hostile.root / ".git/objects/info/alternates").write_text(f"{private}/.git/objects\n")
        self.refused(hostile.root, private, "alternates")

    def test_by_a_work_tree_of_its_own(self, hostile: Hostile, private: pathlib.Path) -> None:
        git(hostile.root, "config", "core.worktree", str(private))
        memory = Memory(str(hostile.root), git=True)
        assert "the vault is not in it" in memory.write("a", "two\n").remarks[0]

    @pytest.mark.parametrize("link", ["logs/HEAD", "logs/refs/heads/main", "index", "objects/pack", "refs/heads"])
    def test_by_a_link_that_git_writes_through(self, hostile: Hostile, private: pathlib.Path, link: str) -> None:
        victim, path = private / "victim", hostile.root / ".git" / link
        before = victim.write_text("mine\n")
        path.rename(hostile.root / ".git/moved")
        path.symlink_to(victim)
        self.refused(hostile.root, private, "leads to")
        assert victim.stat().st_size == before

    def test_a_linked_work_tree_and_a_submodule_are_known_to_their_repository(
        self, hostile: Hostile, private: pathlib.Path, tmp_path: pathlib.Path
    ) -> None:
        (hostile.root / ".gitattributes").unlink()
        git(hostile.root, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
        git(hostile.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(private), "inner")
        for vault in (tmp_path / "other", hostile.root / "inner"):
            assert Git(str(vault), "").look().outside == ()
            memory = Memory(str(vault), git=True)
            assert memory.write("new", "N\n").remarks == []
            memory.close()
            assert git(vault, "log", "-1", "--format=%s") == "edit new\n"

    def test_a_head_that_is_on_no_branch_is_moved(self, hostile: Hostile) -> None:
        git(hostile.root, "checkout", "-q", "--detach")
        assert use(hostile) == []
        assert git(hostile.root, "log", "-1", "--format=%s", "HEAD") == "undo of 4: new\n"
        assert git(hostile.root, "branch", "--contains", "HEAD", "--format=%(refname:short)").startswith("(HEAD")

    def test_what_is_no_repository_is_not_made_one(self, tmp_path: pathlib.Path) -> None:
        """`git init` would keep the configuration that is there."""
        write(tmp_path, {"a.md": "one\n", ".git/config": "[core]\n\tfsmonitor = /bin/false\n"})
        with pytest.raises(Unwritable, match="There is no git repository"):
            Memory(str(tmp_path)).set_up(git=True, settings=".zkmem/config.toml")
        assert sorted(os.listdir(tmp_path / ".git")) == ["config"]


def test_the_user_signs_with_their_own_program(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    home = hostile.root.parent / "home"
    own = hostile.root.parent / "sign.sh"
    signature = "printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' own"
    own.write_text(f"#!/bin/sh\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED ' >&2\n{signature}\n")
    own.chmod(0o755)
    write(
        home,
        {".gitconfig": f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {own}\n[user]\n\temail = o@x\n\tname = O\n"},
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert use(hostile) == []
    assert "\n own\n" in git(hostile.root, "cat-file", "commit", "HEAD")
    git(hostile.root, "config", "commit.gpgsign", "false")
    Memory(str(hostile.root), git=True).write("more", "x\n")
    assert "gpgsig" not in git(hostile.root, "cat-file", "commit", "HEAD")
