"""The one place where a plan becomes files.

Every base is checked before the first step and again right before its own; each file is replaced whole. When a step
fails, those before it are taken back, so that a refused edit changes nothing. A crash in between is not yet met.
"""

import logging
from collections.abc import Callable

from zkmem.edit.plan import Move, Plan, Put
from zkmem.errors import Taken, ZkError
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
            if isinstance(step, Move):
                _move(store, step, undo)
            else:
                _put(store, step, undo)
    except BaseException:
        _take_back(undo)
        raise


def _move(store: Store, step: Move, undo: list[Callable[[], object]]) -> None:
    store.expect(step.path, step.base)
    undo.append(lambda: None if store.taken(step.path) else store.move(step.to, step.path))
    store.move(step.path, step.to)


def _put(store: Store, step: Put, undo: list[Callable[[], object]]) -> None:
    """The way back is known before the step is taken, which can fail after it took effect."""
    new = etag(step.data)
    if step.base is None:
        if store.taken(step.path):
            raise Taken(f"There is a file at {step.path!r} already; nothing was overwritten.")
        undo.append(lambda: store.remove(step.path, new) if store.taken(step.path) else None)
        store.put(step.path, step.data, None)
        return
    old = store.expect(step.path, step.base)
    undo.append(lambda: None if etag(store.read(step.path)[0]) == step.base else store.put(step.path, old, new))
    store.put(step.path, step.data, step.base)


def _take_back(undo: list[Callable[[], object]]) -> None:
    for step in reversed(undo):
        try:
            step()
        except (ZkError, OSError) as error:  # a person changed that file within the same moment: theirs stands
            _log.warning("a step of a refused edit could not be taken back: %s", error)
