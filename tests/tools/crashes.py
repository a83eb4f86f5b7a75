"""Edits that are killed in the middle, each at one system call, and what is found afterwards.

The system calls that change a disk are wrapped in a child process, which kills itself at the one it is told.
`python -m tests.tools.crashes EDIT REFERRERS` kills an edit at every call.
"""

import functools
import mmap
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from tests.tools import fake_windows
from tests.tools.inner import engine
from tests.tools.together import together
from tests.tools.vaults import read, write
from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.vault import platform

CALLS = ["open", "write", "pwrite", "fsync", "fchmod", "link", "unlink", "rename", "replace", "mkdir", "rmdir", "utime"]
PASSAGE = "A passage\nto move, with [[other]] in it.\n"

Edit = Callable[[Memory], object]

EIGHT: list[Edit] = [
    lambda m: m.write("note", "A line.", append=True),
    lambda m: m.write("note", "Another one, [[new]].", append=True),
    lambda m: m.write("other", "Replaced, [[note]].\n"),
    lambda m: m.write("new", "New.\n"),
    lambda m: m.write("new", "And more.", append=True),
    lambda m: m.write("e/f/new too", "[[new]]\n"),
    lambda m: m.write("other", "Added.", append=True),
    lambda m: m.write("note", "A last line.", append=True),
]

EDITS: dict[str, Edit] = {
    "rename": lambda m: m.rename("note", "moved/here/new name"),
    "merge": lambda m: m.rename("note", "other", merge=True),
    "extract": lambda m: m.extract("note", PASSAGE, "topics/extracted"),
    "delete": lambda m: m.delete("note"),
    "set": lambda m: m.write("note", "Other text.\n"),
    "create": lambda m: m.write("a/b/new", "New.\n"),
    "undo": lambda m: m.undo(edit=2),  # a renaming, and a later edit on top of it stays
    "together": lambda m: together(engine(m), EIGHT),
}


def make(root: str, referrers: int) -> str:
    """A vault with a note that so many others link to, and with three edits."""
    write(root, {"note.md": f"# Note\n\n{PASSAGE}\nAnd [[note 1]].\n", "other.md": "Other.\n"})
    write(root, {f"d/note {n}.md": f"See [[note]] and [[note|{n}]].\n[[other]]\n" for n in range(referrers)})
    memory = Memory(root)
    memory.write("to undo", "[[note]]\n")
    memory.rename("to undo", "undone")
    memory.write("undone", "A later line, [[undone]].\n", append=True)
    return root


def die() -> None:
    """What happens at a fatal call."""
    os.kill(os.getpid(), signal.SIGKILL)


def arm(happens: Callable[[int, str], object]) -> None:
    """Have something happen just before each system call of this process that may change a disk.

    It gets the number of the call, from 1, and its name; what it raises, the call raises.
    """
    if fake_windows.current:
        fake_windows.current.arm(happens)
        return
    count = 0
    opened = os.open

    def wrapped(call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            nonlocal count
            if call is not opened or arguments[1] & (os.O_CREAT | os.O_TRUNC):
                count += 1
                happens(count, call.__name__)
            return call(*arguments, **named)

        return wrapper

    for name in CALLS:
        setattr(os, name, wrapped(getattr(os, name)))
    for name in ("exchange", "rename_to_free"):
        setattr(platform.current, name, wrapped(getattr(platform.current, name)))


def in_child(work: Callable[[], object]) -> int:
    """Do some work in a child process; its exit code: 0 done, 3 refused, 1 another failure, less than 0 a signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except ZkError:
            os._exit(3)
        except BaseException:  # noqa: BLE001 - nothing may get back into the test from here
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code != 1, "the edit failed in a way that it does not explain"
    return code


def with_fault(root: str, edit: Edit, happens: Callable[[int, str], object]) -> int:
    """Make an edit in a child process in which something happens; see `in_child`."""

    def work() -> None:
        memory = Memory(root)
        memory.load()
        arm(happens)
        edit(memory)

    return in_child(work)


def calls_of(root: str, edit: Edit) -> list[str]:
    """Make an edit in a child process; return the names of the calls by which it may change a disk."""
    names = mmap.mmap(-1, 1 << 16)  # shared with the child
    assert with_fault(root, edit, lambda _, name: names.write(f"{name} ".encode())) == 0
    return names[:].rstrip(b"\0").decode().split()


def killed(root: str, edit: Edit, fatal: int) -> bool:
    """Make an edit in a child process that dies at a call; False if it came to its end before."""
    return with_fault(root, edit, lambda count, _: die() if count == fatal else None) < 0


def snapshot(root: str) -> dict[str, bytes]:
    """The files below a folder, and the folders (which end in "/")."""
    folders = (os.path.relpath(path, root) + "/" for path, _, _ in os.walk(root))
    return read(root, hidden=True) | {path: b"" for path in folders if not path.startswith(".zkmem/versions/")}


def recovered(root: str) -> dict[str, bytes]:
    """The files, once a new process has opened the vault."""
    Memory(root).load()
    if fake_windows.current:
        fake_windows.settle(root)
    return snapshot(root)


def states(template: str, edit: Edit, folder: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of a vault before and after an edit."""
    before = snapshot(template)
    copy = shutil.copytree(template, os.path.join(folder, "after"))
    edit(Memory(copy))
    after = snapshot(copy)
    shutil.rmtree(copy)
    return before, after


def at_every_call(template: str, edit: Edit, folder: str, step: int = 1) -> Iterator[tuple[int, str]]:
    """Kill an edit at every call (or every so many); yields the call's number and which state was found after it."""
    before, after = states(template, edit, folder)
    fatal = 1
    while True:
        root = shutil.copytree(template, os.path.join(folder, str(fatal)))
        alive = not killed(root, edit, fatal)
        found = recovered(root)
        yield fatal, "old" if found == before else "new" if found == after else "broken"
        shutil.rmtree(root)
        if alive:
            return
        fatal += step


def main(edit: str, referrers: str) -> None:
    """Kill an edit as the command line says, and print how often each state was found."""
    with tempfile.TemporaryDirectory() as folder:
        template = make(os.path.join(folder, "template"), int(referrers))
        states = [state for _, state in at_every_call(template, EDITS[edit], folder)]
    counts = {state: states.count(state) for state in ("old", "new", "broken")}
    print(f"{edit}, {referrers} referrers: {len(states)} kills, {counts}")


if __name__ == "__main__":
    main(*sys.argv[1:])
