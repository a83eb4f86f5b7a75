"""The command `adopt`: keep the memory of another program in a folder of the vault."""

import contextlib
import json
import os
import sys
from typing import NamedTuple

import click

from zkmem.cli.group import cli, given_vault_option, json_option, loaded
from zkmem.cli.vault_folder import vault_folder
from zkmem.clients.claude_code import INDEX, Project, excess, files_in
from zkmem.clients.table import Home
from zkmem.errors import BadArgument, Taken
from zkmem.memory import Memory
from zkmem.names import folders_of
from zkmem.util.replacing import replace_file
from zkmem.util.spelling import number_of
from zkmem.vault.journal.state import FOLDER

_FOLDER = "claude-code"


class Adopted(NamedTuple):
    """The result, for `--json`."""

    folder: str  # of the vault
    directory: str  # where Claude Code keeps the memory now
    settings: str  # the file that says so
    moved: list[str]  # paths in the folder
    remarks: list[str]


@cli.command()
@given_vault_option
@json_option
@click.option("--undo", is_flag=True, help="Give the memory back to Claude Code, with all that has changed since.")
@click.option("--project", type=click.Path(), default=".", help="The project's folder (default: the current one).")
@click.option("--folder", help=f"The folder of the vault (default: {_FOLDER}/ and the project's name).")
@click.argument("program", type=click.Choice(["claude-code"]), metavar="PROGRAM")
def adopt(vault: str | None, as_json: bool, undo: bool, project: str, folder: str | None, program: str) -> None:  # noqa: ARG001
    """Keep the memory of a program in a folder of the vault.

    PROGRAM is claude-code, whose memory of a project is Markdown notes with links. They are moved into the vault, and a
    line in the project's .claude/settings.local.json says where they are. Claude Code then reads and writes them there.
    """
    where = Project.of(project)
    root = _vault_of(where) if undo and vault is None else None
    with loaded(root or vault_folder(vault)) as memory:
        place = (folder or f"{_FOLDER}/{where.name}").strip("/")
        own = memory.on_behalf(tool="adopt", client="command line")
        done = _give_back(own, where) if undo else _take_in(own, where, place)
    if as_json:
        click.echo(json.dumps(done._asdict(), ensure_ascii=False))
        return
    verb = "gave back" if undo else "moved"
    click.echo(f"{verb} {number_of(len(done.moved), 'file')}; Claude Code keeps its memory of {where.root} in")
    click.echo(done.directory)
    for remark in done.remarks:
        click.echo(remark, err=True)


def _vault_of(project: Project) -> str | None:
    """Return the folder of the vault in which Claude Code keeps the memory of a project; None for no vault."""
    directory = os.path.expanduser(project.directory() or "")
    return next((folder for folder in folders_of(directory) if os.path.isdir(os.path.join(folder, FOLDER))), None)


def _take_in(memory: Memory, project: Project, folder: str) -> Adopted:
    """Move the memory of a project into the vault. A call that was interrupted is completed."""
    home, directory = project.memory(_home()), os.path.join(os.path.realpath(memory.vault), *folder.split("/"))
    named = project.directory()
    if named is not None and os.path.realpath(os.path.expanduser(named)) != directory:
        raise Taken(
            f"{project.settings} says that Claude Code keeps its memory in {named}. Remove autoMemoryDirectory there, "
            "or use --undo, and move its files yourself."
        )
    files = files_in(home)
    there = {one.path for one in memory.files(folder)}
    if named is None and not there <= {f"{folder}/{path}" for path in files}:  # perhaps of another project
        raise Taken(f"{folder}/ has files already; give another folder of the vault with --folder.")
    new = {f"{folder}/{path}": data for path, data in files.items() if f"{folder}/{path}" not in there}
    for path, data in files.items():
        if f"{folder}/{path}" in there and memory.data_of(f"{folder}/{path}") != data:
            raise Taken(f"{folder}/{path} exists already, with another text than {os.path.join(home, path)}.")
    memory.create_files(new)
    os.makedirs(directory, exist_ok=True)  # Claude Code is told that it exists
    project.set_directory(directory)
    remarks = [] if files or there else [f"Claude Code has no memory in {home} yet."]
    remarks += [f"{one} has changed meanwhile and stays." for one in _remove(home, files)]
    index = memory.data_of(f"{folder}/{INDEX}") if INDEX in files or f"{folder}/{INDEX}" in there else b""
    remarks += filter(None, [excess(index)])
    return Adopted(folder, directory, project.settings, sorted(files), remarks)


def _give_back(memory: Memory, project: Project) -> Adopted:
    """Move the memory of a project back to where Claude Code keeps it by default."""
    home, named = project.memory(_home()), project.directory()
    directory = os.path.realpath(os.path.expanduser(named)) if named else ""
    vault = os.path.realpath(memory.vault)
    if not directory.startswith(vault + os.sep):
        raise BadArgument(f"The memory of {project.root} is not in this vault; nothing was changed.")
    folder = os.path.relpath(directory, vault).replace(os.sep, "/")
    files = {one.path[len(folder) + 1 :]: memory.data_of(one.path) for one in memory.files(folder)}
    present = files_in(home)
    if clash := next((path for path in files if path in present and present[path] != files[path]), None):
        raise Taken(f"{os.path.join(home, clash)} exists, with another text than {folder}/{clash}.")
    for path, data in files.items():
        full = os.path.join(home, *path.split("/"))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        replace_file(full, data, mode=0o600)
    project.set_directory(None)
    if files:
        memory.delete_files(folder)
    return Adopted(folder, home, project.settings, sorted(files), [])


def _remove(folder: str, files: dict[str, bytes]) -> list[str]:
    """Remove files that still have these bytes, and the folders that are empty then; return the paths of the others."""
    changed = []
    for path, data in files.items():
        full = os.path.join(folder, *path.split("/"))
        with open(full, "rb") as file:
            is_same = file.read() == data
        if is_same:
            os.unlink(full)
        else:
            changed.append(full)
    for below, _, _ in sorted(os.walk(folder), reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(below)
    return changed


def _home() -> Home:
    return Home(os.environ, sys.platform)
