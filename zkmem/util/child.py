"""Other processes that run a part of zkmem: the command for one, and how many can work."""

import functools
import importlib.util
import os
import sys


def command(module: str, needed: tuple[str, ...], *arguments: str) -> list[str]:
    """Return the words of a command that calls `main` of a module, which gets `arguments` in `sys.argv`.

    `needed` names the installed packages that the module imports. The process imports from their folders and that of
    zkmem alone: not from the current folder, which may be a vault, and without the time that `site` takes.
    """
    start = f"import sys; sys.path += {_homes(('zkmem', *needed))!r}; from {module} import main; main()"
    return [sys.executable, "-I", "-S", "-c", start, *arguments]


def cores() -> int:
    """Return how many processes can work at the same time; 1 if this process cannot start others."""
    if not sys.executable:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _homes(names: tuple[str, ...]) -> list[str]:
    files = [spec.origin for name in names if (spec := importlib.util.find_spec(name))]
    return list(dict.fromkeys(os.path.dirname(os.path.dirname(file)) for file in files if file))
