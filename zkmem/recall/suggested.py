"""Suggest what a person may mean: notes and headings for links that lead to none, and a name for a passage."""

import itertools
from collections.abc import Collection, Iterable

from zkmem.errors import AmbiguousName, BadName
from zkmem.index.catalog import Catalog
from zkmem.index.lookup import Misspelt, candidates, find_note, last_part
from zkmem.index.resolve import cleaned
from zkmem.markdown.links import as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.one_line import labelled, one_line, without_lead
from zkmem.markdown.sections import Outline
from zkmem.names import NOTE_SUFFIX, base_of, check_part, fold, folder_of, is_note
from zkmem.util.likeness import Likeness, nearby, numbers

_COUNT = 3
_APART = 5  # characters that a misspelt name has too many or too few, blanks and hyphens included
_LONGEST = 60  # characters of a name
_FIRST_BYTES = 1_000  # of a passage, which may hold a whole line
_UNNAMED = "Extract"


def note_like(catalog: Catalog, bases: Iterable[str], target: str) -> str | None:
    """Return the path of the only note whose name the target of a link misspells; None if there is none.

    `bases`: a copy of `catalog.bases()`. To look at all names takes long, so the thread must not hold the index.
    """
    misspelt = last_part(target)
    length = len(misspelt) + len(NOTE_SUFFIX)
    names = (base.removesuffix(NOTE_SUFFIX) for base in bases if abs(len(base) - length) <= _APART and is_note(base))
    near = nearby(misspelt, names)
    return Misspelt(path for name in near for path in catalog.named(name + NOTE_SUFFIX)).note(target)


def namesakes(catalog: Catalog, path: str) -> list[str]:
    """Return the paths of other notes whose names have the same last part as that of a note."""
    return sorted(one for one in catalog.named(base_of(fold(path))) if one != path and is_note(one))[:_COUNT]


def note_named(catalog: Catalog, text: str) -> str | None:
    """Return the note that a text in the vault's root would mean as a link; None if none or several could be meant."""
    try:
        return find_note(catalog, text) if cleaned(text) == text else None
    except (AmbiguousName, BadName):
        return None


def part_like(data: bytes, subpath: str) -> str | None:
    """Return the subpath of the only heading or block whose name `subpath` misspells or abbreviates; else None."""
    outline = Outline(as_utf8(body_of(data)))
    if subpath.startswith("#^"):
        block_id = _meant(subpath[2:].lower(), {one.text for one in outline.ids()})
        return f"#^{block_id}" if block_id else None
    numbered = [*enumerate(outline.headings)][::-1]  # of several that are alike, a link leads to the first
    headings = {fold(heading.linked): at for at, heading in numbered if heading.text}
    text = _meant(fold(subpath.rpartition("#")[2]), headings)
    return outline.subpath_to(headings[text], f"#{outline.headings[headings[text]].linked}") if text else None


def _meant(text: str, names: Collection[str]) -> str | None:
    """Return the only name that a text misspells, else the only one that begins with it; or None.

    No number is cut in two: `Version 12` does not begin with `Version 1`.
    """
    if name := Likeness(names).meant(text):
        return name
    required = numbers(text)
    longer = [one for one in names if one.startswith(text) and numbers(one)[: len(required)] == required]
    return longer[0] if text and len(longer) == 1 else None


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
