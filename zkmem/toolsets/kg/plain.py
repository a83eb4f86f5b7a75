"""Notes that are no entities, as entities of the type `note`: each line of their text is an observation.

They are read when an answer needs them, and an answer has few of them, since a vault may have any number.
"""

from collections.abc import Iterable, Iterator

from zkmem.records.pages import Page, Pages
from zkmem.toolsets.kg.answers import entity_text
from zkmem.toolsets.kg.graph import Graph, Record
from zkmem.toolsets.kg.layout import Layout
from zkmem.toolsets.kg.serialization import read_observation
from zkmem.toolsets.record_properties import is_raw

MOST = 20  # notes in an answer
_MOST_CHARACTERS = 4_000  # of a note
_MOST_PARSED = 4 * _MOST_CHARACTERS  # since relations and blank lines are not shown
_KIND = "note"


def paths_of(pages: Pages, names: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the notes with some names; a name with a slash may be the path of a note."""
    for name in names:
        there = [page.path for page in pages.called(name)]
        yield from there or filter(None, [pages.resolve(name) if "/" in name else None])


def notes(pages: Pages, graph: Graph, paths: Iterable[str]) -> Iterator[tuple[Page, Record]]:
    """Yield those notes at some paths that have text and are no entities, each once, and each as an entity."""
    for path in dict.fromkeys(paths):
        page = pages.page(path) if path in graph.others else None
        if page and not page.fault and not is_raw(page) and (one := record(page)):
            yield page, one


def observations(body: str) -> list[str]:
    """Return the lines of a note without its relations; an item of a list is one, with all its lines."""
    return [read_observation(text) if is_item else text.strip() for text, is_item in Layout.of(body).own_texts()]


def record(page: Page) -> Record | None:
    """Return a note as an entity with its first observations, the last of which says if there are more; None if empty.

    Only the beginning of a long note is parsed, unless that has relations and blank lines only.
    """
    body = page.body
    begin = body[: body.rfind("\n", 0, _MOST_PARSED) + 1 or _MOST_PARSED] if len(body) > _MOST_PARSED else body
    texts = observations(begin)
    if not texts:
        begin, texts = body, observations(body)
    shown: list[str] = []
    room = _MOST_CHARACTERS
    for text in texts:
        room -= len(text)
        if room < 0 and shown:
            break
        shown.append(text if room >= 0 else f"{text[:_MOST_CHARACTERS]} (cut here)")
    if len(shown) < len(texts) or len(begin) < len(body):
        shown.append("(cut here: the note is longer)")
    text = entity_text(page.name, _KIND, shown)
    return Record(page.path, page.etag, page.name, _KIND, "", tuple(shown), (), text=text) if texts else None
