"""Tell the kind of a commit, and which earlier commits its writer knew. Name merges.

The names, signature and message of a merge are made from its commits alone, so that machines make the same merge.
"""

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from zkmem.sync.placement import BASE, FIRST, SECOND, Placement
from zkmem.vault.git import trailers
from zkmem.vault.git.commit_graph import CommitInfo, Signature
from zkmem.vault.git.trailers import Trailers, machine_trailer
from zkmem.vault.git.trees import Arrivals
from zkmem.vault.journal.log import Pair, printable_name
from zkmem.vault.paths import is_hidden

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
    named = {path for pair in (*said.moved, *said.merged) for path in pair}
    detected = arrivals[commit.rev].renamed if commit.rev in arrivals else ()
    return [*said.moved, *(pair for pair in detected if named.isdisjoint(pair))]


def is_plain_merge(commit: CommitInfo) -> bool:
    """Return whether git alone made a merge: the links of each side still have the names that this side knew."""
    return len(commit.parents) > 1 and not trailers.is_by_zkmem(commit.message)


def begun_before(commits: Sequence[CommitInfo], start: Collection[str]) -> set[str]:
    """Return the commits before the start at which branches began, if plain git has merged one of them since.

    No trailer names what such a branch moved, so a walk must follow it. `commits`: those since the start, oldest first.
    """
    followed, merged = set(start), False
    for commit in commits:
        known_parents = followed.intersection(commit.parents)
        followed.update([commit.rev] if known_parents else ())
        merged = merged or (is_plain_merge(commit) and 0 < len(known_parents) < len(commit.parents))
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


_UNSAFE = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')
_SYNC = "sync: "  # the beginning of the message of a merge or an update of links
_MOST_NAME = 40  # characters
_SHORT = 6  # digits of a hash in the name of a file


def machine_of(commit: CommitInfo) -> str:
    """Return the machine that made a commit; for a commit that names none, its author."""
    return trailers.machine_of(commit.message) or printable_name(commit.author)


def is_by_sync(commit: CommitInfo) -> bool:
    """Return whether a commit is a merge or an update of links by a synchronisation.

    Its message names the machine of a parent, but any machine may have made it.
    """
    return trailers.is_by_zkmem(commit.message) and commit.message.startswith(_SYNC)


def title_of(commit: CommitInfo) -> str:
    """Return the title of a callout with lines of this commit's side. It is the same on machines in other zones."""
    when = datetime.datetime.fromtimestamp(commit.committer.time, datetime.UTC)
    return f"Also written on {_short_name(commit)}, {when:%Y-%m-%d %H:%M} UTC"


def label_of(commit: CommitInfo) -> str:
    """Return a short name of a commit's side that is allowed in file names."""
    return f"{_short_name(commit)} {commit.rev[:_SHORT]}"


def _short_name(commit: CommitInfo) -> str:
    """Return the name of a commit's machine, without what could be a link, markup or a part of a path."""
    return _UNSAFE.sub("-", " ".join(machine_of(commit).split()))[:_MOST_NAME].strip()


def in_order(one: CommitInfo, other: CommitInfo) -> tuple[CommitInfo, CommitInfo]:
    """Return two commits, the older one first; if their dates are equal, the one with the smaller hash."""
    first, second = sorted((one, other), key=lambda commit: (commit.committer.time, commit.rev))
    return first, second


def signature(first: CommitInfo, second: CommitInfo) -> Signature:
    """Return the author of the merge of two commits: the committer of the newer one, and its time."""
    return second.committer._replace(time=max(first.committer.time, second.committer.time))


def merge_message(first: CommitInfo, second: CommitInfo, placement: Placement, prefix: str) -> str:
    """Return the message of the merge of two commits, with the moves since each of them."""
    subject = f"{_SYNC}merge {machine_of(first)} and {machine_of(second)}"
    return "\n".join([subject, "", ""]) + "".join(_lines(placement, prefix)) + machine_trailer(machine_of(second))


def update_message(commit: CommitInfo, placement: Placement, prefix: str) -> str:
    """Return the message of a commit that updates the links after another commit."""
    lines = "".join(_lines(placement, prefix))
    return f"{_SYNC}update links after {machine_of(commit)}\n\n{lines}{machine_trailer(machine_of(commit))}"


def _lines(placement: Placement, prefix: str) -> Iterator[str]:
    """Yield the trailers of a merge.

    For each parent, they name the files that were moved and merged since, and those that only the other parent had.
    """
    parts = {*placement.into, *placement.joined}
    for state in (FIRST, SECOND):
        moved: dict[Pair, None] = {}
        merged: dict[Pair, None] = {}
        for one in sorted({*placement.paths, *parts}):
            old, root = placement.on(state, one), placement.root(one)
            new = placement.paths.get(root)
            if old is not None and new is not None and old != new and not (is_hidden(old) or is_hidden(new)):
                (merged if one in parts else moved)[Pair(old, new)] = None
        yield from Trailers(tuple(moved), tuple(merged)).lines(prefix, state)
        files = ((one, path) for one, path in placement.paths.items() if one.state == BASE and not is_hidden(path))
        kept = sorted(path for one, path in files if placement.on(state, one) is None)
        yield from trailers.kept_lines(kept, prefix, state)
