"""`zkmem install --agents` and `zkmem uninstall --agents`: a section in a file of instructions such as AGENTS.md.

Every other byte of the file stays. The section is between two lines, which are comments in Markdown. A blank line
before it is ours, too. If the file has nothing else, a line end after the section shows that we made the file. Without
that line end, the file existed before, and was empty.
"""

import os
import re

import click

from zkmem.cli.group import print_answer
from zkmem.clients.files import ClientFile
from zkmem.clients.jsonc import line_of
from zkmem.errors import BadArgument, BadClientFile
from zkmem.markdown.links import events

_BEGIN = "<!-- zkmem:begin. Written by `zkmem install --agents`, removed by `zkmem uninstall --agents` -->"
_END = "<!-- zkmem:end -->"
_MARK = re.compile(r"^<!-- zkmem:(begin|end)\b[^\n]*?-->[ \t]*(?=\r?$)", re.MULTILINE)
_OPENING = """\
The tools of the MCP server `{}` are your long-term memory of the user. Read it before you answer what may depend on \
earlier conversations, people, preferences or projects. When you learn what will matter later, write it down."""


def section(server: str, guide: str) -> str:
    """Return the text of the section. `guide`: the instructions that the server sends to clients."""
    instructions = "\n".join(line for line in guide.splitlines() if line)
    return "\n".join(
        [_BEGIN, "## Memory", "", _OPENING.format(server), *(["", instructions] if instructions else []), _END]
    )


def write(path: str, lines: str) -> str:
    """Put the section at the end of a file, or in the place of our older one; return what has changed."""
    before = _span(path, ClientFile(path).read() or "")

    def changed(old: str | None) -> str:
        text = old or ""
        span = _span(path, text)
        newline = "\r\n" if "\r\n" in text else "\n"
        new = lines.replace("\n", newline)
        if span:
            return text[: span[0]] + new + text[span[1] :]
        if text and not text.endswith("\n"):
            result = text + newline * 2 + new  # without a line end, as before
        else:
            result = f"{text}{newline}{new}{newline}" if text else new + newline * (old is None)
        if _span(path, result) is None:
            raise BadClientFile(
                f"{path} ends inside a code block, so the section would be code, too. Nothing was changed: close the "
                "code block."
            )
        return result

    if not ClientFile(path, shared=True).change(changed, backup=lambda _: False):
        return "unchanged"
    return "replaced" if before else "added"


def remove(path: str) -> str:
    """Remove the section, and the file if `write` made it and it has nothing else; return what has changed."""

    def rest(text: str | None) -> str | None:
        span = _span(path, text or "")
        if text is None or span is None:
            return text
        above, below = text[: span[0]], text[span[1] :]
        newline = "\r\n" if above.endswith("\r\n") else "\n"
        ends = below.startswith(("\n", "\r\n"))
        above = above.removesuffix(newline) if ends else above.removesuffix(newline * 2)
        remaining = above + (below[2 if below.startswith("\r") else 1 :] if ends else below)
        return remaining or (None if ends else "")

    return "removed" if ClientFile(path).change(rest, backup=lambda _: False) else "not there"


def _span(path: str, text: str) -> tuple[int, int] | None:
    """Return where the section begins and ends, with its marks; None if there is none."""
    # a mark in a code block is an example
    ends = [span for event, span in events(text) if isinstance(event, dict) and event.get("End") == "CodeBlock"]
    codes = [(len(text.encode()[: one["start"]].decode()), len(text.encode()[: one["end"]].decode())) for one in ends]
    marks = [mark for mark in _MARK.finditer(text) if not any(start <= mark.start() < end for start, end in codes)]
    if not marks:
        return None
    if [mark[1] for mark in marks] != ["begin", "end"]:
        raise BadClientFile(
            f"{path} has marks of zkmem that are no pair, the first in line {line_of(text, marks[0].start())}. Nothing "
            "was changed: remove them, or leave one `<!-- zkmem:begin -->` with one `<!-- zkmem:end -->` below it."
        )
    return marks[0].start(), marks[1].end()


def write_section(path: str, lines: str, *, only_print: bool, as_json: bool) -> None:
    """Show the section, and write it unless it is only to be printed."""
    full = _markdown_path(path)
    if not as_json and (only_print or not _has_section(full, lines)):
        click.echo(f"For {full}:" if only_print else f"Writes this section ({full}):", err=True)
        click.echo(lines)
    change = "" if only_print else write(full, lines)
    print_answer(as_json, {"file": full, "change": change or None, "section": lines})
    if change and not as_json:
        click.echo(f"The section of zkmem: {change} ({full})", err=True)


def _has_section(path: str, lines: str) -> bool:
    """Return whether a file has exactly this section."""
    text = ClientFile(path).read() or ""
    span = _span(path, text)
    return span is not None and text[slice(*span)].replace("\r\n", "\n") == lines


def remove_section(path: str, *, as_json: bool) -> None:
    """Remove the section."""
    full = _markdown_path(path)
    change = remove(full)
    print_answer(as_json, {"file": full, "change": change}, f"The section of zkmem: {change} ({full})")


def _markdown_path(path: str) -> str:
    """Return the full path of a file of instructions, which is a Markdown file."""
    if not path.lower().endswith((".md", ".mdc")):
        raise BadArgument(f"--agents takes a Markdown file such as AGENTS.md, CLAUDE.md or GEMINI.md, not {path!r}.")
    return os.path.abspath(os.path.expanduser(path))
