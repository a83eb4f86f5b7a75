"""The past of notes: who changed what, older texts, undo. Off by default."""

from typing import TYPE_CHECKING

from zkmem.memory import Memory
from zkmem.records.outcome import Undone
from zkmem.toolsets.review import OF_VIEW, REVIEW
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool, line
from zkmem.toolsets.toolset import Guide, Toolset
from zkmem.util.spelling import number_of, printable, quoted

if TYPE_CHECKING:
    from zkmem.memory import WrittenPassage

_FIRST_LEFT = 5
_MOST_PASSAGES = 100  # in a text
_LONGEST_SHOWN = 120  # characters of a passage


def log(memory: Memory, name: str | None, count: int, by: str) -> Result:
    """List the last edits and changes by other programs."""
    edits = memory.log(name, count, by)
    text = "\n".join(printable(one.line) for one in edits) or "No edit is known."
    return Result((text,), {"revisions": [one._asdict() for one in edits]})


def why(memory: Memory, name: str) -> Result:
    """Say where the passages of a note come from."""
    passages = memory.why(name)
    lines = [_passage(one) for one in passages[:_MOST_PASSAGES]]
    left = len(passages) - _MOST_PASSAGES
    more = [f"{number_of(left, 'more passage')}: give a heading or a line."] if left > 0 else []
    data = [one._asdict() | {"in_words": one.in_words} for one in passages]
    return Result(("\n".join([*lines, *more]) or "No words.",), {"name": name, "passages": data})


def _passage(one: "WrittenPassage") -> str:
    where = str(one.first) if one.first == one.last else f"{one.first}-{one.last}"
    text = " ".join(one.text.split())
    shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN].rstrip()} …"
    note = f", in {one.note}" if one.note else ""
    return printable(f"{where}  {quoted(shown)}{note}: {one.in_words}")


def session_edits(memory: Memory, session: str) -> Result:
    """List the edits of a conversation."""
    edits = memory.edits_of_session(session)
    lines = "\n".join(printable(one.in_words) for one in edits)
    return Result((lines,), {"session": session, "edits": [one._asdict() for one in edits]})


def show(memory: Memory, name: str, rev: str, depth: int) -> Result:
    """Read an older text of a note; with a depth, the notes that it linked to as they were then, too."""
    if depth:
        return show_as_of(memory, name, rev, depth)
    text = memory.show(name, rev)
    return Result((text,), {"name": name, "rev": rev, "text": text})


def show_as_of(
    memory: Memory, name: str, at: str, depth: int, offset: int = 0, *, bounded: bool = True, backlinks: bool = False
) -> Result:
    """Read a note as the vault was at a moment: its text, and lines about it."""
    note, moment, now, remarks = memory.read_earlier(name, at, depth, offset, bounded=bounded, backlinks=backlinks)
    about = [moment.in_words, f"etag {note.etag}", number_of(note.characters, "character")]
    if now != note.name:
        about.append(f"called {note.name} then" + (f", now {now}" if now else "; no note has that name now"))
    about.append(number_of(note.links or 0, "link"))
    lists = [("missing", note.missing or []), ("linked from", note.linked_from or [])]
    lines = [*remarks, line(about, lists)]
    if note.next_offset is not None:
        lines.insert(0, f"Cut at character {note.next_offset} of {note.characters}.")
    if note.left:
        lines.insert(0, f"Left as links for length: {', '.join(note.left[:_FIRST_LEFT])}.")
    data = {**note._asdict(), "moment": moment._asdict(), "now": now, "remarks": remarks}
    del data["changed"]  # the date of a file that is there now
    return Result((note.text, "\n".join(lines)), data)


def diff(memory: Memory, name: str, rev: str | None, to: str | None) -> Result:
    """Show how a note changed."""
    text = memory.diff(name, rev, to)
    return Result((text or "No difference.",), {"name": name, "diff": text})


def restore(memory: Memory, name: str, rev: str) -> Result:
    """Restore an older text of a note."""
    done = memory.restore(name, rev)
    about = [f"{done.outcome} {done.name}", f"etag {done.etag}", *done.remarks]
    return Result((line(about, [("links updated in", done.relinked)]),), done._asdict())


def undo(
    memory: Memory, count: int, edit: int | None, sitting: bool, *, partial: bool = False, session: str | None = None
) -> Result:
    """Undo edits; with `partial` or `session`, which the command line gives, as `Memory.undo` does."""
    return _undone("undid", memory.undo(count, edit, sitting=sitting, partial=partial, session=session))


def redo(memory: Memory, count: int, edit: int | None) -> Result:
    """Redo edits."""
    return _undone("redid", memory.redo(count, edit))


def _undone(what: str, done: Undone) -> Result:
    about = [f"{what} {edit}" for edit in done.edits]
    done_line = line([*about, *done.remarks], [("notes", done.notes)])
    left_out = [one._asdict() for one in done.left]
    return Result(("\n".join([done_line, *(one.reason for one in done.left)]),), done._asdict() | {"left": left_out})


_NAME = Parameter("string")
_REV = Parameter("string", "number or hash from log, etag, or date")
_EDIT = Parameter("integer", "number from log", default=None, minimum=1)
_COUNT = Parameter("integer", default=1, minimum=1, maximum=100)

TOOLS = (
    Tool(
        "log",
        "History of notes: the last edits in the user's memory, of one or all, when asked who changed what.",
        {
            "name": _NAME._replace(default=None),
            "count": Parameter("integer", default=10, minimum=1, maximum=1000),
            "by": Parameter("string", default="all", choices=("all", "tools", "others")),
        },
        log,
        READS,
        title="List edits of the user's memory",
        structured=True,
    ),
    Tool(
        "why",
        "History of a note: which edit and conversation wrote each passage, of name, name#heading or name:line.",
        {"name": _NAME},
        why,
        READS,
        title="Say where a note of the user's memory comes from",
    ),
    Tool(
        "show",
        "History of a note: its text as it was, or with depth the vault then.",
        {"name": _NAME, "rev": _REV, "depth": Parameter("integer", default=0, minimum=0, maximum=10)},
        show,
        READS,
        title="Read an older text of the user's memory",
    ),
    Tool(
        "diff",
        "History of a note: how it changed in its last edit, or from rev to rev (or now).",
        {"name": _NAME, "rev": Parameter("string", default=None), "to": Parameter("string", default=None)},
        diff,
        READS,
        title="Show changes in the user's memory",
    ),
    Tool(
        "restore",
        "Give a note, which may be deleted, the text it had.",
        {"name": _NAME, "rev": _REV},
        restore,
        Effects(destructive=True),
        title="Restore a note of the user's memory",
        finding="bring back a deleted note",
    ),
    Tool(
        "undo",
        "Undo the last edits of the user's memory, or one, when they were wrong, in all their notes; later ones stay.",
        {"count": _COUNT, "edit": _EDIT, "sitting": Parameter("boolean", "the whole sitting of edit", default=False)},
        undo,
        Effects(destructive=True),
        title="Undo edits of the user's memory",
    ),
    Tool(
        "redo",
        "Redo the last undos, or one.",
        {"count": _COUNT, "edit": _EDIT},
        redo,
        Effects(destructive=True),
        title="Redo edits of the user's memory",
    ),
    REVIEW,
)

GUIDE = Guide("log, show, diff and undo for the past of notes")

TOOLSET = Toolset(TOOLS, (GUIDE,), of_views=OF_VIEW)
