"""Find the links to headings and blocks that an edit of a note breaks: links in the note, and links to it."""

from collections.abc import Iterator

from zkmem.edit.plan import Fallout, View
from zkmem.errors import Changed, TooLarge, Unwritable
from zkmem.index.parts import LARGEST, NamedPart, absent, meant, part_links
from zkmem.markdown.links import as_utf8
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import name_of

_MOST_TARGETS = 20  # linked notes that are read to check the links of the edited note
_MOST_SOURCES = 50  # notes that are read to check their links to the edited note


def fallout(view: View, path: str, data: bytes, before: bytes | None) -> Fallout:
    """Return the missing headings and blocks that a note links to, and the linked ones that the edit removes from it.

    `data` are the note's new bytes; `before` are its present ones, if the edit may remove something. Large notes are
    not checked, and of the others only a limited number.
    """
    if len(data) > LARGEST:
        return Fallout()
    absent_parts = tuple(_absent(view, path, data))
    sources = [source for source in view.links.backlinks(path) if source != path and view.has(source)] if before else []
    if not before or not sources or len(before) > LARGEST:
        return Fallout(absent=absent_parts)
    old, new = Outline(as_utf8(body_of(before))), Outline(as_utf8(body_of(data)))
    if not _may_lose(old, new):
        return Fallout(absent=absent_parts)
    lost: dict[str, dict[str, None]] = {}
    checked = 0
    for source in sources[:_MOST_SOURCES]:
        text = _text(view, source)
        checked += text is not None
        for target, (subpath, slugs) in meant(view.catalog, source, part_links(text or b"")):
            if target == path and old.has(subpath, slugs=slugs) and not new.has(subpath, slugs=slugs):
                lost.setdefault(subpath, {})[source] = None
    cut_off = {subpath: tuple(notes) for subpath, notes in lost.items()}
    return Fallout(absent=absent_parts, cut_off=cut_off, unchecked=len(sources) - checked)


def _absent(view: View, path: str, data: bytes) -> Iterator[str]:
    """Yield the missing headings and blocks that a note links to: `Note#Heading`, or `#Heading` for its own."""
    by_target: dict[str, list[NamedPart]] = {}
    for target, part in meant(view.catalog, path, part_links(data)):
        by_target.setdefault(target, []).append(part)
    for target in list(by_target)[:_MOST_TARGETS]:
        text = data if target == path else _text(view, target) if view.has(target) else None
        if text is not None:
            gone = absent(text, by_target[target])
            name = "" if target == path else name_of(target)
            yield from (name + part.subpath for part in by_target[target] if part in gone)


def _may_lose(old: Outline, new: Outline) -> bool:
    """Return whether links to parts of a text may break: its headings have changed, or it has block ids.

    A block id that is still there names no block if the edit adds text after it in its paragraph.
    """
    before, after = (_levels_and_texts(outline) for outline in (old, new))
    old_headings = set(before)
    return any(True for _ in old.ids()) or [heading for heading in after if heading in old_headings] != before


def _levels_and_texts(outline: Outline) -> list[tuple[int, str]]:
    """Return the level and the text of each heading, each pair once."""
    return list(dict.fromkeys((heading.level, heading.text) for heading in outline.headings))


def _text(view: View, path: str) -> bytes | None:
    """Return the bytes of a note to check; None if the note is large or cannot be read."""
    row = view.catalog.rows.get(path)
    if row is None or row.stamp.size > LARGEST:
        return None
    try:
        return view.read(path)
    except (Changed, TooLarge, Unwritable):
        return None
