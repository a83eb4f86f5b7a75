"""A file system that ignores case, as those of macOS and Windows do, and keeps the spelling of each name.

A process of its own passes each call on to a folder, through FUSE. Options of a mount:

- `apfs` (macOS): two names are one if their Unicode case folding is the same, also in another Unicode form; two files
  can be swapped in one step.
- `plain` (memory cards, some network drives): case alone is ignored; no files are swapped, and no hard links made.

`pytest --names apfs tests/edit/test_edits.py` runs tests whose folder `tmp_path` is on such a file system.
`python -m tests.tools.insensitive apfs COMMAND...` runs a command with `{}` replaced by a folder there.
"""

import contextlib
import ctypes
import errno
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

KINDS = ("apfs", "plain")
_SWAP, _FREE = 2, 1  # RENAME_EXCHANGE, RENAME_NOREPLACE
_AT_FDCWD = -100
_HIDDEN = ".fuse_hidden"  # the library renames a file to this when it is removed while a process has it open
_NOW, _OMIT = 2**30 - 1, 2**30 - 2  # UTIME_NOW, UTIME_OMIT
_STAT = ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_ino", "st_blocks")

Key = Callable[[str], str]


def missing() -> str | None:
    """Return what this machine lacks for such a file system; None if it lacks nothing."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no /dev/fuse, or no right to it"
    if importlib.util.find_spec("mfusepy") is None:
        return "the package mfusepy is not installed"
    return None if shutil.which("fusermount3") else "the package fuse3 of the system is not installed"


@contextlib.contextmanager
def mounted(kind: str) -> Iterator[str]:
    """Mount a new, empty folder of one of the `KINDS` while this block runs; yield its path."""
    with tempfile.TemporaryDirectory(prefix="zkmem-names-") as above:
        below, mount = os.path.join(above, "below"), os.path.join(above, "mount")
        os.mkdir(below)
        os.mkdir(mount)
        command = [sys.executable, "-m", __spec__.name if __spec__ else __name__, "--mount", kind, below, mount]
        # the file system ends with its standard input, so it never outlives the tests
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"FUSE_LIBRARY_NAME": "fuse3"},
            text=True,
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stdout.readline() == "mounted\n", "the file system did not start"
            try:
                yield mount
            finally:
                process.stdin.close()


def exact_case(name: str) -> str:
    """Return a name as `apfs` compares it: without case, in one Unicode form."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def upper(name: str) -> str:
    """Return a name as `plain` compares it: each character in its upper case, if that is one character."""
    return "".join(char.upper() if len(char.upper()) == 1 else char for char in name)


def serve(kind: str, below: str, mount: str) -> None:
    """Be the file system, until standard input ends."""
    import mfusepy  # noqa: PLC0415 - only this process needs it, and it needs the library of the system

    class Fuse(mfusepy.FUSE):  # type: ignore[misc]
        """The library drops the flags of a rename, which would make a swap into a rename that replaces a file."""

        def rename_fuse_3(self, old: bytes, new: bytes, flags: int) -> int:
            self.operations.rename(os.fsdecode(old), os.fsdecode(new), flags)
            return 0

    class Passing(_Passing, mfusepy.Operations):  # type: ignore[misc]
        """The calls, with those that the library knows and this file system does not have."""

    threading.Thread(target=_end_with_stdin, daemon=True).start()
    key = exact_case if kind == "apfs" else upper
    with contextlib.suppress(RuntimeError):  # the library takes the signal that ends it for a failure
        Fuse(
            Passing(below, key, swaps=kind == "apfs", links=kind == "apfs"),
            mount,
            foreground=True,
            nothreads=True,
            default_permissions=True,
            fsname=f"zkmem-{kind}",
        )


def _end_with_stdin() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


class _Passing:
    """The calls of the file system: each finds how the names are spelled in the folder below, and passes the call on.

    Nobody else changes the folder below, so no two names in it are equal.
    """

    use_ns = True

    def __init__(self, below: str, key: Key, *, swaps: bool, links: bool) -> None:
        self._below = below
        self._key = key
        self._flags = _SWAP | _FREE if swaps else 0
        self._links = links
        self._rename = ctypes.CDLL(None, use_errno=True).renameat2

    def _full(self, path: str) -> str:
        """Return the path below; a name that is not there keeps the spelling of the caller."""
        full = self._below + path
        if os.path.lexists(full):
            return full
        full = self._below
        for name in filter(None, path.split("/")):
            full = f"{full}/{self._spelled(full, name)}"
        return full

    def _spelled(self, folder: str, name: str) -> str:
        if not os.path.lexists(f"{folder}/{name}") and os.path.isdir(folder):
            key = self._key(name)
            return next((other for other in os.listdir(folder) if self._key(other) == key), name)
        return name

    def init_with_config(self, _connection: object, config: Any) -> None:
        """Have the kernel keep no name and no text: it knows nothing of names without case."""
        config.entry_timeout = config.negative_timeout = config.attr_timeout = 0.0
        config.use_ino = config.direct_io = 1
        print("mounted", flush=True)

    def getattr(self, path: str, handle: int | None = None) -> dict[str, Any]:
        info = os.lstat(self._full(path)) if handle is None else os.fstat(handle)
        times = {f"st_{name}": getattr(info, f"st_{name}_ns") for name in ("atime", "mtime", "ctime")}
        return {name: getattr(info, name) for name in _STAT} | times

    def readdir(self, _path: str | None, handle: int) -> Iterator[tuple[str, dict[str, int], int]]:
        yield ".", {}, 0
        yield "..", {}, 0
        with os.scandir(handle) as entries:
            for entry in entries:
                if entry.name.startswith(_HIDDEN):
                    continue
                yield entry.name, {"st_ino": entry.inode(), "st_mode": os.lstat(entry.name, dir_fd=handle).st_mode}, 0

    def opendir(self, path: str) -> int:
        return os.open(self._full(path), os.O_RDONLY | os.O_DIRECTORY)

    def releasedir(self, _path: str | None, handle: int) -> None:
        os.close(handle)

    def fsyncdir(self, _path: str | None, _only_data: int, handle: int) -> None:
        os.fsync(handle)

    def open(self, path: str, flags: int) -> int:
        return os.open(self._full(path), flags & ~os.O_NOFOLLOW)

    def create(self, path: str, mode: int, flags: int) -> int:
        return os.open(self._full(path), flags | os.O_CREAT, mode)

    def release(self, _path: str | None, handle: int) -> None:
        os.close(handle)

    def read(self, _path: str | None, size: int, offset: int, handle: int) -> bytes:
        return os.pread(handle, size, offset)

    def write(self, _path: str | None, data: bytes, offset: int, handle: int) -> int:
        return os.pwrite(handle, data, offset)

    def flush(self, _path: str | None, _handle: int) -> None:
        pass

    def fsync(self, _path: str | None, _only_data: int, handle: int) -> None:
        os.fsync(handle)

    def truncate(self, path: str, length: int, handle: int | None = None) -> None:
        os.truncate(self._full(path) if handle is None else handle, length)

    def mkdir(self, path: str, mode: int) -> None:
        os.mkdir(self._full(path), mode)

    def mknod(self, path: str, mode: int, device: int) -> None:
        os.mknod(self._full(path), mode, device)

    def rmdir(self, path: str) -> None:
        os.rmdir(self._full(path))

    def unlink(self, path: str) -> None:
        os.unlink(self._full(path))

    def symlink(self, path: str, target: str) -> None:
        os.symlink(target, self._full(path))

    def readlink(self, path: str) -> str:
        return os.readlink(self._full(path))

    def link(self, path: str, source: str) -> None:
        if not self._links:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        os.link(self._full(source), self._full(path), follow_symlinks=False)

    def chmod(self, path: str, mode: int) -> None:
        os.chmod(self._full(path), mode)

    def chown(self, path: str, user: int, group: int) -> None:
        os.lchown(self._full(path), user, group)

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> None:
        info, now = os.lstat(self._full(path)), time.time_ns()
        old = (info.st_atime_ns, info.st_mtime_ns)
        asked = times or (_NOW, _NOW)
        new = [{_NOW: now, _OMIT: before}.get(one, one) for one, before in zip(asked, old, strict=True)]
        os.utime(self._full(path), ns=(new[0], new[1]), follow_symlinks=False)

    def statfs(self, _path: str) -> dict[str, int]:
        found = os.statvfs(self._below)
        return {name: getattr(found, name) for name in dir(found) if name.startswith("f_")}

    def rename(self, old: str, new: str, flags: int = 0) -> None:
        """Rename a file. A file that only gets another spelling of its name replaces no other."""
        if flags & ~self._flags:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        source, to = self._full(old), self._full(new)
        if source == to:
            to = f"{os.path.dirname(to)}/{os.path.basename(new)}"
            flags &= ~_FREE
        if self._rename(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(to), flags):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def main() -> None:
    """Be a file system, or run a command on one."""
    if sys.argv[1] == "--mount":
        serve(*sys.argv[2:])
        return
    kind, *command = sys.argv[1:]
    with mounted(kind) as folder:
        sys.exit(subprocess.run([part.replace("{}", folder) for part in command], check=False).returncode)


if __name__ == "__main__":
    main()
