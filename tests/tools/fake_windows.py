r"""A fake of the calls of Windows, over a real folder of Linux, with the failures that Windows has.

`install(folder)` has this process work below a folder as on Windows: zkmem's `Windows` makes its calls to the fake, and
the functions of `os` behave as they do there. Several processes may do so at once: what one of them has open is in the
way of the others. The system forgets that when a process is killed, because it is kept as locks of far bytes of the
files themselves.

- A file that another handle has open without sharing cannot be opened, renamed or deleted (errors 32 and 5); a file
  that is replaced must not be open at all. A folder cannot be renamed while something below is open.
- A deleted file that is open keeps its name, and cannot be opened, until the last handle is closed.
- No call swaps files. `ReplaceFileW` is two renames; a process can be killed, and another can act, between them. It can
  fail with 1175, 1176 and, half way, 1177 (`Trouble.replacing`, and at random beside the virus scanner).
- Names ignore case. Without the prefix `\\?\`, a path has at most 259 characters, and no name is reserved.
- At random, a call fails because a virus scanner has just opened the file (`Trouble.scans`).
- Changes can be lost without notice (`Trouble.deaf`).

`python -m tests.tools.windows_proofs` runs the crashes and the lost updates; its figures are in the documents.
"""

import contextlib
import errno
import fcntl
import functools
import os
import random
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.tools.insensitive import upper
from zkmem.vault import platform
from zkmem.vault.platform import win32
from zkmem.vault.platform.win32 import Failed, FileFacts, Pending, Win32
from zkmem.vault.platform.windows import Windows

READ, WRITE, DELETE = 1, 2, 4  # the bits of sharing, in the order of FILE_SHARE_READ and the others
_HAS, _DENIES = (
    1 << 60,
    (1 << 60) + 8,
)  # bytes far behind the end of a file: a handle has a right, or denies it to others
_IN_USE = (win32.SHARED, win32.DENIED)
_PENDING = stat.S_ISVTX  # the mode of a file that is deleted, and still open
_LONGEST = 259
_LOCK = "hhqqi4x"  # struct flock
_LOOK_S = 0.01
_CALLS = ["rename", "unlink", "mkdir", "rmdir", "stat", "lstat", "open", "listdir", "scandir", "utime", "chmod"]
_ORDINARY = {name: getattr(os, name) for name in _CALLS}

Happens = Callable[[int, str], object]


class Trouble(NamedTuple):
    """What goes wrong.

    `scans`: the share of calls that meet a virus scanner, for random numbers from the seed `seed`. `deaf`: no change is
    reported. `replacing`: the errors with which the first calls of `replace_file` fail.
    """

    scans: float = 0.0
    seed: int = 1
    deaf: bool = False
    replacing: Sequence[int] = ()


NO_TROUBLE = Trouble()


class FakeWin32(Win32):
    """The calls. A handle is a descriptor of Linux."""

    def __init__(self, trouble: Trouble, mutex: str) -> None:
        self.happens: Callable[[str], object] = lambda _: None
        self._trouble = trouble
        self._random = random.Random(trouble.seed + os.getpid() * (trouble.scans > 0))
        self._mutex = mutex
        self.are_scanned = False
        self.replacing = list[int]()

    def begin_trouble(self) -> None:
        """Let go wrong what is to go wrong."""
        self.are_scanned = True
        self.replacing = list(self._trouble.replacing)

    @contextlib.contextmanager
    def _step(self, name: str = "", *, scan: bool = False, errors: Sequence[int] = _IN_USE) -> Iterator[None]:
        """Make a change of the disk that no other call of any process sees in part."""
        if name:
            self.happens(name)
        if scan and self.are_scanned and self._random.random() < self._trouble.scans:
            raise Failed(self._random.choice(errors))
        turn = _ORDINARY["open"](self._mutex, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise Failed(_CODES.get(error.errno or 0, 31)) from error
        finally:
            os.close(turn)

    # --- opening

    def create_file(self, path: str, access: int, share: int, disposition: int, flags: int) -> int:
        wants = _wanted(access)
        makes = disposition != win32.OPEN_EXISTING
        with self._step("create_file" if makes else "", scan=wants != 0 and not flags & win32.FOLDER_TOO):
            return self.open_now(path, wants, share, disposition, own_link=bool(flags & win32.OPEN_LINK))

    def open_now(self, path: str, wants: int, share: int, disposition: int, *, own_link: bool = True) -> int:
        """Open a file or folder while the disk stands still; see `create_file`."""
        full = here(path)
        exists = self._settled(full)
        if disposition == win32.CREATE_NEW and exists:
            raise Failed(win32.EXISTS)
        if not exists:
            if disposition not in {win32.CREATE_NEW, win32.CREATE_ALWAYS, win32.OPEN_ALWAYS}:
                raise Failed(win32.NO_FILE if _is_folder(os.path.dirname(full)) else win32.NO_PATH)
            if any(char in '<>:"|?*' for char in os.path.basename(full)):
                raise Failed(123)
            handle = _ORDINARY["open"](full, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        else:
            info = _ORDINARY["lstat"](full)
            if stat.S_ISLNK(info.st_mode):
                return int(_ORDINARY["open"](full, os.O_PATH | (os.O_NOFOLLOW if own_link else 0)))
            if stat.S_ISDIR(info.st_mode):
                handle = _ORDINARY["open"](full, os.O_RDONLY)
            elif wants & WRITE and not info.st_mode & stat.S_IWUSR:
                raise Failed(win32.DENIED)
            elif not wants:
                return int(_ORDINARY["open"](full, os.O_PATH))
            else:
                handle = _ORDINARY["open"](full, (os.O_RDWR if wants & WRITE else os.O_RDONLY) | os.O_NONBLOCK)
        try:
            self._claim(handle, wants, share)
            if disposition in {win32.CREATE_ALWAYS, win32.TRUNCATE_EXISTING}:
                os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            raise
        return int(handle)

    def _claim(self, handle: int, wants: int, share: int) -> None:
        """Keep with an open file what its handle may do, and what it denies to others."""
        self._check(handle, wants, share)
        for right in (READ, WRITE, DELETE) if wants else ():
            if wants & right:
                _lock(handle, fcntl.F_RDLCK, _HAS + right)
            if not share & right:
                _lock(handle, fcntl.F_RDLCK, _DENIES + right)

    def _check(self, handle: int, wants: int, share: int) -> None:
        """Check that no other handle denies what this one wants, or has what this one denies."""
        for right in (READ, WRITE, DELETE) if wants else ():
            if (wants & right and _is_locked(handle, _DENIES + right)) or (
                not share & right and _is_locked(handle, _HAS + right)
            ):
                raise Failed(win32.SHARED)

    def _probe(self, full: str, *, replaced: bool = False) -> None:
        """Check that a file may be renamed or deleted now: a file that is replaced must not be open at all."""
        info = _ORDINARY["lstat"](full)
        if stat.S_ISLNK(info.st_mode):
            return
        handle = _ORDINARY["open"](full, os.O_RDONLY | os.O_NONBLOCK)
        try:
            self._check(handle, DELETE, READ | WRITE | DELETE)
            if replaced and _is_open(handle):
                raise Failed(win32.DENIED)
        finally:
            os.close(handle)
        if stat.S_ISDIR(info.st_mode):
            for folder, _, names in _walk(full):
                for name in names:
                    self._probe_below(f"{folder}/{name}")

    def _probe_below(self, full: str) -> None:
        if stat.S_ISREG(_ORDINARY["lstat"](full).st_mode):
            handle = _ORDINARY["open"](full, os.O_RDONLY)
            try:
                if _is_open(handle):
                    raise Failed(win32.DENIED)
            finally:
                os.close(handle)

    def _settled(self, full: str) -> bool:
        """Return whether a file is there; end the wait of a deleted file that nobody has open any more.

        Raises:
            Failed: when it is deleted, and somebody has it open.
        """
        try:
            info = _ORDINARY["lstat"](full)
        except OSError:
            return False
        if not (stat.S_ISREG(info.st_mode) and info.st_mode & _PENDING):
            return True
        handle = _ORDINARY["open"](full, os.O_RDONLY)
        try:
            if _is_open(handle):
                raise Failed(win32.DENIED)
        finally:
            os.close(handle)
        _ORDINARY["unlink"](full)
        return False

    # --- an open file

    def close(self, handle: int) -> None:
        os.close(handle)

    def to_descriptor(self, handle: int, flags: int) -> int:
        if flags & os.O_APPEND:
            fcntl.fcntl(handle, fcntl.F_SETFL, fcntl.fcntl(handle, fcntl.F_GETFL) | os.O_APPEND)
        return handle

    def from_descriptor(self, descriptor: int) -> int:
        return descriptor

    def facts(self, handle: int) -> FileFacts:
        return _facts(os.fstat(handle))

    def final_path(self, handle: int) -> str:
        return "\\\\?\\" + os.readlink(f"/proc/self/fd/{handle}").replace("/", "\\")

    def entries(self, handle: int) -> Iterator[tuple[str, FileFacts]]:
        folder = os.readlink(f"/proc/self/fd/{handle}")
        for name in _ORDINARY["listdir"](handle):
            with contextlib.suppress(FileNotFoundError):
                yield name, _facts(_ORDINARY["lstat"](f"{folder}/{name}"))

    def set_times(self, handle: int, when_ns: int) -> None:
        _ORDINARY["utime"](f"/proc/self/fd/{handle}", ns=(when_ns, when_ns))

    def flush(self, handle: int) -> None:
        self.happens("flush")

    def lock_file(self, handle: int, offset: int) -> None:
        try:
            _lock(handle, fcntl.F_WRLCK, offset)
        except BlockingIOError:
            raise Failed(win32.LOCKED) from None

    def unlock_file(self, handle: int, offset: int) -> None:
        _lock(handle, fcntl.F_UNLCK, offset)

    def drive_type(self, _root: str) -> int:
        return 3

    # --- names

    def move_file(self, source: str, to: str, flags: int) -> None:
        with self._step("move_file", scan=True):
            self._move(here(source), here(to), to, replace=bool(flags & win32.REPLACE))

    def _move(self, full: str, goal: str, to: str, *, replace: bool) -> None:
        if not self._settled(full):
            raise Failed(win32.NO_FILE)
        self._probe(full)
        if full == goal:  # only the spelling changes
            goal = f"{os.path.dirname(goal)}/{os.path.basename(to.replace(chr(92), '/'))}"
        elif self._settled(goal):
            if not replace:
                raise Failed(win32.ALREADY_EXISTS)
            if _is_folder(goal) or not _ORDINARY["lstat"](goal).st_mode & stat.S_IWUSR:
                raise Failed(win32.DENIED)
            self._probe(goal, replaced=True)
        _ORDINARY["rename"](full, goal)

    def replace_file(self, replaced: str, replacement: str, backup: str) -> None:
        full, slot, aside = here(replaced), here(replacement), here(backup)
        fails = self.replacing.pop(0) if self.replacing else 0
        with self._step("replace_file", scan=True, errors=(*_IN_USE, win32.NOT_REMOVED, win32.NOT_MOVED)):
            if fails and fails != win32.HALF_REPLACED:
                raise Failed(fails)
            if not (self._settled(full) and self._settled(slot)):
                raise Failed(win32.NO_FILE)
            if not _ORDINARY["lstat"](full).st_mode & stat.S_IWUSR:
                raise Failed(win32.DENIED)
            self._probe(full)
            self._probe(slot)
            mode = stat.S_IMODE(_ORDINARY["lstat"](full).st_mode)
            _ORDINARY["chmod"](slot, mode)
            self._move(full, aside, backup, replace=True)
        with self._step("replace_file, second half", scan=True, errors=(win32.HALF_REPLACED,)):
            if fails:
                raise Failed(fails)
            try:
                self._move(slot, full, replaced, replace=False)
            except Failed:  # for example, somebody has made a file at the free name
                raise Failed(win32.HALF_REPLACED) from None

    def create_hard_link(self, new: str, existing: str) -> None:
        with self._step("create_hard_link"):
            if self._settled(here(new)):
                raise Failed(win32.ALREADY_EXISTS)
            os.link(here(existing), here(new))

    def delete_file(self, path: str) -> None:
        with self._step("delete_file", scan=True):
            full = here(path)
            if not self._settled(full):
                raise Failed(win32.NO_FILE)
            info = _ORDINARY["lstat"](full)
            if stat.S_ISDIR(info.st_mode) or not info.st_mode & stat.S_IWUSR:
                raise Failed(win32.DENIED)
            self._probe(full)
            if not stat.S_ISLNK(info.st_mode):
                _ORDINARY["chmod"](full, stat.S_IMODE(info.st_mode) | _PENDING)
                with contextlib.suppress(Failed):
                    self._settled(full)
            else:
                _ORDINARY["unlink"](full)

    def create_directory(self, path: str) -> None:
        with self._step("create_directory"):
            if self._settled(here(path)):
                raise Failed(win32.ALREADY_EXISTS)
            _ORDINARY["mkdir"](here(path))

    def remove_directory(self, path: str) -> None:
        with self._step("remove_directory"):
            full = here(path)
            for name in _ORDINARY["listdir"](full):
                with contextlib.suppress(Failed):
                    self._settled(f"{full}/{name}")
            handle = _ORDINARY["open"](full, os.O_RDONLY)
            try:
                self._check(handle, DELETE, READ | WRITE | DELETE)
                _ORDINARY["rmdir"](full)
            finally:
                os.close(handle)

    # --- changes

    def begin_changes(self, handle: int, size: int) -> Pending:
        return Pending(self._files(handle), threading.Event())

    def finish_changes(self, handle: int, pending: Pending) -> list[tuple[int, str]]:
        self._waiting = pending.state
        while not pending.state.wait(_LOOK_S):
            now = self._files(handle)
            changed = [path for path in {**pending.buffer, **now} if pending.buffer.get(path) != now.get(path)]
            if changed and not self._trouble.deaf:
                return [(win32.MODIFIED if path in now else win32.REMOVED, path) for path in changed]
        raise Failed(win32.ABORTED)

    def cancel(self, _handle: int) -> None:
        self._waiting.set()

    _waiting = threading.Event()

    def _files(self, handle: int) -> dict[str, tuple[int, int, int]]:
        top = os.readlink(f"/proc/self/fd/{handle}")
        found = {}
        for folder, _, names in _walk(top):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    info = _ORDINARY["lstat"](f"{folder}/{name}")
                    found[f"{folder}/{name}"[len(top) + 1 :].replace("/", "\\")] = (
                        info.st_mtime_ns,
                        info.st_size,
                        info.st_ino,
                    )
        return found


def here(path: str) -> str:
    r"""Return the path on Linux, spelled as on the disk, for a path of Windows such as `\\?\\tmp\notes\a.md`."""
    full = path.removeprefix("\\\\?\\").replace("\\", "/")
    return full if _is_there(full) else _spelled(full)


def _spelled(full: str) -> str:
    folder, _, name = full.rpartition("/")
    if not folder:
        return full
    folder = folder if _is_there(folder) else _spelled(folder)
    if not _is_there(f"{folder}/{name}") and _is_folder(folder):
        folded = upper(name)
        name = next((other for other in _ORDINARY["listdir"](folder) if upper(other) == folded), name)
    return f"{folder}/{name}"


def _is_folder(full: str) -> bool:
    return _is_there(full) and stat.S_ISDIR(_ORDINARY["lstat"](full).st_mode)


def _is_there(full: str) -> bool:
    try:
        _ORDINARY["lstat"](full)
    except OSError:
        return False
    return True


def _walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk through a folder as `os.walk` does, with the functions of Linux."""
    folders, names = list[str](), list[str]()
    with contextlib.suppress(OSError):
        for name in _ORDINARY["listdir"](top):
            is_folder = stat.S_ISDIR(_ORDINARY["lstat"](f"{top}/{name}").st_mode)
            (folders if is_folder else names).append(name)
    yield top, folders, names
    for name in folders:
        yield from _walk(f"{top}/{name}")


def _wanted(access: int) -> int:
    read = READ if access & (win32.GENERIC_READ | win32.READ_DATA) else 0
    return read | (WRITE if access & (win32.GENERIC_WRITE | win32.WRITE_DATA | win32.APPEND_DATA) else 0)


def _facts(info: os.stat_result) -> FileFacts:
    attributes, tag = (win32.FOLDER if stat.S_ISDIR(info.st_mode) else 0), 0
    if stat.S_ISLNK(info.st_mode):
        attributes, tag = win32.REPARSE, 0xA000_000C
    elif not info.st_mode & stat.S_IWUSR:
        attributes |= win32.READ_ONLY
    return FileFacts(
        attributes, tag, info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino, info.st_dev, info.st_nlink
    )


def _lock(handle: int, kind: int, at: int) -> None:
    fcntl.fcntl(handle, fcntl.F_OFD_SETLK, struct.pack(_LOCK, kind, os.SEEK_SET, at, 1, 0))


def _is_locked(handle: int, at: int, count: int = 1) -> bool:
    """Return whether another handle has locked one of some bytes."""
    answer = fcntl.fcntl(handle, fcntl.F_OFD_GETLK, struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, at, count, 0))
    return bool(struct.unpack(_LOCK, answer)[0] != fcntl.F_UNLCK)


def _is_open(handle: int) -> bool:
    """Return whether another handle has the file open, for more than its attributes."""
    return _is_locked(handle, _HAS, 16)


_CODES = {
    errno.ENOENT: win32.NO_FILE,
    errno.ENOTDIR: win32.NO_PATH,
    errno.EEXIST: win32.ALREADY_EXISTS,
    errno.ENOTEMPTY: win32.NOT_EMPTY,
    errno.EACCES: win32.DENIED,
    errno.EISDIR: win32.DENIED,
    errno.ENAMETOOLONG: 206,
    errno.ENOSPC: 112,
}
_ERRORS = {
    win32.NO_FILE: errno.ENOENT,
    win32.NO_PATH: errno.ENOENT,
    win32.EXISTS: errno.EEXIST,
    win32.ALREADY_EXISTS: errno.EEXIST,
    win32.NOT_EMPTY: errno.ENOTEMPTY,
}


class _Os:
    """The functions of `os` as Python has them on Windows, for the paths below a folder."""

    def __init__(self, calls: FakeWin32) -> None:
        self._calls = calls

    def rename(self, source: str, to: str) -> None:
        self._calls.move_file(source, to, 0)

    def replace(self, source: str, to: str) -> None:
        self._calls.move_file(source, to, win32.REPLACE)

    def unlink(self, path: str) -> None:
        self._calls.delete_file(path)

    remove = unlink

    def mkdir(self, path: str, mode: int = 0o777) -> None:
        self._calls.create_directory(path)

    def rmdir(self, path: str) -> None:
        self._calls.remove_directory(path)

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_DIRECTORY:
            raise Failed(win32.DENIED)
        kind = flags & (os.O_WRONLY | os.O_RDWR)
        wants = READ if kind == os.O_RDONLY else WRITE if kind == os.O_WRONLY else READ | WRITE
        way = win32.OPEN_EXISTING
        if flags & os.O_CREAT:
            way = win32.CREATE_NEW if flags & os.O_EXCL else win32.OPEN_ALWAYS
        access = (win32.GENERIC_READ if wants & READ else 0) | (win32.GENERIC_WRITE if wants & WRITE else 0)
        handle = self._calls.create_file(path, access, READ | WRITE, way, 0)  # no file may be renamed meanwhile
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
        return self._calls.to_descriptor(handle, flags)

    def stat(self, path: str, *, follow_symlinks: bool = True) -> os.stat_result:
        self._calls.close(self._calls.create_file(path, win32.READ_ATTRIBUTES, 7, win32.OPEN_EXISTING, win32.OPEN_LINK))
        return _ORDINARY["stat"](here(path), follow_symlinks=follow_symlinks)  # type: ignore[no-any-return]

    def lstat(self, path: str) -> os.stat_result:
        return self.stat(path, follow_symlinks=False)

    def listdir(self, path: str) -> list[str]:
        return list(_ORDINARY["listdir"](here(path)))

    def scandir(self, path: str) -> Any:
        return _ORDINARY["scandir"](here(path))

    def utime(self, path: str, times: Any = None, **named: Any) -> None:
        _ORDINARY["utime"](here(path), times, **named)

    def chmod(self, path: str, mode: int, **_: Any) -> None:
        _ORDINARY["chmod"](here(path), 0o666 if mode & stat.S_IWUSR else 0o444)


class Installed(NamedTuple):
    """The fake in this process."""

    calls: FakeWin32
    folder: str

    def arm(self, happens: Happens) -> None:
        """Have something happen just before each call that may change the disk (see `crashes.arm`); begin to scan."""
        count = 0
        self.calls.begin_trouble()

        def counted(name: str) -> None:
            nonlocal count
            count += 1
            happens(count, name)

        self.calls.happens = counted


current: Installed | None = None
"""The fake in this process, if it is installed."""


def install(folder: str, trouble: Trouble = NO_TROUBLE) -> Installed:
    """Have this process, and those that it forks, work below a folder as on Windows."""
    global current  # noqa: PLW0603 - there is one system in a process
    folder = os.path.realpath(folder)
    calls = FakeWin32(trouble, folder + ".turn")
    current = Installed(calls, folder)
    platform.current = Windows(calls)
    replaced = _Os(calls)
    for name in [name for name in vars(_Os) if not name.startswith("_")]:
        setattr(os, name, _below(folder, getattr(os, name), getattr(replaced, name)))
    os.write = _counted(calls, os.write)
    os.fsync = _counted(calls, os.fsync)
    return current


@contextlib.contextmanager
def installed(folder: str, trouble: Trouble = NO_TROUBLE) -> Iterator[Installed]:
    """Install the fake while this block runs."""
    global current
    ordinary, system = dict(vars(os)), platform.current
    try:
        yield install(folder, trouble)
    finally:
        current, platform.current = None, system
        vars(os).update(ordinary)


def _below(folder: str, ordinary: Callable[..., Any], windows: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `os` that does as on Windows if its path is below a folder."""

    @functools.wraps(ordinary)
    def call(*arguments: Any, **named: Any) -> Any:
        path = os.fspath(arguments[0]) if arguments and not isinstance(arguments[0], int) else None
        if not isinstance(path, str) or not path.startswith(folder + "/"):
            return ordinary(*arguments, **named)
        if len(path) > _LONGEST:
            raise FileNotFoundError(errno.ENOENT, "the path is too long for Windows", path)
        named.pop("dir_fd", None)
        try:
            return windows(path, *arguments[1:], **named)
        except Failed as error:
            number = _ERRORS.get(error.code, errno.EACCES)
            raise OSError(number, f"Windows error {error.code}", path) from None

    return call


def _counted(calls: FakeWin32, ordinary: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(ordinary)
    def call(*arguments: Any) -> Any:
        calls.happens(ordinary.__name__)
        return ordinary(*arguments)

    return call


def settle(folder: str) -> None:
    """Remove the deleted files that nobody has open any more."""
    assert current
    for above, _, names in _walk(folder):
        for name in names:
            current.calls._settled(f"{above}/{name}")


def hold(path: str, seconds: float, *, share: int = 0) -> None:
    """Have a file open for some time, as a program does that shares less than all."""
    assert current
    handle = current.calls.create_file(path, win32.GENERIC_READ, share, win32.OPEN_EXISTING, 0)
    time.sleep(seconds)
    current.calls.close(handle)
