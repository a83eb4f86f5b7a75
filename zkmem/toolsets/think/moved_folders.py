"""Find the note that a line of a list means after somebody moved or renamed the line's folder by hand.

If a folder has none of the notes of the lines that name it, several folders can be its new one:

- one with a path that ends like its path, for each line whose note it has;
- the list's own folder, if it has a note for each of these lines;
- any folder with a raw memory for each of these lines.

A note that another line means for sure is never one of the candidates. The line means a note if only one is left. Of
two candidates, one would be another memory, which a wrong guess would show, overwrite or move to the trash.
"""

import functools
from collections.abc import Collection, Mapping

from zkmem.names import NOTE_SUFFIX, fold, folder_of, name_of
from zkmem.records.pages import Pages
from zkmem.toolsets.think.lists import base_folded
from zkmem.toolsets.think.memories import Memories


class MovedFolders:
    """The lines of one list, with methods for those whose note is not where the line says."""

    def __init__(self, pages: Pages, path: str, lines: Mapping[str, Collection[str]]) -> None:
        """Take the path of the list's note, and the targets of its lines by `base_folded`."""
        self._pages = pages
        self._path = path
        self._own = fold(name_of(path))
        self._lines = lines
        self._new_folders: dict[str, Collection[str]] = {}
        self._others: dict[str, MovedFolders] = {}

    def find(self, target: str) -> str | None:
        """Return the only note that a line can mean, if no other line with a missing folder can mean only that."""
        candidates = self.candidates(target)
        if len(candidates) != 1 or self._is_contested(candidates[0], self._folder(target)):
            return None
        return candidates[0]

    def candidates(self, target: str) -> list[str]:
        """Return the notes that a line can mean, if the folder that it names does not have the note."""
        folder, base = self._folder(target), base_folded(target)
        if folder == self._own and self._pages.has_folder(folder):
            return []
        ending = f"/{folder}/{base}{NOTE_SUFFIX}"
        alike = (path for path in self._pages.namesakes(base + NOTE_SUFFIX) if fold("/" + path).endswith(ending))
        found = {path for path in alike if not self._is_claimed(path, folder)}
        for home in self._homes(folder):
            found.update(self._pages.at(f"{home}/{base}{NOTE_SUFFIX}"))
        return sorted(found)

    def _homes(self, folder: str) -> Collection[str]:
        """Return the folders that can be the new one of a folder by their notes; none if it has any of its own."""
        if folder not in self._new_folders:
            bases = self._bases.get(folder, ())
            is_empty = not any(self._pages.at(f"{folder}/{base}{NOTE_SUFFIX}") for base in bases)
            folders = [{folder_of(path) for path in self._pages.namesakes(base + NOTE_SUFFIX)} for base in bases]
            with_all = set.intersection(*folders) if folders and is_empty else set[str]()
            self._new_folders[folder] = [home for home in with_all if home and self._can_be(home, folder, bases)]
        return self._new_folders[folder]

    def _can_be(self, home: str, folder: str, bases: Collection[str]) -> bool:
        table, is_own = self._pages.table(Memories), fold(home) == self._own
        there = [path for base in bases for path in self._pages.at(f"{home}/{base}{NOTE_SUFFIX}")]
        return all((is_own or table.is_raw(path)) and not self._is_claimed(path, folder) for path in there)

    def _is_claimed(self, path: str, folder: str) -> bool:
        """Return whether a line of any list with another folder, or without one, means a note for sure."""
        for source, target in self._pages.table(Memories).naming(base_folded(path)):
            named = self._pages.target_folder(target, source)
            meant = self._pages.exact(target, source) if named else self._pages.resolve(target, source)
            if named != folder and meant == path:
                return True
        return False

    def _is_contested(self, path: str, folder: str) -> bool:
        """Return whether a line of any list with another missing folder can mean only this note, too."""
        for source, target in self._pages.table(Memories).naming(base_folded(path)):
            named = self._pages.target_folder(target, source)
            is_lost = named not in {"", folder} and self._pages.exact(target, source) is None
            if is_lost and self._of(source).candidates(target) == [path]:
                return True
        return False

    def _of(self, path: str) -> "MovedFolders":
        if path not in self._others:
            lines = self._pages.table(Memories).lines_of(path)
            self._others[path] = self if path == self._path else MovedFolders(self._pages, path, lines)
        return self._others[path]

    def _folder(self, target: str) -> str:
        return self._pages.target_folder(target, self._path)

    @functools.cached_property
    def _bases(self) -> Mapping[str, Collection[str]]:
        """The base names of the lines by folder."""
        bases: dict[str, set[str]] = {}
        for base, targets in self._lines.items():
            for target in targets:
                bases.setdefault(self._folder(target), set()).add(base)
        return bases
