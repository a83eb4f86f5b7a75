"""The command that gives and takes the right to use a vault over HTTP."""

import json
import time

import click

from zkmem.cli.group import cli, json_option, open_memory, vault_option
from zkmem.errors import BadArgument
from zkmem.toolsets.table import OF_A_FOLDER, chosen
from zkmem.vault.names import normal
from zkmem.vault.state import State
from zkmem.vault.tokens import Token, Tokens

_DAY_S = 86_400


@cli.group()
def token() -> None:
    """Give others access over HTTP: once there is a token, a server asks everybody for one."""


@token.command()
@vault_option
@json_option
@click.argument("name")
@click.option("--vault-path", "folder", default="", metavar="FOLDER", help="Reach the notes below FOLDER alone.")
@click.option("--read-only", is_flag=True, help="Read, and change nothing.")
@click.option("--toolsets", default="", help="Toolsets to serve, comma-separated (default: those of the server).")
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="Expire after so many days (default: never).")
def add(vault: str, as_json: bool, name: str, folder: str, read_only: bool, toolsets: str, days: float | None) -> None:
    """Make a token for NAME, and print it: it is not kept, and cannot be shown again."""
    if not name.strip() or not name.isprintable():
        raise BadArgument("A token needs a name of letters: it stands in the history beside what its owner changes.")
    names = tuple(part.strip() for part in toolsets.split(",") if part.strip())
    folder = _folder(folder)
    chosen(names)
    if folder and (wide := [one for one in names if one not in OF_A_FOLDER]):
        raise BadArgument(
            f"The toolset {wide[0]!r} needs the whole vault; a token for a folder can have: {', '.join(OF_A_FOLDER)}."
        )
    expires = time.time() + days * _DAY_S if days else None
    secret = _tokens(vault).add(name, folder=folder, read_only=read_only, toolsets=names, expires=expires)
    if as_json:
        click.echo(json.dumps({"name": name, "token": secret}))
    else:
        click.echo(secret)
        click.echo("Keep it: it cannot be shown again. It is sent as: Authorization: Bearer TOKEN", err=True)


@token.command("list")
@vault_option
@json_option
def listed(vault: str, as_json: bool) -> None:
    """List the tokens and what each may do."""
    tokens = _tokens(vault).all()
    if as_json:
        shown = [{key: value for key, value in one._asdict().items() if key != "sha256"} for one in tokens]
        click.echo(json.dumps({"tokens": shown}, ensure_ascii=False))
    else:
        for one in tokens:
            click.echo(f"{one.name}: {_rights(one)}")


@token.command()
@vault_option
@json_option
@click.argument("name")
def remove(vault: str, as_json: bool, name: str) -> None:
    """Make the token of NAME worthless, at once."""
    _tokens(vault).remove(name)
    click.echo(json.dumps({"removed": name}, ensure_ascii=False) if as_json else f"removed {name}")


def _tokens(vault: str) -> Tokens:
    memory, _ = open_memory(vault)
    return Tokens(State(memory.vault))


def _folder(folder: str) -> str:
    found = normal(folder).strip("/")
    if folder and (not found or any(part.startswith(".") for part in found.split("/"))):
        raise BadArgument(f"{folder!r} is no folder of the vault that a token can be for; give its path from the root.")
    return found


def _rights(one: Token) -> str:
    rights = [
        "reads" if one.read_only else "reads and writes",
        f"below {one.folder}/" if one.folder else "the whole vault",
        *([f"with {', '.join(one.toolsets)}"] if one.toolsets else []),
    ]
    if one.expires is not None:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.expires))
        rights.append(f"expired {when}" if one.is_expired else f"until {when}")
    return " ".join(rights)
