"""The three states of a merge, which are the base and both sides: their files, and their texts with respelled links."""

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from zkmem.errors import TooLarge
from zkmem.index.catalog import CANVAS, Catalog, ProjectedCatalog
from zkmem.index.resolve import Files, resolve
from zkmem.index.respell import Aim, Respeller
from zkmem.markdown.lines import Line, compared, lines_of, pairs_of_links, spelled_like
from zkmem.markdown.links import Link, as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import base_of, fold, is_note, name_of
from zkmem.sync.meanings import ExtractedParts, Renamed, StateFiles, parts_of, respellers
from zkmem.sync.notes import names_after_merge
from zkmem.sync.placement import BASE, FIRST, SECOND, Id, Placement, Side
from zkmem.vault.git.trees import Blob, Diff, NewFile
from zkmem.vault.paths import is_hidden, is_visible_note

_MOST_NOTES = 20_000  # in the cache of the unchanged links

Read = Callable[[Blob], bytes]
"""Returns the bytes of a file.

Raises TooLarge when it is larger than a note may be.
"""


class LocalFiles(NamedTuple):
    """The files of the vault on this machine. They tell which files neither side touched."""

    catalog: Catalog  # the files of the vault
    diffs: Mapping[str, Diff]  # the files that differ between the base and the vault
    blobs: Callable[[Collection[str]], Mapping[str, Blob]]  # returns the untouched files at some paths, by path
    could_mean: Callable[[Collection[str]], Iterable[str]]  # returns the notes with a link that may mean a path
    own: Collection[str] = ()  # files of the vault that only this machine has: git ignores them, for example


class States:
    """The states of a merge, and the texts of their notes respelled for the merged tree."""

    def __init__(self, first: Side, second: Side, here: LocalFiles, read: Read) -> None:
        self._sides = {FIRST: first, SECOND: second}
        self._here = here
        self._read_blob = read
        self.touched = {*first.diffs, *second.diffs}
        base = self._files(self._present(BASE))
        moves = {**first.repaired, **second.repaired}  # the base has links with the former names
        moves = {old: path for old, path in moves.items() if base.at(fold(path))}
        self._state_files = {BASE: StateFiles(base, moves)}
        for state, side in self._sides.items():
            files = self._files(self._present(state))
            left = {old: new for old, path in moves.items() if old not in side.repaired and (new := side.path(path))}
            formerly = {old: path for old, path in side.formerly_at.items() if not files.at(fold(old))}
            # a link to a deleted file may have a former path of it
            deleted = {old: path for old, path in formerly.items() if path in side.deleted_at}
            self._state_files[state] = StateFiles(
                files,
                moved_by_hand={**left, **side.moved_by_hand},
                deleted_at={**deleted, **side.deleted_at},
                former=side.former,
                brought=side.brought,
                formerly_at=formerly,
            )
        self.placement = Placement(first, second, self._is_edited, self._untouched)
        self._final = set(self.placement.paths.values())
        self.touched |= self._final
        self._after = self._files(self._final)
        parts = {state: self._parts(state) for state in self._state_files}
        self._divided = parts[BASE].keys()  # paths of the notes of the base that have lost a part to another note
        self._apart = {state: self._merged_apart(state) for state in self._sides}
        kept = functools.lru_cache(maxsize=_MOST_NOTES)(self._kept)
        repaired = functools.lru_cache(maxsize=_MOST_NOTES)(self._repaired)
        self._new_targets = functools.lru_cache(maxsize=_MOST_NOTES)(self._targets_on_a_side)
        of_parts = {state: parts_of(moved) for state, moved in parts.items()}
        self._respellers = respellers(self._state_files, self._after, self.placement, kept, repaired, of_parts)

    def _present(self, state: int) -> set[str]:
        return {path for path in self.touched if self.blob(state, path) is not None}

    def _files(self, present: Collection[str]) -> Files:
        """Return the files of a state. `present`: the touched paths that have a file in this state."""
        others = self._here.diffs.keys() - self.touched
        present = {*present, *(path for path in others if self._here.diffs[path].before)}
        own = {path for path in (*self.touched, *others) if path in self._here.catalog}
        gone = dict.fromkeys(path for path in (*own, *self._here.own) if path not in present)
        return ProjectedCatalog(self._here.catalog, gone, [path for path in present - own if not is_hidden(path)])

    def blob(self, state: int, path: str) -> Blob | None:
        """Return the file at a touched path in a state; None if there is none."""
        side = self._sides.get(state)
        if side and path in side.diffs:
            return side.diffs[path].after
        for one in self._sides.values():
            if path in one.diffs:
                return one.diffs[path].before
        return None

    def _untouched(self, folder: str) -> list[str]:
        """Return the files below a folder that no side touched; "" is the whole vault."""
        below = self._here.catalog.below([folder]) if folder else self._here.catalog.rows
        return [path for path in below if path not in self.touched and path not in self._here.own]

    def _read(self, state: int, path: str | None) -> bytes:
        """Return the bytes of the file at a path in a state; no bytes if there is none."""
        blob = self.blob(state, path) if path is not None else None
        return self._read_blob(blob) if blob else b""

    def _origins(self, state: int, path: str) -> list[str]:
        """Return the base path of a note; for a new note with text of other notes, the base paths of those notes."""
        one, side = self.placement.identity(state, path), self._sides[state]
        if one.state == BASE:
            return [one.path]
        sources = (self.placement.identity(state, source) for source, to in side.extracted if to == path)
        return [
            *(source.path for source in sources if source.state == BASE),
            *(old for old, to in side.merged.items() if to == path),
        ]

    def _kept(self, state: int, path: str) -> Mapping[int, tuple[Link, str]]:
        """Return the links of a note that keep the meaning of a link of the base: offset -> that link, and its note."""
        kept: dict[int, tuple[Link, str]] = {}
        try:
            for origin in self._origins(state, path) if is_note(path) else ():
                base, data = self._read(BASE, origin), self._read(state, path)
                unchanged = set(base.split(b"\n"))
                links = (link for link in find_links(data) if unchanged.issuperset(_lines_of(data, link)))
                kept |= {link.start: (link, origin) for link in links} | self._kept_apart(state, origin, path)
                kept |= self._named_formerly(state, origin, path)
        except TooLarge:
            return {}
        return kept

    def _merged_apart(self, state: int) -> set[str]:
        """Return the base paths of the notes that a side merged into a note that has other text in the merged tree."""
        place, side = self.placement, self._sides[state]
        merged = {path: place.identity(state, to) for path, to in side.merged.items()}
        merged |= {path: Id(BASE, to) for path, to in side.deleted_with.items()}
        return {path for path, to in merged.items() if place.root(Id(BASE, path)) != place.root(to)}

    def _kept_apart(self, state: int, base_path: str, path: str) -> dict[int, tuple[Link, str]]:
        """Return the links that a side rewrote because it merged a note that is part of another one now."""
        apart = self._apart.get(state)
        if not apart:
            return {}
        parts = [base_path, *(old for old, to in self._sides[state].merged.items() if to == path)]
        return {
            new.start: (old, part)
            for part in parts
            for old, new in pairs_of_links(self._lines(BASE, part, state), self._lines(state, path, state))
            if old.target and self._state_files[BASE].target(old, part) in apart
        }

    def _named_formerly(self, state: int, base_path: str, path: str) -> dict[int, tuple[Link, str]]:
        """Return the links to which a merge gave a former name of their file again, because the file was gone then.

        The result has the form of that of `_kept`.
        """
        files = self._state_files[state]
        if not any(files.formerly(link, path) for link in find_links(self._read(state, path))):
            return {}
        base, side = self._lines_without_targets(BASE, base_path), self._lines_without_targets(state, path)
        return {
            new.start: (old, base_path)
            for old, new in pairs_of_links(base, side)
            if (named := files.formerly(new, path)) and named.to == self._state_files[BASE].target(old, base_path)
        }

    def _repaired(self, state: int, path: str) -> dict[str, Id]:
        """Return the files that the links of a note with missing targets mean: missing target -> file.

        Its links are those of its version in the base, and of the notes whose text it got: see `_targets_on_a_side`.
        """
        side, sources, parts = self._sides.get(state), [path], list[str]()
        if side:
            sources += [source for source, to in side.extracted if to == path]
            parts += [old for old, to in side.merged.items() if to == path]
        origins = (self.placement.identity(state, source) for source in sources)
        parts += [one.path for one in origins if one.state == BASE]
        return {target: to for part in parts for target, to in self._new_targets(part).items()}

    def _targets_on_a_side(self, base_path: str) -> dict[str, Id]:
        """Return the files to which missing targets in a note of the base lead on a side: missing target -> file.

        The side has changed the link and nothing else in its line, or has a new file with that name. A target is left
        out if it leads to two files. So it is if a side on which it is missing has more links to it in the note's text:
        somebody may be planning a note with that name.
        """
        paths = {one: side.path(base_path) or side.merged.get(base_path) or "" for one, side in self._sides.items()}
        blobs = [path and self.blob(state, path) for state, path in paths.items()]
        if not is_note(base_path) or not all(blobs) or self.blob(BASE, base_path) in blobs:
            return {}
        found: dict[str, set[Id]] = defaultdict(set)
        try:
            base, before = self._lines_without_targets(BASE, base_path), self._missing_targets(BASE, [base_path])
            for state, path in paths.items():
                for old, new in pairs_of_links(base, self._lines_without_targets(state, path)):
                    to = self._state_files[state].target(new, path)
                    if to and not self._state_files[BASE].target(old, base_path):
                        found[old.target].add(self.placement.identity(state, to))
            for state, path in paths.items() if found else ():
                side = self._sides[state]
                passages = [to for source, to in side.extracted if side.origin(source) == base_path and is_note(to)]
                for target in self._missing_targets(state, {path, *passages}) - before:
                    found.pop(target, None)
        except TooLarge:
            return {}
        return {target: next(iter(files)) for target, files in found.items() if len(files) == 1}

    def _missing_targets(self, state: int, paths: Iterable[str]) -> Counter[str]:
        """Return how many links of some notes have each missing target."""
        links = ((link, path) for path in paths for link in find_links(self._read(state, path)))
        return Counter(link.target for link, path in links if not self._state_files[state].target(link, path))

    def _lines_without_targets(self, state: int, path: str) -> list[Line]:
        """Return the lines of a note, in which all targets count as equal."""
        return lines_of(self._read(state, path), lambda link: f"{link.subpath}\0{link.embed}")

    def _is_edited(self, state: int, base_path: str) -> bool:
        """Return whether a side changed more in a file of the base than the links to moved files."""
        path = self._sides[state].path(base_path)
        one, other = self.blob(BASE, base_path), self.blob(state, path) if path else None
        if path in self._sides[state].merged.values():  # perhaps it had the text of the merged note already
            return True
        if path is None or one == other:
            return False
        if not is_visible_note(base_path):
            return True
        try:
            base, side = (self._lines(*each, state) for each in ((BASE, base_path), (state, path)))
        except TooLarge:
            return True
        return compared(base) != compared(side)

    def _lines(self, state: int, path: str, side: int) -> list[Line]:
        """Return the lines of a note of the base or of a side, compared by where links lead on that side."""
        changes, files = self._sides[side], self._state_files[state]
        sources = {target: source for source, target in changes.extracted}

        def shown(link: Link) -> str | None:
            was = files.target(link, path) if link.target else path
            was = files.deleted_target(link, path) if was is None else was
            if was is None:
                return None
            if state == BASE:
                leads = changes.merged.get(was) or changes.deleted_with.get(was) or changes.path(was) or was
            else:
                leads = files.deleted_at.get(was, was)
            display = link.display if link.display != base_of(name_of(was)) else ""
            part = "" if leads in sources else link.subpath
            return f"{sources.get(leads, leads)}\0{part}\0{display}\0{link.embed}"

        return lines_of(self._read(state, path), shown)

    def data(self, blob: Blob) -> bytes:
        """Return the bytes of a file."""
        return self._read_blob(blob)

    def text(self, state: int, path: str, to: str) -> bytes:
        """Return the text of a note in a state, respelled for its path in the merged tree."""
        return self._respelled(self._respellers[state], self._read(state, path), path, to)

    def _respelled(self, respeller: Respeller, data: bytes, path: str, to: str) -> bytes:
        return respeller.rewrite(data, path, to) if is_note(path) else respeller.canvas(data, path, to)

    def spelled_like(self, base: bytes, text: bytes, path: str, state: int) -> bytes:
        """Return a text of a state, with the line of the base for each line that differs only in the spelling of links.

        Both texts are respelled for the path `path` in the merged tree.
        """

        def shown(of: int, link: Link) -> str | None:
            leads = resolve(self._after, link.target, path).path if link.target else path
            leads = leads or self._gone(link, path, of)
            return f"{leads}\0{link.subpath}\0{link.display}\0{link.embed}" if leads else None

        if text == base:
            return text
        old, new = (lines_of(data, functools.partial(shown, of)) for data, of in ((base, BASE), (text, state)))
        return spelled_like(old, new)

    @functools.cached_property
    def has_lost_moves(self) -> bool:
        """Whether a side moved a file that the other side deleted. Then links with the new name may lead nowhere."""
        moved = (Id(BASE, old) for side in self._sides.values() for old in side.moved)
        return any(self.placement.root(one) not in self.placement.paths for one in moved)

    def _gone(self, link: Link, path: str, of: int) -> str | None:
        """Return the identity, as text, of the file that a link led to and that is not in the merged tree.

        `of`: the state of the link's text. It comes first: in another state, another file may have had the link's name.
        """
        for state in sorted(self._state_files, key=lambda one: one != of):
            files = self._state_files[state]
            target = files.target(link, path)
            if target is not None:
                return str(self.placement.identity(state, target))
            deleted = files.deleted_target(link, path)
            if deleted is not None:
                return str(Id(BASE, files.deleted_at[deleted]))
        return None

    def respelled_untouched(self) -> dict[str, NewFile]:
        """Return the files that no side touched and whose links need another spelling, by path."""
        found = {}
        for path, blob in self._here.blobs(self._untouched_with_new_links()).items():
            new = self._respelled_untouched(path, blob)
            if new is not None:
                found[path] = new
        return found

    def _respelled_untouched(self, path: str, blob: Blob) -> NewFile | None:
        """Return an untouched file with respelled links; None if none of its links changes."""
        try:
            data = self._read_blob(blob)
        except TooLarge:
            return None
        new = self._respelled(self._respellers[BASE], data, path, path) if blob.is_plain else data
        return NewFile(blob.mode, new) if new != data else None

    def _untouched_with_new_links(self) -> list[str]:
        """Return the paths of the untouched notes with a link whose target may change, and of untouched canvases."""
        base, place = self._present(BASE), self.placement
        moved = {path for old in base if (new := place.path(BASE, old)) != old for path in (old, new) if path}
        renamed = {path for path in (base ^ self._final) | moved | self._divided if not is_hidden(path)}
        if not renamed:
            return []
        others = (path for path, diff in self._here.diffs.items() if diff.before)  # the index has no such text
        notes = (path for path in others if is_note(path) or fold(path).endswith(CANVAS))
        found = {*self._here.could_mean(renamed), *self._here.catalog.canvases, *notes}
        return sorted(path for path in found if path not in self.touched and path not in self._here.own)

    def _parts(self, state: int) -> dict[str, Callable[[Aim], Aim | None]]:
        """Return the parts of notes that the other side moved, by the present and former paths of the notes."""
        parts: dict[str, Callable[[Aim], Aim | None]] = {**self._renamed(state), **self._extracted(state)}
        side = self._sides.get(state)
        old_paths = {**side.former, **side.moved_by_hand} if side else {}
        return {old: parts[new] for old, new in old_paths.items() if new in parts} | parts

    def _renamed(self, state: int) -> dict[str, Renamed]:
        """Return the block ids that the other side renamed in a merge, by the path in a state of the merged note."""
        renamed: dict[str, Renamed] = {}
        for side_state, side in self._sides.items():
            for lost, to in side.merged.items() if side_state != state else ():
                target, path = self.placement.identity(side_state, to), self.placement.path(side_state, to)
                if target.state != BASE or path is None or not (is_note(lost) and is_note(to)):
                    continue
                try:
                    texts = (self._read(BASE, one) for one in (lost, target.path))
                    ids = names_after_merge(*texts).ids
                    parts = Renamed(ids, self._outline(side_state, to), path) if ids else None
                except TooLarge:
                    continue
                there = self.placement.on(state, Id(BASE, lost))
                renamed |= {one: parts for one in (lost, there) if one and parts}
        return renamed

    def _extracted(self, state: int) -> dict[str, ExtractedParts]:
        """Return the parts that the other side extracted, by the path in a state of the note that they were in."""
        found: dict[str, ExtractedParts] = {}
        for side_state, side in self._sides.items():
            for source, target in side.extracted if side_state != state else ():
                one, to = self.placement.identity(side_state, source), self.placement.path(side_state, target)
                if one.state != BASE or to is None or not (is_note(source) and is_note(target)):
                    continue
                try:
                    before = self._outline(BASE, one.path)
                    parts = ExtractedParts(
                        before, self._outline(side_state, source), self._outline(side_state, target), to
                    )
                except TooLarge:
                    continue
                found |= {path: parts for each in (BASE, state) if (path := self.placement.on(each, one))}
        return found

    def _outline(self, state: int, path: str) -> Outline:
        return Outline(as_utf8(body_of(self._read(state, path))))


def _lines_of(data: bytes, link: Link) -> list[bytes]:
    """Return the lines of a text that a link is in."""
    start, end = data.rfind(b"\n", 0, link.start) + 1, data.find(b"\n", link.end)
    return data[start : end if end >= 0 else len(data)].split(b"\n")
