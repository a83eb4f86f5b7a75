"""Find the files that somebody has moved by hand since the last commit.

git compares the last commit with the next one, and detects no rename if a tool or a person has edited the file much in
between. zkmem knows more: its logs have the moves that a server has seen, and the text that the first edit by a tool
found at the new path.
"""

import itertools
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from dataclasses import dataclass

from zkmem.errors import TooLarge
from zkmem.names import composed
from zkmem.vault.files import etag, read
from zkmem.vault.git.commits import History
from zkmem.vault.git.trailers import Trailers
from zkmem.vault.git.trees import Trees
from zkmem.vault.git.worktree import Edits, Worktree
from zkmem.vault.journal.log import Edit, Log, Pair
from zkmem.vault.journal.outside import by_number
from zkmem.vault.journal.versions import Versions
from zkmem.vault.store import Store

_EMPTY = etag(b"")
_MOST_ENTRIES = 1_000  # of the logs in which moves are looked for


@dataclass(eq=False, slots=True)
class HandMoves:
    """Finds the moves in one vault that are in no commit yet."""

    _history: History
    _log: Log  # of the edits by tools
    _outside: Log  # of the changes by other programs
    _versions: Versions
    _store: Store

    def logged(self, changed: Collection[str], since: str = "HEAD", later: Collection[str] = ()) -> Trailers:
        """Return the moves and merges since a commit that the logs have.

        `changed`: the files that differ from the commit; `later`: the paths of files that only later commits have had.
        """
        return self._logged(changed, self._is_there, None, since, later)

    def with_logged_texts(self, changed: Set[str], since: str = "HEAD") -> list[Pair]:
        """Return the moves of deleted files to new files. A new file began with the last text of the deleted file.

        The last text is the one that a tool wrote last, or else that in the commit `since`, which may have less text:
        see `Trailers.since_commit`. The first text is the one that a tool read before its first edit, or else the
        present one; git may have only the text after that edit. Empty texts, and texts of several such files, do not
        count.
        `changed`: the paths of the files that differ from the commit.
        """
        gone = {path for path in changed if not self._is_there(path)}
        if not gone:
            return []
        left, found = self._logged_texts()
        before = self._etags(since, gone)
        last = {path: left.get(path, tag) for path, tag in before.items()}
        first = {path: tag for path, tag in found.items() if path in changed - gone}
        unedited = changed - gone - left.keys() if last != before else set()
        first |= {path: etag(data) for path in unedited if (data := self._text(path)) is not None}
        old_paths, new_paths = _by_text(last), _by_text(first)
        pairs = {Pair(old, new_paths[tag]): tag for tag, old in old_paths.items() if tag in new_paths}
        created = self._history.absent([pair.to for pair in pairs], since) if pairs else ()
        return [pair for pair, tag in pairs.items() if pair.to in created and self._is_move(pair, tag, since)]

    def _is_move(self, pair: Pair, tag: str, since: str) -> bool:
        """Return whether a file can have been moved with a text after a commit.

        The commit that has removed the old path must have added the new one. If the old path had the text in an earlier
        commit only, somebody has changed it since by hand.
        """
        rev = since if since == "HEAD" else self._history.before_replaced(*pair, since)
        return bool(rev) and not self._is_older(pair.path, tag, self._etags(rev, [pair.path]).get(pair.path), rev)

    def _is_older(self, path: str, tag: str | None, committed: str | None, rev: str) -> bool:
        """Return whether a file had a text, by its etag, only before a commit that has another one, `committed`.

        If the logs have the committed text, too, an undo may have brought the other one back after the commit.
        """
        data = self._versions.text(tag) if tag and committed and tag != committed else None
        if data is None or committed in self._tags_at(path):
            return False
        return self._history.had(path, data, rev)

    def _tags_at(self, path: str) -> set[str | None]:
        """Return the etags that the file at a path had before and after the last edits of the logs."""
        entries = itertools.islice(self._backwards(None), _MOST_ENTRIES)
        changes = (one for entry in entries for one in entry.changes if one.path == path)
        return {tag for one in changes for tag in (one.before, one.after)}

    def _logged_texts(self) -> tuple[dict[str, str | None], dict[str, str | None]]:
        """Return the etags that the last edit of the logs has left at each path, and that the first one found there.

        Only edits of the last file at a path count as its first one. None stands for no file.
        """
        left: dict[str, str | None] = {}
        found: dict[str, str | None] = {}
        ended: set[str] = set()  # paths at which earlier edits mean another file
        for entry in itertools.islice(self._backwards(None), _MOST_ENTRIES):
            etags = entry.etags()
            found |= {one.path: one.before for one in entry.changes if etags[one.path] and one.path not in ended}
            ended |= {path for path, tag in etags.items() if tag is None or found.get(path) is None}
            for path, tag in etags.items():
                left.setdefault(path, tag)
        return left, found

    def _logged(
        self,
        changed: Collection[str],
        is_there: Callable[[str], bool],
        before: int | None,
        since: str = "HEAD",
        later: Collection[str] = (),
    ) -> Trailers:
        """Return the moves and merges before an edit with this number; None stands for the end of the logs.

        A moved or merged note does not count if the commit has a later note with the same name.
        """
        last = list(itertools.islice(self._backwards(before), _MOST_ENTRIES))[::-1] if changed else []
        left = {pair.path for entry in last for pairs in Trailers.of_edit(entry)[:2] for pair in pairs}
        etags = dict.fromkeys(left.intersection(later), "") | self._etags(since, left.intersection(changed))
        said = Trailers.since_commit(last, etags, is_there)
        found = {one.path: one.before for entry in last for one in entry.changes if one.path in etags}
        moved, merged = (
            tuple(one for one in pairs if not self._is_older(one.path, found.get(one.path), etags.get(one.path), since))
            for pairs in (said.moved, said.merged)
        )
        return said._replace(moved=moved, merged=merged)

    def _backwards(self, before: int | None) -> Iterator[Edit]:
        entries = by_number(self._log.backwards(), self._outside.backwards())
        return (entry for entry in entries if before is None or entry.number < before)

    def _etags(self, rev: str, paths: Collection[str]) -> dict[str, str | None]:
        """Return the etag of each of some files in a commit; None for one that is too large to be read."""
        if not paths:
            return {}
        with Trees(self._history.git, self._history.most_bytes) as trees, trees.filtered() as filtered:
            blobs = trees.blobs(rev, paths)
            texts = {path: filtered.read(blob.hash, trees.whole(path)) for path, blob in blobs.items()}
        return {path: None if data is None else etag(data) for path, data in texts.items()}

    def found_by(self, edit: int, found: Mapping[str, bytes], *, after_user: bool) -> dict[Pair, bytes]:
        """Return all moves by hand before an edit, each with the text of the file, if the edit has found moved files.

        `edit`: the number of the edit, which is in no commit, nor are the later ones; `found`: the texts that it found
        at paths where the last commit has no file, or another text; `after_user`: whether the user made that commit.
        """
        changed = set(map(composed, self._history.changed()))
        created, texts, origins = self._later(edit)
        texts |= {composed(path): data for path, data in found.items()}

        def is_there(path: str) -> bool:
            return path in texts or (path not in created and self._is_there(path))

        if changed.isdisjoint(map(composed, found)) and all(map(is_there, changed)):
            return {}
        tree = self._tree(created, texts)
        with Trees(self._history.git, self._history.most_bytes) as trees:
            detected = trees.moves("HEAD", tree)
        if after_user:  # whoever has committed the move of a committed file by a tool has not moved it back since
            back = {pair for pair in detected if origins.get(pair.path) == pair.to and self._history.log(pair.to, 1)}
            detected = [pair for pair in detected if pair not in back]
        logged = self._logged(changed, is_there, edit).moved
        known = {path for pair in logged for path in pair}
        pairs = [*logged, *(pair for pair in detected if known.isdisjoint(pair))]
        return {pair: texts[pair.to] if pair.to in texts else self._on_disk(pair.to) for pair in pairs}

    def _later(self, edit: int) -> tuple[set[str], dict[str, bytes], dict[str, str]]:
        """Return the files that an edit by a tool and all later ones have created, and the texts that they have found.

        These are the files before the first of the edits, as far as these have touched them. Also return the paths that
        the files which they moved had then, by each path to which one was moved.
        """
        edits = list(itertools.takewhile(lambda one: one.number >= edit, self._log.backwards()))[::-1]
        first: dict[str, str | None] = {}
        origins: dict[str, str] = {}
        for change in (change for one in edits for change in one.changes):
            origins |= {change.to: origins.get(change.path, change.path)} if change.to else {}
            first.setdefault(change.path, change.before)
            first.setdefault(change.to or change.path, None)
        texts = {path: self._versions.text(tag) for path, tag in first.items() if tag is not None}
        found = {path: text for path, text in texts.items() if text is not None}
        return {path for path, tag in first.items() if tag is None}, found, origins

    def _tree(self, created: Collection[str], texts: Mapping[str, bytes]) -> str:
        """Write the tree of the files on disk, but without the files `created` and with the files `texts`."""
        git, prefix = self._history.git, self._history.prefix
        worktree = Worktree(git)
        edits = worktree.edited(self._history.private.test())
        own = {prefix + path for path in (*created, *texts)}
        saved = [path for path in edits.saved if composed(path) not in own]
        dropped = [*edits.dropped, *(prefix + path for path in created)]
        tree = worktree.tree(Edits(saved, dropped, 0, are_all=False), git.rev("HEAD"), "moves")
        return self._history.tree(tree, texts)

    def _is_there(self, path: str) -> bool:
        return os.path.lexists(self._store.full(path))

    def _text(self, path: str) -> bytes | None:
        try:
            return self._on_disk(path)
        except (OSError, TooLarge):
            return None

    def _on_disk(self, path: str) -> bytes:
        return read(self._store.full(path), self._history.most_bytes)[0]


def _by_text(files: Mapping[str, str | None]) -> dict[str, str]:
    """Return the path of the file with each etag. Leave out empty files, and texts that several files have."""
    counts = Counter(files.values())
    return {tag: path for path, tag in files.items() if tag and tag != _EMPTY and counts[tag] == 1}
