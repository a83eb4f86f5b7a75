"""Read the objects of a repository: one git process answers all requests, because each start costs milliseconds."""

import contextlib
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from zkmem.vault import files
from zkmem.vault.git.command import TRANSFER_S, Git, GitTrouble, pipes

_PART = 1_000_000  # bytes that are read or skipped at once
_AT_ONCE = 200  # requests: their text is shorter than the buffer of a pipe
_MOST_SKIPPED = 16_000_000  # bytes of an object
PATIENCE_S = 30.0  # for a part of an answer; a filter may take longer
_MOST_DAMAGED = 100  # files of one request
_LOOKS = 4  # how often the watching thread looks during the longest read
_HEADER = 3  # words before the bytes of an object: its hash, kind and size


class Answers(contextlib.AbstractContextManager["Answers"]):
    """A running `git cat-file`, which answers each line that it is sent. Use this in a `with` block.

    git may print fewer bytes of a damaged object than it has announced, and then wait for the next request. If a read
    takes too long, the process is killed, and the read returns what there is.
    """

    def __init__(self, git: Git, *options: str, patience_s: float) -> None:
        """Start the process. `patience_s`: the longest time that a read may take."""
        self.took_too_long = False  # whether the process was killed
        self._stack = contextlib.ExitStack()
        self._process = self._stack.enter_context(git.process("cat-file", *options))
        self._stdin, self._stdout = pipes(self._process)
        self._patience_s = patience_s
        self._since: float | None = None  # when the present read began
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="zkmem-git-answers", daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """End the thread and the process."""
        self._over.set()
        self._thread.join()
        self._stack.close()

    def ask(self, request: str) -> None:
        """Send lines to the process."""
        try:
            self._stdin.write(f"{request}\n".encode(errors="surrogateescape"))
            self._stdin.flush()
        except BrokenPipeError:
            raise _ended() from None

    def each(self, requests: Sequence[str]) -> Iterator[bytes]:
        """Send requests, some at a time so that neither side waits; yield the line of each answer."""
        for start in range(0, len(requests), _AT_ONCE):
            part = requests[start : start + _AT_ONCE]
            self.ask("\n".join(part))
            for _ in part:
                yield self.line()

    def line(self) -> bytes:
        """Return the next line, which must be whole."""
        line = self.readline()
        if not line.endswith(b"\n"):
            raise _ended()
        return line

    def read(self, count: int) -> bytes:
        """Return the next `count` bytes, or those before the end."""
        return self._timed(self._stdout.read, count)

    def read1(self, count: int) -> bytes:
        """Return at most `count` bytes, as soon as there are some; none at the end."""
        return self._timed(self._stdout.read1, count)  # type: ignore[attr-defined]

    def readline(self) -> bytes:
        """Return the next line, or what is before the end."""
        return self._timed(self._stdout.readline, -1)

    def _timed(self, read: Callable[[int], bytes], count: int) -> bytes:
        self._since = time.monotonic()
        try:
            return read(count)
        finally:
            self._since = None

    def _watch(self) -> None:
        while not self._over.wait(self._patience_s / _LOOKS):
            since = self._since
            if since is not None and time.monotonic() - since > self._patience_s:
                self.took_too_long = True
                self._process.kill()
                return


class Objects(contextlib.AbstractContextManager["Objects"]):
    """The objects of one repository. Use this in a `with` block, which ends its process."""

    def __init__(self, git: Git, most_bytes: int) -> None:
        """`most_bytes`: larger files are not read into memory."""
        self._git = git
        self._most_bytes = most_bytes
        self._answers: Answers | None = None

    def __exit__(self, *_: object) -> None:
        """End the process, if one was started."""
        answers, self._answers = self._answers, None
        if answers:
            answers.__exit__()

    def hash(self, name: str) -> str:
        """Return the hash of the object that a name stands for; "" if there is none."""
        object_ = self._find(name, 0)
        return object_.hash if object_ else ""

    def parents(self, commit: str) -> list[str]:
        """Return the hashes of the parents of a commit; an empty list if it is missing or very large."""
        object_ = self._find(commit, _PART)
        lines = (object_.data or b"").partition(b"\n\n")[0].split(b"\n") if object_ else []
        return [line.removeprefix(b"parent ").decode() for line in lines if line.startswith(b"parent ")]

    def file(self, hash_: str) -> bytes | None:
        """Return the bytes of a file; None if they are too many."""
        object_ = self._find(hash_, self._most_bytes)
        if not object_ or object_.kind != b"blob":
            raise GitTrouble(
                f"the object {hash_} of the repository cannot be read; `git fsck` shows whether it is damaged"
            )
        return object_.data

    def file_at(self, name: str) -> bytes:
        """Return the bytes of the file that a name stands for; none if there is no file or if they are too many."""
        object_ = self._find(name, self._most_bytes)
        return object_.data or b"" if object_ and object_.kind == b"blob" else b""

    def files(self, hashes: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the bytes of some files, without filters; None for one that is too large or cannot be read.

        The sizes are asked for first: git would otherwise unpack a large file for nothing.
        """
        with Answers(self._git, "--batch-check", patience_s=PATIENCE_S) as answers:
            small = [_is_small_file(line, self._most_bytes) for line in answers.each(hashes)]
        small_hashes = [hash_ for hash_, fits in zip(hashes, small, strict=True) if fits]
        texts = self._texts(small_hashes)
        yield from (next(texts) if fits else None for fits in small)

    def _texts(self, hashes: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the bytes of some files; None for a damaged one. After that one, a new process reads the others."""
        start = damaged = slow = 0
        while start < len(hashes):
            with Answers(self._git, "--batch", patience_s=PATIENCE_S) as answers:
                for about, hash_ in zip(answers.each(hashes[start:]), hashes[start:], strict=True):
                    start += 1
                    data = self._whole(answers, about, hash_)
                    damaged += data is None
                    slow += answers.took_too_long
                    if damaged > _MOST_DAMAGED or slow > 1:
                        raise _ended()
                    yield data
                    if data is None:
                        break

    def _whole(self, answers: Answers, about: bytes, hash_: str) -> bytes | None:
        """Return the bytes of a file, which follow the answer's line `about`; None if they do not have the hash.

        git may print fewer bytes than it has announced, and then the answers to the next requests.
        """
        words = about.split()
        if len(words) != _HEADER or not words[2].isdigit():
            return None
        size = int(words[2])
        data = answers.read(size + 1)[:size]  # a line end follows the bytes
        return data if self._git.where().plain_hash(data) == hash_ else None

    def filtered(self) -> "FilteredFiles":
        """Return a reader of files as they would be on disk."""
        return FilteredFiles(self._git, self._most_bytes)

    def _find(self, name: str, most: int) -> "_Object | None":
        """Return an object, without its bytes if they are more than `most`; None if it is missing.

        If git ends because of an object, a new process reads the next one. If git took too long, no process reads more:
        many such objects would take very long.
        """
        if self._answers is None:
            self._answers = Answers(self._git, "--batch", patience_s=PATIENCE_S)
        answers = self._answers
        try:
            return self._answer(answers, name, most)
        except GitTrouble:
            if not answers.took_too_long:  # the next object may be sound
                self.__exit__()
            raise

    def _answer(self, answers: Answers, name: str, most: int) -> "_Object | None":
        answers.ask(name)
        about = answers.line().split()
        if len(about) != _HEADER or not about[2].isdigit():  # "NAME missing", in which the name may have a space
            return None
        size = int(about[2])
        data = answers.read(size) if size <= most else None
        bytes_left = size + 1 - len(data or b"")  # a line end follows the bytes
        if bytes_left > _MOST_SKIPPED:  # a new process takes less time than git takes to unpack the rest
            self.__exit__()
            bytes_left = 0
        while bytes_left:
            skipped = len(answers.read(min(bytes_left, _PART)))
            if not skipped:
                raise _ended()
            bytes_left -= skipped
        return _Object(about[0].decode(), about[1], data)


class FilteredFiles(contextlib.ExitStack):
    """The files of a repository as they would be on disk, with filters. Use this in a `with` block.

    git reads the `.gitattributes` files once: after a change of these, make another object.
    """

    def __init__(self, git: Git, most_bytes: int) -> None:
        """`most_bytes`: larger files are not read into memory."""
        super().__init__()
        self._git = git
        self._most_bytes = most_bytes
        self._answers: Answers | None = None

    def read(self, hash_: str, path: str) -> bytes | None:
        """Return the bytes that a file would have at a path from the top of the repository; None if they are many."""
        if "\n" in path:  # a request is one line, so git would read two
            return self._read_by_own_process(hash_, path)
        if self._answers is None:
            self._answers = self.enter_context(Answers(self._git, "--filters", "--batch", patience_s=TRANSFER_S))
        return self._answer(self._answers, hash_, path)

    def save(self, hash_: str, path: str, full: str, like: str = "") -> None:
        """Write a file of any size to the new file `full`, with the bytes that it would have on disk at a path.

        It gets the permissions of the file `like`, if that is given.
        """
        with os.fdopen(files.created(full, b"", like=like or None), "wb") as file:
            self._git.run("cat-file", "--filters", f"--path={path}", hash_, output=file, patience_s=TRANSFER_S)

    def _read_by_own_process(self, hash_: str, path: str) -> bytes | None:
        with tempfile.TemporaryDirectory() as folder:
            full = os.path.join(folder, "file")
            self.save(hash_, path, full)
            if os.path.getsize(full) > self._most_bytes:
                return None
            with open(full, "rb") as file:
                return file.read()

    def _answer(self, answers: Answers, hash_: str, path: str) -> bytes | None:
        """Ask for a file. git prints its size without filters, so a second answer marks its end."""
        mark = secrets.token_hex(16)
        answers.ask(f"{hash_} {path}\n{mark}")
        about = answers.readline().split()
        end, data, fits = f"\n{mark} missing\n".encode(), bytearray(), True
        if len(about) != _HEADER or about[1] != b"blob":
            raise GitTrouble(f"the file {path!a} cannot be read; `git fsck` shows whether the repository is damaged")
        while not data.endswith(end):
            part = answers.read1(_PART)
            if not part:
                raise _ended()
            data += part
            if len(data) > self._most_bytes + len(end):
                fits = False
                del data[: -len(end)]
        return bytes(data[: -len(end)]) if fits else None


class _Object(NamedTuple):
    """An object: its hash, its kind, and its bytes unless they were too many."""

    hash: str
    kind: bytes
    data: bytes | None


def _is_small_file(about: bytes, most_bytes: int) -> bool:
    """Return whether the answer about an object is that of a file of at most `most_bytes`."""
    words = about.split()
    return len(words) == _HEADER and words[1] == b"blob" and int(words[2]) <= most_bytes


def _ended() -> GitTrouble:
    return GitTrouble("git cat-file ended too soon; `git fsck` shows whether the repository is damaged")
