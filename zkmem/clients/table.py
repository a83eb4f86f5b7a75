"""The clients by name. To add one, add a row.

The comment above a row names where its facts come from: the client's documentation, or its source.
"""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple, Protocol

from zkmem.clients import jsonc, toml
from zkmem.clients.events import HOOK_CLIENTS

_MOST_BYTES = 100_000  # of a file in which a client says where it keeps the others


class Format(Protocol):
    """How the text of a configuration is read and changed; a path has the keys from the root on."""

    def get(self, text: str, path: Sequence[str]) -> Any:
        """Return the value at `path`; None if there is none."""

    def put(self, text: str, path: Sequence[str], data: object) -> str:
        """Return the text with a value at `path`."""

    def drop(self, text: str, path: Sequence[str]) -> str:
        """Return the text without the member at `path`."""


def _names_in(folder: str) -> Sequence[str]:
    """Return the names in a folder in alphabetical order; none if it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return ()


class UserHome(NamedTuple):
    """A user's surroundings, from which the paths of all configurations are made."""

    environ: Mapping[str, str]
    platform: str  # as `sys.platform` has it
    names_in: Callable[[str], Sequence[str]] = _names_in

    def pure(self, *parts: str) -> PurePath:
        """Return a path as the user's system writes it, whatever system this one is."""
        return PureWindowsPath(*parts) if self.platform == "win32" else PurePosixPath(*parts)

    def join(self, *parts: str) -> str:
        """Return the parts as one path."""
        return str(self.pure(*parts))

    def path(self, *parts: str) -> str:
        """Return a path below the user's own folder."""
        # programs from Linux set HOME on Windows, too, and in another form
        names = ("USERPROFILE", "HOME") if self.platform == "win32" else ("HOME", "USERPROFILE")
        own = next(filter(None, map(self.environ.get, names)), None) or os.path.expanduser("~")
        return self.join(own, *parts)

    def or_else(self, variable: str, *parts: str) -> str:
        """Return the value of an environment variable, else a path below the user's own folder."""
        return self.environ.get(variable) or self.path(*parts)

    def of_app(self, *parts: str) -> str:
        """Return a path below the folder in which desktop programs keep their files."""
        if self.platform == "darwin":
            return self.path("Library", "Application Support", *parts)
        if self.platform == "win32":
            return self.join(self.or_else("APPDATA", "AppData", "Roaming"), *parts)
        return self.of_config(*parts)

    def of_config(self, *parts: str) -> str:
        """Return a path below the folder in which programs from Linux keep their settings, on any system."""
        return self.join(self.or_else("XDG_CONFIG_HOME", ".config"), *parts)

    def of_data(self, *parts: str) -> str:
        """Return a path below the folder in which desktop programs keep what is not settings."""
        if self.platform in {"darwin", "win32"}:
            return self.of_app(*parts)
        return self.join(self.or_else("XDG_DATA_HOME", ".local", "share"), *parts)


class Hooks(NamedTuple):
    """The hooks of a client: programs that it runs at certain moments."""

    events: Mapping[str, str]  # its name of each event of `zkmem hook`
    tools: str  # a pattern that matches all tools of a server, whose name is put in
    timeout: int  # in the client's unit; `zkmem hook` ends by itself long before
    file: str | None = None  # in the client's folder; None: the file that has the servers
    project: str | None = None
    after: str = ""  # what the user has to do about new hooks


class Client(NamedTuple):
    """A client: the path of its configuration, and how a server is written there."""

    name: str
    title: str
    file: Callable[[UserHome], str]  # the user's configuration
    key: str  # the key of the servers
    after: str  # what the user has to do after the entry is added
    project: str | None = None  # the configuration of a project, in its folder
    command: str | None = None  # its command, if it has one
    words: tuple[str, str | None] = ("command", "args")  # keys of the first word and the others; None: all in one list
    also: Mapping[str, Any] = {}  # what else an entry has
    format: Format = jsonc
    plain_json: bool = False  # it reads no file with a byte order mark, a comment or a comma after the last item
    hooks: Hooks | None = None
    extension: str | None = None  # the manifest of our extension, below the folder of the user's configuration
    own_folder: Callable[[UserHome], str] | None = None  # the client's folder, if its configuration is in another one

    @property
    def plugin_kind(self) -> str:
        """The client's word for a plug-in."""
        return "extension" if self.extension else "plug-in"

    def folder(self, home: UserHome) -> str:
        """Return the client's folder, which exists once the client has run."""
        return self.own_folder(home) if self.own_folder else str(home.pure(self.file(home)).parent)

    def is_there(self, home: UserHome) -> bool:
        """Return whether the client's file, folder or command exists, so that it seems to be installed."""
        if os.path.exists(self.file(home)) or os.path.exists(self.folder(home)):
            return True
        return self.command is not None and shutil.which(self.command, path=home.environ.get("PATH")) is not None

    def hooks_file(self, home: UserHome, project: str | None = None) -> str | None:
        """Return the path of the file with the hooks, the user's or that of a project's folder.

        None if there are no hooks, or if they are in the file with the servers.
        """
        if self.hooks is None or self.hooks.file is None or self.hooks.project is None:
            return None
        return (
            home.join(self.folder(home), self.hooks.file)
            if project is None
            else os.path.join(project, self.hooks.project)
        )

    def in_project(self, folder: str) -> str | None:
        """Return the path of the configuration of a project, whose folder is given."""
        return None if self.project is None else _with_comments(os.path.join(folder, self.project))


def _with_comments(path: str) -> str:
    """Return the path, or that of the same file with the ending `.jsonc` if only that exists."""
    return f"{path}c" if not os.path.exists(path) and os.path.exists(f"{path}c") else path


def _claude_desktop(home: UserHome) -> str:
    """Return Claude Desktop's folder. The build from Microsoft's Store keeps it in the folder of its package."""
    if home.platform == "win32":
        packages = home.join(home.or_else("LOCALAPPDATA", "AppData", "Local"), "Packages")
        for name in home.names_in(packages):
            if name.startswith("Claude_"):
                return home.join(packages, name, "LocalCache", "Roaming", "Claude")
    return home.of_app("Claude")


def _lm_studio(home: UserHome) -> str:
    """Return LM Studio's folder, which a file in the user's own folder names once LM Studio has run."""
    named = home.environ.get("LMSTUDIO_HOME") or _start_of(home.path(".lmstudio-home-pointer")).strip()
    if home.pure(named).is_absolute():
        return named
    older = home.path(".cache", "lm-studio")
    return older if os.path.exists(older) else home.path(".lmstudio")


def _jan(home: UserHome) -> str:
    """Return Jan's folder for data, which its settings may name."""
    try:
        named = json.loads(_start_of(home.of_data("Jan", "settings.json")))["data_folder"]
    except (ValueError, LookupError, TypeError, RecursionError):
        named = ""
    return named if isinstance(named, str) and home.pure(named).is_absolute() else home.of_data("Jan", "data")


def _start_of(path: str) -> str:
    """Return the text of a small file; nothing if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode()
    except (OSError, ValueError):
        return ""


def _cline(home: UserHome) -> str:
    data = home.or_else("CLINE_DATA_DIR", ".cline", "data")
    return home.environ.get("CLINE_MCP_SETTINGS_PATH") or home.join(data, "settings", "cline_mcp_settings.json")


def _zed(home: UserHome) -> str:
    if home.platform == "win32":
        return home.of_app("Zed")
    if home.platform == "darwin":
        return home.path(".config", "zed")
    return home.join(home.environ.get("FLATPAK_XDG_CONFIG_HOME") or home.of_config(), "zed")


_ROWS = (
    # that it reads only plain JSON: github.com/anthropics/claude-code/issues/9906
    Client(
        name="claude-code",
        title="Claude Code",
        file=lambda home: home.join(home.or_else("CLAUDE_CONFIG_DIR"), ".claude.json"),
        own_folder=lambda home: home.or_else("CLAUDE_CONFIG_DIR", ".claude"),
        key="mcpServers",
        after="Start Claude Code anew; `claude mcp list` shows the server.",
        project=".mcp.json",
        command="claude",
        also={"type": "stdio"},
        plain_json=True,
        # code.claude.com/docs/en/hooks; the time-out is in seconds
        hooks=Hooks(
            events=HOOK_CLIENTS["claude-code"].events,
            tools="mcp__{}__.*",
            timeout=5,
            file="settings.json",
            project=os.path.join(".claude", "settings.json"),
        ),
    ),
    # that it reads only plain JSON: github.com/tradesdontlie/tradingview-mcp/issues/406
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        file=lambda home: home.join(_claude_desktop(home), "claude_desktop_config.json"),
        key="mcpServers",
        after="Quit Claude Desktop and open it again.",
        plain_json=True,
    ),
    Client(
        name="cursor",
        title="Cursor",
        file=lambda home: home.path(".cursor", "mcp.json"),
        key="mcpServers",
        after="Turn the server on in Cursor's settings, among the MCP servers.",
        project=os.path.join(".cursor", "mcp.json"),
        command="cursor",
    ),
    Client(
        name="vscode",
        title="VS Code",
        file=lambda home: home.of_app("Code", "User", "mcp.json"),
        own_folder=lambda home: home.of_app("Code"),
        key="servers",
        after="Run the command `MCP: List Servers` in VS Code and start the server.",
        project=os.path.join(".vscode", "mcp.json"),
        command="code",
        also={"type": "stdio"},
    ),
    Client(
        name="codex",
        title="Codex",
        file=lambda home: home.join(home.or_else("CODEX_HOME", ".codex"), "config.toml"),
        key="mcp_servers",
        after="Start Codex anew; `codex mcp list` shows the server.",
        project=os.path.join(".codex", "config.toml"),
        command="codex",
        format=toml,
        # developers.openai.com/codex/hooks; codex-rs/hooks/src/engine/discovery.rs in openai/codex
        hooks=Hooks(
            events=HOOK_CLIENTS["codex"].events,
            tools="mcp__{}__.*",
            timeout=5,
            file="hooks.json",
            project=os.path.join(".codex", "hooks.json"),
            after="Codex runs a new hook only once you trust it: type /hooks there.",
        ),
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        file=lambda home: home.join(home.or_else("GEMINI_CLI_HOME"), ".gemini", "settings.json"),
        key="mcpServers",
        after="Start Gemini CLI anew, in a folder that it trusts; `gemini mcp list` shows the server.",
        project=os.path.join(".gemini", "settings.json"),
        command="gemini",
        # geminicli.com/docs/hooks/reference; the time-out is in milliseconds; tools have "__" in older versions
        hooks=Hooks(
            events=HOOK_CLIENTS["gemini"].events,
            tools="mcp__?{}__?.*",
            timeout=5000,
        ),
        extension=os.path.join("extensions", "zkmem", "gemini-extension.json"),
    ),
    # opencode.ai/docs/config, opencode.ai/docs/mcp-servers; opencode 2 reads the same file and form (docs/migrate-v1)
    Client(
        name="opencode",
        title="opencode",
        file=lambda home: _with_comments(home.of_config("opencode", "opencode.json")),
        key="mcp",
        after="Start opencode anew; `opencode mcp list` shows the server.",
        project="opencode.json",
        command="opencode",
        words=("command", None),
        also={"type": "local"},
    ),
    # docs.cline.bot/mcp; the command and the extensions share the file; without `timeout` Cline waits three seconds
    Client(
        name="cline",
        title="Cline",
        file=_cline,
        own_folder=lambda home: home.path(".cline"),
        key="mcpServers",
        after="Start Cline anew.",
        command="cline",
        also={"timeout": 60},
    ),
    # docs.github.com: Adding MCP servers for GitHub Copilot CLI
    Client(
        name="copilot",
        title="GitHub Copilot CLI",
        file=lambda home: home.join(home.or_else("COPILOT_HOME", ".copilot"), "mcp-config.json"),
        key="mcpServers",
        after="Start Copilot anew; `copilot mcp list` shows the server.",
        command="copilot",
        also={"type": "local", "tools": ["*"]},
    ),
    # qwenlm.github.io/qwen-code-docs: Connect Qwen Code to tools via MCP
    Client(
        name="qwen",
        title="Qwen Code",
        file=lambda home: home.join(home.or_else("QWEN_HOME", ".qwen"), "settings.json"),
        key="mcpServers",
        after="Start Qwen Code anew; `qwen mcp list` shows the server.",
        project=os.path.join(".qwen", "settings.json"),
        command="qwen",
    ),
    # ampcode.com/manual
    Client(
        name="amp",
        title="Amp",
        file=lambda home: _with_comments(home.path(".config", "amp", "settings.json")),
        key="amp.mcpServers",
        after="Start Amp anew; `amp mcp list` shows the server. Approve that of a project with `amp mcp approve`.",
        project=os.path.join(".amp", "settings.json"),
        command="amp",
    ),
    # docs.devin.ai/desktop/cascade/mcp, the documentation of what was Windsurf
    Client(
        name="windsurf",
        title="Windsurf",
        file=lambda home: home.path(".codeium", "windsurf", "mcp_config.json"),
        key="mcpServers",
        after="Refresh the servers in Windsurf's settings, below Cascade.",
        command="windsurf",
    ),
    # zed.dev/docs/ai/mcp; crates/paths/src/paths.rs in zed-industries/zed
    Client(
        name="zed",
        title="Zed",
        file=lambda home: home.join(_zed(home), "settings.json"),
        key="context_servers",
        after="Zed starts the server at once; the settings of its agent show it.",
        command="zed",
    ),
    # kiro.dev/docs/mcp/configuration
    Client(
        name="kiro",
        title="Kiro",
        file=lambda home: home.path(".kiro", "settings", "mcp.json"),
        own_folder=lambda home: home.path(".kiro"),
        key="mcpServers",
        after="Kiro connects once its file is saved; its panel of MCP servers shows the server.",
        project=os.path.join(".kiro", "settings", "mcp.json"),
        command="kiro",
    ),
    # lmstudio.ai/docs/app/mcp; packages/lms-common-server/src/findLMStudioHome.ts in lmstudio-ai/lmstudio-js
    Client(
        name="lmstudio",
        title="LM Studio",
        file=lambda home: home.join(_lm_studio(home), "mcp.json"),
        key="mcpServers",
        after="Turn the server on in LM Studio, in the tab Program.",
    ),
    # src-tauri/src/core/app/commands.rs and src-tauri/src/core/mcp/ in janhq/jan
    Client(
        name="jan",
        title="Jan",
        file=lambda home: home.join(_jan(home), "mcp_config.json"),
        key="mcpServers",
        after="Quit Jan and open it again.",
        also={"env": {}, "active": True},
    ),
    # docs.continue.dev/customize/deep-dives/mcp; core/context/mcp/json/loadJsonMcpConfigs.ts in continuedev/continue
    Client(
        name="continue",
        title="Continue",
        file=lambda home: home.path(".continue", "mcpServers", "zkmem.json"),
        own_folder=lambda home: home.path(".continue"),
        key="mcpServers",
        after="Reload the configuration in Continue. Its command `cn` does not read this file.",
    ),
)
CLIENTS = {row.name: row for row in _ROWS}
