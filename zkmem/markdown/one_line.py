"""Show a passage of a note as one line of plain text: links by their labels, without marks at the beginning."""

import re
from collections.abc import Iterable

from zkmem.markdown.links import Link, body_links
from zkmem.markdown.note import body_of
from zkmem.names import base_of

_LEAD = re.compile(r"\s*(?:(?:[-+*>|]|#{1,6}|\d+[.)])\s+|\[.\]\s+)*")
_BLANKS = re.compile(r"\s+")
_NOT_TEXT = re.compile(r"#{1,6}\s|[-*_=]{3,}\s*$|```|~~~|!\[|\||%%|<|\$\$")
_MOST_READ = 4_000  # bytes
_LONGEST = 160  # characters


def one_line(text: str) -> str:
    """Return a text with a single blank in place of each line end and each run of blanks."""
    return _BLANKS.sub(" ", text)


def without_lead(text: str) -> str:
    """Return a text without the marks of a heading, a list, a task or a quote at its beginning."""
    return _LEAD.sub("", text, count=1)


def label(link: Link) -> str:
    """Return the words that a link shows."""
    return link.display or base_of(link.target) or link.subpath.lstrip("#")


def labelled(text: bytes, start: int, end: int, links: Iterable[Link]) -> str:
    """Return the text of a range of bytes, with the labels of links in place of the links, and without embeds."""
    pieces, at = [], start
    for link in links:
        if at <= link.start and link.end <= end:
            pieces += [text[at : link.start].decode(errors="ignore"), "" if link.embed else label(link)]
            at = link.end
    return "".join([*pieces, text[at:end].decode(errors="ignore")])


def opening(data: bytes, longest: int = _LONGEST) -> str:
    """Return the beginning of the first paragraph of a note, as one line; "" if there is none near its beginning."""
    body = body_of(data)[:_MOST_READ]
    lines = labelled(body, 0, len(body), body_links(body)).split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not _NOT_TEXT.match(line.strip())), None)
    if first is None:
        return ""
    end = next((at for at, line in enumerate(lines[first:], first) if not line.strip()), len(lines))
    text = one_line(without_lead(" ".join(lines[first:end]))).strip()
    return text if len(text) <= longest else f"{text[:longest].rpartition(' ')[0] or text[:longest]}…"
