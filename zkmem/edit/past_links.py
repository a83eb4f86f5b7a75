"""Update the links to notes whose older names are restored."""

from collections.abc import Iterable

from zkmem.edit.past_files import PastFile, Walk
from zkmem.edit.plan import View
from zkmem.edit.relink import Relinker
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import is_hidden

_SECOND_NS = 1_000_000_000
_NOW = 1 << 62  # a number that no edit has


class PastLinks:
    """Updates the links in texts that were written after a renaming, when that renaming is undone.

    A text from before the renaming has the older name already.
    """

    def __init__(self, view: View, walk: Walk, files: Iterable[PastFile]) -> None:
        """`files` are files of the walk."""
        self._view, self._walk = view, walk
        self._renamed = [
            (file.now, file.path, file.moves[0][0])
            for file in files
            if file.now is not None and file.now != file.path and not file.is_created
            if not is_hidden(file.now) and not is_hidden(file.path)
        ]
        self._relinkers: dict[int, Relinker | None] = {}  # by the number of renamings

    def updated(self, data: bytes, path: str, before: int = _NOW) -> bytes:
        """Return a text of the file at `path` with updated links.

        The text is older than the edit numbered `before`, so it does not know of that renaming and of later ones.
        """
        if is_hidden(path):
            return data
        moves = {now: path for now, path, edit in self._renamed if edit.number < before}
        if len(moves) not in self._relinkers:
            self._relinkers[len(moves)] = Relinker(self._view, moves) if moves else None
        relinker = self._relinkers[len(moves)]
        return relinker.updated(data, path) if relinker else data

    def sources(self) -> list[str]:
        """Return the files that may have got a link to one of the notes since it was renamed."""
        links, canvases = self._view.links, self._view.catalog.canvases
        return sorted(
            {
                path
                for now, _, edit in self._renamed
                for path in (now, *links.backlinks(now), *canvases)
                if self._has_changed(path, edit)
            }
        )

    def _has_changed(self, path: str, since: Edit) -> bool:
        """Return whether an edit that stays, or a person, has changed a file since an edit."""
        if self._walk.last_numbers.get(path, 0) > since.number:
            return True
        stamp = self._view.stamp(path)
        is_new = stamp is not None and stamp.mtime_ns > since.time * _SECOND_NS
        return is_new and self._walk.etags.get(path) != self._view.base(path)
