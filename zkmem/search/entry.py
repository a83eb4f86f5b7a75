"""What the search index stores of a note, made from the note's path and bytes alone.

Beside the words, these are the fields of the note, by which queries filter and sort: its tags, properties, tasks and
embeds. They are stored as JSON, and as facts, which are pairs of a key and a value by which a query can look up notes.
"""

import hashlib
import itertools
import json
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pyromark

from zkmem.markdown import frontmatter
from zkmem.markdown.dates import dated
from zkmem.markdown.frontmatter import TAGS
from zkmem.markdown.links import OPTIONS, as_text, body_links, events
from zkmem.markdown.properties import typed
from zkmem.markdown.tags import inline_tags, listed_tags
from zkmem.names import base_of, fold, folders_of, name_of
from zkmem.search.relevance import packed
from zkmem.search.stems import stems
from zkmem.search.vocabulary import typable
from zkmem.util.words import folded, plain, tokens

if TYPE_CHECKING:
    import yaml

TAG = "#"  # the key of the facts that are tags
TRUNCATED = ("!", "")  # the fact of a note that has more facts than are stored

_LEVEL = 1  # zlib's: the fastest
_MOST_FACTS = 1_000  # of one note
_LONGEST_FACT = 200  # characters; of a longer value, the beginning counts
# Marks begin with a private-use character, which no term of a query contains.
_BELOW, _TITLED, _HEADED = "\ue000", "\ue001", "\ue003"
_BORDER = "\ue002"  # stands between the values of properties and before the body, so that no phrase crosses over
_LINE_END = re.compile(r"\r\n?|\n")
_UNDERLINE = re.compile(r"^[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_AROUND = " \t>"  # may stand before a line in a quote or an item, and behind it
_BOX = re.compile(rb"\[[ xX]\]\s")
_WITH_TASKS = OPTIONS | pyromark.Options.ENABLE_TASKLISTS


class IndexEntry(NamedTuple):
    """What the index stores of a note."""

    etag: str
    date: str  # "" if only the file has one
    dated: str  # where the date is from; see `Dated`
    fields: str  # JSON
    facts: list[tuple[str, str]]
    words: bytes  # compressed
    length: int  # words in the text
    columns: tuple[str, str, str]  # of the FTS5 table
    vocabulary: str  # the words that a person may type


def entry_of(path: str, data: bytes, etag: str, known: Collection[str] = ()) -> IndexEntry:
    """Return what the index stores of a note with these bytes; its vocabulary is without the known words.

    The text of a note is the values of its properties, and its body. If the frontmatter is not YAML, all its words
    count.
    """
    first, last, start = frontmatter.split(data)
    source, body = data[first:last].decode(errors="replace"), data[start:].decode(errors="replace")
    nodes = frontmatter.read(frontmatter.head_of(data))
    values = [source] if nodes is None else [node.value for node in frontmatter.strings(*nodes.values())]
    title = tokens(base_of(name_of(path)))
    text = [word for value in values for word in (*tokens(value), _BORDER)] + tokens(body)
    headings = " ".join(sorted({word for line in heading_lines(body) for word in tokens(line)}))
    fields = _fields(nodes or {}, len(source), data[start:])
    words = zlib.compress(f"{packed(title)}\0{len(text)}\0{packed(text)}\0{headings}".encode(), _LEVEL)
    columns = columns_of(path, " ".join(stems(title)), " ".join(stems(text)), headings)
    date = dated(path, nodes or {})
    vocabulary = " ".join(sorted(typable({*title, *text}.difference(known))))
    return IndexEntry(etag, *date, json.dumps(fields), sorted(facts_of(fields)), words, len(text), columns, vocabulary)


def _fields(nodes: "Mapping[str, yaml.Node]", length: int, body: bytes) -> dict[str, Any]:
    """Return the fields of a note. `nodes`: the values of its properties; `length`: the characters of their source.

    The tags are without `#`, as written, each once whatever its case; those of the properties come first.
    """
    properties = typed(nodes, length)
    listed = (listed_tags(value) for name, value in properties.items() if name.lower() in TAGS)
    tags: dict[str, str] = {}  # by the tag in lower case
    for tag in [*itertools.chain.from_iterable(listed), *inline_tags(body)]:
        tags.setdefault(tag.lower(), tag)
    boxes = _boxes(body)
    return {
        "tags": list(tags.values()),
        "properties": properties,
        "tasks": len(boxes),
        "open_tasks": boxes.count(False),
        "embeds": _embeds(body),
    }


def _embeds(body: bytes) -> list[str]:
    """Return the targets of the embeds in a body, each once."""
    if b"![" not in body:
        return []
    return list(dict.fromkeys(link.target for link in body_links(body) if link.embed))


def _boxes(body: bytes) -> list[bool]:
    """Return whether each box of a task in a body is ticked."""
    if not _BOX.search(body):
        return []
    parsed = events(as_text(body), _WITH_TASKS)
    return [event["TaskListMarker"] for event, _ in parsed if isinstance(event, dict) and "TaskListMarker" in event]


def columns_of(path: str, title: str, text: str, headings: str) -> tuple[str, str, str]:
    """Return the values of a note for the FTS5 table.

    `title`, `text`: the stems of their words. `headings`: the words that the headings have, and perhaps some others.
    """
    return title, text, " ".join(_marks(path, title.split(), headings.split()))


def _marks(path: str, title: Iterable[str], headings: Iterable[str]) -> Iterator[str]:
    """Yield marks for fast queries: of the folders around a note, the stems of its title, the words of its headings."""
    yield below_mark("")
    yield from map(below_mark, folders_of(path))
    yield from map(title_mark, title)
    yield from map(heading_mark, headings)


def below_mark(folder: str) -> str:
    """Return the mark of the notes below a folder. Folders are compared as names are."""
    return _BELOW + hashlib.blake2b(fold(folder).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def title_mark(stem: str) -> str:
    """Return the mark of the notes with a stem in their title."""
    return _TITLED + stem


def heading_mark(word: str) -> str:
    """Return the mark of the notes with a word in a heading."""
    return _HEADED + word


def word_of_mark(mark: str) -> str:
    """Return the stem in the mark of a title; a stem stays as it is."""
    return mark.removeprefix(_TITLED)


def facts_of(fields: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the facts to store about a note. `fields`: as `unpacked_fields` returns them."""
    facts = list(itertools.islice(all_facts(fields), _MOST_FACTS))  # some may be there twice
    return {*facts, TRUNCATED} if len(facts) == _MOST_FACTS else set(facts)


def all_facts(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the facts of a note's fields, which are as JSON has them; some may come twice."""
    for tag in fields["tags"]:
        yield TAG, fact_value(tag)
    for key, value in fields["properties"].items():
        for one in _spellings(value):
            yield fact_key(key), one


def fact_key(name: str) -> str:
    """Return the key of the facts about a property."""
    return f".{fact_value(name)}"


def fact_value(value: str) -> str:
    """Return a value as facts are compared: in lower case, without accents, and of limited length."""
    return folded(plain(value.encode(errors="replace").decode()))[:_LONGEST_FACT].strip()


ALIASES = (fact_key("aliases"), fact_key("alias"))
"""The keys of the facts that are aliases."""


def _spellings(value: Any) -> Iterator[str]:
    """Yield the values of the facts about a property: an empty one if it has no value."""
    items = value if isinstance(value, list) else [value]
    for item in items or [None]:
        if isinstance(item, str):
            yield fact_value(item)
            if "[[" in item:
                for link in body_links(item.encode(errors="replace")):
                    yield from map(fact_value, (link.target, base_of(name_of(link.target)), link.display or ""))
        elif item is None or isinstance(item, list | dict):
            yield ""
        else:
            yield fact_value(spelled(item))


def spelled(value: float) -> str:
    """Return a number or a boolean as a fact has it: 5 for 5.0."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def heading_lines(body: str) -> Iterator[str]:
    """Yield the lines of a body that may belong to a heading: all that do, and some that do not, as in code.

    A heading is on a line with `#`, or above a line of `=` or `-`.
    """
    if "\r" in body:
        body = _LINE_END.sub("\n", body)
    lines = body.split("\n")
    yield from (line for line in lines if "#" in line)
    if _UNDERLINE.search(body):
        yield from _underlined(lines)


def _underlined(lines: list[str]) -> Iterator[str]:
    """Yield the lines of each paragraph that a line of `=` or `-` follows."""
    paragraph: list[str] = []
    for line in lines:
        text = line.strip(_AROUND)
        if text and (not text.strip("=") or not text.strip("-")):
            yield from paragraph
            paragraph = []
        elif text:
            paragraph.append(line)
        else:
            paragraph = []
