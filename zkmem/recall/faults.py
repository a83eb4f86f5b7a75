"""Find the faults of one text that `zkmem check` would find in its note: for a text that may not be saved yet.

The checks of a whole vault are in `index/check.py`; those that compare notes with each other are only there.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from zkmem.index.check import repeated_property
from zkmem.markdown import frontmatter
from zkmem.markdown.callouts import conflict_titles
from zkmem.markdown.links import Link, as_utf8
from zkmem.markdown.note import body_of, text_fault
from zkmem.markdown.private import is_private
from zkmem.markdown.secret import described, secrets_in
from zkmem.markdown.sections import Outline, names_part
from zkmem.names import is_attachment, name_of
from zkmem.recall.meant import Meant
from zkmem.util.spelling import told_apart
from zkmem.vault.files import Read

_LARGEST = 1_000_000  # bytes of a note whose headings are looked at
_MOST_OUTLINES = 16  # that are kept: most of the links to parts of a note stand together

Kind = Literal[
    "missing",
    "missing-file",
    "missing-heading",
    "missing-block",
    "ambiguous",
    "properties",
    "unreadable",
    "conflict",
    "secret",
]


class Fault(NamedTuple):
    """A fault, the range of bytes that it is about, and what a correction needs."""

    kind: Kind
    start: int
    end: int
    sentence: str
    target: str = ""  # of a link, as it is written
    subpath: str = ""
    path: str = ""  # of the note that the link means
    choices: tuple[str, ...] = ()  # the paths of the notes that the link could mean


def faults(path: str, data: bytes, links: Sequence[Meant], text_of: Read) -> list[Fault]:
    """Return the faults of the text of a note, with these links. `text_of` returns the text of another note."""
    parts = _Parts(text_of)
    of_links = (fault for one in links for fault in _of_link(one, parts))
    return [*_of_text(data), *_of_properties(data), *_of_secrets(path, data), *of_links]


def _of_secrets(path: str, data: bytes) -> Iterator[Fault]:
    if (secrets := secrets_in(data)) and not is_private(path, data):
        for one in secrets:
            yield Fault("secret", *_line(data, one.line), f"T{described([one])[0][1:]}.")


def _of_link(meant: Meant, parts: "_Parts") -> Iterator[Fault]:
    link = meant.link
    if meant.is_missing:
        yield _fault("missing", link, f"No note has the name {link.target!r} yet.")
    elif meant.path is None and is_attachment(link.target):
        yield _fault("missing-file", link, f"No file has the name {link.target!r}.")
    if meant.path is not None and meant.rivals:
        one, *others = told_apart(map(name_of, [meant.path, *meant.rivals]))
        sentence = f"[[{link.target}]] means {one}, not {', '.join(others)}."
        yield _fault("ambiguous", link, sentence, path=meant.path, choices=(meant.path, *meant.rivals))
    if meant.leads_to_note and meant.path and names_part(link.subpath) and parts.lacks(meant.path, link):
        is_block = link.subpath.startswith("#^")
        what, shown = ("block", link.subpath[2:]) if is_block else ("heading", link.subpath[1:])
        sentence = f"{told_apart([name_of(meant.path)])[0]} has no {what} {shown!r}."
        yield _fault("missing-block" if is_block else "missing-heading", link, sentence, path=meant.path)


def _fault(kind: Kind, link: Link, sentence: str, **more: Any) -> Fault:
    return Fault(kind, link.start, link.end, sentence, link.target, link.subpath, **more)


class _Parts:
    """Finds the headings and blocks that notes lack; each is looked for once."""

    def __init__(self, text_of: Read) -> None:
        self._known: dict[tuple[str, str, bool], bool] = {}
        self._outline = functools.lru_cache(_MOST_OUTLINES)(functools.partial(_outline, text_of))

    def lacks(self, path: str, link: Link) -> bool:
        """Return whether a note lacks the part that a link names; False if the note cannot be read, or is large."""
        slugs = link.kind != "wiki"
        key = (path, link.subpath, slugs)
        if key not in self._known:
            outline = self._outline(path)
            self._known[key] = outline is not None and not outline.has(link.subpath, slugs=slugs)
        return self._known[key]


def _outline(text_of: Read, path: str) -> Outline | None:
    """Return the outline of a note; None if it cannot be read, or is large."""
    try:
        data = text_of(path)
    except OSError:
        return None
    return Outline(as_utf8(body_of(data))) if len(data) <= _LARGEST else None


def _of_properties(data: bytes) -> Iterator[Fault]:
    first, last, _ = frontmatter.split(data)
    if fault := frontmatter.fault(data):
        line = frontmatter.line_of_fault(fault)
        start, end = _line(data, line) if line else (first, last)
        yield Fault("properties", start, end, f"The properties are not YAML: {fault}.")
    elif twice := repeated_property(data):
        yield Fault("properties", first, last, f"The properties: {twice}.")


def _of_text(data: bytes) -> Iterator[Fault]:
    if fault := text_fault(data):
        yield Fault("unreadable", 0, 0, f"{fault}."[:1].upper() + f"{fault}."[1:])
    end = 0
    for title in conflict_titles(data):  # in order; those of git's markers have no place
        at = max(0, data.find(title.encode(), end))
        yield Fault("conflict", at, at + len(title.encode()), f"A conflict waits for a decision: {title}.")
        end = at + len(title.encode())


def _line(data: bytes, number: int) -> tuple[int, int]:
    """Return the range of a line, counted from 1."""
    start = 0
    for _ in range(number - 1):
        start = data.find(b"\n", start) + 1
    end = data.find(b"\n", start)
    return start, end if end >= 0 else len(data)
