r"""Spell names that look alike (two forms of one accent, invisible characters), texts and numbers; find free names.

A name that looks like another one is followed by its exact spelling, `Café ("Cafe\u0301")`: a JSON string, which a
model can use unchanged as the argument of a tool, and a person can paste into bash as `$'Cafe\u0301'`.
"""

import json
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable

_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # categories: controls, marks of direction and width, ends of lines
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"  # fillers of Hangul, and the empty pattern of Braille
_SELECTORS = {chr(code) for code in range(0xFE00, 0xFE10)}  # variation selectors, as in emoji


def told_apart(names: Iterable[str]) -> list[str]:
    """Return names for a list, with the exact spelling of each name that could be mistaken for another.

    Such a name contains invisible characters, is not in NFC, or looks like another name in the list. Invisible
    characters are left out of the name that precedes the spelling.
    """
    names = list(names)
    if all(map(_is_plain, names)):
        return names
    looks = Counter(map(_look, dict.fromkeys(names)))
    return [_shown(name, has_double=looks[_look(name)] > 1) for name in names]


def printable(line: str) -> str:
    """Return a line in which characters that are not printable, such as a terminal's commands, are escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)


def quoted(text: str, most: int = 300) -> str:
    """Return a text in quotation marks for a sentence: one line, with at most `most` characters of the text."""
    return repr(text if len(text) <= most else text[:most] + "...")


def clock(seconds: float) -> str:
    """Return a time since 1970 for a person, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def number_of(number: int, one: str, more: str = "") -> str:
    """Return a number of things in words: `1 note`, `2 notes`; `more` is the plural if it is not formed with an s."""
    return f"{number} {one if number == 1 else more or one + 's'}"


def unused(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def exact(name: str) -> str:
    """Return the exact spelling of a name as a JSON string, with escapes for invisible and accented characters."""
    return _spelled(name, lambda char: _is_unseen(char) or _has_parts(char))


def _shown(name: str, *, has_double: bool) -> str:
    seen = "".join(char for char in name if not _is_unseen(char))
    if has_double or not unicodedata.is_normalized("NFC", name):
        return f"{seen} ({exact(name)})"
    return f"{seen} ({_spelled(name, _is_unseen)})" if seen != name else name


def _spelled(name: str, is_escaped: Callable[[str], bool]) -> str:
    return '"' + "".join(json.dumps(char, ensure_ascii=is_escaped(char))[1:-1] for char in name) + '"'


def _look(name: str) -> str:
    """Return the look of a name: the same text for names that look alike."""
    visible = (" " if unicodedata.category(char) == "Zs" else char for char in name if not _is_unseen(char))
    return unicodedata.normalize("NFC", "".join(char for char in visible if char not in _SELECTORS))


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isprintable()


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN or char in _BLANK_LETTERS


def _has_parts(char: str) -> bool:
    """Return whether a character is a letter with an accent, an accent, or a blank other than the plain space."""
    category = unicodedata.category(char)
    return category[0] == "M" or (category == "Zs" and char != " ") or unicodedata.normalize("NFD", char) != char
