"""Give advice about a missing note: it may be in the trash or the entry note, and others may have its words."""

import heapq
import shlex
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from zkmem.index.lookup import is_text, unlinked
from zkmem.names import ENTRY, base_of, fold, name_of, path_of
from zkmem.past.revisions import Past
from zkmem.util.spelling import number_of, quoted, told_apart
from zkmem.vault.journal.log import Change, Edit
from zkmem.vault.paths import TRASH
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.search.search import Search

_MOST_MENTIONS = 3
_MOST_BELOW = 10


class Ways(NamedTuple):
    """What a caller may do about a missing note."""

    folder: str = ""  # the only folder that it may see; "" for all notes
    may_write: bool = True
    proposes: bool = False  # whether its edits are proposed, and not made
    tools: Collection[str] | None = None  # the names of the tools that it can call; None if it is no model

    def to(self, tool: str, command: str, more: str = "") -> str:
        """Return how to do something: the tool and, if the caller is no model, the command; "" without the tool."""
        if self.tools is None:
            return f"{tool}{more} ({command})"
        return f"{tool}{more}" if tool in self.tools else ""


def advice(name: str, store: Store, past: Past, ways: Ways) -> str:
    """Return advice for a caller who has named a missing note; an empty text if there is none.

    `past` is limited to the notes that the caller may see. If these are only those of a folder, the advice leaves out
    files in the trash that no known edit put there, since they may come from another folder.
    """
    if not is_text(name):
        return ""
    name = unlinked(name).strip()
    entry = _about_entry(ways) if fold(name) == ENTRY else ""
    return " ".join(filter(None, [_in_trash(name, store, past, ways), entry]))


def _about_entry(ways: Ways) -> str:
    entry = f"{ways.folder}/{ENTRY}" if ways.folder else ENTRY
    read, write = ways.to("get_hints", "zkmem hints"), ways.to("set_content", "zkmem set")
    advice = [f"{read} lists notes to start from"] if read else []
    if write and ways.may_write:
        advice.append(f"{write} with the name {entry!r} writes it")
    return "There is no entry note yet" + (": " * bool(advice) + ", and ".join(advice)) + "."


def mentions(name: str, search: "Search", folder: str, named: Collection[str]) -> tuple[str, list[str]]:
    """Return a sentence that names notes below a folder with words of a missing name, and their names.

    `named`: notes to leave out.
    """
    if not is_text(name):
        return "", []
    words = base_of(name_of(unlinked(name).partition("#")[0]))
    hits = search.find_soon(words, _MOST_MENTIONS + len(named), folder)
    names = [hit.name for hit in hits if hit.name not in named][:_MOST_MENTIONS]
    return f"Notes that contain its words: {', '.join(told_apart(names))}." if names else "", names


def below_folder(name: str, paths: Collection[str]) -> tuple[str, list[str]]:
    """Return a sentence that names the notes at these paths, and the names.

    The notes are below a folder with a missing note's name.
    """
    first = heapq.nsmallest(_MOST_BELOW, map(name_of, paths))
    more = f" and {len(paths) - len(first)} more" if len(paths) > len(first) else ""
    sentence = f"{quoted(name)} is a folder with {number_of(len(paths), 'note')}: {', '.join(told_apart(first))}{more}."
    return sentence, first


def _in_trash(name: str, store: Store, past: Past, ways: Ways) -> str:
    path = path_of(name)
    if deleted := past.deleted(path):
        edit, deletion = deleted
        place = f"{name_of(deletion.path)!r} was moved to the trash, as {deletion.to!r}."
        return f"{place} {_way_back(edit, deletion, ways)}" if ways.may_write else place
    file = f"{TRASH}/{path.rpartition('/')[2]}"
    if not ways.folder and store.stamp(file):
        return f"The trash has a file of that name, {file!r}; to get it back, move it into the vault."
    return ""


def _way_back(edit: Edit, deletion: Change, ways: Ways) -> str:
    """Return how to get a deleted note back. A model without the tool can ask a person."""
    name, rev = name_of(deletion.path), deletion.before
    if restore := ways.to("restore", f"zkmem restore {shlex.quote(f'{name}@{rev}')}", f" with the rev {rev}"):
        return f"To get it back: {restore}."
    if ways.proposes:
        return "A person can drop that edit, which you have proposed."
    return f"Only a person can get it back: with `zkmem undo {edit.number}`, or in the history on the page."
