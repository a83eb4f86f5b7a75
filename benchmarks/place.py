"""Where zkmem is measured: a made vault, a cache of its own, and processes that know no other."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from benchmarks.generate import generate
from benchmarks.measures import files
from benchmarks.process import Server, serving

HUB = "the hub of the vault"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_MOST_REFERRERS = 1000
_SETTINGS = ("ZKMEM_", "FASTMCP_", "MARKDOWN_VAULT_MCP_", "BASIC_MEMORY_", "MEMORY_FILE_PATH", "PYTHON")

Samples = dict[str, list[float]]
"""What was measured -> values, in the unit that `rows.py` gives."""


class Place(NamedTuple):
    """A vault to measure on, in a temporary folder."""

    folder: str
    seed: int
    paths: dict[str, str]  # by name
    referrers: list[str]  # the paths of the notes that link to the hub

    @classmethod
    def make(cls, folder: str, notes: int, seed: int) -> "Place":
        """Make a vault below a folder; besides its notes it has a hub."""
        vault = os.path.join(folder, "vault")
        generate(vault, notes, seed, natural=True)
        paths = sorted(entry.path for entry in files(vault))
        referrers = random.Random(seed).sample(paths, min(_MOST_REFERRERS, notes))
        for path in referrers:
            with open(path, "ab") as file:
                file.write(f"\nSee [[{HUB}]].\n".encode())
        with open(os.path.join(vault, HUB + ".md"), "xb") as file:
            file.write(f"# {HUB}\n\nMany notes link here.\n".encode())
        os.sync()  # not to be written back while something is measured
        return cls(folder, seed, {name(path, vault): path for path in paths}, referrers)

    @property
    def vault(self) -> str:
        """The vault's folder."""
        return os.path.join(self.folder, "vault")

    @property
    def cache(self) -> str:
        """The folder for caches."""
        return os.path.join(self.folder, "cache")

    def environment(self) -> dict[str, str]:
        """The environment for what is started: no settings; cache, trust and bytecode in folders of our own."""
        own = {
            "XDG_CACHE_HOME": self.cache,
            "XDG_CONFIG_HOME": os.path.join(self.folder, "config"),
            "PYTHONPYCACHEPREFIX": os.path.join(self.folder, "bytecode"),
        }
        return plain_environment() | own | {"PYTHONPATH": ROOT}

    def serve(self) -> AbstractContextManager[Server]:
        """A server on the vault."""
        return serving([sys.executable, "-m", "zkmem", "serve", self.vault], self.environment())

    def bare(self) -> AbstractContextManager[Server]:
        """A server that does nothing."""
        return serving([sys.executable, "-m", "benchmarks.bare"], self.environment())

    def drop_cache(self) -> None:
        """Have the next server begin from nothing."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def python(self, *arguments: str) -> bytes:
        """Run Python to its end; what it prints."""
        return run([sys.executable, *arguments], self.environment())

    def task(self, module: str) -> Samples:
        """What a module of this folder measured in a process of its own."""
        samples: Samples = json.loads(self.python("-m", f"benchmarks.{module}", self.vault, str(self.seed)))
        return samples

    def some(self, rng: random.Random, count: int) -> list[str]:
        """Names of notes."""
        return rng.sample(list(self.paths), min(count, len(self.paths)))


def name(path: str, vault: str) -> str:
    """The name of a note, by its path on disk."""
    return os.path.relpath(path, vault).replace(os.sep, "/").removesuffix(".md")


def plain_environment() -> dict[str, str]:
    """The environment without what would set up a server."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}


def run(command: Sequence[str], environment: dict[str, str]) -> bytes:
    """Run a command; ends the benchmark if it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode:
        sys.stderr.buffer.write(done.stderr)
        raise SystemExit(f"{' '.join(command)} failed with exit code {done.returncode}.")
    return done.stdout
