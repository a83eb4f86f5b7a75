"""Plan to rename a note together with its first heading and its property `title`, if they are its name."""

from zkmem.edit.parts import plan_rename_heading
from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.edit.properties import plan_properties
from zkmem.edit.rename import plan_rename_at
from zkmem.index.resolve import plain_name
from zkmem.markdown.links import as_utf8
from zkmem.markdown.note import body_of
from zkmem.markdown.properties import typed_properties
from zkmem.markdown.sections import Outline
from zkmem.names import fold

TITLE = "title"


def plan_rename_titled(view: View, path: str, new_name: str, merging: str) -> Plan:
    """Plan to rename the note at a path to a free name, and to change its first heading and its property `title`.

    Each of the two is changed only if it is the name of the note; links to the heading follow it. `merging`: how to
    merge two notes instead.

    Raises:
        The errors of `plan_rename`, `plan_rename_heading` and `plan_properties`.
    """
    paths = (path, view.new_place(path, new_name)[0])
    old, new = (plain_name(view.catalog, one) for one in paths)
    data, texts = view.read(path), dict[str, bytes]()
    if is_title(heading_title(data), old):
        texts |= _texts(plan_rename_heading(view, path, 0, new))
    if is_title(typed_properties(data).get(TITLE), old):
        texts |= _texts(plan_properties(view.with_open(texts), [path], {TITLE: new}))
    return _both(view, texts, plan_rename_at(view.with_open(texts), path, new_name, merging))


def _texts(plan: Plan) -> dict[str, bytes]:
    return {step.path: step.data for step in plan.steps if isinstance(step, Put)}


def heading_title(data: bytes) -> str | None:
    """Return the text of the first heading of a note; None if it has none."""
    outline = Outline(as_utf8(body_of(data)))
    return outline.title_text(0) if outline.headings else None


def is_title(text: object, name: str) -> bool:
    """Return whether a title of a note is the last part of its name."""
    return isinstance(text, str) and fold(text.strip()) == fold(name)


def _both(view: View, texts: dict[str, bytes], renamed: Plan) -> Plan:
    """Return the plan to write texts, and then to rename a note, as one plan. The rename is computed from the texts."""
    moves = {step.path: step.to for step in renamed.steps if isinstance(step, Move)}
    written = {moves.get(path, path): data for path, data in texts.items()}
    written |= _texts(renamed)
    before = {new: old for old, new in moves.items()}
    steps = [Move(old, new, view.base(old)) for old, new in moves.items()]
    puts = [Put(path, data, view.base(before.get(path, path))) for path, data in written.items()]
    return renamed._replace(steps=(*steps, *puts))
