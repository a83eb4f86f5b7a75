"""Halves of characters: lone surrogates, which JSON and YAML can spell and UTF-8 cannot."""

import re

_HALF = re.compile("[\ud800-\udfff]")


def has_half(text: str) -> bool:
    """Return whether a text contains half a character. A regular expression would take ten times as long."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def without_halves(text: str) -> str:
    """Return a text with U+FFFD in place of each half of a character."""
    return _HALF.sub("\ufffd", text) if has_half(text) else text
