"""Tell the kind of a commit, and which earlier commits its writer knew."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from zkmem.sync.labels import is_by_sync
from zkmem.vault.git import trailers
from zkmem.vault.git.trailers import Trailers
from zkmem.vault.git.trees import Arrivals, CommitInfo
from zkmem.vault.journal.log import Pair

_BRING_BACK = {"undo", "redo", "restore"}


def is_undo(commit: CommitInfo) -> bool:
    """Return whether a commit is that of an undo, a redo or a restore, which bring older texts back."""
    return trailers.tool_of(commit.message) in _BRING_BACK


def is_asked_of_git(commit: CommitInfo) -> bool:
    """Return whether git must detect the files that a commit added or renamed, because no trailer names them."""
    return len(commit.parents) < 2 and (is_undo(commit) or not trailers.is_by_tool(commit.message))


def moves_by_hand(commit: CommitInfo, arrivals: Mapping[str, Arrivals], prefix: str) -> list[Pair]:
    """Return the files that a commit has moved without updating links. `arrivals`, `prefix`: as for `Walk`."""
    if not is_asked_of_git(commit) or is_undo(commit):
        return []
    said = Trailers.of_message(commit.message, prefix)
    known = {path for pair in (*said.moved, *said.merged) for path in pair}
    detected = arrivals[commit.rev].renamed if commit.rev in arrivals else ()
    return [*said.moved, *(pair for pair in detected if known.isdisjoint(pair))]


def is_plain_merge(commit: CommitInfo) -> bool:
    """Return whether git alone made a merge: the links of each side still have the names that this side knew."""
    return len(commit.parents) > 1 and not trailers.is_by_zkmem(commit.message)


def begun_before(commits: Sequence[CommitInfo], start: Collection[str]) -> set[str]:
    """Return the commits before the start at which branches began, if plain git has merged one of them since.

    No trailer names what such a branch moved, so a walk must follow it. `commits`: those since the start, oldest first.
    """
    followed, merged = set(start), False
    for commit in commits:
        known = followed.intersection(commit.parents)
        followed.update([commit.rev] if known else ())
        merged = merged or (is_plain_merge(commit) and 0 < len(known) < len(commit.parents))
    begins = {parent for commit in commits for parent in commit.parents} - {commit.rev for commit in commits}
    return begins - {*start} if merged else set()


def is_replayed(commit: CommitInfo) -> bool:
    """Return whether the writer of a commit may not have known the commits before it.

    A rebase puts a commit on top of others, and keeps the time at which its author wrote it. A rebase may follow within
    the same second, so each commit of plain git counts.
    """
    is_plain = not trailers.is_by_zkmem(commit.message)
    return len(commit.parents) == 1 and (is_plain or commit.committer.time > commit.written)


def knew(writer: CommitInfo, before: Iterable[CommitInfo]) -> str:
    """Return the last of some commits by the writer of a later commit, who thus knew it; "" if there is none.

    `before`: the commits, the last one first. Those of a synchronisation do not count: any machine may have made them.
    """
    machine = trailers.machine_of(writer.message)
    known = (
        one.rev
        for one in before
        if trailers.machine_of(one.message) == machine and one.written <= writer.written and not is_by_sync(one)
        if machine or one.author == writer.author
    )
    return next(known, "")
