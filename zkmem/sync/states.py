"""The three states of a merge, which are the base and both sides: their files, and their texts with respelled links."""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from zkmem.edit.respell import Respeller
from zkmem.errors import Inexpressible, TooLarge
from zkmem.index.catalog import Catalog, ProjectedCatalog
from zkmem.index.resolve import Files, resolve
from zkmem.markdown.links import Link, as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import is_note
from zkmem.sync.meanings import Extracted, parts_of, respellers
from zkmem.sync.placement import BASE, FIRST, SECOND, Placement
from zkmem.sync.sides import Side
from zkmem.util.threeway import hunks
from zkmem.vault.git.trees import Blob, Diff, NewFile
from zkmem.vault.paths import is_hidden

_MOST_NOTES = 20_000  # in the cache of the unchanged links

Read = Callable[[Blob], bytes]
"""Returns the bytes of a file.

Raises TooLarge when it is larger than a note may be.
"""


class Here(NamedTuple):
    """The files of the vault on this machine, from which the files that neither side touched are known."""

    catalog: Catalog  # the files of the vault
    diffs: Mapping[str, Diff]  # the files that differ between the base and the vault
    blobs: Callable[[Collection[str]], Mapping[str, Blob]]  # returns the untouched files at some paths, by path
    could_mean: Callable[[Collection[str]], Iterable[str]]  # returns the notes with a link that may mean a path
    ignored: Collection[str] = ()  # files of the vault that git ignores


class States:
    """The states of a merge, and the texts of their notes respelled for the merged tree."""

    def __init__(self, first: Side, second: Side, here: Here, read: Read) -> None:
        self._sides = {FIRST: first, SECOND: second}
        self._here = here
        self._read_blob = read
        self.touched = {*first.diffs, *second.diffs}
        self.placement = Placement(first, second, self._is_edited, self._base_below)
        self._final = set(self.placement.paths.values())
        self.touched |= self._final
        files = {state: self._files(self._present(state)) for state in (BASE, FIRST, SECOND)}
        self._after = self._files(self._final)
        parts = {state: parts_of(self._extracted(state)) for state in files}
        unchanged = functools.lru_cache(maxsize=_MOST_NOTES)(self._unchanged)
        self._respellers = respellers(files, self._after, self.placement, unchanged, parts)

    def _present(self, state: int) -> set[str]:
        return {path for path in self.touched if self.blob(state, path) is not None}

    def _files(self, present: Collection[str]) -> Files:
        """Return the files of a state. `present`: the touched paths that have a file in this state."""
        others = self._here.diffs.keys() - self.touched
        present = {*present, *(path for path in others if self._here.diffs[path].before)}
        own = {path for path in (*self.touched, *others) if path in self._here.catalog}
        gone = dict.fromkeys([*(own - present), *self._here.ignored])
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

    def _base_below(self, folder: str) -> list[str]:
        """Return the files of the base below a folder."""
        below = folder + "/"
        here = (path for path in self._here.catalog.below([folder]) if path not in self.touched)
        return [*here, *(path for path in self.touched if path.startswith(below) and self.blob(BASE, path))]

    def _read(self, state: int, path: str | None) -> bytes:
        """Return the bytes of the file at a path in a state; no bytes if there is none."""
        blob = self.blob(state, path) if path is not None else None
        return self._read_blob(blob) if blob else b""

    def _unchanged(self, state: int, path: str) -> frozenset[int]:
        """Return the offsets of the links in those lines of a note that are also in the base."""
        origin = self.placement.identity(state, path)
        if origin.state != BASE or not is_note(path):
            return frozenset()
        try:
            base, data = self._read(BASE, origin.path), self._read(state, path)
        except TooLarge:
            return frozenset()
        lines = set(base.split(b"\n"))
        return frozenset(link.start for link in find_links(data) if lines.issuperset(_lines_of(data, link)))

    def _is_edited(self, state: int, base_path: str) -> bool:
        """Return whether a side changed more than links in a file of the base."""
        path = self._sides[state].path(base_path)
        one, other = self.blob(BASE, base_path), self.blob(state, path) if path else None
        if path is None or one == other:
            return False
        if not is_note(base_path) or is_hidden(base_path):
            return one != other
        try:
            return self._without_links(BASE, base_path) != self._without_links(state, path)
        except TooLarge:
            return True

    def _without_links(self, state: int, path: str) -> bytes:
        """Return the text of a note without the targets of its links."""
        data, result, at = self._read(state, path), b"", 0
        for link in find_links(data):
            result += data[at : link.start] + b"[]"
            at = link.end
        return result + data[at:]

    def text(self, state: int, path: str, to: str) -> bytes:
        """Return the text of a note in a state, respelled for its path in the merged tree."""
        return self._respelled(self._respellers[state], self._read(state, path), path, to)

    def _respelled(self, respeller: Respeller, data: bytes, path: str, to: str) -> bytes:
        try:
            return respeller.rewrite(data, path, to) if is_note(path) else respeller.canvas(data, path, to)
        except Inexpressible:  # a link cannot be written at its place: it stays, and `check` reports it
            return data

    def spelled_like(self, base: bytes, side: bytes, path: str) -> bytes:
        """Return a side's text. Lines that differ from the base only in the spelling of links are those of the base."""
        lines, own = base.split(b"\n"), side.split(b"\n")
        meant, own_meant = (self._meant(text, path) for text in (base, side))
        result: list[bytes] = []
        at = 0
        for hunk in hunks(meant, own_meant):
            result += lines[at : hunk.start]
            result += own[len(result) : len(result) + len(hunk.lines)]
            at = hunk.end
        return b"\n".join([*result, *lines[at:]])

    def _meant(self, data: bytes, path: str) -> list[str]:
        """Return the lines of a text, in which each link has the path of its file in place of its target."""
        result, at = "", 0
        for link in find_links(data):
            meaning = resolve(self._after, link.target, path).path if link.target else None
            if meaning is not None:
                lines = data.count(b"\n", link.start, link.end)
                result += data[at : link.start].decode(errors="surrogateescape")
                result += f"\0{meaning}\0{link.subpath}\0{link.display}\0{link.embed}" + "\n" * lines
                at = link.end
        return (result + data[at:].decode(errors="surrogateescape")).split("\n")

    def respelled_untouched(self) -> dict[str, NewFile]:
        """Return the files that no side touched and whose links need another spelling, by path."""
        found = {}
        for path, blob in self._here.blobs(self._unchanged_with_new_links()).items():
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

    def _unchanged_with_new_links(self) -> list[str]:
        """Return the paths of the untouched notes with a link whose target may change, and of untouched canvases."""
        base = self._present(BASE)
        renamed = {path for path in base ^ self._final if not is_hidden(path)}
        if not renamed:
            return []
        found = {*self._here.could_mean(renamed), *self._here.catalog.canvases}
        return sorted(path for path in found if path not in self.touched and path not in self._here.ignored)

    def _extracted(self, state: int) -> dict[str, Extracted]:
        """Return the parts that the other side extracted, by the path in a state of the note that they were in."""
        found: dict[str, Extracted] = {}
        for side_state, side in self._sides.items():
            for source, target in side.extracted if side_state != state else ():
                one, to = self.placement.identity(side_state, source), self.placement.path(side_state, target)
                if one.state != BASE or to is None or not (is_note(source) and is_note(target)):
                    continue
                try:
                    before = self._outline(BASE, one.path)
                    parts = Extracted(before, self._outline(side_state, source), self._outline(side_state, target), to)
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
