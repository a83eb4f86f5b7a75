"""Measure how the time of a pure function grows with the length of a text."""

import time
from collections.abc import Callable

from zkmem.util.collector import no_collector

_ENOUGH_S = 0.01  # fixed costs hide the growth of shorter times
_LONGEST = 256_000  # characters of the shorter text
_TRIES = 3


def growth(work: Callable[[str], object], unit: str) -> float:
    """Return how many times longer a function takes for a text that is four times as long.

    The text is `unit`, repeated. The time is the processor time of this thread, without garbage collection: the
    shortest of some tries. Return 0 if the function takes less than 10 ms for 256,000 characters.
    """
    length = 250
    while (took := _seconds(work, unit, length)) < _ENOUGH_S:
        length *= 4
        if length > _LONGEST:
            return 0
    least = min(_seconds(work, unit, 4 * length) for _ in range(_TRIES))
    return least / min(took, *(_seconds(work, unit, length) for _ in range(_TRIES)))


def _seconds(work: Callable[[str], object], unit: str, length: int) -> float:
    text = unit * (length // len(unit) + 1)
    with no_collector():
        begin = time.thread_time()
        work(text)
        return time.thread_time() - begin
