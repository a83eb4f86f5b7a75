"""Names and texts with invisible characters that set the direction of writing, such as U+202E.

Without its end, such a character reverses what follows the name, too.
"""

import re

_END = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"), **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}
_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")


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
