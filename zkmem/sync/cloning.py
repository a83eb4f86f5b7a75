"""Clone a vault from a git remote."""

import contextlib
import pathlib
import shutil
from collections.abc import Collection

from zkmem.errors import NotSynced
from zkmem.names import is_note
from zkmem.sync.checks import check_files
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.remote import clone_to
from zkmem.vault.git.trees import Trees
from zkmem.vault.journal.state import FOLDER

_SETTINGS = f"{FOLDER}/config.toml"


def clone_vault(url: str, folder: str) -> str:
    """Clone the vault at a URL to a folder that does not exist yet or is empty. If that fails, leave nothing there.

    Missing folders above it are made. Return the folder of the vault. If all notes of the repository are in a folder
    with the settings of a vault, it is that folder.

    Raises:
        NotSynced: when it cannot be cloned, or has files that no vault may have.
    """
    path = pathlib.Path(folder)
    prefix, is_cloned, made = "", False, _made(path)
    try:
        git = clone_to(url, folder)
        is_cloned = True  # so git found the folder empty, and all that is in it now is of the clone
        with Trees(git, 0) as trees:
            head = trees.rev("HEAD")
            if head:
                files = trees.raw_diffs(trees.empty(), head)
                prefix = _prefix(files)
                check_files(trees, files, head, prefix)
                git.check_out()
    except (GitTrouble, NotSynced) as error:
        if is_cloned:
            _empty(path)
        for one in made:
            with contextlib.suppress(OSError):  # somebody else has put a file there
                one.rmdir()
        if isinstance(error, NotSynced):
            raise
        raise NotSynced(f"The vault cannot be cloned: {str(error).removesuffix('.')}.") from error
    return str(path / prefix)


def _prefix(paths: Collection[str]) -> str:
    """Return the path of the vault in a repository with these files, or "" for its top."""
    found = [path.removesuffix(_SETTINGS) for path in paths if f"/{path}".endswith(f"/{_SETTINGS}")]
    return found[0] if len(found) == 1 and all(path.startswith(found[0]) for path in filter(is_note, paths)) else ""


def _made(folder: pathlib.Path) -> list[pathlib.Path]:
    """Make a folder and those above it; return the new ones, the innermost first.

    Raises:
        NotSynced: when that is impossible.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotSynced(f"The folder {str(folder)!a} cannot be made: {error.strerror}.") from error
    return missing


def _empty(folder: pathlib.Path) -> None:
    """Remove all that is in a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
