"""The command `token`: make, list and remove the tokens for a vault over HTTP."""

import os
import time
from collections.abc import Iterable

import click

from zkmem.cli.commands import Suggesting
from zkmem.cli.group import can_ask, check_rights, cli, open_memory, print_answer, toolset_names, vault_command
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.store import SignIn, SignInStore
from zkmem.serve.access.tokens import DOUBT, Token, Tokens, described, folder_of_right
from zkmem.toolsets.table import OF_A_FOLDER, chosen
from zkmem.trust import TokenTrust
from zkmem.util.spelling import clock, number_of, printable
from zkmem.vault.journal.state import StateFolder

_DAY_S = 86_400
_SHOWN = ("name", "user", "client", "client_name", "created", "used", "expires", "folder", "read_only")  # of a sign-in
_SECRETS_SHOWN = 5
yes_option = click.option("--yes", is_flag=True, help="Go on although notes look as if they hold a key or a password.")


@cli.group(cls=Suggesting)
def token() -> None:
    """Give others access over HTTP, and withdraw it.

    Once a token exists, a server needs one from everybody.
    """


@vault_command(group=token)
@click.argument("name")
@click.option("--vault-path", "folder", default="", metavar="FOLDER", help="Allow only the notes below FOLDER.")
@click.option("--read-only", is_flag=True, help="Allow reading only.")
@click.option("--propose", is_flag=True, help="Edits wait until a person accepts them: see zkmem proposed.")
@click.option(
    "--toolsets",
    shell_complete=toolset_names,
    default="",
    help="Toolsets to serve, comma-separated (default: those of the server).",
)
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="Days until it expires (default: never).")
@yes_option
def add(
    vault: str,
    as_json: bool,
    name: str,
    folder: str,
    read_only: bool,
    propose: bool,
    toolsets: str,
    days: float | None,
    yes: bool,
) -> None:
    """Make a token for NAME, and print it.

    It cannot be shown again: only a hash of it is stored. If the setting public_url is set and notes look as if they
    hold a key or a password, this names them and asks first; without a terminal, it needs --yes.
    """
    if not name.strip() or not name.isprintable():
        raise BadArgument("A token needs a name of printable characters: the history shows it with each edit.")
    check_rights("token", read_only=read_only, propose=propose)
    names = tuple(part.strip() for part in toolsets.split(",") if part.strip())
    chosen(names)
    memory, settings = open_memory(vault)
    root = memory.vault
    folder = folder_of_right(root, folder)
    if folder and (excluded := [one for one in names if one not in OF_A_FOLDER]):
        raise BadArgument(
            f"The toolset {excluded[0]!r} needs the whole vault; a token for a folder can have only: "
            f"{', '.join(OF_A_FOLDER)}."
        )
    if any(one.name == name for one in SignIns(SignInStore(), root).all()):
        raise BadArgument(f"There is a sign-in {name!r}; choose another name.")
    if settings.public_url:
        check_secrets(memory, folder, yes=yes)
    expires = time.time() + days * _DAY_S if days else None
    secret = tokens_of(root).add(
        name, folder=folder, read_only=read_only, toolsets=names, expires=expires, propose=propose
    )
    print_answer(as_json, {"name": name, "token": secret}, secret)
    if not as_json:
        click.echo("Keep it: it cannot be shown again. Clients send it as: Authorization: Bearer TOKEN", err=True)
    if not os.path.isdir(os.path.join(root, folder)):
        click.echo(f"The vault has no folder {folder!r} yet: until then, the token gives access to no note.", err=True)


@vault_command("list", group=token)
def listed(vault: str, as_json: bool) -> None:
    """List the tokens and the sign-ins, and what each may do."""
    tokens, all_signins = _access(vault)
    file, signins = tokens.load(), all_signins.all()
    rows = [{key: value for key, value in one._asdict().items() if key != "sha256"} for one in file.tokens]
    given = [{key: value for key, value in one._asdict().items() if key in _SHOWN} for one in signins]
    lines = [f"{one.name}: {rights(one)}" for one in file.tokens] + [*map(_line_of, signins)]
    answer = {"tokens": rows, "trusted": file.is_allowed, "signins": given}
    print_answer(as_json, answer, *map(printable, lines))
    if not (lines or as_json):
        click.echo("There are no tokens and no sign-ins. To make a token: zkmem token add NAME", err=True)
    warn(tokens)


def _line_of(signin: SignIn) -> str:
    text = described(signin.folder, read_only=signin.read_only)
    used = f"last used {clock(signin.used)}" if signin.used else "not used yet"
    return f"{signin.name}: {text} until {clock(signin.expires)}, {used} ({signin.client_name})"


@vault_command(group=token)
@click.argument("name")
def remove(vault: str, as_json: bool, name: str) -> None:
    """Remove the token or sign-in NAME; it is invalid at once."""
    tokens, signins = _access(vault)
    if signin := signins.end(name):
        audit_ends([signin], "removed with zkmem token remove")
    else:
        tokens.remove(name)
    print_answer(as_json, {"removed": name}, f"removed {name}")
    warn(tokens)


def check_secrets(memory: Memory, folder: str, *, yes: bool) -> None:
    """Name the notes below a folder that look as if they hold a secret, before somebody else may read them."""
    if yes or not (sentences := memory.secrets(folder)):
        return
    for sentence in sentences[:_SECRETS_SHOWN]:
        click.echo(printable(sentence), err=True)
    if len(sentences) > _SECRETS_SHOWN:
        click.echo(f"and {len(sentences) - _SECRETS_SHOWN} more", err=True)
    if not (can_ask() and click.confirm("Let others read them over the network?", err=True)):
        count = number_of(len(sentences), "note looks as if it holds", "notes look as if they hold")
        raise BadArgument(f"Nothing was done: {count} a key or a password. Take it out, or give --yes.")


def audit_ends(signins: Iterable[SignIn], reason: str) -> None:
    """Add to the audit logs of their vaults that sign-ins have ended."""
    for one in signins:
        if os.path.isdir(one.vault):
            Audit(StateFolder(one.vault)).add_event(one.name, "", "sign-in ended", reason=reason)


def tokens_of(vault: str) -> Tokens:
    """Return the tokens of a vault; they are valid only if the user has allowed them."""
    root = os.path.realpath(vault)
    return Tokens(StateFolder(root), TokenTrust(root))


def warn(tokens: Tokens) -> None:
    """Print a warning to stderr if the tokens are not valid, and how to go on."""
    if not tokens.load().is_allowed:
        click.echo(f"{DOUBT}. To go on, {tokens.remedy}.", err=True)


def _access(vault: str) -> tuple[Tokens, SignIns]:
    """Return the tokens and the sign-ins of a vault."""
    root = open_memory(vault)[0].vault
    return tokens_of(root), SignIns(SignInStore(), root)


def rights(one: Token) -> str:
    """Describe what the holder of a token may do."""
    text = described(one.folder, read_only=one.read_only, propose=one.propose, toolsets=one.toolsets)
    if one.expires is None:
        return text
    return f"{text}, expired {clock(one.expires)}" if one.is_expired else f"{text} until {clock(one.expires)}"
