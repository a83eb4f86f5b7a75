"""Make the commit that merges two heads of a history. Nothing here writes a file of the vault."""

import contextlib
import errno
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.errors import NotSynced, TooLarge
from zkmem.index.catalog import Catalog
from zkmem.index.index import Index, Progress
from zkmem.index.session import Freshness, Session
from zkmem.names import composed, is_note
from zkmem.sync.checks import check_files
from zkmem.sync.commits import (
    begun_before,
    in_order,
    is_asked_of_git,
    is_plain_merge,
    is_replayed,
    knew,
    label_of,
    merge_message,
    moves_by_hand,
    signature,
    title_of,
    update_message,
)
from zkmem.sync.history import HistoryWalk
from zkmem.sync.placement import BASE, FIRST, SECOND, Id, Placement, Side, Structure
from zkmem.sync.states import LocalFiles
from zkmem.sync.trees import MergedTree, merge_trees
from zkmem.vault.git.attributes import conversions
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.git.commit_graph import CommitInfo
from zkmem.vault.git.hand_moves import HandMoves
from zkmem.vault.git.trailers import Trailers
from zkmem.vault.git.trees import Blob, Diff, Trees
from zkmem.vault.journal.log import Pair
from zkmem.vault.paths import is_visible_note

_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
"""Errors of a disk that is full, not writable or defective."""


_LINKS = "refs/worktree/zkmem-synchronised"  # each work tree has its own, because each has its own vault
_MOST_BEFORE = 1_000  # commits in which the last one of the same writer is looked for


class Incoming(NamedTuple):
    """The changes of the other head since the common base."""

    side: Side
    commits: Sequence[CommitInfo]

    def deleted_notes(self) -> list[str]:
        """Return the paths of the deleted notes, without those that were moved or merged."""
        elsewhere = {*self.side.moved, *self.side.merged}
        gone = (path for path, diff in self.side.diffs.items() if diff.before and not diff.after)
        return sorted(path for path in gone if is_visible_note(path) and path not in elsewhere)


class Combined(NamedTuple):
    """The commit that merges two heads, and the details of the merge."""

    commit: str
    tree: MergedTree | None = None  # None if there was nothing to merge, and no file was created, deleted or moved
    changed_by_both: tuple[str, ...] = ()  # the paths in the commit of the notes that both sides had changed
    moves: Mapping[str, str] = {}  # of the moved files: the path that the vault has now -> the path in the commit
    merges: Mapping[str, str] = {}  # of the files that became part of another one: their path now -> its path there


class Combiner:
    """Merges commits of the repository of one vault."""

    def __init__(self, git: Git, trees: Trees, session: Session) -> None:
        """`session`: reads the index of the vault."""
        self._git = git
        self._trees = trees
        self._session = session
        self._side = functools.cache(self._side_of)

    def incoming(self, head: str, theirs: str) -> Incoming:
        """Return the changes of another head since the common base."""
        self._trees.check_size(theirs)
        bases = self._trees.commits.bases(head, theirs) if head else ()
        base = self._base(bases, head)
        check_files(self._git, self._trees, self._trees.raw_diffs(base, theirs), base, theirs)
        return Incoming(self._side(bases, base, theirs), self._trees.commits.since(bases, theirs))

    def links_known(self, head: str) -> str:
        """Return the commit that the last synchronisation of this vault has left; "" if `head` does not contain it."""
        rev = self._trees.commits.rev(_LINKS)
        return rev if rev and head and self._trees.commits.is_ancestor(rev, head) else ""

    def remember_links(self, commit: str) -> None:
        """Remember that a synchronisation has left a commit: its links are right."""
        if commit and self._trees.commits.rev(_LINKS) != commit:
            self._git.run("update-ref", _LINKS, commit)

    def combined(self, head: str, theirs: str, progress: Progress | None) -> Combined:
        """Return a commit that merges both heads. The files of the vault are in the state of `head`."""
        trees, here = self._trees, head
        if head and trees.commits.bases(head, theirs):
            known = self.links_known(head)
            head = self.current(known, head, here, progress).commit if known else head
            theirs = self._with_earlier_links(head, theirs, here, progress)
        bases = trees.commits.bases(head, theirs) if head else ()
        if not head or head in bases:
            return self._updated(head, theirs, here, progress)
        base = self._base(bases, here)
        ours_raw, theirs_raw = trees.raw_diffs(base, head), trees.raw_diffs(base, theirs)
        outside = self._outside(trees.outside(ours_raw), trees.outside(theirs_raw))
        first, second = in_order(trees.commits.commit(head), trees.commits.commit(theirs))
        sides = [self._side(bases, base, one.rev) for one in (first, second)]
        merged = self._merged(sides, (first.rev, second.rev), base, progress, here)
        tree = trees.write_tree(base, merged.files, outside)
        message = merge_message(first, second, merged.placement, self._git.where().prefix)
        commit = trees.commits.commit_tree(tree, [first.rev, second.rev], message, signature(first, second))
        moves, merges = _moves_and_merges(merged.placement, FIRST if first.rev == head else SECOND)
        return Combined(commit, merged, _changed_by_both(merged.placement, *sides), moves, merges)

    def current(self, known: str, head: str, here: str, progress: Progress | None) -> Combined:
        """Return a commit with the files of `head`, in which links follow the files that were moved since `known`.

        Nobody else updates links after renames by hand, or in commits that plain git has merged or rebased. If no link
        needs an update, that is `head` itself. `here`: the commit whose files the vault has.
        """
        head = self._with_earlier_links(known, head, here, progress)
        since = self._trees.commits.since((known,), head)
        if not any(is_asked_of_git(commit) or is_replayed(commit) for commit in since):
            return Combined(head)
        side = self._side((known,), known, head)
        needs_update = side.moved_by_hand or side.former
        return self._updated(known, head, here, progress) if needs_update else Combined(head)

    def unnamed(self, head: str, moves: HandMoves, extracted: Iterable[Pair]) -> Trailers:
        """Return the moves, merges and extractions up to a commit that no commit since the last synchronisation names.

        `moves`: finds those in the logs; `extracted`: the extractions by tools. The result has a merged note at the
        path in the last commit that contains the note. If git sees a move of the merged note to the path of the other
        one, the result has instead a merge of that path with itself, and the move of the other note.
        """
        start = self.links_known(head)
        if not start:
            return Trailers()
        side = self._side((start,), start, head)
        last = {old: path for path, old in side.deleted_at.items()}
        new_paths = {old: new for old, new in side.moved.items() if not side.blob(old)}
        logged = moves.logged(side.diffs, start, side.deleted_at)
        by_text = moves.with_logged_texts(side.diffs.keys() - {*side.moved, *side.moved.values()}, start)
        merged = (Pair(last.get(old, old), new_paths.get(to, to)) for old, to in logged.merged)
        # of files that git sees as deleted
        moved = {to: Pair(last[old], to) for old, to in (*logged.moved, *by_text) if old in last}
        mistaken = [moved[to] for old, to in logged.merged if to in moved and side.moved.get(old) == to]
        parts = dict.fromkeys(Pair(*(new_paths.get(path, path) for path in pair)) for pair in extracted)
        undetected = [one for one in moved.values() if one.to in side.created() and one not in mistaken]
        return Trailers(
            moved=(*mistaken, *undetected),
            merged=(
                *(Pair(to, to) for _, to in mistaken),
                *(one for one in merged if side.deleted_at.get(one.path, one.path) in {*last} - {*side.deleted_with}),
            ),
            extracted=tuple(
                one for one in parts if side.blob(one.to) and one not in {*side.extracted, (one.to, one.to)}
            ),
        )

    def _with_earlier_links(self, known: str, head: str, here: str, progress: Progress | None) -> str:
        """Return a commit with the files of `head`, in which links mean what they meant before others changed that.

        Since `known`, plain git may have merged branches, and somebody may have moved a file by hand to the old path of
        another one. Commits that a synchronisation has merged are left out: it has updated their links. The other
        arguments are those of `current`.
        """
        since = self._trees.commits.since((known,), head)
        synced = [commit.rev for commit in since if len(commit.parents) > 1 and not is_plain_merge(commit)]
        since = self._trees.commits.since((known, *synced), head) if synced else since
        arrivals = self._trees.arrivals((known,), head) if any(map(is_asked_of_git, since)) else {}
        left = {commit.rev: moves_by_hand(commit, arrivals, self._git.where().prefix) for commit in since}
        reused = self._trees.blobs(head, {pair.path for pairs in left.values() for pair in pairs})
        for commit in since:
            if is_plain_merge(commit) or any(pair.path in reused for pair in left[commit.rev]):
                for parent in commit.parents:  # the next parent may have a link that this one lacks
                    head = self._updated(parent, head, here, progress, uses_former_names=False).commit
        return head

    def _updated(
        self, base: str, head: str, here: str, progress: Progress | None, *, uses_former_names: bool = True
    ) -> Combined:
        """Return a commit with the files of `head`, in which links mean what they meant in `base` if that had them.

        If no link needs an update, that is `head` itself. `base` may be "", for no commit; `here`: the commit whose
        files the vault has. `uses_former_names`: also update links that `base` did not have, if these have the
        former name of a file.
        """
        trees, info = self._trees, self._trees.commits.commit(head)
        bases, before = (base,) if base else (), base or trees.empty()
        side = self._side(bases, before, head)
        side = side if uses_former_names else side.without_former_names()
        if _keeps_meanings(side):
            return Combined(head)
        sides = [side, Side({}, Structure(), "", "")]
        merged = self._merged(sides, (head, base), before, progress, here)
        outside = {path: diff.after for path, diff in trees.outside(trees.raw_diffs(before, head)).items()}
        tree = trees.write_tree(before, merged.files, outside)
        moves, merges = _moves_and_merges(merged.placement, BASE if here == base else FIRST)
        if tree == trees.tree(head):
            return Combined(head, merged, (), moves, merges)
        message = update_message(info, merged.placement, self._git.where().prefix)
        return Combined(trees.commits.commit_tree(tree, [head], message, info.committer), merged, (), moves, merges)

    def _side_of(self, bases: tuple[str, ...], base: str, head: str) -> Side:
        """Return the changes from `base`, a commit or tree that merges `bases`, to a head."""
        diffs = self._trees.in_vault(self._trees.raw_diffs(base, head))
        walk, known = self._walk(bases, head)
        info = self._trees.commits.commit(head)  # the walk has read it, unless it is in the history of a base
        # a note may have had the text that was merged into it: a passage was put back before its extraction was undone
        targets = self._trees.blobs(head, walk.unchanged(bases, head, diffs))
        diffs |= {path: Diff(blob, blob) for path, blob in targets.items() if blob.is_plain}
        return Side(diffs, walk.structure(bases, head, known, diffs), title_of(info), label_of(info))

    def _base(self, bases: Sequence[str], here: str) -> str:
        """Return the base of a merge: a commit, or the empty tree if there is no common ancestor.

        `here`: the commit whose files the vault has.
        """
        if len(bases) < 2:
            return bases[0] if bases else self._trees.empty()
        base, *others = sorted(bases, key=lambda rev: (self._trees.commits.commit(rev).committer.time, rev))
        for other in others:
            base = self._virtual(base, other, here)
        return base

    def _virtual(self, one: str, other: str, here: str) -> str:
        """Return a commit, in no branch, that merges two common ancestors."""
        trees = self._trees
        below = trees.commits.bases(one, other)[:1]
        base = below[0] if below else trees.empty()
        sides = [self._side(below, base, rev) for rev in (one, other)]
        merged = self._merged(sides, (one, other), base, None, here)
        raw = [trees.raw_diffs(base, rev) for rev in (one, other)]
        outside = {path: diff.after for diffs in raw for path, diff in trees.outside(diffs).items()}
        tree, (first, second) = trees.write_tree(base, merged.files, outside), map(trees.commits.commit, (one, other))
        return trees.commits.commit_tree(tree, [one, other], "common base", signature(*in_order(first, second)))

    def _walk(self, bases: Sequence[str], head: str) -> tuple[HistoryWalk, set[str]]:
        """Return a walk to a head through the commits since the common ancestors, and the hashes of these commits."""
        trees, recent = self._trees, self._trees.commits.since(tuple(bases), head)
        recent_revs = {commit.rev for commit in recent}
        begins = {parent for commit in recent for parent in commit.parents} - recent_revs
        replayed = [commit for commit in recent if is_replayed(commit)]
        begins |= set(self._known_by(replayed, bases)) if bases else set()
        older = trees.commits.fork([*bases, *begins]) if begins - set(bases) else ""
        start = (older,) if older else tuple(bases)  # a branch may have left the history before the base
        commits = trees.commits.since(start, head)
        # once: where plain git merges all the time, each start has a branch from before it, back to the first commit
        if (before := begun_before(commits, start)) and (older := trees.commits.fork([*start, *before])):
            start, commits = (older,), trees.commits.since((older,), head)
        arrivals = trees.arrivals(start, head) if replayed or any(map(is_asked_of_git, commits)) else {}
        return HistoryWalk(trees, commits, self._git.where().prefix, arrivals, bases, start), recent_revs

    def _known_by(self, commits: Sequence[CommitInfo], bases: Sequence[str]) -> Iterator[str]:
        """Yield, for each of some commits, a commit in the history of the bases that its writer knew."""
        before = self._trees.commits.last(bases, _MOST_BEFORE) if commits else []
        yield from {knew(commit, before) or before[-1].rev for commit in commits}

    def _merged(
        self,
        sides: Sequence[Side],
        revs: Sequence[str],
        base: str,
        progress: Progress | None,
        here: str,
    ) -> MergedTree:
        """Return the merge of two sides, which are the commits or trees `revs`.

        `here`: the commit whose files the vault has.
        """
        first, second = sides
        ours = self._trees.in_vault(self._trees.raw_diffs(base, here or self._trees.empty()))
        converted = self._converted(sides, revs, base)

        def read(blob: Blob) -> bytes:
            if blob.hash in converted:
                raise TooLarge("The note is stored in another form, which cannot be merged.")
            return self._read(blob)

        if all(map(_keeps_meanings, sides)):
            return merge_trees(first, second, LocalFiles(Catalog(), {}, lambda _: {}, lambda _: ()), read)

        # the index is not held while the trees are merged, so that no read waits for a large merge
        catalog = self._session.read(lambda index: index.catalog.snapshot(), Freshness.FILES, progress)

        def could_mean(paths: Collection[str]) -> set[str]:
            def work(index: Index) -> set[str]:
                return {note for path in paths for note in index.links.who_could_mean(path, index.catalog)}

            return self._session.read(work, Freshness.LINKS)

        def blobs(paths: Collection[str]) -> Mapping[str, Blob]:
            untouched = self._trees.blobs(base, paths)
            in_base = conversions(self._git, self._trees, {base: list(map(self._trees.whole, untouched))})[base]
            return {path: blob for path, blob in untouched.items() if self._trees.whole(path) not in in_base}

        own = self._own(catalog, here)
        return merge_trees(first, second, LocalFiles(catalog, ours, blobs, could_mean, own), read)

    def _converted(self, sides: Sequence[Side], revs: Sequence[str], base: str) -> set[str]:
        """Return the hashes of the touched files that a filter or an encoding converts in any of the three trees.

        Their bytes in the repository are not their text: they may be encrypted. The other arguments are those of
        `_merged`.
        """
        before = {path: diff.before for side in sides for path, diff in side.diffs.items()}
        states = [before, *(before | {path: diff.after for path, diff in side.diffs.items()} for side in sides)]
        paths = list(map(self._trees.whole, before))
        converted = conversions(self._git, self._trees, dict.fromkeys((base, *revs), paths))
        return {
            blob.hash
            for rev, blobs in zip((base, *revs), states, strict=True)
            for path, blob in blobs.items()
            if blob and converted[rev] and self._trees.whole(path) in converted[rev]
        }

    def _own(self, catalog: Catalog, here: str) -> set[str]:
        """Return the files of the vault that are not in the commit `here`: no other machine has them."""
        prefix, paths = self._git.where().prefix, self._trees.paths(here) if here else []
        shared = {composed(path.removeprefix(prefix)) for path in paths if path.startswith(prefix)}
        return {path for path in catalog.rows if path not in shared}

    def _read(self, blob: Blob) -> bytes:
        """Return the bytes of a file."""
        data = self._trees.data(blob)
        if data is None:
            raise TooLarge("The note is too large to be merged.")
        return data

    def _outside(self, ours: Mapping[str, Diff], theirs: Mapping[str, Diff]) -> dict[str, Blob | None]:
        """Return the files outside of the vault that a side changed, by path; None for a deleted file."""
        clash = sorted(path for path in ours.keys() & theirs.keys() if ours[path].after != theirs[path].after)
        if clash:
            raise NotSynced(
                f"{clash[0]!a}, which is outside of the vault, was changed here and on the remote; zkmem merges only "
                "files of the vault. Merge with `git pull`, and synchronise again."
            )
        return {path: diff.after for path, diff in (*ours.items(), *theirs.items())}


def _keeps_meanings(side: Side) -> bool:
    """Return whether a side has only changed the texts of files: then all links that it left alone mean the same."""
    elsewhere = side.moved or side.merged or side.former or side.repaired
    return not elsewhere and not any(None in diff for diff in side.diffs.values())


def _changed_by_both(placement: Placement, first: Side, second: Side) -> tuple[str, ...]:
    """Return the notes with changes, or new text, of both sides, by their paths in the merged tree."""
    both = {placement.path(BASE, path) for path in first.diffs.keys() & second.diffs.keys()}
    paths = both | {placement.paths.get(placement.root(one)) for one in placement.joined}
    return tuple(sorted(path for path in paths if path and is_note(path)))


def _moves_and_merges(placement: Placement, state: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return the new paths of the files that were moved since a state, by their paths in that state.

    Also return the paths of the files that others have become part of, by the paths of these others in that state.
    """

    def since(paths: Mapping[Id, str | None]) -> dict[str, str]:
        pairs = ((placement.on(state, one), path) for one, path in paths.items())
        return {old: new for old, new in pairs if old is not None and new is not None and old != new}

    parts = {one: placement.paths.get(placement.root(one)) for one in (*placement.into, *placement.joined)}
    return since(placement.paths), since(parts)


@contextlib.contextmanager
def errors_explained() -> Iterator[None]:
    """Turn an error of git or of the disk in this block into a `NotSynced`."""
    try:
        yield
    except GitTrouble as error:
        raise NotSynced(f"The vault cannot be synchronised: {error}.") from error
    except OSError as error:
        if error.errno not in _OF_THE_DISK:
            raise
        reason = f"{error.strerror} ({error.filename!a})" if error.filename else error.strerror
        raise NotSynced(
            f"The vault cannot be synchronised, because the disk refuses: {reason}. Nothing is lost; make room or make "
            "the folder writable, and synchronise again."
        ) from error
