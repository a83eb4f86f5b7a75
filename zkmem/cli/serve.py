"""The command `serve`: serve a vault to one client over stdio, or to any number over HTTP."""

import contextlib
import logging
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import click

from zkmem import config
from zkmem.caller import LOCAL, Grant
from zkmem.cli.group import cli, open_memory, vault_argument
from zkmem.cli.tokens import tokens_of, warn
from zkmem.cli.vault_folder import vault_of_project
from zkmem.errors import BadArgument, BadSettings, Closed
from zkmem.memory import Memory
from zkmem.settings import Settings
from zkmem.toolsets.table import TOOLSETS, chosen
from zkmem.util.collector import importing
from zkmem.util.spelling import number_of
from zkmem.vault.git.troubles import without_password

if TYPE_CHECKING:
    from zkmem.serve.mcp.endpoint import ChatEndpoint
    from zkmem.sync.keeper import Keeper

_HTTP_ONLY = ("port", "host", "allow_hosts", "public_url", "oauth_issuer", "oauth_resource")


@cli.command()
@vault_argument
@click.option("--mode", type=click.Choice(["stdio", "http"]), default="stdio", show_default=True, help="How to serve.")
@click.option("--port", type=int, help="The port for http (default 13809; 0 takes a free one).")
@click.option("--host", help="The address for http (default 127.0.0.1: only this machine).")
@click.option("--allow-host", "allow_hosts", help="More host names of this server, comma-separated; needs a token.")
@click.option("--public-url", help="The https:// address of this server on the internet; users sign in there.")
@click.option("--oauth-issuer", help="An OAuth 2.1 issuer whose tokens are valid, too.")
@click.option("--oauth-resource", help="The address of the MCP endpoint; the issuer's tokens must name it.")
@click.option("--toolsets", help=f"Toolsets to serve, comma-separated: {', '.join(TOOLSETS)} (default zettel).")
@click.option("--git/--no-git", default=None, help="Commit each edit to the git repository the vault is in.")
@click.option("--sync", is_flag=True, help="Keep the vault in sync with its git remote while serving; includes --git.")
@click.option("--propose", is_flag=True, help="Edits over MCP wait until a person accepts them: see zkmem proposed.")
@click.option("--per-project", is_flag=True, help="Serve the vault that .zkmem-vault names here, if there is one.")
@click.pass_context
def serve(
    context: click.Context, /, vault: str, mode: str, sync: bool, propose: bool, per_project: bool, **flags: Any
) -> None:
    """Serve the notes in VAULT over MCP.

    A client starts this command and uses its stdin and stdout. With --mode http the address for clients is
    http://127.0.0.1:13809/mcp, and a page that shows the notes is at http://127.0.0.1:13809/. Without VAULT, the vault
    is the folder in ZKMEM_VAULT, else the nearest folder with .zkmem/, from the current one upwards, or the one that
    the project's file .zkmem-vault names. With --per-project that file comes first.
    """
    if per_project:
        vault = vault_of_project() or vault
    if mode == "stdio":
        _refuse_http_options(context)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="zkmem: %(levelname)s: %(message)s")
    if sync and flags["git"] is False:
        raise BadArgument("--sync exchanges git commits; leave out --no-git or --sync.")
    memory, settings = open_memory(vault, **flags | ({"git": True} if sync else {}))
    toolset = chosen(settings.toolsets, settings._asdict())
    endpoint = endpoint_of(settings) if any(tool.question for tool in toolset.tools) else None
    if mode == "stdio":
        with importing():
            from zkmem.serve.mcp.server import serve_stdio  # noqa: PLC0415 - half a second that no other command needs

        if sys.stdin.isatty():
            click.echo(
                "zkmem waits for an MCP client on standard input; Ctrl-C ends it. See also: --mode http", err=True
            )
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing else can interrupt a thread that reads stdin
        with _kept_in_sync(memory, settings) if sync else contextlib.nullcontext():
            serve_stdio(memory.restricted(Grant(proposes_as=LOCAL)) if propose else memory, toolset, endpoint)
        return
    with _kept_in_sync(memory, settings) if sync else contextlib.nullcontext():
        _serve_http(memory, settings, endpoint, propose=propose)


def _kept_in_sync(memory: Memory, settings: Settings) -> "Keeper":
    """Return the thread that synchronises the vault during a `with` block. Print which remote it uses."""
    from zkmem.sync.keeper import Keeper  # noqa: PLC0415 - no other command needs it

    keeper = Keeper(
        lambda: memory.sync(settings.sync_remote, settings.sync_branch), settings.sync_every, settings.sync_after
    )
    memory.listen(keeper.touch)
    remote, every, after = without_password(settings.sync_remote), settings.sync_every, settings.sync_after
    click.echo(f"Synchronises with {remote} every {every} s, and {after} s after an edit (see: zkmem doctor)", err=True)
    return keeper


def _refuse_http_options(context: click.Context) -> None:
    http_options = [
        one.opts[0]
        for one in context.command.params
        if one.name in _HTTP_ONLY and context.params[one.name or ""] is not None
    ]
    if http_options:
        raise BadArgument(f"{http_options[0]} is only for a server over HTTP; add --mode http, or leave it out.")


def _serve_http(memory: Memory, settings: Settings, endpoint: "ChatEndpoint | None", *, propose: bool) -> None:
    with importing():
        from zkmem.serve.access.gate import Limits  # noqa: PLC0415
        from zkmem.serve.access.public import LOOPBACK, PublicUrl  # noqa: PLC0415
        from zkmem.serve.access.signin.store import Store  # noqa: PLC0415
        from zkmem.serve.access.signin.users import Users  # noqa: PLC0415
        from zkmem.serve.app import Reach, application, check_reach  # noqa: PLC0415 - half a second, as above
        from zkmem.serve.process import bind, run  # noqa: PLC0415

    limits = Limits(settings.max_body_mb * 1_000_000, settings.rate, settings.max_sessions)
    public = PublicUrl.of(settings.public_url) if settings.public_url else None
    reach = Reach(settings.allow_hosts, settings.oauth_issuer, settings.oauth_resource, limits, public)
    tokens = tokens_of(memory.vault)
    check_reach(tokens, settings.host, reach, has_users=bool(public and Users(Store(), memory.vault).all()))
    sock = bind(settings.host, settings.port)
    host = reach.names[0] if settings.host not in LOOPBACK else settings.host
    base = f"http://{f'[{host}]' if ':' in host else host}:{sock.getsockname()[1]}"
    click.echo(f"zkmem serves {memory.vault}", err=True)
    click.echo(f"Address: {base}/mcp", err=True)
    click.echo(f"Page: {base}/", err=True)
    warn(tokens)
    if public:
        click.echo(
            f"Public address for clients: {public.resource} (zkmem doctor --public {public.origin} checks it)", err=True
        )
    token = ' --header "Authorization: Bearer TOKEN"' if tokens.load().guards else ""
    click.echo(f"Add it to a client, for example: claude mcp add --transport http zkmem {base}/mcp{token}", err=True)
    if settings.host not in LOOPBACK:
        click.echo("The connection is not encrypted: put a proxy with TLS in front of this server.", err=True)
    threading.Thread(target=_report_when_indexed, args=(memory,), daemon=True).start()
    app, prepare_end = application(
        memory, tokens, settings.toolsets, endpoint, reach, options=settings._asdict(), propose=propose
    )
    run(app, sock, prepare_end)


def _report_when_indexed(memory: Memory) -> None:
    with contextlib.suppress(Closed):
        notes, links = memory.counts()
        click.echo(f"Indexed: {number_of(notes, 'note')}, {number_of(links, 'link')}", err=True)


def endpoint_of(settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model; None if there is none.

    Raises:
        BadSettings: when the name of the model, or the library for its protocol, is missing.
    """
    if not settings.llm_url:
        return None
    if not settings.llm_model:
        raise BadSettings("llm_url also needs llm_model: the name of the model at that address.")
    from zkmem.serve.mcp.endpoint import ChatEndpoint  # noqa: PLC0415 - only a server with a model needs it

    return ChatEndpoint(settings.llm_url, settings.llm_model, config.llm_key())
