"""Measure an import: `python -m benchmarks.importing [--conversations 5000] [--mb 1000]`.

Transcripts of Claude Code are made, with tool results as most of their bytes. Each command is a process of its own, of
which the seconds, those of the processor and the peak of the memory are printed. The last import must propose nothing.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

_WORDS = ["tea", "water", "gyokuro", "garden", "tomato", "compiler", "parser", "vault", "bicycle", "chain", "lesson"]
_WORDS += [
    "piano",
    "invoice",
    "train",
    "Berlin",
    "server",
    "cache",
    "thread",
    "lock",
    "merge",
    "photo",
    "recipe",
    "oven",
]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--conversations", type=int, default=5_000)
    parser.add_argument("--mb", type=int, default=1_000, help="bytes of all transcripts, in MB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, vault = pathlib.Path(folder, "home"), pathlib.Path(folder, "vault")
        made = make(home, options.conversations, options.mb * 1_000_000)
        print(f"{options.conversations:,} conversations, {made / 1e6:,.0f} MB")
        vault.mkdir()
        for words in (
            ["init", str(vault)],
            ["import", "--from", "claude-code", "--dry-run"],
            ["import", "--from", "claude-code"],
            ["proposed", "list"],
            ["proposed", "accept", "import"],
            ["import", "--from", "claude-code"],
        ):
            measured(words, home, vault)


def make(home: pathlib.Path, count: int, size: int) -> int:
    """Write transcripts; return their bytes. One in ten is not worth a note."""
    chance, total = random.Random(1), 0
    for number in range(count):
        project = f"project{chance.randrange(20)}"
        folder = home / ".claude" / "projects" / f"-home-ann-{project}"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(one)}\n" for one in records(chance, number, project, size // count))
        total += (folder / f"{number:08}-0000-4000-8000-000000000000.jsonl").write_text(text)
    return total


def records(chance: random.Random, number: int, project: str, size: int) -> Iterator[dict[str, object]]:
    """Yield the records of one conversation, of about `size` bytes."""
    turns = 3
    day = f"2026-{number % 9 + 1:02}-{number % 28 + 1:02}T10:00:0"
    for turn in range(turns):
        about = {"timestamp": f"{day}{turn}Z", "cwd": f"/home/ann/{project}", "version": "2.1.197"}
        said = " ".join(chance.choices(_WORDS, k=2 if number % 10 == 0 else 30))
        yield {"type": "user", "message": {"role": "user", "content": said}, "uuid": f"{number}-{turn}", **about}
        result = " ".join(chance.choices(_WORDS, k=max(1, size // turns // 7)))
        content: list[dict[str, object]] = [{"type": "tool_result", "tool_use_id": "1", "content": result}]
        yield {"type": "user", "message": {"role": "user", "content": content}, **about}
        content = [{"type": "text", "text": " ".join(chance.choices(_WORDS, k=60))}]
        yield {"type": "assistant", "message": {"role": "assistant", "content": content}, **about}


def measured(words: Sequence[str], home: pathlib.Path, vault: pathlib.Path) -> None:
    """Run a command; print what it took, and the first line that it printed."""
    environ = os.environ | {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "ZKMEM_VAULT": str(vault)}
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "zkmem", *words], env=environ, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    line = process.stdout.readline().strip()
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, processor, mb = time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
    print(f"{' '.join(words[:3]):32} {seconds:7.1f} s {processor:7.1f} s {mb:6.0f} MB  {line[:90]}", flush=True)
    assert process.returncode == 0, words


if __name__ == "__main__":
    main()
