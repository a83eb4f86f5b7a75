"""The clients by name. To add one, add a row."""

import os
import shutil
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import NamedTuple

from zkmem.clients import splice, toml


class Home(NamedTuple):
    """A user's surroundings, from which the paths of all configurations are made."""

    environ: Mapping[str, str]
    platform: str  # as `sys.platform` has it

    def path(self, *parts: str) -> str:
        """Return a path below the user's own folder."""
        own = self.environ.get("HOME") or self.environ.get("USERPROFILE") or os.path.expanduser("~")
        return os.path.join(own, *parts)

    def or_else(self, variable: str, *parts: str) -> str:
        """Return the value of an environment variable, else a path below the user's own folder."""
        return self.environ.get(variable) or self.path(*parts)

    def of_app(self, *parts: str) -> str:
        """Return a path below the folder in which desktop programs keep their files."""
        if self.platform == "darwin":
            return self.path("Library", "Application Support", *parts)
        if self.platform == "win32":
            return os.path.join(self.or_else("APPDATA", "AppData", "Roaming"), *parts)
        return os.path.join(self.or_else("XDG_CONFIG_HOME", ".config"), *parts)


class Client(NamedTuple):
    """A client: the path of its configuration, and how a server is written there."""

    name: str
    title: str
    file: Callable[[Home], str]  # the user's configuration
    trace: Callable[[Home], str]  # a folder that exists once the client has run
    key: str  # the key of the servers
    after: str  # what the user has to do after the entry is added
    project: str | None = None  # the configuration of a project, in its folder
    command: str | None = None  # its command, if it has one
    typed: bool = False  # an entry names its transport
    format: ModuleType = splice  # with get, put, drop

    def is_there(self, home: Home) -> bool:
        """Return whether the client's file, folder or command exists, so that it seems to be installed."""
        if os.path.exists(self.file(home)) or os.path.exists(self.trace(home)):
            return True
        return self.command is not None and shutil.which(self.command, path=home.environ.get("PATH")) is not None


_ROWS = (
    Client(
        name="claude-code",
        title="Claude Code",
        file=lambda home: os.path.join(home.or_else("CLAUDE_CONFIG_DIR"), ".claude.json"),
        trace=lambda home: home.or_else("CLAUDE_CONFIG_DIR", ".claude"),
        key="mcpServers",
        after="Start Claude Code anew; `claude mcp list` shows the server.",
        project=".mcp.json",
        command="claude",
        typed=True,
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        file=lambda home: home.of_app("Claude", "claude_desktop_config.json"),
        trace=lambda home: home.of_app("Claude"),
        key="mcpServers",
        after="Quit Claude Desktop and open it again.",
    ),
    Client(
        name="cursor",
        title="Cursor",
        file=lambda home: home.path(".cursor", "mcp.json"),
        trace=lambda home: home.path(".cursor"),
        key="mcpServers",
        after="Turn the server on in Cursor's settings, among the MCP servers.",
        project=os.path.join(".cursor", "mcp.json"),
        command="cursor",
    ),
    Client(
        name="vscode",
        title="VS Code",
        file=lambda home: home.of_app("Code", "User", "mcp.json"),
        trace=lambda home: home.of_app("Code"),
        key="servers",
        after="Run the command `MCP: List Servers` in VS Code and start the server.",
        project=os.path.join(".vscode", "mcp.json"),
        command="code",
        typed=True,
    ),
    Client(
        name="codex",
        title="Codex",
        file=lambda home: os.path.join(home.or_else("CODEX_HOME", ".codex"), "config.toml"),
        trace=lambda home: home.or_else("CODEX_HOME", ".codex"),
        key="mcp_servers",
        after="Start Codex anew; `codex mcp list` shows the server.",
        project=os.path.join(".codex", "config.toml"),
        command="codex",
        format=toml,
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        file=lambda home: os.path.join(home.or_else("GEMINI_CLI_HOME"), ".gemini", "settings.json"),
        trace=lambda home: os.path.join(home.or_else("GEMINI_CLI_HOME"), ".gemini"),
        key="mcpServers",
        after="Start Gemini CLI anew, in a folder that it trusts; `gemini mcp list` shows the server.",
        project=os.path.join(".gemini", "settings.json"),
        command="gemini",
    ),
)
CLIENTS = {row.name: row for row in _ROWS}
