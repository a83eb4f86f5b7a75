"""Ways to find notes by words, each made from the same notes: zkmem, and what one could use instead.

An engine takes notes by name, and gives a function from a query to the names of the notes that it finds, at most
`MOST`, the best first.
"""

import collections
import contextlib
import importlib.util
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from typing import Any
from unittest.mock import patch

import regex

from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.util.words import STOP_WORDS

MOST = 10  # hits, as search shows
Find = Callable[[str], list[str]]
Notes = Mapping[str, str]
Engine = Callable[[Notes], AbstractContextManager[Find]]

_WORD = regex.compile(r"[\w\p{M}]+")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, each once."""
    return list(dict.fromkeys(_WORD.findall(text.lower())))


@contextlib.contextmanager
def zkmem(notes: Notes) -> Iterator[Find]:
    """Search as `Memory.search` does, in a vault of its own."""
    with tempfile.TemporaryDirectory(prefix="zkmem-recall-") as folder:
        for name, text in notes.items():
            path = os.path.join(folder, name + ".md")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "x", encoding="utf-8", errors="replace") as file:
                file.write(text)
        with patch.dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, ".cache")), Memory(folder) as memory:
            memory.load_search()

            def find(query: str) -> list[str]:
                try:
                    return [hit.path.removesuffix(".md") for hit in memory.search(query, MOST)]
                except BadArgument:  # what looks like a filter is refused
                    return []

            yield find


def _fts5(notes: Notes, tokenizer: str, parts: Callable[[str], list[str]]) -> Iterator[Find]:
    """Find notes with any of the parts of a query; FTS5 ranks them by BM25."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE notes USING fts5(name, text, tokenize = '{tokenizer}')")
        connection.executemany("INSERT INTO notes VALUES (?, ?)", notes.items())

        def find(query: str) -> list[str]:
            match = " OR ".join(f'"{part}"' for part in parts(query))
            rows = "SELECT name FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?"
            return [name for (name,) in connection.execute(rows, (match, MOST))] if match else []

        yield find


@contextlib.contextmanager
def fts5(notes: Notes) -> Iterator[Find]:
    """Find notes with any word of a query, English words stemmed, with SQLite's full-text index as it comes."""
    yield from _fts5(notes, "porter unicode61", words)


@contextlib.contextmanager
def trigrams(notes: Notes) -> Iterator[Find]:
    """Find notes with any three letters in a row of a word of the query, with SQLite's index of such letters."""
    yield from _fts5(notes, "trigram", lambda query: [w[at : at + 3] for w in words(query) for at in range(len(w) - 2)])


@contextlib.contextmanager
def bm25s(notes: Notes) -> Iterator[Find]:
    """Search with the package `bm25s`, with its stop words and a stemmer for English, as its manual shows."""
    import bm25s as library  # noqa: PLC0415 - it may be missing
    import Stemmer  # noqa: PLC0415

    stemmer, names = Stemmer.Stemmer("english"), list(notes)

    def tokens(texts: list[str]) -> Any:
        return library.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    index = library.BM25()
    index.index(tokens([f"{name}\n{text}" for name, text in notes.items()]), show_progress=False)

    def find(query: str) -> list[str]:
        found, scores = index.retrieve(tokens([query]), k=min(MOST, len(names)), show_progress=False)
        return [names[at] for at, score in zip(found[0], scores[0], strict=True) if score > 0]

    yield find


@contextlib.contextmanager
def grep(notes: Notes) -> Iterator[Find]:
    """Find the notes with the most words of a query, and of these the ones that have the words most often.

    This is what a person does who looks for each word with grep and counts. Case and stop words are ignored.
    """
    counts: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for name, text in notes.items():
        for word, count in collections.Counter(_WORD.findall(f"{name}\n{text}".lower())).items():
            counts[word][name] = count

    def find(query: str) -> list[str]:
        ranks: dict[str, tuple[int, int]] = {}
        for word in set(words(query)) - STOP_WORDS:
            for name, count in counts.get(word, {}).items():
                found, often = ranks.get(name, (0, 0))
                ranks[name] = (found + 1, often + count)
        return sorted(ranks, key=ranks.__getitem__, reverse=True)[:MOST]

    yield find


def engines() -> dict[str, Engine]:
    """Return the engines that can run here, zkmem first. A sentence on the error stream names one that cannot."""
    found: dict[str, Engine] = {"zkmem": zkmem, "FTS5": fts5, "bm25s": bm25s, "grep": grep}
    if importlib.util.find_spec("bm25s") is None:
        print("bm25s is left out, because it is not installed: `pip install bm25s`", file=sys.stderr)
        del found["bm25s"]
    return found
