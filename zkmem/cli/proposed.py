"""The command `proposed`: look at the edits that clients have proposed, and accept or drop them."""

import itertools
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from zkmem.cli.commands import Suggesting
from zkmem.cli.group import cli, loaded, open_memory, print_answer, vault_command
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.util.spelling import clock, number_of, printable

if TYPE_CHECKING:
    from zkmem.memory import ChangeSet, ProposedEdit, ProposedGroup

_Command = TypeVar("_Command", bound=Callable[..., object])

_MOST_NUMBERS = 10_000


def _numbers(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> list[int]:
    """Return the numbers that arguments name, each a number such as 3 or a range such as 3-5."""
    numbers = list[int]()
    for value in values:
        match = re.fullmatch(r"([1-9][0-9]{0,14})(?:-([1-9][0-9]{0,14}))?", value)
        if match is None:
            reason = f"{value!r} is neither the number of an edit, such as 3, nor a range, such as 3-5."
            raise click.BadParameter(reason, context, parameter)
        first, last = int(match[1]), int(match[2] or match[1])
        if not 0 <= last - first < _MOST_NUMBERS:
            reason = f"{value!r} must begin with the lower number, and have at most {_MOST_NUMBERS:,} numbers."
            raise click.BadParameter(reason, context, parameter)
        numbers += range(first, last + 1)
    return numbers


def _group_options(command: _Command) -> _Command:
    """Add the options that choose the notes of an import by project and month."""
    month = click.option(
        "--month", metavar="MONTH", callback=_month, help="Only imported notes of a month, such as 2026-11."
    )
    project = click.option("--project", metavar="NAME", help="Only imported notes of a project.")
    return project(month(command))


def _month(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value and not re.fullmatch(r"[0-9]{4}-[0-9]{2}", value):
        raise click.BadParameter(f"{value!r} is no month; give one such as 2026-11.", context, parameter)
    return value


_CLIENT = click.argument("client")
_EDITS = click.argument("edits", nargs=-1, callback=_numbers)


@cli.group(cls=Suggesting)
def proposed() -> None:
    """Accept or drop the edits that clients have proposed.

    A client proposes if its token was made with --propose, or if the server was started with --propose.
    """


@vault_command("list", group=proposed)
@_group_options
def listed(vault: str, as_json: bool, project: str | None, month: str | None) -> None:
    """List the proposed edits that wait, by client, and the notes of an import by project and month."""
    memory, _ = open_memory(vault)
    sets = memory.proposed(project=project, month=month)
    rows = [
        one._asdict() | {name: [part._asdict() for part in getattr(one, name)] for name in ("notes", "groups")}
        | {"edits": [_row(edit) for edit in one.edits]}
        for one in sets
    ]  # fmt: skip
    by_group = project is None and month is None
    lines = [
        printable(line) for one in sets for line in (_group_lines(one) if one.groups and by_group else _lines(one))
    ] or ["No proposed edits wait." if by_group else "No proposed edits of this project or month wait."]
    print_answer(as_json, {"change_sets": rows}, *lines)


@vault_command(group=proposed)
@_group_options
@_CLIENT
@_EDITS
def show(vault: str, as_json: bool, client: str, edits: list[int], project: str | None, month: str | None) -> None:
    """Print what the proposed edits of CLIENT would change: all, or those with the numbers EDITS, such as 3 or 3-5.

    The last line is the command that accepts just these.
    """
    memory, _ = open_memory(vault)
    numbers = edits or memory.proposed_numbers(client, project=project, month=month)
    text = memory.proposed_diff(client, numbers)
    lines = [*text.splitlines(), f"To accept: {_accepting(client, numbers)}"]
    print_answer(as_json, {"diff": text, "edits": numbers}, *map(printable, lines))


@vault_command(group=proposed)
@click.option("--new", "as_new", is_flag=True, help="Create each note that is gone as a new note.")
@_group_options
@_CLIENT
@_EDITS
def accept(
    vault: str,
    as_json: bool,
    as_new: bool,
    client: str,
    edits: list[int],
    project: str | None,
    month: str | None,
) -> None:
    """Accept the proposed edits of CLIENT: all, or those with the numbers EDITS and the earlier ones that they need.

    EDITS are numbers such as 3, or ranges such as 3-5. `list` and `show` print the numbers. Without numbers,
    edits that the client has proposed after you looked are accepted, too. Text that others have written in the meantime
    stays. An edit that cannot be accepted goes on waiting.
    """
    with loaded(vault) as memory:
        done = memory.accept(client, _of_group(memory, client, edits, project, month), as_new=as_new)
    lines = [_decided("accepted", done.accepted)]
    lines += [f"left {one.edit}: {one.reason}" for one in done.left]
    if any(one.gone for one in done.left):
        lines.append("To create each note that is gone as a new note, add --new.")
    data = {"accepted": done.accepted, "left": [one._asdict() for one in done.left]}
    print_answer(as_json, data, *lines)
    if done.left:
        raise SystemExit(4)


@vault_command(group=proposed)
@_group_options
@_CLIENT
@_EDITS
def drop(vault: str, as_json: bool, client: str, edits: list[int], project: str | None, month: str | None) -> None:
    """Drop the proposed edits of CLIENT: all, or those with the numbers EDITS and the later ones that need them.

    EDITS are numbers such as 3, or ranges such as 3-5.
    """
    memory, _ = open_memory(vault)
    dropped = memory.drop(client, _of_group(memory, client, edits, project, month))
    print_answer(as_json, {"dropped": dropped}, _decided("dropped", dropped))


def _of_group(memory: Memory, client: str, edits: list[int], project: str | None, month: str | None) -> list[int]:
    """Return the numbers of the edits that the arguments choose; an empty list means all edits of the client."""
    if project is None and month is None:
        return edits
    if edits:
        raise BadArgument("Give the numbers of edits, or --project and --month, not both.")
    return memory.proposed_numbers(client, project=project, month=month)


def _decided(what: str, numbers: Sequence[int]) -> str:
    """Return a line that says how many edits were accepted or dropped, and their numbers."""
    names = f": {', '.join(_ranges(numbers))}" if numbers else ""
    return f"{what} {number_of(len(numbers), 'edit')}{names}"


def _accepting(client: str, numbers: Sequence[int]) -> str:
    """Return the command that accepts these edits."""
    words = ["zkmem", "proposed", "accept", *(["--"] if client.startswith("-") else []), client, *_ranges(numbers)]
    return shlex.join(words)


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Yield numbers in ascending order, and three or more successive ones as a range."""
    for _, pairs in itertools.groupby(enumerate(sorted(set(numbers))), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]
        yield from [f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run)


def _lines(one: "ChangeSet") -> Iterator[str]:
    yield f"{one.client}: {number_of(one.total, 'edit')}, the last {clock(one.ended)}"
    for edit in one.edits:
        needs = f"  (needs {', '.join(map(str, edit.needs))})" if edit.needs else ""
        yield f"  {edit.edit}  {edit.title}  ({edit.client}){needs}"
    if one.files:
        yield f"  other files: {', '.join(one.files)}"
    if one.total > len(one.edits):
        yield f"  and {one.total - len(one.edits)} more"
    yield f"  to accept these: {_accepting(one.client, [edit.edit for edit in one.edits])}"


def _group_lines(one: "ChangeSet") -> Iterator[str]:
    """Yield lines about the notes of an import: how many there are, and those of each project by month."""
    months, projects = {group.month for group in one.groups}, {group.project for group in one.groups}
    from_where = f"from {number_of(len(months), 'month')}, {number_of(len(projects), 'project')}"
    yield f"{one.client}: {number_of(one.total, 'note')} proposed, {from_where}"
    for project, groups in itertools.groupby(one.groups, lambda group: group.project):
        counts = ", ".join(f"{group.month or 'no date'}: {group.total}" for group in groups)
        yield f"  {project}  {counts}"
    first = one.groups[0]
    yield f"  to read some: zkmem proposed show {one.client} {_group_words(first)}"
    yield f"  to accept them: zkmem proposed accept {one.client} {_group_words(first)}"
    yield f"  to drop them: zkmem proposed drop {one.client} {_group_words(first)}"


def _group_words(group: "ProposedGroup") -> str:
    """Return the options that choose a group."""
    return shlex.join(["--project", group.project, *(["--month", group.month] if group.month else [])])


def _row(edit: "ProposedEdit") -> dict[str, object]:
    return edit._asdict() | {"notes": [note._asdict() for note in edit.notes]}
