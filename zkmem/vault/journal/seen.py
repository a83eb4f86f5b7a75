"""Remember which edits each person has seen, in `.zkmem/seen.json`: ranges of their numbers, by person.

What a person has ticked of other edits, note by note, is in `.zkmem/viewed.json`.
"""

import bisect
import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import StateFolder, unwritable

_T = TypeVar("_T")
_Reads = Callable[[object, object], _T]

_NAME = "seen.json"
_TICKS = "viewed.json"  # a file of its own, so that earlier versions of zkmem can read the other one
_MOST_PEOPLE = 1_000
_MOST_RANGES = 2_000  # of one person; with more, the oldest but the first are lost, so their edits count as new again
_MOST_BYTES = 10_000_000  # of a file; with more, a person's older marks are lost
_MOST_MARKS = 5_000  # of one person; with more, those of the oldest edits are lost

Range = tuple[int, int]
"""The first and the last number."""


Mark = tuple[int, str]
"""The number of an edit, and the path that a note had after it."""


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

    @property
    def beginning(self) -> int:
        """The first number from 1 on that is in none of the ranges."""
        return self.ranges[0][1] + 1 if self.ranges and self.ranges[0][0] <= 1 else 1

    @classmethod
    def of(cls, numbers: Iterable[int]) -> "Ranges":
        """Return ranges that have these numbers."""
        return cls((number, number) for number in numbers)

    def without(self, others: "Ranges") -> "Ranges":
        """Return ranges that have none of the numbers of others."""
        cuts, parts = others.ranges, list[Range]()
        for first, last in self.ranges:
            begin = max(0, bisect.bisect_left(cuts, (first + 1,)) - 1)
            for low, high in cuts[begin : bisect.bisect_left(cuts, (last + 1,))]:
                parts.append((first, low - 1))
                first = max(first, high + 1)  # noqa: PLW2901
            parts.append((first, last))
        return Ranges(part for part in parts if part[0] <= part[1])

    def with_numbers(self, numbers: Collection[int]) -> "Ranges":
        """Return ranges that have these numbers, too. If there are too many ranges, the oldest but the first go."""
        added = (
            [(numbers[0], numbers[-1])]
            if isinstance(numbers, range) and numbers.step == 1
            else [(one, one) for one in numbers]
        )
        ranges = Ranges([*self.ranges, *added]).ranges
        return Ranges([*ranges[:1], *ranges[1:][1 - _MOST_RANGES :]])


@dataclass(eq=False, slots=True)
class Seen:
    """The edits that each person has seen. A person is the name of a user or a token; "" if neither is needed.

    Writing holds only the vault's lock. It does not finish interrupted edits: they are not in the log yet, so nobody
    can mark them. If a process is killed after it has written one of the two files, ticks may be lost, and then
    something counts as new again.
    """

    _state: StateFolder
    _lock: VaultLock

    def by(self, person: str) -> Ranges:
        """Return the edits that a person has seen. If the file is damaged, nobody has seen any."""
        return Ranges(self._load(_NAME, _range).get(person, ()))

    def ticked(self, person: str) -> set[Mark]:
        """Return what a person has ticked of edits that the person has not seen as a whole."""
        return set(self._load(_TICKS, _mark).get(person, ()))

    def add(self, person: str, numbers: Collection[int]) -> Ranges:
        """Remember that a person has seen some edits. Return those that the person had not seen."""
        with self._lock.hold():
            before = self.by(person)
            after = before.with_numbers(numbers)
            self._save(_NAME, _range, person, after.ranges)
        return after.without(before)

    def remove(self, person: str, edits: Ranges) -> None:
        """Remember that a person has not seen some edits. What the person ticked of them before stays ticked."""
        with self._lock.hold():
            self._save(_NAME, _range, person, self.by(person).without(edits).ranges)

    def tick(
        self,
        person: str,
        marks: Collection[Mark],
        needed: Mapping[int, Collection[Mark]],
        *,
        on: bool,
        keeps_earlier: bool = False,
    ) -> Ranges:
        """Remember that a person has looked at some notes of some edits or, unless `on`, has not.

        `needed`: all marks of each of these edits. An edit all of whose notes the person has looked at is seen. With
        `keeps_earlier`, what the person has ticked of it before is ticked again when its mark is taken back.
        Return the edits that are seen now and were not before.
        """
        with self._lock.hold():
            seen, earlier = self.by(person), self.ticked(person)
            ticked = earlier | {mark for number, every in needed.items() if number in seen for mark in every}
            ticked = ticked.union(marks) if on else ticked.difference(marks)
            done = {number for number, every in needed.items() if ticked.issuperset(every)}
            self._save(_NAME, _range, person, seen.without(Ranges.of(needed.keys() - done)).with_numbers(done).ranges)
            left = sorted(mark for mark in ticked if mark[0] not in done or (keeps_earlier and mark in earlier))
            self._save(_TICKS, _mark, person, left[-_MOST_MARKS:])
        return Ranges.of(done).without(seen)

    def _save(self, name: str, of: _Reads[_T], person: str, marks: Sequence[_T]) -> None:
        """Write the marks of a person to a file, which has those of the other people, too."""
        people: dict[str, Sequence[_T]] = {**self._load(name, of)}
        people.pop(person, None)
        latest = dict([*people.items(), (person, marks)][-_MOST_PEOPLE:])
        while len(data := json.dumps(latest, separators=(",", ":")).encode()) >= _MOST_BYTES and latest[person]:
            latest[person] = latest[person][(len(latest[person]) + 1) // 2 :]
        try:
            replace_file(self._state.path(name), data + b"\n", durable=False, opener=platform.current.opened)
        except OSError as error:
            raise unwritable(error) from error

    def _load(self, name: str, of: _Reads[_T]) -> dict[str, list[_T]]:
        """Return the marks in a file, by person; none if it is damaged."""
        with contextlib.suppress(OSError, *MALFORMED):
            people = json.loads(read(self._state.path(name), _MOST_BYTES)[0])
            return {person: [of(*one) for one in marks] for person, marks in people.items()}
        return {}


def _mark(number: object, path: object) -> Mark:
    if type(number) is not int or type(path) is not str:
        raise ValueError("it is no mark")
    return number, path


def _range(first: object, last: object) -> Range:
    if type(first) is not int or type(last) is not int or first > last:
        raise ValueError("it is no range of numbers")
    return first, last
