"""Measure how the time of pure functions grows with the length of a text: `python -m tests.tools.growth [NAME]`.

The table has a row for each function that reads the text of a note, or what a caller gives, and each pattern that is
repeated in it. The tests take the same functions and patterns.
"""

import contextlib
import datetime
import itertools
import sqlite3
import string
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from zkmem.bases import base_file, syntax, values
from zkmem.edit import daily, merge, passage
from zkmem.edit.parts import heading_title
from zkmem.errors import ZkError
from zkmem.index import lookup, parts, resolve
from zkmem.index.store import database
from zkmem.markdown import (
    callouts,
    canvas,
    dates,
    frontmatter,
    html,
    labels,
    layout,
    lines,
    links,
    marked,
    markers,
    note,
    places,
    properties,
    secret,
    section_edit,
    sections,
    tags,
    typed,
)
from zkmem.markdown import one_line as openings
from zkmem.model import question
from zkmem.recall import choices, meant, outdated, preview, suggested
from zkmem.records import blocks, encoded_names
from zkmem.search import advice, entry, fulltext, query, snippet, stems, vocabulary
from zkmem.search.retrieval import Scope
from zkmem.serve.api.exchange import etags
from zkmem.sync import canvases, division
from zkmem.sync import notes as merged_notes
from zkmem.toolsets.kg import layout as entity_layout
from zkmem.toolsets.kg import serialization
from zkmem.toolsets.text import append, keywords
from zkmem.toolsets.text import sections as memory_sections
from zkmem.toolsets.text.write import set_field
from zkmem.transcripts import clients as transcripts
from zkmem.transcripts import note as conversation_note
from zkmem.transcripts import worth
from zkmem.util import likeness, spelling, threeway, words
from zkmem.util.collector import no_collector

MOST = 6.0
"""How many times longer a function may take for a text that is four times as long."""

_ENOUGH_S = 0.002  # fixed costs hide the growth of shorter times
_LONGEST = 64_000  # characters of the shorter text
_TRIES = 5

Work = Callable[[str], object]


def _half(text: str) -> str:
    return text[: len(text) // 2]


def _as_properties(text: str) -> bytes:
    return f"---\na: {text}\n---\n".encode()


def _snippet(length: int) -> Work:
    """A hash, a key or an encoded picture is one long word. A word of the query may be at each of its letters."""
    return lambda text: snippet.snippet(f"{text}\n\n{text[:length]}\n", words.terms(text[:length]) or ["n"])


def _passages(end: str) -> Work:
    def find(text: str) -> None:
        for way in (passage.find_exact, passage.find_quoted):
            with contextlib.suppress(ZkError):
                way(text, _half(text) + end, "note")

    return find


def _merged_lines(text: str) -> object:
    """Merge two texts in which all lines were changed; there are many lines, because the first thousands are paired."""
    text *= 10
    return threeway.propose(text, text.replace("\n", "x\n"), text.replace("\n", "y\n"))


def _entity_layouts(text: str) -> None:
    """Read a text as an entity: as it is, with its headings above relations, and with its lines between rules."""
    for body in (text, text.replace("# a", "# Relations\n- b"), text.replace("\n", "\n---\n- b\n")):
        layout = entity_layout.Layout.of(body)
        layout.adopted()
        layout.bare(layout.relations.items)


def _misread(text: str) -> None:
    """Look for operators of other programs in queries."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(database.SEARCH_TABLES)
    for one in (text, f"a:({text}", f"/{text}", f"-({text}", text.replace("a", "a OR "), text.replace("a", "a>")):
        advice.misread(connection, one, [], Scope())
    connection.close()


def _searched(text: str) -> None:
    """Search for a long text, beside a word that a note has and one that is misspelt."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(database.SEARCH_TABLES)
    note = entry.entry_of("a.md", b"kubernetes soup", "")
    fulltext.put(connection, "a.md", note, "2026-11-20")
    vocabulary.add(connection, note.vocabulary.split())
    query.matches(connection, query.Query(f"soup kubernetis {text * 8}", []), 5, Scope(), filters=False)
    connection.close()


def _conversation_note(text: str) -> None:
    """Read what was said in a conversation, and make a note of it. The two texts are below the bounds of a message."""
    conversation_note.quoted(text)
    list(worth._names_in(text))
    secret.without_secrets(text)


def _misspelt_names(text: str) -> object:
    """Look up as many targets as there are names, all of which differ in one word, as titles of conversations do."""
    names = [
        "".join(letters)
        for letters in itertools.islice(itertools.product(string.ascii_lowercase, repeat=6), len(text) // 8)
    ]
    known = likeness.Likeness(f"{text[:8]} {name}" for name in names)
    return [known.meant(f"{text[:8]} x{name}") for name in names]


FUNCTIONS: Mapping[str, Work] = {
    "snippet of a letter": _snippet(1),
    "snippet of 60": _snippet(60),
    "snippet of 255": _snippet(255),
    "snippet of its words": lambda text: snippet.snippet(text, words.terms(text)),
    "opening": lambda text: openings.opening(text.encode()),
    "replaced values": lambda text: outdated.replaced(
        "n", f"{text}\n{text[:300]} 80 °C", f"{text}\n{text[:300]} 75 °C"
    ),
    "secrets": lambda text: secret.secrets_in(text.encode()),
    "named secrets": lambda text: secret.secrets_in(text.replace("a", "token: ").replace("-", "a://").encode()),
    "query": query.read_query,
    "quoted query": lambda text: query.read_query(f'"{text}'),
    "property query": lambda text: query.read_query(f"[{text}"),
    "operators of a query": _misread,
    "words of a query": _searched,
    "marks": lambda text: marked.marked(
        text.encode(),
        f"{text[: len(text) // 3]}X{_half(text)}".encode(),
        lambda data: html.Renderer().part(data, []),
        marked.Budget(),
    ),
    "markers": lambda text: markers.collapse(text, "a.md", lambda raw, source: None),
    "escapes": lambda text: markers.escaped(text, begins_line=True, ends_line=True),
    "outline": lambda text: list(sections.Outline(text.encode()).ids()),
    "heading": lambda text: sections.Outline(text.encode()).heading("#a#a#a#b"),
    "itself as heading": lambda text: sections.Outline(f"# {text}".encode()).heading(f"#{text}"),
    "headings": lambda text: list(choices.headings(text.encode(), "")),
    "blocks": lambda text: list(choices.blocks(text.encode(), "")),
    "part": lambda text: meant.part_of(text.encode(), f"#{text[:50]}", slugs=True),
    "parts alike": lambda text: suggested.part_like(text.encode(), f"#{text[:50]}"),
    "new section": lambda text: section_edit.with_section(text.encode(), "n", "Zz", "text", "append", create=True),
    "longer section": lambda text: section_edit.with_section(
        f"# A\n{text}".encode(), "n", "A", text, "append", create=True
    ),
    "symbols": lambda text: places.symbols(text.encode()),
    "folds": lambda text: places.folds(text.encode()),
    "footnotes": lambda text: list(places.footnotes(text.encode())),
    "what is typed": lambda text: typed.typed_at(text.encode(), len(_half(text).encode())),
    "links": lambda text: links.find_links(text.encode()),
    "a link": links.whole_link,
    "links of parts": lambda text: parts.part_links(text.encode()),
    "link text": lookup.unlinked,
    "cleaned target": resolve.cleaned,
    "HTML": lambda text: html.Renderer().part(text.encode(), []),
    "HTML with links": lambda text: html.Renderer().part(
        text.encode(), [(link, html.Anchor("note", "x")) for link in links.body_links(text.encode())]
    ),
    "labels": lambda text: labels.untangled(text.encode(), text.encode(), lambda one, other: one == other),
    "layout": lambda text: layout.stands(text.encode(), links.body_links(text.encode())),
    "texts that would join": lambda text: layout.would_join(text.encode(), text.encode()),
    "lines with links": lambda text: lines.spelled_like(
        lines.lines_of(text.encode(), lambda link: link.target), lines.lines_of(text[1:].encode(), lambda link: "b")
    ),
    "callouts": lambda text: callouts.find_callouts(f"> [!conflict] x\n> {text}".split("\n")),
    "conflicts": lambda text: [callouts.conflict_titles(text.encode()), callouts.conflict_at(text.encode(), 9)],
    "canvas": lambda text: canvas.find_strings(text.encode()),
    "frontmatter": lambda text: note.parse(f"---\n{text}\n---\n".encode()),
    "fault": lambda text: frontmatter.fault(_as_properties(text)),
    "property": lambda text: properties.typed_properties(_as_properties(text)),
    "new property": lambda text: properties.changed(note.read_text(_as_properties("b")), {"b": text}),
    "value": properties.read_value,
    "entry": lambda text: entry.entry_of("a.md", text.encode(), ""),
    "tags": lambda text: [
        tags.inline_tags(text.encode()),
        list(tags.tag_spans(text)),
        list(tags.tag_places(text.encode())),
    ],
    "dates": lambda text: dates.dated(f"{text.replace('/', '')}.md", {}),
    "day": lambda text: daily.day_of(text, datetime.date(2026, 11, 29)),
    "harmless": preview.harmless,
    "heading lines": lambda text: list(entry.heading_lines(text)),
    "title": lambda text: heading_title(text.encode()),
    "passage": _passages(""),
    "unknown passage": _passages("Z"),
    "passage with gap": _passages("\n...\nZ"),
    "merge of lines": _merged_lines,
    "merge": lambda text: threeway.propose(text, f"{_half(text)}X{text}", f"Y{text}"),
    "merge of notes": lambda text: merged_notes.merged_note(
        text.encode(), f"{_half(text)}X{text}".encode(), f"Y{text}".encode(), "t"
    ),
    "note twice": lambda text: merged_notes.joined_note(text.encode(), f"Y{text}".encode(), "t"),
    "merged properties": lambda text: merged_notes.merged_properties(f"a: {text}", f"a: x{text}", f"b: {text}"),
    "merged canvas": lambda text: canvases.merged_canvas(text.encode(), f"{text}x".encode(), text.encode()),
    "divided lines": lambda text: division.divided(text, _half(text), text[len(text) // 2 :], f"X{text}"),
    "joined notes": lambda text: merge.merged(text.encode(), f"Y{text}".encode()),
    "words": lambda text: [words.plain(text), words.terms(text), words.spaced(text), words.folded(text)],
    "begin of word": lambda text: words.begins_word(f"x{text}", text[:60]),
    "stems": lambda text: [stems.terms_of(text), stems.stems([text])],
    "names": lambda text: spelling.told_apart([text, f"{text}a"]),
    "names alike": lambda text: likeness.spelled_alike(text, [f"{text}{number}" for number in range(5)], 3, 0.6),
    "misspelt name": lambda text: likeness.Likeness([text, f"{text} name"]).meant(f"{text} nmae"),
    "misspelt names": _misspelt_names,
    "stored names": lambda text: [encoded_names.encodings(text), encoded_names.decoded(text)],
    "records": lambda text: [blocks.scan(text), blocks.parsed(text)],
    "etags": etags,
    "text for a model": lambda text: question.as_data("note", text),
    "facts": lambda text: list(map(memory_sections.fact_in, text.split("\n"))),
    "values of a fact": lambda text: list(
        memory_sections.values(list(memory_sections.lines(text)), 0, "b", memory_sections.FIELD)
    ),
    "keywords": lambda text: [keywords.normal(text), keywords.extract_keywords(text)],
    "parts of a memory": memory_sections.tree,
    "points": append.points,
    "longer memory": lambda text: append.merged(text, _half(text)),
    "longer memory by key": lambda text: append.merged(text, f"{_half(text)}x", by_key=True),
    "field": lambda text: set_field(text, "A", text[:50], "b"),
    "entity": _entity_layouts,
    "observation": lambda text: serialization.read_observation(serialization.observation(text)),
    "relation": lambda text: serialization.read_relation(serialization.relation(text, "b", text)),
    "bases in a note": lambda text: [*base_file.base_blocks((text + "\n\n```base\n```" * (len(text) // 8)).encode())],
    "formula": syntax.parse,
    "own words": transcripts.own_words,
    "note of a conversation": _conversation_note,
    "project": lambda text: transcripts.project_of(f"/{text}"),
    "values": lambda text: [values.read_date(text), values.read_duration(text)],
}

PATTERNS = (
    "n", "ab ", "1", "1. ", "[", "[[", "[[a]]", "[a](", "![[a]]", "|", "| a |\n", "`", "``a", "> ", "> a\n", "- ",
    "- a\n", "- [ ] a\n", "- a: b\n", "#", "# a\n", "#a ", "a\n=\n", "*", "_a", "$a", "\n^a", "n\u0301", "字", "字 ",
    "か\u3099", "ا", " ", "\n", "\r\n", "\\", "<", "<!--", "%%", "(", "'", "a: b\n", "---\n", "[^1]: a\n", "{",
    "https://a.b ", "a\n\n", "İ",
    "/a", "<ide_a>", "Ab ",
)  # fmt: skip
"""What hostile notes and arguments repeat."""

GAPS = ("# a", "## ", "- a", "- ", "> ", "a: b", "a: |", "a", "| a", "[[a", "`")
"""What stands before very many blanks, or empty lines, and a letter."""


def texts() -> Iterator[tuple[str, str, str]]:
    """Yield the beginning of each text, what is repeated in it, and its end."""
    yield from (("", pattern, "") for pattern in PATTERNS)
    yield from ((gap, blank, "b") for gap in GAPS for blank in (" ", "\n", "\n#"))


def growth(work: Work, begin: str, unit: str, end: str, most: float = MOST) -> float:
    """Return how many times longer a function takes for a text that is four times as long.

    In the text, `unit` is repeated between `begin` and `end`. The time is the processor time of this thread, without
    garbage collection. If the growth is above `most`, it is measured again, in the end with longer texts, since a
    function may do more work for texts above some length; the least growth is returned. Return 0 if the function takes
    less than 2 ms for 256,000 characters.
    """

    def seconds(length: int) -> float:
        text = f"{begin}{unit * (length // len(unit) + 1)}{end}"
        with no_collector():
            began = time.thread_time()
            with contextlib.suppress(ZkError, ValueError):  # many texts are refused, which must be quick, too
                work(text)
            return time.thread_time() - began

    length, shorter, longer = 250, seconds(250), seconds(1000)
    while longer < _ENOUGH_S:
        length *= 4
        if length > _LONGEST:
            return 0
        shorter, longer = longer, seconds(4 * length)
    least = longer / shorter
    for factor in (*[1] * _TRIES, 4, 16):
        if least <= most:
            break
        least = min(least, seconds(4 * factor * length) / seconds(factor * length))
    return least


def _main() -> None:
    for name, work in FUNCTIONS.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            grown = sorted(((growth(work, *text), text) for text in texts()), reverse=True)
            print(f"| {name} | {', '.join(f'{times:.1f} {text}' for times, text in grown[:3])} |", flush=True)


if __name__ == "__main__":
    _main()
