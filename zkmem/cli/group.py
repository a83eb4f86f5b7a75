"""The group of commands, their common options, and functions to call a tool and print its result."""

import contextlib
import json
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar

import click

from zkmem import __version__, config, trust
from zkmem.cli.commands import Commands
from zkmem.cli.vault_folder import VARIABLE, resolved
from zkmem.errors import BadArgument, ZkError
from zkmem.memory import Memory
from zkmem.names import base_of, name_of
from zkmem.records.outcome import Progress
from zkmem.settings import Settings, about
from zkmem.toolsets import history, zettel
from zkmem.toolsets.tool import Result
from zkmem.util.periods import WORDS
from zkmem.vault.files import MB
from zkmem.vault.journal.versions import KEEP_ALL, Bounds

_MOST_COMPLETED = 100  # properties, tags or versions that a shell offers

_Answer = TypeVar("_Answer")
_Command = TypeVar("_Command", bound=Callable[..., Any])

BY_NAME = {tool.name: tool for tool in (*zettel.TOOLS, *history.TOOLS)}

# only completes in a shell; click's check of a path would give a poorer error than ours
completed = click.Path(file_okay=False).shell_complete


def _option(**more: Any) -> Callable[[_Command], _Command]:
    return click.option(
        "-C",
        "--vault",
        envvar=VARIABLE,
        metavar="DIR",
        shell_complete=completed,
        help=f"The vault (default: {VARIABLE}, else the nearest folder with .zkmem/ or .zkmem-vault).",
        **more,
    )


def _argument(**more: Any) -> Callable[[_Command], _Command]:
    return click.argument("vault", required=False, envvar=VARIABLE, shell_complete=completed, **more)


vault_option, given_vault_option = _option(callback=resolved), _option()
vault_argument, given_vault_argument = _argument(callback=resolved), _argument()


def note_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of notes for a shell's completion: whole names, else unique names without their folder."""
    vault = context.params.get("vault")
    try:
        paths = [one.path for one in Memory(vault).files("")] if vault else []
    except ZkError:
        return []
    names = sorted(name_of(path) for path in paths if path.endswith(".md"))
    bases = Counter(map(base_of, names))
    matches = [name for name in names if name.startswith(incomplete)]
    return matches or [base for base in sorted(bases) if bases[base] == 1 and base.startswith(incomplete)]


def property_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of properties that the notes use, for a shell's completion. Case does not matter."""
    return sorted(_in_use(context, "property", incomplete))


def search_words(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the filters of a query that begin so, for a shell's completion: tags, names, and words for dates."""
    operator, colon, begun = incomplete.partition(":")
    kind = operator.removeprefix("-")
    if kind == "tag" and colon:
        values = _in_use(context, "tag", begun)
    elif kind in {"name", "file"} and colon:
        names = (base_of(name) for name in note_names(context, parameter, ""))
        values = sorted({name for name in names if name.startswith(begun) and " " not in name})
    else:
        values = [word for word in WORDS if word.startswith(begun)] if kind in {"before", "after", "on"} else []
    return [f"{operator}:{one}" for one in values]


def note_versions(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return names of notes or, after `NAME@`, the revisions of a note, the newest first, for a shell's completion."""
    name, at, begun = incomplete.rpartition("@")
    revs = _answer(context, lambda memory: [one.rev for one in memory.log(name, _MOST_COMPLETED)]) if at else []
    revisions = [f"{name}@{rev}" for rev in revs if rev.startswith(begun)]
    return revisions or note_names(context, parameter, incomplete)


def _in_use(context: click.Context, kind: Literal["property", "tag"], begun: str) -> list[str]:
    """Return the properties or the tags in use that begin so, for a shell's completion."""
    from zkmem.memory.editor import Typed  # noqa: PLC0415 - only completion needs it

    typed = Typed(kind, begun, 0, 0)
    choices = _answer(context, lambda memory: memory.in_editor().choices("", typed, _MOST_COMPLETED, lambda _: b"")[0])
    return [one.label for one in choices if one.label.lower().startswith(begun.lower())]


def _answer(context: click.Context, question: Callable[[Memory], list[_Answer]]) -> list[_Answer]:
    """Return the answer to a question about the vault of a command; an empty list if it fails, or no vault is named."""
    vault = context.params.get("vault")
    with contextlib.suppress(ZkError):
        if vault:
            with open_memory(vault, quiet=True)[0] as memory:
                memory.load()
                return question(memory)
    return []


def toolset_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return lists of toolsets that begin with the names before the last comma, for a shell's completion."""
    from zkmem.toolsets.table import TOOLSETS  # noqa: PLC0415 - only completion needs it here

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in TOOLSETS if name.startswith(last) and name not in before.split(",")]


name_argument = click.argument("name", shell_complete=note_names)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="zkmem")
@click.option("--any-folder", is_flag=True, envvar="ZKMEM_ANY_FOLDER", help="Let / or the home folder be the vault.")
def cli(any_folder: bool) -> None:
    """A memory for language models that a person can read: Markdown notes with [[links]], served over MCP."""


def vault_command(
    name: str | None = None, *, group: click.Group = cli, cls: type[click.Command] = click.Command
) -> Callable[[_Command], click.Command]:
    """Return a decorator that makes a command on a vault, with the options --vault and --json.

    `name`: by default, that of the function.
    """
    return lambda function: group.command(name, cls=cls)(vault_option(json_option(function)))


def open_memory(
    vault: str, *, max_chars: int | None = 0, quiet: bool = False, **flags: object
) -> tuple[Memory, Settings]:
    """Return the memory in a vault, with its settings. `max_chars` 0 stands for the setting, None for no limit.

    Unless `quiet`, lines on stderr name the settings in the vault's file that have no effect or cannot be used.
    """
    root = Memory(vault).vault  # raises NoVault if there is none
    settings, ignored = config.load(root, flags), config.without_effect(root, flags)
    faults = config.faults(root)
    if not quiet:
        warn_of_faults(faults)
    if ignored and not quiet:
        click.echo(without_effect(root, ignored), err=True)
    most = settings.max_chars if max_chars == 0 else max_chars
    # what cannot be read in the vault's file may say that texts are kept for longer
    versions = KEEP_ALL if faults else Bounds(settings.versions_days, settings.versions_mb)
    memory = Memory(
        vault,
        max_chars=most,
        max_note_bytes=settings.max_note_mb * MB,
        hints_order=settings.hints_order,
        suggestions_skip=settings.suggestions_skip,
        logseq_names=settings.logseq_names,
        durable=settings.durability == "full",
        lock_timeout_s=settings.lock_timeout,
        versions=versions,
        git=settings.git,
        git_allowed=trust.trusted(root).git if settings.git else None,
        machine=settings.sync_machine,
        sync_origins=settings.sync_origins,
        rerank_model=settings.rerank_model,
        git_waits=f"git = true in {config.FILE} needs `zkmem trust`" if "git" in ignored else "",
    )
    return memory, settings


def warn_of_faults(faults: Iterable[str]) -> None:
    """Print on stderr what in a vault's file of settings cannot be used. `faults`: as `config.faults` returns them."""
    for fault in faults:
        click.echo(f"Ignored: {fault}", err=True)


def can_ask() -> bool:
    """Return whether there is a terminal to ask on."""
    return sys.stdin is not None and sys.stdin.isatty()


def check_rights(holder: str, *, read_only: bool, propose: bool) -> None:
    """Refuse options that allow a client or a token only to read, and also make its edits proposals.

    `holder`: "client" or "token".
    """
    if read_only and propose:
        raise BadArgument(f"A {holder} that can only read cannot propose; give either --read-only or --propose.")


def without_effect(root: str, ignored: Iterable[str]) -> str:
    """Return a sentence that names ignored settings in a vault's file: forbidden there, or not allowed yet."""
    never = [name for name in ignored if about(name).in_vault_file == "never"]
    waiting = [name for name in ignored if name not in never]
    sentences = []
    if waiting:
        sentences.append(f"{', '.join(waiting)} (`zkmem trust {shlex.quote(root)}` shows and allows them)")
    if never:
        sentences.append(f"{', '.join(never)} (set them in the environment, or in {config.user_file()})")
    return f"These settings in {config.FILE} have no effect: {'; '.join(sentences)}"


def call(
    vault: str,
    as_json: bool,
    name: str,
    arguments: dict[str, Any],
    options: Mapping[str, object] = {},
    *,
    nl: bool = True,
) -> None:
    """Call a tool and print its result. `options` are extra arguments for its function, which no client can send."""
    tool = BY_NAME[name]._replace(options=options)
    with loaded(vault) as memory:
        print_result(tool.call(memory.on_behalf(client="command line"), arguments), as_json, nl=nl)


def print_result(result: Result, as_json: bool, *, nl: bool = True) -> None:
    """Print the result of a tool. `nl`: add a line end even if the text has one at its end."""
    text = "\n".join(result.texts)
    print_answer(as_json, result.data, text if nl else text.removesuffix("\n"))


def print_note(result: Result, as_json: bool) -> None:
    """Print the text of a note, and what is known about it to standard error."""
    text, about = result.texts
    print_result(Result((text,), result.data), as_json, nl=False)
    if not as_json:
        click.echo(about, err=True)


def print_answer(as_json: bool, data: Mapping[str, object], *lines: str) -> None:
    """Print the data of an answer as JSON, or else its lines."""
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False))
    elif lines:
        click.echo("\n".join(lines))


def given_text(content: str, *, empty: bool | None = None) -> str:
    """Return `content`, or the text on standard input if `content` is "-".

    `empty` says whether the user allows an empty text; None if the command has no option --empty.
    """
    if content != "-":
        return content
    text = standard_input()
    if not (empty or text.strip()):
        advice = "" if empty is None else ", or --empty if you mean an empty text"
        raise BadArgument(f"Standard input is empty; give a text there or as an argument{advice}.")
    return text


def standard_input() -> str:
    """Return the text on standard input; on a terminal, say how to end it."""
    if sys.stdin is None:
        raise BadArgument("Standard input is closed; give the text as an argument, or a file.")
    if sys.stdin.isatty():
        click.echo("Reading the text from standard input; end it with Ctrl-D.", err=True)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadArgument(f"Standard input is not UTF-8 at byte {error.start}.") from error


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input for "-"."""
    if file == "-":
        return standard_input()
    try:
        with open(file, "rb") as stream:
            return stream.read().decode()
    except UnicodeDecodeError as error:
        raise BadArgument(f"{file!r} is not UTF-8 at byte {error.start}.") from error
    except OSError as error:
        raise BadArgument(f"{file!r} cannot be read: {error.strerror}.") from error


@contextlib.contextmanager
def loaded(vault: str) -> Iterator[Memory]:
    """Open the memory in a vault and build its index; at the end, close it, which saves the cache."""
    memory, _ = open_memory(vault)
    try:
        load(memory)
        yield memory
        sys.stdout.flush()  # before closing, which may take a moment
    finally:
        memory.close()


def load(memory: Memory) -> None:
    """Build the index, and show the progress."""
    memory.load(counted("Indexing", "notes"))


def counted(task: str, unit: str) -> Progress:
    """Return a function that shows the progress of a task on a terminal, once the task has taken a second."""
    began = time.monotonic()

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - began > 1:
            # `sys.stderr` would show the carriage return: see `main.guarded`
            click.echo(f"\r{task}: {done} of {total} {unit}", nl=done == total, file=sys.__stderr__)

    return show


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command as Ctrl-C does, so that it removes its temporary files.

    On Windows, SIGBREAK takes the place of SIGHUP.
    """
    signals = [signal.SIGTERM]
    if sys.platform == "win32":
        signals.append(signal.SIGBREAK)
    else:
        signals.append(signal.SIGHUP)
    before = [signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
