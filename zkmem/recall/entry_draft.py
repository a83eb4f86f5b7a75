"""Draft the note `hint` from the links of the vault: topics, the heaviest notes of each, and what changed last.

A person's own text stays: the drafted part is between two comments. The links of `hint` itself do not count, so that
accepting a draft does not change the next one.
"""

import heapq
import itertools
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import networkx as nx

from zkmem.index.catalog import Catalog
from zkmem.index.digraph import LinkDiGraph
from zkmem.index.graph import counts, is_missing, links_of
from zkmem.index.lookup import name_for, shortest
from zkmem.index.resolve import resolve
from zkmem.markdown.note import body_of, parse, read_text
from zkmem.markdown.one_line import one_line, opening
from zkmem.markdown.private import is_private
from zkmem.markdown.properties import typed_properties
from zkmem.markdown.secret import secrets_in
from zkmem.names import base_of, below, name_of
from zkmem.past.revisions import difference
from zkmem.recall.choices import is_linkable
from zkmem.recall.entry import FIRST_HINT, HEAVIEST, MOST_LINKS
from zkmem.recall.weights import weights
from zkmem.vault.files import Read, etag
from zkmem.vault.obsidian import Templates

_BEGIN, _END = "<!-- zkmem hint -->", "<!-- /zkmem hint -->"
_LATELY, _UNNAMED = "Lately: ", "Notes"
_DRAFTED = ("## ", "- [[", _LATELY)  # the beginnings of drafted lines

_MOST = 900  # bytes of the part: the start of a session has some 960 of `hint`
_LEAST = 400  # bytes of the part beside a long own text
_MOST_NOTES, _MOST_LATELY, _MOST_TOPICS = 20, 3, 5
_LONGEST_NAME, _LONGEST_HEADING, _LONGEST_WORDS, _SHORTEST_CUT = 120, 40, 60, 24  # characters; of words, bytes
_RANKED = 60  # heavy notes that are grouped by topic
_NEAR = 20  # links and backlinks of each of them that are looked at
_MOST_LATEST = 200

_NOT_WORDS = re.compile(r"\S*(?:://|www\.)\S*|[\[\]<>*#|`~^=$\\{}@_%&]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")


class HintDraft(NamedTuple):
    """A draft of the note `hint`."""

    name: str  # under which it is written
    etag: str  # of the present note; "" if there is none
    before: str  # the present text of the note
    text: str  # the drafted text of the note

    @property
    def diff(self) -> str:
        """What the draft changes, as a unified diff; "" if it changes nothing."""
        name = self.name.removeprefix("/")
        return difference(self.before, self.text, (name, name))


class _Listed(NamedTuple):
    """A note that the draft lists: its path, the link to it, and the first words of its text."""

    path: str
    link: str
    words: str


_Links = Mapping[str, Sequence[str]]
_Topic = tuple[str, list[_Listed]]  # the heading, and the notes


def heavy_notes(links: _Links, entry: str, folder: str, templates: Templates) -> dict[str, int]:
    """Return the heaviest notes below a folder, the heaviest first, each with the number of its topic.

    The links of the note `entry` do not count. `links`: see `LinkGraph.copy`.
    """
    graph = LinkDiGraph()
    graph.fill(links, ((node, () if node == entry else targets) for node, targets in links.items()))

    def is_shown(node: str) -> bool:
        return counts(node) and not is_missing(node) and node != entry and below(node, folder)

    weight = weights(graph, counts)
    notes = [node for node in links if is_shown(node) and not templates.has(node)]
    least = min(heapq.nlargest(_RANKED, (weight[node] for node in notes)), default=0.0)

    def rank(node: str) -> tuple[float, int, str]:
        return -weight[node], -sum(one != node and below(one, folder) for one in graph.leading[node]), name_of(node)

    return _by_topic(sorted((node for node in notes if weight[node] >= least), key=rank)[:_RANKED], graph, is_shown)


def _by_topic(paths: Sequence[str], graph: LinkDiGraph, is_shown: Callable[[str], bool]) -> dict[str, int]:
    """Return notes with the number of the community of each, in the graph of these notes and those near them.

    The nodes are numbers, since the order of a set of texts differs between processes.
    """
    number: dict[str, int] = {path: at for at, path in enumerate(paths)}
    for path in paths:
        near = itertools.islice(filter(is_shown, graph.following[path]), _NEAR)
        for node in (*near, *heapq.nsmallest(_NEAR, filter(is_shown, graph.leading[path]))):
            number.setdefault(node, len(number))
    plain: nx.Graph[int] = nx.Graph()
    plain.add_nodes_from(number.values())
    for node, at in number.items():
        targets = itertools.islice(graph.following[node], _NEAR)
        plain.add_edges_from((at, number[target]) for target in targets if target in number and target != node)
    communities = nx.community.louvain_communities(plain, seed=1)
    topics = {at: topic for topic, members in enumerate(communities) for at in members}
    return {path: topics[number[path]] for path in paths}


class Drafter:
    """Makes the draft for a caller who sees the notes below a folder. The caller holds the lock of the index."""

    def __init__(self, catalog: Catalog, read: Read, entry: str, folder: str, templates: Templates) -> None:
        self._catalog, self._read, self._entry = catalog, read, entry
        self._folder, self._templates = folder, templates

    def draft(self, topics: Mapping[str, int]) -> HintDraft:
        """Return the draft. `topics`: see `heavy_notes`; if it can list none of these, the text stays as it is."""
        data = self._read(self._entry) if self._entry in self._catalog else None
        now = read_text(data or b"").shown
        before, after = _own(now)
        own = f"{before}{after}".encode()
        linked = links_of(self._catalog, self._entry, parse(own))
        most_notes = max(HEAVIEST, min(_MOST_NOTES, MOST_LINKS - _MOST_LATELY - len(linked)))
        notes = list(itertools.islice(self._listed(topics, linked), most_notes))
        listed = {*linked, *(one.path for one in notes)}
        latest = self._listed(self._catalog.latest(_MOST_LATEST, self._folder), listed)
        lately = [one.link for one in itertools.islice(latest, _MOST_LATELY)]
        part = _part(notes, topics, lately, max(_LEAST, _MOST - len(body_of(own).strip())))
        name = f"/{name_of(self._entry)}" if data is None else name_for(self._catalog, self._entry)
        return HintDraft(name, "" if data is None else etag(data), now, _whole(before, part, after) if notes else now)

    def _listed(self, paths: Iterable[str], left_out: Container[str]) -> Iterator[_Listed]:
        """Yield those notes that can be listed: not private, no templates, with names that a link can have."""
        for path in paths:
            link = self._link(path)
            if path in left_out or path == self._entry or self._templates.has(path) or link is None:
                continue
            try:
                data = self._read(path)
            except OSError:
                continue
            if not is_private(path, data):
                yield _Listed(path, link, _words(data))

    def _link(self, path: str) -> str | None:
        """Return a link to a note; None if no short one leads to it. A caller with a folder gets the whole path."""
        name, catalog = name_of(path), self._catalog
        whole = (one for one in (name, f"/{name}") if resolve(catalog, one, self._entry).path == path)
        target = next(whole, None) if self._folder else shortest(catalog, path, self._entry)
        is_short = target is not None and len(target) <= _LONGEST_NAME and target.isprintable()
        return f"[[{target}]]" if target is not None and is_short and is_linkable(target) else None


def _own(text: str) -> tuple[str, str]:
    """Return the person's text before the drafted part, with lines that they added in it, and the text after it."""
    end = text.rfind(_END)
    begin = text.rfind(_BEGIN, 0, max(end, 0))
    if begin < 0:
        return ("" if text.strip() == FIRST_HINT.strip() else text), ""
    inside = text[begin + len(_BEGIN) : end].split("\n")
    added = "\n".join(line for line in inside if line.strip() and not line.startswith(_DRAFTED))
    return text[:begin] + added, text[end + len(_END) :]


def _whole(before: str, part: str, after: str) -> str:
    head = before.rstrip("\n")
    return f"{head}\n\n{_BEGIN}\n{part}{_END}{after}".strip("\n") + "\n"


def _part(notes: list[_Listed], topics: Mapping[str, int], lately: list[str], most: int) -> str:
    """Return the lines of the part, of at most `most` bytes if the names allow it. The heaviest notes always stay."""
    text = _lines(_grouped(notes, topics), lately, 0)
    while len(notes) > HEAVIEST and len(text.encode()) > most:
        notes.pop()
        text = _lines(_grouped(notes, topics), lately, 0)
    return _lines(_grouped(notes, topics), lately, most - len(text.encode()))


def _grouped(notes: Sequence[_Listed], topics: Mapping[str, int]) -> list[_Topic]:
    """Return the notes by topic. Notes that are alone in a topic come last, together."""
    groups: dict[int, list[_Listed]] = {}
    for one in notes:
        groups.setdefault(topics[one.path], []).append(one)
    several = [members for members in groups.values() if len(members) > 1][:_MOST_TOPICS]
    in_topic = {one for members in several for one in members}
    others = [one for one in notes if one not in in_topic]
    titles = (_plain(base_of(name_of(members[0].path)), _LONGEST_HEADING) for members in several)
    named = [(title or _UNNAMED, members) for title, members in zip(titles, several, strict=True)]
    return [*named, ("More" if named else _UNNAMED, others)] if others else named


def _lines(groups: Sequence[_Topic], lately: Sequence[str], spare: int) -> str:
    """Return the text of the part. `spare`: the bytes for words, which the first note of each topic gets first."""
    words, turns = dict[_Listed, str](), itertools.zip_longest(*(members for _, members in groups))
    for one in filter(None, itertools.chain.from_iterable(turns)):
        text = _plain(one.words, min(_LONGEST_WORDS, spare - len(": ")))
        words[one] = f": {text}" if text and (not text.endswith("…") or len(text) >= _SHORTEST_CUT) else ""
        spare -= len(words[one].encode())
    lines = list[str]()
    for heading, members in groups:
        lines += [f"## {heading}", *(f"- {one.link}{words[one]}" for one in members), ""]
    return "\n".join([*lines, f"{_LATELY}{', '.join(lately)}\n" if lately else ""])


def _words(data: bytes) -> str:
    """Return a note's own description, else its first sentence; "" if that looks like a secret."""
    described = typed_properties(data).get("description")
    text = described if isinstance(described, str) and described.strip() else opening(data)
    return "" if secrets_in(text.encode(errors="replace")) else _SENTENCE_END.split(text, maxsplit=1)[0]


def _plain(text: str, most: int) -> str:
    """Return the beginning of a text as one line of at most `most` bytes, without Markdown and addresses."""
    visible = "".join(char if char.isprintable() else " " for char in text)
    line = one_line(_NOT_WORDS.sub(" ", visible)).strip()
    if len(line.encode()) <= most:
        return line
    cut = line.encode()[: max(0, most - len("…".encode()))].decode(errors="ignore")
    return f"{cut.rpartition(' ')[0] or cut}…"
