"""Clone a vault from a git remote."""

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
    try:
        git = clone_to(url, folder)
        with Trees(git, 0) as trees:
            head = trees.rev("HEAD")
            if head:
                check_files(trees, trees.raw_diffs(trees.empty(), head), head)
                git.check_out()
    except (GitTrouble, NotSynced) as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, NotSynced):
            raise
        raise NotSynced(f"The vault cannot be cloned: {str(error).removesuffix('.')}.") from error
