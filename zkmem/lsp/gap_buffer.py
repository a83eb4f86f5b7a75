"""A text in which many changes are made at once, for example by "replace all".

The text is in two parts, with the gap between them where the last change was. So a change costs as much as its distance
from the one before it, and changes in the order of the text take one pass in all. Each part is an array with one number
for each code unit: a column needs no decoding, however long its line is.
"""

import re
import sys
from array import array
from bisect import bisect_left, bisect_right

from zkmem.lsp.positions import Encoding, Lines, first_byte

_LINE_END = re.compile(r"\r\n?|\n")
_CR, _LF = b"\r\n"
_NATIVE_16, _NATIVE_32 = f"utf-16-{sys.byteorder[0]}e", f"utf-32-{sys.byteorder[0]}e"
_AROUND = 4  # bytes of a character

Place = tuple[int, int]  # a line and a column


class GapBuffer:
    """A text that changes, with its line starts. `moved` counts the code units that went from one part to the other."""

    def __init__(self, lines: Lines) -> None:
        self.moved = 0
        self._encoding: Encoding = lines.encoding
        text = _units(lines.data, self._encoding)
        self._before = _numbers(text)
        self._after = array("I")  # backwards
        self._starts = array("I", [0, *(match.end() for match in _LINE_END.finditer(text))])  # up to the gap
        self._rest = array("I")  # those behind the gap, counted from the end of the text; the nearest is the last

    def replace(self, start: Place, end: Place, new: bytes) -> None:
        """Replace the text between two positions; `start` is not after `end`."""
        first, last = self._offset(*start), self._offset(*end)
        self._move(last)
        while len(self._starts) > 1 and self._starts[-1] >= first:
            self._starts.pop()
        del self._before[first:]
        text = _units(new, self._encoding)
        self._before += _numbers(text)
        ends = (first + match.end() for match in _LINE_END.finditer(text))
        for at in sorted({first, *ends, len(self._before)}):  # the first and the last depend on what is around them
            if at and self._begins_line(at):
                self._starts.append(at)

    def lines(self) -> Lines:
        """Return the text as it is now."""
        self._move(len(self))
        return Lines(_bytes(self._before, self._encoding), self._encoding)

    def __len__(self) -> int:
        return len(self._before) + len(self._after)

    def _unit(self, at: int) -> int:
        return self._before[at] if at < len(self._before) else self._after[len(self) - 1 - at]

    def _move(self, at: int) -> None:
        """Move the gap."""
        here, size = len(self._before), len(self)
        self.moved += abs(at - here)
        if at < here:
            self._after += self._before[at:][::-1]
            del self._before[at:]
            first = bisect_right(self._starts, at)
            self._rest.extend(size - one for one in self._starts[first:][::-1])
            del self._starts[first:]
        elif at > here:
            self._before += self._after[here - at :][::-1]
            del self._after[here - at :]
            first = bisect_left(self._rest, size - at)
            self._starts.extend(size - one for one in self._rest[first:][::-1])
            del self._rest[first:]

    def _begins_line(self, at: int) -> bool:
        before = self._unit(at - 1)
        return before == _LF or (before == _CR and (at == len(self) or self._unit(at) != _LF))

    def _start(self, line: int) -> int:
        known = len(self._starts)
        return self._starts[line] if line < known else len(self) - self._rest[known - 1 - line]

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a position as `Lines.offset` does."""
        count = len(self._starts) + len(self._rest)
        if line >= count:
            return len(self)
        start, end = self._start(line), len(self)
        if line + 1 < count:
            end = self._start(line + 1) - 1
            end -= end > start and self._unit(end) == _LF and self._unit(end - 1) == _CR
        return self._beginning(start, min(start + column, end), end)

    def _beginning(self, start: int, at: int, end: int) -> int:
        """Return where the character begins that an offset is in."""
        if not start < at < end:
            return at
        if self._encoding == "utf-16":
            halves = self._unit(at - 1) >> 10 == 0xD800 >> 10 and self._unit(at) >> 10 == 0xDC00 >> 10
            return at - halves
        if self._encoding == "utf-8" and self._unit(at) & 0xC0 == 0x80:
            begin = max(start, at - _AROUND)
            around = bytes(self._unit(one) for one in range(begin, min(end, at + _AROUND)))
            return begin + first_byte(around, 0, at - begin)
        return at


def _units(data: bytes, encoding: Encoding) -> str:
    """Return a text with a character for each code unit."""
    if encoding == "utf-8":
        return data.decode("latin-1")
    text = data.decode(errors="surrogateescape")
    if encoding == "utf-32" or text.isascii():
        return text
    return "".join(map(chr, array("H", text.encode(_NATIVE_16, "surrogatepass"))))


def _numbers(text: str) -> "array[int]":
    return array("I", text.encode(_NATIVE_32, "surrogatepass"))


def _bytes(units: "array[int]", encoding: Encoding) -> bytes:
    """Return the bytes of a text of which these are the code units."""
    text = units.tobytes().decode(_NATIVE_32, "surrogatepass")
    if encoding == "utf-8":
        return text.encode("latin-1")
    if encoding == "utf-16":  # joins the halves of characters
        text = text.encode(_NATIVE_16, "surrogatepass").decode(_NATIVE_16, "surrogatepass")
    return text.encode(errors="surrogateescape")
