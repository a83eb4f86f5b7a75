"""Other servers: in fixed versions, each installed in an environment of its own (from PyPI and npm)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.memories import Graph, Notes
from benchmarks.subjects import Subject

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".peers")
_FEW = 1_000
_QUIET = {"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_SHOW_SERVER_BANNER": "false"}  # no look at the network


class Peer(NamedTuple):
    """A server that can be installed."""

    name: str
    version: str
    package: str
    python: tuple[int, int] | None  # the least that it needs; None: it is from npm
    subject: Callable[[str], Subject]  # by the folder that it is installed in
    most_notes: int | None = None  # more take it too long

    def installed(self, folder: str) -> Subject | None:
        """The server, installed below a folder if it is not there yet; None, with a word, where that fails."""
        own = os.path.join(folder, f"{self.name}-{self.version}")
        done = os.path.join(own, "installed")
        if not os.path.exists(done):
            shutil.rmtree(own, ignore_errors=True)
            os.makedirs(own)
            try:
                for command in self._commands(own):
                    subprocess.run(command, check=True, stdout=sys.stderr)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"{self.name} {self.version} is left out; it cannot be installed: {error}", file=sys.stderr)
                return None
            with open(done, "xb"):
                pass
        return self.subject(own)._replace(name=f"{self.name} {self.version}")

    def _commands(self, own: str) -> list[list[str]]:
        if self.python is None:
            return [["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", own, self.package]]
        install = [f"{own}/bin/python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", self.package]
        return [[_python(self.python), "-m", "venv", own], install]


def _python(least: tuple[int, int]) -> str:
    """A Python that is new enough.

    Raises:
        FileNotFoundError: when there is none.
    """
    if sys.version_info >= least:
        return sys.executable
    for minor in range(least[1], least[1] + 4):
        found = shutil.which(f"python{least[0]}.{minor}")
        if found and not subprocess.run([found, "-c", "import ensurepip"], capture_output=True, check=False).returncode:
            return found
    raise FileNotFoundError(f"it needs Python {least[0]}.{least[1]} or newer in the PATH")


def _server_memory(own: str) -> Subject:
    return Subject(
        "",
        Graph,
        [f"{own}/node_modules/.bin/mcp-server-memory"],
        {"MEMORY_FILE_PATH": f"$/{Graph.shared}"},
        {
            "appends": ("add_observations", {"observations": [{"entityName": "log", "contents": ["$"]}]}),
            "creations": ("create_entities", {"entities": [{"name": "$", "entityType": "n", "observations": ["$"]}]}),
        },
        uses={
            "read": ("open_nodes", {"names": ["$"]}),
            "write": ("add_observations", {"observations": [{"entityName": "$", "contents": ["More."]}]}),
            "search": ("search_nodes", {"query": "$"}),
        },
    )


def _markdown_vault_mcp(own: str) -> Subject:
    return Subject(
        "",
        Notes,
        [f"{own}/bin/markdown-vault-mcp", "serve"],
        {"MARKDOWN_VAULT_MCP_SOURCE_DIR": "$", **_QUIET},
        {
            "appends": ("append", {"path": "log.md", "content": "$"}),
            "creations": ("write", {"path": "made/$.md", "content": "$"}),
            "renames": ("rename", {"old_path": "was $.md", "new_path": "$.md", "update_links": True}),
        },
        uses={
            "read": ("read", {"path": "$.md"}),
            "write": ("append", {"path": "$.md", "content": "More."}),
            "search": ("search", {"query": "$"}),
        },
        keeps={
            "MARKDOWN_VAULT_MCP_INDEX_PATH": "$-home/index.sqlite3",
            "MARKDOWN_VAULT_MCP_STATE_PATH": "$-home/state.json",
        },
    )


def _basic_memory(own: str) -> Subject:
    home = {"HOME": "$-home", "BASIC_MEMORY_CONFIG_DIR": "$-home/.basic-memory", "BASIC_MEMORY_HOME": "$"}
    quiet = {"BASIC_MEMORY_NO_PROMOS": "1", "BASIC_MEMORY_FORCE_LOCAL": "true", **_QUIET}
    return Subject(
        "",
        Notes,
        [f"{own}/bin/basic-memory", "mcp"],
        {**home, **quiet},
        {"appends": ("edit_note", {"identifier": "log", "operation": "append", "content": "\n$\n"})},
        uses={
            "read": ("read_note", {"identifier": "$"}),
            "write": ("edit_note", {"identifier": "$", "operation": "append", "content": "\nMore.\n"}),
            "search": ("search_notes", {"query": "$"}),
        },
    )


def _mcpvault(own: str) -> Subject:
    return Subject(
        "",
        Notes,
        [f"{own}/node_modules/.bin/mcpvault", "$"],
        {},
        {"appends": ("write_note", {"path": "log.md", "content": "\n$\n", "mode": "append"})},
        uses={
            "read": ("read_note", {"path": "$.md"}),
            "write": ("write_note", {"path": "$.md", "content": "\nMore.\n", "mode": "append"}),
            "search": ("search_notes", {"query": "$"}),
        },
    )


PEERS = (
    Peer("server-memory", "2026.8.31", "@modelcontextprotocol/server-memory@2026.8.31", None, _server_memory),
    Peer("mcpvault", "0.16.0", "@bitbonsai/mcpvault@0.16.0", None, _mcpvault),
    Peer("markdown-vault-mcp", "5.1.0", "markdown-vault-mcp[file-watcher]==5.1.0", (3, 11), _markdown_vault_mcp),
    Peer("basic-memory", "0.24.1", "basic-memory==0.24.1", (3, 12), _basic_memory, most_notes=_FEW),
)
