"""Fields of a section: `- Trust Level: 75/100`. Set in place, all else stays as it is. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.toolsets.text.append import merged
from zkmem.toolsets.text.sections import ITEM, SECTION, Line, heading_of, key, split

_FIELD = re.compile(  # `- Name: value`, also `- **Name**: value` and `- **Name:** value`
    r"(?P<indent>[ \t]*)[-*+][ \t]+(?P<marks>[*_]{0,3})(?P<name>[^:：\n]{1,80}?)"
    r"(?:(?P=marks)[ \t]*[:：]|[:：](?P=marks))[ \t]*(?P<value>[^\r\n]*)"
)
_MARKS = re.compile(r"[*_]{0,3}")
_NOT_MORE = r"(?![0-9A-Za-z/%+-])(?![.,]\d)"  # else the digits are the beginning of something else
_AMOUNT = re.compile(rf"\d+(?:\.\d+)?(?:[ \t]*/[ \t]*\d+(?:\.\d+)?|[ \t]*[%％分])?{_NOT_MORE}")
_NUMBER = re.compile(rf"\d{{1,15}}{_NOT_MORE}")


class _Value(NamedTuple):
    """Where the value of a field is: to the end of its line, and of the lines that go on with it."""

    indent: int
    start: int
    end: int
    end_below: int


def set_field(text: str, section: str, name: str, value: str) -> str:
    """A text with a field of a section set; it is added if it is missing.

    A number that the field begins with is replaced alone by another one, a remark behind it stays.
    """
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: {value}", section)
    start = _MARKS.match(text, at.start, at.end)
    number = _AMOUNT.match(text, start.end(), at.end) if start and _AMOUNT.fullmatch(value) else None
    if number:
        return text[: number.start()] + value + text[number.end() :]
    gap = " " if text[at.start - 1] not in " \t：" else ""
    return f"{text[: at.start]}{gap}{value}{text[at.end_below :]}"


def count_up(text: str, section: str, name: str) -> str:
    """A text with the number in a field one higher; it is added if it is missing, and left if it is no number."""
    at = _find(text, section, name)
    if at is None:
        return merged(text, f"- {name}: 1", section)
    if at.start == at.end_below:
        return set_field(text, section, name, "1")
    start = _MARKS.match(text, at.start, at.end)
    number = _NUMBER.match(text, start.end(), at.end) if start else None
    return f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}" if number else text


def _find(text: str, section: str, name: str) -> _Value | None:
    """The value of a field; of the outermost one, if there are several."""
    at = 0
    found: list[_Value] = []
    for one in split(text):
        if one.level == SECTION and key(one.title) == key(section):
            found += _values(one.lines, at, name)
        at += len(one.text)
    return min(found, key=lambda value: value.indent, default=None)


def _values(lines: Sequence[Line], at: int, name: str) -> Iterator[_Value]:
    for number, line in enumerate(lines):
        field = _FIELD.match(line.text) if not line.inside else None
        if field and key(field["name"].strip("*_ \t")) == key(name):
            before = _MARKS.match(field["name"])  # `- **Name: value**`
            value = field["value"].rstrip().removesuffix(before[0] if before else "")
            start = at + field.start("value")
            below = _going_on(lines[number + 1 :], len(field["indent"]))
            end_below = at + len((line.text + below).rstrip()) if below else start + len(value)
            yield _Value(len(field["indent"]), start, start + len(value), end_below)
        at += len(line.text)


def _going_on(lines: Iterable[Line], indent: int) -> str:
    """The text of the lines that go on with an item: indented ones that begin nothing of their own."""
    found = ""
    for line in lines:
        bare = line.text.lstrip(" \t")
        inner = bare.strip() and len(line.text) - len(bare) > indent
        if not inner or line.inside or ITEM.match(line.text) or heading_of(bare):
            break
        found += line.text
    return found
