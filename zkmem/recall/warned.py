"""Warn about the texts that an edit has written: of keys, and of a note that says nearly the same as a new one.

Nothing is changed or merged, and no sentence holds a key. No measure tells for certain whether two notes say the same
or only have the same subject. This one is the share of the words of either note that are in both. Candidates have some
of the rarest words of the new note. `tests/tools/alike.py` measures it.
"""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.index.lookup import name_for
from zkmem.index.session import Session
from zkmem.markdown.note import body_of
from zkmem.markdown.private import is_private
from zkmem.markdown.secret import described, secrets_in
from zkmem.names import base_of, name_of
from zkmem.search.fulltext import IndexedNote
from zkmem.search.relevance import stems_in
from zkmem.search.retrieval import counts_of, with_any
from zkmem.search.search import Search
from zkmem.search.stems import stems
from zkmem.util.words import STOP_WORDS, tokens
from zkmem.vault.files import Read

_LONGEST = 1_000_000  # bytes of a note that is looked at
ALIKE = 0.45  # the least likeness of notes that are alike
_LEAST, _MOST = 8, 2_000  # different words of a note that is compared
_LOOKED_UP = 16  # words, the longest
_SEARCHED = 8  # of them, the rarest
_RARE = 20  # a rare word is in at most so many notes
_COMPARED = 4  # notes
_LONGEST_COMPARED = 100_000  # bytes of a note

_STOPS = frozenset(stems(STOP_WORDS))


class WrittenNote(NamedTuple):
    """A note that an edit has written."""

    path: str
    before: bytes  # empty for a new note
    data: bytes


def warnings(written: Sequence[WrittenNote]) -> list[str]:
    """Return warnings about the notes that an edit has written."""
    looked_at = [one for one in written if len(one.data) <= _LONGEST]
    return [
        warning
        for path, before, data in looked_at
        for warning in new_secrets(name_of(path), before, data, is_named=len(written) > 1)
    ]


def new_secrets(name: str, before: bytes, data: bytes, *, is_named: bool = False) -> list[str]:
    """Return warnings of what looks like a secret in a note and was not in it before; none for a private note.

    `is_named`: whether the sentences name the note.
    """
    secrets = secrets_in(data, before)
    return described(secrets, name if is_named else "") if secrets and not is_private(f"{name}.md", data) else []


def alike(path: str, data: bytes, search: Search, session: Session, read: Read) -> str | None:
    """Return the name of a note that says nearly the same as the new one at `path`, which does not link to it.

    `search`: over the notes that the caller may read; `read`: reads one of these.
    """
    own = words_of(path, data)
    if len(data) > _LONGEST_COMPARED or not _LEAST <= len(own) <= _MOST:
        return None
    best = search.peek(lambda connection: _best(connection, path, own))
    if best is None or is_private(best, _bytes(best, read)):
        return None
    with session.hold() as index:
        is_known = best in index.links.following(path) or best not in index.catalog.rows
        return None if is_known else name_for(index.catalog, best)


def words_of(path: str, data: bytes) -> set[str]:
    """Return the stems of a note's name and text, without stop words."""
    text = f"{base_of(name_of(path))} {body_of(data).decode(errors='replace')}"
    return set(stems(tokens(text))).difference(_STOPS)


def likeness(one: set[str], other: set[str]) -> float:
    """Return the share of the words of either note that are in both, from 0 to 1."""
    return len(one & other) / max(1, len(one | other))


def _best(connection: sqlite3.Connection, path: str, own: set[str]) -> str | None:
    """Return the path of the note that is most alike; None if none is alike enough."""
    counts = counts_of(connection, sorted(own, key=lambda word: (-len(word), word))[:_LOOKED_UP])
    rare = sorted((word for word, count in counts.items() if count <= _RARE), key=counts.__getitem__)[:_SEARCHED]
    rows = with_any(connection, rare, _COMPARED) if rare else ()
    ranked = [(likeness(own, _words(row)), row.path) for row in rows if row.path != path]
    most, best = max(ranked, default=(0.0, ""))
    return best if most >= ALIKE else None


def _words(row: IndexedNote) -> set[str]:
    return set(f"{stems_in(row.words.title)} {stems_in(row.words.text)}".split()).difference(_STOPS)


def _bytes(path: str, read: Read) -> bytes:
    try:
        return read(path)
    except OSError:  # it is gone
        return b""
