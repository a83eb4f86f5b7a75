"""How often `why` and `git blame` name the edit that wrote a word: `python -m benchmarks.blame [--histories 200]`.

Each history is one of `tests/tools/blamed.py`, in which each word says who wrote it; each edit is a commit. Also
measured: how long `why` takes for a note of 2,000 lines with 1,000 edits, and how many bytes an edit with its
conversation takes.
"""

import argparse
import collections
import pathlib
import random
import subprocess
import tempfile
import time

from benchmarks.process import end_on_sigterm
from tests.tools.blamed import WORD, Life, Step
from zkmem.memory import Memory
from zkmem.vault.journal.origins import Conversation, Conversations, hash_of
from zkmem.vault.journal.state import StateFolder

_STEPS, _LEAST = 30, 6  # steps of a history, and words of a line
_LINES, _EDITS, _CALLS = 2_000, 1_000, 100
_WAYS = ("-w -C", "-w -C -C -C")
_MESSAGE = "Never above 80 °C, it gets bitter; and write down how long it was steeped, please."

Files = dict[str, bytes]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=200)
    options = parser.parse_args()
    end_on_sigterm()
    right, words = collections.Counter[str](), collections.Counter[str]()
    for seed in range(options.histories):
        with tempfile.TemporaryDirectory() as folder:
            _compare(pathlib.Path(folder), seed, right, words)
    for name in ("zkmem why", *_WAYS):
        for kind in ("words", "words of lines that one edit wrote"):
            key = f"{name}, {kind}"
            print(f"{key}: {right[key]:,} of {words[key]:,} ({right[key] / words[key]:.2%})")
    _measure_long_note()


def _compare(folder: pathlib.Path, seed: int, right: collections.Counter[str], words: collections.Counter[str]) -> None:
    """Live through a history, and count how many words have the right edit."""
    vault = folder / "vault"
    vault.mkdir()
    life, states = Life(vault, seed, least=_LEAST), list[tuple[Step, Files]]()
    for step in life.live(_STEPS):
        states.append((step, {path.relative_to(vault).as_posix(): path.read_bytes() for path in life.paths()}))
    repository = _committed(folder / "repository", [files for _, files in states])
    edits = {step.number: step.edit for step in life.steps}
    for name in life.names():
        lines = life.lines_of(name)
        told = {"zkmem why": [dict[str, int | None]() for _ in lines]}
        for passage in life.memory.why(f"/{name}"):
            at = passage.first - 1
            for number, part in enumerate(passage.text.split("\n"), at):
                told["zkmem why"][number] |= dict.fromkeys((one[0] for one in WORD.finditer(part)), passage.edit)
        for way in _WAYS:
            commits = _blamed(repository, f"{name}.md", way)
            told[way] = [
                dict.fromkeys((one[0] for one in WORD.finditer(line)), edits[commit])
                for line, commit in zip(lines, commits, strict=True)
            ]
        for way, of_lines in told.items():
            for line, named in zip(lines, of_lines, strict=True):
                writers = [edits[int(one[1])] for one in WORD.finditer(line)]
                good = sum(named.get(one[0]) == edits[int(one[1])] for one in WORD.finditer(line))
                kinds = ["words"] + ["words of lines that one edit wrote"] * (len(set(writers)) == 1)
                for kind in kinds:
                    right[f"{way}, {kind}"] += good
                    words[f"{way}, {kind}"] += len(writers)
    life.memory.close()


def _committed(repository: pathlib.Path, states: list[Files]) -> pathlib.Path:
    """Make a repository with a commit for each state, whose message is its number."""
    stream = list[bytes]()
    for number, files in enumerate(states):
        who = b"bench <bench@localhost> %d +0000" % (1_700_000_000 + number)
        message = str(number).encode()
        stream.append(b"commit refs/heads/main\ncommitter %s\ndata %d\n%s\n" % (who, len(message), message))
        stream.append(b"deleteall\n")
        for path, data in files.items():
            stream.append(b'M 100644 inline "%s"\ndata %d\n%s\n' % (path.encode(), len(data), data))
    subprocess.run(["git", "init", "-q", "-b", "main", str(repository)], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository, input=b"".join(stream), check=True)
    return repository


def _blamed(repository: pathlib.Path, path: str, way: str) -> list[int]:
    """Return the number of the commit of each line of a file."""
    command = ["git", "blame", *way.split(), "--line-porcelain", "main", "--", path]
    output = subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True).stdout
    return [int(line.removeprefix("summary ")) for line in output.splitlines() if line.startswith("summary ")]


def _measure_long_note() -> None:
    """Print how long the passages of a long note take, and the bytes of an edit and its conversation."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as vault:
        memory = Memory(vault, durable=False).on_behalf(client="claude-code 2.1.330")
        lines = [f"Line {number} of a long note about tea, with {rng.random()} in it." for number in range(_LINES)]
        for number in range(_EDITS):
            at = rng.randrange(_LINES - 3)
            if number % 4 == 0:  # lines move
                moved, lines[at : at + 3] = lines[at : at + 3], []
                to = rng.randrange(len(lines))
                lines[to:to] = moved
            else:
                lines[at] = f"Line {number} was changed, and has {rng.random()} in it."
            call = f"toolu_{number}"
            memory.on_behalf(call=call).write("long", "\n".join(lines) + "\n")
        begin, used = time.perf_counter(), time.process_time()
        count = len(memory.why("long"))
        took, used = time.perf_counter() - begin, time.process_time() - used
        print(f"{_LINES:,} lines, {_EDITS:,} edits: {count:,} passages in {took:.2f} s ({used:.2f} s of processor)")
        log = pathlib.Path(vault, ".zkmem/versions/log").stat().st_size / _EDITS
        known = Conversations(StateFolder(vault))
        about = "claude-code", hash_of("session"), "Let us write down what we know about tea.", _MESSAGE
        for number in range(_CALLS):
            known.add(Conversation(hash_of(str(number)), time.time(), *about))
        size = pathlib.Path(vault, ".zkmem/origins.jsonl").stat().st_size / _CALLS
        call_bytes = len(',"call":"0123456789abcdef"')
        print(f"an edit: {log:.0f} bytes of log, of them {call_bytes} for its call; its conversation: {size:.0f} bytes")
        memory.close()


if __name__ == "__main__":
    main()
