"""The command `lsp`: serve a vault to a text editor over stdin and stdout."""

import logging
import os
import signal
import sys

import click

from zkmem.cli.group import cli, given_vault_option, open_memory
from zkmem.cli.vault_folder import vault_around, vault_folder
from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.util.collector import importing


@cli.command()
@given_vault_option
def lsp(vault: str | None) -> None:
    """Serve a vault to a text editor as a language server.

    The editor starts this command and uses its stdin and stdout. The vault is the folder that the editor shows, or the
    nearest one above it with .zkmem/, .obsidian/ or .zkmem-vault, unless --vault or ZKMEM_VAULT names one.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="zkmem: %(levelname)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs each refused request with its traceback
    try:
        with importing(collect=True):  # `attrs` makes each class of the protocol twice: 10 MB of garbage
            from zkmem.lsp.server import serve  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        raise BadSettings(
            "The language server needs a library that is not installed. Install zkmem with its extra `lsp`. In a "
            "clone: uv tool install '.[lsp]', or pipx install --force '.[lsp]', or pip install '.[lsp]'"
        ) from error
    if sys.stdin.isatty():
        click.echo("Text editors start this command and talk to it over standard input. Ctrl-C ends it.", err=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing else can interrupt a thread that reads stdin

    def opened(folder: str | None) -> Memory:
        return open_memory(vault_around(folder) if vault is None and folder else vault_folder(vault))[0]

    code = serve(opened)
    logging.shutdown()
    # the vault is closed: a normal exit would wait for requests that still run, and free the index object by object
    os._exit(code)
