"""Plan the changes of links that go with moves which a text editor makes."""

from collections import Counter
from collections.abc import Iterator, Mapping

from zkmem.edit.plan import Plan, View
from zkmem.edit.rename import plan_moves
from zkmem.errors import BadArgument, Taken
from zkmem.names import fold
from zkmem.vault.paths import is_hidden


def plan_editor_moves(view: View, moves: Mapping[str, str]) -> Plan:
    """Plan to move files and folders, and to update every link. What the vault does not know is left out.

    A file that gets a hidden path leaves the vault. Links to it stay as they are, as after a deletion.

    Raises:
        BadArgument: when a folder would move into itself. Taken: when a file is at a new path, or when two files would
            get the same path. Inexpressible: when a link cannot be written.
    """
    files: dict[str, str] = {}
    for path, to in moves.items():
        if to.startswith(path + "/"):
            raise BadArgument(f"{path!r} cannot move into itself.")
        files.update(_files(view, path, to))
    twins = [path for path, count in Counter(map(fold, files.values())).items() if count > 1]
    if twins:
        raise Taken(f"Two of the files would have the same path: {twins[0]!r}.")
    return plan_moves(view, files) if files else Plan("", "unchanged", ())


def _files(view: View, path: str, to: str) -> Iterator[tuple[str, str]]:
    """Yield the old and the new path of the file at a path, or of each file below it."""
    paths = [path] if path in view.catalog else view.catalog.below([path])
    return ((one, new) for one in paths if not is_hidden(new := to + one[len(path) :]))
