"""Patterns for paths, as in a shell: `*.excalidraw.md`, `logs/*`."""

import fnmatch
import re
from collections.abc import Iterable

from zkmem.names import base_of, fold


class Patterns:
    """Some patterns. One with a slash is compared with the path, any other with its last part; case never counts.

    `*` matches any characters, slashes too, `?` one character, `[abc]` one of these. Matching takes at most time in
    proportion to the product of both lengths: `fnmatch` never tries an earlier `*` again.
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
