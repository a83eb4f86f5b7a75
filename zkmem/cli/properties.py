"""The commands `query`, `props` and `daily`: tables of notes, their properties, and daily notes."""

import json
import sys
from typing import Any

import click

from zkmem.cli.commands import TextCommand
from zkmem.cli.group import (
    counted,
    given_text,
    loaded,
    note_names,
    print_answer,
    print_note,
    print_result,
    property_names,
    vault_command,
)
from zkmem.errors import BadArgument, UnknownNote
from zkmem.memory import Memory
from zkmem.toolsets.tool import Result
from zkmem.toolsets.vault import TOOLS

_BY_NAME = {tool.name: tool for tool in TOOLS}


def _call(memory: Memory, tool: str, **arguments: object) -> Result:
    return _BY_NAME[tool].call(memory.on_behalf(client="command line"), arguments)


@vault_command(cls=TextCommand)
@click.argument("filter", default="")
@click.option("--search", default="", help="List only notes that match this query (see search).")
@click.option(
    "--base",
    default="",
    help="A .base file, FILE.base#VIEW, or a note with a base in it; FILTER is one more condition.",
)
@click.option("--view", default="", help="The view of the base (default: the first).")
@click.option(
    "--this",
    default="",
    shell_complete=note_names,
    help="The note that the word `this` means in the base (default: the note with the base, or the base itself).",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    shell_complete=property_names,
    help="A property or an expression to show; may be given again.",
)
@click.option(
    "--sort",
    multiple=True,
    shell_complete=property_names,
    help="A property or an expression to sort by, with - before it for the reverse.",
)
@click.option("--group", default="", shell_complete=property_names, help="A property or an expression to group by.")
@click.option(
    "-n",
    "--count",
    "limit",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    help="List at most so many notes.",
)
@click.option("--from", "first", type=click.IntRange(0), default=0, help="Skip so many notes.")
def query(vault: str, as_json: bool, view: str, **given: Any) -> None:
    """List notes as a table.

    FILTER is an expression of Obsidian's Bases, such as 'file.hasTag("book") && rating > 3'. Without FILTER, all notes
    are listed, or those of a base. In a pipe, the names of the columns are left out, and the number of notes goes to
    standard error.
    """
    with loaded(vault) as memory:
        acting = memory.on_behalf(progress=counted("Indexing words", "notes"))
        acting.load_search()
        table = acting.query(view=view or None, **given)
    lines, remarks = table.lines(), table.remarks
    if sys.stdout.isatty():
        lines = [table.head("--from "), *table.titles(), *lines]
    else:
        remarks = [table.head("--from "), *remarks]
    print_answer(as_json, table.data(), *lines)
    for remark in () if as_json else remarks:
        click.echo(remark, err=True)


def _keys(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [f"{name}=" for name in property_names(context, parameter, incomplete)]


@vault_command(cls=TextCommand)
@click.argument("name", default="", shell_complete=note_names)
@click.argument("assignments", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_keys)
@click.option("--filter", "filter_", default="", help="Instead of NAME: all notes that pass this filter (see query).")
@click.option(
    "--remove",
    multiple=True,
    metavar="KEY",
    shell_complete=property_names,
    help="A property to remove; may be given again.",
)
@click.option("--dry-run", is_flag=True, help="Print what would change, and change nothing.")
def props(
    vault: str,
    as_json: bool,
    name: str,
    assignments: tuple[str, ...],
    filter_: str,
    remove: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Print the properties of a note, or set some.

    VALUE is YAML: a number, true, false, [a, list], or a text; quote it ('"5"') if it is a text that looks like another
    type. All else in the note stays as it is.
    """
    if filter_ and name:
        name, assignments = "", (name, *assignments)
    with loaded(vault) as memory:
        values = {**dict(map(_assignment, assignments)), **dict.fromkeys(remove)}
        if values:
            print_result(
                _call(memory, "set_properties", properties=values, name=name, filter=filter_, dry_run=dry_run), as_json
            )
            return
        if not name:
            raise BadArgument("Name a note, or give --filter and KEY=VALUE or --remove.")
        known = memory.properties(name)
    texts = {key: one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for key, one in known.items()}
    print_answer(as_json, known, *(f"{key}: {text}" for key, text in texts.items()))


def _assignment(text: str) -> tuple[str, object]:
    """Return the key and the value of `KEY=VALUE`."""
    from zkmem.markdown.properties import read_value  # noqa: PLC0415
    from zkmem.names import check_text  # noqa: PLC0415 - only to set properties

    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise BadArgument(f"{text!r} is not KEY=VALUE; write one such as status=done. With --filter, give no NAME.")
    check_text(value, key.strip())
    return key.strip(), read_value(value)


@vault_command(cls=TextCommand)
@click.argument("text", default="")
@click.option("--date", default="", help="A day such as 2026-11-20, yesterday or tomorrow (default: today).")
@click.option("--section", default="", help="Add below this heading, which is added if it is missing.")
def daily(vault: str, as_json: bool, text: str, date: str, section: str) -> None:
    """Print the daily note, or add TEXT to it.

    TEXT - is the text on standard input. The folder, the name and the template are those of Obsidian's daily notes.
    """
    text = given_text(text)
    if section and not text:
        raise BadArgument("--section says where to add TEXT; give TEXT, too.")
    with loaded(vault) as memory:
        result = _call(memory, "daily", date=date, content=text, section=section)
        if text or as_json:
            print_result(result, as_json)
        elif result.data["text"] is None:
            raise UnknownNote(str(result.data["name"]), (), "Give TEXT to create it.")
        else:
            print_note(result, as_json)
