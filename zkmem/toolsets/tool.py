"""What a tool is: a row that every face can show, check arguments against, and call."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from zkmem.errors import BadArgument
from zkmem.memory import Memory

Type = Literal["string", "integer", "number", "boolean"]

_MOST_NAMES = 10
_MOST_CHARACTERS = 500
_LARGE = 10**300  # a whole number beyond it is no float

_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


class Parameter(NamedTuple):
    """One argument of a tool. Without a default it is required; a default of None is not sent to clients.

    The bounds are not sent either: they cost tokens in every conversation, and a value outside of them gets an error
    that names them.
    """

    type: Type
    description: str = ""
    default: object = ...
    minimum: float | None = None
    maximum: float | None = None

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON Schema, flat, with nothing in it that some clients stumble over."""
        schema: dict[str, Any] = {"type": self.type}
        if self.description:
            schema["description"] = self.description
        if self.default is not ... and self.default is not None:
            schema["default"] = self.default
        return schema


class Result(NamedTuple):
    """What a tool answers: texts for a reader, and the same as data for a program."""

    texts: tuple[str, ...]
    data: Mapping[str, object]


class Effects(NamedTuple):
    """What a client may want to know before it lets a model call the tool."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


class Tool(NamedTuple):
    """A tool: its name, what a model is told about it, its arguments, its function and its effects.

    `lists`: whether its answer is a list of records that a program would want beside the text.
    """

    name: str
    description: str
    parameters: Mapping[str, Parameter]
    run: Callable[..., Result]
    effects: Effects
    lists: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        properties = {name: parameter.schema for name, parameter in self.parameters.items()}
        required = [name for name, parameter in self.parameters.items() if parameter.default is ...]
        return {"type": "object", "properties": properties} | ({"required": required} if required else {})

    def call(self, memory: Memory, arguments: Mapping[str, object]) -> Result:
        """Check the arguments and run the tool.

        Raises:
            BadArgument: when one is missing, unknown, of the wrong type or out of its range.
            ZkError: whatever else the tool refuses.
        """
        return self.run(memory.on_behalf(tool=self.name), **self._checked(arguments))

    def _checked(self, arguments: Mapping[str, object]) -> dict[str, object]:
        unknown = [name for name in arguments if name not in self.parameters]
        if unknown:
            raise BadArgument(f"{self.name} has no argument {unknown[0]!r}; it has: {', '.join(self.parameters)}.")
        checked: dict[str, object] = {}
        for name, parameter in self.parameters.items():
            value = arguments.get(name)
            if value is None:  # clients send null for an argument they leave out
                if parameter.default is ...:
                    raise BadArgument(f"{self.name} needs the argument `{name}`.")
                checked[name] = parameter.default
            else:
                checked[name] = _value(name, parameter, value)
        return checked


def _value(name: str, parameter: Parameter, value: object) -> object:
    value = _coerced(parameter.type, value)
    if not isinstance(value, _PYTHON[parameter.type]) or (isinstance(value, bool) and parameter.type != "boolean"):
        raise BadArgument(f"`{name}` must be of type {parameter.type}, not {value!r:.60}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = parameter.minimum, parameter.maximum
        if (low is not None and not value >= low) or (high is not None and not value <= high):  # NaN is neither
            bounds = f"{low} to {high}" if high is not None else f"{low} or more"
            raise BadArgument(f"`{name}` must be {bounds}, not {value!r}.")
    return value


def _coerced(kind: Type, value: object) -> object:
    """A number or a boolean that came as text, or a whole number that came as a float; else the value as it is."""
    if isinstance(value, str) and kind != "string":
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return math.inf if kind == "number" and type(value) is int and abs(value) > _LARGE else value


def line(about: list[str], lists: Sequence[tuple[str, Sequence[str]]]) -> str:
    """One line of facts and lists of names: at most ten names a list, then a count, and 500 characters in all."""
    for most in range(_MOST_NAMES, -1, -1):
        parts = [*about, *(f"{title}: {_listed(names, most)}" for title, names in lists if names)]
        text = "; ".join(parts)
        if len(text) <= _MOST_CHARACTERS:
            return text
    return text[: _MOST_CHARACTERS - 3] + "..."


def _listed(names: Sequence[str], most: int) -> str:
    rest = len(names) - most
    if rest <= 0:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {rest} more" if most else f"{rest} notes"
