"""The commands `import` and `export`: move a memory from and to other systems."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import IO, Any, NoReturn

import click

from zkmem.cli.group import cli, counted, json_option, loaded, text_of, vault_option
from zkmem.edit.okf import Imported
from zkmem.errors import BadArgument, Taken, Unwritable
from zkmem.markdown.properties import typed_properties
from zkmem.memory import Memory
from zkmem.names import is_note
from zkmem.util.spelling import number_of
from zkmem.vault.files import MB

_AT_ONCE = 200  # files in one edit
_LARGEST = 64 * MB  # bytes of a file that is imported

_FORMATS = (
    "`zkmem import` reads the memory of server-memory (memory.jsonl) or of THINK-MEM (JSON), or the folder of a bundle "
    "of the Open Knowledge Format. Other Markdown files need no "
    "import: put them into the folder of the vault, or name their folder as the vault."
)


@cli.command("import")
@vault_option
@json_option
@click.argument("file", type=click.Path(exists=True, allow_dash=True))
def import_(vault: str, as_json: bool, file: str) -> None:
    """Add the memory of another system to the vault.

    FILE is server-memory's memory.jsonl, THINK-MEM's JSON ("-" is standard input), or the folder of a bundle of the
    Open Knowledge Format (OKF). A Markdown file needs no import: in the folder of the vault it is a note. What exists
    stays as it is, so a second import changes nothing. What cannot be imported is listed, and the exit code is then 1.
    """
    from zkmem.toolsets.kg.transfer import import_graph  # noqa: PLC0415 - no other command needs these
    from zkmem.toolsets.think.incoming import looks_like_think  # noqa: PLC0415
    from zkmem.toolsets.think.transfer import import_think  # noqa: PLC0415

    if os.path.isdir(file):
        with loaded(vault) as memory:
            _report(_import_folder(memory.on_behalf(tool="import", client="command line"), file), as_json)
    text = text_of(file)
    if not _has_json(text):
        raise BadArgument(f"There is no JSON in {file!r}. {_FORMATS}")
    import_all = import_think if looks_like_think(text) else import_graph
    with loaded(vault) as memory:
        done = import_all(memory.on_behalf(tool="import", client="command line"), text, counted("Importing", "records"))
    _report(done, as_json)


def _report(done: Any, as_json: bool) -> NoReturn:
    """Print what an import added, passed over and refused, and exit."""
    if as_json:
        click.echo(json.dumps(done._asdict(), ensure_ascii=False))
    else:
        for fault in done.faults:
            click.echo(fault, err=True)
        click.echo(f"added {done.added}, unchanged {done.unchanged}, not imported {len(done.faults)}")
    sys.exit(1 if done.faults else 0)


def _import_folder(memory: Memory, folder: str) -> Imported:
    """Add the files below a folder, at most some hundred at a time; hidden files and symbolic links are left out."""
    root = os.path.realpath(folder)
    found = sorted(_files(root))
    if not any(_is_document(root, path) for path in found):
        raise BadArgument(f"{folder!r} is a folder without a document of the Open Knowledge Format. {_FORMATS}")
    show, added, unchanged, faults = counted("Importing", "files"), 0, 0, list[str]()
    files: dict[str, bytes] = {}
    for number, path in enumerate(found, 1):
        if os.path.getsize(os.path.join(root, path)) > _LARGEST:
            faults.append(f"{path}: it has more than {_LARGEST // MB} MB")
        else:
            with open(os.path.join(root, path), "rb") as stream:
                files[path] = stream.read()
        if number == len(found) or len(files) == _AT_ONCE or sum(map(len, files.values())) > _LARGEST:
            done = memory.import_okf(files)
            added, unchanged = added + done.added, unchanged + done.unchanged
            faults += done.faults
            files.clear()
            show(number, len(found))
    return Imported(added, unchanged, faults)


def _is_document(root: str, path: str) -> bool:
    """Return whether a file is a document of OKF: a Markdown file with a property `type`."""
    if not is_note(path) or os.path.getsize(os.path.join(root, path)) > _LARGEST:
        return False
    with open(os.path.join(root, path), "rb") as stream:
        return bool(typed_properties(stream.read()).get("type"))


def _files(root: str) -> Iterator[str]:
    """Yield the paths of the regular files below a folder, `/`-separated, without hidden ones and symbolic links."""
    for place, folders, names in os.walk(root):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        for name in names:
            full = os.path.join(place, name)
            if not name.startswith(".") and os.path.isfile(full) and not os.path.islink(full):
                yield os.path.relpath(full, root).replace(os.sep, "/")


@cli.command()
@vault_option
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "okf"]), default="jsonl", show_default=True, help="The format."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILENAME",
    default="-",
    help="The file to write; for okf, a new folder.",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def export(vault: str, form: str, output: str, force: bool) -> None:
    """Write the memory in the format of another system.

    jsonl is the knowledge graph as server-memory has it in its memory.jsonl. An existing file stays as it is, unless
    you give --force. okf is a bundle of the Open Knowledge Format: all files of the vault in a new folder, with
    properties and links as the format asks for them; `zkmem import FOLDER` restores all files byte for byte.
    """
    from zkmem.toolsets.kg.transfer import export_graph  # noqa: PLC0415 - no other command needs it

    if form == "okf":
        with loaded(vault) as memory:
            click.echo(f"wrote {number_of(_export_folder(memory, output), 'file')} to {output}")
        return
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


def _export_folder(memory: Memory, output: str) -> int:
    """Write the vault as a bundle into a new folder; return the number of files."""
    if output == "-":
        raise BadArgument("A bundle is a folder: name a new one with -o FOLDER.")
    root = os.path.realpath(output)
    if os.path.exists(root) and (not os.path.isdir(root) or os.listdir(root)):
        raise Taken(f"{output!r} exists and is not an empty folder; nothing was written. Name a new folder.")
    if os.path.commonpath([root, memory.vault]) == memory.vault:
        raise BadArgument(f"{output!r} is in the vault; name a folder outside of it.")
    show, count = counted("Exporting", "files"), 0
    try:
        for count, (path, data) in enumerate(memory.export_okf(), 1):
            full = os.path.join(root, *path.split("/"))
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "xb") as stream:
                stream.write(data)
            show(count, count)
    except OSError as error:
        raise Unwritable(f"{output!r} cannot be written: {error.strerror}.") from error
    return count


def _write(lines: Sequence[str], stream: IO[str]) -> None:
    show = counted("Exporting", "records")
    for number, line in enumerate(lines, 1):
        stream.write(line if number == len(lines) else line + "\n")
        show(number, len(lines))


def _has_json(text: str) -> bool:
    """Return whether a line begins with "{" or "[", or the text has only blank lines."""
    lines = [line for raw in text.splitlines() if (line := raw.strip())]
    return not lines or any(line[0] in "{[" for line in lines)
