"""Find the changes of notes that no entry of the logs explains: other programs have made them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zkmem.names import is_note
from zkmem.vault.journal.log import GIT, HAND, Change, Edit
from zkmem.vault.paths import is_hidden

MOST_NAMED = 1_000
"""The most notes that an entry about a change by another program lists."""

_TOGETHER_S = 300.0  # saves of one note within this time are one change


class Step(NamedTuple):
    """What an entry of the logs did at one path."""

    before: str | None
    after: str | None
    entry: Edit


class Found(NamedTuple):
    """A change that no entry explains: the etags before and after."""

    path: str
    before: str | None
    after: str | None
    kind: str = HAND
    data: bytes | None = None  # the text after, if it is to be kept
    mtime_ns: int = 0  # 0 if the note is gone


def is_recorded(path: str) -> bool:
    """Return whether changes at a path are recorded: those of a note that is not hidden, as in the trash."""
    return is_note(path) and not is_hidden(path)


def effects(entry: Edit) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the paths of the notes that an entry has changed, each with the etags before and after."""
    for change in entry.changes:
        sides = [(change.path, change.before, change.after if change.to is None else None)]
        if change.to is not None:
            sides.append((change.to, None, change.before))
        yield from (side for side in sides if is_recorded(side[0]))


def gaps_in(steps: Sequence[Step], tag: str | None) -> tuple[list[tuple[str | None, str | None]], str | None]:
    """Return the changes between the steps at one path, as etags before and after, and the etag after the last step.

    `tag` is the etag before the steps, or one that the path had between them: then the first step shows no change.
    An edit by a tool has the etag that it found, so it shows a change before it. An entry about another program may
    have replaced an earlier one.
    """
    is_before = all(step.after != tag for step in steps)
    gaps, previous = list[tuple[str | None, str | None]](), None if is_before else steps[0].entry
    for step in steps:
        if step.before != tag and not step.entry.outside and step.entry is not previous:
            gaps.append((tag, step.before))
        tag, previous = step.after, step.entry
    return gaps, tag


def with_moves(found: Sequence[Found]) -> list[Change]:
    """Return some changes in the order of their paths; a note that is gone from one path and new at another has moved.

    If several notes had the same text, the text does not show which of them has moved.
    """
    gone, new = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for one in found:
        if one.before is None and one.after is not None:
            new[one.after].append(one.path)
        if one.after is None and one.before is not None:
            gone[one.before].append(one.path)
    moves = {old[0]: new[tag][0] for tag, old in gone.items() if len(old) == len(new.get(tag, ())) == 1}
    targets = set(moves.values())
    return [
        Change(one.path, one.before, one.before, moves[one.path])
        if one.path in moves
        else Change(one.path, one.before, one.after)
        for one in sorted(found, key=lambda one: one.path)
        if one.path not in targets
    ]


def continued(entry: Edit, last: Edit | None) -> Edit:
    """Return a change, joined with the last entry if that is a recent save of the same note, or if git made both."""
    if last is None or entry.outside != last.outside or entry.time - last.time > _TOGETHER_S:
        return entry
    if entry.outside in GIT:
        return _with_git(entry, last)
    if entry.outside != HAND or len(entry.changes) != 1 or len(last.changes) != 1:
        return entry
    (change,), (earlier,) = entry.changes, last.changes
    is_save = change.path == earlier.path and not change.to and not earlier.to and change.after is not None
    if not is_save or change.before is None or earlier.after != change.before:
        return entry
    return entry._replace(time=last.time, changes=(change._replace(before=earlier.before),), replaces=last.number)


def _with_git(entry: Edit, last: Edit) -> Edit:
    """Return a change by git, joined with the last one if they are about different files."""
    if not set(last.paths()).isdisjoint(entry.paths()):
        return entry
    changes = (*last.changes, *entry.changes)
    more = last.more + entry.more + max(0, len(changes) - MOST_NAMED)
    return entry._replace(time=last.time, changes=changes[:MOST_NAMED], more=more, replaces=last.number)
