"""Find the files that the links in the three states of a merge mean, and the paths of these in the merged tree."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from zkmem.index.catalog import Catalog, ProjectedCatalog
from zkmem.index.resolve import Files, resolve
from zkmem.index.respell import Aim, Meaning, Meanings, Parts, Respeller
from zkmem.markdown.links import Link
from zkmem.markdown.sections import Outline
from zkmem.names import fold
from zkmem.sync.placement import BASE, FIRST, SECOND, Id, Placement, other_side
from zkmem.vault.journal.log import Pair

Kept = Callable[[int, str], Mapping[int, tuple[Link, str]]]
"""Returns, for the note at a path in a state, the links that keep the meaning of a link of the base.

The result has the offset of each such link, and the link of the base with the path of its note.
"""

Repaired = Callable[[int, str], Mapping[str, Id]]
"""Returns, for the note at a path in a state, the files that its links with missing targets mean: target -> file."""


class StateFiles:
    """The files of one state, and those that links in this state lead to."""

    def __init__(
        self,
        files: Files,
        moved_by_hand: Mapping[str, str],
        deleted_at: Mapping[str, str] = MappingProxyType({}),
        former: Mapping[str, str] = MappingProxyType({}),
        brought: Collection[str] = (),
        formerly_at: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`moved_by_hand`: old path -> path in this state, of files to which links may have the old path.

        `deleted_at`: the path at which a file was deleted, or a former path of it -> its path in the base.
        `formerly_at`: that of `Structure`, only with the paths at which this state has no file. `former`, `brought`:
        see `Structure`.
        """
        self._files = files
        self.deleted_at = deleted_at
        self._former, self._brought = {old: path for old, path in former.items() if files.at(fold(path))}, brought
        self._files_formerly = ProjectedCatalog(Catalog(), {}, self._former)
        self._formerly_at = formerly_at
        self._files_at_former_paths = ProjectedCatalog(Catalog(), {}, formerly_at)
        self._deleted_files = ProjectedCatalog(Catalog(), {}, deleted_at)
        self._moved_by_hand = moved_by_hand
        self._files_before = ProjectedCatalog(Catalog(), {}, moved_by_hand)

    def target(self, link: Link, source: str) -> str | None:
        """Return the path of the file that a link leads to; None if there is none."""
        found = self.found(link, source)
        return found and found.to

    def found(self, link: Link, source: str) -> Pair | None:
        """Return the path that a link names, and the path of the file that it leads to; None if there is none.

        The two differ if the file had the first path until somebody moved it by hand.
        """
        path = resolve(self._files, link.target, source).path
        if path is not None:
            return Pair(path, path)
        old = resolve(self._files_before, link.target, source).path
        return None if old is None else Pair(old, self._moved_by_hand[old])

    def found_formerly(self, link: Link, source: str) -> Pair | None:
        """Return the path that the target of a link had when the link was written, and its path now; None if unknown.

        It is known only in files with text of somebody who may have known only the former names.
        """
        old = resolve(self._files_formerly, link.target, source).path if source in self._brought else None
        return Pair(old, self._former[old]) if old else None

    def formerly(self, link: Link, source: str) -> Pair | None:
        """Return the former path that a link with a missing target names, and the base path of its file.

        None if the link has a file, or names no former path.
        """
        old = resolve(self._files_at_former_paths, link.target, source).path
        return Pair(old, self._formerly_at[old]) if old and self.target(link, source) is None else None

    def deleted_target(self, link: Link, source: str) -> str | None:
        """Return the path at which the file that a link led to was deleted; None if the link led to no such file."""
        return resolve(self._deleted_files, link.target, source).path

    def file(self, path: str) -> str:
        """Return the path of the file that a path in a canvas leads to; the path itself if there is none."""
        paths = self._files.at(fold(path))
        if not paths:
            return self._moved_by_hand.get(path, path)
        return path if path in paths else paths[0]


class StateMeanings:
    """The files of the merged tree that the links of the texts in one state mean.

    Some links mean what a link of the base means. Those in unchanged lines do: a side may have moved the note without
    updating its links, or may have created a note that the link would now lead to.

    A link to a file that one side deleted must not lead to a file that the other side created.
    """

    def __init__(
        self,
        state: int,
        files: Mapping[int, StateFiles],
        after: Files,
        placement: Placement,
        kept: Kept,
        repaired: Repaired,
        base: "StateMeanings | None" = None,
    ) -> None:
        """`files`: the files of each state; `after`: those of the merged tree.

        `base`: the meanings in the base, or None if the state is the base.
        """
        self._state = state
        self._states = files
        self._files = files[state]
        self._after = after
        self._placement = placement
        self._kept = kept
        self._repaired = repaired
        self._base = base

    def of_link(self, link: Link, source: str) -> Meaning | None:
        """Return what a link means; None if it leads nowhere, or to a file that is not in the merged tree."""
        if not link.target:
            return self._meaning(source)
        before = self._kept(self._state, source).get(link.start) if self._base else None
        if self._base and before and (kept := self._of_kept(self._base, link, source, before)):
            return kept
        found = self._files.found(link, source)
        if found is None and (deleted := self._files.deleted_target(link, source)) is not None:
            found = Pair(deleted, deleted)
        if found is None and not before:
            found = self._files.found_formerly(link, source)
        if found is None:
            one = self._repaired(self._state, source).get(link.target)
            new = one and self._placement.path(*one)
            return Meaning(one.path, new) if one and new else None
        meaning = self._meaning(found.to)
        return meaning._replace(was=found.path) if meaning else self._gone(link, source, found.to)

    def _of_kept(self, base: "StateMeanings", link: Link, source: str, before: tuple[Link, str]) -> Meaning | None:
        """Return what a link means that keeps the meaning of a link of the base; None if that does not tell.

        `before`: the link of the base, and its note.
        """
        meaning = base.of_link(*before)
        if meaning and (meaning.path or self._placement.on(self._state, Id(BASE, meaning.was))):
            named = self._files.formerly(link, source)
            return meaning._replace(was=named.path) if named else meaning
        was = self._states[BASE].target(*before)
        # without changes on the other side, only links are updated: one that leads nowhere stays as it is
        if not was or link.target == before[0].target or not self._placement.sides[other_side(self._state)].diffs:
            return None
        # the side rewrote the link because it merged notes, but the merged tree does not have that merge
        return base.nowhere(was)

    def of_file(self, path: str) -> Meaning | None:
        """Return what a path in a canvas means; None if no file of the merged tree."""
        return self._meaning(self._files.file(path))

    def _meaning(self, path: str) -> Meaning | None:
        new = self._placement.path(*self._identity(path))
        return None if new is None else Meaning(path, new)

    def _identity(self, path: str) -> Id:
        """Return the identity of the file that is at a path of this state, or was when it was deleted."""
        deleted = self._files.deleted_at.get(path)  # the other side may have kept it
        return self._placement.identity(self._state, path) if deleted is None else Id(BASE, deleted)

    def _gone(self, link: Link, source: str, path: str) -> Meaning | None:
        """Return the meaning of a link to a file that is gone, if it would lead to another file by accident.

        It is no accident if a side deleted the file without moving it before, and the link leads to the other file on
        that side. If the side had moved the file, its own links had the new path from then on.
        """
        placement, note, one = self._placement, self._identity(source), self._identity(path)
        leads = resolve(self._after, link.target, placement.path(*note) or source).path
        if leads is None:
            return None
        for side in (FIRST, SECOND):
            there = self._states[side].target(link, placement.on(side, note) or source)
            is_deleted = placement.on(side, one) is None and not placement.deleted_elsewhere(side, one)
            if there is not None and is_deleted and placement.path(side, there) == leads:
                return None
        return self.nowhere(path)

    def nowhere(self, path: str) -> Meaning:
        """Return the meaning of a link that must lead nowhere, because the file at a path of this state is gone.

        The link gets this path; if another file has it, the first free one of the other paths that the gone file had.
        """
        placement, one = self._placement, self._identity(path)
        paths = (placement.on(state, one) for state in (BASE, FIRST, SECOND))
        last_paths = (placement.deleted_elsewhere(side, one) for side in (FIRST, SECOND))
        free = (place for place in (path, *paths, *last_paths) if place and not self._after.at(fold(place)))
        return Meaning(path, next(free, path), is_gone=True)


class ExtractedParts:
    """The headings and blocks that an extraction moved from a note to another one."""

    def __init__(self, before: Outline, source: Outline, target: Outline, to: str) -> None:
        """`before`: the note in the base; `source` and `target`: both notes afterwards; `to`: the target's path."""
        self._before, self._source, self._target, self._to = before, source, target, to

    def __call__(self, aim: Aim) -> Aim | None:
        """Return the new target of a link to a part of the note; None if the part stays."""
        part = aim.subpath
        moved = self._before.find(part) and not self._source.find(part) and self._target.find(part)
        return Aim(self._to, part) if moved else None


class Renamed:
    """The block ids of a note that a side merged into another one, which have other names there."""

    def __init__(self, ids: Mapping[str, str], target: Outline, to: str) -> None:
        """`ids`: the new names; `target`: the note with the text on that side; `to`: its path."""
        self._ids = ids
        self._there = {one.text for one in target.ids()}
        self._to = to

    def __call__(self, aim: Aim) -> Aim | None:
        """Return the new target of a link to a block of the note; None if its id has no other name."""
        new = self._ids.get(aim.subpath[2:].strip().lower()) if aim.subpath.startswith("#^") else None
        return Aim(self._to, f"#^{new}") if new in self._there else None


def parts_of(moved: Mapping[str, Callable[[Aim], Aim | None]]) -> Parts:
    """Return a function that finds the new targets of links to parts of notes, by the path of the note."""

    def new_target(aim: Aim) -> Aim | None:
        return moved[aim.path](aim) if aim.path in moved else None

    return new_target


def respellers(
    files: Mapping[int, StateFiles],
    after: Files,
    placement: Placement,
    kept: Kept,
    repaired: Repaired,
    parts: Mapping[int, Parts],
) -> dict[int, Respeller]:
    """Return, for each state, the respeller of its texts for the merged tree. `after`: the files of that tree.

    A link that cannot be written stays as it is, and `check` reports it.
    """
    base = StateMeanings(BASE, files, after, placement, kept, repaired)
    meanings: dict[int, Meanings] = {BASE: base}
    meanings |= {
        state: StateMeanings(state, files, after, placement, kept, repaired, base) for state in (FIRST, SECOND)
    }
    return {
        state: Respeller(meaning, after, parts[state], keeps_unwritable=True) for state, meaning in meanings.items()
    }
