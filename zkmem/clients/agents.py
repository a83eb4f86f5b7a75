"""Write and remove our section in a file of instructions for models, such as AGENTS.md. Every other byte stays.

The section is between two lines, which are comments in Markdown. A blank line before it is ours, too. Alone in a file,
it has a line end after it if the file is ours, and none if the file was there, and empty.
"""

import re

from zkmem.clients.files import File
from zkmem.clients.jsonc import line_of
from zkmem.errors import BadClientFile

_BEGIN = "<!-- zkmem:begin. Written by `zkmem install --agents`, removed by `zkmem uninstall --agents` -->"
_END = "<!-- zkmem:end -->"
_MARK = re.compile(r"^<!-- zkmem:(begin|end)\b[^\n]*?-->[ \t]*(?=\r?$)", re.MULTILINE)
_OPENING = """\
The tools of the MCP server `{}` are your long-term memory of the user. Read it before you answer what may depend on \
earlier conversations, people, preferences or projects. When you learn what will matter later, write it down."""


def section(server: str, guide: str) -> str:
    """Return the text of the section. `guide`: the instructions that the server sends to clients."""
    said = "\n".join(line for line in guide.splitlines() if line)
    return "\n".join([_BEGIN, "## Memory", "", _OPENING.format(server), *(["", said] if said else []), _END])


def write(path: str, lines: str) -> str:
    """Put the section at the end of a file, or in the place of our older one; return what has changed.

    Raises:
        BadClientFile, Changed, Unwritable: nothing was changed then.
    """
    before = _span(path, File(path).read() or "")

    def changed(old: str | None) -> str:
        text = old or ""
        span = _span(path, text)
        newline = "\r\n" if "\r\n" in text else "\n"
        new = lines.replace("\n", newline)
        if span:
            return text[: span[0]] + new + text[span[1] :]
        if text and not text.endswith("\n"):
            return text + newline * 2 + new  # without a line end, as before
        return f"{text}{newline}{new}{newline}" if text else new + newline * (old is None)

    if not File(path, shared=True).change(changed, backup=lambda _: False):
        return "unchanged"
    return "replaced" if before else "added"


def remove(path: str) -> str:
    """Remove the section, and the file if `write` made it and it has nothing else; return what has changed.

    Raises:
        BadClientFile, Changed, Unwritable: nothing was changed then.
    """

    def rest(text: str | None) -> str | None:
        span = _span(path, text or "")
        if text is None or span is None:
            return text
        above, below = text[: span[0]], text[span[1] :]
        newline = "\r\n" if above.endswith("\r\n") else "\n"
        ends = below.startswith(("\n", "\r\n"))
        above = above.removesuffix(newline) if ends else above.removesuffix(newline * 2)
        left = above + (below[2 if below.startswith("\r") else 1 :] if ends else below)
        return left or (None if ends else "")

    return "removed" if File(path).change(rest, backup=lambda _: False) else "not there"


def _span(path: str, text: str) -> tuple[int, int] | None:
    """Return where the section begins and ends, with its marks; None if there is none."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return None
    if [mark[1] for mark in marks] != ["begin", "end"]:
        raise BadClientFile(
            f"{path} has marks of zkmem that are no pair, the first in line {line_of(text, marks[0].start())}. Nothing "
            "was changed: remove them, or leave one `<!-- zkmem:begin -->` with one `<!-- zkmem:end -->` below it."
        )
    return marks[0].start(), marks[1].end()
