"""Measure how the time of a pure function grows with the length of a text."""

import time
from collections.abc import Callable

from zkmem.util.collector import no_collector

_ENOUGH_S = 0.01  # a shorter time may be that of a short text, which does not show the growth
_LONGEST = 256_000  # characters
_TRIES = 3


def growth(work: Callable[[str], object], unit: str) -> float:
    """Return how many times longer a function takes for a text that is four times as long.

    `unit`: the text repeats it. The time is that of this thread's processor, without the garbage collector, and the
    least of some tries. Return 0 if the function is quick for the longest text, too.
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
