"""The commands on a vault as a whole: make it, check it, watch it."""

import contextlib
import json
import os
import sys
import threading

import click

from zkmem import config
from zkmem.cli.group import cli, json_option, loaded, open_memory, vault_argument, vault_option
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.vault.state import unwritable


@cli.command()
@json_option
@vault_argument
@click.option("--git", is_flag=True, help="Keep the history in git: make a repository, and set git = true.")
def init(as_json: bool, vault: str, git: bool) -> None:
    """Make a folder a vault (any folder is one; this makes it if it is missing, and the state in .zkmem/)."""
    try:
        os.makedirs(os.path.expanduser(vault), exist_ok=True)
    except OSError as error:
        raise BadArgument(f"The folder {vault!r} cannot be made: {error.strerror}.") from error
    memory = Memory(vault)
    try:
        turned_on = git and config.turn_on(memory.vault, "git")
    except OSError as error:
        raise unwritable(error) from error
    done = memory.set_up(git=git, settings=config.FILE)
    if any("was made" in line for line in done):
        done.append("commit the notes that are there with: git add -A && git commit")
    if turned_on:
        done.append(f"git = true in {config.FILE}: each edit by a tool will be a commit")
    click.echo(json.dumps({"vault": memory.vault, "done": done}, ensure_ascii=False) if as_json else "\n".join(done))


@cli.command()
@vault_option
@json_option
def check(vault: str, as_json: bool) -> None:
    """List what to look at: missing links, ambiguous ones, unreadable files, odd names. Exit code 1 if any."""
    with loaded(vault) as memory:
        found = memory.check()
        notes, links = memory.counts()
    if as_json:
        findings = [finding._asdict() for finding in found]
        click.echo(json.dumps({"notes": notes, "links": links, "findings": findings}, ensure_ascii=False))
    else:
        for finding in found:
            click.echo(f"{finding.kind}: {finding.note}: {finding.detail}")
        click.echo(f"notes: {notes}, links: {links}, findings: {len(found)}", err=True)
    sys.exit(1 if found else 0)


@cli.command()
@vault_option
def watch(vault: str) -> None:
    """Print the name of each note that changes, until interrupted."""
    memory, _ = open_memory(vault)
    memory.listen(lambda names: click.echo("\n".join(names)))
    memory.start()
    memory.load()
    click.echo(f"watching {memory.vault}", err=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    memory.close()
