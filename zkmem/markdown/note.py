"""A parsed note: the text that people and models see, and what the index keeps of it."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from zkmem.markdown import frontmatter
from zkmem.markdown.frontmatter import BOM
from zkmem.markdown.links import MOST_MARKS, is_parsed, targets

_END = "\0"  # no target holds it
_SURROGATES = re.compile("[\udc80-\udcff]")


class Text(NamedTuple):
    r"""A file's text with `\n` line ends and no BOM, and what it takes to write it back byte for byte.

    A byte that is not UTF-8 is a lone surrogate in `text` (as Python's `surrogateescape` has it), so that a splice
    elsewhere keeps it; `shown` has U+FFFD in its place, character for character.
    """

    text: str
    bom: bool = False
    crlf: bool = False

    @property
    def shown(self) -> str:
        """The text as a reader gets it."""
        return _SURROGATES.sub("\ufffd", self.text) if self.lossy else self.text

    @property
    def lossy(self) -> bool:
        """Whether some bytes are not UTF-8, so that `shown` cannot be written back whole."""
        return not self.text.isascii() and _SURROGATES.search(self.text) is not None

    def offset(self, position: int) -> int:
        """The byte of the file at which the character `position` begins."""
        before = self.text[:position]
        newlines = before.count("\n") if self.crlf else 0
        return len(BOM) * self.bom + len(before.encode(errors="surrogateescape")) + newlines


class Facts(NamedTuple):
    """What the index keeps of a note: its characters without frontmatter, and the paths its links are written with.

    Each path stands once, and is packed with the others into one string: there are many notes.
    """

    characters: int = 0
    counted: str = ""
    uncounted: str = ""
    fault: str | None = None

    @property
    def targets(self) -> list[str]:
        """The targets that count as links to a note even where nothing is found."""
        return self.counted.split(_END)[:-1]

    @property
    def others(self) -> list[str]:
        """The other targets: of Markdown links to something that does not end in `.md`."""
        return self.uncounted.split(_END)[:-1]

    @classmethod
    def of(cls, characters: int, targets: Iterable[str], others: Iterable[str], fault: str | None) -> "Facts":
        """The facts with these targets."""
        return cls(characters, _packed(targets), _packed(others), fault)


def _packed(targets: Iterable[str]) -> str:
    return "".join([target + _END for target in targets])


def read_text(data: bytes) -> Text:
    r"""The text of a file. Line ends become `\n` where all of them are CRLF; mixed ones stay as they are."""
    bom = data.startswith(BOM)
    body = data[len(BOM) :] if bom else data
    crlf = b"\r\n" in body and body.count(b"\r\n") == body.count(b"\n") == body.count(b"\r")
    text = body.decode(errors="surrogateescape")
    return Text(text.replace("\r\n", "\n") if crlf else text, bom, crlf)


def write_text(text: str, like: Text) -> bytes:
    """The bytes of `text` in the manner of the file that `like` was read from."""
    if like.crlf:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (
        (BOM + text.removeprefix("\ufeff").encode(errors="surrogateescape"))
        if like.bom
        else (text.encode(errors="surrogateescape"))
    )


def parse(data: bytes) -> Facts:
    """What the index keeps of a note with these bytes."""
    body = frontmatter.split(data)[2]
    characters = len(data) - body if data.isascii() else len(data[body:].decode(errors="replace"))
    return Facts.of(characters, *targets(data), _fault(data, body))


def _fault(data: bytes, body: int) -> str | None:
    if not is_parsed(data[body:]):
        return f"more than {MOST_MARKS:,} brackets, line ends and other marks: no link in its text is read"
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    return None


def body_of(data: bytes) -> bytes:
    """The bytes after the frontmatter (and the BOM)."""
    return data[frontmatter.split(data)[2] :]
