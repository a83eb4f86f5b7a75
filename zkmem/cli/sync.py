"""The commands `sync` and `clone`: share a vault with other machines."""

import functools
import os
import re
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from zkmem import config, trust
from zkmem.cli.config import turn_on
from zkmem.cli.group import (
    can_ask,
    cli,
    counted,
    json_option,
    loaded,
    open_memory,
    print_answer,
    terminable,
    vault_command,
)
from zkmem.cli.vault import absolute
from zkmem.cli.vault_folder import checked
from zkmem.errors import BadArgument, BadSettings, SecretsRefused, SyncRefused, ZkError
from zkmem.memory import Memory
from zkmem.names import name_of
from zkmem.sync.cloning import clone_vault
from zkmem.util.spelling import number_of, printable
from zkmem.vault.git.command import Git

if TYPE_CHECKING:
    from zkmem.memory import SyncCopy


@vault_command()
@click.option(
    "--copies", is_flag=True, help="Merge the conflict copies of Syncthing, Dropbox, iCloud and other services instead."
)
@click.option("--dry-run", is_flag=True, help="Print what would be done, and change no file of the vault.")
@click.option(
    "--remote",
    help="The name or the address of the git remote (default: the setting sync_remote). A path begins at the current "
    "folder.",
)
@click.option(
    "--accept-deletions",
    is_flag=True,
    help="Accept that more than 20 notes, and more than a fifth of all, were deleted.",
)
@click.option("--accept-rewritten", is_flag=True, help="Merge with a remote whose history was rewritten.")
@click.option(
    "--accept-unrelated", is_flag=True, help="Merge with a remote that has no commit in common with the vault."
)
@click.option("--yes", is_flag=True, help="Push notes although they look as if they hold a key or a password.")
def sync(
    vault: str, as_json: bool, copies: bool, dry_run: bool, remote: str | None, yes: bool, **accepted: bool
) -> None:
    """Merge the vault with those on other machines.

    The machines share a git remote. This commits all edits in the vault, fetches, merges notes and links, and pushes.
    Links still lead to the right notes if another machine has renamed them. If two machines changed the same lines, the
    note has the newer ones, and a callout below shows the others. If the remote cannot be reached, a line says so, and
    the exit code is 0.

    If a note looks as if it holds a key or a password that the remote does not have yet, nothing is pushed before you
    agree, or give --yes. What others have pushed is merged all the same.

    If another service synchronises the folder, use --copies: it merges the copies that the service keeps beside a note
    into the note, and moves them to the trash. The exit code is then 1 if a copy could not be merged.
    """
    if copies:
        if remote or yes or any(accepted.values()):
            raise BadArgument("--copies uses no remote; leave out --remote, --yes and each --accept option.")
        _sync_copies(vault, as_json=as_json, dry_run=dry_run)
    if remote is not None and not remote.strip():
        raise BadArgument("The remote is empty; give its name or its address.")
    if remote and "/" in remote:
        remote = absolute(remote)
    memory, settings = open_memory(vault, git=True, sync_remote=remote)
    with memory:
        shown = memory.on_behalf(progress=counted("Indexing", "notes"))
        synchronise = functools.partial(
            shown.sync, settings.sync_remote, settings.sync_branch, dry_run=dry_run, **accepted
        )
        try:
            report = synchronise(accept_secrets=yes)
        except SecretsRefused as error:
            if as_json or dry_run or not can_ask():
                raise
            _confirm(error)
            report = synchronise(accept_secrets=True)
    print_answer(as_json, report.to_json(), *map(printable, report.lines()))


def _confirm(refused: SecretsRefused) -> None:
    """Ask whether to push what looks like a key."""
    click.echo(printable(f"The remote would get what looks like a key: {refused.found}."), err=True)
    if not click.confirm("Push it all the same?", err=True):
        raise SyncRefused(f"Nothing was pushed{refused.remark}.") from None


@cli.command()
@json_option
@click.argument("url")
@click.argument("folder", required=False, metavar="[DIR]")
def clone(as_json: bool, url: str, folder: str | None) -> None:
    """Copy a vault from a git remote to a new folder.

    The folder is DIR, else the last part of the URL. Edits by tools in this folder are committed to git, and
    `zkmem sync` exchanges edits with the remote.
    """
    named = folder or re.sub(r"\.git/?$|/$", "", url).rpartition("/")[2].rpartition(":")[2]
    root, source = os.path.realpath(os.path.expanduser(checked(named))), absolute(url)
    if os.path.isdir(root) and (there := sorted(os.listdir(root))):
        raise BadArgument(f"The folder {named!r} is not empty: it has {there[0]!r}. Name another folder.")
    with terminable():
        memory = Memory(clone_vault(source, root))
    memory.set_up(git=False, settings=config.FILE)
    permissions = trust.trusted(memory.vault)
    repository = Git(memory.vault, "").look()
    trust.allow(
        memory.vault, permissions._replace(settings={**permissions.settings, "git": True}, git=repository.fingerprint)
    )
    try:
        turn_on(memory.vault, "git")
    except BadSettings as error:  # the remote's file of settings
        click.echo(f"Edits by tools will not be committed to git. {error}", err=True)
    notes, _ = memory.counts()
    done = f"{number_of(notes, 'note')} in {memory.vault}"
    print_answer(as_json, {"vault": memory.vault, "notes": notes}, done)


def _sync_copies(vault: str, *, as_json: bool, dry_run: bool) -> NoReturn:
    """Merge the conflict copies of other services, and exit."""
    with loaded(vault) as memory:
        copies_found = sorted(memory.copies(), key=lambda copy: -len(copy.path))  # a copy of a copy first
        rows = [_row(memory, copy, dry_run=dry_run) for copy in copies_found]
    parts = ((f"{row['copy']} -> {row['note']}", row["outcome"], row["remark"]) for row in rows)
    print_answer(as_json, {"copies": rows}, *(": ".join(filter(None, one)) for one in parts))
    if not (as_json or rows):
        click.echo("no conflict copies found", err=True)
    sys.exit(1 if any(row["outcome"] == "not merged" for row in rows) else 0)


def _row(memory: Memory, copy: "SyncCopy", *, dry_run: bool) -> dict[str, str]:
    """Merge a copy unless this is a dry run; return what was done."""
    row = {"copy": name_of(copy.path), "note": name_of(copy.of), "service": copy.service}
    if dry_run and not copy.is_orphan:
        return row | {"outcome": "would be merged", "remark": ""}
    if copy.is_orphan:
        remark = f"there is no note {row['note']!r}; rename the copy or delete it"
        return row | {"outcome": "not merged", "remark": remark}
    try:
        done = memory.merge_copy("/" + name_of(copy.path), "/" + name_of(copy.of))
    except ZkError as error:
        return row | {"outcome": "not merged", "remark": str(error)}
    return row | {"outcome": done.outcome, "remark": "; ".join(done.remarks)}
