"""What the commands share: the group, their options, and how a tool is called and its answer shown."""

import contextlib
import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import click

from zkmem import __version__, config, trust
from zkmem.cli.commands import Commands
from zkmem.cli.vault_folder import VARIABLE, resolved
from zkmem.errors import BadArgument, ZkError
from zkmem.memory import Memory
from zkmem.names import base_of, name_of
from zkmem.settings import Settings, about
from zkmem.toolsets import history, zettel
from zkmem.toolsets.imported import Progress
from zkmem.toolsets.tool import Result
from zkmem.vault.files import MB
from zkmem.vault.journal.versions import Bounds
from zkmem.vault.store import Store

_Command = TypeVar("_Command", bound=Callable[..., Any])

BY_NAME = {tool.name: tool for tool in (*zettel.TOOLS, *history.TOOLS)}

# for the shell's completion alone: a path that is no folder gets an error of our own
_completed = click.Path(file_okay=False).shell_complete


def _option(**more: Any) -> Callable[[_Command], _Command]:
    return click.option(
        "-C",
        "--vault",
        envvar=VARIABLE,
        metavar="DIR",
        shell_complete=_completed,
        help=f"The vault (default: {VARIABLE}, else the nearest folder with .zkmem/).",
        **more,
    )


def _argument(**more: Any) -> Callable[[_Command], _Command]:
    return click.argument("vault", required=False, envvar=VARIABLE, shell_complete=_completed, **more)


vault_option, given_vault_option = _option(callback=resolved), _option()
vault_argument, given_vault_argument = _argument(callback=resolved), _argument()


def note_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of notes that begin so, for a shell: whole ones, else those that are right without a folder."""
    vault = context.params.get("vault")
    try:
        paths = Store(vault).scan().stamps if vault else ()
    except ZkError:
        return []
    names = sorted(name_of(path) for path in paths if path.endswith(".md"))
    bases = Counter(map(base_of, names))
    whole = [name for name in names if name.startswith(incomplete)]
    return whole or [base for base in sorted(bases) if bases[base] == 1 and base.startswith(incomplete)]


name_argument = click.argument("name", shell_complete=note_names)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="zkmem")
@click.option("--any-folder", is_flag=True, envvar="ZKMEM_ANY_FOLDER", help="Let / or the home folder be the vault.")
def cli(any_folder: bool) -> None:
    """A memory for language models that a person can read: Markdown notes with [[links]], served over MCP."""


def open_memory(
    vault: str, *, max_chars: int | None = 0, quiet: bool = False, **flags: object
) -> tuple[Memory, Settings]:
    """Return the memory in a vault, with its settings. `max_chars`: 0 for the bound in the settings, None for no bound.

    Unless `quiet`, a line on stderr names the settings in the vault's file that have no effect.
    """
    root = Memory(vault).vault  # raises if there is no vault
    settings, vain = config.load(root, flags), config.without_effect(root, flags)
    if vain and not quiet:
        click.echo(without_effect(root, vain), err=True)
    most = settings.max_chars if max_chars == 0 else max_chars
    memory = Memory(
        vault,
        max_chars=most,
        max_note_bytes=settings.max_note_mb * MB,
        hints_order=settings.hints_order,
        suggestions_skip=settings.suggestions_skip,
        durable=settings.durability == "full",
        lock_timeout_s=settings.lock_timeout,
        versions=Bounds(settings.versions_days, settings.versions_mb),
        git=settings.git,
        git_allowed=trust.trusted(root).git if settings.git else "",
        git_waits=f"git = true in {config.FILE} needs `zkmem trust`" if "git" in vain else "",
    )
    return memory, settings


def without_effect(root: str, vain: Iterable[str]) -> str:
    """Return the sentence about settings in a vault's file that have no effect: forbidden there, or not allowed yet."""
    never = [name for name in vain if about(name).in_vault_file == "never"]
    waiting = [name for name in vain if name not in never]
    sentences = []
    if waiting:
        sentences.append(f"{', '.join(waiting)} (`zkmem trust {shlex.quote(root)}` shows and allows them)")
    if never:
        sentences.append(f"{', '.join(never)} (set them with an option, or in {config.user_file()})")
    return f"These settings in {config.FILE} have no effect: {'; '.join(sentences)}"


def printable(line: str) -> str:
    """Return a line of somebody else's words without anything that a terminal would act on."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)


def call(
    vault: str,
    as_json: bool,
    name: str,
    arguments: dict[str, Any],
    options: Mapping[str, object] = {},
    *,
    nl: bool = True,
) -> None:
    """Run a tool and print its answer. `options` are for its function alone: no client can send them."""
    tool = BY_NAME[name]._replace(options=options)
    with loaded(vault) as memory:
        print_result(tool.call(memory.on_behalf(client="command line"), arguments), as_json, nl=nl)


def print_result(result: Result, as_json: bool, *, nl: bool = True) -> None:
    if as_json:
        click.echo(json.dumps(result.data, ensure_ascii=False))
    else:
        text = "\n".join(result.texts)
        click.echo(text, nl=nl or not text.endswith("\n"))


def given_text(content: str, *, empty: bool | None = None) -> str:
    """Return the content given, or standard input for "-".

    `empty` is whether the user means an empty text; None where the command has no option --empty.

    Raises:
        BadArgument: when standard input holds nothing but blanks, as it does when a command before a pipe has failed.
    """
    if content != "-":
        return content
    text = standard_input()
    if not (empty or text.strip()):
        advice = "" if empty is None else ", or --empty if you mean an empty text"
        raise BadArgument(f"Standard input is empty; give a text there or as CONTENT{advice}.")
    return text


def standard_input() -> str:
    """Return the text on standard input; on a terminal, say how to end it.

    Raises:
        BadArgument: when standard input is closed, or not UTF-8.
    """
    if sys.stdin is None:
        raise BadArgument("Standard input is closed; give the text as an argument, or a file.")
    if sys.stdin.isatty():
        click.echo("Reading the text from standard input; end it with Ctrl-D.", err=True)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadArgument(f"Standard input is not UTF-8 at byte {error.start}.") from error


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input for "-".

    Raises:
        BadArgument: when it cannot be read, or is not UTF-8.
    """
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
    """The memory in a vault, with its index built; closed at the end, when what is known of the notes is saved."""
    memory, _ = open_memory(vault)
    try:
        load(memory)
        yield memory
        sys.stdout.flush()  # nobody need wait for the rest
    finally:
        memory.close()


def load(memory: Memory) -> None:
    """Build the index."""
    memory.load(counted("Indexing", "notes"))


def counted(what: str, of: str) -> Progress:
    """A progress to call: on a terminal, it tells how far something is once that has taken a second."""
    began = time.monotonic()

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - began > 1:
            click.echo(f"\r{what}: {done} of {total} {of}", nl=done == total, err=True)

    return show
