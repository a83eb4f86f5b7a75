"""Any notes, whatever wrote them: tables of notes by their properties, typed properties, sections, daily notes."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from zkmem.errors import BadArgument, UnknownNote
from zkmem.memory import Memory
from zkmem.names import name_of
from zkmem.toolsets.edits import written
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool, line
from zkmem.toolsets.toolset import Guide, Toolset
from zkmem.util.spelling import number_of, printable

_WAIT_S = 10.0  # for the search index; after that, the answer is made of what is indexed
_WAYS = ("append", "prepend", "replace", "insert")
_MOST_DIFFS = 5
_MOST_NEIGHBOURS = 40  # that the map shows; the heaviest ones


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


def show_map(memory: Memory, name: str) -> Result:
    """Name the notes that a note links to, and those that link to it; the view shows them as a map."""
    path, near = memory.path(name), memory.graph(around=name)
    names = [*near.names, *near.missing]
    weights = [*near.weights, *(0.0 for _ in near.missing)]
    centre = next(at for at, one in enumerate(near.names) if one.removeprefix("/") in (path, name_of(path)))
    links = sorted(set(zip(near.links[::2], near.links[1::2], strict=True)))
    to, back = {end for one, end in links if one == centre}, {one for one, end in links if end == centre}
    order = sorted(to | back, key=lambda at: (-weights[at], at))
    shown = [centre, *order[:_MOST_NEIGHBOURS]]
    notes = [
        {"name": names[at], "weight": weights[at], "missing": at >= len(near.names), "to": at in to, "from": at in back}
        for at in shown[1:]
    ]
    numbers = {at: number for number, at in enumerate(shown)}
    between = [[numbers[one], numbers[end]] for one, end in links if one in numbers and end in numbers]
    data = {"name": names[centre], "notes": notes, "links": between, "more": len(order) - len(notes)}
    sides = (("links to", to), ("linked from", back))
    lists = [(title, [names[at] for at in order if at in ends]) for title, ends in sides]
    about = [names[centre], f"weight {weights[centre]:g}", number_of(len(order), "neighbour")]
    return Result((printable(line(about, lists)),), data, shown=data)


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
    Tool(
        "show_map",
        "Show the user a note and its neighbours as a map.",
        {"name": Parameter("string")},
        show_map,
        READS,
        title="Show a map of the user's memory",
        view="map",
    ),
)

GUIDE = Guide("query for lists of notes by tags, properties and dates")

TOOLSET = Toolset(TOOLS, (GUIDE,))
