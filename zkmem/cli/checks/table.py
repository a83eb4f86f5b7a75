"""The table of checks, in their order. A new check needs one line here."""

from collections.abc import Callable

from zkmem.cli.checks import machine, vault
from zkmem.cli.checks.handshake import handshake
from zkmem.cli.checks.target import Target

CHECKS: dict[str, Callable[[Target], str]] = {
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
    "handshake": handshake,
}
"""Each check returns its finding, or raises Trouble."""

WITHOUT_VAULT = {"environment", "vault", "clients"}
"""The checks that need no vault."""

WITH_SETTINGS = {"reranker", "git", "hints", "skills", "handshake"}
"""The checks that need correct settings."""
