"""Tag the lines that a side moved from one note to another, if both notes are one note in the merged tree.

The other side still has these lines at their old place. Without a tag, the merge would keep a line once that is at its
old place and at its new one, and the change that removed it from the old place would remove it.
"""

import re
from collections.abc import Collection, Iterable

from zkmem.markdown import frontmatter

_LINE = re.compile(rb"[^\r\n]+")
_TAG = b"\0moved"
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]")  # lines without a word, such as the end of code, shape the text


def moved_lines(source: Iterable[bytes], target: Iterable[bytes]) -> set[bytes]:
    """Return the lines that moved if the target has them now. `source`, `target`: the former texts of the notes."""
    before = {line for text in target for line in _LINE.findall(text)}
    return {line for text in source for line in _LINE.findall(text) if _WORD.search(line)} - before


def tagged(text: bytes, moved: Collection[bytes]) -> bytes:
    """Return a text with a tag at the end of each moved line of its body."""
    begin = frontmatter.split(text)[2]
    return text[:begin] + _LINE.sub(lambda line: line[0] + _TAG * (line[0] in moved), text[begin:])


def untagged(text: bytes) -> bytes:
    """Return a text without tags."""
    return text.replace(_TAG, b"")
