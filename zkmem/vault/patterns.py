"""Match paths with patterns as in a shell: `*.excalidraw.md`, `logs/*`."""

import fnmatch
import re
from collections.abc import Iterable

from zkmem.names import base_of, fold


class Patterns:
    """A set of patterns. A pattern with a slash is compared with the whole path, any other with its last component.

    Case does not count. `*` matches any characters including slashes, `?` one character, `[abc]` one of the characters.
    Matching takes time at most proportional to the length of the pattern times that of the path: `fnmatch` does not
    backtrack to an earlier `*`.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        folded = [fold(pattern) for pattern in patterns]
        self._of_paths = [_compiled(one.removeprefix("/")) for one in folded if "/" in one]
        self._of_bases = [_compiled(one) for one in folded if "/" not in one]

    def match(self, path: str) -> bool:
        """Return whether any of the patterns matches a path."""
        path = fold(path)
        base = base_of(path)
        return any(one.match(path) for one in self._of_paths) or any(one.match(base) for one in self._of_bases)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))
