"""`zkmem doctor`: checks all that zkmem needs, and says how to fix what is wrong, or fixes it."""

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
    """What a check came to."""

    check: str
    ok: bool
    found: str
    fix: str = ""  # what the user can do
    fixed: str = ""  # what --fix has done


@cli.command()
@given_vault_option
@json_option
@click.option("--fix", is_flag=True, help="Fix what needs no decision of yours, and say what was done.")
def doctor(vault: str | None, as_json: bool, fix: bool) -> None:
    """Check all that zkmem needs, and say how to fix it.

    The exit code is 1 if anything is wrong. With --fix an interrupted edit is finished or taken back, a file of tokens
    that others can read is closed to them, and a client that starts a zkmem that is gone starts this one.
    """
    from zkmem.cli.checks.table import CHECKS, WITH_SETTINGS, WITHOUT_VAULT  # noqa: PLC0415
    from zkmem.cli.checks.target import Target  # noqa: PLC0415 - 30 ms that no other command needs

    place = Target.of(vault)
    rows: list[Row] = []
    for name, check in CHECKS.items():
        if place.root is None and name not in WITHOUT_VAULT:
            continue
        wrong = [row.check for row in rows if not row.ok]
        if name in WITH_SETTINGS and "settings" in wrong:
            rows.append(Row(name, True, "not checked: the settings are wrong"))
        else:
            rows.append(_row(name, check, place, fix=fix))
        if not as_json:
            _show(rows[-1])
    sound = all(row.ok for row in rows)
    if as_json:
        click.echo(json.dumps({"ok": sound, "checks": [row._asdict() for row in rows]}, ensure_ascii=False))
    sys.exit(0 if sound else 1)


def _row(name: str, check: "Callable[[Target], str]", place: "Target", *, fix: bool) -> Row:
    """Return what a check comes to; with `fix` it is made again as long as something could be fixed."""
    from zkmem.cli.checks.target import Trouble  # noqa: PLC0415

    done: list[str] = []
    while True:
        try:
            return Row(name, True, check(place), fixed="; ".join(done))
        except Trouble as trouble:
            row = Row(name, False, trouble.found, trouble.fix, "; ".join(done))
            if not fix or trouble.repair is None:
                return row
            try:
                sentence = trouble.repair()
            except (ZkError, OSError) as error:
                return row._replace(found=f"{row.found}; it could not be fixed: {error}")
        if sentence in done:  # it did not help
            return row
        done.append(sentence)


def _show(row: Row) -> None:
    click.echo(f"{'ok  ' if row.ok else 'FAIL'} {row.check}: {row.found}")
    if row.fixed:
        click.echo(f"     fixed: {row.fixed}")
    if row.fix:
        click.echo(f"     fix: {row.fix}")
