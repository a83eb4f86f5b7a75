"""Find the links of a plain text, one without code, HTML, math and escapes, without the parser.

This is a shortcut for the scanner, `links.py`, and a shorter one for the index, which needs only the targets. A text
with a bracket that the pattern does not explain is left to the parser. Tests check that both find the same links.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zkmem.markdown import destinations
from zkmem.names import is_attachment, is_note

_MARKS = (b"`", b"<", b"$", b"\\", b"~", b"\t", b"\0", b"    ")  # of code, HTML, math and escapes
_BRACKETS = re.compile(  # begins with a literal, which `re` finds fast
    rb"\[(?:(\[)(?!\^)([^\[\]\r\n]*)\]\](?![(\[\]]|start|end)"  # a wikilink; not if it may be an expansion's marker
    rb"|(?!\^)[^\[\]\r\n]*\](?:"
    rb"\(([^\x00-\x20\x7f()<>&]*)\)(?!start|end)"  # an inline link with a bare destination; likewise
    rb"|(?![(\[\]:])))"  # no link, as there are no definitions: a box in a list of tasks, for instance
)
_Groups = tuple[bytes, ...]
"""The groups of a match: `[` for a wikilink, the text in a wikilink, and the destination of an inline link."""


def targets(body: bytes) -> list[tuple[str, bool]] | None:
    """Return the target of each link in a body, and whether it counts if no note is found; None if it is not plain."""
    matches = _BRACKETS.findall(body) if _has_no_marks(body) else []
    return _read(matches) if _explains(matches, body) else None


class LinkRange(NamedTuple):
    """The range in bytes of a link in a plain body. It includes the `!` of an embed.

    `url` is the destination of an inline link, and empty for a wikilink.
    """

    start: int
    end: int
    url: bytes


def ranges(body: bytes) -> list[LinkRange] | None:
    """Return the ranges of a body that may be links, in order; None if the body is not plain.

    A range may hold no link, such as `[[ ]]`.
    """
    matches = list(_BRACKETS.finditer(body)) if _has_no_marks(body) else []
    if not _explains([match.groups(b"") for match in matches], body):
        return None
    return [
        LinkRange(match.start() - (body[match.start() - 1 : match.start()] == b"!"), match.end(), match[3] or b"")
        for match in matches
        if match[1] or match[3]
    ]


def _has_no_marks(body: bytes) -> bool:
    for mark in _MARKS:  # noqa: SIM110 - a loop is faster, and this is called for every note
        if mark in body:
            return False
    return True


def _explains(matches: Sequence[_Groups], body: bytes) -> bool:
    """Return whether every bracket of a body is in a match."""
    brackets = len(matches) + sum([1 for wiki, _, _ in matches if wiki])
    return brackets == body.count(b"[") and brackets == body.count(b"]")


def _read(matches: Sequence[_Groups]) -> list[tuple[str, bool]] | None:
    """Return the targets in some matches, and whether each counts; None if a text is not UTF-8."""
    try:
        return list(_targets(matches))
    except UnicodeDecodeError:
        return None


def _targets(matches: Sequence[_Groups]) -> Iterator[tuple[str, bool]]:
    for wiki, inner, url in matches:
        if wiki:
            if written := wiki_target(inner):
                target = written[0].strip().decode()
                yield target, counts(target, is_wiki=True)
        elif url and (parts := destinations.parts(url.decode())):
            yield parts[0], counts(parts[0], is_wiki=False)


def counts(target: str, *, is_wiki: bool) -> bool:
    """Return whether a link to `target` counts even if no note is found.

    Source: docs/development/links.md, section 3.
    """
    return not is_attachment(target) if is_wiki else is_note(target)


def wiki_target(inner: bytes) -> tuple[bytes, bytes] | None:
    r"""Return the path and subpath in the text between `[[` and `]]`; None if Obsidian sees no link.

    The first `|` begins the display text, the first `#` the subpath. A `\` before the `|` is the escape of a table.
    """
    written, pipe, _ = inner.partition(b"|")
    if pipe and written.endswith(b"\\"):
        written = written[:-1]
    path, hash_, sub = written.partition(b"#")
    return (path, hash_ + sub) if hash_ or path.strip() else None
