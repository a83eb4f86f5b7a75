"""Plan to store a file as an attachment of a note, under a name that no file has yet.

The folder is the one that Obsidian's settings name (`attachmentFolderPath` in `.obsidian/app.json`), else `attachments`
beside the note. The first bytes of a picture decide its suffix; any other file keeps its own. So nobody can store an
HTML page, which may have scripts, under the name of a picture.
"""

import datetime
import itertools
import re
from collections.abc import Iterable

from zkmem.edit.plan import Plan, Put, View, to_trash
from zkmem.edit.relink import Relinker
from zkmem.errors import BadArgument, BadName, TooLarge
from zkmem.index.lookup import check_folders, find_note, free_path
from zkmem.names import check_length, check_part, fold, folder_of, normal
from zkmem.vault.files import MOST_BYTES, Read
from zkmem.vault.obsidian import obsidian_settings
from zkmem.vault.paths import is_hidden

APP = ".obsidian/app.json"
_FOLDER = "attachments"
_LONGEST = 80  # characters of a title
_KINDS = {
    ".png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    ".jpg": re.compile(rb"\xff\xd8\xff"),
    ".gif": re.compile(rb"GIF8[79]a"),
    ".webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    ".avif": re.compile(rb".{4}ftypavi[fs]", re.DOTALL),
}
_SUFFIX = re.compile(r"(?<=[^./])\.[A-Za-z0-9]{1,10}\Z")
_NOT_IN_TITLES = re.compile(r"[^\w\-()+&',. ]+|(?<=\.)\.+")
_BLANKS = re.compile(r"\s+")


def suffix_of(title: str, data: bytes) -> str:
    """Return the suffix of a file: that of its kind for a picture, else that of its title, `.bin` if it has none.

    Raises:
        BadArgument: when it has the suffix of a picture, but is none. TooLarge: when it has more than 16 MB.
    """
    if len(data) > MOST_BYTES:
        raise TooLarge(
            f"The file has {len(data):,} bytes; send one of at most {MOST_BYTES:,}, or put it into the vault's folder."
        )
    if kind := next((suffix for suffix, pattern in _KINDS.items() if pattern.match(data)), None):
        return kind
    written = _SUFFIX.search(title)
    suffix = written[0].lower() if written else ".bin"
    if suffix in {*_KINDS, ".jpeg"}:
        raise BadArgument(f"The file is no {suffix[1:].upper()}, although its name says so; give it the right suffix.")
    return suffix


def folder_setting(read: Read) -> str:
    """Return the folder for attachments in Obsidian's settings; "" if they name none, or one outside of the vault."""
    value = obsidian_settings(read, APP).get("attachmentFolderPath")
    return value if isinstance(value, str) else ""


def plan_attach(view: View, note: str, title: str, data: bytes, setting: str, now: datetime.datetime) -> Plan:
    """Plan to store a file for a note, which need not exist yet.

    `title`: the file's name, with any suffix; characters that a file name cannot have are left out. `setting`: see
    `folder_setting`.

    Raises:
        BadArgument, TooLarge: see `suffix_of`. BadName: when no note can have the name.
    """
    suffix = suffix_of(title, data)
    path = find_note(view.catalog, note) or free_path(view.catalog, note)
    folder = _folder(view, folder_of(path), setting)
    name = _title(title, suffix) or f"Pasted {'image' if suffix in _KINDS else 'file'} {now:%Y%m%d%H%M%S}"
    for number in itertools.count():
        numbered = f"{name} {number}" if number else name
        file = f"{folder}/{numbered}{suffix}".removeprefix("/")
        if not view.catalog.at(fold(file)) and not view.store.taken(file):
            break
    check_length(file, file)
    check_folders(view.catalog, file)
    relinked = Relinker(view, {}, born=[file]).changed()  # a name may have meant one file alone until now
    puts = [Put(other, text, view.base(other)) for other, text in relinked.items()]
    stored = Put(file, data, None, like=path if path in view.catalog else "")
    return Plan(file, "created", (*puts, stored), tuple(relinked))


def plan_detach(view: View, paths: Iterable[str]) -> Plan:
    """Plan to move those attachments of a text that was discarded to the trash that nothing else links to."""
    unlinked = [path for path in dict.fromkeys(paths) if path in view.catalog and not any(view.links.leading(path))]
    if not unlinked:
        return Plan("", "unchanged", ())
    return Plan(unlinked[0], "deleted", tuple(to_trash(view, unlinked)))


def _folder(view: View, beside: str, setting: str) -> str:
    """Return the folder for an attachment of a note in the folder `beside`."""
    default = f"{beside}/{_FOLDER}".removeprefix("/")
    configured = normal(setting)
    if configured in {"", "/"}:
        return default if not configured else ""
    folder = f"{beside}/{configured[2:]}" if configured.startswith("./") else configured
    folder = folder.strip("/")
    try:
        for part in filter(None, folder.split("/")):
            check_part(part, folder, suffix="")
    except BadName:  # somebody else may have written the settings
        return default
    return default if is_hidden(f"{folder}/x") or view.catalog.at(fold(folder)) else folder


def _title(written: str, suffix: str) -> str:
    """Return the part of a file's name that a file and a link can have; "" if nothing is left of it."""
    title = normal(written).rpartition("/")[2]
    stem, _, ending = title.rpartition(".")
    if stem and ending.isalnum():
        title = stem
    title = _BLANKS.sub(" ", _NOT_IN_TITLES.sub(" ", title))[:_LONGEST].strip(" .")
    try:
        check_part(title, title, suffix)
    except BadName:
        return ""
    return title
