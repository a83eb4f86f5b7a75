"""Callouts as Obsidian reads them: a quote whose first line is `[!type]`, a mark for folding, and a title."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zkmem.markdown.sections import Block

_GROUPS = {
    "note": (),
    "abstract": ("summary", "tldr"),
    "info": (),
    "todo": (),
    "tip": ("hint", "important"),
    "success": ("check", "done"),
    "question": ("help", "faq"),
    "warning": ("caution", "attention", "conflict"),  # `conflict` is our own: see callouts.py
    "failure": ("fail", "missing"),
    "danger": ("error",),
    "bug": (),
    "example": (),
    "quote": ("cite",),
}
GROUPS = {name: group for group, aliases in _GROUPS.items() for name in (group, *aliases)}
"""The group of each type: its types have the same colour and icon. Another type looks like a note."""

_HEAD = re.compile(rb"[ \t]*>[ \t]*\[!([^\[\]\r\n]{1,100})\]([+-]?)[ \t]*")
_PREFIX = re.compile(rb"[ \t>]*")


class CalloutHead(NamedTuple):
    """The beginning of a callout: its type as written, its group, how it is folded, and where its title begins."""

    type: str
    group: str
    fold: str  # "+": can be folded, "-": is folded, "": neither
    end: int

    @property
    def default_title(self) -> str:
        """The title of a callout that has none."""
        return self.type.replace("-", " ").capitalize()


def callout_head(source: bytes, at: int) -> CalloutHead | None:
    """Return the beginning of the callout whose quote begins at `at`; None if that is a plain quote."""
    match = _HEAD.match(source, at)
    written = match[1].decode(errors="replace").partition("|")[0].strip() if match else ""
    if not match or not written:
        return None
    return CalloutHead(written, GROUPS.get(written.lower(), "note"), match[2].decode(), match.end())


def title_ends(body: bytes, blocks: Sequence[Block]) -> Iterator[tuple[int, bytes]]:
    """Yield the places where a line must be inserted so that the title of a callout is a paragraph of its own.

    Otherwise, the parser would read the title as a part of a heading or a table below it.
    """
    if b"[!" not in body:
        return
    for block in blocks:
        head = callout_head(body, block.start) if block.kind == "BlockQuote" else None
        newline = body.find(b"\n", head.end) + 1 if head else 0
        if not head or not newline:
            continue
        prefix = body[body.rfind(b"\n", 0, block.start) + 1 : body.rfind(b"[!", 0, head.end)]
        next_prefix = _PREFIX.match(body, newline)
        if next_prefix and next_prefix[0].count(b">") >= prefix.count(b">"):  # else the quote continues lazily
            yield newline, re.sub(rb"[^>\t]", b" ", prefix) + b"\n"
