"""Any notes, whatever wrote them: tables of notes by their properties, typed properties, sections, daily notes."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from zkmem.errors import BadArgument, UnknownNote
from zkmem.memory import Memory
from zkmem.toolsets.edits import written
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool, line
from zkmem.toolsets.toolset import Guide, Toolset
from zkmem.util.spelling import number_of

_WAIT_S = 10.0  # for the search index; after that, the answer is made of what is indexed
_WAYS = ("append", "prepend", "replace", "insert")
_MOST_DIFFS = 5


def query(
    memory: Memory,
    filter: str,  # noqa: A002 - the name of the argument
    search: str,
    base: str,
    view: str,
    this: str,
    columns: Sequence[str] | None,
    sort: Sequence[str] | None,
    group: str,
    limit: int,
    cursor: int,
) -> Result:
    """List notes as a table."""
    table = memory.query(
        filter,
        search=search,
        base=base,
        view=view or None,
        this=this,
        columns=columns or (),
        sort=sort or (),
        group=group,
        first=cursor,
        limit=limit,
        wait_s=_WAIT_S,
    )
    return Result((table.text(),), table.data())


def set_properties(
    memory: Memory,
    properties: Mapping[str, Any],
    name: str,
    filter: str,  # noqa: A002 - the name of the argument
    dry_run: bool,
) -> Result:
    """Set properties of one note, or of those that pass a filter."""
    if bool(name) == bool(filter.strip()):
        raise BadArgument("Give either `name` or `filter`.")
    names = [name] if name else []
    if dry_run:
        preview = memory.preview_properties(properties, names, filter)
        texts = [change.diff for change in preview.changes[:_MOST_DIFFS]]
        head = line([f"would change {number_of(len(preview.changes), 'note')}", *preview.remarks], [])
        changes = [change._asdict() for change in preview.changes]
        return Result(("\n".join([head, *texts]),), {"changes": changes, "remarks": preview.remarks})
    done = memory.set_properties(properties, names, filter)
    about = [f"changed {number_of(len(done.changed), 'note')}" if done.changed else "unchanged", *done.remarks]
    return Result((line(about, [("notes", done.changed)]),), done._asdict())


def edit_section(
    memory: Memory, name: str, section: str, content: str, how: str, create: bool, etag: str | None
) -> Result:
    """Change the text below a heading, or at a block id."""
    way = cast("Any", how)  # one of `_WAYS`
    return written(memory.edit_section(name, section, content, way, create=create, etag=etag or None))


def daily(memory: Memory, date: str, content: str, section: str) -> Result:
    """Read a daily note, or add to it."""
    if content:
        return written(memory.write_daily(date, content, section))
    if section:
        raise BadArgument("`section` says where to add content; give `content`, too.")
    name = memory.daily_name(date)
    try:
        note = memory.read("/" + name)
    except UnknownNote:
        return Result((f"There is no daily note {name} yet. Give content to create it.",), {"name": name, "text": None})
    return Result((note.text, f"{name}; etag {note.etag}"), {"name": name, "text": note.text, "etag": note.etag})


_TEXTS = {"type": "string"}
_TEXT = Parameter("string", default="")
_FILTER = Parameter("string", default="")

TOOLS = (
    Tool(
        "query",
        "Table of notes in the user's memory, when you need them by tag, property or date; Obsidian's Bases language.",
        {
            "filter": _FILTER._replace(description='file.hasTag("book") && rating > 3 && file.mtime > now() - "1w"'),
            "search": Parameter("string", "words", ""),
            "base": Parameter("string", "a .base file", ""),
            "view": _TEXT,
            "this": Parameter("string", "note that shows the base", ""),
            "columns": Parameter("array", "properties, file.tags, expressions", None, inner=_TEXTS),
            "sort": Parameter("array", "-file.mtime: descending", None, inner=_TEXTS),
            "group": _TEXT,
            "limit": Parameter("integer", default=50, minimum=1, maximum=1000),
            "cursor": Parameter("integer", "row to begin with", default=0, minimum=0),
        },
        query,
        READS,
        title="List notes of the user's memory",
        finding="list notes by tag, property or date",
        evaluates=lambda _: True,
    ),
    Tool(
        "set_properties",
        "Set frontmatter of a note, or of all a filter finds.",
        {
            "properties": Parameter("object", "null removes"),
            "name": _TEXT,
            "filter": _FILTER,
            "dry_run": Parameter("boolean", default=False),
        },
        set_properties,
        Effects(destructive=True, idempotent=True),
        title="Set properties in the user's memory",
        evaluates=lambda arguments: bool(arguments.get("filter")),
    ),
    Tool(
        "edit_section",
        "Edit the text below a heading of a note in the user's memory, when only that part changes.",
        {
            "name": Parameter("string"),
            "section": Parameter("string", "heading, or ^block"),
            "content": Parameter("string"),
            "how": Parameter("string", "insert: after it and its subsections", "append", choices=_WAYS),
            "create": Parameter("boolean", "add a missing note or heading", default=False),
            "etag": Parameter("string", "merge or refuse if changed since", None),
        },
        edit_section,
        Effects(destructive=True),
        title="Edit a note of the user's memory",
        finding="change part of a note in memory",
    ),
    Tool(
        "daily",
        "Read the daily note, or add content to it.",
        {"date": Parameter("string", "2026-11-20", ""), "content": _TEXT, "section": _TEXT},
        daily,
        Effects(),
        title="Read or write the daily note",
        finding="diary, journal, today",
    ),
)

GUIDE = Guide("query for lists of notes by tags, properties and dates")

TOOLSET = Toolset(TOOLS, (GUIDE,))
