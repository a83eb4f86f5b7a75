"""Plan to accept a proposed edit, and tell which other edits it needs.

The plan is that of an undo. Imagine that the client had made the edit in the vault when it proposed it, and that the
next edit took it back. To accept the proposed edit is to undo this next edit: what others have written since stays, and
the notes that they have renamed since are found.
"""

import copy
from collections.abc import Callable, Collection, Sequence

from zkmem.edit.plan import Plan, Put, TrashPaths, View
from zkmem.edit.proposed_names import LaterEdits, ProposedNames
from zkmem.edit.relink import Relinker
from zkmem.edit.undo_plan import plan_undo
from zkmem.edit.undo_walk import ACCEPT
from zkmem.edit.write import plan_save
from zkmem.errors import NoVersion, Taken
from zkmem.names import is_note, name_of
from zkmem.vault.journal.log import Change, Edit, client_name
from zkmem.vault.paths import is_hidden


def plan_accept(
    view: View,
    edit: Edit,
    earlier: Sequence[Edit],
    later: LaterEdits,
    text: Callable[[str], bytes | None],
    key: str,
    foreign: Collection[int],
    *,
    as_new: bool = False,
) -> Plan:
    """Plan to accept a proposed edit: to make it in the vault.

    `earlier` are the earlier proposed edits of the client that are not accepted; `later` are the edits of the vault
    since the client began to propose, and `foreign` the numbers of those that the caller may not see; `text` returns
    the text with an etag that the client has read or proposed; `key` is the key of the edit. With `as_new`, a note that
    the edit changes is created as a new note if it was deleted.

    Raises:
        EditedSince: when a later change is in the way. NoVersion: when a text is not kept.
    """
    if key in later.accepted:
        return Plan("", "unchanged", ())
    view = copy.copy(view)
    view.add_versions(text)
    changed = [path for path, before, after, to in edit.changes if to is None and before and after]
    deleted = {path for path in changed if not view.store.taken(path) and view.past.renamed(path) is None}
    unknown = _unknown([edit], later.others)
    if as_new:
        unknown = [one for one in unknown if deleted.isdisjoint(one.paths())]
    [back] = _backs(view, [edit], deleted if as_new else ())
    names = ProposedNames(later, [*earlier, edit])
    taken = _taken_links(edit, later)
    plan = plan_undo(view, [back, *unknown], {back.number}, "accepted", foreign, names, taken)
    return plan._replace(
        undoes=(),
        remarks=tuple(
            f"accepted edit {edit.number} of {client_name(edit.client) or 'a client'}: {one}" for one in plan.remarks
        ),
        proposed=key,
        since=edit.since,
        source=next((pair.path for pair in edit.extracted), ""),
    )


def only_creates(edit: Edit) -> bool:
    """Return whether an edit creates notes, and does nothing else."""
    is_plain = not (edit.undoes or edit.merged or edit.extracted)
    return is_plain and all(one.before is None and one.to is None and is_note(one.path) for one in edit.changes)


def plan_accept_new(view: View, edit: Edit, text: Callable[[str], bytes | None], key: str) -> Plan:
    """Plan to accept a proposed edit that only creates notes, after which no file has got another name.

    This is `plan_accept` without the search for the names that files had, so thousands of such edits take little time.

    Raises:
        Taken: when there is a file already. NoVersion: when a text is not kept.
    """
    texts = {path: text(after or "") for path, _, after, _ in edit.changes}
    if missing := [path for path, data in texts.items() if data is None]:
        raise NoVersion(f"The text of {name_of(missing[0])!r} is not kept any more.")
    if taken := next(filter(view.store.taken, texts), None):
        raise Taken(f"There is a file at {taken!r} already; nothing was overwritten.")
    changed = Relinker(view, {}, [*texts]).changed()
    puts = [Put(path, data, view.base(path)) for path, data in changed.items()]
    puts += [Put(path, data or b"", None) for path, data in texts.items()]
    return Plan(edit.changes[0].path, "accepted", (*puts,), (*changed, *texts), proposed=key, since=edit.since)


def plan_accept_merged(view: View, edit: Edit, path: str, content: str, tag: str, key: str) -> Plan:
    """Plan to accept a proposed edit of one note with another text, which a person has merged from both versions.

    `path` and `tag` are those of the note that the person has read; `key` is the key of the edit.

    Raises:
        StaleEtag: when the note has changed since, and the changes cannot be merged.
    """
    return plan_save(view, name_of(path), content, tag)._replace(proposed=key, since=edit.since)


def plan_accept_chain(
    view: View,
    edits: Sequence[Edit],
    later: LaterEdits,
    text: Callable[[str], bytes | None],
    foreign: Collection[int],
) -> Plan:
    """Plan to accept proposed edits at once, the oldest first. Another edit needs each of them, except the last one.

    This only tells whether the last edit can be accepted after the others. The other arguments and the errors are those
    of `plan_accept`.
    """
    view = copy.copy(view)
    view.add_versions(text)
    unknown = _unknown(edits, later.others)
    backs = _backs(view, edits)
    names = ProposedNames(later, edits)
    return plan_undo(view, [*backs, *unknown], {back.number for back in backs}, "accepted", foreign, names)


def _backs(view: View, edits: Sequence[Edit], new: Collection[str] = ()) -> list[Edit]:
    """Return the edits that take proposed edits back, the last proposed one first.

    Their numbers are those of the proposed edits, made negative. `new`: the paths of notes that count as
    created by these.
    """
    taken_back = _TakenBack(view)
    backs = [
        edit._replace(
            number=-edit.number,
            tool=ACCEPT,
            # an undo is no renaming, whose texts are only relinked; no edit has this number
            undoes=(-edits[-1].number - 1,) if edit.undoes else (),
            changes=taken_back.changes(edit, new),
        )
        for edit in edits
    ]
    return backs[::-1]


def _taken_links(edit: Edit, later: LaterEdits) -> list[tuple[Edit, Change]]:
    """Return the changes by accepted merges that a proposed edit takes back, in notes that the edit does not name.

    These are changes of links to the merged note, in notes that the client had deleted or that others have written.
    """
    known = set(edit.paths())
    undone = (one.edit for one in later.own if one.number in edit.undoes and one.time < edit.time)
    return [
        (one, change)
        for one in undone
        for change in one.changes
        if one.merged and change.to is None and change.path not in known
    ]


def _unknown(edits: Sequence[Edit], later: Sequence[Edit]) -> list[Edit]:
    """Return the changes of others that the client did not know.

    An undo of accepted edits is treated like any other change: the client did not know it.
    """
    since = {path: number for edit in reversed(edits) for path, number in edit.since}
    default = since.get("", 0)
    unknown: list[Edit] = []
    whole = set[int]()
    for one in later:
        changes = []
        for change in one.changes:
            number = min(since.get(path, default) for path in (change.path, change.to) if path is not None)
            if one.number > number:
                changes.append(change)
                if change.to is not None:
                    since[change.to] = number  # what happens to the file under its new name is not known either
        if changes:
            whole |= {one.number} if len(changes) == len(one.changes) else set()
            undoes = one.undoes if whole.issuperset(one.undoes) else ()
            unknown.append(one._replace(changes=tuple(changes), undoes=undoes))
    return unknown


class _TakenBack:
    """The changes that take proposed edits back, the oldest edit first."""

    def __init__(self, view: View) -> None:
        self._trash = TrashPaths(view)
        self._places: dict[str, str] = {}  # paths in the vault's trash, by those in the client's own trash

    def changes(self, edit: Edit, new: Collection[str] = ()) -> tuple[Change, ...]:
        """Return the changes that take an edit back, as if the edit had created the files at the paths `new`."""
        for change in edit.changes:
            if change.to is not None and is_hidden(change.to):
                self._places[change.to] = self._trash.choose(change.path)
        back = []
        for path, before, after, to in reversed(edit.changes):
            if to is None:
                back.append(Change(path, after, None if path in new else before))
            else:
                back.append(Change(self._places.get(to, to), before, before, self._places.get(path, path)))
        return tuple(back)


def needs_of(edits: Sequence[Edit]) -> dict[int, set[int]]:
    """Return, for each edit, the earlier ones that changed the same files: it can only be accepted after these.

    `edits` begins with the oldest. Of several earlier edits of a file, the result has only the last one.
    """
    last: dict[str, int] = {}
    needs: dict[int, set[int]] = {}
    for edit in edits:
        needs[edit.number] = {last[path] for path in edit.paths() if path in last}
        last.update(dict.fromkeys(edit.paths(), edit.number))
    return needs


def with_needed(edits: Sequence[Edit], numbers: Collection[int]) -> list[Edit]:
    """Return the edits with these numbers and all that they need, the oldest first."""
    needs, chosen = needs_of(edits), set(numbers)
    for edit in reversed(edits):
        if edit.number in chosen:
            chosen |= needs[edit.number]
    return [edit for edit in edits if edit.number in chosen]


def with_dependent(edits: Sequence[Edit], numbers: Collection[int]) -> list[Edit]:
    """Return the edits with these numbers and all that need them, the oldest first."""
    needs, chosen = needs_of(edits), set(numbers)
    for edit in edits:
        if needs[edit.number] & chosen:
            chosen.add(edit.number)
    return [edit for edit in edits if edit.number in chosen]
