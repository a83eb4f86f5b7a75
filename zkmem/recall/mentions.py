"""Find the sentences in which other notes link to a note, or name it without a link."""

import contextlib
import heapq
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from zkmem.index.index import Progress
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness, Session
from zkmem.markdown import frontmatter
from zkmem.markdown.links import Link, body_links, events, find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.one_line import label, labelled, one_line, shown, without_lead
from zkmem.names import base_of, fold, name_of
from zkmem.search.search import Search
from zkmem.vault.files import LargeFile, Read, etag

_MOST_SEARCHED = 100  # notes that have one of the names
_MOST_BACKLINKS = 50
_MOST_MENTIONS = 20
_MOST_NAMES = 5  # of the note, its aliases included
_SHORTEST = 3  # characters of a name in ASCII: a shorter one is a word of many texts
_MOST_BYTES = 500_000  # of a note that is searched
_REACH = 240  # bytes of a sentence before and after the link
_HERE = ("\ufdd0", "\ufdd1")  # stand around the link while a sentence is read; no text has these
_SENTENCE_END = re.compile(r"[.!?…]['\")\]*_]*\s|[。！？]|\n[ \t]*\n|\n(?=[ \t]*(?:[-+*#>|]|\d+[.)][ \t]))")


class Passage(NamedTuple):
    """A sentence of the note `name`: the text before the link or name, the link or name, and the text after."""

    name: str
    before: str
    shown: str
    after: str
    start: int  # the byte of the note's text, in UTF-8, where the link or the name begins
    etag: str


class Mentions(NamedTuple):
    """The sentences that link to a note, and those that name it without a link."""

    backlinks: list[Passage]
    mentions: list[Passage]
    remarks: list[str]


class Searcher:
    """Finds the sentences about one note."""

    def __init__(self, path: str, data: bytes, sources: Collection[str], read: Read, session: Session) -> None:
        """`data`: the note at `path`; `sources`: the notes that link to it; `read`: reads other notes."""
        self._path, self._sources, self._read, self._session = path, sources, read, session
        self._names = _names(base_of(name_of(path)), data)

    def mentions(self, search: Search, progress: Progress | None, wait_s: float | None) -> Mentions:
        """Return the sentences. `search`: finds the notes with one of the names; `wait_s`: see `Search.find`."""
        hits = [search.find(f'"{one}"', limit=_MOST_SEARCHED, progress=progress, wait_s=wait_s) for one in self._names]
        paths = dict.fromkeys(hit.path for some in hits for hit in some)
        others = [path for path in paths if path != self._path and path not in self._sources]
        return Mentions(
            list(self._passages(heapq.nsmallest(_MOST_BACKLINKS, self._sources), self._backlink)),
            list(itertools.islice(self._passages(others, self._mention), _MOST_MENTIONS)),
            list(dict.fromkeys(remark for some in hits for remark in some.remarks)),
        )

    def _passages(
        self, paths: Sequence[str], find: Callable[[bytes, str, list[Link]], tuple[int, int] | None]
    ) -> Iterator[Passage]:
        names = self._session.read(lambda index: [name_for(index.catalog, path) for path in paths], Freshness.NAMES)
        for path, name in zip(paths, names, strict=True):
            with contextlib.suppress(OSError, LargeFile):  # it is gone, or too large to be read whole
                data = self._read(path)
                text = read_text(data).shown.encode() if len(data) <= _MOST_BYTES else b""
                links = find_links(text)
                if at := find(text, path, links):
                    yield _passage(name, data, text, at, links)

    def _leads(self, links: Sequence[Link], path: str) -> list[bool]:
        """Return for each of some links in another note whether it leads to this note."""
        return self._session.read(
            lambda index: [resolve(index.catalog, link.target, path).path == self._path for link in links],
            Freshness.NAMES,
        )

    def _backlink(self, _: bytes, path: str, links: list[Link]) -> tuple[int, int] | None:
        """Return the range of the first link in another note that leads to this note."""
        leading = itertools.compress(links, self._leads(links, path))
        return next(((link.start, link.end) for link in leading), None)

    def _mention(self, text: bytes, path: str, links: list[Link]) -> tuple[int, int] | None:
        """Return the range of the first name of this note in another note, outside of links, code and formulas.

        Return None if the other note already links to this one.
        """
        if any(self._leads(links, path)):
            return None
        begin = len(text) - len(body_of(text))
        pattern = re.compile("|".join(rf"(?<!\w){_spaced(one)}(?!\w)" for one in self._names), re.IGNORECASE)
        return next(((start + begin, end + begin) for start, end in _plain(text[begin:], pattern)), None)


def _names(name: str, data: bytes) -> list[str]:
    """Return the last part of a note's name and its aliases, without those that are too short to be searched for."""
    usable = (one.replace('"', " ").strip() for one in [name, *frontmatter.aliases(data)])
    long = [one for one in usable if len(one) >= (_SHORTEST if one.isascii() else 2)]
    return list({fold(one): one for one in long}.values())[:_MOST_NAMES]


def _spaced(name: str) -> str:
    return r"\s+".join(map(re.escape, name.split()))


def _plain(body: bytes, wanted: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges, in bytes, of matches in the plain text of a body."""
    taken = [(link.start, link.end) for link in body_links(body)]
    inside = 0  # how many constructs that can contain no link are open
    for event, span in events(body.decode(errors="replace")):
        kind = next(iter(event)) if isinstance(event, dict) else event
        if kind in {"Start", "End"}:
            inside += _is_closed(event[kind]) * (1 if kind == "Start" else -1)
        elif kind == "Text" and not inside:
            start = span["start"]
            source = body[start : span["end"]].decode(errors="replace")
            for match in wanted.finditer(source):
                begin = start + len(source[: match.start()].encode())
                end = begin + len(match[0].encode())
                if not any(one < end and begin < other for one, other in taken):
                    yield begin, end


def _is_closed(tag: object) -> bool:
    """Return whether no link can be in a construct of the parser."""
    name = next(iter(tag)) if isinstance(tag, dict) else tag
    return name in {"Link", "Image", "CodeBlock", "HtmlBlock", "MetadataBlock"}


def _passage(name: str, data: bytes, text: bytes, at: tuple[int, int], links: Collection[Link]) -> Passage:
    start, end = at
    link = next((one for one in links if (one.start, one.end) == at), None)
    head, tail = labelled(text, max(0, start - _REACH), start, links), labelled(text, end, end + _REACH, links)
    name_shown = label(link) if link else text[start:end].decode(errors="replace")
    if start < len(text) - len(body_of(text)):
        return Passage(name, f"{_key(text, start)}: ", one_line(name_shown), "", start, etag(data))
    if (row := head.rpartition("\n")[2]).lstrip().startswith("|"):  # in a table, the cell
        head, tail = "\n\n" + row.rpartition("|")[2], tail.partition("|")[0].partition("\n")[0] + "\n\n"
    ends = [match.end() for match in _SENTENCE_END.finditer(head)]
    is_whole = bool(ends) or start <= _REACH
    before = without_lead(head[ends[-1] :] if ends else head) if is_whole else f"…{head.partition(' ')[2]}"
    stop = _SENTENCE_END.search(tail)
    after = tail[: stop.end()].rstrip() if stop else tail.rstrip()
    if not stop and end + _REACH < len(text):
        after = f"{after.rpartition(' ')[0]}…"
    return Passage(name, *_readable(before, name_shown, after), start, etag(data))


def _readable(before: str, link: str, after: str) -> tuple[str, str, str]:
    """Return a sentence as a person reads it, parted at the link in it."""
    begin, end = _HERE
    parts = re.split("|".join(_HERE), shown(f"{before}{begin}{link}{end}{after}"))
    one, two, three = parts if len(parts) == len(_HERE) + 1 else map(one_line, (before, link, after))
    return one, two, three


def _key(text: bytes, at: int) -> str:
    """Return the key of the property that has a byte of the frontmatter."""
    first, last, _ = frontmatter.split(text)
    place = len(text[first:at].decode(errors="replace"))
    tree = frontmatter.compose(text[first:last].decode(errors="replace"))
    keys = [one_line(str(key.value)) for key, _ in frontmatter.pairs(tree) if key.start_mark.index <= place]
    return keys[-1] if keys else ""
