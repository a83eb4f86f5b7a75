"""The review of what models did: a tool whose view is for a person, and the tools that only this view calls."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zkmem.caller import own_clients
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool
from zkmem.util.spelling import number_of, printable

if TYPE_CHECKING:
    from zkmem.memory import Brief, ChangeSet
    from zkmem.records.outcome import LeftOut

_MOST_LINES = 100  # that the view shows
_MOST_EDITS = 50  # of a client that proposes
_MOST_TITLES = 5  # that the text names
_PROPOSED = "These edits are proposed: a person accepts or drops them on the page of zkmem."
_KEEP, _KEEP_ALL, _UNDO, _ACCEPT, _DROP = "keep", "keep all", "undo", "accept", "drop"


def review(memory: Memory, count: int) -> Result:
    """Tell what became of the notes since the person last looked, what destroys text first, and what is proposed."""
    brief, proposed = _brief(memory, max(count, _MOST_LINES)), _proposed(memory)
    left = brief.total - min(count, len(brief.lines))
    lines = [brief.sentence, *(line.in_words for line in brief.lines[:count])]
    lines += [f"and {number_of(left, 'more note')}"] if left else []
    lines += [_PROPOSED] if memory.proposes else []
    text = "\n".join(map(printable, [*lines, *map(_in_words, proposed)]))
    rows = {key: [one._asdict() for one in getattr(brief, key)] for key in ("clients", "counts")}
    data = {**brief._asdict(), **rows, "lines": [one._asdict() for one in brief.lines[:count]]}
    return Result((text,), data, shown=_state(memory, brief, proposed))


def review_change(
    memory: Memory, note: str, edit: int | None, first: int | None, passage: int | None, client: str, undo: bool
) -> Result:
    """Show what the edits of a line did, what undoing it would change, or what a client has proposed."""
    if client:
        changed = memory.proposed_changes(client, [] if edit is None else [edit])
    elif edit is None:
        raise BadArgument("Give `edit`, or the `client` that proposes.")
    elif undo:
        preview = memory.preview_undo_line(note, edit, first=first, passage=passage)
        changed = memory.previewed_notes(preview)
    else:
        changed = memory.change(note, edit, first=first).notes
    notes = [one._asdict() | {"passages": [block._asdict() for block in one.passages]} for one in changed]
    return Result((f"What becomes of {number_of(len(notes), 'note')}.",), {}, shown={"notes": notes})


def review_decide(
    memory: Memory,
    action: str,
    note: str,
    edit: int | None,
    first: int | None,
    passage: int | None,
    client: str,
    seen: float | None,
) -> Result:
    """Do what the person has chosen, and answer with the review as it is then."""
    if action in (_ACCEPT, _DROP):
        done, left = _decided(memory, action, client, [] if edit is None else [edit], seen)
    elif edit is None:
        raise BadArgument(f"`edit` is missing: it says what to {action}.")
    elif action == _UNDO:
        done, left = _undone(memory, note, edit, first, passage), []
    elif action == _KEEP_ALL:
        memory.mark_seen(memory.person, edit, earlier=True)
        done, left = f"kept all edits up to {edit}", []
    else:
        _mark(memory, note, edit, first)
        done, left = f"kept {note}", []
    state = _state(memory, _brief(memory, _MOST_LINES), _proposed(memory))
    sentence = printable("; ".join([done, *(one.reason for one in left)]))
    return Result((sentence,), {}, shown={**state, "done": sentence})


def _decided(
    memory: Memory, action: str, client: str, edits: list[int], seen: float | None
) -> "tuple[str, list[LeftOut]]":
    if action == _DROP:
        return f"dropped {number_of(len(memory.drop(client, edits, seen=seen)), 'proposed edit')}", []
    done = memory.accept(client, edits, seen=seen)
    return f"accepted {number_of(len(done.accepted), 'proposed edit')}", done.left


def _undone(memory: Memory, note: str, edit: int, first: int | None, passage: int | None) -> str:
    done = memory.undo_line(note, edit, first=first, passage=passage)
    if passage is None and not done.edits:  # else it is marked as undone
        _mark(memory, note, edit, first)
    return "; ".join([f"undid what was done to {note}", *done.remarks])


def _mark(memory: Memory, note: str, edit: int, first: int | None) -> None:
    memory.mark_viewed(memory.person, [(note, edit if first is None else first, edit)])


def _brief(memory: Memory, most: int) -> "Brief":
    return memory.brief(memory.person, own_clients(memory.person), viewed=False, limit=most)


def _proposed(memory: Memory) -> "list[ChangeSet]":
    return [] if memory.proposes else memory.proposed()


def _in_words(proposed: "ChangeSet") -> str:
    titles = [one.title for one in proposed.edits[:_MOST_TITLES]]
    more = [f"and {proposed.total - len(titles)} more"] if proposed.total > len(titles) else []
    return f"{proposed.name} proposes {number_of(proposed.total, 'edit')}: {'; '.join([*titles, *more])}"


def _state(memory: Memory, brief: "Brief", proposed: "list[ChangeSet]") -> Mapping[str, Any]:
    """Return what the view shows."""
    return {
        "sentence": brief.sentence,
        "total": brief.total,
        "shown": len(brief.lines),
        "last": brief.last,
        "lines": [one._asdict() for one in brief.lines[:_MOST_LINES]],
        "proposed": [
            {
                **{key: getattr(one, key) for key in ("client", "name", "total", "ended")},
                "edits": [{"edit": edit.edit, "title": edit.title} for edit in one.edits[:_MOST_EDITS]],
            }
            for one in proposed
        ],
        "can_edit": not memory.reads_only and not memory.proposes,
        "remark": _PROPOSED if memory.proposes else "",
    }


_NUMBER = Parameter("integer", default=None, minimum=1)
_WHERE = {
    "note": Parameter("string", default=""),
    "edit": _NUMBER,
    "first": _NUMBER,
    "passage": Parameter("integer", default=None, minimum=0),
    "client": Parameter("string", "whose proposed edits", ""),
}

REVIEW = Tool(
    "review",
    "Show the user what was done to the notes of their memory since they last looked, what destroys text first.",
    {"count": Parameter("integer", default=30, minimum=1, maximum=_MOST_LINES)},
    review,
    READS,
    title="Review the edits of the user's memory",
    view="review",
)

OF_VIEW = (
    Tool(
        "review_change",
        "Show what edits did to a note, or would do, or what undoing them would change.",
        _WHERE | {"undo": Parameter("boolean", "preview the undo", default=False)},
        review_change,
        READS,
        title="Show a change in the review",
        view="review",
    ),
    Tool(
        "review_decide",
        "Keep, undo, accept or drop what a person has looked at in the review.",
        {
            "action": Parameter("string", choices=(_KEEP, _KEEP_ALL, _UNDO, _ACCEPT, _DROP)),
            **_WHERE,
            "seen": Parameter("number", "up to this time, in seconds since 1970", default=None),
        },
        review_decide,
        Effects(destructive=True),
        title="Keep or undo edits of the user's memory",
        view="review",
    ),
)
"""Only the view of `review` calls these, when a person clicks."""
