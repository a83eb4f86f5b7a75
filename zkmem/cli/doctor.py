"""`zkmem doctor`: looks at all that zkmem needs, and says how to mend what is not as it should be."""

import json
import sys
from typing import NamedTuple

import click

from zkmem.cli.group import cli, given_vault_option, json_option


class Row(NamedTuple):
    """What a check came to."""

    check: str
    ok: bool
    found: str
    mend: str = ""


@cli.command()
@given_vault_option
@json_option
def doctor(vault: str | None, as_json: bool) -> None:
    """Check all that zkmem needs, and say how to fix it.

    The exit code is 1 if anything is wrong.
    """
    from zkmem.cli.checks.table import CHECKS, WITH_SETTINGS, WITHOUT_VAULT  # noqa: PLC0415
    from zkmem.cli.checks.target import Target, Trouble  # noqa: PLC0415 - 30 ms that no other command needs

    place = Target.of(vault)
    rows: list[Row] = []
    for name, check in CHECKS.items():
        if place.root is None and name not in WITHOUT_VAULT:
            continue
        wrong = [row.check for row in rows if not row.ok]
        skipped = name in WITH_SETTINGS and "settings" in wrong
        try:
            rows.append(Row(name, True, "not checked: the settings are wrong" if skipped else check(place)))
        except Trouble as trouble:
            rows.append(Row(name, False, trouble.found, trouble.mend))
        if not as_json:
            _show(rows[-1])
    sound = all(row.ok for row in rows)
    if as_json:
        click.echo(json.dumps({"ok": sound, "checks": [row._asdict() for row in rows]}, ensure_ascii=False))
    sys.exit(0 if sound else 1)


def _show(row: Row) -> None:
    click.echo(f"{'ok     ' if row.ok else 'TROUBLE'} {row.check}: {row.found}")
    if row.mend:
        click.echo(f"        to mend: {row.mend}")
