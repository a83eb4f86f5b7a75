"""Commit the edits that were made in a vault on this machine, before they are merged with those of others."""

from zkmem.names import composed
from zkmem.sync.checks import MANY_DELETED, check_deletions, check_forms
from zkmem.sync.combining import Combiner
from zkmem.sync.writing import EngineParts, SavedMeanwhile
from zkmem.vault.git.attributes import encoding_refused
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.trailers import Trailers, extractions, message_by_hand
from zkmem.vault.git.trees import Trees
from zkmem.vault.git.worktree import Edits, Private, Worktree
from zkmem.vault.journal.origins import Conversations


class LocalEdits:
    """The edits in one vault that are in no commit yet."""

    def __init__(
        self,
        parts: EngineParts,
        trees: Trees,
        private: Private,
        combiner: Combiner,
        *,
        accept_deletions: bool,
    ) -> None:
        """`accept_deletions`: whether many notes may be deleted.

        `private`: the files that stay uncommitted until somebody adds them to git; `combiner`: finds the moves and
        merges that no trailer names, because somebody has committed them with plain git.
        """
        self._combiner = combiner
        self._parts = parts
        self._trees = trees
        self._git = parts.mirror.history.git
        self._worktree = Worktree(self._git)
        self._private = private
        self._accept_deletions = accept_deletions
        self.left_out: dict[str, None] = {}  # sentences about changed files that git cannot store

    def commit(self) -> str:
        """Commit the edits by tools that have no commit yet, then the edits by hand. Return the head."""
        mirror, journal = self._parts.mirror, self._parts.journal
        journal.recover()
        if mirror.shares_origins:
            Conversations(journal.state).share(mirror.machine)
        by_tools = mirror.pending()[::-1]
        trouble = mirror.catch_up()
        if mirror.pending():
            raise GitTrouble(trouble or "some edits by tools have no commit yet; try again later")
        edits, head = self.find(), self._trees.commits.rev("HEAD")
        unnamed = self._combiner.unnamed(head, mirror.moves, extractions(by_tools)) if by_tools else Trailers()
        if not (edits.paths or any(unnamed)):
            return head
        with journal.hold():  # so that no edit by a tool is half done
            if mirror.pending():
                raise SavedMeanwhile
            head, is_whole = self._trees.commits.rev("HEAD"), edits.are_all and edits.missing <= MANY_DELETED
            if is_whole:  # the user's index has no other changes: no copy of it is needed
                self._worktree.stage(edits)
            tree = self._worktree.staged_tree() if is_whole else self._tree(edits, head)
            new = self._worktree.commit(tree, head, self._message(edits, unnamed))
            if not is_whole:
                self._worktree.stage(edits)
        return new

    def preview(self, edits: Edits) -> str:
        """Return a commit of some edits that is in no branch; the head if there are none."""
        head = self._trees.commits.rev("HEAD")
        if not edits.paths:
            return head
        return self._git.commit_tree(self._tree(edits, head), head, self._message(edits, Trailers()), signed=False)

    def find(self) -> Edits:
        """Return the edits by hand, without private files."""
        edits = self._worktree.edited(self._private.test())
        self.left_out |= dict.fromkeys(map(encoding_refused, edits.refused))
        check_forms(self._git.where().top, edits.paths)
        return edits

    def _tree(self, edits: Edits, head: str) -> str:
        """Write the tree of the commit `head` with some edits; return its hash."""
        tree = self._worktree.tree(edits, head)
        if head and edits.missing > MANY_DELETED and not self._accept_deletions:
            check_deletions(self._worktree.deleted_notes(head, tree), self._worktree.note_count(head), "here")
        return tree

    def _message(self, edits: Edits, unnamed: Trailers) -> str:
        """Return the message of a commit of edits, with those of their moves and merges that are in the logs.

        `unnamed`: the moves, merges and extractions in earlier commits that the message names, too.
        """
        mirror, prefix = self._parts.mirror, self._git.where().prefix
        changed = {composed(path.removeprefix(prefix)) for path in edits.paths}
        moves = mirror.moves.logged(changed)
        by_text = mirror.moves.with_logged_texts(changed.difference(*moves.moved))
        trailers = Trailers((*moves.moved, *by_text, *unnamed.moved), moves.merged + unnamed.merged, unnamed.extracted)
        return message_by_hand(trailers.lines(prefix), mirror.machine)
