"""File names for names that are not valid as such: percent-encoded, and different even where case does not count.

A valid name is its own file name. Only a `%` that looks like the start of an encoding is encoded.
"""

import functools
import hashlib
import re

from zkmem.errors import BadName
from zkmem.markdown.secret import secrets_in
from zkmem.names import NOTE_SUFFIX, check_part, fold, normal

_ENCODED = re.compile("(?:%[0-9A-Fa-f]{2})+")
_DIGEST = re.compile("~[0-9a-f]{18}")
_MARKUP = re.compile(r"[\\/:*?\"<>|#^\[\]%`~]+|^[\s.+-]+|[\s.,;]+$")
_DEVICE = 7  # characters in the longest name of a device
_LONGEST_WORDS = 60  # characters of the first words of a text
_LONGEST = 200  # bytes: leaves room for folders and for a suffix


def encodings(name: str) -> tuple[str, ...]:
    """Return file names for a name, without `.md`, the most readable one first. No other name has the same last one.

    For a name that is empty or too long the last one is its digest, which cannot be decoded.
    """
    exact = _encoded(name, exact=True)
    last = exact if _is_part(exact) else digest(name)
    light = _encoded(name, exact=False)
    return tuple(dict.fromkeys((light, last))) if _is_part(light) else (last,)


def nameable(text: str) -> str:
    """Return the part of a text that a name may be made of: the lines before the first one that looks like a key.

    A name is in links, logs and lists, where a key does not belong.
    """
    while secrets := secrets_in(text.encode(errors="replace")):  # it finds so many at once that some may be missing
        text = "\n".join(text.split("\n")[: secrets[0].line - 1])
    return text


def first_words(text: str) -> str:
    """Return the first words of a text that a name may be made of, without markup; "" if it has none."""
    for line in nameable(text).splitlines():
        words = " ".join(_MARKUP.sub(" ", "".join(char if char.isprintable() else " " for char in line)).split())
        short = words[:_LONGEST_WORDS]
        if len(words) > _LONGEST_WORDS:
            short = short.rpartition(" ")[0] or short
        if short := _MARKUP.sub("", short).strip():
            return short
    return ""


def decoded(part: str) -> str:
    """Return the name that a file name encodes."""

    def read(match: re.Match[str]) -> str:
        try:
            return bytes.fromhex(match[0].replace("%", "")).decode()
        except UnicodeDecodeError:  # this is no encoding
            return match[0]

    return _ENCODED.sub(read, part) if "%" in part else part


def is_digest(part: str, name: str) -> bool:
    """Return whether a file name is the digest of a name."""
    return _DIGEST.fullmatch(part) is not None and part == digest(name)


def digest(name: str) -> str:
    """Return the file name for a name that cannot be encoded in one."""
    return "~" + hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=9).hexdigest()


def _encoded(name: str, *, exact: bool, odd: bool = False) -> str:
    """Return the name with the characters encoded that a file name cannot hold.

    With `exact`, all characters that have case are encoded too, and the first of the others. So two names never have
    the same encoding, even where case does not count.
    """
    first = _is_device(name) or _DIGEST.fullmatch(fold(name)) is not None
    odd = odd or normal(name) != name
    suffix = len(name) - len(NOTE_SUFFIX) if fold(name).endswith(NOTE_SUFFIX) else -1

    def can_stand(at: int, char: str) -> bool:
        if at == suffix or (odd and not char.isascii()):
            return False
        if char == "%":
            return not re.match("%[0-9A-Fa-f]{2}|%%", name[at : at + 3]) and name[at - 1 : at] != "%"
        if at == 0 and first:
            return False
        if at in {0, len(name) - 1} and (char == "." or char.isspace()):
            return False
        return _can_stand(char)

    stands = [can_stand(at, char) for at, char in enumerate(name)]
    if exact:
        marked = stands.index(True) if True in stands else -1
        stands = [stands[at] and at != marked and fold(char) == char for at, char in enumerate(name)]
    part = "".join(char if stands[at] else _percent(char) for at, char in enumerate(name))
    return part if normal(part) == part else _encoded(name, exact=exact, odd=True)  # for example, an accent on a digit


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


@functools.cache
def _can_stand(char: str) -> bool:
    return _is_part(f"x{char}x")


def _is_device(name: str) -> bool:
    stem = name.partition(".")[0].rstrip()
    return stem.rstrip("$").isalnum() and len(stem) <= _DEVICE and not _is_part(stem)


def _is_part(part: str) -> bool:
    try:
        check_part(part, part)
    except BadName:
        return False
    return len(part.encode()) <= _LONGEST
