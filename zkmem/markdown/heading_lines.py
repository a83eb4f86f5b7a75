"""Find the lines of a text that may belong to a heading, much faster than the parser finds the headings."""

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n?|\n")
_UNDERLINE = re.compile(r"^[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_AROUND = " \t>"  # may stand before a line in a quote or an item, and behind it


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
