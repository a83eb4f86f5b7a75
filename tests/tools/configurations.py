"""Configuration files of clients as people have them, and the surroundings in which zkmem finds them."""

import os
import pathlib
import subprocess
import sys

from tests.tools.forked import zkmem_command
from zkmem.clients.table import CLIENTS, UserHome

JSON = """{
  // what I use every day
  "theme": "dark", /* not light */
  "KEY": {
    "other": {
      "command": "npx", // from npm
      "args": ["-y", "other", "--url", "http://localhost//x"],
      "env": {"TOKEN": "a \\"quoted\\" // secret"}
    },
    // "asleep": {"command": "zzz"},
    "last": { "command" : "x" }   // no comma
    /* the end */
  },
  "after": [1, 2, {"KEY": null},],
}
"""
PLAIN = '{\n    "KEY": {\n        "other": {\n            "command": "x"\n        }\n    },\n    "n": 1.50\n}\n'
TOML = """# what I use every day
model = "large"   # not small

[mcp_servers.other]
command = "npx"  # from npm
args = [
  "-y", # yes
  "other",
]

[mcp_servers.other.env]
TOKEN = '''a
[mcp_servers.zkmem]
secret'''

# about the profiles
[profiles.fast]
model = "small"
"""
BARE = "KEY:\n- {name: other, command: x}\nn: 1.50\n"
BARE = 'a = 1\n[mcp_servers]\nother = { command = "x" }\n'


def form(client: str) -> str:
    """How the client writes its file: json or toml."""
    return "toml" if client == "codex" else "json"


def samples(client: str) -> dict[str, bytes | None]:
    """Files by what is odd about them; None is no file at all."""
    rich, plain, other = {
        "json": (JSON, PLAIN, '{"x":1}'),
        "toml": (TOML, BARE, "x = 1\n"),
    }[form(client)]
    key = CLIENTS[client].key
    rich, plain = rich.replace("KEY", key), plain.replace("KEY", key)
    return {
        "comments": rich.encode(),
        "plain": plain.encode(),
        "crlf": rich.replace("\n", "\r\n").encode(),
        "no newline at the end": rich.rstrip("\n").encode(),
        "byte order mark": b"\xef\xbb\xbf" + plain.encode(),
        "no servers": other.encode(),
        "empty": b"",
        "blank": b" \n\n",
        "missing": None,
    }


class Desk:
    """A user's folder, and what zkmem does there."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.endswith(("_HOME", "_CONFIG_DIR"))}
        here = str(pathlib.Path(__file__).parents[2])
        found = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
        self.environ = {**kept, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": found}

    def file(self, client: str) -> pathlib.Path:
        return pathlib.Path(CLIENTS[client].file(UserHome(self.environ, sys.platform)))

    def put(self, client: str, data: bytes | None) -> pathlib.Path:
        """A configuration, and the client itself as far as one can see."""
        path = self.file(client)
        path.parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(CLIENTS[client].folder(UserHome(self.environ, sys.platform))).mkdir(parents=True, exist_ok=True)
        if data is not None:
            path.write_bytes(data)
        return path

    def run(self, *arguments: str, cwd: pathlib.Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
        return zkmem_command(*arguments, cwd=cwd or self.folder, environ={**self.environ, **environ})
