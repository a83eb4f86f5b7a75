"""Plan the changes of links that go with moves which a text editor makes."""

from collections import Counter
from collections.abc import Iterator, Mapping

from zkmem.edit.plan import Plan, View
from zkmem.edit.rename import plan_moves
from zkmem.errors import BadArgument, Taken
from zkmem.names import fold, folders_of
from zkmem.vault.paths import is_hidden


def plan_editor_moves(view: View, moves: Mapping[str, str]) -> Plan:
    """Plan to move files and folders, and to update every link. Paths that are not in the vault are left out.

    A file that gets a hidden path leaves the vault. Links to it stay as they are, as after a deletion.

    Raises:
        BadArgument: when a folder would move into itself. Taken: when a file is at a new path, or when two files would
            get the same path. Inexpressible: when a link cannot be written.
    """
    if inner := next((path for path, to in moves.items() if to.startswith(path + "/")), None):
        raise BadArgument(f"{inner!r} cannot move into itself; choose another folder.")
    files = {old: new for old, new in _files(view, moves) if not is_hidden(new)}
    twins = [path for path, count in Counter(map(fold, files.values())).items() if count > 1]
    if twins:
        raise Taken(f"Two of the files would have the same path: {twins[0]!r}; give one of them another name.")
    return plan_moves(view, files) if files else Plan("", "unchanged", ())


def _files(view: View, moves: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the old and the new path of each file that moves. A file moves with the innermost folder that does."""
    catalog = view.catalog
    yield from ((path, to) for path, to in moves.items() if path in catalog)
    for path in catalog.below([path for path in moves if path in catalog.folders]):
        if path not in moves:
            folder = next(folder for folder in folders_of(path) if folder in moves)
            yield path, moves[folder] + path[len(folder) :]
