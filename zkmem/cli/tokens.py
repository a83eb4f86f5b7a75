"""The command that gives and takes the right to use a vault over HTTP."""

import json
import os
import time

import click

from zkmem.cli.commands import Suggesting
from zkmem.cli.group import cli, json_option, open_memory, printable, vault_option
from zkmem.errors import BadArgument
from zkmem.serve.access.tokens import DOUBT, Token, Tokens, folder_on_disk
from zkmem.toolsets.table import OF_A_FOLDER, chosen
from zkmem.trust import TokenTrust
from zkmem.vault.journal.state import State

_DAY_S = 86_400


@cli.group(cls=Suggesting)
def token() -> None:
    """Give others access over HTTP, and take it back.

    Once there is a token, a server asks everybody for one.
    """


@token.command()
@vault_option
@json_option
@click.argument("name")
@click.option("--vault-path", "folder", default="", metavar="FOLDER", help="Reach the notes below FOLDER alone.")
@click.option("--read-only", is_flag=True, help="Read, and change nothing.")
@click.option("--toolsets", default="", help="Toolsets to serve, comma-separated (default: those of the server).")
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="Expire after so many days (default: never).")
def add(vault: str, as_json: bool, name: str, folder: str, read_only: bool, toolsets: str, days: float | None) -> None:
    """Make a token for NAME, and print it.

    It is not kept, and cannot be shown again.
    """
    if not name.strip() or not name.isprintable():
        raise BadArgument("A token needs a name of letters: it stands in the history beside what its owner changes.")
    names = tuple(part.strip() for part in toolsets.split(",") if part.strip())
    chosen(names)
    root = open_memory(vault)[0].vault
    folder = _folder(root, folder)
    if folder and (wide := [one for one in names if one not in OF_A_FOLDER]):
        raise BadArgument(
            f"The toolset {wide[0]!r} needs the whole vault; a token for a folder can have: {', '.join(OF_A_FOLDER)}."
        )
    expires = time.time() + days * _DAY_S if days else None
    secret = tokens_of(root).add(name, folder=folder, read_only=read_only, toolsets=names, expires=expires)
    if as_json:
        click.echo(json.dumps({"name": name, "token": secret}))
    else:
        click.echo(secret)
        click.echo("Keep it: it cannot be shown again. It is sent as: Authorization: Bearer TOKEN", err=True)
    if not os.path.isdir(os.path.join(root, folder)):
        click.echo(f"The vault has no folder {folder!r} yet: until it has, the token reaches no note.", err=True)


@token.command("list")
@vault_option
@json_option
def listed(vault: str, as_json: bool) -> None:
    """List the tokens and what each may do."""
    tokens = _tokens(vault)
    held = tokens.load()
    if as_json:
        shown = [{key: value for key, value in one._asdict().items() if key != "sha256"} for one in held.tokens]
        click.echo(json.dumps({"tokens": shown, "trusted": held.is_allowed}, ensure_ascii=False))
    else:
        for one in held.tokens:
            click.echo(printable(f"{one.name}: {rights(one)}"))
        if not held.tokens:
            click.echo("There is no token; make one with: zkmem token add NAME", err=True)
    warn(tokens)


@token.command()
@vault_option
@json_option
@click.argument("name")
def remove(vault: str, as_json: bool, name: str) -> None:
    """Make the token of NAME worthless, at once."""
    tokens = _tokens(vault)
    tokens.remove(name)
    click.echo(json.dumps({"removed": name}, ensure_ascii=False) if as_json else f"removed {name}")
    warn(tokens)


def tokens_of(vault: str) -> Tokens:
    """The tokens of a vault; they count as far as its user has allowed them."""
    root = os.path.realpath(vault)
    return Tokens(State(root), TokenTrust(root))


def warn(tokens: Tokens) -> None:
    """Say on stderr if the tokens do not count, and how to go on."""
    if not tokens.load().is_allowed:
        click.echo(f"{DOUBT}. To go on, {tokens.remedy}.", err=True)


def _tokens(vault: str) -> Tokens:
    memory, _ = open_memory(vault)
    return tokens_of(memory.vault)


def _folder(root: str, folder: str) -> str:
    found = folder.strip("/")
    if folder and any(part[:1] in {"", "."} for part in found.split("/")):
        raise BadArgument(f"{folder!r} is no folder of the vault that a token can be for; give its path from the root.")
    return folder_on_disk(root, found) if found else ""


def rights(one: Token) -> str:
    """What the holder of a token may do."""
    parts = [
        "reads" if one.read_only else "reads and writes",
        f"below {one.folder}/" if one.folder else "the whole vault",
        *([f"with {', '.join(one.toolsets)}"] if one.toolsets else []),
    ]
    told = " ".join(parts)
    if one.expires is None:
        return told
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.expires))
    return f"{told}, expired {when}" if one.is_expired else f"{told} until {when}"
