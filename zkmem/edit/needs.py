"""Which proposed edits need which: an edit can only be accepted after the earlier ones of the same files."""

from collections.abc import Collection, Sequence

from zkmem.vault.journal.log import Edit


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
    needs, wanted = needs_of(edits), set(numbers)
    for edit in reversed(edits):
        if edit.number in wanted:
            wanted |= needs[edit.number]
    return [edit for edit in edits if edit.number in wanted]


def with_dependent(edits: Sequence[Edit], numbers: Collection[int]) -> list[Edit]:
    """Return the edits with these numbers and all that need them, the oldest first."""
    needs, wanted = needs_of(edits), set(numbers)
    for edit in edits:
        if needs[edit.number] & wanted:
            wanted.add(edit.number)
    return [edit for edit in edits if edit.number in wanted]
