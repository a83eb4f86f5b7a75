"""Read the settings from their six places.

The first place that has a setting decides:

1. the command's option;
2. the environment (`ZKMEM_MAX_CHARS`);
3. the table for this vault (`[vaults."/home/ann/notes"]`) in the user's own file, `~/.config/zkmem/config.toml`;
4. the vault's file, `.zkmem/config.toml`;
5. the rest of the user's own file;
6. the default.

A vault may be somebody else's. So some settings in its file have no effect, and nothing in it is an error: settings
that cannot be used are left out, and `faults` returns sentences about them.
"""

import json
import os
import stat
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from zkmem.errors import BadName, BadSettings
from zkmem.names import check_path
from zkmem.settings import Settings, about, checked, lowers, parsed
from zkmem.trust import folder, trusted
from zkmem.util.portable import opened
from zkmem.util.spelling import number_of

FILE = ".zkmem/config.toml"
VAULTS = "vaults"
_PREFIX = "ZKMEM_"
_MOST = 1_000_000  # bytes of a file with settings
_MOST_DOTS = 1_000  # in a vault's file: the time to read a key grows as the square of the dots in it
_MOST_FAULTS = 3
_MOST_QUOTED = 200  # characters of a reason


class _InVault(NamedTuple):
    """The content of a vault's file."""

    values: dict[str, Any]  # as they are in the file
    sound: dict[str, object]  # the valid ones, as `checked` returns them
    faults: tuple[str, ...] = ()  # a sentence for each of the others, or about the file


def load(vault: str, flags: Mapping[str, object]) -> Settings:
    """Return the settings for the vault at a real path, or for all vaults ("").

    A flag that is None was not given.
    """
    return Settings(**{name: value for _, values in _places(vault, flags) for name, value in values.items()})


def sources(vault: str) -> dict[str, tuple[object, str]]:
    """Return the value of each setting, and where it comes from. `vault`: a real path, or "" for none."""
    places = _places(vault, {})
    return {name: (value, place or variable(name)) for place, values in places for name, value in values.items()}


def _places(vault: str, flags: Mapping[str, object]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the name of each place, "" for the environment, and the settings there. Later places have priority."""
    path = user_file()
    general, for_vault = _of_user_file(vault)
    variables = {name: os.environ[variable(name)] for name in Settings._fields if variable(name) in os.environ}
    given_flags = {name: value for name, value in flags.items() if value is not None}
    return [
        ("default", Settings._field_defaults),
        (path, general),
        (FILE, _split(vault, general)[0] if vault else {}),
        (f"{path}, for this vault", for_vault),
        ("", {name: value_of(name, text, variable(name)) for name, text in variables.items()}),
        ("option", {name: _checked(name, value, "--" + name.replace("_", "-")) for name, value in given_flags.items()}),
    ]


def variable(name: str) -> str:
    """Return the variable of the environment for a setting."""
    return _PREFIX + name.upper()


def value_of(name: str, text: str, where: str) -> object:
    """Return the value of a setting from a text in the environment or the command line; an error names `where`."""
    return _checked(name, parsed(name, text), where)


def without_effect(vault: str, flags: Mapping[str, object]) -> dict[str, object]:
    """Return the settings in the vault's file that are ignored: forbidden there, or not allowed by the user.

    Leave out a setting that the user sets for this vault, and one whose value is in effect anyway.
    """
    _, (_, general), _, *places = _places(vault, flags)
    own = {name for _, values in places for name in values}
    return {
        name: value
        for name, value in _split(vault, general)[1].items()
        if name not in own and (_can_raise(name) or value not in (Settings._field_defaults[name], general.get(name)))
    }


def faults(vault: str) -> list[str]:
    """Return sentences about the settings in the vault's file that cannot be used, and are left out."""
    all_faults = _of_vault(vault).faults
    more = len(all_faults) - _MOST_FAULTS
    return [*all_faults[:_MOST_FAULTS], *([f"{FILE}: {number_of(more, 'more setting')}."] if more > 0 else [])]


def needing_trust(vault: str) -> dict[str, object]:
    """Return the settings in the vault's file that need the user's permission, whether or not it was given.

    Leave out settings with their default value, and those that cannot be used.
    """
    content, general = _of_vault(vault), _of_user_file(vault)[0]
    return {name: content.values[name] for name, value in content.sound.items() if _needs_trust(name, value, general)}


def _needs_trust(name: str, value: object, general: Mapping[str, object]) -> bool:
    """Return whether a value in the vault's file needs permission. `general`: the user's settings for all vaults."""
    default = Settings._field_defaults[name]
    if _can_raise(name):
        return lowers(name, value, general.get(name, default))
    return about(name).in_vault_file == "after `zkmem trust`" and value != default


def _can_raise(name: str) -> bool:
    return about(name).in_vault_file.startswith("to raise it")


def _split(vault: str, general: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Return the settings in the vault's file that are in effect, and the ignored ones.

    `general`: the user's settings for all vaults.
    """
    effective: dict[str, object] = {}
    ignored: dict[str, object] = {}
    content, allowed_here = _of_vault(vault), trusted(vault).settings
    for name, value in content.sound.items():
        permission = about(name).in_vault_file
        free = permission == "yes" or (_can_raise(name) and not _needs_trust(name, value, general))
        allowed = free or (permission != "never" and _is_same(content.values[name], allowed_here.get(name)))
        (effective if allowed else ignored)[name] = value
    return effective, ignored


def _of_vault(vault: str) -> _InVault:
    """Return the content of the vault's file, whatever somebody has written there."""
    try:
        values = in_vault_file(vault)
    except BadSettings as error:
        return _InVault({}, {}, (str(error),))
    sound: dict[str, object] = {}
    wrong = list[str]()
    for name, value in values.items():
        try:
            sound[name] = _checked(name, value, FILE)
        except BadSettings as error:
            wrong.append(str(error))
    return _InVault(values, sound, tuple(wrong))


def in_vault_file(vault: str) -> dict[str, Any]:
    """Return the settings in the vault's file, without checking them."""
    return _from_text(text_of_vault(vault), FILE)


def text_of_vault(vault: str) -> str:
    """Return the text of the vault's file; "" if there is none."""
    return _text(os.path.join(vault, FILE), FILE, opened, _MOST_DOTS)


def text_of_user() -> str:
    """Return the text of the user's own file; "" if there is none."""
    return _text(user_file(), user_file())


def _is_same(value: object, other: object) -> bool:
    """Return whether two values from files are the same; `true` differs from 1."""
    return json.dumps(value, default=str) == json.dumps(other, default=str)


def user_file() -> str:
    """Return the path of the user's own file."""
    return os.path.join(folder(), "config.toml")


def _of_user_file(vault: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return the settings in the user's own file for every vault, and for this one."""
    path = user_file()
    general = _from_text(text_of_user(), path)
    vaults = general.pop(VAULTS, {})
    if not isinstance(vaults, dict) or not all(isinstance(table, dict) for table in vaults.values()):
        raise BadSettings(f'{path}: {VAULTS} must hold tables named by paths, as in [{VAULTS}."/home/ann/notes"].')
    for_vault: dict[str, object] = {}
    for name, table in vaults.items():
        if is_of_vault(name, vault):
            for_vault |= table
    return _all_checked(general, path), _all_checked(for_vault, path)


def is_of_vault(name: str, vault: str) -> bool:
    """Return whether a table with this name in the user's own file is for the vault at this real path."""
    return os.path.realpath(os.path.expanduser(name)) == vault


def _all_checked(values: Mapping[str, object], where: str) -> dict[str, object]:
    return {name: _checked(name, value, where) for name, value in values.items()}


def _checked(name: str, value: object, where: str) -> object:
    """Return the value of a setting as `checked` does; check the path of a folder, too."""
    value = checked(name, value, where)
    if about(name).folder:
        try:
            check_path(str(value).strip("/"))
        except BadName as error:
            raise BadSettings(f"{where}: {name} must be a folder that notes can be in: {error}") from error
    return value


def llm_key() -> str:
    """Return the key for the endpoint at `llm_url`. Only the environment can set it, since a file may be shared.

    zkmem sends the key to no other address. A vault's file can set `llm_url` only to an address that the user has
    allowed. zkmem does not read the keys of other programs.
    """
    return os.environ.get(_PREFIX + "LLM_KEY", "")


def _text(path: str, shown: str, opener: Callable[[str, int], int] | None = None, most_dots: int = _MOST) -> str:
    """Return the text of a file with settings, "" if there is no file. An error names the file as `shown`."""
    try:
        with open(path, "rb", opener=opener) as file:
            if opener and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSettings(f"{shown} is not a regular file. Correct or remove it.")
            data = file.read(_MOST + 1)
        if len(data) > _MOST or data.count(b".") > most_dots:
            raise BadSettings(f"{shown} is too long, or has too many dots, for settings. Correct or remove it.")
        return data.decode()
    except FileNotFoundError:
        return ""
    except (ValueError, OSError) as error:
        raise BadSettings(f"{shown} cannot be read: {str(error)[:_MOST_QUOTED]}. Correct or remove it.") from error


def _from_text(text: str, shown: str) -> dict[str, Any]:
    """Return the settings in the text of a file, without checking them."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also raised for a number of very many digits
        raise BadSettings(f"{shown} cannot be read: {str(error)[:_MOST_QUOTED]}. Correct or remove it.") from error
    except RecursionError as error:
        raise BadSettings(f"{shown} has too many brackets in each other. Correct or remove it.") from error
