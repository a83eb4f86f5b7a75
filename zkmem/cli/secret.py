"""Ask before notes that look as if they hold a secret leave this machine."""

import sys

import click

from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.util.spelling import number_of, printable

_SHOWN = 5
yes_option = click.option("--yes", is_flag=True, help="Go on although notes look as if they hold a key or a password.")


def can_ask() -> bool:
    """Return whether there is a terminal to ask on."""
    return sys.stdin is not None and sys.stdin.isatty()


def check_secrets(memory: Memory, folder: str, *, yes: bool) -> None:
    """Name the notes below a folder that look as if they hold a secret, before somebody else may read them."""
    if yes or not (sentences := memory.secrets(folder)):
        return
    for sentence in sentences[:_SHOWN]:
        click.echo(printable(sentence), err=True)
    if len(sentences) > _SHOWN:
        click.echo(f"and {len(sentences) - _SHOWN} more", err=True)
    if not (can_ask() and click.confirm("Let others read them over the network?", err=True)):
        count = number_of(len(sentences), "note looks as if it holds", "notes look as if they hold")
        raise BadArgument(f"Nothing was done: {count} a key or a password. Take it out, or give --yes.")
