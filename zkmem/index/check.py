"""Check a vault for faults: links to nothing, links that could mean several notes, unusual files and names."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from zkmem.errors import BadName
from zkmem.index.copies import find_copies
from zkmem.index.graph import is_placeholder, written_targets
from zkmem.index.index import Index
from zkmem.index.lookup import Misspelt
from zkmem.index.parts import PartLinks, paused
from zkmem.index.resolve import is_same_everywhere, resolve
from zkmem.markdown import frontmatter
from zkmem.markdown.callouts import GIT_MARKERS
from zkmem.markdown.private import is_private
from zkmem.markdown.properties import typed_properties
from zkmem.markdown.secret import described, secrets_in
from zkmem.names import NOTE_SUFFIX, base_of, check_length, check_part, fold, is_attachment, name_of
from zkmem.util.spelling import number_of, told_apart
from zkmem.vault.files import MB, Read

LARGE = 1_000_000  # bytes; a larger note is read in parts, and never expanded
_MERGE_THEM = "`zkmem sync --copies` merges the two"
_BASE = re.compile(rb"(?:```|~~~)[ \t]*base\s|\.base(?:#|%23)", re.IGNORECASE)
_SLICE = 2000  # notes that are checked before a pause for other threads
_TARGETS = 16  # targets whose misspellings are looked up before such a pause

Has = Callable[[str], bool]


class Finding(NamedTuple):
    """One fault that a person should look at.

    The kinds: missing, missing-file, missing-heading, missing-block, ambiguous (links), unreadable, properties, name,
    twin, large (notes), base (in a file or a note), conflict (a callout, or git's markers), copy (a conflict copy),
    damaged (an interrupted edit), secret (what looks like a key).
    """

    kind: str
    note: str
    detail: str
    target: str = ""  # for a finding about a link: its target; findings with one target have the same detail
    choices: tuple[str, ...] = ()  # the notes that the link could mean


class Properties:
    """A table for checks: each note's aliases, types of properties and links to parts, and its frontmatter's fault."""

    def __init__(self) -> None:
        self.aliases: dict[str, list[str]] = {}
        self.types: dict[str, dict[str, str]] = {}
        self.faults: dict[str, str] = {}  # sentences
        self.bases: set[str] = set()  # the notes that may have a base in a code block, or a link to a view
        self.secrets: dict[str, str] = {}  # what looks like a secret in notes that are not private
        self.parts = PartLinks()

    @staticmethod
    def wants(path: str) -> bool:  # noqa: ARG004 - a method that every table has
        """Return whether the table wants the note at a path: it wants every note."""
        return True

    def put(self, path: str, data: bytes) -> None:
        """Add or update a note."""
        if aliases := frontmatter.aliases(data):
            self.aliases[path] = aliases
        fault = frontmatter.fault(data)
        if detail := f"they are not YAML ({fault})" if fault else repeated_property(data):
            self.faults[path] = detail
        if b"base" in data and _BASE.search(data):
            self.bases.add(path)
        known = {sys.intern(key): type_ for key, value in typed_properties(data).items() if (type_ := _type(value))}
        if known:
            self.types[path] = known
        if (secrets := secrets_in(data)) and not is_private(path, data):
            self.secrets[path] = "; ".join(described(secrets))
        self.parts.put(path, data)

    def drop(self, path: str) -> None:
        """Remove a note."""
        self.aliases.pop(path, None)
        self.types.pop(path, None)
        self.faults.pop(path, None)
        self.bases.discard(path)
        self.secrets.pop(path, None)
        self.parts.drop(path)


def repeated_property(data: bytes) -> str | None:
    """Return what is wrong with a property that a note has twice; None if it has none."""
    first, last, _ = frontmatter.split(data)
    names = frontmatter.names(frontmatter.compose(data[first:last].decode(errors="replace"))) if first < last else []
    name = next((name for name, count in Counter(names).items() if count > 1), None)
    return None if name is None else f"it has {name!r} {names.count(name)} times; only the last one counts"


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?", re.ASCII)


def _type(value: object) -> str:
    """Return the type of a property as Obsidian calls it; "" for an empty value, which fits any type."""
    if value is None or value in ("", []):
        return ""
    if isinstance(value, bool):
        return "a checkbox"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a date" if _DATE.fullmatch(value) else "a text"
    return "a list" if isinstance(value, list) else "a mapping"


def check(
    index: Index,
    properties: Properties | None,
    read: Read,
    damaged: Iterable[str] = (),
    has: Has = lambda _: True,
    pause: Callable[[], None] = lambda: None,
) -> list[Finding]:
    """Return every finding, ordered by kind and note.

    `properties`: with None, only what the index knows is found, without the notes that a missing one may mean: that
    takes a tenth of the time. `read`: returns the bytes of a note. `damaged`: the names of unreadable records of
    interrupted edits. `has`: returns whether the caller may know of a file; other files are left out. `pause`: called
    regularly so that other threads can use the index; notes may be added and removed meanwhile.
    """
    look = _Look(index, properties or Properties(), has, pause, is_short=properties is None)
    kinds = (_ambiguous, _files, _names, _twins, _missing, _unfit, _conflicts, _secrets)
    findings = [finding for kind in kinds for finding in kind(look)]
    if properties is not None:
        findings += [*_parts(look, read), *_copies(look, read)]
    return sorted(findings) + [Finding("damaged", name, "an interrupted edit that cannot be read") for name in damaged]


@dataclass(frozen=True)
class _Look:
    """The arguments of a check: the index, the table, and the files that the caller may know of."""

    index: Index
    properties: Properties
    has: Has
    pause: Callable[[], None]
    is_short: bool  # only what the index knows

    def notes(self) -> Iterator[str]:
        """Yield the notes that the caller may know of; each exists when it is yielded."""
        rows = self.index.catalog.rows
        for path in paused(list(self.index.catalog.notes()), self.pause, _SLICE):
            if path in rows and self.has(path):
                yield path


def _missing(look: _Look) -> Iterator[Finding]:
    """Yield links to nothing.

    Obsidian does not resolve aliases, but a note with the target as an alias is proposed, else one whose name the
    target misspells.
    """
    catalog, aliases = look.index.catalog, look.properties.aliases
    known = {fold(alias): path for path in sorted(filter(look.has, aliases)) for alias in aliases[path]}
    names: Misspelt | None = None
    misspelt: dict[str, str | None] = {}  # by target
    for path in look.notes():
        nodes = look.index.links.following(path)
        if not any(map(is_placeholder, nodes)):
            continue  # the graph knows that each of its links leads to a file
        for target in written_targets(catalog, path, catalog.facts(path), nodes).values():
            alias = known.get(fold(target))
            if not (alias or look.is_short or target in misspelt):
                if len(misspelt) % _TARGETS == 0:
                    look.pause()
                names = names or Misspelt(look.notes())  # this pauses for other threads
                misspelt[target] = names.note(target)
            note = alias or misspelt.get(target)
            link = f"{told_apart([name_of(note)])[0]}{f'|{target}' if alias else ''}" if note else ""
            advice = f" (did you mean [[{link}]]?)" if note else ""
            yield Finding("missing", name_of(path), f"[[{target}]]{advice}", target, (name_of(note),) if note else ())
        for target in filter(is_attachment, catalog.facts(path).others):
            if resolve(catalog, target, path).path is None:
                yield Finding("missing-file", name_of(path), f"[[{target}]]", target)


def _parts(look: _Look, read: Read) -> Iterator[Finding]:
    """Yield links to headings and blocks that their notes do not have."""
    for source, path, part in look.properties.parts.missing(look.index.catalog, read, look.has, look.pause):
        kind = "missing-block" if part.subpath.startswith("#^") else "missing-heading"
        target = name_of(path) + part.subpath
        yield Finding(kind, name_of(source), f"[[{target}]]", target)


def _unfit(look: _Look) -> Iterator[Finding]:
    """Yield notes whose frontmatter is not YAML or has a name twice, and properties that have several types."""
    for path, detail in look.properties.faults.items():
        if look.has(path):
            yield Finding("properties", name_of(path), detail)
    where: dict[str, dict[str, list[str]]] = {}
    for path, types in look.properties.types.items():
        if look.has(path):
            for name, type_ in types.items():
                where.setdefault(name, {}).setdefault(type_, []).append(path)
    for name, paths in where.items():
        texts, dates = paths.get("a text", []), paths.get("a date", [])
        if dates and (len(texts) >= len(dates) or name.lower() == "title"):  # a text may be the date of a day
            paths["a text"] = texts + paths.pop("a date")
        if len(paths) > 1 and name.lower() not in frontmatter.LISTS:
            usual, *others = sorted(paths, key=lambda type_: (-len(paths[type_]), type_))
            for other in others:
                more = f" and {number_of(len(paths[other]) - 1, 'other')}" if len(paths[other]) > 1 else ""
                detail = (
                    f"{name!r} is {other} in this note{more}, and {usual} in {number_of(len(paths[usual]), 'note')}"
                )
                yield Finding("properties", name_of(min(paths[other])), detail)


def _conflicts(look: _Look) -> Iterator[Finding]:
    for path in look.notes():
        conflicts = look.index.catalog.facts(path).conflicts
        for title, count in Counter(conflicts).items() if conflicts else ():
            if title == GIT_MARKERS:
                detail = f"{title} (<<<<<<<, =======, >>>>>>>): keep what is right, and remove the markers"
            elif count > 1:
                detail = (
                    f"{count} callouts {title!r} show what another machine wrote; keep what is right, then remove them"
                )
            else:
                detail = f"the callout {title!r} shows what another machine wrote; keep what is right, then remove it"
            yield Finding("conflict", name_of(path), detail)


def _secrets(look: _Look) -> Iterator[Finding]:
    for path, detail in look.properties.secrets.items():
        if look.has(path):
            yield Finding("secret", name_of(path), detail)


def _copies(look: _Look, read: Read) -> Iterator[Finding]:
    def backlinks(path: str) -> Iterator[str]:
        return filter(look.has, look.index.links.backlinks(path))

    for copy in find_copies(look.index.catalog, read, backlinks, look.notes()):
        note = told_apart([name_of(copy.of)])[0]
        advice = "that note does not exist: rename the copy or delete it" if copy.is_orphan else _MERGE_THEM
        yield Finding("copy", name_of(copy.path), f"a conflict copy of {note}, from {copy.service}; {advice}")


def _ambiguous(look: _Look) -> Iterator[Finding]:
    catalog, has = look.index.catalog, look.has
    if not catalog.has_namesakes():
        return
    plain: set[str] = set()  # targets that mean one file, or none, wherever they are written
    for path in look.notes():
        facts = catalog.facts(path)
        for target in (*facts.targets, *facts.others):
            if target in plain:
                continue
            meant = resolve(catalog, target, path)
            if is_same_everywhere(target, meant):
                plain.add(target)
            rivals = list(filter(has, meant.rivals))
            if meant.path is not None and has(meant.path) and rivals:
                one, *others = told_apart(map(name_of, [meant.path, *rivals]))
                detail = f"[[{target}]] means {one}, not {', '.join(others)}"
                yield Finding("ambiguous", name_of(path), detail, target, tuple(map(name_of, [meant.path, *rivals])))


def _files(look: _Look) -> Iterator[Finding]:
    for path, fault in look.index.faults.items():
        if look.has(path):
            yield Finding("unreadable", path, fault.reason)
    rows, most = look.index.catalog.rows, look.index.store.most_bytes
    for path in look.notes():
        row = rows[path]
        if row.stamp.size > most:
            what = "can be read in parts, but not be searched or edited, and its"
            yield _too_large(name_of(path), row.stamp.size, most, what)
            continue
        if row.facts and row.facts.fault:
            yield Finding("unreadable", name_of(path), row.facts.fault)
        if row.stamp.size > LARGE:
            detail = f"{row.stamp.size} bytes: above {LARGE // MB} MB a note is read in parts and expanded nowhere"
            yield Finding("large", name_of(path), f"{detail}; split it")
    for path in filter(look.has, look.index.catalog.canvases):
        if (size := rows[path].stamp.size) > most:
            yield _too_large(path, size, most, "is left as it is when a note is renamed: its")


def _too_large(name: str, size: int, most: int, what: str) -> Finding:
    detail = f"{size} bytes, more than the {most // MB} MB of max_note_mb: it {what} links are not read"
    return Finding("large", name, f"{detail}; split it, or raise max_note_mb")


def _names(look: _Look) -> Iterator[Finding]:
    """Yield notes and folders whose names are not allowed for new ones; a folder once, not for each note in it."""
    notes = [(name_of(path), NOTE_SUFFIX) for path in look.notes()]
    for name, suffix in [*notes, *((folder, "") for folder in filter(look.has, look.index.catalog.folders))]:
        try:
            check_part(base_of(name), name, suffix)
            check_length(name + suffix, name)
        except BadName as error:
            yield Finding("name", name, error.reason)


def _twins(look: _Look) -> Iterator[Finding]:
    for folders in look.index.catalog.twin_folders():
        yield from _twin("folder: ", list(filter(look.has, folders)))
    for paths in look.index.catalog.twins():
        yield from _twin("", [name_of(path) for path in paths if look.has(path)])


def _twin(kind: str, names: Sequence[str]) -> Iterator[Finding]:
    if len(names) < 2:
        return
    names = sorted(names)
    others = ", ".join(told_apart(names)[1:])
    yield Finding("twin", names[0], f"{kind}differs only in case or Unicode form from {others}")
