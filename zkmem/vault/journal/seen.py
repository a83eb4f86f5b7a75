"""Remember which edits each person has seen, in `.zkmem/seen.json`: ranges of their numbers, by person."""

import bisect
import contextlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import StateFolder, unwritable

_NAME = "seen.json"
_MOST_PEOPLE = 1_000
_MOST_RANGES = 200  # of one person; with more, the oldest become one, and the edits between them count as seen
_MOST_BYTES = 10_000_000

Range = tuple[int, int]
"""The first and the last number."""


class Ranges:
    """Numbers of edits, as ranges that do not overlap, in order."""

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self.ranges: list[Range] = []
        for first, last in sorted(ranges):
            if self.ranges and first <= self.ranges[-1][1] + 1:
                self.ranges[-1] = self.ranges[-1][0], max(last, self.ranges[-1][1])
            else:
                self.ranges.append((first, last))

    def __contains__(self, number: int) -> bool:
        """Return whether a number is in one of the ranges."""
        at = bisect.bisect_right(self.ranges, (number, number)) - 1
        return any(first <= number <= last for first, last in self.ranges[max(0, at) : at + 2])

    def with_numbers(self, numbers: Collection[int]) -> "Ranges":
        """Return ranges that have these numbers, too. If there are too many ranges, the oldest ones become one."""
        added = (
            [(numbers[0], numbers[-1])]
            if isinstance(numbers, range) and numbers.step == 1
            else [(one, one) for one in numbers]
        )
        ranges = Ranges([*self.ranges, *added]).ranges
        more = len(ranges) - _MOST_RANGES
        if more > 0:
            ranges = [(ranges[0][0], ranges[more][1]), *ranges[more + 1 :]]
        return Ranges(ranges)


@dataclass(eq=False, slots=True)
class Seen:
    """The edits that each person has seen. A person is the name of a token; "" if the server needs none."""

    _state: StateFolder
    _lock: VaultLock

    def by(self, person: str) -> Ranges:
        """Return the edits that a person has seen. If the file is damaged, nobody has seen any."""
        return self._load().get(person, Ranges())

    def add(self, person: str, numbers: Collection[int]) -> None:
        """Remember that a person has seen some edits."""
        with self._lock.hold():
            people = self._load()
            people[person] = people.pop(person, Ranges()).with_numbers(numbers)
            latest = list(people.items())[-_MOST_PEOPLE:]
            data = json.dumps({name: ranges.ranges for name, ranges in latest}, separators=(",", ":")).encode()
            try:
                replace_file(self._state.path(_NAME), data + b"\n", durable=False, opener=platform.current.opened)
            except OSError as error:
                raise unwritable(error) from error

    def _load(self) -> dict[str, Ranges]:
        with contextlib.suppress(OSError, *MALFORMED):
            people = json.loads(read(self._state.path(_NAME), _MOST_BYTES)[0])
            return {name: Ranges(_range(*one) for one in ranges) for name, ranges in people.items()}
        return {}


def _range(first: object, last: object) -> Range:
    if type(first) is not int or type(last) is not int or first > last:
        raise ValueError("it is no range of numbers")
    return first, last
