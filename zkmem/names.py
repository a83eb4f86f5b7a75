"""Compare the names of notes, and check names of new notes, and texts.

A name is a path inside the vault without `.md`, `/`-separated, in NFC. New names must satisfy the rules of Obsidian,
Windows and all common file systems, so that a vault can move between systems.

Rules: docs/development/links.md, section 5.
"""

import itertools
import os
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from zkmem.errors import BadArgument, BadName

NOTE_SUFFIX = ".md"
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")
EMBEDDED = (*IMAGES, ".pdf", ".mp3", ".wav", ".m4a", ".ogg", ".flac", ".3gp", ".mp4", ".webm", ".ogv", ".mov", ".mkv")
"""The suffixes of the files that Obsidian shows in a note."""
BASE_SUFFIX = ".base"
ENTRY = "hint"  # the note that models read first
URI = "zkmem://note/"  # begins the URI of each note
LONGEST = 255  # bytes of one path component, suffix included: ext4's limit, the smallest
LONGEST_PATH = 900  # bytes; macOS takes 1,024, the vault's own folder included

_NOT_IN_PAGE_FILES = re.compile(r'[*":<>?]|%(?=[0-9A-Fa-f]{2})|_(?=__|/)|(?<=/)_')
_FORBIDDEN = {
    **dict.fromkeys('*"\\/<>:|?', "Windows and Obsidian refuse {!r}"),
    **dict.fromkeys("#^[]", "a link cannot hold {!r}"),
}
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [port + digit for port in ("com", "lpt") for digit in "123456789¹²³"]
)
_SEPARATORS = "\\:" if os.name == "nt" else ""  # of the paths of this system, beside /
_MOST_SPELLINGS = 64
_UNUSUAL = re.compile(r"[^\w -]")  # few names have such a character, and only such a one can be refused
_JOINERS = "\u200c\u200d"  # invisible, but part of emoji and of Persian words


def normal(name: str) -> str:
    """Return a name as it is stored: in NFC, with plain spaces for no-break spaces (Obsidian's normalizePath)."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", name.replace("\u00a0", " ").replace("\u202f", " "))


def composed(path: str) -> str:
    """Return a path as the catalog spells it: in NFC."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def spellings(path: str) -> list[str]:
    """Return the paths that are `path` in NFC, if each part is in NFC or NFD; of very many, some are left out."""
    forms = ({unicodedata.normalize(form, part): None for form in ("NFC", "NFD")} for part in path.split("/"))
    mixed = ("/".join(parts) for parts in itertools.product(*forms))
    whole = (unicodedata.normalize(form, path) for form in ("NFC", "NFD"))
    return list(dict.fromkeys((*whole, *itertools.islice(mixed, _MOST_SPELLINGS))))


def fold(name: str) -> str:
    """Return a name as it is compared: in its normal form and lower case."""
    return name.lower() if name.isascii() else normal(name).lower()


def is_note(path: str) -> bool:
    """Return whether a path is the path of a Markdown note."""
    return path[-3:].lower() == NOTE_SUFFIX


def is_attachment(target: str) -> bool:
    """Return whether the target of a link names a picture, sound, film or PDF: if it is missing, it is no new note."""
    return target.lower().endswith(EMBEDDED)


def name_of(path: str) -> str:
    """Return the name of the note at `path`; return any other path unchanged."""
    return path[:-3] if is_note(path) else path


def page_of(path: str) -> str:
    """Return the path of a note with the title of its page in Logseq as its name: `A/B.md` for `x/A___B.md`; else "".

    Logseq writes `/` in a title as `___`, and as `%2F` in older graphs; `%` and two digits stand for other characters.
    """
    base = base_of(path)
    if not is_note(path) or ("___" not in base and "%" not in base):
        return ""
    page = unquote(base.replace("___", "/"))
    return page if page != base and page.isprintable() else ""


def page_file(title: str) -> str:
    """Return the name of the file of a page in Logseq, without a folder: `A___B` for `A/B`; see `page_of`."""
    return _NOT_IN_PAGE_FILES.sub(lambda found: f"%{ord(found[0]):02X}", title).replace("/", "___")


def base_of(path: str) -> str:
    """Return the last component of a path."""
    return path.rpartition("/")[2]


def folder_of(path: str) -> str:
    """Return the folder of a path, `""` for the root."""
    return path.rpartition("/")[0]


def below(path: str, folder: str) -> bool:
    """Return whether a path is below a folder; every path is below "", the vault."""
    return not folder or path.startswith(folder + "/")


def folders_of(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, the innermost first, without the root."""
    while folder := folder_of(path):
        yield folder
        path = folder


def check_part(part: str, name: str, suffix: str = NOTE_SUFFIX) -> None:
    """Refuse a path component that some system cannot store; the error quotes `name`."""
    reason = _fault(part, suffix)
    if reason:
        raise BadName(name, reason)


def check_path(path: str) -> None:
    """Refuse the path of a file that no vault can hold.

    Some paths that pass cannot be linked, or cannot be stored on every system.
    """
    for part in path.split("/"):
        reason = _danger(part, "")
        if reason:
            raise BadName(path, reason)
    check_length(path, path)


def _danger(part: str, suffix: str) -> str | None:  # noqa: PLR0911 - one rule a line
    """Return why no file of a vault can have a path with this part; None if one can."""
    if not part.strip():
        return "it is empty, or has an empty part"
    if part in {".", ".."}:
        return f"{part!r} would lead out of its folder"
    if part.startswith("."):
        return "a leading dot hides a file"
    for char in _UNUSUAL.findall(part):
        if char in _SEPARATORS:
            return f"{char!r} would lead out of its folder"
        if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
            return f"it holds the control character U+{ord(char):04X}"
    if len((part + suffix).encode()) > LONGEST:
        return f"it is longer than {LONGEST - len(suffix)} bytes"
    return None


def _fault(part: str, suffix: str) -> str | None:  # noqa: PLR0911 - one rule a line
    """Return why no new note can have a path with this part; None if one can."""
    if reason := _danger(part, suffix):
        return reason
    if part != part.strip():
        return "it begins or ends with a blank"
    if part.endswith("."):
        return "Windows drops a dot at the end"
    for char in _UNUSUAL.findall(part):
        if char in _FORBIDDEN:
            return _FORBIDDEN[char].format(char)
        if unicodedata.category(char) == "Cf" and char not in _JOINERS:
            return f"it holds the invisible character U+{ord(char):04X}"
    if "%%" in part:
        return "Obsidian reads '%%' as a comment"
    if part.partition(".")[0].rstrip().lower() in _DEVICES:
        return "Windows reserves it for a device"
    return None


def check_length(path: str, name: str) -> None:
    """Refuse a path that is longer than some system allows."""
    if len(path.encode()) > LONGEST_PATH:
        raise BadName(name, f"its path is longer than {LONGEST_PATH} bytes")


def path_of(name: str) -> str:
    """Return the path of a note with this name. The name is not checked: the note may be old, or deleted."""
    name = normal(name).removeprefix("/")
    return name if is_note(name) else name + NOTE_SUFFIX


def placed(path: str, new_name: str) -> str:
    """Return what a new name for the file at `path` stands for, as a path from the root without `/` before it.

    A name without a folder stays in the file's folder; `folder/` stands for the file's own name in that folder.
    """
    folder, slash, base = new_name.rpartition("/")
    if not slash:
        folder = folder_of(path)
    elif not base:
        base = base_of(name_of(path))
    return f"{folder}/{base}".removeprefix("/")


def new_path(name: str) -> str:
    """Return the path of a new note named `name`, which is a path from the root with or without `.md`."""
    shown, name = name, normal(name)
    name = name.removeprefix("/")
    *folders, last = name.split("/")
    if is_note(last):
        last = last[:-3]
    for folder in folders:
        check_part(folder, shown, suffix="")
    check_part(last, shown)
    path = "/".join([*folders, last + NOTE_SUFFIX])
    check_length(path, shown)
    return path


def check_text(text: str, name: str) -> None:
    """Refuse an argument that no UTF-8 file can contain; `name` is its name.

    Raises:
        BadArgument: when it has half of a surrogate pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(f"`{name}` holds half a character at position {error.start}; send whole ones.") from None
