"""The commands on a vault as a whole: make it, check it, watch it, serve it."""

import contextlib
import json
import logging
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import click

from zkmem import config
from zkmem.cli.group import cli, json_option, loaded, open_memory, vault_option
from zkmem.config import Settings
from zkmem.errors import BadArgument, BadSettings, Closed
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS, chosen

if TYPE_CHECKING:
    from zkmem.serve.endpoint import ChatEndpoint


@cli.command()
@json_option
@click.argument("vault", envvar="ZKMEM_VAULT", default=".")
@click.option("--git", is_flag=True, help="Keep the history in git: make a repository, and set git = true.")
def init(as_json: bool, vault: str, git: bool) -> None:
    """Make a folder a vault (any folder is one; this makes it if it is missing, and the state in .zkmem/)."""
    try:
        os.makedirs(os.path.expanduser(vault), exist_ok=True)
    except OSError as error:
        raise BadArgument(f"The folder {vault!r} cannot be made: {error.strerror}.") from error
    memory = Memory(vault)
    turned_on = git and config.turn_on(memory.vault, "git")
    done = memory.set_up(git=git, settings=config.FILE)
    if any("was made" in line for line in done):
        done.append("commit the notes that are there with: git add -A && git commit")
    if turned_on:
        done.append(f"git = true in {config.FILE}: each edit by a tool will be a commit")
    click.echo(json.dumps({"vault": memory.vault, "done": done}, ensure_ascii=False) if as_json else "\n".join(done))


@cli.command()
@vault_option
@json_option
def check(vault: str, as_json: bool) -> None:
    """List what to look at: missing links, ambiguous ones, unreadable files, odd names. Exit code 1 if any."""
    with loaded(vault) as memory:
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
@vault_option
def watch(vault: str) -> None:
    """Print the name of each note that changes, until interrupted."""
    memory, _ = open_memory(vault)
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
    memory, settings = open_memory(vault, port=port, toolsets=toolsets, git=git)
    toolset = chosen(settings.toolsets)
    endpoint = _endpoint(settings) if any(tool.question for tool in toolset.tools) else None
    if mode == "stdio":
        from zkmem.serve.mcp_server import serve_stdio  # noqa: PLC0415 - half a second that no other command needs

        if sys.stdin.isatty():
            click.echo(
                "zkmem waits for an MCP client on standard input; Ctrl-C ends it. See also: --mode http", err=True
            )
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read of stdin in a thread cannot be interrupted otherwise
        serve_stdio(memory, toolset, endpoint)
        return
    from zkmem.serve.app import HOST, bind, serve_http  # noqa: PLC0415

    sock = bind(settings.port)
    address = f"http://{HOST}:{sock.getsockname()[1]}/mcp"
    click.echo(f"zkmem serves {memory.vault}", err=True)
    click.echo(f"Address: {address}", err=True)
    click.echo(f"Add it to a client, for example: claude mcp add --transport http zkmem {address}", err=True)
    threading.Thread(target=_tell_when_indexed, args=(memory,), daemon=True).start()
    serve_http(memory, toolset, sock, endpoint)


def _tell_when_indexed(memory: Memory) -> None:
    with contextlib.suppress(Closed):
        notes, links = memory.counts()
        click.echo(f"Indexed: {notes} notes, {links} links", err=True)


def _endpoint(settings: Settings) -> "ChatEndpoint | None":
    """The model that is configured, if one is."""
    if not settings.llm_url:
        return None
    if not settings.llm_model:
        raise BadSettings("llm_url needs llm_model too: the name of the model to ask there.")
    from zkmem.serve.endpoint import ChatEndpoint  # noqa: PLC0415 - only a server with a model needs it

    return ChatEndpoint(settings.llm_url, settings.llm_model, config.llm_key())
