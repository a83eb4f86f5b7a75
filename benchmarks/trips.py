"""Count how many modules of zkmem a call enters: `python -m benchmarks.trips [--show TRIP]`.

Somebody who follows a call through the code opens these modules. `crossings` is how often a function of one module
calls one of another. Each trip is made several times in a copy of `sample_vault` and counted the last time, so that
nothing is loaded for the first time. `--show` prints the modules of one trip, with the functions entered in each.
"""

import argparse
import contextlib
import itertools
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import anyio
import httpx2

from benchmarks.sync import git
from zkmem.cli.tokens import tokens_of
from zkmem.memory import Memory
from zkmem.serve.access.gate import Limits
from zkmem.serve.app import application
from zkmem.serve.common import Common
from zkmem.serve.mcp.servers import Offer
from zkmem.toolsets.table import TOOLSETS

_PACKAGE = "zkmem."
_TIMES = 3
_PATIENCE_S = 60
_VAULT = Path(__file__).parent.parent / "sample_vault"

Trip = Callable[[], object]


class Way(NamedTuple):
    """What one trip entered."""

    entered: Mapping[str, list[str]]  # the functions of each module, in the order of their first calls
    crossings: int


class Recorder:
    """Records which functions of zkmem are called, in this thread and in those that begin after it is made."""

    def __init__(self) -> None:
        """Have every call reported, and record none yet."""
        self._entered: dict[str, list[str]] = {}
        self._crossings = 0
        self._is_on = False
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record the calls of this block alone."""
        self._entered, self._crossings, self._is_on = {}, 0, True
        try:
            yield
        finally:
            self._is_on = False

    def way(self) -> Way:
        """Return what the last block entered."""
        return Way(self._entered, self._crossings)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if not self._is_on or event != "call" or not (module := _module(frame)):
            return
        functions = self._entered.setdefault(module, [])
        if frame.f_code.co_qualname not in functions:
            functions.append(frame.f_code.co_qualname)
        caller = frame.f_back
        while caller and not _module(caller):
            caller = caller.f_back
        self._crossings += not caller or _module(caller) != module


def _module(frame: FrameType) -> str:
    """Return the name of a frame's module in zkmem; "" for modules of others."""
    name: str = frame.f_globals.get("__name__", "")
    return name.removeprefix(_PACKAGE) if name.startswith(_PACKAGE) else ""


class Vaults:
    """Two copies of the sample vault, and the trips through zkmem: one copy is synchronised with a third by git."""

    def __init__(self, folder: Path) -> None:
        """Copy the vault below a folder, and index it."""
        self._root, self._synced, self._elsewhere = folder / "notes", folder / "synced", folder / "elsewhere"
        remote = folder / "remote.git"
        shutil.copytree(_VAULT, self._root, ignore=shutil.ignore_patterns(".zkmem", ".trash"))
        shutil.copytree(self._root, self._elsewhere)
        git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
        git(self._elsewhere, "init", "-q", "-b", "main")
        git(self._elsewhere, "remote", "add", "origin", str(remote))
        self._push("notes")
        git(folder, "clone", "-q", str(remote), str(self._synced))
        self._numbers = itertools.count()
        self._is_seen = threading.Event()
        self.memory = Memory(self._root)
        self.memory.start()
        self.memory.load_search()
        self.memory.listen(lambda _: self._is_seen.set())
        self._with_git = Memory(self._synced, git=True)

    def trips(self) -> dict[str, Trip]:
        """Return the trips by name, except that over HTTP. Each can be made again and again."""
        return {
            "get_content, depth 0": lambda: self._call("get_content", name="memory/Memory palace"),
            "get_hints": lambda: self._call("get_hints"),
            "search, ten hits": lambda: self.memory.search("memory of notes", limit=10),
            "set_content, new note": lambda: self._call("set_content", name=self._new(), content="See [[hint]].\n"),
            "rename_content": self._rename,
            "hand edit": self._edit_by_hand,
            "sync, both sides": self._sync,
        }

    def close(self) -> None:
        """Close both memories."""
        self.memory.close()
        self._with_git.close()

    def _call(self, tool: str, **arguments: object) -> None:
        (row,) = (one for one in TOOLSETS["zettel"].tools if one.name == tool)
        row.call(self.memory, arguments)

    def _new(self) -> str:
        return f"new {next(self._numbers)}"

    def _rename(self) -> None:
        """Rename a note to which others link."""
        (name,) = (one for one in self.memory.names() if one.startswith("models/Memory for models"))
        self._call("rename_content", name=name, new_name=f"models/Memory for models {self._new()}")

    def _edit_by_hand(self) -> None:
        """Save a note as an editor does, and wait until the index has it."""
        self._is_seen.clear()
        (self._root / "by hand.md").write_text(f"{self._new()}: see [[hint]].\n")
        if not self._is_seen.wait(_PATIENCE_S):
            raise SystemExit("The edit by hand was not seen.")

    def _sync(self) -> None:
        """Synchronise a note that both sides have changed, in different lines."""
        name = self._new()
        git(self._elsewhere, "pull", "-q")
        for folder, at in ((self._elsewhere, 0), (self._synced, -1)):
            lines = (folder / "hint.md").read_text().splitlines(keepends=True)
            lines[at] = f"{name}: {lines[at]}"
            (folder / "hint.md").write_text("".join(lines))
        self._push(name)
        self._with_git.sync()

    def _push(self, message: str) -> None:
        git(self._elsewhere, "add", "-A")
        git(self._elsewhere, "commit", "-qm", message)
        git(self._elsewhere, "push", "-q", "-u", "origin", "main")


async def _over_http(memory: Memory, recorder: Recorder) -> Way:
    """Get the note `hint` over the JSON API, in this process; this closes the memory."""
    app = application(memory, tokens_of(memory.vault), Offer(["zettel"]), common=Common(Limits()))
    transport = httpx2.ASGITransport(app=app.serve)
    async with app.alive(), httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for _ in range(_TIMES):
            with recorder.recording():
                (await client.get("/api/notes/hint")).raise_for_status()
    return recorder.way()


def ways() -> dict[str, Way]:
    """Make all trips, and return what each entered."""
    recorder, entered = Recorder(), {}
    with tempfile.TemporaryDirectory() as folder:
        vaults = Vaults(Path(folder))
        for name, trip in vaults.trips().items():
            for _ in range(_TIMES):
                with recorder.recording():
                    trip()
            entered[name] = recorder.way()
        entered["GET /api/notes/hint"] = anyio.run(_over_http, vaults.memory, recorder)
        vaults.close()
    return entered


def main() -> None:
    """Print the table, or the way of one trip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", metavar="TRIP", default="", help="the beginning of its name")
    options = parser.parse_args()
    for name, way in ways().items():
        if not options.show:
            print(f"{name:22} {len(way.entered):4} modules {way.crossings:6,} crossings")
        elif name.startswith(options.show):
            print(*(f"{module}: {', '.join(functions)}" for module, functions in way.entered.items()), sep="\n")


if __name__ == "__main__":
    main()
