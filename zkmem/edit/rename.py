"""Rename and delete, as plans."""

from collections.abc import Mapping

from zkmem.edit.merge import plan_merge
from zkmem.edit.plan import Fallout, Move, Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.edit.trash import trash_path
from zkmem.errors import StaleEtag, Taken
from zkmem.index.catalog import ProjectedCatalog
from zkmem.index.lookup import free_path, known_note, new_note, unlinked
from zkmem.index.resolve import resolve
from zkmem.names import fold, name_of, normal


def plan_rename(view: View, name: str, new_name: str, *, merge: bool = True) -> Plan:
    """Rename a note to a free name, or merge it into the note that has the name, if that is wanted.

    Raises:
        UnknownNote, AmbiguousName: when `name` or `new_name` means no one note. BadName: when no note can be called
            `new_name`. Taken: when its folder would be the twin of another one, or when another note has the name
            and it is not to `merge`.
    """
    path = known_note(view.catalog, name)
    to, there = new_note(view.catalog, new_name)
    if there and to != path:
        if not merge:
            advice = f"To add the text of {name_of(path)!r} to it, use: zkmem mv --merge"
            raise Taken(f"There is a note {name_of(to)!r} already; nothing was changed. {advice}").about(to)
        return plan_merge(view, path, to)
    return plan_moves(view, {path: _respelled(view, new_name, path) if there else to})


def _respelled(view: View, new_name: str, path: str) -> str:
    """The path of a note under another spelling of its own name; the same path when it is the same spelling."""
    spellings = {normal(one).removeprefix("/") for one in (new_name, unlinked(new_name))}
    same = not spellings.isdisjoint({path, name_of(path)})
    return path if same else free_path(view.catalog, new_name)


def plan_moves(view: View, moves: Mapping[str, str]) -> Plan:
    """Move files (one, or all of a folder) to free paths, and keep every link right.

    Raises:
        Taken: when a new path is there already, or differs from another one only in case or Unicode form.
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
    """Move a note to the trash; links to it are left as they are.

    Raises:
        UnknownNote, AmbiguousName: when `name` means no one note. StaleEtag: when it has another etag than this.
    """
    path = known_note(view.catalog, name)
    if etag is not None and etag != view.base(path):
        now = view.base(path)
        raise StaleEtag(f"{name_of(path)!r} has changed since etag {etag}: it is {now} now; read it again.", now)
    move = Move(path, trash_path(path, view.taken), view.base(path))
    return Plan(path, "deleted", (move,), fallout=_fallout(view, path), trash=move.to)


def _fallout(view: View, path: str) -> Fallout:
    """What the links of others will mean once the note at `path` is gone."""
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
