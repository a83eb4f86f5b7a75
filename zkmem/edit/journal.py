"""The one place where a plan becomes files.

Every base is checked before the first step and again right before its own; each file is replaced whole. A plan over
several files is not yet one step for a crash.
"""

from zkmem.edit.plan import Move, Plan
from zkmem.vault.store import Store


def apply(store: Store, plan: Plan) -> None:
    """Carry out a plan.

    Raises:
        Changed: when a file is not the one that the plan was computed from; nothing was written then.
        Taken: when a file stands where a new one should go.
        Unwritable: when the disk refuses.
    """
    moved = {step.to for step in plan.steps if isinstance(step, Move)}
    for step in plan.steps:
        if step.base is not None and step.path not in moved:
            store.expect(step.path, step.base)
    for step in plan.steps:
        if isinstance(step, Move):
            store.expect(step.path, step.base)
            store.move(step.path, step.to)
        else:
            store.put(step.path, step.data, step.base)
