"""Plan to edit the text below a heading, or a block, of a note."""

from typing import get_args

from zkmem.edit.plan import Plan, View
from zkmem.edit.write import base_text, check_text, plan_write, put, read_etag, with_fallout
from zkmem.errors import BadArgument
from zkmem.index.lookup import find_note, known_note
from zkmem.markdown.properties import changed, parts
from zkmem.markdown.section_edit import How, with_section
from zkmem.names import name_of


def plan_section(
    view: View, name: str, section: str, content: str, how: How, *, create: bool = False, etag: str | None = None
) -> Plan:
    """Plan to change the text below a heading, or of a block: see `with_section`. `create`: make a missing note, too.

    Raises:
        UnknownNote, AmbiguousName: when `name` does not mean exactly one note. StaleEtag: as for `plan_write`. The
            errors of `with_section`.
    """
    check_text(content, "content")
    if how not in get_args(How):
        raise BadArgument(f"`how` is {how!r}; give append, prepend, replace or insert.")
    check_section(section)
    path = find_note(view.catalog, name) if create else known_note(view.catalog, name)
    if path is None:
        body = with_section(b"", name, section, content, how, create=True)
        return plan_write(view, name, body.decode(), etag=etag)
    base = base_text(view, path, etag or (read_etag(view, path) if how == "replace" else None))
    body = parts(base.text).body.encode(errors="surrogateescape")
    new = with_section(body, name_of(path), section, view.collapse(content, path), how, create=create)
    text = changed(base.text, {}, new.decode(errors="surrogateescape"))
    plan = put(view, path, base, text, "appended" if how == "append" else "changed")
    return with_fallout(view, plan._replace(is_part=True), view.read(path))


def check_section(section: str) -> None:
    """Check that a section is a heading in one line, or a block id.

    Raises:
        BadArgument: when it is not.
    """
    check_text(section, "section")
    if not section.strip("#^ \t\n") or "\n" in section:
        raise BadArgument(f"`section` is {section!r:.60}; give a heading in one line, or a block id: ^id.")
