"""Clone a vault from a git remote."""

import pathlib
import shutil
from collections.abc import Iterable

from zkmem.errors import NotSynced
from zkmem.sync.checks import check_files
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.remote import clone_to
from zkmem.vault.git.trees import Trees
from zkmem.vault.journal.state import FOLDER

_SETTINGS = f"{FOLDER}/config.toml"


def clone_vault(url: str, folder: str) -> str:
    """Clone the vault at a URL to a folder that does not exist yet or is empty. If that fails, leave nothing there.

    Missing folders above it are made. Return the folder of the vault. If the repository has the settings of one vault,
    in a folder below its top, it is that folder.

    Raises:
        NotSynced: when it cannot be cloned, or has files that no vault may have.
    """
    path = pathlib.Path(folder)
    missing = [one for one in (path, *path.parents) if not one.exists()]
    prefix = ""
    try:
        _make(path.parent)
        git = clone_to(url, folder)
        with Trees(git, 0) as trees:
            head = trees.rev("HEAD")
            if head:
                files = trees.raw_diffs(trees.empty(), head)
                prefix = _prefix(files)
                check_files(trees, files, head, prefix)
                git.check_out()
    except (GitTrouble, NotSynced) as error:
        if missing and missing[-1].exists():
            shutil.rmtree(missing[-1])
        elif not missing:
            _empty(path)
        if isinstance(error, NotSynced):
            raise
        raise NotSynced(f"The vault cannot be cloned: {str(error).removesuffix('.')}.") from error
    return str(path / prefix)


def _prefix(paths: Iterable[str]) -> str:
    """Return the path of the vault in a repository with these files, or ""."""
    found = [path.removesuffix(_SETTINGS) for path in paths if f"/{path}".endswith(f"/{_SETTINGS}")]
    return found[0] if len(found) == 1 else ""


def _make(folder: pathlib.Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotSynced(f"The folder {str(folder)!a} cannot be made: {error.strerror}.") from error


def _empty(folder: pathlib.Path) -> None:
    """Remove all that is in a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
