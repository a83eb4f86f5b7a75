"""`zkmem install --agents` and `zkmem uninstall --agents`: a section in a file of instructions for models."""

import json
import os

import click

from zkmem.clients import agents
from zkmem.errors import BadArgument


def write_section(path: str, lines: str, *, only_print: bool, as_json: bool) -> None:
    """Show the section, and write it unless it is only to be printed."""
    full = _checked(path)
    if not as_json:
        click.echo(f"For {full}:" if only_print else f"Writes this section ({full}):", err=True)
        click.echo(lines)
    change = "" if only_print else agents.write(full, lines)
    if as_json:
        click.echo(json.dumps({"file": full, "change": change or None, "section": lines}, ensure_ascii=False))
    elif change:
        click.echo(f"The section of zkmem: {change} ({full})", err=True)


def remove_section(path: str, *, as_json: bool) -> None:
    """Remove the section."""
    full = _checked(path)
    change = agents.remove(full)
    answer = {"file": full, "change": change}
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"The section of zkmem: {change} ({full})")


def _checked(path: str) -> str:
    """Return the whole path of a file of instructions, which is a Markdown file."""
    if not path.lower().endswith((".md", ".mdc")):
        raise BadArgument(f"--agents takes a Markdown file such as AGENTS.md, CLAUDE.md or GEMINI.md, not {path!r}.")
    return os.path.abspath(os.path.expanduser(path))
