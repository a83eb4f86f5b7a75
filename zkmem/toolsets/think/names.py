"""The names of memories, and NamePaths. Pure.

A NamePath is one of `name`, `list<:0:>`, `list<:TOP:>`, `list<::>child`, `graph<:VERTEX:>v`, `graph<:EDGE:>a<:TO:>b`.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument, BadName, UnknownNote, ZkError
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


_MARK = re.compile(r"<:([^<>]*):>")
_INDEX = re.compile(r"-?[0-9]{1,15}")
_MOST_NAMED = 10
_ENDS = ("TOP", "FRONT", "BACK", "ROOT")
_FORMS = (
    "name, list<:0:>, list<:TOP:>, list<:FRONT:>, list<:BACK:>, list<::>child, "
    "graph<:ROOT:>, graph<:VERTEX:>vertex, graph<:EDGE:>edge, graph<:EDGE:>from<:TO:>to"
)


class UnknownMemory(UnknownNote):
    """No memory has this name."""

    def __init__(self, name: str, nearest: Sequence[str], otherwise: str = "") -> None:
        """Name the nearest memories in the message, or add `otherwise` if there are none."""
        more = f" Nearest names: {', '.join(nearest[:_MOST_NAMED])}." if nearest else otherwise and f" {otherwise}"
        ZkError.__init__(self, f"There is no memory {name!r:.300}.{more}")


class NamePath(NamedTuple):
    """The position of a raw memory: at the root, or in a list or a graph.

    `mark` is "" for the root, INDEX (with `at`), TOP, FRONT, BACK or ROOT, or CHILD, VERTEX or EDGE, with a
    `child`; an edge may be given by its ends instead, `child` and `to`.
    """

    name: str
    mark: str = ""
    at: int = 0
    child: str = ""
    to: str | None = None

    @classmethod
    def of(cls, text: str) -> "NamePath":
        """Return the NamePath that a text spells."""
        name, *rest = _MARK.split(text)
        match rest:
            case []:
                return cls(name)
            case ["", child]:
                return cls(name, "CHILD", child=child)
            case [index, ""] if _INDEX.fullmatch(index):
                return cls(name, "INDEX", at=int(index))
            case [end, ""] if end in _ENDS:
                return cls(name, end)
            case ["VERTEX" | "EDGE" as kind, child]:
                return cls(name, kind, child=child)
            case ["EDGE", child, "TO", to]:
                return cls(name, "EDGE", child=child, to=to)
        raise BadArgument(f"{text!r:.300} is not a NamePath; there are: {_FORMS}.")


def check_name(name: str) -> None:
    """Refuse a name that would be read as a NamePath."""
    if mark := _MARK.search(name):
        raise BadName(name, f"{mark[0]!r} stands between the parts of a NamePath")
