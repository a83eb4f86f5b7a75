"""Compile and match a pattern in a process of its own, which `patterns` starts and can kill.

The process reads one job as JSON, and writes the answer as JSON. If the time runs out, an alarm signal ends it
(on Windows, a watchdog).
"""

import faulthandler
import json
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import regex

from zkmem.toolsets.think.replacement import Swap, TooMuch, filled, runs

_MOST_BYTES = 512 << 20


def main() -> None:
    """Read one job, do it, and write the answer."""
    _limit_memory()
    job = sys.stdin.buffer.read()
    _limit_time(float(sys.argv[-1]))
    answer = json.dumps(_answer(json.loads(job)))
    _limit_time(0)
    sys.stdout.write(answer)


if sys.platform == "win32":

    def _limit_memory() -> None:
        """Do nothing: the time bounds the memory, too."""

    def _limit_time(seconds: float) -> None:
        """Have this process end after some seconds; 0 for never. The thread that ends it needs no turn of Python's."""
        if seconds:
            faulthandler.dump_traceback_later(seconds, exit=True)
        else:
            faulthandler.cancel_dump_traceback_later()

else:
    import resource

    def _limit_memory() -> None:
        for what, most in ((resource.RLIMIT_AS, _MOST_BYTES), (resource.RLIMIT_CORE, 0)):
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))

    def _limit_time(seconds: float) -> None:
        """Have a signal end this process after some seconds; 0 for never."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the parent process may have ignored or blocked it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _answer(job: Mapping[str, Any]) -> dict[str, object]:
    try:
        pattern = regex.compile(job["pattern"], regex.MULTILINE)
    except (regex.error, ValueError, LookupError, OverflowError, RecursionError) as error:
        return {"error": str(error)}
    if "groups" in job:
        return {"matching": [at for at, group in enumerate(job["groups"]) if any(map(pattern.search, group))]}
    try:
        any_match, lines = runs(job["text"], _swaps(pattern, job["text"], job["by"]), job["most"])
    except TooMuch:
        return {"long": True}
    return {"matches": any_match, "runs": lines}


def _swaps(pattern: "regex.Pattern[str]", text: str, by: str) -> Iterator[Swap]:
    """Yield a swap for each match, from left to right.

    An empty match may not touch the match before it, nor a match an empty one: so `.*` matches a line once, and not
    again at its end.
    """
    matches: Iterable[regex.Match[str]] = pattern.finditer(text)
    if pattern.flags & regex.REVERSE:
        matches = reversed(list(matches))
    last = (-1, -1)
    for match in matches:
        start, end = match.span()
        if start == last[1] and (start == end or start == last[0]):
            continue
        last = (start, end)
        names = {name: group or "" for name, group in match.groupdict().items()}
        yield Swap(start, end, filled(by, match[0], match.groups(default=""), names) if "$" in by else by)
