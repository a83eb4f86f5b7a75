"""Find the note `hint`, where readers begin, and say what is wrong with it."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import is_missing, written_targets
from zkmem.index.index import Index
from zkmem.index.lookup import known_note, name_for
from zkmem.markdown.private import is_private
from zkmem.names import ENTRY, base_of, below, fold, is_note, name_of
from zkmem.recall.ranking import Ranking
from zkmem.util.spelling import number_of, told_apart
from zkmem.vault.files import Read

FIRST_HINT = """\
This memory is new. Models and people begin to read here: write in a few sentences whom and what it is for, and link \
each note that is worth starting from, with the words that say why.
"""
"""The text of `hint` in a new vault. A draft replaces it if it is unchanged."""

MOST_LINKS = 30  # the start of a session has no space for more: see docs/explanation/ranking.md
HEAVIEST = 10  # hints that the note should link to: the default number of `get_hints`
LEAST_SESSIONS = 10

_LEAST_WEIGHT = 2.0  # a note with less is no place to start from
_NAMED = 5


class UsedNotes(NamedTuple):
    """How many sessions of clients with hooks there were, and the names of the notes that they used."""

    sessions: int = 0
    names: Collection[str] = ()


class EntryState(NamedTuple):
    """The note `hint` and what is wrong with it; `sentences` is empty if all is well.

    `missing`: targets of its links that do not exist; `unlinked`: the heaviest notes that it does not link to;
    `unopened`: notes that it links to, that are older than it, and that no session has opened.
    """

    name: str
    exists: bool
    links: int
    missing: list[str]
    unlinked: list[str]
    unopened: list[str]
    sentences: list[str]


def entry_path(catalog: Catalog, folder: str) -> str:
    """Return the path of the note `hint` in a folder; if there is none, the path that it would have."""
    path = f"{folder}/{ENTRY}.md".removeprefix("/")
    alike = (one for one in catalog.at(fold(path)) if below(one, folder))
    return path if path in catalog else next(alike, path)


def entry_state(index: Index, ranking: Ranking, folder: str, read: Read, used: UsedNotes) -> EntryState:
    """Return the state of the note `hint` of a caller who sees a folder. The caller holds the lock of the index."""
    catalog = index.catalog
    path = entry_path(catalog, folder)
    exists = path in catalog
    targets = index.links.following(path) if exists else ()
    missing = list(written_targets(catalog, path, catalog.facts(path), targets).values()) if exists else []
    hints = [
        one for one in ranking.hints(HEAVIEST + 1, folder, "weight", folder) if one.name != name_for(catalog, path)
    ]
    heavy = [one.name for one in hints[:HEAVIEST] if one.weight >= _LEAST_WEIGHT]
    linked = {name_for(catalog, target): target for target in targets if is_note(target) and not is_missing(target)}
    unlinked = [name for name in heavy if name not in linked and not _is_private(known_note(catalog, name), read)]
    unopened = _unopened(catalog, path, linked, used) if used.sessions >= LEAST_SESSIONS else []
    links = index.links.count(path) if exists else 0
    state = EntryState(name_for(catalog, path), exists, links, missing, unlinked, unopened, [])
    return state._replace(sentences=_sentences(state, used.sessions))


def _is_private(path: str, read: Read) -> bool:
    try:
        return is_private(path, read(path))
    except OSError:
        return True  # it cannot be read, so nobody can begin there


def _unopened(catalog: Catalog, entry: str, linked: dict[str, str], used: UsedNotes) -> list[str]:
    """Return the linked notes that are older than the entry, and that no session has used under any name."""
    since = catalog.rows[entry].stamp.mtime_ns
    bases = {fold(base_of(name_of(name))) for name in used.names}
    return [
        name
        for name, path in linked.items()
        if catalog.rows[path].stamp.mtime_ns <= since and fold(base_of(name_of(path))) not in bases
    ]


def _sentences(state: EntryState, sessions: int) -> list[str]:
    name, sentences = told_apart([state.name])[0], list[str]()
    if state.missing:
        sentences.append(f"{name} links to notes that do not exist: {_first(state.missing)}.")
    if state.unlinked and not state.exists:
        sentences.append(
            f"There is no note {name}, where readers begin; make it with links to: {_first(state.unlinked)}."
        )
    elif state.unlinked:
        sentences.append(f"{name} does not link to some of the {HEAVIEST} heaviest notes: {_first(state.unlinked)}.")
    if state.unopened:
        named = _first(state.unopened)
        sentences.append(f"{name} links to notes that none of the last {sessions} sessions opened: {named}.")
    if state.links > MOST_LINKS:
        links = number_of(state.links, "link")
        sentences.append(f"{name} has {links}; with more than {MOST_LINKS}, a reader does not see where to begin.")
    return sentences


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(told_apart(names[:_NAMED])) + more
