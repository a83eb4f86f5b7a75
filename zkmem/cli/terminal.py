"""Show the control characters of notes on a terminal, so that no note can give the terminal a command."""

import io
import re
from typing import TextIO

# the control characters C0 and C1 without tabs and line ends, and characters that reverse the text beside them
_CONTROL = re.compile("(?!\r?\n|\t)[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _Terminal(io.TextIOWrapper):
    r"""A text stream to a terminal that writes each control character as an escape (`\x1b`)."""

    def write(self, text: str) -> int:
        return super().write(_CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text))


def guarded(stream: TextIO) -> TextIO:
    """Return a stream that escapes control characters if `stream` is a terminal, else `stream` itself.

    A pipe or a file gets each byte as it is, since another program may need it.
    """
    if not (isinstance(stream, io.TextIOWrapper) and stream.isatty()):
        return stream
    return _Terminal(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
