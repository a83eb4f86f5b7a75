"""The commands `install`, `uninstall` and `completion`: the configuration of clients and of shells."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.shell_completion import get_completion_class

from zkmem import config
from zkmem.cli.agents import remove_section, section, write_section
from zkmem.cli.commands import suggestion
from zkmem.cli.group import check_rights, cli, given_vault_option, json_option, print_answer, toolset_names
from zkmem.cli.vault_folder import any_folder_option, vault_folder
from zkmem.clients import entry
from zkmem.clients.install import Installation, Outcome, Wiring, Writing, installed
from zkmem.clients.launch import command
from zkmem.clients.links import GOOSE, LINKS, goose_file, goose_link, goose_snippet, own_link
from zkmem.clients.table import CLIENTS, Client, UserHome
from zkmem.errors import BadArgument, BadClientFile, NoClient
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS, chosen

_HOME = UserHome(os.environ, sys.platform)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BASH = """\
_zkmem_completion() {
    local IFS=$'\\n' rest=$COMP_LINE words=() part=${COMP_WORDS[COMP_CWORD]} begun i type value
    # bash splits a word such as tag:x or NOTE@3: join its parts, and offer only what may stand for the last part
    for ((i = 0; i <= COMP_CWORD; i++)); do
        if [[ $i -gt 0 && -n ${COMP_WORDS[i]} && $rest != [[:space:]]* ]]; then
            words[-1]+=${COMP_WORDS[i]}
        else
            rest=${rest#"${rest%%[![:space:]]*}"}
            words+=("${COMP_WORDS[i]}")
        fi
        rest=${rest#"${COMP_WORDS[i]}"}
    done
    [[ $part == [:=] ]] && part=
    [[ ${words[-1]} == *@"$part" ]] && part=@$part  # bash replaces the @, too
    begun=${words[-1]%"$part"}
    begun=${begun//\\\\/}
    while IFS=, read -r type value; do
        if [[ $type == dir ]]; then
            COMPREPLY=()
            compopt -o dirnames
        elif [[ $type == file ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == plain ]]; then
            value=${value#"$begun"}
            COMPREPLY+=("$value")
            [[ $value == *[^A-Za-z0-9_.,:@=/-]* ]] && compopt -o filenames
            [[ $value == *= ]] && compopt -o nospace
        fi
    done < <(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) _ZKMEM_COMPLETE=bash_complete "$1")
    return 0
}

complete -o nosort -F _zkmem_completion zkmem
"""
"""The script for bash. That of click does not quote names with blanks, and cannot complete a word that bash splits."""

_NAMES = (*CLIENTS, GOOSE)
_WHICH = f"CLIENT is one of {', '.join(_NAMES)}."


class _Clients(click.Choice[str]):
    """The name of a client. The error for an unknown name suggests a known one."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the client."""
        if value not in _NAMES:
            raise BadArgument(f"There is no client {value!r}.{suggestion(value, _NAMES)} {_WHICH}")
        return super().convert(value, param, ctx)


_Command = TypeVar("_Command", bound=Callable[..., Any])


def _target_options(of: _Command) -> _Command:
    """Add the options of both `install` and `uninstall`, which name the entry and the file that has it."""
    for option in (
        json_option,
        click.option("--force", is_flag=True, help="Go on if the client is not found, or another server has the name."),
        click.option("--project", is_flag=True, help="Use the client's file in the current folder, not the user's."),
        click.option("--name", default="zkmem", show_default=True, help="The client's name for the server."),
    ):
        of = option(of)
    return of


def _agents_option(does: str) -> Callable[[_Command], _Command]:
    text = f"{does} (default: AGENTS.md)."
    return click.option("--agents", is_flag=False, flag_value="AGENTS.md", metavar="[FILE]", help=text)


@cli.command(epilog=_WHICH)
@click.argument("client", type=_Clients(_NAMES), metavar="CLIENT", required=False)
@_target_options
@given_vault_option
@click.option(
    "--toolsets",
    shell_complete=toolset_names,
    help=f"Toolsets to serve, comma-separated: {', '.join(TOOLSETS)} (default: as configured).",
)
@click.option(
    "--per-project", is_flag=True, help="Let the file .zkmem-vault of a project name another vault there; no hooks."
)
@click.option("--read-only", is_flag=True, help="Let the client only read.")
@click.option(
    "--propose", is_flag=True, help="The client's edits wait until a person accepts them: see zkmem proposed."
)
@click.option("--no-hooks", is_flag=True, help="Add no hooks, and remove those of this vault.")
@click.option("--print", "only_print", is_flag=True, help="Print the entry and the hooks, and change nothing.")
@click.option("--link", is_flag=True, help="Print a link that opens the client with the entry; change nothing.")
@_agents_option("Write a section about the memory into a file of instructions for models, for clients without hooks")
@click.option("--list", "listing", is_flag=True, help="List all clients, and which of them are found on this machine.")
def install(
    client: str | None,
    vault: str | None,
    toolsets: str | None,
    name: str,
    project: bool,
    per_project: bool,
    read_only: bool,
    propose: bool,
    no_hooks: bool,
    only_print: bool,
    link: bool,
    agents: str | None,
    listing: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Add zkmem to the configuration of CLIENT.

    This adds one entry to the client's file, and keeps a copy of the file beside it. Nothing else in it changes. Claude
    Code, Codex and Gemini CLI get hooks, too, which give the model notes before it asks for them. --agents and --list
    need no CLIENT. For Goose, the entry is printed: you add it.
    """
    if listing:
        _list(as_json)
        return
    if agents is not None:
        _expect_no_client(client)
        lines = section(_checked(name), _guide(toolsets, read_only=read_only))
        write_section(agents, lines, only_print=only_print, as_json=as_json)
        return
    if client is None:
        raise BadArgument(f"Name a client, or list them with --list. {_WHICH}")
    check_rights("client", read_only=read_only, propose=propose)
    flags = {"--per-project": per_project, "--read-only": read_only, "--propose": propose}
    served = [*_arguments(vault_folder(vault), toolsets), *(flag for flag, given in flags.items() if given)]
    words = [*command(), *any_folder_option(), "serve", *served]
    if client == GOOSE:
        _print_for_goose(_checked(name), words, project=project, only_link=link, as_json=as_json)
        return
    installation = _installation(client, name, project=project)
    new_entry = entry.made(installation.client, words)
    if link:
        _print_link(installation.client, name, new_entry, as_json=as_json)
        return
    # a hook names one vault, and must not put its notes into a project that has another one
    wiring = installation.wiring(command(), served, hooked=not (no_hooks or per_project))
    if only_print:
        _print(installation, new_entry, wiring, as_json=as_json)
        return
    _expect_client(installation.client, force=force or project)
    writings = _announced(installation.to_add(new_entry, wiring, force=force), as_json)
    outcomes = installation.add(new_entry, wiring, force=force)
    _print_outcome(installation, outcomes, writings, as_json, words, hooked=bool(wiring.groups))


def _guide(toolsets: str | None, *, read_only: bool) -> str:
    """Return the instructions that a server with some toolsets sends to clients."""
    tools = chosen(toolsets.split(",") if toolsets else ["zettel"])
    tools = tools.for_reading() if read_only else tools
    return tools.guide or f"Use {'; '.join(guide.purpose for guide in tools.guides)}."


@cli.command(epilog=_WHICH)
@click.argument("client", type=_Clients(_NAMES), metavar="CLIENT", required=False)
@_target_options
@_agents_option("Remove the section about the memory from a file of instructions for models")
def uninstall(client: str | None, name: str, project: bool, force: bool, agents: str | None, as_json: bool) -> None:
    """Remove zkmem from the configuration of CLIENT.

    Only what install has added is removed: the entry, the hooks, or the section. The notes stay as they are.
    """
    if agents is not None:
        _expect_no_client(client)
        remove_section(agents, as_json=as_json)
        return
    if client is None:
        raise BadArgument(f"Name a client. {_WHICH}")
    if client == GOOSE:
        raise BadArgument("zkmem changes no file of Goose: remove the extension there, with `goose configure`.")
    installation = _installation(client, name, project=project)
    writings = _announced(installation.to_remove(force=force), as_json)
    _print_outcome(installation, installation.remove(force=force), writings, as_json)


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
def completion(shell: str) -> None:
    """Print a script for completion in a shell.

    SHELL is bash, zsh or fish. Add the script to its start file. It completes commands, options, toolsets, and the
    names of notes, properties, filters (tag:x, on:today) and versions (NOTE@REV).
    """
    completer = get_completion_class(shell)
    if completer is None:
        raise BadArgument(f"There is no completion for {shell}.")
    click.echo(_BASH if shell == "bash" else completer(cli, {}, "zkmem", "_ZKMEM_COMPLETE").source())


def _expect_no_client(client: str | None) -> None:
    if client is not None:
        raise BadArgument(f"--agents is for a section that all clients read: leave out {client}, or --agents.")


def _checked(name: str) -> str:
    """Return the client's name for the server, if it can have it."""
    if not _NAME.fullmatch(name):
        raise BadArgument(f"--name must be 1 to 64 letters, digits, - and _, not {name!r}.")
    return name


def _installation(client: str, name: str, *, project: bool) -> Installation:
    """Return our entry in the user's file of a client, or in the one of the project in the current folder."""
    row, folder = CLIENTS[client], os.path.abspath(os.curdir) if project else None
    path = row.in_project(folder) if folder else row.file(_HOME)
    if path is None:
        raise BadArgument(f"{row.title} has no file for a project; leave out --project.")
    return Installation(row, path, _checked(name), hooks_path=row.hooks_file(_HOME, folder), shared=project)


def _expect_client(row: Client, *, force: bool) -> None:
    """Check that the client seems to be installed."""
    if not (force or row.is_there(_HOME)):
        raise NoClient(
            f"{row.title} is not found here: neither its command nor its folder, {row.folder(_HOME)}. Nothing was "
            "changed. Start the client once, or print the entry with --print, or write it anyway with --force."
        )


def _list(as_json: bool) -> None:
    """Print each client, whether it seems to be installed, and the entries of zkmem in its file."""
    clients = [_about(row) for row in CLIENTS.values()]
    print_answer(as_json, {"clients": clients}, *map(_line_about, clients))


def _line_about(client: Mapping[str, Any]) -> str:
    state = "found" if client["found"] else "not found"
    ways = [f"as {name}" for name in client["entries"]]
    ways += [f"by the {CLIENTS[client['client']].plugin_kind} {client['plugin']}"] * bool(client["plugin"])
    if ways:
        state = f"added {', '.join(ways)}"
    problem = f"; {client['problem']}" if client["problem"] else ""
    return f"{client['client']:{max(map(len, CLIENTS))}}  {state} ({client['file']}){problem}"


def _about(row: Client) -> dict[str, Any]:
    path, problem, plugin, entries = row.file(_HOME), None, None, list[str]()
    try:
        entries = [target.name for target in installed(row, path)]
        plugin = _installation(row.name, "zkmem", project=False).plugin()
    except BadClientFile as error:
        problem = str(error)
    return {
        "client": row.name, "title": row.title, "found": row.is_there(_HOME), "file": path, "entries": entries,
        "plugin": plugin, "problem": problem
    }  # fmt: skip


def _arguments(vault: str, toolsets: str | None) -> list[str]:
    """Check and return the arguments of `serve`: with wrong ones, the server would fail when the client starts it."""
    settings = config.load(Memory(vault).vault, {"toolsets": toolsets})
    chosen(settings.toolsets)
    folder = os.path.abspath(os.path.expanduser(vault))
    try:
        folder.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(
            f"The path {folder!a} is not UTF-8, so no configuration can contain it; rename the folder."
        ) from error
    return [folder, "--toolsets", ",".join(settings.toolsets)] if toolsets else [folder]


def _print_link(row: Client, name: str, new_entry: dict[str, Any], *, as_json: bool) -> None:
    link = own_link(row.name, name, new_entry)
    if link is None:
        others = ", ".join(client for client in LINKS if own_link(client, name, new_entry))
        raise BadArgument(f"{row.title} has no scheme for such links; these clients have one: {others}.")
    print_answer(as_json, {"client": row.name, "name": name, "link": link}, link)


def _print_for_goose(name: str, words: list[str], *, project: bool, only_link: bool, as_json: bool) -> None:
    """Print the entry for Goose, and the link if Goose would open it."""
    if project:
        raise BadArgument("Goose has no file for a project; leave out --project.")
    path, text, link = goose_file(_HOME), goose_snippet(name, words), goose_link(name, words)
    if only_link and link is None:
        raise BadArgument("Goose opens links to `uvx` only: run `uvx zkmem install goose`, or add the entry yourself.")
    answer = {"client": GOOSE, "name": name, "file": path, "snippet": text, "link": link}
    print_answer(as_json, answer, *([link] if only_link and link else []))
    if not (as_json or only_link):
        click.echo(f"Add this to {path}, which zkmem does not change:", err=True)
        click.echo(text, nl=False)
        if link is not None:
            click.echo(f"Or open {link}", err=True)


def _print(installation: Installation, new_entry: dict[str, Any], wiring: Wiring, *, as_json: bool) -> None:
    texts = installation.texts(new_entry, wiring)
    paths = list(texts)
    answer = {
        "client": installation.client.name, "name": installation.entry.name, "file": paths[0], "entry": new_entry,
        "snippet": texts[paths[0]],
    }  # fmt: skip
    if wiring.groups:
        answer["hooks"] = {event: [one] for event, one in wiring.groups.items()}
        answer["hooks_file"] = paths[-1]
    print_answer(as_json, answer)
    for path, text in () if as_json else texts.items():
        click.echo(f"For {path}:", err=True)
        click.echo(text, nl=False)


def _announced(writings: list[Writing], as_json: bool) -> list[Writing]:
    """Print what is going to be written and removed, and return it."""
    for one in () if as_json else writings:
        for verb, names in (("Writes", one.names), ("Removes", one.removed)):
            if names:
                click.echo(f"{verb} {', '.join(names)} ({one.file})")
    return writings


def _print_outcome(
    installation: Installation,
    outcomes: list[Outcome],
    writings: list[Writing],
    as_json: bool,
    words: list[str] | None = None,
    *,
    hooked: bool = False,
) -> None:
    """Print what was done. `words`: the command of an entry that was added; `hooked`: whether it has hooks."""
    row, name = installation.client, installation.entry.name
    remark, warning = (installation.remark(), installation.warning()) if words else ("", "")
    changed = [one for one in outcomes if one.change in {"added", "replaced", "removed"}]
    written = {key for one in writings for key in one.names}
    removed = {key for one in writings for key in one.removed}
    own = outcomes[0]
    if f"{row.key}.{name}" not in written | removed:  # only the hooks in the file have changed
        own = own._replace(change="not there" if own.change in {"removed", "not there"} else "unchanged")
    answer = {"client": row.name, "name": name, **own._asdict(), "written": [one._asdict() for one in writings]}
    lines = [f"{name} in {row.title}: {own.change} ({own.file})"]
    is_set, is_removed = (any(key.startswith("hooks.") for key in keys) for keys in (written, removed))
    if hooked or is_set or is_removed:
        change = "set" if is_set else "removed" if is_removed else "unchanged"
        lines.append(f"hooks in {row.title}: {change} ({outcomes[-1].file})")
    if words:
        answer |= {"command": words, "remark": remark}
        lines.append(f"It runs: {shlex.join(words)}")
    lines += [f"Copy of the file before the change: {one.backup}" for one in changed if one.backup]
    if any(one.change != "removed" for one in changed):
        lines.append(row.after)
        if row.hooks and row.hooks.after and is_set:
            lines.append(row.hooks.after)
    print_answer(as_json, answer, *lines)
    advice = remark and f"{remark} Save the file as plain JSON in UTF-8."
    for sentence in () if as_json else filter(None, (advice, warning)):
        click.echo(sentence, err=True)
