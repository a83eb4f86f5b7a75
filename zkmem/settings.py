"""The settings: one row for each, with its type, its default, its bounds and what it is for.

`zkmem.config` reads them from files, the environment and options.
"""

import functools
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from zkmem.errors import BadSettings

InVaultFile = Literal["yes", "to raise it, else after `zkmem trust`", "after `zkmem trust`", "never"]
_TO_RAISE: InVaultFile = "to raise it, else after `zkmem trust`"

_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_SHOWN, _SHOWN_PARTS = 100, 10  # characters of a wrong value in an error, and parts of a list


class ToolsetRow(NamedTuple):
    """What must be known of a toolset before it is imported."""

    module: str  # defines its `TOOLSET`
    reading: str  # the tools that read, as a hook names them to a model
    writing: str = ""  # the tools that write, as a hook names them
    of_a_folder: bool = False  # whether it can work on one folder of a vault; others answer from all notes


TOOLSET_ROWS = {
    "zettel": ToolsetRow("zkmem.toolsets.zettel", "get_content, from the note hint on", "set_content", True),
    "kg": ToolsetRow("zkmem.toolsets.kg.tools", "search_nodes, open_nodes", "create_entities, add_observations"),
    "think": ToolsetRow("zkmem.toolsets.think.tools", "searchMemory", "addRawMemory, writeRaw"),
    "mirix": ToolsetRow("zkmem.toolsets.mirix.tools", "memory_search", "memory_add"),
    "text": ToolsetRow("zkmem.toolsets.text.tools", "load_memory", "update_profile, create_topic"),
    "memory": ToolsetRow("zkmem.toolsets.claude_memory", "memory", "memory", True),
    "vault": ToolsetRow("zkmem.toolsets.vault", "query", "edit_section, daily", True),
    "history": ToolsetRow("zkmem.toolsets.history", "log", of_a_folder=True),
    "connector": ToolsetRow("zkmem.toolsets.connector", "search, fetch", of_a_folder=True),
}
"""The toolsets by name, in their order. To add one, add a row: this module imports no toolset."""


class About(NamedTuple):
    """What a setting means, which values it may have, and whether a vault's file may set it."""

    meaning: str  # a line of Markdown; docs/reference/settings.md is made from it
    between: tuple[int, int] = (0, 0)  # the smallest and the largest value of a number
    address: bool = False  # whether a text must be the address of a server
    folder: bool = False  # whether a text must be the path of a folder in the vault
    names: tuple[str, ...] = ()  # the names that a list may contain; if there are none, it may contain any text
    patterns: tuple[int, int] | None = None  # how many patterns a list may have, and of how many characters
    in_vault_file: InVaultFile = "yes"
    """A vault may be somebody else's. A setting that could send notes away or start a program needs the user's
    permission there. So does a value of a setting that protects texts, if it is lower than the user's own value for all
    vaults, or else than the default. A vault's file can never set who reaches the server."""


class Settings(NamedTuple):
    """The value of each setting."""

    host: Annotated[str, About("the address to serve on over HTTP", in_vault_file="never")] = "127.0.0.1"
    port: Annotated[int, About("the port of `--mode http`; 0 takes a free one", between=(0, 65_535))] = 13809
    allow_hosts: Annotated[
        tuple[str, ...], About("more host names that requests may use for the server", in_vault_file="never")
    ] = ()
    oauth_issuer: Annotated[
        str,
        About(
            "the OAuth issuer whose tokens are valid, besides those of `zkmem token add`",
            address=True,
            in_vault_file="never",
        ),
    ] = ""
    oauth_resource: Annotated[
        str,
        About(
            "the address of the MCP endpoint; the issuer's tokens must name it as their audience",
            address=True,
            in_vault_file="never",
        ),
    ] = ""
    public_url: Annotated[
        str,
        About(
            "the address of the server on the internet, through a proxy with TLS; users sign in there",
            address=True,
            in_vault_file="never",
        ),
    ] = ""
    max_body_mb: Annotated[
        int, About("the largest request over HTTP, in megabytes", between=(1, 1_000), in_vault_file=_TO_RAISE)
    ] = 4
    max_sessions: Annotated[
        int,
        About(
            "how many MCP sessions of each vault, and how many streams of changes, may be open over HTTP",
            between=(1, 100_000),
            in_vault_file=_TO_RAISE,
        ),
    ] = 1_000
    rate: Annotated[
        int,
        About(
            "how many requests a second one token may send; all tokens of a user may send twice as many",
            between=(1, 100_000),
            in_vault_file=_TO_RAISE,
        ),
    ] = 50
    page_modules: Annotated[
        bool,
        About(
            "whether the page is served as the modules that it is written in, not as a bundle: for its development",
            in_vault_file="never",
        ),
    ] = False
    toolsets: Annotated[
        tuple[str, ...],
        About("the toolsets that are served", names=tuple(TOOLSET_ROWS), in_vault_file="after `zkmem trust`"),
    ] = ("zettel",)
    max_chars: Annotated[
        int,
        About(
            "how many characters `get_content` returns at most; `zkmem get` has no limit",
            between=(1_000, 10_000_000),
        ),
    ] = 24_000
    max_note_mb: Annotated[
        int,
        About(
            "the largest note that is indexed, searched and edited, in megabytes; `check` names larger ones, "
            "which can be read in parts, moved and deleted",
            between=(1, 1_000),
            in_vault_file=_TO_RAISE,
        ),
    ] = 16
    hints_order: Annotated[
        Literal["weight", "links", "pagerank", "balanced"],
        About(
            "the order of hints: by weight, by number of links, by PageRank along the reversed links, or `balanced`: "
            "by weight, but a weight below half the number of links counts as that half, and a weight above the "
            "number of links as that number plus one"
        ),
    ] = "weight"
    suggestions_skip: Annotated[
        tuple[str, ...],
        About(
            "patterns of notes that are never suggested: `*` matches any characters; a pattern with "
            "a `/` is compared with the path (`logs/*`), any other pattern with the file's name",
            patterns=(100, 200),
        ),
    ] = ("*.excalidraw.md",)
    logseq_names: Annotated[
        bool,
        About(
            "whether notes have the file names of Logseq: a link `[[A/B]]` then also means the file `A___B.md` or "
            "`A%2FB.md`, links to such a file are written `[[A/B]]`, and the new name `A/B` makes the file `A___B.md`"
        ),
    ] = False
    durability: Annotated[
        Literal["full", "normal"],
        About(
            "what a finished edit survives: `full` a power cut, `normal` a crash of the process",
            in_vault_file=_TO_RAISE,
        ),
    ] = "full"
    lock_timeout: Annotated[
        int,
        About(
            "how many seconds an edit waits for a process that makes no progress",
            between=(0, 3_600),
            in_vault_file=_TO_RAISE,
        ),
    ] = 10
    versions_days: Annotated[
        int,
        About(
            "how many days a replaced text is kept",
            between=(0, 36_500),
            in_vault_file=_TO_RAISE,
        ),
    ] = 30
    versions_mb: Annotated[
        int,
        About(
            "how many megabytes of replaced texts are kept, compressed",
            between=(0, 1_000_000),
            in_vault_file=_TO_RAISE,
        ),
    ] = 200
    read_only: Annotated[
        bool,
        About(
            "whether clients over MCP can only read; the page and the API still edit",
            in_vault_file=_TO_RAISE,
        ),
    ] = False
    git: Annotated[
        bool,
        About(
            "whether each edit by a tool is committed to the git repository that the vault is in",
            in_vault_file="after `zkmem trust`",
        ),
    ] = False
    sync_remote: Annotated[
        str, About("the remote of `zkmem sync`: the name of a remote of the repository", in_vault_file="never")
    ] = "origin"
    sync_branch: Annotated[
        str, About("the branch on the remote; empty for the one that is checked out", in_vault_file="never")
    ] = ""
    sync_machine: Annotated[
        str, About("the name of this machine in commits and conflicts; empty for the host's", in_vault_file="never")
    ] = ""
    sync_origins: Annotated[
        bool,
        About(
            "whether `zkmem sync` sends other machines from which conversations edits came, with the person's last "
            "message before each; this needs git = true",
            in_vault_file="never",
        ),
    ] = False
    sync_every: Annotated[
        int, About("how many seconds `zkmem serve --sync` waits between fetches", between=(1, 86_400))
    ] = 60
    sync_after: Annotated[
        int, About("how many seconds after an edit `zkmem serve --sync` pushes it", between=(0, 3_600))
    ] = 5
    llm_url: Annotated[
        str,
        About(
            "the address of an OpenAI-compatible endpoint, for tools that ask a model; empty for none",
            address=True,
            in_vault_file="after `zkmem trust`",
        ),
    ] = ""
    llm_model: Annotated[str, About("the name of the model at that endpoint", in_vault_file="after `zkmem trust`")] = ""
    auto_categorize: Annotated[
        bool, About("whether a model chooses the type of a new memory if the caller gives none (toolset mirix)")
    ] = True
    default_memory_type: Annotated[
        Literal["core", "episodic", "semantic", "procedural", "resource", "knowledge_vault"],
        About("the type of a new memory if neither the caller nor a model chooses one (toolset mirix)"),
    ] = "semantic"
    hook_start: Annotated[
        bool,
        About(
            "whether `zkmem hook` tells a client at the start of a session what the memory is, and which notes are "
            "about its project",
            in_vault_file="after `zkmem trust`",
        ),
    ] = True
    hook_prompt: Annotated[
        bool,
        About(
            "whether `zkmem hook` gives the model at most three notes that fit a prompt",
            in_vault_file="after `zkmem trust`",
        ),
    ] = True
    hook_end: Annotated[
        bool,
        About(
            "whether `zkmem hook` asks the model once, in a long session in which nothing was written, if something "
            "should be kept",
            in_vault_file="after `zkmem trust`",
        ),
    ] = False
    hook_origins: Annotated[
        bool,
        About(
            "whether `zkmem hook` keeps from which conversation an edit came, with the person's last message before it",
            in_vault_file="after `zkmem trust`",
        ),
    ] = True
    hook_ms: Annotated[
        int,
        About(
            "how many milliseconds a hook takes at most; then it ends without an answer",
            between=(20, 10_000),
            in_vault_file="never",
        ),
    ] = 300
    rerank_model: Annotated[
        str,
        About(
            "the folder of a model that scores the best hits of a search again (needs the extra `rerank`)",
            in_vault_file="never",
        ),
    ] = ""
    search_limit: Annotated[
        int,
        About(
            "how many memories `memory_search` returns if the caller gives no number (toolset mirix)",
            between=(1, 100),
        ),
    ] = 10
    search_linked: Annotated[
        int,
        About(
            "the most notes that a search names because its hits link to them (toolsets mirix, text and connector)",
            between=(0, 10),
        ),
    ] = 8
    memories_folder: Annotated[
        str, About("the folder of the vault that a model sees as `/memories` (toolset memory)", folder=True)
    ] = "memories"
    skills_folder: Annotated[
        str, About("the folder of the vault whose notes are skills, after `zkmem trust`", folder=True)
    ] = "skills"


@functools.cache
def _rows() -> dict[str, tuple[Any, About]]:
    """Return the type of each setting, and its other properties."""
    hints = get_type_hints(Settings, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


def about(name: str) -> About:
    """Return the meaning, the bounds and the other properties of a setting."""
    return _rows()[name][1]


def lowers(name: str, value: Any, other: Any) -> bool:
    """Return whether a value of a setting protects less than another: a lower number, or a later choice."""
    kind = _rows()[name][0]
    choices = get_args(kind)
    return choices.index(value) > choices.index(other) if choices else value < other


def parsed(name: str, text: str) -> object:
    """Return the number or truth value that a text, as from the environment, stands for; else the text itself."""
    kind = _rows()[name][0]
    if kind is int and text.strip().lstrip("-").isdigit():
        return int(text)
    if kind is bool and text.lower() in {*_ON, *_OFF}:
        return text.lower() in _ON
    return text


def checked(name: str, value: object, where: str) -> object:
    """Return the value of a setting, converted to its type. An error names the place `where` it was set."""
    if name not in _rows():
        raise BadSettings(
            f"{where}: there is no setting {_shown(name)}; the settings are: {', '.join(Settings._fields)}."
        )
    kind, row = _rows()[name]
    if get_origin(kind) is tuple:  # a list in TOML; one text in an option or the environment
        parts = _parts(name, value)
        if parts is not None:
            return parts
    elif get_origin(kind) is Literal:
        if value in get_args(kind):
            return value
    elif kind is str:
        if isinstance(value, str) and (not row.address or not value or _is_address(value)):
            return value
    elif kind is bool:
        if type(value) is bool:
            return value
    elif type(value) is int and row.between[0] <= value <= row.between[1]:
        return value
    if row.address and isinstance(value, str) and "@" in value:
        value = f"***@{value.rpartition('@')[2]}"  # there may be a password before
    raise BadSettings(f"{where}: {name} must be {allowed_values(name)}, not {_shown(value)}.")


def _shown(value: object) -> str:
    """Return a value for an error, in a few characters: a stranger's file may have any."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, int) and value.bit_length() > _SHOWN:
        return "a number with very many digits"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value[:_SHOWN_PARTS]))}{', ...' * (len(value) > _SHOWN_PARTS)}]"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN + len("''") else f"{text[:_SHOWN]}..."


def allowed_values(name: str) -> str:
    """Describe the values that a setting may have."""
    kind, row = _rows()[name]
    if row.patterns:
        return "a list of at most {} patterns of at most {} characters".format(*row.patterns)
    if get_origin(kind) is tuple:
        return "a list of one name or more" + f" of {', '.join(row.names)}" * bool(row.names)
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(get_args(kind))
    if kind is str:
        return "an address that begins with http:// or https://" if row.address else "a text"
    if kind is bool:
        return "true or false"
    return "a whole number from {} to {}".format(*row.between)


def _parts(name: str, value: object) -> tuple[str, ...] | None:
    """Return the value of a setting that is a list; None if the value is not allowed."""
    value = tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        return None
    row = about(name)
    if row.patterns:
        most, longest = row.patterns
        fits = len(value) <= most and all(len(part) <= longest for part in value)
        return tuple(filter(None, value)) if fits else None
    return tuple(value) if value and (not row.names or set(value) <= set(row.names)) else None


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
