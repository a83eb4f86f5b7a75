"""Warn about the texts that an edit has written. Nothing is changed, and no sentence holds a secret."""

from collections.abc import Sequence
from typing import NamedTuple

from zkmem.markdown.private import is_private
from zkmem.markdown.secret import described, secrets_in
from zkmem.names import name_of

_LONGEST = 1_000_000  # bytes of a note that is looked at


class Written(NamedTuple):
    """A note that an edit has written."""

    path: str
    before: bytes  # empty for a new note
    data: bytes


def warnings(written: Sequence[Written]) -> list[str]:
    """Return warnings about the notes that an edit has written."""
    looked_at = [one for one in written if len(one.data) <= _LONGEST]
    return [
        warning
        for path, before, data in looked_at
        for warning in new_secrets(name_of(path), before, data, is_named=len(written) > 1)
    ]


def new_secrets(name: str, before: bytes, data: bytes, *, is_named: bool = False) -> list[str]:
    """Return warnings of what looks like a secret in a note and was not in it before; none for a private note.

    `is_named`: whether the sentences name the note.
    """
    secrets = secrets_in(data, before)
    return described(secrets, name if is_named else "") if secrets and not is_private(f"{name}.md", data) else []
