"""Who calls over HTTP, and what they may do."""

from typing import NamedTuple

from zkmem.memory import Memory


class Caller(NamedTuple):
    """What a request may do: with which memory, on behalf of which token, below which folder ("": everywhere)."""

    memory: Memory
    name: str | None = None
    can_write: bool = True
    folder: str = ""
