"""The command `doctor`: check everything that zkmem needs, and say how to fix problems, or fix them."""

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from zkmem.cli.group import cli, given_vault_option, json_option
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
    fixed: str = ""  # the problems that --fix has fixed


@cli.command()
@given_vault_option
@json_option
@click.option("--fix", is_flag=True, help="Fix the problems that need no decision of yours.")
def doctor(vault: str | None, as_json: bool, fix: bool) -> None:
    """Check everything that zkmem needs, and say how to fix it.

    The exit code is 1 if there is a problem. --fix finishes or undoes an interrupted edit. It makes the file of tokens
    readable only for you. If the zkmem that a client starts is gone, the client gets this one.
    """
    from zkmem.cli.checks.table import CHECKS, WITH_SETTINGS, WITHOUT_VAULT  # noqa: PLC0415
    from zkmem.cli.checks.target import Target  # noqa: PLC0415 - 30 ms that no other command needs

    target = Target.of(vault)
    rows: list[Row] = []
    for name, check in CHECKS.items():
        if target.root is None and name not in WITHOUT_VAULT:
            continue
        failed = [row.check for row in rows if not row.ok]
        if name in WITH_SETTINGS and "settings" in failed:
            rows.append(Row(name, True, "not checked: the settings are wrong"))
        else:
            rows.append(row_of(name, check, target, fix=fix))
        if not as_json:
            _show(rows[-1])
    all_ok = all(row.ok for row in rows)
    if as_json:
        click.echo(json.dumps({"ok": all_ok, "checks": [row._asdict() for row in rows]}, ensure_ascii=False))
    sys.exit(0 if all_ok else 1)


def row_of(name: str, check: "Callable[[Target], str]", target: "Target", *, fix: bool) -> Row:
    """Return the result of a check. With `fix`, fix the problem and check again, until nothing more can be fixed."""
    from zkmem.cli.checks.target import Trouble  # noqa: PLC0415

    fixed: list[str] = []
    while True:
        try:
            return Row(name, True, check(target), fixed="; ".join(fixed))
        except Trouble as trouble:
            row = Row(name, False, trouble.problem, trouble.fix, "; ".join(fixed))
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
    click.echo(f"{'ok  ' if row.ok else 'FAIL'} {row.check}: {row.found}")
    if row.fixed:
        click.echo(f"     fixed: {row.fixed}")
    if row.fix:
        click.echo(f"     fix: {row.fix}")
