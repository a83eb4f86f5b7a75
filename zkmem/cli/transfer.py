"""The commands `import` and `export`: move a memory from and to other systems."""

import os
import sys
from collections.abc import Sequence
from typing import IO

import click

from zkmem.cli.group import cli, counted, loaded, print_answer, text_of, vault_command, vault_option
from zkmem.errors import BadArgument, Taken, Unwritable

_FORMATS = (
    "`zkmem import` reads the memory of server-memory (memory.jsonl) or of THINK-MEM (JSON). Markdown files need no "
    "import: put them into the folder of the vault, or name their folder as the vault."
)


@vault_command("import")
@click.argument("file", type=click.Path(exists=True, allow_dash=True))
def import_(vault: str, as_json: bool, file: str) -> None:
    """Add the memory of another system to the vault.

    FILE is server-memory's memory.jsonl or THINK-MEM's JSON; "-" is standard input. A Markdown file needs no import:
    in the folder of the vault it is a note. What exists stays as it is, so a second import changes nothing. What cannot
    be imported is listed, and the exit code is then 1.
    """
    from zkmem.toolsets.kg.transfer import import_graph  # noqa: PLC0415 - no other command needs these
    from zkmem.toolsets.think.incoming import looks_like_think  # noqa: PLC0415
    from zkmem.toolsets.think.transfer import import_think  # noqa: PLC0415

    if os.path.isdir(file):
        raise BadArgument(f"{file!r} is a folder. {_FORMATS}")
    text = text_of(file)
    if not _has_json(text):
        raise BadArgument(f"There is no JSON in {file!r}. {_FORMATS}")
    import_all = import_think if looks_like_think(text) else import_graph
    with loaded(vault) as memory:
        done = import_all(memory.on_behalf(tool="import", client="command line"), text, counted("Importing", "records"))
    for fault in () if as_json else done.faults:
        click.echo(fault, err=True)
    counts = f"added {done.added}, unchanged {done.unchanged}, not imported {len(done.faults)}"
    print_answer(as_json, done._asdict(), counts)
    sys.exit(1 if done.faults else 0)


@cli.command()
@vault_option
@click.option("-o", "--output", type=click.Path(), metavar="FILENAME", default="-", help="The file to write.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def export(vault: str, output: str, force: bool) -> None:
    """Write the memory as server-memory's file.

    That is the knowledge graph, as JSON lines. An existing file stays as it is, unless you give --force.
    """
    from zkmem.toolsets.kg.transfer import export_graph  # noqa: PLC0415 - no other command needs it

    full = os.path.realpath(output)
    if output != "-" and os.path.isfile(full) and not force:
        raise Taken(f"The file {output!r} exists; nothing was written. --force replaces it.")
    with loaded(vault) as memory:
        lines = list(export_graph(memory))
    replaceable = os.path.isfile(full) or not os.path.exists(full)  # not a device or a pipe
    try:
        with click.open_file(output, "w", encoding="utf-8", atomic=replaceable) as stream:
            _write(lines, stream)
    except OSError as error:
        if output == "-":
            raise
        raise Unwritable(f"{output!r} cannot be written: {error.strerror}.") from error


def _write(lines: Sequence[str], stream: IO[str]) -> None:
    show = counted("Exporting", "records")
    for number, line in enumerate(lines, 1):
        stream.write(line if number == len(lines) else line + "\n")
        show(number, len(lines))


def _has_json(text: str) -> bool:
    """Return whether a line begins with "{" or "[", or the text has only blank lines."""
    lines = [line for raw in text.splitlines() if (line := raw.strip())]
    return not lines or any(line[0] in "{[" for line in lines)
