"""Plan edits of text files and folders by their paths, for callers who use a folder of the vault as a file system."""

import re
from collections import Counter
from collections.abc import Callable, Mapping

from zkmem.edit.plan import Plan, Put, View, to_trash
from zkmem.edit.relink import Relinker
from zkmem.edit.rename import plan_moves
from zkmem.errors import BadArgument, BadName, Inexpressible, Taken, UnknownFile
from zkmem.index.lookup import check_folders
from zkmem.markdown.note import Text, read_text, write_text
from zkmem.names import check_length, check_part, check_text, fold, folders_of, is_note

_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # lone surrogates that stand for no byte: see `Text`


def plan_create_files(view: View, files: Mapping[str, bytes]) -> Plan:
    """Plan to create notes and other files, at least one. A link that would then lead to a new note gets a full path.

    Raises:
        Taken: when a file or a folder is at a path, or when two paths or folders would differ only in case or Unicode
            form. BadName: when no file can have a path.
    """
    for path in files:
        _check_free(view, path)
    if twins := [path for path, count in Counter(map(fold, files)).items() if count > 1]:
        raise Taken(f"Two of the files would have the same path: {twins[0]!r}.")
    relinked = Relinker(view, {}, born=list(files)).changed()
    puts = [Put(path, data, view.base(path)) for path, data in relinked.items()]
    puts += [Put(path, data, None) for path, data in files.items()]
    return Plan(next(iter(files)), "created", tuple(puts), tuple(relinked))


def plan_rewrite_file(view: View, path: str, change: Callable[[str], str]) -> Plan:
    r"""Plan to replace the text of a file by what `change` makes of it. The text has `\n` as line ends.

    Raises:
        UnknownFile: when there is no such file. Inexpressible: when it is not a text file. Also the errors of `change`.
    """
    if path not in view.catalog:
        raise UnknownFile(path)
    data = view.read(path)
    base = text_in(path, data)
    text = change(base.text)
    if not base.lossy or _HALVES.search(text):
        check_text(text, "text")
    new = write_text(text, base)
    return Plan(path, "replaced", (Put(path, new, view.base(path)),)) if new != data else Plan(path, "unchanged", ())


def text_in(path: str, data: bytes) -> Text:
    """Return the text of a file. A note is a text, whatever bytes it has.

    Raises:
        Inexpressible: when another file is not a text.
    """
    text = read_text(data)
    if not is_note(path) and (text.lossy or "\0" in text.text):
        raise Inexpressible(f"{path!r} is not a text file.")
    return text


def plan_delete_files(view: View, path: str) -> Plan:
    """Plan to move a file, or all files below a folder, to the trash; links to them stay as they are.

    Raises:
        UnknownFile: when there is neither a file nor a folder.
    """
    return Plan(path, "deleted", tuple(to_trash(view, files_at(view, path))))


def plan_move_files(view: View, path: str, to: str) -> Plan:
    """Plan to rename a file or a folder, and to update every link.

    Raises:
        UnknownFile: when there is neither a file nor a folder. Taken, BadName: as for `plan_create_files`.
        BadArgument: when a folder would move into itself.
    """
    if to.startswith(path + "/"):
        raise BadArgument(f"{path!r} cannot move into itself.")
    _check_free(view, to, besides=path)
    moves = {old: to + old[len(path) :] for old in files_at(view, path)}
    for new in moves.values():
        check_length(new, new)
    return plan_moves(view, moves)


def files_at(view: View, path: str) -> list[str]:
    """Return the file at a path, or all files below it in alphabetical order.

    Raises:
        UnknownFile: when there is none.
    """
    paths = [path] if path in view.catalog else sorted(view.catalog.below([path]))
    if not paths:
        raise UnknownFile(path)
    return paths


def _check_free(view: View, path: str, besides: str = "") -> None:
    """Refuse the path of a new file or folder that is taken or that some system cannot store.

    `besides`: a file or folder that moves away from its path.
    """
    catalog = view.catalog
    for part in path.split("/"):
        check_part(part, path, suffix="")
    check_length(path, path)
    if path in catalog or path in catalog.folders:
        raise Taken(f"{path!r} exists already.")
    if file := next((folder for folder in folders_of(path) if catalog.at(fold(folder))), None):
        raise BadName(path, f"{file!r} is a file, not a folder").about(file)
    twins = [one for one in (*catalog.at(fold(path)), *catalog.folders_at(fold(path))) if one != besides]
    if twins:
        raise Taken(f"{path!r} would differ only in case or Unicode form from {twins[0]!r}.").about(twins[0])
    check_folders(catalog, path)
