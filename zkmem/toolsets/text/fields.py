"""Set fields of a section, such as `- Trust Level: 75/100`, in place. Pure."""

import re

from zkmem.toolsets.text.append import merged
from zkmem.toolsets.text.facts import FIELD, MARKS, Value, values, with_value
from zkmem.toolsets.text.sections import SECTION, key, split

_NOT_MORE = r"(?![0-9A-Za-z/%+-])(?![.,]\d)"  # else the digits are the beginning of something else
_AMOUNT = re.compile(rf"\d+(?:\.\d+)?(?:[ \t]*/[ \t]*\d+(?:\.\d+)?|[ \t]*[%％分])?{_NOT_MORE}")
_NUMBER = re.compile(rf"\d{{1,15}}{_NOT_MORE}")


def set_field(text: str, section: str, name: str, value: str) -> str:
    """Return a text with a field of a section set, or added if it is missing.

    If the old and the new value begin with a number, only the number is replaced, and a remark after it stays.
    """
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: {value}", section)
    start = MARKS.match(text, at.start, at.end)
    number = _AMOUNT.match(text, start.end(), at.end) if start and _AMOUNT.fullmatch(value) else None
    if number:
        return text[: number.start()] + value + text[number.end() :]
    return with_value(text, at, value)


def count_up(text: str, section: str, name: str) -> str:
    """Return a text with the number in a field increased by one: added if missing, unchanged if it is no number."""
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: 1", section)
    if at.start == at.end_below:
        return set_field(text, section, name, "1")
    start = MARKS.match(text, at.start, at.end)
    number = _NUMBER.match(text, start.end(), at.end) if start else None
    return f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}" if number else text


def _find(text: str, section: str, name: str) -> Value | None:
    """Return the value of a field; of the outermost one, if there are several."""
    at = 0
    fields: list[Value] = []
    for one in split(text):
        if one.level == SECTION and key(one.title) == key(section):
            fields += values(one.lines, at, name, FIELD)
        at += len(one.text)
    return min(fields, key=lambda value: value.indent, default=None)
