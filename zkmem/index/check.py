"""What a person should look at in a vault: links to nothing, links that could mean several notes, odd files."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.errors import BadName
from zkmem.index.graph import missing_targets
from zkmem.index.resolve import resolve
from zkmem.index.sync import Index
from zkmem.markdown import frontmatter
from zkmem.vault.names import NOTE_SUFFIX, base_of, check_length, check_part, fold, name_of

LARGE = 1_000_000  # bytes; above it a note is served in many parts and expanded nowhere


class Finding(NamedTuple):
    """One thing to look at."""

    kind: str  # missing, ambiguous, unreadable, properties, name, twin, large
    note: str
    detail: str


def check(index: Index, damaged: Iterable[str] = ()) -> list[Finding]:
    """Every finding, by kind and note; `damaged`: the records of interrupted edits that cannot be read."""
    kinds = (_missing, _ambiguous, _files, _properties, _names, _twins)
    found = sorted(finding for kind in kinds for finding in kind(index))
    return found + [Finding("damaged", name, "an interrupted edit that cannot be read") for name in damaged]


def _missing(index: Index) -> Iterator[Finding]:
    """Links to nothing; Obsidian resolves no alias, but the note that has it is worth proposing."""
    catalog = index.catalog
    missing = [
        (path, target) for path in catalog.notes() for target in missing_targets(catalog, path, catalog.facts(path))
    ]
    known = dict(_aliases(index)) if missing else {}
    for path, target in missing:
        note = known.get(fold(target))
        advice = f"; did you mean [[{name_of(note)}|{target}]]?" if note else ""
        yield Finding("missing", name_of(path), f"[[{target}]]{advice}")


def _aliases(index: Index) -> Iterator[tuple[str, str]]:
    return ((fold(alias), path) for path, data in _texts(index) for alias in frontmatter.aliases(data))


def _properties(index: Index) -> Iterator[Finding]:
    for path, data in _texts(index):
        if fault := frontmatter.fault(data):
            yield Finding("properties", name_of(path), f"they are not YAML ({fault})")


def _texts(index: Index) -> Iterator[tuple[str, bytes]]:
    """The notes that can be read, with their bytes."""
    for path in index.catalog.notes():
        with contextlib.suppress(OSError):  # reported as unreadable
            yield path, index.store.read(path)[0]


def _ambiguous(index: Index) -> Iterator[Finding]:
    catalog = index.catalog
    for path in catalog.notes():
        facts = catalog.facts(path)
        for target in (*facts.targets, *facts.others):
            meant = resolve(catalog, target, path)
            if meant.path is not None and meant.rivals:
                others = ", ".join(map(name_of, meant.rivals))
                yield Finding("ambiguous", name_of(path), f"[[{target}]] means {name_of(meant.path)}, not {others}")


def _files(index: Index) -> Iterator[Finding]:
    for path, fault in index.faults.items():
        yield Finding("unreadable", path, fault)
    for path in index.catalog.notes():
        row, name = index.catalog.rows[path], name_of(path)
        if row.facts and row.facts.fault:
            yield Finding("unreadable", name, row.facts.fault)
        if row.stamp.size > LARGE:
            yield Finding("large", name, f"{row.stamp.size} bytes")


def _names(index: Index) -> Iterator[Finding]:
    """Notes and folders that could not be made under their name; a folder once, not with each note in it."""
    notes = [(name_of(path), NOTE_SUFFIX) for path in index.catalog.notes()]
    for name, suffix in [*notes, *((folder, "") for folder in index.catalog.folders)]:
        try:
            check_part(base_of(name), name, suffix)
            check_length(name + suffix, name)
        except BadName as error:
            yield Finding("name", name, error.reason)


def _twins(index: Index) -> Iterator[Finding]:
    for names in index.catalog.twin_folders():
        yield _twin("folder: ", names)
    for paths in index.catalog.twins():
        yield _twin("", [name_of(path) for path in paths])


def _twin(kind: str, names: Sequence[str]) -> Finding:
    first, *others = sorted(names)
    return Finding("twin", first, f"{kind}differs only in case or Unicode form from {', '.join(others)}")
