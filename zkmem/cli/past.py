"""The commands on the past of notes, one for each tool."""

import click

from zkmem.cli.group import call, cli, json_option, note_names, vault_option
from zkmem.errors import BadArgument


@cli.command()
@vault_option
@json_option
@click.argument("name", required=False, shell_complete=note_names)
@click.option("--count", default=10, show_default=True, help="How many.")
def log(vault: str, as_json: bool, name: str | None, count: int) -> None:
    """List the last edits by tools.

    They are those of the note NAME, or of all notes; with git on, the commits.
    """
    call(vault, as_json, "log", {"name": name, "count": count})


@cli.command()
@vault_option
@json_option
@click.argument("name_at_rev", shell_complete=note_names)
def show(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Print a note as it was.

    The REV in NAME@REV is one from the log, or an etag, or with git on any revision.
    """
    name, rev = _at(name_at_rev)
    call(vault, as_json, "show", {"name": name, "rev": rev}, nl=False)


@cli.command()
@vault_option
@json_option
@click.argument("name_at_rev", metavar="NAME[@REV]", shell_complete=note_names)
@click.option("--to", help="The revision to compare with (default: the note as it is).")
def diff(vault: str, as_json: bool, name_at_rev: str, to: str | None) -> None:
    """Show how a note changed since REV, or in its last edit."""
    name, rev = _at(name_at_rev) if "@" in name_at_rev else (name_at_rev, None)
    call(vault, as_json, "diff", {"name": name, "rev": rev, "to": to}, nl=False)


@cli.command()
@vault_option
@json_option
@click.argument("name_at_rev", shell_complete=note_names)
def restore(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Give a note the text that it had in NAME@REV.

    A note that was deleted is made anew.
    """
    name, rev = _at(name_at_rev)
    call(vault, as_json, "restore", {"name": name, "rev": rev})


@cli.command()
@vault_option
@json_option
@click.argument("count", default=1)
def undo(vault: str, as_json: bool, count: int) -> None:
    """Take back the last edit by a tool, or the last COUNT."""
    call(vault, as_json, "undo", {"count": count})


@cli.command()
@vault_option
@json_option
@click.argument("count", default=1)
def redo(vault: str, as_json: bool, count: int) -> None:
    """Make again what the last undo took back, or COUNT undos."""
    call(vault, as_json, "redo", {"count": count})


def _at(name_at_rev: str) -> tuple[str, str]:
    name, at, rev = name_at_rev.rpartition("@")
    if not at or not name or not rev:
        raise BadArgument(f"{name_at_rev!r} names no revision; give NAME@REV, with a REV from: zkmem log NAME")
    return name, rev
