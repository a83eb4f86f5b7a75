"""Clone a vault from a git remote."""

import contextlib
import pathlib
import tempfile
from collections.abc import Collection

from zkmem.errors import NotSynced
from zkmem.names import is_note
from zkmem.sync.checks import check_files
from zkmem.vault.files import MOST_BYTES
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.remote import clone_to
from zkmem.vault.git.trees import Trees
from zkmem.vault.journal.state import FOLDER

_SETTINGS = f"{FOLDER}/config.toml"


def clone_vault(url: str, folder: str) -> str:
    """Clone the vault at a URL to a folder that does not exist yet or is empty. If that fails, remove what was cloned.

    Missing folders above it are made. Return the folder of the vault: the one folder with the settings of a vault if
    all notes of the repository are in it, else the top of the repository.
    """
    path = pathlib.Path(folder)
    try:
        with contextlib.ExitStack() as stack:
            for one in (*reversed(path.parents), path):
                if not one.exists():
                    stack.callback(_remove_if_empty, one)
            path.mkdir(parents=True, exist_ok=True)
            # in a folder of its own, so that a failure removes files of the clone only
            work = tempfile.TemporaryDirectory(prefix=".zkmem-clone-", dir=path, ignore_cleanup_errors=True)
            prefix = _clone(url, stack.enter_context(work))
            _move_out(pathlib.Path(work.name))
    except GitTrouble as error:
        raise NotSynced(f"The vault cannot be cloned: {str(error).removesuffix('.')}.") from error
    except OSError as error:
        raise NotSynced(f"The vault cannot be cloned to {folder!a}: {error.strerror}.") from error
    return str(path / prefix)


def _clone(url: str, folder: str) -> str:
    """Clone a repository to an empty folder. Return the path of the vault in it, or "" for its top."""
    git = clone_to(url, folder)
    with Trees(git, MOST_BYTES) as trees:
        head = trees.commits.rev("HEAD")
        if not head:
            return ""
        trees.check_size(head)
        files = trees.raw_diffs(trees.empty(), head)
        prefix = _prefix(files)
        check_files(git, trees, files, trees.empty(), head)
        git.check_out()
    return prefix


def _prefix(paths: Collection[str]) -> str:
    """Return the path of the vault in a repository with these files, or "" for its top."""
    folders = [path.removesuffix(_SETTINGS) for path in paths if f"/{path}".endswith(f"/{_SETTINGS}")]
    return (
        folders[0] if len(folders) == 1 and all(path.startswith(folders[0]) for path in filter(is_note, paths)) else ""
    )


def _move_out(work: pathlib.Path) -> None:
    """Move all that is in a folder to the folder above it, which has nothing else. If that fails, move nothing."""
    folder = work.parent
    if others := sorted(one.name for one in folder.iterdir() if one != work):
        raise NotSynced(f"The folder {str(folder)!a} is not empty any more: it has {others[0]!a}.")
    with contextlib.ExitStack() as undo:
        for one in sorted(work.iterdir(), key=lambda one: one.name == ".git"):  # the repository last, when all is there
            undo.callback(one.rename(folder / one.name).rename, one)
        undo.pop_all()


def _remove_if_empty(folder: pathlib.Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
