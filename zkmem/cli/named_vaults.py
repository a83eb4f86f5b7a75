"""Name the vaults of a server that serves several."""

import os
import re
from collections.abc import Sequence

from zkmem.cli.vault_folder import checked
from zkmem.errors import BadArgument
from zkmem.names import below
from zkmem.vault.files import is_one_file

_NAMED = re.compile(r"([^=/]+)=(.+)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


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
    if full == other_full or is_one_file(full, other_full):
        raise BadArgument(f"The vaults {name!r} and {other_name!r} are one folder: {full}. Leave out one of them.")
    for inner, outer in (((name, full), (other_name, other_full)), ((other_name, other_full), (name, full))):
        if below(inner[1], outer[1]):
            raise BadArgument(
                f"The vault {inner[0]!r} is in the folder of the vault {outer[0]!r}: {inner[1]}. Serve only the outer "
                "one; a token with --vault-path gives access to a folder of it."
            )
