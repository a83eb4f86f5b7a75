"""Make random changes of two sides in memory, merge them, and check that no line is lost and no link is wrong.

`python -m tests.sync.changes COUNT [SEED]` makes many of them. One takes a few milliseconds, a history with git
(`tests.sync.machines`) about a second, so this finds much rarer faults in the merge. Each note has a line that never
changes (`id N0.`), each other line has a number of its own (`first 3.`), and some lines have a link. All changes are
those of tools, which update links.
"""

import itertools
import random
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.sync.merging import Tree, merge
from zkmem.sync.placement import Structure
from zkmem.vault.journal.log import Pair

LINK = re.compile(r"(\w+ \d+\.) \[\[(.+?)]]")


class Line(NamedTuple):
    """A line of a note. If it has a link, `to` is the note that it leads to."""

    text: str
    to: "Note | None" = None


BLANK, RULE = Line(""), Line("---")


class Note:
    """A note on one side. `origin` is its path in the base; None if the side created it. `id` is a line of it."""

    def __init__(self, path: str, lines: Iterable[Line], origin: str | None = None) -> None:
        self.path, self.lines, self.origin = path, list(lines), origin
        self.id = f"id {path}."

    def numbers(self) -> list[int]:
        """Return the numbers of the lines that may change: those with text of their own."""
        return [number for number, line in enumerate(self.lines) if line.text[:1].isalpha() and line.text[:3] != "id "]


class Changes:
    """The random changes of one side."""

    def __init__(self, name: str, base: Mapping[str, list[tuple[str, str]]], chance: random.Random) -> None:
        """`base`: the lines of each note, by path; each line is its text and the path of a note that it links to."""
        self.name, self.random = name, chance
        of = {path: Note(path, [], path) for path in base}
        for path, lines in base.items():
            of[path].lines += [Line(text, of.get(to)) for text, to in lines]
        self.notes = list(of.values())
        self.written: set[str] = set()
        self.deleted: set[str] = set()  # lines
        self.meant: dict[str, str] = {}  # line -> the id of the note that its link leads to
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
        note.lines += [BLANK, self._new_line()]

    def insert(self, note: Note) -> None:
        """Add a line, or a paragraph, somewhere below the first line."""
        at = self.random.randint(1, len(note.lines))
        note.lines[at:at] = [self._new_line(), BLANK][: self.random.randint(1, 2)]

    def edit(self, note: Note) -> None:
        """Change a line."""
        if numbers := note.numbers():
            number = self.random.choice(numbers)
            self._lose([note.lines[number]])
            note.lines[number] = self._new_line()

    def cut(self, note: Note) -> None:
        """Remove a line."""
        if numbers := note.numbers():
            self._lose([note.lines.pop(self.random.choice(numbers))])

    def rename(self, note: Note) -> None:
        """Move a note."""
        note.path = self._new_path()

    def merge(self, note: Note) -> None:
        """Merge a note into another one."""
        if others := [other for other in self.notes if other is not note]:
            target = self.random.choice(others)
            target.lines += [BLANK, RULE, BLANK, *note.lines]
            self.notes.remove(note)
            self._merged[note] = target

    def extract(self, note: Note) -> None:
        """Move some lines to a new note or an existing one."""
        if len(numbers := note.numbers()) < 2:
            return
        first = self.random.choice(numbers)
        last = self.random.choice([number for number in numbers if first <= number <= first + 2])
        passage = note.lines[first : last + 1]
        if any(line.text[:3] in {"id ", "[[", "---"} for line in passage):
            return
        target = self.random.choice([*self.notes, note])
        if target is note:
            target = Note(self._new_path(), passage)
            target.lines += [BLANK, Line(target.id)]
            self.written.add(target.id)
            self.notes.append(target)
        else:
            target.lines += [BLANK, *passage]
        note.lines[first : last + 1] = [Line("", target)]
        self._extracted.append((note, target))

    def delete(self, note: Note) -> None:
        """Delete a note."""
        self.notes.remove(note)
        self._deleted_notes.append(note)
        self._lose(note.lines)

    def tree(self) -> Tree:
        """Return the text of each note, by path."""
        return {note.path: "".join(map(self._shown, note.lines)) for note in self.notes}

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

    def now(self, note_id: str) -> str:
        """Return the id of the note that contains a note now."""
        return next((self._present(note).id for note in self._merged if note.id == note_id), note_id)

    def _shown(self, line: Line) -> str:
        link = f"[[{self._present(line.to).path.removesuffix('.md')}]]" if line.to else ""
        return " ".join(filter(None, (line.text, link))) + "\n"

    def _present(self, note: Note) -> Note:
        while note in self._merged:
            note = self._merged[note]
        return note

    def _new_line(self) -> Line:
        text = f"{self.name} {next(self._numbers)}."
        self.written.add(text)
        to = self.random.choice([None, self.random.choice(self.notes)])
        if to:
            self.meant[text] = to.id
        return Line(text, to)

    def _new_path(self) -> str:
        return f"{self.random.choice(['', 'd/', 'e/'])}{self.name}{next(self._numbers)}.md"

    def _lose(self, lines: Iterable[Line]) -> None:
        self.deleted.update(line.text for line in lines)
        self.written.difference_update(self.deleted)


def random_base(chance: random.Random) -> dict[str, list[tuple[str, str]]]:
    """Return the lines of some notes, by path: the text of each, and the path of the note that it links to or ""."""
    paths = [f"{chance.choice(['', 'd/'])}N{number}.md" for number in range(chance.choice([1, 2, 2, 3]))]
    numbers = itertools.count(1)
    return {
        path: [
            (f"id {path}.", ""),
            *(
                line
                for _ in range(chance.randint(1, 4))
                for line in (("", ""), (f"base {next(numbers)}.", chance.choice(["", *paths])))
            ),
        ]
        for path in paths
    }


def check(seed: int, folder: Path) -> None:
    """Make random changes on two sides, merge them, and check the result.

    It must have each line that neither side deleted. Each link must lead to the note that it led to on its side, as far
    as neither side deleted that. All names are different.
    """
    chance = random.Random(seed)
    base = random_base(chance)
    first, second = sides = [Changes(name, base, chance) for name in ("first", "second")]
    before = first.tree()
    for side in sides:
        for _ in range(chance.randint(1, 4)):
            side.step()
    structures = first.structure(), second.structure()
    merged = merge(
        folder, before, first.tree(), second.tree(), first_structure=structures[0], second_structure=structures[1]
    ).files
    deleted = first.deleted | second.deleted
    written = {text for lines in base.values() for text, _ in lines} | first.written | second.written
    text = "\n".join(merged.values())
    lost = sorted(line for line in written - deleted if line not in text)
    meant = {line: f"id {to}." for lines in base.values() for line, to in lines if to} | first.meant | second.meant
    wrong = []
    for content in merged.values():
        for line, target in LINK.findall(content):
            there = [content for path, content in merged.items() if f"/{path}".endswith(f"/{target}.md")]
            # if the sides merged a note into different notes, a late link may mean either
            ids = {note_id for side in sides for note_id in (meant[line], side.now(meant[line]))}
            if deleted.isdisjoint(ids) and not any(note_id in content for content in there for note_id in ids):
                wrong.append((line, target))
    if lost or wrong:
        told = "\n".join([*first.told, *second.told])
        trees = "\n".join(map(str, (before, first.tree(), second.tree(), merged)))
        raise AssertionError(f"seed {seed} lost {lost}, wrong {wrong}\n{told}\n{trees}")


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
