"""Suggest what a person may mean: notes and headings for links that lead to none, and a name for a passage."""

import itertools
from collections.abc import Sequence

from zkmem.errors import AmbiguousName, BadName, UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.lookup import candidates, find_note, known_note, nearest
from zkmem.index.resolve import cleaned
from zkmem.markdown.links import as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import base_of, check_part, fold, folder_of, is_note
from zkmem.recall.lines import labelled, one_line, without_lead
from zkmem.util.spelling import spelled_alike

_COUNT = 3
_LEAST_ALIKE = 0.4  # how similar a heading must be, from 0 to 1
_LONGEST = 60  # characters of a name
_FIRST_BYTES = 1_000  # of a passage, which may hold a whole line
_UNNAMED = "Extract"


class _NamesOfOneMoment:
    """A catalog that another thread may change, with the names that it had at one moment."""

    def __init__(self, catalog: Catalog, bases: Sequence[str]) -> None:
        self._bases = bases
        self.at, self.named = catalog.at, catalog.named
        self._rows = catalog.rows

    def __contains__(self, path: object) -> bool:
        return path in self._rows

    def bases(self) -> Sequence[str]:
        return self._bases


def notes_like(catalog: Catalog, bases: Sequence[str], target: str) -> list[str]:
    """Return the paths of the notes whose names are most like the target of a link that leads to none.

    `bases`: a copy of `catalog.bases()`. To compare all names takes long, so the thread must not hold the index.
    """
    found, names = [], _NamesOfOneMoment(catalog, bases)
    for name in nearest(names, target, _COUNT):
        try:
            found.append(known_note(names, name))
        except (AmbiguousName, UnknownNote, BadName):  # no name means this note alone
            continue
    return found


def namesakes(catalog: Catalog, path: str) -> list[str]:
    """Return the paths of other notes whose names have the same last part as that of a note."""
    return sorted(one for one in catalog.named(base_of(fold(path))) if one != path and is_note(one))[:_COUNT]


def note_named(catalog: Catalog, text: str) -> str | None:
    """Return the note that a text in the vault's root would mean as a link; None if none or several could be meant."""
    try:
        return find_note(catalog, text) if cleaned(text) == text else None
    except (AmbiguousName, BadName):
        return None


def parts_like(data: bytes, subpath: str) -> list[str]:
    """Return the subpaths of the headings or blocks of a note that are most like one that leads to none."""
    outline = Outline(as_utf8(body_of(data)))
    if subpath.startswith("#^"):
        known = {one.text for one in outline.ids()}
        return [f"#^{text}" for text in spelled_alike(subpath[2:].lower(), known, _COUNT, _LEAST_ALIKE)]
    numbered = [*enumerate(outline.headings)][::-1]  # of several that are alike, a link leads to the first
    headings = {fold(heading.linked): at for at, heading in numbered if heading.text}
    alike = spelled_alike(fold(subpath.rpartition("#")[2]), headings, _COUNT, _LEAST_ALIKE)
    subpaths = (outline.subpath_to(at, f"#{outline.headings[at].linked}") for at in map(headings.__getitem__, alike))
    return [subpath for subpath in subpaths if subpath is not None]


def passage_name(catalog: Catalog, path: str, data: bytes, start: int, end: int) -> str:
    """Return a free name, in the folder of the note at `path`, for a passage of its text: its first words."""
    passage = data[start:end].lstrip()[:_FIRST_BYTES].partition(b"\n")[0].strip()
    line = without_lead(labelled(passage, 0, len(passage), find_links(passage)))
    name, folder = _allowed(one_line(line)) or _UNNAMED, folder_of(path)
    names = (f"{name} {number}" if number else name for number in itertools.count())
    whole = (f"{folder}/{one}" if folder else one for one in names)
    return next(one for one in whole if not candidates(catalog, one))


def _allowed(text: str) -> str:
    """Return the beginning of a text, whole words without the characters that no name can have; "" if none is left."""
    kept = "".join(char for char in text if _is_allowed(f"x{char}x"))
    short = kept if len(kept) <= _LONGEST else kept[:_LONGEST].rpartition(" ")[0] or kept[:_LONGEST]
    name = " ".join(short.split()).strip(" .,;:")
    return name if name and _is_allowed(name) else ""


def _is_allowed(part: str) -> bool:
    try:
        check_part(part, part)
    except BadName:
        return False
    return True
