"""The one place where a plan becomes files.

Every base is checked before the first step and again right before its own; each file is replaced whole. When a step
fails, those before it are taken back, so that a refused edit changes nothing. A crash in between is not yet met.
"""

import logging
from collections.abc import Callable

from zkmem.edit.plan import Move, Plan, Put
from zkmem.errors import ZkError
from zkmem.vault.files import etag
from zkmem.vault.store import Store

_log = logging.getLogger(__name__)


def apply(store: Store, plan: Plan) -> None:
    """Carry out a plan.

    Raises:
        Changed: when a file is not the one that the plan was computed from. Taken: when a file stands where a new
            one should go. Unwritable: when the disk refuses. The vault is as it was before, then.
    """
    moved = {step.to for step in plan.steps if isinstance(step, Move)}
    for step in plan.steps:
        if step.base is not None and step.path not in moved:
            store.expect(step.path, step.base)
    undo: list[Callable[[], object]] = []
    try:
        for step in plan.steps:
            done = _move(store, step) if isinstance(step, Move) else _put(store, step)
            undo.append(done)
    except ZkError:
        _take_back(undo)
        raise


def _move(store: Store, step: Move) -> Callable[[], object]:
    store.expect(step.path, step.base)
    store.move(step.path, step.to)
    return lambda: store.move(step.to, step.path)


def _put(store: Store, step: Put) -> Callable[[], object]:
    new = etag(step.data)
    old = store.put(step.path, step.data, step.base)
    if step.base is None:
        return lambda: store.remove(step.path, new)
    return lambda: store.put(step.path, old, new)


def _take_back(undo: list[Callable[[], object]]) -> None:
    for step in reversed(undo):
        try:
            step()
        except ZkError as error:  # a person changed that file within the same moment: theirs stands
            _log.warning("a step of a refused edit could not be taken back: %s", error)
