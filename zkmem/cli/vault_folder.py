"""Find the vault: the named folder, else the nearest one with .zkmem/ or the one that a project's file names.

For a server of several vaults, find the folder and the name of each.
"""

import os
import pathlib
import re
import shlex
from collections.abc import Sequence

import click

from zkmem import project
from zkmem.errors import BadArgument, NoVault
from zkmem.names import below
from zkmem.util.spelling import printable
from zkmem.vault import platform
from zkmem.vault.journal.state import FOLDER

_NAMED = re.compile(r"([^=/]+)=(.+)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
VARIABLE = "ZKMEM_VAULT"
_OBSIDIAN = ".obsidian"
_WAYS = f"name it with --vault DIR, or as `zkmem serve DIR`, or set {VARIABLE}; `zkmem init DIR` makes a vault."


def vault_folder(named: str | None) -> str:
    """Return the folder of the vault: `named`, or if that is None, the nearest one."""
    return checked(_nearest() if named is None else named)


def vault_of_project() -> str | None:
    """Return the folder of the vault that the project's file names; None if there is no such file."""
    nearest = project.nearest()
    return checked(_allowed(nearest)) if nearest else None


def _allowed(named: project.ProjectFile) -> str:
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
    """Return the nearest folder with .zkmem/, or the vault that a project's file names if that file is nearer."""
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


def named_vaults(arguments: Sequence[str]) -> dict[str, str]:
    """Return the folder of each vault by its name.

    An argument is `NAME=FOLDER`, or a folder whose last part is the name.
    """
    vaults: dict[str, str] = {}
    for argument in arguments:
        name, folder = _parts(argument)
        if not _NAME.fullmatch(name):
            raise BadArgument(
                f"{name!r} cannot be the name of a vault in an address. Give one of at most 40 letters (a to z), "
                f"digits, '.', '_' and '-': NAME={folder}"
            )
        for other, place in vaults.items():
            check_apart((other, place), (name, folder))
        if same := next((one for one in vaults if one.lower() == name.lower()), None):
            raise BadArgument(
                f"Two vaults have the name {same!r} (capitals do not count). Give one of them another: NAME={folder}"
            )
        vaults[name] = checked(folder)
    return vaults


def is_named(argument: str) -> bool:
    """Return whether an argument names its vault: `NAME=FOLDER`, and not a folder that has such a name."""
    return bool(_NAMED.fullmatch(argument)) and not os.path.isdir(argument)


def _parts(argument: str) -> tuple[str, str]:
    """Return the name of a vault, and its folder."""
    hit = _NAMED.fullmatch(argument) if is_named(argument) else None
    if hit:
        return hit[1], os.path.expanduser(hit[2])  # a shell expands "~" only at the beginning of an argument
    return os.path.basename(os.path.realpath(argument)).replace(" ", "-"), argument


def check_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Check that two vaults share no file."""
    (name, folder), (other_name, other_folder) = one, other
    full, other_full = os.path.realpath(folder), os.path.realpath(other_folder)
    if full == other_full or platform.current.is_one_file(full, other_full):
        raise BadArgument(f"The vaults {name!r} and {other_name!r} are one folder: {full}. Leave out one of them.")
    for inner, outer in (((name, full), (other_name, other_full)), ((other_name, other_full), (name, full))):
        if below(inner[1], outer[1]):
            raise BadArgument(
                f"The vault {inner[0]!r} is in the folder of the vault {outer[0]!r}: {inner[1]}. Serve only the outer "
                "one; a token with --vault-path gives access to a folder of it."
            )
