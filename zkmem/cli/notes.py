"""The commands on notes, one for each tool."""

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from zkmem import config, trust
from zkmem.caller import DRAFTER
from zkmem.cli.commands import TextCommand
from zkmem.cli.group import (
    BY_NAME,
    call,
    counted,
    given_text,
    load,
    loaded,
    name_argument,
    note_names,
    open_memory,
    print_answer,
    print_note,
    search_words,
    vault_command,
)
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.memory.reading import LINKED
from zkmem.toolsets.history import show_as_of
from zkmem.toolsets.tool import Result
from zkmem.util.spelling import printable
from zkmem.util.words import terms

if TYPE_CHECKING:
    from zkmem.search.search import Hit

_COUNT = click.option("-n", "--count", default=10, show_default=True, help="How many notes.")
_WAIT_S = 5.0  # for the search index; after that, it answers from what is indexed


@vault_command()
@name_argument
@click.option("--depth", default=0, show_default=True, help="How many levels of links to expand (0 to 10).")
@click.option(
    "--offset",
    default=0,
    show_default=True,
    help="The character to start at; the byte, in a note larger than max_note_mb.",
)
@click.option("--backlinks", is_flag=True, help="Also list its links and backlinks; this builds the index.")
@click.option("--at", help="Print it as it was then: a date, the number of an edit, or with git a commit.")
def get(vault: str, as_json: bool, name: str, depth: int, offset: int, backlinks: bool, at: str | None) -> None:
    """Print a note.

    --depth expands its links to that many levels. A line about the note is printed to standard error.

    With --at, the note, its links and the notes that they lead to are those of that moment. 2026-05-01 stands for the
    end of that day, 2026-05-01T14:30 for the end of that minute. --json adds the moment (rev, author, and time in
    seconds since 1970), the present name of the note as "now", and remarks.
    """
    with open_memory(vault, max_chars=None)[0] as memory:
        if at is not None:
            for key, value in (("depth", depth), ("offset", offset)):
                BY_NAME["get_content"].parameters[key].check(key, value)
            print_note(show_as_of(memory, name, at, depth, offset, bounded=False, backlinks=backlinks), as_json)
            return
        if backlinks:
            load(memory)
        elif as_json:
            memory.load_names()
        result = _part(memory, name, depth, offset)
        while not as_json and result.data["next_offset"] is not None:  # of a note that is too large to be read whole
            click.echo(result.texts[0], nl=False)
            result = _part(memory, name, depth, result.data["next_offset"])
    text, about = result.texts
    if result.data["linked_from"] is None and not result.data["large"]:
        about += "; --backlinks builds it"
    print_note(Result((text, about), result.data), as_json)


def _part(memory: Memory, name: str, depth: int, offset: object) -> Result:
    return BY_NAME["get_content"].call(memory, {"name": name, "depth": depth, "offset": offset})


@vault_command()
@click.argument("folder", default="")
def ls(vault: str, as_json: bool, folder: str) -> None:
    """Print the names of all notes, one a line.

    With FOLDER, print only those below this folder.
    """
    with open_memory(vault)[0] as memory:
        _check_folder(memory, folder)
        names = memory.names(folder=folder)
    print_answer(as_json, {"names": names}, *names)


@vault_command()
@name_argument
def path(vault: str, as_json: bool, name: str) -> None:
    """Print the path of a note's file, for other programs."""
    with open_memory(vault)[0] as memory:
        full = os.path.join(memory.vault, memory.path(name))
    print_answer(as_json, {"path": full}, full)


def _check_folder(memory: Memory, folder: str) -> None:
    if not memory.has_folder(folder):
        raise BadArgument(f"No folder {folder!r} has a file; give the path of a folder from the root of the vault.")


@vault_command("set", cls=TextCommand)
@name_argument
@click.argument("content", default="-")
@click.option("--old", help="Replace only this passage, which must occur once.")
@click.option("--append", is_flag=True, help="Add at the end, on a new line.")
@click.option("--etag", help="Merge with the changes since the note had this etag, or refuse.")
@click.option("--empty", is_flag=True, help="Allow an empty text.")
def set_(vault: str, as_json: bool, empty: bool, **arguments: Any) -> None:
    """Create a note or replace its text by CONTENT.

    Without CONTENT, or if it is "-", the text is read from standard input. A text that is empty or has only blanks is
    refused, unless you give --empty.
    """
    text = given_text(arguments["content"], empty=empty)
    replaces = arguments["old"] is None and not arguments["append"]
    if replaces and not (empty or text.strip()):
        raise BadArgument("The text is empty; give one as CONTENT, or --empty if you mean an empty text.")
    call(vault, as_json, "set_content", {**arguments, "content": text}, {"empty": True})
    root, name = Memory(vault).vault, arguments["name"].strip("/")
    if name.startswith(config.load(root, {}).skills_folder + "/") and not trust.trusted(root).skills:
        line = f"{name} is no skill until `zkmem trust {shlex.quote(root)}` allows that"
        click.echo(printable(line), err=True)


@vault_command()
@name_argument
def rm(vault: str, as_json: bool, name: str) -> None:
    """Move a note to the trash (.trash/ in the vault)."""
    call(vault, as_json, "delete_content", {"name": name})


@vault_command()
@name_argument
@click.argument("new_name", shell_complete=note_names)
@click.option("--merge", is_flag=True, help="If NEW_NAME is another note, add the text of NAME to that.")
def mv(vault: str, as_json: bool, name: str, new_name: str, merge: bool) -> None:
    """Rename a note and update every link to it.

    NEW_NAME may be the name of another note: see --merge. Otherwise, a name without a folder leaves the note in its
    folder; FOLDER/NAME and /NAME are paths from the root of the vault; FOLDER/ moves the note into a folder, and /
    moves it to the root.
    """
    call(vault, as_json, "rename_content", {"name": name, "new_name": new_name}, {"merge": merge})


@vault_command()
@_COUNT
def hints(vault: str, as_json: bool, count: int) -> None:
    """List notes to start reading from, the heaviest first."""
    call(vault, as_json, "get_hints", {"count": count})


@vault_command()
@click.option("--threshold", default=0.001, show_default=True, help="Only notes with a lower value.")
@_COUNT
def suggest(vault: str, as_json: bool, threshold: float, count: int) -> None:
    """List notes to tidy, those with the lowest value first.

    The value of a note is its weight divided by its number of characters.
    """
    call(vault, as_json, "get_suggestions", {"threshold": threshold, "count": count})


@vault_command()
@click.option("--propose", is_flag=True, help="Propose the draft; accept it with `zkmem proposed` or on the page.")
def hint(vault: str, as_json: bool, propose: bool) -> None:
    """Draft the note `hint`, where readers begin.

    The draft lists the heaviest notes by topic, with their first words, and the notes that changed last. What you have
    written yourself stays. The command prints the draft and what it would change, and writes nothing. With --propose,
    the draft becomes a proposed edit, which waits until you accept it.
    """
    with loaded(vault) as memory:
        draft = memory.propose_hint() if propose else memory.draft_hint()
    name, diff = draft.name.removeprefix("/"), draft.diff
    answer = {"name": name, "text": draft.text, "diff": diff, "proposed": propose and bool(diff)}
    lines = [*draft.text.splitlines(), "", *diff.splitlines()] if diff else [f"{name} needs no change."]
    if diff and not propose:
        click.echo("This is a draft. To propose it: zkmem hint --propose", err=True)
    if propose and diff:
        lines = [f"proposed a new text of {name}; to accept it: zkmem proposed accept {DRAFTER}"]
    print_answer(as_json, answer, *map(printable, lines))


@vault_command(cls=TextCommand)
@click.argument("words", metavar="QUERY...", nargs=-1, required=True, shell_complete=search_words)
@_COUNT
@click.option("--folder", multiple=True, help="Only notes below this folder; may be given again.")
@click.option(
    "--near", default="", metavar="NOTE", shell_complete=note_names, help="List notes within two links of it first."
)
@click.option(
    "--linked", default=LINKED, show_default=True, help="Name at most this many notes to which the hits link."
)
def search(
    vault: str, as_json: bool, words: tuple[str, ...], count: int, folder: tuple[str, ...], near: str, linked: int
) -> None:
    """List the notes that match QUERY, the best first.

    These are the notes that contain any word of QUERY and pass its filters, each with a passage of its text. The
    filters: '"some words"' (exactly these words, in this order), -word, tag:x, path:x, name:x, [property],
    [property:value], [property:>3], [property:<DATE], before:DATE, after:DATE and on:DATE, where DATE is 2026-11-20,
    2026-11 or 2026. In the last three, DATE may also be today, yesterday, tomorrow, this-week or last-week, also with
    month or year. A "-" before a filter reverses it. If QUERY begins with "-", write "--" before it.
    """
    BY_NAME["get_hints"].parameters["count"].check("count", count)
    query = " ".join(words)
    if not terms(query) and "[" not in query:  # the name of a property may be an emoji
        raise BadArgument(f"The query {query!r} has no word; give a word to look for.")
    with loaded(vault) as memory:
        for one in folder:
            _check_folder(memory, one)
        reporting = memory.on_behalf(progress=counted("Indexing words", "notes"))
        wait_s = None if as_json else _WAIT_S
        hits = reporting.search(query, limit=count, folders=folder or None, linked=linked, near=near, wait_s=wait_s)
        answer = {"hits": [hit._asdict() for hit in hits], "linked": hits.linked, "remarks": hits.remarks}
        also = [f"Linked from these: {', '.join(hits.linked)}"] if hits.linked else []
        print_answer(as_json, answer, *map(_lines_of, hits), *also)
        if not as_json:
            for remark in hits.remarks:
                click.echo(remark, err=True)
            reporting.load_search()  # a search that did not wait for all notes has left some


def _lines_of(hit: "Hit") -> str:
    date = f"changed {hit.date}" if hit.date_source == "file" else hit.date
    score = f" ({hit.score:.2f})" if hit.score else ""  # filters alone give none
    return f"{hit.name}{score}, {date}\n    {hit.snippet}"


@vault_command(cls=TextCommand)
@name_argument
@click.argument("new_name", shell_complete=note_names)
@click.argument("content", default="-")
def extract(vault: str, as_json: bool, name: str, new_name: str, content: str) -> None:
    """Move a passage to another note and leave a link.

    The passage CONTENT of the note NAME moves to NEW_NAME: to the end of the note with that name, else to a new note.
    A name without a folder is in the folder of the note NAME; /NAME is in the root of the vault. Without CONTENT, or if
    it is "-", the passage is read from standard input.
    """
    call(vault, as_json, "extract_content", {"name": name, "content": given_text(content), "new_name": new_name})
