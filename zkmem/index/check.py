"""What a person should look at in a vault: links to nothing, links that could mean several notes, odd files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.errors import BadName
from zkmem.index.graph import missing_targets
from zkmem.index.resolve import resolve
from zkmem.index.sync import Index
from zkmem.markdown import frontmatter
from zkmem.vault.names import NOTE_SUFFIX, base_of, check_length, check_part, fold, name_of

LARGE = 1_000_000  # bytes; above it a note is served in many parts and expanded nowhere


Has = Callable[[str], bool]


class Finding(NamedTuple):
    """One thing to look at."""

    kind: str  # missing, ambiguous, unreadable, properties, name, twin, large
    note: str
    detail: str


class Properties:
    """A table of what a check asks of the frontmatter of each note: its other names, and why it is not YAML."""

    def __init__(self) -> None:
        self.aliases: dict[str, list[str]] = {}
        self.faults: dict[str, str] = {}

    @staticmethod
    def wants(path: str) -> bool:  # noqa: ARG004 - every table is asked
        """Any note."""
        return True

    def put(self, path: str, data: bytes) -> None:
        """Take in a note."""
        if aliases := frontmatter.aliases(data):
            self.aliases[path] = aliases
        if fault := frontmatter.fault(data):
            self.faults[path] = fault

    def drop(self, path: str) -> None:
        """Leave out a note."""
        self.aliases.pop(path, None)
        self.faults.pop(path, None)


def check(
    index: Index, properties: Properties, damaged: Iterable[str] = (), has: Has = lambda _: True
) -> list[Finding]:
    """Every finding, by kind and note; `damaged`: the records of interrupted edits that cannot be read.

    `has`: for one who may know of a part alone, whether a file is in it; nothing is told of any other.
    """
    kinds = (_ambiguous, _files, _names, _twins)
    found = [finding for kind in kinds for finding in kind(index, has)]
    found += [*_missing(index, properties, has), *_unfit(properties, has)]
    return sorted(found) + [Finding("damaged", name, "an interrupted edit that cannot be read") for name in damaged]


def _notes(index: Index, has: Has) -> Iterator[str]:
    return filter(has, index.catalog.notes())


def _missing(index: Index, properties: Properties, has: Has) -> Iterator[Finding]:
    """Links to nothing; Obsidian resolves no alias, but the note that has it is worth proposing."""
    catalog = index.catalog
    known = {
        fold(alias): path for path in sorted(filter(has, properties.aliases)) for alias in properties.aliases[path]
    }
    for path in _notes(index, has):
        for target in missing_targets(catalog, path, catalog.facts(path)):
            note = known.get(fold(target))
            advice = f"; did you mean [[{name_of(note)}|{target}]]?" if note else ""
            yield Finding("missing", name_of(path), f"[[{target}]]{advice}")


def _unfit(properties: Properties, has: Has) -> Iterator[Finding]:
    for path in filter(has, properties.faults):
        yield Finding("properties", name_of(path), f"they are not YAML ({properties.faults[path]})")


def _ambiguous(index: Index, has: Has) -> Iterator[Finding]:
    catalog = index.catalog
    for path in _notes(index, has):
        facts = catalog.facts(path)
        for target in (*facts.targets, *facts.others):
            meant = resolve(catalog, target, path)
            rivals = list(filter(has, meant.rivals))
            if meant.path is not None and has(meant.path) and rivals:
                others = ", ".join(map(name_of, rivals))
                yield Finding("ambiguous", name_of(path), f"[[{target}]] means {name_of(meant.path)}, not {others}")


def _files(index: Index, has: Has) -> Iterator[Finding]:
    for path, fault in index.faults.items():
        if has(path):
            yield Finding("unreadable", path, fault)
    for path in _notes(index, has):
        row, name = index.catalog.rows[path], name_of(path)
        if row.facts and row.facts.fault:
            yield Finding("unreadable", name, row.facts.fault)
        if row.stamp.size > LARGE:
            yield Finding("large", name, f"{row.stamp.size} bytes")


def _names(index: Index, has: Has) -> Iterator[Finding]:
    """Notes and folders that could not be made under their name; a folder once, not with each note in it."""
    notes = [(name_of(path), NOTE_SUFFIX) for path in _notes(index, has)]
    for name, suffix in [*notes, *((folder, "") for folder in filter(has, index.catalog.folders))]:
        try:
            check_part(base_of(name), name, suffix)
            check_length(name + suffix, name)
        except BadName as error:
            yield Finding("name", name, error.reason)


def _twins(index: Index, has: Has) -> Iterator[Finding]:
    for folders in index.catalog.twin_folders():
        yield from _twin("folder: ", list(filter(has, folders)))
    for paths in index.catalog.twins():
        yield from _twin("", [name_of(path) for path in paths if has(path)])


def _twin(kind: str, names: Sequence[str]) -> Iterator[Finding]:
    if len(names) < 2:
        return
    first, *others = sorted(names)
    yield Finding("twin", first, f"{kind}differs only in case or Unicode form from {', '.join(others)}")
