"""Read the settings from their six places.

The first place that has a setting decides:

1. the command's option;
2. the environment (`ZKMEM_MAX_CHARS`);
3. the table for this vault (`[vaults."/home/ann/notes"]`) in the user's own file, `~/.config/zkmem/config.toml`;
4. the vault's file, `.zkmem/config.toml`; some settings there have no effect, since a vault may be somebody else's;
5. the rest of the user's own file;
6. the default.
"""

import json
import os
import stat
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from zkmem.errors import BadSettings
from zkmem.settings import Settings, about, checked, parsed
from zkmem.trust import folder, trusted
from zkmem.util.portable import opened
from zkmem.util.replacing import replace_file

FILE = ".zkmem/config.toml"
_VAULTS = "vaults"
_PREFIX = "ZKMEM_"
_MOST = 1_000_000  # bytes of a file with settings


def load(vault: str, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings for the vault at a real path. A flag that is None was not given.

    Raises:
        BadSettings: when a name is unknown or a value is not allowed; the message names the place.
    """
    general, own = _of_user(vault, flags, environ)
    return Settings(**(general | _split(vault)[0] | own))  # type: ignore[arg-type]


def of_server(flags: Mapping[str, object], environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of a server with several vaults: those that its user sets for all vaults.

    Raises:
        BadSettings: as `load`.
    """
    general, own = _of_user("", flags, environ)
    return Settings(**(general | own))  # type: ignore[arg-type]


def without_effect(
    vault: str, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ
) -> dict[str, object]:
    """Return the settings in the vault's file that are ignored: forbidden there, or not allowed by the user.

    Leave out a setting that the user sets for this vault, and one whose value is in effect anyway.

    Raises:
        BadSettings: as `load`.
    """
    general, own = _of_user(vault, flags, environ)
    return {
        name: value
        for name, value in _split(vault)[1].items()
        if name not in own and value not in (Settings._field_defaults[name], general.get(name))
    }


def needing_trust(vault: str) -> dict[str, object]:
    """Return the settings in the vault's file that need the user's permission, whether or not it was given.

    Leave out settings with their default value.

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
    """Return the settings in the vault's file that are in effect, and the ignored ones. Check the values of both."""
    effective: dict[str, object] = {}
    ignored: dict[str, object] = {}
    values, allowed_here = _of_vault(vault), trusted(vault).settings
    for name, value in _all_checked(values, FILE).items():
        permission = about(name).in_vault_file
        allowed = permission == "yes" or (permission != "never" and _is_same(values[name], allowed_here.get(name)))
        (effective if allowed else ignored)[name] = value
    return effective, ignored


def _of_vault(vault: str) -> dict[str, Any]:
    """Return the settings in the vault's file, without checking them."""
    return _from_file(os.path.join(vault, FILE), FILE, opened)


def _is_same(value: object, other: object) -> bool:
    """Return whether two values from files are the same; `true` differs from 1."""
    return json.dumps(value, default=str) == json.dumps(other, default=str)


def user_file(environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of the user's own file."""
    return os.path.join(folder(environ), "config.toml")


def _of_user(
    vault: str, flags: Mapping[str, object], environ: Mapping[str, str]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the user's settings for every vault, and for this one: from their file, the environment and the flags."""
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
    """Return the settings in the user's own file for every vault, and for this one."""
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
    """Return the key for the endpoint at `llm_url`. Only the environment can set it, since a file may be shared.

    zkmem sends the key to no other address. A vault's file can set `llm_url` only to an address that the user has
    allowed. zkmem does not read the keys of other programs.
    """
    return environ.get(_PREFIX + "LLM_KEY", "")


def _from_file(path: str, shown: str, opener: Callable[[str, int], int] | None = None) -> dict[str, Any]:
    """Return the settings in a file, without checking them; `shown` is the name of the file in an error."""
    try:
        with open(path, "rb", opener=opener) as file:
            if opener and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSettings(f"{shown} is not a regular file. Correct or remove it.")
            text = file.read(_MOST + 1).decode()
        if len(text) > _MOST:
            raise BadSettings(f"{shown} is larger than a megabyte, too large for settings. Correct or remove it.")
        return tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadSettings(f"{shown} cannot be read: {error}. Correct or remove it.") from error
    except RecursionError as error:
        raise BadSettings(f"{shown} has too many brackets in each other. Correct or remove it.") from error


def turn_on(vault: str, name: str) -> bool:
    """Set a setting to true in the vault's file and keep the other lines. Return whether the file has changed.

    Raises:
        BadSettings: when the file cannot be read, or sets it to false.
    """
    values = _of_vault(vault)
    if name in values:
        if values[name] is not True:
            raise BadSettings(f"{FILE} says {name} = {str(values[name]).lower()}; change that line to {name} = true.")
        return False
    path = os.path.join(vault, FILE)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    before = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8", newline="", opener=opened) as file:
            before = file.read()
    # at the top: below a [table] it would belong to the table
    replace_file(path, f"{name} = true\n{before}".encode(), like=path, opener=opened)
    return True
