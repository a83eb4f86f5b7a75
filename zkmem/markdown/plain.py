"""The links of a plain text, at a fifth of the price: where nothing is code, HTML, math or escaped, brackets decide.

A shortcut of the one scanner, `links.py`, for the index, which asks nothing but targets. What it cannot account for,
bracket by bracket, it leaves to the parser; tests hold it to the same answers.
"""

import re
from collections.abc import Iterator

from zkmem.markdown import destinations

_MARKS = (b"`", b"<", b"$", b"\\", b"~", b"\t", b"\0", b"    ")  # of code, HTML, math and escapes
_BRACKETS = re.compile(  # begins with a letter of its own: `re` looks for that one fast
    rb"\[(?:(\[)(?!\^)([^\[\]\r\n]*)\]\](?![(\[\]]|start|end)"  # a wikilink; not if it may be an expansion's marker
    rb"|(?!\^)[^\[\]\r\n]*\](?:"
    rb"\(([^\x00-\x20\x7f()<>&]*)\)(?!start|end)"  # an inline link with a bare destination; likewise
    rb"|(?![(\[\]:])))"  # no link, as there are no definitions: a box in a list of tasks, for instance
)


def targets(body: bytes) -> list[tuple[str, bool]] | None:
    """The target of each link in a text without frontmatter, and whether it counts where no note is found.

    None where the text is not plain.
    """
    for mark in _MARKS:  # a loop: this is called for every note
        if mark in body:
            return None
    found = _BRACKETS.findall(body)
    brackets = len(found) + sum([1 for wiki, _, _ in found if wiki])
    if brackets != body.count(b"[") or brackets != body.count(b"]"):
        return None
    try:
        return list(_read(found))
    except UnicodeDecodeError:
        return None


def _read(found: list[tuple[bytes, bytes, bytes]]) -> Iterator[tuple[str, bool]]:
    for wiki, inner, url in found:
        if wiki:
            if written := wiki_target(inner):
                yield written[0].strip().decode(), True
        elif url and (parts := destinations.parts(url.decode())):
            yield parts[0], counts(parts[0])


def counts(target: str) -> bool:
    """Return whether a Markdown link to this counts although nothing is found.

    Source: docs/development/links.md, section 3.
    """
    return target[-3:].lower() == ".md"


def wiki_target(inner: bytes) -> tuple[bytes, bytes] | None:
    r"""The path and subpath that stand between `[[` and `]]`; None where Obsidian sees no link.

    The first `|` begins the display text (a `\` before it is a table's), the first `#` the subpath.
    """
    written, pipe, _ = inner.partition(b"|")
    if pipe and written.endswith(b"\\"):
        written = written[:-1]
    path, hash_, sub = written.partition(b"#")
    return (path, hash_ + sub) if hash_ or path.strip() else None
