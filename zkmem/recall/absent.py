"""Give advice about a missing note: it may be in the trash or the entry note, and others may have its words."""

import shlex
from collections.abc import Collection
from typing import TYPE_CHECKING

from zkmem.index.lookup import is_text, unlinked
from zkmem.names import ENTRY, base_of, fold, name_of, path_of
from zkmem.past.revisions import Past
from zkmem.util.spelling import told_apart
from zkmem.vault.paths import TRASH
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.recall.search import Search

_MOST_MENTIONS = 3


def advice(name: str, store: Store, past: Past, *, folder: str = "", may_write: bool = True) -> str:
    """Return advice for a caller who has named a missing note; an empty text if there is none.

    `folder`: the only folder that the caller may see, and that `past` is limited to; "" for all notes. With a folder,
    the advice leaves out files in the trash that no known edit put there, since they may come from another folder.
    """
    if not is_text(name):
        return ""
    name = unlinked(name).strip()
    parts = [_in_trash(name, store, past, sees_all=not folder, may_write=may_write)]
    if fold(name) == ENTRY:
        entry = f"{folder}/{ENTRY}" if folder else ENTRY
        write = f", and set_content (zkmem set) with the name {entry!r} writes it" if may_write else ""
        parts.append(f"There is no entry note yet: get_hints (zkmem hints) lists notes to start from{write}.")
    return " ".join(filter(None, parts))


def mentions(name: str, search: "Search", folder: str, named: Collection[str]) -> str:
    """Return a sentence that names notes below a folder with words of a missing name. `named`: notes to leave out."""
    if not is_text(name):
        return ""
    words = base_of(name_of(unlinked(name).partition("#")[0]))
    hits = search.find_soon(words, _MOST_MENTIONS + len(named), folder)
    names = [hit.name for hit in hits if hit.name not in named][:_MOST_MENTIONS]
    return f"Notes that contain its words: {', '.join(told_apart(names))}." if names else ""


def _in_trash(name: str, store: Store, past: Past, *, sees_all: bool, may_write: bool) -> str:
    path = path_of(name)
    if deletion := past.deleted(path):
        file, old_name, rev = deletion.to, name_of(deletion.path), deletion.before
        revision = shlex.quote(f"{old_name}@{rev}")
        remedy = f" To get it back: restore with the rev {rev} (zkmem restore {revision})." if may_write else ""
        return f"{old_name!r} was moved to the trash, as {file!r}.{remedy}"
    file = f"{TRASH}/{path.rpartition('/')[2]}"
    if sees_all and store.stamp(file):
        return f"The trash has a file of that name, {file!r}; to get it back, move it into the vault."
    return ""
