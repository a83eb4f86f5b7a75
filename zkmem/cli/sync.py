"""The command `sync`, which merges what other machines changed."""

import json
import sys

import click

from zkmem.cli.group import cli, json_option, loaded, vault_option
from zkmem.errors import BadArgument, ZkError
from zkmem.index.copies import SyncCopy
from zkmem.memory import Memory
from zkmem.names import name_of


@cli.command()
@vault_option
@json_option
@click.option(
    "--copies", is_flag=True, help="Merge the conflict copies of Syncthing, Dropbox, iCloud and other services."
)
@click.option("--dry-run", is_flag=True, help="List the copies, and change nothing.")
def sync(vault: str, as_json: bool, copies: bool, dry_run: bool) -> None:
    """Merge notes that were edited on two machines at the same time.

    A synchronisation service keeps one version as the note, and the other as a conflict copy beside it. --copies merges
    each copy into its note, line by line, and moves the copy to the trash. Where both have a line in different words,
    the note keeps its own, and a callout shows the other. The exit code is 1 if a copy could not be merged.
    """
    if not copies:
        raise BadArgument("Nothing was merged: say what to merge, for example `zkmem sync --copies`.")
    with loaded(vault) as memory:
        copies_found = sorted(memory.copies(), key=lambda copy: -len(copy.path))  # a copy of a copy first
        rows = [_row(memory, copy, dry_run=dry_run) for copy in copies_found]
    for row in () if as_json else rows:
        click.echo(": ".join(filter(None, (f"{row['copy']} -> {row['note']}", row["outcome"], row["remark"]))))
    if as_json:
        click.echo(json.dumps({"copies": rows}, ensure_ascii=False))
    elif not rows:
        click.echo("no conflict copies found", err=True)
    sys.exit(1 if any(row["outcome"] == "not merged" for row in rows) else 0)


def _row(memory: Memory, copy: SyncCopy, *, dry_run: bool) -> dict[str, str]:
    """Merge a copy unless this is a dry run; return what was done."""
    row = {"copy": name_of(copy.path), "note": name_of(copy.of), "service": copy.service}
    if dry_run and not copy.is_orphan:
        return row | {"outcome": "would be merged", "remark": ""}
    if copy.is_orphan:
        remark = f"there is no note {row['note']!r}; rename the copy or delete it"
        return row | {"outcome": "not merged", "remark": remark}
    try:
        done = memory.merge_copy("/" + name_of(copy.path))
    except ZkError as error:
        return row | {"outcome": "not merged", "remark": str(error)}
    return row | {"outcome": done.outcome, "remark": "; ".join(done.remarks)}
