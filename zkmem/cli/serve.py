"""The commands `serve` and `lsp`: serve vaults over HTTP, or one vault over stdio to a client or a text editor."""

import contextlib
import logging
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from zkmem import config
from zkmem.caller import LOCAL, Grant
from zkmem.cli.group import check_rights, cli, completed, given_vault_option, open_memory, toolset_names
from zkmem.cli.vault_folder import VARIABLE, is_named, named_vaults, vault_around, vault_folder, vault_of_project
from zkmem.errors import BadArgument, BadSettings
from zkmem.memory import Memory
from zkmem.settings import Settings
from zkmem.toolsets.table import TOOLSETS, chosen
from zkmem.toolsets.toolset import Toolset
from zkmem.util.collector import importing
from zkmem.vault.git.remote import without_password
from zkmem.vault.journal.state import StateFolder

if TYPE_CHECKING:
    from zkmem.model.endpoint import ChatEndpoint
    from zkmem.sync.keeper import Keeper

_HTTP_ONLY = ("port", "host", "allow_hosts", "public_url", "oauth_issuer", "oauth_resource")


def _refuse_db(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Refuse the option with which THINK-MEM names its file."""
    if value is not None:
        raise BadArgument(
            "zkmem has no --db: its memory is a folder of notes, the vault. To serve it: zkmem serve DIR. To add the "
            "memory in a file of THINK-MEM: zkmem import --vault DIR FILE"
        )


@cli.command()
@click.argument("vaults", nargs=-1, metavar="[[NAME=]VAULT]...", shell_complete=completed)
@click.option(
    "--mode",
    type=click.Choice(["stdio", "http"]),
    envvar="ZKMEM_MODE",
    default="stdio",
    show_default=True,
    help="How to serve (ZKMEM_MODE).",
)
@click.option("--db", hidden=True, expose_value=False, callback=_refuse_db, help="Refused: VAULT takes its place.")
@click.option("--port", type=int, help="The port for http (default 13809; 0 takes a free one).")
@click.option("--host", help="The address for http (default 127.0.0.1: only this machine).")
@click.option("--allow-host", "allow_hosts", help="More host names of this server, comma-separated; needs a token.")
@click.option("--public-url", help="The https:// address of this server on the internet; users sign in there.")
@click.option("--oauth-issuer", help="An OAuth 2.1 issuer whose tokens are valid, too.")
@click.option("--oauth-resource", help="The address of the MCP endpoint; the issuer's tokens must name it.")
@click.option(
    "--toolsets",
    shell_complete=toolset_names,
    help=f"Toolsets to serve, comma-separated: {', '.join(TOOLSETS)} (default zettel).",
)
@click.option("--git/--no-git", default=None, help="Commit each edit to the git repository the vault is in.")
@click.option("--sync", is_flag=True, help="Keep the vault in sync with its git remote while serving; includes --git.")
@click.option("--propose", is_flag=True, help="Edits over MCP wait until a person accepts them: see zkmem proposed.")
@click.option(
    "--read-only/--no-read-only", default=None, help="Let clients over MCP only read; the page and the API still edit."
)
@click.option("--audit", is_flag=True, help="Log each request over MCP, without contents, in .zkmem/audit.jsonl.")
@click.option("--per-project", is_flag=True, help="Serve the vault that .zkmem-vault names here, if there is one.")
@click.pass_context
def serve(
    context: click.Context, /, vaults: tuple[str, ...], mode: str, sync: bool, propose: bool, audit: bool,
    per_project: bool, **flags: Any,
) -> None:  # fmt: skip
    """Serve the notes in VAULT over MCP.

    A client starts this command and uses its stdin and stdout. With --mode http the address for clients is
    http://127.0.0.1:13809/mcp, and a page that shows the notes is at http://127.0.0.1:13809/. Without VAULT, the vault
    is the folder in ZKMEM_VAULT, else the nearest folder with .zkmem/, from the current one upwards, or the one that
    the project's file .zkmem-vault names. With --per-project that file comes first.

    With --mode http, a server can have several vaults. The address of each is http://127.0.0.1:13809/v/NAME/mcp. NAME
    is the last part of the path of its folder, unless you write NAME=VAULT.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="zkmem: %(levelname)s: %(message)s")
    if sync and flags["git"] is False:
        raise BadArgument("--sync exchanges git commits; leave out --no-git or --sync.")
    check_rights("client", read_only=bool(flags["read_only"]), propose=propose)
    flags |= {"git": True} if sync else {}
    several = named_vaults(vaults) if len(vaults) > 1 or any(map(is_named, vaults)) else {}
    if several and (mode == "stdio" or per_project):
        raise BadArgument(
            "A server over stdio or with --per-project has only one vault. For several vaults, add --mode http and "
            "leave out --per-project."
        )
    if mode == "stdio":
        _refuse_http_options(context)
        _serve_stdio(_one_vault(vaults, per_project=per_project), flags, sync=sync, propose=propose, audit=audit)
        return
    vault = "" if several else _one_vault(vaults, per_project=per_project)
    with importing():
        from zkmem.cli.serve_http import ServeOptions, serve_one, serve_several  # noqa: PLC0415 - half a second

    options = ServeOptions(flags, sync, propose, audit)
    if several:
        serve_several(several, options)
    else:
        serve_one(vault, options)


@cli.command()
@given_vault_option
def lsp(vault: str | None) -> None:
    """Serve a vault to a text editor as a language server.

    The editor starts this command and uses its stdin and stdout. The vault is the folder that the editor shows, or the
    nearest one above it with .zkmem/, .obsidian/ or .zkmem-vault, unless --vault or ZKMEM_VAULT names one.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="zkmem: %(levelname)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs each refused request with its traceback
    try:
        with importing(collect=True):  # `attrs` makes each class of the protocol twice: 10 MB of garbage
            from zkmem.lsp.server import serve  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        raise BadSettings(
            "The language server needs a library that is not installed. Install zkmem with its extra `lsp`. In a "
            "clone: uv tool install '.[lsp]', or pipx install --force '.[lsp]', or pip install '.[lsp]'"
        ) from error
    if sys.stdin.isatty():
        click.echo("Text editors start this command and talk to it over standard input. Ctrl-C ends it.", err=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing else can interrupt a thread that reads stdin

    def opened(folder: str | None) -> Memory:
        return open_memory(vault_around(folder) if vault is None and folder else vault_folder(vault))[0]

    code = serve(opened)
    logging.shutdown()
    # the vault is closed: a normal exit would wait for requests that still run, and free the index object by object
    os._exit(code)


def _one_vault(vaults: tuple[str, ...], *, per_project: bool) -> str:
    """Return the folder of the only vault: the given one, or the one that the environment or the project names."""
    of_project = vault_of_project() if per_project else None
    return of_project or vault_folder(vaults[0] if vaults else os.environ.get(VARIABLE))


def _serve_stdio(vault: str, flags: Mapping[str, Any], *, sync: bool, propose: bool, audit: bool) -> None:
    memory, settings = open_memory(vault, **flags)
    check_settings(settings, memory.vault)
    toolset = chosen(settings.toolsets, settings._asdict())
    if settings.read_only:
        toolset = toolset.for_reading()
    endpoint = endpoint_for(toolset, settings)
    with importing():
        from zkmem.serve.access.audit import Audit  # noqa: PLC0415 - half a second that no other command needs
        from zkmem.serve.mcp.server import serve_stdio  # noqa: PLC0415

    if sys.stdin.isatty():
        click.echo("zkmem waits for an MCP client on standard input; Ctrl-C ends it. See also: --mode http", err=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing else can interrupt a thread that reads stdin
    with kept_in_sync(memory, settings) if sync else contextlib.nullcontext():
        grant = Grant(read_only=settings.read_only, proposes_as=LOCAL if propose else "")
        log = Audit(StateFolder(memory.vault)) if audit else None
        serve_stdio(memory.restricted(grant), toolset, endpoint, log, settings.skills_folder)


def _refuse_http_options(context: click.Context) -> None:
    http_options = [
        one.opts[0]
        for one in context.command.params
        if one.name in _HTTP_ONLY and context.params[one.name or ""] is not None
    ]
    if http_options:
        raise BadArgument(f"{http_options[0]} is only for a server over HTTP; add --mode http, or leave it out.")


def check_settings(settings: Settings, vault: str) -> None:
    """Check that a vault can be served with these settings."""
    if "kg" in settings.toolsets and (file := os.environ.get("MEMORY_FILE_PATH")):
        raise BadSettings(
            "MEMORY_FILE_PATH names a file of server-memory, which zkmem does not use: it stores its memory in the "
            "vault. Remove the variable. To add the memory in that file: "
            f"zkmem import --vault {shlex.quote(vault)} {shlex.quote(file)}"
        )


def endpoint_of(settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model; None if there is none."""
    if not settings.llm_url:
        return None
    if not settings.llm_model:
        raise BadSettings("llm_url also needs llm_model: the name of the model at that address.")
    from zkmem.model.endpoint import ChatEndpoint  # noqa: PLC0415 - only a server with a model needs it

    return ChatEndpoint(settings.llm_url, settings.llm_model, config.llm_key())


def endpoint_for(toolset: Toolset, settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model if a tool of a toolset asks one; else None. The errors are those of `endpoint_of`."""
    return endpoint_of(settings) if any(tool.question for tool in toolset.tools) else None


def kept_in_sync(memory: Memory, settings: Settings) -> "Keeper":
    """Return the thread that synchronises the vault during a `with` block. Print which remote it uses."""
    from zkmem.sync.keeper import Keeper  # noqa: PLC0415 - few servers need it

    keeper = Keeper(
        lambda: memory.sync(settings.sync_remote, settings.sync_branch), settings.sync_every, settings.sync_after
    )
    memory.listen(keeper.touch)
    remote, every, after = without_password(settings.sync_remote), settings.sync_every, settings.sync_after
    click.echo(f"Synchronises with {remote} every {every} s, and {after} s after an edit (see: zkmem doctor)", err=True)
    return keeper
