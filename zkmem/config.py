"""Where settings come from: six places.

The first place that has a setting decides:

1. the command's option;
2. the environment (`ZKMEM_MAX_CHARS`);
3. the user's own file, `~/.config/zkmem/config.toml`: its table for this vault (`[vaults."/home/ann/notes"]`);
4. the vault's file, `.zkmem/config.toml`; some settings there have no effect, since a vault may be somebody else's;
5. the user's own file, outside of such tables;
6. the default.
"""

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from zkmem.errors import BadSettings
from zkmem.settings import Settings, about, checked, parsed
from zkmem.trust import folder, trusted

FILE = ".zkmem/config.toml"
_VAULTS = "vaults"
_PREFIX = "ZKMEM_"
_MOST = 1_000_000  # bytes of the file


def load(vault: str, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings for the vault at this real path; flags that are None were not given.

    Raises:
        BadSettings: when a name is unknown or a value is wrong; the message says in which place.
    """
    general, own = _of_user(vault, flags, environ)
    return Settings(**(general | _split(vault)[0] | own))  # type: ignore[arg-type]


def without_effect(
    vault: str, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ
) -> dict[str, object]:
    """Return the settings in the vault's file that would have effect, but are forbidden there or not allowed.

    Those that the user sets for this vault are left out, and those whose value is in effect anyway.

    Raises:
        BadSettings: as `load`.
    """
    general, own = _of_user(vault, flags, environ)
    return {
        name: value
        for name, value in _split(vault)[1].items()
        if name not in own and value not in (Settings._field_defaults[name], general.get(name))
    }


def asked(vault: str) -> dict[str, object]:
    """Return the settings in the vault's file that the user has to allow, allowed or not; not those at their default.

    Raises:
        BadSettings: when the file cannot be read, or anything in it is wrong.
    """
    values = _of_vault(vault)
    sound = _all_checked(values, FILE)
    return {
        name: value
        for name, value in values.items()
        if about(name).in_vault_file == "after `zkmem trust`" and sound[name] != Settings._field_defaults[name]
    }


def _split(vault: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return the settings in the vault's file that count, and those that do not. A wrong value is refused in both."""
    count: dict[str, object] = {}
    vain: dict[str, object] = {}
    values, allowed_here = _of_vault(vault), trusted(vault).settings
    for name, value in _all_checked(values, FILE).items():
        counts = about(name).in_vault_file
        allowed = counts == "yes" or (counts != "never" and _is_one(values[name], allowed_here.get(name)))
        (count if allowed else vain)[name] = value
    return count, vain


def _of_vault(vault: str) -> dict[str, Any]:
    """Return what the vault's file sets, unchecked."""
    return _from_file(os.path.join(vault, FILE), FILE, _opened)


def _is_one(value: object, other: object) -> bool:
    """Return whether two values from files are the same: `true` is not 1."""
    return json.dumps(value, default=str) == json.dumps(other, default=str)


def user_file(environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of the user's own file."""
    return os.path.join(folder(environ), "config.toml")


def _of_user(
    vault: str, flags: Mapping[str, object], environ: Mapping[str, str]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return what the user sets for every vault, and what for this one: in their file, the environment, by flags."""
    general, own = _of_user_file(vault, environ)
    for name in Settings._fields:
        text = environ.get(_PREFIX + name.upper())
        if text is not None:
            own[name] = checked(name, parsed(name, text), _PREFIX + name.upper())
    for name, value in flags.items():
        if value is not None:
            own[name] = checked(name, value, "--" + name.replace("_", "-"))
    return general, own


def _of_user_file(vault: str, environ: Mapping[str, str]) -> tuple[dict[str, object], dict[str, object]]:
    """Return what the user's own file sets for every vault, and what it sets for this one."""
    path = user_file(environ)
    general = _from_file(path, path)
    vaults = general.pop(_VAULTS, {})
    if not isinstance(vaults, dict) or not all(isinstance(table, dict) for table in vaults.values()):
        raise BadSettings(f'{path}: {_VAULTS} must hold tables named by paths, as in [{_VAULTS}."/home/ann/notes"].')
    for_vault: dict[str, object] = {}
    for name, table in vaults.items():
        if os.path.realpath(os.path.expanduser(name)) == vault:
            for_vault |= table
    return _all_checked(general, path), _all_checked(for_vault, path)


def _all_checked(values: Mapping[str, object], where: str) -> dict[str, object]:
    return {name: checked(name, value, where) for name, value in values.items()}


def llm_key(environ: Mapping[str, str] = os.environ) -> str:
    """Return the key for the endpoint: from the environment alone, since a file may be shared.

    It is sent to `llm_url`. A vault's file can set that only to an address that the user has allowed. zkmem takes no
    other tool's key.
    """
    return environ.get(_PREFIX + "LLM_KEY", "")


def _opened(path: str, flags: int) -> int:
    """Open a file of the vault, unless it is a symbolic link, which may lead anywhere."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def _from_file(path: str, shown: str, opener: Callable[[str, int], int] | None = None) -> dict[str, Any]:
    """Return what a file sets; `shown` is what it is the file's name in an error."""
    try:
        with open(path, "rb", opener=opener) as file:
            text = file.read(_MOST + 1).decode()
        if len(text) > _MOST:
            raise BadSettings(f"{shown} is larger than a megabyte, which no settings take. Mend it or remove it.")
        return tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadSettings(f"{shown} cannot be read: {error}. Mend it or remove it.") from error


def turn_on(vault: str, name: str) -> bool:
    """Set a setting to true in the vault's file, whose other lines stay as they are; returns whether it was not so.

    Raises:
        BadSettings: when the file cannot be read, or says that it is false.
    """
    known = _of_vault(vault)
    if name in known:
        if known[name] is not True:
            raise BadSettings(f"{FILE} says {name} = {str(known[name]).lower()}; change that line to {name} = true.")
        return False
    path = os.path.join(vault, FILE)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    before = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8", newline="", opener=_opened) as file:
            before = file.read()
    with open(path + ".new", "w", encoding="utf-8", newline="", opener=_opened) as file:
        # at the top: below a [table] it would belong to the table
        file.write(f"{name} = true\n{before}")
    os.replace(path + ".new", path)
    return True
