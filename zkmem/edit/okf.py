"""Plan to add the files of a bundle of the Open Knowledge Format to a vault."""

from collections.abc import Mapping
from typing import NamedTuple

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.errors import Taken, ZkError
from zkmem.index.lookup import check_folders
from zkmem.names import check_path, fold, folders_of, is_note


class Imported(NamedTuple):
    """The result of an import: how many files were added, how many were there, and why the others were not added."""

    added: int
    unchanged: int
    faults: list[str]


def plan_import(view: View, files: Mapping[str, bytes]) -> tuple[Plan, Imported]:
    """Plan to create files at some paths. A file that exists stays as it is; with other bytes, that is a fault.

    Also return what the plan does.

    Raises:
        Taken: when a path is taken, perhaps in another case, by a file that the caller may not see.
    """
    puts, born, faults, unchanged = [], [], [], 0
    files_so_far: set[str] = set()
    folders_so_far: set[str] = set()
    for path, data in files.items():
        folded, above = fold(path), set(map(fold, folders_of(path)))
        if folded in files_so_far | folders_so_far or not above.isdisjoint(files_so_far):
            faults.append(f"{path}: another file of the bundle is in its place")
            continue
        if any(view.catalog.at(folder) for folder in above):
            faults.append(f"{path}: the vault has a file where a folder should be")
            continue
        there = view.catalog.at(fold(path))
        if there:
            if not view.has(there[0]):
                raise Taken(f"Another file has the path {path!r}.").about(there[0])
            if view.read(there[0]) == data:
                unchanged += 1
            else:
                faults.append(f"{path}: the vault has another file of this name; it was left as it is")
            continue
        try:
            check_path(path)
            check_folders(view.catalog, path)
        except ZkError as error:
            if error.path is not None and not view.has(error.path):
                raise
            faults.append(f"{path}: {error}")
            continue
        puts.append(Put(path, data, None))
        files_so_far.add(folded)
        folders_so_far |= above
        if is_note(path):
            born.append(path)
    changed = Relinker(view, {}, born).changed() if born else {}
    steps = (*(Put(path, data, view.base(path)) for path, data in changed.items()), *puts)
    plan = Plan(puts[0].path, "created", steps, tuple(changed)) if puts else Plan("", "unchanged", ())
    return plan, Imported(len(puts), unchanged, faults)
