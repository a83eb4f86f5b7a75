"""The methods of a memory for the note `hint`, where readers begin."""

import contextlib
from typing import TYPE_CHECKING

from zkmem.caller import DRAFTER, Grant
from zkmem.errors import NothingProposed
from zkmem.hooks.sessions import HookSessions
from zkmem.index.catalog import Catalog
from zkmem.index.index import Index
from zkmem.memory.editing import Editing
from zkmem.memory.proposed import ProposedEdits
from zkmem.recall.entry import EntryState, UsedNotes, entry_path, entry_state
from zkmem.vault.obsidian import Templates

if TYPE_CHECKING:
    from zkmem.recall.entry_draft import HintDraft


class EntryNote(Editing, ProposedEdits):
    """What is wrong with the note `hint`, and a draft of a better one."""

    def hint_state(self) -> EntryState:
        """Return the note `hint` and what is wrong with it; of a caller who sees one folder, that of the folder."""
        rights, ranking, sessions = self._rights, self._engine.ranking, HookSessions(self._engine.vault)

        def state(index: Index) -> EntryState:
            entry = entry_path(index.catalog, rights.folder)
            used = UsedNotes()
            if rights.sees_all and entry in index.catalog:  # names do not say which folder they are in
                used = UsedNotes(*sessions.used_since(index.catalog.rows[entry].stamp.mtime_ns / 1e9))
            return entry_state(index, ranking, rights.folder, rights.read, used)

        return self._with_links(state)

    def draft_hint(self) -> "HintDraft":
        """Return a draft of the note `hint` from the links: `text` equals `before` if there is nothing to change."""
        from zkmem.recall.entry_draft import Drafter, heavy_notes  # noqa: PLC0415 - slow to import, seldom needed

        rights, folder = self._rights, self._rights.folder
        templates = Templates.of(self._engine.read)

        def copied(index: Index) -> tuple[Catalog, str, dict[str, tuple[str, ...]]]:
            return index.catalog, entry_path(index.catalog, folder), index.links.copy()

        catalog, entry, links = self._with_links(copied)
        topics = heavy_notes(links, entry, folder, templates)
        drafter = Drafter(catalog, rights.read, entry, folder, templates)
        return self._with_names(lambda _: drafter.draft(topics))

    def propose_hint(self) -> "HintDraft":
        """Propose the draft of `hint`, in place of one that waits for a person; nothing if it would change nothing.

        Raises:
            Forbidden: when the caller may not edit, or its own edits are proposed.
        """
        draft = self.draft_hint()
        with contextlib.suppress(NothingProposed):
            self.drop(DRAFTER)
        if draft.diff:
            proposing = self.restricted(Grant(proposes_as=DRAFTER)).on_behalf(tool="hint", client=DRAFTER)
            proposing.write(draft.name, draft.text, etag=draft.etag or None)
        return draft
