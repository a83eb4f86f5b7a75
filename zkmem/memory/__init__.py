"""One vault, as one caller may use it."""

from zkmem.memory.memory import Memory

__all__ = ["Memory"]
