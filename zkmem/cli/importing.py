"""The command `import`: add the memory of another system, or propose notes from conversations with other programs."""

import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from zkmem.cli.group import counted, load, loaded, open_memory, print_answer, text_of, vault_command
from zkmem.cli.serve import endpoint_of
from zkmem.clients.table import UserHome
from zkmem.errors import BadArgument
from zkmem.util.periods import period
from zkmem.util.spelling import number_of, printable

if TYPE_CHECKING:
    from zkmem.transcripts.conversation import Progress
    from zkmem.transcripts.importing import ImportReport, ImportRequest

_SOURCES = ("claude-code", "codex", "gemini", "chatgpt", "claude", "memories")
_MOST_PROJECTS = 20  # that are listed
_FORMATS = (
    "`zkmem import` reads the memory of server-memory (memory.jsonl) or of THINK-MEM (JSON). Markdown files need no "
    "import: put them into the folder of the vault, or name their folder as the vault. For conversations, add --from."
)


@vault_command("import")
@click.option("--from", "source", type=click.Choice(_SOURCES), help="Propose notes from conversations with a program.")
@click.option("--since", metavar="DATE", help="With --from: only conversations that ended on this day or later.")
@click.option("--project", metavar="NAME", help="With --from: only conversations of this project.")
@click.option("--dry-run", is_flag=True, help="With --from: say what would be proposed, and propose nothing.")
@click.option(
    "--facts",
    is_flag=True,
    help="With --from: send conversations to the model at llm_url, and propose the facts in them.",
)
@click.argument("file", type=click.Path(exists=True, allow_dash=True), required=False)
def import_(
    vault: str,
    as_json: bool,
    source: str | None,
    since: str | None,
    project: str | None,
    dry_run: bool,
    facts: bool,
    file: str | None,
) -> None:
    """Propose notes from conversations, or add another memory.

    FILE is server-memory's memory.jsonl or THINK-MEM's JSON; "-" is standard input. A Markdown file needs no import:
    it is a note once it is in the folder of the vault. What exists stays as it is, so a second import changes nothing.
    What cannot be imported is listed, and the exit code is then 1.

    With --from, conversations become proposed notes, and no note changes before you accept them: see `zkmem proposed
    list`. FILE is the zip that ChatGPT or Claude has sent you, or the folder of a client's transcripts (default: where
    the client keeps them). A second import proposes only what is new. `--from memories` proposes the notes that Claude
    Code and Codex keep for themselves.

    With --facts, a model reads at most 200 conversations, and the facts in them become proposed notes, or
    additions to the notes that are there. Keys and passwords are left out of what is sent; --dry-run sends nothing.
    """
    if source:
        from zkmem.transcripts.importing import ImportRequest  # noqa: PLC0415 - no other command needs it

        _import_conversations(
            vault, as_json, ImportRequest(source, file or "", since or "", project or "", dry_run, facts=facts)
        )
    elif since or project or dry_run or facts:
        raise BadArgument("--since, --project, --dry-run and --facts need --from.")
    elif not file:
        raise BadArgument(f"Give a file to import. {_FORMATS}")
    else:
        _import_memory(vault, as_json, file)


def _import_memory(vault: str, as_json: bool, file: str) -> None:
    from zkmem.toolsets.kg.transfer import import_graph  # noqa: PLC0415 - no other command needs these
    from zkmem.toolsets.think.transfer import import_think, looks_like_think  # noqa: PLC0415

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


def _has_json(text: str) -> bool:
    """Return whether a line begins with "{" or "[", or the text has only blank lines."""
    lines = [line for raw in text.splitlines() if (line := raw.strip())]
    return not lines or any(line[0] in "{[" for line in lines)


def _import_conversations(vault: str, as_json: bool, request: "ImportRequest") -> None:
    from zkmem.transcripts.importing import import_conversations  # noqa: PLC0415 - no other command needs these
    from zkmem.transcripts.memories import import_memories  # noqa: PLC0415

    days = period(request.since) if request.since else ("", "")
    if days is None:
        raise BadArgument(f"{request.since!r} is no date; give one such as 2026-11-25, 2026-11 or last-month.")
    home, is_of_clients = UserHome(os.environ, sys.platform), request.source == "memories"
    if is_of_clients and (request.path or request.since or request.facts):
        raise BadArgument(
            "With --from memories, leave out --since, --facts and FILE: the notes have no dates, and zkmem finds them "
            "where the clients keep them."
        )
    memory, settings = open_memory(vault)
    with memory:
        endpoint = endpoint_of(settings) if request.facts else None
        if request.facts and endpoint is None:
            raise BadArgument("--facts needs a model: set llm_url and llm_model, for example with zkmem config.")
        load(memory)
        if is_of_clients:
            report = import_memories(memory, request.project, home, dry_run=request.dry_run)
        else:
            report = import_conversations(
                memory,
                request._replace(since=days[0], origins=settings.hook_origins),
                home,
                _shown_progress(),
                endpoint,
            )
    for remark in () if as_json else report.remarks:
        click.echo(remark, err=True)
    data = report._asdict() | {"groups": [one._asdict() for one in report.groups]}
    unit = "note" if is_of_clients else "conversation"
    print_answer(as_json, data, *map(printable, _lines(report, request, unit)))


def _lines(report: "ImportReport", request: "ImportRequest", unit: str) -> Iterator[str]:
    if request.facts:
        verb = "would read" if request.dry_run else "has read"
        yield f"the model {verb} {number_of(report.asked, 'conversation')}"
    notes, dry_run = number_of(report.proposed, "note"), request.dry_run
    months, projects = {one.month for one in report.groups}, {one.project for one in report.groups}
    from_where = (
        f", from {number_of(len(months), 'month')}, {number_of(len(projects), 'project')}" if report.groups else ""
    )
    changes = f"; changes to {number_of(report.changed, 'note')}" if report.changed else ""
    if not (request.facts and dry_run):
        yield f"{notes} {'would be ' if dry_run else ''}proposed{from_where}{changes}"
    yield f"read: {number_of(report.read, unit)}"
    for reason, count in report.left_out.items():
        yield f"left out, {reason}: {count}"
    if report.secrets:
        yield f"left out of the notes: {number_of(report.secrets, 'key or password', 'keys and passwords')}"
    if (report.proposed or report.changed) and not dry_run:
        yield "to look at them: zkmem proposed list"


def _shown_progress() -> "Progress":
    """Return a function that shows on a terminal how much is done, twice a second."""
    last = time.monotonic()

    def show(what: str, done: int) -> None:
        nonlocal last
        if sys.stderr.isatty() and time.monotonic() - last > 0.5:
            last = time.monotonic()
            # `sys.stderr` would show the carriage return: see `main.guarded`
            click.echo(f"\r{what}: {done:,} ", nl=False, file=sys.__stderr__)

    return show
