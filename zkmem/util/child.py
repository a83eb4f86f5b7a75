"""The command that runs a part of zkmem in a process of its own."""

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


@functools.cache
def _homes(names: tuple[str, ...]) -> list[str]:
    files = [spec.origin for name in names if (spec := importlib.util.find_spec(name))]
    return list(dict.fromkeys(os.path.dirname(os.path.dirname(file)) for file in files if file))
