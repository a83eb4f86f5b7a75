"""The command `doctor`: check everything that zkmem needs, and say how to fix problems, or fix them."""

import sys
from typing import TYPE_CHECKING

import click

from zkmem.cli.group import cli, given_vault_option, json_option, print_answer

if TYPE_CHECKING:
    from zkmem.cli.checks.table import CheckResult


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
    from zkmem.cli.checks.table import CheckResult, of_machine, of_public  # noqa: PLC0415 - 30 ms that no other command needs
    from zkmem.cli.checks.target import CheckedVault  # noqa: PLC0415

    target = CheckedVault.of(vault)
    rows = list[CheckResult]()
    for row in of_machine(target, fix=fix) if public is None else of_public(public, target):
        rows.append(row)
        if not as_json:
            _show(row)
    all_ok = all(row.ok for row in rows)
    print_answer(as_json, {"ok": all_ok, "checks": [row._asdict() for row in rows]})
    sys.exit(0 if all_ok else 1)


def _show(row: "CheckResult") -> None:
    click.echo(f"{'warn' if row.warning else 'ok  ' if row.ok else 'FAIL'} {row.check}: {row.found}")
    if row.fixed:
        click.echo(f"     fixed: {row.fixed}")
    if row.fix:
        click.echo(f"     fix: {row.fix}")
