"""Fields of a section: `- Trust Level: 75/100`. Set in place, all else stays as it is. Pure."""

import re

from zkmem.toolsets.text.append import merged
from zkmem.toolsets.text.sections import key, split

_FIELD = re.compile(r"([ \t]*[-*+][ \t]+)([^:：\n]{1,80})([:：][ \t]*)([^\r\n]*)")
_OF_100 = re.compile(r"\d+(?:\.\d+)?(?:[ \t]*/[ \t]*100)?")
_NUMBER = re.compile(r"\d{1,15}(?!\d)")


def set_field(text: str, section: str, name: str, value: str) -> str:
    """A text with a field of a section set; it is added if it is missing.

    A number of a hundred that the field begins with is replaced alone, a remark behind it stays.
    """
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: {value}", section)
    start, end = at
    old = text[start:end]
    number = _OF_100.match(old) if _OF_100.fullmatch(value) else None
    return text[:start] + value + text[start + number.end() if number else end :]


def count_up(text: str, section: str, name: str) -> str:
    """A text with the number in a field one higher; it is added if it is missing, and left if it is no number."""
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: 1", section)
    number = _NUMBER.match(text, *at)
    return text[: at[0]] + str(int(number[0]) + 1) + text[number.end() :] if number else text


def _find(text: str, section: str, name: str) -> tuple[int, int] | None:
    """Where the value of a field is."""
    at = 0
    for one in split(text):
        here = one.level == 2 and key(one.title) == key(section)
        for line in one.lines:
            field = _FIELD.match(line.text) if here and not line.inside else None
            if field and key(field[2].strip("*_ \t")) == key(name):
                return at + field.start(4), at + field.start(4) + len(field[4].rstrip())
            at += len(line.text)
    return None
