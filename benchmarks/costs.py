"""What durability and git add to an edit and to a rename, in a process of its own; a repository is made of the vault.

`python -m benchmarks.costs VAULT SEED` prints the samples as JSON.
"""

import functools
import json
import subprocess
import sys
from typing import Any

from benchmarks.measures import milliseconds
from benchmarks.place import HUB, Samples
from zkmem.memory import Memory

_WRITES, _RENAMES = 50, 4
_NOTE = "a small note"
KINDS: dict[str, dict[str, Any]] = {"full": {}, "normal": {"durable": False}, "full, git": {"git": True}}


def measure(vault: str) -> Samples:
    """Edits in turn, so that a noisy disk is noisy for all."""
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=vault, check=True, capture_output=True)
    memories = {kind: Memory(vault, **options) for kind, options in KINDS.items()}
    samples: Samples = {f"{what}, {kind}": [] for what in ("edit", "rename") for kind in KINDS}
    for memory in memories.values():
        memory.load()
        memory.write(_NOTE, "Begun.\n")
    for _ in range(_WRITES):
        for kind, memory in memories.items():
            append = functools.partial(memory.write, _NOTE, "More.", append=True)
            samples[f"edit, {kind}"].append(milliseconds(append))
    names = [HUB, HUB + " renamed"]
    for _ in range(_RENAMES):
        for kind, memory in memories.items():
            samples[f"rename, {kind}"].append(milliseconds(memory.rename, *names))
            names.reverse()
    for memory in memories.values():
        memory.close()
    return samples


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
