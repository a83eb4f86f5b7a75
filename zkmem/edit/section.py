"""Plan to edit the text below a heading, or at a block id, of a note.

The text of a heading goes to the next heading of any level. A block is a paragraph or an item of a list that ends with
its id, `^id`; the id stays at its end.
"""

import re
from typing import Literal

from zkmem.edit.plan import Plan, View
from zkmem.edit.write import base_text, check_text, plan_write, put, with_fallout
from zkmem.errors import BadArgument, NoSection
from zkmem.index.lookup import find_note, known_note
from zkmem.markdown.links import as_utf8
from zkmem.markdown.note import Text
from zkmem.markdown.properties import changed, parts
from zkmem.markdown.sections import Outline
from zkmem.names import name_of

How = Literal["append", "prepend", "replace", "insert"]

_MARKS = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_LEVEL = 2  # of a new heading, if it is written without marks
_ITEM = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)(?:\[.\][ \t]+)?")
_ID = re.compile(rb"[ \t]*\^[A-Za-z0-9-]+[ \t]*\Z")


def plan_section(
    view: View, name: str, section: str, content: str, how: How, *, create: bool = False, etag: str | None = None
) -> Plan:
    """Plan to change the text below a heading (`Heading`, `Part#Heading`), or of a block (`^id`).

    `how`: `append` adds at the end of that text, `prepend` at its beginning, `replace` replaces it, and `insert` adds
    after the whole section, with the sections in it, or after the block. `create`: add a missing note or heading;
    `section` may then begin with the marks of a heading.

    Raises:
        UnknownNote, AmbiguousName: when `name` does not mean exactly one note. StaleEtag: as for `plan_write`.
        NoSection: when the note has no such heading or block.
    """
    check_text(content, "content")
    check_text(section, "section")
    if not section.strip("#^ "):
        raise BadArgument("`section` is empty; give a heading, or a block id such as ^id.")
    path = find_note(view.catalog, name) if create else known_note(view.catalog, name)
    if path is None:
        body = with_section(b"", name, section, content, how, create=True)
        return plan_write(view, name, body.decode(), etag=etag)
    base = base_text(view, path, etag)
    content = view.collapse(content, path)
    text = edited(base, name_of(path), section, content, how, create=create)
    return with_fallout(view, put(view, path, base, text, "replaced"), view.read(path))


def edited(text: Text, name: str, section: str, content: str, how: How, *, create: bool) -> str:
    """Return the text of the note `name` after the edit; see `plan_section`."""
    body = parts(text).body.encode(errors="surrogateescape")
    new = with_section(body, name, section, content, how, create=create)
    return changed(text, {}, new.decode(errors="surrogateescape"))


def with_section(body: bytes, name: str, section: str, content: str, how: How, *, create: bool) -> bytes:
    """Return a body after the edit; see `plan_section`. `name`: of the note, for errors."""
    outline = Outline(as_utf8(body))
    new = content.strip("\n").encode(errors="surrogateescape")
    if section.startswith(("^", "#^")):
        subpath = f"#{section.removeprefix('#')}"
        found = outline.find(subpath)
        if found is None:
            raise NoSection(name, subpath, ())
        return _with_block(body, found, new, how)
    marks = _MARKS.match(section)
    heading = section[marks.end() :] if marks else section
    at = outline.heading(f"#{heading}")
    if at is not None:
        return _with_text(body, outline, at, new, how)
    if not create:
        raise NoSection(name, f"#{heading}", (one.linked for one in outline.headings if one.linked))
    above, _, last = heading.rpartition("#")
    parent = outline.heading(f"#{above}") if above.strip() else None
    if above.strip() and parent is None:
        raise NoSection(name, f"#{above}", (one.linked for one in outline.headings if one.linked))
    level = len(marks[1]) if marks else _LEVEL if parent is None else min(outline.headings[parent].level + 1, 6)
    end = len(body) if parent is None else outline.section(parent)[1]
    made = b"#" * level + b" " + last.strip().encode(errors="surrogateescape") + (b"\n\n" + new if new else b"")
    return _joined(body[:end], made, body[end:])


def _with_text(body: bytes, outline: Outline, at: int, new: bytes, how: How) -> bytes:
    """Return a body with a change of the text below a heading."""
    heading = outline.headings[at]
    if how == "insert":
        end = outline.section(at)[1]
        return _joined(body[:end], new, body[end:])
    line_end = body.find(b"\n", max(heading.start, heading.end - 1))
    start = len(body) if line_end < 0 else line_end + 1
    end = outline.headings[at + 1].start if at + 1 < len(outline.headings) else len(body)
    old = body[start:end].strip(b"\r\n")
    if how == "replace" or not old:
        text = new
    elif how == "append":
        text = old + _between(old, new) + new
    else:
        text = new + _between(new, old) + old
    return _joined(body[:start], text, body[end:], blank=not old or body[start : start + 1] in {b"\n", b"\r"})


def _between(first: bytes, second: bytes) -> bytes:
    """Return what separates two texts: the items of a list stand in lines that follow each other."""
    last = first.rpartition(b"\n")[2]
    return b"\n" if _ITEM.match(last) and _ITEM.match(second) else b"\n\n"


def _joined(before: bytes, text: bytes, after: bytes, *, blank: bool = True) -> bytes:
    """Return three parts of a body; a blank line stands before (if `blank`) and after the second."""
    head = before.rstrip(b"\r\n")
    if head:
        head += b"\n\n" if blank else b"\n"
    tail = after.lstrip(b"\r\n")
    return head + text + (b"\n\n" + tail if tail and text else tail or b"\n") if text else head + tail


def _with_block(body: bytes, found: tuple[int, int], new: bytes, how: How) -> bytes:
    """Return a body with a change of the text of a block, which keeps its id."""
    start, end = found[0], found[0] + len(body[slice(*found)].rstrip())
    block = body[start:end]
    mark = _ITEM.match(block)
    if how == "insert":
        return body[:end] + (b"\n" if mark else b"\n\n") + new + body[end:]
    lead = mark[0] if mark else b""
    match = _ID.search(block)
    id_ = match[0] if match else b""
    old = block[len(lead) : len(block) - len(id_)] if id_ else block[len(lead) :]
    indent = b"\n" + b" " * (len(mark[1]) if mark else 0)
    added = new.replace(b"\n", indent)
    text = {"append": old + indent + added, "prepend": added + indent + old, "replace": added}[how]
    return body[:start] + lead + text + (id_ if not id_ or id_[:1] in b" \t\n" else b" " + id_) + body[end:]
