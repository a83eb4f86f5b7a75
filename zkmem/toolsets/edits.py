"""The answers of tools that edit one note."""

from collections.abc import Sequence

from zkmem.names import ENTRY
from zkmem.records.outcome import Edited
from zkmem.toolsets.tool import Result, line


def about_links(done: Edited) -> list[str]:
    """Return a remark if no note links to an edited note. The entry note needs no link."""
    return [] if done.linked or done.name.rpartition("/")[2] == ENTRY else [f"nothing links to {done.name} yet"]


def namesakes(done: Edited) -> list[tuple[str, Sequence[str]]]:
    """Return the list of other notes with the same last part of their name."""
    who = "another note is" if len(done.namesakes) == 1 else "other notes are"
    return [(f"{who} called {done.name.rpartition('/')[2]}", done.namesakes)]


def edited(about: list[str], done: Edited, missing: Sequence[str]) -> Result:
    """Return the answer to an edit of one note. `about`: what comes first in it."""
    cut_off = [f"{subpath} in {', '.join(notes)}" for subpath, notes in done.cut_off.items()]
    lists = [
        *namesakes(done),
        ("no longer linked", done.unlinked),
        ("missing", missing),
        ("missing headings", done.missing_headings),
        ("links to it that lost their heading", cut_off),
        ("links updated in", done.relinked),
    ]
    return Result((line([*about, *done.remarks], lists),), done._asdict())


def with_merged(result: Result, done: Edited) -> Result:
    """Return the answer to an edit with the changes of others that were merged into the note."""
    if not done.merged:
        return result
    merged = "\n".join(["These changes of others were merged into it:", *done.merged])
    return result._replace(texts=(*result.texts, merged))
