"""Remember what the user has allowed each vault, in the user's configuration folder and never in the vault.

A vault is identified by its real path, so a copy of it is another vault. The user allows the exact values that were
shown. When a setting or the configuration of the git repository changes later, the user must allow it again. The user
must also allow a file of tokens again if a program other than `zkmem token` has changed it.
"""

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from zkmem.errors import BadSettings, Unwritable
from zkmem.util.replacing import replace_file

_FILE = "trust.json"
_T = TypeVar("_T")


class Trust(NamedTuple):
    """The permissions of one vault: values of settings, and fingerprints of everything else."""

    settings: Mapping[str, object] = {}
    git: str = ""  # the fingerprint of what its git repository asks for
    tokens: tuple[str, ...] = ()  # fingerprints of its file of tokens: one, or two while that file is replaced
    skills: bool = False  # whether notes may be skills, which instruct a model


class TokenTrust:
    """The contents of a vault's file of tokens that its user has allowed. Thread-safe."""

    def __init__(self, vault: str) -> None:
        """Remember the vault's real path; read nothing yet."""
        self._vault = vault
        self._path = os.path.join(folder(), _FILE)
        self._known: tuple[object, tuple[str, ...]] = None, ()  # the mark of the user's file, and its fingerprints

    def allows(self, fingerprint: str) -> bool:
        """Return whether the content with this fingerprint is allowed now.

        The user's file is read when it has changed. It is read for each refusal, too: a change within one tick of the
        clock may leave no mark.
        """
        stamp, known = _stamp(self._path), self._known
        if known[0] != stamp or fingerprint not in known[1]:
            self._known = known = stamp, trusted(self._vault).tokens
        return fingerprint in known[1]

    def allow(self, *fingerprints: str) -> None:
        """Allow these contents and no others; what else the vault was allowed stays as it is."""
        _change(self._vault, lambda known: (known or Trust())._replace(tokens=fingerprints))


def folder() -> str:
    """Return the path of the user's configuration folder for zkmem; it need not exist."""
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "zkmem")


def trusted(vault: str) -> Trust:
    """Return what the user has allowed the vault at this real path."""
    return everything().get(vault, Trust())


def everything() -> dict[str, Trust]:
    """Return what the user has allowed each vault, by real path."""
    return stored(_FILE, _read)


def stored(name: str, read: Callable[[Any], _T]) -> dict[str, _T]:
    """Return the values in a file of the user's configuration folder; none if there is no file. `read` parses each."""
    path = os.path.join(folder(), name)
    try:
        with open(path, "rb") as file:
            return {key: read(one) for key, one in json.load(file).items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as error:
        raise BadSettings(
            f"{path} cannot be read: {error}. Remove it, and use zkmem trust and zkmem adopt again."
        ) from error


def store(name: str, read: Callable[[Any], _T], change: Callable[[dict[str, _T]], Mapping[str, object]]) -> None:
    """Replace the values in a file of the user's configuration folder by the result of `change`, under a lock."""
    from filelock import FileLock  # noqa: PLC0415 - only a change needs it

    path = os.path.join(folder(), name)
    try:
        os.makedirs(folder(), mode=0o700, exist_ok=True)
        with FileLock(f"{path}.lock"):
            text = json.dumps(dict(sorted(change(stored(name, read)).items())), indent=1)
            replace_file(path, text.encode() + b"\n", mode=0o600)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror or error}. Nothing was changed.") from error


def allow(vault: str, trust: Trust) -> None:
    """Remember what the vault at this real path may do; this replaces what it was allowed before."""
    _change(vault, lambda _: trust)


def forget(vault: str) -> bool:
    """Forget what the vault at this real path was allowed; return whether it was allowed anything."""
    return _change(vault, lambda _: None) is not None


def _stamp(path: str) -> object:
    """Return values that differ when the user's file at this path has changed; None if there is no file."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _read(one: Mapping[str, Any]) -> Trust:
    """Return what a vault was allowed, from its JSON. Files of older versions have no tokens, and no skills."""
    tokens = tuple(map(str, one.get("tokens", ())))
    return Trust(dict(one["settings"]), str(one["git"]), tokens, one.get("skills") is True)


def _change(vault: str, change: Callable[[Trust | None], Trust | None]) -> Trust | None:
    """Replace what a vault is allowed; return what it was allowed before."""
    before: Trust | None = None

    def changed(vaults: dict[str, Trust]) -> dict[str, object]:
        nonlocal before
        before = vaults.pop(vault, None)
        if (trust := change(before)) and any(trust):
            vaults[vault] = trust
        return {key: one._asdict() for key, one in vaults.items()}

    store(_FILE, _read, changed)
    return before
