"""The command `adopt`: keep the memory of another program in a folder of the vault."""

import contextlib
import functools
import os
import shlex
import sys
from typing import NamedTuple

import click

from zkmem.cli.group import cli, given_vault_option, json_option, loaded, print_answer
from zkmem.cli.vault_folder import vault_folder
from zkmem.clients.own_memories import INDEX, Project, codex_memory, codex_notes, excess, files_in
from zkmem.clients.table import UserHome
from zkmem.errors import BadArgument, Taken
from zkmem.memory import Memory
from zkmem.names import check_path, folders_of
from zkmem.trust import store, stored
from zkmem.util.replacing import replace_file
from zkmem.util.spelling import number_of
from zkmem.vault.journal.state import FOLDER

_CLIENT = "command line"
_HOME = UserHome(os.environ, sys.platform)
_PROGRAMS = ("claude-code", "codex")
_ADOPTED_FILE = "adopted.json"  # in the user's folder: folder of a vault -> settings of the project whose memory it got


class Adopted(NamedTuple):
    """What the command did, as `--json` prints it."""

    folder: str  # of the vault
    directory: str  # where the program keeps its memory now
    settings: str | None  # the file that names this directory
    moved: list[str]  # paths in the folder
    remarks: list[str]


@cli.command()
@given_vault_option
@json_option
@click.option("--undo", is_flag=True, help="Give the memory back, with all that has changed since.")
@click.option("--project", type=click.Path(), default=".", help="The project's folder (default: the current one).")
@click.option("--shared", is_flag=True, help="Let all projects of Claude Code share one folder.")
@click.option(
    "--folder", help="The folder of the vault (default: codex, or claude-code/ and the project's name or shared)."
)
@click.argument("program", type=click.Choice(_PROGRAMS), metavar="PROGRAM")
def adopt(
    vault: str | None, as_json: bool, undo: bool, project: str, shared: bool, folder: str | None, program: str
) -> None:
    """Keep the memory of a program in a folder of the vault.

    PROGRAM is claude-code or codex. Claude Code's memory of a project is Markdown notes with links. They are moved into
    the vault, and a line in the project's .claude/settings.local.json says where they are. Claude Code then reads and
    writes them there. Codex has no such setting: its notes are copied, and copied again by the next call.
    """
    if program == "codex":
        if shared:
            raise BadArgument("Codex has one memory for all projects: leave out --shared.")
        _adopt_codex(vault, (folder or program).strip("/"), undo=undo, as_json=as_json)
        return
    alone = Project.of(project)
    common = alone.shared(_HOME)
    where, other = (common, alone) if shared else (alone, common)
    root = _vault_of(where) if undo and vault is None else None
    if undo and (where.directory() is None or (root or vault) is None):
        named = where.directory()
        fault = f"names {named}, which is in no vault" if named else "names no folder"
        option = "leave out --shared" if shared else "add --shared"
        advice = f" {other.settings} names {other.directory()}: {option}." if _vault_of(other) else ""
        raise BadArgument(f"Nothing was adopted: {where.settings} {fault}. Nothing was changed.{advice}")
    with loaded(root or vault_folder(vault)) as memory:
        place = (folder or f"{program}/{'shared' if shared else where.name}").strip("/")
        own = memory.on_behalf(tool="adopt", client=_CLIENT)
        if undo:
            done = _give_back(own, where)
        else:
            done = _share(own, where, alone, place) if shared else _take_in(own, where, place)
    owner = "all projects" if shared and not undo else where.root
    verb = "gave back" if undo else "moved"
    _print(done, f"{verb} {number_of(len(done.moved), 'file')}; Claude Code keeps its memory of {owner} in", as_json)


def _print(done: Adopted, line: str, as_json: bool) -> None:
    print_answer(as_json, done._asdict(), line, done.directory)
    for remark in () if as_json else done.remarks:
        click.echo(remark, err=True)


def _adopt_codex(vault: str | None, folder: str, *, undo: bool, as_json: bool) -> None:
    with loaded(vault_folder(vault)) as memory:
        own = memory.on_behalf(tool="adopt", client=_CLIENT)
        done = _forget(own, folder) if undo else _copy(own, folder)
    verb = "moved to the trash:" if undo else "copied"
    _print(done, f"{verb} {number_of(len(done.moved), 'note')}; Codex keeps its own memory in", as_json)


def _copy(memory: Memory, folder: str) -> Adopted:
    """Copy Codex's new and changed notes into the vault. Notes that were changed in the vault stay as they are."""
    notes = {f"{folder}/{path}": data for path, data in codex_notes(_HOME).items()}
    in_vault = {one.path for one in memory.files(folder)}
    old = [path for path, data in notes.items() if path in in_vault and memory.data_of(path) != data]
    ours = [path for path in old if _is_ours(memory, path.removesuffix(".md"))]
    new = [path for path in notes if path not in in_vault]
    memory.create_files({path: notes[path] for path in new})
    for path in ours:
        text = notes[path].decode(errors="replace")
        memory.rewrite_file(path, functools.partial(_replacement, text))
    remarks = [
        f"{path} was changed in the vault and stays; Codex has another text." for path in old if path not in ours
    ]
    home = codex_memory(_HOME)
    return Adopted(
        folder, home, None, sorted([*new, *ours]), remarks if notes else [f"Codex has no notes in {home} yet."]
    )


def _is_ours(memory: Memory, name: str) -> bool:
    """Return whether the present text of a note is what `adopt` wrote last."""
    last = memory.log(name, 1)
    return bool(last) and last[0].tool == "adopt" and memory.last_author([name]) == _CLIENT


def _replacement(text: str, _old: str) -> str:
    return text


def _forget(memory: Memory, folder: str) -> Adopted:
    """Move the copies of Codex's notes to the trash."""
    paths = [one.path for one in memory.files(folder)]
    if not paths:
        raise BadArgument(f"Nothing was adopted: {folder}/ has no files. Nothing was changed.")
    memory.delete_files(folder)
    return Adopted(folder, codex_memory(_HOME), None, paths, [])


def _share(memory: Memory, project: Project, alone: Project, folder: str) -> Adopted:
    """Move the memory of a project into the folder of all projects."""
    if alone.directory() is not None:
        raise Taken(f"{alone.settings} names a folder for {alone.root} alone. Give it back first, with --undo.")
    done = _take_in(memory, project, folder, joins=True)
    others = len(project.others(_HOME))
    remark = (
        f"Claude Code no longer reads the memory of {number_of(others, 'other project')}: use this command there, too."
    )
    return done._replace(remarks=[*done.remarks, *([remark] if others else [])])


def _joined(text: str, lines: list[str]) -> str:
    """Return a text with some lines added at its end, without those that it has already."""
    old_lines = text.splitlines()
    return "".join(f"{line}\n" for line in [*old_lines, *(line for line in lines if line not in old_lines)])


def _vault_of(project: Project) -> str | None:
    """Return the folder of the vault in which Claude Code keeps the memory of a project; None for no vault."""
    directory = os.path.expanduser(project.directory() or "")
    return next((folder for folder in folders_of(directory) if os.path.isdir(os.path.join(folder, FOLDER))), None)


def _named_by(project: Project) -> str:
    """Return the real path of the folder that the settings of a project name; "" if they name none."""
    named = project.directory()
    return os.path.realpath(os.path.expanduser(named)) if named else ""


def _record(project: Project, directory: str, folder: str) -> None:
    """Record that a folder has the memory of a project."""

    def with_project(directories: dict[str, str]) -> dict[str, str]:
        other = project._replace(settings=directories.get(directory, project.settings))
        is_other = os.path.realpath(other.settings) != os.path.realpath(project.settings)
        if is_other and _named_by(other) == directory:
            raise Taken(
                f"{folder}/ has the memory of another project: {other.settings} names it. Give another folder of the "
                "vault with --folder."
            )
        return {**directories, directory: project.settings}

    store(_ADOPTED_FILE, str, with_project)


def _take_in(memory: Memory, project: Project, folder: str, *, joins: bool = False) -> Adopted:
    """Move the memory of a project into the vault. A call that was interrupted is completed.

    `joins`: if the folder has an index already, whether the lines of the project's index are added to it.
    """
    check_path(folder)  # `create_files` checks it only if the project has notes
    home, directory = project.memory(_HOME), os.path.join(os.path.realpath(memory.vault), *folder.split("/"))
    named = project.directory()
    if named is not None and _named_by(project) != directory:
        raise Taken(
            f"{project.settings} says that Claude Code keeps its memory in {named}. Remove autoMemoryDirectory there, "
            "or use --undo, and move its files yourself."
        )
    files = files_in(home)
    in_vault = {one.path for one in memory.files(folder)}
    if named is None and not in_vault <= {f"{folder}/{path}" for path in files}:  # perhaps of another project
        raise Taken(f"{folder}/ has files already; give another folder of the vault with --folder.")
    old = [path for path in files if f"{folder}/{path}" in in_vault]
    new = {f"{folder}/{path}": data for path, data in files.items() if path not in old}
    other = [path for path in files if path in old and memory.data_of(f"{folder}/{path}") != files[path]]
    for path in other:
        if not (joins and path == INDEX):
            raise Taken(f"{folder}/{path} exists already, with another text than {os.path.join(home, path)}.")
    if named is None:
        project.check()  # before anything is moved
    _record(project, directory, folder)
    memory.create_files(new)
    if other:
        lines = files[INDEX].decode(errors="replace").splitlines()
        memory.rewrite_file(f"{folder}/{INDEX}", lambda text: _joined(text, lines))
    os.makedirs(directory, exist_ok=True)  # the settings name it
    project.set_directory(directory)
    remarks = [] if files or in_vault else [f"Claude Code has no memory in {home} yet."]
    remarks += [f"{one} has changed meanwhile and stays." for one in _remove(home, files)]
    index = memory.data_of(f"{folder}/{INDEX}") if INDEX in files or f"{folder}/{INDEX}" in in_vault else b""
    remarks += filter(None, [excess(index)])
    return Adopted(folder, directory, project.settings, sorted(files), remarks)


def _give_back(memory: Memory, project: Project) -> Adopted:
    """Move the memory of a project back to where Claude Code keeps it by default."""
    home, directory = project.memory(_HOME), _named_by(project)
    vault = os.path.realpath(memory.vault)
    if not directory.startswith(vault + os.sep):
        raise BadArgument(f"The memory of {project.root} is not in this vault; nothing was changed.")
    folder = os.path.relpath(directory, vault).replace(os.sep, "/")
    if os.path.realpath(stored(_ADOPTED_FILE, str).get(directory, "")) != os.path.realpath(project.settings):
        # somebody else may have written the settings, and let them name any notes
        raise BadArgument(
            f"zkmem has not moved the memory of {project.root} to {folder}/, which {project.settings} names. "
            "Nothing was changed. Remove autoMemoryDirectory there. If those notes are the memory of this project, run "
            f"`zkmem adopt claude-code --folder {shlex.quote(folder)}` in it first."
        )
    files = {one.path[len(folder) + 1 :]: memory.data_of(one.path) for one in memory.files(folder)}
    old = files_in(home)
    if clash := next((path for path in files if path in old and old[path] != files[path]), None):
        raise Taken(f"{os.path.join(home, clash)} exists, with another text than {folder}/{clash}.")
    project.check()
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
