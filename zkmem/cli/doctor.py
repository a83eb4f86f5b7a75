"""The command `doctor`: check everything that zkmem needs, and say how to fix problems, or fix them."""

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from zkmem.cli.group import cli, given_vault_option, json_option, print_answer
from zkmem.errors import ZkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zkmem.cli.checks.target import Target


class Row(NamedTuple):
    """The result of a check."""

    check: str
    ok: bool
    found: str
    fix: str = ""  # an instruction for the user
    warning: bool = False  # whether it works, and the user may want to change it
    fixed: str = ""  # the problems that --fix has fixed


@cli.command()
@given_vault_option
@json_option
@click.option("--fix", is_flag=True, help="Fix the problems that need no decision of yours.")
@click.option(
    "--public",
    is_flag=False,
    flag_value="",
    metavar="[URL]",
    help="Check only the public address: sign in there, as a client on the internet does (default: public_url).",
)
def doctor(vault: str | None, as_json: bool, fix: bool, public: str | None) -> None:
    """Check everything that zkmem needs, and say how to fix it.

    The exit code is 1 if there is a problem, and 0 if there are only warnings. --fix finishes or undoes an interrupted
    edit. It makes the file of tokens readable only for you. If the zkmem that a client starts is gone, the client gets
    this one. If some of a client's hooks are missing, or run another zkmem than the entry, they are set again.
    """
    from zkmem.cli.checks.target import Target  # noqa: PLC0415 - 30 ms that no other command needs

    target = Target.of(vault)
    show = (lambda _: None) if as_json else _show
    rows = _of_machine(target, show, fix=fix) if public is None else _of_public(public, target, show)
    all_ok = all(row.ok for row in rows)
    print_answer(as_json, {"ok": all_ok, "checks": [row._asdict() for row in rows]})
    sys.exit(0 if all_ok else 1)


def _of_machine(target: "Target", show: "Callable[[Row], None]", *, fix: bool) -> list[Row]:
    """Return the results of the checks on this machine; show each one when it is known."""
    from zkmem.cli.checks.table import CHECKS, WITH_SETTINGS, WITHOUT_VAULT  # noqa: PLC0415 - as above

    rows: list[Row] = []
    for name, check in CHECKS.items():
        if target.root is None and name not in WITHOUT_VAULT:
            continue
        failed = [row.check for row in rows if not row.ok]
        if name in WITH_SETTINGS and "settings" in failed and not target.has_settings:
            rows.append(Row(name, True, "not checked: the settings are wrong"))
        else:
            rows.append(row_of(name, check, target, fix=fix))
        show(rows[-1])
    return rows


def _of_public(address: str, target: "Target", show: "Callable[[Row], None]") -> list[Row]:
    """Return the results of a client's steps at the public address, up to the first one that fails."""
    from zkmem.cli.checks.public import play  # noqa: PLC0415 - as above
    from zkmem.cli.checks.target import Trouble  # noqa: PLC0415

    rows: list[Row] = []
    name = "vault"
    if target.root is None:
        rows.append(Row(name, False, target.fault, "give the vault that the server serves: --vault DIR"))
        show(rows[-1])
        return rows
    try:
        with play(address, target) as client:
            for name, step in client.steps().items():
                rows.append(Row(name, True, step()))
                show(rows[-1])
    except Trouble as trouble:
        rows.append(Row(name, False, trouble.problem, trouble.fix))
        show(rows[-1])
    return rows


def row_of(name: str, check: "Callable[[Target], str]", target: "Target", *, fix: bool) -> Row:
    """Return the result of a check. With `fix`, fix the problem and check again, until nothing more can be fixed."""
    from zkmem.cli.checks.target import Trouble, Warned  # noqa: PLC0415

    fixed: list[str] = []
    while True:
        try:
            return Row(name, True, check(target), fixed="; ".join(fixed))
        except Trouble as trouble:
            is_warning = isinstance(trouble, Warned)
            row = Row(name, is_warning, trouble.problem, trouble.fix, is_warning, "; ".join(fixed))
            if not fix or trouble.repair is None:
                return row
            try:
                sentence = trouble.repair()
            except (ZkError, OSError) as error:
                return row._replace(found=f"{row.found}; it could not be fixed: {error}")
        if sentence in fixed:  # it did not help
            return row
        fixed.append(sentence)


def _show(row: Row) -> None:
    click.echo(f"{'warn' if row.warning else 'ok  ' if row.ok else 'FAIL'} {row.check}: {row.found}")
    if row.fixed:
        click.echo(f"     fixed: {row.fixed}")
    if row.fix:
        click.echo(f"     fix: {row.fix}")
