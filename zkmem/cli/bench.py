"""The command `bench`: measure zkmem on a copy of the user's notes."""

import json

import click

from zkmem.cli.group import cli, json_option, vault_argument
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.util.spelling import number_of
from zkmem.vault import platform


@cli.command()
@json_option
@vault_argument
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How often to load, and to rename a note and back.",
)
def bench(as_json: bool, vault: str, runs: int) -> None:
    """Measure zkmem on a copy of your notes.

    The notes in VAULT stay as they are. Most medians have a floor: the time of the work that no program can avoid,
    measured in the same run. The ratio of the two says how fast zkmem is, whatever the machine; compare it with the
    ratio on other machines. The last line says whether a part of this machine is slow. The copy is in the folder for
    temporary files (TMPDIR) and is removed at the end. Files that are not notes are copied without their content.
    """
    from zkmem.cli import measures, sandbox, trials  # noqa: PLC0415 - no other command needs these

    root = Memory(vault).vault
    with sandbox.copied(root, _say) as box:
        if not box.notes:
            raise BadArgument(f"There is no note in {root!r}; name a vault with notes to measure.")
        _say(f"Copied {number_of(box.notes, 'note')}, {_size(box.size)}")
        rows = list(trials.rows(box.vault, box.cache, runs, _say))
    slow = measures.slow_parts(rows, box.notes, remote=platform.current.is_remote(root))
    if as_json:
        about = {
            "vault": root, "notes": box.notes, "bytes": box.size, "rows": [row.data() for row in rows], "slow": slow,
        }  # fmt: skip
        click.echo(json.dumps(about, ensure_ascii=False))
    else:
        click.echo(f"{number_of(box.notes, 'note')}, {_size(box.size)}\n")
        click.echo("\n".join([*measures.table(rows), "", slow]))


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count:,} bytes"


def _say(sentence: str) -> None:
    click.echo(sentence, err=True)
