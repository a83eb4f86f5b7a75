"""Recognise conflict copies: files that synchronisation services keep beside a note edited on two machines.

Such a copy is recognised by its file name, which each service forms in its own way. Some of these names are ambiguous,
because people give them to other notes, too: `tea 2` (iCloud), `tea (1)` (Google Drive) and `tea-LAPTOP` (OneDrive). A
note with such a name counts as a copy only if most lines of each, it and the note with the shorter name, are in both,
and only if nothing shows that somebody made it as a note of its own: a link to it, or another time of creation.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.markdown.dates import CREATED
from zkmem.markdown.note import read_text
from zkmem.markdown.properties import NoteParts, parts
from zkmem.names import NOTE_SUFFIX, base_of, fold, folder_of, is_note
from zkmem.vault.files import Read

_DATE = r"(?P<date>\d{4}-?\d{2}-?\d{2})"
_UNKNOWN = "a synchronisation service"
_FORMS = [
    (service, re.compile(rf"(?P<name>.+){form}", re.IGNORECASE))
    for service, form in (
        ("Syncthing", rf"\.sync-conflict-{_DATE}-(?P<time>\d{{6}})-(?P<by>[A-Z0-9]{{7}})"),
        ("Dropbox", rf" \((?P<by>[^()]*)'s conflicted copy(?: {_DATE})?\b[^()]*\)"),
        ("Obsidian Sync", rf" \(Conflicted copy (?P<by>[^()]+?) {_DATE}(?P<time>\d{{4}})\)"),
        ("Nextcloud", rf" \(conflicted copy {_DATE}(?: (?P<time>\d{{6}}))?\)"),
        ("ownCloud", rf"_conflict-{_DATE}-(?P<time>\d{{6}})"),
        ("Seafile", rf" \(SFConflict (?P<by>\S+) {_DATE}[^()]*\)"),
        (_UNKNOWN, r" \((?:[^()]* )?(?:conflicted copy|case conflict|case clash|sync conflict)\b[^()]*\)"),
        (_UNKNOWN, r" \(conflict(?: \d+)?\)"),
        (_UNKNOWN, r"(?:\.conflict| \[conflicted\])"),
    )
]
_AMBIGUOUS_FORMS = [
    ("iCloud", re.compile(r"(?P<name>.+) [2-9]")),
    ("Google Drive", re.compile(r"(?P<name>.+) \([1-9]\)")),
]
_MACHINE = re.compile(r"[A-Z][A-Z0-9-]{3,14}")  # the name of a machine, which OneDrive adds after a hyphen
_LIKELY = re.compile(r"(?i:conflict|clash)| [2-9]$| \([1-9]\)$|-[A-Z0-9-]+$")  # most names do not match
_UNFIT = re.compile(r"[^\w .@+-]")  # characters that could be Markdown in a title
_SHARE = 0.5  # more than this share of the longer text's lines must be equal


class SyncCopy(NamedTuple):
    """A conflict copy: a second file that a synchronisation service keeps beside a note."""

    path: str
    of: str  # the path of the note that it belongs to
    service: str
    label: str  # the device or user, and the date, as far as the file name has them
    is_orphan: bool  # whether that note does not exist

    @property
    def title(self) -> str:
        """Return the title of a callout with lines of the copy."""
        return f"Other version: {self.label}" if self.label else f"Other version, from {self.service}"


def find_copies(
    catalog: Catalog, read: Read, backlinks: Callable[[str], Iterable[str]], paths: Iterable[str]
) -> Iterator[SyncCopy]:
    """Yield the conflict copies among some notes, in the order of their paths.

    `read`: returns the bytes of a note; only notes with an ambiguous name and the notes beside them are read.
    `backlinks`: returns the paths of the notes that link to a note.
    """
    for path in sorted(paths):
        if is_note(path) and path.isprintable() and _LIKELY.search(path.removesuffix(NOTE_SUFFIX)):
            candidates = _by_ambiguous_name(path, catalog)
            ambiguous = (copy for copy in candidates if _has_text_of(copy, read) and not any(backlinks(path)))
            yield from itertools.islice(itertools.chain(_by_certain_name(path, catalog), ambiguous), 1)


def named_copy(path: str, of: str, catalog: Catalog) -> SyncCopy | None:
    """Return the note at `path` as a copy of the note at `of`; None if its name is not that of a copy.

    Their texts are not compared.
    """
    found = (*_by_certain_name(path, catalog), *_by_ambiguous_name(path, catalog))
    return next((copy for copy in found if copy.of == of), None)


def _by_certain_name(path: str, catalog: Catalog) -> Iterator[SyncCopy]:
    """Yield the copy that only a service would give this name."""
    stem = base_of(path).removesuffix(NOTE_SUFFIX)
    matches = ((service, form.fullmatch(stem)) for service, form in _FORMS)
    found = next(((service, match) for service, match in matches if match), None)
    if found:
        yield _parsed(path, found[0], found[1].groupdict(), catalog)


def _by_ambiguous_name(path: str, catalog: Catalog) -> Iterator[SyncCopy]:
    """Yield the copies that this note may be, according to its name."""
    stem = base_of(path).removesuffix(NOTE_SUFFIX)
    for service, form in _AMBIGUOUS_FORMS:
        if match := form.fullmatch(stem):
            yield _parsed(path, service, match.groupdict(), catalog)
    for hyphen in re.finditer("(?<=.)-", stem):  # the name of the note, and that of the machine, may have hyphens
        if machine := _MACHINE.fullmatch(stem, hyphen.end()):
            yield _parsed(path, "OneDrive", {"name": stem[: hyphen.start()], "by": machine[0]}, catalog)


def _has_text_of(copy: SyncCopy, read: Read) -> bool:
    """Return whether a copy has most of the lines of its note, and was not created at another time.

    The lines of the frontmatter do not count: notes of one kind have many of them in common.
    """
    if copy.is_orphan:
        return False
    try:
        one, other = (parts(read_text(read(path))) for path in (copy.path, copy.of))
    except OSError:
        return False
    times, other_times = map(_times_of_creation, (one, other))
    if any(times[key] != other_times[key] for key in times.keys() & other_times):
        return False
    lines, others = (set(part.body.split("\n")) - {""} for part in (one, other))
    return len(lines & others) > _SHARE * max(len(lines), len(others))


def _times_of_creation(note: NoteParts) -> dict[str, object]:
    named = ((key.strip().lower(), value) for key, value in (note.properties or {}).items())
    return {key: value for key, value in named if key in CREATED}


def _parsed(path: str, service: str, found: Mapping[str, str | None], catalog: Catalog) -> SyncCopy:
    """Return the conflict copy that a file name describes. `found`: the parts of the name."""
    of = f"{path[: len(path) - len(base_of(path))]}{found['name']}{NOTE_SUFFIX}"
    date, time = (re.sub(r"\D", "", found.get(key) or "") for key in ("date", "time"))
    when = "-".join(filter(None, (date[:4], date[4:6], date[6:])))
    when += f" {time[:2]}:{time[2:4]}" if when and time else ""
    by = _UNFIT.sub("", found.get("by") or "").strip()
    label = ", ".join(filter(None, (by, when)))
    beside = next((one for one in catalog.at(fold(of)) if folder_of(one) == folder_of(path)), None)
    return SyncCopy(path, beside or of, service, label, beside is None)
