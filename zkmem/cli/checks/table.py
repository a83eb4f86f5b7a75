"""The checks, in the order in which they are made: adding one is one line."""

from collections.abc import Callable

from zkmem.cli.checks import machine, vault
from zkmem.cli.checks.handshake import handshake
from zkmem.cli.checks.target import Target

CHECKS: dict[str, Callable[[Target], str]] = {
    "environment": machine.environment,
    "vault": vault.vault,
    "settings": vault.settings,
    "file system": vault.file_system,
    "lock": vault.lock,
    "journal": vault.journal,
    "tokens": vault.tokens,
    "watcher": machine.watcher,
    "git": vault.git,
    "cache": machine.cache,
    "hints": vault.hints,
    "clients": machine.clients,
    "handshake": handshake,
}
"""Each says what it found, or raises Trouble."""

WITHOUT_VAULT = {"environment", "vault", "clients"}
"""Those that can be made where there is no vault."""

WITH_SETTINGS = {"git", "hints", "handshake"}
"""Those that are not made where the settings are wrong."""
