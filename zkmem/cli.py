"""The command line: one command for each tool, the server, the check. Thin: arguments, one call, one translation."""

import contextlib
import json
import logging
import os
import signal
import sys
import threading
import time
from typing import Any

import click

from zkmem import __version__, config
from zkmem.config import Settings
from zkmem.errors import BadArgument, Closed, ZkError
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS, chosen
from zkmem.toolsets.tool import Result
from zkmem.vault.versions import Bounds

_TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}

_TEXT_ARGUMENT = {"ignore_unknown_options": True}  # a passage may begin with "-", as a list does

_vault = click.option(
    "-C", "--vault", envvar="ZKMEM_VAULT", default=".", metavar="DIR", help="The vault (default: ZKMEM_VAULT, else .)."
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="zkmem")
def cli() -> None:
    """A memory for language models that a person can read: Markdown notes with [[links]], served over MCP."""


def main() -> None:
    """Run a command; a failure ends in one sentence on stderr and the exit code of its class."""
    as_json = "--json" in sys.argv[1:]
    try:
        cli.main(standalone_mode=False)
        sys.stdout.flush()
    except ZkError as error:
        _fail(type(error).__name__, str(error), error.exit_code, as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _fail("BadArgument", error.format_message(), error.exit_code, as_json)
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os._exit(141)
    except OSError as error:
        click.echo(f"Error: {error}", err=True)  # a full disk under our output, most likely
        os._exit(5)  # what is left in the buffer would fail again


def _fail(kind: str, sentence: str, code: int, as_json: bool) -> None:
    click.echo(json.dumps({"error": kind, "message": sentence}) if as_json else f"Error: {sentence}", err=True)
    sys.exit(code)


@cli.command()
@_vault
@_as_json
@click.argument("name")
@click.option("--depth", default=0, show_default=True, help="How many levels of links to expand (0 to 10).")
@click.option("--offset", default=0, show_default=True, help="The character to read on from.")
@click.option("--backlinks", is_flag=True, help="Also tell who links to it, for which all notes must be read.")
def get(vault: str, as_json: bool, name: str, depth: int, offset: int, backlinks: bool) -> None:
    """Print a note, with its links expanded DEPTH levels deep. The line about it goes to stderr."""
    memory, _ = _open(vault, max_chars=None)
    if backlinks:
        _load(memory)
    result = _TOOLS["get_content"].call(memory, {"name": name, "depth": depth, "offset": offset})
    if as_json:
        _print(result, as_json=True)
    else:
        click.echo(result.texts[0], nl=not result.texts[0].endswith("\n"))
        click.echo(result.texts[1], err=True)


@cli.command("set", context_settings=_TEXT_ARGUMENT)
@_vault
@_as_json
@click.argument("name")
@click.argument("content", default="-")
@click.option("--old", help="Replace just this passage, which must occur once.")
@click.option("--append", is_flag=True, help="Add at the end, on a new line.")
@click.option("--etag", help="Refuse if the note has changed since it had this etag.")
def set_(vault: str, as_json: bool, **arguments: Any) -> None:
    """Create a note or replace its text by CONTENT ("-", the default: standard input)."""
    _call(vault, as_json, "set_content", {**arguments, "content": _read(arguments["content"])})


@cli.command()
@_vault
@_as_json
@click.argument("name")
def rm(vault: str, as_json: bool, name: str) -> None:
    """Move a note to the trash (.trash/ in the vault)."""
    _call(vault, as_json, "delete_content", {"name": name})


@cli.command()
@_vault
@_as_json
@click.argument("name")
@click.argument("new_name")
def mv(vault: str, as_json: bool, name: str, new_name: str) -> None:
    """Rename a note, or merge it into the note NEW_NAME; every link to it is updated."""
    _call(vault, as_json, "rename_content", {"name": name, "new_name": new_name})


@cli.command()
@_vault
@_as_json
@click.option("--count", default=10, show_default=True, help="How many.")
def hints(vault: str, as_json: bool, count: int) -> None:
    """List notes to start reading from, heaviest first."""
    _call(vault, as_json, "get_hints", {"count": count})


@cli.command()
@_vault
@_as_json
@click.option("--threshold", default=0.001, show_default=True, help="Only notes of less value than this.")
@click.option("--count", default=10, show_default=True, help="How many.")
def suggest(vault: str, as_json: bool, threshold: float, count: int) -> None:
    """List notes to tidy: least value (weight / characters) first."""
    _call(vault, as_json, "get_suggestions", {"threshold": threshold, "count": count})


@cli.command(context_settings=_TEXT_ARGUMENT)
@_vault
@_as_json
@click.argument("name")
@click.argument("new_name")
@click.argument("content", default="-")
def extract(vault: str, as_json: bool, name: str, new_name: str, content: str) -> None:
    """Move the passage CONTENT ("-": standard input) of a note to NEW_NAME and leave a link."""
    _call(vault, as_json, "extract_content", {"name": name, "content": _read(content), "new_name": new_name})


@cli.command()
@_vault
@_as_json
@click.argument("name", required=False)
@click.option("--count", default=10, show_default=True, help="How many.")
def log(vault: str, as_json: bool, name: str | None, count: int) -> None:
    """List the last edits by tools, of one note or of all; with git on, the commits."""
    _call(vault, as_json, "log", {"name": name, "count": count})


@cli.command()
@_vault
@_as_json
@click.argument("name_at_rev")
def show(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Print a note as it was: NAME@REV, where REV is from the log, or an etag, or with git on any revision."""
    name, rev = _at(name_at_rev)
    _call(vault, as_json, "show", {"name": name, "rev": rev}, nl=False)


@cli.command()
@_vault
@_as_json
@click.argument("name_at_rev", metavar="NAME[@REV]")
@click.option("--to", help="The revision to compare with (default: the note as it is).")
def diff(vault: str, as_json: bool, name_at_rev: str, to: str | None) -> None:
    """Show how a note changed since REV, or in its last edit."""
    name, rev = _at(name_at_rev) if "@" in name_at_rev else (name_at_rev, None)
    _call(vault, as_json, "diff", {"name": name, "rev": rev, "to": to})


@cli.command()
@_vault
@_as_json
@click.argument("name_at_rev")
def restore(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Give a note the text that it had in NAME@REV; a deleted one is made anew."""
    name, rev = _at(name_at_rev)
    _call(vault, as_json, "restore", {"name": name, "rev": rev})


@cli.command()
@_vault
@_as_json
@click.argument("count", default=1)
def undo(vault: str, as_json: bool, count: int) -> None:
    """Take back the last edit by a tool, or the last COUNT, in all their notes."""
    _call(vault, as_json, "undo", {"count": count})


@cli.command()
@_vault
@_as_json
@click.argument("count", default=1)
def redo(vault: str, as_json: bool, count: int) -> None:
    """Make again what the last undo took back, or the last COUNT undos."""
    _call(vault, as_json, "redo", {"count": count})


def _at(name_at_rev: str) -> tuple[str, str]:
    name, at, rev = name_at_rev.rpartition("@")
    if not at or not name or not rev:
        raise BadArgument(f"{name_at_rev!r} names no revision; give NAME@REV, with a REV from: zkmem log NAME")
    return name, rev


@cli.command()
@_as_json
@click.argument("vault", envvar="ZKMEM_VAULT", default=".")
@click.option("--git", is_flag=True, help="Keep the history in git: make a repository, and set git = true.")
def init(as_json: bool, vault: str, git: bool) -> None:
    """Make a folder a vault (any folder is one; this makes it if it is missing, and the state in .zkmem/)."""
    try:
        os.makedirs(os.path.expanduser(vault), exist_ok=True)
    except OSError as error:
        raise BadArgument(f"The folder {vault!r} cannot be made: {error.strerror}.") from error
    memory = Memory(vault)
    done = memory.set_up(git=git)
    if git and config.turn_on(memory.vault, "git"):
        done.append(f"git = true in {config.FILE}: each edit by a tool will be a commit")
    click.echo(json.dumps({"vault": memory.vault, "done": done}, ensure_ascii=False) if as_json else "\n".join(done))


@cli.command()
@_vault
@_as_json
def check(vault: str, as_json: bool) -> None:
    """List what to look at: missing links, ambiguous ones, unreadable files, odd names. Exit code 1 if any."""
    memory, _ = _open(vault)
    _load(memory)
    found = memory.check()
    notes, links = memory.counts()
    if as_json:
        findings = [finding._asdict() for finding in found]
        click.echo(json.dumps({"notes": notes, "links": links, "findings": findings}, ensure_ascii=False))
    else:
        for finding in found:
            click.echo(f"{finding.kind}: {finding.note}: {finding.detail}")
        click.echo(f"notes: {notes}, links: {links}, findings: {len(found)}", err=True)
    sys.exit(1 if found else 0)


@cli.command()
@_vault
def watch(vault: str) -> None:
    """Print the name of each note that changes, until interrupted."""
    memory, _ = _open(vault)
    memory.listen(lambda names: click.echo("\n".join(names)))
    memory.start()
    memory.load()
    click.echo(f"watching {memory.vault}", err=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    memory.close()


@cli.command()
@click.argument("vault", envvar="ZKMEM_VAULT", default=".")
@click.option("--mode", type=click.Choice(["stdio", "http"]), default="stdio", show_default=True, help="How to serve.")
@click.option("--port", type=int, help="The port for http (default 13809; 0 takes a free one).")
@click.option("--toolsets", help=f"Toolsets to serve, comma-separated: {', '.join(TOOLSETS)} (default zettel).")
@click.option("--git/--no-git", default=None, help="Commit each edit to the git repository the vault is in.")
def serve(vault: str, mode: str, port: int | None, toolsets: str | None, git: bool | None) -> None:
    """Serve the notes in VAULT over MCP: on stdin and stdout, or on http://127.0.0.1:13809/mcp.

    Without VAULT it is the folder in ZKMEM_VAULT, else the current one.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="zkmem: %(levelname)s: %(message)s")
    memory, settings = _open(vault, port=port, toolsets=toolsets, git=git)
    tools = chosen(settings.toolsets)
    if mode == "stdio":
        from zkmem.serve.mcp_server import serve_stdio  # noqa: PLC0415 - half a second that no other command needs

        if sys.stdin.isatty():
            click.echo(
                "zkmem waits for an MCP client on standard input; Ctrl-C ends it. See also: --mode http", err=True
            )
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read of stdin in a thread cannot be interrupted otherwise
        serve_stdio(memory, tools)
        return
    from zkmem.serve.app import HOST, bind, serve_http  # noqa: PLC0415

    sock = bind(settings.port)
    address = f"http://{HOST}:{sock.getsockname()[1]}/mcp"
    click.echo(f"zkmem serves {memory.vault}", err=True)
    click.echo(f"Address: {address}", err=True)
    click.echo(f"Add it to a client, for example: claude mcp add --transport http zkmem {address}", err=True)
    threading.Thread(target=_tell_when_indexed, args=(memory,), daemon=True).start()
    serve_http(memory, tools, sock)


def _tell_when_indexed(memory: Memory) -> None:
    with contextlib.suppress(Closed):
        notes, links = memory.counts()
        click.echo(f"Indexed: {notes} notes, {links} links", err=True)


def _open(vault: str, *, max_chars: int | None = 0, **flags: object) -> tuple[Memory, Settings]:
    """The memory in a vault, with its settings; `max_chars` None lifts the bound that a model needs."""
    settings = config.load(Memory(vault).vault, flags)  # the memory says so if there is no vault
    most = settings.max_chars if max_chars == 0 else max_chars
    memory = Memory(
        vault,
        max_chars=most,
        hints_order=settings.hints_order,
        durable=settings.durability == "full",
        lock_timeout_s=settings.lock_timeout,
        versions=Bounds(settings.versions_days, settings.versions_mb),
        git=settings.git,
    )
    return memory, settings


def _call(vault: str, as_json: bool, tool: str, arguments: dict[str, Any], *, nl: bool = True) -> None:
    memory, _ = _open(vault)
    _load(memory)
    try:
        _print(_TOOLS[tool].call(memory.on_behalf(client="command line"), arguments), as_json, nl=nl)
    finally:
        memory.close()  # a commit may be under way


def _print(result: Result, as_json: bool, *, nl: bool = True) -> None:
    if as_json:
        click.echo(json.dumps(result.data, ensure_ascii=False))
    else:
        text = "\n".join(result.texts)
        click.echo(text, nl=nl or not text.endswith("\n"))


def _read(content: str) -> str:
    """The content given, or standard input for "-"."""
    if content != "-":
        return content
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadArgument(f"Standard input is not UTF-8 at byte {error.start}.") from error


def _load(memory: Memory) -> None:
    """Build the index; on a terminal, tell how far it is once that has taken a second."""
    began = time.monotonic()

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - began > 1:
            click.echo(f"\rIndexing: {done} of {total} notes", nl=done == total, err=True)

    memory.load(show)
