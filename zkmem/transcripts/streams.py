"""Read large files in parts, with bounds: the lines of JSON Lines, the items of a JSON array, the members of a zip."""

import codecs
import json
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

from zkmem.errors import BadArgument
from zkmem.transcripts.conversation import LeftOut

MOST_LINE = 16_000_000
"""Bytes of the longest line or file, and characters of the longest item, that is parsed."""

_CHUNK = 1_000_000
_MOST_SKIPPED = 300  # chunks of a value that is too long
_MOST_UNPACKED = 4_000_000_000  # bytes of one member of a zip
_BETWEEN = re.compile(r"[\s,]*")
_MARK = re.compile(r'["\\]|[\[{]+|[\]}]+')
_IN_STRING = re.compile(r'["\\]')
_DAMAGED = (ValueError, EOFError, OSError, struct.error, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
            NotImplementedError, RuntimeError)  # fmt: skip
"""What `zipfile` raises when a zip is damaged, encrypted, or of a kind that it does not read."""

_EXPORT = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text. Raise ValueError if the text is not JSON, or is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is a JSON object, else an empty object."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str:
    """Return a value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


def records(stream: IO[bytes], left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the JSON object of each line of a file."""
    number = 0
    while line := stream.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(_CHUNK)
            left_out[f"lines of more than {MOST_LINE // 1_000_000} MB"] += 1
            continue
        if not line.strip():
            continue
        try:
            record = parsed(line)
        except ValueError:
            left_out["broken lines"] += 1
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            left_out["lines that are no JSON object"] += 1


def items(stream: IO[bytes], left_out: LeftOut) -> Iterator[Any]:
    """Yield the items of a JSON array. An item that is too long is left out. Broken JSON ends the reading."""
    text = _Text(stream)
    try:
        text.skip_between()
        if not text.take("["):
            left_out["files that are no JSON array"] += 1
            return
        while True:
            text.skip_between()
            if text.take("]"):
                return
            try:
                yield text.item()
            except _TooLong:
                left_out[f"conversations of more than {MOST_LINE // 1_000_000} MB"] += 1
    except _DAMAGED:
        left_out["files that are broken or cut off, and were read up to that place"] += 1


def exports_in(path: str, left_out: LeftOut) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the name and the content of each file with conversations in an export: a zip, or the file itself."""
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            yield "", file
        return
    with _opened_zip(path) as archive:
        members = [one for one in archive.infolist() if _EXPORT.fullmatch(one.filename)]
        if not members:
            raise BadArgument(f"{path!r} has no conversations.json; give the zip that the service has sent you.")
        for member in sorted(members, key=lambda one: one.filename):
            if member.file_size > _MOST_UNPACKED:
                left_out[f"files of more than {_MOST_UNPACKED // 1_000_000_000} GB in the zip"] += 1
                continue
            try:
                stream = archive.open(member)
            except _DAMAGED as error:
                raise BadArgument(f"{member.filename} in {path!r} cannot be read: {error}.") from error
            with stream:
                yield member.filename, stream


def _opened_zip(path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _DAMAGED as error:
        raise BadArgument(f"{path!r} is damaged: {error}.") from error


class _TooLong(Exception):
    """An item is longer than `MOST_LINE`; it was skipped."""


class _Text:
    """The text of a stream. Only the part that is being read is in memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._json = json.JSONDecoder()
        self._text, self._at = "", 0

    def _more(self) -> bool:
        """Read on; return whether there was more."""
        data = self._stream.read(_CHUNK)
        self._text, self._at = self._text[self._at :] + self._decoder.decode(data, final=not data), 0
        return bool(data)

    def skip_between(self) -> None:
        """Skip blanks and commas."""
        while True:
            match = _BETWEEN.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text) or not self._more():
                return

    def take(self, char: str) -> bool:
        """Skip a character, if it comes next."""
        is_next = self._text.startswith(char, self._at)
        self._at += is_next
        return is_next

    def item(self) -> Any:
        """Return the next value.

        Raises:
            _TooLong: when the value is too long; it is then skipped.
            ValueError: when the value is broken, or the text ends in it.
        """
        wanted = _CHUNK
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except RecursionError:
                self._skip()
                raise _TooLong from None
            except ValueError:  # the rest of the value may be missing
                if len(self._text) - self._at > MOST_LINE:
                    self._skip()
                    raise _TooLong from None
                before = len(self._text) - self._at
                while len(self._text) - self._at < before + wanted and self._more():
                    pass
                if len(self._text) - self._at == before:
                    raise
                wanted *= 2
            else:
                length = end - self._at
                if end < len(self._text) or not self._more():  # else the rest of a number may be missing
                    self._at += length
                    return value

    def _skip(self) -> None:
        """Skip a value by its brackets, without keeping it.

        Raises:
            ValueError: when the text ends in the value, or when the value is longer than any conversation.
        """
        depth, in_string, parts = 0, False, 0
        while parts < _MOST_SKIPPED:
            match = (_IN_STRING if in_string else _MARK).search(self._text, self._at)
            if match is None:
                self._at = len(self._text)
                parts += 1
                if not self._more():
                    break
                continue
            self._at = match.end()
            if match[0] == "\\":
                if self._at == len(self._text) and not self._more():
                    break
                self._at += 1
            elif match[0] == '"':
                in_string = not in_string
            elif match[0][0] in "[{":
                depth += len(match[0])
            else:
                self._at -= max(0, len(match[0]) - depth)  # what closes an outer value is not a part of this one
                depth -= len(match[0])
            if depth <= 0 and not in_string:
                return
        raise ValueError("the value has no end")
