"""Regular expressions from strangers: whatever they are, they end within a second."""

import math
import re
import time

import regex

from zkmem.errors import BadArgument

_PATIENCE_S = 0.7  # for all that one pattern is asked
_LONGEST = 1_000  # characters
_MOST_COPIES = 100_000  # `(x{100}){100}` is as many copies of x, which is done before any clock can stop it
_COUNT = re.compile(r"\{(\d{1,18})")
_RECURSION = re.compile(r"\(\?(?:R\)|&|P>|[+-]?\d)")  # fills the memory until it is stopped, and then takes long to end
_REFERENCE = re.compile(r"\$(?:\$|&|<([^>]*)>|(\d\d?))")


class Match:
    """A match, and what JavaScript's `String.replace` would put in its place."""

    def __init__(self, found: "regex.Match[str]") -> None:
        self._found = found

    def span(self) -> tuple[int, int]:
        """Where it is."""
        return self._found.span()

    def expand(self, text: str) -> str:
        """A text with `$&` (the match), `$1`, `$<name>` and `$$` (a dollar) filled in; any other `$` stands."""
        return _REFERENCE.sub(self._filled, text) if "$" in text else text

    def _filled(self, reference: re.Match[str]) -> str:
        name, number = reference.groups()
        if name is not None:
            groups = self._found.groupdict()
            return (groups.get(name) or "") if groups else reference[0]
        if number is not None:
            group = self._group(number)
            return reference[0] if group is None else group
        return self._found[0] if reference[0] == "$&" else "$"

    def _group(self, number: str) -> str | None:
        groups = self._found.groups(default="")
        for digits in (number, number[0]):
            if 1 <= int(digits) <= len(groups):
                return groups[int(digits) - 1] + number[len(digits) :]
        return None


class Pattern:
    """A pattern; its clock runs from when it is made."""

    def __init__(self, source: str) -> None:
        """Compile it.

        Raises:
            BadArgument: when it is no regular expression, or too large a one.
        """
        copies = math.prod(max(1, int(count)) for count in _COUNT.findall(source))
        if len(source) > _LONGEST or copies > _MOST_COPIES:
            raise BadArgument(
                f"The pattern is too large: {_LONGEST} characters and {_MOST_COPIES} repeats, multiplied, at most."
            )
        if _RECURSION.search(source):
            raise BadArgument("The pattern calls itself or a group of its own, which is not supported.")
        try:
            self._pattern = regex.compile(source, regex.MULTILINE)
        except (regex.error, ValueError, LookupError, OverflowError, RecursionError, MemoryError) as error:
            raise BadArgument(f"The pattern {source!r:.100} is not a regular expression: {error}.") from None
        self._search = self._pattern.search
        self._deadline = time.monotonic() + _PATIENCE_S

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere.

        Raises:
            BadArgument: when that takes too long to tell.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._too_slow()
        try:
            return self._search(text, timeout=left) is not None
        except (TimeoutError, MemoryError):
            raise self._too_slow() from None

    def matches(self, text: str) -> list[Match]:
        """Its matches, which do not overlap.

        Raises:
            BadArgument: when it takes too long to find them.
        """
        try:
            return [Match(found) for found in self._pattern.finditer(text, timeout=_PATIENCE_S)]
        except (TimeoutError, MemoryError):
            raise self._too_slow() from None

    def _too_slow(self) -> BadArgument:
        return BadArgument(f"The pattern was stopped after {_PATIENCE_S} s: make it simpler, or the text shorter.")
