"""The pages of docs/reference/, made from code: `python -m tests.tools.reference` writes it, a test compares."""

import ast
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

from zkmem import Memory, config, errors
from zkmem.bases import functions
from zkmem.bases.answer import BUILT_IN_SUMMARIES
from zkmem.bases.rows import FILE_FIELDS
from zkmem.bases.table import Group, Row, Summary, Table
from zkmem.cli.group import cli
from zkmem.edit.preview import Preview
from zkmem.engine import Engine
from zkmem.index.check import Finding
from zkmem.past.earlier_texts import Moment
from zkmem.past.revisions import Revision
from zkmem.recall.as_of import Earlier
from zkmem.recall.ranking import Hint, Suggestion
from zkmem.recall.reading import NoteText
from zkmem.records.outcome import Accepted, Attached, Deleted, Edited, Extracted, LeftOut, Undone
from zkmem.search.search import Hit, Hits
from zkmem.settings import Settings, about, allowed_values
from zkmem.toolsets.table import TOOLSETS
from zkmem.toolsets.tool import Effects, Parameter, Tool

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "reference"
_MADE = "<!-- Made from the code by `python -m tests.tools.reference`. -->\n"


def tools() -> Iterator[str]:
    """Every tool, prompt and resource of every toolset."""
    yield "# Tools\n"
    yield (
        "What each toolset offers to a client. Bounds are not sent to clients, since they would cost tokens in every "
        "conversation; a value outside of them is refused with a sentence that names them. An unknown argument is "
        "refused, except by `kg`, which passes over it as server-memory does. *Changes notes* is told to clients "
        "as `destructiveHint`: the tool may replace or remove what is there.\n"
    )
    for name, toolset in TOOLSETS.items():
        yield f"## Toolset `{name}`\n"
        yield f"With examples: [{name}](../{name}.md).\n"
        for tool in toolset.tools:
            yield from _tool(tool)
        if toolset.of_views:
            listed = " and ".join(f"`{tool.name}`" for tool in toolset.of_views)
            yield f"A [view in a chat](../how-to/chat.md), and no model, calls {listed}.\n"
        if toolset.prompts:
            yield f"### Prompts of `{name}`\n"
            yield _table(
                ("prompt", "arguments", "does"),
                (
                    (f"`{one.name}`", ", ".join(f"`{each.name}`" for each in one.arguments), one.description)
                    for one in toolset.prompts
                ),
            )
        for resource in toolset.resources:
            yield f"Resource `{resource.uri}` ({resource.mime_type}): {resource.description}\n"
    yield "## With every toolset\n"
    yield (
        "Every note is a resource, `zkmem://note/{name}`, with completion of names. Clients that subscribe to one are "
        "told when it changes, by whoever. A note can be a [skill](../how-to/skills.md): a command of the client.\n"
    )


def _tool(tool: Tool) -> Iterator[str]:
    yield f"### `{tool.name}`\n"
    yield f"{_escaped(tool.description)}\n"
    yield f"*{_effects(tool.effects)}*\n"
    if tool.parameters:
        rows = (
            (f"`{name}`", _type(one), _default(one), _bounds(one), one.description)
            for name, one in tool.parameters.items()
        )
        yield _table(("argument", "type", "default", "bounds", "meaning"), rows)


def _effects(effects: Effects) -> str:
    parts = ["Reads only" if effects.read_only else "Changes notes" if effects.destructive else "Adds to notes"]
    if effects.idempotent and not effects.read_only:
        parts.append("a second call changes nothing more")
    return "; ".join(parts) + "."


def _type(parameter: Parameter) -> str:
    if parameter.choices:
        return " or ".join(f"`{choice}`" for choice in parameter.choices)
    if parameter.inner is None:
        return parameter.type
    if parameter.type == "array":
        return f"array of {_inner(parameter.inner)}"
    return f"object with {', '.join(f'`{key}`' for key in parameter.inner)}"


def _inner(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    kind = str(schema.get("type", "any"))
    if keys := schema.get("properties"):
        return f"objects with {', '.join(f'`{key}`' for key in keys)}"
    return f"{kind}s"


def _default(parameter: Parameter) -> str:
    if parameter.default is ...:
        return "required"
    return "" if parameter.default in (None, "") else f"`{json.dumps(parameter.default)}`"


def _bounds(parameter: Parameter) -> str:
    low, high = parameter.minimum, parameter.maximum
    if low is None and high is None:
        return ""
    return f"{low:g} to {high:g}" if low is not None and high is not None else f"{low:g} or more"


def commands() -> Iterator[str]:
    """Every command with its arguments and options."""
    yield "# Commands\n"
    yield (
        "Results go to standard output, errors and remarks to standard error. With `--json` an error is JSON, too: "
        '`{"error": "UnknownNote", "message": "..."}`. The exit codes are in [errors](errors.md). '
        "`-h` or `--help` prints the help of each command.\n"
    )
    yield "These options go before the name of the command, as in `zkmem --any-folder serve ~`:\n"
    yield _options(cli, click.Context(cli))
    for name, command in _walked("zkmem", cli):
        yield f"## `{name}`\n"
        context = click.Context(command, info_name=name)
        yield f"```text\n{' '.join([name, *command.collect_usage_pieces(context)])}\n```\n"
        yield f"{_escaped(_plain_help(command))}\n"
        if command.epilog:
            yield f"{_escaped(command.epilog)}\n"
        if any(isinstance(one, click.Option) for one in command.params):
            yield _options(command, context)


def _options(command: click.Command, context: click.Context) -> str:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    rows = ((_names(one), _value(one), _option_default(one), _help(one, context)) for one in options)
    return _table(("option", "value", "default", "does"), rows)


def _plain_help(command: click.Command) -> str:
    """The help without the marks by which it tells click how to wrap."""
    return inspect.cleandoc(command.help or "").replace("\b\n", "").partition("\f")[0].rstrip()


def _walked(name: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if command is None or command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from _walked(f"{name} {each}", command)
        else:
            yield f"{name} {each}", command


def _names(option: click.Option) -> str:
    return ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " or ".join(f"`{choice}`" for choice in option.type.choices)
    if isinstance(option.type, click.IntRange | click.FloatRange):
        least = option.type.min
        most = "" if option.type.max is None else f" to {option.type.max:g}"
        more = most or " or more"
        bound = "" if least is None else f", more than {least:g}" if option.type.min_open else f", {least:g}{more}"
        return option.type.name.removesuffix(" range") + bound
    return (option.metavar or option.type.name).lower()


def _option_default(option: click.Option) -> str:
    """The default, where there is one to tell; of a number that a command names itself, the help tells it."""
    default = option.to_info_dict()["default"]
    if option.is_flag or default is None or default == "" or isinstance(default, list | tuple):
        return ""
    return f"`{default}`"


def _help(option: click.Option, context: click.Context) -> str:
    variable = option.envvar
    also = f" (also `{variable}`)" if isinstance(variable, str) and variable not in (option.help or "") else ""
    return f"{option.help or ''}{also}"


def settings() -> Iterator[str]:
    """Every setting with its default, what it may be and what it is for."""
    yield "# Settings\n"
    yield (
        "Every setting is optional. A wrong value is refused, and so is an unknown name in your own file; the error "
        "says where it is. In the vault's file, both are ignored, and a line on standard error says so. An unknown "
        "variable of the environment (`ZKMEM_NOSUCH`) is ignored. The first of these places "
        "that has a setting decides:\n"
    )
    yield _table(
        ("", "place", "may set"),
        (
            ("1", "the command's option of the same name", "what the command has an option for"),
            ("2", "the environment, as `ZKMEM_MAX_CHARS`; a list is one text with commas", "everything"),
            ("3", 'your own file, in the table `[vaults."/path/of/the/vault"]`', "everything"),
            ("4", f"the vault's file, `{config.FILE}`", "see *in the vault's file*: a vault may be somebody else's"),
            ("5", "your own file, outside of such tables", "everything"),
            ("6", "the default", ""),
        ),
    )
    yield (
        "`zkmem config` shows each setting with its place, and `zkmem config NAME VALUE` sets one. "
        "Your own file is `~/.config/zkmem/config.toml` (or below `XDG_CONFIG_HOME`). Settings that a vault's file "
        "may not have, or that you have not allowed, have no effect. A line on standard error says so, unless you have "
        "set them for this vault, or the value is in effect anyway; see [Somebody else's vault](../how-to/trust.md).\n"
    )
    yield _table(
        ("setting", "default", "values", "in the vault's file", "meaning"),
        (
            (f"`{name}`", f"`{_toml(default)}`", allowed_values(name), about(name).in_vault_file, about(name).meaning)
            for name, default in Settings._field_defaults.items()
        ),
    )
    yield "Your own file, with the defaults, and with other values for one vault:\n"
    lines = "\n".join(
        f"{name} = {_toml(default)}" for name, default in Settings._field_defaults.items() if default != ()
    )
    yield f'```toml\n{lines}\n\n[vaults."~/notes"]\ngit = true\ntoolsets = ["zettel", "text"]\n```\n'
    yield "## Only in the environment\n"
    yield _table(
        ("variable", "is"),
        (
            ("`ZKMEM_VAULT`", "the vault, where a command is not given one"),
            ("`ZKMEM_ANY_FOLDER`", "with 1, `/` and the home folder may be the vault, as with `zkmem --any-folder`"),
            ("`ZKMEM_LLM_KEY`", "the key for the endpoint at `llm_url`; in no file, since that may be shared"),
            ("`XDG_CONFIG_HOME`", "where the folder with your own file is (default `~/.config`)"),
            ("`XDG_CACHE_HOME`", "where the cache folder is (on Linux; default `~/.cache`)"),
            ("`TMPDIR`", "the folder for temporary files (default `/tmp`)"),
        ),
    )


def _toml(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def failures() -> Iterator[str]:
    """Every class of error with its meaning, its exit code and its HTTP status."""
    yield "# Errors\n"
    yield (
        "A failure is one sentence that says what is wrong and what to do. Nothing was changed then, unless the table "
        "says otherwise. An MCP tool answers with the sentence and `isError`; a command prints it to standard error "
        "(with `--json`, its class as `error` and the sentence as `message`) and ends with the exit code; over HTTP it "
        "has the status.\n"
    )
    found = [
        one
        for _, one in inspect.getmembers(errors, inspect.isclass)
        if issubclass(one, errors.ZkError) and one is not errors.ZkError
    ]
    found.sort(key=lambda one: (one.exit_code, one.__name__))
    yield _table(
        ("error", "means", "exit code", "HTTP status"),
        (
            (f"`{one.__name__}`", _first_paragraph(one.__doc__ or ""), str(one.exit_code), str(one.http_status))
            for one in found
        ),
    )
    yield "## Exit codes\n"
    yield _table(
        ("code", "means"),
        (
            ("0", "done"),
            ("1", "something was found by `zkmem check` or `zkmem doctor`, or not imported, or another failure"),
            ("2", "a bad argument, name, setting or vault"),
            ("3", "there is no such note, passage, edit or client, or there are several"),
            ("4", "something is in the way: a change by somebody else, a lock, or a note that has the name"),
            ("5", "cannot be read or written"),
            ("130", "ended by Ctrl-C"),
            ("141", "the reader of the output has gone"),
        ),
    )


EXAMPLE = """\
import pathlib

from zkmem import Memory

with Memory("notes") as memory:
    memory.write("tea", "Steep it at 80 °C. See [[green tea]].")
    pathlib.Path("notes", "green tea.md").write_text("From Japan. See [[tea]].")  # as any program may
    print(memory.names(), memory.backlinks("tea"))
    print(memory.read("tea").text)
"""
FOR_TOOLSETS = {
    "on_behalf", "restricted", "set_up", "load", "load_names", "stop", "look", "edit", "last_author", "has_folder",
    "reaches", "page", "page_earlier", "target_earlier", "graph", "advice", "review", "changes", "mark_seen",
    "mark_unseen",
    "proposes", "proposed_changes", "proposed_versions", "listen_to_proposed", "blocked", "mentions", "places",
    "home", "link", "repoint", "answer_hook", "given", "in_editor", "linked", "files", "data_of", "text_of",
    "create_files", "rewrite_file", "delete_files", "move_files", "reads_only", "person",
}  # fmt: skip
"""What a memory has for toolsets, the page and the command line, and may change without a word."""

ANSWERS = (NoteText, Edited, Extracted, Deleted, Undone, Attached, Accepted, LeftOut,
           Hint, Suggestion, Hit, Table, Row, Group, Summary, Finding,
           Revision, Earlier, Moment, Preview)  # fmt: skip


def python() -> Iterator[str]:
    """The class that a Python program uses, its methods and what they return."""
    yield "# Python\n"
    yield (
        "A Python program uses a vault through the class `Memory`. Any number of programs and servers may use one "
        "vault at once, and threads may share a memory. Failures are the classes in [errors](errors.md), from "
        "`zkmem.errors`.\n\n"
        "The program needs zkmem in its own environment: install it there with `pip install .` in a clone of the "
        "repository. `uv tool install` and `pipx install` put the commands into an environment of their own.\n\n"
        "An argument of a wrong type, or a negative number, raises `BadArgument`; after `close`, every call raises "
        "`Closed`. Iteration yields the names of the notes, `len` is their number, and `in` is `exists`.\n\n"
        "A call sees what other programs have written to the files before it. Without `start`, each call compares all "
        "files with the index for this: about 4 ms for 1,000 files. In a vault of more than 500 files, comparing takes "
        "at most a tenth of the time, so a change may be seen later: for 100,000 files, which take half a second, "
        "after up to five seconds. `wait_ready` compares at once. After `start`, no call compares the files: the "
        "system reports changes, which are seen within a fraction of a second.\n"
    )
    yield f"```python\n{EXAMPLE}```\n\nprints\n\n```text\n{_run(EXAMPLE)}```\n"
    yield "## `Memory`\n"
    yield f"```python\n{_signature('Memory', Engine.__init__)}\n```\n"
    yield f"{_paragraphs(Memory)}\n"
    yield f"{_paragraphs(Engine.__init__)}\n"
    for name, one in (item for kind in Memory.__mro__ for item in vars(kind).items() if kind is not object):
        if name.startswith("_") or name in FOR_TOOLSETS:
            continue
        yield f"### `{name}`\n"
        if not isinstance(one, property):
            yield f"```python\n{_signature(name, one)}\n```\n"
        yield f"{_paragraphs(one)}\n"
    yield "## What the methods return\n"
    for row in ANSWERS:
        yield f"### `{row.__name__}`\n"
        yield f"{_paragraphs(row)}\n"
        yield _table(("field", "type", "meaning"), _fields(row))
    yield f"### `Hits`\n\n{_paragraphs(Hits)}\n\nA list of `Hit` with two lists of texts: `remarks`, `linked`.\n"


def _run(program: str) -> str:
    """Return what a program prints that runs beside an empty folder `notes`."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "notes"))
        command = [sys.executable, "-c", program]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def _signature(name: str, one: Callable[..., object]) -> str:
    """Return the signature as the source has it, but with the values of defaults, and an argument a line if long."""
    (source,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
    assert isinstance(source, ast.FunctionDef)
    types = {each.arg: each.annotation for each in (*source.args.args, *source.args.kwonlyargs) if each.annotation}
    arguments = []
    for key, parameter in inspect.signature(one).parameters.items():
        if key in types:
            if parameter.kind is parameter.KEYWORD_ONLY and "*" not in arguments:
                arguments.append("*")
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            arguments.append(f"{key}: {_annotation(types[key])}{default}")
    result = _annotation(source.returns) if source.returns else "None"
    end = "" if result == "None" else f" -> {result}"
    text = f"{name}({', '.join(arguments)}){end}"
    lines = ["    " + argument + ",\n" for argument in arguments]
    return text if len(text) <= 100 else f"{name}(\n{''.join(lines)}){end}"


def _annotation(annotation: ast.expr) -> str:
    """Return a type as the source writes it, without quotation marks."""
    return ast.unparse(annotation).replace("'", "")


def _paragraphs(one: object) -> str:
    return _escaped(inspect.getdoc(one) or "")


def _fields(row: type) -> Iterator[tuple[str, str, str]]:
    """Return name, type and comment of each field of a tuple with names."""
    for line in inspect.getsource(row).splitlines():
        if match := re.fullmatch(r"    (\w+): ([^=#]+?)(?: = [^#]*?)?(?:  # (.*))?", line):
            yield f"`{match[1]}`", f"`{match[2]}`", match[3] or ""


def _first_paragraph(text: str) -> str:
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *([_cell(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(_escaped(text).replace("|", "\\|").split())


def _escaped(text: str) -> str:
    """A text whose tags are not taken for HTML."""
    return re.sub(r"<(?=[a-z/])", "\\<", text)


def bases() -> Iterator[str]:
    """The language of queries: operators, functions, fields."""
    yield "# Bases: the language of queries\n"
    yield (
        "What zkmem supports of the language of [Obsidian's Bases](https://help.obsidian.md/bases/syntax), in the "
        "toolset [vault](../vault.md), in `zkmem query` and in `.base` files. An expression with anything else "
        "fails, and the error names that part.\n"
    )
    yield "## Values and operators\n"
    yield _table(
        ("written", "means"),
        (
            ('`"text"`, `5`, `true`, `null`, `[1, 2]`, `{"a": 1}`, `/pattern/gi`', "a value"),
            ('`status`, `note.status`, `note["my status"]`', "a property of the note, in any case"),
            ("`file.name`", "a field of the note, see below"),
            ("`formula.name`", "a formula of the `.base` file"),
            (
                "`this`, `this.name`, `this.note.name`",
                "the note that the base is shown in (else the base itself), and its properties",
            ),
            ("`a.b`, `a[0]`, `a.f(x)`", "a field, an item, a function of a value"),
            ("`+` `-` `*` `/` `%` `( )`", "arithmetic; `+` also joins texts; a division by 0 gives null"),
            ('`date + "1 month"`, `date - "2h"`, `date - date`', "a date, and a duration (`y M w d h m s`)"),
            ("`duration * 2`, `duration / 86400000`", "a duration; a number: its milliseconds, divided"),
            ("`==` `!=`", "whether two values are equal"),
            ("`<` `>` `<=` `>=`", "comparison; with null, it is false"),
            ("`!` `&&` `||`", "not, and, or; null, 0, empty texts and empty lists count as false"),
        ),
    )
    yield (
        "A property has the type that Obsidian gives it: `2026-11-20` and `2026-11-20 09:30:00` are dates, a text that "
        "is one `[[link]]` is a link. A function of null returns null, except the functions of any value. A value of "
        "the wrong type gives no result; the query says how many notes are affected.\n"
    )
    yield "## Functions\n"
    yield _table(
        ("of", "functions"),
        (
            ("no value", ", ".join(f"`{name}()`" for name in sorted(["if", *functions.GLOBAL]))),
            ("any value", ", ".join(f"`{name}()`" for name in sorted(functions.ANY))),
            *(
                (
                    f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}",
                    ", ".join(f"`{name}()`" for name in sorted([*table, *_OF_LISTS.get(kind, ())])),
                )
                for kind, table in functions.BY_TYPE.items()
            ),
        ),
    )
    yield (
        "They do what [Obsidian's documents](https://help.obsidian.md/bases/functions) say. `html()`, `icon()` and "
        "`image()` return their argument. Regular expressions are those of Python's module `regex`: `\\d` and `\\w` "
        "match the digits and letters of all scripts. The `length` of an emoji is 1.\n"
    )
    yield "## Fields\n"
    yield _table(
        ("of", "fields"),
        ((f"a {kind}", ", ".join(f"`{name}`" for name in table)) for kind, table in functions.FIELDS.items()),
    )
    yield _table(("field of a file", "is"), ((f"`file.{name}`", one.meaning) for name, one in FILE_FIELDS.items()))
    yield "## Summaries\n"
    yield (
        f"A view of a base may have {', '.join(f'`{name}`' for name in BUILT_IN_SUMMARIES)} of a column, or a formula "
        "of the base over `values`. It is computed over all rows of the view, not for each group.\n"
    )


_OF_LISTS = {"list": ("filter", "map", "reduce")}

PAGES: Mapping[str, Callable[[], Iterator[str]]] = {
    "tools": tools,
    "commands": commands,
    "settings": settings,
    "errors": failures,
    "python": python,
    "bases": bases,
}


def page(name: str) -> str:
    """A page of the reference."""
    return "\n".join([_MADE, *PAGES[name]()])


def _write() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        (FOLDER / f"{name}.md").write_text(page(name), "utf-8")


if __name__ == "__main__":
    _write()
