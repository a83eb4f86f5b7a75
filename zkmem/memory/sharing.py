"""The methods of a memory for other machines: synchronisation, and conflict copies."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from zkmem.index.index import Index
from zkmem.memory.base import MemoryBase
from zkmem.records.outcome import Edited
from zkmem.sync import SYNC

if TYPE_CHECKING:
    from zkmem.index.copies import SyncCopy
    from zkmem.sync.report import Report, SyncState


class Sharing(MemoryBase):
    """What comes from outside of the vault, and what goes there."""

    def copies(self) -> "list[SyncCopy]":
        """Return the conflict copies of synchronisation services in the vault."""
        from zkmem.index.copies import find_copies  # noqa: PLC0415 - seldom needed

        has, read = self._rights.has, self._rights.read

        def copies(index: Index) -> "list[SyncCopy]":
            def backlinks(path: str) -> Iterable[str]:
                return filter(has, index.links.backlinks(path))

            return list(find_copies(index.catalog, read, backlinks, filter(has, index.catalog.notes())))

        return self._with_links(copies)

    def merge_copy(self, name: str, of: str = "") -> Edited:
        """Merge a conflict copy into the note that it belongs to, and move the copy to the trash.

        `of`: that note, if `copies` has told it; else it is found out from the name and the text of the copy.

        Raises:
            BadArgument: when the note is not a conflict copy. UnknownNote: when its note does not exist.
        """
        from zkmem.sync.copies import plan_copy  # noqa: PLC0415 - seldom needed

        name, past = self._rights.note(name), self._rights.past
        of = self._rights.note(of) if of else ""
        return self._apply(lambda view: plan_copy(view, name, past.texts, self._rights.has, of), Edited.by, tool=SYNC)

    def sync(
        self,
        remote: str = "origin",
        branch: str = "",
        *,
        accept_deletions: bool = False,
        accept_rewritten: bool = False,
        accept_unrelated: bool = False,
        accept_secrets: bool = False,
        dry_run: bool = False,
    ) -> "Report":
        """Synchronise the vault with a git remote: commit, fetch, merge notes and links, push. Return what was done.

        `remote`: the name of a remote of the vault's repository, or an address; `branch`: its branch (default: the one
        that is checked out). The memory must have been opened with `git`.

        Raises:
            NotSynced: when that is impossible; edits may have been committed or merged already, and none is lost.
            SyncRefused: when it would delete many notes, when the remote's history was rewritten, when the remote has
                no commit in common with the vault, or when it would push what looks like a key for the first time,
                without `accept_deletions`, `accept_rewritten`, `accept_unrelated` or `accept_secrets`.
        """
        from zkmem.sync.exchange import Options as SyncOptions  # noqa: PLC0415 - no other method needs it

        self._rights.check_whole()
        self._rights.check_edit()
        may = (accept_deletions, accept_rewritten, accept_unrelated, accept_secrets, dry_run)
        return self._engine.sync(SyncOptions(remote, branch, *may), self._caller.progress)

    def sync_state(self) -> "SyncState | None":
        """Return the result of the last synchronisation; None if there was none, or if the caller has a folder.

        With `git`, the commits that wait are counted now.
        """
        return self._engine.sync_state() if self._rights.sees_all else None
