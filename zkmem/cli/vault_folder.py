"""Find the vault: the named folder, else the nearest one with .zkmem/ or the one that a project's file names."""

import os
import pathlib
import shlex

import click

from zkmem import project
from zkmem.errors import NoVault
from zkmem.util.spelling import printable
from zkmem.vault.journal.state import FOLDER

VARIABLE = "ZKMEM_VAULT"
_OBSIDIAN = ".obsidian"
_WAYS = f"name it with --vault DIR, or as `zkmem serve DIR`, or set {VARIABLE}; `zkmem init DIR` makes a vault."


def vault_folder(named: str | None) -> str:
    """Return the folder of the vault: `named`, or if that is None, the nearest one."""
    return checked(_nearest() if named is None else named)


def vault_of_project() -> str | None:
    """Return the folder of the vault that the project's file names; None if there is no such file."""
    found = project.nearest()
    return checked(_allowed(found)) if found else None


def _allowed(named: project.Project) -> str:
    """Return the vault of a project if the user has allowed it."""
    if not named.is_allowed:
        where = shlex.quote(os.path.dirname(named.file))
        raise NoVault(
            printable(
                f"{named.file} names the vault {named.vault}, which you have not allowed for this project. To allow "
                f"it, run: cd {where} && zkmem trust --project. To use another vault, {_WAYS}"
            )
        )
    return named.vault


def checked(folder: str) -> str:
    """Return the folder if it can be a vault."""
    if not folder:
        raise NoVault(f"The name of the vault is empty; {_WAYS}")
    full = os.path.realpath(os.path.expanduser(folder))
    if _contains_home(full) and not any_folder_option():
        raise NoVault(
            f"{full!r} is or contains your home folder: every Markdown file below it would be a note. Name a folder of "
            "notes. To use this one anyway, write `zkmem --any-folder` in place of `zkmem`, or set ZKMEM_ANY_FOLDER=1."
        )
    return folder


def resolved(_context: click.Context, _parameter: click.Parameter, named: str | None) -> str:
    """Return the folder of the vault, as the callback of an option or argument."""
    return vault_folder(named)


def _nearest() -> str:
    """Return the nearest folder with .zkmem/, or the vault that the project's file names if that is as near."""
    try:
        here = pathlib.Path.cwd()
    except OSError as error:
        raise NoVault(f"The current folder no longer exists; {_WAYS}") from error
    folder = _above(here, (FOLDER,))
    if folder is None:
        raise NoVault(f"No vault is named, and neither {str(here)!r} nor a folder above it has {FOLDER}/: {_WAYS}")
    return folder


def vault_around(folder: str) -> str:
    """Return the vault of a folder that an editor shows: the nearest one, else the folder itself.

    A vault of Obsidian, which has a folder .obsidian/, is one, too.
    """
    here = pathlib.Path(os.path.realpath(folder))
    return checked(_above(here, (FOLDER, _OBSIDIAN)) or str(here))


def _above(here: pathlib.Path, marks: tuple[str, ...]) -> str | None:
    """Return the nearest folder from `here` upwards that has a folder of one of these names, or a project's file.

    If there is such a folder, a project's file that cannot be read is ignored: another machine may have written it.
    """
    try:
        named = project.nearest(here)
    except NoVault as error:
        if not any((folder / mark).is_dir() for folder in (here, *here.parents) for mark in marks):
            raise
        click.echo(f"Ignored: {error}", err=True)
        named = None
    for folder in (here, *here.parents):
        if any((folder / mark).is_dir() for mark in marks):
            return str(folder)
        if named and folder == pathlib.Path(named.file).parent:
            return _allowed(named)
    return None


def _contains_home(folder: str) -> bool:
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.dirname(folder) == folder or pathlib.PurePath(home).is_relative_to(folder)


def any_folder_option() -> list[str]:
    """Return the option --any-folder as a list of arguments, if the user has given it; else an empty list."""
    context = click.get_current_context(silent=True)
    return ["--any-folder"] if context and context.find_root().params.get("any_folder") else []
