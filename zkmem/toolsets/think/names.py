"""Make names for memories that came without one. Pure."""

import re

from zkmem.records.encoded_names import nameable

NO_NAME = "element"
_LONGEST_NAME = 40
_ODD = re.compile(r"[^\w.,'’+=&()-]+")


def shortened(text: str) -> str:
    """Return the first words of a text, without what looks like a key and characters that are unfit for a file name."""
    short = ""
    for word in _ODD.sub(" ", nameable(text)[:1000]).split():
        if short and len(short) + 1 + len(word) > _LONGEST_NAME:
            break
        short = f"{short} {word}".strip()[:_LONGEST_NAME]
    return short.strip(" .-,")
