"""The commands on a whole vault: `init`, `check`, `watch`, `import` and `export`."""

import os
import shlex
import shutil
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

import click

from zkmem import config, trust
from zkmem.cli.config import turn_on
from zkmem.cli.group import (
    cli,
    counted,
    given_vault_argument,
    json_option,
    loaded,
    open_memory,
    print_answer,
    vault_command,
    vault_option,
)
from zkmem.cli.vault_folder import checked
from zkmem.errors import BadArgument, Taken, Unwritable
from zkmem.memory import FIRST_HINT, Memory
from zkmem.names import ENTRY, NOTE_SUFFIX, fold
from zkmem.util.spelling import number_of, told_apart
from zkmem.vault.files import create
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.remote import PROTOCOLS, is_forbidden, local_path, trouble
from zkmem.vault.paths import is_hidden

if TYPE_CHECKING:
    from zkmem.memory import Finding

_SHOWN = 3  # notes of a group of findings that are named


@cli.command()
@json_option
@given_vault_argument
@click.option("--git", is_flag=True, help="Keep the history in git: make a repository, and set git = true.")
@click.option("--remote", metavar="URL", help="With --git: share the vault with other machines through this remote.")
def init(as_json: bool, vault: str | None, git: bool, remote: str | None) -> None:
    """Make a folder a vault.

    The folder is VAULT, else the one in ZKMEM_VAULT, else the current one. It is made if it is missing. A folder
    .zkmem/ in it marks it as a vault for the other commands. The note `hint`, where readers begin, is made, too.
    """
    vault = checked("." if vault is None else vault)
    if remote and not git:
        raise BadArgument("A remote needs a repository: add --git.")
    if remote:
        remote = absolute(remote)
        check_can_share(remote, vault)
    if git and not shutil.which("git"):
        raise Unwritable("The command git is not installed; nothing was changed. Install git, or leave out --git.")
    try:
        os.makedirs(os.path.expanduser(vault), exist_ok=True)
    except OSError as error:
        raise BadArgument(f"The folder {vault!r} cannot be made: {error.strerror}.") from error
    memory = Memory(vault)
    if remote and Git(memory.vault, "").has_dot_git():
        _add_remote(memory.vault, remote, made=False)  # if it is not allowed or has another one, nothing is changed
    had_settings = os.path.lexists(os.path.join(memory.vault, config.FILE))
    turned_on = git and turn_on(memory.vault, "git")
    done = memory.set_up(git=git, settings=config.FILE)
    made = any("was made" in line for line in done)
    if made and not remote and not all(map(is_hidden, os.listdir(memory.vault))):
        in_vault = f"git -C {shlex.quote(memory.vault)}"
        done.append(f"to commit the existing notes: {in_vault} add -A && {in_vault} commit")
    if git:
        allowed = "" if turned_on else ", which was set already, is allowed"
        done.append(f"git = true in {config.FILE}{allowed}: each edit by a tool will be a commit")
        done += _trust_own(memory.vault, made=made and not had_settings)
    if remote:
        done += _add_remote(memory.vault, remote, made=made)
    done += _make_hint(memory)
    print_answer(as_json, {"vault": memory.vault, "done": done}, *done)


def _make_hint(memory: Memory) -> list[str]:
    """Create the note `hint` unless a note has this name, in whatever folder; return lines to print."""
    if memory.exists(ENTRY):
        return []
    has_notes, file = len(memory) > 0, f"{ENTRY}{NOTE_SUFFIX}"
    try:
        create(os.path.join(memory.vault, file), FIRST_HINT.encode(), durable=False)
    except OSError as error:
        raise Unwritable(f"The note {file!r} cannot be made: {error.strerror}.") from error
    advice = "; `zkmem hint --propose` drafts it from the links of your notes" if has_notes else ""
    return [f"the note {ENTRY} was made: models and people begin to read there{advice}"]


def absolute(address: str) -> str:
    """Return the address of a remote; if it is a folder on this machine, as an absolute path.

    A relative path begins at the current folder, and `~` is the home folder.
    """
    folder = local_path(os.path.expanduser(address), os.getcwd())
    return address if folder is None or address.startswith("file://") else folder


def check_can_share(address: str, vault: str) -> None:
    """Check that zkmem can reach a remote, and that one on this machine is a repository that takes pushes."""
    folder, root = local_path(address, os.getcwd()), os.path.realpath(os.path.expanduser(vault))
    if is_forbidden(address):
        raise BadArgument(f"The remote {address!r} cannot be used: zkmem supports only the protocols {PROTOCOLS}.")
    if folder is None:
        return
    remedy = f"make one with: git init --bare {shlex.quote(folder)}"
    if not os.path.isdir(folder):
        raise BadArgument(f"There is no repository at {folder!r}; {remedy}")
    if f"{folder}/".startswith(f"{root}/"):
        raise BadArgument(f"The remote {folder!r} is inside the vault; choose a folder outside of it.")
    if os.path.lexists(os.path.join(folder, ".git")):
        remedy = f"choose another folder, and {remedy}"
        raise BadArgument(f"{folder!r} has a work tree (it is not bare), so it takes no pushes; {remedy}")
    try:
        Git(folder, "").heads(folder)
    except GitTrouble as error:
        raise BadArgument(f"{folder!r} cannot be used as a repository ({error}); {remedy}") from error


def _add_remote(root: str, url: str, *, made: bool) -> list[str]:
    """Let the repository share its commits through the remote `origin`; return lines to print.

    If the repository was `made` just now, its branch gets the name of the remote's default branch. Another repository
    must be one that the user has allowed: its configuration may lead outside.
    """
    git, lines = Git(root, "", None if made else trust.trusted(root).git), list[str]()
    try:
        git.add_remote(url)
    except GitTrouble as error:
        raise Unwritable(f"The remote was not added: {error}.") from error
    if made:
        try:
            if branch := git.default_branch(url):
                git.rename_branch(branch)
        except GitTrouble as error:
            lines.append(
                f"{trouble(url, str(error))}, so its default branch is not known; to give the branch here the same "
                f"name: git -C {shlex.quote(root)} branch -m NAME"
            )
        git.track()
    return [
        *lines,
        f"`zkmem sync` merges the vault with those of other machines; there: zkmem clone {shlex.quote(url)}",
    ]


def _trust_own(root: str, *, made: bool) -> list[str]:
    """Allow `git = true` in a vault's file; return lines to print.

    Allow the repository, too, if it was `made` just now in a folder without settings. Another folder may be somebody
    else's, and its repository could start programs.
    """
    trusted, repository = trust.trusted(root), Git(root, "").look()
    fingerprint = repository.fingerprint if made else trusted.git
    trust.allow(root, trusted._replace(settings={**trusted.settings, "git": True}, git=fingerprint))
    if fingerprint == repository.fingerprint:
        return []
    return [f"zkmem does not know whose folder this was, so git runs only after: zkmem trust {shlex.quote(root)}"]


@vault_command()
def check(vault: str, as_json: bool) -> None:
    """List broken links and other things to look at.

    These are links whose target is missing or ambiguous, unreadable files, unusual names, properties with several
    types, and .base files that cannot be read. The exit code is 1 if there are any. A target is a note, or a heading or
    block in a note. A target of several links is listed once, with the number of notes. If another order of hints would
    suit the vault better, a line on standard error says so.
    """
    with loaded(vault) as memory:
        findings, advice = memory.check(), memory.advice()
        notes, links = memory.counts()
    rows, groups = [finding._asdict() for finding in findings], _grouped(findings)
    answer = {"notes": notes, "links": links, "findings": rows, "advice": advice and advice._asdict()}
    print_answer(as_json, answer, *groups)
    if not as_json:
        click.echo(f"notes: {notes}, links: {links}, findings: {len(groups)}", err=True)
        if advice:
            click.echo(f"advice: {advice.sentence}", err=True)
    sys.exit(1 if findings else 0)


def _grouped(findings: "Iterable[Finding]") -> list[str]:
    """Return a line for each group of findings, ordered by kind; findings about links to one target are one group.

    Within a kind, the group with the most notes is first.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for one in findings:
        key = (one.kind, fold(one.detail)) if one.target else (one.kind, one.detail, one.note)
        groups.setdefault(key, []).append(one)
    return [_line_of(group) for group in sorted(groups.values(), key=lambda group: (group[0].kind, -len(group)))]


def _line_of(group: "Sequence[Finding]") -> str:
    kind, note, detail, target, _ = group[0]
    if not target:
        return f"{kind}: {told_apart([note])[0]}: {detail}"
    more = f" and {len(group) - _SHOWN} more" if len(group) > _SHOWN else ""
    notes = ", ".join(told_apart([one.note for one in group[:_SHOWN]]))
    return f"{kind}: {detail}: {number_of(len(group), 'note')} ({notes}{more})"


@cli.command()
@vault_option
def watch(vault: str) -> None:
    """Print the name of each note that changes, until Ctrl-C."""
    with open_memory(vault)[0] as memory:
        memory.listen(lambda names: click.echo("\n".join(names)))
        memory.start()
        memory.load()
        click.echo(f"watching {memory.vault}", err=True)
        threading.Event().wait()


@cli.command()
@vault_option
@click.option("-o", "--output", type=click.Path(), metavar="FILENAME", default="-", help="The file to write.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def export(vault: str, output: str, force: bool) -> None:
    """Write the memory as server-memory's file.

    That is the knowledge graph, as JSON lines. An existing file stays as it is, unless you give --force.
    """
    from zkmem.toolsets.kg.transfer import export_graph  # noqa: PLC0415 - no other command needs it

    full = os.path.realpath(output)
    if output != "-" and os.path.isfile(full) and not force:
        raise Taken(f"The file {output!r} exists; nothing was written. --force replaces it.")
    with loaded(vault) as memory:
        lines = list(export_graph(memory))
    replaceable = os.path.isfile(full) or not os.path.exists(full)  # not a device or a pipe
    try:
        with click.open_file(output, "w", encoding="utf-8", atomic=replaceable) as stream:
            _write(lines, stream)
    except OSError as error:
        if output == "-":
            raise
        raise Unwritable(f"{output!r} cannot be written: {error.strerror}.") from error


def _write(lines: Sequence[str], stream: IO[str]) -> None:
    show = counted("Exporting", "records")
    for number, line in enumerate(lines, 1):
        stream.write(line if number == len(lines) else line + "\n")
        show(number, len(lines))
