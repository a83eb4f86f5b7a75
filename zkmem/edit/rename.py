"""Plan renames and deletions of notes, and moves of files and folders that a text editor makes."""

from collections import Counter
from collections.abc import Iterator, Mapping

from zkmem.edit.merge import plan_merge
from zkmem.edit.plan import Fallout, Move, Plan, Put, TrashPaths, View
from zkmem.edit.relink import Relinker
from zkmem.errors import BadArgument, StaleEtag, Taken
from zkmem.index.catalog import ProjectedCatalog
from zkmem.index.lookup import known_note, namesake_advice
from zkmem.index.resolve import resolve
from zkmem.names import fold, folder_of, folders_of, name_of
from zkmem.util.spelling import quoted
from zkmem.vault.paths import is_hidden


def plan_rename(view: View, name: str, new_name: str, *, merge: bool = False) -> Plan:
    """Plan to rename a note to a free name or, with `merge`, to merge it into the note that has the name.

    Raises:
        UnknownNote, AmbiguousName: when `name` or `new_name` does not mean exactly one note. BadName: when `new_name`
            is not allowed. Taken: when another note has the name and `merge` is false, or when the folder would differ
            from another one only in case or Unicode form.
    """
    path = known_note(view.catalog, name)
    to, exists = view.new_place(path, new_name)
    if merge and exists:
        return plan_merge(view, path, to)
    return plan_rename_at(view, path, new_name, "use: zkmem mv --merge, or merge=True in Python")


def plan_rename_at(view: View, path: str, new_name: str, merging: str) -> Plan:
    """Plan to rename the note at a path to a free name: see `plan_rename`.

    `merging`: how to merge two notes instead, for the error.
    """
    to, exists = view.new_place(path, new_name)
    if exists:
        other = namesake_advice(view.names, path, new_name)
        advice = f"{other}{' ' * bool(other)}To add the text of {name_of(path)!r} to it, {merging}"
        raise Taken(f"There is a note {name_of(to)!r} already; nothing was changed. {advice}").about(to)
    plan = plan_moves(view, {path: to})
    before, after = (folder_of(one) or "the root" for one in (path, to))
    remarks = [f"new folder: {after} (before: {before})"] if before != after else []
    if path == to and folder_of(path) and "/" not in new_name:
        root = quoted(f"/{new_name}")
        remarks.append(f"a new name without a slash leaves the note in its folder; for the root, give: {root}")
    return plan._replace(remarks=tuple(remarks))


def plan_moves(view: View, moves: Mapping[str, str]) -> Plan:
    """Plan to move files (one, or all of a folder) to free paths, and to update every link.

    Raises:
        Taken: when a file exists at a new path, or at a path that differs only in case or Unicode form.
    """
    about = next(iter(moves.values()))
    moves = {old: new for old, new in moves.items() if old != new}
    for old, new in moves.items():
        twins = [path for path in view.catalog.at(fold(new)) if path not in moves]
        if twins:
            sentence = f"The destination exists: {old!r} cannot become {new!r} beside {twins[0]!r}."
            raise Taken(sentence).about(twins[0])
    changed = Relinker(view, moves).changed() if moves else {}
    steps: list[Move | Put] = [Move(old, new, view.base(old)) for old, new in moves.items()]
    steps += [Put(moves.get(path, path), data, view.base(path)) for path, data in changed.items()]
    relinked = tuple(path for path in changed if path not in moves)
    return Plan(about, "moved" if moves else "unchanged", tuple(steps), relinked)


def plan_delete(view: View, name: str, etag: str | None = None) -> Plan:
    """Plan to move a note to the trash; links to it stay as they are.

    Raises:
        UnknownNote, AmbiguousName: when `name` does not mean exactly one note. StaleEtag: when that note has another
            etag.
    """
    path = known_note(view.catalog, name)
    if etag is not None and etag != view.base(path):
        now = view.base(path)
        raise StaleEtag(f"{name_of(path)!r} has changed since etag {etag}; its etag is now {now}. Read it again.", now)
    move = Move(path, TrashPaths(view).choose(path), view.base(path))
    return Plan(path, "deleted", (move,), fallout=_fallout(view, path), trash=move.to)


def _fallout(view: View, path: str) -> Fallout:
    """Return the links of other notes that break, or change their target, when the note at `path` is deleted."""
    after = ProjectedCatalog(view.catalog, {path: None})
    dangling, repointed = [], {}
    for source in view.links.backlinks(path):
        facts = view.catalog.facts(source)
        for target in (*facts.targets, *facts.others) if source != path else ():
            if resolve(view.catalog, target, source).path != path:
                continue
            now = resolve(after, target, source).path
            if now is None:
                dangling.append(source)
            else:
                repointed[source] = now
    return Fallout(tuple(dict.fromkeys(dangling)), repointed)


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
