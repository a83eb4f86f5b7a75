"""The commands on notes, one for each tool."""

import contextlib
import json
from typing import Any

import click

from zkmem.cli.group import (
    BY_NAME,
    call,
    cli,
    counted,
    given_text,
    json_option,
    load,
    loaded,
    name_argument,
    note_names,
    open_memory,
    print_result,
    vault_option,
)
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.toolsets.tool import Result
from zkmem.util.words import terms

_COUNT = BY_NAME["get_hints"].parameters["count"]


class _TextCommand(click.Command):
    """A command that takes a text. Where a text looks like an option, it says how to give it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an unknown option is never taken for a text, which it would replace."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            told = error.format_message()
            raise BadArgument(f"{told} A text that begins with a dash needs `--` before it.") from error


@cli.command()
@vault_option
@json_option
@name_argument
@click.option("--depth", default=0, show_default=True, help="How many levels of links to expand (0 to 10).")
@click.option(
    "--offset",
    default=0,
    show_default=True,
    help="The character to read on from; of a note larger than max_note_mb, the byte.",
)
@click.option("--backlinks", is_flag=True, help="Also tell its links and who links to it, for which all must be known.")
def get(vault: str, as_json: bool, name: str, depth: int, offset: int, backlinks: bool) -> None:
    """Print a note.

    With --depth, its links are expanded so many levels deep. A line about the note goes to standard error.
    """
    memory, _ = open_memory(vault, max_chars=None)
    with contextlib.closing(memory):
        if backlinks:
            load(memory)
        elif as_json:
            memory.load_names()
        result = _part(memory, name, depth, offset)
        if as_json:
            print_result(result, as_json=True)
            return
        while result.data["next_offset"] is not None:  # of a note that is too large to be read whole
            click.echo(result.texts[0], nl=False)
            result = _part(memory, name, depth, result.data["next_offset"])
    click.echo(result.texts[0], nl=not result.texts[0].endswith("\n"))
    unknown = result.data["linked_from"] is None and not result.data["large"]
    hint = "; --backlinks builds it" if unknown else ""
    click.echo(result.texts[1] + hint, err=True)


def _part(memory: Memory, name: str, depth: int, offset: object) -> Result:
    return BY_NAME["get_content"].call(memory, {"name": name, "depth": depth, "offset": offset})


@cli.command("set", cls=_TextCommand)
@vault_option
@json_option
@name_argument
@click.argument("content", default="-")
@click.option("--old", help="Replace just this passage, which must occur once.")
@click.option("--append", is_flag=True, help="Add at the end, on a new line.")
@click.option("--etag", help="Merge with what changed since the note had this etag, or refuse.")
@click.option("--empty", is_flag=True, help="Take an empty text, too.")
def set_(vault: str, as_json: bool, empty: bool, **arguments: Any) -> None:
    """Create a note or replace its text by CONTENT.

    Without CONTENT, or where it is "-", the text is read from standard input. An empty text, or one of blanks, replaces
    no note and is not taken from standard input, unless --empty says that you mean it.
    """
    text = given_text(arguments["content"], empty=empty)
    replaces = arguments["old"] is None and not arguments["append"]
    if replaces and not (empty or text.strip()):
        raise BadArgument("The text is empty; give one as CONTENT, or --empty if you mean an empty text.")
    call(vault, as_json, "set_content", {**arguments, "content": text})


@cli.command()
@vault_option
@json_option
@name_argument
def rm(vault: str, as_json: bool, name: str) -> None:
    """Move a note to the trash (.trash/ in the vault)."""
    call(vault, as_json, "delete_content", {"name": name})


@cli.command()
@vault_option
@json_option
@name_argument
@click.argument("new_name", shell_complete=note_names)
@click.option("--merge", is_flag=True, help="If there is a note NEW_NAME, add the text of NAME to it.")
def mv(vault: str, as_json: bool, name: str, new_name: str, merge: bool) -> None:
    """Rename a note and update every link to it."""
    call(vault, as_json, "rename_content", {"name": name, "new_name": new_name}, {"merge": merge})


@cli.command()
@vault_option
@json_option
@click.option("--count", default=10, show_default=True, help="How many.")
def hints(vault: str, as_json: bool, count: int) -> None:
    """List notes to start reading from, heaviest first."""
    call(vault, as_json, "get_hints", {"count": count})


@cli.command()
@vault_option
@json_option
@click.option("--threshold", default=0.001, show_default=True, help="Only notes of less value than this.")
@click.option("--count", default=10, show_default=True, help="How many.")
def suggest(vault: str, as_json: bool, threshold: float, count: int) -> None:
    """List notes to tidy, those of least value first.

    The value of a note is its weight divided by its number of characters.
    """
    call(vault, as_json, "get_suggestions", {"threshold": threshold, "count": count})


@cli.command(cls=_TextCommand)
@vault_option
@json_option
@click.argument("query")
@click.option("--count", default=10, show_default=True, help="How many.")
@click.option("--folder", multiple=True, help="Only notes below this folder; may be given again.")
def search(vault: str, as_json: bool, query: str, count: int, folder: tuple[str, ...]) -> None:
    """List the notes that hold any word of QUERY.

    The best come first, each with a passage of its text.
    """
    _COUNT.check("count", count)
    if not terms(query):
        raise BadArgument(f"The query {query!r} holds no word; give one to look for.")
    with loaded(vault) as memory:
        for one in folder:
            if not memory.has_folder(one):
                raise BadArgument(f"No folder {one!r} holds a file; give the path of one from the root of the vault.")
        telling = memory.on_behalf(progress=counted("Indexing words", "notes"))
        hits = telling.search(query, limit=count, folders=folder or None)
        if as_json:
            click.echo(json.dumps({"hits": [hit._asdict() for hit in hits]}, ensure_ascii=False))
            return
        for hit in hits:
            click.echo(f"{hit.name} ({hit.score:.2f})\n    {hit.snippet}")
        if not hits:
            click.echo("Nothing was found.", err=True)


@cli.command(cls=_TextCommand)
@vault_option
@json_option
@name_argument
@click.argument("new_name", shell_complete=note_names)
@click.argument("content", default="-")
def extract(vault: str, as_json: bool, name: str, new_name: str, content: str) -> None:
    """Move a passage to another note and leave a link.

    The passage CONTENT of the note NAME moves to NEW_NAME. Without CONTENT, or where it is "-", it is read from
    standard input.
    """
    call(vault, as_json, "extract_content", {"name": name, "content": given_text(content), "new_name": new_name})
