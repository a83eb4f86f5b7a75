"""The answers of tools that edit one note."""

from collections.abc import Sequence

from zkmem.names import ENTRY
from zkmem.records.outcome import Edited
from zkmem.toolsets.tool import Result, line


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


def written(done: Edited) -> Result:
    """Return the answer to an edit of the text of a note, with the changes of others that were merged into it."""
    is_found = done.linked or done.name.rpartition("/")[2] == ENTRY  # which needs no link
    about = [f"{done.outcome} {done.name}", f"etag {done.etag}"]
    result = edited(about if is_found else [*about, f"nothing links to {done.name} yet"], done, done.missing)
    if not done.merged:
        return result
    merged = "\n".join(["These changes of others were merged into it:", *done.merged])
    return result._replace(texts=(*result.texts, merged))
