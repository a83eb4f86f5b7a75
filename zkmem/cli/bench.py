"""The command that measures zkmem on the user's own notes: on a copy of them, which is removed in the end."""

import json

import click

from zkmem.cli.group import cli, json_option, vault_argument
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.util.spelling import number_of


@cli.command()
@json_option
@vault_argument
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How often to load; and to rename, there and back.",
)
def bench(as_json: bool, vault: str, runs: int) -> None:
    """Measure zkmem on a copy of your notes.

    The notes in VAULT stay as they are. Most medians stand beside a floor: the least that any program had to do,
    measured in the same run. The copy is made in the folder for temporary files (TMPDIR) and removed in the end; other
    files of the vault are copied empty.
    """
    from zkmem.cli import measures, sandbox, trials  # noqa: PLC0415 - no other command needs these

    root = Memory(vault).vault
    with sandbox.copied(root, _say) as box:
        if not box.notes:
            raise BadArgument(f"There is no note in {root!r} to measure with.")
        _say(f"Copied {number_of(box.notes, 'note')}, {_size(box.size)}")
        rows = list(trials.rows(box.vault, box.cache, runs, _say))
    if as_json:
        about = {"vault": root, "notes": box.notes, "bytes": box.size, "rows": [row.data() for row in rows]}
        click.echo(json.dumps(about, ensure_ascii=False))
    else:
        click.echo(f"{number_of(box.notes, 'note')}, {_size(box.size)}\n")
        click.echo("\n".join(measures.table(rows)))


def _size(many: int) -> str:
    return f"{many / 1e6:.1f} MB" if many >= 100_000 else f"{many:,} bytes"


def _say(what: str) -> None:
    click.echo(what, err=True)
