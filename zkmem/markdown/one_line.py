"""Show a passage of a note as one line of plain text: links by their labels, without the marks of Markdown."""

import re
from collections.abc import Iterable

import pyromark

from zkmem.markdown.links import OPTIONS, Link, body_links, edge, events
from zkmem.markdown.note import body_of
from zkmem.names import base_of

_LEAD = re.compile(r"\s*(?:(?:[-+*>|]|#{1,6}|\d+[.)])\s+|\[.\]\s+)*")
_BLANKS = re.compile(r"\s+")
_NOT_TEXT = re.compile(r"#{1,6}\s|[-*_=]{3,}\s*$|```|~~~|!\[|\||%%|<|\$\$")
_TEXTS = ("Text", "Code", "InlineMath", "DisplayMath")
_MARK = re.compile(r"[^\w\s.,;:?()'\"/-]|__|_\b|\b_")  # may have a meaning in a heading
_UNSEEN = ("InlineHtml", "Html", "FootnoteReference")
_INSIDE = {"Emphasis", "Strong", "Strikethrough", "Link", "Image"}  # elements that do not part words
_READ = OPTIONS | pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_HEAD = re.compile(r"\[(?:![^\[\]]{1,100}\][+-]?|[^\[\]]\])\s*")  # the box of a task, or the type of a callout
_MARKS = re.compile(r"%%.*?(?:%%|\Z)|==(?=\S)(.{0,300}?\S)==|\s\^[\w-]+(?=\s*\Z)", re.DOTALL)
"""What else the parser leaves in the text: comments, highlights, the id of a block."""
_DELIMITER_ROW = re.compile(r"[ \t>|:]*-[-|: \t]*")  # the second line of a table
_MOST_ROWS = 1_000  # that are read to find the head of a table
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


def shown(text: str) -> str:
    """Return a passage of Markdown as a person reads it: in one line, links by their labels, without marks and HTML."""
    body = text.encode(errors="replace")
    pieces: list[str] = []
    may_have_head = False
    for event, _ in events(labelled(body, 0, len(body), body_links(body)), _READ):
        kind, value = next(iter(event.items())) if type(event) is dict else (event, "")
        name, begins = edge(event) or ("", False)
        if kind in _TEXTS:
            head = _HEAD.match(value) if may_have_head else None
            pieces.append(value[head.end() :] if head else value)
        elif kind not in _UNSEEN and name not in _INSIDE:
            pieces.append(" ")
        may_have_head = begins and (name in {"Item", "BlockQuote"} or (may_have_head and name == "Paragraph"))
    return one_line(_MARKS.sub(r"\1", "".join(pieces))).strip()


def table_head(text: str, at: int) -> str:
    """Return a head with empty cells to put before a part of a text that begins in the rows of a table; else "".

    The parser reads rows without a head as text. `at`: where the part begins.
    """
    end = first = text.find("\n", at) if "\n" in text[at:] else len(text)
    for _ in range(_MOST_ROWS):
        start = text.rfind("\n", 0, end) + 1
        row = text[start:end].rstrip()
        if _DELIMITER_ROW.fullmatch(row) and "|" in row:
            break
        if "|" not in row or not start:
            return ""
        end = start - 1
    cells = row.lstrip(" \t>")
    mark, count = row[: len(row) - len(cells)], cells.strip("|").count("|") + 1
    delimiter = f"{mark}{'|-' * count}|\n" if end != first else ""  # else the part has it
    return f"{mark}{'| ' * count}|\n{delimiter}"


def shown_heading(raw: str) -> str:
    """Return the text of a heading, which has no `#`, as a person reads it."""
    return shown(f"# {raw}") if _MARK.search(raw) else raw


def opening(data: bytes, longest: int = _LONGEST) -> str:
    """Return the beginning of the first paragraph of a note, as one line; "" if there is none near its beginning."""
    body = body_of(data)[:_MOST_READ]
    lines = labelled(body, 0, len(body), body_links(body)).split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not _NOT_TEXT.match(line.strip())), None)
    if first is None:
        return ""
    end = next((at for at, line in enumerate(lines[first:], first) if not line.strip()), len(lines))
    text = shown("\n".join(lines[first:end]))
    return text if len(text) <= longest else f"{text[:longest].rpartition(' ')[0] or text[:longest]}…"
