"""The tools on raw memories: read, search, change and summarise their lines."""

import functools
from collections.abc import Callable

from zkmem.errors import BadArgument, Changed
from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.toolsets.think import lines, raw, store, summaries
from zkmem.toolsets.think.lines import EditedText
from zkmem.toolsets.think.patterns import matching, replacing
from zkmem.toolsets.think.raw import Raw
from zkmem.toolsets.think.results import done
from zkmem.toolsets.think.summaries import LineHashes, LinesSummary
from zkmem.toolsets.tool import Result
from zkmem.util.spelling import number_of

_ATTEMPTS = 5  # at a replacement, if others change the text meanwhile


def write(memory: Memory, name_path: str, data: str, is_append: bool) -> Result:
    """Replace all of a raw memory, or append to it."""

    def change(old: str) -> EditedText:
        return lines.rewritten(old, old + data if is_append else data)

    def work(draft: Draft) -> Result:
        if store.make_if_new(draft, name_path, data):
            return done(f"added {name_path}", data={"nLines": len(lines.lines_of(data)), "nChars": len(data)})
        return _changed(draft, name_path, change, as_now=is_append)

    return memory.edit(work)


def replace_lines(memory: Memory, name_path: str, line_beg: int, line_end: int, pattern: str, text: str) -> Result:
    """Replace the matches of a pattern in a range, or the whole range if the pattern is empty.

    The pattern is matched before the edit, since an edit makes others wait. If the text changes meanwhile, it is
    matched again.
    """
    if not pattern:
        return _edit(memory, name_path, lambda data: lines.replaced(data, line_beg, line_end, text))
    for _ in range(_ATTEMPTS):
        seen = memory.look(lambda pages: Raw.of(store.writable(pages, name_path))).data
        lines.check_range(seen, line_beg, line_end)
        by = text.replace("\r\n", "\n") if "\r\n" in seen else text  # new lines get the line ends of the old ones
        matches, runs = replacing(pattern, "\n".join(lines.bare_lines_of(seen)[line_beg : line_end + 1]), by)
        if not matches:
            raise BadArgument(
                f"The pattern matches nothing in the lines {line_beg} to {line_end}; nothing was changed."
            )
        edited = lines.substituted(seen, line_beg, runs)
        if result := memory.edit(functools.partial(_changed_if, name_path, seen, edited)):
            return result
    raise Changed(f"{name_path!r} was changed again and again while the pattern was tried; nothing was changed.")


def delete_lines(memory: Memory, name_path: str, line_beg: int, line_end: int) -> Result:
    """Delete a range."""
    return _edit(memory, name_path, lambda data: lines.deleted(data, line_beg, line_end))


def insert_lines(memory: Memory, name_path: str, line_no: int, text: str) -> Result:
    """Insert lines before a line."""
    return _edit(memory, name_path, lambda data: lines.inserted(data, line_no, text))


def summarize(memory: Memory, name_path: str, line_beg: int, line_end: int, text: str) -> Result:
    """Add a summary of a range, or replace the one of exactly this range."""
    if not text.strip():
        raise BadArgument("`text` is empty; give a summary, or drop one with desummarizeRawLines.")

    def work(draft: Draft) -> int:
        page = store.writable(draft, name_path)
        old = Raw.of(page)
        lines.check_range(old.data, line_beg, line_end)
        remaining = [one for one in old.summaries if (one.first, one.last) != (line_beg, line_end)]
        more = next((one.more for one in old.summaries if one not in remaining), {})
        new = LinesSummary(line_beg, line_end, text, LineHashes(old.data).of(line_beg, line_end), more)
        return raw.update(draft, page, old.data, summaries.in_order([*remaining, new]))

    lost = memory.edit(work)
    return done(f"summarized the lines {line_beg} to {line_end} of {name_path}{_dropped_text(0, lost)}")


def desummarize(memory: Memory, name_path: str, line_beg: int, line_end: int) -> Result:
    """Drop the summaries within a range."""

    def work(draft: Draft) -> tuple[int, int]:
        page = store.writable(draft, name_path)
        old = Raw.of(page)
        lines.check_range(old.data, line_beg, line_end)
        remaining = [one for one in old.summaries if not line_beg <= one.first <= one.last <= line_end]
        return len(old.summaries) - len(remaining), raw.update(draft, page, old.data, remaining)

    dropped, lost = memory.edit(work)
    return done(f"dropped {_summaries(dropped)}{_dropped_text(0, lost)}", data={"summariesDropped": dropped + lost})


def read(memory: Memory, name_path: str, line_beg: int | None, line_end: int | None, summarize: bool) -> Result:
    """Read a raw memory or a range of it: its summaries, and its text if they do not cover the range.

    A header says which lines are shown: "lines 3-9 of 40".
    """
    record = memory.look(lambda pages: store.shown(pages, store.readable(pages, name_path)))
    size = len(lines.lines_of(record.data))
    first, last = 0 if line_beg is None else line_beg, size - 1 if line_end is None else line_end
    if size or (line_beg, line_end) != (None, None):
        if line_end is None and first >= size:
            last = first  # so that the error names the requested line
        lines.check_range(record.data, first, last)
    header = f"lines {first}-{last} of {size}" if size else "no lines"
    if not summarize:
        text = lines.part(record.data, first, last)
        return done(header, text, data={"data": text})
    reading = summaries.read(record.data, record.summaries, first, last)
    about = [header, *(one.shown for one in reading.summaries)]
    if reading.worth_a_summary:
        about.append("Worth a summary: use summarizeRawLines.")
    data: dict[str, object] = {} if reading.text is None else {"data": reading.text}
    data |= {"summaries": [one.data for one in reading.summaries], "happyToSum": reading.worth_a_summary}
    return done("\n".join(about), *([] if reading.text is None else [reading.text]), data=data)


def search(memory: Memory, name_path: str, pattern: str) -> Result:
    """Find the lines that a pattern matches."""
    record = memory.look(lambda pages: store.shown(pages, store.readable(pages, name_path)))
    bare_lines = lines.bare_lines_of(record.data)
    hits = [(number, bare_lines[number]) for number in matching(pattern, [(line,) for line in bare_lines])]
    text = "\n".join(f"{number}: {line}" for number, line in hits)
    data = {"lines": [{"lineNo": number, "text": line} for number, line in hits]}
    return done(text or "no line matches", data=data)


def _edit(memory: Memory, name_path: str, change: Callable[[str], EditedText]) -> Result:
    return memory.edit(lambda draft: _changed(draft, name_path, change))


def _changed_if(name_path: str, seen: str, edited: EditedText, draft: Draft) -> Result | None:
    """Apply an edit that was computed from the text `seen`; return None if the text has changed since."""
    if Raw.of(store.writable(draft, name_path)).data != seen:
        return None
    return _changed(draft, name_path, lambda _: edited, as_now=True)


def _changed(draft: Draft, name_path: str, change: Callable[[str], EditedText], *, as_now: bool = False) -> Result:
    """Change the text of a raw memory as the session has read it, and merge that with what others have changed since.

    `as_now`: change the present text instead.
    """
    page = store.writable(draft, name_path)
    old = Raw.of(page)
    read = old.data if as_now else draft.as_read(page).exact_body
    edited, is_merged = change(read), read != old.data
    if is_merged:
        edited = lines.rewritten(old.data, draft.merged(page.path, read, edited.text, old.data))
    remaining = summaries.moved(old.summaries, edited.changes)
    lost = raw.update(draft, page, edited.text, remaining)
    size, dropped = len(lines.lines_of(edited.text)), len(old.summaries) - len(remaining)
    data = {"nLines": size, "nChars": len(edited.text), "summariesDropped": dropped + lost}
    about = f"{name_path} has {number_of(size, 'line')}{_dropped_text(dropped, lost)}"
    return done(about + "; others have changed it since you read it: read it again" * is_merged, data=data)


def _dropped_text(dropped: int, lost: int) -> str:
    """Return the words about dropped summaries: those of changed lines, and those of lines that did not exist."""
    changed = f"; dropped {_summaries(dropped)} of changed lines" if dropped else ""
    return changed + (f"; dropped {_summaries(lost)} of lines that were not there" if lost else "")


def _summaries(number: int) -> str:
    return number_of(number, "summary", "summaries")
