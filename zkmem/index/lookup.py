"""Find the note that a name given to a tool means: as `[[name]]` in the vault's root would, but without guessing."""

import heapq
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from urllib.parse import unquote

from zkmem.errors import AmbiguousName, BadName, Taken, UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.resolve import Files, Resolution, cleaned, is_anchored, page_title, resolve
from zkmem.markdown.links import body_links
from zkmem.markdown.sections import names_part
from zkmem.names import (
    ENTRY,
    NOTE_SUFFIX,
    URI,
    base_of,
    below,
    check_length,
    fold,
    folder_of,
    folders_of,
    is_note,
    name_of,
    new_path,
    normal,
    page_file,
    page_of,
    path_of,
    placed,
)
from zkmem.util.likeness import Likeness, numbers, spelled_alike
from zkmem.util.spelling import quoted
from zkmem.util.waiting import check_may_wait
from zkmem.util.words import begins_word
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

_WORDS = re.compile(r"[^\W_]+")
_PAGES, _JOURNALS = "pages", "journals"  # folders of a Logseq graph
_LONGEST_LINK = 4_000  # characters; longer than any path, heading and display text together


class KnownNames(Files, Protocol):
    """The methods needed to find notes by name: a catalog has them, or the part of one that a caller may know of."""

    def __contains__(self, path: object) -> bool:
        """Return whether there is a file at this path."""

    def bases(self) -> Iterable[str]:
        """Return the folded last components of all paths, each once."""

    def folders_at(self, folded: str) -> Sequence[str]:
        """Return the folders with files below them that fold to this path."""


def find_note(catalog: KnownNames, name: str) -> str | None:
    """Return the path of the note that `name` means; None if it means none."""
    path, meant, fault = _meant(catalog, name)
    if path is not None:
        return path
    if fault:
        raise BadName(name, fault)
    if meant.rivals:
        check_may_wait()
        raise AmbiguousName(name, (name_for(catalog, path) for path in sorted([meant.path or "", *meant.rivals])))
    if meant.path is not None:
        raise BadName(name, "it is a file, but not a note")
    return None


def candidates(catalog: KnownNames, name: str) -> list[str]:
    """Return the paths of the notes that `name` could mean, in order."""
    path, meant, fault = _meant(catalog, name)
    if path is not None:
        return [path]
    if fault:
        raise BadName(name, fault)
    return sorted(path for path in (meant.path, *meant.rivals) if path is not None and is_note(path))


def unlinked(name: str) -> str:
    """Return the target of a name that is a whole link, `[[name#heading|shown]]`, or a URI; return others unchanged."""
    return _unlinked(name)[0]


def _unlinked(name: str) -> tuple[str, str]:
    """Return the target of a name, as `unlinked` does, and the subpath that the link or the URI has."""
    written = name.strip()
    if len(written) > _LONGEST_LINK or not is_text(written):
        return name, ""
    if written.startswith(URI):
        target, mark, subpath = written.removeprefix(URI).partition("#")
        return unquote(target), mark + unquote(subpath)
    if not written.startswith(("[[", "![[")):
        return name, ""
    data = written.encode()
    links = body_links(data)
    is_whole = len(links) == 1 and (links[0].start, links[0].end) == (0, len(data))
    return (links[0].target, links[0].subpath) if is_whole else (name, "")


def split(catalog: KnownNames, name: str) -> tuple[str, str]:
    """Return the name of a note and the subpath, `#heading`, `#^block` or `#`, that `name` is made of.

    A note whose own name holds `#` comes first.
    """
    target, subpath = _unlinked(name)
    if not subpath and target == name:
        target, mark, subpath = name.partition("#")
        if not mark:
            return name, ""
        subpath = mark + subpath
    if _meant_as_written(catalog, name)[0] is not None:
        return name, ""
    return target, subpath if names_part(subpath) or subpath == "#" else ""


def _meant(catalog: KnownNames, name: str) -> tuple[str | None, Resolution, str | None]:
    """Return the note that a name means (or None), its resolution, and the fault of the name (or None).

    A name in brackets, or like a URI, means the note with this very name if there is one, else it is a link.
    """
    meant = _meant_as_written(catalog, name)
    if meant == (None, Resolution(None), None) and (target := unlinked(name)) != name:
        return _meant_as_written(catalog, target)
    return meant


def _meant_as_written(catalog: KnownNames, name: str) -> tuple[str | None, Resolution, str | None]:
    if (path := _twin_as_given(catalog, name)) is not None:
        return path, Resolution(path), None
    fault = _fault(name)
    resolution = Resolution(None) if fault else resolve(catalog, name, "")
    if resolution.path is not None and is_note(resolution.path) and not resolution.rivals:
        return resolution.path, resolution, fault
    if name + ".md" in catalog:  # no link could spell this name, or a file without `.md` has it too
        return name + ".md", resolution, fault
    return None, resolution, fault


def _twin_as_given(catalog: KnownNames, name: str) -> str | None:
    """Return the note with exactly this name, if another note has the same folded name.

    The resolver treats a no-break space as a plain one, so it could find the other note.
    """
    for path in (name, name + NOTE_SUFFIX):
        if path in catalog and is_note(path) and len(catalog.at(fold(path))) > 1:
            return path
    return None


def _fault(name: str) -> str | None:
    if not name.strip():
        return "it is empty"
    if "\0" in name:
        return "it holds NUL"
    return "it leads out of the vault" if ".." in cleaned(name).split("/") else None


def spelled_out(store: Store, name: str) -> str | None:
    """Return the path of the note that `name` spells out in full, without looking at any other file; None if unsure."""
    path = path_of(name)
    if not is_text(name) or _fault(name) or is_anchored(path) or is_hidden(path) or cleaned(name) != name:
        return None
    return path if store.stamp(path) and not store.ignores_case(path) else None


def is_text(name: str) -> bool:
    """Return whether a file can have this name."""
    try:
        name.encode()
    except UnicodeEncodeError:  # half a character
        return False
    return True


def known_note(catalog: KnownNames, name: str) -> str:
    """Return the path of the note that `name` means."""
    path = find_note(catalog, name)
    if path is None:
        raise UnknownNote(name, nearest(catalog, name))
    return path


def name_for(catalog: KnownNames, path: str) -> str:
    """Return the shortest name that means exactly this note: its path, with a leading `/` or `.md` if needed."""
    plain = name_of(path)
    if "." not in base_of(plain) and "\\" not in plain and plain == plain.strip() and len(catalog.at(fold(path))) == 1:
        return plain  # true for nearly all notes; the loop below would return it too, but later
    for name in (plain, "/" + plain, path, "/" + path):
        if _meant(catalog, name)[0] == path:
            return name
    return plain


def shortest(catalog: KnownNames, path: str, source: str) -> str | None:
    """Return the shortest target that means the file at a path, in the note at `source`; None if no target does."""
    name = name_of(path)
    for spelled in filter(None, (page_title(catalog, path), base_of(name), name, f"/{name}")):
        resolved = resolve(catalog, spelled, source)
        if resolved.path == path and not resolved.rivals:
            return spelled
    return next((spelled for spelled in (name, f"/{name}") if resolve(catalog, spelled, source).path == path), None)


def destination(names: KnownNames, path: str, new_name: str) -> tuple[str, bool]:
    """Return the path that a new name for the note at `path` means, and whether another note is there.

    A name that means another note, by the rules of `find_note`, means that one. Every other name, and another spelling
    of the note's own name, means a path: see `placed`. In a Logseq graph it can be the title of a page.
    """
    name, own = placed(path, _as_page(names, unlinked(new_name), path)), {path, name_of(path)}
    is_own = list(names.at(fold(path_of(name)))) == [path]
    if name in own or (is_own and normal(name) in own):
        return path, False
    if not is_own:
        there = candidates(names, f"/{name}" if new_name.endswith("/") else new_name)
        if len(there) > 1:
            names_there = [name_for(names, one) for one in there]
            raise AmbiguousName(new_name, names_there, namesake_advice(names, path, new_name))
        if there not in ([], [path]):
            return there[0], True
    _check_plain(new_name)
    if (folder := folder_of(path)) and folder == folder_of(name):  # it exists, whatever its name is
        to = f"{folder}/{new_path(base_of(name))}"
        check_length(to, new_name)
        return to, False
    return new_path("/" + name), False


def namesake_advice(names: KnownNames, path: str, new_name: str) -> str:
    """Return advice on a new name that other notes have, for the note at `path`; "" if one has that path."""
    path_name = placed(path, _as_page(names, unlinked(new_name), path))
    is_free = not names.at(fold(path_of(path_name)))
    return f"For another note of this name, give: {quoted(f'/{path_name}')}." if is_free else ""


def _as_page(names: KnownNames, name: str, path: str = "") -> str:
    """Return a new name unchanged or, if it is the title of a page of a Logseq graph, as the path of its file.

    A name is no title if it begins or ends with `/`, or if its first part is a folder. `path`: of the note to rename.
    """
    first, *more = name.split("/")
    if not names.pages or "" in {first, *more}:
        return name
    if more and (first in {_PAGES, _JOURNALS} or below(path, first) or names.folders_at(fold(first))):
        return name
    title, folder = name_of(name), folder_of(path)
    file = page_file(title) if more or not page_of(path_of(title)) else title  # else it is the name of a page's file
    if not more and (path or fold(file) == ENTRY):
        return file
    return f"/{_PAGES if base_of(folder) in {'', _JOURNALS} else folder}/{file}"


def free_path(catalog: Catalog, name: str, *, is_path: bool = False) -> str:
    """Return the path for a new note under a name that no note has; with `is_path`, the name is no title of a page."""
    _check_plain(name)
    path = new_path(name if is_path else _as_page(catalog, name))
    check_folders(catalog, path)
    return path


def _check_plain(name: str) -> None:
    """Refuse a link or a URI as the name of a new note."""
    if (target := unlinked(name)) != name:
        raise BadName(name, f"give a new note its plain name: {target!r}")


def check_folders(catalog: Catalog, path: str) -> None:
    """Refuse a new file whose folder would be a twin of another."""
    for folder in folders_of(path):
        if folder in catalog.folders:
            return
        if twins := catalog.folders_at(fold(folder)):
            raise Taken(
                f"The folder {folder!r} would differ only in case or Unicode form from {twins[0]!r}, which exists; "
                "spell it like that."
            ).about(twins[0] + "/")


def nearest(catalog: KnownNames, name: str, count: int = 5) -> list[str]:
    """Return the names most similar to `name`: those that hold it, those that hold its words, those spelled alike.

    All of them have its numbers: another number would mean another day, version or chapter.
    """
    check_may_wait()
    wanted = base_of(fold(cleaned(unlinked(name).partition("#")[0]))).removesuffix(NOTE_SUFFIX)
    bases = {base.removesuffix(NOTE_SUFFIX): base for base in catalog.bases() if is_note(base)}
    words, required = _WORDS.findall(wanted), {*numbers(wanted)}

    def holds(base: str) -> bool:
        has_words = wanted in base or (len(words) > 1 and all(word in base for word in words))
        return bool(wanted) and has_words and required.issubset(numbers(base))

    held = (path for base, full in bases.items() if holds(base) for path in catalog.named(full))
    holding = heapq.nsmallest(count, held, key=lambda path: (wanted not in fold(path), len(path), path))
    close = spelled_alike(wanted, bases, count, 0.6)
    ranked = dict.fromkeys([*holding, *(path for base in close for path in catalog.named(bases[base]))])
    return [name_for(catalog, path) for path in itertools.islice(ranked, count)]


def files_below(catalog: Catalog, folder: str) -> list[str]:
    """Return the paths of the files below a folder, whose case does not count; "" stands for the vault."""
    folded = fold(folder).strip("/")
    return catalog.below(catalog.folders_at(folded) if folded else [""])


def complete(catalog: Catalog, beginning: str, count: int = 100, *, folder: str = "") -> tuple[list[str], int]:
    """Return names below a folder that contain `beginning`, and the number of all such names.

    Names whose last part is `beginning` come first, then those that begin with it, then those with a word
    that begins with it.
    """
    folded = fold(beginning)
    matches = [path for path in catalog.notes() if folded in fold(name_of(path)) and below(path, folder)]

    def rank(path: str) -> tuple[bool, bool, bool, str, str]:
        name = fold(name_of(path))
        base = base_of(name)
        begins = name.startswith(folded) or base.startswith(folded)
        return base != folded, not begins, not begins_word(name, folded), name, path

    return [name_for(catalog, path) for path in heapq.nsmallest(count, matches, key=rank)], len(matches)


class Misspelt:
    """The notes that targets of links may misspell."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._named: dict[str, list[str]] = {}  # the paths of the notes by the last parts of their names
        self._likeness = Likeness(self._new_names(paths))

    def _new_names(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            paths_there = self._named.setdefault(last_part(path), [])
            paths_there.append(path)
            if len(paths_there) == 1:
                yield last_part(path)

    def note(self, target: str) -> str | None:
        """Return the path of the only note that a target misspells, or names with a wrong folder; else None."""
        base = last_part(target)
        name = base if base in self._named else self._likeness.meant(base)
        paths = self._named[name] if name is not None else []
        required = numbers(target)
        has_numbers = len(paths) == 1 and (not required or numbers(name_of(paths[0]))[-len(required) :] == required)
        return paths[0] if has_numbers else None


def last_part(target: str) -> str:
    """Return the last part of a path or a target in the form in which it is compared: without a folder and `.md`."""
    return fold(base_of(name_of(target)))
