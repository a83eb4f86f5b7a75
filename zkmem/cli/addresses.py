"""Read the address of a git remote from the command line."""

import os
import shlex

from zkmem.errors import BadArgument
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.remote import local_path
from zkmem.vault.git.troubles import PROTOCOLS, is_forbidden


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
