"""Check each call of a memory: whether the memory is open, and whether the arguments have the right types."""

import functools
from collections.abc import Callable, Collection, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Protocol, TypeVar, Union, get_args, get_origin

from zkmem.errors import BadArgument

_T = TypeVar("_T")

_MOST = 2**63 - 1  # the largest number that SQLite takes


class Opened(Protocol):
    """What can be called until it is closed."""

    def _begin(self) -> None:
        """Begin a call."""


def checked(method: Callable[..., _T]) -> Callable[..., _T]:
    """Return a method that first calls `_begin` of its object, and checks the types of its arguments."""
    kinds: dict[str, Any] = {}

    @functools.wraps(method)
    def call(self: Opened, *arguments: object, **named: object) -> _T:
        self._begin()
        if not kinds:  # not before the first call: most programs use few methods
            kinds.update({name: kind for name, kind in method.__annotations__.items() if name != "return"})
        check(kinds, dict(zip(kinds, arguments, strict=False)) | named)
        return method(self, *arguments, **named)

    return call


def check(kinds: Mapping[str, Any], arguments: Mapping[str, object]) -> None:
    """Check the arguments that have one of these names.

    Raises:
        BadArgument: when one has another type, or is a negative or a huge number.
    """
    for name, value in arguments.items():
        kind = kinds.get(name, object)
        if not _fits(value, kind):
            raise BadArgument(f"`{name}` must be {_words(kind)}, not {value!r:.60}.")
        if isinstance(value, int) and not 0 <= value <= _MOST:
            bound = "0 or more" if value < 0 else f"{_MOST} or less"
            raise BadArgument(f"`{name}` must be {bound}, not {value!r:.60}.")


def _fits(value: object, kind: Any) -> bool:
    """Return whether a value has a type. The items of lists are checked, and those of mappings are not."""
    if type(value) is kind or kind is Any:  # nearly all
        return True
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    plain = (int, float) if kind is float else origin or kind
    if (plain is not object and isinstance(value, bool)) or not isinstance(value, plain):
        return False
    if len(inner) == 1 and isinstance(value, Collection):
        return not isinstance(value, str | bytes) and all(_fits(one, inner[0]) for one in value)
    return True


def _words(kind: Any) -> str:
    """Return the name of a type in a sentence."""
    inner = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_words, inner))
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, inner))
    if kind is NoneType:
        return "None"
    return f"a list of {_words(inner[0])}" if len(inner) == 1 else getattr(kind, "__name__", str(kind))
