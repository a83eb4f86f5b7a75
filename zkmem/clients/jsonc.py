"""Parse JSON with comments and trailing commas into values that have their positions in the text."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

_SPACE = " \t\r\n"
_BOM = "\ufeff"
_DEEPEST = 200  # levels; no configuration has so many
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


class NotParsed(Exception):
    """A text that cannot be parsed: the number of the line, from 1, and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Member(NamedTuple):
    """A key of an object, or the index of an item of an array, with its value; `start` is that of the key or item."""

    key: str | int
    start: int
    value: "Value"
    comma: int | None  # the position of the comma after it


class Value(NamedTuple):
    """A value from `start` to `end` (exclusive), as a Python value; an object or an array has members, too."""

    start: int
    end: int
    data: Any
    members: tuple[Member, ...] = ()

    def member(self, key: str | int) -> Member | None:
        """Return the member with this key: the last one, as in other readers."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def parse(text: str) -> Value:
    """Parse a text, and return its value."""
    reader = _Reader(text)
    at = reader.skip(len(_BOM) if text.startswith(_BOM) else 0)
    value = reader.value(at, 0)
    rest = reader.skip(value.end)
    if rest < len(text):
        reader.fail(rest, "there is more after the end")
    return value


def trivia(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of white space and of each comment from `at` on, up to the first other character."""
    while at < len(text):
        end = at
        if text[at] in _SPACE:
            while end < len(text) and text[end] in _SPACE:
                end += 1
        elif text.startswith("//", at):
            end = _line_end(text, at)
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2) + 2
            if end < 2:
                raise NotParsed(line_of(text, at), "a comment has no end")
        else:
            return
        yield at, end
        at = end


def line_of(text: str, at: int) -> int:
    """Return the number of the line that holds a position, from 1."""
    return text.count("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1] == "\r" else end


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """Return the first position from `at` on that is neither white space nor in a comment."""
        for _, end in trivia(self._text, at):
            at = end
        return at

    def fail(self, at: int, reason: str) -> NoReturn:
        raise NotParsed(line_of(self._text, at), reason)

    def value(self, at: int, depth: int) -> Value:
        if depth > _DEEPEST:
            self.fail(at, "nested too deeply")
        sign = self._text[at : at + 1]
        if sign == "{":
            return self._object(at, depth)
        if sign == "[":
            return self._array(at, depth)
        if sign == '"':
            text, end = self._string(at)
            return Value(at, end, text)
        plain = _PLAIN.match(self._text, at)
        if plain is None:
            self.fail(at, f"a value is expected, not {sign!r}" if sign else "a value is missing at the end")
        try:
            return Value(at, plain.end(), json.loads(plain[0]))
        except ValueError:  # more digits than Python reads
            self.fail(at, "a number is too long")

    def _string(self, at: int) -> tuple[str, int]:
        string = _STRING.match(self._text, at)
        if string is None:
            self.fail(at, "a text has no closing quote")
        try:
            return json.loads(string[0]), string.end()
        except json.JSONDecodeError as error:  # a line end or a wrong escape in it
            self.fail(at + error.pos, error.msg[0].lower() + error.msg[1:])

    def _array(self, start: int, depth: int) -> Value:
        members: list[Member] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "]":
            value = self.value(at, depth + 1)
            at, comma = self._next(value.end, "]")
            members.append(Member(len(members), value.start, value, comma))
        return Value(start, at + 1, [one.value.data for one in members], tuple(members))

    def _object(self, start: int, depth: int) -> Value:
        members: list[Member] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                self.fail(at, 'a key in double quotes, or "}", is expected')
            key, end = self._string(at)
            colon = self.skip(end)
            if self._text[colon : colon + 1] != ":":
                self.fail(colon, f'":" is expected after the key {key!r}')
            value = self.value(self.skip(colon + 1), depth + 1)
            begin = at
            at, comma = self._next(value.end, "}")
            members.append(Member(key, begin, value, comma))
        return Value(start, at + 1, {one.key: one.value.data for one in members}, tuple(members))

    def _next(self, end: int, closing: str) -> tuple[int, int | None]:
        """Return the position of the next element or of the closing bracket, and that of the comma before it."""
        at = self.skip(end)
        if self._text[at : at + 1] == ",":
            return self.skip(at + 1), at
        if self._text[at : at + 1] != closing:
            self.fail(at, f'"," or "{closing}" is expected')
        return at, None
