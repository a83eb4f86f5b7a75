"""Edits on the fake Windows: killed at every call, and made by several processes beside a person who saves.

`python -m tests.tools.windows_proofs` runs all of it, and prints how many edits were killed, damaged and lost.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from tests.tools import crashes, fake_windows
from tests.tools.fake_windows import NO_TROUBLE, READ, WRITE, Trouble
from tests.tools.inner import index_faults
from tests.tools.vaults import read, write
from zkmem.errors import Busy, Changed, Unwritable
from zkmem.memory import Memory
from zkmem.names import fold
from zkmem.vault.platform import win32
from zkmem.vault.platform.win32 import Failed

SCANS = 0.02  # the share of calls that meet a virus scanner
_PATIENCE_S = 5.0  # the longest time for which a person tries to save
_PAUSE_S = 0.004  # between two saves
_ALL = 7

_T = TypeVar("_T")


@contextlib.contextmanager
def disk(trouble: Trouble = NO_TROUBLE) -> Iterator[str]:
    """Have an empty folder on the fake Windows while this block runs."""
    with tempfile.TemporaryDirectory() as above:
        folder = os.path.join(os.path.realpath(above), "disk")
        os.mkdir(folder)
        with fake_windows.installed(folder, trouble):
            yield folder


# --- edits that are killed


def killed(edit: str, referrers: int, step: int = 1, trouble: Trouble = NO_TROUBLE) -> Counter[str]:
    """Kill an edit at every call (or every so many); return how often the old, the new or a broken vault was found."""
    with disk(trouble) as folder:
        template = crashes.make(os.path.join(folder, "template"), referrers)
        return Counter(state for _, state in crashes.at_every_call(template, crashes.EDITS[edit], folder, step))


# --- edits beside others


class Outcome(NamedTuple):
    """What became of edits that were answered with success, and of the saves of a person."""

    answered: int
    overwritten: int  # by the person's save, which was made from an older text; the history has them
    lost: int
    refused: int
    saves: int
    saves_in_history: int  # of which zkmem took the place, and kept the text
    saves_lost: int
    damage: list[str]

    def __str__(self) -> str:
        return (
            f"{self.answered} edits answered, {self.overwritten} of them overwritten by the person, {self.lost} lost, "
            f"{self.refused} refused; {self.saves} saves, {self.saves_in_history} replaced but kept, "
            f"{self.saves_lost} lost; damage: {self.damage or 'none'}"
        )


def append(root: str, name: str, count: int) -> Iterator[str | None]:
    """Append lines to one note; yield each that was answered with success, and None for one that was refused."""
    memory = Memory(root)
    for number in range(count):
        token = f"{name} {number}."
        yield token if _accepted(memory.write, "shared", token, append=True) else None


def create(root: str, name: str, count: int) -> Iterator[str | None]:
    """Make new notes."""
    memory = Memory(root)
    for number in range(count):
        token = f"{name} {number}."
        yield token if _accepted(memory.write, f"new/{token[:-1]}", token) else None


def rename(root: str, name: str, count: int) -> Iterator[str | None]:
    """Rename a note to which others link, to and fro, also by case alone."""
    memory = Memory(root)
    names = ["target", f"{name} one", f"{name} ONE", f"moved/{name}"]
    at = 0
    for number in range(count):
        new = (at + 1) % len(names)
        done = _accepted(memory.rename, names[at], names[new])
        at = new if done else at
        yield f"renamed {number}" if done else None


def _accepted(edit: Callable[..., object], *arguments: object, **named: object) -> bool:
    try:
        edit(*arguments, **named)
    except (Busy, Unwritable, Changed):
        return False
    return True


def save(root: str, name: str, count: int, way: str) -> Iterator[str | None]:
    """Save a note as an editor does: read it, add a line, write it.

    `way`: `replace` writes a new file and renames it, `truncate` writes into the note, `shared` also lets others rename
    the note meanwhile.
    """
    full = os.path.join(root, "shared.md")
    temp = os.path.join(root, f".{name}.tmp")
    for number in range(count):
        token = f"{name} {number}."
        try:
            text = _patiently(_read, full) + f"\n{token}\n".encode()
            if way == "replace":
                _patiently(_write, temp, text, READ)
                _patiently(os.replace, temp, full)
            else:
                share = _ALL if way == "shared" else READ | WRITE
                _patiently(_write, full, text, share)
            yield token
        except OSError:  # the person sees that it was not saved
            yield None
        time.sleep(_PAUSE_S)


def _read(full: str) -> bytes:
    handle = _opened(full, win32.GENERIC_READ, _ALL, win32.OPEN_EXISTING)
    try:
        return os.read(handle, 10_000_000)
    finally:
        os.close(handle)


def _write(full: str, data: bytes, share: int) -> None:
    """Write a file anew, in two parts."""
    handle = _opened(full, win32.GENERIC_WRITE, share, win32.CREATE_ALWAYS)
    try:
        os.write(handle, data[: len(data) // 2])
        time.sleep(_PAUSE_S / 8)
        os.write(handle, data[len(data) // 2 :])
    finally:
        os.close(handle)


def _opened(full: str, access: int, share: int, way: int) -> int:
    assert fake_windows.current
    return fake_windows.current.calls.create_file(full, access, share, way, 0)


def _patiently(work: Callable[..., _T], *arguments: object) -> _T:
    """Do some work again until it succeeds, for some seconds."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return work(*arguments)
        except (OSError, Failed) as error:
            if time.monotonic() > deadline:
                raise OSError(str(error)) from None
        time.sleep(0.001)


WORK: Mapping[str, Callable[..., Iterator[str | None]]] = {
    "append": append, "create": create, "rename": rename, "save": save,
}  # fmt: skip


def beside(count: int, way: str, trouble: Trouble = NO_TROUBLE) -> Outcome:
    """Let four processes make edits while a person saves a note again and again; return what became of it."""
    with disk(trouble) as folder, contextlib.ExitStack() as stack:
        root = os.path.join(folder, "vault")
        write(root, {"shared.md": "# Shared\n", "target.md": "Target.\n"})
        write(root, {f"d/note {n}.md": "See [[target]].\n" for n in range(4)})
        tasks = [("append", "a"), ("append", "b"), ("create", "c"), ("rename", "d"), ("save", "person", way)]
        processes = [stack.enter_context(_started(folder, root, trouble, task, count)) for task in tasks]
        ready = [process.stdout.readline() for process in processes if process.stdout]
        assert ready == ["ready\n"] * len(tasks)
        for process in processes:  # all begin at once
            assert process.stdin
            process.stdin.close()
        answers = [json.loads(process.stdout.read()) for process in processes if process.stdout]
        assert [process.wait() for process in processes] == [0] * len(processes)
        fake_windows.settle(folder)
        return _outcome(root, answers)


def _started(folder: str, root: str, trouble: Trouble, task: Sequence[str], count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.tools.windows_proofs", "--work", folder, root, json.dumps(trouble)]
    return subprocess.Popen([*command, str(count), *task], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def work(folder: str, root: str, trouble: str, count: str, kind: str, name: str, *more: str) -> None:
    """Do the work of one of the processes once standard input ends; print what was answered."""
    fake_windows.install(folder, Trouble(*json.loads(trouble))).calls.begin_trouble()
    print("ready", flush=True)
    sys.stdin.read()
    print(json.dumps(list(WORK[kind](root, name, int(count), *more))))


def _outcome(root: str, answers: Sequence[Sequence[str | None]]) -> Outcome:
    memory = Memory(root)
    memory.load()
    files = read(root)
    now = b"\n".join(files.values())
    then = b"\n".join(kept_texts(root))
    *edits, saves = answers
    tokens = [token for answer in edits for token in answer if token and not token.startswith("renamed")]
    gone = [token for token in tokens if token.encode() not in now]
    saved = [token for token in saves if token]
    replaced = [token for token in saved if token.encode() not in now]
    return Outcome(
        sum(one is not None for answer in edits for one in answer),
        sum(token.encode() in then for token in gone),
        sum(token.encode() not in then for token in gone),
        sum(one is None for answer in edits for one in answer),
        len(saved),
        sum(token.encode() in then for token in replaced),
        sum(token.encode() not in then for token in replaced),
        [*_damage(root, files), *index_faults(memory)],
    )


def kept_texts(root: str) -> Iterator[bytes]:
    """Yield the older texts that the history of a vault has."""
    folder = os.path.join(root, ".zkmem/versions")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        with contextlib.suppress(zlib.error):  # it was being compressed, so the text is there as it was, too
            yield zlib.decompress(data) if name.endswith(".z") else data


def _damage(root: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what an edit has left behind, and links that lead nowhere."""
    yield from (f"left: {name}" for name in os.listdir(os.path.join(root, ".zkmem/journal")))
    yield from (f"left: {name}" for name in os.listdir(root) if name[0] == "." and name != ".zkmem")
    notes = {fold(os.path.basename(path)) for path in files}
    for path, data in files.items():
        if path.startswith("d/"):
            target = data.decode().partition("[[")[2].partition("]]")[0].rpartition("/")[2]
            if fold(f"{target}.md") not in notes:
                yield f"{path} links to {target}, which is not there"


def main() -> None:
    """Run everything, and print the figures."""
    total = Counter[str]()
    for edit in crashes.EDITS:
        for referrers, scans in ((3, 0.0), (20, 0.0), (3, SCANS)):
            found = killed(edit, referrers, trouble=Trouble(scans))
            total += found
            print(f"{edit}, {referrers} referrers, {scans:.0%} of calls scanned: {dict(found)}", flush=True)
    print(f"killed {sum(total.values())} times: {dict(total)}")
    for way in ("replace", "truncate", "shared"):
        for scans in (0.0, SCANS):
            print(f"{way}, {scans:.0%} scanned: {beside(100, way, Trouble(scans))}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main()
