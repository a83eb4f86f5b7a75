"""The commands on a vault as a whole: make it, check it, watch it."""

import contextlib
import json
import os
import sys
import threading

import click

from zkmem import config, trust
from zkmem.cli.group import cli, given_vault_argument, json_option, loaded, open_memory, vault_option
from zkmem.cli.vault_folder import checked
from zkmem.errors import BadArgument
from zkmem.index.check import grouped
from zkmem.memory import Memory
from zkmem.trust import Trust
from zkmem.vault.git.command import Git
from zkmem.vault.journal.state import unwritable


@cli.command()
@json_option
@given_vault_argument
@click.option("--git", is_flag=True, help="Keep the history in git: make a repository, and set git = true.")
def init(as_json: bool, vault: str | None, git: bool) -> None:
    """Make a folder a vault.

    The folder is VAULT, else the one in ZKMEM_VAULT, else the current one. It is made if it is missing, and .zkmem/ in
    it, by which commands know it for a vault.
    """
    vault = checked("." if vault is None else vault)
    try:
        os.makedirs(os.path.expanduser(vault), exist_ok=True)
    except OSError as error:
        raise BadArgument(f"The folder {vault!r} cannot be made: {error.strerror}.") from error
    memory = Memory(vault)
    had_settings = os.path.lexists(os.path.join(memory.vault, config.FILE))
    try:
        turned_on = git and config.turn_on(memory.vault, "git")
    except OSError as error:
        raise unwritable(error) from error
    done = memory.set_up(git=git, settings=config.FILE)
    made = any("was made" in line for line in done)
    if made:
        done.append("commit the notes that are there with: git add -A && git commit")
    if git:
        allowed = "" if turned_on else ", which was there already, is allowed"
        done.append(f"git = true in {config.FILE}{allowed}: each edit by a tool will be a commit")
        done += _trust_own(memory.vault, made=made and not had_settings)
    click.echo(json.dumps({"vault": memory.vault, "done": done}, ensure_ascii=False) if as_json else "\n".join(done))


def _trust_own(root: str, *, made: bool) -> list[str]:
    """Allow a vault `git = true`; return lines to tell the user.

    The repository is allowed too if it was `made` just now, in a folder that had no settings: another folder may be
    somebody else's, and its `.gitattributes` would choose filters of the user's own configuration.
    """
    known, place = trust.trusted(root), Git(root, "").look()
    trust.allow(root, Trust({**known.settings, "git": True}, place.fingerprint if made else known.git, known.tokens))
    if made or not place.asks or known.git == place.fingerprint:
        return []
    return ["some settings of the repository itself have no effect until you allow them: see `zkmem trust`"]


@cli.command()
@vault_option
@json_option
def check(vault: str, as_json: bool) -> None:
    """List broken links and other things to look at.

    These are missing or ambiguous targets of links, unreadable files, odd names. The exit code is 1 if there are any.
    A target is a note, or a heading or block of one. One that several notes link to is listed once, with their number.
    If another order of hints would serve the vault better, standard error says so; the exit code stays the same.
    """
    with loaded(vault) as memory:
        found, advice = memory.check(), memory.advice()
        notes, links = memory.counts()
    if as_json:
        findings = [finding._asdict() for finding in found]
        answer = {"notes": notes, "links": links, "findings": findings, "advice": advice and advice._asdict()}
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        for group in grouped(found):
            click.echo(group)
        click.echo(f"notes: {notes}, links: {links}, findings: {len(found)}", err=True)
        if advice:
            click.echo(f"advice: {advice.sentence}", err=True)
    sys.exit(1 if found else 0)


@cli.command()
@vault_option
def watch(vault: str) -> None:
    """Print the name of each note that changes, until Ctrl-C."""
    memory, _ = open_memory(vault)
    memory.listen(lambda names: click.echo("\n".join(names)))
    memory.start()
    memory.load()
    click.echo(f"watching {memory.vault}", err=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    memory.close()
