"""Read the texts that name a moment: a date, with or without a time.

A date means its end, so that a note is shown as it was when the day, the minute or the second was over.
"""

import datetime
import re
import time

from zkmem.errors import BadArgument, NoGitHistory, ZkError
from zkmem.util.periods import period
from zkmem.util.spelling import quoted

_DATE = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<minute>\d{2}:\d{2})(?P<second>:\d{2})?(?:\.\d{1,9})? ?(?P<zone>[Zz]|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_OTHER_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[T ].*)?", re.ASCII)  # a date as others write it
_NO_TIME = (ValueError, OverflowError, OSError)  # what a date raises that does not exist, or is too far away
_SHORTEST_HASH = 7  # digits of a commit, as git abbreviates it; numbers of edits are shorter


def end_of(text: str) -> float | None:
    """Return when a date is over, in seconds since 1970; None if the text does not have the form of a date.

    `2026-05-01` is a day, `2026-05-01T14:30` a minute and `2026-05-01T14:30:05` a second. Without a zone, such as `Z`
    or `+02:00`, the time is local.
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    day, minute, second, zone = match.group("day", "minute", "second", "zone")
    try:
        if minute is None:
            return (datetime.datetime.fromisoformat(day) + datetime.timedelta(days=1)).timestamp()
        begin = datetime.datetime.fromisoformat(f"{day}T{minute}{second or ''}{(zone or '').upper()}")
        return begin.timestamp() + (1 if second else 60)
    except _NO_TIME:
        raise _no_date(text) from None


def _no_date(text: str) -> BadArgument:
    advice = "give one such as 2026-05-01, or 2026-05-01T14:30 for a time of that day"
    return BadArgument(f"{quoted(text.strip())} is no date; {advice}.")


def begin_of(text: str) -> float | None:
    """Return when a date begins; None if the text is no date: see `end_of` and `period`, which says what words mean."""
    if days := period(text.strip()):
        try:
            return datetime.datetime.fromisoformat(f"{days[0]}-01-01"[: len("2026-05-01")]).timestamp()
        except _NO_TIME:
            raise _no_date(text) from None
    match, end = _DATE.fullmatch(text.strip()), end_of(text)
    return end - (1 if match["second"] else 60) if match and end else None


def is_ahead(text: str) -> bool:
    """Return whether a text is a date that has not begun yet: see `end_of`."""
    match = _DATE.fullmatch(text.strip())
    if match and match["minute"] is None:
        return match["day"] > time.strftime("%Y-%m-%d")
    begin = begin_of(text) if match else None
    return begin is not None and begin > time.time()


def is_number(rev: str) -> bool:
    """Return whether a revision is the number of an edit."""
    return rev.isascii() and rev.isdecimal() and len(rev) < _SHORTEST_HASH


def no_moment(text: str, *, git: bool, hashes_only: bool, trouble: str) -> ZkError:
    """Return the error about a text that names no moment.

    `git`: whether the vault uses it; `hashes_only`: whether the caller can name commits only by their hashes;
    `trouble`: why git, which may know the moment, cannot be read; "" if it can.
    """
    given = quoted(text)
    if _OTHER_DATE.fullmatch(text):
        return BadArgument(f"{given} is no date that zkmem reads: write it as YYYY-MM-DD, such as 2026-05-01.")
    start = f"{given} is no moment: give a date such as 2026-05-01,"
    if not git:
        off = "Git is off for this vault, so it has no commits, branches or tags."
        return BadArgument(f"{start} or the number of an edit. {off}")
    commits = "or the hash of a commit" if hashes_only else "a commit, a branch or a tag"
    sentence = f"{start} the number of an edit, {commits}."
    return NoGitHistory(trouble, sentence) if trouble else BadArgument(sentence)
