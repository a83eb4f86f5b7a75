"""Make a folder a vault."""

from zkmem.errors import Unwritable
from zkmem.util.threeway import merged_bytes
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.commits import History
from zkmem.vault.journal.state import State


def set_up(root: str, state: State, *, git: bool, settings: str) -> list[str]:
    """Make the vault's `.zkmem` folder and, with `git`, a repository unless the vault is in one. Return what was done.

    The first commit of a new repository has the file at the path `settings`.

    Raises:
        Unwritable: when the disk refuses, or git fails.
    """
    state.ensure()
    done = [f"the vault {root} is ready"]
    if git:
        try:
            made = History(root, state, merged_bytes).init(settings)
        except GitTrouble as error:
            raise Unwritable(f"There is no git repository: {error}.") from error
        done.append("a git repository was made" if made else "the vault is in a git repository already")
    return done
