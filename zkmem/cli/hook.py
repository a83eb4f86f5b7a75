"""The command `hook`: its help, and what the shell completes. `hook_process` runs it without this module."""

import click

from zkmem.cli import hook_process
from zkmem.cli.group import cli, completed, toolset_names
from zkmem.clients.events import EVENTS, HOOK_CLIENTS


@cli.command()
@click.argument("event", type=click.Choice(EVENTS))
@click.option("--client", required=True, type=click.Choice(list(HOOK_CLIENTS)), help="The client that runs the hook.")
@click.option(
    "-C",
    "--vault",
    metavar="DIR",
    shell_complete=completed,
    help=f"The vault (default: {hook_process.VARIABLE}, else the nearest folder with .zkmem/ or .zkmem-vault).",
)
@click.option(
    "--folder", default="", metavar="FOLDER", help="Give the model only notes below this folder of the vault."
)
@click.option(
    "--toolsets",
    default="",
    shell_complete=toolset_names,
    help="The toolsets of the client's entry (default: the setting).",
)
@click.option("--read-only", is_flag=True, help="Never ask the model to write: the client's entry only reads.")
def hook(event: str, client: str, vault: str | None, folder: str, toolsets: str, read_only: bool) -> None:
    """Give notes to the model of a client that runs hooks.

    `zkmem install` adds the hooks to a client. The command reads the client's JSON on standard input and prints the
    client's JSON, or nothing. If a server of the vault is running (`zkmem serve --mode http`), it answers; if not,
    the command answers by itself from the cache. It changes no note, takes at most `hook_ms` milliseconds, and always
    exits with code 0.
    """
    hook_process.run(hook_process.Arguments(event, client, vault or "", folder, toolsets, read_only))
