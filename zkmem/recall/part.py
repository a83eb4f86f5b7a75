"""Read a note that is too large to be read whole in parts, by offsets in bytes."""

import codecs
from typing import NamedTuple

from zkmem.errors import UnknownNote, Unreadable
from zkmem.names import name_of
from zkmem.vault.files import Stamp
from zkmem.vault.store import Store

_LEAST = 4  # bytes: the longest character
_MOST = 1_000_000  # bytes, if no other limit is given


class Part(NamedTuple):
    """A part of a note. All parts in order are its text."""

    text: str  # with U+FFFD for bytes that are not UTF-8; without a BOM
    stamp: Stamp
    next_offset: int | None  # the byte at which the next part begins; None at the end


def read_part(store: Store, path: str, offset: int, most: int | None) -> Part:
    """Return at most `most` bytes of the note at `path` from the byte `offset` on: whole lines, else whole characters.

    An offset inside a character stands for the beginning of the character.
    """
    before = min(offset, _LEAST - 1)
    count = max(_LEAST, _MOST if most is None else most)
    try:
        data, stamp = store.read_part(path, offset - before, before + count)
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownNote(name_of(path), ()) from None
    except OSError as error:
        raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error
    back = _bytes_back(data, before)
    data, begin = data[before - back :][:count], offset - back
    if begin + len(data) < stamp.size:
        data = data[: data.rfind(b"\n") + 1 or len(data) - _unfinished(data)]
    text = data.decode(errors="replace")
    end = begin + len(data)
    return Part(text if begin else text.removeprefix("\ufeff"), stamp, end if end < stamp.size and data else None)


def _bytes_back(data: bytes, at: int) -> int:
    """Return how many bytes before `at` belong to the character of the byte at `at`; 0 if that begins one."""
    back = _unfinished(data[:at])
    first = data[at - back : at - back + _LEAST].decode(errors="ignore")[:1].encode()
    return back if first and data.startswith(first, at - back) and len(first) > back else 0


def _unfinished(data: bytes) -> int:
    """Return how many bytes at the end of a text are the beginning of an incomplete character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])
