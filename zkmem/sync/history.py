"""Find out which files of a base became which files of a later commit.

zkmem's commits name in trailers the files that they moved, merged and extracted from; a merge commit does so for each
of its parents. For the commits of others, use the renames that git detects. A trailer counts only if the trees agree.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from zkmem.names import composed
from zkmem.sync.commit_files import NEW, CommitFiles
from zkmem.sync.commits import is_by_sync, is_plain_merge, is_replayed, is_undo, moves_by_hand
from zkmem.sync.placement import Structure
from zkmem.vault.git import trailers
from zkmem.vault.git.commit_graph import CommitInfo
from zkmem.vault.git.trailers import Trailers
from zkmem.vault.git.trees import Arrivals, Diff, Trees
from zkmem.vault.journal.log import Pair

_NOTHING = Arrivals([], [], [])


class Extraction(NamedTuple):
    """A passage that a commit moved from one file to another."""

    source: str
    target: str
    rev: str


class LeftFile(NamedTuple):
    """A file that a commit moved or merged, and the path that the file had before."""

    file: str
    old: str
    rev: str
    by_hand: bool  # whether links may still have the old path: no tool moved it, or git has replayed the tool's commit


class HistoryWalk:
    """The paths of the files in each of some commits."""

    def __init__(
        self,
        trees: Trees,
        commits: Sequence[CommitInfo],
        prefix: str,
        arrivals: Mapping[str, Arrivals],
        bases: Collection[str],
        start: Collection[str],
    ) -> None:
        """Read commits, oldest first.

        `prefix`: the vault's path in the repository; `arrivals`: the files that each commit added or renamed, by hash;
        `bases`: the commits that `structure` may get as its bases; `start`: the commits after which the walk begins.

        Files are named by their paths at the start. A branch that began before the start has older paths, so it is
        not followed. The trailers of the commit that merges it name what the branch moved, unless plain git made that:
        see `begun_before`.
        """
        self._states: dict[str, CommitFiles] = {}
        self._prefix = prefix
        self._there, self._start, self._bases = trees.blobs, start, bases
        self._parents = {commit.rev: commit.parents for commit in commits}
        self.extracted: list[Extraction] = []
        self.left: list[LeftFile] = []
        self._left_from: dict[str, set[str]] = defaultdict(set)  # former path -> the files that had it
        self.brought: list[str] = []  # files changed by a commit whose writer may not have known the commits before it
        followed = set(start)  # and the commits that descend from it
        newer = set(bases)  # and the commits that descend from them
        children = Counter(parent for commit in commits for parent in commit.parents)
        needed = {rev for rev, count in children.items() if count > 1}.union(bases)  # their states are read once more
        for commit in commits:
            came = arrivals.get(commit.rev, _NOTHING)
            descends = not followed.isdisjoint(commit.parents[:2])
            followed.update([commit.rev] if descends else ())
            parents = [
                self._taken(commit, number, self._states.get(parent, CommitFiles()), came, copy=parent in needed)
                for number, parent in enumerate(commit.parents[:2], 1)
                if parent in followed or not descends
            ]
            state = self._joined(commit, parents, [parent in newer for parent in commit.parents[:2]])
            newer.update(() if newer.isdisjoint(commit.parents) else [commit.rev])
            self._take_arrivals(state, commit, came)
            self._states[commit.rev] = state
        synced = [commit.rev for commit in commits if len(commit.parents) > 1 and not is_plain_merge(commit)]
        self._updated = self._history(*synced)  # a synchronisation has updated the links to the files that these moved
        self._by_sync = {commit.rev for commit in commits if is_by_sync(commit)}

    def _joined(self, commit: CommitInfo, parents: Sequence[CommitFiles], has_base: Sequence[bool]) -> CommitFiles:
        """Return the files of a commit as its parents have them. `has_base`: as for `_tell_apart`."""
        if len(parents) < 2:
            return parents[0] if parents else CommitFiles()
        state, other = parents
        if is_plain_merge(commit):
            self._follow_tree(commit, state, other)
        self._keep(commit, parents)
        self._meet(commit, state, other)
        self._tell_apart(commit, parents, has_base)
        self._leave_gone(commit, state, other)
        state.join(other)
        return state

    def _taken(self, commit: CommitInfo, number: int, known: CommitFiles, came: Arrivals, *, copy: bool) -> CommitFiles:
        """Return the state of a parent after the moves and merges that the commit's trailers name for it.

        `number`: 1 or 2, the number of the parent; `known`: its state; `came`: the files that the commit has changed.
        """
        state = known.copy() if copy else known
        trailers_of_parent = Trailers.of_message(commit.message, self._prefix, number)
        if is_replayed(commit) and (trailers_of_parent.merged or trailers_of_parent.extracted):
            trailers_of_parent = self._with_present_names(trailers_of_parent, state, came.changed)
        self.extracted += [
            Extraction(state.file(composed(old)), state.file(composed(new)), commit.rev)
            for old, new in trailers_of_parent.extracted
        ]
        trailers_of_parent = self._without_known(trailers_of_parent, state, commit, came.added)
        state.take(trailers_of_parent, commit.rev)
        self._leave(state, commit, (*trailers_of_parent.moved, *trailers_of_parent.merged))
        return state

    def _without_known(
        self, said: Trailers, state: CommitFiles, commit: CommitInfo, added: Collection[str]
    ) -> Trailers:
        """Return the trailers of a commit without the moves that an earlier commit has made already.

        Somebody may commit with plain git what a tool has moved, before zkmem commits the rest of the tool's edit.
        Another file may have the old path by then. If the tool moved the file several times, zkmem's late commits put a
        copy of it at each path in between. `added`: the paths at which the commit adds a file.
        """
        state.copies -= {*added}
        old_paths = ((pair, composed(pair.path)) for pair in said.moved)
        left = [pair for pair, old in old_paths if old in state.left or old in state.copies]
        if not left or len(commit.parents) > 1:
            return said
        known = {old for old, _ in left if composed(old) not in state.at}
        known -= {*self._there(commit.parents[0], known)} if known else set()
        repeated = {
            old
            for old, new in left
            if any(state.path(file) == composed(new) for file in self._left_from.get(composed(old), ()))
        }
        known |= {*self._there(commit.rev, repeated)} if repeated else set()  # those with another file at the old path
        known |= {old for old, _ in left if composed(old) in state.copies}
        moved_again = [pair for pair in left if pair.path in known and composed(pair.to) in added]
        state.copies.update(composed(pair.to) for pair in moved_again if self._is_copy(pair, state, commit.rev))
        return said._replace(moved=tuple(pair for pair in said.moved if pair.path not in known))

    def _is_copy(self, pair: Pair, state: CommitFiles, rev: str) -> bool:
        """Return whether a commit has a file at a path with the text of the file that an earlier one moved away."""
        old, new = composed(pair.path), composed(pair.to)
        if old in state.copies:
            return True
        before = self._there(self._parents[state.left[old]][0], [old])
        return before.get(old) == self._there(rev, [new]).get(new)

    def _with_present_names(self, said: Trailers, state: CommitFiles, changed: Collection[str]) -> Trailers:
        """Return the trailers of a replayed commit, with the present paths of notes that others had renamed before it.

        `said`: the trailers of the commit, whose writer knew only the former paths; `changed`: the paths of the files
        that the commit has changed. In a rebase, git applies the edit of a note to the renamed note.
        """
        former = {one.old: state.path(one.file) for one in self.left}
        now = {old: new for old, new in former.items() if new in changed and old not in changed}
        merged = tuple(Pair(old, now.get(composed(to), to)) for old, to in said.merged)
        extracted = tuple(Pair(*(now.get(composed(path), path) for path in pair)) for pair in said.extracted)
        return said._replace(merged=merged, extracted=extracted)

    def _leave(self, state: CommitFiles, commit: CommitInfo, pairs: Iterable[Pair]) -> None:
        """Remember the paths that some files had before a commit moved or merged them."""
        by_hand = len(commit.parents) < 2 and (not trailers.is_by_tool(commit.message) or is_replayed(commit))
        for old, new in pairs:
            self.left.append(LeftFile(state.file(composed(new)), composed(old), commit.rev, by_hand))
            self._left_from[self.left[-1].old].add(self.left[-1].file)

    def _follow_tree(self, commit: CommitInfo, first: CommitFiles, second: CommitFiles) -> None:
        """Take over the paths that a merge by plain git gave to the files that its parents have at different paths.

        If one parent has another file at the old path of a file that it moved, the merge has a file at both paths. The
        moved file gets the path to which the parent has moved it since the fork.
        """
        both = first.paths.keys() | second.paths.keys()
        fork = self._fork(commit) if any(first.path(file) != second.path(file) for file in both) else CommitFiles()
        self._follow_mistaken(commit.rev, first, second, commit.parents[1], fork)
        self._follow_mistaken(commit.rev, second, first, commit.parents[0], fork)
        files = {*first.paths, *second.paths} - (first.into.keys() & second.into.keys())
        pairs = {file: Pair(first.path(file), second.path(file)) for file in files}
        apart = {file: pair for file, pair in pairs.items() if pair.path != pair.to}
        there = self._there(commit.rev, {path for pair in apart.values() for path in pair}) if apart else ()
        back = {file: Pair(*pair[::-1]) for file, pair in apart.items()}
        left = [self._reused(second, commit.parents[1], apart), self._reused(first, commit.parents[0], back)]
        into = (second.into.keys() - first.into.keys(), first.into.keys() - second.into.keys())
        for state, ways, reused, merged in zip((first, second), (apart, back), left, into, strict=True):
            moves = {
                file: pair
                for file, pair in ways.items()
                if pair.path not in there or (pair.path in reused and pair.path == fork.path(file))
                if pair.to in there and file not in state.into
            }
            moved = tuple(pair for file, pair in moves.items() if file not in merged)
            state.take(Trailers(moved, tuple(moves[file] for file in moves if file in merged)), commit.rev)

    def _reused(self, other: CommitFiles, rev: str, ways: Mapping[str, Pair]) -> Collection[str]:
        """Return the old paths of moved files at which the commit that moved them has another file.

        `rev`: this commit, a parent of the merge; `other`: its files; `ways`: the old and the new path of each file.
        """
        left = {pair.path for pair in ways.values() if pair.path in other.left}
        return self._there(rev, left) if left else ()

    def _fork(self, merge: CommitInfo) -> CommitFiles:
        """Return the files of the last commit that both branches of a merge have; no files if none was followed."""
        one, other = map(self._history, merge.parents[:2])
        return next((self._states[rev] for rev in reversed(self._states) if rev in one and rev in other), CommitFiles())

    def _follow_mistaken(
        self, merge: str, own: CommitFiles, other: CommitFiles, parent: str, fork: CommitFiles
    ) -> None:
        """Follow the files that git has mistaken for others in a merge.

        One parent, `own`, moved a file, and the other one, `parent`, has another file at its path in the fork. git
        takes that for the moved file with another text, and puts it where `own` has the moved file.
        """
        moved = {file: fork.path(file) for file in own.paths.keys() & other.paths.keys() if NEW not in file}
        moved = {
            file: old
            for file, old in moved.items()
            if own.path(file) != old and other.path(file) not in {old, own.path(file)}
        }
        reused = self._there(parent, {*moved.values()}) if moved else ()
        moved = {file: old for file, old in moved.items() if old in reused}
        paths = {path for file, old in moved.items() for path in (old, own.path(file), other.path(file))}
        there = self._there(merge, paths) if paths else ()
        for file, old in moved.items():
            path, place, came = own.path(file), other.path(file), other.file(old)
            if path in there and old not in there:
                pairs = [Pair(path, place)] if place in there else []
                pairs += [Pair(own.path(came), path)] if NEW not in came else []
                own.take(Trailers(tuple(pairs)), merge)
                other.take(Trailers((Pair(old, path),)), merge)

    def _keep(self, commit: CommitInfo, parents: Sequence[CommitFiles]) -> None:
        """Take back, in each parent's state, the merges and deletions of files that a merge commit kept."""
        for number, state in enumerate(parents, 1):
            for path in map(composed, trailers.kept_in(commit.message, self._prefix, number)):
                state.keep(parents[-number].at.get(path, path), path, commit.rev)

    def _meet(self, commit: CommitInfo, first: CommitFiles, second: CommitFiles) -> None:
        """Name the files at some paths in both states, so that `join` takes the two files at such a path for one.

        These are the paths to which only one parent moved a file. Where both moved the file at a path away, by
        different commits, each parent that has a new file there names it.
        """
        paths = first.at.keys() ^ second.at.keys()
        paths = {path for path in paths if commit.rev not in {first.left.get(path), second.left.get(path)}}
        for rev in commit.parents[:2]:
            paths &= set(self._there(rev, paths)) if paths else set()
        freed = (first.left.keys() & second.left.keys()) - first.at.keys() - second.at.keys()
        freed = {path for path in freed if first.left[path] != second.left[path]}
        for state, rev in zip((first, second), commit.parents, strict=False):
            new = {path for path in freed if state.left[path] != commit.rev}
            for path in sorted(paths.union(self._there(rev, new) if new else ())):
                state.file(path)

    def _leave_gone(self, commit: CommitInfo, first: CommitFiles, second: CommitFiles) -> None:
        """Forget where the second parent deleted some files, if the first one has them at their first paths.

        Otherwise, `join` would give the files the paths at which they were deleted.
        """
        back = {path for path, file in second.at.items() if path != file and first.paths.get(file) == file}
        for path in back - {*self._there(commit.parents[1], back)} if back else ():
            del second.at[path]

    def _tell_apart(self, commit: CommitInfo, parents: Sequence[CommitFiles], has_base: Sequence[bool]) -> None:
        """Rename the files of a branch that are not the files of the same name on the other branch.

        A file keeps its name if the merge has no file at the path where the other branch would have it: then only this
        branch has made it.
        `has_base`: whether each parent descends from the bases. A branch without them gets the other names.
        """
        own, other = parents if has_base[1] else parents[::-1]
        if files := own.at_other_paths(other):
            known = {file for rev in self._start for file in self._there(rev, files)}
            known |= self._in_bases(files) if all(has_base) else set()
            places = {file: other.path(file) for file in files - known}
            there = self._there(commit.rev, {*places.values()}) if places else ()
            names = {file: f"{file}{NEW}{commit.rev}" for file, place in places.items() if place in there}
            own.give_other_names(names)  # a file that was there before both branches is one file
            self._rename(names, *commit.parents[:2][:: -1 if own is parents[0] else 1])

    def _rename(self, names: Mapping[str, str], other: str, own: str) -> None:
        """Use the new names of files in what is known of the commits that only the branch `own` has."""
        if not any({one.source, one.target} & names.keys() for one in self.extracted):
            return
        branch = self._history(own) - self._history(other)
        self.extracted = [
            Extraction(names.get(one.source, one.source), names.get(one.target, one.target), one.rev)
            if one.rev in branch
            else one
            for one in self.extracted
        ]

    def _history(self, *revs: str) -> set[str]:
        """Return the hashes of some commits and of those before them."""
        found, left = set[str](), [*revs]
        while left:
            if (one := left.pop()) not in found:
                found.add(one)
                left += self._parents.get(one, ())
        return found

    def _in_bases(self, files: Collection[str]) -> set[str]:
        """Return those of some files that a base has."""
        found = set()
        for rev in self._bases:
            paths = {self._states[rev].path(file): file for file in files} if rev in self._states else {}
            found |= {paths[path] for path in self._there(rev, paths)} if paths else set()
        return found

    def _take_arrivals(self, state: CommitFiles, commit: CommitInfo, came: Arrivals) -> None:
        if is_undo(commit):
            state.restore(came.added, commit.rev)
        else:
            said = Trailers.of_message(commit.message, self._prefix).moved
            detected = [pair for pair in moves_by_hand(commit, {commit.rev: came}, self._prefix) if pair not in said]
            state.take(Trailers(tuple(detected)), commit.rev)
            self._leave(state, commit, detected)
        if is_replayed(commit):
            self.brought += [state.file(path) for path in came.changed]

    def _left_empty(self, state: CommitFiles, paths: Collection[str]) -> set[str]:
        """Return those of some paths from which a commit moved the file away without another file there."""
        by_rev = defaultdict(set)
        for path in paths:
            if path in state.left:
                by_rev[state.left[path]].add(path)
        return {path for rev, some in by_rev.items() for path in some.difference(self._there(rev, some))}

    def unchanged(self, bases: Sequence[str], head: str, diffs: Collection[str]) -> set[str]:
        """Return the paths that do not differ, but to which a file that differs was moved or merged since the base.

        The arguments are those of `structure`; `diffs`: the paths that differ. The head may have no file there.
        """
        base, now = self._base(bases), self._states.get(head, CommitFiles())
        return {now.path(file) for file in {*now.paths, *now.into} if base.path(file) in diffs}.difference(diffs)

    def _base(self, bases: Sequence[str]) -> CommitFiles:
        """Return the files of the base."""
        return next((self._states[rev] for rev in bases if rev in self._states), CommitFiles())

    def structure(
        self,
        bases: Sequence[str],
        head: str,
        recent: Collection[str],
        diffs: Mapping[str, Diff],
    ) -> Structure:
        """Return which files of the base became which files of the head, as far as the trees agree.

        `bases`: the commits of the base; `recent`: the hashes of the commits since; `diffs`: the files that differ, by
        path.
        """
        base, now = self._base(bases), self._states.get(head, CommitFiles())
        before, after = _paths(diffs)
        followed = _followed(base, now, before, after, self._left_empty(now, before & after))
        pairs = [Pair(now.path(one.source), now.path(one.target)) for one in self.extracted if one.rev in recent]
        pairs = [Pair(followed.deleted_at.get(source, source), target) for source, target in pairs]
        extracted = tuple(dict.fromkeys(pair for pair in pairs if pair.to in after and pair.path in before | after))
        since = {*recent} - self._updated
        by_hand = {one.old: now.path(one.file) for one in self.left if one.by_hand and one.rev in since}
        extracted_there = (one.target for one in self.extracted if one.source in self.brought)
        brought = tuple(map(now.path, (*self.brought, *extracted_there)))
        late = self._updated - self._history(*(self._by_sync - {*recent})) - {*recent}
        repaired = {one.old: base.path(one.file) for one in self.left if one.by_hand and one.rev in late}
        return followed._replace(
            extracted=extracted,
            formerly_at={one.old: base.path(one.file) for one in self.left},
            moved_by_hand={old: new for old, new in by_hand.items() if new in after},
            repaired=repaired,
            former={one.old: now.path(one.file) for one in self.left} if brought else {},
            brought=brought,
        )


def _paths(diffs: Mapping[str, Diff]) -> tuple[set[str], set[str]]:
    """Return the paths that have a file before some changes, and those that have one after them."""
    before = {path for path, diff in diffs.items() if diff.before}
    return before, {path for path, diff in diffs.items() if diff.after}


def _followed(
    base: CommitFiles,
    now: CommitFiles,
    before: Collection[str],
    after: Collection[str],
    left_empty: Collection[str],
) -> Structure:
    """Return what became of the files of a base that were moved or merged, by the trailers of the commits.

    `before`, `after`: the changed paths that have a file in the base, and those that have one now. `left_empty`: those
    of them from which a commit moved the file away without another file there.
    """
    moved: dict[str, str] = {}
    merged: dict[str, str] = {}
    deleted_at: dict[str, str] = {}
    deleted_with: dict[str, str] = {}
    replaced = set[str]()
    for file in {*now.paths, *now.into}:
        old, new = base.path(file), now.path(file)
        if file in base.into or not base.may_have(file) or old not in before or (old == new and file not in now.into):
            continue
        if not (base.has(file, old) and now.has(file, new)):  # it was deleted, and another file got the path
            continue
        target, came = base.path(now.target(file)), base.path(now.at.get(old, file))
        if new in after:
            (merged if file in now.into else moved)[old] = new
        # if no other file of the base has its old path now, the file may still be there: the trailer may be false
        elif old not in after or old in left_empty or (came != old and came in before):
            if target != old and target in before:
                deleted_with[old] = target
            else:
                deleted_at[new] = old
            if old in after:
                replaced.add(old)
    replaced |= {
        path
        for path, file in now.at.items()
        if path in before and path in after and base.path(file) not in before
        if not now.has(base.at.get(path, path), path)
    }
    return Structure(moved, merged, deleted_at=deleted_at, deleted_with=deleted_with, replaced=replaced)
