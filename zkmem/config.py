"""Settings, from six places.

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
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from zkmem.errors import BadSettings
from zkmem.trust import folder, trusted

FILE = ".zkmem/config.toml"
_VAULTS = "vaults"
_PREFIX = "ZKMEM_"
_MOST = 1_000_000  # bytes of the file
_RANGES = {
    "port": (0, 65_535),
    "max_body_mb": (1, 1_000),
    "max_sessions": (1, 100_000),
    "rate": (1, 100_000),
    "max_chars": (1_000, 10_000_000),
    "max_note_mb": (1, 1_000),
    "lock_timeout": (0, 3_600),
    "versions_days": (0, 36_500),
    "versions_mb": (0, 1_000_000),
    "search_limit": (1, 100),
}
_PATTERNS = {"suggestions_skip": (100, 200)}  # the most patterns, and the most characters of each
_ADDRESSES = {"oauth_issuer", "oauth_resource", "llm_url"}
_Toolset = Literal["zettel", "kg", "think", "mirix", "text", "history"]
NOT_IN_FILE = ("host", "allow_hosts", "oauth_issuer", "oauth_resource")
"""The person who starts a server decides who can reach it: a vault's file never does."""

REACHING = ("toolsets", "git", "llm_url", "llm_model")
"""A vault could send notes away or start programs with these: in its file they need the user's permission."""


class Settings(NamedTuple):
    """What can be set; `MEANINGS` says what each is for."""

    host: str = "127.0.0.1"
    port: int = 13809
    allow_hosts: tuple[str, ...] = ()
    oauth_issuer: str = ""
    oauth_resource: str = ""
    max_body_mb: int = 4
    max_sessions: int = 1_000
    rate: int = 50
    toolsets: tuple[_Toolset, ...] = ("zettel",)
    max_chars: int = 24_000
    max_note_mb: int = 16
    hints_order: Literal["weight", "links", "pagerank", "balanced"] = "weight"
    suggestions_skip: tuple[str, ...] = ("*.excalidraw.md",)
    durability: Literal["full", "normal"] = "full"
    lock_timeout: int = 10
    versions_days: int = 30
    versions_mb: int = 200
    git: bool = False
    llm_url: str = ""
    llm_model: str = ""
    auto_categorize: bool = True
    default_memory_type: Literal["core", "episodic", "semantic", "procedural", "resource", "knowledge_vault"] = (
        "semantic"
    )
    search_limit: int = 10


MEANINGS = {
    "host": "the address to serve on over HTTP",
    "port": "the port of `--mode http`; 0 takes a free one",
    "allow_hosts": "names by which others may call the server",
    "oauth_issuer": "whose tokens let callers in, besides those of `zkmem token add`",
    "oauth_resource": "the address of the MCP endpoint, which the issuer's tokens must be for",
    "max_body_mb": "the largest request over HTTP, in megabytes",
    "max_sessions": "how many MCP sessions may be open at once over HTTP",
    "rate": "how many requests a second one caller may make, where callers need a token",
    "toolsets": "the toolsets that are served",
    "max_chars": "how much `get_content` returns at most, in characters; `zkmem get` is not bounded",
    "max_note_mb": "the largest note that is indexed, searched and edited, in megabytes; `check` names larger ones, "
    "which can be read in parts, moved and deleted",
    "hints_order": "what hints are ordered by: weight, number of links, PageRank along the links reversed, or "
    "`balanced`: the weight, but at most one more than the links and at least half of them",
    "suggestions_skip": "patterns of notes that are never suggested: `*` matches any characters; a pattern with "
    "a `/` is compared with the path (`logs/*`), any other with the file's name",
    "durability": "what an acknowledged edit survives: with `full` a power cut, with `normal` the end of the process",
    "lock_timeout": "how many seconds an edit waits for a process that does not get on",
    "versions_days": "how many days a text that was replaced is kept",
    "versions_mb": "how many megabytes of replaced texts are kept, compressed",
    "git": "whether each edit by a tool is committed to the git repository that the vault is in",
    "llm_url": "an OpenAI-compatible endpoint, for tools that ask a model; none, if empty",
    "llm_model": "the model to ask there",
    "auto_categorize": "whether a model chooses the type of a new memory that has none (toolset mirix)",
    "default_memory_type": "the type of a new memory if neither the caller nor a model chooses one (toolset mirix)",
    "search_limit": "how many memories `memory_search` returns if the caller gives no number (toolset mirix)",
}
"""What each setting is for, one line of Markdown each; docs/reference/settings.md is made from them."""


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
    checked = _all_checked(values, FILE)
    return {
        name: value
        for name, value in values.items()
        if name in REACHING and checked[name] != Settings._field_defaults[name]
    }


def _split(vault: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return the settings in the vault's file that count, and those that do not. A wrong value is refused in both."""
    count: dict[str, object] = {}
    vain: dict[str, object] = {}
    values, allowed_here = _of_vault(vault), trusted(vault).settings
    for name, value in _all_checked(values, FILE).items():
        waits = name in REACHING and not _is_one(values[name], allowed_here.get(name))
        (vain if waits or name in NOT_IN_FILE else count)[name] = value
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
            own[name] = _checked(name, _parsed(name, text), _PREFIX + name.upper())
    for name, value in flags.items():
        if value is not None:
            own[name] = _checked(name, value, "--" + name.replace("_", "-"))
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
    return {name: _checked(name, value, where) for name, value in values.items()}


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


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


def _parsed(name: str, text: str) -> object:
    kind = get_type_hints(Settings).get(name)
    if kind is int and text.strip().lstrip("-").isdigit():
        return int(text)
    if kind is bool and text.lower() in {"1", "true", "yes", "0", "false", "no"}:
        return text.lower() in {"1", "true", "yes"}
    return text


def _checked(name: str, value: object, where: str) -> object:
    """The value of a setting, if it can have it."""
    kind = get_type_hints(Settings).get(name)
    if kind is None:
        raise BadSettings(f"{where}: there is no setting {name!r}; there are: {', '.join(Settings._fields)}.")
    if get_origin(kind) is tuple:  # in TOML a list; in a flag or the environment one text
        parts = _parts(name, value)
        if parts is not None:
            return parts
    elif get_origin(kind) is Literal:
        if value in get_args(kind):
            return value
    elif kind is str:
        if isinstance(value, str) and (name not in _ADDRESSES or not value or _is_address(value)):
            return value
    elif kind is bool:
        if type(value) is bool:
            return value
    else:
        least, most = _RANGES[name]
        if type(value) is int and least <= value <= most:
            return value
    raise BadSettings(f"{where}: {name} must be {allowed(name)}, not {value!r}.")


def _parts(name: str, value: object) -> tuple[str, ...] | None:
    """Return the value of a setting that is a list; None if it cannot have it."""
    value = tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        return None
    if name not in _PATTERNS:
        names = _names(name)
        return tuple(value) if value and (not names or set(value) <= set(names)) else None
    most, longest = _PATTERNS[name]
    fits = len(value) <= most and all(len(part) <= longest for part in value)
    return tuple(filter(None, value)) if fits else None


def _names(name: str) -> tuple[str, ...]:
    """Return the names that may be in the list of a setting; none if any may be."""
    return get_args(get_args(get_type_hints(Settings)[name])[0])


def allowed(name: str) -> str:
    """What a setting may be, in words."""
    kind = get_type_hints(Settings)[name]
    if name in _PATTERNS:
        return "a list of at most {} patterns of at most {} characters".format(*_PATTERNS[name])
    if get_origin(kind) is tuple:
        return "a list of one name or more" + f" of {', '.join(_names(name))}" * bool(_names(name))
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(get_args(kind))
    if kind is str:
        return "an address that begins with http:// or https://" if name in _ADDRESSES else "a text"
    if kind is bool:
        return "true or false"
    least, most = _RANGES[name]
    return f"a whole number from {least} to {most}"


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
