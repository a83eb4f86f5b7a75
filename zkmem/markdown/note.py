"""Read the text of a note, write it back, and extract the facts that the index stores."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from zkmem.markdown import frontmatter
from zkmem.markdown.callouts import conflict_titles
from zkmem.markdown.frontmatter import BOM
from zkmem.markdown.links import MOST_MARKS, is_parsed, targets

_END = "\0"  # ends each packed target or title; none contains it
_SURROGATES = re.compile("[\udc80-\udcff]")


class Text(NamedTuple):
    r"""A file's text with `\n` line ends and no BOM, and the facts needed to write it back byte for byte.

    A byte that is not UTF-8 is a lone surrogate in `text` (Python's `surrogateescape`), so that a splice elsewhere
    preserves it. In `shown` each of them is U+FFFD.
    """

    text: str
    bom: bool = False
    crlf: bool = False

    @property
    def shown(self) -> str:
        """The text for readers."""
        return _SURROGATES.sub("\ufffd", self.text) if self.lossy else self.text

    @property
    def lossy(self) -> bool:
        """Whether some bytes are not UTF-8, so that `shown` would not restore the file."""
        return not self.text.isascii() and _SURROGATES.search(self.text) is not None

    @property
    def wide(self) -> bool:
        """Whether the bytes are those of UTF-16 rather than of UTF-8: at least every third one is zero."""
        return 0 < len(self.text) <= self.text.count("\0") * 3

    def offset(self, position: int) -> int:
        """Return the byte of the file at which the character `position` begins."""
        before = self.text[:position]
        newlines = before.count("\n") if self.crlf else 0
        return len(BOM) * self.bom + len(before.encode(errors="surrogateescape")) + newlines


class NoteFacts(NamedTuple):
    """The facts of a note that the index stores: the length of its body, its targets, its fault and its conflicts.

    Each target is stored once. All are packed into one string, which saves memory in a large vault.
    """

    characters: int = 0
    counted: str = ""
    uncounted: str = ""
    fault: str | None = None
    callouts: str = ""

    @property
    def targets(self) -> list[str]:
        """The targets that count as links to a note even if no note is found."""
        return self.counted.split(_END)[:-1]

    @property
    def others(self) -> list[str]:
        """The other targets: those of Markdown links that do not end in `.md`."""
        return self.uncounted.split(_END)[:-1]

    @property
    def conflicts(self) -> list[str]:
        """The titles of the conflict callouts, in order."""
        return self.callouts.split(_END)[:-1]

    @classmethod
    def of(
        cls,
        characters: int,
        targets: Iterable[str],
        others: Iterable[str],
        fault: str | None,
        conflicts: Iterable[str] = (),
    ) -> "NoteFacts":
        """Return the facts with these targets, and these titles of conflict callouts."""
        return cls(characters, _packed(targets), _packed(others), fault, _packed(conflicts))


def _packed(texts: Iterable[str]) -> str:
    return "".join([text + _END for text in texts])


def read_text(data: bytes) -> Text:
    r"""Return the text of a file. Line ends become `\n` if all of them are CRLF; mixed ones stay."""
    bom = data.startswith(BOM)
    body = data[len(BOM) :] if bom else data
    crlf = b"\r\n" in body and body.count(b"\r\n") == body.count(b"\n") == body.count(b"\r")
    text = body.decode(errors="surrogateescape")
    return Text(text.replace("\r\n", "\n") if crlf else text, bom, crlf)


def write_text(text: str, like: Text) -> bytes:
    """Return the bytes of `text` with the BOM and line ends of the file that `like` was read from."""
    if like.crlf:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (
        (BOM + text.removeprefix("\ufeff").encode(errors="surrogateescape"))
        if like.bom
        else (text.encode(errors="surrogateescape"))
    )


def parse(data: bytes) -> NoteFacts:
    """Return the facts that the index stores of a note with these bytes."""
    body = frontmatter.split(data)[2]
    characters = len(data) - body if data.isascii() else len(data[body:].decode(errors="replace"))
    return NoteFacts.of(characters, *targets(data), text_fault(data), conflict_titles(data))


def text_fault(data: bytes) -> str | None:
    """Return why not all of a note can be read as text; None if it can."""
    if not is_parsed(data[frontmatter.split(data)[2] :]):
        return f"more than {MOST_MARKS:,} brackets, line ends and other marks: no link in its text is read"
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    return None


def body_of(data: bytes) -> bytes:
    """Return the bytes after the frontmatter (and the BOM)."""
    return data[frontmatter.split(data)[2] :]
