"""Read facts, lines like `- Location: Kyoto`, and set their values. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.toolsets.text.sections import ITEM, Line, heading_of, key

_NAMED = (  # `Name: value`, also `**Name**: value` and `**Name:** value`
    r"(?P<marks>[*_]{0,3})(?P<name>[^:：\n]{1,80}?)"
    r"(?:(?P=marks)[ \t]*+[:：]|[:：](?P=marks))[ \t]*+(?P<value>[^\r\n]*)"
)  # a run of blanks is read once, `*+`: in a line of blanks, each other way to divide it would be tried, too
FIELD = re.compile(rf"(?P<indent>[ \t]*+)[-*+][ \t]++{_NAMED}")
FACT = re.compile(rf"(?P<indent>[ \t]*+)(?:[-*+][ \t]++)?{_NAMED}")  # the list marker may be missing
MARKS = re.compile(r"[*_]{0,3}")
_NO_KEY = re.compile(r"[.,;!?。，；！？|<`]|.{41}")  # a long or punctuated name is a sentence with a colon in it


class Value(NamedTuple):
    """The range of a field's value: to the end of its line (`end`), or of its continuation lines (`end_below`)."""

    indent: int
    start: int
    end: int
    end_below: int


def fact_in(line: str) -> tuple[str, str] | None:
    """Return the key, normalized, and the value of a fact like `- Location: Kyoto`; None for other lines.

    A key has at most 40 characters and no punctuation, and a blank after its colon, which `12:30` and URLs lack.
    """
    fact = FACT.match(line)
    if not fact or _NO_KEY.search(fact["name"]):
        return None
    colon = line[fact.end("name") : fact.start("value")]
    if fact["value"] and not (colon[-1].isspace() or "：" in colon):
        return None
    name, marks = key(fact["name"].strip("*_ \t")), MARKS.match(fact["name"])
    return (name, fact["value"].rstrip().removesuffix(marks[0] if marks else "")) if name else None


def changed_fact(lines: Sequence[Line], value: str) -> str:
    """Return the text of an item that begins with a fact, with a new value.

    Continuation lines of the old value are dropped; items below it stay.
    """
    name, _ = fact_in(lines[0].text) or ("", "")
    return with_value("".join(line.text for line in lines), next(values(lines, 0, name, FACT)), value)


def with_value(text: str, at: Value, value: str) -> str:
    """Return a text with another value in the range `at`."""
    gap = " " if text[at.start - 1] not in " \t：" else ""
    return f"{text[: at.start]}{gap}{value}{text[at.end_below :]}"


def values(lines: Sequence[Line], at: int, name: str, pattern: re.Pattern[str]) -> Iterator[Value]:
    """Yield the values of a name in some lines; `at` is the offset of the first line, in characters."""
    for number, line in enumerate(lines):
        field = pattern.match(line.text) if not line.inside else None
        if field and key(field["name"].strip("*_ \t")) == key(name):
            before = MARKS.match(field["name"])  # `- **Name: value**`
            value = field["value"].rstrip().removesuffix(before[0] if before else "")
            start = at + field.start("value")
            below = _going_on(lines[number + 1 :], len(field["indent"]))
            end_below = at + len((line.text + below).rstrip()) if below else start + len(value)
            yield Value(len(field["indent"]), start, start + len(value), end_below)
        at += len(line.text)


def _going_on(lines: Iterable[Line], indent: int) -> str:
    """Return the continuation lines of an item: indented lines that begin no item or heading."""
    below = ""
    for line in lines:
        bare = line.text.lstrip(" \t")
        inner = bare.strip() and len(line.text) - len(bare) > indent
        if not inner or line.inside or ITEM.match(line.text) or heading_of(bare):
            break
        below += line.text
    return below
