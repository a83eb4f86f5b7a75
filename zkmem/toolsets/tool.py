"""A tool as one row of data, which every interface can show, check arguments against, and call."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.model.question import Answer, Question
from zkmem.names import check_text
from zkmem.util.spelling import number_of

Type = Literal["string", "integer", "number", "boolean", "array", "object"]

_LARGE = 10**300  # larger whole numbers may not fit into a float
_MOST_NAMES = 10  # names in one list of a line
_MOST_CHARACTERS = 500  # characters of a line

_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


class Parameter(NamedTuple):
    """One argument of a tool. Without a default it is required; None, 0 and False as defaults are not sent to clients.

    The bounds are not sent either: they cost tokens in every conversation, and a value outside of them gets an error
    that names them. `inner` is the schema of an array's items, or of an object's properties by name.
    """

    type: Type
    description: str = ""
    default: object = ...
    minimum: float | None = None
    maximum: float | None = None
    inner: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()  # of a string; an error lists them
    words: bool = False  # an array that may come as a text of words
    setting: str = ""  # the setting that gives the default

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the argument: flat, and without keywords that some clients do not support."""
        schema: dict[str, Any] = {"type": self.type}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.inner is not None:
            schema["items" if self.type == "array" else "properties"] = self.inner
        if self.description:
            schema["description"] = self.description
        if self.default is not ... and self.default:
            schema["default"] = self.default
        return schema

    def coerced(self, value: object) -> object:
        """Return a value that came as text in the argument's type: models send numbers and lists as text."""
        typed = _coerced(self.type, value)
        if isinstance(typed, str) and self.choices and typed not in self.choices:
            return next((one for one in self.choices if one.lower() == typed.strip().lower()), typed)
        as_words = self.words and isinstance(value, str) and not isinstance(typed, list)
        return str(value).replace(",", " ").split() if as_words else typed

    def check(self, name: str, value: object) -> object:
        """Check a value, and return it as the tool takes it.

        Raises:
            BadArgument: when the value has another type, is out of its range, or has unknown properties.
        """
        _check_type(name, self.type, value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            low, high = self.minimum, self.maximum
            if (low is not None and not value >= low) or (high is not None and not value <= high):  # NaN is neither
                bounds = f"{low} to {high}" if high is not None else f"{low} or more"
                raise BadArgument(f"`{name}` must be {bounds}, not {value!r:.60}.")
        _check_choice(name, self.choices, value)
        if isinstance(value, dict) and self.inner and (unknown := [key for key in value if key not in self.inner]):
            raise BadArgument(f"`{name}` has no property {unknown[0]!r:.60}; it has: {', '.join(self.inner)}.")
        return _inside(name, self.schema, value)


def _schema(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    properties = {name: parameter.schema for name, parameter in parameters.items()}
    required = [name for name, parameter in parameters.items() if parameter.default is ...]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _checked_arguments(
    tool: str, parameters: Mapping[str, Parameter], given: Mapping[str, object], *, drop_in: bool
) -> dict[str, object]:
    """Check the arguments of a tool, and return them as the tool takes them.

    A `drop_in` behaves as servers built with zod: it drops unknown arguments, and coerces no type.
    """
    unknown = [name for name in given if name not in parameters]
    if unknown and not drop_in:
        raise BadArgument(f"{tool} has no argument {unknown[0]!r}; it has: {', '.join(parameters)}.")
    result: dict[str, object] = {}
    for name, parameter in parameters.items():
        value = given.get(name)
        if value is None:  # clients send null for an argument they leave out
            if parameter.default is ...:
                raise BadArgument(f"{tool} needs the argument `{name}`.")
            result[name] = parameter.default
        else:
            result[name] = parameter.check(name, value if drop_in else parameter.coerced(value))
    return result


def _coerced(kind: Type, value: object) -> object:
    """Return a value as `kind` if it came as text or as a whole float; else return it unchanged."""
    if isinstance(value, str) and kind != "string":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if kind == "string" and type(value) is int:  # a name or a revision that is all digits
        return str(value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return math.inf if kind == "number" and type(value) is int and abs(value) > _LARGE else value


def _check_type(where: str, kind: str, value: object) -> None:
    if not isinstance(value, _PYTHON[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise BadArgument(f"`{where}` must be of type {kind}, not {value!r:.60}.")
    if isinstance(value, str) and not value.isascii():
        check_text(value, where)


def _check_choice(where: str, choices: tuple[str, ...], value: object) -> None:
    if choices and value not in choices:
        raise BadArgument(f"`{where}` must be one of {', '.join(choices)}, not {value!r:.60}.")


def _inside(where: str, schema: Mapping[str, Any], value: object) -> object:
    """Check the contents of an array or object, and return it without properties that the schema lacks."""
    if isinstance(value, list):
        return [_checked(f"{where}[{number}]", schema.get("items", {}), item) for number, item in enumerate(value)]
    if isinstance(value, dict) and "properties" in schema:
        missing = [name for name in schema.get("required", ()) if value.get(name) is None]
        if missing:
            raise BadArgument(f"`{where}.{missing[0]}` is missing.")
        inner_schemas = {name: inner for name, inner in schema["properties"].items() if value.get(name) is not None}
        return {name: _checked(f"{where}.{name}", inner, value[name]) for name, inner in inner_schemas.items()}
    return value


def _checked(where: str, schema: Mapping[str, Any], value: object) -> object:
    if schema:
        _check_type(where, schema["type"], value)
        _check_choice(where, tuple(schema.get("enum", ())), value)
    return _inside(where, schema, value)


class Result(NamedTuple):
    """The answer of a tool: texts for a reader, and the data in them for a program."""

    texts: tuple[str, ...]
    data: Mapping[str, object]
    is_json: bool = False  # the text is JSON that holds all of the data
    shown: Mapping[str, object] = {}  # what only the view of the tool gets: no model sees it


class Effects(NamedTuple):
    """The effects of a tool, from which a client may decide whether a model may call it."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


READS = Effects(read_only=True, idempotent=True)


class Tool(NamedTuple):
    """A tool: its name, its description for models, its arguments, its function and its effects."""

    name: str
    description: str
    parameters: Mapping[str, Parameter]
    run: Callable[..., Result]
    effects: Effects
    structured: bool = False  # clients get the data of an answer beside the text
    title: str = ""  # for a person who is asked whether a model may call it
    finding: str = ""  # further words by which a client that loads tools on demand finds it
    always: bool = False  # such a client loads it at the start: without it, a model would not think of the memory
    output: Mapping[str, Any] | None = None  # the JSON Schema of the data, if clients rely on one
    draft: str = ""  # the JSON Schema draft that the schemas name, if clients compare them
    drop_in: bool = False  # it checks arguments, and answers, in the same way as the tool that it replaces
    says_success: bool = False  # the data of each answer have `success`, and those of a refusal have `error`
    question: Callable[..., Question | None] | None = None  # makes a question to a model; `run` gets the `answer`
    quick: bool = False  # a server tries it in its event loop first: a call usually takes less than a millisecond
    evaluates: Callable[[Mapping[str, Any]], bool] = lambda _: False
    """Returns whether a call with these arguments may evaluate expressions for seconds. A server lets a caller make one
    such call at a time."""
    view: str = ""  # what a host that can do so shows a person with the answer: see `serve/mcp/views.py`
    options: Mapping[str, object] = {}  # settings that `run` and `question` get with the arguments, and their defaults

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return ({"$schema": self.draft} if self.draft else {}) | _schema(self.parameters)

    def configured(self, settings: Mapping[str, object]) -> Self:
        """Return the tool with the values of the settings that it uses."""
        parameters = {
            name: parameter._replace(default=settings.get(parameter.setting, parameter.default))
            for name, parameter in self.parameters.items()
        }
        options = {name: settings.get(name, default) for name, default in self.options.items()}
        return self._replace(parameters=parameters, options=options)

    def refusal(self, sentence: str) -> Result:
        """Return the answer to a call that is refused, with the reason."""
        return Result((sentence,), {"success": False, "error": sentence} if self.says_success else {})

    def ask(self, memory: Memory, given: Mapping[str, object]) -> Question | None:
        """Return the question that a model must answer before `call`; None if there is none."""
        return self.question(memory, **self._checked(given), **self.options) if self.question else None

    def call(self, memory: Memory, given: Mapping[str, object], answer: Answer = Answer()) -> Result:
        """Check the arguments and run the tool.

        Raises:
            BadArgument: when one is missing, unknown, of the wrong type or out of its range.
            ZkError: when the tool refuses the call for another reason.
        """
        values = {**self._checked(given), **self.options, **({"answer": answer} if self.question else {})}
        remarks: list[str] = []
        result = self.run(memory.on_behalf(tool=self.name, on_remark=remarks.append), **values)
        return result if self.drop_in or not remarks else result._replace(texts=(*result.texts, line(remarks, ())))

    def _checked(self, given: Mapping[str, object]) -> dict[str, object]:
        return _checked_arguments(self.name, self.parameters, given, drop_in=self.drop_in)


def line(about: list[str], lists: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return one line of facts and lists of names: at most ten names a list, then a count; 500 characters in all."""
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
    return f"{', '.join(names[:most])} and {rest} more" if most else number_of(rest, "note")
