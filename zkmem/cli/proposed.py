"""The command `proposed`: look at the edits that clients have proposed, and accept or drop them."""

import time
from collections.abc import Iterator, Sequence

import click

from zkmem.cli.commands import Suggesting
from zkmem.cli.group import cli, json_option, loaded, open_memory, print_result, vault_option
from zkmem.recall.change_sets import ChangeSet, ProposedEdit
from zkmem.toolsets.tool import Result
from zkmem.util.spelling import number_of, printable

_CLIENT = click.argument("client")
_EDITS = click.argument("edits", nargs=-1, type=click.IntRange(1))


@cli.group(cls=Suggesting)
def proposed() -> None:
    """Accept or drop the edits that clients have proposed.

    A client proposes if its token was made with --propose, or if the server was started with --propose.
    """


@proposed.command("list")
@vault_option
@json_option
def listed(vault: str, as_json: bool) -> None:
    """List the proposed edits that wait for a person, by client."""
    memory, _ = open_memory(vault)
    sets = memory.proposed()
    rows = [
        one._asdict() | {"notes": [note._asdict() for note in one.notes], "edits": [_row(edit) for edit in one.edits]}
        for one in sets
    ]
    lines = [printable(line) for one in sets for line in _lines(one)] or ["No proposed edits wait."]
    print_result(Result(tuple(lines), {"change_sets": rows}), as_json)


@proposed.command()
@vault_option
@json_option
@_CLIENT
@_EDITS
def show(vault: str, as_json: bool, client: str, edits: tuple[int, ...]) -> None:
    """Print what the proposed edits of CLIENT would change: all, or those with the numbers EDITS."""
    memory, _ = open_memory(vault)
    text = memory.proposed_diff(client, edits)
    print_result(Result(tuple(map(printable, text.splitlines())), {"diff": text}), as_json)


@proposed.command()
@vault_option
@json_option
@click.option("--new", "as_new", is_flag=True, help="Create each note that is gone as a new note.")
@_CLIENT
@_EDITS
def accept(vault: str, as_json: bool, as_new: bool, client: str, edits: tuple[int, ...]) -> None:
    """Accept the proposed edits of CLIENT: all, or those with the numbers EDITS and the earlier ones that they need.

    What others have written since stays. An edit that cannot be made still waits.
    """
    with loaded(vault) as memory:
        done = memory.accept(client, edits, as_new=as_new)
    lines = [_decided("accepted", done.accepted, is_all=not edits)]
    lines += [f"left {one.edit}: {one.reason}" for one in done.left]
    if any(one.gone for one in done.left):
        lines.append("To create each note that is gone as a new note, add --new.")
    data = {"accepted": done.accepted, "left": [one._asdict() for one in done.left]}
    print_result(Result(tuple(lines), data), as_json)
    if done.left:
        raise SystemExit(4)


@proposed.command()
@vault_option
@json_option
@_CLIENT
@_EDITS
def drop(vault: str, as_json: bool, client: str, edits: tuple[int, ...]) -> None:
    """Drop the proposed edits of CLIENT: all, or those with the numbers EDITS and the later ones that need them."""
    memory, _ = open_memory(vault)
    dropped = memory.drop(client, edits)
    print_result(Result((_decided("dropped", dropped, is_all=not edits),), {"dropped": dropped}), as_json)


def _decided(what: str, numbers: Sequence[int], *, is_all: bool) -> str:
    """Return how many edits were accepted or dropped, and their numbers unless all were meant."""
    names = "" if is_all or not numbers else f": {', '.join(map(str, numbers))}"
    return f"{what} {number_of(len(numbers), 'edit')}{names}"


def _lines(one: ChangeSet) -> Iterator[str]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.ended))
    yield f"{one.client}: {number_of(one.total, 'edit')}, the last {when}"
    for edit in one.edits:
        needs = f"  (needs {', '.join(map(str, edit.needs))})" if edit.needs else ""
        yield f"  {edit.edit}  {edit.title}  ({edit.client}){needs}"
    if one.files:
        yield f"  other files: {', '.join(one.files)}"
    if one.total > len(one.edits):
        yield f"  and {one.total - len(one.edits)} more"


def _row(edit: ProposedEdit) -> dict[str, object]:
    return edit._asdict() | {"notes": [note._asdict() for note in edit.notes]}
