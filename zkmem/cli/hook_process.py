"""Run `zkmem hook`: ask the server of the vault, or answer here. The process always ends in time, with exit code 0.

A client waits for it before each prompt, so this module imports little: click and the other commands take longer to
import than an answer takes.
"""

import _thread
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

VARIABLE = "ZKMEM_VAULT"
USAGE = "zkmem hook EVENT --client NAME [--vault DIR] [--folder FOLDER] [--toolsets NAMES] [--read-only]"

_OPTIONS = {"--client": "client", "--vault": "vault", "-C": "vault", "--folder": "folder", "--toolsets": "toolsets"}
_MOST_BYTES = 4_000_000  # of the input; what follows is read and dropped
_DEFAULT_MS, _LEAST_MS = 300, 20
_SETTINGS_MS = 2_000  # until the settings are read, which takes so long only if the machine is busy or a disk hangs
_MOST_SETTINGS = 1_000_000  # bytes of that file
_LAST_PRINT_S = 0.02  # how long it may take to print the last sentence
_BEFORE_S = 0.02  # about how long Python takes before it imports this module
_NO_ANSWER = "zkmem hook gave no answer within {} ms; raise the setting hook_ms, or run zkmem serve --mode http.\n"
_NO_SETTINGS = "zkmem hook could not read its settings within {} ms; the variable ZKMEM_HOOK_MS sets another bound.\n"


class Arguments(NamedTuple):
    """The arguments of the command."""

    event: str
    client: str = ""
    vault: str = ""
    folder: str = ""
    toolsets: str = ""
    read_only: bool = False


class _Clock:
    """Ends the process when its time is over, whatever it is doing, and prints why."""

    def __init__(self) -> None:
        self._began = time.monotonic() - _BEFORE_S
        self._is_over = _thread.allocate_lock()
        self.allow(_SETTINGS_MS, _NO_SETTINGS)

    def allow(self, ms: int, sentence: str = _NO_ANSWER) -> None:
        """Let the process run until so many milliseconds after its start. Then print the sentence, and end."""
        ms = max(ms, _LEAST_MS)
        self._end = self._began + ms / 1_000, sentence.format(ms)
        _thread.start_new_thread(self._watch, ())

    @property
    def left_s(self) -> float:
        """The seconds that are left."""
        return max(0.001, self._end[0] - time.monotonic())

    def _watch(self) -> None:
        while (end := self._end)[0] > time.monotonic():
            time.sleep(self.left_s)
        if not self._is_over.acquire(blocking=False):
            return  # another thread prints the sentence
        try:
            _thread.start_new_thread(self._exit_soon, ())  # a full standard error would keep this thread waiting
            os.write(2, end[1].encode())
        finally:
            os._exit(0)

    @staticmethod
    def _exit_soon() -> None:
        time.sleep(_LAST_PRINT_S)
        os._exit(0)


def main() -> None:
    """Answer a hook: read the client's JSON on the standard input, and write the client's JSON, or nothing."""
    run(read_arguments(sys.argv[2:]))


def run(arguments: Arguments | None) -> None:
    """Answer a hook and end the process."""
    output = b""
    try:
        if arguments is None:
            _say(f"Usage: {USAGE}")
        else:
            output = _output(arguments, _Clock())
            output += b"\n" if output else b""
    except BaseException as error:  # noqa: BLE001 - whatever it is, the client goes on without an answer
        _say(f"zkmem hook has no answer: {error}")
    with contextlib.suppress(OSError):
        while output:
            output = output[os.write(1, output) :]
    os._exit(0)  # nothing is open that must be closed


def read_arguments(words: Sequence[str]) -> Arguments | None:
    """Return the arguments in the words of a command line; None if they are wrong."""
    values, rest, read_only = dict[str, str](), list(words), False
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if option in _OPTIONS and (equals or rest):
            values[_OPTIONS[option]] = value if equals else rest.pop(0)
        elif word == "--read-only":
            read_only = True
        elif not word.startswith("-") and "event" not in values:
            values["event"] = word
        else:
            return None
    return Arguments(**values, read_only=read_only) if "event" in values and "client" in values else None


def _output(arguments: Arguments, clock: _Clock) -> bytes:
    """Return the JSON for the client, from the server of the vault or from this process; empty if there is none."""
    from zkmem import trust  # noqa: PLC0415 - see above
    from zkmem.hooks.servers import ask, server_of  # noqa: PLC0415

    ms = _milliseconds(trust.folder())
    if ms:
        clock.allow(ms)
    vault = _vault(arguments.vault or os.environ.get(VARIABLE, ""))
    if not os.path.isdir(vault):
        _say(f"zkmem hook finds no vault at {vault!r}; name another one with --vault DIR, or set {VARIABLE}.")
        return b""
    if not ms:
        from zkmem import config  # noqa: PLC0415

        clock.allow(config.load(vault, {}).hook_ms)
    data = _input()
    if server := server_of(vault, trust.folder()):
        about = arguments._replace(vault="")._asdict()
        query = "&".join(f"{name}={_encoded(str(value))}" for name, value in about.items() if value)
        answer = ask(server, query, data, clock.left_s)
        if answer is not None:
            return answer
    return _local(arguments, vault, data)


def _local(arguments: Arguments, vault: str, data: bytes) -> bytes:
    """Answer in this process, from the files and the cache."""
    from zkmem import config  # noqa: PLC0415 - see above
    from zkmem.hooks.answers import HookParts, answer_json  # noqa: PLC0415
    from zkmem.hooks.vault import local  # noqa: PLC0415

    settings = config.load(vault, {"toolsets": arguments.toolsets or None})
    notes = local(vault, arguments.folder.strip("/"))
    parts = HookParts.of(settings).of_entry((), read_only=arguments.read_only)
    return answer_json(arguments.event, arguments.client, data, notes, parts)


def _input() -> bytes:
    """Return what the client sends. If it is too long, return a part that is still refused as too long."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    parts, size = list[bytes](), 0
    with contextlib.suppress(OSError):
        while part := os.read(0, 1_000_000):
            size += len(part)
            if size <= _MOST_BYTES + len(part):
                parts.append(part)
    return b"".join(parts)


def _vault(named: str) -> str:
    """Return the real path of the vault with this name, or of the nearest one if the name is empty."""
    if named:
        return os.path.realpath(os.path.expanduser(named))
    from zkmem.cli.vault_folder import vault_folder  # noqa: PLC0415 - slow to import; `zkmem install` names the vault

    return os.path.realpath(vault_folder(None))


def _milliseconds(folder: str) -> int | None:
    """Return how long the hook may take; None if the user's own file seems to set it: then all settings must be read.

    To read all settings takes longer than to ask a server, and most users do not set this one.
    """
    text = os.environ.get("ZKMEM_HOOK_MS", "")
    if text.isdigit() and len(text) < 6:
        return int(text)
    with contextlib.suppress(OSError), open(os.path.join(folder, "config.toml"), "rb") as file:
        if b"hook_ms" in file.read(_MOST_SETTINGS):
            return None
    return _DEFAULT_MS


def _encoded(text: str) -> str:
    """Return a text as a part of an address."""
    return "".join(f"%{byte:02X}" for byte in os.fsencode(text))


def _say(sentence: str) -> None:
    with contextlib.suppress(OSError, AttributeError, ValueError):  # stderr may be closed
        print(sentence[:500], file=sys.stderr, flush=True)  # noqa: T201 - click is not imported
