"""Settings: from flags, else the environment (`ZKMEM_MAX_CHARS`), else `.zkmem/config.toml`, else the default."""

import os
import tomllib
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from zkmem.errors import BadSettings

FILE = ".zkmem/config.toml"
_PREFIX = "ZKMEM_"
_RANGES = {
    "port": (0, 65_535),
    "max_body_mb": (1, 1_000),
    "max_sessions": (1, 100_000),
    "rate": (1, 100_000),
    "max_chars": (1_000, 10_000_000),
    "lock_timeout": (0, 3_600),
    "versions_days": (0, 36_500),
    "versions_mb": (0, 1_000_000),
}
_ADDRESSES = {"oauth_issuer", "oauth_resource", "llm_url"}
NOT_IN_FILE = ("host", "allow_hosts", "oauth_issuer", "oauth_resource")
"""Who can reach a server is decided by who starts it: a vault, and its file with it, may be somebody else's."""


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
    toolsets: tuple[str, ...] = ("zettel",)
    max_chars: int = 24_000
    hints_order: Literal["weight", "links", "pagerank"] = "weight"
    durability: Literal["full", "normal"] = "full"
    lock_timeout: int = 10
    versions_days: int = 30
    versions_mb: int = 200
    git: bool = False
    llm_url: str = ""
    llm_model: str = ""


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
    "hints_order": "what hints are ordered by: weight, number of links, or PageRank along the links reversed",
    "durability": "what an acknowledged edit survives: with `full` a power cut, with `normal` the end of the process",
    "lock_timeout": "how many seconds an edit waits for a process that does not get on",
    "versions_days": "how many days a text that was replaced is kept",
    "versions_mb": "how many megabytes of replaced texts are kept, compressed",
    "git": "whether each edit by a tool is committed to the git repository that the vault is in",
    "llm_url": "an OpenAI-compatible endpoint, for tools that ask a model; none, if empty",
    "llm_model": "the model to ask there",
}
"""What each setting is for, one line of Markdown each; docs/reference/settings.md is made from them."""


def load(vault: str, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings for a vault; flags that are None were not given.

    Raises:
        BadSettings: when a name is unknown or a value cannot be; the sentence says where it stands.
    """
    values: dict[str, object] = {}
    for name, value in _from_file(os.path.join(vault, FILE)).items():
        if name in NOT_IN_FILE:
            flag = "--" + name.removesuffix("s").replace("_", "-")
            raise BadSettings(
                f"{FILE}: {name} says who can reach the server, which a vault cannot: give {flag} or set "
                f"{_PREFIX}{name.upper()}, and take it out of the file."
            )
        values[name] = _checked(name, value, FILE)
    for name in Settings._fields:
        text = environ.get(_PREFIX + name.upper())
        if text is not None:
            values[name] = _checked(name, _parsed(name, text), _PREFIX + name.upper())
    for name, value in flags.items():
        if value is not None:
            values[name] = _checked(name, value, "--" + name.replace("_", "-"))
    return Settings(**values)  # type: ignore[arg-type]


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def llm_key(environ: Mapping[str, str] = os.environ) -> str:
    """The key for the endpoint: from the environment alone, since the vault's file may be shared.

    No other tool's key is taken: a vault that somebody else has set up must not have it sent to their endpoint.
    """
    return environ.get(_PREFIX + "LLM_KEY", "")


def _from_file(path: str) -> dict[str, object]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadSettings(f"{FILE} cannot be read: {error}. Mend it or remove it.") from error


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
        value = tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value
        if isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
            return tuple(value)
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


def allowed(name: str) -> str:
    """What a setting may be, in words."""
    kind = get_type_hints(Settings)[name]
    if get_origin(kind) is tuple:
        return "a list of one name or more"
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
    known = _from_file(os.path.join(vault, FILE))
    if name in known:
        if known[name] is not True:
            raise BadSettings(f"{FILE} says {name} = {str(known[name]).lower()}; change that line to {name} = true.")
        return False
    path = os.path.join(vault, FILE)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    before = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8", newline="") as file:
            before = file.read()
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:  # first: below a [table] it would be another
        file.write(f"{name} = true\n{before}")
    os.replace(path + ".new", path)
    return True
