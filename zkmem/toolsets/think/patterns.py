"""Match regular expressions from untrusted clients, with a limit of time and memory.

Python can stop neither the compilation nor the matching of a pattern, and both block all other threads. So they run in
another process. A pattern that is a plain string needs no other process.
"""

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from zkmem.errors import BadArgument, Busy
from zkmem.toolsets.think.replacement import LineEdit, TooMuch, literal, runs
from zkmem.util.workers import command

_PATIENCE_S = 0.7  # for one job, after the process has read it
_PATIENCE_TO_START_S = 10.0
_MOST_INSERTED = 10_000_000  # characters of all replacements together
_MOST_IN_PROCESS = 10_000  # matches that are replaced in this process
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
_WORKER = "zkmem.toolsets.think.worker"  # not imported here: it needs `regex`, which is slow to import
if sys.platform == "win32":
    _OUT_OF_TIME = 1  # the code of a worker that its watchdog has ended
else:
    _OUT_OF_TIME = -signal.SIGALRM
_worker_slots = threading.BoundedSemaphore(4)  # processes at once: each may take half a gigabyte


def matching(source: str, groups: Sequence[Sequence[str]]) -> list[int]:
    """Return the indexes of the groups in which the pattern matches at least one text."""
    if not _SPECIAL.search(source):
        return [at for at, group in enumerate(groups) if any(source in text for text in group)]
    indexes: list[int] = _answer({"pattern": source, "groups": groups})["matching"]
    return indexes


def replacing(source: str, text: str, by: str) -> tuple[bool, list[LineEdit]]:
    """Return whether a pattern matches in a text, and the lines that change if every match is replaced.

    `by`: the replacement, with references to the match as in JavaScript, such as `$1`.
    """
    if not _SPECIAL.search(source) and "$" not in by and text.count(source) <= _MOST_IN_PROCESS:
        try:
            return runs(text, literal(text, source, by), _MOST_INSERTED)
        except TooMuch:
            raise _too_long() from None
    answer = _answer({"pattern": source, "text": text, "by": by, "most": _MOST_INSERTED})
    if "long" in answer:
        raise _too_long()
    return answer["matches"], [LineEdit(*one) for one in answer["runs"]]


def _answer(job: Mapping[str, object]) -> dict[str, Any]:
    """Return the answer of a new process to a job."""
    request = json.dumps(job).encode()
    try:
        with _worker_slots:
            process = subprocess.run(  # noqa: S603 - our own code, and the pattern is not in the command
                command(_WORKER, ("regex",), str(_PATIENCE_S)),
                input=request,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_PATIENCE_TO_START_S,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Busy(f"The pattern could not be tried: no process for it has started ({error}).") from None
    if process.returncode == _OUT_OF_TIME:
        raise BadArgument(f"The pattern was stopped after {_PATIENCE_S} s: make it simpler, or the text shorter.")
    if process.returncode:
        raise BadArgument("The pattern takes too much memory: make it simpler, or the text shorter.")
    answer: dict[str, Any] = json.loads(process.stdout)
    if "error" in answer:
        pattern = job["pattern"]
        raise BadArgument(f"The pattern {pattern!r:.100} is not a regular expression: {answer['error']}.")
    return answer


def _too_long() -> BadArgument:
    return BadArgument(f"The replacements have more than {_MOST_INSERTED:,} characters together; nothing was changed.")
