"""Keep account of what the machines of a random history wrote, and find what is wrong with the vault at the end.

The notes have four kinds of lines that this module knows:

- `id 7` never changes, and shows which note it is. A link shows the id of the note that it means: `[[tea|7]]`.
- `w 12` is a line with a number of its own. `w 12 v30` is a later version of it.
- `- [ ] w 13` is a task; `- [x] w 13` is its later version.
- `> ` begins a line of a callout.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from zkmem.names import base_of, name_of

LINE = re.compile(r"(?:\[(?P<tick>[ x])\] )?\bw (?P<number>\d+)\b(?: v(?P<version>\d+))?")
NAMED = re.compile(r"^(?:- |description: )?id (\d+)\b", re.MULTILINE)
LINK = re.compile(r"\[\[([^\]|#]+)\|(\d+)\]\]|\[(\d+)\]\(([^)]+)\)")
_KINDS = {"created:": "callout of created", "- [": "callout of a task"}  # of lines of callouts, by their beginnings
OWN = re.compile(r"(?:id|about) (\d+)\b")  # the beginning of a line that no machine edits
PASSAGE = re.compile(r"\[\[[^\]|]*\]\]")  # the link that an extraction leaves

Notes = Mapping[str, str]
"""The text of each note, by path."""


class Fault(NamedTuple):
    """Something that is wrong at the end: its kind, and what."""

    kind: str
    what: str


class Link(NamedTuple):
    """A link in a note, and the id of the note that it means."""

    source: str
    target: str
    means: str
    line: str


class Seen(NamedTuple):
    """The numbered lines and the ids in some notes."""

    standing: dict[str, set[str]]  # number of a line -> its versions
    in_callouts: dict[str, set[str]]
    ids_in_callouts: set[str]
    ids: dict[str, list[str]]  # id -> the notes that have it
    places: dict[str, list[str]]  # number of a line -> the notes in which it stands

    @classmethod
    def of(cls, notes: Notes) -> "Seen":
        """Read notes."""
        seen = cls(defaultdict(set), defaultdict(set), set(), defaultdict(list), defaultdict(list))
        for path, text in notes.items():
            for line in text.split("\n"):
                quoted = line.startswith(">")
                for found in LINE.finditer(line):
                    version = found["version"] or found["tick"] or ""
                    (seen.in_callouts if quoted else seen.standing)[found["number"]].add(version.strip())
                    if not quoted:
                        seen.places[found["number"]].append(path)
                seen.ids_in_callouts.update(NAMED.findall(line.lstrip("> ") if quoted else ""))
                for named in NAMED.findall("" if quoted else line):
                    seen.ids[named].append(path)
        return seen

    def names(self) -> set[str]:
        """Return the numbers and the ids."""
        ids = {*self.ids, *self.ids_in_callouts}
        return {*self.standing, *self.in_callouts, *(f"id {one}" for one in ids)}

    def counts(self) -> Counter[str]:
        """Return how often each number and each id stands in the notes."""
        ids = {f"id {named}": places for named, places in self.ids.items()}
        return Counter({name: len(places) for name, places in {**self.places, **ids}.items()})


def links_in(notes: Notes) -> Iterator[Link]:
    """Yield the links whose text is an id."""
    for path, text in notes.items():
        for line in text.split("\n"):
            for target, means, shown, url in LINK.findall(line):
                yield Link(path, target or url, means or shown, line)


def _targets(notes: Notes) -> dict[tuple[str, str | None, str], str]:
    """Return the targets of the links in numbered lines, by the number, the version, and the id that a link means."""
    links = ((link, LINE.search(link.line)) for link in links_in(notes) if not link.line.startswith(">"))
    return {(found["number"], found["version"], link.means): link.target for link, found in links if found}


class Ledger:
    """What the machines wrote, and what they deleted."""

    def __init__(self) -> None:
        self.parents: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))  # number -> version -> ...
        self.gone: set[str] = set()  # numbers and ids that somebody deleted
        self.written: set[str] = set()
        self.extracted: list[str] = []  # numbers of extracted lines
        self.deleted: set[str] = set()  # paths of notes that somebody deleted
        self.remade: set[str] = set()  # numbers of lines of new notes with the paths of deleted ones
        self.remade_at: dict[str, set[str]] = defaultdict(set)  # path of a deleted note -> ids of the new notes there
        self.strayed: set[str] = set()  # numbers of lines whose links to missing notes have followed others
        self.mixed: set[str] = set()  # numbers of lines of which plain git has put two versions together
        self.doubled: set[str] = set()  # numbers and ids that plain git has put into two notes
        self.merged: dict[str, set[str]] = defaultdict(set)  # id -> the ids of the notes that it was merged into
        self.elements: dict[str, set[str]] = defaultdict(set)  # id of a list -> the ids of its elements
        self.relations: dict[str, tuple[str, str]] = {}  # number -> the ids of both entities

    def step(self, before: Notes, after: Notes) -> None:
        """Take in what a step by tools or by hand has changed on a machine."""
        old, new = Seen.of(before), Seen.of(after)
        self.written |= new.names() - old.names()
        self.gone |= old.names() - new.names()
        for path in (after.keys() - before.keys()) & self.deleted:
            self.remade.update(found["number"] for found in LINE.finditer(after[path]))
            self.remade_at[path].update(NAMED.findall(after[path]))
        ids = {path: NAMED.findall(text) for path, text in before.items() if path not in after}
        self.deleted.update(path for path, some in ids.items() if some and new.ids.keys().isdisjoint(some))
        for number, versions in new.standing.items():
            for version in versions - old.standing.get(number, set()) - old.in_callouts.get(number, set()):
                self.parents[number][version] |= old.standing.get(number, set())

    def follow(self, before: Notes, after: Notes) -> None:
        """Take in the links to missing notes that have got other targets on a machine.

        Another note has the name of the missing one there, so the link leads to that one, and follows it.
        """
        names, old = {base_of(name_of(path)) for path in before}, Seen.of(before)
        links, now = _targets(before), _targets(after)
        for (number, version, means), target in links.items():
            is_followed = target != now.get((number, version, means), target)
            if is_followed and means not in old.ids and base_of(target) in names:
                self.strayed.add(number)

    def last(self, number: str) -> set[str]:
        """Return the versions of a line after which there is none."""
        versions = self.parents[number]
        return versions.keys() - set().union(*versions.values())

    def faults(self, notes: Notes, leads: Callable[[str, str], str | None]) -> Iterator[Fault]:
        """Yield what is wrong with the notes at the end. `leads`: returns the note that a target in a note means."""
        seen = Seen.of(notes)
        yield from self._lost(seen)
        if not self._is_merged_apart():
            yield from self._twice(seen)
        yield from self._callouts(notes)
        for link in links_in(notes):
            yield from self._link(link, seen, leads)
        for list_id, elements in self.elements.items():
            yield from self._elements(list_id, elements, notes, seen, leads)

    def _is_merged_apart(self) -> bool:
        """Return whether two machines merged one note into different notes. Then links may lead to each of the two."""
        return any(len(into) > 1 for into in self.merged.values())

    def _lost(self, seen: Seen) -> Iterator[Fault]:
        yield from (Fault("lost", name) for name in sorted(self.written - self.gone - seen.names()))
        for number in self.written - self.gone:
            last, standing = self.last(number), seen.standing.get(number, set())
            there = standing | seen.in_callouts.get(number, set())
            if number in seen.names() and not last <= there:
                yield Fault("lost", f"w {number}: {sorted(last - there)} of {sorted(last)}; it has {sorted(there)}")
            if len(last) == 1 and standing - last and number not in self.mixed and not self._is_merged_apart():
                kind = "old version of a task" if last & {"x"} else "old version"
                yield Fault(kind, f"w {number}: {sorted(standing - last)} beside {sorted(last)}")

    def _twice(self, seen: Seen) -> Iterator[Fault]:
        for named, places in seen.ids.items():
            if len(places) > 1 and f"id {named}" not in self.doubled:
                yield Fault("twice", f"id {named} in {places}")
        for number, places in seen.places.items():
            if len(places) > 1 and number not in {*self.extracted, *self.doubled} and len(self.last(number)) == 1:
                yield Fault("twice", f"w {number} in {places}")

    def _callouts(self, notes: Notes) -> Iterator[Fault]:
        """Yield each line of a callout that nobody contested."""
        for path, text in notes.items():
            for is_callout, lines in itertools.groupby(text.split("\n"), lambda line: line.startswith(">")):
                contents = [line.lstrip("> ") for line in lines] if is_callout else []
                contents = [one for one in contents if one and not one.startswith("[!conflict]")]
                false = [one for one in contents if not self._is_contested(one)]
                beside = " beside a contested line" * (len(false) < len(contents))
                for content in false:
                    kind = next((kind for begin, kind in _KINDS.items() if content.startswith(begin)), "callout")
                    yield Fault(f"{kind}{beside}", f"{content!r} in {path}")

    def _is_contested(self, content: str) -> bool:
        """Return whether two machines can have changed a line of a callout in different ways.

        The link that an extraction leaves is in the place of a line, so it is contested if another machine changed,
        deleted or extracted this line, too.
        A machine has changed a line whose link to a missing note has followed another one: see `follow`.
        A new note with the path of a deleted one counts as the same note, which another machine may have edited. If two
        new notes have had one such path, all lines of the deleted note count as changed by two machines.
        """
        if own := OWN.match(content):
            return any(own[1] in ids and len(ids) > 1 for ids in self.remade_at.values())
        numbers = self.extracted if PASSAGE.search(content) else [found["number"] for found in LINE.finditer(content)]
        counts = Counter(self.extracted)
        changed = self.gone | self.strayed | self.remade
        return any(len(self.last(one)) > 1 or one in changed or counts[one] > 1 for one in numbers)

    def _link(self, link: Link, seen: Seen, leads: Callable[[str, str], str | None]) -> Iterator[Fault]:
        if link.means not in seen.ids or f"id {link.means}" in self.gone:
            return
        kind = "link in a callout" if link.line.startswith(">") else "link"
        found = leads(link.target, link.source)
        if found is None:
            yield Fault(f"{kind} is missing", f"{link.line!r} in {link.source}")
            return
        means = {link.means, *(self.merged[link.means] if self._is_merged_apart() else ())}
        if not any(found in seen.ids.get(one, ()) for one in means):
            yield Fault(f"{kind} is wrong", f"{link.line!r} in {link.source} leads to {found}")

    def _elements(
        self, list_id: str, elements: set[str], notes: Notes, seen: Seen, leads: Callable[[str, str], str | None]
    ) -> Iterator[Fault]:
        """Yield the elements of a list that it does not link to."""
        for path in seen.ids.get(list_id, ()):
            linked = {leads(target.strip("[]"), path) for target in PASSAGE.findall(notes[path])}
            for element in elements:
                if f"id {element}" not in self.gone and linked.isdisjoint(seen.ids.get(element, ())):
                    yield Fault("element", f"id {element} is not in the list {path}")
