"""The commands by section, groups of commands that suggest names for an unknown one, and commands with a text."""

import difflib
import importlib
from collections.abc import Iterable, Mapping

import click

from zkmem.errors import BadArgument

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Read": {
        "get": "notes", "ls": "notes", "path": "notes", "search": "notes", "query": "properties", "hints": "notes",
        "suggest": "notes", "hint": "notes",
    },
    "Write": {
        "set": "notes", "edit": "edit", "daily": "properties", "props": "properties", "mv": "notes", "extract": "notes",
        "rm": "notes",
    },
    "History": {
        "review": "past", "log": "past", "why": "past", "show": "past", "diff": "past", "restore": "past",
        "undo": "past", "redo": "past", "proposed": "proposed",
    },
    "Vault": {
        "init": "vault", "clone": "sync", "config": "config", "sync": "sync", "check": "vault", "doctor": "doctor",
        "watch": "vault", "import": "importing", "export": "vault", "trust": "trust", "untrust": "trust",
    },
    "Server and clients": {
        "serve": "serve", "lsp": "serve", "user": "users", "token": "tokens", "call": "call", "install": "install",
        "uninstall": "install", "adopt": "adopt", "hook": "hook", "completion": "install",
    },
}  # fmt: skip
"""The sections of the help: the commands in each, and the module in `zkmem/cli/` that defines the command."""

_OTHERS: Mapping[str, tuple[str, ...]] = {
    "list": ("ls",),
    "find": ("search",),
    "grep": ("search",),
    "cat": ("get",),
    "which": ("path",),
    "file": ("path",),
    "read": ("get",),
    "open": ("get",),
    "add": ("set", "set --append"),
    "new": ("set",),
    "create": ("set",),
    "write": ("set",),
    "vi": ("edit",),
    "append": ("set --append",),
    "rename": ("mv",),
    "move": ("mv",),
    "merge": ("mv --merge",),
    "delete": ("rm",),
    "remove": ("rm",),
    "split": ("extract",),
    "history": ("log",),
    "blame": ("why",),
    "revert": ("undo", "restore"),
    "start": ("serve",),
    "run": ("serve",),
    "mcp": ("serve", "install"),
    "setup": ("init", "install"),
    "settings": ("config",),
    "status": ("review", "check", "doctor"),
    "brief": ("review",),
    "news": ("review",),
    "lint": ("check",),
    "tool": ("call",),
    "help": ("--help",),
    "version": ("--version",),
}
"""Names of commands in other programs, each with the commands of zkmem that do the same."""


def suggestion(wrong: str, known: Iterable[str], before: str = "") -> str:
    """Return a question that suggests similar names, with a blank before it; "" if no name is similar."""
    return _question(difflib.get_close_matches(wrong.lower(), known), before)


def _question(names: Iterable[str], before: str) -> str:
    choices = " or ".join(f"`{before}{name}`" for name in names)
    return f" Did you mean {choices}?" if choices else ""


class Suggesting(click.Group):
    """A group that suggests commands for an unknown one."""

    others: Mapping[str, tuple[str, ...]] = {
        "ls": ("list",), "new": ("add",), "create": ("add",), "rm": ("remove",), "delete": ("remove",),
    }  # fmt: skip

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command at the beginning of the arguments."""
        if not ctx.resilient_parsing and args[0][:1] != "-" and self.get_command(ctx, args[0]) is None:
            raise BadArgument(self._unknown(ctx, args[0]))
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: click.Context, name: str) -> str:
        before = f"{ctx.command_path} "
        others = _question(self.others.get(name.lower(), ()), before)
        near = others or suggestion(name, self.list_commands(ctx), before)
        return f"There is no command {name!r}.{near} `{before}--help` lists the commands."


class Commands(Suggesting):
    """All commands. A module is loaded when one of its commands is used."""

    others = _OTHERS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        if module := next((names[cmd_name] for names in SECTIONS.values() if cmd_name in names), None):
            importlib.import_module(f"zkmem.cli.{module}")
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click gives it
        """Return the names of all commands. Load no module: to load all of them takes 10 ms."""
        return sorted(name for names in SECTIONS.values() for name in names)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, each with the first sentence of its help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        width = max(map(len, commands))
        for title, names in SECTIONS.items():
            rows = [
                (name.ljust(width), command.get_short_help_str(formatter.width - 4 - width))
                for name in names
                if (command := commands[name])
            ]
            with formatter.section(title):
                formatter.write_dl(rows)


_TEXT = "\0"  # before an argument that is a text, while the options are parsed


class TextCommand(click.Command):
    """A command with a text as an argument. A text may begin with a dash and a blank, as a list item does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Refuse an unknown option, which may be a text that begins with a dash."""
        args = [_TEXT + arg if arg.startswith("-") and arg[1:2].isspace() else arg for arg in args]
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            sentence = error.format_message()
            raise BadArgument(f"{sentence} A text that begins with a dash needs `--` before it.") from error
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            raise BadArgument(f"{error.format_message()} Put a text of several words in quotation marks.") from error
        ctx.params = {name: _without_mark(value) for name, value in ctx.params.items()}
        return rest


def _without_mark(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_without_mark, value))
    return value.removeprefix(_TEXT) if isinstance(value, str) else value
