"""What is measured of any server: its starts, its calls, and what it keeps; a cell of text for each."""

import contextlib
import functools
import json
import os
import shutil
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rs_bpe.bpe import openai

from benchmarks import lost_updates
from benchmarks.measures import milliseconds, read_all, shown, stat_all, write_durably
from benchmarks.place import Place, plain_environment
from benchmarks.process import NoAnswer, Refused, Server, serving
from benchmarks.subjects import Call, Subject, with_token

WORD = "quaggaberry"
PLANTED = [f"planted {number}" for number in range(3)]
"""The notes that hold the word."""

CALLS = 50
_GRACE = 20.0  # seconds that a server may take to end
_PATIENT_S = 60.0  # for all calls of one kind

TOKENS, HANDSHAKE, COLD, WARM = "tokens of the tools", "to handshake", "first answer, cold", "first answer, warm"
READ, WRITE, SEARCH, MEMORY = "read p50", "write p50", "search p50", "memory"
KEPT = {1: "kept by one process", 2: "kept by two"}
COLUMNS = (TOKENS, HANDSHAKE, COLD, WARM, READ, WRITE, SEARCH, MEMORY, *KEPT.values())


class Trial(NamedTuple):
    """How a server is measured."""

    runs: int
    limit: float  # seconds that a first answer may take
    words: Sequence[str]  # to search for
    names: Sequence[str]  # of notes to read and to write


Cells = dict[str, str]


def measure(subject: Subject, memory: str, trial: Trial) -> Cells:
    """All but what is kept; a server that is too slow has a cell that says so, and no more.

    The `memory` is the server's, and is removed in the end.
    """
    home = memory + "-home"
    cells: Cells = {}
    try:
        environment = plain_environment() | {"XDG_CACHE_HOME": home}
        environment |= with_token(memory, {**subject.environment, **subject.keeps})
        serve = functools.partial(serving, with_token(memory, subject.command), environment, grace=_GRACE)
        with contextlib.suppress(_TooSlow):
            _starts(subject, trial, serve, home, cells)
    finally:
        shutil.rmtree(memory, ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)
    return cells


class _TooSlow(Exception):
    """There is no use in going on; the cell is filled."""


def _starts(
    subject: Subject,
    trial: Trial,
    serve: Callable[[], contextlib.AbstractContextManager[Server]],
    home: str,
    cells: Cells,
) -> None:
    """Start it again and again, cold and warm in turn; the last one gets the calls. The first does not count."""
    os.makedirs(home, exist_ok=True)
    with _told(cells, HANDSHAKE), serve() as server:
        server.handshake(trial.limit)
    handshakes: list[float] = []
    colds: list[float] = []
    warms: list[float] = []
    for number in range(trial.runs):
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        for column, times in ((COLD, colds), (WARM, warms)):
            with _told(cells, column), serve() as server:
                server.handshake(trial.limit)
                handshakes.append(server.seconds())
                cells[HANDSHAKE] = _s(handshakes)
                times.append(_first(subject, server, trial.limit))
                cells[column] = _s(times)
                if column == WARM and (number == trial.runs - 1 or times[-1] + colds[-1] > _PATIENT_S):
                    _use(subject, server, trial, cells)
                    return


def _use(subject: Subject, server: Server, trial: Trial, cells: Cells) -> None:
    """Make its calls."""
    cells[MEMORY] = "".join(f"{value:.0f} MB" for value in server.megabytes("VmRSS"))
    cells[TOKENS] = f"{_tokens(server.request('tools/list', {})):,}"
    for column, what, given in (
        (READ, "read", trial.names),
        (SEARCH, "search", trial.words),
        (WRITE, "write", trial.names),
    ):
        if what in subject.uses:
            with _told(cells, column):
                cells[column] = _calls(server, subject.uses[what], given)


@contextlib.contextmanager
def _told(cells: Cells, column: str) -> Iterator[None]:
    """Have a cell say why there is no figure in it."""
    try:
        yield
    except Refused as error:
        cells[column] = f"refused: {str(error)[:80]}"
    except NoAnswer as error:
        cells[column] = str(error)
        raise _TooSlow from error


def _first(subject: Subject, server: Server, limit: float) -> float:
    """The time to the first right answer."""
    if "search" not in subject.uses:
        server.call("get_hints", {}, limit)
        return server.seconds()
    tool, arguments = with_token(WORD, subject.uses["search"])
    while (left := limit - server.seconds()) > 0:
        with contextlib.suppress(Refused):  # it may not be ready yet
            text = server.call(tool, arguments, left).text
            if all(name in text for name in PLANTED):
                return server.seconds()
    raise NoAnswer(f"stopped after {server.seconds():.0f} s")


def _calls(server: Server, call: Call, given: Sequence[str]) -> str:
    """The middle of the calls that there is patience for."""
    times: list[float] = []
    for token in given:
        tool, arguments = with_token(token, call)
        answer = server.call(tool, arguments)
        if call[0] in {"read_note", "get_content", "read", "open_nodes"} and title(token) not in answer.text:
            raise Refused(f"{tool} did not give the note: {answer.text[:60]!r}")
        times.append(answer.milliseconds)
        if sum(times) > _PATIENT_S * 1000:
            break
    few = f" ({len(times)})" if len(times) < 10 else ""
    return f"{shown(statistics.median(times))} ms{few}"


def title(name: str) -> str:
    """The heading of a note."""
    return f"# {name.rpartition('/')[2]}"


def _s(seconds: Sequence[float]) -> str:
    return f"{shown(statistics.median(seconds))} s"


def _tokens(listed: Mapping[str, Any]) -> int:
    counted = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in listed["tools"]]
    encode = openai.o200k_base().encode
    return sum(len(encode(json.dumps(one, separators=(",", ":"), ensure_ascii=False))) for one in counted)


def kept(subject: Subject) -> Cells:
    """What is kept of acknowledged appends, by the number of processes."""
    cells = {}
    for processes, column in KEPT.items():
        try:
            (row,) = lost_updates.run(subject, "appends", processes, CALLS)
        except SystemExit:
            cells[column] = "did not start"
            continue
        cells[column] = f"{row['persisted']} of {row['acknowledged']}"
        for what in ("refused", "unanswered"):
            cells[column] += f", {row[what]} {what}" if row[what] else ""
    return cells


def floor(place: Place, runs: int) -> Cells:
    """What no server could do without: a bare one with the same SDK as zkmem's, and the disk."""
    with place.bare() as server:  # does not count
        server.handshake()
    handshakes = []
    for _ in range(runs):
        with place.bare() as server:
            server.handshake()
            handshakes.append(server.seconds())
            calls = [server.call("echo", {}).milliseconds for _ in range(CALLS)]
    first, again = (
        statistics.median(milliseconds(work, place.vault) for _ in range(runs)) / 1000 for work in (read_all, stat_all)
    )
    writes = [milliseconds(write_durably, place.folder, [b"x" * 2000]) for _ in range(CALLS)]
    call, handshake = statistics.median(calls), statistics.median(handshakes)
    return {
        HANDSHAKE: _s(handshakes),
        COLD: _s([handshake + first]),
        WARM: _s([handshake + again]),
        READ: f"{shown(call)} ms",
        WRITE: f"{shown(call + statistics.median(writes))} ms",
    }
