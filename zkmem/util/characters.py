"""Characters that do harm in a text: halves of characters, and invisible ones that set the direction of writing.

Half a character is a lone surrogate, which JSON and YAML can spell and UTF-8 cannot. A character such as U+202E
reverses what follows the text, too, if the text does not end it.
"""

import re

_HALF = re.compile("[\ud800-\udfff]")
_END = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"), **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}
_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")


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


def sets_direction(text: str) -> bool:
    """Return whether a text sets a direction of writing."""
    return _CONTROLS.search(text) is not None


def closed(text: str) -> str:
    """Return a text in which each direction ends, and nothing ends a direction that is not its own."""
    if not sets_direction(text):
        return text
    ends: list[str] = []
    shown: list[str] = []
    for letter in text:
        if letter in _END:
            ends.append(_END[letter])
        elif letter in "\u202c\u2069":
            if not ends or ends[-1] != letter:
                continue
            ends.pop()
        shown.append(letter)
    return "".join([*shown, *reversed(ends)])
