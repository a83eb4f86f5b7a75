"""Make random changes of two sides in memory, merge them, and check that no line is lost.

`python -m tests.sync.changes COUNT [SEED]` makes many of them. One takes a few milliseconds, a history with git
(`tests.sync.machines`) about a second, so this finds much rarer faults in the merge. The notes have no links but those
that an extraction leaves.
"""

import itertools
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.sync.merging import Merged, Tree, merge
from zkmem.sync.sides import Structure
from zkmem.vault.journal.log import Pair


class Note:
    """A note on one side. `origin` is its path in the base; None if the side created it."""

    def __init__(self, path: str, lines: Iterable[str], origin: str | None = None) -> None:
        self.path, self.lines, self.origin = path, list(lines), origin

    def own_lines(self) -> list[int]:
        """Return the numbers of the lines that are text: no blank line, no rule, no link."""
        return [number for number, line in enumerate(self.lines) if line[:1].isalpha()]


class Changes:
    """The random changes of one side."""

    def __init__(self, name: str, base: Mapping[str, list[str]], chance: random.Random) -> None:
        self.name, self.random = name, chance
        self.notes = [Note(path, lines, path) for path, lines in base.items()]
        self.written: set[str] = set()
        self.deleted: set[str] = set()  # lines
        self.told: list[str] = []
        self._numbers = itertools.count(1)
        self._merged: dict[Note, Note] = {}
        self._extracted: list[tuple[Note, Note]] = []
        self._deleted_notes: list[Note] = []

    def step(self) -> None:
        """Make one change, if there is a note."""
        kinds = [self.append, self.insert, self.edit, self.cut, self.rename, self.merge, self.extract, self.delete]
        if self.notes:
            kind = self.random.choices(kinds, [15, 15, 10, 5, 15, 18, 17, 5])[0]
            note = self.random.choice(self.notes)
            self.told.append(f"{self.name} {kind.__name__} {note.path}")
            kind(note)

    def append(self, note: Note) -> None:
        """Add a paragraph at the end."""
        note.lines += ["", self._new_line()]

    def insert(self, note: Note) -> None:
        """Add a line, or a paragraph, somewhere."""
        at = self.random.randint(0, len(note.lines))
        note.lines[at:at] = [self._new_line(), ""][: self.random.randint(1, 2)]

    def edit(self, note: Note) -> None:
        """Change a line."""
        if numbers := note.own_lines():
            number = self.random.choice(numbers)
            self._lose([note.lines[number]])
            note.lines[number] = self._new_line()

    def cut(self, note: Note) -> None:
        """Remove a line."""
        if numbers := note.own_lines():
            self._lose([note.lines.pop(self.random.choice(numbers))])

    def rename(self, note: Note) -> None:
        """Move a note."""
        note.path = self._new_path()

    def merge(self, note: Note) -> None:
        """Merge a note into another one."""
        if others := [other for other in self.notes if other is not note]:
            target = self.random.choice(others)
            target.lines += ["", "---", "", *note.lines]
            self.notes.remove(note)
            self._merged[note] = target

    def extract(self, note: Note) -> None:
        """Move some lines to a new note or an existing one."""
        if len(numbers := note.own_lines()) < 2:
            return
        first = self.random.choice(numbers)
        last = self.random.choice([number for number in numbers if first <= number <= first + 2])
        passage = note.lines[first : last + 1]
        if any(line.startswith("[[") for line in passage):
            return
        target = self.random.choice([*self.notes, note])
        if target is note:
            target = Note(self._new_path(), passage)
            self.notes.append(target)
        else:
            target.lines += ["", *passage]
        note.lines[first : last + 1] = [f"[[{target.path.removesuffix('.md')}]]"]
        self._extracted.append((note, target))

    def delete(self, note: Note) -> None:
        """Delete a note."""
        self.notes.remove(note)
        self._deleted_notes.append(note)
        self._lose(note.lines)

    def tree(self) -> Tree:
        """Return the text of each note, by path."""
        return {note.path: "\n".join(note.lines) + "\n" for note in self.notes}

    def structure(self) -> Structure:
        """Return what became of the notes of the base."""
        there = {old: self._present(old) for old in self._merged if old.origin}
        pairs = [(self._present(source), self._present(target)) for source, target in self._extracted]
        return Structure(
            moved={note.origin: note.path for note in self.notes if note.origin and note.origin != note.path},
            merged={str(old.origin): note.path for old, note in there.items() if note in self.notes},
            extracted=tuple(
                Pair(source.path, target.path)
                for source, target in dict.fromkeys(pairs)
                if source is not target and {source, target} <= {*self.notes}
            ),
            deleted_at={note.path: note.origin for note in self._deleted_notes if note.origin},
            deleted_with={
                str(old.origin): note.origin for old, note in there.items() if note.origin and note not in self.notes
            },
        )

    def _present(self, note: Note) -> Note:
        while note in self._merged:
            note = self._merged[note]
        return note

    def _new_line(self) -> str:
        line = f"{self.name} {next(self._numbers)}."
        self.written.add(line)
        return line

    def _new_path(self) -> str:
        return f"{self.random.choice(['', 'd/', 'e/'])}{self.name}{next(self._numbers)}.md"

    def _lose(self, lines: Iterable[str]) -> None:
        self.deleted.update(lines)
        self.written.difference_update(lines)


def check(seed: int, folder: Path) -> None:
    """Make random changes on two sides, and check that the merge has each line that neither side deleted."""
    chance = random.Random(seed)
    numbers = itertools.count(1)
    base = {
        f"{chance.choice(['', 'd/'])}N{note}.md": [
            text for _ in range(chance.randint(1, 4)) for text in (f"base {next(numbers)}.", "")
        ][:-1]
        for note in range(chance.choice([1, 2, 2, 3]))
    }
    first, second = sides = [Changes(name, base, chance) for name in ("first", "second")]
    for side in sides:
        for _ in range(chance.randint(1, 4)):
            side.step()
    merged: Merged = merge(
        folder,
        {path: "\n".join(lines) + "\n" for path, lines in base.items()},
        first.tree(),
        second.tree(),
        first_structure=first.structure(),
        second_structure=second.structure(),
    )
    needed = {line for lines in base.values() for line in lines} | first.written | second.written
    text = "\n".join(merged.files.values())
    lost = sorted(line for line in needed - first.deleted - second.deleted if line not in text)
    told = "\n".join([*first.told, *second.told])
    assert not lost, f"seed {seed} lost {lost}\n{told}\n{base}\n{first.tree()}\n{second.tree()}\n{merged.files}"


def main() -> None:
    """Check as many random changes as the command line says."""
    count, begin = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed = []
    for seed in range(begin, begin + count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(seed, Path(folder))
            except Exception as error:  # noqa: BLE001 - each failure is counted and shown
                failed.append(seed)
                print(error)
    print(f"{count} merges, {len(failed)} failed: {failed}")


if __name__ == "__main__":
    main()
