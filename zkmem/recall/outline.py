"""Show the headings of a note with the sizes of their sections, so that a caller can choose what to read."""

from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline

WHOLE = "#"
"""The subpath that stands for the outline of a note."""

_MOST = 50  # headings; with more, the deepest ones are left out


def outline(text: str, name: str) -> str:
    """Return a line for each heading of a note, with the number of characters of the section below it."""
    parsed = Outline(body_of(text.encode()))
    headings = parsed.headings
    if not any(one.linked for one in headings):
        return f"{name} has no headings."
    places = _characters(parsed.body, [one.start for one in headings])
    sizes, later = [0] * len(headings), list[int]()
    for at in range(len(headings) - 1, -1, -1):  # `later` has the next heading of each level that ends a section
        while later and headings[later[-1]].level > headings[at].level:
            later.pop()
        sizes[at] = (places[later[-1]] if later else places[-1]) - places[at]
        later.append(at)
    levels = sorted({one.level for one in headings})
    deepest = next((n for n in reversed(levels) if sum(one.level <= n for one in headings) <= _MOST), levels[0])
    lines = [
        f"{'#' * one.level} {one.linked} ({size})"
        for one, size in zip(headings, sizes, strict=True)
        if one.linked and one.level <= deepest
    ]
    left = sum(bool(one.linked) for one in headings) - len(lines[:_MOST])
    more = [f"{left} more headings are left out."] if left else []
    return "\n".join([f"Sections of {name}, with their characters; read one as {name}#HEADING:", *lines[:_MOST], *more])


def _characters(body: bytes, starts: list[int]) -> list[int]:
    """Return how many characters are before each of these bytes, and how many there are."""
    places, count = [0], 0
    for start, end in zip([0, *starts], [*starts, len(body)], strict=True):
        count += len(body[start:end].decode(errors="replace"))
        places.append(count)
    return places[1:]
