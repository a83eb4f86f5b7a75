"""Serve one or several vaults over HTTP: what `zkmem serve --mode http` does, and what it prints."""

import contextlib
import functools
import shlex
import socket
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
import click

from zkmem import config, trust
from zkmem.cli.group import open_memory
from zkmem.cli.serve import check_settings, endpoint_for, kept_in_sync
from zkmem.cli.tokens import tokens_of, warn
from zkmem.cli.vault_folder import check_apart
from zkmem.errors import BadSettings, Closed
from zkmem.hooks.servers import noted
from zkmem.memory import Memory
from zkmem.serve.access.gate import HookAccess, Limits
from zkmem.serve.access.public import LOOPBACK, PublicUrl
from zkmem.serve.access.signin.users import Users
from zkmem.serve.app import Application, application
from zkmem.serve.common import Common, Reach, check_reach
from zkmem.serve.mcp.servers import Offer
from zkmem.serve.process import bind, run
from zkmem.serve.vaults import Vaults, path_of
from zkmem.settings import Settings
from zkmem.sync.keeper import Keeper
from zkmem.toolsets.table import chosen
from zkmem.util.spelling import number_of


class ServeOptions(NamedTuple):
    """The options of the command that hold for each vault of the server."""

    flags: Mapping[str, Any]  # the settings among them, by name
    sync: bool = False  # keep the vault in sync with its git remote
    propose: bool = False  # edits over MCP are proposed
    audit: bool = False  # each request over MCP is in the audit log


def serve_one(vault: str, options: ServeOptions) -> None:
    """Serve the vault in a folder until a signal ends the process."""
    memory, settings = open_memory(vault, **options.flags)
    with kept_in_sync(memory, settings) if options.sync else contextlib.nullcontext():
        reach = _reach(settings)
        hooks = HookAccess.of(settings)
        served = _application(
            memory, settings, options, reach, Common(reach.limits, page_modules=settings.page_modules), hooks
        )
        with bind(settings.host, settings.port) as sock, contextlib.ExitStack() as until_end:
            until_end.enter_context(_noted(memory, sock, hooks))
            base = _base(settings, reach, sock.getsockname()[1])
            click.echo(f"zkmem serves {memory.vault}", err=True)
            _print_addresses(memory, base, reach.public)
            _warn_of_plain_text(settings)
            threading.Thread(target=_report_when_indexed, args=(memory,), daemon=True).start()

            def prepare_end() -> None:
                until_end.close()  # the signal will end the process
                served.prepare_end()

            run(served.serve, sock, prepare_end)


def serve_several(vaults: Mapping[str, str], options: ServeOptions) -> None:
    """Serve the vaults in some folders, by name, until a signal ends the process."""
    settings = config.load("", options.flags)  # those of all vaults
    reach = _reach(settings)
    with bind(settings.host, settings.port) as sock:
        base = _base(settings, reach, sock.getsockname()[1])
        common = Common(reach.limits, page_modules=settings.page_modules)
        openers = {
            name: functools.partial(_opened, name, folder, base, options, reach, common, sock)
            for name, folder in vaults.items()
        }
        served = Vaults(openers, reach)
        errors = served.open()
        if len(errors) == len(vaults):
            raise next(iter(errors.values()))
        for name, error in errors.items():
            click.echo(f"The vault {name} is not served: {error}", err=True)
        _warn_of_plain_text(settings)
        run(served, sock, served.prepare_end)


def _opened(
    name: str, folder: str, base: str, options: ServeOptions, reach: Reach, common: Common, sock: socket.socket
) -> Application:
    """Open one of several vaults of the server at `base`, and print its addresses."""
    memory, settings = open_memory(folder, **options.flags)
    for other, root in common.roots.items():
        if other != name:  # a folder may have become a link since the start
            check_apart((other, root), (name, memory.vault))
    here = _reach_of(reach, name)
    hooks = HookAccess.of(settings)
    served = _application(memory, settings, options, here, common, hooks, name)
    click.echo(f"zkmem serves {memory.vault} as {name}", err=True)
    _print_addresses(memory, f"{base}{path_of(name)}", here.public, f"zkmem-{name}")
    keeper = kept_in_sync(memory, settings) if options.sync else None
    found_by_hooks = _noted(memory, sock, hooks, path_of(name))
    return served._replace(alive=functools.partial(_alive, served, memory, name, keeper, found_by_hooks))


def _application(
    memory: Memory,
    settings: Settings,
    options: ServeOptions,
    reach: Reach,
    common: Common,
    hooks: HookAccess,
    name: str = "",
) -> Application:
    """Return the application for a vault."""
    tokens = tokens_of(memory.vault)
    users = Users(common.store, memory.vault)
    check_reach(tokens, settings.host, reach, memory.vault, has_users=bool(reach.public and users.all()))
    warn(tokens)
    values = settings._asdict()
    endpoint = endpoint_for(chosen(settings.toolsets, values), settings)
    check_settings(settings, memory.vault)
    offer = Offer(
        settings.toolsets, endpoint, values, options.propose, settings.read_only, audit=options.audit, hooks=hooks
    )
    return application(memory, tokens, offer, reach, common, name)


def _noted(memory: Memory, sock: socket.socket, hooks: HookAccess, path: str = "") -> AbstractContextManager[None]:
    """Return a context in which the hooks of clients on this machine find the vault on the server."""
    host, port = sock.getsockname()[:2]
    return noted(memory.vault, trust.folder(), (host, port), path, hooks.secret)


def _reach(settings: Settings) -> Reach:
    limits = Limits(settings.max_body_mb * 1_000_000, settings.rate, settings.max_sessions)
    public = PublicUrl.of(settings.public_url) if settings.public_url else None
    return Reach(settings.allow_hosts, settings.oauth_issuer, settings.oauth_resource, limits, public)


def _reach_of(reach: Reach, name: str) -> Reach:
    """Return the reach of one of several vaults: that of the server, with the path of the vault in each address."""
    resource, end = reach.resource.removesuffix("/mcp"), "/mcp"
    if reach.resource and resource == reach.resource:
        raise BadSettings(
            f"oauth_resource is {reach.resource!r}; for several vaults, give an address that ends with {end}. The "
            f"address of each vault is then: {resource}{path_of('NAME')}{end}"
        )
    return reach._replace(
        resource=f"{resource}{path_of(name)}{end}" if resource else "",
        public=reach.public and reach.public.at(path_of(name)),
    )


def _base(settings: Settings, reach: Reach, port: int) -> str:
    """Return the address of the server, without a slash at the end."""
    host = reach.names[0] if settings.host not in LOOPBACK else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _print_addresses(memory: Memory, base: str, public: PublicUrl | None, entry: str = "zkmem") -> None:
    """Print the addresses of a vault, and a command that adds it to a client under the name `entry`."""
    click.echo(f"Address: {base}/mcp", err=True)
    click.echo(f"Page: {base}/", err=True)
    if public:
        check = f"zkmem doctor --vault {shlex.quote(memory.vault)} --public {public.base}"
        click.echo(f"Public address for clients: {public.resource} (this checks it: {check})", err=True)
    needs_token = not public and tokens_of(memory.vault).load().guards
    token = ' --header "Authorization: Bearer TOKEN"' if needs_token else ""
    address = public.resource if public else f"{base}/mcp"
    click.echo(f"Add it to a client, for example: claude mcp add --transport http {entry} {address}{token}", err=True)


def _warn_of_plain_text(settings: Settings) -> None:
    if settings.host not in LOOPBACK:
        click.echo("The connection is not encrypted: put a proxy with TLS in front of this server.", err=True)


def _report_when_indexed(memory: Memory, name: str = "") -> None:
    with contextlib.suppress(Closed):
        notes, links = memory.counts()
        click.echo(f"Indexed{name}: {number_of(notes, 'note')}, {number_of(links, 'link')}", err=True)


@contextlib.asynccontextmanager
async def _alive(
    served: Application, memory: Memory, name: str, keeper: Keeper | None, hooks: AbstractContextManager[None]
) -> AsyncIterator[None]:
    """Keep one of several vaults alive and in sync, and print how many notes it has."""
    if keeper:
        keeper.__enter__()
    try:
        async with served.alive():
            threading.Thread(target=_report_when_indexed, args=(memory, f" the vault {name}"), daemon=True).start()
            with hooks:
                yield
    finally:
        if keeper:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(keeper.__exit__)
