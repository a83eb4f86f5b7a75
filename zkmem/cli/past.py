"""The commands on the history of notes, one for each tool."""

import click

from zkmem.cli.group import call, cli, json_option, note_names, vault_option
from zkmem.errors import BadArgument


@cli.command()
@vault_option
@json_option
@click.argument("name", required=False, shell_complete=note_names)
@click.option("--count", default=10, show_default=True, help="How many edits.")
def log(vault: str, as_json: bool, name: str | None, count: int) -> None:
    """List the last edits by tools.

    With NAME, list only the edits of that note. With git on, the edits are the commits.
    """
    call(vault, as_json, "log", {"name": name, "count": count})


@cli.command()
@vault_option
@json_option
@click.argument("name_at_rev", shell_complete=note_names)
def show(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Print an older text of a note.

    REV in NAME@REV is a number or commit from the log, or an etag. With git on, it can be any revision of git.
    """
    name, rev = _at(name_at_rev)
    call(vault, as_json, "show", {"name": name, "rev": rev}, nl=False)


@cli.command()
@vault_option
@json_option
@click.argument("name_at_rev", metavar="NAME[@REV]", shell_complete=note_names)
@click.option("--to", help="The revision to compare with (default: the current text).")
def diff(vault: str, as_json: bool, name_at_rev: str, to: str | None) -> None:
    """Show the changes of a note since REV, or in its last edit."""
    name, rev = _at(name_at_rev) if "@" in name_at_rev else (name_at_rev, None)
    call(vault, as_json, "diff", {"name": name, "rev": rev, "to": to}, nl=False)


@cli.command()
@vault_option
@json_option
@click.argument("name_at_rev", shell_complete=note_names)
def restore(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Restore the text that a note had in REV.

    A deleted note is created again.
    """
    name, rev = _at(name_at_rev)
    call(vault, as_json, "restore", {"name": name, "rev": rev})


@cli.command()
@vault_option
@json_option
@click.argument("count", default=1)
def undo(vault: str, as_json: bool, count: int) -> None:
    """Undo the last edit by a tool, or the last COUNT edits."""
    call(vault, as_json, "undo", {"count": count})


@cli.command()
@vault_option
@json_option
@click.argument("count", default=1)
def redo(vault: str, as_json: bool, count: int) -> None:
    """Redo the edits of the last undo, or of the last COUNT undos."""
    call(vault, as_json, "redo", {"count": count})


def _at(name_at_rev: str) -> tuple[str, str]:
    name, at, rev = name_at_rev.rpartition("@")
    if not at or not name or not rev:
        raise BadArgument(f"{name_at_rev!r} names no revision; give NAME@REV, with a REV from: zkmem log NAME")
    return name, rev
