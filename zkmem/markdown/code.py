"""Find the fenced code blocks of a note in a language."""

from collections.abc import Iterator
from typing import NamedTuple

from zkmem.markdown.links import as_text, events


class CodeBlock(NamedTuple):
    """A fenced code block: the bytes of the body from `start` to `end`, and the text between the fences."""

    start: int
    end: int
    text: str


def code_blocks(body: bytes, language: str) -> Iterator[CodeBlock]:
    """Yield the code blocks of a body whose fence names a language; those in quotes and lists, too."""
    pieces: list[str] | None = None
    for event, span in events(as_text(body)) if language.encode() in body else ():
        start = event.get("Start") if isinstance(event, dict) else None
        fence = start.get("CodeBlock") if isinstance(start, dict) else None
        if isinstance(fence, dict) and str(fence.get("Fenced")).split()[:1] == [language]:
            pieces = []
        elif pieces is not None and isinstance(event, dict) and event.get("End") == "CodeBlock":
            yield CodeBlock(span["start"], span["end"], "".join(pieces))
            pieces = None
        elif pieces is not None and isinstance(event, dict):
            pieces.append(event.get("Text", ""))
