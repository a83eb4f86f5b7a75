"""The table of checks, in their order, and their results. A new check needs one line here."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from zkmem.cli.checks import machine, vault
from zkmem.cli.checks.target import CheckedVault, Trouble, Warned
from zkmem.errors import ZkError

CHECKS: dict[str, Callable[[CheckedVault], str]] = {
    "environment": machine.environment,
    "vault": vault.vault,
    "settings": vault.settings,
    "reranker": vault.reranker,
    "file system": vault.file_system,
    "lock": vault.lock,
    "journal": vault.journal,
    "tokens": vault.tokens,
    "watcher": machine.watcher,
    "git": vault.git,
    "sync": vault.sync,
    "cache": machine.cache,
    "hints": vault.hints,
    "skills": vault.skills,
    "clients": machine.clients,
    "handshake": vault.handshake,
}
"""The checks by name. Each one returns its finding, or raises Trouble."""

WITHOUT_VAULT = {"environment", "vault", "clients"}
"""The checks that need no vault."""

WITH_SETTINGS = {"reranker", "git", "hints", "skills", "handshake"}
"""The checks that need correct settings."""


class CheckResult(NamedTuple):
    """The result of a check."""

    check: str
    ok: bool
    found: str
    fix: str = ""  # an instruction for the user
    warning: bool = False  # whether everything works, but the user may want to change something
    fixed: str = ""  # the problems that --fix has fixed


def of_machine(target: CheckedVault, *, fix: bool) -> Iterator[CheckResult]:
    """Yield the results of the checks on this machine."""
    are_settings_wrong = False
    for name, check in CHECKS.items():
        if target.root is None and name not in WITHOUT_VAULT:
            continue
        if name in WITH_SETTINGS and are_settings_wrong:
            yield CheckResult(name, True, "not checked: the settings are wrong")
            continue
        row = result_of(name, check, target, fix=fix)
        are_settings_wrong |= name == "settings" and not row.ok and not target.has_settings
        yield row


def of_public(address: str, target: CheckedVault) -> Iterator[CheckResult]:
    """Yield the results of a client's steps at the public address, up to the first one that fails."""
    from zkmem.cli.checks.public import play  # noqa: PLC0415 - the other checks send no requests

    name = "vault"
    if target.root is None:
        yield CheckResult(name, False, target.fault, "give the vault that the server serves: --vault DIR")
        return
    try:
        with play(address, target) as client:
            for name, step in client.steps().items():
                yield CheckResult(name, True, step())
    except Trouble as trouble:
        yield CheckResult(name, False, trouble.problem, trouble.fix)


def result_of(name: str, check: Callable[[CheckedVault], str], target: CheckedVault, *, fix: bool) -> CheckResult:
    """Return the result of a check. With `fix`, fix the problem and check again, until nothing more can be fixed."""
    fixed: list[str] = []
    while True:
        try:
            return CheckResult(name, True, check(target), fixed="; ".join(fixed))
        except Trouble as trouble:
            is_warning = isinstance(trouble, Warned)
            row = CheckResult(name, is_warning, trouble.problem, trouble.fix, is_warning, "; ".join(fixed))
            if not fix or trouble.repair is None:
                return row
            try:
                sentence = trouble.repair()
            except (ZkError, OSError) as error:
                return row._replace(found=f"{row.found}; it could not be fixed: {error}")
        if sentence in fixed:  # the repair did not help
            return row
        fixed.append(sentence)
