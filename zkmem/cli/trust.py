"""The commands `trust` and `untrust`: give a vault's own files permissions, and withdraw them."""

import json
import os
import sys
from typing import NamedTuple

import click

from zkmem import config, project, trust
from zkmem.cli.group import cli, given_vault_argument, json_option, print_answer, warn_of_faults
from zkmem.cli.tokens import rights, tokens_of
from zkmem.cli.vault_folder import vault_folder
from zkmem.errors import BadArgument, NoVault
from zkmem.memory import Memory
from zkmem.serve.access.tokens import FILE, Token, TokenFile
from zkmem.serve.mcp.skills import wanted_names
from zkmem.toolsets.tool import line
from zkmem.trust import Trust
from zkmem.util.spelling import printable
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.repository import Repository

_EFFECTS = {
    "toolsets": "a model may use these tools",
    "git": "each edit is committed to the git repository that the vault is in",
    "llm_url": "notes are sent to it, with the key in ZKMEM_LLM_KEY",
    "llm_model": "the model at llm_url that gets them",
    "versions_days": "replaced texts, which an undo needs, are kept for only so many days",
    "versions_mb": "only so many megabytes of replaced texts, which an undo needs, are kept",
    "read_only": "clients over MCP can change notes",
    "durability": "a power cut can take back finished edits",
    "lock_timeout": "an edit waits only so many seconds for another process",
    "max_note_mb": "larger notes are not searched, and cannot be edited",
    "max_body_mb": "larger requests are refused",
    "max_sessions": "further MCP sessions and streams of changes are refused",
    "rate": "further requests in a second are refused",
}


class TrustRequest(NamedTuple):
    """The settings, the git repository and the tokens of a vault that need the user's permission."""

    settings: dict[str, object]
    repository: Repository | None  # its git repository
    token_file: TokenFile
    skills: list[str]  # the names of the notes that are to be skills
    trouble: str = ""  # why git cannot read the repository

    @classmethod
    def of(cls, memory: Memory) -> "TrustRequest":
        """Read the request of a vault. Start no program that it names."""
        vault = memory.vault
        settings, token_file = config.needing_trust(vault), tokens_of(vault).load()
        skills = wanted_names(memory, config.load(vault, {}).skills_folder)
        git = Git(vault, "")
        try:
            return cls(settings, git.look(), token_file, skills)
        except GitTrouble as error:
            return cls(settings, None, token_file, skills, str(error) if git.has_dot_git() else "")

    @property
    def trust(self) -> Trust:
        """Return the permission for the whole request."""
        git = self.repository.fingerprint if self.repository else ""
        tokens = (self.token_file.fingerprint,) if self.token_file.fingerprint else ()
        return Trust(self.settings, git, tokens, bool(self.skills))

    def lines(self) -> list[str]:
        """Return a line for each part of the request, with control characters escaped."""
        lines = [
            f"{name} = {json.dumps(value)} in {config.FILE}: {_EFFECTS[name]}" for name, value in self.settings.items()
        ]
        if self.repository:
            lines += _lines_of(self.repository)
        lines += [f"the token {one.name!r} in {FILE}: {rights(one)}" for one in self.token_file.tokens]
        if not self.token_file.tokens and not self.token_file.is_allowed:
            lines.append(f"a {FILE} without any token: callers on this machine need none")
        if self.skills:
            names = line([], [("notes as skills, which tell a model what to do, these and later ones", self.skills)])
            lines.append(names)
        return [printable(line) for line in lines]


def _lines_of(repository: Repository) -> list[str]:
    """Return a line for each permission that the vault's git repository needs.

    The line about filters is always there, since a file `.gitattributes` may appear later.
    """
    return [
        f"git runs in the repository {repository.top} if git is on: each edit is committed there",
        *(f"{line}: git reads and writes there" for line in repository.outside),
        *(f"{line} in its git repository: git follows it, and may start a program" for line in repository.sets),
        "filters in your own git configuration, such as Git LFS: git runs those that the vault's .gitattributes names",
    ]


@cli.command("trust")
@json_option
@given_vault_argument
@click.option("--yes", is_flag=True, help="Allow it without asking.")
@click.option("--list", "listing", is_flag=True, help="List the vaults and projects with your permissions.")
@click.option("--project", "for_project", is_flag=True, help="Allow the vault that .zkmem-vault names for the project.")
def trust_(as_json: bool, vault: str | None, yes: bool, listing: bool, for_project: bool) -> None:
    """Give the files of a vault the permissions that they need.

    This shows the settings, git programs, tokens and skills in VAULT's own files, and asks whether to allow them. Until
    you allow them they have no effect, but the notes can be read and edited.

    Your permissions are stored in your own configuration folder, for this path. Run the command again when these files
    change. --json asks no question: without --yes it only shows the content of the files.

    --project allows the file .zkmem-vault, in the current folder or above it, to name the vault that it names now.
    """
    if listing:
        _list(as_json)
        return
    if for_project:
        _allow_project(as_json=as_json, yes=yes)
        return
    with Memory(vault_folder(vault)) as memory:
        root, request = memory.vault, TrustRequest.of(memory)
    warn_of_faults(config.faults(root))
    if request.trouble:
        click.echo(printable(f"The git repository cannot be read, so it is not allowed: {request.trouble}"), err=True)
    if not as_json:
        nothing = "nothing else" if request.trouble else "nothing"
        click.echo(f"{root} asks for:" if request.lines() else f"{root} asks for {nothing}.")
        for line in request.lines():
            click.echo(f"  {line}")
    trusted = trust.trusted(root)
    if not (as_json or request.lines() or trusted.skills):
        click.echo("When it has a note that is to be a skill, run this again.")
    requested = request.trust._replace(tokens=trusted.tokens, skills=trusted.skills or bool(request.skills))
    before = allowed = request.token_file.is_allowed and trusted == requested
    if request.lines() and not allowed and (yes or (not as_json and _agreed())):
        trust.allow(root, request.trust)
        allowed = True
    answer = {
        "vault": root, "trusted": allowed, "asks": request.lines(), "skills": request.skills,
        "settings": request.settings, "git": request.repository and request.repository.asks,
        "tokens": [_public(one) for one in request.token_file.tokens],
    }  # fmt: skip
    print_answer(as_json, answer, *([_outcome(allowed, before)] if request.lines() else []))
    sys.exit(0 if not request.trouble and (as_json or allowed or not request.lines()) else 1)


@cli.command()
@json_option
@given_vault_argument
def untrust(as_json: bool, vault: str | None) -> None:
    """Withdraw all permissions of VAULT.

    The folder may be that of a project, and need not exist.
    """
    root = os.path.realpath(os.path.expanduser(vault_folder(None) if vault is None else vault))
    if not trust.forget(root) | project.forget(root):
        raise BadArgument(f"{root!r} has no permissions; `zkmem trust --list` shows the vaults with permissions.")
    print_answer(as_json, {"untrusted": root}, f"no longer trusted: {root}")


def _allow_project(*, as_json: bool, yes: bool) -> None:
    """Show which vault the file of the current project names, and allow it."""
    named = project.nearest()
    if named is None:
        raise BadArgument(f"There is no {project.FILE} here; make it with the path of a vault as its only line.")
    if not os.path.isdir(named.vault):
        raise NoVault(printable(f"{named.file} names the vault {named.vault}, which does not exist; correct the file."))
    if not as_json:
        click.echo(printable(f"{named.file} names the vault {named.vault}"))
        click.echo("  clients that start zkmem in this project read and write the notes there")
    before = allowed = named.is_allowed
    if not allowed and (yes or (not as_json and _agreed())):
        named.allow()
        allowed = True
    answer = {"project": named.file, "vault": named.vault, "trusted": allowed}
    print_answer(as_json, answer, _outcome(allowed, before))
    sys.exit(0 if allowed or as_json else 1)


def _outcome(allowed: bool, before: bool) -> str:
    return "allowed already" if before else "allowed" if allowed else "Nothing was allowed."


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise BadArgument("Nothing was allowed: there is no terminal to ask on. Give --yes to allow it.")
    return click.confirm("Allow this?")


def _public(token: Token) -> dict[str, object]:
    return {key: value for key, value in token._asdict().items() if key not in {"sha256", "created"}}


def _list(as_json: bool) -> None:
    trusted, projects = trust.everything(), project.allowed()
    vaults = [
        {"vault": vault, "settings": one.settings, "git": bool(one.git), "tokens": bool(one.tokens),
         "skills": one.skills}
        for vault, one in trusted.items()
    ]  # fmt: skip
    named = [{"project": file, "vault": vault} for file, vault in projects.items()]
    lines = [f"{vault}: {', '.join(_permissions(one))}" for vault, one in trusted.items()]
    lines += [f"{file}: names {vault}" for file, vault in projects.items()]
    answer = {"trusted": vaults, "projects": named}
    print_answer(as_json, answer, *map(printable, lines or ["No vault has permissions."]))


def _permissions(one: Trust) -> list[str]:
    others = {"its git repository": one.git, "its tokens": one.tokens, "its notes as skills": one.skills}
    return [
        *(f"{name} = {json.dumps(value)}" for name, value in one.settings.items()),
        *(what for what, is_allowed in others.items() if is_allowed),
    ]
