"""Respell an older text: each link to a file that has another name now gets the present name."""

from collections.abc import Callable
from typing import NamedTuple

from zkmem.index.catalog import CANVAS, Catalog
from zkmem.index.resolve import Files, cleaned, resolve
from zkmem.index.respell import Meaning, Respeller, Scan
from zkmem.markdown.lines import Line, compared, lines_of, spelled_like
from zkmem.markdown.links import Link, find_links
from zkmem.names import NOTE_SUFFIX, base_of, fold, is_note
from zkmem.past.names import Names, PlannedMoves
from zkmem.past.old_texts import OldText
from zkmem.util.threeway import merged

LINKS_UPDATED = "updated the links to notes that were renamed since"
"""The remark about an edit that writes an older text with present names."""


class Sources(NamedTuple):
    """Older texts of a note from which somebody has made a new one.

    A link of the new text whose line is in `shown`, but not in `base`, means what it meant in `shown`. A link with the
    name of a link of `base` means what it meant in `base`. Any other link means the present file or, if there is none,
    what it meant in the first of these texts in which it meant a file.
    """

    base: OldText | None = None  # the text that was changed; at the moment `NOW`, if it is the present one
    shown: OldText | None = None  # another one that the writer was shown
    same: OldText | None = None  # one that equals the new text

    @property
    def texts(self) -> list[OldText]:
        """The texts, in this order."""
        return [one for one in self if one is not None]


class PresentNames:
    """Respells texts of earlier moments with the names that files have after an edit."""

    def __init__(
        self,
        names: Names,
        catalog: Catalog,
        planned: PlannedMoves,
        after: Files,
        has: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`names`: since the earliest of the texts; `catalog`, `after`: the files before and after the edit.

        `has`: whether the caller may see the file at a path; links to other files stay as they are.
        """
        self._names, self._catalog, self._planned, self._after, self._has = names, catalog, planned, after, has
        self._respellers: dict[int, Respeller] = {}  # by moment

    def text(self, data: bytes, path: str, number: int, to: str) -> bytes:
        """Return a text that the file at `path` had at a moment, respelled for the path `to`."""
        is_canvas = fold(path).endswith(CANVAS)
        if not is_canvas and not (is_note(path) and b"[" in data):
            return data
        if number not in self._respellers:
            self._respellers[number] = Respeller(_Meanings(self, number), self._after, has=self._has)
        respeller = self._respellers[number]
        return respeller.canvas(data, path, to) if is_canvas else respeller.rewrite(data, path, to)

    def edited(self, text: str, path: str, sources: Sources, scan: Scan = find_links) -> str:
        """Return a text that somebody has made from some older texts of a note, respelled for a path.

        `scan`: see `Respeller.rewrite`.
        """
        data, source = text.encode(errors="surrogateescape"), sources.base.path if sources.base else path
        meanings = _EditedMeanings(self, self._catalog, data, sources)
        new = Respeller(meanings, self._after, has=self._has).rewrite(data, source, path, scan=scan)
        return new.decode(errors="surrogateescape")

    def merged(self, base: str, mine: str, theirs: str, path: str) -> str:
        """Return the text `theirs` with the changes from `base` to `mine`. All three are respelled for a path.

        Lines that differ only in the spelling of links are equal.
        """
        now, old, new = (self._lines(text.encode(errors="surrogateescape"), path) for text in (theirs, base, mine))
        spelled = spelled_like(now, old)
        changed = spelled_like(self._lines(spelled, path), new)
        return merged(spelled.decode(errors="surrogateescape"), changed.decode(errors="surrogateescape"), theirs)

    def same(self, one: bytes, other: bytes, path: str) -> bool:
        """Return whether two texts for a path differ at most in the spelling of links.

        Two links that lead nowhere are equal if the last components of their targets are equal.
        """

        def lines(data: bytes) -> list[str]:
            return compared(lines_of(data, lambda link: self._shown(link, path) or _shown_as(_name(link), link)))

        return one == other or lines(one) == lines(other)

    def _lines(self, data: bytes, path: str) -> list[Line]:
        return lines_of(data, lambda link: self._shown(link, path))

    def _shown(self, link: Link, path: str) -> str | None:
        target = resolve(self._after, link.target, path).path
        return _shown_as(target, link) if target else None

    def meaning(self, target: str, source: str, number: int) -> Meaning | None:
        """Return what a link in the file `source` meant at a moment; None if it must stay as it is."""
        target_then = self._names.target(self._catalog, target, source, number, self._planned)
        if target_then is None:
            return None
        there = self._after.at(fold(target_then.path))
        path = there[0] if there and target_then.path not in there else target_then.path
        return Meaning(target_then.was, path, is_gone=not there) if self._has(path) else None


class _Meanings:
    """The meanings of links in the texts of one moment."""

    def __init__(self, names: PresentNames, number: int) -> None:
        self._names, self._number = names, number

    def of_link(self, link: Link, source: str) -> Meaning | None:
        """Return what a link meant; None if it must stay as it is."""
        return self._names.meaning(link.target, source, self._number) if link.target else None

    def of_file(self, path: str) -> Meaning | None:
        """Return what a path in a canvas meant; None if it must stay as it is."""
        return self._names.meaning("/" + path, "", self._number)


class _EditedMeanings:
    """The meanings of links in a text that was made from older texts: see `Sources`."""

    def __init__(self, names: PresentNames, catalog: Catalog, data: bytes, sources: Sources) -> None:
        self._names, self._catalog, self._data, self._sources = names, catalog, data, sources
        base, shown = sources.base, sources.shown
        self._known = {_name(link) for link in find_links(base.data)} if base else set[str]()
        self._lines = _lines(shown.data).difference(_lines(base.data) if base else ()) if shown else set[bytes]()

    def of_link(self, link: Link, source: str) -> Meaning | None:
        """Return what a link means; None if it must stay as it is."""
        if not link.target:
            return None
        made_from = self._made_from(link)
        meant = made_from and self._names.meaning(link.target, made_from.path, made_from.number)
        if meant is None and (path := resolve(self._catalog, link.target, source).path) is not None:
            return Meaning(path, path)
        if meant is None:
            meanings = (self._names.meaning(link.target, one.path, one.number) for one in self._sources.texts)
            meant = next(filter(None, meanings), None)
        return None if meant and meant.is_gone else meant

    def _made_from(self, link: Link) -> OldText | None:
        """Return the older text that a link comes from; None if there is none."""
        end = self._data.find(b"\n", link.end)
        line = self._data[self._data.rfind(b"\n", 0, link.start) + 1 : None if end < 0 else end]
        if line.rstrip(b"\r") in self._lines:
            return self._sources.shown
        return self._sources.base if _name(link) in self._known else None

    def of_file(self, path: str) -> Meaning | None:
        """Return None: only notes are made from older texts."""


def _shown_as(target: str, link: Link) -> str:
    """Return the text that stands for a link where lines are compared. `target`: the file to which the link leads."""
    return f"{target}\0{link.subpath}\0{link.display}\0{link.embed}"


def _name(link: Link) -> str:
    """Return the last component of a link's target, in the form for comparison."""
    return base_of(fold(cleaned(link.target))).removesuffix(NOTE_SUFFIX)


def _lines(data: bytes) -> set[bytes]:
    """Return the lines of a text, without their ends."""
    return {line.rstrip(b"\r") for line in data.split(b"\n")}
