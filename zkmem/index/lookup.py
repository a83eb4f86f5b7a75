"""Which note a name means, given to a tool: like `[[name]]` from the vault's root, but never a guess."""

import difflib
import heapq
import itertools

from zkmem.errors import AmbiguousName, BadName, Taken, UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.resolve import Resolution, cleaned, is_anchored, resolve
from zkmem.vault.names import NOTE_SUFFIX, base_of, below, fold, folders_of, is_note, name_of, new_path, normal, path_of
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

_MOST_COMPARED = 500


def find_note(catalog: Catalog, name: str) -> str | None:
    """The path of the note that `name` means; None where it means none.

    Raises:
        AmbiguousName: when several notes share the name.
        BadName: when it is empty, leads out of the vault, or is a file that is no note.
    """
    path, found, fault = _meant(catalog, name)
    if path is not None:
        return path
    if fault:
        raise BadName(name, fault)
    if found.rivals:
        raise AmbiguousName(name, (name_for(catalog, path) for path in sorted([found.path or "", *found.rivals])))
    if found.path is not None:
        raise BadName(name, "it is a file, but not a note")
    return None


def candidates(catalog: Catalog, name: str) -> list[str]:
    """The paths of the notes that `name` could mean, in order.

    Raises:
        BadName: when it is empty or leads out of the vault.
    """
    path, found, fault = _meant(catalog, name)
    if path is not None:
        return [path]
    if fault:
        raise BadName(name, fault)
    return sorted(path for path in (found.path, *found.rivals) if path is not None and is_note(path))


def _meant(catalog: Catalog, name: str) -> tuple[str | None, Resolution, str | None]:
    """The one note that a name means, if there is one; what it resolves to; and what is wrong with it."""
    fault = _fault(name)
    found = Resolution(None) if fault else resolve(catalog, name, "")
    if found.path is not None and is_note(found.path) and not found.rivals:
        return found.path, found, fault
    if name + ".md" in catalog.rows:  # a name that no link could spell, or that a file without `.md` takes
        return name + ".md", found, fault
    return None, found, fault


def _fault(name: str) -> str | None:
    if not name.strip():
        return "it is empty"
    if "\0" in name:
        return "it holds NUL"
    return "it leads out of the vault" if ".." in cleaned(name).split("/") else None


def spelled_out(store: Store, name: str) -> str | None:
    """The path of the note that `name` is the path of, found without a look at any other file; None if in doubt."""
    path = path_of(name)
    if not _is_text(name) or _fault(name) or is_anchored(path) or is_hidden(path) or cleaned(name) != normal(name):
        return None
    return path if store.stamp(path) and not store.ignores_case(path) else None


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # half a character
        return False
    return True


def known_note(catalog: Catalog, name: str) -> str:
    """The path of the note that `name` means.

    Raises:
        UnknownNote: when it means none, with the nearest names; and what `find_note` raises.
    """
    path = find_note(catalog, name)
    if path is None:
        raise UnknownNote(name, nearest(catalog, name))
    return path


def name_for(catalog: Catalog, path: str) -> str:
    """The shortest name that means exactly this note: its path, with a leading `/` or its `.md` where it must."""
    plain = name_of(path)
    if "." not in base_of(plain) and "\\" not in plain and plain == plain.strip() and len(catalog.at(fold(path))) == 1:
        return plain  # as nearly all; the same answer as below, sooner
    for name in (plain, "/" + plain, path, "/" + path):
        if _meant(catalog, name)[0] == path:
            return name
    return plain


def new_note(catalog: Catalog, name: str) -> tuple[str, bool]:
    """The path that a new name stands for, from the root as written, and whether a note is there already.

    Raises:
        BadName: when there is none, and no note can be called so. Taken: when its folder has a twin.
    """
    wanted = normal(name).removeprefix("/")
    there = catalog.at(fold(wanted if is_note(wanted) else wanted + ".md"))
    for path in there:
        if wanted in {path, name_of(path)}:
            return path, True
    return (there[0], True) if there else (free_path(catalog, name), False)


def free_path(catalog: Catalog, name: str) -> str:
    """The path of a note to be made under a name that none has.

    Raises:
        BadName: when no note can be called so. Taken: when its folder has a twin.
    """
    path = new_path(name)
    for folder in folders_of(path):
        if folder in catalog.folders:
            break
        if twins := catalog.folders_at(fold(folder)):
            raise Taken(
                f"The folder {folder!r} would differ only in case or Unicode form from {twins[0]!r}, which exists; "
                "spell it like that."
            )
    return path


def nearest(catalog: Catalog, name: str, count: int = 5) -> list[str]:
    """The names most like `name`: those that hold its words first, then those spelled alike."""
    wanted = base_of(fold(cleaned(name.strip("[]").partition("#")[0]))).removesuffix(NOTE_SUFFIX)
    bases = {base.removesuffix(NOTE_SUFFIX): base for base in catalog.bases() if is_note(base)}
    held = (path for base, full in bases.items() if wanted and wanted in base for path in catalog.named(full))
    holding = heapq.nsmallest(count, held, key=lambda path: (len(path), path))
    alike = heapq.nsmallest(_MOST_COMPARED, bases, key=lambda base: abs(len(base) - len(wanted)))
    close = difflib.get_close_matches(wanted, alike, n=count, cutoff=0.6)
    ranked = dict.fromkeys([*holding, *(path for base in close for path in catalog.named(bases[base]))])
    return [name_for(catalog, path) for path in itertools.islice(ranked, count)]


def complete(catalog: Catalog, beginning: str, count: int = 100, *, folder: str = "") -> tuple[list[str], int]:
    """Names below a folder that begin with, then names that hold, what was typed; and how many there are in all."""
    wanted = fold(beginning)
    found = [path for path in catalog.notes() if wanted in fold(name_of(path)) and below(path, folder)]

    def rank(path: str) -> tuple[bool, str]:
        name = fold(name_of(path))
        return not (name.startswith(wanted) or base_of(name).startswith(wanted)), name

    return [name_for(catalog, path) for path in heapq.nsmallest(count, found, key=rank)], len(found)
