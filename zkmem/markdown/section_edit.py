"""Change the text below a heading of a body, or a block of it; every other byte stays.

The text below a heading ends at the next heading of any level. Headings in lists and quotes do not end it. A block has
its id, `^id`, at its end or below it. A change that would break what comes after it is refused.
"""

import re
from typing import Literal

from zkmem.errors import BadArgument, NoSection
from zkmem.markdown.links import as_utf8
from zkmem.markdown.sections import Block, Outline

How = Literal["append", "prepend", "replace", "insert"]

_MARKS = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_LEVEL = 2  # of a new heading, if it is written without marks
_ITEM = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)(?:\[.\][ \t]+)?")
_ENDS_WITH_ID = re.compile(rb"(?:^|[ \t\n])\^([A-Za-z0-9-]+)[ \t]*\Z")
_NOT_A_PREFIX = re.compile(rb"[^\s>]")
_BLANKS = b" \t\r\n"
_NEXT_LINE, _BLANK_LINE = 1, 2  # numbers of line ends between two texts


def with_section(body: bytes, name: str, section: str, content: str, how: How, *, create: bool) -> bytes:
    """Return a body with a change of the text below a heading (`Heading`, `Part#Heading`), or of a block (`^id`).

    `how`: `append` adds at the end of that text, `prepend` at its beginning, `replace` replaces it, and `insert` adds
    after the whole section, with the sections in it, or after the block. `create`: add a missing heading; `section` may
    then begin with the marks of a heading. `name`: of the note, for errors.
    """
    outline = Outline(as_utf8(body))
    new = content.strip("\n").encode(errors="surrogateescape")
    if section.startswith(("^", "#^")):
        return _with_block(body, outline, name, section.removeprefix("#"), new, how)
    marks = _MARKS.match(section)
    heading = section[marks.end() :] if marks else section
    at = outline.named(heading)
    if at is not None:
        return _with_text(body, outline, at, new, how)
    if not create:
        raise _no_heading(outline, name, heading)
    above, _, last = heading.rpartition("#")
    if not last.strip():
        raise BadArgument(f"`section` is {section!r:.60}; give a new heading without # at its end.")
    parent = outline.named(above) if above.strip() else None
    if above.strip() and parent is None:
        raise _no_heading(outline, name, above)
    level = len(marks[1]) if marks else _LEVEL if parent is None else min(outline.headings[parent].level + 1, 6)
    end = len(body) if parent is None else _end(outline, parent, whole=True)
    new_section = b"#" * level + b" " + last.strip().encode(errors="surrogateescape") + (b"\n\n" + new if new else b"")
    changed = _added(outline, body, _text_end(body, 0, end), new_section)
    if Outline(as_utf8(changed)).heading(f"#{heading}") is None:
        raise BadArgument(
            f"No heading can be added to {name!r}: it ends in code or a comment that is not closed. Close it first."
        )
    return changed


def _no_heading(outline: Outline, name: str, heading: str) -> NoSection:
    return NoSection(name, f"#{heading}", outline.nearest(heading))


def _end(outline: Outline, at: int, *, whole: bool) -> int:
    """Return where the text below a heading ends; with `whole`, its section, which has the deeper headings below it."""
    heading = outline.headings[at]
    if heading.depth:
        raise BadArgument(f"The heading {heading.raw!r} is in a list or a quote. Edit the section around it instead.")
    later = (one for one in outline.headings[at + 1 :] if not one.depth and (one.level <= heading.level or not whole))
    following = next(later, None)
    return len(outline.body) if following is None else outline.body.rfind(b"\n", 0, following.start) + 1


def _with_text(body: bytes, outline: Outline, at: int, new: bytes, how: How) -> bytes:
    """Return a body with a change of the text below a heading."""
    heading = outline.headings[at]
    line_end = body.find(b"\n", max(heading.start, heading.end - 1))
    start = len(body) if line_end < 0 else line_end + 1
    end = _text_end(body, start, _end(outline, at, whole=how == "insert"))
    if how == "insert" or end == start:
        return _added(outline, body, end, new)
    first = body.rfind(b"\n", start, end - len(body[start:end].lstrip(_BLANKS))) + 1 or start
    old = body[first:end]
    if how == "append":
        return _added(outline, body, end, new, above=_between(old, new))
    if how == "prepend":
        return _added(outline, body, first, new, above=_NEXT_LINE, below=_between(new, old))
    return _replaced(outline, body, first if new else start, end, new)


def _text_end(body: bytes, start: int, end: int) -> int:
    """Return the end of the last line that is not blank; `start` if all are blank."""
    text = start + len(body[start:end].rstrip(_BLANKS))
    if text == start:
        return start
    line_end = body.find(b"\n", text, end)
    return end if line_end < 0 else line_end + 1


def _between(first: bytes, second: bytes) -> int:
    """Return the number of line ends between two texts: the items of a list stand in lines that follow each other."""
    last = first.rstrip(_BLANKS).rpartition(b"\n")[2]
    return _NEXT_LINE if _ITEM.match(last) and _ITEM.match(second) else _BLANK_LINE


def _added(
    outline: Outline, body: bytes, at: int, new: bytes, *, above: int = _BLANK_LINE, below: int = _BLANK_LINE
) -> bytes:
    """Return a body with lines added at the beginning of a line, or at the end.

    `above` and `below` are the least numbers of line ends between them and the text around them.
    """
    return _replaced(outline, body, at, at, new, above=above, below=below) if new else body


def _replaced(
    outline: Outline,
    body: bytes,
    start: int,
    end: int,
    new: bytes,
    *,
    above: int = _NEXT_LINE,
    below: int = _BLANK_LINE,
) -> bytes:
    """Return a body with other lines in the place of some; the lines around them stay, with their line ends."""
    before, after = body[:start], body[end:]
    if not new:
        return before + after
    text_before, text_after = before.rstrip(_BLANKS), after.lstrip(_BLANKS)
    if text_before:
        before += b"\n" * (above - before.count(b"\n", len(text_before)))
    blank_lines = after[: len(after) - len(text_after)].count(b"\n")
    line_ends = max(1, below - blank_lines) if text_after else 1
    return _checked(outline, before + new + b"\n" * line_ends, after)


def _checked(outline: Outline, head: bytes, tail: bytes) -> bytes:
    """Return two parts of a body as one. The first ends with the new text, the second is as in the old body."""
    body, rest = head + tail, len(tail.lstrip())
    if rest and Outline(as_utf8(body)).is_raw(len(body) - rest) and not outline.is_raw(len(outline.body) - rest):
        raise BadArgument(
            "The content opens a code block, a comment or HTML and does not close it, so that the rest of the note "
            "would become a part of it. Close it."
        )
    return body


def _with_block(body: bytes, outline: Outline, name: str, block_id: str, new: bytes, how: How) -> bytes:
    """Return a body with a change of the block with the id `block_id`, which it keeps."""
    named = outline.block(block_id)
    if named is None:
        raise NoSection(name, f"#{block_id}", ())
    block, id_ = named
    if block.is_heading:
        raise BadArgument(f"{block_id} is the id of a heading. Give the heading itself as `section`.")
    whole = _end_of_block(body, block)
    line = body.rfind(b"\n", 0, block.start) + 1
    prefix = _NOT_A_PREFIX.sub(b" ", body[line : block.start])  # of each line of the list or the quote around it
    item = _ITEM.match(body, block.start) if block.kind == "Item" else None
    if how == "insert":
        end = max(whole, id_.end)
        changed = _inserted(body, outline, end, prefix, new, tight=bool(item and _ITEM.match(new)))
        if not _is_kept(changed, block_id, block.start, whole, whole):
            raise _other_text(block_id)
        return changed
    new = _without_id(new, block_id)
    if item and _ITEM.match(new):
        if how != "replace":
            raise BadArgument(
                f"The content is a list item, and so is the block {block_id}. To add an item after it, give "
                "`insert` as `how`."
            )
        item = None  # the content is a whole item, too
    start = item.end() if item else block.start
    end = whole if id_.start > whole else _before_id(body, start, id_.start - 1)
    inner = prefix + b" " * (len(item[1]) if item else 0)
    old, added = body[start:end], new.replace(b"\n", b"\n" + inner)
    text = {"append": old + b"\n" + inner + added, "prepend": added + b"\n" + inner + old, "replace": added}[how]
    gap = b"" if body[end : end + 1].isspace() or end == len(body) else b" "
    head, tails = body[:start] + text, [gap + body[end:]]
    if how == "replace" and not inner and id_.start < whole:
        tails.append(b"\n\n" + body[end:].lstrip(b" \t"))  # the id of code or of a table stands below it
    tail = next((each for each in tails if _is_kept(head + each, block_id, block.start, len(head))), None)
    if tail is None:
        raise _other_text(block_id)
    return _checked(outline, head, tail)


def _without_id(new: bytes, block_id: str) -> bytes:
    """Return the new content of a block without the id of the block at its end, which the block keeps anyway."""
    own = _ENDS_WITH_ID.search(new)
    if own is None:
        return new
    other = own[1].decode()
    if other.lower() != block_id.removeprefix("^").strip().lower():
        raise BadArgument(
            f"The content ends with the id ^{other}, but the block has the id {block_id}. Leave ^{other} out."
        )
    return new[: own.start()]


def _end_of_block(body: bytes, block: Block) -> int:
    """Return where a block ends, without the last lines that are blank or have only `>`."""
    end = block.start + len(body[block.start : block.end].rstrip())
    while (line := body.rfind(b"\n", block.start, end)) >= 0 and not body[line:end].strip(b"> \t\n"):
        end = line
    return end


def _before_id(body: bytes, start: int, at: int) -> int:
    """Return where a block's text ends, without the id at `at`, which may stand alone in the line below."""
    text = body[start:at].rstrip(b" \t")
    above, newline, last = text.rpartition(b"\n")
    return start + len(above if newline and not last.strip(b"> \t") else text)


def _inserted(body: bytes, outline: Outline, at: int, prefix: bytes, new: bytes, *, tight: bool) -> bytes:
    """Return a body with a block added after the line that ends at `at`; blank lines around it unless it is `tight`."""
    blank = b"" if tight else b"\n" + prefix.rstrip()
    following = body[at:].partition(b"\n")[2].partition(b"\n")[0]
    after = blank if following.strip(b"> \t") else b""
    text = new.replace(b"\n", b"\n" + prefix)
    return _checked(outline, body[:at] + blank + b"\n" + prefix + text, after + body[at:])


def _is_kept(body: bytes, block_id: str, start: int, least: int, most: int | None = None) -> bool:
    """Return whether an id means the block that begins at `start` and ends between `least` and `most`."""
    block = Outline(as_utf8(body)).block(block_id)
    if block is None or block[0].start != start:
        return False
    end = _end_of_block(body, block[0])
    return end >= least and (most is None or end <= most)


def _other_text(block_id: str) -> BadArgument:
    return BadArgument(
        f"With this content, the id {block_id} would belong to other text. Give content of the same kind as the block, "
        "or edit the section around it."
    )
