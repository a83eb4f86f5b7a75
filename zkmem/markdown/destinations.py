"""Destinations of Markdown links: decode one, find it in the source, and write a path as one.

Rules: CommonMark's links, and docs/development/links.md, section 3.
"""

import html
import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")  # one letter before the colon is a Windows drive
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENCODED = {ord(char): f"%{ord(char):02X}" for char in [*map(chr, range(0x20)), "\\", "\x7f", "<", ">", "#"]}
_BLANKS = {b" ", b"\t", b"\n", b"\r"}
_MOST_TRIED = 100
_ENCODED_BARE = {**_ENCODED, ord(" "): "%20"}


def parts(url: str) -> tuple[str, str] | None:
    """Return the path and subpath of a Markdown destination; None if it is empty or a web address."""
    if not url or _SCHEME.match(url):
        return None
    path, hash_, sub = url.partition("#")
    return percent_decoded(path).replace("\0", "\ufffd"), percent_decoded(hash_ + sub)


def percent_decoded(text: str) -> str:
    """Return the text with its percent escapes decoded; unchanged if the result is not UTF-8."""
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return text


def unescaped(text: str) -> str:
    """Return the text with CommonMark's backslash escapes and entities decoded."""
    return html.unescape(_ESCAPED.sub(r"\1", text))


class DestinationPlace(NamedTuple):
    """The position of a destination in the source: `start`..`end`, and the ends of its path and of the label before."""

    label_end: int
    start: int
    path_end: int
    end: int


def find(source: bytes, span: range, close: int, opener: bytes, url: str) -> DestinationPlace | None:
    """Return where the destination `url` stands in a range of the source; None if no text there decodes to `url`.

    The parser gives no range for it. So this tries each place where it can begin: `close` first, then those before.
    Only a title that imitates links has very many of them, so it tries no more than `_MOST_TRIED`.
    """
    for _ in range(_MOST_TRIED):
        if close < 0:
            return None
        at = close + 2
        while source[at : at + 1] in _BLANKS and at < span.stop:
            at += 1
        if source[at : at + 1] == b"<":
            at += 1
            end = source.find(b">", at, span.stop)
        else:
            end = _bare_end(source, at, span.stop)
        written = source[at : max(at, end)].decode(errors="replace")
        if end >= at and unescaped(written) == url:
            return DestinationPlace(close, at, at + len(written.partition("#")[0].encode()), end)
        close = source.rfind(opener, span.start, close)
    return None


def _bare_end(source: bytes, at: int, stop: int) -> int:
    """Return the end of a destination without angle brackets: white space, or the parenthesis that closes the link."""
    depth = 0
    while at < stop:
        char = source[at]
        if char <= 0x20:
            break
        if char == 0x5C:  # a backslash escapes the next character
            at += 1
        elif char == 0x28:
            depth += 1
        elif char == 0x29:
            if not depth:
                break
            depth -= 1
        at += 1
    return min(at, stop)


def encoded(path: str, *, angle: bool) -> str:
    """Return the path as a Markdown destination; only characters that must be encoded are.

    Source: docs/development/links.md, section 3.
    """
    if percent_decoded(path) != path:
        path = path.replace("%", "%25")
    if html.unescape(path) != path:
        path = path.replace("&", "%26")
    if angle:
        return path.translate(_ENCODED)
    path = path.translate(_ENCODED_BARE)
    return path if _balanced(path) else path.replace("(", "%28").replace(")", "%29")


def encoded_subpath(subpath: str, *, angle: bool) -> str:
    """Return a subpath `#H1#H2` as the end of a Markdown destination."""
    return "#" + "#".join(encoded(part, angle=angle) for part in subpath[1:].split("#"))


def _balanced(path: str) -> bool:
    depth = 0
    for char in path:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0
