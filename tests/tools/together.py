"""Edits that wait for the vault at the same time, so that one thread makes all of them together."""

import contextlib
import threading
import time
from collections.abc import Callable, Sequence

from zkmem.engine import Engine
from zkmem.memory import Memory

_PATIENCE_S = 30.0


def together(engine: Engine, edits: Sequence[Callable[[Memory], object]], *, holds: bool = True) -> list[object]:
    """Make edits of one vault while this thread holds it, so that all wait, in this order; return what came of each.

    With `holds` False, another process holds the vault.
    An edit that fails gives its error. The client of each edit is its number.
    """
    outcomes: list[object] = [None] * len(edits)

    def run(number: int) -> None:
        try:
            outcomes[number] = edits[number](Memory(engine).on_behalf(client=str(number)))
        except Exception as error:  # noqa: BLE001 - the test looks at it
            outcomes[number] = error

    engine.live.need_links()
    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(edits))]
    with engine.journal.hold() if holds else contextlib.nullcontext():
        for count, thread in enumerate(threads, 1):
            thread.start()
            deadline = time.monotonic() + _PATIENCE_S
            while engine.editor.waiting < count and thread.is_alive():
                assert time.monotonic() < deadline, "an edit did not begin to wait"
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    return outcomes
