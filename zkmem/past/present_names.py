"""Respell an older text, so that each link leads to the file that it meant, whatever that is called by now."""

from collections.abc import Callable

from zkmem.index.catalog import CANVAS, Catalog
from zkmem.index.resolve import Files, resolve
from zkmem.index.respell import Meaning, Respeller
from zkmem.markdown.lines import lines_of, spelled_like
from zkmem.markdown.links import Link
from zkmem.names import fold, is_note
from zkmem.past.names import Names, PlannedMoves
from zkmem.util.threeway import merged


class PresentNames:
    """The names that files have after an edit, for texts of earlier moments."""

    def __init__(
        self,
        names: Names,
        catalog: Catalog,
        planned: PlannedMoves,
        after: Files,
        has: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`names`: since the earliest of the texts; `catalog`, `after`: the files before and after the edit.

        `has`: whether the caller may see the file at a path; a link to another file stays as it is.
        """
        self._names, self._catalog, self._planned, self._after, self._has = names, catalog, planned, after, has
        self._respellers: dict[int, Respeller] = {}  # by moment

    def text(self, data: bytes, path: str, number: int, to: str) -> bytes:
        """Return a text that the file at `path` had at a moment, respelled for the path `to`.

        Raises:
            Inexpressible: when a link cannot be written at its place.
        """
        is_canvas = fold(path).endswith(CANVAS)
        if not is_canvas and not (is_note(path) and b"[" in data):
            return data
        if number not in self._respellers:
            self._respellers[number] = Respeller(_Meanings(self, number), self._after, has=self._has)
        respeller = self._respellers[number]
        return respeller.canvas(data, path, to) if is_canvas else respeller.rewrite(data, path, to)

    def merged(self, base: bytes, mine: bytes, theirs: bytes, path: str) -> bytes:
        """Return the text `theirs` with the changes from `base` to `mine`. All three are respelled for a path.

        Lines that differ only in the spelling of links are equal.

        Raises:
            Conflict: when both have changed the same lines.
        """
        lines = [lines_of(data, lambda link: self._shown(link, path)) for data in (theirs, base, mine)]
        base = spelled_like(*lines[:2])
        mine = spelled_like(lines_of(base, lambda link: self._shown(link, path)), lines[2])
        texts = (data.decode("utf-8", "surrogateescape") for data in (base, mine, theirs))
        return merged(*texts).encode("utf-8", "surrogateescape")

    def _shown(self, link: Link, path: str) -> str | None:
        leads = resolve(self._after, link.target, path).path
        return f"{leads}\0{link.subpath}\0{link.display}\0{link.embed}" if leads else None

    def meaning(self, target: str, source: str, number: int) -> Meaning | None:
        """Return what a link in the file `source` meant at a moment; None if it must stay as it is."""
        found = self._names.target(self._catalog, target, source, number, self._planned)
        if found is None:
            return None
        there = self._after.at(fold(found.path))
        path = there[0] if there and found.path not in there else found.path
        return Meaning(found.was, path, is_gone=not there) if self._has(path) else None


class _Meanings:
    """What the links of texts of one moment meant."""

    def __init__(self, names: PresentNames, number: int) -> None:
        self._names, self._number = names, number

    def of_link(self, link: Link, source: str) -> Meaning | None:
        """Return what a link meant; None if it must stay as it is."""
        return self._names.meaning(link.target, source, self._number) if link.target else None

    def of_file(self, path: str) -> Meaning | None:
        """Return what a path in a canvas meant; None if it must stay as it is."""
        return self._names.meaning("/" + path, "", self._number)
