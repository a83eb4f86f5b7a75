"""A person's save at each moment of an edit: between any two calls that the edit makes, in one process, without chance.

`python -m tests.tools.between` tries every moment on the fake Windows, and on systems that can swap files or cannot.
"""

import contextlib
import errno
import itertools
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.tools import crashes, fake_windows
from tests.tools.fake_windows import READ, WRITE
from tests.tools.inner import index_faults
from tests.tools.vaults import read, write
from tests.tools.windows_proofs import disk, kept_texts
from zkmem.errors import Busy, Changed, Unwritable
from zkmem.memory import Memory
from zkmem.vault import platform
from zkmem.vault.platform import win32
from zkmem.vault.platform.win32 import Failed

WAYS = ("truncate", "shared", "replace")
SYSTEMS = ("windows", "swap", "links", "plain")
GAPS = (0, 1, 3)  # moments between two steps of a save; 0: it is made at one moment
KILLS = (0, 1, 2)

_NOTE = "note.md"
_OLD = b"A first line, [[target]].\n"
_BEGIN = b"A first line, [["
_LINE = b"\nSaved by a person.\n"
_FEWEST = 10  # moments of an edit
_MOST_STEPS = 30  # of a person who tries again at one moment
_TOKEN = "Added by an edit."
_LOOKS = ("opened", "info")
_CALLS = {"replace_file", "replace_file, second half", "move_file"}  # of the fake Windows
_CONCERNED = re.compile(r"/note\.md$|/journal/\w+\.\d+(\.aside)?$")  # the note, its slots, and what is put aside
_CHANGES = ("exchange", "rename_to_free", "rename", "link", "touch", "unlink")

EDITS: Mapping[str, Callable[[Memory], object]] = {
    "append": lambda memory: memory.write("note", _TOKEN, append=True),
    "rename": lambda memory: memory.rename("target", "new"),
    "undo": lambda memory: memory.undo(),
    "delete": lambda memory: memory.delete("note"),
}


class Case(NamedTuple):
    """An edit, and the moments of a save."""

    edit: str
    way: str
    moment: int
    gap: int
    kill: int


class Result(NamedTuple):
    """What was found after an edit and a save."""

    case: Case
    answered: bool
    faults: Sequence[str]
    note: bytes | None
    versions: Sequence[bytes]
    finished: tuple[str, ...]  # the changes just before and after the end of the save
    too_late: bool  # the edit ended before the save began


# --- the person


def saving(full: str, text: bytes, way: str) -> Iterator[None]:
    """Save a text as an editor does, in steps; a step that fails is tried again.

    `way`: `replace` writes a new file and renames it, `truncate` empties the note and writes it in two parts, `shared`
    also lets others rename the note meanwhile.
    """
    if way == "replace":
        temp = f"{os.path.dirname(full)}/.person.tmp"
        handle = yield from _patiently(lambda: _emptied(temp, READ | WRITE))
        os.write(handle, text)
        os.close(handle)
        yield
        yield from _patiently(lambda: os.replace(temp, full))
        return
    handle = yield from _patiently(lambda: _emptied(full, 7 if way == "shared" else READ | WRITE))
    yield
    os.write(handle, text[:30])
    yield
    os.write(handle, text[30:])
    os.close(handle)


def _emptied(full: str, share: int) -> int:
    if fake_windows.current:
        return fake_windows.current.calls.create_file(full, win32.GENERIC_WRITE, share, win32.CREATE_ALWAYS, 0)
    return os.open(full, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def _patiently(step: Callable[[], Any]) -> Any:
    while True:
        try:
            return step()
        except (OSError, Failed):
            yield


class Person:
    """A person who begins to save a note at one moment, and goes on at later ones."""

    def __init__(self, steps: Iterator[None], moment: int, gap: int) -> None:
        """`gap`: the number of moments between two steps; 0: all steps are at one moment."""
        self.count = 0
        self.passed = list[str]()  # the calls
        self.finished: tuple[str, ...] = ()  # the changes just before and after the end of the save
        self._steps, self._moment, self._gap = steps, moment, gap
        self._acts = False

    def pass_by(self, name: str) -> None:
        """Let a moment pass: the one before a call."""
        if self._acts:  # it is a call of the person's own
            return
        self.count += 1
        self.passed.append(name)
        late = self.count - self._moment
        if late == 0 or (late > 0 and self._gap and late % self._gap == 0):
            self.act(1 if self._gap else _MOST_STEPS)

    def act(self, count: int = _MOST_STEPS) -> None:
        """Make some of the steps that are left."""
        self._acts = True
        made = sum(1 for _ in itertools.islice(self._steps, count))
        self._acts = False
        if made < count and not self.finished:
            self.finished = tuple([name for name in self.passed if name not in _LOOKS][-2:])


# --- the edit


@contextlib.contextmanager
def system(name: str) -> Iterator[str]:
    """Have an empty folder on a system while this block runs.

    `windows`: the fake. `swap`: this system. `links` and `plain`: it cannot swap files; `plain` has no hard links.
    """
    if name == "windows":
        with disk() as folder:
            yield folder
        return
    with tempfile.TemporaryDirectory() as above, contextlib.ExitStack() as stack:
        if name != "swap":
            stack.enter_context(_without("exchange", platform.Unsupported()))
        if name == "plain":
            stack.enter_context(_without("link", OSError(errno.EPERM, os.strerror(errno.EPERM))))
            stack.enter_context(_without("rename_to_free", platform.Unsupported()))
        yield os.path.realpath(above)


@contextlib.contextmanager
def _without(call: str, error: Exception) -> Iterator[None]:
    def fail(*_: object) -> None:
        raise error

    setattr(platform.current, call, fail)
    try:
        yield
    finally:
        delattr(platform.current, call)


@contextlib.contextmanager
def _observed(passes: Callable[[str], object]) -> Iterator[None]:
    """Have a moment pass before each call of zkmem that looks at the note or its slot, or changes one of them."""
    names = _LOOKS if fake_windows.current else _LOOKS + _CHANGES
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(_preceded(name, passes))
        if fake_windows.current:
            fake_windows.current.calls.happens = lambda name: passes(name) if name in _CALLS else None
            stack.callback(setattr, fake_windows.current.calls, "happens", lambda _: None)
        yield


@contextlib.contextmanager
def _preceded(name: str, passes: Callable[[str], object]) -> Iterator[None]:
    own = vars(platform.current).get(name)
    call = getattr(platform.current, name)

    def preceded(*arguments: Any, **named: Any) -> Any:
        if any(_CONCERNED.search(one) for one in arguments if isinstance(one, str)):
            passes(name)
        return call(*arguments, **named)

    setattr(platform.current, name, preceded)
    try:
        yield
    finally:
        delattr(platform.current, name)
        if own:
            setattr(platform.current, name, own)


def at_moment(folder: str, edit: str, way: str, moment: int, gap: int = 0, kill: int = 0) -> Result:
    """Make an edit while a person saves the note from a moment on; return what was found.

    `kill`: so many moments after the first step, the edit's process is killed; 0: it is not.
    """
    root = os.path.join(folder, f"{edit} {way} {moment} {gap} {kill}")
    write(root, {_NOTE: _OLD, "target.md": "Target.\n"})
    memory = Memory(root)
    if edit == "undo":
        memory.write("note", _TOKEN, append=True)
    memory.load()
    saved = read(root)[_NOTE] + _LINE
    person = Person(saving(f"{root}/{_NOTE}", saved, way), moment, gap)

    def passes(name: str) -> None:
        person.pass_by(name)
        if kill and person.count == moment + kill:
            crashes.die()

    def work() -> None:
        with _observed(passes):
            EDITS[edit](memory)

    if kill:
        code = crashes.in_child(work)
        answered, ended = code == 0, code >= 0
    else:
        answered = _is_answered(work)
        ended = person.count < moment
        person.act()
    found = _result(Case(edit, way, moment, gap, kill), root, answered, saved)
    return found._replace(finished=person.finished, too_late=ended)


def _is_answered(work: Callable[[], object]) -> bool:
    try:
        work()
    except (Busy, Unwritable, Changed):
        return False
    return True


def _result(case: Case, root: str, answered: bool, saved: bytes) -> Result:
    memory = Memory(root)
    memory.load()
    if fake_windows.current:
        fake_windows.settle(root)
    files = read(root, hidden=True)
    now, then = b"\n".join(files.values()), list(kept_texts(root))
    note = files.get(_NOTE)
    faults = list(index_faults(memory))
    faults += [f"left: {name}" for name in files if name.startswith((".zkmem/journal", ".zkmem-gone"))]
    if note is not None and not note.startswith(_BEGIN):
        faults.append("a part of a text was taken for the note")
    if note is None and case.edit != "delete":
        faults.append("the note is gone")
    if _LINE not in now and saved not in then:
        faults.append("the person's text is lost")
    if answered and case.edit == "append" and not any(_TOKEN.encode() in text for text in (now, *then)):
        faults.append("the edit is lost")
    return Result(case, answered, faults, note, then, (), too_late=False)


def every_moment(name: str, edit: str, way: str, gap: int, kill: int = 0) -> Iterator[Result]:
    """Make an edit again and again, each time with a save that begins at another moment."""
    with system(name) as folder:
        moment = 1
        while True:
            result = at_moment(folder, edit, way, moment, gap, kill)
            if result.too_late:
                return
            yield result
            moment += 1


CANNOT_BE_KEPT = {("plain", ("link", "rename"))}
"""The systems and the moments at which they lose a save: they have no rename that fails if a name is taken."""


def faults(name: str, edit: str, way: str, gap: int = 0, kill: int = 0) -> list[Result]:
    """Return what is wrong after saves at every moment of an edit, but for what a system makes impossible."""
    found = list(every_moment(name, edit, way, gap, kill))
    assert len(found) > _FEWEST
    return [one for one in found if one.faults and (name, one.finished) not in CANNOT_BE_KEPT]


def main() -> None:
    """Try everything; print the figures, and what was found where something is wrong."""
    total = 0
    for name, edit, way, gap, kill in itertools.product(SYSTEMS, EDITS, WAYS, GAPS, KILLS):
        if kill and gap:  # the save is at one moment, and then the process is killed
            continue
        found = list(every_moment(name, edit, way, gap, kill))
        total += len(found)
        print(f"{name}, {edit}, {way}, gap {gap}, kill {kill}: {len(found)} moments", flush=True)
        for one in found:
            if one.faults:
                print("   ", one, flush=True)
    print(total, "saves")


if __name__ == "__main__":
    main()
