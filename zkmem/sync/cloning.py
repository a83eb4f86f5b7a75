"""Clone a vault from a git remote."""

import os
import shutil

from zkmem.errors import NotSynced
from zkmem.sync.checks import check_files
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.remote import clone_to
from zkmem.vault.git.trees import Trees


def clone_vault(url: str, folder: str) -> None:
    """Clone the vault at a URL to a folder that does not exist yet or is empty. If that fails, leave no files there.

    Raises:
        NotSynced: when it cannot be cloned, or has files that no vault may have.
    """
    was_there = os.path.isdir(folder)
    try:
        git = clone_to(url, folder)
        with Trees(git, 0) as trees:
            head = trees.rev("HEAD")
            if head:
                check_files(trees, trees.raw_diffs(trees.empty(), head), head)
                git.check_out()
    except (GitTrouble, NotSynced) as error:
        _remove(folder, keep=was_there)
        if isinstance(error, NotSynced):
            raise
        raise NotSynced(f"The vault cannot be cloned: {str(error).removesuffix('.')}.") from error


def _remove(folder: str, *, keep: bool) -> None:
    """Remove a folder and all that is in it; with `keep`, leave the empty folder."""
    for name in os.listdir(folder) if keep and os.path.isdir(folder) else ():
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
